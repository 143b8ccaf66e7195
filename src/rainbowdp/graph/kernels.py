# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over pairs of datasets and along listed neighbors, and the hash table that loops share.

Every loop over pairs looks at each pair once, in the order of the arrays, and decides by integers alone. The
callers (`relation` and `distances`) check their arrays: nothing here asks whether an index is in range.

A `Table` maps keys, which are pairs of codes packed into one integer, to least values, which are packed pairs
of datasets. A loop that fills one stops where the table might get too full, and goes on from there when the
caller has moved the table to a larger one; so memory follows the pairs of codes that occur.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import kernel

Numbers = NDArray[np.int64]
Unsigned = NDArray[np.unsignedinteger[Any]]
Table = tuple[Numbers, Numbers, NDArray[np.bool_], Numbers]
"""Keys (-1 where free) in 2^k places, least values, which codes neighbors share, and a state: where to go on,
how many keys there are, and a clock that no loop sets back."""
Cut = tuple[int, int, int]
"""How an axis cuts the datasets: the numbers before it, of its positions, and after it."""
Runs = NDArray[np.int64]
"""Runs [m, 3]: begin, length, shift."""

# 2^64 divided by the golden ratio: multiplying by it spreads consecutive numbers over the upper bits.
SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def put(keys: Numbers, least: Numbers, key: np.int64, value: int | np.int64) -> int:
    """Keep the least value of a key; return 1 if the key is new and 0 if not. One place at least is free."""
    mask = np.uint64(keys.size - 1)
    place = ((np.uint64(key) * SPREAD) >> np.uint64(32)) & mask
    while keys[place] != key and keys[place] >= 0:
        place = (place + np.uint64(1)) & mask
    if keys[place] == key:
        least[place] = min(least[place], value)
        return 0
    keys[place] = key
    least[place] = value
    return 1


@kernel
def move(keys: Numbers, least: Numbers, wider: Numbers, moved: Numbers) -> None:
    """Move all keys with their values to a table with more places, all of them free."""
    for at in range(keys.size):
        if keys[at] >= 0:
            put(wider, moved, keys[at], least[at])


@kernel
def mark(
    source: Integers,
    target: Integers,
    state: Unsigned,
    touched: np.unsignedinteger[Any],
    mixed: np.unsignedinteger[Any],
) -> int:
    """Set the bit `touched` of every dataset with a neighbor, and `mixed` of those with one of another code.

    Code and bits share one number, so that a look at a dataset touches one place in memory. Returns how many
    pairs are self-loops.
    """
    both = touched | mixed
    loops = 0
    for at in range(source.size):
        one, other = source[at], target[at]
        here, there = state[one], state[other]
        # Most datasets of a random graph have both bits soon, and then only self-loops are told apart.
        if one == other:
            loops += 1
        elif here & there & both != both:
            bits = both if (here ^ there) & ~both else touched
            if here & there & bits != bits:
                state[one] = here | bits
                state[other] = there | bits
    return loops


@kernel
def relax(  # noqa: PLR0917 - machine code takes no keywords
    source: Integers,
    target: Integers,
    depth: NDArray[Any],
    most: int,
    begin: int,
    backward: bool,
    kept: int,
    kept_source: Integers,
    kept_target: Integers,
) -> tuple[int, int, int]:
    """Relax every pair once, from the first to the last or the other way, leaving out the first `begin`.

    Pairs with an end that is not at depth 0 are written from place `kept` on, where there is room for any.

    Returns
    -------
    end, kept, changed : int
        How many pairs are done, all of them unless one leads beyond depth `most`; how many pairs were kept so
        far; and how often a depth fell.
    """
    changed = 0
    last, keeps = source.size - 1, kept_source.size > 0
    for step in range(begin, source.size):
        at = last - step if backward else step
        one, other = source[at], target[at]
        here, there = np.int64(depth[one]), np.int64(depth[other])
        if here + there == 0:
            continue
        if here + 1 < there:
            if here >= most:
                return step, kept, changed
            depth[other] = here + 1
            changed += 1
        elif there + 1 < here:
            if there >= most:
                return step, kept, changed
            depth[one] = there + 1
            changed += 1
        if keeps and one != other:
            kept_source[kept], kept_target[kept] = one, other
            kept += 1
    return source.size, kept, changed


@kernel
def meet_in_table(
    source: Integers, target: Integers, codes: NDArray[Any], count: int, table: Numbers
) -> None:
    """Keep the least pair of neighbors of every pair of codes in a table of all pairs of codes."""
    size = np.int64(codes.size)
    for at in range(source.size):
        one, other = np.int64(source[at]), np.int64(target[at])
        if one != other:
            here, there = np.int64(codes[one]), np.int64(codes[other])
            place = min(here, there) * count + max(here, there)
            pair = min(one, other) * size + max(one, other)
            if pair < table[place]:  # noqa: PLR1730 - a store that is skipped is quicker than one of the same
                table[place] = pair


