# SPDX-License-Identifier: Apache-2.0
"""The public check of a question: it holds for every question of the package, and finds planted errors."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pytest

from rainbowdp.errors import QuestionError
from rainbowdp.questions import (
    Location,
    Neighbors,
    OptionCounts,
    Question,
    QuestionCheck,
    Summary,
    bracket,
    check_question,
    in_table,
    level,
    ranking,
    scores,
    winner,
    yes_no,
)

RELATIONS: list[Any] = ["add-remove", "change-one"]
NAMES = ("first", "second", "third", "fourth", "fifth")

QUESTIONS: dict[str, Question] = {
    "winner of 2": winner("c", NAMES[:2]),
    "winner of 4": winner("c", NAMES[:4]),
    "ranking of 3": ranking("c", NAMES[:3]),
    "ranking of 4": ranking("c", NAMES[:4]),
    "count": yes_no("c", equals="y", at_least=5),
    "half": yes_no("c", equals="y", share="1/2"),
    "two thirds": yes_no("c", equals="y", share="2/3"),
    "all": yes_no("c", equals="y", share=1),
    "sum": yes_no("c", clamp=(0, 3), at_least=7),
    "sum of both signs": yes_no("c", clamp=(-1, 2), at_least=3),
    "levels of a count": level("c", equals="y", edges=[2, 4, 9]),
    "levels of a share": level("c", equals="y", share=True, edges=["1/4", "1/2", "3/4"]),
    "levels of a sum": level("c", clamp=(-1, 2), edges=[-2, 3, 4]),
    "median": bracket("c", edges=[1, 2]),
    "upper quartile": bracket("c", edges=["0.5", 2, "7/3"], quantile="3/4"),
    "maximum": bracket("c", edges=[1, 2], quantile=1),
    "median of dates": bracket("c", edges=["2020-02-29", "2020-03-01"]),
    "lower quartile of texts": bracket("c", ordered=NAMES[:3], quantile="1/4"),
    "scores": scores(NAMES[:3], sensitivity="1/2"),
    "monotone scores": scores(NAMES[:2], sensitivity=2, monotone=True),
}


SCORES = ("scores", "monotone scores")
# One of each formula.
ALTERED = (
    *("winner of 2", "ranking of 3", "count", "two thirds", "all", "sum of both signs"),
    *("levels of a count", "levels of a share", "upper quartile", "maximum"),
)


@dataclass(frozen=True)
class Altered:
    """A question with something planted in it."""

    question: Question
    change: Callable[[Location], int] = lambda found: found.distance
    missing: tuple[str, str] | None = None
    tight: bool = True

    kind: ClassVar[str] = "altered"

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a question has
        if name == "counting_nothing":
            raise AttributeError(name)
        return getattr(self.question, name)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        found = self.question.locate(summary, neighbors)
        return Location(found.answer, self.change(found))

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> frozenset[tuple[str, str]] | None:
        pairs = self.question.touching(neighbors, max_rows)
        if self.missing is None:
            return pairs
        order = self.answers
        everything = frozenset((one, two) for at, one in enumerate(order) for two in order[at + 1 :])
        return (everything if pairs is None else pairs) - {self.missing}


def cells(question: Question) -> tuple[object, ...]:
    """Return the cells that the check itself takes."""
    return check_question(question, records=2).cells


def check(question: Altered, relation: Neighbors, **options: Any) -> QuestionCheck:  # noqa: ANN401 - as the check
    values = cells(question.question)
    records = {2: 14, 3: 10, 4: 8}[len(values)]
    return check_question(question, relation, cells=values, **{"records": records, **options})


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_holds(name: str, relation: Any) -> None:  # noqa: ANN401 - a literal
    question = QUESTIONS[name]
    for max_rows in (1, 3):
        found = check_question(question, relation, max_rows=max_rows, records=10)
        assert found, (found.broken, found.reason, found.tables)
        assert found.unseen == ()
        if (name, relation) != ("ranking of 4", "change-one"):
            assert not found.superfluous
    if "scores" not in name:
        assert check_question(question, relation, max_rows=2, records=6, unreadable=True)


# Errors of 1: everywhere, in the first or the last answer alone, and in some distances alone.
PLANTED: dict[str, Callable[[int, bool, bool], int]] = {
    "one more everywhere": lambda far, *_: far + 1,
    "one less everywhere": lambda far, *_: far - 1,
    "one more in the first": lambda far, first, _: far + first,
    "one less in the first": lambda far, first, _: far - first,
    "one more in the last": lambda far, _, last: far + last,
    "one less in the last": lambda far, _, last: far - last,
    "one more at 0": lambda far, *_: max(1, far),
    "one more from 1 on": lambda far, *_: far + (far > 0),
}
# These alter nothing: where all rows must match, or the maximum lie below, one row is enough to change that.
NOTHING_TO_ALTER = {("all", "one less in the last"), ("maximum", "one less in the first")}


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("what", PLANTED)
@pytest.mark.parametrize("name", ALTERED)
def test_an_error_of_one_is_found_wherever_it_is(name: str, what: str, relation: Any) -> None:  # noqa: ANN401 - a literal
    question, change = QUESTIONS[name], PLANTED[what]
    first, *_, last = question.answers

    def changed(found: Location) -> int:
        return max(0, change(found.distance, found.answer == first, found.answer == last))

    altered = check(Altered(question, changed), relation)
    if (name, what) in NOTHING_TO_ALTER:
        assert altered
        return
    assert altered.broken in {"a", "b", "tightness"}
    assert altered.reason
    assert {len(table) for table in altered.tables} == {len(altered.cells)}


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("name", [name for name in QUESTIONS if name not in SCORES])
def test_a_missing_touch_is_found(name: str, relation: Any) -> None:  # noqa: ANN401 - a literal
    question = QUESTIONS[name]
    touching = question.touching(relation)
    order = question.answers
    superfluous = check(Altered(question), relation).superfluous
    pairs = touching or frozenset((one, two) for at, one in enumerate(order) for two in order[at + 1 :])
    for missing in sorted(pairs - superfluous)[:9]:
        found = check(Altered(question, missing=missing), relation)
        assert found.broken == "c"
        assert all(repr(answer) in found.reason for answer in missing)
        first, second = found.tables
        assert sum(abs(one - two) for one, two in zip(first, second, strict=True)) == (
            1 if relation == "add-remove" else 2
        )


def test_a_forgotten_rule_for_ties_is_found() -> None:
    @dataclass(frozen=True)
    class NoTies(Altered):
        def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
            assert isinstance(summary, OptionCounts)
            found = self.question.locate(summary, neighbors)
            first, second = sorted(summary.counts, reverse=True)[:2]
            return Location(found.answer, first - second)

    found = check(NoTies(winner("c", NAMES[:3])), "add-remove")
    assert found.broken == "b"


def test_an_answer_that_is_none_is_found() -> None:
    class Stranger(Altered):
        def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:  # noqa: ARG002 - that is the error
            return Location("nobody", 0)

    assert check(Stranger(winner("c", NAMES[:2])), "add-remove").broken == "answers"
    fraction: Any = lambda found: Fraction(found.distance)  # noqa: E731 - a distance of a wrong type
    assert check(Altered(winner("c", NAMES[:2]), fraction), "add-remove").broken == "answers"


def test_scores_with_an_error_of_one_are_found() -> None:
    class Off(type(QUESTIONS["scores"])):  # type: ignore[misc]  # the class of a question
        by = 1

        def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
            found = super().locate(summary, neighbors)
            return Location(found.answer, max(0, found.distance + self.by))

    class Less(Off):
        by = -1

    for monotone in (True, False):
        assert check_question(Off(NAMES[:2], Fraction(1), monotone)).broken == "b"
        assert check_question(Less(NAMES[:2], Fraction(1), monotone)).broken == "tightness"
        assert not check_question(scores(NAMES[:2], sensitivity=1, monotone=monotone)).superfluous


def test_a_capped_distance_is_private_and_not_tight() -> None:
    capped = Altered(QUESTIONS["winner of 2"], lambda found: min(2, found.distance))
    assert check(capped, "add-remove").broken == "tightness"
    assert check(capped, "add-remove", tight=False)
    assert check(Altered(capped.question, capped.change, tight=False), "add-remove")


def test_answers_that_no_small_table_has_are_named() -> None:
    found = check_question(level("c", equals="y", edges=[3, 900]))
    assert found
    assert found.unseen == (">=900",)


def test_a_question_that_knows_nothing_of_unreadable_rows_is_made_safe() -> None:
    # Counts modulo nothing: among tables of one size, the distance may jump where a row stops to count.
    fixed = Altered(level("c", clamp=(2, 3), edges=[9]), tight=False)
    loose = check_question(fixed, "change-one", cells=["2", "3", b"\xff"])
    assert loose.broken in {"a", "b"}
    assert check_question(fixed, "change-one", cells=["2", "3"], unreadable=True)
    made = in_table(fixed)
    assert made.answers == fixed.answers
    assert made.reading == fixed.reading
    assert made.rainbow("<9") == fixed.rainbow("<9")
    assert made.describe() == fixed.describe()
    assert (made.kind, made.column, made.answer_json("<9")) == (fixed.kind, "c", "<9")
    assert in_table(made) is made


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"records": 0}, "0 is not a number of rows"),
        ({"records": 2.5}, "2.5 is not a number of rows"),
        ({"records": 1000}, "records do not make"),
        ({"max_rows": 0}, "0 is not a number of rows"),
        ({"neighbors": "swap"}, "'swap' is not a neighbor relation"),
        ({"cells": []}, "0 cells"),
    ],
)
def test_what_cannot_be_checked_is_refused(options: dict[str, Any], what: str) -> None:
    with pytest.raises(QuestionError, match=what):
        check_question(QUESTIONS["winner of 4"], **options)


def test_a_question_of_ones_own_needs_cells() -> None:
    with pytest.raises(QuestionError, match="what cells may say"):
        check_question(Altered(QUESTIONS["count"]))
