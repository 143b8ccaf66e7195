# SPDX-License-Identifier: Apache-2.0
"""How often a rival mechanism is wrong where some rivals of the right answer are equally far behind.

Every function takes a root u of the odds, the number of steps g with u^-g the weight of each rival, and
the number r of rivals; all other candidates are so far behind that they are never drawn. That is the
whole distribution seen through "right or wrong", in closed form, for any g and r. What is wrong with
probability w is right with probability 1 - w; w is given because it keeps its digits where it is small.

For noisy counts, every count gets two-sided geometric noise of ratio a = 1/u, P(z) = (1-a)/(1+a) a^|z|, and
of equal noisy counts each is named with the same probability.
"""

import math
from fractions import Fraction

import flint

from rainbowdp.baselines.odds_power import LARGEST_POWER, Base, EnclosedNumber, Value, told
from rainbowdp.exact import ball, simplest, working_precision

_MOST_TERMS = 16
"""Up to this many rivals permute-and-flip is a polynomial; beyond it, enclosures of the closed form."""


def exponential_wrong(root: Base, steps: int, rivals: int) -> Value:
    """Return how often the exponential mechanism does not draw the best candidate: r / (u^g + r).

    Parameters
    ----------
    root : Base
        A root u of the odds.
    steps : int
        The g of the weight u^-g of every rival.
    rivals : int
        How many rivals there are.

    Returns
    -------
    Exact or EnclosedNumber

    References
    ----------
    McSherry and Talwar 2007, Theorem 6.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> from rainbowdp.baselines.odds_power import odds_root
    >>> exponential_wrong(odds_root(Log(Fraction(2)), 1), 3, 2)
    Fraction(1, 5)
    """
    return told(rivals / (root**steps + rivals))


def permute_and_flip_wrong(root: Base, steps: int, rivals: int) -> Value:
    """Return how often permute-and-flip does not draw the best candidate; see `flip_wrong`.

    Parameters
    ----------
    root : Base
        A root u of the odds.
    steps : int
        The g of the weight u^-g of every rival.
    rivals : int
        How many rivals there are.

    Returns
    -------
    Exact or EnclosedNumber

    References
    ----------
    McKenna and Sheldon 2020, Algorithm 1.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> from rainbowdp.baselines.odds_power import odds_root
    >>> permute_and_flip_wrong(odds_root(Log(Fraction(2)), 1), 3, 1)
    Fraction(1, 16)
    """
    return flip_wrong(1 / root**steps, rivals)


def flip_wrong(weight: Base, rivals: int) -> Value:
    """Return how often a best candidate is not the first one accepted, if rivals are equally likely to be.

    With the weight y of each rival and k = r + 1 it is right with probability (1 - (1 - y)^k) / (k y): the
    best candidate is equally likely to be asked first, second, ..., and is taken when all asked before it
    were refused.

    Parameters
    ----------
    weight : Base
        The probability y with which each rival is accepted when it is asked.
    rivals : int
        How many rivals there are.

    Returns
    -------
    Exact or EnclosedNumber

    References
    ----------
    McKenna and Sheldon 2020, Algorithm 1.

    Examples
    --------
    >>> flip_wrong(Fraction(1, 8), 1), flip_wrong(Fraction(1), 3)
    (Fraction(1, 16), Fraction(3, 4))
    """
    if isinstance(weight, Fraction) and weight == 1:
        return Fraction(rivals, rivals + 1)
    if rivals > _MOST_TERMS:
        return EnclosedNumber(lambda: _flipped(weight, rivals + 1))
    total: Base = Fraction(0)
    for degree in range(rivals, 0, -1):
        coefficient = Fraction((-1) ** (degree + 1) * math.comb(rivals + 1, degree + 1), rivals + 1)
        total = (total + coefficient) * weight
    return told(total)


def geometric_wrong(root: Base, steps: int, rivals: int) -> Value:
    """Return how often a noisy count falls beyond a threshold: r / (u^(g-1) (u + 1)).

    Parameters
    ----------
    root : Base
        The root u = 1/a of the odds, a being the ratio of the two-sided geometric noise.
    steps : int
        The least noise, at least 1, with which the answer is wrong.
    rivals : int
        1, or 2 where such noise in either direction makes the answer wrong.

    Returns
    -------
    Exact or EnclosedNumber

    References
    ----------
    Ghosh, Roughgarden and Sundararajan 2009, Example 2.2.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> from rainbowdp.baselines.odds_power import odds_root
    >>> geometric_wrong(odds_root(Log(Fraction(2)), 1), 3, 1)
    Fraction(1, 12)
    """
    return told(rivals / (root ** (steps - 1) * (root + 1)))


def _flipped(weight_of_each: Base, candidates: int) -> flint.arb:
    weight = _ball(weight_of_each)
    never = (candidates * (-weight).log1p()).expm1()
    return 1 + never / (candidates * weight)


def _ball(value: Base) -> flint.arb:
    return value.evaluate() if isinstance(value, EnclosedNumber) else ball(value)


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
    if isinstance(wrong, EnclosedNumber) or steps > LARGEST_POWER:
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
