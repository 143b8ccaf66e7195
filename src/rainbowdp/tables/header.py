# SPDX-License-Identifier: Apache-2.0
"""The first record of a CSV file: the only part of a table that may be judged.

A header is schema, not data, so what is wrong with it is an error: no header, a column named twice. It also
says by which sign cells are separated. No row is looked at. A quote opens only at the start of a cell, as in
`rainbowdp.tables.records`; a name whose quote is open at the end of the first line goes on in the next ones,
and where quotes do not fit, the first line is the header and its quotes are text.

Names are shown in messages, and what was taken for a name may in truth be rows: in the wrong encoding, or
where a quote was left open. So no message shows a name that holds a line break or another sign that cannot be
printed, nor any name of a file without line endings, nor more than `LONGEST_SHOWN` characters of one.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rainbowdp.errors import TableUnreadableError, UnknownColumnError, did_you_mean
from rainbowdp.tables.encodings import LARGEST_FIRST_LINE, UNREADABLE

LONGEST_SHOWN = 60

_LINE = re.compile(rb"([^\r\n]*+)(\r\n|\n|\r|\Z)")
# Numbers as anybody writes them, amounts, dates, times: what begins with a digit, after signs if any, also
# after what would separate cells in another file. And what stands in a row of JSON, YAML, XML or Python: a
# bracket or dash before it, a colon after a quote or before a digit, or an equals sign inside it.
_NUMERALS = "²³¹¼½¾⁰-⁹₀-₉⅐-↉①-⓿"
_LIKE_A_CELL = re.compile(
    rf"""(?:\A|[,;|\t])(?:[^\w,;|\t]|_)*+(?:[\d{_NUMERALS}]|(?:nan|inf|infinity)(?:\Z|[,;|\t]))"""
    r"""|\A(?:[{\[<(\\]|- )|["']\s*+:|:\s*+\d|=\s*+["'\w]""",
    re.IGNORECASE,
)
# An object or a list, or the beginning of one that goes on in the next line: somebody's row, and no names.
_LIKE_JSON = re.compile(r"""\s*(?:\{\s*(?:["'}]|\Z)|\[\s*(?:["'{\[\]]|\Z))""")
_DELIMITERS = (",", "\t", ";", "|")
_QUOTED = r' *+"[^"]*+(?:""[^"]*+)*+" *+'
_OPEN = r' *+"[^"]*+(?:""[^"]*+)*+\Z'
_APART = re.compile(r'(\A|[,\t;|]) *+"[^"]*+(?:""[^"]*+)*+(?:"|\Z)')
_NOT_SHOWN = (
    "its columns are not shown, since what stands at the start of the table may be no header: "
    "check the first line, its quotes and the encoding; if it is a row, put a line with names above it"
)


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


class UnshownNames(tuple[str, ...]):
    """Names of columns that no message may show: a file without line endings may be all rows."""

    __slots__ = ()


class FirstLine(tuple[str, ...]):
    """Names of columns as the first line of a text file says them, above which there may be other lines."""

    __slots__ = ()


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
    if _LIKE_JSON.match(first):
        raise TableUnreadableError(
            f"the first line of {called} is no header: it begins as JSON does",
            help="give a file of JSON lines a name that ends in .jsonl or .ndjson; standard input is for CSV",
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
    # Where a quote is open, a row decides whether it is closed, and no message may tell.
    hidden = not line[2] or _may_go_on(path, line[1])
    return Header(
        (UnshownNames if hidden else FirstLine)(names), delimiter, line[2] or b"\n", line.end(), plain
    )


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
            # What closes the quote may be a row.
            hidden = UnshownNames(names)
            found.append(Header(hidden, sign, ending, len(record[0].encode()), plain=False))
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
        With the name.
    """
    if len(set(names)) == len(names):
        return
    called = _called(source)
    shown = shown_names(names)
    if shown and names.count("") > 1:
        help = "give every column a name of its own"
        if isinstance(names, FirstLine):
            help = "name every column in the first line; a separator at its end makes one more column"
        if isinstance(names, FirstLine) and _may_be_a_title(names):
            help = _ABOVE
        raise UnknownColumnError(
            f"{called} has {_number_of(names.count(''))} columns without a name", help=help
        )
    times = Counter(names)
    twice = shown_names([next(name for name in names if times[name] > 1)]) if shown else []
    raise UnknownColumnError(
        f"{called} has two columns called {twice[0]!r}" if twice else f"{called} names a column twice",
        help="rename or remove one of them",
        **({"column": twice[0]} if twice else {}),
    )


def check_alike(paths: Sequence[Path], names: Sequence[Sequence[str]]) -> None:
    """Refuse files that do not have the same columns.

    Raises
    ------
    TableUnreadableError
        With two files, and a column that only one of them has if it has all of the other one, too: of two
        first lines that differ otherwise, one may be somebody's row.
    """
    for path, own in zip(paths, names, strict=True):
        if set(own) != set(names[0]):
            odd = min(set(own) ^ set(names[0]))
            further = set(own) < set(names[0]) or set(own) > set(names[0])
            shown = shown_names([odd]) if further and shown_names(own) and shown_names(names[0]) else []
            raise TableUnreadableError(
                f"{str(path)!r} and {str(paths[0])!r} differ: only one has "
                + (f"the column {shown[0]!r}" if shown else "some column"),
                help="name files with the same columns in their first lines, or one file",
            )


def check_known(source: str, names: Sequence[str], wanted: Iterable[str]) -> None:
    """Refuse columns that a table does not have.

    Raises
    ------
    UnknownColumnError
        With the closest column, or all of them.
    """
    given = set(names)
    for name in wanted:
        if name in given:
            continue
        known = shown_names(names)
        shown = ", ".join(map(repr, known[:20])) + (", …" if len(known) > 20 else "")
        hint = did_you_mean(name, [own for own in known if own in given])
        listed = f"{hint} Its columns are {shown}" if hint else f"its columns are {shown}"
        if not hint and isinstance(names, FirstLine) and _may_be_a_title(names):
            listed = f"{listed}; {_ABOVE}"
        raise UnknownColumnError(
            f"{_called(source)} has no column {name!r}",
            help=listed if known else _NOT_SHOWN,
            column=name,
        )


def _delimiter(path: Path, record: str) -> str:
    """Return the sign that the suffix tells, or that stands most often outside of quotes."""
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


def shown_names(names: Sequence[str]) -> list[str]:
    """Return the names as messages may show them; none if one of them may be no name."""
    if isinstance(names, UnshownNames) or not all(map(_is_printable, names)):
        return []
    # A text file without a header has somebody's row in its first line.
    if isinstance(names, FirstLine) and (
        any(map(_LIKE_A_CELL.search, names)) or all(":" in name for name in names)
    ):
        return []
    return [name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}…" for name in names]


def _may_be_a_title(names: Sequence[str]) -> bool:
    """Say whether the first line looks like a title, a comment or a note to Excel, and not like names."""
    given = [name for name in names if name]
    return len(given) < 2 or given[0].lower().startswith(("#", "sep="))


def _called(source: str) -> str:
    """Return a source as messages call it: what stands outside, such as a path, in quotes."""
    return source if source in _NAMELESS or source.startswith(("'", '"')) else repr(source)


def _number_of(count: int) -> str:
    return {2: "two", 3: "three"}.get(count, str(count))


def _is_printable(name: str) -> bool:
    return all(sign.isprintable() or unicodedata.category(sign) == "Zs" for sign in name)
