# SPDX-License-Identifier: Apache-2.0
"""Constructors of a rainbow graph: from arrays, named edges, networkx graphs and sparse matrices.

Each of them turns its arguments into a structure, a palette and a code per dataset, and hands these to
``from_codes``, which checks the whole graph. Names become numbers by hash look-ups that run in C.
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, MissingRainbowError, UnknownDatasetError
from rainbowdp.exact.arguments import items_of, kind_of
from rainbowdp.graph.arrays import sorted_distinct
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.labels import Labels, close_labels, namer
from rainbowdp.graph.palette import number_rainbows
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.rainbow import Rainbow


class NetworkLike(Protocol):
    """What is used of a networkx graph of any kind."""

    @property
    def nodes(self) -> Callable[..., Iterable[tuple[Hashable, object]]]:
        """Nodes; called with ``data=attribute`` they come with that attribute's value."""

    @property
    def edges(self) -> Callable[[], Iterable[tuple[Hashable, Hashable]]]:
        """Edges; called without arguments they come as pairs of nodes."""


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
        size, source, target = _matrix_pairs(matrix)
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
        source, target = _number_edges(edges, datasets)
        structure = DatasetGraph.from_pairs(len(datasets), source, target)
        numbered = datasets == list(range(len(datasets)))
        return cls.from_codes(structure, palette, codes, None if numbered else datasets)


def _number_edges(
    edges: Iterable[Sequence[Hashable]] | NDArray[Any], datasets: Sequence[Hashable]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of both ends of every edge in the list of datasets.

    Parameters
    ----------
    edges : iterable of pairs, or array [m, 2]
        Two datasets each.
    datasets : sequence
        All datasets.

    Raises
    ------
    GraphShapeError
        If an edge is not a pair.
    UnknownDatasetError
        If an edge names a dataset that is not in the list, naming both.
    """
    flat = _flat(edges)
    number = {dataset: index for index, dataset in enumerate(datasets)}
    try:
        ends = np.fromiter(map(number.get, flat, itertools.repeat(-1)), dtype=np.int64, count=len(flat))
    except TypeError:
        # A list or a dict names no dataset, and has no place to be looked up at.
        at = next(index for index, end in enumerate(flat) if not _is_hashable(end))
        raise UnknownDatasetError(
            f"the edge number {at // 2}, counted from 0, has {kind_of(flat[at])} in place of a dataset",
            help="name datasets by text or integers",
            edge=at // 2,
        ) from None
    if ends.size and ends.min() < 0:
        at = int(np.argmin(ends))
        edge = tuple(flat[at - at % 2 : at - at % 2 + 2])
        raise UnknownDatasetError(
            f"the edge {edge!r} (number {at // 2}, counted from 0) names the dataset {flat[at]!r}, "
            "which has no rainbow",
            help=close_labels(str(flat[at]), list(map(str, datasets))) or "give every dataset a rainbow",
            dataset=str(flat[at]),
            edge=at // 2,
        )
    return ends[0::2], ends[1::2]


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _flat(edges: Iterable[Sequence[Hashable]] | NDArray[Any]) -> list[Hashable]:
    if isinstance(edges, np.ndarray):
        if edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
            raise GraphShapeError(
                f"an array of edges must have two columns, not the shape {edges.shape}",
                help="pass an array of shape [m, 2]",
                shape=edges.shape,
            )
        return cast("list[Hashable]", edges.ravel().tolist())
    pairs = items_of(edges)
    if pairs is None:
        raise GraphShapeError(
            f"`edges` is {kind_of(edges)}, and no list of pairs",
            help='write for example [("a", "b"), ("b", "c")]',
        )
    sized = all(issubclass(kind, Sequence) and not issubclass(kind, str) for kind in set(map(type, pairs)))
    if not sized or not set(map(len, pairs)) <= {2}:
        at, edge = next(
            (index, edge)
            for index, edge in enumerate(pairs)
            if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2
        )
        raise GraphShapeError(
            f"the edge {edge!r} (number {at}, counted from 0) is not a pair of datasets",
            help="write every edge as (source, target)",
            edge=at,
        )
    return list(itertools.chain.from_iterable(pairs))


def _matrix_pairs(matrix: object) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the size and the pairs of a sparse matrix; each unordered pair comes once.

    Every stored entry other than 0 is an edge, whichever side of the diagonal it stands on.

    Raises
    ------
    GraphShapeError
        If the value is not a scipy sparse matrix or array, or is not square.
    """
    from scipy.sparse import coo_array, issparse

    shape: tuple[int, ...] = getattr(matrix, "shape", ())
    if not issparse(matrix) or len(shape) != 2 or shape[0] != shape[1]:
        what = f"a matrix of shape {shape}" if issparse(matrix) else f"a {type(matrix).__name__}"
        raise GraphShapeError(
            f"{what} is not the adjacency of a graph",
            help="pass a square scipy sparse matrix or array, one row and column per dataset",
            shape=shape,
        )
    size = int(shape[0])
    entries = coo_array(cast("Any", matrix), copy=True)
    # Stored duplicates are not summed: two that cancel would lose an edge, and with it a constraint.
    present = entries.data != 0
    rows = entries.coords[0][present].astype(np.int64)
    columns = entries.coords[1][present].astype(np.int64)
    keys = sorted_distinct(np.minimum(rows, columns) * size + np.maximum(rows, columns))
    return size, keys // max(size, 1), keys % max(size, 1)
