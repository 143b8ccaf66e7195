# SPDX-License-Identifier: Apache-2.0
"""Exact decision of one pair of rows, without a float.

Three kinds of rows are judged. Ideal rows are the exact numbers of a mechanism. Written rows are decimals
taken at their word (`strict`). Stated rows are decimals that stand for numbers within the stated precision:
there a pair fails only if every choice of numbers within that precision fails.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import (
    Exact,
    NormalExpression,
    OddsExpression,
    ball,
    exponent_ball,
    normal_cdf,
    normal_quantile,
    sign,
    simplest,
)
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP, Violation
from rainbowdp.privacy.likelihood import ball_sign
from rainbowdp.privacy.verdict import Excess
from rainbowdp.privacy.worst_event import worst_event, worst_violation
from rainbowdp.verification.figures import events_between, formal_odds
from rainbowdp.verification.stated import RowKind, least_value, mass_bounds, most_value, rational


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
        return _decided(p, q, privacy)
    worst: Excess | None = None
    for swapped, (ours, theirs) in enumerate([(p, q), (q, p)]):
        for found in _proven(ours, theirs, privacy, kind, swapped=bool(swapped)):
            if found.is_above(worst):
                worst = found
    return worst


def _decided(p: Distribution, q: Distribution, privacy: Privacy) -> Excess | None:
    if not isinstance(privacy, GaussianDP) and (odds := formal_odds(p, q, privacy)) is not None:
        return _formally(p, q, privacy, odds)
    violation = privacy.admits(p, q).violation
    if violation is None:
        return None
    if isinstance(privacy, GaussianDP) and not (p.is_rational and q.is_rational):
        # `admits` cannot rank events whose limits have no exact form, nor name one where the order of two
        # likelihood ratios is undecided.
        found = _event_by_event(p, q, privacy)
        if found is None or (found.violation.event, found.violation.swapped) != (
            violation.event,
            violation.swapped,
        ):
            return found
    ours, theirs = (q, p) if violation.swapped else (p, q)
    mass, other = ours.mass(violation.event), theirs.mass(violation.event)
    return Excess(violation, _excess_of(mass, other, privacy))


def _formally(
    p: Distribution, q: Distribution, privacy: PureDP | ApproxDP, odds: OddsExpression
) -> Excess | None:
    """Decide as `admits` does, with rational odds as a formal power base."""
    found = worst_violation(p, q, odds, privacy.delta)
    if found is None:
        return None
    ours, theirs = (q, p) if found.swapped else (p, q)
    mass, other = ours.mass(found.event), theirs.mass(found.event)
    shown = replace(
        found,
        probability=simplest(mass),
        limit=None if found.limit is None else simplest(found.limit),
        excess=None if found.excess is None else simplest(found.excess),
    )
    return Excess(shown, _excess_of(mass, other, privacy), found.excess)


def _event_by_event(p: Distribution, q: Distribution, privacy: Privacy) -> Excess | None:
    """Return the greatest excess by enclosures, or the first event that stays undecided."""
    worst: Excess | None = None
    for swapped, (ours, theirs) in enumerate([(p, q), (q, p)]):
        for event in events_between(ours, theirs):
            mass, other = ours.mass(event), theirs.mass(event)
            excess = _excess_of(mass, other, privacy)
            try:
                undecided = False
                if sign(mass) == 0 or sign(1 - other) == 0 or ball_sign(excess) <= 0:
                    continue
            except UndecidedError:
                undecided = True
            found = Excess(Violation(event, mass, None, None, bool(swapped), undecided), excess)
            worst = found if found.is_above(worst) else worst
    return worst


def _excess_of(mass: Exact, other: Exact, privacy: Privacy) -> Callable[[], flint.arb]:
    return lambda: ball(mass) - _limit_ball(other, privacy)


def _limit_ball(mass: Exact, privacy: Privacy) -> flint.arb:
    """Return a ball around the largest probability that a neighbor may give to an event of this mass."""
    if not isinstance(privacy, GaussianDP):
        return ball(privacy.odds) * ball(mass) + ball(privacy.delta)
    if sign(mass) == 0 or sign(1 - mass) == 0:
        return ball(mass)
    return normal_cdf(normal_quantile(ball(mass)) + exponent_ball(privacy.mu))


def _proven(
    p: Distribution, q: Distribution, privacy: Privacy, kind: RowKind, *, swapped: bool
) -> Iterator[Excess]:
    if not isinstance(privacy, GaussianDP):
        yield from _proven_odds(p, q, privacy, swapped=swapped)
        return
    for event in events_between(p, q):
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
