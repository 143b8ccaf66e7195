# SPDX-License-Identifier: Apache-2.0
"""The rival mechanisms, by score or noisy counts: against permutations, direct sums and published relations.

What counts as fair under each relation is not taken from the literature alone: every pair of neighboring
small histograms is checked, and an accounting that leaves out the factor 2 under change-one is caught.
"""

import decimal
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

import flint
import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goal_oracles import Counts, everywhere, noisy_counts, pairs_of_neighbors, shared_by_coins, worst_ratio
from rainbowdp.baselines import (
    exponential,
    exponential_mechanism,
    exponential_wrong,
    geometric,
    noisy_counts_wrong,
    permute_and_flip,
    permute_and_flip_mechanism,
    permute_and_flip_wrong,
)
from rainbowdp.distribution import Distribution
from rainbowdp.errors import NumberError, QuestionError, UndecidedError, UsageError
from rainbowdp.exact import Exponent, Log, OddsExpression, ball, enclose, enclose_with
from rainbowdp.exact.enclosure import EnclosedNumber, Value, odds_root
from rainbowdp.families import path
from rainbowdp.graph import RainbowGraph
from rainbowdp.line import Line
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import PureDP
from rainbowdp.rainbow import Rainbow
from rainbowdp.verification import verify

ODDS = st.fractions(min_value=Fraction(11, 10), max_value=4, max_denominator=12)
SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=5)


def fractions_of(values: Sequence[Value]) -> list[Fraction]:
    found = []
    for value in values:
        assert isinstance(value, Fraction)
        found.append(value)
    return found


@given(SCORES, ODDS, st.booleans())
def test_permute_and_flip_is_the_mean_over_all_permutations(
    scores: list[int], odds: Fraction, monotone: bool
) -> None:
    epsilon = Log(odds if monotone else odds**2)
    weights = [odds ** (score - max(scores)) for score in scores]
    found = fractions_of(permute_and_flip_mechanism(scores, epsilon, monotone=monotone))
    assert found == shared_by_coins(weights)
    assert sum(found) == 1


@given(SCORES, ODDS, st.booleans())
def test_the_exponential_mechanism_is_proportional_to_powers(
    scores: list[int], odds: Fraction, monotone: bool
) -> None:
    epsilon = Log(odds if monotone else odds**2)
    powers = [odds**score for score in scores]
    found = fractions_of(exponential_mechanism(scores, epsilon, monotone=monotone))
    assert found == [power / sum(powers) for power in powers]


@given(SCORES, ODDS)
def test_scores_and_sensitivity_may_be_scaled_together(scores: list[int], odds: Fraction) -> None:
    scaled = [Fraction(score) * Fraction(3, 7) for score in scores]
    for mechanism in (exponential_mechanism, permute_and_flip_mechanism):
        plain = mechanism(scores, Log(odds), monotone=True)
        assert mechanism(scaled, Log(odds), sensitivity="3/7", monotone=True) == plain
        assert mechanism(scores, Log(odds), sensitivity="1/2") == plain


@given(SCORES, ODDS)
def test_permute_and_flip_is_never_wrong_more_often_and_at_best_half_as_often(
    scores: list[int], odds: Fraction
) -> None:
    best = scores.index(max(scores))
    if scores.count(max(scores)) > 1:
        return
    (ours, theirs) = (
        1 - fractions_of(mechanism(scores, Log(odds), monotone=True))[best]
        for mechanism in (permute_and_flip_mechanism, exponential_mechanism)
    )
    assert theirs / 2 <= ours <= theirs


def worst_of(pairs: Iterable[tuple[Sequence[Value], Sequence[Value]]]) -> Fraction:
    """Return the largest ratio of the probabilities of one answer at two neighbors, in either direction."""
    both = [(fractions_of(one), fractions_of(other)) for one, other in pairs]
    return max(max(worst_ratio(one, other), worst_ratio(other, one)) for one, other in both)


