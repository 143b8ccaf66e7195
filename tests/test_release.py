# SPDX-License-Identifier: Apache-2.0
"""From a table to an answer and its receipt: what is drawn, what is charged, and what is never said."""

import copy
import itertools
import json
import pickle
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import rainbowdp as rdp
from bit_sources import FixedBits, ReplayBits
from rainbowdp.errors import BudgetRefusedError, RainbowError, ReceiptError, RequestMismatchError, UsageError
from rainbowdp.ledger import Cost
from rainbowdp.questions import (
    BracketCounts,
    ClampedSum,
    MatchCount,
    Neighbors,
    OptionCounts,
    Question,
    Summary,
    in_table,
)
from rainbowdp.release import Answer, Terms, answer, answer_from_ledger, verify_receipt
from rainbowdp.release.keys_receipt import keys_receipt_faults
from rainbowdp.tables import open_table

Json = Any  # what json.loads may give
SCHEMA = json.loads(
    (Path(rdp.__file__).parent / "release" / "receipt.schema.json").read_text(encoding="utf-8")
)
PRIVACIES = [rdp.PureDP("ln 2"), rdp.PureDP("0.3"), rdp.ApproxDP("1/2", "1/100"), rdp.GaussianDP("1/2")]
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


@pytest.mark.parametrize(("question", "true", "summary"), list(directions()))
def test_every_answer_comes_out_for_the_bits_that_mean_it(
    question: Question, true: str, summary: Summary
) -> None:
    terms = Terms(question, rdp.PureDP("ln 2"))
    location = terms.asked.locate(summary)
    assert location.answer == true
    near = terms.distribution(true, 0)
    # The cumulative masses in the order of the colors decide: one word in the middle of each stretch.
    start = Fraction(0)
    for color in near.colors:
        share = exact(near[color])
        word = int((start + share / 2) * 2**64)
        drawn = rdp.sample_distribution(near, bits=FixedBits([word, 0, 0]))
        assert drawn == [color]
        start += share
    assert start == 1


def closed_form(privacy: rdp.Privacy, mass: float, steps: int) -> float:
    """Return the largest mass after some steps, step by step, as the paper has it."""
    from statistics import NormalDist

    for _ in range(steps):
        if isinstance(privacy, rdp.GaussianDP):
            mass = NormalDist().cdf(NormalDist().inv_cdf(mass) + float(Fraction(str(privacy.mu))))
            continue
        odds, delta = float(np.exp(0.5)), float(privacy.delta)
        mass = min(1.0, odds * mass + delta, 1 - (1 - mass - delta) / odds)
    return mass


@pytest.mark.parametrize("seed", range(2))
def test_twenty_thousand_asks_follow_the_distribution_of_the_paper(seed: int) -> None:
    # Of 20,000 draws a share is off by 3 percentage points with probability below 1e-6.
    random = np.random.default_rng(seed)
    counts = tuple(int(count) for count in random.integers(5, 9, size=3))
    names = ("b", "c", "a")
    question = rdp.winner("c", names)
    privacies: tuple[rdp.PureDP, rdp.ApproxDP] = (rdp.PureDP("1/2"), rdp.ApproxDP("1/2", "1/50"))
    privacy = privacies[seed]
    terms = Terms(question, privacy, ("add-remove", "change-one")[seed % 2])
    best = counts.index(max(counts))
    lead = min(counts[best] - count - (at < best) for at, count in enumerate(counts) if at != best)
    distance = lead // 2 if seed % 2 else lead
    odds, delta = float(np.exp(0.5)), float(privacy.delta)
    at_boundary = (odds + 2 * delta) / (odds + 2)
    right = closed_form(privacy, at_boundary, distance)
    bits = ReplayBits(seed)
    drawn = [answer(terms, OptionCounts(counts), bits=bits).answer for _ in range(20_000)]
    for at, name in enumerate(names):
        ideal = right if at == best else (1 - right) / 2
        assert abs(drawn.count(name) / 20_000 - ideal) < 0.03


