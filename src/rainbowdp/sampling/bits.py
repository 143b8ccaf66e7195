# SPDX-License-Identifier: Apache-2.0
"""Sources of random bits.

Whoever hands a source to a sampling function promises independent uniform bits. `SystemBits` is the only
source in the package: the operating system's generator for cryptography. A replayable source is a test's.
"""

import secrets
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import UsageError
from rainbowdp.exact.arguments import is_whole, kind_of

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
            f"a bit source returned what is no integer, or one outside [0, 2^{count}), for {count} bits",
            help="bits(count) must return an integer made of exactly that many random bits",
        )
    return int(value)


def read_words(source: BitSource, count: int) -> NDArray[np.uint64]:
    """Return the next words of a source, refusing an array of another type or length."""
    words = source.words(count)
    if not isinstance(words, np.ndarray):
        raise UsageError(
            f"a bit source returned {kind_of(words)} for {count} words",
            help="words(count) must return uint64[count] with all 64 bits random",
        )
    if words.dtype != np.uint64 or words.shape != (count,):
        raise UsageError(
            f"a bit source returned {words.dtype}{list(words.shape)} for {count} words",
            help="words(count) must return uint64[count] with all 64 bits random",
        )
    return words
