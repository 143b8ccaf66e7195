# SPDX-License-Identifier: Apache-2.0
"""Normal numbers against scipy and by their form; the precision in force is of one thread, and put back."""

import itertools
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import flint
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm

import rainbowdp
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import (
    Log,
    NormalExpression,
    enclose,
    normal_cdf,
    normal_quantile,
    sign,
    to_float,
    working_precision,
)
from rainbowdp.privacy import GaussianDP, PureDP

masses = st.fractions(Fraction(1, 10**6), 1 - Fraction(1, 10**6), max_denominator=10**6)
shifts = st.fractions(-6, 6, max_denominator=8)


@given(masses, shifts, st.sampled_from([Fraction(1), Fraction(1, 3), Log(Fraction(2))]))
@example(Fraction(1, 10**300), Fraction(1), Fraction(1))
def test_values_agree_with_scipy(mass: Fraction, shift: Fraction, mu: Fraction | Log) -> None:
    value = NormalExpression.shifted(mass, shift, mu)
    size = 0.6931471805599453 if isinstance(mu, Log) else float(mu)
    expected = float(norm.cdf(norm.ppf(float(mass)) + float(shift) * size))
    assert to_float(value, "nearest") == pytest.approx(expected, rel=1e-9, abs=0 if shift > 0 else 1e-15)


@given(masses, shifts, shifts)
def test_equal_by_construction(mass: Fraction, shift: Fraction, steps: Fraction) -> None:
    one = Fraction(1)
    value = NormalExpression.shifted(mass, shift, one)
    assert value - value == 0
    assert 1 - value == NormalExpression.shifted(1 - mass, -shift, one)
    moved = value.moved(steps)
    assert moved is not None
    assert moved == NormalExpression.shifted(mass, shift + steps, one)
    back = moved.moved(-steps)
    assert back is not None
    assert back == value
    assert value / 3 * 3 == value


def test_equality_without_a_form_is_reported() -> None:
    """An enclosing fraction of 5000 bits is another number, but 4096 bits do not show it."""
    left = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(1))
    lower, _ = enclose(left, 5000)
    with pytest.raises(UndecidedError, match="4096 bits"):
        sign(left - lower)
    assert sign(left - Fraction(1, 2)) == 1


@given(st.floats(-30, 30))
def test_quantile_inverts_the_distribution_function(z: float) -> None:
    with flint.ctx.workprec(2000):
        there = normal_cdf(flint.arb(z))
        assert normal_quantile(there).overlaps(flint.arb(z))
        assert there.rel_accuracy_bits() > 1000 or z > 0


def test_numbers_of_other_mu_do_not_mix() -> None:
    one = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(1))
    two = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(2))
    with pytest.raises(TypeError):
        one + two
    with pytest.raises(TypeError):
        one * one
    assert "Phi(Phi^-1(1/4) + 1 mu)" in repr(one)


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Let threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_the_precision_is_put_back_whatever_happens() -> None:
    before = flint.ctx.prec
    with pytest.raises(ZeroDivisionError), working_precision(300):
        raise ZeroDivisionError(flint.ctx.prec)
    assert flint.ctx.prec == before
    with working_precision(300):
        with working_precision(100):
            assert flint.ctx.prec == 100
        assert flint.ctx.prec == 300
    assert flint.ctx.prec == before


def test_threads_that_compute_at_once_get_what_one_gets(impatient_threads: None) -> None:  # noqa: ARG001 - a fixture
    mass = GaussianDP(1).propagate(Fraction(1, 3))
    assert isinstance(mass, NormalExpression)
    near = enclose(mass, 1900)[1] + Fraction(1, 2**1900)

    def far() -> object:
        # More than 1900 bits are needed, and another thread's 128 would leave the sign undecided.
        return sign(mass - near), sign(near - mass)

    def quick() -> object:
        return to_float(mass, "nearest"), enclose(mass, 40), PureDP(1).threshold(Fraction(1, 10**6))

    tasks = list(itertools.islice(itertools.cycle([far, quick, quick]), 90))
    expected, before = [task() for task in tasks], flint.ctx.prec
    assert expected[0] == (-1, 1)
    with ThreadPoolExecutor(max_workers=6) as pool:
        found = list(pool.map(lambda task: task(), tasks))
    assert found == expected
    assert flint.ctx.prec == before


def test_nothing_else_sets_the_precision() -> None:
    root = Path(rainbowdp.__file__).parent
    setting = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if "workprec" in (text := path.read_text(encoding="utf-8")) or "ctx.prec =" in text
    ]
    assert setting == ["exact/real.py"]
