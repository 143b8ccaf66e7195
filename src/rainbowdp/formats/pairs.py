# SPDX-License-Identifier: Apache-2.0
"""Pairs of neighbors from CSV and Parquet tables as numbers of datasets, in memory or batch by batch.

Names cost time only where there are names. Where datasets are called 0 to n - 1 a cell is the
number it says, and Parquet columns of integers go from the file into two arrays, batch by batch; integers in
a small range are looked up in a table; everything else is joined by DuckDB. Which way was taken shows in
nothing but the time: a pair that names no dataset has the same error, with its row, on all of them.

A stream of pairs needs memory for the datasets, not for the pairs. Integers that name datasets are decoded
again at every pass, which costs no more than to read back anything written in between. Everything else (text,
names that need a join) is numbered once, into an unnamed file that is read after that.
"""

import contextlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, FileUnreadableError, UnknownDatasetError
from rainbowdp.formats.datasets import ArrowError, KnownDatasets, integer_batches, integer_rows
from rainbowdp.formats.suffixes import Form
from rainbowdp.formats.tables import Database, arrays, arrow_batches, open_table, reading
from rainbowdp.graph.arrays import Integers, number_type
from rainbowdp.graph.labels import close_labels
from rainbowdp.graph.pair_store import BATCH, PairSpool
from rainbowdp.graph.pairs import PairList, PairStream
from rainbowdp.graph.passes import Report

_NULL, _UNKNOWN = -2, -1
COLUMNS = ("source", "target")
"""The columns of a table of pairs."""
# A table of places may be this many times as long as the list of datasets, and a little more.
_SPARSE, _SMALL = 8, 1 << 16


def read_pairs(database: Database, path: Path, form: Form, known: KnownDatasets) -> PairList:
    """Read the columns ``source`` and ``target`` of a table.

    Parameters
    ----------
    database : Database
        From `rainbowdp.formats.tables.connect`. If it has a table ``datasets`` with a text column
        ``dataset``, its row numbers number the datasets.
    path : Path
        The file.
    form : Form
        CSV or Parquet.
    known : KnownDatasets
        What may be named.

    Returns
    -------
    PairList

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read, or a pair lacks an end.
    UnknownDatasetError
        If a pair names a dataset that is not known; the message says which row.
    """
    if form is Form.PARQUET and by_number(known) and (ends := _numbers(path, known)) is not None:
        if lacks(*ends):
            raise first_wrong_pair(database, path, pair_query(database, path, form), known)
        return _list_of(known, ends)
    return join_pairs(database, path, pair_query(database, path, form), known)


def pair_query(database: Database, path: Path, form: Form) -> str:
    """Return SQL for the pairs of a table as text, ``v0`` and ``v1``.

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read, or lacks a column.
    """
    return open_table(database, path, form, COLUMNS).query(*COLUMNS)


def join_pairs(database: Database, path: Path, query: str, known: KnownDatasets) -> PairList:
    """Return the pairs that a query names.

    Parameters
    ----------
    database : Database
        As for `read_pairs`.
    path : Path
        The file that the query reads, for messages.
    query : str
        Gives two columns of text, ``v0`` and ``v1``.
    known : KnownDatasets
        What may be named.

    Returns
    -------
    PairList

    Raises
    ------
    FileUnreadableError, FileFormatError, UnknownDatasetError
        As in `read_pairs`.
    """
    numbered = numbered_query(database, query, known)
    with reading(path):
        read = arrays(database.execute(numbered))
    ends = read["v0"], read["v1"]
    if lacks(*ends):
        raise first_wrong_pair(database, path, query, known)
    return _list_of(known, ends)


def lacks(source: NDArray[Any], target: NDArray[Any]) -> bool:
    """Tell whether some pair lacks a dataset."""
    return min(int(source.min(initial=0)), int(target.min(initial=0))) < 0


def _list_of(known: KnownDatasets, ends: tuple[NDArray[Any], NDArray[Any]]) -> PairList:
    for end in ends:
        # It is held nowhere else, so it need not be copied.
        end.setflags(write=False)
    return PairList.from_arrays(known.size, *ends)


def by_number(known: KnownDatasets) -> bool:
    """Tell whether an integer in a file finds its dataset without a join."""
    if known.labels is None:
        return True
    if known.labels.dtype.kind != "i" or known.size == 0:
        return False
    span = int(known.labels.max()) - int(known.labels.min()) + 1
    return span <= _SPARSE * known.size + _SMALL


