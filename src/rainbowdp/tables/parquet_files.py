# SPDX-License-Identifier: Apache-2.0
"""Parquet files, one or several alike, read piece by piece through pyarrow.

What a file says about itself (names, types, sizes) may be judged, and its pages are handed on
as they are to `rainbowdp.tables.arrow_tables`. Readers that make texts and dates of them first, DuckDB's for
one, refuse a whole file for one cell.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rainbowdp.errors import RainbowError, TableUnreadableError
from rainbowdp.tables.arrow_tables import ArrowSource, is_readable
from rainbowdp.tables.header import check_alike, check_distinct
from rainbowdp.tables.plain_names import is_utf8
from rainbowdp.tables.source import Progress
from rainbowdp.tables.streams import check_expansion

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
            f"{str(path)!r} is no readable Parquet file", help="write it again", path=str(path)
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
