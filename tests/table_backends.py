# SPDX-License-Identifier: Apache-2.0
"""One table of people, written to everything that a table can be read from.

`PEOPLE` is small enough to be read and has every cell that has ever made trouble, followed by some random
rows. `BACKENDS` says how to write it to each kind of source: every entry makes a source and the options to
open it with.
"""

import contextlib
import csv
import gzip
import io
import json
import random
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from postgres_server import fresh_database
from spark_session import spark

COLUMNS = ("person", "vote", "flag", "score", "ward")
Row = tuple[int | None, str | None, bool | None, float | None, str | None]
Opened = tuple[object, dict[str, Any]]

NASTY: tuple[Row, ...] = (
    (1, "red", True, 1.0, "01"),
    (1, " red ", True, 1.0, "1"),
    (1, "Red", False, 2.5, "01"),
    (2, "blue, dark", True, 2.0, "01"),
    (2, 'the "best"', None, None, "01"),
    (3, "größer", False, 0.1, None),
    (3, "01", True, 1e300, "1"),
    (3, "1", True, 1.0, "1"),
    (4, None, True, 1.0, "01"),
    (4, "", True, 1.0, "01"),
    (5, "two\nlines", False, -0.0, "N"),
    (None, "red", True, 1.0, "01"),
    (6, "true", None, 3.0, "N"),
    (6, "null", None, 3.0, "N"),
    (6, "NA", False, 3.0, "N"),
)


def people(count: int = 300) -> list[Row]:
    """Return the nasty rows and some random ones."""
    generator = random.Random(20)
    votes = ["red", "blue, dark", "größer", None, "01", "green"]
    rows: list[Row] = list(NASTY)
    rows.extend(
        (
            generator.randrange(10, 70),
            generator.choice(votes),
            generator.choice([True, False, None]),
            generator.choice([1.0, 2.5, None]),
            generator.choice(["01", "1", "N"]),
        )
        for _ in range(count)
    )
    return rows


PEOPLE = people()


def typed(cell: object) -> str:
    """Return a cell as a person types it."""
    match cell:
        case None:
            return ""
        case bool():
            return str(cell).lower()
        case float() if cell.is_integer() and abs(cell) < 2**53:
            return str(int(cell))
        case _:
            return str(cell)


def csv_text(rows: Sequence[Row], delimiter: str = ",", ending: str = "\n") -> str:
    """Return rows as CSV with a header."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=ending)
    writer.writerow(COLUMNS)
    writer.writerows([typed(cell) for cell in row] for row in rows)
    return text.getvalue()


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@contextlib.contextmanager
def csv_file(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write CSV."""
    yield str(_written(directory / "people.csv", csv_text(rows).encode())), {}


