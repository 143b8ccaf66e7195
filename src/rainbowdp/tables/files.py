# SPDX-License-Identifier: Apache-2.0
"""Tables in text files: CSV and JSON lines, one file or several alike, read by DuckDB.

DuckDB is told everything (columns, separator, line ending), every cell of a text file is text, and what it
reads cannot make it fail. A CSV file that is in order is read where it is, through a link. From
any other (compressed, of another encoding, with rows that cannot be read) a clean copy is made first. Links
and copies are in one temporary directory, which is removed in all cases, so that DuckDB sees names of the
same kind whatever the rows are.
"""

import codecs
import contextlib
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rainbowdp.errors import TableUnreadableError
from rainbowdp.formats.csv_files import LARGEST_RECORD, Header, Records, below_header, dialect_of, read_header
from rainbowdp.formats.encodings import in_utf8
from rainbowdp.formats.tables import connect, csv_scan, literal
from rainbowdp.questions.cells import LARGEST_CELL
from rainbowdp.tables.arrow_tables import ArrowSource, parquet_source
from rainbowdp.tables.database_files import MEMORY
from rainbowdp.tables.frames import relation_tables
from rainbowdp.tables.json_lines import records_of
from rainbowdp.tables.local_files import blocks, check_room, is_compressed, linked
from rainbowdp.tables.source import BATCH, Cells, Progress, check_alike, check_distinct, guarded

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_JSON = re.compile(r"\.(jsonl|ndjson)(\.gz|\.zst)?\Z")
_PARQUET = re.compile(r"\.(parquet|pq)\Z")
_CSV = re.compile(r"\.(csv|tsv|tab|txt)(\.gz|\.zst)?\Z")
ENDINGS = ".csv, .tsv, .tab, .txt, .jsonl, .ndjson (also with .gz or .zst), .parquet"
_SECONDS_BETWEEN_REPORTS = 0.2


