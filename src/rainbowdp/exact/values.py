# SPDX-License-Identifier: Apache-2.0
"""Probabilities that are functions of a root of the odds, or enclosures only, and how they compare.

Choices by score divide epsilon, by 2 where scores are not monotone and by the sensitivity where it is not 1.
Their probabilities are rational functions of a root of the odds, u = e^(epsilon/n), which is a number with an
exact test for equality. What has no short form, such as the chance among a thousand rivals, is an
`EnclosedNumber`: two of these that are equal are never told apart, and a comparison of them is an
`UndecidedError`.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cmp_to_key

import flint

from rainbowdp.exact.enclosure import Exact, ball, simplest, to_float
from rainbowdp.exact.odds import OddsExpression
from rainbowdp.exact.real import Real, shown_sign, working_precision
from rainbowdp.exact.text import Exponent, divided_exponent

_FINE = 256


class EnclosedNumber(Real):
    """A real number known by enclosures of any precision, and not by a form.

    One that comes out of pickle is known to 256 bits, enough for its closest float.

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

    def __copy__(self) -> "EnclosedNumber":
        return self

    def __deepcopy__(self, _: object) -> "EnclosedNumber":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        # Functions cannot be pickled, so one ball stands for the number.
        with working_precision(_FINE):
            value = self.evaluate()
        return _within, tuple(tuple(map(int, part.man_exp())) for part in (value.mid(), value.rad()))

    def __repr__(self) -> str:
        return f"EnclosedNumber(about {float(self):.6g})"

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

    def _times(self, other: "EnclosedNumber") -> "EnclosedNumber":
        return EnclosedNumber(lambda: self.evaluate() * other.evaluate())

    def _over(self, other: "EnclosedNumber") -> "EnclosedNumber":
        return EnclosedNumber(lambda: self.evaluate() / other.evaluate())

    def __pow__(self, power: int) -> "EnclosedNumber":
        return EnclosedNumber(lambda: self.evaluate() ** power)


def _within(middle: tuple[int, int], radius: tuple[int, int]) -> EnclosedNumber:
    """Return the number in a ball; how an `EnclosedNumber` comes out of pickle."""
    found = flint.arb(middle, radius)
    return EnclosedNumber(lambda: found)


Base = Fraction | OddsExpression | EnclosedNumber
"""A root of the odds."""

Value = Exact | EnclosedNumber
"""A probability: exact, or known by enclosures of any precision."""


LARGEST_POWER = 4096
"""Up to this power of the root, rational values become fractions; beyond it they stay short as powers."""


def told(value: Value) -> Value:
    """Return a value as a fraction where it is one whose digits fit on a few pages.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> told(odds_root(Log(Fraction(2)), 1) ** 3)
    Fraction(8, 1)
    """
    if isinstance(value, OddsExpression):
        power = max(value.numerator.total_degree(), value.denominator.total_degree())
        return value if power > LARGEST_POWER else simplest(value)
    return value if isinstance(value, Fraction | EnclosedNumber) else simplest(value)


def odds_root(epsilon: Exponent, parts: int) -> Fraction | OddsExpression:
    """Return e^(epsilon/parts).

    Parameters
    ----------
    epsilon : Fraction or Log
        The privacy parameter, at least 0.
    parts : int
        At least 1.

    Returns
    -------
    Fraction or OddsExpression
        1 for epsilon 0; else a formal power base, of rational value where it has one.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> odds_root(Log(Fraction(9, 4)), 2).as_fraction(), odds_root(Fraction(1), 3).exponent
    (Fraction(3, 2), Fraction(1, 3))
    >>> (odds_root(Log(Fraction(2)), 2) ** 6).as_fraction()
    Fraction(8, 1)
    """
    return Fraction(1) if epsilon == 0 else OddsExpression.odds(divided_exponent(epsilon, parts))


def order(x: Value, y: Value) -> int:
    """Compare two numbers: -1, 0 or 1; 0 also where they agree to 4096 bits and have no common form.

    Examples
    --------
    >>> order(Fraction(1, 3), Fraction(1, 2)), order(Fraction(1), Fraction(1))
    (-1, 0)
    """
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return (x > y) - (x < y)
    # A difference of unlike kinds has no form, and of normal numbers no test for zero: enclosures do for all.
    return shown_sign(lambda: ball(x) - ball(y)) or 0


def is_open(x: Value, y: Value) -> bool:
    """Tell whether two numbers are known too roughly to say which is greater, or that they are equal.

    Chances of noisy orders have balls that no precision narrows.
    """
    if order(x, y) != 0:
        return False
    with working_precision(_FINE):
        return bool((ball(x) - ball(y)).rad() > flint.arb(2) ** (-_FINE // 2))


def greatest(values: Iterable[Value]) -> Value:
    """Return the greatest of some numbers; where 4096 bits do not tell, either."""
    return max(values, key=cmp_to_key(order))


def rounded(value: Value) -> float:
    """Return the float closest to a number.

    Examples
    --------
    >>> rounded(Fraction(1, 3))
    0.3333333333333333
    """
    return to_float(value, "nearest")
