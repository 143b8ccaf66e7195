# SPDX-License-Identifier: Apache-2.0
"""Programs in processes of their own, which print what they found as one line of JSON.

A process of its own makes memory honest, lets each program load what it needs and nothing else, and can be
ended when it takes too long. Why there is no answer (`NotInstalledError`, `TooSlowError`) is part of the
table; anything else that goes wrong ends the benchmark.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOT_INSTALLED = 3
"""What a process returns that cannot import its program."""


class NotInstalledError(Exception):
    """The program cannot be imported."""


class TooSlowError(Exception):
    """The program did not end in the time it was given."""


def answer_of(
    module: str, *arguments: str, limit: float | None = None, python: str = sys.executable
) -> dict[str, Any]:
    """Run a module of this package in a process, and return what it printed last.

    Parameters
    ----------
    module : str
        A module of this package.
    *arguments : str
        For it.
    limit : float, optional
        How many seconds it is given.
    python : str
        The interpreter.

    Raises
    ------
    NotInstalledError, TooSlowError
        If there is no answer for one of these reasons.
    RuntimeError
        If it fails, with what it said.
    """
    command = [python, "-m", f"benchmarks.{module}", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise TooSlowError(f"not done in {limit:.0f} s") from error
    if done.returncode == NOT_INSTALLED:
        raise NotInstalledError("not installed")
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def say(found: dict[str, Any]) -> None:
    """Print what was found, as `answer_of` reads it."""
    print(json.dumps(found), flush=True)


def say_if_installed(find: Callable[[], dict[str, Any]]) -> None:
    """Print what is found by a library that may be missing; then the process ends with `NOT_INSTALLED`."""
    try:
        say(find())
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(NOT_INSTALLED)
