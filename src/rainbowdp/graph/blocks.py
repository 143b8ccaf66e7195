# SPDX-License-Identifier: Apache-2.0
"""Families that are known by the neighbors of any block of their datasets.

The one idea: whoever can say the neighbors of the datasets from `start` up to before `stop` can say
everything else a block at a time, and no more than about one block of pairs is ever held. A small family
can be listed in whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.graph.arrays import Integers, frozen
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.pair_ends import numbered

LARGEST_COUNT = 10**8
"""Largest number of pairs, and of numbers in all rows together, that are listed: a few gigabytes."""
PAIRS_AT_ONCE = 1 << 21
"""So many pairs of a block fit some hundred megabytes, with all that is made from them."""


@runtime_checkable
class NeighborBlocks(Protocol):
    """A family of datasets 0 to ``size - 1`` that can say the neighbors of any block of them.

    This is all that a family of one's own has to offer; :class:`ImplicitGraph` does the rest.
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
    """A family that knows its blocks, and so can be listed in whole, or one dataset at a time."""

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
