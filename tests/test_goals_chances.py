# SPDX-License-Identifier: Apache-2.0
"""The chances that mechanisms say they have: against given vectors, the oracle, closed forms and quadrature.

Options that are tied are equally likely, and options that change places change their chances, whatever the
mechanism. What a plan says about a lead is what the mechanism does at a table with that lead.
"""

import itertools
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import ndtr

from goal_oracles import RELATIONS, Counts, falling, flip, gaps_of, options, promised, right_by_coins
from mechanism_chances import floats, fraction, fractions, orders_of
from mechanism_chances import logarithm as pure
from rainbowdp.errors import QuestionError
from rainbowdp.exact import ball
from rainbowdp.exact.enclosure import rounded
from rainbowdp.goals import GOALS, Asked, Case, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.noisy_level import NoisyLevel, NormalLevel
from rainbowdp.goals.noisy_order import NoisyOrder
from rainbowdp.goals.one_option import Flip
from rainbowdp.goals.question_line import QuestionLine
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import (
    MatchCount,
    Neighbors,
    OptionCounts,
    Question,
    Ranking,
    Winner,
    level,
    ranking,
    scores,
    winner,
    yes_no,
)

VECTORS = Path(__file__).parent / "vectors"
_ROUNDING = 1e-15


def read(name: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "case", read("winner.json"), ids=lambda case: f"{case['neighbors']}-{case['options']}-{case['odds']}"
)
def test_the_vectors_of_winners_are_the_chances_to_the_fraction(case: dict[str, Any]) -> None:
    question = winner("c", options(case["options"]))
    asked = Asked(question, pure(Fraction(case["odds"])), case["neighbors"])
    assert case["rows"]
    for row in case["rows"]:
        table = OptionCounts(tuple(row["counts"]))
        assert fractions(mechanism_of(asked, "guarantee").at(table)) == [*map(Fraction, row["guarantee"])]
        assert fractions(mechanism_of(asked).at(table)) == [*map(Fraction, row["flip"])]
        assert fractions(Flip(asked).at(table)) == [*map(Fraction, row["flip"])]


@pytest.mark.parametrize("case", read("level.json"), ids=lambda case: f"{case['edges']}-{case['odds']}")
def test_the_vectors_of_levels_are_the_chances_of_the_noisy_level_to_the_fraction(
    case: dict[str, Any],
) -> None:
    asked = Asked(level("c", equals="A", edges=case["edges"]), pure(Fraction(case["odds"])))
    assert case["rows"]
    for row in case["rows"]:
        found = NoisyLevel(asked).at(MatchCount(row["count"], 100)).chances()
        assert [*found] == [*asked.question.answers]
        assert [*found.values()] == [*map(Fraction, row["probabilities"])]


@pytest.mark.parametrize(("rows", "count", "most"), [(1, 3, 6), (1, 4, 4), (2, 3, 6), (3, 5, 3)])
@pytest.mark.parametrize("neighbors", RELATIONS)
def test_flip_is_what_its_coins_make_of_every_order(
    rows: int, count: int, most: int, neighbors: Neighbors
) -> None:
    step = Fraction(3, 2)
    mechanism = mechanism_of(Asked(winner("c", options(count)), pure(step**rows), neighbors, rows))
    for counts in falling(count, most):
        located = mechanism.at(OptionCounts(counts))
        assert fractions(located) == flip(counts, step, neighbors == "change-one")


def test_flip_of_scores_goes_by_half_the_gap_in_sensitivities_or_by_all_of_it() -> None:
    for monotone, neighbors, parts in (
        (False, "add-remove", 2),
        (False, "change-one", 2),
        (True, "add-remove", 1),
    ):
        question = scores(options(4), sensitivity="5/2", monotone=monotone)
        mechanism = mechanism_of(Asked(question, PureDP("1.3"), neighbors))  # type: ignore[arg-type]  # is a relation
        values = [Fraction(7, 3), Fraction(7, 3), Fraction(-1, 2), Fraction(2)]
        gaps = [max(values) - value for value in values]
        weights = np.array([math.exp(-1.3 * gap / 2.5 / parts) for gap in gaps])
        found = floats(mechanism.at(question.values(values)))
        assert found["0000"] == found["0001"]
        assert found["0000"] * 2 == pytest.approx(right_by_coins(weights, 2), abs=_ROUNDING)


