# SPDX-License-Identifier: Apache-2.0
"""A cell says one text wherever it is kept; one that has none is one unreadable cell, and nothing fails.

Where engines store the same numbers and bytes, they are compared with each other. Types that one engine alone
has are compared with what a person would type.
"""

import contextlib
import datetime as dt
import sqlite3
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrow_places import PLACES
from cell_tally import NOTHING, UNREADABLE, Types, cells, cells_by, says_its_types, selected
from postgres_server import fresh_database
from rainbowdp.questions.cells import INVALID, NULL, cell_text
from rainbowdp.tables import count_keys, open_table, summarizing
from rainbowdp.tables.cells import decimal_of, moment_of, perhaps_moment_of, texts_of
from rainbowdp.tables.summarizing import Remembered, Wanted

MIXED: list[Any] = [
    None, "", " ", "red", " red ", "\xa0red\x1f", "a\0b", "\0", "\ud83d", "größer", "ü" * 5000, "a" * 8193,
    b"", b" red", b"\xff", "größer".encode(), bytearray(b"red"), b"a" * 8193,
    0, 1, -7, 10**30, 10**5000, True, False, 0.0, -0.0, 1.0, 0.1, 1e22, 1e23, float("nan"), float("inf"),
    Decimal("1.50"), Decimal("NaN"), Decimal("1e5000"), dt.date(2020, 1, 31), [1], {}, object(),
    np.str_(" red"), np.float32(0.1), np.int64(1), np.bool_(True), np.datetime64("NaT", "s"),
]  # fmt: skip
COLUMNS = st.one_of(
    st.lists(st.sampled_from(MIXED)),
    *(st.lists(st.none() | cells_of_a_type) for cells_of_a_type in (
        st.text(st.characters(codec=None), max_size=3), st.binary(max_size=3), st.integers(), st.floats(),
        st.sampled_from([cell for cell in MIXED if isinstance(cell, str)]),
    )),
)  # fmt: skip


@given(COLUMNS)
def test_a_column_says_what_its_cells_say(column: list[Any]) -> None:
    said = map(cell_text, column)
    assert texts_of(column) == [None if text is NULL else "\0" if text is INVALID else text for text in said]


