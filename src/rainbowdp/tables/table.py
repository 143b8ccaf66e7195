# SPDX-License-Identifier: Apache-2.0
"""Open a table by what a person names: a path, a pattern, standard input, a URL or a frame.

The kind of a source follows from its name or type, never from its content. `open_table` checks the header and
reads no row. The attributes of a `Table` are public, except `Table.source`, which reads rows.
"""

import glob
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from rainbowdp.errors import RainbowError, TableUnreadableError, UsageError, did_you_mean, readable
from rainbowdp.formats.encodings import encoding_called
from rainbowdp.formats.frictionless import read_table_description
from rainbowdp.formats.table_descriptions import PLAIN, Dialect, TableDescription
from rainbowdp.tables.arrow_tables import NAME, table_source
from rainbowdp.tables.cells import described_source
from rainbowdp.tables.database_files import duckdb_file_source, sqlite_source
from rainbowdp.tables.files import file_source
from rainbowdp.tables.frames import (
    duckdb_source,
    ibis_source,
    other_source,
    pandas_source,
    polars_source,
    spark_source,
)
from rainbowdp.tables.local_files import spooled
from rainbowdp.tables.postgres import postgres_source
from rainbowdp.tables.source import Source, check_distinct, check_known, named_in_one_form, one_form
from rainbowdp.tables.sql import SqlPlace, sql_place


@dataclass(frozen=True, repr=False)
class Table:
    """An open table; a context manager that closes it.

    Attributes
    ----------
    columns : tuple of str or None
        The names of its columns, distinct; None for JSON lines, which have no header.
    identity : str
        Public text that names the source in ledgers and receipts: an absolute path, a URL without password
        and the table, ``standard input`` or ``frame``.
    notes : tuple of str
        Public remarks about the schema.
    is_query : bool
        Whether the rows are those of a query. Its columns may be made of cells, as by ``PIVOT``, so no
        message names one that was not asked for.
    encoding : str
        How a file of text is encoded.
    encoding_said : bool
        Whether the encoding was said, and is not the usual one for want of another.
    separator : str or None
        What separates the cells of a file of text: a semicolon if it does in one of several files.
    source : Source
        The rows.
    description : TableDescription
        How it is written.
    """

    identity: str
    source: Source = field(compare=False)
    is_query: bool = False
    encoding: str = "utf-8"
    encoding_said: bool = False
    description: TableDescription = PLAIN

    @property
    def separator(self) -> str | None:
        """What separates the cells of a file of text."""
        return self.source.separator

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns; None where only rows could say them."""
        return self.source.columns

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks about what is said and not used, a missing header, and columns without readable cells."""
        found = []
        if unused := [part for part in self._said if part not in self.source.takes]:
            parts = ", ".join(unused).replace("_", " ")
            found.append(f"what is said about {parts} is not used: this table is not read by it")
        if self.columns is None:
            return (*found, _HEADLESS)
        if self.is_query:
            return tuple(found)
        found += [
            f"column {column!r} has a type without text (list, struct, duration): none of its cells counts"
            for column in self.columns
            if column in self.source.unreadable
        ]
        if self.separator is not None and self.columns[-1] == "":
            found.append(_NAMELESS_END)
        return tuple(found)

    @property
    def _said(self) -> Iterator[str]:
        """The parts of the dialect that are said, and the encoding if it is."""
        for part in fields(Dialect):
            if getattr(self.description.dialect, part.name) != part.default:
                yield part.name
        if self.encoding_said:
            yield "encoding"

    def check(self, wanted: Iterable[str]) -> None:
        """Refuse columns that the table does not have, if it has a header.

        Raises
        ------
        UnknownColumnError
            With one that is spelled nearly like it, unless the rows are those of a query.
        """
        if self.columns is not None:
            check_known(self.identity, self.columns, map(one_form, wanted), hints=not self.is_query)

    def close(self) -> None:
        """Close connections and remove temporary files."""
        self.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Table({self.identity!r})"


