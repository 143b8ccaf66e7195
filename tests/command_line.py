# SPDX-License-Identifier: Apache-2.0
"""Running the command line inside the test process, for breadth, and as a process of its own."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from rainbowdp.cli import main

PROGRAM = (sys.executable, "-m", "rainbowdp")
_HANDLERS: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> tuple[str, str]:
        """The two lines of an error, after checking that there is nothing else beside notes."""
        lines = [line for line in self.err.splitlines() if not line.startswith("note: ")]
        assert self.out == ""
        assert len(lines) == 2, self.err
        assert lines[0].startswith("error[RDP")
        assert lines[1].startswith("help: ")
        return lines[0], lines[1]

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON can be anything
        """What it printed, after checking that it ended well."""
        assert self.code == 0, self.err
        return json.loads(self.out)


class Runner:
    """Runs commands in this process; the fixture ``run`` of the command line tests."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *words: object) -> Outcome:
        self._capture.readouterr()
        code = main(list(map(str, words)))
        captured = self._capture.readouterr()
        return Outcome(code, captured.out, captured.err)


def process(
    *words: object,
    program: Sequence[str] = PROGRAM,
    **options: Any,  # noqa: ANN401 - of subprocess.run
) -> "subprocess.CompletedProcess[str]":
    """Run a command, or the words of another program, as a process of its own."""
    usual: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    return subprocess.run([*program, *map(str, words)], check=False, **(usual | options))


@contextlib.contextmanager
def usual_signals() -> Iterator[None]:
    """Set the signal handlers of a new Python process: children inherit what nohup or a shell ignores."""
    before = {number: signal.signal(number, handler) for number, handler in _HANDLERS.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            # A handler that was not set from Python cannot be set again.
            signal.signal(number, _HANDLERS[number] if handler is None else handler)
