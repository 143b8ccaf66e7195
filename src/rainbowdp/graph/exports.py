# SPDX-License-Identifier: Apache-2.0
"""Datasets as a data frame or a networkx graph, for notebooks and other programs."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

Columns = Mapping[str, Iterable[object]]
"""Columns of a table by name, one value per dataset."""


class Listed(Protocol):
    """Datasets with neighbors that can be listed."""

    def pairs(self) -> tuple[Any, Any]:
        """Return the numbers of both ends of every pair."""
        ...


def frame_of(columns: Columns, backend: Any) -> Any:  # noqa: ANN401 - a library, and a frame of it
    """Return columns as a data frame of any library that narwhals knows, such as pandas or polars.

    Examples
    --------
    >>> frame_of({"dataset": ["a", "b"], "distance": [0, None]}, "pyarrow")["dataset"].to_pylist()
    ['a', 'b']
    """
    import narwhals.stable.v2 as nw

    return nw.from_dict({name: list(column) for name, column in columns.items()}, backend=backend).to_native()


def network_of(names: list[Any], structure: Listed, columns: Columns) -> Any:  # noqa: ANN401 - networkx is not imported
    """Return datasets as the nodes of a networkx graph, the columns being attributes of nodes.

    Examples
    --------
    >>> from rainbowdp.graph import DatasetGraph
    >>> made = network_of(["a", "b"], DatasetGraph.from_pairs(2, [0], [1]), {"rainbow": ["x>y", "y>x"]})
    >>> dict(made.nodes(data="rainbow")), list(made.edges)
    ({'a': 'x>y', 'b': 'y>x'}, [('a', 'b')])
    """
    import networkx as nx

    made: Any = nx.Graph()
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    made.add_nodes_from(zip(names, rows, strict=True))
    source, target = (end.tolist() for end in structure.pairs())
    made.add_edges_from((names[one], names[other]) for one, other in zip(source, target, strict=True))
    return made
