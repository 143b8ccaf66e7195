# SPDX-License-Identifier: Apache-2.0
"""The answers that a neighbor relation has to give, from its pairs one by one, and the check of these."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from pair_cases import PairCase
from rainbowdp.graph import compiled, distances
from rainbowdp.graph.relation import NeighborRelation


@contextmanager
def compiled_or_not(is_compiled: bool) -> Iterator[None]:
    """Take the compiled passes, or those of numpy, however few pairs there are."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FEWEST", "FEWEST_LOADED"):
            patch.setattr(compiled, name, 0 if is_compiled else 1 << 60)
        patch.setattr(distances, "compiled", lambda: is_compiled)
        yield


@st.composite
def codes_and_starts(draw: st.DrawFn, size: int) -> tuple[list[int], list[bool]]:
    """Draw one, few or many codes, in long stretches or scattered, and which datasets to start from."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, stretch = (
        draw(st.sampled_from([1, 2, 3, 8, 20, 64, 65, 300])),
        draw(st.sampled_from([1, 2, 5, 40])),
    )
    codes = np.repeat(random.integers(0, count, size // stretch + 1), stretch)[:size]
    starts = random.random(size) < draw(st.sampled_from([0, 1 / size, 0.05, 0.3, 1]))
    return codes.tolist(), starts.tolist()


def assert_answers(relation: NeighborRelation, case: PairCase) -> None:
    """Compare all answers with what networkx says, and what the pairs say one after the other."""
    assert relation.size == case.size
    assert relation.mixed(case.code_array()).tolist() == case.mixed()
    steps = relation.steps_from(case.start_array())
    assert steps.dtype == np.int32
    assert steps.tolist() == case.steps()
    met = relation.code_pairs(case.code_array(), max(case.codes) + 1)
    columns = [column.tolist() for column in (met.first, met.second, met.source, met.target)]
    assert list(zip(*columns, strict=True)) == [(*key, *pair) for key, pair in case.least_pairs().items()]
    assert met.same.tolist() == case.same()


def assert_same_answers(
    one: NeighborRelation, other: NeighborRelation, codes: NDArray[np.int32], starts: NDArray[np.bool_]
) -> None:
    """Compare the answers of two relations, with their types, to the bit."""
    assert one.size == other.size
    count = int(codes.max()) + 1
    first, second = one.code_pairs(codes, count), other.code_pairs(codes, count)
    answers = [(getattr(first, name), getattr(second, name)) for name in vars(first)]
    answers += [(one.mixed(codes), other.mixed(codes)), (one.steps_from(starts), other.steps_from(starts))]
    for ours, theirs in answers:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def regions(rows: NDArray[Any], count: int, seed: int) -> NDArray[np.int32]:
    """Return which of some random points is nearest to each row."""
    random = np.random.default_rng(seed)
    points = rows[random.integers(0, rows.shape[0], count)]
    apart = np.array([np.abs(rows - point).sum(axis=1) for point in points])
    nearest: NDArray[np.int32] = apart.argmin(axis=0).astype(np.int32)
    return nearest
