# SPDX-License-Identifier: Apache-2.0
"""Questions that somebody wrote: whatever they say or raise, nothing of a table comes out."""

import asyncio
import logging
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rainbowdp as rdp
from own_readings import ReadsOwn
from rainbowdp.errors import QuestionError, RainbowError, TableUnreadableError
from rainbowdp.goals.own_questions import guarded_reading
from rainbowdp.ledger import Cost, Ledger, open_ledger
from rainbowdp.questions import (
    Location,
    Neighbors,
    OptionCounts,
    OptionReading,
    Winner,
)
from rainbowdp.release import Terms
from rainbowdp.release.asking import answer_from_ledger

CANARY = "41 of Ulm"
VOTES = ("A", "B")


class LyingText(str):
    """A text whose comparisons tell what they know."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise ValueError(CANARY)


class Lazy:
    """A location that looks at the table when it is looked at."""

    distance = 3

    @property
    def answer(self) -> str:
        raise ValueError(CANARY)


NOWHERE: dict[str, object] = {
    "nothing": None,
    "a pair": ("A", 3),
    "an answer alone": "A",
    "a truth value": Location("A", True),
    "half a step": Location("A", 0.5),  # type: ignore[arg-type]  # wrong on purpose
    "a text": Location("A", CANARY),  # type: ignore[arg-type]  # wrong on purpose
    "below": Location("A", -3),
    "another answer": Location(CANARY, 3),
    "no answer": Location(None, 3),  # type: ignore[arg-type]  # wrong on purpose
    "lazy": Lazy(),
}


class Below(int):
    """A number that is below 0 when it is asked again."""

    def __int__(self) -> int:
        return -5


NOWHERE["below when asked again"] = Location("A", Below(7))
SOMEWHERE: dict[str, object] = {
    "text of numpy": Location(np.str_("A"), 400),
    "lying text": Location(LyingText("A"), 400),
    "number of numpy": Location("A", np.uint8(255)),  # type: ignore[arg-type]  # as good as a number
    "far away": Location("A", 10**400),
}


@dataclass(frozen=True)
class Placed(Winner):
    """A winner that is said to be at some place, whatever the table is."""

    place: Any = None

    def locate(self, *_: object) -> Location:
        place: Location = self.place
        return place


def votes() -> pd.DataFrame:
    return pd.DataFrame({"vote": ["A"] * 13 + ["B"] * 7 + [CANARY]})


def everything_of(error: BaseException) -> str:
    """Return all that an error shows, with what caused it."""
    parts = ["".join(traceback.format_exception(error)), repr(error.args), repr(getattr(error, "values", ""))]
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if "own_questions" in frame.f_code.co_filename:
            parts += [f"{name}={value!r}" for name, value in frame.f_locals.items() if name != "question"]
    return "\n".join(parts)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "budgets", create=True) as opened:
        opened.create("b", Cost.of(rdp.PureDP(5)))
        yield opened


@pytest.mark.parametrize("place", NOWHERE.values(), ids=NOWHERE)
def test_no_place_among_the_answers_is_refused_in_the_same_words(place: object) -> None:
    question = Placed("vote", VOTES, place=place)
    with pytest.raises(QuestionError) as caught:
        rdp.ask(OptionCounts((13, 7)), question, epsilon=1)
    assert caught.value.what == (
        "the question does not locate the table at one of its answers and a whole distance of at least 0; "
        "why is left out, since it may tell of the rows"
    )
    assert CANARY not in everything_of(caught.value)


@pytest.mark.parametrize("place", SOMEWHERE.values(), ids=SOMEWHERE)
def test_a_place_is_taken_as_values_of_python_itself(place: object) -> None:
    found = rdp.ask(OptionCounts((13, 7)), Placed("vote", VOTES, place=place), epsilon=20)
    assert found.answer == "A"
    assert type(found.answer) is str


@dataclass(frozen=True)
class Reads(OptionReading):
    """A reading that fails at a cell, or makes no summary."""

    fails: bool = True

    def summary(self, tally: Any) -> Any:  # noqa: ANN401 - wrong on purpose
        for cell, _ in tally:
            if self.fails:
                raise ValueError(cell)


@pytest.mark.parametrize("unit", [None, "vote"])
@pytest.mark.parametrize("fails", [True, False])
def test_a_reading_that_fails_tells_of_no_cell(unit: str | None, fails: bool) -> None:
    question = ReadsOwn("vote", VOTES, own=Reads("vote", VOTES, fails=fails))
    with pytest.raises(QuestionError, match="since it may tell of the rows") as caught:
        rdp.ask(votes(), question, epsilon=1, unit=unit, max_rows=None if unit is None else 1)
    assert caught.value.__context__ is None
    assert CANARY not in everything_of(caught.value)


def test_a_reading_of_ones_own_may_be_as_good_as_any_and_places_cells() -> None:
    @dataclass(frozen=True)
    class Upper(OptionReading):
        def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
            upper = ((cell.upper(), n) for cell, n in tally)
            found = super().summary(upper)
            assert isinstance(found, OptionCounts)
            return found

    reading = guarded_reading(Upper("vote", VOTES))
    assert (reading.column, reading.place("A")) == ("vote", Upper("vote", VOTES).place("A"))
    frame = pd.DataFrame({"vote": ["a"] * 90 + ["b"] * 10})
    assert rdp.ask(frame, ReadsOwn("vote", VOTES, own=Upper("vote", VOTES)), epsilon=5).answer == "A"


@pytest.mark.parametrize("unit", [None, "vote"])
def test_no_warning_and_no_log_entry_of_ones_own_code_comes_out(
    unit: str | None, recwarn: pytest.WarningsRecorder, caplog: pytest.LogCaptureFixture
) -> None:
    @dataclass(frozen=True)
    class Divides(Winner):
        def locate(
            self,
            summary: Any,  # noqa: ANN401 - counts
            neighbors: Neighbors = "add-remove",
        ) -> Location:
            # On a tie numpy warns of a division by zero.
            np.float64(1) / np.float64(summary.counts[0] - summary.counts[1])
            logging.getLogger("own").error(CANARY)
            return super().locate(summary, neighbors)

    class Warns(OptionReading):
        def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
            warnings.warn(CANARY, stacklevel=1)
            logging.getLogger("own").error(CANARY)
            found = super().summary(tally)
            assert isinstance(found, OptionCounts)
            return found

    class Both(Divides):
        @property
        def reading(self) -> OptionReading:
            return Warns("vote", VOTES)

    frame = pd.DataFrame({"vote": ["A"] * 10 + ["B"] * 10})
    max_rows = None if unit is None else 20
    assert rdp.ask(frame, Both("vote", VOTES), epsilon=5, unit=unit, max_rows=max_rows).answer in VOTES
    assert not recwarn.list
    assert not caplog.records


class Cancelled(BaseException):
    """Something that is no Exception."""


@pytest.mark.parametrize("raised", [Cancelled, asyncio.CancelledError])
def test_what_is_no_exception_tells_nothing_either(raised: type[BaseException]) -> None:
    class Cancels(Winner):
        def locate(self, *_: object) -> Location:
            raise raised(CANARY)

    with pytest.raises(QuestionError) as caught:
        rdp.ask(votes(), Cancels("vote", VOTES), epsilon=1)
    assert CANARY not in everything_of(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_a_program_can_be_ended_meanwhile(raised: type[BaseException]) -> None:
    class Ends(Winner):
        def locate(self, *_: object) -> Location:
            raise raised

    with pytest.raises(raised):
        rdp.ask(votes(), Ends("vote", VOTES), epsilon=1)


def test_what_the_table_raises_is_not_taken_for_the_fault_of_a_reading() -> None:
    def rows() -> Iterator[tuple[object, int]]:
        yield "A", 1
        raise TableUnreadableError("the table could not be read to its end", help="")

    with pytest.raises(TableUnreadableError):
        guarded_reading(Reads("vote", VOTES, fails=False)).summary(rows())


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
        answer_from_ledger(Terms(question, rdp.PureDP(1)), OptionCounts((900, 0)), ledger, "b", "r")
    assert ledger.state("b").requests == 0


@pytest.mark.parametrize("answers", [(LyingText("A"), LyingText("B")), ("A", np.str_("B")), ("A", 5)])
def test_answers_are_texts_of_python_itself(answers: tuple[Any, ...], ledger: Ledger) -> None:
    @dataclass(frozen=True)
    class Named(Winner):
        texts: tuple[Any, ...] = ()

        @property
        def answers(self) -> tuple[Any, ...]:
            return self.texts

    question = Named("vote", VOTES, texts=answers)
    with pytest.raises(RainbowError, match="answer"):
        answer_from_ledger(Terms(question, rdp.PureDP(1)), OptionCounts((900, 0)), ledger, "b", "r")
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
            answer_from_ledger(Terms(question, rdp.PureDP(1)), OptionCounts(counts), ledger, "b", "r")
    assert ledger.state("b").requests == 0


def test_answers_that_change_are_refused_before_anything_is_charged(ledger: Ledger) -> None:
    class Changing(Winner):
        def answer_json(self, answer: str) -> str:
            object.__setattr__(self, "options", ("A", "B", "C"))
            return answer

    with pytest.raises(QuestionError, match="names other answers each time"):
        answer_from_ledger(
            Terms(Changing("vote", VOTES), rdp.PureDP(1)), OptionCounts((900, 0, 0)), ledger, "b", "r"
        )
    assert ledger.state("b").requests == 0


def test_answers_are_written_differently() -> None:
    with pytest.raises(QuestionError, match="writes two of its answers in the same way"):
        rdp.ask(OptionCounts((900, 0)), Writes("vote", VOTES, writes=lambda _: "x"), epsilon=1)


def test_an_answer_of_a_class_of_its_own_leaves_as_plain_text() -> None:
    question = Writes("vote", VOTES, writes=lambda answer: (np.str_(answer), LyingText("x")))
    found = rdp.ask(OptionCounts((900, 0)), question, epsilon=20).answer
    assert found == ("A", "x")
    assert {type(text) for text in found} == {str}


def test_what_counts_nothing_must_be_a_question() -> None:
    class Wrong(Winner):
        def counting_nothing(self) -> Any:  # noqa: ANN401 - wrong on purpose
            return None

    with pytest.raises(QuestionError, match="counting_nothing returns is None"):
        rdp.ask(OptionCounts((900, 0)), Wrong("vote", VOTES), epsilon=20)


LONG = "Größe " * 500


def test_errors_of_the_package_in_ones_own_code_are_left_out_too() -> None:
    @dataclass(frozen=True)
    class Failing(Winner):
        def locate(self, *_: object) -> Location:
            raise RainbowError(CANARY, help=CANARY)

    with pytest.raises(QuestionError) as caught:
        rdp.ask(OptionCounts((41, 58)), Failing("vote", VOTES), epsilon=1)
    assert CANARY not in everything_of(caught.value)
