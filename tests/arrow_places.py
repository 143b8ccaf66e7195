# SPDX-License-Identifier: Apache-2.0
"""A table of Arrow, written to each kind of place from which tables are read."""

import contextlib
import csv
import datetime as dt
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow.parquet as pq

from postgres_server import fresh_database

_SQL_TYPES = {
    "int64": "bigint", "int32": "integer", "string": "text", "bool": "boolean", "double": "double precision",
    "decimal128(6, 2)": "numeric(6, 2)", "date32[day]": "date", "timestamp[us]": "timestamp",
}  # fmt: skip


def rows_of(table: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - pyarrow has no types
    """Return the rows as values of Python."""
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def _csv(table: Any, folder: Path) -> str:  # noqa: ANN401 - see above
    with (folder / "a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([table.column_names, *rows_of(table)])
    return f"{folder}/a.csv"


def _parquet(table: Any, folder: Path) -> str:  # noqa: ANN401 - see above
    pq.write_table(table, folder / "a.parquet")
    return f"{folder}/a.parquet"


def _excel(table: Any, folder: Path) -> str:  # noqa: ANN401 - see above
    book = openpyxl.Workbook()
    for row in [table.column_names, *rows_of(table)]:
        book.active.append(row)
    book.save(folder / "a.xlsx")
    return f"{folder}/a.xlsx"


def _declared(table: Any) -> str:  # noqa: ANN401 - see above
    columns = ", ".join(f'"{field.name}" {_SQL_TYPES[str(field.type)]}' for field in table.schema)
    return f"create table people ({columns})"


def _in_sqlite(cell: object) -> object:
    return float(cell) if isinstance(cell, Decimal) else str(cell) if isinstance(cell, dt.date) else cell


def _sqlite(table: Any, folder: Path) -> str:  # noqa: ANN401 - see above
    with contextlib.closing(sqlite3.connect(folder / "a.db")) as database:
        database.execute(_declared(table))
        places = ", ".join("?" * table.num_columns)
        rows = [list(map(_in_sqlite, row)) for row in rows_of(table)]
        database.executemany(f"insert into people values ({places})", rows)  # noqa: S608 - question marks
        database.commit()
    return f"sqlite:///{folder}/a.db"


def _duckdb(table: Any, folder: Path) -> str:  # noqa: ANN401 - see above
    (folder / "a.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(folder / "a.duckdb")) as database:
        database.register("given", table)
        database.execute("create table people as select * from given")
    return f"duckdb:///{folder}/a.duckdb"


def _postgres(table: Any, _: Path) -> str:  # noqa: ANN401 - see above
    import psycopg

    url = fresh_database()
    with psycopg.connect(url) as database, database.cursor() as cursor:
        cursor.execute(_declared(table).encode())
        places = ", ".join(["%s"] * table.num_columns)
        cursor.executemany(f"insert into people values ({places})".encode(), rows_of(table))  # noqa: S608 - see above
    return url


PLACES: dict[str, Callable[[Any, Path], Any]] = {
    "csv": _csv,
    "parquet": _parquet,
    "excel": _excel,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "postgres": _postgres,
    "arrow": lambda table, _: table,
    "relation": lambda table, _: duckdb.from_arrow(table),
    "polars": lambda table, _: pl.DataFrame(table),
    "lazy polars": lambda table, _: pl.DataFrame(table).lazy(),
    "pandas": lambda table, _: table.to_pandas(),
    "pandas of arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
}
"""What writes a table, into a folder where it needs one, and returns what names it."""
