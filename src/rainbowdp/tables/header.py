# SPDX-License-Identifier: Apache-2.0
"""The first record of a CSV file: the only part of a table that may be judged.

A header is schema, not data, so what is wrong with it is an error: no header, a column named twice. It also
says by which character cells are separated. No row is looked at. A quote opens only at the start of a cell,
as in `rainbowdp.tables.records`; a name whose quote is open at the end of the first line goes on in the next
ones, and where quotes do not fit, the first line is the header and its quotes are text.

A file may lack a header, and then its first row is taken for one. So messages name no column of a table,
except one that is spelled nearly like a column that is asked for.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rainbowdp.errors import TableUnreadableError, UnknownColumnError, did_you_mean
from rainbowdp.tables.encodings import LARGEST_FIRST_LINE, UNREADABLE

_LINE = re.compile(rb"([^\r\n]*+)(\r\n|\n|\r|\Z)")
_DELIMITERS = (",", "\t", ";", "|")
_QUOTED = r' *+"[^"]*+(?:""[^"]*+)*+" *+'
_OPEN = r' *+"[^"]*+(?:""[^"]*+)*+\Z'
_APART = re.compile(r'(\A|[,\t;|]) *+"[^"]*+(?:""[^"]*+)*+(?:"|\Z)')
_ENCODED = "say how the file is encoded, for example --encoding latin-1 or utf-16"
_NO_TEXT = {
    "PK\3\4": "it begins like a spreadsheet, or another ZIP archive: save the table as CSV",
    f"\x1f{UNREADABLE}\b": "it begins like a file of gzip: give it a name that ends in .csv.gz",
    f"({UNREADABLE}/{UNREADABLE}": "it begins like a file of Zstandard: give it a name that ends in .csv.zst",
    "BZh": "it begins like a file of bzip2: decompress it, or compress it with gzip",
    f"{UNREADABLE}7zXZ": "it begins like a file of xz: decompress it, or compress it with gzip",
    f"{UNREADABLE}{UNREADABLE}\x11\u0871": "it begins like a spreadsheet of Excel: save the table as CSV",
    "PAR1": "it begins like a Parquet file: give it a name that ends in .parquet",
    "SQLite format 3": "it begins like an SQLite database: give sqlite:/// before its path",
}
_ABOVE = "the names of the columns must stand in the first line: if there are lines above them, remove these"
_NAMELESS = frozenset({"frame", "the frame", "standard input"})


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
        Whether the header is one line of text in which all quotes fit.
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
        If there is no header, it is too long, or it is not text.
    UnknownColumnError
        If it names a column twice.
    """
    text, line, whole = _beginning(path, content)
    if line is None:
        raise TableUnreadableError(
            f"the first line of {called} is longer than 4 MiB", help="name the columns in the first line"
        )
    if not line[1].strip():
        raise TableUnreadableError(
            f"{called} has no header: its first line is empty"
            if text
            else f"{called} is empty, so it has no header",
            help=_ABOVE if text else "name the columns in the first line",
        )
    first = line[1].decode("utf-8", "replace")
    if UNREADABLE in first:
        raise TableUnreadableError(
            f"the header of {called} is not text in the chosen encoding",
            help=_no_text(first, called),
        )
    found = whole or _of_first_line(path, first, line)
    check_distinct(called, found.names)
    return found


def _no_text(first: str, called: str) -> str:
    """Return what to do about a first line that is no text."""
    help = next((help for start, help in _NO_TEXT.items() if first.startswith(start)), _ENCODED)
    # What standard input is cannot be told by a name.
    plain = "send it as CSV, decompressed, or save it to a file and name the file"
    return f"{help.partition(':')[0]}: {plain}" if called in _NAMELESS and help != _ENCODED else help


def _beginning(path: Path, content: Iterable[bytes]) -> tuple[bytes, re.Match[bytes] | None, Header | None]:
    """Return what was read, the first line unless it is too long, and the header if it has more lines."""
    text = b""
    for block in content:
        text += block
        line = _LINE.match(text)
        # A line feed that belongs to a carriage return may come with the next block.
        if line is not None and line.end() < len(text):
            whole = _continued(path, text, final=False) if _may_go_on(path, line[1]) else None
            if whole is not None or not _may_go_on(path, line[1]) or len(text) > LARGEST_FIRST_LINE:
                return text, line, whole
        elif len(text) > LARGEST_FIRST_LINE:
            return text, None, None
    line = _LINE.match(text)
    open_at_end = line is not None and _may_go_on(path, line[1])
    return text, line, _continued(path, text, final=True) if open_at_end else None


def _of_first_line(path: Path, first: str, line: re.Match[bytes]) -> Header:
    delimiter = _delimiter(path, first)
    names = _names(first, delimiter)
    # Blanks around quotes are left to us.
    plain = names is not None and not re.search(' "|" ', first)
    names = names or tuple(name.strip() for name in first.split(delimiter))
    return Header(names, delimiter, line[2] or b"\n", line.end(), plain)


