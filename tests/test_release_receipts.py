# SPDX-License-Identifier: Apache-2.0
"""Receipts as others read them: by the schema alone, and short however many options there are."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import rainbowdp as rdp
from rainbowdp.errors import ReceiptError
from rainbowdp.exact import to_float
from rainbowdp.keys import key_mechanism
from rainbowdp.line import Line
from rainbowdp.questions import OptionCounts, Question, own_answer_first
from rainbowdp.release import Answer, Terms, answer, verify_receipt
from rainbowdp.release.keys_receipt import keep_table, keys_receipt_faults

Json = Any  # what json.loads may give
RELEASE = Path(rdp.__file__).parent / "release"
SCHEMA = json.loads((RELEASE / "receipt.schema.json").read_text(encoding="utf-8"))
KEYS_SCHEMA = json.loads((RELEASE / "keys-receipt.schema.json").read_text(encoding="utf-8"))
PRIVACIES = [rdp.PureDP("ln 2"), rdp.PureDP("0.3"), rdp.ApproxDP("1/2", "1/100"), rdp.GaussianDP("1/2")]


def numbers_of(receipt: Json) -> dict[str, NDArray[np.float64]]:
    """Return the table of every true answer as a reader would, by the schema alone: a column per option."""
    question, order = receipt["question"], receipt["table"]["order"]
    options = question["options"] if "options" in question else question["labels"]
    tables = {}
    for region in receipt["table"]["regions"]:
        for true in region["answers"]:
            at = options.index(true)
            if order == "own-first":
                classes = [[true], sorted(option for option in options if option != true)]
            else:
                steps = [abs(place - at) for place in range(len(options))]
                classes = [
                    sorted(option for option, far in zip(options, steps, strict=True) if far == step)
                    for step in range(max(steps) + 1)
                ]
            rows = []
            for row in region["probabilities"]:
                chances: dict[str, float] = {}
                for tied, cell in zip(classes, row, strict=True):
                    shared = cell if isinstance(cell, list) else [cell] * len(tied)
                    chances.update(zip(tied, shared, strict=True))
                rows.append([chances[option] for option in options])
            tables[true] = np.array(rows)
    return tables


@pytest.mark.parametrize("privacy", PRIVACIES, ids=str)
@pytest.mark.parametrize(
    "question",
    [
        rdp.winner("c", ["red", "green", "blue"]),
        rdp.yes_no("c", equals="x", share="1/3"),
        rdp.level("c", equals="x", edges=[2, 4, 8, 9]),
        rdp.level("c", equals="x", share=True, edges=["1/7", "3/4", "4/5"]),
        rdp.bracket("c", edges=[1, 2, 3]),
    ],
    ids=lambda question: question.kind,
)
def test_a_reader_of_the_schema_finds_the_probabilities_of_every_answer(
    question: Question, privacy: rdp.Privacy
) -> None:
    for rule in ("default", "uniform"):
        terms = Terms(question, privacy, rule=rule, unit="id", max_rows=2)
        receipt = json.loads(json.dumps(Answer(terms, {"": question.answers[0]}).receipt))
        tables = numbers_of(receipt)
        assert set(tables) == set(question.answers)
        for true, table in tables.items():
            assert table.sum(axis=1) == pytest.approx(1, abs=1e-12)
            for distance in {0, 1, 2, len(table) - 1}:
                right = terms.distribution(true, distance)
                stated = dict(zip(question.answers, table[distance], strict=True))
                ideal = {option: to_float(chance, "nearest") for option, chance in right.items()}
                assert stated == pytest.approx(ideal, rel=1e-12)


def test_a_receipt_of_many_options_is_short_and_verified_at_once() -> None:
    options = [f"option {number}" for number in range(2000)]
    terms = Terms(rdp.winner("c", options), rdp.PureDP(1))
    receipt = answer(terms, OptionCounts(tuple(range(2000)))).receipt
    assert len(json.dumps(receipt)) < 100_000
    checked = verify_receipt(receipt)
    assert checked.holds
    assert checked.verification.lower == pytest.approx(1)
    # As many pairs as there are: along the rows of every true answer, and between any two.
    rows = len(checked.receipt.regions[0].columns[0])
    assert checked.pairs == 2000 * (rows - 1) + 2000 * 1999 // 2


@pytest.mark.parametrize("rule", ["default", "uniform"])
def test_a_receipt_of_many_ordered_answers_computes_one_line(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = rdp.bracket("c", edges=range(60))
    terms = Terms(question, rdp.PureDP(1), rule=rule)
    computed = []
    probabilities = Line.probabilities

    def counted(line: Line, distances: range) -> NDArray[np.float64]:
        computed.append(line)
        return probabilities(line, distances)

    monkeypatch.setattr(Line, "probabilities", counted)
    receipt = json.loads(json.dumps(Answer(terms, {"": "<0"}).receipt))
    assert len(computed) == 1
    regions = receipt["table"]["regions"]
    assert [region["answers"] for region in regions[:2]] == [["<0", ">=59"], ["0..<1", "58..<59"]]
    tables = numbers_of(receipt)
    for true in ("<0", "0..<1", "29..<30", ">=59"):
        for distance in (0, 1, len(tables[true]) - 1):
            exact = terms.distribution(true, distance)
            chances = [to_float(exact[option], "nearest") for option in question.answers]
            assert tables[true][distance] == pytest.approx(chances, rel=1e-14)
    assert verify_receipt(receipt).holds


@pytest.mark.parametrize("options", [2, 3, 5])
@pytest.mark.parametrize("privacy", PRIVACIES, ids=str)
def test_judging_one_pair_for_all_finds_what_judging_all_would(options: int, privacy: rdp.Privacy) -> None:
    names = ["a", "b", "c", "d", "e"][:options]
    receipt = json.loads(json.dumps(Answer(Terms(rdp.winner("c", names), privacy), {"": "a"}).receipt))
    whole = numbers_of(receipt)
    size = len(whole["a"])
    at = {name: place * size for place, name in enumerate(names)}
    pairs = [(at[name] + step, at[name] + step + 1) for name in names for step in range(size - 1)]
    pairs += [(at[one], at[two]) for one, two in itertools.combinations(names, 2)]
    mechanism = rdp.Mechanism.from_table(
        [own_answer_first(name, names) for name in names for _ in range(size)],
        np.concatenate([whole[name] for name in names]),
        colors=names,
    )
    first, second = np.array(pairs).T
    full = rdp.verify(mechanism, rdp.DatasetGraph.from_pairs(size * options, first, second), privacy)
    checked = verify_receipt(receipt)
    assert (checked.holds, full.holds, checked.pairs) == (True, True, full.pairs)
    assert checked.verification.lower == pytest.approx(full.lower, rel=1e-9)
    # A promise that the table does not keep is found by the table alone.
    for key in receipt["privacy"]:
        claimed = {**receipt, "privacy": {**receipt["privacy"], key: "1/1000"}}
        if key != "delta":
            assert not verify_receipt(claimed).verification.holds


def test_answers_with_unequal_neighbors_have_a_cell_for_each() -> None:
    # From 1..<2 the answers next to it are 2..<3, the middle of all, and <1, an end: they differ.
    terms = Terms(rdp.level("c", equals="x", edges=[1, 2, 3, 4]), rdp.PureDP("ln 2"))
    receipt: Json = Answer(terms, {"": "<1"}).receipt
    jsonschema.validate(receipt, SCHEMA)
    assert receipt["table"]["order"] == "nearest-first"
    stated = {tuple(region["answers"]): region["probabilities"] for region in receipt["boundary"]["regions"]}
    assert stated["1..<2", "3..<4"] == ["2/5", ["1/4", "1/5"], "1/10", "1/20"]
    assert terms.distribution("1..<2", 0) == rdp.Distribution(
        {"1..<2": "2/5", "2..<3": "1/4", "<1": "1/5", "3..<4": "1/10", ">=4": "1/20"}
    )


def test_a_class_less_likely_than_any_float_has_its_proportions() -> None:
    # 1 - delta is 10^-350: all of it that is left for answers two regions away is less than a float can say.
    terms = Terms(
        rdp.level("c", equals="x", edges=[3, 19, 22], labels=list("abcd")),
        rdp.ApproxDP(1000, "0." + "9" * 350),
    )
    receipt: Json = Answer(terms, {"": "a"}).receipt
    jsonschema.validate(receipt, SCHEMA)
    assert verify_receipt(receipt).holds
    for region in receipt["table"]["regions"]:
        for row in region["probabilities"]:
            cells = [cell for tied in row for cell in (tied if isinstance(tied, list) else [tied])]
            assert all(math.isfinite(cell) for cell in cells)


def keys_receipt() -> Json:
    towns = pd.DataFrame({"town": ["Ulm"] * 60 + ["Bonn"], "person": range(61)})
    limits = {"unit": "person", "max_keys": 2, "where": {"town": "Ulm"}}
    return json.loads(json.dumps(rdp.ask_keys(towns, "town", epsilon=1, delta="1e-3", **limits).receipt))  # type: ignore[arg-type]  # options by name


def test_the_table_of_named_categories_is_the_recurrence_of_desfontaines_and_others() -> None:
    receipt = keys_receipt()
    odds, delta, keep, table = math.exp(0.5), 0.0005, 0.0, [0.0]
    while keep < 1:
        keep = min(odds * keep + delta, 1 - (1 - keep - delta) / odds, 1)
        table.append(keep)
    assert receipt["table"] == pytest.approx(table, rel=1e-12)
    assert keys_receipt_faults(receipt) == []


def test_receipts_of_named_categories_follow_their_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(KEYS_SCHEMA)
    validator = jsonschema.Draft202012Validator(KEYS_SCHEMA)
    towns = pd.DataFrame({"town": ["Ulm"] * 60 + ["Bonn"]})
    alone = json.loads(json.dumps(rdp.ask_keys(towns, "town", epsilon=1, delta="0.999999").receipt))
    for receipt in (keys_receipt(), alone):
        assert list(validator.iter_errors(receipt)) == []
        assert set(receipt) == set(KEYS_SCHEMA["properties"]) == set(KEYS_SCHEMA["required"])
        for part in receipt:
            rest = {name: value for name, value in receipt.items() if name != part}
            for wrong in (rest, {**receipt, part: 3}, {**receipt, "more": 1}):
                assert not validator.is_valid(wrong)
    shorter = {**alone, "table": [0.0]}
    for wrong in (shorter, {**alone, "keys": ["Ulm", "Ulm"]}, {**alone, "table": [0.0, 1.5]}):
        assert not validator.is_valid(wrong)


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (["Ulm", "Bonn"], "the categories do not stand in the order of their text"),
        (["Ulm", "Ulm"], "a category is named twice"),
        ([""], "'' is no category: no cell says that"),
        ([" Ulm"], "' Ulm' is no category: no cell says that"),
        (["Ulm", "\ud800"], "'\\ud800' is no category: no cell says that"),
    ],
)
def test_a_list_of_categories_that_nothing_could_give_is_found(keys: list[str], fault: str) -> None:
    assert keys_receipt_faults({**keys_receipt(), "keys": keys}) == [fault]
    assert keys_receipt_faults({**keys_receipt(), "keys": sorted({"Ulm", "Bonn", "Ähren", "z"})}) == []


def test_a_long_table_of_named_categories_takes_no_time() -> None:
    mechanism = key_mechanism("1e-300", "1e-300")
    table = keep_table(mechanism)
    assert len(table) == 10_000
    assert table[:2] == [0, pytest.approx(1e-300)]
    assert table[-1] == pytest.approx(to_float(mechanism.keep_probability(9999), "nearest"))


STRANGE: dict[str, list[Any]] = {
    "column": [None, 5, "", []],
    "rainbowdp": [None, 1, []],
    "unit": [
        *({"column": "person", "max_keys": most} for most in (0, -1, 2.0, True, "2", None)),
        *({"column": column, "max_keys": 2} for column in (None, 3, "", ["person"])),
        {"column": "person"},
        "person",
    ],
    "where": [None, [], {"town": 3}, {"town": " Ulm"}, {"town": None}],
    "privacy": [
        *({"epsilon": epsilon, "delta": "1/1000"} for epsilon in ("1 ", "1.0", "inf", 1, "-1")),
        *({"epsilon": "1", "delta": delta} for delta in ("1e-3", "0", "1", 0.001, None)),
        {"epsilon": "1"},
    ],
    "table": [{}, *([0.0, wrong] for wrong in (None, "1", True, math.nan, math.inf, -1, 10**400, [0.1]))],
    "keys": [[3], "Ulm", None],
}


@pytest.mark.parametrize(("part", "wrong"), [(part, wrong) for part in STRANGE for wrong in STRANGE[part]])
def test_a_receipt_of_named_categories_with_anything_strange_is_refused(part: str, wrong: object) -> None:
    with pytest.raises(ReceiptError):
        keys_receipt_faults({**keys_receipt(), part: wrong})


def test_a_table_of_named_categories_that_says_another_thing_is_found() -> None:
    receipt = keys_receipt()
    for people in (1, 3, len(receipt["table"]) - 1):
        table = list(receipt["table"])
        table[people] *= 1 - 1e-13
        assert keys_receipt_faults({**receipt, "table": table}) == [f"the table is wrong at {people} people"]
    assert keys_receipt_faults({**receipt, "table": receipt["table"][:-1]}) != []
    assert keys_receipt_faults({**receipt, "privacy": {"epsilon": "2", "delta": "1/1000"}}) != []
    assert keys_receipt_faults({**receipt, "neighbors": "change-one"}) != []


def test_an_answer_or_a_group_in_another_form_is_found() -> None:
    terms = Terms(rdp.winner("c", ["red", "blue"]), rdp.PureDP(1), by="g", groups=("x", "y"))
    grouped: Json = json.loads(json.dumps(Answer(terms, {"x": "red", "y": "blue"}).receipt))
    assert verify_receipt(grouped).holds
    with pytest.raises(ReceiptError, match="groups"):
        verify_receipt(grouped | {"groups": grouped["groups"] | {"names": ["x ", "y"]}})
    assert not verify_receipt(grouped | {"answer": {"x": ["red"], "y": "blue"}}).holds
    ranking = Terms(rdp.ranking("c", ["red", "blue"]), rdp.PureDP(1))
    ranked: Json = json.loads(json.dumps(answer(ranking, OptionCounts((3, 1))).receipt))
    assert verify_receipt(ranked).holds
    assert not verify_receipt(ranked | {"answer": "red"}).holds
