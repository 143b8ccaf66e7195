# SPDX-License-Identifier: Apache-2.0
"""A number that no clock shows, in any type of times of DuckDB, is one cell that cannot be read."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cell_tally import NOTHING, UNREADABLE, cells, cells_by
from rainbowdp.tables import count_keys, open_table

# Of what ibis calls while a test makes its tables.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

FIRST, LAST = -62_135_596_800, 253_402_300_799
DAY = 86_400
# Two of them are what DuckDB calls infinity.
ENDS = (2**62, -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1, 2**63 - 2)
# The type, what it stores of ordinary cells, what these say, and what it stores of cells that say nothing.
CASES: dict[str, tuple[Any, dict[int, str], tuple[int, ...]]] = {
    "timestamp_s": (
        pa.timestamp("s"),
        {0: "1970-01-01T00:00:00", FIRST: "0001-01-01T00:00:00", LAST: "9999-12-31T23:59:59"},
        (10**13, 10**16, FIRST - 1, LAST + 1, *ENDS),
    ),
    "timestamp_ms": (
        pa.timestamp("ms"),
        {1500: "1970-01-01T00:00:01.500000", LAST * 1000 + 999: "9999-12-31T23:59:59.999000"},
        (10**16, FIRST * 1000 - 1, LAST * 1000 + 1000, *ENDS),
    ),
    "timestamp": (
        pa.timestamp("us"),
        {1500: "1970-01-01T00:00:00.001500", LAST * 10**6 + 999_999: "9999-12-31T23:59:59.999999"},
        (FIRST * 10**6 - 1, (LAST + 1) * 10**6, *ENDS),
    ),
    "timestamp_ns": (
        pa.timestamp("ns"),
        {
            1500: "1970-01-01T00:00:00.000001500",
            2**63 - 2: "2262-04-11T23:47:16.854775806",
            -(2**63): "1677-09-21T00:12:43.145224192",
        },
        (2**63 - 1, -(2**63) + 1),
    ),
    "time": (
        pa.time64("us"),
        {0: "00:00:00", 1_500_000: "00:00:01.500000", DAY * 10**6 - 1: "23:59:59.999999"},
        (-1, DAY * 10**6, DAY * 10**6 + 1, DAY * 10**9, *ENDS),
    ),
    "time_ns": (
        pa.time64("ns"),
        {0: "00:00:00", 1500: "00:00:00.000001500", DAY * 10**9 - 1: "23:59:59.999999999"},
        (-1, DAY * 10**9, DAY * 10**9 + 1, *ENDS),
    ),
}
KINDS = pytest.mark.parametrize("kind", CASES)


def stored(kind: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a column with ordinary cells, a null, and all others."""
    arrow, ordinary, far = CASES[kind]
    return pa.array([*ordinary, None, *far], pa.int64()).view(arrow)


def said(kind: str) -> dict[str, int]:
    """Return what its cells say."""
    _, ordinary, far = CASES[kind]
    return {**dict.fromkeys(ordinary.values(), 1), NOTHING: 1, UNREADABLE: len(far)}


def filled(database: Any, column: Any, kind: str) -> None:  # noqa: ANN401 - pyarrow has no types
    """Make a table of a column, with people and votes beside it."""
    people = [str(at) for at in range(len(column))]
    database.register("given", pa.table({"v": column, "person": people, "vote": ["red"] * len(column)}))
    database.execute("create table people as select * from given")
    assert database.table("people").types[0].id == kind


def from_file(column: Any, kind: str, directory: Path) -> str:  # noqa: ANN401 - pyarrow has no types
    """Return the address of a file that holds the table."""
    path = directory / "people.duckdb"
    with contextlib.closing(duckdb.connect(str(path))) as database:
        filled(database, column, kind)
    return f"duckdb:///{path}"


