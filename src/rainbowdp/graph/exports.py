# SPDX-License-Identifier: Apache-2.0
"""Datasets as a data frame, a networkx graph or JSON, for notebooks and other programs."""

import json
from abc import abstractmethod
from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, Self

from rainbowdp.errors import ColorError, DuplicateDatasetError, GraphShapeError
from rainbowdp.graph.labels import Named
from rainbowdp.graph.pairs import listed
from rainbowdp.graph.relation import NeighborRelation

_MOST_ROWS = 20


class Framed(Named):
    """Base of what has datasets with names and columns of values: it becomes a data frame."""

    @abstractmethod
    def _columns(self, most: int | None = None) -> list[tuple[str, list[Any]]]:
        """Return one value per dataset in each column, of all datasets or of the first ones.

        Of the first ones only what needs no search through a large graph.
        """

    def _repr_html_(self) -> str:
        """Return the first datasets as a table, for notebooks."""
        shown = min(self.size, _MOST_ROWS)
        heads, columns = zip(
            ("dataset", list(map(self.label, range(shown)))), *self._columns(shown), strict=True
        )
        rows = [heads, *zip(*columns, strict=True)]
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
        left = f", the first {shown} of them" if shown < self.size else ""
        return f"<p>{escape(repr(self))}{left}</p><table>{body}</table>"

    def to_dataframe(self, backend: Any = "pandas") -> Any:  # noqa: ANN401 - a library, and a frame of it
        """Return the datasets as a data frame, one row each.

        Parameters
        ----------
        backend : str
            A library that narwhals knows: ``pandas``, ``polars``, ``pyarrow``, ``modin``, ``cudf``.

        Returns
        -------
        data frame [n]
            The columns ``dataset``, ``rainbow`` and ``distance`` (missing where no boundary can be reached);
            of a graph ``boundary``, and of a mechanism the closest float of every probability, by color.

        Raises
        ------
        ColorError
            If a color is called as one of the first columns.

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> graph = RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"})
        >>> graph.to_dataframe("pyarrow").to_pylist()[0]
        {'dataset': 'ann', 'rainbow': 'b>r', 'distance': 0, 'boundary': True}
        """
        import narwhals.stable.v2 as nw

        columns = [("dataset", list(self)), *self._columns()]
        if len(dict(columns)) < len(columns):
            raise ColorError(
                "a color is called dataset, rainbow or distance, as another column is",
                help="rename the color",
            )
        return nw.from_dict(dict(columns), backend=backend).to_native()


def _cell(value: object) -> str:
    return f"<td>{f'{value:.4g}' if isinstance(value, float) else escape(str(value))}</td>"


class Networked(Framed):
    """Base of what has datasets with neighbors: it becomes a networkx graph, and JSON."""

    if TYPE_CHECKING:

        @property
        def structure(self) -> NeighborRelation:
            """The datasets and their neighbors."""
            ...

        @classmethod
        def from_networkx(cls, graph: Any, attribute: str = ...) -> Self:  # noqa: ANN401 - networkx is not imported
            """Build the graph from a networkx graph."""
            ...

    def to_networkx(self) -> Any:  # noqa: ANN401 - networkx is not imported
        """Return the graph as one of networkx, with attributes that `from_networkx` reads.

        Returns
        -------
        networkx.Graph
            Nodes are called as the datasets are, and have the attributes ``rainbow``, ``distance`` and
            ``boundary``.

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> graph = RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"})
        >>> graph.to_networkx().nodes["ann"]
        {'rainbow': 'b>r', 'distance': 0, 'boundary': True}
        >>> RainbowGraph.from_networkx(graph.to_networkx()) == graph
        True
        """
        import networkx as nx

        names: list[Any] = list(range(self.size)) if self.labels is None else self.labels.tolist()
        columns = dict(self._columns())
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        made: Any = nx.Graph()
        made.add_nodes_from(zip(names, rows, strict=True))
        source, target = (end.tolist() for end in listed(self.structure).pairs())
        made.add_edges_from((names[one], names[other]) for one, other in zip(source, target, strict=True))
        return made

    def to_json(self) -> str:
        """Return the graph as node-link JSON, which `from_json` and `rainbowdp.read_graph` read.

        Returns
        -------
        str

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> graph = RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"})
        >>> RainbowGraph.from_json(graph.to_json()) == graph
        True
        """
        from networkx import node_link_data

        return json.dumps(node_link_data(self.to_networkx(), edges="edges"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Build the graph from node-link JSON with the node attribute ``rainbow``.

        Parameters
        ----------
        text : str
            As of `to_json`, or of networkx's ``node_link_data``.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        GraphShapeError
            If the text is not of this form.
        MissingRainbowError, ColorSetError, DuplicateDatasetError
            As in :meth:`RainbowGraph.from_codes`.

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> nodes = '{"nodes": [{"id": 0, "rainbow": "b>r"}, {"id": 1, "rainbow": "r>b"}], '
        >>> RainbowGraph.from_json(nodes + '"edges": [{"source": 0, "target": 1}]}')
        RainbowGraph(2 datasets, 1 pairs, 2 regions)
        """
        from networkx import NetworkXError, node_link_graph

        try:
            content = json.loads(text)
            network = node_link_graph(content, edges="links" if "links" in content else "edges")
        except (ValueError, TypeError, KeyError, AttributeError, NetworkXError) as error:
            raise GraphShapeError(
                "the text is not node-link JSON",
                help="write for example the JSON of networkx.node_link_data, or of RainbowGraph.to_json",
            ) from error
        if network.number_of_nodes() < len(content["nodes"]):
            ids = Counter(str(node.get("id")) for node in content["nodes"])
            twice = ids.most_common(1)[0][0]
            raise DuplicateDatasetError(
                f"the dataset {twice!r} occurs twice", help="name every dataset once", dataset=twice
            )
        return cls.from_networkx(network)
