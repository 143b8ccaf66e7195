# SPDX-License-Identifier: Apache-2.0
"""Products and histograms without pairs: against networkx and brute force, listed pairs, and their metric."""

import itertools
import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pair_cases import PairCase
from rainbowdp.errors import GraphShapeError
from rainbowdp.graph import ProductGraph, SimplexGraph, implicit
from rainbowdp.graph.histograms import Neighbors
from rainbowdp.graph.implicit import LARGEST_SIZE, Blockwise
from rainbowdp.graph.product import AxisKind
from relation_answers import (
    assert_answers,
    assert_same_answers,
    codes_and_starts,
    compiled_or_not,
    regions,
)

Family = ProductGraph | SimplexGraph
MAKERS = {"path": nx.path_graph, "cycle": nx.cycle_graph, "complete": nx.complete_graph}
RELATIONS: tuple[Neighbors, ...] = ("change-one", "add-remove")


@st.composite
def products(draw: st.DrawFn, largest: int = 400) -> ProductGraph:
    """Draw products of one to four axes of any kinds."""
    lengths: list[int] = []
    kinds: list[AxisKind] = []
    for _ in range(draw(st.integers(1, 4))):
        kind: AxisKind = draw(st.sampled_from(["path", "cycle", "complete"]))
        least = 3 if kind == "cycle" else 1
        most = largest // math.prod(lengths)
        if most < least:
            break
        lengths.append(draw(st.integers(least, min(most, 30))))
        kinds.append(kind)
    return ProductGraph(tuple(lengths), tuple(kinds))


histograms = st.builds(SimplexGraph, st.integers(0, 7), st.integers(1, 4), st.sampled_from(RELATIONS))


def rows_of(graph: Family) -> list[tuple[int, ...]]:
    """Return all rows of a family in lexicographic order."""
    if isinstance(graph, ProductGraph):
        return list(itertools.product(*map(range, graph.lengths)))
    rows = itertools.product(range(graph.records + 1), repeat=graph.options)
    exact = graph.relation == "change-one"
    return [row for row in rows if (sum(row) == graph.records if exact else sum(row) <= graph.records)]


Node = int | tuple[Any, int]
"""A node of a product of products: pairs of a node of the first ones, and a node of the last."""


def row_of(node: Node) -> tuple[int, ...]:
    """Return the coordinates of a node."""
    return (*row_of(node[0]), node[1]) if isinstance(node, tuple) else (node,)


def pairs_of(graph: Family) -> list[tuple[int, int]]:
    """Return the pairs that networkx has, or of rows that differ by one record, by number."""
    number = {row: at for at, row in enumerate(rows_of(graph))}
    if isinstance(graph, ProductGraph):
        factors = [MAKERS[kind](length) for length, kind in zip(graph.lengths, graph.kinds, strict=True)]
        edges = reduce(nx.cartesian_product, factors).edges()
        return [(number[row_of(one)], number[row_of(other)]) for one, other in edges]
    apart = 2 if graph.relation == "change-one" else 1
    return [
        (number[one], number[other])
        for one, other in itertools.combinations(number, 2)
        if sum(abs(a - b) for a, b in zip(one, other, strict=True)) == apart
    ]


