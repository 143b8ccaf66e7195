# SPDX-License-Identifier: Apache-2.0
"""Questions and readings of a user's own: what they are given, and what is said where they are wrong."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import rainbowdp as rdp
from own_readings import ReadsOwn
from rainbowdp.errors import QuestionError, RainbowError, ReceiptError
from rainbowdp.ledger import Cost, Ledger, open_ledger
from rainbowdp.questions import (
    Level,
    Location,
    MatchCount,
    Neighbors,
    OptionCounts,
    OptionReading,
    Summary,
    Winner,
    check_question,
)
from rainbowdp.questions.kinds import text_reading
from rainbowdp.questions.measures import CountOf
from rainbowdp.release import Terms
from rainbowdp.release.asking import answer

CANARY = "41 of Ulm"
VOTES = ("A", "B")
SURE = 60


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


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "budgets", create=True) as opened:
        opened.create("b", Cost.of(rdp.PureDP(5)))
        yield opened


@pytest.mark.parametrize("mistake", ["answer_json", "describe", "counting_nothing", "answers"])
def test_a_mistake_in_a_question_of_ones_own_shows_before_anything_is_charged(
    mistake: str, ledger: Ledger
) -> None:
    # An error after the draw would tell which answer was drawn, and the request could be drawn again.
    def wrong(*_: object) -> None:
        return None

    kind: Any = type("Mistaken", (Winner,), {mistake: property(wrong) if mistake == "answers" else wrong})
    with pytest.raises((TypeError, AttributeError)):
        answer(Terms(kind("vote", VOTES), rdp.PureDP(1)), OptionCounts((900, 0)), ledger, "b", "r")
    assert ledger.state("b").requests == 0


@dataclass(frozen=True)
class Telling(CountOf):
    """A measure of a user's own."""

    def rows_over(self, summary: Summary, edge: Fraction, neighbors: Neighbors) -> int:
        return 100 * super().rows_over(summary, edge, neighbors)


TELLING = Level("vote", Telling("A"), (Fraction(3),), ("few", "many"))


class Far(Winner):
    """A winner that takes each table for far from another answer."""

    def locate(self, *_: object) -> Location:
        return Location("A", 700)


@pytest.mark.parametrize(
    ("question", "summary", "kind"),
    [
        (Far("vote", VOTES), OptionCounts((9, 8)), "own winner: Far"),
        (TELLING, MatchCount(8, 9), "own level: Telling"),
    ],
    ids=["derived", "measure"],
)
def test_a_derived_question_is_not_taken_for_one_of_the_package(
    question: Any,  # noqa: ANN401 - either question
    summary: Any,  # noqa: ANN401 - of either
    kind: str,
    ledger: Ledger,
) -> None:
    # What its distances are worth nobody else can say.
    found = answer(Terms(question, rdp.PureDP(1)), summary, ledger, "b", "r")
    described: Any = found.receipt["question"]
    assert described["kind"] == kind
    planned: Any = rdp.plan(question, rdp.PureDP(1)).to_json()["question"]
    assert planned["kind"] == kind
    with pytest.raises(ReceiptError, match="is not a kind of question that rainbowdp knows") as refused:
        rdp.verify_receipt(found.receipt)
    assert "check_question proves it" in refused.value.help
    base = Winner("vote", VOTES) if isinstance(question, Far) else replace(question, measure=CountOf("A"))
    with pytest.raises(RainbowError, match="another question"):
        answer(Terms(base, rdp.PureDP(1)), summary, ledger, "b", "r")


@dataclass(frozen=True)
class Keeps(OptionReading):
    """A reading that keeps what it is given, and a text's last number of rows."""

    given: list[tuple[Any, int]] = field(default_factory=list)

    def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
        self.given[:] = tally
        return super().summary(dict(self.given).items())


TEXTS = ["A", " A", "A ", None, "B", "1.0", "B", ""]
GIVEN = [("1.0", 600), ("A", 1800), ("B", 1200), (None, 1200)]
MANY = pd.DataFrame({"vote": TEXTS * 600, "id": range(4800), "town": ["Ulm"] * 4800})
NUMBERS = pd.DataFrame({"vote": [1.0, 2.0, float("nan"), 2.5], "id": range(4), "town": ["Ulm"] * 4})
HELD: dict[str, tuple[Any, list[tuple[str | None, int]]]] = {
    "texts": (MANY, GIVEN),
    "bytes": (MANY.assign(vote=[text and text.encode() for text in TEXTS] * 600), GIVEN),
    "polars": (pl.DataFrame(MANY), GIVEN),
    "csv": ("many.csv", GIVEN),
    "numbers": (NUMBERS, [("1", 1), ("2", 1), ("2.5", 1), (None, 1)]),
}


@pytest.mark.parametrize(
    "how", [{}, {"unit": "id", "max_rows": 1}, {"by": "town", "groups": ["Ulm"]}], ids=["plain", "unit", "by"]
)
@pytest.mark.parametrize("held", HELD)
def test_a_reading_of_ones_own_is_given_each_text_once_whatever_holds_it(
    how: Any,  # noqa: ANN401 - options
    held: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    MANY.to_csv("many.csv", index=False)
    source, given = HELD[held]
    reading = Keeps("vote", VOTES)
    rdp.ask(source, ReadsOwn("vote", VOTES, own=reading), epsilon=1, **how)
    assert reading.given == given
    assert text_reading(reading).place("B") == 1


class Towns(Winner):
    """Whether rows name two towns at least; its distance is that of rows, and one row names a town."""

    @property
    def reading(self) -> OptionReading:
        class Reading(OptionReading):
            def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
                found = list(tally)
                return OptionCounts((len(found), sum(rows for _, rows in found)))

        return Reading(self.column, self.options)

    def locate(self, summary: Any, neighbors: Any = "add-remove") -> Location:  # noqa: ANN401 - any summary
        del neighbors
        towns, rows = summary.counts
        return Location(self.options[towns < 2], max(0, rows - 2))


def test_a_check_gives_a_reading_no_text_of_no_row() -> None:
    found = check_question(Towns("town", VOTES), cells=["Ulm", "Bern"], tight=False)
    assert not found
    assert found.broken in {"a", "b"}


@dataclass(frozen=True)
class Loudest(Winner):
    """A winner of another package."""

    def describe(self) -> dict[str, Any]:
        return {"kind": "loudest", "column": self.column, "options": list(self.options)}


def loudest(description: dict[str, Any]) -> Loudest:
    return Loudest(description["column"], tuple(description["options"]))


def test_a_receipt_of_another_packages_question_is_checked_if_an_entry_point_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = rdp.ask(OptionCounts((90, 10)), Loudest("vote", VOTES), epsilon=5)
    with pytest.raises(ReceiptError, match="question"):
        rdp.verify_receipt(found.receipt)
    for value in ("test_release_own_questions:loudest", "test_release_own_questions:another"):
        points = (EntryPoint("loudest", value, "rainbowdp.questions"),)
        monkeypatch.setattr(
            "rainbowdp.questions.kinds.entry_points",
            lambda group, name, points=points: [
                point for point in points if (point.group, point.name) == (group, name)
            ],
        )
        if value.endswith("another"):
            with pytest.raises(ReceiptError, match="question"):
                rdp.verify_receipt(found.receipt)
        else:
            assert rdp.verify_receipt(found.receipt)


def another(description: dict[str, Any]) -> Loudest:
    return Loudest(description["column"], ("X", "Y"))
