# SPDX-License-Identifier: Apache-2.0
"""Columns of integers from Parquet files, batch by batch, without a database.

Integers go from the file into arrays without a look at each, which saves what a database costs before it
reads anything. Every other kind of table is left to DuckDB, whose readers also say what is wrong with it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
