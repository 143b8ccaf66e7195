# SPDX-License-Identifier: Apache-2.0
"""Which rows of each person are kept: those with the M smallest keyed hashes among the person's own.

Rows are put together by person in one sort, numbered within each person, and ranked by SipHash-2-4 of the
person and the number, under a secret key; no step looks at two persons at once. Sorts and comparisons of
numbers that are cut to their first bits are a filter: where cut numbers do not decide, whole ones do, so
equal means equal in all bits.

With millions of messages of a few bytes, calling a hash function costs more than hashing; so all messages of
a batch go through the same rounds of numpy together. SipHash is made for short messages, and its authors
claim that it is a pseudorandom function: a reader without the key cannot tell its values from independent
uniform ones with an advantage above what guessing the key of 128 bits gives. Both sizes of output are used,
64 and 128 bits. A longer message is replaced by its keyed BLAKE2b digest behind a NUL byte, with which no
short one begins.

References
----------
J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF. INDOCRYPT 2012. The output of 128 bits is
that of the authors' reference implementation.
"""

import enum
import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

LONGEST = 63
_KEY = 16
_INITIAL = b"somepseudorandomlygeneratedbytes"
# As many messages as fit the caches of a processor with all that is computed about them.
_AT_ONCE = 1 << 13


def key_for(purpose: str, key: bytes) -> bytes:
    """Derive a key of 16 bytes that serves one purpose, so that no two of them share a value."""
    return hashlib.blake2b(purpose.encode(), digest_size=_KEY, key=key).digest()


def hashes_of_texts(messages: Sequence[bytes], key: bytes) -> Words:
    """Return the 128-bit hashes of messages, one row of two words each.

    Parameters
    ----------
    messages : sequence of bytes
        Without NUL bytes at the start.
    key : bytes
        Of 16 bytes.

    Examples
    --------
    >>> hashes_of_texts([b"ab", b"ab" * 50], bytes(16)).tolist()[0]
    [9543526075960186545, 5244989214718091956]
    """
    found = np.empty((len(messages), 2), dtype=np.uint64)
    for start in range(0, len(messages), _AT_ONCE):
        found[start : start + _AT_ONCE] = _hashed(messages[start : start + _AT_ONCE], key)
    return found


def hashes_of_words(columns: Sequence[Words], key: bytes) -> Words:
    """Return the 64-bit hashes of rows of words, given as columns.

    A row is the message of 8 bytes for each word, and of 7 for the last one, which is below ``2**56``: so the
    length of the message fits beside it.

    Examples
    --------
    >>> import numpy as np
    >>> hashes_of_words([np.arange(2, dtype=np.uint64)], bytes(16)).tolist()
    [9653631509764641772, 16226771425619785023]
    """
    size = len(columns[0])
    found = np.empty(size, dtype=np.uint64)
    length = np.uint64((8 * len(columns) - 1) << 56)
    for start in range(0, size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        state = _State(key, len(found[part]))
        for column in columns[:-1]:
            state.take(column[part])
        state.take(columns[-1][part] | length)
        found[part] = state.ended(255)
    return found


def _hashed(messages: Sequence[bytes], key: bytes) -> Words:
    lengths = np.fromiter(map(len, messages), dtype=np.uint64, count=len(messages))
    if lengths.size and lengths.max() > LONGEST:
        messages = [message if len(message) <= LONGEST else _digest(message, key) for message in messages]
        lengths = np.fromiter(map(len, messages), dtype=np.uint64, count=len(messages))
    # The last word of a message is the rest of its bytes, with its length in the last of them.
    whole = lengths >> np.uint64(3)
    width = int(whole.max(initial=np.uint64(0))) + 1
    words = np.array(messages, dtype=f"S{8 * width}").view("<u8").astype(np.uint64, copy=False)
    words = words.reshape(len(messages), width)
    ends = np.bincount(whole.astype(np.intp), minlength=width).nonzero()[0].tolist()
    if len(ends) == 1:
        return _mixed(words, lengths, key)
    found = np.empty((len(messages), 2), dtype=np.uint64)
    for end in ends:
        alike = np.flatnonzero(whole == end)
        found[alike] = _mixed(words.take(alike, axis=0)[:, : end + 1], lengths[alike], key)
    return found


def _mixed(words: Words, lengths: Words, key: bytes) -> Words:
    """Return the 128-bit hashes of messages of as many words each."""
    size, width = words.shape
    found = np.empty((size, 2), dtype=np.uint64)
    state = _State(key, size, long=True)
    for at in range(width - 1):
        state.take(words[:, at])
    state.take(words[:, -1] | lengths << np.uint64(56))
    found[:, 0] = state.ended(0xEE)
    found[:, 1] = state.more()
    return found


def _digest(message: bytes, key: bytes) -> bytes:
    return b"\0" + hashlib.blake2b(message, digest_size=32, key=key).digest()


class _State:
    """The four words that each message is mixed into."""

    def __init__(self, key: bytes, size: int, *, long: bool = False) -> None:
        keys = np.frombuffer(key * 2, dtype="<u8")
        start = np.frombuffer(_INITIAL[::-1], dtype="<u8")[::-1] ^ keys
        if long:
            start[1] ^= np.uint64(0xEE)
        self._words = [np.full(size, word, dtype=np.uint64) for word in start]
        self._room = np.empty(size, dtype=np.uint64)

    def take(self, message: Words) -> None:
        self._words[3] ^= message
        self._rounds(2)
        self._words[0] ^= message

    def ended(self, mark: int) -> Words:
        self._words[2] ^= np.uint64(mark)
        self._rounds(4)
        return self._folded()

    def more(self) -> Words:
        """Return the second half of a long hash."""
        self._words[1] ^= np.uint64(0xDD)
        self._rounds(4)
        return self._folded()

    def _folded(self) -> Words:
        a, b, c, d = self._words
        return a ^ b ^ c ^ d

    def _rounds(self, count: int) -> None:
        a, b, c, d = self._words
        for _ in range(count):
            a += b
            c += d
            self._turn(b, 13)
            self._turn(d, 16)
            b ^= a
            d ^= c
            self._turn(a, 32)
            c += b
            a += d
            self._turn(b, 17)
            self._turn(d, 21)
            b ^= c
            d ^= a
            self._turn(c, 32)

    def _turn(self, words: Words, bits: int) -> None:
        """Rotate each word to the left."""
        np.right_shift(words, np.uint64(64 - bits), out=self._room)
        np.left_shift(words, np.uint64(bits), out=words)
        np.bitwise_or(words, self._room, out=words)


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
        All rows of some persons, in order, as `rainbowdp.tables.persons.PersonRows` yields them.
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
