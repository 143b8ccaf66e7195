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

from rainbowdp.questions.cells import Point, cell_text, date_of, number_of


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


def _is_float(text: str) -> bool:
    return number_of(text) is not None and text == str(float(text))


def _intervals(ends: str, closed: str) -> Held:
    """Return what a column of intervals of pandas holds, such as ``interval[int64, right]``."""
    left = "[" if closed in ("left", "both") else "("
    right = "]" if closed in ("right", "both") else ")"
    is_end = _is_float if ends.startswith("float") else lambda text: _WHOLE.fullmatch(text) is not None
    known = ends.startswith(("float", "int", "uint"))

    def says(text: str) -> bool:
        inner = text.removeprefix(left).removesuffix(right)
        parts = inner.split(", ")
        return text == f"{left}{inner}{right}" and len(parts) == 2 and (not known or all(map(is_end, parts)))

    example = "10.0, 20.0" if ends.startswith("float") else "10, 20" if known else "..., ..."
    return Held(re.compile("interval"), f"intervals, such as {left}{example}{right}", says, None)


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
    Held(
        re.compile("period"),
        "periods, such as 2026-01, 2026Q1 or 2026",
        lambda text: re.fullmatch(r"\d{4}(Q[1-4]|-\d\d(-\d\d([ /].+)?)?)?", text) is not None,
        None,
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
    interval = re.fullmatch(r"interval\[(.+), (right|left|both|neither)\]", type_name)
    if interval:
        return _intervals(*interval.groups())
    plain = re.split(r"[\[(]", type_name.lower())[0]
    return next((held for held in _KNOWN if held.name.fullmatch(plain)), None)
