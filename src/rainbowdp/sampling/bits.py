# SPDX-License-Identifier: Apache-2.0
"""Random bits and words, and exact draws of noise and of decisions made from them.

A source that a caller gives to a sampling function must return independent uniform bits. `SystemBits` is the
only source in the package: the operating system's generator for cryptography. Replayable sources are for
tests.

The operating system needs longer to make 16 bytes than numpy needs to compare them, and it makes them on
several processors at once. Its bits have no order, so threads fetch large blocks of them while others are
used. Every other source is read in the order in which words are used.

**Noise and decisions.** Every function for them draws from the ideal real-valued distribution it names. A
uniform number U in [0, 1) is known by its first bits, the number it is compared with by an enclosure, and
both are refined until the result is certain. No float takes part, and the precision grows without bound.
"""

import os
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import TYPE_CHECKING, Protocol

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.exact import ball, normal_cdf, normal_quantile, working_precision

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
            yield source.words(size)
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


_GUARD = 32

Ball = Callable[[], flint.arb]
"""Returns a ball around a real number, at the precision in force."""


def uniform_below(count: int, bits: BitSource) -> int:
    """Draw a whole number from 0 to `count` - 1, each with the same probability.

    Parameters
    ----------
    count : int
        At least 1.
    bits : BitSource
        Where random bits come from.

    Examples
    --------
    >>> uniform_below(1, SystemBits())
    0
    """
    length = (count - 1).bit_length()
    while length:
        drawn = bits.bits(length)
        if drawn < count:
            return drawn
    return 0


def shuffled(count: int, bits: BitSource) -> list[int]:
    """Draw an order of the numbers from 0 to `count` - 1, each with the same probability.

    References
    ----------
    Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2P.
    """
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = uniform_below(last + 1, bits)
        order[last], order[other] = order[other], order[last]
    return order


@dataclass
class Uniform:
    """A uniform number in [0, 1), of which more and more bits are revealed.

    Parameters
    ----------
    bits : BitSource
        Where they come from.
    """

    bits: BitSource
    revealed: int = 0
    length: int = 0

    def reveal(self) -> None:
        """Reveal as many bits again as there are, and at least 64."""
        more = max(self.length, WORD_BITS)
        self.revealed = self.revealed << more | self.bits.bits(more)
        self.length += more

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest value that the number can have."""
        whole = 1 << self.length
        return Fraction(self.revealed, whole), Fraction(self.revealed + 1, whole)


def is_below(limit: Ball, bits: BitSource) -> bool:
    """Tell whether a uniform number lies below a real number: a coin that shows heads with that probability.

    Parameters
    ----------
    limit : callable
        Encloses the number, from 0 to 1.
    bits : BitSource
        Where random bits come from.
    """
    return first_exceeding(lambda: [limit()], bits) == 0


def first_exceeding(masses: Callable[[], Sequence[flint.arb]], bits: BitSource) -> int:
    """Draw a place by its cumulative mass: the first one whose mass exceeds a uniform number.

    Parameters
    ----------
    masses : callable
        Encloses the cumulative masses, ascending, without the last one, which is 1.
    bits : BitSource
        Where random bits come from.

    Returns
    -------
    int
    """
    drawn = Uniform(bits)
    while True:
        drawn.reveal()
        low, high = drawn.ends
        with working_precision(drawn.length + _GUARD):
            least, most, found = ball(low), ball(high), masses()
            passed = sum(bool(mass <= least) for mass in found)
            above = sum(bool(mass >= most) for mass in found)
        if passed + above == len(found):
            return passed


def geometric_size(rate: Ball, bits: BitSource) -> int:
    """Draw a whole number of at least 1 that is greater than i with probability e^(-rate i).

    Parameters
    ----------
    rate : callable
        Encloses the rate, above 0.
    bits : BitSource
        Where random bits come from.

    Notes
    -----
    For U uniform it is 1 plus the whole part of -ln(U)/rate, so small rates take no longer than large ones.
    """
    drawn = Uniform(bits)
    while True:
        drawn.reveal()
        low, high = drawn.ends
        if low == 0:
            continue
        with working_precision(drawn.length + _GUARD):
            least = (-ball(high).log() / rate()).floor().unique_fmpz()
            most = (-ball(low).log() / rate()).floor().unique_fmpz()
            if least is not None and least == most:
                return 1 + int(least)


def two_sided_geometric(rate: Ball, bits: BitSource) -> int:
    """Draw a whole number z with probability proportional to e^(-rate |z|)."""

    def not_zero() -> flint.arb:
        ratio = (-rate()).exp()
        return 2 * ratio / (1 + ratio)

    if not is_below(not_zero, bits):
        return 0
    size = geometric_size(rate, bits)
    return size if bits.bits(1) else -size


class _Noisy:
    """A number with normal noise, known between two ends that come closer to each other."""

    def __init__(self, value: Fraction | int, deviation: Ball, bits: BitSource) -> None:
        self._value, self._deviation, self._drawn = value, deviation, Uniform(bits)
        self.low, self.high = flint.arb.neg_inf(), flint.arb.pos_inf()
        self.refine()

    def refine(self) -> None:
        """Reveal more of the noise."""
        self._drawn.reveal()
        low, high = self._drawn.ends
        with working_precision(self._drawn.length + _GUARD):
            scale, value = self._deviation(), ball(self._value)
            if low > 0:
                self.low = (value + scale * normal_quantile(ball(low))).lower()
            if high < 1:
                self.high = (value + scale * normal_quantile(ball(high))).upper()


def _ordered(first: _Noisy, second: _Noisy) -> int:
    while True:
        if first.low > second.high:
            return -1
        if second.low > first.high:
            return 1
        first.refine()
        second.refine()


def normal_order(values: Sequence[Fraction | int], deviation: Ball, bits: BitSource) -> list[int]:
    """Draw the order of some numbers after independent normal noise was added to each, greatest first.

    Parameters
    ----------
    values : sequence of numbers
        The numbers.
    deviation : callable
        Encloses the standard deviation of the noise, above 0.
    bits : BitSource
        Where random bits come from.

    Returns
    -------
    list of int
        The places of the numbers.
    """
    noisy = [_Noisy(value, deviation, bits) for value in values]

    def compared(one: int, other: int) -> int:
        return _ordered(noisy[one], noisy[other])

    return sorted(range(len(noisy)), key=cmp_to_key(compared))


def normal_place(value: Fraction | int, edges: Sequence[Fraction], deviation: Ball, bits: BitSource) -> int:
    """Draw between which ascending edges a number lies after normal noise was added.

    Parameters
    ----------
    value : number
        The number.
    edges : sequence of Fraction
        Where the places meet.
    deviation : callable
        Encloses the standard deviation of the noise, above 0.
    bits : BitSource
        Where random bits come from.

    Returns
    -------
    int
        How many edges lie below.
    """
    return first_exceeding(
        lambda: [normal_cdf(ball(edge - value) / deviation()) for edge in edges],
        bits,
    )
