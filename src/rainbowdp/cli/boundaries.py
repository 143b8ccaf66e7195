# SPDX-License-Identifier: Apache-2.0
"""Boundary probabilities as they are written, to exact numbers; ``--normalize`` says what it did."""

from collections.abc import Mapping
from fractions import Fraction

from rainbowdp.cli.output import note
from rainbowdp.errors import DistributionError


def read_probabilities(written: Mapping[str, str], whose: str, *, normalize: bool) -> dict[str, Fraction]:
    """Read the probabilities of the colors at a boundary.

    Parameters
    ----------
    written : mapping of str to str
        Color to probability.
    whose : str
        What the note calls them.
    normalize : bool
        Divide them by their sum where that is not 1, with a note on stderr.

    Returns
    -------
    dict of str to Fraction
        Not judged yet: negative numbers are left for `rainbowdp.Distribution` to refuse.

    Raises
    ------
    NumberError
        If one is not an exact number.
    DistributionError
        If they are to be divided by their sum, and it is 0.
    """
    from rainbowdp.exact import parse_fraction, show

    values = {color: parse_fraction(text) for color, text in written.items()}
    total = sum(values.values(), Fraction(0))
    if not normalize or total == 1 or min(values.values()) < 0:
        return values
    if total == 0:
        raise DistributionError(
            f"{whose} sums to 0, which --normalize cannot rescale",
            help="give at least one color a probability above 0",
        )
    note(f"{whose} sums to {show(total)}; every probability was divided by that")
    return {color: value / total for color, value in values.items()}
