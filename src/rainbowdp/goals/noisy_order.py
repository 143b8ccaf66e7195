# SPDX-License-Identifier: Apache-2.0
"""Noise on counts or scores, and then a sort: `NoisyOrder` for epsilon, `NormalOrder` for mu.

An order depends on differences alone, so noise that moves all counts together is wasted. The noise of
`NoisyOrder` is a whole vector z with probability proportional to e^(-eta sum |z_j|), among the vectors whose
lower median is 0: one such vector stands for each way in which differences can change, and the exponent is
the distance on differences. So one record more or less changes no probability by more than e^eta, and a
changed record by e^(2 eta).

Independent normal noise is judged by how far one person moves the counts after their mean is taken away. A
row that joins moves them by sqrt(1 - 1/k), a row that changes by sqrt(2). Scores of sensitivity D that only
rise move by at most D sqrt(f), with f = floor(k/2) ceil(k/2)/k; others by twice that.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise, permutations
from math import comb
from typing import Any

import flint

from rainbowdp.errors import QuestionError
from rainbowdp.exact import exponent_ball, normal_cdf, rational_ball, round_ball
from rainbowdp.exact.enclosure import EnclosedNumber, Value
from rainbowdp.goals.mechanism import Case, EpsilonMechanism, Gap, MuMechanism, OptionsMechanism, noise_cost
from rainbowdp.goals.order_chances import (
    MOST_OPTIONS,
    Chance,
    least_eta,
    normal_order_chance,
    order_chance,
)
from rainbowdp.ledger import Cost
from rainbowdp.questions import Neighbors, Ranking, Summary
from rainbowdp.questions.selection import MOST_LISTED, Form
from rainbowdp.sampling import BitSource
from rainbowdp.sampling.bits import (
    Ball,
    first_exceeding,
    geometric_size,
    normal_order,
    shuffled,
    uniform_below,
)

_GRID = 2**36


@dataclass(frozen=True)
class NoisyOrder(EpsilonMechanism, OptionsMechanism):
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
    >>> from rainbowdp.goals import Asked
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import OptionCounts, ranking
    >>> order = NoisyOrder(Asked(ranking("party", ["red", "blue", "green"]), PureDP(1)))
    >>> chances = order.at(OptionCounts((10, 8, 7))).chances()
    >>> round(round_ball(chances["red", "blue", "green"].evaluate, "nearest"), 3)
    0.651
    """

    name = "noisy order"
    theorem = "theorem 5: noise on differences, with probabilities that fall with the distance on differences"

    @property
    def options(self) -> Ranking:
        """The question."""
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

    @property
    def _eta(self) -> float:
        return 0.0 if self.is_uniform else round_ball(self.rate, "nearest")

    def place_of(self, summary: Summary) -> tuple[int, ...]:
        """Return the counts."""
        return self.options.scores_of(summary)

    def draw(self, place: Sequence[int], bits: BitSource) -> Form:
        """Draw an order exactly; equal noisy counts stand in random order."""
        order = shuffled(len(place), bits)
        if not self.is_uniform:
            noise = centered_noise(len(place), self.rate, bits)
            order.sort(key=lambda at: -place[at] - noise[at])
        return self.options.named(order)

    def chances(self, place: Sequence[int]) -> Mapping[Form, Value]:
        """Return the probability of each answer, for up to five options."""
        eta = self._eta
        return listed_chances(self.options, place, lambda gaps: order_chance(gaps, eta))

    def wrong(self, lead: int, case: Case, *, centered: bool = True) -> Value | None:
        """Return the probability of a wrong order where options that follow each other are a lead apart.

        ``one-close``: two options are, and all others infinitely far from each other. ``all-close``: all
        are; of a ranking that names the first options, those that are not named have equal counts. Not
        centered, the noise is independent noise on every count. None where too many options are close, or
        the noise has too many levels.
        """
        question, eta = self.options, self._eta
        gaps = ranking_gaps(question, self.asked.max_rows * lead, case)
        close = 2 if case == "one-close" else self.count
        if close > MOST_OPTIONS or 0 < eta < least_eta(close):
            return None
        return 1 - right_of(
            order_chance(gaps, eta, question.length, as_set=question.as_set, centered=centered)
        )


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


