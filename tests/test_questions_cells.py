# SPDX-License-Identifier: Apache-2.0
"""Cells in every state in which tables hold them, and what readings make of them."""

import datetime as dt
import enum
import random
import uuid
import zoneinfo
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.questions import (
    BracketReading,
    MatchCount,
    MatchReading,
    OptionCounts,
    OptionReading,
    Reading,
    Summary,
    SumReading,
    bracket,
    level,
    winner,
    yes_no,
)
from rainbowdp.questions.cells import INVALID, NULL, cell_text, date_of, number_of


class Color(enum.StrEnum):
    """Options as programs write them."""

    RED = "red"


TEXTS: list[tuple[Any, str]] = [
    (" Labour", "Labour"), ("LABOUR", "LABOUR"), ("01", "01"), ("1.0", "1.0"), ("Zürich", "Zürich"),
    ("\u00a0 blank\u2003", "blank"), ("a, b", "a, b"), ('3" pipe', '3" pipe'), ("two\nlines", "two\nlines"),
    ("NaN", "NaN"), ("NA", "NA"), (True, "true"), (False, "false"), (1, "1"), (-7, "-7"),
    (10**20, "100000000000000000000"), (1.0, "1"), (-0.0, "0"), (0.1, "0.1"), (2.0**53, "9007199254740992"),
    (1e16, "10000000000000000"), (1e22, "1e+22"), (1e-7, "1e-07"), (float("inf"), "inf"),
    (float("-inf"), "-inf"), (Decimal("1.50"), "1.5"), (Decimal("1E+3"), "1000"), (Decimal("-0.0"), "0"),
    (Decimal("0.10"), "0.1"), (Decimal("-Infinity"), "-inf"), (Decimal("-1e1000"), "-1" + "0" * 1000),
    (Decimal("1e-5000"), "1E-5000"), (np.int8(3), "3"), (np.bool_(True), "true"), (np.float64(2.0), "2"),
    (np.float32(0.1), "0.1"), (np.float16(0.5), "0.5"), (np.str_(" a"), "a"),
    (np.datetime64("2020-02-29"), "2020-02-29"),
    (np.datetime64("2020-02-29T12:00", "ns"), "2020-02-29T12:00:00"),
    (pd.Timestamp("2020-02-29 12:00"), "2020-02-29T12:00:00"), (dt.date(2020, 2, 29), "2020-02-29"),
    (pd.Period("2020-02"), "2020-02"), (pd.Interval(10, 20), "(10, 20]"),
    (pd.Interval(0.5, 2.0, "left"), "[0.5, 2.0)"),
    (dt.datetime(2020, 2, 29, 1, 2, 3, tzinfo=dt.UTC), "2020-02-29T01:02:03+00:00"),
    (dt.time(1, 2), "01:02:00"), ("Grün".encode(), "Grün"), (bytearray(b" x "), "x"),
    (memoryview(b"x"), "x"), (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"), (Color.RED, "red"),
]  # fmt: skip
NULLS: list[Any] = [
    None, "", "  ", "\u00a0", b"", float("nan"), np.float64("nan"), np.float32("nan"), Decimal("NaN"),
    Decimal("sNaN"), pd.NA, pd.NaT, np.datetime64("NaT", "s"), np.timedelta64("NaT", "s"),
]  # fmt: skip
INVALIDS: list[Any] = [
    b"\xff", "\ud800", "a\0b", [], ["a"], {"a": 1}, (1, 2), object(), Fraction(1, 2), 1 + 2j,
    pd.Interval(0, 10**5000), pd.Timedelta(1), pd.Timestamp(np.datetime64("10000-01-01", "s")),
    np.datetime64(10**18, "s"), np.array([1, 2]), 10**5000, Decimal("1e5000"), Decimal("1e999999999"),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "text"), TEXTS, ids=lambda value: type(value).__name__)
def test_a_cell_says_what_a_person_would_type(cell: Any, text: str) -> None:  # noqa: ANN401 - any cell
    assert cell_text(cell) == text


@pytest.mark.parametrize("cell", NULLS, ids=lambda value: type(value).__name__)
def test_nothing_is_null(cell: Any) -> None:  # noqa: ANN401 - any cell
    assert cell_text(cell) is NULL


