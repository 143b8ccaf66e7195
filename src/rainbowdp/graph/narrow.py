# SPDX-License-Identifier: Apache-2.0
"""Codes and steps in the smallest integers that hold them: a pass over 10^8 of them is as quick as memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import frozen
from rainbowdp.graph.pair_ends import dataset_codes, start_marks


def narrow_codes(codes: NDArray[Any], size: int, count: int | None = None) -> NDArray[Any]:
    """Return one code per dataset, below `count` where that is given, as uint8 if 255 is enough.

    Raises
    ------
    GraphShapeError
        If there is not exactly one code per dataset, or one is out of range.
    """
    checked = dataset_codes(codes, size) if count is None else dataset_codes(codes, size, count)
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
    kind = next(
        kind for kind in (np.uint8, np.uint16, np.int32, np.int64) if beyond < int(np.iinfo(kind).max)
    )
    steps = np.full(size, beyond, dtype=kind)
    steps[start_marks(starts, size)] = 0
    return steps


def finished_steps(steps: NDArray[Any], diameter: int) -> NDArray[np.int32]:
    """Return steps as int32, -1 where none was found."""
    reached = steps <= diameter
    finished = steps.astype(np.int32, copy=False)
    if not reached.all():
        finished[~reached] = -1
    return frozen(finished)


def narrowest(count: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that tells so many values apart.

    Examples
    --------
    >>> narrowest(256)(0).nbytes, narrowest(257)(0).nbytes
    (1, 2)
    """
    return np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
