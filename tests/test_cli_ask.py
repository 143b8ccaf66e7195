# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask`` and ``keys``: every option, what goes to stdout, what is said, where tables come from."""

import csv
import io
import json
import shlex
import sqlite3
from pathlib import Path

import pytest

from asked_people import HIDDEN, PAID, SURE, TABLE, WINNER, make_budget, winner
from command_line import Runner

VOTE = "--column vote --equals A"
ANSWERED = [
    ("A", "winner --column vote --options A,B --nulls ignore"),
    ("B", "winner --column vote --options A,B --where town=Bonn"),
    ("A", 'winner --column vote --options A,B --where \'town="x, ""y"""\''),
    ("A", "winner --column vote --options A,B --where town=Ulm,grün=x --goal guarantee"),
    ("other", "winner --column vote --options D,E --other other"),
    ("B", "winner --column vote --options B,C --where town=Bonn --nulls B"),
    ("ü", "winner --column grün --options ü,z"),
    ('"x, ""y"""', 'winner --column town --options \'"x, ""y""",z\''),
    ("A>B>C", "ranking --column vote --options A,C,B --neighbors change-one"),
    ("yes", f"yes-no {VOTE} --share 1/2"),
    ("yes", "yes-no --column age --sum --clamp 0,50 --at-least 100"),
    ("no", "yes-no --column age --sum --clamp -1,1 --at-least 20"),
    ("high", f"level {VOTE} --edges 1,4 --labels none,low,high"),
    ('">=1/2"', f"level {VOTE} --share --edges 1/4,1/2"),
    ("100..<900", "level --column age --sum --clamp 0,50 --edges 100,900"),
    ("old", "bracket --column age --edges 20,65 --labels young,middle,old --quantile 1"),
    ("B", "bracket --column vote --ordered C,B,A --quantile 1/5"),
    ("many", "bracket --column vote --ordered C,B,A --labels few,some,many"),
    ("A", "winner --column vote --options A,B --unit person --max-rows 1"),
    ("B", "winner --column vote --options B,C --unit person --max-rows 1 --nulls B"),
]


@pytest.mark.parametrize(("answer", "words"), ANSWERED, ids=lambda value: str(value)[:60])
def test_every_option_works_and_stdout_is_the_answer_alone(people: Runner, answer: str, words: str) -> None:
    kind, *options = shlex.split(words)
    # The true answer is as good as certain even next to a boundary.
    asked = ("ask", kind, "people.csv", *options, "--epsilon", 600)
    outcome = people(*asked, "--receipt", "r.json")
    assert (outcome.code, outcome.out) == (0, answer + "\n"), outcome.err
    assert all(line.startswith("note: ") for line in outcome.err.splitlines())
    receipt = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert people(*asked, "--format", "json").json == receipt["answer"]
    assert people("verify", "r.json", "--format", "json").json["holds"] is True


def test_what_is_taken_for_granted_is_said(people: Runner) -> None:
    outcome = winner(people, *SURE)
    assert outcome.err.splitlines() == [
        HIDDEN,
        "note: epsilon 60 hides little: one person can make an answer about 1.142e+26 times as likely",
        "note: the possible answers are public: A, B",
        "note: the mechanism is 'line', for the goal typical",
        "note: the answer costs epsilon=60",
    ]
    groups = ("--by", "town", "--groups", "Ulm,Bonn,Rom")
    outcome = winner(people, *SURE, "--delta", 0, *groups, "--neighbors", "change-one")
    assert outcome.err.splitlines()[-1] == (
        "note: the 3 answers cost epsilon 120 together; each has epsilon=60, delta=0"
    )
    assert outcome.out.splitlines()[:2] == ["Ulm: A", "Bonn: B"]
    assert winner(people, *SURE, *groups, "--format", "json").json["Bonn"] == "B"


