# SPDX-License-Identifier: Apache-2.0
"""What every mechanism of a question can do: the contract between mechanisms and those who use them.

A mechanism is a frozen value that is made of public terms alone. At the summary of a table it becomes a
`Located` value, from which an answer is drawn. `release`, `planning`, receipts and the bridges to other
libraries use nothing but this contract, and do not know which mechanism they hold. A mechanism must state:

- what one answer costs, which may be less than what was asked for, and what several groups cost together;
- the theorem that makes it private;
- the probability of a wrong answer by lead, in the cases that a plan shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from rainbowdp.baselines import Value
from rainbowdp.errors import QuestionError
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
        """Return the mechanism at a table; whatever can fail fails here.

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
