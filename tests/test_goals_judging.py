# SPDX-License-Identifier: Apache-2.0
"""Judging mechanisms: against tables enumerated person by person, and that what is wrong is found."""

import functools
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from numpy.typing import NDArray

import rainbowdp as rdp
from goal_oracles import (
    RELATIONS,
    Counts,
    flip_weight,
    gaps_of,
    pairs_of_neighbors,
    shared_by_coins,
    worst_ratio,
)
from rainbowdp.exact import Exact, rational_ball, to_float
from rainbowdp.goals import Asked
from rainbowdp.goals.judging import judge_line, judge_mechanism
from rainbowdp.goals.mechanism import Gap
from rainbowdp.goals.one_option import Flip, LeadLine
from rainbowdp.goals.question_line import QuestionLine
from rainbowdp.goals.table_judging import FlipJudge, TablePair, table_pairs
from rainbowdp.line import Line
from rainbowdp.line.steps import Pair, telling_steps, turning_steps
from rainbowdp.questions import Neighbors

OPTIONS = 3
E = Fraction(4)
Gaps = tuple[tuple[Gap, Gap], ...]


@pytest.fixture(autouse=True)
def _few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rainbowdp.goals.judging.MOST_WORK", 1000)


def asked(neighbors: Neighbors, rows: int) -> Asked:
    return Asked(rdp.winner("c", ["a", "b", "c"]), rdp.PureDP("ln 4"), neighbors, rows)


def gaps_of_pair(before: Counts, after: Counts) -> Gaps:
    return tuple(sorted(zip(gaps_of(before), gaps_of(after), strict=True)))


