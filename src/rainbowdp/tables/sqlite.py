# SPDX-License-Identifier: Apache-2.0
"""Tables and queries of an SQLite file, read-only, through Python's own driver.

SQLite's cells have their types one by one, whatever the column says. They are therefore
fetched as they are, texts as bytes, and `cell_text` reads each alone. Only ``BOOLEAN``, which SQLite stores
as 0 and 1, is taken from the declaration of a column. Grouping compares bytes, also where a column is
declared to ignore case. A cell that is too long to be read stays in the file.
"""

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from rainbowdp.errors import TableUnreadableError
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.cell_values import perhaps_moment_of
from rainbowdp.tables.header import check_distinct
from rainbowdp.tables.source import BATCH, Cells, Progress, guarded
from rainbowdp.tables.sql import SqlPlace, quoted, unreadable_query

_VIEW = "rainbowdp_rows"
# Since this version it tells the bytes of a cell without reading it.
_COUNTS_BYTES = (3, 43, 0)
_UNFINISHED = (
    "another program has left it unfinished, or keeps files beside it that are not yours: open it once with "
    "the program that writes it, as its owner"
)


class SqliteSource:
    """The rows of a table or query.

    Raises
    ------
    TableUnreadableError
        If there is no such file or table, or the query is not accepted.
    UnknownColumnError
        If a column is named twice.
    """

    ordered = False
    unreadable: tuple[str, ...] = ()

    def __init__(self, place: SqlPlace) -> None:
        if place.path is None or not place.path.is_file():
            raise TableUnreadableError(f"there is no file {str(place.path)!r}", help="check the name")
        self._name = place.database
        self.table: str | None = None
        self._connection = _connected(place.path, self._name)
        try:
            self._connection.text_factory = bytes
            declared = self._declared(place)
            self._most_bytes = self._largest_cell()
        except BaseException:
            self._connection.close()
            raise
        self.columns = tuple(name for name, _ in declared)
        check_distinct(self._name, self.columns)
        self._types = {name: kind.upper().partition("(")[0].strip() for name, kind in declared}

    def counted(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells with the number of rows that hold them."""
        del progress
        cells = ", ".join(f"{self._bounded(column)} collate binary" for column in columns)
        chosen = "".join(f"{self._bounded(column)}, " for column in columns)
        group = f" group by {cells}" if cells else ""
        yield from self._fetched(f"select {chosen}count(*) from {self._rows}{group}", columns)  # noqa: S608 - quoted names

    def rows(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells, row by row."""
        del progress
        chosen = ", ".join(map(self._bounded, columns))
        yield from self._fetched(f"select {chosen} from {self._rows}", columns)  # noqa: S608 - quoted names

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _largest_cell(self) -> int:
        """Return how many bytes a cell has at most; UTF-16 may have twice as many as UTF-8."""
        failed = False
        encoding = b""
        try:
            ((encoding,),) = self._connection.execute("pragma encoding").fetchall()
        except (sqlite3.Error, ValueError):
            failed = True
        if failed:
            raise TableUnreadableError(f"cannot read {self._name}", help="is it an SQLite file?")
        return LARGEST_CELL if encoding == b"UTF-8" else 2 * LARGEST_CELL

    def _bounded(self, column: str) -> str:
        cell = quoted(column)
        counts = sqlite3.sqlite_version_info >= _COUNTS_BYTES
        size = f"octet_length({cell})" if counts else f"length(cast({cell} as blob))"
        return f"case when {size} > {self._most_bytes} then x'ff' else {cell} end"

    def _declared(self, place: SqlPlace) -> list[tuple[str, str]]:
        reason, help = "", ""
        found: list[tuple[bytes, bytes]] = []
        try:
            if place.sql is None:
                names = self._connection.execute(
                    "select name from sqlite_master where type in ('table', 'view') "
                    "and name not like 'sqlite!_%' escape '!'"
                ).fetchall()
                self.table = place.only(name.decode("utf-8", "replace") for (name,) in names)
                self._rows = f"main.{quoted(self.table)}"
                schema = f"pragma main.table_xinfo({quoted(self.table)})"
            else:
                # A view is checked without being run; it lives in memory, the file stays as it is.
                view = f"create temp view {_VIEW} as select * from ({place.sql}\n)"  # noqa: S608 - what the user wants to read
                self._connection.execute(view)
                self._rows = f"temp.{_VIEW}"
                schema = f"pragma temp.table_xinfo({_VIEW})"
            # The hidden columns of a virtual table (1) are parameters of a search, and no cells.
            found = [(row[1], row[2]) for row in self._connection.execute(schema).fetchall() if row[6] != 1]
        except (sqlite3.Error, sqlite3.Warning) as error:
            reason = str(error)
            help = _help(str(getattr(error, "sqlite_errorname", "")), place)
        if reason and not help:
            raise unreadable_query(place, reason)
        if reason:
            raise TableUnreadableError(f"cannot read {self._name}: {reason}", help=help)
        if any(not _is_utf8(name) for name, _ in found):
            raise TableUnreadableError(
                f"{self._name} has a column whose name is no UTF-8", help="give the column another name"
            )
        return [(name.decode(), (kind or b"").decode("utf-8", "replace")) for name, kind in found]

    def _fetched(self, query: str, columns: Sequence[str]) -> Iterator[list[Cells]]:
        flags = [at for at, column in enumerate(columns) if self._types[column] in ("BOOLEAN", "BOOL")]
        times = [at for at, column in enumerate(columns) if self._types[column] in ("DATETIME", "TIMESTAMP")]

        def batches() -> Iterator[list[Cells]]:
            with contextlib.closing(self._connection.execute(query)) as cursor:
                while batch := cursor.fetchmany(BATCH):
                    yield batch

        for batch in guarded(self._name, batches):
            if flags or times:
                yield [_typed(row, flags, times) for row in batch]
            else:
                yield batch


def _help(failed: str, place: SqlPlace) -> str:
    """Return what to do about an error of SQLite's, by its name; nothing where the query is wrong."""
    if failed.startswith("SQLITE_READONLY"):
        return _UNFINISHED
    if place.sql is not None:
        return ""
    return "check how its views are declared" if failed == "SQLITE_ERROR" else "is it an SQLite file?"


def _connected(path: Path, name: str) -> sqlite3.Connection:
    with contextlib.suppress(sqlite3.Error):
        # SQLite reads a URL here, in which a path is percent-encoded.
        return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)
    raise TableUnreadableError(
        f"cannot open {name}", help="check the permissions of the file and of its directory"
    )


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _typed(row: Cells, flags: list[int], times: list[int]) -> Cells:
    cells = list(row)
    for at in flags:
        value = cells[at]
        if isinstance(value, int | float) and value in (0, 1):
            cells[at] = bool(value)
    for at in times:
        cells[at] = perhaps_moment_of(cells[at])
    return tuple(cells)
