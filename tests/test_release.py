# SPDX-License-Identifier: Apache-2.0
"""From a table to an answer and its receipt: what is drawn, what is charged, and what is never said."""

import contextlib
import json
import pickle
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import rainbowdp as rdp
from bit_sources import FixedBits, ReplayBits
from rainbowdp.errors import (
    BudgetRefusedError,
    QuestionError,
    RainbowError,
    RequestMismatchError,
)
from rainbowdp.goals import GOALS
from rainbowdp.ledger import Cost
from rainbowdp.questions import (
    BracketCounts,
    ClampedSum,
    MatchCount,
    Neighbors,
    OptionCounts,
    OptionReading,
    Question,
    Summary,
)
from rainbowdp.release import Terms, answer, verify_receipt
from rainbowdp.tables import open_table, summarize

Json = Any  # what json.loads may give
# A question with one summary for every true answer, well inside its region.
CASES: list[tuple[Question, dict[str, Summary]]] = [
    (
        rdp.winner("c", ["red", "blue", "green"]),
        {
            "red": OptionCounts((90, 0, 0)),
            "blue": OptionCounts((0, 90, 0)),
            "green": OptionCounts((0, 0, 90)),
        },
    ),
    (
        rdp.ranking("c", ["red", "blue"]),
        {"red>blue": OptionCounts((90, 5)), "blue>red": OptionCounts((5, 90))},
    ),
    (
        rdp.yes_no("c", equals="x", at_least=50),
        {"yes": MatchCount(99, 100), "no": MatchCount(2, 100)},
    ),
    (rdp.yes_no("c", equals="x", share="1/2"), {"yes": MatchCount(99, 100), "no": MatchCount(2, 100)}),
    (
        rdp.yes_no("c", clamp=(0, 10), at_least=500),
        {"yes": ClampedSum(Fraction(1000)), "no": ClampedSum(Fraction(10))},
    ),
    (
        rdp.level("c", equals="x", edges=[40, 80]),
        {"<40": MatchCount(1, 100), "40..<80": MatchCount(60, 100), ">=80": MatchCount(100, 100)},
    ),
    (
        rdp.level("c", equals="x", share=True, edges=["1/4", "3/4"]),
        {"<1/4": MatchCount(1, 100), "1/4..<3/4": MatchCount(50, 100), ">=3/4": MatchCount(100, 100)},
    ),
    (
        rdp.bracket("c", edges=[18, 65]),
        {
            "<18": BracketCounts((90, 5, 5)),
            "18..<65": BracketCounts((5, 90, 5)),
            ">=65": BracketCounts((5, 5, 90)),
        },
    ),
]


def directions() -> Iterator[tuple[Question, str, Summary]]:
    for question, summaries in CASES:
        for true, summary in summaries.items():
            yield question, true, summary


def said(question: Question, text: str) -> object:
    stated = question.answer_json(text)
    return stated if isinstance(stated, str) else tuple(stated)


@pytest.mark.parametrize(("question", "true", "summary"), list(directions()))
@pytest.mark.parametrize("neighbors", ["add-remove", "change-one"])
def test_far_from_the_boundary_every_question_answers_truly(
    question: Question, true: str, summary: Summary, neighbors: Neighbors
) -> None:
    terms = Terms(question, rdp.PureDP(50), neighbors)
    assert answer(terms, summary, bits=ReplayBits(1)).answer == said(question, true)


def test_a_charge_is_committed_before_a_bit_is_drawn(tmp_path: Path) -> None:
    terms = Terms(rdp.winner("c", ["red", "blue"]), rdp.PureDP(1))

    class Broken:
        def bits(self, count: int) -> int:
            raise RuntimeError(f"no {count} bits")

        def words(self, count: int) -> NDArray[np.uint64]:
            raise RuntimeError(f"no {count} words")

    with rdp.open_ledger(tmp_path / "l", create=True) as ledger:
        ledger.create("b", Cost.of(rdp.PureDP(1)))
        with pytest.raises(RuntimeError):
            answer(terms, OptionCounts((3, 90)), ledger, "b", "q", bits=Broken())
        state = ledger.state("b")
        assert str(state.spent) == "epsilon 1"
        assert [entry.event for entry in ledger.history("b")] == ["create", "charge"]
        again = answer(terms, OptionCounts((3, 90)), ledger, "b", "q", bits=FixedBits([2**63, 0]))
        assert str(ledger.state("b").spent) == "epsilon 1"
        # Repeated once more, the answer is the stored one, whatever the bits say.
        words = FixedBits([])
        assert answer(terms, OptionCounts((90, 3)), ledger, "b", "q", bits=words).answer == again.answer
        with pytest.raises(RequestMismatchError):
            answer(
                Terms(rdp.winner("c", ["red", "green"]), rdp.PureDP(1)),
                OptionCounts((3, 9)),
                ledger,
                "b",
                "q",
            )
        with pytest.raises(BudgetRefusedError, match="spent epsilon 1; asked epsilon 1; left epsilon 0"):
            answer(terms, OptionCounts((3, 90)), ledger, "b", None)


