# SPDX-License-Identifier: Apache-2.0
"""Compiled passes that meet pairs of codes, each with a table that grows as it has to.

The one idea: a pass stops where its table might get too full, the table is moved to a larger one, and the
pass goes on; so memory follows the pairs of codes that occur, however many could.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph.code_tally import CodeTally

Table = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]
"""Keys, least values, which codes neighbors share, and a state: where to go on, how many keys, a clock."""
Pass = Callable[[Table], bool]
"""Fills a table from where its state says; returns whether all was done."""

_PLACES = 1 << 15


class KeyTable:
    """Pairs of codes with the least pair of datasets for each, filled by compiled passes.

    Parameters
    ----------
    count : int
        Number of codes.
    """

    def __init__(self, count: int) -> None:
        self._keys = np.full(_PLACES, -1, dtype=np.int64)
        self._least = np.zeros(_PLACES, dtype=np.int64)
        self._same = np.zeros(count, dtype=np.bool_)
        # Where a pass goes on, how many keys there are, and a clock that no pass sets back.
        self._state = np.zeros(3, dtype=np.int64)

    def run(self, one_pass: Pass) -> None:
        """Run a pass from its beginning to its end, with more places whenever it asks for them."""
        self._state[0] = 0
        while not one_pass((self._keys, self._least, self._same, self._state)):
            self._widen()

    def add_to(self, tally: CodeTally) -> None:
        """Hand all that was found to a tally."""
        taken = self._keys >= 0
        tally.add_packed(self._keys[taken], self._least[taken])
        tally.add_same(np.flatnonzero(self._same))

    def _widen(self) -> None:
        from rainbowdp.graph.kernels_table import move

        keys = np.full(4 * self._keys.size, -1, dtype=np.int64)
        least = np.zeros(keys.size, dtype=np.int64)
        move(self._keys, self._least, keys, least)
        self._keys, self._least = keys, least
