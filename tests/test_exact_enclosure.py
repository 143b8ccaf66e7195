# SPDX-License-Identifier: Apache-2.0
"""From exact numbers to bits and texts: decided signs, enclosures of a stated width, directed rounding."""

import math
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rainbowdp.errors import IrrationalError
from rainbowdp.exact import (
    Exact,
    Log,
    NormalExpression,
    OddsExpression,
    compare,
    enclose,
    format_exact,
    is_same,
    show,
    to_float,
)
from rainbowdp.exact.enclosure import Rounding
from rainbowdp.privacy import GaussianDP

EULER = OddsExpression.odds(Fraction(1))
fractions = st.fractions()
irrational: st.SearchStrategy[Exact] = st.one_of(
    st.builds(
        lambda a, b, n: (a * EULER**n + b) / (EULER + 2),
        *[st.fractions(-3, 3, max_denominator=50)] * 2,
        st.integers(-30, 30),
    ),
    st.builds(
        lambda mass, shift: NormalExpression.shifted(mass, shift, Fraction(1)),
        st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
        st.fractions(-5, 5, max_denominator=4),
    ),
)


def is_dyadic(number: Fraction) -> bool:
    return number.denominator & (number.denominator - 1) == 0


@given(st.one_of(fractions, irrational), st.integers(0, 400))
def test_enclosures_hold_the_number_and_have_the_width(number: Exact, bits: int) -> None:
    lower, upper = enclose(number, bits)
    assert lower <= number <= upper
    assert upper - lower <= Fraction(1, 2**bits)
    assert is_dyadic(lower)
    assert is_dyadic(upper)
    finer = enclose(number, bits + 100)
    assert finer[0] <= upper
    assert lower <= finer[1]


@given(st.one_of(fractions, st.fractions(0, Fraction(1, 10**300))))
@example(Fraction(0))
@example(Fraction(1, 2**1074))
@example(Fraction(-1, 2**1080))
@example(Fraction(10**400))
@example(Fraction(-(10**400)))
@example(Fraction(2**53 + 1))
def test_directed_rounding_of_fractions(number: Fraction) -> None:
    down, up, nearest = (to_float(number, way) for way in ("down", "up", "nearest"))
    assert down == -math.inf or Fraction(down) <= number
    assert up == math.inf or number <= Fraction(up)
    assert up in (down, math.nextafter(down, math.inf))
    assert (down == up) == (math.isfinite(down) and Fraction(down) == number)
    assert nearest in (down, up)
    if math.isfinite(down) and math.isfinite(up):
        assert abs(Fraction(nearest) - number) == min(number - Fraction(down), Fraction(up) - number)


@given(irrational)
def test_directed_rounding_of_irrational_numbers(number: Exact) -> None:
    if isinstance(number, OddsExpression | NormalExpression) and number.as_fraction() is not None:
        return
    down, up, nearest = to_float(number, "down"), to_float(number, "up"), to_float(number, "nearest")
    assert Fraction(down) < number < Fraction(up)
    assert up == math.nextafter(down, math.inf)
    middle = (Fraction(down) + Fraction(up)) / 2
    assert nearest == (down if number < middle else up)


@pytest.mark.parametrize("rounding", get_args(Rounding))
def test_rational_numbers_in_other_forms_round_as_fractions(rounding: Rounding) -> None:
    """A ball around a float, however thin, does not show that the number is that float."""
    t, tie = OddsExpression.odds(Log(Fraction(6, 5))), 1 + Fraction(1, 2**53)
    assert to_float(t * Fraction(5, 6) * tie, rounding) == to_float(tie, rounding)
    normal = NormalExpression.shifted(Fraction(1, 2), Fraction(0), Fraction(1))
    for half in (t * Fraction(5, 12), (t - t) + Fraction(1, 2), normal):
        assert to_float(half, rounding) == 0.5


def test_only_fractions_are_written_as_fractions() -> None:
    assert format_exact(Fraction(3, 55)) == "3/55"
    assert format_exact(OddsExpression.odds(Log(Fraction(6, 5)))) == "6/5"
    with pytest.raises(IrrationalError, match="irrational") as caught:
        format_exact(OddsExpression.odds(Fraction(1)))
    assert "--exact" in caught.value.help
    with pytest.raises(IrrationalError):
        format_exact(NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(1)))


def test_numbers_of_different_kinds_are_compared_and_never_taken_for_the_same() -> None:
    euler, square = EULER, OddsExpression.odds(Fraction(2))
    flat, steep = (
        NormalExpression.shifted(Fraction(1, 4), Fraction(1), mu) for mu in (Fraction(1), Fraction(2))
    )
    rising: list[Exact] = [Fraction(1, 10), flat, steep, euler, Fraction(3), square]
    for place, one in enumerate(rising):
        for other, two in enumerate(rising):
            assert compare(one, two) == (place > other) - (place < other)
            assert is_same(one, two) == (place == other)
    # What no enclosure shows a common form does.
    assert compare(euler * euler, square) == compare(euler - euler, square - square) == 0


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
