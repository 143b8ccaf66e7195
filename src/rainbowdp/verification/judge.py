# SPDX-License-Identifier: Apache-2.0
"""The exact path: one pair of classes, decided without a float.

Three kinds of rows are judged. Ideal rows are the exact numbers of a mechanism. Written rows are decimals
taken at their word (`strict`). Stated rows are decimals that stand for numbers within the stated precision:
there a pair fails only if every choice of numbers within that precision fails.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Literal

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
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP, Violation
from rainbowdp.privacy.likelihood import ball_sign
from rainbowdp.privacy.worst_event import worst_event, worst_violation
from rainbowdp.verification.figures import events_between, formal_odds

RowKind = Literal["ideal", "written", "stated"]


@dataclass(frozen=True)
class Finding:
    """A violation and the excess by which it is ranked among others.

    Attributes
    ----------
    violation : Violation
        What is reported.
    rank : Exact or None
        The excess (for stated rows: the proven one) where it has an exact form.
    evaluate : callable
        Computes a ball around it at the precision in force.
    """

    violation: Violation
    rank: Exact | None
    evaluate: Callable[[], flint.arb]

    def beats(self, other: "Finding | None") -> bool:
        """Tell whether this is a greater excess; what is decided comes before what is not."""
        if other is None:
            return True
        if self.violation.undecided or other.violation.undecided:
            return other.violation.undecided and not self.violation.undecided
        try:
            if self.rank is not None and other.rank is not None:
                return sign(self.rank - other.rank) > 0
            return ball_sign(lambda: self.evaluate() - other.evaluate()) > 0
        except UndecidedError:
            return False


def judge(p: Distribution, q: Distribution, privacy: Privacy, kind: RowKind) -> Finding | None:
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
    Finding or None
        The greatest excess in either direction; None where the constraint holds.

    References
    ----------
    Zhou et al. 2022, Definition 2.
    """
    if kind == "ideal" or (kind == "written" and not isinstance(privacy, GaussianDP)):
        return _decided(p, q, privacy)
    worst: Finding | None = None
    for swapped, (ours, theirs) in enumerate([(p, q), (q, p)]):
        for found in _proven(ours, theirs, privacy, kind, swapped=bool(swapped)):
            if found.beats(worst):
                worst = found
    return worst


def _decided(p: Distribution, q: Distribution, privacy: Privacy) -> Finding | None:
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
    return Finding(violation, violation.excess, _excess_of(mass, other, privacy))


def _formally(
    p: Distribution, q: Distribution, privacy: PureDP | ApproxDP, odds: OddsExpression
) -> Finding | None:
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
    return Finding(shown, found.excess, _excess_of(mass, other, privacy))


def _event_by_event(p: Distribution, q: Distribution, privacy: Privacy) -> Finding | None:
    """Return the greatest excess by enclosures, or the first event that stays undecided."""
    worst: Finding | None = None
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
            found = Finding(Violation(event, mass, None, None, bool(swapped), undecided), None, excess)
            worst = found if found.beats(worst) else worst
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
) -> Iterator[Finding]:
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
        yield Finding(violation, rank, partial(ball, rank))


def _proven_odds(
    p: Distribution, q: Distribution, privacy: PureDP | ApproxDP, *, swapped: bool
) -> Iterator[Finding]:
    """Yield the event of the colors whose least probability exceeds E times the largest one in q."""
    least = {color: least_value(rational(value)) for color, value in p.items()}
    most = {color: most_value(rational(value)) for color, value in q.items()}
    event, beyond = worst_event(least, most, privacy.odds)
    rank = beyond - privacy.delta
    if sign(rank) > 0:
        probability, limit = p.mass(event), privacy.odds * q.mass(event) + privacy.delta
        violation = Violation(event, probability, limit, probability - limit, swapped)
        yield Finding(violation, rank, partial(ball, rank))


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


def _shifted(mass: Fraction, privacy: GaussianDP) -> Exact:
    if privacy.mu == 0:
        return mass
    return simplest(NormalExpression.shifted(min(mass, Fraction(1)), Fraction(1), privacy.mu))


def rational(value: Exact) -> Fraction:
    """Return an entry of a stated row, which is a fraction."""
    if not isinstance(value, Fraction):
        raise TypeError("stated rows are fractions")
    return value
