# SPDX-License-Identifier: Apache-2.0
"""The answers that a neighbor relation has to give, from its pairs one by one, and the check of these."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from rainbowdp.graph import DatasetGraph
from rainbowdp.graph.relation import NeighborRelation

Pairs = list[tuple[int, int]]

MODULES = ("product", "simplex", "blocks")


@contextmanager
def compiled_or_not(is_compiled: bool) -> Iterator[None]:
    """Take the compiled passes, or those of numpy, however few pairs there are."""
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            patch.setattr(f"rainbowdp.graph.{module}.is_worth_compiling", lambda _count: is_compiled)
        yield


def colorings(size: int) -> st.SearchStrategy[NDArray[np.int32]]:
    """Draw codes of datasets: one, few or many different ones, in long stretches or in none."""

    def spread(seed: int, count: int, stretch: int) -> NDArray[np.int32]:
        random = np.random.default_rng(seed)
        drawn = random.integers(0, count, size // stretch + 1).astype(np.int32)
        return np.repeat(drawn, stretch)[:size]

    counts = st.sampled_from([1, 2, 3, 8, 20, 64, 65, 300])
    return st.builds(spread, st.integers(0, 2**32), counts, st.sampled_from([1, 2, 5, 40]))


def starts_of(size: int) -> st.SearchStrategy[NDArray[np.bool_]]:
    """Draw where to start: nowhere, at one dataset, at some, everywhere."""

    def spread(seed: int, share: float) -> NDArray[np.bool_]:
        return np.random.default_rng(seed).random(size) < share

    return st.builds(spread, st.integers(0, 2**32), st.sampled_from([0, 1 / size, 0.05, 0.3, 1]))


def assert_answers(
    relation: NeighborRelation, pairs: Pairs, codes: NDArray[np.int32], starts: NDArray[np.bool_]
) -> None:
    """Compare all answers with what networkx says, and what the pairs say one after the other."""
    graph = nx.Graph(pairs)
    graph.add_nodes_from(range(relation.size))
    assert relation.pair_count == graph.number_of_edges()
    ordered = sorted(tuple(sorted(pair)) for pair in graph.edges())
    mixed = {end for pair in ordered if codes[pair[0]] != codes[pair[1]] for end in pair}
    assert np.flatnonzero(relation.mixed(codes)).tolist() == sorted(mixed)
    sources = set(np.flatnonzero(starts).tolist())
    far = nx.multi_source_dijkstra_path_length(graph, sources) if sources else {}
    steps = relation.steps_from(starts)
    assert steps.dtype == np.int32
    assert steps.tolist() == [far.get(dataset, -1) for dataset in range(relation.size)]
    first: dict[tuple[int, int], tuple[int, int]] = {}
    same = set()
    for source, target in ordered:
        one, other = sorted((int(codes[source]), int(codes[target])))
        if one == other:
            same.add(one)
        else:
            first.setdefault((one, other), (source, target))
    met = relation.code_pairs(codes, int(codes.max()) + 1)
    columns = (met.first, met.second, met.source, met.target)
    found = list(zip(*(column.tolist() for column in columns), strict=True))
    assert found == [(*key, *pair) for key, pair in sorted(first.items())]
    assert met.same.tolist() == sorted(same)


def assert_same_answers(
    one: NeighborRelation, other: NeighborRelation, codes: NDArray[np.int32], starts: NDArray[np.bool_]
) -> None:
    """Compare the answers of two relations, with their types, to the bit."""
    assert (one.size, one.pair_count) == (other.size, other.pair_count)
    count = int(codes.max()) + 1
    first, second = one.code_pairs(codes, count), other.code_pairs(codes, count)
    answers = [(getattr(first, name), getattr(second, name)) for name in vars(first)]
    answers += [(one.mixed(codes), other.mixed(codes)), (one.steps_from(starts), other.steps_from(starts))]
    for ours, theirs in answers:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def explicit(rows: NDArray[np.int64], moves: list[NDArray[np.int64]]) -> DatasetGraph:
    """List the pairs of neighbors of rows in lexicographic order: those that a move leads between."""
    base = int(rows.max(initial=0)) + 2 * int(np.abs(moves).max(initial=0)) + 1
    weights = [base**power for power in range(rows.shape[1])][::-1]
    assert base ** rows.shape[1] < 2**63
    keys = rows @ np.array(weights, dtype=np.int64)
    assert all(low < high for low, high in pairwise(keys[:1000].tolist()))
    sources, targets = [], []
    for move in moves:
        wanted = keys + int(move @ np.array(weights, dtype=np.int64))
        place = np.searchsorted(keys, wanted).clip(max=keys.size - 1)
        # Keys leave room for the longest move in every place, so a key that is found is the moved row's.
        found = np.flatnonzero(keys[place] == wanted)
        sources.append(found)
        targets.append(place[found])
    return DatasetGraph.from_pairs(keys.size, np.concatenate(sources), np.concatenate(targets))


def regions(rows: NDArray[Any], count: int, seed: int) -> NDArray[np.int32]:
    """Return which of some random points is nearest to each row."""
    random = np.random.default_rng(seed)
    points = rows[random.integers(0, rows.shape[0], count)]
    apart = np.array([np.abs(rows - point).sum(axis=1) for point in points])
    nearest: NDArray[np.int32] = apart.argmin(axis=0).astype(np.int32)
    return nearest
