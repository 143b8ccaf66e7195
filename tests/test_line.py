# SPDX-License-Identifier: Apache-2.0
"""The line and its inverse against the paper, independent vectors, published figures and linear programs."""

import json
import pickle
from fractions import Fraction
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from line_cases import fraction_boundaries, iterate, odds_lines, rainbows, rational_notions
from rainbowdp.distribution import Distribution, dominates, prefix_dominates
from rainbowdp.errors import ColorError, DistributionError, NumberError, UndecidedError
from rainbowdp.exact import NormalExpression, OddsExpression, sign
from rainbowdp.line import Line
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow
from small_problems import as_fraction, fractions_of

VECTORS = Path(__file__).parent / "vectors"
BRG = Rainbow.parse("blue>red>green")
EXAMPLE_1 = {"blue": "3/55", "red": "9/55", "green": "43/55"}
EXAMPLE_2 = {"blue": "9/55", "red": "3/55", "green": "43/55"}


def vectors(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((VECTORS / name).read_text(encoding="utf-8"))
    return cases


@pytest.mark.parametrize("case", vectors("lines.json") + vectors("ties.json"))
def test_independent_vectors_are_met_to_the_fraction(case: dict[str, Any]) -> None:
    privacy = ApproxDP(f"ln({case['odds']})", case["delta"])
    line = Line(Rainbow.parse(case["rainbow"]), Distribution(case["boundary"]), privacy)
    if "thresholds" in case:
        assert list(line.thresholds) == case["thresholds"]
    for distance, row in enumerate(case["rows"]):
        assert fractions_of(line.distribution(distance)) == {color: Fraction(x) for color, x in row.items()}
    if privacy.delta == 0:
        pure = Line(line.rainbow, line.boundary, PureDP(f"ln({case['odds']})"))
        assert pure.thresholds == line.thresholds
        assert pure.distribution(7) == line.distribution(7)


# The paper's formulas, written from its text. E is e^epsilon, a threshold floor({-ln(x (E+1))/epsilon + 1}+)
# the largest t with E^(t-1) x (E+1) <= 1.


def tau(mass: Fraction, odds: Fraction) -> int:
    t = 0
    while odds**t * mass * (odds + 1) <= 1:
        t += 1
    return t


def paper_blue(i: int, b0: Fraction, odds: Fraction) -> Fraction:
    tau_b = tau(b0, odds)
    if i <= tau_b:
        return odds**i * b0
    return 1 - odds ** (tau_b - i) + odds ** (2 * tau_b - i) * b0


def paper_red(i: int, b0: Fraction, r0: Fraction, odds: Fraction) -> Fraction:
    tau_b, tau_r = tau(b0, odds), tau(b0 + r0, odds)

    def mid(i: int) -> Fraction:
        return 1 - odds ** -(i - tau_r) - odds**i * b0 + odds ** -(i - 2 * tau_r) * (b0 + r0)

    if i <= tau_r:
        return odds**i * r0
    return mid(i) if i <= tau_b else odds ** -(i - tau_b) * mid(tau_b)


def paper_green(i: int, b0: Fraction, r0: Fraction, odds: Fraction) -> Fraction:
    tau_r = tau(b0 + r0, odds)
    if i <= tau_r:
        return 1 - odds**i * (b0 + r0)
    return odds ** -(i - tau_r) * (1 - odds**tau_r * (b0 + r0))


odds_strategy = st.fractions(Fraction(11, 10), 12, max_denominator=40)
weights = st.tuples(st.integers(1, 60), st.integers(0, 60), st.integers(0, 60))
distances = st.integers(0, 40)


@given(weights, odds_strategy, distances)
def test_theorem_4_theorem_5_and_corollary_1_three_colors(
    drawn: tuple[int, int, int], odds: Fraction, distance: int
) -> None:
    b0, r0, g0 = (Fraction(weight, sum(drawn)) for weight in drawn)
    line = Line(BRG, Distribution({"blue": b0, "red": r0, "green": g0}), PureDP(f"ln({odds})"))
    assert line.thresholds == (tau(b0, odds), tau(b0 + r0, odds))
    assert fractions_of(line.distribution(distance)) == {
        "blue": paper_blue(distance, b0, odds),
        "red": paper_red(distance, b0, r0, odds),
        "green": paper_green(distance, b0, r0, odds),
    }


@given(st.integers(1, 60), st.integers(0, 60), odds_strategy, distances)
def test_corollary_2_two_colors(blue: int, red: int, odds: Fraction, distance: int) -> None:
    b0 = Fraction(blue, blue + red)
    line = Line(Rainbow.parse("blue>red"), Distribution({"blue": b0, "red": 1 - b0}), PureDP(f"ln({odds})"))
    tau_b = tau(b0, odds)
    assert line.thresholds == (tau_b,)
    values = fractions_of(line.distribution(distance))
    assert values["blue"] == paper_blue(distance, b0, odds)
    if distance <= tau_b:
        assert values["red"] == 1 - odds**distance * b0
    else:
        assert values["red"] == odds ** -(distance - tau_b) * (1 - odds**tau_b * b0)


@pytest.mark.parametrize(
    ("boundary", "thresholds", "orders"),
    [
        (EXAMPLE_1, (12, 5), ["BRG"] * 6 + ["BGR"] * 3 + ["GBR"] * 3 + ["GRB"] * 48),
        (EXAMPLE_2, (6, 5), ["RBG"] * 6 + ["RGB"] * 54),
    ],
)
def test_examples_of_figure_2(
    boundary: dict[str, str], thresholds: tuple[int, int], orders: list[str]
) -> None:
    line = Line(BRG, Distribution(boundary), PureDP("ln(6/5)"))
    assert line.thresholds == thresholds
    for distance, order in enumerate(orders):
        values = fractions_of(line.distribution(distance))
        assert "".join(color[0].upper() for color in sorted(values, key=values.__getitem__)) == order


# Desfontaines, Voss and Gipson (2020): the probability to keep a partition with n people.
@pytest.mark.parametrize(
    ("epsilon", "delta", "published"),
    [
        ("0.5", "0.02", {1: 0.02, 6: 0.58840484458, 8: 0.86807080625, 15: 1.0}),
        (
            "ln(3/2)",
            "0.1",
            dict(enumerate([1 / 10, 1 / 4, 19 / 40, 43 / 60, 79 / 90, 133 / 135, 1.0], start=1)),
        ),
        ("ln 2", "0.1", dict(enumerate([0, 0.1, 0.3, 0.7, 0.9, 1.0]))),
    ],
)
def test_published_partition_selection(epsilon: str, delta: str, published: dict[int, float]) -> None:
    line = Line(
        Rainbow.parse("keep>drop"), Distribution({"keep": "0", "drop": "1"}), ApproxDP(epsilon, delta)
    )
    table = line.probabilities(list(published))
    assert table[:, 1] == pytest.approx(list(published.values()), abs=1e-10, rel=0)
    certain = min(people for people, kept in published.items() if kept == 1)
    assert line.distribution(certain)["keep"] == 1
    assert line.distance_for(1) is not None
    if epsilon != "0.5":
        assert line.distance_for(1) == certain


@given(st.data(), rational_notions, st.integers(0, 25))
def test_closed_form_equals_the_rule_applied_step_by_step(
    data: st.DataObject, privacy: ApproxDP, distance: int
) -> None:
    rainbow = data.draw(rainbows())
    boundary = data.draw(fraction_boundaries(rainbow.colors))
    line = Line(rainbow, boundary, privacy)
    masses = list(map(as_fraction, boundary.prefix_masses(rainbow)[:-1]))
    expected = (*iterate(masses, as_fraction(privacy.odds), privacy.delta, distance), Fraction(1))
    assert line.prefix_masses(distance) == expected
    symbolic = line.prefix_masses(distance, symbolic=True)
    assert all(mass == value for mass, value in zip(symbolic, expected, strict=True))
    values, bottom = fractions_of(line.distribution(distance)), Fraction(0)
    for top, tied in zip(expected, rainbow.classes, strict=True):
        at_boundary = [fractions_of(boundary)[color] for color in tied]
        # A class without mass at the boundary is shared equally.
        shares = at_boundary if any(at_boundary) else [Fraction(1)] * len(tied)
        found = [values[color] for color in tied]
        assert found == [(top - bottom) * share / sum(shares) for share in shares]
        bottom = top


@settings(max_examples=20)
@given(
    st.data(),
    st.sampled_from(["1", "3/2", "2", "5"]),
    st.sampled_from(["0", "1/20", "1/3"]),
    st.integers(2, 5),
)
def test_no_private_mechanism_has_larger_prefix_masses(
    data: st.DataObject, odds: str, delta: str, length: int
) -> None:
    """A linear program over all events: the oracle of optimality, for every prefix and distance."""
    from scipy.optimize import linprog

    rainbow = data.draw(rainbows(most=4))
    boundary = data.draw(fraction_boundaries(rainbow.colors))
    line = Line(rainbow, boundary, ApproxDP(f"ln({odds})", delta))
    colors, ratio = rainbow.colors, float(Fraction(odds))
    size = (length + 1) * len(colors)
    unknown = np.eye(size).reshape(length + 1, len(colors), size)
    events = chain.from_iterable(combinations(range(len(colors)), n) for n in range(1, len(colors)))
    rows = []
    for event in events:
        mass = unknown[:, list(event)].sum(axis=1)
        rows += [*(mass[:-1] - ratio * mass[1:]), *(mass[1:] - ratio * mass[:-1])]
    first = [float(fractions_of(boundary)[color]) for color in colors]
    table = line.probabilities(range(length + 1))
    prefix: list[int] = []
    for group in rainbow.classes[:-1]:
        prefix += [colors.index(color) for color in group]
        goal = unknown[1:, prefix].sum(axis=(0, 1))
        solved = linprog(
            -goal,
            A_ub=np.array(rows),
            b_ub=np.full(len(rows), float(Fraction(delta))),
            A_eq=np.concatenate([unknown.sum(axis=1), unknown[0]]),
            b_eq=[*[1.0] * (length + 1), *first],
            method="highs",
        )
        assert solved.x is not None
        assert goal @ solved.x == pytest.approx(goal @ table.ravel(), abs=1e-7)


@given(odds_lines(), st.integers(0, 60))
def test_neighbors_on_a_line_are_admitted_exactly(
    drawn: tuple[Rainbow, Distribution, PureDP | ApproxDP], distance: int
) -> None:
    line = Line(*drawn)
    here, there = line.distribution(distance), line.distribution(distance + 1)
    assert line.privacy.admits(here, there)
    assert prefix_dominates(there, here, line.rainbow)
    assert dominates(there, here, line.rainbow)


@pytest.mark.parametrize(
    ("privacy", "smaller"),
    [
        (PureDP("ln 2"), PureDP("ln(1999999/1000000)")),
        (PureDP("1"), PureDP("0.999999999999")),
        (ApproxDP("1", "1/100"), ApproxDP("1", "0.0099999999999")),
        (GaussianDP("1"), GaussianDP("0.999999999999")),
    ],
)
def test_the_constraint_is_tight_at_every_step(privacy: Privacy, smaller: Privacy) -> None:
    line = Line(BRG, Distribution(EXAMPLE_1), privacy)
    for distance in range(4):
        here, there = line.distribution(distance), line.distribution(distance + 1)
        assert privacy.admits(here, there)
        assert not smaller.admits(here, there)


def test_gaussian_ties_need_rational_proportions_and_prefixes_one_normal_term() -> None:
    part = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(1))
    even = Line("a=b>c", {"a": part / 2, "b": part / 2, "c": 1 - part}, GaussianDP(1))
    assert even.distribution(0)["a"] == part / 2
    uneven = Line("a=b>c", {"a": part / 3, "b": 2 * part / 3, "c": 1 - part}, GaussianDP(1))
    with pytest.raises(DistributionError, match="unlike irrational probabilities"):
        uneven.distribution(0)
    with pytest.raises(UndecidedError, match="no closed form"):
        Line("a>b>c", even.boundary, GaussianDP(1)).distribution(1)


