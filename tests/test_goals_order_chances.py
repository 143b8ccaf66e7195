# SPDX-License-Identifier: Apache-2.0
"""Chances of noisy orders: against all noise one by one, given vectors, closed forms and quadrature."""

import itertools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from rainbowdp.errors import QuestionError
from rainbowdp.goals.order_chances import LEAST_ETA, MOST_OPTIONS, Chance, normal_order_chance, order_chance

VECTORS = json.loads((Path(__file__).parent / "vectors" / "order.json").read_text(encoding="utf-8"))
ROUNDING = 1e-12
# Counts in the claimed order, eta, and the size up to which noise is gone through.
ENUMERATED = [
    ((3, 1), 0.5, 45),
    ((0, 4), 1.5, 16),
    ((10, 8, 7), 1.0, 18),
    ((0, 3, 1), 1.0, 18),
    ((4, 4, 2, 0), 2.5, 7),
    ((1, 0, 2, 2), 3.0, 6),
]


def agrees(found: Chance, expected: float, slack: float = ROUNDING) -> bool:
    return abs(found.right - expected) <= found.error + slack and found.error < 1e-9


def gaps_of(counts: Sequence[int]) -> list[int]:
    return [before - after for before, after in itertools.pairwise(counts)]


def noise(
    options: int, eta: float, size: int, centered: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return all vectors of noise up to a size, one a column, and their probabilities.

    Under the condition where it is asked: the lower median of the numbers is 0.
    """
    grid = np.meshgrid(*[np.arange(-size, size + 1)] * options, indexing="ij")
    vectors = np.stack([axis.ravel() for axis in grid])
    if centered:
        vectors = vectors[:, np.sort(vectors, axis=0)[(options - 1) // 2] == 0]
    weights = np.exp(-eta * np.abs(vectors).sum(axis=0))
    return vectors, weights / weights.sum()


def enumerated(
    counts: tuple[int, ...], eta: float, size: int, centered: bool
) -> dict[tuple[int, ...], float]:
    """Return the probability of every order of the options by adding up all noise, ties shared equally."""
    vectors, weights = noise(len(counts), eta, size, centered)
    noisy = vectors + np.array(counts)[:, None]
    possible = {
        order: (np.diff(noisy[list(order)], axis=0) <= 0).all(axis=0)
        for order in itertools.permutations(range(len(counts)))
    }
    shares = weights / sum(possible.values())
    return {order: float(shares[here].sum()) for order, here in possible.items()}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['counts']}-{vector['epsilon']}")
def test_every_order_of_the_vectors_has_its_probability(vector: dict[str, object]) -> None:
    counts, orders = vector["counts"], vector["orders"]
    assert isinstance(counts, list)
    assert isinstance(orders, list)
    for known in orders:
        gaps = gaps_of([counts[option] for option in known["order"]])
        found = order_chance(gaps, float(str(vector["epsilon"])))
        assert abs(found.right - known["probability"]) < 1e-9
        assert found.error < 1e-9


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize(("counts", "eta", "size"), ENUMERATED)
def test_orders_first_options_and_sets_agree_with_all_noise(
    counts: tuple[int, ...], eta: float, size: int, centered: bool
) -> None:
    chances = enumerated(counts, eta, size, centered)
    claimed, slack = tuple(range(len(counts))), 8 * math.exp(-eta * size)
    gaps = gaps_of(counts)
    assert agrees(order_chance(gaps, eta, centered=centered), chances[claimed], slack)
    for top in range(1, len(counts) + 1):
        ordered = sum(chance for order, chance in chances.items() if order[:top] == claimed[:top])
        as_set = sum(chance for order, chance in chances.items() if set(order[:top]) == set(claimed[:top]))
        assert agrees(order_chance(gaps, eta, top, centered=centered), ordered, slack)
        assert agrees(order_chance(gaps, eta, top, centered=centered, as_set=True), as_set, slack)


@pytest.mark.parametrize("gap", [-3, 0, 1, 2, 40, 10**6])
@pytest.mark.parametrize("eta", [0.01, 0.5, 3.0, 1000.0])
def test_two_options_have_the_closed_forms(gap: int, eta: float) -> None:
    ratio, lead = math.exp(-eta), abs(gap)
    # Under the condition one number is 0 and the other one is not negative: their difference is two-sided
    # geometric. Without it, it is the difference of two numbers that are.
    centered = ratio**lead / 2
    independent = ratio**lead * (1 + lead * math.tanh(eta / 2)) / 2
    for wrong, found in (
        (centered, order_chance([gap], eta)),
        (independent, order_chance([gap], eta, centered=False)),
    ):
        assert abs(found.right - (wrong if gap < 0 else 1 - wrong)) <= found.error + ROUNDING
        assert found.error < 1e-9


@pytest.mark.parametrize("centered", [True, False])
def test_options_infinitely_far_away_are_the_limit_of_far_ones(centered: bool) -> None:
    asked: list[Callable[[int | None], Chance]] = [
        lambda gap: order_chance([2, gap, 1, gap], 0.4, centered=centered),
        lambda gap: order_chance([2, 1, gap, -3], 0.4, 2, centered=centered),
        lambda gap: order_chance([2, 1, gap, -3], 0.4, 2, centered=centered, as_set=True),
        lambda gap: order_chance([gap, 1, 2], 0.4, 2, centered=centered, as_set=True),
    ]
    for ask in asked:
        limit = ask(None)
        assert agrees(limit, ask(10**9).right, ask(10**9).error)
        # This gap is within the reach, so that all options are in one segment.
        assert agrees(limit, ask(120).right)


TIED = [0, 5, 0, 0, 5]


@pytest.mark.parametrize(
    ("found", "right"),
    [
        # No noise to speak of: two tied options above, and three tied ones at the edge.
        (lambda: order_chance(TIED, 60.0), 1 / 12),
        (lambda: order_chance(TIED, 1e300), 1 / 12),
        (lambda: order_chance(TIED, 60.0, 3), 1 / 6),
        (lambda: order_chance(TIED, 60.0, 3, as_set=True), 1 / 3),
        (lambda: order_chance([-5], 60.0, 1), 0),
        # Without privacy loss every order is equally likely.
        (lambda: order_chance([7, None, -2], 0.0), 1 / 24),
        (lambda: order_chance([7, None, -2, 1], 0.0, 2), 1 / 20),
        (lambda: order_chance([7, None, -2, 1], 0.0, 2, as_set=True), 1 / 10),
        (lambda: normal_order_chance([7.0, None], math.inf, 1, as_set=True), 1 / 3),
        (lambda: normal_order_chance([7.0, None], math.inf, 2, as_set=False), 1 / 6),
        (lambda: order_chance([], 1.0), 1),
    ],
)
def test_ties_and_no_loss_have_shares_of_all_orders(found: Callable[[], Chance], right: float) -> None:
    assert agrees(found(), right)


def test_many_infinitely_far_options_make_centered_noise_independent() -> None:
    assert agrees(order_chance([3] + [None] * 1022, 0.5), order_chance([3], 0.5, centered=False).right)
    pairs = order_chance([1, None] * 40 + [1], 0.3, centered=False)
    assert agrees(pairs, order_chance([1], 0.3, centered=False).right ** 41)


def test_segments_share_the_median_as_an_enumeration_of_their_counts_says() -> None:
    # Two close pairs, far apart: the condition on the median is all that ties them to each other.
    eta, size = 1.2, 16
    vectors, weights = noise(4, eta, size, centered=True)
    first, second = 2 + vectors[0] - vectors[1], 1 + vectors[2] - vectors[3]
    both = ((first > 0) + (first == 0) / 2) * ((second > 0) + (second == 0) / 2)
    assert agrees(order_chance([2, None, 1], eta), float((weights * both).sum()), 1e-7)


def test_scanning_in_blocks_is_like_scanning_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Callable[[], Chance]] = [
        lambda: order_chance([2, 0, 1, -1], 0.05),
        lambda: order_chance([2, 0, 1, -1], 0.05, 3),
        lambda: order_chance([2, 0, 1, -1], 0.05, 3, centered=False, as_set=True),
    ]
    at_once = [ask() for ask in asked]
    monkeypatch.setattr("rainbowdp.goals.order_chances._BLOCK", 37)
    for ask, before in zip(asked, at_once, strict=True):
        assert agrees(ask(), before.right, before.error)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: order_chance([1] * MOST_OPTIONS, 0.5), "9 options are close"),
        (lambda: order_chance([0] * MOST_OPTIONS, 0.5, 4, as_set=True), "9 options are close"),
        (lambda: order_chance([1], LEAST_ETA / 2), "eta 5e-05"),
        (lambda: order_chance([1], -1.0), "eta -1"),
        (lambda: order_chance([1], math.nan), "eta nan"),
        (lambda: order_chance([1], math.inf), "eta inf"),
        (lambda: order_chance([1], 0.5, 0), "first 0 of 2"),
        (lambda: order_chance([1], 0.5, 3, as_set=True), "first 3 of 2"),
        (lambda: normal_order_chance([1.0], 0.5, 3, as_set=True), "first 3 of 2"),
        (lambda: normal_order_chance([1.0], 0.0, 1, as_set=True), r"deviation of 0\.0"),
    ],
)
def test_what_cannot_be_computed_is_refused(ask: Callable[[], Chance], message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        ask()


def winner_by_quadrature(counts: Sequence[float], deviation: float) -> float:
    def density(level: float) -> float:
        rest = math.prod(stats.norm.cdf(level, count, deviation) for count in counts[1:])
        return float(stats.norm.pdf(level, counts[0], deviation) * rest)

    ends = min(counts) - 10 * deviation, max(counts) + 10 * deviation
    return float(integrate.quad(density, *ends, epsabs=1e-13, limit=500)[0])


@pytest.mark.parametrize("deviation", [0.7, 30.0])
@pytest.mark.parametrize("counts", [(3.0, 3.0, 1.0), (0.0, 2.5, -1.0, 0.25), (9.0, 1.0, 0.5, 0.0)])
def test_normal_noise_names_the_winner_as_quadrature_says(counts: Sequence[float], deviation: float) -> None:
    gaps = [before - after for before, after in itertools.pairwise(counts)]
    expected = winner_by_quadrature(counts, deviation)
    assert agrees(normal_order_chance(gaps, deviation, 1, as_set=False), expected, 1e-11)
    assert agrees(normal_order_chance(gaps, deviation, 1, as_set=True), expected, 1e-11)


@pytest.mark.parametrize("deviation", [0.8, 3.0])
@pytest.mark.parametrize("counts", [(3.0, 2.0, 2.0), (0.0, 1.5, 1.0)])
def test_normal_noise_on_three_counts_is_a_bivariate_normal_probability(
    counts: Sequence[float], deviation: float
) -> None:
    # The two differences of neighbors in the order have variance 2 and correlation -1/2.
    gaps = [before - after for before, after in itertools.pairwise(counts)]
    means, spread = [-gap / deviation for gap in gaps], [[2.0, -1.0], [-1.0, 2.0]]
    expected = float(stats.multivariate_normal(means, spread).cdf([0.0, 0.0]))
    assert agrees(normal_order_chance(gaps, deviation, 3, as_set=False), expected, 1e-7)


def geometric(eta: float, centered: bool) -> Callable[..., Chance]:
    return lambda gaps, top, as_set: order_chance(gaps, eta, top, as_set=as_set, centered=centered)


def normal(deviation: float) -> Callable[..., Chance]:
    return lambda gaps, top, as_set: normal_order_chance(gaps, deviation, top, as_set=as_set)


NOISES = [
    *(geometric(eta, centered) for eta in (0.0, 0.1, 5.0) for centered in (True, False)),
    normal(0.5),
    normal(4),
]


@pytest.mark.parametrize("chance", NOISES)
@pytest.mark.parametrize("counts", [(4, 1), (3, 3, 1), (40, 3, 2, 2)])
def test_orders_sum_to_one_and_add_up_to_first_options_and_sets(
    counts: tuple[int, ...], chance: Callable[..., Chance]
) -> None:
    chances = {
        order: chance(gaps_of([counts[option] for option in order]), len(counts), as_set=False)
        for order in itertools.permutations(range(len(counts)))
    }
    error = sum(each.error for each in chances.values()) + ROUNDING
    assert abs(sum(each.right for each in chances.values()) - 1) <= error
    gaps = gaps_of(counts)
    for top in range(1, len(counts) + 1):
        first = tuple(range(top))
        ordered = sum(each.right for order, each in chances.items() if order[:top] == first)
        as_set = sum(each.right for order, each in chances.items() if set(order[:top]) == set(first))
        assert agrees(chance(gaps, top, as_set=False), ordered, error)
        assert agrees(chance(gaps, top, as_set=True), as_set, error)


def test_normal_noise_has_its_closed_forms_and_limits() -> None:
    for gap in (-4.0, 0.0, 1.5, 60.0, 1e20):
        found = normal_order_chance([gap], 1.5, 1, as_set=False)
        assert agrees(found, float(stats.norm.cdf(gap / (1.5 * math.sqrt(2)))))
    assert agrees(normal_order_chance([0.0] * 1023, 3.0, 1, as_set=True), 1 / 1024)
    assert agrees(normal_order_chance([0.0] * 5, 3.0, 6, as_set=False), 1 / math.factorial(6))
    assert agrees(normal_order_chance([0.0] * 5, 3.0, 3, as_set=True), 1 / 20)
    # A gap that no float could be added to, and counts that stretch over hundreds of deviations.
    close = normal_order_chance([0.5], 1.0, 1, as_set=False).right
    assert agrees(normal_order_chance([1e20, 0.5, None, 0.5], 1.0, 5, as_set=False), close**2)
    stretched = normal_order_chance([15.0] * 20, 1.0, 10, as_set=True)
    assert agrees(stretched, float(stats.norm.cdf(15 / math.sqrt(2))))
    assert agrees(normal_order_chance([15.0] * 20, 1.0, 21, as_set=False), 1.0, 1e-10)
