# SPDX-License-Identifier: Apache-2.0
"""The noisy order: noise on the differences of the counts, then a sort.

An order depends on differences alone, so noise that moves all counts together is wasted. The noise is a
whole vector z with probability proportional to e^(-eta sum |z_j|), among the vectors whose lower median is
0: one such vector stands for each way in which differences can change, and the exponent is the distance on
differences. So one record more or less changes no probability by more than e^eta, and a changed record by
e^(2 eta).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise, permutations
from math import comb
from typing import Any, ClassVar

import flint

from rainbowdp.baselines import EnclosedNumber, Value
from rainbowdp.errors import QuestionError
from rainbowdp.exact import exponent_ball, round_ball
from rainbowdp.goals.mechanism import Asked, Case, require_lead, row_cost
from rainbowdp.goals.order_chances import (
    MOST_OPTIONS,
    Chance,
    first_chance,
    least_eta,
    order_chance,
    set_chance,
)
from rainbowdp.ledger import Cost
from rainbowdp.privacy import PureDP
from rainbowdp.questions import Neighbors, Ranking, Summary
from rainbowdp.questions.readings import Private
from rainbowdp.questions.selection import MOST_LISTED, Form
from rainbowdp.sampling import BitSource
from rainbowdp.sampling.bits import SystemBits
from rainbowdp.sampling.reals import Ball, first_exceeding, geometric_size, shuffled, uniform_below

_GRID = 2**36


@dataclass(frozen=True)
class NoisyOrder:
    """The mechanism of `ranking` under pure and approximate privacy; delta is not used.

    Parameters
    ----------
    asked : Asked
        A ranking, and how privately it is answered.

    References
    ----------
    docs/theory/center.md, theorem 5.

    Examples
    --------
    >>> from rainbowdp.questions import OptionCounts, ranking
    >>> order = NoisyOrder(Asked(ranking("party", ["red", "blue", "green"]), PureDP(1)))
    >>> chances = order.at(OptionCounts((10, 8, 7))).chances()
    >>> round(round_ball(chances["red", "blue", "green"].evaluate, "nearest"), 3)
    0.651
    """

    asked: Asked

    name: ClassVar[str] = "noisy order"
    notes: ClassVar[tuple[str, ...]] = ()

    @property
    def charged(self) -> PureDP:
        """Epsilon alone."""
        return self.asked.epsilon_alone

    @property
    def theorem(self) -> str:
        """Why it is private."""
        return (
            "theorem 5: noise on differences, with probabilities that fall with the distance on differences"
        )

    @property
    def question(self) -> Ranking:
        """The question that is answered."""
        question = self.asked.question
        assert isinstance(question, Ranking)  # noqa: S101 - chosen for no other question
        return question

    def rate(self) -> flint.arb:
        """Return a ball around eta, at the precision in force."""
        return exponent_ball(self.charged.epsilon) / (self.asked.max_rows * (2 if self.asked.changed else 1))

    @property
    def is_uniform(self) -> bool:
        """Whether epsilon is 0, so that all orders are equally likely."""
        return self.charged.epsilon == 0

    def at(self, summary: Summary) -> "LocatedOrder":
        """Return the mechanism at a table."""
        return LocatedOrder(self, self.question.scores_of(summary))

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer that can come out."""
        return self.question.accepts(answer)

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together."""
        return row_cost(self.charged, groups, neighbors)

    def wrong(self, lead: int, case: Case, *, centered: bool = True) -> Value | None:
        """Return the probability of a wrong order where options that follow each other are a lead apart.

        ``one-close``: two options are, and all others infinitely far from each other. ``all-close``: all
        are; of a ranking that names the first options, those that are not named have equal counts. Not
        centered, the noise is independent noise on every count. None where too many options are close, or
        the noise has too many levels.
        """
        question, eta = self.question, 0.0 if self.is_uniform else round_ball(self.rate, "nearest")
        gaps = ranking_gaps(question, self.asked.max_rows * require_lead(lead), case)
        close = 2 if case == "one-close" else len(question.options)
        if close > MOST_OPTIONS or 0 < eta < least_eta(close):
            return None
        chance = set_chance if question.as_set else first_chance
        return wrong_of(chance(gaps, eta, question.length, centered=centered))

    def pairs(self) -> None:
        """Return None: what neighbors can have is too long a list."""
        return


@dataclass(frozen=True, repr=False)
class LocatedOrder(Private):
    """The noisy order at one table."""

    mechanism: NoisyOrder
    counts: tuple[int, ...]

    def draw(self, bits: BitSource | None = None) -> Form:
        """Draw an order exactly; equal noisy counts stand in random order."""
        source = SystemBits() if bits is None else bits
        order = shuffled(len(self.counts), source)
        if not self.mechanism.is_uniform:
            noise = centered_noise(len(self.counts), self.mechanism.rate, source)
            order.sort(key=lambda at: -self.counts[at] - noise[at])
        return self.mechanism.question.named(order)

    def chances(self) -> Mapping[Form, Value]:
        """Return the probability of each answer, for up to five options."""
        eta = 0.0 if self.mechanism.is_uniform else round_ball(self.mechanism.rate, "nearest")
        return listed_chances(self.mechanism.question, self.counts, lambda gaps: order_chance(gaps, eta))


def listed_chances(
    question: Ranking, scores: Sequence[int | Fraction], chance: Callable[[list[Any]], Chance]
) -> Mapping[Form, Value]:
    """Return the probability of each answer of a ranking, added up over all orders.

    Parameters
    ----------
    question : Ranking
        The question.
    scores : sequence
        What the options have.
    chance : callable
        Returns the probability of an order from the differences of options that follow each other in it.

    Raises
    ------
    QuestionError
        If there are more than five options.
    """
    count = len(scores)
    if count > MOST_LISTED:
        raise QuestionError(
            f"the orders of {count} options are too many to list",
            help=f"list at most {MOST_LISTED} options",
        )
    found: dict[Form, Value] = {}
    for order in permutations(range(count)):
        gaps = [scores[one] - scores[other] for one, other in pairwise(order)]
        form = question.named(order)
        found[form] = right_of(chance(gaps)) + found.get(form, Fraction(0))
    return found


def centered_noise(count: int, rate: Ball, bits: BitSource) -> list[int]:
    """Draw noise on the differences of counts: whole numbers whose lower median is 0.

    Parameters
    ----------
    count : int
        How many numbers, at least 2.
    rate : callable
        Encloses eta, above 0.
    bits : BitSource
        Where random bits come from.

    Notes
    -----
    With h = floor((k - 1)/2), p numbers below 0 and q above it, p <= h and q <= k - 1 - h. Such a pair has
    the weight k!/(p! m! q!) y^(p + q), with m = k - p - q and y = x/(1 - x). First n = p + q is drawn, from
    real weights; then p among whole ones, then the places, and sizes from 1 on.
    """
    below_most = (count - 1) // 2
    totals = _split_counts(count)

    def masses() -> list[flint.arb]:
        ratio = (-rate()).exp()
        power, odds, found = flint.arb(1), ratio / (1 - ratio), []
        for total in totals:
            found.append(power * total)
            power *= odds
        sums = list(accumulate(found))
        return [each / sums[-1] for each in sums[:-1]]

    moved = first_exceeding(masses, bits)
    least = max(0, moved - (count - 1 - below_most))
    weights = [comb(moved, below) for below in range(least, min(below_most, moved) + 1)]
    drawn = uniform_below(sum(weights), bits)
    below = least + sum(bool(drawn >= reached) for reached in accumulate(weights))
    noise = [0] * count
    for number, place in enumerate(shuffled(count, bits)[:moved]):
        size = geometric_size(rate, bits)
        noise[place] = -size if number < below else size
    return noise


@lru_cache(maxsize=16)
def _split_counts(count: int) -> tuple[int, ...]:
    """Return in how many ways n of the numbers are not 0, by n: at which places, and which of them below."""
    below_most = (count - 1) // 2
    above_most = count - 1 - below_most
    ways, signs = [], 1
    for moved in range(count):
        ways.append(comb(count, moved) * signs)
        # One number more is below or above, where there is room for it: Pascal's rule, summed.
        signs = 2 * signs - comb(moved, below_most) - comb(moved, above_most)
    return tuple(ways)


def ranking_gaps(question: Ranking, rows: int, case: Case) -> list[int | None]:
    """Return the differences between options that follow each other, in one case; None if infinite."""
    count, named = len(question.options), question.length
    between = count - 1
    last = min(named, between)
    if case == "one-close":
        gaps: list[int | None] = [None] * between
        gaps[last - 1] = rows
        return gaps
    if question.as_set:
        return [rows if at == named - 1 else 0 for at in range(between)]
    return [rows if at < last else 0 for at in range(between)]


def right_of(chance: Chance) -> EnclosedNumber:
    """Return a probability that is known up to an error.

    Its ends lie on a grid far above the rounding of floats, so that what is shown of it is the same on all
    processors.
    """
    right, error = Fraction(chance.right), Fraction(chance.error)
    low = math.floor((right - error) * _GRID) / _GRID
    high = math.ceil((right + error) * _GRID) / _GRID
    return EnclosedNumber(lambda: flint.arb(max(low, 0.0)).union(flint.arb(min(high, 1.0))))


def wrong_of(chance: Chance) -> EnclosedNumber:
    """Return the probability of the opposite."""
    return EnclosedNumber(lambda: 1 - right_of(chance).evaluate())
