# SPDX-License-Identifier: Apache-2.0
"""Compute float64 class masses along a line under Gaussian privacy, relatively accurate at every size.

At distance i the mass of a class is Phi(b) - Phi(a) with a = z_lower + i mu and b = z_upper + i mu. Both ends
are carried as pairs of floats, because e^(-z^2/2) turns a rounding error of z into one that is z^2 times as
large. Where the interval is short on the scale of the density, the density is integrated; elsewhere tails are
subtracted that are far from equal, so nothing cancels.

Let y and y + 2c be the ends of a short interval, v from -1 to 1 a place in it, and u = c (y + c), which is at
most 1/4 in size. Since (y + c + c v)^2 = y^2 + 2 (c y + c^2/2) + 2 u v + c^2 v^2, the integral is::

    c phi(y) e^-(c y + c^2/2) (m_0 + m_2 u^2/2! + m_4 u^4/4! + ...)

where m_n is the integral of v^n e^(-c^2 v^2/2). All terms are positive, and seven of them leave out less than
2^-66.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import flint
import numpy as np
import numpy.typing as npt

from rainbowdp.exact import Exact, ball, exponent_ball, normal_quantile, sign, working_precision
from rainbowdp.line.powers import (
    LARGEST_COUNT,
    TINY,
    Constant,
    Counts,
    Floats,
    Pair,
    as_array,
    constant,
    falling,
    halves,
    plus,
    relative_ball,
    relative_float,
    times,
)
from rainbowdp.privacy import GaussianDP

_FARTHEST = 64.0  # Phi(-64) is 0 in float64
_SHORT = 0.5
_MOMENTS, _TERMS = 7, 24
_SQRT_HALF = float(np.sqrt(0.5))
_DENSITY_AT_ZERO = float(1 / np.sqrt(2 * np.pi))


class _Prefix(NamedTuple):
    """Where the propagated quantiles z of one prefix stand in the normal distribution.

    Attributes: z rounded, e^(-z^2/2), and Phi(-abs z), each relatively accurate for the unrounded z.
    """

    z: Floats
    bell: Floats
    tail: Floats

    @classmethod
    def at(cls, z: Pair) -> "_Prefix":
        from scipy.special import erfcx

        high, low = z
        if high.min() < -_FARTHEST or high.max() > _FARTHEST:
            # What is beyond every float probability moves to where squares do not overflow.
            high = np.clip(z.high, -_FARTHEST, _FARTHEST)
            low = np.where(high == z.high, z.low, 0.0)
        bell = _bell(Pair(high, low))
        tail: Floats = erfcx(_SQRT_HALF * np.abs(high))
        tail *= 0.5 * bell
        return cls(high, bell, tail)

    def below(self) -> Floats:
        """Return Phi(z)."""
        return np.where(self.z > 0, 1 - self.tail, self.tail)

    def above(self) -> Floats:
        """Return Phi(-z)."""
        return np.where(self.z > 0, self.tail, 1 - self.tail)


class NormalTable:
    """Class masses by distance for one line.

    Parameters
    ----------
    privacy : GaussianDP
        The notion of privacy.
    masses : tuple of Exact
        Prefix masses at distance 0, one per class; the last one is 1.
    """

    def __init__(self, privacy: GaussianDP, masses: tuple[Exact, ...]) -> None:
        self._mu = None if privacy.mu == 0 else constant(lambda: exponent_ball(privacy.mu))
        bottoms = (Fraction(0), *masses[:-1])
        pairs = list(zip(bottoms, masses, strict=True))
        self._masses = [relative_float(upper - lower) for lower, upper in pairs]
        self._gaps = [_gap(lower, upper) for lower, upper in pairs]
        self._quantiles = [_quantile(mass) for mass in masses]
        self.certain = 0 if sign(masses[0] - 1) == 0 else math.inf
        """The first distance at which the best class has everything; infinite where there is none."""
        farthest = max((abs(z.high) for z in self._quantiles if z is not None), default=0.0)
        mu = 0.0 if self._mu is None else self._mu.high
        last = np.ceil((_FARTHEST + farthest) / mu) if mu > TINY else np.inf
        self._last = float(min(last, LARGEST_COUNT))

    @property
    def settled(self) -> float:
        """A distance from which on no float64 class mass changes any more."""
        return 0.0 if self._mu is None else self._last

    def class_masses(self, distances: Counts) -> Iterator[Floats]:
        """Yield the masses of the classes, best first.

        Parameters
        ----------
        distances : range, or float64 array of shape (n,)
            Whole numbers from 0 to 2^53, ascending.

        Yields
        ------
        float64 array of shape (n,)
        """
        distances = as_array(distances)
        if self._mu is None:
            yield from (np.full_like(distances, mass) for mass in self._masses)
            return
        shift = times(np.minimum(distances, self._last), self._mu)
        lower: _Prefix | None = None
        for mass, gap, quantile in zip(self._masses, self._gaps, self._quantiles, strict=True):
            if mass == 0:
                yield np.zeros_like(distances)
                continue
            upper = None if quantile is None else _Prefix.at(plus(quantile, shift))
            if upper is None:
                yield np.ones_like(distances) if lower is None else lower.above()
            else:
                yield upper.below() if lower is None else _between(lower, upper, gap)
            lower = upper


def _quantile(mass: Exact) -> Constant | None:
    """Return Phi^-1 of a prefix mass, None for 0 and 1."""
    if sign(mass) == 0 or sign(mass - 1) == 0:
        return None
    if sign(2 * mass - 1) == 0:
        return Constant(0.0, 0.0)
    return constant(lambda: normal_quantile(ball(mass)))


def _gap(lower: Exact, upper: Exact) -> float:
    if sign(lower) == 0 or sign(upper - 1) == 0 or sign(upper - lower) == 0:
        return 0.0

    def difference() -> flint.arb:
        return normal_quantile(ball(upper)) - normal_quantile(ball(lower))

    return float(relative_ball(difference, 64).mid())


def _bell(z: Pair) -> Floats:
    """Return e^(-z^2/2)."""
    square = z.high * z.high
    high, low = halves(z.high)
    error = high * high - square
    error += (high + high) * low
    error += low * low
    error += (z.high + z.high) * z.low
    square *= 0.5
    error *= 0.5
    return falling(Pair(square, error))


def _between(lower: _Prefix, upper: _Prefix, gap: float) -> Floats:
    """Return Phi(z_upper) - Phi(z_lower), with z_upper = z_lower + gap and gap above 0."""
    # The end nearer to 0 is at distance y from it, counted away from the interval, so y may be below 0.
    mirrored = lower.z + upper.z > 0
    y = _chosen(mirrored, lower.z, -upper.z)
    near, far = _chosen(mirrored, lower.tail, upper.tail), _chosen(mirrored, upper.tail, lower.tail)
    result = _chosen(y < 0, 1 - near, near) - far
    short = gap * (np.abs(y) + gap / 2) <= _SHORT
    if short.any():
        bell = _chosen(mirrored, lower.bell, upper.bell)[short]
        result[short] = _integral(y[short], bell, gap)
    return result


def _chosen(condition: npt.NDArray[np.bool_], first: Floats, second: Floats) -> Floats:
    """Return the first numbers where the condition holds, and the second ones elsewhere."""
    if condition.all():
        return first
    return np.where(condition, first, second) if condition.any() else second


@lru_cache(maxsize=256)
def _moments(half: float) -> tuple[float, ...]:
    """Return m_n / n! for even n, last one first."""
    with working_precision(128):
        fall = -(flint.arb(half) ** 2) / 2
        sums = [
            sum((fall**k / flint.arb(k).fac() * 2 / (n + 2 * k + 1) for k in range(_TERMS)), flint.arb(0))
            for n in range(0, 2 * _MOMENTS, 2)
        ]
        return tuple(float((m / flint.arb(2 * at).fac()).mid()) for at, m in enumerate(sums))[::-1]


def _integral(y: Floats, bell: Floats, gap: float) -> Floats:
    """Return the integral of the density from y to y + gap, over which it changes by a small factor."""
    half = 0.5 * gap
    last, *others = _moments(half)
    total = (y + half) * half
    square = total * total
    total -= 0.5 * half * half
    # total is now c y + c^2/2.
    total = falling(Pair(total, np.zeros_like(total)))
    series = np.full_like(square, last)
    for moment in others:
        series *= square
        series += moment
    total *= series
    total *= bell
    total *= _DENSITY_AT_ZERO * half
    return total
