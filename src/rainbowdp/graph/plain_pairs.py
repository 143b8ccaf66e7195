# SPDX-License-Identifier: Apache-2.0
"""Passes over pairs of datasets by array operations of numpy.

The same functions as in `rainbowdp.graph.compiled_pairs`, to the bit: for small graphs, where loading a
compiler would take longer, and wherever there is none.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers, sorted_distinct
from rainbowdp.graph.relation import CodePairs

_LARGEST_INT64 = np.iinfo(np.int64).max
_LARGEST_TABLE = 1 << 22


def survey(source: Integers, target: Integers) -> tuple[int, int, int]:
    """Return the least and greatest end, and the number of self-loops, of at least one pair."""
    ends = min(source.min(), target.min()), max(source.max(), target.max())
    return int(ends[0]), int(ends[1]), int(np.count_nonzero(source == target))


def is_ascending(source: Integers, target: Integers) -> bool:
    """Tell whether the pairs, each with its lower end first, rise strictly."""
    low, high = np.minimum(source, target), np.maximum(source, target)
    rises = (low[1:] > low[:-1]) | ((low[1:] == low[:-1]) & (high[1:] > high[:-1]))
    return bool(rises.all())


def touched(size: int, source: Integers, target: Integers) -> NDArray[np.bool_]:
    """Return which of `size` datasets have a neighbor, bool [size]."""
    found = np.zeros(size, dtype=np.bool_)
    apart = source != target
    found[source[apart]] = True
    found[target[apart]] = True
    return found


def mixed(source: Integers, target: Integers, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which datasets have a neighbor of another code, bool [n]."""
    found = np.zeros(codes.size, dtype=np.bool_)
    crossing = codes[source] != codes[target]
    found[source[crossing]] = True
    found[target[crossing]] = True
    return found


def mark_ends(
    source: Integers,
    target: Integers,
    codes: NDArray[Any],
    mixed: NDArray[np.bool_],
    touched: NDArray[np.bool_],
) -> int:
    """Mark which datasets have a neighbor, and one of another code; return the number of self-loops."""
    apart, crossing = source != target, codes[source] != codes[target]
    for end in (source, target):
        touched[end[apart]] = True
        mixed[end[crossing]] = True
    return int(source.size - np.count_nonzero(apart))


def code_pairs(source: Integers, target: Integers, codes: NDArray[Any], count: int) -> CodePairs:
    """Return which codes meet along the pairs, each with the least pair of neighbors.

    Parameters
    ----------
    source, target : integer array [m]
        Pairs of datasets.
    codes : integer array [n]
        The code of each dataset.
    count : int
        All codes are below it.
    """
    here, there = codes[source].astype(np.int64), codes[target].astype(np.int64)
    alike = here == there
    same = np.zeros(count, dtype=np.bool_)
    same[here[alike & (source != target)]] = True
    one, other = source[~alike].astype(np.int64), target[~alike].astype(np.int64)
    here, there = here[~alike], there[~alike]
    size = max(codes.size, 1)
    keys = np.minimum(here, there) * count + np.maximum(here, there)
    pairs = np.minimum(one, other) * size + np.maximum(one, other)
    keys, pairs = _least(keys, pairs, count * count)
    return CodePairs(
        first=keys // max(count, 1),
        second=keys % max(count, 1),
        source=cast("Integers", (pairs // size).astype(source.dtype)),
        target=cast("Integers", (pairs % size).astype(source.dtype)),
        same=np.flatnonzero(same),
    )


def _least(keys: NDArray[Any], values: NDArray[Any], limit: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct keys, all below a limit, ascending, each with its least value."""
    if limit <= _LARGEST_TABLE:
        table = np.full(limit, _LARGEST_INT64, dtype=np.int64)
        np.minimum.at(table, keys, values)
        found = np.flatnonzero(table < _LARGEST_INT64)
        return found, table[found]
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    fresh = np.ones(keys.size, dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys[fresh], values[fresh]


def count_repeats(size: int, source: Integers, target: Integers) -> int:
    """Return how many pairs occur again, in either direction; self-loops do not count."""
    low, high = np.minimum(source, target), np.maximum(source, target)
    apart = low != high
    keys = low[apart].astype(np.int64) * size + high[apart]
    return int(keys.size - sorted_distinct(keys).size)
