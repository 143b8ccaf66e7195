# SPDX-License-Identifier: Apache-2.0
"""Tables and queries of SQLite and DuckDB files, read-only.

SQLite's cells have their types one by one, whatever the column says. They are therefore fetched as they are
through Python's own driver, texts as bytes, and `cell_text` reads each alone. Only ``BOOLEAN``, which SQLite
stores as 0 and 1, is taken from the declaration of a column. Grouping compares bytes, also where a column is
declared to ignore case. A cell that is too long to be read stays in the file.

A DuckDB file is opened as a relation, which `rainbowdp.tables.frames` reads. No other file is read: DuckDB
makes names and types of columns from the rows of CSV and JSON files, and errors would tell of them.
"""

import atexit
import contextlib
import functools
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rainbowdp.errors import TableUnreadableError, readable
from rainbowdp.formats.files import private_directory
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.cells import perhaps_moment_of
from rainbowdp.tables.frames import duckdb_source
from rainbowdp.tables.local_files import check_room, is_utf8
from rainbowdp.tables.source import Batch, Source, check_distinct, fetched
from rainbowdp.tables.sql import SqlPlace, quoted, unreadable_query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


_VIEW = "rainbowdp_rows"


def sqlite_source(place: SqlPlace) -> Source:
    """Return the rows of a table or query of an SQLite file.

    Raises
    ------
    TableUnreadableError
        If there is no such file or table, or the query is not accepted.
    UnknownColumnError
        If a column is named twice.
    """
    with contextlib.ExitStack() as closing:
        connection = closing.enter_context(contextlib.closing(_connected(place.path, place.database)))
        connection.text_factory = bytes
        table, rows, declared = _declared(connection, place)
        check_distinct(place.database, [name for name, _ in declared])
        types = {name: kind.upper().partition("(")[0].strip() for name, kind in declared}
        most = _largest_cell(connection, place.database)

        def query(columns: Sequence[str], counted: bool, _: object) -> Iterator[Batch]:
            cells = [_bounded(quoted(column), most) for column in columns]
            asked = f"select {', '.join(cells)} from {rows}"  # noqa: S608 - quoted names
            if counted:
                groups = ", ".join(f"{cell} collate binary" for cell in cells)
                asked = f"select {', '.join(cells)}, count(*) from {rows} group by {groups}"  # noqa: S608 - quoted names
            with contextlib.closing(connection.execute(asked)) as cursor:
                yield from fetched(cursor)

        return Source(
            place.database,
            tuple(types),
            query,
            reads={name: _TYPED[kind] for name, kind in types.items() if kind in _TYPED},
            table=table,
            close=closing.pop_all().close,
        )


def _bounded(cell: str, most: int) -> str:
    return f"case when length(cast({cell} as blob)) > {most} then x'ff' else {cell} end"


def _largest_cell(connection: sqlite3.Connection, name: str) -> int:
    """Return how many bytes a cell has at most; UTF-16 may have twice as many as UTF-8."""
    try:
        ((encoding,),) = connection.execute("pragma encoding").fetchall()
    except (sqlite3.Error, ValueError):
        raise TableUnreadableError(f"cannot read {name}", help="is it an SQLite file?") from None
    return LARGEST_CELL if encoding == b"UTF-8" else 2 * LARGEST_CELL


def _declared(
    connection: sqlite3.Connection, place: SqlPlace
) -> tuple[str | None, str, list[tuple[str, str]]]:
    """Return the table if one is meant, the rows as SQL, and names and declared types of the columns."""
    try:
        if place.sql is None:
            names = connection.execute(
                "select name from sqlite_master where type in ('table', 'view') "
                "and name not like 'sqlite!_%' escape '!'"
            ).fetchall()
            table = place.chosen_table(name.decode("utf-8", "replace") for (name,) in names)
            rows, schema = f"main.{quoted(table)}", f"main.table_xinfo({quoted(table)})"
        else:
            # A view is checked without being run; it lives in memory, the file stays as it is.
            connection.execute(f"create temp view {_VIEW} as select * from ({place.sql}\n)")  # noqa: S608 - what the user wants to read
            table, rows, schema = None, f"temp.{_VIEW}", f"temp.table_xinfo({_VIEW})"
        # The hidden columns of a virtual table (1) are parameters of a search, and no cells.
        found = [row[1:3] for row in connection.execute(f"pragma {schema}").fetchall() if row[6] != 1]
        columns = [(name.decode(), (kind or b"").decode("utf-8", "replace")) for name, kind in found]
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise unreadable_query(place, str(error)) from None
    except UnicodeDecodeError:
        raise TableUnreadableError(
            f"{place.database} has a column whose name is not UTF-8", help="give the column another name"
        ) from None
    return table, rows, columns


