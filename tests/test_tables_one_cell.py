# SPDX-License-Identifier: Apache-2.0
"""A cell is read as its description says, whatever cells stand beside it, and in whichever order."""

import contextlib
import csv
import datetime as dt
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import rainbowdp
from arrow_places import PLACES
from cell_tally import NOTHING, UNREADABLE, cells
from rainbowdp.tables import open_table

Cells = Sequence[Any]

# What cells say, by the properties of the field that describes them.
GERMAN: dict[str, Any] = {"type": "number", "decimalChar": ",", "groupChar": "."}
SAID: list[tuple[dict[str, Any], list[tuple[object, str]]]] = [
    (
        GERMAN,
        [
            ("1.200", "1200"), ("1.200\u200b", "1200"), ("\ufeff2,50 ", "2.50"), ("2,50", "2.50"),
            ("2,50\u2060", "2.50"), ("7\u200d", "7"), ("x\u200b", "x"), ("\u200b", NOTHING), ("true", "true"),
            ("\x005", UNREADABLE), (1.2, "1.2"), (1200, "1200"), (0.1, "0.1"), (True, "true"),
            (None, NOTHING),
        ],
    ),
    # As pandas writes truth values, some of which are missing, and people type them.
    (
        {"type": "boolean"},
        [
            ("1.0", "true"), ("0.0", "false"), ("1", "true"), ("TRUE", "true"), ("false\u200b", "false"),
            (1, "true"), (0.0, "false"), (True, "true"), ("2.0", "2.0"), (2, "2"), ("ja", "ja"),
            (None, NOTHING),
        ],
    ),
    (
        {"type": "boolean", "trueValues": ["Ja ", "fu\u0308r", "2.0"], "falseValues": ["0"]},
        [
            ("Ja", "true"), ("Ja \u200b", "true"), ("f\u00fcr", "true"), ("2.00", "true"), ("0.0", "false"),
            (2, "true"), (0, "false"), (1, "1"), ("ja", "ja"),
        ],
    ),
    # Stored days are not written in any way, and the number of a day may be.
    (
        {"type": "date", "format": "%Y%d%m"},
        [
            ("20260201", "2026-01-02"), ("20260201\u200b", "2026-01-02"), (20260201, "2026-01-02"),
            (20260201.0, "2026-01-02"), ("2026-02-01", "2026-02-01"), ("x", "x"),
            (dt.date(2026, 2, 1), "2026-02-01"),
        ],
    ),
    (
        {"type": "date", "format": "%Y-%d-%m"},
        [("2026-02-01", "2026-01-02"), (dt.date(2026, 2, 1), "2026-02-01"), (7, "7")],
    ),
    (
        {"type": "datetime", "format": "%Y-%d-%mT%H:%M:%S"},
        [
            ("2026-02-01T05:06:07", "2026-01-02T05:06:07"),
            (dt.datetime.fromisoformat("2026-02-01T05:06:07"), "2026-02-01T05:06:07"),
        ],
    ),
]  # fmt: skip


def as_csv(column: Cells, place: Path) -> object:
    with (place / "t.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["x"], *([cell] for cell in column)])
    return place / "t.csv"


def as_json(column: Cells, place: Path) -> object:
    (place / "t.jsonl").write_text("".join(json.dumps({"x": cell}) + "\n" for cell in column), "utf-8")
    return place / "t.jsonl"


def as_json_in_arrow(column: Cells, _: object) -> pa.Table:
    return pa.table({"x": pa.array(list(map(json.dumps, column)), pa.json_())})


def as_workbook(column: Cells, place: Path) -> object:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    # A row without a value is no record.
    for row in (["x", "y"], *([cell, 1] for cell in column)):
        sheet.append(row)
    book.save(place / "t.xlsx")
    return place / "t.xlsx"


def as_statistics(ending: str) -> Callable[[Cells, Path], object]:
    write = pyreadstat.write_dta if ending == "dta" else pyreadstat.write_sav

    def written(column: Cells, place: Path) -> object:
        write(pd.DataFrame({"x": column}), place / f"t.{ending}")
        return place / f"t.{ending}"

    return written


def as_sqlite(column: Cells, place: Path) -> object:
    (place / "t.db").unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(place / "t.db")) as database:
        database.execute("create table t (x)")
        database.executemany("insert into t values (?)", [(cell,) for cell in column])
        database.commit()
    return f"sqlite:///{place}/t.db"


def written(place: str, column: Cells, folder: Path) -> object:
    return PLACES[place](pa.table({"x": list(column)}), folder)


def objects(column: Cells) -> pd.DataFrame:
    return pd.DataFrame({"x": pd.Series(column, dtype=object)})


