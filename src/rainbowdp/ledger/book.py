# SPDX-License-Identifier: Apache-2.0
"""A ledger: check and commit a charge, store its answer, and return a stored answer at no cost.

The steps have a fixed order. A charge is checked and committed; then the answer is drawn; then it is stored;
then it is returned. If the process ends in between, no answer is out that was not charged. A request that was
charged and has no stored answer is drawn again at no cost, because its answer was not seen.
"""

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from types import TracebackType
from typing import Self

from rainbowdp.errors import BudgetRefusedError, UnknownBudgetError, UsageError
from rainbowdp.exact import parse_fraction, rational_ball
from rainbowdp.ledger.cost import Amount, Cost, Protection, rounded
from rainbowdp.ledger.database import Database, refuse
from rainbowdp.ledger.entries import (
    BudgetState,
    Charge,
    Entries,
    Entry,
    check_name,
    kept_cost,
    kept_protection,
    kept_text,
    one_spelling,
)

PERSONS = Protection()
"""What answers and budgets hide unless they say otherwise: that a person, who is a row, joins or leaves."""
_OPTIONS = {
    "pure": "--epsilon alone",
    "approximate": "--epsilon, with or without --delta",
    "gaussian": "--mu",
}


class Ledger:
    """Budgets, what was charged to them, and what was answered; a context manager.

    Made by `rainbowdp.ledger.open_ledger`. Methods may be called from several threads, one at a time takes
    effect; after a fork the child opens the ledger anew.

    Parameters
    ----------
    database : Database
        Where the entries are kept.

    Examples
    --------
    >>> from rainbowdp.ledger import open_ledger
    >>> from rainbowdp.privacy import PureDP
    >>> with open_ledger("budgets.ledger", create=True) as ledger:
    ...     _ = ledger.create("survey", Cost.of(PureDP(1)))
    ...     asked = {"question": "winner of vote", "source": "poll.csv", "privacy": "epsilon=ln(2)"}
    ...     charge = ledger.charge("survey", Cost.of(PureDP("ln 2")), request_id="q1", **asked)
    ...     answer = ledger.store(charge, "Ann")
    ...     again = ledger.charge("survey", Cost.of(PureDP("ln 2")), request_id="q1", **asked)
    ...     state = ledger.state("survey")
    >>> charge.granted, answer, again.granted, again.answer
    ('new', 'Ann', 'answered', 'Ann')
    >>> print(state.spent, "of", state.total, "leaves", state.left)
    epsilon ln(2) of epsilon 1 leaves epsilon 1 - ln(2)
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def label(self) -> str:
        """Where the ledger is, without a password."""
        return self._database.label

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the ledger; it cannot be used any more."""
        self._database.close()

    @contextlib.contextmanager
    def _entries(self, *, write: bool) -> Iterator[Entries]:
        with self._database.transaction(write=write) as run:
            yield Entries(run, self.label)

    def names(self) -> tuple[str, ...]:
        """Return the names of all budgets, in order."""
        with self._entries(write=False) as entries:
            return entries.names()

    def names_for(self, source: str) -> tuple[str, ...]:
        """Return the names of all budgets that a source was ever charged to, in order.

        Parameters
        ----------
        source : str
            As it was given to `charge`.
        """
        with self._entries(write=False) as entries:
            return entries.names_for(source)

    def state(self, name: str) -> BudgetState:
        """Return what a budget holds.

        Raises
        ------
        UnknownBudgetError
            If the ledger has no such budget.
        LedgerError
            If the ledger cannot be read, or contradicts itself.
        """
        with self._entries(write=False) as entries:
            return entries.state(one_spelling(name))

    def history(self, name: str) -> tuple[Entry, ...]:
        """Return every entry of a budget, oldest first.

        Raises
        ------
        UnknownBudgetError
            If the ledger has no such budget.
        LedgerError
            If the ledger cannot be read, or contradicts itself.
        """
        name = one_spelling(name)
        with self._entries(write=False) as entries:
            entries.state(name)
            return entries.history(name)

    def create(self, name: str, budget: Cost, protection: Protection = PERSONS) -> BudgetState:
        """Create a budget.

        Parameters
        ----------
        name : str
            A new name: 1 to 200 visible characters.
        budget : Cost
            What it holds; its kind is the kind of the budget from now on.
        protection : Protection
            What it hides about a person, for good: that a person joins or leaves, and every row is a person,
            unless given.

        Raises
        ------
        UnknownBudgetError
            If the ledger has the name already.
        UsageError
            If the name cannot be typed again.
        LedgerError
            If the ledger cannot be written.
        """
        name = check_name(name, "the name of a budget")
        with self._entries(write=True) as entries:
            if entries.has(name):
                raise UnknownBudgetError(
                    f"ledger {self.label!r} has a budget {name!r} already",
                    help="raise it with a reason (rainbowdp budget raise), or choose another name",
                    name=name,
                )
            entries.add(name, 1, "create", kept_cost(budget) | kept_protection(protection))
            return entries.state(name)

    def raise_budget(self, name: str, by: Cost, reason: str) -> BudgetState:
        """Add to a budget; the reason is recorded.

        Raises
        ------
        UnknownBudgetError, BudgetRefusedError
            If the ledger has no such budget, or it is closed.
        UsageError
            If nothing is added, no reason is given, or the budget is of another kind.
        LedgerError
            If the ledger cannot be written.
        """
        if not reason.strip():
            raise UsageError("a budget is raised without a reason", help="say why, for those who read on")
        name = one_spelling(name)
        with self._entries(write=True) as entries:
            state = entries.state(name)
            require_open(state)
            if by.is_zero or not by.pays_from(state.kind):
                raise UsageError(
                    f"budget {name!r} is {state.kind} ({state.total}), it cannot be raised by {by}",
                    help="add something of the same kind; another kind needs a budget of its own",
                    name=name,
                )
            reasoned = kept_cost(by) | {"reason": kept_text(reason)}
            entries.add(name, state.entries + 1, "raise", reasoned)
            return entries.state(name)

    def close_budget(self, name: str) -> BudgetState:
        """End a budget: nothing new is charged to it, ever.

        Raises
        ------
        UnknownBudgetError, BudgetRefusedError
            If the ledger has no such budget, or it is closed already.
        LedgerError
            If the ledger cannot be written.
        """
        name = one_spelling(name)
        with self._entries(write=True) as entries:
            state = entries.state(name)
            require_open(state)
            entries.add(name, state.entries + 1, "close", {})
            return entries.state(name)

    def foresee(
        self,
        name: str,
        cost: Cost,
        *,
        request_id: str | None,
        question: str,
        source: str,
        privacy: str,
        protection: Protection = PERSONS,
    ) -> Charge | None:
        """Tell what `charge` would say now, and write nothing.

        After this, no table need be read for an answer that is stored already, or that the budget
        does not pay for. What is said depends on the ledger alone.

        Parameters
        ----------
        name, cost, request_id, question, source, privacy, protection
            As for `charge`.

        Returns
        -------
        Charge or None
            The charge of a request that was charged before; None for a new one that the budget pays for now.

        Raises
        ------
        BudgetRefusedError, RequestMismatchError, UnknownBudgetError, UsageError, LedgerError
            As `charge`.
        """
        texts = {"question": question, "source": source, "privacy": privacy}
        return self._charged(name, cost, protection, request_id, texts, write=False)

    def charge(
        self,
        name: str,
        cost: Cost,
        *,
        request_id: str | None,
        question: str,
        source: str,
        privacy: str,
        protection: Protection = PERSONS,
    ) -> Charge:
        """Pay for an answer before it is drawn.

        Once this returns, the charge is committed, and the answer may be drawn, unless there is one. A
        request that was charged before costs nothing.

        Parameters
        ----------
        name : str
            The budget that pays.
        cost : Cost
            What the answer costs between the tables that it is to hide. What is charged may be more, see
            `Protection.price`.
        request_id : str or None
            A name for the request, unique in the ledger; None makes a fresh one.
        question, source, privacy : str
            What is asked, of which data, how privately: public texts. A repeated request must have the same.
        protection : Protection
            What the answer hides: that a person joins or leaves, and every row is a person, unless given.

        Raises
        ------
        BudgetRefusedError
            If the budget is closed, of another kind, has too little left, or promises what the answer does
            not hide.
        RequestMismatchError
            If the request id was used before for anything else.
        UnknownBudgetError
            If the ledger has no such budget.
        UsageError
            If the request id cannot be typed again.
        LedgerError
            If the ledger cannot be read or written. The charge may then have been made; nothing may be
            answered, and the same request may be tried again.
        """
        texts = {"question": question, "source": source, "privacy": privacy}
        charge = self._charged(name, cost, protection, request_id, texts, write=True)
        assert charge is not None  # noqa: S101 - only where nothing is written there may be none
        return charge

    def _charged(
        self,
        name: str,
        cost: Cost,
        protection: Protection,
        request_id: str | None,
        texts: dict[str, str],
        *,
        write: bool,
    ) -> Charge | None:
        """Return the charge of a request, made now if it is new; None for a new one where nothing is written.

        Raises
        ------
        BudgetRefusedError
            If the request is new, and the budget does not pay for it.
        """
        name = one_spelling(name)
        request = secrets.token_hex(16) if request_id is None else check_name(request_id, "the request id")
        with self._entries(write=write) as entries:
            state = entries.state(name)
            kept = {part: kept_text(text) for part, text in texts.items()}
            asked = {**kept, **kept_cost(state.price(cost, protection))}
            before = None if request_id is None else entries.repeated(name, request, asked)
            if before is not None:
                return before
            check_affordable(state, cost, protection)
            if not write:
                return None
            number = state.entries + 1
            recorded_at = entries.add(name, number, "charge", {"request": request, **asked})
        return Charge(request, "new", None, name, number, recorded_at)

    def store(self, charge: Charge, answer: str) -> str:
        """Store the answer that was drawn for a charge, and return the one that stands.

        Of two answers to one request the first one stored stands; only what this returns may leave.

        Parameters
        ----------
        charge : Charge
            What was paid for.
        answer : str
            What was drawn.

        Returns
        -------
        str

        Raises
        ------
        LedgerError
            If the ledger cannot be written, or knows no such charge. The answer must not leave.
        """
        with self._entries(write=True) as entries:
            if not entries.has_charge(charge.request_id, charge.name, charge.number):
                refuse(self.label, f"knows no charge {charge.request_id!r}", "charge before answering")
            standing = entries.answer(charge.name, charge.number)
            if standing is None:
                kept = {"charge": charge.number, "answer": kept_text(answer)}
                number = entries.state(charge.name).entries + 1
                entries.add(charge.name, number, "answer", kept)
        return answer if standing is None else standing


