# SPDX-License-Identifier: Apache-2.0
"""The questions about neighbors that a family of datasets answers.

Everything that is done with neighbors comes down to three questions about codes on the datasets
(which datasets have a neighbor of another code, which pairs of codes meet, how far the nearest of some
datasets is), and a family may answer them from stored pairs, from a file, or by a formula that lists no pair.
"""

import inspect
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rainbowdp.exact.arguments import require
from rainbowdp.graph.arrays import Integers


@dataclass(frozen=True, eq=False)
class CodePairs:
    """Which different codes meet along pairs of neighbors, each with the first such pair of datasets.

    Parameters
    ----------
    first, second : integer array [P]
        The distinct unordered pairs of codes, ``first < second``, ordered by `first`, then `second`.
    source, target : integer array [P]
        The least pair of neighbors with these codes, in either order: ``source < target``, and no pair with
        a smaller source, or with the same source and a smaller target, has them.
    same : integer array
        The codes that two neighbors share, ascending.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    source: Integers
    target: Integers
    same: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Number of pairs of codes."""
        return self.first.size


@runtime_checkable
class NeighborRelation(Protocol):
    """A symmetric neighbor relation on the datasets 0 to ``size - 1``, however it is held."""

    @property
    def size(self) -> int:
        """Number of datasets."""
        ...

    @property
    def pair_count(self) -> int:
        """Number of unordered pairs of neighbors."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was removed from the input, in words."""
        ...

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code, bool [n]."""
        ...

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        """Return which codes, all of them below `count`, meet along pairs of neighbors."""
        ...

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return how many steps each dataset is away from the nearest start; -1 where none can be reached."""
        ...


_MEMBERS = ("size", "pair_count", "notes", "mixed", "code_pairs", "steps_from")


def require_relation(value: object, name: str) -> None:
    """Refuse an argument that is not a neighbor relation, without asking it for anything.

    Counting pairs may be dear, and a check of protocols by `isinstance` reads every property.

    Parameters
    ----------
    value : object
        The argument.
    name : str
        Its name.

    Raises
    ------
    UsageError
    """
    missing = object()
    if any(inspect.getattr_static(value, member, missing) is missing for member in _MEMBERS):
        require(value, name, NeighborRelation)
