# SPDX-License-Identifier: Apache-2.0
"""Exports as people get them are read rightly with their description, in Python and on the command line."""

import contextlib
import json
import sqlite3
import unicodedata
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyreadstat
import pytest

from command_line import Runner
from rainbowdp import PureDP, ask, open_ledger, winner
from rainbowdp.errors import QuestionError, RainbowError, RequestMismatchError, UsageError
from rainbowdp.ledger import Cost
from rainbowdp.questions import ranking
from rainbowdp.questions.readings import OptionReading, Reading, SumReading
from rainbowdp.tables import open_table, summarize

VOTES = OptionReading("vote", ("red", "blue"))
MONEY = SumReading("sum", Fraction(0), Fraction(10_000))
TWO = [{"name": "id"}, {"name": "vote"}]


def number(**said: object) -> dict[str, Any]:
    return {"schema": {"fields": [{"name": "sum", "type": "number", **said}], "fieldsMatch": "subset"}}


def found(reading: Reading, source: object, describe: object = None, encoding: str | None = None) -> object:
    """Return the counts or the sum of a table."""
    with open_table(source, describe=describe, encoding=encoding) as table:
        summary: Any = summarize(table, reading)
    return summary.total if reading is MONEY else summary.counts


@pytest.mark.parametrize(
    ("reading", "text", "describe", "right"),
    [
        # Rows that end in separators as the header does, or in fewer; no more, and nothing after them.
        (
            VOTES,
            "id;vote;;\n1;red;;\n2;red\n3;blue; \n4;blue;x\n5;blue;;;\n",
            {"schema": {"fields": TWO}},
            (2, 1),
        ),
        # A comment of as many cells as there are fields.
        *(
            (
                VOTES,
                f"{comment}\nid;vote\n1;red\n",
                {"dialect": {"commentChar": "#", "headerRows": [2]}, "schema": {"fields": TWO}},
                (1, 0),
            )
            for comment in ("# made; by, me", '"# made; by, me"')
        ),
        (MONEY, 'sum\n",5"\n1.200\n"2.541,50"\n"1,5"\n', number(decimalChar=","), 2),
        (VOTES, "vote\nred\nNA\n-\nblue\n", {"fields": [], "missingValues": ["", "NA", "-"]}, (1, 1)),
        # A missing number is told from a group of digits.
        (
            MONEY,
            'sum\n9.000\n"9,0"\n9\n7\n',
            number(decimalChar=",", groupChar=".", missingValues=["9"]),
            9007,
        ),
        # These are read rightly without a description.
        (VOTES, "vote,x\nred\nred,1\n\n\nblue,2\n", None, (1, 1)),
        (VOTES, 'vote,x\nred,"{""a"": [1, 2]}"\n', None, (1, 0)),
        (VOTES, 'vote,x\nred,"' + "\n" * (1 << 20) + '"\nblue,1\n', None, (1, 1)),
    ],
)
def test_an_export_is_read_with_its_description(
    tmp_path: Path, reading: Reading, text: str, describe: object, right: object
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert found(reading, path, describe) == right
    if describe is not None:
        said = tmp_path / "table.json"
        said.write_text(json.dumps(describe), encoding="utf-8")
        assert found(reading, path, said) == right


def test_each_file_of_a_pattern_has_the_header_that_is_described(tmp_path: Path) -> None:
    for name, text in (("a", "id,vote\n1,red\n"), ("b", "vote\n2,red\n"), ("c", "vote,id\nred,3\n")):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    assert found(VOTES, f"{tmp_path}/[ab].csv", {"fields": TWO}) == (2, 0)
    with pytest.raises(RainbowError, match=r"c\.csv' has the field 'id' of its description at another place"):
        found(VOTES, f"{tmp_path}/*.csv", {"fields": TWO})
    assert found(VOTES, f"{tmp_path}/c.csv", {"fields": TWO, "fieldsMatch": "equal"}) == (1, 0)


@pytest.mark.parametrize(
    ("header", "fields", "takes"),
    [
        ("vote,Vote", "vote,Vote", True),
        ("vote,Vote", "Vote,vote", False),
        ("vote,Vote", "vote,x", True),
        ("vote,Vote", "VOTE,x", False),
        ("vote,vote", "vote,x", True),
        ("VOTE,x", "vote,y", True),
        # Without a name above the first column.
        ("N,n", "vote,n,N", False),
        ("N,n", "vote,N,n", True),
    ],
)
def test_names_that_differ_in_case_alone_are_never_exchanged(
    tmp_path: Path, header: str, fields: str, takes: bool
) -> None:
    names = fields.split(",")
    (tmp_path / "t.csv").write_text(f"{header}\nred{',blue' * (len(names) - 1)}\n", encoding="utf-8")
    refused = pytest.raises(RainbowError, match="at another place")
    with contextlib.nullcontext() if takes else refused:
        assert found(VOTES, tmp_path / "t.csv", {"fields": [{"name": name} for name in names]}) == (1, 0)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        # As write.table(row.names=FALSE) of R has it.
        ('"n" "vote"\n1 "red"\n2 "blue"\n', (1, 1)),
        ('"the n" "vote" "a b" "c d"\n"1 2" "red" "a b" ""\n2 blue 3 4\n', (1, 1)),
        ('n vote\n1 red\n2 blue\n3  red\n"3"  red\n', (1, 1)),
        # Rows that are judged one by one.
        ('vote n\n"red" 1\n"blue" "a\nb"\n"a\nb" 1\n"red" ""\n', (2, 1)),
        ('txt vote\n"a b" red\r\n"""a"" b" "red"\r\nx blue\n', (2, 1)),
    ],
)
def test_blanks_that_separate_cells_are_no_blanks_around_quotes(
    tmp_path: Path, text: str, right: tuple[int, int]
) -> None:
    (tmp_path / "t.txt").write_text(text, encoding="utf-8", newline="")
    for more in ({}, {"commentChar": "%"}):
        assert found(VOTES, tmp_path / "t.txt", {"dialect": {"delimiter": " ", **more}}) == right


