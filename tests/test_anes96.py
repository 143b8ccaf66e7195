# SPDX-License-Identifier: Apache-2.0
"""examples/anes96.csv is what its script makes of the survey that statsmodels ships, column by column."""

import csv
import runpy
from collections import Counter
from pathlib import Path

PATH = Path(__file__).resolve().parents[1] / "examples" / "anes96.csv"
NUMBERS = ("selfLR", "PID", "age", "income", "TVnews", "popul")
FOLDED = dict(zip("1234567", ["left"] * 3 + ["moderate"] + ["right"] * 3, strict=True))


def test_the_script_makes_the_committed_file() -> None:
    script = runpy.run_path(str(PATH.with_suffix(".py")))
    assert script["derive"]().encode() == PATH.read_bytes()


def test_every_cell_is_that_of_the_survey() -> None:
    from statsmodels.datasets import anes96

    with PATH.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    survey = anes96.load_pandas().data
    assert "public domain" in anes96.COPYRIGHT
    assert list(rows[0]) == ["placement", "selfLR", "PID", "vote", "age", "over45", *NUMBERS[3:]]
    for column in NUMBERS:
        assert [float(row[column]) for row in rows] == survey[column].to_list()
    assert all(row["placement"] == FOLDED[row["selfLR"]] for row in rows)
    assert all(row["over45"] == ("yes" if int(row["age"]) > 45 else "no") for row in rows)
    assert Counter(row["vote"] for row in rows) == {"Clinton": 551, "Dole": 393}
