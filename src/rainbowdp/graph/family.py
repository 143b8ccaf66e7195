# SPDX-License-Identifier: Apache-2.0
"""A dataset graph whose datasets are rows of integers, such as coordinates or counts.

The rows stand in lexicographic order, so a row's dataset is found by halving, column after column, and no
index has to be built.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.exact.arguments import is_whole, require
from rainbowdp.graph.arrays import Rebuilt, frozen, integer_array
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.rainbow import Rainbow

_LARGEST_TABLE = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Family(Rebuilt):
    """A dataset graph whose datasets are rows of integers.

    Parameters
    ----------
    structure : DatasetGraph
        Datasets and neighbors.
    values : integer array [n, dimensions]
        One row per dataset, in lexicographic order; stored read-only.

    Raises
    ------
    GraphShapeError
        If there is not exactly one row per dataset, or no number at all, or the rows are not in strictly
        ascending order.

    Examples
    --------
    >>> from rainbowdp.graph import grid
    >>> family = grid(2, 3)
    >>> family
    Family(6 datasets, 7 pairs, 2 dimensions)
    >>> family.labels.tolist()
    ['0/0', '0/1', '0/2', '1/0', '1/1', '1/2']
    >>> family.index_of([1, 0])
    3
    >>> left = (family.values[:, 1] == 0).astype(int)
    >>> family.rainbow_graph(["right>left", "left>right"], left)
    RainbowGraph(6 datasets, 7 pairs, 2 regions)
    """

    structure: DatasetGraph
    values: NDArray[np.int64]

    def __post_init__(self) -> None:
        require(self.structure, "structure", DatasetGraph)
        try:
            values = np.array(self.values)
        except (TypeError, ValueError) as error:
            raise GraphShapeError(
                "the values of a family have rows of different lengths", help="give every dataset one row"
            ) from error
        if values.size and values.dtype.kind not in "iu":
            raise GraphShapeError(
                f"the values of a family must be integers, not {values.dtype}",
                help="pass an integer array of shape [datasets, dimensions]",
                dtype=str(values.dtype),
            )
        values = values.astype(np.int64)
        if values.ndim != 2 or values.shape[0] != self.structure.size:
            raise GraphShapeError(
                f"values of shape {values.shape} do not give {self.structure.size} datasets one row each",
                help="pass an array of shape [datasets, dimensions]",
                shape=values.shape,
            )
        if not values.size:
            raise GraphShapeError(
                "a family needs a dataset and a dimension", help="give it at least one of each"
            )
        if not _rises(values):
            raise GraphShapeError(
                "the rows of a family must be in strictly ascending lexicographic order",
                help="sort them with numpy.lexsort and number the datasets accordingly",
            )
        object.__setattr__(self, "values", frozen(values))

    def __repr__(self) -> str:
        size, pairs, dimensions = self.structure.size, self.structure.pair_count, self.values.shape[1]
        return f"Family({size} datasets, {pairs} pairs, {dimensions} dimension{'s' * (dimensions != 1)})"

    @cached_property
    def labels(self) -> NDArray[np.str_]:
        """The rows as text, like ``500/200/244``, array [n] of str."""
        parts: list[NDArray[np.str_]] = []
        table, codes = np.array([""]), np.zeros(self.structure.size, dtype=np.int64)
        for number, column in enumerate(self.values.T):
            least = int(column.min())
            texts = np.arange(least, int(column.max()) + 1).astype(np.str_)
            if number:
                texts = np.strings.add("/", texts)
            # Joining texts is slow, looking them up is not: join whole rows only where a table gets too long.
            if table.size * texts.size > _LARGEST_TABLE:
                parts.append(table[codes])
                table, codes = np.array([""]), np.zeros_like(codes)
            table = np.strings.add(table[:, np.newaxis], texts).ravel()
            codes = codes * texts.size + (column - least)
        return frozen(functools.reduce(np.strings.add, [*parts, table[codes]]))

    def index_of(self, values_row: ArrayLike) -> int:
        """Return the number of the dataset with this row.

        Parameters
        ----------
        values_row : integer array [dimensions]
            Coordinates or counts.

        Returns
        -------
        int

        Raises
        ------
        UnknownDatasetError
            If no dataset has this row.
        GraphShapeError
            If it is not a row of integers.

        Examples
        --------
        >>> from rainbowdp.graph import histograms
        >>> histograms(2, 2).index_of([1, 1])
        1
        """
        one = np.atleast_1d(values_row) if is_whole(values_row) else values_row
        row = integer_array(one, "values_row").tolist()
        low, high = 0, self.structure.size if len(row) == self.values.shape[1] else 0
        for column, value in zip(self.values.T, row, strict=False):
            rest = column[low:high]
            low, high = (low + int(np.searchsorted(rest, value, side)) for side in ("left", "right"))
        if low == high:
            first, last = (_text(self.values[end].tolist()) for end in (0, -1))
            raise UnknownDatasetError(
                f"the family has no dataset {_text(row)!r}",
                help=f"its datasets go from {first!r} to {last!r}",
                row=row,
            )
        return low

    def rainbow_graph(self, palette: Sequence[Rainbow | str], codes: ArrayLike) -> RainbowGraph:
        """Give every dataset a rainbow.

        Parameters
        ----------
        palette : sequence of Rainbow or str
            Rainbows in any order.
        codes : integer array [n]
            Index into `palette` per dataset.

        Returns
        -------
        RainbowGraph
            Labelled with :attr:`labels`.

        Raises
        ------
        MissingRainbowError, ColorSetError, GraphShapeError
            As in :meth:`RainbowGraph.from_codes`.

        Examples
        --------
        >>> from rainbowdp.graph import path
        >>> path(3).rainbow_graph(["b>r", "r>b"], [0, 0, 1])
        RainbowGraph(3 datasets, 2 pairs, 2 regions)
        """
        return RainbowGraph.from_codes(self.structure, palette, codes, self.labels)


def _text(row: list[int]) -> str:
    return "/".join(map(str, row))


def _rises(values: NDArray[np.int64]) -> bool:
    """Whether rows ascend strictly: the first column that changes between two rows must grow."""
    undecided = np.ones(max(values.shape[0] - 1, 0), dtype=np.bool_)
    for column in values.T:
        step = np.diff(column)
        if np.any(step[undecided] < 0):
            return False
        undecided &= step == 0
    return not undecided.any()
