# SPDX-License-Identifier: Apache-2.0
"""Where the pairs of neighbors are kept while they are worked on: in memory, in their file, or on a cluster.

The results are the same to the bit. Unless the caller names an engine, it follows from the free memory: what
the machine has, or less in a container.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from rainbowdp.errors import FileFormatError, UsageError, did_you_mean
from rainbowdp.exact.arguments import described
from rainbowdp.formats.datasets import KnownDatasets, parquet_rows
from rainbowdp.formats.pairs import read_pairs, stream_pairs
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

_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
# What takes less is not compared with the memory.
_LITTLE = 1 << 26


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
        As for `rainbowdp.formats.pairs.read_pairs`.
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
        As `read_pairs`, `rainbowdp.formats.pairs.stream_pairs` and
        `rainbowdp.spark.reading.spark_pairs`.
    """
    if engine == "spark":
        from rainbowdp.spark.reading import spark_pairs

        return spark_pairs(path, _spark_kind(path), known.size, known.labels, report)
    file = Path(path)
    form = form_to_read(file, "the pairs of neighbors", _TABLES)
    if engine == "stream" or (engine == "auto" and _is_too_large(database, file, form)):
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


def _is_too_large(database: Database, path: Path, form: Form) -> bool:
    """Tell whether the pairs of a file would take more than their share of the free memory."""
    if not compiled():
        return False  # a stream needs the extra
    if form is Form.PARQUET:
        pairs = parquet_rows(path)
    else:
        pairs = path.stat().st_size // _CSV_BYTES_PER_PAIR * (_COMPRESSED if path.suffix == ".gz" else 1)
    need = pairs * _BYTES_PER_PAIR * _SHARE
    return need > _LITTLE and need > free_memory(database)


def free_memory(database: Database) -> int:
    """Return how many bytes of memory can be used, by what the system and DuckDB say.

    DuckDB takes no more than most of the machine, or of the limit that a container has.
    """
    ((limit,),) = database.execute("select current_setting('memory_limit')").fetchall()
    amount, unit = str(limit).split()
    return min(_available(), int(float(amount) * _UNITS[unit]))


def _available() -> int:
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    # Where the system does not say it, the limit of DuckDB counts.
    return 1 << 62
