# SPDX-License-Identifier: Apache-2.0
"""Judge one pair of rows: decide the constraint exactly, and enclose the tight figure.

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

**Figures.** A figure is the least parameter that the pair satisfies: the largest ratio (whose logarithm is
epsilon), the delta at a given epsilon, or the largest difference of normal quantiles (mu). Enclosures are
pairs of exact Arb numbers with at least 64 correct bits; what is exactly 0, or exactly the ratio 1, stays so.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import (
    LAST_PRECISION,
    Exact,
    NormalExpression,
    are_compatible,
    ball,
    is_same,
    normal_quantile,
    rational_ball,
    refine,
    sign,
    simplest,
    working_precision,
)
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP, Violation
from rainbowdp.privacy.verdict import Excess, decisive_events, greatest_excess, worst_event

RowKind = Literal["ideal", "written", "stated"]
"""How rows are judged: exact numbers, decimals as they are written, or decimals that stand for others."""

_WIDTH = 6 * STATED_RELATIVE
CLOSE_TO_ZERO = Fraction(1, 10**287)
"""Below this the absolute part of the stated precision is no longer small beside the relative one."""

Interval = tuple[flint.arb, flint.arb]

_FIRST_PRECISION = 128
_WANTED_BITS = 64
_INFINITE: Interval = (flint.arb.pos_inf(), flint.arb.pos_inf())
_ONE: Interval = (flint.arb(1), flint.arb(1))
ZERO: Interval = (flint.arb(0), flint.arb(0))
"""The figure 0 (for a ratio: less than any that counts)."""


def largest(intervals: Iterable[Interval]) -> Interval:
    """Return the enclosure of the largest of some enclosed numbers; 0 if there are none."""
    low, high = ZERO
    for one, other in intervals:
        low = max(low, one)
        high = max(high, other)
    return low, high


def tight_figure(p: Distribution, q: Distribution, privacy: Privacy, kind: RowKind) -> Interval:
    """Return the least parameter that a pair satisfies, in both directions: a ratio, a delta or a mu.

    References
    ----------
    Zhou et al. 2022, Definition 2: single colors are the worst events of pure privacy.
    """
    ways = ((p, q), (q, p))
    match privacy:
        case PureDP():
            quotients = (_quotient(ours[color], theirs[color]) for ours, theirs in ways for color in p)
            return _clear_ratio(p, q) or largest(quotients)
        case ApproxDP():
            return largest(_beyond(ours, theirs, privacy) for ours, theirs in ways)
        case GaussianDP():
            return stated_mu(p, q) if kind == "stated" else mu(p, q)


def mu(p: Distribution, q: Distribution) -> Interval:
    """Return the largest difference of normal quantiles of one event, in both directions.

    An event and its complement exchange the two directions, so one direction of the likelihood ratio test
    and its reverse cover both.
    """
    return largest(
        _difference(event, ours, theirs)
        for ours, theirs in ((p, q), (q, p))
        for event in decisive_events(ours, theirs)
    )


def _clear_ratio(p: Distribution, q: Distribution) -> Interval | None:
    """Return the largest ratio where the first precision is enough, with one enclosure of each number."""
    found: list[Interval] = []
    with working_precision(_FIRST_PRECISION):
        for color in p:
            one, other = ball(p[color]), ball(q[color])
            if not (one > 0 and other > 0):
                return None
            quotients = one / other, other / one
            if any(value.rel_accuracy_bits() < _WANTED_BITS for value in quotients):
                return None
            beside_one = quotients[0].overlaps(1) and is_same(p[color], q[color])
            found += [_ONE] if beside_one else [(value.lower(), value.upper()) for value in quotients]
    return largest(found)


def _quotient(p: Exact, q: Exact) -> Interval:
    if sign(p) == 0:
        return ZERO
    if sign(q) == 0:
        return _INFINITE
    quotient = enclosed(lambda: ball(p) / ball(q))
    return _ONE if quotient[0] <= 1 <= quotient[1] and is_same(p, q) else quotient


def _beyond(p: Distribution, q: Distribution, privacy: ApproxDP) -> Interval:
    if are_compatible([*p.values(), *q.values(), privacy.odds]):
        _, total = worst_event(p, q, privacy.odds_for(p, q))
        return ZERO if sign(total) == 0 else enclosed(lambda: ball(total))
    # Differences of numbers of different kinds have no exact form.
    with working_precision(LAST_PRECISION // 4):
        over = [ball(p[color]) - ball(privacy.odds) * ball(q[color]) for color in p]
        low = sum((max(each.lower(), flint.arb(0)) for each in over), flint.arb(0))
        high = sum((max(each.upper(), flint.arb(0)) for each in over), flint.arb(0))
        return low.lower(), high.upper()


def _difference(event: tuple[str, ...], p: Distribution, q: Distribution) -> Interval:
    """Enclose the difference of the quantiles of an event, from its masses and those of the rest."""
    rest = tuple(color for color in p if color not in event)
    ours, theirs = (p.mass(event), p.mass(rest)), (q.mass(event), q.mass(rest))
    try:
        if is_same(ours[0], theirs[0]) or sign(ours[0]) == 0 or sign(theirs[1]) == 0:
            return ZERO
        if sign(theirs[0]) == 0 or sign(ours[1]) == 0:
            return _INFINITE
    except UndecidedError:
        # A mass that 4096 bits do not tell from 0 leaves every mu possible.
        return ZERO[0], _INFINITE[1]
    return enclosed(lambda: _quantile(*ours) - _quantile(*theirs))


def _quantile(mass: Exact, rest: Exact) -> flint.arb:
    """Return the ball of the quantile, from the smaller one of the mass and the rest."""
    value = ball(mass)
    return normal_quantile(value) if value < flint.arb(0.5) else -normal_quantile(ball(rest))


def enclosed(evaluate: Callable[[], flint.arb]) -> Interval:
    """Enclose what `evaluate` computes at the precision in force, to 64 bits where 4096 bits allow it."""

    def attempt(bits: int) -> Interval | None:
        value = evaluate()
        if value.is_finite() and (bits >= LAST_PRECISION or value.rel_accuracy_bits() >= _WANTED_BITS):
            return value.lower(), value.upper()
        return None

    found = refine(attempt, _FIRST_PRECISION)
    return (-flint.arb.pos_inf(), flint.arb.pos_inf()) if found is None else found


def stated_mu(p: Distribution, q: Distribution) -> Interval:
    """Enclose the tight mu of all pairs of distributions that two stated rows can stand for."""
    low, _ = largest(
        _least_difference(event, ours, theirs)
        for ours, theirs in ((p, q), (q, p))
        for event in decisive_events(ours, theirs)
    )
    # A color that neither row gives is the same as no color.
    used = [color for color in p if rational(p[color]) or rational(q[color])]
    if any(rational(row[color]) < CLOSE_TO_ZERO for row in (p, q) for color in used):
        return low, flint.arb.pos_inf()
    ours, theirs = (Distribution(dict(row), normalize=True) for row in (p, q))
    with working_precision(128):
        return low, (mu(ours, theirs)[1] + rational_ball(_WIDTH)).upper()


def stated_mu_within_class(table: NDArray[Any]) -> flint.arb:
    """Return the largest mu of two stated rows with the same decimals, for rows [m, k] of floats."""
    if ((table > 0) & (table < 2 * float(CLOSE_TO_ZERO))).any():
        return flint.arb.pos_inf()
    return rational_ball(_WIDTH).upper() if np.size(table) else flint.arb(0)


def _least_difference(event: tuple[str, ...], p: Distribution, q: Distribution) -> Interval:
    least, most = mass_bounds(event, p, "stated")[0], mass_bounds(event, q, "stated")[1]
    if least <= 0 or most >= 1:
        return ZERO
    if least >= 1 or most <= 0:
        return _INFINITE
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
            # Stated rows fail only by proof; of rows that are judged as written what is undecided fails.
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
