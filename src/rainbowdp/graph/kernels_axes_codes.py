# SPDX-License-Identifier: Apache-2.0
"""Compiled passes along one axis of a product: which codes meet along it.

Of each line of a complete axis only the first place of every code counts, so a line of L datasets takes some
L operations where the axis has L (L - 1) / 2 pairs. Only integers occur.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.compiled import kernel
from rainbowdp.graph.kernels import SPREAD, Table, put
from rainbowdp.graph.kernels_axes import Cut

Words = NDArray[np.uint64]

# So many datasets, or lines, are worked on before the table is looked at again.
_TILE = 2048
_ONE = np.uint64(1)


@kernel
def path_code_pairs(codes: NDArray[Any], cut: Cut, wraps: bool, table: Table) -> bool:
    """Record the codes at both ends of every pair along the axis, from dataset ``state[0]`` on.

    ``state[1]`` counts the keys in the table; where it might get too full, ``state[0]`` says where to go on
    with a larger one. Returns whether all was done.
    """
    keys, least, same, state = table
    length, inner = cut[1], cut[2]
    size, count = codes.size, same.size
    for start in range(state[0], size, _TILE):
        if 2 * (state[1] + 2 * _TILE) > keys.size:
            state[0] = start
            return False
        x, position = start % inner, start // inner % length
        last = np.int64(-1)
        for at in range(start, min(start + _TILE, size)):
            one = np.int64(codes[at])
            if position < length - 1:
                other = np.int64(codes[at + inner])
                key = min(one, other) * count + max(one, other)
                if one == other:
                    same[one] = True
                elif key != last:
                    # Sources ascend, so a key seen just before was seen with a smaller source.
                    last = key
                    state[1] += put(keys, least, key, at * size + at + inner)
            if wraps and position == 0:
                there = at + (length - 1) * inner
                other = np.int64(codes[there])
                if one == other:
                    same[one] = True
                else:
                    key = min(one, other) * count + max(one, other)
                    state[1] += put(keys, least, key, at * size + there)
            x += 1
            if x == inner:
                x = 0
                position = position + 1 if position < length - 1 else 0
    return True


@kernel
def complete_code_pairs(codes: NDArray[Any], cut: Cut, work: NDArray[np.int64], table: Table) -> bool:
    """Record the codes that occur in every line along the axis, from line ``state[0]`` on.

    Of two codes the first places are the least pair in the line. `work` [3, count] holds when a code was
    last seen, where it came first, and the codes of a line. A line whose codes might not fit the table is
    left, and begun anew with a larger one.
    """
    keys, least, same, state = table
    stamps, places, found = work[0], work[1], work[2]
    outer, length, inner = cut
    size, count = codes.size, same.size
    for line in range(state[0], outer * inner):
        base = line // inner * length * inner + line % inner
        state[2] += 1
        distinct = 0
        for position in range(length):
            at = base + position * inner
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
def few_complete_code_pairs(
    codes: NDArray[Any], cut: Cut, table: NDArray[np.int64], known: Words, until: NDArray[np.int64]
) -> np.uint64:
    """Do what `complete_code_pairs` does for at most 64 codes, with one bit per code.

    `table` [64, 64] holds the least packed pair. ``known`` and ``until`` remember sets of codes, and a packed
    pair such that no line which starts there or later can lower an entry of `table` for the set: the first
    dataset of a pair is never before the start of its line. Returns the set of codes that neighbors share.
    """
    outer, length, inner = cut
    size = codes.size
    once = np.empty(_TILE, dtype=np.uint64)
    twice = np.empty(_TILE, dtype=np.uint64)
    shared = np.uint64(0)
    for base in range(0, outer * length * inner, length * inner):
        for start in range(base, base + inner, _TILE):
            width = min(_TILE, base + inner - start)
            if inner == 1:
                once[0], twice[0] = _sets_of_line(codes[start : start + length])
            else:
                once[:width] = 0
                twice[:width] = 0
                for there in range(start, start + length * inner, inner):
                    _gather(codes[there : there + width], once, twice)
            for x in range(width):
                shared |= twice[x]
                seen = once[x]
                if seen & (seen - _ONE) == 0:
                    continue
                place = (seen * SPREAD) >> np.uint64(52)
                if known[place] != seen or until[place] >= (start + x) * size:
                    known[place] = seen
                    until[place] = _line_pairs(codes, start + x, length, inner, table)
    return shared


@kernel
def _sets_of_line(line: NDArray[Any]) -> tuple[np.uint64, np.uint64]:
    """Return the set of codes of a line, and of those that it holds twice."""
    once, twice = np.uint64(0), np.uint64(0)
    for code in line:
        bit = _ONE << np.uint64(code)
        twice |= once & bit
        once |= bit
    return once, twice


@kernel
def _gather(row: NDArray[Any], once: Words, twice: Words) -> None:
    """Add one position of many lines to the sets of these."""
    for x in range(row.size):
        bit = _ONE << np.uint64(row[x])
        twice[x] |= once[x] & bit
        once[x] |= bit


@kernel
def _line_pairs(
    codes: NDArray[Any], base: int, length: int, inner: int, table: NDArray[np.int64]
) -> np.int64:
    """Record the pairs of codes of one line and return the largest least pair of these."""
    found = np.empty(64, dtype=np.int64)
    places = np.empty(64, dtype=np.int64)
    distinct = 0
    largest = np.int64(0)
    seen = np.uint64(0)
    for at in range(base, base + length * inner, inner):
        code = np.int64(codes[at])
        bit = _ONE << np.uint64(code)
        if seen & bit:
            continue
        seen |= bit
        for index in range(distinct):
            low, high = min(found[index], code), max(found[index], code)
            table[low, high] = min(table[low, high], places[index] * codes.size + at)
            largest = max(largest, table[low, high])
        found[distinct] = code
        places[distinct] = at
        distinct += 1
    return largest
