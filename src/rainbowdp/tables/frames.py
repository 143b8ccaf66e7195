# SPDX-License-Identifier: Apache-2.0
"""One query for every frame: pandas, polars, pyarrow, DuckDB, ibis, PySpark, through narwhals.

The one idea: group by the raw cells, in the engine, lazily, and let Python read each distinct cell once.
Types stay what they are, apart from three whose values Python cannot always hold: dates, times and decimals
come as the text that the engine gives them, and are read here. Columns of lists, structs and durations have
no readable cell.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from rainbowdp.tables.batches import batches_of
from rainbowdp.tables.source import UNREADABLE_CELL, Cells, Progress, guarded

Decoder = Callable[[object], object]
_NUMBER_OF_ROWS = "rows"
_FIRST_DAY = date(1970, 1, 1).toordinal()
_TEMPORAL = re.compile(
    r"(\d{4,}-\d\d-\d\d)?([ T])?(\d\d:\d\d:\d\d)?(?:\.(\d+))?([+-]\d\d(?::?\d\d)?|Z|UTC)?\Z"
)


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
    text_marker : bool
        Whether a text with a NUL character marks a cell that cannot be read.
    """

    def __init__(
        self,
        frame: Any,  # noqa: ANN401 - narwhals' types are parametrized by each back end
        name: str,
        *,
        names: dict[str, str] | None = None,
        ordered: bool | None = None,
        text_marker: bool = False,
    ) -> None:
        import narwhals.stable.v2 as nw

        lazy = isinstance(frame, nw.LazyFrame)
        schema = frame.collect_schema()
        self._frame = frame
        self._name = name
        self._pandas = frame.implementation.is_pandas_like()
        self._names = names or {column: column for column in schema.names()}
        self._types = {column: schema[inside] for column, inside in self._names.items()}
        self._objects = self._object_columns() if self._pandas else frozenset()
        self.ordered = (not lazy or frame.implementation.is_polars()) if ordered is None else ordered
        self._text_marker = text_marker

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
        if self._objects & set(columns):
            # Python's equality would take 1, 1.0 and True for one cell, and a list cannot be grouped at all.
            for batch in self.rows(columns):
                yield [(*cells, 1) for cells in batch]
            return

        import narwhals.stable.v2 as nw

        del progress
        chosen = self._chosen(columns)
        names = [name for name, _ in chosen]
        if names:
            grouped = self._select(chosen).group_by(*names, drop_null_keys=False)
            query = grouped.agg(nw.len().alias(_NUMBER_OF_ROWS)).select(*names, _NUMBER_OF_ROWS)
        else:
            query = self._frame.select(nw.len().alias(_NUMBER_OF_ROWS))
        yield from self._decoded(query, columns, counts=True)

    def rows(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells, row by row; no frame knows how far it is."""
        del progress
        chosen = self._chosen(columns)
        if not chosen:
            # All of them unreadable by schema: no row counts for anything.
            return
        yield from self._decoded(self._select(chosen), columns, counts=False)

    def close(self) -> None:
        """Do nothing: the frame belongs to whoever gave it."""

    def _chosen(self, columns: Sequence[str]) -> list[tuple[str, str]]:
        return [(f"v{at}", column) for at, column in enumerate(columns) if self._readable(column)]

    def _select(self, chosen: list[tuple[str, str]]) -> Any:  # noqa: ANN401 - see __init__
        import narwhals.stable.v2 as nw

        expressions = []
        for name, column in chosen:
            cells = nw.col(self._names[column])
            if self._as_days(column):
                cells = cells.cast(nw.Int32)
            elif self._as_text(column):
                cells = cells.cast(nw.String)
            expressions.append(cells.alias(name))
        return self._frame.select(*expressions)

    def _decoded(
        self,
        query: Any,  # noqa: ANN401 - see __init__
        columns: Sequence[str],
        *,
        counts: bool,
    ) -> Iterator[list[Cells]]:
        decoders = [self._decoder(column) for column in columns if self._readable(column)]
        missing = [at for at, column in enumerate(columns) if not self._readable(column)]
        plain = all(decoder is None for decoder in decoders) and not missing
        for batch in guarded(self._name, lambda: batches_of(query)):
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

    def _object_columns(self) -> frozenset[str]:
        native = self._frame.to_native()
        return frozenset(
            column for column, inside in self._names.items() if str(native[inside].dtype) == "object"
        )

    def _readable(self, column: str) -> bool:
        import narwhals.stable.v2 as nw

        dtype = self._types[column]
        return not (dtype.is_nested() or dtype == nw.Duration)

    def _as_text(self, column: str) -> bool:
        import narwhals.stable.v2 as nw

        dtype = self._types[column]
        if self._pandas:
            return False
        return bool(dtype.is_decimal() or dtype in (nw.Date, nw.Datetime, nw.Time, nw.Unknown))

    def _as_days(self, column: str) -> bool:
        """Say whether these are dates of polars, which panics where one has no text."""
        import narwhals.stable.v2 as nw

        return bool(self._types[column] == nw.Date and self._frame.implementation.is_polars())

    def _decoder(self, column: str) -> Decoder | None:
        import narwhals.stable.v2 as nw

        dtype = self._types[column]
        if dtype == nw.Float32:
            return shortest_float32
        if dtype == nw.Binary:
            return plain_bytes
        if self._as_days(column):
            return date_of_days
        if self._as_text(column):
            if dtype.is_decimal():
                return decimal_of
            if dtype in (nw.Date, nw.Datetime, nw.Time):
                return temporal_of
        return marked if self._text_marker else None


def marked(cell: object) -> object:
    """Return a cell, or the unreadable one where its text holds a NUL character."""
    return UNREADABLE_CELL if isinstance(cell, str) and "\0" in cell else cell


def plain_bytes(cell: object) -> object:
    """Return bytes for whatever kind of bytes a library uses."""
    return bytes(cell) if isinstance(cell, bytearray | memoryview) else cell


def shortest_float32(cell: object) -> object:
    """Return the float64 that prints like a float32, which not every library keeps apart.

    Examples
    --------
    >>> shortest_float32(0.10000000149011612)
    0.1
    """
    import numpy as np

    if not isinstance(cell, float):
        return cell
    with np.errstate(over="ignore"):
        return float(str(np.float32(cell)))


def date_of_days(cell: object) -> object:
    r"""Return the date that is so many days after the start of 1970.

    Examples
    --------
    >>> date_of_days(0), date_of_days(2**30)
    (datetime.date(1970, 1, 1), b'\xff')
    """
    if not isinstance(cell, int):
        return cell
    try:
        return date.fromordinal(_FIRST_DAY + cell)
    except (ValueError, OverflowError):
        return UNREADABLE_CELL


def decimal_of(cell: object) -> object:
    r"""Return the number that a text of an engine says; no text of it fails.

    Examples
    --------
    >>> decimal_of("1.50"), decimal_of("NaN"), decimal_of("?")
    (Decimal('1.50'), None, b'\xff')
    """
    cell = _decoded_text(cell)
    if not isinstance(cell, str):
        return cell
    try:
        number = Decimal(cell)
    except InvalidOperation:
        return UNREADABLE_CELL
    return None if number.is_nan() else number


def temporal_of(cell: object) -> object:
    """Return ISO text for the text in which an engine says a date or time.

    Examples
    --------
    >>> temporal_of("2020-01-31 05:06:07.800"), temporal_of("2020-01-31"), temporal_of("05:06:07.000000")
    ('2020-01-31T05:06:07.800000', '2020-01-31', '05:06:07')
    """
    cell = _decoded_text(cell)
    if not isinstance(cell, str):
        return cell
    found = _TEMPORAL.match(cell)
    if found is None:
        return cell
    day, _, time, fraction, zone = found.groups()
    digits = f".{fraction.ljust(6, '0')}" if fraction and fraction.strip("0") else ""
    if zone is not None:
        zone = "+00:00" if zone in ("Z", "UTC") else zone
        zone = zone if ":" in zone else f"{zone[:3]}:{zone[3:] or '00'}"
    text = "T".join(part for part in (day, time) if part)
    return f"{text}{digits}{zone or ''}"


def _decoded_text(cell: object) -> object:
    """Return the text of an engine that hands out bytes."""
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell
