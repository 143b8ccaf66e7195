# SPDX-License-Identifier: Apache-2.0
"""Passes over millions of pairs in machine code; the same functions as in `rainbowdp.graph.plain_pairs`.

No adjacency structure is built unless it must be: one pass marks, one pass keeps the pairs that can carry a
distance, and relaxing these forward and backward in turn settles most files in three passes, because files
of pairs are rarely in random order and random graphs are rarely deep. Where three passes leave many datasets
to change, neighbors are listed and a queue finishes.

What a pass looks up is held in as few bytes as it fits into: the look-ups of both ends of every pair are
what the time goes to, and they are two or three times as quick where the whole array stays in the
processor's cache.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import kernels, kernels_stream
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.depths import Depths, seen
from rainbowdp.graph.narrow import narrowest
from rainbowdp.graph.relation import CodePairs
from rainbowdp.graph.searching import steps_by_search

_LARGEST_INT64 = np.iinfo(np.int64).max
# A table of all pairs of codes up to this length is quicker than a hash table of those that occur.
_LARGEST_TABLE = 1 << 18
_FIRST_SLOTS = 1 << 14
# Pairs are told apart in parts that stay in the processor's cache, and so many of them at a time.
_PART = 1 << 14
_MOST_KEYS = 1 << 25


def survey(source: Integers, target: Integers) -> tuple[int, int, int]:
    """Return the least and greatest end, and the number of self-loops, of at least one pair."""
    least, most, loops = kernels.survey(seen(source), seen(target))
    return int(least), int(most), int(loops)


def is_ascending(source: Integers, target: Integers) -> bool:
    """Tell whether the pairs, each with its lower end first, rise strictly."""
    return bool(kernels.is_ascending(seen(source), seen(target)))


def touched(size: int, source: Integers, target: Integers) -> NDArray[np.bool_]:
    """Return which of `size` datasets have a neighbor, bool [size]."""
    found = np.zeros(size, dtype=np.bool_)
    kernels.touch(seen(source), seen(target), found)
    return found


def mixed(source: Integers, target: Integers, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which datasets have a neighbor of another code, bool [n]."""
    kind = narrowest(2 * (int(codes.max(initial=0)) + 1))
    flag = kind(1 << (kind(0).nbytes * 8 - 1))
    state = codes.astype(kind)
    kernels.mark(seen(source), seen(target), state, flag)
    return state >= flag


def mark_ends(
    source: Integers,
    target: Integers,
    codes: NDArray[Any],
    mixed: NDArray[np.bool_],
    touched: NDArray[np.bool_],
) -> int:
    """Mark which datasets have a neighbor, and one of another code; return the number of self-loops."""
    return int(kernels_stream.mark_ends(seen(source), seen(target), seen(codes), mixed, touched))


def steps_from(source: Integers, target: Integers, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return how many steps each dataset is away from the nearest start, int32 [n]; -1 where none leads."""
    depths = Depths(starts)
    # Only what is written to of these takes room.
    kept_source, kept_target = np.empty_like(source), np.empty_like(target)
    kept = depths.relax_and_keep(source, target, kept_source, kept_target)
    depths.end_pass()
    first, second = kept_source[:kept], kept_target[:kept]
    while not depths.settled:
        if depths.slow:
            del depths
            return steps_by_search(
                lambda: [(first, second)], kept, starts, lambda count: np.empty(count, dtype=source.dtype)
            )
        depths.relax(first, second)
        depths.end_pass()
    return depths.finished()


def code_pairs(source: Integers, target: Integers, codes: NDArray[Any], count: int) -> CodePairs:
    """Return which codes meet along the pairs, each with the least pair of neighbors.

    Parameters
    ----------
    source, target : integer array [m]
        Pairs of datasets.
    codes : integer array [n]
        The code of each dataset.
    count : int
        All codes are below it.
    """
    narrow = seen(codes.astype(narrowest(count), copy=False))
    source, target = seen(source), seen(target)
    if count * count <= _LARGEST_TABLE:
        table = np.full(count * count, _LARGEST_INT64, dtype=np.int64)
        kernels.meet_in_table(source, target, narrow, count, table)
        keys = np.flatnonzero(table < _LARGEST_INT64)
        pairs = table[keys]
    else:
        slots, found = _met(source, target, narrow, count)
        taken = np.flatnonzero(slots >= 0)
        taken = taken[np.argsort(slots[taken])]
        keys, pairs = slots[taken], found[taken]
    first, second, size = keys // max(count, 1), keys % max(count, 1), max(codes.size, 1)
    alike = first == second
    same, pairs = first[alike], pairs[~alike]
    return CodePairs(
        first=first[~alike],
        second=second[~alike],
        source=(pairs // size).astype(source.dtype),
        target=(pairs % size).astype(source.dtype),
        same=same,
    )


def _met(
    source: Integers, target: Integers, codes: NDArray[Any], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    slots = np.full(_FIRST_SLOTS, -1, dtype=np.int64)
    pairs = np.full(_FIRST_SLOTS, _LARGEST_INT64, dtype=np.int64)
    at = filled = 0
    while True:
        at, filled = kernels.meet_by_hash(source, target, codes, count, slots, pairs, at, filled)
        if at == source.size:
            return slots, pairs
        wider = np.full(4 * slots.size, -1, dtype=np.int64)
        moved = np.full(4 * slots.size, _LARGEST_INT64, dtype=np.int64)
        kernels.move_slots(slots, pairs, wider, moved)
        slots, pairs = wider, moved


def count_repeats(size: int, source: Integers, target: Integers) -> int:
    """Return how many pairs occur again, in either direction; self-loops do not count.

    Exact: pairs are numbers, spread over parts by their hash, and told apart within each part. Of very many
    pairs a share is taken at a time, so that the numbers in memory stay below 2^25 or so.
    """
    source, target = seen(source), seen(target)
    bits = max((max(source.size, 1) // _PART).bit_length(), 1)
    parts = 1 << bits
    rounds = -(-source.size // _MOST_KEYS)
    stride = max(-(-parts // max(rounds, 1)), 1)
    repeats = 0
    for begin in range(0, parts, stride):
        sizes = np.zeros(min(stride, parts - begin), dtype=np.int64)
        kernels.count_parts(source, target, size, bits, begin, sizes)
        ends = np.cumsum(sizes)
        keys = np.empty(int(ends[-1]), dtype=np.int64)
        kernels.fill_parts(source, target, size, bits, begin, ends - sizes, keys)
        slots = np.empty(max(4 * int(sizes.max()), 1), dtype=np.int64)
        repeats += int(kernels.count_repeats(keys, ends, slots))
    return repeats
