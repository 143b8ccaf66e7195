# SPDX-License-Identifier: Apache-2.0
"""What a cell says: one fixed rule for every back end, which looks at that cell alone and never raises.

Back ends hold the same thing differently: ``1`` may be text, an integer or a float with a null beside it.
So every value becomes the text that a person would type, or one of two marks: `NULL`, where nothing is
there, and `INVALID`, where something is there that cannot be read. A text of more than `LARGEST_CELL` bytes
cannot be read either, so that a back end may leave it where it is.
"""

import datetime as dt
import enum
import math
import re
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from typing import Any

LARGEST_CELL = 1 << 13
"""The most bytes of UTF-8 that a readable cell has, before outer blanks are taken away.

So no number of cells that are in hand at one time fills a memory, and every number that Python writes fits.
"""

_LONGEST_NUMBER = 400
_LARGEST_EXPONENT = 400
# Up to here floats hold every power of ten exactly, and a whole number is written with all its digits.
_LARGEST_WHOLE = 1e22
# Python writes no whole number of more digits, unless it is asked to.
_MOST_DIGITS = 4300
_TOO_MANY_DIGITS = 10**_MOST_DIGITS
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,4}))?")
_WHOLE = re.compile(r"(-?)(0|[1-9][0-9]*)\.0+")
_TRUTH_VALUES = frozenset({"True", "TRUE", "False", "FALSE"})
_PER_COARSE_UNIT = {"Y": 31_536_000, "M": 2_419_200, "W": 604_800, "D": 86_400, "h": 3600, "m": 60, "s": 1}
_FINER_UNITS = frozenset({"ps", "fs", "as"})
# Year 9999 is nearer than this to 1970, on either side of it.
_FARTHEST_SECOND = 400_000_000_000
_MISSING = frozenset({"NAType", "NaTType"})


class Mark(enum.Enum):
    """What a cell is that says nothing."""

    NULL = "null"
    INVALID = "invalid"


NULL, INVALID = Mark.NULL, Mark.INVALID


def cell_text(value: object) -> str | Mark:
    r"""Return what a cell says, whatever type it has.

    Parameters
    ----------
    value : object
        The cell, as a back end gives it.

    Returns
    -------
    str or Mark
        Text without outer blanks, case as it is; truth values as ``true`` and ``false``; whole numbers
        without a decimal point, other floats and decimals with as few digits as tell them apart; dates and
        times in ISO form, moments with a time zone in UTC; bytes as UTF-8. `NULL` for None, NaN and what is
        empty. `INVALID` for what has no text: bytes of another encoding, lists, values that fail when they
        are asked, numbers of more than 4,300 digits, and what has more than `LARGEST_CELL` bytes.

    Examples
    --------
    >>> cell_text(" Zürich "), cell_text(True), cell_text(1.0), cell_text(0.1), cell_text("01")
    ('Zürich', 'true', '1', '0.1', '01')
    >>> cell_text(""), cell_text(float("nan")), cell_text(b"\xff")
    (<Mark.NULL: 'null'>, <Mark.NULL: 'null'>, <Mark.INVALID: 'invalid'>)
    """
    if value is None or type(value).__name__ in _MISSING:
        return NULL
    try:
        text = _text(_plain(value))
        if text is None or len(text) > LARGEST_CELL or "\0" in text:
            return INVALID
        # Text that no file can hold would fail later, where it is written.
        if len(text.encode()) > LARGEST_CELL:
            return INVALID
    except Exception:  # noqa: BLE001 - whatever a cell does, an error would reveal that it is there
        return INVALID
    return text.strip() or NULL


def _plain(value: Any) -> object:  # noqa: ANN401 - numpy is not imported for its types
    """Return the Python value of a numpy scalar, and any other value as it is."""
    if type(value).__module__ != "numpy" or not hasattr(value, "dtype"):
        return value
    if value.dtype.kind == "f":
        # A short float keeps the few digits that it was made of.
        return float(str(value)) if value.dtype.itemsize < 8 else float(value)
    if value.dtype.kind not in "mM":
        return value.item()
    if str(value) == "NaT":
        return ""
    plain = _moment(value) if value.dtype.kind == "M" else None
    # Where Python has no such moment there is no cell; nor is a duration one.
    return dt.timedelta() if plain is None else plain


