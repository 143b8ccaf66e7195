# SPDX-License-Identifier: Apache-2.0
"""Graphs from files: tables of datasets and neighbors, GraphML, and node-link JSON.

Tables go from file to arrays inside DuckDB: it decodes the rows and joins labels to numbers, so no Python
code runs per dataset or per pair. GraphML and node-link JSON are for graphs of a size at which one also draws
them. A graph file is not private, so errors name the row and the value.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import (
    DuplicateDatasetError,
    FileFormatError,
    MissingRainbowError,
    RainbowError,
    UnknownDatasetError,
    UsageError,
)
from rainbowdp.formats.content import content_of
from rainbowdp.formats.networks import network_edges, read_network
from rainbowdp.formats.suffixes import Form, form_to_read
from rainbowdp.formats.tables import TextTable, arrays, connect, open_table, reading
from rainbowdp.graph import DatasetGraph, RainbowGraph
from rainbowdp.graph.labels import close_labels
from rainbowdp.rainbow import Rainbow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_TABLES = (Form.CSV, Form.PARQUET)
_NETWORKS = (Form.GRAPHML, Form.JSON)
_NULL, _UNKNOWN = -2, -1


def read_graph(datasets: Path | str, neighbors: Path | str | None = None) -> RainbowGraph:
    r"""Read a rainbow graph from one file or two.

    Parameters
    ----------
    datasets : Path or str
        A CSV or Parquet table with the columns ``dataset`` and ``rainbow``, or a whole graph as GraphML or
        node-link JSON with the node attribute ``rainbow``.
    neighbors : Path or str, optional
        A CSV or Parquet table with the columns ``source`` and ``target``, undirected; only beside a table.

    Returns
    -------
    RainbowGraph
        Datasets in the order of the file, labels as text. Self-loops and repeated pairs are removed, see
        ``notes``.

    Raises
    ------
    UsageError
        If the two files do not belong together.
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
    datasets, neighbors = Path(datasets), None if neighbors is None else Path(neighbors)
    form = form_to_read(datasets, "the datasets", _TABLES + _NETWORKS)
    if form in _NETWORKS:
        if neighbors is not None:
            raise UsageError(
                f"{str(datasets)!r} is a whole graph, with its pairs of neighbors",
                help="leave out --neighbors, or give the datasets as CSV or Parquet",
            )
        with content_of(datasets):
            return read_network(datasets, form)
    if neighbors is None:
        raise UsageError(
            f"{str(datasets)!r} holds datasets, but no pairs of neighbors",
            help="give the pairs with --neighbors FILE, or a whole graph as .graphml or .json",
        )
    pair_form = form_to_read(neighbors, "the pairs of neighbors", _TABLES)
    with content_of(datasets, neighbors), connect() as database:
        _load_datasets(database, datasets, form)
        labels = arrays(database.execute("select dataset from datasets order by rowid"))["dataset"]
        palette, codes = _regions(database, datasets)
        source, target = _numbered_pairs(database, neighbors, pair_form, str(datasets))
        structure = DatasetGraph.from_pairs(labels.size, source, target)
        return RainbowGraph.from_codes(structure, palette, codes, labels.tolist())


