# SPDX-License-Identifier: Apache-2.0
"""Tables and queries of a DuckDB file, opened read-only, as a relation.

`rainbowdp.tables.frames` reads the relation. No other file is read: DuckDB makes names and types of columns
from the rows of CSV and JSON files, and errors would tell of them.
"""

import atexit
import contextlib
import functools
import shutil
import tempfile
from typing import TYPE_CHECKING

from rainbowdp.errors import TableUnreadableError, readable
from rainbowdp.tables.arrow_tables import ArrowSource
from rainbowdp.tables.frames import duckdb_source
from rainbowdp.tables.header import check_distinct
from rainbowdp.tables.plain_names import check_room, is_utf8
from rainbowdp.tables.sql import SqlPlace, quoted, unreadable_query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MEMORY = "1GB"
"""How much memory an engine of ours takes before it spills to temporary files."""


def duckdb_file_source(place: SqlPlace) -> ArrowSource:
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
    return place.only(name for (name,) in found)


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
    """Return a directory that nobody else can read.

    It goes with the process: DuckDB opens a file once in a process, and refuses to do it again with another
    directory.

    Raises
    ------
    TableUnreadableError
        If there can be none, since rows would decide then whether the memory suffices.
    """
    check_room()
    directory = ""
    with contextlib.suppress(OSError):
        directory = tempfile.mkdtemp(prefix="rainbowdp-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
    if not directory:
        raise TableUnreadableError(
            "there can be no temporary files, which a large table needs",
            help="make room in the directory for temporary files, or name another one with TMPDIR",
        )
    return directory


def _opened(place: SqlPlace, closing: contextlib.ExitStack) -> "DuckDBPyConnection":
    import duckdb

    if place.path is None or not place.path.is_file():
        raise TableUnreadableError(f"there is no file {str(place.path)!r}", help="check the name")
    # A link under another name would hide what DuckDB keeps beside the file and has not yet written into it.
    if not is_utf8(place.path):
        raise TableUnreadableError(
            f"DuckDB cannot open {readable(place.database)}: the name of the file, or of a directory "
            "around it, is no UTF-8",
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