@dataclass(frozen=True)
class NormalOrder(MuMechanism, OptionsMechanism):
    """The mechanism of `winner`, `scores` and `ranking` under Gaussian privacy.

    Parameters
    ----------
    asked : Asked
        A question about options, and how privately it is answered.

    References
    ----------
    Dong, Roth and Su 2022, theorem 1; docs/theory/center.md, theorem 6.

    Examples
    --------
    >>> from rainbowdp.goals import Asked
    >>> from rainbowdp.privacy import GaussianDP
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> noise = NormalOrder(Asked(winner("party", ["red", "blue", "green"]), GaussianDP(1)))
    >>> round(round_ball(noise.at(OptionCounts((3, 5, 4))).chances()["blue"].evaluate, "nearest"), 4)
    0.7897
    """

    name = "normal noise"
    theorem = "theorem 6: normal noise, whose deviation is the longest change by one person divided by mu"

    @property
    def change_squared(self) -> Fraction:
        """The square of the longest change of differences that one person makes."""
        scores, rows, count = self.asked.scores, self.asked.max_rows, self.count
        if scores is not None:
            split = Fraction((count // 2) * (count - count // 2), count)
            return scores.sensitivity**2 * split * (1 if scores.monotone else 4)
        return rows**2 * (Fraction(2) if self.asked.changed else 1 - Fraction(1, count))

    @property
    def is_uniform(self) -> bool:
        """Whether mu is 0, so that all orders are equally likely."""
        return self.charged.mu == 0

    def deviation(self) -> flint.arb:
        """Return a ball around the standard deviation of the noise, at the precision in force."""
        return rational_ball(self.change_squared).sqrt() / exponent_ball(self.charged.mu)

    def place_of(self, summary: Summary) -> tuple[Gap, ...]:
        """Return the counts or scores."""
        return self.options.scores_of(summary)

    def draw(self, place: Sequence[Gap], bits: BitSource) -> Form:
        """Draw an answer exactly: noise is refined until it decides."""
        if self.is_uniform:
            return self.options.named(shuffled(len(place), bits))
        return self.options.named(normal_order(place, self.deviation, bits))

    def chances(self, place: Sequence[Gap]) -> Mapping[Form, Value]:
        """Return the probability of each answer; of rankings for up to five options."""
        question, spread = self.options, self._spread
        if isinstance(question, Ranking) and question.length > 1:
            return listed_chances(
                question,
                place,
                lambda gaps: normal_order_chance([*map(float, gaps)], spread, len(place), as_set=False),
            )
        return {self.first(at): self._first_chance(place, at) for at in range(len(place))}

    def _first_chance(self, place: Sequence[Gap], at: int) -> Value:
        if self.is_uniform:
            return Fraction(1, len(place))
        gaps = Counter(place[at] - score for other, score in enumerate(place) if other != at)
        return EnclosedNumber(lambda: self.first_ball(gaps))

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together."""
        # Where a person changes, some counts of one group can fall and all others rise: twice as far.
        factor = Fraction(2 * self.count, self.count - 1) if self.asked.scores is None else Fraction(4)
        return noise_cost(self.charged, groups, neighbors, factor)

    def wrong(self, lead: int, case: Case) -> Value | None:
        """Return the probability of a wrong answer at a lead; see `Flip.wrong` and `NoisyOrder.wrong`."""
        question, gap = self.asked.question, self.lead_rows(lead)
        if isinstance(question, Ranking) and question.length > 1:
            return self._wrong_order(question, int(gap), case)
        rivals = 1 if case == "one-close" else self.count - 1
        if self.is_uniform:
            return Fraction(self.count - 1, self.count)
        if rivals == 1:
            return EnclosedNumber(lambda: normal_cdf(-self._scaled(gap) / flint.arb(2).sqrt()))
        return EnclosedNumber(lambda: 1 - self.first_ball(Counter({gap: rivals})))

    def _wrong_order(self, question: Ranking, rows: int, case: Case) -> Value | None:
        gaps = ranking_gaps(question, rows, case)
        if case == "all-close" and self.count > MOST_OPTIONS:
            return None
        return 1 - right_of(normal_order_chance(gaps, self._spread, question.length, as_set=question.as_set))

    @property
    def _spread(self) -> float:
        return math.inf if self.is_uniform else round_ball(self.deviation, "nearest")

    def _scaled(self, gap: Gap) -> flint.arb:
        return rational_ball(Fraction(gap)) / self.deviation()

    def first_ball(self, gaps: Counter[Gap]) -> flint.arb:
        """Return a ball around the probability that an option comes before others that lack so much to it."""
        bits = flint.ctx.prec
        # Beyond this the normal density has less than 2^-bits of its mass.
        end = flint.arb(math.isqrt(2 * bits) + 2)
        shifts = [(self._scaled(gap), count) for gap, count in gaps.items() if count]

        def density(x: flint.acb, _: bool) -> flint.acb:
            found = (-x * x / 2).exp()
            for shift, count in shifts:
                found *= ((-(x + shift) / flint.arb(2).sqrt()).erfc() / 2) ** count
            return found

        inside = flint.acb.integral(density, -end, end).real / (2 * flint.arb.pi()).sqrt()
        tail = normal_cdf(-end)
        return inside + tail + flint.arb(0, 1) * tail