def test_tables_come_from_everywhere(people: Runner) -> None:
    Path("options.txt").write_text("\ufeffA\n\n  B  \n", encoding="utf-8")
    from_file = ("--column", "vote", "--options-file", "options.txt", *SURE)
    assert people("ask", "winner", "people.csv", *from_file).out == "A\n"
    Path("latin.csv").write_bytes(TABLE.encode("latin-1"))
    green = ("--column", "grün", "--options", "ü,z", *SURE)
    assert people("ask", "winner", "latin.csv", *green, "--encoding", "latin-1").out == "ü\n"
    assert people("ask", "winner", "p*.csv", *WINNER, *SURE).out == "A\n"
    with sqlite3.connect("votes.db") as connection:
        connection.execute("create table people (vote text)")
        connection.executemany("insert into people values (?)", [("A",)] * 9 + [("B",)] * 2)
    connection.close()
    assert people("ask", "winner", "sqlite:///votes.db", "--table", "people", *WINNER, *SURE).out == "A\n"
    query = "select vote from people where vote = 'B'"
    assert people("ask", "winner", "sqlite:///votes.db", "--sql", query, *WINNER, *SURE).out == "B\n"


OPTION_FILES = {
    '\ufeffA, B\n"""C"""\n\n Ü \n': ["A, B", '"C"', "Ü"],
    'Freie\n "CDU, CSU" \n"x" y\n': ["Freie", "CDU, CSU", '"x" y'],
    # Only what ends the lines of a table ends a name.
    "A\rB\u2028B\x0b\x0c\x85": ["A", "B\u2028B"],
    "\r\n".join(map(str, range(1000))): [*map(str, range(1000))],
    "\n\n": "there are 0 options",
    'A\n""\n': "'' among the options is empty",
    'A\n"A"\n': "'A' stands twice",
}


@pytest.mark.parametrize(("text", "found"), OPTION_FILES.items(), ids=lambda value: str(value)[:20])
def test_a_file_of_options_has_one_in_each_line(run: Runner, text: str, found: list[str] | str) -> None:
    asked = ("plan", "winner", "--epsilon", 1, "--leads", 1, "--options-file", "o.txt", "--format", "json")
    Path("o.txt").write_bytes(text.encode())
    outcome = run(*asked)
    if isinstance(found, str):
        assert (outcome.code, found in outcome.error[0]) == (2, True)
    else:
        assert outcome.json["question"]["options"] == found
    Path("o.txt").write_bytes(b"\xff\xfe\xfa")
    assert (run(*asked).code, "it is not UTF-8 text" in run(*asked).error[0]) == (4, True)


@pytest.mark.parametrize("body", ["1;2\n", "1;2,5\n", ""])
def test_where_semicolons_stand_a_note_says_how_numbers_are_read_before_the_cost(
    people: Runner, body: str
) -> None:
    Path("a.csv").write_text("id;days\n" + body, encoding="utf-8")
    for words in (
        ("ask", "bracket", "a.csv", "--column", "days", "--edges", "3"),
        ("ask", "yes-no", "a.csv", "--column", "days", "--sum", "--clamp", "0,9", "--at-least", "3"),
    ):
        notes = people(*words, *SURE).err.splitlines()
        assert "decimals have a comma" in notes[-2]
        assert notes[-1] == "note: the answer costs epsilon=60"
    assert (
        "decimals" not in people("ask", "winner", "a.csv", "--column", "days", "--options", "1,2", *SURE).err
    )
    assert (
        "decimals" not in people("ask", "bracket", "people.csv", "--column", "age", "--edges", 3, *SURE).err
    )


def test_notes_about_a_table_come_once_and_before_the_cost(people: Runner) -> None:
    Path("a.jsonl").write_text('{"vote": "A"}\n', encoding="utf-8")
    for words in (("ask", "winner", "a.jsonl", *WINNER, *SURE), ("keys", "a.jsonl", "--column", "vote")):
        privacy = () if words[0] == "ask" else ("--epsilon", "9", "--delta", "0.5")
        notes = people(*words, *privacy).err.splitlines()
        assert "JSON lines have no header" in notes[-2]
        assert "costs epsilon=" in notes[-1]


def test_a_request_is_another_one_in_another_encoding(people: Runner) -> None:
    make_budget(people, 500, "--delta", "0.5")
    Path("latin.csv").write_bytes(TABLE.replace("grün", "green").encode("latin-1"))
    paid = (*PAID, "--request-id", "q")
    for asked in (
        ("ask", "winner", "latin.csv", *WINNER, *SURE),
        ("keys", "latin.csv", "--column", "vote", "--epsilon", "9", "--delta", "0.1"),
    ):
        own = (*paid[:-1], asked[0])
        assert people(*asked, *own, "--encoding", "cp1252").code == 0
        assert people(*asked, *own, "--encoding", "windows-1252").code == 0
        for other in ((), ("--encoding", "utf-8"), ("--encoding", "latin-1")):
            refused = people(*asked, *own, *other)
            assert (refused.code, refused.out) == (2, "")
            assert "RDP604" in refused.error[0]
    assert people("ask", "winner", "people.csv", *WINNER, *SURE, *paid, "--encoding", "utf-8").code == 0
    assert people("ask", "winner", "people.csv", *WINNER, *SURE, *paid).code == 0


