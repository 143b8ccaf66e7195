# SPDX-License-Identifier: Apache-2.0
"""Look at a table before a question is paid for: how its rows and cells are read, with counts.

This is for the custodian of the data alone, who may see the table anyway. Nothing is drawn, charged or
published. It is the one place that shows counts. Rows are opened, filtered and read here as `ask` does it,
by the same functions.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from rainbowdp.questions import Question
from rainbowdp.questions.cells import number_of, tidy
from rainbowdp.questions.kinds import text_reading
from rainbowdp.questions.readings import ApprovalReading, MatchReading, OptionReading, Reading
from rainbowdp.release.notes import reading_notes
from rainbowdp.tables import Table, open_table
from rainbowdp.tables.cells import are_names
from rainbowdp.tables.rows import read_filters
from rainbowdp.tables.source import Progress
from rainbowdp.tables.summarizing import Wanted, count_rows, rows_per_person, tally

MOST_SHOWN = 20
_LONGEST_SHOWN = 100
_ROWS_SHOWN = 10
_PRIVATE = (
    "This is private, for the custodian of the data alone. Publish nothing of it: it is not an answer.",
    "It is for mending spellings and forms. Choose no option, edge or threshold from what you see;",
    "for categories that you do not know beforehand there is: rainbowdp keys",
)


@dataclass(frozen=True)
class CellCounts:
    """How the cells of a column are read, over the rows that the filters leave.

    Attributes
    ----------
    column : str
        The column.
    options : mapping of str to int
        How many cells say each declared text; empty where the question declares none.
    read : int or None
        How many cells the question reads: those that say a declared text, or a number; None without a
        question.
    others : int
        How many cells hold anything else; all texts, without a question.
    empty, unreadable : int
        How many cells say nothing, and how many are there and have no text.
    numbers : int
        How many of the others are plain numbers.
    counted_as : mapping of str to str
        As what the question counts ``others`` and ``empty`` cells, if it does.
    frequent : tuple of (str, int)
        The most frequent texts among the others, most frequent first.
    """

    column: str
    options: Mapping[str, int]
    read: int | None
    others: int
    empty: int
    unreadable: int
    numbers: int
    frequent: tuple[tuple[str, int], ...]
    counted_as: Mapping[str, str]

    @property
    def lines(self) -> Iterator[str]:
        """The same as text."""
        yield f"cells of column {self.column!r}:"
        for option, cells in self.options.items():
            expected = cells or option in self.counted_as.values()
            yield f"{cells:>10}  {_shown(option)}{'' if expected else '   <- no cell says this'}"
        if self.read is not None and not self.options:
            yield f"{self.read:>10}  are read by the question"
        others = "a text" if self.read is None else "something else"
        yield f"{self.others:>10}  hold {others}{self._as('others')}"
        yield f"{self.empty:>10}  are empty or missing{self._as('empty')}"
        yield f"{self.unreadable:>10}  cannot be read"
        if self.read is None:
            yield f"{self.numbers} of the texts are plain numbers, {self.others - self.numbers} are not"
        if self.frequent:
            yield ""
            yield f"the most frequent texts{'' if self.read is None else ' among what is something else'}:"
            yield from (f"{cells:>10}  {_shown(text)}" for text, cells in self.frequent)

    def _as(self, what: str) -> str:
        said = self.counted_as.get(what)
        return "" if said is None else f" (counted as {_shown(said)})"


@dataclass(frozen=True)
class PersonCounts:
    """How many persons a column names, and how many rows they have, over the rows that the filters leave.

    Attributes
    ----------
    column : str
        The column that says whose row it is.
    rows : mapping of int to int
        Number of rows to the number of persons who have so many.
    nameless : int
        How many rows name no person; they count for nothing.
    """

    column: str
    rows: Mapping[int, int]
    nameless: int

    @property
    def lines(self) -> Iterator[str]:
        """The same as text."""
        yield f"persons in column {self.column!r}: {sum(self.rows.values())}"
        yield f"{'rows':>10}  persons"
        yield from (f"{rows:>10}  {persons}" for rows, persons in [*self.rows.items()][:_ROWS_SHOWN])
        if more := [*self.rows.items()][_ROWS_SHOWN:]:
            yield f"{'more':>10}  {sum(persons for _, persons in more)}, one of whom has {more[-1][0]}"
        yield f"rows without a person, which count for nothing: {self.nameless}"


@dataclass(frozen=True, repr=False)
class Inspection:
    """What a custodian sees of a table; it shows itself when it is printed, and in a notebook.

    Attributes
    ----------
    columns : tuple of str or None
        The names of the columns; None for JSON lines.
    rows : int
        How many rows were read.
    left_out : mapping of str to int
        How many records are no row, by what is wrong with them.
    chosen : int
        How many rows the filters leave.
    cells : CellCounts or None
        How the column is read, if one was named.
    persons : PersonCounts or None
        Who has how many rows, if a column says whose they are.
    notes : tuple of str
        Public remarks, as `ask` makes them.
    """

    columns: tuple[str, ...] | None
    rows: int
    left_out: Mapping[str, int]
    chosen: int
    cells: CellCounts | None
    persons: PersonCounts | None
    notes: tuple[str, ...]

    @property
    def lines(self) -> Iterator[str]:
        """All of it as text, line by line."""
        yield from (*_PRIVATE, "")
        if self.columns is not None:
            yield f"columns: {', '.join(map(_shown, self.columns))}"
        yield from (f"note: {text}" for text in self.notes)
        yield f"rows read: {self.rows}"
        yield f"rows that cannot be read: {sum(self.left_out.values())}"
        yield from (f"{rows:>10}  {reason}" for reason, rows in self.left_out.items())
        if self.chosen != self.rows:
            yield f"rows that the filters leave: {self.chosen}"
        for part in (self.cells, self.persons):
            if part is not None:
                yield from ("", *part.lines)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return "<Inspection: private; print it to see it>"

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        del cycle
        printer.text(str(self))  # type: ignore[attr-defined]  # of IPython


def inspect(
    source: object,
    question: Question | str | None = None,
    *,
    unit: str | None = None,
    where: Mapping[str, object] | None = None,
    table: str | None = None,
    sql: str | None = None,
    encoding: str | None = None,
    describe: object = None,
    progress: Progress | None = None,
) -> Inspection:
    """Look at a table as a question reads it; for the custodian alone, never to be published.

    It costs nothing and touches no ledger. Use it to mend spellings and forms before an answer is paid for.
    An option, edge or threshold that is chosen from what it shows is outside of the guarantee.

    Parameters
    ----------
    source : path, URL or data frame
        The table, as for `rainbowdp.ask`.
    question : Question or str, optional
        What will be asked, or the name of a column alone.
    unit : str, optional
        The column that says whose row it is.
    where, table, sql, encoding, describe, progress
        As for `rainbowdp.ask`.

    Returns
    -------
    Inspection

    Raises
    ------
    UsageError, QuestionError, UnknownColumnError
        If the question or an option makes no sense for the table.
    TableUnreadableError
        If the table cannot be read.

    Examples
    --------
    >>> import pandas
    >>> from rainbowdp.questions import winner
    >>> people = pandas.DataFrame({"vote": ["yes", "yes", "no", "yes ", None]})
    >>> found = inspect(people, winner("vote", ["Yes", "no"]))
    >>> dict(found.cells.options), found.cells.frequent
    ({'Yes': 0, 'no': 1}, (('yes', 3),))
    """
    with open_table(source, table=table, sql=sql, encoding=encoding, describe=describe) as opened:
        return inspect_table(opened, question, unit=unit, where=where, progress=progress)


def inspect_table(
    table: Table,
    question: Question | str | None = None,
    *,
    unit: str | None = None,
    where: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> Inspection:
    """Look at an open table; see `inspect`."""
    filters = read_filters(where or {})
    reading = None if question is None or isinstance(question, str) else text_reading(question.reading)
    column = reading.column if reading is not None else question if isinstance(question, str) else None
    table.check([name for name in (column, unit, *filters) if name is not None])
    notes = table.notes
    if reading is not None:
        notes += reading_notes(table, filters, None, reading)
    first = column or (table.columns or ("",))[0]
    rows = count_rows(table, Wanted(first, {}))
    chosen = count_rows(table, Wanted(first, filters)) if filters else rows
    cells = persons = None
    if column is not None:
        cells = _cells(tally(table, Wanted(column, filters), progress), column, reading, chosen)
    if unit is not None:
        found = rows_per_person(table, Wanted(column or unit, filters, unit))
        named = sum(size * count for size, count in found.items())
        persons = PersonCounts(unit, MappingProxyType(dict(sorted(found.items()))), chosen - named)
    return Inspection(
        columns=table.columns,
        rows=rows,
        left_out=MappingProxyType(dict(table.source.left_out())),
        chosen=chosen,
        cells=cells,
        persons=persons,
        notes=notes,
    )


def _cells(
    texts: Iterable[tuple[str | None, int]], column: str, reading: Reading | None, rows: int
) -> CellCounts:
    """Count the cells of the column, given their texts; the cells of other rows cannot be read."""
    strict = _without_other(reading)
    declared = strict.options if isinstance(strict, OptionReading) else ()
    options = Counter(dict.fromkeys(declared, 0))
    seen: Counter[str] = Counter()

    def others() -> Iterator[tuple[str, int]]:
        for text, cells in texts:
            if text is None:
                seen["empty"] += cells
            elif all(are_names([text])):
                places = {part: _place(strict, part) for part in _parts(strict, text)}
                read = {*places.values()} - {None}
                options.update({option: cells for at, option in enumerate(declared) if at in read})
                seen["read" if read else "others"] += cells
                for part in (part for part, place in places.items() if place is None):
                    seen["numbers"] += cells * (number_of(part) is not None)
                    yield part, cells

    counted: Iterator[tuple[str, int]] = others()
    if isinstance(strict, ApprovalReading):
        parts: Counter[str] = Counter()
        for text, cells in counted:
            parts[text] += cells
        counted = iter(parts.items())
    # As what a reading of the package counts other and empty cells, where it does.
    counted_as = {"others": getattr(reading, "other", None), "empty": getattr(reading, "nulls", None)}
    frequent = heapq.nsmallest(MOST_SHOWN, counted, key=lambda item: (-item[1], item[0]))
    return CellCounts(
        column,
        MappingProxyType(dict(options)),
        None if reading is None else seen["read"],
        seen["others"],
        seen["empty"],
        rows - seen["read"] - seen["others"] - seen["empty"],
        seen["numbers"],
        tuple(frequent),
        MappingProxyType({what: str(said) for what, said in counted_as.items() if said is not None}),
    )


def _without_other(reading: Reading | None) -> Reading | None:
    """Return a reading that places nothing but what is declared."""
    if isinstance(reading, MatchReading):
        return OptionReading(reading.column, (reading.equals,))
    return replace(reading, other=None) if isinstance(reading, OptionReading) else reading


def _parts(reading: Reading | None, text: str) -> set[str]:
    """Return the texts of a cell that are read each by itself."""
    if isinstance(reading, ApprovalReading):
        return {tidy(part) for part in text.split(reading.separator)} - {""}
    return {text}


def _place(reading: Reading | None, text: str) -> object:
    """Return what such a text counts as; None if it counts for nothing."""
    if isinstance(reading, OptionReading):
        return reading.option(text)
    return None if reading is None else reading.place(text)


def _shown(text: str) -> str:
    """Return a text in quotes, cut if it is long; characters that cannot be seen are escapes."""
    return repr(text) if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]!r}…"
