# SPDX-License-Identifier: Apache-2.0
"""Families that are known by the neighbors of any block of their datasets.

A block of pairs is asked for, used, and forgotten. Memory is a few bytes per dataset and one block of pairs,
however many pairs there are. Which datasets are mixed and which codes meet take one pass over all blocks;
distances take passes over the blocks where something changed, and their number is bounded. A small family is
listed in whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.graph.arrays import Integers, dataset_codes, frozen, numbered, start_marks
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.relation import CodePairs

LARGEST_COUNT = 10**8
"""Largest number of pairs, and of numbers in all rows together, that are listed: a few gigabytes."""
PAIRS_AT_ONCE = 1 << 21
"""So many pairs of a block fit some hundred megabytes, with all that is made from them."""


Report = Callable[[str], None]

_STRETCH = 1 << 14
_FAR = np.int32(1 << 30)
_MOST_PASSES = 8
_MOST_ROUNDS = 100


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


def in_blocks(
    blocks: NeighborBlocks, start: int, stop: int, pairs_at_once: int
) -> Iterator[tuple[int, int, Integers, Integers]]:
    """Yield the neighbors of the datasets from `start` up to before `stop`, block by block.

    A block is as long as fits a number of pairs at once, judged by the block before it; the first is short.

    Yields
    ------
    start, stop : int
        The block.
    source, target : integer arrays
        Its pairs.
    """
    length = 256
    while start < stop:
        end = min(start + length, stop)
        source, target = blocks.neighbors_of(start, end)
        yield start, end, source, target
        fitting = (end - start) * pairs_at_once // max(source.size, 1)
        length = max(1, min(fitting, 4 * length, pairs_at_once))
        start = end


class Blockwise(ABC):
    """A family that knows its blocks, and answers all questions from these.

    The steps from the starts are lowered along the pairs of a block until nothing changes in it, before the
    next block is asked for; a block is asked for again only if one of its datasets has become nearer since.
    When none has, every two neighbors are at most one step apart, so the steps are exact. After k passes
    everything within k steps is settled, so there are at most as many passes as the largest distance, and one
    more. After 8 of them a family with at most 10^8 pairs is listed and searched instead.
    """

    report: Report | None = None
    """Told in words about each pass over the blocks."""

    _few: ClassVar[int] = 1 << 24
    """Families with no more pairs are listed once, which is quicker than to ask for their blocks again."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of datasets."""

    @property
    @abstractmethod
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors."""

    @abstractmethod
    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        """Return all neighbors of the datasets from `start` up to before `stop`.

        See :meth:`NeighborBlocks.neighbors_of`.
        """

    @property
    def _is_small(self) -> bool:
        return max(self.pair_count, self.size) <= self._few

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]; one pass."""
        if self._is_small:
            return self.listed().mixed(codes)
        asked = dataset_codes(codes, self.size)
        marks = np.zeros(self.size, dtype=np.bool_)
        for _, _, source, target in self._pass("which datasets are mixed"):
            marks[source[asked[source] != asked[target]]] = True
        return frozen(marks)

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors; one pass."""
        if self._is_small:
            return self.listed().code_pairs(codes, count)
        asked = dataset_codes(codes, self.size, count)
        tally = CodeTally(count, self.size)
        for _, _, source, target in self._pass("which codes meet"):
            upward = source < target
            low, high = source[upward], target[upward]
            tally.add(asked[low], asked[high], low, high)
        return tally.result()

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached."""
        marks = start_marks(starts, self.size)
        if self._is_small:
            return self.listed().steps_from(marks)
        steps = np.where(marks, np.int32(0), _FAR)
        # Datasets that are nearer than when their neighbors were last told.
        news = marks.copy()
        passes = 0
        while news.any():
            if passes >= _MOST_PASSES and self.pair_count <= LARGEST_COUNT:
                self._say(f"{passes} passes for distances were not enough: all pairs are listed and searched")
                return self.listed().steps_from(marks)
            passes += 1
            asked = self._lower(steps, news, backward=passes % 2 == 0)
            self._say(f"pass {passes} for distances: {asked} of {self.size} datasets asked")
        steps[steps == _FAR] = -1
        return frozen(steps)

    def _lower(self, steps: NDArray[np.int32], news: NDArray[np.bool_], backward: bool) -> int:
        """Let the neighbors know of all news, stretch by stretch; return how many datasets were asked."""
        asked = 0
        starts = range(0, self.size, _STRETCH)
        for begin in reversed(starts) if backward else starts:
            fresh = np.flatnonzero(news[begin : begin + _STRETCH])
            if not fresh.size:
                continue
            first, last = begin + int(fresh[0]), begin + int(fresh[-1])
            for start, stop, source, target in in_blocks(self, first, last + 1, PAIRS_AT_ONCE):
                asked += stop - start
                news[start:stop] = False
                before = steps[target]
                for unheard in _settle(source, target, steps):
                    news[unheard] = True
                nearer = target[steps[target] < before]
                # Within the block all have heard, but for those that were just marked.
                news[nearer[(nearer < start) | (nearer >= stop)]] = True
        return asked

    def _pass(self, purpose: str) -> Iterator[tuple[int, int, Integers, Integers]]:
        blocks = 0
        for block in in_blocks(self, 0, self.size, PAIRS_AT_ONCE):
            blocks += 1
            yield block
        self._say(f"one pass over {blocks} blocks: {purpose}")

    def _say(self, text: str) -> None:
        if self.report is not None:
            self.report(text)

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
        if not is_whole(dataset) or not 0 <= dataset < self.size:
            raise UnknownDatasetError(
                f"there is no dataset {described(dataset)}",
                help=f"datasets are 0 to {self.size - 1}",
                dataset=dataset,
            )
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
        sources, targets = [], []
        for _, _, source, target in in_blocks(self, 0, self.size, PAIRS_AT_ONCE):
            upward = source < target
            sources.append(numbered(source[upward], self.size))
            targets.append(numbered(target[upward], self.size))
        return DatasetGraph.from_pairs(self.size, np.concatenate(sources), np.concatenate(targets))


def _settle(
    source: Integers, target: Integers, steps: NDArray[np.int32]
) -> tuple[Integers, Integers] | tuple[()]:
    """Lower the steps along some pairs, from either end, until all pairs are at most one step apart.

    Returns
    -------
    tuple of integer arrays
        Datasets whose neighbors have not heard of them, where array operations would take too many rounds.
    """
    if is_worth_compiling(source.size):
        from rainbowdp.graph.relaxation import relax_in_place

        turn = 0
        while relax_in_place(source, target, steps, backward=turn % 2 == 1):
            turn += 1
        return ()
    for turn in range(_MOST_ROUNDS + 1):
        here, there = steps[source], steps[target]
        outward, inward = here + 1 < there, there + 1 < here
        if not (outward.any() or inward.any()):
            break
        if turn == _MOST_ROUNDS:
            return source[outward], target[inward]
        np.minimum.at(steps, target[outward], here[outward] + 1)
        np.minimum.at(steps, source[inward], there[inward] + 1)
    return ()
