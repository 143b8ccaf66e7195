# SPDX-License-Identifier: Apache-2.0
"""Steps from the nearest start by a breadth-first search along listed neighbors.

Where all datasets have about as many neighbors, as in a lattice, each gets the same number of places; else an
array says where the neighbors of each begin. Both find the same, and the first is quicker. For small families
the search is scipy's, and no compiler is loaded.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.graph.arrays import Integers, frozen, read_only
from rainbowdp.graph.passes import Batches

_LARGEST_INT32 = np.iinfo(np.int32).max
_AHEAD, _AHEAD_EVENLY = 1 << 8, 1 << 10
# Places that stay empty may add a quarter to the list.
_EVEN, _OF = 4, 5

Room = Callable[[int], Integers]


def steps_by_search(batches: Batches, pairs: int, starts: NDArray[np.bool_], room: Room) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start.

    Parameters
    ----------
    batches : callable
        Gives all pairs, batch by batch, as often as it is called; none joins a dataset with itself.
    pairs : int
        Their number.
    starts : bool array [n]
        The datasets at distance 0.
    room : callable
        Makes an array for so many neighbors, of the type that numbers datasets.

    Returns
    -------
    int32 array [n]
        -1 where no start can be reached.

    Examples
    --------
    >>> ends = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    >>> starts = np.array([False, False, True])
    >>> steps_by_search(lambda: [ends], 2, starts, lambda count: np.empty(count, dtype=np.int32))
    array([2, 1, 0], dtype=int32)
    """
    from rainbowdp.graph import kernels_search

    entries = 2 * pairs
    degrees = np.zeros(starts.size, dtype=np.uint8)
    if all(
        kernels_search.count_degrees(read_only(one), read_only(other), degrees) for one, other in batches()
    ):
        width = int(degrees.max(initial=0))
        if _EVEN * width * starts.size <= _OF * entries:
            return _searched_evenly(batches, degrees, width, starts, room)
    del degrees
    # One array does for counting, for where to write next, and for where to read: each step moves what
    # belongs to a dataset down by one place.
    places = np.zeros(starts.size + 2, dtype=np.int32 if entries <= _LARGEST_INT32 else np.int64)
    for source, target in batches():
        kernels_search.count_ends(read_only(source), read_only(target), places[2:])
    np.cumsum(places, out=places)
    neighbors = room(entries)
    for source, target in batches():
        kernels_search.list_neighbors(read_only(source), read_only(target), places[1:], neighbors)
    return search(places[:-1], neighbors, starts)


def _searched_evenly(
    batches: Batches, degrees: NDArray[np.uint8], width: int, starts: NDArray[np.bool_], room: Room
) -> NDArray[np.int32]:
    from rainbowdp.graph import kernels_search

    neighbors, filled = room(width * starts.size), np.zeros_like(degrees)
    for source, target in batches():
        kernels_search.list_evenly(read_only(source), read_only(target), width, filled, neighbors)
    queue, begun = _queue(starts & (degrees > 0), neighbors)
    depth = np.where(starts, np.int32(0), np.int32(-1))
    ahead = np.empty(_AHEAD_EVENLY + width, dtype=neighbors.dtype)
    kernels_search.search_evenly(
        read_only(degrees), width, read_only(neighbors), starts.copy(), queue, begun, depth, ahead
    )
    return frozen(depth)


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
    from rainbowdp.graph import kernels_search

    queue, begun = _queue(starts & (indptr[1:] > indptr[:-1]), neighbors)
    depth = np.where(starts, np.int32(0), np.int32(-1))
    ahead = np.empty(_AHEAD, dtype=neighbors.dtype)
    kernels_search.search(read_only(indptr), read_only(neighbors), starts.copy(), queue, begun, depth, ahead)
    return frozen(depth)


def _queue(leading: NDArray[np.bool_], neighbors: Integers) -> tuple[Integers, int]:
    """Return a queue with one place more than there are datasets, and how many stand in it."""
    first = np.flatnonzero(leading)
    queue = np.empty(leading.size + 1, dtype=neighbors.dtype)
    queue[: first.size] = first
    return queue, first.size


def breadth_first_steps(
    indptr: NDArray[np.int64], neighbors: Integers, starts: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start, by scipy's search.

    The search starts at an extra dataset that leads to all the starts. It returns an order and predecessors,
    and depths follow from these by doubling jumps, so that a path of a million datasets (a million levels)
    takes some twenty rounds of array operations.

    Parameters
    ----------
    indptr : int64 array [n + 1]
        The neighbors of dataset i are ``neighbors[indptr[i]:indptr[i + 1]]``.
    neighbors : integer array
        Each pair in both directions.
    starts : bool array [n]
        The datasets at distance 0.

    Returns
    -------
    int32 array [n]
        Exact numbers of steps; -1 where no start can be reached.

    Raises
    ------
    GraphShapeError
        If the graph has more than about 10^9 pairs; scipy's search counts entries in 32 bits.

    Examples
    --------
    >>> indptr, neighbors = np.array([0, 1, 3, 4, 4]), np.array([1, 0, 2, 1], dtype=np.int32)
    >>> breadth_first_steps(indptr, neighbors, np.array([True, False, False, False]))
    array([ 0,  1,  2, -1], dtype=int32)
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    size = starts.size
    first = np.flatnonzero(starts).astype(np.int32)
    entries = neighbors.size + first.size
    if max(entries, size + 1) > _LARGEST_INT32:
        raise GraphShapeError(
            f"{neighbors.size // 2} pairs are too many for one search",
            help="use at most 10^9 pairs of neighbors",
        )
    indptr = np.append(indptr, entries).astype(np.int32)
    indices = np.concatenate([neighbors.astype(np.int32, copy=False), first])
    # The search wants float64 weights; it looks at the structure only.
    search_graph = csr_array((np.ones(entries), indices, indptr), shape=(size + 1, size + 1))
    order, predecessors = breadth_first_order(search_graph, size)
    place = np.empty(size + 1, dtype=np.int32)
    place[order] = np.arange(order.size, dtype=np.int32)
    jump = np.zeros(order.size, dtype=np.int32)
    jump[1:] = place[predecessors[order[1:]]]
    depth = np.ones(order.size, dtype=np.int32)
    depth[0] = 0
    # A dataset found later has a predecessor found no earlier, so the last jump reaches 0 last of all.
    while jump[-1]:
        depth += depth[jump]
        jump = jump[jump]
    steps = np.full(size + 1, -1, dtype=np.int32)
    steps[order] = depth - 1
    return steps[:size]
