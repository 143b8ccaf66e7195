# SPDX-License-Identifier: Apache-2.0
"""Pairs of neighbors from tables as numbers of datasets: in memory, in a temporary file, or on a cluster.

The results are the same to the bit. Unless the caller names an engine, it follows from the free memory: what
the machine has, or less in a container.

DuckDB turns names into numbers, batch by batch. Where datasets are called 0 to n - 1 a cell is the number
that it says; other names are joined, integers as integers where both tables hold them. A pair that names no
dataset is an error with its row. A stream of pairs needs memory for the datasets, not for the pairs: their
numbers are written once to an unnamed file that is read from then on.
"""

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, UnknownDatasetError
from rainbowdp.formats.datasets import Column, KnownDatasets
from rainbowdp.formats.files import Form, wrong_row
from rainbowdp.formats.text_tables import Database, TextTable, arrow_batches, open_table, reading
from rainbowdp.graph.arrays import Integers, number_type
from rainbowdp.graph.compiled import compiled
from rainbowdp.graph.distances import BATCH, PairSpool
from rainbowdp.graph.labels import close_labels
from rainbowdp.graph.pairs import PairList, PairStream
from rainbowdp.graph.relation import NeighborRelation, Report

Engine = Literal["auto", "memory", "stream", "spark"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
COLUMNS = ("source", "target")
"""The columns of a table of pairs."""

# Two numbers of four bytes, held twice while the distances are found; pairs may take half of the memory.
_BYTES_PER_PAIR = 32
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
# What takes less is not compared with the memory.
_LITTLE = 1 << 26


def relation_of(
    database: Database,
    path: str,
    form: Form | None,
    known: KnownDatasets,
    *,
    engine: Engine,
    report: Report | None,
) -> NeighborRelation:
    """Read the pairs of neighbors of a table, with the columns ``source`` and ``target``.

    Parameters
    ----------
    database : Database
        From `rainbowdp.formats.text_tables.connect_if_asked`, without tables.
    path : str
        The file; for Spark any address that it can read.
    form : Form or None
        CSV or Parquet; None where Spark reads the address.
    known : KnownDatasets
        What may be named.
    engine : {"auto", "memory", "stream", "spark"}
        Where to keep the pairs; "auto" streams what would take more than half of the free memory.
    report : callable, optional
        Told in words about each pass over pairs that are not in memory.

    Returns
    -------
    NeighborRelation

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read, or a pair lacks an end.
    UnknownDatasetError
        If a pair names a dataset that is not known; the message says which row.
    FileWriteError
        If there is no room for temporary files.
    RainbowError
        As `rainbowdp.spark.spark_pairs`.
    """
    if form is None:
        from rainbowdp.spark import spark_pairs

        return spark_pairs(path, _spark_kind(path), known.size, known.labels, report)
    table = open_table(Path(path), form, COLUMNS)
    if engine == "stream" or (engine == "auto" and _is_too_large(database, table)):
        if report is not None:
            report("the names of the datasets become numbers")
        spool = PairSpool(number_type(known.size))
        _read_into(spool, database, table, known)
        return PairStream(known.size, spool.batches, report)
    return pairs_in_memory(database, table, known)


def pairs_in_memory(database: Database, table: TextTable, known: KnownDatasets) -> PairList:
    """Return the pairs of neighbors of a table as `relation_of` does."""
    arrays = _PairArrays(number_type(known.size), table.size)
    _read_into(arrays, database, table, known)
    return PairList.from_arrays(known.size, *arrays.ends())


def _spark_kind(path: str) -> str:
    """Return in which form Spark is to read an address, by its ending."""
    bare = path.rstrip("/").lower()
    for ending, kind in ((".parquet", "parquet"), (".csv", "csv"), (".csv.gz", "csv")):
        if bare.endswith(ending):
            return kind
    raise FileFormatError(
        f"the address {path!r} does not say in which form the pairs of neighbors are written",
        help="use one that ends in .parquet or .csv",
        path=path,
    )


def _is_too_large(database: Database, table: TextTable) -> bool:
    """Tell whether the pairs of a table would take more than their share of the free memory."""
    need = table.size * _BYTES_PER_PAIR
    # A stream needs compiled code.
    return need > _LITTLE and compiled() and need > free_memory(database)


def free_memory(database: Database) -> int:
    """Return how many bytes of memory can be used, by what the system and DuckDB say.

    DuckDB takes no more than most of the machine, or of the limit that a container has.
    """
    ((limit,),) = database().execute("select current_setting('memory_limit')").fetchall()
    amount, unit = str(limit).split()
    return min(_available(), int(float(amount) * _UNITS[unit]))


def _available() -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    # Where the system does not say it, the limit of DuckDB counts.
    return 1 << 62


class _PairArrays:
    """Pairs in two arrays that grow, with what `PairSpool` needs to add to them."""

    def __init__(self, kind: type[np.int32] | type[np.int64], expected: int) -> None:
        # The system gives memory to an array where it is written to.
        self._ends: tuple[NDArray[Any], ...] = tuple(np.empty(expected, dtype=kind) for _ in COLUMNS)
        self._size = 0

    def add(self, *ends: NDArray[Any]) -> None:
        """Append pairs."""
        stop = self._size + ends[0].size
        for held, new in zip(self._ends, ends, strict=True):
            if stop > held.size:
                held.resize(max(stop, 2 * held.size), refcheck=False)
            held[self._size : stop] = new
        self._size = stop

    def ends(self) -> tuple[Integers, ...]:
        """Return both arrays, read-only, so that they need not be copied."""
        for held in self._ends:
            held.resize(self._size, refcheck=False)
            held.setflags(write=False)
        return self._ends


def _read_into(
    store: "PairSpool | _PairArrays", database: Database, table: TextTable, known: KnownDatasets
) -> None:
    """Add all pairs of a table to a store, and refuse the first pair that lacks a dataset."""
    # DuckDB answers nothing else while a result is read, so that is closed before an error is looked for.
    with contextlib.closing(_numbered(database, table, known)) as batches:
        wrong = False
        for source, target in batches:
            if wrong := min(int(source.min(initial=0)), int(target.min(initial=0))) < 0:
                break
            store.add(source, target)
    if wrong:
        raise _first_wrong_pair(database, table, known)


def _numbered(
    database: Database, table: TextTable, known: KnownDatasets
) -> Generator[tuple[NDArray[Any], NDArray[Any]], None, None]:
    """Yield the numbers of the datasets that cells name, -1 where there is none."""
    if known.labels is None and table.integers.issuperset(COLUMNS):
        for batch in table.batches(database, *COLUMNS, rows=BATCH):
            source, target = (_numbers_within(column, known.size) for column in batch.columns)
            yield source, target
        return
    numbered = _spelled_query(table, known) if known.labels is None else _joined_query(database, table, known)
    with reading(table.path), contextlib.closing(arrow_batches(database().sql(numbered), BATCH)) as reader:
        for batch in reader:
            source, target = map(np.from_dlpack, batch.columns)
            yield source, target


def _numbers_within(column: Column, size: int) -> NDArray[Any]:
    """Return integers as they are, or -1 alone if one is missing or is not below a size."""
    if not column.null_count:
        numbers: NDArray[Any] = np.from_dlpack(column)
        if int(numbers.min(initial=0)) >= 0 and int(numbers.max(initial=0)) < size:
            return numbers
    return np.array([-1])


def _spelled_query(table: TextTable, known: KnownDatasets) -> str:
    """Return SQL for names that are the numbers themselves, in their usual form."""
    columns = ", ".join(
        f"case when try_cast({v} as bigint) between 0 and {known.size - 1} "
        + ("" if name in table.integers else f"and try_cast({v} as bigint)::varchar = {v} ")
        + f"then try_cast({v} as bigint) else -1 end::{_sql_type(known)} as {v}"
        for v, name in zip(("v0", "v1"), COLUMNS, strict=True)
    )
    return f"select {columns} from ({table.query(*COLUMNS)})"  # noqa: S608 - built by tables


def _joined_query(database: Database, table: TextTable, known: KnownDatasets) -> str:
    """Return SQL that joins names, as integers where the pairs and the datasets are integers."""
    import pyarrow as pa

    whole = table.integers.issuperset(COLUMNS) and pa.types.is_integer(known.names.type)
    _name_datasets(database, known, "bigint" if whole else "varchar")
    columns = ", ".join(
        f"coalesce({t}.rowid, -1)::{_sql_type(known)} as {v}" for v, t in (("v0", "a"), ("v1", "b"))
    )
    return (
        f"select {columns} from ({table.query(*COLUMNS, text=not whole)}) p "  # noqa: S608 - built by tables
        "left join datasets a on p.v0 = a.dataset left join datasets b on p.v1 = b.dataset"
    )


def _sql_type(known: KnownDatasets) -> str:
    return "integer" if number_type(known.size) is np.int32 else "bigint"


def _name_datasets(database: Database, known: KnownDatasets, kind: str = "varchar") -> None:
    """Make the table of names; its row numbers are the numbers of the datasets."""
    import pyarrow as pa

    database().register("known_datasets", pa.table({"dataset": known.names}))
    database().execute(
        f"create or replace temp table datasets as select dataset::{kind} as dataset from known_datasets"  # noqa: S608 - one of two types
    )


def _first_wrong_pair(
    database: Database, table: TextTable, known: KnownDatasets
) -> FileFormatError | UnknownDatasetError:
    """Return the error of the first pair that lacks a dataset, or names an unknown one."""
    _name_datasets(database, known)
    with reading(table.path):
        database().execute(f"create temp table pairs as {table.query(*COLUMNS, text=True)}")
    found = database().execute(
        "select rowid, v0, v1, v0 is null or (v1 is not null and v0 not in (select dataset from datasets)) "
        "from pairs where v0 is null or v1 is null or v0 not in (select dataset from datasets) "
        "or v1 not in (select dataset from datasets) order by rowid limit 1"
    )
    ((row, source, target, at_source),) = found.fetchall()
    dataset, column = (source, "source") if at_source else (target, "target")
    if dataset is None:
        return wrong_row(table.path, row, f"has no {column}", "name both datasets of every pair")
    return UnknownDatasetError(
        f"row {row + 1} of {str(table.path)!r} names the dataset {dataset!r} as its {column}, which "
        f"{known.owner} does not have",
        help=close_labels(dataset, known.labels or list(map(str, range(known.size))))
        or "list it among the datasets, or remove the pair (rows are counted after the header)",
        dataset=dataset,
        row=row + 1,
    )
