# SPDX-License-Identifier: Apache-2.0
"""Compiled loops over draws.

They compare integers, and do for one draw after the other what `rainbowdp.sampling.thresholds` does for whole
arrays; that module alone calls them, with arrays that are checked.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.compiled import kernel


@kernel
def compare(  # noqa: PLR0917 - machine code takes no keywords
    words: NDArray[np.uint64],
    places: NDArray[np.int32],
    lower: NDArray[np.uint64],
    count: np.uint64,
    slack: np.uint64,
    positions: NDArray[np.int32],
    is_open: NDArray[np.bool_],
) -> None:
    """Count the lower bounds that each word has reached, and mark words that are close to one.

    Every word meets all `count` bounds of its row in the flat `lower`, and no step depends on what came out.
    """
    for draw in range(words.size):
        word, start = words[draw], np.uint64(places[draw]) * count
        reached, close = np.uint64(0), np.uint64(0)
        for at in range(count):
            bound = lower[start + np.uint64(at)]
            reached += np.uint64(word >= bound)
            close |= np.uint64(word - bound < slack)
        positions[draw] = reached
        is_open[draw] = close != 0


@kernel
def look_up(  # noqa: PLR0917 - machine code takes no keywords
    first: NDArray[np.uint8],
    places: NDArray[np.int32],
    guide: NDArray[Any],
    undecided: int,
    positions: NDArray[np.int32],
    open_draws: NDArray[np.int32],
) -> int:
    """Read the positions off a guide [rows, 256], list draws that it leaves open, and return how many.

    `open_draws` has room for one more than there are draws.
    """
    count = 0
    for draw in range(first.size):
        position = np.int32(guide[places[draw], first[draw]])
        positions[draw] = position
        open_draws[count] = draw
        count += position == undecided
    return count
