# SPDX-License-Identifier: Apache-2.0
"""Charge a budget, draw, and store: `pay_and_draw` is the one place where an answer is paid for.

What can go wrong while rows are read goes wrong before anything is charged. The charge is committed before
anything is drawn, and what leaves is what the ledger stored.
"""

import secrets
from collections.abc import Callable

from rainbowdp.errors import LedgerError
from rainbowdp.ledger import Cost, Ledger
from rainbowdp.ledger.entries import one_spelling
from rainbowdp.release.receipt import Released

IN_MEMORY = "a summary in memory"
NAMELESS = frozenset({IN_MEMORY, "frame", "standard input"})
"""What sources are called of which it is not known whether they are the same as another one."""


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
) -> Released[str]:
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
    Released
        With the text that the ledger stored, which is what may leave.

    Raises
    ------
    BudgetRefusedError, UnknownBudgetError, RequestMismatchError
        As `Ledger.charge`; nothing may leave then.
    LedgerError
        As `Ledger.charge` and `Ledger.store`; nothing may leave then. Its help names the request id, under
        which what was charged can be asked for again; so does a note of a KeyboardInterrupt.
    """
    asked = {"question": question, "source": source, "privacy": privacy}
    before = ledger.foresee(name, cost, request_id=request_id, **asked)
    others = _other_budgets(ledger, name, source)
    if before is not None and before.answer is not None:
        notes = (_answered_before(before.request_id, source), *others)
        return Released(before.answer, before.request_id, before.name, before.recorded_at, notes)
    if before is not None:
        others = (f"request {before.request_id!r} was charged before: nothing is charged again", *others)
    draw = read()
    # Chosen here, so that it can be told even if it is not known whether the charge was committed.
    request = secrets.token_hex(16) if request_id is None else request_id
    again = f"request id {request!r} asks for the same again and is charged once at most"
    try:
        charge = ledger.charge(name, cost, request_id=request, **asked)
        stands = ledger.store(charge, draw()) if charge.answer is None else charge.answer
    except LedgerError as error:
        error.help = f"{error.help}; {again}" if error.help else again
        raise
    except KeyboardInterrupt as stopped:
        stopped.add_note(again)
        raise
    return Released(stands, charge.request_id, charge.name, charge.recorded_at, others)


def _answered_before(request: str, source: str) -> str:
    """Return the note about a stored answer; only the ledger may know what it is about."""
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
