# SPDX-License-Identifier: Apache-2.0
"""Families of datasets that are rows of integers, and ready-made ones: to test on, and to solve at any size.

A dataset is a row (coordinates, or counts). The rows stand in lexicographic order, so a dataset's number
follows from its row by counting. A structure that numbers its rows itself, as products and simplexes do,
holds no row and lists no pair.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.exact.arguments import described, is_whole, whole
from rainbowdp.graph.arrays import frozen, integer_array
from rainbowdp.graph.exchange import number_rainbows
from rainbowdp.graph.histograms import SimplexGraph
from rainbowdp.graph.implicit import LARGEST_COUNT
from rainbowdp.graph.labels import RowLabels, Rows, row_text
from rainbowdp.graph.product import AxisKind, ProductGraph
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.graph.relation import NeighborRelation, require_relation
from rainbowdp.rainbow import RainbowLike

LARGEST_DIMENSION = 1000
"""Largest number of coordinates or counts of a dataset."""


class ArrayRows:
    """Rows that are held in an array, read-only.

    Parameters
    ----------
    values : integer array [n, dimensions]
        In strictly ascending lexicographic order.
    size : int
        Number of datasets.

    Raises
    ------
    GraphShapeError
        If they are not one row of integers per dataset, or in another order.
    """

    def __init__(self, values: ArrayLike, size: int) -> None:
        array = np.array(values)
        if array.ndim != 2 or array.shape[0] != size or not array.size or array.dtype.kind not in "iu":
            raise GraphShapeError(
                f"values of shape {array.shape} and type {array.dtype} do not give {size} datasets one row "
                "of integers each",
                help="pass an integer array of shape [datasets, dimensions]",
                shape=array.shape,
            )
        # Unsigned numbers of 2^63 and more would begin anew.
        array = array.astype(np.int64)
        if not np.array_equal(np.unique(array, axis=0), array):
            raise GraphShapeError(
                "the rows of a family must be in strictly ascending lexicographic order",
                help="sort them with numpy.lexsort and number the datasets accordingly",
            )
        self.values = frozen(array)
        self.size, self.dimensions = array.shape

    def rows_of(self, datasets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of some datasets."""
        return self.values[datasets]

    def number_of(self, row: list[int]) -> int | None:
        """Return the number of a row, or None."""
        if len(row) != self.dimensions:
            return None
        found = np.flatnonzero((self.values == np.array(row)).all(axis=1))
        return int(found[0]) if found.size else None


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
        If `structure` is not a neighbor relation.

    Examples
    --------
    >>> from rainbowdp.families import grid
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
            rows: Rows = ArrayRows(values, structure.size)
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
        >>> from rainbowdp.families import hamming
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
        >>> from rainbowdp.families import histograms
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

    def rainbow_graph(
        self,
        rainbows: "Sequence[RainbowLike] | Callable[[NDArray[np.int64]], RainbowLike]",
        codes: ArrayLike | None = None,
    ) -> RainbowGraph:
        """Give every dataset a rainbow.

        Parameters
        ----------
        rainbows : sequence of rainbows, or callable
            With `codes`, rainbows in any order; otherwise one per dataset, or a function that returns the
            rainbow of a row, int64 [dimensions], and is asked for every dataset.
        codes : integer array [n], optional
            Index into `rainbows` per dataset: the fastest way for large families.

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
        >>> from rainbowdp.families import path
        >>> path(3).rainbow_graph(["b>r", "r>b"], [0, 0, 1])
        RainbowGraph(3 datasets, 2 pairs, 2 regions)
        >>> path(3).rainbow_graph(lambda row: "r>b" if row[0] == 2 else "b>r").distance.tolist()
        [1, 0, 0]
        """
        if codes is None:
            each = map(rainbows, self.values) if callable(rainbows) else rainbows
            rainbows, codes = number_rainbows(each, self.labels.__getitem__)
        elif callable(rainbows):
            raise GraphShapeError(
                "a function gives every dataset its rainbow, without codes", help="leave out `codes`"
            )
        # Names of rows behave like an array of text, and are made one by one where they can be.
        return RainbowGraph.from_codes(self.structure, rainbows, codes, self.labels)


def path(size: int) -> Family:
    """Return the path of datasets 0 - 1 - ... - (size - 1).

    The paper calls a path of datasets with one rainbow a "line graph" (Definition 7); ``networkx.line_graph``
    is something else, the graph of a graph's edges.

    Parameters
    ----------
    size : int
        Number of datasets, at least 1.

    Returns
    -------
    Family
        The value of dataset i is i.

    Raises
    ------
    GraphShapeError
        If the size is not at least 1.

    Examples
    --------
    >>> path(4).structure.pairs()
    (array([0, 1, 2], dtype=int32), array([1, 2, 3], dtype=int32))
    """
    return _product((size,), "path")


