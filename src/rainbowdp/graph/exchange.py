# SPDX-License-Identifier: Apache-2.0
"""Read datasets from frames, networks, sparse matrices and JSON, and write them as frames, networks, JSON.

One rainbow per dataset becomes distinct rainbows and a code per dataset, edges between names become pairs of
numbers, and so do the entries of a sparse matrix. Names become numbers by hash look-ups that run in C. The
other way, `Framed` and `Networked` give their subclasses a data frame, a networkx graph, and JSON.
"""

import itertools
import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import (
    ColorError,
    ColorSetError,
    DuplicateDatasetError,
    GraphShapeError,
    MissingRainbowError,
    RainbowError,
    UnknownDatasetError,
)
from rainbowdp.exact.arguments import described, items_of, kind_of
from rainbowdp.graph.arrays import first_places, frozen, sorted_distinct
from rainbowdp.graph.labels import Named, NameOf, close_labels
from rainbowdp.graph.pairs import listed
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.rainbow import Rainbow, RainbowLike, quote_colors

_MOST_ROWS = 20


def palette_of(
    known: Sequence[RainbowLike], codes: NDArray[Any], name: NameOf
) -> tuple[tuple[Rainbow, ...], NDArray[np.int32]]:
    """Return the distinct rainbows that occur, sorted by text, and the one of each dataset, int32 [n].

    Parameters
    ----------
    known : sequence of Rainbow or str
        Rainbows in any order; two spellings of one rainbow become one region.
    codes : integer array [n]
        Index into `known` per dataset, all within range.
    name : callable
        Label of a dataset.

    Raises
    ------
    ColorSetError
        If two datasets rank different sets of colors.
    RainbowSyntaxError, ColorError
        If a text is not a rainbow.
    """
    if codes.size == 0:
        return (), codes.astype(np.int32)
    place = first_places(codes, len(known))
    first = {code: int(place[code]) for code in np.flatnonzero(place >= 0).tolist()}
    parsed = {code: _parsed(known[code], at, name) for code, at in first.items()}
    reference = parsed[int(codes[0])]
    for code, rainbow in parsed.items():
        at = first[code]
        if rainbow.colors != reference.colors:
            raise ColorSetError(
                f"the dataset {name(at)!r} ranks the colors {quote_colors(rainbow.colors)}, and the dataset "
                f"{name(0)!r} ranks {quote_colors(reference.colors)}",
                help="rank the same colors in every dataset; colors can be tied, as in blue>red=green",
                dataset=name(at),
                other=name(0),
                colors=rainbow.colors,
                other_colors=reference.colors,
            )
    by_text = {str(rainbow): rainbow for rainbow in parsed.values()}
    rank = {text: index for index, text in enumerate(sorted(by_text))}
    region_of = np.zeros(len(known), dtype=np.int32)
    for code, rainbow in parsed.items():
        region_of[code] = rank[str(rainbow)]
    return tuple(by_text[text] for text in rank), frozen(region_of[codes])


def rainbow_list(rainbows: Iterable[Any], name: str) -> list[Any]:
    """Return rainbows as a list; one of them may be a list of classes. A single text is refused."""
    items = items_of(plain_values(rainbows))
    if items is None:
        raise MissingRainbowError(
            f"`{name}` is {kind_of(rainbows)}, not a list of rainbows",
            help='give a list, as in ["blue>red", "red>blue"]',
        )
    return [Rainbow(item) if isinstance(item, list | tuple) else item for item in items]


def _parsed(rainbow: RainbowLike, dataset: int, name: NameOf) -> Rainbow:
    try:
        return Rainbow.of(rainbow)
    except RainbowError as error:
        raise error.at(f"the dataset {name(dataset)!r}") from error


def number_rainbows(
    rainbows: Iterable[object], name: NameOf, where: str = "its entry of `rainbows`"
) -> tuple[list[RainbowLike], NDArray[np.int32]]:
    """Return the distinct values among one rainbow per dataset, and a code per dataset.

    Parameters
    ----------
    rainbows : iterable of Rainbow or str
        One per dataset.
    name : callable
        Label of a dataset.
    where : str
        Where a missing rainbow belongs, for the message.

    Raises
    ------
    MissingRainbowError
        If a value is not a rainbow or its text, naming the dataset.
    """
    items = rainbow_list(rainbows, "rainbows")
    if not all(map(_is_rainbow, items)):
        at = next(index for index, item in enumerate(items) if not _is_rainbow(item))
        what = "has no rainbow" if items[at] is None else f"has {described(items[at])} in place of a rainbow"
        raise MissingRainbowError(
            f"the dataset {name(at)!r} {what}",
            help=f"give it one in {where}, as in blue>red>green",
            dataset=name(at),
        )
    number = {value: index for index, value in enumerate(dict.fromkeys(items))}
    codes = np.fromiter(map(number.__getitem__, items), dtype=np.int32, count=len(items))
    return list(number), codes


