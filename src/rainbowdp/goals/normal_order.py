# SPDX-License-Identifier: Apache-2.0
"""Normal noise on the counts, then the greatest or the order, under Gaussian privacy.

Only differences matter, so what counts is how far one person moves the counts after their mean is taken
away. A row that joins moves them by sqrt(1 - 1/k), a row that changes by sqrt(2). Scores of sensitivity D
that only rise move by at most D sqrt(f), with f = floor(k/2) ceil(k/2)/k; others by twice that.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import flint

from rainbowdp.baselines import EnclosedNumber, Value
from rainbowdp.exact import exponent_ball, normal_cdf, rational_ball, round_ball
from rainbowdp.goals.flip import Gap, lead_rows, options_question
from rainbowdp.goals.mechanism import Asked, Case, noise_cost, require_lead
from rainbowdp.goals.noisy_order import listed_chances, ranking_gaps, wrong_of
from rainbowdp.goals.order_chances import MOST_OPTIONS, normal_order_chance
from rainbowdp.ledger import Cost
from rainbowdp.privacy import GaussianDP
from rainbowdp.questions import Neighbors, Ranking, Scores, Summary
from rainbowdp.questions.readings import Private
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import BitSource
from rainbowdp.sampling.bits import SystemBits
from rainbowdp.sampling.reals import normal_order, shuffled


@dataclass(frozen=True)
class NormalOrder:
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
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> noise = NormalOrder(Asked(winner("party", ["red", "blue", "green"]), GaussianDP(1)))
    >>> round(round_ball(noise.at(OptionCounts((3, 5, 4))).chances()["blue"].evaluate, "nearest"), 4)
    0.7897
    """

    asked: Asked

    name: ClassVar[str] = "normal noise"
    notes: ClassVar[tuple[str, ...]] = ()

    @property
    def charged(self) -> GaussianDP:
        """What was asked for."""
        return self.asked.gaussian

    @property
    def theorem(self) -> str:
        """Why it is private."""
        return "theorem 6: normal noise, whose deviation is the longest change by one person divided by mu"

    @property
    def count(self) -> int:
        """How many options there are."""
        return len(options_question(self.asked).options)

    @property
    def change_squared(self) -> Fraction:
        """The square of the longest change of differences that one person makes."""
        question, rows, count = self.asked.question, self.asked.max_rows, self.count
        if isinstance(question, Scores):
            split = Fraction((count // 2) * (count - count // 2), count)
            return question.sensitivity**2 * split * (1 if question.monotone else 4)
        return rows**2 * (Fraction(2) if self.asked.changed else 1 - Fraction(1, count))

    @property
    def is_uniform(self) -> bool:
        """Whether mu is 0, so that all orders are equally likely."""
        return self.charged.mu == 0

    def deviation(self) -> flint.arb:
        """Return a ball around the standard deviation of the noise, at the precision in force."""
        return rational_ball(self.change_squared).sqrt() / exponent_ball(self.charged.mu)

    def at(self, summary: Summary) -> "LocatedNoise":
        """Return the mechanism at a table."""
        return LocatedNoise(self, options_question(self.asked).scores_of(summary))

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer that can come out."""
        return options_question(self.asked).accepts(answer)

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together."""
        return noise_cost(self.charged, groups, neighbors, Fraction(2 * self.count, self.count - 1))

    def wrong(self, lead: int, case: Case) -> Value | None:
        """Return the probability of a wrong answer at a lead; see `Flip.wrong` and `NoisyOrder.wrong`."""
        question, gap = self.asked.question, lead_rows(self.asked, require_lead(lead))
        if isinstance(question, Ranking) and question.length > 1:
            return self._wrong_order(question, int(gap), case)
        rivals = 1 if case == "one-close" else self.count - 1
        if self.is_uniform:
            return Fraction(self.count - 1, self.count)
        if rivals == 1:
            return EnclosedNumber(lambda: normal_cdf(-self._scaled(gap) / flint.arb(2).sqrt()))
        return EnclosedNumber(lambda: 1 - self.first(Counter({gap: rivals})))

    def _wrong_order(self, question: Ranking, rows: int, case: Case) -> Value | None:
        gaps = ranking_gaps(question, rows, case)
        if case == "all-close" and self.count > MOST_OPTIONS:
            return None
        spread = math.inf if self.is_uniform else round_ball(self.deviation, "nearest")
        return wrong_of(normal_order_chance(gaps, spread, question.length, as_set=question.as_set))

    def _scaled(self, gap: Gap) -> flint.arb:
        return rational_ball(Fraction(gap)) / self.deviation()

    def first(self, gaps: Counter[Gap]) -> flint.arb:
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

    def pairs(self) -> None:
        """Return None: what neighbors can have is too long a list."""
        return


@dataclass(frozen=True, repr=False)
class LocatedNoise(Private):
    """Normal noise at one table."""

    mechanism: NormalOrder
    scores: tuple[Gap, ...]

    def draw(self, bits: BitSource | None = None) -> Form:
        """Draw an answer exactly: noise is refined until it decides."""
        source = SystemBits() if bits is None else bits
        if self.mechanism.is_uniform:
            order = shuffled(len(self.scores), source)
        else:
            order = normal_order(self.scores, self.mechanism.deviation, source)
        return options_question(self.mechanism.asked).named(order)

    def chances(self) -> Mapping[Form, Value]:
        """Return the probability of each answer; of rankings for up to five options."""
        question, places = options_question(self.mechanism.asked), range(len(self.scores))
        if isinstance(question, Ranking) and question.length > 1:
            return self._order_chances(question)
        found: dict[Form, Value] = {}
        for at in places:
            rest = [other for other in places if other != at]
            found[question.named([at, *rest])] = self._first(at, rest)
        return found

    def _first(self, at: int, rest: list[int]) -> Value:
        if self.mechanism.is_uniform:
            return Fraction(1, len(self.scores))
        gaps = Counter(self.scores[at] - self.scores[other] for other in rest)
        return EnclosedNumber(lambda: self.mechanism.first(gaps))

    def _order_chances(self, question: Ranking) -> Mapping[Form, Value]:
        spread = math.inf if self.mechanism.is_uniform else round_ball(self.mechanism.deviation, "nearest")
        return listed_chances(
            question,
            self.scores,
            lambda gaps: normal_order_chance([*map(float, gaps)], spread, len(self.scores), as_set=False),
        )
