# SPDX-License-Identifier: Apache-2.0
"""A cell of more than 8 KiB cannot be read, wherever it is kept, and long cells do not fill the memory.

The edge is the same everywhere: 2**13 bytes of UTF-8, outer blanks included, are read, and one more is not.
"""

import contextlib
import re
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from cell_tally import NOTHING, UNREADABLE, cells, cells_by
from postgres_server import fresh_database
from rainbowdp.errors import TableUnreadableError
from rainbowdp.formats.csv_files import LARGEST_RECORD
from rainbowdp.questions.cells import INVALID, LARGEST_CELL, cell_text
from rainbowdp.tables import count_keys, database_files, open_table, persons, spools
from rainbowdp.tables.collecting import UNREADABLE as UNREADABLE_TEXT
from rainbowdp.tables.collecting import texts_of
from rainbowdp.tables.files import FileSource
from table_backends import BACKENDS, Backend, Row

MOST = 1 << 13
TEXTS = {
    "the longest": "ü" * (MOST // 2),
    "the longest with a blank": " " + "a" * (MOST - 1),
    "one more": "ü" * (MOST // 2) + "a",
    "one more by a blank": " " + "a" * MOST,
    "more signs": "a" * (MOST + 7),
}
READ = ("the longest", "the longest with a blank")


def test_the_bound_is_eight_kibibytes_of_utf_8() -> None:
    assert LARGEST_CELL == MOST
    for name, text in TEXTS.items():
        expected = text.strip() if name in READ else None
        for cell in (text, text.encode()):
            assert cell_text(cell) == (INVALID if expected is None else expected), name
            for column in ([cell], [cell, None], [cell, "x", 1]):
                assert texts_of(column)[0] == (expected or UNREADABLE_TEXT), name


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.__name__)
def test_the_edge_is_the_same_in_every_source(backend: Backend, tmp_path: Path) -> None:
    rows: list[Row] = [(at, text, True, 1.0, "01") for at, text in enumerate(TEXTS.values())]
    rows += [(7, "red", True, 1.0, "01"), (8, None, True, 1.0, "01")]
    expected = {TEXTS[name].strip(): 1 for name in READ} | {"red": 1, NOTHING: 1, UNREADABLE: 3}
    with backend(rows, tmp_path) as (source, options), open_table(source, **options) as table:
        assert cells(table, "vote") == expected
        assert cells(table, "person", where={"vote": "red"}) == {"7": 1}
        assert cells(table, "vote", unit="person") == expected
        for unit in ("person", None):
            assert {len(key): count for key, count in count_keys(table, "vote", unit=unit)} == {
                len(text): 1 for text in expected if text not in {NOTHING, UNREADABLE}
            }


def test_a_huge_cell_of_sqlite_stays_in_the_file(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("pragma encoding = 'UTF-16'")
        database.execute("create table people (vote, flag boolean)")
        for cell in ("a" * MOST, "a" * MOST + "b", b"a" * MOST, b"a" * MOST + b"b", 7, 1.5, None):
            database.execute("insert into people values (?, 1)", [cell])
        database.execute("insert into people values (zeroblob(30000000), 1)")
        database.commit()
    with open_table(f"sqlite:///{tmp_path}/a.db") as table:
        sizes = [
            len(cell)
            for batch in table.source.rows(["vote"], None)
            for (cell,) in batch
            if isinstance(cell, bytes)
        ]
        assert max(sizes) <= MOST + 1
        assert cells(table, "vote") == {"a" * MOST: 2, "7": 1, "1.5": 1, NOTHING: 1, UNREADABLE: 3}
        assert cells(table, "flag", where={"vote": "7"}) == {"true": 1}


def test_texts_of_postgres_that_could_not_be_written_are_not_written() -> None:
    import psycopg

    url = fresh_database()
    with psycopg.connect(url) as server:
        server.execute("create table people (j jsonb, v varbit, p path, x xml, n numeric, t timetz, d time)")
        server.execute(
            "insert into people values ('\"red\"', '101', '[(0,0),(1,1)]', null, 1.50, '12:00+02', '24:00')"
        )
        # A few bytes of a number are a hundred thousand digits, and these together more than a gigabyte.
        server.execute(
            "insert into people (j, v, p, n) select jsonb_agg(1e131000::numeric), "
            "repeat('1', 8193)::varbit, ('[' || repeat('(1,1),', 1638) || '(1,1)]')::path, "
            "repeat('7', 4301)::numeric from generate_series(1, 9000)"
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


def test_what_takes_much_room_in_postgres_has_no_text_whatever_its_type() -> None:
    import psycopg

    url = fresh_database()
    with psycopg.connect(url) as server:
        # Its texts always fail, as that of an hstore of half a gigabyte does.
        server.execute("create type odd")
        for name, takes, gives in (("byteain", "cstring", "odd"), ("any_out", "odd", "cstring")):
            form = f"function {name}_odd({takes}) returns {gives} language internal strict as '{name}'"
            server.execute(f"create {form}".encode())
        server.execute("create type odd (input = byteain_odd, output = any_out_odd, like = bytea)")
        server.execute("create table people (x odd, y text)")
        server.execute("alter table people alter x set storage external")
        server.execute("insert into people values (%s, 'red'), (null, %s)", ["a" * 300_000, "b" * 300_000])
    with open_table(url) as table:
        assert cells(table, "x") == {NOTHING: 1, UNREADABLE: 1}
        assert cells(table, "y") == {"red": 1, UNREADABLE: 1}


def test_a_long_text_behind_a_dictionary_is_bounded_before_it_is_repeated() -> None:
    from rainbowdp.tables.arrow_tables import as_stored

    column = pa.array(["red", "a" * (MOST + 1), None]).dictionary_encode()
    column = column.take(pa.array([0, 1, 2] * 20))
    stored, _ = as_stored(pa.chunked_array([column]))
    assert stored.nbytes < MOST
    for source in (pa.table({"vote": column}), pd.DataFrame({"vote": column.to_pandas()})):
        with open_table(source) as table:
            assert cells(table, "vote") == {"red": 20, NOTHING: 20, UNREADABLE: 20}


@pytest.mark.parametrize("digits", [641, 4300, 4301])
def test_a_number_of_many_digits_is_one_cell_and_takes_no_row_along(tmp_path: Path, digits: int) -> None:
    from decimal import Decimal

    number = Decimal("7" * digits)
    (tmp_path / "a.jsonl").write_text(f'{{"x": {number}, "vote": "red"}}\n{{"x": -0}}\n', encoding="utf-8")
    frame = pd.DataFrame({"x": pd.Series([number, 0], dtype=object), "vote": ["red", None]})
    said = {"7" * digits if digits <= 4300 else UNREADABLE: 1, "0": 1}
    for source in (tmp_path / "a.jsonl", frame):
        with open_table(source) as table:
            assert cells(table, "x") == said
            assert cells(table, "vote") == {"red": 1, NOTHING: 1}
    assert cell_text(10**4300) is INVALID
    # What is text is text, as in CSV.
    assert cell_text("7" * digits) == "7" * digits


ROWS: list[Row] = [(1, "red", True, 1.0, "01"), (2, "blue", True, 1.0, "01")]


@pytest.mark.parametrize("backend", BACKENDS, ids=lambda backend: backend.__name__)
def test_a_few_rows_of_persons_need_a_temporary_file_like_many(
    backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with backend(ROWS, tmp_path) as (source, options), open_table(source, **options) as table:
        assert sum(cells(table, "vote").values()) == 2
        with monkeypatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
            with pytest.raises(TableUnreadableError, match="no room"):
                cells(table, "vote", unit="person")
            with pytest.raises(TableUnreadableError, match="no room"):
                cells_by(table, "vote", "ward", ["01"])
            with pytest.raises(TableUnreadableError, match="no room"):
                list(count_keys(table, "vote"))


def test_a_file_of_duckdb_needs_a_place_for_what_it_spills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    duckdb.connect(str(tmp_path / "a.duckdb")).execute("create table people as select 1 as x").close()
    database_files._directory_for_spills.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
        with pytest.raises(TableUnreadableError, match="no temporary files"):
            open_table(f"duckdb:///{tmp_path}/a.duckdb")
    with open_table(f"duckdb:///{tmp_path}/a.duckdb") as table:
        assert cells(table, "x") == {"1": 1}


def test_long_cells_take_no_more_memory_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persons, "_MEMORY", "30MB")
    monkeypatch.setattr(persons, "_SORTED", 1 << 20)
    monkeypatch.setattr(spools, "_HELD_BYTES", 1 << 24)
    count = 6_000
    texts = [f"{at * 7919 % count}{'x' * 8000}" for at in range(count)]
    columns: dict[str, Any] = {"person": pa.array(range(count)), "vote": pa.array(texts)}
    with open_table(pa.table(columns)) as table:
        for unit in (None, "person"):
            found = list(count_keys(table, "vote", unit=unit))
            assert found == [(text, 1) for text in sorted(texts)]
        assert cells(table, "vote", unit="person") == dict.fromkeys(texts, 1)


def test_a_line_that_is_read_takes_little_of_the_memory_for_grouping(tmp_path: Path) -> None:
    for name, content in (("a.csv", "vote,x\nred,1\n"), ("a.jsonl", '{"vote": "red"}\n')):
        (tmp_path / name).write_text(content, encoding="utf-8")
        with open_table(tmp_path / name) as table:
            assert isinstance(table.source, FileSource)
            table.source._database.execute("set memory_limit = '150MB'")
            assert cells(table, "vote") == {"red": 1}
            _, rows = table.source._opened(["vote"], None)
            (most,) = re.findall(r"max_line_size=([0-9]+)", rows)
            assert LARGEST_RECORD <= int(most) < LARGEST_RECORD + 100