class FileSource:
    """The rows of one or several text files of one form.

    Parameters
    ----------
    paths : sequence of Path
        At least one; all have the same columns.
    encoding : str
        From `rainbowdp.formats.encodings.encoding_called`.
    name : str
        How messages call them.

    Raises
    ------
    TableUnreadableError
        If a file cannot be read, has no known form or no header, or the files do not fit each other.
    UnknownColumnError
        If a column is named twice.
    """

    ordered = True
    unreadable: tuple[str, ...] = ()

    def __init__(self, paths: Sequence[Path], encoding: str, name: str) -> None:
        self._paths = tuple(paths)
        self._encoding = encoding
        self._name = name
        self._closing = contextlib.ExitStack()
        # Each file as SQL, by the columns that they have.
        self._scans: dict[tuple[str, ...], list[str]] = {}
        self._room: Path | None = None
        check_room()
        try:
            self._database = self._closing.enter_context(connect())
            self._database.execute(f"set memory_limit = '{MEMORY}'")
            self._lines = _form(self._paths[0]) == "JSON lines"
            self._headers = [] if self._lines else [self._header_of(path) for path in self._paths]
            check_alike(self._paths, [header.names for header in self._headers] or [()] * len(paths))
        except BaseException:
            self._closing.close()
            raise

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns; JSON lines have no header that could say them."""
        return None if self._lines else self._headers[0].names

    @property
    def separator(self) -> str | None:
        """What stands between cells, a semicolon if it does in one of the files."""
        return max((header.delimiter for header in self._headers), key=";".__eq__, default=None)

    def counted(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells with the number of rows that hold them."""
        query = "select {cells}, count(*) from ({rows}) group by {cells}"
        yield from self._fetched(query, columns, progress, self._grouped)

    def rows(self, columns: Sequence[str], progress: Progress | None = None) -> Iterator[list[Cells]]:
        """Yield batches of cells, row by row, in the order of the file."""
        yield from self._fetched("select {cells} from ({rows})", columns, progress, self._listed)

    def close(self) -> None:
        """Close the database and remove the copies."""
        self._closing.close()

    def _header_of(self, path: Path) -> Header:
        called = self._name if len(self._paths) == 1 else repr(str(path))
        with contextlib.closing(blocks(path)) as content:
            text = in_utf8(content, self._encoding)
            header = read_header(dialect_of(path), text, called, TableUnreadableError)
        names = tuple(name.strip() for name in header.names)
        check_distinct(called, names)
        return replace(header, names=names)

    def _fetched(
        self,
        query: str,
        columns: Sequence[str],
        progress: Progress | None,
        run: Callable[[str], Iterator[list[Cells]]],
    ) -> Iterator[list[Cells]]:
        told = _rising(progress)

        def batches() -> Iterator[list[Cells]]:
            cells, rows = self._opened(columns, told)
            with _reported(self._database, told):
                yield from run(query.format(cells=cells, rows=rows))

        yield from guarded(self._name, batches)

    def _grouped(self, query: str) -> Iterator[list[Cells]]:
        # Without Arrow, which takes longer to load than most files to count.
        result = self._database.execute(query)
        while batch := result.fetchmany(BATCH):
            yield batch

    def _listed(self, query: str) -> Iterator[list[Cells]]:
        # DuckDB reads a whole result into memory before it gives single rows, but not before Arrow's batches.
        for part in relation_tables(self._database.sql(query)):
            yield list(zip(*(column.to_pylist() for column in part.columns), strict=True))

    def _opened(self, columns: Sequence[str], progress: Progress | None) -> tuple[str, str]:
        """Return the columns and the rows of all files as SQL.

        The files are looked through once, JSON lines once for each choice of columns.
        """
        names = self.columns or tuple(columns)
        if names not in self._scans:
            scans = []
            for at in range(len(self._paths)):
                share = _part_of(progress, at, len(self._paths))
                scans.append(self._lines_scan(at, names, share) if self._lines else self._csv_scan(at, share))
            self._scans[names] = scans
        parts = []
        for own, scan in zip(self._names_in_files(names), self._scans[names], strict=True):
            cells = ", ".join(_bounded(own.index(column), to) for to, column in enumerate(columns))
            parts.append(f"select {cells} from {scan}")  # noqa: S608 - numbers and a quoted path
        return ", ".join(f"v{at}" for at in range(len(columns))), " union all ".join(parts)

    def _names_in_files(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [names] * len(self._paths) if self._lines else [header.names for header in self._headers]

    def _lines_scan(self, at: int, names: Sequence[str], progress: Progress | None) -> str:
        content = in_utf8(blocks(self._paths[at], progress), self._encoding)
        copy = self._copied(records_of(content, names))
        longest = max(LARGEST_RECORD, len(names) * (2 * LARGEST_CELL + 3))
        header = Header(tuple(names), ",", b"\n", length=0, fits=True, plain=True)
        return csv_scan(literal(str(copy)), header, longest=longest, headless=True, skip=True)

    def _csv_scan(self, at: int, progress: Progress | None) -> str:
        path, header = self._paths[at], self._headers[at]
        records = Records(header)
        link = self._link(at)
        in_place = self._encoding == "utf-8" and header.plain and header.ending != b"\r"
        if link is not None and in_place and not is_compressed(path):
            with contextlib.closing(self._after_header(path, header, progress)) as content:
                for _ in records.kept(content):
                    if records.changed:
                        break
            if not records.changed:
                longest = max(LARGEST_RECORD, header.length)
                return csv_scan(literal(str(link)), header, longest=longest, skip=True)
        with contextlib.closing(self._after_header(path, header, progress)) as content:
            copy = self._copied(Records(header).kept(content))
        copied = replace(header, ending=b"\n")
        return csv_scan(literal(str(copy)), copied, longest=LARGEST_RECORD, headless=True, skip=True)

    def _after_header(self, path: Path, header: Header, progress: Progress | None) -> Generator[bytes]:
        yield from below_header(header, in_utf8(blocks(path, progress), self._encoding))

    def _temporary(self) -> Path:
        """Make the directory of all links and copies, once."""
        if self._room is None:
            room = Path(tempfile.mkdtemp(prefix="rainbowdp-"))
            self._closing.callback(shutil.rmtree, room, ignore_errors=True)
            check_room(room)
            self._room = room
        return self._room

    def _link(self, at: int) -> Path | None:
        """Return a plain name for a file; None where there are no links, and a copy is always read."""
        link = None
        with contextlib.suppress(OSError):
            link = Path(tempfile.mkdtemp(dir=self._temporary())) / "table.csv"
        return link if link is not None and linked(self._paths[at], link) else None

    def _copied(self, content: Iterator[bytes]) -> Path:
        try:
            target = Path(tempfile.mkdtemp(dir=self._temporary())) / "table.csv"
            with target.open("wb") as file:
                # DuckDB removes one byte order mark; without this one, the first cell could lose its own.
                file.write(codecs.BOM_UTF8)
                for block in content:
                    file.write(block)
        except OSError:
            raise TableUnreadableError(
                f"there is no room for a temporary copy of {self._name}",
                help="make room in the directory for temporary files, or name another one with TMPDIR",
            ) from None
        return target


def file_source(paths: Sequence[Path], encoding: str, name: str) -> FileSource | ArrowSource:
    """Return the rows of files, by the form that their names say.

    Parameters
    ----------
    paths, encoding, name
        As for `FileSource`; Parquet has its own encoding.

    Raises
    ------
    TableUnreadableError, UnknownColumnError, MissingExtraError
        As `FileSource` and `rainbowdp.tables.arrow_tables.parquet_source`.
    """
    if _common_form(paths, name) == "Parquet":
        return parquet_source(paths, name)
    return FileSource(paths, encoding, name)


def _common_form(paths: Sequence[Path], name: str) -> str:
    forms = sorted({_form(path) for path in paths})
    if len(forms) > 1:
        raise TableUnreadableError(
            f"{name} are files of different forms: {', '.join(forms)}", help="name files of one form"
        )
    return forms[0]


def _form(path: Path) -> str:
    name = path.name.lower()
    for pattern, form in ((_CSV, "CSV"), (_JSON, "JSON lines"), (_PARQUET, "Parquet")):
        if pattern.search(name):
            return form
    raise TableUnreadableError(
        f"the name {path.name!r} does not say in which form the table is written",
        help=f"use a file whose name ends in one of {ENDINGS}; export others, such as spreadsheets, as CSV",
        path=str(path),
    )


def _rising(progress: Progress | None) -> Progress | None:
    """Return a progress that never falls, since it would where a file with an odd row is read again."""
    if progress is None:
        return None
    most = 0.0

    def told(share: float) -> None:
        nonlocal most
        most = max(most, share)
        progress(most)

    return told


def _part_of(progress: Progress | None, at: int, files: int) -> Progress | None:
    """Return a progress that fills the first half, file after file; counting fills the second."""
    if progress is None:
        return None
    return lambda share: progress((at + share) / files / 2)


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
