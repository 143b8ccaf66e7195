# SPDX-License-Identifier: Apache-2.0
"""Numbers in messages are readable, whatever their size."""

from fractions import Fraction

import pytest

from rainbowdp.exact import Log, OddsExpression, show
from rainbowdp.privacy import GaussianDP


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(2), "2"),
        (Fraction(-1, 4), "-0.25"),
        (Fraction(9999, 10000), "0.9999"),
        (Fraction(3, 55), "3/55"),
        (Fraction(10) ** 400, "about 1.00000E+400"),
        (Fraction(1, 10**400), "about 1E-400"),
        (Fraction(1, 3**100), "about 1.94033E-48"),
        (OddsExpression.odds(Fraction(1)), "about 2.71828"),
        (OddsExpression.odds(Log(Fraction(6, 5))), "1.2"),
        (GaussianDP(1).propagate(Fraction(1, 2)), "about 0.841345"),
    ],
)
def test_numbers_are_shown_short(value: Fraction, text: str) -> None:
    assert show(value) == text
