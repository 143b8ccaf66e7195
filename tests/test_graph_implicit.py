# SPDX-License-Identifier: Apache-2.0
"""Families given by blocks of neighbors: the limits of their passes, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pair_cases import PairCase, pair_cases
from rainbowdp.errors import GraphShapeError, UnknownDatasetError, UsageError
from rainbowdp.graph import DatasetGraph
from rainbowdp.graph.implicit import ImplicitGraph, NeighborBlocks
from relation_answers import assert_answers, compiled_or_not
from test_graph_relations import Blocks


@pytest.mark.parametrize("is_compiled", [True, False])
@settings(max_examples=25)
@given(pair_cases(largest=40), st.integers(1, 60))
def test_blocks_of_any_length_answer_what_their_pairs_do(
    is_compiled: bool, case: PairCase, pairs_at_once: int
) -> None:
    with compiled_or_not(is_compiled), pytest.MonkeyPatch.context() as patch:
        patch.setattr("rainbowdp.graph.implicit.PAIRS_AT_ONCE", pairs_at_once)
        assert_answers(ImplicitGraph(Blocks(case)), case)


@pytest.mark.parametrize("limit", [10**8, 0])
def test_the_number_of_passes_is_bounded_and_told(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rainbowdp.graph.implicit.LARGEST_COUNT", limit)
    told: list[str] = []
    order = np.random.default_rng(400).permutation(400).tolist()
    pairs = list(zip(order[1:], order[:-1], strict=True))
    graph = ImplicitGraph(Blocks(PairCase(400, pairs, [], [])), told.append)
    starts = np.arange(400) == pairs[0][1]
    steps = graph.steps_from(starts)
    assert np.array_equal(steps, DatasetGraph.from_pairs(400, *np.array(pairs).T).steps_from(starts))
    passes = [line for line in told if line.endswith("blocks: distances")]
    assert len(passes) < 9 if limit else 9 <= len(passes) <= steps.max() + 1
    assert told[-1].endswith("passes for distances were not enough: all pairs are listed") == bool(limit)
    told.clear()
    codes = np.arange(400, dtype=np.int32) // 100
    graph.mixed(codes)
    graph.code_pairs(codes, 4)
    assert [line.split(": ")[1] for line in told] == [
        "which datasets have neighbors of another code",
        "which codes meet",
    ]


class Fixed:
    """Answers every block with the same values."""

    def __init__(self, size: float, *answer: Any) -> None:  # noqa: ANN401 - wrong answers are the point
        self.size, self._answer = size, answer

    def neighbors_of(self, _start: int, _stop: int) -> Any:  # noqa: ANN401 - see __init__
        return self._answer


@pytest.mark.parametrize(
    ("blocks", "error", "said"),
    [
        (Fixed(3), GraphShapeError, r"neighbors_of\(0, 3\) gives a tuple, and not two arrays"),
        (Fixed(3, [0], [1]), GraphShapeError, "not symmetric"),
        (Fixed(4, [0, 1, 0, 3], [1, 0, 2, 1]), GraphShapeError, "not symmetric"),
        (Fixed(300, [299], [1]), GraphShapeError, "a source from 299 to 299"),
        (Fixed(3, [3], [1]), UnknownDatasetError, "names the dataset 3"),
        (Fixed(3, [0], [1, 0]), GraphShapeError, "source holds 1 datasets and target 2"),
        (Fixed(2.5, [0], [1]), GraphShapeError, "2.5 is not a number of datasets"),
        (Fixed(2**31, [0], [1]), GraphShapeError, "too large"),
        ("abc", UsageError, "`blocks` must have"),
    ],
)
def test_a_wrong_relation_is_refused(blocks: NeighborBlocks, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ImplicitGraph(blocks)
