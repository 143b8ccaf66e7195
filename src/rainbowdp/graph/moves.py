# SPDX-License-Identifier: Apache-2.0
"""Numbers of histograms, and where a moved record leads, by array operations.

The one idea: histograms of `records` records over `parts` parts stand in lexicographic order, so a number
is a sum over the parts. When the parts from l on hold b records and those after it a, part l is preceded by
``T_l(b) - T_l(a)`` histograms that agree with it before, where T_l(x) counts the ways to spread at most x
records over the parts after l. Moving one record between parts i < j changes the terms of the parts i to j
only, by an amount that is a head at i, a tail at j, and a sum over what lies between.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import frozen


@dataclass(frozen=True)
class Moves:
    """Histograms of `records` records over `parts` parts, at least two, and moves between these.

    Parameters
    ----------
    records, parts : int
        How many records, and over how many parts they are spread.

    Examples
    --------
    >>> moves = Moves(2, 3)
    >>> moves.rows(np.array([0, 1, 4])).tolist()
    [[0, 0, 2], [0, 1, 1], [1, 1, 0]]
    >>> before = moves.before(moves.rows(np.array([1])))
    >>> moves.shift(before, 0, 2, gains=True).tolist()
    [3]
    """

    records: int
    parts: int

    @cached_property
    def ways(self) -> NDArray[np.int64]:
        """``T_l(x)`` at [l, x] for all parts but the last two, where it is x + 1 and 1."""
        ways = np.empty((self.parts - 2, self.records + 2 if self.parts > 2 else 0), dtype=np.int64)
        row = np.arange(1, ways.shape[1] + 1, dtype=np.int64)
        for part in range(self.parts - 3, -1, -1):
            row = np.cumsum(row)
            ways[part] = row
        return frozen(ways)

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the histograms with some numbers, int64 [m, parts]."""
        rows = np.empty((numbers.size, self.parts), dtype=np.int64)
        left = np.full(numbers.size, self.records, dtype=np.int64)
        rest = numbers.astype(np.int64)
        for part in range(self.parts - 2):
            # After this part the fewest records that leave enough histograms before it.
            ways = self.ways[part]
            after = np.searchsorted(ways, ways[left] - rest)
            rest = rest - (ways[left] - ways[after])
            rows[:, part] = left - after
            left = after
        rows[:, -2] = rest
        rows[:, -1] = left - rest
        return rows

    def number_of(self, row: list[int]) -> int:
        """Return the number of a histogram."""
        number, left = 0, self.records
        for part, count in enumerate(row[:-2]):
            number += int(self.ways[part, left] - self.ways[part, left - count])
            left -= count
        return number + row[-2]

    @staticmethod
    def before(rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many records the parts from each one on hold, [parts, m]."""
        return np.ascontiguousarray(np.cumsum(rows[:, ::-1], axis=1)[:, ::-1].T)

    def shift(self, before: NDArray[np.int64], one: int, other: int, gains: bool) -> NDArray[np.int64]:
        """Return what is added to the numbers when one record moves between two parts, ``one < other``.

        It moves to the first of them if that `gains`, else to the other one. Where the part that loses has no
        record, the result means nothing.
        """
        sign = 1 if gains else -1
        after = before[one + 1]
        shift = self._term(one, after) - self._term(one, after - sign)
        for part in range(one + 1, min(other, self.parts - 2)):
            here, after = before[part], before[part + 1]
            shift += self._term(part, here - sign) - self._term(part, after - sign)
            shift -= self._term(part, here) - self._term(part, after)
        return shift + self._term(other, before[other] - sign) - self._term(other, before[other])

    def _term(self, part: int, records: NDArray[np.int64]) -> NDArray[np.int64]:
        if part < self.parts - 2:
            ways: NDArray[np.int64] = self.ways[part][np.maximum(records, 0)]
            return ways
        return records + 1 if part == self.parts - 2 else np.ones_like(records)
