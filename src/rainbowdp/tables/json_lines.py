# SPDX-License-Identifier: Apache-2.0
"""Rewrite a file of JSON lines as records of CSV, so that one reader serves both.

Every line is an object, and its cells
become the texts that `marked_text` gives for their values. Such a file has no header: the first line is a
person's row like any other, so what it holds decides nothing about the rest. The columns are those that are
asked for, and a line without one of them is null there. A line that does not hold an object is left out; a
cell that holds a list or an object becomes a NUL character, which stands for a cell that cannot be read.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rainbowdp.tables.cells import marked_text, whole_number
from rainbowdp.tables.source import one_form

LARGEST_LINE = 1 << 21


def lines_of(content: Iterable[bytes]) -> Iterator[bytes | None]:
    """Yield the lines of a stream that hold anything, None for those of more than `LARGEST_LINE` bytes."""
    rest = b""
    skipping = False
    for block in content:
        *lines, rest = (rest + block).split(b"\n")
        if lines and skipping:
            lines, skipping = lines[1:], False
        yield from (line if len(line) <= LARGEST_LINE else None for line in lines if line.strip())
        if skipping or len(rest) > LARGEST_LINE:
            if not skipping:
                yield None
            rest, skipping = b"", True
    if rest.strip() and not skipping:
        yield rest


def records_of(
    content: Iterable[bytes], names: Sequence[str], left_out: Counter[str] | None = None
) -> Iterator[bytes]:
    r"""Yield the lines of a file as records of CSV, one cell per column.

    Parameters
    ----------
    content : iterable of bytes
        The file in UTF-8.
    names : sequence of str
        The columns that are asked for.
    left_out : Counter of str, optional
        Counts the lines of which no record is made.

    Examples
    --------
    >>> lines = b'{"a": 1.0, "b": true}\n{"a": "x, y"}\noops\n{"b": [1]}\n'
    >>> b"".join(records_of([lines], ["a", "b"]))
    b'"\x001","\x00true"\n"x, y",""\n"","\x00"\n'
    """
    for line in lines_of(content):
        cells = None if line is None else _cells(line)
        if cells is not None:
            yield (",".join([_quoted(cells.get(name)) for name in names]) + "\n").encode()
        elif left_out is not None:
            left_out["holds no object of JSON, or is longer than 2 MiB"] += 1


def _cells(line: bytes) -> dict[str, object] | None:
    """Return the values of an object by name, or None for anything else; no line fails."""
    try:
        # NUL is what could not be decoded, so the parser refuses such a line. It is given text: of bytes with
        # NULs between them it would think that they are UTF-16.
        value = json.loads(line.decode(), parse_int=whole_number)
    except (ValueError, RecursionError):
        return None
    return {one_form(name.strip()): cell for name, cell in value.items()} if isinstance(value, dict) else None


def _quoted(cell: object) -> str:
    return '"' + (marked_text(cell) or "").replace('"', '""') + '"'
