# SPDX-License-Identifier: Apache-2.0
"""Families of datasets that are known by a formula: to play with, to test on, and to solve at any size.

The one idea: a dataset of a family is a row of integers (coordinates, or counts), the rows stand in
lexicographic order, and so a dataset's number follows from its row by counting. No pair of neighbors is
listed and no row is held, so a family takes no room until it is asked for something.
"""

from typing import Literal

from rainbowdp.errors import GraphShapeError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.graph.axes import AxisKind
from rainbowdp.graph.family import Family
from rainbowdp.graph.product import ProductGraph
from rainbowdp.graph.simplex import SimplexGraph

LARGEST_DIMENSION = 1000
"""Largest number of coordinates or counts of a dataset."""


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
    return grid(_whole("size", size, least=1))


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
    return _product((_whole("size", size, least=3),), "cycle")


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
    _check_dimension(_whole("the number of axes", len(shape), least=1))
    lengths = tuple(
        _whole(f"the length of axis {axis}", length, least=1) for axis, length in enumerate(shape)
    )
    return _product(lengths, "path")


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
    return hamming(_whole("dimensions", dimensions, least=1), 2)


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
    length, alphabet = _whole("length", length, least=1), _whole("alphabet", alphabet, least=1)
    _check_dimension(length)
    return _product((alphabet,) * length, "complete")


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
    graph = SimplexGraph(records, options, neighbors)
    _check_dimension(graph.options)
    return Family(graph)


def _product(lengths: tuple[int, ...], kind: AxisKind) -> Family:
    return Family(ProductGraph(lengths, (kind,) * len(lengths)))


def _whole(name: str, value: object, least: int) -> int:
    if not is_whole(value) or value < least:
        raise GraphShapeError(
            f"{name} is {described(value)}, which is not an integer of at least {least}",
            help=f"use {least} or more",
            value=value,
        )
    return int(value)


def _check_dimension(count: int) -> None:
    if count > LARGEST_DIMENSION:
        raise GraphShapeError(
            f"a family with rows of {described(count)} numbers is too large: the limit is "
            f"{LARGEST_DIMENSION}",
            help="use a smaller family, or a distance that is given by a formula",
            dimension=count,
            limit=LARGEST_DIMENSION,
        )
