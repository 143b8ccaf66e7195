# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp budget``: create, show, raise and close budgets, and read their history."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rainbowdp.cli.command import add
from rainbowdp.cli.options import (
    Debug,
    described,
    format_option,
    read_choice,
    read_privacy,
)
from rainbowdp.cli.output import emit_json, emit_table

if TYPE_CHECKING:
    from rainbowdp.ledger import BudgetState, Cost, Entry, Kind, Ledger

FORMATS = ("text", "json")

HELP = (
    "Budgets: what may be spent on data, what was spent, and what is left.\n\n"
    "A ledger holds budgets by name. `rainbowdp ask --ledger FILE --name NAME` charges a budget before it "
    "draws an answer, and refuses (exit code 3) what would overspend. Nothing in a ledger is ever changed or "
    "deleted."
)
CREATE_HELP = described(
    "Create a budget, and the ledger if there is none.",
    "It is of one kind for good. With --epsilon, the epsilons of all its answers may add up to so much; with "
    "--epsilon and --delta, both are added up; with --mu, the squares of the mus are, up to the square of "
    "this one, as Gaussian privacy demands.",
    lines=("rainbowdp budget create survey --ledger budgets.ledger --epsilon 3",),
)
SHOW_HELP = described(
    "Show what a budget had, spent and has left, or all budgets of a ledger.",
    "Amounts are exact. Behind one that is no decimal, such as ln(2), stands a decimal in brackets: rounded "
    "up for what was spent, and down for what is left, so that so much can still be asked for.",
    lines=("rainbowdp budget show survey --ledger budgets.ledger",),
)
HISTORY_HELP = described(
    "Show every entry of a budget, oldest first: charges, the answers released, and why it was raised.",
    lines=("rainbowdp budget history survey --ledger budgets.ledger",),
)
RAISE_HELP = described(
    "Add to a budget, for a reason that stays in its history.",
    "--epsilon, --delta and --mu say what is added, not the new total; of a mu its square is added.",
    lines=("rainbowdp budget raise survey --ledger budgets.ledger", "--epsilon 1 --reason 'second wave'"),
)
CLOSE_HELP = described(
    "Close a budget: nothing new is ever charged to it. Answers that were paid for stay.",
    lines=("rainbowdp budget close survey --ledger budgets.ledger",),
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The budget.")]
LedgerPlace = Annotated[
    str,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help="The file that keeps the budgets, or postgresql://user@host/database where several machines "
        "share them.",
    ),
]
_PRIVACY = "How much (give --epsilon, or --epsilon and --delta, or --mu)"
Epsilon = Annotated[
    str | None,
    typer.Option(
        "--epsilon",
        metavar="NUMBER",
        help="An epsilon: a decimal, a fraction or a logarithm, 3, 1/3 or 'ln 2'. All answers together then "
        "make nothing more than e^epsilon times as likely because of one person.",
        rich_help_panel=_PRIVACY,
    ),
]
Delta = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="NUMBER",
        help="An additional probability from 0 to 1 by which --epsilon may be exceeded, such as 1e-6.",
        rich_help_panel=_PRIVACY,
    ),
]
Mu = Annotated[
    str | None,
    typer.Option(
        "--mu",
        metavar="NUMBER",
        help="A mu of Gaussian differential privacy, in place of --epsilon.",
        rich_help_panel=_PRIVACY,
    ),
]
Format = Annotated[str, format_option(*FORMATS)]


