# SPDX-License-Identifier: Apache-2.0
"""What is asked of a question that somebody wrote, and when: all but one thing, and before a row is read."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rainbowdp as rdp
from own_readings import ReadsOwn
from rainbowdp.errors import QuestionError
from rainbowdp.ledger import Cost, open_ledger
from rainbowdp.questions import (
    BracketCounts,
    Location,
    MatchCount,
    OptionCounts,
    OptionReading,
    Winner,
    bracket,
    check_question,
    winner,
    yes_no,
)
from rainbowdp.questions.readings import as_texts
from rainbowdp.rainbow import Rainbow
from rainbowdp.release.receipt import public_part
from rainbowdp.release.terms import Terms

VOTES = ("A", "B")
SURE = 60
CANARY = "Zoe of Ulm"


def votes(number: int = 20) -> pd.DataFrame:
    return pd.DataFrame({"vote": ["A"] * number + ["B"] * 3 + [CANARY], "id": range(number + 4)})


class ReadsOnce(Winner):
    """A winner whose reading complains when it is asked for again after it has been used."""

    used = False

    @property
    def reading(self) -> OptionReading:
        if self.used:
            raise RuntimeError(f"used, {CANARY}")
        asked = self

        class Reading(OptionReading):
            def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
                object.__setattr__(asked, "used", True)
                return super().summary(tally)

        return Reading(self.column, self.options)


def test_a_reading_is_asked_for_once_and_before_the_charge(tmp_path: Path) -> None:
    assert rdp.ask(votes(), ReadsOnce("vote", VOTES), epsilon=SURE).answer == "A"
    with open_ledger(tmp_path / "budgets", create=True) as opened:
        opened.create("b", Cost.of(rdp.PureDP(SURE)))
    paid: Any = {"ledger": tmp_path / "budgets", "name": "b", "request_id": "r"}
    assert rdp.ask(votes(), ReadsOnce("vote", VOTES), epsilon=SURE, **paid).answer == "A"


@pytest.mark.parametrize("touching", [None, frozenset([VOTES])], ids=["all", "named"])
def test_rainbows_are_asked_for_before_a_row_is_read(touching: Any) -> None:  # noqa: ANN401 - as in the protocol
    class Complains(ReadsOnce):
        def rainbow(self, answer: str) -> Any:  # noqa: ANN401 - as in the protocol
            if self.used:
                raise RuntimeError(f"used, {CANARY}")
            return super().rainbow(answer)

        def touching(self, *_: object) -> Any:  # noqa: ANN401 - as in the protocol
            return touching

    assert rdp.ask(votes(), Complains("vote", VOTES), epsilon=SURE).answer == "A"


def test_a_description_is_asked_for_before_a_row_is_read() -> None:
    @dataclass(frozen=True)
    class Remembers(Winner):
        def locate(self, summary: Any, neighbors: Any = "add-remove") -> Location:  # noqa: ANN401 - any summary
            found = super().locate(summary, neighbors)
            object.__setattr__(self, "seen", found.distance)
            return found

        def describe(self) -> dict[str, object]:
            return {"kind": "own", **{name: value for name, value in vars(self).items() if name == "seen"}}

    question = Remembers("vote", VOTES)
    found = rdp.ask(votes(), question, epsilon=1)
    assert "seen" in question.describe()
    assert found.receipt["question"] == {"kind": "own"}


def test_a_receipt_asks_a_question_nothing_anew() -> None:
    class Tells(Winner):
        seen: tuple[int, ...] = ()

        @property
        def answers(self) -> tuple[str, ...]:
            if self.seen:
                raise ValueError(self.seen)
            return self.options

        def rainbow(self, answer: str) -> Rainbow:
            order = sorted(self.options, key=lambda one: self.seen and -self.seen["ABC".index(one)])
            return Rainbow([(answer,), *((one,) for one in order if one != answer)])

    receipts = []
    for counts in ((9, 1, 5), (9, 5, 1)):
        question = Tells("vote", ("A", "B", "C"))
        terms = Terms(question, rdp.PureDP(1))
        _ = terms.mechanism, terms.description
        # As `locate` may set it.
        object.__setattr__(question, "seen", counts)
        receipts.append(json.dumps(public_part(terms)))
    assert receipts[0] == receipts[1]


@pytest.mark.parametrize(
    "said", [{"a": {1, 2}}, {"a": float("nan")}, {"a": 10**5000}, {"a": b"x"}], ids=range(4)
)
def test_a_description_that_is_no_json_is_refused_before_a_row_is_read(said: Any) -> None:  # noqa: ANN401 - wrong on purpose
    class Says(Winner):
        def describe(self) -> Any:  # noqa: ANN401 - wrong on purpose
            return said

    with pytest.raises(QuestionError, match="`describe` returns is no JSON"):
        rdp.ask(votes(), Says("vote", VOTES), epsilon=1)


@pytest.mark.parametrize("own", [None, 5, object()], ids=["None", "5", "object"])
def test_what_is_no_reading_is_refused_before_a_row_is_read(own: object) -> None:
    with pytest.raises(QuestionError, match="the reading of the question is"):
        rdp.ask(votes(), ReadsOwn("vote", VOTES, own=own), epsilon=1)


@dataclass(frozen=True)
class Keeps(OptionReading):
    """A reading that keeps what it is given, and a text's last number of rows."""

    given: list[tuple[Any, int]] = field(default_factory=list)

    def summary(self, tally: Any) -> OptionCounts:  # noqa: ANN401 - a tally
        self.given[:] = tally
        return super().summary(dict(self.given).items())


