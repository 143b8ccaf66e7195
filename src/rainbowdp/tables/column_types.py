# SPDX-License-Identifier: Apache-2.0
"""What the cells of a column can say, as its declared type tells: for remarks, never for reading.

A type is known by the name that its library or database gives it. Of a type that is not listed here nothing
is known. Types are part of a header, so no row decides about them.
"""

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from rainbowdp.questions.cells import cell_text, date_of, number_of
from rainbowdp.questions.points import Point


class Held(NamedTuple):
    """What the cells of a type hold.

    Attributes
    ----------
    name : pattern
        The names of the types, in small letters and without what stands in brackets.
    words : str
        What it is.
    says : callable
        Tells whether a cell can say a text.
    point : type or None
        What cells are compared with: numbers or dates.
    """

    name: re.Pattern[str]
    words: str
    says: Callable[[str], bool]
    point: type[Point] | None

    def accepts(self, declared: str | Point) -> bool:
        """Tell whether a cell can say a declared text, or be compared with a number or date."""
        if isinstance(declared, str):
            return self.says(declared)
        return self.point is not None and isinstance(declared, self.point)


_WHOLE = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_CLOCK = re.compile(r"(?:T\d\d:\d\d:\d\d(?:\.\d{6}|\.\d{9})?(?:\+00:00)?)?", re.ASCII)
_DAY_LENGTH = len("2026-01-31")


def _is_number(text: str) -> bool:
    """Tell whether a float or a decimal says this."""
    if number_of(text) is None:
        return text in ("inf", "-inf")
    return text in (cell_text(float(text)), cell_text(Decimal(text)))


def _is_day(text: str) -> bool:
    return len(text) == _DAY_LENGTH and date_of(text) is not None


def _is_moment(text: str) -> bool:
    return _is_day(text[:_DAY_LENGTH]) and _CLOCK.fullmatch(text[_DAY_LENGTH:]) is not None


_KNOWN: Final = (
    Held(re.compile("bool(ean)?"), "true or false", lambda text: text in ("true", "false"), None),
    Held(
        re.compile(r"u?(tiny|small|big|huge)?int(eger)?\d*"),
        "whole numbers, such as 12",
        lambda text: _WHOLE.fullmatch(text) is not None,
        Fraction,
    ),
    Held(
        re.compile(r"(half)?float\d*|double|decimal\d*|numeric|real"),
        "numbers, such as 2.5",
        _is_number,
        Fraction,
    ),
    Held(re.compile(r"date\d*"), "dates, such as 2026-01-31", _is_day, dt.date),
    Held(
        re.compile(r"(datetime|timestamp)\w*( with time zone)?"),
        "moments, such as 2026-01-31T12:00:00",
        _is_moment,
        dt.date,
    ),
)


def held_by(type_name: str) -> Held | None:
    """Return what the cells of a type hold, None where that is not known.

    Examples
    --------
    >>> for name in ("Int64", "timestamp[us, tz=UTC]", "decimal128(10, 2)", "object"):
    ...     held = held_by(name)
    ...     print(held and held.words, held and held.accepts("2026-01-31"))
    whole numbers, such as 12 False
    moments, such as 2026-01-31T12:00:00 True
    numbers, such as 2.5 False
    None None
    """
    plain = re.split(r"[\[(]", type_name.lower())[0]
    return next((held for held in _KNOWN if held.name.fullmatch(plain)), None)
