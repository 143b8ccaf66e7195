# SPDX-License-Identifier: Apache-2.0
r"""The header and the records of a CSV file, for tables of people and for files of graphs and mechanisms.

`read_header` reads the first record, which names the columns and says by which character cells are
separated and how lines end. `Records` judges all others, each alone, before DuckDB reads them, because DuckDB
can lose a row or the rest of the file at a quote that is not closed. In a table of people
a record that cannot be read is left out, so that one person's row decides about no other row; in a file of a
graph it is an error that names its line.

Rules, each about one record alone:

- A record ends at a line feed, a carriage return, or both. A quoted cell may hold line breaks and doubled
  quotes.
- A quote opens only at the start of a cell; inside a cell that does not begin with one it is text, as in
  ``5'10"``.
- An empty line is skipped.

Where quotes of the first line do not fit, it is the header all the same and its quotes are text. A file that
is one person's text per line without proper quoting is not a table, and no rule can tell where its rows end:
a quote left open may swallow what follows up to the next quote, though never more than `LARGEST_RECORD`
bytes.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rainbowdp.errors import RainbowError
from rainbowdp.formats.encodings import LARGEST_FIRST_LINE, UNREADABLE, help_without_text

LARGEST_RECORD = 1 << 21
NO_TEXT = "holds NUL, or is not text in its encoding"
"""What is wrong with a record that holds bytes without meaning."""
WRONG_QUOTES = "has a quote that is never closed, or text after a closing quote, or is too long"
"""What is wrong with a record whose end cannot be found."""
_LINE = re.compile(rb"([^\r\n]*+)(\r\n|\n|\r|\Z)")
_IN_QUOTES = rb'"[^"]*+(?:""[^"]*+)*+"'
_TABS = re.compile(r"\.(tsv|tab)(\.gz|\.zst)?\Z")
_ABOVE = "the names of the columns must stand in the first line: if there are lines above them, remove these"


def delimiters_of(path: Path) -> tuple[str, ...]:
    """Return what may separate cells: in ``.tsv`` and ``.tab`` tabs; elsewhere the header tells."""
    return ("\t",) if _TABS.search(path.name.lower()) else (",", "\t", ";", "|")


@dataclass(frozen=True)
class Header:
    r"""What the first record of a CSV file says.

    Attributes
    ----------
    names : tuple of str
        The columns as they are written, in their order.
    delimiter : str
        Comma, tab, semicolon or bar.
    ending : bytes
        The line ending after the header; ``b"\n"`` where there is none.
    length : int
        Number of bytes of the header and its ending, in UTF-8.
    fits : bool
        Whether all quotes fit.
    plain : bool
        Whether it is one line in which all quotes fit, without blanks around them.
    """

    names: tuple[str, ...]
    delimiter: str
    ending: bytes
    length: int
    fits: bool
    plain: bool


def read_header(
    delimiters: Sequence[str], content: Iterable[bytes], called: str, error: type[RainbowError]
) -> Header:
    """Read the header of a CSV file.

    Parameters
    ----------
    delimiters : sequence of str
        What may separate cells.
    content : iterable of bytes
        Its content in UTF-8 (`rainbowdp.formats.encodings.in_utf8`).
    called : str
        How messages call it.
    error : type of RainbowError
        What is raised if there is no header, it is too long, or it is not text.
    """
    separators = [delimiter.encode() for delimiter in delimiters]
    text, header = b"", None
    for block in content:
        text += block
        header = _header(separators, text, final=False)
        if header is not None or len(text) > LARGEST_FIRST_LINE:
            break
    else:
        header = _header(separators, text, final=True)
    line = _first_line(text)
    if header is None and line.end() == len(text):
        raise error(
            f"the first line of {called} is longer than 4 MiB", help="name the columns in the first line"
        )
    if not line[1].strip():
        what = "has no header: its first line is empty" if text else "is empty, so it has no header"
        raise error(f"{called} {what}", help=_ABOVE if text else "name the columns in the first line")
    first = line[1].decode("utf-8", "replace")
    if UNREADABLE in first:
        raise error(
            f"the header of {called} is not text in the chosen encoding",
            help=help_without_text(first, called),
        )
    return header or _header_of(separators, line)


def _header(separators: Sequence[bytes], text: bytes, *, final: bool) -> Header | None:
    """Return the header at the start of a content, or None where more of it has to be read."""
    line = _first_line(text)
    # A line feed that belongs to a carriage return may come with the next block.
    if line.end() == len(text) and not final:
        return None
    header = _header_of(separators, line)
    opened = [separator for separator in separators if _is_open(separator, line[1])]
    if header.fits or not opened:
        return header
    # A quoted name goes on after the first line.
    found = [whole for separator in opened if (whole := _continued(separator, text, final=final))]
    return max(found, key=lambda whole: len(whole.names), default=header if final else None)


def _first_line(text: bytes) -> re.Match[bytes]:
    line = _LINE.match(text)
    assert line is not None  # noqa: S101 - the empty line always matches
    return line


def _header_of(separators: Sequence[bytes], line: re.Match[bytes]) -> Header:
    """Return the header that the first line is; its quotes are text where they do not fit."""
    first = line[1]
    apart = re.sub(rb"(\A|[,\t;|]) *+" + _IN_QUOTES[:-1] + rb'(?:"|\Z)', rb"\1", first)
    separator = max(separators, key=apart.count)
    names = _names(first, separator)
    # `Records` removes blanks around quotes.
    plain = names is not None and (separator == b" " or not re.search(b' "|" ', first))
    listed = names or first.split(separator)
    return _made(listed, separator, line[2], line.end(), fits=names is not None, plain=plain)


def _continued(separator: bytes, text: bytes, *, final: bool) -> Header | None:
    """Return the header of several lines in which all quotes fit, None if there is none."""
    record = _record(separator).match(text)
    if record is None or (record.end() == len(text) and not final) or UNREADABLE.encode() in record[0]:
        return None
    names = _names(record[1], separator)
    return None if names is None else _made(names, separator, record[2], record.end(), fits=True, plain=False)


def _made(
    names: list[bytes], separator: bytes, ending: bytes, length: int, *, fits: bool, plain: bool
) -> Header:
    texts = tuple(name.decode("utf-8", "replace") for name in names)
    return Header(texts, separator.decode(), ending or b"\n", length, fits, plain)


def _blanks(separator: bytes) -> bytes:
    """Return the pattern of blanks beside a cell; none where they separate cells."""
    return b"" if separator == b" " else b" *+"


def cell_pattern(
    between: str, quote: str | None = '"', escape: str | None = None, *, doubled: bool = True
) -> str:
    """Return a pattern of a cell, quoted or not; blanks around a quoted cell are not part of it.

    Parameters
    ----------
    between : str
        What separates cells.
    quote, escape, doubled
        As in `rainbowdp.formats.table_descriptions.Dialect`.

    Examples
    --------
    >>> re.match(cell_pattern(","), ' "a ""b"", c" ,d')[0], re.match(cell_pattern("::"), 'a" b::c')[0]
    (' "a ""b"", c" ', 'a" b')
    """
    apart, odd = re.escape(between), re.escape(escape or "")
    escaped = f"{odd}(?s:.)" if escape else "(?!)"
    other = f"[^\\r\\n{odd}{apart}]" if len(between) == 1 else f"(?:(?!{apart})[^\\r\\n{odd}])"
    plain = f"{other}*+(?:{escaped}{other}*+)*+"
    if quote is None:
        return f"(?:{plain})"
    mark, blanks = re.escape(quote), _blanks(between.encode()).decode()
    within = f"[^{mark}{odd}]*+"
    odd_ones = f"(?:{mark}{mark}|{escaped})" if doubled else escaped
    quoted = f"{mark}{within}(?:{odd_ones}{within})*+{mark}"
    return f"(?:{blanks}{quoted}{blanks}|(?!{blanks}{mark}){plain})"


def record_pattern(cell: str, between: str) -> str:
    """Return a pattern of a record of such cells, and of its line ending or the end."""
    return rf"({cell}(?:{re.escape(between)}{cell})*+)(\r\n|\n|\r|\Z)"


def _cell(separator: bytes) -> bytes:
    return cell_pattern(separator.decode()).encode()


def _record(separator: bytes) -> re.Pattern[bytes]:
    between = separator.decode()
    return re.compile(record_pattern(cell_pattern(between), between).encode())


def _is_open(separator: bytes, line: bytes) -> bool:
    """Tell whether a line ends inside a quoted cell."""
    before = rb"(?:" + _cell(separator) + re.escape(separator) + rb")*+"
    return re.match(before + _blanks(separator) + _IN_QUOTES[:-1] + rb"\Z", line) is not None


def _names(record: bytes, separator: bytes) -> list[bytes] | None:
    """Return the names, or None where quotes do not fit."""
    cell = re.compile(_cell(separator))
    names, at = [], 0
    while True:
        found = cell.match(record, at)
        end = found.end() if found is not None else at
        if end < len(record) and not record.startswith(separator, end):
            return None
        name = record[at:end]
        bare = name.strip(b" ")
        names.append(bare[1:-1].replace(b'""', b'"') if bare.startswith(b'"') else name)
        if end == len(record):
            return names
        at = end + len(separator)


def below_header(header: Header, content: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what follows the header in a stream in UTF-8."""
    left = header.length
    for block in content:
        if left < len(block):
            yield block[left:]
        left = max(0, left - len(block))


