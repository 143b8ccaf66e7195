# SPDX-License-Identifier: Apache-2.0
"""Which passes over pairs are taken: array operations for few pairs, machine code for millions.

Both give the same results to the bit.
"""

from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import plain_pairs
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import is_worth_compiling
from rainbowdp.graph.relation import CodePairs


class PairPasses(Protocol):
    """The passes that exist in both kinds; `rainbowdp.graph.plain_pairs` says what they return."""

    def survey(self, source: Integers, target: Integers) -> tuple[int, int, int]:
        """Return the least and greatest end, and the number of self-loops."""
        ...

    def is_ascending(self, source: Integers, target: Integers) -> bool:
        """Tell whether the pairs, each with its lower end first, rise strictly."""
        ...

    def touched(self, size: int, source: Integers, target: Integers) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor."""
        ...

    def mixed(self, source: Integers, target: Integers, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which datasets have a neighbor of another code."""
        ...

    def mark_ends(
        self,
        source: Integers,
        target: Integers,
        codes: NDArray[Any],
        mixed: NDArray[np.bool_],
        touched: NDArray[np.bool_],
    ) -> int:
        """Mark which datasets have a neighbor, and one of another code; return the number of self-loops."""
        ...

    def code_pairs(self, source: Integers, target: Integers, codes: NDArray[Any], count: int) -> CodePairs:
        """Return which codes meet, each with the least pair of neighbors."""
        ...

    def count_repeats(self, size: int, source: Integers, target: Integers) -> int:
        """Return how many pairs occur again."""
        ...


def passes_for(count: int) -> PairPasses:
    """Return the passes that are quickest for so many pairs.

    Parameters
    ----------
    count : int
        Number of pairs.

    Returns
    -------
    PairPasses
        A module.

    Examples
    --------
    >>> passes_for(10).__name__
    'rainbowdp.graph.plain_pairs'
    """
    if is_worth_compiling(count):
        from rainbowdp.graph import compiled_pairs

        return cast("PairPasses", compiled_pairs)
    return cast("PairPasses", plain_pairs)