@given(st.lists(st.lists(st.none() | st.text(max_size=2), min_size=1)))
def test_what_is_remembered_is_what_was_said(columns: list[list[str | None]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summarizing, "_REMEMBERED", 2)
        patch.setattr(summarizing, "_LONG", 1)
        meanings = Remembered(lambda texts: [(text, text == "1") for text in texts], lambda text: text)
        for column in columns:
            assert meanings(column) == [(text, text == "1") for text in column]


@pytest.mark.parametrize(("text", "holds"), [(" 1 ", ["1", "1.0"]), ("1.0", ["1.0"])])
def test_a_filter_holds_for_what_says_its_text(text: str, holds: list[str]) -> None:
    ((_, test),) = Wanted("vote", {"vote": text}).tests()
    texts = ["\0", None, "red", "1", "1.0", "01", "true"]
    assert [said for said, found in zip(texts, test(texts), strict=True) if found] == holds


@pytest.mark.parametrize("text", ["", "?", "1e999999999", "sNaN", "99999999-01-01 00:00:00", "infinity"])
def test_texts_of_engines_never_fail(text: str) -> None:
    assert moment_of(text) == b"\xff"
    assert decimal_of(text) is None or decimal_of(text) != text
    assert perhaps_moment_of(text.encode()) == text.encode()


def stored(kind: Any, numbers: list[int]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array with these whole numbers behind it, whether or not a calendar has them."""
    width = np.int32 if kind.bit_width == 32 else np.int64
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(np.array(numbers, width).tobytes())])


def broken_text(kind: Any) -> Any:  # noqa: ANN401 - see above
    """Return texts of which two are no UTF-8, as programs that do not look write them."""
    ends = np.array([0, 3, 7, 9], np.int64 if kind == pa.large_string() else np.int32)
    content = pa.py_buffer(b"redred\xff\xff\xfe")
    return pa.Array.from_buffers(kind, 3, [None, pa.py_buffer(ends.tobytes()), content])


def moments(unit: str, zone: str | None) -> tuple[Any, dict[str, int]]:
    """Return moments inside and outside of all calendars, and what they say."""
    one = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    said = {"1970-01-01T00:00:00": 0, "2020-01-31T12:00:00": 1_580_472_000 * one}
    # DuckDB takes the last number for infinity.
    beyond = [2**63 - 1]
    if unit != "ns":
        said |= {"0001-01-01T00:00:00": -62_135_596_800 * one, "9999-12-31T23:59:59": 253_402_300_799 * one}
        # Parquet and polars have no seconds, and multiply them.
        far = 2**50 if unit == "s" else 2**62
        beyond = [253_402_300_800 * one, -62_135_596_800 * one - 1, far, -far]
    texts = {text + ("+00:00" if zone else ""): 1 for text in said}
    return stored(pa.timestamp(unit, zone), [*said.values(), *beyond]), {**texts, UNREADABLE: len(beyond)}


STORED: dict[str, tuple[Any, dict[str, int]]] = {
    "text": (broken_text(pa.string()), {"red": 1, UNREADABLE: 2}),
    "large text": (broken_text(pa.large_string()), {"red": 1, UNREADABLE: 2}),
    "large bytes": (
        pa.array([b"red", b"\xff", None], pa.large_binary()),
        {"red": 1, UNREADABLE: 1, NOTHING: 1},
    ),
    "short bytes": (pa.array([b"red", b"\xff\0a"], pa.binary(3)), {"red": 1, UNREADABLE: 1}),
    "short floats": (pa.array([0.1, 2.0, None], pa.float32()), {"0.1": 1, "2": 1, NOTHING: 1}),
    "decimals": (pa.array([Decimal("1.50"), Decimal("2.00")]), {"1.5": 1, "2": 1}),
    "days": (
        stored(pa.date32(), [0, 2_932_896, 2_932_897, 2**31 - 1, -(2**31)]),
        {"1970-01-01": 1, "9999-12-31": 1, UNREADABLE: 3},
    ),
    "days in ms": (stored(pa.date64(), [0, 2**62]), {"1970-01-01": 1, UNREADABLE: 1}),
    "times in s": (
        stored(pa.time32("s"), [0, 86_399, 86_400, -1]),
        {"00:00:00": 1, "23:59:59": 1, UNREADABLE: 2},
    ),
    "times in ns": (
        stored(pa.time64("ns"), [1, 10**9, 2**62]),
        {"00:00:00.000000001": 1, "00:00:01": 1, UNREADABLE: 1},
    ),
    **{
        f"moments in {unit} {zone}": moments(unit, zone)
        for unit in ("s", "ms", "us", "ns")
        for zone in (None, "Europe/Berlin")
    },
}


MAKERS = ("arrow", "parquet", "polars", "pandas", "pandas of arrow", "relation", "duckdb")


def holds(maker: str, name: str) -> bool:
    """Whether an engine can hold such values at all, as they are."""
    match maker:
        case "polars":
            # It makes nulls, or moments, of such numbers itself.
            return not name.startswith("times") and name != "days in ms"
        case "pandas":
            try:
                STORED[name][0].to_pandas()
            except (ValueError, OverflowError, pa.ArrowException):
                return False
            return True
        case "relation" | "duckdb":
            zoned = "Berlin" in name
            return not name.endswith("text") and name not in ("days in ms", "times in s") and not zoned
    return True


@pytest.mark.parametrize(
    ("maker", "name"), [(maker, name) for maker in MAKERS for name in STORED if holds(maker, name)]
)
def test_no_value_fails_in_any_engine(
    name: str, maker: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    array, said = STORED[name]
    source = PLACES[maker](pa.table({"odd": array, "id": list(range(len(array)))}), tmp_path)
    with open_table(source) as table:
        assert cells(table, "odd") == said
        # As a filter, a person, a group and a key, such a cell stands for nothing, and takes nothing along.
        text = next(iter(said))
        readable = {text: n for text, n in said.items() if text not in {NOTHING, UNREADABLE}}
        assert cells(table, "id", where={"odd": text}) == {"0": 1}
        # From here on the rows of all engines pass through the same code.
        if maker in ("arrow", "duckdb"):
            assert sum(cells(table, "id", unit="odd").values()) == len(readable)
            assert cells_by(table, "id", "odd", [text], unit="id")[text] == {"0": 1}
            assert dict(count_keys(table, "odd")) == readable
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


TYPES_OF_DUCKDB: Types = {
    "big": ("340282366920938463463374607431768211455::uhugeint", "340282366920938463463374607431768211455"),
    "zoned": ("'12:00:00+02'::timetz", "12:00:00+02:00"),
    "half": ("'12:00:00.5-05:30'::timetz", "12:00:00.500000-05:30"),
    "bits": ("'101'::bit", "101"),
    "whole": ("123::bignum", "123"),
    "raw": ("'\\xFF'::blob", UNREADABLE),
    "json": ("'\"red\"'::json", "red"),
    "number of json": ("'2.50'::json", "2.5"),
    "list of json": ("'[1]'::json", UNREADABLE),
    "mood": ("'a'::enum ('a', 'b')", "a"),
    "moment": ("timestamptz '2020-07-01 12:00:00.25+02'", "2020-07-01T10:00:00.250000+00:00"),
    "fine": ("timestamptz_ns '2020-07-01 12:00:00+02'", "2020-07-01T10:00:00+00:00"),
    "last": ("timestamptz '9999-12-31 23:59:59.999999+00'", "9999-12-31T23:59:59.999999+00:00"),
    "never": ("timestamptz 'infinity'", UNREADABLE),
    "before": ("timestamptz '0044-03-15 (BC) 00:00:00+00'", UNREADABLE),
    "late": ("time '24:00:00'", UNREADABLE),
    "span": ("interval 1 day", ""),
    "any": ("'red'::variant", ""),
    "row": ("row(1, 2)", ""),
    "struct": ("{'a': 1}", ""),
}
TYPES_OF_POSTGRES: Types = {
    "zoned": ("'12:00+02'::timetz", "12:00:00+02:00"),
    "late": ("'24:00'::time", UNREADABLE),
    "never": ("'infinity'::date", UNREADABLE),
    "before": ("'0044-03-15 BC'::date", UNREADABLE),
    "no number": ("'NaN'::numeric", NOTHING),
    "price": ("1.50::numeric", "1.5"),
    "truth": ("true", "true"),
    "json": ("'\"red\"'::json", "red"),
    "list of json": ("'[1]'::jsonb", UNREADABLE),
    "bits": ("'101'::varbit", "101"),
    "path": ("'[(0,0),(1,1)]'::path", "[(0,0),(1,1)]"),
    "address": ("'1.2.3.4'::inet", "1.2.3.4"),
    "bytes": ("'red'::bytea", "red"),
    "span": ("interval '1 day'", ""),
    "list": ("'{1}'::int[]", ""),
    "row": ("row(1, 'red')", ""),
    "nothing": ("pg_sleep(0)", ""),
    "pseudo": ("'red'::cstring", ""),
}


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_types_of_duckdb_say_what_they_are(zone: str, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "a.duckdb")) as database:
        database.execute(f"set timezone = '{zone}'")
        says_its_types(database.sql(selected(TYPES_OF_DUCKDB)), TYPES_OF_DUCKDB)
        database.execute(f"create table people as {selected(TYPES_OF_DUCKDB)}")
    says_its_types(f"duckdb:///{tmp_path}/a.duckdb", TYPES_OF_DUCKDB)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_types_of_duckdb_say_the_same_through_ibis() -> None:
    import ibis  # type: ignore[import-untyped]  # it ships no types

    types = {name: said for name, said in TYPES_OF_DUCKDB.items() if name not in ("late", "any", "fine")}
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"create table people as {selected(types)}")
    says_its_types(connection.table("people"), types)


def test_types_of_postgres_say_what_they_are() -> None:
    says_its_types(fresh_database(), TYPES_OF_POSTGRES, sql=selected(TYPES_OF_POSTGRES))


def test_sqlite_may_hold_anything_anywhere(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute(
            "create table people (vote text collate nocase, flag boolean, number real, at datetime)"
        )
        database.execute(
            "insert into people values ('red', 1, 'text', '2020-01-31 05:06:07'), ('RED', 0, 1, 'x')"
        )
        database.execute("insert into people values (x'ff', 'yes', x'00', 7), (7, 2, 1e999, null)")
        database.execute(
            "insert into people values (cast(x'ff' as text), null, null, ''), (1.5, 1.0, -0.0, ' ')"
        )
        database.commit()
    with open_table(f"sqlite:///{tmp_path}/a.db") as table:
        assert cells(table, "vote") == {"red": 1, "RED": 1, UNREADABLE: 2, "7": 1, "1.5": 1}
        assert cells(table, "flag") == {"true": 2, "false": 1, "yes": 1, "2": 1, NOTHING: 1}
        assert cells(table, "at") == {"2020-01-31T05:06:07": 1, "x": 1, "7": 1, NOTHING: 3}
        assert sum(cells(table, "number").values()) == 6


class Text(str):
    """A text of a user's own class."""

    __slots__ = ()


OBJECTS: dict[str, tuple[object, str]] = {
    "list": (["red"], UNREADABLE),
    "array": (np.array("red"), UNREADABLE),
    "derived": (Text("green"), "green"),
    "nothing": (pd.NA, NOTHING),
    "moment": (pd.Timestamp("2020-07-01 12:00", tz="Europe/Berlin"), "2020-07-01T10:00:00+00:00"),
    "duration": (np.timedelta64(5, "D"), UNREADABLE),
    "far moment": (pd.Timestamp(np.datetime64("20000-01-01", "s")), UNREADABLE),
    "far moment of numpy": (np.datetime64("12000-01-01", "us"), UNREADABLE),
}


# pandas makes no category of these.
NO_CATEGORY = {"list", "array", "duration"}


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        (kind, dtype)
        for kind in OBJECTS
        for dtype in ("object", "Sparse[object]", *(() if kind in NO_CATEGORY else ("category",)))
    ],
)
def test_an_object_of_pandas_is_one_cell_wherever_it_stands(kind: str, dtype: Any) -> None:  # noqa: ANN401 - a type
    odd, said = OBJECTS[kind]
    held = np.empty(4, dtype=object)
    for at, value in enumerate(["red", "red", odd, "blue"]):
        held[at] = value
    frame = pd.DataFrame({"vote": ["a", "a", "b", "a"], "odd": pd.Series(held, dtype=object).astype(dtype)})
    with open_table(frame) as table:
        assert cells(table, "odd") == {"red": 2, "blue": 1, said: 1}
        assert cells(table, "vote", where={"odd": "red"}) == {"a": 2}
        counts_as_person = {} if said in (NOTHING, UNREADABLE) else {"b": 1}
        assert cells(table, "vote", unit="odd", max_rows=9) == {"a": 3, **counts_as_person}
        assert cells_by(table, "vote", "odd", ["red", "blue"]) == {"red": {"a": 2}, "blue": {"a": 1}}


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats_say_the_few_digits_that_they_are_made_of(kind: type) -> None:
    series = pd.Series(np.array([0.1, 2.0, 0.1], kind))
    tables: list[Any] = [
        pd.DataFrame({"x": series}),
        pa.table({"x": pa.array(series.to_numpy())}),
        pl.DataFrame({"x": pl.Series([0.1, 2, 0.1], dtype=pl.Float16 if kind is np.float16 else pl.Float32)}),
        pd.DataFrame({"x": pd.Series(pd.arrays.SparseArray(series.to_numpy()))}),
    ]
    if kind is np.float32:
        tables.append(pd.DataFrame({"x": series.astype("category")}))
        tables.append(pd.DataFrame({"x": pd.array([0.1, 2.0, 0.1], dtype="Float32")}))
    for source in tables:
        with open_table(source) as table:
            assert cells(table, "x") == {"0.1": 2, "2": 1}, type(source)


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "7D", "1000s"])
def test_moments_of_numpy_beyond_all_calendars_do_not_wrap_around(unit: str) -> None:
    for number in (2**62, -(2**62), 2**60 + 1, 2**63 - 1, -(2**63) + 1):
        assert cell_text(np.array([number]).view(f"M8[{unit}]")[0]) is INVALID
    assert str(cell_text(np.zeros(1, f"M8[{unit}]")[0])) in {"1970-01-01", "1970-01-01T00:00:00"}


