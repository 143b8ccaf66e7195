# SPDX-License-Identifier: Apache-2.0
"""How much a CSV file with quotes holds, measured by another reader than the one that reads it.

Reading with one thread, DuckDB drops what follows a quote that does not fit, and blanks and quotes around
cells, and says nothing of it. So what it reads is measured, and so is what is there, by the standard library.
A file without quotes is not measured: to look for one costs a search at memory speed.
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


def measure(path: Path, delimiter: str) -> tuple[int, int] | None:
    """Return the number of rows of a CSV file in which there are quotes, and the bytes in all their cells.

    Parameters
    ----------
    path : Path
        The file, which may be compressed with gzip.
    delimiter : str
        The sign between cells.

    Returns
    -------
    tuple of int or None
        None if there are no quotes, or the file cannot be read: its reader reports that.

    Raises
    ------
    FileFormatError
        If a quote does not fit, with the line in which its record begins.
    """
    line = rows = size = 0
    # Cells that take part in nothing need not be decoded, and a sign of this encoding is a byte.
    with contextlib.suppress(OSError, EOFError, zlib.error):
        if not _has_quotes(path):
            return None
        with _opened(path) as file, io.TextIOWrapper(file, encoding="latin-1", newline="") as text:
            records = csv.reader(text, delimiter=delimiter, strict=True)
            try:
                for record in records:
                    if line:
                        rows += bool(record)
                        size += len("".join(record))
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
        return rows, size
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
