# SPDX-License-Identifier: Apache-2.0
"""Whether every quoted cell of a CSV file ends.

Reading with one thread, DuckDB drops what follows a quote that is never closed, and says nothing of it.

A file without quotes costs a search at memory speed.
"""

import contextlib
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from rainbowdp.errors import FileFormatError

_BLOCK = 1 << 20


def check_quotes(path: Path, delimiter: str, longest: int) -> None:
    """Refuse a CSV file in which a quote opens a cell and is never closed.

    Parameters
    ----------
    path : Path
        The file, which may be compressed with gzip.
    delimiter : str
        The sign between cells.
    longest : int
        How many bytes a line has at most; longer ones are refused by DuckDB.

    Raises
    ------
    FileFormatError
        If there is one, with the line in which it stands.
    """
    sign = re.escape(delimiter.encode())
    quoted = rb' *+"[^"]*+(?:""[^"]*+)*+"[^\r\n' + sign + rb"]*+"
    plain = rb'(?! *+")[^\r\n' + sign + rb"]*+"
    cell = rb"(?:" + quoted + rb"|" + plain + rb")"
    ended = rb"(?:" + cell + rb"[\r\n" + sign + rb"])*+"
    cells, last = re.compile(ended), re.compile(ended + cell)
    rest, line = b"", 1
    # Whoever reads what cannot be read says what is wrong with it.
    with contextlib.suppress(OSError, EOFError, zlib.error):
        for block in _blocks(path):
            buffer = rest + block
            if b'"' in buffer:
                found = cells.match(buffer)
                end = found.end() if found else 0
            else:
                end = max(buffer.rfind(b"\n"), buffer.rfind(b"\r")) + 1
            line += buffer.count(b"\n", 0, end) or buffer.count(b"\r", 0, end)
            rest = buffer[end:]
            if len(rest) > longest:
                return
    if not last.fullmatch(rest):
        raise FileFormatError(
            f"line {line} of {str(path)!r} has a quote that is never closed",
            help="close it; a quote inside a quoted cell is doubled",
            path=str(path),
        )


def _blocks(path: Path) -> Iterator[bytes]:
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    with opened(path, "rb") as file:
        while block := file.read(_BLOCK):
            yield block
