# SPDX-License-Identifier: Apache-2.0
"""Compare and round probabilities of any form."""

from collections.abc import Iterable
from fractions import Fraction

import flint

from rainbowdp.baselines import EnclosedNumber, Value
from rainbowdp.exact import ball, round_ball, shown_sign, to_float, working_precision

_FINE = 256


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
    return shown_sign(lambda: value_ball(x) - value_ball(y)) or 0


def is_open(x: Value, y: Value) -> bool:
    """Tell whether two numbers are known too roughly to say which is greater, or that they are equal.

    Chances of noisy orders have balls that no precision narrows.
    """
    if order(x, y) != 0:
        return False
    with working_precision(_FINE):
        return bool((value_ball(x) - value_ball(y)).rad() > flint.arb(2) ** (-_FINE // 2))


def greatest(values: Iterable[Value]) -> Value:
    """Return the greatest of some numbers; where 4096 bits do not tell, either."""
    found, *others = values
    for value in others:
        if order(value, found) > 0:
            found = value
    return found


def rounded(value: Value) -> float:
    """Return the float closest to a number.

    Examples
    --------
    >>> rounded(Fraction(1, 3))
    0.3333333333333333
    """
    if isinstance(value, EnclosedNumber):
        return round_ball(value.evaluate, "nearest")
    return to_float(value, "nearest")


def value_ball(value: Value) -> flint.arb:
    """Return a ball around a number, at the precision in force."""
    return value.evaluate() if isinstance(value, EnclosedNumber) else ball(value)
