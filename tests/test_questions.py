# SPDX-License-Identifier: Apache-2.0
"""What questions are: values checked when made, described in one spelling, never showing private numbers."""

import dataclasses
import datetime as dt
import itertools
import json
import math
import traceback
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.boundary import BoundaryCondition, check_boundary, max_min, randomized_response, uniform
from rainbowdp.distribution import Distribution
from rainbowdp.errors import (
    BoundaryMissingError,
    BoundaryNotPrivateError,
    NumberError,
    QuestionError,
    RainbowError,
)
from rainbowdp.graph import listed
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP
from rainbowdp.questions import (
    BracketCounts,
    ClampedSum,
    MatchCount,
    Neighbors,
    OptionCounts,
    Question,
    ScoreValues,
    Winner,
    answer_line,
    bracket,
    in_table,
    level,
    question_boundary,
    question_from,
    ranking,
    region_graph,
    scores,
    winner,
    yes_no,
)
from rainbowdp.rainbow import Rainbow

QUESTIONS: list[Question] = [
    winner("party", ["red", "blue", "green"]),
    winner("party", ["red", "blue"], other="none", nulls="none"),
    ranking("party", ["a>b", "red, blue", '3" pipe']),
    yes_no("smoker", equals="yes", at_least=100),
    yes_no("smoker", equals="yes", share="2/3", nulls="no"),
    yes_no("income", clamp=(-5, "100.5"), at_least="1e3", nulls="0"),
    level("smoker", equals="yes", edges=[10, 20]),
    level("smoker", equals="yes", share=True, edges=["1/4", "1/2", "3/4"], labels=["a", "b", "c", "d"]),
    level("income", clamp=(0, 1), edges=["1/2", 3]),
    bracket("age", edges=[18, 65]),
    bracket("age", edges=["17.5"], labels=["young", "old"], quantile="0.9"),
    bracket("born", edges=["1960-01-01", dt.date(2000, 2, 29)]),
    bracket("age", ordered=["under 30", "30-44", "45, and over"], quantile="1/4"),
    bracket("income", ordered=[1, 2], labels=["low", "high"]),
    scores(["A", "B"], sensitivity="1/3", monotone=True),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.kind)
def test_a_question_is_frozen_and_comes_back_from_its_description(question: Question) -> None:
    assert len(set(question.answers)) == len(question.answers) >= 2
    for answer in question.answers:
        assert question.rainbow(answer).classes[0] == (answer,)
        assert json.dumps(question.answer_json(answer))
    with pytest.raises(dataclasses.FrozenInstanceError):
        question.column = "other"  # type: ignore[misc]  # a frozen value is the point
    written = json.dumps(question.describe())
    back = question_from(json.loads(written))
    assert (back, hash(back), json.dumps(back.describe())) == (question, hash(question), written)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (yes_no("c", equals="y", share="1/2"), yes_no("c", equals=" y ", share=0.5)),
        (yes_no("c", equals="1", share="1/2"), yes_no("c", equals=1.0, share="2/4")),
        (yes_no("c", equals="true", at_least=3), yes_no("c", equals=True, at_least="3.0")),
        (bracket("c", edges=[18, 65]), bracket("c", edges=["18", 65.0], quantile=0.5)),
        (bracket("c", edges=[dt.datetime(2020, 1, 1)]), bracket("c", edges=[" 2020-01-01"], ordered=None)),  # noqa: DTZ001 - a day has no zone
        (bracket("c", ordered=[1, True]), bracket("c", ordered=("1 ", "true"), labels=["1", "true"])),
        (winner("c", ["a", "b", "x"], other="x"), winner("c", (" a", "b"), other="x ")),
        (scores(["A", "B"], sensitivity=0.5), scores(("A ", "B"), sensitivity="2/4")),
    ],
)
def test_equal_questions_have_one_description_whatever_the_spelling(one: Question, other: Question) -> None:
    assert one == other
    assert json.dumps(one.describe()) == json.dumps(other.describe())


@given(st.sets(st.fractions(Fraction(1, 50), 1, max_denominator=50), min_size=1, max_size=5), st.booleans())
def test_any_edges_survive_a_receipt(edges: set[Fraction], median: bool) -> None:
    asked: list[Question] = [
        level("c", equals="y", share=True, edges=sorted(edges)),
        bracket("c", edges=sorted(edges), quantile="1/2" if median else min(edges)),
        yes_no("c", equals="y", share=max(edges)),
    ]
    for question in asked:
        assert question_from(json.loads(json.dumps(question.describe()))) == question


