# SPDX-License-Identifier: Apache-2.0
"""Tables that one odd cell could make unreadable are refused whatever they hold."""

import contextlib
import os
import traceback
from pathlib import Path

import pytest

from cell_tally import cells
from postgres_server import fresh_database
from rainbowdp.errors import TableUnreadableError, UnknownColumnError
from rainbowdp.tables import open_table


def test_a_database_that_is_not_utf8_is_refused_with_or_without_an_odd_cell() -> None:
    import psycopg

    url = fresh_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("drop database if exists odd")
        connection.execute(
            "create database odd encoding 'SQL_ASCII' template template0 lc_collate 'C' lc_ctype 'C'"
        )
    odd = url.rsplit("/", 1)[0] + "/odd"
    said = set()
    for value in (b"red", b"\x81"):
        with psycopg.connect(odd, autocommit=True) as connection:
            connection.execute("create table if not exists people (vote text)")
            connection.pgconn.exec_(b"insert into people values ('" + value + b"')")
        with pytest.raises(TableUnreadableError, match="keeps its texts as SQL_ASCII") as caught:
            open_table(odd)
        said.add(caught.value.report())
    assert len(said) == 1


@pytest.mark.parametrize("odd", [False, True])
def test_an_ibis_table_that_python_reads_is_refused_with_or_without_an_odd_cell(
    tmp_path: Path, odd: bool
) -> None:
    import sqlite3

    import ibis  # type: ignore[import-untyped]  # it ships no types

    with sqlite3.connect(tmp_path / "people.db") as database:
        database.execute("create table people (age integer)")
        database.execute("insert into people values (?)", ["abc" if odd else 7])
    table = ibis.sqlite.connect(tmp_path / "people.db").table("people")
    with pytest.raises(TableUnreadableError, match="ibis table of sqlite"):
        open_table(table)
    # The file itself is read, whatever its cells are.
    with open_table(f"sqlite:///{tmp_path / 'people.db'}") as people:
        assert cells(people, "age") == {"abc" if odd else "7": 1}


@pytest.mark.parametrize("kind", ["long", "loop", "nul", "folder", "pipe", "below a file"])
@pytest.mark.parametrize("scheme", ["", "sqlite:///", "duckdb:///"])
def test_what_cannot_be_opened_is_an_ordinary_error(tmp_path: Path, kind: str, scheme: str) -> None:
    path = tmp_path / "a.csv"
    match kind:
        case "long":
            path = tmp_path / ("x" * 5000 + ".csv")
        case "loop":
            path.symlink_to(path)
        case "nul":
            path = tmp_path / "a\0.csv"
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "below a file":
            path.write_text("a\n1\n", encoding="utf-8")
            path = path / "a.csv"
    with pytest.raises(TableUnreadableError) as caught:
        open_table(f"{scheme}{path}")
    assert caught.value.code == "RDP702"
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def _ask_query(url: str, query: str, said: list[str]) -> None:
    with open_table(url, sql=query) as table:
        said += [repr(table), *table.notes]
        cells(table, "canarys")


