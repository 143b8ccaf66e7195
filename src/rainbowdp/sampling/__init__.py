# SPDX-License-Identifier: Apache-2.0
"""Exact draws from exact distributions.

A draw compares a uniform real number U in [0, 1), revealed 64 bits at a time, with the cumulative masses of a
distribution: the drawn color is the first one whose cumulative mass exceeds U. `cumulative` encloses the
masses between integers, `draw` reveals further bits until the enclosures decide, and `bulk` answers many
draws with the first 64 bits and hands the rare undecided ones to `draw`. So a color comes out with exactly
its real probability, irrational ones included, as far as the bits are uniform. No float is ever compared,
with one exception: where draws come from more than 2048 different distributions, a float64 table says which
words need a closer look. Then a draw is exact if that table's cumulative masses are right to 2^-30, which is
900 times what tables promise; `bulk` says what that rests on.

Bits come from the operating system unless a call is handed another source. There is no seed, no generator
behind the scenes, and no state between calls. How many words a draw reads, and how long it takes, is not
independent of the data: for k colors, a word fails to decide with probability at most 2(k - 1)/2^64, and then
another one is read.
"""

from rainbowdp.sampling.answers import sample, sample_all, sample_distribution
from rainbowdp.sampling.bits import BitSource, SystemBits

__all__ = ["BitSource", "SystemBits", "sample", "sample_all", "sample_distribution"]
