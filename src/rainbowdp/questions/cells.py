# SPDX-License-Identifier: Apache-2.0
"""What a cell says: one fixed rule for every back end, which looks at that cell alone and never raises.

Back ends hold the same thing differently: ``1`` may be text, an integer or a float with a null beside it.
So every value becomes the text that a person would type, or one of two marks: `NULL`, where nothing is
there, and `INVALID`, where something is there that cannot be read. A text of more than `LARGEST_CELL` bytes
cannot be read either, so that a back end may leave it where it is.

A text may say a number or a date, a `Point`. Edges and ends of ranges are points, which cells are compared
with.
"""

import datetime as dt
import enum
import math
import re
import sys
import unicodedata
import uuid
from collections.abc import Callable, Container, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rainbowdp.errors import NumberError, QuestionError
from rainbowdp.exact import format_fraction, parse_fraction, show

LARGEST_CELL = 1 << 13
"""The most bytes of UTF-8 that a readable cell has, before outer blanks are taken away.

So no number of cells that are in hand at one time fills a memory, and every number that Python writes fits.
"""

Point = Fraction | dt.date
"""A number or a date, exact; a date is a whole day."""

_LONGEST_NUMBER = 400
_LARGEST_EXPONENT = 400
# Up to here floats hold every power of ten exactly, and a whole number is written with all its digits.
_LARGEST_WHOLE = 1e22
# Of a whole number; Python itself writes none of more, unless it is told to.
_MOST_DIGITS = 4300
_TOO_MANY_DIGITS = 10**_MOST_DIGITS
# Python writes smaller ones at any limit of digits.
_ALWAYS_WRITTEN = 10 ** (sys.int_info.str_digits_check_threshold - 1)
# What Python takes for blank, and characters of no width: joiners, the word joiner, the byte order mark.
_BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
_OUTER = f"{_BLANKS}\u200b\u200c\u200d\u2060\ufeff"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,4}))?")
_WHOLE = re.compile(r"(-?)(0|[1-9][0-9]*)\.0+")
_DAY = re.compile(r"\s*\d{4}-\d\d-\d\d\s*", re.ASCII)
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)"
    r"(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(?: ?(Z|UTC|[+-]\d\d(?::?\d\d)?))?)?",
    re.ASCII,
)
_TRUTH_VALUES = frozenset({"True", "TRUE", "False", "FALSE"})
_COARSE_UNITS = frozenset({"Y", "M", "W", "D"})


class Mark(enum.Enum):
    """What a cell is that says nothing."""

    NULL = "null"
    INVALID = "invalid"


NULL, INVALID = Mark.NULL, Mark.INVALID


def cell_text(value: object) -> str | Mark:
    r"""Return what a cell of any type says.

    Parameters
    ----------
    value : object
        The cell, as a back end gives it.

    Returns
    -------
    str or Mark
        Text without outer blanks and outer characters of no width, composed (Unicode's form NFC), case as it
        is; truth values as ``true`` and ``false``; whole numbers
        without a decimal point, other floats and decimals with as few digits as tell them apart; dates and
        times in ISO form, moments with a time zone in UTC; intervals of pandas as it writes them; bytes as
        UTF-8. `NULL` for None, NaN and what is empty. `INVALID` for what has no text: bytes of another
        encoding, lists, objects of any type but those of Python, numpy and pandas that are named above (and
        UUIDs), numbers of more than 4,300 digits, and what has more than `LARGEST_CELL` bytes.

    Examples
    --------
    >>> cell_text(" Zürich "), cell_text(True), cell_text(1.0), cell_text(0.1), cell_text("01")
    ('Zürich', 'true', '1', '0.1', '01')
    >>> cell_text(""), cell_text(float("nan")), cell_text(b"\xff")
    (<Mark.NULL: 'null'>, <Mark.NULL: 'null'>, <Mark.INVALID: 'invalid'>)
    """
    if value is None:
        return NULL
    try:
        text = _text(value)
        if text is None or len(text) > LARGEST_CELL or "\0" in text:
            return INVALID
        # Text that no file can hold would fail later, where it is written.
        if len(text.encode()) > LARGEST_CELL:
            return INVALID
    except Exception:  # noqa: BLE001 - an error of any kind would reveal that the cell is there
        return INVALID
    return tidy(text) or NULL


