# SPDX-License-Identifier: Apache-2.0
r"""Frames of pandas, polars, DuckDB, Spark and others as tables of Arrow.

Each engine selects and groups its own cells, and hands over what it stores; `rainbowdp.tables.arrow_tables`
says which text that is. What an engine would hand over in another form is changed inside of it, by
expressions that fail on no cell. Rows stay in the engine until they are asked for, and text columns go by
their bytes, because an engine that ignores case would count different texts as one. A text of more than
`LARGEST_CELL` bytes becomes the byte ``\xff``, which is not text, where the engine could not hand over many
of them at once.

Of pandas, numbers, truth values, moments and what Arrow itself stores are taken as they are. Any other column
is taken as marked texts: by Arrow where all cells are texts or missing, and cell by cell where they are not.
"""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from rainbowdp.errors import TableUnreadableError
from rainbowdp.formats.encodings import UNREADABLE
from rainbowdp.formats.text_tables import arrow_batches
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.arrow_tables import EXTENSIONS, NAME, arrow_source
from rainbowdp.tables.cells import json_value, marked_text, moment_of, unmarked
from rainbowdp.tables.source import BATCH, UNREADABLE_CELL, OfCell, Source, check_distinct
from rainbowdp.tables.sql import quoted

_ROWS = 1 << 16
_COUNT = "rows"

_WIDE_IN_POLARS = ("Int128", "UInt128")

_NESTED_IN_DUCKDB = frozenset({"list", "array", "struct", "map", "tuple", "union", "variant", "interval"})
# Types of DuckDB that Arrow stores alike; all others are taken as texts.
_SAME_IN_DUCKDB = re.compile(
    "boolean|u?(tiny|small|big)?int|u?integer|float|double|decimal|date|time|time_ns|timestamp(_s|_ms|_ns)?"
    "|timestamp with time zone|timestamptz_ns"
)

_WITHOUT_TEXT_IN_SPARK = (
    "array", "geography", "geometry", "interval", "map", "struct", "variant", "void",
)  # fmt: skip
_MICROSECONDS_IN_SPARK = (
    "greatest(-1000000, least(10000000, unix_date(cast({0} as date)))) * 86400000000L "
    "+ (hour({0}) * 3600 + minute({0}) * 60) * 1000000L + cast(extract(second from {0}) * 1000000 as bigint)"
)


def polars_source(frame: Any) -> Source:  # noqa: ANN401 - polars is optional
    """Return the rows of a frame of polars, lazy or not."""
    import polars as pl
    from polars import selectors

    cells, reads = {}, {}
    for column, kind in frame.collect_schema().items():
        # Not by its name alone, which may be a pattern.
        cell = selectors.by_name(column).as_expr()
        if hasattr(kind, "ext_storage"):
            # A cell may be nothing that the extension knows, and is always something that can be stored.
            if kind.ext_name() in EXTENSIONS:
                reads[column] = EXTENSIONS[kind.ext_name()]
            kind, cell = kind.ext_storage(), cell.ext.storage()  # noqa: PLW2901 - what is behind it
        plain = kind in (pl.Boolean, pl.Null, pl.String, pl.Binary, pl.Categorical, pl.Enum)
        if kind == pl.Duration or not (plain or kind.is_numeric() or kind.is_temporal()):
            # To compare, to hash or to write an object of Python runs what its class says.
            cell = pl.when(cell.is_not_null()).then(pl.lit(UNREADABLE_CELL))
        cells[column] = cell.cast(pl.String) if str(kind) in _WIDE_IN_POLARS else cell

    def parts(columns: Sequence[str], counted: bool, _: object) -> Iterator[Any]:
        asked = frame.lazy().select(cells[column].alias(f"v{at}") for at, column in enumerate(columns))
        if counted:
            asked = asked.group_by(asked.collect_schema().names()).len(_COUNT)
        for part in asked.collect(engine="streaming").iter_slices(_ROWS):
            yield from part.to_arrow().to_batches()

    return arrow_source(NAME, list(cells), parts, groups=True, reads=reads)


