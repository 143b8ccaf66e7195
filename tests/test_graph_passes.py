# SPDX-License-Identifier: Apache-2.0
"""Passes over pairs: machine code and array operations agree at every width, and when they are compiled."""

import subprocess
import sys
from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pair_cases import PairCase, pair_cases
from rainbowdp.graph import CodePairs, relation
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import kernel
from rainbowdp.graph.relation import CodeTally
from relation_answers import compiled_or_not

BOTH = pytest.mark.parametrize("is_compiled", [True, False], ids=["compiled", "plain"])


def code_pairs(source: Integers, target: Integers, codes: NDArray[np.int32], count: int) -> CodePairs:
    """Return what is met in two batches."""
    tally, half = CodeTally(count, codes.size), source.size // 2
    for part in (slice(half), slice(half, None)):
        tally.add_pairs(source[part], target[part], codes)
    return tally.result()


@given(case=pair_cases(), most=st.integers(1, 100))
def test_order_and_repeats_are_found_share_by_share(case: PairCase, most: int) -> None:
    source, target = case.ends(np.int64)
    lowered = [(min(pair), max(pair)) for pair in case.pairs]
    assert relation.is_ascending(source, target) == all(before < after for before, after in pairwise(lowered))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relation, "_MOST_KEYS", most)
        assert relation.count_repeats(case.size, source, target) == case.repeats()


@pytest.mark.parametrize("place", [0, 65_535, 199_998])
def test_a_pair_that_does_not_rise_is_seen_at_any_place(place: int) -> None:
    ends = np.arange(200_000, dtype=np.int32)
    assert relation.is_ascending(ends, ends + 1)
    ends[place + 1] = ends[place]
    assert not relation.is_ascending(ends, ends + 1)


@pytest.mark.parametrize("count", [1, 64, 257, 600, 65_537])
def test_codes_of_every_width_agree(count: int) -> None:
    random = np.random.default_rng(count)
    size = 4000
    source, target = random.integers(0, size, (2, 20_000)).astype(np.int32)
    codes = random.integers(0, count, size).astype(np.int32)
    codes[:2] = count - 1, max(count - 2, 0)
    for high in (codes, np.minimum(codes, 1), (count - 1 - codes).astype(np.int32)):
        answers = []
        for is_compiled in (True, False):
            with compiled_or_not(is_compiled):
                marked = relation.marks([(source, target)], high)
                met = code_pairs(source, target, high, count)
            columns = [(str(column.dtype), column.tolist()) for column in vars(met).values()]
            answers.append((marked.mixed.tolist(), marked.isolated, columns))
        assert answers[0] == answers[1]


@BOTH
def test_numbers_of_pairs_beyond_32_bits_stay_apart(is_compiled: bool) -> None:
    # With 32 bits, codes 0 and 49 999 of 50 000 would meet those of another pair.
    codes = np.array([49_998, 49_999, 49_999, 0], dtype=np.int32)
    source, target = np.array([0, 2, 1], dtype=np.int32), np.array([1, 3, 2], dtype=np.int32)
    largest = 3_037_000_499
    ends = np.array([largest - 1, largest - 2, 0, largest - 1], dtype=np.int64)
    others = np.array([largest - 2, largest - 1, largest - 1, 1], dtype=np.int64)
    with compiled_or_not(is_compiled):
        found = code_pairs(source, target, codes, 50_000)
        assert relation.count_repeats(largest, ends, others) == 1
    assert [column.tolist() for column in vars(found).values()] == [
        [0, 49_998],
        [49_999, 49_999],
        [2, 0],
        [3, 1],
        [49_999],
    ]


def test_machine_code_needs_no_folder_to_keep_it_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(values: NDArray[np.int64]) -> int:
        found = 0
        for value in values:
            found += value
        return found

    monkeypatch.setattr("numba.core.caching.CompileResultCacheImpl._locator_classes", [])
    with pytest.raises(RuntimeError):
        numba.njit(cache=True)(total)
    assert kernel(total)(np.arange(5)) == 10


def test_a_graph_loads_no_compiler_until_it_has_many_pairs() -> None:
    program = (
        "import sys\n"
        "from rainbowdp.graph import RainbowGraph, boundary_morphism\n"
        "boundary_morphism(RainbowGraph.from_arrays([0, 1], [1, 2], ['b>r', 'b>r', 'r>b']))\n"
        "sys.exit('numba' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
