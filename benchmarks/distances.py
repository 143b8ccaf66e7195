# SPDX-License-Identifier: Apache-2.0
"""From files to the distance of every dataset: our path beside graph libraries, on the same files.

Every program is a process of its own; what it imports is not counted. All of them must give the same
distances. The floors are one decoding of the pairs, and one pass that looks up both ends of every pair.
"""

import importlib.util
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.child import NotInstalledError, TooSlowError, answer_of
from benchmarks.goals import Goal
from benchmarks.path_run import FLOORS, WHOLE
from benchmarks.peers import PEERS
from benchmarks.report import Report, Table, mebibytes, times

SIZE = 1_000_000
OURS = "rainbowdp"
DECODE, LOOK_UP = FLOORS
SECONDS_FOR_A_PEER = 180.0
_MODULES = {"python-graphblas": "graphblas", "graph-tool": "graph_tool"}
_SYSTEM_PYTHON = "/usr/bin/python3"
# networkx needs some 400 bytes for a pair, and more than the time for more of them.
_MOST_PAIRS = {"networkx": 15_000_000}
_QUICK_PEERS = ("scipy", "python-graphblas")

Outcome = dict[str, Any] | str
"""What a program needed, or why there is nothing."""


@dataclass(frozen=True)
class Case:
    """A family to be measured.

    Parameters
    ----------
    name : str
        As it is shown.
    kind : str
        As `benchmarks.graphs` knows it.
    peers : tuple of str
        Who is measured on it.
    faster : float
        How many times faster than the fastest peer the goal is.
    """

    name: str
    kind: str
    peers: tuple[str, ...] = tuple(PEERS)
    faster: float = 4


CASES = (
    Case("lattice", "lattice"),
    Case("random", "random"),
    Case("Hamming", "hamming"),
    Case("lattice, shuffled", "lattice-shuffled", faster=2),
    Case("Hamming, shuffled", "hamming-shuffled"),
    Case("random, int64 with dictionaries", "random-default", peers=_QUICK_PEERS),
)


def main(size: int, folder: Path) -> Report:
    """Measure all programs on all families.

    Parameters
    ----------
    size : int
        The number of datasets of each family, roughly.
    folder : Path
        An empty directory on a disk with room for some 800 bytes per dataset.

    Returns
    -------
    Report

    Raises
    ------
    RuntimeError
        If a program fails, or two of them disagree about a distance.
    """
    found: dict[str, dict[str, Outcome]] = {}
    sizes = []
    for case in CASES:
        place = folder / case.kind
        place.mkdir()
        made = answer_of("graphs", str(place), case.kind, str(size), "arrays")
        sizes.append(f"{case.name} {made['datasets']:,} and {made['pairs']:,}")
        found[case.name] = measured(case, place, made["pairs"])
        shutil.rmtree(place)
    rows = [
        row(case, program, outcome, found[case.name][OURS])
        for case in CASES
        for program, outcome in found[case.name].items()
    ]
    text = f"{size:,} datasets, or nearly: datasets and pairs are {'; '.join(sizes)}."
    columns = (
        "family",
        "program",
        "seconds",
        "processor seconds",
        "memory MiB",
        "runs",
        "time ÷ ours",
        "memory ÷ ours",
    )
    return Report(text, columns, rows, further=[phase_table(found)], goals=goals(found))


def measured(case: Case, folder: Path, pairs: int) -> dict[str, Outcome]:
    """Run all programs on the family in a folder, our path first: all others must give its distances."""
    found: dict[str, Outcome] = {}
    for program in (OURS, WHOLE, *PEERS, *FLOORS):
        if program in PEERS and program not in case.peers:
            continue
        found[program] = outcome(program, folder, pairs)
        print(f"{case.name}: {program}: {_seconds(found[program])}", file=sys.stderr, flush=True)
    return found


def outcome(program: str, folder: Path, pairs: int) -> Outcome:
    """Run one program, and return what it needed or why it was not run to its end."""
    if pairs > _MOST_PAIRS.get(program, pairs):
        return "not run"
    python: str | None = sys.executable
    if program in PEERS:
        python = _python_for(_MODULES.get(program, program))
    if python is None:
        return "not installed"
    limit = SECONDS_FOR_A_PEER if program in PEERS else None
    try:
        return answer_of("path_run", program, str(folder), limit=limit, python=python)
    except (NotInstalledError, TooSlowError) as error:
        return str(error)


def _python_for(module: str) -> str | None:
    """Return an interpreter that has a library; graph-tool comes with the system's own, if at all."""
    if importlib.util.find_spec(module) is not None:
        return sys.executable
    if module == "graph_tool" and Path(_SYSTEM_PYTHON).exists():
        command = [_SYSTEM_PYTHON, "-c", "import graph_tool, numpy"]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return _SYSTEM_PYTHON
    return None