def duckdb_source(
    relation: Any,  # noqa: ANN401 - its methods depend on the version
    name: str = NAME,
    **more: Any,  # noqa: ANN401 - see below
) -> Source:
    """Return the rows of a relation of DuckDB; more arguments are as for `Source`."""
    # JSON is another name of a type of texts.
    found = ("json" if str(kind) == "JSON" else kind.id for kind in relation.types)
    kinds = dict(zip(relation.columns, found, strict=True))

    def parts(columns: Sequence[str], counted: bool, _: object) -> Iterator[Any]:
        names = ", ".join(f"v{at}" for at in range(len(columns)))
        cells = (f"{_duckdb_cell(quoted(name), kinds[name])} as v{at}" for at, name in enumerate(columns))
        asked = relation.project(", ".join(cells))
        yield from arrow_batches(asked.aggregate(f"{names}, count(*)", names) if counted else asked, _ROWS)

    unreadable = frozenset(column for column, kind in kinds.items() if kind in _NESTED_IN_DUCKDB)
    reads = {column: _READ_OF_DUCKDB[kind] for column, kind in kinds.items() if kind in _READ_OF_DUCKDB}
    return arrow_source(
        name,
        list(kinds),
        parts,
        groups=True,
        reads=reads,
        unreadable=unreadable,
        types=kinds,
        **more,
    )


_READ_OF_DUCKDB: Mapping[str, OfCell] = {
    "json": json_value,
    "time with time zone": lambda cell: moment_of(cell.decode()),
}


def _duckdb_cell(cell: str, kind: str) -> str:
    if _SAME_IN_DUCKDB.fullmatch(kind):
        return cell
    if kind in _NESTED_IN_DUCKDB:
        return f"case when {cell} is not null then '\\xFF'::blob end"
    if kind == "blob":
        size, content = f"octet_length({cell})", cell
    else:
        text = cell if kind == "varchar" else f"{cell}::varchar"
        size, content = f"strlen({text})", f"encode({text})"
    return f"case when {size} > {LARGEST_CELL} then '\\xFF'::blob else {content} end"


def spark_source(frame: Any) -> Source:  # noqa: ANN401 - PySpark is optional
    """Return the rows of a frame of Spark; moments are numbers, since Spark writes them in its own zone."""
    import pyarrow as pa

    # Spark takes a dot in a name for a field of a struct, and a backtick for a quote.
    names = list(map(str, frame.columns))
    check_distinct(NAME, names)
    plain = frame.toDF(*(f"c{at}" for at in range(len(names))))
    kinds = {name: field.dataType for name, field in zip(names, plain.schema.fields, strict=True)}
    cells = {name: _spark_cell(f"c{at}", kind) for at, (name, kind) in enumerate(kinds.items())}

    def parts(columns: Sequence[str], counted: bool, _: object) -> Iterator[Any]:
        asked = plain.selectExpr(*(f"{cells[column][0]} as v{at}" for at, column in enumerate(columns)))
        types = [cells[column][1] for column in columns]
        if counted:
            asked, types = asked.groupBy(*asked.columns).count(), [*types, pa.int64()]
        left = asked.toLocalIterator(prefetchPartitions=True)
        while rows := list(islice(left, BATCH)):
            arrays = list(map(pa.array, zip(*rows, strict=True), types))
            yield pa.RecordBatch.from_arrays(arrays, names=asked.columns)

    return arrow_source(NAME, names, parts, groups=True)


def _is_without_text(kind: Any) -> bool:  # noqa: ANN401 - a type of Spark
    from pyspark.sql.types import UserDefinedType

    return kind.simpleString().startswith(_WITHOUT_TEXT_IN_SPARK) or isinstance(kind, UserDefinedType)


def _spark_cell(name: str, kind: Any) -> tuple[str, Any]:  # noqa: ANN401 - types of Spark and Arrow
    """Return SQL for the cells of a column, and the type that Arrow gives them."""
    import pyarrow as pa

    known = {
        "boolean": (name, pa.bool_()), "byte": (name, pa.int8()), "short": (name, pa.int16()),
        "integer": (name, pa.int32()), "long": (name, pa.int64()), "float": (name, pa.float32()),
        "double": (name, pa.float64()), "date": (f"unix_date({name})", pa.date32()),
        "timestamp": (f"unix_micros({name})", pa.timestamp("us", "UTC")),
        "timestamp_ntz": (_MICROSECONDS_IN_SPARK.format(name), pa.timestamp("us")),
    }  # fmt: skip
    said = kind.typeName()
    if _is_without_text(kind):
        return f"case when {name} is not null then X'FF' end", pa.binary()
    if said in known:
        return known[said]
    if said == "decimal":
        return name, pa.decimal128(kind.precision, kind.scale)
    content = f"cast({name if said == 'binary' else f'cast({name} as string)'} as binary)"
    return f"case when octet_length({content}) > {LARGEST_CELL} then X'FF' else {content} end", pa.binary()


