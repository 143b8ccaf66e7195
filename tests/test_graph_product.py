# SPDX-License-Identifier: Apache-2.0
"""Products without pairs against networkx, against listed pairs, and against their metric."""

import math
from functools import reduce
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pair_cases import PairCase
from rainbowdp.errors import GraphShapeError
from rainbowdp.graph.implicit import LARGEST_SIZE
from rainbowdp.graph.product import AxisKind, ProductGraph
from relation_answers import (
    assert_answers,
    assert_same_answers,
    codes_and_starts,
    compiled_or_not,
    explicit,
    regions,
)

MAKERS = {"path": nx.path_graph, "cycle": nx.cycle_graph, "complete": nx.complete_graph}


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


Node = int | tuple[Any, int]
"""A node of a product of products: pairs of a node of the first ones, and a node of the last."""


def row_of(node: Node) -> tuple[int, ...]:
    """Return the coordinates of a node."""
    return (*row_of(node[0]), node[1]) if isinstance(node, tuple) else (node,)


def pairs_of(graph: ProductGraph) -> list[tuple[int, int]]:
    """Return the pairs as networkx has them, by the numbers of the datasets."""
    factors = [MAKERS[kind](length) for length, kind in zip(graph.lengths, graph.kinds, strict=True)]
    product = reduce(nx.cartesian_product, factors)

    def number(node: Node) -> int:
        return int(np.ravel_multi_index(row_of(node), graph.lengths))

    return [(number(one), number(other)) for one, other in product.edges()]


@pytest.mark.parametrize("is_compiled", [True, False])
@settings(max_examples=25)
@given(products(), st.data())
def test_products_answer_what_networkx_does(
    is_compiled: bool, graph: ProductGraph, data: st.DataObject
) -> None:
    case = PairCase(graph.size, pairs_of(graph), *data.draw(codes_and_starts(graph.size)))
    with compiled_or_not(is_compiled):
        assert_answers(graph, case)
    source, target = graph.pairs()
    assert list(zip(source.tolist(), target.tolist(), strict=True)) == case.edges()
    assert graph.pair_count == len(case.edges())
    assert graph.notes == graph.listed().notes == ()
    for dataset in (0, graph.size // 2, graph.size - 1):
        assert graph.neighbors(dataset).tolist() == graph.listed().neighbors(dataset).tolist()


def moves_of(graph: ProductGraph) -> list[Any]:
    """Return what can be added to a row to get a larger neighbor."""
    moves = []
    for axis, (length, kind) in enumerate(zip(graph.lengths, graph.kinds, strict=True)):
        most = {"path": [1], "cycle": [1, length - 1], "complete": list(range(1, length))}[kind]
        moves += [step * np.eye(len(graph.lengths), dtype=np.int64)[axis] for step in most]
    return moves


LARGE = [
    ProductGraph((70_001,), ("cycle",)),
    ProductGraph((300, 200), ("path", "path")),
    ProductGraph((2,) * 13, ("complete",) * 13),
    ProductGraph((7,) * 5, ("complete",) * 5),
    ProductGraph((20, 3000), ("complete", "path")),
    ProductGraph((4, 1, 5000, 4), ("complete", "path", "cycle", "path")),
]


@pytest.mark.parametrize("graph", LARGE, ids=repr)
def test_large_products_answer_what_their_pairs_do(graph: ProductGraph) -> None:
    rows = graph.rows_of(np.arange(graph.size))
    listed = explicit(rows, moves_of(graph))
    codes = regions(rows, 12, seed=graph.size)
    with compiled_or_not(True):
        assert_same_answers(graph, listed, codes, listed.mixed(codes))


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
    "graph", [ProductGraph((40_000,), ("cycle",)), ProductGraph((70, 70), ("complete", "complete"))], ids=repr
)
def test_every_dataset_may_have_a_code_of_its_own(graph: ProductGraph) -> None:
    codes = np.random.default_rng(5).permutation(graph.size).astype(np.int32)
    source, target = graph.pairs()
    with compiled_or_not(True):
        met = graph.code_pairs(codes, graph.size)
    order = np.lexsort((target, source))
    assert np.array_equal(
        np.sort(met.source * graph.size + met.target), source[order] * graph.size + target[order]
    )
    assert np.array_equal(np.minimum(codes[met.source], codes[met.target]), met.first)
    assert np.array_equal(np.maximum(codes[met.source], codes[met.target]), met.second)
    assert met.same.size == 0


@pytest.mark.parametrize("row", [[0], [0, 3], [-1, 0], [2, 0], [0, 0, 0]])
def test_a_row_beyond_the_product_has_no_number(row: list[int]) -> None:
    assert ProductGraph((2, 3), ("path", "path")).number_of(row) is None


@pytest.mark.parametrize(
    ("lengths", "kinds"),
    [
        ((), ()),
        ((2, 2), ("path",)),
        ((0,), ("path",)),
        ((2,), ("cycle",)),
        ((2.0,), ("path",)),
        ((2,), ("star",)),
        ((2,), ([],)),
        ((LARGEST_SIZE + 1,), ("path",)),
    ],
)
def test_impossible_products_are_refused(lengths: tuple[int, ...], kinds: tuple[AxisKind, ...]) -> None:
    with pytest.raises(GraphShapeError) as caught:
        ProductGraph(lengths, kinds)
    assert caught.value.help