def create_command(
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A new name: 1 to 200 visible characters.")],
    ledger: LedgerPlace,
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    output_format: Format = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Create a budget; see `CREATE_HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    amount = _read_cost(epsilon, delta, mu)

    from rainbowdp.ledger.names import check_name

    # Before there is a ledger: a slip makes no file.
    check_name(name, "the name of a budget")
    with _opened(ledger, create=True) as book:
        _emit_state(book.create(name, amount), chosen)
    return 0


def show_command(
    *,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The budget; all of them if left out.")
    ] = None,
    ledger: LedgerPlace,
    output_format: Format = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Show a budget or all; see `SHOW_HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    with _opened(ledger) as book:
        if name is not None:
            _emit_state(book.state(name), chosen)
            return 0
        states = [book.state(known) for known in book.names()]
    if chosen == "json":
        emit_json([_state_json(state) for state in states])
    else:
        _emit_states(states)
    return 0


def history_command(
    *,
    name: Name,
    ledger: LedgerPlace,
    output_format: Format = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Show every entry of a budget; see `HISTORY_HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    with _opened(ledger) as book:
        kind = book.state(name).kind
        entries = book.history(name)
    if chosen == "json":
        emit_json([_entry_json(entry, kind) for entry in entries])
    else:
        rows = [
            (str(entry.number), entry.recorded_at[:19], entry.event, _amount(entry.cost), _what(entry))
            for entry in entries
        ]
        emit_table(("entry", "time (UTC)", "event", "amount", "what"), rows, right=False)
    return 0


def raise_command(
    *,
    name: Name,
    ledger: LedgerPlace,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it stays in the history.")],
    epsilon: Epsilon = None,
    delta: Delta = None,
    mu: Mu = None,
    output_format: Format = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Add to a budget; see `RAISE_HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    amount = _read_cost(epsilon, delta, mu)
    with _opened(ledger) as book:
        _emit_state(book.raise_budget(name, amount, reason), chosen)
    return 0


def close_command(
    *,
    name: Name,
    ledger: LedgerPlace,
    output_format: Format = "text",
    debug: Debug = False,  # noqa: ARG001 - its callback has done the work
) -> int:
    """Close a budget; see `CLOSE_HELP`."""
    chosen = read_choice("--format", output_format, FORMATS)
    with _opened(ledger) as book:
        _emit_state(book.close_budget(name), chosen)
    return 0


budget_app = typer.Typer(name="budget", help=HELP)
add(budget_app, "create", create_command, CREATE_HELP)
add(budget_app, "show", show_command, SHOW_HELP)
add(budget_app, "history", history_command, HISTORY_HELP)
add(budget_app, "raise", raise_command, RAISE_HELP)
add(budget_app, "close", close_command, CLOSE_HELP)


@budget_app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _opened(place: str, *, create: bool = False) -> "Ledger":
    from rainbowdp.ledger import open_ledger

    return open_ledger(place, create=create)


def _read_cost(epsilon: str | None, delta: str | None, mu: str | None) -> "Cost":
    asked = read_privacy(epsilon, delta, mu)

    from rainbowdp.ledger import Cost

    return Cost.of(asked.notion)


def _emit_state(state: "BudgetState", chosen: str) -> None:
    if chosen == "json":
        emit_json(_state_json(state))
    else:
        _emit_states([state])


def _emit_states(states: "Sequence[BudgetState]") -> None:
    rows = [
        (
            state.name,
            state.total.shown(state.kind, upward=False),
            state.spent.shown(state.kind),
            state.left.shown(state.kind, upward=False),
            str(state.requests),
            "closed" if state.closed else "open",
        )
        for state in states
    ]
    emit_table(("budget", "total", "spent", "left", "requests", "state"), rows, right=False)


def _state_json(state: "BudgetState") -> dict[str, object]:
    return {
        "name": state.name,
        "kind": state.kind,
        "total": _cost_json(state.total, state.kind, upward=False),
        "spent": _cost_json(state.spent, state.kind, upward=True),
        "left": _cost_json(state.left, state.kind, upward=False),
        "requests": state.requests,
        "closed": state.closed,
    }


def _entry_json(entry: "Entry", kind: "Kind") -> dict[str, object]:
    upward = entry.event == "charge"
    facts = {
        "number": entry.number,
        "time": entry.recorded_at,
        "event": entry.event,
        "amount": None if entry.cost is None else _cost_json(entry.cost, kind, upward=upward),
        "request_id": entry.request_id,
        "question": entry.question,
        "source": entry.source,
        "privacy": entry.privacy,
        "answer": entry.answer,
        "reason": entry.reason,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}


def _cost_json(cost: "Cost", kind: "Kind", *, upward: bool) -> dict[str, object]:
    """Return each number of a cost as its exact text and as a decimal, rounded to six digits."""
    return {
        part.name: {"exact": part.exact, "decimal": part.decimal(upward=upward)} for part in cost.parts(kind)
    }


def _amount(cost: "Cost | None") -> str:
    return "" if cost is None else cost.shown()


def _what(entry: "Entry") -> str:
    """Return what an entry is about, in one line."""
    facts = {
        "request": entry.request_id,
        "question": entry.question,
        "source": entry.source,
        "privacy": entry.privacy,
        "answer": entry.answer,
        "reason": entry.reason,
    }
    return "; ".join(f"{name} {fact}" for name, fact in facts.items() if fact is not None)
