# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask``, typed: its options, and what is wrong with them."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from asked_people import HIDDEN, SURE, TABLE, WINNER, make_budget, winner
from command_line import PROGRAM, Outcome, Runner

SHARE = ("--column", "vote", "--equals", "A", "--share", "1/2")


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return Runner(capsys)


ANSWERED: list[tuple[str, list[object]]] = [
    ("A", ["winner", *WINNER]),
    ("A", ["winner", *WINNER, "--neighbors", "change-one"]),
    ("B", ["winner", *WINNER, "--where", "town=Bonn"]),
    ("A", ["winner", *WINNER, "--where", 'town="x, ""y"""']),
    ("A", ["winner", *WINNER, "--where", "town=Ulm", "--where", "grün=x"]),
    ("A", ["winner", *WINNER, "--where", "town=Ulm,grün=x"]),
    ("other", ["winner", "--column", "vote", "--options", "D,E", "--other", "other"]),
    ("B", ["winner", "--column", "vote", "--options", "B,C", "--where", "town=Bonn", "--nulls", "B"]),
    ("A", ["winner", *WINNER, "--nulls", "ignore"]),
    ("A", ["winner", *WINNER, "--goal", "guarantee"]),
    ("ü", ["winner", "--column", "grün", "--options", "ü,z"]),
    ('"x, ""y"""', ["winner", "--column", "town", "--options", '"x, ""y""",z']),
    ("A>B>C", ["ranking", "--column", "vote", "--options", "A,C,B", "--neighbors", "change-one"]),
    ("yes", ["yes-no", "--column", "vote", "--equals", "A", "--share", "1/2"]),
    ("no", ["yes-no", "--column", "vote", "--equals", "A", "--at-least", "99"]),
    ("yes", ["yes-no", "--column", "age", "--sum", "--clamp", "0,50", "--at-least", "100"]),
    ("no", ["yes-no", "--column", "age", "--sum", "--clamp", "-1,1", "--at-least", "20"]),
    ("high", ["level", "--column", "vote", "--equals", "A", "--edges", "1,4", "--labels", "none,low,high"]),
    ('">=1/2"', ["level", "--column", "vote", "--equals", "A", "--share", "--edges", "1/4,1/2"]),
    ("100..<900", ["level", "--column", "age", "--sum", "--clamp", "0,50", "--edges", "100,900"]),
    ("20..<65", ["bracket", "--column", "age", "--edges", "20,65"]),
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
    piped = subprocess.run(
        [*PROGRAM, "ask", "winner", "-", *map(str, (*WINNER, *SURE))],
        input=TABLE,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (piped.returncode, piped.stdout) == (0, "A\n")

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
    for wrong, said in (('A\n""\n', "names an empty option"), ('A\n"A"\n', "names 'A' twice")):
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


WRONG: list[tuple[int, str, str, list[object]]] = [
    (2, "no column 'vot'", "did you mean 'vote'?", ["winner", "--column", "vot", "--options", "A,B", *SURE]),
    (2, "no column 'twn'", "did you mean 'town'?", ["winner", *WINNER, *SURE, "--where", "twn=Ulm"]),
    (2, "no column 'persn'", "'person'", ["winner", *WINNER, *SURE, "--unit", "persn", "--max-rows", 2]),
    (2, "no column 'twn'", "'town'", ["winner", *WINNER, *SURE, "--by", "twn", "--groups", "Ulm"]),
    (2, "no option --option", "did you mean '--options'?", ["winner", "--column", "vote", "--option", "A,B"]),
    (2, "no command 'winer'", "did you mean 'winner'?", ["winer"]),
    (2, "no privacy is given", "--epsilon", ["winner", *WINNER]),
    (2, "'inf' is not an exact number", "", ["winner", *WINNER, "--epsilon", "inf"]),
    (2, "negative", "", ["winner", *WINNER, "--epsilon", "-1"]),
    (2, "--delta is given without --epsilon", "", ["winner", *WINNER, "--delta", "1e-6"]),
    (2, "do not belong together", "", ["winner", *WINNER, "--mu", 1, "--epsilon", 1]),
    (2, "neither --options nor --options-file is given", "--options", ["winner", "--column", "vote", *SURE]),
    (2, "--options: there are 1 options", "", ["winner", "--column", "vote", "--options", "A", *SURE]),
    (2, "--options names 'A' twice", "", ["winner", "--column", "vote", "--options", "A, A", *SURE]),
    (2, "which is no option", "", ["winner", *WINNER, *SURE, "--nulls", "C"]),
    (2, "--unit is given without --max-rows", "", ["winner", *WINNER, *SURE, "--unit", "person"]),
    (2, "--max-rows is given without --unit", "", ["winner", *WINNER, *SURE, "--max-rows", 3]),
    (2, "'0'", "", ["winner", *WINNER, *SURE, "--unit", "person", "--max-rows", 0]),
    (2, "--by is given without --groups", "declared", ["winner", *WINNER, *SURE, "--by", "town"]),
    (2, "--groups is given without --by", "declared", ["winner", *WINNER, *SURE, "--groups", "Ulm"]),
    (2, "--groups names 'Ulm' twice", "", ["winner", *WINNER, *SURE, "--by", "town", "--groups", "Ulm,Ulm"]),
    (
        2,
        "names the column 'town' twice",
        "",
        ["winner", *WINNER, *SURE, "--where", "town=a", "--where", "town=b"],
    ),
    (2, "gives no value", "", ["winner", *WINNER, *SURE, "--where", 'town=""']),
    (
        2,
        "--neighbors cannot be 'changeone'",
        "change-one",
        ["winner", *WINNER, *SURE, "--neighbors", "changeone"],
    ),
    (2, "--goal cannot be 'typicl'", "typical", ["winner", *WINNER, *SURE, "--goal", "typicl"]),
    (2, "--format cannot be 'yaml'", "", ["winner", *WINNER, *SURE, "--format", "yaml"]),
    (2, "SQL", "", ["winner", *WINNER, *SURE, "--table", "people"]),
    (2, "no character encoding", "latin-1", ["winner", *WINNER, *SURE, "--encoding", "latin-x"]),
    (2, "--epsilon is given twice", "", ["winner", *WINNER, *SURE, "--epsilon", 1]),
    (2, "--name is given without --ledger", "", ["winner", *WINNER, *SURE, "--name", "b"]),
    (2, "--request-id is given without --ledger", "", ["winner", *WINNER, *SURE, "--request-id", "q"]),
    (2, "--ledger is given without --name", "", ["winner", *WINNER, *SURE, "--ledger", "l"]),
    (4, "does not exist", "budget create", ["winner", *WINNER, *SURE, "--ledger", "l", "--name", "b"]),
    (4, "no directory", "", ["winner", *WINNER, *SURE, "--receipt", "no/r.json"]),
    (2, "would replace 'people.csv'", "", ["winner", *WINNER, *SURE, "--receipt", "./people.csv"]),
    (
        2,
        "6 options have too many orders",
        "typical",
        ["ranking", "--column", "vote", "--options", "A,B,C,D,E,F", *SURE, "--goal", "guarantee"],
    ),
    (2, "both --top and --top-set", "one", ["ranking", *WINNER, *SURE, "--top", "1", "--top-set", "1"]),
    (2, "--top '0' is not a whole number", "3", ["ranking", *WINNER, *SURE, "--top", "0"]),
    (
        2,
        "--false-yes",
        "",
        ["yes-no", "--column", "vote", "--equals", "A", "--share", "1/2", *SURE, "--false-yes", "2"],
    ),
    (
        2,
        "neither --at-least nor --share",
        "--share",
        ["yes-no", "--column", "vote", "--equals", "A", *SURE],
    ),
    (2, "--sum is given without --clamp", "", ["yes-no", "--column", "age", "--sum", "--at-least", 3, *SURE]),
    (
        2,
        "a count cannot cross 0",
        "",
        ["yes-no", "--column", "vote", "--equals", "A", "--at-least", 0, *SURE],
    ),
    (2, "does not lie above", "", ["bracket", "--column", "age", "--edges", "9,3", *SURE]),
    (
        2,
        "--labels: there are 1 labels",
        "",
        ["bracket", "--column", "age", "--edges", "9", "--labels", "x", *SURE],
    ),
    (4, "cannot read 'nix'", "", ["ranking", "--column", "vote", "--options-file", "nix", *SURE]),
    (
        4,
        "there can be no file of this name",
        "",
        ["winner", "--column", "vote", "--options-file", "a\0b", *SURE],
    ),
]


@pytest.mark.parametrize(("code", "what", "way_on", "words"), WRONG, ids=lambda value: str(value)[:70])
def test_what_is_wrong_is_said_in_one_line_with_a_way_on(
    run: Runner, code: int, what: str, way_on: str, words: list[object]
) -> None:
    kind, *options = words
    outcome = run("ask", kind, "people.csv", *options)
    error, help_line = outcome.error
    assert outcome.code == code
    assert what in error
    assert way_on in help_line
    assert Path("people.csv").read_text(encoding="utf-8") == TABLE


def test_names_that_are_too_long_or_empty_are_said_to_be_so(run: Runner) -> None:
    assert "File name too long" in run("verify", "x" * 300).error[0]
    listed = ("people.csv", "--column", "vote", *SURE, "--options-file")
    assert "--options-file '' is empty" in run("ask", "winner", *listed, "").error[0]
    # It has no end.
    assert "more than 64 MiB" in run("ask", "winner", *listed, "/dev/zero").error[0]


def test_a_query_of_other_bytes_than_utf_8_is_refused(run: Runner) -> None:
    query = ("--sql", "select 'M\udcfcller' as vote")
    for kind in ("sqlite", "duckdb"):
        assert "--sql" in run("ask", "winner", f"{kind}:///e.db", *WINNER, *SURE, *query).error[0]
    keys = run("keys", "sqlite:///e.db", "--column", "vote", *SURE, "--delta", "1e-6", *query)
    assert "is not text" in keys.error[0]


@pytest.mark.parametrize("place", ["nix.csv", ".", "nix*.csv", "people.xlsx", "mysql://x/y"])
def test_a_source_that_is_none_is_refused(run: Runner, place: str) -> None:
    Path("people.xlsx").write_bytes(b"PK\3\4")
    assert run("ask", "winner", place, *WINNER, *SURE).error
    assert run("ask", "winner", place, *WINNER, *SURE).code in {2, 4}


def test_epsilon_zero_answers_at_random_and_says_what_it_costs(run: Runner) -> None:
    outcomes = [winner(run, "--epsilon", 0) for _ in range(40)]
    assert {outcome.out for outcome in outcomes} == {"A\n", "B\n"}
    assert {outcome.err.splitlines()[-1] for outcome in outcomes} == {"note: the answer costs epsilon=0"}


def test_what_would_fit_is_said_to_be_for_all_groups(run: Runner) -> None:
    make_budget(run, 1)
    paid = ("--ledger", "l", "--name", "b", "--neighbors", "change-one", "--epsilon", "0.6")
    groups = ("--by", "town", "--groups", "Ulm,Bonn")
    outcome = winner(run, *paid, *groups)
    assert (outcome.code, "asked epsilon 1.2;" in outcome.error[0]) == (3, True)
    assert outcome.error[1].endswith("; that is for the answers of all groups together")
    assert "all groups" not in winner(run, *paid[:-1], "2").error[1]


def test_too_little_memory_for_a_database_is_told_as_that(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    def refuse(*_: object, **__: object) -> None:
        raise duckdb.OutOfMemoryException("canary")

    monkeypatch.setattr(duckdb, "connect", refuse)
    outcome = winner(run, *SURE)
    assert outcome.error[0] == "error[RDP999]: the memory is used up"
    assert outcome.code == 70


def test_standard_input_under_its_other_names_is_called_by_its_sign(run: Runner) -> None:
    os.mkfifo("pipe.csv")
    assert "write - and send the table" in run("ask", "winner", "pipe.csv", *WINNER, *SURE).error[1]
    assert "such as spreadsheets, as CSV" in _of_spreadsheet(run).error[1]


def _of_spreadsheet(run: Runner) -> Outcome:
    Path("people.xlsx").write_bytes(b"PK\3\4")
    return run("ask", "winner", "people.xlsx", *WINNER, *SURE)


def test_signs_of_an_option_or_group_that_act_on_a_terminal_are_shown(run: Runner) -> None:
    odd = "red\x1b[2J\x9b\u202eder\u200b"
    Path("odd.jsonl").write_text(json.dumps({"vote": odd, "town": odd}) + "\n", encoding="utf-8")
    words = ("ask", "winner", "odd.jsonl", "--column", "vote", "--options", f"{odd},Größe\u00a0L", *SURE)
    shown = "red\\x1b[2J\\x9b\\u202eder\\u200b"
    assert run(*words).out in (f"{shown}\n", "Größe\u00a0L\n")
    groups = run(*words, "--by", "town", "--groups", odd)
    assert groups.out.startswith(f"{shown}: ")
    assert json.loads(run(*words, "--by", "town", "--groups", odd, "--format", "json").out).keys() == {odd}
