# SPDX-License-Identifier: Apache-2.0
"""Keyed hashes of many short messages at once: SipHash-2-4 in numpy.

With millions of messages of a few bytes, calling a hash function costs more than hashing; so
all messages of a batch go through the same rounds together. SipHash is made for short messages, and its
authors claim that it is a pseudorandom function: a reader without the key cannot tell its values from
independent uniform ones with an advantage above what guessing the key of 128 bits gives. Both sizes of
output are used, 64 and 128 bits.

A longer message is replaced by its keyed BLAKE2b digest behind a NUL byte, so that it is no short one.

References
----------
J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF. INDOCRYPT 2012. The output of 128 bits is
that of the authors' reference implementation.
"""

import hashlib
from collections.abc import Sequence

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
