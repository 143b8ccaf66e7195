# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions that are given, the uniform one, and randomized response."""

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given as forall
from hypothesis import strategies as st

from rainbowdp.boundary import (
    BoundaryCondition,
    check_boundary,
    from_datasets,
    given,
    randomized_response,
    uniform,
)
from rainbowdp.distribution import Distribution
from rainbowdp.errors import (
    ColorError,
    DistributionError,
    NumberError,
    RainbowError,
    RainbowSyntaxError,
    UnknownDatasetError,
)
from rainbowdp.exact import OddsExpression, sign, to_float
from rainbowdp.graph import RainbowGraph
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow

NOTIONS: list[Privacy] = [
    PureDP("ln 2"),
    PureDP("ln(6/5)"),
    PureDP(0),
    PureDP(1),
    ApproxDP("ln 3", "1/50"),
    ApproxDP("1/3", "1/50"),
    ApproxDP(1, 1),
    GaussianDP(1),
    GaussianDP("ln 3"),
]


def complete_graph(*rainbows: str) -> RainbowGraph:
    """Return one dataset per rainbow, all of them neighbors."""
    names = [f"d{index}" for index in range(len(rainbows))]
    return RainbowGraph.from_edges(itertools.combinations(names, 2), dict(zip(names, rainbows, strict=True)))


def test_keys_are_compared_as_rainbows_and_not_as_text() -> None:
    condition = given({"blue > red=green": {"blue": "1/2", "red": "1/4", "green": "0.25"}})
    assert condition.distributions[Rainbow.parse("blue>green=red")]["green"] == Fraction(1, 4)
    assert condition == given(
        {Rainbow.parse("blue>green=red"): {"red": "1/4", "green": "1/4", "blue": "1/2"}}
    )


def test_a_condition_is_sorted_and_cannot_be_changed() -> None:
    even = Distribution({"a": "1/2", "b": "1/2"})
    condition = given({"b>a": even, "a>b": even})
    assert [str(rainbow) for rainbow in condition.distributions] == ["a>b", "b>a"]
    with pytest.raises(TypeError):
        condition.distributions[Rainbow.parse("a>b")] = even  # type: ignore[index]  # the point of this test


@pytest.mark.parametrize(
    ("rows", "error", "said", "help_text"),
    [
        ({"a>b=c": "1/3 1/3 1/3", " a > c = b": "1/3 1/3 1/3"}, ColorError, "a>b=c is given twice", "one"),
        ({"b>green": {"b": 1, "gren": 0}}, ColorError, "distribution of b>green: .*colors gren", "'green'"),
        ({"a>b": "0.5 0.4999"}, DistributionError, r"distribution of a>b: .* sum to 0\.9999", "--normalize"),
        ({"a>b": "half 1/2"}, NumberError, "distribution of a>b: the probability of 'a': 'half'", ""),
        ({"a>>b": "1 0"}, RainbowSyntaxError, "empty color", ""),
    ],
)
def test_what_is_no_condition_is_refused_with_its_place(
    rows: dict[str, Any], error: type[RainbowError], said: str, help_text: str
) -> None:
    read = {
        key: dict(zip("abc", row.split(), strict=False)) if isinstance(row, str) else row
        for key, row in rows.items()
    }
    with pytest.raises(error, match=said) as e:
        given(read)
    assert help_text in e.value.help


def test_a_wrong_sum_can_be_normalized_and_colors_are_checked() -> None:
    printed = {"blue": "0.0545", "red": "0.1636", "green": "0.7818"}
    condition = given({"blue>red>green": printed}, normalize=True)
    assert condition.distributions[Rainbow.parse("blue>red>green")]["blue"] == Fraction(545, 9999)
    with pytest.raises(ColorError, match="the boundary distribution of a>b"):
        BoundaryCondition({Rainbow.parse("a>b"): Distribution({"a": 1})})


def test_uniform_is_for_regions_with_a_boundary_only() -> None:
    graph = RainbowGraph.from_edges([("x", "y")], {"x": "a>b>c", "y": "b>a>c", "alone": "c>a>b"})
    condition = uniform(graph)
    assert [str(rainbow) for rainbow in condition.distributions] == ["a>b>c", "b>a>c"]
    assert all(value == Fraction(1, 3) for p in condition.distributions.values() for value in p.values())


