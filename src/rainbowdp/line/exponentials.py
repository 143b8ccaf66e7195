# SPDX-License-Identifier: Apache-2.0
"""Exponentials of arrays by additions and multiplications alone, which are the same on every processor.

Which exponential numpy runs depends on the vector instructions of the processor, and so does the last place
of what it returns; the same is true of the C library. IEEE 754 fixes what an addition and a multiplication
give, and numpy rounds each of them.

With s = ln(2)/256 every number is x = (256 k + j) s + r with whole k and j, j from 0 to 255, and r at most
s/2 in size, and::

    e^-x = 2^-k e^(-j s) (1 + q)        q = e^-r - 1 = -r + r^2/2 - r^3/6 + r^4/24 - r^5/120

The powers e^(-j s) are kept as sums of two floats, and the series leaves out less than 2^-66.
"""

from functools import cache
from typing import NamedTuple

import flint
import numpy as np
import numpy.typing as npt

from rainbowdp.line.powers import Constant, Floats, Pair, constant

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

    def power(part: int) -> Constant:
        def evaluate() -> flint.arb:
            return (-step() * part).exp()

        return constant(evaluate)

    high, low = constant(step)
    short = float(np.ldexp(np.rint(np.ldexp(high, _SHORT_BITS + 8)), -_SHORT_BITS - 8))
    powers = [power(part) for part in range(_PARTS)]
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
