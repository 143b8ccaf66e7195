# SPDX-License-Identifier: Apache-2.0
"""Read Arrow tables (in memory, of an engine, in Parquet files) as the bytes and integers that they store.

Arrow does not check a value before it makes a Python object of it. So texts are read as bytes, and dates and
times as integers, which cannot fail; each distinct one is given its text here or by `cell_text`. A text that
is too long to be read becomes no Python object. The type of a column says how its cells are read.

The names, types and sizes in a Parquet file are checked. DuckDB does not read its pages: it refuses a whole
file if one text or date in it is invalid.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rainbowdp.errors import TableUnreadableError
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.cells import day_text, json_value, moment_text, shortest_float, time_text
from rainbowdp.tables.local_files import check_expansion, is_utf8
from rainbowdp.tables.source import (
    BATCH,
    UNREADABLE_CELL,
    Batch,
    OfCell,
    Progress,
    Source,
    cells_by,
    check_alike,
    check_distinct,
    part_of,
)

Parts = Callable[[Sequence[str], bool, Progress | None], Iterator[Any]]
NAME = "the frame"
_BYTES_OF_UUID = 16
_ROWS = 1 << 16


def arrow_source(
    name: str,
    columns: Sequence[str],
    parts: Parts,
    *,
    groups: bool = False,
    **more: Any,  # noqa: ANN401 - see below
) -> Source:
    """Return rows that a library hands over as record batches of Arrow.

    Parameters
    ----------
    name : str
        How messages call it.
    columns : sequence of str
        The names of all columns.
    parts : callable
        Yields record batches of the asked columns, in their order, and tells how far it is.
    groups : bool
        Whether it counts equal rows where it is asked to, and says in one more column how many there are;
        otherwise the rows of each batch are counted here.
    **more
        As for `Source`.
    """

    def query(chosen: Sequence[str], counted: bool, progress: Progress | None) -> Iterator[Batch]:
        for part in parts(chosen, counted, progress):
            read = [as_stored(part.column(at)) for at in range(len(chosen))]
            stored = [cells for cells, _ in read]
            if counted:
                stored = [*stored, part.column(len(chosen))] if groups else counted_columns(stored)
            for start in range(0, len(stored[0]), BATCH):
                batch: Batch = [_listed(column.slice(start, BATCH)) for column in stored]
                for at, (_, of) in enumerate(read):
                    batch[at] = batch[at] if of is None else cells_by(of, batch[at])
                yield batch

    return Source(name, tuple(columns), query, **more)


def table_source(table: Any) -> Source:  # noqa: ANN401 - pyarrow has no types
    """Return the rows of a table in memory."""

    def parts(columns: Sequence[str], *_: object) -> Iterator[Any]:
        yield from table.select(list(columns)).to_batches(_ROWS)

    return arrow_source(NAME, table.schema.names, parts)


def _has_text(kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    """Say whether cells of a type have a text: not those of lists, structs, durations and intervals."""
    import pyarrow as pa

    inside = _layers(kind)[-1]
    return not (pa.types.is_nested(inside) or pa.types.is_duration(inside) or pa.types.is_interval(inside))


def as_stored(column: Any) -> tuple[Any, OfCell | None]:  # noqa: ANN401 - pyarrow has no types
    """Return an array with what is stored, and what makes a cell of one of its values.

    Where libraries infer types from rows, one row can decide that a column has a type without text. So a null
    is a null in these columns, too, and a cell is unreadable only where there is something to read.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _has_text(column.type):
        return pc.if_else(column.is_null(), None, UNREADABLE_CELL), None
    names = [getattr(layer, "extension_name", "") for layer in _layers(column.type)]
    read = next((EXTENSIONS[name] for name in names if name in EXTENSIONS), None)
    column = _unwrapped(column)
    kind = column.type
    if pa.types.is_temporal(kind):
        return _numbers(column)
    if _is_text(kind):
        return _bounded(column), read
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):
        read = partial(shortest_float, bits=kind.bit_width)
    return column, read