def test_columns_that_a_query_makes_of_cells_are_named_by_nobody(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "a.duckdb"
    with contextlib.closing(duckdb.connect(str(path))) as database:
        database.execute("create table people (name varchar)")
        database.execute("insert into people values ('canary'), ('canaries')")
        pivot = database.sql("pivot people on name using count(*)")
        said = []
        for source in (pivot, pivot.pl().lazy()):
            with open_table(source) as table, pytest.raises(UnknownColumnError) as caught:
                cells(table, "canarys")
            said += [caught.value.report(), repr(table)]
        with (
            open_table(database.table("people")) as table,
            pytest.raises(UnknownColumnError, match="'nam'") as own,
        ):
            cells(table, "nam")
        assert "did you mean 'name'" in own.value.help
    # How many columns there are, and whether there is one, would tell as much.
    for query in (
        "pivot people on name using count(*)",
        "pivot people on name using list(name)",
        "select canarys from (pivot people on name using count(*))",
        "with x as (pivot people on name) select * from x",
        "select * from (pivot people on name) as t(a, b, c, d, e)",
        "pivot (select cast(name as int) as n from people) on n using count(*)",
        "select 1) as a; select * from (select 2",
    ):
        with pytest.raises(TableUnreadableError, match="makes columns of the cells of a table") as refused:
            _ask_query(f"duckdb:///{path}", query, said)
        said.append(refused.value.report())
    named = "pivot people on name in ('canary', 'nobody') using count(*)"
    with open_table(f"duckdb:///{path}", sql=named) as table:
        assert cells(table, "nobody") == {"0": 1}
    assert not [text for text in said if "canary" in text.replace("canarys", "") or "canaries" in text]


def test_a_duckdb_file_reads_no_other_file(tmp_path: Path) -> None:
    import duckdb

    path, other = tmp_path / "a.duckdb", tmp_path / "other.json"
    # One row more makes another column, or another type of one.
    other.write_text('{"vote": "red"}\n{"vote": "red", "canary": {"a": 1}}\n', encoding="utf-8")
    with contextlib.closing(duckdb.connect(str(path))) as database:
        database.execute("create table people as select 'red' as vote")
        database.execute(f"create view outside as from '{other}'")
        database.execute("create view inside as select vote as choice from people")
    url = f"duckdb:///{path}"
    said = []
    for rows in (
        {"table": "outside"},
        {"sql": "select * from outside"},
        {"sql": f"select canary + 1 from '{other}'"},  # noqa: S608 - a path of the test
        {"sql": f"from read_csv('{other}')"},
        {"sql": "select * from glob('*')"},
    ):
        with pytest.raises(TableUnreadableError, match="more than the tables of") as caught:
            open_table(url, **rows)
        said.append(caught.value.report())
    assert "canary" not in "".join(said)
    with open_table(url, table="inside") as table, open_table(url, table="people") as again:
        assert cells(table, "choice") == cells(again, "vote") == {"red": 1}


def test_a_lazy_frame_that_cannot_say_its_columns_quotes_no_cell(tmp_path: Path) -> None:
    import polars as pl

    def tell(frame: pl.DataFrame) -> pl.DataFrame:
        raise ValueError(frame["vote"].to_list())

    def schema() -> pl.Schema:
        raise ValueError("canary")

    (tmp_path / "a.jsonl").write_text('{"vote": "red"}\n{"vote": "canary", oops\n', encoding="utf-8")
    rows = pl.LazyFrame({"vote": ["canary", "red"]})
    for frame in (
        pl.scan_ndjson(tmp_path / "a.jsonl"),
        pl.scan_csv(tmp_path / "canary.csv"),
        rows.select("canary"),
        rows.map_batches(tell).pipe(lambda lazy: lazy.with_columns(pl.col("vote").map_batches(tell))),  # type: ignore[arg-type]  # wrong on purpose
        pl.io.plugins.register_io_source(lambda *_: iter([]), schema=schema),
    ):
        with pytest.raises(TableUnreadableError) as caught:
            open_table(frame)
        assert "since it may quote a cell" in caught.value.what
        assert "canary" not in "".join(traceback.format_exception(caught.value)).replace("canary.csv", "")


def test_a_file_of_duckdb_is_grouped_within_bounds_that_others_cannot_read(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "a.duckdb"
    with contextlib.closing(duckdb.connect(str(path))) as database:
        database.execute("create table people as select 'red' as vote")
    settings = "select current_setting('memory_limit') as a, current_setting('temp_directory') as b"
    with open_table(f"duckdb:///{path}", sql=settings) as table, open_table(f"duckdb:///{path}") as other:
        assert cells(table, "a") == {"953.6 MiB": 1}
        (directory,) = cells(table, "b")
        assert Path(directory).stat().st_mode & 0o777 == 0o700
        assert Path(directory).parent != tmp_path
        assert cells(other, "vote") == {"red": 1}
