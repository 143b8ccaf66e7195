# SPDX-License-Identifier: Apache-2.0
"""The pairs of classes that meet along pairs of neighbors, each with the first such pair of datasets.

Whether two neighbors satisfy a constraint depends only on their classes, so ten million pairs of neighbors
often come down to a thousand pairs of classes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.relation import NeighborRelation


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
        Where that pair stands among these pairs, ordered by datasets.
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


def class_pairs(codes: NDArray[np.int32], structure: NeighborRelation) -> ClassPairs:
    """Return the pairs of different classes that meet, ordered by class.

    Parameters
    ----------
    codes : int32 array [n]
        The class of each dataset.
    structure : NeighborRelation
        Datasets 0 to n - 1 and their neighbors.

    Returns
    -------
    ClassPairs

    Examples
    --------
    >>> from rainbowdp.graph import DatasetGraph
    >>> path = DatasetGraph.from_pairs(4, [0, 1, 2], [1, 2, 3])
    >>> pairs = class_pairs(np.array([1, 1, 0, 1], dtype=np.int32), path)
    >>> pairs.first.tolist(), pairs.second.tolist(), pairs.source.tolist(), pairs.target.tolist()
    ([1], [0], [1], [2])
    """
    count = int(codes.max(initial=-1)) + 1
    met = structure.code_pairs(codes, count)
    place = np.empty(met.size, dtype=np.int64)
    rises = (met.source[1:] > met.source[:-1]) | (
        (met.source[1:] == met.source[:-1]) & (met.target[1:] > met.target[:-1])
    )
    order = np.arange(met.size) if rises.all() else np.lexsort((met.target, met.source))
    place[order] = np.arange(met.size)
    return ClassPairs(
        first=codes[met.source],
        second=codes[met.target],
        source=met.source,
        target=met.target,
        place=place,
        same=met.same.astype(np.int32),
    )