def _numbers(column: Any) -> tuple[Any, OfCell]:  # noqa: ANN401 - pyarrow has no types
    """Return the whole numbers behind dates or times, and what makes a text of one of them."""
    import pyarrow as pa

    kind = column.type
    stored = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    if pa.types.is_timestamp(kind):
        return stored, partial(moment_text, unit=kind.unit, zoned=kind.tz is not None)
    if pa.types.is_time(kind):
        return stored, partial(time_text, unit=kind.unit)
    return stored, day_text if pa.types.is_date32(kind) else lambda count: day_text(count // 86_400_000)


def _unwrapped(column: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return the values behind dictionaries and extensions, texts bounded before they are repeated."""
    import pyarrow as pa

    if isinstance(column.type, pa.BaseExtensionType):
        return _unwrapped(column.storage)
    if not pa.types.is_dictionary(column.type):
        return column
    values = column.dictionary
    bounded = _bounded(values) if _is_text(values.type) else values
    return _unwrapped(pa.DictionaryArray.from_arrays(column.indices, bounded).dictionary_decode())


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


def _layers(kind: Any) -> list[Any]:  # noqa: ANN401 - pyarrow has no types
    """Return a type and what it is made of, dictionaries and extensions, one inside the other."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return [kind, *_layers(kind.storage_type)]
    return [kind, *(_layers(kind.value_type) if pa.types.is_dictionary(kind) else ())]


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    views = (pa.string_view(), pa.binary_view())
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind in views
    return bool(text or pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind))


def _uuid(cell: bytes) -> object:
    import uuid

    return str(uuid.UUID(bytes=cell)) if len(cell) == _BYTES_OF_UUID else UNREADABLE_CELL


EXTENSIONS: Mapping[str, OfCell] = {"arrow.uuid": _uuid, "arrow.bool8": bool, "arrow.json": json_value}
"""What Arrow's own extensions make of the values behind them."""


def _listed(column: Any) -> list[object]:  # noqa: ANN401 - pyarrow has no types
    """Return the values of a column; numbers without nulls go through numpy, which is faster."""
    import pyarrow as pa

    plain = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if plain and not column.null_count:
        values: list[object] = column.to_numpy().tolist()
        return values
    return list(column.to_pylist())


def counted_columns(stored: list[Any]) -> list[Any]:
    """Return the distinct combinations of stored cells, and in one more column how many rows hold each."""
    import pyarrow as pa

    names = [f"v{at}" for at in range(len(stored))]
    table = pa.table(dict(zip(names, stored, strict=True)))
    try:
        grouped = table.group_by(names).aggregate([([], "count_all")])
    except pa.ArrowNotImplementedError:
        # A type without a hash; each row stands alone then.
        return [*stored, pa.array([1] * len(stored[0]))]
    return [*(grouped[name] for name in names), grouped["count_all"]]


def parquet_source(paths: Sequence[Path], name: str) -> Source:
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

    def parts(columns: Sequence[str], _: bool, progress: Progress | None) -> Iterator[Any]:
        for at, path in enumerate(paths):
            told = part_of(progress, at, len(paths))
            with _file(path) as file:
                done, rows = 0, file.metadata.num_rows
                for batch in file.iter_batches(batch_size=_ROWS, columns=list(columns)):
                    done += batch.num_rows
                    if told is not None:
                        told(done / rows)
                    # A name may stand for a column and for parts of another one, so they are chosen again.
                    yield batch.select(list(columns))

    unreadable = frozenset(column for column, kind in types[0].items() if not _has_text(kind))
    named = {column: str(kind) for column, kind in types[0].items()}
    return arrow_source(name, list(named), parts, unreadable=unreadable, types=named)


def _types(path: Path) -> dict[str, Any]:
    """Return the types of the columns of a file, if what it says about itself is right."""
    try:
        with _file(path) as file:
            schema = file.schema_arrow
            groups = (file.metadata.row_group(at) for at in range(file.metadata.num_row_groups))
            size = sum(group.total_byte_size for group in groups)
    except (ValueError, OSError, NotImplementedError):
        raise TableUnreadableError(
            f"{str(path)!r} is not a readable Parquet file", help="write it again", path=str(path)
        ) from None
    check_expansion(path, path.stat().st_size, size)
    check_distinct(repr(str(path)), schema.names)
    return dict(zip(schema.names, schema.types, strict=True))


@contextlib.contextmanager
def _file(path: Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    # Arrow takes names in UTF-8 only, so another one is opened here.
    place = contextlib.nullcontext(path) if is_utf8(path) else path.open("rb")
    # Nanoseconds do not reach to all moments that the oldest kind of them can say.
    options = {"coerce_int96_timestamp_unit": "us", "arrow_extensions_enabled": True}
    with place as given, pq.ParquetFile(given, **options) as file:
        yield file