def test_one_source_under_two_budgets_is_said(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("c\nred\nblue\n", encoding="utf-8")
    ledger = str(tmp_path / "l")
    with rdp.open_ledger(ledger, create=True) as book:
        for name in ("one", "two"):
            book.create(name, Cost.of(rdp.ApproxDP(9, "1e-3")))
    question = rdp.winner("c", ["red", "blue"])
    first = rdp.ask(file, question, epsilon=1, ledger=ledger, name="one")
    second = rdp.ask(file, question, epsilon=1, ledger=ledger, name="two")
    assert second.notes[:-1] == first.notes
    assert "charged to other budgets" in second.notes[-1]
    named = rdp.ask_keys(file, "c", epsilon=1, delta="1e-6", ledger=ledger, name="two")
    assert named.notes == (
        "privacy hides that one person joins or leaves; every row is a person",
        "a category that 28 people have is always named",
        "the list costs epsilon=1, delta=0.000001",
        "this source is charged to other budgets, too ('one'): what it reveals in all is their sum",
    )


CANARY = "Zanzibar7"


def test_nothing_private_is_shown_by_any_object() -> None:
    frame = pd.DataFrame({"c": ["red"] * 41 + [CANARY] * 3, "id": [CANARY] * 44})
    question = rdp.winner("c", ["red", "blue"])
    given = rdp.ask(frame, question, epsilon=30, unit="id", max_rows=44)
    with open_table(frame) as table:
        summary = summarize(table, question.reading)
        location = question.locate(summary)
        shown = [repr(value) + str(value) for value in (given, given.terms, table, summary, location)]
        shown += [f"{given.notes} {json.dumps(given.receipt)}"]
    for text in shown:
        assert CANARY not in text
    for text in shown[3:5]:
        assert "41" not in text
    assert CANARY.encode() not in pickle.dumps(given)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({}, "no privacy"),
        ({"epsilon": 1, "mu": 1}, "`mu` and `epsilon` do not belong"),
        ({"delta": "1e-6"}, "`delta` is given without `epsilon`"),
        ({"epsilon": "inf"}, "inf"),
        ({"epsilon": 1, "unit": "id"}, "`unit` is given without `max_rows`"),
        ({"epsilon": 1, "max_rows": 2}, "`max_rows` is given without `unit`"),
        ({"epsilon": 1, "by": "g"}, "`by` is given without `groups`"),
        ({"epsilon": 1, "by": "g", "groups": ["x", "x "]}, "not distinct"),
        ({"epsilon": 1, "name": "b"}, "`name` is given without `ledger`"),
        ({"epsilon": 1, "ledger": "l"}, "`ledger` is given without `name`"),
        ({"epsilon": 1, "neighbors": "ad-remove"}, "not a neighbor relation"),
        ({"epsilon": 1, "boundary": "maxmin"}, "cannot be chosen"),
        ({"epsilon": 1, "where": {"town": "A"}}, "has no column 'town'"),
    ],
)
def test_what_cannot_be_answered_is_refused_before_a_row_is_read(options: Json, match: str) -> None:
    frame = pd.DataFrame({"c": ["red"]})
    with pytest.raises(RainbowError, match=match):
        rdp.ask(frame, rdp.winner("c", ["red", "blue"]), **options)


@pytest.mark.parametrize(("question", "summaries"), CASES)
def test_epsilon_zero_says_nothing_of_the_table(question: Question, summaries: dict[str, Summary]) -> None:
    for goal in GOALS:
        mechanism = Terms(question, rdp.PureDP(0), goal=goal).mechanism
        chances = [list(mechanism.at(summary).chances().values()) for summary in summaries.values()]
        assert all(each == chances[0] for each in chances)


