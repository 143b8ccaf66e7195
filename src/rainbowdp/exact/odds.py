# SPDX-License-Identifier: Apache-2.0
"""Compute with numbers that are rational functions of the odds t = e^epsilon.

Everything that pure and approximate differential privacy compute from rational probabilities lies in Q(t).
If epsilon is a rational number other than 0, t is transcendental (Lindemann), so such a number is zero if
and only if it is identically zero as a function of t. If epsilon is the logarithm of a rational number, t is
rational, and what is not identically zero and stays undecided by enclosures is worked out as a fraction. If
epsilon is a part of such a logarithm, ln(r)/n, t is a root of t^n = r, and a polynomial is zero if and only
if it is after t^n has been replaced by r. Polynomials are kept sparse, so t^1000000 is one term.
"""

import math
from fractions import Fraction

import flint

from rainbowdp.exact.real import LAST_PRECISION, Real, shown_sign, undecided
from rainbowdp.exact.text import Exponent, Log, LogPart, exponent_text

_RING = flint.fmpq_mpoly_ctx.get(("t",), flint.Ordering.lex)
_T = _RING.gen(0)
_LARGEST_GCD_DEGREE = 64
_LARGEST_FOLDED = 4096
"""Up to this power of r, powers of a root of r are written out; beyond it, enclosures alone decide."""

Base = Exponent | LogPart
"""The x of a power base t = e^x."""


def _constant(value: Fraction | int) -> flint.fmpq_mpoly:
    return _RING.constant(flint.fmpq(value.numerator, value.denominator))


def _fraction(value: flint.fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


_ONE = _constant(Fraction(1))


class OddsExpression(Real):
    """An exact number in Q(t) with t = e^exponent.

    Made by arithmetic from `OddsExpression.odds`; immutable, and not hashable, because one number has many
    forms.

    Examples
    --------
    >>> t = OddsExpression.odds(Fraction(1))
    >>> best = t / (t + 2)
    >>> best + 2 * (1 / (t + 2)) == 1
    True
    >>> Fraction(57, 100) < best < Fraction(58, 100)
    True
    """

    __slots__ = ("denominator", "exponent", "numerator")

    def __init__(self, numerator: flint.fmpq_mpoly, denominator: flint.fmpq_mpoly, exponent: Base) -> None:
        self.numerator, self.denominator = _reduced(numerator, denominator)
        self.exponent = exponent

    @classmethod
    def _of_reduced(
        cls, numerator: flint.fmpq_mpoly, denominator: flint.fmpq_mpoly, exponent: Base
    ) -> "OddsExpression":
        """Return the number of a quotient in which there is nothing left to cancel."""
        made = cls.__new__(cls)
        made.numerator, made.denominator, made.exponent = numerator, denominator, exponent
        return made

    @classmethod
    def odds(cls, exponent: Base) -> "OddsExpression":
        """Return the number t = e^exponent itself."""
        return cls(_T, _ONE, exponent)

    def is_formally_zero(self) -> bool:
        """Tell whether the number is zero as a function of t."""
        if self.numerator.is_zero():
            return True
        folded = _folded(self.numerator, self.exponent)
        return folded is not None and not folded

    def as_fraction(self) -> Fraction | None:
        """Return the number as a fraction: always for rational odds, and for constants in t."""
        if isinstance(self.exponent, Log):
            odds = self.exponent.argument
            return _value(self.numerator, odds) / _value(self.denominator, odds)
        if self.numerator.is_constant() and self.denominator.is_constant():
            zero = self.numerator.is_zero()
            return Fraction(0) if zero else _fraction(self.numerator.leading_coefficient())
        top, bottom = _folded(self.numerator, self.exponent), _folded(self.denominator, self.exponent)
        if top is None or bottom is None or set(top) - {0} or set(bottom) - {0}:
            return None
        return top.get(0, Fraction(0)) / bottom[0]

    def evaluate(self) -> flint.arb:
        """Return a ball that holds the number, at the precision in force."""
        top = self._ball(self.numerator)
        return top if self.denominator.is_one() else top / self._ball(self.denominator)

    def _ball(self, polynomial: flint.fmpq_mpoly) -> flint.arb:
        total = flint.arb(0)
        for (power,), coefficient in polynomial.terms():
            total += _power(self.exponent, power) * coefficient
        return total

    def _undecided_sign(self) -> int:
        if isinstance(self.exponent, Log):
            odds = self.exponent.argument
            value = _value(self.numerator, odds) * _value(self.denominator, odds)
            return (value > 0) - (value < 0)
        if isinstance(self.exponent, LogPart) and _folded(self.numerator, self.exponent) is None:
            raise undecided()
        # The number is not zero, so some precision decides.
        return shown_sign(self.evaluate, 2 * LAST_PRECISION, None)

    def _lift(self, other: object) -> "OddsExpression | None":
        if isinstance(other, OddsExpression):
            same = other.exponent is self.exponent or other.exponent == self.exponent
            return other if same else None
        if isinstance(other, int | Fraction):
            return OddsExpression._of_reduced(_constant(other), _ONE, self.exponent)
        return None

    def _in_one_form(self, other: Real) -> "tuple[OddsExpression, OddsExpression] | None":
        if not isinstance(other, OddsExpression):
            return None
        mine, theirs = self.exponent, other.exponent
        if not (isinstance(mine, Fraction) and isinstance(theirs, Fraction)):
            return None
        # e^mine and e^theirs are whole powers of e^root.
        shared = math.gcd(mine.numerator * theirs.denominator, theirs.numerator * mine.denominator)
        root = Fraction(shared, mine.denominator * theirs.denominator)
        return _inflated(self, mine / root, root), _inflated(other, theirs / root, root)

    def _plus(self, other: "OddsExpression", factor: int) -> "OddsExpression":
        if self.denominator == other.denominator:
            return OddsExpression(self.numerator + other.numerator * factor, self.denominator, self.exponent)
        return OddsExpression(
            self.numerator * other.denominator + other.numerator * self.denominator * factor,
            self.denominator * other.denominator,
            self.exponent,
        )

    def _scaled(self, factor: Fraction) -> "OddsExpression":
        scaled = self.numerator * flint.fmpq(factor.numerator, factor.denominator)
        return OddsExpression._of_reduced(scaled, self.denominator if factor else _ONE, self.exponent)

    def _times(self, other: "OddsExpression") -> "OddsExpression":
        return OddsExpression(
            self.numerator * other.numerator, self.denominator * other.denominator, self.exponent
        )

    def _over(self, other: "OddsExpression") -> "OddsExpression":
        if other.is_formally_zero():
            raise ZeroDivisionError("division of an exact number by zero")
        return OddsExpression(
            self.numerator * other.denominator, self.denominator * other.numerator, self.exponent
        )

    def __pow__(self, power: int) -> "OddsExpression":
        if power < 0:
            return OddsExpression(self.denominator**-power, self.numerator**-power, self.exponent)
        return OddsExpression(self.numerator**power, self.denominator**power, self.exponent)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.numerator.to_dict(), self.denominator.to_dict(), self.exponent)

    def __repr__(self) -> str:
        bottom = "" if self.denominator.is_one() else f" / ({self.denominator})"
        return f"({self.numerator}){bottom} at t = e^({exponent_text(self.exponent)})"