def row(case: Case, program: str, found: Outcome, ours: Outcome) -> list[str]:
    """Return a row of the table."""
    if isinstance(found, str) or isinstance(ours, str):
        return [case.name, program, _seconds(found), "", "", "", "", ""]
    compared = program != OURS
    return [
        case.name,
        program,
        _seconds(found),
        f"{found['processor_seconds']:.2g}",
        mebibytes(found["memory_bytes"]),
        str(found["runs"]),
        times(found["seconds"], ours["seconds"]) if compared else "",
        times(found["memory_bytes"], ours["memory_bytes"]) if compared and program not in FLOORS else "",
    ]


def _seconds(found: Outcome) -> str:
    if isinstance(found, str):
        return found
    return f"{found['seconds']:.2g}" if found["seconds"] < 10 else f"{found['seconds']:.0f}"


def phase_table(found: dict[str, dict[str, Outcome]]) -> Table:
    """Return how long each phase of the whole solve took, beside the floors."""
    names: dict[str, None] = {}
    for outcomes in found.values():
        names |= dict.fromkeys(_phases(outcomes.get(WHOLE)))
    rows = []
    for family, outcomes in found.items():
        phases = _phases(outcomes.get(WHOLE))
        floors = [outcomes.get(name) for name in FLOORS]
        rows.append(
            [
                family,
                *(_milliseconds(phases.get(name)) for name in names),
                *(_milliseconds(each["seconds"] if isinstance(each, dict) else None) for each in floors),
            ]
        )
    text = "Milliseconds in each phase of the whole solve, and the floors."
    return Table(text, ("family", *names, *FLOORS), rows)


def _phases(found: Outcome | None) -> dict[str, float]:
    return found.get("phases", {}) if isinstance(found, dict) else {}


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1000:.3g}"


def goals(found: dict[str, dict[str, Outcome]]) -> list[Goal]:
    """Return what was to be reached against peers and floors."""
    made = [
        Goal(
            f"files to distances, faster than {peer}",
            100 if peer == "networkx" else 10,
            _faster(found, peer),
            at_least=True,
        )
        for peer in ("networkx", "igraph", "networkit", "rustworkx")
    ]
    fastest = {name: _fastest(outcomes) for name, outcomes in found.items()}
    limits = {case.name: case.faster for case in CASES}
    for limit in sorted(set(limits.values()), reverse=True):
        where = {name: peer for name, peer in fastest.items() if limits.get(name) == limit and peer}
        kind = "deep shuffled" if limit == 2 else "other"
        values = {f"{name}, {peer}": _ratio(found[name], peer, "seconds") for name, peer in where.items()}
        made.append(Goal(f"… faster than the fastest peer, {kind} families", limit, values, at_least=True))
    memory = {
        f"{name}, {peer}": 1 / _ratio(found[name], peer, "memory_bytes")
        for name, peer in fastest.items()
        if peer
    }
    made.append(Goal("… memory, as a share of that of the fastest peer", 0.5, memory))
    compute, whole = {}, {}
    for name, outcomes in found.items():
        ours, look_up, solve = outcomes.get(OURS), outcomes.get(LOOK_UP), outcomes.get(WHOLE)
        if isinstance(ours, dict) and isinstance(look_up, dict):
            phases = ours["phases"]
            compute[name] = (phases["mark the boundary"] + phases["distances"]) / look_up["seconds"]
        if isinstance(ours, dict) and isinstance(solve, dict):
            whole[name] = solve["seconds"] / ours["seconds"]
    made.append(Goal("boundary and distances, against one look-up pass", 6, compute))
    made.append(Goal("whole solve, against distances only", 1.5, whole))
    return made


def _faster(found: dict[str, dict[str, Outcome]], peer: str) -> dict[str, float]:
    return {
        name: _ratio(outcomes, peer, "seconds")
        for name, outcomes in found.items()
        if isinstance(outcomes.get(peer), dict) and isinstance(outcomes.get(OURS), dict)
    }


def _fastest(outcomes: dict[str, Outcome]) -> str | None:
    """Return the peer that took the least time, if there is one to compare with."""
    ended = {
        name: found["seconds"]
        for name, found in outcomes.items()
        if name in PEERS and isinstance(found, dict)
    }
    if not ended or not isinstance(outcomes.get(OURS), dict):
        return None
    return min(ended, key=lambda name: ended[name])


def _ratio(outcomes: dict[str, Outcome], peer: str, what: str) -> float:
    """Return how many times more of something a peer needed than we did."""
    theirs, ours = outcomes[peer], outcomes[OURS]
    if isinstance(theirs, str) or isinstance(ours, str):
        raise TypeError(f"{peer} was not measured")
    # Where programs do next to nothing, memory does not grow.
    return float((theirs[what] or 1) / (ours[what] or 1))
