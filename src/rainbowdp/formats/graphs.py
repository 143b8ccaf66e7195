# SPDX-License-Identifier: Apache-2.0
"""Graphs from files: tables of datasets and neighbors, GraphML, and node-link JSON.

Tables go from file to arrays by array operations and by DuckDB, which joins labels to numbers, so no Python
code runs per dataset or per pair. GraphML and node-link JSON are for graphs of a size at which one also draws
them. A graph file is not private, so errors name the row and the value.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import (
    FileFormatError,
    MissingRainbowError,
    UsageError,
)
from rainbowdp.exact.arguments import described, is_whole, items_of, kind_of
from rainbowdp.formats.datasets import (
    KnownDatasets,
    known_datasets,
    numbered_datasets,
    parsed_rainbow,
    refuse_repeats,
)
from rainbowdp.formats.engines import Engine, Report, relation_of, require_engine
from rainbowdp.formats.networks import network_edges, read_network
from rainbowdp.formats.pairs import join_pairs
from rainbowdp.formats.suffixes import Form, address_of, content_of, form_to_read, path_of
from rainbowdp.formats.tables import Database, arrays, connect_if_asked, open_table, reading
from rainbowdp.graph import PairStream, RainbowGraph
from rainbowdp.graph.labels import LabelArray, RowLabels
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.rainbow import Rainbow

_TABLES = (Form.CSV, Form.PARQUET)
_NETWORKS = (Form.GRAPHML, Form.JSON)
_LARGEST_SIZE = 2**31 - 1


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
        Where the pairs are kept: in memory; in their file, which is read in batches a few times and must not
        change meanwhile; or on a Spark cluster, where `neighbors` may be any address that Spark can read.
        "auto" streams a file that would take more than half of the free memory. Results are the same.
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
    form = form_to_read(datasets, "the datasets", _TABLES + _NETWORKS)
    if form in _NETWORKS:
        if neighbors is not None:
            raise UsageError(
                f"{str(datasets)!r} is a whole graph, with its pairs of neighbors",
                help="leave out --neighbors, or give the datasets as CSV or Parquet",
            )
        with content_of(datasets):
            return read_network(datasets, form)
    if address is None:
        raise UsageError(
            f"{str(datasets)!r} holds datasets, but no pairs of neighbors",
            help="give the pairs with --neighbors FILE, or a whole graph as .graphml or .json",
        )
    if engine != "spark":
        form_to_read(Path(address), "the pairs of neighbors", _TABLES)
    with content_of(datasets, address), connect_if_asked() as database:
        labels: list[str] | None = None
        numbered = numbered_datasets(datasets) if form is Form.PARQUET else None
        if numbered is not None:
            palette, codes = numbered
            known = KnownDatasets(codes.size, None, str(datasets))
        else:
            _load_datasets(database, datasets, form)
            known = known_datasets(database, str(datasets))
            palette, codes = _regions(database, datasets)
            if known.labels is not None:
                labels = list(map(str, known.labels.tolist()))
        structure = relation_of(database, address, known, engine, report)
        graph = RainbowGraph.from_codes(structure, palette, codes, labels)
        if isinstance(structure, PairStream):
            # The first pass judges every pair; made for the boundary, it is not made again.
            structure.mixed(graph.regions)
        return graph


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
    names = _names(labels, size)
    engine = require_engine(engine)
    form = (
        None
        if engine == "spark"
        else form_to_read(Path(address), "the pairs of neighbors", _TABLES + _NETWORKS)
    )
    with content_of(address), connect_if_asked() as database:
        if names is None:
            known = KnownDatasets(size, None, "the mechanism")
        else:
            database.register("known", {"dataset": names.astype(object)})
            database.execute("create temp table datasets as select dataset::varchar as dataset from known")
            known = known_datasets(database, "the mechanism")
        if form is not None and form in _NETWORKS:
            # Nodes that the mechanism lacks matter only where a pair names them.
            database.register("edges", network_edges(Path(address), form))
            query = "select v0::varchar as v0, v1::varchar as v1 from edges"
            return join_pairs(database, Path(address), query, known)
        return _judged(relation_of(database, address, known, engine, report))


def _judged(structure: NeighborRelation) -> NeighborRelation:
    """Return pairs after making sure that all can be read: a stream of them is judged in its first pass."""
    if isinstance(structure, PairStream):
        structure.mixed(np.zeros(structure.size, dtype=np.int32))
    return structure


def _names(labels: object, size: object) -> NDArray[np.str_] | None:
    """Return one label per dataset, as text; None where there are none."""
    if not is_whole(size) or not 0 <= size <= _LARGEST_SIZE:
        raise UsageError(
            f"`size` must be a number of datasets, and is {described(size)}",
            help="give the size of the mechanism or graph whose pairs these are",
            argument="size",
        )
    if labels is None:
        return None
    if isinstance(labels, RowLabels):
        labels = np.asarray(labels)
    listed = labels.tolist() if isinstance(labels, np.ndarray) else items_of(labels)
    if not isinstance(listed, list) or len(listed) != size:
        raise UsageError(
            f"`labels` must be one label for each of {size} datasets, and is "
            f"{kind_of(labels) if not isinstance(listed, list) else f'{len(listed)} labels'}",
            help="give the labels of the mechanism or graph whose pairs these are, or None",
            argument="labels",
        )
    return np.asarray(labels if isinstance(labels, np.ndarray) else listed, dtype=np.str_)


def _load_datasets(database: Database, path: Path, form: Form) -> None:
    """Load the table of datasets; its row numbers are the numbers of the datasets from here on."""
    table = open_table(database, path, form, ("dataset", "rainbow"))
    query = table.query("dataset", "rainbow")
    with reading(path):
        database.execute(
            f"create temp table datasets as select v0 as dataset, v1 as rainbow from ({query})"  # noqa: S608 - built by tables
        )
    unnamed = database.execute("select min(rowid) from datasets where dataset is null").fetchone()
    if unnamed and unnamed[0] is not None:
        raise FileFormatError(
            f"row {unnamed[0] + 1} of {str(path)!r} has no dataset",
            help="name every dataset (rows are counted after the header)",
            path=str(path),
            row=unnamed[0] + 1,
        )
    refuse_repeats(database, path)
    bare = database.execute(
        "select rowid, dataset from datasets where rainbow is null or trim(rainbow) = '' "
        "order by rowid limit 1"
    ).fetchone()
    if bare:
        raise MissingRainbowError(
            f"the dataset {bare[1]!r} has no rainbow (row {bare[0] + 1} of {str(path)!r})",
            help="give every dataset a rainbow such as blue>red>green",
            dataset=bare[1],
            row=bare[0] + 1,
        )
    if database.execute("select count(*) from datasets").fetchone() == (0,):
        raise FileFormatError(
            f"{str(path)!r} has a header and no datasets", help="give it one row per dataset", path=str(path)
        )


def _regions(database: Database, path: Path) -> tuple[list[Rainbow], NDArray[np.int32]]:
    """Return the distinct rainbows as they are written, and their code for each dataset."""
    distinct = database.execute(
        "select rainbow, min(rowid) as first from datasets group by rainbow order by first"
    ).fetchall()
    palette = [parsed_rainbow(text, f"row {first + 1} of {str(path)!r}") for text, first in distinct]
    texts = np.array([text for text, _ in distinct], dtype=object)
    database.register("written", {"rainbow": texts, "code": np.arange(texts.size, dtype=np.int32)})
    codes = arrays(
        database.execute(
            "select w.code from datasets d join written w on d.rainbow = w.rainbow order by d.rowid"
        )
    )["code"]
    return palette, codes
