# SPDX-License-Identifier: Apache-2.0
"""Gaussian privacy: the trade-off curve, and the check against all events by scipy."""

from fractions import Fraction
from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from scipy.stats import norm

from line_cases import fraction_boundaries
from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import NormalExpression, OddsExpression, enclose, to_float
from rainbowdp.line import Line
from rainbowdp.privacy import ApproxDP, GaussianDP, likelihood_events
from rainbowdp.rainbow import Rainbow

COLORS = ("a", "b", "c", "d")
masses = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)


@given(masses, st.integers(0, 5), st.sampled_from(["1", "1/3", "0.1"]))
def test_propagate_agrees_with_scipy(mass: Fraction, steps: int, mu: str) -> None:
    found = GaussianDP(mu).propagate(mass, steps)
    expected = float(norm.cdf(norm.ppf(float(mass)) + steps * float(Fraction(mu))))
    assert to_float(found, "nearest") == pytest.approx(expected, rel=1e-9)


def test_edge_cases_of_propagate() -> None:
    notion = GaussianDP(1)
    assert notion.propagate(Fraction(0), 5) == 0
    assert notion.propagate(Fraction(1), 5) == 1
    assert notion.propagate(Fraction(1, 3), 0) == GaussianDP(0).propagate(Fraction(1, 3), 7) == Fraction(1, 3)
    with pytest.raises(UndecidedError, match="no closed form"):
        notion.propagate(OddsExpression.odds(Fraction(1)) / 9)
    with pytest.raises(UndecidedError, match="another mu"):
        notion.propagate(NormalExpression.shifted(Fraction(1, 4), Fraction(1), Fraction(2)))


def excesses_by_scipy(
    p: Distribution, q: Distribution, mu: float
) -> dict[tuple[tuple[str, ...], bool], float]:
    """Return by how much each event of each row exceeds what the other row allows."""
    found: dict[tuple[tuple[str, ...], bool], float] = {}
    rows = [{color: to_float(row[color], "nearest") for color in COLORS} for row in (p, q)]
    for event in chain.from_iterable(combinations(COLORS, n) for n in range(1, len(COLORS))):
        masses = [min(sum(row[color] for color in event), 1.0) for row in rows]
        for swapped, (mass, other) in enumerate((masses, masses[::-1])):
            found[event, bool(swapped)] = mass - float(norm.cdf(norm.ppf(other) + mu))
    return found


@given(fraction_boundaries(COLORS), fraction_boundaries(COLORS), st.sampled_from(["1", "1/5", "3"]))
def test_admits_agrees_with_all_events_by_scipy(p: Distribution, q: Distribution, mu: str) -> None:
    excesses = excesses_by_scipy(p, q, float(Fraction(mu)))
    largest = max(excesses.values())
    verdict = GaussianDP(mu).admits(p, q)
    if largest > 1e-9:
        assert verdict.violation is not None
        found = verdict.violation
        assert excesses[found.event, found.swapped] == pytest.approx(largest, abs=1e-9)
        assert found.excess is not None
        assert to_float(found.excess, "nearest") == pytest.approx(largest, abs=1e-9)
        assert found.event == tuple(sorted(found.event))
    elif largest < -1e-9:
        assert verdict


@settings(max_examples=10)
@given(fraction_boundaries(COLORS), fraction_boundaries(COLORS), st.sampled_from(["1/5", "1/2", "2"]))
def test_the_greatest_excess_is_named_where_limits_have_no_exact_form(
    first: Distribution, second: Distribution, mu: str
) -> None:
    # Rows made for mu = 1 and 3/2 are judged under another mu, so that no limit has an exact form.
    p = Line("a>b>c>d", first, GaussianDP(1)).distribution(1)
    q = Line("d>c>b>a", second, GaussianDP("3/2")).distribution(1)
    try:
        for _ in chain(likelihood_events(p, q), likelihood_events(q, p)):
            pass
    except UndecidedError:
        # Ratios that are equal without showing it leave a direction without events.
        reject()
    excesses = excesses_by_scipy(p, q, float(Fraction(mu)))
    violation = GaussianDP(mu).admits(p, q).violation
    if max(excesses.values()) > 1e-9:
        assert violation is not None
        found = excesses[violation.event, violation.swapped]
        assert found == pytest.approx(max(excesses.values()), abs=1e-9)


