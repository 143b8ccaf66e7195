# SPDX-License-Identifier: Apache-2.0
"""Steps from the nearest start, lowered pair by pair, in the smallest integers that hold those met so far.

The one idea: where both ends of every pair are looked up, bytes are two or three times as quick as longer
integers, and most families are not deep. A pass stops at the pair whose depth does not fit, and goes on from
there after all depths have become longer, so nothing is done twice.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import kernels
from rainbowdp.graph.arrays import Integers, frozen

# Passes would take too many with more than one dataset in fifty still changing in the third, or no fewer than
# in the second; or already in the second, where it reaches fewer than a tenth of the datasets that are left.
_CHANGING, _REACHING, _TRIED = 50, 10, 3
MOST_PASSES = 8
"""After so many passes a search is quicker."""
_KINDS = (np.uint8, np.uint16, np.int32)


class Depths:
    """How many steps each dataset is away from a start, as far as known.

    Pairs are relaxed in passes, forward and backward in turn; whoever does it says when a pass has ended.
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
        source, target = seen(source), seen(target)
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
        source, target = seen(source), seen(target)
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


def seen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: numba compiles anew for arrays that it may write to."""
    view = np.ascontiguousarray(array).view()
    view.setflags(write=False)
    return view
