# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions: what a mechanism does where regions meet, which fixes it everywhere else.

A condition is one distribution per rainbow, given by the caller (`condition`, which also decides exactly
whether it is private where regions touch) or made for a graph (`ready_made`): the same everywhere, randomized
response, or the one that serves the worst-off region best.
"""

from rainbowdp.boundary.condition import BoundaryCondition, check_boundary, from_datasets, given
from rainbowdp.boundary.ready_made import max_min, randomized_response, uniform

__all__ = [
    "BoundaryCondition",
    "check_boundary",
    "from_datasets",
    "given",
    "max_min",
    "randomized_response",
    "uniform",
]
