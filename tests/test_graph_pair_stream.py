# SPDX-License-Identifier: Apache-2.0
"""Pairs read in batches: the same answers as with all of them in memory, and nothing is left behind."""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rainbowdp.errors import FileWriteError, GraphShapeError
from rainbowdp.families import cycle, grid, path
from rainbowdp.graph import DatasetGraph, PairStream, listed, pair_store
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.pair_store import PairMemory, PairSpool, mapped_array
from rainbowdp.graph.relaxation import MOST_PASSES

Numbers = NDArray[np.int32]


def stream_of(size: int, source: Integers, target: Integers, parts: int, said: list[str]) -> PairStream:
    cuts = np.array_split(np.arange(source.size), parts)
    return PairStream(size, lambda: [(source[cut], target[cut]) for cut in cuts], said.append)


@st.composite
def pair_files(draw: st.DrawFn) -> tuple[int, Numbers, Numbers, Numbers, int]:
    size = draw(st.integers(1, 30))
    ends = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=60))
    codes = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    source, target = np.array(ends, dtype=np.int32).reshape(-1, 2).T
    return size, source, target, np.array(codes, dtype=np.int32), draw(st.integers(1, 5))


@given(pair_files())
def test_every_answer_is_that_of_the_whole_graph(case: tuple[int, Numbers, Numbers, Numbers, int]) -> None:
    size, source, target, codes, parts = case
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from((s, t) for s, t in zip(source.tolist(), target.tolist(), strict=True) if s != t)
    stream = stream_of(size, source, target, parts, [])

    crossing = [(s, t) for s, t in graph.edges if codes[s] != codes[t]]
    assert set(np.flatnonzero(stream.mixed(codes)).tolist()) == {end for pair in crossing for end in pair}

    met = stream.code_pairs(codes, 5)
    least: dict[tuple[int, int], tuple[int, int]] = {}
    for s, t in sorted((min(pair), max(pair)) for pair in crossing):
        key = (min(codes[s], codes[t]), max(codes[s], codes[t]))
        least.setdefault((int(key[0]), int(key[1])), (s, t))
    found = zip(
        met.first.tolist(), met.second.tolist(), met.source.tolist(), met.target.tolist(), strict=True
    )
    assert [((a, b), (s, t)) for a, b, s, t in found] == sorted(least.items())
    assert met.same.tolist() == sorted({int(codes[s]) for s, t in graph.edges if codes[s] == codes[t]})

    starts = codes == 0
    reached = (
        nx.multi_source_dijkstra_path_length(graph, set(np.flatnonzero(starts).tolist()))
        if starts.any()
        else {}
    )
    assert stream.steps_from(starts).tolist() == [reached.get(dataset, -1) for dataset in range(size)]
    assert stream.pair_count == int(np.count_nonzero(source != target))


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    "structure", [path(70_000).structure, cycle(999).structure, grid(80, 90).structure], ids=repr
)
def test_deep_graphs_end_in_few_passes_in_any_order(structure: DatasetGraph, shuffled: bool) -> None:
    source, target = structure.pairs()
    if shuffled:
        random = np.random.default_rng(5)
        names = random.permutation(structure.size).astype(np.int32)
        order = random.permutation(source.size)
        source, target = names[source][order], names[target][order]
    said: list[str] = []
    stream = stream_of(structure.size, source, target, 7, said)
    starts = np.zeros(structure.size, dtype=np.bool_)
    starts[[0, structure.size // 3]] = True
    oracle = DatasetGraph.from_pairs(structure.size, source, target)
    assert np.array_equal(stream.steps_from(starts), oracle.steps_from(starts))
    # One pass over the file; what was set aside is relaxed a few times, then listed and searched.
    assert said[0] == "pass 1 over the file: the first distances"
    assert len(said) <= MOST_PASSES + 1
    assert shuffled == said[-1].startswith("the neighbors along")


def test_a_deep_graph_of_which_little_changes_at_a_time_is_searched_soon() -> None:
    random = np.random.default_rng(8)
    structure = listed(grid(300, 300).structure)
    source, target = structure.pairs()
    names, order = random.permutation(structure.size).astype(np.int32), random.permutation(source.size)
    source, target = names[source][order], names[target][order]
    said: list[str] = []
    starts = np.zeros(structure.size, dtype=np.bool_)
    starts[names[0]] = True
    found = stream_of(structure.size, source, target, 2, said).steps_from(starts)
    # From a corner, steps are those of both coordinates together.
    assert np.array_equal(found[names].reshape(300, 300), np.add.outer(np.arange(300), np.arange(300)))
    assert [text.split(":")[0].split(" pairs ")[0] for text in said] == [
        "pass 1 over the file",
        "179400",
        "179400",
        "the neighbors along 179400",
    ]


def test_what_was_asked_last_is_not_read_again() -> None:
    said: list[str] = []
    source, target = listed(grid(9, 9).structure).pairs()
    stream = stream_of(81, source, target, 3, said)
    codes = (np.arange(81) % 3).astype(np.int32)
    for _ in range(2):
        stream.mixed(codes.copy())
        stream.code_pairs(codes.copy(), 3)
        assert (stream.pair_count, stream.notes) == (source.size, ())
    assert said == [
        "pass 1 over the file: which datasets have neighbors of another code",
        "pass 2 over the file: which codes meet",
    ]


def test_self_loops_and_repeats_change_no_answer() -> None:
    source = np.array([0, 1, 1, 2, 1], dtype=np.int32)
    target = np.array([1, 0, 1, 2, 2], dtype=np.int32)
    stream = stream_of(3, source, target, 2, [])
    assert stream.steps_from(np.array([True, False, False])).tolist() == [0, 1, 2]
    assert (stream.pair_count, stream.notes) == (3, ("2 self-loops removed",))


def test_no_pairs_and_no_batches() -> None:
    stream = PairStream(2, list)
    assert stream.steps_from(np.array([True, False])).tolist() == [0, -1]
    assert stream.code_pairs(np.array([0, 1], dtype=np.int32), 2).size == 0
    assert stream.pair_count == 0


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(GraphShapeError):
        PairStream(-1, list)


class Reluctant:
    """A file that takes a few bytes at a time, as a disk that is nearly full may."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401 - any file
        self._file = file

    def write(self, content: Any) -> int:  # noqa: ANN401 - any buffer
        return int(self._file.write(bytes(content[:1000])))

    def read(self, length: int) -> bytes:
        return bytes(self._file.read(length))

    def seek(self, place: int) -> None:
        self._file.seek(place)

    def close(self) -> None:
        self._file.close()


def test_pairs_that_are_written_in_parts_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pair_store.unnamed_file
    monkeypatch.setattr(pair_store, "unnamed_file", lambda: Reluctant(whole()))
    source, target = np.arange(5000, dtype=np.int32), np.arange(5000, dtype=np.int32)[::-1]
    spool = PairSpool(np.int32)
    spool.add(source, target)
    spool.add(source, target)
    (first, second), (third, fourth) = spool.batches()
    for found, written in zip((first, second, third, fourth), (source, target) * 2, strict=True):
        assert np.array_equal(found, written)


def test_a_store_gives_back_what_it_was_given_in_either_direction() -> None:
    for store in (PairSpool(np.int64), PairMemory(np.int64)):
        store.add(np.array([1, 2]), np.array([3, 4]))
        store.add(np.array([5]), np.array([6]))
        forward = [(source.tolist(), target.tolist()) for source, target in store.batches()]
        assert forward == [([1, 2], [3, 4]), ([5], [6])]
        assert [(s.tolist(), t.tolist()) for s, t in store.batches(backward=True)] == forward[::-1]
        assert (store.size, store.array(7).size) == (3, 7)


def test_where_temporary_files_cannot_be_made_the_error_says_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(FileWriteError, match="nowhere"):
        mapped_array(10, np.int32)
    with pytest.raises(FileWriteError, match="nowhere"):
        PairSpool(np.int32)


def _child(script: str, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    # A limit on the size of files stands for the disk: the same call fails, at the same places.
    script = """
        import resource, numpy as np
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
        from rainbowdp.errors import FileWriteError
        from rainbowdp.families import grid
        from rainbowdp.graph.pair_store import mapped_array
        from rainbowdp.graph import PairStream
        source, target = grid(200, 200).structure.pairs()
        starts = np.arange(40_000) == 0
        for attempt in (
            lambda: PairStream(40_000, lambda: [(source, target)]).steps_from(starts),
            lambda: mapped_array(1 << 20, np.int32),
        ):
            try:
                attempt()
            except FileWriteError as error:
                print(error.help)
    """
    out, error = _child(script, tmp_path).communicate(timeout=120)
    assert out.count("TMPDIR") == 2, error
    assert not list(tmp_path.glob("rainbowdp-*"))


def test_a_killed_process_leaves_no_temporary_file(tmp_path: Path) -> None:
    script = """
        import numpy as np, sys, time
        from rainbowdp.graph.pair_store import PairSpool, mapped_array
        spool = PairSpool(np.int32)
        spool.add(np.zeros(1000, dtype=np.int32), np.ones(1000, dtype=np.int32))
        array = mapped_array(1 << 20, np.int32)
        print("written", flush=True)
        time.sleep(600)
    """
    child = _child(script, tmp_path)
    assert child.stdout is not None
    assert child.stdout.readline() == "written\n"
    child.kill()
    child.wait()
    child.communicate()
    assert not list(tmp_path.glob("rainbowdp-*"))
