# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions: what a mechanism does where regions meet, which fixes it everywhere else.

A condition is one distribution per rainbow (`condition`), given by the caller (`given`, `from_datasets`), the
same everywhere (`uniform`), randomized response (`response`), or the one that serves the worst-off region
best (`largest`). `check` decides exactly whether a condition is private where regions touch.
"""

from rainbowdp.boundary.check import check_boundary
from rainbowdp.boundary.condition import BoundaryCondition, from_datasets, given, uniform
from rainbowdp.boundary.largest import max_min
from rainbowdp.boundary.response import randomized_response

__all__ = [
    "BoundaryCondition",
    "check_boundary",
    "from_datasets",
    "given",
    "max_min",
    "randomized_response",
    "uniform",
]
