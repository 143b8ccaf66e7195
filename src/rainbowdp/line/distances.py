# SPDX-License-Identifier: Apache-2.0
"""Distances as callers give them: read once, refused where they are none, and sorted out for bulk tables."""

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import NumberError
from rainbowdp.exact.arguments import described, is_whole, kind_of
from rainbowdp.line.odds_table import LARGEST_DISTANCE

_MARKED = 64


def whole_step(distance: object) -> int:
    """Return a distance as an integer.

    Raises
    ------
    NumberError
        If it is negative or no whole number.
    """
    if is_whole(distance) and distance >= 0:
        return int(distance)
    raise NumberError(
        f"{described(distance)} is not a distance",
        help="give a whole number of steps, at least 0",
        value=distance,
    )


def whole_steps(distances: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return distances as an array.

    Raises
    ------
    NumberError
        If they are not whole numbers from 0 to 2^53 in one dimension.
    """
    try:
        steps = np.asarray(distances)
    except (TypeError, ValueError) as error:
        raise NumberError(
            f"{kind_of(distances)} is not a list of distances",
            help="give a one-dimensional array of integers",
        ) from error
    if steps.size == 0 and steps.ndim == 1:
        return np.empty(0, np.int64)
    if steps.ndim != 1 or steps.dtype.kind not in "iu":
        raise NumberError(
            f"distances of shape {steps.shape} and type {steps.dtype} are not a list of whole numbers",
            help="give a one-dimensional array of integers",
        )
    if np.ma.is_masked(distances):
        raise NumberError(
            "some distances are masked: their datasets are unconstrained",
            help="leave them out; an unconstrained dataset gives its best class with certainty",
        )
    lowest, highest = steps.min(), steps.max()
    if lowest < 0 or highest > LARGEST_DISTANCE:
        wrong = int(lowest if lowest < 0 else highest)
        raise NumberError(
            f"the distance {wrong} is outside 0 to 2^53",
            help="give steps to the boundary; for larger ones use `distribution` with symbolic=True",
            value=wrong,
        )
    return steps.astype(np.int64, copy=False)


def is_counting(at: npt.NDArray[np.int64], count: int) -> bool:
    """Tell whether an array is 0, 1, 2, ... up to a number."""
    return at.size == count and bool(np.array_equal(at, np.arange(count)))


def different_ones(
    steps: npt.NDArray[np.int64], lowest: int, highest: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Return the different distances, ascending, and the place of each distance among them."""
    if highest - lowest >= _MARKED * steps.size:
        different, place = np.unique(steps, return_inverse=True)
        return different, place
    occurs = np.zeros(highest - lowest + 1, dtype=np.bool_)
    occurs[steps - lowest] = True
    return np.flatnonzero(occurs) + lowest, (np.cumsum(occurs) - 1)[steps - lowest]
