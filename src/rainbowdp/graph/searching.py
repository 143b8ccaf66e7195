# SPDX-License-Identifier: Apache-2.0
"""Steps from the nearest start by a search along listed neighbors, wherever pairs and lists are kept.

Where all datasets have about as many neighbors, as in a lattice, each gets the same number of places;
elsewhere an array says where the neighbors of each begin. Both find the same, and the first is quicker.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import kernels_search
from rainbowdp.graph.arrays import Integers, frozen
from rainbowdp.graph.depths import seen

_LARGEST_INT32 = np.iinfo(np.int32).max
_AHEAD, _AHEAD_EVENLY = 1 << 8, 1 << 10
# Places that stay empty may add a quarter to the list.
_EVEN, _OF = 4, 5

Batches = Callable[[], Iterable[tuple[Integers, Integers]]]
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
    entries = 2 * pairs
    degrees = np.zeros(starts.size, dtype=np.uint8)
    if all(kernels_search.count_degrees(seen(one), seen(other), degrees) for one, other in batches()):
        width = int(degrees.max(initial=0))
        if _EVEN * width * starts.size <= _OF * entries:
            return _searched_evenly(batches, degrees, width, starts, room)
    del degrees
    # One array does for counting, for where to write next, and for where to read: each step moves what
    # belongs to a dataset down by one place.
    places = np.zeros(starts.size + 2, dtype=np.int32 if entries <= _LARGEST_INT32 else np.int64)
    for source, target in batches():
        kernels_search.count_ends(seen(source), seen(target), places[2:])
    np.cumsum(places, out=places)
    neighbors = room(entries)
    for source, target in batches():
        kernels_search.list_neighbors(seen(source), seen(target), places[1:], neighbors)
    return search(places[:-1], neighbors, starts)


def _searched_evenly(
    batches: Batches, degrees: NDArray[np.uint8], width: int, starts: NDArray[np.bool_], room: Room
) -> NDArray[np.int32]:
    neighbors, filled = room(width * starts.size), np.zeros_like(degrees)
    for source, target in batches():
        kernels_search.list_evenly(seen(source), seen(target), width, filled, neighbors)
    queue, begun = _queue(starts & (degrees > 0), neighbors)
    depth = np.where(starts, np.int32(0), np.int32(-1))
    ahead = np.empty(_AHEAD_EVENLY + width, dtype=neighbors.dtype)
    kernels_search.search_evenly(
        seen(degrees), width, seen(neighbors), starts.copy(), queue, begun, depth, ahead
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
    queue, begun = _queue(starts & (indptr[1:] > indptr[:-1]), neighbors)
    depth = np.where(starts, np.int32(0), np.int32(-1))
    ahead = np.empty(_AHEAD, dtype=neighbors.dtype)
    kernels_search.search(seen(indptr), seen(neighbors), starts.copy(), queue, begun, depth, ahead)
    return frozen(depth)


def _queue(leading: NDArray[np.bool_], neighbors: Integers) -> tuple[Integers, int]:
    """Return a queue with one place more than there are datasets, and how many stand in it."""
    first = np.flatnonzero(leading)
    queue = np.empty(leading.size + 1, dtype=neighbors.dtype)
    queue[: first.size] = first
    return queue, first.size
