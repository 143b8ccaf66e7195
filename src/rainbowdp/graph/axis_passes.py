# SPDX-License-Identifier: Apache-2.0
"""Which passes along axes are taken: array operations for small products, machine code for large ones.

Both give the same results to the bit.
"""

from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from rainbowdp.graph import axes
from rainbowdp.graph.axes import AxisKind, Cut
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.compiled import is_worth_compiling


class AxisPasses(Protocol):
    """The passes that exist in both kinds; `rainbowdp.graph.axes` says more."""

    def axis_mixed(self, codes: NDArray[Any], mixed: NDArray[np.bool_], cut: Cut, kind: AxisKind) -> None:
        """Mark the datasets that have a neighbor of another code along the axis."""
        ...

    def axis_steps(self, steps: NDArray[Any], cut: Cut, kind: AxisKind) -> None:
        """Lower each distance to what one line along the axis allows."""
        ...

    def axes_code_pairs(
        self, codes: NDArray[Any], cuts: list[tuple[Cut, AxisKind]], tally: CodeTally
    ) -> None:
        """Add the codes that meet along some axes to a tally."""
        ...


def axis_passes(count: int) -> AxisPasses:
    """Return the passes that are quickest for so many pairs.

    Examples
    --------
    >>> axis_passes(10).__name__
    'rainbowdp.graph.axes'
    """
    if is_worth_compiling(count):
        from rainbowdp.graph import compiled_axes

        return cast("AxisPasses", compiled_axes)
    return cast("AxisPasses", axes)
