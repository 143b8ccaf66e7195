# SPDX-License-Identifier: Apache-2.0
"""Passes over pairs and searches: machine code against numpy, networkx and closed forms; pairs set aside."""

import os
import subprocess
import sys
import tempfile
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pair_cases import PairCase, pair_cases
from rainbowdp.errors import FileWriteError
from rainbowdp.families import grid, path
from rainbowdp.graph import CodePairs, DatasetGraph, PairStream, relation
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.compiled import kernel
from rainbowdp.graph.distances import MOST_PASSES, Depths, PairMemory, PairSpool, steps_along, steps_by_search
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


def by_search(pairs: NDArray[Any], starts: NDArray[np.bool_]) -> list[int]:
    """Return what the search finds in two batches of pairs."""
    source, target = pairs.reshape(-1, 2).astype(np.int32).T.copy()
    store = PairMemory(np.int32)
    for half in np.array_split(np.arange(source.size), 2):
        store.add(source[half], target[half])
    steps = steps_by_search(store, starts)
    assert steps.dtype == np.int32
    assert not steps.flags.writeable
    return list(steps.tolist())


@given(case=pair_cases())
def test_steps_by_search_are_those_of_networkx(case: PairCase) -> None:
    assert by_search(np.array(case.edges()), case.start_array()) == case.steps()


@pytest.mark.parametrize("size", [2, 253, 254, 255, 65_534, 65_536])
@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_distances_of_any_depth_are_exact(size: int, order: str) -> None:
    """Depths grow into longer integers, and nothing is done twice where the pairs come in order."""
    random = np.random.default_rng(size)
    along, places = np.arange(size), np.arange(size - 1)
    if order == "shuffled":
        along, places = random.permutation(size), random.permutation(size - 1)
    places = places[::-1] if order == "backward" else places
    source, target = (along[at].astype(np.int32) for at in (places, places + 1))
    starts = np.zeros(size, dtype=np.bool_)
    starts[along[-1 if order == "backward" else 0]] = True
    expected = np.arange(size)[::-1] if order == "backward" else np.arange(size)
    steps = steps_along([(source, target)], starts, PairMemory(np.int32), lambda _: None)
    assert np.array_equal(steps[along], expected)
    if order == "shuffled":
        return
    depths = Depths(starts)
    kept_source, kept_target = np.empty_like(source), np.empty_like(target)
    kept = depths.relax(source, target, kept_source, kept_target)
    depths.end_pass()
    assert (depths.changed, kept) == (size - 1, source.size)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("structure", [path(20_000).structure, grid(80, 90).structure], ids=repr)
def test_deep_graphs_end_in_few_passes_in_any_order(structure: DatasetGraph, shuffled: bool) -> None:
    source, target = structure.pairs()
    if shuffled:
        random = np.random.default_rng(5)
        names = random.permutation(structure.size).astype(np.int32)
        order = random.permutation(source.size)
        source, target = names[source][order], names[target][order]
    said: list[str] = []
    cuts = np.array_split(np.arange(source.size), 7)
    stream = PairStream(structure.size, lambda: [(source[cut], target[cut]) for cut in cuts], said.append)
    starts = np.zeros(structure.size, dtype=np.bool_)
    starts[[0, structure.size // 3]] = True
    oracle = DatasetGraph.from_pairs(structure.size, source, target)
    assert np.array_equal(stream.steps_from(starts), oracle.steps_from(starts))
    # One pass over the file; what was set aside is relaxed a few times, then listed and searched.
    assert said[0] == "pass 1 over the file: the first distances"
    assert len(said) <= MOST_PASSES + 1
    assert shuffled == said[-1].startswith("the neighbors along")


@pytest.mark.parametrize("degree", [1, 255, 256])
def test_datasets_with_many_neighbors(degree: int) -> None:
    # All of one circle with all of the other: lists of equal length, but for the last dataset.
    one, other = np.indices((degree, degree)).reshape(2, -1)
    starts = np.arange(2 * degree + 1) == 0
    found = by_search(np.stack([one, other + degree], axis=1), starts)
    assert found == [0, *[2] * (degree - 1), *[1] * degree, -1]


def test_where_temporary_files_cannot_be_made_the_error_says_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(FileWriteError, match="nowhere"):
        PairSpool(np.int32)


def test_a_full_disk_is_an_error_and_a_killed_process_leaves_no_file(tmp_path: Path) -> None:
    # A limit on the size of files stands for the disk: the same call fails, at the same places.
    script = """
        import resource, time, numpy as np
        from rainbowdp.errors import FileWriteError
        from rainbowdp.families import grid
        from rainbowdp.graph import PairStream
        from rainbowdp.graph.distances import PairSpool
        spool = PairSpool(np.int32)
        spool.add(np.zeros(1000, dtype=np.int32), np.ones(1000, dtype=np.int32))
        array = spool.array(1 << 20)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
        source, target = grid(200, 200).structure.pairs()
        starts = np.arange(40_000) == 0
        for attempt in (
            lambda: PairStream(40_000, lambda: [(source, target)]).steps_from(starts),
            lambda: spool.array(1 << 20),
        ):
            try:
                attempt()
            except FileWriteError as error:
                print("TMPDIR" in error.help, flush=True)
        time.sleep(600)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert [child.stdout.readline() for _ in range(2)] == ["True\n"] * 2
    child.kill()
    child.communicate()
    assert not list(tmp_path.glob("rainbowdp-*"))
