# SPDX-License-Identifier: Apache-2.0
"""How time and memory grow with the number of pairs, in memory and streamed, whatever the order of the file.

Four sizes, each ten times the one before. The slope is that of the line through the logarithms, by least
squares: 1 is a cost in proportion to the pairs.
"""

import json
import math
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.child import answer_of
from benchmarks.goals import Goal
from benchmarks.path_run import FLOORS
from benchmarks.report import Report, mebibytes, times

SIZE = 100_000_000
FIGURE = "growth.svg"
MEMORY, STREAM = "rainbowdp", "rainbowdp, streamed"
_DECADES = 4
_MIB = 2**20
_GB = 1e9
_FEWEST = 64


@dataclass(frozen=True)
class Kind:
    """A family that is made at every size.

    Parameters
    ----------
    name : str
        As it is shown.
    kind : str
        As `benchmarks.graphs` knows it.
    pairs_per_dataset : int
        Roughly.
    programs : tuple of str
        What is measured on it.
    """

    name: str
    kind: str
    pairs_per_dataset: int
    programs: tuple[str, ...]


KINDS = (
    Kind("random", "sparse", 10, (MEMORY, STREAM, *FLOORS)),
    Kind("random, shuffled", "sparse-shuffled", 10, (MEMORY, STREAM, *FLOORS)),
    Kind("lattice", "lattice", 2, (MEMORY,)),
    Kind("lattice, shuffled", "lattice-shuffled", 2, (MEMORY,)),
)


@dataclass(frozen=True)
class Point:
    """What one program needed on one family of one size."""

    pairs: int
    seconds: float
    memory_bytes: int
    anonymous_bytes: int
    levels: str | None


