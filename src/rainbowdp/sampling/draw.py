# SPDX-License-Identifier: Apache-2.0
"""One exact draw: reveal a uniform number word by word until the drawn color is certain.

Let U be uniform in [0, 1) and F_1 <= ... <= F_k = 1 the cumulative masses. Color j is drawn where
F_(j-1) <= U < F_j, which has exactly the probability F_j - F_(j-1). A color is returned only once enclosures
prove both comparisons, so a color of probability 0 is never drawn, whatever the bits, and every further word
leaves at most 2 of its 2^64 values per cumulative mass undecided: the draw ends with probability 1 and nearly
always with the first word. There is no last precision at which a guess would be made.
"""

from rainbowdp.sampling.bits import WORD_BITS, BitSource, read_bits
from rainbowdp.sampling.cumulative import CumulativeMasses


def settle(
    masses: CumulativeMasses, revealed: int, length: int, bits: BitSource, word_bits: int = WORD_BITS
) -> int:
    """Return the position of the drawn color, revealing further words where needed.

    Parameters
    ----------
    masses : CumulativeMasses
        The distribution to draw from.
    revealed : int
        The bits of U that are known, as an integer in [0, 2^length).
    length : int
        How many bits that are.
    bits : BitSource
        Where further bits come from.
    word_bits : int
        How many bits are revealed at a time. The drawn color does not depend on it, only on U.

    Returns
    -------
    int
        The position of the color in the order of the distribution (by code point).
    """
    while (position := masses.decide(revealed, length)) is None:
        revealed = revealed << word_bits | read_bits(bits, word_bits)
        length += word_bits
    return position
