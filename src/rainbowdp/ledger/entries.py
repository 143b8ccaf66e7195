# SPDX-License-Identifier: Apache-2.0
"""Read the entries of a ledger as values, and add an entry, inside one transaction.

Nothing here decides what may be charged or answered, see `rainbowdp.ledger.book`. Functions that take ``run``
run statements inside an open transaction; ``label`` is the ledger, for messages.

Names of budgets and ids of requests are text that people type again, so nothing in them may be invisible.
Unicode can spell one text in several ways, ``ü`` as one character or as ``u`` and two dots, and which one
comes from a keyboard or a file name depends on the system: a ledger keeps the composed spelling. An amount
that is read must be written exactly as it would be written now; any other was not written by a ledger, and is
an error.
"""

import contextlib
import json
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, cast

from rainbowdp.errors import (
    LedgerError,
    PrivacyParameterError,
    RainbowError,
    RequestMismatchError,
    UnknownBudgetError,
    UsageError,
    did_you_mean,
)
from rainbowdp.exact import format_fraction, parse_fraction
from rainbowdp.ledger.cost import Amount, Cost, Kind
from rainbowdp.ledger.database import ADD, ANSWER, COLUMNS, NAMES, REQUEST, SUMS, Row, Run, now, refuse

Event = Literal["create", "raise", "charge", "answer", "close"]
Grant = Literal["new", "pending", "answered"]
COST_COLUMNS = ("kind", "epsilon_rational", "epsilon_logarithm", "delta", "mu_squared")
ASKED_COLUMNS = ("question", "source", "privacy", *COST_COLUMNS)
LONGEST = 200
_ASK_WHO = "restore it from a copy, and ask who changed it"


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


def one_spelling(text: str) -> str:
    """Return a name in the spelling that a ledger keeps: composed, Unicode's form NFC.

    Examples
    --------
    >>> one_spelling("Mu\u0308ller") == "Müller"
    True
    """
    return unicodedata.normalize("NFC", text)


def check_name(text: str, what: str) -> str:
    """Return a name in one spelling if it can be typed again.

    Parameters
    ----------
    text : str
        The name.
    what : str
        What it names, for the message.

    Raises
    ------
    UsageError
        If it is empty, longer than 200 characters, has blanks around it, or holds a character that cannot be
        seen, such as a line break.

    Examples
    --------
    >>> check_name("survey 2026/ä", "the name of a budget")
    'survey 2026/ä'
    """
    text = one_spelling(text)
    # Control, format, surrogate, private and unassigned characters, and separators other than the blank.
    hidden = next((one for one in text if unicodedata.category(one)[0] in "CZ" and one != " "), None)
    for is_wrong, said in (
        (not text.strip(), "is empty"),
        (len(text) > LONGEST, f"has {len(text)} characters"),
        (text != text.strip(), f"{text!r} has blanks around it"),
        (hidden is not None, f"{text!r} holds the invisible character {hidden!r}"),
    ):
        if is_wrong:
            raise UsageError(f"{what} {said}", help=f"give from 1 to {LONGEST} visible characters")
    return text


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
    with contextlib.suppress(ValueError, RecursionError):
        if isinstance(kept, str) and isinstance(text := json.loads(kept), str):
            return text
    raise _damaged(label)


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
        raise _damaged(label) from None
    if tuple(kept_cost(cost).values()) != tuple(columns):
        raise _damaged(label)
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
    counts: Counter[str] = Counter()
    sums: dict[str, Cost] = {}
    last = 0
    try:
        for event, count, largest, *columns in cast("Iterable[tuple[Any, ...]]", rows):
            counts[event] += count
            last = max(last, largest)
            if columns[0] is not None:
                cost = read_cost(label, tuple(columns)).times(count)
                sums[event] = sums[event] + cost if event in sums else cost
        if counts["create"] != 1 or counts.total() != last or counts["answer"] > counts["charge"]:
            refuse(label, f"lacks entries of budget {name!r}", _ASK_WHO)
        created = sums["create"]
        nothing = created.times(0)
        total, spent = created + sums.get("raise", nothing), sums.get("charge", nothing)
        left = total - spent
    except PrivacyParameterError:
        refuse(label, f"has spent more of {name!r} than there was", "restore it from a copy")
    except UsageError:
        raise _damaged(label) from None
    closed = bool(counts["close"])
    return BudgetState(name, created.kind, total, spent, left, closed, counts["charge"], last)


