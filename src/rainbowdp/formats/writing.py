# SPDX-License-Identifier: Apache-2.0
"""Writing files so that they are there whole or not at all.

A file is written beside its target under a hidden name, flushed to the disk and then renamed over the target.
Whatever fails or dies in between leaves the old file, or none, as it was.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from rainbowdp.errors import FileWriteError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path to write to; rename it over the target when the block ends without an error.

    Parameters
    ----------
    path : Path
        The target. Its directory must exist; a symbolic link is followed, so the link itself stays.

    Yields
    ------
    Path
        A new empty file in the directory of the target, with the same ending.

    Raises
    ------
    FileWriteError
        If the target cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with replacing(target) as beside:
    ...     _ = beside.write_text("whole", encoding="utf-8")
    >>> target.read_text(encoding="utf-8"), [file.name for file in target.parent.iterdir()]
    ('whole', ['note.txt'])
    """
    import secrets

    check_writable(path)
    target = path.resolve()
    beside = target.with_name(f".{target.stem[:64]}.{secrets.token_hex(6)}{target.suffix}")
    try:
        # 0o666 leaves the permissions to the user's umask, as any new file does; an old file keeps its own.
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        yield beside
        _flush(beside)
        beside.replace(target)
        _flush(target.parent)
    except OSError as error:
        raise _refused(path, os.strerror(error.errno) if error.errno else str(error)) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Refuse a target that can never be written, before any work is done for it.

    Raises
    ------
    FileWriteError
        If the directory does not exist or may not be written to, or the target is not a regular file, or is
        where standard output or standard error go.
    """
    try:
        folder = path.resolve().parent
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        # A name too long or with a zero byte, links in a circle, a directory that may not be searched.
        raise _refused(path, getattr(error, "strerror", None) or str(error)) from error
    if not folder.is_dir():
        raise FileWriteError(
            f"cannot write {str(path)!r}: there is no directory {str(folder)!r}",
            help="create it first, or write elsewhere",
            path=str(path),
        )
    if path.exists() and not path.is_file():
        kind = "a directory" if path.is_dir() else "not a regular file"
        raise FileWriteError(f"cannot write {str(path)!r}: it is {kind}", help="name a file", path=str(path))
    for number, name in ((1, "standard output"), (2, "standard error")):
        if _goes_to(number, path):
            # What is written there later would be lost with the file that is replaced.
            raise FileWriteError(
                f"cannot write {str(path)!r}: {name} goes there", help="name another file", path=str(path)
            )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refused(path, f"the directory {str(folder)!r} may not be written to")


def _goes_to(number: int, path: Path) -> bool:
    """Tell whether a number of this process stands for an open file."""
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(number), path.stat())
    return False


def _flush(path: Path) -> None:
    """Wait until the disk has it; a directory cannot be flushed everywhere, and need not be."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        if path.is_dir():
            return
        raise
    try:
        os.fsync(handle)
    except OSError:
        if not path.is_dir():
            raise
    finally:
        os.close(handle)


def _refused(path: Path, why: str) -> FileWriteError:
    return FileWriteError(
        f"cannot write {str(path)!r}: {why}",
        help="check the permissions and the free space, or write elsewhere",
        path=str(path),
    )