def test_labels_say_what_lies_between_the_edges() -> None:
    assert level("c", equals="y", edges=[10, 20]).answers == ("<10", "10..<20", ">=20")
    assert bracket("c", edges=["-1.5"]).answers == ("<-1.5", ">=-1.5")
    assert bracket("c", edges=[Fraction(1, 3), Decimal("2.50")]).answers == ("<1/3", "1/3..<2.5", ">=2.5")
    long = Decimal(10**30) + Decimal("0.1")
    assert bracket("c", edges=[long]).answers == (f"<{Fraction(long)}", f">={Fraction(long)}")
    question = level("c", equals="y", share=True, edges=[" 1/4 ", 0.5])
    assert question.answers == ("<1/4", "1/4..<0.5", ">=0.5")
    assert str(question.rainbow(">=0.5")) == '">=0.5">1/4..<0.5><1/4'


def test_orders_are_written_with_quotes_where_needed_and_listed_in_json() -> None:
    question = ranking("c", ["a>b", "c"])
    assert question.answers == ('"a>b">c', 'c>"a>b"')
    assert question.answer_json('c>"a>b"') == ["c", "a>b"]
    assert len(ranking("c", list("abcde")).answers) == 120


@pytest.mark.parametrize(
    ("make", "options", "what"),
    [
        (winner, {"options": ["a"]}, "1 options"),
        (winner, {"options": "ab"}, "are 'ab', which is not a list"),
        (winner, {"options": {"only"}}, "which is not a list"),
        (winner, {"options": [1, "1.0", 1.0]}, "'1' stands twice"),
        (winner, {"options": ["a", " "]}, "is empty or not a text"),
        (winner, {"options": ["a", "b"], "nulls": "x"}, "which is not an option"),
        (winner, {"column": "", "options": ["a", "b"]}, "is not a column"),
        (ranking, {"options": list("abcdef"), "top": 7}, "the first 7 of 6 options cannot be named"),
        (ranking, {"options": list("abc"), "top": 3, "as_set": True}, "a set of all options cannot change"),
        (yes_no, {"equals": "y", "at_least": "1/2"}, "a count cannot cross 0.5"),
        (yes_no, {"equals": "y", "share": "101/100"}, "a share cannot cross 1.01"),
        (yes_no, {"equals": "y"}, "no threshold"),
        (yes_no, {"at_least": 3}, "neither a matching text nor a range"),
        (yes_no, {"equals": "y", "at_least": 1, "share": "1/2"}, "both a count and a share"),
        (yes_no, {"clamp": (2, 1), "at_least": 1}, "cannot be clamped to 2, 1"),
        (yes_no, {"clamp": (-5, 0), "at_least": 1}, "cannot cross 1"),
        (yes_no, {"clamp": (1, 2, 3), "at_least": 1}, "is not a range"),
        (yes_no, {"equals": "y", "at_least": 1, "false_yes": 1}, "a false yes cannot be allowed"),
        (level, {"equals": "y", "edges": []}, "no edges"),
        (level, {"equals": "y", "edges": [3, 2]}, "edge 2 does not lie above 3"),
        (level, {"equals": "y", "edges": [1], "labels": ["a", "b", "c"]}, "3 labels do not fit 2 answers"),
        (bracket, {"edges": [1], "quantile": 0}, "0 is not a quantile"),
        (bracket, {"edges": ["x"]}, "'x' is not an exact number"),
        (bracket, {"edges": ["2021-02-29"]}, "no calendar has the day '2021-02-29'"),
        (bracket, {"edges": ["2021-01-01", 3]}, "the edges are numbers and dates"),
        (bracket, {"edges": ["0001-01-01"]}, "no day lies before 0001-01-01"),
        (bracket, {"edges": [dt.datetime(2020, 1, 1, 12)]}, "2020-01-01T12:00:00 is not a whole day"),  # noqa: DTZ001 - a day has no zone
        (bracket, {}, "neither edges nor ordered texts are given"),
        (bracket, {"edges": [1], "ordered": ["a", "b"]}, "both edges and ordered texts are given"),
        (scores, {"options": ["a", "b"], "sensitivity": 0}, "sensitivity 0 cannot change"),
    ],
)
def test_what_is_no_question_is_refused(
    make: Callable[..., Question], options: dict[str, Any], what: str
) -> None:
    column = {} if make is scores or "column" in options else {"column": "c"}
    with pytest.raises((QuestionError, NumberError), match=what) as caught:
        make(**column, **options)
    assert caught.value.help