def test_datasets_are_named_in_messages() -> None:
    graph = RainbowGraph.from_edges([("north", "south")], {"north": "a>b", "south": "b>a"})
    with pytest.raises(UnknownDatasetError):
        from_datasets(graph, {"nord": {"a": "1/2", "b": "1/2"}})
    with pytest.raises(ColorError, match="the distribution of the dataset 'north'"):
        from_datasets(graph, {"north": {"a": "1/2", "c": "1/2"}})
    with pytest.raises(DistributionError, match="the distribution of the dataset 'south'"):
        from_datasets(graph, {"south": {"a": "1/2", "b": "1/3"}})


@pytest.mark.parametrize(
    ("notion", "truth", "lie"),
    [
        (PureDP("ln 2"), Fraction(1, 2), Fraction(1, 4)),
        (PureDP("ln(6/5)"), Fraction(6, 16), Fraction(5, 16)),
        (PureDP(0), Fraction(1, 3), Fraction(1, 3)),
        (ApproxDP("ln 2", "1/10"), Fraction(11, 20), Fraction(9, 40)),
        (ApproxDP("ln 2", 1), Fraction(1), Fraction(0)),
        (GaussianDP(0), Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_randomized_response_for_three_colors_in_fractions(
    notion: Privacy, truth: Fraction, lie: Fraction
) -> None:
    condition = randomized_response(complete_graph("a>b>c", "b>a>c", "c>a>b"), notion)
    assert condition.distributions[Rainbow.parse("b>a>c")] == Distribution({"a": lie, "b": truth, "c": lie})
    assert condition.notes == ()


def test_gaussian_response_for_two_colors_is_the_known_one() -> None:
    # Phi(mu/2), here for mu = 1, from a table of the normal distribution.
    condition = randomized_response(complete_graph("a>b", "b>a"), GaussianDP(1))
    truth = condition.distributions[Rainbow.parse("a>b")]["a"]
    assert to_float(truth, "nearest") == 0.6914624612740131
    assert "2^-64" in condition.notes[0]


@pytest.mark.parametrize("colors", [2, 7])
@pytest.mark.parametrize("mu", ["1/100", "ln 3"])
def test_gaussian_response_is_within_2_to_the_minus_64_of_the_limit(colors: int, mu: str) -> None:
    names = [f"c{index}" for index in range(colors)]
    graph = complete_graph(">".join(names), ">".join(reversed(names)))
    notion = GaussianDP(mu)
    truth = randomized_response(graph, notion).distributions[Rainbow.parse(">".join(names))]["c0"]
    assert isinstance(truth, Fraction)
    more = truth + Fraction(1, 2**64)
    assert sign(notion.propagate((1 - truth) / (colors - 1)) - truth) >= 0
    assert sign(notion.propagate((1 - more) / (colors - 1)) - more) < 0


@forall(
    st.lists(
        st.permutations(["a", "b", "c", "d"]).flatmap(
            lambda order: st.lists(st.sampled_from("=>"), min_size=3, max_size=3).map(
                lambda signs: (
                    order[0] + "".join(sign + color for sign, color in zip(signs, order[1:], strict=True))
                )
            )
        ),
        min_size=2,
        max_size=5,
    ),
    st.sampled_from(NOTIONS),
)
def test_uniform_and_randomized_response_are_always_private(rainbows: list[str], notion: Privacy) -> None:
    graph = complete_graph(*rainbows)
    check_boundary(uniform(graph), graph, notion)
    check_boundary(randomized_response(graph, notion), graph, notion)


def test_randomized_response_is_exact_for_irrational_odds() -> None:
    condition = randomized_response(complete_graph("a>b>c", "b>a>c"), PureDP(1))
    t = OddsExpression.odds(Fraction(1))
    assert condition.distributions[Rainbow.parse("a>b>c")]["a"] == t / (t + 2)
    assert condition.notes == ()
