# SPDX-License-Identifier: Apache-2.0
"""Types that engines hand out in their own ways say the same everywhere, and intervals say nothing."""

import contextlib
import warnings
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cell_tally import NOTHING, UNREADABLE, cells
from postgres_server import fresh_database
from rainbowdp.questions.cells import INVALID, cell_text
from rainbowdp.tables import open_table
from spark_session import spark

TYPED = {
    "big": ("340282366920938463463374607431768211455::uhugeint", "340282366920938463463374607431768211455"),
    "low": ("-170141183460469231731687303715884105727::hugeint", "-170141183460469231731687303715884105727"),
    "zoned": ("'12:00:00+02'::timetz", "12:00:00+02:00"),
    "half": ("'12:00:00.5-05:30'::timetz", "12:00:00.500000-05:30"),
    "price": ("1.50::decimal(9, 2)", "1.5"),
    "bits": ("'101'::bit", "101"),
    "whole": ("123::bignum", "123"),
    "span": ("interval 1 day", UNREADABLE),
    "raw": ("'\\xFF'::blob", UNREADABLE),
    "mood": ("'a'::enum ('a', 'b')", "a"),
    "moment": ("timestamptz '2020-07-01 12:00:00+02'", "2020-07-01T10:00:00+00:00"),
    "late": ("time '24:00:00'", UNREADABLE),
}


@pytest.mark.parametrize("engine", ["relation", "ibis"])
def test_types_of_duckdb_say_what_they_are(engine: str) -> None:
    columns = ", ".join(f"{sql} as {name}" for name, (sql, _) in TYPED.items())
    with contextlib.ExitStack() as stack:
        source: Any
        if engine == "relation":
            database = stack.enter_context(contextlib.closing(duckdb.connect()))
            source = database.sql(f"select {columns}")
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import ibis  # type: ignore[import-untyped]  # it ships no types

                connection = ibis.duckdb.connect()
                connection.raw_sql(f"create table people as select {columns}")
                source = connection.table("people")
        with open_table(source) as table:
            for name, (_, said) in TYPED.items():
                if (engine, name) != ("ibis", "late"):
                    assert cells(table, name) == {said: 1}, name


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats_say_the_few_digits_that_they_are_made_of(kind: type) -> None:
    series = pd.Series(np.array([0.1, 2.0, 0.1], kind))
    tables: list[Any] = [
        pd.DataFrame({"x": series}),
        pa.table({"x": pa.array(series.to_numpy())}),
        pl.DataFrame(
            {"x": pl.Series([0.1, 2.0, 0.1], dtype=pl.Float16 if kind is np.float16 else pl.Float32)}
        ),
        pd.DataFrame({"x": pd.Series(pd.arrays.SparseArray(series.to_numpy()))}),
    ]
    if kind is np.float32:
        tables.append(pd.DataFrame({"x": series.astype("category")}))
        tables.append(pd.DataFrame({"x": pd.array([0.1, 2.0, 0.1], dtype="Float32")}))
    for source in [*tables, tables[2].lazy()]:
        with open_table(source) as table:
            assert cells(table, "x") == {"0.1": 2, "2": 1}, type(source)


def test_moments_and_intervals_of_spark() -> None:
    session = spark()
    before = session.conf.get("spark.sql.session.timeZone")
    rows = session.sql(
        "select timestamp'2020-07-01 10:00:00.25Z' as at, interval 1 day as days, "
        "interval 1 month as months, timestamp_micros(9000000000000000000) as far, "
        "cast(null as timestamp) as never"
    )
    try:
        for zone in ("UTC", "Europe/Berlin"):
            session.conf.set("spark.sql.session.timeZone", zone)
            with open_table(rows) as table:
                assert cells(table, "at") == {"2020-07-01T10:00:00.250000+00:00": 1}
                assert cells(table, "days") == cells(table, "months") == {UNREADABLE: 1}
                assert cells(table, "far") == {UNREADABLE: 1}
                assert cells(table, "never") == {NOTHING: 1}
                assert table.source.unreadable == ("days", "months")
    finally:
        session.conf.set("spark.sql.session.timeZone", before)


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "7D", "1000s"])
def test_moments_of_numpy_beyond_all_calendars_do_not_wrap_around(unit: str) -> None:
    for number in (2**62, -(2**62), 2**60 + 1, 2**63 - 1, -(2**63) + 1):
        assert cell_text(np.array([number]).view(f"M8[{unit}]")[0]) is INVALID
    assert str(cell_text(np.zeros(1, f"M8[{unit}]")[0])) in {"1970-01-01", "1970-01-01T00:00:00"}


def extension(kind: Any, stored: list[Any]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array of an extension type."""
    return pa.ExtensionArray.from_storage(kind, pa.array(stored, kind.storage_type))


def test_truth_values_of_eight_bits_are_truth_values() -> None:
    column = extension(pa.bool8(), [0, 1, 7, None])
    for source in (pl.from_arrow(pa.table({"x": column})), pa.table({"x": column})):
        with open_table(source) as table:
            assert cells(table, "x") == {"false": 1, "true": 2, NOTHING: 1}


@pytest.mark.parametrize("kind", ["timestamptz", "timestamptz_ns"])
def test_the_zone_of_a_session_is_in_no_moment(kind: str) -> None:
    database = duckdb.connect()
    database.execute("set timezone = 'America/New_York'")
    rows = database.sql(f"select {kind} '2020-07-01 10:00:00.25Z' as at")
    with open_table(rows) as table:
        assert cells(table, "at") == {"2020-07-01T10:00:00.250000+00:00": 1}


def test_variants_and_types_of_somebodys_own_in_spark_are_never_read() -> None:
    from pyspark.ml.linalg import Vectors

    session = spark()
    rows = session.createDataFrame([(Vectors.dense([1, 2]), "red"), (None, "blue")], ["vector", "vote"])
    rows = rows.selectExpr("*", "parse_json('\"red\"') as any", "parse_json('[1, 2]') as many")
    with open_table(rows) as table:
        assert table.source.unreadable == ("vector", "any", "many")
        for column in table.source.unreadable:
            assert cells(table, column) == {UNREADABLE: 2}
        assert cells(table, "vote") == {"red": 1, "blue": 1}


@pytest.mark.parametrize(
    "made",
    ["row(1, 2)", "row(1, 'red')", "array[row(1, 2)]", "pg_sleep(0)", "'red'::cstring", "null::record"],
)
def test_what_has_a_pseudo_type_of_postgres_is_never_read(made: str) -> None:
    with open_table(fresh_database(), sql=f"select {made} as x, 'red' as vote") as table:
        assert table.source.unreadable == ("x",)
        assert cells(table, "x") == {UNREADABLE: 1}
        assert cells(table, "vote") == {"red": 1}
