# SPDX-License-Identifier: Apache-2.0
"""Families of datasets whose pairs of neighbors are given: listed per dataset, in arrays, or read in batches.

`DatasetGraph` lists the neighbors of each dataset, in a compressed sparse row structure. `PairList` holds
pairs in arrays, and `PairStream` reads them again as often as it needs; neither lists neighbors. Which
datasets lie on a boundary, which classes meet and how far the boundary is are answered by passes over the
pairs, in any order. A pair given twice, or in both directions, or a dataset paired with itself changes no
answer, and is counted. A stream holds a few bytes per dataset, and sets aside on the disk the pairs that can
improve a distance; the number of its passes is bounded for any order of the pairs.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, MissingExtraError, UsageError
from rainbowdp.exact.arguments import kind_of, whole
from rainbowdp.graph.arrays import (
    Integers,
    Rebuilt,
    end_arrays,
    frozen,
    held,
    integer_array,
    number_type,
    numbered,
    require_dataset,
    size_of,
    sorted_distinct,
    start_marks,
)
from rainbowdp.graph.compiled import compiled, is_worth_compiling
from rainbowdp.graph.distances import PairMemory, PairSpool, search, steps_along, steps_between
from rainbowdp.graph.relation import (
    Batches,
    Ends,
    NeighborRelation,
    PairPasses,
    Report,
    count_repeats,
    is_ascending,
    removal_notes,
)


@dataclass(frozen=True, eq=False, repr=False)
class DatasetGraph(Rebuilt, PairPasses):
    """A family of datasets together with a symmetric neighbor relation.

    Most callers use :meth:`from_pairs`; the constructor takes a finished structure and checks all of it.
    Datasets are the numbers 0 to ``size - 1``.

    Parameters
    ----------
    indptr : int64 array [n + 1]
        The neighbors of dataset i are ``indices[indptr[i]:indptr[i + 1]]``.
    indices : int32 or int64 array [2 * pair_count]
        Neighbors, ascending within a dataset, each pair in both directions, no dataset its own neighbor.
    self_loops : int
        How many self-loops were removed from the input.
    repeated_pairs : int
        How many repeated pairs, in either direction, were removed from the input.

    Raises
    ------
    GraphShapeError
        If the arrays do not have that form.

    References
    ----------
    Zhou et al. 2022, section "Setting": the family of datasets as a simple graph.

    Examples
    --------
    >>> graph = DatasetGraph.from_pairs(4, source=[0, 1, 2, 2, 1], target=[1, 2, 1, 3, 1])
    >>> graph
    DatasetGraph(4 datasets, 3 pairs)
    >>> graph.neighbors(2)
    array([1, 3], dtype=int32)
    >>> graph.notes
    ('1 self-loop removed', '1 repeated pair removed')
    """

    indptr: NDArray[np.int64]
    indices: Integers
    self_loops: int = 0
    repeated_pairs: int = 0

    def __post_init__(self) -> None:
        indptr = integer_array(self.indptr, "indptr").astype(np.int64)
        indices = integer_array(self.indices, "indices")
        size = indptr.size - 1
        if size < 0 or indptr[0] != 0 or indptr[-1] != indices.size or np.any(np.diff(indptr) < 0):
            raise GraphShapeError(
                f"indptr must rise from 0 to {indices.size}, the number of entries of indices",
                help="build the structure with DatasetGraph.from_pairs",
            )
        for name in ("self_loops", "repeated_pairs"):
            whole(f"a number of {name.replace('_', ' ')}", getattr(self, name), 0, error=GraphShapeError)
        rows = np.repeat(np.arange(size), np.diff(indptr))
        upward = (rows < indices) & (indices < size)
        made = DatasetGraph.from_pairs(size, rows[upward], indices[upward])
        if not (np.array_equal(made.indptr, indptr) and np.array_equal(made.indices, indices)):
            raise GraphShapeError(
                "the structure is not sorted and symmetric without self-loops and repeats",
                help="build it with DatasetGraph.from_pairs, which makes it so",
            )
        vars(self).update(indptr=made.indptr, indices=made.indices)

    @classmethod
    def _trusted(
        cls, indptr: NDArray[np.int64], indices: Integers, self_loops: int, repeated_pairs: int
    ) -> "DatasetGraph":
        """Wrap arrays that this package just made, without copying and checking them."""
        graph = object.__new__(cls)
        vars(graph).update(
            indptr=frozen(indptr),
            indices=frozen(indices),
            self_loops=self_loops,
            repeated_pairs=repeated_pairs,
        )
        return graph

    @classmethod
    def from_pairs(cls, size: int, source: ArrayLike, target: ArrayLike) -> "DatasetGraph":
        """Build the graph from pairs of neighbors.

        Parameters
        ----------
        size : int
            Number of datasets.
        source, target : integer array [m]
            The two datasets of each pair, in any direction. Self-loops and repeats are removed and counted.

        Returns
        -------
        DatasetGraph

        Raises
        ------
        GraphShapeError
            If the arrays have different lengths or do not hold integers, or the size is impossible.
        UnknownDatasetError
            If a pair names a dataset below 0 or not below `size`; the message says which pair.

        Examples
        --------
        >>> DatasetGraph.from_pairs(3, [0, 2], [1, 1]).pairs()
        (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
        """
        size = size_of(size)
        first, second = end_arrays(source, target, size)
        entries = first.size
        keys = np.empty(2 * entries, dtype=np.int64)
        np.multiply(first, size, out=keys[:entries], dtype=np.int64, casting="unsafe")
        np.multiply(second, size, out=keys[entries:], dtype=np.int64, casting="unsafe")
        np.add(keys[:entries], second, out=keys[:entries], casting="unsafe")
        np.add(keys[entries:], first, out=keys[entries:], casting="unsafe")
        loops = first == second
        self_loops = int(np.count_nonzero(loops))
        if self_loops:
            keys = keys[~np.concatenate([loops, loops])]
        keys = sorted_distinct(keys)
        indptr = np.zeros(size + 1, dtype=np.int64)
        if keys.size:
            np.cumsum(np.bincount(keys // size, minlength=size), out=indptr[1:])
            np.remainder(keys, size, out=keys)
        repeated_pairs = entries - self_loops - keys.size // 2
        return cls._trusted(indptr, numbered(keys, size), self_loops, repeated_pairs)

    @property
    def size(self) -> int:
        """Number of datasets."""
        return self.indptr.size - 1

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors."""
        return self.indices.size // 2

    @property
    def notes(self) -> tuple[str, ...]:
        """What was removed from the input, in words; empty if nothing was."""
        return removal_notes(self.self_loops, self.repeated_pairs)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbors of each dataset, int64 [n]."""
        return frozen(np.diff(self.indptr))

    def listed(self) -> "DatasetGraph":
        """Return this graph, whose neighbors are listed already.

        Returns
        -------
        DatasetGraph

        Examples
        --------
        >>> graph = DatasetGraph.from_pairs(3, [0, 2], [1, 1])
        >>> graph.listed() is graph
        True
        """
        return self

    def pairs(self) -> tuple[Integers, Integers]:
        """Return every unordered pair of neighbors once.

        Returns
        -------
        source, target : integer arrays [pair_count]
            ``source < target`` everywhere; ordered by source, then target.

        Examples
        --------
        >>> DatasetGraph.from_pairs(3, [2, 0], [1, 1]).pairs()
        (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
        """
        rows = self._rows()
        upward = rows < self.indices
        return frozen(rows[upward]), frozen(self.indices[upward])

    def neighbors(self, dataset: int) -> Integers:
        """Return the neighbors of one dataset, ascending.

        Parameters
        ----------
        dataset : int
            Its number.

        Returns
        -------
        integer array
            Read-only.

        Raises
        ------
        UnknownDatasetError
            If the graph has no such dataset.

        Examples
        --------
        >>> DatasetGraph.from_pairs(3, [0, 2], [1, 1]).neighbors(1)
        array([0, 2], dtype=int32)
        """
        require_dataset(dataset, self.size)
        return self.indices[self.indptr[dataset] : self.indptr[dataset + 1]]

    def joined(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.bool_]:
        """Say for many pairs at once whether they are neighbors.

        Parameters
        ----------
        first, second : integer array [m]
            Datasets of the graph.

        Returns
        -------
        bool array [m]
            No dataset is its own neighbor.

        Raises
        ------
        UnknownDatasetError, GraphShapeError
            As in :meth:`from_pairs`.

        Examples
        --------
        >>> DatasetGraph.from_pairs(3, [0, 2], [1, 1]).joined([0, 0, 1], [1, 2, 1])
        array([ True, False, False])
        """
        one, other = end_arrays(first, second, self.size, ("first", "second"))
        asked = one.astype(np.int64) * self.size + other.astype(np.int64)
        return np.isin(asked, self._rows() * np.int64(self.size) + self.indices)

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start.

        Parameters
        ----------
        starts : bool array [n]
            The datasets at distance 0.

        Returns
        -------
        int32 array [n]
            -1 where no start can be reached.

        Raises
        ------
        GraphShapeError
            If the starts do not fit the datasets.

        Examples
        --------
        >>> DatasetGraph.from_pairs(4, [0, 1], [1, 2]).steps_from(np.array([True, False, False, False]))
        array([ 0,  1,  2, -1], dtype=int32)
        """
        chosen = start_marks(starts, self.size)
        if is_worth_compiling(self.pair_count):
            return search(self.indptr, self.indices, chosen)
        return steps_between(*self.pairs(), chosen)

    def _read(self, what: str) -> Iterator[Ends]:  # noqa: ARG002 - a stream reports it
        yield self.pairs()

    def _rows(self) -> Integers:
        """Return the dataset that each entry of `indices` is a neighbor of."""
        return numbered(np.repeat(np.arange(self.size), self.degrees), self.size)


@dataclass(frozen=True, eq=False, repr=False)
class PairList(Rebuilt, PairPasses):
    """A family of datasets together with its pairs of neighbors, in no order.

    Answers what :class:`DatasetGraph` answers, for millions of pairs in a fraction of its time and memory,
    because neighbors are not listed dataset by dataset. Most callers use :meth:`from_arrays`.

    Parameters
    ----------
    size : int
        Number of datasets, called 0 to ``size - 1``.
    source, target : integer array [m]
        The two datasets of each pair, in any order and direction; pairs may repeat, and self-loops stand for
        nothing. Held as int32 where that numbers all datasets, else as int64.

    Raises
    ------
    GraphShapeError, UnknownDatasetError
        As in :meth:`DatasetGraph.from_pairs`.

    Examples
    --------
    >>> pairs = PairList(5, source=[3, 0, 1, 2, 4], target=[2, 1, 2, 3, 4])
    >>> pairs
    PairList(5 datasets, 5 pairs as given)
    >>> pairs.pair_count, pairs.notes
    (3, ('1 self-loop removed', '1 repeated pair removed'))
    >>> pairs.steps_from(np.array([True, False, False, False, False]))
    array([ 0,  1,  2,  3, -1], dtype=int32)
    """

    size: int
    source: Integers
    target: Integers

    def __post_init__(self) -> None:
        size = size_of(self.size)
        source, target = (held(end, number_type(size)) for end in end_arrays(self.source, self.target, size))
        vars(self).update(size=size, source=source, target=target)

    @classmethod
    def from_arrays(cls, size: int, source: ArrayLike, target: ArrayLike) -> "PairList":
        """Hold pairs of neighbors as they are.

        Parameters
        ----------
        size : int
            Number of datasets.
        source, target : integer array [m]
            The two datasets of each pair, in any order and direction. Arrays that can still be written to are
            copied; a read-only array of the right type is kept, so ``array.setflags(write=False)`` saves
            the copy.

        Returns
        -------
        PairList

        Raises
        ------
        GraphShapeError
            If the arrays have different lengths or do not hold integers, or the size is impossible.
        UnknownDatasetError
            If a pair names a dataset below 0 or not below `size`; the message says which pair.

        Examples
        --------
        >>> PairList.from_arrays(3, [0, 2], [1, 1]).mixed(np.array([0, 0, 1]))
        array([False,  True,  True])
        """
        # The constructor makes arrays of any sequence.
        return cls(size, source, target)  # type: ignore[arg-type]  # and checks them

    def __repr__(self) -> str:
        return f"PairList({self.size} datasets, {self.source.size} pairs as given)"

    @cached_property
    def self_loops(self) -> int:
        """How many self-loops the input holds."""
        return int(np.count_nonzero(self.source == self.target))

    @cached_property
    def repeated_pairs(self) -> int:
        """How many repeated pairs, in either direction, the input holds; counted when first asked.

        The count is exact, and so is `pair_count`. It costs little where the pairs come in rising order; else
        it takes longer than everything else here, some 30 ns a pair, and memory for at most some
        3 * 10^7 pairs at a time, so `count_ahead` lets another thread do it.
        """
        begun: Future[int] | None = vars(self).get("_counting")
        return self._count() if begun is None else begun.result()

    def count_ahead(self) -> None:
        """Begin to count repeated pairs in another thread, to have the count when it is asked for.

        Examples
        --------
        >>> pairs = PairList.from_arrays(3, [2, 0, 1], [1, 1, 2])
        >>> pairs.count_ahead()
        >>> pairs.repeated_pairs
        1
        """
        if "_counting" not in vars(self):
            threads = ThreadPoolExecutor(max_workers=1)
            object.__setattr__(self, "_counting", threads.submit(self._count))
            threads.shutdown(wait=False)

    def _count(self) -> int:
        if is_ascending(self.source, self.target):
            return 0
        return count_repeats(self.size, self.source, self.target)

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors, without self-loops and repeats."""
        return self.source.size - self.self_loops - self.repeated_pairs

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out of the input, in words; empty if nothing is."""
        return removal_notes(self.self_loops, self.repeated_pairs)

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start.

        Parameters
        ----------
        starts : bool array [n]
            The datasets at distance 0.

        Returns
        -------
        int32 array [n]
            -1 where no start can be reached.

        Raises
        ------
        GraphShapeError
            If the starts do not fit the datasets.
        """
        chosen = start_marks(starts, self.size)
        if is_worth_compiling(self.source.size):
            store = PairMemory(number_type(self.size))
            return steps_along(self._read("distances"), chosen, store, lambda _: None)
        return steps_between(self.source, self.target, chosen)

    def listed(self) -> DatasetGraph:
        """Return the same family with the neighbors of each dataset listed, without repeats.

        Returns
        -------
        DatasetGraph
            The same one each time.

        Examples
        --------
        >>> PairList.from_arrays(3, [0, 2], [1, 1]).listed().neighbors(1)
        array([0, 2], dtype=int32)
        """
        return self._listed

    def pairs(self) -> tuple[Integers, Integers]:
        """Return every unordered pair of neighbors once, as :meth:`DatasetGraph.pairs` does; this sorts them.

        Returns
        -------
        source, target : integer arrays [pair_count]

        Examples
        --------
        >>> PairList.from_arrays(3, [2, 0, 1], [1, 1, 2]).pairs()
        (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
        """
        return self._listed.pairs()

    @property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbors of each dataset, int64 [n]; this lists them."""
        return self._listed.degrees

    @cached_property
    def _listed(self) -> DatasetGraph:
        return DatasetGraph.from_pairs(self.size, self.source, self.target)

    def _read(self, what: str) -> Iterator[Ends]:  # noqa: ARG002 - a stream reports it
        yield self.source, self.target


@dataclass(eq=False, repr=False)
class PairStream(PairPasses):
    """A family of datasets together with its pairs of neighbors, read in batches.

    Answers what :class:`PairList` answers, to the bit, with memory for the datasets only.

    Parameters
    ----------
    size : int
        Number of datasets, called 0 to ``size - 1``.
    batches : callable
        Returns the pairs from the beginning, at each call: batches (source, target) of integer arrays, all in
        int32 where that numbers the datasets, else int64, and all in range.
    report : callable, optional
        Told in words about each pass.

    Raises
    ------
    GraphShapeError
        If the size is impossible.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32)
    >>> stream = PairStream(5, lambda: [(pairs[:2, 0], pairs[:2, 1]), (pairs[2:, 0], pairs[2:, 1])])
    >>> stream.pair_count
    3
    >>> stream.mixed(np.array([0, 0, 1, 1, 1], dtype=np.int32))
    array([False,  True,  True, False, False])
    """

    size: int
    batches: Batches
    report: Report | None = None

    def __post_init__(self) -> None:
        size_of(self.size)
        self._passes = 0

    def __repr__(self) -> str:
        return f"PairStream({self.size} datasets)"

    @property
    def pair_count(self) -> int:
        """Number of pairs that join two different datasets, as given: repeats are not told apart."""
        return self._marks().pairs

    @property
    def passes(self) -> int:
        """How often the pairs have been read from the beginning so far."""
        return self._passes

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out of the input, in words; empty if nothing is."""
        return removal_notes(self._marks().loops, 0)

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached.

        Raises
        ------
        FileWriteError
            If there is no room for temporary files.
        MissingExtraError
            Without numba: numpy cannot relax one pair after another.
        """
        if not compiled():
            raise MissingExtraError(
                "distances along a stream of pairs need numba, which is not installed",
                help="install it with: pip install 'rainbowdp[fast]'",
            )
        chosen = start_marks(starts, self.size)
        store = PairSpool(number_type(self.size))
        return steps_along(self._read("the first distances"), chosen, store, self._say)

    def _read(self, what: str) -> Iterator[Ends]:
        self._passes += 1
        self._say(f"pass {self._passes} over the file: {what}")
        for source, target in self.batches():
            if source.size:
                yield source, target


def listed(structure: NeighborRelation) -> DatasetGraph:
    """Return a family with the neighbors of each dataset listed.

    Figures, linear programs and maps between graphs need every pair; they are for families of moderate size.

    Parameters
    ----------
    structure : NeighborRelation
        Any family.

    Returns
    -------
    DatasetGraph

    Raises
    ------
    UsageError
        If it cannot list them.

    Examples
    --------
    >>> from rainbowdp.graph import PairList
    >>> listed(PairList.from_arrays(3, [2, 0], [1, 1])).pairs()
    (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
    """
    own: object = getattr(structure, "listed", None)
    if callable(own):
        made: DatasetGraph = own()
        return made
    raise UsageError(
        f"{kind_of(structure)} does not list its pairs of neighbors",
        help="give it a method `listed` that returns a DatasetGraph, or use DatasetGraph.from_pairs",
    )
