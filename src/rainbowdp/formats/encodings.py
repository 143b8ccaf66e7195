# SPDX-License-Identifier: Apache-2.0
r"""Bytes of any encoding as UTF-8, where what cannot be decoded becomes the NUL character.

Decoding never fails. A byte that has no meaning becomes NUL, which no readable cell holds, so
that `rainbowdp.formats.csv_files` drops the one row around it and its neighbors stay.
"""

import codecs
import contextlib
from collections.abc import Iterator
from pathlib import Path

from rainbowdp.errors import FileUnreadableError, TableUnreadableError, UsageError

UNREADABLE = "\0"
LARGEST_FIRST_LINE = 1 << 22


_HANDLER = "rainbowdp-unreadable"
# Encodings that are not character sets: they interpret escapes, or cannot decode piece by piece. In the last
# ones a byte changes what all later bytes mean, so that one row would decide about others.
_REFUSED = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7", "hz", "iso2022")

_ENCODED = "say how the file is encoded, for example --encoding latin-1 or utf-16"
_NO_TEXT = {
    "PK\3\4": "it begins like a spreadsheet, or another ZIP archive: save the table as CSV",
    f"\x1f{UNREADABLE}\b": "it begins like a file of gzip: give it a name that ends in .csv.gz",
    f"({UNREADABLE}/{UNREADABLE}": "it begins like a file of Zstandard: give it a name that ends in .csv.zst",
    "BZh": "it begins like a file of bzip2: decompress it, or compress it with gzip",
    f"{UNREADABLE}7zXZ": "it begins like a file of xz: decompress it, or compress it with gzip",
    f"{UNREADABLE}{UNREADABLE}\x11\u0871": "it begins like a spreadsheet of Excel: save the table as CSV",
    "PAR1": "it begins like a Parquet file: give it a name that ends in .parquet",
    "SQLite format 3": "it begins like an SQLite database: give sqlite:/// before its path",
}
NAMELESS = frozenset({"frame", "the frame", "standard input"})

# These begin with a mark that says the order of bytes.
_MARKED = ("utf-16", "utf-32")
# What gives a table its form. Where an encoding has it elsewhere, as EBCDIC has, a file in ASCII is one line.
_CHARACTERS = '\t\n\r",;|0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'


def _unreadable(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for bytes without meaning, and where to go on."""
    if isinstance(error, UnicodeEncodeError):
        # Some decoders let half a surrogate pair pass, and UTF-8 cannot say it.
        return UNREADABLE * (error.end - error.start), error.end
    if isinstance(error, UnicodeDecodeError):
        # At the next byte, since what follows may be a line ending all the same.
        return UNREADABLE, error.end if error.encoding.startswith(_MARKED) else error.start + 1
    raise error


codecs.register_error(_HANDLER, _unreadable)


def encoding_called(name: str | None) -> str:
    """Return the name under which Python knows an encoding; none given means UTF-8.

    Raises
    ------
    UsageError
        If there is no such encoding, or it is not a character set.

    Examples
    --------
    >>> encoding_called("latin-1"), encoding_called(None)
    ('iso8859-1', 'utf-8')
    """
    if name is None:
        return "utf-8"
    known = ""
    # A codec that is not a character set may fail in any way.
    with contextlib.suppress(Exception):
        called = codecs.lookup(name).name
        known = called if _is_character_set(called) else ""
    if not known:
        raise UsageError(
            f"there is no character encoding {name!r}",
            help="write for example utf-8, latin-1, cp1252 or utf-16",
            encoding=name,
        )
    return "utf-8" if known in ("utf-8-sig", "ascii") else known


def _is_character_set(called: str) -> bool:
    """Tell whether all bytes have a meaning or none, and those of a table the meaning that ASCII gives."""
    if called.replace("-", "_").startswith(_REFUSED):
        return False
    if called.startswith(_MARKED):
        return True
    codecs.getincrementaldecoder(called)(_HANDLER).decode(bytes(range(256)), final=True)
    return (
        codecs.getincrementaldecoder(called)(_HANDLER).decode(_CHARACTERS.encode(), final=True) == _CHARACTERS
    )


def in_utf8(content: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    r"""Yield a stream in UTF-8 without byte order mark, whatever its bytes are.

    Parameters
    ----------
    content : iterator of bytes
        The stream, in blocks of any size.
    encoding : str
        From `encoding_called`.

    Raises
    ------
    TableUnreadableError
        If the encoding needs a byte order mark at the start of the file, and there is none.

    Examples
    --------
    >>> list(in_utf8(iter([b"M", bytes([0xFC]), b"ller"]), "iso8859-1"))[1].decode()
    'ü'
    >>> list(in_utf8(iter([bytes([0xFF]), b"x"]), "utf-8"))
    [b'\x00', b'x', b'']
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)(_HANDLER)
    for block in content:
        text = None
        with contextlib.suppress(UnicodeError):
            text = decoder.decode(block)
        if text is None:
            # The mark stands before the header; bytes without meaning do not come here.
            raise TableUnreadableError(
                f"the file does not begin with the byte order mark of {encoding}",
                help=f"leave out the encoding if the file is UTF-8; if not, write {encoding}-le or -be",
            )
        yield text.encode("utf-8", _HANDLER)
    yield _rest(decoder, encoding).encode("utf-8", _HANDLER)


def undecodable(path: Path, where: str, why: str, data: bytes = b"") -> FileUnreadableError:
    """Return the error for a file that is not UTF-8 text; how it begins says what it may be instead."""
    encoding = "UTF-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "LATIN1"
    ending = ".csv" if path.suffix in ("", ".gz") else path.suffix
    return FileUnreadableError(
        f"{str(path)!r} is not UTF-8 text: {where} cannot be decoded ({why})",
        help=f"save it as UTF-8, for example: iconv -f {encoding} -t UTF-8 old{ending} > new{ending}",
        path=str(path),
    )


def help_without_text(first: str, called: str) -> str:
    """Return what to do about a first line that is not text."""
    help = next((help for start, help in _NO_TEXT.items() if first.startswith(start)), _ENCODED)
    # What standard input is cannot be told by a name.
    plain = "send it as CSV, decompressed, or save it to a file and name the file"
    return f"{help.partition(':')[0]}: {plain}" if called in NAMELESS and help != _ENCODED else help


def _rest(decoder: codecs.IncrementalDecoder, encoding: str) -> str:
    """Return what stands at the end of a stream and does not make a character, byte by byte."""
    if encoding.startswith(_MARKED):
        return decoder.decode(b"", final=True)
    text = ""
    while pending := decoder.getstate()[0]:
        decoder.reset()
        text += UNREADABLE + decoder.decode(pending[1:])
    return text
