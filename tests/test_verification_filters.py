# SPDX-License-Identifier: Apache-2.0
"""The float64 filters against exact numbers: no pair that fails is cleared, and every bound is one.

`check.FEW_PAIRS` is set to 0 here, so that the filters also look at a handful of pairs.
"""

import math
from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError
from rainbowdp.exact import NormalExpression, enclose, normal_cdf, normal_quantile, to_float
from rainbowdp.families import path
from rainbowdp.graph import DatasetGraph
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.privacy.verdict import Excess
from rainbowdp.verification import Verification, check, verify
from rainbowdp.verification.filters import (
    MASS_ABSOLUTE,
    QUANTILE_ABSOLUTE,
    QUANTILE_RELATIVE,
    nearest_bounds,
    odds_filter,
    stated_bounds,
    sum_slack,
)
from rainbowdp.verification.judge import RowKind, judge
from small_problems import (
    Edges,
    Row,
    fractions_of,
    graph_of,
    greatest_gaussian_excess,
    mechanism_of,
    path_edges,
    witness_of,
)

ULP = Fraction(1, 2**54)


def with_the_filter(
    mechanism: Mechanism, edges: Edges, privacy: Privacy, *, strict: bool = False, few: int = 0
) -> Verification:
    """Verify with the filter on every number of pairs above `few`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "FEW_PAIRS", few)
        return verify(mechanism, graph_of(mechanism.size, edges), privacy, strict=strict)


def named(values: list[Fraction]) -> Row:
    return {f"c{place:03}": value for place, value in enumerate(values)}


def hard_sums(seed: int) -> tuple[list[Row], Edges, ApproxDP]:
    """Return rows of hundreds of colors whose excess is a large number and many terms too small to add."""
    random = np.random.default_rng(seed)
    colors = int(random.integers(200, 400))
    large = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 3), Fraction(9, 10)][random.choice(4)]
    most = int(random.choice([50, 99, 99, 120]))
    sums, rows = [], []
    for _ in range(3):
        units = [Fraction(int(unit), 100) for unit in random.integers(most - 30, most, colors - 2)]
        terms = [2 * large * ULP * unit for unit in units]
        sums.append(large + sum(terms))
        values = [large, *terms]
        # The first addend of a sum decides what becomes of the others.
        if random.random() < 0.3:
            values.reverse()
        rows.append(named([*values, 1 - sums[-1]]))
    plain = named([Fraction(0)] * (colors - 1) + [Fraction(1)])
    delta = max(sums) + int(random.integers(-3, 4)) * ULP / 64
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (1, 4)]
    return [rows[0], plain, rows[1], plain, rows[2]], edges, ApproxDP("ln 2", delta)


@drawn(st.integers(0, 2**32))
@settings(max_examples=6)
def test_hundreds_of_colors_are_judged_exactly_and_every_bound_of_the_filter_holds(seed: int) -> None:
    rows, edges, privacy = hard_sums(seed)
    verification = with_the_filter(mechanism_of(rows), edges, privacy)
    floats = np.array([[to_float(value, "nearest") for value in row.values()] for row in rows])
    first, second = (np.array(side) for side in zip(*edges, strict=True))
    bounds = odds_filter(floats, nearest_bounds, privacy)(first, second)
    figures = [
        max(
            sum((max(p[c] - 2 * q[c], Fraction(0)) for c in p), Fraction(0))
            for p, q in ((rows[one], rows[other]), (rows[other], rows[one]))
        )
        for one, other in edges
    ]
    worst = max(figures) - privacy.delta
    assert verification.holds == (worst <= 0)
    if verification.witness is not None:
        assert verification.witness.excess == worst
    for place, figure in enumerate(figures):
        excess = figure - privacy.delta
        for low, exact, high in (
            (bounds.excess_low, excess, bounds.excess_high),
            (bounds.figure_low, figure, bounds.figure_high),
        ):
            assert Fraction(float(low[place])) <= exact <= Fraction(float(high[place]))
        assert bounds.maybe[place] or excess <= 0
        assert excess > 0 or not bounds.surely[place]


@drawn(
    st.lists(st.one_of(st.floats(0, 1), st.floats(0, 1e-300), st.just(2.0**-54), st.just(0.0)), max_size=1200)
)
def test_the_slack_of_a_sum_holds_in_any_order(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction(0))
    slack = sum_slack(len(values))
    for order in (values, sorted(values), sorted(values, reverse=True)):
        total = np.cumsum([0.0, *order])[-1]
        assert Fraction(float(total * (1 - slack))) <= exact <= Fraction(float(total * (1 + slack)))


@pytest.mark.parametrize("epsilon", ["709", "100000"])
@pytest.mark.parametrize("certain", [True, False])
def test_odds_beyond_all_floats_are_bounded_without_a_warning(epsilon: str, certain: bool) -> None:
    table = np.array([[1.0, 0.0], [0.5, 0.5] if certain else [1e-200, 1.0], [1.0, 0.0]])
    privacy = ApproxDP(epsilon, "1/10")
    for bounds_of in (nearest_bounds, stated_bounds):
        bounds = odds_filter(table, bounds_of, privacy)(np.array([0, 0]), np.array([1, 2]))
        # What is stated as 0 may be 1e-300, which these odds take beyond any probability.
        first = -0.1 if bounds_of is stated_bounds else 0.4 if certain else 0.9
        excess = np.array([first, -0.1])
        assert (bounds.excess_low <= excess).all()
        assert (bounds.excess_high >= excess).all()
        assert np.isfinite(bounds.figure_high).all()
    stated = Mechanism.from_table(["a>b"] * 3, table)
    for asked in (privacy, PureDP(epsilon)):
        assert verify(stated, graph_of(3, [(0, 1), (0, 2)]), asked).holds


@drawn(st.integers(0, 2**32), st.sampled_from(["1/10", "1", "1/1000", "5"]))
@settings(max_examples=8)
def test_gaussian_verification_with_the_filter_equals_brute_force(seed: int, mu: str) -> None:
    random = np.random.default_rng(seed)
    colors = int(random.integers(2, 5))
    rows: list[Row] = []
    for _ in range(6):
        weights = [
            Fraction(int(random.integers(900, 1000)), 10 ** int(random.choice([0, 0, 0, 3, 40, 310])))
            for _ in range(colors)
        ]
        if random.random() < 0.1:
            weights[0] = Fraction(0)
        rows.append(named([weight / sum(weights) for weight in weights]))
    verification = with_the_filter(mechanism_of(rows), path_edges(6), GaussianDP(mu))
    found = greatest_gaussian_excess(rows, path_edges(6), Fraction(mu), bits=3000)
    assert verification.holds == (found is None)
    if found is not None:
        witness = witness_of(verification)
        assert (int(witness.source), int(witness.target)) == found[1]


@drawn(
    st.sampled_from(["1/1000000", "1/10", "1", "5"]),
    st.sampled_from([Fraction(1, 10**200), Fraction(1, 10**9), Fraction(1, 5), Fraction(999, 1000)]),
    st.integers(6, 200),
    st.sampled_from([-1, 1]),
)
@settings(max_examples=25)
def test_masses_just_above_and_just_below_the_gaussian_limit_are_told_apart(
    mu: str, other: Fraction, digits: int, side: int
) -> None:
    limit = enclose(NormalExpression.shifted(other, Fraction(1), Fraction(mu)), 2000)[0]
    mass = limit + side * min(limit, 1 - limit) / 10**digits
    rows = [{"a": mass, "b": 1 - mass}, {"a": other, "b": 1 - other}]
    verification = with_the_filter(mechanism_of(rows), [(0, 1)], GaussianDP(mu))
    assert verification.holds == (side < 0)


def test_decimals_beyond_floats_are_positive_to_the_filter() -> None:
    tiny = Fraction(1, 10**400)
    rows = (Distribution({"a": tiny, "b": 1 - tiny}), Distribution({"a": 0, "b": 1}))
    mechanism = replace(mechanism_of(rows), precision="float64")
    assert mechanism.stated
    assert not with_the_filter(mechanism, [(0, 1)], PureDP(5), strict=True).holds
    assert verify(mechanism, graph_of(2, [(0, 1)]), PureDP(5)).upper == np.inf


def test_the_tight_mu_of_stated_rows_holds_for_thousands_of_colors() -> None:
    # The row sums to 1 + 9e-13. One half of it may be smaller by 1e-12, and then the other makes up for it.
    colors = 4000
    value = Fraction(1, colors) * (1 + Fraction(9, 10**13))
    table = np.array([[float(value)] * colors])
    rainbow = ">".join(f"c{place:04}" for place in range(colors))
    mechanism = Mechanism.from_table([rainbow], table, codes=np.array([0, 0]))
    least = sum(list(fractions_of(mechanism.rows[0]).values())[::2], Fraction(0)) * (1 - Fraction(1, 10**12))
    with flint.ctx.workprec(160):
        apart = normal_quantile(flint.arb((1 - least).numerator) / (1 - least).denominator) * 2
        assert apart > flint.arb("1e-14")
    verification = verify(mechanism, graph_of(2, [(0, 1)]), GaussianDP(1))
    assert apart <= flint.arb(verification.upper)
    assert verification.upper < 1e-11
    with pytest.raises(DistributionError):
        Mechanism.from_table([rainbow], table * (1 + 1e-12))


@pytest.mark.parametrize(
    ("own", "asked"),
    [
        (PureDP(30), PureDP(29)),
        (GaussianDP(1), GaussianDP("9/10")),
        (GaussianDP("1/4"), ApproxDP("1/5", "1/1000")),
        (PureDP("ln 2"), PureDP("ln(3/2)")),
    ],
    ids=str,
)
def test_irrational_rows_under_another_constraint_than_their_own_are_filtered(
    own: Privacy, asked: Privacy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tails that no float can hold stay finite: 40 steps under epsilon 30 or mu 1 leave e^-800 or less."""
    size = 42
    graph = path(size).rainbow_graph(["a>b>c", "c>b>a"], (np.arange(size) >= size - 2).astype(int))
    mechanism = optimal_mechanism(graph, own, "uniform")
    judged: list[Privacy] = []

    def counting(p: Distribution, q: Distribution, privacy: Privacy, kind: RowKind) -> Excess | None:
        judged.append(privacy)
        return judge(p, q, privacy, kind)

    with monkeypatch.context() as patch:
        patch.setattr(check, "judge", counting)
        for most in ("FEW_PAIRS", "_MOST_REFINED", "_MOST_REFINED_IRRATIONAL"):
            patch.setattr(check, most, 0)
        quick = verify(mechanism, graph, asked)
    assert len(judged) < size // 2
    monkeypatch.setattr(check, "FEW_PAIRS", size)
    slow = verify(mechanism, graph, asked)
    assert (quick.holds, quick.witness) == (slow.holds, slow.witness)
    assert quick.lower <= slow.upper
    assert slow.lower <= quick.upper
    assert 0 <= quick.upper - quick.lower <= 2e-9 * slow.upper + (2e-9 if quick.notion == "mu" else 0)


