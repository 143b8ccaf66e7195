# SPDX-License-Identifier: Apache-2.0
"""Tables and queries of a DuckDB file, opened read-only, as a frame.

The one idea: a DuckDB file is a frame that DuckDB opens for us; grouping and types are
`rainbowdp.tables.frames`'s. Text columns that ignore case are made exact first.
"""

import contextlib
from typing import TYPE_CHECKING

from rainbowdp.errors import TableUnreadableError
from rainbowdp.tables.frames import FrameSource
from rainbowdp.tables.header import check_distinct
from rainbowdp.tables.sql import SqlPlace, quoted, unreadable_query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


class DuckdbSource(FrameSource):
    """The rows of a table or query.

    Raises
    ------
    TableUnreadableError
        If there is no such file or table, or the query is not accepted.
    UnknownColumnError
        If a column is named twice.
    """

    def __init__(self, place: SqlPlace) -> None:
        import duckdb
        import narwhals.stable.v2 as nw

        self._database: DuckDBPyConnection = _opened(place)
        self.table: str | None = None
        reason = ""
        try:
            if place.sql is None:
                tables = self._database.execute(
                    "select table_name from information_schema.tables where table_schema = current_schema()"
                ).fetchall()
                self.table = place.only(name for (name,) in tables)
                rows = quoted(self.table)
            else:
                rows = f"({place.sql}\n)"
            relation = self._database.sql(f"select * from {rows}")  # noqa: S608 - a quoted name, or what the user wants to read
            check_distinct(place.database, relation.columns)
            super().__init__(nw.from_native(exact_texts(relation)), place.database, ordered=False)
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
        except BaseException:
            self._database.close()
            raise
        if reason:
            self._database.close()
            raise unreadable_query(place, reason)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def exact_texts(relation: "DuckDBPyRelation") -> "DuckDBPyRelation":
    """Return a relation whose texts go by their bytes, so that a column that ignores case is exact."""
    return relation.project(
        ", ".join(
            f"encode({quoted(name)}) as {quoted(name)}" if str(kind) == "VARCHAR" else quoted(name)
            for name, kind in zip(relation.columns, relation.types, strict=True)
        )
    )


def _opened(place: SqlPlace) -> "DuckDBPyConnection":
    import duckdb

    if place.path is None or not place.path.is_file():
        raise TableUnreadableError(f"there is no file {str(place.path)!r}", help="check the name")
    opened: DuckDBPyConnection | None = None
    with contextlib.suppress(duckdb.Error):
        opened = duckdb.connect(
            str(place.path),
            read_only=True,
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False},
        )
    if opened is None:
        raise TableUnreadableError(
            f"cannot open {place.database}", help="is it a DuckDB file, and closed by other programs?"
        )
    return opened
