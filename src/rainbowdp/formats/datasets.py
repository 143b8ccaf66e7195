# SPDX-License-Identifier: Apache-2.0
"""Read rows by the name in their first column, and number alike those whose other cells are equal.

Datasets with their rainbows, rows of a mechanism, and the class of every dataset are tables of this kind. A
dataset that is called by its number needs no name, neither in a graph nor while pairs are read, so 10^8 of
them take a few bytes each.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import DuplicateDatasetError
from rainbowdp.formats.files import malformed, wrong_row
from rainbowdp.graph.arrays import first_places

if TYPE_CHECKING:
    import pyarrow as pa

Column = Any
"""An Arrow array of text or integers; pyarrow ships no types."""


def number_column(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Column:
    """Return numbers as an Arrow array; ``pyarrow.array`` would load pandas where that is installed."""
    import pyarrow as pa

    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype),
        values.size,
        [_present(missing), pa.py_buffer(np.ascontiguousarray(values))],
    )


def text_column(texts: Sequence[str | None]) -> Column:
    """Return texts as an Arrow array, without pandas as `number_column`."""
    import pyarrow as pa

    parts = [b"" if text is None else text.encode() for text in texts]
    ends = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum(list(map(len, parts)), out=ends[1:])
    missing = np.array([text is None for text in texts], dtype=np.bool_) if None in texts else None
    buffers = [_present(missing), pa.py_buffer(ends), pa.py_buffer(b"".join(parts))]
    return pa.Array.from_buffers(pa.large_string(), len(parts), buffers)


def _present(missing: NDArray[np.bool_] | None) -> "pa.Buffer | None":
    import pyarrow as pa

    return None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))


@dataclass(frozen=True, eq=False)
class KnownDatasets:
    """The datasets that pairs may name.

    Parameters
    ----------
    size : int
        Their number.
    labels : list [n] of str, or None
        Their names; None if they are called 0 to n - 1.
    owner : str
        What has these datasets, for messages.
    """

    size: int
    labels: list[str] | None
    owner: str

    @cached_property
    def names(self) -> Column:
        """The names as an Arrow array: integers where all are integers in their usual form, or text."""
        if self.labels is None:
            return number_column(np.arange(self.size))
        return _as_integers(text_column(self.labels))


@dataclass(frozen=True, eq=False)
class NamedRows:
    """The rows of a table that has a name in its first column.

    Attributes
    ----------
    labels : list [n] of str, or None
        The names; None if they are 0 to n - 1 in order.
    codes : int32 array [n]
        For each row the number of its other cells in `distinct`.
    distinct : list of tuple of (str or None)
        The other cells of a row, each combination once, in the order in which they first stand.
    first : list of int
        The row in which each combination first stands.
    """

    labels: list[str] | None
    codes: NDArray[np.int32]
    distinct: list[tuple[str | None, ...]]
    first: list[int]

    def texts(self) -> list[str]:
        """Return the names as text."""
        return list(map(str, range(self.codes.size))) if self.labels is None else self.labels


def named_rows(path: Path, what: str, batches: "Iterable[pa.RecordBatch]") -> NamedRows:
    """Return the rows of a table, each with a name of its own.

    Parameters
    ----------
    path : Path
        The file, for messages.
    what : str
        The name of the first column.
    batches : iterable of Arrow record batches
        The rows, of text or integers.

    Raises
    ------
    FileFormatError
        If there is no row, or one lacks a name.
    DuplicateDatasetError
        If two rows have the same name.
    """
    import pyarrow as pa

    labels: list[str] | None = None
    numbers: dict[tuple[str | None, ...], int] = {}
    first: list[int] = []
    parts: list[NDArray[np.int32]] = []
    size = 0
    for batch in batches:
        names, *others = batch.columns
        if pa.types.is_dictionary(names.type):
            names = names.cast(pa.string())
        if names.null_count:
            row = names.to_pylist().index(None)
            raise wrong_row(path, size + row, f"has nothing in the column {what!r}", f"name every {what}")
        # Names would take most of the memory, so they are kept only where there are others than numbers.
        if labels is None and not _counts_up(names, size):
            labels = list(map(str, range(size)))
        if labels is not None:
            labels += _texts(names)
        codes, occurring, places = _classes(others)
        distinct = number_column(places)
        cells = zip(*(_texts(column.take(distinct)) for column in others), strict=True)
        known = np.empty(int(occurring.max(initial=-1)) + 1, dtype=np.int32)
        for code, row, key in zip(occurring.tolist(), places.tolist(), cells, strict=True):
            if key not in numbers:
                first.append(size + row)
            known[code] = numbers.setdefault(key, len(numbers))
        parts.append(known[codes])
        size += batch.num_rows
    if not size:
        raise malformed(path, "has a header and no rows", f"give it one row per {what}")
    _refuse_repeats(path, what, labels or [])
    return NamedRows(labels, np.concatenate(parts), list(numbers), first)


def _counts_up(column: Column, start: int) -> bool:
    """Tell whether a column holds the numbers that follow from one on."""
    import pyarrow as pa

    whole = _as_integers(column)
    return pa.types.is_integer(whole.type) and np.array_equal(
        np.from_dlpack(whole), np.arange(start, start + len(whole))
    )


def _as_integers(column: Column) -> Column:
    """Return integers for a column in which all texts are integers as they are usually written."""
    import pyarrow as pa

    try:
        # Arrow looks at all cells, even where the first one is not an integer, and that takes long.
        column.slice(0, 1).cast(pa.int64())
        whole = column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
    return whole if pa.types.is_integer(column.type) or whole.cast(column.type).equals(column) else column


def _texts(column: Column) -> list[str]:
    import pyarrow as pa

    found: list[str] = column.cast(pa.string()).to_pylist()
    return found


def _classes(columns: Sequence[Column]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for each row, equal where rows are equal; each number that occurs; and its first row.

    Numbers stand in the order of their first rows.
    """
    codes, *others = map(_numbered, columns)
    for more in others:
        # Numbers below n times the number of distinct cells become numbers below n again.
        joined = number_column(codes.astype(np.int64) * (int(more.max(initial=0)) + 1) + more)
        codes = np.from_dlpack(joined.dictionary_encode().indices)
    places = first_places(codes, int(codes.max(initial=-1)) + 1)
    order = np.argsort(places)[np.count_nonzero(places < 0) :]
    return codes, order, places[order]


def _numbered(column: Column) -> NDArray[Any]:
    """Return a number for each cell, equal where cells are equal."""
    import pyarrow as pa

    # Places in a dictionary are such numbers; a cell without text has none.
    places = column.indices if pa.types.is_dictionary(column.type) else column
    if places is column or places.null_count:
        places = places.dictionary_encode(null_encoding="encode").indices
    numbers: NDArray[Any] = np.from_dlpack(places)
    return numbers


def _refuse_repeats(path: Path, what: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        last = {name: row for row, name in enumerate(names)}
        first, twice = next((row, name) for row, name in enumerate(names) if last[name] != row)
        raise DuplicateDatasetError(
            f"the {what} {twice!r} stands in rows {first + 1} and {last[twice] + 1} of {str(path)!r}",
            help=f"name every {what} once (rows are counted after the header)",
            dataset=twice,
        )
