# SPDX-License-Identifier: Apache-2.0
"""Sources of random bits, and blocks of random words read ahead from them.

A source that a caller gives to a sampling function must return independent uniform bits. `SystemBits` is the
only source in the package: the operating system's generator for cryptography. Replayable sources are for
tests.

The operating system needs longer to make 16 bytes than numpy needs to compare them, and it makes them on
several processors at once. Its bits have no order, so threads fetch large blocks of them while others are
used. Every other source is read in the order in which words are used.
"""

import os
import secrets
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import UsageError
from rainbowdp.exact.arguments import is_whole

if TYPE_CHECKING:
    from concurrent.futures import Future

WORD_BITS = 64


class BitSource(Protocol):
    """A stream of independent uniform bits; every bit is handed out once."""

    def bits(self, count: int) -> int:
        """Return the next bits as an integer in [0, 2^count)."""
        ...

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return as many 64-bit words, uint64[count]; the same as `count` calls of ``bits(64)``."""
        ...


@dataclass(frozen=True)
class SystemBits:
    """Random bits from the operating system (`os.urandom`, `secrets`), with no state of its own.

    Examples
    --------
    >>> source = SystemBits()
    >>> 0 <= source.bits(10) < 1024
    True
    >>> source.words(3).shape
    (3,)
    """

    def bits(self, count: int) -> int:
        """Return fresh random bits as an integer in [0, 2^count)."""
        return secrets.randbits(count)

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return fresh random 64-bit words, uint64[count], read-only."""
        return np.frombuffer(secrets.token_bytes(count * (WORD_BITS // 8)), dtype=np.uint64)


def read_bits(source: BitSource, count: int) -> int:
    """Return the next bits of a source, refusing what is not such a number."""
    value = source.bits(count)
    if not is_whole(value) or not 0 <= value < 1 << count:
        raise UsageError(
            f"a bit source returned no integer in [0, 2^{count}) for {count} bits",
            help="bits(count) must return an integer made of exactly that many random bits",
        )
    return int(value)


def read_words(source: BitSource, count: int) -> NDArray[np.uint64]:
    """Return the next words of a source, refusing an array of another type or length."""
    words = source.words(count)
    if words.dtype != np.uint64 or words.shape != (count,):
        raise UsageError(
            f"a bit source returned {words.dtype}{list(words.shape)} for {count} words",
            help="words(count) must return uint64[count] with all 64 bits random",
        )
    return words


_MOST_THREADS = 4
_BLOCKS_PER_THREAD = 2
_FEWEST_WORDS = 1 << 14  # handing a block over takes as long as making some thousand words


def words_in_blocks(source: BitSource, sizes: Sequence[int]) -> Iterator[NDArray[np.uint64]]:
    """Yield blocks of words.

    Parameters
    ----------
    source : BitSource
        Where they come from.
    sizes : sequence of int
        How many words each block has.

    Yields
    ------
    uint64[size]
    """
    # A subclass of the system's source may have an order.
    if type(source) is not SystemBits or len(sizes) < 2 or sizes[0] < _FEWEST_WORDS:
        for size in sizes:
            yield read_words(source, size)
        return
    from concurrent.futures import ThreadPoolExecutor

    threads = min(_MOST_THREADS, len(sizes), os.cpu_count() or 1)
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[NDArray[np.uint64]]] = deque()
        for size in sizes:
            ahead.append(pool.submit(source.words, size))
            if len(ahead) > threads * _BLOCKS_PER_THREAD:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
