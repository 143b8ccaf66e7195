# SPDX-License-Identifier: Apache-2.0
"""The sufficient statistic of a question, read off any table.

The one idea: one pass over the columns that are needed, grouped by raw cells in the engine; the reading
maps each distinct cell once. Filters, groups and persons are functions of a row alone, so that the rows of
one person change the summary by as much as these rows, and nothing else.

With ``unit``, the rows that satisfy ``where`` (and belong to a declared group) are limited to ``max_rows``
per person before the answer cell is looked at: a row whose answer cannot be read uses up its place like any
other.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rainbowdp.errors import UsageError
from rainbowdp.questions.cells import typed_text
from rainbowdp.tables.cell_texts import declared_texts, matches, names, stored_cell, stored_texts
from rainbowdp.tables.persons import Spool, key_or_fresh
from rainbowdp.tables.source import Progress, row_count
from rainbowdp.tables.table import Table

if TYPE_CHECKING:
    from rainbowdp.questions.readings import Reading
    from rainbowdp.questions.summaries import Summary


def summarize(
    table: Table,
    reading: "Reading",
    *,
    where: Mapping[str, str] | None = None,
    unit: str | None = None,
    max_rows: int = 1,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> "Summary":
    """Read the summary that a question needs off a table.

    Parameters
    ----------
    table : Table
        From `rainbowdp.tables.open_table`.
    reading : Reading
        Which column, and what its cells mean.
    where : mapping, optional
        Column to text: only rows whose cells say exactly these texts count.
    unit : str, optional
        The column that says whose row it is, where a person has several; a row without it counts for nothing.
    max_rows : int
        How many rows of a person count at most, if there is a unit.
    key : bytes, optional
        For the choice among a person's rows; by default fresh from the operating system, as any release
        needs it.
    progress : callable, optional
        Is told how much is done, from 0 to 1, where that is known; perhaps from another thread.

    Returns
    -------
    Summary
        As the reading makes it; private.

    Raises
    ------
    UnknownColumnError
        If a column does not exist.
    UsageError
        If an option makes no sense.
    TableUnreadableError
        If the table as a whole cannot be read.

    Examples
    --------
    >>> from rainbowdp.questions.readings import OptionReading
    >>> from rainbowdp.tables import open_table
    >>> import polars
    >>> frame = polars.DataFrame({"vote": ["red", " red ", "blue", None, "green"]})
    >>> with open_table(frame) as votes:
    ...     summarize(votes, OptionReading("vote", ("red", "blue"))).counts
    (2, 1)
    """
    where = where or {}
    table.check([reading.column, *where, *([unit] if unit is not None else [])])
    _check_rows(max_rows)
    if unit is None:
        columns = _distinct(reading.column, *where)
        holds = matches(where, columns)
        answer = columns.index(reading.column)
        return reading.summary(
            (row[answer], row_count(row))
            for batch in table.source.counted(columns, progress)
            for row in batch
            if holds(row)
        )
    with Spool(key_or_fresh(key)) as spool:
        _collect(spool, table, reading.column, where=where, unit=unit, by=None, parts={}, progress=progress)
        spool.keep(max_rows, ordered=table.source.ordered, one_group=False)
        return reading.summary(_cells(spool, 0))


def summarize_groups(
    table: Table,
    reading: "Reading",
    by: str,
    groups: Sequence[str],
    *,
    where: Mapping[str, str] | None = None,
    unit: str | None = None,
    max_rows: int = 1,
    one_group: bool = False,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> "dict[str, Summary]":
    """Read one summary per declared group off a table, in one pass.

    Parameters
    ----------
    table, reading, where, unit, key, progress
        As for `summarize`.
    by : str
        The column that says to which group a row belongs.
    groups : sequence of str
        The declared groups; rows of others count nowhere.
    max_rows : int
        How many rows of a person count at most **over all groups together**, if there is a unit; so a
        person has rows in at most ``min(max_rows, number of groups)`` groups.
    one_group : bool
        Whether only rows of one group count for a person, the group of the row that comes first in the
        keyed order; without a unit every row is a person, and this changes nothing.

    Returns
    -------
    dict
        Group to summary, in the declared order.

    Raises
    ------
    UnknownColumnError, UsageError, TableUnreadableError
        As `summarize`.

    Examples
    --------
    >>> from rainbowdp.questions.readings import OptionReading
    >>> from rainbowdp.tables import open_table
    >>> import polars
    >>> frame = polars.DataFrame({"vote": ["red", "red", "blue"], "ward": [1, 2, 2]})
    >>> with open_table(frame) as votes:
    ...     found = summarize_groups(votes, OptionReading("vote", ("red", "blue")), "ward", ["1", "2"])
    >>> {ward: summary.counts for ward, summary in found.items()}
    {'1': (1, 0), '2': (1, 1)}
    """
    where = where or {}
    table.check([reading.column, by, *where, *([unit] if unit is not None else [])])
    _check_rows(max_rows)
    declared = declared_texts("group", groups)
    if not declared:
        raise UsageError("no group is declared", help="name the groups with --groups A,B,C")
    parts = {text: at for at, text in enumerate(declared)}
    with Spool(key_or_fresh(key)) as spool:
        _collect(spool, table, reading.column, where=where, unit=unit, by=by, parts=parts, progress=progress)
        if unit is not None:
            spool.keep(max_rows, ordered=table.source.ordered, one_group=one_group)
        return {group: reading.summary(_cells(spool, at)) for at, group in enumerate(groups)}


def _collect(
    spool: Spool,
    table: Table,
    column: str,
    *,
    where: Mapping[str, str],
    unit: str | None,
    by: str | None,
    parts: Mapping[str, int],
    progress: Progress | None,
) -> None:
    """Put aside the rows that satisfy the filters, with person (or their number), group and answer cell."""
    people = [] if unit is None else [unit]
    columns = _distinct(column, *where, *people, *([by] if by is not None else []))
    holds = matches(where, columns)
    answer = columns.index(column)
    person_at = columns.index(unit) if unit is not None else -1
    group_at = columns.index(by) if by is not None else -1
    source = table.source
    person_of, group_of, text_of = names(), names(), stored_texts()
    batches = source.counted(columns, progress) if unit is None else source.rows(columns, progress)
    for batch in batches:
        numbers: list[int] = []
        persons: list[str] = []
        groups: list[int] = []
        cells: list[str | None] = []
        for row in batch:
            group = 0 if by is None else _part(parts, group_of(row[group_at]))
            if group is None or not holds(row):
                continue
            if unit is None:
                numbers.append(row_count(row))
            elif (person := person_of(row[person_at])) is not None:
                persons.append(person)
            else:
                continue
            groups.append(group)
            cells.append(text_of(row[answer]))
        if unit is None:
            spool.add_counts(groups, cells, numbers)
        else:
            spool.add(persons, groups, cells)


def _part(parts: Mapping[str, int], said: str | None) -> int | None:
    """Return the number of the group for which a cell stands."""
    return None if said is None else parts.get(said, parts.get(typed_text(said)))


def _cells(spool: Spool, part: int) -> Iterator[tuple[object, int]]:
    for text, count in spool.tally(part):
        yield stored_cell(text), count


def _distinct(*columns: str) -> list[str]:
    return list(dict.fromkeys(columns))


def _check_rows(max_rows: int) -> None:
    if max_rows < 1:
        raise UsageError(
            f"{max_rows} rows per person are too few", help="let at least one row count", max_rows=max_rows
        )