def check_affordable(state: BudgetState, cost: Cost, protection: Protection) -> None:
    """Refuse an answer that a budget does not pay.

    Raises
    ------
    BudgetRefusedError
        If the budget is closed, promises what the answer does not hide, is of another kind, or has too little
        left.
    """
    promise, price = state.protection, state.price(cost, protection)
    require_open(state)
    if promise is not None and (way_on := promise.way_on(protection)):
        raise BudgetRefusedError(
            f"budget {state.name!r} hides that {promise}, and the answer hides only that {protection}",
            help=f"{way_on}, or pay from another budget",
            name=state.name,
        )
    if not cost.pays_from(state.kind):
        raise BudgetRefusedError(
            f"budget {state.name!r} is {state.kind} ({state.total}), and the question asks for {cost}",
            help=f"ask with {_OPTIONS[state.kind]}, or under the name of another budget",
            name=state.name,
            kind=state.kind,
            asked=str(cost),
        )
    if not price.within(state.left):
        spent, wanted = state.spent.shown(state.kind), cost.shown(state.kind)
        if price != cost:
            wanted += f", which costs {price.shown(state.kind)} here"
        left, fitting = state.left.shown(state.kind, upward=False), still_fits(state, protection)
        first = f"ask with {fitting}, or" if fitting else "nothing is left:"
        raise BudgetRefusedError(
            f"budget {state.name!r} cannot pay for this: spent {spent}; asked {wanted}; left {left}",
            help=f"{first} raise the budget with a reason (rainbowdp budget raise)",
            name=state.name,
            spent=str(state.spent),
            asked=str(cost),
            left=str(state.left),
        )


