# SPDX-License-Identifier: Apache-2.0
"""Amounts and costs, against decimals of 60 digits and against what is known by hand."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.errors import PrivacyParameterError, UsageError
from rainbowdp.ledger import Amount, Cost
from rainbowdp.ledger.cost import rounded
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP

AMOUNTS = st.builds(
    Amount,
    st.fractions(-3, 3, max_denominator=100),
    st.fractions(Fraction(1, 50), 50, max_denominator=50).filter(bool),
)
TINY = Fraction(1, 10**50)


def decimal_of(amount: Amount) -> Fraction:
    """Return an amount to 60 digits, by the standard library's logarithm."""
    with localcontext() as context:
        context.prec = 70
        argument = Decimal(amount.argument.numerator) / Decimal(amount.argument.denominator)
        return amount.rational + Fraction(argument.ln())


@given(AMOUNTS, AMOUNTS)
def test_amounts_compare_as_their_decimals_do(a: Amount, b: Amount) -> None:
    difference = decimal_of(a) - decimal_of(b)
    # Numbers of these sizes that differ at all differ by far more than this.
    assert (a <= b) == (difference <= TINY)
    assert (a == b) == (abs(difference) <= TINY)
    assert (a - b).sign() == (0 if abs(difference) <= TINY else 1 if difference > 0 else -1)


@given(AMOUNTS, AMOUNTS, st.integers(0, 20))
def test_amounts_add_as_their_decimals_do(a: Amount, b: Amount, number: int) -> None:
    assert abs(decimal_of(a + b) - decimal_of(a) - decimal_of(b)) < TINY
    assert abs(decimal_of(a.times(number)) - number * decimal_of(a)) < TINY
    assert a + b - b == a


@given(AMOUNTS.filter(lambda amount: amount.sign() > 0))
def test_decimals_are_rounded_in_their_direction(amount: Amount) -> None:
    below, above = (Decimal(rounded(amount.ball, upward=upward)) for upward in (False, True))
    assert Fraction(below) <= decimal_of(amount) <= Fraction(above)
    assert above - below <= 10 ** Decimal(below.adjusted() - 4)


def test_minute_amounts_have_bounds() -> None:
    for exponent in (5_000, 100_000):
        amount = Amount(Fraction(1, 2**exponent))
        below, above = (Fraction(Decimal(rounded(amount.ball, upward=upward))) for upward in (False, True))
        assert 0 <= below <= amount.rational <= above


def test_a_close_call_is_decided() -> None:
    with localcontext() as context:
        context.prec = 400
        digits = Fraction(Decimal(2).ln())
    tiny = Fraction(1, 10**399)
    assert Amount(digits - tiny) <= Amount.of("ln 2")
    assert not Amount(digits + tiny) <= Amount.of("ln 2")


def test_amounts_say_what_they_are() -> None:
    log = Amount.of("ln 2")
    texts = {
        "0": Amount(),
        "1/3": Amount.of("1/3"),
        "2.5": Amount.of("2.50"),
        "ln(2)": log,
        "-ln(2)": Amount() - log,
    }
    texts |= {"3 - ln(6/5)": Amount.of(3) - Amount.of("ln(6/5)"), "1 + ln(2)": log + Amount.of(1)}
    assert {text: str(amount) for text, amount in texts.items()} == dict(zip(texts, texts, strict=True))


def test_a_cost_is_what_a_notion_of_privacy_costs() -> None:
    assert Cost.of(PureDP("ln 2")) == Cost(Amount.of("ln 2"))
    assert Cost.of(ApproxDP(1, "1e-6")) == Cost(Amount.of(1), Fraction(1, 10**6))
    assert Cost.of(ApproxDP(1, 0)).kind == "pure"
    assert Cost.of(GaussianDP("3/2")).mu_squared == Fraction(9, 4)
    assert Cost.gaussian(0).kind == "gaussian"


def test_which_kind_pays_for_which() -> None:
    costs = (Cost.of(PureDP(1)), Cost.of(ApproxDP(1, "1e-6")), Cost.gaussian(1))
    pays = {(a.kind, b.kind): a.pays_from(b.kind) for a, b in product(costs, costs)}
    allowed = {(kind, kind) for kind in ("pure", "approximate", "gaussian")} | {("pure", "approximate")}
    assert {pair for pair, paid in pays.items() if paid} == allowed


def test_costs_below_zero_or_of_two_kinds_are_refused() -> None:
    wrong_parts: tuple[dict[str, Any], ...] = (
        {"epsilon": Amount.of("-1")},
        {"epsilon": Amount.of("ln(1/2)")},
        {"delta": Fraction(-1)},
        {"mu_squared": Fraction(-1)},
        {"epsilon": Amount.of(1), "mu_squared": Fraction(1)},
        {"delta": Fraction(1), "mu_squared": Fraction(1)},
    )
    for parts in wrong_parts:
        with pytest.raises(PrivacyParameterError):
            Cost(**parts)
    with pytest.raises(PrivacyParameterError, match=r"mu=ln\(3\) cannot be charged"):
        Cost.gaussian("ln 3")
    with pytest.raises(PrivacyParameterError, match=r"mu=ln\(3\) cannot be charged"):
        Cost.of(GaussianDP("ln 3"))
    with pytest.raises(UsageError):
        Cost().times(-1)
    with pytest.raises(UsageError, match="do not add up"):
        Cost() + Cost.gaussian(1)
    with pytest.raises(UsageError, match="do not add up"):
        Cost().within(Cost.gaussian(1))


@given(st.fractions(0, 3, max_denominator=30), st.fractions(0, 3, max_denominator=30), st.integers(0, 9))
def test_gaussian_costs_add_as_squares_do(a: Fraction, b: Fraction, number: int) -> None:
    assert (Cost.gaussian(a) + Cost.gaussian(b)).mu_squared == a**2 + b**2
    assert Cost.gaussian(a).times(number).mu_squared == a**2 * number
    assert Cost.gaussian(a).within(Cost.gaussian(b)) == (a <= b)
    (part,) = Cost.gaussian(a).parts()
    shown = Fraction(part.exact) if a and "/" not in part.exact else a
    assert shown == a
