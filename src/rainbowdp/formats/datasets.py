# SPDX-License-Identifier: Apache-2.0
"""Datasets from tables: their names, their numbers, and columns of integers that need no name.

A dataset that is called by its number needs no name, neither in a graph nor while pairs are read. Columns of
integers go from a Parquet file into arrays without a look at each, which saves what a database costs before
it reads anything. These functions return None for any other table and for one with an error; the general
reader then reads it by DuckDB and names the error.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import DuplicateDatasetError, FileFormatError, RainbowError
from rainbowdp.formats.tables import Database, arrays
from rainbowdp.rainbow import Rainbow

_BATCH = 1 << 20


class ArrowError(Exception):
    """The file is damaged, or not a table of this kind."""


def parquet_rows(path: Path) -> int:
    """Return the number of rows of a Parquet file, 0 for one that is damaged."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return int(parquet.read_metadata(path).num_rows)
    except (OSError, pa.ArrowException):
        return 0


def integer_rows(path: Path, names: tuple[str, str]) -> int | None:
    """Return the number of rows of a Parquet file with two columns of integers.

    Parameters
    ----------
    path : Path
        The file.
    names : tuple of two str
        The columns.

    Returns
    -------
    int or None
        None if the file is of another kind: columns that are missing, named twice or of another type, or
        what pyarrow does not read.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path, pre_buffer=False) as opened:
            schema = opened.schema_arrow
            if len(set(schema.names)) < len(schema.names) or not set(names) <= set(schema.names):
                return None
            kinds = [schema.field(name).type for name in names]
            return int(opened.metadata.num_rows) if all(map(pa.types.is_integer, kinds)) else None
    except (OSError, pa.ArrowException):
        return None


def integer_batches(path: Path, names: tuple[str, str]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield two columns of integers batch by batch, all rows in their order.

    Parameters
    ----------
    path, names
        As for `integer_rows`, which knows the file.

    Yields
    ------
    tuple of two integer arrays
        Masked where cells are null.

    Raises
    ------
    ArrowError
        If the file is damaged, or has become another one.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        # Buffering ahead would hold the whole file in memory.
        with parquet.ParquetFile(path, pre_buffer=False) as opened:
            for batch in opened.iter_batches(_BATCH, columns=list(names)):
                columns = [batch.column(name) for name in names]
                if not all(pa.types.is_integer(column.type) for column in columns):
                    raise ArrowError
                yield _plain(columns[0]), _plain(columns[1])
    except (OSError, KeyError, pa.ArrowException) as error:
        raise ArrowError from error


def _plain(column: Any) -> NDArray[Any]:  # noqa: ANN401 - pyarrow ships no types
    """Return a column of integers as an array, masked where cells are null."""
    if column.null_count == 0:
        values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return values
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return np.ma.MaskedArray(column.fill_null(0).to_numpy(zero_copy_only=False), mask=missing)


# So many rows stay in the processor's cache.
_BATCH = 1 << 16


@dataclass(frozen=True, eq=False)
class KnownDatasets:
    """The datasets that pairs may name.

    Parameters
    ----------
    size : int
        Their number.
    labels : array [n] of str or int64, or None
        Their names; None if they are called 0 to n - 1.
    owner : str
        What has these datasets, for messages.
    """

    size: int
    labels: NDArray[Any] | None
    owner: str


def known_datasets(database: Database, owner: str) -> KnownDatasets:
    """Return the datasets of the table ``datasets`` that was read into a database.

    Parameters
    ----------
    database : Database
        With a table ``datasets`` that has a text column ``dataset``.
    owner : str
        What has these datasets, for messages.

    Returns
    -------
    KnownDatasets
        With integers as labels where all labels are integers in their usual form, and without labels where
        they are 0 to n - 1 in order.
    """
    ((size, placed, whole),) = database.execute(
        "select count(*), count(*) filter (dataset = rowid::varchar), "
        "count(*) filter (dataset = try_cast(dataset as bigint)::varchar) from datasets"
    ).fetchall()
    if placed == size:
        return KnownDatasets(size, None, owner)
    chosen = "dataset::bigint" if whole == size else "dataset"
    read = arrays(database.execute(f"select {chosen} as dataset from datasets order by rowid"))  # noqa: S608 - one of two
    return KnownDatasets(size, read["dataset"], owner)


def numbered_datasets(path: Path) -> tuple[list[Rainbow], NDArray[np.int32]] | None:
    """Read a Parquet table of datasets that are integers from 0 up, in order.

    Parameters
    ----------
    path : Path
        A Parquet file.

    Returns
    -------
    palette : list of Rainbow
        Different ones, or different spellings of one.
    codes : int32 array [n]
        Index into it per dataset; or None instead of both, if the table is of another kind, empty or
        wrong.
    """
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path, pre_buffer=False, read_dictionary=["rainbow"]) as opened:
            names, schema = opened.schema_arrow.names, opened.schema_arrow
            if len(set(names)) < len(names) or not {"dataset", "rainbow"} <= set(names):
                return None
            if not opened.metadata.num_rows or not pa.types.is_integer(schema.field("dataset").type):
                return None
            if not pa.types.is_dictionary(schema.field("rainbow").type):
                return None
            return _codes_of(opened)
    except (OSError, pa.ArrowException):
        return None


def _codes_of(opened: Any) -> tuple[list[Rainbow], NDArray[np.int32]] | None:  # noqa: ANN401 - pyarrow ships no types
    codes = np.empty(opened.metadata.num_rows, dtype=np.int32)
    number: dict[object, int] = {}
    place = 0
    known, written = None, np.empty(0, dtype=np.int32)
    for batch in opened.iter_batches(_BATCH, columns=["dataset", "rainbow"]):
        datasets, rainbows = batch.column("dataset"), batch.column("rainbow")
        if datasets.null_count or rainbows.null_count:
            return None
        stop = place + len(batch)
        if not np.array_equal(datasets.to_numpy(zero_copy_only=False), np.arange(place, stop)):
            return None
        if known is None or not rainbows.dictionary.equals(known):
            known = rainbows.dictionary
            texts = known.to_pylist()
            written = np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int32)
        codes[place:stop] = written[rainbows.indices.to_numpy(zero_copy_only=False)]
        place = stop
    spelled = [text for text in number if isinstance(text, str)]
    try:
        return ([Rainbow.parse(text) for text in spelled], codes) if len(spelled) == len(number) else None
    except RainbowError:
        return None


def refuse_repeats(database: Database, path: Path, what: str = "dataset") -> None:
    """Raise `DuplicateDatasetError` if the loaded table names a dataset, or what it lists, twice."""
    twice = database.execute(
        "select dataset, min(rowid), max(rowid) from datasets group by dataset having count(*) > 1 "
        "order by min(rowid) limit 1"
    ).fetchone()
    if twice:
        raise DuplicateDatasetError(
            f"the {what} {twice[0]!r} stands in rows {twice[1] + 1} and {twice[2] + 1} of {str(path)!r}",
            help=f"name every {what} once (rows are counted after the header)",
            dataset=twice[0],
        )


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
