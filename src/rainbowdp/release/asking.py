# SPDX-License-Identifier: Apache-2.0
"""From a table to one publishable answer: locate, charge, draw, and say nothing else.

The order is the promise. What can be refused is refused before a row is read; what can fail fails before
anything is charged (`rainbowdp.release.ready`). The charge is committed before anything is drawn, and the
answer that leaves is the one the ledger stored (`rainbowdp.release.paying`).
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from rainbowdp.errors import BudgetRefusedError, UsageError
from rainbowdp.exact import NumberLike
from rainbowdp.goals import Goal
from rainbowdp.ledger import Ledger, open_ledger
from rainbowdp.ledger.names import one_spelling
from rainbowdp.questions import Neighbors, Question, Summary
from rainbowdp.release.answers import Answer, stored, written
from rainbowdp.release.paying import canonical, encoded, pay_and_draw, require_both, require_budget
from rainbowdp.release.ready import Progress, columns_of, drawn, make_ready, notes_of
from rainbowdp.release.terms import Terms, privacy_of
from rainbowdp.sampling import BitSource
from rainbowdp.tables import Table, open_table

IN_MEMORY = "a summary in memory"


def ask(
    source: object,
    question: Question,
    *,
    epsilon: NumberLike | None = None,
    delta: NumberLike | None = None,
    mu: NumberLike | None = None,
    neighbors: Neighbors = "add-remove",
    unit: str | None = None,
    max_rows: int | None = None,
    where: Mapping[str, str] | None = None,
    by: str | None = None,
    groups: Sequence[str] | None = None,
    goal: Goal = "typical",
    boundary: str = "default",
    table: str | None = None,
    sql: str | None = None,
    encoding: str | None = None,
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
    where : mapping of str to str, optional
        Only rows with exactly these cells count.
    by, groups : str and sequence of str, optional
        Answer once for each of these cells of a column.
    goal : str
        ``typical``: as often right as possible on tables as they occur. ``guarantee``: a chance at
        every lead, whatever the other options do. Choose before the data are looked at; see
        `rainbowdp.goals`.
    boundary : str
        For a question of your own, the chances where regions touch: ``default``, ``max-min``,
        ``randomized-response`` or ``uniform``.
    table, sql, encoding : str, optional
        For SQL sources the table or query; for text files the encoding.
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
    require_both(unit, max_rows, "max_rows", "how many rows of one person count at most")
    terms = Terms(
        question=question,
        privacy=privacy_of(epsilon, delta, mu),
        neighbors=neighbors,
        unit=unit,
        max_rows=1 if max_rows is None else max_rows,
        where={} if where is None else where,
        goal=goal,
        rule=boundary,
        by=by,
        groups=() if groups is None else groups,  # type: ignore[arg-type]  # checked and made a tuple there
    )
    return ask_under(
        terms,
        source,
        table=table,
        sql=sql,
        encoding=encoding,
        ledger=ledger,
        name=name,
        request_id=request_id,
        progress=progress,
    )


def ask_under(
    terms: Terms,
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
) -> Answer:
    """Ask a table a question whose terms are ready; see `ask` for everything else.

    Parameters
    ----------
    terms : Terms
        What is asked, and how privately.
    source, table, sql, encoding, ledger, name, request_id, progress
        As for `ask`.
    opened : callable, optional
        Called with the public remarks about the table when it and the ledger are open, before a row is read
        and before anything is charged.

    Returns
    -------
    Answer

    Raises
    ------
    UsageError, QuestionError, UnknownColumnError, TableUnreadableError, BudgetRefusedError, LedgerError
        As `ask`.
    """
    require_budget(ledger, name, request_id)
    with contextlib.ExitStack() as stack:
        if isinstance(source, Summary):
            _refuse_table_options(terms, table, sql, encoding)
            asked: Table | Summary = source
        else:
            asked = stack.enter_context(open_table(source, table=table, sql=sql, encoding=encoding))
        book = None if ledger is None else stack.enter_context(open_ledger(ledger))
        # A stored answer needs no columns, so with a ledger they are looked at later.
        if book is None and isinstance(asked, Table):
            asked.check(columns_of(terms))
        if opened is not None:
            opened(notes_of(terms, asked))
        if book is None or name is None:
            return answer(terms, asked, progress=progress)
        return answer_from_ledger(terms, asked, book, name, request_id, progress=progress)


def answer(
    terms: Terms,
    source: Table | Summary,
    *,
    bits: BitSource | None = None,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Answer without charging anybody; see `ask`.

    Parameters
    ----------
    terms : Terms
        What is asked, and how privately.
    source : Table or Summary
        The open table, or what a question needs to know of it.
    bits, key : optional
        Where randomness comes from; the operating system unless given, which only tests do.
    progress : callable, optional
        As for `ask`.
    """
    notes = notes_of(terms, source)
    ready = make_ready(terms, source, key, progress)
    return Answer(terms, drawn(ready, bits), notes=notes)


def answer_from_ledger(
    terms: Terms,
    source: Table | Summary,
    ledger: Ledger,
    name: str,
    request_id: str | None,
    *,
    bits: BitSource | None = None,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Charge a budget, and answer; see `ask`.

    Parameters
    ----------
    terms, source, bits, key, progress
        As for `answer`.
    ledger : Ledger
        The open ledger.
    name : str
        The budget that pays.
    request_id : str or None
        The name of the request.
    """

    def read() -> Callable[[], str]:
        ready = make_ready(terms, source, key, progress)
        return lambda: written(drawn(ready, bits))

    notes = notes_of(terms, source)
    with _for_all_groups(terms):
        paid = pay_and_draw(
            ledger,
            name,
            request_id,
            cost=terms.cost,
            question=fingerprint(terms, source.encoding if isinstance(source, Table) else "utf-8"),
            source=source.identity if isinstance(source, Table) else IN_MEMORY,
            privacy=str(terms.privacy),
            read=read,
        )
    return Answer(
        terms,
        stored(paid.answer, terms),
        request_id=paid.request_id,
        budget=one_spelling(name),
        answered_at=paid.charged_at,
        notes=notes + paid.notes,
    )


@contextlib.contextmanager
def _for_all_groups(terms: Terms) -> Iterator[None]:
    """Say of a refusal that what would fit is for all groups, where they cost more than one answer."""
    try:
        yield
    except BudgetRefusedError as error:
        if len(terms.groups) > 1:
            error.help = f"{error.help}; that is for the answers of all groups together"
        raise


def _refuse_table_options(terms: Terms, *options: str | None) -> None:
    """Refuse what only a table can do, where a summary is given."""
    if terms.where or terms.unit is not None or terms.groups or any(option is not None for option in options):
        raise UsageError(
            "a summary has no columns: neither filters, persons, groups nor ways to read a table apply",
            help="make the summary of the rows that are meant, or give the table",
        )


def fingerprint(terms: Terms, encoding: str = "utf-8") -> str:
    """Return everything that is asked, and how the table is read, but the privacy, as one canonical text."""
    return canonical(
        {
            **encoded(encoding),
            "question": terms.description,
            "neighbors": terms.neighbors,
            "unit": terms.unit,
            "max_rows": terms.max_rows,
            "where": dict(terms.where),
            "goal": terms.goal,
            "boundary": terms.rule,
            "by": terms.by,
            "groups": list(terms.groups),
        }
    )
