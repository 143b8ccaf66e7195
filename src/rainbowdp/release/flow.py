# SPDX-License-Identifier: Apache-2.0
"""One flow for answers and named categories: open the table and the ledger, read, charge, draw, store.

The order is the promise. What can be refused is refused before a row is read. What can go wrong while rows
are read goes wrong before anything is charged. The charge is committed before anything is drawn, and what
leaves is what the ledger stored (`rainbowdp.release.paying`).
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from rainbowdp.errors import BudgetRefusedError
from rainbowdp.ledger import Cost, Ledger, open_ledger
from rainbowdp.ledger.database import now
from rainbowdp.ledger.entries import one_spelling
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Summary
from rainbowdp.release.paying import canonical, encoded, pay_and_draw, require_budget
from rainbowdp.sampling import BitSource
from rainbowdp.tables import Table, open_table
from rainbowdp.tables.source import Progress

IN_MEMORY = "a summary in memory"

T = TypeVar("T")
Source = Table | Summary
Draw = Callable[[BitSource | None], T]


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


@dataclass(frozen=True)
class Released(Generic[T]):
    """What leaves, and how it was paid for; see `rainbowdp.release.Answer`."""

    answer: T
    request_id: str | None = None
    budget: str | None = None
    answered_at: str = field(default_factory=now)
    notes: tuple[str, ...] = ()


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
    table, sql, encoding, ledger, name, request_id, progress
        As for `rainbowdp.ask`.
    opened : callable, optional
        Called with the public remarks about the table when it and the ledger are open, before a row is read
        and before anything is charged.
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
    bits, key : optional
        Where randomness comes from; the operating system unless given, which only tests do.
    progress : callable, optional
        As for `rainbowdp.ask`.
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
        return Released(read(whole=False)(bits), notes=notes)
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
        request.stored(paid.answer),
        paid.request_id,
        one_spelling(name),
        paid.charged_at,
        notes + paid.notes,
    )


def fingerprint(request: Request[T], encoding: str = "utf-8") -> str:
    """Return everything that is asked, and how the table is read, but the privacy, as one canonical text."""
    return canonical({**encoded(encoding), **request.asked})
