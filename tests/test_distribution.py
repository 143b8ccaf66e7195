# SPDX-License-Identifier: Apache-2.0
"""Distributions: exact sums, and the two orders among them."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rainbowdp.distribution import Distribution, dominates, prefix_dominates
from rainbowdp.errors import ColorError, DistributionError, NumberError, RainbowError
from rainbowdp.exact import Log, NormalExpression, OddsExpression
from rainbowdp.rainbow import Rainbow

BRG = Rainbow.parse("blue>red>green")


@st.composite
def distributions(draw: st.DrawFn, colors: tuple[str, ...] = ("blue", "green", "red")) -> Distribution:
    weights = [draw(st.integers(0, 4)) for _ in colors]
    assume(sum(weights) > 0)
    return Distribution({color: Fraction(n, sum(weights)) for color, n in zip(colors, weights, strict=True)})


def test_a_distribution_is_a_sorted_mapping() -> None:
    p = Distribution({"red": "1/4", "blue": 0.5, "green": Fraction(1, 4)})
    assert list(p) == ["blue", "green", "red"] == list(p.colors)
    assert dict(p) == {"blue": Fraction(1, 2), "green": Fraction(1, 4), "red": Fraction(1, 4)}
    assert len(p) == 3
    assert p == Distribution({"blue": "1/2", "red": "0.25", "green": "0.25"})
    assert p != Distribution({"blue": "1/4", "red": "0.5", "green": "0.25"})
    assert p != Distribution({"blue": "1/2", "red": "1/2"})
    assert (p == "blue") is False
    assert repr(p) == "Distribution(blue=1/2, green=1/4, red=1/4)"
    assert p.mass(["red", "blue"]) == Fraction(3, 4)
    assert p.mass([]) == 0
    with pytest.raises(TypeError):
        hash(p)
    with pytest.raises(TypeError):
        p["red"] = Fraction(1)  # type: ignore[index]  # immutable, which is the point


E, E2 = (OddsExpression.odds(Fraction(epsilon)) for epsilon in (1, 2))


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"a": "0.5", "b": "0.4999"}, DistributionError, r"sum to 0\.9999, not to 1"),
        ({"a": "0", "b": "0"}, DistributionError, "sum to 0, not to 1"),
        ({"a": "3/2", "b": "-1/2"}, DistributionError, r"the probability of 'b' is negative \(-0\.5\)"),
        ({}, DistributionError, "at least one color"),
        ("blue=1", DistributionError, "made of a str"),
        ({"blue": "1/2", "red": "half"}, NumberError, "of 'red': 'half' is not an exact number"),
        ({1: "1"}, ColorError, "a color cannot be an int"),
        ({"a": E / (E + 1), "b": 1 / (E + 2)}, DistributionError, "not to 1"),
        ({"a": E / 2, "b": 1 - E / 2}, DistributionError, "negative"),
        ({"a": 1 / E, "b": 1 / E2, "c": Fraction(1, 2)}, DistributionError, "of different kinds"),
    ],
)
def test_wrong_distributions_are_refused(values: Any, error: type[RainbowError], message: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(error, match=message) as caught:
        Distribution(values)
    assert caught.value.help


def test_a_wrong_sum_is_rescaled_on_request_only() -> None:
    p = Distribution({"a": "0.2", "b": "0.2"}, normalize=True)
    assert dict(p) == {"a": Fraction(1, 2), "b": Fraction(1, 2)}
    with pytest.raises(DistributionError, match="negative"):
        Distribution({"a": "2", "b": "-1/2"}, normalize=True)
    with pytest.raises(DistributionError, match="sum to 0"):
        Distribution({"a": "0", "b": "0"}, normalize=True)
    with pytest.raises(DistributionError) as caught:
        Distribution({"a": "0.2", "b": "0.2"})
    assert caught.value.values["sum"] == Fraction(2, 5)


def test_irrational_distributions_sum_to_one_exactly() -> None:
    assert not Distribution({"a": E / (E + 1), "b": 1 / (E + 1)}).is_rational
    assert Distribution({"a": "1/2", "b": "1/2"}).is_rational
    phi = NormalExpression.shifted(Fraction(1, 4), Fraction(1), Log(Fraction(2)))
    assert Distribution({"a": phi, "b": 1 - phi}).mass(["a", "b"]) == 1


def test_other_colors_are_named() -> None:
    p = Distribution({"blue": "1/2", "gren": "1/2"})
    with pytest.raises(ColorError, match="no probability for green, red; unknown colors gren") as caught:
        p.prefix_masses(BRG)
    assert caught.value.help == "did you mean 'green'?"
    with pytest.raises(ColorError, match="no probability for blue") as caught:
        Distribution({"red": 1}).require_colors(Rainbow.parse("blue>red"))
    assert "give each of" in caught.value.help


@given(distributions(), distributions())
def test_definition_3_lexicographic_order(p: Distribution, q: Distribution) -> None:
    first = tuple(p[color] for color in BRG.ordered)
    second = tuple(q[color] for color in BRG.ordered)
    assert dominates(p, q, BRG) == (first >= second)
    assert dominates(p, q, BRG) or dominates(q, p, BRG)


@given(distributions(), distributions())
def test_prefix_dominance_is_stronger(p: Distribution, q: Distribution) -> None:
    prefixes = [("blue",), ("blue", "red")]
    expected = all(p.mass(prefix) >= q.mass(prefix) for prefix in prefixes)
    assert prefix_dominates(p, q, BRG) == expected
    if expected:
        assert dominates(p, q, BRG)


def test_distributions_of_different_parameters_are_compared_by_enclosures() -> None:
    """1/e, 1/e^2, Phi(-1) and 3/10 have no common form; as floats 0.3679, 0.1353, 0.1587 and 0.3."""
    normal = NormalExpression.shifted(Fraction(1, 2), Fraction(-1), Fraction(1))
    falling = [
        Distribution({"a": mass, "b": 1 - mass})
        for mass in (1 / E, Fraction(3, 10), normal, 1 / E2, Fraction(0))
    ]
    for larger, smaller in pairwise(falling):
        assert dominates(larger, smaller, "a>b")
        assert not dominates(smaller, larger, "a>b")
        assert prefix_dominates(larger, smaller, "a>b")
        assert not prefix_dominates(larger, smaller, "b>a")


def test_prefix_masses_follow_the_classes() -> None:
    p = Distribution({"blue": "1/2", "red": "1/3", "green": "1/6"})
    assert p.prefix_masses(BRG) == (Fraction(1, 2), Fraction(5, 6), Fraction(1))
    assert p.prefix_masses(Rainbow.parse("red=green>blue")) == (Fraction(1, 2), Fraction(1))
    assert p.prefix_masses(Rainbow.parse("red=green=blue")) == (Fraction(1),)


def test_tied_classes_are_compared_as_wholes() -> None:
    rainbow = Rainbow.parse("a=b>c")
    p = Distribution({"a": "1/2", "b": "0", "c": "1/2"})
    q = Distribution({"a": "0", "b": "1/2", "c": "1/2"})
    for order in (dominates, prefix_dominates):
        assert order(p, q, rainbow)
        assert order(q, p, rainbow)
