# SPDX-License-Identifier: Apache-2.0
r"""Bytes of any encoding as UTF-8, where what cannot be decoded becomes the NUL character.

The one idea: decoding never fails. A byte that has no meaning becomes NUL, which no readable cell holds, so
that `rainbowdp.tables.records` drops the one row around it and its neighbors stay.
"""

import codecs
import contextlib
from collections.abc import Iterator

from rainbowdp.errors import TableUnreadableError, UsageError

UNREADABLE = "\0"

_HANDLER = "rainbowdp-unreadable"
# Encodings that are no character sets: they interpret escapes, or cannot decode piece by piece.
_REFUSED = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf_7"})

# These begin with a mark that says the order of bytes.
_MARKED = ("utf-16", "utf-32")

codecs.register_error(_HANDLER, lambda error: (UNREADABLE, _end(error)))


def _end(error: UnicodeError) -> int:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.end


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
    known = None
    if name is None:
        return "utf-8"
    try:
        known = codecs.lookup(name).name
        if known.replace("-", "_") not in _REFUSED and not known.startswith(_MARKED):
            codecs.getincrementaldecoder(known)(_HANDLER).decode(bytes(range(256)), final=True)
    except (LookupError, ValueError, AttributeError, TypeError, AssertionError):
        known = None
    if known is None or known.replace("-", "_") in _REFUSED:
        raise UsageError(
            f"there is no character encoding {name!r}",
            help="write for example utf-8, latin-1, cp1252 or utf-16",
            encoding=name,
        )
    return "utf-8" if known in ("utf-8-sig", "ascii") else known


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
                help=f"write {encoding}-le or {encoding}-be as the encoding",
            )
        yield text.encode("utf-8", _LONE)
    yield decoder.decode(b"", final=True).encode("utf-8", _LONE)


_LONE = "rainbowdp-lone-surrogate"
# Some decoders let half a surrogate pair pass, and UTF-8 cannot say it.
codecs.register_error(_LONE, lambda error: (UNREADABLE * (_lone_end(error)), _stop(error)))


def _lone_end(error: UnicodeError) -> int:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.end - error.start


def _stop(error: UnicodeError) -> int:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.end
