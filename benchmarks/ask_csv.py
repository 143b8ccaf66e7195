# SPDX-License-Identifier: Apache-2.0
"""Asking a large CSV file, which is counted out of core, beside a plain count of the same file.

The plain counts of DuckDB and polars are the floor: they know the columns, accept what they are given,
protect nobody, and keep what they count in memory. Every answer is checked against them.
"""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import Run, measured
from benchmarks.person_table import OPTIONS, ROWS_PER_PERSON, WINNER, quoted
from benchmarks.plain_counts import ENGINES
from benchmarks.report import Report, mebibytes, times

SIZE = 50_000_000
# Two files, a copy, and what spills.
_BYTES_PER_ROW = 200
# With more people than this a group is named for certain, at the privacy asked for here.
_SURELY_NAMED = 100
# So many rows take long enough on any machine for the progress to be shown.
_SURELY_SLOW = 20_000_000
OPTIONS_TEXT = ",".join(map(quoted, OPTIONS))
_ASKED = ("ask", "winner", "{file}", "--column", "answer", "--options", OPTIONS_TEXT, "--epsilon", "1")
_KEYS = ("keys", "{file}", "--column", "group", "--unit", "person", "--max-keys", "1")


@dataclass(frozen=True)
class Task:
    """One thing to ask: how it is called, of which file, by which command, and its floor."""

    label: str
    messy: bool
    arguments: tuple[str, ...]
    floor: str


TASKS = (
    Task("`ask winner`, tidy file", messy=False, arguments=_ASKED, floor="winner"),
    Task("`ask winner`", messy=True, arguments=_ASKED, floor="winner"),
    Task(
        "`ask winner --unit --max-rows 1`",
        messy=True,
        arguments=(*_ASKED, "--unit", "person", "--max-rows", "1"),
        floor="unit",
    ),
    Task(
        "`keys --unit --max-keys 1`",
        messy=True,
        arguments=(*_KEYS, "--epsilon", "1", "--delta", "1e-6"),
        floor="keys",
    ),
)


def main(size: int, folder: Path) -> Report:
    """Measure all tasks on files of so many rows.

    Parameters
    ----------
    size : int
        The number of rows.
    folder : Path
        An empty directory on a disk with room for some 200 bytes per row.

    Returns
    -------
    Report

    Raises
    ------
    OSError
        If there is no room.
    RuntimeError
        If a command fails, or an answer is not the one that plain counts give.
    """
    free = shutil.disk_usage(folder).free
    if free < size * _BYTES_PER_ROW:
        raise OSError(f"{size} rows need {size * _BYTES_PER_ROW} bytes of disk, and {free} are free")
    tidy, messy, scratch = folder / "tidy.csv", folder / "messy.csv", folder / "scratch"
    scratch.mkdir()
    measured([*_module("person_table"), str(tidy), str(messy), str(size)], scratch)
    rows = []
    for task in TASKS:
        file = messy if task.messy else tidy
        # Polars gives up at cells in wrong quotes, so it always gets the tidy file.
        files = {"duckdb": file, "polars": tidy}
        floors = {
            engine: measured([*_module("plain_counts"), engine, task.floor, str(files[engine])], scratch)
            for engine in ENGINES
        }
        command = [argument.format(file=file) for argument in task.arguments]
        asked = measured([sys.executable, "-m", "rainbowdp", *command], scratch)
        for floor in floors.values():
            _check(task, size, asked, json.loads(floor.output))
        rows.append(_row(task.label, size, asked, floors))
        rows.extend(_row(f"… {engine} alone", size, floor, {}) for engine, floor in floors.items())
        print(" | ".join(rows[-3]), file=sys.stderr, flush=True)
    text = (
        f"{size:,} rows of {size // ROWS_PER_PERSON:,} people, {tidy.stat().st_size / 2**30:.2f} GiB; six "
        "options, two of them with quotes; the messy file has one line more in 10,000 that cannot be "
        "read, or is quoted wrongly."
    )
    columns = ("what", "seconds", "processor seconds", "million rows per second", "memory MiB", "disk MiB")
    return Report(text, (*columns, *(f"processor time ÷ {engine}" for engine in ENGINES)), rows)


def _module(name: str) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.{name}"]


def _row(label: str, size: int, run: Run, floors: dict[str, Run]) -> list[str]:
    return [
        label,
        f"{run.seconds:.1f}",
        f"{run.processor_seconds:.1f}",
        f"{size / run.seconds / 1e6:.2g}",
        mebibytes(run.memory_bytes),
        mebibytes(run.temporary_bytes),
        *(
            times(run.processor_seconds, floors[engine].processor_seconds) if floors else ""
            for engine in ENGINES
        ),
    ]


def _check(task: Task, size: int, asked: Run, counts: dict[str, int]) -> None:
    """Compare an answer that is as good as certain with plain counts, and look for the progress display."""
    if size >= _SURELY_SLOW and "reading the table" not in asked.messages:
        raise RuntimeError(f"{task.label} took long, and did not say so")
    answered = asked.output.splitlines()
    if task.floor == "keys":
        sure = {group for group, people in counts.items() if people >= _SURELY_NAMED}
        right = sure <= set(answered) <= set(counts)
    else:
        most = max(counts, key=lambda text: counts[text])
        right = answered == [quoted(WINNER)] and most == WINNER
    if not right:
        raise RuntimeError(f"the answer of {task.label} is not the one of plain counts")
