# SPDX-License-Identifier: Apache-2.0
"""How many people hold each key of a column whose keys nobody has declared.

The one idea: everything is counted inside a database, so millions of keys need no memory of ours, and keys
come in the order of their text, which says nothing about the order of the rows.
"""

from collections.abc import Callable, Iterator, Mapping

from rainbowdp.errors import UsageError
from rainbowdp.tables.cell_texts import matches, names
from rainbowdp.tables.persons import Spool, key_or_fresh
from rainbowdp.tables.source import Cells, Progress, row_count
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
    where = where or {}
    people = [] if unit is None else [unit]
    table.check([column, *where, *people])
    if max_keys < 1:
        raise UsageError(
            f"{max_keys} keys per person are too few", help="let at least one key count", max_keys=max_keys
        )
    columns = list(dict.fromkeys([column, *where, *people]))
    holds, key = matches(where, columns), key_or_fresh(key)
    return _counted(table, columns, holds, unit=unit, max_keys=max_keys, key=key, progress=progress)


def _counted(
    table: Table,
    columns: list[str],
    holds: Callable[[Cells], bool],
    *,
    unit: str | None,
    max_keys: int,
    key: bytes,
    progress: Progress | None,
) -> Iterator[tuple[str, int]]:
    person_at = columns.index(unit) if unit is not None else -1
    name_of, person_of = names(), names()
    with Spool(key) as spool:
        for batch in table.source.counted(columns, progress):
            persons: list[str] = []
            found: list[str] = []
            numbers: list[int] = []
            for row in batch:
                # The column of keys is the first.
                name = name_of(row[0])
                person = "" if unit is None else person_of(row[person_at])
                if name is None or person is None or not holds(row):
                    continue
                persons.append(person)
                found.append(name)
                numbers.append(row_count(row))
            nowhere = [0] * len(found)
            if unit is None:
                spool.add_counts(nowhere, found, numbers)
            else:
                spool.add(persons, nowhere, found)
        yield from spool.people_by_cell(None if unit is None else max_keys)
