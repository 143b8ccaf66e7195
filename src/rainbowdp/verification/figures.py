# SPDX-License-Identifier: Apache-2.0
"""The tight figure of one pair of classes, enclosed from exact numbers.

A figure is the least parameter that the pair satisfies: the largest ratio (whose logarithm is epsilon), the
delta at a given epsilon, or the largest difference of normal quantiles (mu). Enclosures are pairs of exact
Arb numbers with at least 64 correct bits; what is exactly 0, or exactly the ratio 1, stays so.
"""

from collections.abc import Callable, Iterable

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import (
    LAST_PRECISION,
    Exact,
    are_compatible,
    ball,
    is_same,
    normal_quantile,
    refine,
    sign,
    working_precision,
)
from rainbowdp.privacy import ApproxDP, PureDP
from rainbowdp.privacy.verdict import decisive_events, worst_event

Interval = tuple[flint.arb, flint.arb]

_FIRST_PRECISION = 128
_WANTED_BITS = 64
_INFINITE: Interval = (flint.arb.pos_inf(), flint.arb.pos_inf())
_ONE: Interval = (flint.arb(1), flint.arb(1))
NOTHING: Interval = (flint.arb(0), flint.arb(0))
"""The figure 0 (for a ratio: less than any that counts)."""


def largest(intervals: Iterable[Interval]) -> Interval:
    """Return the enclosure of the largest of some enclosed numbers; 0 if there are none."""
    low, high = NOTHING
    for one, other in intervals:
        low = max(low, one)
        high = max(high, other)
    return low, high


def ratio(p: Distribution, q: Distribution) -> Interval:
    """Return the largest ratio of probabilities of one color, in both directions.

    References
    ----------
    Zhou et al. 2022, Definition 2: single colors are the worst events of pure privacy.
    """
    return _clear_ratio(p, q) or largest(
        _quotient(ours[color], theirs[color]) for ours, theirs in ((p, q), (q, p)) for color in p
    )


def delta(p: Distribution, q: Distribution, privacy: PureDP | ApproxDP) -> Interval:
    """Return the least delta that the pair satisfies at the epsilon of the notion, in both directions."""
    return largest(_beyond(ours, theirs, privacy) for ours, theirs in ((p, q), (q, p)))


def mu(p: Distribution, q: Distribution) -> Interval:
    """Return the largest difference of normal quantiles of one event, in both directions.

    An event and its complement exchange the two directions, so one direction of the likelihood ratio test
    and its reverse cover both.
    """
    return largest(
        _quantile_difference(event, ours, theirs)
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
        return NOTHING
    if sign(q) == 0:
        return _INFINITE
    quotient = enclosed(lambda: ball(p) / ball(q))
    return _ONE if quotient[0] <= 1 <= quotient[1] and is_same(p, q) else quotient


def _beyond(p: Distribution, q: Distribution, privacy: PureDP | ApproxDP) -> Interval:
    if not are_compatible([*p.values(), *q.values(), privacy.odds]):
        return _beyond_by_balls(p, q, privacy)
    _, total = worst_event(p, q, privacy.odds_for(p, q))
    return NOTHING if sign(total) == 0 else enclosed(lambda: ball(total))


def _beyond_by_balls(p: Distribution, q: Distribution, privacy: PureDP | ApproxDP) -> Interval:
    """Return the same for numbers of different kinds, whose differences have no exact form."""
    low, high = flint.arb(0), flint.arb(0)
    with working_precision(LAST_PRECISION // 4):
        for color in p:
            over = ball(p[color]) - ball(privacy.odds) * ball(q[color])
            low += max(over.lower(), flint.arb(0))
            high += max(over.upper(), flint.arb(0))
        return low.lower(), high.upper()


def _quantile_difference(event: tuple[str, ...], p: Distribution, q: Distribution) -> Interval:
    try:
        return _decided_difference(event, p, q)
    except UndecidedError:
        # A mass that 4096 bits do not tell from 0 leaves every mu possible.
        return NOTHING[0], _INFINITE[1]


def _decided_difference(event: tuple[str, ...], p: Distribution, q: Distribution) -> Interval:
    rest = tuple(color for color in p if color not in event)
    ours, theirs = (p.mass(event), p.mass(rest)), (q.mass(event), q.mass(rest))
    if is_same(ours[0], theirs[0]) or sign(ours[0]) == 0 or sign(theirs[1]) == 0:
        return NOTHING
    if sign(theirs[0]) == 0 or sign(ours[1]) == 0:
        return _INFINITE
    return enclosed(lambda: _quantile(*ours) - _quantile(*theirs))


def _quantile(mass: Exact, rest: Exact) -> flint.arb:
    """Return the ball of the quantile, from the smaller one of the mass and the rest."""
    value = ball(mass)
    return normal_quantile(value) if value < flint.arb(0.5) else -normal_quantile(ball(rest))


def enclosed(evaluate: Callable[[], flint.arb]) -> Interval:
    """Enclose what `evaluate` computes at the precision in force, to 64 bits where 4096 bits allow it."""

    def attempt(bits: int) -> Interval | None:
        value = evaluate()
        good = value.is_finite() and value.rel_accuracy_bits() >= _WANTED_BITS
        if good or (bits >= LAST_PRECISION and value.is_finite()):
            return value.lower(), value.upper()
        return None

    found = refine(attempt, _FIRST_PRECISION)
    return (-flint.arb.pos_inf(), flint.arb.pos_inf()) if found is None else found