# How to make a source of cells, and which of them it can hold.
NO_NUL, TEXTS, DAYS = ("no NUL", str), (str,), (dt.date, dt.datetime)
OF_JSON = (str, int, float, bool, type(None))
MAKERS: dict[str, tuple[Callable[[Cells, Path], Any], tuple[object, ...]]] = {
    "csv": (as_csv, NO_NUL),
    "json": (as_json, OF_JSON),
    "json in arrow": (as_json_in_arrow, OF_JSON),
    "json in polars": (lambda column, _: pl.DataFrame(as_json_in_arrow(column, _)), OF_JSON),
    "json in duckdb": (
        lambda column, _: duckdb.from_arrow(as_json_in_arrow(column, _)).project("x::json as x"),
        OF_JSON,
    ),
    **{
        place: (partial(written, place), TEXTS)
        for place in ("arrow", "parquet", "polars", "relation", "pandas")
    },
    "objects": (lambda column, _: objects(column), (str, int, float, bool, *DAYS, type(None))),
    "categories": (lambda column, _: objects(column).astype("category"), (str, int, float, *DAYS)),
    "xlsx": (as_workbook, ("no NUL", str, int, float, bool, *DAYS, type(None))),
    "sav": (as_statistics("sav"), NO_NUL),
    "dta": (as_statistics("dta"), NO_NUL),
    "sqlite": (as_sqlite, ("no NUL", str, int, float, type(None))),
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    ("field", "said"), SAID, ids=lambda part: str(part.get("type", "")) if isinstance(part, dict) else ""
)
def test_each_cell_is_read_alone(
    maker: str, field: dict[str, Any], said: list[tuple[object, str]], tmp_path: Path
) -> None:
    make, kinds = MAKERS[maker]
    held = [
        (cell, text)
        for cell, text in said
        if type(cell) in kinds and not ("no NUL" in kinds and "\0" in str(cell))
    ]
    describe = {"schema": {"fields": [{"name": "x", **field}], "fieldsMatch": "partial"}}
    for chosen in (held[:1], held, [*held[::-1], *held]):
        with open_table(make([cell for cell, _ in chosen], tmp_path), describe=describe) as table:
            right = Counter(text for _, text in chosen)
            assert cells(table, "x") == right
            if len(chosen) > len(held) and field is GERMAN:
                # Rows that are not counted together are read in another way.
                right[NOTHING] = right[UNREADABLE] = 0
                assert cells(table, "x", unit="x", max_rows=99) == +right


DAY = dt.date(2026, 2, 1)
IN_ARROW = pa.table({"x": [DAY]})
MOMENT = pd.to_datetime([DAY])
# Columns of a type of days or moments, a pattern that reads another one of the same text, and that text.
TYPED: list[tuple[object, str, str, str]] = [
    *(
        (source, "date", "%Y-%d-%m", "2026-02-01")
        for source in (
            IN_ARROW,
            pl.DataFrame(IN_ARROW),
            duckdb.from_arrow(IN_ARROW),
            pa.table({"x": pa.array([DAY], pa.date64())}),
        )
    ),
    *(
        (pd.DataFrame({"x": column}), "datetime", "%Y-%d-%mT%H:%M:%S", "2026-02-01T00:00:00")
        for column in (MOMENT, pd.Categorical(MOMENT))
    ),
    (pa.table({"x": [dt.time(5, 6)]}), "time", "%M:%H:%S", "05:06:00"),
    (duckdb.sql("select '05:06:00+00'::timetz as x"), "time", "%M:%H:%S%z", "05:06:00+00:00"),
]


@pytest.mark.parametrize(("source", "kind", "form", "said"), TYPED)
def test_a_pattern_of_texts_is_nothing_to_days_and_moments(
    source: object, kind: str, form: str, said: str
) -> None:
    with open_table(source, describe={"fields": [{"name": "x", "type": kind, "format": form}]}) as table:
        assert cells(table, "x") == {said: 1}


@pytest.mark.parametrize("more", [[], [dt.date(2026, 1, 31)]])
@pytest.mark.parametrize("dtype", ["category", pd.SparseDtype("object", None)])
def test_a_text_that_begins_with_nul_is_no_number_whatever_stands_beside(more: list[Any], dtype: Any) -> None:  # noqa: ANN401 - of pandas
    values = pd.Series(["\x002.5", *more], dtype=object)
    column = pd.Categorical(values) if dtype == "category" else values.astype(dtype)
    with open_table(pd.DataFrame({"x": column})) as table:
        assert cells(table, "x")[UNREADABLE] == 1


# What libraries infer a type without text from, or one that pandas makes notes about, and what reads rows.
INFERRED = [dt.timedelta(1), [1], {"a": 1}, pd.Timedelta(1, "s"), pd.Period("2026-01"), pd.Interval(1, 2)]
INFERRING: dict[str, Callable[[Cells], Any]] = {
    "pandas": lambda column: pd.DataFrame({"x": list(column)}),
    "categories": lambda column: pd.DataFrame({"x": pd.Categorical(objects(column)["x"])}),
    "arrow in pandas": lambda column: pa.table({"x": column}).to_pandas(types_mapper=pd.ArrowDtype),
    "arrow": lambda column: pa.table({"x": column}),
    "dictionary": lambda column: pa.table({"x": pa.array(column).dictionary_encode()}),
    "parquet": lambda column: pa.table({"x": column}),
    "polars": lambda column: pl.DataFrame({"x": column}),
    "lazy polars": lambda column: pl.LazyFrame({"x": column}),
    "duckdb": lambda column: duckdb.from_arrow(pa.table({"x": column})),
}


@pytest.mark.parametrize("maker", INFERRING)
@pytest.mark.parametrize("cell", INFERRED, ids=lambda cell: type(cell).__name__)
def test_an_empty_cell_is_empty_whatever_type_another_row_gives_the_column(
    maker: str, cell: object, tmp_path: Path
) -> None:
    seen = set()
    for other in (cell, None, "n/a"):
        try:
            source = INFERRING[maker]([other, None, None])
        except (TypeError, pa.ArrowException):
            continue  # The library has no such column.
        if maker == "parquet":
            pq.write_table(source, tmp_path / "t.parquet")
            source = tmp_path / "t.parquet"
        with open_table(source) as table:
            found = cells(table, "x")
            assert found[NOTHING] == (3 if other is None else 2)
            assert sum(found.values()) == 3
            if maker not in ("parquet", "duckdb"):  # Files and databases declare their types.
                question = rainbowdp.winner("x", ["a", "none"], nulls="none")
                seen.add((table.notes, rainbowdp.release.Terms(question, rainbowdp.PureDP(1)).notes(table)))
    assert len(seen) < 2
