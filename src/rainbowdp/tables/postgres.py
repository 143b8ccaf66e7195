# SPDX-License-Identifier: Apache-2.0
"""Tables and queries of a PostgreSQL server, in a read-only transaction, through psycopg.

Every cell is cast to text by the server, which cannot fail, and its bytes come back as they
are; a cell that is too long to be read stays there. The type of the column, which the server tells without
running anything, says how the text is read: numbers as numbers, so that ``1.0`` and ``1.50`` are the same
here as in every other source, and dates in ISO form. Grouping is by the text, in the collation that compares
bytes, so that columns which ignore case are exact as well.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rainbowdp.errors import MissingExtraError, TableUnreadableError
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.cells import decimal_of, json_value, moment_of
from rainbowdp.tables.source import UNREADABLE_CELL, Batch, Source, check_distinct, fetched
from rainbowdp.tables.sql import SqlPlace, quoted, unreadable_query

_BYTEA = 17
_INET = 869
# What is longer as text than as it is stored may have no text at all: the server makes none of more than a
# gigabyte. So these are judged by what is stored, by the number of the type: bytea, jsonb, bit, varbit, path
# and polygon (a point of which takes five characters at least). All functions are named in full: a server
# takes the one whose types fit best, in whichever schema, and another user may have made it.
_TOO_LONG: Mapping[int, str] = {
    _BYTEA: f"pg_catalog.octet_length({{0}}) > {LARGEST_CELL}",
    3802: "pg_catalog.jsonb_typeof({0}) in ('object', 'array') "
    f"or pg_catalog.octet_length({{0}} #>> '{{{{}}}}'::pg_catalog.text[]) > {LARGEST_CELL}",
    **dict.fromkeys((1560, 1562), f"pg_catalog.length({{0}}) > {LARGEST_CELL}"),
    **dict.fromkeys((602, 604), f"pg_catalog.npoints({{0}}) > {LARGEST_CELL // 5}"),
}
# Of other types, as extensions have them, the length of a text is unknown. So no text is made of what
# takes more than this in a table, where it may be compressed 255 times.
_LARGEST_STORED = 1 << 18
_TOO_LONG_OTHERWISE = (
    f"case when pg_catalog.pg_column_size({{0}}) > {_LARGEST_STORED} then true "
    f"else pg_catalog.octet_length({{1}}) > {LARGEST_CELL} end"
)
# Types of users have numbers from here on; their casts may run functions of users.
_FIRST_MADE_TYPE = 16384
# Categories of pg_type whose texts are short: booleans, dates, enumerations, addresses, numbers, inner ones.
_SHORT = frozenset("BDEINZ")


# By the number of the type: float4, float8, numeric; json, jsonb; date, time, timestamp, both with time zone;
# bytea.
_READERS: Mapping[int, Callable[[str], object]] = {
    700: float,
    701: float,
    1700: decimal_of,
    **dict.fromkeys((114, 3802), json_value),
    **dict.fromkeys((1082, 1083, 1114, 1184, 1266), moment_of),
    _BYTEA: lambda text: bytes.fromhex(text.removeprefix("\\x")),
}
# Categories of pg_type whose text is not read: arrays, composites, ranges, intervals, and pseudo-types, among
# them rows and arrays that have no type of their own.
_UNREADABLE = frozenset("ACPRT")
# Texts of these are made step by step into the depth, and for some that it stores a server has no room.
_DEEP = ["jsonpath", "tsquery", "ltxtquery", "query_int"]


def postgres_source(place: SqlPlace) -> Source:
    """Return the rows of a table or query of a PostgreSQL server.

    Raises
    ------
    TableUnreadableError
        If the server does not answer, there is no such table, or the query is not accepted.
    UnknownColumnError
        If a column is named twice.
    MissingExtraError
        If psycopg is not installed.
    """
    with contextlib.ExitStack() as closing:
        connection = closing.enter_context(contextlib.closing(_connected(place)))
        _require_utf8(connection, place.database)
        table, rows = None, f"({place.sql}\n) as rainbowdp_rows"
        if place.sql is None:
            schema, name = _table(connection, place)
            table = name if schema == "public" else f"{schema}.{name}"
            rows = f"{quoted(schema)}.{quoted(name)}"
        columns = _columns(connection, place, rows)

        def query(names: Sequence[str], counted: bool, _: object) -> Iterator[Batch]:
            cells = ", ".join(f'{columns[name].text} collate "C" as v{at}' for at, name in enumerate(names))
            asked = f"select {cells} from {rows}"  # noqa: S608 - quoted names
            if counted:
                groups = ", ".join(f"v{at}" for at in range(len(names)))
                asked = f"select {groups}, count(*) from ({asked}) as cells group by {groups}"  # noqa: S608 - quoted names
            # A cursor of the server, so that no more than a batch is in memory.
            with connection.cursor(name="rainbowdp") as cursor:
                cursor.execute(asked.encode())
                yield from fetched(cursor)

        return Source(
            place.database,
            tuple(columns),
            query,
            types={name: column.type_name for name, column in columns.items()},
            unreadable=frozenset(name for name, column in columns.items() if column.category in _UNREADABLE),
            reads={name: column.cell for name, column in columns.items()},
            table=table,
            close=closing.pop_all().close,
        )


@dataclass(frozen=True)
class _Column:
    """A column, its type by number, by category and by name."""

    name: str
    kind: int
    category: str
    type_name: str

    @property
    def text(self) -> str:
        """SQL for the texts of its cells, with a character before each that says whether it is there."""
        cell = quoted(self.name)
        if self.kind == _INET:
            # As the server itself writes it, while a cast names the mask of a single address as well.
            return f"pg_catalog.abbrev({cell})"
        if self.category in _UNREADABLE:
            # Unlike `is not null`, it looks at no field of a composite value.
            return f"case when {cell} is distinct from null then '-' end"
        text = f"{cell}::text"
        if self.kind >= _FIRST_MADE_TYPE:
            text = f"(case when {cell} is not null then pg_catalog.format('%s', {cell}) end)"
        if self.category in _SHORT:
            return text
        large = _TOO_LONG.get(self.kind, _TOO_LONG_OTHERWISE).format(cell, text)
        return f"case when {large} then '-' else '+' || {text} end"

    def cell(self, value: bytes) -> object:
        """Return the cell that a text of the server says."""
        if self.category not in _SHORT:
            if value.startswith(b"-"):
                return UNREADABLE_CELL
            value = value[1:]
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return value
        return _READERS[self.kind](text) if self.kind in _READERS else text


def _connected(place: SqlPlace) -> Any:  # noqa: ANN401 - psycopg is optional
    try:
        import psycopg
        from psycopg.adapt import Loader
    except ImportError as error:
        raise MissingExtraError(
            "reading from PostgreSQL needs psycopg", help="pip install 'rainbowdp[postgres]'"
        ) from error

    class Raw(Loader):
        """Leaves text as bytes, since decoding could fail on a cell."""

        def load(self, data: bytes | bytearray | memoryview) -> bytes:
            return bytes(data)

    try:
        connection = psycopg.connect(place.url, client_encoding="utf8", application_name="rainbowdp")
        connection.read_only = True
        connection.adapters.register_loader("text", Raw)
        for setting in ("timezone to 'UTC'", "bytea_output to 'hex'", "datestyle to 'ISO'"):
            connection.execute(f"set local {setting}".encode())
        connection.execute("set local extra_float_digits to 1")
    except (psycopg.Error, ValueError):
        # Its message may show the URL, and the password with it.
        raise TableUnreadableError(
            f"cannot connect to {place.database}",
            help="check that the server answers, and user, password and database in the URL",
        ) from None
    return connection


def _require_utf8(connection: Any, called: str) -> None:  # noqa: ANN401 - see _connected
    """Refuse a database in another encoding, in which a cell may hold what has no counterpart in UTF-8."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise TableUnreadableError(
            f"{called} keeps its texts as {encoding}, and one odd cell would prevent that they are read",
            help="copy the table into a database with the encoding UTF8, or export it as CSV and name its "
            "encoding",
        )


