# SPDX-License-Identifier: Apache-2.0
"""What every mechanism of a question can do: the contract between mechanisms and those who use them.

A mechanism is a frozen value that is made of public terms alone. At the summary of a table it becomes a
`Located` value, from which an answer is drawn. `release`, `planning`, receipts and the bridges to other
libraries use nothing but this contract, and do not know which mechanism they hold. A mechanism must state:

- what one answer costs, which may be less than what was asked for, and what several groups cost together;
- the theorem that makes it private;
- the probability of a wrong answer by lead, in the cases that a plan shows.

Groups divide the rows, and each group is answered by a mechanism of its own, drawn independently. One person
can have rows in several groups. How that adds up depends on what makes the mechanism private, so there is one
function for each kind: `row_cost`, `noise_cost` and `line_cost`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

from rainbowdp.baselines import Value
from rainbowdp.errors import QuestionError
from rainbowdp.exact import enclose
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.goals.line_pairs import Pairs
from rainbowdp.ledger import Cost
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import Neighbors, Question, Summary
from rainbowdp.questions.question import require_relation, require_rows
from rainbowdp.questions.selection import Form
from rainbowdp.sampling import BitSource

Goal = Literal["typical", "guarantee"]
"""What a mechanism is to be good at, see `GOALS`."""

GOALS: tuple[Goal, ...] = ("typical", "guarantee")
"""``typical``: as often right as possible on tables as they occur. ``guarantee``: a chance at
every lead, whatever the other options do; where rows join or leave, the greatest that can be promised."""

Case = Literal["one-close", "all-close", "yes", "no"]
"""What a lead leaves open: whether one other answer is close or all are, or which of two answers is true."""

_DELTA_BITS = 64


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
    def changed(self) -> bool:
        """Whether neighbors differ in a changed record, not in one that joins or leaves."""
        return self.neighbors == "change-one"

    @property
    def epsilon_alone(self) -> PureDP:
        """What a mechanism costs that does not use delta."""
        assert isinstance(self.privacy, PureDP | ApproxDP)  # noqa: S101 - asked of mechanisms of epsilon
        return PureDP(self.privacy.epsilon)

    @property
    def gaussian(self) -> GaussianDP:
        """The privacy, which is Gaussian."""
        assert isinstance(self.privacy, GaussianDP)  # noqa: S101 - asked of mechanisms of mu
        return self.privacy


class Located(Protocol):
    """A mechanism at one table: it knows where the table lies, so it is private, and does not show it."""

    def draw(self, bits: BitSource | None = None) -> Form:
        """Draw an answer exactly; nothing is left that can fail."""

    def chances(self) -> Mapping[Form, Value]:
        """Return the probability of each answer, exact or enclosed.

        Raises
        ------
        QuestionError
            If there are too many answers to list them.
        """


class QuestionMechanism(Protocol):
    """A private mechanism that answers one question."""

    @property
    def name(self) -> str:
        """Its name, for receipts and plans."""

    @property
    def asked(self) -> Asked:
        """What it answers, and how privately."""

    @property
    def charged(self) -> Privacy:
        """What one answer costs; never more than what was asked for."""

    @property
    def theorem(self) -> str:
        """Why it is private, in one sentence."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Public remarks about how its numbers were made."""

    def at(self, summary: Summary) -> Located:
        """Return the mechanism at a table; what can fail fails here.

        Raises
        ------
        QuestionError
            If the summary is not one of the question; the message says nothing of what it holds.
        """

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer that can come out."""

    def cost(self, groups: int, neighbors: Neighbors) -> Cost:
        """Return what answers for so many groups cost together, for such neighbors among all rows.

        Raises
        ------
        PrivacyParameterError
            If mu is a logarithm: no ledger can keep its square.
        """

    def wrong(self, lead: int, case: Case) -> Value | None:
        """Return the probability of a wrong answer at a lead of so many people.

        None where it is not known. `planning` says what a lead is for each kind of question.
        """

    def pairs(self) -> Pairs | None:
        """Return the pairs of distributions that neighbors can have.

        Pairs that differ from these in names alone, or reveal less, are left out. None where there is no such
        list, or it would be very long: then only the theorem says what is revealed.
        """


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
    for known in GOALS:
        if known == goal:
            return known
    raise QuestionError(f"{described(goal)} is not a goal", help=f"choose one of {', '.join(GOALS)}")


def require_lead(lead: object) -> int:
    """Return a lead of at least 1.

    Raises
    ------
    QuestionError
        If it is not a whole number of at least 1.
    """
    if not is_whole(lead) or lead < 1:
        raise QuestionError(
            f"{described(lead)} is not a lead", help="give a whole number of people, at least 1"
        )
    return int(lead)


def row_cost(privacy: Privacy, groups: int, neighbors: Neighbors) -> Cost:
    """Return the cost of mechanisms that are private row by row: each row costs epsilon/M in its own group.

    Where a person joins or leaves, up to M rows do so, wherever they are: epsilon in all. Where a person
    changes, up to M rows leave and up to M join: twice that, with the mechanism for joining and leaving in
    each group. One group alone is answered under the relation itself.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer costs.
    groups : int
        How many groups there are.
    neighbors : {"add-remove", "change-one"}
        How neighboring tables of all groups differ.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> print(row_cost(PureDP(1), 3, "add-remove"), row_cost(PureDP(1), 3, "change-one"))
    epsilon 1 epsilon 2
    """
    return Cost.of(privacy).times(2 if groups > 1 and neighbors == "change-one" else 1)


def noise_cost(privacy: GaussianDP, groups: int, neighbors: Neighbors, factor: Fraction) -> Cost:
    """Return the cost of normal noise, whose mu grows with the length of the change of all counts.

    Where a person joins or leaves, that length is greatest where all M rows are in one count: mu. Where a
    person changes, the square is at most `factor` times mu squared.

    Parameters
    ----------
    privacy : GaussianDP
        What one answer costs.
    groups, neighbors
        As for `row_cost`.
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