def test_missing_values_and_numbers_hold_for_frames_and_databases_too(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sum": ["1,5", "NA", "2,5"], "vote": ["red", "NA", "blue"]})
    said = {**number(decimalChar=","), "encoding": "latin1"}
    said["schema"]["missingValues"] = ["NA"]
    assert found(MONEY, frame, said) == 4
    assert found(OptionReading("vote", ("red", "NA")), frame, said) == (1, 0)
    assert found(OptionReading("vote", ("red",), nulls="red"), frame, said) == (2,)
    path = tmp_path / "old.csv"
    path.write_bytes("vote,sum\nblå,7\n".encode("latin1"))
    assert found(OptionReading("vote", ("blå", "x")), path, said) == (1, 0)
    assert found(OptionReading("vote", ("blå", "x")), path, said, encoding="utf-8") == (0, 0)


def test_composed_and_decomposed_texts_are_one_and_characters_without_width_none() -> None:
    composed, decomposed = (unicodedata.normalize(form, "Zürich") for form in ("NFC", "NFD"))
    frame = pl.DataFrame({"vote": [composed, decomposed, f"\ufeff{composed}\u200b ", "x"]})
    frame = frame.with_columns(town=pl.lit(decomposed))
    for option in (composed, decomposed):
        question = winner("vote", [option, "x"])
        assert found(question.reading, frame) == (3, 1)
        for where in ({"town": option}, {}):
            asked = ask(frame, question, epsilon=99, where=where, by="town", groups=[option])
            assert asked.answer == {composed: composed}
    with pytest.raises(QuestionError, match="stands twice"):
        ranking("vote", [composed, decomposed])


def test_a_ledger_tells_ways_of_reading_apart(tmp_path: Path) -> None:
    table, place = tmp_path / "t.csv", str(tmp_path / "b.ledger")
    table.write_text("vote\nred\nNA\n", encoding="utf-8")
    with open_ledger(place, create=True) as ledger:
        ledger.create("b", Cost.of(PureDP(9)))
    paying: dict[str, Any] = {"ledger": place, "name": "b", "request_id": "q", "epsilon": 1}
    question = winner("vote", ["red", "NA"])
    first = ask(table, question, **paying)
    assert ask(table, question, **paying).answer == first.answer
    with pytest.raises(RequestMismatchError):
        ask(table, question, describe={"fields": [], "missingValues": ["NA"]}, **paying)
    with pytest.raises(UsageError, match="JDBC"):
        ask("jdbc:postgresql://somewhere", question, epsilon=1)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.chdir(tmp_path)
    return Runner(capsys)


def test_options_of_the_command_line_say_what_is_needed_daily(run: Runner) -> None:
    Path("t.csv").write_text("made by hand\nid;sum;vote\n1;60,5;NA\n2;50,5;red\n", encoding="utf-8")
    sure = ("--epsilon", 99, "--skip-rows", 1)
    asked = ("yes-no", "t.csv", "--column", "sum", "--sum", "--clamp", "0,100", *sure)
    assert run("ask", *asked, "--decimal", ",", "--at-least", 90).out == "yes\n"
    assert run("ask", *asked, "--at-least", 90).out == "no\n"
    for where, noted in (("id=1..2", True), ("sum=1..99", False), ("vote=red", False)):
        outcome = run("ask", *asked, "--decimal", ",", "--at-least", 90, "--where", where)
        assert ("given for 'sum' alone: 'id' is read with a decimal point" in outcome.err) == noted
    votes = ("winner", "t.csv", "--column", "vote", "--options", "NA,red")
    assert run("ask", *votes, *sure, "--missing", "NA,-", "--separator", ";").out == "red\n"
    outcome = run("ask", *votes, *sure, "--decimal", ",")
    assert (outcome.code, "--decimal is for sums and brackets" in outcome.err) == (2, True)
    keys = run("keys", "t.csv", "--column", "vote", "--delta", "0.999", *sure, "--missing", "NA")
    assert keys.out in {"red\n", ""}
    Path("table.json").write_text(json.dumps({"dialect": {"headerRows": [2]}}), encoding="utf-8")
    described = run("ask", *votes, "--epsilon", 99, "--describe", "table.json", "--missing", "NA")
    assert described.out == "red\n"


def test_notes_are_made_of_the_header_and_the_question_alone(run: Runner) -> None:
    Path("t.csv").write_text("id,vote,\n1,bla,\n", encoding="utf-8")
    asked = ("ask", "winner", "t.csv", "--column", "vote", "--epsilon", 1, "--options")
    assert "its last column has no name" in run(*asked, "bla,red").err
    assert "'blå' is looked for in UTF-8" in run(*asked, "blå,red").err
    for encoding in ("cp1252", "utf-8"):
        assert "looked for" not in run(*asked, "blå,red", "--encoding", encoding).err


@pytest.mark.parametrize(
    ("name", "dialect", "unused"),
    [
        ("t.csv", {"delimiter": ";", "headerRows": [2]}, ""),
        ("t.csv", {"delimiter": ";", "sheetNumber": 2}, "sheet"),
        ("t.jsonl", {"delimiter": ";", "commentChar": "#"}, "delimiter, comment"),
        ("t.parquet", {"headerRows": [2]}, "header rows"),
        ("t.xlsx", {"headerRows": [1], "sheetNumber": 1}, ""),
        ("t.xlsx", {"delimiter": ";"}, "delimiter"),
        ("frame", {"delimiter": ";"}, "delimiter"),
        ("sqlite:///t.db", {"delimiter": ";"}, "delimiter"),
    ],
)
def test_what_is_said_and_not_used_is_noted(
    run: Runner, name: str, dialect: dict[str, Any], unused: str
) -> None:
    assert run("budget", "create", "b", "--ledger", "t.db", "--epsilon", 1).code == 0
    frame = pl.DataFrame({"id": [1], "vote": ["red"]})
    Path("t.csv").write_text("id;vote\nid;vote\n1;red\n", encoding="utf-8")
    Path("t.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    frame.write_parquet("t.parquet")
    frame.to_pandas().to_excel("t.xlsx", index=False)
    more = {"sql": "select 1 as id"} if "db" in name else {}
    with open_table(frame if name == "frame" else name, describe={"dialect": dialect}, **more) as table:
        found = [note for note in table.notes if "is not used" in note]
    assert len(found) == bool(unused)
    assert not unused or f"about {unused} is not used" in found[0]
    with open_table("t.parquet", encoding="cp1252") as table:
        assert "about encoding is not used" in table.notes[0]


@pytest.mark.parametrize(("name", "hint"), [("t.json", "one object per line"), ("t.zip", "unpack it")])
def test_forms_that_are_not_read_get_a_way_on(tmp_path: Path, name: str, hint: str) -> None:
    (tmp_path / name).write_text("[]", encoding="utf-8")
    with pytest.raises(RainbowError) as caught:
        open_table(tmp_path / name)
    assert hint in caught.value.help


def test_no_row_tells_the_separator_of_a_file_without_a_header(tmp_path: Path) -> None:
    said = {"dialect": {"header": False}, "schema": {"fields": [{"name": "v"}, {"name": "vote"}]}}
    for first in ("a,red", "a;b;c,red", "a|b|c,red"):
        (tmp_path / "t.csv").write_text(first + "\n" + "b,blue\n" * 9, encoding="utf-8")
        assert found(VOTES, tmp_path / "t.csv", said) == (1, 9)
    (tmp_path / "t.tsv").write_text("1\tred\n2\tblue\n", encoding="utf-8")
    assert found(VOTES, tmp_path / "t.tsv", said) == (1, 1)


GERMAN = number(decimalChar=",", groupChar=".", bareNumber=False)


FILES: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    "xlsx": lambda frame, place: frame.to_excel(place, index=False),
    "parquet": lambda frame, place: frame.to_parquet(place),
    "dta": lambda frame, place: pyreadstat.write_dta(frame, str(place)),
    "jsonl": lambda frame, place: frame.to_json(place, orient="records", lines=True),
}
NUMBERS = pd.DataFrame({"sum": [1234.5, 2.5, 0.25, 10.0]})


def test_how_texts_say_numbers_is_nothing_to_stored_numbers(tmp_path: Path) -> None:
    sources: list[object] = [
        pl.from_pandas(NUMBERS),
        pd.DataFrame({"sum": [Decimal(each) for each in ("1234.5", "2.5", "0.25", "10")]}),
        pd.DataFrame({"sum": [1234.5, "2,5 €", Decimal("0.25"), 10]}, dtype=object),
    ]
    for kind, write in FILES.items():
        write(NUMBERS, tmp_path / f"t.{kind}")
        sources.append(tmp_path / f"t.{kind}")
    (tmp_path / "t.csv").write_text('sum\n"1.234,5"\n"2,5 €"\n"0,25"\n10\n', encoding="utf-8")
    with contextlib.closing(sqlite3.connect(tmp_path / "t.db")) as database:
        NUMBERS.to_sql("t", database, index=False)
        database.execute("update t set sum = '1.234,5' where sum > 1000")
        database.commit()
    for source in (*sources, tmp_path / "t.csv", f"sqlite:///{tmp_path}/t.db"):
        assert found(MONEY, source, GERMAN) == Fraction("1247.25")


def test_missing_texts_are_compared_as_options_are(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("vote\n9\n9.0\nred\nfu\u0308r\nblue\n", encoding="utf-8")
    nulls = OptionReading("vote", ("red", "blue"), nulls="blue")
    for missing in (["9", "f\u00fcr"], ["9.0", "fu\u0308r"]):
        assert found(nulls, tmp_path / "t.csv", {"missingValues": missing, "fields": []}) == (1, 4)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"missingValues": ["NA"], "dialect": {}}, "'missingValues' stands outside of its place"),
        ({"dialect": {"missingValues": ["NA"]}}, "'missingValues' stands outside of its place"),
        ({"schema": {"delimiter": ";"}}, "'delimiter' stands outside of its place"),
        ({"fields": [{"name": "vote", "type": "nubmer"}]}, "unknown type 'nubmer'"),
        ({"fields": [{"name": "vote", "type": "date", "format": "dd.mm.yyyy"}]}, "is not a pattern"),
        ({"fields": [{"name": "vote", "type": "date", "format": "%d/%M/%Y"}]}, "is not a pattern"),
        ({"layout": {"header": False}}, "'layout' is not read"),
        ({"fields": [{"name": "Vote"}], "fieldsMatch": "subset"}, "names the column 'Vote'"),
    ],
    ids=str,
)
def test_what_would_not_be_applied_is_refused(tmp_path: Path, said: dict[str, Any], what: str) -> None:
    (tmp_path / "t.csv").write_text("id,vote\n1,red\n", encoding="utf-8")
    with pytest.raises(RainbowError, match=what):
        found(VOTES, tmp_path / "t.csv", said)