def test_a_description_of_no_question_is_refused() -> None:
    with pytest.raises(QuestionError, match="is not a kind of question"):
        question_from({"kind": "winer"})
    for question in QUESTIONS:
        whole = question.describe()
        for name in whole:
            for wrong in ({"a": 1},) if name in {"other", "nulls", "top", "false_yes"} else ({"a": 1}, None):
                with pytest.raises(RainbowError) as caught:
                    question_from({**whole, name: wrong})
                assert caught.value.code in {"RDP701", "RDP101"}


PRIVATE = 987_654_321
HOLDERS: list[Any] = [
    OptionCounts((PRIVATE, 1)),
    MatchCount(PRIVATE, PRIVATE + 5),
    ClampedSum(Fraction(PRIVATE)),
    BracketCounts((1, PRIVATE)),
    ScoreValues((Fraction(PRIVATE), Fraction(0))),
    ClampedSum(PRIVATE + 0.5),  # type: ignore[arg-type]  # no exact sum
    OptionCounts((PRIVATE,) * 9),
    BracketCounts((PRIVATE,) * 9),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.kind)
def test_no_error_shows_what_a_summary_holds(question: Question) -> None:
    for summary in HOLDERS:
        said = ""
        try:
            assert question.locate(summary).answer in question.answers
        except QuestionError as error:
            said = error.report() + repr(error.values)
        assert str(PRIVATE) not in said


def test_scores_are_not_read_from_a_table() -> None:
    question = scores(["A", "B"], sensitivity=1)
    with pytest.raises(QuestionError, match="not read from a table"):
        _ = question.reading
    with pytest.raises(QuestionError, match="3 scores do not fit 2 options"):
        question.values([1, 2, 3])
    for odd in ("9,8765", "98765 people", 98.765 * math.inf, True, None, [98765], b"98765"):
        with pytest.raises(QuestionError, match="a score is not an exact number; it is not shown") as caught:
            question.values([3, odd])  # type: ignore[list-item]  # what is refused
        assert "8765" not in "".join(traceback.format_exception(caught.value))
    assert question.values([1, "1/2"]) == ScoreValues((Fraction(1), Fraction(1, 2)))


def test_a_sum_of_equal_values_needs_rows_that_come_and_go() -> None:
    question = yes_no("c", clamp=(3, 3), at_least=10)
    assert question.locate(ClampedSum(Fraction(12))).distance == 0
    with pytest.raises(QuestionError, match="all values count the same"):
        question.locate(ClampedSum(Fraction(12)), "change-one")
    assert in_table(question).locate(ClampedSum(Fraction(21)), "change-one").distance == 3


@pytest.mark.parametrize("privacy", [PureDP("ln 2"), ApproxDP("1/2", "1e-3"), GaussianDP(1)])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.kind)
def test_every_boundary_is_private_where_regions_touch(
    question: Question,
    privacy: Any,  # noqa: ANN401 - any notion
) -> None:
    judged = set[tuple[object, ...]]()
    for relation, max_rows in itertools.product(get_args(Neighbors), (1, 2)):
        graph = region_graph(question, relation, max_rows)
        rules = ["default", "randomized-response", "uniform"]
        for rule in [*rules, "max-min"] if len(question.answers) < 5 else rules:
            pairs = (rule, *(tuple(ends.tolist()) for ends in listed(graph.structure).pairs()))
            # Regions that touch alike have the same boundary.
            if pairs in judged:
                continue
            judged.add(pairs)
            condition = question_boundary(question, privacy, relation, max_rows, boundary=rule)
            assert check_boundary(condition, graph, privacy) == ()
            for answer in question.answers:
                row = answer_line(question, answer, condition, privacy).distribution(2)
                assert all(row[answer] >= row[other] for other in question.answers)


