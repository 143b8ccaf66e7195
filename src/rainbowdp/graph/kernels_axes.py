# SPDX-License-Identifier: Apache-2.0
"""Compiled passes along one axis of a product: which datasets are mixed, and distances.

An axis cuts the datasets ``(outer, position, inner)``, and a line along it is a path, a cycle or a complete
graph. All positions of an axis for a stretch of inner numbers are worked on together, so that memory is read
in order and the processor's wide registers are used; no pair is written down. Only integers occur.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.compiled import kernel

Cut = tuple[int, int, int]
"""Number of outer numbers, positions and inner numbers."""

# So many inner numbers are worked on together; with fewer than a few it is quicker to go along each line.
_TILE = 2048
_NARROW = 9


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
