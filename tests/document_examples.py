# SPDX-License-Identifier: Apache-2.0
r"""How the examples in the documentation are run as tests.

A ``python`` block runs as code, or as a doctest where it begins with ``>>>``. A ``console`` block shows a
session::

    $ rainbowdp line --rainbow 'blue>red' \
        --boundary 'blue=1/2,red=1/2' --epsilon 'ln 2' --distances 0:2
    what the command prints

What a command prints on either stream must be what the block shows; ``...`` stands for any text. A command
``rainbowdp`` of which the shell only splits the words, and sends what is printed to a file, runs in this
process, which takes a tenth of the time; the shell runs every other command. Progress is switched off
(``conftest.py``), because it depends on the machine. A command that fails must be followed by ``$ echo $?``,
so that its exit code is part of the document. Commands that a test must not run (installing, say) stand in
``sh`` blocks.

All examples of one document run in one fresh directory that holds a copy of ``examples/``.
"""

import contextlib
import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

from command_line import usual_signals
from rainbowdp.cli import main

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 120
_STATUS = "echo $?"
_QUOTED = re.compile("'[^']*'")
_UNQUOTED = re.compile(r"rainbowdp [\w ./,:=%+-]*")
_INTO = re.compile(r" > ([\w.-]+)$")


@dataclass(frozen=True)
class Command:
    """One command of a console block, with the text the block shows below it."""

    line: str
    shown: str


def parse_console(text: str) -> Iterator[Command]:
    """Split a console block into its commands; a backslash at the end of a line continues a command."""
    line, shown, continued = "", list[str](), False
    for text_line in text.splitlines():
        if continued:
            line += "\n" + text_line
        elif text_line.startswith("$ "):
            if line:
                yield Command(line, "\n".join(shown))
            line, shown = text_line.removeprefix("$ "), []
        elif line:
            shown.append(text_line)
            continue
        else:
            raise ValueError(f"a console block begins with '$ ' and a command, not with {text_line!r}")
        continued = line.endswith("\\")
    if not line:
        raise ValueError("a console block holds no command")
    yield Command(line, "\n".join(shown))


def environment() -> dict[str, str]:
    """Return the environment of every command: that of this process, with a plain terminal."""
    return os.environ | {
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "agg",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "TERM": "dumb",
    }


def run(command: str, status: int) -> tuple[str, int]:
    """Run one command after one that ended with `status`; return what it printed and its own status."""
    alone, into = redirected(command)
    words = own_words(alone)
    return run_by_shell(command, status) if words is None else run_inside(words, into)


def redirected(command: str) -> tuple[str, str | None]:
    """Return a command without the file to which its output goes, and that file."""
    found = _INTO.search(command)
    return (command, None) if found is None else (command[: found.start()], found[1])


def own_words(command: str) -> list[str] | None:
    """Return the words after ``rainbowdp``, or None where the shell does more than split them."""
    joined = command.replace("\\\n", "")
    return shlex.split(joined)[1:] if _UNQUOTED.fullmatch(_QUOTED.sub("", joined)) else None


def run_by_shell(command: str, status: int) -> tuple[str, int]:
    """Run one command in a shell of its own; see `run`."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"(exit {status})\n{command}"],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    return done.stdout, done.returncode


def run_inside(words: list[str], into: str | None) -> tuple[str, int]:
    """Run ``rainbowdp`` in this process, its output perhaps into a file; see `run`."""
    with tempfile.TemporaryFile() as printed, contextlib.ExitStack() as stack:
        result = printed if into is None else stack.enter_context(Path(into).open("wb"))
        with _own_state(), _own_streams(result.fileno(), printed.fileno()):
            sys.argv = ["rainbowdp", *words]
            status = main()
        printed.seek(0)
        return printed.read().decode(), status


@contextlib.contextmanager
def _own_state() -> Iterator[None]:
    """Give a command the surroundings of a new process, and undo what it does to those of this one.

    The caches of the package hold values of functions without side effects, so they stay.
    """
    before, words = dict(os.environ), sys.argv
    with usual_signals(), contextlib.chdir("."), warnings.catch_warnings():
        try:
            os.environ.update(environment())
            yield
        finally:
            sys.argv = words
            os.environ.clear()
            os.environ.update(before)


@contextlib.contextmanager
def _own_streams(result: int, messages: int) -> Iterator[None]:
    """Let the output streams write to these files, what libraries write to descriptors included."""
    standard = (sys.stdin, sys.stdout, sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in range(3)]
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        for number, target in enumerate((nothing, result, messages)):
            os.dup2(target, number)
        with (
            open(0, encoding="utf-8", errors="surrogateescape", closefd=False) as sys.stdin,
            open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False) as sys.stdout,
            open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False) as sys.stderr,
        ):
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = standard
        for number, one in enumerate(kept):
            os.dup2(one, number)
            os.close(one)
        os.close(nothing)


def plain(text: str) -> str:
    """Drop blanks at the ends of lines and empty lines around the text: nobody sees them."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def check_console(text: str) -> str | None:
    """Run a console block; return what differs, or None where every command printed what the block shows."""
    status, failed = 0, ""
    for command in parse_console(text):
        if failed and command.line != _STATUS:
            break
        printed, status = run(command.line, status)
        want, got = plain(command.shown), plain(printed)
        if not doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS):
            return f"$ {command.line}\nshown:\n{want}\nprinted (exit code {status}):\n{got}"
        failed = command.line if status else ""
    if failed:
        return f"$ {failed}\nended with exit code {status}, but '$ {_STATUS}' does not follow it"
    return None


def evaluate_console(example: Example) -> str | None:
    """Hand a console block of a document to `check_console`."""
    return check_console(example.parsed)


def enter_directory(namespace: dict[str, Any]) -> None:
    """Start a document: a fresh directory with a copy of ``examples/`` becomes the current one."""
    stack = contextlib.ExitStack()
    directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="rainbowdp-"))
    shutil.copytree(ROOT / "examples", Path(directory) / "examples")
    stack.enter_context(contextlib.chdir(directory))
    namespace["_leave_directory"] = stack.close


def leave_directory(namespace: dict[str, Any]) -> None:
    """End a document: go back and remove its directory."""
    namespace.pop("_leave_directory")()


DOCUMENTS = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=doctest.ELLIPSIS),
        CodeBlockParser(language="console", evaluator=evaluate_console),
    ],
    path=str(ROOT),
    patterns=["*.md"],
    setup=enter_directory,
    teardown=leave_directory,
)

DOCSTRINGS = Sybil(
    parsers=[DocTestParser(optionflags=doctest.ELLIPSIS)],
    path=str(ROOT / "src"),
    patterns=["*.py"],
    setup=enter_directory,
    teardown=leave_directory,
)
