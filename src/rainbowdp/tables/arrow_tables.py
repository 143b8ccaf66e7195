# SPDX-License-Identifier: Apache-2.0
"""Tables of Arrow, in memory, from an engine or out of Parquet files, read by what is stored.

Arrow does not look at a value before it makes a Python object of it. So texts are taken as bytes, and dates
and times as the whole numbers behind them; none of them can fail then, whatever a file holds, and each
distinct one is given its text here or by `cell_text`. No Python object is made of a text that is too long to
be read. What a column is follows from its type.

What a Parquet file says about itself (names, types, sizes) may be judged. Readers that make texts and dates
of its pages, DuckDB's for one, refuse a whole file for one cell.
"""

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rainbowdp.errors import RainbowError, TableUnreadableError
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.cell_values import day_text, moment_text, shortest_float, time_text
from rainbowdp.tables.local_files import check_expansion, is_utf8
from rainbowdp.tables.source import (
    BATCH,
    UNREADABLE_CELL,
    Cells,
    Progress,
    check_alike,
    check_distinct,
    guarded,
)

Read = Callable[[object], object]
Tables = Callable[[Sequence[str], Progress | None], Iterator[Any]]
_BYTES_OF_UUID = 16


class ArrowSource:
    """Rows that a library hands over as tables of Arrow.

    Parameters
    ----------
    name : str
        How messages call it.
    columns : sequence of str
        The names of all columns.
    tables : callable
        Yields the rows as tables with the asked columns, in their order, and tells how far it is.
    groups : callable, optional
        Yields each combination of cells instead, with the number of its rows in one more column; by default
        the rows of each table are counted here.
    unreadable : collection of str
        The columns of types without text; they are never asked for.
    reads : mapping, optional
        For some columns, what makes a cell of a stored value, where its type does not say it.
    ordered : bool
        Whether the rows have an order that they keep.
    table : str, optional
        Which table of a database it is.
    close : callable
        Lets go of what holds the rows; by default nothing, where they belong to the caller.
    """

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        tables: Tables,
        *,
        groups: Tables | None = None,
        unreadable: Collection[str] = (),
        reads: Mapping[str, Read] | None = None,
        ordered: bool = True,
        table: str | None = None,
        close: Callable[[], object] = lambda: None,
    ) -> None:
        self._name = name
        self._tables = tables
        self._groups = groups
        self._reads = reads or {}
        self._close = close
        self.table = table
        self.columns = tuple(columns)
        self.ordered = ordered
        self.unreadable = tuple(column for column in columns if column in unreadable)

    def counted(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells with the number of rows that hold them."""
        yield from guarded(self._name, lambda: self._batches(columns, progress, counts=True))

    def rows(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells, row by row."""
        yield from guarded(self._name, lambda: self._batches(columns, progress, counts=False))

    def close(self) -> None:
        """Let go of connections and temporary files."""
        self._close()

    def _batches(
        self, columns: Sequence[str], progress: Progress | None, *, counts: bool
    ) -> Iterator[list[Cells]]:
        chosen = [column for column in columns if column not in self.unreadable]
        if not chosen and not counts:
            # Every cell is unreadable by schema, so no row counts for anything.
            return
        tables = self._groups if counts and self._groups is not None else self._tables
        for table in tables(chosen, progress):
            read = [as_stored(table.column(at)) for at in range(len(chosen))]
            stored = [cells for cells, _ in read]
            if counts and self._groups is None:
                stored = counted_columns(stored, table.num_rows)
            elif counts:
                stored.append(table.column(len(chosen)))
            reads = [self._reads.get(column, own) for column, (_, own) in zip(chosen, read, strict=True)]
            for part in _lists(stored):
                yield self._cells(columns, part, reads)

    def _cells(
        self, columns: Sequence[str], part: list[list[object]], reads: Sequence[Read | None]
    ) -> list[Cells]:
        """Return rows of cells, with an unreadable one in each column that was not asked for."""
        size = len(part[-1])
        found: list[list[object]] = [
            cells if read is None else [read(cell) for cell in cells]
            for cells, read in zip(part, reads, strict=False)
        ]
        for at, column in enumerate(columns):
            if column in self.unreadable:
                found.insert(at, [UNREADABLE_CELL] * size)
        return list(zip(*found, *part[len(reads) :], strict=True))


def table_source(table: Any, name: str) -> ArrowSource:  # noqa: ANN401 - pyarrow has no types
    """Return the rows of a table in memory."""

    def tables(columns: Sequence[str], progress: Progress | None) -> Iterator[Any]:
        del progress
        yield table.select(list(columns)) if columns else table

    return ArrowSource(name, table.schema.names, tables, unreadable=without_text(table.schema))


def without_text(schema: Any) -> list[str]:  # noqa: ANN401 - pyarrow has no types
    """Return the columns of a schema whose types have no text."""
    return [field.name for field in schema if not is_readable(field.type)]


def is_readable(kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    """Say whether cells of a type have a text: not those of lists, structs, durations and intervals."""
    import pyarrow as pa

    if kind is None:
        return False
    kind = _inside(kind)
    return not (pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind))


def as_stored(column: Any) -> tuple[Any, Read | None]:  # noqa: ANN401 - pyarrow has no types
    """Return an array with what is stored, and what makes a cell of one of its values."""
    import pyarrow as pa

    read = next((EXTENSIONS[name] for name in _extensions(column.type) if name in EXTENSIONS), None)
    column = _unwrapped(column)
    kind = column.type
    if pa.types.is_temporal(kind):
        return _numbers(column)
    if _is_text(kind):
        return _bounded(column), read
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):
        read = partial(shortest_float, bits=kind.bit_width)
    return column, read


