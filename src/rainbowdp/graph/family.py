# SPDX-License-Identifier: Apache-2.0
"""A family of datasets that are rows of integers, such as coordinates or counts.

The rows stand in lexicographic order, so a row's dataset follows from the row, and no index has to be
built. A structure that numbers its rows itself, as products and simplexes do, needs no array of rows
either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.graph.arrays import frozen, integer_array
from rainbowdp.graph.blocks import LARGEST_COUNT
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.graph.relation import NeighborRelation, require_relation
from rainbowdp.graph.row_labels import ArrayRows, RowLabels, Rows, row_text
from rainbowdp.rainbow import Rainbow


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Family:
    """A family of datasets that are rows of integers.

    Parameters
    ----------
    structure : NeighborRelation
        Datasets and neighbors.
    values : integer array [n, dimensions], optional
        One row per dataset, in lexicographic order; stored read-only. Left out where the structure knows its
        rows, as those of :func:`grid` and :func:`histograms` do.

    Raises
    ------
    GraphShapeError
        If there is not exactly one row per dataset, or no number at all, or the rows are not in strictly
        ascending order, or are left out and the structure knows none.
    UsageError
        If `structure` is no neighbor relation.

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

    structure: NeighborRelation
    _rows: Rows

    def __init__(self, structure: NeighborRelation, values: ArrayLike | None = None) -> None:
        require_relation(structure, "structure")
        if values is not None:
            rows: Rows = ArrayRows(_row_array(values, structure.size))
        elif isinstance(structure, Rows):
            rows = structure
        else:
            raise GraphShapeError(
                "the structure does not know its rows",
                help="give one row of integers per dataset as `values`",
            )
        object.__setattr__(self, "structure", structure)
        object.__setattr__(self, "_rows", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        held = self._rows.values if isinstance(self._rows, ArrayRows) else None
        return type(self), (self.structure, held)

    def __repr__(self) -> str:
        size, pairs, dimensions = self.structure.size, self.structure.pair_count, self._rows.dimensions
        return f"Family({size} datasets, {pairs} pairs, {dimensions} dimension{'s' * (dimensions != 1)})"

    @cached_property
    def values(self) -> NDArray[np.int64]:
        """One row per dataset, int64 [n, dimensions], made when first asked for.

        Raises
        ------
        GraphShapeError
            If that are more than 10^8 numbers; :meth:`rows` makes some of the rows.
        """
        if isinstance(self._rows, ArrayRows):
            return self._rows.values
        count = self._rows.size * self._rows.dimensions
        if count > LARGEST_COUNT:
            raise GraphShapeError(
                f"a family with {count} numbers in its rows is too large to list: the limit is "
                f"{LARGEST_COUNT}",
                help="use rows(start, stop) for a block of datasets at a time",
                numbers=count,
                limit=LARGEST_COUNT,
            )
        return self.rows(0, self._rows.size)

    @property
    def labels(self) -> RowLabels:
        """The rows as text, like ``500/200/244``, each made when it is asked for, [n]."""
        return RowLabels(self._rows)

    def rows(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the rows of a block of datasets.

        Parameters
        ----------
        start, stop : int
            The datasets from `start` up to before `stop`.

        Returns
        -------
        int64 array [stop - start, dimensions]
            Read-only.

        Raises
        ------
        UnknownDatasetError
            If the family has no such block.

        Examples
        --------
        >>> from rainbowdp.graph import hamming
        >>> hamming(8, 10).rows(99_999_998, 100_000_000).tolist()
        [[9, 9, 9, 9, 9, 9, 9, 8], [9, 9, 9, 9, 9, 9, 9, 9]]
        """
        if not (is_whole(start) and is_whole(stop)) or not 0 <= start <= stop <= self._rows.size:
            raise UnknownDatasetError(
                f"the family has no datasets from {described(start)} up to before {described(stop)}",
                help=f"numbers are 0 to {self._rows.size - 1}",
                start=start,
                stop=stop,
            )
        return frozen(self._rows.rows_of(np.arange(start, stop, dtype=np.int64)))

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
        found = self._rows.number_of(row)
        if found is None:
            first, last = self.labels[0], self.labels[-1]
            raise UnknownDatasetError(
                f"the family has no dataset {row_text(row)!r}",
                help=f"its datasets go from {first!r} to {last!r}",
                row=row,
            )
        return found

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
            Labeled with :attr:`labels`.

        Raises
        ------
        MissingRainbowError, ColorSetError, GraphShapeError, RainbowSyntaxError, ColorError
            As in :meth:`RainbowGraph.from_codes`.

        Examples
        --------
        >>> from rainbowdp.graph import path
        >>> path(3).rainbow_graph(["b>r", "r>b"], [0, 0, 1])
        RainbowGraph(3 datasets, 2 pairs, 2 regions)
        """
        # Names of rows behave like an array of text, and are made one by one where they can be.
        return RainbowGraph.from_codes(self.structure, palette, codes, self.labels)


def _row_array(values: ArrayLike, size: int) -> NDArray[np.int64]:
    """Return rows as a read-only array of their own, one row per dataset."""
    try:
        array = np.array(values)
    except (TypeError, ValueError) as error:
        raise GraphShapeError(
            "the values of a family have rows of different lengths", help="give every dataset one row"
        ) from error
    if array.size and array.dtype.kind not in "iu":
        raise GraphShapeError(
            f"the values of a family must be integers, not {array.dtype}",
            help="pass an integer array of shape [datasets, dimensions]",
            dtype=str(array.dtype),
        )
    if array.ndim != 2 or array.shape[0] != size:
        raise GraphShapeError(
            f"values of shape {array.shape} do not give {size} datasets one row each",
            help="pass an array of shape [datasets, dimensions]",
            shape=array.shape,
        )
    if not array.size:
        raise GraphShapeError("a family needs a dataset and a dimension", help="give it at least one of each")
    return frozen(array.astype(np.int64))
