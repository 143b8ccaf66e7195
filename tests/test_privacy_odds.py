# SPDX-License-Identifier: Apache-2.0
"""Pure and approximate privacy: one step, closed form, thresholds, and the check against all events."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from line_cases import RATIONAL_ODDS, fraction_boundaries, iterate, rational_notions
from rainbowdp.distribution import Distribution
from rainbowdp.errors import ColorError, NumberError, PrivacyParameterError
from rainbowdp.exact import OddsExpression, sign
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from small_problems import as_fraction

masses = st.one_of(
    st.sampled_from(["0", "1", "1/2", "1/3"]).map(Fraction), st.fractions(0, 1, max_denominator=99)
)
COLORS = ("a", "b", "c", "d")


@given(rational_notions, masses, st.integers(0, 30))
def test_closed_form_equals_the_rule_step_by_step(notion: ApproxDP, mass: Fraction, steps: int) -> None:
    odds = as_fraction(notion.odds)
    expected = iterate([mass], odds, notion.delta, steps)[0]
    assert notion.propagate(mass, steps) == expected
    assert sign(notion.propagate(mass, steps, symbolic=True) - expected) == 0
    assert 0 <= expected <= 1


@given(rational_notions, masses, masses, st.fractions(0, 1, max_denominator=9))
def test_propagate_grows_and_is_concave(notion: ApproxDP, x: Fraction, y: Fraction, share: Fraction) -> None:
    low, high = sorted((x, y))
    assert low <= as_fraction(notion.propagate(low)) <= as_fraction(notion.propagate(high))
    middle = share * x + (1 - share) * y
    ends = share * as_fraction(notion.propagate(x)) + (1 - share) * as_fraction(notion.propagate(y))
    assert as_fraction(notion.propagate(middle)) >= ends


@given(st.sampled_from(RATIONAL_ODDS), st.sampled_from(["0", "1e-6", "1/50", "1/3", "1"]), masses)
def test_thresholds_are_the_largest_index_of_growth(odds_text: str, delta: str, mass: Fraction) -> None:
    notion, odds = ApproxDP(f"ln({odds_text})", delta), Fraction(odds_text)
    threshold = notion.threshold(mass)
    if mass == 0 and notion.delta == 0:
        assert threshold is None
        return
    assert threshold is not None
    grown, index = mass, 0
    while grown <= (1 - notion.delta) / (1 + odds):
        grown, index = odds * grown + notion.delta, index + 1
    assert threshold == index


@pytest.mark.parametrize(
    ("delta", "mass", "threshold"),
    [
        ("0", "1/2", None),
        ("0", "0.6", 0),
        ("1/10", "0", 5),
        ("1/10", "1/20", 5),
        ("1/10", "1/2", 0),
        ("1", "0", 1),
    ],
)
def test_thresholds_at_epsilon_zero(delta: str, mass: str, threshold: int | None) -> None:
    assert ApproxDP(0, delta).threshold(Fraction(mass)) == threshold


@pytest.mark.parametrize(
    ("epsilon", "odds"), [("ln(6/5)", Fraction(6, 5)), ("1/3", OddsExpression.odds(Fraction(1, 3)))]
)
def test_a_tie_at_the_turning_mass_belongs_to_growth(epsilon: str, odds: Fraction | OddsExpression) -> None:
    for index in range(1, 20):
        mass = 1 / ((odds + 1) * odds ** (index - 1))
        assert PureDP(epsilon).threshold(mass) == index
        assert PureDP(epsilon).threshold(mass * (1 + Fraction(1, 10**700))) == index - 1


def test_thresholds_of_any_size() -> None:
    assert PureDP("1e-9").threshold(Fraction(1, 4)) == 693147181
    assert PureDP(1000).threshold(Fraction(1, 4)) == 0
    assert PureDP(1000).threshold(Fraction(1, 10**500)) == 1
    small = PureDP("1e-300").threshold(Fraction(1, 4))
    assert small is not None
    assert str(small).startswith("693147180559945")
    assert len(str(small)) == 300


def events() -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(COLORS, n) for n in range(1, len(COLORS) + 1))


@given(rational_notions, fraction_boundaries(COLORS), fraction_boundaries(COLORS))
def test_definition_2_the_witness_is_the_worst_of_all_events(
    notion: ApproxDP, p: Distribution, q: Distribution
) -> None:
    odds = as_fraction(notion.odds)
    worst: tuple[Fraction, set[tuple[str, ...]]] = (Fraction(0), set())
    for ours, theirs in ((p, q), (q, p)):
        for event in events():
            excess = as_fraction(ours.mass(event)) - odds * as_fraction(theirs.mass(event)) - notion.delta
            if excess > worst[0]:
                worst = (excess, {event})
            elif excess == worst[0]:
                worst[1].add(event)
    verdict = notion.admits(p, q)
    assert bool(verdict) == (worst[0] == 0)
    if verdict.violation is None:
        return
    found = verdict.violation
    assert found.excess == worst[0]
    assert found.event in worst[1]
    assert found.event == tuple(sorted(found.event))
    source, other = (q, p) if found.swapped else (p, q)
    assert found.probability == source.mass(found.event)
    assert found.limit == odds * as_fraction(other.mass(found.event)) + notion.delta
    assert not found.undecided
    if notion.delta == 0:
        pure = PureDP(notion.epsilon).admits(p, q).violation
        assert pure == found


@given(fraction_boundaries(COLORS), st.sampled_from(["1/2", "1", "3", "1e-9"]))
def test_randomized_response_is_admitted_and_no_smaller_epsilon_is(q: Distribution, epsilon: str) -> None:
    notion = PureDP(epsilon)
    t = OddsExpression.odds(Fraction(epsilon))
    p, r = (
        Distribution({color: (t if color == own else 1) / (t + 3) for color in COLORS}) for own in ("a", "d")
    )
    assert notion.admits(p, r)
    assert notion.admits(r, p)
    assert not PureDP(Fraction(epsilon) * Fraction(999999, 1000000)).admits(p, r)
    assert PureDP(Fraction(epsilon) * Fraction(1000001, 1000000)).admits(p, r)
    assert notion.admits(q, q)


def test_numbers_of_another_epsilon_are_decided_by_enclosures() -> None:
    t = OddsExpression.odds(Fraction(2))
    p = Distribution({"yes": t / (t + 1), "no": 1 / (t + 1)})
    q = Distribution({"yes": 1 / (t + 1), "no": t / (t + 1)})
    violation = PureDP(1).admits(p, q).violation
    assert violation is not None
    assert (violation.event, violation.swapped, violation.undecided) == (("yes",), False, False)
    assert violation.limit is None
    assert violation.excess is None
    assert PureDP(3).admits(p, q)
    assert ApproxDP(1, "0.6").admits(p, q)
    assert not ApproxDP(1, "0.5").admits(p, q)
    other = OddsExpression.odds(Fraction(1))
    mixed = Distribution({"yes": other / (other + 1), "no": 1 / (other + 1)})
    assert PureDP(2).admits(p, mixed)
    swapped = PureDP("1/2").admits(mixed, p).violation
    assert swapped is not None
    assert swapped.event == ("no",)


def test_equality_across_epsilons_counts_as_a_failure_that_says_so() -> None:
    """e^(2/2) = e^1, but no form shows it: powers of e^(1/2) and of e^1 are different numbers here."""
    half, one = OddsExpression.odds(Fraction(1, 2)), OddsExpression.odds(Fraction(1))
    p = Distribution({"yes": half**2 / (half**2 + 1), "no": 1 / (half**2 + 1)})
    q = Distribution({"yes": 1 / (one + 1), "no": one / (one + 1)})
    assert PureDP("1.000001").admits(p, q)
    violation = PureDP(1).admits(p, q).violation
    assert violation is not None
    assert violation.undecided
    assert violation.event == ("yes",)
    decided = PureDP("0.999999").admits(p, q).violation
    assert decided is not None
    assert not decided.undecided
    assert ApproxDP(1, "1e-100").admits(p, q)
    impossible = {"never": Fraction(0)}
    assert PureDP("1.000001").admits(Distribution({**p, **impossible}), Distribution({**q, **impossible}))


@pytest.mark.parametrize(
    ("notion", "rational", "text"),
    [
        (PureDP("ln(6/5)"), True, "epsilon=ln(6/5)"),
        (PureDP(0.5), False, "epsilon=1/2"),
        (PureDP("ln 1"), True, "epsilon=0"),
        (ApproxDP("ln 3", "1e-6"), True, "epsilon=ln(3), delta=1/1000000"),
        (ApproxDP(1, 0), False, "epsilon=1, delta=0"),
        (GaussianDP("ln 3"), False, "mu=ln(3)"),
        (GaussianDP(0), True, "mu=0"),
    ],
)
def test_parameters(notion: Privacy, rational: bool, text: str) -> None:  # a column of a table
    assert (notion.is_rational, str(notion)) == (rational, text)
    same = type(notion)(**{name: getattr(notion, name) for name in notion.__dataclass_fields__})
    assert (same, hash(same)) == (notion, hash(notion))


@pytest.mark.parametrize(
    ("notion", "parameters", "message"),
    [
        (PureDP, ("-0.5",), r"epsilon is negative \(-1/2\)"),
        (PureDP, ("ln(1/2)",), r"epsilon is negative \(ln\(1/2\)\)"),
        (PureDP, (10**9,), "epsilon is above"),
        (ApproxDP, (1, -1), r"delta is -1, outside \[0, 1\]"),
        (ApproxDP, (1, "1.1"), r"delta is 11/10, outside \[0, 1\]"),
        (GaussianDP, ("ln 0.5",), "mu is negative"),
    ],
)
def test_parameters_out_of_range(notion: type[Any], parameters: tuple[object, ...], message: str) -> None:
    with pytest.raises(PrivacyParameterError, match=message) as caught:
        notion(*parameters)
    assert caught.value.help


@pytest.mark.parametrize("value", [float("nan"), "inf", "", "1/0", None, "ln 0"])
def test_parameters_that_are_not_numbers(value: Any) -> None:  # noqa: ANN401  # anything at all
    for build in (PureDP, GaussianDP, lambda epsilon: ApproxDP(epsilon, 0), lambda delta: ApproxDP(1, delta)):
        with pytest.raises(NumberError):
            build(value)
    with pytest.raises(NumberError):
        ApproxDP(1, "ln 2")


def test_other_colors_are_refused() -> None:
    with pytest.raises(ColorError, match="different colors: a, b and a, c"):
        PureDP(1).admits(Distribution({"a": 1, "b": 0}), Distribution({"a": 1, "c": 0}))
