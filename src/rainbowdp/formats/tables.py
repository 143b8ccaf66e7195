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
import gzip
import itertools
import re
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, FileUnreadableError, did_you_mean
from rainbowdp.formats.csv_files import NO_TEXT, Header, Records, below_header, read_header
from rainbowdp.formats.encodings import UNREADABLE, in_utf8, undecodable
from rainbowdp.formats.suffixes import Form

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_LONGEST_RECORD = 1 << 24
_BLOCK = 1 << 20
# A mark before the first row, and a line feed after the last one.
_MORE_BYTES = 4


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
        header = _header(path, wanted)
        if _has_quotes(path) and (fault := _fault(path, header, exactly=False)) is not None:
            # DuckDB drops what follows a quote that does not fit, and says nothing of it.
            raise fault
        names, scan = header.names, csv_scan(_file(path), header, longest=_LONGEST_RECORD)
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


def _header(path: Path, wanted: tuple[str, ...]) -> Header:
    """Read the header of a CSV file, in which every quote must fit."""
    content = _content(path)
    beginning = next(content, b"")
    decoded = next(in_utf8(iter([beginning]), "utf-8"))
    if UNREADABLE.encode() in re.split(b"[\r\n]", decoded, maxsplit=1)[0]:
        raise undecodable(path, "line 1", "invalid bytes, or NUL", beginning)
    text = in_utf8(itertools.chain([beginning], content), "utf-8")
    header = read_header(path, text, repr(str(path)), FileFormatError)
    if not header.fits:
        raise FileFormatError(
            f"the header of {str(path)!r} has a quote that is never closed, or text after a closing quote",
            help=f"close it; a quote inside a quoted name is doubled; begin with {','.join(wanted)}",
            path=str(path),
        )
    return header


def _content(path: Path) -> Generator[bytes]:
    """Yield the bytes of a file, which may be compressed with gzip."""
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block
    except (OSError, EOFError, zlib.error) as error:
        raise FileUnreadableError(
            f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}",
            help="check the file and its permissions",
            path=str(path),
        ) from error


def _has_quotes(path: Path) -> bool:
    return any(b'"' in block for block in _content(path))


def _fault(path: Path, header: Header, *, exactly: bool) -> FileFormatError | FileUnreadableError | None:
    """Return the error for the first record of a CSV file that does not fit its header, if there is one."""
    records = Records(header, _LONGEST_RECORD, exactly=exactly)
    for _ in records.kept(below_header(header, in_utf8(_content(path), "utf-8"))):
        if records.fault is not None:
            break
    if records.fault is None:
        return None
    place, what = records.fault
    line = _line_at(path, header, header.length + place)
    if what == NO_TEXT:
        return undecodable(path, f"line {line}", "invalid bytes, or NUL")
    return FileFormatError(
        f"line {line} of {str(path)!r} {what}",
        help="give every row one cell per column, and end all lines alike; put a cell that contains a "
        "separator or a quote into quotes, without blanks around them; a quote inside is doubled",
        path=str(path),
        line=line,
    )


def _line_at(path: Path, header: Header, place: int) -> int:
    """Return the number of the line in which a place of a file in UTF-8 is."""
    line = 1
    for block in in_utf8(_content(path), "utf-8"):
        line += block[:place].count(header.ending[-1:])
        place = max(0, place - len(block))
    return line


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
    """Make a directory that only its owner can read, for rows that a query spills; none if that fails."""
    import tempfile

    with contextlib.ExitStack() as stack:
        directory = ""
        with contextlib.suppress(OSError):
            made = tempfile.TemporaryDirectory(prefix="rainbowdp-", ignore_cleanup_errors=True)
            directory = stack.enter_context(made)
        yield directory


def arrow_batches(relation: Any, rows: int) -> Any:  # noqa: ANN401 - its methods depend on the version
    """Return a reader of the rows of a relation that yields so many at a time as Arrow record batches."""
    # Asked of the class, since an attribute of a relation may be a column.
    kind = type(relation)
    read = kind.to_arrow_reader if hasattr(kind, "to_arrow_reader") else kind.fetch_arrow_reader
    return read(relation, rows)


def arrays(result: "DuckDBPyConnection") -> dict[str, NDArray[Any]]:
    """Return the columns of a result as arrays; DuckDB declares other types too, which no query makes."""
    return cast("dict[str, NDArray[Any]]", result.fetchnumpy())


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn DuckDB's errors about a file into ours, with the line of a CSV file.

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
        raise _explained(path, str(error)) from error


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _file(path: Path) -> str:
    """Return the SQL literal for one file; DuckDB would take its name for a pattern."""
    return literal(re.sub(r"[\[*?]", r"[\g<0>]", str(path)))


def _numbered(count: int) -> str:
    return ", ".join(f"c{at}" for at in range(count))


def csv_scan(path: str, header: Header, *, longest: int, headless: bool = False, skip: bool = False) -> str:
    """Return SQL for the records of a file as columns of text, ``c0``, ``c1``, ...

    Parameters
    ----------
    path : str
        The file as an SQL literal.
    header : Header
        What it says.
    longest : int
        How many bytes a record has at most. DuckDB holds many times as much in memory, which grouping needs
        as well.
    headless : bool
        Whether the file begins below the header.
    skip : bool
        Whether a record that does not fit the header is left out, instead of an error.
    """
    # In parallel DuckDB loses rows with quotes, and counts some next to empty lines twice, where its slices
    # of a file meet (2.0.1).
    columns = ", ".join(f"c{at}: 'VARCHAR'" for at in range(len(header.names)))
    line = header.ending.decode().replace("\r", "\\r").replace("\n", "\\n")
    return (
        f"read_csv({path}, header={not headless}, columns={{{columns}}}, auto_detect=false, "
        f"delim='{header.delimiter}', quote='\"', escape='\"', new_line='{line}', allow_quoted_nulls=false, "
        f"hive_partitioning=false, ignore_errors={skip}, parallel=false, "
        f"max_line_size={longest + _MORE_BYTES})"
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


def _explained(path: Path, message: str) -> FileUnreadableError | FileFormatError:
    """Return the error for a file that DuckDB refuses; what is wrong with a CSV file is looked for here."""
    if not path.name.lower().endswith((".parquet", ".pq")):
        with contextlib.suppress(FileFormatError, FileUnreadableError):
            fault = _fault(path, _header(path, ()), exactly=True)
            if fault is not None:
                return fault
    reason = message.strip().splitlines()[0].removeprefix("Invalid Input Error: ")
    return FileUnreadableError(
        f"cannot read {str(path)!r}: {reason}",
        help="check that the file is complete and is what its name says",
        path=str(path),
    )
