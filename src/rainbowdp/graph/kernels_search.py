# SPDX-License-Identifier: Apache-2.0
"""Compiled loops that list the neighbors of every dataset, and search along them.

Where all datasets have about as many neighbors, each gets the same number of places, and no
array says where they begin; a search then waits for one place in memory less at every dataset. What the loops
are for is told in `rainbowdp.graph.distances`, which alone calls them, with arrays that are checked.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import kernel


@kernel
def search_evenly(  # noqa: PLR0917 - machine code takes no keywords
    degrees: NDArray[Any],
    width: int,
    neighbors: Integers,
    seen: NDArray[np.bool_],
    queue: Integers,
    end: int,
    depth: NDArray[np.int32],
    ahead: Integers,
) -> None:
    """Do what `search` does where every dataset has `width` places, its neighbors in the first `degrees`.

    `ahead` has more than `width` places.
    """
    begin = level = 0
    room = ahead.size - width
    while begin < end:
        level += 1
        place, stop = begin, end
        while place < stop:
            fetched = 0
            while place < stop and fetched < room:
                dataset = queue[place]
                first = np.int64(dataset) * width
                for at in range(first, first + degrees[dataset]):
                    ahead[fetched] = neighbors[at]
                    fetched += 1
                place += 1
            for one in range(fetched):
                neighbor = ahead[one]
                queue[end] = neighbor
                end += not seen[neighbor]
                seen[neighbor] = True
        for place in range(stop, end):
            depth[queue[place]] = level
        begin = stop


@kernel
def count_ends(source: Integers, target: Integers, counts: NDArray[Any]) -> None:
    """Add to the count of each dataset how many pairs it is an end of."""
    for at in range(source.size):
        counts[source[at]] += 1
        counts[target[at]] += 1


@kernel
def list_neighbors(source: Integers, target: Integers, places: NDArray[Any], neighbors: Integers) -> None:
    """Write down the neighbors of every dataset; `places`, the first place of each, moves on to the end."""
    for at in range(source.size):
        one, other = source[at], target[at]
        neighbors[places[one]] = other
        places[one] += 1
        neighbors[places[other]] = one
        places[other] += 1


@kernel
def search(  # noqa: PLR0917 - machine code takes no keywords
    starts: NDArray[Any],
    neighbors: Integers,
    seen: NDArray[np.bool_],
    queue: Integers,
    end: int,
    depth: NDArray[np.int32],
    ahead: Integers,
) -> None:
    """Go out from the first `end` datasets of the queue, breadth first, and write down every depth found.

    Starts are seen already. Neighbors are fetched `ahead.size` at a time before any of them is looked at, so
    that the processor waits for many of them at once. The queue has one place more than there are datasets:
    every neighbor is written to its end, and stays there only if it is new, which costs less than guessing
    whether it is.
    """
    begin = level = 0
    while begin < end:
        level += 1
        place, stop = begin, end
        at = last = starts[0]
        while place < stop or at < last:
            fetched = 0
            while fetched < ahead.size and (place < stop or at < last):
                if at == last:
                    at, last = starts[queue[place]], starts[queue[place] + 1]
                    place += 1
                until = min(last, at + ahead.size - fetched)
                while at < until:
                    ahead[fetched] = neighbors[at]
                    fetched += 1
                    at += 1
            for one in range(fetched):
                neighbor = ahead[one]
                queue[end] = neighbor
                end += not seen[neighbor]
                seen[neighbor] = True
        for place in range(stop, end):
            depth[queue[place]] = level
        begin = stop
