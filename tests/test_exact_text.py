# SPDX-License-Identifier: Apache-2.0
"""Which texts and values are exact numbers, and what is said about the others."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rainbowdp.errors import NumberError
from rainbowdp.exact import Log, format_fraction, parse_exponent, parse_fraction

DECIMALS = r"[ \n]?[+-]?([0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9})([eE][+-]?[0-9]{1,3})?[ \n]?"


@given(st.from_regex(DECIMALS, fullmatch=True), st.integers(), st.integers(min_value=1))
@example("5.", -2, 6)
@example("+.5e-300", 10**5000 - 1, 7)
def test_texts_mean_the_number_that_is_written(decimal: str, top: int, bottom: int) -> None:
    digits = flint.fmpz(top), flint.fmpz(bottom)
    written = {decimal: Fraction(decimal), "{}/{}".format(*digits): Fraction(top, bottom)}
    for text, number in (written | {" {} / {}\n".format(*digits): Fraction(top, bottom)}).items():
        assert parse_fraction(text) == parse_exponent(text) == number


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**63), 2**63 - 1))
@example(0.1 + 0.2, 7)
@example(5e-324, 0)
def test_floats_mean_their_shortest_decimals_and_whole_numbers_themselves(number: float, whole: int) -> None:
    floats = [(kind(number), Fraction(repr(number))) for kind in (float, np.float64)]
    for value, wanted in [*floats, *((kind(whole), whole) for kind in (int, np.int64, Decimal, Fraction))]:
        found = parse_fraction(value)
        assert type(found) is Fraction
        assert found == parse_exponent(value) == wanted


@pytest.mark.parametrize(
    "value",
    [
        *("", "half", "1/0", "1/-3", "1.5/2", "1e", ".", "--1", "1_000", "0x10", "1,5", "1 2", "ln 2"),
        *("nan", "inf", "1e999999999", "1e-999999999", "½", "\u0661", "\u22121"),
        *(True, None, 1j, [1], b"1", float("inf"), float("nan"), Decimal("NaN"), np.float64("nan")),
        *(np.bool_(True), np.array([1, 2])),
    ],
)
def test_refused_numbers(value: Any) -> None:  # noqa: ANN401  # anything at all
    with pytest.raises(NumberError) as caught:
        parse_fraction(value)
    assert caught.value.code == "RDP101"
    assert caught.value.help
    assert caught.value.values


@pytest.mark.parametrize(
    ("value", "log"),
    [
        ("ln(6/5)", Log(Fraction(6, 5))),
        ("ln 3", Log(Fraction(3))),
        (" ln ( 1e-3 ) ", Log(Fraction(1, 1000))),
        ("ln(0.5)", Log(Fraction(1, 2))),
        (Log(Fraction(2)), Log(Fraction(2))),
        ("ln 1", Fraction(0)),
        ("ln(2/2)", Fraction(0)),
        (Log(Fraction(1)), Fraction(0)),
    ],
)
def test_accepted_logarithms(value: str | Log, log: Log | Fraction) -> None:
    assert parse_exponent(value) == log


@pytest.mark.parametrize(
    "value", ["ln", "ln()", "LN 3", "ln(ln 2)", "ln 0", "ln(-1)", "ln(2", "ln(2)+1", "2ln 2", "ln inf"]
)
def test_refused_logarithms(value: str) -> None:
    with pytest.raises(NumberError):
        parse_exponent(value)


@pytest.mark.parametrize(
    ("read", "text", "said", "way_on"),
    [
        (parse_fraction, "half", "'half' is not an exact number", "1/3"),
        (parse_fraction, "1/0", "'1/0' divides by zero", "1/3"),
        (parse_fraction, "1e999999999", "exponent beyond", "smaller"),
        (parse_fraction, "x" * 1000, "…", "1/3"),
        (parse_exponent, "ln(-1)", r"ln\(-1\) is not a real number", "positive"),
        (parse_exponent, "x", "'x' is not", "ln(6/5)"),
    ],
)
def test_messages_name_the_value_and_the_way_on(
    read: Callable[[object], object], text: str, said: str, way_on: str
) -> None:
    with pytest.raises(NumberError, match=said) as caught:
        read(text)
    assert way_on in caught.value.help


@given(st.fractions(), st.decimals(allow_nan=False, allow_infinity=False))
def test_written_numbers_read_back(number: Fraction, decimal: Decimal) -> None:
    assert parse_fraction(format_fraction(number)) == number
    if abs(decimal.adjusted()) < 4000:
        assert parse_fraction(decimal) == Fraction(decimal)
    if number > 0 and number != 1:
        assert parse_exponent(str(Log(number))) == Log(number)


@given(st.text(alphabet="0123456789+-/.eEln() x\u0661\u00bd", max_size=12))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        number = parse_fraction(text)
    except NumberError:
        return
    assert any(digit in text for digit in "0123456789")
    assert isinstance(number, Fraction)
