# SPDX-License-Identifier: Apache-2.0
"""Steps from the nearest start, lowered pair by pair in compiled passes, or found by a search.

No list of neighbors is built unless it must be. The first pass keeps the pairs that can carry a distance;
relaxing these forward and backward in turn settles most files in three passes, because files of pairs are
rarely in random order and random graphs are rarely deep. Elsewhere neighbors are listed and searched.

Depths are held in the smallest integers that hold those met so far: where both ends of every pair are looked
up, bytes are two or three times as quick as longer integers, and most families are not deep. A pass stops at
the pair whose depth does not fit, and goes on from there after all depths have become longer.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import kernels
from rainbowdp.graph.arrays import Integers, frozen, read_only
from rainbowdp.graph.pair_store import PairStore
from rainbowdp.graph.passes import Ends
from rainbowdp.graph.searching import steps_by_search

# Passes would take too many with more than one dataset in fifty still changing in the third, or no fewer than
# in the second; or already in the second, where it reaches fewer than a tenth of the datasets that are left.
_CHANGING, _REACHING, _TRIED = 50, 10, 3
MOST_PASSES = 8
"""After so many passes a search is quicker."""
_KINDS = (np.uint8, np.uint16, np.int32)


def steps_along(
    pairs: Iterable[Ends], starts: NDArray[np.bool_], store: PairStore, say: Callable[[str], None]
) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start.

    Parameters
    ----------
    pairs : iterable of (source, target)
        All pairs, read once, batch by batch.
    starts : bool array [n]
        The datasets at distance 0.
    store : PairStore
        Where the pairs that can carry a distance are set aside, and listed; empty.
    say : callable
        Told in words about each pass over the pairs that were set aside.

    Returns
    -------
    int32 array [n]
        -1 where no start can be reached.
    """
    depths = Depths(starts)
    for source, target in pairs:
        # Only what is written to of these takes memory.
        kept_source, kept_target = np.empty_like(source), np.empty_like(target)
        kept = depths.relax_and_keep(source, target, kept_source, kept_target)
        store.add(kept_source[:kept], kept_target[:kept])
    depths.end_pass()
    while not depths.settled and not depths.slow:
        for source, target in store.batches(backward=depths.backward):
            depths.relax(source, target)
        depths.end_pass()
        fell = f"{depths.changed} distances fell"
        say(f"{store.size} pairs set aside, relaxed {depths.passes - 1} times: {fell}")
    if depths.settled:
        return depths.finished()
    del depths
    say(f"the neighbors along {store.size} pairs are listed and searched")
    return steps_by_search(store.batches, store.size, starts, store.array)


class Depths:
    """How many steps each dataset is away from a start, as far as known.

    Pairs are relaxed in passes, forward and backward in turn; the caller says when a pass has ended.
    Passes settle all depths soon where files of pairs have an order, or the family is not deep. Elsewhere
    each of them reaches a few datasets more, and a search along listed neighbors is quicker.

    Parameters
    ----------
    starts : bool array [n]
        The datasets at depth 0.

    Attributes
    ----------
    passes : int
        How many passes over all pairs have ended; every depth up to it is right.
    changed : int
        How often a depth fell in the last one.
    settled : bool
        Whether all depths are right.
    slow : bool
        Whether a search would be quicker than more passes.

    Examples
    --------
    >>> depths = Depths(np.array([False, False, True]))
    >>> ends = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> while not depths.settled:
    ...     depths.relax(*ends)
    ...     depths.end_pass()
    >>> depths.passes, depths.finished()
    (2, array([2, 1, 0], dtype=int32))
    """

    def __init__(self, starts: NDArray[np.bool_]) -> None:
        self.passes = self.changed = 0
        self.settled = self.slow = False
        self._kind = self._fallen = 0
        self._unreached = starts.size
        self._depth: NDArray[Any] = np.where(starts, np.uint8(0), np.uint8(self._none))

    @property
    def backward(self) -> bool:
        """Whether the pass that comes begins with the last pair."""
        return self.passes % 2 == 1

    def end_pass(self) -> None:
        """Say that all pairs were relaxed once more."""
        before, self.changed, self._fallen = self.changed, self._fallen, 0
        unreached = int(np.count_nonzero(self._depth == self._none))
        reached, self._unreached = self._unreached - unreached, unreached
        self.passes += 1
        # Depths up to the number of passes are right, so nothing else is nearer than one step more.
        self.settled = not self.changed or int(self._depth.max(initial=0)) <= self.passes + 1
        many = self.changed * _CHANGING > self._depth.size
        if self.passes == _TRIED - 1:
            self.slow = many and reached * _REACHING < unreached
        elif self.passes == _TRIED:
            self.slow = many or self.changed >= before
        else:
            self.slow = self.passes >= MOST_PASSES

    @property
    def _none(self) -> int:
        return int(np.iinfo(_KINDS[self._kind]).max)

    @property
    def _most(self) -> int:
        # What is one step beyond must still be nearer than none.
        return self._none - 2

    def relax_and_keep(
        self, source: Integers, target: Integers, kept_source: Integers, kept_target: Integers
    ) -> int:
        """Relax pairs once, and keep those with an end that is not at depth 0.

        Parameters
        ----------
        source, target : integer array [m]
            The pairs.
        kept_source, kept_target : integer array [m]
            Where the kept ones are written.

        Returns
        -------
        int
            How many pairs were kept.
        """
        source, target = read_only(source), read_only(target)
        at = kept = 0
        while True:
            at, kept, fell = kernels.relax_and_keep(
                source, target, self._depth, self._most, at, kept, kept_source, kept_target
            )
            self._fallen += fell
            if at == source.size:
                return int(kept)
            self._widen()

    def relax(self, source: Integers, target: Integers) -> None:
        """Relax pairs once, in the direction of the pass.

        Parameters
        ----------
        source, target : integer array [m]
            The pairs.
        """
        source, target = read_only(source), read_only(target)
        at = 0
        while at < source.size:
            at, fell = kernels.relax(source, target, self._depth, self._most, at, self.backward)
            self._fallen += fell
            if at < source.size:
                self._widen()

    def finished(self) -> NDArray[np.int32]:
        """Return the depths, int32 [n], -1 where there is none."""
        finished = self._depth.astype(np.int32)
        finished[self._depth == self._none] = -1
        return frozen(finished)

    def _widen(self) -> None:
        none = self._none
        self._kind += 1
        wider = self._depth.astype(_KINDS[self._kind])
        wider[self._depth == none] = self._none
        self._depth = wider


def relax_in_place(
    source: Integers, target: Integers, steps: NDArray[np.int32], *, backward: bool = False
) -> int:
    """Lower steps that are held as int32 along every pair once; return how often one fell."""
    return int(kernels.relax(source, target, steps, np.iinfo(np.int32).max, 0, backward)[1])