@pytest.mark.parametrize("mechanism", [exponential_mechanism, permute_and_flip_mechanism])
def test_counts_are_private_under_each_relation_with_the_stated_accounting(mechanism: object) -> None:
    assert callable(mechanism)
    epsilon, odds, most = Log(Fraction(9, 4)), Fraction(9, 4), 5
    monotone = {counts: mechanism(counts, epsilon, monotone=True) for counts in everywhere(3, most)}
    halved = {counts: mechanism(counts, epsilon) for counts in monotone}

    def worst(chances: dict[Counts, tuple[Value, ...]], changed: bool) -> Fraction:
        pairs = pairs_of_neighbors(3, most, 1, changed)
        return worst_of((chances[one], chances[other]) for one, other in pairs)

    # The whole of epsilon is used: with any larger weight the bound would be broken.
    assert Fraction(4, 5) * odds < worst(monotone, changed=False) <= odds
    assert Fraction(4, 5) * odds < worst(halved, changed=True) <= odds
    # Without the factor 2, changing one record would cost more than epsilon.
    assert worst(monotone, changed=True) > odds


def test_a_score_against_a_constant_needs_no_factor_two_under_any_relation() -> None:
    odds, epsilon = Fraction(4), Log(Fraction(4))
    for mechanism in (exponential_mechanism, permute_and_flip_mechanism):
        chances = [mechanism([count, Fraction(7, 2)], epsilon, monotone=True) for count in range(9)]
        assert worst_of(itertools.pairwise(chances)) <= odds


@given(st.integers(1, 20), st.integers(1, 8), ODDS)
def test_equal_rivals_are_the_whole_distribution_seen_as_right_or_wrong(
    gap: int, rivals: int, odds: Fraction
) -> None:
    scores, root = [gap] + [0] * rivals, odds_root(Log(odds), 1)
    right = permute_and_flip_mechanism(scores, Log(odds), monotone=True)[0]
    assert permute_and_flip_wrong(root, gap, rivals) == 1 - right
    right = exponential_mechanism(scores, Log(odds), monotone=True)[0]
    assert exponential_wrong(root, gap, rivals) == 1 - right


def test_many_rivals_are_enclosed_and_agree_with_the_polynomial() -> None:
    root = odds_root(Fraction(1, 2), 1)
    for rivals in (17, 40, 400):
        value = permute_and_flip_wrong(root, 6, rivals)
        assert isinstance(value, EnclosedNumber)
        lower, upper = enclose_with(value.evaluate, 80)
        y = math.exp(-3)
        direct = 1 - sum((1 - y) ** i for i in range(rivals + 1)) / (rivals + 1)
        assert float(lower) == pytest.approx(direct, rel=1e-12)
        assert upper - lower < Fraction(1, 2**79)


@given(st.integers(0, 30), ODDS)
def test_for_a_majority_under_change_one_ours_is_wrong_cosh_times_less_often(
    d: int, root_of_odds: Fraction
) -> None:
    """Among n odd records each change moves the lead by 2, so a lead of 2 d + 1 has the distance d."""
    privacy = PureDP(Log(root_of_odds**2))
    response = 1 / (1 + root_of_odds**2)
    line = Line(Rainbow.parse("a>b"), Distribution({"a": 1 - response, "b": response}), privacy)
    ours = 1 - line.prefix_masses(d)[0]
    theirs = permute_and_flip_mechanism([2 * d + 1, 0], privacy.epsilon)[1]
    cosh = (root_of_odds + 1 / root_of_odds) / 2
    assert theirs == cosh * ours


def test_the_same_holds_where_the_odds_are_transcendental() -> None:
    for d in (0, 1, 7, 1000):
        root = OddsExpression.odds(Fraction(1, 4))
        theirs = permute_and_flip_mechanism([2 * d + 1, 0], "1/2")[1]
        ours = 1 / (root**2 + 1) / root ** (2 * d)
        assert theirs == ours * (root + 1 / root) / 2