@kernel
def meet(source: Integers, target: Integers, codes: NDArray[Any], table: Table) -> bool:
    """Keep the least pair of neighbors of every two codes that meet, from the pair ``state[0]`` on.

    Returns whether all was done.
    """
    keys, least, same, state = table
    count, size, room = np.int64(same.size), np.int64(codes.size), keys.size // 2
    filled = state[1]
    for at in range(state[0], source.size):
        one, other = np.int64(source[at]), np.int64(target[at])
        if one == other:
            continue
        here, there = np.int64(codes[one]), np.int64(codes[other])
        if here == there:
            same[here] = True
            continue
        if filled >= room:
            state[0], state[1] = at, filled
            return False
        pair = min(one, other) * size + max(one, other)
        filled += put(keys, least, min(here, there) * count + max(here, there), pair)
    state[1] = filled
    return True


@kernel
def meet_along(codes: NDArray[Any], runs: Runs, table: Table) -> bool:
    """Record the codes of every pair along the runs, from the run ``state[0]`` on; shifts are positive.

    Where the table might get too full, ``state[0]`` says where to go on with a larger one. Returns whether
    all was done.
    """
    keys, least, same, state = table
    size, count = np.int64(codes.size), np.int64(same.size)
    for run in range(state[0], runs.shape[0]):
        begin, length, shift = runs[run]
        last = np.int64(-1)
        for at in range(begin, begin + length):
            one, other = np.int64(codes[at]), np.int64(codes[at + shift])
            if one == other:
                same[one] = True
                continue
            key = min(one, other) * count + max(one, other)
            # Datasets ascend, so a key that was seen just before was seen with a smaller pair.
            if key != last:
                if 2 * (state[1] + 1) > keys.size:
                    state[0] = run
                    return False
                last = key
                state[1] += put(keys, least, key, at * size + at + shift)
    return True


@kernel
def meet_in_lines(codes: NDArray[Any], cut: Cut, work: NDArray[np.int64], table: Table) -> bool:
    """Record the codes that occur in every line along a complete axis, from line ``state[0]`` on.

    Of each line only the first place of every code counts: of two codes the first places are the least pair.
    So a line of L datasets takes some L operations where it has L (L - 1) / 2 pairs. `work` [3, count] holds
    when a code was last seen, where it came first, and the codes of a line. A line whose codes might not fit
    the table is left, and begun anew with a larger one.
    """
    keys, least, same, state = table
    stamps, places, found = work[0], work[1], work[2]
    outer, length, inner = cut
    size, count = codes.size, same.size
    for line in range(state[0], outer * inner):
        base = line // inner * length * inner + line % inner
        state[2] += 1
        distinct = 0
        for at in range(base, base + length * inner, inner):
            code = np.int64(codes[at])
            if stamps[code] == state[2]:
                same[code] = True
                continue
            if 2 * (state[1] + distinct) >= keys.size:
                state[0] = line
                return False
            stamps[code] = state[2]
            places[code] = at
            for index in range(distinct):
                one = found[index]
                key = min(one, code) * count + max(one, code)
                state[1] += put(keys, least, key, places[one] * size + at)
            found[distinct] = code
            distinct += 1
    return True


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
    width: int,
    neighbors: Integers,
    seen: NDArray[np.bool_],
    queue: Integers,
    end: int,
    depth: NDArray[np.int32],
    ahead: Integers,
) -> None:
    """Go out from the first `end` datasets of the queue, breadth first, and write down every depth found.

    The neighbors of dataset d begin at ``starts[d]`` and end before ``starts[d + 1]``. With a `width` above 0
    every dataset has so many places instead, and its neighbors are in the first ``starts[d]`` of them: short
    numbers stay in the processor's cache.

    Starts are seen already. Neighbors are fetched `ahead.size` at a time before any of them is looked at, so
    that the processor waits for many of them at once. The queue has one place more than there are datasets:
    every neighbor is written to its end, and stays there only if it is new, which costs less than guessing
    whether it is.
    """
    begin = level = 0
    while begin < end:
        level += 1
        place, stop = begin, end
        at = last = np.int64(0)
        while place < stop or at < last:
            fetched = 0
            while fetched < ahead.size and (place < stop or at < last):
                if at == last:
                    dataset = np.int64(queue[place])
                    place += 1
                    if width:
                        at = dataset * width
                        last = at + np.int64(starts[dataset])
                    else:
                        at, last = np.int64(starts[dataset]), np.int64(starts[dataset + 1])
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
