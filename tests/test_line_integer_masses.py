# SPDX-License-Identifier: Apache-2.0
"""Cumulative masses along lines as integers: they enclose the true ones, on every line at every distance."""

from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from line_cases import color_ball, normal_lines, odds_lines
from rainbowdp.distribution import Distribution
from rainbowdp.line import Line
from rainbowdp.line.integer_masses import MassTable, _product
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow

LARGEST = 2**53
DISTANCES = st.one_of(st.integers(0, 60), st.integers(0, 2000), st.integers(0, LARGEST))


def assert_enclosed(line: Line, table: MassTable, distances: Sequence[int]) -> None:
    """Require the oracle's cumulative masses between the bounds, which are close to each other."""
    lower, slack = table.lower_bounds(line, np.array(distances))
    colors = line.rainbow.colors
    assert lower.shape == (len(colors) - 1, len(distances))
    assert slack <= 200 * len(colors)
    with flint.ctx.workprec(1600):
        for place, distance in enumerate(distances):
            total = flint.arb(0)
            for at, color in enumerate(colors[:-1]):
                total += color_ball(line, color, distance)
                assert total.is_finite()
                assert total.rad() < 1e-30
                bound = int(lower[at, place]) * flint.arb(2) ** -64
                assert total - bound > -1e-30, (color, distance)
                assert total - bound < slack * flint.arb(2) ** -64, (color, distance)


@given(st.one_of(odds_lines(), normal_lines()), st.lists(DISTANCES, min_size=1, max_size=5))
def test_integers_enclose_the_masses(
    drawn: tuple[Rainbow, Distribution, Privacy], distances: list[int]
) -> None:
    line = Line(*drawn)
    near = {t + step for t in line.thresholds if t is not None for step in (-1, 0, 1, 2, 30)}
    around = [*distances, *sorted(d for d in near if 0 <= d <= LARGEST)]
    assert_enclosed(line, MassTable(line.privacy), around)


@pytest.mark.parametrize(
    "privacy",
    [PureDP("1/50"), PureDP("1e-6"), ApproxDP("1/100", "1e-5"), ApproxDP(0, "1/300"), GaussianDP("1/100")],
    ids=str,
)
def test_one_table_serves_long_stretches_of_several_lines(privacy: Privacy) -> None:
    """Many distances and lines share enclosures; each one comes out as it does alone, but for the error."""
    boundary = Distribution({"a": "1/1000", "b": "1/7", "c": "1/20", "d": "5643/7000"})
    table, many = MassTable(privacy), np.arange(0, 3000, 7)
    for text in ("c>a=d>b", "b>a>c=d"):
        line = Line(text, boundary, privacy)
        lower, slack = table.lower_bounds(line, many)
        assert_enclosed(line, table, many[::80].tolist())
        for place in range(0, many.size, 80):
            alone, _ = MassTable(privacy).lower_bounds(line, many[place : place + 1])
            for one, other in zip(lower[:, place].tolist(), alone[:, 0].tolist(), strict=True):
                assert abs(one - other) < slack


@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=20), st.lists(st.integers(0, 2**62), min_size=1))
def test_products_are_too_small_by_less_than_two_units(first: list[int], second: list[int]) -> None:
    first, second = [*first, 2**62, 2**62 - 1, 2**31], [*second, 2**62, 2**62 - 1, 2**31 - 1]
    for factor in second:
        for one, product in zip(first, _product(np.array(first), np.int64(factor)).tolist(), strict=True):
            assert product <= Fraction(one * factor, 2**62) < product + 2