class Records:
    r"""The filter for one stream; it remembers what it has seen.

    Parameters
    ----------
    header : Header
        Separator, number of cells and line ending of all records. Where all lines end alike, nothing has to
        be changed.
    longest : int
        How many bytes a record has at most.
    exactly : bool
        Whether to judge records without quotes here as well, and not leave their number of cells to DuckDB.

    Attributes
    ----------
    changed : bool
        Whether what was kept differs from what was read.
    fault : tuple of int and str, or None
        Where in the stream the first record begins that was not kept as it is, and what is wrong with it; an
        empty line is not a fault.
    left_out : Counter of str
        How many records were not kept, by what is wrong with them; without ``exactly``, some that DuckDB
        leaves out are not among them.

    Examples
    --------
    >>> records = Records(Header(("id", "vote"), ",", b"\n", 8, True, True))
    >>> b"".join(records.kept([b'1,a\n2\n3,"b\n', b'c"\n4,"d\n5,e\n']))
    b'1,a\n3,"b\nc"\n5,e\n'
    >>> records.changed, records.fault
    (True, (4, 'has 1 cell, and the header has 2'))
    >>> sorted(records.left_out.values())
    [1, 1]
    """

    def __init__(self, header: Header, longest: int = LARGEST_RECORD, *, exactly: bool = False) -> None:
        self._cells, self._ending = len(header.names), header.ending
        self._separator = header.delimiter.encode()
        self._longest = longest
        self._exactly = exactly
        separator, blanks = re.escape(self._separator), _blanks(self._separator)
        self._one = _record(self._separator)
        self._exact = re.compile(self._row(_cell(self._separator)))
        around = rb"(\A|%b)%b(%b)%b(?=%b|\Z)" % (separator, blanks, _IN_QUOTES, blanks, separator)
        self._blanks = re.compile(around)
        # The same in one line, without NUL and blanks around quotes, many records at a time.
        quoted = rb'"[^"\r\n\x00]*+(?:""[^"\r\n\x00]*+)*+"'
        plain = blanks + rb'[^" \r\n\x00' + separator + rb"][^\r\n\x00" + separator + rb"]*+"
        cell = rb"(?:" + quoted + rb"|" + plain + (rb")" if self._cells == 1 else rb"|" + blanks + rb")")
        self._run = re.compile(rb"(?:" + self._row(cell) + self._ending + rb")*+")
        self._skipping = False
        self._before = 0
        self.changed = False
        self.fault: tuple[int, str] | None = None
        self.left_out: Counter[str] = Counter()

    def _row(self, cell: bytes) -> bytes:
        """Return the pattern of as many cells as the header has."""
        return cell + rb"(?:" + re.escape(self._separator) + cell + rb"){" + b"%d" % (self._cells - 1) + rb"}"

    def kept(self, content: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the well-formed records of a stream, in pieces that end with a line feed.

        Parameters
        ----------
        content : iterable of bytes
            The stream in UTF-8, without the header.
        """
        rest = b""
        for block in content:
            buffer = rest + block if rest else block
            pieces: list[bytes] = []
            end = self._take(buffer, pieces, final=False)
            rest = buffer[end:]
            self._before += end
            yield from pieces
        pieces = []
        self._take(rest, pieces, final=True)
        yield from pieces

    def _take(self, buffer: bytes, pieces: list[bytes], *, final: bool) -> int:
        """Put the records at the start of the buffer into pieces; return where the undecided rest begins."""
        at = 0
        if self._skipping:
            at = _next_line(buffer, 0)
            if not at:
                return len(buffer)
            self._skipping = False
        end = buffer.rfind(self._ending) + len(self._ending)
        if end > at and self._is_plain(buffer, at, end):
            pieces.append(self._with_line_feeds(buffer[at:end]))
            at = end
        while at < len(buffer):
            window = min(len(buffer), at + self._longest)
            run = self._run.match(buffer, at, window)
            if run is not None and run.end() > at:
                pieces.append(self._with_line_feeds(run[0]))
                at = run.end()
            elif not final and len(buffer) - at <= self._longest:
                return at
            else:
                at = self._take_one(buffer, at, window, pieces)
        return at

    def _take_one(self, buffer: bytes, at: int, window: int, pieces: list[bytes]) -> int:
        """Keep or drop the record at a place where nothing simple stands; return the next place."""
        one = self._one.match(buffer, at, window)
        if one is not None and (one[2] or window - at < self._longest):
            record = one[1]
            if record and b"\0" not in record and self._exact.fullmatch(record):
                tidy = self._blanks.sub(rb"\1\2", record)
                # A last line without ending is read by DuckDB as it is.
                if one[2] not in (self._ending, b""):
                    self._change(at, "does not end as the header does")
                if tidy != record:
                    self._change(at, "has blanks around quotes")
                pieces.append(tidy + b"\n")
            else:
                self._leave_out(at, self._wrong_with(record))
            return one.end()
        self._leave_out(at, WRONG_QUOTES)
        following = _next_line(buffer, at)
        if not following:
            self._skipping = True
        return following or len(buffer)

    def _change(self, at: int, fault: str) -> None:
        self.changed = True
        if fault and self.fault is None:
            self.fault = self._before + at, fault

    def _leave_out(self, at: int, fault: str) -> None:
        self._change(at, fault)
        if fault:
            self.left_out[fault] += 1

    def _wrong_with(self, record: bytes) -> str:
        if b"\0" in record:
            return NO_TEXT
        cells = 1 + re.sub(_IN_QUOTES, b"", record).count(self._separator)
        return wrong_length(cells, self._cells) if record else ""

    def _is_plain(self, buffer: bytes, start: int, end: int) -> bool:
        """Say whether there are only short lines of text without quotes, which DuckDB can judge."""
        if self._exactly:
            return False
        # DuckDB takes no notice of a separator after the last cell, and such a row is too long.
        odd = [b'"', b"\0", self._separator + self._ending, *[self._ending * 2] * (self._cells == 1)]
        starts_empty = self._cells == 1 and buffer.startswith(self._ending, start)
        if starts_empty or any(buffer.find(text, start, end) >= 0 for text in odd):
            return False
        return self._ends_alike(buffer, start, end) and _has_short_lines(buffer, start, end, self._longest)

    def _ends_alike(self, buffer: bytes, start: int, end: int) -> bool:
        """Say whether all lines end like the header, with a line feed in it."""
        feeds = buffer.count(b"\n", start, end)
        returns = buffer.count(b"\r", start, end)
        if self._ending == b"\r\n":
            return feeds == returns == buffer.count(b"\r\n", start, end)
        return self._ending == b"\n" and not returns

    def _with_line_feeds(self, records: bytes) -> bytes:
        return records if self._ending == b"\n" else records.replace(self._ending, b"\n")


def wrong_length(cells: int, width: int) -> str:
    """Return what is wrong with a record of so many cells.

    Examples
    --------
    >>> wrong_length(1, 2)
    'has 1 cell, and the header has 2'
    """
    return f"has {cells} cell{'s' * (cells != 1)}, and the header has {width}"


def _next_line(buffer: bytes, at: int) -> int:
    """Return where the line after a place begins, or 0 where no line ends."""
    found = [end for end in (buffer.find(b"\n", at), buffer.find(b"\r", at)) if end >= 0]
    return min(found) + 1 if found else 0


def _has_short_lines(buffer: bytes, start: int, end: int, longest: int) -> bool:
    at = start
    while at < end:
        at = buffer.rfind(b"\n", at, min(end, at + longest)) + 1
        if not at:
            return False
    return True
