# SPDX-License-Identifier: Apache-2.0
"""What a ledger tells: entries, the state of a budget, a granted charge; and how these are kept as text.

An amount that is read must be written exactly as it would be written now. Whatever is not, was not written
by a ledger, and is an error rather than a number.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NoReturn, get_args

from rainbowdp.errors import RainbowError
from rainbowdp.exact import format_fraction, parse_fraction
from rainbowdp.ledger.amount import Amount
from rainbowdp.ledger.cost import Cost, Kind
from rainbowdp.ledger.database import Row, refuse

Event = Literal["create", "raise", "charge", "answer", "close"]
Grant = Literal["new", "pending", "answered"]
COST_COLUMNS = ("kind", "epsilon_rational", "epsilon_logarithm", "delta", "mu_squared")


@dataclass(frozen=True)
class Entry:
    """One entry of a budget; `None` where an event of its kind has no such thing.

    Attributes
    ----------
    number : int
        1 for the entry that created the budget, and so on without a gap.
    event : {"create", "raise", "charge", "answer", "close"}
        What happened.
    recorded_at : str
        When, in UTC, as ISO 8601.
    cost : Cost or None
        What was created, added or charged.
    request_id, question, source, privacy : str or None
        What was charged for; an answer has the request id of its charge.
    answer : str or None
        The answer that was released.
    reason : str or None
        Why the budget was raised.
    """

    number: int
    event: Event
    recorded_at: str
    cost: Cost | None = None
    request_id: str | None = None
    question: str | None = None
    source: str | None = None
    privacy: str | None = None
    answer: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class BudgetState:
    """What a budget holds.

    Attributes
    ----------
    name : str
        Its name.
    kind : {"pure", "approximate", "gaussian"}
        What it counts.
    total, spent, left : Cost
        Exact; ``left`` is ``total - spent``.
    closed : bool
        Whether it takes no more charges.
    requests : int
        How many requests were charged.
    entries : int
        How many entries its history has.
    """

    name: str
    kind: Kind
    total: Cost
    spent: Cost
    left: Cost
    closed: bool
    requests: int
    entries: int


@dataclass(frozen=True)
class Charge:
    """A request that is paid for, and may therefore be answered.

    Attributes
    ----------
    request_id : str
        Under which the same request costs nothing from now on.
    granted : {"new", "pending", "answered"}
        Charged now; charged before and never answered; or answered before, with that answer.
    answer : str or None
        The answer that stands, where there is one.
    name : str
        The budget that paid.
    number : int
        The entry that says so.
    recorded_at : str
        When it was charged, in UTC, as ISO 8601.
    """

    request_id: str
    granted: Grant
    answer: str | None
    name: str
    number: int
    recorded_at: str


def kept_text(text: str) -> str:
    """Return free text as it is kept: any text at all, as a JSON string in ASCII."""
    return json.dumps(text)


def read_text(label: str, kept: object) -> str:
    """Undo `kept_text`.

    Raises
    ------
    LedgerError
        If it was not written by a ledger.
    """
    try:
        text = json.loads(kept) if isinstance(kept, str) else None
    except (ValueError, RecursionError):
        text = None
    if not isinstance(text, str):
        _damaged(label)
    return text


def kept_cost(cost: Cost) -> dict[str, object]:
    """Return the columns that keep a cost exactly."""
    gaussian = cost.mu_squared is not None
    return {
        "kind": cost.kind,
        "epsilon_rational": None if gaussian else format_fraction(cost.epsilon.rational),
        "epsilon_logarithm": None if gaussian else format_fraction(cost.epsilon.argument),
        "delta": None if gaussian else format_fraction(cost.delta),
        "mu_squared": None if cost.mu_squared is None else format_fraction(cost.mu_squared),
    }


@lru_cache(maxsize=1024)
def read_cost(label: str, columns: Row) -> Cost:
    """Undo `kept_cost`.

    Raises
    ------
    LedgerError
        If it was not written by a ledger.
    """
    kind, rational, logarithm, delta, squared = columns
    try:
        if kind == "gaussian":
            cost = Cost(mu_squared=parse_fraction(str(squared)))
        else:
            amount = Amount(parse_fraction(str(rational)), parse_fraction(str(logarithm)))
            cost = Cost(amount, parse_fraction(str(delta)))
    except RainbowError:
        _damaged(label)
    if tuple(kept_cost(cost).values()) != tuple(columns):
        _damaged(label)
    return cost


def sum_up(label: str, name: str, rows: Iterable[Row]) -> BudgetState:
    """Return the state of a budget from how often each event with each amount occurred.

    Parameters
    ----------
    label : str
        The ledger, for messages.
    name : str
        The budget.
    rows : iterable
        ``event, count, largest number``, then the `COST_COLUMNS`.

    Raises
    ------
    LedgerError
        If the entries are not those of a budget: some are missing, or more was spent than there was.
    """
    counts: dict[object, int] = dict.fromkeys(get_args(Event), 0)
    last, kind, total, spent = 0, None, Cost(), Cost()
    for event, count, largest, *columns in rows:
        if not isinstance(count, int) or not isinstance(largest, int) or event not in counts:
            _damaged(label)
        counts[event] += count
        last = max(last, largest)
        if columns[0] is None:
            continue
        cost = read_cost(label, tuple(columns)).times(count)
        if event == "create":
            kind = cost.kind
        try:
            if event == "charge":
                spent = _added(spent, cost)
            else:
                total = _added(total, cost)
        except RainbowError:
            _damaged(label)
    whole = counts["create"] == 1 and sum(counts.values()) == last and counts["close"] <= 1
    if kind is None or not whole or counts["answer"] > counts["charge"]:
        refuse(label, f"lacks entries of budget {name!r}", "restore it from a copy, and ask who changed it")
    if kind == "gaussian":
        spent = _added(Cost(mu_squared=Fraction(0)), spent)
    try:
        left = total - spent
    except RainbowError:
        refuse(label, f"has spent more of {name!r} than there was", "restore it from a copy")
    return BudgetState(name, kind, total, spent, left, bool(counts["close"]), counts["charge"], last)


def _added(sum_so_far: Cost, cost: Cost) -> Cost:
    return cost if sum_so_far == Cost() else sum_so_far if cost == Cost() else sum_so_far + cost


def _damaged(label: str) -> NoReturn:
    refuse(label, "holds an entry that no ledger wrote", "restore it from a copy, and ask who changed it")