def cycle(size: int) -> Family:
    """Return the cycle 0 - 1 - ... - (size - 1) - 0.

    Parameters
    ----------
    size : int
        Number of datasets, at least 3.

    Returns
    -------
    Family
        The value of dataset i is i.

    Raises
    ------
    GraphShapeError
        If the size is not at least 3.

    Examples
    --------
    >>> cycle(5).structure.neighbors(0)
    array([1, 4], dtype=int32)
    """
    return _product((size,), "cycle")


def grid(*shape: int) -> Family:
    """Return the grid of the given shape; neighbors differ by one in one coordinate.

    Parameters
    ----------
    *shape : int
        Length of each axis, at least 1; at least one axis.

    Returns
    -------
    Family
        The values are coordinates, the last one changing fastest.

    Raises
    ------
    GraphShapeError
        If there is no axis, an axis is not at least 1 long, or the grid is too large.

    Examples
    --------
    >>> grid(3, 4).structure
    ProductGraph(12 datasets, 17 pairs)
    """
    return _product(shape, "path")


def hypercube(dimensions: int) -> Family:
    """Return the hypercube: binary rows of the given length, neighbors differ in one place.

    Parameters
    ----------
    dimensions : int
        Length of a row, at least 1.

    Returns
    -------
    Family
        The values are the binary rows; read as a binary number, a row is its dataset's number.

    Raises
    ------
    GraphShapeError
        If there is no dimension, or so many that the cube is too large.

    Examples
    --------
    >>> hypercube(3).structure.neighbors(0)
    array([1, 2, 4], dtype=int32)
    """
    return hamming(dimensions, 2)


def hamming(length: int, alphabet: int) -> Family:
    """Return the Hamming graph: words over an alphabet, neighbors differ in one letter.

    The words are tables of `length` records with one of `alphabet` values each, and neighbors differ in one
    record: change-one neighbors with the order of the records kept.

    Parameters
    ----------
    length : int
        Length of a word, at least 1.
    alphabet : int
        Number of letters, at least 1.

    Returns
    -------
    Family
        The values are the words, letters 0 to ``alphabet - 1``, the last letter changing fastest.

    Raises
    ------
    GraphShapeError
        If a number is not at least 1, or the graph is too large.

    Examples
    --------
    >>> hamming(length=2, alphabet=3).structure
    ProductGraph(9 datasets, 18 pairs)
    """
    # A tuple of a length beyond the limit is not made.
    shown = min(whole("a length", length, 1, error=GraphShapeError), LARGEST_DIMENSION + 1)
    return _product((alphabet,) * shown, "complete")


def histograms(
    records: int, options: int, neighbors: Literal["change-one", "add-remove"] = "change-one"
) -> Family:
    """Return all histograms of records over options.

    Parameters
    ----------
    records : int
        Number of records: exactly that many under change-one, at most that many under add-remove.
    options : int
        Number of options that a record can have, at least 1.
    neighbors : {"change-one", "add-remove"}
        Neighbors differ by one record that has another option, or by one record that is there or not.

    Returns
    -------
    Family
        The values are the counts per option.

    Raises
    ------
    GraphShapeError
        For a negative number of records, no options, another kind of neighbors, or a family too large to
        list.

    Examples
    --------
    >>> histograms(2, 2).labels.tolist()
    ['0/2', '1/1', '2/0']
    >>> histograms(2, 2, "add-remove").labels.tolist()
    ['0/0', '0/1', '0/2', '1/0', '1/1', '2/0']
    >>> histograms(944, 3).structure
    SimplexGraph(446985 datasets, 1338120 pairs)
    """
    return _family(SimplexGraph(records, options, neighbors))


def _product(lengths: tuple[int, ...], kind: AxisKind) -> Family:
    return _family(ProductGraph(lengths, (kind,) * len(lengths)))


def _family(graph: ProductGraph | SimplexGraph) -> Family:
    if graph.dimensions > LARGEST_DIMENSION:
        raise GraphShapeError(
            f"the rows of the family are too large: the limit is {LARGEST_DIMENSION} numbers",
            help="use a smaller family, or a distance that is given by a formula",
            limit=LARGEST_DIMENSION,
        )
    return Family(graph)
