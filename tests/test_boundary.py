# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions: given, uniform and randomized response, their exact check, and what its errors say."""

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume
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
    BoundaryMissingError,
    BoundaryNotPrivateError,
    ColorError,
    DistributionError,
    NumberError,
    RainbowError,
    RainbowSyntaxError,
    UnknownDatasetError,
)
from rainbowdp.exact import Number, OddsExpression, sign, to_float
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


ODDS = OddsExpression.odds(Fraction(1))


def complete_graph(*rainbows: str) -> RainbowGraph:
    """Return one dataset per rainbow, all of them neighbors."""
    names = [f"d{index}" for index in range(len(rainbows))]
    return RainbowGraph.from_edges(itertools.combinations(names, 2), dict(zip(names, rainbows, strict=True)))


def test_a_condition_is_sorted_compares_rainbows_and_cannot_be_changed() -> None:
    even = Distribution({"a": "1/2", "b": "1/4", "c": "1/4"})
    condition = given({"b > a=c": {"c": "1/4", "b": "0.25", "a": "1/2"}, "a>b=c": even})
    assert list(condition.distributions) == [Rainbow.parse("a>b=c"), Rainbow.parse("b>c=a")]
    assert condition == given({Rainbow.parse("a>c=b"): even, Rainbow.parse("b>a=c"): even})
    with pytest.raises(TypeError):
        condition.distributions[Rainbow.parse("a>b=c")] = even  # type: ignore[index]  # the point of this test


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
        (PureDP(1), ODDS / (ODDS + 2), 1 / (ODDS + 2)),
        (GaussianDP(0), Fraction(1, 3), Fraction(1, 3)),
    ],
)
def test_randomized_response_for_three_colors_is_exact(notion: Privacy, truth: Number, lie: Number) -> None:
    graph = RainbowGraph.from_edges([("x", "y")], {"x": "a>b>c", "y": "b>a>c", "alone": "c>a>b"})
    condition = randomized_response(graph, notion)
    # Regions without a boundary need no distribution.
    assert [str(rainbow) for rainbow in condition.distributions] == ["a>b>c", "b>a>c"]
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


ORDERS = st.tuples(st.permutations("abcd"), st.lists(st.sampled_from("=>"), min_size=4, max_size=4))


@forall(st.lists(ORDERS, min_size=2, max_size=5), st.sampled_from(NOTIONS))
def test_uniform_and_randomized_response_are_always_private(
    orders: list[tuple[list[str], list[str]]], notion: Privacy
) -> None:
    texts = ["".join(itertools.chain(*zip(*order, strict=True)))[:-1] for order in orders]
    graph = complete_graph(*texts)
    check_boundary(uniform(graph), graph, notion)
    check_boundary(randomized_response(graph, notion), graph, notion)


GRAPH = RainbowGraph.from_edges(
    [("p", "q"), ("q", "r"), ("r", "s")],
    {"p": "blue>red>green", "q": "blue>red>green", "r": "red>blue>green", "s": "green>red>blue"},
)
EVEN = {"blue": "1/3", "red": "1/3", "green": "1/3"}


def condition(first: str, second: str, third: str = "1/3 1/3 1/3") -> BoundaryCondition:
    """Return a condition for `GRAPH` from probabilities of blue, red and green."""
    rows = {"blue>red>green": first, "red>blue>green": second, "green>red>blue": third}
    return given({key: dict(zip(EVEN, row.split(), strict=True)) for key, row in rows.items()})


