# SPDX-License-Identifier: Apache-2.0
"""Families of datasets to play with and to test on, built by array operations alone.

The one idea: a dataset of a family is a row of integers (coordinates, or counts), the rows stand in
lexicographic order, and so a dataset's number follows from its row by counting. No family loops over its
datasets in Python, so a family of half a million histograms takes a second.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.graph.dataset_graph import DatasetGraph
from rainbowdp.graph.family import Family

LARGEST_COUNT = 10**8
"""Largest number of pairs, and of numbers in all rows together: a few gigabytes while the graph is made."""
LARGEST_DIMENSION = 1000
"""Largest number of coordinates or counts of a dataset."""
_BEYOND = 1 << 64


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
    size = _whole("size", size, least=3)
    _check_size(size, pair_count=size)
    datasets = np.arange(size, dtype=np.int64)
    structure = DatasetGraph.from_pairs(size, datasets, np.roll(datasets, -1))
    return Family(structure, datasets[:, np.newaxis])


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
        If there is no axis, an axis is not at least 1 long, or the grid is too large to list.

    Examples
    --------
    >>> grid(3, 4).structure
    DatasetGraph(12 datasets, 17 pairs)
    """
    _check_dimension(_whole("the number of axes", len(shape), least=1))
    lengths = tuple(
        _whole(f"the length of axis {axis}", length, least=1) for axis, length in enumerate(shape)
    )
    size = math.prod(lengths)
    _check_size(size * len(lengths), sum(size // length * (length - 1) for length in lengths))
    return _box(lengths, largest_step=1)


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
        If there is no dimension, or so many that the cube is too large to list.

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
        If a number is not at least 1, or the graph is too large to list.

    Examples
    --------
    >>> hamming(length=2, alphabet=3).structure
    DatasetGraph(9 datasets, 18 pairs)
    """
    length, alphabet = _whole("length", length, least=1), _whole("alphabet", alphabet, least=1)
    _check_dimension(length)
    size = alphabet**length if length * math.log2(alphabet) < 64 else _BEYOND
    _check_size(size * length, size * length * (alphabet - 1) // 2)
    return _box((alphabet,) * length, largest_step=alphabet - 1)


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
    DatasetGraph(446985 datasets, 1338120 pairs)
    """
    if not _is_one_of(neighbors, "change-one", "add-remove"):
        raise GraphShapeError(
            f"neighbors cannot be {described(neighbors)}",
            help="use 'change-one' or 'add-remove'",
            neighbors=neighbors,
        )
    records, options = _whole("records", records, least=0), _whole("options", options, least=1)
    _check_dimension(options)
    # Under add-remove a further part holds the records that are not there: to add one is to move it.
    parts = options if neighbors == "change-one" else options + 1
    move_count = math.comb(options, 2) if neighbors == "change-one" else options
    _check_size(_spread(records, parts) * options, move_count * _spread(records - 1, parts))
    targets = range(parts) if neighbors == "change-one" else [options]
    moves = [(source, target) for target in targets for source in range(target)] if records else []
    counts = _compositions(records, parts)
    ends = [_moved(counts, source, target) for source, target in moves]
    first, second = _joined([one for one, _ in ends]), _joined([other for _, other in ends])
    return Family(DatasetGraph.from_pairs(counts.shape[0], first, second), counts[:, :options])


def _box(shape: tuple[int, ...], largest_step: int) -> Family:
    """Return all coordinates in a box, neighbors differing by at most `largest_step` in one coordinate."""
    size = math.prod(shape)
    numbers = np.arange(size, dtype=np.int64)
    columns, sources, targets = [], [], []
    inner = size
    for length in shape:
        inner //= length
        along = numbers.reshape(-1, length, inner)
        columns.append(numbers // inner % length)
        for step in range(1, min(largest_step, length - 1) + 1):
            sources.append(along[:, :-step].ravel())
            targets.append(along[:, step:].ravel())
    structure = DatasetGraph.from_pairs(size, _joined(sources), _joined(targets))
    return Family(structure, np.stack(columns, axis=1))


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _compositions(total: int, parts: int) -> NDArray[np.int64]:
    """Return all rows of `parts` counts that sum to `total`, in lexicographic order."""
    rows = np.empty((1, 0), dtype=np.int64)
    left = np.array([total], dtype=np.int64)
    for _ in range(parts - 1):
        choices = left + 1
        ends = np.cumsum(choices)
        count = np.arange(ends[-1]) - np.repeat(ends - choices, choices)
        rows = np.column_stack([np.repeat(rows, choices, axis=0), count])
        left = np.repeat(left, choices) - count
    return np.column_stack([rows, left])


def _moved(
    counts: NDArray[np.int64], source: int, target: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows with a record in part `source`, and the rows it leads to when moved on to `target`.

    The number of a row is a sum over its parts: part l, when the parts from l on hold r records and those
    after it s, is preceded by T(r) - T(s) rows that agree with it before, where T(x) counts the ways to
    spread at most x records over the parts after l. Moving a record from part a on to part b adds one to what
    is left after the parts a to b - 1, and changes these terms only.
    """
    total, parts = int(counts[0].sum()), counts.shape[1]
    movable = np.flatnonzero(counts[:, source] > 0)
    # Records in the parts from l on, for the parts that the move concerns.
    left = total - np.cumsum(counts[movable, : target + 1], axis=1)
    shift = np.zeros(movable.size, dtype=np.int64)
    for part in range(source, min(target, parts - 2) + 1):
        ways = np.array([math.comb(x + parts - 1 - part, x) for x in range(total + 2)], dtype=np.int64)
        before = total if part == 0 else left[:, part - 1]
        moved_before = before + (source < part)
        moved_after = left[:, part] + (part < target)
        shift += ways[moved_before] - ways[moved_after] - ways[before] + ways[left[:, part]]
    return movable, movable + shift


def _spread(total: int, parts: int) -> int:
    """Return how many ways there are to spread `total` records over `parts` parts, or `_BEYOND`."""
    if total < 0 or parts == 1:
        return int(total >= 0)
    if max(total, parts) > _BEYOND:
        return _BEYOND
    logarithm = math.lgamma(total + parts) - math.lgamma(parts) - math.lgamma(total + 1)
    return math.comb(total + parts - 1, total) if logarithm < 44 else _BEYOND


def _is_one_of(value: object, *words: str) -> bool:
    return isinstance(value, str) and value in words


def _whole(name: str, value: object, least: int) -> int:
    if not is_whole(value) or value < least:
        raise GraphShapeError(
            f"{name} is {described(value)}, which is not an integer of at least {least}",
            help=f"use {least} or more",
            value=value,
        )
    return int(value)


def _check_size(number_count: int, pair_count: int) -> None:
    """Refuse what cannot be listed; `number_count` is datasets times dimensions."""
    if max(number_count, pair_count) > LARGEST_COUNT:
        raise GraphShapeError(
            f"a family with {_shown(number_count)} numbers in its rows and {_shown(pair_count)} pairs is too "
            f"large to list: the limit is {LARGEST_COUNT} of either",
            help="use a smaller family, or a distance that is given by a formula",
            numbers=number_count,
            pairs=pair_count,
            limit=LARGEST_COUNT,
        )


def _check_dimension(count: int) -> None:
    if count > LARGEST_DIMENSION:
        raise GraphShapeError(
            f"a family with rows of {_shown(count)} numbers is too large to list: the limit is "
            f"{LARGEST_DIMENSION}",
            help="use a smaller family, or a distance that is given by a formula",
            dimension=count,
            limit=LARGEST_DIMENSION,
        )


def _shown(count: int) -> str:
    return str(count) if count < _BEYOND else "more than 10^19"