@pytest.mark.parametrize("cell", INVALIDS, ids=lambda value: type(value).__name__)
def test_what_cannot_be_read_is_invalid_and_raises_nothing(cell: Any) -> None:  # noqa: ANN401 - any cell
    assert cell_text(cell) is INVALID


@pytest.mark.parametrize("zone", [zoneinfo.ZoneInfo("Europe/Berlin"), dt.timezone(dt.timedelta(hours=1))])
def test_moments_of_pandas_say_the_same_as_those_of_python(zone: dt.tzinfo) -> None:
    moment = dt.datetime(2020, 1, 31, 12, tzinfo=zone)
    assert cell_text(moment) == cell_text(pd.Timestamp(moment)) == "2020-01-31T11:00:00+00:00"
    assert cell_text(pd.Timestamp("2020-01-31 00:00:00.123456789")) == "2020-01-31T00:00:00.123456789"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2020-02-29", "2020-02-29"), ("2020-02-29T23:59:59.999999999", "2020-02-29"),
        ("2020-02-29 00:00", "2020-02-29"), ("2020-02-29T23:30:00-05:00", "2020-03-01"),
        ("2020-03-01 00:30:00+0130", "2020-02-29"), ("2020-02-29 12:00:00 UTC", "2020-02-29"),
        ("2020-02-29T12:00Z", "2020-02-29"), ("0001-01-01T00:00+01", None), ("9999-12-31T23:00-02:00", None),
        ("2021-02-29", None), ("0000-01-01", None), ("2020-2-9", None), ("20200229", None),
        ("29.02.2020", None), ("02/29/2020", None), ("2020-02", None), ("2020-02-29T24:00", None),
        ("2020-02-29T", None), ("2020-02-29+01:00", None), ("2020-02-29T12:00+99:00", None),
        ("\N{ARABIC-INDIC DIGIT TWO}020-02-29", None), ("2020-02-29 " + "1" * 8000, None), ("2020", None),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_one_rule_says_which_day_a_text_says(text: str, day: str | None) -> None:
    assert date_of(text) == (None if day is None else dt.date.fromisoformat(day))


