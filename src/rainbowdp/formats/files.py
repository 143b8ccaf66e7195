# SPDX-License-Identifier: Apache-2.0
"""Files on the disk: their form by the ending, errors that name them, writing them whole, private copies.

A wrong value (a number that cannot be read, a dataset named twice, rainbows over different colors) is misuse
if it is an argument, and unreadable data if it comes from a file. `content_of` gives such errors the exit
code 4 while a file is read; class, code and values of the error do not change.

A file is written beside its target under a hidden name, flushed to the disk and then renamed over the target
(`replacing`). If writing fails or the process dies, the old file stays as it was.

Temporary copies lie in a directory that only its owner can read (`private_directory`). It is removed when its
use ends. Where the process is killed before, the next process of the same user that needs one removes it. Its
owner holds a lock on it, which the system releases when the process ends; so the age of the directory and
the number of a process are not used.
"""

import contextlib
import functools
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from rainbowdp.errors import (
    FileFormatError,
    FileUnreadableError,
    FileWriteError,
    MissingExtraError,
    RainbowError,
    UsageError,
)
from rainbowdp.exact.arguments import kind_of


class Form(Enum):
    """A form of file that rainbowdp reads or writes."""

    CSV = "CSV"
    PARQUET = "Parquet"
    GRAPHML = "GraphML"
    JSON = "JSON"
    TOML = "TOML"


TABLES = (Form.CSV, Form.PARQUET)
"""The forms of tables."""

_ENDINGS = {
    ".csv": Form.CSV,
    ".tsv": Form.CSV,
    ".csv.gz": Form.CSV,
    ".tsv.gz": Form.CSV,
    ".parquet": Form.PARQUET,
    ".pq": Form.PARQUET,
    ".graphml": Form.GRAPHML,
    ".json": Form.JSON,
    ".toml": Form.TOML,
}
_ONLY_READ = (".gz", ".tsv")


def path_of(value: object, name: str = "path") -> Path:
    """Return the name of a file as a path.

    Parameters
    ----------
    value : object
        The argument of a public function.
    name : str
        What the argument is called.

    Raises
    ------
    UsageError
        If it is neither a text nor a path.

    Examples
    --------
    >>> path_of("mechanism.csv").name
    'mechanism.csv'
    """
    return Path(address_of(value, name))


def address_of(value: object, name: str = "path") -> str:
    """Return the name of a file as it was given: a path would shorten ``hdfs://host/file``.

    Raises
    ------
    UsageError
        If it is neither a text nor a path.

    Examples
    --------
    >>> address_of("s3a://bucket/pairs.parquet")
    's3a://bucket/pairs.parquet'
    """
    if isinstance(value, str | os.PathLike):
        named = os.fspath(value)
        if isinstance(named, str):
            return named
    raise UsageError(
        f"`{name}` must be the name of a file, as text or Path, and is {kind_of(value)}",
        help=f'write for example {name}="mechanism.csv"',
        argument=name,
    )


def _form(path: Path, accepted: tuple[Form, ...]) -> Form | None:
    name = path.name.lower()
    form = next((form for ending, form in _ENDINGS.items() if name.endswith(ending)), None)
    return form if form in accepted else None


def _endings(accepted: tuple[Form, ...], left_out: tuple[str, ...] = ()) -> str:
    return ", ".join(
        ending for ending, form in _ENDINGS.items() if form in accepted and not ending.endswith(left_out)
    )


def form_to_read(path: Path, what: str, accepted: tuple[Form, ...]) -> Form:
    """Return the form of a file that is to be read, after checking that it is a file at all.

    Parameters
    ----------
    path : Path
        The file.
    what : str
        What the file should hold, for the message.
    accepted : tuple of Form
        The forms in which that can be given.

    Raises
    ------
    FileUnreadableError
        If there is no such file, it is a directory or a pipe, or its name cannot be one.
    FileFormatError
        If the ending of the name does not say one of the accepted forms.
    """
    try:
        missing = not path.exists()
        kind = "" if path.is_file() else "a directory" if path.is_dir() else "not a regular file"
    except (OSError, ValueError) as error:
        # A name too long, a directory that may not be searched.
        raise unreadable(path, error, "check the name and the permissions") from error
    if missing:
        raise FileUnreadableError(
            f"there is no file {str(path)!r}", help="check the name and the directory", path=str(path)
        )
    if kind:
        raise FileUnreadableError(
            f"{str(path)!r} is {kind}", help=f"name the file that holds {what}", path=str(path)
        )
    form = _form(path, accepted)
    if form is None:
        raise FileFormatError(
            f"the name {path.name!r} does not say in which form {what} is written",
            help=f"use a file whose name ends in one of {_endings(accepted)}",
            path=str(path),
        )
    return form


