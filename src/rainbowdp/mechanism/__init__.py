# SPDX-License-Identifier: Apache-2.0
"""Keep mechanisms on graphs of datasets, and compare them; `rainbowdp.goals` has those of questions."""

from rainbowdp.mechanism.comparison import (
    DominationVerdict,
    HomogeneityVerdict,
    OrderVerdict,
    check_homogeneous,
    check_order_reasonable,
    in_order_of,
    mechanism_dominates,
    pullback,
)
from rainbowdp.mechanism.rows import STATED_ABSOLUTE, STATED_RELATIVE, LineRows, StatedRows
from rainbowdp.mechanism.value import Mechanism, Precision

__all__ = [
    "STATED_ABSOLUTE",
    "STATED_RELATIVE",
    "DominationVerdict",
    "HomogeneityVerdict",
    "LineRows",
    "Mechanism",
    "OrderVerdict",
    "Precision",
    "StatedRows",
    "check_homogeneous",
    "check_order_reasonable",
    "in_order_of",
    "mechanism_dominates",
    "pullback",
]