def test_what_cannot_be_asked_of_scores_is_refused() -> None:
    three = scores(options(3), sensitivity=1)
    for goal in GOALS:
        with pytest.raises(QuestionError, match="of people, not of rows"):
            mechanism_of(Asked(three, PureDP(1), "add-remove", 2), goal)
        with pytest.raises(QuestionError, match="said to be monotone"):
            mechanism_of(
                Asked(scores(options(3), sensitivity=1, monotone=True), PureDP(1), "change-one"), goal
            )


@pytest.mark.parametrize(("rows", "count", "most"), [(1, 3, 7), (1, 4, 5), (2, 2, 9), (3, 3, 7)])
@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 30)])
def test_theorem_1_the_guarantee_propagates_the_tie_step_by_step(
    rows: int, count: int, most: int, neighbors: Neighbors, delta: Fraction
) -> None:
    odds = Fraction(3, 2)
    privacy = ApproxDP(f"ln({odds})", delta) if delta else pure(odds)
    mechanism = mechanism_of(Asked(winner("c", options(count)), privacy, neighbors, rows), "guarantee")
    step = rows * (2 if neighbors == "change-one" else 1)
    for counts in falling(count, most):
        assert fractions(mechanism.at(OptionCounts(counts))) == promised(counts, odds, step, delta)


def test_theorem_1_the_guarantee_under_gaussian_privacy_is_the_shifted_normal() -> None:
    mu, count = 0.8, 4
    normal = stats.norm()
    for neighbors, rows in itertools.product(RELATIONS, (1, 2)):
        mechanism = mechanism_of(
            Asked(winner("c", options(count)), GaussianDP("0.8"), neighbors, rows), "guarantee"
        )
        step = rows * (2 if neighbors == "change-one" else 1)
        between = 1 / count
        for lead in range(1, 9):
            steps, rest = divmod(lead, step)
            found = floats(mechanism.at(OptionCounts((1, 1 + lead, 0, 1))))
            mass = found["0001"]
            if rest and not steps:
                # Randomized response: as likely as a neighbor with another winner allows.
                assert mass == pytest.approx(normal.cdf(normal.ppf((1 - mass) / 3) + mu), abs=1e-14)
                between = mass
            begin = between if rest else 1 / count
            assert mass == pytest.approx(normal.cdf(normal.ppf(begin) + steps * mu), abs=1e-13)
            assert found["0000"] == found["0002"] == found["0003"]


@pytest.mark.parametrize(
    ("counts", "top", "as_set"),
    [
        ((0, 0, 0), None, False),
        ((0, 5, 3), None, False),
        ((4, 9), None, False),
        ((3, 1, 2, 2), None, False),
        ((2, 3, 0, 2), 2, False),
        ((2, 3, 0, 2), 2, True),
        ((2, 3, 0, 2), 3, True),
    ],
)
@pytest.mark.parametrize(("rows", "neighbors"), [(1, "add-remove"), (2, "change-one")])
def test_theorem_5_chances_of_orders_are_those_of_noise_on_differences(
    counts: Counts, top: int | None, as_set: bool, rows: int, neighbors: Neighbors
) -> None:
    ratio = Fraction(2, 3)
    odds = (1 / ratio) ** (rows * (2 if neighbors == "change-one" else 1))
    question = ranking("c", options(len(counts)), top=top, as_set=as_set)
    # Two options are answered by the line, so the noise is asked for by name.
    found = NoisyOrder(Asked(question, pure(odds), neighbors, rows)).at(OptionCounts(counts)).chances()
    expected = orders_of(question, counts, ratio)
    assert found.keys() == expected.keys()
    for form, value in found.items():
        around = ball(value)
        assert float(around.rad()) < 1e-9
        assert abs(float(around.mid()) - expected[form]) <= float(around.rad()) + _ROUNDING


