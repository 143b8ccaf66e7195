# SPDX-License-Identifier: Apache-2.0
"""The rows of a finished query as batches of tuples, from whichever engine holds it.

The one idea: this is the only place that knows the engines apart, and it knows only how each hands out its
rows piece by piece. A value of which a library can make no Python object is a cell that cannot be read.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rainbowdp.questions.cells import INVALID, NULL, cell_text
from rainbowdp.tables.moments import moment_text
from rainbowdp.tables.readers import shortest_float
from rainbowdp.tables.source import BATCH, UNREADABLE_CELL, Cells

_SHORT_FLOATS = {"float16": 16, "float32": 32}
# Truth values, whole numbers and floats: of each a column has one type.
_PLAIN_KINDS = "biuf"
_NUMBERS = (bool, int, float)


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
    """Return the cells of a column, through what is stored where a Python object may not exist.

    They are numbers of one type (and None), or None, bytes and texts alone, so that equal ones say the same
    and whatever else is done with them runs nothing that a class of somebody's own says.
    """
    import numpy as np

    kind = column.dtype
    if getattr(kind, "storage", "") == "pyarrow" or type(kind).__name__ == "ArrowDtype":
        from rainbowdp.tables.arrow_tables import arrow_cells, is_readable

        stored = column.array.__arrow_array__()
        if not is_readable(stored.type):
            # As the categories of a column; of another column nobody asks for them.
            return [None if missing else UNREADABLE_CELL for missing in column.isna().tolist()]
        return arrow_cells(stored)
    if type(kind).__name__ == "CategoricalDtype":
        return _pandas_categories(column)
    if type(kind).__name__ == "SparseDtype":
        return _pandas_cells(column.sparse.to_dense())
    if getattr(kind, "kind", "") == "M":
        return _pandas_moments(column, zoned=getattr(kind, "tz", None) is not None)
    try:
        cells = column.tolist()
    except Exception:  # noqa: BLE001 - one cell has failed, and the others have not
        cells = [_alone(column, at) for at in range(len(column))]
    # In whatever order the bytes are.
    if (called := str(getattr(kind, "name", kind)).lower()) in _SHORT_FLOATS:
        cells = [shortest_float(cell, _SHORT_FLOATS[called]) for cell in cells]
    return cells if isinstance(kind, np.dtype) and kind.kind in _PLAIN_KINDS else _as_texts(cells)


def _pandas_categories(column: Any) -> list[object]:  # noqa: ANN401 - see _pandas
    """Return the cells of a column of categories, which say what they say in a column of their own type."""
    import numpy as np

    used, places = np.unique(column.cat.codes.to_numpy(), return_inverse=True)
    named = used[used >= 0]
    # Without an index, which would compare and hash them.
    categories = column.cat.categories.take(named).to_series(index=range(len(named)))
    said = [None] * (len(used) - len(named)) + _pandas_cells(categories)
    return [said[place] for place in places.tolist()]


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


def _as_texts(cells: list[object]) -> list[object]:
    """Return cells as texts, or as they are where all but null ones are numbers of one type."""
    import pandas as pd

    cells = [None if cell is pd.NA else cell for cell in cells]
    kind = next((type(cell) for cell in cells if cell is not None), None)
    if any(kind is plain for plain in _NUMBERS) and all(cell is None or type(cell) is kind for cell in cells):
        return cells
    return list(map(_as_text, cells))


def _as_text(cell: object) -> object:
    """Return the text of a cell, None for null, and bytes that are no text for one that cannot be read."""
    if cell is None or type(cell) is str:
        return cell
    text = cell_text(cell)
    if text is INVALID:
        return UNREADABLE_CELL
    return None if text is NULL else text


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
