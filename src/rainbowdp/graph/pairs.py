# SPDX-License-Identifier: Apache-2.0
"""Families of datasets with their pairs of neighbors in batches: all of them in memory, or read again.

No adjacency structure is built: which datasets lie on a boundary, which classes meet and how far the boundary
is are answered by passes over the pairs, in any order. A pair given twice, or in both directions, or a
dataset paired with itself changes no answer. Pairs in memory are one batch. A stream holds a few bytes per
dataset, and sets aside on the disk the pairs that can improve a distance; the number of its passes is
bounded whatever the order of the pairs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import MissingExtraError
from rainbowdp.graph.arrays import (
    Integers,
    Rebuilt,
    dataset_codes,
    end_arrays,
    held,
    number_type,
    removal_notes,
    require_range,
    require_size,
    start_marks,
)
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.compiled import compiled, is_worth_compiling
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.pair_store import PairMemory, PairSpool
from rainbowdp.graph.passes import Batches, Ends, Marks, count_repeats, is_ascending, marks
from rainbowdp.graph.relation import CodePairs

Report = Callable[[str], None]


class _Pairs(ABC):
    """What is answered by passes over all pairs; the last answers are kept.

    A mechanism is checked with the classes that it was solved with, and then nothing is read again.
    """

    size: int

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
        """
        return self._marks(dataset_codes(codes, self.size)).mixed

    def _marks(self, codes: NDArray[np.int32] | None = None) -> Marks:
        """Return what a pass for these codes tells, or the last one for any."""
        known: tuple[NDArray[np.int32], Marks] | None = vars(self).get("_marked")
        if known is None or not (codes is None or np.array_equal(known[0], codes)):
            asked = np.zeros(self.size, dtype=np.int32) if codes is None else held(codes, np.int32)
            known = asked, marks(self._read("which datasets have neighbors of another code"), asked)
            vars(self)["_marked"] = known
        return known[1]

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
        >>> found = PairList.from_arrays(4, [2, 1, 1], [1, 0, 2]).code_pairs(np.array([1, 1, 0, 0]), 2)
        >>> found.first, found.second, found.source, found.target, found.same
        (array([0]), array([1]), array([1], dtype=int32), array([2], dtype=int32), array([1]))
        """
        asked = dataset_codes(codes, self.size, count)
        known: tuple[NDArray[np.int32], CodePairs] | None = vars(self).get("_met")
        if known is None or not np.array_equal(known[0], asked):
            tally = CodeTally(count, self.size)
            for source, target in self._read("which codes meet"):
                tally.add_pairs(source, target, asked)
            known = held(asked, np.int32), tally.result()
            vars(self)["_met"] = known
        return known[1]


@dataclass(frozen=True, eq=False, repr=False)
class PairList(Rebuilt, _Pairs):
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
        require_range("source", source, size)
        require_range("target", target, size)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "source", held(source, number_type(size)))
        object.__setattr__(self, "target", held(target, number_type(size)))

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
        # The constructor makes arrays of whatever comes.
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
        it takes longer than everything else here, some 20 to 30 ns a pair, and memory for at most some
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
            from rainbowdp.graph.relaxation import steps_along

            store = PairMemory(number_type(self.size))
            return steps_along(self._read("distances"), chosen, store, lambda _: None)
        away = ~(chosen[self.source] & chosen[self.target])
        return DatasetGraph.from_pairs(self.size, self.source[away], self.target[away]).steps_from(chosen)

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
class PairStream(_Pairs):
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
        require_size(self.size)
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
        from rainbowdp.graph.relaxation import steps_along

        chosen = start_marks(starts, self.size)
        store = PairSpool(number_type(self.size))
        return steps_along(self._read("the first distances"), chosen, store, self._say)

    def _read(self, what: str) -> Iterator[Ends]:
        self._passes += 1
        self._say(f"pass {self._passes} over the file: {what}")
        for source, target in self.batches():
            if source.size:
                yield source, target

    def _say(self, text: str) -> None:
        if self.report is not None:
            self.report(text)
