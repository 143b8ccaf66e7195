# SPDX-License-Identifier: Apache-2.0
"""Tables of ibis, fetched through Arrow column by column as they are.

The one idea: they are counted here and not by the engine behind them, which may take texts for the same that
are not. What DuckDB would change on the way to Arrow (numbers of more than 18 digits, times with a zone,
bits) comes as the text that DuckDB gives it, where it has one, and texts come as bytes, unless too long.
"""

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from rainbowdp.errors import TableUnreadableError
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.arrow_tables import ArrowSource, Read
from rainbowdp.tables.prepared import WITHOUT_TEXT
from rainbowdp.tables.readers import decimal_of, moment_of
from rainbowdp.tables.source import UNREADABLE_CELL, Progress

_PATTERN = re.compile(r"\*\Z|\^(?s:.*)\$\Z")
_ARROW_ENGINES = frozenset({"duckdb", "polars"})
_MICROSECONDS = 86_400 * 10**6


def ibis_source(table: Any, name: str) -> ArrowSource:  # noqa: ANN401 - ibis has no types
    """Return the rows of an ibis table.

    Raises
    ------
    TableUnreadableError
        If the engine makes values of Python or pandas on the way to Arrow, which one odd cell can prevent;
        or if it is polars, and takes the name of a column for a pattern of names.
    """
    import ibis  # type: ignore[import-untyped]  # it ships no types

    engine = str(table.get_backend().name)
    if engine not in _ARROW_ENGINES:
        raise TableUnreadableError(
            f"an ibis table of {engine} cannot be read cell by cell: one odd cell would prevent it",
            help="give the database itself, such as postgresql://... or sqlite:///..., or what .to_pyarrow() "
            "returns; ibis tables of DuckDB and polars are read as they are",
        )
    readers: dict[str, Read] = {}
    schema = table.schema()
    if engine == "polars" and any(map(_PATTERN.match, schema)):
        # Not with its name, which may be made of a cell.
        raise TableUnreadableError(
            "the ibis table has a column whose name polars takes for a pattern of names",
            help="give the frame of polars itself, or no column a name like * or ^...$",
        )
    types: dict[str, Any] = {}
    for column, kind in schema.items():
        types[column] = None
        with contextlib.suppress(Exception):
            types[column] = kind.to_pyarrow()
    if engine == "duckdb":
        types |= dict.fromkeys(_without_text(table))
        table = table.select([_exact(table[column], kind).name(column) for column, kind in schema.items()])
        readers = {column: decimal_of for column, kind in schema.items() if kind.is_decimal()}
        readers |= {
            column: moment_of
            for column, kind in schema.items()
            if _is_time(kind) or _in_nanoseconds(kind) or _unknown_type(kind) == "timestamptz_ns"
        }

    def tables(columns: Sequence[str], progress: Progress | None) -> Iterator[Any]:
        del progress
        # Without a readable column, one of our own says how many rows there are.
        yield table.select(*(columns or [ibis.literal(1).name("row")])).to_pyarrow()

    return ArrowSource(name, types, tables, ordered=False, readers=readers)


def _without_text(table: Any) -> list[str]:  # noqa: ANN401 - ibis has no types
    """Return the columns of types of DuckDB that ibis takes for others, and that have no text."""
    found: list[str] = []
    # A table that ibis has not handed over yet is none of DuckDB's, and has none of its types.
    with contextlib.suppress(Exception):
        relation = table.get_backend().con.sql(table.compile())
        kinds = zip(relation.columns, relation.types, strict=True)
        found = [column for column, kind in kinds if kind.id in WITHOUT_TEXT]
    return found


def _exact(cell: Any, kind: Any) -> Any:  # noqa: ANN401 - ibis has no types
    """Return a column of DuckDB so that Arrow gets of each cell what it is."""
    import ibis

    # Arrow would take infinity for a moment where it counts nanoseconds.
    moment = kind.is_date() or (kind.is_timestamp() and not _in_nanoseconds(kind))
    simple = kind.is_integer() or kind.is_floating() or kind.is_boolean() or moment
    if simple or kind.is_nested() or kind.is_interval():
        return cell
    unreadable = ibis.literal(UNREADABLE_CELL, type="binary")
    if _is_time(kind):
        within = _within_a_day(cell, kind)
        text = ibis.ifelse(within, cell, ibis.null()).cast("string")
        content = _function("encode", "string", "binary")(text)
        return ibis.ifelse(within, content, ibis.ifelse(cell.notnull(), unreadable, ibis.null()))
    if kind.is_binary():
        size, content = _function("octet_length", "binary", "int64")(cell), cell
    else:
        text = cell if kind.is_string() else cell.cast("string")
        size = _function("strlen", "string", "int64")(text)
        content = _function("encode", "string", "binary")(text)
    return ibis.ifelse(size > LARGEST_CELL, unreadable, content)


def _within_a_day(cell: Any, kind: Any) -> Any:  # noqa: ANN401 - ibis has no types
    """Tell which cells of a type of times a clock can show; DuckDB fails where it has to write another one.

    DuckDB may keep them in microseconds or in nanoseconds, whatever ibis knows: the former decides in the
    first case, where a far one wraps around in the latter, and the latter in the second.
    """
    microseconds = _function("epoch_us", kind, "int64")(cell).between(0, _MICROSECONDS - 1)
    nanoseconds = _function("epoch_ns", kind, "int64")(cell).between(0, 1000 * _MICROSECONDS - 1)
    return (cell.typeof() == "TIME WITH TIME ZONE") | (microseconds & nanoseconds)


def _is_time(kind: Any) -> bool:  # noqa: ANN401 - ibis has no types
    return bool(kind.is_time()) or _unknown_type(kind) == "time_ns"


def _in_nanoseconds(kind: Any) -> bool:  # noqa: ANN401 - ibis has no types
    return bool(kind.is_timestamp()) and kind.timezone is None and kind.scale == 9


def _unknown_type(kind: Any) -> str:  # noqa: ANN401 - ibis has no types
    """Return the name that DuckDB has for a type that ibis does not know."""
    return str(kind.raw_type.sql("duckdb")).lower() if kind.is_unknown() else ""


def _function(name: str, takes: Any, gives: str) -> Any:  # noqa: ANN401 - ibis has no types
    """Return a function of DuckDB that ibis does not know."""
    import ibis

    def stub(cell: object) -> None: ...

    return ibis.udf.scalar.builtin(stub, name=name, signature=((ibis.dtype(takes),), ibis.dtype(gives)))
