# SPDX-License-Identifier: Apache-2.0
"""Arrays that come from callers: read once, checked, and never shared.

Everything a graph stores is a read-only array that nobody else can write to, so a graph that was checked
stays checked. This module turns what callers have (lists, numpy arrays of any integer type) into such arrays,
and finds the distinct pairs of codes that occur along the edges of a graph.
"""

from dataclasses import fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError
from rainbowdp.exact.arguments import described, kind_of

Integers = NDArray[np.int32] | NDArray[np.int64]
"""An array of dataset numbers or codes."""

Distances = np.ma.MaskedArray[Any, np.dtype[np.int32]]
"""Distances, masked where there is none."""

_Array = TypeVar("_Array", bound=NDArray[Any])
_Kind = TypeVar("_Kind", bound=np.generic)
_LARGEST_TABLE = 1 << 24
_BLOCK = 1 << 16


class Rebuilt:
    """Base of frozen dataclasses that are copied and unpickled through their constructor.

    numpy restores arrays as writable; the constructor checks them and makes them read-only again.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(cast("Any", self)))


def integer_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """Return values as a one-dimensional integer array; it may still share memory with the input.

    Raises
    ------
    GraphShapeError
        If the values are not one-dimensional, not integers, or some are masked.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        at = int(np.argmax(np.ma.getmaskarray(values)))
        raise GraphShapeError(
            f"{what} has a missing value at [{at}]", help="give every entry an integer", place=at
        )
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        # numpy's own error for rows of different lengths.
        raise GraphShapeError(
            f"{what} is {kind_of(values)} that makes no array", help="pass one integer per entry"
        ) from error
    if array.ndim != 1:
        raise GraphShapeError(
            f"{what} must be one-dimensional, not of shape {array.shape}",
            help="pass one integer per entry",
            shape=array.shape,
        )
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise GraphShapeError(
            f"{what} must be integers, not {array.dtype} (the first one is {described(array[0])})",
            help="number the datasets 0, 1, 2, … or use RainbowGraph.from_edges for named ones",
            dtype=str(array.dtype),
        )
    return array


def frozen(array: _Array) -> _Array:
    """Make an array that nobody else holds read-only, and return it."""
    array.setflags(write=False)
    return array


def held(array: NDArray[Any], kind: type[_Kind]) -> NDArray[_Kind]:
    """Return an array of a type that nobody may write to: a copy, unless it is one already."""
    flags, base = array.flags, array.base
    shared = flags.writeable or (isinstance(base, np.ndarray) and base.flags.writeable)
    if array.dtype == kind and flags.c_contiguous and flags.aligned and not shared:
        return array
    return frozen(array.astype(kind, order="C"))


def frozen_distances(values: NDArray[Any], missing: NDArray[np.bool_]) -> Distances:
    """Return read-only masked distances; the value under the mask, and the fill value, is -1."""
    data = frozen(np.where(missing, -1, values).astype(np.int32))
    masked: Distances = np.ma.MaskedArray(data, mask=frozen(missing.copy()), fill_value=-1)
    return masked


def distances_of(steps: NDArray[Any]) -> Distances:
    """Return numbers of steps, negative where there are none, as `frozen_distances` does.

    Nothing is copied where they are int32, read-only, and -1 where there are none.
    """
    missing = steps < 0
    if steps.size and int(steps.min()) < -1:
        return frozen_distances(steps, missing)
    masked: Distances = np.ma.MaskedArray(held(steps, np.int32), mask=frozen(missing), fill_value=-1)
    return masked


def first_places(codes: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return where each code occurs for the first time, int64 [count], -1 where it does not.

    Parameters
    ----------
    codes : integer array [n]
        From 0, below `count`.
    count : int
        Number of codes.

    Examples
    --------
    >>> first_places(np.array([2, 0, 2]), 4)
    array([ 1, -1,  0, -1])
    """
    place = np.full(count, -1, dtype=np.int64)
    # Block by block: most codes occur in the first ones, and what is made on the way stays in the cache.
    block = max(_BLOCK, count)
    for start in range(0, codes.size, block):
        part = codes[start : start + block]
        fresh = np.flatnonzero((place < 0) & (np.bincount(part, minlength=count) > 0))
        if fresh.size:
            within = np.empty(count, dtype=np.int64)
            # Of several values assigned to one place numpy keeps the last: going backwards, the first.
            within[part[::-1]] = np.arange(part.size - 1, -1, -1)
            place[fresh] = start + within[fresh]
            if (place >= 0).all():
                break
    return place


def sorted_distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sort keys in place and return the distinct ones, ascending.

    On ten million keys this takes a tenth of the time of ``numpy.unique``, which hashes them first.
    """
    keys.sort()
    fresh = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys if fresh.all() else keys[fresh]


def first_occurrences(first: NDArray[Any], second: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return where each distinct pair of codes occurs for the first time, ordered by pair.

    Parameters
    ----------
    first, second : integer array [m]
        Codes below `count`.
    count : int
        Number of codes.

    Returns
    -------
    int64 array
        One index into the inputs per distinct pair (first, second), pairs ascending.
    """
    packed = first.astype(np.int64) * count + second
    if count * count <= _LARGEST_TABLE:
        # Of several values assigned to one place numpy keeps the last, so going backwards keeps the first.
        table = np.full(count * count, -1, dtype=np.int64)
        table[packed[::-1]] = np.arange(packed.size - 1, -1, -1, dtype=np.int64)
        return table[table >= 0]
    return np.unique(packed, return_index=True)[1].astype(np.int64)


def distinct_pairs(
    first: NDArray[Any], second: NDArray[Any], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct pairs of codes, ascending.

    Parameters
    ----------
    first, second : integer array [m]
        Codes below `count`.
    count : int
        Number of codes.

    Returns
    -------
    tuple of int64 arrays
        The first and the second code of each distinct pair.
    """
    packed = first.astype(np.int64) * count + second
    if count * count <= _LARGEST_TABLE:
        seen = np.zeros(count * count, dtype=np.bool_)
        seen[packed] = True
        packed = np.flatnonzero(seen).astype(np.int64)
    else:
        packed = sorted_distinct(packed)
    return packed // max(count, 1), packed % max(count, 1)
