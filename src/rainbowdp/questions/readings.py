# SPDX-License-Identifier: Apache-2.0
"""Turn the cells of a column into a summary, all that a question needs to know of a table.

A reading decides cell by cell what a cell means. A cell that cannot be read counts nowhere; so does a null,
unless the reading says as what it counts. Summaries are private: none of them says its values when it is
printed, logged or shown in a traceback.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, cast

from rainbowdp.exact import parse_fraction
from rainbowdp.questions.cells import NULL, Point, cell_text, number_of, point_of, point_said, stands_for


class Private:
    """A value that does not show what it holds."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: private>"

    __str__ = __repr__


@dataclass(frozen=True, repr=False)
class OptionCounts(Private):
    """How many rows say each option, in the declared order.

    Examples
    --------
    >>> OptionCounts((40, 60))
    <OptionCounts: private>
    """

    counts: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class MatchCount(Private):
    """How many rows match, of how many that say anything."""

    matching: int
    total: int


@dataclass(frozen=True, repr=False)
class ClampedSum(Private):
    """The exact sum of all values, each moved into the declared range first."""

    total: Fraction


@dataclass(frozen=True, repr=False)
class BracketCounts(Private):
    """How many rows lie in each bracket, from the lowest up."""

    counts: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class ScoreValues(Private):
    """The score of each option, in the declared order."""

    values: tuple[Fraction, ...]


Summary = OptionCounts | MatchCount | ClampedSum | BracketCounts | ScoreValues
"""Any of them."""


@dataclass(frozen=True, repr=False)
class Location(Private):
    """Where a table lies: its true answer, and the row distance to the boundary of that answer's region.

    Attributes
    ----------
    answer : str
        The true answer.
    distance : int
        How many rows away the nearest table is that has a neighbor of another answer.
    """

    answer: str
    distance: int


Tally = Iterable[tuple[object, int]]
"""Raw cells, each with a number of rows; in any order, and a cell may come again."""


class Reading(Protocol):
    """How a question reads the cells of its column; neither method may raise because of a cell.

    A reading that you write is given each distinct text once, and None for nulls; see `as_texts`.
    """

    @property
    def column(self) -> str:
        """The column that is read."""

    def place(self, cell: object) -> Hashable | None:
        """Return what one cell counts as; None if it counts for nothing."""

    def summary(self, tally: Tally) -> Summary:
        """Return the summary of cells, each with the number of rows that have it."""


def as_texts(tally: Tally) -> list[tuple[str | None, int]]:
    """Return what cells say as a person would type it, None for a null, each once and in order, nulls last.

    Cells that cannot be read, and those of no row, are left out.

    Examples
    --------
    >>> as_texts([(b" red", 3), (float("nan"), 1), (1.0, 2), ([], 5), ("red", 1), ("blue", 0)])
    [('1', 2), ('red', 4), (None, 1)]
    """
    found: dict[str | None, int] = {}
    for cell, rows in tally:
        text = cell_text(cell)
        said = text if isinstance(text, str) else None
        if rows and (said is not None or text is NULL):
            found[said] = found.get(said, 0) + rows
    return sorted(found.items(), key=lambda item: (item[0] is None, item[0] or ""))


@dataclass(frozen=True)
class OptionReading:
    """Each cell is one of the options, or another one, or null.

    Parameters
    ----------
    column : str
        The column.
    options : tuple of str
        The options, in order.
    other : str, optional
        The option as which all other readable cells count; otherwise they count nowhere.
    nulls : str, optional
        The option as which nulls count; otherwise they count nowhere.

    Examples
    --------
    >>> reading = OptionReading("party", ("red", "blue"))
    >>> reading.summary([("red", 3), (" blue", 1), ("green", 5), (None, 2)]).counts
    (3, 1)
    """

    column: str
    options: tuple[str, ...]
    other: str | None = None
    nulls: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))

    @cached_property
    def _places(self) -> Mapping[str | None, int]:
        return {option: at for at, option in enumerate(self.options)}

    def option(self, cell: object) -> int | None:
        """Return the number of the one option as which a cell counts."""
        text = cell_text(cell)
        if isinstance(text, str):
            declared = stands_for(text, self._places)
            return self._places.get(self.other if declared is None else declared)
        return self._places.get(self.nulls) if text is NULL else None

    def place(self, cell: object) -> Hashable | None:
        """Return the number of the option as which a cell counts."""
        return self.option(cell)

    def summary(self, tally: Tally) -> OptionCounts:
        """Count the options."""
        return OptionCounts(_counted(self.option, tally, len(self.options)))


