# SPDX-License-Identifier: Apache-2.0
r"""Frames of polars, DuckDB and Spark, changed lazily before any of their cells is fetched.

What an engine would hand out in a form of its own, or at any length, is changed inside the
engine, by expressions that fail on no cell. Texts become bytes, and one of more than `LARGEST_CELL` bytes
becomes the byte ``\xff``, which is no text; so it never comes here. What expressions cannot say is said
beside the frame: how the cells of a column are read, and which columns have none.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rainbowdp.errors import TableUnreadableError
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.moments import moment_text
from rainbowdp.tables.readers import moment_of, shortest_float
from rainbowdp.tables.source import UNREADABLE_CELL
from rainbowdp.tables.sql import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

Decoder = Callable[[object], object]
# Types of DuckDB besides texts and bytes, each of them with a text, whose cells have no largest one.
_OF_ANY_LENGTH = frozenset({"bit", "bignum", "geometry", "varint"})
WITHOUT_TEXT = frozenset({"tuple", "union", "variant"})
"""Types of DuckDB whose cells are never read: one of a union or variant may be a list or a struct as well."""
_WITHOUT_TEXT_IN_SPARK = ("geography", "geometry", "interval", "variant")
_OTHER_TIMES = frozenset({"time with time zone", "timestamptz_ns"})
_ZONED = "timestamp with time zone"
_NEVER = 2**63 - 1
_PATTERN_OF_NAMES = re.compile(r"\*\Z|\^(?s:.*)\$\Z")
_MOMENT_IN_UTC = partial(moment_text, unit="us", zoned=True)
# What a column of these types stores may be so far away that to write it as text fails. They have a first and
# a last cell that can be read.
_READABLE_SPANS: Mapping[str, tuple[str, str]] = {
    "timestamp_s": ("0001-01-01", "9999-12-31 23:59:59"),
    "timestamp_ms": ("0001-01-01", "9999-12-31 23:59:59.999"),
    "time": ("00:00:00", "23:59:59.999999"),
    "time_ns": ("00:00:00", "23:59:59.999999999"),
}


@dataclass(frozen=True)
class Prepared:
    """A frame, and what is to be known about its columns.

    Attributes
    ----------
    frame : object
        Of the same library.
    readers : mapping
        For some columns, what makes a readable value of a cell.
    unreadable : frozenset of str
        Columns of a type whose cells are never text, beside those that narwhals knows.
    names : mapping, optional
        From public names of columns to those of the frame, where they differ. An engine may take a name such
        as ``*`` for a pattern, and give another column.
    """

    frame: Any
    readers: Mapping[str, Decoder] = field(default_factory=lambda: MappingProxyType({}))
    unreadable: frozenset[str] = frozenset()
    names: Mapping[str, str] | None = None


def of_duckdb(relation: "DuckDBPyRelation") -> Prepared:
    """Return a relation whose texts go by their bytes, so that a column that ignores case is exact."""
    kinds = dict(zip(relation.columns, (kind.id for kind in relation.types), strict=True))
    names = _plain(kinds)
    without_text = frozenset(names[name] for name, kind in kinds.items() if kind in WITHOUT_TEXT)
    cells = ", ".join(f"{_exact(quoted(name), kind)} as {names[name]}" for name, kind in kinds.items())
    times = _OTHER_TIMES.union(_READABLE_SPANS)
    readers: dict[str, Decoder] = {names[name]: moment_of for name, kind in kinds.items() if kind in times}
    readers |= {names[name]: _MOMENT_IN_UTC for name, kind in kinds.items() if kind == _ZONED}
    return Prepared(relation.project(cells), MappingProxyType(readers), without_text, names)


def _plain(columns: Iterable[str]) -> dict[str, str]:
    return {column: f"c{at}" for at, column in enumerate(columns)}


def _exact(cell: str, kind: str) -> str:
    if kind in _READABLE_SPANS:
        # Nothing else is ever written as text, in whatever order the engine does this.
        first, last = _READABLE_SPANS[kind]
        near = f"case when {cell} between '{first}'::{kind} and '{last}'::{kind} then {cell} end"
        return f"coalesce(({near})::varchar, case when {cell} is not null then '?' end)"
    if kind == _ZONED:
        # As text it would be the time of the connection's zone, which is another year at the ends of all.
        return f"case when isfinite({cell}) then epoch_us({cell}) when {cell} is not null then {_NEVER} end"
    if kind == "blob":
        size, content = f"octet_length({cell})", cell
    elif kind == "varchar":
        size, content = f"strlen({cell})", f"encode({cell})"
    elif kind in _OF_ANY_LENGTH:
        size, content = f"strlen({cell}::varchar)", f"encode({cell}::varchar)"
    else:
        return cell
    return f"case when {size} > {LARGEST_CELL} then '\\xFF'::blob else {content} end"


def of_polars(frame: Any) -> Prepared:  # noqa: ANN401 - polars is optional
    """Return a frame of polars, lazy or not, whose texts are bytes."""
    import polars as pl
    from polars import selectors

    changed = []
    readers: dict[str, Decoder] = {}
    without_text = set()
    schema = frame.collect_schema()
    names = _plain(schema.names())
    for column, given in schema.items():
        # Not by its name alone, which may be a pattern.
        name, kind, cell = names[column], given, selectors.by_name(column).as_expr()
        if hasattr(kind, "ext_storage"):
            # A cell may be nothing that the extension knows, and is always something that can be stored.
            readers.update(_reader_of_extension(name, kind.ext_name()))
            kind, cell = kind.ext_storage(), cell.ext.storage()
        if str(kind) == "Float16":
            readers[name] = partial(shortest_float, bits=16)
        if kind in (pl.Categorical, pl.Enum):
            kind, cell = pl.String, cell.cast(pl.String)
        if kind in (pl.String, pl.Binary):
            size = cell.str.len_bytes() if kind == pl.String else cell.bin.size()
            short = pl.when(size <= LARGEST_CELL).then(cell.cast(pl.Binary))
            cell = short.when(size.is_not_null()).then(pl.lit(UNREADABLE_CELL)).otherwise(None)
        elif not (kind.is_numeric() or kind.is_temporal() or kind in (pl.Boolean, pl.Null)):
            # To compare, to hash or to write an object of Python runs what its class says.
            without_text.add(name)
        changed.append(cell.alias(name))
    return Prepared(frame.select(changed), MappingProxyType(readers), frozenset(without_text), names)


def _reader_of_extension(name: str, extension: str) -> Mapping[str, Decoder]:
    from rainbowdp.tables.arrow_tables import EXTENSIONS

    return {name: EXTENSIONS[extension]} if extension in EXTENSIONS else {}


def of_spark(frame: Any) -> Prepared:  # noqa: ANN401 - PySpark is optional
    """Return a frame of Spark whose names are plain, with texts as bytes and moments as microseconds.

    Spark would write moments in the time zone of its session.
    """
    from pyspark.sql.types import UserDefinedType

    cells = []
    readers: dict[str, Decoder] = {}
    without_text = set()
    for column in frame.schema.fields:
        name, kind = column.name, column.dataType
        cell = name
        if kind.typeName() in ("string", "binary"):
            long = f"octet_length({name}) > {LARGEST_CELL}"
            cell = f"case when {long} then X'FF' else cast({name} as binary) end"
        elif kind.typeName() == "timestamp":
            cell = f"unix_micros({name})"
            readers[name] = _MOMENT_IN_UTC
        elif kind.simpleString().startswith(_WITHOUT_TEXT_IN_SPARK) or isinstance(kind, UserDefinedType):
            # No row of it is ever fetched.
            without_text.add(name)
        cells.append(f"{cell} as {name}")
    return Prepared(frame.selectExpr(*cells), MappingProxyType(readers), frozenset(without_text))


def behind_ibis(table: Any) -> Any:  # noqa: ANN401 - ibis has no types
    """Return what holds the rows of an ibis table: a relation of DuckDB, or a lazy frame of polars.

    Raises
    ------
    TableUnreadableError
        If another engine does, which makes values of Python or pandas on the way, which one odd cell can
        prevent; or if polars takes the name of a column for a pattern of names.
    """
    backend = table.get_backend()
    if backend.name == "duckdb":
        # Tables that ibis keeps in memory are handed to DuckDB with the first query.
        backend.to_pyarrow(table.limit(0).count())
        return backend.con.sql(backend.compile(table))
    if backend.name != "polars":
        raise TableUnreadableError(
            f"an ibis table of {backend.name} cannot be read cell by cell: one odd cell would prevent it",
            help="give the database itself, such as postgresql://... or sqlite:///..., or what .to_pyarrow() "
            "returns; ibis tables of DuckDB and polars are read as they are",
        )
    if any(map(_PATTERN_OF_NAMES.match, table.schema())):
        # Without the name, which may be made of a cell.
        raise TableUnreadableError(
            "the ibis table has a column whose name polars takes for a pattern of names",
            help="give the frame of polars itself, or no column a name like * or ^...$",
        )
    return backend.compile(table)