@pytest.mark.parametrize(
    ("rows", "privacy", "said", "needed"),
    [
        (
            ("1/8 1/2 3/8", "3/8 1/4 3/8"),
            PureDP("ln 2"),
            "'r' and 'q' give the event {blue} probability 3/8 and 1/8, and the limit for 'r' is 1/4,",
            "epsilon=ln(3)",
        ),
        (
            ("1/2 1/5 3/10", "1/8 1/20 33/40"),
            ApproxDP("ln 2", "1/100"),
            "{blue, red} probability 7/10 and 7/40, and the limit for 'q' is 9/25, exceeded by 17/50",
            "epsilon=ln(138/35), delta=1/100",
        ),
        # e/12 = 0.22652...
        (
            ("1/12 7/12 1/3", "1/3 1/3 1/3"),
            PureDP(1),
            "the limit for 'r' is [0.226523, 0.226524], exceeded by [0.106809, 0.106810]",
            "epsilon=ln(4)",
        ),
        (("4/5 1/10 1/10", "1/10 4/5 1/10"), GaussianDP(1), "{blue} probability 4/5 and 1/10", "mu=2.12318"),
        # No parameter would do.
        (("1/2 1/2 0", "1/3 1/3 1/3"), PureDP(5), "{green} probability 1/3 and 0", None),
    ],
)
def test_a_broken_pair_is_told_with_event_excess_and_what_it_needs(
    rows: tuple[str, str], privacy: Privacy, said: str, needed: str | None
) -> None:
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(condition(*rows), GRAPH, privacy)
    assert said in e.value.what
    assert (e.value.values["needed"], e.value.exit_code) == (needed, 1)
    assert ("needs" in e.value.help) == (needed is not None)
    if needed and needed.startswith("mu"):
        mended = condition(*rows, third=rows[1])
        assert check_boundary(mended, GRAPH, GaussianDP(needed.removeprefix("mu="))) == ()


def test_a_violation_in_the_last_digit_is_found_and_equality_is_not_one() -> None:
    small = Fraction(1, 10**30)
    t = OddsExpression.odds(Fraction(1))
    tight = {"blue": t / (t + 2), "red": 1 / (t + 2), "green": 1 / (t + 2)}
    mirrored = {"blue": 1 / (t + 2), "red": t / (t + 2), "green": 1 / (t + 2)}
    regions = {"red>blue>green": mirrored, "green>red>blue": mirrored}
    assert check_boundary(given({"blue>red>green": tight, **regions}), GRAPH, PureDP(1)) == ()
    beyond = {"blue": t / (t + 2) + small, "red": 1 / (t + 2), "green": 1 / (t + 2) - small}
    with pytest.raises(BoundaryNotPrivateError, match=r"exceeded by \[9.99999E-31, 1.00001E-30\]"):
        check_boundary(given({"blue>red>green": beyond, **regions}), GRAPH, PureDP(1))


def test_a_gaussian_equality_that_is_not_decided_counts_as_broken() -> None:
    # Phi(1/2) against 1 - Phi(1/2) is tight for mu = 1, in a form that does not show it.
    privacy = GaussianDP(1)
    graph = RainbowGraph.from_edges([("x", "y")], {"x": "a>b", "y": "b>a"})
    limit = GaussianDP("1/2").propagate(Fraction(1, 2))
    rows = {"a>b": {"a": limit, "b": 1 - limit}, "b>a": {"a": 1 - limit, "b": limit}}
    with pytest.raises(BoundaryNotPrivateError, match="4096 bits do not tell"):
        check_boundary(given(rows), graph, privacy)


def test_a_condition_that_does_not_fit_the_graph_is_refused_with_a_hint() -> None:
    known = {"blue>red>green": EVEN, "red>blue>green": EVEN}
    with pytest.raises(BoundaryMissingError, match=r"the region green>red>blue has a boundary, .*'s'") as e:
        check_boundary(given({**known, "green>blue>red": EVEN}), GRAPH, PureDP(1))
    assert (e.value.values["dataset"], e.value.help) == ("s", "did you mean 'green>blue>red'?")
    with pytest.raises(ColorError, match="it does not rank green; unknown colors gren") as other:
        check_boundary(
            given({**known, "gren>red>blue": {"gren": "1", "red": "0", "blue": "0"}}), GRAPH, PureDP(1)
        )
    assert other.value.help == "did you mean 'green'?"
    rows = dict.fromkeys([*known, "green>red>blue", "blue>green>red"], EVEN)
    assert check_boundary(given(rows), GRAPH, PureDP(1)) == (
        "the boundary distribution of blue>green>red is not needed: the region is not in the graph",
    )
    alone = RainbowGraph.from_edges([("p", "q")], {"p": "a>b", "q": "a>b"})
    assert check_boundary(given({"a>b": {"a": 1, "b": 0}}), alone, PureDP(1)) == (
        "the boundary distribution of a>b is not needed: the region has no boundary",
    )


WEIGHTS = st.lists(st.integers(0, 12), min_size=3, max_size=3).filter(any)


