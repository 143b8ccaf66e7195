# SPDX-License-Identifier: Apache-2.0
"""A plan: one question, some notions of privacy, and what to expect of each, without a look at any data."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rainbowdp.baselines import Value
from rainbowdp.boundary import BoundaryCondition
from rainbowdp.exact import NumberLike, parse_fraction
from rainbowdp.goals import Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.mechanism import require_goal
from rainbowdp.goals.question_line import levels_of_count
from rainbowdp.planning.arguments import read_notions, read_shown
from rainbowdp.planning.columns import mechanism_column
from rainbowdp.planning.leads import lead_words
from rainbowdp.planning.least import least_parameter
from rainbowdp.planning.part import planned, ways_of
from rainbowdp.planning.sentences import hard_case
from rainbowdp.planning.values import LeadRow, Least, PrivacyPlan
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import Neighbors, Question
from rainbowdp.questions.kinds import description_of
from rainbowdp.questions.question import require_question, require_relation


@dataclass(frozen=True)
class Plan:
    """What to expect of a question, by privacy and lead.

    Attributes
    ----------
    question : Question
        The question.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person has at most.
    goal : {"typical", "guarantee"}
        The chosen goal.
    lead_means : str
        What a lead counts.
    people, groups : int or None
        How many there are, where it was said.
    privacies : tuple of PrivacyPlan
        The figures, one notion of privacy after the other.
    least : Least or None
        The least parameter, where it was asked for.
    notes : tuple of str
        What else is to be known.
    """

    question: Question
    neighbors: Neighbors
    max_rows: int
    goal: Goal
    lead_means: str
    people: int | None
    groups: int | None
    privacies: tuple[PrivacyPlan, ...]
    least: Least | None
    notes: tuple[str, ...]

    @property
    def rows(self) -> tuple[tuple[Privacy, LeadRow], ...]:
        """Every row of every notion of privacy."""
        return tuple((part.privacy, row) for part in self.privacies for row in part.rows)

    def to_json(self) -> dict[str, object]:
        """Return the plan for JSON: exact parameters as text, probabilities as the closest floats."""
        return {
            "question": description_of(self.question),
            "neighbors": self.neighbors,
            "max_rows": self.max_rows,
            "goal": self.goal,
            "lead": self.lead_means,
            "people": self.people,
            "groups": self.groups,
            "plans": [part.to_json() for part in self.privacies],
            "least": None if self.least is None else self.least.to_json(),
            "notes": list(self.notes),
        }


def plan(
    question: Question,
    privacies: Privacy | Iterable[Privacy] = (),
    *,
    neighbors: Neighbors = "add-remove",
    max_rows: int = 1,
    goal: Goal = "typical",
    boundary: str | BoundaryCondition = "default",
    want: NumberLike | None = None,
    lead: int | str | None = None,
    leads: Sequence[int] | None = None,
    delta: NumberLike | None = None,
    people: int | None = None,
    groups: int | None = None,
    compare: bool = False,
) -> Plan:
    """Tell how often a question would be answered rightly, before anything is spent. No data are opened.

    Parameters
    ----------
    question : Question
        From `rainbowdp.questions`, or one of your own.
    privacies : Privacy or iterable of Privacy
        One or more of PureDP, ApproxDP and GaussianDP; may be left out where `want` and `lead` are given.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person has at most; leads are counted in people.
    goal : {"typical", "guarantee"}
        What the mechanism is to be good at.
    boundary : str or BoundaryCondition
        For a question of your own: as for `rainbowdp.questions.question_boundary`.
    want : number or text, optional
        A probability of a right answer, above 0 and below 1. With `lead`: the least epsilon (or mu, if all
        `privacies` are Gaussian) is found, with all other answers close, and of yes and no for the worse one.
        Its lead is also told beside those for 90, 95 and 99 %.
    lead : int or text, optional
        The lead that is expected, at least 1; it also gets a row. With `people` it may be a share: ``"3%"``.
    leads : sequence of int, optional
        The leads that get a row; otherwise 1, 2, 5, 10, ... up to what the highest probability needs.
    delta : number or text, optional
        For the least epsilon: the delta beside it; otherwise that of the first notion, if it has one.
    people : int, optional
        How many people there are: leads are also told as shares of them.
    groups : int, optional
        How many groups are answered for: the plan also tells how often all of them are right together.
    compare : bool
        Whether the exponential mechanism and permute-and-flip are compared.

    Returns
    -------
    Plan

    Raises
    ------
    QuestionError
        If a number makes no sense, the question cannot be answered with this goal, or no epsilon is enough.
    UsageError
        If there is no privacy, `want` and `lead` do not come together, a share is given without `people`, or
        a boundary for one of the package's own questions.

    Examples
    --------
    >>> from rainbowdp.questions import winner
    >>> found = plan(winner("party", ["A", "B", "C"]), PureDP("ln 2"), leads=[2])
    >>> (row,) = found.privacies[0].rows
    >>> [str(row.wrong("typical", case)) for case in ("one-close", "all-close")], str(row.wrong("guarantee"))
    (['1/8', '11/48'], '1/6')
    >>> [need.lead("typical") for need in found.privacies[0].needs]
    [4, 5, 7]
    >>> plan(winner("party", ["A", "B"]), want="0.99", lead=40).least.text
    '0.09781'
    """
    require_question(question)
    require_relation(neighbors)
    goal, notions = require_goal(goal), read_notions(privacies)
    shown = read_shown(
        question,
        lead=lead,
        leads=leads,
        want=want,
        people=people,
        groups=groups,
        compare=compare,
        needed=not notions,
    )
    # Where one person changes, rows leave a group or join another: inside a group, people join and leave.
    relation: Neighbors = "add-remove" if (shown.groups or 1) > 1 else neighbors

    def asked(privacy: Privacy) -> Asked:
        return Asked(question, privacy, relation, max_rows)

    least = None
    if shown.want is not None and shown.lead is not None:
        least = _least(
            lambda privacy, goal: mechanism_of(asked(privacy), goal, boundary),
            goal,
            _family(notions, delta),
            shown.want,
            shown.lead,
        )
        notions = notions or [least.privacy]
    parts = [planned(ways_of(asked(privacy), goal, boundary), goal, neighbors, shown) for privacy in notions]
    return Plan(
        question=question,
        neighbors=neighbors,
        max_rows=max_rows,
        goal=goal,
        lead_means=lead_words(asked(notions[0])).means,
        people=shown.people,
        groups=shown.groups,
        privacies=tuple(part for part, _ in parts),
        least=least,
        notes=tuple(dict.fromkeys(note for _, notes in parts for note in notes)),
    )


def _family(notions: Sequence[Privacy], delta: NumberLike | None) -> Callable[[Fraction], Privacy]:
    """Return what makes a notion of privacy of a parameter: of mu if all are Gaussian, else of epsilon."""
    gaussian = bool(notions) and all(isinstance(privacy, GaussianDP) for privacy in notions)
    beside = next((privacy.delta for privacy in notions if isinstance(privacy, ApproxDP)), None)
    beside = beside if delta is None else parse_fraction(delta)

    def made(parameter: Fraction) -> Privacy:
        if gaussian:
            return GaussianDP(parameter)
        return PureDP(parameter) if not beside else ApproxDP(parameter, beside)

    return made


def _least(
    mechanism_at: Callable[[Privacy, Goal], QuestionMechanism],
    goal: Goal,
    privacy_of: Callable[[Fraction], Privacy],
    want: Fraction,
    lead: int,
) -> Least:
    def wrong(parameter: Fraction, goal: Goal) -> Value | None:
        column = mechanism_column(goal, mechanism_at(privacy_of(parameter), goal))
        # Where one other answer is close only is not what is wanted.
        case = hard_case(column, lead) if "yes" in column.cases else "all-close"
        return column.wrong(lead, case)

    value = least_parameter(lambda parameter: wrong(parameter, goal), want, lead)
    question = mechanism_at(privacy_of(value), goal).asked.question
    if goal == "typical" and levels_of_count(question) is not None:
        # Levels take the line at small parameters and noise at greater ones, which is less often right where
        # the two meet. So the line may suffice before noise does.
        by_line = least_parameter(lambda parameter: wrong(parameter, "guarantee"), want, lead)
        privacy = privacy_of(by_line)
        if by_line < value and mechanism_at(privacy, goal) == mechanism_at(privacy, "guarantee"):
            value = by_line
    privacy, left = privacy_of(value), wrong(value, goal)
    assert left is not None  # noqa: S101 - it was compared
    return Least("mu" if isinstance(privacy, GaussianDP) else "epsilon", value, privacy, want, lead, left)
