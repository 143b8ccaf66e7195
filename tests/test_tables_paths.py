# SPDX-License-Identifier: Apache-2.0
"""What files, and directories for temporary files, are called decides nothing that depends on a row."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cell_tally import cells
from postgres_server import fresh_database
from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables import count_keys, database_files, open_table

ROWS = b"vote,w\n" + b"red,1\n" * 9
# The last row is in order, or makes a copy necessary.
LAST = (b"red,2\n", b"red\n", b'"red,2\n', b"red,\xff\n", b"red,\0\n")
NAMES = ("\udcc3(", "a[1]", "a\\[b*", "[]]", "?*?", "{a,b}", "a'b\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_read_whatever_it_is_called(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / f"d{name}"
    folder.mkdir()
    # DuckDB's pattern for a name with a bracket fits this one as well.
    (tmp_path / "\\n.csv").write_bytes(b"vote,w\nother,1\n")
    for path in (tmp_path / f"{name}.csv", folder / "a.csv"):
        for last in LAST[:2]:
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
            for _ in range(2):
                with pytest.raises(TableUnreadableError, match=r"^DuckDB can put no temporary files into "):
                    cells(opened, "vote")
            refused: list[Callable[[], object]] = [
                lambda: open_table(f"duckdb:///{tmp_path}/a.duckdb"),
                lambda: cells(frame, "vote", unit="vote"),
                lambda: list(count_keys(frame, "vote")),
            ]
            for read in refused:
                with pytest.raises(TableUnreadableError) as caught:
                    read()
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
                assert cells(table, "vote")["red"] >= 9
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

    texts = ['"red"', "null", "1.0", "-0", "true", '"\\u00e9"', '" b "', "[1]", '{"a": 1}', '""', "7"]
    values = [*texts, "1" + "0" * 500, '"null"', "0.1", '"' + "x" * 8190 + '"']
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


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_to_a_file_does_not_count_its_people_again(
    tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    (tmp_path / "data-2024.csv").write_text("vote\nred\nred\n", encoding="utf-8")
    (tmp_path / "data-2025.csv").write_text("vote\nblue\n", encoding="utf-8")
    link(tmp_path / "data-2025.csv", tmp_path / "data-0.csv")
    link(tmp_path / "data-2024.csv", tmp_path / "data-latest.csv")
    with open_table(str(tmp_path / "data-*.csv")) as table:
        assert cells(table, "vote") == {"red": 2, "blue": 1}
    # Copies are other files.
    (tmp_path / "data-copy.csv").write_bytes((tmp_path / "data-2024.csv").read_bytes())
    with open_table(str(tmp_path / "data-*.csv")) as table:
        assert cells(table, "vote") == {"red": 4, "blue": 1}


def test_progress_never_falls_whether_or_not_a_row_is_in_order(tmp_path: Path) -> None:
    rows = ["red,1,abcdefghij\n"] * 200_000
    for odd in (None, 100_000, 190_000):
        path = tmp_path / f"{odd}.csv"
        lines = rows if odd is None else [*rows[:odd], '"x\n', *rows[odd:]]
        path.write_text("vote,w,x\n" + "".join(lines), encoding="utf-8")
        told: list[float] = []
        with open_table(str(path)) as table:
            cells(table, "vote", progress=told.append)
        assert told == sorted(told)
        assert told[-1] == 1


@pytest.mark.parametrize(("name", "content"), [("a.csv", "vote\nred\n"), ("a.jsonl", '{"vote": "red"}\n')])
def test_a_file_that_is_gone_is_no_lack_of_room(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with open_table(str(path)) as table:
        path.unlink()
        with pytest.raises(TableUnreadableError, match="cannot read") as caught:
            cells(table, "vote")
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
