# SPDX-License-Identifier: Apache-2.0
"""The questions about neighbors that a family of datasets answers, and their answers by passes over pairs.

Everything that is done with neighbors comes down to three questions about codes on the datasets
(which datasets have a neighbor of another code, which pairs of codes meet, how far the nearest of some
datasets is), and a family may answer them from stored pairs, from a file, or by a formula that lists no pair.

A pass looks at every pair once, by compiled loops or by numpy. Both give the same results to the bit:
compiled loops are for millions of pairs, array operations for few. What a pass looks up is held in as few
bytes as it fits into: the look-ups of both ends of every pair take most of the time, and they are two or
three times as quick where the whole array stays in the processor's cache.

Which codes meet is collected by packing a pair of datasets into one integer that orders pairs as
:class:`CodePairs` does, so the least pair for two codes is a minimum, and minima can be collected in any
order and in parts of any size. Memory grows with the number of pairs of codes that occur, not with the pairs.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rainbowdp.exact.arguments import require
from rainbowdp.graph.arrays import (
    Integers,
    dataset_codes,
    frozen,
    held,
    narrowest,
    numbered,
    read_only,
)
from rainbowdp.graph.compiled import is_worth_compiling

if TYPE_CHECKING:
    from rainbowdp.graph.kernels import Table

Ends = tuple[Integers, Integers]
"""Sources and targets of a batch of pairs."""
Batches = Callable[[], Iterable[Ends]]
"""Gives all pairs, batch by batch, at each call."""
Report = Callable[[str], None]
"""Told in words about each pass."""

_MOST_KEYS = 1 << 25
_BLOCK = 1 << 16
_SPREAD, _UPPER = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_NONE = np.iinfo(np.int64).max
_LARGEST_TABLE = 1 << 18
_FIRST_PLACES = 1 << 15


@dataclass(frozen=True, eq=False)
class CodePairs:
    """Which different codes meet along pairs of neighbors, each with the first such pair of datasets.

    Parameters
    ----------
    first, second : integer array [P]
        The distinct unordered pairs of codes, ``first < second``, ordered by `first`, then `second`.
    source, target : integer array [P]
        The least pair of neighbors with these codes, in either order: ``source < target``, and no pair with
        a smaller source, or with the same source and a smaller target, has them.
    same : integer array
        The codes that two neighbors share, ascending.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    source: Integers
    target: Integers
    same: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Number of pairs of codes."""
        return self.first.size


@runtime_checkable
class NeighborRelation(Protocol):
    """A symmetric neighbor relation on the datasets 0 to ``size - 1``, however it is held."""

    @property
    def size(self) -> int:
        """Number of datasets."""
        ...

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was removed from the input, in words."""
        ...

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        ...

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        ...

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached."""
        ...


_MEMBERS = ("size", "pair_count", "notes", "mixed", "code_pairs", "steps_from")


def require_relation(value: object, name: str) -> None:
    """Refuse an argument that is not a neighbor relation, without asking it for anything.

    Counting pairs may be dear, and a check of protocols by `isinstance` reads every property.

    Parameters
    ----------
    value : object
        The argument.
    name : str
        Its name.

    Raises
    ------
    UsageError
    """
    missing = object()
    if any(inspect.getattr_static(value, member, missing) is missing for member in _MEMBERS):
        require(value, name, NeighborRelation)


def removal_notes(self_loops: int, repeated_pairs: int) -> tuple[str, ...]:
    """Return what was removed from the input, in words; empty if nothing was."""
    counted = ((self_loops, "self-loop"), (repeated_pairs, "repeated pair"))
    return tuple(f"{count} {what}{'s' * (count > 1)} removed" for count, what in counted if count)


@dataclass(frozen=True, eq=False)
class Marks:
    """What one pass tells about datasets and their neighbors.

    Parameters
    ----------
    mixed : bool array [n]
        Which datasets have a neighbor of another code.
    isolated : int
        How many datasets have no neighbor.
    pairs, loops : int
        How many pairs join two datasets, and how many a dataset with itself.
    """

    mixed: NDArray[np.bool_]
    isolated: int
    pairs: int
    loops: int


def marks(batches: Iterable[Ends], codes: NDArray[Any]) -> Marks:
    """Mark which datasets have a neighbor, and which have one of another code.

    Parameters
    ----------
    batches : iterable of (source, target)
        All pairs, once.
    codes : integer array [n]
        The code of each dataset, from 0.
    """
    # Code and marks share one number, so that a look at a dataset touches one place in memory.
    kind = narrowest(4 * (int(codes.max(initial=0)) + 1))
    touched, mixed = (kind(1 << (8 * kind(0).nbytes - bit)) for bit in (1, 2))
    state = codes.astype(kind)
    pairs = loops = 0
    for source, target in batches:
        looped = _mark(source, target, state, touched, mixed)
        pairs, loops = pairs + source.size - looped, loops + looped
    isolated = state.size - int(np.count_nonzero(state >= touched))
    return Marks(frozen(state & mixed > 0), isolated, pairs, loops)


def _mark(source: Integers, target: Integers, state: NDArray[Any], touched: Any, mixed: Any) -> int:  # noqa: ANN401 - one number of the state's type
    if is_worth_compiling(source.size):
        from rainbowdp.graph import kernels

        return int(kernels.mark(read_only(source), read_only(target), state, touched, mixed))
    apart = source != target
    crossing = (state[source] ^ state[target]) & ~(touched | mixed) > 0
    for end in (source, target):
        state[end[apart]] |= touched
        state[end[crossing]] |= mixed
    return int(source.size - np.count_nonzero(apart))


def is_ascending(source: Integers, target: Integers) -> bool:
    """Tell whether the pairs, each with its lower end first, rise strictly."""
    for start in range(0, source.size - 1, _BLOCK):
        one, other = source[start : start + _BLOCK + 1], target[start : start + _BLOCK + 1]
        low, high = np.minimum(one, other), np.maximum(one, other)
        rises = (low[1:] > low[:-1]) | ((low[1:] == low[:-1]) & (high[1:] > high[:-1]))
        if not rises.all():
            return False
    return True


def count_repeats(size: int, source: Integers, target: Integers) -> int:
    """Return how many pairs occur again, in either direction; self-loops do not count.

    Exact: pairs become numbers, and equal numbers stand side by side when they are sorted. Of very many pairs
    a share is taken at a time, by a hash, so that the numbers in memory stay below 2^25 or so.
    """
    shares = 1 << (source.size // _MOST_KEYS).bit_length()
    repeats = 0
    for share in range(shares):
        # Only what is written to takes memory.
        keys, count = np.empty(source.size, dtype=np.int64), 0
        for start in range(0, source.size, _BLOCK):
            one, other = source[start : start + _BLOCK], target[start : start + _BLOCK]
            packed = np.multiply(np.minimum(one, other), size, dtype=np.int64)
            packed += np.maximum(one, other)
            chosen = one != other
            if shares > 1:
                chosen &= (packed.view(np.uint64) * _SPREAD) >> _UPPER & np.uint64(shares - 1) == share
            if not chosen.all():
                packed = packed[chosen]
            keys[count : count + packed.size] = packed
            count += packed.size
        keys = keys[:count]
        keys.sort()
        repeats += int(np.count_nonzero(keys[1:] == keys[:-1]))
    return repeats


def scrambled(keys: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return numbers that look random (the finalizer of splitmix64)."""
    mixed = keys.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


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
        What compiled loops keep: the least packed pair of datasets for each two codes, the largest int64
        where there is none. It is left empty where it would be long; then they keep a hash table.

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
        none = np.empty(0, dtype=np.int64)
        self._least = none, none
        self._table: Table | None = None

    def add(self, one: Integers, other: Integers, source: Integers, target: Integers) -> None:
        """Add pairs of datasets `source`, `target` with the codes `one`, `other`, in either direction."""
        crossing = one != other
        self._same[one[~crossing]] = True
        one, other, source, target = one[crossing], other[crossing], source[crossing], target[crossing]
        keys = np.minimum(one, other).astype(np.int64) * self.count + np.maximum(one, other)
        least = np.minimum(source, target).astype(np.int64) * self._size + np.maximum(source, target)
        self._keep(*_least_of_each(keys, least))

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
            met = np.flatnonzero(self.dense < _NONE).astype(np.int64)
            self._keep(met, self.dense[met])
        if self._table is not None:
            met, pairs, _, _ = self._table
            self._keep(met[met >= 0], pairs[met >= 0])
        keys, least = self._least
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

    def _keep(self, keys: NDArray[np.int64], least: NDArray[np.int64]) -> None:
        """Keep the least pair of datasets for each two codes, packed both."""
        known, before = self._least
        self._least = _least_of_each(np.concatenate([known, keys]), np.concatenate([before, least]))


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


