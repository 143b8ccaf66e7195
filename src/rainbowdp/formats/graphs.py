# SPDX-License-Identifier: Apache-2.0
"""Graphs from files: tables of datasets and neighbors, GraphML, and node-link JSON.

Tables go from file to arrays by DuckDB and Arrow, so no Python code runs per pair. GraphML and node-link JSON
are for graphs of a size at which one also draws them. A graph file is not private, so errors name the row and
the value.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rainbowdp.errors import MissingRainbowError, UsageError
from rainbowdp.exact.arguments import described, is_whole, items_of, kind_of
from rainbowdp.formats.datasets import KnownDatasets, NamedRows, named_rows, text_column
from rainbowdp.formats.documents import parsed_rainbow
from rainbowdp.formats.files import TABLES, Form, address_of, content_of, form_to_read, path_of
from rainbowdp.formats.networks import NETWORKS, Edges, read_network
from rainbowdp.formats.pairs import COLUMNS, Engine, pairs_in_memory, relation_of, require_engine
from rainbowdp.formats.tables import TextTable, connect, open_table
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.labels import LabelArray, RowLabels
from rainbowdp.graph.passes import Report
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.rainbow import Rainbow

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

_LARGEST_SIZE = 2**31 - 1
_COLUMNS = ("dataset", "rainbow")


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
    engine = require_engine(engine)
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
    if address is not None and engine != "spark":
        form_to_read(Path(address), "the pairs of neighbors", TABLES)
    edges: Edges = []
    with content_of(datasets, address or datasets), connect() as database:
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
            structure = relation_of(database, address, known, engine, report)
        return RainbowGraph.from_codes(structure, palette, rows.codes, rows.labels)


def _columns(rows: Sequence[tuple[str | None, ...]]) -> "pa.RecordBatch":
    import pyarrow as pa

    columns = [text_column([row[at] for row in rows]) for at in (0, 1)]
    return pa.RecordBatch.from_arrays(columns, ["c0", "c1"])


def _from_edges(
    database: "DuckDBPyConnection", path: Path, edges: Edges, known: KnownDatasets
) -> NeighborRelation:
    """Return the edges of a whole graph as pairs of datasets."""
    import pyarrow as pa

    database.register("edges", pa.Table.from_batches([_columns(edges)]))
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
        If the path is not the name of a file, or there is not one label per dataset.
    MissingExtraError
        If the engine needs something that is not installed.
    FileUnreadableError, FileFormatError
        If the file cannot be read or does not have its form.
    UnknownDatasetError
        If a pair names a dataset that has no label.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("source,target\nbob,ann\n")
    >>> read_neighbors(path, np.array(["ann", "bob", "cid"]), 3)
    PairList(3 datasets, 1 pairs as given)
    """
    address = address_of(path)
    engine = require_engine(engine)
    known = _known(labels, size)
    form = Form.PARQUET
    if engine != "spark":
        form = form_to_read(Path(address), "the pairs of neighbors", TABLES + NETWORKS)
    with content_of(address), connect() as database:
        if form in NETWORKS:
            # Nodes that the mechanism lacks matter only where a pair names them.
            _, edges = read_network(Path(address), form)
            return _from_edges(database, Path(address), edges, known)
        return relation_of(database, address, known, engine, report)


def _known(labels: object, size: object) -> KnownDatasets:
    """Return the datasets of a mechanism or graph, with one label each or none."""
    if not is_whole(size) or not 0 <= size <= _LARGEST_SIZE:
        raise UsageError(
            f"`size` must be a number of datasets, and is {described(size)}",
            help="give the size of the mechanism or graph whose pairs these are",
            argument="size",
        )
    if labels is None:
        return KnownDatasets(int(size), None, "the mechanism")
    listed = labels.tolist() if isinstance(labels, np.ndarray | RowLabels) else items_of(labels)
    if not isinstance(listed, list) or len(listed) != size:
        raise UsageError(
            f"`labels` must be one label for each of {size} datasets, and is "
            f"{kind_of(labels) if not isinstance(listed, list) else f'{len(listed)} labels'}",
            help="give the labels of the mechanism or graph whose pairs these are, or None",
            argument="labels",
        )
    return KnownDatasets(int(size), list(map(str, listed)), "the mechanism")
