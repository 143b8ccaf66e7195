# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask`` and ``keys``: every option, what goes to stdout, what is said, where tables come from."""

import json
import sqlite3
from pathlib import Path

import pytest

from asked_people import HIDDEN, SURE, TABLE, WINNER, make_budget, winner
from command_line import Runner


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return Runner(capsys)


ANSWERED: list[tuple[str, list[object]]] = [
    ("A", ["winner", *WINNER]),
    ("B", ["winner", *WINNER, "--where", "town=Bonn"]),
    ("A", ["winner", *WINNER, "--where", 'town="x, ""y"""']),
    ("A", ["winner", *WINNER, "--where", "town=Ulm,grün=x"]),
    ("other", ["winner", "--column", "vote", "--options", "D,E", "--other", "other"]),
    ("B", ["winner", "--column", "vote", "--options", "B,C", "--where", "town=Bonn", "--nulls", "B"]),
    ("A", ["winner", *WINNER, "--nulls", "ignore"]),
    ("A", ["winner", *WINNER, "--goal", "guarantee"]),
    ("ü", ["winner", "--column", "grün", "--options", "ü,z"]),
    ('"x, ""y"""', ["winner", "--column", "town", "--options", '"x, ""y""",z']),
    ("A>B>C", ["ranking", "--column", "vote", "--options", "A,C,B", "--neighbors", "change-one"]),
    ("yes", ["yes-no", "--column", "vote", "--equals", "A", "--share", "1/2"]),
    ("yes", ["yes-no", "--column", "age", "--sum", "--clamp", "0,50", "--at-least", "100"]),
    ("no", ["yes-no", "--column", "age", "--sum", "--clamp", "-1,1", "--at-least", "20"]),
    ("high", ["level", "--column", "vote", "--equals", "A", "--edges", "1,4", "--labels", "none,low,high"]),
    ('">=1/2"', ["level", "--column", "vote", "--equals", "A", "--share", "--edges", "1/4,1/2"]),
    ("100..<900", ["level", "--column", "age", "--sum", "--clamp", "0,50", "--edges", "100,900"]),
    (
        "old",
        ["bracket", "--column", "age", "--edges", "20,65", "--labels", "young,middle,old", "--quantile", "1"],
    ),
    ("A", ["winner", *WINNER, "--unit", "person", "--max-rows", "1"]),
    (
        "B",
        [
            "winner",
            "--column",
            "vote",
            "--options",
            "B,C",
            "--unit",
            "person",
            "--max-rows",
            "1",
            "--nulls",
            "B",
        ],
    ),
]


def settled(words: list[object]) -> list[object]:
    """Return options under which the true answer is as good as certain even next to a boundary."""
    return [*words, "--epsilon", 600]


@pytest.mark.parametrize(("answer", "words"), ANSWERED, ids=lambda value: str(value)[:60])
def test_every_option_works_and_stdout_is_the_answer_alone(
    run: Runner, answer: str, words: list[object]
) -> None:
    kind, *options = settled(words)
    outcome = run("ask", kind, "people.csv", *options, "--receipt", "r.json")
    assert (outcome.code, outcome.out) == (0, answer + "\n"), outcome.err
    assert all(line.startswith("note: ") for line in outcome.err.splitlines())
    as_json = run("ask", kind, "people.csv", *options, "--format", "json")
    receipt = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert json.loads(as_json.out) == receipt["answer"]
    checked = run("verify", "r.json", "--format", "json")
    assert (checked.code, json.loads(checked.out)["holds"]) == (0, True)


def test_what_is_taken_for_granted_is_said(run: Runner) -> None:
    outcome = winner(run, *SURE)
    assert outcome.err.splitlines() == [
        HIDDEN,
        "note: epsilon 60 hides little: one person can make an answer about 1.142e+26 times as likely",
        "note: the possible answers are public: A, B",
        "note: the mechanism is 'line', for the goal typical",
        "note: the answer costs epsilon=60",
    ]
    groups = ("--by", "town", "--groups", "Ulm,Bonn,Rom")
    outcome = winner(run, *SURE, "--delta", 0, *groups, "--neighbors", "change-one")
    assert outcome.err.splitlines()[-1] == (
        "note: the 3 answers cost epsilon 120 together; each has epsilon=60, delta=0"
    )
    assert outcome.out.splitlines()[:2] == ["Ulm: A", "Bonn: B"]
    as_json = winner(run, *SURE, *groups, "--format", "json").out
    assert json.loads(as_json)["Bonn"] == "B"


