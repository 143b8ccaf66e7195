# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: how often an answer would be right, and at what cost, before anything is spent."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rainbowdp.cli.command import add
from rainbowdp.cli.figures import drawing
from rainbowdp.cli.lists import read_numbers
from rainbowdp.cli.options import (
    LARGEST_WHOLE,
    Debug,
    Plot,
    described,
    format_option,
    naming,
    read_choice,
    read_notion,
    read_plot,
    whole_number,
)
from rainbowdp.cli.output import emit_json
from rainbowdp.cli.plan_options import (
    Compare,
    DeltaOfAll,
    Epsilons,
    Groups,
    Lead,
    Leads,
    Mus,
    People,
    Want,
)
from rainbowdp.cli.plan_text import print_plan
from rainbowdp.cli.question_declarations import GoalOption, MaxRows, Relation, Unit
from rainbowdp.cli.question_options import (
    QUESTIONS,
    SUMMARIES,
    read_goal,
    read_relation,
    read_rows,
    with_question,
)
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.planning import Plan
    from rainbowdp.privacy import Privacy
    from rainbowdp.questions import Question

FORMATS = ("table", "json")
_DENSE = 40

HELP = (
    "Planning before spending: how often an answer would be right, and what it would cost in privacy. No "
    "data are opened, so a plan costs nothing."
)
_MORE = (
    "For each epsilon it tells how often the answer will be right, by its lead: how many people the right "
    "answer is ahead of the next one, or how many have to change before another answer is true. It tells the "
    "lead needed to be right in 90, 95 and 99 of 100 cases, and shows both goals, noisy counts, and answers "
    "that ignore the data. With --compare it adds the exponential mechanism and permute-and-flip. With "
    "--want 0.99 --lead 40 it finds the least epsilon."
)
_EXAMPLES = {
    "winner": ("rainbowdp plan winner --options A,B,C --epsilon 0.1,0.5,1",),
    "ranking": ("rainbowdp plan ranking --options A,B,C --epsilon 0.5,1",),
    "yes-no": ("rainbowdp plan yes-no --equals yes --share 1/2 --epsilon 0.1,0.5,1",),
    "level": ("rainbowdp plan level --equals yes --edges 10,20", "--labels low,medium,high --epsilon 0.5,1"),
    "bracket": ("rainbowdp plan bracket --edges 18,65 --epsilon 0.5,1",),
}


def plan_command(
    question: "Question",
    *,
    epsilon: Epsilons = None,
    delta: DeltaOfAll = None,
    mu: Mus = None,
    want: Want = None,
    lead: Lead = None,
    leads: Leads = None,
    people: People = None,
    groups: Groups = None,
    goal: GoalOption = "typical",
    compare: Compare = False,
    neighbors: Relation = "add-remove",
    unit: Unit = None,
    max_rows: MaxRows = None,
    plot: Plot = None,
    output_format: Annotated[str, format_option(*FORMATS)] = "table",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Plan one question; see `HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    relation, rows = read_relation(neighbors), read_rows(unit, max_rows)
    privacies = _read_privacies(epsilon, delta, mu, want, findable=want is not None and lead is not None)
    counted, split = _read_whole("--people", people, "1000"), _read_whole("--groups", groups, "12")
    expected, listed = _read_lead(lead, counted), _read_leads(leads)
    aim = read_goal(goal)
    _check_want(want)
    figure = read_plot(plot)

    from rainbowdp.planning import plan as made

    def planned(shown: list[int] | None) -> "Plan":
        return made(
            question,
            privacies,
            neighbors=relation,
            max_rows=rows,
            goal=aim,
            want=want,
            lead=expected,
            leads=shown,
            delta=delta,
            people=counted,
            groups=split,
            compare=compare,
        )

    found = planned(listed)
    if figure is not None:
        _draw(planned(listed or _dense(found)), figure)
    if chosen == "json":
        emit_json(found.to_json())
    else:
        print_plan(found)
    return 0


plan_app = typer.Typer(name="plan", help=HELP)
for _kind, _question in QUESTIONS.items():
    add(
        plan_app,
        _kind,
        with_question(_question, plan_command, needs_column=False),
        described(f"Plan the question: {SUMMARIES[_kind]}", _MORE, lines=_EXAMPLES[_kind]),
    )


@plan_app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _read_privacies(
    epsilon: str | None, delta: str | None, mu: str | None, want: str | None, *, findable: bool
) -> "list[Privacy]":
    from rainbowdp.exact import parse_exponent

    if mu is not None:
        if epsilon is not None or delta is not None:
            other = "--epsilon" if epsilon is not None else "--delta"
            raise UsageError(f"--mu and {other} do not belong together", help="give one notion of privacy")
        return [read_notion(mu=text) for text in read_numbers("--mu", mu, "0.5,1", parse_exponent)]
    if epsilon is None:
        if not findable:
            raise UsageError(
                "no privacy is given" if want is None else "--want is given without --lead, and no privacy",
                help="give --epsilon 0.1,0.5,1, or --want 0.99 --lead 40 to find the least epsilon",
            )
        return []
    texts = read_numbers("--epsilon", epsilon, "0.1,0.5,1", parse_exponent)
    return [read_notion(text, delta) for text in texts]


def _check_want(want: str | None) -> None:
    from rainbowdp.exact import parse_fraction

    if want is None:
        return
    with naming("--want"):
        number = parse_fraction(want)
    if not 0 < number < 1:
        raise UsageError(
            f"--want {want!r} is no number between 0 and 1",
            help="give for example --want 0.99",
            option="--want",
        )


def _read_whole(option: str, text: str | None, example: str) -> int | None:
    number = None if text is None else whole_number(text)
    if text is not None and (number is None or not 1 <= number <= LARGEST_WHOLE):
        raise UsageError(
            f"{option} {text!r} is not a whole number from 1 to 2^53",
            help=f"give for example {option} {example}",
            option=option,
        )
    return number


def _read_lead(lead: str | None, people: int | None) -> int | str | None:
    if lead is None or not lead.strip().endswith("%"):
        return _read_whole("--lead", lead, "40")
    if people is None:
        raise UsageError(
            f"--lead {lead!r} is a share, and --people is missing",
            help="give --people N, or the lead in people: --lead 40",
            option="--lead",
        )
    with naming("--lead"):
        return lead


def _read_leads(leads: str | None) -> list[int] | None:
    from rainbowdp.cli.distances import read_distances

    if leads is None:
        return None
    found = list(read_distances(leads, called="lead"))
    if min(found) < 1:
        raise UsageError(f"--leads {leads!r} has a lead below 1", help="begin with 1, as in 1:21")
    return found


def _dense(plan: "Plan") -> list[int]:
    """Return leads that make smooth curves up to the last lead of a plan."""
    last = max(row.lead for part in plan.privacies for row in part.rows)
    return sorted({max(1, round(last ** (at / _DENSE))) for at in range(_DENSE + 1)})


def _draw(plan: "Plan", figure: Path) -> None:
    from rainbowdp.plots.planning import plot_plan

    with drawing():
        plot_plan(plan, figure)
