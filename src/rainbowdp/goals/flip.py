# SPDX-License-Identifier: Apache-2.0
"""Flip: try the options in random order, and take the first one that its own coin accepts.

An option that lacks g to the greatest is accepted with probability q(g), so a greatest one always is. The
probability of option j is q(g_j) times the integral over s from 0 to 1 of the product over all other options
i of 1 - q(g_i) s. Where one row joins or leaves, this is permute-and-flip on counts, whose scores move one
at a time and so need no halved epsilon. Where one row changes, every second gap gives more than that: 2
t^-m/(1 + t) at the gap 2m + 1.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import flint

from rainbowdp.baselines import EnclosedNumber, Value, flip_wrong, odds_root, taken_first
from rainbowdp.baselines.odds_power import Base, told
from rainbowdp.exact import exponent_ball, rational_ball
from rainbowdp.goals.mechanism import Case, Gap, OptionsMechanism
from rainbowdp.privacy import PureDP
from rainbowdp.questions import Scores, Summary
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import BitSource
from rainbowdp.sampling.reals import is_below, shuffled

_MOST_EXACT = 12
"""Up to so many options all chances are rational functions of the odds; beyond, they are enclosed."""


@dataclass(frozen=True)
class Flip(OptionsMechanism):
    """The mechanism of `winner` and `scores` for three options and more, under pure and approximate privacy.

    Delta is not used, so an answer costs epsilon alone.

    Parameters
    ----------
    asked : Asked
        A question whose answer names one option, and how privately it is answered.

    References
    ----------
    McKenna and Sheldon 2020, Algorithm 1 and Proposition 1; Ding et al. 2021 (as exponential noise). For
    records that change: docs/theory/center.md, theorem 3.

    Examples
    --------
    >>> from rainbowdp.goals import Asked
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> asked = Asked(winner("party", ["red", "blue", "green"]), PureDP("ln 2"))
    >>> Flip(asked).at(OptionCounts((3, 5, 4))).chances()
    {'red': Fraction(5, 48), 'blue': Fraction(2, 3), 'green': Fraction(11, 48)}
    >>> Flip(Asked(asked.question, asked.privacy, "change-one")).at(OptionCounts((3, 5, 4))).chances()
    {'red': Fraction(7, 36), 'blue': Fraction(19, 36), 'green': Fraction(5, 18)}
    """

    name = "flip"

    @property
    def charged(self) -> PureDP:
        """Epsilon alone."""
        return self.asked.epsilon_alone

    @property
    def theorem(self) -> str:
        """Why it is private."""
        if isinstance(self.asked.question, Scores):
            return "theorem 2: permute-and-flip by scores of a known sensitivity"
        row = "one changed record" if self.asked.changed else "one record that joins or leaves"
        many = ", row by row" if self.asked.max_rows > 1 else ""
        number = 3 if self.asked.changed else 2
        return f"theorem {number}: {row} moves no chance of flip by more than e^epsilon{many}"

    def place_of(self, summary: Summary) -> tuple[Gap, ...]:
        """Return the gap of each option to the greatest."""
        scores = self.options.scores_of(summary)
        best = max(scores)
        return tuple(best - score for score in scores)

    def draw(self, place: Sequence[Gap], bits: BitSource) -> Form:
        """Draw an option: every coin is thrown, and the first one of a random order that accepts is taken."""
        order = shuffled(len(place), bits)
        accepted = [at for at in order if is_below(partial(self.weight_ball, place[at]), bits)]
        return self.options.named([accepted[0], *(at for at in order if at != accepted[0])])

    def chances(self, place: Sequence[Gap]) -> Mapping[Form, Value]:
        """Return the probability of each option."""
        found = {gap: self.chance(place, gap) for gap in set(place)}
        return {self.first(at): found[gap] for at, gap in enumerate(place)}

    def chance(self, gaps: Sequence[Gap], gap: Gap) -> Value:
        """Return the probability of one option with this gap, of options with so many gaps."""
        others = Counter(gaps)
        others[gap] -= 1
        if len(gaps) <= _MOST_EXACT:
            weights = self.weights(set(gaps))
            return told(taken_first(weights[gap], [weights[other] for other in others.elements()]))
        return EnclosedNumber(lambda: self._integral(gap, others))

    def _integral(self, gap: Gap, others: Counter[Gap]) -> flint.arb:
        """Return a ball around the chance of an option, from the product as a polynomial in the time s."""
        product = flint.arb_poly([1])
        for other, count in others.items():
            if count:
                product *= flint.arb_poly([1, -self.weight_ball(other)]) ** count
        terms = (coefficient / (degree + 1) for degree, coefficient in enumerate(product.coeffs()))
        return self.weight_ball(gap) * sum(terms, flint.arb(0))

    def wrong(self, lead: int, case: Case) -> Value:
        """Return the probability of a wrong answer where one rival, or each, lacks so many people's rows."""
        # Without epsilon an option that is infinitely far behind is accepted like any other.
        alone = case == "one-close" and self.charged.epsilon != 0
        gap = self.lead_rows(lead)
        return flip_wrong(self.weights([gap])[gap], 1 if alone else self.count - 1)

    def _power(self, gap: Gap) -> tuple[Fraction, bool]:
        """Return the n of q = e^(-epsilon n), and whether q is 2/(1 + t) times that."""
        question, rows = self.asked.question, self.asked.max_rows
        if isinstance(question, Scores):
            return Fraction(gap) / (question.sensitivity * (1 if question.monotone else 2)), False
        if not self.asked.changed:
            return Fraction(gap, rows), False
        pairs, odd = divmod(int(gap), 2)
        return Fraction(pairs, rows), bool(odd)

    def weights(self, gaps: Iterable[Gap]) -> dict[Gap, Base]:
        """Return the exact probability to accept an option, by its gap; all in one root of the odds."""
        powers = {gap: self._power(gap) for gap in gaps}
        parts = math.lcm(self.asked.max_rows, *(power.denominator for power, _ in powers.values()))
        root = odds_root(self.charged.epsilon, parts)
        odd_one = 2 / (1 + root ** (parts // self.asked.max_rows))
        exact: dict[Gap, Base] = {}
        for gap, (power, odd) in powers.items():
            weight = 1 / root ** int(power * parts)
            exact[gap] = weight * odd_one if odd else weight
        return exact

    def weight_ball(self, gap: Gap) -> flint.arb:
        """Return a ball around the same probability, at the precision in force."""
        power, odd = self._power(gap)
        epsilon = exponent_ball(self.charged.epsilon)
        weight = (-epsilon * rational_ball(power)).exp()
        return weight * 2 / (1 + (epsilon / self.asked.max_rows).exp()) if odd else weight