def test_tables_come_from_everywhere(run: Runner) -> None:
    Path("options.txt").write_text("\ufeffA\n\n  B  \n", encoding="utf-8")
    from_file = ("--column", "vote", "--options-file", "options.txt", *SURE)
    assert run("ask", "winner", "people.csv", *from_file).out == "A\n"
    Path("latin.csv").write_bytes(TABLE.encode("latin-1"))
    green = ("--column", "grün", "--options", "ü,z", *SURE)
    assert run("ask", "winner", "latin.csv", *green, "--encoding", "latin-1").out == "ü\n"
    assert run("ask", "winner", "p*.csv", *WINNER, *SURE).out == "A\n"
    with sqlite3.connect("votes.db") as connection:
        connection.execute("create table people (vote text)")
        connection.executemany("insert into people values (?)", [("A",)] * 9 + [("B",)] * 2)
    connection.close()
    assert run("ask", "winner", "sqlite:///votes.db", "--table", "people", *WINNER, *SURE).out == "A\n"
    query = "select vote from people where vote = 'B'"
    assert run("ask", "winner", "sqlite:///votes.db", "--sql", query, *WINNER, *SURE).out == "B\n"


def test_names_in_a_file_of_options_stand_in_quotes_or_not(run: Runner) -> None:
    rows = "party\n" + '"CDU, CSU"\n' * 9 + '"""x"" y"\n' * 7 + "Freie\n" * 3
    Path("parties.csv").write_text(rows, encoding="utf-8")
    asked = ("ask", "winner", "parties.csv", "--column", "party", *SURE)
    for first in ('"CDU, CSU"', "CDU, CSU", ' "CDU, CSU "'):
        for second in ('"""x"" y"', '"x" y'):
            Path("o.txt").write_text(f"Freie\n{first}\n{second}\n", encoding="utf-8")
            outcome = run(*asked, "--options-file", "o.txt")
            assert outcome.out == '"CDU, CSU"\n'
            assert 'note: the possible answers are public: Freie, "CDU, CSU", """x"" y"' in outcome.err
    for wrong, said in (('A\n""\n', "'' among the options is empty"), ('A\n"A"\n', "'A' stands twice")):
        Path("o.txt").write_text(wrong, encoding="utf-8")
        refused = run(*asked, "--options-file", "o.txt")
        assert (refused.code, said in refused.error[0]) == (2, True)


@pytest.mark.parametrize("body", ["1;2\n", "1;2,5\n", ""])
def test_where_semicolons_stand_a_note_says_how_numbers_are_read_before_the_cost(
    run: Runner, body: str
) -> None:
    Path("a.csv").write_text("id;days\n" + body, encoding="utf-8")
    for words in (
        ("ask", "bracket", "a.csv", "--column", "days", "--edges", "3"),
        ("ask", "yes-no", "a.csv", "--column", "days", "--sum", "--clamp", "0,9", "--at-least", "3"),
    ):
        notes = run(*words, *SURE).err.splitlines()
        assert "decimals have a comma" in notes[-2]
        assert notes[-1] == "note: the answer costs epsilon=60"
    assert "decimals" not in run("ask", "winner", "a.csv", "--column", "days", "--options", "1,2", *SURE).err
    assert "decimals" not in run("ask", "bracket", "people.csv", "--column", "age", "--edges", 3, *SURE).err


def test_notes_about_a_table_come_once_and_before_the_cost(run: Runner) -> None:
    Path("a.jsonl").write_text('{"vote": "A"}\n', encoding="utf-8")
    for words in (("ask", "winner", "a.jsonl", *WINNER, *SURE), ("keys", "a.jsonl", "--column", "vote")):
        privacy = () if words[0] == "ask" else ("--epsilon", "9", "--delta", "0.5")
        notes = run(*words, *privacy).err.splitlines()
        assert "JSON lines have no header" in notes[-2]
        assert "costs epsilon=" in notes[-1]


