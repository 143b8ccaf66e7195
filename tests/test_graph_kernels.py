# SPDX-License-Identifier: Apache-2.0
"""Passes over pairs: machine code and array operations agree, and both agree with plain search."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from pair_cases import PairCase, pair_cases
from rainbowdp.graph import CodePairs, DatasetGraph, compiled, passes, relaxation
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.code_tally import CodeTally
from rainbowdp.graph.compiled import is_worth_compiling, kernel
from rainbowdp.graph.pair_store import PairMemory
from rainbowdp.graph.passes import Batches
from rainbowdp.graph.searching import Room, search, steps_by_search

BOTH = pytest.mark.parametrize("is_compiled", [True, False], ids=["compiled", "plain"])
KINDS: tuple[type[np.int32] | type[np.int64], ...] = (np.int32, np.int64)


@contextmanager
def machine(is_compiled: bool) -> Iterator[None]:
    """Take compiled loops, or array operations, however few pairs there are."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FEWEST", "FEWEST_LOADED"):
            patch.setattr(compiled, name, 0 if is_compiled else 1 << 60)
        yield


def code_pairs(source: Integers, target: Integers, codes: NDArray[np.int32], count: int) -> CodePairs:
    """Return what is met in two batches."""
    tally, half = CodeTally(count, codes.size), source.size // 2
    for part in (slice(half), slice(half, None)):
        tally.add_pairs(source[part], target[part], codes)
    return tally.result()