def test_extensions_of_arrow_say_what_they_stand_for() -> None:
    held = pl.Series("id", [b"\x01" * 16, b"red", b"\x02" * 17, None], dtype=pl.Binary)
    frame = pl.DataFrame(held.ext.to(pl.Extension("arrow.uuid", pl.Binary)))
    said = "01010101-0101-0101-0101-010101010101"
    for source in (frame, frame.lazy()):
        with open_table(source) as table:
            assert cells(table, "id") == {said: 1, UNREADABLE: 2, NOTHING: 1}
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\x01" * 16, None], pa.binary(16)))
    with open_table(pa.table({"id": ids})) as table:
        assert cells(table, "id") == {said: 1, NOTHING: 1}
    truths = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, 7, None], pa.int8()))
    for given_truths in (pl.from_arrow(pa.table({"x": truths})), pa.table({"x": truths})):
        with open_table(given_truths) as table:
            assert cells(table, "x") == {"false": 1, "true": 2, NOTHING: 1}


def test_many_categories_over_many_rows_say_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rainbowdp.tables.frames._ROWS", 2)
    column = pd.Series(["b", None, "a", "c", "a", None, "b"]).astype("category")
    with open_table(pd.DataFrame({"x": column})) as table:
        assert cells(table, "x") == Counter({"a": 2, "b": 2, "c": 1, NOTHING: 2})


def test_texts_that_an_engine_takes_for_the_same_stay_apart() -> None:
    import psycopg

    url = fresh_database()
    with psycopg.connect(url) as server:
        server.execute(
            "create collation lax (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
        server.execute("create table people (vote text collate lax)")
        server.execute("insert into people values ('red'), ('RED')")
    with duckdb.connect() as database:
        database.execute("create table people (vote varchar collate nocase)")
        database.execute("insert into people values ('red'), ('RED')")
        for source in (url, database.table("people")):
            with open_table(source) as table:
                assert cells(table, "vote") == {"red": 1, "RED": 1}
                assert dict(count_keys(table, "vote")) == {"red": 1, "RED": 1}
