# SPDX-License-Identifier: Apache-2.0
"""Filters of rows: what the cells of some columns must say for a row to count.

A filter of a column is a text, a range of numbers or dates, or several of these, of which a cell must meet
one. It looks at that cell alone and fails on none. The same filter has one form, however it was given: so a
ledger knows a repeated request, and receipts can be compared.
"""

import contextlib
import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rainbowdp.errors import RainbowError, UsageError
from rainbowdp.exact import Number
from rainbowdp.exact.arguments import described, items_of
from rainbowdp.questions.cells import (
    Point,
    cell_text,
    point_of,
    point_said,
    point_shown,
    point_text,
    stands_for,
)
from rainbowdp.questions.question import Json, require_column

_FORMS = 'give a text, a Range, or a list of these: {"town": "Ulm", "sex": ["F", "M"], "age": Range(18, 65)}'


@dataclass(frozen=True)
class Range:
    """Cells that say a number from one to another, or a date; both ends belong to it.

    Numbers are compared exactly, as decimals. Of a cell that says a moment, its day is compared; with a time
    zone, its day in UTC. Cells that say no number, or no date, lie in no range.

    Parameters
    ----------
    low, high : number, date or text, optional
        The ends; one of them may be left out. A text is a date if it has the form ``2026-01-31``.

    Raises
    ------
    UsageError
        If there is no end, the ends are a number and a date, or the first lies above the second.
    QuestionError, NumberError
        If an end is neither a number nor a date.

    Examples
    --------
    >>> adults, year = Range(18, "65.5"), Range("2026-01-01", "2026-12-31")
    >>> adults.holds("65.50"), adults.holds("seventy"), year.holds("2026-12-31T23:59:59")
    (True, False, True)
    >>> print(adults, year, Range(18))
    18..65.5 2026-01-01..2026-12-31 18..
    """

    low: Number | dt.date | None = None
    high: Number | dt.date | None = None

    def __post_init__(self) -> None:
        for name, end in (("low", self.low), ("high", self.high)):
            object.__setattr__(self, name, None if end is None else point_of(end))
        low, high = self.ends
        if low is high is None:
            raise UsageError("a range has no ends", help="give one or both: Range(18, 65), Range(18)")
        if None not in (low, high):
            if isinstance(low, dt.date) != isinstance(high, dt.date):
                raise UsageError(f"{self} goes from a number to a date", help="give numbers, or dates")
            if low > high:
                raise UsageError(f"no value lies in {self}", help="give the lower end first")

    @property
    def an_end(self) -> Point:
        """One of the ends, which tells whether numbers or dates are compared."""
        low, high = self.ends
        return high if low is None else low  # type: ignore[no-any-return]  # one of them is there

    @property
    def ends(self) -> tuple[Any, Any]:
        """The lower and the upper end, as numbers or dates; None for one that is left out."""
        return self.low, self.high

    def holds(self, text: str) -> bool:
        """Tell whether the text of a cell says a number or date in the range.

        Parameters
        ----------
        text : str
            The text.

        Returns
        -------
        bool

        Examples
        --------
        >>> Range(None, "0.3").holds("0.30"), Range("2026-01-31").holds("31.01.2026")
        (True, False)
        """
        low, high = self.ends
        value = point_said(text, self.an_end)
        return value is not None and (low is None or low <= value) and (high is None or value <= high)

    def __str__(self) -> str:
        return "..".join("" if end is None else point_shown(end) for end in self.ends)


def range_in(text: str) -> Range | None:
    """Return the range that a text writes, None if it writes none.

    Examples
    --------
    >>> print(range_in("18..65"), range_in("..2026-12-31"), range_in("etc..."))
    18..65 ..2026-12-31 None
    """
    low, points, high = text.partition("..")
    with contextlib.suppress(RainbowError):
        return Range(low.strip() or None, high.strip() or None) if points else None
    return None


Filter = str | Range | tuple[str | Range, ...]
"""What a cell must say: a text, a value in a range, or one of several of these, each once and in order."""


def read_filters(where: object) -> dict[str, Filter]:
    """Return filters by column, each in its one form: ``{"year": 2020}`` and ``{"year": [" 2020"]}`` are one.

    Parameters
    ----------
    where : mapping
        Column to the text of a cell, a `Range`, what `filters_json` makes of a range, or a list of these.

    Raises
    ------
    UsageError
        If it is anything else.
    QuestionError
        If a column is none.

    Examples
    --------
    >>> read_filters({"year": 2020, "sex": ["M", "F", "M "], "age": {"from": "18", "to": None}})
    {'year': '2020', 'sex': ('F', 'M'), 'age': Range(low=Fraction(18, 1), high=None)}
    """
    if not isinstance(where, Mapping):
        raise UsageError(f"{described(where)} is not a filter", help=_FORMS)
    return {require_column(column): _filter_of(column, given) for column, given in where.items()}


def _filter_of(column: str, given: object) -> Filter:
    several = None if isinstance(given, Mapping) else items_of(given)
    found = {_one_of(column, item) for item in ([given] if several is None else several)}
    if not found:
        raise UsageError(f"the filter for column {column!r} is an empty list", help=_FORMS)
    ordered = sorted(found, key=lambda item: (isinstance(item, Range), str(item)))
    return ordered[0] if len(ordered) == 1 else tuple(ordered)


def _one_of(column: str, given: object) -> str | Range:
    if isinstance(given, Range):
        return given
    if isinstance(given, Mapping) and given.keys() == {"from", "to"}:
        return Range(given["from"], given["to"])
    text = cell_text(given)
    if not isinstance(text, str):
        raise UsageError(
            f"the filter for column {column!r} is empty or no text",
            help=f"{_FORMS}; empty cells count as null, which no text matches",
        )
    return text


def parts_of(what: Filter) -> tuple[str | Range, ...]:
    """Return the texts and ranges of a filter, of which a cell must meet one."""
    return what if isinstance(what, tuple) else (what,)


def filters_json(where: Mapping[str, Filter]) -> dict[str, Json]:
    """Return filters as receipts and ledgers have them.

    Examples
    --------
    >>> filters_json({"town": "Ulm", "age": ("none", Range(18, "65.5"))})
    {'age': ['none', {'from': '18', 'to': '131/2'}], 'town': 'Ulm'}
    """
    return {column: _json(where[column]) for column in sorted(where)}


def _json(what: Filter) -> Json:
    if isinstance(what, tuple):
        return list(map(_json, what))
    if isinstance(what, str):
        return what
    low, high = (None if end is None else point_text(end) for end in what.ends)
    return {"from": low, "to": high}


def filters_in_words(where: Mapping[str, Filter]) -> str:
    """Return filters in words.

    Examples
    --------
    >>> print(filters_in_words(read_filters({"sex": ["M", "F"], "age": Range(18, 65), "town": "Ulm"})))
    'sex' is 'F' or 'M', 'age' is 18..65, 'town' is 'Ulm'
    """
    return ", ".join(
        f"{column!r} is "
        + " or ".join(repr(part) if isinstance(part, str) else str(part) for part in parts_of(what))
        for column, what in where.items()
    )


def passing(what: Filter, texts: Sequence[str | None]) -> list[bool]:
    """Tell which texts of cells a filter lets pass.

    Examples
    --------
    >>> passing(("1", Range(3)), ["1.0", "2", "4", None])
    [True, False, True, False]
    """
    declared = {part for part in parts_of(what) if isinstance(part, str)}
    ranges = [part for part in parts_of(what) if isinstance(part, Range)]
    return [
        text is not None
        and (stands_for(text, declared) is not None or any(each.holds(text) for each in ranges))
        for text in texts
    ]
