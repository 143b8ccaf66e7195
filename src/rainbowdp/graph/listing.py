# SPDX-License-Identifier: Apache-2.0
"""From a family however it is held to the list of its neighbors, for those who must see every pair.

Figures, linear programs and maps between graphs look at pairs one by one, on families of a size at which
that makes sense.
"""

from typing import Protocol, runtime_checkable

from rainbowdp.errors import UsageError
from rainbowdp.exact.arguments import kind_of
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.relation import NeighborRelation


@runtime_checkable
class Listable(Protocol):
    """A family that can list its neighbors."""

    def listed(self) -> DatasetGraph:
        """Return the same family with the neighbors of each dataset listed."""
        ...


def listed(structure: NeighborRelation) -> DatasetGraph:
    """Return a family with the neighbors of each dataset listed.

    Parameters
    ----------
    structure : NeighborRelation
        Any family.

    Returns
    -------
    DatasetGraph

    Raises
    ------
    UsageError
        If it cannot list them.

    Examples
    --------
    >>> from rainbowdp.graph import PairList
    >>> listed(PairList.from_arrays(3, [2, 0], [1, 1])).pairs()
    (array([0, 1], dtype=int32), array([1, 2], dtype=int32))
    """
    if isinstance(structure, Listable):
        return structure.listed()
    raise UsageError(
        f"{kind_of(structure)} does not list its pairs of neighbors",
        help="give it a method `listed` that returns a DatasetGraph, or use DatasetGraph.from_pairs",
    )