class PairPasses(ABC):
    """A family that answers questions by passes over all of its pairs; the last answers are kept.

    A mechanism is checked with the classes that it was solved with, and then nothing is read again.
    """

    if TYPE_CHECKING:

        @property
        def size(self) -> int:
            """Number of datasets."""
            ...

        @property
        def pair_count(self) -> int:
            """Number of unordered pairs of neighbors."""
            ...

    report: Report | None = None
    """Told in words about each pass."""

    def _say(self, text: str) -> None:
        if self.report is not None:
            self.report(text)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out of the input, in words; empty if nothing is."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.size} datasets, {self.pair_count} pairs)"

    @abstractmethod
    def _read(self, what: str) -> Iterator[Ends]:
        """Read all pairs once, batch by batch, for a purpose."""

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code.

        Parameters
        ----------
        codes : int32 array [n]
            A code per dataset.

        Returns
        -------
        bool array [n]

        Raises
        ------
        GraphShapeError
            If the codes do not fit the datasets.

        Examples
        --------
        >>> from rainbowdp.graph import DatasetGraph
        >>> DatasetGraph.from_pairs(4, [0, 1, 2], [1, 2, 3]).mixed(np.array([7, 7, 7, 0]))
        array([False, False,  True,  True])
        """
        return self._marks(dataset_codes(codes, self.size)).mixed

    def _marks(self, codes: NDArray[np.int32] | None = None) -> Marks:
        """Return what a pass for these codes tells, or the last one for any."""
        known: tuple[NDArray[np.int32], Marks] | None = vars(self).get("_marked")
        if known is not None and (codes is None or np.array_equal(known[0], codes)):
            return known[1]
        asked = np.zeros(self.size, dtype=np.int32) if codes is None else held(codes, np.int32)
        found = marks(self._read("which datasets have neighbors of another code"), asked)
        vars(self)["_marked"] = asked, found
        return found

    @property
    def isolated(self) -> int:
        """How many datasets have no neighbor."""
        return self._marks().isolated

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes meet along pairs of neighbors, each with the least such pair of datasets.

        Parameters
        ----------
        codes : int32 array [n]
            A code per dataset.
        count : int
            All codes are below it.

        Returns
        -------
        CodePairs

        Raises
        ------
        GraphShapeError
            If the codes do not fit the datasets or the count.

        Examples
        --------
        >>> from rainbowdp.graph import PairList
        >>> found = PairList.from_arrays(4, [2, 1, 1], [1, 0, 2]).code_pairs(np.array([1, 1, 0, 0]), 2)
        >>> found.first, found.second, found.source, found.target, found.same
        (array([0]), array([1]), array([1], dtype=int32), array([2], dtype=int32), array([1]))
        """
        asked = dataset_codes(codes, self.size, count)
        known: tuple[NDArray[np.int32], CodePairs] | None = vars(self).get("_met")
        if known is not None and np.array_equal(known[0], asked):
            return known[1]
        tally = CodeTally(count, self.size)
        for source, target in self._read("which codes meet"):
            tally.add_pairs(source, target, asked)
        found = tally.result()
        vars(self)["_met"] = held(asked, np.int32), found
        return found
