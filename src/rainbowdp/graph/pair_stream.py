# SPDX-License-Identifier: Apache-2.0
"""A family of datasets whose pairs of neighbors are read in batches, as often as they are needed.

The one idea: a few bytes per dataset in memory, and passes over the pairs. The first pass tells the boundary
and which regions meet; the second relaxes the distances while it sets aside, on the disk, the pairs that can
still improve one; these are relaxed backward and forward until nothing changes. Where a few such passes leave
much to change, the neighbors of each dataset are listed on the disk and a queue finishes, so the number of
passes is bounded whatever the order of the pairs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

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
        self._surveyed: list[tuple[NDArray[np.int32], _Survey]] = []
        self._passes = 0

    def __repr__(self) -> str:
        return f"PairStream({self.size} datasets)"

    @property
    def pair_count(self) -> int:
        """Number of pairs that join two different datasets, as given: repeats are not told apart."""
        return self._any_survey.pairs

    @property
    def isolated(self) -> int:
        """How many datasets have no neighbor."""
        return self._any_survey.isolated

    @property
    def passes(self) -> int:
        """How often the pairs have been read from the beginning so far."""
        return self._passes

    @property
    def notes(self) -> tuple[str, ...]:
        """What is left out of the input, in words; empty if nothing is."""
        return removal_notes(self._any_survey.loops, 0)

    @cached_property
    def _any_survey(self) -> "_Survey":
        """What every survey says, whatever the codes were."""
        if not self._surveyed:
            self.mixed(np.zeros(self.size, dtype=np.int32))
        return self._surveyed[-1][1]

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        asked = dataset_codes(codes, self.size)
        return self._survey(asked, int(asked.max(initial=-1)) + 1).mixed

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        return self._survey(dataset_codes(codes, self.size, count), count).met

    def _survey(self, codes: NDArray[np.int32], count: int) -> "_Survey":
        """Read all pairs once for everything that they say about some codes; the last answers are kept.

        Whoever asks which datasets are mixed asks next which codes meet, and whoever checks a mechanism asks
        about the classes that it was solved with.
        """
        for known, found in self._surveyed:
            if np.array_equal(known, codes):
                return found
        found = _survey(self._read("which codes meet"), codes, count)
        self._surveyed = [*self._surveyed[-1:], (codes.copy(), found)]
        return found

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
class _Survey:
    mixed: NDArray[np.bool_]
    met: CodePairs
    pairs: int
    loops: int
    isolated: int


def _survey(read: Iterable[tuple[Integers, Integers]], codes: NDArray[np.int32], count: int) -> _Survey:
    mixed = np.zeros(codes.size, dtype=np.bool_)
    touched = np.zeros(codes.size, dtype=np.bool_)
    tally = CodeTally(count, codes.size)
    narrow = codes.astype(narrowest(count))
    pairs = loops = 0
    for source, target in read:
        passes = passes_for(source.size)
        tally.add_met(passes.code_pairs(source, target, narrow, count))
        looped = passes.mark_ends(source, target, narrow, mixed, touched)
        pairs, loops = pairs + source.size - looped, loops + looped
    return _Survey(frozen(mixed), tally.result(), pairs, loops, codes.size - int(touched.sum()))
