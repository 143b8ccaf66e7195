# SPDX-License-Identifier: Apache-2.0
"""Which codes meet, collected part by part.

The one idea: a pair of datasets is packed into one integer that orders pairs as :class:`CodePairs` does, so
the least pair for two codes is a minimum, and minima can be collected in any order and in parts of any
size. Memory grows with the number of pairs of codes and the size of a part, not with the number of pairs of
neighbors.
"""

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers, frozen
from rainbowdp.graph.pair_ends import numbered
from rainbowdp.graph.relation import CodePairs

LARGEST_SIZE = 3_037_000_499
"""Largest number of datasets such that two of them can be packed into 63 bits."""
_NONE = np.iinfo(np.int64).max
_LARGEST_TABLE = 1 << 18
_SMALLEST_MERGE = 1 << 16


class CodeTally:
    """Collects which of `count` codes meet along pairs of `size` datasets, with the least pair for each.

    Parameters
    ----------
    count : int
        Codes are 0 to ``count - 1``.
    size : int
        Datasets are 0 to ``size - 1``.

    Examples
    --------
    >>> tally = CodeTally(count=3, size=5)
    >>> tally.add(np.array([1, 0, 2]), np.array([0, 1, 2]), np.array([3, 1, 2]), np.array([2, 4, 4]))
    >>> met = tally.result()
    >>> met.first, met.second, met.source, met.target, met.same
    (array([0]), array([1]), array([1], dtype=int32), array([4], dtype=int32), array([2]))
    """

    def __init__(self, count: int, size: int) -> None:
        self.count = count
        self._size = size
        self._keys = np.empty(0, dtype=np.int64)
        self._least = np.empty(0, dtype=np.int64)
        self._waiting: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        self._waiting_size = 0
        self._same = np.zeros(count, dtype=np.bool_)
        # A table of all pairs of codes is quicker than sorting those that occur, where it is not too long.
        places = count * count if count * count <= _LARGEST_TABLE else 0
        self._table = np.full(places, _NONE, dtype=np.int64)

    def add(self, one: Integers, other: Integers, source: Integers, target: Integers) -> None:
        """Add pairs of datasets `source`, `target` with the codes `one`, `other`, in either direction."""
        crossing = one != other
        if not crossing.all():
            self._same[one[~crossing]] = True
            one, other, source, target = one[crossing], other[crossing], source[crossing], target[crossing]
        if one.size:
            keys = np.minimum(one, other).astype(np.int64) * self.count + np.maximum(one, other)
            least = np.minimum(source, target).astype(np.int64) * self._size + np.maximum(source, target)
            self.add_packed(keys, least)

    def add_packed(self, keys: NDArray[np.int64], least: NDArray[np.int64]) -> None:
        """Add packed pairs of codes and of datasets, each with its lower end first."""
        if self._table.size:
            np.minimum.at(self._table, keys, least)
            return
        keys, least = _least_of_each(keys, least)
        self._waiting.append((keys, least))
        self._waiting_size += keys.size
        # Merging only when as much again has come in keeps the cost of all merges together near linear.
        if self._waiting_size > max(self._keys.size, _SMALLEST_MERGE):
            self._merge()

    def add_met(self, met: CodePairs) -> None:
        """Add what met along some of the pairs."""
        keys = met.first.astype(np.int64) * self.count + met.second
        self.add_packed(keys, met.source.astype(np.int64) * self._size + met.target)
        self.add_same(met.same)

    def add_same(self, codes: NDArray[np.int64]) -> None:
        """Add codes that two neighbors share."""
        self._same[codes] = True

    def result(self) -> CodePairs:
        """Return everything that was added."""
        if self._table.size:
            self._keys = np.flatnonzero(self._table < _NONE).astype(np.int64)
            self._least = self._table[self._keys]
        self._merge()
        source = numbered(self._least // self._size, self._size)
        target = numbered(self._least % self._size, self._size)
        return CodePairs(
            first=frozen(self._keys // max(self.count, 1)),
            second=frozen(self._keys % max(self.count, 1)),
            source=frozen(source),
            target=frozen(target),
            same=frozen(np.flatnonzero(self._same).astype(np.int64)),
        )

    def _merge(self) -> None:
        parts = [(self._keys, self._least), *self._waiting]
        self._waiting, self._waiting_size = [], 0
        if len(parts) > 1:
            keys = np.concatenate([part[0] for part in parts])
            self._keys, self._least = _least_of_each(keys, np.concatenate([part[1] for part in parts]))


def _least_of_each(
    keys: NDArray[np.int64], values: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, ascending, and the least value of each."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.minimum.reduceat(values[order], starts) if starts.size else values[:0]
