# SPDX-License-Identifier: Apache-2.0
"""One pass over the rows of a table: who passes the filters, whose row it is, and what it says.

Rows come as batches and are judged column by column, each distinct cell once; which rows pass is an array of
truth values over the batch. `cell_text` decides what a cell says, here as for answers; a cell that says
nothing (null, or not readable) matches no filter, and names neither a group nor a person. What a column says
about a row depends on that row alone.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from types import NoneType
from typing import Generic, TypeVar, cast

from rainbowdp.errors import UsageError
from rainbowdp.questions.cells import LARGEST_CELL, NULL, Mark, cell_text, typed_text, typed_texts
from rainbowdp.tables.persons import Spool
from rainbowdp.tables.source import UNREADABLE_CELL, Cells, Progress, row_count
from rainbowdp.tables.table import Table

K = TypeVar("K")
T = TypeVar("T")
UNREADABLE = "\0"
"""The text that stands for a cell that cannot be read."""

_REMEMBERED = 1 << 16
# Longer texts are looked at each time, since many of them would fill the memory.
_LONG = 1 << 12
_MOST_BYTES_PER_SIGN = 4
# Whether Python writes a longer whole number depends on what it is told.
_LARGE = 1 << 64
_PLAIN = frozenset({str, bytes, int, float, bool})
_SIZED: frozenset[type] = frozenset({str, bytes})


def stored_text(cell: object) -> str | None:
    """Return a cell as text that a database can hold: None for null, NUL for one that cannot be read."""
    text = cell_text(cell)
    if isinstance(text, Mark):
        return None if text is NULL else UNREADABLE
    return text


def stored_cell(text: str | None) -> object:
    """Return the cell that stands behind a text from `stored_text`."""
    return UNREADABLE_CELL if text == UNREADABLE else text


def texts_of(cells: Sequence[object]) -> list[str | None]:
    r"""Return `stored_text` of each cell of a column, all cells of one type together where that is faster.

    Examples
    --------
    >>> texts_of([" a", None, 1.0, b"\xff", True])
    ['a', None, '1', '\x00', 'true']
    """
    kinds = set(map(type, cells))
    if len(kinds) == 1:
        return _texts_of_one_type(kinds.pop(), cells)
    if kinds == {str, NoneType}:
        return _texts_of_one_type(str, [cell or "" for cell in cells])
    texts: list[str | None] = [None] * len(cells)
    for kind in kinds:
        places = [at for at, cell in enumerate(cells) if type(cell) is kind]
        for at, text in zip(places, _texts_of_one_type(kind, [cells[at] for at in places]), strict=True):
            texts[at] = text
    return texts


def _texts_of_one_type(kind: type, cells: Sequence[object]) -> list[str | None]:
    """Return `stored_text` of each cell: by what it does to cells of this type unless one is unreadable."""
    if kind is NoneType:
        return [None] * len(cells)
    with contextlib.suppress(ValueError):
        if kind is str:
            return _stripped(cast("Sequence[str]", cells))
        if kind is bytes and max(map(len, cast("Sequence[bytes]", cells))) <= LARGEST_CELL:
            return _stripped([cell.decode() for cell in cast("Sequence[bytes]", cells)])
        if kind is int and max(map(abs, cast("Sequence[int]", cells))) < _LARGE:
            return list(map(str, cells))
    return [stored_text(cell) for cell in cells]


def _stripped(texts: Sequence[str]) -> list[str | None]:
    """Return texts without outer blanks, None for empty ones; a ValueError if one of them is unreadable."""
    if max(map(len, texts)) * _MOST_BYTES_PER_SIGN > LARGEST_CELL:
        raise ValueError("a text may be too long")
    together = "".join(texts)
    if UNREADABLE in together:
        raise ValueError("a text holds a NUL character")
    # Texts that no file can hold raise one, too.
    if not together.isascii():
        together.encode()
    return [text.strip() or None for text in texts]


class Remembered(Generic[K, T]):
    """A function of keys that is asked for each of them once, as long as they are few.

    Parameters
    ----------
    function : callable
        Says for distinct keys what each stands for.
    text_of : callable, optional
        The text in a key; keys with a long one are asked for each time, since many would fill the memory.
    """

    def __init__(
        self, function: Callable[[list[K]], Sequence[T]], text_of: Callable[[K], str | None] | None = None
    ) -> None:
        self._function = function
        self._text_of = text_of
        self._known: dict[K, T] = {}

    def __call__(self, keys: Sequence[K]) -> list[T]:
        """Return what each key stands for."""
        with contextlib.suppress(KeyError):
            return list(map(self._known.__getitem__, keys))
        if self._text_of is not None and any(len(text or "") > _LONG for text in map(self._text_of, keys)):
            return list(self._function(list(keys)))
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        if len(self._known) + len(new) > _REMEMBERED:
            self._known.clear()
            new = list(dict.fromkeys(keys))
        self._known.update(zip(new, self._function(new), strict=True))
        return list(map(self._known.__getitem__, keys))


class Meanings(Generic[T]):
    """What the cells of a column mean by their texts, where each distinct cell is looked at once.

    Parameters
    ----------
    meaning : callable
        Says for texts from `texts_of` what each means.

    Examples
    --------
    >>> lengths = Meanings(lambda texts: [len(text or "") for text in texts])
    >>> lengths(["ab", " ab ", None, "ab"])
    [2, 2, 0, 2]
    """

    def __init__(self, meaning: Callable[[list[str | None]], Sequence[T]]) -> None:
        self._meaning = meaning
        self._by_type: dict[type, Remembered[object, T]] = {}

    def __call__(self, cells: Sequence[object]) -> list[T]:
        """Return what each cell means."""
        kinds = set(map(type, cells)) - {NoneType}
        # Equal values of one of these types say the same; of two types they may not, as True and 1.
        if len(kinds) != 1 or not kinds <= _PLAIN or _has_long(kinds, cells):
            return self._of(cells)
        remembered = self._by_type.setdefault(kinds.pop(), Remembered(self._of))
        return remembered(cells)

    def _of(self, cells: Sequence[object]) -> list[T]:
        return list(self._meaning(texts_of(cells)))


def _has_long(kinds: set[type], cells: Sequence[object]) -> bool:
    if not kinds <= _SIZED:
        return False
    return max(map(len, cast("Iterable[str | bytes]", filter(None, cells))), default=0) > _LONG


def are_names(texts: Sequence[str | None]) -> list[bool]:
    """Tell which texts from `texts_of` can be names: readable and not empty.

    Examples
    --------
    >>> are_names(texts_of(["rent", None, bytes([255])]))
    [True, False, False]
    """
    return [text is not None and text != UNREADABLE for text in texts]


def declared_texts(what: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return declared texts without outer blanks.

    Parameters
    ----------
    what : str
        What they are, for messages.
    texts : sequence of str
        As declared.

    Raises
    ------
    UsageError
        If one is empty, or two are the same.
    """
    stripped = tuple(text.strip() for text in texts)
    if not all(stripped):
        raise UsageError(f"a {what} is empty", help="empty cells count as null, which no text matches")
    twice = next((text for at, text in enumerate(stripped) if text in stripped[:at]), None)
    if twice is not None:
        raise UsageError(f"the {what} {twice!r} is named twice", help="name it once")
    return stripped


