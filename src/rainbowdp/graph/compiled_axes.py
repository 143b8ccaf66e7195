# SPDX-License-Identifier: Apache-2.0
"""Passes along the axes of a product in machine code; the same functions as in `rainbowdp.graph.axes`."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import kernels_axes
from rainbowdp.graph.axes import AxisKind, Cut
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.key_table import KeyTable

_FEW = 64
_KNOWN = 1 << 12


def axis_mixed(codes: NDArray[Any], mixed: NDArray[np.bool_], cut: Cut, kind: AxisKind) -> None:
    """Mark the datasets that have a neighbor of another code along the axis."""
    if kind == "complete":
        kernels_axes.complete_mixed(codes, mixed.view(np.uint8), cut)
    else:
        kernels_axes.path_mixed(codes, mixed.view(np.uint8), cut, kind == "cycle")


def axis_steps(steps: NDArray[Any], cut: Cut, kind: AxisKind) -> None:
    """Lower each distance to what one line along the axis allows; no distance may be a type's largest."""
    if kind == "complete":
        kernels_axes.complete_steps(steps, cut)
    else:
        kernels_axes.path_steps(steps, cut, kind == "cycle")


def axes_code_pairs(codes: NDArray[Any], cuts: list[tuple[Cut, AxisKind]], tally: CodeTally) -> None:
    """Add the codes that meet along some axes, with the least pair for each, to a tally.

    Complete axes come with at most 64 codes as a rule, and then a set of codes is one machine word.
    """
    count = tally.count
    table = KeyTable(count)
    few = np.full((_FEW, _FEW), np.iinfo(np.int64).max, dtype=np.int64)
    same = 0
    known, until = np.zeros(_KNOWN, dtype=np.uint64), np.zeros(_KNOWN, dtype=np.int64)
    # When each code was last seen, where it came first, and the codes of a line.
    work = np.zeros((3, count), dtype=np.int64)
    for cut, kind in cuts:
        if kind != "complete":
            table.run(partial(kernels_axes.path_code_pairs, codes, cut, kind == "cycle"))
        elif count <= _FEW:
            same |= int(kernels_axes.few_complete_code_pairs(codes, cut, few, known, until))
        else:
            table.run(partial(kernels_axes.complete_code_pairs, codes, cut, work))
    table.add_to(tally)
    first, second = np.nonzero(few < np.iinfo(np.int64).max)
    tally.add_packed(first * count + second, few[first, second])
    tally.add_same(np.flatnonzero([same >> code & 1 for code in range(_FEW)]))
