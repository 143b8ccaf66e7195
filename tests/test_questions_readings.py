# SPDX-License-Identifier: Apache-2.0
"""Readings that somebody makes: of which parts they may be."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import rainbowdp as rdp
from own_readings import ReadsOwn
from rainbowdp.errors import QuestionError
from rainbowdp.questions import (
    BracketReading,
    SumReading,
    check_question,
)

VOTES = ("A", "B")


def test_a_reading_takes_numbers_in_any_exact_form() -> None:
    lower: Any = "0.5"
    edges: Any = ["18", 65]
    assert SumReading("age", lower, Fraction(99)).summary([("0", 3)]).total == Fraction(3, 2)
    assert BracketReading("age", edges).summary([("18", 3), ("70", 1)]).counts == (0, 3, 1)


@dataclass(frozen=True)
class Shown:
    """A summary of somebody's own, which shows itself."""

    cells: tuple[tuple[object, int], ...]


class Looks:
    """A reading of somebody's own that keeps what it is given."""

    column = "vote"

    def __init__(self) -> None:
        self.seen: list[tuple[object, int]] = []

    def place(self, cell: object) -> object:
        return cell

    def summary(self, tally: Any) -> Any:  # noqa: ANN401 - a class of its own
        found = sorted(tally, key=repr)
        self.seen += found
        return Shown(tuple(found))


@pytest.mark.parametrize("asked", [{}, {"by": "town", "groups": ["x"]}, {"unit": "person", "max_rows": 1}])
def test_a_reading_of_ones_own_is_given_texts_whatever_holds_them(asked: Any, tmp_path: Path) -> None:  # noqa: ANN401 - options
    columns: dict[str, Any] = {
        "vote": [" a", "1.0", None, "ü"],
        "town": ["x"] * 4,
        "person": ["1", "2", "3", "4"],
    }
    numbers = {**columns, "vote": [1.0, 2.0, float("nan"), 2.5]}
    table = tmp_path / "table.csv"
    pd.DataFrame(columns).to_csv(table, index=False)
    text = [("'1.0'", 1), ("'a'", 1), ("'ü'", 1), ("None", 1)]
    number = [("'1'", 1), ("'2'", 1), ("'2.5'", 1), ("None", 1)]
    with_bytes = pd.DataFrame({**columns, "vote": [b" a", b"1.0", None, "ü".encode()]})
    for source, expected in (
        (pd.DataFrame(columns), text),
        (pl.DataFrame(columns), text),
        (with_bytes, text),
        (str(table), text),
        (pd.DataFrame(numbers), number),
        (pl.DataFrame(numbers, strict=False), number),
    ):
        reading = Looks()
        question = ReadsOwn("vote", VOTES, own=reading)
        # The winner cannot make anything of it.
        with pytest.raises(QuestionError):
            rdp.ask(source, question, epsilon=1, **asked)
        assert [(repr(cell), rows) for cell, rows in reading.seen] == expected
    reading = Looks()
    with pytest.raises(QuestionError):
        check_question(ReadsOwn("vote", VOTES, own=reading), cells=[b"A", 1.0, None], records=1)
    assert {repr(cell) for cell, _ in reading.seen} == {"'A'", "'1'", "None"}
