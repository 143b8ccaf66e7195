# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp plan``: how often an answer would be right, and at what cost, before anything is spent."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rainbowdp.cli import options as common
from rainbowdp.cli.framework import add, described, group, option
from rainbowdp.cli.lists import numbers
from rainbowdp.cli.notes import drawing
from rainbowdp.cli.output import emit_json
from rainbowdp.cli.plan_text import print_plan
from rainbowdp.cli.question_declarations import GoalOption, MaxRows, Relation, Unit
from rainbowdp.cli.question_options import QUESTIONS, SUMMARIES, with_question
from rainbowdp.cli.values import distances, probability, require_both, whole
from rainbowdp.errors import UsageError

if TYPE_CHECKING:
    from rainbowdp.planning import Plan
    from rainbowdp.privacy import Privacy
    from rainbowdp.questions import Question

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


_EXPECTED = "What is expected"
_PRIVACY = "Privacy (--epsilon, perhaps with --delta; or --mu; or --want and --lead)"


def _between_0_and_1(option: str, text: str) -> Fraction:
    number = probability(option, text)
    if not 0 < number < 1:
        raise UsageError(
            f"{option} {text!r} is not a number between 0 and 1",
            help=f"give for example {option} 0.99",
            option=option,
        )
    return number


def _lead(option: str, text: str) -> int | str:
    """Read a number of people, or a share of them, which stays a text that ends in a percent sign."""
    return text if text.strip().endswith("%") else whole("40")(option, text)


def _leads(option: str, text: str) -> Sequence[int]:
    found = list(distances(option, text))
    if min(found) < 1:
        raise UsageError(f"{option} {text!r} has a lead below 1", help="begin with 1, as in 1:21")
    return found


Epsilons = Annotated[
    str | None,
    option(
        "--epsilon LIST",
        "One or more, separated by commas: 0.1,0.5,'ln 3'. One person's data make no answer more than "
        "e^epsilon times as likely; smaller is more private.",
        panel=_PRIVACY,
    ),
]
DeltaOfAll = Annotated[
    str | None,
    option(
        "--delta NUMBER",
        "Additional probability by which each epsilon may be exceeded, such as 1e-6.",
        panel=_PRIVACY,
    ),
]
Mus = Annotated[
    str | None,
    option("--mu LIST", "Gaussian differential privacy, in place of --epsilon; one or more.", panel=_PRIVACY),
]
Want = Annotated[
    Fraction | None,
    option(
        "--want NUMBER",
        "How often the answer is to be right, such as 0.99; with --lead: find the least epsilon.",
        _between_0_and_1,
        panel=_EXPECTED,
    ),
]
Lead = Annotated[
    # A whole number, or a share as text.
    Any,
    option(
        "--lead PEOPLE|SHARE%",
        "By how many people the right answer is expected to be ahead of the next one; with --people "
        "also as a share of them: 3%.",
        _lead,
        panel=_EXPECTED,
    ),
]
Leads = Annotated[
    Sequence[int] | None,
    option(
        "--leads LIST",
        "The leads to show: a list such as 1,5,20, or a range such as 1:21, which leaves 21 out.",
        _leads,
        panel=_EXPECTED,
    ),
]
People = Annotated[
    int | None,
    option(
        "--people N",
        "How many people there are, about: leads are also told as shares of them. It must be public.",
        whole("1000"),
        panel=_EXPECTED,
    ),
]
Groups = Annotated[
    int | None,
    option(
        "--groups G",
        "How many groups will be answered for (ask --by): also tell how often all of them are right.",
        whole("12"),
        panel=_EXPECTED,
    ),
]
Compare = Annotated[
    bool,
    option("--compare", "Also show the exponential mechanism and permute-and-flip, in a table of their own."),
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
    people: People = None,
    groups: Groups = None,
    goal: GoalOption = "typical",
    compare: Compare = False,
    neighbors: Relation = "add-remove",
    unit: Unit = None,
    max_rows: MaxRows = None,
    plot: common.Plot = None,
    output_format: Annotated[Literal["table", "json"], common.format_option("table", "json")] = "table",
) -> int:
    """Plan one question; see `HELP`."""
    require_both("--unit", unit, "--max-rows", max_rows, "give both: --unit COLUMN --max-rows M")
    if isinstance(lead, str) and people is None:
        raise UsageError(
            f"--lead {lead!r} is a share, and --people is missing",
            help="give --people N, or the lead in people: --lead 40",
            option="--lead",
        )
    findable = want is not None and lead is not None
    privacies = _read_privacies(epsilon, delta, mu, wanted=want is not None, findable=findable)

    from rainbowdp.planning import plan as made

    planned = partial(
        made,
        question,
        privacies,
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
        print_plan(found)
    return 0


def _read_privacies(
    epsilon: str | None, delta: str | None, mu: str | None, *, wanted: bool, findable: bool
) -> "list[Privacy]":
    from rainbowdp.exact import parse_exponent

    common.require_one_notion(epsilon, delta, mu, "give one notion of privacy")
    if mu is not None:
        return [common.read_notion(mu=text) for text in numbers("--mu", mu, "0.5,1", parse_exponent)]
    if epsilon is not None:
        texts = numbers("--epsilon", epsilon, "0.1,0.5,1", parse_exponent)
        return [common.read_notion(text, delta) for text in texts]
    if not findable:
        raise UsageError(
            "--want is given without --lead, and no privacy" if wanted else "no privacy is given",
            help="give --epsilon 0.1,0.5,1, or --want 0.99 --lead 40 to find the least epsilon",
        )
    return []


def _dense(plan: "Plan") -> Sequence[int]:
    """Return leads that make smooth curves up to the last lead of a plan."""
    last = max(row.lead for part in plan.privacies for row in part.rows)
    return sorted({max(1, round(last ** (at / _DENSE))) for at in range(_DENSE + 1)})


APP = group(HELP)
for _kind, _question in QUESTIONS.items():
    _command = with_question(_question, plan_command, needs_column=False)
    _paragraphs = (f"Plan the question: {SUMMARIES[_kind]}", _MORE)
    add(APP, _kind, _command, described(*_paragraphs, lines=_EXAMPLES[_kind]))
