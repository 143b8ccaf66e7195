# SPDX-License-Identifier: Apache-2.0
"""Verification against brute force over all events, and against mechanisms that are wrong on purpose."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from rainbowdp.distribution import Distribution
from rainbowdp.errors import MechanismShapeError
from rainbowdp.exact import Exact, NormalExpression, enclose, parse_fraction
from rainbowdp.families import path
from rainbowdp.graph import DatasetGraph, RainbowGraph
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism, pullback
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP
from rainbowdp.verification import verify
from small_problems import (
    MUS,
    ODDS,
    RATIONAL,
    Problem,
    Row,
    graph_of,
    greatest_excess,
    mechanism_of,
    path_edges,
    problems,
    witness_of,
)

PAIR = graph_of(2, [(0, 1)])
EVERY_KIND = ("given", "uniform", "randomized-response", "max-min")


@drawn(st.one_of(problems(), problems(kinds=("max-min",)), problems(kinds=EVERY_KIND, mus=MUS)))
@settings(max_examples=25)
def test_verify_agrees_with_every_mechanism_that_the_package_makes(problem: Problem) -> None:
    mechanism, graph = problem.mechanism(), problem.graph()
    verification = verify(mechanism, graph, problem.notion)
    assert verification.holds
    assert verification.witness is None
    assert verification.pairs == graph.pair_count
    assert 0 <= verification.lower <= verification.upper
    assert verify(mechanism, graph.structure, problem.notion).holds


@st.composite
def exact_tables(draw: st.DrawFn) -> tuple[list[Row], list[tuple[int, int]]]:
    """Draw more rows than the filter thinks few, with zeros, tiny numbers and nearly equal ones."""
    seed = draw(st.integers(0, 2**32))
    random = np.random.default_rng(seed)
    colors = "abcd"[: draw(st.integers(2, 4))]
    size = draw(st.integers(70, 90))
    rows: list[Row] = []
    for _ in range(size):
        weights = [int(random.integers(900, 1000)) for _ in colors]
        tiny = [Fraction(1, 10 ** int(random.choice([2, 40, 310, 330]))) for _ in colors]
        parts = [
            Fraction(weight) if random.random() < 0.9 else (Fraction(0) if random.random() < 0.3 else small)
            for weight, small in zip(weights, tiny, strict=True)
        ]
        if sum(parts) == 0:
            parts[0] = Fraction(1)
        rows.append({c: part / sum(parts) for c, part in zip(colors, parts, strict=True)})
    return rows, [*path_edges(size), (0, 2), (3, 5)]


@drawn(
    exact_tables(), st.sampled_from([*RATIONAL, "ln 10000000000"]), st.sampled_from(["0", "1/1000", "1/2"])
)
@settings(max_examples=15)
def test_definition_2_with_the_filter_equals_brute_force(
    table: tuple[list[Row], list[tuple[int, int]]], epsilon: str, delta: str
) -> None:
    rows, edges = table
    odds = ODDS.get(epsilon, Fraction(10**10))
    excess, pair = greatest_excess(rows, edges, odds, Fraction(delta))
    privacy = PureDP(epsilon) if delta == "0" else ApproxDP(epsilon, delta)
    verification = verify(mechanism_of(rows), graph_of(len(rows), edges), privacy)
    assert verification.holds == (excess <= 0)
    if verification.witness is not None:
        assert verification.witness.excess == excess
        assert (int(verification.witness.source), int(verification.witness.target)) == pair
    if delta == "0":
        ratios = [
            (p[c], q[c]) for a, b in edges for p, q in ((rows[a], rows[b]), (rows[b], rows[a])) for c in p
        ]
        if any(p > 0 and q == 0 for p, q in ratios):
            assert verification.lower == verification.upper == math.inf
            return
        largest = max(p / q for p, q in ratios if q > 0)
        expected = math.log(largest.numerator) - math.log(largest.denominator)
        assert expected - 1e-12 <= verification.lower <= verification.upper <= expected + 1e-12
        assert verification.upper <= math.nextafter(verification.lower, math.inf)
    else:
        tight = max(greatest_excess(rows, edges, odds, Fraction(0))[0], Fraction(0))
        assert Fraction(verification.lower) <= tight <= Fraction(verification.upper)
        assert verification.upper <= math.nextafter(verification.lower, math.inf)


def test_the_tight_mu_is_the_largest_difference_of_quantiles() -> None:
    from scipy.stats import norm

    random = np.random.default_rng(7)
    for _ in range(20):
        table = random.integers(1, 100, size=(2, 4))
        rows: list[Row] = [
            {c: Fraction(int(v), int(line.sum())) for c, v in zip("abcd", line, strict=True)}
            for line in table
        ]
        verification = verify(mechanism_of(rows), PAIR, GaussianDP(10))
        expected = 0.0
        for mask in range(1, 15):
            inside = [c for bit, c in enumerate("abcd") if mask >> bit & 1]
            p, q = (float(sum((row[c] for c in inside), Fraction(0))) for row in rows)
            expected = max(expected, abs(float(norm.ppf(p) - norm.ppf(q))))
        assert verification.lower == pytest.approx(expected, rel=1e-9)
        assert verification.upper <= math.nextafter(verification.lower, math.inf)


@pytest.mark.parametrize(
    ("notion", "privacy"),
    [("epsilon", PureDP("ln 2")), ("delta", ApproxDP("ln 2", "1/10")), ("mu", GaussianDP(1))],
)
def test_equal_rows_have_the_tight_figure_zero(notion: str, privacy: PureDP | ApproxDP | GaussianDP) -> None:
    row = {"a": "1/3", "b": "2/3"}
    mechanism = Mechanism.from_table(["a>b", "b>a"], [row, row])
    verification = verify(mechanism, PAIR, privacy)
    assert verification
    assert (verification.notion, verification.lower, verification.upper) == (notion, 0.0, 0.0)
    alone = verify(mechanism, graph_of(2, []), privacy)
    assert (alone.holds, alone.lower, alone.upper, alone.pairs) == (True, 0.0, 0.0, 0)


@drawn(problems(smallest_size=3))
@settings(max_examples=25)
def test_stated_decimals_of_an_optimal_mechanism_pass_and_enclose_the_ideal_figure(problem: Problem) -> None:
    mechanism, graph = problem.mechanism(), problem.graph()
    stated = Mechanism.from_table(problem.rainbows, mechanism.probabilities())
    assert stated.stated
    verification = verify(stated, graph, problem.privacy)
    assert verification.holds
    ideal = verify(mechanism, graph, problem.privacy)
    assert verification.lower <= ideal.upper
    assert ideal.lower <= verification.upper
    if graph.pair_count and problem.delta == 0 and math.isfinite(ideal.upper):
        assert verification.upper - verification.lower < 1e-11


def test_strict_judges_the_decimals_as_they_are_written() -> None:
    # 1/3 and 2/3 to 16 digits: their ratio is above 2 by less than the stated precision.
    rows = np.array(
        [["0.6666666666666667", "0.3333333333333333"], ["0.3333333333333333", "0.6666666666666667"]]
    )
    mechanism = Mechanism.from_table(["a>b", "b>a"], rows, precision="float64")
    graph = PAIR
    assert verify(mechanism, graph, PureDP("ln 2")).holds
    strict = verify(mechanism, graph, PureDP("ln 2"), strict=True)
    assert witness_of(strict).excess == Fraction(1, 10**16)
    assert strict.lower > math.log(2) - 1e-15
    fractions = Mechanism.from_table(["a>b", "b>a"], rows, precision="exact")
    assert not verify(fractions, graph, PureDP("ln 2")).holds
    assert not verify(mechanism, graph, GaussianDP("0.86145459859"), strict=True).holds
    assert verify(mechanism, graph, GaussianDP("0.861454598591"), strict=True).holds


def test_strict_rows_need_not_sum_to_one() -> None:
    rows = np.array([[0.1, 0.2, 0.7000000000000001], [0.1, 0.2, 0.7]])
    mechanism = Mechanism.from_table(["a>b>c", "a>b>c"], rows)
    graph = PAIR
    for privacy in (PureDP("1e-15"), ApproxDP("1e-15", "1e-17"), GaussianDP("1e-15")):
        assert verify(mechanism, graph, privacy, strict=True).holds
    assert not verify(mechanism, graph, PureDP("1e-17"), strict=True).holds
    assert verify(mechanism, graph, PureDP("1e-17")).holds


@pytest.mark.parametrize("beyond", ["1e-9", "1e-11"])
def test_stated_decimals_fail_where_an_excess_is_proven(beyond: str) -> None:
    third = Fraction(1, 3) - parse_fraction(beyond)
    p, q = float(1 - third), float(third)
    mechanism = Mechanism.from_table(["a>b", "b>a"], np.array([[p, q], [q, p]]))
    for privacy in (PureDP("ln 2"), ApproxDP("ln 2", "1e-13")):
        assert witness_of(verify(mechanism, PAIR, privacy)).event == ("a",)
    assert verify(mechanism, PAIR, GaussianDP("0.8614546")).holds == (beyond == "1e-11")


def test_stated_zeros_are_zeros_where_both_rows_have_them() -> None:
    both = Mechanism.from_table(["a>b>c"] * 2, np.array([[0.5, 0.5, 0.0], [0.4, 0.6, 0.0]]))
    verification = verify(both, PAIR, PureDP(1))
    assert verification.holds
    assert verification.upper == pytest.approx(math.log(1.25), abs=1e-11)


def test_stated_twins_may_differ_within_their_precision() -> None:
    rows = np.array([[0.25, 0.75]])
    shared = Mechanism.from_table(["a>b"], rows, codes=np.array([0, 0]))
    apart = Mechanism.from_table(["a>b", "a>b"], np.concatenate([rows, rows]))
    for privacy in (PureDP(1), ApproxDP(0, "1/10"), GaussianDP(1)):
        one, other = (verify(m, PAIR, privacy) for m in (shared, apart))
        assert one.lower == other.lower
        assert one.upper == pytest.approx(other.upper, rel=1e-12)
        assert one.lower == 0
        assert 0 < one.upper < 1e-9
        assert verify(shared, PAIR, privacy, strict=True).upper == 0


def test_many_colors_under_gaussian_privacy_take_the_exact_path() -> None:
    colors = [f"c{index:02}" for index in range(12)]
    random = np.random.default_rng(3)
    table = random.integers(50, 60, size=(3, 12))
    floats = table / table.sum(axis=1, keepdims=True)
    fractions = [[Fraction(int(v), int(row.sum())) for v in row] for row in table]
    exact = Mechanism.from_table(
        [">".join(colors)] * 3, [dict(zip(colors, row, strict=True)) for row in fractions]
    )
    stated = Mechanism.from_table([">".join(colors)] * 3, floats)
    graph = graph_of(3, [(0, 1), (1, 2)])
    ideal = verify(exact, graph, GaussianDP(1))
    near = verify(stated, graph, GaussianDP(1))
    assert ideal.holds
    assert near.holds
    assert near.lower <= ideal.lower <= ideal.upper <= near.upper < ideal.upper + 1e-9
    tight = GaussianDP(Fraction(ideal.lower) * Fraction(99, 100))
    assert not verify(exact, graph, tight).holds
    assert not verify(stated, graph, tight).holds
    twins = Mechanism.from_table([">".join(colors)], floats[:1], codes=np.array([0, 0]))
    assert 0 < verify(twins, PAIR, GaussianDP(1)).upper < 1e-9


def test_a_number_that_4096_bits_do_not_decide_counts_as_failing_and_says_so() -> None:
    limit = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(1))
    near = enclose(limit, 5000)[0]
    quarter: dict[str, Exact] = {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    mechanism = Mechanism.from_table(["a>b", "b>a"], [{"a": near, "b": 1 - near}, quarter])
    assert witness_of(verify(mechanism, PAIR, GaussianDP(1))).undecided
    assert verify(mechanism, PAIR, GaussianDP("1.000001")).holds
    # Nor do they tell the difference of the two from 0.
    rest = Distribution.trusted({"a": limit - near, "b": 1 - limit + near})
    rows = (rest, Distribution.trusted(quarter))
    found = verify(replace(mechanism, rows=rows, precision="float64"), PAIR, GaussianDP(1))
    assert found.upper == np.inf
    assert "4096 bits" in (found.why_infinite or "")


def test_another_epsilon_than_the_one_it_was_made_for() -> None:
    graph = path(12).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(12) > 6).astype(int))
    mechanism = optimal_mechanism(graph, PureDP(1), "randomized-response")
    assert verify(mechanism, graph, PureDP("1.0001")).holds
    failed = verify(mechanism, graph, PureDP("0.9999"))
    assert not failed.holds
    assert failed.lower == pytest.approx(1, abs=1e-15)
    # At this delta the two constraints still differ, and the figure is a delta at the asked epsilon.
    half = verify(mechanism, graph, ApproxDP("1/2", "1/2"))
    table = mechanism.probabilities()
    beyond = {
        (str(one), str(other)): np.maximum(table[one] - math.exp(0.5) * table[other], 0).sum()
        for a, b in path_edges(12)
        for one, other in ((a, b), (b, a))
    }
    assert half.holds
    assert half.lower == pytest.approx(max(beyond.values()), rel=1e-12)
    # Powers of e^1 and of e^(1/2) have no common exact form, and the greatest excess is found all the same.
    witness = witness_of(verify(mechanism, graph, PureDP("1/2")))
    assert beyond[witness.source, witness.target] == pytest.approx(max(beyond.values()), rel=1e-12)
    assert verify(mechanism, graph, GaussianDP(2)).holds
    assert not verify(mechanism, graph, GaussianDP("1/10")).holds


def test_labels_in_another_order_are_put_in_order() -> None:
    graph = RainbowGraph.from_edges([("x", "y"), ("y", "z")], {"x": "a>b", "y": "a>b", "z": "b>a"})
    mechanism = optimal_mechanism(graph, PureDP("ln 2"), "uniform")
    shuffled = pullback([2, 0, 1], mechanism, labels=["z", "x", "y"])
    assert shuffled.distribution("x") == mechanism.distribution("x")
    assert verify(shuffled, graph, PureDP("ln 2")).holds
    # The structure alone has no names, so there the order is what it is.
    assert not verify(pullback([2, 0, 1], mechanism), graph.structure, PureDP("ln(3/2)")).holds
    renamed = pullback([0, 1, 2], mechanism, labels=["x", "y", "w"])
    with pytest.raises(MechanismShapeError, match="'z'"):
        verify(renamed, graph, PureDP("ln 2"))


def test_a_wrong_row_of_a_deep_line_is_found_with_exact_numbers() -> None:
    size = 1300
    graph = path(size).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(size) >= size - 2).astype(int))
    # One dataset too near to the others' end: its best color is likelier than two steps allow.
    mapping = np.arange(size)
    mapping[size - 5] = size - 9
    mutated = pullback(mapping, optimal_mechanism(graph, PureDP("ln(6/5)"), "uniform"))
    witness = witness_of(verify(mutated, graph, PureDP("ln(6/5)")))
    p, q = mutated.distribution(witness.source), mutated.distribution(witness.target)
    assert str(size - 5) in (witness.source, witness.target)
    assert (witness.probability, witness.limit) == (
        p.mass(witness.event),
        Fraction(6, 5) * q.mass(witness.event),
    )
    assert witness.excess == witness.probability - Fraction(6, 5) * q.mass(witness.event)


@pytest.mark.parametrize("privacy", [PureDP("1/2"), ApproxDP("1/2", "1/50")], ids=str)
def test_a_large_table_of_distinct_rows_is_covered_pair_by_pair(privacy: PureDP | ApproxDP) -> None:
    random = np.random.default_rng(11)
    size, pairs = 2_000, 20_000
    table = random.dirichlet([30, 30, 30], size=size)
    graph = DatasetGraph.from_pairs(size, random.integers(0, size, pairs), random.integers(0, size, pairs))
    verification = verify(Mechanism.from_table(["a>b>c"] * size, table), graph, privacy)
    one, other = graph.pairs()
    p, q = table[one], table[other]
    if isinstance(privacy, PureDP):
        figures, asked = np.log(np.maximum(p / q, q / p).max(axis=1)), 0.5
    else:
        ways = (np.maximum(x - math.exp(0.5) * y, 0).sum(axis=1) for x, y in ((p, q), (q, p)))
        figures, asked = np.maximum(*ways), 0.02
    worst = int(np.argmax(figures))
    assert verification.class_pairs == graph.pair_count
    assert verification.lower <= figures[worst] <= verification.upper < figures[worst] + 1e-11
    assert verification.holds == (figures[worst] <= asked)
    if isinstance(privacy, ApproxDP):
        witness = witness_of(verification)
        assert {witness.source, witness.target} == {str(one[worst]), str(other[worst])}


def test_rows_of_different_mu_are_told_apart_by_enclosures() -> None:
    """Two steps from Phi(-0.67): Phi(1.33) = 0.9075 at mu 1, Phi(3.33) = 0.9996 at mu 2, two quantiles apart.

    Under mu 1, b has 0.0925 beside 0.0004, which allows 0.0100; a 0.9996 beside 0.9075, which allows 0.99.
    """
    rows = [Line("a>b", {"a": "1/4", "b": "3/4"}, GaussianDP(mu)).distribution(2) for mu in (1, 2)]
    mechanism, graph = Mechanism.from_table(["a>b", "a>b"], rows), DatasetGraph.from_pairs(2, [0], [1])
    enough, less = verify(mechanism, graph, GaussianDP("201/100")), verify(mechanism, graph, GaussianDP(1))
    assert enough.holds
    assert 2 - 1e-12 < enough.lower <= enough.upper < 2 + 1e-12
    witness = witness_of(less)
    assert (witness.source, witness.event, witness.undecided) == ("0", ("b",), False)


def stated(rows: list[list[float]], **more: Any) -> Mechanism:  # noqa: ANN401 - options of another function
    return Mechanism.from_table(["a>b"] * len(rows), np.array(rows), **more)


@pytest.mark.parametrize(("privacy", "notion"), [(PureDP(600), "epsilon"), (GaussianDP(5), "mu")])
def test_a_stated_zero_beside_a_positive_number_is_named(privacy: PureDP | GaussianDP, notion: str) -> None:
    mechanism = stated([[1.0, 0.0], [0.5, 0.5], [0.5, 0.5]], labels=["sure", "fair", "fine"])
    graph = graph_of(3, [(1, 2), (0, 1)])
    found = verify(mechanism, graph, privacy)
    assert (found.holds, found.upper) == (False, np.inf)
    assert found.why_infinite == (
        "'b' is written 0 at 'sure' and 0.5 at its neighbor 'fair': "
        f"if 0 is meant, no finite {notion} is enough"
    )
    strict = verify(mechanism, graph, privacy, strict=True)
    assert (strict.why_infinite, strict.judged_within) == (found.why_infinite, None)
    assert verify(mechanism, graph, ApproxDP(1, "1/2")).why_infinite is None


@pytest.mark.parametrize("privacy", [PureDP(1000), GaussianDP(100)])
def test_a_number_too_close_to_zero_is_named(privacy: PureDP | GaussianDP) -> None:
    tiny = 1e-301
    apart = stated([[1.0, tiny], [1.0, 2 * tiny]], labels=["x", "y"])
    twins = stated([[1.0, tiny]], codes=np.array([0, 0]), labels=["x", "y"])
    for mechanism, there in ((apart, f" and {2 * tiny:g} at its neighbor 'y'"), (twins, "")):
        found = verify(mechanism, PAIR, privacy)
        assert (found.holds, found.upper) == (True, np.inf)
        assert found.why_infinite is not None
        assert f"'b' is written {tiny:g} at 'x'{there}" in found.why_infinite
        assert "too close to 0" in found.why_infinite


@pytest.mark.parametrize("privacy", [PureDP(50), ApproxDP(50, "1/10"), GaussianDP(20)])
def test_an_exact_zero_beside_a_positive_number_is_named(privacy: PureDP | ApproxDP | GaussianDP) -> None:
    rows = [{"a": "1/2", "b": "1/2"}, {"a": "1", "b": "0"}]
    found = verify(Mechanism.from_table(["a>b"] * 2, rows, labels=["fair", "sure"]), PAIR, privacy)
    witness = witness_of(found)
    assert (witness.source, witness.target, witness.event) == ("fair", "sure", ("b",))
    assert witness.probability == Fraction(1, 2)
    if not isinstance(privacy, ApproxDP):
        assert found.lower == np.inf
        assert "'b' has probability 0 at 'sure' and more at its neighbor 'fair'" in (found.why_infinite or "")
