# SPDX-License-Identifier: Apache-2.0
"""Values that engines cannot make a text or a Python object of: each is one cell that cannot be read.

The oracle is additivity. A table with an odd row says exactly what it says without it, and one unreadable
cell more; nothing is raised, and every engine says the same of the same values.
"""

import contextlib
import stat
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cell_tally import NOTHING, UNREADABLE, cells, cells_by
from command_line import Runner
from rainbowdp.errors import TableUnreadableError, UnknownColumnError, UsageError
from rainbowdp.formats.encodings import encoding_called, in_utf8
from rainbowdp.formats.tables import connect
from rainbowdp.tables import count_keys, open_table, persons
from rainbowdp.tables.persons import Spool
from spark_session import spark

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def stored(kind: Any, numbers: list[int]) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return an array with these whole numbers behind it, whether or not a calendar has them."""
    width = np.int32 if kind.bit_width == 32 else np.int64
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(np.array(numbers, width).tobytes())])


def broken_text(kind: Any) -> Any:  # noqa: ANN401 - see above
    """Return texts of which two are no UTF-8, as programs that do not look write them."""
    ends = np.array([0, 3, 7, 9], np.int64 if kind == pa.large_string() else np.int32)
    content = pa.py_buffer(b"redred\xff\xff\xfe")
    return pa.Array.from_buffers(kind, 3, [None, pa.py_buffer(ends.tobytes()), content])


def moments(unit: str, zone: str | None) -> tuple[Any, Counter[str]]:
    """Return moments inside and outside of all calendars, and what they say."""
    one = PER_SECOND[unit]
    said = {"1970-01-01T00:00:00": 0, "2020-01-31T12:00:00": 1_580_472_000 * one}
    if unit != "ns":
        said |= {"0001-01-01T00:00:00": -62_135_596_800 * one, "9999-12-31T23:59:59": 253_402_300_799 * one}
    # Parquet and polars have no seconds, and multiply them.
    far = 2**50 if unit == "s" else 2**62
    beyond = [] if unit == "ns" else [253_402_300_800 * one, -62_135_596_800 * one - 1, far, -far]
    texts = Counter(text + ("+00:00" if zone else "") for text in said)
    if beyond:
        texts[UNREADABLE] = len(beyond)
    return stored(pa.timestamp(unit, zone), [*said.values(), *beyond]), texts


ODD: dict[str, tuple[Any, Counter[str]]] = {
    "text": (broken_text(pa.string()), Counter({"red": 1, UNREADABLE: 2})),
    "large text": (broken_text(pa.large_string()), Counter({"red": 1, UNREADABLE: 2})),
    "large bytes": (
        pa.array([b"red", b"\xff", None], pa.large_binary()),
        Counter({"red": 1, UNREADABLE: 1, NOTHING: 1}),
    ),
    "short bytes": (pa.array([b"red", b"\xff\0a"], pa.binary(3)), Counter({"red": 1, UNREADABLE: 1})),
    "days": (
        stored(pa.date32(), [0, 2_932_896, 2_932_897, 2**31 - 1, -(2**31)]),
        Counter({"1970-01-01": 1, "9999-12-31": 1, UNREADABLE: 3}),
    ),
    "days in ms": (stored(pa.date64(), [0, 2**62]), Counter({"1970-01-01": 1, UNREADABLE: 1})),
    "times in s": (
        stored(pa.time32("s"), [0, 86_399, 86_400, -1]),
        Counter({"00:00:00": 1, "23:59:59": 1, UNREADABLE: 2}),
    ),
    "times in ns": (
        stored(pa.time64("ns"), [1, 10**9, 2**62]),
        Counter({"00:00:00.000000001": 1, "00:00:01": 1, UNREADABLE: 1}),
    ),
    **{
        f"moments in {unit} {zone}": moments(unit, zone)
        for unit in PER_SECOND
        for zone in (None, "UTC", "Europe/Berlin")
    },
}


def as_arrow(table: Any, folder: Path) -> object:  # noqa: ANN401 - pyarrow has no types
    del folder
    return table


def as_parquet(table: Any, folder: Path) -> object:  # noqa: ANN401 - pyarrow has no types
    pq.write_table(table, folder / "a.parquet")
    return folder / "a.parquet"


def as_polars(table: Any, folder: Path) -> object:  # noqa: ANN401 - pyarrow has no types
    del folder
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame.lazy()


def as_pandas(table: Any, folder: Path) -> object:  # noqa: ANN401 - pyarrow has no types
    del folder
    return table.to_pandas()


def as_pandas_arrow(table: Any, folder: Path) -> object:  # noqa: ANN401 - pyarrow has no types
    del folder
    return table.to_pandas(types_mapper=pd.ArrowDtype)


MAKERS: list[Callable[[Any, Path], object]] = [
    as_arrow,
    as_parquet,
    as_polars,
    as_pandas,
    as_pandas_arrow,
]


def holds(make: Callable[[Any, Path], object], name: str) -> bool:
    """Whether an engine can hold such values at all, as they are."""
    if make is as_polars:
        # polars makes nulls, or moments, of such numbers itself.
        return not name.startswith("times") and name != "days in ms"
    if make is as_pandas:
        try:
            ODD[name][0].to_pandas()
        except (ValueError, OverflowError, pa.ArrowException):
            return False
    return True


@pytest.mark.parametrize(
    ("make", "name"),
    [
        pytest.param(make, name, id=f"{make.__name__}-{name}")
        for make in MAKERS
        for name in ODD
        if holds(make, name)
    ],
)
def test_no_value_fails_in_any_engine(
    name: str, make: Callable[[Any, Path], object], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    array, said = ODD[name]
    source = make(pa.table({"odd": array, "id": list(range(len(array)))}), tmp_path)
    with open_table(source) as table:
        assert cells(table, "odd") == said
        # As a filter, a person, a group and a key, such a cell stands for nothing, and takes nothing along.
        text, readable = (
            next(iter(said)),
            {text: n for text, n in said.items() if text not in {NOTHING, UNREADABLE}},
        )
        assert sum(cells(table, "id", where={"odd": text}).values()) == 1
        assert sum(cells(table, "id", unit="odd").values()) == len(readable)
        assert cells_by(table, "id", "odd", [text])[text] == {"0": 1}
        assert dict(count_keys(table, "odd")) == readable
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""


def test_moments_with_a_zone_are_in_utc_everywhere(tmp_path: Path) -> None:
    import duckdb

    zoned = pd.DataFrame({"at": pd.to_datetime(["2020-07-01 12:00"]).tz_localize("Europe/Berlin")})
    zoned.to_parquet(tmp_path / "a.parquet")
    for source in (
        zoned,
        zoned.astype(object),
        pl.from_pandas(zoned),
        pa.Table.from_pandas(zoned),
        tmp_path / "a.parquet",
        duckdb.from_arrow(pa.Table.from_pandas(zoned)),
    ):
        with open_table(source) as table:
            assert cells(table, "at") == {"2020-07-01T10:00:00+00:00": 1}, type(source)


def test_parquet_columns_are_found_by_their_names(tmp_path: Path) -> None:
    rows = {"a": [{"b": 1}, {"b": 2}], "a.b": ["red", "blue"], "": ["x", "y"], "A": [True, None]}
    pq.write_table(pa.table(rows), tmp_path / "a.parquet", row_group_size=1)
    shares: list[float] = []
    with open_table(tmp_path / "a.parquet") as table:
        assert table.columns == ("a", "a.b", "", "A")
        assert table.source.unreadable == ("a",)
        assert cells(table, "a.b", where={"A": "true"}, progress=shares.append) == {"red": 1}
        assert cells(table, "") == {"x": 1, "y": 1}
        assert cells(table, "a") == {UNREADABLE: 2}
        assert cells(table, "a", where={"": "y"}, unit="A") == {}
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_texts_that_an_engine_takes_for_the_same_stay_apart() -> None:
    import duckdb

    with contextlib.closing(duckdb.connect()) as database:
        database.execute("create table t (vote varchar collate nocase)")
        database.execute("insert into t values ('red'), ('RED'), ('Red')")
        with open_table(database.table("t")) as table:
            assert cells(table, "vote") == {"red": 1, "RED": 1, "Red": 1}
            assert dict(count_keys(table, "vote")) == {"red": 1, "RED": 1, "Red": 1}


def test_spark_cells_are_read_by_what_is_stored() -> None:
    session = spark()
    raw = session.sql("select cast(v as string) as vote from values (X'726564'), (X'7265FF') as t(v)")
    with open_table(raw) as table:
        assert cells(table, "vote") == {"red": 1, UNREADABLE: 1}
    days = session.sql(
        "select date'+99999-01-01' as day union all select date'2020-01-31' as day "
        "union all select date_add(date'0001-01-01', -1) union all select date'0001-01-01'"
    )
    with open_table(days) as table:
        assert cells(table, "day") == {"0001-01-01": 1, "2020-01-31": 1, UNREADABLE: 2}


def test_spark_columns_are_found_by_their_names() -> None:
    session = spark()
    dotted = session.sql("select 'x' as `a.b`, 'red' as vote, 'y' as Vote, named_struct('b', 1) as a")
    with open_table(dotted) as table:
        assert table.columns == ("a.b", "vote", "Vote", "a")
        assert cells(table, "a.b", where={"vote": "red", "Vote": "y"}) == {"x": 1}
        assert cells(table, "a") == {UNREADABLE: 1}
    with pytest.raises(UnknownColumnError, match="the frame gives its columns 1 and 2 the same name"):
        open_table(session.sql("select 1 as a, 2 as a"))


LINES = {
    "ordinary": b'{"vote": "A"}\n{"vote": "B"}\n',
    "nobody": b"",
    "first is no object": b'oops\n{"vote": "A"}\n',
    "first lacks it": b'{"town": "Ulm"}\n{"vote": "A"}\n',
    "first has it twice": b'{"vote": "A", "vote": "B"}\n',
    "first is not utf-8": b'{"vote": "\xff"}\n{"vote": "A"}\n',
    "first is long": b'{"vote": "' + b"x" * (1 << 23) + b'"}\n{"vote": "A"}\n',
    "blank": b"\n\n \n",
}


def test_the_first_line_of_json_is_a_row_like_any_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, seen = Runner(capsys), set()
    for name, content in LINES.items():
        (tmp_path / "a.jsonl").write_bytes(content)
        words = ["ask", "yes-no", tmp_path / "a.jsonl", "--column", "vote", "--equals", "A"]
        outcome = run(*words, "--at-least", "1", "--epsilon", "1/1000")
        assert outcome.out in {"yes\n", "no\n"}, name
        seen.add((outcome.code, outcome.err))
    assert len(seen) == 1
    assert next(iter(seen))[0] == 0


def test_columns_of_json_lines_are_those_that_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text(
        '{"vote": "A", "id": 1}\n{"id": 2, "vote": "B", "x": 1}\n', encoding="utf-8"
    )
    (tmp_path / "2.jsonl").write_text('{"x": 2}\n', encoding="utf-8")
    with open_table(f"{tmp_path}/*.jsonl") as table:
        assert "no header" in table.notes[0]
        assert cells(table, "vote") == {"A": 1, "B": 1, NOTHING: 1}
        assert cells(table, "x") == {"1": 1, "2": 1, NOTHING: 1}
        assert cells(table, "vote", where={"id": "2"}) == {"B": 1}
        assert cells(table, "vote", unit="id") == {"A": 1, "B": 1}
        assert cells(table, "absent") == {NOTHING: 3}


@pytest.mark.parametrize("compressed", [False, True])
def test_a_mark_in_the_first_cell_is_a_sign_of_that_cell(tmp_path: Path, compressed: bool) -> None:
    import gzip

    content = "vote\n\ufeffA\nA\n\ufeff\n".encode()
    path = tmp_path / ("a.csv.gz" if compressed else "a.csv")
    path.write_bytes(gzip.compress(content) if compressed else content)
    for row in ("", "x,y\n"):
        more = content + row.encode()
        path.write_bytes(gzip.compress(more) if compressed else more)
        with open_table(path) as table:
            assert cells(table, "vote") == {"\ufeffA": 1, "A": 1, "\ufeff": 1}


@pytest.mark.parametrize("name", ["hz", "iso2022_jp", "iso-2022-kr", "iso2022_jp_2004", "utf-7"])
def test_encodings_in_which_a_row_decides_about_the_next_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="there is no character encoding"):
        encoding_called(name)


@pytest.mark.parametrize(
    "name", ["utf-8", "euc_kr", "cp949", "johab", "shift_jis", "gb18030", "big5", "euc_jis_2004", "cp1252"]
)
def test_no_bytes_take_a_line_ending_along(name: str) -> None:
    encoding = encoding_called(name)
    for first in range(128, 256):
        for second in (b"", *(bytes([at]) for at in range(128, 256))):
            for rest in (b"\nA\n", b"\nA\nA more of them\n"):
                found = b"".join(in_utf8(iter([bytes([first]) + second + rest]), encoding))
                assert found.endswith(rest), (name, first, second)


def test_what_is_spilled_is_for_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with connect() as database:
        (directory,) = tmp_path.iterdir()
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        assert database.execute("select current_setting('temp_directory')").fetchone() == (str(directory),)
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with connect() as database:
        assert database.execute("select 1").fetchone() == (1,)


def test_no_room_for_rows_is_one_message_without_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.contextmanager
    def cramped() -> Iterator[Any]:
        with connect() as database:
            database.execute("set temp_directory = ''")
            yield database

    monkeypatch.setattr(persons, "connect", cramped)
    monkeypatch.setattr(persons, "_MEMORY", "20MB")
    rows = pl.DataFrame({"id": range(40_000), "vote": [f"canary{at}" + "x" * 2000 for at in range(40_000)]})
    with open_table(rows) as table, pytest.raises(TableUnreadableError, match="no room") as caught:
        cells(table, "vote", unit="id")
    assert "canary" not in "".join(traceback.format_exception(caught.value))


FIRST, LAST = -62_135_596_800, 253_402_300_799
A_DAY = 86_400
# Two of them are what DuckDB calls infinity.
ENDS = (2**62, -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1, 2**63 - 2)
# The type, what it stores of ordinary cells, what these say, and what it stores of cells that say nothing.
TIMES: dict[str, tuple[Any, dict[int, str], tuple[int, ...]]] = {
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
        {0: "00:00:00", 1_500_000: "00:00:01.500000", A_DAY * 10**6 - 1: "23:59:59.999999"},
        (-1, A_DAY * 10**6, A_DAY * 10**6 + 1, A_DAY * 10**9, *ENDS),
    ),
    "time_ns": (
        pa.time64("ns"),
        {0: "00:00:00", 1500: "00:00:00.000001500", A_DAY * 10**9 - 1: "23:59:59.999999999"},
        (-1, A_DAY * 10**9, A_DAY * 10**9 + 1, *ENDS),
    ),
}
KINDS = pytest.mark.parametrize("kind", TIMES)


def stored_times(kind: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a column with ordinary cells, a null, and all others."""
    arrow, ordinary, far = TIMES[kind]
    return pa.array([*ordinary, None, *far], pa.int64()).view(arrow)


