# SPDX-License-Identifier: Apache-2.0
"""Show progress on stderr, for work that takes more than two seconds.

A command names its steps as it takes them. After two seconds the step at work is shown: as a moving line on a
terminal, as plain lines (one per step) anywhere else. Quicker work shows nothing, nor does any work if the
environment variable `SWITCH` is ``off``.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING

from rainbowdp.cli.output import say
from rainbowdp.cli.signals import Signals

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_SECONDS = 2.0
SWITCH = "RAINBOWDP_PROGRESS"


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
            If the command is to end, see `rainbowdp.cli.signals.Signals.check`.
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
        if sys.stderr is None or not sys.stderr.isatty():
            say(f"{self._label} ({monotonic() - self._started:.0f} s)")
            return
        if self._bar is None:
            self._bar = _moving_line()
            self._bar.start()
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._bar.add_task(self._label, total=None)


@contextlib.contextmanager
def steps() -> Iterator[Steps]:
    """Yield the steps of a command, and end them also after an error."""
    taken = Steps()
    try:
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