def tidy(text: str) -> str:
    r"""Return a text in the one form in which texts are compared.

    An umlaut can be one character, or a letter and two dots of its own; a byte order mark or a joiner at an
    end shows nothing.

    Examples
    --------
    >>> tidy("\ufeff Zu\u0308rich\u200b ") == "Zürich"
    True
    """
    text = text.strip(_OUTER)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _text(value: object) -> str | None:
    """Return the text of a value, empty for null, None where there is none."""
    for kind, text_of in _TEXT_OF:
        if isinstance(value, kind):
            return text_of(value)
    return _text_of_libraries(value)


def _whole_text(value: int) -> str | None:
    number = int(value)
    if abs(number) < _ALWAYS_WRITTEN:
        return str(number)
    return None if abs(number) >= _TOO_MANY_DIGITS else str(Decimal(number))


def _bytes_text(value: bytes | bytearray | memoryview) -> str | None:
    return None if memoryview(value).nbytes > LARGEST_CELL else bytes(value).decode()


def _moment_text(value: Any) -> str | None:  # noqa: ANN401 - datetime or what pandas derives from it
    """Return ISO text of a moment, in UTC if it has a zone."""
    if str(value) == "NaT":
        return ""
    moment = value if value.tzinfo is None else value.astimezone(dt.UTC)
    # A moment of pandas may have a year that no date has.
    return str(moment.isoformat()) if 1 <= moment.year <= dt.MAXYEAR else None


def _text_of_libraries(value: Any) -> str | None:  # noqa: ANN401 - neither is imported for its types
    """Return the text of a scalar of numpy, or of what pandas has besides moments; no other value has one."""
    pandas, numpy = sys.modules.get("pandas"), sys.modules.get("numpy")
    if pandas is not None and value is pandas.NA:
        return ""
    if pandas is not None and isinstance(value, pandas.Period | pandas.Interval):
        return str(value) if 1 <= getattr(value, "year", 1) <= dt.MAXYEAR else None
    if numpy is None or not isinstance(value, numpy.generic):
        return None
    if value.dtype.kind == "f":
        # A short float keeps the few digits that it was made of.
        return _float_text(float(str(value)) if value.dtype.itemsize < 8 else float(value))
    if value.dtype.kind in "mM":
        # A duration is not a readable cell.
        return "" if str(value) == "NaT" else _numpy_moment(value) if value.dtype.kind == "M" else None
    plain = value.item()
    return _text(plain) if isinstance(plain, str | bytes | bool | int | float) else None


def _numpy_moment(value: Any) -> str | None:  # noqa: ANN401 - see above
    """Return ISO text of a moment of numpy, None where Python has none."""
    import numpy as np

    unit, _ = np.datetime_data(value.dtype)
    stored = value.astype("datetime64[D]" if unit in _COARSE_UNITS else "datetime64[us]")
    if stored.astype(value.dtype) != value:
        # numpy wraps around where a count does not fit. All nanoseconds fit, and some are left over.
        return str(value.astype("datetime64[ns]")) if unit == "ns" else None
    plain = stored.item()
    return None if isinstance(plain, int) else str(plain.isoformat())


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
    shift = int(exponent) + len(written) - len(kept)
    if len(kept) + max(0, shift) > _MOST_DIGITS:
        return None
    plain = Decimal((sign, tuple(map(int, kept)), shift))
    return f"{plain:f}" if shift >= -_LARGEST_EXPONENT else str(plain)


_TEXT_OF: tuple[tuple[Any, Callable[[Any], str | None]], ...] = (
    (str, str.__str__),
    (bool, lambda value: "true" if value else "false"),
    (int, _whole_text),
    (float, lambda value: _float_text(float(value))),
    (Decimal, _decimal_text),
    ((bytes, bytearray, memoryview), _bytes_text),
    (dt.datetime, _moment_text),
    ((dt.date, dt.time), lambda value: str(value.isoformat())),
    (uuid.UUID, str),
)


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


