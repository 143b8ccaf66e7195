# SPDX-License-Identifier: Apache-2.0
"""The noisy level: a count with two-sided geometric noise, and the level in which that lies.

One person moves a count by at most M, whether rows join, leave or change, so noise with the ratio
e^(-epsilon/M) makes every set of noisy counts private, and every level is one. `NormalLevel` is the same
under Gaussian privacy. Where an inner level is narrow, noise leaves it more often than the line does; then
`level_mechanism` takes the line for the whole question, by the edges alone.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import flint

from rainbowdp.baselines import geometric_tail
from rainbowdp.exact import NormalExpression, ball, exponent_ball, shown_sign
from rainbowdp.exact.enclosure import Value, odds_root, told
from rainbowdp.goals.mechanism import (
    Asked,
    Case,
    EpsilonMechanism,
    MuMechanism,
    QuestionMechanism,
    noise_cost,
)
from rainbowdp.goals.question_line import QuestionLine, first_mass, inner_levels_at
from rainbowdp.ledger import Cost
from rainbowdp.privacy import GaussianDP
from rainbowdp.questions import Level, Neighbors, Summary
from rainbowdp.questions.measures import matches_of
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import BitSource
from rainbowdp.sampling.bits import normal_place, two_sided_geometric

_HALF = Fraction(1, 2)


def ends_near(asked: Asked, place: int, case: Case) -> list[int]:
    """Return how far the ends of a level are from a count in it, for the level that matters in a case.

    Parameters
    ----------
    asked : Asked
        Levels of a count.
    place : int
        How many rows the count lies inside its level, from 0 at the nearer end on.
    case : Case
        ``one-close`` is about the lowest and the highest level, which have one end. All others are about the
        narrowest inner level with such counts, or about these two where there is none.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import level
    >>> asked = Asked(level("smoker", equals="yes", edges=[10, 13, 30]), PureDP(1))
    >>> [ends_near(asked, place, "all-close") for place in (0, 1, 2, 8, 9)]
    [[0, 2], [1, 1], [2, 14], [8, 8], [9]]
    """
    inner = [] if case == "one-close" else inner_levels_at(_levels(asked), place)
    return [place, *(width - 1 - place for width in sorted(width for _, width in inner)[:1])]


def _levels(asked: Asked) -> Level:
    question = asked.question
    assert isinstance(question, Level)  # noqa: S101 - chosen for no other question
    return question


class _LevelNoise(QuestionMechanism):
    """Noise on a count; one person moves it by at most M."""

    def place_of(self, summary: Summary) -> int:
        """Return the count."""
        return matches_of(summary).matching

    def draw(self, place: int, bits: BitSource) -> Form:
        """Draw a level exactly."""
        return self.asked.question.answers[self.level_of(place, bits)]

    @abstractmethod
    def level_of(self, count: int, bits: BitSource) -> int:
        """Draw a level for a count, by its number."""

    def chances(self, place: int) -> Mapping[Form, Value]:
        """Return the probability of each level."""
        edges = [self.reached(int(edge) - place) for edge in _levels(self.asked).edges]
        steps = pairwise([Fraction(1), *edges, Fraction(0)])
        masses = (told(low - high) for low, high in steps)
        return dict(zip(self.asked.question.answers, masses, strict=True))

    @abstractmethod
    def reached(self, least: int) -> Value:
        """Return the probability that the noise is at least so many rows."""

    def wrong(self, lead: int, case: Case) -> Value:
        """Return the probability of another level where so many people have to change before the level does.

        ``one-close``: in the lowest and the highest level. ``all-close``: in the level in which it is
        greatest at this lead, which is the narrowest inner one that has a count so far inside.
        """
        return self.wrong_beyond(ends_near(self.asked, (lead - 1) * self.asked.max_rows, case))

    def wrong_beyond(self, ends: Sequence[int]) -> Value:
        """Return the probability of another level for a count so many rows, from 0 on, inside its ends."""
        return told(sum((self.reached(end + 1) for end in ends), Fraction(0)))


@dataclass(frozen=True)
class NoisyLevel(EpsilonMechanism, _LevelNoise):
    """The mechanism of three levels of a count and more, under pure and approximate privacy.

    Delta is not used.

    Parameters
    ----------
    asked : Asked
        Levels of a count, and how privately they are answered.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan 2009 (geometric noise); docs/theory/center.md, theorem 4.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import MatchCount, level
    >>> question = level("smoker", equals="yes", edges=[10, 13], labels=["low", "medium", "high"])
    >>> NoisyLevel(Asked(question, PureDP("ln 2"))).at(MatchCount(12, 40)).chances()
    {'low': Fraction(1, 12), 'medium': Fraction(7, 12), 'high': Fraction(1, 3)}
    """

    name = "noisy level"
    theorem = "theorem 4: geometric noise on a count that one person moves by at most the rows of one person"

    def rate(self) -> flint.arb:
        """Return a ball around epsilon/M, at the precision in force."""
        return exponent_ball(self.charged.epsilon) / self.asked.max_rows

    def reached(self, least: int) -> Value:
        """Return the probability that the noise is at least so many rows."""
        return geometric_tail(least, odds_root(self.charged.epsilon, self.asked.max_rows))

    def level_of(self, count: int, bits: BitSource) -> int:
        """Draw a level for a count, by its number."""
        noisy = count + two_sided_geometric(self.rate, bits)
        return sum(edge <= noisy for edge in _levels(self.asked).edges)


@dataclass(frozen=True)
class NormalLevel(MuMechanism, _LevelNoise):
    """The mechanism of three levels of a count and more under Gaussian privacy.

    The count has normal noise of the deviation M/mu, and every edge is lowered by 1/2, to lie between two
    counts.

    Parameters
    ----------
    asked : Asked
        Levels of a count, and how privately they are answered.

    References
    ----------
    Dong, Roth and Su 2022, theorem 1; docs/theory/center.md, theorem 6.

    Examples
    --------
    >>> from rainbowdp.questions import MatchCount, level
    >>> question = level("smoker", equals="yes", edges=[10, 20], labels=["low", "medium", "high"])
    >>> chances = NormalLevel(Asked(question, GaussianDP(1))).at(MatchCount(10, 40)).chances()
    >>> Fraction(691, 1000) < chances["medium"] < Fraction(692, 1000)
    True
    """

    name = "normal noise"
    theorem = "theorem 6: normal noise on a count, of a deviation of the rows of one person divided by mu"

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together."""
        return noise_cost(self.charged, groups, neighbors, Fraction(2))

    def reached(self, least: int) -> NormalExpression:
        """Return the probability that the noise is at least so many rows, where edges are lowered by 1/2."""
        return NormalExpression.shifted(_HALF, (_HALF - least) / self.asked.max_rows, self.charged.mu)

    def level_of(self, count: int, bits: BitSource) -> int:
        """Draw a level for a count, by its number."""
        edges = [edge - _HALF for edge in _levels(self.asked).edges]
        return normal_place(count, edges, lambda: self.asked.max_rows / exponent_ball(self.charged.mu), bits)