def test_what_other_programs_write_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id;vote\n1;red\n", encoding="utf-8")
    assert found(VOTES, tmp_path / "t.csv", {"dialect": {"csv": {"delimiter": ";"}}}) == (1, 0)
    # MySQL writes no quotes around cells.
    (tmp_path / "t.tsv").write_text('id\tvote\n"1\tred\n2\tblue\n', encoding="utf-8")
    for none in ("", None):
        assert found(VOTES, tmp_path / "t.tsv", {"dialect": {"quoteChar": none, "delimiter": "\t"}}) == (1, 1)


@pytest.mark.parametrize("kind", ["csv", "parquet", "xlsx", "polars", "jsonl"])
def test_names_of_columns_are_compared_in_one_form(tmp_path: Path, kind: str) -> None:
    apart, joined = "Ma\u0308rz", "M\u00e4rz"
    place, frame = (
        tmp_path / f"t.{kind}",
        pd.DataFrame({apart: ["red", "blue", "red"], "town": ["a", "a", "b"]}),
    )
    if kind == "csv":
        frame.to_csv(place, index=False)
    elif kind in FILES:
        FILES[kind](frame, place)
    source: object = pl.from_pandas(frame) if kind == "polars" else place
    for name in (apart, joined):
        assert found(OptionReading(name, ("red", "blue")), source) == (2, 1)
        assert found(
            OptionReading(name, ("red", "blue")),
            source,
            {"fields": [{"name": name}], "fieldsMatch": "subset"},
        ) == (2, 1)
        assert ask(source, winner("town", ["a", "b"]), epsilon=60, where={name: "blue"}).answer == "a"


