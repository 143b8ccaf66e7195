# SPDX-License-Identifier: Apache-2.0
"""Which rows of each person are kept: those with the M smallest ranks among the person's own.

Rows are put together by person in one sort, numbered within each person, and ranked by a keyed
hash of the person and the number; no step looks at two persons at once. Sorts and comparisons of numbers
that are cut to their first bits are a filter: where cut numbers do not decide, whole ones do, so equal means
equal in all bits.
"""

import enum
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rainbowdp.tables.keyed_hashes import Words, hashes_of_words

_PERSON = slice(0, 2)
_SAID = slice(2, 4)
_NUMBER = 4


class Numbering(enum.Enum):
    """How the rows of a person are told apart."""

    ARRIVAL = "the first one of the person, the second one, ..."
    SAYING = "the first one of the person that says this, the second one, ..."
    ONCE = "as SAYING, and only the first ones count"


def kept(pieces: Iterable[Words], most: int, numbering: Numbering, key: bytes) -> Words:
    """Choose the rows that every person keeps, and return what they say.

    Parameters
    ----------
    pieces : iterable of arrays
        All rows of some persons, in order, as `rainbowdp.tables.person_rows.PersonRows` yields them.
    most : int
        Rows that a person keeps.
    numbering : Numbering
        What a rank is computed from beside the person: the number, and except for ``ARRIVAL`` what the row
        says.
    key : bytes
        Of the ranks, 16 bytes.

    Returns
    -------
    array of two words per row
    """
    choice = _Choice(most, numbering, key)
    for piece in pieces:
        choice.take(piece)
    return choice.rows[:, _SAID]