def _moment(value: Any) -> object:  # noqa: ANN401 - see _plain
    """Return what a moment of numpy stands for, None where Python has none; numpy itself wraps around."""
    import numpy as np

    unit, multiple = np.datetime_data(value.dtype)
    count = int(value.astype(np.int64)) * multiple
    seconds = _PER_COARSE_UNIT.get(unit)
    if abs(count) * (seconds or 0) > _FARTHEST_SECOND or abs(count) >= 1 << 63:
        return None
    plain = value.item()
    if unit == "ns":
        whole = np.datetime64(count // 1000, "us").item()
        rest = count % 1000
        return f"{whole.isoformat(timespec='microseconds')}{rest:03}" if rest else whole
    # Finer units reach less far than microseconds do.
    if isinstance(plain, int) and unit in _FINER_UNITS:
        plain = value.astype("datetime64[us]").item()
    return None if isinstance(plain, int) else plain


def _text(value: object) -> str | None:
    """Return the text of a value that is not null, empty for NaN, None where there is none."""
    text: str | None
    match value:
        case str():
            text = str(value)
        case bool():
            text = "true" if value else "false"
        case int():
            text = None if abs(value) >= _TOO_MANY_DIGITS else str(int(value))
        case float():
            text = _float_text(float(value))
        case Decimal():
            text = _decimal_text(value)
        case bytes() | bytearray() | memoryview():
            # A view counts its items, and each has a byte at least.
            text = None if len(value) > LARGEST_CELL else bytes(value).decode()
        case dt.datetime() if value.tzinfo is not None:
            text = value.astimezone(dt.UTC).isoformat()
        case dt.date() | dt.time():
            text = value.isoformat()
        case Collection() | dt.timedelta():
            text = None
        case _:
            # What Python writes where a type says nothing is an address in memory, and no text of a cell.
            text = None if type(value).__str__ is object.__str__ else str(value)
    return text


def _float_text(value: float) -> str:
    if math.isnan(value):
        return ""
    if value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    return repr(value)


def _decimal_text(value: Decimal) -> str | None:
    if value.is_nan():
        return ""
    if value.is_infinite():
        return "-inf" if value.is_signed() else "inf"
    sign, digits, exponent = value.as_tuple()
    written = "".join(map(str, digits))
    kept = written.rstrip("0")
    if not kept:
        return "0"
    if len(kept) > _MOST_DIGITS:
        return None
    shift = int(exponent) + len(written) - len(kept)
    plain = Decimal((sign, tuple(map(int, kept)), shift))
    return f"{plain:f}" if abs(shift) <= _LARGEST_EXPONENT else str(plain)


def typed_text(text: str) -> str:
    """Return a text as a person types it: truth values in small letters, whole numbers without a point.

    Files of text say ``True``, ``TRUE`` or ``1.0`` where a typed column says ``true`` and ``1``, depending
    on who wrote them. So a cell stands for a declared text if it says it, or says it in this form.

    Examples
    --------
    >>> typed_text("True"), typed_text("1.0"), typed_text("-0.00"), typed_text("01.0"), typed_text("1.50")
    ('true', '1', '0', '01.0', '1.50')
    """
    if text in _TRUTH_VALUES:
        return text.lower()
    whole = _WHOLE.fullmatch(text)
    if whole is None:
        return text
    return "0" if whole[2] == "0" else whole[1] + whole[2]


def number_of(text: str) -> Fraction | None:
    """Return the number that a text says, exactly, or None.

    Parameters
    ----------
    text : str
        From `cell_text`: a plain decimal, with or without a sign and an exponent; no thousands marks, and no
        more than 400 characters or powers of ten, so that no cell takes long.

    Returns
    -------
    Fraction or None

    Examples
    --------
    >>> number_of("2.50"), number_of("-1e3"), number_of("1,000"), number_of("1e999999999")
    (Fraction(5, 2), Fraction(-1000, 1), None, None)
    """
    if len(text) > _LONGEST_NUMBER:
        return None
    found = _NUMBER.fullmatch(text)
    if found is None or abs(int(found[1] or 0)) > _LARGEST_EXPONENT:
        return None
    return Fraction(text)
