# SPDX-License-Identifier: Apache-2.0
"""Receipts: their form, that every changed part is found, and that a wrong mechanism is judged broken."""

import copy
import itertools
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pandas as pd
import pytest

import rainbowdp as rdp
from bit_sources import ReplayBits
from rainbowdp.errors import ReceiptError
from rainbowdp.goals import GOALS, Asked, Goal, mechanism_of
from rainbowdp.goals.judging import judge_mechanism
from rainbowdp.goals.one_option import Flip
from rainbowdp.ledger import Cost
from rainbowdp.questions import (
    BracketCounts,
    MatchCount,
    Neighbors,
    OptionCounts,
    Question,
    ScoreValues,
    Summary,
)
from rainbowdp.release import Answer, Terms, answer, verify_receipt

Json = Any  # what json.loads may give
SCHEMA = json.loads(
    (Path(rdp.__file__).parent / "release" / "receipt.schema.json").read_text(encoding="utf-8")
)
PRIVACIES: list[rdp.privacy.Privacy] = [
    rdp.PureDP("ln 2"),
    rdp.ApproxDP("1/2", "1/100"),
    rdp.GaussianDP("1/2"),
]
COUNTS = OptionCounts((7, 3, 5))
CASES: dict[str, tuple[Question, Summary]] = {
    "winner": (rdp.winner("c", ["a", "b", "c"]), COUNTS),
    "winner of two": (rdp.winner("c", ["a", "b"]), OptionCounts((3, 1))),
    "scores": (
        rdp.scores(["a", "b", "c"], sensitivity="1/2"),
        ScoreValues((Fraction(1), Fraction(2), Fraction(4))),
    ),
    "ranking": (rdp.ranking("c", ["a", "b", "c"]), COUNTS),
    "first two": (rdp.ranking("c", list("abc"), top=2), COUNTS),
    "set of two": (rdp.ranking("c", list("abc"), top=2, as_set=True), COUNTS),
    "yes-no": (rdp.yes_no("c", equals="x", share="1/3", false_yes="1/8"), MatchCount(4, 9)),
    "narrow level": (rdp.level("c", equals="x", edges=[3, 4]), MatchCount(4, 9)),
    "wide level": (rdp.level("c", equals="x", edges=[4, 12]), MatchCount(4, 9)),
    "bracket": (rdp.bracket("c", edges=[18, 65]), BracketCounts((3, 4, 5))),
}


def receipt_of(terms: Terms, summary: Summary) -> Json:
    return json.loads(json.dumps(answer(terms, summary, bits=ReplayBits(1)).receipt, allow_nan=False))


@pytest.mark.parametrize("name", CASES)
def test_receipts_follow_their_schema_and_hold(name: str) -> None:
    question, summary = CASES[name]
    for at, (privacy, goal) in enumerate(itertools.product(PRIVACIES, GOALS)):
        neighbors = get_args(Neighbors)[at % 2]
        terms = Terms(question, privacy, neighbors, goal=goal)
        receipt = receipt_of(terms, summary)
        jsonschema.validate(receipt, SCHEMA)
        checked = verify_receipt(receipt)
        assert not checked.faults
        # Each question is judged with one privacy and goal or another.
        assert at != list(CASES).index(name) % 6 or checked.holds, checked.judged
        assert receipt["mechanism"] == terms.mechanism.name
        assert (receipt["rho"] is None) == (isinstance(terms.mechanism.charged, rdp.ApproxDP))


def test_a_receipt_of_many_options_takes_a_few_kilobytes_beside_them() -> None:
    options = [f"option {at:04}" for at in range(256)]
    terms = Terms(rdp.winner("c", options), rdp.PureDP("1/2"))
    receipt = receipt_of(terms, OptionCounts((5000, *range(255))))
    assert len(json.dumps(receipt)) - len(json.dumps(options)) < 2048
    assert verify_receipt(receipt).holds


def test_a_repeated_request_has_the_receipt_of_the_first_one(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": ["red"] * 5 + ["blue"] * 4 + ["green"] * 3})
    ledger = str(tmp_path / "l")
    with rdp.open_ledger(ledger, create=True) as book:
        book.create("b", Cost.of(rdp.ApproxDP(9, "1e-3")))
    asked: dict[str, Any] = {"epsilon": 1, "ledger": ledger, "name": "b", "request_id": "r"}
    question = rdp.winner("c", ["red", "blue", "green"])
    first, again = (rdp.ask(frame, question, **asked).receipt for _ in range(2))
    assert first == again
    assert first["budget"] == {"name": "b", "request_id": "r"}
    keys = {**asked, "delta": "1e-6", "request_id": "k"}
    named, repeated = (rdp.ask_keys(frame, "c", **keys).receipt for _ in range(2))
    assert named == repeated
    jsonschema.validate(named, SCHEMA)
    assert verify_receipt(named).holds


def paths(value: Json, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*at, key))
    elif isinstance(value, list):
        for place in {0, len(value) - 1} if value else ():
            yield from paths(value[place], (*at, place))


