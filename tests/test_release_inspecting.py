# SPDX-License-Identifier: Apache-2.0
"""What a custodian sees of a table is what is in it, by independent counts, and is shown to nobody else."""

import json
import re
from collections import Counter
from pathlib import Path

import openpyxl
import pandas as pd
import polars as pl
import pytest

from command_line import Runner
from rainbowdp.formats.frictionless import read_table_description
from rainbowdp.questions import Question, bracket, winner, yes_no
from rainbowdp.release import ask, inspect
from rainbowdp.tables import open_table
from table_backends import (
    HEADLESS,
    PEOPLE,
    Backend,
    csv_file,
    json_lines,
    pandas_objects,
    parquet,
    sqlite,
    typed,
)

TABLE = 'person,vote,age\n1,yes,30\n1,yes,x\n2, no ,"4,5"\n3,NA,\n4,,12\n7,Yes,1\n7.0,yes,12\n,"a\u00a0b",9\n'


@pytest.mark.parametrize(
    "backend", [csv_file, json_lines, parquet, pandas_objects, sqlite], ids=lambda each: each.__name__
)
def test_every_kind_of_source_shows_what_is_in_it(backend: Backend, tmp_path: Path) -> None:
    rows = [row for row in PEOPLE if row[2] is True]
    said = Counter(typed(row[1]).strip() for row in rows)
    persons = Counter(Counter(row[0] for row in rows if row[0] is not None).values())
    with backend(PEOPLE, tmp_path) as (source, options):
        found = inspect(
            source, winner("vote", ["red", "Green"]), unit="person", where={"flag": "true"}, **options
        )
    assert found.cells is not None
    assert found.persons is not None
    assert (found.columns is None) == (backend in HEADLESS)
    assert (found.rows, found.chosen, found.left_out) == (len(PEOPLE), len(rows), {})
    assert found.cells.options == {"red": said["red"], "Green": 0}
    assert (found.cells.empty, found.cells.unreadable) == (said[""], 0)
    others = {text: count for text, count in said.items() if text not in ("red", "")}
    assert found.cells.others == sum(others.values())
    assert found.cells.frequent == tuple(sorted(others.items(), key=lambda item: (-item[1], item[0])))
    assert found.persons.rows == persons
    assert found.persons.nameless == sum(row[0] is None for row in rows)


@pytest.mark.parametrize(
    ("question", "expected", "frequent"),
    [
        ("vote", ({}, None, 7), [("yes", 3), ("NA", 1), ("Yes", 1), ("a\u00a0b", 1), ("no", 1)]),
        (yes_no("vote", equals="Yes", at_least=1), ({"Yes": 1}, 1, 6), [("yes", 3), ("NA", 1)]),
        (winner("vote", ["Yes", "no"], other="else"), ({"Yes": 1, "no": 1, "else": 0}, 2, 5), [("yes", 3)]),
        (bracket("age", edges=[10, 20]), ({}, 5, 2), [("4,5", 1), ("x", 1)]),
        (bracket("vote", ordered=["no", "yes"]), ({"no": 1, "yes": 3}, 4, 3), [("NA", 1), ("Yes", 1)]),
        (yes_no("age", clamp=(0, 1), at_least=1), ({}, 5, 2), [("4,5", 1), ("x", 1)]),
    ],
)
def test_cells_are_counted_as_a_question_reads_them(
    tmp_path: Path, question: Question | str, expected: tuple[object, ...], frequent: list[tuple[str, int]]
) -> None:
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    cells = inspect(tmp_path / "t.csv", question).cells
    assert cells is not None
    assert (cells.options, cells.read, cells.others) == expected
    assert (cells.empty, cells.unreadable) == (1, 0)
    assert list(cells.frequent[: len(frequent)]) == frequent


def test_a_column_without_texts_has_cells_that_cannot_be_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"tags": [["a"], [], None], "id": [1, 2, 3]})
    (tmp_path / "t.csv").write_bytes(b'"id","vote"\n1,' + b"x" * 9000 + b"\n2,red\n")
    for source, column, expected in ((frame, "tags", (0, 1, 2)), (tmp_path / "t.csv", "vote", (1, 0, 1))):
        cells = inspect(source, column).cells
        assert cells is not None
        assert (cells.others, cells.empty, cells.unreadable) == expected


