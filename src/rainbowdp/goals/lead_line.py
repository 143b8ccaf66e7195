# SPDX-License-Identifier: Apache-2.0
"""The line by lead: a chance for the option that is ahead that depends on its lead alone.

Let W be the most by which one person moves the lead, and m W + r the lead, with 0 <= r < W. The option ahead
has its mass propagated m steps, from 1/k where r = 0 and from randomized response where r > 0; all others
share the rest. At the lead 0 every option has 1/k, whichever of them are tied. For two options this is the
paper's optimum with 1/2 at the tie. Where rows join or leave, no mechanism promises more at any lead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rainbowdp.baselines import Value
from rainbowdp.baselines.odds_power import told
from rainbowdp.boundary.ready_made import response
from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact
from rainbowdp.goals.line_pairs import DEEP, MOST_PAIRS, Pair, Pairs, spread, telling_steps, turning_steps
from rainbowdp.goals.mechanism import Case, Gap, OptionsMechanism, line_cost
from rainbowdp.ledger import Cost
from rainbowdp.line import Line
from rainbowdp.questions import Neighbors, Scores, Summary
from rainbowdp.questions.selection import Form
from rainbowdp.rainbow import Rainbow
from rainbowdp.sampling import BitSource, sample_distribution

AHEAD, OTHER = "ahead", "other"
_FAR = 4096


@dataclass(frozen=True)
class LeadLine(OptionsMechanism):
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

    name = "line"
    theorem = (
        "theorem 1: one person moves the lead by one step of the line, and the winner only through a tie"
    )

    @property
    def step(self) -> Gap:
        """The most by which one person moves the lead."""
        question = self.asked.question
        if isinstance(question, Scores):
            return question.sensitivity * (1 if question.monotone else 2)
        return self.asked.max_rows * (2 if self.asked.changed else 1)

    @property
    def _has_rests(self) -> bool:
        return self.step != 1 or isinstance(self.asked.question, Scores)

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

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together."""
        return line_cost(self.charged, groups, neighbors, self.asked.max_rows)

    def wrong(self, lead: int, case: Case) -> Value:  # noqa: ARG002 - other options do not matter
        """Return the probability of a wrong answer where the option ahead leads by so many people's rows."""
        return 1 - self.mass(self.lead_rows(lead))

    def mass(self, lead: Gap) -> Exact:
        """Return the probability of the option that is ahead by a lead; 1/k where none is."""
        steps, rest = divmod(Fraction(lead), Fraction(self.step))
        line = self._between if rest else self._from_tie
        distance = int(steps)
        return line.prefix_masses(distance, symbolic=distance > _FAR)[0]

    @cached_property
    def _from_tie(self) -> Line:
        """The line that begins at a tie of all options."""
        even = Fraction(1, self.count)
        return self._line({AHEAD: even, OTHER: 1 - even})

    @cached_property
    def _between(self) -> Line:
        """The line of the leads that are not multiples of the step; it begins at randomized response."""
        names = [str(at) for at in range(self.count)]
        truth = response(Rainbow([(names[0],), tuple(names[1:])]), self.asked.privacy)[names[0]]
        return self._line({AHEAD: truth, OTHER: 1 - truth})

    def _line(self, masses: Mapping[str, Exact]) -> Line:
        return Line(Rainbow([(AHEAD,), (OTHER,)]), Distribution.trusted(masses), self.asked.privacy)

    def pairs(self) -> Pairs | None:
        """Return what neighbors can have, but for pairs that reveal less; None where those are too many."""
        steps = telling_steps(self._lines)
        return self._listed(steps) if steps.stop - steps.start <= MOST_PAIRS else None

    def turning_pairs(self, most: int) -> Pairs:
        """Return a few pairs that decide about all of them; at most about so many of these."""
        return self._listed(spread(turning_steps(self._lines), max(2, most // 4)))

    def _listed(self, steps: Sequence[int]) -> Pairs:
        count = 4 * len(steps) + 1 if self._has_rests else len(steps)
        return Pairs(count, min(self.count, 3), lambda: self._pairs_at(steps))

    @property
    def _lines(self) -> list[Line]:
        return [self._from_tie, *([self._between] if self._has_rests else [])]

    def _pairs_at(self, distances: Iterable[int]) -> Iterator[Pair]:
        tie, between = self._from_tie, self._between
        for distance in distances:
            yield self._pair(tie, distance, tie, distance + 1)
            if self._has_rests:
                yield self._pair(tie, distance, between, distance)
                yield self._pair(between, distance, tie, distance + 1)
                yield self._pair(between, distance, between, distance + 1)
        if self._has_rests:
            first = self._options(between.prefix_masses(0)[0])
            exchanged = {**first, "0": first["1"], "1": first["0"]}
            yield Distribution.trusted(first), Distribution.trusted(exchanged)

    def _pair(self, first: Line, near: int, second: Line, far: int) -> Pair:
        places = ((first, near), (second, far))
        masses = (line.prefix_masses(at, symbolic=far > DEEP)[0] for line, at in places)
        one, other = (Distribution.trusted(self._options(mass)) for mass in masses)
        return one, other

    def _options(self, mass: Exact) -> dict[str, Exact]:
        """Return the option ahead and up to two others: more would be as these in every pair."""
        others = self.count - 1
        shown: dict[str, Exact] = {"0": mass, "1": (1 - mass) / others}
        if others > 1:
            shown["2"] = (1 - mass) / others * (others - 1)
        return shown
