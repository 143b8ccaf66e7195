# SPDX-License-Identifier: Apache-2.0
"""Large CSV files of pairs: each row is read once, wherever a reader would cut the file."""

import gzip
from pathlib import Path

import pytest

from rainbowdp.errors import FileFormatError
from rainbowdp.formats import tables
from rainbowdp.formats.csv_quotes import check_quotes
from rainbowdp.formats.suffixes import Form

ROWS = {
    "a comma in quotes": '",",x\r\n',
    "a quote in a cell": "x\",5'\n",
    "a line break": '"a\nb",","\r\n',
    "empty lines": "\na,b\n\n\n",
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_each_row_of_a_large_file_is_read_once(
    row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # DuckDB reads 16 of these at a time, at least 32 MiB: so a file of 36 megabytes is cut.
    monkeypatch.setattr(tables, "_LONGEST_CSV_LINE", 1 << 21)
    number = 36_000_000 // len(row)
    path = tmp_path / "pairs.csv"
    ending = "\r\n" if row.endswith("\r\n") else "\n"
    for before in range(1, 5):
        path.write_bytes((f"{'a' * before},b{ending}" + row * number).encode())
        with tables.connect() as database:
            query = tables.open_table(database, path, Form.CSV, ()).query("b")
            found = database.sql(f"select count(*) from ({query}) where v0 is not null").fetchall()  # noqa: S608 - the query of a table
        assert found == [(number,)]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["unix", "windows", "mac"])
@pytest.mark.parametrize("size", [10, 300_000])
@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz"])
def test_a_quote_that_is_never_closed_is_found_with_its_line(
    ending: str, size: int, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    opened = gzip.open if name.endswith(".gz") else open
    before = ["5'10\",x", '"a ""b"", c",y', ',"', '" ,z'] if size == 10 else ["a,b", '"a","b"'] * (size // 2)
    for last, closed in (('x,y"z', True), ('x,"y"', True), ('x,"y', False), ('"x,y', False), ('x, "', False)):
        for end in (ending, ""):
            with opened(path, "wb") as file:
                file.write((ending.join(["a,b", *before, last]) + end).encode())
            if closed:
                check_quotes(path, ",", 1 << 20)
            else:
                with pytest.raises(FileFormatError, match=f"line {len(before) + 2} of .* never closed"):
                    check_quotes(path, ",", 1 << 20)
