# SPDX-License-Identifier: Apache-2.0
"""The inverse of the closed form: how many steps until an event has a wanted mass.

A closed form gives a guess, and exact comparisons around it give the answer, so no rounding can move it and
no number of steps is too large.
"""

from collections.abc import Iterable
from fractions import Fraction

import flint

from rainbowdp.exact import Exact, ball, exponent_ball, normal_quantile, refine, sign
from rainbowdp.privacy import GaussianDP, Privacy

_FIRST_BITS, _LAST_BITS = 128, 16_384
_CLOSE = flint.arb(0.25)


def steps_to_reach(mass: Exact, target: Exact, privacy: Privacy) -> int | None:
    """Return the least number of steps after which an event can have a wanted mass.

    Parameters
    ----------
    mass : Exact
        The event's mass where the steps begin.
    target : Exact
        The wanted mass, at most 1.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy.

    Returns
    -------
    int or None
        None if no number of steps is enough.

    Raises
    ------
    UndecidedError
        Under Gaussian privacy, where 4096 bits do not tell a propagated mass from the wanted one.

    References
    ----------
    Zhou et al. 2022, Theorem 4, solved for the index.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rainbowdp.privacy import PureDP
    >>> steps_to_reach(Fraction(3, 55), Fraction(9, 10), PureDP("ln(6/5)"))
    21
    """
    if sign(target - mass) <= 0:
        return 0
    if _is_out_of_reach(mass, target, privacy):
        return None
    guess = _guess(mass, target, privacy)

    def reached(steps: int) -> bool:
        return sign(privacy.propagate(mass, steps, symbolic=True) - target) >= 0

    below, above, stride = 0, guess, 1
    while not reached(above):
        below, above, stride = above, above + stride, 2 * stride
    if below == 0:
        stride = 1
        while above - stride > 0 and reached(above - stride):
            above, stride = above - stride, 2 * stride
        below = max(above - stride, 0)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if reached(middle) else (middle, above)
    return above


def formula_turns(masses: Iterable[Exact], privacy: Privacy) -> list[int]:
    """Return the distances around which events with these masses may get another formula.

    These are the last distances of growth and, with delta, the first ones of certainty and those before them.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rainbowdp.privacy import ApproxDP
    >>> formula_turns([Fraction(0)], ApproxDP("ln 2", "1/10"))
    [3, 4, 5]
    """
    if isinstance(privacy, GaussianDP):
        return []
    masses = tuple(masses)
    turns = [turn for mass in masses if (turn := privacy.threshold(mass)) is not None]
    if privacy.delta > 0:
        certain = (steps_to_reach(mass, Fraction(1), privacy) for mass in masses)
        turns += [place for end in certain if end is not None for place in (max(end - 1, 0), end)]
    return turns


def _is_out_of_reach(mass: Exact, target: Exact, privacy: Privacy) -> bool:
    """Tell whether a mass below the target stays below it at every distance."""
    if not isinstance(privacy, GaussianDP) and privacy.delta > 0:
        return False
    parameter = privacy.mu if isinstance(privacy, GaussianDP) else privacy.epsilon
    return parameter == 0 or sign(mass) == 0 or sign(target - 1) == 0


def _guess(mass: Exact, target: Exact, privacy: Privacy) -> int:
    """Return the number of steps, or nearly so, and at least 1."""
    threshold = None if isinstance(privacy, GaussianDP) else privacy.threshold(mass)

    def attempt(_: int) -> int | None:
        steps = _solved(mass, target, privacy, threshold)
        if not steps.is_finite() or steps.rad() >= _CLOSE:
            return None
        nearest = steps.mid().ceil().unique_fmpz()
        return 1 if nearest is None else max(int(nearest), 1)

    return refine(attempt, _FIRST_BITS, _LAST_BITS) or max(threshold or 0, 1)


def _solved(mass: Exact, target: Exact, privacy: Privacy, threshold: int | None) -> flint.arb:
    """Return the real number of steps at which the closed form meets the target."""
    if isinstance(privacy, GaussianDP):
        gap = normal_quantile(ball(target)) - normal_quantile(ball(mass))
        return gap / exponent_ball(privacy.mu)
    if privacy.epsilon == 0:
        return ball(target - mass) / ball(privacy.delta)
    epsilon = exponent_ball(privacy.epsilon)
    shift = ball(privacy.delta) / epsilon.expm1()
    growing = ((ball(target) + shift) / (ball(mass) + shift)).log() / epsilon
    if threshold is None or growing <= threshold:
        return growing
    turned = 1 - ball(privacy.propagate(mass, threshold, symbolic=True))
    return threshold + ((turned + shift) / (1 - ball(target) + shift)).log() / epsilon
