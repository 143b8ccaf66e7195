# SPDX-License-Identifier: Apache-2.0
"""Where the pairs of neighbors are kept while they are worked on: in memory, in their file, or on a cluster.

The results are the same to the bit. Unless the caller names an engine, it follows from the free memory: what
the machine has, or less in a container. On Linux any group of processes that holds this one may have a limit,
and the least room of all of them counts.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Literal, get_args

from rainbowdp.errors import FileFormatError, UsageError, did_you_mean
from rainbowdp.exact.arguments import described
from rainbowdp.formats.pair_reading import KnownDatasets, read_pairs
from rainbowdp.formats.pair_streaming import stream_pairs
from rainbowdp.formats.parquet_integers import parquet_rows
from rainbowdp.formats.suffixes import Form, form_to_read
from rainbowdp.formats.tables import Database
from rainbowdp.graph.compiled import compiled
from rainbowdp.graph.relation import NeighborRelation

Engine = Literal["auto", "memory", "stream", "spark"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
Report = Callable[[str], None]

_TABLES = (Form.CSV, Form.PARQUET)
# Two numbers of four bytes, held twice while the distances are found.
_BYTES_PER_PAIR = 16
# The shortest usual rows, such as "1234567,1234568".
_CSV_BYTES_PER_PAIR = 12
_COMPRESSED = 4
_SHARE = 2

_ROOT = Path("/")
# The limit, what is in use, and which line of memory.stat tells what of that can be given back at once.
_GROUPS = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def require_engine(engine: object) -> Engine:
    """Return an engine by its name.

    Raises
    ------
    UsageError
        If there is none of that name.
    """
    for known in ENGINES:
        if engine == known:
            return known
    raise UsageError(
        f"there is no engine {described(engine)}",
        help=did_you_mean(engine if isinstance(engine, str) else "", ENGINES) or f"use {', '.join(ENGINES)}",
    )


def relation_of(
    database: Database, path: str, known: KnownDatasets, engine: Engine, report: Report | None
) -> NeighborRelation:
    """Read the pairs of neighbors of a table, or prepare to.

    Parameters
    ----------
    database : Database
        As for `rainbowdp.formats.pair_reading.read_pairs`.
    path : str
        The file; for Spark any address that it can read.
    known : KnownDatasets
        What may be named.
    engine : {"auto", "memory", "stream", "spark"}
        Where to keep the pairs; "auto" streams what would take more than half of the free memory.
    report : callable, optional
        Told in words about each pass over pairs that are not in memory.

    Returns
    -------
    NeighborRelation

    Raises
    ------
    RainbowError
        As `read_pairs`, `rainbowdp.formats.pair_streaming.stream_pairs` and
        `rainbowdp.spark.reading.spark_pairs`.
    """
    if engine == "spark":
        from rainbowdp.spark.reading import spark_pairs

        return spark_pairs(path, _spark_kind(path), known.size, known.labels, report)
    file = Path(path)
    form = form_to_read(file, "the pairs of neighbors", _TABLES)
    if engine == "stream" or (engine == "auto" and _is_too_large(file, form)):
        return stream_pairs(database, file, form, known, report)
    return read_pairs(database, file, form, known)


def _spark_kind(path: str) -> str:
    """Return in which form Spark is to read an address, by its ending."""
    bare = path.rstrip("/").lower()
    for ending, kind in ((".parquet", "parquet"), (".csv", "csv"), (".csv.gz", "csv")):
        if bare.endswith(ending):
            return kind
    raise FileFormatError(
        f"the address {path!r} does not say in which form the pairs of neighbors are written",
        help="use one that ends in .parquet or .csv",
        path=path,
    )


def _is_too_large(path: Path, form: Form) -> bool:
    """Tell whether the pairs of a file would take more than their share of the free memory."""
    if not compiled():
        return False  # a stream needs the extra
    if form is Form.PARQUET:
        pairs = parquet_rows(path)
    else:
        pairs = path.stat().st_size // _CSV_BYTES_PER_PAIR * (_COMPRESSED if path.suffix == ".gz" else 1)
    return pairs * _BYTES_PER_PAIR * _SHARE > free_memory()


def free_memory(root: Path = _ROOT) -> int:
    """Return how many bytes of memory can be used, as far as the system says.

    Parameters
    ----------
    root : Path
        Where the file systems ``proc`` and ``sys`` are, for tests.

    Returns
    -------
    int

    Examples
    --------
    >>> free_memory() > 0
    True
    """
    return max(min(_of_machine(root), *_of_groups(root)), 0)


def _of_machine(root: Path) -> int:
    for line in _lines(root / "proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def _of_groups(root: Path) -> Iterator[int]:
    """Yield the room that each group of processes has which holds this one and has a limit."""
    yield 1 << 62
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, name = [*line.split(":", 2), "", ""][:3]
        known = next((kind for kind in controllers.split(",") if kind in _GROUPS), None)
        if known is None:
            continue
        place = PurePosixPath(name)
        for group in (place, *place.parents):
            # Inside a container the group may be the root of what is seen.
            folder = root / "sys/fs/cgroup" / known / str(group).lstrip("/")
            yield _room(folder, *_GROUPS[known])


def _room(folder: Path, limit: str, used: str, reclaimed: str) -> int:
    most, taken = _number(folder / limit), _number(folder / used)
    if most is None or taken is None:
        return 1 << 62
    stated = (line.split() for line in _lines(folder / "memory.stat"))
    back = next((int(words[1]) for words in stated if words[:1] == [reclaimed]), 0)
    return most - taken + back


def _number(path: Path) -> int | None:
    """Return the number in a file; None where there is none, as for a limit that is not set."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return []
