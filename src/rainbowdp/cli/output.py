# SPDX-License-Identifier: Apache-2.0
"""Write results to stdout, and notes and errors to stderr.

Both are written as UTF-8. A result that cannot be written (a full disk, a closed stdout) is a
`FileWriteError`; a reader that stops early (``| head``) ends the output without an error; what cannot be
written to stderr is dropped. A line on stderr is one readable line, see `rainbowdp.errors.readable`.
"""

import contextlib
import io
import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from rainbowdp.errors import FileWriteError, printable, readable

# JSON escapes neither the second set of control characters nor those that change the direction of text.
_ACTING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LINES_AT_ONCE = 4096
_CHARACTERS_AT_ONCE = 1 << 16
_WIDEST = 10_000_000


def write_utf8() -> None:
    """Write stdout and stderr as UTF-8, also if the locale says otherwise.

    Bytes of the command line that are not UTF-8 are written as escapes.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def emit(lines: Iterable[str], *, for_people: bool = False, before: Callable[[], None] | None = None) -> None:
    """Write lines of the result to stdout as they come, until the reader stops.

    Parameters
    ----------
    lines : iterable of str
        Without their line ends.
    for_people : bool
        Write characters that act on a terminal as escapes.
    before : callable, optional
        Called before the first line appears on a terminal, to remove a moving line of progress there.

    Raises
    ------
    FileWriteError
        If the result cannot be written.
    """
    for batch in _batches(lines):
        if before is not None and sys.stdout is not None and sys.stdout.isatty():
            before()
        if not _written("\n".join(map(printable, batch) if for_people else batch) + "\n"):
            return


def _written(text: str) -> bool:
    """Write a text to stdout; return False if its reader has stopped."""
    if sys.stdout is None:
        raise _not_written("it is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return False
    except OSError as error:
        _discard_stdout()
        raise _not_written(error.strerror or type(error).__name__) from None
    return True


def _not_written(why: str) -> FileWriteError:
    return FileWriteError(
        f"cannot write the result to stdout: {why}", help="check where it goes, and the free space there"
    )


def _discard_stdout() -> None:
    """Send what is still in the buffer to the null device: the interpreter's last flush would fail, too."""
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def visible(text: str) -> str:
    """Return an answer in which characters that act on a terminal, or are invisible, are escapes."""
    if text.isprintable():
        return text
    return "".join(
        character if unicodedata.category(character) == "Zs" else printable(character) for character in text
    )


def json_text(value: object) -> str:
    """Return a value as one line of JSON, in which no character acts on a terminal."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isprintable() else _ACTING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def emit_json(value: object) -> None:
    """Write a value to stdout as one line of JSON."""
    emit([json_text(value)])


def say(line: str) -> None:
    """Write one readable line to stderr; if that fails, the command goes on."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(readable(line) + "\n")
        sys.stderr.flush()


def note(text: str) -> None:
    """Write a note about how the result came about to stderr."""
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
    emit((line.rstrip() for line in target.getvalue().split("\n")[:-1]), for_people=True)


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield some lines at a time: many short ones, or a few of a million digits each."""
    batch: list[str] = []
    length = 0
    for line in lines:
        batch.append(line)
        length += len(line)
        if length >= _CHARACTERS_AT_ONCE or len(batch) == _LINES_AT_ONCE:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch
