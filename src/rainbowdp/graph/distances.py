# SPDX-License-Identifier: Apache-2.0
"""Count the steps from each dataset to the nearest start, by passes over pairs or by a search.

No list of neighbors is built unless it must be. The first pass keeps the pairs that can carry a distance;
relaxing these forward and backward in turn settles most files in three passes, because files of pairs are
rarely in random order and random graphs are rarely deep. Elsewhere neighbors are listed and searched.

Depths are held in the smallest integers that hold those met so far: where both ends of every pair are looked
up, bytes are two or three times as quick as longer integers, and most families are not deep. A pass stops at
the pair whose depth does not fit, and goes on from there after all depths have become longer.

Where all datasets have about as many neighbors, as in a lattice, the search gives each the same number of
places; else an array says where the neighbors of each begin. Both find the same, and the first is quicker.
For small families the search is scipy's, and no compiler is loaded.

Pairs are set aside in memory (`PairMemory`) or on the disk (`PairSpool`), and read again forward or backward.
The file on the disk has no name, so it is gone when the process ends, also when that is killed. Only a batch
of it is in memory at a time; the operating system may cache the rest.
"""

import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileWriteError
from rainbowdp.graph.arrays import Integers, frozen, narrowest, read_only
from rainbowdp.graph.compiled import compiled
from rainbowdp.graph.relation import Ends

_LARGEST_INT32 = np.iinfo(np.int32).max
_AHEAD = 1 << 8
# Places that stay empty may add a quarter to the list.
_EVEN, _OF = 4, 5

UNREACHED = np.iinfo(np.int32).max
"""The number of steps of a dataset that no start is known to reach, while steps are lowered."""

# A search is quicker if in the third pass more than 1 in 50 datasets change, or as many as in the second; or
# if in the second pass more than 1 in 50 change and fewer than a tenth of those still left are reached.
_CHANGING, _REACHING, _TRIED = 50, 10, 3
MOST_PASSES = 8
"""After so many passes a search is quicker."""
_KINDS = (np.uint8, np.uint16, np.int32)
_NONE = np.empty(0, dtype=np.int32)


BATCH = 1 << 20
"""Pairs that are read at once."""

Kind = type[np.int32] | type[np.int64]
"""The type that numbers datasets."""


class PairMemory:
    """Pairs of datasets in memory, in the arrays that they come in; it offers what `PairSpool` does.

    Parameters
    ----------
    kind : numpy integer type
        What numbers the datasets.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._parts: list[Ends] = []

    @property
    def size(self) -> int:
        """Number of pairs."""
        return sum(source.size for source, _ in self._parts)

    def add(self, source: Integers, target: Integers) -> None:
        """Append pairs."""
        self._parts.append((source, target))

    def batches(self, *, backward: bool = False) -> Iterator[Ends]:
        """Yield all pairs batch by batch, from the first batch to the last or the other way."""
        return reversed(self._parts) if backward else iter(self._parts)

    def array(self, count: int) -> Integers:
        """Return an array for so many datasets."""
        array: NDArray[Any] = np.empty(count, dtype=self._kind)
        return array


class PairSpool:
    """Pairs of datasets in an unnamed temporary file, which is closed when it is no longer held.

    Parameters
    ----------
    kind : numpy integer type
        What numbers the datasets.

    Examples
    --------
    >>> spool = PairSpool(np.int32)
    >>> spool.add(np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32))
    >>> spool.size, [source.tolist() for source, _ in spool.batches()]
    (2, [[0, 1]])
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._file: IO[bytes] = unnamed_file()
        self._sizes: list[int] = []
        # The file may be read again at any time, so it is closed when the spool is no longer held.
        weakref.finalize(self, self._file.close)

    @property
    def size(self) -> int:
        """Number of pairs."""
        return sum(self._sizes)

    def add(self, source: Integers, target: Integers) -> None:
        """Append pairs.

        Raises
        ------
        FileWriteError
            If there is no room.
        """
        for start in range(0, source.size, BATCH):
            ends = (source[start : start + BATCH], target[start : start + BATCH])
            try:
                for end in ends:
                    np.ascontiguousarray(end, dtype=self._kind).tofile(self._file)
            except OSError as error:
                raise no_room(error) from error
            self._sizes.append(ends[0].size)

    def batches(self, *, backward: bool = False) -> Iterator[Ends]:
        """Yield all pairs batch by batch, from the first batch to the last or the other way."""
        width = np.dtype(self._kind).itemsize
        ends = np.cumsum(self._sizes) * 2 * width
        order = range(len(self._sizes))
        for number in reversed(order) if backward else order:
            size = self._sizes[number]
            self._file.seek(int(ends[number]) - 2 * size * width)
            both: NDArray[Any] = np.fromfile(self._file, dtype=self._kind, count=2 * size)
            if both.size < 2 * size:
                raise no_room(OSError("it has been cut"))
            yield both[:size], both[size:]

    def array(self, count: int) -> Integers:
        """Return an array that lives in an unnamed file, so that the system may move it out of memory.

        Raises
        ------
        FileWriteError
            If there is no room.
        """
        with unnamed_file() as file:
            try:
                # Without room, writing to the mapping would end the process. An empty file cannot be mapped.
                length = max(count, 1) * np.dtype(self._kind).itemsize
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, length)
                else:
                    file.truncate(length)
                array: Integers = np.memmap(file, dtype=self._kind, mode="r+")[:count]
            except OSError as error:
                raise no_room(error) from error
        return array


PairStore = PairMemory | PairSpool
"""A place for pairs, and for an array of as many numbers as they have ends."""


def unnamed_file() -> IO[bytes]:
    """Open a temporary file that is gone when it is closed, however that comes."""
    try:
        return tempfile.TemporaryFile(prefix="rainbowdp-", buffering=0)
    except OSError as error:
        raise no_room(error) from error


def no_room(error: OSError) -> FileWriteError:
    """Return the error of a temporary file that cannot be written."""
    folder = tempfile.gettempdir()
    return FileWriteError(
        f"cannot write a temporary file in {folder!r}: {error.strerror or error}",
        help="make room there, or set the environment variable TMPDIR to a folder with room",
        path=folder,
    )


def steps_along(
    pairs: Iterable[Ends], starts: NDArray[np.bool_], store: PairStore, say: Callable[[str], None]
) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start.

    Parameters
    ----------
    pairs : iterable of (source, target)
        All pairs, read once, batch by batch.
    starts : bool array [n]
        The datasets at distance 0.
    store : PairStore
        Where the pairs that can carry a distance are set aside, and listed; empty.
    say : callable
        Told in words about each pass over the pairs that were set aside.

    Returns
    -------
    int32 array [n]
        -1 where no start can be reached.
    """
    depths = Depths(starts)
    for source, target in pairs:
        # Only what is written to of these takes memory.
        kept_source, kept_target = np.empty_like(source), np.empty_like(target)
        kept = depths.relax(source, target, kept_source, kept_target)
        store.add(kept_source[:kept], kept_target[:kept])
    depths.end_pass()
    while not depths.settled and not depths.slow:
        for source, target in store.batches(backward=depths.backward):
            depths.relax(source, target)
        depths.end_pass()
        fell = f"{depths.changed} distances fell"
        say(f"{store.size} pairs set aside, relaxed {depths.passes - 1} times: {fell}")
    if depths.settled:
        return depths.finished()
    del depths
    say(f"the neighbors along {store.size} pairs are listed and searched")
    return steps_by_search(store, starts)


class Depths:
    """How many steps each dataset is away from a start, as far as known.

    Pairs are relaxed in passes, forward and backward in turn; the caller says when a pass has ended.
    Passes settle all depths soon where files of pairs have an order, or the family is not deep. Elsewhere
    each of them reaches a few datasets more, and a search along listed neighbors is quicker.

    Parameters
    ----------
    starts : bool array [n]
        The datasets at depth 0.

    Attributes
    ----------
    passes : int
        How many passes over all pairs have ended; every depth up to it is right.
    changed : int
        How often a depth fell in the last one.
    settled : bool
        Whether all depths are right.
    slow : bool
        Whether a search would be quicker than more passes.

    Examples
    --------
    >>> depths = Depths(np.array([False, False, True]))
    >>> ends = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> while not depths.settled:
    ...     _ = depths.relax(*ends)
    ...     depths.end_pass()
    >>> depths.passes, depths.finished()
    (2, array([2, 1, 0], dtype=int32))
    """

    def __init__(self, starts: NDArray[np.bool_]) -> None:
        self.passes = self.changed = 0
        self.settled = self.slow = False
        self._fallen = 0
        # Array operations cannot stop and go on with longer integers, so they begin with the longest.
        self._kind = 0 if compiled() else len(_KINDS) - 1
        self._unreached = starts.size
        self._depth: NDArray[Any] = np.where(starts, 0, self._none).astype(_KINDS[self._kind])

    @property
    def backward(self) -> bool:
        """Whether the pass that comes begins with the last pair."""
        return self.passes % 2 == 1

    def end_pass(self) -> None:
        """Say that all pairs were relaxed once more."""
        before, self.changed, self._fallen = self.changed, self._fallen, 0
        unreached = int(np.count_nonzero(self._depth == self._none))
        reached, self._unreached = self._unreached - unreached, unreached
        self.passes += 1
        # Depths up to the number of passes are right, so all others are at least one step more.
        self.settled = not self.changed or int(self._depth.max(initial=0)) <= self.passes + 1
        many = self.changed * _CHANGING > self._depth.size
        if self.passes == _TRIED - 1:
            self.slow = many and reached * _REACHING < unreached
        elif self.passes == _TRIED:
            self.slow = many or self.changed >= before
        else:
            self.slow = self.passes >= MOST_PASSES

    @property
    def _none(self) -> int:
        return int(np.iinfo(_KINDS[self._kind]).max)

    @property
    def _most(self) -> int:
        # One step more than the largest depth must still be below the number for "not reached".
        return self._none - 2

    def relax(
        self, source: Integers, target: Integers, kept_source: Integers = _NONE, kept_target: Integers = _NONE
    ) -> int:
        """Relax pairs once, in the direction of the pass.

        Parameters
        ----------
        source, target : integer array [m]
            The pairs.
        kept_source, kept_target : integer array [m], optional
            Where the pairs with an end that is not at depth 0 are written.

        Returns
        -------
        int
            How many pairs were kept.
        """
        if not compiled():
            self._fallen += _relax_at_once(source, target, self._depth)
            return 0
        from rainbowdp.graph import kernels

        source, target = read_only(source), read_only(target)
        at = kept = 0
        while at < source.size:
            at, kept, fell = kernels.relax(
                source, target, self._depth, self._most, at, self.backward, kept, kept_source, kept_target
            )
            self._fallen += fell
            if at < source.size:
                self._widen()
        return kept

    def finished(self) -> NDArray[np.int32]:
        """Return the depths, int32 [n], -1 where there is none."""
        finished = self._depth.astype(np.int32)
        finished[self._depth == self._none] = -1
        return frozen(finished)

    def _widen(self) -> None:
        none = self._none
        self._kind += 1
        wider = self._depth.astype(_KINDS[self._kind])
        wider[self._depth == none] = self._none
        self._depth = wider


def _relax_at_once(source: Integers, target: Integers, depth: NDArray[np.int32]) -> int:
    """Lower the depths along every pair by what they were before; return how often one fell."""
    fallen = 0
    for one, other in ((source, target), (target, source)):
        near = depth[one]
        fell = near < depth[other] - np.int32(1)
        np.minimum.at(depth, other[fell], near[fell] + np.int32(1))
        fallen += int(np.count_nonzero(fell))
    return fallen


def steps_by_search(store: PairStore, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start.

    Parameters
    ----------
    store : PairStore
        All pairs, none of which joins a dataset with itself, and room for the lists of neighbors.
    starts : bool array [n]
        The datasets at distance 0.

    Returns
    -------
    int32 array [n]
        -1 where no start can be reached.

    Examples
    --------
    >>> store = PairMemory(np.int32)
    >>> store.add(np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32))
    >>> steps_by_search(store, np.array([False, False, True]))
    array([2, 1, 0], dtype=int32)
    """
    from rainbowdp.graph import kernels

    entries = 2 * store.size
    # One array does for counting, for where to write next, and for where to read: each step moves what
    # belongs to a dataset down by one place.
    kind = np.int32 if _OF * entries <= _EVEN * _LARGEST_INT32 else np.int64
    places = np.zeros(starts.size + 2, dtype=kind)
    for source, target in store.batches():
        kernels.count_ends(read_only(source), read_only(target), places[2:])
    width = int(places.max())
    degrees = None
    if _EVEN * width * starts.size <= _OF * entries:
        degrees = places[2:].astype(narrowest(width + 1))
        places[1:-1] = np.arange(starts.size) * width
    else:
        np.cumsum(places, out=places)
    neighbors = store.array(entries if degrees is None else width * starts.size)
    for source, target in store.batches():
        kernels.list_neighbors(read_only(source), read_only(target), places[1:], neighbors)
    if degrees is None:
        return search(places[:-1], neighbors, starts)
    del places
    return _searched(degrees, width, neighbors, starts, degrees > 0)


