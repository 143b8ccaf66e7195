# SPDX-License-Identifier: Apache-2.0
"""What one command needs, seen from outside: time, processor time, memory, temporary files.

Every measured command is a process of its own, so what it needs is the operating system's own account of it
(``wait4``), start and imports included. A child begins its account of memory with what its parent holds: so
whoever measures must stay small, and nothing large is ever imported or read here.
"""

import contextlib
import os
import pty
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_SECONDS_BETWEEN_LOOKS = 0.2
# Linux counts in KiB, macOS in bytes.
UNIT_OF_MEMORY = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Run:
    """What a command did and needed.

    Attributes
    ----------
    seconds : float
        From start to end.
    processor_seconds : float
        Of all processors together, in the program and in the system for it.
    memory_bytes : int
        The most memory that was resident at one time.
    temporary_bytes : int
        The most that lay in its folder for temporary files, whenever that was looked at.
    output, messages : str
        What it wrote to stdout and to stderr.
    """

    seconds: float
    processor_seconds: float
    memory_bytes: int
    temporary_bytes: int
    output: str
    messages: str


def measured(command: Sequence[str], scratch: Path) -> Run:
    """Run a command to its end, on a terminal as far as stderr is concerned.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    scratch : Path
        An empty directory for its temporary files, on a disk.

    Raises
    ------
    RuntimeError
        If it fails, with what it said.
    """
    environment = os.environ | {"TMPDIR": str(scratch), "TERM": "xterm", "COLUMNS": "100"}
    with (
        tempfile.TemporaryFile() as output,
        _terminal() as (terminal, messages),
        most_of(lambda: _bytes_in(scratch), _SECONDS_BETWEEN_LOOKS) as most,
    ):
        started = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=terminal, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        # It has been waited for, which the object does not know.
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read().decode()
    shown = b"".join(messages).decode()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {shown}")
    return Run(
        seconds=seconds,
        processor_seconds=used.ru_utime + used.ru_stime,
        memory_bytes=used.ru_maxrss * UNIT_OF_MEMORY,
        temporary_bytes=max(most),
        output=said,
        messages=shown,
    )


@contextlib.contextmanager
def _terminal() -> Iterator[tuple[int, list[bytes]]]:
    """Give a terminal to write to, and a list of what was written, complete at the end of the block."""
    master, terminal = pty.openpty()
    written: list[bytes] = []

    def read() -> None:
        # Where nobody holds the terminal any more, reading ends with an error.
        with contextlib.suppress(OSError):
            while part := os.read(master, 1 << 16):
                written.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield terminal, written
    finally:
        os.close(terminal)
        reader.join()
        os.close(master)


@contextlib.contextmanager
def most_of(look: Callable[[], int], between: float) -> Iterator[list[int]]:
    """Give a list of what was seen, looked at again and again during the block, so many seconds apart."""
    seen = [look()]
    done = threading.Event()

    def keep_looking() -> None:
        while not done.wait(between):
            seen[:] = [max(*seen, look())]

    looker = threading.Thread(target=keep_looking)
    looker.start()
    try:
        yield seen
    finally:
        done.set()
        looker.join()
        seen.append(look())


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            # A file may go while it is looked at.
            with contextlib.suppress(FileNotFoundError):
                total += Path(place, name).stat().st_size
    return total
