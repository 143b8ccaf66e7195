# SPDX-License-Identifier: Apache-2.0
"""An amount of epsilon: a rational number plus the logarithm of a rational number, added without rounding.

Both kinds of epsilon that people ask with stay what they are, however many are added: ln(a) + ln(b) is
ln(ab). The form is unique, because e^r is irrational for every rational r other than 0 (Lindemann): two
amounts are equal exactly where both parts are, and enclosures tell any others apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Self

import flint

from rainbowdp.errors import NumberError
from rainbowdp.exact import (
    FIRST_PRECISION,
    Log,
    NumberLike,
    enclose_with,
    format_fraction,
    parse_exponent,
    rational_ball,
    show,
    shown_sign,
)

_DIGITS = 6
_MOST_BITS = 1 << 15
_PLAIN_EXPONENTS = range(-12, 16)


@dataclass(frozen=True)
class Amount:
    """The number ``rational + ln(argument)``.

    Parameters
    ----------
    rational : Fraction
        The rational part.
    argument : Fraction
        The positive number whose logarithm is added; 1 adds nothing.

    Raises
    ------
    NumberError
        If the argument is not positive.

    References
    ----------
    Lindemann 1882: e^r is transcendental for every algebraic r other than 0.

    Examples
    --------
    >>> spent = Amount.of("ln(6/5)") + Amount.of("0.5") + Amount.of("ln 2")
    >>> print(spent)
    0.5 + ln(12/5)
    >>> spent <= Amount.of("1.38"), Amount.of(3) - spent <= Amount.of("1.63")
    (True, True)
    >>> Amount.of("ln 4") == Amount.of("ln 2").times(2)
    True
    """

    rational: Fraction = Fraction(0)
    argument: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.argument <= 0:
            raise NumberError(
                f"ln({format_fraction(self.argument)}) is not a real number",
                help="take the logarithm of a positive number",
                value=self.argument,
            )

    @classmethod
    def of(cls, value: NumberLike | Log) -> Self:
        """Return the amount that a number or text stands for, such as ``0.5`` or ``ln(6/5)``.

        Raises
        ------
        NumberError
            If it is not an exact number of these forms.
        """
        exponent = parse_exponent(value)
        return cls(argument=exponent.argument) if isinstance(exponent, Log) else cls(exponent)

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.rational + other.rational, self.argument * other.argument)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.rational - other.rational, self.argument / other.argument)

    def times(self, number: int) -> "Amount":
        """Return this amount taken a whole number of times."""
        return Amount(self.rational * number, self.argument**number)

    def sign(self) -> int:
        """Return -1, 0 or 1, decided exactly."""
        if self.argument == 1:
            return (self.rational > 0) - (self.rational < 0)
        if self.rational == 0:
            return 1 if self.argument > 1 else -1
        # Irrational, so some precision decides.
        return shown_sign(self.ball, FIRST_PRECISION, None)

    def __le__(self, other: "Amount") -> bool:
        return (self - other).sign() <= 0

    def ball(self) -> flint.arb:
        """Return an Arb ball that holds the amount, at the precision in force."""
        whole = rational_ball(self.rational)
        return whole if self.argument == 1 else whole + rational_ball(self.argument).log()

    def __str__(self) -> str:
        if self.argument == 1:
            return number_text(self.rational)
        negative = self.argument < 1
        logarithm = f"ln({format_fraction(1 / self.argument if negative else self.argument)})"
        if self.rational == 0:
            return f"-{logarithm}" if negative else logarithm
        return f"{number_text(self.rational)} {'-' if negative else '+'} {logarithm}"


def number_text(value: Fraction) -> str:
    """Return a rational number exactly: as a decimal where that is short, else as a fraction.

    Examples
    --------
    >>> number_text(Fraction(5, 2)), number_text(Fraction(1, 3))
    ('2.5', '1/3')
    """
    shown = show(value)
    return format_fraction(value) if shown.startswith("about") else shown


def rounded(ball: Callable[[], flint.arb], *, upward: bool) -> str:
    """Return a number of at least 0 as a decimal of six digits, rounded in a named direction.

    A number too small to be told from 0 is a bound all the same: 0 below, something tiny above.

    Examples
    --------
    >>> rounded(Amount.of("ln 2").ball, upward=False), rounded(Amount.of("ln 2").ball, upward=True)
    ('0.693147', '0.693148')
    """
    bits = FIRST_PRECISION
    lower, upper = enclose_with(ball, bits)
    while upper - lower > abs(lower) / 2**FIRST_PRECISION and bits < _MOST_BITS:
        bits *= 2
        lower, upper = enclose_with(ball, bits)
    end = upper if upward else lower
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if upward else ROUND_FLOOR)
    decimal = context.divide(Decimal(end.numerator), Decimal(end.denominator)).normalize()
    return f"{decimal:f}" if decimal.adjusted() in _PLAIN_EXPONENTS else f"{decimal:e}"