def test_irrational_roots_of_rational_odds_are_told_from_each_other_and_from_fractions() -> None:
    best, other = permute_and_flip_mechanism([1, 0], "ln 2")
    assert isinstance(other, OddsExpression)
    assert other * other == Fraction(1, 8)
    assert other < Fraction(36, 100) < best
    assert odds_root(Log(Fraction(8)), 3) == Fraction(2)
    assert (other - other).sign() == 0
    assert best + other == 1


def test_enclosed_numbers_calculate() -> None:
    root = EnclosedNumber(lambda: flint.arb(2).sqrt())
    with pytest.raises(UndecidedError):
        (root - root).sign()
    assert abs(float(enclose_with((root**3 / 2).evaluate, 60)[0]) - math.sqrt(2)) < 1e-15
    third = root * -1 + OddsExpression.odds(Fraction(1))
    assert OddsExpression.odds(Fraction(1)) - root < Fraction(131, 100)
    assert Fraction(130, 100) < third < Fraction(131, 100)
    assert (root / 3 * 3 - Fraction(141, 100)).sign() == 1
    assert (1 - root).sign() == -1
    assert -root < 0
    for operation in (operator.add, operator.mul, operator.truediv):
        with pytest.raises(TypeError):
            operation(root, "a")
        with pytest.raises(TypeError):
            operation("a", root)


def test_epsilon_zero_is_guessing() -> None:
    assert permute_and_flip_mechanism([5, 1, 1], 0) == (Fraction(1, 3),) * 3
    assert exponential_mechanism([5, 1], 0) == (Fraction(1, 2),) * 2
    assert permute_and_flip_wrong(Fraction(1), 9, 3) == Fraction(3, 4)


@pytest.mark.parametrize("mechanism", [exponential_mechanism, permute_and_flip_mechanism])
def test_wrong_scores_are_refused(mechanism: object) -> None:
    assert callable(mechanism)
    with pytest.raises(QuestionError, match="no score"):
        mechanism([], 1)
    with pytest.raises(QuestionError, match="sensitivity is 0"):
        mechanism([1, 2], 1, sensitivity=0)
    for epsilon in (-1, "ln(1/2)"):
        with pytest.raises(NumberError, match="negative"):
            mechanism([1, 2], epsilon)


def own_graph() -> RainbowGraph:
    """Return a cycle with a chord and a component of one region, so that an answer is out of reach there."""
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (6, 7)]
    rainbows = ["a>b>c", "a>b>c", "b=c>a", "b>a>c", "c>a>b", "c>a>b", "a>c>b", "a>c>b"]
    source, target = zip(*pairs, strict=True)
    return RainbowGraph.from_arrays(source, target, rainbows, list("stuvwxyz"))


def steps_by_hand(graph: RainbowGraph, dataset: int, color: str) -> float:
    network = graph.to_networkx()
    names = list(graph)
    ends = [name for name, text in network.nodes(data="rainbow") if color in Rainbow.of(text).classes[0]]
    lengths = nx.single_source_shortest_path_length(network, names[dataset])
    return min((lengths[end] for end in ends if end in lengths), default=math.inf)


@pytest.mark.parametrize("epsilon", ["ln 4", "1", "1/3"])
def test_choices_by_steps_on_a_graph_are_those_of_the_formulas(epsilon: str) -> None:
    graph, size = own_graph(), {"ln 4": math.log(4), "1": 1.0, "1/3": 1 / 3}[epsilon]
    chosen, flipped = exponential(graph, PureDP(epsilon)), permute_and_flip(graph, PureDP(epsilon))
    for mechanism in (chosen, flipped):
        assert verify(mechanism, graph, PureDP(epsilon))
    for dataset, name in enumerate(graph):
        weights = {color: math.exp(-size * steps_by_hand(graph, dataset, color) / 2) for color in "abc"}
        want = {color: weight / sum(weights.values()) for color, weight in weights.items()}
        assert chosen[name].to_floats() == pytest.approx(want)
        # Where an answer is out of reach, its weight is 0.
        listed = [Fraction(weight) for weight in weights.values()]
        first = dict(zip("abc", map(float, shared_by_coins(listed)), strict=True))
        assert flipped[name].to_floats() == pytest.approx(first)


