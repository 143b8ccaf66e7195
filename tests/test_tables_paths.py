# SPDX-License-Identifier: Apache-2.0
"""What files, and directories for temporary files, are called decides nothing that depends on a row."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cell_tally import NOTHING, cells
from postgres_server import fresh_database
from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables import count_keys, database_files, open_table
from rainbowdp.tables.files import FileSource

ROWS = b"vote,w\n" + b"red,1\n" * 9
# The last row is in order, or makes a copy necessary.
LAST = (b"red,2\n", b"red\n", b'"red,2\n', b"red,\xff\n", b"red,\0\n")
NAMES = ("a\udcff", "\udcc3(", "a[1]", "a\\*", "a\\[b", "[[]", "[]]", "*[*", "?*?", "{a,b}", "a'b", "a\nb")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_whatever_it_is_called(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / f"d{name}"
    folder.mkdir()
    # DuckDB's pattern for a name with a bracket fits this one as well.
    (tmp_path / "\\n.csv").write_bytes(b"vote,w\nother,1\n")
    for path in (tmp_path / f"{name}.csv", folder / "a.csv"):
        for last in LAST:
            path.write_bytes(ROWS + last)
            with open_table(path) as table:
                assert cells(table, "vote") in ({"red": 9}, {"red": 10})
    monkeypatch.chdir(folder)
    with open_table("a.csv") as table:
        assert cells(table, "vote", unit="w") == {"red": 1}


@pytest.mark.parametrize("odd", ["a\udcff", "a[1]", "a*", "a?", "a\\*"])
def test_a_directory_for_temporary_files_is_judged_by_its_name_alone(
    tmp_path: Path, odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = tmp_path / odd
    room.mkdir()
    (tmp_path / "a.jsonl").write_bytes(b'{"vote": "red"}\n')
    duckdb.connect(str(tmp_path / "a.duckdb")).execute("create table people as select 'red' as vote").close()
    database_files._directory_for_spills.cache_clear()
    said = set()
    (tmp_path / "open.csv").write_bytes(ROWS)
    with open_table(tmp_path / "open.csv") as opened, open_table(pl.DataFrame({"vote": ["red"]})) as frame:
        with monkeypatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(room))
            for last in LAST:
                (tmp_path / "a.csv").write_bytes(ROWS + last)
                with pytest.raises(TableUnreadableError) as caught:
                    open_table(tmp_path / "a.csv")
                said.add(caught.value.report())
            for source in (tmp_path / "a.jsonl", f"duckdb:///{tmp_path}/a.duckdb"):
                with pytest.raises(TableUnreadableError) as caught:
                    open_table(source)
                said.add(caught.value.report())
            for _ in range(2):
                with pytest.raises(TableUnreadableError) as caught:
                    cells(opened, "vote")
                assert str(caught.value).startswith("DuckDB can put no temporary files into ")
            with pytest.raises(TableUnreadableError) as caught:
                cells(frame, "vote", unit="vote")
            said.add(caught.value.report())
            with pytest.raises(TableUnreadableError) as caught:
                list(count_keys(frame, "vote"))
            said.add(caught.value.report())
            assert not list(room.glob("rainbowdp-*/*"))
        assert cells(opened, "vote") == {"red": 9}
    assert len(said) == 1
    assert not list(room.iterdir())


def test_without_links_every_file_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(1, "no links here")

    path = tmp_path / "a.csv"
    for kinds in (("symlink",), ("symlink", "link")):
        for kind in kinds:
            monkeypatch.setattr(os, kind, refused)
        for last in LAST:
            path.write_bytes(ROWS + last)
            with open_table(path) as table:
                assert isinstance(table.source, FileSource)
                assert cells(table, "vote")["red"] >= 9
                (scan,) = table.source._scans.values()
                assert str(path) not in scan
        assert path.read_bytes() == ROWS + LAST[-1]
        assert path.stat().st_nlink == 1


def test_whatever_a_reader_raises_is_one_fixed_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise RuntimeError("a canary")

    (tmp_path / "a.csv").write_bytes(ROWS)
    with open_table(tmp_path / "a.csv") as table:
        monkeypatch.setattr("rainbowdp.tables.files.linked", failing)
        with pytest.raises(TableUnreadableError, match="could not be read to its end") as caught:
            cells(table, "vote")
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("name", ["a\udcff", "a[1]", "a*"])
def test_parquet_and_databases_under_odd_names(tmp_path: Path, name: str) -> None:
    pq.write_table(pa.table({"vote": ["red"]}), tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / f"{name}.parquet")
    with open_table(tmp_path / f"{name}.parquet") as table:
        assert cells(table, "vote") == {"red": 1}
    duckdb.connect(str(tmp_path / "a.duckdb")).execute("create table people as select 'red' as vote").close()
    (tmp_path / "a.duckdb").rename(tmp_path / f"{name}.duckdb")
    if name == "a\udcff":
        with pytest.raises(TableUnreadableError, match="not UTF-8"):
            open_table(f"duckdb:///{tmp_path}/{name}.duckdb")
    else:
        with open_table(f"duckdb:///{tmp_path}/{name}.duckdb") as table:
            assert cells(table, "vote") == {"red": 1}


def test_json_in_a_database_says_what_it_says_in_lines(tmp_path: Path) -> None:
    import psycopg

    values = [
        '"red"',
        "null",
        "1.0",
        "-0",
        "true",
        '"\\u00e9"',
        '" b "',
        "[1]",
        '{"a": 1}',
        '""',
        "7",
    ]
    values += ["1" + "0" * 500, '"null"', "0.1", '"' + "x" * 8190 + '"']
    (tmp_path / "a.jsonl").write_text("".join(f'{{"x": {value}}}\n' for value in values), encoding="utf-8")
    with open_table(tmp_path / "a.jsonl") as table:
        expected = cells(table, "x")
    assert expected["red"] == 1
    url = fresh_database()
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("create table people (x json, y jsonb)")
        for value in values:
            server.execute("insert into people values (%s, %s)", [value, value])
    with open_table(url) as table:
        assert cells(table, "x") == expected
        assert cells(table, "y") == expected
        server = psycopg.connect(url, autocommit=True)
        # What only this type takes.
        server.execute("insert into people (x) values ('\"\\u0000\"'), (%s)", ["[" * 3000 + "]" * 3000])
        server.close()
    with open_table(url) as table:
        assert sum(cells(table, "x").values()) == sum(expected.values()) + 2


def test_an_sqlite_file_that_its_writer_has_left_unfinished_says_what_to_do(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("pragma cache_size = 1")
        database.execute("create table people (vote)")
        database.executemany("insert into people values (?)", [("red" * 200,)] * 500)
        database.commit()
        database.execute("update people set vote = ?", ("blue" * 200,))
        # As after a crash: half of the change is in the file, and the way back beside it.
        for name in ("a.db", "a.db-journal"):
            shutil.copy(tmp_path / name, tmp_path / name.replace("a", "b", 1))
    with pytest.raises(TableUnreadableError) as caught:
        open_table(f"sqlite:///{tmp_path}/b.db")
    assert "open it once with the program that writes it" in caught.value.help
    with pytest.raises(TableUnreadableError) as asked:
        open_table(f"sqlite:///{tmp_path}/b.db", sql="select vote from people")
    assert "open it once with the program that writes it" in asked.value.help


def test_a_function_of_somebody_else_that_fits_better_is_not_run() -> None:
    import psycopg

    url = fresh_database()
    fails = "language plpgsql as 'begin raise ''%'', $1; end'"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("create table people (t text, v varbit, j jsonb, b bytea, p path, i inet)")
        server.execute(
            "insert into people values ('red', '101', '\"red\"', 'red', '[(0,0),(1,1)]', '1.2.3.4')"
        )
        for function in (
            *(f"pg_column_size({kind}) returns int" for kind in ("text", "varbit", "jsonb", "inet")),
            *("octet_length(text) returns int", "octet_length(bytea) returns int"),
            *("length(varbit) returns int", "npoints(path) returns int", "abbrev(inet) returns text"),
            *("jsonb_typeof(jsonb) returns text", "reaches(jsonb, jsonb) returns text"),
        ):
            server.execute(f"create function public.{function} {fails}".encode())
        server.execute("create type mood as enum ('glad', 'odd')")
        server.execute(f"create function said(mood) returns text {fails}".encode())
        server.execute("create cast (mood as text) with function said(mood)")
        server.execute("alter table people add m mood default 'odd', add n mood")
        server.execute("create operator #>> (leftarg = jsonb, rightarg = jsonb, function = reaches)")
        server.execute(f"alter database {server.info.dbname} set search_path = public, pg_catalog".encode())
    with open_table(url) as table:
        for column, said in (("t", "red"), ("v", "101"), ("j", "red"), ("i", "1.2.3.4")):
            assert cells(table, column) == {said: 1}
        assert cells(table, "p") == {"[(0,0),(1,1)]": 1}
        assert cells(table, "b") == {"red": 1}
        assert cells(table, "m") == {"odd": 1}
        assert cells(table, "n") == {NOTHING: 1}
