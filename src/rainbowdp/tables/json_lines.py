# SPDX-License-Identifier: Apache-2.0
"""Read files of JSON lines: every line is an object, whose values are the cells of a row.

Such a file has no header: the first line is a person's row like any other, so what it holds decides nothing
about the rest. The columns are those that are asked for, and a line without one of them is null there. A line
that does not hold an object is left out; a list, an object or a long text is a cell that cannot be read.
"""

import contextlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rainbowdp.formats.encodings import in_utf8
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.cells import rows_source, whole_number
from rainbowdp.tables.local_files import blocks
from rainbowdp.tables.source import UNREADABLE_CELL, Progress, Source, one_form

LARGEST_LINE = 1 << 21
_LEFT_OUT = "holds no object of JSON, or is longer than 2 MiB"


def json_lines_source(paths: Sequence[Path], encoding: str, name: str) -> Source:
    """Return the rows of files of JSON lines.

    Parameters
    ----------
    paths : sequence of Path
        At least one.
    encoding : str
        From `rainbowdp.formats.encodings.encoding_called`.
    name : str
        How messages call them.
    """

    def objects(progress: Progress | None = None) -> Iterator[dict[str, object] | None]:
        for at, path in enumerate(paths):
            told = None if progress is None else _part_of(progress, at, len(paths))
            with contextlib.closing(blocks(path, told)) as content:
                yield from map(_object, lines_of(in_utf8(content, encoding)))

    def rows(columns: Sequence[str], progress: Progress | None) -> Iterator[list[object]]:
        for values in objects(progress):
            if values is not None:
                yield [_cell(values.get(column)) for column in columns]

    return rows_source(
        name,
        None,
        rows,
        takes=frozenset({"encoding"}),
        left_out=lambda: Counter(_LEFT_OUT for values in objects() if values is None),
    )


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


def _part_of(progress: Progress, at: int, files: int) -> Progress:
    return lambda share: progress((at + share) / files)


def _object(line: bytes | None) -> dict[str, object] | None:
    """Return the values of an object by name, or None for anything else; no line fails."""
    try:
        # NUL is what could not be decoded, so the parser refuses such a line. It is given text: of bytes with
        # NULs between them it would think that they are UTF-16.
        value = None if line is None else json.loads(line.decode(), parse_int=whole_number)
    except (ValueError, RecursionError):
        return None
    return {one_form(name.strip()): cell for name, cell in value.items()} if isinstance(value, dict) else None


def _cell(value: object) -> object:
    """Return a value that can be kept beside those of many other lines."""
    if isinstance(value, list | dict) or (isinstance(value, str) and len(value) > LARGEST_CELL):
        return UNREADABLE_CELL
    return value
