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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rainbowdp.errors import UsageError
from rainbowdp.questions.cells import typed_text, typed_texts
from rainbowdp.tables.cells import are_names, stored_cell, texts_of
from rainbowdp.tables.persons import Spool, key_or_fresh, spool_for
from rainbowdp.tables.row_limit import Numbering
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
        Column to text: only rows whose cells say exactly these texts count.
    unit : str, optional
        The column that says whose row it is; a row without it counts for nothing.
    by : str, optional
        The column of groups.
    groups : sequence of str
        The groups, without outer blanks; rows of others count nowhere.
    named : bool
        Whether what says nothing (an empty or unreadable cell) counts for nothing, and what a person says
        twice counts once.
    most : int
        How many rows, or keys, of a person count.

    Raises
    ------
    UsageError
        If the text of a filter is empty, or no row of a person counts.
    """

    column: str
    where: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    by: str | None = None
    groups: Sequence[str] = ()
    named: bool = False
    most: int = 1

    def __post_init__(self) -> None:
        if self.most < 1:
            what = "key" if self.named else "row"
            raise UsageError(
                f"{self.most} {what}s per person are too few",
                help=f"let at least one {what} count",
                **{f"max_{what}s": self.most},
            )
        for column, text in self.where.items():
            if not text.strip():
                raise UsageError(
                    f"the filter for column {column!r} is empty",
                    help="empty cells count as null, which no text matches",
                )

    @property
    def columns(self) -> list[str]:
        """All columns that are needed, each once."""
        others = [name for name in (self.unit, self.by) if name is not None]
        return list(dict.fromkeys([self.column, *self.where, *others]))

    def tests(self) -> list[tuple[int, Callable[[Texts], Sequence[bool]]]]:
        """Return what decides whether a row counts: numbers of columns, each with a function of its texts."""
        place = self.columns.index
        says: list[tuple[str, Sequence[str]]] = [(name, [text.strip()]) for name, text in self.where.items()]
        if self.by is not None:
            says.append((self.by, self.groups))
        named = ([self.column] if self.named else []) + ([] if self.unit is None else [self.unit])
        return [
            *((place(name), Remembered(partial(_are_among, texts), _itself)) for name, texts in says),
            *((place(name), are_names) for name in named),
        ]


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
    wanted = Wanted(reading.column, where or {}, unit=unit, most=max_rows)
    table.check(wanted.columns)
    if unit is None:
        return reading.summary(
            (stored_cell(text), count)
            # The column that is read is the first.
            for columns in _texts_that_count(table, wanted, progress, counted=True)
            for text, count in zip(columns[0], columns[-1], strict=True)
        )
    with _collected(table, wanted, key_or_fresh(key), progress) as spool:
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
    declared = _declared(groups)
    wanted = Wanted(reading.column, where or {}, unit=unit, by=by, groups=declared, most=max_rows)
    table.check(wanted.columns)
    with _collected(table, wanted, key_or_fresh(key), progress) as spool:
        return {group: reading.summary(_cells(spool, at)) for at, group in enumerate(groups)}


def _cells(spool: Spool, part: int) -> Iterator[tuple[object, int]]:
    return ((stored_cell(text), count) for text, count in spool.tally(part))


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
    wanted = Wanted(column, where or {}, unit=unit, named=True, most=max_keys)
    table.check(wanted.columns)
    return _keys(table, wanted, key_or_fresh(key), progress)


def count_rows(table: Table, wanted: Wanted) -> int:
    """Return how many rows count; private."""
    return sum(sum(columns[-1]) for columns in _texts_that_count(table, wanted, None, counted=True))


def rows_per_person(table: Table, wanted: Wanted) -> Counter[int]:
    """Return how many persons have how many of the rows that count; private."""
    with _collected(table, wanted, key_or_fresh(None), None) as spool:
        return spool.rows_per_person()


def tally(table: Table, wanted: Wanted, progress: Progress | None = None) -> Iterator[tuple[str | None, int]]:
    """Yield every text of a column, as `texts_of` has it, with the number of rows that count; private."""
    with _collected(table, wanted, key_or_fresh(None), progress) as spool:
        yield from spool.tally(0)


def _keys(table: Table, wanted: Wanted, key: bytes, progress: Progress | None) -> Iterator[tuple[str, int]]:
    with _collected(table, wanted, key, progress) as spool:
        yield from spool.by_cell()


class Remembered(Generic[K, T]):
    """A function of keys that is asked for each of them once, as long as they are few.

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

    def __call__(self, keys: Sequence[K]) -> list[T]:
        """Return what each key stands for."""
        with contextlib.suppress(KeyError):
            return list(map(self._known.__getitem__, keys))
        if any(len(text or "") > _LONG for text in map(self._text_of, keys)):
            return list(self._function(list(keys)))
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = list(dict.fromkeys(keys))
        self._known.update(zip(new, self._function(new), strict=True))
        return list(map(self._known.__getitem__, keys))