def _numbers(path: Path, known: KnownDatasets) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the datasets of integer columns, -1 where there is none; None for another file."""
    count = integer_rows(path, COLUMNS)
    if count is None:
        return None
    kind = number_type(known.size)
    ends = np.empty(count, dtype=kind), np.empty(count, dtype=kind)
    place = 0
    try:
        for batch in decoded(path, known):
            stop = place + batch[0].size
            for end, places in zip(ends, batch, strict=True):
                end[place:stop] = places
            place = stop
    except ArrowError:
        return None  # DuckDB, which reads every kind of table, says what is wrong
    return ends


def decoded(path: Path, known: KnownDatasets) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield the datasets of integer columns of a Parquet file, -1 where there is none.

    Raises
    ------
    ArrowError
        If the file is damaged, or has become another one.
    """
    lookup = _Lookup(known)
    for source, target in integer_batches(path, COLUMNS):
        yield lookup.places(source), lookup.places(target)


class _Lookup:
    """From the integers in a file to the numbers of datasets, -1 where there is none."""

    def __init__(self, known: KnownDatasets) -> None:
        self._low, self._high = 0, known.size - 1
        self._table: NDArray[Any] | None = None
        if known.labels is not None:
            self._low, self._high = int(known.labels.min()), int(known.labels.max())
            self._table = np.full(self._high - self._low + 1, _UNKNOWN, dtype=number_type(known.size))
            self._table[known.labels - self._low] = np.arange(known.size)

    def places(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the numbers of the datasets with these names; the values of null cells are masked."""
        lost = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
        plain: NDArray[Any] = np.ma.getdata(values)
        if plain.size and (int(plain.min()) < self._low or int(plain.max()) > self._high):
            outside = (plain < self._low) | (plain > self._high)
            lost = outside if lost is None else lost | outside
        if lost is None and self._table is None:
            return plain
        # In a type that holds the difference of any two of them.
        shifted = plain.astype(np.int64)
        shifted[lost if lost is not None else slice(0)] = self._low
        shifted -= self._low
        found = shifted if self._table is None else self._table[shifted]
        return found if lost is None else np.where(lost, _UNKNOWN, found)


def numbered_query(database: Database, query: str, known: KnownDatasets) -> str:
    """Return SQL that turns names into the numbers of datasets, below 0 where there is none.

    Parameters
    ----------
    database, known
        As for `read_pairs`.
    query : str
        Gives two columns of text, ``v0`` and ``v1``.

    Returns
    -------
    str
        SQL for the same rows in the same order.
    """
    return _spelled_query(query, known) if known.labels is None else _joined_query(database, query, known)


def _spelled_query(query: str, known: KnownDatasets) -> str:
    number = (
        f"case when try_cast({{v}} as bigint) between 0 and {known.size - 1} "
        f"and try_cast({{v}} as bigint)::varchar = {{v}} then try_cast({{v}} as bigint) "
        f"else {_UNKNOWN} end::{_sql_type(known)} as {{v}}"
    )
    columns = ", ".join(number.format(v=v) for v in ("v0", "v1"))
    return f"select {columns} from ({query})"  # noqa: S608 - built by tables


def _joined_query(database: Database, query: str, known: KnownDatasets) -> str:
    _name_datasets(database, known)
    number = "case when p.{v} is null then {null} else coalesce({t}.rowid, {unknown}) end::{kind} as {v}"
    columns = ", ".join(
        number.format(v=v, t=t, null=_NULL, unknown=_UNKNOWN, kind=_sql_type(known))
        for v, t in (("v0", "a"), ("v1", "b"))
    )
    return (
        f"select {columns} from ({query}) p "  # noqa: S608 - built by tables
        "left join datasets a on p.v0 = a.dataset left join datasets b on p.v1 = b.dataset"
    )


def _sql_type(known: KnownDatasets) -> str:
    return "integer" if number_type(known.size) is np.int32 else "bigint"


def _name_datasets(database: Database, known: KnownDatasets) -> None:
    """Make the table of names, unless the datasets were read into it."""
    if database.execute("select 1 from duckdb_tables() where table_name = 'datasets'").fetchall():
        return
    if known.labels is None:
        names = f"select range::varchar as dataset from range({known.size})"  # noqa: S608 - a number
    else:
        values = known.labels if known.labels.dtype.kind == "i" else known.labels.astype(object)
        database.register("known_datasets", {"dataset": values})
        names = "select dataset::varchar as dataset from known_datasets"
    database.execute(f"create temp table datasets as {names}")


def first_wrong_pair(
    database: Database, path: Path, query: str, known: KnownDatasets
) -> FileFormatError | UnknownDatasetError:
    """Return the error of the first pair of a query that lacks a dataset, or names an unknown one."""
    _name_datasets(database, known)
    with reading(path):
        database.execute(f"create temp table pairs as {query}")
    ((row, source, target, at_source),) = database.execute(
        "select rowid, v0, v1, v0 is null or (v1 is not null and v0 not in (select dataset from datasets)) "
        "from pairs where v0 is null or v1 is null or v0 not in (select dataset from datasets) "
        "or v1 not in (select dataset from datasets) order by rowid limit 1"
    ).fetchall()
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
        f"row {row + 1} of {str(path)!r} names the dataset {dataset!r} as its {column}, which {known.owner} "
        "does not have",
        help=close_labels(dataset, labels.tolist())
        or "list it among the datasets, or remove the pair (rows are counted after the header)",
        dataset=dataset,
        row=row + 1,
    )


Pairs = Iterator[tuple[Integers, Integers]]


def stream_pairs(
    database: Database, path: Path, form: Form, known: KnownDatasets, report: Report | None = None
) -> PairStream:
    """Return the columns ``source`` and ``target`` of a table, to be read in batches.

    Parameters
    ----------
    database : Database
        As for `rainbowdp.formats.pairs.read_pairs`; it must stay open while pairs are read.
    path : Path
        The file, which must not change while pairs are read.
    form : Form
        CSV or Parquet.
    known : KnownDatasets
        What may be named.
    report : callable, optional
        Told in words about each pass.

    Returns
    -------
    PairStream

    Raises
    ------
    FileUnreadableError, FileFormatError, UnknownDatasetError
        As `read_pairs`; pairs that are decoded at every pass are judged in the first one.
    FileWriteError
        If there is no room for temporary files.
    """
    before = _state(path)
    if form is Form.PARQUET and by_number(known) and integer_rows(path, COLUMNS) is not None:

        def batches() -> Pairs:
            _refuse_change(path, before)
            for source, target in _decoded(path, known):
                if lacks(source, target):
                    _refuse_change(path, before)
                    raise first_wrong_pair(database, path, pair_query(database, path, form), known)
                yield source, target
            _refuse_change(path, before)

        return PairStream(known.size, batches, report)
    query = pair_query(database, path, form)
    if report is not None:
        report("the names of the datasets become numbers")
    spool = PairSpool(number_type(known.size))
    # DuckDB answers nothing else while a result is read, so it is closed before an error is looked for.
    with contextlib.closing(_numbered(database, path, query, known)) as numbered:
        wrong = False
        for source, target in numbered:
            if wrong := lacks(source, target):
                break
            spool.add(source, target)
    if wrong:
        raise first_wrong_pair(database, path, query, known)
    return PairStream(known.size, spool.batches, report)


def _state(path: Path) -> tuple[int, ...] | None:
    """Return what differs once a file was written to or replaced; None where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _refuse_change(path: Path, before: tuple[int, ...] | None) -> None:
    if _state(path) != before:
        raise FileUnreadableError(
            f"{str(path)!r} has changed while it was read",
            help="begin anew, and leave it alone",
            path=str(path),
        )


def _decoded(path: Path, known: KnownDatasets) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield the datasets of integer columns, -1 where there is none, in the type that numbers them."""
    kind = number_type(known.size)
    try:
        for source, target in decoded(path, known):
            yield source.astype(kind, copy=False), target.astype(kind, copy=False)
    except ArrowError as error:
        raise FileUnreadableError(
            f"{str(path)!r} cannot be read in batches: {_first_line(error.__cause__ or error)}",
            help="write the file anew",
            path=str(path),
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _numbered(
    database: Database, path: Path, query: str, known: KnownDatasets
) -> Generator[tuple[NDArray[Any], NDArray[Any]], None, None]:
    """Yield the datasets that cells name, below 0 where there is none."""
    with reading(path):
        reader = arrow_batches(database.sql(numbered_query(database, query, known)), BATCH)
        try:
            for batch in reader:
                source, target = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("v0", "v1"))
                yield source, target
        finally:
            reader.close()
