# SPDX-License-Identifier: Apache-2.0
"""A family that lists no pair, in a process: ``python -m benchmarks.families_run KIND SIZE [HOW]``.

Prints what our path needs from an array of regions to the distances. If HOW is ``check``, all pairs are
listed instead, and the distances compared with those of scipy's search. If it is ``transform``, for lattices
only, scipy's distance transform is measured on the same boundary, and its distances compared.
"""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.child import say
from benchmarks.graphs import REGIONS, rainbows
from benchmarks.own_path import Phases, load
from benchmarks.path_run import WrongAnswerError
from benchmarks.peers import Array, scipy
from benchmarks.spent import spent

if TYPE_CHECKING:
    from rainbowdp.families import Family

HAMMING, SQUARE, CUBE = "Hamming", "square lattice", "cubic lattice"
_SEED = 20_220_207
_LETTERS = 10
_AXES = {SQUARE: 2, CUBE: 3}


def shape_of(kind: str, size: int) -> tuple[int, ...]:
    """Return the lengths of the axes of a family of some `size` datasets.

    Examples
    --------
    >>> shape_of("Hamming", 1000), shape_of("square lattice", 1000)
    ((10, 10, 10), (31, 31))
    """
    if kind == HAMMING:
        return (_LETTERS,) * max(len(str(size)) - 1, 2)
    axes = _AXES[kind]
    return (max(int(size ** (1 / axes) + 1e-9), 2),) * axes


def regions(kind: str, shape: tuple[int, ...]) -> Array:
    """Return the region of every dataset: where its score is best, or of the nearest of some centers."""
    random = np.random.default_rng(_SEED)
    best = np.full(shape, np.inf, dtype=np.float32)
    found = np.zeros(shape, dtype=np.int32)
    for region in range(REGIONS):
        cost = np.zeros(shape, dtype=np.float32)
        for axis, length in enumerate(shape):
            if kind == HAMMING:
                part = random.random(length, dtype=np.float32)
            else:
                part = np.abs(np.arange(length, dtype=np.float32) - random.integers(length))
            cost += part.reshape([-1 if place == axis else 1 for place in range(len(shape))])
        better = cost < best
        found[better] = region
        np.minimum(best, cost, out=best)
    return found.ravel()


def family(kind: str, shape: tuple[int, ...]) -> "Family":
    """Return the family itself."""
    from rainbowdp.families import grid, hamming

    return hamming(len(shape), shape[0]) if kind == HAMMING else grid(*shape)


def run(kind: str, size: int, how: str) -> dict[str, Any]:
    """Measure or check a family.

    Raises
    ------
    WrongAnswerError
        If a check fails.
    """
    from rainbowdp import RainbowGraph
    from rainbowdp.graph import listed

    load()
    shape = shape_of(kind, size)
    codes = regions(kind, shape)
    datasets = family(kind, shape)
    structure = datasets.structure

    phases = Phases()

    def ours() -> tuple[Array, Array]:
        graph = phases.timed("check", lambda: RainbowGraph.from_codes(structure, rainbows(), codes))
        boundary = phases.timed("boundary", lambda: graph.boundary)
        return boundary, phases.timed("distances", lambda: graph.distance.data)

    counts = {"datasets": structure.size, "pairs": structure.pair_count}
    if how == "check":
        source, target = listed(structure).pairs()
        _require_same(ours()[1], scipy()(source, target, codes))
        return counts
    if how == "transform":
        from scipy.ndimage import distance_transform_cdt

        boundary, steps = ours()
        marked = ~boundary.reshape(shape)
        found, needed = spent(lambda: distance_transform_cdt(marked, metric="taxicab"))
        _require_same(steps, found.ravel())
        return counts | asdict(needed)
    _, needed = spent(ours)
    return counts | asdict(needed) | {"phases": phases.seconds}


def _require_same(ours: Array, theirs: Array) -> None:
    if not np.array_equal(ours, theirs):
        raise WrongAnswerError(
            f"{np.count_nonzero(ours != theirs)} of {ours.size} distances differ from scipy's"
        )


if __name__ == "__main__":
    say(run(sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "measure"))