def line_cost(privacy: Privacy, groups: int, neighbors: Neighbors, max_rows: int) -> Cost:
    """Return the cost of lines, which are private person by person.

    A group moves by one step for every M rows that leave it or join it, and a part of M counts in full.
    Where one person joins or leaves, up to M rows do so: one step in each of min(M, groups) groups. Where
    one person changes, up to M rows leave and up to M join. If no group sees more than M of these 2 M rows,
    that is one step in each of min(2 M, groups) groups. At most one group can see more than M of them: it
    moves by two steps, and at most M - 1 rows are left to move others by one, which makes min(M, groups) + 1
    steps.

    The cost covers both. Two steps of pure privacy cost twice epsilon. Two of approximate privacy cost more
    than twice delta, (1 + e^epsilon) delta, which is rounded up by at most 2^-64 of itself where it is
    irrational. Two of Gaussian privacy cost twice mu, that is four times its square.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        What one answer costs.
    groups, neighbors
        As for `row_cost`.
    max_rows : int
        M, how many rows one person has at most.

    References
    ----------
    Dwork and Roth 2014, theorem 3.16; Vadhan 2017, lemma 2.2 (groups of people); Dong, Roth and Su 2022,
    theorem 4 and corollary 2.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP, PureDP
    >>> for privacy in (PureDP(1), ApproxDP("ln 2", "1e-6"), GaussianDP(1)):
    ...     print(line_cost(privacy, 3, "change-one", 1))
    epsilon 2
    epsilon ln(4), delta 0.000003
    mu 2
    """
    one, touched = Cost.of(privacy), min(max_rows, groups)
    if groups < 2:
        return one
    if neighbors == "add-remove":
        return one.times(touched)
    widely = min(2 * max_rows, groups)
    if isinstance(privacy, GaussianDP):
        return one.times(max(widely, 4 + touched - 1))
    twice = (1 + privacy.odds + touched - 1) * one.delta
    rounded = twice if isinstance(twice, Fraction) else enclose(twice, _DELTA_BITS)[1]
    return Cost(one.epsilon.times(max(widely, touched + 1)), max(rounded, one.delta * widely))
