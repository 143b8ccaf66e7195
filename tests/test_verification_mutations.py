# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with one wrong probability: every one beyond the bound is caught, with the right witness.

What is beyond is said by brute force over all events of all pairs of neighbors. The same mutations are judged
with and without the float64 filter, which otherwise only looks at hundreds of pairs of classes.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import flint
import numpy as np
from hypothesis import assume, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from rainbowdp.exact import Exact, ball, enclose
from rainbowdp.families import path
from rainbowdp.mechanism import Mechanism
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import GaussianDP, PureDP
from rainbowdp.verification import Verification, check, verify
from small_problems import (
    MUS,
    ODDS,
    RATIONAL,
    Edges,
    Problem,
    Row,
    fractions_of,
    gaussian_excess,
    graph_of,
    greatest_excess,
    greatest_gaussian_excess,
    mechanism_of,
    path_edges,
    problems,
    witness_of,
)
from test_verification_filters import with_the_filter


def mutated_rows(
    rows: Sequence[Mapping[str, Exact]], victims: Sequence[int], data: st.DataObject
) -> list[dict[str, Exact]]:
    """Move a part of one probability of one row, made rational, to another color."""
    victim = data.draw(st.sampled_from(victims))
    giver, taker = data.draw(st.permutations(sorted(rows[0])))[:2]
    share = Fraction(1, 2 ** data.draw(st.sampled_from([0, 1, 2, 5, 10, 30, 45, 50, 60])))
    changed = [dict(row) for row in rows]
    held = enclose(rows[victim][giver], 200)[0]
    moved = share * held
    changed[victim][giver] = rows[victim][giver] - moved
    changed[victim][taker] = rows[victim][taker] + moved
    return changed


def check_against_brute_force(
    rows: list[Row], edges: Edges, odds: Fraction, delta: Fraction, verification: Verification
) -> None:
    excess, pair = greatest_excess(rows, edges, odds, delta)
    assert verification.holds == (excess <= 0)
    if excess <= 0:
        return
    witness = witness_of(verification)
    assert witness.excess == excess
    assert (int(witness.source), int(witness.target)) == pair
    p, q = rows[pair[0]], rows[pair[1]]
    assert witness.event == tuple(sorted(witness.event))
    assert witness.probability == sum((p[color] for color in witness.event), Fraction(0))
    assert witness.limit == odds * sum((q[color] for color in witness.event), Fraction(0)) + delta


@drawn(
    st.one_of(
        problems(epsilons=RATIONAL, smallest_size=2),
        problems(epsilons=RATIONAL, smallest_size=2, kinds=("max-min",)),
    ),
    st.data(),
)
@settings(max_examples=40)
def test_a_mutation_beyond_the_bound_is_caught_with_the_right_witness(
    problem: Problem, data: st.DataObject
) -> None:
    assume(problem.edges)
    mechanism = problem.mechanism()
    made = [fractions_of(mechanism.distribution(dataset)) for dataset in range(problem.size)]
    victims = sorted({dataset for edge in problem.edges for dataset in edge})
    mutated = mechanism_of(mutated_rows(made, victims, data))
    rows: list[Row] = [fractions_of(mutated.distribution(dataset)) for dataset in range(problem.size)]
    odds = ODDS[problem.epsilon]
    few = data.draw(st.sampled_from([0, 64]))
    verification = with_the_filter(mutated, problem.edges, problem.privacy, few=few)
    check_against_brute_force(rows, problem.edges, odds, problem.delta, verification)


@drawn(st.sampled_from(["uniform", "max-min"]), st.data())
@settings(max_examples=4)
def test_a_mutation_among_hundreds_of_pairs_is_caught_with_the_right_witness(
    kind: str, data: st.DataObject
) -> None:
    size = 100
    privacy = PureDP("ln(101/100)")
    graph = path(size).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(size) >= 80).astype(int))
    mechanism = optimal_mechanism(graph, privacy, kind)  # type: ignore[arg-type]  # a name drawn above
    made = [fractions_of(mechanism.distribution(dataset)) for dataset in range(size)]
    mutated = mechanism_of(mutated_rows(made, range(size), data))
    rows: list[Row] = [fractions_of(mutated.distribution(dataset)) for dataset in range(size)]
    verification = verify(mutated, graph_of(size, path_edges(size)), privacy)
    assert verification.class_pairs > check.FEW_PAIRS
    check_against_brute_force(rows, path_edges(size), Fraction(101, 100), Fraction(0), verification)


