# SPDX-License-Identifier: Apache-2.0
"""The mechanisms that name one option: flip, and the line by lead.

**Flip**: try the options in random order, and take the first one that its own coin accepts.
An option whose score is g below the greatest is accepted with probability q(g), where q(0) is 1. The
probability of option j is q(g_j) times the integral over s from 0 to 1 of the product over all other options
i of 1 - q(g_i) s. Where one row joins or leaves, this is permute-and-flip on counts, whose scores move one
at a time and so need no halved epsilon. Where one row changes, every second gap gives more than that: 2
t^-m/(1 + t) at the gap 2m + 1.

**The line by lead**: a chance for the option that is ahead that depends on its lead alone.
Let W be the most by which one person moves the lead, and m W + r the lead, with 0 <= r < W. The option ahead
has its mass propagated m steps, from 1/k where r = 0 and from randomized response where r > 0; all others
share the rest. At the lead 0 every option has 1/k, whichever of them are tied. For two options this is the
paper's optimum with 1/2 at the tie. Where rows join or leave, no mechanism promises more at any lead.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import flint

from rainbowdp.baselines import flip_wrong, refused_ball, taken_first, taken_first_ball
from rainbowdp.boundary.ready_made import response
from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, exponent_ball, rational_ball
from rainbowdp.exact.enclosure import Base, EnclosedNumber, Value, odds_root, told
from rainbowdp.goals.mechanism import Case, EpsilonMechanism, Gap, LineMechanism, LinePairs, OptionsMechanism
from rainbowdp.line.steps import DEEP, Pair
from rainbowdp.questions import Scores, Summary
from rainbowdp.questions.selection import Form
from rainbowdp.rainbow import Rainbow
from rainbowdp.sampling import BitSource, sample_distribution
from rainbowdp.sampling.bits import is_below, shuffled

_MOST_EXACT = 12
"""Up to so many options all chances are rational functions of the odds; beyond, they are enclosed."""
_FAR = 4096


@dataclass(frozen=True)
class Flip(EpsilonMechanism, OptionsMechanism):
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
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> asked = Asked(winner("party", ["red", "blue", "green"]), PureDP("ln 2"))
    >>> Flip(asked).at(OptionCounts((3, 5, 4))).chances()
    {'red': Fraction(5, 48), 'blue': Fraction(2, 3), 'green': Fraction(11, 48)}
    >>> Flip(Asked(asked.question, asked.privacy, "change-one")).at(OptionCounts((3, 5, 4))).chances()
    {'red': Fraction(7, 36), 'blue': Fraction(19, 36), 'green': Fraction(5, 18)}
    """

    name = "flip"

    @property
    def theorem(self) -> str:
        """Why it is private."""
        if self.asked.scores is not None:
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
        gaps = Counter(place)
        found: Mapping[Gap, Value]
        if len(place) <= _MOST_EXACT:
            found = {gap: told(chance) for gap, chance in taken_first(self.weights(gaps), gaps).items()}
        else:
            found = {gap: EnclosedNumber(partial(self._chance_ball, gap, gaps)) for gap in gaps}
        return {self.first(at): found[gap] for at, gap in enumerate(place)}

    def _chance_ball(self, gap: Gap, gaps: Counter[Gap]) -> flint.arb:
        """Return a ball around the chance of one option with this gap."""
        refused = (
            refused_ball(self.weight_ball(each), count - (each == gap)) for each, count in gaps.items()
        )
        return taken_first_ball(self.weight_ball(gap), refused)

    def wrong(self, lead: int, case: Case) -> Value:
        """Return the probability of a wrong answer where one rival, or each, lacks so many people's rows."""
        # Without epsilon an option that is infinitely far behind is accepted like any other.
        alone = case == "one-close" and self.charged.epsilon != 0
        gap = self.lead_rows(lead)
        return flip_wrong(self.weights([gap])[gap], 1 if alone else self.count - 1)

    def _power(self, gap: Gap) -> tuple[Fraction, bool]:
        """Return the n of q = e^(-epsilon n), and whether q is 2/(1 + t) times that."""
        scores, rows = self.asked.scores, self.asked.max_rows
        if scores is not None:
            return Fraction(gap) / (scores.sensitivity * (1 if scores.monotone else 2)), False
        if not self.asked.changed:
            return Fraction(gap, rows), False
        pairs, odd = divmod(int(gap), 2)
        return Fraction(pairs, rows), bool(odd)

    def weights(self, gaps: Iterable[Gap]) -> dict[Gap, Base]:
        """Return the exact probability to accept an option, by its gap; all in one root of the odds."""
        return self.weights_and_odds(gaps)[0]

    def weights_and_odds(self, gaps: Iterable[Gap]) -> tuple[dict[Gap, Base], Base]:
        """Return these probabilities, and e^epsilon in the same root, so that equal numbers show it."""
        powers = {gap: self._power(gap) for gap in gaps}
        parts = math.lcm(self.asked.max_rows, *(power.denominator for power, _ in powers.values()))
        root = odds_root(self.charged.epsilon, parts)
        odd_one = 2 / (1 + root ** (parts // self.asked.max_rows))
        exact: dict[Gap, Base] = {}
        for gap, (power, odd) in powers.items():
            weight = 1 / root ** int(power * parts)
            exact[gap] = weight * odd_one if odd else weight
        return exact, root**parts

    def weight_ball(self, gap: Gap) -> flint.arb:
        """Return a ball around the same probability, at the precision in force."""
        power, odd = self._power(gap)
        epsilon = exponent_ball(self.charged.epsilon)
        weight = (-epsilon * rational_ball(power)).exp()
        return weight * 2 / (1 + (epsilon / self.asked.max_rows).exp()) if odd else weight


@dataclass(frozen=True)
class LeadLine(LineMechanism, OptionsMechanism):
    """The mechanism of `winner` and `scores` for two options, and for more under the goal guarantee.

    Parameters
    ----------
    asked : Asked
        A question whose answer names one option, and how privately it is answered.

    References
    ----------
    docs/theory/center.md, theorem 1; Zhou et al. 2022, Corollary 2, for two options.

    Examples
    --------
    >>> from rainbowdp.goals import Asked
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import OptionCounts, winner
    >>> line = LeadLine(Asked(winner("party", ["red", "blue", "green"]), PureDP("ln 2")))
    >>> line.at(OptionCounts((3, 5, 4))).chances()
    {'red': Fraction(1, 6), 'blue': Fraction(2, 3), 'green': Fraction(1, 6)}
    >>> line.at(OptionCounts((5, 5, 0))).chances()["green"]
    Fraction(1, 3)
    """

    theorem = (
        "theorem 1: one person moves the lead by one step of the line, and the winner only through a tie"
    )

    @property
    def step(self) -> Gap:
        """The most by which one person moves the lead."""
        scores = self.asked.scores
        if scores is not None:
            return scores.sensitivity * (1 if scores.monotone else 2)
        return self.asked.max_rows * (2 if self.asked.changed else 1)

    def place_of(self, summary: Summary) -> tuple[int, Exact]:
        """Return which option is ahead, and its probability."""
        scores = [Fraction(score) for score in self.options.scores_of(summary)]
        second, best = sorted(scores)[-2:]
        return scores.index(best), self.mass(best - second)

    def draw(self, place: tuple[int, Exact], bits: BitSource) -> Form:
        """Draw an option exactly."""
        (drawn,) = sample_distribution(self._numbered(*place), bits=bits)
        return self.first(int(drawn))

    def chances(self, place: tuple[int, Exact]) -> Mapping[Form, Value]:
        """Return the probability of each option."""
        return {self.first(int(at)): told(mass) for at, mass in self._numbered(*place).items()}

    def _numbered(self, ahead: int, mass: Exact) -> Distribution:
        """Return the probability of each option, by its number written with six digits."""
        other = (1 - mass) / (self.count - 1)
        return Distribution.trusted({f"{at:06}": mass if at == ahead else other for at in range(self.count)})

    def wrong(self, lead: int, case: Case) -> Value:  # noqa: ARG002 - other options do not matter
        """Return the probability of a wrong answer where the option ahead leads by so many people's rows."""
        return 1 - self.mass(self.lead_rows(lead))

    def mass(self, lead: Gap) -> Exact:
        """Return the probability of the option that is ahead by a lead; 1/k where none is."""
        steps, rest = divmod(Fraction(lead), Fraction(self.step))
        return self.charged.propagate(self._begins[rest > 0], int(steps), symbolic=steps > _FAR)

    @cached_property
    def _begins(self) -> tuple[Exact, ...]:
        """The masses 0 steps away: at a tie of all options and, where leads have rests, of the response."""
        even, names = Fraction(1, self.count), [str(at) for at in range(self.count)]
        if self.step == 1 and not isinstance(self.asked.question, Scores):
            return (even,)
        return even, response(Rainbow([(names[0],), tuple(names[1:])]), self.charged)[names[0]]

    def line_pairs(self) -> LinePairs:
        """Return what neighbors can have."""
        meeting = [partial(self._exchanged, begin) for begin in self._begins[1:]]
        lines = [(self._begins, self._pairs_from)]
        each = 4 if meeting else 1
        return LinePairs(self.charged, min(self.count, 3), lines, meeting, each, share=4)

    def _pairs_from(self, distance: int) -> Iterator[Pair]:
        tie, *between = self._begins
        yield self._pair(tie, distance, tie, distance + 1)
        for begin in between:
            yield self._pair(tie, distance, begin, distance)
            yield self._pair(begin, distance, tie, distance + 1)
            yield self._pair(begin, distance, begin, distance + 1)

    def _exchanged(self, begin: Exact) -> Pair:
        first = self._options(begin)
        return Distribution.trusted(first), Distribution.trusted({**first, "0": first["1"], "1": first["0"]})

    def _pair(self, first: Exact, near: int, second: Exact, far: int) -> Pair:
        places = ((first, near), (second, far))
        masses = (self.charged.propagate(mass, at, symbolic=far > DEEP) for mass, at in places)
        one, other = (Distribution.trusted(self._options(mass)) for mass in masses)
        return one, other

    def _options(self, mass: Exact) -> dict[str, Exact]:
        """Return the option ahead and up to two others: more would be as these in every pair."""
        others = self.count - 1
        shown: dict[str, Exact] = {"0": mass, "1": (1 - mass) / others}
        if others > 1:
            shown["2"] = (1 - mass) / others * (others - 1)
        return shown