def plain_values(values: Any) -> Any:  # noqa: ANN401 - arrays and series of any library
    """Return the values of an array, or of a series with the Arrow interface, as Python objects.

    Examples
    --------
    >>> import pyarrow as pa
    >>> plain_values(pa.array(["a>b", "b>a"])), plain_values(["a>b"])
    (['a>b', 'b>a'], ['a>b'])
    """
    for name in ("tolist", "to_pylist", "to_list"):
        if callable(convert := getattr(values, name, None)):
            return convert()
    if hasattr(values, "__arrow_c_array__") or hasattr(values, "__arrow_c_stream__"):
        import pyarrow as pa

        return pa.chunked_array(values).to_pylist()
    return values


def _is_rainbow(value: object) -> bool:
    return isinstance(value, Rainbow) or (isinstance(value, str) and bool(value.strip()))


def number_edges(
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
    ends = np.fromiter(map(number.get, flat, itertools.repeat(-1)), dtype=np.int64, count=len(flat))
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


def _flat(edges: Iterable[Sequence[Hashable]] | NDArray[Any]) -> list[Hashable]:
    if isinstance(edges, np.ndarray) and edges.size and (edges.ndim != 2 or edges.shape[1] != 2):
        raise GraphShapeError(
            f"an array of edges must have two columns, not the shape {edges.shape}",
            help="pass an array of shape [m, 2]",
            shape=edges.shape,
        )
    pairs = frame_rows(edges)
    if pairs is None:
        pairs = items_of(edges.tolist() if isinstance(edges, np.ndarray) else edges)
    if pairs is None:
        raise GraphShapeError(
            f"`edges` is {kind_of(edges)}, not a list of pairs",
            help='write for example [("a", "b"), ("b", "c")]',
        )
    if not all(map(_is_pair, pairs)):
        at = next(at for at, edge in enumerate(pairs) if not _is_pair(edge))
        raise GraphShapeError(
            f"the edge {pairs[at]!r} (number {at}, counted from 0) is not a pair of datasets",
            help="write every edge as (source, target)",
            edge=at,
        )
    return list(itertools.chain.from_iterable(pairs))


def frame_rows(frame: object) -> list[tuple[Any, ...]] | None:
    """Return the rows of the first two columns of a data frame; None for what is not a frame of two columns.

    If a frame of pandas has one column, its index is the first one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame_rows(pa.table({"source": ["a", "b"], "target": ["b", "c"]})), frame_rows([("a", "b")])
    ([('a', 'b'), ('b', 'c')], None)
    """
    if not hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "to_arrow"):
        return None
    if hasattr(frame, "iloc") and hasattr(frame, "columns"):
        pandas: Any = frame
        if pandas.shape[1] == 0:
            return None
        first = pandas.index if pandas.shape[1] == 1 else pandas.iloc[:, 0]
        second = pandas.iloc[:, 0 if pandas.shape[1] == 1 else 1]
        return list(zip(first.tolist(), second.tolist(), strict=True))
    import pyarrow as pa

    try:
        table = frame.to_arrow() if hasattr(frame, "to_arrow") else pa.table(frame)
    except (TypeError, ValueError, pa.ArrowException):
        return None
    if not isinstance(table, pa.Table) or table.num_columns < 2:
        return None
    return list(zip(table.column(0).to_pylist(), table.column(1).to_pylist(), strict=True))


def _is_pair(edge: object) -> bool:
    return isinstance(edge, Sequence) and not isinstance(edge, str) and len(edge) == 2


def named_rainbows(rainbows: object) -> Mapping[Any, Any]:
    """Return the rainbow of every dataset, from a mapping, a series with an index, or a data frame.

    Raises
    ------
    MissingRainbowError
        If the value is none of these.
    DuplicateDatasetError
        If a dataset occurs twice.
    """
    if isinstance(rainbows, Mapping):
        return rainbows
    rows = frame_rows(rainbows)
    if rows is None and hasattr(rainbows, "index") and hasattr(rainbows, "items"):
        rows = list(rainbows.items())
    if rows is None:
        raise MissingRainbowError(
            f"`rainbows` must be a mapping from datasets to rainbows, and is {kind_of(rainbows)}",
            help='write for example {"a": "blue>red", "b": "red>blue"}',
        )
    found = dict(rows)
    if len(found) < len(rows):
        twice = Counter(name for name, _ in rows).most_common(1)[0][0]
        raise DuplicateDatasetError(
            f"the dataset {twice!r} occurs twice", help="name every dataset once", dataset=str(twice)
        )
    return found


def matrix_pairs(matrix: object) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the size and the pairs of a sparse matrix; each unordered pair comes once.

    Every stored entry other than 0 is an edge, on either side of the diagonal.

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
    rows, columns = (end[present].astype(np.int64) for end in entries.coords)
    keys = sorted_distinct(np.minimum(rows, columns) * size + np.maximum(rows, columns))
    return size, keys // max(size, 1), keys % max(size, 1)


class Framed(Named):
    """Base of what has datasets with names and columns of values: it becomes a data frame."""

    @abstractmethod
    def _columns(self, most: int | None = None) -> list[tuple[str, list[Any]]]:
        """Return one value per dataset in each column, of all datasets or of the first ones.

        For the first ones, columns that need a search through a large graph are left out.
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
