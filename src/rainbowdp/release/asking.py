# SPDX-License-Identifier: Apache-2.0
"""Ask a table a question, or for the categories of a column: open, read, charge, draw, and store.

The steps have a fixed order. A request that cannot be answered is refused before a row is read. With a
ledger, all rows are read before the charge, the charge is committed before the draw, and the answer that the
ledger stored is returned. Only `pay_and_draw` charges, draws and stores. `rainbowdp.release.terms` and
`rainbowdp.release.key_terms` say how rows are read and answers drawn.
"""

import contextlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from rainbowdp.errors import BudgetRefusedError, LedgerError, UsageError
from rainbowdp.exact import Number
from rainbowdp.exact.arguments import require_together
from rainbowdp.formats.table_descriptions import PLAIN
from rainbowdp.goals import Goal
from rainbowdp.keys import key_mechanism
from rainbowdp.ledger import Cost, Ledger, Protection, open_ledger
from rainbowdp.ledger.database import now
from rainbowdp.privacy import Privacy, privacy_of
from rainbowdp.questions import Neighbors, Question, Summary
from rainbowdp.release.key_terms import Keys, KeyTerms
from rainbowdp.release.notes import IN_MEMORY, answered_before, budget_notes, other_budgets
from rainbowdp.release.receipt import Released
from rainbowdp.release.terms import Answer, Source, Terms
from rainbowdp.sampling import BitSource
from rainbowdp.tables import Table, open_table
from rainbowdp.tables.source import Progress

Found_co = TypeVar("Found_co", covariant=True)


class AnyTerms(Protocol[Found_co]):
    """What `Terms` and `KeyTerms` have in common, where each of these is described."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that are read."""

    @property
    def request(self) -> Mapping[str, object]:
        """Everything that is asked but the privacy."""

    @property
    def public(self) -> Mapping[str, object]:
        """All of a receipt that is known before anything is drawn."""

    @property
    def privacy(self) -> Privacy:
        """How privately it is asked."""

    @property
    def cost(self) -> Cost:
        """What is charged."""

    @property
    def protection(self) -> Protection:
        """What stays hidden about one person."""

    @property
    def help_if_refused(self) -> str:
        """What to add to the help of a refused charge."""

    def notes(self, source: Source) -> tuple[str, ...]:
        """Return the public remarks about an answer from a source."""

    def prepare_draw(
        self, source: Source, secret: bytes | None, progress: Progress | None, *, read_all_first: bool
    ) -> Callable[[BitSource | None], str]:
        """Read rows, and return a function that draws the answer as the text that a ledger keeps."""

    def found(self, released: Released) -> Found_co:
        """Return the result to publish: an `Answer` or `Keys`."""


class Opening(NamedTuple):
    """How a source is opened: the options of `ask` of these names."""

    table: str | None = None
    sql: str | None = None
    encoding: str | None = None
    describe: object = None


@dataclass(frozen=True)
class Payment:
    """Who pays: the options of `ask` of these names.

    Raises
    ------
    UsageError
        If there is a ledger without a budget, or a budget or request id without a ledger.
    """

    ledger: str | None = None
    name: str | None = None
    request_id: str | None = None

    def __post_init__(self) -> None:
        require_together("name a ledger and the budget in it that pays", ledger=self.ledger, name=self.name)
        if self.ledger is None and self.request_id is not None:
            raise UsageError("`request_id` is given without `ledger`", help="give the ledger that keeps it")


