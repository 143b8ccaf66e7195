# SPDX-License-Identifier: Apache-2.0
"""Distributions over colors with exact probabilities, and the paper's order among them.

A `Distribution` is an immutable mapping from color to an exact number; its probabilities are nonnegative and
sum to exactly 1. `dominates` is the paper's lexicographic order along a rainbow, `prefix_dominates` the
stronger order that the optimal mechanism satisfies as well.
"""

from rainbowdp.distribution.value import Distribution, Probabilities, dominates, prefix_dominates

__all__ = ["Distribution", "Probabilities", "dominates", "prefix_dominates"]
