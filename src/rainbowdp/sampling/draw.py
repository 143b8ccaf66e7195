# SPDX-License-Identifier: Apache-2.0
"""One exact draw: reveal a uniform number word by word until the drawn color is certain.

Let U be uniform in [0, 1) and F_1 <= ... <= F_k = 1 the cumulative masses. Color j is drawn where
F_(j-1) <= U < F_j, which has exactly the probability F_j - F_(j-1). A color is returned only once enclosures
prove both comparisons, so a color of probability 0 is never drawn, for any bits, and every further word
leaves at most 2 of its 2^64 values per cumulative mass undecided: the draw ends with probability 1 and nearly
always with the first word. There is no last precision at which a guess would be made.

`CumulativeMasses` encloses the masses. The k colors of a distribution, in its own order (by code point), cut
[0, 1) at F_1 <= ... <= F_(k-1). A cut is known at B bits by two integers, lower <= F 2^B <= upper with upper
- lower <= 2, equal where F is a dyadic fraction that B bits can write. Nothing else about a distribution
enters a draw. Fractions are divided by their sum, so that probabilities read as rounded decimals, whose sum
differs from 1, mean the stated numbers over their sum. Irrational probabilities sum to 1 by construction.
"""

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError
from rainbowdp.exact import Exact, enclose
from rainbowdp.sampling.bits import WORD_BITS, BitSource, read_bits

Cuts = tuple[tuple[int, ...], tuple[int, ...]]
"""The lower and the upper integers of the k - 1 cuts, each in ascending order."""


class CumulativeMasses:
    """The cumulative masses of one distribution, enclosed on demand and remembered per number of bits.

    Parameters
    ----------
    distribution : Distribution
        Fractions of any positive sum, or exact numbers that sum to 1.

    Raises
    ------
    DistributionError
        If fractions are negative or sum to 0.

    Examples
    --------
    >>> masses = CumulativeMasses(Distribution({"blue": "1/3", "green": "0", "red": "2/3"}))
    >>> masses.cuts(8)
    ((85, 85), (86, 86))
    >>> masses.decide(84, 8), masses.decide(85, 8), masses.decide(86, 8)
    (0, None, 2)
    >>> masses.decide(85 * 256 + 86, 16)
    2
    """

    __slots__ = ("_cuts", "_fractions", "_probabilities")

    def __init__(self, distribution: Distribution) -> None:
        self._probabilities: tuple[Exact, ...] = tuple(distribution.values())
        self._fractions = (
            tuple(_fraction_cuts(self._probabilities, distribution)) if distribution.is_rational else None
        )
        self._cuts: dict[int, Cuts] = {}

    def cuts(self, bits: int) -> Cuts:
        """Return the integers around the k - 1 cumulative masses, in units of 2^-bits."""
        if bits not in self._cuts:
            pairs = self._irrational(bits) if self._fractions is None else self._rational(bits)
            lower, upper = zip(*pairs, strict=True) if len(self._probabilities) > 1 else ((), ())
            self._cuts[bits] = (lower, upper)
        return self._cuts[bits]

    def decide(self, revealed: int, bits: int) -> int | None:
        """Return the position of the drawn color as far as some bits of U decide it.

        Parameters
        ----------
        revealed : int
            The first bits of U as an integer: U lies in [revealed, revealed + 1) 2^-bits.
        bits : int
            How many bits that are.

        Returns
        -------
        int or None
            The position of the color in the order of the distribution; None where a cumulative mass may lie
            on either side of U.
        """
        lower, upper = self.cuts(bits)
        # An upper integer <= revealed proves F <= U, and a lower integer > revealed proves U < F.
        passed, touched = bisect_right(upper, revealed), bisect_right(lower, revealed)
        return passed if passed == touched else None

    def _rational(self, bits: int) -> Iterator[tuple[int, int]]:
        for top, bottom in self._fractions or ():
            scaled = top << bits
            yield scaled // bottom, -(-scaled // bottom)

    def _irrational(self, bits: int) -> Iterator[tuple[int, int]]:
        # Rounded outward to the grid of the guard bits an enclosure is at most 2 steps wide, so the sum of up
        # to k - 1 of them is less than one unit wide, and rounded outward at most 2 units.
        guard = len(self._probabilities).bit_length() + 1
        whole, low, high = 1 << bits, 0, 0
        # Tied colors share one number, see `Line.distribution`: each is enclosed once.
        ends: dict[int, tuple[int, int]] = {}
        for probability in self._probabilities[:-1]:
            if id(probability) not in ends:
                below, above = enclose(probability, bits + guard)
                ends[id(probability)] = max(_floor(below, bits + guard), 0), -_floor(-above, bits + guard)
            lowest, highest = ends[id(probability)]
            low, high = low + lowest, high + highest
            yield min(low >> guard, whole), min(-(-high >> guard), whole)


def _floor(value: Fraction, bits: int) -> int:
    return (value.numerator << bits) // value.denominator


def _fraction_cuts(probabilities: tuple[Exact, ...], distribution: Distribution) -> Iterator[tuple[int, int]]:
    # flint adds and reduces fractions of very many digits in quasi-linear time.
    terms = [flint.fmpq(p.numerator, p.denominator) for p in probabilities if isinstance(p, Fraction)]
    totals = list(accumulate(terms))
    if not terms or min(terms) < 0 or totals[-1] == 0:
        raise DistributionError(
            f"{distribution} cannot be drawn from",
            help="give probabilities of at least 0 that are not all 0",
        )
    for mass in totals[:-1]:
        share = mass / totals[-1]
        yield int(share.p), int(share.q)


def settle(
    masses: CumulativeMasses, revealed: int, length: int, bits: BitSource, word_bits: int = WORD_BITS
) -> int:
    """Return the position of the drawn color, revealing further words where needed.

    Parameters
    ----------
    masses : CumulativeMasses
        The distribution to draw from.
    revealed : int
        The bits of U that are known, as an integer in [0, 2^length).
    length : int
        How many bits that are.
    bits : BitSource
        Where further bits come from.
    word_bits : int
        How many bits are revealed at a time. The drawn color does not depend on it, only on U.

    Returns
    -------
    int
        The position of the color in the order of the distribution (by code point).
    """
    while (position := masses.decide(revealed, length)) is None:
        revealed = revealed << word_bits | read_bits(bits, word_bits)
        length += word_bits
    return position
