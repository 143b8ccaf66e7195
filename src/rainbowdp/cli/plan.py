# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: how often an answer would be right, and at what cost, before anything is spent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.output import drawing, emit, emit_json
from rainbowdp.cli.params import described, items, option, probability, whole, whole_numbers
from rainbowdp.cli.questions import QUESTIONS, SUMMARIES, with_question

if TYPE_CHECKING:
    from rainbowdp.planning import Chance, LeadRow, Least, NeededLead, Plan, PrivacyPlan
    from rainbowdp.privacy import Privacy
    from rainbowdp.questions import Question

_GAP = "   "
_DENSE = 40
_Groups = dict[str, dict[str, tuple[str, ...]]]

HELP = (
    "Planning before spending: how often an answer would be right, and what it would cost in privacy. No "
    "data are opened, so a plan costs nothing."
)
_MORE = (
    "For each epsilon it tells how often the answer will be right, by its lead: how many people the right "
    "answer is ahead of the next one, or how many have to change before another answer is true. It tells the "
    "lead needed to be right in 90, 95 and 99 of 100 cases, and shows both goals, noisy counts, and answers "
    "that ignore the data. With --want 0.99 --lead 40 it finds the least epsilon."
)
_EXAMPLES = {
    "winner": ("rainbowdp plan winner --options A,B,C --epsilon 0.1,0.5,1",),
    "ranking": ("rainbowdp plan ranking --options A,B,C --epsilon 0.5,1",),
    "yes-no": ("rainbowdp plan yes-no --equals yes --share 1/2 --epsilon 0.1,0.5,1",),
    "level": ("rainbowdp plan level --equals yes --edges 10,20", "--labels low,medium,high --epsilon 0.5,1"),
    "bracket": ("rainbowdp plan bracket --edges 18,65 --epsilon 0.5,1",),
}


_expected = partial(option, panel="What is expected")
_private = partial(option, panel="Privacy (--epsilon, perhaps with --delta; or --mu; or --want and --lead)")

EPSILON = _private(
    "--epsilon LIST",
    "One or more: 0.1,0.5,'ln 3'. One person makes no answer more than e^epsilon times as likely.",
    items,
)
DELTA = _private(
    "--delta NUMBER", "Additional probability by which each epsilon may be exceeded, such as 1e-6."
)
MU = _private("--mu LIST", "Gaussian differential privacy, in place of --epsilon; one or more.", items)
WANT = _expected(
    "--want NUMBER",
    "How often the answer is to be right, such as 0.99; with --lead: find the least epsilon.",
    probability,
)
LEAD = _expected(
    "--lead PEOPLE|SHARE%",
    "By how many people the right answer is expected to be ahead of the next one; with --people also as a "
    "share of them: 3%.",
    lambda text: text if text.strip().endswith("%") else whole(text),
)
LEADS = _expected("--leads LIST", "The leads to show: 1,5,20, or 1:21, which ends before 21.", whole_numbers)
PEOPLE = _expected("--people N", "How many people there are, about; a public number.", whole)
GROUPS = _expected("--groups G", "How many groups are answered for, see ask --by.", whole)
COMPARE = option("--compare", "Also show the exponential mechanism and permute-and-flip.")


def plan_command(
    question: "Question",
    *,
    epsilon: Sequence[str] | None = EPSILON,
    delta: str | None = DELTA,
    mu: Sequence[str] | None = MU,
    want: Fraction | None = WANT,
    lead: Any = LEAD,  # noqa: ANN401 - a whole number, or a share as text
    leads: Sequence[int] | None = LEADS,
    people: int | None = PEOPLE,
    groups: int | None = GROUPS,
    goal: common.Goal = common.GOAL,
    compare: bool = COMPARE,
    neighbors: common.Relation = common.RELATION,
    unit: str | None = common.UNIT,
    max_rows: int | None = common.MAX_ROWS,
    plot: Path | None = common.PLOT,
    output_format: Literal["table", "json"] = common.TABLE_OR_JSON,
) -> int:
    """Plan one question; see `HELP`."""
    from rainbowdp.exact.arguments import require_together
    from rainbowdp.planning import plan as made

    require_together("give both: --unit COLUMN --max-rows M", unit=unit, max_rows=max_rows)
    planned = partial(
        made,
        question,
        _privacies(epsilon, delta, mu),
        neighbors=neighbors,
        max_rows=max_rows or 1,
        goal=goal,
        want=want,
        lead=lead,
        delta=delta,
        people=people,
        groups=groups,
        compare=compare,
    )
    found = planned(leads=leads)
    if plot is not None:
        from rainbowdp.plots.planning import plot_plan

        with drawing():
            plot_plan(planned(leads=leads or _dense(found)), plot)
    if output_format == "json":
        emit_json(found.to_json())
    else:
        _print_plan(found)
    return 0


