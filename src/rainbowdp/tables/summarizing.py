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

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rainbowdp.errors import UsageError
from rainbowdp.questions.cells import typed_texts
from rainbowdp.tables.cells import are_names, stored_cell, texts_of
from rainbowdp.tables.persons import Spool, spool_for
from rainbowdp.tables.rows import Groups, groups_of, passing, read_filters
from rainbowdp.tables.source import Progress
from rainbowdp.tables.table import Table

if TYPE_CHECKING:
    from rainbowdp.questions.readings import Reading, Summary

K = TypeVar("K")
T = TypeVar("T")
Texts = Sequence[str | None]

_REMEMBERED = 1 << 16
# Longer texts are looked at each time, since many of them would fill the memory.
_LONG = 1 << 12


@dataclass(frozen=True)
class Wanted:
    """Which rows count, and what is read of them.

    Attributes
    ----------
    column : str
        Whose cells count.
    where : mapping
        Column to what its cells must say for a row to count, as `read_filters` takes it.
    unit : str, optional
        The column that says whose row it is; a row without it counts for nothing.
    groups : Groups, optional
        How the rows are divided; rows of no group count nowhere.
    are_keys : bool
        Whether cells are keys: empty and unreadable cells are left out, and a key that a person has in
        several rows counts once.
    most : int
        How many rows, or keys, of a person count.

    Raises
    ------
    UsageError
        If a filter cannot be read, or `most` is below 1.
    """

    column: str
    where: Mapping[str, Any] = field(default_factory=dict)
    unit: str | None = None
    groups: Groups | None = None
    are_keys: bool = False
    most: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", read_filters(self.where))
        if self.most < 1:
            what = "key" if self.are_keys else "row"
            raise UsageError(
                f"{self.most} {what}s per person are too few",
                help=f"let at least one {what} count",
                **{f"max_{what}s": self.most},
            )

    @property
    def columns(self) -> list[str]:
        """All columns that are needed, each once."""
        unit = [] if self.unit is None else [self.unit]
        by = () if self.groups is None else self.groups.columns
        return list(dict.fromkeys([self.column, *self.where, *unit, *by]))

    def tests(self) -> list[tuple[int, Callable[[Texts], Sequence[bool]]]]:
        """Return what decides whether a row counts: numbers of columns, each with a function of its texts."""
        place = self.columns.index
        named = ([self.column] if self.are_keys else []) + ([] if self.unit is None else [self.unit])
        return [
            *(
                (place(name), Remembered(partial(passing, what), _itself))
                for name, what in self.where.items()
            ),
            *((place(name), are_names) for name in named),
        ]

    def dividing(self) -> Callable[[Sequence[Texts]], list[int]]:
        """Return what gives each row, of which there are the texts by column, the number of its group."""
        groups, place = self.groups, self.columns.index
        if groups is None:
            return lambda columns: [0] * len(columns[0])
        ways = [
            (place(column), Remembered(partial(groups.places_in, at), _itself))
            for at, column in enumerate(groups.columns)
        ]
        return lambda columns: groups.together([way(columns[at]) for at, way in ways])


