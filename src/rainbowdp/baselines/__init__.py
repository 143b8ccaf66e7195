# SPDX-License-Identifier: Apache-2.0
"""Exact distributions and error rates of rival mechanisms.

A comparison is fair only if the rival's probabilities are as exact as ours and its privacy is accounted for
under the same neighbors. `mechanisms` gives the distributions of the exponential mechanism and of
permute-and-flip on any scores, and that of a noisy count compared with thresholds, and the probability of a
wrong answer where some rivals are equally far behind, in closed form for any number of them. Nothing is
simulated. These mechanisms are here to be compared with, not to be released.
"""

from rainbowdp.baselines.mechanisms import (
    exponential_mechanism,
    exponential_wrong,
    flip_wrong,
    geometric_wrong,
    noisy_counts_wrong,
    permute_and_flip,
    permute_and_flip_wrong,
    taken_first,
    thresholded_geometric,
)
from rainbowdp.baselines.odds_power import EnclosedNumber, Value, odds_root, told

__all__ = [
    "EnclosedNumber",
    "Value",
    "exponential_mechanism",
    "exponential_wrong",
    "flip_wrong",
    "geometric_wrong",
    "noisy_counts_wrong",
    "odds_root",
    "permute_and_flip",
    "permute_and_flip_wrong",
    "taken_first",
    "thresholded_geometric",
    "told",
]