def test_a_figure_of_the_filter_alone_agrees_with_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line("a>b>c", {"a": "1/9", "b": "1/3", "c": "5/9"}, PureDP("ln 2"))
    mechanism, graph = mechanism_of([line.distribution(at) for at in range(9)]), path(9).structure
    for most in ("FEW_PAIRS", "_MOST_REFINED"):
        monkeypatch.setattr(check, most, 0)
    held = verify(mechanism, graph, PureDP("ln 2"))
    assert (held.holds, held.upper) == (True, math.nextafter(math.log(2), 1))
    # ln 2 = 0.6931471805599453094...
    below = verify(mechanism, graph, PureDP("0.6931471805599453"))
    assert (below.holds, below.lower) == (False, 0.6931471805599453)


def test_strict_gaussian_judgement_does_not_clear_what_it_cannot_decide() -> None:
    privacy = GaussianDP(1)
    limit = privacy.propagate(Fraction(1, 4))
    digits = 1300
    # The closest decimal above the limit, too close for 4096 bits to tell.
    above = Fraction(int(enclose(limit, 8192)[1] * 10**digits) + 1, 10**digits)
    texts = [[decimal(above, digits), decimal(1 - above, digits)], ["0.25", "0.75"]]
    mechanism = Mechanism.from_table(["a>b", "b>a"], np.array(texts, dtype=object), precision="float64")
    pair = DatasetGraph.from_pairs(2, [0], [1])
    assert verify(mechanism, pair, privacy).holds
    assert witness_of(verify(mechanism, pair, privacy, strict=True)).undecided