def test_parts_of_cells_that_no_option_says_are_shown() -> None:
    frame = pd.DataFrame({"vote": ["red; bleu", "bleu;blue", "red;red", "green", None]})
    cells = inspect(frame, winner("vote", ["red", "blue"], approval=";")).cells
    assert cells is not None
    assert (cells.options, cells.others, cells.empty) == ({"red": 2, "blue": 1}, 1, 1)
    assert cells.frequent == (("bleu", 2), ("green", 1))


QUOTES = "has a quote that is never closed, or text after a closing quote, or is too long"
NO_TEXT = "holds NUL, or is not text in its encoding"
SHORT = "has 1 cell, and the header has 2"
LONG = "has 3 cells, and the header has 2"
COMMENTED = {"delimiter": ";", "quoteChar": "'", "headerRows": [2], "commentChar": "#"}
LEFT_OUT: list[tuple[str, bytes, int, dict[str, int]]] = [
    ("plain.csv", b"id,vote\n1,a\n2\n\n3\n4,a,b\n5,c", 2, {SHORT: 2, LONG: 1}),
    (
        "quotes.csv",
        b'id,vote\n1,"a\nb"\n2,"x"y\n3\n4,"""q"\n5,\xff\n6,"open\n7,d\n',
        3,
        {QUOTES: 2, SHORT: 1, NO_TEXT: 1},
    ),
    (
        "described.csv",
        b"# made by hand\nid;vote\n1;a\n2\n\n3;'x'y\n4;a;b\n5;\0\n# c\n6;'b;c'\n",
        2,
        {SHORT: 1, QUOTES: 1, LONG: 1, NO_TEXT: 1},
    ),
    (
        "lines.jsonl",
        b'{"id": 1}\n[2]\n{"id": \n' + b'{"id": "' + b"x" * (1 << 21) + b'"}\n' + b'{"id": 3}\n',
        2,
        {"holds no object of JSON, or is longer than 2 MiB": 3},
    ),
]


@pytest.mark.parametrize(("name", "content", "rows", "left_out"), LEFT_OUT)
def test_rows_that_cannot_be_read_are_counted_by_reason(
    tmp_path: Path, name: str, content: bytes, rows: int, left_out: dict[str, int]
) -> None:
    (tmp_path / name).write_bytes(content)
    describe = {"dialect": COMMENTED} if name == "described.csv" else None
    found = inspect(tmp_path / name, "id", describe=describe)
    assert (found.rows, found.left_out) == (rows, left_out)
    assert found.cells is not None
    assert found.cells.others == rows


def test_it_shows_itself_to_who_prints_it_and_to_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE.replace("NA", "N\x1b[31mA"), encoding="utf-8")
    found = inspect(tmp_path / "t.csv", winner("vote", ["yes", "no"]), unit="person")
    # 7 and 7.0 are one person.
    assert found.persons is not None
    assert (found.persons.rows, found.persons.nameless) == ({1: 3, 2: 2}, 1)
    shown: list[str] = []
    found._repr_pretty_(type("Printer", (), {"text": lambda _, text: shown.append(text)})(), cycle=False)
    assert shown == [str(found)]
    assert repr(found) == "<Inspection: private; print it to see it>"
    assert str(found).startswith("This is private, for the custodian of the data alone. Publish nothing")
    assert "'N\\x1b[31mA'" in str(found)
    assert "'a\\xa0b'" in str(found)
    with pytest.raises(AttributeError):
        found.rows = 0  # type: ignore[misc]  # what is tested


