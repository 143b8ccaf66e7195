# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp ask`` and ``rainbowdp verify RECEIPT``, typed: options, errors, ledgers, sudden deaths."""

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

import rainbowdp
from command_line import PROGRAM, Outcome, Runner, process
from rainbowdp.errors import LedgerError
from rainbowdp.ledger import Ledger, open_ledger

TABLE = (
    "vote,age,town,person,grün\n"
    "A,30,Ulm,1,x\n"
    'A,31,"x, ""y""",2,x\n'
    "A,32,Ulm,3,x\n"
    "A,33,Ulm,4,x\n"
    "A ,34,Ulm,5,x\n"
    " A,35,Ulm,6,x\n"
    "A,36,Ulm,7,x\n"
    "B,70,Bonn,8,ü\n"
    "B,71,Bonn,9,ü\n"
    ",12,Bonn,10,ü\n"
    ",13,Bonn,10,ü\n"
    "C,14,Bonn,10,ü\n"
)
SURE = ("--epsilon", 60)
WINNER = ("--column", "vote", "--options", "A,B")
HIDDEN = "note: privacy hides that one person joins or leaves; every row is a person"


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    return Runner(capsys)


def winner(run: Runner, *words: object) -> Outcome:
    """Ask who has the most votes."""
    return run("ask", "winner", "people.csv", *WINNER, *words)


def make_budget(run: Runner, epsilon: object = 100, *more: object) -> None:
    assert run("budget", "create", "b", "--ledger", "l", "--epsilon", epsilon, *more).code == 0


def spent() -> str:
    with open_ledger("l") as ledger:
        return str(ledger.state("b").spent)


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
    ("A", ["winner", *WINNER, "--boundary", "randomized-response"]),
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
    import sqlite3

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


def test_a_receipt_tells_which_rows_it_is_about(run: Runner) -> None:
    wanted = ("--where", "town=Bonn", "--where", "age=70", "--receipt", "r.json")
    assert winner(run, *SURE, *wanted).code == 0
    assert "only where 'age' is '70', 'town' is 'Bonn'" in run("verify", "r.json").out
    assert json.loads(run("verify", "r.json", "--format", "json").out)["where"] == {
        "age": "70",
        "town": "Bonn",
    }
    named = ("keys", "people.csv", "--column", "vote", "--epsilon", "1", "--delta", "0.1", *wanted)
    assert run(*named, "--unit", "person", "--max-keys", "2").code == 0
    told = run("verify", "r.json").out
    assert "only where 'age' is '70', 'town' is 'Bonn'" in told
    assert "add-remove; 'person' says whose row it is, at most 2 categories of one person" in told
    found = json.loads(run("verify", "r.json", "--format", "json").out)
    assert found["unit"] == {"column": "person", "max_keys": 2}
    assert winner(run, *SURE, "--receipt", "r.json").code == 0
    assert "only where" not in run("verify", "r.json").out


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
    (2, "no options are given", "--options", ["winner", "--column", "vote", *SURE]),
    (2, "--options names one option", "", ["winner", "--column", "vote", "--options", "A", *SURE]),
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
    (2, "--boundary cannot be 'unifrm'", "uniform", ["winner", *WINNER, *SURE, "--boundary", "unifrm"]),
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
        "beyond",
        "randomized-response",
        ["ranking", "--column", "vote", "--options", "A,B,C,D,E", *SURE, "--boundary", "max-min"],
    ),
    (2, "no line is given", "--share", ["yes-no", "--column", "vote", "--equals", "A", *SURE]),
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
        "--labels names 1 answer, and there are 2: one more than edges",
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


