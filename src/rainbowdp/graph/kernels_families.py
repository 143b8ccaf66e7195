# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over the neighbors in products and simplexes, which are never written down pair by pair.

Most neighbors come in runs: some datasets in a row, each with a neighbor at the same shift. A run is three
numbers, where it begins, its length, and the shift; all its datasets and neighbors are in range. The lines
of a complete axis are gone through as wholes instead. Only integers occur. What fills a hash table with codes
that meet along runs and lines stands in `kernels`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.compiled import kernel
from rainbowdp.graph.kernels import SPREAD, Cut, Runs

# So many lines are worked on together; of fewer than a few it is quicker to go along each one.
_TILE, _NARROW = 2048, 9


@kernel
def list_runs(  # noqa: PLR0917 - machine code takes no keywords
    starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    terms: NDArray[np.int64],
    moves: NDArray[np.int64],
    gains: bool,
    runs: NDArray[np.int64],
) -> None:
    """Write down the run of every move [k] from every stretch of histograms [m]: runs [m, k, 3].

    `rows` holds the first histogram of each stretch, and `terms` what its moves add to a number. Along a
    stretch a record of the last two parts is in the one or the other, but at one end.
    """
    parts = rows.shape[1]
    for stretch in range(starts.size):
        for move in range(moves.shape[0]):
            one, other = moves[move]
            losing = other if gains else one
            length = rows[stretch, parts - 1] + 1
            if losing >= parts - 2:
                length -= 1
            elif rows[stretch, losing] == 0:
                length = 0
            run = runs[stretch, move]
            run[0] = starts[stretch] + (losing == parts - 2)
            run[1] = length
            between = terms[2, other - 1, stretch] - terms[2, one, stretch]
            run[2] = terms[0, one, stretch] + between + terms[1, other, stretch]


@kernel
def mix_along(codes: NDArray[Any], mixed: NDArray[np.uint8], runs: Runs) -> None:
    """Mark both datasets of every pair along the runs that has two codes."""
    for run in range(runs.shape[0]):
        begin, length, shift = runs[run]
        # Slices that begin where a loop begins are what the compiler turns into wide instructions.
        one, other = codes[begin : begin + length], codes[begin + shift : begin + shift + length]
        mark, other_mark = mixed[begin : begin + length], mixed[begin + shift : begin + shift + length]
        for x in range(length):
            differs = one[x] != other[x]
            mark[x] |= differs
            other_mark[x] |= differs


@kernel
def lower_along(steps: NDArray[Any], runs: Runs) -> None:
    """Let every dataset of a run be at most one step farther than its neighbor, run after run.

    Along a run whose shift is 1 or -1 a dataset follows a neighbor of the same run, so it comes after it.
    """
    for run in range(runs.shape[0]):
        begin, length, shift = runs[run]
        if shift == 1:
            for at in range(begin + length - 1, begin - 1, -1):
                steps[at] = min(steps[at], steps.dtype.type(steps[at + 1] + 1))
        elif shift == -1:
            for at in range(begin, begin + length):
                steps[at] = min(steps[at], steps.dtype.type(steps[at - 1] + 1))
        else:
            _follow(steps[begin + shift : begin + shift + length], steps[begin : begin + length])


@kernel
def lower_paths(steps: NDArray[Any], cut: Cut, wraps: bool) -> None:
    """Let every dataset be at most one step farther than the one before and after along a path or cycle."""
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
    """Let every entry be at most one more than the entry beside it."""
    for x in range(here.size):
        here[x] = min(here[x], here.dtype.type(before[x] + 1))


