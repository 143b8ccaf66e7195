# SPDX-License-Identifier: Apache-2.0
"""A plan as text for people: what to expect in sentences, then the tables, then what else is to be known."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rainbowdp.cli.answers import possible_answers
from rainbowdp.cli.output import emit

if TYPE_CHECKING:
    from rainbowdp.planning import LeadRow, Least, Plan, PrivacyPlan
    from rainbowdp.planning.leads import PlanCase

_GAP = "   "


@dataclass(frozen=True)
class Group:
    """Columns of a table that stand under one head.

    Attributes
    ----------
    head : str
        The head of all.
    names : tuple of str
        The head of each column.
    cells : tuple of tuple of str
        The cells of each column.
    """

    head: str
    names: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    def merged(self) -> "Group":
        """Return one column in place of several that are the same."""
        return self if len(set(self.cells)) > 1 else Group(self.head, ("",), self.cells[:1])


def print_plan(plan: "Plan") -> None:
    """Write a plan to stdout."""
    emit(_head(plan), for_people=True)
    for part in plan.privacies:
        emit(_part(part, plan), for_people=True)
    if plan.notes:
        emit(["", *(f"note: {text}" for text in plan.notes)], for_people=True)


def _head(plan: "Plan") -> Iterator[str]:
    hidden = (
        "one person joins or leaves" if plan.neighbors == "add-remove" else "one person's data are replaced"
    )
    yield f"{plan.question.kind}: {possible_answers(plan.question)}"
    each = f"up to {plan.max_rows} row{'s' * (plan.max_rows > 1)} per person"
    yield f"protected: that {hidden} ({plan.neighbors}), {each}"
    if (plan.groups or 1) > 1 and plan.neighbors == "change-one":
        yield "in one group: that one person joins or leaves; all groups together hide that data are replaced"
    yield f"lead: {plan.lead_means}"
    yield f"goal: {plan.goal}"
    if plan.least is not None:
        yield ""
        yield _least(plan, plan.least)


def _least(plan: "Plan", least: "Least") -> str:
    from rainbowdp.exact import show

    cases = {chance.case for _, row in plan.rows for chance in row.chances}
    held = ", whatever the other answers do" if "one-close" in cases else ""
    held = ", whatever the level" if plan.question.kind == "level" and held else held
    held = ", whether it is yes or no" if "yes" in cases else held
    wanted = f"a right answer in {show(100 * least.want)} of 100 cases at a lead of {least.lead}{held}"
    return f"least {least.parameter} for {wanted}: {least.text}"


def _part(part: "PrivacyPlan", plan: "Plan") -> Iterator[str]:
    yield ""
    yield ", ".join(f"{name}={value}" for name, value in part.parameters.items())
    yield from (f"  {words}" for words in (*part.sentences, *part.cost.words))
    yield ""
    yield f"right answers in 100 cases, by lead ({_marked(part, plan.goal)})"
    yield from _table(_lead_columns(part.rows), _chances(part.rows, plan))
    yield ""
    yield "lead needed for right answers in so many of 100 cases"
    yield from _table(_wanted_column(part), _needs(part, plan))
    if part.compared is not None:
        yield ""
        yield "right answers in 100 cases of other mechanisms, by lead"
        yield from _table(_lead_columns(part.compared), _chances(part.compared, plan))
    if part.remarks:
        yield ""
        yield from part.remarks


def _marked(part: "PrivacyPlan", goal: str) -> str:
    return f"* the chosen goal, by the mechanism {part.mechanisms[goal]}"


def _lead_columns(rows: Sequence["LeadRow"]) -> list[Group]:
    from rainbowdp.planning.leads import percent

    found = [Group("lead", ("",), (tuple(str(row.lead) for row in rows),))]
    if rows and rows[0].share is not None:
        shares = tuple("" if row.share is None else percent(row.share) for row in rows)
        found.append(Group("share", ("",), (shares,)))
    return found


def _wanted_column(part: "PrivacyPlan") -> list[Group]:
    from rainbowdp.exact import show

    return [Group("right", ("",), (tuple(show(100 * need.right) for need in part.needs),))]


def _chances(rows: Sequence["LeadRow"], plan: "Plan") -> list[Group]:
    from rainbowdp.planning.words import cell

    return _grouped(
        [(chance.mechanism, chance.case) for chance in rows[0].chances],
        lambda at: [None if (wrong := row.chances[at].wrong) is None else cell(wrong) for row in rows],
        plan,
    )


def _needs(part: "PrivacyPlan", plan: "Plan") -> list[Group]:
    def cells(at: int) -> list[str | None]:
        leads = [need.leads[at] for need in part.needs]
        return [
            ("none" if lead.lead is None else str(lead.lead)) if lead.is_computed else None for lead in leads
        ]

    return _grouped([(lead.mechanism, lead.case) for lead in part.needs[0].leads], cells, plan)


def _grouped(
    names: Sequence[tuple[str, "PlanCase"]], cells: Callable[[int], list[str | None]], plan: "Plan"
) -> list[Group]:
    from rainbowdp.planning.leads import case_head

    groups: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for at, (mechanism, case) in enumerate(names):
        column = tuple("-" if text is None else text for text in cells(at))
        groups.setdefault(mechanism, []).append((case_head(plan.question, case), column))
    return [
        Group(
            f"{mechanism} *" if mechanism == plan.goal else mechanism,
            tuple(case for case, _ in columns),
            tuple(column for _, column in columns),
        ).merged()
        for mechanism, columns in groups.items()
    ]


def _table(first: Sequence[Group], groups: Sequence[Group]) -> Iterator[str]:
    """Yield a table with a head of two lines, or of one where no group has several columns."""
    everything = [*first, *groups]
    widths = [_widths(group) for group in everything]
    heads = list(map(_over, everything, widths))
    yield _GAP.join(heads).rstrip()
    if any(len(group.names) > 1 for group in everything):
        yield _line([group.names for group in everything], widths)
    yield "─" * len(_GAP.join(heads))
    for at in range(len(everything[0].cells[0])):
        yield _line([tuple(column[at] for column in group.cells) for group in everything], widths)


def _over(group: Group, widths: Sequence[int]) -> str:
    """Return the head of a group over the middle of its columns, or at the right end of a single one."""
    width = len(_GAP.join(" " * each for each in widths))
    return group.head.rjust(width) if len(widths) == 1 else group.head.center(width)


def _widths(group: Group) -> list[int]:
    widths = [max(map(len, (name, *cells))) for name, cells in zip(group.names, group.cells, strict=True)]
    missing = len(group.head) - sum(widths) - len(_GAP) * (len(widths) - 1)
    return [widths[0] + max(missing, 0), *widths[1:]]


def _line(groups: Sequence[Sequence[str]], widths: Sequence[Sequence[int]]) -> str:
    texts = zip(groups, widths, strict=True)
    cells = [text.rjust(width) for group, wide in texts for text, width in zip(group, wide, strict=True)]
    return _GAP.join(cells).rstrip()
