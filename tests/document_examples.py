# SPDX-License-Identifier: Apache-2.0
r"""How the examples in the documentation are run as tests.

A ``python`` block runs as code, or as a doctest where it begins with ``>>>``. A ``console`` block shows a
session::

    $ rainbowdp line --rainbow 'blue>red' \
        --boundary 'blue=1/2,red=1/2' --epsilon 'ln 2' --distances 0:2
    what the command prints

Every command of such a block is run by the shell, and what it prints on either stream must be what the block
shows; ``...`` stands for any text. Progress is switched off (``conftest.py``): whether it appears is the
machine's doing. A command that fails must be followed by ``$ echo $?``, so that its exit
code is part of the document. Commands that a test must not run (installing, say) stand in ``sh`` blocks.

All examples of one document run in one fresh directory that holds a copy of ``examples/``.
"""

import contextlib
import doctest
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 120
_STATUS = "echo $?"


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


def run(command: str, status: int) -> tuple[str, int]:
    """Run one command after one that ended with `status`; return what it printed and its own status."""
    environment = os.environ | {
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "agg",
        "NO_COLOR": "1",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "TERM": "dumb",
    }
    done = subprocess.run(
        ["/bin/sh", "-c", f"(exit {status})\n{command}"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    return done.stdout, done.returncode


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
