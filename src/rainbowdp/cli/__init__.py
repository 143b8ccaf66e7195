# SPDX-License-Identifier: Apache-2.0
"""The command line, with one module for each command; `rainbowdp.cli.app` lists them.

Only the result goes to stdout; notes, progress and errors go to stderr. An error is two lines,
``error[RDPnnn]: what`` and ``help: what to do``, also if typer refuses an option; ``rainbowdp --debug ...``
shows the traceback as well. Exit codes:

====  ====================================================================================
0     done
1     checked and found wanting: a mechanism or boundary condition that is not private, an installation
2     misuse: an option, a number, a color or a dataset that does not fit, or a problem that is too large
3     refused: the budget does not cover what was asked
4     data unreadable: a file that is missing, damaged, cannot be written, or whose content does not have the
      documented form
70    a defect of rainbowdp (RDP406, RDP999); never a statement about the input
130   interrupted (Ctrl-C); 143 and 129 after SIGTERM and SIGHUP
====  ====================================================================================

Ctrl-C (SIGINT), SIGTERM and SIGHUP all raise `KeyboardInterrupt`, so that every ``finally`` on the way out
runs: half-written files and spilled tables are removed. The signal is also remembered, because libraries turn
the exception into another one, or drop it and go on.

This module and the declarations of options import little, so that the shell gets help and completions
quickly: every command imports what it needs when it runs.
"""

import contextlib
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, ClassVar, Self

_INTERRUPTED = 130
_WORDS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "terminated"}
_SHELL_OFFSET = 128


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``rainbowdp``; those of the process if left out.

    Returns
    -------
    int
        The exit code.

    Examples
    --------
    >>> main(["line", "--rainbow", "yes>no", "--boundary", "yes=1/2,no=1/2",
    ...       "--epsilon", "ln 2", "--distances", "0:3", "--exact", "--format", "csv"])
    distance,yes,no
    0,1/2,1/2
    1,3/4,1/4
    2,7/8,1/8
    0
    """
    try:
        from rainbowdp.cli.output import write_utf8

        write_utf8()
        with Signals() as signals:
            from rainbowdp.cli.app import run

            return run(arguments, signals)
    except KeyboardInterrupt:
        # Before the signals are listened to, or a second time while the first one ends the command.
        if sys.stderr is not None:
            with contextlib.suppress(OSError):
                sys.stderr.write("interrupted\n")
        return _INTERRUPTED
    # An interrupt that `Signals` has told of ends here.
    return signals.exit_code


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
        from rainbowdp.cli.output import say

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
