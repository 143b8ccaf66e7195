# SPDX-License-Identifier: Apache-2.0
"""Decide the signs of numbers, compare, enclose and round them, and write them as text.

Every function takes an `Exact` number (a fraction, or one of the two kinds of `Real` with a form), and none
of them ever returns an estimate: a sign is decided, an enclosure holds the number, and a rounding says its
direction. What compares `Value` numbers takes enclosed ones, too.

Choices by score divide epsilon, by 2 where scores are not monotone and by the sensitivity where it is not 1.
Their probabilities are rational functions of a root of the odds, u = e^(epsilon/n), which is a number with an
exact test for equality. What has no short form, such as the chance among a thousand rivals, is an
`EnclosedNumber`: two of these that are equal are never told apart, and a comparison of them is an
`UndecidedError`.
"""

import math
from collections.abc import Callable, Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Literal

import flint
import numpy as np

from rainbowdp.errors import IrrationalError, UndecidedError
from rainbowdp.exact.odds import OddsExpression
from rainbowdp.exact.real import (
    FIRST_PRECISION,
    LAST_PRECISION,
    NormalExpression,
    Real,
    rational_ball,
    refine,
    shown_sign,
    working_precision,
)
from rainbowdp.exact.text import Exponent, Log, LogPart, divided_exponent, format_fraction

Exact = Fraction | OddsExpression | NormalExpression
"""An exact real number."""

Enclosable = Real | Fraction | int
"""A real number that can be enclosed."""

Number = str | int | float | Fraction | Decimal | np.integer | np.floating | Log | Real
"""What may be given where an exact number is expected: a text such as ``1/3`` or ``ln 2``, or a number."""

Rounding = Literal["down", "up", "nearest"]

LARGEST_POWER = 4096
"""Up to this power of the root, rational values become fractions; beyond it they stay short as powers."""

_SMALLEST_EXPONENT = 65536
_FINE = 256
# Numbers in messages: as people would write them, and never longer than they would read.
_LONGEST_DECIMAL, _LONGEST_FRACTION = 20, 40
_ROUNDED, _PRECISE = Context(prec=6), Context(prec=_LONGEST_DECIMAL)


def sign(x: Exact | int) -> int:
    """Return the sign of an exact number: -1, 0 or 1.

    Raises
    ------
    UndecidedError
        Only for numbers of Gaussian differential privacy that 4096 bits do not tell from zero.

    Examples
    --------
    >>> sign(Fraction(-1, 3))
    -1
    """
    return x.sign() if isinstance(x, Real) else (x > 0) - (x < 0)


def are_compatible(values: Iterable[Exact]) -> bool:
    """Tell whether exact numbers can be added and compared in their exact form.

    Examples
    --------
    >>> one, two = OddsExpression.odds(Fraction(1)), OddsExpression.odds(Fraction(2))
    >>> are_compatible([one, one + 1, Fraction(1, 2)]), are_compatible([one, two])
    (True, False)
    """
    fields: set[tuple[str, Exponent | LogPart]] = set()
    for value in values:
        if isinstance(value, OddsExpression):
            fields.add(("odds", value.exponent))
        elif isinstance(value, NormalExpression):
            fields.add(("normal", value.mu))
    return len(fields) <= 1


def compare(x: Exact, y: Exact) -> int:
    """Return the sign of x - y, also for numbers of different kinds, whose difference has no exact form.

    Raises
    ------
    UndecidedError
        If 4096 bits do not tell them apart and no common form shows that they are equal, which can happen
        under Gaussian privacy and for roots of two different fractions.

    Examples
    --------
    >>> one, two = OddsExpression.odds(Fraction(1)), OddsExpression.odds(Fraction(2))
    >>> compare(1 / one, 1 / two), compare(one - one, two - two), compare(one, Fraction(3))
    (1, 0, -1)
    """
    if isinstance(x, Real):
        return x.order_to(y)
    return -y.order_to(x) if isinstance(y, Real) else sign(x - y)


