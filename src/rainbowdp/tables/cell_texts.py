# SPDX-License-Identifier: Apache-2.0
"""Cells as text for choosing rows: who the person is, which group, whether a filter holds.

The one idea: `cell_text` decides what a cell says, here as for answers; a cell that says nothing (null, or
not readable) matches no filter, is no group and is no person.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from rainbowdp.errors import UsageError
from rainbowdp.questions.cells import INVALID, NULL, cell_text, typed_text
from rainbowdp.tables.source import UNREADABLE_CELL, Cells

_UNREADABLE = "\0"
_REMEMBERED = 1 << 16


def text_of(cell: object) -> str | None:
    """Return what a cell says, or None where it says nothing.

    Examples
    --------
    >>> text_of(" a "), text_of(1.0), text_of(True), text_of(""), text_of(None)
    ('a', '1', 'true', None, None)
    """
    text = cell_text(cell)
    return text if isinstance(text, str) else None


def stored_text(cell: object) -> str | None:
    """Return a cell as text that a database can hold: None for null, NUL for one that cannot be read."""
    text = cell_text(cell)
    if text is NULL or text is None:
        return None
    if text is INVALID or not isinstance(text, str) or _UNREADABLE in text or not _is_utf8(text):
        return _UNREADABLE
    return text


def stored_cell(text: str | None) -> object:
    """Return the cell that stands behind a text from `stored_text`."""
    return UNREADABLE_CELL if text == _UNREADABLE else text


def stored_texts() -> Callable[[object], str | None]:
    """Return `stored_text` with a memory of its own for cells that come again and again."""
    remembered = lru_cache(maxsize=_REMEMBERED, typed=True)(stored_text)
    # Equal values of these types say the same; others may not even have a hash.
    plain = frozenset({str, bytes, int, float, bool})
    return lambda cell: remembered(cell) if type(cell) in plain else stored_text(cell)


def names() -> Callable[[object], str | None]:
    """Return a function that says what a cell says where it is to be a name: readable and not empty.

    Examples
    --------
    >>> name_of = names()
    >>> name_of("rent"), name_of(None), name_of(bytes([255]))
    ('rent', None, None)
    """
    text_of_cell = stored_texts()

    def name_of(cell: object) -> str | None:
        text = text_of_cell(cell)
        return None if text == _UNREADABLE else text

    return name_of


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


def matches(where: Mapping[str, str], columns: Sequence[str]) -> Callable[[Cells], bool]:
    """Return a function that says of a row whether every filter holds: the cell says exactly the given text.

    Parameters
    ----------
    where : mapping
        Column to text.
    columns : sequence of str
        Of the rows.
    """
    wanted = [(columns.index(column), text.strip()) for column, text in where.items()]
    for column, text in where.items():
        if not text.strip():
            raise UsageError(
                f"the filter for column {column!r} is empty",
                help="empty cells count as null, which no text matches",
            )
    if not wanted:
        return lambda _: True
    return lambda row: all(says(text_of(row[at]), text) for at, text in wanted)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
