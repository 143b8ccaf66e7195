# SPDX-License-Identifier: Apache-2.0
"""Every distance formula against walking through all small tables, and against vectors made elsewhere."""

import itertools
import json
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from question_oracle import (
    Table,
    bracket_of,
    count_level,
    histograms,
    neighbors_of,
    order_of,
    share_level,
    walked,
    winner_of,
)
from rainbowdp.questions import (
    BracketCounts,
    ClampedSum,
    MatchCount,
    OptionCounts,
    Question,
    ScoreValues,
    Summary,
    bracket,
    in_table,
    level,
    ranking,
    scores,
    winner,
    yes_no,
)

RELATIONS: list[Any] = ["add-remove", "change-one"]
NAMES = ("first", "second", "third", "fourth", "fifth")
SHARES = sorted({Fraction(p, q) for q in range(1, 8) for p in range(1, q + 1)})
VECTORS = json.loads((Path(__file__).parent / "vectors" / "distances.json").read_text(encoding="utf-8"))


def match(table: Table) -> MatchCount:
    return MatchCount(table[0], sum(table))


def compare(
    question: Question,
    define: Callable[[Table], Hashable],
    summary: Callable[[Table], Summary],
    relation: Any,  # noqa: ANN401 - one of the literals
    kinds: int,
    *,
    records: int = 8,
) -> int:
    """Compare a question with its definition on every table; return how many distances had to be equal."""
    tables = histograms(kinds, records)
    answer = {table: define(table) for table in tables}
    true = walked(answer, partial(neighbors_of, relation=relation))
    named: dict[Hashable, str] = {}
    compared = 0
    for table in tables:
        found = question.locate(summary(table), relation)
        assert named.setdefault(answer[table], found.answer) == found.answer
        if table in true:
            assert 0 <= found.distance <= true[table]
        if relation == "add-remove":
            whole = sum(table) + found.distance + 1 <= records
        else:
            same_size = {answer[other] for other in tables if sum(other) == sum(table)}
            whole = len(same_size) == len(question.answers)
        if whole:
            assert found.distance == true[table]
            compared += 1
    assert len(set(named.values())) == len(named)
    return compared


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['question']}-{v['options']}-{v['neighbors']}")
def test_distances_are_those_of_the_vectors(vector: Any) -> None:  # noqa: ANN401 - read from JSON
    options = NAMES[: vector["options"]]
    made: dict[str, Callable[..., Question]] = {"winner": winner, "ranking": ranking}
    question = made[vector["question"]]("vote", options)
    for counts, right, distance in vector["rows"]:
        found = question.locate(OptionCounts(tuple(counts)), vector["neighbors"])
        wanted = options[right] if question.kind == "winner" else [options[at] for at in right]
        assert question.answer_json(found.answer) == wanted
        assert found.distance == distance


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kinds", [2, 3, 4])
def test_winner_and_ranking_are_right_on_every_small_table(kinds: int, relation: Any) -> None:  # noqa: ANN401 - a literal
    assert compare(winner("c", NAMES[:kinds]), winner_of, OptionCounts, relation, kinds) > 15
    least = 6 if (kinds, relation) == (4, "change-one") else 1
    assert compare(ranking("c", NAMES[:kinds]), order_of, OptionCounts, relation, kinds) > least


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("edges", [[1], [3], [8], [1, 2], [2, 5], [1, 2, 3, 4], [3, 4, 7]])
def test_counts_are_right_on_every_small_table(edges: list[int], relation: Any) -> None:  # noqa: ANN401 - a literal
    if len(edges) == 1:
        question: Question = yes_no("c", equals="y", at_least=edges[0])
    else:
        question = level("c", equals="y", edges=edges)
    assert compare(question, count_level(edges), match, relation, 2, records=14) > 20


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("share", SHARES, ids=str)
def test_shares_are_right_on_every_small_table(share: Fraction, relation: Any) -> None:  # noqa: ANN401 - a literal
    question = yes_no("c", equals="y", share=share)
    assert compare(question, share_level([share]), match, relation, 2, records=14) > 40
    assert question.locate(MatchCount(0, 0)).answer == "yes"


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("edges", list(itertools.combinations(SHARES[::2], 2)), ids=str)
def test_levels_of_a_share_are_right_on_every_small_table(edges: tuple[Fraction, ...], relation: Any) -> None:  # noqa: ANN401 - a literal
    question = level("c", equals="y", share=True, edges=edges)
    compare(question, share_level(edges), match, relation, 2, records=12)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("quantile", [q for q in SHARES if q.denominator < 6], ids=str)
def test_brackets_are_right_on_every_small_table(quantile: Fraction, relation: Any) -> None:  # noqa: ANN401 - a literal
    for kinds in (2, 3, 4):
        question = bracket("c", edges=range(1, kinds), quantile=quantile)
        records = 8 if kinds < 4 else 7
        assert compare(question, bracket_of(quantile), BracketCounts, relation, kinds, records=records) > 5
        assert question.locate(BracketCounts((0,) * kinds)).answer == question.answers[0]


