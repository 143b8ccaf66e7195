# SPDX-License-Identifier: Apache-2.0
"""How often the greatest of independently noisy counts does not belong to the best option.

Every count gets two-sided geometric noise of ratio a = 1/u, P(z) = (1-a)/(1+a) a^|z|, and of equal noisy
counts each is named with the same probability. Some rivals are equally far behind, all other options
infinitely far. What is wrong with probability w is right with probability 1 - w; w is given because it keeps
its digits where it is small.
"""

import math
from fractions import Fraction

import flint

from rainbowdp.baselines.odds_power import Base, EnclosedNumber, Value
from rainbowdp.exact import ball, simplest, working_precision

_LARGEST_POWER = 4096
"""Up to this power of the root, rational values become fractions; beyond it they stay short as powers."""


def noisy_counts_wrong(root: Base, steps: int, rivals: int) -> Value:
    """Return how often the greatest noisy count is not that of the best option.

    Parameters
    ----------
    root : Base
        The root u = 1/a of the odds, a being the ratio of the two-sided geometric noise; 1 for epsilon 0.
    steps : int
        How far behind the rivals are, in units of the noise, at least 0.
    rivals : int
        How many rivals there are, at least 1.

    Returns
    -------
    Exact or EnclosedNumber
        With one rival (1 + g (u-1)/(u+1)) / (2 u^g) for g steps; with more of them an enclosed number, except
        at a tie of all and for epsilon 0, where all options are equally likely.

    References
    ----------
    Ghosh, Roughgarden and Sundararajan 2009, Example 2.2: the noise.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> from rainbowdp.baselines.odds_power import odds_root
    >>> noisy_counts_wrong(odds_root(Log(Fraction(2)), 1), 3, 1)
    Fraction(1, 8)
    >>> noisy_counts_wrong(odds_root(Log(Fraction(2)), 1), 0, 2)
    Fraction(2, 3)
    """
    if steps == 0 or (isinstance(root, Fraction) and root == 1):
        return Fraction(rivals, rivals + 1)
    if rivals > 1:
        return EnclosedNumber(lambda: _beaten(root, steps, rivals + 1))
    wrong = (1 + steps * (root - 1) / (root + 1)) / (2 * root**steps)
    if isinstance(wrong, EnclosedNumber) or steps > _LARGEST_POWER:
        return wrong
    return simplest(wrong)


def _beaten(root: Base, steps: int, candidates: int) -> flint.arb:
    """Return a ball around the probability at the precision in force.

    With C the cumulative distribution of the noise, the best of n candidates is named with noise z with
    probability p(z) (C(z+g)^n - C(z+g-1)^n) / (n p(z+g)). The sum telescopes for z >= 0 and for z < -g, where
    p(z)/p(z+g) is constant. In between, C(w)^n = (1 - b a^w)^n, b = a/(1+a), is expanded, and each of its
    terms is a geometric series. The terms of the first degree sum to 1 - b a^g.
    """
    bits = flint.ctx.prec
    # The terms alternate and are below 2^n in all; their sum is at least 1/2.
    with working_precision(bits + candidates + 16):
        ratio = 1 / (root.evaluate() if isinstance(root, EnclosedNumber) else ball(root))
        share = ratio / (1 + ratio)
        total = share - share**candidates / candidates
        for degree in range(2, candidates + 1):
            factor = ratio ** (degree - 2)
            last = factor**steps
            series = (1 - last) / (1 - factor) if degree > 2 else flint.arb(steps)
            # Twice b/a = 1/(1+a) instead of b times a negative power of a.
            term = (last + (1 - ratio**degree) * series) / (1 + ratio) ** degree
            total += (-1) ** degree * math.comb(candidates, degree) * term / candidates
        return ratio**steps * total
