# SPDX-License-Identifier: Apache-2.0
"""Whether there is room is asked before a row is read, and long cells need no more memory than there is."""

import errno
import os
import re
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
import pytest

from cell_tally import cells, cells_by
from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables import count_keys, duckdb_files, open_table, ordered_texts, person_rows, persons
from rainbowdp.tables.files import FileSource
from rainbowdp.tables.records import LARGEST_RECORD
from table_backends import BACKENDS, Backend, Row

ROWS: list[Row] = [(1, "red", True, 1.0, "01"), (2, "blue", True, 1.0, "01")]


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """Let this process write no file of more bytes for a while."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


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


def test_room_for_the_first_rows_of_persons_is_taken_before_they_come() -> None:
    frame = pl.DataFrame({"person": [1], "vote": ["red"]})
    with open_table(frame) as table:
        with small_files(4 << 20), pytest.raises(TableUnreadableError, match="no room") as caught:
            cells(table, "vote", unit="person")
        assert caught.value.__context__ is None
        assert cells(table, "vote", unit="person") == {"red": 1}


@pytest.mark.parametrize("code", [errno.EOPNOTSUPP, None])
def test_room_is_taken_where_the_system_cannot_reserve_it(
    code: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fallocate(*_: int) -> None:
        raise OSError(code, "no")

    if code is None:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    else:
        monkeypatch.setattr(os, "posix_fallocate", fallocate, raising=False)
    test_room_for_the_first_rows_of_persons_is_taken_before_they_come()
    monkeypatch.setattr(person_rows, "_HELD", 2)
    frame = pl.DataFrame({"person": range(9), "vote": ["red"] * 9})
    with open_table(frame) as table:
        assert cells(table, "vote", unit="person") == {"red": 9}


@pytest.mark.parametrize("last", ['"9" ,red', "9,red"])
def test_a_limit_on_the_size_of_files_is_seen_before_a_row_is(tmp_path: Path, last: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("person,vote\n" + "1,red\n" * 10_000 + last + "\n", encoding="utf-8")
    with small_files(20_000), open_table(path) as table, pytest.raises(TableUnreadableError, match="no room"):
        cells(table, "vote")
    with open_table(path) as table:
        assert cells(table, "vote") == {"red": 10_001}


def test_a_copy_from_another_encoding_may_be_three_times_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage(NamedTuple):
        free: int

    content = "vote\n" + "€\n" * 1000
    (tmp_path / "a.csv").write_text(content, encoding="cp1252")
    size = len(content.encode())
    assert (tmp_path / "a.csv").stat().st_size < size < 3 * (tmp_path / "a.csv").stat().st_size
    for free, enough in ((3 * (tmp_path / "a.csv").stat().st_size, False), (3 * size, True)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: Usage(free))
        with open_table(tmp_path / "a.csv", encoding="cp1252") as table:
            if enough:
                assert cells(table, "vote") == {"€": 1000}
            else:
                with pytest.raises(TableUnreadableError, match="no room"):
                    cells(table, "vote")


def test_a_file_of_duckdb_needs_a_place_for_what_it_spills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    duckdb.connect(str(tmp_path / "a.duckdb")).execute("create table people as select 1 as x").close()
    duckdb_files._directory_for_spills.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
        with pytest.raises(TableUnreadableError, match="no temporary files"):
            open_table(f"duckdb:///{tmp_path}/a.duckdb")
    with open_table(f"duckdb:///{tmp_path}/a.duckdb") as table:
        assert cells(table, "x") == {"1": 1}


def test_long_cells_take_no_more_memory_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persons, "_MEMORY", "30MB")
    monkeypatch.setattr(persons, "_SORTED", 1 << 20)
    monkeypatch.setattr(ordered_texts, "_HELD", 1 << 24)
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
