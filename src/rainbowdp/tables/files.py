# SPDX-License-Identifier: Apache-2.0
"""Choose the reader of a table by the ending of its file name, and read ordinary CSV files by DuckDB.

DuckDB is told the columns, the separator and the line ending, and reads every cell as text, so no row makes
it fail. A valid CSV file is read in its place, through a link. Any other one (compressed, in another
encoding, with rows that cannot be read) is first copied without its invalid rows. Links and copies have names
of one kind in one temporary directory, which is removed at the end, so the rows decide about no name.
"""

import codecs
import contextlib
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rainbowdp.errors import TableUnreadableError, UnknownColumnError
from rainbowdp.formats.csv_files import (
    LARGEST_RECORD,
    Header,
    Records,
    below_header,
    delimiters_of,
    read_header,
)
from rainbowdp.formats.encodings import in_utf8
from rainbowdp.formats.files import private_directory
from rainbowdp.formats.table_descriptions import PLAIN, TableDescription
from rainbowdp.formats.text_tables import arrow_batches, connect, csv_scan, literal
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.arrow_tables import parquet_source
from rainbowdp.tables.database_files import MEMORY
from rainbowdp.tables.local_files import blocks, check_room, form_of, is_compressed, linked
from rainbowdp.tables.source import (
    BATCH,
    Batch,
    Progress,
    Source,
    check_alike,
    check_distinct,
    fetched,
    part_of,
)
from rainbowdp.tables.text_rows import OF_CSV, dialect_source, json_lines_source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SECONDS_BETWEEN_REPORTS = 0.2


def file_source(
    paths: Sequence[Path], encoding: str, name: str, description: TableDescription = PLAIN
) -> Source:
    """Return the rows of files of one form, which their names say.

    Parameters
    ----------
    paths : sequence of Path
        At least one; all have the same columns.
    encoding : str
        From `rainbowdp.formats.encodings.encoding_called`; Parquet has its own.
    name : str
        How messages call them.
    description : TableDescription
        How they are written; what it says about cells is for `rainbowdp.tables.cells`.

    Raises
    ------
    TableUnreadableError
        If a file cannot be read, has no known form or no header, or the files do not fit each other.
    UnknownColumnError
        If a column is named twice.
    """
    forms = sorted({form_of(path) for path in paths})
    if len(forms) > 1:
        raise TableUnreadableError(
            f"{name} are files of different forms: {', '.join(forms)}", help="name files of one form"
        )
    if forms == ["Parquet"]:
        return parquet_source(paths, name)
    if forms[0] in ("spreadsheet", "statistics"):
        from rainbowdp.tables.spreadsheets import spreadsheet_source, statistics_source

        if len(paths) > 1:
            raise TableUnreadableError(f"{name} are several files of this form", help="name one file")
        if forms == ["spreadsheet"]:
            return spreadsheet_source(paths[0], name, description.dialect)
        return statistics_source(paths[0], name, encoding if description.encoding else None)
    if forms == ["JSON lines"]:
        return json_lines_source(paths, encoding, name)
    if description.is_rewritten and not _are_ordinary(paths, encoding, description):
        return dialect_source(paths, encoding, name, description)
    files = _CsvFiles(paths, encoding, name, description.dialect.delimiter)
    return Source(
        name,
        files.headers[0].names,
        files.query,
        separator=max((header.delimiter for header in files.headers), key=";".__eq__),
        takes=OF_CSV,
        left_out=files.left_out,
        close=files.close,
    )


def _are_ordinary(paths: Sequence[Path], encoding: str, description: TableDescription) -> bool:
    """Tell whether a description says nothing but the names that ordinary files give their columns."""
    if description.names is None or not description.dialect.is_usual:
        return False
    with contextlib.suppress(TableUnreadableError, UnknownColumnError):
        headers = (_header_of(path, encoding, "", description.dialect.delimiter) for path in paths)
        return all(header.names == description.names for header in headers)
    return False


def _header_of(path: Path, encoding: str, called: str, delimiter: str | None) -> Header:
    with contextlib.closing(blocks(path)) as content:
        delimiters = delimiters_of(path) if delimiter is None else (delimiter,)
        header = read_header(delimiters, in_utf8(content, encoding), called, TableUnreadableError)
    names = tuple(name.strip() for name in header.names)
    check_distinct(called, names)
    return replace(header, names=names)


