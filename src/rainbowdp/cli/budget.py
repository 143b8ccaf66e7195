# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp budget``: create, show, raise and close budgets, and read their history."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from rainbowdp.cli.options import DELTA, EPSILON, MU, TEXT_OR_JSON, Relation, people, read_privacy
from rainbowdp.cli.output import emit, emit_as, emit_json, emit_table
from rainbowdp.cli.params import argument, choice, described, option, unicode_text
from rainbowdp.errors import printable

if TYPE_CHECKING:
    from rainbowdp.ledger import BudgetState, Cost, Entry, Kind, Ledger, Protection

HELP = described(
    "Budgets: what may be spent on data, what was spent, and what is left.",
    "A ledger holds budgets by name. `rainbowdp ask --ledger FILE --name NAME` charges a budget before it "
    "draws an answer, and refuses (exit code 3) what would overspend. Nothing in a ledger is ever changed or "
    "deleted.",
    lines=("rainbowdp budget show --ledger budgets.ledger",),
)
CREATE_HELP = described(
    "Create a budget, and the ledger if there is none.",
    "It is of one kind for good. With --epsilon, the epsilons of all its answers may add up to so much; with "
    "--epsilon and --delta, both are added up; with --mu, the squares of the mus are, up to the square of "
    "this one, as Gaussian privacy demands.",
    "It also says for good what its answers hide about a person. An answer that hides the same is charged as "
    "it is; one that hides less is charged what hiding as much costs, or refused.",
    lines=("rainbowdp budget create survey --ledger budgets.ledger --epsilon 3",),
)
SHOW_HELP = described(
    "Show what a budget had, spent and has left, or all budgets of a ledger.",
    "Amounts are exact. After one that is not a decimal, such as ln(2), stands one in brackets: rounded "
    "up for what was spent, and down for what is left, so that so much can still be asked for.",
    lines=("rainbowdp budget show survey --ledger budgets.ledger",),
)
HISTORY_HELP = described(
    "Show every entry of a budget, oldest first: charges, the answers released, and why it was raised. "
    "--format json has the texts that the ledger keeps, word for word.",
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
RELATION = choice(
    "--neighbors",
    ("add-remove", "change-one"),
    "What all answers together hide: whether a person is in the table at all (add-remove), or what the table "
    "says about a person (change-one), where an answer that hides add-remove is charged twice.",
    panel="Who is protected",
)
UNIT = people(
    "--unit COLUMN",
    "The column that says whose row it is, where a person can have several rows. Without it every row is a "
    "person.",
    unicode_text,
)
REASON = option("--reason TEXT", "Why; it stays in the history.", default=...)
Format = Literal["text", "json"]
_WIDTH = 52
"""What is left of 80 columns beside the time and the event."""

_FACTS = ("request_id", "question", "source", "privacy", "answer", "reason")
"""What JSON says of an entry where it has it, in this order."""


def create_command(
    *,
    name: str = NEW_NAME,
    ledger: str = LEDGER,
    epsilon: str | None = EPSILON,
    delta: str | None = DELTA,
    mu: str | None = MU,
    neighbors: Relation = RELATION,
    unit: str | None = UNIT,
    output_format: Format = TEXT_OR_JSON,
) -> int:
    """Create a budget; see `CREATE_HELP`."""
    amount = _read_cost(epsilon, delta, mu)

    from rainbowdp.ledger import Protection
    from rainbowdp.ledger.entries import check_name

    # First: to open a ledger that is not there makes its file.
    check_name(name, "the name of a budget")
    protection = Protection(neighbors, unit)
    with _opened(ledger, create=True) as book:
        return _emit(book.create(name, amount, protection), output_format)


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
    told = [_entry_json(entry, kind) for entry in entries]
    emit_as(output_format, told, ("time (UTC)", "event", "what"), _history_rows(entries))
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
    emit((f"{state.name} {_promise(state.protection)}" for state in states), for_people=True)
    return 0


def _promise(protection: "Protection | None") -> str:
    if protection is None:
        return "states no promise: it adds up costs as they are"
    return f"hides that {protection}"


def _history_rows(entries: "Sequence[Entry]") -> Iterator[tuple[str, str, str]]:
    """Yield rows of at most 80 columns: when, what happened, and lines of words about it."""
    from rich.console import Console
    from rich.text import Text

    screen, asked = Console(), {entry.request_id: entry.question or "" for entry in reversed(entries)}
    above = None
    for entry in entries:
        said = [*_words(entry, asked)]
        if entry.answer is not None and entry.request_id != above:
            said.append(f"request {entry.request_id}")
        above = entry.request_id
        lines = [line.plain.rstrip() for text in said for line in Text(printable(text)).wrap(screen, _WIDTH)]
        yield entry.recorded_at[:16].replace("T", " "), entry.event, lines[0] if lines else ""
        yield from (("", "", line) for line in lines[1:])


def _words(entry: "Entry", asked: "Mapping[str | None, str]") -> Iterator[str]:
    """Yield what an entry says in words."""
    from rainbowdp.release.words import answer_words, asked_words, charged_words

    if entry.cost is not None:
        yield charged_words(entry.cost, entry.privacy or "")
    if entry.event == "create":
        yield _promise(entry.protection)
    if entry.question is not None:
        yield asked_words(entry.question)
        yield f"{entry.source}, request {entry.request_id}"
    if entry.answer is not None:
        yield answer_words(asked[entry.request_id], entry.answer)
    if entry.reason is not None:
        yield entry.reason


def _state_json(state: "BudgetState") -> dict[str, object]:
    costs = {
        part: _cost_json(getattr(state, part), state.kind, upward=part == "spent")
        for part in ("total", "spent", "left")
    }
    return {
        "name": state.name,
        "kind": state.kind,
        **costs,
        "requests": state.requests,
        "closed": state.closed,
        "protects": _protection_json(state.protection),
    }


def _protection_json(protection: "Protection | None") -> dict[str, str | None] | None:
    return None if protection is None else {"neighbors": protection.neighbors, "unit": protection.unit}


def _entry_json(entry: "Entry", kind: "Kind") -> dict[str, object]:
    upward = entry.event == "charge"
    amount = {} if entry.cost is None else {"amount": _cost_json(entry.cost, kind, upward=upward)}
    told = {"number": entry.number, "time": entry.recorded_at, "event": entry.event}
    created = {"protects": _protection_json(entry.protection)} if entry.event == "create" else {}
    facts = {name: getattr(entry, name) for name in _FACTS}
    return {**told, **amount, **created, **{name: fact for name, fact in facts.items() if fact is not None}}


def _cost_json(cost: "Cost", kind: "Kind", *, upward: bool) -> dict[str, object]:
    """Return each number of a cost as its exact text and as a decimal, rounded to six digits."""
    return {
        part.name: {"exact": part.exact, "decimal": part.decimal(upward=upward)} for part in cost.parts(kind)
    }
