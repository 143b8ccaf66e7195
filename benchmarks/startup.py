# SPDX-License-Identifier: Apache-2.0
"""What people wait for before anything happens: imports, help, a small question, the first run of all.

Whole processes, seen from outside, the best of three; and small things inside one.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.ask_csv import OPTIONS_TEXT
from benchmarks.child import answer_of
from benchmarks.goals import Goal
from benchmarks.measuring import Run, measured
from benchmarks.person_table import WINNER, quoted
from benchmarks.report import Report, mebibytes
from benchmarks.startup_run import ASKED, DISTANCES

SIZE = 200_000
_RUNS = 3
# More pairs than are worth compiling for.
_DATASETS = 200_000


def main(size: int, folder: Path) -> Report:
    """Measure all of them.

    Parameters
    ----------
    size : int
        The number of rows of the CSV file.
    folder : Path
        An empty directory.

    Returns
    -------
    Report

    Raises
    ------
    RuntimeError
        If a command fails, or an answer is wrong.
    """
    scratch = folder / "scratch"
    scratch.mkdir()
    table = folder / "table.csv"
    measured(
        [sys.executable, "-m", "benchmarks.person_table", str(table), str(folder / "messy.csv"), str(size)],
        scratch,
    )
    command = [sys.executable, "-m", "rainbowdp"]
    question = [
        "ask",
        "winner",
        str(table),
        "--column",
        "answer",
        "--options",
        OPTIONS_TEXT,
        "--epsilon",
        "1",
    ]
    runs = {
        "Python alone": _best([sys.executable, "-c", "pass"], scratch),
        "`import rainbowdp`": _best([sys.executable, "-c", "import rainbowdp"], scratch),
        "`rainbowdp --help`": _best([*command, "--help"], scratch),
        f"`rainbowdp ask winner`, {size:,} rows": _best([*command, *question], scratch),
    }
    imported, helped, asked = list(runs.values())[1:]
    if asked.output.splitlines() != [quoted(WINNER)]:
        raise RuntimeError("the answer of `ask winner` is not the one that was made to win")
    first, again = _first_and_again([*command, "solve"], folder, scratch)
    runs |= {"`rainbowdp solve`, nothing compiled yet": first, "… compiled before": again}
    names = {
        "ask": f"{ASKED:,} asks of a summary in memory",
        "line": f"a line at {DISTANCES:,} distances, ten answers",
    }
    inside = {name: answer_of("startup_run", name) for name in names}
    needed = {name: asdict(run) for name, run in runs.items()} | {names[name]: inside[name] for name in names}
    rows = [
        [
            name,
            *(f"{each[key]:.3f}" for key in ("seconds", "processor_seconds")),
            mebibytes(each["memory_bytes"]),
        ]
        for name, each in needed.items()
    ]
    text = (
        f"{size:,} rows of people; the last two inside a process that has loaded everything, with the memory "
        f"that they take beyond that. `solve` is given {_DATASETS:,} datasets."
    )
    return Report(
        text,
        ("what", "seconds", "processor seconds", "memory MiB"),
        rows,
        goals=[
            Goal("`import rainbowdp`, whole process", 0.3, {"": imported.seconds}, unit=" s"),
            Goal("`rainbowdp --help`, whole process", 0.5, {"": helped.seconds}, unit=" s"),
            Goal(f"`ask` on {size:,} rows of CSV, whole process", 1, {"": asked.seconds}, unit=" s"),
            Goal(
                "first `solve` after installation, slower by",
                4,
                {"": first.seconds - again.seconds},
                unit=" s",
            ),
            Goal(
                "one `ask` on a summary in memory",
                1,
                {"": inside["ask"]["seconds"] / ASKED * 1000},
                unit=" ms",
            ),
            Goal(
                "closed form for 10⁶ distances and 10 answers", 1, {"": inside["line"]["seconds"]}, unit=" s"
            ),
        ],
    )


def _best(command: Sequence[str], scratch: Path) -> Run:
    return min((measured(command, scratch) for _ in range(_RUNS)), key=lambda run: run.seconds)


def _first_and_again(command: Sequence[str], folder: Path, scratch: Path) -> tuple[Run, Run]:
    """Solve a lattice with an empty folder for machine code, and again with what that run left there."""
    place = folder / "lattice"
    place.mkdir()
    answer_of("graphs", str(place), "lattice", str(_DATASETS))
    files = ["--datasets", str(place / "datasets.parquet"), "--neighbors", str(place / "pairs.parquet")]
    solve = [
        *command,
        *files,
        "--boundary",
        "uniform",
        "--epsilon",
        "1/2",
        "--out",
        str(place / "out.parquet"),
    ]
    firsts = []
    for number in range(_RUNS):
        cache = folder / f"cache{number}"
        cache.mkdir()
        within = ["env", f"NUMBA_CACHE_DIR={cache}", *solve]
        firsts.append(measured(within, scratch))
    again = _best(["env", f"NUMBA_CACHE_DIR={folder / 'cache0'}", *solve], scratch)
    return min(firsts, key=lambda run: run.seconds), again
