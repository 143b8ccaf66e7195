# SPDX-License-Identifier: Apache-2.0
"""Graphs from files: tables of datasets and neighbors, GraphML, and node-link JSON.

Tables go from file to arrays by DuckDB and Arrow, so no Python code runs per pair. GraphML and node-link JSON
are for graphs that are small enough to be drawn. A graph file is not private, so errors name the row and
the value.

networkx reads GraphML. Node-link JSON is what ``networkx.node_link_data`` writes: a list
``nodes`` of objects with ``id`` and ``rainbow``, and a list ``edges`` (``links`` in older versions of
networkx) of objects with ``source`` and ``target``. Node ids are text or integers, and become labels as text.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rainbowdp.errors import DuplicateDatasetError, MissingRainbowError, UsageError
from rainbowdp.exact.arguments import one_of, whole
from rainbowdp.formats.datasets import KnownDatasets, NamedRows, named_rows, text_column
from rainbowdp.formats.documents import parsed_rainbow, read_document, shown
from rainbowdp.formats.files import (
    TABLES,
    Form,
    address_of,
    content_of,
    form_to_read,
    malformed,
    path_of,
)
from rainbowdp.formats.pairs import COLUMNS, ENGINES, Engine, pairs_in_memory, relation_of
from rainbowdp.formats.text_tables import Database, TextTable, connect_if_asked, open_table
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.labels import LabelArray, label_array
from rainbowdp.graph.relation import NeighborRelation, Report
from rainbowdp.rainbow import Rainbow

if TYPE_CHECKING:
    import pyarrow as pa

_LARGEST_SIZE = 2**31 - 1
_COLUMNS = ("dataset", "rainbow")

NETWORKS = (Form.GRAPHML, Form.JSON)
"""The forms of whole graphs."""

Nodes = list[tuple[str, str | None]]
"""Labels, each with what the file gives as its rainbow."""

Edges = list[tuple[str, str]]
"""The labels of both ends of every edge."""


def read_graph(
    datasets: Path | str,
    neighbors: Path | str | None = None,
    *,
    engine: Engine = "auto",
    report: Report | None = None,
) -> RainbowGraph:
    r"""Read a rainbow graph from one file or two.

    Parameters
    ----------
    datasets : Path or str
        A CSV or Parquet table with the columns ``dataset`` and ``rainbow``, or a whole graph as GraphML or
        node-link JSON with the node attribute ``rainbow``.
    neighbors : Path or str, optional
        A CSV or Parquet table with the columns ``source`` and ``target``, undirected; only beside a table.
    engine : {"auto", "memory", "stream", "spark"}
        Where the pairs are kept: in memory; in a temporary file, read in batches a few times; or on a Spark
        cluster, where `neighbors` may be any address that Spark can read. "auto" streams pairs that
        would take more than half of the free memory. Results are the same.
    report : callable, optional
        Told in words about each pass over pairs that are not in memory.

    Returns
    -------
    RainbowGraph
        Datasets in the order of the file, labels as text; without labels where the file calls them 0 to n - 1
        in this order. Self-loops and repeated pairs count for nothing, see ``notes``; pairs that are not in
        memory are not told apart, so there each row counts as a pair.

    Raises
    ------
    UsageError
        If the two files do not belong together, or an argument is not the name of a file or of an engine.
    MissingExtraError
        If the engine needs something that is not installed.
    FileUnreadableError, FileFormatError
        If a file cannot be read or does not have its form.
    DuplicateDatasetError, MissingRainbowError, UnknownDatasetError, ColorSetError
        If the files contradict themselves or each other; the message names the row or the dataset.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "nodes.csv").write_text("dataset,rainbow\nann,yes>no\nbob,yes>no\ncid,no>yes\n")
    >>> _ = (folder / "pairs.csv").write_text("source,target\nann,bob\nbob,cid\n")
    >>> graph = read_graph(folder / "nodes.csv", folder / "pairs.csv")
    >>> graph.size, graph.pair_count, graph.distance.tolist()
    (3, 2, [1, 0, 0])
    """
    datasets = path_of(datasets, "datasets")
    address = None if neighbors is None else address_of(neighbors, "neighbors")
    engine = one_of("an engine", engine, ENGINES)
    form = form_to_read(datasets, "the datasets", TABLES + NETWORKS)
    if form in NETWORKS and address is not None:
        raise UsageError(
            f"{str(datasets)!r} is a whole graph, with its pairs of neighbors",
            help="leave out --neighbors, or give the datasets as CSV or Parquet",
        )
    if form in TABLES and address is None:
        raise UsageError(
            f"{str(datasets)!r} holds datasets, but no pairs of neighbors",
            help="give the pairs with --neighbors FILE, or a whole graph as .graphml or .json",
        )
    pairs_form = None if address is None else _form_of_pairs(address, engine, TABLES)
    edges: Edges = []
    with content_of(datasets, address or datasets), connect_if_asked() as database:
        if address is None:
            nodes, edges = read_network(datasets, form)
            batches = iter([_columns(nodes)])
        else:
            batches = open_table(datasets, form, _COLUMNS).batches(database, *_COLUMNS)
        rows = named_rows(datasets, "dataset", batches)
        palette = _palette(datasets, rows)
        known = KnownDatasets(rows.codes.size, rows.labels, str(datasets))
        if address is None:
            structure = _from_edges(database, datasets, edges, known)
        else:
            structure = relation_of(database, address, pairs_form, known, engine=engine, report=report)
        return RainbowGraph.from_codes(structure, palette, rows.codes, rows.labels)


def _form_of_pairs(address: str, engine: Engine, accepted: tuple[Form, ...]) -> Form | None:
    """Return the form of a file of pairs; None where Spark reads it, which takes further addresses."""
    return None if engine == "spark" else form_to_read(Path(address), "the pairs of neighbors", accepted)


def _columns(rows: Sequence[tuple[str | None, ...]]) -> "pa.RecordBatch":
    import pyarrow as pa

    columns = [text_column([row[at] for row in rows]) for at in (0, 1)]
    return pa.RecordBatch.from_arrays(columns, ["c0", "c1"])


def _from_edges(database: Database, path: Path, edges: Edges, known: KnownDatasets) -> NeighborRelation:
    """Return the edges of a whole graph as pairs of datasets."""
    import pyarrow as pa

    database().register("edges", pa.Table.from_batches([_columns(edges)]))
    return pairs_in_memory(database, TextTable(path, COLUMNS, "edges", size=len(edges)), known)


def _palette(path: Path, rows: NamedRows) -> list[Rainbow]:
    """Return the distinct rainbows of a table of datasets."""
    palette = []
    for row, (text,) in zip(rows.first, rows.distinct, strict=True):
        if text is None or not text.strip():
            dataset = rows.texts()[row]
            raise MissingRainbowError(
                f"the dataset {dataset!r} has no rainbow (row {row + 1} of {str(path)!r})",
                help="give every dataset a rainbow such as blue>red>green",
                dataset=dataset,
                row=row + 1,
            )
        palette.append(parsed_rainbow(text, f"row {row + 1} of {str(path)!r}"))
    return palette


def read_neighbors(
    path: Path | str,
    labels: LabelArray | None,
    size: int,
    *,
    engine: Engine = "auto",
    report: Report | None = None,
) -> NeighborRelation:
    r"""Read the pairs of neighbors of datasets that are known already.

    Parameters
    ----------
    path : Path or str
        A CSV or Parquet table with the columns ``source`` and ``target``, or a whole graph, of which only
        the pairs are read.
    labels : array [n] or None
        The labels of the datasets; None if they are called 0 to n - 1.
    size : int
        Number of datasets.
    engine, report
        As for `read_graph`.

    Returns
    -------
    PairList, PairStream or SparkPairs
        By the engine; what they answer is the same.

    Raises
    ------
    UsageError
        If the path is not the name of a file, or `size` is not a number of datasets.
    GraphShapeError, DuplicateDatasetError
        If there is not one label of its own per dataset.
    MissingExtraError
        If the engine needs something that is not installed.
    FileUnreadableError, FileFormatError
        If the file cannot be read or does not have its form.
    UnknownDatasetError
        If a pair names a dataset that has no label.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("source,target\nbob,ann\n")
    >>> read_neighbors(path, np.array(["ann", "bob", "cid"]), 3)
    PairList(3 datasets, 1 pairs as given)
    """
    address = address_of(path)
    engine = one_of("an engine", engine, ENGINES)
    count = whole("a number of datasets", size, 0, _LARGEST_SIZE)
    names = None if labels is None else list(map(str, label_array(labels, count)))
    known = KnownDatasets(count, names, "the mechanism")
    form = _form_of_pairs(address, engine, TABLES + NETWORKS)
    with content_of(address), connect_if_asked() as database:
        if form is not None and form in NETWORKS:
            # Nodes that the mechanism lacks matter only where a pair names them.
            _, edges = read_network(Path(address), form)
            return _from_edges(database, Path(address), edges, known)
        return relation_of(database, address, form, known, engine=engine, report=report)


def read_network(path: Path, form: Form) -> tuple[Nodes, Edges]:
    """Read a whole rainbow graph.

    Parameters
    ----------
    path : Path
        The file.
    form : Form
        GraphML or JSON.

    Returns
    -------
    tuple
        Nodes and edges, not yet compared with each other.

    Raises
    ------
    FileUnreadableError, FileFormatError, DuplicateDatasetError
        If the file cannot be read or is not such a graph.
    """
    nodes, edges = _graphml(path) if form is Form.GRAPHML else _node_link(path)
    if not nodes:
        raise malformed(path, "has no nodes", "a graph needs at least one dataset")
    for label, rainbow in nodes:
        if rainbow is not None and type(rainbow) is not str:
            what = f"has {shown(rainbow)} as the rainbow of the node {label!r}"
            raise malformed(path, what, "write it as text, such as blue>red>green")
    return nodes, edges


def _graphml(path: Path) -> tuple[Nodes, Edges]:
    from xml.etree.ElementTree import ParseError

    import networkx as nx

    try:
        # A key without a type is text, which networkx says in a warning.
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            graph = nx.read_graphml(path, node_type=str)
    except (ParseError, nx.NetworkXException, ValueError, LookupError, TypeError) as error:
        reason = str(error) or type(error).__name__
        raise malformed(path, f"is not GraphML: {reason}", "correct or export the file again") from error
    declared = _declared_nodes(path)
    # networkx makes a node of every end of an edge, declared or not.
    nodes = [(str(node), rainbow) for node, rainbow in graph.nodes(data="rainbow") if str(node) in declared]
    return nodes, [(str(source), str(target)) for source, target in graph.edges()]


def _declared_nodes(path: Path) -> set[str]:
    """Return the ids of the nodes; refuse further graphs and equal ids, which networkx drops."""
    from xml.etree.ElementTree import iterparse

    graphs, ids = 0, set[str]()
    for _, element in iterparse(path):  # noqa: S314 - expat limits expansion, and networkx has read it
        name = element.tag.rpartition("}")[2]
        if name == "graph":
            graphs += 1
        elif name == "node":
            node = element.get("id", "")
            if node in ids:
                raise DuplicateDatasetError(
                    f"two nodes of {str(path)!r} have the id {node!r}", help="give every node its own id"
                )
            ids.add(node)
    if graphs != 1:
        raise malformed(
            path, f"holds {graphs} graphs", "put one graph into the file, without graphs inside its nodes"
        )
    return ids


def _node_link(path: Path) -> tuple[Nodes, Edges]:
    document = read_document(path, Form.JSON)
    if "edges" in document and "links" in document:
        raise malformed(path, "has both 'edges' and 'links'", "keep the one that holds the edges")
    key = "links" if "links" in document else "edges"
    nodes = _objects(path, document, "nodes", ("id",))
    edges = _objects(path, document, key, ("source", "target"))
    return (
        [(node["id"], node.get("rainbow")) for node in nodes],
        [(edge["source"], edge["target"]) for edge in edges],
    )


def _objects(path: Path, document: dict[str, Any], key: str, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return a list of objects of the document whose fields are text or integers."""
    found = document.get(key)
    if not isinstance(found, list):
        raise malformed(
            path,
            f"is not node-link JSON: it has no list {key!r}",
            "write {nodes: [{id, rainbow}, …], edges: [{source, target}, …]}, as networkx does",
        )
    for at, item in enumerate(found):
        for field in fields:
            if not isinstance(item, dict) or not isinstance(item.get(field), str):
                what = shown(item.get(field)) if isinstance(item, dict) and field in item else "nothing"
                raise malformed(
                    path, f"has {what} as the {field!r} of {key}[{at}]", "ids are text or integers"
                )
    return found