def test_gaussian_line_follows_the_normal_distribution() -> None:
    line = Line(BRG, Distribution(EXAMPLE_1), GaussianDP("1/2"))
    assert not line.has_thresholds
    assert line.thresholds == ()
    masses = line.prefix_masses(3)
    assert masses[0] == NormalExpression.shifted(Fraction(3, 55), Fraction(3), Fraction(1, 2))
    assert sign(sum(line.distribution(3).values(), Fraction(0)) - 1) == 0


def test_a_boundary_of_another_privacy_parameter_is_refused() -> None:
    t = OddsExpression.odds(Fraction(2))
    normal = NormalExpression.shifted(Fraction(1, 2), Fraction(1), Fraction(1))
    assert Line("a>b", {"a": t / (t + 1), "b": 1 / (t + 1)}, PureDP(2)).thresholds == (0,)
    with pytest.raises(ColorError, match=r"no probability for b.*unknown colors c"):
        Line("a>b", {"a": "1/2", "c": "1/2"}, PureDP(1))
    others: list[Privacy] = [PureDP(1), GaussianDP(2)]
    for share, privacy in product((t / (t + 1), normal), others):
        with pytest.raises(DistributionError, match="does not belong to"):
            Line("a>b", {"a": share, "b": 1 - share}, privacy)


