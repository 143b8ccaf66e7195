# SPDX-License-Identifier: Apache-2.0
"""The number of steps from the nearest of many datasets, for all datasets at once.

One breadth-first search from an extra dataset that leads to all the starting ones. The search itself is
scipy's; it returns an order and predecessors, and the depth of every dataset follows from these by doubling
jumps, so that a path of a million datasets (a million levels) takes some twenty rounds of array operations.
"""

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.graph.arrays import Integers

_LARGEST_ENTRY_COUNT = np.iinfo(np.int32).max


def breadth_first_steps(
    indptr: NDArray[np.int64], neighbors: Integers, starts: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start.

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
    if max(entries, size + 1) > _LARGEST_ENTRY_COUNT:
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