@pytest.mark.parametrize("bounds", [(0, 3), (-2, 3), (-4, -1), (2, 2), (1, 4), (-3, 0), (0, 1), (-5, 2)])
@pytest.mark.parametrize("threshold", [-7, -2, 0, 1, 4, 9])
@pytest.mark.parametrize("relation", [*RELATIONS, "change-one in a table"])
def test_sums_are_right_among_sums(bounds: tuple[int, int], threshold: int, relation: str) -> None:
    lower, upper = bounds
    if (lower >= 0 and threshold <= 0) or (upper <= 0 and threshold > 0):
        with pytest.raises(ValueError, match="cannot cross"):
            yes_no("c", clamp=bounds, at_least=threshold)
        return
    question: Question = yes_no("c", clamp=bounds, at_least=threshold)
    moves = set(range(lower, upper + 1)) | set(range(-upper, -lower + 1))
    if relation != "add-remove":
        # The table has an unreadable row in place of a value of 0.
        values = {*range(lower, upper + 1), *([0] if "table" in relation else [])}
        moves = {one - other for one in values for other in values}
    if "table" in relation:
        question, relation = in_table(question), "change-one"
    if moves == {0}:
        return
    most = max(moves)
    reached = {at: at >= threshold for at in range(threshold - 40, threshold + 41)}
    # Only sums count, so any move may be there; the largest one is the one that matters.
    true = walked(reached, lambda at: range(at - most, at + most + 1))
    for at in reached:
        found = question.locate(ClampedSum(Fraction(at)), relation)  # type: ignore[arg-type]  # one of the literals
        assert (found.answer == "yes") is (at >= threshold)
        assert found.distance == true[at]


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("options", [2, 3])
def test_scores_are_right_on_a_grid_finer_than_their_sensitivity(options: int, monotone: bool) -> None:
    side, per_person = (21, 3) if options == 2 else (11, 2)
    question = scores(NAMES[:options], sensitivity="3/2", monotone=monotone)
    if monotone:
        raised = set(itertools.product(range(per_person + 1), repeat=options))
        moves = raised | {tuple(-by for by in move) for move in raised}
    else:
        moves = set(itertools.product(range(-per_person, per_person + 1), repeat=options))
    best = {row: winner_of(row) for row in itertools.product(range(side), repeat=options)}
    true = walked(best, lambda row: (tuple(map(sum, zip(row, by, strict=True))) for by in moves))
    compared = 0
    for row in best:
        values = ScoreValues(tuple(Fraction(value) * Fraction(3, 2) / per_person for value in row))
        found = question.locate(values)
        assert found.answer == NAMES[best[row]]
        assert found.distance <= true[row]
        reach = (found.distance + 1) * per_person
        if min(row) >= reach and max(row) + reach < side:
            assert found.distance == true[row]
            compared += 1
    assert compared > 20


QUESTIONS = st.one_of(
    st.builds(lambda k: (winner("c", NAMES[:k]), k), st.integers(2, 5)),
    st.builds(lambda k: (ranking("c", NAMES[:k]), k), st.integers(2, 5)),
    st.builds(
        lambda edges, share: (level("c", equals="y", share=share, edges=sorted(edges)), 2),
        st.sets(st.fractions(Fraction(1, 50), 1, max_denominator=60), min_size=1, max_size=5),
        st.just(True),
    ),
    st.builds(
        lambda edges: (level("c", equals="y", edges=sorted(edges)), 2),
        st.sets(st.integers(1, 60), min_size=1, max_size=6),
    ),
    st.builds(
        lambda k, quantile: (bracket("c", edges=range(1, k), quantile=quantile), k),
        st.integers(2, 5),
        st.fractions(Fraction(1, 40), 1, max_denominator=40),
    ),
)
SUMMARIES: dict[str, Callable[[Table], Summary]] = {
    "winner": OptionCounts,
    "ranking": OptionCounts,
    "level": match,
    "bracket": BracketCounts,
}


@settings(max_examples=100)
@given(QUESTIONS, st.data(), st.sampled_from(RELATIONS), st.integers(1, 4), st.booleans())
def test_any_question_is_private_around_any_table(
    asked: tuple[Question, int],
    data: st.DataObject,
    relation: Any,  # noqa: ANN401 - a literal
    max_rows: int,
    uncounted: bool,
) -> None:
    question, kinds = asked
    size = data.draw(st.sampled_from([3, 20, 100]))
    table = data.draw(st.tuples(*[st.integers(0, size)] * kinds))
    if uncounted:
        question, table = in_table(question), (*table, 3)
    moved = table
    for _ in range(data.draw(st.integers(0, max_rows))):
        near = neighbors_of(moved, relation)
        if near:
            moved = data.draw(st.sampled_from(near))
    summary = SUMMARIES[question.kind]
    one = question.locate(summary(table[:kinds]), relation)
    two = question.locate(summary(moved[:kinds]), relation)
    near_by = one.distance // max_rows, two.distance // max_rows
    if one.answer == two.answer:
        assert abs(near_by[0] - near_by[1]) <= 1
    else:
        assert near_by == (0, 0)
        touches = question.touching(relation, max_rows)
        order = sorted((one.answer, two.answer), key=question.answers.index)
        assert touches is None or tuple(order) in touches
