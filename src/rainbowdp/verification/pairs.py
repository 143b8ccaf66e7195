# SPDX-License-Identifier: Apache-2.0
"""The pairs of classes that meet along pairs of neighbors, each with the first such pair of datasets.

Whether two neighbors satisfy a constraint depends on their classes only, so ten million pairs of neighbors
often come down to a thousand pairs of classes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import DatasetGraph
from rainbowdp.graph.arrays import Integers, first_occurrences


@dataclass(frozen=True, eq=False)
class ClassPairs:
    """Unordered pairs of different classes that neighbors have.

    Parameters
    ----------
    first, second : int array [P]
        The classes of `source` and `target`.
    source, target : int array [P]
        The first pair of neighboring datasets with these classes, ``source < target``.
    place : int array [P]
        Where that pair stands among all pairs of neighbors.
    same : int array
        Classes that hold two neighbors.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    source: Integers
    target: Integers
    place: NDArray[np.int64]
    same: NDArray[np.int32]

    @property
    def size(self) -> int:
        """Number of pairs of classes."""
        return self.first.size

    def only(self, kept: NDArray[np.bool_]) -> "ClassPairs":
        """Return the pairs that a mask of them keeps, in the same order."""
        return ClassPairs(
            self.first[kept],
            self.second[kept],
            self.source[kept],
            self.target[kept],
            self.place[kept],
            self.same,
        )


def class_pairs(codes: NDArray[np.int32], structure: DatasetGraph) -> ClassPairs:
    """Return the pairs of different classes that meet, ordered by class.

    Parameters
    ----------
    codes : int32 array [n]
        The class of each dataset.
    structure : DatasetGraph
        Datasets 0 to n - 1 and their neighbors.

    Returns
    -------
    ClassPairs

    Examples
    --------
    >>> path = DatasetGraph.from_pairs(4, [0, 1, 2], [1, 2, 3])
    >>> pairs = class_pairs(np.array([1, 1, 0, 1], dtype=np.int32), path)
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.source.tolist(), pairs.target.tolist()
    ([1], [0], [1], [2])
    """
    source, target = structure.pairs()
    first, second = codes[source], codes[target]
    count = int(codes.max(initial=-1)) + 1
    if np.unique(codes).size == codes.size:
        # Every dataset is a class of its own, so no pair of classes occurs twice.
        place = np.arange(source.size, dtype=np.int64)
    else:
        apart = np.flatnonzero(first != second)
        one, other = first[apart], second[apart]
        place = apart[first_occurrences(np.minimum(one, other), np.maximum(one, other), count)]
    same = np.unique(first[first == second])
    return ClassPairs(first[place], second[place], source[place], target[place], place, same)