def test_scipy_keeps_within_a_thousandth_of_what_the_gaussian_filter_allows_it() -> None:
    # Common implementations change their rational approximation at the seams.
    seams = np.array([np.exp(-2), 1 - np.exp(-2), np.exp(-32), np.exp(-25), 0.075, 0.925, 0.5])
    beside = [*np.nextafter(seams, 0), *seams, *np.nextafter(seams, 1)]
    assert (ndtri(0.0), ndtri(1.0), ndtr(-np.inf), ndtr(np.inf)) == (-np.inf, np.inf, 0.0, 1.0)
    small = [math.ldexp(1.0, -power) for power in range(1, 1075)]
    middle = [index / 499 for index in range(1, 499)]
    masses = np.array([*beside, *small, *middle, *(1 - mass for mass in small[:53])])
    for mass, found in zip(masses.tolist(), ndtri(masses).tolist(), strict=True):
        with flint.ctx.workprec(256):
            exact = normal_quantile(flint.arb(mass))
            allowed = (QUANTILE_ABSOLUTE + QUANTILE_RELATIVE * abs(exact)) / 1000
            assert abs(exact - found) < allowed, mass
    points = np.linspace(-39, 9, 601)
    for point, found in zip(points.tolist(), ndtr(points).tolist(), strict=True):
        with flint.ctx.workprec(256):
            assert abs(normal_cdf(flint.arb(point)) - found) < MASS_ABSOLUTE / 1000, point


def decimal(value: Fraction, digits: int) -> str:
    """Return a fraction between 0 and 1 with this many decimals."""
    return f"0.{int(value * 10**digits):0{digits}}"
