# SPDX-License-Identifier: Apache-2.0
"""Read the entries of a ledger as values, and add an entry, inside one transaction.

`Entries` runs the statements. What may be charged or answered is decided in `rainbowdp.ledger.book`.

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
from dataclasses import dataclass, field
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
from rainbowdp.ledger.cost import Amount, Cost, Kind, Protection
from rainbowdp.ledger.database import Row, Run, now, refuse

Event = Literal["create", "raise", "charge", "answer", "close"]
Grant = Literal["new", "pending", "answered"]
COST_COLUMNS = ("kind", "epsilon_rational", "epsilon_logarithm", "delta", "mu_squared")
ASKED_COLUMNS = ("question", "source", "privacy", *COST_COLUMNS)
LONGEST = 200
_ASK_WHO = "restore it from a copy, and ask who changed it"

_COST = ", ".join(COST_COLUMNS)
_COLUMNS = (
    *("budget", "number", "previous", "event", "recorded_at", *COST_COLUMNS, "request", "question"),
    *("source", "privacy", "charge", "answer", "reason", "neighbors", "unit"),
)
"""The columns of an entry, as `_ADD` takes them."""

_ADD = (
    f"INSERT INTO rainbowdp_entries ({', '.join(_COLUMNS)}) "  # noqa: S608 - names of columns
    f"VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) RETURNING number"
)

_SUMS = f"""
SELECT event, count(*), max(number), max(neighbors), max(unit), {_COST}
FROM rainbowdp_entries WHERE budget = :budget GROUP BY event, {_COST}
"""  # noqa: S608 - names of columns
"""How often each event with each amount occurred: few rows, however many entries."""

_NAMES = "SELECT budget FROM rainbowdp_entries WHERE number = 1"

_REQUEST = f"""
SELECT budget, number, recorded_at, {", ".join(ASKED_COLUMNS)}
FROM rainbowdp_entries WHERE event = 'charge' AND request = :request
"""  # noqa: S608 - names of columns

_ANSWER = """
SELECT answer FROM rainbowdp_entries WHERE event = 'answer' AND budget = :budget AND charge = :charge
"""

_SOURCES = """
SELECT DISTINCT budget FROM rainbowdp_entries WHERE event = 'charge' AND source = :source
"""

_HISTORY = f"""
SELECT e.number, e.event, e.recorded_at,
    coalesce(e.request, c.request), e.question, e.source, e.privacy, e.answer, e.reason,
    e.neighbors, e.unit, {", ".join(f"e.{name}" for name in COST_COLUMNS)}
FROM rainbowdp_entries e
LEFT JOIN rainbowdp_entries c ON c.budget = e.budget AND c.number = e.charge
WHERE e.budget = :budget ORDER BY e.number
"""  # noqa: S608 - names of columns


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
    protection : Protection or None
        What the budget hides, where it was created with a promise.
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
    protection: Protection | None = field(default=None, kw_only=True)


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
    protection : Protection or None
        What it hides about a person; None for a budget that was created before budgets had a promise.
    """

    name: str
    kind: Kind
    total: Cost
    spent: Cost
    left: Cost
    closed: bool
    requests: int
    entries: int
    protection: Protection | None = None

    def price(self, cost: Cost, asked: Protection) -> Cost:
        """Return what an answer costs here, see `Protection.price`; as it is where nothing is promised."""
        return cost if self.protection is None else self.protection.price(cost, asked)


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
    amount, squared = (cost.epsilon.rational, cost.epsilon.argument, cost.delta), cost.mu_squared
    parts = (*amount, None) if squared is None else (None, None, None, squared)
    texts = [None if part is None else format_fraction(part) for part in parts]
    return dict(zip(COST_COLUMNS, (cost.kind, *texts), strict=True))


def kept_protection(protection: Protection) -> dict[str, object]:
    """Return the columns that keep what a budget hides."""
    unit = None if protection.unit is None else kept_text(protection.unit)
    return {"neighbors": protection.neighbors, "unit": unit}


