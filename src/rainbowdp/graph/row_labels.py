# SPDX-License-Identifier: Apache-2.0
"""The names of datasets that are rows of integers, like ``500/200/244``, made when they are asked for.

Such a name says which dataset it names, so 10^8 of them need neither an array nor an index.
"""

import functools
import re
from collections.abc import Iterator
from typing import Any, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.graph.arrays import frozen

_LARGEST_TABLE = 1 << 16
_BLOCK = 1 << 20
_ROW = re.compile(r"(0|-?[1-9][0-9]{0,18})(/(0|-?[1-9][0-9]{0,18}))*", re.ASCII)


@runtime_checkable
class Rows(Protocol):
    """One row of integers per dataset, in lexicographic order."""

    @property
    def size(self) -> int:
        """Number of datasets."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every row."""
        ...

    def rows_of(self, datasets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of some datasets, int64 [m, dimensions]."""
        ...

    def number_of(self, row: list[int]) -> int | None:
        """Return the dataset with this row, or None."""
        ...


class RowLabels:
    """The names of all datasets of a family; behaves like a read-only array of text.

    Parameters
    ----------
    rows : Rows
        The rows to name.

    Examples
    --------
    >>> from rainbowdp.graph.product import ProductGraph
    >>> labels = RowLabels(ProductGraph((10,) * 8, ("complete",) * 8))
    >>> len(labels), labels[-1], labels.number_of("0/0/0/0/0/0/1/2")
    (100000000, '9/9/9/9/9/9/9/9', 12)
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return self._rows.size

    @property
    def size(self) -> int:
        """Number of names."""
        return self._rows.size

    @overload
    def __getitem__(self, which: int | np.integer[Any]) -> str: ...
    @overload
    def __getitem__(self, which: slice | NDArray[Any]) -> NDArray[np.str_]: ...
    def __getitem__(self, which: int | np.integer[Any] | slice | NDArray[Any]) -> str | NDArray[np.str_]:
        if isinstance(which, np.ndarray) and which.dtype == np.bool_:
            which = np.flatnonzero(which)
        if isinstance(which, slice | np.ndarray):
            datasets = self._chosen(which) if isinstance(which, np.ndarray) else self._slice(which)
            return row_texts(self._rows.rows_of(datasets))
        return row_text(self._rows.rows_of(np.array([range(self.size)[which]]))[0].tolist())

    def _chosen(self, which: NDArray[Any]) -> NDArray[np.int64]:
        if which.size and (int(which.min()) < -self.size or int(which.max()) >= self.size):
            raise IndexError(f"there are {self.size} names, and one beyond these is asked for")
        return np.where(which < 0, which + self.size, which).astype(np.int64)

    def _slice(self, which: slice) -> NDArray[np.int64]:
        return np.arange(*which.indices(self.size), dtype=np.int64)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, self.size, _BLOCK):
            yield from self[start : min(start + _BLOCK, self.size)].tolist()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("names of rows have to be made, so they cannot be had without a copy")
        texts = self[:]
        return texts if dtype is None else texts.astype(dtype)

    def astype(self, dtype: DTypeLike) -> NDArray[Any]:
        """Return all names as an array."""
        return self.__array__(dtype)

    def tolist(self) -> list[str]:
        """Return all names as a list."""
        return list(self)

    def number_of(self, label: str) -> int | None:
        """Return the dataset with this name, or None."""
        return self._rows.number_of(list(map(int, label.split("/")))) if _ROW.fullmatch(label) else None

    def __eq__(self, other: object) -> bool:
        return self._rows == other._rows if isinstance(other, RowLabels) else NotImplemented

    def __hash__(self) -> int:
        return hash((RowLabels, self._rows.size))

    def __repr__(self) -> str:
        return f"RowLabels({self.size} names, {self[0]} to {self[-1]})"


def row_text(row: list[int]) -> str:
    """Return the name of one row.

    Examples
    --------
    >>> row_text([500, 200, 244])
    '500/200/244'
    """
    return "/".join(map(str, row))


def row_texts(rows: NDArray[np.int64]) -> NDArray[np.str_]:
    """Return the names of many rows, read-only.

    Examples
    --------
    >>> row_texts(np.array([[0, 12], [3, 4]])).tolist()
    ['0/12', '3/4']
    """
    if not rows.size:
        return frozen(np.empty(rows.shape[0], dtype=np.str_))
    parts: list[NDArray[np.str_]] = []
    table, codes = np.array([""]), np.zeros(rows.shape[0], dtype=np.int64)
    for number, column in enumerate(rows.T):
        least = int(column.min())
        spread = int(column.max()) - least + 1
        # Looking texts up is quick and joining them is not, so few texts are made and looked up; numbers that
        # lie far apart are made into text one by one instead.
        if spread > max(_LARGEST_TABLE, 4 * column.size):
            texts, places = column.astype(np.str_), np.arange(column.size)
        else:
            texts, places = np.arange(least, least + spread).astype(np.str_), column - least
        if number:
            texts = np.strings.add("/", texts)
        if table.size * texts.size > _LARGEST_TABLE:
            parts.append(table[codes])
            table, codes = np.array([""]), np.zeros_like(codes)
        table = np.strings.add(table[:, np.newaxis], texts).ravel()
        codes = codes * texts.size + places
    return frozen(functools.reduce(np.strings.add, [*parts, table[codes]]))


class ArrayRows:
    """Rows that are held in an array.

    Parameters
    ----------
    values : int64 array [n, dimensions]
        In strictly ascending lexicographic order.

    Raises
    ------
    GraphShapeError
        If they are in another order.
    """

    def __init__(self, values: NDArray[np.int64]) -> None:
        if not _rises(values):
            raise GraphShapeError(
                "the rows of a family must be in strictly ascending lexicographic order",
                help="sort them with numpy.lexsort and number the datasets accordingly",
            )
        self.values = values

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def dimensions(self) -> int:
        """Length of every row."""
        return int(self.values.shape[1])

    def rows_of(self, datasets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of some datasets."""
        return self.values[datasets]

    def number_of(self, row: list[int]) -> int | None:
        """Return the number of a row, found by halving column after column, or None."""
        low, high = 0, self.size if len(row) == self.dimensions else 0
        for column, value in zip(self.values.T, row, strict=False):
            rest = column[low:high]
            low, high = (low + int(np.searchsorted(rest, value, side)) for side in ("left", "right"))
        return None if low == high else low


def _rises(values: NDArray[np.int64]) -> bool:
    """Whether rows ascend strictly: the first column that changes between two rows must grow."""
    undecided = np.ones(max(values.shape[0] - 1, 0), dtype=np.bool_)
    for column in values.T:
        step = np.diff(column)
        if np.any(step[undecided] < 0):
            return False
        undecided &= step == 0
    return not undecided.any()
