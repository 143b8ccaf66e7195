# SPDX-License-Identifier: Apache-2.0
"""Comparisons of the first bits of many draws with the thresholds of their rows, in whole arrays.

There are two, each made by numpy or by a compiled loop, with the same results:

- for a word of 64 bits per draw: how many lower bounds it has reached, and whether it is close to one. All
  bounds of the row are compared, for every result;
- for a byte per draw: the same, read off a guide that says for each row and each of the 256 bytes what all
  words that begin with it have in common.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.sampling.thresholds import BYTE_BITS, Thresholds

MOST_GUIDED = 1 << 14
"""For more rows than this the guide would outgrow the processor's cache, and bounds are compared instead."""

_FEW = 32  # up to so many draws, the number of steps counts and not their length


class Deciding:
    """Compares first words and first bytes of draws with the thresholds of some rows.

    Parameters
    ----------
    thresholds : Thresholds
        Integers around the cumulative masses of the rows.
    compiled : bool
        Whether to run compiled loops.
    """

    def __init__(self, thresholds: Thresholds, *, compiled: bool) -> None:
        self._thresholds, self._rows = thresholds, thresholds.rows
        self._count, self._slack = np.uint64(thresholds.colors - 1), np.uint64(thresholds.slack)
        self._compiled = compiled

    def by_words(
        self, words: NDArray[np.uint64], places: NDArray[np.int32], drawn: NDArray[np.int32]
    ) -> NDArray[np.integer]:
        """Write down the positions that words decide, and return which draws are open.

        Parameters
        ----------
        words : uint64[m]
            The first word of each draw.
        places : int32[m]
            The row of each draw.
        drawn : int32[m]
            Filled with the drawn positions; what it holds for open draws means nothing.

        Returns
        -------
        integer[o]
            The draws whose word is close to a bound, ascending.
        """
        is_open = np.zeros(words.size, np.bool_)
        if self._compiled:
            from rainbowdp.sampling.kernels import compare

            compare(words, places, self._thresholds.lower_by_row, self._count, self._slack, drawn, is_open)
            return np.flatnonzero(is_open)
        if words.size <= _FEW:
            # All bounds at once: the same comparisons in a fixed number of steps.
            near = self._thresholds.lower.take(places, axis=1)
            drawn[:] = np.count_nonzero(words >= near, axis=0)
            return np.flatnonzero((words - near < self._slack).any(axis=0))
        reached: NDArray[Any] = np.zeros(words.size, self._thresholds.narrow)
        bounds, above = np.empty(words.size, np.uint64), np.empty(words.size, np.uint64)
        holds, at = np.empty(words.size, np.bool_), places.astype(np.intp)
        for column in self._thresholds.lower:
            if self._rows == 1:
                bounds[:] = column[0]
            else:
                column.take(at, out=bounds, mode="clip")
            reached += np.greater_equal(words, bounds, out=holds)
            # Words below a bound wrap around to numbers far above the slack, or else are open needlessly.
            is_open |= np.less(np.subtract(words, bounds, out=above), self._slack, out=holds)
        drawn[:] = reached
        return np.flatnonzero(is_open)

    def by_bytes(
        self, first: NDArray[np.uint8], places: NDArray[np.int32], drawn: NDArray[np.int32]
    ) -> NDArray[np.integer]:
        """Write down the positions that bytes decide, and return which draws are open; as `by_words`."""
        if self._rows > MOST_GUIDED:
            return self._compared_bytes(first, places, drawn)
        if self._compiled:
            from rainbowdp.sampling.kernels import look_up

            open_draws = np.empty(first.size + 1, np.int32)
            return open_draws[
                : look_up(first, places, self._thresholds.guide, self._thresholds.colors, drawn, open_draws)
            ]
        if self._rows == 1:
            found = self._thresholds.guide[0].take(first)
        else:
            entries = places << np.int32(BYTE_BITS)
            entries += first
            found = self._thresholds.guide.ravel().take(entries, mode="clip")
        drawn[:] = found
        return np.flatnonzero(found == self._thresholds.colors)

    def _compared_bytes(
        self, first: NDArray[np.uint8], places: NDArray[np.int32], drawn: NDArray[np.int32]
    ) -> NDArray[np.integer]:
        """Write down and return what the guide would say, without it."""
        passed: NDArray[Any] = np.zeros(first.size, self._thresholds.narrow)
        is_open = np.zeros(first.size, np.bool_)
        for firsts, lasts in zip(*self._thresholds.edges, strict=True):
            edge = firsts.take(places)
            passed += edge < first
            is_open |= (edge <= first) & (first <= lasts.take(places))
        drawn[:] = passed
        return np.flatnonzero(is_open)
