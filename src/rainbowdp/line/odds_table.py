# SPDX-License-Identifier: Apache-2.0
"""Compute float64 class masses along a line under pure and approximate privacy, all relatively accurate.

A prefix mass F passes through at most three phases: growth, decay of 1 - F, and the constant 1. The mass of a
class is a difference of two neighboring prefix masses, so along the distance it falls into a few pieces with
fixed phases, and on each it is A E^i + B + C E^-i. Writing it so would lose all digits of small masses.

Every piece is therefore written by its own values b and e at its two ends, with u steps from the left end,
v steps to the right end, L = u + v, X = E^-u, Y = E^-v, U = (1-X)/(1-E^-L), V = (1-Y)/(1-E^-L)::

    both prefixes grow, or the upper one is 1       b V + e Y U
    both decay                                      b X
    the upper one decays, the lower one is 0,
    or the lower one decays, the upper one is 1     b X V + e U
    the lower one grows, the upper one decays       (b X V (1+Y) + e Y U (1+X)) / (1+E^-L) + K U V
                                                    with K = (1 + 2 delta/(E-1)) (1-E^-L)^2 / (1+E^-L)

These are the solutions of the recurrences through both ends, and all their terms are at least 0, so nothing
cancels. The values b, e and K are taken from enclosures.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import flint
import numpy as np

from rainbowdp.exact import Exact, ball, exponent_ball, sign
from rainbowdp.line.powers import Counts, FallingPowers, Floats, relative_ball, relative_float
from rainbowdp.line.steps import steps_to_reach
from rainbowdp.privacy import ApproxDP, PureDP

LARGEST_DISTANCE = 2**53


class Phase(Enum):
    """How a prefix mass moves from one distance to the next."""

    ZERO = "stays 0"
    GROWTH = "grows"
    DECAY = "its complement decays"
    ONE = "stays 1"


def _phases(mass: Exact, privacy: PureDP | ApproxDP) -> dict[int, Phase]:
    """Return the phases of a prefix with this mass at distance 0, by the distances at which they begin."""
    if privacy.delta == 0 and sign(mass) == 0:
        return {0: Phase.ZERO}
    threshold, certain = privacy.threshold(mass), steps_to_reach(mass, Fraction(1), privacy)
    found = {0: Phase.GROWTH}
    if threshold is not None:
        found[threshold + 1] = Phase.DECAY
    if certain is not None:
        found = {start: Phase.ONE if start >= certain else phase for start, phase in found.items()}
        found[certain] = Phase.ONE
    return found


def _at(phases: dict[int, Phase], distance: int) -> Phase:
    """Return the phase whose formula holds at a distance."""
    return phases[max(start for start in phases if start <= distance)]


# Class masses that do not move, by the phases of the prefixes below and above the class.
_FIXED = {
    (Phase.ZERO, Phase.ZERO): 0.0,
    (Phase.ONE, Phase.ONE): 0.0,
    (Phase.ZERO, Phase.ONE): 1.0,
}
# Limits of class masses that decay without end; for delta > 0 only those between two decaying prefixes do.
_ENDLESS = {
    (Phase.DECAY, Phase.DECAY): 0.0,
    (Phase.DECAY, Phase.ONE): 0.0,
    (Phase.ZERO, Phase.DECAY): 1.0,
}

Formula = Callable[[Counts, Counts], Floats]
"""Takes u and v, the steps from the left end and to the right end of a piece, and returns the class mass."""


@dataclass(frozen=True)
class Piece:
    """A stretch of distances with one formula, both ends included."""

    start: int
    end: int
    formula: Formula

    def __call__(self, distances: Counts) -> Floats:
        """Return the class mass at distances within the piece."""
        if isinstance(distances, range):
            steps = range(distances.start - self.start, distances.stop - self.start)
            return self.formula(steps, range(self.end - distances.start, self.end - distances.stop, -1))
        return self.formula(distances - self.start, self.end - distances)


class OddsTable:
    """Class masses by distance for one line.

    Parameters
    ----------
    privacy : PureDP or ApproxDP
        The notion of privacy.
    masses : tuple of Exact
        Prefix masses at distance 0, one per class; the last one is 1.
    """

    def __init__(self, privacy: PureDP | ApproxDP, masses: tuple[Exact, ...]) -> None:
        self._privacy = privacy
        self._masses = masses
        # Two classes meet in every prefix mass.
        self._moved: dict[tuple[int, int], Exact] = {}
        self._powers = FallingPowers(lambda: exponent_ball(privacy.epsilon))
        phases = [{0: Phase.ZERO}, *(_phases(mass, privacy) for mass in masses)]
        ends = (start for start, phase in phases[1].items() if phase is Phase.ONE)
        self.certain = min(ends, default=math.inf)
        """The first distance at which the best class has everything; infinite where there is none."""
        self._pieces: list[list[Piece]] = []
        for index in range(len(masses)):
            if index > 0 and sign(masses[index] - masses[index - 1]) == 0:
                self._pieces.append([Piece(0, LARGEST_DISTANCE, _constant(0.0))])
            else:
                self._pieces.append(self._split(index, phases[index], phases[index + 1]))
        self._starts = [np.array([piece.start for piece in pieces], float) for pieces in self._pieces]

    @property
    def settled(self) -> float:
        """A distance from which on no float64 class mass changes any more."""
        return float(min(max(starts[-1] for starts in self._starts) + self._powers.last, LARGEST_DISTANCE))

    def class_masses(self, distances: Counts) -> Iterator[Floats]:
        """Yield the masses of the classes, best first.

        Parameters
        ----------
        distances : range, or float64 array of shape (n,)
            Whole numbers from 0 to 2^53, ascending, not empty. A range ascends by 1 and is quickest.

        Yields
        ------
        float64 array of shape (n,)
        """
        for pieces, starts in zip(self._pieces, self._starts, strict=True):
            if isinstance(distances, range):
                cuts = np.clip(starts - distances.start, 0, len(distances)).astype(np.intp).tolist()
            else:
                cuts = np.searchsorted(distances, starts).tolist()
            ends = [*cuts[1:], len(distances)]
            parts = [
                piece(distances[first:end])
                for piece, first, end in zip(pieces, cuts, ends, strict=True)
                if first < end
            ]
            yield parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _split(self, index: int, lower: dict[int, Phase], upper: dict[int, Phase]) -> list[Piece]:
        starts = sorted(start for start in {*lower, *upper} if start <= LARGEST_DISTANCE)
        ends = [start - 1 for start in starts[1:]] + [LARGEST_DISTANCE]
        return [
            Piece(start, end, self._formula(index, start, end, (_at(lower, start), _at(upper, start))))
            for start, end in zip(starts, ends, strict=True)
        ]

    def _formula(self, index: int, start: int, end: int, phases: tuple[Phase, Phase]) -> Formula:
        if phases in _FIXED:
            return _constant(_FIXED[phases])
        left = self._value(index, start)
        if start == end:
            return _constant(left)
        if phases in _ENDLESS and (self._privacy.delta == 0 or phases == (Phase.DECAY, Phase.DECAY)):
            return self._falling(left, _ENDLESS[phases], np.inf)
        right = self._value(index, end)
        if phases == (Phase.GROWTH, Phase.DECAY):
            return self._between(left, right, end - start)
        if Phase.GROWTH in phases:
            # Read from right to left it falls.
            falling = self._falling(right, left, float(end - start))
            return lambda u, v: falling(v, u)
        return self._falling(left, right, float(end - start))

    def _falling(self, left: float, right: float, span: float) -> Formula:
        """Return b X V + e U, which is b X + e (1 - X) where the right end is infinitely far away."""

        def formula(u: Counts, v: Counts) -> Floats:
            if span == np.inf and right == 0:
                return left * self._powers.power(u)
            mass, done = self._powers(u, span)
            mass *= left
            if span != np.inf:
                mass *= self._powers(v, span)[1]
            mass += right * done
            return mass

        return formula

    def _between(self, left: float, right: float, span: int) -> Formula:
        def bulge() -> flint.arb:
            falling = -exponent_ball(self._privacy.epsilon)
            missing, last = (falling * span).expm1(), (falling * span).exp()
            # delta/(E-1) = -delta/E / expm1(-epsilon)
            lift = 1 - 2 * ball(self._privacy.delta) * falling.exp() / falling.expm1()
            return lift * missing**2 / (1 + last)

        def last_power() -> flint.arb:
            return 1 + (-exponent_ball(self._privacy.epsilon) * span).exp()

        # For epsilon 0 growth and decay are the same straight line, and nothing bulges between them.
        height = 0.0 if self._privacy.epsilon == 0 else float(relative_ball(bulge, 64).mid())
        bottom = float(relative_ball(last_power, 64).mid())
        b, e = left / bottom, right / bottom

        def formula(u: Counts, v: Counts) -> Floats:
            (x, done), (y, left_over) = self._powers(u, float(span)), self._powers(v, float(span))
            mass: Floats = left_over * (b * x * (1 + y) + height * done) + e * y * done * (1 + x)
            return mass

        return formula

    def _value(self, index: int, distance: int) -> float:
        upper = self._mass(index, distance)
        return relative_float(upper - self._mass(index - 1, distance) if index else upper)

    def _mass(self, index: int, distance: int) -> Exact:
        if index == len(self._masses) - 1:
            return Fraction(1)
        if (index, distance) not in self._moved:
            moved = self._privacy.propagate(self._masses[index], distance, symbolic=True)
            self._moved[index, distance] = moved
        return self._moved[index, distance]


def _constant(value: float) -> Formula:
    return lambda u, _: np.full(len(u), value)
