# SPDX-License-Identifier: Apache-2.0
"""Draw a color exactly: enclose cumulative masses, and reveal a uniform number until they decide.

Let U be uniform in [0, 1) and F_1 <= ... <= F_k = 1 the cumulative masses. Color j is drawn where
F_(j-1) <= U < F_j, which has exactly the probability F_j - F_(j-1). A color is returned only once enclosures
prove both comparisons, so a color of probability 0 is never drawn, for any bits, and every further word
leaves at most 2 of its 2^64 values per cumulative mass undecided: the draw ends with probability 1 and nearly
always with the first word. There is no last precision at which a guess would be made.

`CumulativeMasses` encloses the masses of one distribution. Its k colors, in its own order (by code point),
cut [0, 1) at F_1 <= ... <= F_(k-1). A cut is known at B bits by two integers, lower <= F 2^B <= upper with
upper - lower <= 2, equal where F is a dyadic fraction that B bits can write. Nothing else about a
distribution enters a draw. Fractions are divided by their sum, so that probabilities read as rounded
decimals, whose sum differs from 1, mean the stated numbers over their sum. Irrational probabilities sum to 1
by construction.

`Thresholds` holds integers of 64 bits around the cumulative masses of many rows. For each row and each F
there is one integer, lower <= F 2^64 < lower + slack, with one slack for all. A word w says that U lies in
[w, w + 1) 2^-64. So U < F where w < lower, U >= F where w >= lower + slack, and what lies between is open:
the caller must then compare with that row exactly. A wider slack leaves more open and changes no draw.

Where the integers come from, all of it proven:

- one row: exact enclosures, slack 2 (`CumulativeMasses`);
- many rows on lines: integer arithmetic from enclosures, a slack below 2^13 for 8 colors (`MassTable`);
- more than `EXACT_ROWS` rows that are written down: a table of floats that are the nearest ones to the exact
  numbers. Adding k of them and dividing by the sum errs by less than (k + 2) 2^-52 by the rules of IEEE 754.

There are two comparisons, each made by numpy or by a compiled loop, with the same results:

- for a word of 64 bits per draw: how many lower bounds it has reached, and whether it is close to one. All
  bounds of the row are compared, for every result;
- for a byte per draw: the same, read off a guide that says for each row and each of the 256 bytes what all
  words that begin with it have in common.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError
from rainbowdp.exact import Exact, enclose
from rainbowdp.line.integer_masses import MassTable
from rainbowdp.mechanism import LineRows
from rainbowdp.mechanism.rows import ComputedRows
from rainbowdp.privacy import Privacy
from rainbowdp.sampling.bits import WORD_BITS, BitSource

EXACT_ROWS = 2048
"""Up to this many rows that lie on no line are enclosed one by one."""

_FEWEST_ON_LINE = 8  # what a line costs before its first row is as much as so many rows one by one
_EXACT_SLACK = 2
_LARGEST_WORD = (1 << WORD_BITS) - 1

BYTE_BITS = 8
_BYTES = 1 << BYTE_BITS
_BYTE_PLACE = np.uint64(WORD_BITS - BYTE_BITS)

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
            if self._fractions is None:
                pairs = list(self._irrational(bits))
            else:
                pairs = [
                    ((top << bits) // bottom, -(-(top << bits) // bottom)) for top, bottom in self._fractions
                ]
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
        revealed = revealed << word_bits | bits.bits(word_bits)
        length += word_bits
    return position


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Integers around the cumulative masses of some rows.

    Attributes
    ----------
    lower : uint64[k - 1, rows]
        Lower bounds in units of 2^-64, at most 2^64 - 1.
    slack : int
        How far above them the cumulative masses may lie, in the same units.
    """

    lower: NDArray[np.uint64]
    slack: int

    @classmethod
    def of(
        cls,
        rows: Sequence[Distribution],
        used: NDArray[np.intp],
        table: Callable[[], NDArray[np.float64]] | None = None,
    ) -> "Thresholds":
        """Enclose the cumulative masses of the rows used.

        Parameters
        ----------
        rows : sequence of Distribution
            Over the same k colors.
        used : intp[m]
            The rows wanted, ascending.
        table : callable, optional
            Makes the floats nearest to the rows, float64[rows, k]. Never asked for rows on lines.

        Returns
        -------
        Thresholds
            In the order of `used`.
        """
        kept = _KEPT.get(rows) if isinstance(rows, ComputedRows) else None
        if kept is not None and np.array_equal(kept[0], used):
            return kept[1]
        if isinstance(rows, LineRows):
            made = cls._on_lines(rows, used)
        elif table is not None and len(used) > EXACT_ROWS:
            made = cls.around(table()[used])
        else:
            made = cls._one_by_one(rows, used)
        if isinstance(rows, ComputedRows):
            _KEPT[rows] = used, made
        return made

    @classmethod
    def _one_by_one(cls, rows: Sequence[Distribution], used: NDArray[np.intp]) -> "Thresholds":
        cuts = [CumulativeMasses(rows[row]).cuts(WORD_BITS)[0] for row in used.tolist()]
        lower = np.empty((len(cuts[0]) if cuts else 0, len(cuts)), dtype=np.uint64)
        for place, below in enumerate(cuts):
            lower[:, place] = [min(bound, _LARGEST_WORD) for bound in below]
        return cls(lower, _EXACT_SLACK)

    @classmethod
    def _on_lines(cls, rows: LineRows, used: NDArray[np.intp]) -> "Thresholds":
        regions, distances = rows.regions[used], rows.distances[used].astype(np.int64)
        colors = len(rows[int(used[0])]) if len(used) else 1
        lower = np.empty((colors - 1, len(used)), dtype=np.uint64)
        slack, singly = _EXACT_SLACK, distances < 0
        tables: dict[Privacy, MassTable] = {}
        for region, line in enumerate(rows.lines):
            here = np.flatnonzero((regions == region) & (distances >= 0))
            if line is None or len(here) < _FEWEST_ON_LINE:
                singly[here] = True
                continue
            masses = tables.setdefault(line.privacy, MassTable(line.privacy))
            lower[:, here], width = masses.lower_bounds(line, distances[here])
            slack = max(slack, width)
        places = np.flatnonzero(singly)
        if len(places):
            lower[:, places] = cls._one_by_one(rows, used[places]).lower
        return cls(lower, slack)

    @classmethod
    def around(cls, table: NDArray[np.float64]) -> "Thresholds":
        """Enclose the cumulative masses of rows by the floats nearest to their numbers, float64[rows, k].

        Each sum of up to k such floats, divided by the sum of all, is off by less than (k + 2) 2^-52; the
        lower bound is rounded to a float twice more.
        """
        sums = np.cumsum(table, axis=1).T
        masses = sums[:-1] / sums[-1]
        units = (table.shape[1] + 4) * 2.0**-52
        lower = np.clip(masses - units, 0.0, 1.0 - 2.0**-53)
        return cls((lower * 2.0**WORD_BITS).astype(np.uint64), int(2 * (units * 2.0**WORD_BITS)))

    @property
    def colors(self) -> int:
        """How many colors there are."""
        return len(self.lower) + 1

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.lower.shape[1])

    @property
    def narrow(self) -> type[np.unsignedinteger[Any]]:
        """A type of integers that holds the number of colors."""
        return np.uint8 if self.colors < _BYTES else np.uint32

    @cached_property
    def whole_numbers(self) -> tuple[tuple[int, ...], ...]:
        """The lower bounds of each row, for Python."""
        return tuple(map(tuple, self.lower.T.tolist()))

    @cached_property
    def lower_by_row(self) -> NDArray[np.uint64]:
        """All bounds of the first row, then those of the second, and so on."""
        return np.ascontiguousarray(self.lower.T).ravel()

    @cached_property
    def edges(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The first and the last byte of the words that are close to a bound, uint8[k - 1, rows] each."""
        last = self.lower + np.uint64(self.slack - 1)
        last[last < self.lower] = _LARGEST_WORD
        return (self.lower >> _BYTE_PLACE).astype(np.uint8), (last >> _BYTE_PLACE).astype(np.uint8)

    @cached_property
    def guide(self) -> NDArray[np.unsignedinteger[Any]]:
        """The position of all words that begin with a byte, [rows, 256]; k where there is not one for all."""
        firsts, lasts = self.edges
        starts = np.arange(self.rows) * (_BYTES + 1)
        # A bound counts from the byte after its own.
        steps = np.bincount((starts + firsts + 1).ravel(), minlength=self.rows * (_BYTES + 1))
        steps = steps.reshape(self.rows, _BYTES + 1)[:, :_BYTES]
        guide: NDArray[np.unsignedinteger[Any]] = np.cumsum(steps, axis=1, dtype=self.narrow)
        rows = np.arange(self.rows)
        guide[rows, firsts] = self.colors
        guide[rows, lasts] = self.colors
        return guide


# Drawing from one mechanism again and again, as simulations do, looks at its rows once. Nothing here depends
# on what was drawn, and it goes with the rows.
_KEPT: WeakKeyDictionary[ComputedRows, tuple[NDArray[np.intp], Thresholds]] = WeakKeyDictionary()


MOST_GUIDED = 1 << 14
"""For more rows than this the guide would outgrow the processor's cache, and bounds are compared instead."""

_FEW = 32  # up to so many draws, the number of steps counts and not their length


@dataclass(frozen=True, eq=False)
class Deciding:
    """Compares first words and first bytes of draws with the thresholds of some rows.

    Parameters
    ----------
    thresholds : Thresholds
        Integers around the cumulative masses of the rows.
    compiled : bool
        Whether to run compiled loops.
    """

    thresholds: Thresholds
    compiled: bool

    def by_words(
        self, words: NDArray[np.uint64], places: NDArray[np.int32], drawn: NDArray[np.int32]
    ) -> NDArray[np.integer]:
        """Write down the positions that words decide, and return which draws are open.

        Parameters
        ----------
        words : uint64[m]
            The first word of each draw.
        places : int32[m]
            The row of each draw.
        drawn : int32[m]
            Filled with the drawn positions; what it holds for open draws means nothing.

        Returns
        -------
        integer[o]
            The draws whose word is close to a bound, ascending.
        """
        is_open, slack = np.zeros(words.size, np.bool_), np.uint64(self.thresholds.slack)
        if self.compiled:
            from rainbowdp.sampling.kernels import compare

            count = np.uint64(self.thresholds.colors - 1)
            compare(words, places, self.thresholds.lower_by_row, count, slack, drawn, is_open)
            return np.flatnonzero(is_open)
        if words.size <= _FEW:
            # All bounds at once: the same comparisons in a fixed number of steps.
            near = self.thresholds.lower.take(places, axis=1)
            drawn[:] = np.count_nonzero(words >= near, axis=0)
            return np.flatnonzero((words - near < slack).any(axis=0))
        reached: NDArray[Any] = np.zeros(words.size, self.thresholds.narrow)
        bounds, above = np.empty(words.size, np.uint64), np.empty(words.size, np.uint64)
        holds, at = np.empty(words.size, np.bool_), places.astype(np.intp)
        for column in self.thresholds.lower:
            bound = column[0] if self.thresholds.rows == 1 else column.take(at, out=bounds, mode="clip")
            reached += np.greater_equal(words, bound, out=holds)
            # Words below a bound wrap around to numbers far above the slack, or else are open needlessly.
            is_open |= np.less(np.subtract(words, bound, out=above), slack, out=holds)
        drawn[:] = reached
        return np.flatnonzero(is_open)

    def by_bytes(
        self, first: NDArray[np.uint8], places: NDArray[np.int32], drawn: NDArray[np.int32]
    ) -> NDArray[np.integer]:
        """Write down the positions that bytes decide, and return which draws are open; as `by_words`."""
        if self.thresholds.rows > MOST_GUIDED:
            return self._compared_bytes(first, places, drawn)
        if self.compiled:
            from rainbowdp.sampling.kernels import look_up

            open_draws = np.empty(first.size + 1, np.int32)
            guide, colors = self.thresholds.guide, self.thresholds.colors
            return open_draws[: look_up(first, places, guide, colors, drawn, open_draws)]
        if self.thresholds.rows == 1:
            found = self.thresholds.guide[0].take(first)
        else:
            entries = places << np.int32(BYTE_BITS)
            entries += first
            found = self.thresholds.guide.ravel().take(entries, mode="clip")
        drawn[:] = found
        return np.flatnonzero(found == self.thresholds.colors)

    def _compared_bytes(
        self, first: NDArray[np.uint8], places: NDArray[np.int32], drawn: NDArray[np.int32]
    ) -> NDArray[np.integer]:
        """Write down and return what the guide would say, without it."""
        passed: NDArray[Any] = np.zeros(first.size, self.thresholds.narrow)
        is_open = np.zeros(first.size, np.bool_)
        for firsts, lasts in zip(*self.thresholds.edges, strict=True):
            edge = firsts.take(places)
            passed += edge < first
            is_open |= (edge <= first) & (first <= lasts.take(places))
        drawn[:] = passed
        return np.flatnonzero(is_open)
