# SPDX-License-Identifier: Apache-2.0
"""The exact check of a boundary condition, and what its errors say."""

from fractions import Fraction

import pytest
from hypothesis import assume
from hypothesis import given as forall
from hypothesis import strategies as st

from rainbowdp.boundary import BoundaryCondition, check_boundary, given
from rainbowdp.distribution import Distribution
from rainbowdp.errors import BoundaryMissingError, BoundaryNotPrivateError, ColorError
from rainbowdp.exact import Number, OddsExpression
from rainbowdp.graph import RainbowGraph
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow

GRAPH = RainbowGraph.from_edges(
    [("p", "q"), ("q", "r"), ("r", "s")],
    {"p": "blue>red>green", "q": "blue>red>green", "r": "red>blue>green", "s": "green>red>blue"},
)
EVEN = {"blue": "1/3", "red": "1/3", "green": "1/3"}


def condition(first: str, second: str, third: str = "1/3 1/3 1/3") -> BoundaryCondition:
    """Return a condition for `GRAPH` from probabilities of blue, red and green."""
    rows = {"blue>red>green": first, "red>blue>green": second, "green>red>blue": third}
    return given({key: dict(zip(EVEN, row.split(), strict=True)) for key, row in rows.items()})


def test_an_invalid_condition_is_refused_with_rainbows_datasets_event_and_excess() -> None:
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(condition("1/8 1/2 3/8", "3/8 1/4 3/8"), GRAPH, PureDP("ln 2"))
    assert e.value.what == (
        "the boundary distributions of red>blue>green and blue>red>green break epsilon=ln(2): the neighbors "
        "'r' and 'q' give the event {blue} probability 3/8 and 1/8, and the limit for 'r' is 1/4, exceeded "
        "by 1/8"
    )
    assert e.value.help == "move the two distributions towards each other; this pair needs epsilon=ln(3)"
    values = e.value.values
    assert values["rainbows"] == (Rainbow.parse("red>blue>green"), Rainbow.parse("blue>red>green"))
    assert values["datasets"] == ("r", "q")
    assert (values["event"], values["excess"]) == (("blue",), Fraction(1, 8))
    assert e.value.exit_code == 1


def test_with_delta_the_event_of_greatest_excess_is_named() -> None:
    privacy = ApproxDP("ln 2", "1/100")
    with pytest.raises(BoundaryNotPrivateError, match=r"event \{blue, red\} probability 7/10 and 7/40") as e:
        check_boundary(condition("1/2 1/5 3/10", "1/8 1/20 33/40"), GRAPH, privacy)
    assert e.value.values["excess"] == Fraction(7, 10) - Fraction(7, 20) - Fraction(1, 100)
    assert "epsilon=ln(138/35), delta=1/100" in e.value.help


def test_irrational_limits_are_shown_between_decimals() -> None:
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(condition("1/12 7/12 1/3", "1/3 1/3 1/3"), GRAPH, PureDP(1))
    # e/12 = 0.22652...
    assert "the limit for 'r' is [0.226523, 0.226524], exceeded by [0.106809, 0.106810]" in e.value.what


def test_gaussian_violations_say_which_mu_would_do() -> None:
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(condition("4/5 1/10 1/10", "1/10 4/5 1/10"), GRAPH, GaussianDP(1))
    needed = str(e.value.values["needed"])
    assert needed.startswith("mu=2.1231")
    check_pair = condition("4/5 1/10 1/10", "1/10 4/5 1/10", "1/10 4/5 1/10")
    assert check_boundary(check_pair, GRAPH, GaussianDP(needed.removeprefix("mu="))) == ()


def test_no_parameter_is_promised_where_none_would_do() -> None:
    with pytest.raises(BoundaryNotPrivateError) as e:
        check_boundary(condition("1/2 1/2 0", "1/3 1/3 1/3"), GRAPH, PureDP(5))
    assert e.value.values["needed"] is None
    assert "needs" not in e.value.help


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


def test_a_missing_distribution_names_the_rainbow_and_a_boundary_dataset() -> None:
    with pytest.raises(BoundaryMissingError, match=r"the region green>red>blue has a boundary, .*'s'") as e:
        check_boundary(given({"blue>red>green": EVEN, "red>blue>green": EVEN}), GRAPH, PureDP(1))
    assert e.value.values["dataset"] == "s"
    with pytest.raises(BoundaryMissingError) as e:
        check_boundary(
            given({"blue>red>green": EVEN, "red>blue>green": EVEN, "green>blue>red": EVEN}), GRAPH, PureDP(1)
        )
    assert e.value.help == "did you mean 'green>blue>red'?"


def test_what_is_not_needed_is_a_note() -> None:
    graph = RainbowGraph.from_edges(
        [("x", "y")], {"x": "blue>red>green", "y": "red>blue>green", "alone": "green>blue>red"}
    )
    rows = dict.fromkeys(["blue>red>green", "red>blue>green", "green>blue>red", "blue>green>red"], EVEN)
    assert check_boundary(given(rows), graph, PureDP(1)) == (
        "the boundary distribution of blue>green>red is not needed: the region is not in the graph",
        "the boundary distribution of green>blue>red is not needed: the region has no boundary",
    )


def test_a_rainbow_of_other_colors_is_refused_with_a_hint() -> None:
    rows = {"blue>red>green": EVEN, "gren>red>blue": {"gren": "1", "red": "0", "blue": "0"}}
    with pytest.raises(
        ColorError, match="gren>red>blue does not fit the graph: it does not rank green; unknown colors gren"
    ) as e:
        check_boundary(given(rows), GRAPH, PureDP(1))
    assert e.value.help == "did you mean 'green'?"
    with pytest.raises(ColorError, match="it does not rank green"):
        check_boundary(given({"red>blue": {"red": 1, "blue": 0}}), GRAPH, PureDP(1))


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


NOTIONS: list[Privacy] = [PureDP("ln 2"), PureDP("1/2"), ApproxDP("ln 2", "1/50"), GaussianDP("1/3")]


def best_first(share: str) -> dict[str, Number]:
    """Return a distribution with this probability of a, and the rest for b."""
    return {"a": Fraction(share), "b": 1 - Fraction(share)}


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
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
