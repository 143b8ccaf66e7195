# SPDX-License-Identifier: Apache-2.0
"""Write results to stdout, notes and errors to stderr; show answers and numbers as text.

Both are written as UTF-8. A result that cannot be written (a full disk) is a `FileWriteError`; a reader that
stops early (``| head``) ends the output without an error; what cannot be written to stderr is dropped. A line
on stderr is one readable line, see `rainbowdp.errors.readable`.

A command names its steps as it takes them. After two seconds the current step is shown on stderr: as a moving
line on a terminal that can move it, as plain lines (one per step) anywhere else. Quicker work shows nothing,
nor does any work if the environment variable `SWITCH` is ``off``.
"""

import contextlib
import csv
import io
import json
import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING

from rainbowdp.cli import Signals
from rainbowdp.errors import FileWriteError, printable, readable

if TYPE_CHECKING:
    from rich.progress import Progress

    from rainbowdp.graph.relation import NeighborRelation

# JSON escapes neither the second set of control characters nor those that change the direction of text.
_ACTING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LINES_AT_ONCE = 4096
_CHARACTERS_AT_ONCE = 1 << 16
_GAP = "   "
_MOST_SHOWN = 6
_DIGITS = 6
_GLYPH = re.compile(r"Glyph (\d+) ")
PATIENCE_SECONDS = 2.0
SWITCH = "RAINBOWDP_PROGRESS"


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
        if before is not None and sys.stdout.isatty():
            before()
        if not _written("\n".join(map(printable, batch) if for_people else batch) + "\n"):
            return


def _written(text: str) -> bool:
    """Write a text to stdout; return False if its reader has stopped."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return False
    except OSError as error:
        _discard_stdout()
        raise FileWriteError(
            f"cannot write the result to stdout: {error.strerror}",
            help="check where it goes, and the free space there",
        ) from None
    return True


def _discard_stdout() -> None:
    """Send what is still in the buffer to the null device: the interpreter's last flush would fail, too."""
    with contextlib.suppress(OSError):
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


def csv_line(cells: Iterable[str]) -> str:
    """Return cells as a line of CSV, without its end."""
    line = io.StringIO()
    # A break within a cell is quoted only where it looks like the end of a line.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n")


def emit_json(value: object) -> None:
    """Write a value to stdout as one line of JSON."""
    emit([json_text(value)])


def say(line: str) -> None:
    """Write one readable line to stderr; if that fails, the command goes on."""
    with contextlib.suppress(OSError):
        sys.stderr.write(readable(line) + "\n")
        sys.stderr.flush()


def note(text: str) -> None:
    """Write a note about how the result came about to stderr."""
    say(f"note: {text}")


def emit_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table to stdout, as wide as its cells: a cell is never cut or wrapped.

    Parameters
    ----------
    columns : sequence of str
        The head of each column.
    rows : iterable of sequences of str
        One cell per column.
    """
    from rich.cells import cell_len

    lines = [[*map(printable, line)] for line in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    head, *body = (
        _GAP.join(f"{cell}{' ' * (width - cell_len(cell))}" for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    emit([head.rstrip(), "─" * cell_len(head), *(line.rstrip() for line in body)])


def emit_as(output_format: str, told: object, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a result to stdout: as JSON what programs are told, else the table that people read."""
    if output_format == "json":
        emit_json(told)
    else:
        emit_table(columns, rows)


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


def cell(value: float) -> str:
    """Return a float as a table cell with six significant digits."""
    return f"{value:.{_DIGITS}g}"


def note_graph(structure: "NeighborRelation") -> None:
    """Note what was removed, and how many datasets have no neighbor.

    A mistake in a file of neighbors often shows as datasets without a neighbor. They are legal and rarely
    meant, and no check of privacy can find anything wrong with them.
    """
    from rainbowdp.graph import DatasetGraph, PairList, PairStream

    for text in structure.notes:
        note(text)
    if not isinstance(structure, DatasetGraph | PairList):
        note("pairs of neighbors are counted as they are listed, repeated ones too")
    alone = structure.isolated if isinstance(structure, DatasetGraph | PairList | PairStream) else 0
    if structure.pair_count == 0:
        note("there is no pair of neighbors, so any mechanism is private: check the file of neighbors")
    elif alone:
        have = "1 dataset has" if alone == 1 else f"{alone} of {structure.size} datasets have"
        note(f"{have} no neighbor, so nothing limits the answers there")


def counted(number: int, what: str) -> str:
    """Return a number with its word, in the plural where there is not one."""
    return f"{number} {what}{'s' * (number != 1)}"


@contextlib.contextmanager
def drawing() -> Iterator[None]:
    """Write warnings of matplotlib in the block as notes, and all missing characters as one note."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    texts = list(dict.fromkeys(str(warning.message) for warning in caught))
    missing = [f"U+{int(found[1]):04X}" for found in map(_GLYPH.match, texts) if found]
    if missing:
        named = ", ".join(missing[:_MOST_SHOWN]) + (", …" if len(missing) > _MOST_SHOWN else "")
        note(f"the font of the figure lacks {counted(len(missing), 'character')} ({named}), drawn as boxes")
    for text in texts:
        if not _GLYPH.match(text):
            note(f"while drawing: {text}")


class Steps:
    """The steps of one command; made by `steps`."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._started = monotonic()
        self._label = ""
        self._shown = False
        self._finished = False
        self._bar: Progress | None = None
        self._timer = Timer(PATIENCE_SECONDS, self._show)
        self._timer.daemon = True
        if os.environ.get(SWITCH) != "off":
            self._timer.start()

    def step(self, label: str) -> None:
        """Begin a step, described by a phrase such as ``reading the pairs of neighbors``.

        Raises
        ------
        KeyboardInterrupt
            If the command is to end, see `Signals.check`.
        """
        Signals.check()
        with self._lock:
            self._label = label
            if self._shown:
                self._present()

    def advance(self, done: int, total: int) -> None:
        """Set how much of the current step is done."""
        with self._lock:
            if self._bar is not None and self._bar.task_ids:
                self._bar.update(self._bar.task_ids[-1], completed=done, total=total)

    def share(self, share: float) -> None:
        """Set which part of the current step is done."""
        self.advance(round(1000 * share), 1000)

    def finish(self) -> None:
        """End the last step, and remove what moves on a terminal."""
        self._timer.cancel()
        with self._lock:
            self._finished = True
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def _show(self) -> None:
        with self._lock:
            if not self._finished:
                self._shown = True
                self._present()

    def _present(self) -> None:
        """Show the current step; the lock is held."""
        if not self._label:
            return
        if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            say(f"{self._label} ({monotonic() - self._started:.0f} s)")
            return
        if self._bar is None:
            self._bar = _moving_line()
            self._bar.start()
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._bar.add_task(self._label, total=None)


@contextlib.contextmanager
def steps(reading: str | None = None) -> Iterator[Steps]:
    """Yield the steps of a command, and end them also after an error.

    Parameters
    ----------
    reading : str, optional
        What the first step reads, perhaps with DuckDB, which is loaded for it.
    """
    taken = Steps()
    try:
        if reading is not None:
            taken.step(f"reading {reading}")
            Signals.load_duckdb()
        yield taken
    finally:
        taken.finish()


def _moving_line() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
    )