def search(indptr: NDArray[Any], neighbors: Integers, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start, in a graph of listed neighbors.

    Parameters
    ----------
    indptr : integer array [n + 1]
        Where the neighbors of each dataset begin, and where the last ones end.
    neighbors : integer array
        Datasets.
    starts : bool array [n]
        The datasets at distance 0.

    Returns
    -------
    int32 array [n]
        -1 where no start can be reached.
    """
    return _searched(indptr, 0, neighbors, starts, indptr[1:] > indptr[:-1])


def _searched(
    lengths: NDArray[Any],
    width: int,
    neighbors: Integers,
    starts: NDArray[np.bool_],
    joined: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Run a search from the starts that are `joined` to others."""
    from rainbowdp.graph import kernels

    first = np.flatnonzero(starts & joined)
    queue = np.empty(starts.size + 1, dtype=neighbors.dtype)
    queue[: first.size] = first
    depth = np.where(starts, np.int32(0), np.int32(-1))
    ahead = np.empty(_AHEAD, dtype=neighbors.dtype)
    listed = read_only(neighbors)
    kernels.search(read_only(lengths), width, listed, starts.copy(), queue, first.size, depth, ahead)
    return frozen(depth)


def steps_between(source: Integers, target: Integers, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start, by scipy's search.

    Parameters
    ----------
    source, target : integer array [m]
        All pairs, in any order.
    starts : bool array [n]
        The datasets at distance 0.

    Returns
    -------
    int32 array [n]
        Exact numbers of steps; -1 where no start can be reached.

    Examples
    --------
    >>> steps_between(np.array([0, 2]), np.array([1, 1]), np.array([True, False, False, False]))
    array([ 0,  1,  2, -1], dtype=int32)
    """
    steps = relaxed(source, target, np.where(starts, np.int32(0), np.int32(UNREACHED)))
    steps[steps == UNREACHED] = -1
    return frozen(steps)


def relaxed(source: NDArray[Any], target: NDArray[Any], steps: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the numbers of steps that no pair can improve.

    Parameters
    ----------
    source, target : integer array [m]
        Pairs of neighbors.
    steps : int32 array [k]
        Numbers of steps that reach each dataset, the largest int32 where none is known.

    Returns
    -------
    int32 array [k]
        The least numbers of steps that follow from these along the pairs.

    Examples
    --------
    >>> far = np.iinfo(np.int32).max
    >>> relaxed(np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0, far, 9, far], dtype=np.int32))
    array([0, 1, 2, 3], dtype=int32)
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    size = steps.size
    reached = np.flatnonzero(steps != UNREACHED)
    # One search from an extra dataset, whose edges are as long as the steps known so far; an edge of length 0
    # would be no edge, so each is one longer. Whole numbers below 2^53 are added exactly in float64.
    rows = np.concatenate([source, np.full(reached.size, size)])
    columns = np.concatenate([target, reached])
    lengths = np.concatenate([np.ones(source.size), steps[reached] + 1.0])
    graph = coo_array((lengths, (rows, columns)), shape=(size + 1, size + 1))
    # Repeated pairs would add up on the way to rows, so each keeps one entry of length 1.
    compressed = graph.tocsr()
    inner = compressed.data[: compressed.indptr[size]]
    inner[:] = 1.0
    found = dijkstra(compressed, directed=False, indices=[size])[0, :size] - 1
    return np.where(np.isinf(found), UNREACHED, found).astype(np.int32)
