# SPDX-License-Identifier: Apache-2.0
"""CSV files so large that a reader may cut them into slices: each row counts once, wherever a cut falls."""

from pathlib import Path

import pytest

from rainbowdp.questions import OptionReading
from rainbowdp.questions.readings import OptionCounts
from rainbowdp.tables import open_table, summarize

# DuckDB's slices have 8 MiB, its buffers four times that; rows were lost or counted twice where two met.
ROWS = {
    "a quote in a cell": ('x",y",red\n', 9_000_000),
    "inches": ('5\'10",",",red\n', 9_000_000),
    "a comma in quotes": ('",",1,red\r\n', 9_000_000),
    "empty lines": ("\n1,2,red\n\n\n", 36_000_000),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.release] * (name != "inches")) for name in ROWS]
)
def test_each_row_of_a_large_file_counts_once(name: str, tmp_path: Path) -> None:
    row, size = ROWS[name]
    number = size // len(row)
    ending = "\r\n" if row.endswith("\r\n") else "\n"
    path = tmp_path / "table.csv"
    for before in range(1, len(row) + 1, 3):
        header = f"{'a' * before},b,vote{ending}"
        path.write_bytes((header + row * number).encode())
        with open_table(path) as table:
            found = summarize(table, OptionReading("vote", ("red", "blue")))
        assert isinstance(found, OptionCounts)
        assert found.counts == (number, 0)
