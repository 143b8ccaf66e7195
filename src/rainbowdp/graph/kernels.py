# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over pairs of datasets.

Every loop here looks at each pair once, in the order of the arrays, and decides by integers alone. What the
loops are for, and how they go together, is told in `rainbowdp.graph.compiled_pairs`, which alone calls them,
with arrays that are checked: nothing here asks whether an index is in range.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import kernel

Unsigned = NDArray[np.unsignedinteger[Any]]

# 2^64 divided by the golden ratio: multiplying by it spreads consecutive numbers over the upper bits.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def survey(source: Integers, target: Integers) -> tuple[int, int, int]:
    """Return the least and the greatest number among the ends, and how many pairs are self-loops."""
    least, most = source[0], source[0]
    loops = 0
    for at in range(source.size):
        one, other = source[at], target[at]
        least = min(least, one, other)
        most = max(most, one, other)
        loops += one == other
    return least, most, loops


@kernel
def is_ascending(source: Integers, target: Integers) -> bool:
    """Tell whether the pairs, each with its lower end first, rise strictly."""
    before_low, before_high = np.int64(-1), np.int64(-1)
    for at in range(source.size):
        low, high = min(source[at], target[at]), max(source[at], target[at])
        if low < before_low or (low == before_low and high <= before_high):
            return False
        before_low, before_high = low, high
    return True


@kernel
def touch(source: Integers, target: Integers, touched: NDArray[np.bool_]) -> None:
    """Mark every dataset that has a neighbor."""
    for at in range(source.size):
        one, other = source[at], target[at]
        if one != other:
            touched[one] = True
            touched[other] = True


@kernel
def mark(source: Integers, target: Integers, state: Unsigned, flag: np.unsignedinteger[Any]) -> None:
    """Set the flag of every dataset that has a neighbor of another code.

    Code and flag share one number, so that a look at a dataset touches one place in memory.
    """
    for at in range(source.size):
        one, other = source[at], target[at]
        here, there = state[one], state[other]
        # Most datasets of a random graph have their flag soon, and then nothing is compared and written.
        if not here & there & flag and (here ^ there) & ~flag:
            state[one] = here | flag
            state[other] = there | flag


@kernel
def relax_and_keep(  # noqa: PLR0917 - machine code takes no keywords
    source: Integers,
    target: Integers,
    depth: NDArray[Any],
    most: int,
    begin: int,
    kept: int,
    kept_source: Integers,
    kept_target: Integers,
) -> tuple[int, int, int]:
    """Relax every pair from `begin` on and keep those with an end that is not at depth 0.

    Returns
    -------
    end, kept, changed : int
        The pair to go on with, the number of pairs if all are done, else one that leads beyond depth `most`;
        how many pairs were kept so far; and how often a depth fell.
    """
    changed = 0
    for at in range(begin, source.size):
        one, other = source[at], target[at]
        here, there = np.int64(depth[one]), np.int64(depth[other])
        if here + there > 0 and one != other:
            if here + 1 < there:
                if here >= most:
                    return at, kept, changed
                depth[other] = here + 1
                changed += 1
            elif there + 1 < here:
                if there >= most:
                    return at, kept, changed
                depth[one] = there + 1
                changed += 1
            kept_source[kept], kept_target[kept] = one, other
            kept += 1
    return source.size, kept, changed


@kernel
def relax(  # noqa: PLR0917 - machine code takes no keywords
    source: Integers, target: Integers, depth: NDArray[Any], most: int, begin: int, backward: bool
) -> tuple[int, int]:
    """Relax every pair once, from the first to the last or the other way, leaving out the first `begin`.

    Returns
    -------
    end, changed : int
        How many pairs are done, all of them unless one leads beyond depth `most`; and how often a depth fell.
    """
    changed = 0
    last = source.size - 1
    for step in range(begin, source.size):
        at = last - step if backward else step
        one, other = source[at], target[at]
        here, there = np.int64(depth[one]), np.int64(depth[other])
        if here + 1 < there:
            if here >= most:
                return step, changed
            depth[other] = here + 1
            changed += 1
        elif there + 1 < here:
            if there >= most:
                return step, changed
            depth[one] = there + 1
            changed += 1
    return source.size, changed


