# SPDX-License-Identifier: Apache-2.0
"""A compiled table from keys to least values, for kernels that meet the same few keys again and again."""

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.compiled import kernel

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@kernel
def put(keys: NDArray[np.int64], least: NDArray[np.int64], key: np.int64, value: int) -> int:
    """Keep the least value of a key; return 1 if the key is new and 0 if not.

    `keys` has 2^k places, -1 where free, and at least one of them is free.
    """
    mask = np.uint64(keys.size - 1)
    place = ((np.uint64(key) * _SPREAD) >> np.uint64(32)) & mask
    while keys[place] != key and keys[place] >= 0:
        place = (place + np.uint64(1)) & mask
    if keys[place] == key:
        least[place] = min(least[place], value)
        return 0
    keys[place] = key
    least[place] = value
    return 1


@kernel
def move(
    keys: NDArray[np.int64], least: NDArray[np.int64], wider: NDArray[np.int64], moved: NDArray[np.int64]
) -> None:
    """Move all keys with their values to a table with more places, all of them free."""
    for at in range(keys.size):
        if keys[at] >= 0:
            put(wider, moved, keys[at], int(least[at]))