def listed_gaps(pair: TablePair) -> set[Gaps]:
    """Return the gaps of a listed pair in both orders, option by option."""
    gaps = [(kin.before, kin.after) for kin in pair for _ in range(kin.options)]
    return {tuple(sorted(gaps)), tuple(sorted((after, before) for before, after in gaps))}


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), [(1, 5), (2, 4)])
def test_pairs_of_tables_are_all_that_one_person_can_make(neighbors: Neighbors, rows: int, most: int) -> None:
    made = pairs_of_neighbors(OPTIONS, most, rows, neighbors == "change-one")
    pairs = itertools.chain(*(table_pairs(asked(neighbors, rows), OPTIONS, at) for at in range(most + 1)))
    listed = set().union(*map(listed_gaps, pairs))
    assert listed == {gaps_of_pair(*pair) for pair in made}


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(
    ("gap", "factor"), [(0, Fraction(1)), (1, Fraction(51, 50)), (1, Fraction(49, 50)), (3, Fraction(9, 10))]
)
def test_the_judge_decides_as_a_count_of_all_orders(
    neighbors: Neighbors, rows: int, gap: int, factor: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, step, most = neighbors == "change-one", {1: E, 2: Fraction(2)}[rows], 6 - rows
    # Between persons with two rows each, a coin that is off by little is hidden in tables so small.
    factor **= 1 if rows == 1 else 12

    def coin(lack: int) -> Fraction:
        return flip_weight(lack, step, changed) * (factor if lack == gap else 1)

    @functools.cache
    def at(counts: Counts) -> list[Fraction]:
        return shared_by_coins([coin(lack) for lack in gaps_of(counts)])

    pairs = [*pairs_of_neighbors(OPTIONS, most, rows, changed)]
    wrong = {gaps_of_pair(one, other) for one, other in pairs if worst_ratio(at(one), at(other)) > E}
    monkeypatch.setattr(Flip, "weights_and_odds", lambda _, gaps: ({lack: coin(lack) for lack in gaps}, E))
    monkeypatch.setattr(Flip, "weight_ball", lambda _, lack: rational_ball(coin(lack)))
    mechanism = Flip(asked(neighbors, rows))
    judging = FlipJudge(mechanism, OPTIONS, range(20))
    found = set[Gaps]()
    for count in range(most + 1):
        for pair in table_pairs(mechanism.asked, OPTIONS, count):
            if judging.exceeds(pair) is not None:
                found |= listed_gaps(pair)
    assert found == wrong | {tuple(sorted((after, before) for before, after in pair)) for pair in wrong}
    assert not wrong or factor != 1
    # With two rows, one of these coins reveals too much in larger tables alone.
    assert bool(judge_mechanism(mechanism)) == (factor == 1)


def test_a_coin_that_is_not_the_one_that_is_thrown_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = Flip(asked("add-remove", 1))
    right = Flip.weight_ball
    monkeypatch.setattr(Flip, "weight_ball", lambda self, gap: right(self, gap) * (1 + flint.arb(2) ** -80))
    broken = judge_mechanism(mechanism).broken
    assert broken == "the coin of options that lack 0 to the greatest is not the one that is thrown"


@pytest.mark.parametrize(("options", "epsilon"), [(3, "ln 2"), (3, "1e-300"), (40, "1000")])
def test_flips_hold_for_any_number_of_options(options: int, epsilon: str) -> None:
    names = [f"o{at}" for at in range(options)]
    for neighbors in RELATIONS:
        judged = judge_mechanism(Flip(Asked(rdp.winner("c", names), rdp.PureDP(epsilon), neighbors, 2)))
        assert judged, judged
        assert judged.pairs > 60


def test_of_many_options_a_coin_decides_where_numbers_differ_by_less_than_any_bits() -> None:
    # A tie of 1024 options against one option alone ahead: both sides differ by (1 - q)^1024, 2^-6800 here.
    judging = FlipJudge(
        Flip(Asked(rdp.winner("c", [f"o{at}" for at in range(1024)]), rdp.PureDP("1/100"))), 1024, [0, 1]
    )
    (pair,) = set(table_pairs(judging._flip.asked, 1024, 1))
    assert judging.exceeds(pair) is None


@pytest.mark.parametrize(("options", "monotone"), [(3, True), (6, False)])
def test_scores_are_judged_on_a_grid(options: int, monotone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    question = rdp.scores([f"o{at}" for at in range(options)], sensitivity="1/3", monotone=monotone)
    mechanism = Flip(Asked(question, rdp.PureDP("1/2")))
    assert judge_mechanism(mechanism)
    right_weights, right_ball = Flip.weights_and_odds, Flip.weight_ball
    # The weights of a sensitivity that is too small by a hundredth.
    wrong = Fraction(101, 100)

    def weights(self: Flip, gaps: Any) -> Any:  # noqa: ANN401 - as it is
        found, odds = right_weights(self, [gap * wrong for gap in gaps])
        return dict(zip(gaps, found.values(), strict=True)), odds

    monkeypatch.setattr(Flip, "weights_and_odds", weights)
    monkeypatch.setattr(Flip, "weight_ball", lambda self, gap: right_ball(self, gap * wrong))
    assert not judge_mechanism(mechanism)


@pytest.mark.parametrize(
    ("privacy", "neighbors", "rows"),
    [
        (rdp.PureDP("ln 3"), "change-one", 2),
        (rdp.ApproxDP("ln 2", "1/100"), "add-remove", 1),
        (rdp.GaussianDP("1/2"), "change-one", 2),
    ],
    ids=str,
)
def test_leads_are_judged_and_a_step_too_far_is_found(
    privacy: rdp.privacy.Privacy, neighbors: Neighbors, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = LeadLine(Asked(rdp.winner("c", ["a", "b", "c"]), privacy, neighbors, rows))
    assert judge_mechanism(line)
    right = LeadLine.mass

    def mass(self: LeadLine, lead: Any) -> Any:  # noqa: ANN401 - as it is
        return right(self, lead + 1 if lead == self.step else lead)

    monkeypatch.setattr(LeadLine, "mass", mass)
    judged = judge_mechanism(line)
    assert judged.broken is not None


def test_where_no_bits_tell_masses_from_1_their_form_decides() -> None:
    for mu in (30, 10**6):
        judged = judge_mechanism(LeadLine(Asked(rdp.winner("c", ["a", "b", "c"]), rdp.GaussianDP(mu))))
        assert judged
        assert judged.pairs > 0


def floats(pair: Pair) -> NDArray[np.float64]:
    return np.array([[to_float(side[color], "nearest") for color in side] for side in pair])


def revealed(pairs: Iterator[Pair] | list[Pair]) -> list[float]:
    """Return the greatest excess over some limits, and the greatest Rényi divergences of some orders."""
    found = []
    for pair in pairs:
        for one, other in (floats(pair), floats(pair)[::-1]):
            p, q = one[one > 0], other[one > 0]
            orders = [
                math.log((p * (p / q) ** (alpha - 1)).sum()) / (alpha - 1) if (q > 0).all() else math.inf
                for alpha in (1.001, 1.5, 2, 5, 20)
            ]
            excess = [np.maximum(p - factor * q, 0).sum() for factor in (0.7, 0.9, 1, 1.05, 1.2, 1.5)]
            found.append([*excess, *orders])
    greatest: list[float] = np.array(found).max(axis=0).tolist()
    return greatest


LINES = [
    ("a>b", {"a": "1/100", "b": "99/100"}),
    ("a>b", {"a": "1/2", "b": "1/2"}),
    ("a>b>c", {"a": "1/30", "b": "1/10", "c": "13/15"}),
    ("a>b=c>d", {"a": "1/3", "b": "1/6", "c": "1/12", "d": "5/12"}),
    ("a>b>c", {"a": "0", "b": "1/10", "c": "9/10"}),
]


def proper(line: Line) -> tuple[Exact, ...]:
    return line.boundary.prefix_masses(line.rainbow)[:-1]


@pytest.mark.parametrize(("rainbow", "boundary"), LINES)
@pytest.mark.parametrize("privacy", [rdp.PureDP("1/3"), rdp.PureDP("ln 2")], ids=str)
def test_a_few_steps_reveal_what_all_steps_reveal(
    rainbow: str, boundary: dict[str, str], privacy: rdp.PureDP
) -> None:
    line = Line(rainbow, boundary, privacy)
    told = [(line.distribution(at), line.distribution(at + 1)) for at in telling_steps(privacy, proper(line))]
    every = [(line.distribution(at), line.distribution(at + 1)) for at in range(40)]
    assert revealed(told) == pytest.approx(revealed(every), rel=1e-9)


@pytest.mark.parametrize(
    "privacy", [rdp.PureDP("1/3"), rdp.ApproxDP("1/3", "1/50"), rdp.GaussianDP("1/3")], ids=str
)
def test_turning_steps_are_where_a_prefix_turns_or_becomes_certain(privacy: rdp.privacy.Privacy) -> None:
    line = Line("a>b>c", {"a": "1/30", "b": "1/10", "c": "13/15"}, privacy)
    steps = turning_steps(privacy, proper(line))
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    for turn in line.thresholds:
        assert turn is not None
        assert {turn - 1, turn} <= set(steps)
    assert judge_line(line)


def test_a_line_that_goes_too_fast_is_judged_broken() -> None:
    class Fast(Line):
        def distribution(self, distance: int, *, symbolic: bool = False) -> rdp.Distribution:
            return super().distribution(distance + (distance > 6), symbolic=symbolic)

    right = Line("a>b", {"a": "1/100", "b": "99/100"}, rdp.PureDP("ln 2"))
    assert judge_line(right)
    assert judge_line(Fast("a>b", {"a": "1/100", "b": "99/100"}, rdp.PureDP("ln 2"))).broken is not None


def test_pairs_of_a_question_have_all_lines_that_differ() -> None:
    # All three levels are right equally often where regions meet, and the inner one has two rivals.
    question = rdp.level("c", equals="x", edges=[10, 20], labels=["low", "medium", "high"])
    line = QuestionLine(Asked(question, rdp.PureDP("ln 2")))
    assert line.line("low").boundary["low"] == line.line("medium").boundary["medium"]
    assert len(line._unlike) == 2
    pairs = line.pairs()
    assert pairs is not None
    assert len(list(pairs)) == len(pairs)
    every = [
        (own.distribution(at), own.distribution(at + 1))
        for own in map(line.line, ("low", "medium", "high"))
        for at in range(30)
    ]
    every += [(line.line("low").boundary, line.line("medium").boundary)]
    assert revealed(iter(pairs)) == pytest.approx(revealed(every), rel=1e-9)