@kernel
def meet_in_few_lines(  # noqa: PLR0917 - machine code takes no keywords
    codes: NDArray[Any],
    cut: Cut,
    count: int,
    dense: NDArray[np.int64],
    known: NDArray[np.uint64],
    until: NDArray[np.int64],
) -> None:
    """Do what `kernels.meet_in_lines` does for at most 64 codes, which are the bits of one number.

    `dense` [count * count] holds the least packed pair of datasets. ``known`` and ``until`` remember sets of
    codes, each with a packed pair such that no line of the set which starts there or later lowers an entry:
    the first dataset of a pair is never before the start of its line.
    """
    outer, length, inner = cut
    lines, one = codes.reshape(cut), np.uint64(1)
    once, twice = np.empty(_TILE, dtype=np.uint64), np.empty(_TILE, dtype=np.uint64)
    shared = np.uint64(0)
    for block in range(outer):
        for start in range(0, inner, _TILE):
            if inner < _NARROW:
                _gather_narrow(lines, block, once, twice)
            else:
                _gather(lines[block, :, start : start + _TILE], once, twice)
            for x in range(min(_TILE, inner - start)):
                shared |= twice[x]
                seen, first = once[x], block * length * inner + start + x
                place = (seen * SPREAD) >> np.uint64(52)
                if seen & (seen - one) and (known[place] != seen or until[place] >= first * codes.size):
                    known[place] = seen
                    until[place] = _meet_line(
                        lines[block, :, start + x], first, inner, codes.size, count, dense
                    )
    for code in range(count):
        if shared >> np.uint64(code) & one:
            dense[code * count + code] = 0


@kernel
def _gather(tile: NDArray[Any], once: NDArray[np.uint64], twice: NDArray[np.uint64]) -> None:
    """Write down which codes occur in each column of a tile, and which of them occur again."""
    width, one = tile.shape[1], np.uint64(1)
    once[:width] = 0
    twice[:width] = 0
    for at in range(tile.shape[0]):
        row = tile[at]
        for x in range(width):
            bit = one << np.uint64(row[x])
            twice[x] |= once[x] & bit
            once[x] |= bit


@kernel
def _gather_narrow(
    lines: NDArray[Any], block: int, once: NDArray[np.uint64], twice: NDArray[np.uint64]
) -> None:
    """Do what `_gather` does, going along one line after the other."""
    for x in range(lines.shape[2]):
        seen = again = np.uint64(0)
        for at in range(lines.shape[1]):
            bit = np.uint64(1) << np.uint64(lines[block, at, x])
            again |= seen & bit
            seen |= bit
        once[x], twice[x] = seen, again


@kernel
def _meet_line(  # noqa: PLR0917 - machine code takes no keywords
    line: NDArray[Any], first: int, inner: int, size: int, count: int, dense: NDArray[np.int64]
) -> int:
    """Keep the least pair of every two codes of a line, and return the largest of these pairs."""
    largest = distinct = 0
    seen, found = np.uint64(0), np.empty(64, dtype=np.int64)
    for at in range(line.size):
        bit = np.uint64(1) << np.uint64(line[at])
        if seen & bit:
            continue
        for index in range(distinct):
            before = found[index]
            low, high = min(line[before], line[at]), max(line[before], line[at])
            place = np.int64(low) * count + np.int64(high)
            dense[place] = min(dense[place], (first + before * inner) * size + first + at * inner)
            largest = max(largest, dense[place])
        seen |= bit
        found[distinct] = at
        distinct += 1
    return largest


@kernel
def mix_lines(codes: NDArray[Any], mixed: NDArray[np.uint8], cut: Cut) -> None:
    """Mark all datasets of every line along the axis that holds two codes."""
    outer, length, inner = cut
    if inner < _NARROW:
        _mix_narrow(codes, mixed, cut)
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
def _mix_narrow(codes: NDArray[Any], mixed: NDArray[np.uint8], cut: Cut) -> None:
    """Do what `mix_lines` does, going along one line after the other."""
    # An array of three axes is known to be read in the order of memory where the last one has one place.
    lines, marks = codes.reshape(cut), mixed.reshape(cut)
    for block in range(cut[0]):
        for x in range(cut[2]):
            differs = False
            for at in range(1, cut[1]):
                differs |= lines[block, at, x] != lines[block, 0, x]
            for at in range(cut[1] if differs else 0):
                marks[block, at, x] = 1


@kernel
def lower_lines(steps: NDArray[Any], cut: Cut) -> None:
    """Let every dataset be at most one step farther than the nearest of its line along the axis."""
    outer, length, inner = cut
    if inner < _NARROW:
        _lower_narrow(steps, cut)
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
def _lower_narrow(steps: NDArray[Any], cut: Cut) -> None:
    """Do what `lower_lines` does, going along one line after the other."""
    lines = steps.reshape(cut)
    for block in range(cut[0]):
        for x in range(cut[2]):
            low = lines[block, 0, x]
            for at in range(1, cut[1]):
                low = min(low, lines[block, at, x])
            low = steps.dtype.type(low + 1)
            for at in range(cut[1]):
                lines[block, at, x] = min(lines[block, at, x], low)