def _connected(path: Path, name: str) -> sqlite3.Connection:
    try:
        # SQLite reads a URL here, in which a path is percent-encoded.
        return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)
    except sqlite3.Error:
        raise TableUnreadableError(
            f"cannot open {name}", help="check the permissions of the file and of its directory"
        ) from None


def _flag(cell: object) -> object:
    return bool(cell) if isinstance(cell, int | float) and cell in (0, 1) else cell


_TYPED = {
    **dict.fromkeys(("BOOLEAN", "BOOL"), _flag),
    **dict.fromkeys(("DATETIME", "TIMESTAMP"), perhaps_moment_of),
}
"""What makes a cell of a stored value, by the declared type of a column."""


MEMORY = "1GB"
"""How much memory an engine of ours takes before it spills to temporary files."""


def duckdb_file_source(place: SqlPlace) -> Source:
    """Return the rows of a table or query.

    Raises
    ------
    TableUnreadableError
        If there is no such file or table, the query is not accepted, or it reads another file.
    UnknownColumnError
        If a column is named twice.
    """
    with contextlib.ExitStack() as closing:
        database = _opened(place, closing)
        table = _table(database, place) if place.sql is None else None
        relation = _relation(database, place, table)
        check_distinct(place.database, relation.columns)
        return duckdb_source(relation, place.database, table=table, close=closing.pop_all().close)


def _table(database: "DuckDBPyConnection", place: SqlPlace) -> str:
    found = database.execute(
        "select table_name from information_schema.tables where table_schema = current_schema()"
    ).fetchall()
    return place.chosen_table(name for (name,) in found)


def _relation(database: "DuckDBPyConnection", place: SqlPlace, table: str | None) -> "DuckDBPyRelation":
    """Return the rows of a table or query; an error is ours, without what DuckDB's may quote of the rows."""
    import duckdb

    rows = quoted(table) if table is not None else f"({place.sql}\n)"
    query = f"select * from {rows}"  # noqa: S608 - a quoted name, or what the user wants to read
    try:
        if table is None:
            _check_columns(place.database, query)
        return database.sql(query)
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException) as error:
        raise unreadable_query(place, str(error).splitlines()[0]) from None
    except duckdb.PermissionException:
        raise TableUnreadableError(
            f"{f'the view {table!r}' if table is not None else 'the query'} asks for more than the tables of "
            f"{place.database}, such as another file",
            help="name that file as the table, or keep its rows in the database: CREATE TABLE ...",
        ) from None
    except duckdb.Error:
        raise unreadable_query(
            place, "it fails on what the tables hold, or asks for what a file that is only read cannot do"
        ) from None


def _check_columns(database: str, query: str) -> None:
    """Refuse a query whose columns are made of cells, so that errors about it would tell of them."""
    import duckdb

    # DuckDB itself makes several statements of such a query: the first one collects the cells.
    if [statement.type for statement in duckdb.extract_statements(query)] != [duckdb.StatementType.SELECT]:
        raise TableUnreadableError(
            f"{database} does not accept the query: it is several statements, or makes columns of the cells "
            "of a table",
            help="write one query, and name the cells that become columns: "
            "PIVOT table ON column IN ('first', 'second')",
        )


@functools.cache
def _directory_for_spills() -> str:
    """Return a directory that only its owner can read.

    It goes with the process: DuckDB opens a file once in a process, and refuses to do it again with another
    directory.

    Raises
    ------
    TableUnreadableError
        If it cannot be made: without it, the rows would decide whether the memory suffices.
    """
    check_room()
    ending = contextlib.ExitStack()
    try:
        directory = ending.enter_context(private_directory())
    except OSError:
        raise TableUnreadableError(
            "there can be no temporary files, which a large table needs",
            help="make room in the directory for temporary files, or name another one with TMPDIR",
        ) from None
    atexit.register(ending.close)
    return str(directory)


def _opened(place: SqlPlace, closing: contextlib.ExitStack) -> "DuckDBPyConnection":
    import duckdb

    # A link under another name would hide what DuckDB keeps beside the file and has not yet written into it.
    if not is_utf8(place.path):
        raise TableUnreadableError(
            f"DuckDB cannot open {readable(place.database)}: the name of the file, or of a directory "
            "around it, is not UTF-8",
            help="rename it, or move the file",
        )
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": MEMORY,
        # By itself DuckDB spills rows beside the file, where others may read them.
        "temp_directory": _directory_for_spills(),
    }
    try:
        opened = duckdb.connect(str(place.path), read_only=True, config=config)
        closing.callback(opened.close)
        opened.execute("set enable_external_access = false")
    except duckdb.Error:
        raise TableUnreadableError(
            f"cannot open {place.database}", help="is it a DuckDB file, and closed by other programs?"
        ) from None
    return opened
