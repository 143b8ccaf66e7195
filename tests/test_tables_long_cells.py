# SPDX-License-Identifier: Apache-2.0
"""A cell of more than 8 KiB cannot be read, wherever it is kept, and long cells do not fill the memory.

The edge is the same everywhere: 2**13 bytes of UTF-8, outer blanks included, are read, and one more is not.
"""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cell_tally import NOTHING, UNREADABLE, cells
from postgres_server import fresh_database
from rainbowdp.tables import count_keys, open_table, persons
from table_backends import EACH_BACKEND, Backend, Row, csv_file

MOST = 1 << 13
TEXTS = {
    "the longest": "ü" * (MOST // 2),
    "the longest with a blank": " " + "a" * (MOST - 1),
    "one more": "ü" * (MOST // 2) + "a",
    "one more by a blank": " " + "a" * MOST,
    "more characters": "a" * (MOST + 7),
}
READ = ("the longest", "the longest with a blank")


@pytest.mark.parametrize("backend", EACH_BACKEND)
def test_the_edge_is_the_same_in_every_source(backend: Backend, tmp_path: Path) -> None:
    rows: list[Row] = [(at, text, True, 1.0, "01") for at, text in enumerate(TEXTS.values())]
    rows += [(7, "red", True, 1.0, "01"), (8, None, True, 1.0, "01")]
    expected = {TEXTS[name].strip(): 1 for name in READ} | {"red": 1, NOTHING: 1, UNREADABLE: 3}
    with backend(rows, tmp_path) as (source, options), open_table(source, **options) as table:
        assert cells(table, "vote") == expected
        assert cells(table, "person", where={"vote": "red"}) == {"7": 1}
        assert cells(table, "vote", unit="person") == expected
        # Keys are counted behind what all sources give.
        for unit in ("person", None) if backend is csv_file else ():
            assert {len(key): count for key, count in count_keys(table, "vote", unit=unit)} == {
                len(text): 1 for text in expected if text not in {NOTHING, UNREADABLE}
            }


def test_a_huge_cell_of_sqlite_stays_in_the_file(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("pragma encoding = 'UTF-16'")
        database.execute("create table people (vote, flag boolean)")
        for cell in ("a" * MOST, "a" * MOST + "b", b"a" * MOST, b"a" * MOST + b"b", 7, 1.5, None):
            database.execute("insert into people values (?, 1)", [cell])
        database.execute("insert into people values (zeroblob(3000000), 1)")
        database.commit()
    with open_table(f"sqlite:///{tmp_path}/a.db") as table:
        sizes = [
            len(cell)
            for (column,) in table.source.batches(["vote"], counted=False)
            for cell in column
            if isinstance(cell, bytes)
        ]
        assert max(sizes) <= MOST + 1
        assert cells(table, "vote") == {"a" * MOST: 2, "7": 1, "1.5": 1, NOTHING: 1, UNREADABLE: 3}
        assert cells(table, "flag", where={"vote": "7"}) == {"true": 1}


# A few bytes of a number are a hundred thousand digits, and 9,000 of these together more than a gigabyte.
@pytest.mark.parametrize("many", [9, pytest.param(9000, marks=pytest.mark.release)])
def test_texts_of_postgres_that_could_not_be_written_are_not_written(many: int) -> None:
    import psycopg

    url = fresh_database()
    with psycopg.connect(url) as server:
        server.execute("create table people (j jsonb, v varbit, p path, x xml, n numeric, t timetz, d time)")
        server.execute(
            "insert into people values ('\"red\"', '101', '[(0,0),(1,1)]', null, 1.50, '12:00+02', '24:00')"
        )
        server.execute(
            "insert into people (j, v, p, n) select jsonb_agg(1e131000::numeric), "
            "repeat('1', 8193)::varbit, ('[' || repeat('(1,1),', 1638) || '(1,1)]')::path, "
            "repeat('7', 4301)::numeric from generate_series(1, %s)",
            [many],
        )
        server.execute(
            "insert into people (j, n) select to_jsonb(repeat('a', 8193)), repeat('7', 4300)::numeric"
        )
    with open_table(url) as table:
        assert cells(table, "j") == {"red": 1, UNREADABLE: 2}
        assert cells(table, "v") == {"101": 1, NOTHING: 1, UNREADABLE: 1}
        assert cells(table, "p") == {"[(0,0),(1,1)]": 1, NOTHING: 1, UNREADABLE: 1}
        assert cells(table, "n") == {"1.5": 1, "7" * 4300: 1, UNREADABLE: 1}
        assert cells(table, "t") == {"12:00:00+02:00": 1, NOTHING: 2}
        assert cells(table, "d") == {UNREADABLE: 1, NOTHING: 2}


def test_long_cells_take_no_more_memory_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persons, "_MEMORY", "30MB")
    monkeypatch.setattr(persons, "_SORTED", 1 << 20)
    count = 4_500
    texts = [f"{at * 7919 % count}{'x' * 8000}" for at in range(count)]
    columns: dict[str, Any] = {"person": pa.array(range(count)), "vote": pa.array(texts)}
    with open_table(pa.table(columns)) as table:
        for unit in (None, "person"):
            found = list(count_keys(table, "vote", unit=unit))
            assert found == [(text, 1) for text in sorted(texts)]
        assert cells(table, "vote", unit="person") == dict.fromkeys(texts, 1)