def typed_texts(texts: Iterable[str]) -> list[str]:
    """Return many texts in the form of `typed_text`, most of which have it.

    Examples
    --------
    >>> typed_texts(["7", "7.0", "TRUE"])
    ['7', '7', 'true']
    """
    return [typed_text(text) if "." in text or text in _TRUTH_VALUES else text for text in texts]


def stands_for(text: str, declared: Container[object]) -> str | None:
    """Return the declared text for which the text of a cell stands; None if it stands for none of them.

    It stands for itself, else for the same as a person types it (`typed_text`), else, if it says a moment,
    for the day of that moment.

    Examples
    --------
    >>> stands_for("1.0", {"1", "2"}), stands_for("2026-01-31T12:00:00", {"2026-01-31"})
    ('1', '2026-01-31')
    """
    for said in (text, typed_text(text)):
        if said in declared:
            return said
    day = date_of(text)
    return None if day is None or day.isoformat() not in declared else day.isoformat()


def date_of(text: str) -> dt.date | None:
    """Return the day that a text says, or None.

    Parameters
    ----------
    text : str
        From `cell_text`: a day as ``2026-01-31``, or a moment of it such as ``2026-01-31T12:00:00`` or
        ``2026-01-31 12:00``, with a time zone or without one. No other form is a date, whatever a country
        or a program writes.

    Returns
    -------
    date or None
        Of a moment with a time zone, the day in UTC.

    Examples
    --------
    >>> date_of("2026-01-31"), date_of("2026-01-31T23:30:00-05:00"), date_of("31.01.2026")
    (datetime.date(2026, 1, 31), datetime.date(2026, 2, 1), None)
    """
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    day, minute, zone = found.groups()
    try:
        if zone is None:
            return dt.date.fromisoformat(day)
        moment = dt.datetime.fromisoformat(f"{day}T{minute}{'Z' if zone == 'UTC' else zone}")
        return moment.astimezone(dt.UTC).date()
    except (ValueError, OverflowError):
        return None


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


def point_of(value: object) -> Point:
    """Return a declared number or date.

    Parameters
    ----------
    value : number, date or text
        A text is a date where it has the form ``2026-01-31``, else a number.

    Raises
    ------
    QuestionError
        If no calendar has such a day, or the value is a moment other than midnight.
    NumberError
        If it is not an exact number.

    Examples
    --------
    >>> point_of("2026-01-31"), point_of("18.5")
    (datetime.date(2026, 1, 31), Fraction(37, 2))
    """
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None or value.time() != dt.time.min:
            raise QuestionError(f"{value.isoformat()} is not a whole day", help="give a date: 2026-01-31")
        return value.date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, str) and _DAY.fullmatch(value):
        day = date_of(value.strip())
        if day is None:
            raise QuestionError(
                f"no calendar has the day {value!r}", help="give year, month, day: 2026-01-31"
            )
        return day
    try:
        return parse_fraction(value)
    except NumberError as error:
        error.help = f"{error.help}; or a date in the form 2026-01-31"
        raise


def point_text(point: Point) -> str:
    """Return a number or date in one spelling, as receipts have it.

    Examples
    --------
    >>> point_text(Fraction(37, 2)), point_text(dt.date(2026, 1, 31))
    ('37/2', '2026-01-31')
    """
    return format_fraction(point) if isinstance(point, Fraction) else point.isoformat()


def point_shown(point: Point) -> str:
    """Return a number or date as a person would type it.

    Examples
    --------
    >>> point_shown(Fraction(37, 2)), point_shown(dt.date(2026, 1, 31))
    ('18.5', '2026-01-31')
    """
    return show(point) if isinstance(point, Fraction) else point.isoformat()


def point_said(text: str, like: Point) -> Point | None:
    """Return the number that a text says, or the date where it is compared with one; None if it says none.

    Examples
    --------
    >>> point_said("2026-01-31 23:59:59", dt.date(2026, 1, 1)), point_said("18", Fraction(1))
    (datetime.date(2026, 1, 31), Fraction(18, 1))
    """
    return number_of(text) if isinstance(like, Fraction) else date_of(text)
