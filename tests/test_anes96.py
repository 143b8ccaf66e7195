# SPDX-License-Identifier: Apache-2.0
"""examples/anes96.csv is what its script makes of the survey that statsmodels ships, column by column."""

import csv
import runpy
from collections import Counter
from pathlib import Path

import pytest

COLUMNS = ("placement", "selfLR", "PID", "vote", "age", "over45", "income", "TVnews", "popul")
PATH = Path(__file__).resolve().parents[1] / "examples" / "anes96.csv"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with PATH.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def survey() -> dict[str, list[float]]:
    from statsmodels.datasets import anes96

    columns: dict[str, list[float]] = anes96.load_pandas().data.to_dict("list")
    return columns


def test_the_script_makes_the_committed_file() -> None:
    script = runpy.run_path(str(PATH.with_suffix(".py")))
    assert script["derive"]().encode() == PATH.read_bytes()


def test_the_counts_are_the_surveys(rows: list[dict[str, str]]) -> None:
    assert list(rows[0]) == [*COLUMNS]
    assert len(rows) == 944
    assert Counter(row["placement"] for row in rows) == {"left": 266, "moderate": 256, "right": 422}
    assert Counter(row["vote"] for row in rows) == {"Clinton": 551, "Dole": 393}


def test_the_placement_folds_the_seven_answers(rows: list[dict[str, str]]) -> None:
    folded = {(row["selfLR"], row["placement"]) for row in rows}
    assert folded == {
        ("1", "left"),
        ("2", "left"),
        ("3", "left"),
        ("4", "moderate"),
        ("5", "right"),
        ("6", "right"),
        ("7", "right"),
    }


def test_over_45_is_read_off_the_age(rows: list[dict[str, str]]) -> None:
    assert all(row["over45"] == ("yes" if int(row["age"]) > 45 else "no") for row in rows)
    assert Counter(row["over45"] for row in rows) == {"no": 502, "yes": 442}


@pytest.mark.parametrize("column", ["selfLR", "PID", "age", "income", "TVnews", "popul"])
def test_numbers_are_the_surveys_row_by_row(
    rows: list[dict[str, str]], survey: dict[str, list[float]], column: str
) -> None:
    assert [float(row[column]) for row in rows] == survey[column]


def test_the_source_says_that_the_data_are_in_the_public_domain() -> None:
    from statsmodels.datasets import anes96

    assert "public domain" in anes96.COPYRIGHT
