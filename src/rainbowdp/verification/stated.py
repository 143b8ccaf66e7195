# SPDX-License-Identifier: Apache-2.0
"""What rows of stated decimals can stand for: bounds of their masses, and their tight mu.

A stated decimal v stands for every number within v (1 ± 1e-12) ± 1e-300.

Changing the entries of a distribution by factors within 1 ± c, for c below 1e-3, changes an event of mass m
and its complement by such factors too, and so the event's normal quantile z by less than 1.26 c: the smaller
of m and 1 - m, divided by the density at z, is largest for m = 1/2, where it is 1.2533.

Let r = 1e-12, the stated relative precision. A distribution that a row can stand for has entries within
1 ± 1.1 r of those written, since entries below 1e-287 are left out here and the absolute precision is at most
r / 10 of all others. The entries written sum to s within 1 ± 1.01 r, however many they are: `StatedRows`
refuses others, by the correctly rounded sum of their nearest floats. Scaling a row to the sum 1 divides it by
s. So the scaled row is within 1 ± 2.2 r of everything that the row can stand for, which moves a quantile by
less than 2.8 r, and the difference of two by less than 5.6 r.
"""

from fractions import Fraction
from typing import Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, normal_quantile, rational_ball, working_precision
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE
from rainbowdp.verification.figures import Interval, enclosed, events_between, largest, mu

RowKind = Literal["ideal", "written", "stated"]
"""How rows are judged: exact numbers, decimals as they are written, or decimals that stand for others."""

_WIDTH = 6 * STATED_RELATIVE
# Below this the absolute part of the stated precision is no longer small beside the relative one.
_SMALLEST = Fraction(1, 10**287)


def stated_mu(p: Distribution, q: Distribution) -> Interval:
    """Enclose the tight mu of all pairs of distributions that two stated rows can stand for."""
    lows = [
        _least_difference(event, ours, theirs)
        for ours, theirs in ((p, q), (q, p))
        for event in events_between(ours, theirs)
    ]
    low = largest(lows)[0]
    # A color that neither row gives is the same as no color.
    used = [color for color in p if rational(p[color]) or rational(q[color])]
    if any(rational(row[color]) < _SMALLEST for row in (p, q) for color in used):
        return low, flint.arb.pos_inf()
    ours, theirs = (Distribution(dict(row), normalize=True) for row in (p, q))
    with working_precision(128):
        return low, (mu(ours, theirs)[1] + rational_ball(_WIDTH)).upper()


def stated_mu_of_twins(table: NDArray[Any]) -> flint.arb:
    """Return the largest mu of two stated rows with the same decimals, for rows [m, k] of floats."""
    if ((table > 0) & (table < 2 * float(_SMALLEST))).any():
        return flint.arb.pos_inf()
    return rational_ball(_WIDTH).upper() if np.size(table) else flint.arb(0)


def _least_difference(event: tuple[str, ...], p: Distribution, q: Distribution) -> Interval:
    least, most = mass_bounds(event, p, "stated")[0], mass_bounds(event, q, "stated")[1]
    if least <= 0 or most >= 1:
        return flint.arb(0), flint.arb(0)
    if least >= 1 or most <= 0:
        return flint.arb.pos_inf(), flint.arb.pos_inf()
    return enclosed(lambda: normal_quantile(rational_ball(least)) - normal_quantile(rational_ball(most)))


def mass_bounds(event: tuple[str, ...], row: Distribution, kind: RowKind) -> tuple[Fraction, Fraction]:
    """Return the least and the largest probability of an event, between 0 and 1.

    A stated row stands for a distribution, so what the other colors have at most or at least counts as well.
    """
    inside = [rational(row[color]) for color in event]
    if kind == "written":
        total = sum(inside, Fraction(0))
        return total, min(total, Fraction(1))
    outside = [rational(value) for color, value in row.items() if color not in event]
    least = max(sum(map(least_value, inside), Fraction(0)), 1 - sum(map(most_value, outside), Fraction(0)))
    most = min(sum(map(most_value, inside), Fraction(0)), 1 - sum(map(least_value, outside), Fraction(0)))
    return least, most


def least_value(value: Fraction) -> Fraction:
    """Return the least number that a stated decimal stands for."""
    return max(value * (1 - STATED_RELATIVE) - STATED_ABSOLUTE, Fraction(0))


def most_value(value: Fraction) -> Fraction:
    """Return the largest number that a stated decimal stands for."""
    return value * (1 + STATED_RELATIVE) + STATED_ABSOLUTE


def rational(value: Exact) -> Fraction:
    """Return an entry of a stated row, which is a fraction."""
    if not isinstance(value, Fraction):
        raise TypeError("stated rows are fractions")
    return value
