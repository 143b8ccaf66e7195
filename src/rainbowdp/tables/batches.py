# SPDX-License-Identifier: Apache-2.0
"""The rows of a finished query as batches of tuples, from the engine that holds it.

Only this module knows how each engine hands out its rows piece by piece.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rainbowdp.tables.source import BATCH, Cells


def batches_of(query: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - narwhals' frames
    """Yield the rows of a narwhals frame as batches of tuples.

    Parameters
    ----------
    query : a narwhals DataFrame or LazyFrame
        Of the stable API.
    """
    kind = query.implementation
    native = query.to_native()
    if kind.is_duckdb():
        yield from relation_batches(native)
    elif kind.is_pyspark():
        yield from _gathered(native.toLocalIterator(prefetchPartitions=True))
    elif kind.is_polars():
        yield from _polars(native)
    else:
        frame = query.collect() if hasattr(query, "collect") else query
        yield from _gathered(frame.iter_rows(buffer_size=BATCH))


def _gathered(rows: Iterable[Cells]) -> Iterator[list[Cells]]:
    left = iter(rows)
    while batch := [tuple(row) for row in islice(left, BATCH)]:
        yield batch


def _polars(frame: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - a frame, lazy or not
    collected = frame.collect(engine="streaming") if hasattr(frame, "collect") else frame
    for part in collected.iter_slices(BATCH):
        yield part.rows()


def relation_batches(relation: Any) -> Iterator[list[Cells]]:  # noqa: ANN401 - its methods depend on the version
    """Yield the rows of a relation of DuckDB as batches of tuples."""
    # DuckDB 2 reads a whole result into memory before it gives single rows, but not before Arrow's batches.
    if all(str(kind) == "VARCHAR" for kind in relation.types) and hasattr(type(relation), "to_arrow_reader"):
        for part in relation.to_arrow_reader(BATCH):
            yield list(zip(*(column.to_pylist() for column in part.columns), strict=True))
        return
    # Asked of the class, since an attribute of a relation may be a column.
    if hasattr(type(relation), "iter_rows"):
        yield from _gathered(relation.iter_rows(BATCH))
        return
    # Before DuckDB 2 a relation keeps its result.
    while batch := relation.fetchmany(BATCH):
        yield batch
