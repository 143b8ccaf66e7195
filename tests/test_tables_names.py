# SPDX-License-Identifier: Apache-2.0
"""Names of columns that engines take for patterns, on every kind of table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cell_tally import UNREADABLE, cells
from rainbowdp.tables import open_table

PATTERNS = ("*", "^.*$", "columns(*)", 'a"b')
ROWS = 100


def columns(name: str) -> dict[str, list[str]]:
    """Return a table in which one person has all rows, and every other column would say otherwise."""
    numbers = [str(row) for row in range(ROWS)]
    return {"w": numbers, "vote": ["red"] * ROWS, name: ["one person"] * ROWS, "vote2": numbers}


def duckdb_file(name: str) -> str:
    Path("table.db").unlink(missing_ok=True)
    with duckdb.connect("table.db") as database:
        database.register("given", pa.table(columns(name)))
        database.execute("create table people as select * from given")
    return "duckdb:///table.db"


MAKERS: dict[str, Callable[[str], Any]] = {
    "polars": lambda name: pl.DataFrame(columns(name)),
    "polars, lazy": lambda name: pl.DataFrame(columns(name)).lazy(),
    "pandas": lambda name: pd.DataFrame(columns(name)),
    "pyarrow": lambda name: pa.table(columns(name)),
    "DuckDB relation": lambda name: duckdb.from_arrow(pa.table(columns(name))),
    "DuckDB file": duckdb_file,
}


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("kind", MAKERS)
def test_a_name_is_a_name_and_no_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    source = MAKERS[kind](name)
    where = {"table": "people"} if isinstance(source, str) else {}
    with open_table(source, **where) as table:
        assert cells(table, "vote", unit=name, max_rows=1) == {"red": 1}
        assert cells(table, "vote", where={name: "one person"}) == {"red": ROWS}
        assert cells(table, name) == {"one person": ROWS}
        assert table.columns is not None
        assert set(table.columns) == {"w", "vote", name, "vote2"}


def test_parquet_columns_are_found_by_their_names(tmp_path: Path) -> None:
    rows = {"a": [{"b": 1}, {"b": 2}], "a.b": ["red", "blue"], "": ["x", "y"], "A": [True, None]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", row_group_size=1)
    shares: list[float] = []
    with open_table(tmp_path / "a.parquet") as table:
        assert table.columns == ("a", "a.b", "", "A")
        assert table.source.unreadable == {"a"}
        assert cells(table, "a.b", where={"A": "true"}, progress=shares.append) == {"red": 1}
        assert cells(table, "") == {"x": 1, "y": 1}
        assert cells(table, "a") == {UNREADABLE: 2}
        assert cells(table, "a", where={"a.b": "red"}, unit="A") == {UNREADABLE: 1}
    assert shares == sorted(shares)
    assert shares[-1] == 1
