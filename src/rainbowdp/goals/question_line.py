# SPDX-License-Identifier: Apache-2.0
"""The line of a question that gives every table one true answer and a distance to the nearest other one.

The distributions where regions meet are solved, or given by a rule, and each line is the closed form from
there. This serves yes-no, levels and brackets, rankings under the goal guarantee, and questions of one's
own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from math import factorial

from rainbowdp.boundary import BoundaryCondition
from rainbowdp.distribution import Distribution
from rainbowdp.errors import QuestionError
from rainbowdp.exact import Exact, format_fraction
from rainbowdp.exact.arguments import is_whole
from rainbowdp.exact.enclosure import Value, greatest, told
from rainbowdp.goals.mechanism import Case, LineMechanism, LinePairs
from rainbowdp.line import Line
from rainbowdp.line.steps import DEEP, Pair
from rainbowdp.privacy import ApproxDP
from rainbowdp.questions import (
    Level,
    Question,
    QuestionLines,
    Ranking,
    Summary,
    YesNo,
    in_table,
)
from rainbowdp.questions.kinds import answer_forms, is_known
from rainbowdp.questions.measures import CountOf
from rainbowdp.questions.regions import lines_of, touching_pairs
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import BitSource, sample_distribution

_FAR = 2048
_OFTEN = (
    "a false yes is allowed more often than every second time: a table one person short of yes is then more "
    "likely called yes than no"
)


@dataclass(frozen=True)
class QuestionLine(LineMechanism):
    """The mechanism of a question with one true answer for every table.

    Parameters
    ----------
    asked : Asked
        The question, and how privately it is answered.
    rule : str or BoundaryCondition
        The distributions where regions meet, as for `rainbowdp.questions.question_boundary`.

    Raises
    ------
    QuestionError, BoundaryMissingError, BoundaryNotPrivateError, ColorError
        As for `rainbowdp.questions.QuestionLines`; when it is made, and never because of a table.

    References
    ----------
    Zhou et al. 2022, Theorems 1 to 5; Gu et al. 2024.

    Examples
    --------
    >>> from rainbowdp.goals import Asked
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import MatchCount, yes_no
    >>> asked = Asked(yes_no("smoker", equals="yes", at_least=10), PureDP("ln 2"))
    >>> QuestionLine(asked).at(MatchCount(11, 40)).chances()
    {'no': Fraction(1, 6), 'yes': Fraction(5, 6)}
    >>> asked = Asked(yes_no("smoker", equals="yes", at_least=10, false_yes="1/8"), PureDP("ln 2"))
    >>> [QuestionLine(asked).at(MatchCount(count, 40)).chances()["yes"] for count in (8, 9, 10, 11)]
    [Fraction(1, 16), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)]
    """

    rule: str | BoundaryCondition = "default"

    theorem = (
        "Zhou et al. 2022, theorem 3: tables of one answer form a line, neighbors on a line are at most "
        "one step apart, and lines touch at distance 0 alone"
    )

    def __post_init__(self) -> None:
        # What fails here must not depend on a table, so it does not wait for one.
        self.forms, self.lines  # noqa: B018 - cached properties
        if not is_known(self.question):
            # A question that its user wrote is asked nothing once it has seen a table.
            self._touching  # noqa: B018 - a cached property

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known about the chances where regions meet."""
        chance = self._false_yes
        often = (_OFTEN,) if chance is not None and chance > Fraction(1, 2) else ()
        return (*self.lines.remarks, *often)

    @property
    def question(self) -> Question:
        """The question that is answered."""
        return self.asked.question

    @cached_property
    def in_table(self) -> Question:
        """The question as it is asked of rows that may also count for nothing."""
        return in_table(self.question)

    @cached_property
    def forms(self) -> Mapping[str, Form]:
        """In which form each answer leaves."""
        return answer_forms(self.question)

    @property
    def _false_yes(self) -> Fraction | None:
        question = self.question
        return question.false_yes if is_known(question) and isinstance(question, YesNo) else None

    @cached_property
    def lines(self) -> QuestionLines:
        """The line of every true answer; the distributions where regions meet are checked exactly."""
        asked, chance = self.asked, self._false_yes
        rule = self.rule if chance is None else self._one_sided(chance)
        return lines_of(self.in_table, asked.privacy, asked.neighbors, asked.max_rows, rule)

    def _one_sided(self, chance: Fraction) -> BoundaryCondition:
        """Return the distributions at the line for which a false yes has this chance there."""
        privacy = self.asked.privacy
        if chance == 0 and not (isinstance(privacy, ApproxDP) and privacy.delta):
            raise QuestionError(
                "a false yes cannot be ruled out without a delta: yes could then never be said",
                help="give a chance above 0, such as 0.001, or a delta",
            )
        yes = privacy.propagate(chance)
        masses = {"no": chance, "yes": yes}
        return BoundaryCondition(
            {
                self.question.rainbow(answer): Distribution.trusted({"yes": mass, "no": 1 - mass})
                for answer, mass in masses.items()
            }
        )

    def line(self, answer: str) -> Line:
        """Return the closed form for one true answer, by its distance to the nearest other one."""
        # Solved lines may be shared: what this one works out as it is used must stay here.
        line = self.lines.line(answer)
        return Line(line.rainbow, line.boundary, self.asked.privacy)

    def place_of(self, summary: Summary) -> Distribution:
        """Return the distribution of the answers."""
        found: object = self.in_table.locate(summary, self.asked.neighbors)
        answer, distance = getattr(found, "answer", None), getattr(found, "distance", None)
        if isinstance(answer, str) and answer in self.forms and is_whole(distance) and distance >= 0:
            return self._distribution(answer, int(distance) // self.asked.max_rows)
        raise QuestionError(
            "the question does not locate the table at one of its answers and a whole distance of at least "
            "0; where it does is left out, since that tells of the rows",
            help="try it with check_question",
        )

    def draw(self, place: Distribution, bits: BitSource) -> Form:
        """Draw an answer exactly."""
        (color,) = sample_distribution(place, bits=bits)
        return self.forms[color]

    def chances(self, place: Distribution) -> Mapping[Form, Value]:
        """Return the probability of each answer."""
        found: dict[Form, Value] = {}
        for color, form in self.forms.items():
            found[form] = found.get(form, Fraction(0)) + place[color]
        return {form: told(chance) for form, chance in found.items()}

    def _distribution(self, answer: str, distance: int) -> Distribution:
        if not self.lines.all_alike:
            return self.line(answer).distribution(distance, symbolic=True)
        # The chances of the first answer, with its name and that of the true one exchanged.
        first, second, *_ = self.forms
        found = self.line(first).distribution(distance, symbolic=True)
        right, wrong = found[first], found[second]
        return Distribution.trusted({each: right if each == answer else wrong for each in self.forms})

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer that can come out."""
        return answer in self.forms.values()

    def wrong(self, lead: int, case: Case) -> Value:
        """Return the probability of a wrong answer, for the true answer that is wrong most often.

        For rankings the lead is that of options which follow each other, ties decided against the order; for
        all others it is how many people have to change before the true answer does, one more than the
        distance.
        """
        before, question = lead - 1, self.question
        if isinstance(question, Ranking) and is_known(question):
            return self._wrong_order(question, before // (2 if self.asked.changed else 1), case)
        if case in {"yes", "no"}:
            return 1 - first_mass(self.line(case), before)
        lines, levels = self.lines.different, levels_of_count(question)
        if levels is not None:
            # Only levels that have counts so far inside, as for `NoisyLevel.wrong`.
            inner = [] if case == "one-close" else inner_levels_at(levels, before * self.asked.max_rows)
            found = {0, len(levels.edges), *(at for at, _ in inner)}
            lines = tuple((line, places) for line, places in lines if not found.isdisjoint(places))
        return greatest(1 - first_mass(line, before) for line, _ in lines)

    def _wrong_order(self, question: Ranking, distance: int, case: Case) -> Value:
        """Return the same for a ranking: each order that begins as the true one gives the right answer.

        With all options close, those that are not named have equal counts, and in a set those that are named:
        then the table lies where orders meet.
        """
        count, named = len(question.options), question.length
        if case == "all-close" and (count - named > 1 or question.as_set):
            distance = 0
        right = factorial(count - named) * (factorial(named) if question.as_set else 1)
        part = Fraction(factorial(count) - right, factorial(count) - 1)
        return greatest((1 - first_mass(line, distance)) * part for line, _ in self.lines.different)

    def line_pairs(self) -> LinePairs:
        """Return what neighbors can have."""
        lines = [(proper_masses(line), partial(_pairs_from, line)) for line in self._unlike]
        meeting = [partial(self._boundaries, *pair) for pair in self._touching]
        return LinePairs(self.charged, len(self.forms), lines, meeting, share=2 * len(lines))

    def _boundaries(self, first: str, second: str) -> Pair:
        return self.line(first).boundary, self.line(second).boundary

    @cached_property
    def _unlike(self) -> list[Line]:
        """The lines that differ in more than the names of colors; of finer and coarser ones the finest."""
        answers = tuple(self.forms)
        if self.lines.is_response:
            return [self.line(answers[0])]
        found: dict[object, Line] = {}
        for answer in answers:
            line = self.line(answer)
            classes = (sorted(_text(line.boundary[color]) for color in tied) for tied in line.rainbow.classes)
            found.setdefault(tuple(map(tuple, classes)), line)
        return list(found.values())

    @cached_property
    def _touching(self) -> list[tuple[str, str]]:
        """The answers whose regions touch, but for pairs that differ in names alone."""
        answers = tuple(self.forms)
        if self.lines.is_response:
            return [(answers[0], answers[1])]
        ones, others = touching_pairs(self.in_table, self.asked.neighbors, self.asked.max_rows)
        pairs = zip(ones, others, strict=True)
        return [(answers[int(one)], answers[int(other)]) for one, other in pairs]


def _pairs_from(line: Line, distance: int) -> Iterator[Pair]:
    is_deep = distance >= DEEP
    yield line.distribution(distance, symbolic=is_deep), line.distribution(distance + 1, symbolic=is_deep)


def proper_masses(line: Line) -> tuple[Exact, ...]:
    """Return the masses of all proper prefixes at distance 0."""
    return line.boundary.prefix_masses(line.rainbow)[:-1]


def _text(value: Exact) -> str:
    """Return a text by which equal forms are known, for any number of digits."""
    return format_fraction(value) if isinstance(value, Fraction) else repr(value)


def levels_of_count(question: Question) -> Level | None:
    """Return the question if it asks for one of three levels of a count, or of more."""
    if not is_known(question) or not isinstance(question, Level) or len(question.answers) < 3:
        return None
    return question if isinstance(question.measure, CountOf) else None


def inner_levels_at(question: Level, place: int) -> list[tuple[int, int]]:
    """Return the number and the width of each inner level with counts so many rows from the nearer edge.

    Examples
    --------
    >>> from rainbowdp.questions import level
    >>> inner_levels_at(level("smoker", equals="yes", edges=[10, 13, 30]), 2)
    [(2, 17)]
    """
    widths = (int(high - low) for low, high in pairwise(question.edges))
    return [(at, width) for at, width in enumerate(widths, start=1) if width > 2 * place]


def first_mass(line: Line, distance: int) -> Exact:
    """Return the probability of the best class at a distance; the other classes are left out of the work."""
    mass = line.boundary.mass(line.rainbow.classes[0])
    return line.privacy.propagate(mass, distance, symbolic=distance > _FAR)