def _inflated(number: OddsExpression, power: Fraction, root: Fraction) -> OddsExpression:
    """Return a number as a function of e^root, where its t is a whole power of that."""
    top, bottom = (each.inflate([int(power)]) for each in (number.numerator, number.denominator))
    return OddsExpression(top, bottom, root)


def _power(exponent: Base, power: int) -> flint.arb:
    """Return the ball around a power of e^exponent at the precision in force."""
    rate = exponent if isinstance(exponent, Fraction) else exponent.argument
    exact = flint.fmpq(rate.numerator, rate.denominator)
    if isinstance(exponent, Log):
        return flint.arb(exact) ** power
    if isinstance(exponent, LogPart):
        return (flint.arb(exact).log() * flint.arb(flint.fmpq(power, exponent.parts))).exp()
    return flint.arb(exact * power).exp()


def _folded(polynomial: flint.fmpq_mpoly, exponent: Base) -> dict[int, Fraction] | None:
    """Return a polynomial in a root of r after t^n = r, by power below n; None for any other t.

    None also where that would have more digits than fit on some pages.
    """
    if not isinstance(exponent, LogPart) or int(polynomial.total_degree()) > _LARGEST_FOLDED * exponent.parts:
        return None
    found: dict[int, Fraction] = {}
    for (power,), coefficient in polynomial.terms():
        times, rest = divmod(int(power), exponent.parts)
        found[rest] = found.get(rest, Fraction(0)) + _fraction(coefficient) * exponent.argument**times
    return {power: coefficient for power, coefficient in found.items() if coefficient}


def _value(polynomial: flint.fmpq_mpoly, odds: Fraction) -> Fraction:
    return sum((_fraction(c) * odds ** int(power) for (power,), c in polynomial.terms()), Fraction(0))


Terms = dict[tuple[int, ...], flint.fmpq]


def _rebuilt(numerator: Terms, denominator: Terms, exponent: Base) -> OddsExpression:
    """Return the number of these terms, by power; flint's polynomials cannot be pickled themselves."""
    return OddsExpression(_RING.from_dict(numerator), _RING.from_dict(denominator), exponent)


def _reduced(
    numerator: flint.fmpq_mpoly, denominator: flint.fmpq_mpoly
) -> tuple[flint.fmpq_mpoly, flint.fmpq_mpoly]:
    """Cancel what is cheap to cancel: common powers of t, common factors of low degree, the leading unit."""
    if numerator.is_zero():
        return numerator, _ONE
    if denominator.is_one():
        return numerator, denominator
    shared = min(numerator.monoms()[-1][0], denominator.monoms()[-1][0])
    if shared:
        numerator, denominator = numerator / _T ** int(shared), denominator / _T ** int(shared)
    if (
        len(denominator) > 1
        and max(numerator.total_degree(), denominator.total_degree()) <= _LARGEST_GCD_DEGREE
    ):
        common = numerator.gcd(denominator)
        if not common.is_one():
            numerator, denominator = numerator / common, denominator / common
    lead = denominator.leading_coefficient()
    return (numerator / lead, denominator / lead) if lead != 1 else (numerator, denominator)