def read_protection(label: str, neighbors: Any, unit: object) -> Protection | None:  # noqa: ANN401 - checked there
    """Undo `kept_protection`; None where nothing is kept.

    Raises
    ------
    LedgerError
        If it was not written by a ledger.
    """
    if neighbors is None:
        return None
    try:
        return Protection(neighbors, None if unit is None else read_text(label, unit))
    except UsageError:
        raise _damaged(label) from None


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
        ``event, count, largest number, neighbors, unit``, then the `COST_COLUMNS`.

    Raises
    ------
    LedgerError
        If the entries are not those of a budget: some are missing, or more was spent than there was.
    """
    counts: Counter[str] = Counter()
    sums: dict[str, Cost] = {}
    last, protection = 0, None
    try:
        for event, count, largest, neighbors, unit, *columns in cast("Iterable[tuple[Any, ...]]", rows):
            counts[event] += count
            last = max(last, largest)
            protection = protection or read_protection(label, neighbors, unit)
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
    requests = counts["charge"]
    return BudgetState(name, created.kind, total, spent, left, closed, requests, last, protection)


def _damaged(label: str) -> LedgerError:
    return LedgerError(f"ledger {label!r} holds an entry that no ledger wrote", help=_ASK_WHO, ledger=label)


class Entries:
    """The entries of a ledger inside one open transaction.

    Parameters
    ----------
    run : callable
        Runs one statement.
    label : str
        The ledger, for messages.
    """

    def __init__(self, run: Run, label: str) -> None:
        self._run, self._label = run, label

    def names(self) -> tuple[str, ...]:
        """Return the names of all budgets, in order."""
        return self._names(_NAMES)

    def names_for(self, source: str) -> tuple[str, ...]:
        """Return the names of all budgets that a source was ever charged to, in order."""
        return self._names(_SOURCES, source=kept_text(source))

    def _names(self, statement: str, **values: object) -> tuple[str, ...]:
        # Sorted here, because databases order text by rules of their own.
        return tuple(sorted(str(name) for (name,) in self._run(statement, values)))

    def has(self, name: str) -> bool:
        """Tell whether there is a budget of this name."""
        return bool(self._run(_SUMS, {"budget": name}))

    def state(self, name: str) -> BudgetState:
        """Return what a budget holds.

        Raises
        ------
        UnknownBudgetError
            If there is no such budget.
        LedgerError
            If its entries contradict each other.
        """
        rows = self._run(_SUMS, {"budget": name})
        if not rows:
            names = self.names()
            known = f"its budgets are {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
            raise UnknownBudgetError(
                f"ledger {self._label!r} has no budget {name!r}",
                help=did_you_mean(name, names) or (known if names else "make one: rainbowdp budget create"),
                name=name,
            )
        return sum_up(self._label, name, rows)

    def history(self, name: str) -> tuple[Entry, ...]:
        """Return every entry of a budget, oldest first.

        Raises
        ------
        LedgerError
            If one was not written by a ledger.
        """
        rows: list[tuple[Any, ...]] = self._run(_HISTORY, {"budget": name})
        found = []
        for number, event, recorded_at, request, *kept in rows:
            told = [None if text is None else read_text(self._label, text) for text in kept[:5]]
            protection = read_protection(self._label, *kept[5:7])
            cost = None if kept[7] is None else read_cost(self._label, tuple(kept[7:]))
            found.append(Entry(number, event, recorded_at, cost, request, *told, protection=protection))
        return tuple(found)

    def has_charge(self, request: str, name: str, number: int) -> bool:
        """Tell whether a request was charged to a budget by the entry with this number."""
        rows = self._run(_REQUEST, {"request": request})
        return [row[:2] for row in rows] == [(name, number)]

    def answer(self, name: str, number: int) -> str | None:
        """Return the answer to a charge, by the number of its entry; None where there is none yet."""
        rows = self._run(_ANSWER, {"budget": name, "charge": number})
        return read_text(self._label, rows[0][0]) if rows else None

    def repeated(self, name: str, request: str, asked: dict[str, object]) -> Charge | None:
        """Return the charge of a request that was charged before, with its answer if there is one.

        Parameters
        ----------
        name, request : str
            The budget and the request id.
        asked : dict
            What is asked under it now, by column.

        Raises
        ------
        RequestMismatchError
            If something else was asked under this id before.
        """
        rows: list[tuple[Any, ...]] = self._run(_REQUEST, {"request": request})
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
        answer = self.answer(name, number)
        return Charge(request, "pending" if answer is None else "answered", answer, name, number, recorded_at)

    def add(self, name: str, number: int, event: Event, values: dict[str, object]) -> str:
        """Add the entry with this number to a budget, and return when.

        Raises
        ------
        LedgerError
            If the database did not take it.
        """
        recorded_at = now()
        entry = dict.fromkeys(_COLUMNS, cast("object", None)) | values
        entry |= {"budget": name, "number": number, "event": event, "recorded_at": recorded_at}
        entry["previous"] = number - 1 if number > 1 else None
        # A database that swallows the entry, by a trigger of its owner, must not count as having it.
        if self._run(_ADD, entry) != [(number,)]:
            refuse(self._label, "did not take an entry", "ask who changed it")
        return recorded_at