@dataclass(frozen=True)
class ApprovalReading(OptionReading):
    """Each cell holds any number of options, which a separator divides; each of them counts once.

    Parameters
    ----------
    column, options, other, nulls
        As for `OptionReading`, for each of the texts between separators.
    separator : str
        What divides them.

    Examples
    --------
    >>> reading = ApprovalReading("party", ("red", "blue"), separator=";")
    >>> reading.summary([("red; blue", 3), ("blue;blue;green", 1), (None, 2)]).counts
    (3, 4)
    """

    separator: str = ";"

    def place(self, cell: object) -> tuple[int, ...] | None:
        """Return the numbers of the options that a cell holds."""
        text = cell_text(cell)
        parts = (
            [part for part in text.split(self.separator) if part.strip()] if isinstance(text, str) else [cell]
        )
        found = {self.option(part) for part in parts}
        return tuple(sorted(place for place in found if place is not None)) or None

    def summary(self, tally: Tally) -> OptionCounts:
        """Count the rows that hold each option."""
        counts = [0] * len(self.options)
        for cell, rows in tally:
            for place in self.place(cell) or ():
                counts[place] += rows
        return OptionCounts(tuple(counts))


@dataclass(frozen=True)
class MatchReading:
    """Each cell equals one text, or says something else.

    Parameters
    ----------
    column : str
        The column.
    equals : str
        What a matching cell says.
    nulls : str, optional
        What a null counts as, such as ``equals``; otherwise it counts nowhere.

    Examples
    --------
    >>> found = MatchReading("smoker", "yes").summary([("yes", 3), ("no", 5), (None, 2)])
    >>> found.matching, found.total
    (3, 8)
    """

    column: str
    equals: str
    nulls: str | None = None

    def place(self, cell: object) -> bool | None:
        """Tell whether a cell matches."""
        text = cell_text(cell)
        said = self.nulls if text is NULL else text
        return stands_for(said, {self.equals}) is not None if isinstance(said, str) else None

    def summary(self, tally: Tally) -> MatchCount:
        """Count what matches, and what says anything."""
        others, matching = _counted(self.place, tally, 2)
        return MatchCount(matching, others + matching)


@dataclass(frozen=True)
class SumReading:
    """Each cell is a number, moved into a range.

    Parameters
    ----------
    column : str
        The column.
    lower, upper : Fraction
        The range.
    nulls : Fraction, optional
        The value that a null counts as; otherwise it counts nowhere.

    Examples
    --------
    >>> SumReading("age", Fraction(0), Fraction(100)).summary([("41", 2), ("999", 1), ("old", 7)]).total
    Fraction(182, 1)
    """

    column: str
    lower: Fraction
    upper: Fraction
    nulls: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("lower", "upper") if self.nulls is None else ("lower", "upper", "nulls"):
            object.__setattr__(self, name, parse_fraction(getattr(self, name)))

    def place(self, cell: object) -> Fraction | None:
        """Return the value of a cell, moved into the range."""
        text = cell_text(cell)
        value = number_of(text) if isinstance(text, str) else self.nulls if text is NULL else None
        return None if value is None else min(max(value, self.lower), self.upper)

    def summary(self, tally: Tally) -> ClampedSum:
        """Add up the values."""
        # By denominator, since adding whole numbers is much faster than adding fractions.
        totals: Counter[int] = Counter()
        for cell, rows in tally:
            value = self.place(cell)
            if value is not None:
                totals[value.denominator] += rows * value.numerator
        return ClampedSum(
            sum((Fraction(numerator, denominator) for denominator, numerator in totals.items()), Fraction(0))
        )


@dataclass(frozen=True)
class BracketReading:
    """Each cell is a number, or a date, that lies in one of the brackets.

    Parameters
    ----------
    column : str
        The column.
    edges : tuple of Fraction or of date
        Where brackets meet, ascending; the edge itself belongs to the upper one.

    Examples
    --------
    >>> BracketReading("age", (Fraction(18), Fraction(65))).summary([("17.9", 2), ("18", 1), ("x", 4)]).counts
    (2, 1, 0)
    """

    column: str
    edges: tuple[Point, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", tuple(map(point_of, self.edges)))

    def place(self, cell: object) -> int | None:
        """Return the number of the bracket in which a cell lies."""
        text = cell_text(cell)
        value = point_said(text, self.edges[0]) if isinstance(text, str) else None
        return None if value is None else bisect_right(cast("Any", self.edges), value)

    def summary(self, tally: Tally) -> BracketCounts:
        """Count the brackets."""
        return BracketCounts(_counted(self.place, tally, len(self.edges) + 1))


def reads_numbers(reading: Reading) -> bool:
    """Say whether cells are read as numbers."""
    if isinstance(reading, BracketReading):
        return isinstance(reading.edges[0], Fraction)
    return isinstance(reading, SumReading)


def _counted(place: Callable[[object], int | None], tally: Tally, size: int) -> tuple[int, ...]:
    """Return how many rows have each place."""
    counts = [0] * size
    for cell, rows in tally:
        at = place(cell)
        if at is not None:
            counts[at] += rows
    return tuple(counts)
