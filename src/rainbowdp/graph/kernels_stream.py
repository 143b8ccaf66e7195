# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over batches of pairs that are read from the disk."""

from typing import Any

from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import kernel


@kernel
def count_ends(source: Integers, target: Integers, counts: NDArray[Any]) -> None:
    """Add to the count of each dataset how many pairs it is an end of."""
    for at in range(source.size):
        counts[source[at]] += 1
        counts[target[at]] += 1