def replaced(receipt: Json, path: tuple[Any, ...], value: Json) -> Json:
    if not path:
        return value
    changed = copy.deepcopy(receipt)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def tampered(value: Json) -> Iterator[Any]:
    yield from (None, "x", [], {}, True, -1, 0.123, float("nan"), [[]], {"": 1})
    if isinstance(value, str):
        yield from (value + "1", "0", "1/3")
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (value + 1e-6, value * 1.001, 0, 1)


# Statements from which nothing follows for the mechanism.
FREE = {
    *(("rainbowdp",), ("where",), ("where", "town"), ("unit", "column"), ("question", "column")),
    *(("answered_at",), ("budget",), ("question", "nulls"), ("groups", "by")),
}


def grouped_receipt() -> Json:
    terms = Terms(
        rdp.winner("age", ["low", "mid", "high"], other="other"),
        rdp.PureDP("ln 3"),
        "change-one",
        unit="id",
        max_rows=2,
        where={"town": "A"},
        by="sex",
        groups=("m", "f"),
    )
    answers = {"m": "low", "f": "other"}
    return json.loads(json.dumps(Answer(terms, answers).receipt))


def keys_receipt() -> Json:
    frame = pd.DataFrame({"town": ["Ulm"] * 200 + ["Bonn"] * 200, "id": range(400)})
    found = rdp.ask_keys(frame, "town", epsilon=1, delta="1e-6", unit="id", max_keys=2)
    return json.loads(json.dumps(found.receipt))


@pytest.mark.parametrize("make", [grouped_receipt, keys_receipt])
def test_every_tampering_with_a_receipt_is_found_or_refused(make: Any) -> None:  # noqa: ANN401 - makes JSON
    receipt = make()
    assert verify_receipt(receipt).holds
    seen = 0
    for path in paths(receipt):
        original: Any = receipt
        for key in path:
            original = original[key]
        for value in tampered(original):
            if value == original or path in FREE:
                continue
            seen += 1
            try:
                checked = verify_receipt(replaced(receipt, path, value))
            except ReceiptError:
                continue
            # What was asked, or the answer, may well be another one that has a receipt.
            other = path[0] in {"question", "unit", "groups", "answer"}
            assert checked.faults or other, (path, value)
    assert seen > 200


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "not a JSON object"),
        (3, "not a JSON object"),
        ({}, "its schema is None"),
        ({"schema": "rainbowdp.receipt/3"}, "its schema is 'rainbowdp.receipt/3'"),
        ({"schema": "rainbowdp.receipt/2"}, "is missing from the receipt"),
    ],
)
def test_what_is_no_receipt_is_refused(content: Json, said: str) -> None:
    with pytest.raises(ReceiptError, match=said):
        verify_receipt(content)


@pytest.mark.parametrize(("neighbors", "rows"), [("add-remove", 1), ("add-remove", 2), ("change-one", 1)])
def test_a_flip_with_a_wrong_coin_is_judged_broken(
    neighbors: Neighbors, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(rdp.winner("c", ["a", "b", "c"]), rdp.PureDP("ln 2"), neighbors, rows)
    mechanism = mechanism_of(asked)
    assert judge_mechanism(mechanism)
    right_weights, right_ball = Flip.weights_and_odds, Flip.weight_ball
    factor = Fraction(51, 50)

    def weights(self: Flip, gaps: Any) -> Any:  # noqa: ANN401 - as it is
        found, odds = right_weights(self, gaps)
        return {gap: weight * factor if gap == 1 else weight for gap, weight in found.items()}, odds

    def weight_ball(self: Flip, gap: Any) -> Any:  # noqa: ANN401 - as it is
        return right_ball(self, gap) * (51 if gap == 1 else 50) / 50

    monkeypatch.setattr(Flip, "weights_and_odds", weights)
    monkeypatch.setattr(Flip, "weight_ball", weight_ball)
    judged = judge_mechanism(mechanism_of(asked))
    assert not judged
    assert judged.broken


@pytest.mark.parametrize("goal", ["typical", "guarantee"])
def test_what_is_judged_covers_all_small_tables(goal: Goal) -> None:
    for neighbors, rows in zip(get_args(Neighbors), (2, 1), strict=True):
        asked = Asked(rdp.winner("c", ["a", "b", "c"]), rdp.PureDP("1/10"), neighbors, rows)
        judged = judge_mechanism(mechanism_of(asked, goal))
        assert judged
        assert (judged.people or 0) >= 4
