# SPDX-License-Identifier: Apache-2.0
"""Rho of zero-concentrated privacy: figures worked out beforehand, and the greatest ratio found by numpy."""

import math
from fractions import Fraction

import numpy as np
import pytest

import rainbowdp as rdp
from rainbowdp.exact import to_float
from rainbowdp.goals import Asked, Goal, mechanism_of
from rainbowdp.goals.concentrated import Rho, rho_of, rho_of_privacy
from rainbowdp.line import Line
from rainbowdp.line.steps import Pair
from rainbowdp.questions import Question

ORDERS = 1 + np.concatenate(([1e-7], np.geomspace(1e-4, 1e5, 20_000)))
THREE = rdp.winner("c", ["a", "b", "c"])


def ratio(pair: Pair) -> float:
    """Return the greatest D_alpha/alpha of two distributions in both directions, on a fine grid of orders."""
    sides = np.array([[to_float(side[color], "nearest") for color in side] for side in pair])
    found = 0.0
    for p, q in (sides, sides[::-1]):
        losses = np.log(p / q)
        exponents = np.log(p) + (ORDERS[:, None] - 1) * losses
        top = exponents.max(axis=1)
        divergences = (top + np.log(np.exp(exponents - top[:, None]).sum(axis=1))) / (ORDERS - 1)
        found = max(found, float((divergences[1:] / ORDERS[1:]).max()), float((p * losses).sum()))
    return found


def rho(question: Question, epsilon: str, goal: Goal = "guarantee", rows: int = 1) -> Rho:
    found = rho_of(mechanism_of(Asked(question, rdp.PureDP(epsilon), "add-remove", rows), goal))
    assert found is not None
    return found


@pytest.mark.parametrize(("epsilon", "value"), [("1", 0.3943), ("1/2", 0.0982)])
def test_the_guarantee_for_three_options_has_the_figures_worked_out_beforehand(
    epsilon: str, value: float
) -> None:
    found = rho(THREE, epsilon)
    assert not found.is_bound
    assert round(found.value, 4) == value
    # The worst step is the one out of the tie at 1; at 1/2, as well.
    tie = rdp.Distribution({"a": "1/3", "b": "1/3", "c": "1/3"})
    line = Line("a>b=c", tie, rdp.PureDP(epsilon))
    assert ratio((tie, line.distribution(1))) == pytest.approx(found.value, rel=2e-6)


def test_the_max_min_line_of_three_regions_has_the_figures_worked_out_beforehand() -> None:
    # Where all three regions touch; at 1/2 the worst pair is an inner one, and not where two regions touch.
    for epsilon, at_boundary in (("1", True), ("1/2", False)):
        privacy = rdp.PureDP(epsilon)
        question = rdp.bracket("c", edges=[18, 65])
        mechanism = mechanism_of(Asked(question, privacy))
        pairs = mechanism.pairs()
        assert pairs is not None
        *inner, touching = map(ratio, pairs)
        assert (touching > max(inner)) == at_boundary
        found = rho(question, epsilon)
        assert found.value == pytest.approx(max(touching, *inner), rel=2e-6)
        if epsilon == "1":
            assert round(found.value, 3) == 0.364


QUESTIONS: list[tuple[Question, int]] = [
    (THREE, 1),
    (THREE, 3),
    (rdp.winner("c", [f"o{at}" for at in range(40)]), 1),
    (rdp.ranking("c", list("abcd")), 1),
    (rdp.yes_no("c", equals="x", at_least=5, false_yes="1/20"), 1),
    (rdp.level("c", equals="x", edges=[10, 200]), 1),
    (rdp.level("c", equals="x", share=True, edges=["1/7", "3/4", "4/5"]), 2),
]


@pytest.mark.parametrize("epsilon", ["ln 2", "1/4", "3"])
@pytest.mark.parametrize(("question", "rows"), QUESTIONS)
def test_rho_is_the_greatest_ratio_of_all_pairs_and_above_it(
    question: Question, rows: int, epsilon: str
) -> None:
    found = rho(question, epsilon, rows=rows)
    mechanism = mechanism_of(Asked(question, rdp.PureDP(epsilon), "add-remove", rows), "guarantee")
    pairs = mechanism.pairs()
    assert pairs is not None
    right = max(map(ratio, pairs))
    assert not found.is_bound
    assert right * (1 - 1e-9) <= found.value <= right * (1 + 2e-5)
    bound = rho_of_privacy(mechanism.charged)
    assert bound is not None
    assert found.value <= bound.value


def test_randomized_response_of_two_answers_meets_the_bound() -> None:
    for epsilon in ("1/100", "1/2", "2", "10"):
        size = float(Fraction(epsilon))
        bound = rho_of_privacy(rdp.PureDP(epsilon))
        assert bound is not None
        assert bound.is_bound
        assert bound.value == pytest.approx(size * math.tanh(size / 2), rel=2e-5)
        yes_no = rho(rdp.yes_no("c", equals="x", at_least=5), epsilon)
        assert yes_no.value == pytest.approx(bound.value, rel=2e-5)


def test_delta_leaves_no_rho() -> None:
    assert rho_of_privacy(rdp.ApproxDP(1, "1e-9")) is None
    assert rho_of(mechanism_of(Asked(THREE, rdp.ApproxDP(1, "1e-9")), "guarantee")) is None
    assert rho_of(mechanism_of(Asked(THREE, rdp.ApproxDP(1, 0)), "guarantee")) == rho(THREE, "1")


@pytest.mark.parametrize(
    ("mu", "value"), [("1", 0.5), ("1/2", 0.125), ("0", 0.0), ("ln 3", math.log(3) ** 2 / 2)]
)
@pytest.mark.parametrize("goal", ["typical", "guarantee"])
def test_gaussian_privacy_has_half_its_square(mu: str, value: float, goal: Goal) -> None:
    found = rho_of(mechanism_of(Asked(THREE, rdp.GaussianDP(mu)), goal))
    assert found is not None
    assert not found.is_bound
    assert found.value == pytest.approx(value, rel=1e-5)
    assert found.value >= value * (1 - 1e-15)
