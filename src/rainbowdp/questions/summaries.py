# SPDX-License-Identifier: Apache-2.0
"""Sufficient statistics: all that a question needs to know of a table, and nothing that shows itself.

They are private. None of them says its values when it is printed, logged or shown in a traceback.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rainbowdp.exact.arguments import is_whole, items_of


class Private:
    """A value that does not show what it holds."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: private>"

    __str__ = __repr__


def _plain(number: Any) -> Any:  # noqa: ANN401 - what is none is refused where it is used
    """Return whole numbers as those of Python itself: numpy's begin anew beyond their largest."""
    items = items_of(number)
    if items is not None:
        return tuple(map(_plain, items))
    return int(number) if is_whole(number) else number


@dataclass(frozen=True, repr=False)
class OptionCounts(Private):
    """How many rows say each option, in the declared order.

    Examples
    --------
    >>> OptionCounts((40, 60))
    <OptionCounts: private>
    """

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", _plain(self.counts))


@dataclass(frozen=True, repr=False)
class MatchCount(Private):
    """How many rows match, of how many that say anything."""

    matching: int
    total: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "matching", _plain(self.matching))
        object.__setattr__(self, "total", _plain(self.total))


@dataclass(frozen=True, repr=False)
class ClampedSum(Private):
    """The exact sum of all values, each moved into the declared range first."""

    total: Fraction


@dataclass(frozen=True, repr=False)
class BracketCounts(Private):
    """How many rows lie in each bracket, from the lowest up."""

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", _plain(self.counts))


@dataclass(frozen=True, repr=False)
class ScoreValues(Private):
    """The score of each option, in the declared order."""

    values: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _plain(self.values))


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
