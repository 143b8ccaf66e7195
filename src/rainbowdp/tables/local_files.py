# SPDX-License-Identifier: Apache-2.0
"""The bytes of files and of standard input, within stated bounds, and names of files that DuckDB takes.

A compressed file is decompressed as it is read. One that expands beyond `LARGEST_RATIO` times its size, or
beyond `LARGEST_CONTENT` bytes, is refused: both are statements about the file as a whole and never about a
row of it. The first `ALWAYS_ALLOWED` bytes are free, since a small table may well be very repetitive.

DuckDB may refuse a name that is not UTF-8 or looks like a pattern, and read a copy under another name.
Whether a copy is needed may depend on a row. So it is given names in a private directory only, the same for a
file and for its copy, and the name of that directory is judged before a row is read.
"""

import contextlib
import os
import re
import selectors
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import IO, cast

from rainbowdp.errors import TableUnreadableError, readable

LARGEST_RATIO = 250
LARGEST_CONTENT = 1 << 38
ALWAYS_ALLOWED = 1 << 24
BLOCK = 1 << 20

_DAMAGED = "it is damaged, ends before its end, or is not compressed in the way that its name says"

Progress = Callable[[float], None]


def is_compressed(path: Path) -> bool:
    """Return whether the name of a file says that it is compressed."""
    return path.name.lower().endswith((".gz", ".zst"))


def blocks(path: Path, progress: Progress | None = None) -> Generator[bytes]:
    """Yield the content of a file block by block, decompressed where its name ends in ``.gz`` or ``.zst``.

    Parameters
    ----------
    path : Path
        The file.
    progress : callable, optional
        Is told the share of the file that has been read, from 0 to 1.

    Raises
    ------
    TableUnreadableError
        If the file cannot be read, is damaged, or expands beyond the bound.
    """
    failed = ""
    try:
        size = path.stat().st_size
        # Unbuffered, so that the position says how much of the compressed file has been used.
        with path.open("rb") as raw, _decompressed(path, raw) as file:
            total = 0
            while block := file.read(BLOCK):
                total += len(block)
                if is_compressed(path):
                    check_expansion(path, size, total)
                if progress is not None and size:
                    progress(min(1.0, raw.tell() / size))
                yield block
    except OSError as error:
        failed = error.strerror or _DAMAGED
    except (EOFError, zlib.error):
        failed = _DAMAGED
    if failed:
        raise TableUnreadableError(
            f"cannot read {str(path)!r}: {failed}", help="check the file and its permissions", path=str(path)
        )


def check_expansion(path: Path, compressed: int, content: int) -> None:
    """Refuse a file whose content is beyond the bound.

    Parameters
    ----------
    path : Path
        The file, for the message.
    compressed, content : int
        Its size on the disk, and (so far) without compression.

    Raises
    ------
    TableUnreadableError
        If the content is larger than `LARGEST_CONTENT` or than `LARGEST_RATIO` times the size.

    Examples
    --------
    >>> check_expansion(Path("survey.csv.gz"), 10_000_000, 120_000_000)
    >>> check_expansion(Path("bomb.csv.gz"), 100_000, 90_000_000)
    Traceback (most recent call last):
        ...
    rainbowdp.errors.TableUnreadableError: 'bomb.csv.gz' expands to more than 250 times its size
    """
    if content <= ALWAYS_ALLOWED:
        return
    if content > LARGEST_CONTENT:
        bound = f"more than {LARGEST_CONTENT >> 30} GiB"
    elif content > LARGEST_RATIO * compressed:
        bound = f"more than {LARGEST_RATIO} times its size"
    else:
        return
    raise TableUnreadableError(
        f"{str(path)!r} expands to {bound}",
        help="if you trust the file, decompress it first and name the decompressed file",
        path=str(path),
    )


@contextlib.contextmanager
def spooled(source: IO[bytes] | None, suffix: str = ".csv") -> Iterator[Path]:
    """Keep what a stream says in a temporary file, which is removed in all cases.

    Parameters
    ----------
    source : binary file or None
        Standard input, for example; it is read to its end. None stands for a closed one.
    suffix : str
        Ending of the name of the temporary file.

    Raises
    ------
    TableUnreadableError
        If the stream is closed, holds more than `LARGEST_CONTENT` bytes, or cannot be read.
    """
    if source is None or source.closed:
        raise TableUnreadableError(
            "cannot read standard input: it is closed", help="send a file there, or name the file"
        )
    with contextlib.ExitStack() as stack:
        target = _temporary_file(suffix, stack)
        failed = ""
        total = 0
        try:
            for block in _all_of(source):
                total += len(block)
                if total > LARGEST_CONTENT:
                    failed = f"it holds more than {LARGEST_CONTENT >> 30} GiB"
                    break
                if not _has_written(target, block):
                    raise _no_room()
        except OSError as error:
            failed = error.strerror or "an input or output error"
        if failed:
            raise TableUnreadableError(
                f"cannot read standard input: {failed}", help="save it to a file, and name the file"
            )
        # Other programs may open the file only while it is closed here.
        target.close()
        yield Path(target.name)


