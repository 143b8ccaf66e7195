# SPDX-License-Identifier: Apache-2.0
"""The two ways out of a command: results to stdout, everything said beside them to stderr.

A result is whole or an error. Where the encoding of stdout lacks a sign of it, JSON writes that sign as its
own escape, a table for people shows an escape, and everything else is refused: a CSV file with another color
in it would be a lie. What is said on stderr is one readable line, see `rainbowdp.errors.readable`.
"""

import codecs
import contextlib
import io
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from rainbowdp.cli.doors import Door
from rainbowdp.errors import FileWriteError, printable, readable

Kind = Literal["data", "json", "people"]
"""What lines are: data that must not change, JSON, or something to be read by people."""

# What JSON itself leaves as it is: the second set of control characters, and those that turn the direction.
_ACTING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LINES_AT_ONCE = 4096
_SIGNS_AT_ONCE = 1 << 16
_WIDEST = 10_000_000


def emit(lines: Iterable[str], kind: Kind = "data", before: Callable[[], None] | None = None) -> None:
    """Write lines of the result to stdout, as they come; stop when nobody reads any more.

    Parameters
    ----------
    lines : iterable of str
        Without their line ends.
    kind : {"data", "json", "people"}
        What may happen to signs that the encoding of stdout lacks, and, for people, to signs that act on a
        terminal.
    before : callable, optional
        Called before the first line appears on a terminal, to end a moving line of progress there: rows that
        scroll by are progress enough.

    Raises
    ------
    FileWriteError
        If the result cannot be written: stdout is closed, goes to a full disk, or lacks signs of the data.
    """
    for batch in _batches(lines):
        text = "\n".join(map(printable, batch) if kind == "people" else batch) + "\n"
        text = text if text.isascii() else _encodable(text, kind)
        if before is not None and sys.stdout.isatty():
            before()
        sys.stdout.write(text)
        sys.stdout.flush()
        if isinstance(sys.stdout, Door) and sys.stdout.is_lost:
            return


def require_signs(texts: Iterable[str]) -> None:
    """Refuse, before anything is drawn or shown, what the encoding of stdout could not write as it is.

    Raises
    ------
    FileWriteError
        If it lacks a sign.
    """
    for text in texts:
        _encodable(text, "data")


def visible(text: str) -> str:
    """Return an answer with its signs that act on a terminal, or are not seen, as escapes; blanks stay."""
    if text.isprintable():
        return text
    return "".join(sign if unicodedata.category(sign) == "Zs" else printable(sign) for sign in text)


def json_text(value: object) -> str:
    """Return a value as one line of JSON, in which no sign acts on a terminal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else _ACTING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def emit_json(value: object) -> None:
    """Write a value to stdout as one line of JSON."""
    emit([json_text(value)], "json")


def say(line: str) -> None:
    """Write one readable line to stderr; a stderr that nobody reads is no reason to fail."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(readable(line) + "\n")
        sys.stderr.flush()


def note(text: str) -> None:
    """Say something the user should know about how the result came about."""
    say(f"note: {text}")


def emit_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = True) -> None:
    """Write a table to stdout, as wide as its cells: a cell is never cut or wrapped.

    Parameters
    ----------
    columns : sequence of str
        The head of each column.
    rows : iterable of sequences of str
        One cell per column.
    right : bool
        Set every column but the first to the right.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for at, column in enumerate(columns):
        table.add_column(
            Text(printable(column)),
            no_wrap=True,
            overflow="ignore",
            justify="right" if right and at else "left",
        )
    for row in rows:
        table.add_row(*map(Text, map(printable, row)))
    target = io.StringIO()
    console = Console(file=target, width=_WIDEST, color_system=None, legacy_windows=False)
    console.width = console.measure(table).maximum
    console.print(table, crop=False, no_wrap=True, overflow="ignore")
    emit((line.rstrip() for line in target.getvalue().split("\n")[:-1]), "people")


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield some lines at a time: many short ones, or a few of a million digits each."""
    batch: list[str] = []
    signs = 0
    for line in lines:
        batch.append(line)
        signs += len(line)
        if signs >= _SIGNS_AT_ONCE or len(batch) == _LINES_AT_ONCE:
            yield batch
            batch, signs = [], 0
    if batch:
        yield batch


def _encodable(text: str, kind: Kind) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        if kind == "people":
            # The door writes what is missing as escapes.
            return text
        if kind == "json":
            return text.encode(encoding, _JSON_ESCAPES).decode(encoding)
        raise FileWriteError(
            f"stdout is written as {encoding}, which has no sign for {error.object[error.start]!a}",
            help="set PYTHONIOENCODING=utf-8, or choose --format json, which any encoding can hold",
            encoding=encoding,
        ) from None
    return text


def _json_escape(error: UnicodeError) -> tuple[str, int]:
    """Write the signs that an encoding lacks as JSON does: outside ASCII there are only texts to be in."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


_JSON_ESCAPES = "rainbowdp-json-escapes"
codecs.register_error(_JSON_ESCAPES, _json_escape)
