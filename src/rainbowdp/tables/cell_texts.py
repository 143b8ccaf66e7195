# SPDX-License-Identifier: Apache-2.0
"""Cells as text for choosing rows: who the person is, which group, whether a filter holds.

`cell_text` decides what a cell says, here as for answers; a cell that says nothing (null, or
not readable) matches no filter, is no group and is no person.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import NoneType
from typing import Generic, TypeVar, cast

from rainbowdp.errors import UsageError
from rainbowdp.questions.cells import INVALID, LARGEST_CELL, NULL, cell_text, typed_text
from rainbowdp.tables.source import UNREADABLE_CELL

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
    if text is NULL or text is None:
        return None
    if text is INVALID or not isinstance(text, str) or UNREADABLE in text or not _is_utf8(text):
        return UNREADABLE
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


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
