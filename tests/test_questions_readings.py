# SPDX-License-Identifier: Apache-2.0
"""Readings that somebody makes: of which parts they may be."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from rainbowdp.errors import RainbowError
from rainbowdp.questions import BracketReading, MatchReading, OptionReading, SumReading

VOTES = ("A", "B")
WRONG_PARTS: dict[str, Callable[[], object]] = {
    "options": lambda: OptionReading("vote", (["A"], "B")),  # type: ignore[arg-type]  # wrong on purpose
    "no options": lambda: OptionReading("vote", None),  # type: ignore[arg-type]  # wrong on purpose
    "one text": lambda: OptionReading("vote", "AB"),  # type: ignore[arg-type]  # wrong on purpose
    "other": lambda: OptionReading("vote", VOTES, other=["C"]),  # type: ignore[arg-type]  # wrong on purpose
    "equals": lambda: MatchReading("vote", 5),  # type: ignore[arg-type]  # wrong on purpose
    "lower": lambda: SumReading("vote", "low", Fraction(5)),  # type: ignore[arg-type]  # wrong on purpose
    "edges": lambda: BracketReading("vote", ("low",)),  # type: ignore[arg-type]  # wrong on purpose
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