@pytest.mark.parametrize("how", ["compiled", "listed", "by blocks"])
@pytest.mark.parametrize("families", [products(), histograms], ids=["products", "histograms"])
@settings(max_examples=15)
@given(data=st.data())
def test_families_answer_what_their_pairs_do(
    families: st.SearchStrategy[Family], how: str, data: st.DataObject
) -> None:
    graph = data.draw(families)
    case = PairCase(graph.size, pairs_of(graph), *data.draw(codes_and_starts(graph.size)))
    with compiled_or_not(how == "compiled"), pytest.MonkeyPatch.context() as patch:
        if how == "by blocks":
            patch.setattr(Blockwise, "_few", -1)
            patch.setattr(implicit, "PAIRS_AT_ONCE", 100)
        assert_answers(graph, case)
    source, target = graph.pairs()
    assert list(zip(source.tolist(), target.tolist(), strict=True)) == case.edges()
    assert graph.pair_count == len(case.edges())
    assert graph.notes == graph.listed().notes == ()
    for dataset in (0, graph.size // 2, graph.size - 1):
        assert graph.neighbors(dataset).tolist() == graph.listed().neighbors(dataset).tolist()
    rows = graph.rows_of(np.arange(graph.size)).tolist()
    assert rows == list(map(list, rows_of(graph)))
    assert [graph.number_of(row) for row in rows] == list(range(graph.size))
    for row in ([*rows[0], 0], rows[0][1:], [-1, *rows[0][1:]], [1000, *rows[0][1:]]):
        assert graph.number_of(row) is None


LARGE = [
    ProductGraph((7_001,), ("cycle",)),
    ProductGraph((7,) * 5, ("complete",) * 5),
    ProductGraph((4, 1, 500, 40), ("complete", "path", "cycle", "path")),
    SimplexGraph(90, 3, "change-one"),
    SimplexGraph(4, 10, "change-one"),
    SimplexGraph(9_000, 1, "add-remove"),
    SimplexGraph(50, 3, "add-remove"),
    SimplexGraph(5, 8, "add-remove"),
]


@pytest.mark.parametrize("graph", LARGE, ids=repr)
def test_large_families_answer_what_their_pairs_do(graph: Family) -> None:
    rows = graph.rows_of(np.arange(graph.size))
    listed = graph.listed()
    assert graph.pair_count == listed.pair_count
    codes = regions(rows, 12, seed=graph.size)
    lonely = np.arange(graph.size) == graph.size // 3
    with compiled_or_not(True):
        assert_same_answers(graph, listed, codes, listed.mixed(codes))
        assert_same_answers(graph, listed, np.zeros(graph.size, dtype=np.int32), lonely)


@pytest.mark.parametrize("count", [2, 3, 64, 65])
@pytest.mark.parametrize("lengths", [(2,) * 12, (7,) * 5, (3, 5_000)], ids=str)
def test_complete_axes_find_the_least_pair_of_any_codes(lengths: tuple[int, ...], count: int) -> None:
    graph = ProductGraph(lengths, tuple("complete" if length < 9 else "path" for length in lengths))
    codes = np.minimum(np.random.default_rng(count).geometric(0.1, graph.size) - 1, count - 1)
    with compiled_or_not(True):
        assert_same_answers(graph, graph.listed(), codes.astype(np.int32), codes == 0)


@pytest.mark.parametrize("shape", [(70_000,), (300, 2), (2, 40_000)])
def test_steps_may_be_more_than_small_integers_hold(shape: tuple[int, ...]) -> None:
    graph = ProductGraph(shape, tuple("path" for _ in shape))
    starts = np.arange(graph.size) == 0
    with compiled_or_not(True):
        steps = graph.steps_from(starts)
        assert np.array_equal(steps, graph.rows_of(np.arange(graph.size)).sum(axis=1))
        assert int(graph.steps_from(~starts)[0]) == 1
        assert int(graph.steps_from(starts & ~starts).max()) == -1


@pytest.mark.parametrize(
    ("records", "options", "relation"),
    [(6, 2, "change-one"), (2, 3, "change-one"), (6, 1, "add-remove"), (2, 2, "add-remove")],
)
def test_steps_are_right_from_every_set_of_starts(records: int, options: int, relation: Neighbors) -> None:
    graph = SimplexGraph(records, options, relation)
    far = dict(nx.all_pairs_shortest_path_length(nx.Graph(pairs_of(graph))))
    apart = np.array([[far[one][other] for other in range(graph.size)] for one in range(graph.size)])
    with compiled_or_not(True):
        for chosen in range(1, 2**graph.size):
            starts = (chosen >> np.arange(graph.size)) % 2 == 1
            assert np.array_equal(graph.steps_from(starts), apart[starts].min(axis=0))


@pytest.mark.parametrize(
    "graph",
    [
        ProductGraph((40_000,), ("cycle",)),
        ProductGraph((70, 70), ("complete", "complete")),
        *(SimplexGraph(40, 3, relation) for relation in RELATIONS),
    ],
    ids=repr,
)
def test_every_dataset_may_have_a_code_of_its_own(graph: Family) -> None:
    codes = np.random.default_rng(5).permutation(graph.size).astype(np.int32)
    source, target = graph.pairs()
    with compiled_or_not(True):
        met = graph.code_pairs(codes, graph.size)
    assert np.array_equal(np.sort(met.source * graph.size + met.target), source * graph.size + target)
    assert np.array_equal(np.minimum(codes[met.source], codes[met.target]), met.first)
    assert np.array_equal(np.maximum(codes[met.source], codes[met.target]), met.second)
    assert met.same.size == 0


@pytest.mark.parametrize(
    ("build", "arguments"),
    [
        (ProductGraph, ((), ())),
        (ProductGraph, ((2, 2), ("path",))),
        (ProductGraph, ((0,), ("path",))),
        (ProductGraph, ((2,), ("cycle",))),
        (ProductGraph, ((2,), ("star",))),
        (ProductGraph, ((LARGEST_SIZE + 1,), ("path",))),
        (SimplexGraph, (-1, 2, "change-one")),
        (SimplexGraph, (2, 0, "change-one")),
        (SimplexGraph, (10**6, 3, "add-remove")),
        (SimplexGraph, (10**400, 10**400, "change-one")),
    ],
)
def test_impossible_families_are_refused(build: Callable[..., Family], arguments: tuple[Any, ...]) -> None:
    with pytest.raises(GraphShapeError) as caught:
        build(*arguments)
    assert caught.value.help
