# SPDX-License-Identifier: Apache-2.0
"""Pullbacks, homogeneity, domination and order-reasonable utilities."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from rainbowdp.errors import MechanismShapeError, NotAMorphismError
from rainbowdp.families import Family, grid, histograms, hypercube, path
from rainbowdp.formats import read_mechanism, write_mechanism
from rainbowdp.graph import DatasetGraph, RainbowGraph, check_morphism
from rainbowdp.mechanism import (
    Mechanism,
    check_homogeneous,
    check_order_reasonable,
    mechanism_dominates,
    pullback,
)
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.optimality import check_optimal
from rainbowdp.privacy import GaussianDP, PureDP
from rainbowdp.verification import verify
from small_problems import Problem, problems


@drawn(problems(smallest_size=3), st.data())
@settings(max_examples=25)
def test_theorem_1_a_pullback_along_a_morphism_is_private(problem: Problem, data: st.DataObject) -> None:
    target, mechanism = problem.graph().structure, problem.mechanism()
    size = data.draw(st.integers(2, 8))
    mapping = [data.draw(st.integers(0, target.size - 1)) for _ in range(size)]
    joined = {(a, b) for a, b in problem.edges} | {(b, a) for a, b in problem.edges}
    edges = [
        (i, j)
        for i in range(size)
        for j in range(i)
        if (mapping[i] == mapping[j] or (mapping[i], mapping[j]) in joined) and data.draw(st.booleans())
    ]
    source = DatasetGraph.from_pairs(
        size, np.array([a for a, _ in edges], dtype=np.int64), np.array([b for _, b in edges], dtype=np.int64)
    )
    assert check_morphism(mapping, source, target)
    carried = pullback(mapping, mechanism)
    for dataset, image in enumerate(mapping):
        assert carried.distribution(dataset) == mechanism.distribution(image)
    assert verify(carried, source, problem.privacy).holds


def test_theorem_1_needs_a_morphism() -> None:
    mechanism = Mechanism.from_table(
        ["a>b"] * 3, [{"a": "1/4", "b": "3/4"}, {"a": "1/2", "b": "1/2"}, {"a": "3/4", "b": "1/4"}]
    )
    line = DatasetGraph.from_pairs(3, [0, 1], [1, 2])
    assert verify(mechanism, line, PureDP("ln 2")).holds
    pair = DatasetGraph.from_pairs(2, [0], [1])
    assert not check_morphism([0, 2], pair, line)
    assert not verify(pullback([0, 2], mechanism), pair, PureDP("ln 2")).holds
    assert pullback([1, 2], mechanism, between=(pair, line)).size == 2
    with pytest.raises(NotAMorphismError, match="neither equal nor neighbors") as caught:
        pullback([0, 2], mechanism, between=(pair, line))
    assert caught.value.values["violation"] == (0, 1)
    for mapping in ([], [0, 3], [-1]):
        with pytest.raises(MechanismShapeError):
            pullback(mapping, mechanism)


@pytest.mark.parametrize("family", [path(5), grid(3, 4), hypercube(3), histograms(4, 3)], ids=repr)
def test_a_mechanism_of_a_family_that_was_written_and_read_again_is_judged_on_both(
    family: Family, tmp_path: Path
) -> None:
    graph = family.rainbow_graph(["y>n", "n>y"], (np.arange(family.structure.size) % 3 == 0).astype(int))
    made = optimal_mechanism(graph, PureDP("ln 2"), "uniform")
    write_mechanism(tmp_path / "made.csv", made, exact=True)
    # Rows in another order.
    header, *rows = (tmp_path / "made.csv").read_text().splitlines()
    (tmp_path / "made.csv").write_text("\n".join([header, *rows[::2], *rows[1::2]]))
    again = read_mechanism(tmp_path / "made.csv")
    for named in (graph, family):
        assert verify(again, named, PureDP("ln 2"))
        assert bool(verify(again, named, PureDP("ln(3/2)"))) == (not graph.distance.any())
    assert check_optimal(again, graph, PureDP("ln 2"))
    assert check_homogeneous(again, graph)


def test_definition_6_names_two_boundary_datasets() -> None:
    graph = RainbowGraph.from_arrays([0, 1, 2, 3], [1, 2, 3, 4], ["a>b", "a>b", "b>a", "a>b", "a>b"])
    rows = [{"a": Fraction(n, 10), "b": Fraction(10 - n, 10)} for n in (5, 6, 5, 6, 7)]
    rainbows = [str(graph.rainbow_of(dataset)) for dataset in range(5)]
    # Datasets 1 and 3 are the boundary of a>b; 0 and 4 are inner and may differ.
    assert check_homogeneous(Mechanism.from_table(rainbows, rows), graph)
    rows[3] = rows[4]
    verdict = check_homogeneous(Mechanism.from_table(rainbows, rows), graph)
    assert not verdict
    assert verdict.violation == (1, 3)
    assert str(verdict.rainbow) == "a>b"
    alone = RainbowGraph.from_arrays([0], [1], ["a>b", "a>b"])
    assert check_homogeneous(Mechanism.from_table(["a>b"] * 2, rows[2:4]), alone)
    with pytest.raises(MechanismShapeError):
        check_homogeneous(Mechanism.from_table(["a>b"], rows[:1]), graph)


def pair_of(*rows: dict[str, str], rainbow: str = "a>b>c") -> Mechanism:
    return Mechanism.from_table([rainbow] * len(rows), list(rows))


HIGH = {"a": "1/2", "b": "0", "c": "1/2"}
LOW = {"a": "1/4", "b": "3/4", "c": "0"}


def test_definition_3_domination_is_lexicographic_at_every_dataset() -> None:
    assert mechanism_dominates(pair_of(HIGH, HIGH), pair_of(LOW, HIGH))
    assert mechanism_dominates(pair_of(HIGH, LOW), pair_of(HIGH, LOW))
    assert mechanism_dominates(pair_of(HIGH, LOW), pair_of(LOW, HIGH)).dataset == 1
    assert not mechanism_dominates(pair_of(LOW), pair_of(HIGH))
    with pytest.raises(MechanismShapeError, match="2 datasets"):
        mechanism_dominates(pair_of(HIGH), pair_of(HIGH, LOW))
    with pytest.raises(MechanismShapeError, match="a>b>c"):
        mechanism_dominates(pair_of(HIGH), pair_of(HIGH, rainbow="b>a>c"))


def test_definition_3_a_utility_that_is_not_order_reasonable_is_caught() -> None:
    family = [pair_of(LOW), pair_of(HIGH)]
    assert check_order_reasonable(lambda m: m.distribution(0)["a"], family)
    # The expected place from the end is a sum over prefixes, so not lexicographic.
    verdict = check_order_reasonable(lambda m: 2 * m.distribution(0)["a"] + m.distribution(0)["b"], family)
    assert not verdict
    assert verdict.counterexample == (1, 0)
    assert verdict.utilities == (Fraction(1), Fraction(5, 4))


def test_definition_3_more_privacy_is_dominated_by_less_across_notions() -> None:
    """Three datasets from the boundary: 1 - 1/2 e^-2 = 0.93, 1 - 1/2 e^-4 = 0.99, Phi(2) = 0.977."""
    graph = path(6).rainbow_graph(["yes>no", "no>yes"], [0, 0, 0, 1, 1, 1])
    rising = [
        optimal_mechanism(graph, privacy, "uniform") for privacy in (PureDP(1), GaussianDP(1), PureDP(2))
    ]
    for less, more in pairwise(rising):
        assert mechanism_dominates(more, less)
        assert mechanism_dominates(less, more).dataset == 0
    assert check_order_reasonable(lambda m: m.probabilities()[0, 1], rising)
    assert check_order_reasonable(lambda m: m.probabilities()[0, 0], rising).counterexample == (1, 0)
