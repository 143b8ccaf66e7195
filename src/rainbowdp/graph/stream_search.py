# SPDX-License-Identifier: Apache-2.0
"""Distances along pairs that are read in batches, in a bounded number of passes.

The same steps as `rainbowdp.graph.compiled_pairs` takes in memory: relax while setting aside the pairs that
can still carry a distance, relax these backward and forward in turn, and where that would take long list the
neighbors and search. Here what is set aside, and the lists, live on the disk.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.depths import Depths
from rainbowdp.graph.pair_spool import PairSpool, mapped_array
from rainbowdp.graph.searching import steps_by_search


def steps_along(
    read: Iterable[tuple[Integers, Integers]],
    starts: NDArray[np.bool_],
    kind: type[np.int32] | type[np.int64],
    say: Callable[[str], None],
) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start.

    Parameters
    ----------
    read : iterable of (source, target)
        All pairs, once.
    starts : bool array [n]
        The datasets at distance 0.
    kind : numpy integer type
        What numbers the datasets.
    say : callable
        Told in words about each pass over the pairs that were set aside.

    Returns
    -------
    int32 array [n]
        -1 where no start can be reached.
    """
    depths = Depths(starts)
    with PairSpool(kind) as spool:
        for source, target in read:
            kept_source, kept_target = np.empty_like(source), np.empty_like(target)
            kept = depths.relax_and_keep(source, target, kept_source, kept_target)
            spool.add(kept_source[:kept], kept_target[:kept])
        depths.end_pass()
        while not depths.settled and not depths.slow:
            for source, target in spool.batches(backward=depths.backward):
                depths.relax(source, target)
            depths.end_pass()
            say(
                f"{spool.size} pairs set aside, relaxed {depths.passes - 1} times: "
                f"{depths.changed} distances fell"
            )
        if depths.settled:
            return depths.finished()
        say(f"the neighbors along {spool.size} pairs are listed and searched")
        return steps_by_search(spool.batches, spool.size, starts, lambda count: mapped_array(count, kind))