def _may_go_on(path: Path, line: bytes) -> bool:
    """Say whether a name is open at the end of the first line."""
    first = line.decode("utf-8", "replace")
    if _names(first, _delimiter(path, first)) is not None:
        return False
    return any(_open_at_end(sign, first) for sign in _signs(path))


def _continued(path: Path, content: bytes, *, final: bool) -> Header | None:
    """Return the header where a quoted name goes on after the first line, and all quotes fit."""
    text = content.decode("utf-8", "replace")
    first = re.split("[\r\n]", text, maxsplit=1)[0]
    found = []
    for sign in _signs(path):
        record = _record(sign).match(text) if _open_at_end(sign, first) else None
        if record is None or (record.end() == len(text) and not final) or UNREADABLE in record[0]:
            continue
        names = _names(record[0].removesuffix(record[1]), sign)
        if names is not None:
            ending = record[1].encode() or b"\n"
            found.append(Header(names, sign, ending, len(record[0].encode()), plain=False))
    return max(found, key=lambda header: len(header.names), default=None)


def _signs(path: Path) -> tuple[str, ...]:
    return ("\t",) if re.search(r"\.(tsv|tab)(\.gz|\.zst)?\Z", path.name.lower()) else _DELIMITERS


def _cell(sign: str) -> str:
    return rf'(?:{_QUOTED}| *+(?:[^" \r\n{sign}][^\r\n{sign}]*+)?+)'


def _record(sign: str) -> re.Pattern[str]:
    cell = _cell(re.escape(sign))
    return re.compile(rf"{cell}(?:{re.escape(sign)}{cell})*+(\r\n|\n|\r|\Z)")


def _open_at_end(sign: str, line: str) -> bool:
    """Say whether a line ends inside a quoted cell."""
    return re.match(rf"(?:{_cell(re.escape(sign))}{re.escape(sign)})*+{_OPEN}", line) is not None


def check_distinct(source: str, names: Sequence[str]) -> None:
    """Refuse a table that names a column twice, or several not at all.

    Raises
    ------
    UnknownColumnError
        With the numbers of two such columns.

    Examples
    --------
    >>> check_distinct("frame", ["id", "vote", "id"])
    Traceback (most recent call last):
    rainbowdp.errors.UnknownColumnError: frame gives its columns 1 and 3 the same name
    """
    first: dict[str, int] = {}
    for number, name in enumerate(names, 1):
        before = first.setdefault(name, number)
        if before != number:
            shared = "the same name" if name else "no name"
            raise UnknownColumnError(
                f"{_called(source)} gives its columns {before} and {number} {shared}",
                help="give every column a name of its own; a separator at the end of a line makes one more",
            )


def check_alike(paths: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
    """Refuse files that do not have the same columns.

    Raises
    ------
    TableUnreadableError
        With two files that differ.
    """
    for path, own in zip(paths, names, strict=True):
        if set(own) != set(names[0]):
            raise TableUnreadableError(
                f"{str(path)!r} and {str(paths[0])!r} do not have the same columns",
                help="name files with the same columns in their first lines, or one file",
            )


def check_known(source: str, names: Sequence[str], wanted: Iterable[str], *, hints: bool = True) -> None:
    """Refuse columns that a table does not have.

    Parameters
    ----------
    source : str
        How messages call the table.
    names : sequence of str
        Its columns.
    wanted : iterable of str
        The columns that are asked for.
    hints : bool
        Whether to name a column that is spelled nearly like the one that is asked for.

    Raises
    ------
    UnknownColumnError
        If one of them is unknown.
    """
    for name in wanted:
        if name not in names:
            near = did_you_mean(name, filter(str.isprintable, names)) if hints else ""
            raise UnknownColumnError(
                f"{_called(source)} has no column {name!r}",
                help=near
                or "check the name; the names of the columns must stand in the first line of a file",
                column=name,
            )


def _delimiter(path: Path, record: str) -> str:
    """Return the separator that the suffix tells, or that stands most often outside of quotes."""
    apart = _APART.sub(r"\1", record)
    return max(_signs(path), key=apart.count)


def _names(record: str, delimiter: str) -> tuple[str, ...] | None:
    """Return the names, or None where quotes do not fit."""
    cell = re.compile(_cell(re.escape(delimiter)))
    names, at = [], 0
    while True:
        found = cell.match(record, at)
        end = found.end() if found is not None else at
        if end < len(record) and record[end] != delimiter:
            return None
        name = record[at:end].strip()
        names.append(name[1:-1].replace('""', '"').strip() if name.startswith('"') else name)
        if end == len(record):
            return tuple(names)
        at = end + 1


def _called(source: str) -> str:
    """Return a source as messages call it: what stands outside, such as a path, in quotes."""
    return source if source in _NAMELESS or source.startswith(("'", '"')) else repr(source)
