# SPDX-License-Identifier: Apache-2.0
"""Rho of zero-concentrated privacy: what other accountants need to know of an answer.

An answer has rho where the Rényi divergence of any order alpha > 1 between what two neighbors have is at most
rho alpha. For lines that is the greatest ratio over their pairs of neighbors; for other mechanisms under pure
privacy epsilon tanh(epsilon/2) is a bound, which randomized response of two answers meets.

For one pair let K(b) be the logarithm of the sum of p (p/q)^b, with b = alpha - 1. The ratio of the
divergence to alpha is K(b) / (b (b + 1)). On an interval K lies below a parabola, whose ratio has its maximum
in closed form. So intervals are bounded from above, and the one with the greatest bound is cut in two, until
the bound is met up to one part in 10^9. All numbers are enclosed.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import count

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.exact import (
    ball,
    bounds,
    exponent_ball,
    rational_ball,
    refine,
    sign,
    to_float,
    working_precision,
)
from rainbowdp.goals.mechanism import QuestionMechanism
from rainbowdp.line.steps import Pairs
from rainbowdp.privacy import GaussianDP, Privacy

_MOST_PAIRS, _MOST_CELLS = 500, 800
_SMALLEST, _LARGEST = Fraction(1, 10**9), 1000
"""Outside these epsilons the bound is given: they need more bits than a better number is worth."""

_BITS, _MOST_BITS = 192, 4096
_GOOD_BITS, _ENOUGH_BITS = 150, 64
_CLOSE, _UPWARD = 1 + 1e-9, 1 + 2.0**-48
_DIGITS = 6
_MOST_CUTS = 20_000

Losses = tuple[tuple[flint.arb, flint.arb], ...]
"""What a pair has by color: the probability, and the logarithm of its ratio."""


@dataclass(frozen=True)
class Rho:
    """A rho of zero-concentrated privacy.

    Attributes
    ----------
    value : float
        The number, rounded up.
    is_bound : bool
        Whether the least rho may be smaller than that, by more than rounding.
    """

    value: float
    is_bound: bool


def rho_of(mechanism: QuestionMechanism) -> Rho | None:
    """Return the rho of zero-concentrated privacy of one answer.

    Parameters
    ----------
    mechanism : QuestionMechanism
        Any mechanism.

    Returns
    -------
    Rho or None
        None where delta is above 0 in what is charged: then there is none. For lines under pure privacy it is
        the least one; for other mechanisms, for very many pairs or colors, and for extreme epsilons it is the
        bound of `rho_of_privacy`.

    References
    ----------
    Bun and Steinke 2016, definition 1.1 (zero-concentrated privacy); van Erven and Harremoës 2014 (Rényi
    divergences are convex and do not fall with their order).

    Examples
    --------
    >>> from rainbowdp.goals import Asked, mechanism_of
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> question = winner("party", ["red", "blue", "green"])
    >>> rho_of(mechanism_of(Asked(question, PureDP(1)), "guarantee"))
    Rho(value=0.394254, is_bound=False)
    >>> rho_of(mechanism_of(Asked(question, PureDP(1))))
    Rho(value=0.462118, is_bound=True)
    >>> rho_of(mechanism_of(Asked(question, GaussianDP(1))))
    Rho(value=0.5, is_bound=False)
    """
    bound = rho_of_privacy(mechanism.charged)
    if bound is None or not bound.is_bound or not _is_usual(mechanism.charged):
        return bound
    pairs = mechanism.pairs()
    if pairs is None or pairs.count > _MOST_PAIRS or pairs.count * pairs.colors > _MOST_CELLS:
        return bound
    losses = _losses(pairs)
    if not losses:
        return bound
    # What the pairs give is at most the bound, but for rounding.
    return Rho(min(_rounded_up(_greatest_ratio(losses)), bound.value), is_bound=False)


def rho_of_privacy(privacy: Privacy) -> Rho | None:
    """Return a rho that every mechanism with this privacy has.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The privacy.

    Returns
    -------
    Rho or None
        epsilon tanh(epsilon/2), or mu^2/2; None where delta is above 0.

    References
    ----------
    Kairouz, Oh and Viswanath 2015 (of all pairs under pure privacy, randomized response reveals most); Dong,
    Roth and Su 2022 (so do two normal numbers, by Blackwell's theorem).

    Examples
    --------
    >>> rho_of_privacy(GaussianDP("0.5"))
    Rho(value=0.125, is_bound=False)
    """
    if isinstance(privacy, GaussianDP):
        mu = privacy.mu
        if isinstance(mu, Fraction):
            return Rho(to_float(mu**2 / 2, "up"), is_bound=False)
        return Rho(_enclosed_up(lambda: exponent_ball(mu) ** 2 / 2), is_bound=False)
    if privacy.delta:
        return None
    epsilon = privacy.epsilon
    if epsilon == 0:
        return Rho(0.0, is_bound=False)
    return Rho(_enclosed_up(lambda: _pure_bound(exponent_ball(epsilon))), is_bound=True)


def _pure_bound(epsilon: flint.arb) -> flint.arb:
    return epsilon * (epsilon / 2).tanh()


def _is_usual(privacy: Privacy) -> bool:
    """Tell whether epsilon is neither so small nor so large that numbers would need very many bits."""
    with working_precision(_BITS):
        epsilon = exponent_ball(privacy.epsilon)  # type: ignore[union-attr]  # asked of pure privacy alone
        return bool(epsilon > rational_ball(_SMALLEST)) and bool(epsilon < _LARGEST)


def _enclosed_up(evaluate: Callable[[], flint.arb]) -> float:
    """Return a float that is not below a positive number, and closely above it."""

    def attempt(_: int) -> Fraction | None:
        value = evaluate()
        return bounds(value)[1] if value.rel_accuracy_bits() >= _ENOUGH_BITS else None

    return _rounded_up(refine(attempt, _BITS, None))


def _rounded_up(value: Fraction) -> float:
    """Return a number of at least 0, rounded up to six digits, on which the last bits have no influence.

    Examples
    --------
    >>> _rounded_up(Fraction(1, 3)), _rounded_up(Fraction(1, 2)), _rounded_up(Fraction(1, 10**600))
    (0.333334, 0.5, 5e-324)
    """
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    found = float(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
    # The float closest to a decimal may lie below it.
    return found if Fraction(found) >= value else math.nextafter(found, math.inf)


def _losses(pairs: Pairs) -> list[Losses]:
    """Return what pairs have in both directions; nothing where 4096 bits do not tell all of it."""
    found = list(pairs)

    def attempt(_: int) -> list[Losses] | None:
        listed = [_pair_losses(*each) for one, other in found for each in ((one, other), (other, one))]
        return None if None in listed else [each for each in listed if each is not None]

    return refine(attempt, _BITS, _MOST_BITS) or []


def _pair_losses(one: Distribution, other: Distribution) -> Losses | None:
    """Return what a pair has in one direction; None where this precision does not tell it."""
    found = []
    for color in one:
        p, q = ball(one[color]), ball(other[color])
        if p.contains(0) and sign(one[color]) == 0:
            continue
        if min(p.rel_accuracy_bits(), q.rel_accuracy_bits()) < _GOOD_BITS:
            return None
        found.append((p, (p / q).log()))
    return tuple(found)


@dataclass(frozen=True)
class _Part:
    """An interval of b = alpha - 1, without an end or with one, and K at its start with two derivatives."""

    losses: Losses
    start: float
    end: float
    value: flint.arb
    slope: flint.arb
    bend: flint.arb

    @classmethod
    def of(cls, losses: Losses, start: float, end: float) -> "_Part":
        """Return an interval; K is the logarithm of the sum of p (p/q)^b."""
        order = flint.arb(start)
        grown = [(p, loss, (order * loss).expm1()) for p, loss in losses]
        above = sum((p * growth for p, _, growth in grown), flint.arb(0))
        weights = [(p * (1 + growth) / (1 + above), loss) for p, loss, growth in grown]
        mean = sum((weight * loss for weight, loss in weights), flint.arb(0))
        spread = sum((weight * (loss - mean) ** 2 for weight, loss in weights), flint.arb(0))
        return cls(losses, start, end, above.log1p(), mean, spread)

    def ratio(self) -> flint.arb:
        """Return K(b) / (b (b + 1)) at the start, which tends to the mean loss where b tends to 0."""
        order = flint.arb(self.start)
        return self.value / (order * (order + 1)) if self.start else self.slope

    def bound(self) -> flint.arb:
        """Return an upper bound of K(b) / (b (b + 1)) inside."""
        if self.end == math.inf:
            return self._bound_to_infinity()
        start, end = flint.arb(self.start), flint.arb(self.end)
        losses = [loss for _, loss in self.losses]
        widest = _greatest(losses) + _greatest(-loss for loss in losses)
        # The third derivative of K is at most the second times the widest difference of losses.
        half = (self.bend * (widest * (end - start)).exp() / 2).upper()
        cut = (self.value - self.slope * start + half * start * start).upper()
        rest = (self.slope - 2 * half * start - half).upper() - cut
        # The ratio of the parabola is half + cut/b + rest/(b + 1).
        found = cut / end + rest / (end + 1)
        if self.start:
            found = found.max(cut / start + rest / (start + 1))
        elif cut <= 0:
            found = found.max(rest)
        if cut < 0 < rest:
            peak = 1 / ((rest / -cut).sqrt() - 1)
            if not (peak < start or peak > end):
                found = found.max((rest.sqrt() - (-cut).sqrt()) ** 2)
        return half + found

    def _bound_to_infinity(self) -> flint.arb:
        if not self.start:
            # Of all pairs with no greater loss, randomized response reveals most.
            return _pure_bound(_greatest(abs(loss) for _, loss in self.losses))
        # K(b)/b is at most the greatest loss.
        return _greatest(loss for _, loss in self.losses) / (1 + flint.arb(self.start))

    def halves(self) -> tuple["_Part", "_Part"]:
        """Return its two parts."""
        middle = 2 * self.start + 1 if self.end == math.inf else (self.start + self.end) / 2
        first = _Part(self.losses, self.start, middle, self.value, self.slope, self.bend)
        return first, _Part.of(self.losses, middle, self.end)


def _greatest(values: Iterable[flint.arb]) -> flint.arb:
    found, *others = values
    for value in others:
        found = found.max(value)
    return found


def _greatest_ratio(every: Sequence[Losses]) -> Fraction:
    """Return an upper bound of the greatest ratio of all pairs, closely above it."""
    number = count()

    def entry(part: _Part) -> tuple[float, int, _Part]:
        return -float(part.bound().upper()) * _UPWARD, next(number), part

    with working_precision(_BITS):
        parts = [_Part.of(losses, 0.0, math.inf) for losses in every]
        best = max(float(part.ratio().lower()) for part in parts)
        queue = [entry(part) for part in parts]
        heapq.heapify(queue)
        for _ in range(_MOST_CUTS):
            if -queue[0][0] <= best * _CLOSE:
                break
            first, second = heapq.heappop(queue)[2].halves()
            best = max(best, float(second.ratio().lower()))
            for half in (first, second):
                heapq.heappush(queue, entry(half))
        return Fraction(-queue[0][0])
