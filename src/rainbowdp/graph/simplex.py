# SPDX-License-Identifier: Apache-2.0
"""All histograms of some records, under change-one and under add-remove, with no pair listed.

The one idea: under both relations neighbors differ by one record that moves from one part to another; under
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
last with all moves up, is exact for any starts. By the same argument the moves between parts i and j may
all be made together, one pair of parts after the other (under change-one all pairs down, then all up, or
each pair in both directions at once; under add-remove all down first): that is what the passes without a
compiler do.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.graph.arrays import Integers, frozen
from rainbowdp.graph.axes import axis_steps, is_one_of
from rainbowdp.graph.blocks import Blockwise
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.key_table import KeyTable
from rainbowdp.graph.moves import Moves
from rainbowdp.graph.narrow import finished_steps, narrow_codes, narrow_steps
from rainbowdp.graph.product import require_countable
from rainbowdp.graph.relation import CodePairs

Neighbors = Literal["change-one", "add-remove"]
"""Neighbors differ by one record that has another option, or by one record that is there or not."""

_BEYOND = 1 << 64
_BLOCK = 1 << 20


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
            if not is_whole(count) or count < least:
                raise GraphShapeError(
                    f"{name} is {described(count)}, which is not an integer of at least {least}",
                    help=f"use {least} or more",
                    value=count,
                )
            object.__setattr__(self, name, int(count))
        if not is_one_of(self.relation, get_args(Neighbors)):
            raise GraphShapeError(
                f"neighbors cannot be {described(self.relation)}",
                help="use 'change-one' or 'add-remove'",
                neighbors=self.relation,
            )
        require_countable(spread_count(self.records, self._parts))

    def __repr__(self) -> str:
        return f"SimplexGraph({self.size} datasets, {self.pair_count} pairs)"

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
        """Number of unordered pairs of neighbors: two places for one record, whatever the others do."""
        moves = math.comb(self.options, 2) if self.relation == "change-one" else self.options
        return moves * spread_count(self.records - 1, self._parts)

    @property
    def notes(self) -> tuple[str, ...]:
        """Nothing: there are no self-loops and no repeats."""
        return ()

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        narrow = narrow_codes(codes, self.size)
        marks = np.zeros(self.size, dtype=np.bool_)
        if self._is_compiled:
            from rainbowdp.graph.kernels_simplex import simplex_mixed

            simplex_mixed(narrow, marks.view(np.uint8), self._moves.ways, self._shape)
        else:
            for source, target in self._upward():
                differs = narrow[source] != narrow[target]
                marks[source[differs]] = True
                marks[target[differs]] = True
        return frozen(marks)

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start, int32 [n]; -1 without starts."""
        diameter = self.records * (1 if self.relation == "change-one" else 2)
        steps = narrow_steps(starts, self.size, diameter)
        if self._is_compiled:
            from rainbowdp.graph.kernels_simplex import simplex_steps_down, simplex_steps_up

            simplex_steps_down(steps, self._moves.ways, self._shape)
            simplex_steps_up(steps, self._moves.ways, self._shape)
        elif self._parts > 1:
            self._lower(steps)
        return finished_steps(steps, diameter)

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        narrow = narrow_codes(codes, self.size, count)
        tally = CodeTally(count, self.size)
        if self._is_compiled:
            from rainbowdp.graph.kernels_simplex import simplex_code_pairs

            table = KeyTable(count)
            place = np.zeros(2 * self._parts - 3, dtype=np.int64)
            table.run(partial(simplex_code_pairs, narrow, self._moves.ways, self._shape, place))
            table.add_to(tally)
        else:
            for source, target in self._upward():
                tally.add(narrow[source], narrow[target], source, target)
        return tally.result()

    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        """Return all neighbors of the datasets from `start` up to before `stop`."""
        numbers = np.arange(start, stop, dtype=np.int64)
        sources, targets = [numbers[:0]], [numbers[:0]]
        if self._parts > 1:
            rows = self._moves.rows(numbers)
            before = self._moves.before(rows)
            for one, other in self._pairs_of_parts():
                for gains in (True, False):
                    can = np.flatnonzero(rows[:, other if gains else one] > 0)
                    shift = self._moves.shift(before[:, can], one, other, gains)
                    sources.append(numbers[can])
                    targets.append(numbers[can] + shift)
        return np.concatenate(sources), np.concatenate(targets)

    def rows_of(self, datasets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts of some datasets, int64 [m, options]."""
        if self._parts == 1:
            return np.full((datasets.size, 1), self.records, dtype=np.int64)
        return np.ascontiguousarray(self._moves.rows(datasets)[:, : self.options])

    def number_of(self, row: list[int]) -> int | None:
        """Return the dataset with these counts, or None."""
        missing = self.records - sum(row)
        if len(row) != self.options or min(row) < 0 or missing < 0:
            return None
        if self.relation == "change-one":
            return None if missing else self._moves.number_of(row) if self._parts > 1 else 0
        return self._moves.number_of([*row, missing])

    @cached_property
    def _moves(self) -> Moves:
        return Moves(self.records, self._parts)

    @property
    def _shape(self) -> tuple[int, int, int]:
        """The records, the parts, and the first part that records move to."""
        return self.records, self._parts, 1 if self.relation == "change-one" else self._parts - 1

    @property
    def _is_compiled(self) -> bool:
        return self._parts > 1 and is_worth_compiling(self.pair_count)

    def _pairs_of_parts(self) -> list[tuple[int, int]]:
        _, parts, first_target = self._shape
        return [(one, other) for other in range(first_target, parts) for one in range(other)]

    def _upward(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield all pairs of neighbors, the smaller number first, a block of one kind of move at a time."""
        if self._parts == 1:
            return
        for start in range(0, self.size, _BLOCK):
            numbers = np.arange(start, min(start + _BLOCK, self.size), dtype=np.int64)
            rows = self._moves.rows(numbers)
            before = self._moves.before(rows)
            for one, other in self._pairs_of_parts():
                can = np.flatnonzero(rows[:, other] > 0)
                yield numbers[can], numbers[can] + self._moves.shift(before[:, can], one, other, gains=True)

    def _lower(self, steps: NDArray[Any]) -> None:
        """Lower the steps by all moves between two parts at a time, down and then up."""
        if self._parts == 2:
            # All records in two parts: a path.
            axis_steps(steps, (1, self.size, 1), "path")
            return
        rows = self._moves.rows(np.arange(self.size, dtype=np.int64))
        before = self._moves.before(rows)
        # Histograms by what they hold in a part: a move between parts leads from one group to the next.
        orders = [np.argsort(rows[:, part], kind="stable") for part in range(self._parts)]
        for gains in (True, False):
            for one, other in self._pairs_of_parts():
                ends = np.searchsorted(rows[orders[one], one], np.arange(self.records + 2))
                counts = range(self.records - 1, -1, -1) if gains else range(1, self.records + 1)
                for count in counts:
                    here = orders[one][ends[count] : ends[count + 1]]
                    if gains:
                        here = here[rows[here, other] > 0]
                    there = here + self._moves.shift(before[:, here], one, other, gains)
                    steps[here] = np.minimum(steps[here], steps[there] + steps.dtype.type(1))


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