COMMANDS = {
    "plan": (
        HELP,
        {
            kind: (
                described(f"Plan the question: {SUMMARIES[kind]}", _MORE, lines=lines),
                with_question(QUESTIONS[kind], plan_command, needs_column=False),
            )
            for kind, lines in _EXAMPLES.items()
        },
    )
}
"""The commands of this module by word: the help, and the commands under the word."""


def _privacies(epsilon: Sequence[str] | None, delta: str | None, mu: Sequence[str] | None) -> "list[Privacy]":
    """Return a notion for each number; none where the least epsilon is looked for."""
    from rainbowdp.privacy import privacy_of

    if mu is None:
        return [privacy_of(text, delta) for text in epsilon or ()]
    return [privacy_of(epsilon[0] if epsilon else None, delta, text) for text in mu]


def _dense(plan: "Plan") -> Sequence[int]:
    """Return leads that make smooth curves up to the last lead of a plan."""
    last = max(row.lead for _, row in plan.rows)
    return sorted({max(1, round(last ** (at / _DENSE))) for at in range(_DENSE + 1)})


def _print_plan(plan: "Plan") -> None:
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
    from rainbowdp.questions.words import possible_answers

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
    held = ", whether it is yes or no" if "yes" in cases else ""
    if "one-close" in cases:
        held = f", whatever the {'level' if plan.question.kind == 'level' else 'other answers do'}"
    wanted = f"a right answer in {show(100 * least.want)} of 100 cases at a lead of {least.lead}{held}"
    return f"least {least.parameter} for {wanted}: {least.text}"


def _part(part: "PrivacyPlan", plan: "Plan") -> Iterator[str]:
    from rainbowdp.exact import show

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
    yield from _table({"right": {"": wanted}}, ((each, tuple(map(_lead, each))) for each in leads), plan)
    if part.compared is not None:
        yield ""
        yield "right answers in 100 cases of other mechanisms, by lead"
        yield from _chances(part.compared, plan)
    if part.remarks:
        yield ""
        yield from part.remarks


def _lead(needed: "NeededLead") -> str:
    return str(needed.lead or "none") if needed.is_computed else "-"


def _chances(rows: Sequence["LeadRow"], plan: "Plan") -> Iterator[str]:
    from rainbowdp.planning.words import cell, percent

    first: _Groups = {"lead": {"": tuple(str(row.lead) for row in rows)}}
    if plan.people is not None:
        first["share"] = {"": tuple("" if row.share is None else percent(row.share) for row in rows)}
    chances = zip(*(row.chances for row in rows), strict=True)
    cells = ((each, tuple("-" if one.wrong is None else cell(one.wrong) for one in each)) for each in chances)
    return _table(first, cells, plan)


def _table(
    groups: _Groups, more: "Iterable[tuple[Sequence[Chance | NeededLead], tuple[str, ...]]]", plan: "Plan"
) -> Iterator[str]:
    """Yield a table with a head of two lines, or of one where no group has several columns.

    Parameters
    ----------
    groups : dict
        Columns that stand under one head, by head; of each the head and the cells.
    more : iterable
        What is shown in a column, all of one mechanism and case, and its cells.
    plan : Plan
        Which goal is chosen, and what the cases are called.
    """
    from rainbowdp.planning.words import case_head

    for (shown, *_), cells in more:
        head = f"{shown.mechanism} *" if shown.mechanism == plan.goal else shown.mechanism
        groups.setdefault(head, {})[case_head(plan.question, shown.case)] = cells
    # Columns that are the same become one.
    columns = {
        head: each if len(set(each.values())) > 1 else {"": next(iter(each.values()))}
        for head, each in groups.items()
    }
    blocks = [_block(head, each) for head, each in columns.items()]
    over, cases, *rows = map(_GAP.join, zip(*blocks, strict=True))
    yield over.rstrip()
    if any(len(each) > 1 for each in columns.values()):
        yield cases.rstrip()
    yield "─" * len(over)
    yield from (row.rstrip() for row in rows)


def _block(head: str, columns: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the lines of columns under one head, which stands over their middle, or at the end of one."""
    widths = [max(map(len, (case, *cells))) for case, cells in columns.items()]
    widths[0] += max(0, len(head) - len(_GAP.join(" " * width for width in widths)))
    lines = [
        _GAP.join(text.rjust(width) for text, width in zip(line, widths, strict=True))
        for line in zip(*((case, *cells) for case, cells in columns.items()), strict=True)
    ]
    width = len(lines[0])
    return [head.rjust(width) if len(widths) == 1 else head.center(width), *lines]
