# SPDX-License-Identifier: Apache-2.0
"""From a table to an answer and its receipt: what is drawn, what is charged, and what is never said."""

import contextlib
import json
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rainbowdp as rdp
from bit_sources import FixedBits, NoBits
from rainbowdp.errors import BudgetRefusedError, QuestionError, RainbowError, RequestMismatchError
from rainbowdp.goals import GOALS
from rainbowdp.ledger import Cost
from rainbowdp.questions import (
    BracketCounts,
    ClampedSum,
    MatchCount,
    OptionCounts,
    OptionReading,
    Question,
    Summary,
)
from rainbowdp.release import Terms, answer, verify_receipt
from rainbowdp.tables import open_table, summarize

Json = Any  # what json.loads may give
# Questions, each with summaries of two true answers.
CASES: list[tuple[Question, Summary, Summary]] = [
    (rdp.winner("c", ["red", "blue", "green"]), OptionCounts((90, 0, 0)), OptionCounts((0, 0, 90))),
    (rdp.ranking("c", ["red", "blue"]), OptionCounts((90, 5)), OptionCounts((5, 90))),
    (rdp.yes_no("c", equals="x", share="1/2"), MatchCount(99, 100), MatchCount(2, 100)),
    (rdp.yes_no("c", clamp=(0, 10), at_least=500), ClampedSum(Fraction(1000)), ClampedSum(Fraction(10))),
    (rdp.level("c", equals="x", edges=[40, 80]), MatchCount(1, 100), MatchCount(60, 100)),
    (rdp.bracket("c", edges=[18, 65]), BracketCounts((90, 5, 5)), BracketCounts((5, 5, 90))),
]


def test_a_charge_is_committed_before_a_bit_is_drawn(tmp_path: Path) -> None:
    terms = Terms(rdp.winner("c", ["red", "blue"]), rdp.PureDP(1))
    with rdp.open_ledger(tmp_path / "l", create=True) as ledger:
        ledger.create("b", Cost.of(rdp.PureDP(1)))
        with pytest.raises(OSError, match="not there"):
            answer(terms, OptionCounts((3, 90)), ledger, "b", "q", bits=NoBits())
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


@pytest.mark.parametrize(("question", "here", "there"), CASES)
def test_epsilon_zero_says_nothing_of_the_table(question: Question, here: Summary, there: Summary) -> None:
    for goal in GOALS:
        mechanism = Terms(question, rdp.PureDP(0), goal=goal).mechanism
        one, other = (list(mechanism.at(summary).chances().values()) for summary in (here, there))
        assert one == other


def test_keys_are_named_charged_and_receipted(tmp_path: Path) -> None:
    rows = [(person, town) for person in range(300) for town in ("Ulm", "Bonn")] + [(0, "Zanzibar")]
    frame = pd.DataFrame(rows, columns=["id", "town"])
    ledger = str(tmp_path / "l")
    with rdp.open_ledger(ledger, create=True) as book:
        book.create("b", Cost.of(rdp.ApproxDP(1, "1e-6")))
    asked: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "ledger": ledger, "name": "b", "request_id": "r"}
    found = rdp.ask_keys(frame, "town", unit="id", max_keys=3, **asked)
    assert found.keys == ("Bonn", "Ulm")
    assert rdp.ask_keys(frame, "town", unit="id", max_keys=3, **asked).keys == found.keys
    assert "Zanzibar" not in json.dumps(found.receipt)
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
    cells = "True,A\nTRUE,A\ntrue,A\n01.0,A\n1,A\n1.0,A\n1.5,A\n"
    (tmp_path / "t.csv").write_text(f"id,vote\n{cells}", encoding="utf-8")
    with open_table(str(tmp_path / "t.csv")) as table:
        assert summarize(table, OptionReading("vote", ("A", "B")), unit="id") == OptionCounts((4, 0))


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
