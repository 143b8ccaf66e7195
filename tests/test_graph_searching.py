# SPDX-License-Identifier: Apache-2.0
"""A search along listed neighbors finds the steps of networkx, whichever way the lists are kept."""

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from pair_cases import PairCase, pair_cases
from rainbowdp.graph import kernels_search
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.searching import steps_by_search


def halves(source: Integers, target: Integers) -> Iterator[tuple[Integers, Integers]]:
    middle = source.size // 2
    yield source[:middle], target[:middle]
    yield source[middle:], target[middle:]


def found(pairs: NDArray[Any], starts: list[int], size: int, kind: type[Any] = np.int32) -> list[int]:
    source, target = pairs.reshape(-1, 2).astype(kind).T.copy()
    marks = np.zeros(size, dtype=np.bool_)
    marks[starts] = True
    steps = steps_by_search(
        lambda: halves(source, target), source.size, marks, lambda count: np.empty(count, dtype=kind)
    )
    assert steps.dtype == np.int32
    assert not steps.flags.writeable
    return list(steps.tolist())


def expected(pairs: NDArray[Any], starts: list[int], size: int) -> list[int]:
    graph = nx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from(pairs.reshape(-1, 2).tolist())
    steps = nx.multi_source_dijkstra_path_length(graph, starts) if starts else {}
    return [int(steps.get(dataset, -1)) for dataset in range(size)]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@given(case=pair_cases())
def test_random_pairs(kind: type[Any], case: PairCase) -> None:
    pairs = np.array([pair for pair in case.pairs if pair[0] != pair[1]], dtype=np.int64)
    starts = np.flatnonzero(case.start_array()).tolist()
    assert found(pairs, starts, case.size, kind) == expected(pairs, starts, case.size)


def is_even(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each search adds whether its lists were of equal length."""
    ways: list[bool] = []

    def watch(name: str, *, even: bool) -> None:
        loop = getattr(kernels_search, name)

        def watched(*given: object) -> None:
            ways.append(even)
            loop(*given)

        monkeypatch.setattr(kernels_search, name, watched)

    watch("search_evenly", even=True)
    watch("search", even=False)
    return ways


@pytest.mark.parametrize("degree", [1, 252, 253, 254, 255, 256, 300, 513])
def test_datasets_with_many_neighbors(degree: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ways = is_even(monkeypatch)
    # Everybody in one circle and in the other: lists of equal length, as far as a byte can count them.
    one, other = np.indices((degree, degree)).reshape(2, -1)
    pairs = np.stack([one, other + degree], axis=1)
    assert found(pairs, [0], 2 * degree + 1) == [0, *[2] * (degree - 1), *[1] * degree, -1]
    assert ways == [degree < 255 and degree > 1]


def test_a_star_is_listed_at_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = is_even(monkeypatch)
    rays = np.arange(1, 1001)
    star = np.stack([np.zeros_like(rays), rays], axis=1)
    assert found(star, [7], 1001) == [1, *[2] * 6, 0, *[2] * 993]
    assert found(star[:20], [0], 21) == [0, *[1] * 20]
    assert ways == [False, False]


def test_a_shuffled_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = is_even(monkeypatch)
    random = np.random.default_rng(11)
    places = random.permutation(60 * 45).reshape(60, 45)
    across = np.stack([places[:, 1:], places[:, :-1]], axis=-1).reshape(-1, 2)
    pairs = np.concatenate([np.stack([places[1:], places[:-1]], axis=-1).reshape(-1, 2), across])
    random.shuffle(pairs)
    steps = np.array(found(pairs, [int(places[0, 0])], places.size))
    assert np.array_equal(steps[places], np.add.outer(np.arange(60), np.arange(45)))
    assert ways == [True]


def test_nothing_to_search() -> None:
    nothing = np.empty((0, 2), dtype=np.int64)
    assert found(nothing, [], 0) == []
    assert found(nothing, [1], 3) == [-1, 0, -1]
