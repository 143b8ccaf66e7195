# SPDX-License-Identifier: Apache-2.0
"""The ways into a rainbow graph: arrays, named edges, networkx graphs and sparse matrices.

Each of them turns what it gets into a structure, a palette and a code per dataset, and hands these to
``from_codes``, which does all the checking there is to do on a whole graph.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, MissingRainbowError
from rainbowdp.exact.arguments import kind_of
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.intake import NetworkLike, matrix_pairs, number_edges, number_rainbows
from rainbowdp.graph.labels import Labels, namer
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.rainbow import Rainbow


class Sources(ABC):
    """Alternative constructors of :class:`rainbowdp.graph.RainbowGraph`."""

    @classmethod
    @abstractmethod
    def from_codes(
        cls,
        structure: NeighborRelation,
        palette: Sequence[Rainbow | str],
        codes: ArrayLike,
        labels: Labels | None = None,
    ) -> Self:
        """Build the graph from a structure, rainbows and a code per dataset."""

    @classmethod
    def from_arrays(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        rainbows: Iterable[Rainbow | str],
        labels: Labels | None = None,
    ) -> Self:
        """Build the graph from numbered pairs and one rainbow per dataset.

        Parameters
        ----------
        source, target : integer array [m]
            Numbers of the two datasets of each pair, in any direction.
        rainbows : iterable of Rainbow or str [n]
            The rainbow of each dataset.
        labels : sequence or array [n], optional
            Names of the datasets, text or integers.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        MissingRainbowError, UnknownDatasetError, ColorSetError, DuplicateDatasetError, GraphShapeError
            As in :meth:`from_codes` and :meth:`DatasetGraph.from_pairs`.

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> graph = RainbowGraph.from_arrays([0, 1, 1], [1, 2, 0], ["blue>red", "blue > red", "red>blue"])
        >>> graph, graph.notes
        (RainbowGraph(3 datasets, 2 pairs, 2 regions), ('1 repeated pair removed',))
        """
        palette, codes = number_rainbows(rainbows, namer(labels))
        structure = DatasetGraph.from_pairs(codes.size, source, target)
        return cls.from_codes(structure, palette, codes, labels)

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Hashable]] | NDArray[Any],
        rainbows: Mapping[Any, Rainbow | str],
    ) -> Self:
        """Build the graph from named edges and a mapping from datasets to rainbows.

        Parameters
        ----------
        edges : iterable of pairs, or array [m, 2]
            The two datasets of each pair of neighbors, in any direction.
        rainbows : mapping
            The rainbow of every dataset; its order numbers the datasets. Keys that are neither text nor
            integers are called by their text.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        UnknownDatasetError
            If an edge names a dataset without a rainbow; the message says which edge.
        MissingRainbowError, ColorSetError, DuplicateDatasetError, GraphShapeError
            As in :meth:`from_codes`.

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"}).boundary
        array([ True,  True])
        """
        if not isinstance(rainbows, Mapping):
            raise MissingRainbowError(
                f"`rainbows` is {kind_of(rainbows)}, and no mapping from datasets to rainbows",
                help='write for example {"a": "blue>red", "b": "red>blue"}',
            )
        datasets = list(rainbows)
        palette, codes = number_rainbows(rainbows.values(), lambda at: str(datasets[at]))
        return cls._named(edges, datasets, palette, codes)

    @classmethod
    def from_networkx(cls, graph: NetworkLike, attribute: str = "rainbow") -> Self:
        """Build the graph from a networkx graph whose nodes carry their rainbow.

        Directed graphs and multigraphs are read as undirected simple ones; what that removes is counted.

        Parameters
        ----------
        graph : networkx graph
            Any of networkx's four kinds.
        attribute : str
            Name of the node attribute that holds the rainbow, a text or a :class:`Rainbow`.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        MissingRainbowError
            If a node lacks the attribute; the message names the node.
        ColorSetError, DuplicateDatasetError, GraphShapeError
            As in :meth:`from_codes`.

        Examples
        --------
        >>> import networkx
        >>> from rainbowdp.graph import RainbowGraph
        >>> path = networkx.path_graph(4)
        >>> networkx.set_node_attributes(path, {0: "b>r", 1: "b>r", 2: "r>b", 3: "r>b"}, "rainbow")
        >>> RainbowGraph.from_networkx(path).distance.tolist()
        [1, 0, 0, 1]
        """
        if not all(callable(getattr(graph, part, None)) for part in ("nodes", "edges")):
            raise GraphShapeError(
                f"{kind_of(graph)} is no networkx graph",
                help="give a networkx graph, or use from_edges or from_arrays",
            )
        nodes = list(graph.nodes(data=attribute))
        datasets = [node for node, _ in nodes]
        palette, codes = number_rainbows(
            [rainbow for _, rainbow in nodes],
            lambda at: str(datasets[at]),
            where=f"the node attribute {attribute!r}",
        )
        return cls._named(graph.edges(), datasets, palette, codes)

    @classmethod
    def from_scipy(
        cls, matrix: object, rainbows: Iterable[Rainbow | str], labels: Labels | None = None
    ) -> Self:
        """Build the graph from a sparse adjacency matrix.

        Parameters
        ----------
        matrix : scipy sparse matrix or array [n, n]
            Any entry other than 0 is an edge, on either side of the diagonal. Entries that mirror each other
            are the usual form of one edge, and not counted as repeated.
        rainbows : iterable of Rainbow or str [n]
            The rainbow of each dataset.
        labels : sequence or array [n], optional
            Names of the datasets, text or integers.

        Returns
        -------
        RainbowGraph

        Raises
        ------
        GraphShapeError
            If the matrix is not sparse, not square, or does not have one row per rainbow.
        MissingRainbowError, ColorSetError, DuplicateDatasetError
            As in :meth:`from_codes`.

        Examples
        --------
        >>> from scipy.sparse import coo_array
        >>> from rainbowdp.graph import RainbowGraph
        >>> path = coo_array(([1, 1, 1], ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
        >>> RainbowGraph.from_scipy(path, ["b>r", "b>r", "r>b", "r>b"]).distance.tolist()
        [1, 0, 0, 1]
        """
        size, source, target = matrix_pairs(matrix)
        palette, codes = number_rainbows(rainbows, namer(labels))
        return cls.from_codes(DatasetGraph.from_pairs(size, source, target), palette, codes, labels)

    @classmethod
    def _named(
        cls,
        edges: Iterable[Sequence[Hashable]] | NDArray[Any],
        datasets: list[Hashable],
        palette: list[Rainbow | str],
        codes: NDArray[np.int32],
    ) -> Self:
        source, target = number_edges(edges, datasets)
        structure = DatasetGraph.from_pairs(len(datasets), source, target)
        numbered = datasets == list(range(len(datasets)))
        return cls.from_codes(structure, palette, codes, None if numbered else datasets)