def test_a_receipt_is_no_link_to_the_ledger_and_never_replaces_it(run: Runner) -> None:
    make_budget(run)
    Path("link").symlink_to("l")
    before = Path("l").read_bytes()
    paid = ("--ledger", "l", "--name", "b")
    for receipt in ("l", "link"):
        outcome = winner(run, *SURE, *paid, "--receipt", receipt)
        assert "would replace 'l'" in outcome.error[0]
    for mark in ("journal", "wal", "shm"):
        assert "would replace 'l'" in winner(run, *SURE, *paid, "--receipt", f"./l-{mark}").error[0]
    Path("o.txt").write_text("A\nB\n", encoding="utf-8")
    from_file = ("people.csv", "--column", "vote", "--options-file", "o.txt", *SURE)
    assert "would replace 'o.txt'" in run("ask", "winner", *from_file, "--receipt", "./o.txt").error[0]
    assert Path("o.txt").read_text(encoding="utf-8") == "A\nB\n"
    shutil.copy("people.csv", "part-1.csv")
    outcome = run("ask", "winner", "part-*.csv", *WINNER, *SURE, "--receipt", "part-1.csv")
    assert "would replace" in outcome.error[0]
    assert Path("l").read_bytes() == before


def test_a_receipt_replaces_nothing_but_a_receipt(run: Runner) -> None:
    Path("other.csv").write_text(TABLE, encoding="utf-8")
    query = ("people.csv", *WINNER, *SURE)
    for name in ("other.csv", "./other.csv"):
        outcome = run("ask", "winner", *query, "--receipt", name)
        assert f"--receipt would replace {name!r}, which is no receipt" in outcome.error[0]
    assert Path("other.csv").read_text(encoding="utf-8") == TABLE
    keys = ("keys", "people.csv", "--column", "vote", *SURE, "--delta", "1e-6", "--receipt")
    assert "which is no receipt" in run(*keys, "other.csv").error[0]
    Path("r.json").touch()
    for _ in range(2):
        assert winner(run, *SURE, "--receipt", "r.json").code == 0
        assert run("verify", "r.json").code == 0
        assert run(*keys, "r.json").code == 0
    written = Path("r.json").read_text(encoding="utf-8")
    # Receipts are written whole: several in one file, or one with something else, are somebody's collection.
    for text in (
        written + written,
        written[:-9],
        written.replace("rainbowdp.keys-receipt/", "rainbowdp.own/"),
    ):
        assert text != written
        Path("r.json").write_text(text, encoding="utf-8")
        assert "which is no receipt" in winner(run, *SURE, "--receipt", "r.json").error[0]
        assert Path("r.json").read_text(encoding="utf-8") == text


def duckdb_file() -> None:
    import duckdb

    duckdb.connect("e.duckdb").execute("create table people (vote varchar)").close()


def test_a_receipt_never_replaces_a_database_however_it_is_called(run: Runner) -> None:
    with contextlib.closing(sqlite3.connect("d.db")) as database:
        database.execute("create table people (vote)")
    duckdb_file()
    before = Path("d.db").read_bytes(), Path("e.duckdb").read_bytes()
    sources = {
        "d.db": ("sqlite:///d.db", "sqlite:///d.db?mode=ro", "SQLite:///./d.db", "sqlite:///d%2Edb"),
        "e.duckdb": (
            "duckdb:///e.duckdb",
            "duckdb:///e.duckdb?access_mode=read_only",
            "DUCKDB:///e%2Educkdb",
        ),
    }
    for file, urls in sources.items():
        for url in (*urls, urls[0].replace("///", f"///{Path.cwd()}/")):
            for receipt in (file, f"./{file}-journal", f"{file}.wal"):
                outcome = run("ask", "winner", url, *WINNER, *SURE, "--receipt", receipt)
                assert f"--receipt would replace '{url}'" in outcome.error[0]
    assert (Path("d.db").read_bytes(), Path("e.duckdb").read_bytes()) == before
    make_budget(run)
    Path("other").mkdir()
    Path("other/link").symlink_to(Path("l").absolute())
    paid = ("--ledger", "other/link", "--name", "b")
    assert "would replace" in winner(run, *SURE, *paid, "--receipt", "l-journal").error[0]


