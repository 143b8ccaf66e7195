# SPDX-License-Identifier: Apache-2.0
"""One query for the frames that narwhals takes and an engine groups: polars, DuckDB, PySpark.

Rows are grouped by the raw cells, in the engine, lazily, and Python reads each distinct cell once. Types
stay what they are, apart from those whose values Python cannot always hold: texts come as bytes, dates and
times as the numbers behind them, or these and decimals as the text that the engine gives them, and are read
here. Columns of lists, structs and durations have no readable cell.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from rainbowdp.tables.batches import batches_of
from rainbowdp.tables.moments import day_text, moment_text, time_text
from rainbowdp.tables.prepared import Decoder
from rainbowdp.tables.readers import decimal_of, moment_of, plain_bytes, shortest_float
from rainbowdp.tables.source import UNREADABLE_CELL, Cells, Progress, guarded

_NUMBER_OF_ROWS = "rows"


class FrameSource:
    """The rows of a frame.

    Parameters
    ----------
    frame : a narwhals DataFrame or LazyFrame
        Of the stable API.
    name : str
        How messages call it.
    names : mapping, optional
        From public names of columns to those of the frame, where they differ.
    ordered : bool, optional
        Whether the rows have an order; by default where the frame is in memory, or is one of polars.
    readers : mapping, optional
        From columns of the frame to what reads their cells, where narwhals does not tell it.
    unreadable : collection of str
        Columns of the frame of a type whose cells are never text, beside those that narwhals tells.
    """

    def __init__(
        self,
        frame: Any,  # noqa: ANN401 - narwhals' types are parametrized by each back end
        name: str,
        *,
        names: Mapping[str, str] | None = None,
        ordered: bool | None = None,
        readers: Mapping[str, Decoder] | None = None,
        unreadable: Collection[str] = (),
    ) -> None:
        import narwhals.stable.v2 as nw

        lazy = isinstance(frame, nw.LazyFrame)
        kind = frame.implementation
        schema = frame.collect_schema()
        self._frame = frame
        self._name = name
        self._polars = kind.is_polars()
        # Texts go by their bytes: a collation would take some for the same, and not all bytes are text.
        self._bytes = kind.is_polars() or kind.is_pyspark()
        self._names = names or {column: column for column in schema.names()}
        self._types = {column: schema[inside] for column, inside in self._names.items()}
        self.ordered = (not lazy or self._polars) if ordered is None else ordered
        self._readers = readers or {}
        self._never = frozenset(unreadable)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._names)

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The columns of a type whose cells are never text."""
        return tuple(column for column in self._names if not self._readable(column))

    def counted(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells with the number of rows that hold them."""
        del progress

        import narwhals.stable.v2 as nw

        chosen = self._chosen(columns)
        names = [name for name, _ in chosen]

        def query() -> Any:  # noqa: ANN401 - see __init__
            if not names:
                return self._frame.select(nw.len().alias(_NUMBER_OF_ROWS))
            grouped = self._select(chosen).group_by(*names, drop_null_keys=False)
            return grouped.agg(nw.len().alias(_NUMBER_OF_ROWS)).select(*names, _NUMBER_OF_ROWS)

        yield from self._decoded(query, columns, counts=True)

    def rows(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells, row by row; no frame knows how far it is."""
        del progress
        chosen = self._chosen(columns)
        if not chosen:
            # All of them unreadable by schema: no row counts for anything.
            return
        yield from self._decoded(lambda: self._select(chosen), columns, counts=False)

    def close(self) -> None:
        """Do nothing: the frame belongs to the caller."""

    def _chosen(self, columns: Sequence[str]) -> list[tuple[str, str]]:
        return [(f"v{at}", column) for at, column in enumerate(columns) if self._readable(column)]

    def _select(self, chosen: list[tuple[str, str]]) -> Any:  # noqa: ANN401 - see __init__
        import narwhals.stable.v2 as nw

        expressions = []
        for name, column in chosen:
            cells = nw.col(self._names[column])
            stored = self._stored_as(column)
            expressions.append((cells if stored is None else cells.cast(stored)).alias(name))
        return self._frame.select(*expressions)

    def _decoded(
        self,
        query: Callable[[], Any],
        columns: Sequence[str],
        *,
        counts: bool,
    ) -> Iterator[list[Cells]]:
        yield from guarded(self._name, lambda: self._batches(query, columns, counts=counts))

    def _batches(
        self,
        query: Callable[[], Any],
        columns: Sequence[str],
        *,
        counts: bool,
    ) -> Iterator[list[Cells]]:
        decoders = [self._decoder(column) for column in columns if self._readable(column)]
        missing = [at for at, column in enumerate(columns) if not self._readable(column)]
        plain = all(decoder is None for decoder in decoders) and not missing
        for batch in batches_of(query()):
            if plain:
                yield batch
                continue
            width = len(decoders)
            parts: list[list[object]] = []
            for at, decoder in enumerate(decoders):
                cells = [row[at] for row in batch]
                parts.append(cells if decoder is None else [decoder(cell) for cell in cells])
            for at in missing:
                parts.insert(at, [UNREADABLE_CELL] * len(batch))
            if counts:
                parts.append([row[width] for row in batch])
            yield list(zip(*parts, strict=True))

    def _readable(self, column: str) -> bool:
        import narwhals.stable.v2 as nw

        dtype = self._types[column]
        return not (
            dtype.is_nested()
            or dtype == nw.Duration
            or self._names[column] in self._never
            # Engines compare, hash and print objects of Python by what their classes say.
            or dtype == nw.Object
        )

    def _stored_as(self, column: str) -> Any:  # noqa: ANN401 - a type of narwhals, or None
        """Return what a column is cast to, so that the engine makes no value that it cannot make."""
        import narwhals.stable.v2 as nw

        dtype = self._types[column]
        temporal = dtype in (nw.Date, nw.Datetime, nw.Time)
        if self._polars and temporal:
            # Polars panics where a day has no text.
            return nw.Int32 if dtype == nw.Date else nw.Int64
        if self._bytes and dtype == nw.String:
            return nw.Binary
        return nw.String if temporal or dtype.is_decimal() or dtype == nw.Unknown else None

    def _decoder(self, column: str) -> Decoder | None:
        import narwhals.stable.v2 as nw

        dtype = self._types[column]
        stored = self._stored_as(column)
        if self._names[column] in self._readers:
            return self._readers[self._names[column]]
        if dtype == nw.Float32:
            return shortest_float
        if nw.Binary in (dtype, stored):
            return plain_bytes
        if stored is not None and dtype != nw.Unknown:
            return self._decoder_of_stored(dtype)
        return None

    def _decoder_of_stored(self, dtype: Any) -> Decoder:  # noqa: ANN401 - see above
        import narwhals.stable.v2 as nw

        if dtype.is_decimal():
            return decimal_of
        if not self._polars:
            return moment_of
        if dtype == nw.Date:
            return day_text
        if dtype == nw.Time:
            return partial(time_text, unit="ns")
        return partial(moment_text, unit=dtype.time_unit, zoned=dtype.time_zone is not None)
