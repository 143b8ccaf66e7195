# SPDX-License-Identifier: Apache-2.0
"""Depths that grow into longer integers, against a search by networkx and against closed forms."""

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from rainbowdp.graph.pair_store import PairMemory
from rainbowdp.graph.relaxation import Depths, steps_along


def path_ends(size: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the pairs of a path in order."""
    numbers = np.arange(size, dtype=np.int32)
    return numbers[:-1], numbers[1:]


@pytest.mark.parametrize("size", [2, 254, 255, 256, 257, 65_534, 65_535, 65_536, 65_537, 70_000])
@pytest.mark.parametrize("first", [True, False])
def test_one_pass_along_a_path_finds_every_depth(size: int, first: bool) -> None:
    """From one end of a path, in the direction of the pass, nothing is done twice whatever type it needs."""
    starts = np.zeros(size, dtype=np.bool_)
    starts[0 if first else -1] = True
    source, target = path_ends(size)
    if not first:
        source, target = source[::-1], target[::-1]
    depths = Depths(starts)
    kept_source, kept_target = np.empty_like(source), np.empty_like(target)
    kept = depths.relax_and_keep(source, target, kept_source, kept_target)
    depths.end_pass()
    expected = np.arange(size) if first else np.arange(size)[::-1]
    assert depths.changed == size - 1
    assert kept == source.size
    assert np.array_equal(kept_source[:kept], source)
    assert np.array_equal(kept_target[:kept], target)
    assert np.array_equal(depths.finished(), expected)
    again = Depths(starts)
    again.relax(source, target)
    again.end_pass()
    assert again.changed == size - 1
    assert np.array_equal(again.finished(), expected)


def test_a_pass_against_the_direction_reaches_one_dataset() -> None:
    """A depth falls once per pair that leads on, no more."""
    starts = np.array([True, False, False, False])
    source, target = path_ends(4)
    depths = Depths(starts)
    depths.relax(source[::-1], target[::-1])
    depths.end_pass()
    assert depths.changed == 1
    assert depths.finished().tolist() == [0, 1, -1, -1]
    assert not depths.settled


@pytest.mark.parametrize("seed", range(6))
def test_depths_in_any_order_are_those_of_a_search(seed: int) -> None:
    """Deep and shallow families, with parts that no start reaches, in order and shuffled."""
    random = np.random.default_rng(seed)
    graph = nx.grid_2d_graph(600, 2) if seed % 2 else nx.gnm_random_graph(1_200, 2_400, seed=seed)
    graph = nx.convert_node_labels_to_integers(graph)
    graph = nx.disjoint_union(graph, nx.path_graph(30))
    size = graph.number_of_nodes()
    starts = np.zeros(size, dtype=np.bool_)
    starts[random.choice(size - 30, 3, replace=False)] = True
    reached = nx.multi_source_dijkstra_path_length(graph, set(np.flatnonzero(starts).tolist()))
    expected = [reached.get(dataset, -1) for dataset in range(size)]
    ends = np.array(graph.edges, dtype=np.int32)
    for shuffled in (False, True):
        rows = random.permutation(ends) if shuffled else ends
        source, target = rows[:, 0].copy(), rows[:, 1].copy()
        steps = steps_along([(source, target)], starts, PairMemory(np.int32), lambda _: None)
        assert steps.tolist() == expected
