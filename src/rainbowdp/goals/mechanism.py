# SPDX-License-Identifier: Apache-2.0
"""What every mechanism of a question can do: the base classes, and the value `Asked` that they answer.

A mechanism is a frozen value that is made of public terms alone. At the summary of a table it becomes a
`Located` value, from which an answer is drawn. `release`, `planning`, receipts and the bridges to other
libraries use nothing but this contract, and do not know which mechanism they hold. A mechanism states:

- what one answer costs, which may be less than what was asked for, and what several groups cost together;
- the theorem that makes it private;
- the probability of a wrong answer by lead, in the cases that a plan shows.

Groups divide the rows, and each group is answered by a mechanism of its own, drawn independently. One person
can have rows in several groups. How that adds up depends on what makes the mechanism private: row by row
(`QuestionMechanism.cost`), by normal noise (`noise_cost`), or person by person (`LineMechanism.cost`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from rainbowdp.errors import QuestionError
from rainbowdp.exact import Exact
from rainbowdp.exact.arguments import one_of
from rainbowdp.exact.enclosure import Value
from rainbowdp.ledger import Cost
from rainbowdp.line.steps import MOST_PAIRS, Pair, Pairs, spread, telling_steps, turning_steps
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import Neighbors, Question, Ranking, Scores, Summary, Winner
from rainbowdp.questions.question import require_relation, require_rows
from rainbowdp.questions.readings import Private
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import BitSource, SystemBits

Goal = Literal["typical", "guarantee"]
"""What a mechanism is to be good at, see `GOALS`."""

GOALS: tuple[Goal, ...] = ("typical", "guarantee")
"""``typical``: as often right as possible on tables as they occur. ``guarantee``: a chance at
every lead, whatever the other options do; where rows join or leave, the greatest that can be promised."""

Case = Literal["one-close", "all-close", "yes", "no"]
"""What a lead leaves open: whether one other answer is close or all are, or which of two answers is true."""

Gap = int | Fraction
"""By how much counts or scores differ."""


@dataclass(frozen=True)
class Asked:
    """What fixes a mechanism, but for the goal.

    Parameters
    ----------
    question : Question
        The question.
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer may reveal about one person.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables of one group are.
    max_rows : int
        How many rows one person has at most.

    Raises
    ------
    QuestionError
        If there is no such relation, or the rows are not a whole number of at least 1.
    """

    question: Question
    privacy: Privacy
    neighbors: Neighbors = "add-remove"
    max_rows: int = 1

    def __post_init__(self) -> None:
        require_relation(self.neighbors)
        object.__setattr__(self, "max_rows", require_rows(self.max_rows))

    @property
    def scores(self) -> Scores | None:
        """The question as one about scores, of which one person can move all at once; None if it is not.

        Where a person can have several options, the counts are scores of sensitivity 1, which only rise when
        a person joins.
        """
        question = self.question
        if isinstance(question, Winner) and question.approval is not None:
            return Scores(question.options, Fraction(1), monotone=not self.changed)
        return question if isinstance(question, Scores) else None

    @property
    def changed(self) -> bool:
        """Whether neighbors differ in a changed record, not in one that joins or leaves."""
        return self.neighbors == "change-one"


@dataclass(frozen=True)
class QuestionMechanism(ABC):
    """A private mechanism that answers one question.

    Parameters
    ----------
    asked : Asked
        What it answers, and how privately.

    Attributes
    ----------
    name : str
        Its name, for receipts and plans.
    notes : tuple of str
        Public remarks about how its numbers were made.
    """

    asked: Asked

    name: ClassVar[str]

    @property
    @abstractmethod
    def theorem(self) -> str:
        """Why it is private, in one sentence."""

    @property
    def charged(self) -> Privacy:
        """What one answer costs: what was asked for, or less."""
        return self.asked.privacy

    @property
    def notes(self) -> tuple[str, ...]:
        """Public remarks about how its numbers were made."""
        return ()

    def at(self, summary: Summary) -> "Located":
        """Return the mechanism at a table; what can fail fails here.

        Raises
        ------
        QuestionError
            If the summary is not one of the question; the message says nothing of what it holds.
        """
        return Located(self, self.place_of(summary))

    @abstractmethod
    def place_of(self, summary: Summary) -> Any:  # noqa: ANN401 - each mechanism has places of its own
        """Return all that the mechanism has to know of a table."""

    @abstractmethod
    def draw(self, place: Any, bits: BitSource) -> Form:  # noqa: ANN401 - as above
        """Draw an answer for a place exactly; nothing is left that can fail."""

    @abstractmethod
    def chances(self, place: Any) -> Mapping[Form, Value]:  # noqa: ANN401 - as above
        """Return the probability of each answer for a place; see `Located.chances`."""

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer that can come out."""
        return answer in self.asked.question.answers

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together, for such neighbors among all rows.

        This is the cost of mechanisms that are private row by row: each row costs epsilon/M in its own group.
        Where a person joins or leaves, up to M rows do so, wherever they are: epsilon in all. Where a person
        changes, up to M rows leave and up to M join: twice that, with the mechanism for joining and leaving
        in each group. One group alone is answered under the relation itself.

        Raises
        ------
        PrivacyParameterError
            If mu is a logarithm: no ledger can keep its square.
        """
        return Cost.of(self.charged).times(2 if groups > 1 and neighbors == "change-one" else 1)

    @abstractmethod
    def wrong(self, lead: int, case: Case) -> Value | None:
        """Return the probability of a wrong answer at a lead of so many people, at least 1.

        None where it is not known. `planning` says what a lead is for each kind of question.
        """

    def pairs(self) -> Pairs | None:
        """Return the pairs of distributions that neighbors can have.

        Pairs that differ from these in names alone, or reveal less, are left out. None where there is no such
        list, or it would be very long: then only the theorem says what is revealed.
        """
        return None


class OptionsMechanism(QuestionMechanism):
    """A mechanism that chooses among options, or puts them in order."""

    @property
    def options(self) -> Winner | Ranking | Scores:
        """The question."""
        question = self.asked.question
        assert isinstance(question, Winner | Ranking | Scores)  # noqa: S101 - chosen for no other question
        return question

    @property
    def count(self) -> int:
        """How many options there are."""
        return len(self.options.options)

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer that can come out."""
        return self.options.accepts(answer)

    def first(self, option: int) -> Form:
        """Return the answer that puts one option first, and the others in their declared order."""
        return self.options.named([option, *(other for other in range(self.count) if other != option)])

    def lead_rows(self, lead: int) -> Gap:
        """Return by how much counts or scores differ where a lead is what so many people can add.

        For counts that is the rows of so many people; for scores so many times the sensitivity.
        """
        scores = self.asked.scores
        return self.asked.max_rows * lead if scores is None else scores.sensitivity * lead


