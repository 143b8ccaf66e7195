# SPDX-License-Identifier: Apache-2.0
"""The traps that need a linear program to show: why a boundary must have one distribution per region.

The numbers are those of the page on errata and traps. The programs know nothing of the package: their
variables are the probabilities of two datasets between two fixed ones, their rows the constraints.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

from rainbowdp.distribution import Distribution, dominates
from rainbowdp.privacy import PureDP
from rainbowdp.rainbow import Rainbow

ODDS = 2
COLORS = 3
FIRST, LAST = ("1/8", "3/4", "1/8"), ("3/8", "1/4", "3/8")
# Variables: the colors of x, then those of y, on the path b - x - y - b'.
X, Y = (0, 1, 2), (3, 4, 5)


def numbers(texts: tuple[str, ...]) -> list[float]:
    return [float(Fraction(text)) for text in texts]


def maximum(objective: list[float], fixed: list[tuple[list[int], float]] | None = None) -> float:
    """Return the largest value of a sum of variables over all private mechanisms on the path."""
    rows, limits = [], []
    for ends, inner in ((numbers(FIRST), X), (numbers(LAST), Y)):
        for color in range(COLORS):
            row = np.zeros(6)
            row[inner[color]] = 1
            rows += [row, -row]
            limits += [ODDS * ends[color], -ends[color] / ODDS]
    for one, other in ((X, Y), (Y, X)):
        for color in range(COLORS):
            row = np.zeros(6)
            row[one[color]], row[other[color]] = 1, -ODDS
            rows.append(row)
            limits.append(0)
    equal = [[1.0, 1, 1, 0, 0, 0], [0, 0, 0, 1.0, 1, 1]]
    sums = [1.0, 1.0]
    for variables, value in fixed or []:
        equal.append([float(place in variables) for place in range(6)])
        sums.append(value)
    found = linprog(-np.array(objective), rows, limits, equal, sums, method="highs")
    assert found.fun is not None
    return -float(found.fun)


def weight(*variables: int) -> list[float]:
    return [float(place in variables) for place in range(6)]


def best_alone(dataset: tuple[int, ...]) -> tuple[float, float]:
    first = maximum(weight(dataset[0]))
    return first, maximum(weight(dataset[1]), [([dataset[0]], first)])


def test_each_dataset_alone_reaches_what_the_page_says() -> None:
    assert best_alone(X) == pytest.approx((1 / 4, 21 / 32))
    assert best_alone(Y) == pytest.approx((1 / 2, 5 / 16))


def test_a_different_boundary_on_each_side_may_leave_no_optimum() -> None:
    # Both first colors can be best at once, and then x cannot keep its best second color.
    assert maximum(weight(X[0], Y[0])) == pytest.approx(1 / 4 + 1 / 2)
    fixed = [([X[0]], 1 / 4), ([Y[0]], 1 / 2)]
    assert maximum(weight(X[1]), fixed) == pytest.approx(5 / 8)
    assert 5 / 8 < 21 / 32


def test_color_after_color_gives_what_the_page_says_and_does_not_dominate() -> None:
    fixed = [([X[0]], 1 / 4), ([Y[0]], 1 / 2)]
    assert maximum(weight(X[1], Y[1]), fixed) == pytest.approx(5 / 8 + 5 / 16)
    rainbow = Rainbow.parse("1>2>3")
    greedy = Distribution({"1": "1/4", "2": "5/8", "3": "1/8"})
    alone = Distribution({"1": "1/4", "2": "21/32", "3": "3/32"})
    assert not dominates(greedy, alone, rainbow)


def test_the_mechanism_found_color_after_color_is_private() -> None:
    x, y = {"1": "1/4", "2": "5/8", "3": "1/8"}, {"1": "1/2", "2": "5/16", "3": "3/16"}
    ends = [dict(zip("123", end, strict=True)) for end in (FIRST, LAST)]
    walk = [Distribution(each) for each in (ends[0], x, y, ends[1])]
    assert all(PureDP("ln 2").admits(p, q) for p, q in pairwise(walk))


@pytest.mark.parametrize("masses", [("1/8", "2/5"), ("3/5", "1/6"), ("1/10", "4/5")])
def test_with_two_colors_the_smaller_bound_is_private_also_with_an_epsilon_per_edge(
    masses: tuple[str, str],
) -> None:
    steps = [PureDP(epsilon) for epsilon in ("ln 3", "ln 2", "ln 4")]
    left, right = map(Fraction, masses)
    from_left, from_right = [left], [right]
    for step in steps:
        from_left.append(moved(step, from_left[-1]))
    for step in reversed(steps):
        from_right.append(moved(step, from_right[-1]))
    walk = [min(bounds) for bounds in zip(from_left, reversed(from_right), strict=True)]
    assert (walk[0], walk[-1]) == (left, right)
    for step, (one, other) in zip(steps, pairwise(walk), strict=True):
        assert step.admits(yes_no(one), yes_no(other))


def moved(step: PureDP, mass: Fraction) -> Fraction:
    found = step.propagate(mass)
    assert isinstance(found, Fraction)
    return found


def yes_no(mass: Fraction) -> Distribution:
    return Distribution({"yes": mass, "no": 1 - mass})
