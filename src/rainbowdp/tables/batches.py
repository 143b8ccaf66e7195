# SPDX-License-Identifier: Apache-2.0
"""The rows of a finished query as batches of tuples, from whichever engine holds it.

The one idea: this is the only place that knows the engines apart, and it knows only how each hands out its
rows piece by piece. Texts of pyarrow come as bytes, because decoding bytes that are no text would be an
error about a row.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rainbowdp.tables.source import BATCH, UNREADABLE_CELL, Cells


def batches_of(query: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - narwhals' frames
    """Yield the rows of a narwhals frame as batches of tuples.

    Parameters
    ----------
    query : a narwhals DataFrame or LazyFrame
        Of the stable API.
    """
    kind = query.implementation
    native = query.to_native()
    if kind.is_duckdb():
        yield from _duckdb(native)
    elif kind.is_ibis():
        # Its own batches do not work with every version of the library behind it.
        yield from _arrow(native.to_pyarrow())
    elif kind.is_pyspark():
        yield from _gathered(native.toLocalIterator(prefetchPartitions=True))
    elif kind.is_polars():
        yield from _polars(native)
    elif kind.is_pyarrow():
        yield from _arrow(native)
    elif kind.is_pandas_like():
        yield from _pandas(native)
    else:
        frame = query.collect() if hasattr(query, "collect") else query
        yield from _gathered(frame.iter_rows(buffer_size=BATCH))


def _gathered(rows: Iterable[Cells]) -> Iterator[list[Cells]]:
    left = iter(rows)
    while batch := [tuple(row) for row in islice(left, BATCH)]:
        yield batch


def _polars(frame: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - a frame, lazy or not
    collected = frame.collect(engine="streaming") if hasattr(frame, "collect") else frame
    for part in collected.iter_slices(BATCH):
        yield part.rows()


def _pandas(frame: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - pandas, or something like it
    for start in range(0, len(frame), BATCH):
        part = frame.iloc[start : start + BATCH]
        columns = [part.iloc[:, at] for at in range(part.shape[1])]
        cells = [_without_arrays(column) if column.dtype == object else column.tolist() for column in columns]
        yield list(zip(*cells, strict=True))


def _without_arrays(column: Any) -> list[object]:  # noqa: ANN401 - see _pandas
    """Return cells, with an array of numpy as what it is: no text, even where it holds one number."""
    import numpy as np

    return [UNREADABLE_CELL if isinstance(cell, np.ndarray) else cell for cell in column.tolist()]


def _duckdb(relation: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - its methods depend on the version
    # Asked of the class, since an attribute of a relation may be a column.
    if hasattr(type(relation), "iter_rows"):
        yield from _gathered(relation.iter_rows(BATCH))
        return
    # Before DuckDB 2 a relation keeps its result.
    while batch := relation.fetchmany(BATCH):
        yield batch


def _arrow(table: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    for batch in table.to_batches(max_chunksize=BATCH):
        columns = []
        for column in batch.columns:
            values = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
            if values.type in (pa.string(), pa.large_string(), pa.string_view()):
                values = values.cast(pa.large_binary())
            columns.append(values.to_pylist())
        yield list(zip(*columns, strict=True))