def test_the_geometric_mechanism_crosses_the_boundary_as_often_as_its_noise() -> None:
    graph = path(9).rainbow_graph(["a>b", "b>a"], [0, 0, 0, 0, 1, 1, 1, 1, 1])
    made = geometric(graph, PureDP("ln 3"))
    assert verify(made, graph, PureDP("ln 3"))
    # P(Z >= z) of two-sided geometric noise with the ratio 1/3, summed.
    tails = {z: sum(0.5 * 3.0**-step for step in range(z, 60)) for z in range(1, 6)}
    for dataset, name in enumerate(graph):
        inside, right = (4 - dataset, "a") if dataset < 4 else (dataset - 3, "b")
        assert float(1 - made[name][right]) == pytest.approx(tails[inside])
    # Of two answers it is the optimum for the boundary of randomized response.
    assert made == optimal_mechanism(graph, PureDP("ln 3"), "randomized-response")
    with pytest.raises(UsageError, match="two answers"):
        geometric(own_graph(), PureDP(1))


def wrong_by_summing(ratio: Decimal, steps: int, rivals: int, size: int) -> Decimal:
    """Add up how often a rival is named, over all noise of the best option up to a size."""

    def at_most(level: int) -> Decimal:
        return 1 - ratio ** (level + 1) / (1 + ratio) if level >= 0 else ratio**-level / (1 + ratio)

    total = Decimal(0)
    for noise in range(-size, size + 1):
        level = noise + steps
        tie = at_most(level) - at_most(level - 1)
        right = sum(
            math.comb(rivals, tied) * tie**tied * at_most(level - 1) ** (rivals - tied) / (tied + 1)
            for tied in range(rivals + 1)
        )
        total += (at_most(noise) - at_most(noise - 1)) * (1 - right)
    return total


def enclosed(value: Value, bits: int = 200) -> tuple[Fraction, Fraction]:
    return enclose_with(value.evaluate, bits) if isinstance(value, EnclosedNumber) else enclose(value, bits)


@pytest.mark.parametrize("rivals", [1, 2, 3, 10])
@pytest.mark.parametrize("odds", [Fraction(2), Fraction(3, 2), Fraction(12)])
def test_noisy_counts_of_rational_odds_agree_with_geometric_series(odds: Fraction, rivals: int) -> None:
    for steps in (0, 1, 2, 7):
        found = noisy_counts_wrong(odds_root(Log(odds), 1), steps, rivals)
        lower, upper = enclosed(found)
        assert lower <= 1 - noisy_counts((steps, *[0] * rivals), 1 / odds)[0] <= upper
        assert isinstance(found, Fraction if steps == 0 or rivals == 1 else EnclosedNumber)


@pytest.mark.parametrize(("rivals", "steps"), [(1, 2), (3, 0), (3, 7), (10, 1)])
@pytest.mark.parametrize(
    ("epsilon", "parts", "size"),
    [(Fraction(1), 1, 60), (Fraction(1, 2), 3, 360), (Log(Fraction(2)), 2, 180), (Fraction(9), 1, 8)],
)
def test_noisy_counts_of_irrational_odds_agree_with_a_sum_of_decimals(
    epsilon: Exponent, parts: int, size: int, rivals: int, steps: int
) -> None:
    with decimal.localcontext(prec=60):
        rate = (
            Decimal(epsilon.argument.numerator).ln()
            if isinstance(epsilon, Log)
            else Decimal(epsilon.numerator) / epsilon.denominator
        )
        expected = Fraction(wrong_by_summing((-rate / parts).exp(), steps, rivals, size))
    lower, upper = enclosed(noisy_counts_wrong(odds_root(epsilon, parts), steps, rivals))
    assert abs((lower + upper) / 2 - expected) < Fraction(1, 10**24)