def main(size: int, folder: Path) -> Report:
    """Measure all families at a thousandth, a hundredth, a tenth of the size, and at the size.

    Parameters
    ----------
    size : int
        The number of pairs of the largest families.
    folder : Path
        An empty directory on a disk with room for some 30 bytes per pair.

    Returns
    -------
    Report

    Raises
    ------
    RuntimeError
        If a program fails, if a stream gives other distances than the pairs in memory, or a shuffled
        file has another number of datasets at some distance.
    """
    curves: dict[tuple[str, str], list[Point]] = {}
    for step in range(_DECADES):
        pairs = max(size // 10 ** (_DECADES - 1 - step), _FEWEST)
        for kind in KINDS:
            for program, point in _measured(kind, pairs, folder).items():
                curves.setdefault((kind.name, program), []).append(point)
    _compare_orders(curves)
    rows = [_row(family, program, points) for (family, program), points in curves.items()]
    counts = [f"{points.pairs:,}" for points in next(iter(curves.values()))]
    text = (
        f"{size:,} pairs at most. Random families have ten pairs per dataset, and one dataset in 2,000 has "
        "another rainbow than all others; lattices are squares in eight regions."
    )
    columns = (
        "family",
        "program",
        *(f"seconds, {count}" for count in counts),
        "slope",
        "memory MiB",
        "anonymous MiB",
        "bytes per pair",
    )
    return Report(
        text,
        columns,
        rows,
        goals=goals(curves),
        figures={FIGURE: _figure(curves, folder)},
        alternatives={FIGURE: "Seconds and memory against the number of pairs, both axes logarithmic"},
    )


def _measured(kind: Kind, pairs: int, folder: Path) -> dict[str, Point]:
    place = folder / kind.kind
    place.mkdir()
    made = answer_of("graphs", str(place), kind.kind, str(pairs // kind.pairs_per_dataset))
    found = {}
    for program in kind.programs:
        answer: dict[str, Any] = answer_of("path_run", program, str(place))
        found[program] = Point(
            made["pairs"],
            answer["seconds"],
            answer["memory_bytes"],
            answer["anonymous_bytes"],
            answer.get("levels"),
        )
        print(
            f"{kind.name}, {made['pairs']:,} pairs: {program}: {answer['seconds']:.3g} s",
            file=sys.stderr,
            flush=True,
        )
    shutil.rmtree(place)
    return found


def _compare_orders(curves: Mapping[tuple[str, str], Sequence[Point]]) -> None:
    """Make sure that shuffling changed nothing about how many datasets there are at each distance."""
    for (family, program), points in curves.items():
        shuffled = curves.get((f"{family}, shuffled", program))
        if shuffled is not None and [each.levels for each in points] != [each.levels for each in shuffled]:
            raise RuntimeError(f"{program} finds other distances in a shuffled file of {family}")


def slope(points: Sequence[Point]) -> float:
    """Return the slope of the logarithm of the seconds by that of the pairs, by least squares.

    Examples
    --------
    >>> slope([Point(10**n, 3.0 * 10 ** (2 * n), 0, 0, None) for n in range(1, 5)])
    2.0
    """
    across = [math.log(point.pairs) for point in points]
    up = [math.log(point.seconds) for point in points]
    middle, height = sum(across) / len(across), sum(up) / len(up)
    rise = sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True))
    return round(rise / sum((x - middle) ** 2 for x in across), 9)


def _row(family: str, program: str, points: Sequence[Point]) -> list[str]:
    last = points[-1]
    return [
        family,
        program,
        *(f"{point.seconds:.3g}" for point in points),
        f"{slope(points):.2f}",
        mebibytes(last.memory_bytes),
        mebibytes(last.anonymous_bytes),
        times(last.memory_bytes, last.pairs),
    ]


def goals(curves: Mapping[tuple[str, str], Sequence[Point]]) -> list[Goal]:
    """Return what was to be reached by growth, and at the largest size."""
    ours = {key: points for key, points in curves.items() if key[1] in (MEMORY, STREAM)}
    off = {_name(key): abs(slope(points) - 1) * 100 for key, points in ours.items()}
    last = {key: points[-1] for key, points in ours.items()}
    pairs = max((point.pairs for point in last.values()), default=0)
    in_memory = {
        family: point.memory_bytes / _GB for (family, program), point in last.items() if program == MEMORY
    }
    streamed = {
        family: point.anonymous_bytes / _GB for (family, program), point in last.items() if program == STREAM
    }
    slower = {family: last[family, STREAM].seconds / last[family, MEMORY].seconds for family in streamed}
    return [
        Goal("growth of time: slope away from 1", 10, off, unit=" %"),
        Goal(f"{pairs:,} pairs in memory: memory", 4, in_memory, unit=" GB"),
        Goal(f"{pairs:,} pairs streamed: memory beside the page cache", 1, streamed, unit=" GB"),
        Goal(f"{pairs:,} pairs streamed, against in memory: time", 2, slower),
    ]


def _name(key: tuple[str, str]) -> str:
    family, program = key
    if program in FLOORS:
        return f"{family}: {program}"
    return f"{family}, streamed" if program == STREAM else family


def _figure(curves: Mapping[tuple[str, str], Sequence[Point]], folder: Path) -> str:
    """Draw the curves in a process of its own, which loads what draws."""
    floors = [_name(key) for key in curves if key[1] in FLOORS]
    seconds = {_name(key): [[at.pairs, at.seconds] for at in points] for key, points in curves.items()}
    memory = {
        _name(key): [[at.pairs, at.memory_bytes / _MIB] for at in points]
        for key, points in curves.items()
        if key[1] not in FLOORS
    }
    panels = [
        {"title": "seconds", "curves": seconds, "floors": floors},
        {"title": "memory, MiB", "curves": memory, "floors": []},
    ]
    data, drawing = folder / "curves.json", folder / FIGURE
    data.write_text(json.dumps(panels), encoding="utf-8")
    answer_of("figure", str(data), str(drawing))
    return drawing.read_text(encoding="utf-8")
