# SPDX-License-Identifier: Apache-2.0
"""Families of one's own, given by blocks of neighbors, against the same pairs listed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_cases import Case, cases
from rainbowdp.errors import GraphShapeError, UnknownDatasetError, UsageError
from rainbowdp.graph import DatasetGraph
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.blocks import NeighborBlocks, in_blocks
from rainbowdp.graph.implicit import ImplicitGraph
from rainbowdp.graph.product import ProductGraph
from rainbowdp.graph.simplex import SimplexGraph
from relation_answers import (
    assert_answers,
    assert_same_answers,
    colorings,
    compiled_or_not,
    regions,
    starts_of,
)


class Blocks:
    """Pairs, each from both ends, handed out block by block in random order, with loops and repeats."""

    def __init__(self, size: int, pairs: list[tuple[int, int]]) -> None:
        self.size = size
        both = pairs + [(other, one) for one, other in pairs if one != other]
        self._ends = np.array(both, dtype=np.int64).reshape(-1, 2)
        self.asked: list[tuple[int, int]] = []

    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        assert 0 <= start < stop <= self.size
        self.asked.append((start, stop))
        held = self._ends[(self._ends[:, 0] >= start) & (self._ends[:, 0] < stop)]
        mixed = np.random.default_rng(start).permutation(held)
        return mixed[:, 0], mixed[:, 1]


@pytest.mark.parametrize("is_compiled", [True, False])
@settings(max_examples=60)
@given(cases(largest=40), st.tuples(st.integers(1, 50), st.integers(1, 60), st.integers(1, 9)), st.data())
def test_blocks_answer_what_their_pairs_do(
    is_compiled: bool, case: Case, limits: tuple[int, int, int], data: st.DataObject
) -> None:
    size = len(case.rainbows)
    codes, starts = data.draw(colorings(size)), data.draw(starts_of(size))
    listed = DatasetGraph.from_pairs(size, *np.array(case.pairs, dtype=np.int64).reshape(-1, 2).T)
    with compiled_or_not(is_compiled), pytest.MonkeyPatch.context() as patch:
        for name, limit in zip(("_STRETCH", "PAIRS_AT_ONCE", "_MOST_ROUNDS"), limits, strict=True):
            patch.setattr(f"rainbowdp.graph.blocks.{name}", limit)
        graph = ImplicitGraph(Blocks(size, case.pairs))
        assert_answers(graph, [pair for pair in case.pairs if pair[0] != pair[1]], codes, starts)
        assert_same_answers(graph, listed, codes, starts)
    assert graph.notes == listed.notes
    assert np.array_equal(graph.listed().indices, listed.indices)


FAMILIES = [
    ProductGraph((100, 100), ("path", "path")),
    ProductGraph((5,) * 4, ("complete",) * 4),
    ProductGraph((20_000,), ("cycle",)),
    SimplexGraph(60, 3, "change-one"),
    SimplexGraph(12, 4, "add-remove"),
]


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_ready_made_families_answer_the_same_through_their_blocks(
    family: ProductGraph | SimplexGraph, is_compiled: bool
) -> None:
    assert isinstance(family, NeighborBlocks)
    codes = regions(family.rows_of(np.arange(family.size)), 7, seed=1)
    with compiled_or_not(is_compiled):
        assert_same_answers(ImplicitGraph(family), family, codes, family.mixed(codes))


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_family_with_too_many_pairs_to_list_answers_by_its_blocks(
    family: ProductGraph | SimplexGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rainbowdp.graph.blocks._STRETCH", 700)
    monkeypatch.setattr("rainbowdp.graph.blocks.PAIRS_AT_ONCE", 5000)
    codes = regions(family.rows_of(np.arange(family.size)), 5, seed=2)
    listed = family.listed()
    monkeypatch.setattr(type(family), "_few", -1)
    with compiled_or_not(False):
        assert_same_answers(family, listed, codes, listed.mixed(codes))


def shuffled_path(size: int) -> list[tuple[int, int]]:
    order = np.random.default_rng(size).permutation(size).tolist()
    return list(zip(order[1:], order[:-1], strict=True))


@pytest.mark.parametrize("limit", [10**8, 0])
def test_the_number_of_passes_is_bounded_and_told(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rainbowdp.graph.blocks.LARGEST_COUNT", limit)
    monkeypatch.setattr("rainbowdp.graph.blocks._STRETCH", 16)
    told: list[str] = []
    pairs = shuffled_path(400)
    blocks = Blocks(400, pairs)
    graph = ImplicitGraph(blocks, told.append)
    starts = np.arange(400) == pairs[0][1]
    steps = graph.steps_from(starts)
    assert np.array_equal(steps, DatasetGraph.from_pairs(400, *np.array(pairs).T).steps_from(starts))
    passes = [line for line in told if line.startswith("pass ")]
    if limit:
        assert len(passes) == 8
        assert told[-1] == "8 passes for distances were not enough: all pairs are listed and searched"
    else:
        assert 8 < len(passes) <= steps.max() + 1
    assert told[0].startswith("one pass over ")
    assert told[0].endswith(" blocks: the family is checked")


def test_one_pass_tells_which_are_mixed_and_one_which_meet() -> None:
    told: list[str] = []
    graph = ImplicitGraph(Blocks(300, shuffled_path(300)), told.append)
    codes = np.arange(300, dtype=np.int32) // 100
    graph.mixed(codes)
    graph.code_pairs(codes, 3)
    assert [line.split(": ")[1] for line in told] == [
        "the family is checked",
        "which datasets are mixed",
        "which codes meet",
    ]


def test_blocks_are_as_long_as_fits_a_number_of_pairs() -> None:
    family = ProductGraph((10,) * 5, ("complete",) * 5)
    ends = [(start, stop, source.size) for start, stop, source, _ in in_blocks(family, 7, 10**5, 9000)]
    assert [start for start, _, _ in ends[1:]] == [stop for _, stop, _ in ends[:-1]]
    assert (ends[0][0], ends[-1][1]) == (7, 10**5)
    # 45 neighbors each: the first block is short, and no other holds more pairs than asked for.
    assert ends[0][1] == 7 + 256
    assert all(count <= 9000 for _, _, count in ends[1:])
    assert ends[2][1] - ends[2][0] == 200


class Fixed:
    """Answers every block with the same pairs."""

    def __init__(self, size: float, source: list[float], target: list[int]) -> None:
        self.size, self._source, self._target = size, source, target

    def neighbors_of(self, _start: int, _stop: int) -> tuple[list[float], list[int]]:
        return self._source, self._target


class Answering:
    """Answers every block with the same thing."""

    size = 3

    def __init__(self, answer: Any) -> None:  # noqa: ANN401 - whatever somebody may return
        self._answer = answer

    def neighbors_of(self, _start: int, _stop: int) -> Any:  # noqa: ANN401 - see __init__
        return self._answer


@pytest.mark.parametrize(
    ("blocks", "error", "said"),
    [
        (Answering(None), GraphShapeError, r"neighbors_of\(0, 3\) gives .*None.*, and not two arrays"),
        (Answering(([0], [1], [2])), GraphShapeError, "gives a tuple, and not two arrays"),
        (Answering(([0], None)), GraphShapeError, "must be"),
        (Fixed(3, [0], [1]), GraphShapeError, "not symmetric"),
        (Fixed(4, [0, 2], [1, 3]), GraphShapeError, "not symmetric"),
        (Fixed(4, [0, 1, 2, 1], [1, 2, 1, 3]), GraphShapeError, "not symmetric"),
        (Fixed(4, [0, 1, 0, 3], [1, 0, 2, 1]), GraphShapeError, "not symmetric"),
        (Fixed(3, [3], [1]), GraphShapeError, "a source from 3 to 3"),
        (Fixed(3, [0, 1], [1, 3]), UnknownDatasetError, "names the dataset 3"),
        (Fixed(3, [0, 1], [1, -1]), UnknownDatasetError, "names the dataset -1"),
        (Fixed(3, [0], [1, 0]), GraphShapeError, "source holds 1 datasets and target 2"),
        (Fixed(3, [0.5], [1]), GraphShapeError, "must be integers"),
        (Fixed(2.5, [0], [1]), GraphShapeError, "2.5 datasets"),
        (Fixed(2**31, [0], [1]), GraphShapeError, "too large"),
        ("abc", UsageError, "`blocks` must have"),
    ],
)
def test_what_is_no_relation_is_refused(blocks: NeighborBlocks, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ImplicitGraph(blocks)


def test_a_family_may_be_empty_or_without_pairs() -> None:
    nobody = ImplicitGraph(Blocks(0, []))
    assert (nobody.size, nobody.pair_count, nobody.steps_from(np.zeros(0, dtype=np.bool_)).size) == (0, 0, 0)
    lonely = ImplicitGraph(Blocks(3, [(1, 1)]))
    assert (lonely.pair_count, lonely.notes) == (0, ("1 self-loop removed",))
    assert lonely.steps_from(np.array([False, True, False])).tolist() == [-1, 0, -1]
    assert lonely.neighbors(1).size == 0
