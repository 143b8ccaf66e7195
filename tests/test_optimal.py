# SPDX-License-Identifier: Apache-2.0
"""The optimal mechanism against oracles from outside: linear programs, vectors, the paper's figure 1."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from rainbowdp.boundary import given
from rainbowdp.distribution import Distribution
from rainbowdp.errors import BoundaryNotPrivateError, UsageError
from rainbowdp.exact import sign
from rainbowdp.families import histograms
from rainbowdp.graph import RainbowGraph, boundary_morphism
from rainbowdp.mechanism import check_homogeneous
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP
from rainbowdp.verification import verify
from small_problems import Problem, best_prefix_masses, prefix_masses, problems, proper_events
from test_graph_rainbow_graph import figure_1

ROOT = Path(__file__).resolve().parents[1]
VECTORS = json.loads((ROOT / "tests" / "vectors" / "graphs.json").read_text(encoding="utf-8"))


@drawn(problems())
@settings(max_examples=80)
def test_theorem_3_the_optimum_is_that_of_the_linear_program(problem: Problem) -> None:
    mechanism, graph = problem.mechanism(), problem.graph()
    table = mechanism.probabilities()
    expected = best_prefix_masses(problem, table)
    for dataset, masses in enumerate(expected):
        row = dict(zip(mechanism.colors, table[dataset], strict=True))
        assert prefix_masses(row, problem.classes(dataset)) == pytest.approx(masses, abs=1e-9)
    odds, delta = problem.privacy.odds, problem.delta
    for one, other in problem.edges:
        for source, target in ((one, other), (other, one)):
            p, q = mechanism.distribution(source), mechanism.distribution(target)
            for event in proper_events(mechanism.colors):
                assert sign(p.mass(event) - odds * q.mass(event) - delta) <= 0
    for exact_row, numbers in zip(mechanism.rows, mechanism.table, strict=True):
        assert sign(exact_row.mass(mechanism.colors) - 1) == 0
        for value, number in zip(exact_row.values(), numbers, strict=True):
            near = Fraction(float(number))
            assert near * Fraction(10**12 - 1, 10**12) <= value <= near * Fraction(10**12 + 1, 10**12)
    assert check_homogeneous(mechanism, graph)
    if not isinstance(problem.boundary, str):
        for dataset in np.flatnonzero(problem.is_boundary()).tolist():
            given_row = problem.boundary[problem.rainbows[dataset]]
            assert mechanism.distribution(dataset) == Distribution(given_row)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{len(vector['nodes'])} datasets")
def test_vectors_are_met_to_the_fraction(vector: dict[str, object]) -> None:
    nodes, edges, boundary = vector["nodes"], vector["edges"], vector["boundary"]
    assert isinstance(nodes, dict)
    assert isinstance(edges, list)
    assert isinstance(boundary, dict)
    graph = RainbowGraph.from_edges([tuple(edge) for edge in edges], nodes)
    epsilon = "0" if vector["odds"] == "1" else f"ln({vector['odds']})"
    delta = Fraction(str(vector["delta"]))
    privacy = PureDP(epsilon) if delta == 0 else ApproxDP(epsilon, delta)
    mechanism = optimal_mechanism(graph, privacy, given(boundary))
    probabilities, distance = vector["probabilities"], vector["distance"]
    assert isinstance(probabilities, dict)
    assert isinstance(distance, dict)
    steps = mechanism.distance.tolist()
    for name in nodes:
        expected = {color: Fraction(value) for color, value in probabilities[name].items()}
        assert dict(mechanism.distribution(name)) == expected
        assert steps[mechanism.index(name)] == distance[name]
    assert mechanism.precision == "exact"
    morphism = boundary_morphism(graph)
    assert morphism.boundary_graph.size == vector["boundary_graph_nodes"]
    assert morphism.boundary_graph.pair_count == vector["boundary_graph_edges"]
    assert verify(mechanism, graph, privacy)


def test_figure_1_by_hand() -> None:
    mechanism = optimal_mechanism(figure_1(), PureDP("ln 2"), "uniform")
    by_distance = {0: ("1/3", "1/3", "1/3"), 1: ("2/3", "1/6", "1/6"), 2: ("5/6", "1/12", "1/12")}
    # Outside the figure's inner datasets, every dataset has a neighbor of another rainbow.
    inner = {"a": 2, "b": 1, "f": 1, "e": 1, "n": 1, "o": 1}
    for dataset in "abcdefghijklmnopqr":
        row, rainbow = mechanism.distribution(dataset), mechanism.rainbow_of(dataset)
        expected = map(Fraction, by_distance[inner.get(dataset, 0)])
        assert [row[color] for color in rainbow.ordered] == list(expected)


def test_unconstrained_datasets_give_their_best_class_with_certainty() -> None:
    rainbows = ["a=b>c", "c>a=b", "a=b>c", "c>a=b"]
    graph = RainbowGraph.from_arrays([0], [1], rainbows)
    condition = given(
        {"a=b>c": {"a": "1/6", "b": "2/6", "c": "3/6"}, "c>a=b": {"a": "1/6", "b": "2/6", "c": "3/6"}}
    )
    mechanism = optimal_mechanism(graph, PureDP("ln 2"), condition)
    assert mechanism.distribution(2) == Distribution({"a": "1/3", "b": "2/3", "c": 0})
    assert mechanism.distribution(3) == Distribution({"a": 0, "b": 0, "c": 1})
    assert mechanism.distance.tolist() == [0, 0, None, None]


def test_a_region_without_boundary_needs_no_distribution() -> None:
    graph = RainbowGraph.from_arrays([0], [1], ["a=b>c", "a=b>c"])
    mechanism = optimal_mechanism(graph, PureDP(1), given({}))
    assert mechanism.distribution(0) == Distribution({"a": "1/2", "b": "1/2", "c": 0})
    assert mechanism.precision == "exact"
    kept = optimal_mechanism(graph, PureDP(1), {"a=b>c": {"a": "1/6", "b": "2/6", "c": "3/6"}})
    assert kept.distribution(0) == Distribution({"a": "1/3", "b": "2/3", "c": 0})
    assert kept.notes


def test_a_boundary_is_checked_before_anything_is_made_of_it() -> None:
    graph = RainbowGraph.from_arrays([0], [1], ["a>b", "b>a"])
    with pytest.raises(BoundaryNotPrivateError):
        optimal_mechanism(graph, PureDP("ln 2"), {"a>b": {"a": 1, "b": 0}, "b>a": {"a": 0, "b": 1}})
    with pytest.raises(UsageError, match="uniforn") as caught:
        optimal_mechanism(graph, PureDP(1), "uniforn")  # type: ignore[arg-type]  # a wrong name is the point
    assert "uniform" in caught.value.help


@pytest.mark.parametrize(
    ("privacy", "boundary", "precision"),
    [
        (PureDP("ln 2"), "uniform", "exact"),
        (PureDP("ln 2"), "randomized-response", "exact"),
        (PureDP(1), "randomized-response", "float64"),
        (PureDP(1), "uniform", "float64"),
        (GaussianDP(0), "uniform", "exact"),
        (GaussianDP(1), "uniform", "float64"),
    ],
)
def test_the_precision_says_whether_all_rows_are_fractions(
    privacy: PureDP | GaussianDP, boundary: str, precision: str
) -> None:
    graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["a>b>c", "a>b>c", "b>a>c"])
    mechanism = optimal_mechanism(graph, privacy, boundary)  # type: ignore[arg-type]  # one of the names
    assert mechanism.precision == precision
    assert all(row.is_rational for row in mechanism.rows) == (precision == "exact")
    assert not mechanism.stated


@drawn(st.integers(2, 9), st.sampled_from(["uniform", "randomized-response", "max-min"]))
@settings(max_examples=30)
def test_named_boundaries_on_families_are_verified(records: int, boundary: str) -> None:
    family = histograms(records, 3, "change-one")
    winner = np.argmax(family.values, axis=1)
    graph = family.rainbow_graph(["a>b=c", "b>a=c", "c>a=b"], winner)
    mechanism = optimal_mechanism(graph, PureDP(1), boundary)  # type: ignore[arg-type]  # one of the names
    verification = verify(mechanism, graph, PureDP(1))
    assert verification.holds
    assert verification.upper <= 1.0
