# SPDX-License-Identifier: Apache-2.0
"""Exact draws of noise and of decisions: a uniform number is revealed until an enclosure decides.

Every function here draws from the ideal real-valued distribution it names. A uniform number U in [0, 1) is
known by its first bits, the number it is compared with by an enclosure, and both are refined until the
result is certain. No float takes part, and the precision grows without bound.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key

import flint

from rainbowdp.exact import ball, normal_quantile, working_precision
from rainbowdp.sampling.bits import WORD_BITS, BitSource, read_bits

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
    >>> from rainbowdp.sampling.bits import SystemBits
    >>> uniform_below(1, SystemBits())
    0
    """
    length = (count - 1).bit_length()
    while length:
        drawn = read_bits(bits, length)
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
        self.revealed = self.revealed << more | read_bits(self.bits, more)
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
    drawn = Uniform(bits)
    while True:
        drawn.reveal()
        low, high = drawn.ends
        with working_precision(drawn.length + _GUARD):
            value = limit()
            if value >= ball(high):
                return True
            if value <= ball(low):
                return False


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
    return size if read_bits(bits, 1) else -size


class _Noisy:
    """A number with normal noise, known between two ends that come closer to each other."""

    def __init__(self, value: Fraction | int, deviation: Ball, bits: BitSource) -> None:
        self._value, self._deviation, self._drawn = value, deviation, Uniform(bits)
        self.low, self.high = flint.arb.neg_inf(), flint.arb.pos_inf()
        self.refine()

    @property
    def length(self) -> int:
        """How many bits of the noise are revealed."""
        return self._drawn.length

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
    noisy = _Noisy(0, deviation, bits)
    gaps = [edge - value for edge in edges]
    while True:
        with working_precision(noisy.length + _GUARD):
            exact = [ball(gap) for gap in gaps]
            above = sum(bool(noisy.low > gap) for gap in exact)
            below = sum(bool(noisy.high < gap) for gap in exact)
        if above + below == len(exact):
            return above
        noisy.refine()