def _numbers(column: Any) -> tuple[Any, Read]:  # noqa: ANN401 - pyarrow has no types
    """Return the whole numbers behind dates or times, and what makes a text of one of them."""
    import pyarrow as pa

    kind = column.type
    stored = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    if pa.types.is_timestamp(kind):
        return stored, partial(moment_text, unit=kind.unit, zoned=kind.tz is not None)
    if pa.types.is_time(kind):
        return stored, partial(time_text, unit=kind.unit)
    return stored, day_text if pa.types.is_date32(kind) else _day_of_milliseconds


def _day_of_milliseconds(cell: object) -> object:
    return day_text(cell // 86_400_000) if isinstance(cell, int) else cell


def _unwrapped(column: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the values behind dictionaries and extensions, as `_inside` does for types."""
    import pyarrow as pa

    while True:
        kind = column.type
        if isinstance(kind, pa.BaseExtensionType):
            column = _by_chunk(column, lambda chunk: chunk.storage, kind.storage_type)
        elif pa.types.is_dictionary(kind):
            inside = pa.large_binary() if _is_text(kind.value_type) else kind.value_type
            column = _by_chunk(column, _without_dictionary, inside)
        else:
            return column


def _bounded(texts: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return texts as bytes, and the byte 0xff, which is not text, for each that is too long to be read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stored = texts.cast(pa.large_binary())
    sizes = pc.binary_length(stored)
    if (pc.max(sizes).as_py() or 0) <= LARGEST_CELL:
        return stored
    unreadable = pa.scalar(UNREADABLE_CELL, pa.large_binary())
    return pc.if_else(pc.greater(sizes, LARGEST_CELL), unreadable, stored)


def _without_dictionary(chunk: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    values = chunk.dictionary
    if _is_text(values.type):
        # Bounded before it is repeated for every row.
        chunk = pa.DictionaryArray.from_arrays(chunk.indices, _bounded(values))
    return chunk.dictionary_decode()


def _by_chunk(column: Any, change: Callable[[Any], Any], kind: Any) -> Any:  # noqa: ANN401 - see above
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([change(chunk) for chunk in column.chunks], kind)
    return change(column)


def _inside(kind: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the type of the values behind dictionaries and extensions."""
    return _layers(kind)[-1]


def _extensions(kind: Any) -> Iterator[str]:  # noqa: ANN401 - pyarrow has no types
    return (layer.extension_name for layer in _layers(kind) if hasattr(layer, "extension_name"))


def _layers(kind: Any) -> list[Any]:  # noqa: ANN401 - pyarrow has no types
    """Return a type and what it is made of, one inside the other."""
    import pyarrow as pa

    layers = [kind]
    while True:
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif pa.types.is_dictionary(kind):
            kind = kind.value_type
        else:
            return layers
        layers.append(kind)


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    views = (pa.string_view(), pa.binary_view())
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind in views
    return bool(text or pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind))


def _uuid(cell: object) -> object:
    import uuid

    if not isinstance(cell, bytes):
        return cell
    return str(uuid.UUID(bytes=cell)) if len(cell) == _BYTES_OF_UUID else UNREADABLE_CELL


def _truth(cell: object) -> object:
    return cell != 0 if isinstance(cell, int) else cell


EXTENSIONS: Mapping[str, Read] = {"arrow.uuid": _uuid, "arrow.bool8": _truth}
"""What Arrow's own extensions make of the values behind them."""


def _lists(stored: list[Any]) -> Iterator[list[list[object]]]:
    """Yield columns of equal length piece by piece, as lists."""
    for start in range(0, len(stored[0]), BATCH):
        yield [_listed(column.slice(start, BATCH)) for column in stored]


def _listed(column: Any) -> list[object]:  # noqa: ANN401 - pyarrow has no types
    """Return the values of a column; numbers without nulls go through numpy, which is faster."""
    import pyarrow as pa

    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if plain and not column.null_count:
        values: list[object] = column.to_numpy().tolist()
        return values
    return list(column.to_pylist())


def counted_columns(stored: list[Any], rows: int) -> list[Any]:
    """Return the distinct combinations of stored cells, and in one more column how many rows hold each."""
    import pyarrow as pa

    if not stored:
        return [pa.array([rows])]
    names = [f"v{at}" for at in range(len(stored))]
    table = pa.table(dict(zip(names, stored, strict=True)))
    try:
        grouped = table.group_by(names).aggregate([([], "count_all")])
    except pa.ArrowNotImplementedError:
        # A type without a hash; each row stands alone then.
        return [*stored, pa.array([1] * rows)]
    return [*(grouped[name] for name in names), grouped["count_all"]]


_ROWS = 1 << 16


def parquet_source(paths: Sequence[Path], name: str) -> ArrowSource:
    """Return the rows of Parquet files.

    Parameters
    ----------
    paths : sequence of Path
        At least one; all have the same columns of the same types.
    name : str
        How messages call them.

    Raises
    ------
    TableUnreadableError
        If a file cannot be read, or the files do not fit each other.
    UnknownColumnError
        If a column is named twice.
    """
    types = [_types(path) for path in paths]
    check_alike(paths, [tuple(own) for own in types])
    for path, own in zip(paths, types, strict=True):
        if own != types[0]:
            raise TableUnreadableError(
                f"{str(path)!r} and {str(paths[0])!r} give their columns different types",
                help="name files with the same types, or one file",
            )

    def tables(columns: Sequence[str], progress: Progress | None) -> Iterator[Any]:
        import pyarrow as pa

        for at, path in enumerate(paths):
            with _file(path) as file:
                done, rows = 0, file.metadata.num_rows
                for batch in file.iter_batches(batch_size=_ROWS, columns=list(columns)):
                    done += batch.num_rows
                    if progress is not None:
                        progress((at + done / rows) / len(paths))
                    # A name may stand for a column and for parts of another one, so they are chosen again.
                    yield pa.Table.from_batches([batch]).select(list(columns))

    unreadable = [column for column, kind in types[0].items() if not is_readable(kind)]
    return ArrowSource(name, list(types[0]), tables, unreadable=unreadable)


def _types(path: Path) -> dict[str, Any]:
    types: dict[str, Any] | None = None
    size = 0
    names: list[str] = []
    try:
        with _file(path) as file:
            schema = file.schema_arrow
            names = list(schema.names)
            types = dict(zip(names, schema.types, strict=True))
            groups = (file.metadata.row_group(at) for at in range(file.metadata.num_row_groups))
            size = sum(group.total_byte_size for group in groups)
    except RainbowError:
        raise
    except (ValueError, OSError, NotImplementedError):
        types = None
    if types is None:
        raise TableUnreadableError(
            f"{str(path)!r} is not a readable Parquet file", help="write it again", path=str(path)
        )
    check_expansion(path, path.stat().st_size, size)
    check_distinct(repr(str(path)), names)
    return types


@contextlib.contextmanager
def _file(path: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    # Arrow takes names in UTF-8 only, so another one is opened here.
    place = contextlib.nullcontext(path) if is_utf8(path) else path.open("rb")
    # Nanoseconds do not reach to all moments that the oldest kind of them can say.
    options = {"coerce_int96_timestamp_unit": "us", "arrow_extensions_enabled": True}
    with place as given, pq.ParquetFile(given, **options) as file:
        yield file
