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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import flint

from rainbowdp.baselines import EnclosedNumber, Value, flip_wrong, odds_root, taken_first
from rainbowdp.baselines.odds_power import Base, told
from rainbowdp.exact import exponent_ball, rational_ball
from rainbowdp.goals.mechanism import Asked, Case, require_lead, row_cost
from rainbowdp.ledger import Cost
from rainbowdp.privacy import PureDP
from rainbowdp.questions import Neighbors, Ranking, Scores, Summary, Winner
from rainbowdp.questions.readings import Private
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import BitSource
from rainbowdp.sampling.bits import SystemBits
from rainbowdp.sampling.reals import is_below, shuffled

_MOST_EXACT = 12
"""Up to so many options all chances are rational functions of the odds; beyond, they are enclosed."""

Gap = int | Fraction


@dataclass(frozen=True)
class Flip:
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
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> asked = Asked(winner("party", ["red", "blue", "green"]), PureDP("ln 2"))
    >>> Flip(asked).at(OptionCounts((3, 5, 4))).chances()
    {'red': Fraction(5, 48), 'blue': Fraction(2, 3), 'green': Fraction(11, 48)}
    >>> Flip(Asked(asked.question, asked.privacy, "change-one")).at(OptionCounts((3, 5, 4))).chances()
    {'red': Fraction(7, 36), 'blue': Fraction(19, 36), 'green': Fraction(5, 18)}
    """

    asked: Asked

    name: ClassVar[str] = "flip"
    notes: ClassVar[tuple[str, ...]] = ()

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

    def at(self, summary: Summary) -> "LocatedFlip":
        """Return the mechanism at a table."""
        scores = options_question(self.asked).scores_of(summary)
        best = max(scores)
        return LocatedFlip(self, tuple(best - score for score in scores))

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer that can come out."""
        return options_question(self.asked).accepts(answer)

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together."""
        return row_cost(self.charged, groups, neighbors)

    def wrong(self, lead: int, case: Case) -> Value:
        """Return the probability of a wrong answer where one rival, or each, lacks so many people's rows."""
        # Without epsilon an option that is infinitely far behind is accepted like any other.
        alone = case == "one-close" and self.charged.epsilon != 0
        rivals = 1 if alone else len(options_question(self.asked).options) - 1
        gap = lead_rows(self.asked, require_lead(lead))
        return flip_wrong(self.weights([gap])[gap], rivals)

    def pairs(self) -> None:
        """Return None: what neighbors can have is too long a list."""
        return

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


@dataclass(frozen=True, repr=False)
class LocatedFlip(Private):
    """Flip at one table, which it knows by the gaps of its options."""

    flip: Flip
    gaps: tuple[Gap, ...]

    def draw(self, bits: BitSource | None = None) -> Form:
        """Draw an option: every coin is thrown, and the first one of a random order that accepts is taken."""
        source = SystemBits() if bits is None else bits
        order = shuffled(len(self.gaps), source)
        accepted = [at for at in order if self._accepts(self.gaps[at], source)]
        first = accepted[0]
        return options_question(self.flip.asked).named([first, *(at for at in order if at != first)])

    def _accepts(self, gap: Gap, bits: BitSource) -> bool:
        return is_below(lambda: self.flip.weight_ball(gap), bits)

    def chances(self) -> Mapping[Form, Value]:
        """Return the probability of each option."""
        question = options_question(self.flip.asked)
        found = {gap: self._chance(gap) for gap in set(self.gaps)}
        chances: dict[Form, Value] = {}
        for at, gap in enumerate(self.gaps):
            rest = [other for other in range(len(self.gaps)) if other != at]
            chances[question.named([at, *rest])] = found[gap]
        return chances

    def right(self) -> Value:
        """Return the probability that a greatest option is named."""
        best = min(self.gaps)
        return self._chance(best) * self.gaps.count(best)

    def _chance(self, gap: Gap) -> Value:
        """Return the probability of one option with this gap."""
        others = Counter(self.gaps)
        others[gap] -= 1
        if len(self.gaps) <= _MOST_EXACT:
            weights = self._weights
            return told(taken_first(weights[gap], [weights[other] for other in others.elements()]))
        return EnclosedNumber(lambda: _integral(self.flip, gap, others))

    @cached_property
    def _weights(self) -> Mapping[Gap, Base]:
        return self.flip.weights(set(self.gaps))


def _integral(flip: Flip, gap: Gap, others: Counter[Gap]) -> flint.arb:
    """Return a ball around the chance of an option, from the product as a polynomial in the time s."""
    product = flint.arb_poly([1])
    for other, count in others.items():
        if count:
            product *= flint.arb_poly([1, -flip.weight_ball(other)]) ** count
    terms = (coefficient / (degree + 1) for degree, coefficient in enumerate(product.coeffs()))
    return flip.weight_ball(gap) * sum(terms, flint.arb(0))


def options_question(asked: Asked) -> Winner | Ranking | Scores:
    """Return the question of a mechanism that chooses among options."""
    question = asked.question
    assert isinstance(question, Winner | Ranking | Scores)  # noqa: S101 - chosen for no other question
    return question


def lead_rows(asked: Asked, lead: int) -> Gap:
    """Return by how much counts or scores differ where a lead is what so many people can add.

    For counts that is the rows of so many people; for scores so many times the sensitivity.
    """
    question = asked.question
    return question.sensitivity * lead if isinstance(question, Scores) else asked.max_rows * lead
