# SPDX-License-Identifier: Apache-2.0
"""Winners where one person can have several options: privacy by brute force, and reading of such cells.

The tables are vectors of counts. A person who joins raises any of them by one; one who changes raises some by
one and lowers others by one. Chances are compared exactly between all such neighbors.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from command_line import Runner
from goal_oracles import RELATIONS, Counts, gaps_of, letters, shared_by_coins, worst_ratio
from mechanism_chances import floats, fractions
from rainbowdp import GaussianDP, PureDP, ask, check_question, plan, verify_receipt, winner
from rainbowdp.errors import QuestionError
from rainbowdp.exact.enclosure import rounded
from rainbowdp.goals import Asked, Goal, mechanism_of
from rainbowdp.goals.noisy_order import NormalOrder
from rainbowdp.privacy import ApproxDP
from rainbowdp.questions import OptionCounts
from rainbowdp.questions.kinds import question_from


def asked(count: int, privacy: Any, neighbors: Any) -> Asked:  # noqa: ANN401 - any notion and relation
    return Asked(winner("ticks", letters(count), approval=";"), privacy, neighbors)


def neighboring(count: int, most: int, neighbors: str) -> Iterator[tuple[Counts, Counts]]:
    moves = (0, 1) if neighbors == "add-remove" else (-1, 0, 1)
    for one in itertools.product(range(most + 1), repeat=count):
        for move in itertools.product(moves, repeat=count):
            other = tuple(map(sum, zip(one, move, strict=True)))
            if min(other) >= 0 and other != one:
                yield one, other


@pytest.mark.parametrize("goal", ["typical", "guarantee"])
@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(
    ("count", "most", "odds"),
    [(2, 6, Fraction(4)), (3, 2, Fraction(4)), (3, 1, Fraction(9, 4)), (4, 1, Fraction(4))],
)
def test_one_person_with_any_number_of_options_costs_epsilon_exactly(
    count: int, most: int, neighbors: str, goal: Goal, odds: Fraction
) -> None:
    mechanism = mechanism_of(asked(count, PureDP(f"ln({odds})"), neighbors), goal)
    tables = {table for pair in neighboring(count, most, neighbors) for table in pair}
    chances = {table: fractions(mechanism.at(OptionCounts(table))) for table in tables}
    pairs = neighboring(count, most, neighbors)
    assert max(worst_ratio(chances[one], chances[other]) for one, other in pairs) == odds
    if goal == "typical" and count > 2:
        root = odds if neighbors == "add-remove" else Fraction(2 if odds == 4 else Fraction(3, 2))
        for table, found in chances.items():
            assert found == shared_by_coins([root ** (number - max(table)) for number in table])


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_normal_noise_keeps_the_curve_of_the_notion_over_all_events(neighbors: str) -> None:
    mechanism = mechanism_of(asked(3, GaussianDP("1/2"), neighbors))
    assert isinstance(mechanism, NormalOrder)

    @cache
    def chances(gaps: Counts) -> NDArray[np.float64]:
        return np.array([*floats(mechanism.at(OptionCounts(tuple(2 - gap for gap in gaps)))).values()])

    for one, other in neighboring(3, 1, neighbors):
        for event in itertools.product((False, True), repeat=3):
            mass, same = (chances(gaps_of(table))[[*event]].sum() for table in (one, other))
            assert same <= ndtr(ndtri(min(max(mass, 0.0), 1.0)) + 0.5) + 1e-9


def test_groups_cost_what_one_person_can_do_in_all_of_them() -> None:
    for privacy, cost in ((PureDP(1), "epsilon 2"), (GaussianDP(1), "mu 2")):
        mechanism = mechanism_of(asked(4, privacy, "add-remove"))
        assert str(mechanism.cost(3, "change-one")) == cost
        assert str(mechanism.cost(3, "add-remove")) == cost.replace("2", "1")


def test_cells_hold_options_once_each_and_receipts_are_verified() -> None:
    people = pl.DataFrame({"ticks": ["a;b", " b ; b;x", "", None, "c", "a", "y;z", "b"]})
    question = winner("ticks", ["a", "b", "c"], approval=";")
    tally = [(cell, 1) for cell in people["ticks"]]
    assert question.reading.summary(tally) == OptionCounts((2, 3, 1))
    with_rest = winner("ticks", ["a", "b"], other="rest", nulls="a", approval=";")
    assert with_rest.reading.summary(tally) == OptionCounts((4, 3, 3))
    answer = ask(people, question, epsilon=99)
    assert answer.answer == "b"
    checked = verify_receipt(answer.receipt)
    assert checked.holds
    assert "approval" not in winner("ticks", ["a", "b"]).describe()
    assert question_from(question.describe()) == question
    for options in (["a", "b"], ["a", "b", "c"]):
        for neighbors in RELATIONS:
            assert check_question(winner("ticks", options, approval=";"), neighbors=neighbors, records=4)


def test_what_cannot_be_is_refused_and_plans_say_the_chances_of_the_mechanism(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = winner("ticks", ["a", "b", "c"], approval=";")
    with pytest.raises(QuestionError, match="a person has one row"):
        mechanism_of(Asked(question, PureDP(1), max_rows=2))
    with pytest.raises(QuestionError, match="holds the separator"):
        winner("ticks", ["a;b", "c"], approval=";")
    with pytest.raises(QuestionError, match="cannot stand between options"):
        winner("ticks", ["a", "b"], approval=" ")
    assert mechanism_of(Asked(question, ApproxDP(1, "1e-6"))).charged == PureDP(1)
    # At a lead of 3, where flip for one option per person has a coin of its own, this one needs more.
    chances = [
        rounded(mechanism_of(Asked(each, PureDP("ln 3"), "change-one")).wrong(3, "one-close") or Fraction(0))
        for each in (winner("t", ["a", "b", "c"]), question)
    ]
    assert chances == [pytest.approx(1 / 12), pytest.approx(3**-1.5 / 2)]
    assert plan(question, PureDP("ln 3"), neighbors="change-one").question == question
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("ticks\na;b\nb\n", encoding="utf-8")
    words = ("--column", "ticks", "--options", "a,b,c", "--approval", ";", "--epsilon", 60)
    assert Runner(capsys)("ask", "winner", "t.csv", *words).out == "b\n"
