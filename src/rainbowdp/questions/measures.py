# SPDX-License-Identifier: Apache-2.0
"""What is compared with a threshold: a number of rows, a share of the rows, or a sum of clamped values.

Each measure knows by how many rows it is over an edge, and between which levels one person's rows can move a
table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import QuestionError
from rainbowdp.exact import Number, format_fraction, parse_fraction, show
from rainbowdp.exact.arguments import is_whole
from rainbowdp.questions.question import Json, Neighbors, declared, require_summary
from rainbowdp.questions.readings import ClampedSum, MatchCount, MatchReading, Summary, SumReading

_NARROW = 4
_MOST_ROWS = 8
_LARGEST_TABLE = 400

Jumps = frozenset[tuple[int, int]]
"""Pairs of levels by number, the lower one first."""


@dataclass(frozen=True)
class _OfMatches:
    """What a number and a share of matching rows have in common."""

    equals: str
    name: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "equals", cell_said(self.equals))

    @property
    def tight(self) -> bool:
        """Whether the distance is the true one: always."""
        return True

    def reading(self, column: str, nulls: str | None) -> MatchReading:
        """Return how cells are read: as matching or not."""
        return MatchReading(column, self.equals, nulls)

    def null(self, value: str) -> str:
        """Return the text that a null counts as."""
        return cell_said(value)

    def describe(self) -> dict[str, Json]:
        """Return the measure as JSON."""
        return {"of": self.name, "equals": self.equals}


@dataclass(frozen=True)
class CountOf(_OfMatches):
    """How many rows say one thing."""

    name: ClassVar[str] = "count"

    def edge(self, value: Number) -> Fraction:
        """Return an edge: a whole number of at least 1."""
        read = parse_fraction(value)
        if read.denominator != 1 or read < 1:
            raise QuestionError(
                f"a count cannot cross {show(read)}", help="give a whole number of at least 1"
            )
        return read

    def rows_over(self, summary: Summary, edge: Fraction, neighbors: Neighbors) -> int:  # noqa: ARG002 - one row is one
        """Return the count over the edge, which is negative below it."""
        return matches_of(summary).matching - int(edge)

    def jumps(self, edges: Sequence[Fraction], neighbors: Neighbors, rows: int) -> Jumps:  # noqa: ARG002 - one row is one
        """Return the pairs of levels that lie no more than so many rows apart.

        The count of neighbors differs by at most that many rows, and by any smaller number. Two levels
        touch if and only if the highest count of the lower one, 1 below its upper edge, and the lowest of the
        upper one differ by no more.
        """
        return _pairs(edges, Fraction(rows))

    def counting_nothing(self) -> "CountOf":
        """Return the measure itself: a row that comes or goes moves a count no further than a change."""
        return self


@dataclass(frozen=True)
class ShareOf(_OfMatches):
    """Which part of the rows says one thing; no rows reach every share.

    With `some_uncounted` a changed row may count for nothing before or afterwards, when it is asked which
    levels touch.
    """

    some_uncounted: bool = False
    name: ClassVar[str] = "share"

    def edge(self, value: Number) -> Fraction:
        """Return an edge: above 0 and at most 1."""
        read = parse_fraction(value)
        if not 0 < read <= 1:
            raise QuestionError(
                f"a share cannot cross {show(read)}", help="give a fraction above 0 and at most 1"
            )
        return read

    def rows_over(self, summary: Summary, edge: Fraction, neighbors: Neighbors) -> int:
        """Return the margin over the edge in units of the most that one row moves it, rounded down."""
        counted = matches_of(summary)
        p, q = edge.numerator, edge.denominator
        most = q if neighbors == "change-one" else max(p, q - p)
        return (q * counted.matching - p * counted.total) // most

    def jumps(self, edges: Sequence[Fraction], neighbors: Neighbors, rows: int) -> Jumps:
        """Return the pairs of levels between which so many rows can move a table of some size."""
        return levels_joined(tuple(edges), neighbors, rows, some_uncounted=self.some_uncounted)

    def counting_nothing(self) -> "ShareOf":
        """Return the measure for rows that may count for nothing."""
        return replace(self, some_uncounted=True)


@dataclass(frozen=True)
class SumOf:
    """The sum of all values, each moved into a range first.

    The distance is safe, and the true one only as far as a sum can tell: it does not say which moves exist.
    With `some_uncounted` a changed row may count for nothing before or afterwards; then it can move a sum by
    a whole value.
    """

    lower: Fraction
    upper: Fraction
    some_uncounted: bool = False
    name: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", parse_fraction(self.lower))
        object.__setattr__(self, "upper", parse_fraction(self.upper))
        if not self.lower <= self.upper or self.lower == self.upper == 0:
            raise QuestionError(
                f"values cannot be clamped to {show(self.lower)}, {show(self.upper)}",
                help="give the least and the greatest value that one row may add, the least first",
            )

    @property
    def tight(self) -> bool:
        """Whether small tables of all whole values show that the distance is the true one among sums."""
        whole = self.lower.denominator == self.upper.denominator == 1
        return whole and self.lower <= 0 <= self.upper <= self.lower + _NARROW

    def reading(self, column: str, nulls: str | None) -> SumReading:
        """Return how cells are read: as numbers in the range."""
        return SumReading(column, self.lower, self.upper, None if nulls is None else Fraction(nulls))

    def null(self, value: str) -> str:
        """Return in one spelling the number that a null counts as."""
        return format_fraction(parse_fraction(value))

    def edge(self, value: Number) -> Fraction:
        """Return an edge that sums can cross."""
        read = parse_fraction(value)
        if (self.lower >= 0 and read <= 0) or (self.upper <= 0 and read > 0):
            raise QuestionError(
                f"a sum of these values cannot cross {show(read)}",
                help="give an edge with sums on both sides, or another range of values",
            )
        return read

    def rows_over(self, summary: Summary, edge: Fraction, neighbors: Neighbors) -> int:
        """Return how far the sum is over the edge in units of the most that one row adds, rounded down."""
        most = self._most(neighbors)
        if most == 0:
            raise QuestionError(
                "a changed row cannot change this sum, since all values count the same",
                help="use add-remove neighbors, or a range of values",
            )
        return (_sum(summary) - edge) // most

    def jumps(self, edges: Sequence[Fraction], neighbors: Neighbors, rows: int) -> Jumps:
        """Return the pairs of levels that lie less than so many rows apart.

        The sums of neighbors differ by at most the rows times the most that one can add. Sums come as close
        below an edge as one likes, so two levels touch if and only if the gap between them is smaller than
        that.
        """
        return _pairs(edges, rows * self._most(neighbors))

    def counting_nothing(self) -> "SumOf":
        """Return the measure for rows that may count for nothing, and so move a sum from 0 or to 0."""
        return replace(self, some_uncounted=True)

    def describe(self) -> dict[str, Json]:
        """Return the measure as JSON."""
        return {"of": self.name, "clamp": [format_fraction(self.lower), format_fraction(self.upper)]}

    def _most(self, neighbors: Neighbors) -> Fraction:
        if neighbors == "change-one":
            nothing = [Fraction(0)] if self.some_uncounted else []
            return max([self.upper, *nothing]) - min([self.lower, *nothing])
        return max(abs(self.lower), abs(self.upper))


Measure = CountOf | ShareOf | SumOf
"""What a level or a yes-no question compares with its edges."""


def _pairs(edges: Sequence[Fraction], reach: Fraction) -> Jumps:
    """Return neighboring levels, and pairs with less than the reach between the lower and the upper one.

    Edges ascend, so further up are only wider gaps.
    """
    found = set()
    for low, top in enumerate(edges):
        found.add((low, low + 1))
        for high in range(low + 2, len(edges) + 1):
            if edges[high - 1] - top >= reach:
                break
            found.add((low, high))
    return frozenset(found)


def cell_said(text: object) -> str:
    """Return the text that a matching cell says.

    Raises
    ------
    QuestionError
        If it is empty or has no text.
    """
    return declared("matching texts", [text], least=1)[0]


def matches_of(summary: Summary) -> MatchCount:
    """Return a summary that counts matches.

    Raises
    ------
    QuestionError
        If it is another one, or does not count rows.
    """
    counted = require_summary(summary, MatchCount)
    whole = is_whole(counted.matching) and is_whole(counted.total)
    if not (whole and 0 <= counted.matching <= counted.total):
        raise QuestionError(
            "the summary does not count rows", help="give whole numbers from 0 on, no more matches than rows"
        )
    # Whole numbers of numpy begin anew beyond their largest.
    return MatchCount(int(counted.matching), int(counted.total))


def _sum(summary: Summary) -> Fraction:
    total = require_summary(summary, ClampedSum).total
    if not isinstance(total, Rational):
        raise QuestionError("the summary holds no exact sum", help="give a whole number or a Fraction")
    return Fraction(int(total.numerator), int(total.denominator))


@lru_cache(maxsize=64)
def levels_joined(
    edges: tuple[Fraction, ...], neighbors: Neighbors, rows: int, *, some_uncounted: bool = False
) -> frozenset[tuple[int, int]]:
    """Return the pairs of levels of a share that some rows can join.

    A table of x matching and y other rows is a point of a lattice, and a level is a cone of it. Levels next
    to each other touch, in large tables too. For all others let g be the share between them: the share of a
    table has to move by more than g. If r rows of a table of n leave it and a others join, it moves by at
    most max(r, a)/max(n, n - r + a): most if all that leave do not match and all that join do. With at most
    m rows on either side both tables have fewer than m/g rows, and all tables up to that size are looked
    at. The empty table, which reaches every edge, is one of them.

    Parameters
    ----------
    edges : tuple of Fraction
        Ascending, above 0 and at most 1.
    neighbors : {"add-remove", "change-one"}
        Whether rows are added and removed, or changed.
    rows : int
        How many.
    some_uncounted : bool
        Whether a changed row may count for nothing before or afterwards.

    Returns
    -------
    frozenset of (int, int)
        The lower level first. Beyond 8 rows, and for gaps so narrow that tables of more than 400 rows
        matter, pairs are named that may not touch, which is safe.

    Examples
    --------
    >>> quarters = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    >>> sorted(levels_joined(quarters, "add-remove", 1))
    [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]
    >>> sorted(levels_joined((Fraction(1, 3), Fraction(2, 5), Fraction(3, 4)), "change-one", 1))
    [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]
    """
    levels = range(len(edges) + 1)
    everything = frozenset((low, high) for low in levels for high in levels[low + 1 :])
    neighboring = {(low, low + 1) for low in levels[:-1]}
    if rows > _MOST_ROWS or everything == neighboring:
        return everything
    gaps = {pair: edges[pair[1] - 1] - edges[pair[0]] for pair in everything - neighboring}
    size = min(int(rows / min(gaps.values())), _LARGEST_TABLE)
    found = _joined(edges, _moves(neighbors, rows, some_uncounted=some_uncounted), size + rows)
    unseen = {pair for pair, gap in gaps.items() if rows / gap >= size + 1}
    return frozenset(neighboring | found | unseen)


def _moves(neighbors: Neighbors, rows: int, *, some_uncounted: bool) -> list[tuple[int, int]]:
    """Return every way in which the numbers of matching and of other rows can change, up to its sign."""
    span = range(-rows, rows + 1)
    steps = [(x, y) for x in span for y in span if x > 0 or (x == 0 and y > 0)]
    if neighbors == "add-remove":
        return [(x, y) for x, y in steps if abs(x) + abs(y) <= rows]
    if some_uncounted:
        return [(x, y) for x, y in steps if max(x, 0) + max(y, 0) <= rows >= max(-x, 0) + max(-y, 0)]
    return [(x, y) for x, y in steps if x + y == 0]


def _joined(edges: Sequence[Fraction], moves: Sequence[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    """Return the pairs of levels that a move joins, among tables of up to so many rows of each kind."""
    x, y = np.arange(size + 1)[:, None], np.arange(size + 1)[None, :]
    level: npt.NDArray[np.int64] = np.zeros((size + 1, size + 1), dtype=np.int64)
    for edge in edges:
        level += _reaches(x, y, edge)
    count = len(edges) + 1
    found: set[int] = set()
    for right, up in moves:
        first = level[: size + 1 - right, max(-up, 0) : size + 1 - max(up, 0)]
        second = level[right:, max(up, 0) : size + 1 - max(-up, 0)]
        pairs = np.minimum(first, second) * count + np.maximum(first, second)
        found.update(np.flatnonzero(np.bincount(pairs.ravel())).tolist())
    return {(pair // count, pair % count) for pair in found if pair // count < pair % count}


def _reaches(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64], edge: Fraction) -> npt.NDArray[np.bool_]:
    """Tell which tables reach an edge; beyond 64 bits whole numbers of Python decide."""
    p, q = edge.numerator, edge.denominator
    if q >= 2**40:
        x, y = x.astype(object), y.astype(object)
    return np.asarray(q * x >= p * (x + y), dtype=np.bool_)
