# SPDX-License-Identifier: Apache-2.0
"""Paying before drawing: the one place where an answer is charged, drawn and stored, in this order.

What the ledger alone can tell is told before the table is read. What can go wrong while it is read goes wrong
before anything is charged. The charge is committed before anything is drawn, and what leaves is what the
ledger stored.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rainbowdp.errors import LedgerError, UsageError
from rainbowdp.ledger import Cost, Ledger
from rainbowdp.ledger.entries import one_spelling

NAMELESS = frozenset({"a summary in memory", "frame", "standard input"})
"""What sources are called of which nobody knows whether they are the same as another one."""


@dataclass(frozen=True)
class Paid:
    """An answer that was paid for.

    Attributes
    ----------
    answer : str
        The text that the ledger stored, which is what may leave.
    request_id : str
        The name of the request.
    charged_at : str
        When it was charged, in UTC, as ISO 8601.
    notes : tuple of str
        Public remarks about the payment.
    """

    answer: str
    request_id: str
    charged_at: str
    notes: tuple[str, ...]


def require_budget(ledger: str | None, name: str | None, request_id: str | None) -> None:
    """Refuse a ledger without a budget, and a budget or request id without a ledger.

    Raises
    ------
    UsageError
        If one of them is missing.
    """
    if ledger is None and (name is not None or request_id is not None):
        given = "a budget" if name is not None else "a request id"
        raise UsageError(f"{given} is given, and no ledger", help="give the ledger that keeps it")
    if ledger is not None and name is None:
        raise UsageError("a ledger is given, and no budget", help="name the budget that pays")


UNREADABLE = (ValueError, TypeError, AttributeError, RecursionError)
"""What reading a text that should be JSON of some form may raise."""


def changed_answer() -> LedgerError:
    """Return the error about a stored answer that the question cannot have."""
    return LedgerError(
        "the answer that the ledger keeps is none to this question",
        help="restore the ledger from a copy, and ask who changed it",
    )


def canonical(asked: Mapping[str, object]) -> str:
    """Return what is asked as the one text that a ledger keeps and compares."""
    return json.dumps(asked, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def encoded(encoding: str) -> dict[str, str]:
    """Return how a table is read as part of what is asked: in another encoding, cells say something else.

    Examples
    --------
    >>> encoded("utf-8"), encoded("cp1252")
    ({}, {'encoding': 'cp1252'})
    """
    return {} if encoding == "utf-8" else {"encoding": encoding}


def pay_and_draw(
    ledger: Ledger,
    name: str,
    request_id: str | None,
    *,
    cost: Cost,
    question: str,
    source: str,
    privacy: str,
    read: Callable[[], Callable[[], str]],
) -> Paid:
    """Charge a budget, draw where there is no stored answer, and store what was drawn.

    Parameters
    ----------
    ledger, name, request_id
        The open ledger, the budget in it that pays, and the name of the request.
    cost : Cost
        What the answer costs.
    question, source, privacy : str
        What is asked, of which data, how privately: public texts.
    read : callable
        Reads the table, before the charge and unless an answer is stored, and returns what draws the answer
        and writes it as text, which is called after the charge is committed, and only then.

    Returns
    -------
    Paid

    Raises
    ------
    BudgetRefusedError, UnknownBudgetError, RequestMismatchError
        As `Ledger.charge`; nothing may leave then.
    LedgerError
        As `Ledger.charge` and `Ledger.store`; nothing may leave then. Its help names the request id, under
        which what was charged can be asked for again.
    """
    asked = {"question": question, "source": source, "privacy": privacy}
    before = ledger.foresee(name, cost, request_id=request_id, **asked)
    others = _other_budgets(ledger, name, source)
    if before is not None and before.answer is not None:
        notes = (_answered_before(before.request_id, source), *others)
        return Paid(before.answer, before.request_id, before.recorded_at, notes)
    draw = read()
    # Chosen here, so that it can be told even if nobody knows whether the charge was committed.
    request = secrets.token_hex(16) if request_id is None else request_id
    try:
        charge = ledger.charge(name, cost, request_id=request, **asked)
        stands = ledger.store(charge, draw()) if charge.answer is None else charge.answer
    except LedgerError as error:
        again = f"request id {request!r} asks for the same again and is charged once at most"
        error.help = f"{error.help}; {again}" if error.help else again
        raise
    return Paid(stands, charge.request_id, charge.recorded_at, others)


def _answered_before(request: str, source: str) -> str:
    """Return the note about an answer that was stored; what it is about, the ledger alone may know."""
    note = f"request {request!r} was answered before: nothing was read, and nothing charged"
    if source not in NAMELESS:
        return note
    return f"{note}; the answer is about the data given then, which have no name to be told from others by"


def _other_budgets(ledger: Ledger, name: str, source: str) -> tuple[str, ...]:
    """Return a note if the same source is charged to budgets of other names, too."""
    own = one_spelling(name)
    others = [] if source in NAMELESS else [other for other in ledger.names_for(source) if other != own]
    if not others:
        return ()
    shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
    return (f"this source is charged to other budgets, too ({shown}): what it reveals in all is their sum",)
