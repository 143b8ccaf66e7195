# SPDX-License-Identifier: Apache-2.0
"""The powers E^-n and what is missing of them to 1, for whole n: the arithmetic of tables of the line.

A count is split at a fixed grid, n = h + l with l below `_GRID`, and so are the numbers::

    E^-n = E^-h E^-l          1 - E^-n = (1 - E^-h) + E^-h (1 - E^-l)

All terms are at least 0, so nothing cancels, and an exponential is needed for the few different h and l only.
As the grid is fixed, the result for a count does not depend on which others are asked for with it.
"""

from collections.abc import Callable

import flint
import numpy as np

from rainbowdp.line.exponentials import falling_and_missing
from rainbowdp.line.powers import LARGEST_COUNT, TINY, Constant, Floats, constant, times

Counts = Floats | range
"""Whole numbers from 0 to 2^53: any ones, or consecutive ones, ascending or descending."""

_GRID = 512
_HEADS = 64  # how many multiples of the grid are worked out and kept together
_MOST_KEPT = 256
_NO_POWER_LEFT = 800.0  # e^-800 is 0 in float64
_CLOSE_HEADS = 8  # for at least so many counts per multiple of the grid, every multiple is looked up


def as_array(counts: Counts) -> Floats:
    """Return the counts one by one, float64[n]."""
    if isinstance(counts, range):
        return np.arange(counts.start, counts.stop, counts.step, dtype=np.float64)
    return counts


class FallingPowers:
    """The powers E^-n and the parts 1 - E^-n of them, for whole n, with E = e^epsilon.

    Parameters
    ----------
    epsilon : callable
        Computes a ball around epsilon, at least 0, at the precision in force.
    is_zero : bool
        Whether epsilon is 0.

    Examples
    --------
    >>> powers = FallingPowers(lambda: flint.arb(2).log(), is_zero=False)
    >>> power, missing = powers(np.array([0.0, 1.0, 3.0]), 1)
    >>> power
    array([1.   , 0.5  , 0.125])
    >>> missing
    array([0.  , 1.  , 1.75])
    >>> powers(range(3, 0, -1), np.inf)[0]
    array([0.125, 0.25 , 0.5  ])
    """

    def __init__(self, epsilon: Callable[[], flint.arb], *, is_zero: bool) -> None:
        self._epsilon = Constant(0.0, 0.0) if is_zero else constant(epsilon)
        high = self._epsilon.high
        self.last = np.ceil(min(_NO_POWER_LEFT / high, LARGEST_COUNT)) if high > TINY else LARGEST_COUNT
        """A count n from which on E^-n is 0 in float64, or the largest count."""
        self._tail_power, self._tail_missing = self._evaluated(np.arange(float(_GRID)))
        self._kept: dict[int, tuple[Floats, Floats]] = {}
        self._wholes: dict[float, float] = {}  # one per piece of a line

    def power(self, counts: Counts) -> Floats:
        """Return E^-n.

        Parameters
        ----------
        counts : Counts
            The whole numbers n.

        Returns
        -------
        float64 array
        """
        return self._both(counts, with_missing=False)[0]

    def __call__(self, counts: Counts, span: float) -> tuple[Floats, Floats]:
        """Return E^-n, and (1 - E^-n)/(1 - E^-span), which is n/span for epsilon 0.

        Parameters
        ----------
        counts : Counts
            The whole numbers n.
        span : float
            A positive whole number, or infinity: then the second is 1 - E^-n.

        Returns
        -------
        power, part : float64 arrays
        """
        if self._epsilon.high * span < TINY:
            listed = as_array(counts)
            return np.ones_like(listed), listed / span
        power, missing = self._both(counts, with_missing=True)
        if span != np.inf:
            missing /= self._whole(span)
        return power, missing

    def _whole(self, span: float) -> float:
        """Return 1 - E^-span."""
        if span not in self._wholes:
            self._wholes[span] = float(self._evaluated(np.array([float(span)]))[1][0])
        return self._wholes[span]

    def _both(self, counts: Counts, *, with_missing: bool) -> tuple[Floats, Floats]:
        if isinstance(counts, range):
            return self._consecutive(counts, with_missing=with_missing)
        numbers = np.floor(counts * (1 / _GRID))
        at = (counts - numbers * _GRID).astype(np.intp)
        power, missing = self._heads_of(numbers, with_missing=with_missing)
        if with_missing:
            missing += power * self._tail_missing.take(at)
        power *= self._tail_power.take(at)
        return power, missing

    def _consecutive(self, counts: range, *, with_missing: bool) -> tuple[Floats, Floats]:
        """Return what `_both` does, by whole stretches of the grid."""
        if counts.step < 0:
            power, missing = self._consecutive(counts[::-1], with_missing=with_missing)
            return power[::-1], missing[::-1]
        first = counts.start // _GRID
        wanted = slice(counts.start - first * _GRID, counts.stop - first * _GRID)
        head_power, head_missing = self._heads(first, (counts.stop - 1) // _GRID + 1)
        power = np.multiply.outer(head_power, self._tail_power).ravel()[wanted]
        if not with_missing:
            return power, power
        missing = np.multiply.outer(head_power, self._tail_missing)
        missing += head_missing[:, np.newaxis]
        return power, missing.ravel()[wanted]

    def _heads_of(self, numbers: Floats, *, with_missing: bool) -> tuple[Floats, Floats]:
        """Return powers and missing parts for multiples of the grid, in fresh arrays."""
        lowest, stop = int(numbers.min()), int(numbers.max()) + 1
        if (stop - lowest) * _CLOSE_HEADS > numbers.size:
            return self._evaluated(numbers * _GRID)
        power, missing = self._heads(lowest, stop)
        at = (numbers - lowest).astype(np.intp)
        return power.take(at), missing.take(at) if with_missing else power

    def _heads(self, first: int, stop: int) -> tuple[Floats, Floats]:
        """Return powers and missing parts for the multiples of the grid from one number to another."""
        blocks = [self._block(number) for number in range(first // _HEADS, (stop - 1) // _HEADS + 1)]
        wanted = slice(first % _HEADS, first % _HEADS + stop - first)
        if len(blocks) == 1:
            return blocks[0][0][wanted], blocks[0][1][wanted]
        powers, missing = zip(*blocks, strict=True)
        return np.concatenate(powers)[wanted], np.concatenate(missing)[wanted]

    def _block(self, number: int) -> tuple[Floats, Floats]:
        if number not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            heads = np.arange(number * _HEADS, (number + 1) * _HEADS, dtype=np.float64)
            self._kept[number] = self._evaluated(heads * _GRID)
        return self._kept[number]

    def _evaluated(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return E^-n and 1 - E^-n by exponentials, both relatively accurate."""
        return falling_and_missing(times(np.minimum(counts, self.last), self._epsilon))