MANY = pd.DataFrame(
    {
        "vote": ["A", " A", "A ", None, "B", float("nan"), "B", ""] * 3000,
        "id": range(24_000),
        "town": ["Ulm"] * 24_000,
    }
)


@pytest.mark.parametrize(
    "how", [{}, {"unit": "id", "max_rows": 1}, {"by": "town", "groups": ["Ulm"]}], ids=["plain", "unit", "by"]
)
@pytest.mark.parametrize("kind", ["pandas", "csv"])
def test_a_reading_of_ones_own_is_given_each_text_once(how: Any, kind: str, tmp_path: Path) -> None:  # noqa: ANN401 - options
    source: Any = MANY
    if kind == "csv":
        source = tmp_path / "many.csv"
        MANY.to_csv(source, index=False)
    reading = Keeps("vote", VOTES)
    rdp.ask(source, ReadsOwn("vote", VOTES, own=reading), epsilon=1, **how)
    assert reading.given == [("A", 9000), ("B", 6000), (None, 9000)]


def test_texts_come_in_order_whatever_the_order_of_rows() -> None:
    rows = [("b", 1), ("a", 2), (None, 3), ("c", 0), ("a ", 4)]
    assert as_texts(rows) == as_texts(reversed(rows)) == [("a", 6), ("b", 1), (None, 3)]


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


@pytest.mark.parametrize(
    ("distance", "reason"),
    [(10**30, "have the distances"), (None, "none of the answers")],
    ids=["far", "none"],
)
def test_a_check_tells_of_a_distance_that_is_none(distance: Any, reason: str) -> None:  # noqa: ANN401 - wrong on purpose
    class Far(Winner):
        def locate(self, summary: Any, neighbors: Any = "add-remove") -> Any:  # noqa: ANN401 - wrong on purpose
            found = super().locate(summary, neighbors)
            if distance is None:
                return None
            return Location(found.answer, found.distance + (distance if max(summary.counts) == 3 else 0))

    assert reason in check_question(Far("vote", VOTES), cells=["A", "B"]).reason


def test_a_check_refuses_summaries_without_a_hash() -> None:
    class Lists(OptionReading):
        def summary(self, tally: Any) -> Any:  # noqa: ANN401 - wrong on purpose
            return list(tally)

    with pytest.raises(QuestionError, match="have no hash"):
        check_question(ReadsOwn("vote", VOTES, own=Lists("vote", VOTES)), cells=["A", "B"])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int64])
def test_a_number_of_rows_of_numpy_is_a_whole_number(kind: type[np.integer[Any]]) -> None:
    two: Any = kind(2)
    people = pd.DataFrame({"vote": ["A"] * 900 + ["B"] * 100, "id": range(1000)})
    found = rdp.ask(people, winner("vote", VOTES), epsilon=SURE, unit="id", max_rows=two)
    assert found.answer == "A"
    assert json.loads(json.dumps(found.receipt))["unit"] == {"column": "id", "at_most": 2}
    towns = {"by": "town", "groups": tuple(map(str, range(100)))}
    terms = Terms(winner("vote", VOTES), rdp.PureDP(1), "change-one", unit="id", max_rows=kind(64), **towns)  # type: ignore[arg-type]  # any whole number
    assert str(terms.cost) == "epsilon 100"


class Touches(Winner):
    """A winner whose regions touch from 150 rows on."""

    def touching(self, neighbors: Any, max_rows: int = 1) -> Any:  # noqa: ANN401 - as in the protocol
        del neighbors
        return frozenset([VOTES] if max_rows * 2 > 150 else [])


def test_a_question_is_given_numbers_of_rows_that_have_no_end() -> None:
    from rainbowdp.questions import region_graph

    assert region_graph(Touches("vote", VOTES), "change-one", np.int8(100)).structure.pair_count == 1  # type: ignore[arg-type]  # any whole number


@pytest.mark.parametrize("kind", [np.uint8, np.uint32, np.int8, np.uint64])
def test_counts_of_numpy_are_whole_numbers(kind: type[np.integer[Any]]) -> None:
    smoker = yes_no("smoker", equals="yes", share="1/2")
    ages = bracket("age", edges=[18, 65])
    numbers: Any = [kind(3), kind(100), kind(90)]
    assert smoker.locate(MatchCount(*numbers[:2])) == smoker.locate(MatchCount(3, 100))
    assert ages.locate(BracketCounts(tuple(numbers))) == ages.locate(BracketCounts((3, 100, 90)))
    assert winner("vote", VOTES).locate(OptionCounts(np.array(numbers[:2]))) == Location("B", 96)  # type: ignore[arg-type]  # any sequence
