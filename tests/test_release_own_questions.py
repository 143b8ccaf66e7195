# SPDX-License-Identifier: Apache-2.0
"""Questions of a user's own: what they state is checked before anything is charged."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rainbowdp as rdp
from own_readings import ReadsOwn
from rainbowdp.errors import QuestionError, RainbowError
from rainbowdp.ledger import Cost, Ledger, open_ledger
from rainbowdp.questions import (
    Location,
    OptionCounts,
    OptionReading,
    Winner,
)
from rainbowdp.questions.as_asked import text_reading
from rainbowdp.release import Terms
from rainbowdp.release.asking import answer

CANARY = "41 of Ulm"
VOTES = ("A", "B")


@dataclass(frozen=True)
class Placed(Winner):
    """A winner that is said to be at some place, whatever the table is."""

    place: Any = None

    def locate(self, *_: object) -> Location:
        place: Location = self.place
        return place


NOWHERE: dict[str, object] = {
    "nothing": None,
    "an answer alone": "A",
    "a truth value": Location("A", True),
    "half a step": Location("A", 0.5),  # type: ignore[arg-type]  # wrong on purpose
    "a text": Location("A", CANARY),  # type: ignore[arg-type]  # wrong on purpose
    "below": Location("A", -3),
    "another answer": Location(CANARY, 3),
}


@pytest.mark.parametrize("place", NOWHERE.values(), ids=NOWHERE)
def test_no_place_among_the_answers_is_refused_in_the_same_words(place: object) -> None:
    question = Placed("vote", VOTES, place=place)
    with pytest.raises(QuestionError, match="does not locate the table at one of its answers") as caught:
        rdp.ask(OptionCounts((13, 7)), question, epsilon=1)
    assert CANARY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("distance", [np.uint8(255), 10**400])
def test_a_distance_is_any_whole_number(distance: Any) -> None:  # noqa: ANN401 - of numpy or Python
    found = rdp.ask(OptionCounts((13, 7)), Placed("vote", VOTES, place=Location("A", distance)), epsilon=20)
    assert found.answer == "A"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "budgets", create=True) as opened:
        opened.create("b", Cost.of(rdp.PureDP(5)))
        yield opened


def test_a_reading_of_ones_own_may_be_as_good_as_any_and_places_cells() -> None:
    @dataclass(frozen=True)
    class Upper(OptionReading):
        def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
            upper = ((cell.upper(), n) for cell, n in tally)
            found = super().summary(upper)
            assert isinstance(found, OptionCounts)
            return found

    reading = text_reading(Upper("vote", VOTES))
    assert (reading.column, reading.place("A")) == ("vote", Upper("vote", VOTES).place("A"))
    frame = pd.DataFrame({"vote": ["a"] * 90 + ["b"] * 10})
    assert rdp.ask(frame, ReadsOwn("vote", VOTES, own=Upper("vote", VOTES)), epsilon=5).answer == "A"


@dataclass(frozen=True)
class Writes(Winner):
    """A winner that writes its answers as somebody's function does."""

    writes: Callable[[str], Any] = str

    def answer_json(self, answer: str) -> str:
        text: str = self.writes(answer)
        return text


@pytest.mark.parametrize(
    "stated", [None, 5, b"A", [], {"A": 1}, ["A", 1], ["A", ["B"]], float("nan")], ids=repr
)
def test_how_answers_are_written_is_asked_of_all_before_anything_is_charged(
    stated: object, ledger: Ledger
) -> None:
    # Else the error would tell which answer was drawn, and the request could be drawn again.
    question = Writes("vote", VOTES, writes=lambda answer: stated if answer == "B" else answer)
    with pytest.raises(QuestionError, match="the question writes its answer 'B' as"):
        answer(Terms(question, rdp.PureDP(1)), OptionCounts((900, 0)), ledger, "b", "r")
    assert ledger.state("b").requests == 0


@pytest.mark.parametrize("answers", [("A", 5), ("A", None)])
def test_answers_are_texts(answers: tuple[Any, ...], ledger: Ledger) -> None:
    @dataclass(frozen=True)
    class Named(Winner):
        texts: tuple[Any, ...] = ()

        @property
        def answers(self) -> tuple[Any, ...]:
            return self.texts

    question = Named("vote", VOTES, texts=answers)
    with pytest.raises(RainbowError, match="answer"):
        answer(Terms(question, rdp.PureDP(1)), OptionCounts((900, 0)), ledger, "b", "r")
    assert ledger.state("b").requests == 0


def test_a_question_that_counts_nothing_with_other_answers_is_refused(ledger: Ledger) -> None:
    class More(Winner):
        def counting_nothing(self) -> Any:  # noqa: ANN401 - wrong on purpose
            return Winner("vote", ("A", "B", "C"))

    class Fewer(Winner):
        def counting_nothing(self) -> Any:  # noqa: ANN401 - wrong on purpose
            return Winner("vote", ("A", "B"))

    for question, counts in ((More("vote", VOTES), (9, 0, 0)), (Fewer("vote", ("A", "B", "C")), (9, 0))):
        with pytest.raises(QuestionError, match="has other answers than the question"):
            answer(Terms(question, rdp.PureDP(1)), OptionCounts(counts), ledger, "b", "r")
    assert ledger.state("b").requests == 0


def test_answers_that_change_are_refused_before_anything_is_charged(ledger: Ledger) -> None:
    class Changing(Winner):
        def answer_json(self, answer: str) -> str:
            object.__setattr__(self, "options", ("A", "B", "C"))
            return answer

    with pytest.raises(QuestionError, match="names other answers each time"):
        answer(Terms(Changing("vote", VOTES), rdp.PureDP(1)), OptionCounts((900, 0, 0)), ledger, "b", "r")
    assert ledger.state("b").requests == 0


def test_answers_are_written_differently() -> None:
    with pytest.raises(QuestionError, match="writes two of its answers in the same way"):
        rdp.ask(OptionCounts((900, 0)), Writes("vote", VOTES, writes=lambda _: "x"), epsilon=1)


def test_what_counts_nothing_must_be_a_question() -> None:
    class Wrong(Winner):
        def counting_nothing(self) -> Any:  # noqa: ANN401 - wrong on purpose
            return None

    with pytest.raises(QuestionError, match="counting_nothing returns is None"):
        rdp.ask(OptionCounts((900, 0)), Wrong("vote", VOTES), epsilon=20)