def test_a_request_is_another_one_in_another_encoding(run: Runner) -> None:
    make_budget(run, 500, "--delta", "0.5")
    Path("latin.csv").write_bytes(TABLE.replace("grün", "green").encode("latin-1"))
    paid = ("--ledger", "l", "--name", "b", "--request-id", "q")
    for asked in (
        ("ask", "winner", "latin.csv", *WINNER, *SURE),
        ("keys", "latin.csv", "--column", "vote", "--epsilon", "9", "--delta", "0.1"),
    ):
        own = (*paid[:-1], asked[0])
        assert run(*asked, *own, "--encoding", "cp1252").code == 0
        assert run(*asked, *own, "--encoding", "windows-1252").code == 0
        for other in ((), ("--encoding", "utf-8"), ("--encoding", "latin-1")):
            refused = run(*asked, *own, *other)
            assert (refused.code, refused.out) == (2, "")
            assert "RDP604" in refused.error[0]
    assert run("ask", "winner", "people.csv", *WINNER, *SURE, *paid, "--encoding", "utf-8").code == 0
    assert run("ask", "winner", "people.csv", *WINNER, *SURE, *paid).code == 0


def test_epsilon_zero_answers_at_random_and_says_what_it_costs(run: Runner) -> None:
    outcome = winner(run, "--epsilon", 0, "--by", "age", "--groups", ",".join(map(str, range(40))))
    assert {line.split(": ")[1] for line in outcome.out.splitlines()} == {"A", "B"}
    assert outcome.err.splitlines()[-1] == "note: the 40 answers cost epsilon 0 together; each has epsilon=0"


def test_what_would_fit_is_said_to_be_for_all_groups(run: Runner) -> None:
    make_budget(run, 1, "--neighbors", "change-one")
    paid = ("--ledger", "l", "--name", "b", "--neighbors", "change-one", "--epsilon", "0.6")
    groups = ("--by", "town", "--groups", "Ulm,Bonn")
    outcome = winner(run, *paid, *groups)
    assert (outcome.code, "asked epsilon 1.2;" in outcome.error[0]) == (3, True)
    assert outcome.error[1].endswith("; that is for the answers of all groups together")
    assert "all groups" not in winner(run, *paid[:-1], "2").error[1]


def test_characters_of_an_option_or_group_that_act_on_a_terminal_are_shown(run: Runner) -> None:
    odd = "red\x1b[2J\x9b\u202eder\u200b!"
    Path("odd.jsonl").write_text(json.dumps({"vote": odd, "town": odd}) + "\n", encoding="utf-8")
    words = ("ask", "winner", "odd.jsonl", "--column", "vote", "--options", f"{odd},Größe\u00a0L", *SURE)
    shown = "red\\x1b[2J\\x9b\\u202eder\\u200b!"
    assert run(*words).out in (f"{shown}\n", "Größe\u00a0L\n")
    groups = run(*words, "--by", "town", "--groups", odd)
    assert groups.out.startswith(f"{shown}: ")
    assert json.loads(run(*words, "--by", "town", "--groups", odd, "--format", "json").out).keys() == {odd}


def test_rows_change_nothing_but_the_answer(run: Runner) -> None:
    said = set()
    for rows in ("vote\nA\n", "vote\n" + "B,1\n" * 50 + 'x"y\n', "vote\n", "vote\n\xff\n\0\n"):
        Path("people.csv").write_bytes(rows.encode("latin-1"))
        done = winner(run, "--epsilon", 1)
        assert done.out in {"A\n", "B\n"}
        said.add((done.code, done.err))
    assert len(said) == 1


def test_keys_are_named_and_json_has_the_exact_texts(run: Runner) -> None:
    odd, shown = "red\x1b[2J\x9b\u202eder\u200b\nblue", "red\\x1b[2J\\x9b\\u202eder\\u200b\\nblue"
    plain = ["Größe\u00a0\u3000L", "日本"]
    lines = [json.dumps({"word": word, "id": at}) + "\n" for word in (odd, *plain) for at in range(60)]
    Path("a.jsonl").write_text("".join(lines), encoding="utf-8")
    words = ("keys", "a.jsonl", "--column", "word", "--delta", "1e-6", "--epsilon")
    text = run(*words, "1")
    assert text.code == 0
    assert {line.strip('"') for line in text.out.removesuffix("\n").split("\n")} == {shown, *plain}
    exact = run(*words, "1", "--format", "json")
    assert json.loads(exact.out) == sorted([odd, *plain])
    assert "\x1b" not in exact.out
    assert len(json.loads(run(*words, "9", "--unit", "id", "--max-keys", "3", "--format", "json").out)) == 3
