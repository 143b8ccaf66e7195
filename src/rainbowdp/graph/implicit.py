# SPDX-License-Identifier: Apache-2.0
"""A family of a caller's own whose neighbors are computed a block of datasets at a time, checked once."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError, UsageError
from rainbowdp.exact.arguments import described, is_whole, kind_of
from rainbowdp.graph.arrays import Integers, end_arrays, numbered, removal_notes, require_range
from rainbowdp.graph.blocks import Blockwise, NeighborBlocks, Report
from rainbowdp.graph.product import require_countable


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

    def __post_init__(self) -> None:
        if not callable(getattr(self.blocks, "neighbors_of", None)) or not hasattr(self.blocks, "size"):
            raise UsageError(
                f"`blocks` must have `size` and `neighbors_of`, and is {kind_of(self.blocks)}",
                help="give an object with a number of datasets and a method neighbors_of(start, stop)",
                argument="blocks",
            )
        if not is_whole(self.blocks.size) or self.blocks.size < 0:
            raise GraphShapeError(
                f"a family cannot have {described(self.blocks.size)} datasets",
                help="give a number of datasets",
            )
        require_countable(self.blocks.size)
        object.__setattr__(self, "_counts", self._survey())

    def __repr__(self) -> str:
        return f"ImplicitGraph({self.size} datasets, {self.pair_count} pairs)"

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
        source, target = end_arrays(*given)
        require_range("target", target, self.size)
        if source.size and (int(source.min()) < start or int(source.max()) >= stop):
            raise GraphShapeError(
                f"the neighbors of the datasets {start} to {stop - 1} have a source from {int(source.min())} "
                f"to {int(source.max())}",
                help="return the neighbors of the datasets of the block, and no others",
            )
        return numbered(source, self.size), numbered(target, self.size)

    def _survey(self) -> tuple[int, int, int]:
        """Look at all pairs once: return how many there are, how many self-loops and how many repeats.

        Each pair occurs once from either end. Both sides are counted, and a sum over scrambled pairs tells
        them apart: two different sets of pairs have equal sums by a chance of 1 in 2^64.
        """
        counts, sums = [0, 0], [0, 0]
        loops = repeats = 0
        for start, _, source, target in self._pass("the family is checked"):
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
                sums[side] += int(_scrambled(low * self.size + high).sum(dtype=np.uint64))
        if counts[0] != counts[1] or (sums[0] - sums[1]) % 2**64:
            raise GraphShapeError(
                "the relation is not symmetric: some dataset has a neighbor that does not have it",
                help="give each pair from both ends, whatever blocks they lie in",
            )
        # A repeat is one pair given twice, so it is counted from both ends.
        return counts[0], loops, repeats // 2


def _scrambled(keys: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return numbers that look random (the finalizer of splitmix64)."""
    mixed = keys.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