def level_mechanism(asked: Asked) -> QuestionMechanism:
    """Return the noisy level, or the line where an inner level is narrow.

    An inner level is narrow where the line is right more often, in the mean of its edge and its middle. The
    edges alone decide. The middle alone does not tell narrow from wide: below an epsilon of ln 2 the line
    is ahead there, by ever less, in levels of every width.
    """
    line = QuestionLine(asked)
    privacy = asked.privacy
    if (privacy.mu if isinstance(privacy, GaussianDP) else privacy.epsilon) == 0:
        return line
    noisy = NormalLevel(asked) if isinstance(privacy, GaussianDP) else NoisyLevel(asked)
    return line if any(_is_narrow(noisy, line, *inner) for inner in _inner_levels(line)) else noisy


def _inner_levels(line: QuestionLine) -> list[tuple[int, int]]:
    """Return one level for each width and each line: its width, and its number."""
    edges = _levels(line.asked).edges
    alike = {at: number for number, (_, places) in enumerate(line.lines.different) for at in places}
    found: dict[tuple[int, int], int] = {}
    for at, (low, high) in enumerate(pairwise(edges), start=1):
        found.setdefault((int(high - low), alike[at]), at)
    return [(width, at) for (width, _), at in found.items()]


def _is_narrow(noisy: NoisyLevel | NormalLevel, line: QuestionLine, width: int, at: int) -> bool:
    own = line.line(line.asked.question.answers[at])
    places = (0, (width - 1) // 2)
    by_noise = [noisy.wrong_beyond([place, width - 1 - place]) for place in places]
    by_line = [1 - first_mass(own, place // line.asked.max_rows) for place in places]
    # A mean of unlike kinds of numbers has no common form, and enclosures do for all.
    return (
        shown_sign(lambda: sum(map(ball, by_noise), flint.arb()) - sum(map(ball, by_line), flint.arb())) or 0
    ) > 0