def form_to_write(path: Path, what: str, accepted: tuple[Form, ...]) -> Form:
    """Return the form in which a file is to be written.

    Raises
    ------
    UsageError
        If the ending of the name does not say one of the accepted forms, or asks for a compressed one.
    """
    form = _form(path, accepted)
    if form is None or path.name.lower().endswith(_ONLY_READ):
        raise UsageError(
            f"the name {path.name!r} does not say in which form {what} is to be written",
            help=f"choose a name that ends in one of {_endings(accepted, _ONLY_READ)}",
            path=str(path),
        )
    return form


def unreadable(
    path: Path, why: BaseException | str, help: str = "check the file and its permissions"
) -> FileUnreadableError:
    """Return the error for a file that cannot be read."""
    reason = getattr(why, "strerror", None) or why
    return FileUnreadableError(f"cannot read {str(path)!r}: {reason}", help=help, path=str(path))


def malformed(path: Path, what: str, help: str, **values: object) -> FileFormatError:
    """Return the error for a file whose content does not have its form; `what` follows its name."""
    return FileFormatError(f"{str(path)!r} {what}", help=help, path=str(path), **values)


def wrong_row(path: Path, row: int, what: str, help: str) -> FileFormatError:
    """Return the error for a row of a table, given by its number from 0; `what` follows the place."""
    return FileFormatError(
        f"row {row + 1} of {str(path)!r} {what}",
        help=f"{help} (rows are counted after the header)",
        path=str(path),
        row=row + 1,
    )


@contextlib.contextmanager
def content_of(*paths: Path | str) -> Iterator[None]:
    """Turn misuse inside the block into unreadable data, with the file in the message.

    Parameters
    ----------
    *paths : Path or str
        The files, or addresses, that are read inside; an error that names none of them is put at the first.

    Raises
    ------
    RainbowError
        The same as inside. `UsageError` and `MissingExtraError` stay as they are: neither options nor what is
        installed are content.

    Examples
    --------
    >>> from rainbowdp.errors import NumberError
    >>> try:
    ...     with content_of(Path("boundary.toml")):
    ...         raise NumberError("'half' is not an exact number")
    ... except NumberError as error:
    ...     print(error.exit_code, error.what)
    4 'boundary.toml': 'half' is not an exact number
    """
    try:
        yield
    except (UsageError, MissingExtraError):
        raise
    except RainbowError as error:
        error.in_a_file()
        names = [repr(str(path)) for path in paths]
        if any(name in error.what for name in names):
            raise
        raise error.at(names[0]) from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path to write to; rename it over the target when the block ends without an error.

    Parameters
    ----------
    path : Path
        The target. Its directory must exist; a symbolic link to a file is followed, so the link itself stays.

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


def write_whole(path: Path, text: str) -> None:
    """Write a text as UTF-8, whole or not at all; see `replacing`.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_whole(target, "whole")
    >>> target.read_text(encoding="utf-8")
    'whole'
    """
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def check_writable(path: Path) -> None:
    """Refuse a target that can never be written, before any work is done for it.

    Raises
    ------
    FileWriteError
        If the directory does not exist or may not be written to, or the target is not a regular file, is a
        link to nothing, or is where standard output or standard error go.
    """
    try:
        folder = path.resolve().parent
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        # A name too long or with a zero byte, links in a circle, a directory that may not be searched.
        raise _refused(path, getattr(error, "strerror", None) or str(error)) from error
    if not folder.is_dir():
        raise _refused(path, f"there is no directory {str(folder)!r}", "create it first, or write elsewhere")
    if path.exists() and not path.is_file():
        raise _refused(
            path, f"it is {'a directory' if path.is_dir() else 'not a regular file'}", "name a file"
        )
    if path.is_symlink() and not path.exists():
        # What is made there would be made out of sight.
        raise _refused(path, "it is a link to a file that does not exist", "name the file itself")
    for number, name in ((1, "standard output"), (2, "standard error")):
        if _goes_to(number, path):
            # What is written there later would be lost with the file that is replaced.
            raise _refused(path, f"{name} goes there", "name another file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refused(path, f"the directory {str(folder)!r} may not be written to")


def _goes_to(number: int, path: Path) -> bool:
    """Tell whether a number of this process stands for an open file."""
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(number), path.stat())
    return False


def _flush(path: Path) -> None:
    """Wait until the disk has it; a directory cannot be flushed everywhere, and need not be."""
    with contextlib.suppress(OSError) if path.is_dir() else contextlib.nullcontext():
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _refused(
    path: Path, why: str, help: str = "check the permissions and the free space, or write elsewhere"
) -> FileWriteError:
    return FileWriteError(f"cannot write {str(path)!r}: {why}", help=help, path=str(path))


_PREFIX, _SUFFIX = "rainbowdp-", ".private"
_OURS = re.compile(r"rainbowdp-[a-z0-9_]{8}\.private")


@contextlib.contextmanager
def private_directory() -> Iterator[Path]:
    r"""Make a directory that only its owner can read; it is removed in the end, with all that is in it.

    Raises
    ------
    OSError
        If it cannot be made.

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
        If the lock cannot be had; Windows has no such locks.
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