NUMBERS = [
    ("1", "1"), ("-1.50", "-3/2"), ("+.5", "1/2"), ("5.", "5"), ("1e3", "1000"), ("1E-2", "1/100"),
    ("01", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_plain_decimals_are_numbers(text: str, number: str) -> None:
    assert number_of(text) == Fraction(number)
    assert number_of("1e400") == 10**400


@pytest.mark.parametrize(
    "text",
    [
        "", "abc", "1,000", "1 000", "1_000", "1/2", "0x10", "inf", "nan", "true", "1e", ".", "-", "1e401",
        "--1", "1e999999999", "1e-999999999", "9" * 100_000, "0." + "1" * 100_000,
        "\N{FULLWIDTH DIGIT ONE}2", "1\n", "²", "12abc", "1e5.0",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_all_else_is_no_number_and_takes_no_time(text: str) -> None:
    assert number_of(text) is None


@given(st.one_of(st.text(), st.floats(), st.integers(), st.decimals(), st.binary(), st.none(), st.booleans()))
def test_no_cell_raises_and_texts_are_stable(cell: object) -> None:
    text = cell_text(cell)
    if isinstance(text, str):
        assert text == text.strip() != ""
        assert cell_text(text) == text
        number_of(text)
    else:
        assert text in {NULL, INVALID}


@given(st.integers(-(10**15), 10**15))
def test_a_whole_number_says_the_same_in_every_type(value: int) -> None:
    assert {
        cell_text(value),
        cell_text(float(value)),
        cell_text(Decimal(value)),
        cell_text(np.int64(value)),
    } == {str(value)}


MESS = [(cell, 1) for cell, _ in TEXTS] + [(cell, 1) for cell in [*NULLS, *INVALIDS]]
# A text 1.0 stands for the option 1, too, where no option is 1.0.
ONES = sum(text in {"1", "1.0"} for _, text in TEXTS)
READINGS: dict[str, tuple[Reading, tuple[int, ...]]] = {
    "options": (OptionReading("c", ("Labour", "1")), (1, ONES)),
    "other": (OptionReading("c", ("Labour", "1", "x"), other="x"), (1, ONES, len(TEXTS) - 1 - ONES)),
    "nulls": (OptionReading("c", ("Labour", "1"), nulls="1"), (1, ONES + len(NULLS))),
    "a match": (MatchReading("c", "true"), (2, len(TEXTS))),
    "nulls match": (MatchReading("c", "true", nulls="true"), (2 + len(NULLS), len(TEXTS) + len(NULLS))),
    "nulls do not": (MatchReading("c", "true", nulls="false"), (2, len(TEXTS) + len(NULLS))),
}


@pytest.mark.parametrize("name", READINGS)
def test_readings_count_in_any_order_and_by_numbers_of_rows(name: str) -> None:
    reading, wanted = READINGS[name]

    def numbers(tally: Iterable[tuple[object, int]]) -> tuple[int, ...]:
        summary = reading.summary(tally)
        if isinstance(summary, OptionCounts):
            return summary.counts
        assert isinstance(summary, MatchCount)
        return summary.matching, summary.total

    mess = list(MESS)
    for seed in range(3):
        random.Random(seed).shuffle(mess)
        assert numbers(iter(mess)) == wanted
    assert numbers((cell, 3) for cell, _ in MESS) == tuple(3 * value for value in wanted)


TYPED = [
    ("True", "true"), ("TRUE", "true"), ("FALSE", "false"), ("1.0", "1"), ("-12.00", "-12"), ("-0.0", "0"),
    ("tRUE", "tRUE"), ("01.0", "01.0"), ("1.", "1."), ("1.0.0", "1.0.0"), ("1.50", "1.50"), ("v1.0", "v1.0"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "typed"), TYPED)
def test_texts_stand_for_what_a_person_types(said: str, typed: str) -> None:
    assert OptionReading("c", (typed, "other")).place(said) == 0
    assert MatchReading("c", typed).place(said) is True
    if said != typed:
        # What is declared exactly comes first, and a declared text is never taken for another one.
        assert OptionReading("c", (typed, said)).place(said) == 1
        assert OptionReading("c", (said,)).place(typed) is None
        assert OptionReading("c", (typed, "other"), other="other").place(said) == 0


def test_sums_are_exact_and_clamped() -> None:
    reading = SumReading("c", Fraction(-1), Fraction(10))
    rows: list[tuple[object, int]] = [
        ("0.1", 10),
        (0.1, 10),
        ("1e300", 1),
        ("-1e300", 2),
        ("x", 9),
        (None, 9),
    ]
    assert reading.summary(rows).total == 1 + 1 + 10 - 2
    with_nulls = SumReading("c", Fraction(0), Fraction(10), Fraction(7))
    assert with_nulls.summary([(None, 2), (b"\xff", 5)]).total == 14
    assert reading.summary([]).total == 0


def test_an_edge_belongs_to_the_bracket_above_it() -> None:
    reading = BracketReading("c", (Fraction(18), Fraction("65.5")))
    rows: list[tuple[object, int]] = [
        ("17.999", 1),
        (18, 2),
        (18.0, 4),
        ("65.4", 8),
        ("65.50", 16),
        ("old", 32),
    ]
    assert reading.summary(rows).counts == (1, 14, 16)


@pytest.mark.parametrize(
    "question",
    [
        winner("c", ["a", "b"], other="c", nulls="b"),
        yes_no("c", equals="a", share="1/2", nulls="a"),
        level("c", clamp=(0, 5), edges=[3, 4], nulls="2"),
        bracket("c", edges=[1, 2]),
    ],
    ids=lambda question: question.kind,
)
def test_each_row_counts_by_itself(question: Any) -> None:  # noqa: ANN401 - a question
    def add(one: Summary, other: Summary) -> list[Any]:
        parts = zip(vars(one).values(), vars(other).values(), strict=True)
        return [tuple(map(sum, zip(a, b, strict=True))) if isinstance(a, tuple) else a + b for a, b in parts]

    alone = question.reading.summary(MESS)
    for cell, _ in MESS:
        with_it = question.reading.summary([*MESS, (cell, 1)])
        assert list(vars(with_it).values()) == add(alone, question.reading.summary([(cell, 1)]))


def test_a_reading_takes_numbers_in_any_exact_form() -> None:
    lower: Any = "0.5"
    edges: Any = ["18", 65]
    assert SumReading("age", lower, Fraction(99)).summary([("0", 3)]).total == Fraction(3, 2)
    assert BracketReading("age", edges).summary([("18", 3), ("70", 1)]).counts == (0, 3, 1)
