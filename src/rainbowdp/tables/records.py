# SPDX-License-Identifier: Apache-2.0
r"""Only well-formed records of a CSV stream: the others are dropped, each alone.

A reader of CSV files that meets a stray quote loses the row, the rest of the file, or its
patience, and each of these lets one person's row decide about everybody's. So the stream is read here
first, and a record that has too few or too many cells, a quote that is not closed, a NUL character (what
could not be decoded, see `rainbowdp.tables.encodings`) or more than `LARGEST_RECORD` bytes is left out.
Reading goes on at the next record, or at the next line where quotes do not fit. What is kept can then be
read by DuckDB, which cannot fail on it.

Rules, each about one record alone:

- A record ends at a line feed, a carriage return, or both. A quoted cell may hold line breaks and doubled
  quotes.
- A quote inside a cell that does not begin with one is text, as in ``5'10"``.
- An empty line is no record.

A file that is one person's text per line without proper quoting is no table, and no rule can tell where its
rows end: a quote left open may swallow what follows up to the next quote, though never more than
`LARGEST_RECORD` bytes.
"""

import re
from collections.abc import Iterable, Iterator

LARGEST_RECORD = 1 << 21


class Records:
    r"""The filter for one stream; it remembers what it has seen.

    Parameters
    ----------
    delimiter : str
        The sign between cells.
    cells : int
        How many a record has.
    ending : bytes
        The line ending after the header. Where all others are the same, nothing has to be changed.

    Attributes
    ----------
    changed : bool
        Whether what was kept differs from what was read.

    Examples
    --------
    >>> records = Records(",", 2, b"\n")
    >>> b"".join(records.kept([b'1,a\n2\n3,"b\n', b'c"\n4,"d\n5,e\n']))
    b'1,a\n3,"b\nc"\n5,e\n'
    >>> records.changed
    True
    """

    def __init__(self, delimiter: str, cells: int, ending: bytes) -> None:
        sign = re.escape(delimiter.encode())
        self._sign = delimiter.encode()
        self._ending = ending
        self._single = cells == 1
        # Blanks around a quoted cell are no text of it.
        quoted = rb' *+"[^"]*+(?:""[^"]*+)*+" *+'
        plain = rb' *+(?:[^" \r\n' + sign + rb"][^\r\n" + sign + rb"]*+)?+"
        cell = rb"(?:" + quoted + rb"|" + plain + rb")"
        self._one = re.compile(rb"(" + cell + rb"(?:" + sign + cell + rb")*+)(\r\n|\n|\r|\Z)")
        self._exact = re.compile(cell + rb"(?:" + sign + cell + rb"){" + str(cells - 1).encode() + rb"}")
        self._blanks = re.compile(rb"(\A|" + sign + rb') *+("[^"]*+(?:""[^"]*+)*+") *+(?=' + sign + rb"|\Z)")
        # The same in one line, without NUL and blanks around quotes, many records at a time.
        quoted = rb'"[^"\r\n\x00]*+(?:""[^"\r\n\x00]*+)*+"'
        plain = rb' *+[^" \r\n\x00' + sign + rb"][^\r\n\x00" + sign + rb"]*+"
        cell = rb"(?:" + quoted + rb"|" + plain + (rb")" if cells == 1 else rb"| *+)")
        record = cell + rb"(?:" + sign + cell + rb"){" + str(cells - 1).encode() + rb"}"
        self._run = re.compile(rb"(?:" + record + ending + rb")*+")
        self._skipping = False
        self.changed = False

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
            rest = buffer[self._take(buffer, pieces, final=False) :]
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
            window = min(len(buffer), at + LARGEST_RECORD)
            run = self._run.match(buffer, at, window)
            if run is not None and run.end() > at:
                pieces.append(self._with_line_feeds(run[0]))
                at = run.end()
            elif not final and len(buffer) - at <= LARGEST_RECORD:
                return at
            else:
                at = self._take_one(buffer, at, window, pieces)
        return at

    def _take_one(self, buffer: bytes, at: int, window: int, pieces: list[bytes]) -> int:
        """Keep or drop the record at a place where nothing simple stands; return the next place."""
        one = self._one.match(buffer, at, window)
        if one is not None and (one[2] or window - at < LARGEST_RECORD):
            record = one[1]
            if record and b"\0" not in record and self._exact.fullmatch(record):
                # A last line without ending is read by DuckDB as it is.
                self.changed |= one[2] not in (self._ending, b"")
                tidy = self._blanks.sub(rb"\1\2", record)
                self.changed |= tidy != record
                pieces.append(tidy + b"\n")
            else:
                self.changed = True
            return one.end()
        self.changed = True
        following = _next_line(buffer, at)
        if not following:
            self._skipping = True
        return following or len(buffer)

    def _is_plain(self, buffer: bytes, start: int, end: int) -> bool:
        """Say whether there are only short lines of text without quotes, which DuckDB can judge."""
        # DuckDB takes no notice of a delimiter after the last cell, and such a row is too long.
        odd = [b'"', b"\0", self._sign + self._ending, *([self._ending * 2] if self._single else [])]
        if any(buffer.find(sign, start, end) >= 0 for sign in odd):
            return False
        if self._single and buffer.startswith(self._ending, start):
            return False
        return self._ends_alike(buffer, start, end) and _has_short_lines(buffer, start, end)

    def _ends_alike(self, buffer: bytes, start: int, end: int) -> bool:
        """Say whether all lines end like the header, with a line feed in it."""
        feeds = buffer.count(b"\n", start, end)
        returns = buffer.count(b"\r", start, end)
        if self._ending == b"\r\n":
            return feeds == returns == buffer.count(b"\r\n", start, end)
        return self._ending == b"\n" and not returns

    def _with_line_feeds(self, records: bytes) -> bytes:
        return records if self._ending == b"\n" else records.replace(self._ending, b"\n")


def _next_line(buffer: bytes, at: int) -> int:
    """Return where the line after a place begins, or 0 where no line ends."""
    found = [end for end in (buffer.find(b"\n", at), buffer.find(b"\r", at)) if end >= 0]
    return min(found) + 1 if found else 0


def _has_short_lines(buffer: bytes, start: int, end: int) -> bool:
    at = start
    while at < end:
        at = buffer.rfind(b"\n", at, min(end, at + LARGEST_RECORD)) + 1
        if not at:
            return False
    return True