def _table(connection: Any, place: SqlPlace) -> tuple[str, str]:  # noqa: ANN401 - see _connected
    """Return schema and name of the table; it may be given as ``schema.table``."""
    found = [
        (schema.decode(), name.decode(), bool(visible))
        for schema, name, visible in connection.execute(
            "select n.nspname::text, c.relname::text, pg_table_is_visible(c.oid) from pg_class c "
            "join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'v', 'm', 'p', 'f') "
            "and n.nspname not in ('pg_catalog', 'information_schema') "
            "and n.nspname not like 'pg!_toast%' escape '!'"
        ).fetchall()
    ]
    known = {name if visible else f"{schema}.{name}": (schema, name) for schema, name, visible in found}
    full = {f"{schema}.{name}": (schema, name) for schema, name, _ in found}
    if place.table in full and place.table not in known:
        known[place.table] = full[place.table]
    return known[place.chosen_table(known)]


def _columns(connection: Any, place: SqlPlace, rows: str) -> dict[str, _Column]:  # noqa: ANN401 - see _connected
    """Return the columns of a query, which is prepared and not run."""
    import psycopg

    query = f"select * from {rows}"  # noqa: S608 - a quoted name, or what the user wants to read
    prepared = connection.pgconn.prepare(b"rainbowdp", query.encode())
    if prepared.status != psycopg.pq.ExecStatus.COMMAND_OK:
        reason = prepared.error_field(psycopg.pq.DiagnosticField.MESSAGE_PRIMARY) or b""
        raise unreadable_query(place, reason.decode("utf-8", "replace"))
    shape = connection.pgconn.describe_prepared(b"rainbowdp")
    names = [(shape.fname(at) or b"").decode() for at in range(shape.nfields)]
    kinds = [shape.ftype(at) for at in range(shape.nfields)]
    check_distinct(place.database, names)
    # Category and name are texts, which this connection returns as bytes.
    about = {
        kind: (bytes(category).decode(), bytes(called).decode())
        for kind, category, called in connection.execute(
            "select oid, case when typname = any(%s) then 'R' else typcategory::text end, typname::text "
            "from pg_type where oid = any(%s)",
            [_DEEP, kinds],
        ).fetchall()
    }
    return {
        name: _Column(name, kind, *about.get(kind, ("", ""))) for name, kind in zip(names, kinds, strict=True)
    }
