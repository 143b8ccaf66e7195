# SPDX-License-Identifier: Apache-2.0
"""How many records a CSV file with quotes has, counted by another reader than the one that reads them.

Reading with one thread, DuckDB drops what follows a quote that does not fit, and says nothing of it. So what
it reads is counted, and so are the records, by the standard library. A file without quotes is not counted: to
look for one costs a search at memory speed.
"""

import contextlib
import csv
import gzip
import io
import zlib
from pathlib import Path
from typing import BinaryIO, cast

from rainbowdp.errors import FileFormatError

_BLOCK = 1 << 20


def count_records(path: Path, delimiter: str) -> int | None:
    """Return the number of records of a CSV file in which there are quotes, with the header.

    Parameters
    ----------
    path : Path
        The file, which may be compressed with gzip.
    delimiter : str
        The sign between cells.

    Returns
    -------
    int or None
        None if there are no quotes, or the file cannot be read: whoever reads it says so.

    Raises
    ------
    FileFormatError
        If a quote does not fit, with the line in which its record begins.
    """
    line = found = 0
    # Cells that take part in nothing need not be decoded, and signs of CSV are the same in both encodings.
    with contextlib.suppress(OSError, EOFError, zlib.error):
        if not _has_quotes(path):
            return None
        with _opened(path) as file, io.TextIOWrapper(file, encoding="latin-1", newline="") as text:
            records = csv.reader(text, delimiter=delimiter, strict=True)
            try:
                for record in records:
                    found += bool(record)
                    line = records.line_num
            except csv.Error as error:
                long = (
                    f", or a cell of more than {csv.field_size_limit()} signs"
                    if "limit" in str(error)
                    else ""
                )
                raise FileFormatError(
                    f"line {line + 1} of {str(path)!r} has a quote that is never closed, or text after "
                    f"a closing quote{long}",
                    help="close it; a quote inside a quoted cell is doubled",
                    path=str(path),
                ) from error
        return found
    return None


def _has_quotes(path: Path) -> bool:
    with _opened(path) as file:
        while block := file.read(_BLOCK):
            if b'"' in block:
                return True
    return False


def _opened(path: Path) -> BinaryIO:
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    return cast("BinaryIO", opened(path, "rb"))
