# SPDX-License-Identifier: Apache-2.0
"""Optimality checked from outside: on small graphs, against a linear program over all mechanisms."""

from rainbowdp.optimality.check import OptimalityVerdict, check_optimal

__all__ = ["OptimalityVerdict", "check_optimal"]
