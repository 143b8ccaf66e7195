# SPDX-License-Identifier: Apache-2.0
"""A family of datasets whose pairs of neighbors are read in batches, as often as they are needed.

The one idea: a few bytes per dataset in memory, and passes over the pairs. The first pass tells the boundary;
the second relaxes the distances while it sets aside, on the disk, the pairs that can still improve one; these
are relaxed backward and forward until nothing changes; one more tells which classes meet. Where a few passes
leave much to change, the neighbors of each dataset are listed on the disk and a queue finishes, so the number
of passes is bounded whatever the order of the pairs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import MissingExtraError
from rainbowdp.graph.arrays import Integers, frozen
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.compiled import compiled
from rainbowdp.graph.narrow import narrowest
from rainbowdp.graph.pair_ends import dataset_codes, number_type, removal_notes, require_size, start_marks
from rainbowdp.graph.pair_passes import passes_for
from rainbowdp.graph.relation import CodePairs

Batches = Callable[[], Iterable[tuple[Integers, Integers]]]
Report = Callable[[str], None]


@dataclass(eq=False, repr=False)
class PairStream:
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
        self._marked: tuple[NDArray[np.int32], _Marks] | None = None
        self._met: tuple[NDArray[np.int32], CodePairs] | None = None
        self._passes = 0

    def __repr__(self) -> str:
        return f"PairStream({self.size} datasets)"

    @property
    def pair_count(self) -> int:
        """Number of pairs that join two different datasets, as given: repeats are not told apart."""
        return self._any_marks.pairs

    @property
    def isolated(self) -> int:
        """How many datasets have no neighbor."""
        return self._any_marks.isolated

    @property
    def passes(self) -> int:
        """How often the pairs have been read from the beginning so far."""
        return self._passes

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out of the input, in words; empty if nothing is."""
        return removal_notes(self._any_marks.loops, 0)

    @cached_property
    def _any_marks(self) -> "_Marks":
        """What a pass for marks says, whatever the codes were."""
        if self._marked is None:
            self.mixed(np.zeros(self.size, dtype=np.int32))
        return cast("tuple[NDArray[np.int32], _Marks]", self._marked)[1]

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]; the last answer is kept."""
        asked = dataset_codes(codes, self.size)
        if self._marked is None or not np.array_equal(self._marked[0], asked):
            found = _marks(self._read("which datasets have neighbors of another code"), asked)
            self._marked = asked.copy(), found
        return self._marked[1].mixed

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors.

        The last answer is kept: whoever checks a mechanism asks about the classes that it was solved with.
        """
        asked = dataset_codes(codes, self.size, count)
        if self._met is None or not np.array_equal(self._met[0], asked):
            tally = CodeTally(count, self.size)
            narrow = asked.astype(narrowest(count))
            for source, target in self._read("which codes meet"):
                tally.add_met(passes_for(source.size).code_pairs(source, target, narrow, count))
            self._met = asked.copy(), tally.result()
        return self._met[1]

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached.

        Raises
        ------
        FileWriteError
            If there is no room for temporary files.
        MissingExtraError
            Without numba: relaxing one pair after another is no array operation.
        """
        if not compiled():
            raise MissingExtraError(
                "distances along a stream of pairs need numba, which is not installed",
                help="install it with: pip install 'rainbowdp[fast]'",
            )
        from rainbowdp.graph.stream_search import steps_along

        marks = start_marks(starts, self.size)
        return steps_along(self._read("the first distances"), marks, number_type(self.size), self._say)

    def _read(self, what: str) -> Iterator[tuple[Integers, Integers]]:
        self._passes += 1
        self._say(f"pass {self._passes} over the file: {what}")
        for source, target in self.batches():
            if source.size:
                yield source, target

    def _say(self, text: str) -> None:
        if self.report is not None:
            self.report(text)


@dataclass(frozen=True)
class _Marks:
    mixed: NDArray[np.bool_]
    pairs: int
    loops: int
    isolated: int


def _marks(read: Iterable[tuple[Integers, Integers]], codes: NDArray[np.int32]) -> _Marks:
    mixed = np.zeros(codes.size, dtype=np.bool_)
    touched = np.zeros(codes.size, dtype=np.bool_)
    narrow = codes.astype(narrowest(int(codes.max(initial=0)) + 1))
    pairs = loops = 0
    for source, target in read:
        looped = passes_for(source.size).mark_ends(source, target, narrow, mixed, touched)
        pairs, loops = pairs + source.size - looped, loops + looped
    return _Marks(frozen(mixed), pairs, loops, codes.size - int(touched.sum()))