def ibis_source(table: Any) -> Source:  # noqa: ANN401 - ibis has no types
    """Return the rows of an ibis table, which DuckDB or polars holds.

    Raises
    ------
    TableUnreadableError
        If another engine does: it makes values of Python on the way, which one odd cell can prevent.
    """
    backend = table.get_backend()
    if backend.name == "duckdb":
        # Tables that ibis keeps in memory are handed to DuckDB with the first query.
        backend.to_pyarrow(table.limit(0).count())
        return duckdb_source(backend.con.sql(backend.compile(table)))
    if backend.name == "polars":
        return polars_source(backend.compile(table))
    raise TableUnreadableError(
        f"an ibis table of {backend.name} cannot be read cell by cell: one odd cell would prevent it",
        help="give the database itself, such as postgresql://... or sqlite:///..., or what .to_pyarrow() "
        "returns; ibis tables of DuckDB and polars are read as they are",
    )


def other_source(frame: Any) -> Source:  # noqa: ANN401 - narwhals' frames
    """Return the rows of any other lazy frame that narwhals knows, which the library collects as Arrow."""
    schema = frame.collect_schema().to_arrow()

    def parts(columns: Sequence[str], *_: object) -> Iterator[Any]:
        yield from frame.select(*columns).collect("pyarrow").to_native().to_batches(_ROWS)

    return arrow_source(NAME, schema.names, parts)


# Truth values, whole numbers, floats and moments of numpy, which Arrow has as well.
_SAME_IN_ARROW = "biufM"


def pandas_source(frame: Any) -> Source:  # noqa: ANN401 - pandas is optional
    """Return the rows of a frame of pandas.

    Raises
    ------
    UnknownColumnError
        If it names a column twice; a name that is not text counts as what Python writes for it.
    """
    import pyarrow as pa

    names = list(map(str, frame.columns))
    check_distinct(NAME, names)
    given = {column: frame.iloc[:, at] for at, column in enumerate(names)}

    def parts(columns: Sequence[str], *_: object) -> Iterator[Any]:
        for start in range(0, len(frame), _ROWS):
            arrays = [_array(given[column].iloc[start : start + _ROWS]) for column in columns]
            yield from pa.table(arrays, names=list(columns)).to_batches()

    reads = {column: unmarked for column, cells in given.items() if _is_marked(_inner(cells.dtype))}
    return arrow_source(NAME, names, parts, reads=reads)


def _inner(dtype: Any) -> Any:  # noqa: ANN401 - see above
    """Return the type of the cells themselves, also of categories, such as those of `pandas.cut`."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        return dtype.categories.dtype
    return dtype.subtype if isinstance(dtype, pd.SparseDtype) else dtype


def _is_of_arrow(dtype: Any) -> bool:  # noqa: ANN401 - see above
    return type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", "") == "pyarrow"


def _is_marked(dtype: Any) -> bool:  # noqa: ANN401 - see above
    """Tell whether cells of a type are taken as marked texts."""
    same = getattr(dtype, "kind", "") in _SAME_IN_ARROW and dtype.itemsize <= 8
    return not (_is_of_arrow(dtype) or same)


def _array(column: Any) -> Any:  # noqa: ANN401 - see above
    """Return a column as an array of Arrow."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    dtype = column.dtype
    if _is_of_arrow(dtype):
        return column.array.__arrow_array__()
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column)
    if isinstance(dtype, pd.SparseDtype):
        return _array_of(dtype.subtype, column.sparse.to_dense())
    if _is_marked(dtype):
        return _texts(column)
    if isinstance(dtype, np.dtype):
        return pa.array(column.to_numpy().astype(dtype.newbyteorder("="), copy=False))
    # Values that may be missing, or moments with a time zone.
    return pa.array(column)


def _array_of(dtype: Any, column: Any) -> Any:  # noqa: ANN401 - see above
    """Return a column as an array of Arrow; its cells have a type, which pandas may make narrower."""
    return _texts(column) if _is_marked(dtype) else _array(column)


def _categories(column: Any) -> Any:  # noqa: ANN401 - see above
    """Return a column of categories with those that are used, read as a column of their own type."""
    import numpy as np
    import pyarrow as pa

    used, places = np.unique(column.cat.codes.to_numpy(), return_inverse=True)
    missing = int((used < 0).sum())
    categories = column.cat.categories.take(used[missing:])
    values = _array_of(categories.dtype, categories.to_series(index=range(len(used) - missing)))
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return pa.DictionaryArray.from_arrays(pa.array(places - missing, mask=places < missing), values)


def _texts(column: Any) -> Any:  # noqa: ANN401 - see above
    """Return the marked texts of cells of any kind."""
    import pyarrow as pa
    import pyarrow.compute as pc

    with contextlib.suppress(pa.ArrowException, TypeError, ValueError):
        texts = pa.array(column, pa.large_string(), from_pandas=True)
        # A text that begins like the mark is unreadable.
        if not pc.any(pc.starts_with(texts, UNREADABLE)).as_py():
            return texts
    return pa.array(list(map(marked_text, column.tolist())), pa.large_string())