def simplest(x: Exact) -> Exact:
    """Return an exact number as a fraction where its form shows that it is one, and as it is otherwise.

    Examples
    --------
    >>> simplest(OddsExpression.odds(Fraction(1)) ** 0)
    Fraction(1, 1)
    """
    fraction = x if isinstance(x, Fraction) else x.as_fraction()
    return x if fraction is None else fraction


def is_same(x: Exact, y: Exact) -> bool:
    """Tell whether two exact numbers are the same by their form; normal ones can be equal without it.

    Examples
    --------
    >>> t = OddsExpression.odds(Fraction(1))
    >>> is_same(t * t - 1, (t - 1) * (t + 1)), is_same(t, t + 1), is_same(t, Fraction(1))
    (True, False, False)
    """
    if isinstance(x, NormalExpression) != isinstance(y, NormalExpression) or not are_compatible([x, y]):
        return False
    return (x - y).is_formally_zero() if isinstance(x, NormalExpression) else x == y


def ball(x: Enclosable) -> flint.arb:
    """Return an Arb ball that holds the number, at the precision in force."""
    return x.evaluate() if isinstance(x, Real) else rational_ball(x)


def bounds(value: flint.arb) -> tuple[Fraction, Fraction]:
    """Return two dyadic fractions around a finite ball, its ends except where these are minute.

    An end closer to zero than 2^-65536 is moved outward, to zero or to that size, because writing it as a
    fraction could take more memory than there is.
    """
    return _dyadic(value.lower(), upward=False), _dyadic(value.upper(), upward=True)


def enclose(x: Exact | int, bits: int) -> tuple[Fraction, Fraction]:
    """Enclose an exact number.

    Parameters
    ----------
    x : Exact
        The number.
    bits : int
        The enclosure is at most 2^-bits wide.

    Returns
    -------
    lower, upper : Fraction
        Dyadic fractions with lower <= x <= upper and upper - lower <= 2^-bits.

    Examples
    --------
    >>> lower, upper = enclose(Fraction(1, 3), 20)
    >>> lower <= Fraction(1, 3) <= upper and upper - lower <= Fraction(1, 2**20)
    True
    """
    if isinstance(x, int):
        x = Fraction(x)
    if isinstance(x, Fraction):
        scaled = x * 2**bits
        return Fraction(math.floor(scaled), 2**bits), Fraction(math.ceil(scaled), 2**bits)
    return enclose_with(x.evaluate, bits)


def enclose_with(evaluate: Callable[[], flint.arb], bits: int) -> tuple[Fraction, Fraction]:
    """Enclose what `evaluate` computes at the precision in force, to an absolute width of 2^-bits."""
    width = Fraction(1, 2**bits)

    def attempt(_: int) -> tuple[Fraction, Fraction] | None:
        value = evaluate()
        if not value.is_finite():
            return None
        lower, upper = bounds(value)
        return (lower, upper) if upper - lower <= width else None

    return refine(attempt, max(FIRST_PRECISION, bits + 16), None)


def to_float(x: Enclosable, rounding: Rounding) -> float:
    """Round an exact number to a float in a named direction.

    Parameters
    ----------
    x : Exact
        The number.
    rounding : {"down", "up", "nearest"}
        ``down`` and ``up`` give the closest float that is not above, or not below, the number. ``nearest``
        is correctly rounded unless the number lies within 2^-4096 (relatively) of a tie.

    Returns
    -------
    float

    Examples
    --------
    >>> to_float(Fraction(1, 3), "down") < Fraction(1, 3) < to_float(Fraction(1, 3), "up")
    True
    >>> to_float(Fraction(1, 10), "nearest")
    0.1
    """
    if not isinstance(x, Real):
        return _round_fraction(Fraction(x), rounding)
    if (fraction := None if isinstance(x, OddsExpression) else x.as_fraction()) is not None:
        return _round_fraction(fraction, rounding)
    return round_ball(x.evaluate, rounding, x.as_fraction)


