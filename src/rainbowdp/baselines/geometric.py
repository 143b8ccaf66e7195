# SPDX-License-Identifier: Apache-2.0
"""The thresholded geometric mechanism: a count with two-sided geometric noise, compared with thresholds.

The noise Z takes every whole number z with probability (1 - a)/(1 + a) a^|z|, where a = e^(-epsilon/D)
and D is the most by which one person changes the count: 1, under add-remove and under change-one alike.
So Z is at least g > 0 with probability a^g / (1 + a), and everything here is a sum of two such tails.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from rainbowdp.baselines.odds_power import Base, EnclosedNumber, Value, odds_root
from rainbowdp.errors import NumberError, QuestionError
from rainbowdp.exact import Log, NumberLike, parse_exponent, simplest
from rainbowdp.exact.arguments import is_whole


def thresholded_geometric(
    count: int, thresholds: Sequence[int], epsilon: NumberLike | Log, *, sensitivity: int = 1
) -> tuple[Value, ...]:
    """Return the probability of every level under the thresholded geometric mechanism.

    Parameters
    ----------
    count : int
        The true count.
    thresholds : sequence of int
        The lower ends of all levels but the lowest, rising. One threshold makes a yes-no question.
    epsilon : number or text
        The privacy parameter, at least 0.
    sensitivity : int
        The most by which one person changes the count.

    Returns
    -------
    tuple of Exact or EnclosedNumber
        One more than there are thresholds, lowest level first. At epsilon 0 the limit.

    Raises
    ------
    QuestionError
        If there is no threshold, they do not rise, or the sensitivity is below 1.
    NumberError
        If epsilon cannot be read or is negative.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan, Universally Utility-Maximizing Privacy Mechanisms, STOC 2009,
    Example 2.2.

    Examples
    --------
    >>> thresholded_geometric(12, [10], "ln 2")
    (Fraction(1, 12), Fraction(11, 12))
    >>> thresholded_geometric(12, [10, 13], "ln 2")
    (Fraction(1, 12), Fraction(7, 12), Fraction(1, 3))
    """
    if not thresholds or any(after <= before for before, after in pairwise(thresholds)):
        raise QuestionError("the thresholds do not rise", help="give at least one, each above the one before")
    if not is_whole(sensitivity) or sensitivity < 1:
        raise QuestionError(
            f"the sensitivity of a count cannot be {sensitivity!r}", help="give a whole number of at least 1"
        )
    exponent = parse_exponent(epsilon)
    if (exponent.argument < 1) if isinstance(exponent, Log) else (exponent < 0):
        raise NumberError(f"epsilon is negative ({exponent})", help="give an epsilon of at least 0")
    root = odds_root(exponent, sensitivity)
    reached = [Fraction(1), *(_at_least(threshold - count, root) for threshold in thresholds), Fraction(0)]
    levels = (below - above for below, above in pairwise(reached))
    return tuple(level if isinstance(level, EnclosedNumber) else simplest(level) for level in levels)


def _at_least(least: int, root: Base) -> Base:
    """Return the probability that the noise is at least this number."""
    if least <= 0:
        return 1 - _at_least(1 - least, root)
    return 1 / (root ** (least - 1) * (root + 1))
