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
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from arrow_places import PLACES
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


def arrow(rows: Sequence[Row]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return rows as a pyarrow table."""
    import pyarrow as pa

    types = [pa.int64(), pa.string(), pa.bool_(), pa.float64(), pa.string()]
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    cells = zip(COLUMNS, columns, types, strict=True)
    return pa.table({name: pa.array(list(column), type=kind) for name, column, kind in cells})


def json_text(rows: Sequence[Row]) -> str:
    """Return rows as JSON lines."""
    return "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows)


Backend = Callable[[Sequence[Row], Path], contextlib.AbstractContextManager[Opened]]


def _made(name: str, make: Callable[[Sequence[Row], Path], object], **options: str) -> Backend:
    """Return what makes a source, perhaps in a directory, that is opened with some options."""

    @contextlib.contextmanager
    def backend(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
        yield make(rows, directory), options

    backend.__name__ = name
    return backend


def _file(name: str, ending: str, content: Callable[[Sequence[Row]], bytes], **options: str) -> Backend:
    """Return what writes a file."""

    def written(rows: Sequence[Row], directory: Path) -> Path:
        path = directory / f"people{ending}"
        path.write_bytes(content(rows))
        return path

    return _made(name, written, **options)


def _frame(name: str, make: Callable[[Sequence[Row]], object]) -> Backend:
    """Return what makes a frame."""
    return _made(name, lambda rows, _: make(rows))


def _placed(name: str, place: str, **options: str) -> Backend:
    """Return what writes a table of Arrow."""
    return _made(name, lambda rows, directory: PLACES[place](arrow(rows), directory), **options)


def _zstandard(content: str) -> bytes:
    import pyarrow as pa

    return bytes(pa.compress(content.encode(), "zstd", asbytes=True))


def _parquet(table: Any) -> bytes:  # noqa: ANN401 - pyarrow has no types
    import pyarrow.parquet as pq

    content = io.BytesIO()
    pq.write_table(table, content)
    return content.getvalue()


def _texts(rows: Sequence[Row]) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    cells = [[None if cell is None else typed(cell) for cell in row] for row in rows]
    return pa.table(dict(zip(COLUMNS, map(list, zip(*cells, strict=True)), strict=True)))


def _objects(rows: Sequence[Row]) -> object:
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(COLUMNS), dtype=object)


def _categories(rows: Sequence[Row]) -> object:
    kinds = {"vote": "category", "ward": "category", "person": "Int64", "flag": "boolean", "score": "Float64"}
    return arrow(rows).to_pandas().astype(kinds)


def _polars(rows: Sequence[Row]) -> Any:  # noqa: ANN401 - a frame
    import polars as pl

    return pl.DataFrame(arrow(rows))


def _lazy(rows: Sequence[Row]) -> object:
    import polars as pl

    return _polars(rows).lazy().with_columns(pl.col("vote").cast(pl.Categorical))


def _ibis(rows: Sequence[Row]) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ibis  # type: ignore[import-untyped]  # it ships no types

        return ibis.duckdb.connect().create_table("people", arrow(rows))


def _spark(rows: Sequence[Row]) -> object:
    schema = "person int, vote string, flag boolean, score double, ward string"
    return spark().createDataFrame(list(rows), schema)


def _several_files(rows: Sequence[Row], directory: Path) -> str:
    third = len(rows) // 3
    for at, part in enumerate((rows[:third], rows[third : 2 * third], rows[2 * third :])):
        (directory / f"people-{at}.csv").write_text(csv_text(part), encoding="utf-8", newline="")
    return f"{directory}/people-*.csv"


@contextlib.contextmanager
def duckdb_relation(rows: Sequence[Row], directory: Path) -> Iterator[Opened]:
    """Make a DuckDB relation."""
    del directory
    import duckdb

    with contextlib.closing(duckdb.connect()) as connection:
        yield connection.from_arrow(arrow(rows)), {}


csv_file = _file("csv_file", ".csv", lambda rows: csv_text(rows).encode())
json_lines = _file("json_lines", ".jsonl", lambda rows: json_text(rows).encode())
zstandard_json_lines = _file("zstandard_json_lines", ".ndjson.zst", lambda rows: _zstandard(json_text(rows)))
parquet = _placed("parquet", "parquet")
sqlite = _placed("sqlite", "sqlite", table="people")
pandas_objects = _frame("pandas_objects", _objects)
pyspark = _frame("pyspark", _spark)
BACKENDS: tuple[Backend, ...] = (
    csv_file,
    # As Windows writes it.
    _file("windows_csv", ".csv", lambda rows: b"\xef\xbb\xbf" + csv_text(rows, ";", "\r\n").encode()),
    _file("latin_csv", ".csv", lambda rows: csv_text(rows).encode("latin-1"), encoding="latin-1"),
    _file("wide_csv", ".csv", lambda rows: csv_text(rows).encode("utf-16"), encoding="utf-16"),
    _file("gzip_csv", ".csv.gz", lambda rows: gzip.compress(csv_text(rows).encode())),
    _file("tsv_file", ".tsv", lambda rows: csv_text(rows, "\t").encode()),
    json_lines,
    zstandard_json_lines,
    parquet,
    _file("text_parquet", ".parquet", lambda rows: _parquet(_texts(rows))),
    _made("several_files", _several_files),
    # NaN makes floats of integers.
    _frame("pandas", lambda rows: arrow(rows).to_pandas()),
    pandas_objects,
    _frame("pandas_categories", _categories),
    _frame("polars", _polars),
    _frame("polars_lazy", _lazy),
    _frame("pyarrow", arrow),
    sqlite,
    _placed("duckdb_file", "duckdb", sql="select * from people"),
    _placed("postgres", "postgres", table="people"),
    duckdb_relation,
    _frame("ibis_table", _ibis),
    pyspark,
)
# Here nothing but the rows could say which columns there are.
HEADLESS: tuple[Backend, ...] = (json_lines, zstandard_json_lines)
# What `make test` reads: a session of Spark is started by tests/test_spark.py alone.
EACH_BACKEND = [
    pytest.param(each, marks=[pytest.mark.release] if each is pyspark else [], id=each.__name__)
    for each in BACKENDS
]
