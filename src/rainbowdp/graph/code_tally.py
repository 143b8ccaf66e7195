# SPDX-License-Identifier: Apache-2.0
"""Which codes meet along pairs of datasets, collected part by part by numpy or by compiled loops.

A pair of datasets is packed into one integer that orders pairs as :class:`CodePairs` does, so the least pair
for two codes is a minimum, and minima can be collected in any order and in parts of any size. Memory grows
with the number of pairs of codes that occur, not with the number of pairs of neighbors.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers, frozen, narrowest, numbered, read_only
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.relation import CodePairs

if TYPE_CHECKING:
    from rainbowdp.graph.kernels import Table

_NONE = np.iinfo(np.int64).max
_LARGEST_TABLE = 1 << 18
_SMALLEST_MERGE = 1 << 16
_FIRST_PLACES = 1 << 15


class CodeTally:
    """Collects which of `count` codes meet along pairs of `size` datasets, with the least pair for each.

    Parameters
    ----------
    count : int
        Codes are 0 to ``count - 1``.
    size : int
        Datasets are 0 to ``size - 1``.

    Attributes
    ----------
    dense : int64 array [count * count] or [0]
        The least packed pair of datasets for each two codes, the largest int64 where there is none. It is
        left empty where it would be long; then pairs of codes are sorted, or kept in a hash table.

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
        self.dense = np.full(count * count if count * count <= _LARGEST_TABLE else 0, _NONE, dtype=np.int64)
        self._same = np.zeros(count, dtype=np.bool_)
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        self._merged_size = self._waiting_size = 0
        self._table: Table | None = None

    def add(self, one: Integers, other: Integers, source: Integers, target: Integers) -> None:
        """Add pairs of datasets `source`, `target` with the codes `one`, `other`, in either direction."""
        crossing = one != other
        if not crossing.all():
            self._same[one[~crossing]] = True
            one, other, source, target = one[crossing], other[crossing], source[crossing], target[crossing]
        keys = np.minimum(one, other).astype(np.int64) * self.count + np.maximum(one, other)
        least = np.minimum(source, target).astype(np.int64) * self._size + np.maximum(source, target)
        if self.dense.size:
            np.minimum.at(self.dense, keys, least)
        elif keys.size:
            self._add_sorted(*_least_of_each(keys, least))

    def add_pairs(self, source: Integers, target: Integers, codes: NDArray[Any]) -> None:
        """Add pairs of datasets, with or without self-loops, by the codes of all datasets."""
        if not is_worth_compiling(source.size):
            apart = source != target
            if not apart.all():
                source, target = source[apart], target[apart]
            self.add(codes[source], codes[target], source, target)
            return
        from rainbowdp.graph import kernels

        one, other = read_only(source), read_only(target)
        narrow = read_only(codes.astype(narrowest(self.count), copy=False))
        if self.dense.size:
            kernels.meet_in_table(one, other, narrow, self.count, self.dense)
        else:
            self.run(lambda table: kernels.meet(one, other, narrow, table))

    def add_same(self, codes: NDArray[Any]) -> None:
        """Add codes that two neighbors share."""
        self._same[codes] = True

    def run(self, fill: "Callable[[Table], bool]") -> None:
        """Run a compiled loop from its beginning to its end, with more places whenever it asks for them.

        Parameters
        ----------
        fill : callable
            Adds to a hash table from where its state says; returns whether all was done.
        """
        if self._table is None:
            state = np.zeros(3, dtype=np.int64)
            self._table = (*_free_places(_FIRST_PLACES), self._same, state)
        self._table[3][0] = 0
        while not fill(self._table):
            from rainbowdp.graph.kernels import move

            keys, least, same, state = self._table
            wider, moved = _free_places(4 * keys.size)
            move(keys, least, wider, moved)
            self._table = wider, moved, same, state

    def result(self) -> CodePairs:
        """Return everything that was added."""
        if self.dense.size:
            keys = np.flatnonzero(self.dense < _NONE).astype(np.int64)
            self._parts.append((keys, self.dense[keys]))
        if self._table is not None:
            keys, least, _, _ = self._table
            self._parts.append((keys[keys >= 0], least[keys >= 0]))
        keys, least = self._merged()
        first, second = keys // max(self.count, 1), keys % max(self.count, 1)
        alike = first == second
        if alike.any():
            # A table of all pairs of codes also has the codes that neighbors share.
            self._same[first[alike]] = True
            first, second, least = first[~alike], second[~alike], least[~alike]
        return CodePairs(
            first=frozen(first),
            second=frozen(second),
            source=frozen(numbered(least // self._size, self._size)),
            target=frozen(numbered(least % self._size, self._size)),
            same=frozen(np.flatnonzero(self._same).astype(np.int64)),
        )

    def _add_sorted(self, keys: NDArray[np.int64], least: NDArray[np.int64]) -> None:
        self._parts.append((keys, least))
        self._waiting_size += keys.size
        # Merging only when as much again has come in keeps the cost of all merges together near linear.
        if self._waiting_size > max(self._merged_size, _SMALLEST_MERGE):
            self._parts = [self._merged()]
            self._merged_size, self._waiting_size = self._parts[0][0].size, 0

    def _merged(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        none = np.empty(0, dtype=np.int64)
        keys, least = zip((none, none), *self._parts, strict=True)
        return _least_of_each(np.concatenate(keys), np.concatenate(least))


def _free_places(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)


def _least_of_each(
    keys: NDArray[np.int64], values: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, ascending, and the least value of each."""
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.minimum.reduceat(values[order], starts) if starts.size else values[:0]
