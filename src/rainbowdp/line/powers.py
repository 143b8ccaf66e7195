# SPDX-License-Identifier: Apache-2.0
"""Compute float64 powers E^-n for tables of a line, to a few units in the last place on every processor.

A float epsilon is off by up to 2^-53 of itself, so e^(-700) computed from it would be off by 700 such units.
Therefore a constant is kept as an unevaluated sum of two floats (`Pair`), taken from an enclosure, and a
product with a step count is formed without rounding error (Dekker) before it goes into an exponential.

Which exponential numpy runs depends on the vector instructions of the processor, and so does the last place
of what it returns; the same is true of the C library. IEEE 754 fixes what an addition and a multiplication
give, and numpy rounds each of them, so exponentials are made of these alone. With s = ln(2)/256 every number
is x = (256 k + j) s + r with whole k and j, j from 0 to 255, and r at most s/2 in size, and::

    e^-x = 2^-k e^(-j s) (1 + q)        q = e^-r - 1 = -r + r^2/2 - r^3/6 + r^4/24 - r^5/120

The powers e^(-j s) are kept as sums of two floats, and the series leaves out less than 2^-66.

A count is split at a fixed grid, n = h + l with l below `_GRID`, and so are the powers::

    E^-n = E^-h E^-l          1 - E^-n = (1 - E^-h) + E^-h (1 - E^-l)

All terms are at least 0, so nothing cancels, and an exponential is needed for the few different h and l only.
As the grid is fixed, the result for a count does not depend on which others are asked for with it.
"""

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import NamedTuple

import flint
import numpy as np
import numpy.typing as npt

from rainbowdp.exact import Exact, ball, refine, working_precision

Floats = npt.NDArray[np.float64]

_SPLITTER = 134217729.0  # 2^27 + 1 halves the 53 bits of a float
_NEGLIGIBLE_BITS = 1200
_PAIR_BITS = 112
TINY = 2.0**-60  # relatively to 1, far below a rounding error
LARGEST_COUNT = 2.0**53


class Constant(NamedTuple):
    """A number as the sum of a float and a much smaller correction."""

    high: float
    low: float


class Pair(NamedTuple):
    """An array of numbers, each the sum of a float and a much smaller correction."""

    high: Floats
    low: Floats


def relative_ball(evaluate: Callable[[], flint.arb], bits: int = _PAIR_BITS) -> flint.arb:
    """Return a ball that is relatively accurate to `bits`, or 0 for a number far below every float.

    Parameters
    ----------
    evaluate : callable
        Computes a ball around a nonzero number at the precision in force.
    bits : int
        Wanted relative accuracy.

    Returns
    -------
    flint.arb
    """

    def attempt(_: int) -> flint.arb | None:
        value = evaluate()
        if value.is_finite() and value.rel_accuracy_bits() >= bits:
            return value
        return flint.arb(0) if value.abs_upper() < flint.arb(2) ** -_NEGLIGIBLE_BITS else None

    return refine(attempt, 2 * bits, None)


def constant(evaluate: Callable[[], flint.arb]) -> Constant:
    """Return the number that `evaluate` encloses as two floats, to more than 100 bits relatively.

    Examples
    --------
    >>> third = constant(lambda: flint.arb(1) / 3)
    >>> third.high == 1 / 3, 0 < third.low < 2**-54
    (True, True)
    """
    value = relative_ball(evaluate)
    with working_precision(2 * _PAIR_BITS):
        high = float(value.mid())
        return Constant(high, float((value - high).mid()))


def relative_float(x: Exact) -> float:
    """Return the float closest to an exact number, up to the last place; 0 where far below every float."""
    value = relative_ball(lambda: ball(x), 64)
    return float(value.mid())


def halves(x: Floats) -> tuple[Floats, Floats]:
    """Return two numbers of at most 26 bits each whose sum is x, for x far from overflow."""
    shifted = _SPLITTER * x
    high = shifted - (shifted - x)
    return high, x - high


def times(count: Floats, factor: Constant) -> Pair:
    """Return count * factor without rounding error beyond 2^-100, for counts and factors far from overflow.

    Parameters
    ----------
    count : float64 array
        Exact numbers.
    factor : Constant
        What they are multiplied with.

    Returns
    -------
    Pair
    """
    product = count * factor.high
    count_high, count_low = halves(count)
    factor_high, factor_low = halves(np.asarray(factor.high))
    error = count_high * factor_high - product
    error += count_high * factor_low
    error += count_low * factor_high
    error += count_low * factor_low
    error += count * factor.low
    return Pair(product, error)


def plus(first: Constant, second: Pair) -> Pair:
    """Return the sum of a constant and a pair."""
    total = first.high + second.high
    moved = total - first.high
    error = (first.high - (total - moved)) + (second.high - moved) + (first.low + second.low)
    high = total + error
    return Pair(high, error - (high - total))


FARTHEST = 2048.0
"""From here on e^-x is taken for 0; its logarithm to base 2 is far below that of every float."""

_PARTS = 256
_LARGEST_HALVING = 2960  # 2048 / ln 2, and a few more
# With so many bits the product with a count of up to 20 bits is exact.
_SHORT_BITS = 32


