# SPDX-License-Identifier: Apache-2.0
"""Names of columns that engines take for patterns, on every kind of table."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from arrow_places import PLACES
from cell_tally import UNREADABLE, cells
from rainbowdp.tables import open_table

PATTERNS = ("*", "^.*$", "columns(*)", 'a"b')
ROWS = 100
NUMBERS = [str(row) for row in range(ROWS)]
# One person has all rows, and every column whose name is no pattern would say otherwise.
COLUMNS = {"w": NUMBERS, "vote": ["red"] * ROWS, **dict.fromkeys(PATTERNS, ["one person"] * ROWS)}


@pytest.mark.parametrize("kind", ["polars", "lazy polars", "pandas", "arrow", "relation", "duckdb"])
def test_a_name_is_a_name_and_no_pattern(tmp_path: Path, kind: str) -> None:
    with open_table(PLACES[kind](pa.table({**COLUMNS, "vote2": NUMBERS}), tmp_path)) as table:
        assert table.columns == (*COLUMNS, "vote2")
        assert cells(table, "vote", unit="*", max_rows=1) == {"red": 1}
        for name in PATTERNS:
            assert cells(table, "vote", where={name: "one person"}) == {"red": ROWS}
            assert cells(table, name) == {"one person": ROWS}


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
