# SPDX-License-Identifier: Apache-2.0
"""A column of cells says what its cells say one by one."""

import datetime as dt
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_tally import UNREADABLE as SAYS_NOTHING
from cell_tally import cells
from rainbowdp.questions.cells import INVALID, NULL, cell_text
from rainbowdp.tables import collecting, count_keys, open_table
from rainbowdp.tables.collecting import UNREADABLE, Meanings, Remembered, filters, stored_text, texts_of


class Loud(str):
    """A text that says something else than what it holds."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.upper()


NASTY: list[Any] = [
    None, "", " ", "red", " red ", "\xa0red\x1f", "a\0b", "\0", "\ud83d", "\ude00", "größer", Loud("red"),
    b"", b" red", b"\xff", b"a\0", "größer".encode(), bytearray(b"red"), memoryview(b"red"),
    0, 1, -7, 10**30, 10**5000, True, False, 0.0, -0.0, 1.0, 0.1, 1e22, 1e23, float("nan"), float("inf"),
    Decimal("1.50"), Decimal("NaN"), Decimal("1e5000"), dt.date(2020, 1, 31), [1], {}, object(),
    np.str_(" red"), np.float32(0.1), np.int64(1), np.bool_(True), np.datetime64("NaT", "s"),
]  # fmt: skip
COLUMNS = st.one_of(
    st.lists(st.sampled_from(NASTY)),
    st.lists(st.text(max_size=3)),
    st.lists(st.none() | st.text(st.characters(codec=None), max_size=3)),
    st.lists(st.none() | st.binary(max_size=3)),
    st.lists(st.none() | st.integers()),
    st.lists(st.floats()),
)


def said(cell: object) -> str | None:
    """Return what a cell says, from the rule for cells."""
    text = cell_text(cell)
    return None if text is NULL else UNREADABLE if text is INVALID else str(text)


@given(COLUMNS)
def test_a_column_says_what_its_cells_say(column: list[Any]) -> None:
    assert texts_of(column) == [said(cell) for cell in column]
    assert [stored_text(cell) for cell in column] == [said(cell) for cell in column]


def test_every_pair_of_nasty_cells() -> None:
    for first in NASTY:
        for second in NASTY:
            assert texts_of([first, second]) == [said(first), said(second)]


@given(st.lists(COLUMNS))
def test_what_cells_mean_is_what_their_texts_mean(columns: list[list[Any]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collecting, "_REMEMBERED", 2)
        meanings = Meanings(lambda texts: [(text, text == "1") for text in texts])
        for column in columns:
            assert meanings(column) == [(said(cell), said(cell) == "1") for cell in column]


def test_equal_values_of_different_types_are_different_cells() -> None:
    meanings = Meanings(lambda texts: [str(text) for text in texts])
    assert [meanings([cell])[0] for cell in (1, True, 1.0, "1", 10**22, 1e22, 0, False, -0.0)] == [
        "1", "true", "1", "1", str(10**22), "1e+22", "0", "false", "0",
    ]  # fmt: skip


def test_what_is_remembered_is_asked_once_and_forgotten_when_it_is_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collecting, "_REMEMBERED", 4)
    asked: list[list[int]] = []

    def squares(numbers: list[int]) -> list[int]:
        asked.append(numbers)
        return [number**2 for number in numbers]

    square = Remembered(squares)
    assert square([1, 2, 1]) == [1, 4, 1]
    assert square([2, 3, 3, 2]) == [4, 9, 9, 4]
    assert square([4, 5, 1]) == [16, 25, 1]
    assert square([]) == []
    assert square(list(range(9))) == [number**2 for number in range(9)]
    assert asked == [[1, 2], [3], [4, 5, 1], list(range(9))]


def test_no_filter_takes_what_cannot_be_read_for_a_text() -> None:
    ((column, holds),) = filters({"vote": "\0"})
    assert column == "vote"
    assert holds(["\0", b"\xff", None, "red"]) == [False] * 4
    ((_, holds),) = filters({"vote": " 1 "})
    assert holds(["1", "1.0", " 1", "01", True]) == [True, True, True, False, False]


@pytest.fixture(params=[0, 640, 4300, 10_000])
def digits_that_python_writes(request: pytest.FixtureRequest) -> Iterator[int]:
    """Tell Python how many digits of a whole number it may read and write; 0 is any number of them."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(request.param)
    yield request.param
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("digits_that_python_writes")
@pytest.mark.parametrize("zeros", [False, True])
def test_no_limit_of_python_decides_which_whole_numbers_are_read(tmp_path: Path, *, zeros: bool) -> None:
    digits = [1, 19, 20, 639, 640, 641, 1000, 4299, 4300, 4301, 5000]
    written = [sign + "7" + ("0" if zeros else "7") * (most - 1) for most in digits for sign in ("", "-")]
    numbers = [int(Decimal(text)) for text in written]
    read = {text: 1 for text in written if len(text.strip("-")) <= 4300}
    said = {**read, SAYS_NOTHING: len(written) - len(read)}
    assert texts_of(numbers) == [text if text in read else UNREADABLE for text in written]
    assert texts_of([*numbers, "a"])[:-1] == list(map(stored_text, numbers)) == texts_of(numbers)
    assert [texts_of([number]) for number in numbers] == [[text] for text in texts_of(numbers)]
    lines = "".join(f'{{"x": {text}, "p": {at}}}\n' for at, text in enumerate(written))
    (tmp_path / "a.jsonl").write_text(lines, encoding="utf-8")
    for source in (
        pd.DataFrame({"x": pd.Series(numbers, dtype=object), "p": range(len(numbers))}),
        pd.DataFrame({"x": pd.Series(list(map(Decimal, numbers)), dtype=object), "p": range(len(numbers))}),
        tmp_path / "a.jsonl",
    ):
        with open_table(source) as table:
            assert cells(table, "x") == cells(table, "x", unit="p", max_rows=1) == said
            assert dict(count_keys(table, "x")) == read
            assert sum(cells(table, "p", unit="x", max_rows=1).values()) == len(read)
            for text in (written[10], written[-5], written[-1]):
                assert sum(cells(table, "p", where={"x": text}).values()) == (text in read)