_HEADLESS = "JSON lines have no header: a column that no line has, misspelt perhaps, is null in all"
_NAMELESS_END = (
    "the header ends in a separator, so its last column has no name: a row without that last separator does "
    "not count, unless a description (--describe) lists the columns"
)
STANDARD_INPUT = "-"
_URL = re.compile("[A-Za-z][A-Za-z0-9+]*://|jdbc:")

_DATABASES: dict[str, Callable[[SqlPlace], Source]] = {
    "sqlite": sqlite_source,
    "duckdb": duckdb_file_source,
    "postgresql": postgres_source,
}
# By the names that narwhals gives them.
_ENGINES: dict[str, Callable[[Any], Source]] = {
    "pyarrow": table_source,
    "polars": polars_source,
    "duckdb": duckdb_source,
    "pyspark": spark_source,
    "ibis": ibis_source,
}


def open_table(
    source: object,
    *,
    table: str | None = None,
    sql: str | None = None,
    encoding: str | None = None,
    describe: object = None,
) -> Table:
    r"""Open a table: read its header, and no row.

    Parameters
    ----------
    source : str, Path or frame
        A path that ends in ``.csv``, ``.tsv``, ``.jsonl`` or ``.ndjson`` (also followed by ``.gz`` or
        ``.zst``) or ``.parquet``; a pattern of such paths; ``-`` for a CSV file on standard input; an SQL
        URL (``sqlite:///FILE``, ``duckdb:///FILE``, ``postgresql://...``); or any frame that narwhals takes.
    table, sql : str, optional
        For a URL: the table, or a query.
    encoding : str, optional
        Of a text file; by default that of the description, else UTF-8.
    describe : path or mapping, optional
        How the table is written: a Frictionless table descriptor.

    Returns
    -------
    Table

    Raises
    ------
    TableUnreadableError
        If there is no such table, it has no header, or it is damaged.
    UnknownColumnError
        If its header names a column twice.
    UsageError
        If the source, the encoding or the options make no sense.
    FileUnreadableError, FileFormatError
        If the description cannot be read, or says what cannot be done.
    MissingExtraError
        If an optional package is needed.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("votes.csv").write_text("person,vote\n1,red\n2,blue\n", encoding="utf-8")
    >>> with open_table("votes.csv") as votes:
    ...     votes.columns
    ('person', 'vote')
    """
    description = PLAIN if describe is None else read_table_description(describe)
    opened = _opened(source, table, sql, encoding, description)
    opened = replace(opened, source=named_in_one_form(opened.source))
    if description == PLAIN:
        return opened
    _require_fields(description, opened)
    return replace(opened, source=described_source(opened.source, description), description=description)


def _require_fields(description: TableDescription, table: Table) -> None:
    """Refuse a description of columns that the table lacks, where it does not allow that."""
    columns = table.columns
    if columns is None or description.match in ("superset", "partial"):
        return
    wrong = next((each.name for each in description.fields if each.name not in columns), None)
    if wrong is not None:
        raise TableUnreadableError(
            f"the description names the column {wrong!r}, which the table does not have",
            # In the rows of a query, cells can become columns.
            help=("" if table.is_query else did_you_mean(wrong, columns))
            or 'name columns as the header does, or take "fieldsMatch": "partial"',
        )


