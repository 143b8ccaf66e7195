# SPDX-License-Identifier: Apache-2.0
"""The bytes of files and of standard input, within stated bounds, and names of files that DuckDB takes.

A compressed file is decompressed as it is read. One that expands beyond `LARGEST_RATIO` times its size, or
beyond `LARGEST_CONTENT` bytes, is refused: both are properties of the whole file and not of a
row. The first `ALWAYS_ALLOWED` bytes are free, since a small table may well be very repetitive.

DuckDB can refuse a name that is not UTF-8 or that looks like a pattern. Whether a file is copied can depend
on a row, so an error about a name must not. Therefore DuckDB gets a file or its copy under one name in a
private directory, and the name of that directory is checked before a row is read.
"""

import contextlib
import io
import os
import re
import tempfile
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, cast

from rainbowdp.errors import TableUnreadableError, readable
from rainbowdp.formats.files import private_directory
from rainbowdp.tables.source import Progress

LARGEST_RATIO = 250
LARGEST_CONTENT = 1 << 38
ALWAYS_ALLOWED = 1 << 24
BLOCK = 1 << 20

_FORMS = {
    "CSV": r"(csv|tsv|tab|txt)(\.gz|\.zst)?",
    "JSON lines": r"(jsonl|ndjson)(\.gz|\.zst)?",
    "Parquet": "parquet|pq",
    "spreadsheet": "xlsx|xlsm|xlsb|xls|ods",
    "statistics": "sav|zsav|dta",
}
_ENDINGS = (
    ".csv, .tsv, .tab, .txt, .jsonl, .ndjson (also with .gz or .zst), .parquet, .xlsx or .ods (spreadsheet), "
    ".sav (SPSS), .dta (Stata)"
)
_WAYS_ON = {
    ".json": "write one object per line, such as with jq -c '.[]' table.json > table.jsonl",
    ".zip": "unpack it, and name the file inside",
}
_DAMAGED = "it is damaged, ends before its end, or is not compressed in the way that its name says"


def form_of(path: Path) -> str:
    """Return in which form a table is written, as the name of its file says.

    Raises
    ------
    TableUnreadableError
        If it does not say one that is read.

    Examples
    --------
    >>> form_of(Path("people.tsv.gz"))
    'CSV'
    """
    for form, endings in _FORMS.items():
        if re.search(rf"\.({endings})\Z", path.name.lower()):
            return form
    raise TableUnreadableError(
        f"the name {path.name!r} does not say in which form the table is written",
        help=_WAYS_ON.get(
            path.suffix.lower(), f"use a file whose name ends in one of {_ENDINGS}; export others as CSV"
        ),
        path=str(path),
    )


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
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or _DAMAGED
        raise TableUnreadableError(
            f"cannot read {str(path)!r}: {reason}", help="check the file and its permissions", path=str(path)
        ) from None


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
    if content > max(ALWAYS_ALLOWED, min(LARGEST_CONTENT, LARGEST_RATIO * compressed)):
        bound = (
            f"{LARGEST_CONTENT >> 30} GiB" if content > LARGEST_CONTENT else f"{LARGEST_RATIO} times its size"
        )
        raise TableUnreadableError(
            f"{str(path)!r} expands to more than {bound}",
            help="if you trust the file, decompress it first and name the decompressed file",
            path=str(path),
        )


@contextlib.contextmanager
def spooled(source: IO[bytes] | None) -> Iterator[Path]:
    """Keep what a stream says in a temporary file that only its owner can read; it is removed in all cases.

    Parameters
    ----------
    source : binary file or None
        Standard input, for example; it is read to its end. None stands for a closed one.

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
        try:
            # Other programs may open the file once it is closed.
            path = stack.enter_context(private_directory()) / "table.csv"
            with path.open("xb") as file:
                file.writelines(_all_of(source))
        except OSError:
            raise TableUnreadableError(
                "there is no room for a temporary copy of standard input",
                help="make room in the directory for temporary files, or name another one with TMPDIR",
            ) from None
        yield path


def _all_of(source: IO[bytes]) -> Iterator[bytes]:
    """Yield what a stream says, also where it was opened so that reads do not wait."""
    total = 0
    try:
        with contextlib.suppress(io.UnsupportedOperation):
            os.set_blocking(source.fileno(), True)
        while (block := source.read(BLOCK)) and total <= LARGEST_CONTENT:
            total += len(block)
            yield block
    except OSError as error:
        raise _unread(error.strerror or "an input or output error") from None
    if total > LARGEST_CONTENT:
        raise _unread(f"it holds more than {LARGEST_CONTENT >> 30} GiB")


def _unread(reason: str) -> TableUnreadableError:
    return TableUnreadableError(
        f"cannot read standard input: {reason}", help="save it to a file, and name the file"
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
    return not any("\ud800" <= character <= "\udfff" for character in str(path))


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
    if not is_utf8(name) or _ODD.search(name):
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
    # Some file systems have no links, and Windows lets only some users make symbolic ones.
    for make in (link.symlink_to, link.hardlink_to):
        with contextlib.suppress(OSError, NotImplementedError):
            make(path)
            return True
    return False