def _all_of(source: IO[bytes]) -> Iterator[bytes]:
    """Yield what a stream says, also where it was opened so that reads do not wait."""
    while (block := cast("bytes | None", source.read(BLOCK))) != b"":
        if block is None:
            with selectors.DefaultSelector() as waiting:
                waiting.register(source, selectors.EVENT_READ)
                waiting.select()
        else:
            yield block


def _temporary_file(suffix: str, stack: contextlib.ExitStack) -> IO[bytes]:
    """Open a temporary file that only its owner can read; it is removed in all cases."""
    with contextlib.suppress(OSError):
        # In a directory that only its owner can open.
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="rainbowdp-"))
        return stack.enter_context((Path(directory) / f"table{suffix}").open("xb", buffering=0))
    raise _no_room()


def _has_written(target: IO[bytes], block: bytes) -> bool:
    with contextlib.suppress(OSError):
        # A file that is not buffered may take a part only.
        rest = memoryview(block)
        while rest:
            rest = rest[target.write(rest) :]
        return True
    return False


def _no_room() -> TableUnreadableError:
    return TableUnreadableError(
        "there is no room for a temporary copy of standard input",
        help="make room in the directory for temporary files, or name another one with TMPDIR",
    )


@contextlib.contextmanager
def _decompressed(path: Path, raw: IO[bytes]) -> Iterator[IO[bytes]]:
    name = path.name.lower()
    if name.endswith(".gz"):
        import gzip

        with gzip.open(raw, "rb") as file:
            yield cast("IO[bytes]", file)
    elif name.endswith(".zst"):
        import pyarrow as pa

        # Not every library refuses a file that ends in the middle.
        with pa.CompressedInputStream(raw, "zstd") as file:
            yield cast("IO[bytes]", file)
    else:
        yield raw


# DuckDB takes a backslash before a character of a pattern for a separator, as it is on Windows only.
_ODD = re.compile(r"[\[*?\0]" if os.sep == "\\" else r"[\[*?\0\\]")


def is_utf8(path: str | Path) -> bool:
    r"""Say whether the name of a file can be written in UTF-8, as libraries in other languages want it.

    Examples
    --------
    >>> is_utf8("Zürich.csv"), is_utf8("Z\udcfcrich.csv")
    (True, False)
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def is_plain(path: str | Path) -> bool:
    """Say whether DuckDB reads a file of this name, or puts temporary files there, whatever lies beside it.

    Examples
    --------
    >>> is_plain("/tmp/a b.csv"), is_plain("/tmp/a[1].csv")
    (True, False)
    """
    return is_utf8(path) and _ODD.search(str(path)) is None


def check_room(room: str | Path | None = None) -> None:
    """Refuse a directory for temporary files that DuckDB cannot use, before a row may need it.

    Parameters
    ----------
    room : str or Path, optional
        By default where Python makes temporary files.

    Raises
    ------
    TableUnreadableError
        If its name is not UTF-8, or could be a pattern.
    """
    name = "" if room is None else str(room)
    # Where temporary files are impossible, making one reports that.
    with contextlib.suppress(OSError):
        name = name or tempfile.gettempdir()
    if not is_plain(name):
        raise TableUnreadableError(
            f"DuckDB can put no temporary files into {readable(name)}: its name is not UTF-8, or has one "
            "of the characters [ * ? \\",
            help="name another directory for temporary files with TMPDIR",
        )


def linked(path: Path, link: Path) -> bool:
    """Give a file one more name, and return whether that has worked.

    Parameters
    ----------
    path : Path
        The file, absolute.
    link : Path
        The new name, in a directory of ours.
    """
    # Some file systems have no links, and Windows lets not everybody make symbolic ones.
    for make in (link.symlink_to, link.hardlink_to):
        with contextlib.suppress(OSError, NotImplementedError):
            make(path)
            return True
    return False
