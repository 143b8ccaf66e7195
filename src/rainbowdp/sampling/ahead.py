# SPDX-License-Identifier: Apache-2.0
"""Random words in blocks, read ahead from the operating system while others are being used.

The operating system needs longer to make 16 bytes than numpy needs to compare them, and it makes them on
several processors at once. Its bits have no order, so large blocks are fetched by threads. Every other source
is read in the order in which words are used.
"""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rainbowdp.sampling.bits import BitSource, SystemBits, read_words

if TYPE_CHECKING:
    from concurrent.futures import Future

_MOST_THREADS = 4
_BLOCKS_PER_THREAD = 2
_FEWEST_WORDS = 1 << 14  # handing a block over takes as long as making some thousand words


def words_in_blocks(source: BitSource, sizes: Sequence[int]) -> Iterator[NDArray[np.uint64]]:
    """Yield blocks of words.

    Parameters
    ----------
    source : BitSource
        Where they come from.
    sizes : sequence of int
        How many words each block has.

    Yields
    ------
    uint64[size]
    """
    # A subclass of the system's source may have an order.
    if type(source) is not SystemBits or len(sizes) < 2 or sizes[0] < _FEWEST_WORDS:
        for size in sizes:
            yield read_words(source, size)
        return
    from concurrent.futures import ThreadPoolExecutor

    threads = min(_MOST_THREADS, len(sizes), os.cpu_count() or 1)
    with ThreadPoolExecutor(threads) as pool:
        ahead: deque[Future[NDArray[np.uint64]]] = deque()
        for size in sizes:
            ahead.append(pool.submit(source.words, size))
            if len(ahead) > threads * _BLOCKS_PER_THREAD:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