def _texts_that_count(
    table: Table, wanted: Wanted, progress: Progress | None, *, counted: bool
) -> Iterator[list[list[Any]]]:
    """Yield the texts of the rows that count, by column, and numbers of rows if they are counted.

    Each batch is judged column by column, and no row by another one.
    """
    width, tests = len(wanted.columns), wanted.tests()
    for batch in table.source.batches(wanted.columns, progress, counted=counted):
        columns: list[list[Any]] = [*map(texts_of, batch[:width]), *map(list, batch[width:])]
        for at, holds in tests:
            passes = holds(columns[at])
            if not all(passes):
                columns = [list(compress(column, passes)) for column in columns]
        yield columns


@contextlib.contextmanager
def _collected(table: Table, wanted: Wanted, key: bytes, progress: Progress | None) -> Iterator[Spool]:
    """Put all rows that count aside, and count those that every person keeps; without a unit, all."""
    names = wanted.columns
    with spool_for(key) as spool:
        mark_of: Remembered[tuple[int, str | None], bytes] = Remembered(spool.said, itemgetter(1))
        counted = wanted.unit is None or wanted.named
        for columns in _texts_that_count(table, wanted, progress, counted=counted):
            said, parts = columns[names.index(wanted.column)], [0] * len(columns[0])
            if wanted.by is not None:
                parts = _places(wanted.groups, columns[names.index(wanted.by)])
            sayings = list(zip(parts, said, strict=True))
            if sayings and wanted.unit is None:
                spool.count(spool.said(sayings), columns[-1])
            elif sayings:
                spool.add(typed_texts(columns[names.index(str(wanted.unit))]), mark_of(sayings))
        if wanted.unit is not None:
            # Which keys a person keeps depends on the person's set of keys, and on no order of rows.
            kind = Numbering.ARRIVAL if table.source.ordered else Numbering.SAYING
            spool.keep(wanted.most, Numbering.ONCE if wanted.named else kind)
        yield spool


def _places(declared: Sequence[str], texts: Texts) -> list[int]:
    """Return for each text the number of the declared one for which it stands, -1 where there is none.

    Examples
    --------
    >>> _places(("red", "1"), ["red", "Red", "1.0", None]), _places(("1.0",), ["1"])
    ([0, -1, 1, -1], [-1])
    """
    numbers = {text: at for at, text in enumerate(declared)}
    return [
        numbers.get(text, numbers.get(typed_text(text), -1)) if text is not None and named else -1
        for text, named in zip(texts, are_names(texts), strict=True)
    ]


def _itself(text: str | None) -> str | None:
    return text


def _are_among(declared: Sequence[str], texts: Texts) -> list[bool]:
    return [place >= 0 for place in _places(declared, texts)]


def _declared(groups: Sequence[str]) -> tuple[str, ...]:
    """Return the declared groups without outer blanks, if none is empty and no two are the same."""
    stripped = tuple(group.strip() for group in groups)
    if not stripped:
        raise UsageError("no group is declared", help="name the groups with --groups A,B,C")
    if not all(stripped):
        raise UsageError("a group is empty", help="empty cells count as null, which no text matches")
    twice = next((group for at, group in enumerate(stripped) if group in stripped[:at]), None)
    if twice is not None:
        raise UsageError(f"the group {twice!r} is named twice", help="name it once")
    return stripped