def test_billions_of_steps_stay_a_short_expression() -> None:
    line = Line(BRG, Distribution(EXAMPLE_1), PureDP("ln(6/5)"))
    rest = 1 - line.prefix_masses(10**9, symbolic=True)[0]
    assert sign(rest) > 0
    near = Line("a>b", {"a": "1/10", "b": "9/10"}, PureDP("ln 2"))
    with pytest.raises(NumberError, match="too many digits"):
        near.distribution(2**70)
    assert near.distribution(2**70, symbolic=True)["a"] > Fraction(1, 2)


def test_a_line_is_a_value() -> None:
    line = Line(BRG, Distribution(EXAMPLE_1), PureDP("ln(6/5)"))
    assert line.probabilities([4]).shape == (1, 3)
    copy = pickle.loads(pickle.dumps(line))  # noqa: S301  # the test's own bytes
    assert copy == line
    assert np.array_equal(copy.probabilities([4]), line.probabilities([4]))
    with pytest.raises(AttributeError):
        line.privacy = PureDP(1)  # type: ignore[misc]  # frozen, which is the point


# The inverse of the closed form: the least distance at which the best class reaches a wanted probability.


def two_answers(mass: Fraction | str, privacy: Privacy) -> Line:
    return Line("yes>no", {"yes": mass, "no": 1 - Fraction(mass)}, privacy)


