# SPDX-License-Identifier: Apache-2.0
"""How many people hold each key of a column whose keys nobody has declared.

The one idea: everything is counted inside a database, so millions of keys need no memory of ours, and keys
come in the order of their text, which says nothing about the order of the rows.
"""

from collections.abc import Iterator, Mapping

from rainbowdp.errors import UsageError
from rainbowdp.tables.cell_texts import filters
from rainbowdp.tables.collecting import Wanted, collect
from rainbowdp.tables.keeping import Numbering
from rainbowdp.tables.persons import Spool, key_or_fresh
from rainbowdp.tables.source import Progress
from rainbowdp.tables.table import Table


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