def test_epsilon_zero_answers_at_random_and_says_what_it_costs(people: Runner) -> None:
    outcome = winner(people, "--epsilon", 0, "--by", "age", "--groups", ",".join(map(str, range(40))))
    assert {line.split(": ")[1] for line in outcome.out.splitlines()} == {"A", "B"}
    assert outcome.err.splitlines()[-1] == "note: the 40 answers cost epsilon 0 together; each has epsilon=0"


def test_what_would_fit_is_said_to_be_for_all_groups(people: Runner) -> None:
    make_budget(people, 1, "--neighbors", "change-one")
    paid = (*PAID, "--neighbors", "change-one", "--epsilon", "0.6")
    groups = ("--by", "town", "--groups", "Ulm,Bonn")
    outcome = winner(people, *paid, *groups)
    assert (outcome.code, "asked epsilon 1.2;" in outcome.error[0]) == (3, True)
    assert outcome.error[1].endswith("; that is for the answers of all groups together")
    assert "all groups" not in winner(people, *paid[:-1], "2").error[1]


def test_characters_of_an_option_or_group_that_act_on_a_terminal_are_shown(people: Runner) -> None:
    odd = "red\x1b[2J\x9b\u202eder\u200b!"
    Path("odd.jsonl").write_text(json.dumps({"vote": odd, "town": odd}) + "\n", encoding="utf-8")
    words = ("ask", "winner", "odd.jsonl", "--column", "vote", "--options", f"{odd},Größe\u00a0L", *SURE)
    shown = "red\\x1b[2J\\x9b\\u202eder\\u200b!"
    assert people(*words).out in (f"{shown}\n", "Größe\u00a0L\n")
    groups = people(*words, "--by", "town", "--groups", odd)
    assert groups.out.startswith(f"{shown}: ")
    assert json.loads(people(*words, "--by", "town", "--groups", odd, "--format", "json").out).keys() == {odd}


def test_keys_are_named_and_json_has_the_exact_texts(people: Runner) -> None:
    odd, shown = "red\x1b[2J\x9b\u202eder\u200b\nblue", "red\\x1b[2J\\x9b\\u202eder\\u200b\\nblue"
    plain = ["Größe\u00a0\u3000L", "日本"]
    lines = [json.dumps({"word": word, "id": at}) + "\n" for word in (odd, *plain) for at in range(60)]
    Path("a.jsonl").write_text("".join(lines), encoding="utf-8")
    words = ("keys", "a.jsonl", "--column", "word", "--delta", "1e-6", "--epsilon")
    text = people(*words, "1")
    assert text.code == 0
    assert {line.strip('"') for line in text.out.removesuffix("\n").split("\n")} == {shown, *plain}
    exact = people(*words, "1", "--format", "json")
    assert json.loads(exact.out) == sorted([odd, *plain])
    assert "\x1b" not in exact.out
    assert (
        len(json.loads(people(*words, "9", "--unit", "id", "--max-keys", "3", "--format", "json").out)) == 3
    )


def test_keys_as_csv_hold_no_formula(people: Runner) -> None:
    odd = ["=1+1", "+49", "-2", "@sum", "\t=1", 'say "hi", =1', "＝1", "plain"]  # noqa: RUF001 - the wide character
    lines = [json.dumps({"word": word}) + "\n" for word in odd for _ in range(60)]
    Path("a.jsonl").write_text("".join(lines), encoding="utf-8")
    words = ("keys", "a.jsonl", "--column", "word", "--delta", "1e-6", "--epsilon", "1", "--format", "csv")
    done = people(*words)
    assert done.code == 0, done.err
    header, *rows = [row for (row,) in csv.reader(io.StringIO(done.out))]
    assert header == "word"
    assert sorted(rows) == sorted(
        ["'=1+1", "'+49", "'-2", "'@sum", "'=1", 'say "hi", =1', "'＝1", "plain"]  # noqa: RUF001 - as above
    )