def test_a_mutation_by_a_hair_is_caught() -> None:
    # The line meets its constraint with equality, so any move in the wrong direction is too much.
    graph = path(9).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(9) > 6).astype(int))
    mechanism = optimal_mechanism(graph, PureDP("ln 2"), "uniform")
    hair = Fraction(1, 10**400)
    rows: list[Row] = [fractions_of(mechanism.distribution(dataset)) for dataset in range(9)]
    rows[0] = {**rows[0], "a": rows[0]["a"] + hair, "b": rows[0]["b"] - hair}
    for few in (0, 64):
        verification = with_the_filter(mechanism_of(rows), path_edges(9), PureDP("ln 2"), few=few)
        witness = witness_of(verification)
        assert (witness.source, witness.target, witness.event) == ("1", "0", ("b",))
        assert witness.excess == 2 * hair


@drawn(problems(epsilons=("1", "1/2")), st.data())
@settings(max_examples=10)
def test_a_mutation_of_irrational_rows_is_caught(problem: Problem, data: st.DataObject) -> None:
    assume(problem.edges and problem.delta == 0)
    mechanism, graph = problem.mechanism(), problem.graph()
    edge = data.draw(st.sampled_from(problem.edges))
    # Swapping in a certain answer that the neighbor does not give with certainty breaks any pure constraint.
    row = mechanism.distribution(edge[0])
    color = next((c for c in mechanism.colors if row[c] > 0), "")
    others = [c for c in mechanism.colors if c != color]
    rows = [mechanism.distribution(dataset) for dataset in range(problem.size)]
    certain = {c: Fraction(int(c == others[0])) for c in mechanism.colors}
    table = [certain if at == edge[1] else dict(row) for at, row in enumerate(rows)]
    mutated = Mechanism.from_table(problem.rainbows, table)
    verification = verify(mutated, graph, problem.privacy)
    assert not verification.holds
    assert verification.upper == math.inf


def check_against_balls(
    rows: Sequence[Mapping[str, Exact]], edges: Edges, mu: Fraction, verification: Verification
) -> None:
    found = greatest_gaussian_excess(rows, edges, mu)
    assert verification.holds == (found is None)
    if found is None:
        return
    witness = witness_of(verification)
    assert not witness.undecided
    p, q = rows[int(witness.source)], rows[int(witness.target)]
    mass, other = (sum((row[c] for c in witness.event), Fraction(0)) for row in (p, q))
    assert witness.probability == mass
    with flint.ctx.workprec(500):
        least = flint.arb(2) ** -300
        # Several pairs can have the greatest excess, and then any of them is right.
        assert abs(gaussian_excess(mass, other, mu) - found[0]) < least
        if witness.excess is not None:
            assert abs(ball(witness.excess) - found[0]) < least


@drawn(problems(kinds=("given", "uniform", "randomized-response", "max-min"), mus=MUS), st.data())
@settings(max_examples=20)
def test_a_mutation_under_gaussian_privacy_is_caught_with_the_right_witness(
    problem: Problem, data: st.DataObject
) -> None:
    assume(problem.edges and problem.mu is not None)
    mechanism = problem.mechanism()
    made = [mechanism.distribution(dataset) for dataset in range(problem.size)]
    victims = sorted({dataset for edge in problem.edges for dataset in edge})
    rows = mutated_rows(made, victims, data)
    verification = verify(mechanism_of(rows), graph_of(problem.size, problem.edges), problem.notion)
    check_against_balls(rows, problem.edges, Fraction(problem.mu or 0), verification)


@drawn(st.data())
@settings(max_examples=4)
def test_a_mutation_among_hundreds_of_pairs_under_gaussian_privacy_is_caught(data: st.DataObject) -> None:
    size, mu = 80, Fraction(1, 40)
    graph = path(size).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(size) >= 60).astype(int))
    # Rows of a smaller mu, rounded to fractions: private with a little room, and nothing is symbolic.
    table = optimal_mechanism(graph, GaussianDP("1/41"), "uniform").probabilities()
    made: list[Row] = []
    for a, b, _ in table.tolist():
        first, second = Fraction(round(a * 2**60), 2**60), Fraction(round(b * 2**60), 2**60)
        made.append({"a": first, "b": second, "c": 1 - first - second})
    assert verify(mechanism_of(made), graph.structure, GaussianDP(mu)).holds
    rows = mutated_rows(made, range(size), data)
    verification = verify(mechanism_of(rows), graph.structure, GaussianDP(mu))
    assert verification.class_pairs > check.FEW_PAIRS
    check_against_balls(rows, path_edges(size), mu, verification)
