# SPDX-License-Identifier: Apache-2.0
"""Readings that somebody makes: of which parts they may be."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import rainbowdp as rdp
from own_readings import ReadsOwn
from rainbowdp.errors import QuestionError, RainbowError, TableUnreadableError
from rainbowdp.goals.own_questions import guarded_reading
from rainbowdp.questions import (
    BracketReading,
    MatchReading,
    OptionCounts,
    OptionReading,
    SumReading,
    YesNo,
    check_question,
)
from rainbowdp.questions.measures import SumOf

VOTES = ("A", "B")


WRONG_PARTS: dict[str, Callable[[], object]] = {
    "options": lambda: OptionReading("vote", (["A"], "B")),  # type: ignore[arg-type]  # wrong on purpose
    "no options": lambda: OptionReading("vote", None),  # type: ignore[arg-type]  # wrong on purpose
    "one text": lambda: OptionReading("vote", "AB"),  # type: ignore[arg-type]  # wrong on purpose
    "other": lambda: OptionReading("vote", VOTES, other=["C"]),  # type: ignore[arg-type]  # wrong on purpose
    "equals": lambda: MatchReading("vote", 5),  # type: ignore[arg-type]  # wrong on purpose
    "lower": lambda: SumReading("vote", "low", Fraction(5)),  # type: ignore[arg-type]  # wrong on purpose
    "edges": lambda: BracketReading("vote", ("low",)),  # type: ignore[arg-type]  # wrong on purpose
    "one number": lambda: BracketReading("vote", 5),  # type: ignore[arg-type]  # wrong on purpose
    "one edge": lambda: BracketReading("vote", "18"),  # type: ignore[arg-type]  # wrong on purpose
}


@pytest.mark.parametrize("make", WRONG_PARTS.values(), ids=WRONG_PARTS)
def test_a_reading_of_wrong_parts_fails_before_it_sees_a_cell(make: Callable[[], object]) -> None:
    # Else a cell would decide whether it fails.
    with pytest.raises(RainbowError):
        make()


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
        with pytest.raises(QuestionError) as caught:
            rdp.ask(source, question, epsilon=1, **asked)
        assert [(repr(cell), rows) for cell, rows in reading.seen] == expected
        # The winner cannot make anything of it, and nothing shows it.
        shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        assert "Shown(" not in "".join(shown.format())
    reading = Looks()
    with pytest.raises(QuestionError):
        check_question(ReadsOwn("vote", VOTES, own=reading), cells=[b"A", 1.0, None], records=1)
    assert {repr(cell) for cell, _ in reading.seen} == {"'A'", "'1'", "None"}


class Meddles:
    """A reading of somebody's own that makes something of a table that could not be read to its end."""

    column = "vote"

    def __init__(self, *, swallows: bool) -> None:
        self.swallows = swallows

    def place(self, cell: object) -> object:
        return cell

    def summary(self, tally: Any) -> Any:  # noqa: ANN401 - a class of its own
        last = None
        try:
            for cell, _ in tally:
                last = cell
        except RainbowError as error:
            error.add_note(f"after {last}")
            error.args = (last,)
            error.help = f"after {last}"
            if not self.swallows:
                raise
        return OptionCounts((900, 0))


@pytest.mark.parametrize("swallows", [True, False])
def test_a_table_that_ends_before_its_end_is_refused_whatever_a_reading_makes_of_it(swallows: bool) -> None:
    fault = TableUnreadableError("could not be read to its end", help="look at it")

    def rows() -> Iterator[tuple[object, int]]:
        yield "41 of Ulm", 1
        raise fault

    with pytest.raises(TableUnreadableError) as caught:
        guarded_reading(Meddles(swallows=swallows)).summary(rows())
    assert caught.value is fault
    assert caught.value.__context__ is None
    assert "41 of Ulm" not in "".join(traceback.format_exception(caught.value))
    assert (caught.value.what, caught.value.help) == ("could not be read to its end", "look at it")
    assert "41 of Ulm" not in repr(caught.value.args)


class Telling(str):
    """A text that tells with what it is compared."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise ValueError(other)


class TellingNumber(Fraction):
    """A number that tells with what it is compared."""

    def __lt__(self, other: object) -> bool:
        raise ValueError(other)

    __gt__ = __le__ = __ge__ = __lt__


def test_parts_of_somebodys_own_class_are_taken_as_values_of_python_itself() -> None:
    cells = [("41", 3)]
    number = TellingNumber(10)
    reading = OptionReading("vote", (Telling("41"),), other=Telling("41"), nulls=Telling("41"))
    assert reading.summary(cells).counts == (3,)
    assert MatchReading("vote", Telling("41"), Telling("41")).summary(cells).matching == 3
    assert SumReading("vote", number, number, number).summary(cells).total == 30
    assert BracketReading("vote", (number,)).summary(cells).counts == (0, 3)
    people = pd.DataFrame({"vote": ["41"] * 900})
    for question in (
        rdp.yes_no("vote", equals=Telling("41"), at_least=number),
        YesNo("vote", SumOf(number, TellingNumber(90)), (number,)),
        rdp.bracket("vote", edges=[number]),
    ):
        assert rdp.ask(people, question, epsilon=60).answer in {"yes", ">=10"}
