# SPDX-License-Identifier: Apache-2.0
"""Passes over pairs of datasets: compiled loops for millions of pairs, array operations of numpy for few.

Both give the same results to the bit. What a pass looks up is held in as few bytes as it fits into: the
look-ups of both ends of every pair take most of the time, and they are two or three times as quick where the
whole array stays in the processor's cache.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers, frozen, narrowest, read_only, sorted_distinct
from rainbowdp.graph.compiled import is_worth_compiling

Ends = tuple[Integers, Integers]
"""Sources and targets of a batch of pairs."""
Batches = Callable[[], Iterable[Ends]]
"""Gives all pairs, batch by batch, at each call."""

# Pairs are told apart in parts that stay in the processor's cache, and so many of them at a time.
_PART = 1 << 14
_MOST_KEYS = 1 << 25
_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Marks:
    """What one pass tells about datasets and their neighbors.

    Parameters
    ----------
    mixed : bool array [n]
        Which datasets have a neighbor of another code.
    isolated : int
        How many datasets have no neighbor.
    pairs, loops : int
        How many pairs join two datasets, and how many a dataset with itself.
    """

    mixed: NDArray[np.bool_]
    isolated: int
    pairs: int
    loops: int


def marks(batches: Iterable[Ends], codes: NDArray[Any]) -> Marks:
    """Mark which datasets have a neighbor, and which have one of another code.

    Parameters
    ----------
    batches : iterable of (source, target)
        All pairs, once.
    codes : integer array [n]
        The code of each dataset, from 0.
    """
    # Code and marks share one number, so that a look at a dataset touches one place in memory.
    kind = narrowest(4 * (int(codes.max(initial=0)) + 1))
    touched, mixed = (kind(1 << (8 * kind(0).nbytes - bit)) for bit in (1, 2))
    state = codes.astype(kind)
    pairs = loops = 0
    for source, target in batches:
        looped = _mark(source, target, state, touched, mixed)
        pairs, loops = pairs + source.size - looped, loops + looped
    isolated = state.size - int(np.count_nonzero(state >= touched))
    return Marks(frozen(state & mixed > 0), isolated, pairs, loops)


def _mark(source: Integers, target: Integers, state: NDArray[Any], touched: Any, mixed: Any) -> int:  # noqa: ANN401 - one number of the state's type
    if is_worth_compiling(source.size):
        from rainbowdp.graph import kernels

        return int(kernels.mark(read_only(source), read_only(target), state, touched, mixed))
    apart = source != target
    crossing = (state[source] ^ state[target]) & ~(touched | mixed) > 0
    for end in (source, target):
        state[end[apart]] |= touched
        state[end[crossing]] |= mixed
    return int(source.size - np.count_nonzero(apart))


def is_ascending(source: Integers, target: Integers) -> bool:
    """Tell whether the pairs, each with its lower end first, rise strictly."""
    for start in range(0, source.size - 1, _BLOCK):
        one, other = source[start : start + _BLOCK + 1], target[start : start + _BLOCK + 1]
        low, high = np.minimum(one, other), np.maximum(one, other)
        rises = (low[1:] > low[:-1]) | ((low[1:] == low[:-1]) & (high[1:] > high[:-1]))
        if not rises.all():
            return False
    return True


def count_repeats(size: int, source: Integers, target: Integers) -> int:
    """Return how many pairs occur again, in either direction; self-loops do not count.

    Exact: pairs are numbers, spread over parts by their hash, and told apart within each part. Of very many
    pairs a share is taken at a time, so that the numbers in memory stay below 2^25 or so.
    """
    if not is_worth_compiling(source.size):
        low, high = np.minimum(source, target), np.maximum(source, target)
        packed = low.astype(np.int64) * size + high
        packed = packed[low != high]
        return int(packed.size - sorted_distinct(packed).size)
    from rainbowdp.graph import kernels

    source, target = read_only(source), read_only(target)
    bits = max((source.size // _PART).bit_length(), 1)
    parts = 1 << bits
    stride = -(-parts // max(-(-source.size // _MOST_KEYS), 1))
    repeats = 0
    for begin in range(0, parts, stride):
        sizes = np.zeros(min(stride, parts - begin), dtype=np.int64)
        kernels.count_parts(source, target, size, bits, begin, sizes)
        ends = np.cumsum(sizes)
        keys = np.empty(int(ends[-1]), dtype=np.int64)
        kernels.fill_parts(source, target, size, bits, begin, ends - sizes, keys)
        slots = np.empty(max(4 * int(sizes.max()), 1), dtype=np.int64)
        repeats += int(kernels.count_repeats(keys, ends, slots))
    return repeats
