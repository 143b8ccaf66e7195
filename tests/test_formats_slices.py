# SPDX-License-Identifier: Apache-2.0
"""Large CSV files of pairs: each row is read once, wherever a reader would cut the file."""

import gzip
from pathlib import Path

import pytest

from rainbowdp.errors import FileFormatError
from rainbowdp.formats import tables
from rainbowdp.formats.files import Form

ROWS = {
    "a comma in quotes": '",",x\r\n',
    "a quote in a cell": "x\",5'\n",
    "a line break": '"a\nb",","\r\n',
    "empty lines": "\na,b\n\n\n",
}


@pytest.mark.release
@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("before", range(1, 5))
def test_each_row_of_a_large_file_is_read_once(
    name: str, before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ROWS[name]
    # DuckDB reads 16 of these at a time, at least 32 MiB: so a file of 36 megabytes is cut.
    monkeypatch.setattr(tables, "_LONGEST_RECORD", 1 << 21)
    number = 36_000_000 // len(row)
    path = tmp_path / "pairs.csv"
    ending = "\r\n" if row.endswith("\r\n") else "\n"
    path.write_bytes((f"{'a' * before},b{ending}" + row * number).encode())
    with tables.connect() as database:
        query = tables.open_table(path, Form.CSV, ()).query("b")
        found = database.sql(f"select count(*) from ({query}) where v0 is not null").fetchall()  # noqa: S608 - the query of a table
    assert found == [(number,)]


FITS = ('x,y"z', 'x,"y"', 'x,""')
FITS_NOT = ('  x,  "5', 'x,"y', '"x,y', 'x,"y" ', 'x,"y"z', '"5"" pipe" ,y')


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("size", [10, pytest.param(100_000, marks=pytest.mark.release)])
@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz"])
def test_a_quote_that_does_not_fit_is_found_with_its_line(
    ending: str, size: int, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    before = ["5'10\",x", '"a ""b"", c",y', ',"', '" ,z'] if size == 10 else ["a,b", '"a","b"'] * (size // 2)
    before = before[:2] if size == 10 else before
    with tables.connect() as database:
        for last in (*FITS, *FITS_NOT):
            for after in ("", ending, f"{ending}a,b{ending}c,d{ending}"):
                content = (ending.join(["a,b", *before, last]) + after).encode()
                path.write_bytes(gzip.compress(content, 1) if name.endswith(".gz") else content)
                if last in FITS:
                    query = tables.open_table(path, Form.CSV, ()).query("a")
                    ((found,),) = database.sql(f"select count(*) from ({query})").fetchall()  # noqa: S608 - the query of a table
                    assert found == len(before) + 1 + 2 * (len(after) > 2)
                else:
                    with pytest.raises(FileFormatError, match=rf"line {len(before) + 2} of .* quote"):
                        tables.open_table(path, Form.CSV, ())


@pytest.mark.parametrize("row", [' "x",y', '"x" ,y', 'x, "y"', 'x, ""', 'x, "é" '])
def test_a_cell_that_would_be_read_as_another_is_found(row: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f"a,b\n{row}\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"line 2 of .* blanks around quotes"):
        tables.open_table(path, Form.CSV, ("a", "b"))