@contextlib.contextmanager
def windows_csv(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write CSV as Windows does: byte order mark, semicolons, CR LF."""
    content = b"\xef\xbb\xbf" + csv_text(rows, ";", "\r\n").encode()
    yield _written(directory / "people.csv", content), {}


@contextlib.contextmanager
def latin_csv(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write CSV in Latin-1."""
    yield _written(directory / "people.csv", csv_text(rows).encode("latin-1")), {"encoding": "latin-1"}


@contextlib.contextmanager
def wide_csv(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write CSV in UTF-16."""
    yield _written(directory / "people.csv", csv_text(rows).encode("utf-16")), {"encoding": "utf-16"}


@contextlib.contextmanager
def gzip_csv(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write compressed CSV."""
    yield _written(directory / "people.csv.gz", gzip.compress(csv_text(rows).encode())), {}


@contextlib.contextmanager
def tsv_file(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write TSV."""
    yield _written(directory / "people.tsv", csv_text(rows, "\t").encode()), {}


def json_text(rows: Sequence[Row]) -> str:
    """Return rows as JSON lines."""
    return "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows)


@contextlib.contextmanager
def json_lines(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write JSON lines."""
    yield _written(directory / "people.jsonl", json_text(rows).encode()), {}


@contextlib.contextmanager
def zstandard_json_lines(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write compressed JSON lines."""
    import pyarrow as pa

    path = directory / "people.ndjson.zst"
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(json_text(rows).encode())
    yield path, {}


def arrow(rows: Sequence[Row]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return rows as a pyarrow table."""
    import pyarrow as pa

    types = [pa.int64(), pa.string(), pa.bool_(), pa.float64(), pa.string()]
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    return pa.table(
        {
            name: pa.array(list(cells), type=kind)
            for name, cells, kind in zip(COLUMNS, columns, types, strict=True)
        }
    )


@contextlib.contextmanager
def parquet(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write Parquet with native types."""
    import pyarrow.parquet as pq

    pq.write_table(arrow(rows), directory / "people.parquet")
    yield directory / "people.parquet", {}


@contextlib.contextmanager
def text_parquet(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write Parquet with nothing but text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells = [[None if cell is None else typed(cell) for cell in row] for row in rows]
    columns = dict(zip(COLUMNS, map(list, zip(*cells, strict=True)), strict=True))
    pq.write_table(pa.table(columns), directory / "people.parquet")
    yield directory / "people.parquet", {}


@contextlib.contextmanager
def several_files(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write three CSV files."""
    third = len(rows) // 3
    for at, part in enumerate((rows[:third], rows[third : 2 * third], rows[2 * third :])):
        _written(directory / f"people-{at}.csv", csv_text(part).encode())
    yield f"{directory}/people-*.csv", {}


@contextlib.contextmanager
def sqlite(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write an SQLite table."""
    path = directory / "people.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "create table people (person integer, vote text, flag boolean, score real, ward text)"
        )
        connection.executemany("insert into people values (?, ?, ?, ?, ?)", rows)
        connection.commit()
    yield f"sqlite:///{path}", {"table": "people"}


@contextlib.contextmanager
def duckdb_file(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write a DuckDB file."""
    import duckdb

    path = directory / "people.duckdb"
    with contextlib.closing(duckdb.connect(str(path))) as connection:
        table = arrow(rows)
        connection.register("given", table)
        connection.execute("create table people as select * from given")
    yield f"duckdb:///{path}", {"sql": "select * from people"}


@contextlib.contextmanager
def postgres(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Write a PostgreSQL table."""
    del directory
    import psycopg

    url = fresh_database()
    with psycopg.connect(url) as connection:
        connection.execute(
            "create table people (person integer, vote text, flag boolean, score double precision, ward text)"
        )
        with connection.cursor() as cursor:
            cursor.executemany("insert into people values (%s, %s, %s, %s, %s)", rows)
    yield url, {"table": "people"}


@contextlib.contextmanager
def pandas(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a pandas frame in which NaN makes floats of integers."""
    del directory
    yield arrow(rows).to_pandas(), {}


@contextlib.contextmanager
def pandas_objects(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a pandas frame of Python objects."""
    del directory
    import pandas as pd

    yield pd.DataFrame(list(rows), columns=list(COLUMNS), dtype=object), {}


@contextlib.contextmanager
def pandas_categories(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a pandas frame with categories and nullable types."""
    del directory
    frame = arrow(rows).to_pandas()
    kinds = {"vote": "category", "ward": "category", "person": "Int64", "flag": "boolean", "score": "Float64"}
    yield frame.astype(kinds), {}


@contextlib.contextmanager
def polars(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a polars frame."""
    del directory
    import polars as pl

    yield pl.from_arrow(arrow(rows)), {}


@contextlib.contextmanager
def polars_lazy(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a lazy polars frame with a categorical column."""
    del directory
    import polars as pl

    frame = pl.DataFrame(arrow(rows))
    yield frame.lazy().with_columns(pl.col("vote").cast(pl.Categorical)), {}


@contextlib.contextmanager
def pyarrow(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a pyarrow table."""
    del directory
    yield arrow(rows), {}


@contextlib.contextmanager
def duckdb_relation(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a DuckDB relation."""
    del directory
    import duckdb

    with contextlib.closing(duckdb.connect()) as connection:
        yield connection.from_arrow(arrow(rows)), {}


@contextlib.contextmanager
def ibis_table(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make an ibis table."""
    del directory
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ibis  # type: ignore[import-untyped]  # it ships no types

        yield ibis.duckdb.connect().create_table("people", arrow(rows)), {}


@contextlib.contextmanager
def pyspark(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a Spark frame."""
    del directory
    schema = "person int, vote string, flag boolean, score double, ward string"
    yield spark().createDataFrame(list(rows), schema), {}


Backend = Callable[[Sequence[Row], Path], contextlib.AbstractContextManager[Opened]]
ORDERED: tuple[Backend, ...] = (
    csv_file,
    windows_csv,
    latin_csv,
    wide_csv,
    gzip_csv,
    tsv_file,
    json_lines,
    zstandard_json_lines,
    parquet,
    text_parquet,
    several_files,
    pandas,
    pandas_objects,
    pandas_categories,
    polars,
    polars_lazy,
    pyarrow,
)
UNORDERED: tuple[Backend, ...] = (sqlite, duckdb_file, postgres, duckdb_relation, ibis_table, pyspark)
BACKENDS = ORDERED + UNORDERED
# Here nothing but the rows could say which columns there are.
HEADLESS: tuple[Backend, ...] = (json_lines, zstandard_json_lines)
