# SPDX-License-Identifier: Apache-2.0
"""A column of cells says what its cells say one by one."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.questions.cells import INVALID, NULL, cell_text
from rainbowdp.tables import collecting
from rainbowdp.tables.collecting import UNREADABLE, Meanings, filters, stored_text, texts_of

NASTY: list[Any] = [
    None, "", " ", "red", " red ", "\xa0red\x1f", "a\0b", "\0", "\ud83d", "\ude00", "größer",
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


def test_no_filter_takes_what_cannot_be_read_for_a_text() -> None:
    ((column, holds),) = filters({"vote": "\0"})
    assert column == "vote"
    assert holds(["\0", b"\xff", None, "red"]) == [False] * 4
    ((_, holds),) = filters({"vote": " 1 "})
    assert holds(["1", "1.0", " 1", "01", True]) == [True, True, True, False, False]