def test_texts_of_old_stata_files_are_read_in_the_encoding_that_is_said(tmp_path: Path) -> None:
    frame = pd.DataFrame({"vote": ["M\u00fcller", "M\u00fcller", "red"]})
    pyreadstat.write_dta(frame, str(tmp_path / "t.dta"), version=12)
    reading = OptionReading("vote", ("M\u00fcller", "red"))
    assert found(reading, tmp_path / "t.dta", encoding="utf-8") == (2, 1)


def test_truth_values_and_days_that_are_stored_as_numbers_are_read() -> None:
    fields = [{"name": "vote", "type": "boolean"}, {"name": "day", "type": "date", "format": "%Y%m%d"}]
    frame = pd.DataFrame({"vote": [1, 1, 0], "day": [20260131, 20260228, 20260131]})
    assert found(OptionReading("vote", ("true", "false")), frame, {"fields": fields}) == (2, 1)
    assert found(OptionReading("day", ("2026-01-31", "2026-02-28")), frame, {"fields": fields}) == (2, 1)


def test_columns_that_cells_become_are_not_named() -> None:
    relation = duckdb.sql(
        "pivot (from (values ('Miller', 'a', 1), ('Smith', 'b', 1)) people(person, vote, one))"
        " on person using sum(one) group by vote"
    )
    with pytest.raises(RainbowError) as caught:
        found(VOTES, relation, {"fields": [{"name": "vote"}, {"name": "Muller"}], "fieldsMatch": "subset"})
    assert "Miller" not in str(caught.value) + caught.value.help
