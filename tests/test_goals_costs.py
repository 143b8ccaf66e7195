# SPDX-License-Identifier: Apache-2.0
"""What several groups cost together: the joint answers of all groups, and the longest change of all counts.

Groups divide the rows, and one person's rows can lie in any of them. Where more than one group is asked, each
has the mechanism for joining and leaving, also where people change: a changed person leaves one group and
joins another. Every pair of neighboring tables of all groups is gone through, by what happens in each group.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import prod

import flint
import pytest

from goal_oracles import RELATIONS, Counts, everywhere, joint, noisy_orders, worst_ratio
from goal_oracles import letters as options
from mechanism_chances import fractions
from rainbowdp.exact import ball, working_precision
from rainbowdp.goals import GOALS, Asked, Goal, QuestionMechanism, mechanism_of
from rainbowdp.goals.noisy_level import NoisyLevel, NormalLevel
from rainbowdp.ledger import Cost
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import (
    MatchCount,
    Neighbors,
    OptionCounts,
    Question,
    Summary,
    level,
    ranking,
    winner,
    yes_no,
)

NOTIONS: tuple[Privacy, ...] = (PureDP(1), ApproxDP(1, "1e-6"), GaussianDP(1))
STEP = Fraction(2)


def odds_of(cost: Cost) -> Fraction:
    """Return e^epsilon of a cost that is a logarithm."""
    assert cost.epsilon.rational == 0
    return cost.epsilon.argument


@cache
def rows_of_persons(options_and_groups: int, rows: int) -> tuple[Counts, ...]:
    """Return how many rows one person can have of each option in each group, up to so many in all."""
    return tuple(everywhere(options_and_groups, rows))


def splits(
    cells: int, groups: int, rows: int, neighbors: Neighbors
) -> Iterator[tuple[tuple[Counts, Counts], ...]]:
    """Yield what one person can do in all groups at once: for each group, which rows leave and which join."""
    nobody = (0,) * (cells * groups)
    own = rows_of_persons(cells * groups, rows)
    leaving = own if neighbors == "change-one" else (nobody,)
    for gone, come in itertools.product(leaving, own):
        yield tuple(
            (gone[group * cells : (group + 1) * cells], come[group * cells : (group + 1) * cells])
            for group in range(groups)
        )


class Groups:
    """One group's distributions, and by what factor each move of its rows makes an answer more likely."""

    def __init__(self, chances: dict[Counts, list[Fraction]]) -> None:
        self.chances = chances
        self.pairs = cache(self._pairs)
        self.worst = cache(self._worst)

    def _pairs(self, gone: Counts, come: Counts) -> list[tuple[list[Fraction], list[Fraction]]]:
        found = []
        for counts, masses in self.chances.items():
            if all(here >= less for here, less in zip(counts, gone, strict=True)):
                other = tuple(here - less + more for here, less, more in zip(counts, gone, come, strict=True))
                if other in self.chances:
                    found.append((masses, self.chances[other]))
        return found

    def _worst(self, gone: Counts, come: Counts) -> Fraction:
        return max(
            (max(worst_ratio(one, other), worst_ratio(other, one)) for one, other in self._pairs(gone, come)),
            default=Fraction(1),
        )


def greatest_factor(group: Groups, cells: int, groups: int, rows: int, neighbors: Neighbors) -> Fraction:
    """Return by what factor one person makes a joint answer of all groups more likely, at most.

    Answers of groups are independent, so that is the product of what happens in each of them.
    """
    return max(
        prod((group.worst(gone, come) for gone, come in split), start=Fraction(1))
        for split in splits(cells, groups, rows, neighbors)
    )


def chances_of(
    mechanism: QuestionMechanism, cells: int, most: int, summary: Callable[[Counts], Summary]
) -> dict[Counts, list[Fraction]]:
    return {counts: fractions(mechanism.at(summary(counts))) for counts in everywhere(cells, most)}


def _match(counts: Counts) -> MatchCount:
    return MatchCount(counts[0], sum(counts))


def _level(privacy: Privacy, rows: int) -> QuestionMechanism:
    asked = Asked(level("c", equals="A", edges=[2, 4]), privacy, "add-remove", rows)
    return NormalLevel(asked) if isinstance(privacy, GaussianDP) else NoisyLevel(asked)


def _typical(question: Question) -> Callable[[Privacy, int], QuestionMechanism]:
    return lambda privacy, rows: mechanism_of(Asked(question, privacy, "add-remove", rows))


# Mechanisms that are private row by row, with what they count, and how many rows of one group are looked at.
ROW_BY_ROW: dict[
    str, tuple[Callable[[Privacy, int], QuestionMechanism], Callable[[Counts], Summary], int, int]
] = {"flip": (_typical(winner("c", options(3))), OptionCounts, 3, 3), "noisy level": (_level, _match, 2, 5)}


