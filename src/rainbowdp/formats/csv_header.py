# SPDX-License-Identifier: Apache-2.0
"""The header of a CSV file, read before any row is.

A header is judged on its own: it must be UTF-8 text, and name every column once. It also says by which sign
columns are separated and how lines end; both are handed to the reader of the rows, which left to itself
guesses from the data and, with the wrong line ending, silently finds no rows at all.
"""

import codecs
import csv
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from rainbowdp.errors import FileFormatError, FileUnreadableError

_LARGEST_HEADER = 1 << 24
_CHUNK = 1 << 16
_RECORD = re.compile(r'(?:[^"\r\n]|"(?:[^"]|"")*+")*+(?=(\r\n?|\n|\Z))')
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DELIMITERS = (",", "\t", ";")


@dataclass(frozen=True)
class CsvHeader:
    """What the first record of a CSV file says.

    Attributes
    ----------
    names : tuple of str
        The columns as they are written, in their order.
    delimiter : str
        Comma, tab or semicolon.
    line_ending : str
        Of the first record, and then of all.
    """

    names: tuple[str, ...]
    delimiter: str
    line_ending: str


def read_header(path: Path, wanted: tuple[str, ...]) -> CsvHeader:
    """Read the first record of a CSV file, which may be compressed with gzip.

    Parameters
    ----------
    path : Path
        The file.
    wanted : tuple of str
        Columns that it should have; the sign that separates columns is the one that makes them appear.

    Raises
    ------
    FileUnreadableError
        If the file cannot be opened or decoded.
    FileFormatError
        If it is empty, or its first record is not a header.
    """
    record, line_ending = _first_record(path)
    if not record.strip():
        raise FileFormatError(
            f"{str(path)!r} is empty" if not line_ending else f"the first line of {str(path)!r} is empty",
            help=f"begin with the line {','.join(wanted)}",
            path=str(path),
        )
    split = {delimiter: _split(path, record, delimiter) for delimiter in _DELIMITERS}
    delimiter = max(_DELIMITERS, key=lambda sign: len(set(wanted) & set(split[sign])))
    return CsvHeader(split[delimiter], delimiter, line_ending or "\n")


def _split(path: Path, record: str, delimiter: str) -> tuple[str, ...]:
    try:
        (names,) = csv.reader([record], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError):
        # Quotes that do not fit this delimiter; another one may fit.
        return (record,)
    if not names:
        raise FileFormatError(f"{str(path)!r} has no header", help="name the columns in the first line")
    return tuple(names)


def _first_record(path: Path) -> tuple[str, str]:
    """Return the first record and the line ending after it (empty at the end of the file)."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    text, read = "", 0
    import gzip

    opened = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            while read < _LARGEST_HEADER:
                data = file.read(_CHUNK)
                if not read and data.startswith(_UTF16):
                    raise undecodable(path, "its first line", "it begins with the mark of UTF-16", data)
                read += len(data)
                text += decoder.decode(data, final=not data)
                found = _RECORD.match(text)
                # A line feed that follows a carriage return may be in the next chunk.
                if found and (not data or found.end() + 1 < len(text)):
                    return found[0], found[1]
                if not data:
                    break
    except UnicodeDecodeError as error:
        line = 1 + text.count("\n") + error.object.count(b"\n", 0, error.start)
        raise undecodable(path, f"line {line}", f"byte {error.object[error.start]:#04x}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise FileUnreadableError(
            f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}",
            help="check the file and its permissions",
            path=str(path),
        ) from error
    raise FileFormatError(
        f"the header of {str(path)!r} has a quote that is never closed",
        help="close it; a quote inside a quoted name is doubled",
        path=str(path),
    )


def undecodable(path: Path, where: str, why: str, data: bytes = b"") -> FileUnreadableError:
    """Return the error for a file that is not UTF-8 text; how it begins says what it may be instead."""
    encoding = "UTF-16" if data.startswith(_UTF16) else "LATIN1"
    ending = ".csv" if path.suffix in ("", ".gz") else path.suffix
    return FileUnreadableError(
        f"{str(path)!r} is not UTF-8 text: {where} cannot be decoded ({why})",
        help=f"save it as UTF-8, for example: iconv -f {encoding} -t UTF-8 old{ending} > new{ending}",
        path=str(path),
    )
