# SPDX-License-Identifier: Apache-2.0
"""Compiled passes along one axis of a product: read in the order of memory, no pair ever written down.

The one idea: an axis cuts the datasets ``(outer, position, inner)``; all positions of an axis for a stretch
of inner numbers are worked on together, so that memory is read in order and the processor's wide registers
are used. Every function here does what the function of the same name in `axes` does, to the bit. Only
integers occur.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.axes import Cut
from rainbowdp.graph.compiled import kernel
from rainbowdp.graph.kernels_table import put
from rainbowdp.graph.key_table import Table

Words = NDArray[np.uint64]

# So many inner numbers are worked on together; with fewer than a few it is quicker to go along each line.
_TILE = 2048
_NARROW = 9
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@kernel
def path_mixed(codes: NDArray[Any], mixed: NDArray[np.uint8], cut: Cut, wraps: bool) -> None:
    """Mark datasets whose code differs from that of the one before or after along the axis."""
    outer, length, inner = cut
    for base in range(0, outer * length * inner, length * inner):
        if inner < _NARROW:
            for x in range(base, base + inner):
                before = x + (length - 1) * inner if wraps else x
                for here in range(x, x + length * inner, inner):
                    differs = codes[here] != codes[before]
                    mixed[before] |= differs
                    mixed[here] |= differs
                    before = here
            continue
        for position in range(0 if wraps else 1, length):
            there = base + position * inner
            here = there - inner if position > 0 else base + (length - 1) * inner
            # Slices that begin where a loop begins are what the compiler turns into wide instructions.
            one, other = codes[here : here + inner], codes[there : there + inner]
            mark, other_mark = mixed[here : here + inner], mixed[there : there + inner]
            for x in range(inner):
                differs = one[x] != other[x]
                mark[x] |= differs
                other_mark[x] |= differs


@kernel
def complete_mixed(codes: NDArray[Any], mixed: NDArray[np.uint8], cut: Cut) -> None:
    """Mark all datasets of every line along the axis that holds two codes."""
    outer, length, inner = cut
    if inner < _NARROW:
        _mix_lines(codes, mixed, length, inner)
        return
    varied = np.empty(_TILE, dtype=np.uint8)
    for base in range(0, outer * length * inner, length * inner):
        for start in range(base, base + inner, _TILE):
            width = min(_TILE, base + inner - start)
            first = codes[start : start + width]
            varied[:width] = 0
            for there in range(start + inner, start + length * inner, inner):
                row = codes[there : there + width]
                for x in range(width):
                    varied[x] |= first[x] != row[x]
            for there in range(start, start + length * inner, inner):
                marks = mixed[there : there + width]
                for x in range(width):
                    marks[x] |= varied[x]


@kernel
def _mix_lines(codes: NDArray[Any], mixed: NDArray[np.uint8], length: int, inner: int) -> None:
    """Do what `complete_mixed` does, going along one line after the other."""
    for base in range(0, codes.size, length * inner):
        if inner == 1:
            # A stride of one, written so, is what the compiler turns into wide instructions.
            line, marks = codes[base : base + length], mixed[base : base + length]
            differs = False
            for at in range(1, length):
                differs |= line[at] != line[0]
            for at in range(length if differs else 0):
                marks[at] = 1
            continue
        for x in range(base, base + inner):
            differs = False
            for at in range(x, x + length * inner, inner):
                differs |= codes[at] != codes[x]
            for at in range(x, x + length * inner if differs else x, inner):
                mixed[at] = 1


@kernel
def path_steps(steps: NDArray[Any], cut: Cut, wraps: bool) -> None:
    """Let every dataset be at most one step farther than the one before and after along the axis."""
    outer, length, inner = cut
    rounds = 2 if wraps else 1
    for base in range(0, outer * length * inner, length * inner):
        if inner < _NARROW:
            for x in range(base, base + inner):
                end = x + (length - 1) * inner
                _walk(steps, x, end + 1, inner, rounds)
                _walk(steps, end, x - 1, -inner, rounds)
            continue
        # On a cycle everything is done a second time, beyond the end.
        for position in range(1, rounds * length):
            before = base + (position - 1) % length * inner
            here = base + position % length * inner
            _follow(steps[before : before + inner], steps[here : here + inner])
        for position in range(rounds * length - 2, -1, -1):
            before = base + (position + 1) % length * inner
            here = base + position % length * inner
            _follow(steps[before : before + inner], steps[here : here + inner])


@kernel
def _walk(steps: NDArray[Any], start: int, stop: int, stride: int, rounds: int) -> None:
    """Let every dataset of a line be at most one step farther than the one before it, a round or two."""
    reached = steps[start]
    for _round in range(rounds):
        for here in range(start, stop, stride):
            reached = min(steps[here], reached)
            steps[here] = reached
            reached = steps.dtype.type(reached + 1)


@kernel
def _follow(before: NDArray[Any], here: NDArray[Any]) -> None:
    """Let every entry be at most one more than the entry before it."""
    for x in range(here.size):
        here[x] = min(here[x], before.dtype.type(before[x] + 1))


@kernel
def complete_steps(steps: NDArray[Any], cut: Cut) -> None:
    """Let every dataset be at most one step farther than the nearest of its line along the axis."""
    outer, length, inner = cut
    if inner < _NARROW:
        _near_lines(steps, length, inner)
        return
    least = np.empty(_TILE, dtype=steps.dtype)
    for base in range(0, outer * length * inner, length * inner):
        for start in range(base, base + inner, _TILE):
            width = min(_TILE, base + inner - start)
            least[:width] = steps[start : start + width]
            for there in range(start + inner, start + length * inner, inner):
                row = steps[there : there + width]
                for x in range(width):
                    least[x] = min(least[x], row[x])
            for there in range(start, start + length * inner, inner):
                _follow(least[:width], steps[there : there + width])


@kernel
def _near_lines(steps: NDArray[Any], length: int, inner: int) -> None:
    """Do what `complete_steps` does, going along one line after the other."""
    for base in range(0, steps.size, length * inner):
        if inner == 1:
            line = steps[base : base + length]
            low = line[0]
            for at in range(1, length):
                low = min(low, line[at])
            low = steps.dtype.type(low + 1)
            for at in range(length):
                line[at] = min(line[at], low)
            continue
        for x in range(base, base + inner):
            low = steps[x]
            for at in range(x, x + length * inner, inner):
                low = min(low, steps[at])
            low = steps.dtype.type(low + 1)
            for at in range(x, x + length * inner, inner):
                steps[at] = min(steps[at], low)


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
                place = (seen * _SPREAD) >> np.uint64(52)
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
