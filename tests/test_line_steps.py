# SPDX-License-Identifier: Apache-2.0
"""The inverse of the closed form: the least distance at which the best class reaches a wanted probability."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from line_cases import iterate, rational_notions
from rainbowdp.distribution import Distribution
from rainbowdp.exact import NormalExpression, sign
from rainbowdp.line import Line
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow

YES_NO = Rainbow.parse("yes>no")


def line(mass: Fraction | str, privacy: Privacy) -> Line:
    return Line(YES_NO, Distribution({"yes": mass, "no": 1 - Fraction(mass)}), privacy)


@given(
    rational_notions,
    st.fractions(0, 1, max_denominator=200),
    st.one_of(st.sampled_from([Fraction(1), Fraction(1, 2)]), st.fractions(0, 1, max_denominator=1000)),
)
def test_least_distance_equals_a_search_step_by_step(
    privacy: ApproxDP, mass: Fraction, wanted: Fraction
) -> None:
    odds = privacy.odds
    assert isinstance(odds, Fraction)
    found = line(mass, privacy).distance_for(wanted)
    current, steps = [mass], 0
    while current[0] < wanted and steps < 150:
        current, steps = iterate(current, odds, privacy.delta, 1), steps + 1
    if current[0] >= wanted:
        assert found == steps
    else:
        assert found is None or found > 150


@given(
    rational_notions,
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
    st.integers(1, 30),
)
def test_a_probability_that_is_met_exactly_is_reached_there(
    privacy: ApproxDP, mass: Fraction, distance: int
) -> None:
    here = line(mass, privacy)
    met, before = here.distribution(distance)["yes"], here.distribution(distance - 1)["yes"]
    assert isinstance(met, Fraction)
    assert isinstance(before, Fraction)
    assert here.distance_for(met) == (distance if before != met else here.distance_for(before))
    if met < 1:
        above = here.distance_for(met + (1 - met) / 10**60)
        assert above is None or above > distance


@pytest.mark.parametrize(
    ("mass", "privacy", "wanted"),
    [
        ("1/2", PureDP("1e-9"), "0.99"),
        ("1e-300", PureDP("1e-12"), "1/3"),
        ("1/4", PureDP("ln(1000000001/1000000000)"), "0.999"),
        ("0", ApproxDP("1e-9", "1e-15"), "0.9"),
        ("0", ApproxDP("0", "1e-18"), "1/3"),
        ("1/4", ApproxDP("1e-20", "1e-30"), "1"),
        ("1/4", GaussianDP("1e-10"), "0.999"),
        ("1e-100", GaussianDP("1e-25"), "1/7"),
    ],
)
def test_huge_answers_are_exact(mass: str, privacy: Privacy, wanted: str) -> None:
    here = line(mass, privacy)
    found = here.distance_for(wanted)
    assert found is not None
    assert found > 10**8
    target = Fraction(wanted)
    assert sign(here.prefix_masses(found, symbolic=True)[0] - target) >= 0
    assert sign(here.prefix_masses(found - 1, symbolic=True)[0] - target) < 0


@pytest.mark.parametrize(
    ("mass", "privacy", "wanted"),
    [
        ("0", PureDP(1), "1/2"),
        ("1/2", PureDP(1), "1"),
        ("1/2", PureDP(0), "0.6"),
        ("1/2", ApproxDP("1", "0"), "1"),
        ("1/2", ApproxDP("0", "0"), "0.6"),
        ("1/2", GaussianDP(0), "0.6"),
        ("0", GaussianDP(1), "1e-9"),
        ("1/2", GaussianDP(1), "1"),
    ],
)
def test_never(mass: str, privacy: Privacy, wanted: str) -> None:
    assert line(mass, privacy).distance_for(wanted) is None


def test_gaussian_equality_by_form_is_decided() -> None:
    below = NormalExpression.shifted(Fraction(1, 2), Fraction(-1), Fraction(1))
    here = Line(YES_NO, Distribution({"yes": below, "no": 1 - below}), GaussianDP(1))
    assert here.distance_for("1/2") == 1
    quarter = NormalExpression.shifted(Fraction(1, 4), Fraction(2), Fraction(1))
    there = Line(YES_NO, Distribution({"yes": 1 - quarter, "no": quarter}), GaussianDP(1))
    assert there.distance_for("3/4") == 2