@pytest.mark.parametrize(
    ("mu", "rows", "neighbors"),
    [("1", 1, "add-remove"), ("0.5", 2, "add-remove"), ("1", 1, "change-one"), ("0.7", 3, "change-one")],
)
def test_theorem_6_chances_of_winners_are_integrals_of_normal_densities(
    mu: str, rows: int, neighbors: Neighbors
) -> None:
    for counts in ((3, 5, 4), (9, 0, 8, 8)):
        count = len(counts)
        mechanism = mechanism_of(Asked(winner("c", options(count)), GaussianDP(mu), neighbors, rows))
        spread = rows * math.sqrt(2 if neighbors == "change-one" else 1 - 1 / count) / float(mu)
        found = floats(mechanism.at(OptionCounts(counts)))
        assert math.fsum(found.values()) == pytest.approx(1, abs=1e-12)
        for at, own in enumerate(counts):
            others = [(own - other) / spread for place, other in enumerate(counts) if place != at]

            def density(x: float, others: Sequence[float] = others) -> float:
                return (
                    math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * float(np.prod(ndtr(x + np.array(others))))
                )

            expected, _ = integrate.quad(density, -12, 12, epsabs=1e-13, limit=200)
            assert found[options(count)[at]] == pytest.approx(expected, abs=1e-11)


def test_theorem_6_scores_have_the_noise_of_their_longest_change() -> None:
    for count, monotone in itertools.product((3, 4, 5), (True, False)):
        question = scores(options(count), sensitivity="3/2", monotone=monotone)
        mechanism: Any = mechanism_of(Asked(question, GaussianDP("1/2")))
        ends = (0, 1.5) if monotone else (-1.5, 1.5)
        changes = np.array(list(itertools.product(ends, repeat=count)))
        longest = np.sqrt(((changes - changes.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).max())
        assert float(mechanism.deviation()) == pytest.approx(longest / 0.5, rel=1e-12)


def noisy_level(count: int, edges: Sequence[int], ratio: Fraction) -> list[Fraction]:
    """Return the chances of levels after geometric noise, from the tail of that."""

    def reached(edge: int) -> Fraction:
        least = edge - count
        return ratio**least / (1 + ratio) if least > 0 else 1 - ratio ** (1 - least) / (1 + ratio)

    tails = [Fraction(1), *map(reached, edges), Fraction(0)]
    return [more - less for more, less in pairwise(tails)]


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("neighbors", RELATIONS)
def test_theorem_4_chances_of_levels_are_those_of_geometric_noise(rows: int, neighbors: Neighbors) -> None:
    ratio, edges = Fraction(1, 2), (2, 30, 100)
    question = level("c", equals="A", edges=edges)
    for privacy in (pure(ratio**-rows), ApproxDP(f"ln({ratio**-rows})", "1e-6")):
        mechanism = NoisyLevel(Asked(question, privacy, neighbors, rows))
        assert mechanism.charged == pure(ratio**-rows)
        for count in (0, 1, 2, 3, 15, 29, 30, 99, 100, 101, 200):
            assert [*mechanism.at(MatchCount(count, 300)).chances().values()] == noisy_level(
                count, edges, ratio
            )


@pytest.mark.parametrize(
    ("privacy", "rows"),
    [(PureDP("0.1"), 1), (PureDP("ln 2"), 2), (ApproxDP(1, "1e-6"), 2), (GaussianDP("0.2"), 1)],
)
def test_levels_are_answered_by_noise_unless_one_of_them_is_narrow(privacy: Privacy, rows: int) -> None:
    # At the edge of a wide level noise is right half the time and more, and the line is not. In a level of
    # one count noise has to be 0 to be right, which is worse than the line.
    for edges, is_narrow in (([500, 501], True), ([500, 900, 901], True), ([500, 900, 1201], False)):
        question = level("c", equals="A", edges=edges)
        asked = Asked(question, privacy, "change-one", rows)
        noise: QuestionMechanism = (
            NormalLevel(asked) if isinstance(privacy, GaussianDP) else NoisyLevel(asked)
        )
        at_the_edge, inner = MatchCount(edges[-2], 5000), question.answers[-2]
        by_noise, by_line = (floats(one.at(at_the_edge))[inner] for one in (noise, QuestionLine(asked)))
        assert (by_noise < by_line) == is_narrow
        assert mechanism_of(asked).name == ("line" if is_narrow else noise.name), edges


def test_theorem_6_levels_have_normal_noise_between_halves() -> None:
    for mu, rows in ((0.5, 1), (1.0, 2)):
        question = level("c", equals="A", edges=[5, 40])
        mechanism = NormalLevel(Asked(question, GaussianDP(str(mu)), "add-remove", rows))
        for count in (0, 4, 5, 20, 39, 40, 60):
            below = stats.norm.cdf((np.array([5, 40]) - 0.5 - count) / (rows / mu))
            expected = [below[0], below[1] - below[0], 1 - below[1]]
            found = [*floats(mechanism.at(MatchCount(count, 100))).values()]
            assert found == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("question", "privacy", "goal", "error"),
    [
        (winner("c", options(4)), PureDP("0.8"), "typical", 0),
        (winner("c", options(4)), PureDP("0.8"), "guarantee", 0),
        (winner("c", options(4)), GaussianDP("0.8"), "typical", 1e-15),
        (ranking("c", options(4)), PureDP("0.8"), "typical", 1e-10),
        (ranking("c", options(4), top=2, as_set=True), PureDP("0.8"), "typical", 1e-10),
        (ranking("c", options(4)), GaussianDP("0.8"), "typical", 1e-10),
    ],
)
def test_options_that_change_places_change_their_chances_and_ties_are_equal(
    question: Winner | Ranking, privacy: Privacy, goal: Goal, error: float
) -> None:
    mechanism, names, counts = (
        mechanism_of(Asked(question, privacy, "change-one", 2), goal),
        options(4),
        (3, 1, 3, 0),
    )
    own = floats(mechanism.at(OptionCounts(counts)))
    assert math.fsum(own.values()) == pytest.approx(1, abs=1e-9)
    order = (3, 0, 1, 2)
    # The option at a place has moved there from another one.
    moved = floats(mechanism.at(OptionCounts(tuple(counts[at] for at in order))))
    for form, chance in moved.items():
        there = [order[names.index(each)] for each in ((form,) if isinstance(form, str) else form)]
        rest = [at for at in range(4) if at not in there]
        assert chance == pytest.approx(own[question.named([*there, *rest])], abs=error + 1e-16)