@pytest.mark.parametrize("name", ROW_BY_ROW)
@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("groups", "rows"), [(2, 1), (3, 1), (2, 2)])
def test_theorems_2_and_4_groups_cost_one_charge_or_two_whatever_the_rows(
    name: str, neighbors: Neighbors, groups: int, rows: int
) -> None:
    make, summary, cells, most = ROW_BY_ROW[name]
    mechanism = make(PureDP(f"ln({STEP**rows})"), rows)
    cost = mechanism.cost(groups, neighbors)
    assert odds_of(cost) == STEP ** (rows * (2 if neighbors == "change-one" else 1))
    assert cost.delta == 0
    group = Groups(chances_of(mechanism, cells, most, summary))
    worst = greatest_factor(group, cells, groups, rows, neighbors)
    assert worst <= odds_of(cost)
    # One charge less would not do.
    assert worst > odds_of(cost) / STEP ** (rows if neighbors == "change-one" else 1)


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("groups", "rows"), [(2, 1), (2, 2)])
def test_theorem_5_groups_of_rankings_cost_one_charge_or_two(
    neighbors: Neighbors, groups: int, rows: int
) -> None:
    mechanism = mechanism_of(Asked(ranking("c", options(3)), PureDP(f"ln({STEP**rows})"), "add-remove", rows))
    cost = mechanism.cost(groups, neighbors)
    group = Groups({counts: [*noisy_orders(counts, 1 / STEP).values()] for counts in everywhere(3, 3)})
    worst = greatest_factor(group, 3, groups, rows, neighbors)
    assert odds_of(cost) == STEP ** (rows * (2 if neighbors == "change-one" else 1))
    assert worst <= odds_of(cost)
    assert worst > odds_of(cost) / STEP


LINES: dict[str, tuple[Question, Goal, Callable[[Counts], Summary], int, int]] = {
    "guarantee": (winner("c", options(3)), "guarantee", OptionCounts, 3, 3),
    "two options": (winner("c", options(2)), "typical", OptionCounts, 2, 5),
    "yes-no": (yes_no("c", equals="A", at_least=2), "typical", _match, 2, 4),
    "few false yes": (yes_no("c", equals="A", at_least=2, false_yes="1/10"), "typical", _match, 2, 4),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("groups", "rows"), [(2, 1), (3, 1), (2, 2)])
def test_theorem_1_groups_of_lines_cost_a_charge_for_every_group_that_one_person_touches(
    name: str, neighbors: Neighbors, groups: int, rows: int
) -> None:
    question, goal, summary, cells, most = LINES[name]
    mechanism = mechanism_of(Asked(question, PureDP("ln 2"), "add-remove", rows), goal)
    assert mechanism.name == "line"
    cost = mechanism.cost(groups, neighbors)
    group = Groups(chances_of(mechanism, cells, most, summary))
    worst = greatest_factor(group, cells, groups, rows, neighbors)
    assert odds_of(cost) / 2 <= worst <= odds_of(cost)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("epsilon", "rows"), [("0", 1), ("ln 2", 2)])
def test_theorem_1_groups_of_lines_stay_within_their_delta_over_all_joint_events(
    name: str, neighbors: Neighbors, epsilon: str, rows: int
) -> None:
    question, goal, summary, cells, _ = LINES[name]
    groups, most = 2, 3 if cells == 2 else 2
    mechanism = mechanism_of(Asked(question, ApproxDP(epsilon, "1/50"), "add-remove", rows), goal)
    cost = mechanism.cost(groups, neighbors)
    group = Groups(chances_of(mechanism, cells, most, summary))

    @cache
    def pairs(gone: Counts, come: Counts) -> frozenset[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]:
        return frozenset((tuple(one), tuple(other)) for one, other in group.pairs(gone, come))

    excess = Fraction(0)
    seen: set[tuple[tuple[Fraction, ...], ...]] = set()
    for split in splits(cells, groups, rows, neighbors):
        for (one, other), (first, second) in itertools.product(*(pairs(*move) for move in split)):
            if (key := (one, other, first, second)) in seen:
                continue
            seen.update((key, (first, second, one, other)))
            together = zip(joint([one, first]), joint([other, second]), strict=True)
            # The most by which an event exceeds its limit: all answers that exceed theirs.
            excess = max(
                excess, sum((max(p - odds_of(cost) * q, Fraction(0)) for p, q in together), Fraction(0))
            )
    assert excess <= cost.delta
    # Without an epsilon nothing hides that delta is needed.
    assert epsilon != "0" or excess >= cost.delta / 3


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("rows", [1, 2])
def test_theorem_1_groups_of_gaussian_lines_stay_within_their_cost(neighbors: Neighbors, rows: int) -> None:
    mu, groups = Fraction(1), 2
    mechanism = mechanism_of(Asked(winner("c", options(2)), GaussianDP(mu), "add-remove", rows))
    squared = mechanism.cost(groups, neighbors).mu_squared
    assert squared is not None
    with working_precision(80):
        limit = (flint.arb(squared.numerator) / squared.denominator).sqrt()
        worst = flint.arb(0)
        masses = {
            counts: ball(next(iter(mechanism.at(OptionCounts(counts)).chances().values())))
            for counts in everywhere(2, 3)
        }

        @cache
        def pairs_of(gone: Counts, come: Counts) -> list[tuple[float, float]]:
            found: dict[tuple[float, float], None] = {}
            for counts, mass in masses.items():
                other = tuple(here - less + more for here, less, more in zip(counts, gone, come, strict=True))
                if min(here - less for here, less in zip(counts, gone, strict=True)) >= 0 and other in masses:
                    found[float(mass), float(masses[other])] = None
            return [*found]

        for split in splits(2, groups, rows, neighbors):
            for (one, other), (first, second) in itertools.product(*(pairs_of(*move) for move in split)):
                p = [one * first, one * (1 - first), (1 - one) * first, (1 - one) * (1 - first)]
                q = [other * second, other * (1 - second), (1 - other) * second, (1 - other) * (1 - second)]
                order = sorted(range(4), key=lambda at: p[at] / q[at], reverse=True)
                # By Neyman and Pearson, the events that show most are these.
                for size in (1, 2, 3):
                    told = [flint.arb(sum(each[at] for at in order[:size])) for each in (p, q)]
                    ends = [(2 * mass - 1).erfinv() * flint.arb(2).sqrt() for mass in told]
                    worst = max(worst, ends[0] - ends[1])
        assert worst <= limit + flint.arb("1e-9")
        assert worst >= limit * flint.arb("0.5")