def test_noisy_counts_of_one_rival_are_a_rational_function_of_the_root() -> None:
    root = odds_root(Fraction(1), 1)
    wrong = noisy_counts_wrong(root, 2, 1)
    assert isinstance(wrong, OddsExpression)
    assert wrong == (3 * root - 1) / (2 * root**2 * (root + 1))
    assert noisy_counts_wrong(odds_root(Log(Fraction(2)), 2), 2, 1) != Fraction(1, 4)
    hidden = noisy_counts_wrong(EnclosedNumber(lambda: ball(2)), 3, 1)
    assert isinstance(hidden, EnclosedNumber)
    assert enclosed(hidden)[0] <= Fraction(1, 8) <= enclosed(hidden)[1]


@pytest.mark.parametrize("rivals", [1, 10, 1023])
def test_noisy_counts_at_a_tie_and_without_privacy_loss_all_are_equally_likely(rivals: int) -> None:
    assert noisy_counts_wrong(odds_root(Fraction(1), 1), 0, rivals) == Fraction(rivals, rivals + 1)
    assert noisy_counts_wrong(Fraction(1), 5, rivals) == Fraction(rivals, rivals + 1)


@pytest.mark.parametrize("rivals", [1, 2, 10, 200])
def test_noisy_counts_of_a_larger_gap_are_wrong_less_often_and_more_rivals_are_more_often(
    rivals: int,
) -> None:
    root = odds_root(Fraction(1, 3), 1)
    chances = [enclosed(noisy_counts_wrong(root, steps, rivals)) for steps in range(9)]
    assert all(after[1] < before[0] for before, after in itertools.pairwise(chances))
    assert (
        enclosed(noisy_counts_wrong(root, 4, rivals))[1]
        < enclosed(noisy_counts_wrong(root, 4, rivals + 1))[0]
    )


def test_a_root_that_is_known_by_enclosures_or_as_a_fraction_gives_the_same() -> None:
    makers: list[Callable[[], Value]] = [
        lambda: noisy_counts_wrong(EnclosedNumber(lambda: ball(Fraction(2))), 3, 5),
        lambda: noisy_counts_wrong(Fraction(2), 3, 5),
        lambda: noisy_counts_wrong(odds_root(Log(Fraction(2)), 1), 3, 5),
    ]
    found = [enclosed(make()) for make in makers]
    assert max(lower for lower, _ in found) <= min(upper for _, upper in found)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Log(Fraction(2))])
def test_noisy_counts_of_a_thousand_rivals_are_enclosed_at_once(epsilon: Exponent) -> None:
    asked, root = 0, odds_root(epsilon, 1)
    value = noisy_counts_wrong(root, 20, 1023)
    assert isinstance(value, EnclosedNumber)

    def evaluate() -> flint.arb:
        nonlocal asked
        asked += 1
        return value.evaluate()

    lower, upper = enclose_with(evaluate, 60)
    assert asked == 1
    assert Fraction(0) < lower <= upper < Fraction(1023, 1024)


def test_a_small_chance_of_noisy_counts_keeps_its_digits() -> None:
    value = noisy_counts_wrong(odds_root(Fraction(1), 1), 5000, 30)
    assert isinstance(value, EnclosedNumber)
    assert value.evaluate().rel_accuracy_bits() > 40
    # So far away, no two rivals are above the best option at once.
    ratio = value / noisy_counts_wrong(odds_root(Fraction(1), 1), 5000, 1)
    assert Fraction(299, 10) < ratio < 30
