# SPDX-License-Identifier: Apache-2.0
"""Ask a table a question, and get one publishable answer, or one per group.

The flow that opens, reads, charges and draws is `rainbowdp.release.flow`; here is what a question adds to it:
how rows become a summary, where the mechanism is at this summary, and how answers are stored.
"""

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from rainbowdp.errors import UsageError
from rainbowdp.exact import NumberLike
from rainbowdp.goals import Goal, Located
from rainbowdp.ledger import Cost, Ledger
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Neighbors, Question, Summary
from rainbowdp.questions.cells import typed_text
from rainbowdp.questions.kinds import text_reading
from rainbowdp.questions.readings import BracketReading, MatchReading, OptionReading, SumReading
from rainbowdp.release.flow import (
    UNREADABLE,
    Chances,
    Draw,
    Opening,
    Source,
    changed_answer,
    open_and_release,
    release,
)
from rainbowdp.release.receipt import EVERYBODY, Answer, Answers, listed
from rainbowdp.release.terms import Terms, privacy_of, require_both
from rainbowdp.tables import Table, summarize, summarize_groups
from rainbowdp.tables.source import Progress

_POINTS = (
    "the cells are separated by semicolons, as they are where decimals have a comma: '2,5' counts for "
    "nothing, and '1.200' is 1.2, no thousand"
)
_TYPED = "where the table has truth values or numbers, these say true, false, 1 or 2.5"


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


def ask_under(terms: Terms, source: object, **options: Unpack[Opening]) -> Answer:
    """Ask a table a question whose terms are ready; see `ask` for everything else.

    Parameters
    ----------
    terms : Terms
        What is asked, and how privately.
    source, **options
        As for `ask`; see `rainbowdp.release.flow.Opening`.

    Returns
    -------
    Answer

    Raises
    ------
    UsageError, QuestionError, UnknownColumnError, TableUnreadableError, BudgetRefusedError, LedgerError
        As `ask`.
    """
    if isinstance(source, Summary):
        _refuse_table_options(terms, options.get("table"), options.get("sql"), options.get("encoding"))
    return Answer(terms, *open_and_release(_QuestionRequest(terms), source, **options))


def answer(
    terms: Terms,
    source: Table | Summary,
    ledger: Ledger | None = None,
    name: str | None = None,
    request_id: str | None = None,
    **chances: Unpack[Chances],
) -> Answer:
    """Answer on an open table, and charge a budget of an open ledger if one is given; see `ask`.

    Parameters
    ----------
    terms : Terms
        What is asked, and how privately.
    source, ledger, name, request_id, **chances
        As for `rainbowdp.release.flow.release`.
    """
    return Answer(terms, *release(_QuestionRequest(terms), source, ledger, name, request_id, **chances))


def _refuse_table_options(terms: Terms, *options: str | None) -> None:
    """Refuse what only a table can do, where a summary is given."""
    if terms.where or terms.unit is not None or terms.groups or any(option is not None for option in options):
        raise UsageError(
            "a summary has no columns: neither filters, persons, groups nor ways to read a table apply",
            help="make the summary of the rows that are meant, or give the table",
        )


@dataclass(frozen=True)
class _QuestionRequest:
    """What a question adds to the flow; see `rainbowdp.release.flow.Request`."""

    terms: Terms

    @property
    def columns(self) -> list[str]:
        terms = self.terms
        people = [column for column in (terms.unit, terms.by) if column is not None]
        return [terms.reading.column, *terms.where, *people]

    @property
    def asked(self) -> Mapping[str, object]:
        terms = self.terms
        return {
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

    @property
    def privacy(self) -> Privacy:
        return self.terms.privacy

    @property
    def cost(self) -> Cost:
        return self.terms.cost

    @property
    def help_if_refused(self) -> str:
        return "; that is for the answers of all groups together" if len(self.terms.groups) > 1 else ""

    def notes(self, source: Source) -> tuple[str, ...]:
        if not isinstance(source, Table):
            return ()
        terms, found = self.terms, list(source.notes)
        if source.separator == ";" and isinstance(terms.reading, SumReading | BracketReading):
            found.append(_POINTS)
        odd = [] if source.separator else [text for text in _declared(terms) if typed_text(text) != text]
        if odd:
            found.append(f"{odd[0]!r} stands for text alone: {_TYPED}")
        return tuple(found)

    def read(
        self, source: Source, key: bytes | None, progress: Progress | None, *, whole: bool
    ) -> Draw[Answers]:
        del whole
        located = locate(self.terms, source, key, progress)
        return lambda bits: {group: at.draw(bits) for group, at in located.items()}

    def written(self, answer: Answers) -> str:
        return json.dumps(listed(dict(answer)), ensure_ascii=False, separators=(",", ":"))

    def stored(self, text: str) -> Answers:
        groups = self.terms.groups or (EVERYBODY,)
        with contextlib.suppress(*UNREADABLE):
            kept: dict[str, str | list[str]] = json.loads(text)
            found = {group: tuple(said) if isinstance(said, list) else said for group, said in kept.items()}
            if found.keys() == set(groups) and all(map(self.terms.mechanism.accepts, found.values())):
                return {group: found[group] for group in groups}
        raise changed_answer()


def locate(
    terms: Terms, source: Source, key: bytes | None = None, progress: Progress | None = None
) -> Mapping[str, Located]:
    """Read rows and return the mechanism at the table of each group, which says where the table lies.

    After this, nothing is left that can fail but the draw.
    """
    summaries = _read(terms, source, key, progress) if isinstance(source, Table) else {EVERYBODY: source}
    return {group: terms.mechanism.at(summary) for group, summary in summaries.items()}


def _read(terms: Terms, table: Table, key: bytes | None, progress: Progress | None) -> Mapping[str, Summary]:
    reading = text_reading(terms.reading)
    how: dict[str, Any] = {
        "where": terms.where,
        "unit": terms.unit,
        "max_rows": terms.max_rows,
        "key": key,
        "progress": progress,
    }
    if terms.by is not None:
        return summarize_groups(table, reading, terms.by, terms.groups, **how)
    return {EVERYBODY: summarize(table, reading, **how)}


def _declared(terms: Terms) -> list[str]:
    """Return the texts with which cells are compared."""
    reading = terms.reading
    said = reading.options if type(reading) is OptionReading else ()
    equal = (reading.equals,) if type(reading) is MatchReading else ()
    return [*said, *equal, *terms.where.values(), *terms.groups]
