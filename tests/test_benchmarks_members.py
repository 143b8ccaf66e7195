# SPDX-License-Identifier: Apache-2.0
"""The members of the benchmarks run, tiny, to their end, and report what they are to report.

Their programs run in this process here, which does not change what they find; what they need is not tested.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import (
    distances,
    draws,
    draws_run,
    families,
    families_run,
    figure,
    graphs,
    growth,
    linear_program,
    optimum,
    path_run,
    spent,
    startup,
    startup_run,
)
from benchmarks.__main__ import put
from benchmarks.child import NotInstalledError
from benchmarks.goals import UNMEASURED
from benchmarks.measuring import Run
from benchmarks.peers import PEERS
from benchmarks.report import Report
from test_benchmarks import TINY

pytestmark = pytest.mark.release


def inside(module: str, *arguments: str, limit: float | None = None, python: str = "") -> dict[str, Any]:
    """Do what `benchmarks.child.answer_of` does, in this process."""
    assert limit is None or limit > 0
    assert python is not None
    first, *rest = arguments
    ways: dict[str, Callable[[], dict[str, Any]]] = {
        "graphs": lambda: graphs.write(Path(first), rest[0], int(rest[1]), arrays="arrays" in rest),
        "path_run": lambda: path_run.run(first, Path(rest[0])),
        "families_run": lambda: families_run.run(first, int(rest[0]), [*rest, "measure"][1]),
        "draws_run": lambda: drawn(first, int(rest[0])),
        "linear_program": lambda: linear_program.main(int(first), rest[0], Path(rest[1])),
        "startup_run": lambda: startup_run.run(first),
        "figure": lambda: drawing(Path(first), Path(rest[0])),
    }
    return ways[module]()


def drawn(name: str, count: int) -> dict[str, Any]:
    found, needed = spent.spent(lambda: draws_run.WAYS[name][0]()(count))
    return asdict(needed) | {"counts": np.bincount(found, minlength=2).tolist()}


def drawing(curves: Path, path: Path) -> dict[str, Any]:
    figure.draw(json.loads(curves.read_text(encoding="utf-8")), path)
    return {}


@pytest.fixture(autouse=True)
def _inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spent, "MOST_RUNS", 1)
    for member in (distances, growth, families, draws, optimum, startup):
        monkeypatch.setattr(member, "answer_of", inside)


def checked(report: Report, name: str) -> Report:
    assert report.text.startswith(f"{TINY[name]:,} ")
    for columns, rows in [
        (report.columns, report.rows),
        *((each.columns, each.rows) for each in report.further),
    ]:
        assert rows
        assert {len(row) for row in rows} == {len(columns)}
    return report


def measured_goals(report: Report) -> list[bool]:
    return [goal.cells()[-1] != UNMEASURED for goal in report.goals]


def test_distances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [distances.CASES[0], distances.CASES[3]]
    monkeypatch.setattr(distances, "CASES", cases)
    monkeypatch.setattr(
        distances, "_python_for", lambda module: "here" if module in ("scipy", "networkx") else None
    )
    report = checked(distances.main(TINY["distances"], tmp_path), "distances")
    told = {(row[0], row[1]): row[2:] for row in report.rows}
    assert len(told) == len(cases) * (2 + len(PEERS) + 2)
    assert told["lattice", "igraph"] == ["not installed", "", "", "", "", ""]
    assert all(told["lattice", "networkx"])
    assert measured_goals(report) == [True, *[False] * 3, *[True] * 5]
    (phases,) = report.further
    assert [*phases.columns][-2:] == [*path_run.FLOORS]
    assert all(all(row) for row in phases.rows)
    assert [*tmp_path.iterdir()] == []


def outcome(seconds: float, memory: int = 100, **more: object) -> dict[str, Any]:
    return {"seconds": seconds, "processor_seconds": seconds, "memory_bytes": memory, "runs": 1, **more}


def test_goals_of_distances_compare_with_the_right_peer() -> None:
    phases = {"read and check": 0.5, "mark the boundary": 0.2, "distances": 0.3}
    outcomes: dict[str, distances.Outcome] = {
        "rainbowdp": outcome(1.0, phases=phases),
        "rainbowdp, whole solve": outcome(1.4),
        "scipy": outcome(5.0, memory=150),
        "networkit": outcome(9.0, memory=10),
        "igraph": "not installed",
        "networkx": outcome(250.0),
        "one look-up pass": outcome(0.1),
    }
    goals = distances.goals({"lattice": outcomes, "random": {"rainbowdp": outcome(1.0, phases=phases)}})
    assert [(goal.limit, dict(goal.measured), goal.met) for goal in goals] == [
        (100, {"lattice": 250}, True),
        (10, {}, None),
        (10, {"lattice": 9}, False),
        (10, {}, None),
        (4, {"lattice, scipy": 5}, True),
        (2, {}, None),
        (0.5, {"lattice, scipy": pytest.approx(2 / 3)}, False),
        (6, {"lattice": 5}, True),
        (1.5, {"lattice": 1.4}, True),
    ]


def test_growth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "_DECADES", 2)
    kinds = [growth.KINDS[0], growth.KINDS[1], growth.KINDS[2]]
    monkeypatch.setattr(growth, "KINDS", kinds)
    report = checked(growth.main(TINY["growth"], tmp_path), "growth")
    assert [(row[0], row[1]) for row in report.rows] == [
        (kind.name, program) for kind in kinds for program in kind.programs
    ]
    assert measured_goals(report) == [True] * 4
    page = tmp_path / "page.md"
    page.write_text("<!-- growth --><!-- /growth -->", encoding="utf-8")
    put(page, "growth", report, report.markdown())
    drawing = (tmp_path / "assets" / "benchmarks" / "growth.svg").read_text(encoding="utf-8")
    assert "(assets/benchmarks/growth.svg)" in page.read_text(encoding="utf-8")
    assert all(text in drawing for text in ("random, shuffled, streamed", "one look-up pass", "slope 1"))


def test_a_shuffled_file_with_other_distances_is_found_out() -> None:
    point = growth.Point(100, 1.0, 1, 1, "levels")
    other = growth.Point(100, 1.0, 1, 1, "other levels")
    curves = {("lattice", "rainbowdp"): [point], ("lattice, shuffled", "rainbowdp"): [point]}
    growth._compare_orders(curves)
    curves["lattice, shuffled", "rainbowdp"] = [other]
    with pytest.raises(RuntimeError, match="other distances in a shuffled file of lattice"):
        growth._compare_orders(curves)


def test_families(tmp_path: Path) -> None:
    report = checked(families.main(TINY["families"], tmp_path), "families")
    assert [row[0] for row in report.rows] == [*families.KINDS]
    assert measured_goals(report) == [True]


def test_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, *arguments: str) -> dict[str, Any]:
        if "diffprivlib" in arguments[0]:
            raise NotInstalledError("not installed")
        return inside(module, *arguments)

    monkeypatch.setattr(draws, "answer_of", missing)
    report = checked(draws.main(TINY["draws"], tmp_path), "draws")
    told = {row[0]: row[1:] for row in report.rows}
    assert [*told] == [*draws_run.WAYS]
    assert told["diffprivlib Exponential"] == ["one", "not installed", ""]


def test_optimum(tmp_path: Path) -> None:
    report = checked(optimum.main(TINY["optimum"], tmp_path), "optimum")
    assert [row[0] for row in report.rows] == ["16", "36", "400"]
    assert measured_goals(report) == [True]


def test_startup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def seen(command: list[str], scratch: Path) -> Run:
        assert scratch.is_dir()
        commands.append([*command])
        cold = any("cache1" in part for part in command)
        output = '"Tea, hot"\n' if "winner" in command else ""
        return Run(3.0 if cold else 1.0, 1.0, 2**20, 0, output, "")

    monkeypatch.setattr(startup, "measured", seen)
    monkeypatch.setattr(startup, "_DATASETS", 100)
    monkeypatch.setattr(startup_run, "ASKED", 3)
    monkeypatch.setattr(startup_run, "DISTANCES", 1_000)
    monkeypatch.setattr(startup, "quoted", lambda _: '"Tea, hot"')
    report = checked(startup.main(TINY["startup"], tmp_path), "startup")
    assert [goal.met for goal in report.goals][:4] == [False, False, True, True]
    assert all(measured_goals(report))
    assert sum("solve" in command for command in commands) == 2 * startup._RUNS