@given(fraction_boundaries(COLORS), fraction_boundaries(COLORS))
def test_mu_zero_admits_equal_distributions_only(p: Distribution, q: Distribution) -> None:
    assert bool(GaussianDP(0).admits(p, q)) == (p == q)


def test_a_mechanism_of_our_own_is_equal_by_construction() -> None:
    rainbow = Rainbow.parse("a>b=c>d")
    line = Line(
        rainbow, Distribution({"a": "1/10", "b": "2/10", "c": "3/10", "d": "4/10"}), GaussianDP("ln 2")
    )
    for distance in range(6):
        here, there = line.distribution(distance), line.distribution(distance + 1)
        assert line.privacy.admits(here, there)
        assert line.privacy.admits(there, here)
        assert not GaussianDP("0.693147").admits(here, there)


def test_what_is_not_decided_counts_as_a_failure_and_says_so() -> None:
    """The limit, enclosed by a fraction of 5000 bits, is exceeded by too little for 4096 bits to show."""
    notion = GaussianDP(1)
    lower, upper = enclose(notion.propagate(Fraction(1, 4)), 5000)
    q = Distribution({"yes": "1/4", "no": "3/4"})
    for mass in (lower, upper):
        violation = notion.admits(Distribution({"yes": mass, "no": 1 - mass}), q).violation
        assert violation is not None
        assert violation.undecided
        assert violation.event == ("yes",)
    below = lower - Fraction(1, 2**100)
    assert notion.admits(Distribution({"yes": below, "no": 1 - below}), q)


def test_impossible_events_are_limited_to_zero() -> None:
    p, q = Distribution({"yes": "1/1000", "no": "999/1000"}), Distribution({"yes": "0", "no": "1"})
    for swapped, pair in enumerate(((p, q), (q, p))):
        violation = GaussianDP(5).admits(*pair).violation
        assert violation is not None
        assert (violation.event, violation.swapped) == (("yes",), bool(swapped))
        assert violation.limit == 0


def test_numbers_without_a_closed_form_are_compared_by_quantiles() -> None:
    t = OddsExpression.odds(Fraction(1))
    p = Distribution({"yes": t / (t + 1), "no": 1 / (t + 1)})
    q = Distribution({"yes": 1 / (t + 1), "no": t / (t + 1)})
    # The quantiles of e/(e+1) are 0.616 from 0, so mu must be at least 1.231.
    assert GaussianDP("1.24").admits(p, q)
    violation = GaussianDP("1.23").admits(p, q).violation
    assert violation is not None
    assert violation.limit is None
    other = NormalExpression.shifted(Fraction(1, 2), Fraction(1), Fraction(1))
    normal = Distribution({"yes": other, "no": 1 - other})
    half = Distribution({"yes": "1/2", "no": "1/2"})
    assert GaussianDP("1.001").admits(normal, half)
    assert not GaussianDP("0.999").admits(normal, half)


def test_gaussian_privacy_implies_approximate_privacy() -> None:
    """At mu = 1, epsilon = 1 needs delta = Phi(-1/2) - e Phi(-3/2) = 0.12694 (Dong, Roth and Su 2022)."""
    line = Line(Rainbow.parse("a>b"), Distribution({"a": "1/4", "b": "3/4"}), GaussianDP(1))
    for distance in range(4):
        here, there = line.distribution(distance), line.distribution(distance + 1)
        assert ApproxDP(1, "0.12694").admits(here, there)


@given(fraction_boundaries(COLORS), fraction_boundaries(COLORS))
def test_likelihood_events_are_nested_and_ordered(p: Distribution, q: Distribution) -> None:
    events = list(likelihood_events(p, q))
    for smaller, larger in pairwise(events):
        assert set(smaller) < set(larger)
    for event in events:
        outside = [color for color in COLORS if color not in event]
        for inner in event:
            for outer in outside:
                # p/q is larger inside than outside: p_inner q_outer >= p_outer q_inner.
                assert p[inner] * q[outer] >= p[outer] * q[inner]
