# SPDX-License-Identifier: Apache-2.0
"""The tester tested: the claimed rates by exact binomial tails, and wrong samplers that must fail."""

import math
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from sampler_checks import CAUGHT, DRAWS, FALSE_ALARM, MISS, Plan, count_colors, passes, plan, total_variation

IDEALS = {
    "two even": [0.5, 0.5],
    "two uneven": [0.03, 0.97],
    "three": [3 / 55, 9 / 55, 43 / 55],
    "one rare": [0.98, 0.01, 0.01],
    "one never": [0.25, 0.0, 0.75],
    "five even": [0.2] * 5,
    "five uneven": [0.9, 0.05, 0.03, 0.015, 0.005],
    "twenty five": [1 / 25] * 25,
}
RUNS = 2000


def wrong_by(ideal: list[float], amount: float) -> Iterator[tuple[str, list[float]]]:
    """Yield distributions at exactly this total variation from the ideal, of all shapes and directions."""
    colors = len(ideal)
    for source, target in permutations(range(colors), 2):
        moved = [p + amount * ((c == target) - (c == source)) for c, p in enumerate(ideal)]
        if min(moved) >= 0:
            yield f"{source} to {target}", moved
    for name, direction in (("flattened", 1), ("sharpened", -1)):
        slope = [direction * (1 / colors - p) for p in ideal]
        size = math.fsum(map(abs, slope)) / 2
        if size > 0:
            moved = [p + amount / size * s for p, s in zip(ideal, slope, strict=True)]
            if min(moved) >= 0:
                yield name, moved
    ramp = [c - (colors - 1) / 2 for c in range(colors)]
    for name, direction in (("up", 1), ("down", -1)):
        size = math.fsum(map(abs, ramp)) / 2
        moved = [p + direction * amount / size * r for p, r in zip(ideal, ramp, strict=True)]
        if min(moved) >= 0:
            yield f"{name} the ramp", moved


CASES = [
    pytest.param(ideal, wrong, id=f"{name}, {shape}")
    for name, ideal in IDEALS.items()
    if len(ideal) <= 5
    for shape, wrong in wrong_by(ideal, CAUGHT)
]


def tails(test: Plan, ideal: float) -> tuple[float, float]:
    """Return, exactly, the false alarm of one event of this probability and the miss at `CAUGHT` above it."""
    needed = math.ceil(test.draws * (ideal + test.threshold))
    alarm = float(binom.sf(needed - 1, test.draws, ideal))
    miss = float(binom.cdf(needed - 1, test.draws, min(ideal + CAUGHT, 1.0)))
    return alarm, miss


@pytest.mark.parametrize("colors", [2, 3, 5, 25, 171])
def test_rates_are_kept_by_exact_binomial_tails(colors: int) -> None:
    test = plan(colors)
    grid = [float(p) for p in np.linspace(0, 1 - CAUGHT, 199)]
    alarms, misses = zip(*(tails(test, p) for p in grid), strict=True)
    # Logarithms, since 2^171 times a tail is no comfortable float.
    assert math.log(2**colors - 2) + math.log(max(alarms)) <= math.log(FALSE_ALARM)
    assert max(misses) <= MISS


def test_the_threshold_is_the_one_of_the_docstring() -> None:
    test = plan(5)
    assert test.threshold == pytest.approx(0.00293, abs=5e-6)
    assert test.smallest_caught == pytest.approx(0.0048, abs=5e-5)
    assert plan(171).smallest_caught <= CAUGHT


@pytest.mark.parametrize(("colors", "draws"), [(172, DRAWS), (5, 200_000), (2, 100_000)])
def test_a_test_that_would_miss_a_percentage_point_is_refused(colors: int, draws: int) -> None:
    with pytest.raises(ValueError, match="only catch"):
        plan(colors, draws)


def test_the_largest_difference_of_an_event_is_half_the_sum_of_differences() -> None:
    p, q = [0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25]
    events = [[bool(mask >> color & 1) for color in range(4)] for mask in range(16)]
    largest = max(sum((a - b) * inside for a, b, inside in zip(p, q, event, strict=True)) for event in events)
    assert total_variation(p, q) == pytest.approx(largest)


@pytest.mark.parametrize("ideal", IDEALS.values(), ids=IDEALS)
def test_right_samplers_pass(ideal: list[float]) -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    runs = generator.multinomial(DRAWS, ideal, size=RUNS)
    assert all(passes(counts, ideal) for counts in runs)


@pytest.mark.parametrize(("ideal", "wrong"), CASES)
def test_samplers_wrong_by_one_percentage_point_fail(ideal: list[float], wrong: list[float]) -> None:
    assert total_variation(ideal, wrong) == pytest.approx(CAUGHT, abs=1e-12)
    generator = np.random.Generator(np.random.PCG64(2))
    runs = generator.multinomial(DRAWS, wrong, size=200)
    assert not any(passes(counts, ideal) for counts in runs)


@pytest.mark.parametrize("ideal", IDEALS.values(), ids=IDEALS)
def test_the_smallest_error_that_the_plan_names_is_caught(ideal: list[float]) -> None:
    test = plan(len(ideal))
    generator = np.random.Generator(np.random.PCG64(3))
    shapes = list(wrong_by(ideal, test.smallest_caught))[:4]
    assert shapes
    for _, wrong in shapes:
        missed = sum(passes(counts, ideal) for counts in generator.multinomial(DRAWS, wrong, size=RUNS))
        # 2 expected at most; 12 or more would have a probability below 1e-5.
        assert missed < 12


def test_the_wrong_samplers_are_wrong_in_both_directions() -> None:
    for ideal in IDEALS.values():
        gained = {c for _, wrong in wrong_by(ideal, CAUGHT) for c, p in enumerate(ideal) if wrong[c] > p}
        lost = {c for _, wrong in wrong_by(ideal, CAUGHT) for c, p in enumerate(ideal) if wrong[c] < p}
        assert gained == set(range(len(ideal)))
        assert lost >= {c for c, p in enumerate(ideal) if p >= CAUGHT}


def test_one_draw_of_an_impossible_color_fails() -> None:
    ideal = [0.5, 0.0, 0.5]
    counts: NDArray[np.int64] = np.array([500_000, 0, 500_000])
    assert passes(counts, ideal)
    assert not passes(counts + np.array([-1, 1, 0]), ideal)


def test_colors_never_drawn_are_counted() -> None:
    assert count_colors(np.array([0, 2, 2]), 4).tolist() == [1, 0, 2, 0]
