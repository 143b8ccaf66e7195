# SPDX-License-Identifier: Apache-2.0
"""End a command on a signal: clean up, say one word, and exit with 128 plus the number of the signal.

Ctrl-C (SIGINT), SIGTERM and SIGHUP all raise `KeyboardInterrupt`, so that every ``finally`` on the way out
runs: half-written files and spilled tables are removed. The signal is also remembered, because libraries turn
the exception into another one, or print it and go on.
"""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from threading import Timer
from types import FrameType
from typing import Any, ClassVar, Self

from rainbowdp.cli.output import say

_WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "terminated"}
_SHELL_OFFSET = 128
_SOON = 0.02


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
        self._again: list[Timer] = []
        self._unraisable: Callable[[Any], object] = sys.unraisablehook

    @property
    def exit_code(self) -> int:
        """What the process ends with after a signal."""
        return _SHELL_OFFSET + (self.received or signal.SIGINT)

    def __enter__(self) -> Self:
        for name in _WORDS:
            number = getattr(signal, name, None)
            # What was ignored from the start (nohup, a background job) stays ignored.
            if number is None or signal.getsignal(number) in (signal.SIG_IGN, None):
                continue
            try:
                self._before[number] = signal.signal(number, self._arrive)
            except ValueError:
                # Only the main thread may listen; in another one the caller's handlers stay.
                break
        self._unraisable, sys.unraisablehook = sys.unraisablehook, self._raise_again
        Signals._current = self
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        Signals._current = None
        sys.unraisablehook = self._unraisable
        # A signal on its way must arrive here, and not where the old handlers are back.
        Signals._held = True
        try:
            for timer in self._again:
                timer.cancel()
                timer.join()
            for number, handler in self._before.items():
                signal.signal(number, handler)
        finally:
            Signals._held = False
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return False
        say(_WORDS[(self.received or signal.SIGINT).name])
        return True

    def _arrive(self, number: int, _: FrameType | None) -> None:
        self.received = self.received or signal.Signals(number)
        if not Signals._held:
            raise KeyboardInterrupt

    @classmethod
    @contextlib.contextmanager
    def held(cls) -> Iterator[None]:
        """Hold signals back during a block that would not survive one.

        Raises
        ------
        KeyboardInterrupt
            At its end, if one came.
        """
        cls._held = True
        try:
            yield
        finally:
            cls._held = False
        cls.check()

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

    def _raise_again(self, lost: Any) -> None:  # noqa: ANN401 - the type is private to typeshed
        """Deliver a signal once more whose exception was lost, for example in the destructor of an object."""
        if isinstance(lost.exc_value, KeyboardInterrupt):
            # Not from here: what is raised inside this hook is printed and lost again. The signal goes to
            # the process, which also wakes it where it waits.
            timer = Timer(_SOON, os.kill, (os.getpid(), signal.SIGINT))
            timer.daemon = True
            self._again.append(timer)
            timer.start()
        else:
            self._unraisable(lost)


def load_duckdb() -> None:
    """Load DuckDB before it is needed: an interrupt in the middle of that aborts the process."""
    with Signals.held():
        import duckdb  # noqa: F401 - loading it is the point
