# SPDX-License-Identifier: Apache-2.0
"""Families that list no pair: the neighbors of any block of their datasets are computed when asked for.

A block of pairs is made, used and dropped. Memory is a few bytes per dataset and one block of pairs,
however many pairs there are. Which datasets are mixed and which codes meet take one pass over all blocks;
distances take a few passes, forward and backward in turn. A small family is listed as a whole.
`ImplicitGraph` wraps a family that the caller defines, and checks it once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.exact.arguments import kind_of, require, whole
from rainbowdp.graph.arrays import (
    Integers,
    end_arrays,
    frozen,
    numbered,
    require_dataset,
    start_marks,
)
from rainbowdp.graph.distances import Depths
from rainbowdp.graph.pairs import DatasetGraph
from rainbowdp.graph.relation import Ends, PairPasses, Report, removal_notes, scrambled

LARGEST_SIZE = 2**31 - 1
"""Largest number of datasets: their numbers, and the steps between them, fit 32 bits."""
LARGEST_COUNT = 10**8
"""Largest number of pairs, and of numbers in all rows together, that are listed: a few gigabytes."""
PAIRS_AT_ONCE = 1 << 21
"""So many pairs of a block fit some hundred megabytes, with all that is made from them."""


@runtime_checkable
class NeighborBlocks(Protocol):
    """A family of datasets 0 to ``size - 1`` that can say the neighbors of any block of them.

    A caller's own family has to offer this much; :class:`rainbowdp.graph.ImplicitGraph` does the rest.
    """

    @property
    def size(self) -> int:
        """Number of datasets."""
        ...

    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        """Return all neighbors of the datasets from `start` up to before `stop`.

        Parameters
        ----------
        start, stop : int
            ``0 <= start < stop <= size``.

        Returns
        -------
        source, target : integer arrays [m]
            Every pair whose `source` lies in the block, in any order. A pair inside the block occurs twice,
            once from each end.
        """
        ...


class Blockwise(PairPasses, NeighborBlocks):
    """A family that knows its blocks, and answers all questions from these.

    Distances take passes over all blocks, forward and backward in turn: the steps from the starts are lowered
    along every pair until none changes. After k passes everything within k steps is settled, so there are at
    most as many passes as the largest distance, and one more. Where a search would be quicker, or there are
    few pairs, they are listed instead.
    """

    _few: ClassVar[int] = 1 << 24
    """Families with no more pairs are listed once, which is quicker than to ask for their blocks again."""

    @property
    def _is_small(self) -> bool:
        return max(self.pair_count, self.size) <= self._few

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached."""
        marks = start_marks(starts, self.size)
        if self._is_small:
            return self.listed().steps_from(marks)
        depths = Depths(marks)
        while not depths.settled:
            if depths.slow and self.pair_count <= LARGEST_COUNT:
                self._say(f"{depths.passes} passes for distances were not enough: all pairs are listed")
                return self.listed().steps_from(marks)
            for source, target in self._read("distances", backward=depths.backward):
                depths.relax(source, target)
            depths.end_pass()
        return depths.finished()

    def _read(self, what: str, *, backward: bool = False) -> Iterator[Ends]:
        if self._is_small:
            yield self.pairs()
            return
        blocks = self._blocks()
        for start, stop in reversed(blocks) if backward else blocks:
            yield self._upward(start, stop)
        self._say(f"one pass over {len(blocks)} blocks: {what}")

    def _blocks(self) -> list[tuple[int, int]]:
        """Return blocks with few enough pairs, where all datasets have about as many neighbors."""
        length = max(self.size * PAIRS_AT_ONCE // max(2 * self.pair_count, 1), 1)
        return list(pairwise([*range(0, self.size, length), self.size]))

    def _upward(self, start: int, stop: int) -> Ends:
        """Return the pairs of the datasets of a block with larger ones."""
        source, target = self.neighbors_of(start, stop)
        upward = source < target
        return numbered(source[upward], self.size), numbered(target[upward], self.size)

    def neighbors(self, dataset: int) -> Integers:
        """Return the neighbors of one dataset, ascending.

        Parameters
        ----------
        dataset : int
            Its number.

        Returns
        -------
        integer array
            Read-only.

        Raises
        ------
        UnknownDatasetError
            If the family has no such dataset.
        """
        require_dataset(dataset, self.size)
        found = np.unique(self.neighbors_of(int(dataset), int(dataset) + 1)[1])
        return frozen(numbered(found[found != dataset], self.size))

    def listed(self) -> DatasetGraph:
        """Return the same family with all pairs of neighbors listed.

        Returns
        -------
        DatasetGraph
            Made once and kept.

        Raises
        ------
        GraphShapeError
            If there are too many pairs.
        """
        return self._listed

    def pairs(self) -> tuple[Integers, Integers]:
        """Return every unordered pair of neighbors once.

        Returns
        -------
        source, target : integer arrays [pair_count]
            ``source < target`` everywhere; ordered by source, then target.

        Raises
        ------
        GraphShapeError
            If there are too many pairs to list.
        """
        return self.listed().pairs()

    @cached_property
    def _listed(self) -> DatasetGraph:
        if max(self.pair_count, self.size) > LARGEST_COUNT:
            raise GraphShapeError(
                f"a family with {self.size} datasets and {self.pair_count} pairs is too large to list: the "
                f"limit is {LARGEST_COUNT} of either",
                help="use what needs no list (solving and verifying do not), or a smaller family",
                pairs=self.pair_count,
                limit=LARGEST_COUNT,
            )
        sources, targets = zip(*(self._upward(*block) for block in self._blocks()), strict=True)
        return DatasetGraph.from_pairs(self.size, np.concatenate(sources), np.concatenate(targets))


@dataclass(frozen=True, eq=False, repr=False)
class ImplicitGraph(Blockwise):
    """A family of datasets whose neighbors are computed block by block.

    Everything that the family says is looked at once when the graph is made: the numbers have to be in range
    and the relation symmetric; self-loops and repeated neighbors are left out and counted. Only a family that
    answers the same each time has right distances.

    Parameters
    ----------
    blocks : NeighborBlocks
        Has a `size` and a method ``neighbors_of(start, stop)`` that returns `source` and `target`: all
        pairs of neighbors whose source is one of the datasets from `start` up to before `stop`.
    report : callable, optional
        Told in words about each pass over the blocks.

    Raises
    ------
    UsageError
        If the family has no such attributes.
    GraphShapeError
        If the relation is not symmetric, a source lies outside its block, or the parts have wrong forms.
    UnknownDatasetError
        If a number is not that of a dataset.

    Examples
    --------
    >>> class EvenSteps:
    ...     '''Datasets 0 to 9; neighbors are two apart.'''
    ...
    ...     size = 10
    ...
    ...     def neighbors_of(self, start, stop):
    ...         one = np.arange(start, stop)
    ...         source, target = np.concatenate([one, one]), np.concatenate([one - 2, one + 2])
    ...         inside = (target >= 0) & (target < 10)
    ...         return source[inside], target[inside]
    >>> graph = ImplicitGraph(EvenSteps())
    >>> graph
    ImplicitGraph(10 datasets, 8 pairs)
    >>> graph.steps_from(np.arange(10) == 4).tolist()
    [2, -1, 1, -1, 0, -1, 1, -1, 2, -1]
    """

    # Its own blocks may take long, and passes over them are reported, so it is not listed without need.
    _few: ClassVar[int] = -1

    blocks: NeighborBlocks
    report: Report | None = None
    _counts: tuple[int, int, int] = field(init=False)
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        require(self.blocks, "blocks", NeighborBlocks)
        require_countable(whole("a number of datasets", self.blocks.size, 0, error=GraphShapeError))
        object.__setattr__(self, "_starts", [])
        object.__setattr__(self, "_counts", self._survey())

    @property
    def size(self) -> int:
        """Number of datasets."""
        return int(self.blocks.size)

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors."""
        return self._counts[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out of the input, in words; empty if nothing is."""
        return removal_notes(*self._counts[1:])

    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        """Return all neighbors of the datasets from `start` up to before `stop`."""
        given: object = self.blocks.neighbors_of(start, stop)
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise GraphShapeError(
                f"neighbors_of({start}, {stop}) gives {kind_of(given)}, and not two arrays",
                help="return source and target, one number of each for every pair",
            )
        source, target = end_arrays(given[0], given[1], self.size)
        if source.size and (int(source.min()) < start or int(source.max()) >= stop):
            raise GraphShapeError(
                f"the neighbors of the datasets {start} to {stop - 1} have a source from {int(source.min())} "
                f"to {int(source.max())}",
                help="return the neighbors of the datasets of the block only",
            )
        return numbered(source, self.size), numbered(target, self.size)

    def _blocks(self) -> list[tuple[int, int]]:
        return list(pairwise([*self._starts, self.size]))

    def _first_blocks(self) -> Iterator[tuple[int, Integers, Integers]]:
        """Yield the start and the pairs of blocks as long as fits some pairs, judged by the block before."""
        start, length = 0, 256
        while start < self.size:
            self._starts.append(start)
            stop = min(start + length, self.size)
            source, target = self.neighbors_of(start, stop)
            yield start, source, target
            fitting = (stop - start) * PAIRS_AT_ONCE // max(source.size, 1)
            length = max(1, min(fitting, 4 * length, PAIRS_AT_ONCE))
            start = stop

    def _survey(self) -> tuple[int, int, int]:
        """Look at all pairs once: return how many there are, how many self-loops and how many repeats.

        Each pair occurs once from either end. Both sides are counted, and a sum over scrambled pairs tells
        them apart: two different sets of pairs have equal sums by a chance of 1 in 2^64.
        """
        counts, sums = [0, 0], [0, 0]
        loops = repeats = 0
        for start, source, target in self._first_blocks():
            apart = source != target
            loops += source.size - int(np.count_nonzero(apart))
            keys = (source[apart].astype(np.int64) - start) * self.size + target[apart]
            given = keys.size
            if not (keys[1:] > keys[:-1]).all():
                keys = np.unique(keys)
            repeats += given - keys.size
            one, other = keys // max(self.size, 1) + start, keys % max(self.size, 1)
            for side, chosen in enumerate((one < other, one > other)):
                low, high = np.minimum(one, other)[chosen], np.maximum(one, other)[chosen]
                counts[side] += low.size
                sums[side] += int(scrambled(low * self.size + high).sum(dtype=np.uint64))
        if counts[0] != counts[1] or (sums[0] - sums[1]) % 2**64:
            raise GraphShapeError(
                "the relation is not symmetric: some dataset has a neighbor that does not have it",
                help="give each pair from both ends, also where they lie in different blocks",
            )
        self._say(f"one pass over {len(self._starts)} blocks: the family is checked")
        # A repeat is one pair given twice, so it is counted from both ends.
        return counts[0], loops, repeats // 2


def require_countable(size: int) -> None:
    """Refuse a family with more datasets than can be numbered in 32 bits."""
    if size > LARGEST_SIZE:
        shown = str(size) if size < 10**19 else "more than 10^19"
        raise GraphShapeError(
            f"a family of {shown} datasets is too large: the limit is {LARGEST_SIZE}",
            help="use a smaller family, or a distance that is given by a formula",
            datasets=size,
            limit=LARGEST_SIZE,
        )