@pytest.mark.parametrize("privacy", PRIVACIES, ids=str)
@pytest.mark.parametrize(("question", "summaries"), CASES)
def test_receipts_follow_their_schema_and_hold(
    question: Question, summaries: dict[str, Summary], privacy: rdp.Privacy
) -> None:
    terms = Terms(question, privacy, "change-one")
    receipt = answer(terms, next(iter(summaries.values()))).receipt
    read = json.loads(json.dumps(receipt, allow_nan=False))
    jsonschema.validate(read, SCHEMA)
    checked = verify_receipt(read)
    assert checked.holds, checked.faults


def test_the_receipt_is_the_same_whatever_the_table() -> None:
    terms = Terms(rdp.winner("c", ["red", "blue"]), rdp.PureDP(1))
    near, far = OptionCounts((7, 7)), OptionCounts((10**9, 3))
    receipts = {
        json.dumps(Answer(terms, answer(terms, summary, bits=FixedBits([2**64 - 1, 0])).answers).receipt)
        for summary in (near, far)
    }
    assert len(receipts) == 1


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
    yield from (None, "x", [], {}, True, -1, 0.123, float("nan"))
    if isinstance(value, str):
        yield from (value + "1", "0", "1/3")
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (value + 1e-6, value * 1.001, 0, 1)


def test_every_tampering_with_a_receipt_is_found_or_refused() -> None:
    terms = Terms(
        rdp.level("age", clamp=(0, 9), edges=[50, 100], labels=["low", "mid", "high"]),
        rdp.PureDP("ln 3"),
        unit="id",
        max_rows=2,
        where={"town": "A"},
    )
    receipt = answer(terms, ClampedSum(Fraction(75))).receipt
    assert verify_receipt(receipt).holds
    # Statements from which nothing follows for the mechanism.
    free = {("rainbowdp",), ("where",), ("where", "town"), ("unit", "column"), ("question", "column")}
    seen = 0
    for path in paths(receipt):
        original: Any = receipt
        for key in path:
            original = original[key]
        for value in tampered(original):
            # The table is compared to a relative 1e-12, as floats are stated.
            near = isinstance(original, float) and value == pytest.approx(original, rel=1e-11)
            if near or value == original or path in free or path == ("question", "nulls"):
                continue
            try:
                checked = verify_receipt(replaced(receipt, path, value))
            except ReceiptError:
                seen += 1
                continue
            seen += 1
            # Another question, or other rows per person, may well have the very mechanism that is stated.
            same = path[0] in {"question", "unit"} or checked.receipt.terms == terms
            same = same and path[0] not in {"answer", "table", "boundary", "charges"}
            wrong = path == ("answer",) and value in terms.question.answers
            assert not checked.holds or same or wrong, (path, value)
    assert seen > 150


@pytest.mark.parametrize(
    "content", [[], 3, {}, {"schema": "rainbowdp.receipt/2"}, {"schema": "rainbowdp.receipt/1"}]
)
def test_what_is_no_receipt_is_refused(content: Json) -> None:
    with pytest.raises(ReceiptError):
        verify_receipt(content)