def round_ball(
    evaluate: Callable[[], flint.arb],
    rounding: Rounding,
    as_fraction: Callable[[], Fraction | None] = lambda: None,
) -> float:
    """Round what `evaluate` computes at the precision in force to a float in a named direction.

    A ball around a float, however thin, does not show that the number is that float; `as_fraction` is asked
    for the number itself where the last precision does not decide.
    """

    def attempt(bits: int) -> float | None:
        value = evaluate()
        if not value.is_finite():
            return None
        lower, upper = bounds(value)
        low, high = _round_fraction(lower, rounding), _round_fraction(upper, rounding)
        if low == high:
            return low
        if bits < LAST_PRECISION:
            return None
        fraction = as_fraction()
        if fraction is not None:
            return _round_fraction(fraction, rounding)
        return high if rounding == "up" else low

    found = refine(attempt, first=128)
    if found is None:
        raise UndecidedError("a number could not be enclosed", help="report this as a defect")
    return found


def format_exact(x: Exact | int) -> str:
    """Return an exact number as fraction text.

    Raises
    ------
    IrrationalError
        If the number is irrational.

    Examples
    --------
    >>> format_exact(Fraction(3, 55))
    '3/55'
    """
    fraction = x.as_fraction() if isinstance(x, Real) else Fraction(x)
    if fraction is None:
        raise IrrationalError(
            "an irrational number cannot be written as a fraction",
            help="leave out --exact, or choose an epsilon with rational odds such as ln(6/5)",
        )
    return format_fraction(fraction)


def _dyadic(end: flint.arb, *, upward: bool) -> Fraction:
    mantissa, exponent = (int(part) for part in end.man_exp())
    if exponent >= 0:
        return Fraction(mantissa << exponent)
    if exponent + mantissa.bit_length() < -_SMALLEST_EXPONENT:
        outward = mantissa > 0 if upward else mantissa < 0
        return Fraction((mantissa > 0) - (mantissa < 0), 1 << _SMALLEST_EXPONENT) if outward else Fraction(0)
    return Fraction(mantissa, 1 << -exponent)


def _round_fraction(x: Fraction, rounding: Rounding) -> float:
    try:
        nearest = float(x)
    except OverflowError:
        nearest = math.inf if x > 0 else -math.inf
    if rounding == "down" and (nearest == math.inf or (math.isfinite(nearest) and Fraction(nearest) > x)):
        return math.nextafter(nearest, -math.inf)
    if rounding == "up" and (nearest == -math.inf or (math.isfinite(nearest) and Fraction(nearest) < x)):
        return math.nextafter(nearest, math.inf)
    return nearest


def show(value: Exact | int) -> str:
    """Return an exact number for a message.

    Parameters
    ----------
    value : Exact
        The number.

    Returns
    -------
    str
        A short decimal or fraction where it is one; otherwise six digits after the word "about".

    Examples
    --------
    >>> show(Fraction(9999, 10000)), show(Fraction(3, 55)), show(Fraction(10**60 + 1, 10**60))
    ('0.9999', '3/55', 'about 1.00000')
    """
    fraction = value.as_fraction() if isinstance(value, Real) else Fraction(value)
    if fraction is None:
        return f"about {_decimal(bounds(ball(value))[0], _ROUNDED)}"
    if max(fraction.numerator.bit_length(), fraction.denominator.bit_length()) < 256:
        decimal = _decimal(fraction, _PRECISE)
        if Fraction(decimal) == fraction and len(text := f"{decimal:f}") <= _LONGEST_DECIMAL:
            return text
    text = format_fraction(fraction)
    return text if len(text) <= _LONGEST_FRACTION else f"about {_decimal(fraction, _ROUNDED)}"


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


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
    return value if isinstance(value, EnclosedNumber) else simplest(value)


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