@forall(WEIGHTS, WEIGHTS, st.sampled_from(["1", "6/5", "2", "20"]), st.sampled_from(["0", "1/50", "1/3"]))
def test_the_verdict_and_the_needed_epsilon_agree_with_all_events(
    first: list[int], second: list[int], odds: str, delta: str
) -> None:
    graph = RainbowGraph.from_edges([("x", "y")], {"x": "a>b>c", "y": "c>b>a"})
    p = Distribution({color: Fraction(w, sum(first)) for color, w in zip("abc", first, strict=True)})
    q = Distribution({color: Fraction(w, sum(second)) for color, w in zip("abc", second, strict=True)})
    boundary = given({"a>b>c": p, "c>b>a": q})
    events = ["a", "b", "c", ("a", "b"), ("a", "c"), ("b", "c")]
    limit, room = Fraction(odds), Fraction(delta)
    broken = [
        event
        for ours, theirs in ((p, q), (q, p))
        for event in events
        if ours.mass(event) > limit * theirs.mass(event) + room
    ]
    privacy: Privacy = ApproxDP(f"ln {odds}", delta)
    if not broken:
        check_boundary(boundary, graph, privacy)
        return
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(boundary, graph, privacy)
    needed = e.value.values["needed"]
    assume(needed is not None)
    least = Fraction(str(needed).removeprefix("epsilon=ln(").partition(")")[0])
    check_boundary(boundary, graph, ApproxDP(f"ln({least})", delta))
    closer = max(least - Fraction(1, 10**9), Fraction(1))
    with pytest.raises(BoundaryNotPrivateError):
        check_boundary(boundary, graph, ApproxDP(f"ln({closer})", delta))


BROKEN_FOR: list[Privacy] = [PureDP("ln 2"), PureDP("1/2"), ApproxDP("ln 2", "1/50"), GaussianDP("1/3")]


def best_first(share: str) -> dict[str, Number]:
    """Return a distribution with this probability of a, and the rest for b."""
    return {"a": Fraction(share), "b": 1 - Fraction(share)}


@pytest.mark.parametrize("privacy", BROKEN_FOR, ids=str)
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
def test_of_several_broken_pairs_the_worst_is_reported(privacy: Privacy, order: tuple[int, int, int]) -> None:
    # Three pairs of regions that touch, all broken; the middle one by most, wherever it comes in the order.
    pairs = [("1/10", "9/20"), ("1/20", "19/20"), ("1/5", "3/5")]
    rainbows: dict[str, str] = {}
    rows: dict[str, dict[str, Number]] = {}
    for place, (which, rest) in enumerate(zip(order, ("x>y", "y>x", "x=y"), strict=True)):
        first, second = f"a>b>{rest}", f"b>a>{rest}"
        rainbows |= {f"p{place}": first, f"q{place}": second}
        low, high = pairs[which]
        rows[first] = {**best_first(high), "x": 0, "y": 0}
        rows[second] = {**best_first(low), "x": 0, "y": 0}
    graph = RainbowGraph.from_edges([(f"p{place}", f"q{place}") for place in range(3)], rainbows)
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(given(rows), graph, privacy)
    worst = order.index(1)
    assert set(e.value.values["datasets"]) == {f"p{worst}", f"q{worst}"}  # type: ignore[call-overload]  # names of datasets


def test_the_worst_pair_is_found_among_excesses_without_an_exact_form() -> None:
    # Sums of normal terms have no exact limit; two regions, one of them closer to its neighbor.
    privacy = GaussianDP("1/2")
    far, near = (GaussianDP(mu).propagate(Fraction(1, 3)) for mu in ("3", "2"))
    rainbows = {"p": "a>b>c", "q": "b>a>c", "r": "c>a>b", "s": "c>b>a"}
    graph = RainbowGraph.from_edges([("p", "q"), ("r", "s")], rainbows)
    low: dict[str, Number] = {"a": Fraction(1, 3), "b": Fraction(2, 3), "c": 0}
    rows: dict[str, dict[str, Number]] = {
        "a>b>c": {"a": near, "b": 1 - near, "c": 0},
        "b>a>c": low,
        "c>a>b": {"a": far, "b": 1 - far, "c": 0},
        "c>b>a": low,
    }
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(given(rows), graph, privacy)
    assert set(e.value.values["datasets"]) == {"r", "s"}  # type: ignore[call-overload]  # names of datasets