def _opened(
    source: object, table: str | None, sql: str | None, encoding: str | None, description: TableDescription
) -> Table:
    if isinstance(source, str) and _URL.match(source):
        if source.startswith("jdbc:"):
            raise UsageError(
                "a JDBC URL is for Java",
                help="write postgresql://, sqlite:/// or duckdb:///, or give a frame",
            )
        if encoding is not None:
            raise UsageError("an encoding is for text files", help="leave out --encoding")
        place = sql_place(source, table, sql)
        rows = _DATABASES[place.kind](place)
        return Table(replace(place, table=rows.table).identity, rows, is_query=sql is not None)
    if table is not None or sql is not None:
        raise UsageError("--table and --sql are for SQL URLs", help="leave them out")
    if isinstance(source, str | Path):
        said = encoding or description.encoding
        called = encoding_called(said)
        opened = _files(str(source), called, replace(description, encoding=said))
        return replace(opened, encoding=called, encoding_said=said is not None)
    if encoding is not None:
        raise UsageError("an encoding is for text files", help="leave out the encoding")
    try:
        return _frame(source)
    except (RainbowError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # noqa: BLE001 - a library's message may quote a cell; a panic of polars is not an Exception
        raise TableUnreadableError(
            "the frame cannot say which columns it has; why is left out, since it may quote a cell",
            help="look whether it can without rainbowdp, such as by frame.columns or frame.collect_schema()",
        ) from None


def _files(source: str, encoding: str, description: TableDescription) -> Table:
    if source == STANDARD_INPUT:
        with ExitStack() as stack:
            path = stack.enter_context(spooled(getattr(sys.stdin, "buffer", None)))
            rows = file_source([path], encoding, "standard input", description)
            stack.callback(rows.close)
            return Table("standard input", replace(rows, close=stack.pop_all().close))
    # What a name cannot be, or what may not be seen, is an error of the system, or of Python.
    try:
        paths = _paths(source)
        identity = str(Path(source).resolve())
    except RainbowError:
        raise
    except (OSError, ValueError, RuntimeError):
        raise TableUnreadableError(
            f"there can be no file called {readable(source)!r}, or its directory may not be read",
            help="check the name, and the permissions of its directory",
            path=source,
        ) from None
    return Table(identity, file_source(paths, encoding, repr(source), description))


def _paths(source: str) -> list[Path]:
    """Return the files that a path or a pattern names."""
    path = Path(source)
    # A file may have a name that looks like a pattern.
    if path.exists() or not glob.has_magic(source):
        if not path.is_file():
            what = "is a directory" if path.is_dir() else "does not exist, or is not a file"
            help = "name a file, or a pattern in quotes: 'survey-*.csv'"
            if path.exists() and not path.is_dir():
                help = "name a file, or write - and send the table to standard input"
            raise TableUnreadableError(f"{source!r} {what}", help=help, path=source)
        return [path.absolute()]
    # The order of rows follows from the names alone.
    paths = sorted(Path(found).absolute() for found in glob.glob(source, recursive=True))  # noqa: PTH207 - patterns may be absolute
    paths = _each_once([found for found in paths if found.is_file()])
    if not paths:
        raise TableUnreadableError(
            f"no file has a name like {source!r}", help="check the pattern and the directory", path=source
        )
    return paths


def _each_once(paths: Iterable[Path]) -> list[Path]:
    """Return the first name of each file: a link to it has the rows of the same people."""
    first: dict[object, Path] = {}
    for path in paths:
        status = path.stat()
        # Where a file system gives files no numbers, only names tell them apart.
        first.setdefault((status.st_dev, status.st_ino) if status.st_ino else path, path)
    return list(first.values())


def _frame(source: object) -> Table:
    """Return the table behind a frame, by the library that it is of."""
    import narwhals.stable.v2 as nw

    if isinstance(given := getattr(source, "column_names", None), list):
        # pyarrow's tables may name a column twice as well.
        check_distinct(NAME, given)
    if _is_pandas(source):
        return Table("frame", pandas_source(source))
    frame: Any = None
    with suppress(TypeError, ValueError):
        frame = nw.from_native(source)
    if frame is None:
        raise UsageError(
            f"a {type(source).__name__} is not a table",
            help="give a path, an SQL URL, or a frame of pandas, polars, pyarrow, DuckDB, ibis or PySpark",
        )
    kind, native = frame.implementation, frame.to_native()
    if kind.is_pandas_like():
        return Table("frame", pandas_source(frame.to_pandas()))
    rows = _ENGINES[kind.value](native) if kind.value in _ENGINES else other_source(frame)
    is_table = kind.is_duckdb() and native.type == "TABLE_RELATION"
    return Table("frame", rows, is_query=isinstance(frame, nw.LazyFrame) and not is_table)


def _is_pandas(source: object) -> bool:
    """Say whether it is a frame of pandas, or of a class made of it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)
