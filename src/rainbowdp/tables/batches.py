# SPDX-License-Identifier: Apache-2.0
"""The rows of a finished query as batches of tuples, from whichever engine holds it.

The one idea: this is the only place that knows the engines apart, and it knows only how each hands out its
rows piece by piece. A value of which a library can make no Python object is a cell that cannot be read.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rainbowdp.tables.moments import moment_text
from rainbowdp.tables.readers import shortest_float
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
        yield from relation_batches(native)
    elif kind.is_pyspark():
        yield from _gathered(native.toLocalIterator(prefetchPartitions=True))
    elif kind.is_polars():
        yield from _polars(native)
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
        cells = [_pandas_cells(part.iloc[:, at]) for at in range(part.shape[1])]
        yield list(zip(*cells, strict=True))


def _pandas_cells(column: Any) -> list[object]:  # noqa: ANN401 - see _pandas
    """Return the cells of a column, through what is stored where a Python object may not exist."""
    kind = column.dtype
    if getattr(kind, "storage", "") == "pyarrow" or type(kind).__name__ == "ArrowDtype":
        from rainbowdp.tables.arrow_tables import arrow_cells

        return arrow_cells(column.array.__arrow_array__())
    if getattr(kind, "kind", "") == "M":
        return _pandas_moments(column, zoned=getattr(kind, "tz", None) is not None)
    if type(kind).__name__ == "CategoricalDtype" and str(kind.categories.dtype) in ("float16", "float32"):
        bits = kind.categories.dtype.itemsize * 8
        return [shortest_float(cell, bits) for cell in column.tolist()]
    try:
        cells = column.tolist()
    except Exception:  # noqa: BLE001 - one cell has failed, and the others have not
        cells = [_alone(column, at) for at in range(len(column))]
    if str(kind) == "float16":
        return [shortest_float(cell, 16) for cell in cells]
    return _without_arrays(cells) if str(kind) == "object" else cells


def _pandas_moments(column: Any, *, zoned: bool) -> list[object]:  # noqa: ANN401 - see _pandas
    import numpy as np

    stored = (column.dt.tz_convert(None) if zoned else column).to_numpy()
    unit = np.datetime_data(stored.dtype)[0]
    numbers = stored.astype(np.int64).tolist()
    nothing = np.isnat(stored).tolist()
    return [
        None if missing else moment_text(number, unit, zoned=zoned)
        for number, missing in zip(numbers, nothing, strict=True)
    ]


def _alone(column: Any, at: int) -> object:  # noqa: ANN401 - see _pandas
    try:
        return column.iloc[at]
    except Exception:  # noqa: BLE001 - whatever a cell does, an error would reveal that it is there
        return UNREADABLE_CELL


def _without_arrays(cells: list[object]) -> list[object]:
    """Return cells, with an array of numpy as what it is: no text, even where it holds one number."""
    import numpy as np

    return [UNREADABLE_CELL if isinstance(cell, np.ndarray) else cell for cell in cells]


def relation_batches(relation: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - its methods depend on the version
    """Yield the rows of a relation of DuckDB as batches of tuples."""
    # DuckDB 2 reads a whole result into memory before it gives single rows, but not before Arrow's batches.
    if all(str(kind) == "VARCHAR" for kind in relation.types) and hasattr(type(relation), "to_arrow_reader"):
        for part in relation.to_arrow_reader(BATCH):
            yield list(zip(*(column.to_pylist() for column in part.columns), strict=True))
        return
    # Asked of the class, since an attribute of a relation may be a column.
    if hasattr(type(relation), "iter_rows"):
        yield from _gathered(relation.iter_rows(BATCH))
        return
    # Before DuckDB 2 a relation keeps its result.
    while batch := relation.fetchmany(BATCH):
        yield batch
