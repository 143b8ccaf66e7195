# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over batches of pairs that are read from the disk."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import kernel


@kernel
def mark_ends(
    source: Integers,
    target: Integers,
    codes: NDArray[Any],
    mixed: NDArray[np.bool_],
    touched: NDArray[np.bool_],
) -> int:
    """Mark which datasets have a neighbor, and which one of another code.

    Returns
    -------
    int
        How many pairs are self-loops.
    """
    loops = 0
    for at in range(source.size):
        one, other = source[at], target[at]
        if one == other:
            loops += 1
            continue
        touched[one] = True
        touched[other] = True
        if codes[one] != codes[other]:
            mixed[one] = True
            mixed[other] = True
    return loops
