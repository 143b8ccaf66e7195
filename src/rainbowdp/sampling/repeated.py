# SPDX-License-Identifier: Apache-2.0
"""Repeated single draws from one mechanism, as simulations make them.

After a mechanism of few classes was drawn from a few times, the 64-bit integers around the cumulative masses
of all its classes are kept with it, and a draw compares one word with those of its class.
It reads the same two words as the constant method of `rainbowdp.sampling.bulk` and draws the same color.

When that begins, and for what, depends on how often the mechanism was drawn from and on how many classes it
has, and not on the datasets drawn from. Before it begins, and for mechanisms of many classes, a draw works
out the row of its class, which the mechanism keeps: a second draw from the same class is quicker.
"""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from rainbowdp.errors import DistributionError
from rainbowdp.mechanism import LineRows, Mechanism
from rainbowdp.sampling.bits import WORD_BITS, BitSource, read_words
from rainbowdp.sampling.draw import CumulativeMasses, settle
from rainbowdp.sampling.thresholds import Thresholds

MOST_CLASSES = 256
"""Bounds are kept for mechanisms of up to this many classes."""

MOST_DISTANCE = 4096
"""Bounds are not kept for deeper lines, whose fractions have more digits than this."""

FIRST_DRAWS = 8
"""Bounds of all classes are computed after this many draws: for fewer it would take longer."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """The lower bounds of every class, and how far above them the cumulative masses may lie.

    Attributes
    ----------
    lower : tuple of tuple of int [C][k - 1]
        In units of 2^-64.
    slack : int
        In the same units.
    """

    lower: tuple[tuple[int, ...], ...]
    slack: int

    @classmethod
    def of(cls, mechanism: Mechanism) -> "Bounds":
        """Look at all classes of a mechanism."""
        found = Thresholds.of(mechanism.rows, np.arange(mechanism.class_count))
        return cls(tuple(map(tuple, found.lower.T.tolist())), found.slack)

    def draw(self, mechanism: Mechanism, code: int, bits: BitSource) -> int:
        """Draw once from a class, and return the position of the color.

        Parameters
        ----------
        mechanism : Mechanism
            The one that these bounds are of.
        code : int
            The class.
        bits : BitSource
            Where random bits come from.
        """
        first, second = map(int, read_words(bits, 2))
        # All of them are compared, for every result.
        above = [first - bound for bound in self.lower[code]]
        reached = sum([height >= 0 for height in above])
        if not sum([0 <= height < self.slack for height in above]):
            return reached
        revealed = first << WORD_BITS | second
        return settle(CumulativeMasses(mechanism.rows[code]), revealed, 2 * WORD_BITS, bits)


def bounds_of(mechanism: Mechanism) -> Bounds | None:
    """Count a draw from a mechanism, and return its bounds where they are kept by now.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism that is drawn from.

    Returns
    -------
    Bounds or None
        None for the first `FIRST_DRAWS` draws, and always for mechanisms that would take too long.
    """
    draws = _DRAWS.get(mechanism, 0)
    if draws < FIRST_DRAWS:
        _DRAWS[mechanism] = draws + 1
        return None
    if mechanism not in _KEPT:
        _KEPT[mechanism] = _found(mechanism)
    return _KEPT[mechanism]


def _found(mechanism: Mechanism) -> Bounds | None:
    rows = mechanism.rows
    is_deep = isinstance(rows, LineRows) and int(rows.distances.max()) > MOST_DISTANCE
    if mechanism.class_count > MOST_CLASSES or is_deep:
        return None
    try:
        return Bounds.of(mechanism)
    except DistributionError:
        # One class that cannot be drawn from must not prevent draws from the others.
        return None


# Both go with their mechanism.
_DRAWS: WeakKeyDictionary[Mechanism, int] = WeakKeyDictionary()
_KEPT: WeakKeyDictionary[Mechanism, Bounds | None] = WeakKeyDictionary()