def test_the_default_boundary_serves_the_worst_off_region_best() -> None:
    privacy = PureDP("ln 2")
    touching_all = winner("c", ["a", "b", "c"])
    graph = region_graph(touching_all, "add-remove")
    default = question_boundary(touching_all, privacy, "add-remove")
    response = randomized_response(graph, privacy)
    assert default.distributions == response.distributions == max_min(graph, privacy).distributions
    levels = level("c", equals="y", edges=[5, 9], labels=["few", "some", "many"])
    default = question_boundary(levels, privacy, "add-remove")
    assert default.distributions == max_min(region_graph(levels, "add-remove"), privacy).distributions
    jumped = question_boundary(levels, privacy, "add-remove", max_rows=9)
    response = randomized_response(region_graph(levels, "add-remove", 9), privacy)
    assert jumped.distributions == response.distributions
    orders = ranking("c", ["a", "b", "c"])
    default = question_boundary(orders, privacy, "add-remove")
    graph = region_graph(orders, "add-remove")
    assert default.distributions == randomized_response(graph, privacy).distributions
    best = max_min(graph, privacy)
    rainbow = orders.rainbow("a>b>c")
    assert best.distributions[rainbow]["a>b>c"] >= default.distributions[rainbow]["a>b>c"]


def test_a_given_boundary_is_checked() -> None:
    question, privacy = winner("c", ["a", "b"]), PureDP("ln 2")
    fair = uniform(region_graph(question, "add-remove"))
    assert question_boundary(question, privacy, "add-remove", boundary=fair) is fair
    with pytest.raises(BoundaryNotPrivateError):
        question_boundary(question, privacy, "add-remove", boundary=truthful(question))
    with pytest.raises(QuestionError, match="'maxmin' is not a boundary"):
        question_boundary(question, privacy, "add-remove", boundary="maxmin")
    with pytest.raises(BoundaryMissingError):
        answer_line(question, "a", BoundaryCondition({}), privacy)
    with pytest.raises(QuestionError, match="'z' is not an answer"):
        answer_line(question, "z", fair, privacy)


def truthful(question: Question) -> BoundaryCondition:
    """Return a boundary that always tells the truth."""
    return BoundaryCondition(
        {
            question.rainbow(answer): Distribution(
                {other: int(other == answer) for other in question.answers}
            )
            for answer in question.answers
        }
    )


def test_questions_that_contradict_themselves_are_refused() -> None:
    class Wrong(Winner):
        def rainbow(self, answer: str) -> Rainbow:  # noqa: ARG002 - always the same
            return Rainbow((("a",), ("b",)))

    class Strange(Winner):
        def touching(self, neighbors: Neighbors, max_rows: int = 1) -> frozenset[tuple[str, str]]:  # noqa: ARG002 - that is the error
            return frozenset([("a", "c")])

    class Twice(Winner):
        @property
        def answers(self) -> tuple[str, ...]:
            return ("a", "a")

    for question, what in (
        (Wrong("c", ("a", "b")), "the rainbow of 'b' is a>b"),
        (Strange("c", ("a", "b")), "'c' is said to touch"),
        (Twice("c", ("a", "b")), "at least two answers"),
    ):
        with pytest.raises(QuestionError, match=what):
            region_graph(question, "add-remove")
    for max_rows in (0, -1, 1.5, True):
        with pytest.raises(QuestionError, match="is not a number of rows"):
            region_graph(winner("c", ["a", "b"]), "add-remove", max_rows)  # type: ignore[arg-type]  # wrong on purpose


def test_counts_of_numpy_do_not_begin_anew() -> None:
    few = np.array([100, 90], dtype=np.int8)
    for question, small, plain in (
        (bracket("c", edges=[1], quantile="1/3"), BracketCounts(tuple(few)), BracketCounts((100, 90))),
        (winner("c", ["a", "b"]), OptionCounts(tuple(few)), OptionCounts((100, 90))),
        (yes_no("c", equals="a", share="2/3"), MatchCount(few[1], few[0]), MatchCount(90, 100)),
        (yes_no("c", clamp=(-9, 9), at_least=-100), ClampedSum(few[0]), ClampedSum(Fraction(100))),
    ):
        assert question.locate(small) == question.locate(plain)
