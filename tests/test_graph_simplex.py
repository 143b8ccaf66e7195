# SPDX-License-Identifier: Apache-2.0
"""Histograms without pairs: every start set of small families, networkx, listed pairs, and the metric."""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pair_cases import PairCase
from rainbowdp.errors import GraphShapeError
from rainbowdp.graph.simplex import Neighbors, SimplexGraph
from relation_answers import (
    assert_answers,
    assert_same_answers,
    codes_and_starts,
    compiled_or_not,
    explicit,
    regions,
)

RELATIONS: tuple[Neighbors, ...] = ("change-one", "add-remove")


def rows_of(records: int, options: int, relation: Neighbors) -> list[tuple[int, ...]]:
    return [
        row
        for row in itertools.product(range(records + 1), repeat=options)
        if (sum(row) == records if relation == "change-one" else sum(row) <= records)
    ]


def pairs_of(records: int, options: int, relation: Neighbors) -> list[tuple[int, int]]:
    """Return the pairs of rows that differ by one record."""
    rows = rows_of(records, options, relation)
    apart = 2 if relation == "change-one" else 1
    return [
        (one, other)
        for one, other in itertools.combinations(range(len(rows)), 2)
        if sum(abs(a - b) for a, b in zip(rows[one], rows[other], strict=True)) == apart
    ]


def moves_of(options: int, relation: Neighbors) -> list[NDArray[np.int64]]:
    units = np.eye(options, dtype=np.int64)
    if relation == "add-remove":
        return list(units)
    return [units[one] - units[other] for one, other in itertools.combinations(range(options), 2)]


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("relation", RELATIONS)
@settings(max_examples=40)
@given(st.integers(0, 7), st.integers(1, 4), st.data())
def test_histograms_answer_what_brute_force_does(
    relation: Neighbors, is_compiled: bool, records: int, options: int, data: st.DataObject
) -> None:
    graph = SimplexGraph(records, options, relation)
    assert graph.rows_of(np.arange(graph.size)).tolist() == list(
        map(list, rows_of(records, options, relation))
    )
    pairs = pairs_of(records, options, relation)
    case = PairCase(graph.size, pairs, *data.draw(codes_and_starts(graph.size)))
    with compiled_or_not(is_compiled):
        assert_answers(graph, case)
    assert graph.pair_count == len(pairs)


@pytest.mark.parametrize(
    ("records", "options", "relation"),
    [
        (9, 2, "change-one"),
        (3, 3, "change-one"),
        (1, 6, "change-one"),
        (9, 1, "add-remove"),
        (3, 2, "add-remove"),
        (1, 7, "add-remove"),
    ],
)
def test_steps_are_right_from_every_set_of_starts(records: int, options: int, relation: Neighbors) -> None:
    graph = SimplexGraph(records, options, relation)
    network = nx.Graph(pairs_of(records, options, relation))
    far = dict(nx.all_pairs_shortest_path_length(network))
    apart = np.array([[far[one][other] for other in range(graph.size)] for one in range(graph.size)])
    with compiled_or_not(True):
        for chosen in range(1, 2**graph.size):
            starts = (chosen >> np.arange(graph.size)) % 2 == 1
            assert np.array_equal(graph.steps_from(starts), apart[starts].min(axis=0))


@pytest.mark.parametrize(
    ("records", "options", "relation"),
    [
        (300, 3, "change-one"),
        (70_000, 2, "change-one"),
        (4, 10, "change-one"),
        (70_000, 1, "add-remove"),
        (50, 3, "add-remove"),
        (5, 8, "add-remove"),
    ],
)
def test_large_families_answer_what_their_pairs_do(records: int, options: int, relation: Neighbors) -> None:
    graph = SimplexGraph(records, options, relation)
    rows = graph.rows_of(np.arange(graph.size))
    listed = explicit(rows, moves_of(options, relation))
    codes = regions(rows, 10, seed=records)
    with compiled_or_not(True):
        assert_same_answers(graph, listed, codes, listed.mixed(codes))
        lonely = np.arange(graph.size) == graph.size // 3
        assert_same_answers(graph, listed, np.zeros(graph.size, dtype=np.int32), lonely)


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_histogram_may_have_a_code_of_its_own(relation: Neighbors) -> None:
    graph = SimplexGraph(40, 3, relation)
    codes = np.arange(graph.size, dtype=np.int32)
    with compiled_or_not(True):
        met = graph.code_pairs(codes, graph.size)
    source, target = graph.pairs()
    assert np.array_equal(met.first, source)
    assert np.array_equal(met.second, target)
    assert np.array_equal(met.source, source)
    assert np.array_equal(met.target, target)


@settings(max_examples=40)
@given(st.integers(0, 6), st.integers(1, 4), st.sampled_from(RELATIONS))
def test_rows_and_numbers_go_together(records: int, options: int, relation: Neighbors) -> None:
    graph = SimplexGraph(records, options, relation)
    rows = graph.rows_of(np.arange(graph.size)).tolist()
    assert [graph.number_of(row) for row in rows] == list(range(graph.size))
    for row in ([*rows[0], 0], rows[0][1:], [-1, *rows[0][1:]], [records + 1, *rows[0][1:]]):
        assert graph.number_of(row) is None
    source, target = graph.pairs()
    assert list(zip(source.tolist(), target.tolist(), strict=True)) == pairs_of(records, options, relation)


@pytest.mark.parametrize(
    ("records", "options", "relation"),
    [
        (-1, 2, "change-one"),
        (2.0, 2, "change-one"),
        (2, 0, "change-one"),
        (2, 2, "both"),
        (2, 2, ["change-one"]),
        (10**6, 3, "add-remove"),
        (10**400, 10**400, "change-one"),
    ],
)
def test_impossible_families_are_refused(records: int, options: int, relation: Neighbors) -> None:
    with pytest.raises(GraphShapeError) as caught:
        SimplexGraph(records, options, relation)
    assert caught.value.help
