# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: how often an answer would be right, at what cost, and where a rival is better."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rainbowdp.cli.command import add
from rainbowdp.cli.figures import drawing
from rainbowdp.cli.lists import read_numbers, written
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
from rainbowdp.cli.output import emit, emit_json, emit_table
from rainbowdp.cli.question_declarations import MaxRows, Relation, Unit
from rainbowdp.cli.question_options import (
    QUESTIONS,
    SUMMARIES,
    read_relation,
    read_rows,
    with_question,
)
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.planning import LeadRow, Plan, PrivacyPlan, RivalChance
    from rainbowdp.privacy import Privacy
    from rainbowdp.questions import Question

FORMATS = ("table", "json")
_DENSE = 60
_PRIVACY = "Privacy (--epsilon, perhaps with --delta; or --mu; or --want and --lead)"

HELP = (
    "Planning before spending: how often an answer would be right, what it would cost, and where another "
    "mechanism would be better. No data are opened, so a plan costs nothing."
)
_MORE = (
    "For each epsilon it tells how often the answer will be right, by its lead: how many people the right "
    "answer is ahead of the next one. It tells the lead needed to be right 90, 95, 99 and 99.9 % of the "
    "time, and the same for other ways to draw an answer: the exponential mechanism, permute-and-flip and, "
    "where it applies, the thresholded geometric mechanism. With --want 0.99 --lead 40 it finds the least "
    "epsilon."
)
_EXAMPLES = {
    "winner": ("rainbowdp plan winner --options A,B,C --epsilon 0.1,0.5,1",),
    "ranking": ("rainbowdp plan ranking --options A,B,C --epsilon 0.5,1",),
    "yes-no": ("rainbowdp plan yes-no --equals yes --share 1/2 --epsilon 0.1,0.5,1",),
    "level": ("rainbowdp plan level --equals yes --edges 10,20", "--labels low,medium,high --epsilon 0.5,1"),
    "bracket": ("rainbowdp plan bracket --edges 18,65 --epsilon 0.5,1",),
}

Epsilons = Annotated[
    str | None,
    typer.Option(
        "--epsilon",
        metavar="LIST",
        help="One or more, separated by commas: 0.1,0.5,'ln 3'. One person's data make no answer more than "
        "e^epsilon times as likely; smaller is more private.",
        rich_help_panel=_PRIVACY,
    ),
]
DeltaOfAll = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="NUMBER",
        help="Additional probability by which each epsilon may be exceeded, such as 1e-6.",
        rich_help_panel=_PRIVACY,
    ),
]
Mus = Annotated[
    str | None,
    typer.Option(
        "--mu",
        metavar="LIST",
        help="Gaussian differential privacy, in place of --epsilon; one or more.",
        rich_help_panel=_PRIVACY,
    ),
]
Want = Annotated[
    str | None,
    typer.Option(
        "--want",
        metavar="NUMBER",
        help="How often the answer is to be right, such as 0.99; with --lead: find the least epsilon.",
        rich_help_panel=_PRIVACY,
    ),
]
Lead = Annotated[
    str | None,
    typer.Option(
        "--lead",
        metavar="PEOPLE",
        help="By how many people the right answer is expected to be ahead of the next one.",
        rich_help_panel=_PRIVACY,
    ),
]
Leads = Annotated[
    str | None,
    typer.Option(
        "--leads",
        metavar="LIST",
        help="The leads to show: a list such as 1,5,20, or a range such as 1:21, which leaves 21 out.",
    ),
]


def plan_command(
    question: "Question",
    *,
    epsilon: Epsilons = None,
    delta: DeltaOfAll = None,
    mu: Mus = None,
    want: Want = None,
    lead: Lead = None,
    leads: Leads = None,
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
    expected, listed = _read_lead(lead), _read_leads(leads)
    _check_want(want)
    figure = read_plot(plot)

    from rainbowdp.planning import plan as made

    def planned(shown: list[int] | None) -> "Plan":
        return made(
            question,
            privacies,
            neighbors=relation,
            max_rows=rows,
            want=want,
            lead=expected,
            leads=shown,
            delta=delta,
        )

    found = planned(listed)
    if figure is not None:
        _draw(planned(listed or _dense(found)), figure)
    if chosen == "json":
        emit_json(found.to_json())
    else:
        _print(found)
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


def _read_lead(lead: str | None) -> int | None:
    if lead is None:
        return None
    number = whole_number(lead)
    if number is None or not 1 <= number <= LARGEST_WHOLE:
        raise UsageError(
            f"--lead {lead!r} is not a whole number from 1 to 2^53", help="give for example --lead 40"
        )
    return number


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


def _print(plan: "Plan") -> None:
    answers = ", ".join(written(plan.question.answer_json(one)) for one in plan.question.answers[:8])
    more = f" and {len(plan.question.answers) - 8} more" if len(plan.question.answers) > 8 else ""
    hidden = (
        "one person joins or leaves" if plan.neighbors == "add-remove" else "one person's data are replaced"
    )
    each = f"up to {plan.max_rows} row{'s' * (plan.max_rows > 1)} per person"
    lines = [
        f"{plan.question.kind}: {answers}{more}",
        f"protected: that {hidden} ({plan.neighbors}), {each}",
        f"lead: {plan.lead_means}",
    ]
    if plan.least is not None:
        least = plan.least
        asked = f"a right answer with probability {float(least.want):.6g} at a lead of {least.lead}"
        lines += ["", f"least {least.parameter} for {asked}: {least.text}"]
    emit(lines, "people")
    for part in plan.privacies:
        _print_part(part)
    if plan.notes:
        emit(["", *(f"note: {text}" for text in plan.notes)], "people")


def _print_part(part: "PrivacyPlan") -> None:
    typed = ", ".join(f"{name}={value}" for name, value in part.parameters.items())
    emit(["", typed, *(f"  {words}" for words in part.cost.words), ""], "people")
    rivals = part.rows[0].rivals if part.rows else ()
    heads = ["rainbowdp", *_heads(rivals)]
    emit_table(["right at a lead of", *heads], [[str(row.lead), *_chances(row)] for row in part.rows])
    emit([""], "people")
    emit_table(
        ["lead for a right answer", *heads],
        [[f"{float(100 * need.right):.6g} %", *_leads((need, *need.rivals))] for need in part.needs],
    )
    if part.remarks:
        emit(["", *part.remarks], "people")


def _heads(rivals: "Iterable[RivalChance]") -> Iterator[str]:
    found = list(rivals)
    several = len({rival.case for rival in found}) > 1
    for rival in found:
        case = {"all-close": " (all close)", "one-close": " (one close)"}[rival.case] if several else ""
        yield rival.mechanism.removesuffix(" mechanism") + case


def _chances(row: "LeadRow") -> Iterator[str]:
    from rainbowdp.planning.chances import shown_right

    yield from map(shown_right, (row.wrong, *(rival.wrong for rival in row.rivals)))


def _leads(needs: "Iterable[object]") -> Iterator[str]:
    for need in needs:
        lead = getattr(need, "lead", None)
        yield "none" if lead is None else str(lead)