def relation(column: Any, kind: str, directory: Path) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a relation."""
    del directory
    database = duckdb.connect()
    filled(database, column, kind)
    return database.table("people")


def ibis_table(column: Any, kind: str, directory: Path) -> Any:  # noqa: ANN401 - ibis has no types
    """Return a table of ibis."""
    del directory
    import ibis  # type: ignore[import-untyped]  # it ships no types

    connection = ibis.duckdb.connect()
    filled(connection.con, column, kind)
    return connection.table("people")


PLACES = pytest.mark.parametrize("place", [from_file, relation, ibis_table])


@contextlib.contextmanager
def opened(place: Callable[[Any, str, Path], Any], kind: str, directory: Path) -> Iterator[Any]:
    """Open the table."""
    with open_table(place(stored(kind), kind, directory)) as table:
        yield table


@PLACES
@KINDS
def test_far_cells_cannot_be_read_and_take_no_other_along(
    kind: str, place: Callable[[Any, str, Path], Any], tmp_path: Path
) -> None:
    _, ordinary, far = CASES[kind]
    count = len(ordinary) + len(far) + 1
    with opened(place, kind, tmp_path) as table:
        assert table.source.unreadable == ()
        assert cells(table, "v") == said(kind)
        assert cells(table, "v", unit="person", max_rows=1) == said(kind)
        assert cells(table, "vote") == {"red": count}
        for text in ordinary.values():
            assert cells(table, "vote", where={"v": text}) == {"red": 1}
        assert cells(table, "vote", unit="v", max_rows=1) == {"red": len(ordinary)}
        groups = list(ordinary.values())
        assert cells_by(table, "vote", "v", groups) == {text: {"red": 1} for text in groups}
        assert dict(count_keys(table, "v")) == dict.fromkeys(groups, 1)
        assert dict(count_keys(table, "v", unit="person")) == dict.fromkeys(groups, 1)


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("timestamp_s", pd.Series(np.array([0, 10**13], "M8[s]"))),
        ("timestamp_ms", pl.Series([0, 10**16]).cast(pl.Datetime("ms")).to_arrow()),
        ("time", pa.array([0, -1], pa.int32()).view(pa.time32("s"))),
        ("time", pa.array([0, 2**31 - 1], pa.int32()).view(pa.time32("ms"))),
    ],
)
@PLACES
def test_a_far_cell_may_come_from_any_library(
    place: Callable[[Any, str, Path], Any],
    kind: str,
    column: Any,  # noqa: ANN401 - of several libraries
    tmp_path: Path,
) -> None:
    text = "1970-01-01T00:00:00" if kind.startswith("timestamp") else "00:00:00"
    with open_table(place(pa.array(column), kind, tmp_path)) as table:
        assert cells(table, "v") == {text: 1, UNREADABLE: 1}
        assert cells(table, "vote", where={"v": text}) == {"red": 1}


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_far_times_of_a_table_that_ibis_keeps_in_memory_cannot_be_read(unit: str) -> None:
    import ibis

    arrow, ordinary, far = CASES["time" if unit == "us" else "time_ns"]
    column = pa.array([*ordinary, *far, None], pa.int64()).view(arrow)
    with open_table(ibis.memtable(pa.table({"v": column}))) as table:
        assert cells(table, "v") == said("time" if unit == "us" else "time_ns")


@PLACES
def test_a_union_is_never_read_since_a_member_may_be_a_list(
    place: Callable[[Any, str, Path], Any], tmp_path: Path
) -> None:
    # pyarrow makes no union that DuckDB takes, so the column comes from DuckDB.
    source: Any = place(pa.array([0]).view(pa.timestamp("s")), "timestamp_s", tmp_path)
    query = (
        "select union_value(a := v)::union(a timestamp_s, b varchar, c int[]) as u, vote from people "
        "union all select union_value(c := [1, 2]), 'blue' union all select union_value(b := 'red'), 'blue'"
    )
    if place is relation:
        source = source.query("people", query)
    if place is ibis_table:
        connection = source.get_backend()
        connection.con.execute(f"create table unions as {query}")
        source = connection.table("unions")
    with open_table(source, sql=query if place is from_file else None) as table:
        assert table.source.unreadable == ("u",)
        assert cells(table, "u") == {UNREADABLE: 3}
        assert cells(table, "vote") == {"red": 1, "blue": 2}


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
def test_moments_at_the_ends_of_the_calendar_are_the_same_in_every_zone_of_a_connection(zone: str) -> None:
    first, last = "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59.999999+00:00"
    with duckdb.connect() as connection:
        connection.execute(f"set TimeZone = '{zone}'")
        held = [first, last, "infinity", "-infinity", "0044-03-15 (BC) 00:00:00+00"]
        values = ", ".join(f"('{value}'::timestamptz)" for value in held)
        relation = connection.sql(f"select x from (values {values}, (null)) as held(x)")  # noqa: S608 - values from above
        with open_table(relation) as table:
            assert cells(table, "x") == {first: 1, last: 1, UNREADABLE: 3, NOTHING: 1}
