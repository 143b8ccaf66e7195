# SPDX-License-Identifier: Apache-2.0
"""Graphs of all histograms of records over options, whose neighbors are computed and never listed.

Under both relations neighbors differ by one record that moves from one part to another; under
add-remove a further part, the last, holds the records that are not there, and every move is to or from it.

Steps. Let s and x be histograms. Every way from s to x moves at least ``sum of (x - s)+`` records, and so
many moves suffice: match the records that are too many, in parts where s > x, with the gaps, in parts where
s < x; under add-remove the last part is one side of every move, which costs one move for each record too
many or missing in another part, and that is the L1 distance, the least possible. Along such a way every
count only rises or only falls from its value in s to its value in x, so it never leaves the family, *in
whatever order the moves are made*. (Under add-remove the last part may fall and rise; taking away all that
is too many first and adding all that is missing after it keeps it at 0 or above.) Hence the moves can be
sorted: first all that go to a later part ("down": they lead to a histogram with a smaller number), then all
that go to an earlier part ("up"). Under add-remove that is exactly the order just named, for the last part
holds what is not there.

So the steps from the nearest start are ``min over m of (down steps to m from a start) + (up steps from
m)``, and each of the two is a shortest way in a graph without cycles whose order is the order of the
numbers: one sweep from the last histogram to the first with all moves down, then one from the first to the
last with all moves up, is exact for any starts.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.exact.arguments import one_of, whole
from rainbowdp.graph.arrays import Integers, frozen
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.implicit import Blockwise, require_countable
from rainbowdp.graph.product import finished_steps, narrow_codes, narrow_steps
from rainbowdp.graph.relation import CodePairs, CodeTally

Neighbors = Literal["change-one", "add-remove"]
"""Neighbors differ by one record that has another option, or by one record that is there or not."""

_BEYOND = 1 << 64
_STRETCHES = 1 << 12


@dataclass(frozen=True)
class HistogramNumbers:
    """The numbers of the histograms of `records` records over `parts` parts.

    Histograms stand in lexicographic order, so a number is a sum over the parts. When the parts from l on
    hold b records and those after it a, part l is preceded by ``T_l(b) - T_l(a)`` histograms that agree
    with it before, where T_l(x) counts the ways to spread at most x records over the parts after l.
    Moving one record between parts i < j changes the terms of the parts i to j only, by an amount that is
    a head at i, a tail at j, and a sum over what lies between.

    Parameters
    ----------
    records, parts : int
        How many records, and over how many parts they are spread.

    Examples
    --------
    >>> numbers = HistogramNumbers(2, 3)
    >>> rows = numbers.rows(np.array([0, 1, 4]))
    >>> rows.tolist(), numbers.numbers_of(rows).tolist()
    ([[0, 0, 2], [0, 1, 1], [1, 1, 0]], [0, 1, 4])
    >>> shift(numbers.terms(rows, gains=True)[:, :, 1], 0, 2)
    np.int64(3)
    """

    records: int
    parts: int

    @cached_property
    def ways(self) -> NDArray[np.int64]:
        """``T_l(x)`` at [l, x] for all parts but the last two, where it is x + 1 and 1."""
        ways = np.empty((max(self.parts - 2, 0), self.records + 2 if self.parts > 2 else 0), dtype=np.int64)
        row = np.arange(1, ways.shape[1] + 1, dtype=np.int64)
        for part in range(self.parts - 3, -1, -1):
            row = np.cumsum(row)
            ways[part] = row
        return frozen(ways)

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the histograms with some numbers, int64 [m, parts]."""
        rows = np.empty((numbers.size, self.parts), dtype=np.int64)
        left = np.full(numbers.size, self.records, dtype=np.int64)
        rest = numbers.astype(np.int64)
        for part in range(self.parts - 2):
            # After this part the fewest records that leave enough histograms before it.
            ways = self.ways[part]
            after = np.searchsorted(ways, ways[left] - rest)
            rest = rest - (ways[left] - ways[after])
            rows[:, part] = left - after
            left = after
        rows[:, -2:-1] = rest[:, np.newaxis]
        rows[:, -1] = left - rest
        return rows

    def numbers_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of some histograms, int64 [m]."""
        before = self._before(rows)
        numbers = np.zeros(rows.shape[0], dtype=np.int64)
        for part in range(self.parts - 1):
            numbers += self._term(part, before[part]) - self._term(part, before[part + 1])
        return numbers

    def terms(self, rows: NDArray[np.int64], gains: bool) -> NDArray[np.int64]:
        """Return what is added to the numbers when a part gains or loses a record, int64 [3, parts, m].

        These are the head of a move at its first part, the tail at its last, and what all parts up to one add
        together when they lie between. The first part of a move gains a record if that `gains`, and the last
        one loses it, else the other way. Where the part that loses has no record, they mean nothing.
        """
        sign = 1 if gains else -1
        before = self._before(rows)
        terms = np.zeros((3, *before.shape), dtype=np.int64)
        for part in range(self.parts - 1):
            here, after = before[part], before[part + 1]
            terms[0, part] = self._term(part, after) - self._term(part, after - sign)
            terms[1, part] = self._term(part, here - sign) - self._term(part, here)
        np.cumsum(terms[0] + terms[1], axis=0, out=terms[2])
        return terms

    @staticmethod
    def _before(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many records the parts from each one on hold, [parts, m]."""
        return np.ascontiguousarray(np.cumsum(rows[:, ::-1], axis=1)[:, ::-1].T)

    def _term(self, part: int, records: NDArray[np.int64]) -> NDArray[np.int64]:
        if part == self.parts - 2:
            return records + 1
        ways: NDArray[np.int64] = self.ways[part][np.maximum(records, 0)]
        return ways