def tables(people: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield every table of up to some people, each a group and an answer; 2 is neither."""
    kinds = list(itertools.product(range(3), range(3)))
    for size in range(people + 1):
        yield from itertools.combinations_with_replacement(kinds, size)


@pytest.mark.parametrize("neighbors", ["add-remove", "change-one"])
def test_the_charges_of_groups_are_enough_and_no_fewer_would_be(neighbors: Neighbors) -> None:
    terms = Terms(rdp.winner("c", ["A", "B"]), rdp.PureDP("ln 2"), neighbors, by="g", groups=("x", "y"))
    assert terms.charges == (2 if neighbors == "change-one" else 1)

    def joint(table: tuple[tuple[int, int], ...]) -> dict[tuple[str, str], Fraction]:
        laws = []
        for group in range(2):
            counts = tuple(sum(row == (group, option) for row in table) for option in range(2))
            location = terms.asked.locate(OptionCounts(counts), terms.relation)
            laws.append(terms.distribution(location.answer, location.distance))
        return {
            (one, two): exact(laws[0][one]) * exact(laws[1][two]) for one in ("A", "B") for two in ("A", "B")
        }

    worst = Fraction(0)
    for table in tables(3 if neighbors == "change-one" else 4):
        here = joint(table)
        for at in range(len(table)):
            rest = table[:at] + table[at + 1 :]
            others = [rest]
            if neighbors == "change-one":
                others = [(*rest, kind) for kind in itertools.product(range(3), range(3))]
            for other in others:
                there = joint(other)
                for outcome, chance in here.items():
                    worst = max(worst, chance / there[outcome], there[outcome] / chance)
    assert worst == 2**terms.charges


def exact(value: Json) -> Fraction:
    """Return a number that is rational, whatever form it has."""
    if isinstance(value, Fraction):
        return value
    fraction = value.as_fraction()
    assert fraction is not None
    return Fraction(fraction)


def test_more_rows_of_a_person_lie_in_more_groups() -> None:
    question = rdp.winner("c", ["A", "B"])
    groups = {"by": "g", "groups": ("x", "y", "z")}
    charges = [
        Terms(question, rdp.PureDP(1), relation, unit="id", max_rows=rows, **groups).charges  # type: ignore[arg-type]  # fields by name
        for relation in ("add-remove", "change-one")
        for rows in (1, 2, 3, 9)
    ]
    assert charges == [1, 2, 3, 3, 2, 3, 4, 4]


@pytest.mark.parametrize(
    "question",
    [
        rdp.winner("c", ["A", "B"]),
        rdp.yes_no("c", equals="A", share="1/2"),
        rdp.yes_no("c", clamp=(2, 3), at_least=5),
        rdp.level("c", equals="A", share=True, edges=["1/4", "3/4"]),
        rdp.level("c", clamp=(2, 3), edges=[4, 7]),
        rdp.bracket("c", edges=[2, 3]),
    ],
    ids=lambda question: question.kind,
)
@pytest.mark.parametrize("rows", [1, 2])
def test_a_person_whose_rows_turn_unreadable_is_protected_too(question: Question, rows: int) -> None:
    # Under change-one, one person's rows are replaced by others, in any number up to `rows`, readable or not.
    terms = Terms(
        question,
        rdp.PureDP("ln 2"),
        "change-one",
        **({"unit": "id", "max_rows": rows} if rows > 1 else {}),  # type: ignore[arg-type]  # fields by name
    )
    cells = ("A", "B", "1", "2", "3", b"\xff") if question.kind != "winner" else ("A", "B", b"\xff")
    kinds = [
        kind for size in range(1, rows + 1) for kind in itertools.combinations_with_replacement(cells, size)
    ]

    def law(people: tuple[tuple[object, ...], ...]) -> rdp.Distribution:
        tally = [(cell, 1) for person in people for cell in person]
        location = terms.asked.locate(question.reading.summary(tally), terms.relation)
        return terms.distribution(location.answer, location.distance // terms.max_rows)

    random = np.random.default_rng(7)
    for _ in range(150):
        size = int(random.integers(1, 6))
        people = tuple(kinds[at] for at in random.integers(len(kinds), size=size))
        here = law(people)
        for kind in kinds[:: max(1, len(kinds) // 9)]:
            there = law((kind, *people[1:]))
            assert rdp.PureDP("ln 2").admits(here, there), (people, kind)


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
            answer_from_ledger(terms, OptionCounts((3, 90)), ledger, "b", "q", bits=Broken())
        state = ledger.state("b")
        assert str(state.spent) == "epsilon 1"
        assert [entry.event for entry in ledger.history("b")] == ["create", "charge"]
        again = answer_from_ledger(terms, OptionCounts((3, 90)), ledger, "b", "q", bits=FixedBits([2**63, 0]))
        assert str(ledger.state("b").spent) == "epsilon 1"
        # Repeated once more, the answer is the stored one, whatever the bits say.
        words = FixedBits([])
        assert (
            answer_from_ledger(terms, OptionCounts((90, 3)), ledger, "b", "q", bits=words).answer
            == again.answer
        )
        with pytest.raises(RequestMismatchError):
            answer_from_ledger(
                Terms(rdp.winner("c", ["red", "green"]), rdp.PureDP(1)),
                OptionCounts((3, 9)),
                ledger,
                "b",
                "q",
            )
        with pytest.raises(BudgetRefusedError, match="spent epsilon 1; asked epsilon 1; left epsilon 0"):
            answer_from_ledger(terms, OptionCounts((3, 90)), ledger, "b", None)


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
    assert first.notes == ()
    assert "charged to other budgets" in second.notes[0]
    named = rdp.ask_keys(file, "c", epsilon=1, delta="1e-6", ledger=ledger, name="two")
    assert named.notes == (
        "this source is charged to other budgets, too ('one'): what it reveals in all is their sum",
    )


CANARY = "Zanzibar7"


def test_nothing_private_is_shown_by_any_object() -> None:
    frame = pd.DataFrame({"c": ["red"] * 41 + [CANARY] * 3, "id": [CANARY] * 44})
    question = rdp.winner("c", ["red", "blue"])
    given = rdp.ask(frame, question, epsilon=30, unit="id", max_rows=44)
    with open_table(frame) as table:
        from rainbowdp.tables import summarize

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
        ({"epsilon": 1, "mu": 1}, "mu does not belong"),
        ({"delta": "1e-6"}, "delta is given without epsilon"),
        ({"epsilon": "inf"}, "inf"),
        ({"epsilon": 1, "unit": "id"}, "unit is given without max_rows"),
        ({"epsilon": 1, "max_rows": 2}, "max_rows is given without unit"),
        ({"epsilon": 1, "by": "g"}, "go together"),
        ({"epsilon": 1, "by": "g", "groups": ["x", "x "]}, "not distinct"),
        ({"epsilon": 1, "name": "b"}, "no ledger"),
        ({"epsilon": 1, "ledger": "l"}, "no budget"),
        ({"epsilon": 1, "neighbors": "ad-remove"}, "no neighbor relation"),
        ({"epsilon": 1, "boundary": "maxmin"}, "no boundary rule"),
        ({"epsilon": 1, "where": {"town": "A"}}, "has no column 'town'"),
    ],
)
def test_what_cannot_be_answered_is_refused_before_a_row_is_read(options: Json, match: str) -> None:
    frame = pd.DataFrame({"c": ["red"]})
    with pytest.raises(RainbowError, match=match):
        rdp.ask(frame, rdp.winner("c", ["red", "blue"]), **options)


def test_a_summary_has_no_columns() -> None:
    with pytest.raises(UsageError, match="a summary has no columns"):
        rdp.ask(OptionCounts((1, 2)), rdp.winner("c", ["red", "blue"]), epsilon=1, where={"a": "b"})


def test_epsilon_zero_says_nothing_of_the_table() -> None:
    terms = Terms(rdp.winner("c", ["red", "blue", "green"]), rdp.PureDP(0))
    even = rdp.Distribution(dict.fromkeys(("red", "blue", "green"), "1/3"))
    for name, distance in itertools.product(("red", "green"), (0, 9)):
        assert dict(terms.distribution(name, distance)) == dict(even)


def test_in_table_is_the_question_that_terms_ask() -> None:
    question = rdp.yes_no("c", clamp=(2, 3), at_least=5)
    assert Terms(question, rdp.PureDP(1)).asked == in_table(question)


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
    receipt = json.loads(json.dumps(found.receipt))
    assert keys_receipt_faults(receipt) == []
    assert CANARY not in json.dumps(receipt)
    assert keys_receipt_faults({**receipt, "table": [0.0, *receipt["table"][1:-1], 0.5]}) != []
    assert keys_receipt_faults({**receipt, "keys": ["Ulm", "Ulm"]}) == ["a category is named twice"]
    for key in receipt:
        with pytest.raises(ReceiptError):
            keys_receipt_faults({name: value for name, value in receipt.items() if name != key})
    with pytest.raises(BudgetRefusedError):
        rdp.ask_keys(frame, "town", **{**asked, "request_id": "s"})