def says(said: str | None, text: str) -> bool:
    """Tell whether a cell with this text stands for a declared text.

    Examples
    --------
    >>> says("red", "red"), says("Red", "red"), says("1.0", "1"), says("1", "1.0"), says(None, "red")
    (True, False, True, False, False)
    """
    return said is not None and (said == text or typed_text(said) == text)


def filters(where: Mapping[str, str]) -> list[tuple[str, Meanings[bool]]]:
    """Return for each filtered column whether its cells say exactly the given text.

    Parameters
    ----------
    where : mapping
        Column to text.

    Raises
    ------
    UsageError
        If a text is empty.
    """
    for column, text in where.items():
        if not text.strip():
            raise UsageError(
                f"the filter for column {column!r} is empty",
                help="empty cells count as null, which no text matches",
            )
    return [(column, Meanings(partial(_which_say, text.strip()))) for column, text in where.items()]


def _which_say(text: str, said: list[str | None]) -> list[bool]:
    return [named and says(one, text) for one, named in zip(said, are_names(said), strict=True)]


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
    """

    column: str
    where: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    by: str | None = None
    groups: Sequence[str] = ()
    named: bool = False

    @property
    def columns(self) -> list[str]:
        """All columns that are needed, each once."""
        others = [name for name in (self.unit, self.by) if name is not None]
        return list(dict.fromkeys([self.column, *self.where, *others]))


class Judge:
    """Says of each row of a batch whether it counts, by its cells alone.

    Parameters
    ----------
    wanted : Wanted
        Which rows count.
    """

    def __init__(self, wanted: Wanted) -> None:
        columns = wanted.columns
        self._tests = [(columns.index(name), holds) for name, holds in filters(wanted.where)]
        if wanted.named:
            self._tests.append((columns.index(wanted.column), Meanings(are_names)))
        if wanted.by is not None:
            declared = Meanings(lambda texts: [part >= 0 for part in _parts(wanted.groups, texts)])
            self._tests.append((columns.index(wanted.by), declared))

    def passing(self, batch: list[Cells]) -> list[Cells]:
        """Return the rows that count."""
        for at, holds in self._tests:
            passes = holds([row[at] for row in batch])
            if not all(passes):
                batch = list(compress(batch, passes))
        return batch


def collect(spool: Spool, table: Table, wanted: Wanted, progress: Progress | None) -> None:
    """Put aside all rows that count: with their persons, or with their numbers where every row is a person.

    Parameters
    ----------
    spool : Spool
        Where to.
    table : Table
        Whose columns have been checked.
    wanted : Wanted
        Which rows count, and what is read of them.
    progress : callable, optional
        As for `rainbowdp.tables.summarize`.
    """
    columns, judge, reader = wanted.columns, Judge(wanted), _Reader(wanted)
    source = table.source
    once = wanted.unit is None or wanted.named
    batches = source.counted(columns, progress) if once else source.rows(columns, progress)
    if wanted.unit is None:
        for batch in batches:
            rows = judge.passing(batch)
            spool.add_counts(reader.parts(rows), reader.texts(rows), list(map(row_count, rows)))
        return
    person_at = columns.index(wanted.unit)
    mark_of = Remembered(spool.said, _text_said)
    mark_of_cell = Meanings(lambda texts: spool.said([(0, text) for text in texts]))
    for batch in batches:
        rows = judge.passing(batch)
        persons = texts_of([row[person_at] for row in rows])
        if not all(persons) or UNREADABLE in persons:
            passes = are_names(persons)
            rows, persons = list(compress(rows, passes)), list(compress(persons, passes))
        if wanted.by is None:
            marks = mark_of_cell(reader.cells(rows))
        else:
            marks = mark_of(list(zip(reader.parts(rows), reader.texts(rows), strict=True)))
        spool.add(typed_texts(cast("list[str]", persons)), marks)


def _text_said(said: tuple[int, str | None]) -> str | None:
    return said[1]


class _Reader:
    """Reads off rows that count what they say, and in which group."""

    def __init__(self, wanted: Wanted) -> None:
        columns = wanted.columns
        self._said_at = columns.index(wanted.column)
        self._group_at = columns.index(wanted.by) if wanted.by is not None else None
        self._part_of = Meanings(partial(_parts, wanted.groups))

    def cells(self, rows: list[Cells]) -> list[object]:
        return [row[self._said_at] for row in rows]

    def texts(self, rows: list[Cells]) -> list[str | None]:
        return texts_of(self.cells(rows))

    def parts(self, rows: list[Cells]) -> list[int]:
        if self._group_at is None:
            return [0] * len(rows)
        return self._part_of([row[self._group_at] for row in rows])


def _parts(groups: Sequence[str], texts: list[str | None]) -> list[int]:
    """Return the number of the group for which each text stands, -1 where there is none."""
    numbers = {group: at for at, group in enumerate(groups)}
    return [
        numbers.get(text, numbers.get(typed_text(text), -1))
        if text is not None and text != UNREADABLE
        else -1
        for text in texts
    ]
