# SPDX-License-Identifier: Apache-2.0
"""Arithmetic for tables: powers, and products of step counts, to a few units in the last place.

A float epsilon is off by up to 2^-53 of itself, so e^(-700) computed from it would be off by 700 such units.
Therefore a constant is kept as an unevaluated sum of two floats (`Pair`), taken from an enclosure, and a
product with a step count is formed without rounding error (Dekker) before it goes into an exponential.
"""

from collections.abc import Callable
from typing import NamedTuple, overload

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

    def __neg__(self) -> "Pair":
        return Pair(-self.high, -self.low)

    def where(self, chosen: npt.NDArray[np.bool_]) -> "Pair":
        """Return the chosen entries."""
        return Pair(self.high[chosen], self.low[chosen])


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


@overload
def halves(x: Floats) -> tuple[Floats, Floats]: ...


@overload
def halves(x: float | Floats) -> tuple[float | Floats, float | Floats]: ...


def halves(x: float | Floats) -> tuple[float | Floats, float | Floats]:
    """Return two numbers of at most 26 bits each whose sum is x, for x far from overflow."""
    shifted = _SPLITTER * x
    high = shifted - (shifted - x)
    return high, x - high


def times(count: Floats, factor: Constant | Pair) -> Pair:
    """Return count * factor without rounding error beyond 2^-100, for counts and factors far from overflow.

    Parameters
    ----------
    count : float64 array
        Exact numbers.
    factor : Constant or Pair
        What they are multiplied with.

    Returns
    -------
    Pair
    """
    product = count * factor.high
    count_high, count_low = halves(count)
    factor_high, factor_low = halves(factor.high)
    error = count_high * factor_high - product
    error += count_high * factor_low
    error += count_low * factor_high
    error += count_low * factor_low
    error += count * factor.low
    return Pair(product, error)


def plus(first: Constant | Pair, second: Pair) -> Pair:
    """Return the sum of a constant, or of an array of the same shape, and a pair."""
    total = first.high + second.high
    moved = total - first.high
    error = (first.high - (total - moved)) + (second.high - moved) + (first.low + second.low)
    high = total + error
    return Pair(high, error - (high - total))