@kernel
def meet_in_table(
    source: Integers, target: Integers, codes: NDArray[Any], count: int, table: NDArray[np.int64]
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
def meet_by_hash(  # noqa: PLR0917 - machine code takes no keywords
    source: Integers,
    target: Integers,
    codes: NDArray[Any],
    count: int,
    slots: NDArray[np.int64],
    pairs: NDArray[np.int64],
    begin: int,
    filled: int,
) -> tuple[int, int]:
    """Keep the least pair of neighbors of every pair of codes that occurs, from the pair `begin` on.

    `slots` holds pairs of codes, -1 where free, and has 2^k places; the loop stops when half of them are
    taken.

    Returns
    -------
    end, filled : int
        The pair to go on with, the number of pairs if all are done; and how many slots are taken.
    """
    size = np.int64(codes.size)
    mask = np.uint64(slots.size - 1)
    room = slots.size // 2
    for at in range(begin, source.size):
        one, other = np.int64(source[at]), np.int64(target[at])
        if one == other:
            continue
        here, there = np.int64(codes[one]), np.int64(codes[other])
        key = min(here, there) * count + max(here, there)
        pair = min(one, other) * size + max(one, other)
        place = ((np.uint64(key) * _SPREAD) >> np.uint64(32)) & mask
        while slots[place] != key and slots[place] >= 0:
            place = (place + np.uint64(1)) & mask
        if slots[place] < 0:
            if filled >= room:
                return at, filled
            slots[place] = key
            filled += 1
        if pair < pairs[place]:  # noqa: PLR1730 - a store that is skipped is quicker than one of the same
            pairs[place] = pair
    return source.size, filled


@kernel
def move_slots(
    slots: NDArray[np.int64], pairs: NDArray[np.int64], wider: NDArray[np.int64], moved: NDArray[np.int64]
) -> None:
    """Move what `meet_by_hash` has found to more slots, `wider` and `moved`, all of them free."""
    mask = np.uint64(wider.size - 1)
    for at in range(slots.size):
        if slots[at] >= 0:
            spread = np.uint64(slots[at]) * _SPREAD
            place = (spread >> np.uint64(32)) & mask
            while wider[place] >= 0:
                place = (place + np.uint64(1)) & mask
            wider[place] = slots[at]
            moved[place] = pairs[at]


@kernel
def count_parts(  # noqa: PLR0917 - machine code takes no keywords
    source: Integers, target: Integers, size: int, bits: int, begin: int, sizes: NDArray[np.int64]
) -> None:
    """Count the pairs that fall into each of some of 2^`bits` parts, `begin` being the first of them."""
    shift, span = np.uint64(64 - bits), np.int64(size)
    for at in range(source.size):
        one, other = np.int64(source[at]), np.int64(target[at])
        if one != other:
            key = np.uint64(min(one, other) * span + max(one, other))
            part = np.int64((key * _SPREAD) >> shift) - begin
            if 0 <= part < sizes.size:
                sizes[part] += 1


@kernel
def fill_parts(  # noqa: PLR0917 - machine code takes no keywords
    source: Integers,
    target: Integers,
    size: int,
    bits: int,
    begin: int,
    places: NDArray[np.int64],
    keys: NDArray[np.int64],
) -> None:
    """Write the pairs as numbers, part by part; `places`, where each part begins, moves on to its end."""
    shift, span = np.uint64(64 - bits), np.int64(size)
    for at in range(source.size):
        one, other = np.int64(source[at]), np.int64(target[at])
        if one != other:
            key = np.uint64(min(one, other) * span + max(one, other))
            part = np.int64((key * _SPREAD) >> shift) - begin
            if 0 <= part < places.size:
                keys[places[part]] = np.int64(key)
                places[part] += 1


@kernel
def count_repeats(keys: NDArray[np.int64], ends: NDArray[np.int64], slots: NDArray[np.int64]) -> int:
    """Count the numbers that occur again within their part; `slots` has twice the room of any part."""
    repeats = 0
    begin = 0
    for end in ends:
        width = 1
        while width < 2 * (end - begin):
            width *= 2
        mask = np.uint64(width - 1)
        for place in range(width):
            slots[place] = -1
        for at in range(begin, end):
            key = keys[at]
            # The upper bits are the same within a part.
            at_slot = ((np.uint64(key) * _SPREAD) >> np.uint64(16)) & mask
            while slots[at_slot] != key and slots[at_slot] >= 0:
                at_slot = (at_slot + np.uint64(1)) & mask
            if slots[at_slot] == key:
                repeats += 1
            else:
                slots[at_slot] = key
        begin = end
    return repeats
