# SPDX-License-Identifier: Apache-2.0
"""Answers paid from diffprivlib's accountants: beside its own mechanisms, never too cheap, never unpaid."""

import math
from collections.abc import Iterator
from fractions import Fraction

import flint
import pytest
from diffprivlib import BudgetAccountant, tools
from diffprivlib.utils import BudgetError

from rainbowdp import ApproxDP, Distribution, GaussianDP, PureDP
from rainbowdp.errors import UsageError
from rainbowdp.exact import working_precision
from rainbowdp.interop import gaussian_epsilon
from rainbowdp.interop.diffprivlib import pay, price, release
from rainbowdp.sampling import sample_distribution

COIN = Distribution({"yes": "2/3", "no": "1/3"})


@pytest.fixture(autouse=True)
def no_default_accountant() -> Iterator[None]:
    """Give every test a world without a default accountant, and leave one behind."""
    before = BudgetAccountant.pop_default()
    yield
    BudgetAccountant.pop_default()
    if before is not None:
        before.set_default()


def flip() -> str:
    return sample_distribution(COIN)[0]


def test_prices_are_the_least_floats_above() -> None:
    for odds in (2, 3, 10):
        epsilon, delta = price(ApproxDP(f"ln {odds}", "1e-6"))
        assert math.nextafter(delta, 0) < Fraction(1, 10**6) <= Fraction(delta)
        with working_precision(300):
            assert flint.arb(math.nextafter(epsilon, 0)) < flint.arb(odds).log() < flint.arb(epsilon)
    half = GaussianDP("1/2")
    epsilon, delta = price(half, delta="1e-5")
    assert epsilon == gaussian_epsilon(half, "1e-5")
    assert math.nextafter(delta, 0) < Fraction(1, 10**5) <= Fraction(delta)


def test_an_answer_is_paid_by_the_default_accountant_and_by_the_one_in_charge() -> None:
    default = BudgetAccountant().set_default()
    with BudgetAccountant(epsilon=1.0, delta=0) as inner:
        assert pay(PureDP("1/4")) is inner
    assert pay(PureDP("1/2")) is default
    assert (inner.spent_budget, default.spent_budget) == ([(0.25, 0.0)], [(0.5, 0.0)])
    BudgetAccountant.pop_default()
    assert pay(PureDP("1/2")) is BudgetAccountant.load_default(None)


def test_both_libraries_pay_from_one_budget() -> None:
    accountant = BudgetAccountant(epsilon=1.0, delta=0)
    tools.mean([0.25, 0.5, 0.75], epsilon=0.5, bounds=(0, 1), accountant=accountant)
    release(flip, PureDP("1/2"), accountant)
    assert accountant.spent_budget == [(0.5, 0), (0.5, 0.0)]
    with pytest.raises(BudgetError):
        tools.mean([0.25, 0.5, 0.75], epsilon=0.5, bounds=(0, 1), accountant=accountant)


def test_a_refused_answer_is_not_drawn_and_not_charged() -> None:
    accountant = BudgetAccountant(epsilon=1.0, delta=0)
    answers = iter([flip()])
    release(answers.__next__, PureDP("3/4"), accountant)
    for privacy in (PureDP("1/2"), ApproxDP("1/8", "1e-6")):
        with pytest.raises(BudgetError):
            release(answers.__next__, privacy, accountant)
    assert accountant.spent_budget == [(0.75, 0.0)]


def test_an_answer_that_fails_was_paid_for() -> None:
    accountant = BudgetAccountant(epsilon=1.0, delta=0)
    with pytest.raises(StopIteration):
        release(iter(()).__next__, PureDP("1/2"), accountant)
    assert accountant.spent_budget == [(0.5, 0.0)]


def test_perfect_privacy_costs_nothing() -> None:
    accountant = BudgetAccountant(epsilon=1.0, delta=0)
    for privacy in (PureDP(0), ApproxDP(0, 0)):
        assert pay(privacy, accountant) is accountant
    assert accountant.spent_budget == []
    pay(GaussianDP(0), BudgetAccountant(epsilon=1.0, delta=1e-3), delta="1/1024")


def test_a_price_without_its_delta_or_with_one_too_many_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be charged mu=1 as it is"):
        price(GaussianDP(1))
    with pytest.raises(UsageError, match="a delta was given"):
        price(PureDP(1), delta="1e-6")
    with pytest.raises(UsageError, match="`accountant` must be a BudgetAccountant"):
        pay(PureDP(1), "mine")
