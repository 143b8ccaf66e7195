# SPDX-License-Identifier: Apache-2.0
"""Count the steps along a line until an event has a wanted mass, and find those that decide its privacy.

A closed form gives a guess, and exact comparisons around it give the answer, so no rounding can move it and
no number of steps is too large.

**Which steps decide.** Let P and Q be what a line has at two distances, one step apart. Under pure privacy a
prefix mass grows by the odds E up to its threshold, and from there on what it lacks to 1 falls by E.

- While all prefix masses grow, the pair (P, Q) is the mixture of the next pair, with weight 1/E, and of the
  worst class alone, in both places, with weight 1 - 1/E. So the last such pair reveals most.
- Once all decay, the next pair is the mixture of (P, Q), with weight 1/E, and of the best class alone. So the
  first such pair reveals most.

A mixture with the same distribution in both places reveals no more, under any measure that is convex in both
distributions together: the excess over a limit, and the exponential of (alpha - 1) times a Rényi divergence.
So the pairs from the last of growth to the first of decay tell everything. The same holds for two lines of
two classes between which one step can lead.

`turning_steps` gives fewer: the ends of the stretches in which every prefix mass has one formula. They decide
whether the constraint of the line holds; `rainbowdp.verification.stretches` has the proof.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import flint

from rainbowdp.distribution import Distribution
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
    >>> from rainbowdp.privacy import PureDP
    >>> steps_to_reach(Fraction(3, 55), Fraction(9, 10), PureDP("ln(6/5)"))
    21
    """
    if sign(target - mass) <= 0:
        return 0
    if _is_out_of_reach(mass, target, privacy):
        return None

    def reached(steps: int) -> bool:
        return sign(privacy.propagate(mass, steps, symbolic=True) - target) >= 0

    guess = _guess(mass, target, privacy)
    below, above, stride = guess, guess + 1, 1
    while below > 0 and reached(below):
        below, above, stride = max(below - stride, 0), below, 2 * stride
    while above > guess and not reached(above):
        below, above, stride = above, above + stride, 2 * stride
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if reached(middle) else (middle, above)
    return above


def formula_turns(masses: Iterable[Exact], privacy: Privacy) -> list[int]:
    """Return the distances around which events with these masses may get another formula.

    These are the last distances of growth and, with delta, the first ones of certainty and those before them.

    Examples
    --------
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


MOST_PAIRS = 4096
"""No list of more pairs is made: it would take too long to go through."""

DEEP = 256
"""From this distance on powers of the odds stay formal, since fractions have many digits."""

Pair = tuple[Distribution, Distribution]
"""What two neighboring tables have."""

_NEARLY = 1 - Fraction(1, 2**40)
Item = TypeVar("Item")


@dataclass(frozen=True)
class Pairs:
    """Pairs of distributions, made as they are gone through.

    Attributes
    ----------
    count : int
        How many there are.
    colors : int
        How many answers each distribution has.
    make : callable
        Makes them.
    """

    count: int
    colors: int
    make: Callable[[], Iterator[Pair]]

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Pair]:
        return self.make()


def spread(items: Sequence[Item], most: int) -> Sequence[Item]:
    """Return at most so many items, the first and the last among them.

    Examples
    --------
    >>> spread(range(10), 3), spread([1, 2], 3)
    ([0, 4, 9], [1, 2])
    """
    if len(items) <= most:
        return items
    return [items[at * (len(items) - 1) // (most - 1)] for at in range(most)]


def telling_steps(privacy: Privacy, masses: Sequence[Exact]) -> range:
    """Return the distances d for which the pairs of d and d + 1 reveal what all pairs reveal.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy.
    masses : sequence of Exact
        The masses of all proper prefixes at distance 0, of one line or of several.

    Returns
    -------
    range
        Under Gaussian privacy up to where all masses are 1 - 2^-40. It can be longer than any list.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> PureDP("ln 2").threshold("1/100"), telling_steps(PureDP("ln 2"), [Fraction(1, 100)])
    (6, range(5, 7))
    """
    if isinstance(privacy, GaussianDP):
        reached = (steps_to_reach(mass, _NEARLY, privacy) for mass in masses)
        return range(1 + max((each for each in reached if each is not None), default=0))
    turns = formula_turns(masses, privacy)
    if privacy.delta > 0:
        return range(max([1, *turns]))
    return range(max(0, min(turns) - 1), max(turns) + 1) if turns else range(1)


def turning_steps(privacy: Privacy, masses: Sequence[Exact]) -> list[int]:
    """Return the ends of every stretch of distances d whose pairs of d and d + 1 have one form.

    Parameters
    ----------
    privacy, masses
        As for `telling_steps`.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> turning_steps(ApproxDP("1/1000", "1/1000000"), [Fraction(0)])
    [0, 6216, 6217, 12433, 12434, 12435]
    """
    if isinstance(privacy, GaussianDP):
        last = telling_steps(privacy, masses).stop - 1
        return sorted({0, last // 2, last})
    turns = formula_turns(masses, privacy)
    return sorted({0} | {max(0, place) for turn in turns for place in (turn - 1, turn)})
