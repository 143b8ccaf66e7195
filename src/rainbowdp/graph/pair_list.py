# SPDX-License-Identifier: Apache-2.0
"""A family of datasets with its pairs of neighbors as they were read: two arrays and nothing else.

The one idea: an adjacency structure costs more than all that is asked of it. Which datasets lie on a
boundary, which classes meet and how far the boundary is are all answered by passes over the pairs, in
whatever order they come; a pair given twice, or in both directions, or a dataset paired with itself changes
no answer.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.graph.arrays import Integers, Rebuilt, held
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.pair_ends import (
    dataset_codes,
    end_arrays,
    number_type,
    removal_notes,
    require_range,
    require_size,
    start_marks,
)
from rainbowdp.graph.pair_passes import PairPasses, passes_for
from rainbowdp.graph.relation import CodePairs


@dataclass(frozen=True, eq=False, repr=False)
class PairList(Rebuilt):
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
        require_size(self.size)
        size = int(self.size)
        source, target = end_arrays(self.source, self.target)
        if source.dtype != target.dtype or source.dtype not in (np.int32, np.int64):
            # The passes know two types only, and both ends in the same one.
            require_range("source", source, size)
            require_range("target", target, size)
            source, target = held(source, number_type(size)), held(target, number_type(size))
        loops = 0
        if source.size:
            least, most, loops = passes_for(source.size).survey(source, target)
            if least < 0 or most >= size:
                require_range("source", source, size)
                require_range("target", target, size)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "source", held(source, number_type(size)))
        object.__setattr__(self, "target", held(target, number_type(size)))
        object.__setattr__(self, "_self_loops", loops)
        object.__setattr__(self, "_answered", [])

    @classmethod
    def from_arrays(cls, size: int, source: ArrayLike, target: ArrayLike) -> "PairList":
        """Hold pairs of neighbors as they are.

        Parameters
        ----------
        size : int
            Number of datasets.
        source, target : integer array [m]
            The two datasets of each pair, in any order and direction. Arrays that somebody can still write
            to are copied; a read-only array of the right type is kept. Whoever hands over an array that
            nobody else holds saves the copy by ``array.setflags(write=False)``.

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
        # The constructor makes arrays of whatever comes.
        return cls(size, source, target)  # type: ignore[arg-type]  # and checks them

    def __repr__(self) -> str:
        return f"PairList({self.size} datasets, {self.source.size} pairs as given)"

    @property
    def self_loops(self) -> int:
        """How many self-loops the input holds."""
        return int(vars(self)["_self_loops"])

    @cached_property
    def repeated_pairs(self) -> int:
        """How many repeated pairs, in either direction, the input holds; counted when first asked.

        The count is exact, and so is `pair_count`. It costs little where the pairs come in rising order; else
        it takes longer than everything else here, some 20 to 30 ns a pair, and memory for at most some
        3 * 10^7 pairs at a time, so `count_ahead` lets another thread do it.
        """
        begun: Future[int] | None = vars(self).get("_counting")
        return self._count() if begun is None else begun.result()

    def count_ahead(self) -> None:
        """Begin to count repeated pairs in another thread, for whoever asks for them later.

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
        if self._passes.is_ascending(self.source, self.target):
            return 0
        return self._passes.count_repeats(self.size, self.source, self.target)

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors, without self-loops and repeats."""
        return self.source.size - self.self_loops - self.repeated_pairs

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out of the input, in words; empty if nothing is."""
        return removal_notes(self.self_loops, self.repeated_pairs)

    @cached_property
    def isolated(self) -> int:
        """How many datasets have no neighbor."""
        return self.size - int(self._passes.touched(self.size, self.source, self.target).sum())

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
        """
        return self._passes.mixed(self.source, self.target, dataset_codes(codes, self.size))

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes meet along pairs of neighbors, each with the least such pair of datasets.

        Parameters
        ----------
        codes : int32 array [n]
            A code per dataset. The answer for the last read-only array is kept and given again for equal
            codes, so that a mechanism can be checked with the classes it was solved with in no time.
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
        >>> found = PairList.from_arrays(4, [2, 1, 1], [1, 0, 2]).code_pairs(np.array([1, 1, 0, 0]), 2)
        >>> found.first, found.second, found.source, found.target, found.same
        (array([0]), array([1]), array([1], dtype=int32), array([2], dtype=int32), array([1]))
        """
        asked = dataset_codes(codes, self.size, count)
        answered: list[tuple[NDArray[np.int32], int, CodePairs]] = vars(self)["_answered"]
        for known, known_count, found in answered:
            if known_count == count and (known is asked or np.array_equal(known, asked)):
                return found
        found = self._passes.code_pairs(self.source, self.target, asked, count)
        if not asked.flags.writeable:
            answered[:] = [(asked, count, found)]
        return found

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
        marks = start_marks(starts, self.size)
        if is_worth_compiling(self.source.size):
            from rainbowdp.graph import compiled_pairs

            return compiled_pairs.steps_from(self.source, self.target, marks)
        away = ~(marks[self.source] & marks[self.target])
        return DatasetGraph.from_pairs(self.size, self.source[away], self.target[away]).steps_from(marks)

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

    @property
    def _passes(self) -> PairPasses:
        return passes_for(self.source.size)
