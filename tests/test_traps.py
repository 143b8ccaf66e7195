# SPDX-License-Identifier: Apache-2.0
"""Where it is easy to go wrong: every trap, with the numbers that show it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rainbowdp.boundary import from_datasets, given
from rainbowdp.distribution import Distribution, dominates
from rainbowdp.errors import DistributionError, NotHomogeneousError
from rainbowdp.exact import enclose, sign, to_float
from rainbowdp.families import path
from rainbowdp.graph import DatasetGraph, RainbowGraph, boundary_morphism, listed
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism, check_homogeneous
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import GaussianDP, PureDP
from rainbowdp.rainbow import Rainbow
from rainbowdp.verification import verify
from small_problems import as_fraction, best_mechanism, private_rows, witness_of
from test_graph_rainbow_graph import figure_1

DOUBLE = PureDP("ln 2")
ORDER = Rainbow.parse("a>b>c")


def distribution(*values: str) -> Distribution:
    return Distribution(dict(zip("abc", values, strict=True)))


def test_two_steps_at_epsilon_are_not_one_step_at_twice_epsilon() -> None:
    assert DOUBLE.propagate(Fraction(1, 4), 2) == Fraction(3, 4)
    assert PureDP("ln 4").propagate(Fraction(1, 4)) == Fraction(13, 16)
    assert DOUBLE.propagate(DOUBLE.propagate(Fraction(1, 4))) == Fraction(3, 4)


def test_the_smallest_prefix_over_several_boundaries_is_not_private_for_three_colors() -> None:
    one, other = distribution("1/8", "1/4", "5/8"), distribution("1/4", "1/8", "5/8")
    masses = [
        min(first, second)
        for first, second in zip(
            *(Line(ORDER, boundary, DOUBLE).prefix_masses(1) for boundary in (one, other)), strict=True
        )
    ]
    middle = {"a": masses[0], "b": masses[1] - masses[0], "c": 1 - masses[1]}
    assert middle == {"a": Fraction(1, 4), "b": Fraction(7, 16), "c": Fraction(5, 16)}
    mechanism = Mechanism.from_table(["a>b>c"] * 3, [one, middle, other])
    verification = verify(mechanism, DatasetGraph.from_pairs(3, [0, 1], [1, 2]), DOUBLE)
    witness = witness_of(verification)
    assert (witness.source, witness.target, witness.event) == ("1", "2", ("b",))
    assert (witness.probability, witness.limit, witness.excess) == (
        Fraction(7, 16),
        Fraction(1, 4),
        Fraction(3, 16),
    )


@dataclass(frozen=True)
class Chain:
    """Pairs of datasets, each with odds of its own, and some datasets with fixed probabilities."""

    edges: Sequence[tuple[int, int, float]]
    fixed: Mapping[int, Sequence[float]]
    size: int
    colors: int

    def largest(
        self, objective: Sequence[float], held: Sequence[tuple[Sequence[float], float]] = ()
    ) -> NDArray[np.float64]:
        """Maximize over all pure mechanisms, some sums held from below; not a number if there are none."""
        rows = private_rows(self.edges, self.size, self.colors, [[color] for color in range(self.colors)])
        right = [0.0] * len(rows) + [-value for _, value in held]
        rows += [-np.asarray(entries) for entries, _ in held]
        gain = np.reshape(np.asarray(objective, dtype=np.float64), (self.size, self.colors))
        found = best_mechanism(gain, rows, right, self.fixed)
        return np.full(gain.shape, np.nan) if found is None else found


@drawn(
    st.integers(3, 7),
    st.lists(st.integers(1, 9), min_size=2, max_size=2),
    st.lists(st.sampled_from(["ln(6/5)", "ln 2", "ln 3"]), min_size=12, max_size=12),
    st.booleans(),
)
@settings(max_examples=50)
def test_the_smallest_prefix_is_the_optimum_for_two_colors_with_an_epsilon_per_edge(
    size: int, tenths: list[int], epsilons: list[str], cycle: bool
) -> None:
    pairs = [*pairwise(range(size)), *([(0, size - 1)] if cycle and size > 2 else [])]
    notions = [PureDP(epsilons[index]) for index in range(len(pairs))]
    boundary = {0: Fraction(tenths[0], 10), size - 1: Fraction(tenths[1], 10)}
    # What follows from a boundary mass along a walk is the composition of its steps; the least one counts.
    masses = {dataset: boundary.get(dataset, Fraction(1)) for dataset in range(size)}
    for _ in range(size + 1):
        for (one, other), notion in zip(pairs, notions, strict=True):
            for source, target in ((one, other), (other, one)):
                moved = notion.propagate(masses[source])
                assert isinstance(moved, Fraction)
                if target not in boundary:
                    masses[target] = min(masses[target], moved)
    edges = [
        (one, other, to_float(notion.odds, "nearest"))
        for (one, other), notion in zip(pairs, notions, strict=True)
    ]
    fixed = {dataset: (float(mass), float(1 - mass)) for dataset, mass in boundary.items()}
    best = Chain(edges, fixed, size, 2).largest([1.0, 0.0] * size)
    if np.isnan(best).any():
        # The two boundary masses themselves are too far apart for the way between them.
        ends = [verdict(masses, pair, notion) for pair, notion in zip(pairs, notions, strict=True)]
        assert not all(ends)
        return
    assert best[:, 0].tolist() == pytest.approx([float(masses[d]) for d in range(size)], abs=1e-9)


def verdict(masses: dict[int, Fraction], pair: tuple[int, int], notion: PureDP) -> bool:
    rows = [Distribution({"a": masses[dataset], "b": 1 - masses[dataset]}) for dataset in pair]
    return bool(notion.admits(rows[0], rows[1]))


FIRST, LAST = ("1/8", "3/4", "1/8"), ("3/8", "1/4", "3/8")


def test_without_a_homogeneous_boundary_there_may_be_no_optimum() -> None:
    ends = {0: [float(Fraction(value)) for value in FIRST], 3: [float(Fraction(value)) for value in LAST]}
    chain = Chain([(0, 1, 2.0), (1, 2, 2.0), (2, 3, 2.0)], ends, 4, 3)

    def unit(dataset: int, color: int) -> list[float]:
        entries = [0.0] * 12
        entries[dataset * 3 + color] = 1.0
        return entries

    def lexicographic(dataset: int) -> list[float]:
        first = float(chain.largest(unit(dataset, 0))[dataset, 0])
        found = chain.largest(unit(dataset, 1), [(unit(dataset, 0), first - 1e-12)])
        return [float(value) for value in found[dataset]]

    assert lexicographic(1) == pytest.approx([1 / 4, 21 / 32, 3 / 32], abs=1e-9)
    assert lexicographic(2) == pytest.approx([1 / 2, 5 / 16, 3 / 16], abs=1e-9)
    both = [
        (unit(1, 0), 1 / 4 - 1e-9),
        (unit(1, 1), 21 / 32 - 1e-9),
        (unit(2, 0), 1 / 2 - 1e-9),
        (unit(2, 1), 5 / 16 - 1e-9),
    ]
    assert np.isnan(chain.largest([0.0] * 12, both)).all()
    # Color after color over both datasets: the first colors can be had together, the second ones cannot.
    firsts = both[0:1] + both[2:3]
    seconds = [a + b for a, b in zip(unit(1, 1), unit(2, 1), strict=True)]
    greedy = chain.largest(seconds, firsts)
    assert greedy[1].tolist() == pytest.approx([1 / 4, 5 / 8, 1 / 8], abs=1e-6)
    assert greedy[2].tolist() == pytest.approx([1 / 2, 5 / 16, 3 / 16], abs=1e-6)
    x, y = distribution("1/4", "5/8", "1/8"), distribution("1/2", "5/16", "3/16")
    walk = [distribution(*FIRST), x, y, distribution(*LAST)]
    assert all(DOUBLE.admits(p, q) for p, q in pairwise(walk))
    assert not dominates(x, distribution("1/4", "21/32", "3/32"), ORDER)


def test_a_boundary_that_is_not_homogeneous_is_refused_naming_two_datasets() -> None:
    graph = RainbowGraph.from_edges(
        [("out1", "b1"), ("b1", "x"), ("x", "y"), ("y", "b2"), ("b2", "out2")],
        {"out1": "c>b>a", "b1": "a>b>c", "x": "a>b>c", "y": "a>b>c", "b2": "a>b>c", "out2": "c>b>a"},
    )
    ends = {"b1": distribution(*FIRST), "b2": distribution(*LAST)}
    outside = distribution("1/4", "1/2", "1/4")
    with pytest.raises(NotHomogeneousError) as caught:
        from_datasets(graph, {**ends, "out1": outside, "out2": outside})
    assert "'b1'" in caught.value.what
    assert "'b2'" in caught.value.what
    same = from_datasets(graph, {"b1": outside, "b2": outside, "out1": outside, "out2": outside})
    assert check_homogeneous(optimal_mechanism(graph, DOUBLE, same), graph)


def test_the_rounded_numbers_of_example_1_do_not_sum_to_one() -> None:
    rounded = {"blue": "0.0545", "red": "0.1636", "green": "0.7818"}
    with pytest.raises(DistributionError) as caught:
        Distribution(rounded)
    assert "0.9999" in caught.value.what
    assert "--normalize" in caught.value.help
    normalized = Distribution(rounded, normalize=True)
    behind = Distribution({"blue": "3/55", "red": "9/55", "green": "43/55"})
    rainbow = Rainbow.parse("blue>red>green")
    for boundary in (normalized, behind):
        for epsilon in ("ln(6/5)", "0.1823"):
            assert Line(rainbow, boundary, PureDP(epsilon)).thresholds == (12, 5)


def test_figure_1b_has_one_edge_too_many() -> None:
    boundary_graph = boundary_morphism(figure_1()).boundary_graph
    assert (boundary_graph.size, boundary_graph.pair_count) == (11, 16)
    one = boundary_graph.index("green>red>blue @ 0")
    other = boundary_graph.index("green>blue>red @ 0")
    assert other not in listed(boundary_graph.structure).neighbors(one).tolist()
    assert (
        boundary_graph.index("blue>green>red @ 0")
        in listed(boundary_graph.structure).neighbors(other).tolist()
    )


def test_rounding_prefix_masses_down_and_taking_differences_breaks_the_tails() -> None:
    line = Line(ORDER, distribution("1/3", "1/3", "1/3"), PureDP("ln(6/5)"))
    size = 190
    rounded = []
    for distance in range(size):
        masses = [Fraction(to_float(mass, "down")) for mass in line.prefix_masses(distance)]
        rounded.append({"a": masses[0], "b": masses[1] - masses[0], "c": 1 - masses[1]})
    neighbors = path(size).structure
    failed = verify(Mechanism.from_table(["a>b>c"] * size, rounded), neighbors, line.privacy)
    # The rounding is of 2^-53, and so is the excess; but the odds are wrong by several percent.
    assert as_fraction(witness_of(failed).excess) < Fraction(1, 2**50)
    assert failed.lower > math.log(1.25) > math.log(1.2)
    ideal = [line.distribution(distance) for distance in range(size)]
    assert verify(Mechanism.from_table(["a>b>c"] * size, ideal), neighbors, line.privacy).holds
    table = line.probabilities(np.arange(size))
    assert verify(Mechanism.from_table(["a>b>c"] * size, table), neighbors, line.privacy).holds


def test_differences_of_nearly_equal_floats_lose_all_digits() -> None:
    line = Line(ORDER, distribution("1/3", "1/3", "1/3"), PureDP(1))
    masses = [to_float(mass, "nearest") for mass in line.prefix_masses(60)]
    assert masses[1] - masses[0] == 0
    number = float(line.probabilities(np.array([60]))[0, 1])
    low, high = enclose(line.distribution(60)["b"], 300)
    assert 0 < number < 1e-26
    assert abs(Fraction(number) - low) < low / 10**15
    assert high - low < low / 10**15


@pytest.mark.parametrize("notion", [PureDP(1), PureDP("ln 3"), GaussianDP(1)])
def test_a_dataset_without_any_way_to_a_boundary_is_unconstrained(notion: PureDP | GaussianDP) -> None:
    graph = RainbowGraph.from_arrays([0, 2], [1, 3], ["a>b", "b>a", "a>b", "a>b"])
    half = {"a": "1/2", "b": "1/2"}
    mechanism = optimal_mechanism(graph, notion, given({"a>b": half, "b>a": half}))
    assert sign(mechanism.distribution(3)["a"] - 1) == 0
    assert mechanism.distance.tolist() == [0, 0, None, None]
    assert verify(mechanism, graph, notion).holds
