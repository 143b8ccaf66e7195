# SPDX-License-Identifier: Apache-2.0
"""Tables that one odd cell could make unreadable are refused whatever they hold."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cell_tally import cells
from postgres_server import fresh_database
from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables import open_table
from rainbowdp.tables.source import guarded


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "WIN1252", "LATIN1"])
def test_a_database_that_is_not_utf8_is_refused_with_or_without_an_odd_cell(encoding: str) -> None:
    import psycopg

    url = fresh_database()
    name = f"odd_{encoding.lower()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"drop database if exists {name}".encode())
        connection.execute(
            f"create database {name} encoding '{encoding}' template template0 "
            "lc_collate 'C' lc_ctype 'C'".encode()
        )
    odd = url.rsplit("/", 1)[0] + f"/{name}"
    said = []
    for value in (b"red", b"\x81"):
        with psycopg.connect(odd, autocommit=True) as connection:
            connection.execute("create table if not exists people (vote text)")
            connection.execute(f"set client_encoding to '{encoding}'".encode())
            connection.pgconn.exec_(b"insert into people values ('" + value + b"')")
        with pytest.raises(TableUnreadableError, match=f"keeps its texts as {encoding}") as caught:
            open_table(odd)
        said.append(caught.value.report())
    assert said[0] == said[1]


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


def test_what_an_ibis_table_warns_of_while_it_is_read_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    import ibis
    import pyarrow as pa

    with warnings.catch_warnings():
        # What ibis and DuckDB say to each other.
        warnings.simplefilter("ignore")
        table = ibis.duckdb.connect().create_table("people", pa.table({"vote": ["red", "blue"]}))
    kind = type(table)
    original = kind.to_pyarrow

    def warned(self: object, *args: object, **options: object) -> object:
        warnings.warn("a canary", UserWarning, stacklevel=1)
        return original(self, *args, **options)

    monkeypatch.setattr(kind, "to_pyarrow", warned)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with open_table(table) as people:
            assert cells(people, "vote") == {"red": 1, "blue": 1}
    assert not [warning for warning in seen if "canary" in str(warning.message)]


def test_durations_and_moments_beyond_python_have_no_text_in_any_column() -> None:
    odd = [pd.Timedelta(days=5), np.timedelta64(5, "ns"), np.timedelta64(5, "D"), 5]
    odd += [np.datetime64("12000-01-01", "D"), np.datetime64("12000-01-01", "us")]
    frame = pd.DataFrame({"odd": pd.Series(odd, dtype=object)})
    with open_table(frame) as table:
        found = cells(table, "odd")
    assert found["5"] == 1
    assert sum(found.values()) == len(odd)
    assert len(found) == 2


def test_a_library_that_runs_out_of_memory_says_nothing_of_its_own() -> None:
    def batches() -> list[list[tuple[object, ...]]]:
        raise MemoryError("malloc of size 123456 for a canary")

    with pytest.raises(TableUnreadableError, match="could not be read to its end") as caught:
        list(guarded("the frame", batches))
    assert "canary" not in caught.value.report()
    assert caught.value.__context__ is None