@pytest.mark.parametrize("privacy", [PureDP(0), GaussianDP(0)])
@pytest.mark.parametrize("goal", GOALS)
def test_without_privacy_loss_all_answers_are_equally_likely(privacy: Privacy, goal: Goal) -> None:
    scored = scores(options(3), sensitivity=1)
    asked: list[tuple[Question, Any]] = [
        (winner("c", options(3)), OptionCounts((7, 0, 2))),
        (ranking("c", options(3)), OptionCounts((7, 0, 2))),
        (winner("c", options(2)), OptionCounts((7, 0))),
        (scored, scored.values((7, 0, 2))),
    ]
    for question, summary in asked:
        found = floats(mechanism_of(Asked(question, privacy), goal).at(summary))
        # Chances of orders are known to 2^-36 each.
        error = 1e-10 if question.kind == "ranking" else 1e-15
        assert [*found.values()] == pytest.approx([1 / len(found)] * len(found), abs=error)


@pytest.mark.parametrize("count", [12, 13, 40])
@pytest.mark.parametrize("neighbors", RELATIONS)
def test_many_options_have_the_chances_of_quadrature(count: int, neighbors: Neighbors) -> None:
    counts = tuple(60 - (at * at) // 7 if at < 15 else at % 5 for at in range(count))
    mechanism = mechanism_of(Asked(winner("c", options(count)), PureDP("0.3"), neighbors))
    found = mechanism.at(OptionCounts(counts)).chances()
    best = [
        rounded(found[name]) for name, each in zip(options(count), counts, strict=True) if each == max(counts)
    ]
    step = math.exp(0.3)
    if neighbors == "add-remove":
        weights = np.array([step**-gap for gap in gaps_of(counts)])
    else:
        weights = np.array(
            [(2 / (1 + step) if gap % 2 else 1) * step ** -(gap // 2) for gap in gaps_of(counts)]
        )
    assert sum(best) == pytest.approx(right_by_coins(weights, len(best)), abs=1e-13)
    assert math.fsum(map(rounded, found.values())) == pytest.approx(1, abs=1e-13)


def test_a_ranking_of_many_options_that_names_the_first_is_their_winner() -> None:
    counts = OptionCounts((4, 4, 3, 0, 7, 5, 6, 2))
    for goal in GOALS:
        for neighbors in RELATIONS:
            one, other = (
                mechanism_of(Asked(question, PureDP("ln 2"), neighbors), goal)
                for question in (winner("c", options(8)), ranking("c", options(8), top=1))
            )
            assert one.name == other.name
            assert {(name,): chance for name, chance in one.at(counts).chances().items()} == dict(
                other.at(counts).chances()
            )


_FAR = 100_000


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("lead", [1, 4])
@pytest.mark.parametrize("case", ["one-close", "all-close"])
@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("privacy", [PureDP("0.4"), GaussianDP("0.4")])
def test_a_plan_says_how_often_a_table_with_that_lead_is_wrong(
    neighbors: Neighbors, lead: int, case: Case, goal: Goal, privacy: Privacy
) -> None:
    rows = 2
    mechanism = mechanism_of(Asked(winner("c", options(4)), privacy, neighbors, rows), goal)
    said = mechanism.wrong(lead, case)
    assert said is not None
    near = _FAR - lead * rows
    counts = (near, _FAR, 0, 0) if case == "one-close" else (near, _FAR, near, near)
    right = floats(mechanism.at(OptionCounts(counts)))["0001"]
    assert rounded(said) == pytest.approx(1 - right, abs=1e-13)


@pytest.mark.parametrize("privacy", [PureDP("0.8"), GaussianDP("0.8")])
@pytest.mark.parametrize("case", ["one-close", "all-close"])
@pytest.mark.parametrize("top", [None, 2])
@pytest.mark.parametrize("as_set", [False, True])
def test_a_plan_says_how_often_an_order_with_that_lead_is_wrong(
    privacy: Privacy, case: Case, top: int | None, as_set: bool
) -> None:
    if as_set and top is None:
        return
    rows, lead, far = 2, 2, 200
    question = ranking("c", options(4), top=top, as_set=as_set)
    mechanism = mechanism_of(Asked(question, privacy, "add-remove", rows))
    said = mechanism.wrong(lead, case)
    assert said is not None
    gap = rows * lead
    named = 4 if top is None else top
    last = min(named, 3)
    if case == "one-close":
        falls = [gap if at == last - 1 else far for at in range(3)]
    elif as_set:
        falls = [gap if at == named - 1 else 0 for at in range(3)]
    else:
        falls = [gap if at < last else 0 for at in range(3)]
    counts = tuple(1000 - fall for fall in itertools.accumulate(falls, initial=0))
    chances = floats(mechanism.at(OptionCounts(counts)))
    first = tuple(options(4)[:named])
    assert rounded(said) == pytest.approx(1 - chances[first], abs=1e-10)


def test_yes_no_says_how_many_people_a_true_answer_is_away() -> None:
    for neighbors, rows in itertools.product(RELATIONS, (1, 3)):
        for false_yes in (None, "1/10"):
            question = yes_no("c", equals="A", at_least=20, false_yes=false_yes)
            mechanism = mechanism_of(Asked(question, PureDP("ln 3"), neighbors, rows))
            for lead in (1, 2, 4):
                near = (lead - 1) * rows
                yes, no = MatchCount(20 + near, 90), MatchCount(19 - near, 90)
                assert mechanism.wrong(lead, "yes") == 1 - fraction(mechanism.at(yes).chances()["yes"])
                assert mechanism.wrong(lead, "no") == 1 - fraction(mechanism.at(no).chances()["no"])


@pytest.mark.parametrize(
    ("questions", "typical", "gaussian"),
    [
        (
            [winner("c", options(3)), scores(options(3), sensitivity=1), ranking("c", options(3), top=1)],
            "flip",
            "normal noise",
        ),
        (
            [winner("c", options(2)), scores(options(2), sensitivity=1), ranking("c", options(2))],
            "line",
            "line",
        ),
        ([ranking("c", options(3))], "noisy order", "normal noise"),
        ([level("c", equals="A", edges=[5, 405])], "noisy level", "normal noise"),
    ],
)
def test_the_mechanism_of_a_question_is_fixed_by_kind_notion_and_goal(
    questions: list[Question], typical: str, gaussian: str
) -> None:
    for question in questions:
        for privacy in (PureDP(1), ApproxDP(1, "1e-6"), GaussianDP(1)):
            found = [mechanism_of(Asked(question, privacy), goal).name for goal in GOALS]
            assert found == [gaussian if isinstance(privacy, GaussianDP) else typical, "line"]
