# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks compare gives right answers, and a program that gives a wrong one is found out.

Libraries that only the benchmarks need may be missing here; then they are named as missing.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks import distances, draws_run, families_run, graphs, linear_program, path_run, spent
from benchmarks.child import NotInstalledError, TooSlowError, answer_of
from benchmarks.draws import require_frequency
from benchmarks.peers import PEERS, Array, Search
from question_oracle import walked

pytestmark = pytest.mark.release
KINDS = ("lattice", "random", "sparse", "hamming", "lattice-shuffled", "hamming-shuffled", "random-default")


@pytest.fixture(autouse=True)
def _once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spent, "MOST_RUNS", 1)


def brute_force(source: Array, target: Array, regions: Array) -> list[int]:
    """Return the distances by plain search, -1 where there is none."""
    neighbors: list[list[int]] = [[] for _ in range(regions.size)]
    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        neighbors[one].append(other)
        neighbors[other].append(one)
    found = walked(dict(enumerate(regions.tolist())), lambda at: neighbors[at])
    return [found.get(at, -1) for at in range(regions.size)]


def small_graphs() -> list[tuple[Array, Array, Array]]:
    """Return a lattice, and one with datasets that no boundary reaches and a pair twice."""
    lattice = graphs.made("lattice-shuffled", 100)
    ends = np.array([[0, 1, 2, 5, 6, 1], [1, 2, 3, 6, 7, 0]], dtype=np.int32)
    return [lattice, (ends[0], ends[1], np.array([0, 0, 0, 1, 0, 1, 1, 1], dtype=np.int8))]


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_finds_the_distances_or_is_missing(name: str, tmp_path: Path) -> None:
    try:
        search = PEERS[name]()
    except ImportError:
        found = distances._python_for(distances._MODULES.get(name, name))
        assert found in (None, "/usr/bin/python3")
        if found is None:
            assert distances.outcome(name, tmp_path, 1) == "not installed"
        return
    for source, target, regions in small_graphs():
        steps = search(source, target, regions)
        assert steps.dtype == np.int32
        assert steps.tolist() == brute_force(source, target, regions)


@pytest.mark.parametrize("kind", KINDS)
def test_a_family_goes_into_files_and_comes_out_again(kind: str, tmp_path: Path) -> None:
    source, target, regions = graphs.made(kind, 100)
    assert graphs.write(tmp_path, kind, 100, arrays=True) == {"datasets": regions.size, "pairs": source.size}
    assert not (source == target).any()
    assert {*source.tolist(), *target.tolist()} <= {*range(regions.size)}
    assert {*regions.tolist()} <= {*range(graphs.REGIONS)}
    found = path_run.run("rainbowdp", tmp_path)
    assert np.load(tmp_path / "answer.npy").tolist() == brute_force(source, target, regions)
    assert [*found["phases"]] == ["read and check", "mark the boundary", "distances"]
    # Each finds the answer of the one before.
    for program in ("rainbowdp, whole solve", "scipy"):
        assert path_run.run(program, tmp_path)["levels"] == found["levels"]


def changed(change: Callable[[Array], Array]) -> Callable[[], Search]:
    """Return a program whose answers are changed."""
    return lambda: lambda source, target, regions: change(PEERS["scipy"]()(source, target, regions))


off_by_one = changed(lambda steps: steps + (np.arange(steps.size) == 7).astype(np.int32))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (off_by_one, "1 of 100 distances differ, first that of dataset 7"),
        (changed(lambda steps: steps.astype(np.int64)), "int64"),
        (changed(lambda steps: steps[:-1]), "99 dist"),
    ],
)
def test_a_program_that_answers_wrongly_is_found_out(
    made: Callable[[], Search], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs.write(tmp_path, "lattice", 100, arrays=False)
    path_run.run("rainbowdp", tmp_path)
    monkeypatch.setitem(PEERS, "wrong", made)
    with pytest.raises(path_run.WrongAnswerError, match=said):
        path_run.run("wrong", tmp_path)


@pytest.mark.parametrize("kind", [families_run.HAMMING, families_run.SQUARE, families_run.CUBE])
def test_families_without_pairs_are_checked(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = families_run.run(kind, 200, "check")
    assert families_run.run(kind, 200, "measure").items() >= counts.items()
    if kind != families_run.HAMMING:
        assert families_run.run(kind, 200, "transform").items() >= counts.items()
    monkeypatch.setattr(families_run, "scipy", off_by_one)
    with pytest.raises(path_run.WrongAnswerError, match="1 of"):
        families_run.run(kind, 200, "check")


@pytest.mark.parametrize("name", draws_run.WAYS)
def test_draws_come_as_often_as_they_should(name: str) -> None:
    made, probability = draws_run.WAYS[name]
    counts = np.bincount(made()(2_000), minlength=2).tolist()
    assert sum(counts) == 2_000
    if probability is not None:
        require_frequency(name, counts, probability)
        with pytest.raises(RuntimeError, match=r"the first answer came \d+ times in 2000, .* deviations off"):
            require_frequency(name, counts, probability + 0.1)


def test_the_program_has_the_values_of_the_closed_form(tmp_path: Path) -> None:
    table = tmp_path / "table.npy"
    assert linear_program.main(64, "closed", table)["pairs"] == 112
    assert linear_program.main(64, "program", table)["difference"] < 1e-6
    np.save(table, np.load(table)[:, [1, 0, 2]])
    with pytest.raises(RuntimeError, match="prefix masses differ by"):
        linear_program.main(64, "program", table)


def test_a_process_that_has_no_answer_says_why(tmp_path: Path) -> None:
    with pytest.raises(TooSlowError, match=r"not done in 0 s"):
        answer_of("graphs", str(tmp_path), "lattice", "100", limit=0.001)
    with pytest.raises(RuntimeError, match=r"(?s)benchmarks.graphs ended with 1: .*IndexError"):
        answer_of("graphs")
    blocked = tmp_path / "python"
    blocked.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    blocked.chmod(0o700)
    with pytest.raises(NotInstalledError, match="not installed"):
        answer_of("graphs", python=str(blocked))
    assert answer_of("graphs", str(tmp_path), "lattice", "100", python=sys.executable) == {
        "datasets": 100,
        "pairs": 180,
    }