def said(kind: str) -> dict[str, int]:
    """Return what its cells say."""
    _, ordinary, far = TIMES[kind]
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


PLACES = pytest.mark.parametrize("place", [from_file, relation])


@contextlib.contextmanager
def opened(place: Callable[[Any, str, Path], Any], kind: str, directory: Path) -> Iterator[Any]:
    """Open the table."""
    with open_table(place(stored_times(kind), kind, directory)) as table:
        yield table


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@PLACES
@KINDS
def test_far_cells_cannot_be_read_and_take_no_other_along(
    kind: str, place: Callable[[Any, str, Path], Any], tmp_path: Path
) -> None:
    _, ordinary, far = TIMES[kind]
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


def _objects(values: list[object]) -> "pd.Series[Any]":
    held = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        held[at] = value
    return pd.Series(held, dtype=object)


class Text(str):
    """A text of a user's own class."""

    __slots__ = ()


OBJECTS: dict[str, tuple[object, dict[str, int]]] = {
    "any": (object(), {UNREADABLE: 1}),
    "list": (["red"], {UNREADABLE: 1}),
    "array": (np.array("red"), {UNREADABLE: 1}),
    "derived": (Text("green"), {"green": 1}),
    "nothing": (pd.NA, {NOTHING: 1}),
    "duration": (np.timedelta64(5, "D"), {UNREADABLE: 1}),
    "far moment": (pd.Timestamp(np.datetime64("20000-01-01", "s")), {UNREADABLE: 1}),
    "far moment of numpy": (np.datetime64("12000-01-01", "us"), {UNREADABLE: 1}),
}


