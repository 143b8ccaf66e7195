# SPDX-License-Identifier: Apache-2.0
"""Numbers and dates: what edges and ends of ranges are, and what cells say that are compared with them.

Both are exact. A date is a whole day: the day that a cell says, or the day of the moment that it says.
"""

import datetime as dt
import re
from fractions import Fraction

from rainbowdp.errors import NumberError, QuestionError
from rainbowdp.exact import format_fraction, parse_fraction, show
from rainbowdp.questions.cells import date_of, number_of

Point = Fraction | dt.date
"""A number or a date."""
_DAY = re.compile(r"\s*\d{4}-\d\d-\d\d\s*", re.ASCII)


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
        If it is no exact number.

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
