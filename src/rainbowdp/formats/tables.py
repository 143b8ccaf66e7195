# SPDX-License-Identifier: Apache-2.0
"""Reading CSV and Parquet tables of text, by DuckDB.

Every cell is text. No column type is guessed, the header is read and judged before any row,
and a row that does not fit it is an error that names its place, never a row that is silently lost. Columns go
by their position inside, since names such as ``Red`` and ``red`` are one name to a database.

A `TextTable` is a query; nothing is read before DuckDB runs it. An unquoted empty CSV cell is missing (null);
the quoted ``""`` is the empty text.
"""

import contextlib
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, FileUnreadableError, did_you_mean
from rainbowdp.formats.csv_header import CsvHeader, read_header, undecodable
from rainbowdp.formats.csv_quotes import measure
from rainbowdp.formats.suffixes import Form

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_LONGEST_CSV_LINE = 1 << 24


class Database(Protocol):
    """What is asked of a database in memory."""

    def execute(self, query: str, /) -> "DuckDBPyConnection":
        """Run a query."""

    def register(self, view_name: str, python_object: object, /) -> object:
        """Make arrays a table."""

    def sql(self, query: str, /) -> "DuckDBPyRelation":
        """Return a query that runs when it is read."""


@dataclass(frozen=True)
class TextTable:
    """A table on the disk whose cells are read as text.

    Attributes
    ----------
    path : Path
        The file.
    names : tuple of str
        Its columns, distinct, in their order.
    scan : str
        SQL for all its rows, with the columns ``c0``, ``c1``, ....
    """

    path: Path
    names: tuple[str, ...]
    scan: str

    def column(self, name: str) -> str:
        """Return the SQL name of a column.

        Raises
        ------
        FileFormatError
            If the table has no such column; the help names the closest one, or all of them.
        """
        if name in self.names:
            return f"c{self.names.index(name)}"
        shown = ", ".join(map(repr, self.names[:20])) + (", …" if len(self.names) > 20 else "")
        raise FileFormatError(
            f"{str(self.path)!r} has no column {name!r}",
            help=did_you_mean(name, self.names) or f"its columns are {shown}",
            path=str(self.path),
            column=name,
        )

    def query(self, *names: str) -> str:
        """Return SQL for some columns as text, called ``v0``, ``v1``, ... in the order of the arguments."""
        chosen = ", ".join(f"{self.column(name)}::varchar as v{at}" for at, name in enumerate(names))
        return f"select {chosen} from {self.scan}"  # noqa: S608 - column numbers and a quoted path only


def open_table(database: Database, path: Path, form: Form, wanted: tuple[str, ...]) -> TextTable:
    """Read the header of a CSV or Parquet file and judge it.

    Parameters
    ----------
    database : Database
        From `connect` or `connect_if_asked`.
    path : Path
        The file.
    form : Form
        CSV or Parquet.
    wanted : tuple of str
        Columns that the table must have; others may stand beside them.

    Returns
    -------
    TextTable

    Raises
    ------
    FileUnreadableError, FileFormatError
        If the file cannot be read, or a column is missing, misspelt or named twice.
    """
    if form is Form.CSV:
        header = read_header(path, wanted)
        names, scan = header.names, _csv_scan(path, header)
        measured = measure(path, header.delimiter)
        if measured is not None:
            _check_measure(database, TextTable(path, names, scan), *measured)
    else:
        names = parquet_names(database, path)
        scan = f"read_parquet({_file(path)}, hive_partitioning=false) as t({_numbered(len(names))})"
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise FileFormatError(
            f"{str(path)!r} has two columns called {twice!r}",
            help="rename or remove one of them",
            path=str(path),
            column=twice,
        )
    table = TextTable(path, names, scan)
    for name in wanted:
        table.column(name)
    return table


def _check_measure(database: Database, table: TextTable, rows: int, size: int) -> None:
    """Refuse a CSV file of which DuckDB would read more or less than there is."""
    sizes = "".join(f", sum(strlen(c{at}))" for at in range(len(table.names)))
    with reading(table.path):
        ((found, *each),) = database.execute(f"select count(*){sizes} from {table.scan}").fetchall()  # noqa: S608 - a quoted path
    read = sum(part or 0 for part in each)
    if (found, read) == (rows, size):
        return
    less = f"{found} rows can be read, and there are {rows}"
    if found == rows:
        less = f"{read} bytes of cells can be read, and there are {size}"
    raise FileFormatError(
        f"{str(table.path)!r} has quotes that do not fit: {less}",
        help="put cells with quotes into quotes, without blanks around them, and double those inside",
        path=str(table.path),
    )


class _Deferred:
    def __init__(self, opened: contextlib.ExitStack) -> None:
        self._opened = opened

    @functools.cached_property
    def _database(self) -> "DuckDBPyConnection":
        return self._opened.enter_context(connect())

    def execute(self, query: str, /) -> "DuckDBPyConnection":
        return self._database.execute(query)

    def register(self, view_name: str, python_object: object, /) -> object:
        return self._database.register(view_name, python_object)

    def sql(self, query: str, /) -> "DuckDBPyRelation":
        return self._database.sql(query)