class EpsilonMechanism(QuestionMechanism):
    """A mechanism that does not use delta, and costs epsilon alone."""

    @property
    def charged(self) -> PureDP:
        """Epsilon alone."""
        assert isinstance(self.asked.privacy, PureDP | ApproxDP)  # noqa: S101 - chosen for no other privacy
        return PureDP(self.asked.privacy.epsilon)


class MuMechanism(QuestionMechanism):
    """A mechanism under Gaussian privacy."""

    @property
    def charged(self) -> GaussianDP:
        """What was asked for."""
        assert isinstance(self.asked.privacy, GaussianDP)  # noqa: S101 - chosen for no other privacy
        return self.asked.privacy


@dataclass(frozen=True)
class LinePairs:
    """The pairs of distributions that neighbors have along lines, and where lines meet.

    Attributes
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy.
    colors : int
        How many answers each distribution has.
    lines : sequence
        Of each line the masses of all proper prefixes at distance 0, and what returns the pairs that begin at
        a distance.
    meeting : sequence of callable
        What returns each pair where lines meet.
    each : int
        How many pairs begin at one distance.
    share : int
        By which number of pairs a few are divided, to say how many distances of one line are taken.
    """

    privacy: Privacy
    colors: int
    lines: Sequence[tuple[Sequence[Exact], Callable[[int], Iterable[Pair]]]]
    meeting: Sequence[Callable[[], Pair]] = ()
    each: int = 1
    share: int = 1

    def telling(self) -> Pairs | None:
        """Return all pairs but those that reveal less than others; None where these are too many."""
        steps = [telling_steps(self.privacy, masses) for masses, _ in self.lines]
        few = all(each.stop - each.start <= MOST_PAIRS for each in steps)
        return self._listed(steps, self.meeting) if few else None

    def turning(self, most: int) -> Pairs:
        """Return a few pairs that decide about all of them; at most about so many of these."""
        few = max(2, most // self.share)
        steps = [spread(turning_steps(self.privacy, masses), few) for masses, _ in self.lines]
        return self._listed(steps, spread(self.meeting, max(2, most // 2)))

    def _listed(self, steps: Sequence[Sequence[int]], meeting: Sequence[Callable[[], Pair]]) -> Pairs:
        def made() -> Iterator[Pair]:
            for (_, pairs_from), distances in zip(self.lines, steps, strict=True):
                for distance in distances:
                    yield from pairs_from(distance)
            for pair in meeting:
                yield pair()

        return Pairs(self.each * sum(map(len, steps)) + len(meeting), self.colors, made)


class LineMechanism(QuestionMechanism):
    """A mechanism that is the line of a true answer, or of a lead."""

    name = "line"

    @abstractmethod
    def line_pairs(self) -> LinePairs:
        """Return the pairs of distributions that neighbors can have, each up to the names of the answers."""

    def pairs(self) -> Pairs | None:
        """Return what neighbors can have, but for pairs that reveal less; None where those are too many."""
        return self.line_pairs().telling()

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return the cost of lines, which are private person by person.

        A group moves by one step for every M rows that leave it or join it, and a part of M counts in full.
        Where one person joins or leaves, up to M rows do so: one step in each of min(M, groups) groups. Where
        one person changes, up to M rows leave and up to M join. If no group sees more than M of these 2 M
        rows, that is one step in each of min(2 M, groups) groups. At most one group can see more than M of
        them: it moves by two steps, and at most M - 1 rows are left to move others by one, which makes
        min(M, groups) + 1 steps.

        The cost covers both; `Cost.doubled` is that of two steps.

        References
        ----------
        Dwork and Roth 2014, theorem 3.16; Vadhan 2017, lemma 2.2 (groups of people); Dong, Roth and Su 2022,
        theorem 4 and corollary 2.

        Examples
        --------
        >>> from rainbowdp.goals import mechanism_of
        >>> from rainbowdp.questions import yes_no
        >>> question = yes_no("smoker", equals="yes", at_least=10)
        >>> for privacy in (PureDP(1), ApproxDP("ln 2", "1e-6"), GaussianDP(1)):
        ...     print(mechanism_of(Asked(question, privacy)).cost(3, "change-one"))
        epsilon 2
        epsilon ln(4), delta 0.000003
        mu 2
        """
        one, max_rows = Cost.of(self.charged), self.asked.max_rows
        touched = min(max_rows, groups)
        if groups < 2:
            return one
        if neighbors == "add-remove":
            return one.times(touched)
        widely = min(2 * max_rows, groups)
        if isinstance(self.charged, GaussianDP):
            return one.times(max(widely, 4 + touched - 1))
        close = one.doubled() + one.times(touched - 1)
        return Cost(one.epsilon.times(max(widely, touched + 1)), max(close.delta, one.delta * widely))


@dataclass(frozen=True, repr=False)
class Located(Private):
    """A mechanism at one table: it knows where the table lies, so it is private, and does not show it."""

    mechanism: QuestionMechanism
    place: Any

    def draw(self, bits: BitSource | None = None) -> Form:
        """Draw an answer exactly; nothing is left that can fail."""
        return self.mechanism.draw(self.place, SystemBits() if bits is None else bits)

    def chances(self) -> Mapping[Form, Value]:
        """Return the probability of each answer, exact or enclosed.

        Raises
        ------
        QuestionError
            If there are too many answers to list them.
        """
        return self.mechanism.chances(self.place)


def require_goal(goal: object) -> Goal:
    """Return a goal.

    Raises
    ------
    QuestionError
        If there is no such goal.

    Examples
    --------
    >>> require_goal("typical")
    'typical'
    """
    return one_of("a goal", goal, GOALS, QuestionError)


def noise_cost(privacy: GaussianDP, groups: int, neighbors: Neighbors, factor: Fraction) -> Cost:
    """Return the cost of normal noise, whose mu grows with the length of the change of all counts.

    Where a person joins or leaves, that length is greatest where all M rows are in one count: mu. Where a
    person changes, the square is at most `factor` times mu squared.

    Parameters
    ----------
    privacy : GaussianDP
        What one answer costs.
    groups : int
        How many groups there are.
    neighbors : {"add-remove", "change-one"}
        How neighboring tables of all groups differ.
    factor : Fraction
        The square of the longest change that M rows that leave and M that join make, in units of the longest
        that M rows that join make.

    Examples
    --------
    >>> print(noise_cost(GaussianDP(1), 3, "change-one", Fraction(3)))
    mu sqrt(3)
    """
    one = Cost.of(privacy)
    if groups < 2 or neighbors == "add-remove" or one.mu_squared is None:
        return one
    return Cost(mu_squared=one.mu_squared * factor)
