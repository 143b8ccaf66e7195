# SPDX-License-Identifier: Apache-2.0
"""Spreadsheets and files of SPSS and Stata, written by the libraries that people use, are read as texts."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest

from rainbowdp.errors import TableUnreadableError, UnknownColumnError
from rainbowdp.formats.table_descriptions import Dialect
from rainbowdp.questions.cells import cell_text
from rainbowdp.tables.source import Source
from rainbowdp.tables.spreadsheets import spreadsheet_source, statistics_source


def texts(source: Source) -> list[dict[str, object]]:
    """Return the rows as texts by column; marks by their names."""
    columns = source.columns
    assert columns is not None
    found = [row for batch in source.batches(columns, counted=False) for row in zip(*batch, strict=True)]
    counted = [batch[-1] for batch in source.batches(columns, counted=True)]
    assert sum(int(str(count)) for counts in counted for count in counts) == len(found)
    said = [[cell_text(cell) for cell in row] for row in found]
    return [
        {column: getattr(cell, "value", cell) for column, cell in zip(columns, row, strict=True)}
        for row in said
    ]


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    rows: list[list[object]] = [
        ["id", "vote", None, "born", "share", "at", "yes"],
        [1, " red", "no name", dt.date(1999, 12, 31), 0.1, dt.time(3, 4, 5), True],
        [],
        [
            123456789012,
            "blå",
            None,
            dt.datetime.fromisoformat("2026-01-31T05:06:07"),
            2.50,
            dt.timedelta(hours=30),
            False,
        ],
        ["x", "", None, None, "=1/0", None, None],
    ]
    for row in rows:
        first.append(row)
    second = book.create_sheet("Umfrage")
    for line in (["made by hand"], ["fruit", "fruit"], ["name", "weight"], ["apple", 3], ["left out", 4]):
        second.append(line)
    path = tmp_path / "people.xlsx"
    book.save(path)
    return path


def test_a_sheet_gives_what_its_cells_hold(workbook: Path) -> None:
    assert texts(spreadsheet_source(workbook, "people", Dialect())) == [
        {"id": "1", "vote": "red", "born": "1999-12-31", "share": "0.1", "at": "03:04:05", "yes": "true"},
        {
            "id": "123456789012",
            "vote": "blå",
            "born": "2026-01-31T05:06:07",
            "share": "2.5",
            "at": "invalid",
            "yes": "false",
        },
        {"id": "x", "vote": "null", "born": "null", "share": "null", "at": "null", "yes": "null"},
    ]


@pytest.mark.parametrize("sheet", [2, "Umfrage"])
def test_a_description_says_which_sheet_and_header(workbook: Path, sheet: int | str) -> None:
    dialect = Dialect(header_rows=(2, 3), comment_rows=(5,), sheet=sheet)
    found = texts(spreadsheet_source(workbook, "people", dialect))
    assert found == [{"fruit name": "apple", "fruit weight": "3"}]


def test_a_spreadsheet_that_cannot_be_read_says_why(workbook: Path, tmp_path: Path) -> None:
    with pytest.raises(TableUnreadableError, match="no sheet 3") as caught:
        spreadsheet_source(workbook, "people", Dialect(sheet=3))
    assert "'Umfrage'" in caught.value.help
    with pytest.raises(UnknownColumnError, match="the same name"):
        spreadsheet_source(workbook, "people", Dialect(header_rows=(2,), sheet=2))
    with pytest.raises(TableUnreadableError, match="no header"):
        spreadsheet_source(workbook, "people", Dialect(header_rows=(99,)))
    (tmp_path / "broken.xlsx").write_bytes(workbook.read_bytes()[:500])
    with pytest.raises(TableUnreadableError, match="cannot be read as a spreadsheet"):
        spreadsheet_source(tmp_path / "broken.xlsx", "broken", Dialect())


# What a cell holds, how it is shown, and what it says; None where its row is left out.
ODD_CELLS: list[tuple[object, str, str | None]] = [
    (60, "yyyy-mm-dd", "1900-02-28"),  # the day that Excel alone has
    (2958465, "yyyy-mm-dd", "9999-12-31"),
    (2958466, "yyyy-mm-dd", "2958466"),
    (1e300, "yyyy-mm-dd", "1e+300"),
    (-1e300, "yyyy-mm-dd", None),
    (-93e12, "h:mm", None),
    (1e10, "[h]:mm", None),
    (dt.timedelta(days=-1), "[h]:mm", "invalid"),
    (dt.timedelta(hours=30), "[h]:mm", "invalid"),
    (dt.time(3, 4, 5), "h:mm", "03:04:05"),
    (0.5, "h:mm", "12:00:00"),
    ("#N/A", "General", "null"),
    ("=1+1", "General", "null"),
    (True, "General", "true"),
    (float("inf"), "General", "null"),
    (-1e300, "General", "-1e+300"),
]


def test_no_cell_of_a_spreadsheet_decides_about_other_rows(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["vote", "odd"])
    for number, (cell, form, _) in enumerate(ODD_CELLS, start=2):
        sheet.append([f"v{number}", cell])
        sheet.cell(number, 2).number_format = form
    sheet.append(["top", "merged"])
    sheet.append(["hidden by merging", "x"])
    sheet.merge_cells(start_row=sheet.max_row - 1, end_row=sheet.max_row, start_column=1, end_column=1)
    book.save(tmp_path / "odd.xlsx")
    source = spreadsheet_source(tmp_path / "odd.xlsx", "odd", Dialect())
    expected = [
        {"vote": f"v{number}", "odd": said}
        for number, (_, _, said) in enumerate(ODD_CELLS, start=2)
        if said is not None
    ]
    merged = [{"vote": "top", "odd": "merged"}, {"vote": "null", "odd": "x"}]
    assert texts(source) == [*expected, *merged]
    assert source.left_out() == {"holds a date or a duration that no calendar has": 3}


def test_no_header_of_a_spreadsheet_is_quoted(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["vote", -1e300])
    sheet.cell(1, 2).number_format = "yyyy-mm-dd"
    book.save(tmp_path / "odd.xlsx")
    with pytest.raises(TableUnreadableError, match="has no header"):
        spreadsheet_source(tmp_path / "odd.xlsx", "odd", Dialect())


@pytest.mark.parametrize("suffix", [".sav", ".zsav", ".dta"])
def test_files_of_statistics_give_value_labels_else_codes(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"survey{suffix}"
    frame = pd.DataFrame(
        {
            "vote": [1.0, 2.0, 3.0, None],
            "name": ["Zoë", "b", " ", "d"],
            "at": [
                dt.datetime.fromisoformat("2026-01-31T05:06:07"),
                dt.datetime.fromisoformat("1900-01-01T00:00:00"),
                None,
                dt.datetime.fromisoformat("1999-12-31T00:00:00"),
            ],
        }
    )
    labels: dict[str, dict[int | float, str]] = {"vote": {1: "red", 2: "blue"}}
    if suffix == ".dta":
        pyreadstat.write_dta(frame, path, variable_value_labels=labels)
    else:
        pyreadstat.write_sav(frame, path, variable_value_labels=labels, compress=suffix == ".zsav")
    assert texts(statistics_source(path, "survey", None)) == [
        {"vote": "red", "name": "Zoë", "at": "2026-01-31T05:06:07"},
        {"vote": "blue", "name": "b", "at": "1900-01-01T00:00:00"},
        {"vote": "3", "name": "null", "at": "null"},
        {"vote": "null", "name": "d", "at": "1999-12-31T00:00:00"},
    ]


def test_dates_and_times_of_statistics_are_read_and_none_of_them_fails(tmp_path: Path) -> None:
    path = tmp_path / "dates.sav"
    frame = pd.DataFrame({"day": [1e6, 13e9, 1e300], "time": [3661.5, 90_000.0, -1.0]})
    pyreadstat.write_sav(frame, path, variable_format={"day": "DATE11", "time": "TIME8"})
    first, second = pyreadstat.read_sav(path, row_limit=2)[0]["day"]
    assert texts(statistics_source(path, "dates", None)) == [
        {"day": first.isoformat(), "time": "01:01:01.500000"},
        {"day": second.isoformat(), "time": "invalid"},
        {"day": "invalid", "time": "invalid"},
    ]
    (tmp_path / "broken.sav").write_bytes(b"$FL2@(#) SPSS")
    with pytest.raises(TableUnreadableError, match="cannot be read as a file of SPSS or Stata"):
        statistics_source(tmp_path / "broken.sav", "broken", None)


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_one_text_of_another_encoding_is_one_cell_that_cannot_be_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"survey{suffix}"
    frame = pd.DataFrame({"größe": ["zu groß", "blXXe", "klein"], "name": ["a", "b", "c"]})
    labels: dict[str, dict[int | float, str]] = {}
    write = pyreadstat.write_dta if suffix == ".dta" else pyreadstat.write_sav
    if suffix == ".dta":
        frame = frame.rename(columns={"größe": "size"})
    write(frame, path, variable_value_labels=labels)
    path.write_bytes(path.read_bytes().replace(b"blXXe", b"bl\xfc\xe4e"))
    column = frame.columns[0]
    assert texts(statistics_source(path, "survey", None)) == [
        {column: "zu groß", "name": "a"},
        {column: "invalid", "name": "b"},
        {column: "klein", "name": "c"},
    ]
    latin = texts(statistics_source(path, "survey", "cp1252"))
    assert [row[next(iter(row))] for row in latin] == ["zu groÃŸ", "blüäe", "klein"]


@pytest.mark.parametrize("version", [114, 117, 118])
def test_files_of_stata_are_read_in_the_encoding_of_their_form(tmp_path: Path, version: int) -> None:
    frame = pd.DataFrame({"vote": ["rød", "blue"]})
    frame.to_stata(tmp_path / "s.dta", version=version, write_index=False)  # type: ignore[arg-type]  # one of three
    found = texts(statistics_source(tmp_path / "s.dta", "survey", None))
    assert [row["vote"] for row in found] == ["rød", "blue"]


@pytest.mark.parametrize(("version", "order"), [(117, "little"), (118, "little"), (118, "big"), (119, "big")])
def test_long_texts_of_stata_are_read_one_by_one(tmp_path: Path, version: Any, order: Any) -> None:  # noqa: ANN401 - as pandas has them
    path = tmp_path / "s.dta"
    # One byte is a letter before form 118 and no text in UTF-8, one ends a text.
    held = ["größer", "Ω" if version > 117 else "x", "blX", "a0b", "", "y" * 3000, "größer"]
    frame = pd.DataFrame({"vote": held, "name": ["ä", "b", "c", "d", "e", "f", "g"], "why": "ß"})
    frame.to_stata(path, version=version, write_index=False, convert_strl=["vote", "why"], byteorder=order)
    path.write_bytes(path.read_bytes().replace(b"blX", b"bl\xe5").replace(b"a0b", b"a\0b"))
    found = texts(statistics_source(path, "survey", None))
    odd = "blå" if version == 117 else "invalid"
    assert [row["vote"] for row in found] == [*held[:2], odd, "invalid", "null", *held[5:]]
    assert [(row["name"], row["why"]) for row in found] == [(name, "ß") for name in frame["name"]]


@pytest.mark.parametrize("form", ["%td", "%d", "%dD_m_Y", "%tc", "%tcHH:MM", "%tm", "%tq", "%tw", "%th"])
def test_dates_of_stata_say_the_days_on_which_they_begin(tmp_path: Path, form: str) -> None:
    numbers = [0.0, 792.0, -1.0, -53.0, 51.0, 52.0, 365.0]
    for said in (form, "%-" + form[1:]):
        frame = pd.DataFrame({"day": [*numbers, 1e300, -1e7 if "c" not in form else -1e300]})
        pyreadstat.write_dta(frame, tmp_path / "s.dta", variable_format={"day": said})
        found = [row["day"] for row in texts(statistics_source(tmp_path / "s.dta", "survey", None))]
        # pandas knows the formats without the hyphen, which stands for the side of the column.
        pyreadstat.write_dta(frame[: len(numbers)], tmp_path / "s.dta", variable_format={"day": form})
        right = [moment.isoformat() for moment in pd.read_stata(tmp_path / "s.dta")["day"].dt.to_pydatetime()]
        days = [text if "c" in form else text.partition("T")[0] for text in right]
        assert found == [*days, "invalid", "invalid"]


def test_formats_of_months_in_spss_say_days_and_short_floats_of_stata_their_digits(tmp_path: Path) -> None:
    seconds = (
        dt.datetime.fromisoformat("2026-01-31") - dt.datetime.fromisoformat("1582-10-14")
    ).total_seconds()
    frame = pd.DataFrame({"month": [seconds], "quarter": [seconds], "week": [seconds]})
    forms = {"month": "MOYR8", "quarter": "QYR6", "week": "WKYR8"}
    pyreadstat.write_sav(frame, tmp_path / "s.sav", variable_format=forms)
    assert texts(statistics_source(tmp_path / "s.sav", "survey", None)) == [
        dict.fromkeys(forms, "2026-01-31")
    ]
    pd.DataFrame({"x": np.array([0.7, 0.1, 2], "float32")}).to_stata(tmp_path / "s.dta", write_index=False)
    assert [row["x"] for row in texts(statistics_source(tmp_path / "s.dta", "s", None))] == [
        "0.7",
        "0.1",
        "2",
    ]