def ask(
    source: object,
    question: Question,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    mu: Number | None = None,
    neighbors: Neighbors = "add-remove",
    unit: str | None = None,
    max_rows: int | None = None,
    where: Mapping[str, object] | None = None,
    by: str | Sequence[str] | None = None,
    groups: Sequence[object] | None = None,
    other_group: str | None = None,
    goal: Goal = "typical",
    boundary: str = "default",
    table: str | None = None,
    sql: str | None = None,
    encoding: str | None = None,
    describe: object = None,
    ledger: str | None = None,
    name: str | None = None,
    request_id: str | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Ask a table a question, and get one answer that may be published.

    Parameters
    ----------
    source : path, URL, data frame or Summary
        The table: a CSV, TSV, Parquet or JSON-lines file, a pattern of files, ``-`` for standard input, a SQL
        URL, or any frame that narwhals takes. Or what a question needs to know of it, such as
        ``OptionCounts((40, 60))``; for `scores` there is nothing else.
    question : Question
        What is asked: `winner`, `ranking`, `yes_no`, `level`, `bracket`, or a question of your own.
    epsilon, delta, mu : number or text, optional
        The privacy: epsilon, epsilon with delta, or mu. Exact: ``0.1`` is one tenth.
    neighbors : str
        ``add-remove``: one person joins or leaves; ``change-one``: one person's data changes.
    unit : str, optional
        The column that says whose row it is. Without it every row is a person.
    max_rows : int, optional
        With `unit`: how many rows of one person count at most, chosen at random.
    where : mapping, optional
        Only rows count whose cells say this, by column: a text, a `Range`, or a list of these.
    by, groups : str and sequence of str, optional
        Answer once for each of these cells of a column. Or several columns, and for each of them a sequence
        of cells: then once for every combination of these.
    other_group : str, optional
        With `by`: as what all other cells of these columns count, also empty ones. Without it, rows with
        such cells count nowhere.
    goal : str
        ``typical``: as often right as possible on tables as they occur. ``guarantee``: a chance at
        every lead, whatever the other options do. Choose before the data are looked at; see
        `rainbowdp.goals`.
    boundary : str
        For a question of your own, the chances where regions touch: ``default``, ``max-min``,
        ``randomized-response`` or ``uniform``.
    table, sql, encoding : str, optional
        For SQL sources the table or query; for text files the encoding.
    describe : path or mapping, optional
        How the table is written: a Frictionless table descriptor, for decimal commas, missing values, other
        separators, lines above the header and so on.
    ledger, name, request_id : str, optional
        The ledger (a file or PostgreSQL URL) and the budget in it that pays; a repeated request id returns
        the stored answer at no cost.
    progress : callable, optional
        Called with the part of the table that has been read, from 0 to 1, where that is known.

    Returns
    -------
    Answer
        Its ``answer`` and ``receipt`` may be published.

    Raises
    ------
    UsageError, QuestionError, UnknownColumnError
        If the request cannot be answered; no row was read.
    TableUnreadableError
        If the table cannot be read. Never because of what a row holds.
    BudgetRefusedError
        If the budget does not cover it; nothing was drawn.
    LedgerError
        If the ledger cannot be read or written; nothing was answered.

    References
    ----------
    docs/theory/center.md; Zhou et al. 2022, Theorems 1 to 5; Gu et al. 2024.

    Examples
    --------
    >>> import pandas
    >>> from rainbowdp.questions import winner
    >>> people = pandas.DataFrame({"party": ["red"] * 90 + ["blue"] * 10})
    >>> ask(people, winner("party", ["red", "blue"]), epsilon=1).answer
    'red'
    """
    require_together("name the column, and how many rows count", unit=unit, max_rows=max_rows)
    terms = Terms(
        question=question,
        privacy=privacy_of(epsilon, delta, mu),
        neighbors=neighbors,
        unit=unit,
        max_rows=1 if max_rows is None else max_rows,
        where={} if where is None else where,
        goal=goal,
        boundary=boundary,
        by=by,
        groups=() if groups is None else groups,
        other_group=other_group,
    )
    payment = Payment(ledger, name, request_id)
    return ask_under(terms, source, Opening(table, sql, encoding, describe), payment, progress=progress)


def ask_keys(
    source: object,
    column: str,
    *,
    epsilon: Number,
    delta: Number,
    unit: str | None = None,
    max_keys: int | None = None,
    where: Mapping[str, object] | None = None,
    table: str | None = None,
    sql: str | None = None,
    encoding: str | None = None,
    describe: object = None,
    ledger: str | None = None,
    name: str | None = None,
    request_id: str | None = None,
    progress: Progress | None = None,
) -> Keys:
    """Ask which categories of a column may be named at all.

    A category that few people have is named rarely, one without people never, and one that many have
    always; how many that is, `rainbowdp.keys.key_table` says beforehand. It is the optimal choice for its
    privacy.

    Parameters
    ----------
    source : path, URL or data frame
        The table, as for `rainbowdp.ask`.
    column : str
        The column with the categories.
    epsilon, delta : number or text
        What the whole list costs; neighbors are tables with one person more or less.
    unit : str, optional
        The column that says whose row it is. Without it every row is a person.
    max_keys : int, optional
        With `unit`: for how many categories one person counts at most, chosen at random.
    where : mapping, optional
        Only rows count whose cells say this, by column: a text, a `Range`, or a list of these.
    table, sql, encoding, describe, ledger, name, request_id, progress
        As for `rainbowdp.ask`.

    Returns
    -------
    Keys
        Its ``keys`` and ``receipt`` may be published.

    Raises
    ------
    UsageError, PrivacyParameterError, UnknownColumnError
        If the request cannot be answered; no row was read.
    TableUnreadableError
        If the table cannot be read. Never because of what a row holds.
    BudgetRefusedError
        If the budget does not cover it; nothing was drawn.
    LedgerError
        If the ledger cannot be read or written; nothing was answered.

    References
    ----------
    Desfontaines, Voss and Gipson 2020, Theorem 1; Zhou et al. 2022, Corollary 2.

    Examples
    --------
    >>> import pandas
    >>> people = pandas.DataFrame({"town": ["Ulm"] * 200})
    >>> ask_keys(people, "town", epsilon=1, delta="1e-6").keys
    ('Ulm',)
    """
    require_together("name the column, and how many categories count", unit=unit, max_keys=max_keys)
    mechanism = key_mechanism(epsilon, delta, 1 if max_keys is None else max_keys)
    terms = KeyTerms(column, mechanism, unit, {} if where is None else where)
    payment = Payment(ledger, name, request_id)
    return ask_under(terms, source, Opening(table, sql, encoding, describe), payment, progress=progress)


def ask_under(
    terms: AnyTerms[Found_co],
    source: object,
    opening: Opening = Opening(),  # noqa: B008 - a constant
    payment: Payment = Payment(),
    *,
    progress: Progress | None = None,
    opened: Callable[[tuple[str, ...]], None] | None = None,
) -> Found_co:
    """Ask a table on terms that are ready; see `ask` and `ask_keys` for everything else.

    Parameters
    ----------
    terms : Terms or KeyTerms
        What is asked, and how privately.
    source : Summary, Table, or what `rainbowdp.tables.open_table` opens
        The data that the question is about.
    opening, payment
        How the source is opened, and who pays.
    progress : callable, optional
        As for `ask`.
    opened : callable, optional
        Called with the public remarks when the table and the ledger are open, before a row is read and before
        anything is charged.

    Returns
    -------
    Answer or Keys
    """
    # More columns than the one that is asked about: those of filters, persons or groups.
    if isinstance(source, Summary) and (any(opening) or len(terms.columns) > 1):
        raise UsageError(
            "a summary has no columns: neither filters, persons, groups nor ways to read a table apply",
            help="make the summary of the rows that are meant, or give the table",
        )
    with contextlib.ExitStack() as stack:
        rows: Source
        if isinstance(source, Summary):
            rows = source
        else:
            rows = stack.enter_context(open_table(source, **opening._asdict()))
        ledger = None if payment.ledger is None else stack.enter_context(open_ledger(payment.ledger))
        name, request = payment.name, payment.request_id
        return answer(terms, rows, ledger, name, request, progress=progress, opened=opened)


def answer(
    terms: AnyTerms[Found_co],
    source: Source,
    ledger: Ledger | None = None,
    name: str | None = None,
    request_id: str | None = None,
    *,
    bits: BitSource | None = None,
    secret: bytes | None = None,
    progress: Progress | None = None,
    opened: Callable[[tuple[str, ...]], None] | None = None,
) -> Found_co:
    """Answer on an open table, and charge a budget of an open ledger if one is given; see `ask`.

    Parameters
    ----------
    terms : Terms or KeyTerms
        What is asked, and how privately.
    source : Table or Summary
        The open table, or what a question needs to know of it.
    ledger, name, request_id : optional
        The open ledger, the budget in it that pays, and the name of the request.
    bits, secret : optional
        Where randomness comes from: the operating system unless given, which only tests do.
    progress, opened : callable, optional
        As for `ask_under`.
    """
    require_together("name a ledger and the budget in it that pays", ledger=ledger, name=name)
    # A stored answer needs no columns, so with a ledger they are looked at where rows are read.
    if ledger is None and isinstance(source, Table):
        source.check(terms.columns)
    notes = terms.notes(source)
    if ledger is not None and name is not None:
        notes += budget_notes(ledger.state(name), terms.cost, terms.protection)
    if opened is not None:
        opened(notes)
    read = partial(terms.prepare_draw, source, secret, progress, read_all_first=ledger is not None)
    if ledger is None or name is None:
        return terms.found(Released(read()(bits), None, None, now(), notes))
    try:
        paid = pay_and_draw(terms, source, ledger, name, request_id, read=read, bits=bits)
    except BudgetRefusedError as error:
        if "left" in error.values:
            error.help = f"{error.help}{terms.help_if_refused}"
        raise
    return terms.found(paid._replace(notes=notes + paid.notes))


def fingerprint(terms: AnyTerms[Found_co], table: Table | None = None) -> str:
    """Return the request without its privacy, and how the table is read, as one canonical text.

    An encoding other than UTF-8 and a description are part of it, because they change what cells say.
    """
    told = dict(terms.request)
    if table is not None and table.encoding != "utf-8":
        told["encoding"] = table.encoding
    if table is not None and table.description != PLAIN:
        told["description"] = table.description.content
    return json.dumps(told, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def pay_and_draw(
    terms: AnyTerms[object],
    source: Source,
    ledger: Ledger,
    name: str,
    request_id: str | None,
    *,
    read: Callable[[], Callable[[BitSource | None], str]],
    bits: BitSource | None,
) -> Released:
    """Charge a budget, draw where there is no stored answer, and store what was drawn.

    Parameters
    ----------
    terms, source
        What is asked and how privately, and of which data.
    ledger, name, request_id
        The open ledger, the budget in it that pays, and the name of the request.
    read : callable
        Called before the charge, unless an answer is stored. Reads the table, and returns the function that
        draws the answer as text; that function is called after the charge is committed.
    bits : BitSource or None
        What it draws from.

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
    table = source if isinstance(source, Table) else None
    identity = IN_MEMORY if table is None else table.identity
    what: dict[str, Any] = {"question": fingerprint(terms, table), "source": identity}
    what |= {"privacy": str(terms.privacy), "protection": terms.protection}
    before = ledger.foresee(name, terms.cost, request_id=request_id, **what)
    others = other_budgets(ledger, name, identity)
    if before is not None and before.answer is not None:
        notes = (answered_before(before.request_id, identity), *others)
        return Released(before.answer, before.request_id, before.name, before.recorded_at, notes)
    if before is not None:
        others = (f"request {before.request_id!r} was charged before: nothing is charged again", *others)
    draw = read()
    # Chosen here, so that it can be told even if it is not known whether the charge was committed.
    request = secrets.token_hex(16) if request_id is None else request_id
    again = f"request id {request!r} asks for the same again and is charged once at most"
    try:
        charge = ledger.charge(name, terms.cost, request_id=request, **what)
        stands = ledger.store(charge, draw(bits)) if charge.answer is None else charge.answer
    except LedgerError as error:
        error.help = f"{error.help}; {again}" if error.help else again
        raise
    except KeyboardInterrupt as stopped:
        stopped.add_note(again)
        raise
    return Released(stands, charge.request_id, charge.name, charge.recorded_at, others)
