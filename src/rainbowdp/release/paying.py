# SPDX-License-Identifier: Apache-2.0
"""Paying before drawing: the one place where an answer is charged, drawn and stored, in this order.

What the ledger alone can tell is told before the table is read. What can go wrong while it is read goes wrong
before anything is charged. The charge is committed before anything is drawn, and what leaves is what the
ledger stored.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rainbowdp.errors import UsageError
from rainbowdp.ledger import Cost, Ledger

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
    notes : tuple of str
        Public remarks about the payment.
    """

    answer: str
    request_id: str
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


def require_both(unit: str | None, most: int | None, what: str, counted: str) -> None:
    """Refuse a column that names the person without a bound on what one person has, and the other way round.

    Raises
    ------
    UsageError
        If one of the two is missing.
    """
    if (unit is None) != (most is None):
        missing, present = (what, "unit") if most is None else ("unit", what)
        raise UsageError(
            f"{present} is given without {missing}",
            help=f"name the column that says whose row it is, and {counted}",
        )


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
        and writes it as text; that is called after the charge is committed, and only then.

    Returns
    -------
    Paid

    Raises
    ------
    BudgetRefusedError, UnknownBudgetError, RequestMismatchError, LedgerError
        As `Ledger.charge` and `Ledger.store`; nothing may leave then.
    """
    asked = {"question": question, "source": source, "privacy": privacy}
    before = ledger.foresee(name, cost, request_id=request_id, **asked)
    others = _other_budgets(ledger, name, source)
    if before is not None and before.answer is not None:
        repeated = f"request {before.request_id!r} was answered before: nothing was read, and nothing charged"
        return Paid(before.answer, before.request_id, (repeated, *others))
    draw = read()
    charge = ledger.charge(name, cost, request_id=request_id, **asked)
    stands = ledger.store(charge, draw()) if charge.answer is None else charge.answer
    return Paid(stands, charge.request_id, others)


def _other_budgets(ledger: Ledger, name: str, source: str) -> tuple[str, ...]:
    """Return a note if the same source is charged to budgets of other names, too."""
    others = [] if source in NAMELESS else [other for other in ledger.names_for(source) if other != name]
    if not others:
        return ()
    shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
    return (f"this source is charged to other budgets, too ({shown}): what it reveals in all is their sum",)
