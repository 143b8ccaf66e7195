# SPDX-License-Identifier: Apache-2.0
"""Own question classes inside OpenDP: errors tell no more than they do in `ask`."""

from collections.abc import Iterator
from typing import Any

import opendp.prelude as dp
import pytest
from opendp.mod import OpenDPException

from own_readings import ReadsOwn
from rainbowdp.errors import QuestionError, UsageError
from rainbowdp.interop.opendp import make_rainbow
from rainbowdp.questions import Location, OptionCounts, OptionReading, Winner, scores, winner

CANARY = "Zoe of Ulm"


@pytest.fixture(autouse=True)
def features() -> Iterator[None]:
    """Enable what OpenDP asks for measurements written in Python, for one test."""
    dp.enable_features("contrib", "honest-but-curious")
    yield
    dp.disable_features("contrib", "honest-but-curious")


def measured(question: Any, rows: list[Any], *, mixed: bool = False) -> str:  # noqa: ANN401 - any question
    domain = dp.user_domain("any", lambda _: True) if mixed else dp.atom_domain(T=str)
    answer: str = make_rainbow(dp.vector_domain(domain), dp.symmetric_distance(), question, 30)(rows)
    return answer


class Names(Winner):
    """A winner that takes a cell for an answer."""

    def locate(self, *_: object) -> Location:
        return Location(CANARY, 4)


ROWS = [CANARY] * 5 + ["red"] * 200


def test_an_answer_that_was_not_declared_is_none() -> None:
    with pytest.raises(OpenDPException) as caught:
        measured(Names("party", ("red", "blue")), ROWS)
    assert CANARY not in f"{caught.value} {caught.value.__context__}"


def test_rows_that_python_takes_for_equal_say_what_each_of_them_says() -> None:
    # Their order decides nothing: neighbors do not depend on it.
    question = winner("vote", ["1", "true"])
    for rows in ([True, *[1] * 40], [*[1] * 40, True]):
        assert measured(question, rows, mixed=True) == "1"


class Pairs(OptionReading):
    """A reading that says how many rows are for the first option, and how many there are."""

    def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
        counts = super().summary(tally).counts
        return OptionCounts((counts[0], sum(counts)))


def test_counts_are_taken_only_where_each_is_that_of_rows_of_its_own() -> None:
    counts = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    question = ReadsOwn("vote", ("A", "B"), own=Pairs("vote", ("A", "B")))
    with pytest.raises(UsageError, match="needs more than counts"):
        make_rainbow(*counts, question, 1)
    # Of rows it is answered all the same, as it counts them: 300 and 400.
    assert measured(question, ["A"] * 300 + ["B"] * 100) == "B"


def test_what_can_never_answer_makes_no_measurement() -> None:
    rows = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    nothing: Any = None
    with pytest.raises(QuestionError, match="not read from a table"):
        make_rainbow(*rows, scores(["A", "B"], sensitivity=1), 1)
    with pytest.raises(QuestionError, match="None is no question"):
        make_rainbow(*rows, nothing, 1)
