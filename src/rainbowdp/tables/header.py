# SPDX-License-Identifier: Apache-2.0
"""The first record of a CSV file: the only part of a table that may be judged.

A header is schema, not data, so what is wrong with it is an error: no header, a quote that is never closed,
a column named twice. It also says by which sign cells are separated. No row is looked at.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rainbowdp.errors import TableUnreadableError, UnknownColumnError, did_you_mean
from rainbowdp.tables.encodings import UNREADABLE

LARGEST_HEADER = 1 << 22

_RECORD = re.compile(rb'((?:[^"\r\n]|"(?:[^"]|"")*+")*+)(\r\n|\n|\r|\Z)')
_DELIMITERS = (",", "\t", ";", "|")


@dataclass(frozen=True)
class Header:
    r"""What the first record of a CSV file says.

    Attributes
    ----------
    names : tuple of str
        The columns, without outer blanks, in their order.
    delimiter : str
        Comma, tab, semicolon or bar.
    ending : bytes
        The line ending after the header; ``b"\n"`` where there is none.
    length : int
        Number of bytes of the header and its ending, in UTF-8.
    plain : bool
        Whether the header is one line of text.
    """

    names: tuple[str, ...]
    delimiter: str
    ending: bytes
    length: int
    plain: bool


def read_header(path: Path, content: Iterable[bytes], called: str) -> Header:
    """Read the header of a CSV file.

    Parameters
    ----------
    path : Path
        The file; a name that ends in ``.tsv`` or ``.tab`` says that tabs separate the cells.
    content : iterable of bytes
        Its content in UTF-8 (`rainbowdp.tables.encodings.in_utf8`).
    called : str
        How messages call it.

    Raises
    ------
    TableUnreadableError
        If there is no header, or it is not text.
    UnknownColumnError
        If it names a column twice.
    """
    text = b""
    complete = False
    found = None
    for block in content:
        text += block
        found = _RECORD.match(text)
        # A line feed that belongs to a carriage return may come with the next block.
        complete = found is not None and found.end() < len(text)
        if complete or len(text) > LARGEST_HEADER:
            break
    if found is None or (not complete and len(text) > LARGEST_HEADER):
        raise TableUnreadableError(
            f"the header of {called} has a quote that is never closed, or is longer than 4 MiB",
            help="name the columns in the first line; a quote inside a quoted name is doubled",
        )
    if not found[1].strip():
        raise TableUnreadableError(
            f"{called} has no header: its first line is empty"
            if text
            else f"{called} is empty, so it has no header",
            help="name the columns in the first line",
        )
    record = found[1].decode("utf-8", "replace")
    if UNREADABLE in record:
        raise TableUnreadableError(
            f"the header of {called} is not text in the chosen encoding",
            help="say how the file is encoded, for example --encoding latin-1 or utf-16",
        )
    delimiter = _delimiter(path, record)
    names = _names(record, delimiter)
    check_distinct(called, names)
    plain = b"\n" not in found[1] and b"\r" not in found[1]
    return Header(names, delimiter, found[2] or b"\n", found.end(), plain)


def check_distinct(source: str, names: Sequence[str]) -> None:
    """Refuse a table that names a column twice.

    Raises
    ------
    UnknownColumnError
        With the name.
    """
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise UnknownColumnError(
            f"{source} has two columns called {twice!r}", help="rename or remove one of them", column=twice
        )


def check_alike(paths: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
    """Refuse files that do not have the same columns.

    Raises
    ------
    TableUnreadableError
        With two files and a column that only one of them has.
    """
    for path, own in zip(paths, names, strict=True):
        if set(own) != set(names[0]):
            odd = min(set(own) ^ set(names[0]))
            raise TableUnreadableError(
                f"{str(path)!r} and {str(paths[0])!r} differ: only one has the column {odd!r}",
                help="name files with the same columns, or one file",
            )


def check_known(source: str, names: Sequence[str], wanted: Iterable[str]) -> None:
    """Refuse columns that a table does not have.

    Raises
    ------
    UnknownColumnError
        With the closest column, or all of them.
    """
    for name in wanted:
        if name in names:
            continue
        shown = ", ".join(map(repr, names[:20])) + (", …" if len(names) > 20 else "")
        hint = did_you_mean(name, names)
        raise UnknownColumnError(
            f"{source} has no column {name!r}",
            help=f"{hint} Its columns are {shown}" if hint else f"its columns are {shown}",
            column=name,
        )


def _delimiter(path: Path, record: str) -> str:
    """Return the sign that the suffix tells, or that splits the header into the most columns."""
    if re.search(r"\.(tsv|tab)(\.gz|\.zst)?\Z", path.name.lower()):
        return "\t"
    return max(_DELIMITERS, key=lambda sign: len(_names(record, sign)))


def _names(record: str, delimiter: str) -> tuple[str, ...]:
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_HEADER))
    try:
        (names,) = csv.reader([record], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError):
        # Quotes that do not fit this sign; another one may fit.
        return (record,)
    return tuple(name.strip() for name in names)
