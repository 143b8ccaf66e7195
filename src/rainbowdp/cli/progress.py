# SPDX-License-Identifier: Apache-2.0
"""Show the steps of a command on stderr once it takes two seconds, and end it on a signal.

A command names its steps as it takes them. After two seconds the step at work is shown: as a moving line on a
terminal that can move it, as plain lines (one per step) anywhere else. Quicker work shows nothing, nor does
any work if the environment variable `SWITCH` is ``off``.

Ctrl-C (SIGINT), SIGTERM and SIGHUP all raise `KeyboardInterrupt`, so that every ``finally`` on the way out
runs: half-written files and spilled tables are removed. The signal is also remembered, because libraries turn
the exception into another one, or drop it and go on.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from threading import Lock, Timer
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rainbowdp.cli.output import say

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_SECONDS = 2.0
SWITCH = "RAINBOWDP_PROGRESS"
_WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "terminated"}
_SHELL_OFFSET = 128


class Signals:
    """Listens to the signals that end a command; a context manager around it.

    Attributes
    ----------
    received : signal.Signals or None
        The first one that came.
    """

    _current: ClassVar["Signals | None"] = None
    _held: ClassVar[bool] = False

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._before: dict[int, Any] = {}

    @property
    def exit_code(self) -> int:
        """What the process ends with after a signal."""
        return _SHELL_OFFSET + (self.received or signal.SIGINT)

    def __enter__(self) -> Self:
        for number in (getattr(signal, name) for name in _WORDS if hasattr(signal, name)):
            # What was ignored from the start (nohup, a background job) stays ignored.
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                self._before[number] = signal.signal(number, self._arrive)
        Signals._current = self
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        Signals._current = None
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return False
        say(_WORDS[(self.received or signal.SIGINT).name])
        return True

    def _arrive(self, number: int, _: FrameType | None) -> None:
        self.received = self.received or signal.Signals(number)
        if not Signals._held:
            raise KeyboardInterrupt

    @classmethod
    def check(cls) -> None:
        """End the command if a signal came and a library dropped its exception.

        Raises
        ------
        KeyboardInterrupt
            If one came.
        """
        if cls._current is not None and cls._current.received is not None:
            raise KeyboardInterrupt

    @classmethod
    def load_duckdb(cls) -> None:
        """Load DuckDB before it is needed, with signals held back: one in the middle aborts the process.

        Raises
        ------
        KeyboardInterrupt
            At its end, if a signal came.
        """
        cls._held = True
        try:
            import duckdb  # noqa: F401 - loading it is the point
        finally:
            cls._held = False
        cls.check()


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