def summarize(
    table: Table,
    reading: "Reading",
    *,
    where: Mapping[str, object] | None = None,
    unit: str | None = None,
    max_rows: int = 1,
    secret: bytes | None = None,
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
        Column to what its cells must say for a row to count: a text, a `Range`, or a list of these.
    unit : str, optional
        The column that says whose row it is, where a person has several; a row without it counts for nothing.
    max_rows : int
        How many rows of a person count at most, if there is a unit.
    secret : bytes, optional
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
    wanted = Wanted(reading.column, where or {}, unit=unit, most=max_rows)
    table.check(wanted.columns)
    if unit is None:
        return reading.summary(
            (stored_cell(text), count)
            # The column that is read is the first.
            for columns, _ in _rows_that_count(table, wanted, progress, counted=True)
            for text, count in zip(columns[0], columns[-1], strict=True)
        )
    with _collected(table, wanted, secret, progress) as spool:
        return reading.summary(_cells(spool, 0))


def summarize_groups(
    table: Table,
    reading: "Reading",
    by: str | Sequence[str],
    groups: Sequence[object],
    *,
    other_group: str | None = None,
    where: Mapping[str, object] | None = None,
    unit: str | None = None,
    max_rows: int = 1,
    secret: bytes | None = None,
    progress: Progress | None = None,
) -> "dict[str, Summary]":
    """Read one summary per declared group off a table, in one pass.

    Parameters
    ----------
    table, reading, where, unit, secret, progress
        As for `summarize`.
    by : str or sequence of str
        The column that says to which group a row belongs, or several.
    groups : sequence of str, or of sequences of str
        The declared groups of the column, or of each of several; every combination of these is a group.
    other_group : str, optional
        As what all other cells of these columns count, also empty ones; without it their rows count nowhere.
    max_rows : int
        How many rows of a person count at most **over all groups together**, if there is a unit; so a
        person has rows in at most ``min(max_rows, number of groups)`` groups.

    Returns
    -------
    dict
        Group to summary, in the declared order; see `rainbowdp.tables.rows.Groups.names`.

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
    divided = groups_of(by, groups, other_group)
    wanted = Wanted(reading.column, where or {}, unit=unit, groups=divided, most=max_rows)
    table.check(wanted.columns)
    with _collected(table, wanted, secret, progress) as spool:
        names = () if divided is None else divided.names
        return {group: reading.summary(_cells(spool, at)) for at, group in enumerate(names)}


def _cells(spool: Spool, part: int) -> Iterator[tuple[object, int]]:
    return ((stored_cell(text), count) for text, count in spool.tally(part))


def count_keys(
    table: Table,
    column: str,
    *,
    where: Mapping[str, object] | None = None,
    unit: str | None = None,
    max_keys: int = 1,
    secret: bytes | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[str, int]]:
    """Yield every key of a column with the number of people who have it; private.

    Parameters
    ----------
    table : Table
        From `rainbowdp.tables.open_table`.
    column : str
        The column; a cell's text is its key, and null or unreadable cells have no key.
    where : mapping, optional
        Column to what its cells must say for a row to count: a text, a `Range`, or a list of these.
    unit : str, optional
        The column that says whose row it is; without it every row is a person.
    max_keys : int
        For how many different keys a person counts at most: a uniformly random set of this person's keys.
    secret : bytes, optional
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
    wanted = Wanted(column, where or {}, unit=unit, are_keys=True, most=max_keys)
    table.check(wanted.columns)
    return _keys(table, wanted, secret, progress)


def count_rows(table: Table, wanted: Wanted) -> int:
    """Return how many rows count; private."""
    return sum(sum(columns[-1]) for columns, _ in _rows_that_count(table, wanted, None, counted=True))


def rows_per_person(table: Table, wanted: Wanted) -> Counter[int]:
    """Return how many persons have how many of the rows that count; private."""
    with _collected(table, wanted, None, None) as spool:
        return spool.rows_per_person()


def tally(table: Table, wanted: Wanted, progress: Progress | None = None) -> Iterator[tuple[str | None, int]]:
    """Yield every text of a column, as `texts_of` has it, with the number of rows that count; private."""
    with _collected(table, wanted, None, progress) as spool:
        yield from spool.tally(0)


def _keys(
    table: Table, wanted: Wanted, secret: bytes | None, progress: Progress | None
) -> Iterator[tuple[str, int]]:
    with _collected(table, wanted, secret, progress) as spool:
        yield from spool.by_cell()


class Remembered(Generic[K, T]):
    """A function with a memory: it is called once for each distinct key, while there are few keys.

    Parameters
    ----------
    function : callable
        Says for distinct keys what each stands for.
    text_of : callable
        The text in a key; keys with a long one are asked for each time, since many would fill the memory.

    Examples
    --------
    >>> lengths = Remembered(lambda texts: [len(text) for text in texts], str)
    >>> lengths(["ab", "c", "ab"])
    [2, 1, 2]
    """

    def __init__(
        self, function: Callable[[list[K]], Sequence[T]], text_of: Callable[[K], str | None]
    ) -> None:
        self._function = function
        self._text_of = text_of
        self._known: dict[K, T] = {}

    def __call__(self, *columns: Sequence[Any]) -> list[T]:
        """Return what each key stands for; of several columns, a key is what stands in a row."""

        def rows() -> Iterable[K]:
            return columns[0] if len(columns) == 1 else zip(*columns, strict=True)  # type: ignore[return-value]  # K is a tuple then

        with contextlib.suppress(KeyError):
            # All at once, and without a tuple of its own for each row.
            return list(map(self._known.__getitem__, rows()))
        keys = list(rows())
        if any(len(text or "") > _LONG for text in map(self._text_of, keys)):
            return list(self._function(keys))
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = list(dict.fromkeys(keys))
        self._known.update(zip(new, self._function(new), strict=True))
        return list(map(self._known.__getitem__, keys))


def _rows_that_count(
    table: Table, wanted: Wanted, progress: Progress | None, *, counted: bool
) -> Iterator[tuple[list[list[Any]], list[int]]]:
    """Yield the texts of the rows that count, by column, and the numbers of their groups.

    Where rows are counted, a last column says how many rows say the same. Each batch is judged column by
    column, and no row by another one.
    """
    width, tests, divide = len(wanted.columns), wanted.tests(), wanted.dividing()
    for batch in table.source.batches(wanted.columns, progress, counted=counted):
        columns: list[list[Any]] = [*map(texts_of, batch[:width]), *map(list, batch[width:])]
        for at, holds in tests:
            columns = _kept(columns, holds(columns[at]))
        parts = divide(columns)
        if min(parts, default=0) < 0:
            *columns, parts = _kept([*columns, parts], [part >= 0 for part in parts])
        yield columns, parts


def _kept(columns: list[list[Any]], passes: Sequence[bool]) -> list[list[Any]]:
    return columns if all(passes) else [list(compress(column, passes)) for column in columns]


@contextlib.contextmanager
def _collected(
    table: Table, wanted: Wanted, secret: bytes | None, progress: Progress | None
) -> Iterator[Spool]:
    """Put all rows that count aside, and count those that every person keeps; without a unit, all."""
    names = wanted.columns
    with spool_for(secret) as spool:
        mark_of: Remembered[tuple[int, str | None], bytes] = Remembered(spool.take_down, itemgetter(1))
        # Rows of persons are told apart here anyway: to group them first takes longer.
        for columns, parts in _rows_that_count(table, wanted, progress, counted=wanted.unit is None):
            said = columns[names.index(wanted.column)]
            if parts and wanted.unit is None:
                spool.count(spool.take_down(list(zip(parts, said, strict=True))), columns[-1])
            elif parts:
                spool.add(typed_texts(columns[names.index(str(wanted.unit))]), mark_of(parts, said))
        if wanted.unit is not None:
            spool.keep(wanted.most, once=wanted.are_keys)
        yield spool


def _itself(text: str | None) -> str | None:
    return text
