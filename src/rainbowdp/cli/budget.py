# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp budget``: create, show, raise and close budgets, and read their history."""

from typing import TYPE_CHECKING, Literal

from rainbowdp.cli.options import DELTA, EPSILON, MU, TEXT_OR_JSON, read_privacy
from rainbowdp.cli.output import emit_json, emit_table
from rainbowdp.cli.params import argument, described, option

if TYPE_CHECKING:
    from rainbowdp.ledger import BudgetState, Cost, Entry, Kind, Ledger

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
    "Amounts are exact. After one that is not a decimal, such as ln(2), stands one in brackets: rounded "
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

NAME = argument("NAME", "The budget.")
NEW_NAME = argument("NAME", "A new name: 1 to 200 visible characters.")
ANY_NAME = argument("[NAME]", "The budget; all of them if left out.", default=None)
LEDGER = option(
    "--ledger FILE",
    "The file that keeps the budgets, or postgresql://user@host/database where several machines share them.",
    default=...,
)
REASON = option("--reason TEXT", "Why; it stays in the history.", default=...)
Format = Literal["text", "json"]


def create_command(
    *,
    name: str = NEW_NAME,
    ledger: str = LEDGER,
    epsilon: str | None = EPSILON,
    delta: str | None = DELTA,
    mu: str | None = MU,
    output_format: Format = TEXT_OR_JSON,
) -> int:
    """Create a budget; see `CREATE_HELP`."""
    amount = _read_cost(epsilon, delta, mu)

    from rainbowdp.ledger.entries import check_name

    # Before there is a ledger: a slip makes no file.
    check_name(name, "the name of a budget")
    with _opened(ledger, create=True) as book:
        return _emit(book.create(name, amount), output_format)


def show_command(
    *, name: str | None = ANY_NAME, ledger: str = LEDGER, output_format: Format = TEXT_OR_JSON
) -> int:
    """Show a budget or all; see `SHOW_HELP`."""
    with _opened(ledger) as book:
        if name is not None:
            return _emit(book.state(name), output_format)
        return _emit([book.state(known) for known in book.names()], output_format)


def history_command(*, name: str = NAME, ledger: str = LEDGER, output_format: Format = TEXT_OR_JSON) -> int:
    """Show every entry of a budget; see `HISTORY_HELP`."""
    with _opened(ledger) as book:
        kind = book.state(name).kind
        entries = book.history(name)
    if output_format == "json":
        emit_json([_entry_json(entry, kind) for entry in entries])
    else:
        rows = [
            (
                str(entry.number),
                entry.recorded_at[:19],
                entry.event,
                "" if entry.cost is None else entry.cost.shown(),
                "; ".join(f"{name} {fact}" for name, fact in _facts(entry, request="request").items()),
            )
            for entry in entries
        ]
        emit_table(("entry", "time (UTC)", "event", "amount", "what"), rows)
    return 0


def raise_command(
    *,
    name: str = NAME,
    ledger: str = LEDGER,
    reason: str = REASON,
    epsilon: str | None = EPSILON,
    delta: str | None = DELTA,
    mu: str | None = MU,
    output_format: Format = TEXT_OR_JSON,
) -> int:
    """Add to a budget; see `RAISE_HELP`."""
    amount = _read_cost(epsilon, delta, mu)
    with _opened(ledger) as book:
        return _emit(book.raise_budget(name, amount, reason), output_format)


def close_command(*, name: str = NAME, ledger: str = LEDGER, output_format: Format = TEXT_OR_JSON) -> int:
    """Close a budget; see `CLOSE_HELP`."""
    with _opened(ledger) as book:
        return _emit(book.close_budget(name), output_format)


COMMANDS = {
    "budget": (
        HELP,
        {
            "create": (CREATE_HELP, create_command),
            "show": (SHOW_HELP, show_command),
            "history": (HISTORY_HELP, history_command),
            "raise": (RAISE_HELP, raise_command),
            "close": (CLOSE_HELP, close_command),
        },
    )
}
"""The commands of this module by word: the help, and the commands under the word."""


def _opened(place: str, *, create: bool = False) -> "Ledger":
    from rainbowdp.ledger import open_ledger

    return open_ledger(place, create=create)


def _read_cost(epsilon: str | None, delta: str | None, mu: str | None) -> "Cost":
    asked = read_privacy(epsilon, delta, mu)

    from rainbowdp.ledger import Cost

    return Cost.of(asked.notion)


def _emit(told: "BudgetState | list[BudgetState]", output_format: str) -> int:
    """Write the state of a budget, or of all, and return the exit code."""
    states = told if isinstance(told, list) else [told]
    if output_format == "json":
        objects = list(map(_state_json, states))
        emit_json(objects if isinstance(told, list) else objects[0])
        return 0
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
    emit_table(("budget", "total", "spent", "left", "requests", "state"), rows)
    return 0


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
    amount = {} if entry.cost is None else {"amount": _cost_json(entry.cost, kind, upward=upward)}
    told = {"number": entry.number, "time": entry.recorded_at, "event": entry.event}
    return {**told, **amount, **_facts(entry, request="request_id")}


def _cost_json(cost: "Cost", kind: "Kind", *, upward: bool) -> dict[str, object]:
    """Return each number of a cost as its exact text and as a decimal, rounded to six digits."""
    return {
        part.name: {"exact": part.exact, "decimal": part.decimal(upward=upward)} for part in cost.parts(kind)
    }


def _facts(entry: "Entry", *, request: str) -> dict[str, str]:
    """Return what an entry says, by name, the request id under the name `request`."""
    facts = {
        request: entry.request_id,
        "question": entry.question,
        "source": entry.source,
        "privacy": entry.privacy,
        "answer": entry.answer,
        "reason": entry.reason,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}
