# SPDX-License-Identifier: Apache-2.0
"""The classes of datasets that the boundary morphism leads to: one per region and distance.

The one idea: a mechanism that is optimal depends on the class only, and there are few classes. Which of them
meet, found in one pass over the neighbors, is all that is left of the neighbors from there on.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Distances, frozen, frozen_distances


class Touch(NamedTuple):
    """Two regions joined by a pair of neighbors.

    Attributes
    ----------
    first, second : int
        Codes of the two regions, ``first < second``.
    source, target : int
        One pair of neighboring datasets, `source` in the first region and `target` in the second.
    """

    first: int
    second: int
    source: int
    target: int


@dataclass(frozen=True, eq=False)
class Classes:
    """The pairs (region, distance) that occur, ordered by region, then by distance.

    Parameters
    ----------
    codes : int32 array [n]
        The class of each dataset.
    region : int32 array [C]
        The region code of each class.
    distance : masked int32 array [C]
        The distance of each class; masked for the unconstrained one, a region's last.
    """

    codes: NDArray[np.int32]
    region: NDArray[np.int32]
    distance: Distances

    @property
    def size(self) -> int:
        """Number of classes."""
        return self.region.size


def classes_of(regions: NDArray[np.int32], distance: Distances, region_count: int) -> Classes:
    """Return a number for every pair (region, distance) that occurs, and that of each dataset.

    Parameters
    ----------
    regions : int32 array [n]
        The region of each dataset.
    distance : masked int32 array [n]
        Its distance to the region's boundary, masked where it is unconstrained.
    region_count : int
        Number of regions.

    Returns
    -------
    Classes

    Examples
    --------
    >>> distance = np.ma.MaskedArray([1, 0, 0, -1], mask=[False, False, False, True])
    >>> found = classes_of(np.array([0, 0, 1, 1]), distance, 2)
    >>> found.codes, found.region, found.distance.tolist()
    (array([1, 0, 2, 3], dtype=int32), array([0, 0, 1, 1], dtype=int32), [0, 1, 0, None])
    """
    steps = distance.data
    # Within a region every distance up to the largest occurs, so counting levels numbers the classes.
    deepest = np.full(region_count, -1, dtype=np.int32)
    np.maximum.at(deepest, regions, steps.astype(np.int32, copy=False))  # ten times as quick in one type
    levels = deepest.astype(np.int64) + 1
    free = np.ma.getmaskarray(distance)
    has_free = np.zeros(region_count, dtype=np.int64)
    has_free[regions[free]] = 1
    counts = levels + has_free
    starts = np.cumsum(counts) - counts
    codes = starts.astype(np.int32)[regions]
    codes += steps
    if free.any():
        codes[free] = (starts + levels)[regions[free]]
    region = np.repeat(np.arange(region_count, dtype=np.int32), counts)
    level = np.arange(region.size) - starts[region]
    return Classes(frozen(codes), frozen(region), frozen_distances(level, level == levels[region]))
