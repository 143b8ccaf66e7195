# SPDX-License-Identifier: Apache-2.0
"""Our own path, from files to distances and to a written mechanism, by public names only, phase by phase."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from benchmarks.peers import Array

if TYPE_CHECKING:
    from rainbowdp import RainbowGraph
    from rainbowdp.formats.pairs import Engine

_Result = TypeVar("_Result")
EPSILON = "1/2"


class Phases:
    """How long each named phase took, in seconds; the least time where it ran several times."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, name: str, work: Callable[[], _Result]) -> _Result:
        """Do some work as a phase.

        Examples
        --------
        >>> phases = Phases()
        >>> phases.timed("adding", lambda: 1 + 1), [*phases.seconds]
        (2, ['adding'])
        """
        started = time.perf_counter()
        result = work()
        took = time.perf_counter() - started
        self.seconds[name] = min(took, self.seconds.get(name, took))
        return result


def load() -> None:
    """Import what the path would import when it first needs it, as the peers' libraries are imported."""
    import importlib

    for name in (
        "duckdb",
        "pyarrow.parquet",
        "rainbowdp.formats.datasets",
        "rainbowdp.formats.graphs",
        "rainbowdp.formats.pairs",
        "rainbowdp.formats.text_tables",
        "rainbowdp.formats.writing",
        "rainbowdp.optimal",
        "rainbowdp.verification",
    ):
        importlib.import_module(name)
    from rainbowdp.graph.compiled import compiled

    if compiled():
        importlib.import_module("rainbowdp.graph.kernels_families")


def distances(folder: Path, engine: "Engine", phases: Phases) -> Array:
    """Return the distance of every dataset, int32 [n], -1 where there is none."""
    return _distances(folder, engine, phases)[1]


def _distances(folder: Path, engine: "Engine", phases: Phases) -> "tuple[RainbowGraph, Array]":
    from rainbowdp import read_graph

    files = folder / "datasets.parquet", folder / "pairs.parquet"
    graph = phases.timed("read and check", lambda: read_graph(*files, engine=engine))
    phases.timed("mark the boundary", lambda: graph.boundary)
    steps = phases.timed("distances", lambda: graph.distance.data)
    return graph, steps


def solved(folder: Path, engine: "Engine", phases: Phases) -> Array:
    """Do what ``rainbowdp solve`` does: distances, the exact mechanism, its exact check, and its two tables.

    Returns
    -------
    int32 array [n]
        As `distances`.

    Raises
    ------
    RuntimeError
        If the mechanism fails its check.
    """
    from rainbowdp import PureDP, optimal_mechanism, verify, write_mechanism
    from rainbowdp.graph import PairList

    privacy = PureDP(EPSILON)
    graph, steps = _distances(folder, engine, phases)
    if isinstance(graph.structure, PairList):
        graph.structure.count_ahead()
    phases.timed("classes that meet", lambda: graph.class_pairs)
    mechanism = phases.timed("mechanism", lambda: optimal_mechanism(graph, privacy, "uniform"))
    found = phases.timed("verify", lambda: verify(mechanism, graph, privacy))
    if not found.holds:
        raise RuntimeError("the mechanism failed its check")
    out, classes = folder / "mechanism.parquet", folder / "classes.parquet"
    phases.timed("write", lambda: write_mechanism(out, mechanism, exact=False, classes=classes))
    phases.timed("count repeated pairs", lambda: graph.pair_count)
    return steps