@dataclass(frozen=True, repr=False)
class SimplexGraph(Blockwise):
    """All histograms of records over options, numbered in the lexicographic order of their counts.

    Parameters
    ----------
    records : int
        Number of records: exactly that many under change-one, at most that many under add-remove.
    options : int
        Number of options, at least 1.
    relation : {"change-one", "add-remove"}
        Neighbors differ by one record that has another option, or by one record that is there or not.

    Raises
    ------
    GraphShapeError
        If a number or the relation is impossible, or there are more than about 2 * 10^9 histograms.

    Examples
    --------
    >>> survey = SimplexGraph(944, 3, "change-one")
    >>> survey
    SimplexGraph(446985 datasets, 1338120 pairs)
    >>> small = SimplexGraph(2, 2, "add-remove")
    >>> small.rows_of(np.arange(6)).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]
    >>> small.steps_from(np.array([False, False, True, False, False, False])).tolist()
    [2, 1, 0, 3, 2, 4]
    """

    records: int
    options: int
    relation: Neighbors

    def __post_init__(self) -> None:
        for name, count, least in (("records", self.records, 0), ("options", self.options, 1)):
            object.__setattr__(self, name, whole(f"a number of {name}", count, least, error=GraphShapeError))
        one_of("a neighbor relation", self.relation, get_args(Neighbors), GraphShapeError)
        require_countable(spread_count(self.records, self._parts))

    @property
    def _parts(self) -> int:
        return self.options + (self.relation == "add-remove")

    @cached_property
    def size(self) -> int:
        """Number of datasets."""
        return spread_count(self.records, self._parts)

    @property
    def dimensions(self) -> int:
        """Number of options."""
        return self.options

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors: two places of a record, times the places of the others."""
        moves = math.comb(self.options, 2) if self.relation == "change-one" else self.options
        return moves * spread_count(self.records - 1, self._parts)

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        if not is_worth_compiling(self.pair_count):
            return super().mixed(codes)
        from rainbowdp.graph.kernels_families import mix_along

        narrow, marks = narrow_codes(codes, self.size), np.zeros(self.size, dtype=np.bool_)
        for runs in self._runs():
            mix_along(narrow, marks.view(np.uint8), runs)
        return frozen(marks)

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start, int32 [n]; -1 without starts."""
        if not is_worth_compiling(self.pair_count):
            return super().steps_from(starts)
        from rainbowdp.graph.kernels_families import lower_along

        diameter = self.records * (1 if self.relation == "change-one" else 2)
        steps = narrow_steps(starts, self.size, diameter)
        for runs in self._runs(backward=True):
            lower_along(steps, runs)
        for runs in self._runs(gains=False):
            lower_along(steps, runs)
        return finished_steps(steps, diameter)

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        if not is_worth_compiling(self.pair_count):
            return super().code_pairs(codes, count)
        from rainbowdp.graph.kernels import meet_along

        narrow = narrow_codes(codes, self.size, count)
        tally = CodeTally(count, self.size)
        for runs in self._runs():
            tally.run(partial(meet_along, narrow, runs))
        return tally.result()

    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        """Return all neighbors of the datasets from `start` up to before `stop`."""
        numbers = np.arange(start, stop, dtype=np.int64)
        rows, sources, targets = self._numbers.rows(numbers), [numbers[:0]], [numbers[:0]]
        for gains in (True, False):
            terms = self._numbers.terms(rows, gains)
            for one, other in self._moves:
                can = rows[:, other if gains else one] > 0
                sources.append(numbers[can])
                targets.append((numbers + shift(terms, one, other))[can])
        return np.concatenate(sources), np.concatenate(targets)

    def _runs(self, *, gains: bool = True, backward: bool = False) -> Iterator[NDArray[np.int64]]:
        """Yield the runs of neighbors that one kind of move leads to, for many stretches at a time.

        Histograms that agree in all counts but the last two follow each other, so they form a stretch of
        numbers, and a move leads from those that have the record to neighbors all at the same shift. The
        stretches come from the first to the last, or the other way, and of their moves that between the last
        two parts comes last.
        """
        from rainbowdp.graph.kernels_families import list_runs

        count = spread_count(self.records, self._parts - 1) if self._moves else 0
        begins = range(0, count, _STRETCHES)
        for begin in reversed(begins) if backward else begins:
            stretches = np.arange(begin, min(begin + _STRETCHES, count))
            prefixes = HistogramNumbers(self.records, self._parts - 1).rows(stretches)
            rows = np.insert(prefixes, -1, 0, axis=1)
            starts, terms = self._numbers.numbers_of(rows), self._numbers.terms(rows, gains)
            runs = np.empty((starts.size, len(self._moves), 3), dtype=np.int64)
            list_runs(starts, rows, terms, np.array(self._moves), gains, runs)
            yield np.ascontiguousarray(runs[::-1] if backward else runs).reshape(-1, 3)

    def rows_of(self, datasets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts of some datasets, int64 [m, options]."""
        return np.ascontiguousarray(self._numbers.rows(datasets)[:, : self.options])

    def number_of(self, row: list[int]) -> int | None:
        """Return the dataset with these counts, or None."""
        missing = self.records - sum(row)
        if len(row) != self.options or min(row) < 0 or missing < 0:
            return None
        if missing and self.relation == "change-one":
            return None
        return int(self._numbers.numbers_of(np.array([[*row, missing][: self._parts]], dtype=np.int64))[0])

    @cached_property
    def _numbers(self) -> HistogramNumbers:
        return HistogramNumbers(self.records, self._parts)

    @cached_property
    def _moves(self) -> list[tuple[int, int]]:
        """The pairs of parts that a record moves between, each with the earlier part first."""
        first = 1 if self.relation == "change-one" else self._parts - 1
        return [(one, other) for other in range(first, self._parts) for one in range(other)]


def shift(terms: NDArray[np.int64], one: int, other: int) -> NDArray[np.int64]:
    """Return what is added to the numbers when a record moves between two parts, the first one earlier."""
    heads, tails, between = terms
    moved: NDArray[np.int64] = heads[one] + between[other - 1] - between[one] + tails[other]
    return moved


def spread_count(total: int, parts: int) -> int:
    """Return how many ways there are to spread `total` records over `parts` parts, or a number beyond 10^19.

    Examples
    --------
    >>> spread_count(2, 3)
    6
    """
    if total < 0 or parts == 1:
        return int(total >= 0)
    if max(total, parts) > _BEYOND:
        return _BEYOND
    logarithm = math.lgamma(total + parts) - math.lgamma(parts) - math.lgamma(total + 1)
    return math.comb(total + parts - 1, total) if logarithm < 44 else _BEYOND
