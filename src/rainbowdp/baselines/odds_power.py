# SPDX-License-Identifier: Apache-2.0
"""Roots of the odds: u = e^(epsilon/n), in which every rival's probability is a rational function.

The rivals divide epsilon, by 2 where scores are not monotone and by the sensitivity where it is not 1. For a
rational epsilon, and for the logarithm of a fraction with a rational root, u is again a number with an exact
test for equality. The root of any other fraction is irrational and known by enclosures alone: then two equal
numbers are never told apart, and a comparison of them is an `UndecidedError`.
"""

from collections.abc import Callable
from fractions import Fraction

import flint

from rainbowdp.exact import Exact, Exponent, Log, OddsExpression, Real, ball, exponent_ball


class EnclosedNumber(Real):
    """A real number known by enclosures of any precision, and not by a form.

    Parameters
    ----------
    evaluate : callable
        Returns a ball that holds the number, at the precision in force.

    Examples
    --------
    >>> root = EnclosedNumber(lambda: flint.arb(2).sqrt())
    >>> (root * root - Fraction(199, 100)).sign(), (1 / root < 1)
    (1, True)
    """

    __slots__ = ("_evaluate",)

    def __init__(self, evaluate: Callable[[], flint.arb]) -> None:
        self._evaluate = evaluate

    def evaluate(self) -> flint.arb:
        """Return a ball that holds the number, at the precision in force."""
        return self._evaluate()

    def is_formally_zero(self) -> bool:
        """Return False: no form shows anything."""
        return False

    def _plus(self, other: "EnclosedNumber", factor: int) -> "EnclosedNumber":
        return EnclosedNumber(lambda: self.evaluate() + factor * other.evaluate())

    def _scaled(self, factor: Fraction) -> "EnclosedNumber":
        return EnclosedNumber(lambda: self.evaluate() * ball(factor))

    def _lift(self, other: object) -> "EnclosedNumber | None":
        if isinstance(other, EnclosedNumber):
            return other
        if isinstance(other, Real):
            return EnclosedNumber(other.evaluate)
        if isinstance(other, int | Fraction):
            return EnclosedNumber(lambda: ball(other))
        return None

    def __mul__(self, other: object) -> "EnclosedNumber":
        lifted = self._lift(other)
        if lifted is None:
            return NotImplemented
        return EnclosedNumber(lambda: self.evaluate() * lifted.evaluate())

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "EnclosedNumber":
        lifted = self._lift(other)
        if lifted is None:
            return NotImplemented
        return EnclosedNumber(lambda: self.evaluate() / lifted.evaluate())

    def __rtruediv__(self, other: object) -> "EnclosedNumber":
        lifted = self._lift(other)
        return NotImplemented if lifted is None else lifted / self

    def __pow__(self, power: int) -> "EnclosedNumber":
        return EnclosedNumber(lambda: self.evaluate() ** power)


Base = Fraction | OddsExpression | EnclosedNumber
"""A root of the odds."""

Value = Exact | EnclosedNumber
"""A probability: exact, or known by enclosures of any precision."""


def odds_root(epsilon: Exponent, parts: int) -> Base:
    """Return e^(epsilon/parts).

    Parameters
    ----------
    epsilon : Fraction or Log
        The privacy parameter, at least 0.
    parts : int
        At least 1.

    Returns
    -------
    Fraction, OddsExpression or EnclosedNumber
        1 for epsilon 0; else a formal power base, of rational value where it has one; an `EnclosedNumber`
        where the odds are a fraction whose root is irrational.

    Examples
    --------
    >>> odds_root(Log(Fraction(9, 4)), 2).as_fraction(), odds_root(Fraction(1), 3).exponent
    (Fraction(3, 2), Fraction(1, 3))
    >>> isinstance(odds_root(Log(Fraction(2)), 2), EnclosedNumber)
    True
    """
    if epsilon == 0:
        return Fraction(1)
    if not isinstance(epsilon, Log):
        return OddsExpression.odds(epsilon / parts)
    root = _rational_root(epsilon.argument, parts)
    if root is not None:
        return OddsExpression.odds(Log(root))

    def evaluate() -> flint.arb:
        # Computed anew each time, at the precision then in force.
        return (exponent_ball(epsilon) / parts).exp()

    return EnclosedNumber(evaluate)


def _rational_root(value: Fraction, degree: int) -> Fraction | None:
    """Return the root of a positive fraction, None where it is irrational."""
    longest = max(value.numerator.bit_length(), value.denominator.bit_length())
    if degree > longest:
        # A fraction other than 1 whose numerator or denominator is at least 2^degree is that long.
        return None
    parts = [int(flint.fmpz(part).root(degree)) for part in (value.numerator, value.denominator)]
    root = Fraction(*parts)
    return root if root**degree == value else None
