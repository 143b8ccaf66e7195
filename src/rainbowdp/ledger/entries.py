# SPDX-License-Identifier: Apache-2.0
"""What one transaction does with the entries of a ledger: reads them back as values, and adds one.

Nothing here decides what may be charged or answered, see `rainbowdp.ledger.book`. Every function takes what
runs a statement inside the open transaction, and the label of the ledger for messages.
"""

from typing import cast

from rainbowdp.errors import RequestMismatchError, UnknownBudgetError, did_you_mean
from rainbowdp.ledger.database import Row, Run, now, refuse
from rainbowdp.ledger.records import (
    COST_COLUMNS,
    BudgetState,
    Charge,
    Entry,
    Event,
    Grant,
    read_cost,
    read_text,
    sum_up,
)
from rainbowdp.ledger.statements import ADD, ANSWER, COLUMNS, NAMES, SUMS


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


def repeated_in(run: Run, label: str, request: str, row: Row, asked: dict[str, object]) -> Charge:
    """Return the charge of a request that was charged before, with its answer if there is one.

    Parameters
    ----------
    run, label
        The open transaction, and the ledger for messages.
    request : str
        The request id.
    row : tuple
        Its charge, as `REQUEST` selects it.
    asked : dict
        What is asked under it now, by column.

    Raises
    ------
    RequestMismatchError
        If something else is asked now.
    """
    names = ("budget", "question", "source", "privacy", *COST_COLUMNS)
    *asked_before, recorded_at = row
    before = dict(zip(names, (asked_before[0], *asked_before[2:]), strict=True))
    different = [name for name in names if before[name] != asked[name]]
    if different:
        part = "cost" if different[0] in COST_COLUMNS else different[0]
        raise RequestMismatchError(
            f"request id {request!r} was used before, with another {part}",
            help="a new question needs a new request id; the old one repeats the old answer",
            request_id=request,
            part=part,
        )
    name, number = str(row[0]), cast("int", row[1])
    answer = answer_in(run, label, name, number)
    granted: Grant = "pending" if answer is None else "answered"
    return Charge(request, granted, answer, name, number, str(recorded_at))


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
    question, source, privacy, answer, reason = (
        None if text is None else read_text(label, text) for text in texts
    )
    return Entry(
        number=cast("int", number),
        event=cast("Event", event),
        recorded_at=str(recorded_at),
        cost=None if row[9] is None else read_cost(label, row[9:]),
        request_id=None if request is None else str(request),
        question=question,
        source=source,
        privacy=privacy,
        answer=answer,
        reason=reason,
    )
