# SPDX-License-Identifier: Apache-2.0
"""Which categories of a column may be named at all, where nobody declared them beforehand.

A category that a single person has could give that person away by its name alone, so naming is a yes-no
question per category, and a category that nobody has must never be named. On the line of 0, 1, 2, ...
people with the boundary "drop with certainty" at 0 people, the optimal mechanism is the optimal partition
selection of Desfontaines, Voss and Gipson (2020). `mechanism` knows the probabilities, `selection` draws
over a stream.
"""

from rainbowdp.keys.mechanism import KeyMechanism, keep_probability, key_mechanism, key_table
from rainbowdp.keys.selection import select_keys

__all__ = ["KeyMechanism", "keep_probability", "key_mechanism", "key_table", "select_keys"]
