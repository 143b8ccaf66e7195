# SPDX-License-Identifier: Apache-2.0
"""How other libraries find the distance of every dataset to the nearest boundary, each in its best way.

A peer is a function that imports its library and returns another one, from pairs, regions and the number of
datasets to distances. All of them do the same: mark the datasets that have a neighbor in another region, by
numpy, hand the pairs over as arrays as the library documents it, and search breadth first from all marked
datasets at once; from one extra node beside them where a library searches from one node only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Search = Callable[[Array, Array, Array], Array]
"""From sources, targets and regions to the number of steps, int32 [n], -1 where no boundary is reached."""

Library = Any
"""A library without types, or one that need not be there."""


def starts(source: Array, target: Array, regions: Array) -> Array:
    """Return the datasets with a neighbor in another region.

    Examples
    --------
    >>> starts(np.array([0, 1, 2]), np.array([1, 2, 3]), np.array([0, 0, 1, 1]))
    array([1, 2], dtype=int32)
    """
    apart = regions[source] != regions[target]
    marked = np.zeros(regions.size, dtype=np.bool_)
    marked[source[apart]] = True
    marked[target[apart]] = True
    return np.flatnonzero(marked).astype(np.int32)


def _with_root(source: Array, target: Array, regions: Array) -> tuple[Array, Array]:
    """Return the pairs with an extra node, number n, beside every start."""
    first = starts(source, target, regions)
    root = np.full(first.size, regions.size, dtype=source.dtype)
    return np.concatenate([source, root]), np.concatenate([target, first])


def _by_layers(layers: Any, size: int) -> Array:  # noqa: ANN401 - what a library returns
    steps = np.full(size, -1, dtype=np.int32)
    for depth, layer in enumerate(layers):
        steps[layer] = depth
    return steps


def scipy() -> Search:
    """`breadth_first_order` on a sparse array; depths follow from its order and predecessors."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    def search(source: Array, target: Array, regions: Array) -> Array:
        size = regions.size
        ends = _with_root(source, target, regions)
        graph = coo_array((np.ones(ends[0].size), ends), shape=(size + 1, size + 1)).tocsr()
        order, before = breadth_first_order(graph, size, directed=False)
        place = np.empty(size + 1, dtype=np.int32)
        place[order] = np.arange(order.size, dtype=np.int32)
        parents = place[before[order[1:]]]
        steps = np.full(size + 1, -1, dtype=np.int32)
        start, stop, depth = 0, 1, 0
        while start < stop:
            steps[order[start:stop]] = depth
            # The parents of later nodes stand later, so a layer's children are one stretch.
            start, stop, depth = stop, 1 + int(np.searchsorted(parents, stop)), depth + 1
        return np.maximum(steps[:size] - 1, -1)

    return search


def graphblas() -> Search:
    """SuiteSparse GraphBLAS: one masked product of the frontier with the adjacency matrix per step."""
    import importlib

    gb: Library = importlib.import_module("graphblas")

    def search(source: Array, target: Array, regions: Array) -> Array:
        size = regions.size
        first = starts(source, target, regions)
        matrix = gb.Matrix.from_coo(
            np.concatenate([source, target]),
            np.concatenate([target, source]),
            values=True,
            nrows=size,
            ncols=size,
            dtype=bool,
        )
        front = gb.Vector.from_coo(first, True, size=size, dtype=bool)
        seen = gb.Vector.from_coo(first, 0, size=size, dtype=gb.dtypes.INT32)
        depth = 0
        while front.nvals:
            depth += 1
            front(~seen.S, replace=True) << gb.semiring.any_pair(front @ matrix)
            seen(front.S) << depth
        places, depths = seen.to_coo()
        steps = np.full(size, -1, dtype=np.int32)
        steps[places] = depths
        return steps

    return search


def networkit() -> Search:
    """`GraphFromCoo`, then `BFS` from the extra node."""
    import importlib

    nk: Library = importlib.import_module("networkit")

    def search(source: Array, target: Array, regions: Array) -> Array:
        size = regions.size
        graph = nk.GraphFromCoo(_with_root(source, target, regions), n=size + 1)
        found = nk.distance.BFS(graph, size, storePaths=False)
        found.run()
        steps = np.asarray(found.getDistances(asarray=True))[:size]
        # It gives the greatest float where there is no way.
        return np.where(steps > size, -1, steps - 1).astype(np.int32)

    return search


def rustworkx() -> Search:
    """`add_edges_from_no_data`, then `bfs_layers` from all starts."""
    import importlib

    rx: Library = importlib.import_module("rustworkx")

    def search(source: Array, target: Array, regions: Array) -> Array:
        graph = rx.PyGraph(multigraph=True, node_count_hint=regions.size, edge_count_hint=source.size)
        graph.add_nodes_from(range(regions.size))
        graph.add_edges_from_no_data(list(zip(source.tolist(), target.tolist(), strict=True)))
        first = starts(source, target, regions)
        return _by_layers(rx.bfs_layers(graph, first.tolist()) if first.size else [], regions.size)

    return search


def igraph() -> Search:
    """`Graph` of an array of pairs, then `distances` from the extra node."""
    import importlib

    ig: Library = importlib.import_module("igraph")

    def search(source: Array, target: Array, regions: Array) -> Array:
        size = regions.size
        graph = ig.Graph(n=size + 1, edges=np.column_stack(_with_root(source, target, regions)))
        steps = np.array(graph.distances(source=[size])[0])[:size]
        return np.where(np.isinf(steps), 0, steps).astype(np.int32) - 1

    return search


def networkx() -> Search:
    """`Graph` of pairs, then `bfs_layers` from all starts."""
    import networkx as nx

    def search(source: Array, target: Array, regions: Array) -> Array:
        graph = nx.Graph()
        graph.add_nodes_from(range(regions.size))
        graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
        first = starts(source, target, regions)
        return _by_layers(nx.bfs_layers(graph, first.tolist()), regions.size)

    return search


def graph_tool() -> Search:
    """`add_edge_list` of an array of pairs, then `shortest_distance` from the extra node."""
    import importlib

    gt: Library = importlib.import_module("graph_tool")
    topology: Library = importlib.import_module("graph_tool.topology")

    def search(source: Array, target: Array, regions: Array) -> Array:
        size = regions.size
        graph = gt.Graph(directed=False)
        graph.add_vertex(size + 1)
        graph.add_edge_list(np.column_stack(_with_root(source, target, regions)))
        steps = np.array(topology.shortest_distance(graph, source=size).a)[:size]
        # It gives the greatest integer where there is no way.
        return np.where(steps > size, 0, steps).astype(np.int32) - 1

    return search


PEERS: dict[str, Callable[[], Search]] = {
    "scipy": scipy,
    "python-graphblas": graphblas,
    "networkit": networkit,
    "rustworkx": rustworkx,
    "igraph": igraph,
    "graph-tool": graph_tool,
    "networkx": networkx,
}
"""Every peer by its name, in the order in which they are run."""