@pytest.mark.parametrize("stored", ["object", "Sparse[object]"])
@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_is_one_cell_wherever_it_stands(kind: str, stored: Any) -> None:  # noqa: ANN401 - a type
    odd, said = OBJECTS[kind]
    frame = pd.DataFrame(
        {"vote": ["a", "a", "b", "a"], "odd": _objects(["red", "red", odd, "blue"]).astype(stored)}
    )
    with open_table(frame) as table:
        assert cells(table, "odd") == {"red": 2, "blue": 1, **said}
        assert cells(table, "vote") == {"a": 3, "b": 1}
        assert cells(table, "vote", where={"odd": "red"}) == {"a": 2}
        counts_as_person = {"b": 1} if "green" in said else {}
        assert cells(table, "vote", unit="odd", max_rows=9) == {"a": 3, **counts_as_person}
        assert cells_by(table, "vote", "odd", ["red", "blue"]) == {"red": {"a": 2}, "blue": {"a": 1}}


def test_many_categories_over_many_rows_say_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rainbowdp.tables.frames._ROWS", 2)
    column = pd.Series(["b", None, "a", "c", "a", None, "b"]).astype("category")
    with open_table(pd.DataFrame({"x": column})) as table:
        assert cells(table, "x") == {"a": 2, "b": 2, "c": 1, NOTHING: 2}


