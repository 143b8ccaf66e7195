# SPDX-License-Identifier: Apache-2.0
"""Frames of pandas as tables of Arrow, batch by batch and column by column.

Numbers, truth values, moments and what Arrow itself stores are taken as they are. Any other column is taken
as texts: by Arrow where all cells are texts or missing, and by `cell_text`, cell by cell, where they are not.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rainbowdp.questions.cells import INVALID, NULL, cell_text
from rainbowdp.tables.arrow_tables import ArrowSource, is_readable
from rainbowdp.tables.header import check_distinct
from rainbowdp.tables.source import UNREADABLE_CELL, Progress

# Truth values, whole numbers, floats and moments of numpy, which Arrow has as well.
_SAME_IN_ARROW = "biufM"
_ROWS = 1 << 16


def pandas_source(frame: Any, name: str) -> ArrowSource:  # noqa: ANN401 - pandas is optional
    """Return the rows of a frame of pandas.

    Raises
    ------
    UnknownColumnError
        If it names a column twice; a name that is no text counts as what it is written as.
    """
    import pyarrow as pa

    names = list(map(str, frame.columns))
    check_distinct(name, names)
    given = {column: frame.iloc[:, at] for at, column in enumerate(names)}

    def tables(columns: Sequence[str], progress: Progress | None) -> Iterator[Any]:
        del progress
        for start in range(0, len(frame), _ROWS):
            end = min(start + _ROWS, len(frame))
            arrays = [_array(given[column].iloc[start:end]) for column in columns]
            # Without a column, an empty one says how many rows there are.
            yield pa.table(arrays or [pa.nulls(end - start)], names=list(columns) or ["rows"])

    unreadable = [column for column, cells in given.items() if not _has_text(cells.dtype)]
    return ArrowSource(name, names, tables, unreadable=unreadable)


def _has_text(dtype: Any) -> bool:  # noqa: ANN401 - see above
    """Tell whether cells of a type of pandas may have a text."""
    if type(dtype).__name__ == "ArrowDtype":
        return is_readable(dtype.pyarrow_dtype)
    return getattr(dtype, "kind", "") != "m"


def _array(column: Any) -> Any:  # noqa: ANN401 - see above
    """Return a column as an array of Arrow."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    dtype = column.dtype
    if type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", "") == "pyarrow":
        return column.array.__arrow_array__()
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column)
    if isinstance(dtype, pd.SparseDtype):
        return _array(column.sparse.to_dense())
    if isinstance(dtype, pd.DatetimeTZDtype) or _is_masked(dtype):
        return pa.array(column)
    if isinstance(dtype, np.dtype) and dtype.kind in _SAME_IN_ARROW and dtype.itemsize <= 8:
        return pa.array(column.to_numpy().astype(dtype.newbyteorder("="), copy=False))
    return _texts(column)


def _is_masked(dtype: Any) -> bool:  # noqa: ANN401 - see above
    """Tell whether a type is one of whole numbers, floats or truth values that may be missing."""
    from pandas.api import types

    numeric = types.is_integer_dtype(dtype) or types.is_float_dtype(dtype) or types.is_bool_dtype(dtype)
    return types.is_extension_array_dtype(dtype) and numeric


def _categories(column: Any) -> Any:  # noqa: ANN401 - see above
    """Return a column of categories with those that are used, read as a column of their own type."""
    import numpy as np
    import pyarrow as pa

    used, places = np.unique(column.cat.codes.to_numpy(), return_inverse=True)
    missing = int((used < 0).sum())
    categories = column.cat.categories.take(used[missing:]).to_series(index=range(len(used) - missing))
    values = _array(categories)
    if not is_readable(values.type):
        values = pa.array([UNREADABLE_CELL] * len(values), pa.binary())
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return pa.DictionaryArray.from_arrays(pa.array(places - missing, mask=places < missing), values)


def _texts(column: Any) -> Any:  # noqa: ANN401 - see above
    """Return the texts of cells of any kind, with bytes that are no text for those that cannot be read."""
    import pyarrow as pa

    try:
        return pa.array(column, pa.large_string(), from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.array(list(map(_text, _cells(column))), pa.large_binary())


def _cells(column: Any) -> list[object]:  # noqa: ANN401 - see above
    try:
        return list(column.tolist())
    except Exception:  # noqa: BLE001 - pandas cannot make a value of one cell, and can of others
        return [_alone(column, at) for at in range(len(column))]


def _alone(column: Any, at: int) -> object:  # noqa: ANN401 - see above
    try:
        return column.iloc[at]
    except Exception:  # noqa: BLE001 - see _cells
        return UNREADABLE_CELL


def _text(cell: object) -> bytes | None:
    text = cell_text(cell)
    if text is NULL:
        return None
    return UNREADABLE_CELL if text is INVALID else str(text).encode()