class _Choice:
    """What is kept of the pieces so far, and how many rows there have been to go on counting."""

    def __init__(self, most: int, numbering: Numbering, key: bytes) -> None:
        self._most = most
        self._numbering = numbering
        self._key = key
        self._told = _PERSON if numbering is Numbering.ARRIVAL else slice(0, 4)
        self.rows: Words = np.empty((0, _NUMBER + 1), dtype=np.uint64)
        # Persons (and what they said), each with the number of rows.
        self._seen: Words = np.empty((0, self._told.stop + 1), dtype=np.uint64)

    def take(self, piece: Words) -> None:
        """Choose among what is kept and the rows of one more piece."""
        rows, starts = self._numbered(piece)
        if self._numbering is Numbering.ONCE:
            rows = rows.compress(rows[:, _NUMBER] == 0, axis=0)
        if len(self.rows) or self._numbering is not Numbering.ARRIVAL:
            rows = np.concatenate([self.rows, rows])
            order, starts = together(rows[:, _PERSON])
            rows = rows.take(order, axis=0)
        self.rows = rows.compress(self._smallest(rows, starts), axis=0)

    def _numbered(self, piece: Words) -> tuple[Words, NDArray[np.intp]]:
        """Return the rows with their numbers, together by what is numbered, and where each run begins."""
        seen = self._seen
        told = np.concatenate([seen[:, :-1], piece[:, self._told]]) if len(seen) else piece[:, self._told]
        order, starts = together(told)
        sizes = np.diff(starts, append=len(told))
        numbers = np.arange(len(told), dtype=np.uint64) - np.repeat(starts, sizes).astype(np.uint64)
        total = sizes.astype(np.uint64)
        if len(seen):
            # A number from before stands at the start of its run, in the place of one row.
            old = order[starts] < len(seen)
            before = np.zeros(len(starts), dtype=np.uint64)
            before[old] = seen[order[starts[old]], -1] - np.uint64(1)
            numbers += np.repeat(before, sizes)
            total += before
        self._seen = np.column_stack([told.take(order[starts], axis=0), total])
        if len(seen):
            new = order >= len(seen)
            order, numbers = order[new] - len(seen), numbers[new]
        return np.column_stack([piece.take(order, axis=0), numbers]), starts

    def _smallest(self, rows: Words, starts: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which rows have the smallest ranks of their persons, whose runs begin at the starts."""
        sizes = np.diff(starts, append=len(rows))
        crowded = sizes > self._most
        chosen = np.ones(len(rows), dtype=np.bool_)
        if crowded.any():
            many = np.flatnonzero(np.repeat(crowded, sizes))
            theirs = rows.take(many, axis=0)
            told = [theirs[:, word] for word in (*range(self._told.stop), _NUMBER)]
            chosen[many] = smallest(hashes_of_words(told, self._key), sizes[crowded], self._most, told)
        return chosen


def together(keys: Words) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return an order that puts equal keys together and else keeps theirs, and where each run begins in it.

    Parameters
    ----------
    keys : array of two or four words per row
        Hashes of two words each.

    Examples
    --------
    >>> import numpy as np
    >>> order, starts = together(np.array([[7 << 60, 1], [5 << 60, 1], [7 << 60, 1]], dtype=np.uint64))
    >>> order.tolist(), starts.tolist()
    ([1, 0, 2], [0, 1])
    """
    size, width = keys.shape
    first = keys[:, 0] if width == 2 else keys[:, 0] ^ keys[:, 2]
    bits = np.uint64(max(1, (size - 1).bit_length()))
    places = np.uint64((1 << int(bits)) - 1)
    packed = (first & ~places) | np.arange(size, dtype=np.uint64)
    packed.sort()
    order = (packed & places).astype(np.intp)
    new = _changes(keys.take(order, axis=0))
    if np.count_nonzero(new) != np.count_nonzero(np.diff(packed >> bits)):
        # Different keys have the same first bits.
        order = np.lexsort(keys.T)
        new = _changes(keys.take(order, axis=0))
    return order, np.flatnonzero(np.concatenate([np.ones(min(1, size), dtype=np.bool_), new]))


def distinct(keys: Words) -> tuple[Words, Words]:
    """Return each key once, and how often it is there.

    Examples
    --------
    >>> import numpy as np
    >>> keys, counts = distinct(np.array([[7, 1], [5, 1], [7, 1]], dtype=np.uint64))
    >>> keys.tolist(), counts.tolist()
    ([[5, 1], [7, 1]], [1, 2])
    """
    order, starts = together(keys)
    return keys.take(order[starts], axis=0), np.diff(starts, append=len(keys)).astype(np.uint64)


def _changes(keys: Words) -> NDArray[np.bool_]:
    """Return which rows differ from the one before."""
    new: NDArray[np.bool_] = keys[1:, 0] != keys[:-1, 0]
    for word in range(1, keys.shape[1]):
        new |= keys[1:, word] != keys[:-1, word]
    return new


def smallest(ranks: Words, sizes: NDArray[np.intp], most: int, told: Sequence[Words]) -> NDArray[np.bool_]:
    """Return which ranks are the smallest of their run.

    Parameters
    ----------
    ranks : array of words
        Run after run.
    sizes : array of integers
        How long the runs are, each longer than ``most``.
    most : int
        How many to choose of each run.
    told : sequence of arrays of words
        What the ranks are hashes of, by which equal ranks are told apart.

    Examples
    --------
    >>> import numpy as np
    >>> ranks, told = np.array([5, 3, 9, 1, 1], dtype=np.uint64), np.array([0, 1, 2, 1, 0], dtype=np.uint64)
    >>> smallest(ranks << np.uint64(50), np.array([3, 2]), 1, [told]).tolist()
    [False, True, False, False, True]
    """
    runs = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
    bits = np.uint64(max(1, (len(sizes) - 1).bit_length()))
    packed = (ranks >> bits) | (runs << (np.uint64(64) - bits))
    starts = np.cumsum(sizes) - sizes
    limits = np.sort(packed)[starts + most - 1]
    chosen: NDArray[np.bool_] = packed <= np.repeat(limits, sizes)
    if np.count_nonzero(chosen) != most * len(sizes):
        # Ranks around a limit have the same first bits.
        chosen = np.zeros(len(ranks), dtype=np.bool_)
        order = np.lexsort((*told, ranks, runs))
        place = np.arange(len(ranks)) - np.repeat(starts, sizes)
        chosen[order[place < most]] = True
    return chosen
