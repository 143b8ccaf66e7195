# SPDX-License-Identifier: Apache-2.0
"""The greatest of noisy counts: against sums over all noise, in fractions and in decimals of sixty digits."""

import decimal
import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

import flint
import pytest

from rainbowdp.baselines import noisy_counts_wrong
from rainbowdp.exact import Exponent, Log, OddsExpression, ball, enclose, enclose_with
from rainbowdp.exact.values import EnclosedNumber, Value, odds_root

Number = TypeVar("Number", Fraction, Decimal)
RIVALS = (1, 2, 3, 10)
STEPS = (0, 1, 2, 7)


def wrong_by_summing(ratio: Number, steps: int, rivals: int, size: int) -> Number:
    """Add up how often a rival is named, over all noise of the best option up to a size."""
    one = ratio / ratio

    def at_most(level: int) -> Number:
        return one - ratio ** (level + 1) / (one + ratio) if level >= 0 else ratio**-level / (one + ratio)

    total = one - one
    for noise in range(-size, size + 1):
        level = noise + steps
        tie = at_most(level) - at_most(level - 1)
        right = sum(
            (
                math.comb(rivals, tied) * tie**tied * at_most(level - 1) ** (rivals - tied) / (tied + 1)
                for tied in range(rivals + 1)
            ),
            one - one,
        )
        total += (at_most(noise) - at_most(noise - 1)) * (one - right)
    return total


def enclosed(value: Value, bits: int = 200) -> tuple[Fraction, Fraction]:
    return enclose_with(value.evaluate, bits) if isinstance(value, EnclosedNumber) else enclose(value, bits)


@pytest.mark.parametrize(("rivals", "steps"), list(itertools.product(RIVALS, STEPS)))
@pytest.mark.parametrize("odds", [Fraction(2), Fraction(3, 2), Fraction(12)])
def test_rational_odds_agree_with_a_sum_of_fractions(odds: Fraction, rivals: int, steps: int) -> None:
    size = 90
    found = noisy_counts_wrong(odds_root(Log(odds), 1), steps, rivals)
    expected = wrong_by_summing(1 / odds, steps, rivals, size)
    lower, upper = enclosed(found)
    # What the sum leaves out is positive and below the chance of noise beyond the size.
    assert upper >= expected
    assert lower <= expected + 2 / odds**size
    assert isinstance(found, Fraction if steps == 0 or rivals == 1 else EnclosedNumber)


@pytest.mark.parametrize(("rivals", "steps"), list(itertools.product(RIVALS, STEPS)))
@pytest.mark.parametrize(
    ("epsilon", "parts", "size"),
    [(Fraction(1), 1, 60), (Fraction(1, 2), 3, 360), (Log(Fraction(2)), 2, 180), (Fraction(9), 1, 8)],
)
def test_irrational_odds_agree_with_a_sum_of_decimals(
    epsilon: Exponent, parts: int, size: int, rivals: int, steps: int
) -> None:
    with decimal.localcontext(prec=60):
        rate = (
            Decimal(epsilon.argument.numerator).ln()
            if isinstance(epsilon, Log)
            else Decimal(epsilon.numerator) / epsilon.denominator
        )
        expected = Fraction(wrong_by_summing((-rate / parts).exp(), steps, rivals, size))
    lower, upper = enclosed(noisy_counts_wrong(odds_root(epsilon, parts), steps, rivals))
    assert abs((lower + upper) / 2 - expected) < Fraction(1, 10**24)


def test_one_rival_is_a_rational_function_of_the_root() -> None:
    root = odds_root(Fraction(1), 1)
    wrong = noisy_counts_wrong(root, 2, 1)
    assert isinstance(wrong, OddsExpression)
    assert wrong == (3 * root - 1) / (2 * root**2 * (root + 1))
    assert noisy_counts_wrong(odds_root(Log(Fraction(2)), 2), 2, 1) != Fraction(1, 4)
    hidden = noisy_counts_wrong(EnclosedNumber(lambda: ball(2)), 3, 1)
    assert isinstance(hidden, EnclosedNumber)
    assert enclosed(hidden)[0] <= Fraction(1, 8) <= enclosed(hidden)[1]


@pytest.mark.parametrize("rivals", [*RIVALS, 1023])
def test_at_a_tie_and_without_privacy_loss_all_are_equally_likely(rivals: int) -> None:
    assert noisy_counts_wrong(odds_root(Fraction(1), 1), 0, rivals) == Fraction(rivals, rivals + 1)
    assert noisy_counts_wrong(Fraction(1), 5, rivals) == Fraction(rivals, rivals + 1)


@pytest.mark.parametrize("rivals", [1, 2, 10, 200])
def test_a_larger_gap_is_wrong_less_often_and_more_rivals_are_more_often(rivals: int) -> None:
    root = odds_root(Fraction(1, 3), 1)
    chances = [enclosed(noisy_counts_wrong(root, steps, rivals)) for steps in range(9)]
    assert all(after[1] < before[0] for before, after in itertools.pairwise(chances))
    assert (
        enclosed(noisy_counts_wrong(root, 4, rivals))[1]
        < enclosed(noisy_counts_wrong(root, 4, rivals + 1))[0]
    )


def test_a_root_that_is_known_by_enclosures_or_as_a_fraction_gives_the_same() -> None:
    makers: list[Callable[[], Value]] = [
        lambda: noisy_counts_wrong(EnclosedNumber(lambda: ball(Fraction(2))), 3, 5),
        lambda: noisy_counts_wrong(Fraction(2), 3, 5),
        lambda: noisy_counts_wrong(odds_root(Log(Fraction(2)), 1), 3, 5),
    ]
    found = [enclosed(make()) for make in makers]
    assert max(lower for lower, _ in found) <= min(upper for _, upper in found)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Log(Fraction(2))])
def test_a_thousand_rivals_are_enclosed_at_once(epsilon: Exponent) -> None:
    asked, root = 0, odds_root(epsilon, 1)
    value = noisy_counts_wrong(root, 20, 1023)
    assert isinstance(value, EnclosedNumber)

    def evaluate() -> flint.arb:
        nonlocal asked
        asked += 1
        return value.evaluate()

    lower, upper = enclose_with(evaluate, 60)
    assert asked == 1
    assert Fraction(0) < lower <= upper < Fraction(1023, 1024)


def test_a_small_chance_keeps_its_digits() -> None:
    value = noisy_counts_wrong(odds_root(Fraction(1), 1), 5000, 30)
    assert isinstance(value, EnclosedNumber)
    assert value.evaluate().rel_accuracy_bits() > 40
    # So far away, no two rivals are above the best option at once.
    ratio = value / noisy_counts_wrong(odds_root(Fraction(1), 1), 5000, 1)
    assert Fraction(299, 10) < ratio < 30