def longest_change(cells: int, groups: int, rows: int, neighbors: Neighbors, *, centered: bool) -> Fraction:
    """Return the greatest squared length of the change of all counts that one person makes.

    Only differences inside a group tell something where options are compared; of a count of matches, only the
    first cell does.
    """
    longest = Fraction(0)
    for split in splits(cells, groups, rows, neighbors):
        total = Fraction(0)
        for gone, come in split:
            change = [more - less for less, more in zip(gone, come, strict=True)]
            if centered:
                total += sum(each * each for each in change) - Fraction(sum(change) ** 2, cells)
            else:
                total += change[0] ** 2
        longest = max(longest, total)
    return longest


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("groups", "rows"), [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)])
@pytest.mark.parametrize("count", [3, 4])
def test_theorem_6_groups_cost_the_square_of_the_longest_change(
    neighbors: Neighbors, groups: int, rows: int, count: int
) -> None:
    mu = Fraction(3, 2)
    relation: Neighbors = "add-remove" if groups > 1 else neighbors
    for question in (winner("c", options(count)), ranking("c", options(count))):
        mechanism = mechanism_of(Asked(question, GaussianDP(mu), relation, rows))
        assert mechanism.name == "normal noise"
        own = longest_change(count, 1, rows, relation, centered=True)
        all_groups = longest_change(count, groups, rows, neighbors, centered=True)
        # The deviation is the length of the longest change of one group, divided by mu.
        assert mechanism.cost(groups, neighbors).mu_squared == mu**2 * all_groups / own
        with working_precision(100):
            deviation = mechanism.deviation()  # type: ignore[attr-defined]  # of normal noise
            assert deviation.overlaps((flint.arb(own.numerator) / own.denominator).sqrt() / flint.arb("1.5"))
        if groups > 1:
            expected = Fraction(2 * count, count - 1) if neighbors == "change-one" else 1
            assert all_groups / own == expected


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("groups", "rows"), [(1, 2), (2, 1), (2, 3), (3, 2)])
def test_theorem_6_groups_of_levels_cost_the_square_of_the_longest_change(
    neighbors: Neighbors, groups: int, rows: int
) -> None:
    mechanism = _level(GaussianDP("1/2"), rows)
    own = longest_change(2, 1, rows, "add-remove", centered=False)
    all_groups = longest_change(2, groups, rows, neighbors, centered=False)
    assert mechanism.cost(groups, neighbors).mu_squared == Fraction(1, 4) * all_groups / own
    assert all_groups / own == (2 if groups > 1 and neighbors == "change-one" else 1)


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_one_group_costs_what_one_answer_is_charged(neighbors: Neighbors) -> None:
    questions: Sequence[Question] = (
        winner("c", options(3)),
        ranking("c", options(3)),
        yes_no("c", equals="A", at_least=2),
    )
    for question, privacy, goal, rows in itertools.product(questions, NOTIONS, GOALS, (1, 3)):
        mechanism = mechanism_of(Asked(question, privacy, neighbors, rows), goal)
        assert mechanism.cost(1, neighbors) == Cost.of(mechanism.charged)
        assert mechanism.charged in (privacy, PureDP(1))
        assert (mechanism.charged == privacy) or mechanism.name in {"flip", "noisy order"}


@pytest.mark.parametrize(
    ("neighbors", "groups", "rows", "steps"),
    [
        ("add-remove", 4, 1, 1),
        ("add-remove", 4, 3, 3),
        ("add-remove", 2, 3, 2),
        ("change-one", 4, 1, 2),
        ("change-one", 9, 3, 6),
        ("change-one", 3, 3, 4),
    ],
)
def test_lines_cost_one_charge_for_every_step_that_one_person_makes(
    neighbors: Neighbors, groups: int, rows: int, steps: int
) -> None:
    mechanism = mechanism_of(Asked(winner("c", options(3)), PureDP(1), "add-remove", rows), "guarantee")
    assert mechanism.cost(groups, neighbors) == Cost.of(PureDP(1)).times(steps)
