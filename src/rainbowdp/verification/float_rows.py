# SPDX-License-Identifier: Apache-2.0
"""Float64 bounds of row entries, on which the filter works.

An entry is a number, or an interval of numbers where the row holds stated decimals. Bounds are floats that
are surely below or above the ends of that interval; nothing here is an estimate. An upper bound is 0 only
where the number is exactly 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import Exact, to_float
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE

Floats = NDArray[np.float64]

_SMALLEST_FLOAT = 5e-324
_UNIT = 2.0**-52
# More than four roundings of float64, which is what the arithmetic of stated bounds can lose.
_ROUNDING = 2.0**-50


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds of entries, float64 arrays of one shape.

    Parameters
    ----------
    least_down, least_up : array
        Below and above the least number that an entry can stand for.
    most_down, most_up : array
        Below and above the largest one; a written 0 may stand for the absolute precision.
    figure_up : array
        As `most_up`, but 0 where 0 is written: two zeros say nothing about a ratio.
    """

    least_down: Floats
    least_up: Floats
    most_down: Floats
    most_up: Floats
    figure_up: Floats


BoundsOf = Callable[[Floats], Bounds]
"""Turns correctly rounded entries into bounds."""


def nearest_bounds(values: Floats) -> Bounds:
    """Return bounds of the numbers whose nearest floats these are; 0 stands for 0."""
    down = np.maximum(values * (1 - _UNIT) - _SMALLEST_FLOAT, 0)
    up = np.where(values == 0, 0, values * (1 + _UNIT) + _SMALLEST_FLOAT)
    return Bounds(down, up, down, up, up)


def stated_bounds(values: Floats) -> Bounds:
    """Return bounds of what stated decimals can stand for, from their nearest floats."""
    width = float(STATED_RELATIVE) * values + float(STATED_ABSOLUTE)
    slack = _ROUNDING * (values + float(STATED_ABSOLUTE))
    least, most = values - width, values + width
    most_up = most + slack
    return Bounds(
        least_down=np.maximum(least - slack, 0),
        least_up=np.maximum(least + slack, 0),
        most_down=most - slack,
        most_up=most_up,
        figure_up=np.where(values == 0, 0, most_up),
    )


def nearest_table(rows: Sequence[Distribution], used: NDArray[Any], colors: int) -> Floats:
    """Return the nearest floats of exact rows, rounded one by one and never 0 for a positive number.

    Parameters
    ----------
    rows : sequence of Distribution [C]
        Exact numbers.
    used : int array
        The rows wanted; others stay 0.
    colors : int
        How many colors a row has, k.

    Returns
    -------
    float64 array [C, k]
    """
    table = np.zeros((len(rows), colors))
    for index in used.tolist():
        table[index] = [_nearest(value) for value in rows[index].values()]
    return table


def _nearest(value: Exact) -> float:
    nearest = to_float(value, "nearest")
    try:
        return nearest if nearest > 0 or value == 0 else _SMALLEST_FLOAT
    except UndecidedError:
        # Closer to 0 than any float, and so within the bounds of the smallest one.
        return _SMALLEST_FLOAT
