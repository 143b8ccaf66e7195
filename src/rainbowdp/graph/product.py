# SPDX-License-Identifier: Apache-2.0
"""Product families (grids, cubes, Hamming graphs and other products of axes) without a list of pairs.

Neighbors in a product differ in one coordinate, so every question about neighbors is answered
line by line, axis after axis. The number of steps between two datasets is the sum of the steps along the
axes (the distance of a Cartesian product of graphs), and a minimum over sums of that kind can be taken one
axis at a time: with f the distance that the first axes allow, ``min over s of f(s) + d1 + ... + dk`` is
``min over the k-th coordinate of (min over the others ...) + dk``. One pass per axis is therefore exact,
for any starts.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.exact.arguments import items_of, one_of, whole
from rainbowdp.graph.arrays import Integers, dataset_codes, frozen, start_marks
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.implicit import Blockwise, require_countable
from rainbowdp.graph.relation import CodePairs, CodeTally

AxisKind = Literal["path", "cycle", "complete"]
"""How the positions along an axis are neighbors."""

_Cut = tuple[int, int, int]
# So many datasets stay in the processor's cache, and so many in a row are worth an array operation.
_TILE, _ROW = 1 << 18, 1 << 12
# A set of at most so many codes is one machine word, and so many sets are remembered.
_FEW, _KNOWN = 64, 1 << 12


@dataclass(frozen=True, repr=False)
class ProductGraph(Blockwise):
    """A product of axes; neighbors differ in one coordinate, by what the kind of the axis allows.

    Datasets are numbered in the lexicographic order of their coordinates, the last one changing fastest.

    Parameters
    ----------
    lengths : tuple of int
        Number of positions of each axis, at least 1.
    kinds : tuple of {"path", "cycle", "complete"}
        Which positions of an axis are neighbors: those one apart; those and the two ends; all. A cycle has at
        least 3 positions.

    Raises
    ------
    GraphShapeError
        If there is no axis, a length or kind is impossible, or there are more than about 2 * 10^9 datasets.

    Examples
    --------
    >>> words = ProductGraph((10,) * 8, ("complete",) * 8)
    >>> words
    ProductGraph(100000000 datasets, 3600000000 pairs)
    >>> mixed = ProductGraph((3, 4), ("path", "complete"))
    >>> mixed.neighbors(5)
    array([1, 4, 6, 7, 9], dtype=int32)
    >>> mixed.steps_from(np.arange(12) == 0).reshape(3, 4).tolist()
    [[0, 1, 1, 1], [1, 2, 2, 2], [2, 3, 3, 3]]
    """

    lengths: tuple[int, ...]
    kinds: tuple[AxisKind, ...]

    def __post_init__(self) -> None:
        lengths, kinds = tuple(items_of(self.lengths) or ()), tuple(items_of(self.kinds) or ())
        if not lengths or len(lengths) != len(kinds):
            raise GraphShapeError(
                f"{len(lengths)} lengths and {len(kinds)} kinds of axes",
                help="give one kind for each of at least one axis",
            )
        for axis, (length, kind) in enumerate(zip(lengths, kinds, strict=True)):
            one_of(f"a kind of axis (axis {axis})", kind, get_args(AxisKind), GraphShapeError)
            least = 3 if kind == "cycle" else 1
            whole(f"a length of axis {axis}", length, least, error=GraphShapeError)
        require_countable(math.prod(map(int, lengths)))
        object.__setattr__(self, "lengths", tuple(map(int, lengths)))
        object.__setattr__(self, "kinds", kinds)

    @property
    def size(self) -> int:
        """Number of datasets."""
        return math.prod(self.lengths)

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.lengths)

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors."""
        size = self.size
        return sum(
            size // length * _pair_count(length, kind)
            for length, kind in zip(self.lengths, self.kinds, strict=True)
        )

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        if not is_worth_compiling(self.pair_count):
            return super().mixed(codes)
        from rainbowdp.graph.kernels_families import mix_lines

        narrow, marks = narrow_codes(codes, self.size), np.zeros(self.size, dtype=np.bool_)
        for cut, kind in self._cuts():
            if kind == "complete":
                mix_lines(narrow, marks.view(np.uint8), cut)
            else:
                for lines, marked in zip(_tiles(narrow, cut), _tiles(marks, cut), strict=True):
                    _mark(lines, marked, wraps=kind == "cycle")
        return frozen(marks)

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start, int32 [n]; -1 without starts."""
        if not is_worth_compiling(self.pair_count):
            return super().steps_from(starts)
        diameter = sum(map(_diameter, self.lengths, self.kinds))
        steps = narrow_steps(starts, self.size, diameter)
        from rainbowdp.graph.kernels_families import lower_lines, lower_paths

        for cut, kind in self._cuts():
            if kind == "complete":
                lower_lines(steps, cut)
            else:
                lower_paths(steps, cut, kind == "cycle")
        return finished_steps(steps, diameter)

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        if not is_worth_compiling(self.pair_count):
            return super().code_pairs(codes, count)
        from rainbowdp.graph.kernels import meet_along, meet_in_lines
        from rainbowdp.graph.kernels_families import meet_in_few_lines

        narrow, tally = narrow_codes(codes, self.size, count), CodeTally(count, self.size)
        work = np.zeros((3, count), dtype=np.int64)
        known, until = np.zeros(_KNOWN, dtype=np.uint64), np.zeros(_KNOWN, dtype=np.int64)
        for cut, kind in self._cuts():
            # Two positions are neighbors along a path as they are along a complete axis.
            if kind == "complete" and count <= _FEW:
                meet_in_few_lines(narrow, cut, count, tally.dense, known, until)
            elif kind == "complete" and cut[1] > 2:
                tally.run(partial(meet_in_lines, narrow, cut, work))
            else:
                for runs in _runs(cut, wraps=kind == "cycle"):
                    tally.run(partial(meet_along, narrow, runs))
        return tally.result()

    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        """Return all neighbors of the datasets from `start` up to before `stop`."""
        numbers = np.arange(start, stop, dtype=np.int64)
        sources, targets = [numbers[:0]], [numbers[:0]]
        for (_, length, inner), kind in self._cuts():
            position = numbers // inner % length
            if kind == "path":
                steps = [(position > 0, -1), (position < length - 1, 1)]
                sources += [numbers[can] for can, _ in steps]
                targets += [numbers[can] + step * inner for can, step in steps]
                continue
            apart = np.arange(1, length) if kind == "complete" else np.array([1, length - 1])
            moved = (position[:, np.newaxis] + apart) % length - position[:, np.newaxis]
            sources.append(np.repeat(numbers, apart.size))
            targets.append((numbers[:, np.newaxis] + moved * inner).ravel())
        return np.concatenate(sources), np.concatenate(targets)

    def rows_of(self, datasets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the coordinates of some datasets, int64 [m, dimensions]."""
        rest = datasets.astype(np.int64)
        values = np.empty((rest.size, self.dimensions), dtype=np.int64)
        for axis in range(self.dimensions - 1, -1, -1):
            rest, values[:, axis] = np.divmod(rest, self.lengths[axis])
        return values

    def number_of(self, row: list[int]) -> int | None:
        """Return the dataset with these coordinates, or None."""
        if len(row) != self.dimensions:
            return None
        number = 0
        for position, length in zip(row, self.lengths, strict=True):
            if not 0 <= position < length:
                return None
            number = number * length + position
        return number

    def _cuts(self) -> list[tuple[_Cut, AxisKind]]:
        """Return each axis that has pairs as outer, own and inner numbers."""
        cuts: list[tuple[_Cut, AxisKind]] = []
        inner = self.size
        for length, kind in zip(self.lengths, self.kinds, strict=True):
            inner //= length
            if length > 1:
                cuts.append(((self.size // (length * inner), length, inner), kind))
        return cuts


def _tiles(values: NDArray[Any], cut: _Cut) -> Iterator[NDArray[Any]]:
    """Yield views [outer, length, inner] of whole lines along an axis, as many as stay in the cache."""
    outer, length, inner = cut
    lines = values.reshape(cut)
    width = min(inner, max(_TILE // length, _ROW))
    depth = max(_TILE // length, _ROW) // width
    for start in range(0, outer, depth):
        for place in range(0, inner, width):
            yield lines[start : start + depth, :, place : place + width]


def _mark(lines: NDArray[Any], marked: NDArray[np.bool_], *, wraps: bool) -> None:
    """Mark the datasets with a neighbor of another code along a path or cycle."""
    differs = lines[:, 1:] != lines[:, :-1]
    marked[:, 1:] |= differs
    marked[:, :-1] |= differs
    if wraps:
        differs = lines[:, 0] != lines[:, -1]
        marked[:, 0] |= differs
        marked[:, -1] |= differs


def _runs(cut: _Cut, *, wraps: bool) -> Iterator[NDArray[np.int64]]:
    """Yield the runs of neighbors along a path or cycle, many at a time: begin, length and shift of each."""
    outer, length, inner = cut
    for start in range(0, outer, _TILE):
        begins = np.arange(start, min(start + _TILE, outer)) * length * inner
        runs = [(inner * (length - 1), inner), *([(inner, inner * (length - 1))] if wraps else [])]
        for many, shift in runs:
            yield np.stack([begins, np.full_like(begins, many), np.full_like(begins, shift)], axis=1)


def narrow_codes(codes: NDArray[Any], size: int, count: int = 2**31 - 1) -> NDArray[Any]:
    """Return one code per dataset, below `count`, as uint8 if 255 is enough: memory limits the passes.

    Raises
    ------
    GraphShapeError
        If there is not exactly one code per dataset, or one is out of range.
    """
    checked = dataset_codes(codes, size, count)
    most = int(checked.max(initial=0))
    return np.ascontiguousarray(checked, dtype=np.uint8 if most <= np.iinfo(np.uint8).max else np.int32)


def narrow_steps(starts: NDArray[np.bool_], size: int, diameter: int) -> NDArray[Any]:
    """Return 0 at the starts and more than the diameter elsewhere, in the smallest type that can add one.

    Raises
    ------
    GraphShapeError
        If there is not exactly one mark per dataset.
    """
    beyond = diameter + 1
    kinds = (np.uint8, np.uint16, np.int32, np.int64)
    steps = np.full(size, beyond, dtype=next(kind for kind in kinds if beyond < int(np.iinfo(kind).max)))
    steps[start_marks(starts, size)] = 0
    return steps


def finished_steps(steps: NDArray[Any], diameter: int) -> NDArray[np.int32]:
    """Return steps as int32, -1 where none was found."""
    reached = steps <= diameter
    finished = steps.astype(np.int32, copy=False)
    if not reached.all():
        finished[~reached] = -1
    return frozen(finished)


def _pair_count(length: int, kind: AxisKind) -> int:
    return {"path": length - 1, "cycle": length, "complete": length * (length - 1) // 2}[kind]


def _diameter(length: int, kind: AxisKind) -> int:
    return {"path": length - 1, "cycle": length // 2, "complete": min(length - 1, 1)}[kind]
