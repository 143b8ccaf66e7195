# SPDX-License-Identifier: Apache-2.0
r"""Chances and draws follow the distribution of the paper, worked out here with floats alone.

The chances of an answer are compared to the last digits. Of one question, and of many groups, 4,000 answers
are drawn as well; before a release 20,000 of each.

As in `sampler_checks`: an event is drawn too often by t or more with probability at most exp(-2 n t^2), and
there are 2^k - 2 events, so a right release stays below t = sqrt(ln((2^k - 2) / 10^-6) / (2 n)) but for one
run in a million. A release that is off by t + sqrt(ln(10^3) / (2 n)) in total variation is found with
probability 0.999; for n = 20,000 and k = 3 that is 0.033, for n = 4,000 0.074.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rainbowdp as rdp
from bit_sources import ReplayBits
from rainbowdp.exact.enclosure import rounded
from rainbowdp.questions import BracketCounts, ClampedSum, MatchCount, OptionCounts, Question, Summary
from rainbowdp.questions.levels import Level
from rainbowdp.questions.measures import CountOf
from rainbowdp.release import Terms, answer
from rainbowdp.tables import open_table

FEWEST = 4_000


@pytest.fixture(params=[0, pytest.param(20_000, marks=pytest.mark.release)])
def asks(request: pytest.FixtureRequest) -> int:
    """Return how many answers are drawn, where it is not `FEWEST` at least."""
    return int(request.param)


class OwnLevel(Level):
    """A question that was derived, so that its boundary can be chosen."""


Step = Callable[[float], float]


def odds_step(epsilon: float, delta: float = 0.0) -> Step:
    odds = math.exp(epsilon)
    return lambda mass: min(1.0, odds * mass + delta, 1 - (1 - mass - delta) / odds)


def normal_step(mu: float) -> Step:
    normal = NormalDist()
    return lambda mass: normal.cdf(normal.inv_cdf(mass) + mu)


def moved(
    classes: Sequence[Sequence[str]], boundary: dict[str, float], step: Step, distance: int
) -> dict[str, float]:
    """Return the probabilities at a distance: prefix masses move step by step, tied answers keep shares."""
    found, before, before_moved = {}, 0.0, 0.0
    for at, tied in enumerate(classes):
        mass = before + sum(boundary[name] for name in tied)
        last = at == len(classes) - 1
        after = 1.0 if last else mass
        for _ in range(0 if last else distance):
            after = step(after)
        whole = mass - before
        for name in tied:
            found[name] = (after - before_moved) * boundary[name] / whole
        before, before_moved = mass, after
    return found


def response(names: Sequence[str], best: str, epsilon: float, delta: float = 0.0) -> dict[str, float]:
    """Return randomized response, solved by hand: best is e^epsilon times as likely, and delta more."""
    others = len(names) - 1
    worst = (1 - delta) / (math.exp(epsilon) + others)
    return {name: 1 - others * worst if name == best else worst for name in names}


def assert_drawn(found: Counter[object], ideal: Mapping[Any, float]) -> None:
    asks = sum(found.values())
    assert math.isclose(sum(ideal.values()), 1, rel_tol=1e-9)
    assert set(found) <= {name for name, chance in ideal.items() if chance > 0}
    threshold = math.sqrt(math.log((2 ** len(ideal) - 2) / 1e-6) / (2 * asks))
    off = sum(abs(found[name] / asks - chance) for name, chance in ideal.items()) / 2
    assert off < threshold
    # The test can tell the distribution from the one that is a step nearer to the boundary, or uniform.
    flat = sum(abs(found[name] / asks - 1 / len(ideal)) for name in ideal) / 2
    assert flat > threshold


def assert_released(
    terms: Terms, summary: Summary, ideal: Mapping[Any, float], asks: int, seed: int = 1
) -> None:
    """Compare the chances, and so many answers; all but the draw is done once for a hundred of them."""
    chances = terms.mechanism.at(summary).chances()
    assert {answer: rounded(chance) for answer, chance in chances.items()} == pytest.approx(ideal, abs=1e-9)
    bits, found = ReplayBits(seed), Counter[object]()
    for _ in range(asks // 100):
        first = answer(terms, summary, bits=bits)
        located = terms.located(summary)[""]
        found.update([first.answer, *(located.draw(bits) for _ in range(99))])
    if asks:
        assert_drawn(found, ideal)


def test_a_ranking_of_three_is_drawn_as_declared(asks: int) -> None:
    question = rdp.ranking("c", ["b", "a", "c"])
    counts = (12, 15, 6)
    # a, b, c: leads 15 - 12 - 1 (b wins ties) and 12 - 6.
    orders = [tuple(order) for order in itertools.permutations("abc")]
    names = [">".join(order) for order in orders]
    best = "a>b>c"
    ideal = moved(
        [[best], [name for name in names if name != best]], response(names, best, 0.75), odds_step(0.75), 2
    )
    by_order = {tuple(name.split(">")): chance for name, chance in ideal.items()}
    terms = Terms(question, rdp.PureDP("3/4"), goal="guarantee")
    assert_released(terms, OptionCounts(counts), by_order, asks)


def test_a_level_under_gaussian_privacy_is_drawn_as_declared(asks: int) -> None:
    question = OwnLevel("c", CountOf("x"), (Fraction(5), Fraction(20)), ("low", "mid", "high"))
    flat = dict.fromkeys(("low", "mid", "high"), 1 / 3)
    # 9 is 4 above 5.
    ideal = moved([["mid"], ["low", "high"]], flat, normal_step(0.4), 4)
    assert_released(
        Terms(question, rdp.GaussianDP("0.4"), boundary="uniform"), MatchCount(9, 90), ideal, asks
    )


def test_a_sum_whose_rows_may_count_for_nothing_is_drawn_as_declared(asks: int) -> None:
    question = rdp.yes_no("c", clamp=(2, 3), at_least=50)
    # A change moves the sum by 3 at most: from no readable row to a 3. 61 lies 11 above, 3 whole changes.
    ideal = moved([["yes"], ["no"]], response(["no", "yes"], "yes", 0.5, 0.02), odds_step(0.5, 0.02), 3)
    terms = Terms(question, rdp.ApproxDP("1/2", "1/50"), "change-one")
    assert_released(terms, ClampedSum(Fraction(61)), ideal, asks)


@pytest.mark.parametrize("seed", range(2))
def test_a_frame_of_many_groups_is_drawn_as_declared(seed: int, asks: int) -> None:
    # All groups have the same rows in another order, so that each of them draws from one distribution.
    random = np.random.default_rng(seed)
    names = [["red", "blue", "green", "black"], ["3", "1", "2"]][seed]
    counts = random.integers(1, 5, size=len(names))
    counts[random.integers(len(names))] += 4
    groups = 200
    cells = np.repeat(names, counts)
    frame = pd.DataFrame(
        {
            "c": np.concatenate([random.permutation(cells) for _ in range(groups)]),
            "g": np.repeat(np.arange(groups), cells.size),
            "id": np.tile(np.arange(cells.size), groups),
        }
    )
    second, first = sorted(counts)[-2:]
    best = int(np.argmax(counts))
    ideal = moved(
        [[names[best]], [name for name in names if name != names[best]]],
        dict.fromkeys(names, 1 / len(names)),
        odds_step(0.3),
        int(first - second),
    )
    privacy, towns = rdp.PureDP("0.3"), tuple(map(str, range(groups)))
    terms = Terms(rdp.winner("c", names), privacy, goal="guarantee", by="g", groups=towns)
    bits, found = ReplayBits(seed), Counter[object]()
    with open_table(frame) as table:
        found.update(answer(terms, table, bits=bits).answers.values())
        located = terms.located(table)
        for _ in range(max(asks, FEWEST) // groups - 1):
            found.update(at.draw(bits) for at in located.values())
    assert found.total() == max(asks, FEWEST)
    assert_drawn(found, ideal)


def test_the_median_of_a_frame_is_drawn_as_declared(asks: int) -> None:
    question: Question = rdp.bracket("age", edges=[18, 65])
    # n = 20, up to the middle 14, below it 5: 2 * 14 - 20 = 8, and 20 - 2 * 5 - 1 = 9.
    ideal = moved(
        [["18..<65"], ["<18", ">=65"]], response(question.answers, "18..<65", 0.25), odds_step(0.25), 8
    )
    assert_released(Terms(question, rdp.PureDP("1/4")), BracketCounts((5, 9, 6)), ideal, asks)


@pytest.mark.parametrize("seed", range(2))
def test_theorem_1_asks_follow_the_line_by_lead(seed: int, asks: int) -> None:
    privacies: tuple[rdp.PureDP, rdp.ApproxDP] = (rdp.PureDP("1/2"), rdp.ApproxDP("1/2", "1/50"))
    counts, delta = ((8, 6, 5), (5, 8, 5))[seed], (0.0, 0.02)[seed]
    names = ("b", "c", "a")
    best = names[counts.index(max(counts))]
    terms = Terms(
        rdp.winner("c", names), privacies[seed], ("add-remove", "change-one")[seed], goal="guarantee"
    )
    # A lead of 2 rows that join, and one of 3 where changed records move it by 2: one step and a rest.
    start = response(names, best, 0.5, delta) if seed else dict.fromkeys(names, 1 / 3)
    ideal = moved([[best], [name for name in names if name != best]], start, odds_step(0.5, delta), 2 - seed)
    assert_released(terms, OptionCounts(counts), ideal, asks, seed)
