# SPDX-License-Identifier: Apache-2.0
"""The optimum by a linear program: ``python -m benchmarks.linear_program SIZE closed|program FILE``.

The family is a square lattice, half of it of one region and half of another, with three answers. ``closed``
measures our path from arrays to the table of all probabilities and leaves it in the file. ``program`` knows
nothing of the closed form: it builds the program with one variable per dataset and answer, fixes the
datasets on the boundary, lets HiGHS maximize the sum of all prefix masses, and compares all prefix masses
with that file.
"""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.child import say
from benchmarks.own_path import load
from benchmarks.peers import Array, starts
from benchmarks.spent import spent

EPSILON = "1/2"
RAINBOWS = ("a>b>c", "c>b>a")
_COLORS = 3
# HiGHS lets constraints be broken by 10^-7.
_TOLERANCE = 1e-5


def family(size: int) -> tuple[Array, Array, Array]:
    """Return the pairs and regions of a square lattice of some `size` datasets."""
    side = max(round(size**0.5), 2)
    numbers = np.arange(side * side, dtype=np.int32).reshape(side, side)
    source = np.concatenate([numbers[:, :-1].ravel(), numbers[:-1].ravel()])
    target = np.concatenate([numbers[:, 1:].ravel(), numbers[1:].ravel()])
    return source, target, (numbers % side >= side // 2).astype(np.int32).ravel()


def closed(source: Array, target: Array, regions: Array) -> Array:
    """Return the probability of every answer (by its name) of every dataset, float64 [n, 3]."""
    from rainbowdp import PureDP, RainbowGraph, optimal_mechanism
    from rainbowdp.graph import PairList

    graph = RainbowGraph.from_codes(PairList.from_arrays(regions.size, source, target), RAINBOWS, regions)
    return optimal_mechanism(graph, PureDP(EPSILON), "uniform").probabilities()


def program(source: Array, target: Array, regions: Array) -> Array:
    """Return the same from HiGHS, building the program included.

    Raises
    ------
    RuntimeError
        If HiGHS finds no optimum.
    """
    import highspy

    size = regions.size
    made: Any = highspy.Highs
    solver = made()
    solver.setOptionValue("output_flag", False)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    # A prefix of an answer's own place has it in three, two, or one of the sums.
    weights = np.where(regions[:, None] == 0, [3.0, 2.0, 1.0], [1.0, 2.0, 3.0])
    lower, upper = np.zeros((size, _COLORS)), np.ones((size, _COLORS))
    boundary = starts(source, target, regions)
    lower[boundary] = upper[boundary] = 1 / _COLORS
    none = np.empty(0, dtype=np.int32)
    columns = size * _COLORS
    solver.addCols(
        columns,
        weights.ravel(),
        lower.ravel(),
        upper.ravel(),
        0,
        np.zeros(columns, dtype=np.int32),
        none,
        np.empty(0),
    )
    variables = np.arange(columns, dtype=np.int32).reshape(size, _COLORS)
    _add_rows(solver, variables, np.ones(_COLORS), 1.0, 1.0)
    one = variables[np.concatenate([source, target])].ravel()
    other = variables[np.concatenate([target, source])].ravel()
    odds = float(np.exp(0.5))
    _add_rows(solver, np.stack([one, other], axis=1), np.array([1.0, -odds]), -np.inf, 0.0)
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(f"HiGHS stopped with {solver.modelStatusToString(status)}")
    return np.array(solver.getSolution().col_value).reshape(size, _COLORS)


def _add_rows(solver: Any, columns: Array, values: Array, lower: float, upper: float) -> None:  # noqa: ANN401 - highspy's own
    rows, entries = columns.shape
    begins = np.arange(0, rows * entries, entries, dtype=np.int32)
    filled = np.broadcast_to(values, columns.shape).ravel()
    solver.addRows(
        rows, np.full(rows, lower), np.full(rows, upper), rows * entries, begins, columns.ravel(), filled
    )


def difference(regions: Array, ours: Array, theirs: Array) -> float:
    """Return by how much any prefix mass differs.

    Examples
    --------
    >>> one, other = np.array([[0.5, 0.25, 0.25]]), np.array([[0.25, 0.5, 0.25]])
    >>> difference(np.array([0]), one, other), difference(np.array([1]), one, other)
    (0.25, 0.25)
    """
    apart = np.where(regions[:, None] == 0, ours - theirs, (ours - theirs)[:, ::-1])
    return float(np.abs(np.cumsum(apart, axis=1)).max())


def main(size: int, way: str, place: Path) -> dict[str, Any]:
    """Measure one way; the closed form first, which leaves its table.

    Raises
    ------
    RuntimeError
        If the prefix masses are not the same.
    """
    source, target, regions = family(size)
    for array in (source, target):
        array.setflags(write=False)
    if way == "closed":
        load()
        table, needed = spent(lambda: closed(source, target, regions))
        np.save(place, table)
        return asdict(needed) | {"datasets": regions.size, "pairs": source.size}
    import highspy  # noqa: F401 - not measured

    found, needed = spent(lambda: program(source, target, regions))
    off = difference(regions, np.load(place), found)
    if off > _TOLERANCE:
        raise RuntimeError(f"prefix masses differ by {off:.2g}")
    return asdict(needed) | {"difference": off}


if __name__ == "__main__":
    say(main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
