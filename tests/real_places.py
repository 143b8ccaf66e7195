# SPDX-License-Identifier: Apache-2.0
"""One CSV file of real people at every place where a table can be: files, databases and frames.

`RealTable` writes a file to a place when a test first asks for it, opens it once, and keeps the rows of the
file as Python's own `csv` reads them. `ORDERED` names the places that keep the order of the rows.
"""

import contextlib
import csv
import gzip
import json
import sqlite3
import warnings
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from rainbowdp.tables import Table, open_table
from real_data import Place, fill_table, typed_table
from spark_session import spark

Known = TypeVar("Known")
Writer = Callable[["RealTable"], Place]


class RealTable:
    """A table of a CSV file in UTF-8, at any of `PLACES`.

    Parameters
    ----------
    path : Path
        The file, in a directory of its own.
    types : mapping of str to str
        Every column, in order, with its type at places that have types: ``text``, ``integer`` or ``number``.
    stack : ExitStack
        Closes what has to be closed.
    """

    def __init__(self, path: Path, types: Mapping[str, str], stack: contextlib.ExitStack) -> None:
        self.path = path
        self.types = types
        self.stack = stack
        self._opened: dict[str, Table] = {}
        self._known: dict[Hashable, Any] = {}

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The rows as text."""
        with self.path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    @cached_property
    def typed(self) -> Any:  # noqa: ANN401 - pyarrow has no types
        """The rows as a pyarrow table; an empty cell is a null."""
        return typed_table(self.path, self.types)

    @cached_property
    def json_text(self) -> str:
        """The typed rows as JSON lines."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.typed.to_pylist())

    def beside(self, name: str) -> Path:
        """Return a path for another form of the file."""
        return self.path.with_name(name)

    def once(self, what: Hashable, count: Callable[[], Known]) -> Known:
        """Return what a function counts, which is called for the first place and not for the others."""
        if what not in self._known:
            self._known[what] = count()
        known: Known = self._known[what]
        return known

    def at(self, place: str) -> Table:
        """Return the table at a place, open."""
        if place not in self._opened:
            found = PLACES[place](self)
            self._opened[place] = self.stack.enter_context(open_table(found.source, **found.options))
        return self._opened[place]


def _csv(table: RealTable) -> Place:
    return Place(str(table.path), {})


def _tsv(table: RealTable) -> Place:
    path = table.beside("people.tsv")
    with (
        table.path.open(encoding="utf-8-sig", newline="") as source,
        path.open("w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file, delimiter="\t", lineterminator="\r\n").writerows(csv.reader(source))
    return Place(str(path), {})


def _json_lines(table: RealTable) -> Place:
    path = table.beside("people.jsonl")
    path.write_text(table.json_text, encoding="utf-8")
    return Place(path, {})


def _parquet(table: RealTable) -> Place:
    import pyarrow.parquet as pq

    path = table.beside("people.parquet")
    pq.write_table(table.typed, path)
    return Place(path, {})


def _gzip_csv(table: RealTable) -> Place:
    path = table.beside("compressed.csv.gz")
    path.write_bytes(gzip.compress(table.path.read_bytes(), compresslevel=1))
    return Place(str(path), {})


def _zstandard_json_lines(table: RealTable) -> Place:
    import pyarrow as pa

    path = table.beside("compressed.ndjson.zst")
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(table.json_text.encode())
    return Place(str(path), {})


def _several_files(table: RealTable) -> Place:
    with table.path.open("rb") as file:
        header, *lines = file
    third = -(-len(lines) // 3)
    for number, start in enumerate(range(0, len(lines), third)):
        part = lines[start : start + third]
        table.beside(f"part-{number}.csv").write_bytes(header + b"".join(part))
    return Place(str(table.beside("part-?.csv")), {})


def _sqlite(table: RealTable) -> Place:
    path = table.beside("people.db")
    kinds = {"text": "text", "integer": "integer", "number": "real"}
    columns = ", ".join(f'"{name}" {kinds[kind]}' for name, kind in table.types.items())
    marks = ", ".join("?" * len(table.types))
    cells = [column.to_pylist() for column in table.typed.columns]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"create table people ({columns})")
        connection.executemany(f"insert into people values ({marks})", zip(*cells, strict=True))  # noqa: S608 - question marks
        connection.commit()
    return Place(f"sqlite:///{path}", {"table": "people"})


def _postgresql(table: RealTable) -> Place:
    return Place(fill_table(table.path, table.types), {"table": "people"})


def _duckdb_file(table: RealTable) -> Place:
    import duckdb

    path = table.beside("people.duckdb")
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        connection.register("given", table.typed)
        connection.execute("create table people as select * from given")
    return Place(f"duckdb:///{path}", {"sql": "select * from people"})


def _pandas(table: RealTable) -> Place:
    return Place(table.typed.to_pandas(), {})


def _polars(table: RealTable) -> Place:
    import polars as pl

    return Place(pl.from_arrow(table.typed), {})


def _polars_lazy(table: RealTable) -> Place:
    import polars as pl

    return Place(pl.DataFrame(table.typed).lazy(), {})


def _pyarrow(table: RealTable) -> Place:
    return Place(table.typed, {})


def _duckdb(table: RealTable) -> Place:
    import duckdb

    connection = table.stack.enter_context(contextlib.closing(duckdb.connect()))
    return Place(connection.from_arrow(table.typed), {})


def _ibis(table: RealTable) -> Place:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ibis  # type: ignore[import-untyped]  # it ships no types

        return Place(ibis.duckdb.connect().create_table("people", table.typed), {})


def _pyspark(table: RealTable) -> Place:
    return Place(spark().read.parquet(str(_parquet(table).source)), {})


_IN_ORDER: dict[str, Writer] = {
    "csv": _csv,
    "tsv": _tsv,
    "json lines": _json_lines,
    "parquet": _parquet,
    "gzip csv": _gzip_csv,
    "zstandard json lines": _zstandard_json_lines,
    "several files": _several_files,
    "pandas": _pandas,
    "polars": _polars,
    "lazy polars": _polars_lazy,
    "pyarrow": _pyarrow,
}
_IN_NO_ORDER: dict[str, Writer] = {
    "sqlite": _sqlite,
    "postgresql": _postgresql,
    "duckdb file": _duckdb_file,
    "duckdb": _duckdb,
    "ibis": _ibis,
    "pyspark": _pyspark,
}
PLACES: dict[str, Writer] = _IN_ORDER | _IN_NO_ORDER
ORDERED = tuple(_IN_ORDER)
