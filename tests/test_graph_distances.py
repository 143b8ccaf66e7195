# SPDX-License-Identifier: Apache-2.0
"""Distances by passes and by search: against networkx and closed forms, and where pairs are set aside."""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from pair_cases import PairCase, pair_cases
from rainbowdp.errors import FileWriteError
from rainbowdp.families import grid, path
from rainbowdp.graph import DatasetGraph, PairStream
from rainbowdp.graph.distances import (
    MOST_PASSES,
    Depths,
    PairMemory,
    PairSpool,
    steps_along,
    steps_by_search,
)

Ends = tuple[NDArray[np.int32], NDArray[np.int32]]


def path_ends(along: NDArray[np.int64], order: NDArray[np.int64]) -> Ends:
    """Return the pairs of the path through some datasets, in some order."""
    return along[:-1][order].astype(np.int32), along[1:][order].astype(np.int32)


def by_search(pairs: NDArray[Any], starts: NDArray[np.bool_]) -> list[int]:
    """Return what the search finds in two batches of pairs."""
    source, target = pairs.reshape(-1, 2).astype(np.int32).T.copy()
    middle = source.size // 2

    store = PairMemory(np.int32)
    store.add(source[:middle], target[:middle])
    store.add(source[middle:], target[middle:])
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
    source, target = path_ends(along, places[::-1] if order == "backward" else places)
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
