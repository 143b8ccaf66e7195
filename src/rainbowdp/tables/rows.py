# SPDX-License-Identifier: Apache-2.0
"""Filters and groups: tell by the texts of cells which rows count, and for which group.

A filter of a column is a text, a range of numbers or dates, or several of these, of which a cell must meet
one. It looks at that cell alone and fails on none. The same filter has one form, however it was given: so a
ledger knows a repeated request, and receipts can be compared.

Groups are declared, never read from the table. A row is in one group at most: that of the texts for which
its cells stand. So where every row is a person who joins or leaves, answers for all groups cost as much as
one.
"""

import contextlib
import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from rainbowdp.errors import RainbowError, UsageError
from rainbowdp.exact import Number
from rainbowdp.exact.arguments import described, items_of, require_together
from rainbowdp.questions.cells import (
    Point,
    cell_text,
    point_of,
    point_said,
    point_shown,
    point_text,
    stands_for,
)
from rainbowdp.questions.question import Json, as_list, require_column
from rainbowdp.rainbow import quote_colors
from rainbowdp.tables.source import one_form

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
        If the name of a column is empty or not a text.

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


@dataclass(frozen=True)
class Groups:
    """The groups of a table: every combination of what was declared for each column.

    Parameters
    ----------
    columns : tuple of str
        The columns, at least one.
    declared : tuple of tuple of str
        For each of them, the texts of its cells that make a group.
    other : str, optional
        What all other cells of each column count as, also those that are empty or cannot be read. Without
        it, rows with such cells count nowhere.

    Examples
    --------
    >>> Groups(("region", "sex"), (("North", "South"), ("f",)), "other").names
    ('North, f', 'North, other', 'South, f', 'South, other', 'other, f', 'other, other')
    """

    columns: tuple[str, ...]
    declared: tuple[tuple[str, ...], ...]
    other: str | None = None

    @property
    def _of_columns(self) -> list[tuple[str, ...]]:
        return [texts if self.other is None else (*texts, self.other) for texts in self.declared]

    @property
    def names(self) -> tuple[str, ...]:
        """What the groups are called: their texts, with commas between those of several columns."""
        if len(self.columns) == 1:
            return self._of_columns[0]
        return tuple(quote_colors(texts) for texts in product(*self._of_columns))

    @property
    def by(self) -> str:
        """The columns, in words."""
        return " and ".join(map(repr, self.columns))

    def __len__(self) -> int:
        return math.prod(map(len, self._of_columns))

    def places_in(self, at: int, texts: Sequence[str | None]) -> list[int]:
        """Return for each cell of one of the columns the number of its text there, -1 for none.

        Examples
        --------
        >>> Groups(("ward",), (("red", "1"),)).places_in(0, ["red", "Red", "1.0", None])
        [0, -1, 1, -1]
        """
        numbers = {text: place for place, text in enumerate(self.declared[at])}
        rest = -1 if self.other is None else len(numbers)
        said = (None if text is None else stands_for(text, numbers) for text in texts)
        return [rest if text is None else numbers[text] for text in said]

    def together(self, places: Sequence[Sequence[int]]) -> list[int]:
        """Return the number of each row's group, -1 for none, of the numbers in each column."""
        if len(places) == 1:
            return list(places[0])
        sizes = list(map(len, self._of_columns))
        found = []
        for row in zip(*places, strict=True):
            number = 0
            for place, size in zip(row, sizes, strict=True):
                number = number * size + place
            found.append(-1 if min(row) < 0 else number)
        return found


def groups_of(by: object, groups: object, other_group: str | None = None) -> Groups | None:
    """Return the groups that are declared, None if there are none.

    Parameters
    ----------
    by : str or sequence of str, optional
        The column, or several.
    groups : sequence of str, or of sequences of str
        The groups of the column; of several columns, those of each.
    other_group : str, optional
        What all other cells count as.

    Raises
    ------
    UsageError
        If they do not fit together.
    QuestionError
        If the name of a column is empty or not a text.

    Examples
    --------
    >>> groups_of("town", ["Ulm", "Bonn"]).names
    ('Ulm', 'Bonn')
    """
    groups = list(groups) if isinstance(groups, Iterator) else groups
    given = None if items_of(groups) == [] else groups
    require_together("give both; groups are declared, never read from the table", by=by, groups=given)
    if by is None:
        if other_group is not None:
            raise UsageError("`other_group` is given without `by`", help="give the column, and its groups")
        return None
    columns = [by] if isinstance(by, str) else items_of(by) or [by]
    each = [groups] if isinstance(by, str) else items_of(groups) or []
    if len(columns) != len(each):
        raise UsageError(
            f"the number of lists of groups is {len(each)}, and that of columns {len(columns)}",
            help="give the groups of each column, in the order of the columns",
        )
    if len({one_form(str(column)) for column in columns}) < len(columns):
        raise UsageError("a column is named twice to divide by", help="name it once")
    other = None if other_group is None else _text(other_group)
    return Groups(tuple(map(require_column, columns)), tuple(_texts(texts, other) for texts in each), other)


def _texts(groups: object, other: str | None) -> tuple[str, ...]:
    texts = tuple(map(_text, as_list("groups", groups)))
    if not texts:
        raise UsageError("a column has no groups", help="name at least one")
    twice = [text for at, text in enumerate(texts) if text in (*texts[:at], other)]
    if twice:
        raise UsageError(
            f"the groups are not distinct: {twice[0]!r} is named twice",
            help="name each group once, and the group of all others differently",
        )
    return texts


def _text(group: object) -> str:
    text = cell_text(group)
    if not isinstance(text, str):
        raise UsageError(
            f"{described(group)} is not a group",
            help="give the text of a cell, or other_group for empty ones",
        )
    return text
