# SPDX-License-Identifier: Apache-2.0
"""Cut a file of text in any described dialect into rows of cells, record by record.

Each record is judged alone: one whose quotes do not fit ends with its line, one with a number of cells that
the description does not allow is left out, and no record decides about another.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import tee

from rainbowdp.errors import RainbowError
from rainbowdp.formats.csv_files import (
    LARGEST_RECORD,
    NO_TEXT,
    WRONG_QUOTES,
    cell_pattern,
    record_pattern,
    wrong_length,
)
from rainbowdp.formats.encodings import LARGEST_FIRST_LINE, UNREADABLE
from rainbowdp.formats.table_descriptions import Dialect, TableDescription

_CHECK = 'check "delimiter" and "headerRows" (with a comment in line 1 and the header in line 2: [2])'


class DescribedFile:
    r"""A file of which the header has been read, and then the rows are, once.

    Parameters
    ----------
    content : iterable of bytes
        The file in UTF-8 (`rainbowdp.formats.encodings.in_utf8`).
    description : TableDescription
        How it is written. Where it names no delimiter, the last row of the header tells. Without a header it
        is the comma, where that may be, since no row of data may tell.
    delimiters : sequence of str
        Of these, the header tells the one that makes the most cells of it.
    called : str
        How messages call it.
    error : type of RainbowError
        What is raised if the header is not as described; rows raise nothing.

    Attributes
    ----------
    names : list of str
        The columns.
    delimiter : str
        What separates cells.

    Examples
    --------
    >>> from rainbowdp.formats.frictionless import read_table_description
    >>> from rainbowdp.errors import TableUnreadableError
    >>> said = read_table_description({"dialect": {"escapeChar": "\\", "headerRows": [2]}})
    >>> lines = [b'made by hand\nid;vote\n', b'1;"say \\"hi\\", ok"\n2\n3;a\\;b']
    >>> file = DescribedFile(lines, said, [",", ";"], "a.csv", TableUnreadableError)
    >>> file.names, file.delimiter, list(file.rows())
    (['id', 'vote'], ';', [['1', 'say "hi", ok'], ['3', 'a;b']])
    """

    def __init__(
        self,
        content: Iterable[bytes],
        description: TableDescription,
        delimiters: Sequence[str],
        called: str,
        error: type[RainbowError],
    ) -> None:
        self._description, dialect = description, description.dialect
        if dialect.delimiter is not None:
            delimiters = [dialect.delimiter]
        elif not dialect.header_rows:
            delimiters = [*filter(",".__eq__, delimiters), *delimiters][:1]
        named = [replace(dialect, delimiter=each) for each in delimiters]
        cutters = list(map(_Cutter, named, tee(content, len(named))))
        found = [(cutter, cutter.heads(description.names or ())) for cutter in cutters]
        self._cutter, heads = max(found, key=lambda one: len(one[1][-1]) if one[1] else 0)
        for cutter in cutters:
            if cutter is not self._cutter:
                # A stream that is held keeps all that the other one reads.
                cutter.records = iter(())
        self.delimiter = self._cutter.delimiter
        names = joined_names(heads, dialect.header_join)
        # Where the header ends in separators, it has more cells than names, and so may a row.
        self._most = len(names) if dialect.header_rows else len(description.names or ())
        self.names = [name.strip() for name in self._named(names, called, error)]

    def rows(self, left_out: Counter[str] | None = None) -> Iterator[list[str]]:
        """Yield the cells of each row; count the records of data that are left out, by what is wrong."""
        for number, record in self._cutter.records:
            if not record or self._cutter.is_comment(record, number):
                continue
            row = self._row(record)
            if not isinstance(row, str):
                yield row
            elif left_out is not None:
                left_out[row] += 1

    def _named(self, found: list[str], called: str, error: type[RainbowError]) -> Sequence[str]:
        """Return the names of the columns, by those that the header has and the description."""
        given = self._description.names
        if not self._description.dialect.header_rows:
            if given is None:
                raise error(
                    f"{called} has no header, and its description does not name the columns",
                    help='list all columns as "fields" of the schema',
                )
            return given
        if not found:
            raise error(
                f"{called} has no header where its description says",
                help=f"check comments, quotes and the encoding; {_CHECK}",
            )
        return found if given is None else _checked(found, given, called, error)

    def _row(self, record: str) -> list[str] | str:
        """Return the cells of a record of data, or what is wrong with it where it is left out.

        It may have as many cells as the header, where those after the named ones are empty.
        """
        if UNREADABLE in record:
            return NO_TEXT
        found, width = self._cutter.cells(record), len(self.names)
        if found is None:
            return WRONG_QUOTES
        if len(found) <= self._most and not "".join(found[width:]).strip():
            found = found[:width]
        fits = len(found) >= width or self._description.takes_short
        if not fits or (len(found) > width and not self._description.takes_long):
            return wrong_length(len(found), width)
        return [*found[:width], *[""] * (width - len(found))]


def joined_names(heads: list[list[str]], between: str) -> list[str]:
    """Return one name for each column of some header rows."""
    width = max(map(len, heads), default=0)
    columns = ([head[at].strip() if at < len(head) else "" for head in heads] for at in range(width))
    return [between.join(filter(None, column)) for column in columns]


def _checked(
    found: list[str], given: tuple[str, ...], called: str, error: type[RainbowError]
) -> tuple[str, ...]:
    """Return the names of a description that gives all of them, if the header can be theirs.

    The header may lack the first name, as R leaves out that of the row names, and end in separators. It may
    have other names, but none of the description at another place, in any letter case.
    """
    named = len(found)
    while named > len(given) and not found[named - 1]:
        named -= 1
    head = found[:named]
    if [*map(_folded, head)] == [*map(_folded, given[1:])]:
        head, named = [given[0], *head], named + 1
    if named != len(given):
        columns = f"{named} column{'s' * (named != 1)}"
        raise error(
            f"the header of {called} has {columns}, and its description {len(given)}",
            help='list all columns as "fields", or say that these are only some ("fieldsMatch": "subset"); '
            + _CHECK,
        )
    places = Counter(map(_folded, head))
    for name, here in zip(given, head, strict=True):
        elsewhere = places[_folded(name)] - (_folded(here) == _folded(name))
        if elsewhere and _plain(here) != _plain(name):
            raise error(
                f"the header of {called} has the field {name!r} of its description at another place",
                help='order the fields as the columns, or say "fieldsMatch": "equal" to take them by name',
            )
    return given


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip())


def _folded(name: str) -> str:
    return _plain(name).casefold()


_LINE = re.compile(r"([^\r\n]*+)(\r\n|\n|\r|\Z)")


class _Cutter:
    """Cuts a file in one dialect into records, without their line ends, and these into cells.

    Attributes
    ----------
    delimiter : str
        What stands between cells.
    records : iterator
        The numbers and the texts of the records that follow.
    """

    def __init__(self, dialect: Dialect, content: Iterable[bytes]) -> None:
        self._dialect, self.delimiter = dialect, str(dialect.delimiter)
        cell = cell_pattern(self.delimiter, dialect.quote, dialect.escape, doubled=dialect.double_quote)
        self._cell = re.compile(cell)
        self._record = re.compile(record_pattern(cell, self.delimiter))
        text = codecs.iterdecode(content, "utf-8", "replace")
        self.records: Iterator[tuple[int, str]] = enumerate(self._records_of(text), start=1)

    def is_comment(self, record: str, number: int) -> bool:
        """Tell whether a record is a comment."""
        comment = self._dialect.comment
        return number in self._dialect.comment_rows or (comment is not None and record.startswith(comment))

    def heads(self, given: Sequence[str]) -> list[list[str]]:
        """Return the cells of the records of the header; none if it cannot be read, or there is none.

        A comment where the header should be is above it. One that looks like a header is taken as it if it
        has one of the given names, and else nothing is.
        """
        rows = self._dialect.header_rows
        heads: list[list[str]] = []
        read = above = 0
        while len(heads) < len(rows):
            number, record = next(self.records, (0, ""))
            if not number:
                return []
            read += len(record)
            if number - above not in rows:
                continue
            found = self.cells(record)
            comment = self.is_comment(record, number)
            if comment and not 1 < len(found or ()) == len(given):
                above += 1
                continue
            if found is None or UNREADABLE in record or read > LARGEST_FIRST_LINE:
                return []
            if comment and not {*found} & {*given}:
                return []
            heads.append(found)
        return heads

    def _records_of(self, content: Iterable[str]) -> Iterator[str]:
        """Yield each record; one that does not fit its line's quotes, or is too long, is that line."""
        rest = ""
        for block in content:
            rest += block
            at = 0
            # What stands in the last piece may go on in the next block.
            while len(rest) - at > LARGEST_RECORD:
                end, record = self._next(rest, at)
                yield record
                at = end
            at = yield from self._sure(rest, at)
            rest = rest[at:]
        at = 0
        while at < len(rest):
            at, record = self._next(rest, at)
            yield record

    def _sure(self, text: str, at: int) -> Generator[str, None, int]:
        """Yield the records that later text cannot change; return where the rest begins."""
        while True:
            found = self._record.match(text, at)
            # A carriage return at the end may be half of a line end.
            if found is None or found.end() == len(text) or not found[2]:
                return at
            yield found[1]
            at = found.end()

    def _next(self, text: str, at: int) -> tuple[int, str]:
        found = self._record.match(text, at, at + LARGEST_RECORD)
        if found is not None and (found[2] or found.end() == len(text)):
            return found.end(), found[1]
        line = _LINE.match(text, at)
        assert line is not None  # noqa: S101 - the pattern matches any text
        return line.end(), line[1]

    def cells(self, record: str) -> list[str] | None:
        """Return the texts of the cells of a record; None where quotes do not fit."""
        cells, at = [], 0
        while True:
            found = self._cell.match(record, at)
            if found is None:
                return None
            cells.append(self._text(found[0]))
            at = found.end()
            if at == len(record):
                return cells
            if not record.startswith(self.delimiter, at):
                return None
            at += len(self.delimiter)

    def _text(self, cell: str) -> str:
        quote, escape = self._dialect.quote, self._dialect.escape
        text = cell.lstrip(" ") if self._dialect.skip_space else cell
        inner = text.strip(" ")
        if quote is not None and len(inner) > 1 and inner.startswith(quote) and inner.endswith(quote):
            text = inner[1:-1]
            if self._dialect.double_quote:
                text = text.replace(quote * 2, quote)
        if escape is None:
            return text
        return re.sub(re.escape(escape) + r"(.)", self._escaped, text, flags=re.DOTALL)

    @staticmethod
    def _escaped(found: re.Match[str]) -> str:
        # As MySQL writes them; N alone in a cell says that nothing is there.
        if found[1] == "N":
            return "" if found[0] == found.string else "N"
        return {"n": "\n", "t": "\t", "r": "\r", "0": ""}.get(found[1], found[1])