def read_neighbors(path: Path | str, labels: NDArray[Any] | None, size: int) -> DatasetGraph:
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

    Returns
    -------
    DatasetGraph

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read or does not have its form.
    UnknownDatasetError
        If a pair names a dataset that has no label.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("source,target\nbob,ann\n")
    >>> read_neighbors(path, np.array(["ann", "bob", "cid"]), 3).pairs()
    (array([0]...), array([1]...))
    """
    path = Path(path)
    form = form_to_read(path, "the pairs of neighbors", _TABLES + _NETWORKS)
    names = np.arange(size).astype(np.str_) if labels is None else labels.astype(np.str_)
    with content_of(path), connect() as database:
        database.register("known", {"dataset": names.astype(object)})
        database.execute("create temp table datasets as select dataset::varchar as dataset from known")
        if form in _NETWORKS:
            # Nodes that the mechanism lacks matter only where a pair names them.
            database.register("edges", network_edges(path, form))
            query = "select v0::varchar as v0, v1::varchar as v1 from edges"
            source, target = _joined(database, path, query, "the mechanism")
        else:
            source, target = _numbered_pairs(database, path, form, "the mechanism")
    return DatasetGraph.from_pairs(size, source, target)


def _load_datasets(database: "DuckDBPyConnection", path: Path, form: Form) -> None:
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


def refuse_repeats(database: "DuckDBPyConnection", path: Path) -> None:
    """Raise `DuplicateDatasetError` if the loaded table names a dataset twice."""
    twice = database.execute(
        "select dataset, min(rowid), max(rowid) from datasets group by dataset having count(*) > 1 "
        "order by min(rowid) limit 1"
    ).fetchone()
    if twice:
        raise DuplicateDatasetError(
            f"the dataset {twice[0]!r} stands in rows {twice[1] + 1} and {twice[2] + 1} of {str(path)!r}",
            help="name every dataset once (rows are counted after the header)",
            dataset=twice[0],
        )


def _regions(database: "DuckDBPyConnection", path: Path) -> tuple[list[Rainbow], NDArray[np.int32]]:
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


def parsed_rainbow(text: str, place: str) -> Rainbow:
    """Read a rainbow from a file; an error names the place.

    Raises
    ------
    FileFormatError
        If the text is not a rainbow.
    """
    try:
        return Rainbow.parse(text)
    except RainbowError as error:
        raise FileFormatError(f"{place}: {error.what}", help=error.help, rainbow=text) from error


def _numbered_pairs(
    database: "DuckDBPyConnection", path: Path, form: Form, known: str
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    table: TextTable = open_table(database, path, form, ("source", "target"))
    return _joined(database, path, table.query("source", "target"), known)


def _joined(
    database: "DuckDBPyConnection", path: Path, query: str, known: str
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the numbers of both datasets of every pair, after checking that there are such datasets."""
    number = "case when p.{v} is null then {null} else coalesce({t}.rowid, {unknown}) end::integer as {v}"
    columns = ", ".join(
        number.format(v=v, t=t, null=_NULL, unknown=_UNKNOWN) for v, t in (("v0", "a"), ("v1", "b"))
    )
    with reading(path):
        pairs = arrays(
            database.execute(
                f"select {columns} from ({query}) p "  # noqa: S608 - built by tables
                "left join datasets a on p.v0 = a.dataset left join datasets b on p.v1 = b.dataset"
            )
        )
    source, target = pairs["v0"], pairs["v1"]
    if source.size and min(source.min(), target.min()) < 0:
        raise _first_wrong_pair(database, path, query, known)
    return source, target


def _first_wrong_pair(
    database: "DuckDBPyConnection", path: Path, query: str, known: str
) -> FileFormatError | UnknownDatasetError:
    database.execute(f"create temp table pairs as {query}")
    wrong = database.execute(
        "select rowid, v0, v1, v0 is null or (v1 is not null and v0 not in (select dataset from datasets)) "
        "from pairs where v0 is null or v1 is null or v0 not in (select dataset from datasets) "
        "or v1 not in (select dataset from datasets) order by rowid limit 1"
    ).fetchone()
    assert wrong is not None  # noqa: S101 - the caller has seen one
    row, source, target, at_source = wrong
    dataset, column = (source, "source") if at_source else (target, "target")
    if dataset is None:
        return FileFormatError(
            f"row {row + 1} of {str(path)!r} has no {column}",
            help="name both datasets of every pair (rows are counted after the header)",
            path=str(path),
            row=row + 1,
        )
    labels = arrays(database.execute("select dataset from datasets order by rowid"))["dataset"]
    return UnknownDatasetError(
        f"row {row + 1} of {str(path)!r} names the dataset {dataset!r} as its {column}, which {known} "
        "does not have",
        help=close_labels(dataset, labels.tolist())
        or "list it among the datasets, or remove the pair (rows are counted after the header)",
        dataset=dataset,
        row=row + 1,
    )
