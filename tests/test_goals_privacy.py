# SPDX-License-Identifier: Apache-2.0
"""What answers reveal about one person: every pair of neighboring small tables, whole distributions, exactly.

`goal_oracles` lists the tables and what one person can do to them: rows leave, join, change, and stop or
begin to count. Under pure privacy no answer may become more than e^epsilon times as likely, compared as
fractions. Under approximate and Gaussian privacy every event is looked at, and there is nothing to say about
the notion itself but its definition. Each kind of check is also shown to find what is wrong.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from goal_oracles import (
    RELATIONS,
    Counts,
    everywhere,
    flip_weight,
    gaps_of,
    neighbors_of,
    noisy_orders,
    over_all_events,
    pairs_of_neighbors,
    shared_by_coins,
    worst_ratio,
)
from goal_oracles import letters as options
from mechanism_chances import fraction, logarithm
from rainbowdp.exact import ball, working_precision
from rainbowdp.exact.enclosure import Value, rounded
from rainbowdp.goals import GOALS, Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.noisy_level import NoisyLevel, NormalLevel
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import (
    ClampedSum,
    MatchCount,
    OptionCounts,
    Question,
    Summary,
    bracket,
    level,
    ranking,
    scores,
    winner,
    yes_no,
)
from rainbowdp.questions.readings import BracketCounts

Exactly = dict[Counts, list[Fraction]]
_BITS = 72


def answers(
    mechanism: QuestionMechanism,
    tables: Iterable[Counts],
    summary: Callable[[Counts], Summary] = OptionCounts,
) -> dict[Counts, list[Value]]:
    """Return the chances at every table, in the order of the answers."""
    found = {}
    for counts in tables:
        chances = mechanism.at(summary(counts)).chances()
        found[counts] = [chances[form] for form in sorted(chances)]
    return found


def fractions(chances: dict[Counts, list[Value]]) -> Exactly:
    """Return chances of which each is a fraction."""
    found = {counts: [*map(fraction, values)] for counts, values in chances.items()}
    assert all(sum(masses) == 1 for masses in found.values())
    return found


def worst_pair(
    chances: Exactly, rows: int, changed: bool, most: int
) -> tuple[Fraction, tuple[Counts, Counts] | None]:
    """Return the greatest factor by which one person makes an answer more likely, and where."""
    worst, where = Fraction(1), None
    # Many tables have the same chances, of which each pair is compared once.
    numbers: dict[tuple[Fraction, ...], int] = {}
    number = {counts: numbers.setdefault(tuple(masses), len(numbers)) for counts, masses in chances.items()}
    compared = set()
    for counts in chances:
        for other in neighbors_of(counts, rows, changed, most):
            pair = number[counts], number[other]
            if pair in compared:
                continue
            compared.add(pair)
            ratio = worst_ratio(chances[counts], chances[other])
            if ratio > worst:
                worst, where = ratio, (counts, other)
    return worst, where


def asked_of(question: Question, privacy: Privacy, changed: bool, rows: int) -> Asked:
    return Asked(question, privacy, RELATIONS[changed], rows)


# Rows of one person, options, records of all together.
SIZES = [(1, 3, 6), (1, 4, 4), (1, 5, 3), (2, 3, 5), (2, 4, 3), (3, 3, 4)]


@pytest.mark.parametrize(("rows", "count", "most"), SIZES)
@pytest.mark.parametrize("changed", [False, True], ids=["theorem_2", "theorem_3"])
def test_theorems_2_and_3_no_person_moves_a_chance_of_flip_by_more_than_the_odds(
    rows: int, count: int, most: int, changed: bool
) -> None:
    step = Fraction(2) if count < 5 else Fraction(6, 5)
    asked = asked_of(winner("c", options(count)), logarithm(step**rows), changed, rows)
    mechanism = mechanism_of(asked)
    assert mechanism.name == "flip"
    chances = fractions(answers(mechanism, everywhere(count, most)))
    worst, where = worst_pair(chances, rows, changed, most)
    assert worst <= step**rows, where
    # Not far from it, either: else nothing would show that the odds are those of one person.
    assert worst - 1 > (step**rows - 1) / 2


@pytest.mark.parametrize("changed", [False, True], ids=["theorem_2", "theorem_3"])
@pytest.mark.parametrize("rows", [1, 2])
def test_theorems_2_and_3_hold_for_irrational_odds_up_to_2_to_the_minus_50(changed: bool, rows: int) -> None:
    mechanism = mechanism_of(asked_of(winner("c", options(3)), PureDP("0.7"), changed, rows))
    chances = answers(mechanism, everywhere(3, 4))
    with working_precision(_BITS):
        odds, slack = flint.arb("0.7").exp(), flint.arb(2) ** -50
        balls = {counts: [ball(value) for value in values] for counts, values in chances.items()}
        for one, other in pairs_of_neighbors(3, 4, rows, changed):
            for before, after in zip(balls[one], balls[other], strict=True):
                assert before <= odds * after + slack, (one, other)


@pytest.mark.parametrize("factor", [Fraction(101, 100), Fraction(99, 100)])
def test_a_weight_at_gap_1_that_is_a_little_off_breaks_privacy(factor: Fraction) -> None:
    def off(gap: int, *, changed: bool) -> Fraction:
        return flip_weight(gap, Fraction(2), changed) * (factor if gap == 1 else 1)

    # Three options, the third one far behind: in tables of few records others hide what two reveal.
    pair = ((0, 40, 41), (0, 39, 42)) if factor > 1 else ((0, 40, 41), (0, 41, 40))
    for one, other in (((1, 2), (0, 3)) if factor > 1 else ((0, 1), (1, 0)), pair):
        first, second = (
            shared_by_coins([off(gap, changed=True) for gap in gaps_of(counts)]) for counts in (one, other)
        )
        assert worst_ratio(first, second) > 2
        first, second = (
            shared_by_coins([flip_weight(gap, Fraction(2), True) for gap in gaps_of(counts)])
            for counts in (one, other)
        )
        assert worst_ratio(first, second) <= 2
    joining = {
        counts: shared_by_coins([off(gap, changed=False) for gap in gaps_of(counts)])
        for counts in everywhere(3, 5)
    }
    worst, _ = worst_pair(joining, 1, False, 5)
    assert worst > 2


@pytest.mark.parametrize("rows", [2, 3])
def test_weights_that_are_flat_between_multiples_of_the_rows_are_not_private(rows: int) -> None:
    odds = Fraction(2) ** rows

    def flat(gap: int) -> Fraction:
        times, rest = divmod(gap, 2 * rows)
        return (2 / (1 + odds) if rest else 1) / odds**times

    chances = {counts: shared_by_coins([flat(gap) for gap in gaps_of(counts)]) for counts in everywhere(3, 5)}
    worst, where = worst_pair(chances, rows, True, 5)
    assert worst > odds * Fraction(6, 5), where


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("goal", GOALS)
def test_theorems_1_and_2_no_person_moves_a_chance_of_scores_by_more_than_the_odds(
    goal: Goal, monotone: bool
) -> None:
    # Scores in halves of a sensitivity of 3/2, in the unit 3/4: a person moves each by up to two of these.
    odds, count, most = Fraction(16), 3, 4
    question = scores(options(count), sensitivity="3/2", monotone=monotone)
    mechanism = mechanism_of(Asked(question, logarithm(odds)), goal)
    grid = list(itertools.product(range(most), repeat=count))
    chances = fractions(
        answers(mechanism, grid, lambda units: question.values([unit * Fraction(3, 4) for unit in units]))
    )
    steps = list(itertools.product(range(3) if monotone else range(-2, 3), repeat=count))
    worst = Fraction(1)
    for units, step in itertools.product(grid, steps):
        other = tuple(unit + by for unit, by in zip(units, step, strict=True))
        if other in chances:
            both = chances[units], chances[other]
            worst = max(worst, worst_ratio(*both), worst_ratio(*both[::-1]))
    assert odds / 2 < worst <= odds


LINES = [(1, 2, 6), (1, 3, 4), (1, 4, 3), (2, 2, 6), (2, 3, 4), (3, 3, 3)]


@pytest.mark.parametrize(("rows", "count", "most"), LINES)
@pytest.mark.parametrize("changed", [False, True])
def test_theorem_1_the_guarantee_is_private_over_all_events(
    rows: int, count: int, most: int, changed: bool
) -> None:
    question = winner("c", options(count))
    for odds, delta in (
        (Fraction(2), Fraction(0)),
        (Fraction(6, 5), Fraction(1, 50)),
        (Fraction(1), Fraction(1, 9)),
    ):
        privacy = ApproxDP(f"ln({odds})", delta) if delta else logarithm(odds)
        mechanism = mechanism_of(asked_of(question, privacy, changed, rows), "guarantee")
        assert mechanism.name == "line"
        assert mechanism.charged == privacy
        chances = fractions(answers(mechanism, everywhere(count, most)))
        pairs = {
            (tuple(chances[one]), tuple(chances[other]))
            for one, other in pairs_of_neighbors(count, most, rows, changed)
        }
        excess = [over_all_events(one, other, odds) for one, other in pairs]
        assert max(excess) == delta


class Tradeoffs:
    """Looks at all events of distributions, for the notion of Gaussian privacy."""

    def __init__(self, chances: dict[Counts, list[Value]]) -> None:
        with working_precision(_BITS):
            self.points = {
                counts: self._points([ball(value) for value in values]) for counts, values in chances.items()
            }

    @staticmethod
    def _points(masses: list[flint.arb]) -> list[flint.arb]:
        """Return Phi^-1 of the probability of every event but none and all."""
        places = range(len(masses))
        events = itertools.chain.from_iterable(
            itertools.combinations(places, size) for size in range(1, len(masses))
        )
        return [_quantile(sum((masses[at] for at in event), flint.arb(0))) for event in events]

    def worst(self, one: Counts, other: Counts) -> flint.arb:
        """Return the least mu for which no event is too likely at one of two tables."""
        with working_precision(_BITS):
            return max(
                first - second for first, second in zip(self.points[one], self.points[other], strict=True)
            )


def _quantile(mass: flint.arb) -> flint.arb:
    found = flint.arb(2).sqrt() * (2 * mass - 1).erfinv()
    assert found.is_finite()
    return found


@pytest.mark.parametrize(("rows", "count", "most"), [(1, 2, 5), (1, 3, 2), (1, 4, 1), (2, 3, 2)])
@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("goal", GOALS)
def test_theorems_1_and_6_under_gaussian_privacy_no_event_is_too_likely(
    rows: int, count: int, most: int, changed: bool, goal: Goal
) -> None:
    mu = Fraction(3, 4)
    mechanism = mechanism_of(asked_of(winner("c", options(count)), GaussianDP(mu), changed, rows), goal)
    assert mechanism.name == ("line" if goal == "guarantee" or count == 2 else "normal noise")
    tradeoffs = Tradeoffs(answers(mechanism, everywhere(count, most)))
    worst = max(tradeoffs.worst(one, other) for one, other in pairs_of_neighbors(count, most, rows, changed))
    with working_precision(_BITS):
        limit = flint.arb(mu.numerator) / mu.denominator
        assert worst <= limit + flint.arb(2) ** -50
        assert worst >= limit * flint.arb("0.6")
        if mechanism.name == "line":
            assert worst >= limit - flint.arb(2) ** -50


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("rows", [1, 2])
def test_theorem_6_under_gaussian_privacy_no_set_of_orders_is_too_likely(changed: bool, rows: int) -> None:
    # Chances of orders are floats that are right to 1e-10, so that much is granted to each of the 62 events.
    mechanism = mechanism_of(asked_of(ranking("c", options(3)), GaussianDP(1), changed, rows))
    assert mechanism.name == "normal noise"
    chances = answers(mechanism, everywhere(3, 2))
    events = np.array(list(itertools.product([0, 1], repeat=6))[1:-1])
    masses = {counts: events @ [rounded(value) for value in values] for counts, values in chances.items()}
    worst = 0.0
    for one, other in pairs_of_neighbors(3, 2, rows, changed):
        limit = ndtr(ndtri(masses[other] + 1e-10) + 1) + 1e-10
        assert (masses[one] <= limit).all(), (one, other)
        worst = max(worst, float((ndtri(masses[one]) - ndtri(masses[other])).max()))
    assert worst > 0.6


def test_theorem_6_levels_of_a_noisy_count_hide_any_person() -> None:
    for rows in (1, 3):
        mechanism = NormalLevel(
            Asked(level("c", equals="A", edges=[4, 9]), GaussianDP("1/2"), "add-remove", rows)
        )
        counts = [(count,) for count in range(12)]
        tradeoffs = Tradeoffs(answers(mechanism, counts, lambda found: MatchCount(found[0], 40)))
        apart = [(one, other) for one in counts for other in counts if 0 < abs(one[0] - other[0]) <= rows]
        worst = max(tradeoffs.worst(one, other) for one, other in apart)
        with working_precision(_BITS):
            assert flint.arb("0.4999") <= worst <= flint.arb("0.5") + flint.arb(2) ** -50


@pytest.mark.parametrize(
    ("rows", "count", "most", "changed"),
    [
        (1, 2, 6, False),
        (1, 3, 5, False),
        (1, 4, 3, False),
        (2, 3, 4, False),
        (3, 3, 4, False),
        (1, 3, 5, True),
        (1, 4, 3, True),
        (2, 3, 4, True),
    ],
)
def test_theorem_5_no_person_moves_the_chance_of_an_order_by_more_than_the_odds(
    rows: int, count: int, most: int, changed: bool
) -> None:
    # One row more or less is worth the ratio of the noise, and a changed one its square.
    ratio = Fraction(2, 3)
    chances = {counts: [*noisy_orders(counts, ratio).values()] for counts in everywhere(count, most)}
    assert all(sum(masses) == 1 for masses in chances.values())
    odds = (1 / ratio) ** (rows * (2 if changed else 1))
    worst, where = worst_pair(chances, rows, changed, most)
    assert worst <= odds, where
    assert worst > odds * Fraction(2, 3)


def test_theorem_5_needs_the_lower_median_and_not_any_other_number() -> None:
    # With noise 0 on the first option instead, one row of that option moves all differences at once.
    ratio, counts, moved = Fraction(1, 2), (1, 0, 0), (0, 0, 0)

    def first_is_best(first: int, others: Sequence[int]) -> Fraction:
        def below(gap: int) -> Fraction:
            return 1 - ratio**gap / (1 + ratio) if gap > 0 else ratio ** (1 - gap) / (1 + ratio)

        found = Fraction(1)
        for other in others:
            found *= below(first - other)
        return found

    assert first_is_best(counts[0], counts[1:]) > 2 * first_is_best(moved[0], moved[1:])


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("edges", [(5, 8), (1, 2, 9), (3, 10, 11, 30)])
def test_theorem_4_no_person_moves_the_chance_of_a_level_by_more_than_the_odds(
    rows: int, edges: tuple[int, ...]
) -> None:
    odds = Fraction(2) ** rows
    asked = Asked(level("c", equals="A", edges=edges), logarithm(odds), "change-one", rows)
    counts = [(count,) for count in range(16)]
    chances = fractions(answers(NoisyLevel(asked), counts, lambda found: MatchCount(found[0], 20)))
    near = [(one, other) for one in counts for other in counts if abs(one[0] - other[0]) <= rows]
    assert max(worst_ratio(chances[one], chances[other]) for one, other in near) == odds
    beyond = [(one, other) for one in counts for other in counts if abs(one[0] - other[0]) == rows + 1]
    assert max(worst_ratio(chances[one], chances[other]) for one, other in beyond) > odds


def _match(counts: Counts) -> MatchCount:
    return MatchCount(counts[0], sum(counts))


def _sum_from_two(counts: Counts) -> ClampedSum:
    return ClampedSum(Fraction(2 * counts[0] + 3 * counts[1]))


# Each question with its summary of counts by cell, and how many kinds of cells and records there are.
LINE_QUESTIONS: dict[str, tuple[Question, Callable[[Counts], Summary], int, int]] = {
    "count": (yes_no("c", equals="A", at_least=3), _match, 2, 6),
    "count, few false yes": (yes_no("c", equals="A", at_least=3, false_yes="1/20"), _match, 2, 6),
    "count, many false yes": (yes_no("c", equals="A", at_least=3, false_yes="3/4"), _match, 2, 6),
    "share": (yes_no("c", equals="A", share="2/3"), _match, 2, 6),
    "share, few false yes": (yes_no("c", equals="A", share="2/3", false_yes="1/20"), _match, 2, 6),
    "sum": (yes_no("c", clamp=(2, 3), at_least=7), _sum_from_two, 2, 6),
    "sum, few false yes": (yes_no("c", clamp=(2, 3), at_least=7, false_yes="1/20"), _sum_from_two, 2, 6),
    "narrow levels": (level("c", equals="A", edges=[2, 3, 5]), _match, 2, 6),
    "levels of a share": (level("c", equals="A", share=True, edges=["1/3", "3/4"]), _match, 2, 6),
    "median": (bracket("c", edges=[2, 3]), BracketCounts, 3, 5),
    "ranking": (ranking("c", options(3)), OptionCounts, 3, 4),
}


@pytest.mark.parametrize("name", LINE_QUESTIONS)
@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("rows", [1, 2])
def test_lines_of_true_answers_are_private_over_all_events(name: str, changed: bool, rows: int) -> None:
    question, summary, cells, most = LINE_QUESTIONS[name]
    for odds, delta in ((Fraction(3), Fraction(0)), (Fraction(6, 5), Fraction(1, 50)))[rows - 1 :]:
        privacy = ApproxDP(f"ln({odds})", delta) if delta else logarithm(odds)
        mechanism = mechanism_of(asked_of(question, privacy, changed, rows), "guarantee")
        chances = fractions(answers(mechanism, everywhere(cells, most), summary))
        pairs = {
            (tuple(chances[one]), tuple(chances[other]))
            for one, other in pairs_of_neighbors(cells, most, rows, changed)
        }
        assert max(over_all_events(one, other, odds) for one, other in pairs) <= delta


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("chance", [Fraction(1, 20), Fraction(1, 2), Fraction(3, 4)])
def test_a_false_yes_has_its_chance_next_to_the_threshold_and_the_line_goes_on_from_there(
    changed: bool, rows: int, chance: Fraction
) -> None:
    odds, threshold = Fraction(3), 10
    question = yes_no("c", equals="A", at_least=threshold, false_yes=chance)
    mechanism = mechanism_of(asked_of(question, logarithm(odds), changed, rows))

    def up(mass: Fraction, steps: int) -> Fraction:
        for _ in range(steps):
            mass = min(odds * mass, 1 - (1 - mass) / odds)
        return mass

    for count in range(20):
        found = mechanism.at(MatchCount(count, 30)).chances()
        if count < threshold:
            assert found["no"] == up(1 - chance, (threshold - 1 - count) // rows)
        else:
            assert found["yes"] == up(chance, 1 + (count - threshold) // rows)


def test_no_false_yes_at_all_is_private_with_a_delta_over_all_events() -> None:
    question = yes_no("c", equals="A", at_least=3, false_yes=0)
    for changed, rows in itertools.product((False, True), (1, 2)):
        mechanism = mechanism_of(asked_of(question, ApproxDP("ln 2", "1/40"), changed, rows))
        chances = fractions(answers(mechanism, everywhere(2, 8), _match))
        assert all(chances[counts][1] == 0 for counts in chances if counts[0] < 3)
        pairs = pairs_of_neighbors(2, 8, rows, changed)
        assert max(
            over_all_events(chances[one], chances[other], Fraction(2)) for one, other in pairs
        ) == Fraction(1, 40)


@pytest.mark.parametrize("name", ["count", "count, few false yes", "narrow levels", "ranking"])
@pytest.mark.parametrize("changed", [False, True])
def test_lines_of_true_answers_are_private_under_gaussian_privacy(name: str, changed: bool) -> None:
    question, summary, cells, most = LINE_QUESTIONS[name]
    rows, most = 2, min(most, 4)
    mechanism = mechanism_of(asked_of(question, GaussianDP(1), changed, rows), "guarantee")
    tradeoffs = Tradeoffs(answers(mechanism, everywhere(cells, most), summary))
    worst = max(tradeoffs.worst(one, other) for one, other in pairs_of_neighbors(cells, most, rows, changed))
    with working_precision(_BITS):
        assert flint.arb("0.9") < worst <= 1 + flint.arb(2) ** -50
