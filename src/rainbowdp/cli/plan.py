# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: how often an answer would be right, and at what cost, before anything is spent."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.output import drawing, emit, emit_json
from rainbowdp.cli.params import described, items, option, probability, require_distinct, whole, whole_numbers
from rainbowdp.cli.questions import QUESTIONS, SUMMARIES, with_parts

if TYPE_CHECKING:
    from rainbowdp.planning import Plan
    from rainbowdp.privacy import Privacy
    from rainbowdp.questions import Question

_DENSE = 40

HELP = described(
    "Planning before spending: how often an answer would be right, and what it would cost in privacy. No "
    "data are opened, so a plan costs nothing.",
    lines=("rainbowdp plan winner --options A,B,C --epsilon 0.1,0.5,1",),
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
    *,
    question: "Question",
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
    report: Path | None = common.REPORT,
    output_format: Literal["table", "json"] = common.TABLE_OR_JSON,
) -> int:
    """Plan one question; see `HELP`."""
    from rainbowdp.exact.arguments import require_together
    from rainbowdp.planning import plan as made

    require_distinct({"--plot": plot, "--report": report}, {})
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
        from rainbowdp.plots import plot_plan

        with drawing():
            plot_plan(planned(leads=leads or _dense(found)), plot)
    if report is not None:
        from rainbowdp.explorer.reports import plan_report
        from rainbowdp.formats.files import write_whole

        write_whole(report, plan_report(found))
    if output_format == "json":
        emit_json(found.to_json())
    else:
        emit(found.lines(), for_people=True)
    return 0


COMMANDS = {
    "plan": (
        HELP,
        {
            kind: (
                described(f"Plan the question: {SUMMARIES[kind]}", _MORE, lines=lines),
                with_parts(plan_command, any_column=True, question=QUESTIONS[kind]),
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
