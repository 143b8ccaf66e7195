# SPDX-License-Identifier: Apache-2.0
"""Privacy-loss distributions against what is known exactly: never below it, and hardly above.

The exact figures are computed here, from the closed forms of the literature, with balls of 300 bits.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import flint
import pytest
from dp_accounting.pld import pld_pmf, privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st

from rainbowdp import ApproxDP, GaussianDP, Mechanism, PureDP, RainbowGraph, optimal_mechanism, verify
from rainbowdp.boundary import randomized_response
from rainbowdp.distribution import Distribution
from rainbowdp.errors import MechanismShapeError, PrivacyParameterError, RainbowError, UsageError
from rainbowdp.exact import format_exact, to_float, working_precision
from rainbowdp.families import path
from rainbowdp.graph import DatasetGraph, listed
from rainbowdp.interop.accounting import (
    compose,
    delta_for_epsilon,
    epsilon_for_delta,
    mechanism_loss,
    privacy_loss,
    worst_losses,
)
from rainbowdp.privacy import Privacy

EPSILONS = [0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0]


def pure_composition(epsilon: Fraction, times: int, at: float) -> float:
    """Return the exact delta of many answers of pure privacy (Kairouz, Oh and Viswanath), rounded down."""
    with working_precision(300):
        odds, limit = flint.arb(flint.fmpq(epsilon.numerator, epsilon.denominator)).exp(), flint.arb(at).exp()
        total = flint.arb(0)
        for ones in range(times + 1):
            excess = odds**ones - limit * odds ** (times - ones)
            if excess > 0:
                total += math.comb(times, ones) * excess
        return float(total / (1 + odds) ** times) * (1 - 1e-15)


def gaussian_curve(mu: Fraction, at: float) -> float:
    """Return the exact delta of Gaussian privacy (Dong, Roth and Su), rounded down."""
    with working_precision(300):
        shift, loss = flint.arb(flint.fmpq(mu.numerator, mu.denominator)), flint.arb(at)

        def phi(z: flint.arb) -> flint.arb:
            return (-z / flint.arb(2).sqrt()).erfc() / 2

        delta = phi(shift / 2 - loss / shift) - loss.exp() * phi(-shift / 2 - loss / shift)
        return float(delta) * (1 - 1e-15)


def excess(pair: tuple[Distribution, Distribution], at: float) -> Fraction:
    """Return, for fractions, the sum of max(0, p - t q) where t is a float near e^at, exactly."""
    p, q = ({color: Fraction(format_exact(value)) for color, value in row.items()} for row in pair)
    limit = Fraction(math.exp(at))
    return sum((max(Fraction(0), p[color] - limit * q[color]) for color in p), Fraction(0))


def losses_of(pmf: pld_pmf.PLDPmf, at: float) -> float:
    return float(pmf.get_delta_for_epsilon(at))


@pytest.mark.parametrize("epsilon", ["0", "1/10000", "0.1", "ln 2", "1", "4"])
def test_pure_privacy_is_one_bit_of_randomized_response(epsilon: str) -> None:
    privacy = PureDP(epsilon)
    loss = privacy_loss(privacy)
    exact = (
        privacy.odds if isinstance(privacy.odds, Fraction) else Fraction(math.exp(float(Fraction(epsilon))))
    )
    for at in EPSILONS:
        true = max(0.0, float((exact - Fraction(math.exp(at))) / (1 + exact)))
        assert true - 1e-15 <= delta_for_epsilon(loss, at) <= true + 1e-4
    assert epsilon_for_delta(loss, 0) == pytest.approx(math.log(exact), abs=2e-4)
    assert epsilon_for_delta(loss, 0) >= math.log(exact) - 1e-15


@pytest.mark.parametrize("privacy", [ApproxDP("0.5", "1/8"), ApproxDP(0, "1e-6"), ApproxDP("ln 3", "1e-9")])
def test_approximate_privacy_has_its_delta_at_its_epsilon_and_no_epsilon_below(privacy: ApproxDP) -> None:
    loss = privacy_loss(privacy)
    epsilon = float(privacy.epsilon) if isinstance(privacy.epsilon, Fraction) else math.log(3)
    assert delta_for_epsilon(loss, epsilon + 1e-4) == pytest.approx(float(privacy.delta), rel=1e-9)
    assert delta_for_epsilon(loss, epsilon) >= to_float(privacy.delta, "down")
    assert epsilon_for_delta(loss, privacy.delta / 2) == math.inf
    odds = math.exp(epsilon)
    rest = float(1 - privacy.delta)
    assert delta_for_epsilon(loss, 0) == pytest.approx(1 - rest * 2 / (1 + odds), abs=1e-8)


@pytest.mark.parametrize(("epsilon", "times"), [("0.5", 2), ("0.25", 10), ("0.5", 100), ("0.01", 1000)])
def test_composing_pure_answers_is_never_below_the_optimal_composition(epsilon: str, times: int) -> None:
    total = compose([PureDP(epsilon)] * times)
    summed = float(epsilon) * times
    # With some versions of scipy sums of Fourier transforms alone come out too small at some of these places.
    for part in (0, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2, 0.3, 0.5, 0.7, 0.9, 1):
        at = part * summed
        exact = pure_composition(Fraction(epsilon), times, at)
        found = delta_for_epsilon(total, at)
        assert exact <= found <= exact + 2e-12 + 2e-4 * exact * times
    delta = pure_composition(Fraction(epsilon), times, 0.5 * summed) + 1e-9
    assert epsilon_for_delta(total, delta) <= 0.51 * summed


@pytest.mark.parametrize("mu", ["1/100", "1"])
def test_gaussian_privacy_is_never_below_its_curve_and_four_answers_have_twice_the_mu(mu: str) -> None:
    one, total = privacy_loss(GaussianDP(mu)), compose([GaussianDP(Fraction(mu) / 2)] * 4)
    for at in EPSILONS:
        exact = gaussian_curve(Fraction(mu), at)
        assert exact <= delta_for_epsilon(one, at) <= exact * (1 + 1e-3) + 1e-7
        assert exact <= delta_for_epsilon(total, at) <= exact + 1e-6


def test_answers_of_all_kinds_compose_more_tightly_than_their_sum() -> None:
    kinds: list[Privacy] = [PureDP("0.3"), ApproxDP("0.2", "1e-7"), GaussianDP("0.2")]
    total = compose(kinds * 20)
    alone = [epsilon_for_delta(compose([kind] * 20), "1e-5") for kind in kinds]
    assert max(alone) < epsilon_for_delta(total, "1e-4") < sum(alone)
    assert epsilon_for_delta(total, "1e-4") < 20 * (0.3 + 0.2)


def test_distributions_of_dp_accounting_take_part() -> None:
    laplace = privacy_loss_distribution.from_laplace_mechanism(2.0)
    total = compose([PureDP("0.5"), laplace])
    alone = compose([PureDP("0.5"), PureDP("0.5")])
    assert delta_for_epsilon(privacy_loss(PureDP("0.5")), "0.3") < delta_for_epsilon(total, "0.3")
    assert delta_for_epsilon(total, "0.3") < delta_for_epsilon(alone, "0.3")


rows = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any)


def distribution(weights: Sequence[int]) -> Distribution:
    return Distribution({color: Fraction(w, sum(weights)) for color, w in zip("abc", weights, strict=True)})


@settings(max_examples=25)
@given(st.lists(st.tuples(rows, rows), min_size=1, max_size=4))
def test_the_worst_losses_lie_above_every_pair_and_close_to_the_largest(
    weights: list[tuple[list[int], list[int]]],
) -> None:
    pairs = [(distribution(p), distribution(q)) for p, q in weights]
    interval = 1e-3
    made = worst_losses(pairs, Fraction(interval))
    pmf = pld_pmf.SparsePLDPmf(dict(made.masses), interval, made.infinity, True)
    both = [*pairs, *((q, p) for p, q in pairs)]
    for at in (-2.0, -0.7, -0.1, 0.0, 0.05, 0.3, 0.69, 0.7, 1.2, 1.7, 3.0):
        true = float(max(excess(pair, at) for pair in both))
        assert true - 1e-14 <= losses_of(pmf, at)
        if len(pairs) == 1:
            assert losses_of(pmf, at) <= true + 1e-3
    assert math.fsum(mass for _, mass in made.masses) + made.infinity == pytest.approx(1)


def three_parties() -> tuple[Mechanism, RainbowGraph]:
    """Solve a triangle of three regions, each with a path of one more dataset."""
    names = "abc"
    edges = [(x, y) for x in names for y in names if x < y] + [(x, x * 2) for x in names]
    rainbows = {
        label: f"{label[0]}>{'='.join(other for other in names if other != label[0])}"
        for pair in edges
        for label in pair
    }
    graph = RainbowGraph.from_edges(edges, rainbows)
    return optimal_mechanism(graph, PureDP(1), randomized_response(graph, PureDP(1))), graph


def test_a_mechanism_loses_less_than_its_notion_allows_and_no_less_than_its_pairs_do() -> None:
    mechanism, graph = three_parties()
    assert verify(mechanism, graph, PureDP(1))
    own, notion = mechanism_loss(mechanism, graph), privacy_loss(PureDP(1))
    source, target = listed(graph.structure).pairs()
    for at in EPSILONS:
        worst = 0.0
        for x, y in zip(source.tolist(), target.tolist(), strict=True):
            for one, other in ((x, y), (y, x)):
                p, q = mechanism.probabilities()[one], mechanism.probabilities()[other]
                worst = max(worst, sum(max(0.0, a - math.exp(at) * b) for a, b in zip(p, q, strict=True)))
        assert worst - 1e-14 <= delta_for_epsilon(own, at) <= worst + 1e-4
        assert delta_for_epsilon(own, at) <= delta_for_epsilon(notion, at) + 1e-9
    many, bound = compose([own] * 50), compose([PureDP(1)] * 50)
    assert epsilon_for_delta(many, "1e-6") < epsilon_for_delta(bound, "1e-6") - 1 < 49


def test_a_mechanism_with_an_impossible_answer_has_an_infinite_loss() -> None:
    mechanism = Mechanism.from_table(
        rainbows=["a>b", "a>b"], table=[{"a": "1", "b": "0"}, {"a": "3/4", "b": "1/4"}]
    )
    loss = mechanism_loss(mechanism, DatasetGraph.from_pairs(2, [0], [1]))
    assert delta_for_epsilon(loss, 50) == pytest.approx(0.25)
    assert delta_for_epsilon(loss, 50) >= 0.25
    assert epsilon_for_delta(loss, "0.2") == math.inf


def test_what_has_no_losses_is_refused() -> None:
    neighbors = DatasetGraph.from_pairs(2, [0], [1])
    stated = Mechanism.from_table(["a>b", "a>b"], [{"a": 0.5, "b": 0.5}, {"a": 0.25, "b": 0.75}])
    floats = Mechanism.from_table(["a>b", "a>b"], stated.probabilities())
    assert mechanism_loss(stated, neighbors)
    refused: list[tuple[Callable[[], object], type[RainbowError], str]] = [
        (lambda: mechanism_loss(floats, neighbors), MechanismShapeError, "stated decimals"),
        (lambda: mechanism_loss(stated, path(3)), MechanismShapeError, "2 datasets, the other side 3"),
        (lambda: privacy_loss(PureDP(10_000)), UsageError, "need more than"),
        (lambda: privacy_loss(GaussianDP(100)), UsageError, "need more than"),
        (lambda: privacy_loss(PureDP(1), interval=0), UsageError, "not a grid"),
        (lambda: compose([privacy_loss(PureDP(1), interval=1e-3), PureDP(1)]), UsageError, "different grids"),
        (lambda: compose([1.0]), UsageError, "`answers` must be"),
        (lambda: epsilon_for_delta(compose([]), 2), PrivacyParameterError, "outside"),
    ]
    for call, error, said in refused:
        with pytest.raises(error, match=said):
            call()
