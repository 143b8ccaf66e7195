# SPDX-License-Identifier: Apache-2.0
"""Directories for temporary files that only their owner can read, and what killed processes left of them.

A directory is removed when its use ends. Where the process is killed before, the next process of the same
user that needs one removes it. Its owner holds a lock on it, which the system lets go when the process ends,
however it ends; so it needs no guess by age or by the number of a process.
"""

import contextlib
import functools
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX, _SUFFIX = "rainbowdp-", ".private"
_OURS = re.compile(r"rainbowdp-[a-z0-9_]{8}\.private")


@contextlib.contextmanager
def private_directory() -> Iterator[Path]:
    r"""Make a directory that only its owner can read; it is removed in the end, with all that is in it.

    Raises
    ------
    OSError
        If there can be none.

    Examples
    --------
    >>> with private_directory() as room:
    ...     _ = (room / "copy.csv").write_text("id\n", encoding="utf-8")
    >>> room.exists()
    False
    """
    sweep(tempfile.gettempdir())
    with contextlib.ExitStack() as stack:
        room = _held(stack)
        # Another process may have swept it before it was locked.
        while not room.is_dir():
            room = _held(stack)
        yield room


def _held(stack: contextlib.ExitStack) -> Path:
    """Make a directory and lock it, where that can be done, until the stack ends."""
    made = tempfile.TemporaryDirectory(prefix=_PREFIX, suffix=_SUFFIX, ignore_cleanup_errors=True)
    room = Path(stack.enter_context(made))
    with contextlib.suppress(OSError):
        stack.enter_context(_locked(room))
    return room


@functools.cache
def sweep(place: str) -> None:
    """Remove the directories that killed processes of this user left in a place.

    Nothing here follows a link, and what belongs to another user stays.
    """
    import shutil

    with contextlib.suppress(OSError):
        for found in filter(lambda path: _OURS.fullmatch(path.name), Path(place).iterdir()):
            with contextlib.suppress(OSError), _locked(found, alone=True) as handle:
                if os.fstat(handle).st_uid == os.geteuid():
                    shutil.rmtree(found, ignore_errors=True)


@contextlib.contextmanager
def _locked(directory: Path, *, alone: bool = False) -> Iterator[int]:
    """Hold a lock on a directory: ``alone`` does not wait, and fails where another process holds one.

    Raises
    ------
    OSError
        If there is none to be had; nor is there one on Windows.
    """
    try:
        import fcntl
    except ImportError:
        raise OSError("there are no locks on directories") from None
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if alone else fcntl.LOCK_SH)
        yield handle
    finally:
        os.close(handle)
