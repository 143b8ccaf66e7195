# SPDX-License-Identifier: Apache-2.0
"""Numbers in powers of e^epsilon: against fractions where the odds are rational, against Arb elsewhere."""

import operator
import pickle
from collections.abc import Callable
from fractions import Fraction

import flint
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rainbowdp.exact import (
    Log,
    LogPart,
    OddsExpression,
    ball,
    divided_exponent,
    enclose,
    format_exact,
    sign,
    to_float,
    working_precision,
)

Number = OddsExpression | Fraction
OPERATIONS: list[Callable[[Number, Number], Number]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
]
small = st.fractions(-5, 5, max_denominator=12)


@st.composite
def programs(draw: st.DrawFn) -> list[tuple[int, Fraction, int]]:
    """Draw a calculation: operation, constant, power of t that the constant is multiplied with."""
    return draw(st.lists(st.tuples(st.integers(0, 3), small, st.integers(-3, 3)), min_size=1, max_size=6))


def run(program: list[tuple[int, Fraction, int]], t: OddsExpression | Fraction) -> OddsExpression | Fraction:
    value: OddsExpression | Fraction = t
    for operation, constant, power in program:
        other: OddsExpression | Fraction = constant * t**power
        if OPERATIONS[operation] is operator.truediv:
            assume(constant != 0)
        value = OPERATIONS[operation](value, other)
    return value


@given(programs(), st.sampled_from(["6/5", "2", "1/3", "1000001/1000000"]).map(Fraction))
def test_arithmetic_agrees_with_fractions_at_rational_odds(
    program: list[tuple[int, Fraction, int]], odds: Fraction
) -> None:
    exact, symbolic = run(program, odds), run(program, OddsExpression.odds(Log(odds)))
    assert isinstance(symbolic, OddsExpression)
    assert isinstance(exact, Fraction)
    assert symbolic.as_fraction() == exact
    assert symbolic == exact
    assert sign(symbolic) == sign(exact)
    for compared in (operator.lt, operator.le, operator.gt, operator.ge):
        assert compared(symbolic, 1) == compared(exact, 1)
    assert format_exact(symbolic) == str(exact)
    for rounding in ("down", "up", "nearest"):
        assert to_float(symbolic, rounding) == to_float(exact, rounding)


@given(programs(), st.sampled_from([Fraction(1), Fraction(-1, 2), Fraction(1, 10**9), Fraction(30)]))
def test_arithmetic_agrees_with_enclosures_at_irrational_odds(
    program: list[tuple[int, Fraction, int]], exponent: Fraction
) -> None:
    symbolic = run(program, OddsExpression.odds(exponent))
    assert isinstance(symbolic, OddsExpression)
    with flint.ctx.workprec(600):
        t = flint.arb(flint.fmpq(exponent.numerator, exponent.denominator)).exp()
        value = t
        for operation, constant, power in program:
            other = flint.arb(flint.fmpq(constant.numerator, constant.denominator)) * t**power
            value = OPERATIONS[operation](value, other)  # type: ignore[assignment, arg-type]  # balls compute alike
        assert ball(symbolic).overlaps(value)
        if value > 0 or value < 0:
            assert sign(symbolic) == (1 if value > 0 else -1)
        else:
            assert sign(symbolic) == 0


def test_a_number_is_zero_only_where_it_is_zero_as_a_function() -> None:
    t = OddsExpression.odds(Fraction(1))
    assert t * t - 1 == (t - 1) * (t + 1)
    assert sign((t**2 - 1) / (t - 1) - t - 1) == 0
    assert (t - t).as_fraction() == 0
    assert t.as_fraction() is None
    assert ((1 / (t + 2)) / (2 / (t + 2))).as_fraction() == Fraction(1, 2)
    near = Fraction(271828182845904523536028747135266249775724709369995, 10**50)
    assert sign(t - near) == 1
    assert sign(near + Fraction(1, 10**50) - t) == 1


def test_signs_beyond_the_usual_precision_are_decided() -> None:
    """Truncating e after 6000 digits leaves a difference that 4096 bits do not show."""
    t = OddsExpression.odds(Fraction(1))
    lower, _ = enclose(t, 20_000)
    assert sign(t - lower) == 1
    assert sign(lower - t) == -1
    rational = OddsExpression.odds(Log(Fraction(6, 5)))
    assert sign(rational - Fraction(6, 5)) == 0
    assert sign(rational - Fraction(6, 5) - Fraction(1, 10**3000)) == -1


def test_other_odds_do_not_mix_and_zero_does_not_divide() -> None:
    one, two = OddsExpression.odds(Fraction(1)), OddsExpression.odds(Fraction(2))
    with pytest.raises(TypeError):
        one + two
    assert one < two
    assert (one == two) is False
    assert (one == "e") is False
    with pytest.raises(TypeError):
        hash(one)
    with pytest.raises(ZeroDivisionError):
        1 / (one - one)


@pytest.mark.parametrize("base", [Fraction(1), Log(Fraction(2)), divided_exponent(Log(Fraction(2)), 3)])
def test_numbers_survive_pickling(base: Fraction | Log | LogPart) -> None:
    t = OddsExpression.odds(base)
    value = (t**3 - Fraction(1, 3)) / (2 * t + 5)
    copy = pickle.loads(pickle.dumps(value))  # noqa: S301  # the test's own bytes
    assert (copy, copy.exponent) == (value, base)


@given(programs(), st.sampled_from([("2", 2), ("3", 3), ("4", 6), ("9/4", 4), ("6/5", 5)]))
def test_arithmetic_with_roots_of_rational_odds_agrees_with_enclosures(
    program: list[tuple[int, Fraction, int]], root: tuple[str, int]
) -> None:
    odds, parts = Fraction(root[0]), root[1]
    base = divided_exponent(Log(odds), parts)
    assert isinstance(base, LogPart)
    symbolic = run(program, OddsExpression.odds(base))
    assert isinstance(symbolic, OddsExpression)
    with working_precision(512):
        found = ball(symbolic)
    expected = 1 if found > 0 else -1 if found < 0 else 0
    assert symbolic.sign() == expected
    fraction = symbolic.as_fraction()
    assert fraction is None or found.overlaps(flint.arb(flint.fmpq(fraction.numerator, fraction.denominator)))


def test_a_root_of_rational_odds_is_the_number_that_it_solves() -> None:
    cube_root = OddsExpression.odds(divided_exponent(Log(Fraction(2)), 3))
    assert cube_root**3 == 2
    assert (cube_root**3).as_fraction() == 2
    assert (cube_root**2 - 1) * (cube_root**4 + cube_root**2 + 1) == 3
    assert (cube_root + cube_root**2).as_fraction() is None
    assert sign(cube_root**6 - 4) == 0


@pytest.mark.parametrize(
    ("argument", "parts", "shown"),
    [
        ("9/4", 2, "ln(3/2)"),
        ("4", 6, "ln(2)/3"),
        ("64", 12, "ln(2)/2"),
        ("6/5", 5, "ln(6/5)/5"),
        ("3", 1, "ln(3)"),
    ],
)
def test_rational_roots_are_taken_out_of_divided_logarithms(argument: str, parts: int, shown: str) -> None:
    assert str(divided_exponent(Log(Fraction(argument)), parts)) == shown
