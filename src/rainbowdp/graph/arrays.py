# SPDX-License-Identifier: Apache-2.0
"""Arrays of datasets, codes and distances that come from callers: checked, and then read-only.

A graph stores read-only arrays that no caller can write to, so a graph that was checked stays checked. All
pairs, codes and starts pass through the checks here, so a wrong one has the same error everywhere, and
compiled loops, which check no index, never get one out of range.
"""

from dataclasses import fields
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.exact.arguments import described, is_whole, kind_of, whole

Integers = NDArray[np.int32] | NDArray[np.int64]
"""An array of dataset numbers or codes."""

Distances = np.ma.MaskedArray[Any, np.dtype[np.int32]]
"""Distances, masked where there is none."""

_Array = TypeVar("_Array", bound=NDArray[Any])
_Kind = TypeVar("_Kind", bound=np.generic)
LARGEST_SIZE = 3_037_000_499
"""Largest number of datasets such that two of them are packed into one int64."""

_LARGEST_INT32 = np.iinfo(np.int32).max
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
    """Make an array that no caller holds read-only, and return it."""
    array.setflags(write=False)
    return array


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous read-only view: numba compiles anew for arrays that it may write to."""
    return frozen(np.ascontiguousarray(array).view())


def held(array: NDArray[Any], kind: type[_Kind]) -> NDArray[_Kind]:
    """Return an array of a type, read-only: a copy, unless the array is both already."""
    flags, base = array.flags, array.base
    shared = flags.writeable or (isinstance(base, np.ndarray) and base.flags.writeable)
    if array.dtype == kind and flags.c_contiguous and flags.aligned and not shared:
        return array
    return frozen(array.astype(kind, order="C"))


def distances_of(steps: NDArray[Any]) -> Distances:
    """Return numbers of steps as read-only distances, masked where they are negative.

    The value under the mask, and the fill value, is -1. Nothing is copied where the steps are int32,
    read-only, and -1 where there are none.
    """
    missing = steps < 0
    if steps.size and int(steps.min()) < -1:
        steps = np.where(missing, -1, steps)
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
        within = np.full(count, -1, dtype=np.int64)
        # Of several values assigned to one place numpy keeps the last: going backwards, the first.
        within[part[::-1]] = np.arange(part.size - 1, -1, -1)
        fresh = (place < 0) & (within >= 0)
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
        places = first_places(packed, count * count)
        return places[places >= 0]
    return np.unique(packed, return_index=True)[1].astype(np.int64)


def size_of(size: object) -> int:
    """Return a number of datasets.

    Raises
    ------
    GraphShapeError
        If it is not a whole number from 0 to `LARGEST_SIZE`.
    """
    return whole("a number of datasets", size, 0, LARGEST_SIZE, GraphShapeError)


def end_arrays(
    source: ArrayLike, target: ArrayLike, size: int, names: tuple[str, str] = ("source", "target")
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both ends of pairs of `size` datasets as integer arrays; they may share memory with the input.

    Raises
    ------
    GraphShapeError
        If they have different lengths or do not hold integers.
    UnknownDatasetError
        If a dataset does not exist.
    """
    first, second = integer_array(source, names[0]), integer_array(target, names[1])
    if first.size != second.size:
        raise GraphShapeError(
            f"{names[0]} holds {first.size} datasets and {names[1]} {second.size}",
            help="give both ends of every pair",
            source=first.size,
            target=second.size,
        )
    for name, end in zip(names, (first, second), strict=True):
        place = first_outside(end, size)
        if place is not None:
            raise UnknownDatasetError(
                f"{name}[{place}] names the dataset {int(end[place])}, which does not exist",
                help=f"datasets are 0 to {size - 1}" if size else "the graph has no datasets",
                dataset=int(end[place]),
                pair=place,
            )
    return first, second


def first_outside(values: NDArray[Any], count: int) -> int | None:
    """Return the place of the first value that is below 0 or not below `count`; None if there is none."""
    if values.size and (int(values.min()) < 0 or int(values.max()) >= count):
        return int(np.argmax((values < 0) | (values >= count)))
    return None


def require_one_each(what: str, count: int, size: int) -> None:
    """Refuse a number of parts that differs from the number of datasets.

    Raises
    ------
    GraphShapeError
    """
    if count != size:
        raise GraphShapeError(
            f"{count} {what} for {size} datasets", help="give exactly one for every dataset", count=count
        )


def require_dataset(dataset: object, size: int) -> None:
    """Refuse a number that is not that of a dataset.

    Raises
    ------
    UnknownDatasetError
    """
    if not is_whole(dataset) or not 0 <= dataset < size:
        raise UnknownDatasetError(
            f"there is no dataset number {described(dataset)}",
            help=f"numbers are 0 to {size - 1}",
            dataset=dataset,
        )


def number_type(size: int) -> type[np.int32] | type[np.int64]:
    """Return the smaller integer type if that can number all datasets."""
    return np.int32 if size <= _LARGEST_INT32 else np.int64


def numbered(datasets: NDArray[Any], size: int) -> Integers:
    """Return a copy in the type that numbers so many datasets."""
    return cast("Integers", datasets.astype(number_type(size)))


def dataset_codes(
    codes: ArrayLike, size: int, count: object = _LARGEST_INT32, what: str = "code"
) -> NDArray[np.int32]:
    """Return one code per dataset, from 0 up and below `count`; messages call a code `what`.

    Raises
    ------
    GraphShapeError
    """
    array = integer_array(codes, f"{what}s")
    require_one_each(f"{what}s", array.size, size)
    most = whole(f"a number of {what}s", count, 0, _LARGEST_INT32, GraphShapeError)
    at = first_outside(array, most)
    if at is not None:
        raise GraphShapeError(
            f"dataset {at} has the {what} {int(array[at])}", help=f"{what}s are 0 to {most - 1}", dataset=at
        )
    return array.astype(np.int32, copy=False)


def start_marks(starts: ArrayLike, size: int) -> NDArray[np.bool_]:
    """Return which datasets a search starts from, as a bool array of the right length.

    Raises
    ------
    GraphShapeError
    """
    array = np.asarray(starts)
    if array.dtype != np.bool_ or array.shape != (size,):
        raise GraphShapeError(
            f"the starts must be {size} truth values", help="mark every dataset as a start or not"
        )
    return array


def narrowest(count: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that tells so many values apart; passes over such codes are quick.

    Examples
    --------
    >>> narrowest(256)(0).nbytes, narrowest(257)(0).nbytes
    (1, 2)
    """
    kinds = (np.uint8, np.uint16, np.uint32)
    return next((kind for kind in kinds if count <= int(np.iinfo(kind).max) + 1), np.uint64)