def test_a_uuid_has_sixteen_bytes() -> None:
    kind = pl.Extension("arrow.uuid", pl.Binary)
    held = pl.Series("x", [b"\x01" * 16, b"red", b"", b"\x02" * 17, None], dtype=pl.Binary)
    column = held.ext.to(kind)
    for frame in (pl.DataFrame(column), pl.DataFrame(column).lazy()):
        with open_table(frame) as table:
            said = {"01010101-0101-0101-0101-010101010101": 1, UNREADABLE: 3, NOTHING: 1}
            assert cells(table, "x") == said
    real = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"\x01" * 16, None], pa.binary(16)))
    with open_table(pa.table({"x": real})) as table:
        assert cells(table, "x") == {"01010101-0101-0101-0101-010101010101": 1, NOTHING: 1}


@pytest.mark.parametrize(
    "error",
    [RuntimeError("Query interrupted"), duckdb.Error("a\nKeyboardInterrupt: \n")],
    ids=["runtime", "inside"],
)
@pytest.mark.parametrize("step", ["register", "execute"])
def test_an_interrupt_while_rows_are_put_aside_is_one(
    error: Exception, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stops:
        def __init__(self, database: Any) -> None:  # noqa: ANN401 - DuckDB's connection
            self.database = database

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever it has
            if name != step:
                return getattr(self.database, name)

            def stop(*_: object) -> None:
                raise error

            return stop

    insert = Spool._insert

    def stopped(self: Spool, table: str, **columns: object) -> None:
        self._database = Stops(self._database)  # type: ignore[assignment]  # stands for it
        insert(self, table, **columns)

    monkeypatch.setattr(Spool, "_insert", stopped)
    frame = pd.DataFrame({"vote": ["A", "B"], "id": [1, 2]})
    with open_table(frame) as table, pytest.raises(KeyboardInterrupt):
        cells(table, "vote", unit="id")
