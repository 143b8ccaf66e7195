# SPDX-License-Identifier: Apache-2.0
"""Families of datasets with the neighbors of each dataset listed, as read-only arrays.

A symmetric relation without self-loops and repeats is stored as a compressed sparse row structure. Pairs in
either direction, repeated pairs and self-loops are cleaned here, and what was removed is counted. No step
loops over datasets or pairs in Python.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, UnknownDatasetError, UsageError
from rainbowdp.exact.arguments import described, is_whole, kind_of
from rainbowdp.graph.arrays import (
    Integers,
    Rebuilt,
    dataset_codes,
    end_arrays,
    frozen,
    integer_array,
    numbered,
    removal_notes,
    require_range,
    require_size,
    sorted_distinct,
    start_marks,
)
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.passes import marks
from rainbowdp.graph.relation import CodePairs, NeighborRelation
from rainbowdp.graph.searching import breadth_first_steps, search


@dataclass(frozen=True, eq=False, repr=False)
class DatasetGraph(Rebuilt):
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
            count = getattr(self, name)
            if not is_whole(count) or count < 0:
                raise GraphShapeError(
                    f"{name} cannot be {described(count)}", help="give how many were removed"
                )
        object.__setattr__(self, "indptr", frozen(indptr))
        object.__setattr__(self, "indices", frozen(numbered(indices, size)))
        if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= size):
            raise GraphShapeError(
                f"indices must lie between 0 and {size - 1}",
                help="build the structure with DatasetGraph.from_pairs",
            )
        rows = self._rows()
        keys = rows * np.int64(size) + self.indices
        mirrored = np.sort(self.indices * np.int64(size) + rows)
        if np.any(np.diff(keys) <= 0) or np.any(rows == self.indices) or not np.array_equal(keys, mirrored):
            raise GraphShapeError(
                "the structure is not sorted and symmetric without self-loops and repeats",
                help="build it with DatasetGraph.from_pairs, which makes it so",
            )

    @classmethod
    def _trusted(
        cls, indptr: NDArray[np.int64], indices: Integers, self_loops: int, repeated_pairs: int
    ) -> "DatasetGraph":
        """Wrap arrays that this package just made, without copying and checking them."""
        graph = object.__new__(cls)
        object.__setattr__(graph, "indptr", frozen(indptr))
        object.__setattr__(graph, "indices", frozen(indices))
        object.__setattr__(graph, "self_loops", self_loops)
        object.__setattr__(graph, "repeated_pairs", repeated_pairs)
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
        require_size(size)
        first, second = end_arrays(source, target)
        for name, end in (("source", first), ("target", second)):
            require_range(name, end, size)
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

    def __repr__(self) -> str:
        return f"DatasetGraph({self.size} datasets, {self.pair_count} pairs)"

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

    @property
    def isolated(self) -> int:
        """How many datasets have no neighbor."""
        return int(np.count_nonzero(self.degrees == 0))

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
        if not is_whole(dataset) or not 0 <= dataset < self.size:
            raise UnknownDatasetError(
                f"there is no dataset {described(dataset)}",
                help=f"datasets are 0 to {self.size - 1}",
                dataset=dataset,
            )
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
        one, other = integer_array(first, "first"), integer_array(second, "second")
        if one.size != other.size:
            raise GraphShapeError(
                f"first holds {one.size} datasets and second {other.size}",
                help="give both ends of every pair",
            )
        for name, end in (("first", one), ("second", other)):
            require_range(name, end, self.size)
        asked = one.astype(np.int64) * self.size + other.astype(np.int64)
        known = self._rows() * np.int64(self.size) + self.indices
        # Searching in order walks through memory once; searching as asked would jump about in it.
        order = np.argsort(asked)
        place = np.searchsorted(known, asked[order])
        found = place < known.size
        found[found] = known[place[found]] == asked[order[found]]
        joined = np.empty(asked.size, dtype=np.bool_)
        joined[order] = found
        return joined

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
        >>> DatasetGraph.from_pairs(4, [0, 1, 2], [1, 2, 3]).mixed(np.array([7, 7, 7, 0]))
        array([False, False,  True,  True])
        """
        return marks([self.pairs()], dataset_codes(codes, self.size)).mixed

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
        >>> found = DatasetGraph.from_pairs(4, [0, 1, 2], [1, 2, 3]).code_pairs(np.array([1, 1, 0, 1]), 2)
        >>> found.first, found.second, found.source, found.target, found.same
        (array([0]), array([1]), array([1], dtype=int32), array([2], dtype=int32), array([1]))
        """
        asked = dataset_codes(codes, self.size, count)
        tally = CodeTally(count, self.size)
        tally.add_pairs(*self.pairs(), asked)
        return tally.result()

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
        find = search if is_worth_compiling(self.pair_count) else breadth_first_steps
        return find(self.indptr, self.indices, start_marks(starts, self.size))

    def _rows(self) -> Integers:
        """Return the dataset that each entry of `indices` is a neighbor of."""
        return numbered(np.repeat(np.arange(self.size), self.degrees), self.size)


def listed(structure: NeighborRelation) -> DatasetGraph:
    """Return a family with the neighbors of each dataset listed, for those who have to see every pair.

    Figures, linear programs and maps between graphs do, on families of a size at which that makes sense.

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
