# SPDX-License-Identifier: Apache-2.0
"""Open a table and a ledger, read, charge, draw and store, for answers and for named categories.

The order is the promise. What can be refused is refused before a row is read. What can go wrong while rows
are read goes wrong before anything is charged. The charge is committed before anything is drawn, and what
leaves is what the ledger stored. `pay_and_draw` is the one place where an answer is charged, drawn and
stored.
"""

import contextlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypedDict, TypeVar

from rainbowdp.errors import BudgetRefusedError, LedgerError, UsageError
from rainbowdp.ledger import Cost, Ledger, open_ledger
from rainbowdp.ledger.database import now
from rainbowdp.ledger.entries import one_spelling
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Summary
from rainbowdp.sampling import BitSource
from rainbowdp.tables import Table, open_table
from rainbowdp.tables.source import Progress

IN_MEMORY = "a summary in memory"
NAMELESS = frozenset({IN_MEMORY, "frame", "standard input"})
"""What sources are called of which it is not known whether they are the same as another one."""

UNREADABLE = (ValueError, TypeError, AttributeError, RecursionError)
"""What reading a text that should be JSON of some form may raise."""

T = TypeVar("T")
Source = Table | Summary
Draw = Callable[[BitSource | None], T]


class Opening(TypedDict, total=False):
    """How a source is opened and who pays: the options of `rainbowdp.ask` of these names, and one more.

    ``opened`` is called with the public remarks about the table when it and the ledger are open, before a row
    is read and before anything is charged.
    """

    table: str | None
    sql: str | None
    encoding: str | None
    ledger: str | None
    name: str | None
    request_id: str | None
    progress: Progress | None
    opened: Callable[[tuple[str, ...]], None] | None


class Chances(TypedDict, total=False):
    """Where randomness comes from: the operating system unless given, which only tests do."""

    bits: BitSource | None
    key: bytes | None
    progress: Progress | None


class Request(Protocol[T]):
    """What is asked of a table, as the flow needs it."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that are read."""

    @property
    def asked(self) -> Mapping[str, object]:
        """Everything that is asked but the privacy, as a ledger keeps it."""

    @property
    def privacy(self) -> Privacy:
        """How privately it is asked."""

    @property
    def cost(self) -> Cost:
        """What is charged."""

    @property
    def help_if_refused(self) -> str:
        """What to add to the help of a refused charge; may be empty."""

    def notes(self, source: Source) -> tuple[str, ...]:
        """Return the public remarks about a source: its schema makes them, and no row does."""

    def read(self, source: Source, key: bytes | None, progress: Progress | None, *, whole: bool) -> Draw[T]:
        """Read rows and return what draws the answer; with ``whole``, all rows are read before it is."""

    def written(self, answer: T) -> str:
        """Return an answer as a ledger keeps it."""

    def stored(self, text: str) -> T:
        """Return an answer that a ledger kept; a LedgerError if the text is not an answer to the request."""


class Released(NamedTuple, Generic[T]):
    """What leaves, and how it was paid for; see `rainbowdp.release.Answer`."""

    answer: T
    request_id: str | None
    budget: str | None
    answered_at: str
    notes: tuple[str, ...]


def open_and_release(
    request: Request[T],
    source: object,
    *,
    table: str | None = None,
    sql: str | None = None,
    encoding: str | None = None,
    ledger: str | None = None,
    name: str | None = None,
    request_id: str | None = None,
    progress: Progress | None = None,
    opened: Callable[[tuple[str, ...]], None] | None = None,
) -> Released[T]:
    """Open a source and a ledger, and release what is asked.

    Parameters
    ----------
    request : Request
        What is asked.
    source : Summary, Table, or what `rainbowdp.tables.open_table` opens
        Of what it is asked.
    table, sql, encoding, ledger, name, request_id, progress, opened
        See `Opening`.
    """
    require_budget(ledger, name, request_id)
    with contextlib.ExitStack() as stack:
        asked: Source
        if isinstance(source, Summary):
            asked = source
        else:
            asked = stack.enter_context(open_table(source, table=table, sql=sql, encoding=encoding))
        book = None if ledger is None else stack.enter_context(open_ledger(ledger))
        # A stored answer needs no columns, so with a ledger they are looked at later.
        if book is None and isinstance(asked, Table):
            asked.check(request.columns)
        if opened is not None:
            opened(request.notes(asked))
        return release(request, asked, book, name, request_id, progress=progress)


def release(
    request: Request[T],
    source: Source,
    ledger: Ledger | None = None,
    name: str | None = None,
    request_id: str | None = None,
    *,
    bits: BitSource | None = None,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> Released[T]:
    """Release what is asked of an open source, and charge it where a ledger is given.

    Parameters
    ----------
    request : Request
        What is asked.
    source : Table or Summary
        The open table, or what a question needs to know of it.
    ledger, name, request_id : optional
        The open ledger, the budget in it that pays, and the name of the request.
    bits, key, progress
        See `Chances`.
    """

    def read(*, whole: bool) -> Draw[T]:
        if isinstance(source, Table):
            source.check(request.columns)
        return request.read(source, key, progress, whole=whole)

    def read_before_charge() -> Callable[[], str]:
        draw = read(whole=True)
        return lambda: request.written(draw(bits))

    notes = request.notes(source)
    if ledger is None or name is None:
        return Released(read(whole=False)(bits), None, None, now(), notes)
    table = source if isinstance(source, Table) else None
    try:
        paid = pay_and_draw(
            ledger,
            name,
            request_id,
            cost=request.cost,
            question=fingerprint(request, "utf-8" if table is None else table.encoding),
            source=IN_MEMORY if table is None else table.identity,
            privacy=str(request.privacy),
            read=read_before_charge,
        )
    except BudgetRefusedError as error:
        error.help = f"{error.help}{request.help_if_refused}"
        raise
    return Released(
        request.stored(paid.answer), paid.request_id, paid.budget, paid.answered_at, notes + paid.notes
    )


def fingerprint(request: Request[T], encoding: str = "utf-8") -> str:
    """Return everything that is asked, and how the table is read, but the privacy, as one canonical text.

    The encoding is part of it where it is not UTF-8: in another encoding, cells say something else.
    """
    asked = {**request.asked, **({} if encoding == "utf-8" else {"encoding": encoding})}
    return json.dumps(asked, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


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


def changed_answer() -> LedgerError:
    """Return the error about a stored answer that the question cannot have."""
    return LedgerError(
        "the answer that the ledger keeps is none to this question",
        help="restore the ledger from a copy, and ask who changed it",
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
