# SPDX-License-Identifier: Apache-2.0
"""Exact draws from exact distributions.

A draw compares a uniform real number U in [0, 1), of which as many bits are revealed as are needed, with the
cumulative masses of a distribution: the drawn color is the first one whose cumulative mass exceeds U.
`thresholds.settle` encloses the masses between integers to any number of bits, and reveals further bits until
the enclosures decide. `answers` makes many draws: `thresholds` encloses the masses of many rows to 64 bits
and compares the first bits of whole arrays of draws with them. The few draws that are too close to a mass go
to `settle`. So a color comes out with exactly its real probability, irrational ones included, if the bits are
uniform.

Two methods differ in what they spend, never in what they draw for the same U. The constant one, the default,
takes two words for every draw and compares all cumulative masses, for every result. The lazy one takes a
byte, and more where that is not enough: several times quicker, and how much it takes depends on the answers.

Bits come from the operating system unless a call is handed another source. There is no seed, no generator
behind the scenes, and nothing of one draw is kept for another; only enclosures of a mechanism's masses are.
"""

from rainbowdp.sampling.answers import sample, sample_all, sample_distribution
from rainbowdp.sampling.bits import BitSource, SystemBits

__all__ = ["BitSource", "SystemBits", "sample", "sample_all", "sample_distribution"]