@given(
    rational_notions,
    st.fractions(0, 1, max_denominator=200),
    st.one_of(st.sampled_from([Fraction(1), Fraction(1, 2)]), st.fractions(0, 1, max_denominator=1000)),
)
def test_least_distance_equals_a_search_step_by_step(
    privacy: ApproxDP, mass: Fraction, wanted: Fraction
) -> None:
    found = two_answers(mass, privacy).distance_for(wanted)
    current, steps = [mass], 0
    while current[0] < wanted and steps < 150:
        current, steps = iterate(current, as_fraction(privacy.odds), privacy.delta, 1), steps + 1
    if current[0] >= wanted:
        assert found == steps
    else:
        assert found is None or found > 150


@given(
    rational_notions,
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
    st.integers(1, 30),
)
def test_a_probability_that_is_met_exactly_is_reached_there(
    privacy: ApproxDP, mass: Fraction, distance: int
) -> None:
    here = two_answers(mass, privacy)
    met, before = (as_fraction(here.distribution(at)["yes"]) for at in (distance, distance - 1))
    assert here.distance_for(met) == (distance if before != met else here.distance_for(before))
    if met < 1:
        above = here.distance_for(met + (1 - met) / 10**60)
        assert above is None or above > distance


@pytest.mark.parametrize(
    ("mass", "privacy", "wanted"),
    [
        ("1/2", PureDP("1e-9"), "0.99"),
        ("1e-300", PureDP("1e-12"), "1/3"),
        ("1/4", PureDP("ln(1000000001/1000000000)"), "0.999"),
        ("0", ApproxDP("1e-9", "1e-15"), "0.9"),
        ("0", ApproxDP("0", "1e-18"), "1/3"),
        ("1/4", ApproxDP("1e-20", "1e-30"), "1"),
        ("1/4", GaussianDP("1e-10"), "0.999"),
        ("1e-100", GaussianDP("1e-25"), "1/7"),
    ],
)
def test_huge_answers_are_exact(mass: str, privacy: Privacy, wanted: str) -> None:
    here = two_answers(mass, privacy)
    found = here.distance_for(wanted)
    assert found is not None
    assert found > 10**8
    target = Fraction(wanted)
    assert sign(here.prefix_masses(found, symbolic=True)[0] - target) >= 0
    assert sign(here.prefix_masses(found - 1, symbolic=True)[0] - target) < 0


@pytest.mark.parametrize(
    ("mass", "privacy", "wanted"),
    [
        ("0", PureDP(1), "1/2"),
        ("1/2", PureDP(1), "1"),
        ("1/2", PureDP(0), "0.6"),
        ("1/2", ApproxDP("1", "0"), "1"),
        ("1/2", ApproxDP("0", "0"), "0.6"),
        ("1/2", GaussianDP(0), "0.6"),
        ("0", GaussianDP(1), "1e-9"),
        ("1/2", GaussianDP(1), "1"),
    ],
)
def test_never(mass: str, privacy: Privacy, wanted: str) -> None:
    assert two_answers(mass, privacy).distance_for(wanted) is None


def test_gaussian_equality_by_form_is_decided() -> None:
    below = NormalExpression.shifted(Fraction(1, 2), Fraction(-1), Fraction(1))
    here = Line("yes>no", {"yes": below, "no": 1 - below}, GaussianDP(1))
    assert here.distance_for("1/2") == 1
    quarter = NormalExpression.shifted(Fraction(1, 4), Fraction(2), Fraction(1))
    there = Line("yes>no", {"yes": 1 - quarter, "no": quarter}, GaussianDP(1))
    assert there.distance_for("3/4") == 2
