# SPDX-License-Identifier: Apache-2.0
"""A plan as lines of text, with tables by lead."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from rainbowdp.exact import show
from rainbowdp.planning.values import Chance, LeadRow, Least, NeededLead, Plan, PrivacyPlan
from rainbowdp.planning.words import case_head, cell, percent
from rainbowdp.questions.kinds import possible_answers

_GAP = "   "
_Column = tuple[str, str, tuple[str, ...]]
"""The head over a column, which columns next to it can share, its own head, and its cells."""


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield the lines that tell a plan to people."""
    yield from plan_head(plan)
    for part in plan.privacies:
        yield from _part(part, plan)
    if plan.notes:
        yield from ("", *(f"note: {text}" for text in plan.notes))


def plan_head(plan: Plan) -> Iterator[str]:
    """Yield the lines that say what is planned; each names a thing, then a colon, then the thing itself."""
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


def _least(plan: Plan, least: Least) -> str:
    cases = {chance.case for _, row in plan.rows for chance in row.chances}
    held = ", whether it is yes or no" if "yes" in cases else ""
    if "one-close" in cases:
        held = f", whatever the {'level' if plan.question.kind == 'level' else 'other answers do'}"
    wanted = f"a right answer in {show(100 * least.want)} of 100 cases at a lead of {least.lead}{held}"
    return f"least {least.parameter} for {wanted}: {least.text}"


def _part(part: PrivacyPlan, plan: Plan) -> Iterator[str]:
    wanted = tuple(show(100 * need.right) for need in part.needs)
    yield ""
    yield ", ".join(f"{name}={value}" for name, value in part.parameters.items())
    yield from (f"  {words}" for words in (*part.sentences, *part.cost.words))
    yield ""
    mechanism = part.mechanisms[plan.goal]
    yield f"right answers in 100 cases, by lead (* the chosen goal, by the mechanism {mechanism})"
    yield from _chances(part.rows, plan)
    yield ""
    yield "lead needed for right answers in so many of 100 cases"
    leads = zip(*(need.leads for need in part.needs), strict=True)
    needed = ((*_heads(each[0], plan), tuple(map(needed_lead, each))) for each in leads)
    yield from _table([("right", "", wanted), *needed])
    if part.compared is not None:
        yield ""
        yield "right answers in 100 cases of other mechanisms, by lead"
        yield from _chances(part.compared, plan)
    if part.remarks:
        yield ""
        yield from part.remarks


def needed_lead(needed: NeededLead) -> str:
    """Return a needed lead for a table: none is enough, or a dash where that is not computed."""
    return str(needed.lead or "none") if needed.is_computed else "-"


def _heads(shown: Chance | NeededLead, plan: Plan) -> tuple[str, str]:
    """Return the mechanism and the case of a column; the chosen goal has a star."""
    chosen = " *" if shown.mechanism == plan.goal else ""
    return f"{shown.mechanism}{chosen}", case_head(plan.question, shown.case)


def _chances(rows: Sequence[LeadRow], plan: Plan) -> Iterator[str]:
    columns: list[_Column] = [("lead", "", tuple(str(row.lead) for row in rows))]
    if plan.people is not None:
        shares = tuple("" if row.share is None else percent(row.share) for row in rows)
        columns.append(("share", "", shares))
    for each in zip(*(row.chances for row in rows), strict=True):
        cells = tuple("-" if one.wrong is None else cell(one.wrong) for one in each)
        columns.append((*_heads(each[0], plan), cells))
    return _table(columns)


def _table(columns: Iterable[_Column]) -> Iterator[str]:
    """Yield a table with a head of two lines, or of one where no column has a head of its own."""
    blocks = [
        _block(over, [(head, *cells) for _, head, cells in group])
        for over, group in groupby(columns, key=itemgetter(0))
    ]
    over, heads, *rows = map(_GAP.join, zip(*blocks, strict=True))
    yield over.rstrip()
    if heads.strip():
        yield heads.rstrip()
    yield "─" * len(over)
    yield from (row.rstrip() for row in rows)


def _block(over: str, columns: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of columns under one head, which stands over their middle, or at the end of one."""
    if all(column[1:] == columns[0][1:] for column in columns):
        # Columns that are the same become one.
        columns = [("", *columns[0][1:])]
    widths = [max(map(len, column)) for column in columns]
    widths[0] += max(0, len(over) - sum(widths) - len(_GAP) * (len(widths) - 1))
    lines = [_GAP.join(map(str.rjust, line, widths)) for line in zip(*columns, strict=True)]
    return [over.rjust(widths[0]) if len(widths) == 1 else over.center(len(lines[0])), *lines]