@pytest.mark.parametrize("source", ["people.csv", "peop*.csv", "./people.csv"])
def test_the_table_is_no_list_of_its_options(run: Runner, source: str) -> None:
    Path("hard.txt").hardlink_to("people.csv")
    for options in ("people.csv", str(Path("people.csv").absolute()), "hard.txt"):
        outcome = run("ask", "winner", source, "--column", "vote", "--options-file", options, *SURE)
        assert "--options-file names the table itself" in outcome.error[0]
        assert "Ulm" not in outcome.err


@pytest.mark.parametrize("options", ["people.csv", "/dev/stdin"])
def test_standard_input_is_no_list_of_its_options_either(run: Runner, options: str) -> None:
    command = [
        *PROGRAM,
        "ask",
        "winner",
        "-",
        "--column",
        "vote",
        "--options-file",
        options,
        "--epsilon",
        "1",
    ]
    with Path("people.csv").open("rb") as table:
        done = subprocess.run(command, stdin=table, check=False, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--options-file names the table itself" in done.stderr
    assert "Ulm" not in done.stderr
    del run


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


def test_a_receipt_is_read_as_utf_8_and_in_no_encoding_that_is_guessed(run: Runner) -> None:
    assert winner(run, *SURE, "--receipt", "r.json").code == 0
    text = Path("r.json").read_text(encoding="utf-8")
    for encoding, code in (("utf-8", 0), ("utf-8-sig", 0), ("utf-16-le", 2), ("utf-16", 2), ("utf-32-be", 2)):
        Path("r.json").write_bytes(text.encode(encoding))
        found = run("verify", "r.json")
        assert (found.code != 0) == (code != 0), (encoding, found)


def test_a_file_of_options_may_be_long_and_has_ordinary_lines(run: Runner) -> None:
    names = [f"option {at}" for at in range(100_000)]
    Path("many.txt").write_text("\r\n".join(names), encoding="utf-8")
    many = ("people.csv", "--column", "vote", *SURE, "--options-file", "many.txt")
    assert run("ask", "winner", *many, "--other", "A").out == "A\n"
    Path("many.txt").write_text("\n".join([*names, names[-1]]), encoding="utf-8")
    assert "names 'option 99999' twice" in run("ask", "winner", *many).error[0]
    # Only what ends the lines of a table ends a name.
    Path("signs.txt").write_text("A\rB\u2028B\x0b\x0c\x85", encoding="utf-8")
    signs = ("people.csv", "--column", "vote", *SURE, "--options-file", "signs.txt", "--receipt", "r.json")
    assert run("ask", "winner", *signs).out == "A\n"
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["question"]["options"] == ["A", "B\u2028B"]


def test_a_repeated_request_costs_nothing_and_anything_else_is_refused(run: Runner) -> None:
    make_budget(run, 3)
    paid = ("--ledger", "l", "--name", "b", "--request-id", "q 1", "--epsilon", "1/100")
    first = winner(run, *paid)
    assert first.code == 0
    for _ in range(12):
        assert winner(run, *paid).out == first.out
    assert spent() == "epsilon 0.01"
    shutil.copy("people.csv", "other.csv")
    for words in (
        ("winner", "other.csv", *WINNER, *paid),
        ("winner", "people.csv", "--column", "vote", "--options", "B,A", *paid),
        ("winner", "people.csv", *WINNER, *paid, "--where", "town=Ulm"),
        ("winner", "people.csv", *WINNER, *paid, "--neighbors", "change-one"),
        ("winner", "people.csv", *WINNER, *paid, "--unit", "person", "--max-rows", 1),
        ("winner", "people.csv", *WINNER, *paid, "--by", "town", "--groups", "Ulm,Bonn"),
        ("winner", "people.csv", *WINNER, *paid[:-1], "1/50"),
        ("winner", "people.csv", *WINNER, *paid, "--delta", "1e-9"),
        ("ranking", "people.csv", *WINNER, *paid),
    ):
        outcome = run("ask", *words)
        assert (outcome.code, outcome.error[0][:14]) == (2, "error[RDP604]:"), words
    assert spent() == "epsilon 0.01"


def test_what_would_overspend_is_refused_with_spent_asked_and_left(run: Runner) -> None:
    make_budget(run, 1)
    paid = ("--ledger", "l", "--name", "b")
    first = winner(run, *paid, "--epsilon", "ln 2")
    assert "request id" in first.err
    outcome = winner(run, *paid, "--epsilon", "0.31", "--receipt", "r.json")
    error, way_on = outcome.error
    assert outcome.code == 3
    assert "spent epsilon ln(2) (0.693148); asked epsilon 0.31; left epsilon 1 - ln(2) (0.306852)" in error
    assert "0.306852" in way_on
    assert not Path("r.json").exists()
    # Two groups of a changed person cost twice: 0.2 is too much, and 0.1 is not.
    towns = ("--by", "town", "--groups", "Ulm,Bonn", "--neighbors", "change-one")
    assert winner(run, *paid, *towns, "--epsilon", "0.2").code == 3
    assert winner(run, *paid, *towns, "--epsilon", "0.1").code == 0
    assert spent() == "epsilon 0.2 + ln(2)"


def test_a_budget_that_is_not_there_is_known_before_the_table_is_read(run: Runner) -> None:
    make_budget(run)
    Path("bad.parquet").write_bytes(b"PAR1 nothing PAR1")
    outcome = winner(run, *SURE, "--ledger", "l", "--name", "bb")
    assert (outcome.code, outcome.error[0][:14]) == (2, "error[RDP602]:")
    assert run("ask", "winner", "bad.parquet", *WINNER, *SURE, "--ledger", "l", "--name", "b").code == 4
    assert spent() == "epsilon 0"


def test_one_source_under_two_names_is_said(run: Runner) -> None:
    make_budget(run)
    assert run("budget", "create", "c", "--ledger", "l", "--epsilon", 100).code == 0
    for name, said in (("b", False), ("c", True), ("b", True)):
        outcome = winner(run, "--epsilon", 1, "--ledger", "l", "--name", name)
        assert ("charged to other budgets" in outcome.err) is said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_answer_that_cannot_be_shown_can_be_had_again(run: Runner) -> None:
    make_budget(run)
    words = ["ask", "winner", "people.csv", *WINNER, *SURE, "--ledger", "l", "--name", "b"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *map(str, words), "--request-id", "q 1"],
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == 4
    assert "--request-id 'q 1' repeats the answer at no cost" in done.stderr
    assert run(*words, "--request-id", "q 1").out == "A\n"
    assert spent() == "epsilon 60"


def test_a_receipt_that_cannot_be_written_after_the_charge_can_be_had_again(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_budget(run)
    words = ["ask", "winner", "people.csv", *WINNER, *SURE, "--ledger", "l", "--name", "b"]
    words += ["--receipt", "r.json"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _no_space)
        # The ledger is a database and does not need this function.
        outcome = run(*words)
    assert (outcome.code, outcome.out) == (4, "")
    assert "No space left" in outcome.err
    request = outcome.err.split("note: request id ")[1].split(":")[0]
    assert f"--request-id {request} repeats the answer at no cost" in outcome.err
    assert spent() == "epsilon 60"
    assert list(Path().glob(".*")) == []
    assert run(*words, "--request-id", request).out == "A\n"
    assert spent() == "epsilon 60"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _no_space)
        outcome = winner(run, *SURE, "--receipt", "r.json")
    assert "the answer was drawn and is lost: asking again costs its privacy again" in outcome.error[1]


def test_signs_that_stdout_lacks_are_refused_before_anything_is_drawn_or_shown(run: Runner) -> None:
    make_budget(run)
    Path("signs.csv").write_text("v\n" + "ü\nu\n" * 50 + "k\n" * 50, encoding="utf-8")
    narrow = {**os.environ, "PYTHONIOENCODING": "ascii"}
    budget = ["--ledger", "l", "--name", "b"]
    # Which answer is drawn must not decide whether there is an error.
    asked = ["ask", "winner", "signs.csv", "--column", "v", "--options", "u,ü", "--epsilon", "1", *budget]
    named = ["keys", "signs.csv", "--column", "v", "--epsilon", "5", "--delta", "0.1"]
    for words in (asked, named):
        done = subprocess.run(
            [*PROGRAM, *words], capture_output=True, encoding="utf-8", check=False, env=narrow
        )
        assert (done.returncode, done.stdout) == (4, "")
        assert r"no sign for '\xfc'" in done.stderr
    assert spent() == "epsilon 0"


def _no_space(_: int) -> None:
    raise OSError(28, "No space left on device")


def test_a_ledger_that_cannot_be_written_gives_no_answer(run: Runner) -> None:
    make_budget(run)
    words = ["ask", "winner", "people.csv", *WINNER, *SURE, "--ledger", "l", "--name", "b"]
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *PROGRAM, *map(str, words)]
    before = Path("l").read_bytes()
    done = subprocess.run(limited, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode != 0
    assert done.stdout == ""
    assert Path("l").read_bytes() == before
    damaged = bytearray(before)
    damaged[100:200] = b"\0" * 100
    Path("l").write_bytes(bytes(damaged))
    outcome = run(*words)
    assert (outcome.code, outcome.out) == (4, "")


def test_a_repeated_request_is_answered_by_the_ledger_and_reads_no_row(run: Runner) -> None:
    make_budget(run, 200)
    words = ("--ledger", "l", "--name", "b", "--request-id", "q")
    assert winner(run, *SURE, *words).out == "A\n"
    # Whoever read this table, even its header, could not answer.
    Path("people.csv").write_text("nothing\n1\n", encoding="utf-8")
    again = winner(run, *SURE, *words, "--receipt", "r.json")
    assert (again.code, again.out) == (0, "A\n")
    assert "request 'q' was answered before: nothing was read, and nothing charged" in again.err
    assert run("verify", "r.json").code == 0
    assert winner(run, "--epsilon", 1, *words).code == 2
    assert winner(run, *SURE, *words[:-1], "r").code == 2
    keys = ("keys", "people.csv", "--column", "nothing", "--epsilon", 1, "--delta", "1e-6")
    assert run(*keys, *words).code == 2
    assert spent() == "epsilon 60"


def test_an_answer_about_data_without_a_name_is_told_to_be_about_what_was_given_first(run: Runner) -> None:
    make_budget(run, 200)
    question = rainbowdp.winner("vote", ["A", "B"])
    paid: dict[str, Any] = {"epsilon": 60, "ledger": "l", "name": "b", "request_id": "q"}
    frames = [pd.DataFrame({"vote": [vote] * 9}) for vote in "AB"]
    first, again = (rainbowdp.ask(frame, question, **paid) for frame in frames)
    assert (first.answer, again.answer, first.notes) == ("A", "A", ())
    assert "the answer is about the data given then, which have no name" in again.notes[0]
    assert spent() == "epsilon 60"
    # A file has a name, and another one is refused.
    assert winner(run, *SURE, "--ledger", "l", "--name", "b", "--request-id", "q").code == 2


def test_what_was_charged_and_not_stored_can_be_had_by_an_id_that_is_told(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_budget(run, 200)
    words = ("--ledger", "l", "--name", "b")

    def fail(*_: object) -> str:
        raise LedgerError("the disk is full", help="free some space")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "store", fail)
        failed = winner(run, *SURE, *words)
    assert (failed.code, spent()) == (4, "epsilon 60")
    with open_ledger("l") as ledger:
        request = ledger.history("b")[-1].request_id
    assert failed.error[1] == (
        f"help: free some space; request id {request!r} asks for the same again and is charged once at most"
    )
    assert winner(run, *SURE, *words, "--request-id", request).out == "A\n"
    assert spent() == "epsilon 60"


def test_what_a_budget_does_not_cover_is_refused_before_a_row_is_read(run: Runner) -> None:
    make_budget(run, 1)
    Path("people.csv").write_text("nothing\n1\n", encoding="utf-8")
    outcome = winner(run, "--epsilon", 2, "--ledger", "l", "--name", "b")
    assert (outcome.code, outcome.out) == (3, "")
    assert "spent epsilon 0; asked epsilon 2; left epsilon 1" in outcome.error[0]
    outcome = run(
        *("keys", "people.csv", "--column", "vote", "--epsilon", 1, "--delta", "1e-6"),
        *("--ledger", "l", "--name", "b"),
    )
    assert (outcome.code, outcome.out) == (3, "")


def test_two_at_once_under_one_request_id_are_charged_once_and_agree(run: Runner) -> None:
    make_budget(run)
    # Next to a boundary, at an epsilon that says little: two draws would often differ.
    words = ["ask", "winner", "people.csv", "--column", "vote", "--options", "A,B,C,D,E,F"]
    words += ["--epsilon", "1/100", "--ledger", "l", "--name", "b", "--request-id", "q"]
    started = [
        subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(4)
    ]
    answers = {one.communicate()[0] for one in started}
    assert [one.returncode for one in started] == [0] * 4
    assert len(answers) == 1
    assert spent() == "epsilon 0.01"


def test_whenever_a_process_is_killed_no_answer_leaves_that_is_not_in_the_ledger(run: Runner) -> None:
    make_budget(run)
    words = ["ask", "winner", "people.csv", *WINNER, "--epsilon", "1", "--ledger", "l", "--name", "b"]
    begun = time.monotonic()
    assert process(*words, "--request-id", "calm").returncode == 0
    whole = time.monotonic() - begun
    moments = random.Random(5)
    killed = 0
    for at in range(10):
        request = f"q{at}"
        child = subprocess.Popen(
            [*PROGRAM, *words, "--request-id", request],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        # Most of the time goes into starting; the end is where it matters.
        time.sleep(whole * moments.triangular(0.1, 1.1, 0.9))
        child.send_signal(signal.SIGKILL)
        out = child.communicate()[0]
        killed += child.returncode == -signal.SIGKILL
        with open_ledger("l") as ledger:
            entries = [entry for entry in ledger.history("b") if entry.request_id == request]
        events = [entry.event for entry in entries]
        assert events in ([], ["charge"], ["charge", "answer"])
        if out:
            assert json.loads(entries[1].answer or "")[""] == out.strip()
        again = run(*words, "--request-id", request)
        assert again.code == 0
        if out:
            assert again.out == out
        with open_ledger("l") as ledger:
            assert ledger.state("b").requests == at + 2
    assert killed > 0


@pytest.fixture
def receipt(run: Runner) -> dict[str, Any]:
    assert winner(run, "--epsilon", 1, "--receipt", "r.json").code == 0
    read: dict[str, Any] = json.loads(Path("r.json").read_text(encoding="utf-8"))
    return read


def test_a_receipt_is_verified_from_itself(run: Runner, receipt: dict[str, Any]) -> None:
    schema = Path(rainbowdp.__file__).parent / "release" / "receipt.schema.json"
    jsonschema.validate(receipt, json.loads(schema.read_text(encoding="utf-8")))
    outcome: Outcome = run("verify", "r.json")
    assert outcome.code == 0
    assert outcome.out.startswith("holds")
    row = receipt["table"]["regions"][0]["probabilities"][3]
    row[:] = [row[0] - 1e-9, row[1] + 1e-9]
    Path("r.json").write_text(json.dumps(receipt), encoding="utf-8")
    outcome = run("verify", "r.json")
    assert outcome.code == 1
    assert "the table of 'A' and of others like it is wrong at distance 3" in outcome.out
    assert run("verify", "r.json", "--epsilon", 1).code == 2


def test_a_receipt_of_groups_says_what_they_cost_together(run: Runner) -> None:
    groups = ("--by", "town", "--groups", "Ulm,Bonn,Rom", "--unit", "person", "--max-rows", 2)
    assert winner(run, *SURE, *groups, "--neighbors", "change-one", "--receipt", "r.json").code == 0
    outcome = run("verify", "r.json")
    assert outcome.code == 0
    assert "all 3 groups         epsilon=180\n" in outcome.out
    found = json.loads(run("verify", "r.json", "--format", "json").out)
    assert (found["charges"], found["total"]) == (3, {"epsilon": "180"})


def test_a_receipt_is_known_by_what_it_says_and_not_by_its_name(run: Runner, receipt: dict[str, Any]) -> None:
    text = json.dumps(receipt)
    for name in ("receipt", "receipt.txt", "r.csv"):
        for written in (text, "\ufeff" + text, f"\n {text}"):
            Path(name).write_text(written, encoding="utf-8")
            assert run("verify", name).code == 0
    twice = text[:-1] + ', "answer": "B"}'
    for damaged in (text[:-1], text[: len(text) // 2], twice, text.replace("null", "nul", 1)):
        Path("receipt.txt").write_text(damaged, encoding="utf-8")
        outcome = run("verify", "receipt.txt")
        assert outcome.code == 4
        assert "'receipt.txt' is a damaged receipt" in outcome.error[0]


def broken(receipt: dict[str, Any]) -> Iterator[str]:
    """Yield texts of files that are no receipts any more."""
    yield json.dumps({**receipt, "schema": "rainbowdp.receipt/9"})
    yield json.dumps({**receipt, "extra": 1})
    yield json.dumps({**receipt, "answer": [["A"]]})
    yield json.dumps({**receipt, "privacy": {"epsilon": "inf"}})
    yield json.dumps({**receipt, "question": {**receipt["question"], "options": ["A"] * 3}})
    tables: list[Any] = [[[1, 0], [1]], [[1, 0], [1, 0, 0]], [[1, 0], [[1], 0]], [[0.7, 0.2]], []]
    for wrong in (float("nan"), float("inf"), 10**400, -1, True, "1"):
        tables += [[[wrong, 1]], [[1, wrong]], [[[wrong], 1]], [[[1, wrong], 0]]]
    right = receipt["table"]["regions"][0]["probabilities"]
    names: list[Any] = [[], ["A"], ["A", "A"], ["A", "C"], ["B", "A"], "AB"]
    regions = [{"answers": ["A", "B"], "probabilities": rows} for rows in tables]
    regions += [{"answers": some, "probabilities": right} for some in names]
    for region in regions:
        yield json.dumps({**receipt, "table": {**receipt["table"], "regions": [region]}})
    yield json.dumps({**receipt, "privacy": {"epsilon": "1.0"}})
    yield json.dumps({**receipt, "where": {"town": " Ulm"}})
    yield json.dumps({**receipt, "unit": {"column": "x", "max_rows": 10**30}})[:-1]
    yield '{"schema": "rainbowdp.receipt/1", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    yield '{"schema": "rainbowdp.receipt/1"}'
    yield ""


def test_a_receipt_of_a_later_form_is_sent_to_a_later_version(run: Runner, receipt: dict[str, Any]) -> None:
    for schema in ("rainbowdp.receipt/2", "rainbowdp.keys-receipt/2"):
        Path("r.json").write_text(json.dumps({**receipt, "schema": schema}), encoding="utf-8")
        what, way_on = run("verify", "r.json").error
        assert repr(schema) in what
        assert way_on == "help: use the version of rainbowdp that wrote it, or a newer one"


def test_what_is_no_receipt_is_one_line_and_no_traceback(run: Runner, receipt: dict[str, Any]) -> None:
    for text in broken(receipt):
        Path("r.json").write_text(text, encoding="utf-8")
        outcome = run("verify", "r.json")
        assert outcome.code in {2, 4}, text[:200]
        assert outcome.error
