# SPDX-License-Identifier: Apache-2.0
"""Exact numbers in messages: as people would write them, and never longer than they would read."""

from decimal import Context, Decimal
from fractions import Fraction

from rainbowdp.exact.enclosure import Exact, ball, bounds
from rainbowdp.exact.real import Real
from rainbowdp.exact.text import format_fraction

_LONGEST_DECIMAL = 20
_LONGEST_FRACTION = 40
_ROUNDED = Context(prec=6)
_PRECISE = Context(prec=_LONGEST_DECIMAL)


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