@contextlib.contextmanager
def connect_if_asked() -> Iterator[Database]:
    """Return a database as `connect` does, which is opened by the first query: opening one takes a while."""
    with contextlib.ExitStack() as opened:
        yield _Deferred(opened)


@contextlib.contextmanager
def connect() -> "Iterator[DuckDBPyConnection]":
    """Open a database in memory that loads nothing from the network; it spills to temporary files.

    Raises
    ------
    KeyboardInterrupt
        If the user interrupts a query.
    MemoryError
        If there is not even memory for an empty database.
    """
    import duckdb

    with contextlib.ExitStack() as stack:
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "temp_directory": stack.enter_context(_private_directory()),
        }
        try:
            database = stack.enter_context(contextlib.closing(duckdb.connect(":memory:", config=config)))
        except duckdb.OutOfMemoryException as error:
            raise MemoryError from error
        try:
            yield database
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except RuntimeError as error:
            # This is how DuckDB's Python module reports the interrupt of a signal.
            if str(error) == "Query interrupted":
                raise KeyboardInterrupt from error
            raise


@contextlib.contextmanager
def _private_directory() -> Iterator[str]:
    """Make a directory that nobody else can read, since a query spills rows; none if that is impossible."""
    import tempfile

    with contextlib.ExitStack() as stack:
        directory = ""
        with contextlib.suppress(OSError):
            made = tempfile.TemporaryDirectory(prefix="rainbowdp-", ignore_cleanup_errors=True)
            directory = stack.enter_context(made)
        yield directory


def arrays(result: "DuckDBPyConnection") -> dict[str, NDArray[Any]]:
    """Return the columns of a result as arrays; DuckDB declares other types too, which no query makes."""
    return cast("dict[str, NDArray[Any]]", result.fetchnumpy())


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn DuckDB's errors about a file into ours, with the line where it has one.

    Raises
    ------
    FileUnreadableError, FileFormatError
        Instead of any ``duckdb.Error``.
    """
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise _translated(path, str(error)) from error


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _file(path: Path) -> str:
    """Return the SQL literal for one file; DuckDB would take its name for a pattern."""
    return literal(re.sub(r"[\[*?]", r"[\g<0>]", str(path)))


def _numbered(count: int) -> str:
    return ", ".join(f"c{at}" for at in range(count))


def _csv_scan(path: Path, header: CsvHeader) -> str:
    columns = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(header.names)))
    # In parallel DuckDB refuses or loses rows with quotes or empty lines where its slices meet (2.0.1).
    ending = {"\n": "\\n", "\r\n": "\\r\\n", "\r": "\\r"}[header.line_ending]
    return (
        f"read_csv({_file(path)}, header=true, columns={{{columns}}}, auto_detect=false, "
        f"delim={literal(header.delimiter)}, quote='\"', escape='\"', new_line='{ending}', "
        "allow_quoted_nulls=false, hive_partitioning=false, parallel=false, "
        f"max_line_size={_LONGEST_CSV_LINE})"
    )


def parquet_names(database: Database, path: Path) -> tuple[str, ...]:
    """Return the names of the columns as they are in the file; DuckDB renames ``red`` beside ``Red``."""
    with reading(path):
        schema = database.execute(
            f"select name, coalesce(num_children, 0) from parquet_schema({_file(path)})"  # noqa: S608 - a quoted path
        ).fetchall()
    names: list[str] = []
    inside = 0
    for name, children in schema[1:]:
        if inside:
            inside -= 1
        else:
            names.append(name)
        inside += children
    return tuple(names)


def _translated(path: Path, message: str) -> FileUnreadableError | FileFormatError:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    place = f"line {line[1]} of {str(path)!r}" if line else f"{str(path)!r}"
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if "Invalid unicode" in message or "not utf-8" in message:
        return undecodable(path, f"line {line[1]}" if line else "some line", "invalid bytes")
    if counts:
        return FileFormatError(
            f"{place} has {counts[2]} cell{'s' * (counts[2] != '1')}, and the header has {counts[1]}",
            help="give every row one cell per column; a cell that contains a comma or a quote is quoted",
            path=str(path),
            line=int(line[1]) if line else None,
        )
    if "unterminated quote" in message:
        return FileFormatError(
            f"{place} has a quote that is never closed, or text after a closing quote",
            help="close it; a quote inside a quoted cell is doubled",
            path=str(path),
        )
    if "state machine reached an invalid state" in message:
        return FileFormatError(
            f"the lines of {place} do not all end alike, or its quotes do not fit",
            help="end every line with the same sign; dos2unix or an editor does that",
            path=str(path),
        )
    reason = message.strip().splitlines()[0].removeprefix("Invalid Input Error: ")
    return FileUnreadableError(
        f"cannot read {place}: {reason}",
        help="check that the file is complete and is what its name says",
        path=str(path),
    )
