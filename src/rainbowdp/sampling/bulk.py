# SPDX-License-Identifier: Apache-2.0
"""Many exact draws at once, by 64-bit integers.

For each class that occurs, every cumulative mass is enclosed once between two 64-bit integers. numpy compares
the first word of every draw with them, and what those integers do not decide continues exactly, with the same
first word and further ones. The drawn colors are a function of the bits alone: draws are taken in blocks of
`BLOCK`; a block reads one word for each of its draws, then the further words of its undecided draws, one draw
after the other.

Where more than `EXACT_ROWS` classes occur, the two integers are taken from the float64 table instead, 2^-30
to either side of each cumulative mass. That changes no draw, it only sends more words (one in some hundred
million) on the exact way, provided that the table's cumulative masses are right to 2^-30. This is assumed and
not proven: a table promises entries within 10^-12 relatively, which tests measure against exact numbers, and
adding k of them errs by at most k 2^-52. For up to a hundred thousand colors that is a thirtieth of 2^-30.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.sampling.bits import WORD_BITS, BitSource, read_words
from rainbowdp.sampling.cumulative import CumulativeMasses
from rainbowdp.sampling.draw import settle

BLOCK = 1 << 16
"""How many draws are taken together; part of the meaning of a bit stream, since blocks follow each other."""

EXACT_ROWS = 2048
"""Up to this many classes are enclosed exactly, at up to a millisecond each."""

TABLE_ERROR = 2.0**-30
"""What a cumulative mass of a float64 table is assumed not to be wrong by; tables promise 10^-12."""

_LARGEST_WORD = (1 << WORD_BITS) - 1


@dataclass(frozen=True, eq=False)
class _Thresholds:
    """The cumulative masses of some rows between 64-bit integers, uint64[k - 1, rows] each.

    A word below `lower` lies below the mass, and a word above `last` does not; what the two leave open is
    undecided. A bound outside the range of a word is moved to its end, which only leaves more open.
    """

    lower: NDArray[np.uint64]
    last: NDArray[np.uint64]

    @classmethod
    def of(cls, rows: Sequence[Distribution], used: NDArray[np.intp]) -> "_Thresholds":
        """Enclose the cumulative masses of the rows used, exactly."""
        cuts = [CumulativeMasses(rows[row]).cuts(WORD_BITS) for row in used.tolist()]
        shape = (len(cuts[0][0]) if cuts else 0, len(cuts))
        lower, last = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64)
        for place, (below, above) in enumerate(cuts):
            lower[:, place] = [min(bound, _LARGEST_WORD) for bound in below]
            last[:, place] = [max(bound - 1, 0) for bound in above]
        return cls(lower, last)

    @classmethod
    def around(cls, table: NDArray[np.float64]) -> "_Thresholds":
        """Leave `TABLE_ERROR` open on both sides of the cumulative masses of a table, float64[rows, k]."""
        masses = np.cumsum(table, axis=1).T
        masses = masses[:-1] / masses[-1]
        # Rounding moves these ends by 2^-52 at most, which is nothing to the error that is allowed for.
        lower = np.clip(masses - TABLE_ERROR, 0.0, 1.0 - TABLE_ERROR)
        upper = masses + TABLE_ERROR
        last = (np.where(upper < 1.0, upper, 0.0) * 2.0**WORD_BITS).astype(np.uint64)
        last[upper >= 1.0] = _LARGEST_WORD
        return cls((lower * 2.0**WORD_BITS).astype(np.uint64), last)

    def decide(
        self, words: NDArray[np.uint64], places: NDArray[np.intp]
    ) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        """Return the drawn positions, and the indices of those that the words do not decide."""
        positions = np.zeros(len(words), dtype=np.int32)
        for column in self.lower:
            positions += words >= column[places]
        touched = np.flatnonzero(positions)
        # Of the masses that a word may have passed the last one is the largest: passing it decides all.
        largest = self.last[positions[touched] - 1, places[touched]]
        return positions, touched[words[touched] <= largest]


def draw_rows(
    rows: Sequence[Distribution],
    classes: NDArray[np.int32],
    bits: BitSource,
    table: Callable[[], NDArray[np.float64]] | None = None,
) -> NDArray[np.int32]:
    """Draw once for each row named.

    Parameters
    ----------
    rows : sequence of Distribution
        Distributions over the same k colors, possibly made when asked for; only those that occur are.
    classes : int32[m]
        The row to draw from, for each draw.
    bits : BitSource
        Where random bits come from.
    table : callable, optional
        Makes the table of the rows, float64[rows, k], right to `TABLE_ERROR`; asked for only where more than
        `EXACT_ROWS` rows occur.

    Returns
    -------
    int32[m]
        The drawn colors as positions in the order of the rows (by code point).
    """
    occurs = np.zeros(len(rows), dtype=np.bool_)
    occurs[classes] = True
    used = np.flatnonzero(occurs)
    if table is None or len(used) <= EXACT_ROWS:
        thresholds = _Thresholds.of(rows, used)
    else:
        thresholds = _Thresholds.around(table()[used])
    place_of = np.cumsum(occurs) - 1
    drawn = np.empty(len(classes), dtype=np.int32)
    for start in range(0, len(classes), BLOCK):
        block = classes[start : start + BLOCK]
        words = read_words(bits, len(block))
        positions, undecided = thresholds.decide(words, place_of[block])
        for index in undecided.tolist():
            masses = CumulativeMasses(rows[int(block[index])])
            positions[index] = settle(masses, int(words[index]), WORD_BITS, bits)
        drawn[start : start + BLOCK] = positions
    return drawn
