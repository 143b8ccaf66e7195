# SPDX-License-Identifier: Apache-2.0
"""The two ways out of a command: results to stdout, everything said beside them to stderr.

A reader that stops early (``| head``) closes our stdout. That is no error: what is left is dropped quietly,
and the exit code stays what the command found out.
"""

import io
import itertools
import os
import sys
from collections.abc import Iterable, Sequence

from rainbowdp.errors import FileWriteError

_LINES_AT_ONCE = 4096
_WIDEST = 10_000_000


def emit(lines: Iterable[str]) -> None:
    """Write lines of the result to stdout, as they come; stop when nobody reads any more.

    Raises
    ------
    FileWriteError
        If stdout goes to a file and the disk is full.
    """
    remaining = iter(lines)
    while batch := list(itertools.islice(remaining, _LINES_AT_ONCE)):
        try:
            sys.stdout.write("\n".join(batch) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_stdout()
            return
        except OSError as error:
            _discard_stdout()
            raise FileWriteError(
                f"cannot write the result to stdout: {error.strerror}",
                help="check the free space where it goes",
            ) from error


def say(line: str) -> None:
    """Write one line to stderr; a stderr that nobody reads is no reason to fail."""
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


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
            Text(column), no_wrap=True, overflow="ignore", justify="right" if right and at else "left"
        )
    for row in rows:
        table.add_row(*map(Text, row))
    target = io.StringIO()
    console = Console(file=target, width=_WIDEST, color_system=None, legacy_windows=False)
    console.width = console.measure(table).maximum
    console.print(table, crop=False, no_wrap=True, overflow="ignore")
    emit(line.rstrip() for line in target.getvalue().splitlines())


def _discard_stdout() -> None:
    """Point stdout at nothing, so that neither later writes nor the interpreter's last flush fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
