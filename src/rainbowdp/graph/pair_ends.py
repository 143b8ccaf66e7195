# SPDX-License-Identifier: Apache-2.0
"""The ends of pairs of datasets, and what is asked about datasets: checked before anything looks them up.

Whatever holds pairs takes them through here, so a wrong one has the same error everywhere, and loops in
machine code, which check no index, never see one out of range.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.graph.arrays import Integers, integer_array

# A pair is packed into one int64 where pairs are compared.
LARGEST_SIZE = 3_037_000_499
"""More datasets than this cannot be numbered."""

_LARGEST_INT32 = np.iinfo(np.int32).max


def require_size(size: object) -> None:
    """Refuse what is no number of datasets.

    Raises
    ------
    GraphShapeError
    """
    if not is_whole(size) or not 0 <= size <= LARGEST_SIZE:
        raise GraphShapeError(
            f"a graph cannot have {described(size)} datasets",
            help=f"use 0 to {LARGEST_SIZE} datasets",
            size=size,
        )


def end_arrays(source: ArrayLike, target: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both ends of pairs as integer arrays of one length; they may share memory with the input.

    Raises
    ------
    GraphShapeError
    """
    first, second = integer_array(source, "source"), integer_array(target, "target")
    if first.size != second.size:
        raise GraphShapeError(
            f"source holds {first.size} datasets and target {second.size}",
            help="give both ends of every pair",
            source=first.size,
            target=second.size,
        )
    return first, second


def require_range(name: str, datasets: NDArray[Any], size: int) -> None:
    """Refuse numbers of datasets that do not exist; the message names the first place.

    Raises
    ------
    UnknownDatasetError
    """
    if datasets.size and (int(datasets.min()) < 0 or int(datasets.max()) >= size):
        place = int(np.argmax((datasets < 0) | (datasets >= size)))
        known = f"datasets are 0 to {size - 1}" if size else "the graph has no datasets"
        raise UnknownDatasetError(
            f"{name}[{place}] names the dataset {int(datasets[place])}, which does not exist",
            help=known,
            dataset=int(datasets[place]),
            pair=place,
        )


def number_type(size: int) -> type[np.int32] | type[np.int64]:
    """Return the smaller integer type if that can number all datasets."""
    return np.int32 if size <= _LARGEST_INT32 else np.int64


def numbered(datasets: NDArray[Any], size: int) -> Integers:
    """Return a copy in the type that numbers so many datasets."""
    return cast("Integers", datasets.astype(number_type(size)))


def dataset_codes(codes: ArrayLike, size: int, count: object = _LARGEST_INT32) -> NDArray[np.int32]:
    """Return one code per dataset, from 0 up and below `count`.

    Raises
    ------
    GraphShapeError
    """
    array = integer_array(codes, "codes")
    if array.size != size:
        raise GraphShapeError(
            f"{array.size} codes for {size} datasets", help="give every dataset one code", codes=array.size
        )
    if not is_whole(count) or not 0 <= count <= _LARGEST_INT32:
        raise GraphShapeError(
            f"there cannot be {described(count)} codes", help=f"use 0 to {_LARGEST_INT32} codes"
        )
    if size and (int(array.min()) < 0 or int(array.max()) >= count):
        at = int(np.argmax((array < 0) | (array >= count)))
        raise GraphShapeError(
            f"dataset {at} has the code {int(array[at])}", help=f"codes are 0 to {count - 1}", dataset=at
        )
    return array.astype(np.int32, copy=False)


def start_marks(starts: ArrayLike, size: int) -> NDArray[np.bool_]:
    """Return which datasets a search starts from, as a bool array of the right length.

    Raises
    ------
    GraphShapeError
    """
    try:
        array = np.asarray(starts)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.dtype != np.bool_ or array.shape != (size,):
        raise GraphShapeError(
            f"the starts must be {size} truth values", help="mark every dataset as a start or not"
        )
    return array


def removal_notes(self_loops: int, repeated_pairs: int) -> tuple[str, ...]:
    """Return what was removed from the input, in words; empty if nothing was."""
    counted = ((self_loops, "self-loop"), (repeated_pairs, "repeated pair"))
    return tuple(f"{count} {what}{'s' * (count > 1)} removed" for count, what in counted if count)
