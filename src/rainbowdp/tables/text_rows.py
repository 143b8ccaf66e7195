# SPDX-License-Identifier: Apache-2.0
"""Read text files row by row: JSON lines, and CSV files that are written in a described dialect.

Of JSON lines every line is an object, whose values are the cells of a row. Such a file has no header: the
first line is a person's row like any other, so what it holds decides nothing about the rest. The columns are
those that are asked for, and a line without one of them is null there. A line that does not hold an object is
left out; a list, an object or a long text is a cell that cannot be read.

For a described file, the description says how records are cut into cells and which records name the columns.
"""

import contextlib
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from rainbowdp.errors import TableUnreadableError
from rainbowdp.formats.csv_files import delimiters_of
from rainbowdp.formats.described_csv import DescribedFile
from rainbowdp.formats.encodings import in_utf8
from rainbowdp.formats.table_descriptions import Dialect, TableDescription
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.cells import rows_source, whole_number
from rainbowdp.tables.local_files import blocks
from rainbowdp.tables.source import (
    UNREADABLE_CELL,
    Progress,
    Source,
    check_alike,
    check_distinct,
    one_form,
    part_of,
)

LARGEST_LINE = 1 << 21
OF_CSV = frozenset({part.name for part in fields(Dialect)} - {"sheet"} | {"encoding"})
"""What a `Dialect` may say of a CSV file, and its encoding."""
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
        for _, content in _contents(paths, encoding, progress):
            yield from map(_object, lines_of(content))

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


def dialect_source(paths: Sequence[Path], encoding: str, name: str, description: TableDescription) -> Source:
    """Return the rows of CSV files that are written as a description says.

    Parameters
    ----------
    paths, encoding, name
        As for `json_lines_source`.
    description : TableDescription
        How the files are written.

    Raises
    ------
    TableUnreadableError
        If a file cannot be read, has no header as described, or the files do not fit each other.
    UnknownColumnError
        If a column is named twice.
    """

    def files(progress: Progress | None = None) -> Iterator[DescribedFile]:
        for path, content in _contents(paths, encoding, progress):
            called = name if len(paths) == 1 else repr(str(path))
            file = DescribedFile(content, description, delimiters_of(path), called, TableUnreadableError)
            check_distinct(called, file.names)
            yield file

    def rows(columns: Sequence[str], progress: Progress | None) -> Iterator[list[object]]:
        for file in files(progress):
            places = list(map(file.names.index, columns))
            for row in file.rows():
                yield [_cell(row[place]) for place in places]

    def left_out() -> Counter[str]:
        counted: Counter[str] = Counter()
        for file in files():
            deque(file.rows(counted), maxlen=0)
        return counted

    headers = [(file.names, file.delimiter) for file in files()]
    check_alike(paths, [names for names, _ in headers])
    return rows_source(
        name,
        headers[0][0],
        rows,
        separator=max((delimiter for _, delimiter in headers), key=";".__eq__),
        takes=OF_CSV,
        left_out=left_out,
    )


def _contents(
    paths: Sequence[Path], encoding: str, progress: Progress | None = None
) -> Iterator[tuple[Path, Iterator[bytes]]]:
    """Yield each file with its content in UTF-8, which is closed when the next one is asked for."""
    for at, path in enumerate(paths):
        with contextlib.closing(blocks(path, part_of(progress, at, len(paths)))) as content:
            yield path, in_utf8(content, encoding)


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
    large = len(value) > LARGEST_CELL if isinstance(value, str) else isinstance(value, list | dict)
    return UNREADABLE_CELL if large else value
