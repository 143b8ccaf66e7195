# SPDX-License-Identifier: Apache-2.0
"""Read CSV and Parquet tables of text, by DuckDB or by Arrow.

Every cell is text, or an integer where a Parquet column holds integers. No column type is guessed, the header
is read and judged before any row, and a row that does not fit it is an error that names its place, never a
row that is silently lost. Columns go by their position inside, since names such as ``Red`` and ``red`` are
one name to a database.

A `TextTable` is a query; nothing is read before DuckDB runs it. Arrow reads Parquet columns of text and of
integers, since opening a database takes a while. An unquoted empty CSV cell is missing (null); the quoted
``""`` is the empty text.
"""

import contextlib
import functools
import gzip
import itertools
import re
import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rainbowdp.errors import FileFormatError, FileUnreadableError, did_you_mean
from rainbowdp.formats.csv_files import NO_TEXT, Header, Records, below_header, delimiters_of, read_header
from rainbowdp.formats.encodings import UNREADABLE, in_utf8, undecodable
from rainbowdp.formats.files import Form, malformed, private_directory, unreadable

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

Database = Callable[[], "DuckDBPyConnection"]
"""What opens a database when it is first called, and returns the same one after that."""

_LONGEST_RECORD = 1 << 24
_BLOCK = 1 << 20
_ROWS = 1 << 17
# For an estimate of the rows of a CSV file: the shortest usual ones, such as "1234567,1234568".
_BYTES_PER_ROW = 12
_COMPRESSED = 4
# A mark before the first row, and a line feed after the last one.
_MORE_BYTES = 4


@dataclass(frozen=True)
class TextTable:
    """A table on the disk.

    Attributes
    ----------
    path : Path
        The file.
    names : tuple of str
        Its columns, distinct, in their order.
    scan : str
        SQL for all its rows, with the columns ``c0``, ``c1``, ....
    integers : frozenset of str
        The columns whose cells are integers; all others are read as text.
    size : int
        The number of rows, or about as many where they have to be read to be counted.
    plain : frozenset of str
        The columns of a Parquet file that Arrow reads as DuckDB does: integers and texts.
    """

    path: Path
    names: tuple[str, ...]
    scan: str
    integers: frozenset[str] = frozenset()
    size: int = 0
    plain: frozenset[str] = frozenset()

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
        raise malformed(
            self.path,
            f"has no column {name!r}",
            did_you_mean(name, self.names) or f"its columns are {shown}",
            column=name,
        )

    def query(self, *names: str, text: bool = False) -> str:
        """Return SQL for some columns, called ``v0``, ``v1``, ... in the order of the arguments.

        Parameters
        ----------
        *names : str
            The columns.
        text : bool
            Whether integers become text, too.
        """
        chosen = (
            f"{self.column(name)}{'::varchar' * (text or name not in self.integers)} as v{at}"
            for at, name in enumerate(names)
        )
        return f"select {', '.join(chosen)} from {self.scan}"  # noqa: S608 - column numbers and a quoted path only

    def batches(self, database: Database, *names: str, rows: int = _ROWS) -> "Generator[pa.RecordBatch]":
        """Yield some columns of all rows, in the order of the names, so many rows at a time.

        Raises
        ------
        FileUnreadableError, FileFormatError
            If the file cannot be read.
        """
        if self.plain.issuperset(names):
            yield from _plain_batches(self.path, names, rows)
        else:
            with (
                reading(self.path),
                contextlib.closing(arrow_batches(database().sql(self.query(*names)), rows)) as reader,
            ):
                yield from reader


def open_table(path: Path, form: Form, wanted: tuple[str, ...]) -> TextTable:
    """Read the header of a CSV or Parquet file and judge it.

    Parameters
    ----------
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
    table = _open_csv(path, wanted) if form is Form.CSV else _open_parquet(path)
    twice = next((name for at, name in enumerate(table.names) if name in table.names[:at]), None)
    if twice is not None:
        raise malformed(path, f"has two columns called {twice!r}", "rename or remove one", column=twice)
    for name in wanted:
        table.column(name)
    return table


def _open_csv(path: Path, wanted: tuple[str, ...]) -> TextTable:
    header = _header(path, wanted)
    if any(b'"' in block for block in _content(path)) and (fault := _fault(path, header, exactly=False)):
        # DuckDB drops what follows a quote that does not fit, and says nothing of it.
        raise fault
    expected = path.stat().st_size * (_COMPRESSED if path.suffix == ".gz" else 1) // _BYTES_PER_ROW
    scan = csv_scan(_file(path), header, longest=_LONGEST_RECORD)
    return TextTable(path, header.names, scan, size=expected)


def _open_parquet(path: Path) -> TextTable:
    """Read the schema of a Parquet file; DuckDB would rename ``red`` beside ``Red``."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as opened:
            schema, size = opened.schema_arrow, opened.metadata.num_rows
    except (OSError, pa.ArrowException) as error:
        raise _damaged(path, error) from error
    columns = ", ".join(f"c{at}" for at in range(len(schema.names)))
    scan = f"read_parquet({_file(path)}, hive_partitioning=false) as t({columns})"
    integers = frozenset(field.name for field in schema if pa.types.is_integer(field.type))
    texts = frozenset(field.name for field in schema if _is_text(field.type))
    return TextTable(path, tuple(schema.names), scan, integers, size, integers | texts)


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - pyarrow ships no types
    import pyarrow as pa

    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value))


