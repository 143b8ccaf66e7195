# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: how often an answer would be right, and at what cost, before anything is spent."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.output import drawing, emit, emit_json, possible_answers
from rainbowdp.cli.params import described, items, option, probability, whole, whole_numbers
from rainbowdp.cli.questions import QUESTIONS, SUMMARIES, with_question

if TYPE_CHECKING:
    from rainbowdp.planning import LeadRow, Least, Plan, PlanCase, PrivacyPlan
    from rainbowdp.privacy import Privacy
    from rainbowdp.questions import Question

_GAP = "   "
_DENSE = 40

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


@dataclass(frozen=True)
class _Columns:
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

    def merged(self) -> "_Columns":
        """Return one column in place of several that are the same."""
        return self if len(set(self.cells)) > 1 else _Columns(self.head, ("",), self.cells[:1])


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

    mechanism = part.mechanisms[plan.goal]
    wanted = _Columns("right", ("",), (tuple(show(100 * need.right) for need in part.needs),))
    yield ""
    yield ", ".join(f"{name}={value}" for name, value in part.parameters.items())
    yield from (f"  {words}" for words in (*part.sentences, *part.cost.words))
    yield ""
    yield f"right answers in 100 cases, by lead (* the chosen goal, by the mechanism {mechanism})"
    yield from _table(_lead_columns(part.rows), _chances(part.rows, plan))
    yield ""
    yield "lead needed for right answers in so many of 100 cases"
    yield from _table([wanted], _needs(part, plan))
    if part.compared is not None:
        yield ""
        yield "right answers in 100 cases of other mechanisms, by lead"
        yield from _table(_lead_columns(part.compared), _chances(part.compared, plan))
    if part.remarks:
        yield ""
        yield from part.remarks


def _lead_columns(rows: Sequence["LeadRow"]) -> list[_Columns]:
    from rainbowdp.planning.words import percent

    found = [_Columns("lead", ("",), (tuple(str(row.lead) for row in rows),))]
    if rows and rows[0].share is not None:
        shares = tuple("" if row.share is None else percent(row.share) for row in rows)
        found.append(_Columns("share", ("",), (shares,)))
    return found


def _chances(rows: Sequence["LeadRow"], plan: "Plan") -> list[_Columns]:
    from rainbowdp.planning.words import cell

    return _grouped(
        [(chance.mechanism, chance.case) for chance in rows[0].chances],
        lambda at: [None if (wrong := row.chances[at].wrong) is None else cell(wrong) for row in rows],
        plan,
    )


def _needs(part: "PrivacyPlan", plan: "Plan") -> list[_Columns]:
    def cells(at: int) -> list[str | None]:
        leads = [need.leads[at] for need in part.needs]
        return [str(lead.lead or "none") if lead.is_computed else None for lead in leads]

    return _grouped([(lead.mechanism, lead.case) for lead in part.needs[0].leads], cells, plan)


def _grouped(
    names: Sequence[tuple[str, "PlanCase"]], cells: Callable[[int], list[str | None]], plan: "Plan"
) -> list[_Columns]:
    from rainbowdp.planning.words import case_head

    groups: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for at, (mechanism, case) in enumerate(names):
        column = tuple("-" if text is None else text for text in cells(at))
        groups.setdefault(mechanism, []).append((case_head(plan.question, case), column))
    return [
        _Columns(
            f"{mechanism} *" if mechanism == plan.goal else mechanism,
            tuple(case for case, _ in columns),
            tuple(column for _, column in columns),
        ).merged()
        for mechanism, columns in groups.items()
    ]


def _table(first: Sequence[_Columns], groups: Sequence[_Columns]) -> Iterator[str]:
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


def _over(group: _Columns, widths: Sequence[int]) -> str:
    """Return the head of a group over the middle of its columns, or at the right end of a single one."""
    width = len(_GAP.join(" " * each for each in widths))
    return group.head.rjust(width) if len(widths) == 1 else group.head.center(width)


def _widths(group: _Columns) -> list[int]:
    widths = [max(map(len, (name, *cells))) for name, cells in zip(group.names, group.cells, strict=True)]
    missing = len(group.head) - sum(widths) - len(_GAP) * (len(widths) - 1)
    return [widths[0] + max(missing, 0), *widths[1:]]


def _line(groups: Sequence[Sequence[str]], widths: Sequence[Sequence[int]]) -> str:
    texts = zip(groups, widths, strict=True)
    cells = [text.rjust(width) for group, wide in texts for text, width in zip(group, wide, strict=True)]
    return _GAP.join(cells).rstrip()