def steps_from(source: Integers, target: Integers, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
    return relaxation.steps_along([(source, target)], starts, PairMemory(np.int32), lambda _: None)


def parts(found: CodePairs) -> tuple[list[object], ...]:
    columns = (found.first, found.second, found.source, found.target, found.same)
    return tuple([str(column.dtype), *column.tolist()] for column in columns)


def shuffled_path(size: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return the pairs of a path through all datasets, in random order, and the order along it."""
    random = np.random.default_rng(size)
    order = random.permutation(size)
    place = random.permutation(size - 1)
    return order[:-1][place].astype(np.int32), order[1:][place].astype(np.int32), order


@BOTH
@given(case=pair_cases())
def test_passes_find_what_plain_search_finds(is_compiled: bool, case: PairCase) -> None:
    count = max(case.codes) + 1
    for kind in KINDS:
        source, target = case.ends(kind)
        lowered = [(min(pair), max(pair)) for pair in case.pairs]
        assert passes.is_ascending(source, target) == all(
            before < after for before, after in pairwise(lowered)
        )
        # In two parts, since what is marked stays marked.
        half = source.size // 2
        batches = [(source[part], target[part]) for part in (slice(half), slice(half, None))]
        with machine(is_compiled):
            marked = passes.marks(batches, case.code_array())
            found = code_pairs(source, target, case.code_array(), count)
            assert passes.count_repeats(case.size, source, target) == case.repeats()
        assert marked.mixed.tolist() == case.mixed()
        assert marked.isolated == case.size - len({end for pair in case.edges() for end in pair})
        assert (marked.loops, marked.pairs) == (case.self_loops(), len(case.pairs) - case.self_loops())
        least = case.least_pairs()
        assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == list(least)
        assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == list(least.values())
        assert found.same.tolist() == case.same()


@pytest.mark.parametrize("place", [0, 65_534, 65_535, 65_536, 199_998])
def test_a_pair_that_does_not_rise_is_seen_wherever_it_stands(place: int) -> None:
    ends = np.arange(200_000, dtype=np.int32)
    assert not passes.is_ascending(ends, ends[::-1].copy())
    assert passes.is_ascending(ends, ends + 1)
    ends[place + 1] = ends[place]
    assert not passes.is_ascending(ends, ends + 1)


@given(case=pair_cases())
def test_steps_are_those_of_networkx(case: PairCase) -> None:
    for kind in KINDS:
        source, target = case.ends(kind)
        found = steps_from(source, target, case.start_array())
        assert found.dtype == np.int32
        assert found.tolist() == case.steps()
    listed = DatasetGraph.from_pairs(case.size, *case.ends())
    assert search(listed.indptr, listed.indices, case.start_array()).tolist() == case.steps()
    assert listed.steps_from(case.start_array()).tolist() == case.steps()


@pytest.mark.parametrize("count", [1, 127, 128, 129, 255, 256, 257, 600, 65_535, 65_536, 65_537, 100_000])
def test_codes_of_every_width_agree(count: int) -> None:
    random = np.random.default_rng(count)
    size = 4000
    source, target = random.integers(0, size, (2, 20_000)).astype(np.int32)
    codes = random.integers(0, count, size).astype(np.int32)
    codes[:2] = count - 1, max(count - 2, 0)
    for high in (codes, np.minimum(codes, 1), (count - 1 - codes).astype(np.int32)):
        answers = []
        for is_compiled in (True, False):
            with machine(is_compiled):
                marked = passes.marks([(source, target)], high)
                met = code_pairs(source, target, high, count)
                answers.append((marked.mixed.tolist(), marked.isolated, parts(met)))
        assert answers[0] == answers[1]


@BOTH
def test_numbers_of_pairs_beyond_32_bits_stay_apart(is_compiled: bool) -> None:
    # With 32 bits, codes 0 and 49 999 of 50 000 would meet those of another pair.
    codes = np.array([49_998, 49_999, 49_999, 0], dtype=np.int32)
    source, target = np.array([0, 2, 1], dtype=np.int32), np.array([1, 3, 2], dtype=np.int32)
    with machine(is_compiled):
        found = code_pairs(source, target, codes, 50_000)
    assert found.first.tolist() == [0, 49_998]
    assert found.second.tolist() == [49_999, 49_999]
    assert (found.source.tolist(), found.target.tolist()) == ([2, 0], [3, 1])
    assert found.same.tolist() == [49_999]
    largest = 3_037_000_499
    ends = np.array([largest - 1, largest - 2, 0, largest - 1], dtype=np.int64)
    others = np.array([largest - 2, largest - 1, largest - 1, 1], dtype=np.int64)
    with machine(is_compiled):
        assert passes.count_repeats(largest, ends, others) == 1


@pytest.mark.parametrize("size", [2, 253, 254, 255, 256, 257, 258, 65_537, 70_000])
@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_distances_of_any_depth_are_exact(size: int, order: str) -> None:
    source, target, along = shuffled_path(size)
    if order != "shuffled":
        along = np.arange(size) if order == "forward" else np.arange(size)[::-1]
        source, target = along[:-1].astype(np.int32), along[1:].astype(np.int32)
    starts = np.zeros(size, dtype=np.bool_)
    starts[along[0]] = True
    steps = steps_from(source, target, starts)
    assert np.array_equal(steps[along], np.arange(size))


def test_neighbors_are_listed_only_where_the_order_of_pairs_makes_it_worth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed: list[object] = []

    def searched(batches: Batches, pairs: int, starts: NDArray[np.bool_], room: Room) -> NDArray[np.int32]:
        listed.append(pairs)
        return steps_by_search(batches, pairs, starts, room)

    monkeypatch.setattr(relaxation, "steps_by_search", searched)
    places = np.arange(120 * 90, dtype=np.int32).reshape(120, 90)
    source = np.concatenate([places[:, :-1].ravel(), places[:-1].ravel()])
    target = np.concatenate([places[:, 1:].ravel(), places[1:].ravel()])
    starts = np.zeros(places.size, dtype=np.bool_)
    starts[places[60, 45]] = True
    rows, columns = np.indices(places.shape)
    expected = np.abs(rows - 60) + np.abs(columns - 45)
    assert np.array_equal(steps_from(source, target, starts), expected.ravel())
    assert listed == []
    source, target, along = shuffled_path(5000)
    steps_from(source, target, np.arange(5000) == along[0])
    assert len(listed) == 1


def test_many_pairs_are_told_apart_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    source, target = random.integers(0, 300, (2, 30_000)).astype(np.int32)
    with machine(False):
        expected = passes.count_repeats(300, source, target)
    assert expected > 0
    monkeypatch.setattr(compiled, "FEWEST_LOADED", 0)
    for part, keys in ((64, 1 << 25), (64, 1000), (1 << 14, 7), (1, 30_000)):
        monkeypatch.setattr(passes, "_PART", part)
        monkeypatch.setattr(passes, "_MOST_KEYS", keys)
        assert passes.count_repeats(300, source, target) == expected
    one = np.zeros(5000, dtype=np.int32)
    assert passes.count_repeats(300, one, one + 1) == 4999


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


def test_without_numba_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled.compiled.cache_clear()
    try:
        monkeypatch.setitem(sys.modules, "numba", None)
        assert not is_worth_compiling(10**9)
    finally:
        compiled.compiled.cache_clear()
    monkeypatch.undo()
    assert is_worth_compiling(compiled.FEWEST)


@pytest.mark.parametrize("loaded", [True, False])
def test_fewer_pairs_are_worth_it_where_the_compiler_is_loaded(
    monkeypatch: pytest.MonkeyPatch, loaded: bool
) -> None:
    assert compiled.compiled()
    if not loaded:
        monkeypatch.delitem(sys.modules, "numba")
    fewest = compiled.FEWEST_LOADED if loaded else compiled.FEWEST
    assert is_worth_compiling(fewest)
    assert not is_worth_compiling(fewest - 1)


def test_a_graph_loads_no_compiler_until_it_has_many_pairs() -> None:
    program = (
        "import sys\n"
        "from rainbowdp import RainbowGraph\nfrom rainbowdp.graph import boundary_morphism\n"
        "boundary_morphism(RainbowGraph.from_arrays([0, 1], [1, 2], ['b>r', 'b>r', 'r>b']))\n"
        "sys.exit('numba' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
