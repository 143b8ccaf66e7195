# SPDX-License-Identifier: Apache-2.0
"""Cumulative masses along lines as integers: they enclose the true ones, on every line at every distance."""

from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from line_cases import class_ball, normal_lines, odds_lines
from rainbowdp.distribution import Distribution
from rainbowdp.exact import ball
from rainbowdp.line import Line
from rainbowdp.line.integer_masses import MassTable, _product
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow

UNIT = Fraction(1, 2**64)
LARGEST = 2**53
DISTANCES = st.one_of(st.integers(0, 60), st.integers(0, 2000), st.integers(0, LARGEST))


def shares(line: Line, color: str) -> flint.arb:
    """Return a color's part of its class, apart from the code under test."""
    group = line.rainbow.classes[line.rainbow.class_of(color)]
    whole = ball(line.boundary.mass(group))
    return flint.arb(1) / len(group) if whole == 0 else ball(line.boundary[color]) / whole


def assert_enclosed(line: Line, distances: list[int]) -> None:
    """Require the oracle's cumulative masses between the bounds, which are close to each other."""
    lower, slack = MassTable(line.privacy).lower_bounds(line, np.array(distances))
    colors = line.rainbow.colors
    assert lower.shape == (len(colors) - 1, len(distances))
    assert slack <= 200 * len(colors)
    for place, distance in enumerate(distances):
        with flint.ctx.workprec(1600):
            total = flint.arb(0)
            for at, color in enumerate(colors[:-1]):
                index = line.rainbow.class_of(color)
                mass = class_ball(line.rainbow, line.boundary, line.privacy, index, distance)
                total += mass * shares(line, color)
                assert total.is_finite()
                assert total.rad() < 1e-30
                bound = int(lower[at, place]) * flint.arb(2) ** -64
                assert total - bound > -1e-30, (color, distance)
                assert total - bound < slack * flint.arb(2) ** -64, (color, distance)


@given(odds_lines(), st.lists(DISTANCES, min_size=1, max_size=5))
def test_lines_under_pure_and_approximate_privacy(
    drawn: tuple[Rainbow, Distribution, PureDP | ApproxDP], distances: list[int]
) -> None:
    line = Line(*drawn)
    near = {t + step for t in line.thresholds if t is not None for step in (-1, 0, 1, 2, 30)}
    assert_enclosed(line, [*distances, *sorted(d for d in near if 0 <= d <= LARGEST)])


@given(normal_lines(), st.lists(DISTANCES, min_size=1, max_size=5))
def test_lines_under_gaussian_privacy(
    drawn: tuple[Rainbow, Distribution, GaussianDP], distances: list[int]
) -> None:
    assert_enclosed(Line(*drawn), distances)


@pytest.mark.parametrize(
    "privacy",
    [PureDP("1/50"), PureDP("1e-6"), ApproxDP("1/100", "1e-5"), ApproxDP(0, "1/300"), GaussianDP("1/100")],
    ids=str,
)
def test_long_stretches_agree_with_single_distances(privacy: Privacy) -> None:
    """Many distances share enclosures; each one must come out as it does alone, but for the error."""
    boundary = Distribution({"a": "1/1000", "b": "1/7", "c": "1/20", "d": "5643/7000"})
    line = Line("c>a=d>b", boundary, privacy)
    many = np.arange(0, 3000, 7)
    lower, slack = MassTable(privacy).lower_bounds(line, many)
    for place in range(0, many.size, 40):
        alone, _ = MassTable(privacy).lower_bounds(line, many[place : place + 1])
        for one, other in zip(lower[:, place].tolist(), alone[:, 0].tolist(), strict=True):
            assert abs(one - other) < slack


def test_tables_serve_several_lines() -> None:
    privacy = PureDP("ln 2")
    table = MassTable(privacy)
    for text in ("a>b>c", "c>a>b", "b>a=c"):
        line = Line(text, {"a": "1/3", "b": "1/3", "c": "1/3"}, privacy)
        lower, slack = table.lower_bounds(line, np.arange(50))
        for distance in range(50):
            mass = Fraction(0)
            for place, color in enumerate("ab"):
                probability = line.distribution(distance)[color]
                assert isinstance(probability, Fraction)
                mass += probability
                assert 0 <= mass - int(lower[place, distance]) * UNIT < slack * UNIT


@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=20), st.lists(st.integers(0, 2**62), min_size=1))
def test_products_are_too_small_by_less_than_two_units(first: list[int], second: list[int]) -> None:
    first, second = [*first, 2**62, 2**62 - 1, 2**31], [*second, 2**62, 2**62 - 1, 2**31 - 1]
    for factor in second:
        for one, product in zip(first, _product(np.array(first), np.int64(factor)).tolist(), strict=True):
            assert product <= Fraction(one * factor, 2**62) < product + 2