def _plain_batches(path: Path, names: tuple[str, ...], rows: int) -> "Generator[pa.RecordBatch]":
    """Yield columns of integers and texts of a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        # Buffering ahead would hold the whole file in memory. After the names, texts recur.
        with parquet.ParquetFile(path, pre_buffer=False, read_dictionary=list(names[1:])) as opened:
            for batch in opened.iter_batches(rows, columns=list(names)):
                columns = [batch.column(name) for name in names]
                for name, column in zip(names, columns, strict=True):
                    # Arrow does not say by itself that bytes are no text; it counts other places than rows.
                    try:
                        column.validate(full=True)
                    except pa.ArrowException as error:
                        reason = f"the column {name!r} holds bytes that are not UTF-8 text"
                        raise unreadable(path, reason, "write its texts as UTF-8") from error
                yield pa.RecordBatch.from_arrays(columns, [f"v{at}" for at in range(len(names))])
    except (OSError, pa.ArrowException) as error:
        raise _damaged(path, error) from error


def _header(path: Path, wanted: tuple[str, ...]) -> Header:
    """Read the header of a CSV file, in which every quote must fit."""
    content = _content(path)
    beginning = next(content, b"")
    decoded = next(in_utf8(iter([beginning]), "utf-8"))
    if UNREADABLE.encode() in re.split(b"[\r\n]", decoded, maxsplit=1)[0]:
        raise undecodable(path, "line 1", "invalid bytes, or NUL", beginning)
    text = in_utf8(itertools.chain([beginning], content), "utf-8")
    header = read_header(delimiters_of(path), text, repr(str(path)), FileFormatError)
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
        raise unreadable(path, error) from error


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


@contextlib.contextmanager
def connect_if_asked() -> Iterator[Database]:
    """Give what opens a database as `connect` does, which closes it in the end."""
    with contextlib.ExitStack() as opened:
        yield functools.cache(lambda: opened.enter_context(connect()))


@contextlib.contextmanager
def connect() -> Iterator["DuckDBPyConnection"]:
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
        spills = ""
        with contextlib.suppress(OSError):
            spills = str(stack.enter_context(private_directory()))
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "temp_directory": spills,
        }
        try:
            database = stack.enter_context(contextlib.closing(duckdb.connect(":memory:", config=config)))
            # Where Python runs no file, as in ``python -c``, DuckDB would write a bar to stdout.
            database.execute("set enable_progress_bar = false")
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


def arrow_batches(relation: Any, rows: int) -> Any:  # noqa: ANN401 - its methods depend on the version
    """Return a reader of the rows of a relation that yields so many at a time as Arrow record batches."""
    # Asked of the class, since an attribute of a relation may be a column.
    kind = type(relation)
    read = kind.to_arrow_reader if hasattr(kind, "to_arrow_reader") else kind.fetch_arrow_reader
    return read(relation, rows)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn DuckDB's errors about a file into ours, with the line of a CSV file.

    Raises
    ------
    FileUnreadableError, FileFormatError
        Instead of any ``duckdb.Error``, and of what Arrow makes of one.
    """
    import duckdb
    import pyarrow as pa

    try:
        yield
    except duckdb.InterruptException:
        raise
    except (duckdb.Error, OSError, pa.ArrowException) as error:
        raise _explained(path, error) from error


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _file(path: Path) -> str:
    """Return the SQL literal for one file; DuckDB would take its name for a pattern."""
    return literal(re.sub(r"[\[*?]", r"[\g<0>]", str(path)))


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
        f"delim={literal(header.delimiter)}, quote='\"', escape='\"', new_line='{line}', "
        f"allow_quoted_nulls=false, hive_partitioning=false, ignore_errors={skip}, parallel=false, "
        f"max_line_size={longest + _MORE_BYTES})"
    )


def _explained(path: Path, error: Exception) -> FileUnreadableError | FileFormatError:
    """Return the error for a file that DuckDB refuses; what is wrong with a CSV file is looked for here."""
    if not path.name.lower().endswith((".parquet", ".pq")):
        with contextlib.suppress(FileFormatError, FileUnreadableError):
            fault = _fault(path, _header(path, ()), exactly=True)
            if fault is not None:
                return fault
    return _damaged(path, error)


def _damaged(path: Path, error: Exception) -> FileUnreadableError:
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return unreadable(path, reason, "check that the file is complete and is what its name says")
