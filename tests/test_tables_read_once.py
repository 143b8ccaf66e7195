# SPDX-License-Identifier: Apache-2.0
"""A file is read once whatever links lead to it; names and types that are refused or unreadable by schema."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from cell_tally import UNREADABLE, cells
from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables import open_table


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


@pytest.mark.parametrize("sql", ["'red'::variant", "row(1, 2)", "{'a': 1}", "interval 1 day"])
def test_what_may_be_a_list_in_duckdb_has_no_text_on_any_way_in(tmp_path: Path, sql: str) -> None:
    import ibis  # type: ignore[import-untyped]  # it ships no types

    path = tmp_path / "people.db"
    with duckdb.connect(str(path)) as database:
        database.execute(f"create table people as select {sql} as vote, 1 as w")
    url = f"duckdb:///{path}"
    ways: list[tuple[Any, dict[str, str]]] = [(url, {"table": "people"}), (url, {"sql": "from people"})]
    for source, options in ways:
        with open_table(source, **options) as table:
            assert table.source.unreadable == ("vote",)
            assert cells(table, "vote") == cells(table, "vote", unit="w", max_rows=1) == {UNREADABLE: 1}
    with duckdb.connect(str(path)) as database, open_table(database.table("people")) as table:
        assert cells(table, "vote") == {UNREADABLE: 1}
    backend = ibis.duckdb.connect(path)
    with warnings.catch_warnings():
        # What ibis itself asks DuckDB for is old.
        warnings.simplefilter("ignore")
        given = backend.table("people")
    with open_table(given) as table:
        assert cells(table, "vote") == {UNREADABLE: 1}
        assert cells(table, "w") == {"1": 1}
    backend.disconnect()
