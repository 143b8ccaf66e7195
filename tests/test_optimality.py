# SPDX-License-Identifier: Apache-2.0
"""`check_optimal` finds optimal mechanisms optimal, and says where others fall short."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings

from rainbowdp import optimality
from rainbowdp.errors import MechanismShapeError, NotHomogeneousError, SolverError
from rainbowdp.exact import to_float
from rainbowdp.families import histograms, path
from rainbowdp.graph import RainbowGraph
from rainbowdp.mechanism import Mechanism, pullback
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.optimality import check_optimal
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP
from small_problems import Problem, fractions_of, problems


@drawn(problems())
@settings(max_examples=40)
def test_theorem_2_what_the_package_makes_is_optimal(problem: Problem) -> None:
    verdict = check_optimal(problem.mechanism(), problem.graph(), problem.privacy)
    assert verdict
    assert verdict.gain == 0


def line_graph(size: int = 6) -> RainbowGraph:
    regions = (np.arange(size) >= size - 2).astype(int)
    return path(size).rainbow_graph(["a>b>c", "c>b>a"], regions)


@pytest.mark.parametrize(
    "privacy", [PureDP("ln 2"), PureDP(1), ApproxDP("ln 2", "1/50"), ApproxDP(0, "1/50"), GaussianDP(1)]
)
def test_a_mechanism_that_could_be_better_is_caught_with_its_gain(
    privacy: PureDP | ApproxDP | GaussianDP,
) -> None:
    graph = line_graph()
    best = optimal_mechanism(graph, privacy, "uniform")
    assert check_optimal(best, graph, privacy)
    # All datasets as at the boundary: private, and worst where the distance is largest.
    timid = pullback([3] * 4 + [4] * 2, best)
    rows = [dict(timid.distribution(dataset)) for dataset in range(6)]
    flat = Mechanism.from_table([str(graph.rainbow_of(dataset)) for dataset in range(6)], rows)
    verdict = check_optimal(flat, graph, privacy)
    assert not verdict
    assert verdict.verification.holds
    assert verdict.dataset == "0"
    ideal = [best.distribution(0).mass(event) for event in (("a",), ("a", "b"))]
    gains = [to_float(mass, "nearest") - third for mass, third in zip(ideal, (1 / 3, 2 / 3), strict=True)]
    assert verdict.gain == pytest.approx(max(gains), abs=1e-8)
    assert verdict.prefix == (("a",) if gains[0] > gains[1] else ("a", "b"))
    assert verdict.mass == pytest.approx(1 / 3 if gains[0] > gains[1] else 2 / 3)


def test_a_shortfall_of_a_millionth_is_caught() -> None:
    graph = line_graph()
    best = optimal_mechanism(graph, PureDP("ln 2"), "uniform")
    rows = [fractions_of(best.distribution(dataset)) for dataset in range(6)]
    rows[0] = {**rows[0], "a": rows[0]["a"] - Fraction(1, 10**6), "c": rows[0]["c"] + Fraction(1, 10**6)}
    nearly = Mechanism.from_table([str(graph.rainbow_of(dataset)) for dataset in range(6)], rows)
    verdict = check_optimal(nearly, graph, PureDP("ln 2"))
    assert (verdict.dataset, bool(verdict)) == ("0", False)
    assert verdict.gain == pytest.approx(1e-6, rel=1e-3)
    assert check_optimal(nearly, graph, PureDP("ln 2"), tolerance=1e-5)


def test_what_is_not_private_is_not_optimal() -> None:
    graph = line_graph()
    best = optimal_mechanism(graph, PureDP("ln 3"), "uniform")
    verdict = check_optimal(best, graph, PureDP("ln 2"))
    assert not verdict
    assert verdict.dataset is None
    assert verdict.verification.witness is not None


def test_figures_of_gaussian_privacy_on_a_small_family() -> None:
    family = histograms(5, 3, "change-one")
    winner = np.argmax(family.values, axis=1)
    graph = family.rainbow_graph(["a>b=c", "b>a=c", "c>a=b"], winner)
    mechanism = optimal_mechanism(graph, GaussianDP("1/2"), "uniform")
    assert check_optimal(mechanism, graph, GaussianDP("1/2"))


def test_a_boundary_that_is_not_homogeneous_is_refused() -> None:
    graph = RainbowGraph.from_arrays([0, 1, 2], [1, 2, 3], ["a>b", "b>a", "b>a", "a>b"], labels=list("wxyz"))
    rows = [{"a": Fraction(n, 10), "b": Fraction(10 - n, 10)} for n in (5, 5, 5, 6)]
    mechanism = Mechanism.from_table(["a>b", "b>a", "b>a", "a>b"], rows, labels=list("wxyz"))
    with pytest.raises(NotHomogeneousError, match="'w' and 'z'"):
        check_optimal(mechanism, graph, PureDP(1))


def test_what_does_not_belong_together_is_refused() -> None:
    graph = line_graph()
    best = optimal_mechanism(graph, PureDP(1), "uniform")
    other = line_graph(5)
    with pytest.raises(MechanismShapeError):
        check_optimal(best, other, PureDP(1))
    swapped = path(6).rainbow_graph(["c>b>a", "a>b>c"], (np.arange(6) >= 4).astype(int))
    with pytest.raises(MechanismShapeError, match="rainbow"):
        check_optimal(best, swapped, PureDP(1))


def test_a_graph_too_large_for_a_program_is_refused_before_its_pairs_are_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(optimality, "verify")
    family = histograms(300, 3, "change-one")
    graph = family.rainbow_graph(["a>b=c", "b>a=c", "c>a=b"], np.argmax(family.values, axis=1))
    mechanism = optimal_mechanism(graph, PureDP(1), "uniform")
    with pytest.raises(SolverError, match="too large") as caught:
        check_optimal(mechanism, graph, PureDP(1))
    assert "boundary graph" in caught.value.help