class _CsvFiles:
    """CSV files, of which the headers have been read."""

    def __init__(self, paths: Sequence[Path], encoding: str, name: str, delimiter: str | None) -> None:
        self._paths = paths
        self._encoding = encoding
        self._name = name
        # Each file as SQL, once it has been looked through.
        self._scans: list[str] = []
        check_room()
        with contextlib.ExitStack() as closing:
            self._database = closing.enter_context(connect())
            self._database.execute(f"set memory_limit = '{MEMORY}'")
            self.headers = [
                _header_of(path, encoding, name if len(paths) == 1 else repr(str(path)), delimiter)
                for path in paths
            ]
            check_alike(paths, [header.names for header in self.headers])
            self._closing = closing.pop_all()
            self.close = self._closing.close

    def query(self, columns: Sequence[str], counted: bool, progress: Progress | None) -> Iterator[Batch]:
        """Yield batches of cells, in the order of the files, or of distinct cells with numbers of rows."""
        told = _rising(progress)
        cells = ", ".join(f"v{at}" for at in range(len(columns)))
        rows = self._rows(columns, told)
        with _reported(self._database, told if progress else None):
            if counted:
                # Without Arrow, which takes longer to load than most files to count.
                result = self._database.execute(f"select {cells}, count(*) from ({rows}) group by {cells}")  # noqa: S608 - numbers and quoted paths
                yield from fetched(result)
            else:
                # DuckDB reads a whole result into memory before it gives single rows, but not before Arrow's.
                for batch in arrow_batches(self._database.sql(rows), BATCH):
                    yield [column.to_pylist() for column in batch.columns]

    def left_out(self) -> Counter[str]:
        """Count the records that `query` leaves out, by what is wrong with them."""
        found: Counter[str] = Counter()
        for path, header in zip(self._paths, self.headers, strict=True):
            with contextlib.closing(blocks(path)) as content:
                records = Records(header, exactly=True)
                deque(records.kept(below_header(header, in_utf8(content, self._encoding))), maxlen=0)
                found += records.left_out
        return found

    def _rows(self, columns: Sequence[str], told: Progress) -> str:
        """Return the rows of all files as SQL.

        The files are looked through once.
        """
        if not self._scans:
            # Looking through the files fills the first half of the progress, counting the second.
            first = part_of(told, 0, 2)
            self._scans = [
                self._scan(path, header, part_of(first, at, len(self._paths)))
                for at, (path, header) in enumerate(zip(self._paths, self.headers, strict=True))
            ]
        parts = []
        for header, scan in zip(self.headers, self._scans, strict=True):
            cells = ", ".join(_bounded(header.names.index(name), to) for to, name in enumerate(columns))
            parts.append(f"select {cells} from {scan}")  # noqa: S608 - numbers and a quoted path
        return " union all ".join(parts)

    def _scan(self, path: Path, header: Header, told: Progress | None) -> str:
        """Return the records of a file as SQL: where it is if all of them fit, else of a clean copy."""
        if (link := self._link(path, header)) is not None:
            records = Records(header)
            with contextlib.closing(blocks(path, told)) as content:
                for _ in records.kept(below_header(header, in_utf8(content, self._encoding))):
                    if records.changed:
                        break
            if not records.changed:
                longest = max(LARGEST_RECORD, header.length)
                return csv_scan(literal(str(link)), header, longest=longest, skip=True)
        with contextlib.closing(blocks(path, told)) as content:
            text = in_utf8(content, self._encoding)
            copy = self._copied(Records(header).kept(below_header(header, text)))
        copied = replace(header, ending=b"\n")
        return csv_scan(literal(str(copy)), copied, longest=LARGEST_RECORD, headless=True, skip=True)

    @cached_property
    def _room(self) -> Path:
        """The directory of all links and copies."""
        room = self._closing.enter_context(private_directory())
        check_room(room)
        return room

    def _link(self, path: Path, header: Header) -> Path | None:
        """Return a plain name for a file that may be read where it is; None where it has to be copied."""
        readable = self._encoding == "utf-8" and header.plain and header.ending != b"\r"
        with contextlib.suppress(OSError):
            if readable and not is_compressed(path):
                link = Path(tempfile.mkdtemp(dir=self._room)) / "table.csv"
                return link if linked(path, link) else None
        return None

    def _copied(self, content: Iterable[bytes]) -> Path:
        try:
            target = Path(tempfile.mkdtemp(dir=self._room)) / "table.csv"
            with target.open("wb") as file:
                # DuckDB removes one byte order mark; without this one, the first cell could lose its own.
                file.write(codecs.BOM_UTF8)
                file.writelines(content)
        except OSError:
            raise TableUnreadableError(
                f"there is no room for a temporary copy of {self._name}",
                help="make room in the directory for temporary files, or name another one with TMPDIR",
            ) from None
        return target


def _rising(progress: Progress | None) -> Progress:
    """Return a progress that never falls: a file with an invalid row is read again from the start."""
    most = 0.0

    def told(share: float) -> None:
        nonlocal most
        most = max(most, share)
        if progress is not None:
            progress(most)

    return told


def _bounded(column: int, to: int) -> str:
    """Return SQL for the cells of a column, where NUL stands for one that is too long to be read."""
    return f"case when strlen(c{column}) > {LARGEST_CELL} then chr(0) else c{column} end as v{to}"


@contextlib.contextmanager
def _reported(database: "DuckDBPyConnection", progress: Progress | None) -> Iterator[None]:
    """Tell how far the query is while the block runs; another thread asks, since this one waits for it."""
    if progress is None:
        yield
        return
    done = threading.Event()

    def report() -> None:
        while not done.wait(_SECONDS_BETWEEN_REPORTS):
            try:
                percent = database.query_progress()
            except Exception:  # noqa: BLE001 - the connection is closed, and there is nothing left to report
                return
            if percent > 0:
                progress(0.5 + min(1.0, percent / 100) / 2)

    thread = threading.Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    progress(1.0)
