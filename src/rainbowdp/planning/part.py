# SPDX-License-Identifier: Apache-2.0
"""The figures of a plan under one notion of privacy."""

from collections.abc import Sequence
from dataclasses import dataclass

import flint

from rainbowdp.baselines import EnclosedNumber, Value
from rainbowdp.boundary import BoundaryCondition
from rainbowdp.errors import QuestionError
from rainbowdp.goals import GOALS, Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.concentrated import rho_of
from rainbowdp.goals.order_chances import MOST_OPTIONS, least_eta
from rainbowdp.goals.values import value_ball
from rainbowdp.planning.arguments import Shown
from rainbowdp.planning.columns import Column, ignoring_column, mechanism_column, noisy_column, steps
from rainbowdp.planning.cost import privacy_cost
from rainbowdp.planning.rivals import rival_columns
from rainbowdp.planning.sentences import (
    LEANS_TO_NO,
    SAME_GOALS,
    UNKNOWN,
    ahead_remarks,
    behind,
    charge,
    delta_remark,
    expectation,
    groups_sentence,
    hard_case,
    inside_narrowest,
    never,
    quoted_lead,
    which_goal,
)
from rainbowdp.planning.values import Chance, GroupsPlan, LeadRow, Need, NeededLead, PrivacyPlan
from rainbowdp.planning.words import sentence
from rainbowdp.privacy import ApproxDP
from rainbowdp.questions import Neighbors, YesNo

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
    mechanisms, notes = {goal: chosen}, [*chosen.notes]
    other: Goal = GOALS[1] if goal == GOALS[0] else GOALS[0]
    try:
        mechanisms[other] = mechanism_of(asked, other, rule)
    except QuestionError as error:
        notes.append(f"{other} is not shown: {error.what}")
    if mechanisms.get(other) == chosen:
        columns = [mechanism_column(goal, chosen)]
        notes.append(SAME_GOALS)
    else:
        columns = [mechanism_column(name, mechanisms[name]) for name in GOALS if name in mechanisms]
        if len(columns) > 1:
            notes.append(which_goal(asked))
    if isinstance(asked.question, YesNo) and asked.question.false_yes is not None:
        notes.append(LEANS_TO_NO)
    noisy = noisy_column(asked, mechanisms.get("typical", chosen))
    columns += [*([] if noisy is None else [noisy]), ignoring_column(asked)]
    return Ways(
        chosen, {name: mechanisms[name] for name in GOALS if name in mechanisms}, tuple(columns), tuple(notes)
    )


def planned(
    ways: Ways, goal: Goal, neighbors: Neighbors, shown: Shown
) -> tuple[PrivacyPlan, tuple[str, ...]]:
    """Return the figures under one notion of privacy, and what else is to be known.

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
    """
    asked, column = ways.chosen.asked, ways.column(goal)
    assert column is not None  # noqa: S101 - the chosen goal always has one
    needs = tuple(
        Need(
            target,
            tuple(
                NeededLead(each.name, case, each.needed(case, target), each.is_computed(case))
                for each in ways.columns
                for case in each.cases
            ),
        )
        for target in shown.targets
    )
    leads = shown.leads or _series(max_needed(needs, column), shown)
    rivals, why = rival_columns(asked) if shown.compare else ((), "")
    quoted = quoted_lead(column) if shown.lead is None else shown.lead
    groups = None if shown.groups is None else _groups(ways.chosen, column, neighbors, shown.groups, quoted)
    others = [each for each in (*ways.columns[:-1], *rivals) if each is not column]
    part = PrivacyPlan(
        privacy=asked.privacy,
        charged=ways.chosen.charged,
        mechanisms={name: mechanism.name for name, mechanism in ways.mechanisms.items()},
        sentences=tuple(map(sentence, _sentences(ways.chosen, column, quoted, groups, shown))),
        cost=privacy_cost(
            ways.chosen.charged, asked.neighbors, rho_of(ways.chosen), in_group=asked.neighbors != neighbors
        ),
        rows=_rows(ways.columns, leads, shown),
        needs=needs,
        compared=_rows(rivals, leads, shown) if rivals else None,
        groups=groups,
        remarks=tuple(map(sentence, [*ahead_remarks(asked, column, others, leads), *_delta(ways, leads)])),
    )
    moving = [_BETWEEN_GROUPS] if asked.neighbors != neighbors else []
    return part, (*ways.notes, *moving, *([why] if why else []), *_not_computed(ways))


def max_needed(needs: Sequence[Need], column: Column) -> int | None:
    """Return the lead that a column needs for the highest probability in its hardest case."""
    return needs[-1].lead(column.name, hard_case(column, 1))


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
    said = [never(asked) if is_known else UNKNOWN]
    if lead is not None and is_known:
        said = [expectation(asked, column, lead, shown.share(lead))]
    said += [*inside_narrowest(mechanism, column, lead), *behind(mechanism, column), charge(mechanism)]
    if groups is not None and groups.not_all is not None:
        said.append(groups_sentence(groups, asked, hard_case(column, groups.lead)))
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
        missed = value_ball(wrong)
        return missed if missed == 1 else -(count * (-missed).log1p()).expm1()

    return EnclosedNumber(evaluate)


def _delta(ways: Ways, leads: Sequence[int]) -> list[str]:
    typical, guarantee = ways.column("typical"), ways.column("guarantee")
    asked = ways.chosen.asked
    if (
        typical is None
        or guarantee is None
        or not isinstance(asked.privacy, ApproxDP)
        or not asked.privacy.delta
    ):
        return []
    if "all-close" not in typical.cases or not typical.is_computed("all-close"):
        return []
    return [delta_remark(asked, typical, guarantee, leads)]


def _not_computed(ways: Ways) -> list[str]:
    if all(each.is_computed(case) for each in ways.columns for case in each.cases):
        return []
    return [_NOT_COMPUTED]