def test_keys_are_named_charged_and_receipted(tmp_path: Path) -> None:
    rows = [(person, town) for person in range(300) for town in ("Ulm", "Bonn")] + [(0, CANARY)]
    frame = pd.DataFrame(rows, columns=["id", "town"])
    ledger = str(tmp_path / "l")
    with rdp.open_ledger(ledger, create=True) as book:
        book.create("b", Cost.of(rdp.ApproxDP(1, "1e-6")))
    asked: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "ledger": ledger, "name": "b", "request_id": "r"}
    found = rdp.ask_keys(frame, "town", unit="id", max_keys=3, **asked)
    assert found.keys == ("Bonn", "Ulm")
    assert rdp.ask_keys(frame, "town", unit="id", max_keys=3, **asked).keys == found.keys
    assert CANARY not in json.dumps(found.receipt)
    assert verify_receipt(found.receipt).holds
    with pytest.raises(BudgetRefusedError):
        rdp.ask_keys(frame, "town", **{**asked, "request_id": "s"})


FRAME = pd.DataFrame({"member": [True] * 60 + [False] * 40, "wave": [1.0] * 60 + [2.0] * 40})


def notes(source: object, question: Any, **how: Any) -> list[str]:  # noqa: ANN401 - any question and options
    found = rdp.ask(source, question, epsilon=1, **how)
    return [note for note in found.notes if "stands for text alone" in note or "no cell of" in note]


def test_a_note_tells_of_a_declared_text_that_no_typed_cell_says(tmp_path: Path) -> None:
    asked: list[tuple[Any, dict[str, Any]]] = [
        (rdp.yes_no("member", equals="True", share="1/2"), {}),
        (rdp.winner("wave", ["2.0", "1.0"]), {}),
        (rdp.winner("wave", ["2", "1"]), {"where": {"member": "TRUE"}}),
        (rdp.winner("wave", ["2", "1"]), {"by": "member", "groups": ["False", "true"]}),
    ]
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    FRAME.to_parquet(tmp_path / "a.parquet")
    for question, how in asked:
        (note,) = notes(tmp_path / "a.parquet", question, **how)
        assert "its type holds true or false" in note or "its type holds numbers, such as 2.5" in note
        with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
            FRAME.to_sql("a", database, if_exists="replace", index=False)
        (note,) = notes(f"sqlite:///{tmp_path / 'a.db'}", question, **how)
        assert "these say true, false, 1 or 2.5" in note
        assert notes(tmp_path / "a.csv", question, **how) == []
    typed: dict[str, Any] = {"where": {"member": "true"}, "by": "wave", "groups": ["1", "2"]}
    assert notes(FRAME, rdp.winner("wave", ["2", "1"]), **typed) == []
    assert notes(MatchCount(60, 100), rdp.yes_no("member", equals="True", share="1/2")) == []


def test_a_person_is_one_in_whatever_form_a_file_writes_the_number(tmp_path: Path) -> None:
    # pandas writes whole numbers as 7.0 where one cell of the column is missing.
    (tmp_path / "w1.csv").write_text("id,vote\n" + "".join(f"{i},A\n" for i in range(100)), encoding="utf-8")
    (tmp_path / "w2.csv").write_text(
        "id,vote\n" + "".join(f"{i}.0,A\n" for i in range(100)), encoding="utf-8"
    )
    reading = OptionReading("vote", ("A", "B"))
    for most, counted in ((1, 100), (2, 200)):
        with open_table(str(tmp_path / "w*.csv")) as table:
            assert summarize(table, reading, unit="id", max_rows=most) == OptionCounts((counted, 0))
    (tmp_path / "t.csv").write_text("id,vote\nTrue,A\nTRUE,A\ntrue,A\n01.0,A\n1,A\n1.5,A\n", encoding="utf-8")
    with open_table(str(tmp_path / "t.csv")) as table:
        assert summarize(table, reading, unit="id") == OptionCounts((4, 0))


@pytest.mark.parametrize(
    ("question", "summary"),
    [
        (rdp.winner("c", ["a", "b", "d"]), OptionCounts((2, -1, 0))),
        (rdp.ranking("c", ["a", "b", "d"]), OptionCounts((2, -1, 0))),
        (rdp.yes_no("c", equals="a", share="1/2"), MatchCount(5, 3)),
        (rdp.level("c", equals="a", edges=[2, 4]), MatchCount(-1, 3)),
    ],
)
def test_a_summary_that_no_table_has_is_refused(question: Question, summary: Summary) -> None:
    with pytest.raises(QuestionError, match="does not count rows"):
        rdp.ask(summary, question, epsilon=1)
