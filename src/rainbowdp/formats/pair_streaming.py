# SPDX-License-Identifier: Apache-2.0
"""Pairs of neighbors from CSV and Parquet tables, batch by batch, as often as they are needed.

Memory is needed for the datasets, not for the pairs. Parquet columns of integers that name datasets by
number are decoded again at every pass, which costs no more than to read back anything written in between.
Everything else (text, names that need a join) is numbered once, into an unnamed file that is read after that.
"""

import contextlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rainbowdp.errors import FileUnreadableError
from rainbowdp.formats.pair_reading import (
    COLUMNS,
    KnownDatasets,
    by_number,
    decoded,
    first_wrong_pair,
    lacks,
    numbered_query,
    pair_query,
)
from rainbowdp.formats.parquet_integers import ArrowError, integer_rows
from rainbowdp.formats.suffixes import Form
from rainbowdp.formats.tables import Database, reading
from rainbowdp.graph.arrays import Integers, number_type
from rainbowdp.graph.pair_store import BATCH, PairSpool
from rainbowdp.graph.pairs import PairStream, Report

Pairs = Iterator[tuple[Integers, Integers]]


def stream_pairs(
    database: Database, path: Path, form: Form, known: KnownDatasets, report: Report | None = None
) -> PairStream:
    """Return the columns ``source`` and ``target`` of a table, to be read in batches.

    Parameters
    ----------
    database : Database
        As for `rainbowdp.formats.pair_reading.read_pairs`; it must stay open while pairs are read.
    path : Path
        The file, which must not change while pairs are read.
    form : Form
        CSV or Parquet.
    known : KnownDatasets
        What may be named.
    report : callable, optional
        Told in words about each pass.

    Returns
    -------
    PairStream

    Raises
    ------
    FileUnreadableError, FileFormatError, UnknownDatasetError
        As `read_pairs`; pairs that are decoded at every pass are judged in the first one.
    FileWriteError
        If there is no room for temporary files.
    """
    before = _state(path)
    if form is Form.PARQUET and by_number(known) and integer_rows(path, COLUMNS) is not None:

        def batches() -> Pairs:
            _refuse_change(path, before)
            for source, target in _decoded(path, known):
                if lacks(source, target):
                    _refuse_change(path, before)
                    raise first_wrong_pair(database, path, pair_query(database, path, form), known)
                yield source, target
            _refuse_change(path, before)

        return PairStream(known.size, batches, report)
    query = pair_query(database, path, form)
    if report is not None:
        report("the names of the datasets become numbers")
    spool = PairSpool(number_type(known.size))
    # DuckDB answers nothing else while a result is read, so it is closed before an error is looked for.
    with contextlib.closing(_numbered(database, path, query, known)) as numbered:
        wrong = False
        for source, target in numbered:
            if wrong := lacks(source, target):
                break
            spool.add(source, target)
    if wrong:
        raise first_wrong_pair(database, path, query, known)
    return PairStream(known.size, spool.batches, report)


def _state(path: Path) -> tuple[int, ...] | None:
    """Return what differs once a file was written to or replaced; None where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _refuse_change(path: Path, before: tuple[int, ...] | None) -> None:
    if _state(path) != before:
        raise FileUnreadableError(
            f"{str(path)!r} has changed while it was read",
            help="begin anew, and leave it alone",
            path=str(path),
        )


def _decoded(path: Path, known: KnownDatasets) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield the datasets of integer columns, -1 where there is none, in the type that numbers them."""
    kind = number_type(known.size)
    try:
        for source, target in decoded(path, known):
            yield source.astype(kind, copy=False), target.astype(kind, copy=False)
    except ArrowError as error:
        raise FileUnreadableError(
            f"{str(path)!r} cannot be read in batches: {_first_line(error.__cause__ or error)}",
            help="write the file anew",
            path=str(path),
        ) from error


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _numbered(
    database: Database, path: Path, query: str, known: KnownDatasets
) -> Generator[tuple[NDArray[Any], NDArray[Any]], None, None]:
    """Yield the datasets that cells name, below 0 where there is none."""
    with reading(path):
        result: Any = database.sql(numbered_query(database, query, known))
        # Older versions of DuckDB call it otherwise.
        read = result.to_arrow_reader if hasattr(result, "to_arrow_reader") else result.fetch_arrow_reader
        reader = read(BATCH)
        try:
            for batch in reader:
                source, target = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("v0", "v1"))
                yield source, target
        finally:
            reader.close()