def require_open(state: BudgetState) -> None:
    """Refuse a budget that was closed.

    Raises
    ------
    BudgetRefusedError
        If it was.
    """
    if state.closed:
        raise BudgetRefusedError(
            f"budget {state.name!r} is closed",
            help="a closed budget pays for nothing new; ask under another name",
            name=state.name,
        )


def still_fits(state: BudgetState, protection: Protection) -> str:
    """Return, in words, the largest cost that is easy to type and fits; nothing where none does.

    A decimal is rounded down, and is offered only where the exact comparison confirms it.
    """
    left = {part.name: parse_fraction(part.decimal(upward=False)) for part in state.left.parts(state.kind)}
    if not any(left.values()):
        return ""
    steps = 1 if state.protection is None else 2 ** state.protection.doublings(protection)
    if state.kind == "gaussian":
        largest = Cost(mu_squared=(left["mu"] / steps) ** 2)
    else:
        largest = Cost(Amount(left["epsilon"] / steps), left.get("delta", Fraction(0)))
        if (charged := state.price(largest, protection).delta) > largest.delta:
            # What is charged grows with delta in proportion.
            fitting = largest.delta**2 / charged
            largest = replace(
                largest, delta=parse_fraction(rounded(lambda: rational_ball(fitting), upward=False))
            )
    if not state.price(largest, protection).within(state.left):
        return ""
    parts = largest.parts(state.kind)
    return " and ".join(f"{part.name} at most {part.decimal(upward=False)}" for part in parts)