def _damaged(label: str) -> LedgerError:
    return LedgerError(f"ledger {label!r} holds an entry that no ledger wrote", help=_ASK_WHO, ledger=label)


def names_in(run: Run) -> tuple[str, ...]:
    """Return the names of all budgets, in order."""
    # Sorted here, because databases order text by rules of their own.
    return tuple(sorted(str(name) for (name,) in run(NAMES, {})))


def state_in(run: Run, label: str, name: str) -> BudgetState:
    """Return what a budget holds.

    Raises
    ------
    UnknownBudgetError
        If there is no such budget.
    LedgerError
        If its entries contradict each other.
    """
    rows = run(SUMS, {"budget": name})
    if not rows:
        names = names_in(run)
        listed = f"its budgets are {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
        raise UnknownBudgetError(
            f"ledger {label!r} has no budget {name!r}",
            help=did_you_mean(name, names) or (listed if names else "make one: rainbowdp budget create"),
            name=name,
        )
    return sum_up(label, name, rows)


def answer_in(run: Run, label: str, name: str, number: int) -> str | None:
    """Return the answer to a charge, by the number of its entry; None where there is none yet."""
    rows = run(ANSWER, {"budget": name, "charge": number})
    return read_text(label, rows[0][0]) if rows else None


def repeated_in(run: Run, label: str, name: str, request: str, asked: dict[str, object]) -> Charge | None:
    """Return the charge of a request that was charged before, with its answer if there is one.

    Parameters
    ----------
    run, label
        The open transaction, and the ledger for messages.
    name, request : str
        The budget and the request id.
    asked : dict
        What is asked under it now, by column.

    Raises
    ------
    RequestMismatchError
        If something else was asked under this id before.
    """
    rows = run(REQUEST, {"request": request})
    if not rows:
        return None
    paid_from, number, recorded_at, *columns = rows[0]
    before = {"budget": paid_from, **dict(zip(ASKED_COLUMNS, columns, strict=True))}
    now_asked = {"budget": name, **asked}
    different = [column for column, kept in before.items() if kept != now_asked[column]]
    if different:
        part = "cost" if different[0] in COST_COLUMNS else different[0]
        raise RequestMismatchError(
            f"request id {request!r} was used before, with another {part}",
            help="a new question needs a new request id; the old one repeats the old answer",
            request_id=request,
            part=part,
        )
    answer = answer_in(run, label, name, cast("int", number))
    granted: Grant = "pending" if answer is None else "answered"
    return Charge(request, granted, answer, name, cast("int", number), str(recorded_at))


def add_entry(run: Run, label: str, place: tuple[str, int], event: Event, values: dict[str, object]) -> str:
    """Add one entry to a budget, and return when; its place is the budget's name and the entry's number.

    Raises
    ------
    LedgerError
        If the database did not take it.
    """
    name, number = place
    entry = dict.fromkeys(COLUMNS, cast("object", None)) | values
    recorded_at = now()
    entry |= {"budget": name, "number": number, "event": event, "recorded_at": recorded_at}
    entry["previous"] = number - 1 if number > 1 else None
    # A database that swallows the entry, by a trigger of its owner, must not count as having it.
    if run(ADD, entry) != [(number,)]:
        refuse(label, "did not take an entry", "ask who changed it")
    return recorded_at


def read_entry(label: str, row: Row) -> Entry:
    """Return an entry from what `HISTORY` selects.

    Raises
    ------
    LedgerError
        If it was not written by a ledger.
    """
    number, event, recorded_at, request, *texts = row[:9]
    cost = None if row[9] is None else read_cost(label, row[9:])
    told = (None if text is None else read_text(label, text) for text in texts)
    return Entry(
        cast("int", number), cast("Event", event), str(recorded_at), cost, cast("Any", request), *told
    )
