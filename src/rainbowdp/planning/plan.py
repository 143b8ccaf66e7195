# SPDX-License-Identifier: Apache-2.0
"""Make a plan: for each notion of privacy the ways to answer, their chances by lead, and what they cost."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from rainbowdp.boundary import BoundaryCondition
from rainbowdp.errors import QuestionError, UsageError
from rainbowdp.exact import Number, ball
from rainbowdp.exact.enclosure import EnclosedNumber, Value
from rainbowdp.goals import GOALS, Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.concentrated import rho_of
from rainbowdp.goals.mechanism import require_goal
from rainbowdp.goals.order_chances import MOST_OPTIONS, least_eta
from rainbowdp.goals.question_line import levels_of_count
from rainbowdp.planning import arguments, sentences
from rainbowdp.planning.arguments import Shown
from rainbowdp.planning.columns import (
    Column,
    hard_case,
    ignoring_column,
    mechanism_column,
    noisy_column,
    quoted_lead,
    rival_columns,
    steps,
)
from rainbowdp.planning.values import Chance, GroupsPlan, LeadRow, Least, Need, NeededLead, Plan, PrivacyPlan
from rainbowdp.planning.words import lead_words, sentence
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy
from rainbowdp.questions import Neighbors, Question, YesNo
from rainbowdp.questions.question import require_question, require_relation

_NOT_COMPUTED = (
    f"a chance shown as - is not computed: that is done for up to {MOST_OPTIONS} options close to each "
    f"other, and for an epsilon for one row of at least {least_eta(2):.4f} for two of them to "
    f"{least_eta(MOST_OPTIONS)} for {MOST_OPTIONS}"
)
_BETWEEN_GROUPS = (
    "a person whose data are replaced can leave one group and join another, so the figures are those for "
    "people who join and leave, and the cost of all groups covers both"
)
_LONGEST_SERIES = 24
_WITHOUT_NEED = 100


def plan(
    question: Question,
    privacies: Privacy | Iterable[Privacy] = (),
    *,
    neighbors: Neighbors = "add-remove",
    max_rows: int = 1,
    goal: Goal = "typical",
    boundary: str | BoundaryCondition = "default",
    want: Number | None = None,
    lead: int | str | None = None,
    leads: Sequence[int] | None = None,
    delta: Number | None = None,
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
    >>> from rainbowdp.privacy import PureDP
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
    goal, notions = require_goal(goal), arguments.read_notions(privacies)
    shown = arguments.read_shown(question, want=want, lead=lead, leads=leads, people=people, groups=groups)
    if not notions and (shown.want is None or shown.lead is None):
        raise UsageError(
            "a plan needs a privacy, or a wanted probability and a lead",
            help="give for example epsilon 0.5, or want 0.99 and lead 40 to find the least epsilon",
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
            arguments.privacy_family(notions, delta),
            shown.want,
            shown.lead,
        )
        notions = notions or [least.privacy]
    ways = [ways_of(asked(privacy), goal, boundary) for privacy in notions]
    parts = [planned(each, goal, neighbors, shown, compare=compare) for each in ways]
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

    value = arguments.least_parameter(lambda parameter: wrong(parameter, goal), want, lead)
    question = mechanism_at(privacy_of(value), goal).asked.question
    if goal == "typical" and levels_of_count(question) is not None:
        # Levels take the line at small parameters and noise at greater ones, which is less often right where
        # the two meet. So the line may suffice before noise does.
        by_line = arguments.least_parameter(lambda parameter: wrong(parameter, "guarantee"), want, lead)
        privacy = privacy_of(by_line)
        if by_line < value and mechanism_at(privacy, goal) == mechanism_at(privacy, "guarantee"):
            value = by_line
    privacy, left = privacy_of(value), wrong(value, goal)
    assert left is not None  # noqa: S101 - it was compared
    return Least("mu" if isinstance(privacy, GaussianDP) else "epsilon", value, privacy, want, lead, left)


@dataclass(frozen=True)
class Ways:
    """The ways to answer one question under one notion of privacy.

    Attributes
    ----------
    chosen : QuestionMechanism
        The mechanism of the chosen goal.
    mechanisms : dict of str to QuestionMechanism
        By goal; without the other goal where it cannot answer the question.
    columns : tuple of Column
        The columns of the plan, that of the chosen goal among them.
    notes : tuple of str
        What is to be said about them.
    """

    chosen: QuestionMechanism
    mechanisms: dict[str, QuestionMechanism]
    columns: tuple[Column, ...]
    notes: tuple[str, ...]

    def column(self, goal: str) -> Column | None:
        """Return the column of a goal, None where it has none of its own."""
        return next((column for column in self.columns if column.name == goal), None)


def ways_of(asked: Asked, goal: Goal, rule: str | BoundaryCondition) -> Ways:
    """Return the ways to answer a question.

    Raises
    ------
    UsageError, QuestionError
        As for `rainbowdp.goals.mechanism_of`.
    """
    chosen = mechanism_of(asked, goal, rule)
    mechanisms: dict[Goal, QuestionMechanism] = {goal: chosen}
    notes = [*chosen.notes]
    other: Goal = GOALS[1] if goal == GOALS[0] else GOALS[0]
    try:
        mechanisms[other] = mechanism_of(asked, other, rule)
    except QuestionError as error:
        notes.append(f"{other} is not shown: {error.what}")
    if mechanisms.get(other) == chosen:
        columns = [mechanism_column(goal, chosen)]
        notes.append(sentences.SAME_GOALS)
    else:
        columns = [mechanism_column(name, mechanisms[name]) for name in GOALS if name in mechanisms]
        if len(columns) > 1:
            notes.append(sentences.which_goal(asked))
    if isinstance(asked.question, YesNo) and asked.question.false_yes is not None:
        notes.append(sentences.LEANS_TO_NO)
    noisy = noisy_column(asked, mechanisms.get("typical", chosen))
    columns += [*([] if noisy is None else [noisy]), ignoring_column(asked)]
    in_order: dict[str, QuestionMechanism] = {name: mechanisms[name] for name in GOALS if name in mechanisms}
    return Ways(chosen, in_order, tuple(columns), tuple(notes))


def planned(
    ways: Ways, goal: Goal, neighbors: Neighbors, shown: Shown, *, compare: bool
) -> tuple[PrivacyPlan, tuple[str, ...]]:
    """Return the figures under one notion of privacy, and further remarks.

    Parameters
    ----------
    ways : Ways
        The ways to answer.
    goal : {"typical", "guarantee"}
        The chosen goal.
    neighbors : {"add-remove", "change-one"}
        The relation between tables of all groups.
    shown : Shown
        What is shown.
    compare : bool
        Whether other mechanisms are compared.
    """
    asked, column = ways.chosen.asked, ways.column(goal)
    assert column is not None  # noqa: S101 - the chosen goal always has one
    needs = tuple(Need(target, tuple(_needed(ways.columns, target))) for target in shown.targets)
    leads = shown.leads or _series(needs[-1].lead(column.name, hard_case(column, 1)), shown)
    rivals, why = rival_columns(asked) if compare else ((), "")
    quoted = quoted_lead(column) if shown.lead is None else shown.lead
    groups = None if shown.groups is None else _groups(ways.chosen, column, neighbors, shown.groups, quoted)
    others = [each for each in (*ways.columns[:-1], *rivals) if each is not column]
    ahead = sentences.ahead_remarks(asked, column, others, leads)
    moved, charged = asked.neighbors != neighbors, ways.chosen.charged
    part = PrivacyPlan(
        privacy=asked.privacy,
        charged=charged,
        mechanisms={name: mechanism.name for name, mechanism in ways.mechanisms.items()},
        sentences=tuple(map(sentence, _sentences(ways.chosen, column, quoted, groups, shown))),
        cost=sentences.privacy_cost(ways.chosen, neighbors, rho_of(ways.chosen), shown.groups or 1),
        rows=_rows(ways.columns, leads, shown),
        needs=needs,
        compared=_rows(rivals, leads, shown) if rivals else None,
        groups=groups,
        remarks=tuple(map(sentence, (*ahead, *_delta(ways, leads)))),
    )
    moving = [_BETWEEN_GROUPS] if moved else []
    computed = all(each.is_computed(case) for each in ways.columns for case in each.cases)
    unknown = [] if computed else [_NOT_COMPUTED]
    return part, (*ways.notes, *moving, *([why] if why else []), *unknown)


def _needed(columns: Sequence[Column], right: Fraction) -> Iterator[NeededLead]:
    for each in columns:
        for case in each.cases:
            yield NeededLead(each.name, case, each.needed(case, right), each.is_computed(case))


def _series(last: int | None, shown: Shown) -> tuple[int, ...]:
    """Return 1, 2, 5, 10, ... up to the first number not below the last one, and no more than all people."""
    end, found = _WITHOUT_NEED if last is None else last, list[int]()
    for lead in steps():
        found.append(lead)
        if lead >= end or len(found) == _LONGEST_SERIES:
            break
    kept = [lead for lead in found if shown.people is None or lead <= shown.people]
    return tuple(sorted({*kept, *([] if shown.lead is None else [shown.lead])}))


def _rows(columns: Sequence[Column], leads: Sequence[int], shown: Shown) -> tuple[LeadRow, ...]:
    return tuple(
        LeadRow(
            lead,
            shown.share(lead),
            tuple(Chance(each.name, case, each.wrong(lead, case)) for each in columns for case in each.cases),
        )
        for lead in leads
    )


def _sentences(
    mechanism: QuestionMechanism, column: Column, lead: int | None, groups: GroupsPlan | None, shown: Shown
) -> list[str]:
    asked = mechanism.asked
    is_known = column.is_computed(hard_case(column, 1))
    said = [sentences.never(asked) if is_known else sentences.UNKNOWN]
    if lead is not None and is_known:
        said = [sentences.expectation(asked, column, lead, shown.share(lead))]
    said += [*sentences.inside_narrowest(mechanism, column, lead), *sentences.behind(mechanism, column)]
    said.append(sentences.charge(mechanism))
    if groups is not None and groups.not_all is not None:
        case = hard_case(column, groups.lead)
        said.append(sentences.groups_sentence(groups, groups.not_all, asked, case))
    return said


def _groups(
    mechanism: QuestionMechanism, column: Column, neighbors: Neighbors, count: int, lead: int | None
) -> GroupsPlan:
    lead = 1 if lead is None else lead
    wrong = column.wrong(lead, hard_case(column, lead))
    charged = mechanism.cost(count, neighbors)
    return GroupsPlan(count, lead, None if wrong is None else _not_all(wrong, count), charged)


def _not_all(wrong: Value, count: int) -> EnclosedNumber:
    """Return the probability that not all of some answers are right, each wrong with the same probability."""

    def evaluate() -> flint.arb:
        missed = ball(wrong)
        return missed if missed == 1 else -(count * (-missed).log1p()).expm1()

    return EnclosedNumber(evaluate)


def _delta(ways: Ways, leads: Sequence[int]) -> list[str]:
    typical, guarantee = ways.column("typical"), ways.column("guarantee")
    privacy = ways.chosen.asked.privacy
    if typical is None or guarantee is None or not isinstance(privacy, ApproxDP) or not privacy.delta:
        return []
    if "all-close" not in typical.cases or not typical.is_computed("all-close"):
        return []
    return [sentences.delta_remark(ways.chosen.asked, typical, guarantee, leads)]
