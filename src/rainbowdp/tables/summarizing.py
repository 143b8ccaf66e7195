# SPDX-License-Identifier: Apache-2.0
"""Read off a table the summary that a question needs, one per group if asked, or the people of each key.

One pass over the columns that are needed, grouped by raw cells in the engine; a reading maps each distinct
cell once. Filters, groups and persons are functions of a row alone, so that the rows of one person change a
summary by as much as these rows, and nothing else.

With ``unit``, the rows that satisfy ``where`` (and belong to a declared group) are limited to ``max_rows``
per person before the answer cell is looked at: a row whose answer cannot be read uses up its place like any
other.

Keys are counted inside a database, so millions of them need no memory of ours. They come in the order of
their text, which says nothing about the order of the rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rainbowdp.errors import UsageError
from rainbowdp.tables.collecting import Judge, Wanted, collect, declared_texts, filters, stored_cell
from rainbowdp.tables.persons import Spool, key_or_fresh
from rainbowdp.tables.row_limit import Numbering
from rainbowdp.tables.source import Progress, row_count
from rainbowdp.tables.table import Table

if TYPE_CHECKING:
    from rainbowdp.questions.readings import Reading, Summary


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
    wanted = Wanted(reading.column, where or {}, unit=unit)
    table.check(wanted.columns)
    _check_rows(max_rows)
    if unit is None:
        judge = Judge(wanted)
        # The column that is read is the first.
        return reading.summary(
            (row[0], row_count(row))
            for batch in table.source.counted(wanted.columns, progress)
            for row in judge.passing(batch)
        )
    with Spool(key_or_fresh(key)) as spool:
        collect(spool, table, wanted, progress)
        spool.keep(max_rows, _numbering(table))
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
    _check_rows(max_rows)
    wanted = Wanted(reading.column, where or {}, unit=unit, by=by, groups=declared_texts("group", groups))
    table.check(wanted.columns)
    if not wanted.groups:
        raise UsageError("no group is declared", help="name the groups with --groups A,B,C")
    with Spool(key_or_fresh(key)) as spool:
        collect(spool, table, wanted, progress)
        if unit is not None:
            spool.keep(max_rows, _numbering(table))
        return {group: reading.summary(_cells(spool, at)) for at, group in enumerate(groups)}


def _numbering(table: Table) -> Numbering:
    return Numbering.ARRIVAL if table.source.ordered else Numbering.SAYING


def _cells(spool: Spool, part: int) -> Iterator[tuple[object, int]]:
    for text, count in spool.tally(part):
        yield stored_cell(text), count


def _check_rows(max_rows: int) -> None:
    if max_rows < 1:
        raise UsageError(
            f"{max_rows} rows per person are too few", help="let at least one row count", max_rows=max_rows
        )


def count_keys(
    table: Table,
    column: str,
    *,
    where: Mapping[str, str] | None = None,
    unit: str | None = None,
    max_keys: int = 1,
    key: bytes | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[str, int]]:
    """Yield every key of a column with the number of people who have it; private.

    Parameters
    ----------
    table : Table
        From `rainbowdp.tables.open_table`.
    column : str
        The column; a cell's text is its key, and null or unreadable cells are none.
    where : mapping, optional
        Column to text: only rows whose cells say exactly these texts count.
    unit : str, optional
        The column that says whose row it is; without it every row is a person.
    max_keys : int
        For how many different keys a person counts at most, chosen in a keyed random order of this person's
        keys.
    key : bytes, optional
        For that choice; by default fresh from the operating system.
    progress : callable, optional
        As for `rainbowdp.tables.summarize`.

    Yields
    ------
    tuple of str and int
        Key and number of people, in the order of the keys' texts.

    Raises
    ------
    UnknownColumnError, UsageError, TableUnreadableError
        As `rainbowdp.tables.summarize`.

    Examples
    --------
    >>> from rainbowdp.tables import open_table
    >>> import polars
    >>> frame = polars.DataFrame({"who": [1, 1, 2], "word": ["hi", "hi", "yo"]})
    >>> with open_table(frame) as words:
    ...     list(count_keys(words, "word", unit="who"))
    [('hi', 1), ('yo', 1)]
    """
    wanted = Wanted(column, where or {}, unit=unit, named=True)
    table.check(wanted.columns)
    filters(wanted.where)
    if max_keys < 1:
        raise UsageError(
            f"{max_keys} keys per person are too few", help="let at least one key count", max_keys=max_keys
        )
    return _counted(table, wanted, max_keys, key_or_fresh(key), progress)


def _counted(
    table: Table, wanted: Wanted, max_keys: int, key: bytes, progress: Progress | None
) -> Iterator[tuple[str, int]]:
    with Spool(key) as spool:
        collect(spool, table, wanted, progress)
        if wanted.unit is not None:
            # Which keys a person keeps depends on the person's set of keys, and on no order of rows.
            spool.keep(max_keys, Numbering.ONCE)
        yield from spool.by_cell()