@pytest.mark.parametrize("terminal", [True, False])
def test_it_writes_to_a_terminal_or_where_it_is_told_to(
    run: Runner, monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    Path("t.csv").write_text(TABLE, encoding="utf-8")
    words = ("inspect", "t.csv", "--column", "vote", "--options", "Yes,Nein", "--unit", "person")
    told = run(*words, "--private")
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout.isatty", lambda: terminal)
        done = run(*words)
    if not terminal:
        assert "stdout is not a terminal" in done.error[0]
        assert (done.code, done.out) == (2, "")
    assert (told.code, told.err) == (0, "")
    assert told.out == f"{inspect('t.csv', winner('vote', ['Yes', 'Nein']), unit='person')}\n"
    assert re.search(r"0  'Nein' +<- no cell says this", told.out)
    assert re.search(r"something else:\n +3  'yes'\n", told.out)
    assert [*Path().iterdir()] == [Path("t.csv")]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--options", "a,b"), "a question is given without --column"),
        (("--column", "vote", "--options-file", "t.csv"), "names the table itself"),
        (("--column", "vota"), "has no column 'vota'"),
        (("--write-description", "t.csv"), "--write-description: 't.csv' would be replaced"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Runner, words: tuple[str, ...], what: str) -> None:
    Path("t.csv").write_text(TABLE, encoding="utf-8")
    assert what in run("inspect", "t.csv", "--private", *words).error[0]
    assert Path("t.csv").read_text(encoding="utf-8") == TABLE


DESCRIBED: list[tuple[str, bytes, tuple[str, ...], str]] = [
    ("a.csv", b"id,vote\n1,red\n2,red\n3,blue\n", (), ","),
    ("a.tsv", b"id\tvote;\n1\tred, dark\n", (), "\t"),
    ("a.csv", b"survey; 2026\nid;vote\n1;red\n2;NA\n", ("--skip-rows", "1", "--missing", "NA"), ";"),
    ("a.csv", "id|größe\n1|2,5\n".encode("cp1252"), ("--encoding", "cp1252", "--decimal", ","), "|"),
    ("a.txt", b"id::vote\n1::red\n", ("--separator", "::"), "::"),
]


@pytest.mark.parametrize(("name", "content", "options", "delimiter"), DESCRIBED)
def test_a_first_description_reads_the_table_as_it_is_read_now(
    run: Runner, name: str, content: bytes, options: tuple[str, ...], delimiter: str
) -> None:
    Path(name).write_bytes(content)
    column = "größe" if "--decimal" in options else "id"
    shown = run("inspect", name, "--column", column, "--private", "--write-description", "d.json", *options)
    written = json.loads(Path("d.json").read_text(encoding="utf-8"))
    assert written["dialect"]["delimiter"] == delimiter
    assert all(field["type"] == "string" for field in written["schema"]["fields"] if field["name"] != "größe")
    again = run("inspect", name, "--column", column, "--private", "--describe", "d.json")
    assert again.out == shown.out
    assert again.code == shown.code == 0
    second = run("inspect", name, "--write-description", "e.json", "--describe", "d.json")
    assert (second.code, second.out) == (0, "")
    assert json.loads(Path("e.json").read_text(encoding="utf-8")) == written


def test_descriptions_of_other_sources_name_their_columns(run: Runner) -> None:
    book = openpyxl.Workbook()
    for line in (["made by hand"], ["id", "vote"], [1, "red"]):
        book.active.append(line)
    book.save("b.xlsx")
    said = {"dialect": {"headerRows": [2]}}
    Path("s.json").write_text(json.dumps(said), encoding="utf-8")
    assert run("inspect", "b.xlsx", "--describe", "s.json", "--write-description", "b.json").code == 0
    written = json.loads(Path("b.json").read_text(encoding="utf-8"))
    assert [field["name"] for field in written["schema"]["fields"]] == ["id", "vote"]
    with open_table("b.xlsx", describe="b.json") as table:
        assert table.description == read_table_description(written)
    answer = ask("b.xlsx", yes_no("vote", equals="red", at_least=1), epsilon=60, describe="b.json").answer
    assert answer == "yes"
    Path("l.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    refused = run("inspect", "l.jsonl", "--write-description", "l.json")
    assert "JSON lines have no header" in refused.error[0]
