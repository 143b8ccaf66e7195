# SPDX-License-Identifier: Apache-2.0
"""Which regions touch, against all pairs of small tables: none is missed, and none superfluous."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

from question_oracle import (
    Define,
    bracket_of,
    count_level,
    histograms,
    order_of,
    share_level,
    touching,
    winner_of,
)
from rainbowdp.graph import listed
from rainbowdp.privacy import PureDP
from rainbowdp.questions import (
    Question,
    bracket,
    in_table,
    level,
    question_boundary,
    ranking,
    region_graph,
    winner,
)

RELATIONS: list[Any] = ["add-remove", "change-one"]
NAMES = ("first", "second", "third", "fourth", "fifth")
LEVELS = [["1/4", "1/2", "3/4"], ["1/3", "2/3"], ["1/2", "3/5"], ["2/5", "1/2", "1"], ["1/10", "1/5", "3/10"]]


def named(question: Question, relation: Any, rows: int) -> set[frozenset[int]]:  # noqa: ANN401 - a literal
    """Return the pairs that a question names, by the numbers of their answers, all if it names none."""
    answers = question.answers
    pairs = question.touching(relation, rows)
    if pairs is None:
        return {frozenset(pair) for pair in itertools.combinations(range(len(answers)), 2)}
    assert all(answers.index(one) < answers.index(other) for one, other in pairs)
    return {frozenset((answers.index(one), answers.index(other))) for one, other in pairs}


def found(
    define: Define, kinds: int, records: int, relation: str, rows: int, *, skip: int = 0
) -> set[frozenset[Any]]:
    """Return the pairs that small tables show; the last `skip` kinds of rows count for nothing."""
    tables = histograms(kinds + skip, records)
    return touching(tables, {table: define(table[:kinds]) for table in tables}, relation, rows)


Case = tuple[Question, Define, int, int]
"""A question, its definition, how many kinds of rows there are, and how many rows show all that touches."""


def counted(edges: list[int], kinds: int = 2) -> Case:
    return level("c", equals="y", edges=edges), count_level(edges), kinds, 14


def shared(edges: list[str], records: int = 24) -> Case:
    # A gap of a tenth is crossed in tables of fewer than 10 rows per row that moves.
    define = share_level(list(map(Fraction, edges)))
    return level("c", equals="y", share=True, edges=edges), define, 2, records


CASES: list[Case] = [
    (winner("c", NAMES[:4]), winner_of, 4, 6),
    *(
        (bracket("c", edges=[1, 2, 3], quantile=quantile), bracket_of(Fraction(quantile)), 4, 6)
        for quantile in ("1/2", "1/3", "3/4", "1")
    ),
    *map(counted, ([1], [1, 2], [2, 5], [1, 2, 3, 4], [3, 4, 9], [2, 4, 6])),
    *map(shared, LEVELS),
]


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("case", CASES)
def test_regions_touch_where_small_tables_say(case: Case, relation: Any, rows: int) -> None:  # noqa: ANN401 - a literal
    question, define, kinds, records = case
    assert named(question, relation, rows) == found(define, kinds, records, relation, rows)


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(
    "case", [counted([1, 2], 1), counted([3, 4, 9], 1), *(shared(each, 11) for each in LEVELS)]
)
def test_regions_touch_as_said_where_rows_may_count_for_nothing(case: Case, rows: int) -> None:
    question, define, kinds, records = case
    pairs = found(define, kinds, records, "change-one", rows, skip=1)
    assert named(in_table(question), "change-one", rows) == pairs


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("options", [2, 3, 4])
def test_orders_touch_where_few_rows_turn_one_into_the_other(options: int, relation: Any, rows: int) -> None:  # noqa: ANN401 - a literal
    orders = list(itertools.permutations(range(options)))
    pairs = {frozenset(map(orders.index, pair)) for pair in found(order_of, options, 10, relation, rows)}
    touching = named(ranking("c", NAMES[:options]), relation, rows)
    assert touching >= pairs
    assert len(touching - pairs) <= (12 if (options, relation) == (4, "change-one") else 0)


def test_gaps_too_narrow_to_look_at_are_named_as_touching() -> None:
    edges = [Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**6), Fraction(3, 4)]
    question = level("c", equals="y", share=True, edges=edges)
    assert frozenset((0, 2)) in named(question, "add-remove", 1)
    assert len(named(question, "add-remove", 9)) == 6
    huge = level("c", equals="y", share=True, edges=["1/3", Fraction(10**50, 10**50 + 1)])
    assert frozenset((0, 2)) in named(huge, "add-remove", 1)


@pytest.mark.parametrize(
    ("clamp", "edges", "relation", "rows", "pairs"),
    [
        ((0, 3), [4, 6, 7], "add-remove", 1, {(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)}),
        ((0, 3), [4, 7], "add-remove", 1, {(0, 1), (1, 2)}),
        ((0, 3), [4, 7], "add-remove", 2, {(0, 1), (0, 2), (1, 2)}),
        ((-3, 1), [0, "5/2"], "add-remove", 1, {(0, 1), (0, 2), (1, 2)}),
        ((2, 3), [4, 5], "change-one", 1, {(0, 1), (1, 2)}),
        ((2, 3), [4, 5], "change-one", 2, {(0, 1), (0, 2), (1, 2)}),
        ((2, 2), [4, 5], "change-one", 2, {(0, 1), (1, 2)}),
    ],
)
def test_levels_of_a_sum_touch_where_the_gap_is_smaller_than_a_move(
    clamp: tuple[int, int],
    edges: list[Any],
    relation: Any,  # noqa: ANN401 - a literal
    rows: int,
    pairs: set[tuple[int, int]],
) -> None:
    question = level("c", clamp=clamp, edges=edges)
    assert named(question, relation, rows) == set(map(frozenset, pairs))


def test_a_row_that_turns_into_nothing_moves_a_sum_by_its_whole_value() -> None:
    question = level("c", clamp=(2, 3), edges=[4, 5])
    assert frozenset((0, 2)) in named(in_table(question), "change-one", 1) - named(question, "change-one", 1)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_region_graph_joins_what_touches(relation: Any) -> None:  # noqa: ANN401 - a literal
    question = level("c", equals="y", edges=[1, 2, 4], labels=["none", "one", "few", "many"])
    graph = region_graph(question, relation, 2)
    pairs = {
        frozenset((graph.label(int(one)), graph.label(int(other))))
        for one, other in zip(*listed(graph.structure).pairs(), strict=True)
    }
    touches = question.touching(relation, 2)
    assert touches is not None
    assert pairs == set(map(frozenset, touches))
    assert [graph.label(node) for node in range(graph.size)] == list(question.answers)
    assert all(
        graph.rainbows[graph.regions[at]] == question.rainbow(a) for at, a in enumerate(question.answers)
    )


def test_five_options_have_a_region_graph_of_all_their_orders() -> None:
    question = ranking("c", NAMES)
    graph = region_graph(question, "add-remove")
    pairs = found(order_of, 5, 11, "add-remove", 1)
    orders = list(itertools.permutations(range(5)))
    assert named(question, "add-remove", 1) == {frozenset(map(orders.index, pair)) for pair in pairs}
    assert (graph.size, listed(graph.structure).pairs()[0].size) == (120, len(pairs))
    condition = question_boundary(question, PureDP("ln 2"), "add-remove")
    own = condition.distributions[question.rainbow(question.answers[0])]
    assert own[question.answers[0]] == Fraction(2, 121)
