# SPDX-License-Identifier: Apache-2.0
"""Exact decision of one pair of rows, without a float.

Three kinds of rows are judged. Ideal rows are the exact numbers of a mechanism. Written rows are decimals
taken as they are written (`strict`). A stated decimal v stands for every number within v (1 ± 1e-12) ±
1e-300: a pair of stated rows fails only if every choice of numbers within that precision fails.

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

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import (
    Exact,
    NormalExpression,
    ball,
    normal_quantile,
    rational_ball,
    sign,
    simplest,
    working_precision,
)
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP, Violation
from rainbowdp.privacy.verdict import Excess, decisive_events, greatest_excess, worst_event
from rainbowdp.verification.figures import Interval, enclosed, largest, mu

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
        for event in decisive_events(ours, theirs)
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


def judge(p: Distribution, q: Distribution, privacy: Privacy, kind: RowKind) -> Excess | None:
    """Decide one pair of rows exactly.

    Parameters
    ----------
    p, q : Distribution
        Two rows.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint.
    kind : {"ideal", "written", "stated"}
        What the rows are.

    Returns
    -------
    Excess or None
        The greatest excess in either direction; None where the constraint holds.

    References
    ----------
    Zhou et al. 2022, Definition 2.
    """
    if kind == "ideal" or (kind == "written" and not isinstance(privacy, GaussianDP)):
        return privacy.excess(p, q)
    return greatest_excess(
        found
        for swapped, ours, theirs in ((False, p, q), (True, q, p))
        for found in _proven(ours, theirs, privacy, kind, swapped=swapped)
    )


def _proven(
    p: Distribution, q: Distribution, privacy: Privacy, kind: RowKind, *, swapped: bool
) -> Iterator[Excess]:
    if not isinstance(privacy, GaussianDP):
        yield from _proven_odds(p, q, privacy, swapped=swapped)
        return
    for event in decisive_events(p, q):
        least, most = mass_bounds(event, p, kind)[0], mass_bounds(event, q, kind)[1]
        if least <= 0 or most >= 1:
            continue
        rank = least - _shifted(most, privacy)
        probability, limit = p.mass(event), _shifted(rational(q.mass(event)), privacy)
        excess = probability - limit
        violation = Violation(event, probability, limit, excess, swapped)
        try:
            if sign(rank) <= 0:
                continue
        except UndecidedError:
            # Stated rows fail only by proof; of rows taken at their word what is undecided fails.
            if kind == "stated":
                continue
            violation = Violation(event, probability, limit, None, swapped, undecided=True)
        yield Excess(violation, partial(ball, rank), rank)


def _proven_odds(
    p: Distribution, q: Distribution, privacy: PureDP | ApproxDP, *, swapped: bool
) -> Iterator[Excess]:
    """Yield the event of the colors whose least probability exceeds E times the largest one in q."""
    least = {color: least_value(rational(value)) for color, value in p.items()}
    most = {color: most_value(rational(value)) for color, value in q.items()}
    event, beyond = worst_event(least, most, privacy.odds)
    rank = beyond - privacy.delta
    if sign(rank) > 0:
        probability, limit = p.mass(event), privacy.odds * q.mass(event) + privacy.delta
        violation = Violation(event, probability, limit, probability - limit, swapped)
        yield Excess(violation, partial(ball, rank), rank)


def _shifted(mass: Fraction, privacy: GaussianDP) -> Exact:
    if privacy.mu == 0:
        return mass
    return simplest(NormalExpression.shifted(min(mass, Fraction(1)), Fraction(1), privacy.mu))