class _Grid(NamedTuple):
    """What is the same for all numbers.

    Attributes: s as a short float and the rest of it, 1/s, the powers e^(-j s) and the rest of each, and the
    powers 2^-k from k = -1.
    """

    step: float
    step_rest: float
    per_one: float
    power: Floats
    power_rest: Floats
    halving: Floats


@cache
def _grid() -> _Grid:
    def step() -> flint.arb:
        return flint.arb(2).log() / _PARTS

    def power(part: int) -> flint.arb:
        return (-step() * part).exp()

    high, low = constant(step)
    short = float(np.ldexp(np.rint(np.ldexp(high, _SHORT_BITS + 8)), -_SHORT_BITS - 8))
    powers = [constant(partial(power, part)) for part in range(_PARTS)]
    return _Grid(
        step=short,
        step_rest=(high - short) + low,
        per_one=constant(lambda: 1 / step()).high,
        power=np.array([one.high for one in powers]),
        power_rest=np.array([one.low for one in powers]),
        halving=np.ldexp(1.0, -np.arange(-1, _LARGEST_HALVING)),
    )


def falling(x: Pair) -> Floats:
    """Return e^-x, correct to a unit in the last place.

    Parameters
    ----------
    x : Pair
        Numbers of at least -1/2, as sums of a float and a correction below 1e-9.

    Returns
    -------
    float64 array

    Examples
    --------
    >>> falling(Pair(np.array([0.0, 1.0, 700.0, 1e6]), np.zeros(4)))
    array([1.00000000e+000, 3.67879441e-001, 9.85967654e-305, 0.00000000e+000])
    """
    grid, (at, power, change) = _grid(), _split(x)
    power += change
    power *= grid.halving.take((at >> 8) + 1)
    return power


def falling_and_missing(x: Pair) -> tuple[Floats, Floats]:
    """Return e^-x and 1 - e^-x, both relatively correct to about a unit in the last place.

    Parameters
    ----------
    x : Pair
        As for `falling`, with numbers of at least 0.

    Returns
    -------
    power, missing : float64 arrays

    Examples
    --------
    >>> falling_and_missing(Pair(np.array([1e-20, 0.5]), np.zeros(2)))[1]
    array([1.0000000e-20, 3.9346934e-01])
    """
    grid, (at, power, change) = _grid(), _split(x)
    # Where k is 0 the first difference is exact, and it and the change do not cancel.
    near = (1 - power) - change
    power += change
    power *= grid.halving.take((at >> 8) + 1)
    return power, np.where(at < _PARTS, near, 1 - power)


def _split(x: Pair) -> tuple[npt.NDArray[np.intp], Floats, Floats]:
    """Return 256 k + j, e^(-j s), and what e^(-j s) q adds to it."""
    grid = _grid()
    high = np.minimum(x.high, FARTHEST)
    number = np.rint(high * grid.per_one)
    rest = high - number * grid.step
    rest -= number * grid.step_rest
    rest += x.low
    at = number.astype(np.intp)
    part = at & (_PARTS - 1)
    power = grid.power.take(part)
    # The series of q by Horner's rule, from its last term.
    change = rest * (1 / 120)
    np.subtract(1 / 24, change, out=change)
    for coefficient in (1 / 6, 1 / 2):
        change *= rest
        np.subtract(coefficient, change, out=change)
    change *= rest
    change *= rest
    change -= rest
    change *= power
    change += grid.power_rest.take(part)
    return at, power, change


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

    Examples
    --------
    >>> powers = FallingPowers(lambda: flint.arb(2).log())
    >>> power, missing = powers(np.array([0.0, 1.0, 3.0]), 1)
    >>> power
    array([1.   , 0.5  , 0.125])
    >>> missing
    array([0.  , 1.  , 1.75])
    >>> powers(range(3, 0, -1), np.inf)[0]
    array([0.125, 0.25 , 0.5  ])
    """

    def __init__(self, epsilon: Callable[[], flint.arb]) -> None:
        self._epsilon = constant(epsilon)
        high = self._epsilon.high
        self.last = np.ceil(min(_NO_POWER_LEFT / high, LARGEST_COUNT)) if high > TINY else LARGEST_COUNT
        """A count n from which on E^-n is 0 in float64, or the largest count."""
        self._tail_power, self._tail_missing = self._evaluated(np.arange(float(_GRID)))
        self._block = lru_cache(_MOST_KEPT)(self._heads_in_block)
        self._whole = cache(self._missing_at)  # one per piece of a line

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
            each = as_array(counts)
            return np.ones_like(each), each / span
        power, missing = self._both(counts, with_missing=True)
        if span != np.inf:
            missing /= self._whole(span)
        return power, missing

    def _missing_at(self, span: float) -> float:
        """Return 1 - E^-span."""
        return float(self._evaluated(np.array([float(span)]))[1][0])

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

    def _heads_in_block(self, number: int) -> tuple[Floats, Floats]:
        heads = np.arange(number * _HEADS, (number + 1) * _HEADS, dtype=np.float64)
        return self._evaluated(heads * _GRID)

    def _evaluated(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return E^-n and 1 - E^-n by exponentials, both relatively accurate."""
        return falling_and_missing(times(np.minimum(counts, self.last), self._epsilon))
