# SPDX-License-Identifier: Apache-2.0
"""The max-min boundary against cases solved by hand, brute-force linear programs and closed forms."""

import itertools
import random
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog
from scipy.stats import norm

from rainbowdp import leximin
from rainbowdp.boundary import check_boundary, max_min, randomized_response, ready_made
from rainbowdp.distribution import Distribution
from rainbowdp.errors import NotVerifiedError, SolverError
from rainbowdp.exact import OddsExpression, to_float
from rainbowdp.graph import RainbowGraph
from rainbowdp.leximin import Solution, components, solve
from rainbowdp.leximin.gaussian import gaussian_cut
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow
from small_problems import as_fraction

ODDS = ["2", "6/5", "20"]
DELTAS = ["0", "1/50"]
FIGURE_1 = {
    "blue>red>green": "blue>green>red green>red>blue red>blue>green green>blue>red",
    "red>green>blue": "red>blue>green blue>green>red green>red>blue",
    "green>red>blue": "red>blue>green",
    "green>blue>red": "blue>green>red red>blue>green",
    "blue>green>red": "red>blue>green",
}
FIGURE_1_PAIRS = [(first, second) for first, others in FIGURE_1.items() for second in others.split()]


def region_graph(rainbows: Iterable[str], touching: Iterable[tuple[str, str]]) -> RainbowGraph:
    """Return a graph with one dataset per rainbow, named like it."""
    return RainbowGraph.from_edges(touching, {rainbow: rainbow for rainbow in rainbows})


def path(*rainbows: str) -> RainbowGraph:
    return region_graph(rainbows, itertools.pairwise(rainbows))


def complete(*rainbows: str) -> RainbowGraph:
    return region_graph(rainbows, itertools.combinations(rainbows, 2))


def figure_1() -> RainbowGraph:
    return region_graph({rainbow for pair in FIGURE_1_PAIRS for rainbow in pair}, FIGURE_1_PAIRS)


def levels(count: int) -> RainbowGraph:
    """Return ordered levels that touch the next one; nearest level first, left and right tied."""
    names = [f"l{index:02}" for index in range(count)]
    rainbows = [
        Rainbow(
            [[names[j] for j in {i - far, i + far} if 0 <= j < count] for far in range(max(i + 1, count - i))]
        )
        for i in range(count)
    ]
    return path(*map(str, rainbows))


def rows(graph: RainbowGraph, privacy: Privacy) -> dict[str, list[str]]:
    """Return the max-min boundary as text, columns in the order of the sorted colors."""
    return {
        str(rainbow): [str(value) for value in distribution.values()]
        for rainbow, distribution in max_min(graph, privacy).distributions.items()
    }


# Of each graph the odds, and the rows of its rainbows in the order of text.
BY_HAND: list[tuple[RainbowGraph, str, list[str]]] = [
    # Each gives the other's color at least 1/E of the other's best mass.
    (complete("a>b>c", "b>c>a"), "3/2", ["3/5 2/5 0", "2/5 3/5 0"]),
    # The middle gives z/2 to both neighbors' colors: z = 1/2. The first region gives c at least half of what
    # the middle does, and all the rest to b.
    (path("a>b>c", "b>a>c", "c>b>a"), "2", ["1/2 3/8 1/8", "1/4 1/2 1/4", "1/8 3/8 1/2"]),
    (path("a>b>c", "b>a>c", "c>b>a"), "1", ["1/3 1/3 1/3"] * 3),
    # The first two regions block each other at E/(1+E); the third, tied one can still have everything.
    (path("a>b>c", "b>a>c", "a=b>c"), "2", ["1/2 1/2 0", "2/3 1/3 0", "1/3 2/3 0"]),
    # Certainty of a in one region forbids b in the other.
    (path("a>b>c", "a=b>c"), "2", ["1 0 0", "1 0 0"]),
    # Both best-class masses are E/(E+1) and use up a and b; c and d stay 0 for both.
    (complete("a>c>b>d", "b>d>a>c"), "3", ["3/4 1/4 0 0", "1/4 3/4 0 0"]),
    # One region's second prefix rules out d, the other's rules out b, and nothing is left to share.
    (complete("a=b>c>d", "c=d>a>b"), "3", ["3/4 0 1/4 0", "1/4 0 3/4 0"]),
]


@pytest.mark.parametrize(("graph", "odds", "expected"), BY_HAND)
def test_small_graphs_have_the_boundary_found_by_hand(
    graph: RainbowGraph, odds: str, expected: list[str]
) -> None:
    assert [" ".join(row) for row in rows(graph, PureDP(f"ln({odds})")).values()] == expected


@pytest.mark.parametrize("odds", ODDS)
def test_figure_1_gives_every_region_the_odds_against_two(odds: str) -> None:
    # Around every region the other two colors are best somewhere, so z + 2 z/E <= 1.
    graph, value = figure_1(), Fraction(odds)
    condition = max_min(graph, PureDP(f"ln {odds}" if "/" not in odds else f"ln({odds})"))
    assert len(graph.touching) == 11
    for rainbow, distribution in condition.distributions.items():
        assert distribution[rainbow.ordered[0]] == value / (value + 2)
        assert distribution[rainbow.ordered[1]] == 1 / (value + 2)
    assert condition.notes == ()


@pytest.mark.parametrize(
    "privacy",
    [
        *(ApproxDP(f"ln({odds})", delta) for odds, delta in zip(ODDS, [*DELTAS, "1"], strict=True)),
        PureDP(1),
        GaussianDP(1),
        GaussianDP("1/10"),
    ],
    ids=str,
)
@pytest.mark.parametrize("order", ["a>b>c b>c>a c>a>b", "a>b>c>d b>c>a>d c>d=a=b d>c>b>a"])
def test_where_all_regions_touch_it_is_randomized_response(privacy: Privacy, order: str) -> None:
    graph = complete(*order.split())
    expected = randomized_response(graph, privacy)
    assert max_min(graph, privacy) == expected
    (component,) = components(graph.rainbows, [(touch.first, touch.second) for touch in graph.touching])
    loss = 0 if privacy.is_rational else 5e-8
    for row, p in zip(solve(component, privacy).table, expected.distributions.values(), strict=True):
        for found, exact in zip(row, p.values(), strict=True):
            assert abs(to_float(found - exact, "nearest")) <= loss


def test_the_loss_for_irrational_odds_is_below_2_to_the_minus_64() -> None:
    t = OddsExpression.odds(Fraction(1))
    condition = max_min(figure_1(), PureDP(1))
    for rainbow, distribution in condition.distributions.items():
        lost = t / (t + 2) - distribution[rainbow.ordered[0]]
        assert 0 <= lost <= Fraction(1, 2**64)
        assert distribution.is_rational
    (note,) = condition.notes
    assert "rounded inward" in note
    assert "2^-64" in note


def test_components_are_solved_apart_and_regions_without_boundary_left_out() -> None:
    graph = RainbowGraph.from_edges(
        [("p", "q"), ("r", "s")], {"p": "a>b>c", "q": "b>a>c", "r": "b>c>a", "s": "c>b>a", "alone": "c>a>b"}
    )
    condition = max_min(graph, PureDP("ln 2"))
    assert [str(rainbow) for rainbow in condition.distributions] == ["a>b>c", "b>a>c", "b>c>a", "c>b>a"]
    third = Fraction(1, 3)
    expected = [[2 * third, third, 0], [third, 2 * third, 0], [0, 2 * third, third], [0, third, 2 * third]]
    assert [list(p.values()) for p in condition.distributions.values()] == expected
    assert (
        max_min(RainbowGraph.from_edges([("x", "y")], {"x": "a>b", "y": "a>b"}), PureDP(1)).distributions
        == {}
    )


@pytest.mark.parametrize("privacy", [PureDP("ln 2"), ApproxDP("ln 2", "1/50"), PureDP(1)], ids=str)
def test_the_order_of_the_input_does_not_matter(privacy: Privacy) -> None:
    pairs = FIGURE_1_PAIRS
    expected = max_min(figure_1(), privacy)
    for seed in range(3):
        rng = random.Random(seed)
        shuffled = [pair if rng.random() < 0.5 else pair[::-1] for pair in rng.sample(pairs, len(pairs))]
        names = sorted({rainbow for pair in pairs for rainbow in pair}, key=lambda _: rng.random())
        assert max_min(region_graph(names, shuffled), privacy) == expected


@pytest.mark.parametrize(("odds", "delta"), [("20", "0"), ("3", "1/1000000")])
def test_tiny_probabilities_of_many_levels_are_exact(odds: str, delta: str) -> None:
    graph, privacy = levels(12), ApproxDP(f"ln {odds}", delta)
    condition = max_min(graph, privacy)
    assert check_boundary(condition, graph, privacy) == ()
    smallest = min(min(map(as_fraction, p.values())) for p in condition.distributions.values())
    if delta == "0":
        assert 0 < smallest < Fraction(1, int(odds) ** 9)
    assert not condition.notes


@pytest.mark.parametrize("privacy", [PureDP("1e-30"), ApproxDP(800, "1/50"), GaussianDP(50)], ids=str)
def test_extreme_parameters_are_as_private_as_others(privacy: Privacy) -> None:
    graph = path("a>b>c", "b>a>c", "c>b>a")
    condition = max_min(graph, privacy)
    assert check_boundary(condition, graph, privacy) == ()
    best = min(to_float(p.mass(r.classes[0]), "nearest") for r, p in condition.distributions.items())
    assert best >= 1 / 3


@pytest.mark.parametrize("epsilon", [67, 10**6])
def test_no_epsilon_is_too_large(epsilon: int) -> None:
    # The best class of every region could have all but some e^-epsilon; what is lost to that is below 2^-64.
    for graph in (figure_1(), path("a=b>c", "c>b>a", "b>a>c")):
        condition = max_min(graph, PureDP(epsilon))
        for rainbow, distribution in condition.distributions.items():
            assert 0 <= 1 - as_fraction(distribution.mass(rainbow.classes[0])) <= Fraction(1, 2**64)
        assert "2^-64" in condition.notes[0]


class BruteForce:
    """Best-class and prefix masses by trying every region and every event.

    Nothing is shared with the package: all events are constraints, and a region is blocked where a program
    of its own cannot raise it.
    """

    def __init__(self, graph: RainbowGraph, odds: float, delta: float) -> None:
        self.graph, self.colors = graph, len(graph.colors)
        self.count = len(graph.rainbows)
        self.place = {color: index for index, color in enumerate(graph.colors)}
        self.limits: list[tuple[list[float], float]] = []
        for touch in graph.touching:
            for ours, theirs in ((touch.first, touch.second), (touch.second, touch.first)):
                for size in range(1, self.colors):
                    for event in itertools.combinations(range(self.colors), size):
                        entries = [e for c in event for e in ((ours, c, 1.0), (theirs, c, -odds))]
                        self.limits.append((self.line(entries), delta))

    def line(self, entries: Iterable[tuple[int, int, float]], level: float = 0.0) -> list[float]:
        made = [0.0] * (self.count * self.colors + 1)
        for region, color, value in entries:
            made[region * self.colors + color] += value
        made[-1] = level
        return made

    def mass(self, region: int, classes: int, sign: float = 1.0, level: float = 0.0) -> list[float]:
        groups = self.graph.rainbows[region].classes[:classes]
        return self.line(((region, self.place[c], sign) for group in groups for c in group), level)

    def largest(self, objective: Sequence[float], more: Sequence[tuple[list[float], float]] = ()) -> float:
        limits = [*self.limits, *more]
        every = range(self.colors)
        found = linprog(
            [-value for value in objective],
            A_ub=[row for row, _ in limits],
            b_ub=[value for _, value in limits],
            A_eq=[self.line((region, color, 1.0) for color in every) for region in range(self.count)],
            b_eq=[1.0] * self.count,
            bounds=(0, None),
            method="highs",
        )
        assert found.success
        return -float(found.fun or 0.0)

    def leximin(self) -> list[float]:
        fixed: dict[int, float] = {}
        while len(fixed) < self.count:
            rising = [region for region in range(self.count) if region not in fixed]
            raised = self.line((), 1.0)
            level = self.largest(raised, [(self.mass(region, 1, -1.0, 1.0), 0.0) for region in rising])
            floor = [(self.mass(region, 1, -1.0), -level + 1e-9) for region in rising]
            blocked = [r for r in rising if self.largest(self.mass(r, 1), floor) < level + 1e-6]
            assert blocked
            fixed |= dict.fromkeys(blocked, level)
            self.limits += [(self.mass(region, 1, -1.0), -level + 1e-9) for region in blocked]
        return [fixed[region] for region in range(self.count)]

    def prefixes(self) -> list[list[float]]:
        reached: list[list[float]] = []
        for region, rainbow in enumerate(self.graph.rainbows):
            reached.append([])
            for classes in range(2, len(rainbow.classes)):
                value = self.largest(self.mass(region, classes))
                reached[-1].append(value)
                self.limits.append((self.mass(region, classes, -1.0), -value + 1e-9))
        return reached


RAINBOWS = st.permutations(["a", "b", "c"]).flatmap(
    lambda order: st.lists(st.sampled_from("=>>>"), min_size=2, max_size=2).map(
        lambda signs: str(Rainbow.parse(order[0] + signs[0] + order[1] + signs[1] + order[2]))
    )
)


@st.composite
def region_graphs(draw: st.DrawFn, largest: int = 5) -> RainbowGraph:
    """Draw a connected graph of up to five regions over three colors, some of them tied."""
    rainbows = draw(st.lists(RAINBOWS, min_size=2, max_size=largest, unique=True))
    pairs = [
        (rainbows[draw(st.integers(0, index - 1))], rainbows[index]) for index in range(1, len(rainbows))
    ]
    pairs += draw(st.lists(st.sampled_from(list(itertools.combinations(rainbows, 2))), max_size=4))
    return region_graph(rainbows, pairs)


@settings(max_examples=20)
@given(region_graphs(), st.sampled_from(ODDS), st.sampled_from(DELTAS))
def test_leximin_and_prefixes_agree_with_brute_force(graph: RainbowGraph, odds: str, delta: str) -> None:
    oracle = BruteForce(graph, float(Fraction(odds)), float(Fraction(delta)))
    masses, prefixes = oracle.leximin(), oracle.prefixes()
    condition = max_min(graph, ApproxDP(f"ln({odds})", delta))
    for rainbow, mass, others in zip(graph.rainbows, masses, prefixes, strict=True):
        found = condition.distributions[rainbow].prefix_masses(rainbow)
        assert float(as_fraction(found[0])) == pytest.approx(mass, abs=1e-6)
        assert [float(as_fraction(value)) for value in found[1:-1]] == pytest.approx(others, abs=1e-6)


@settings(max_examples=20)
@given(
    region_graphs(),
    st.sampled_from(
        [
            *(PureDP(f"ln({odds})") for odds in ODDS),
            *(ApproxDP(f"ln({odds})", "1/50") for odds in ODDS),
            PureDP(0),
            PureDP(1),
            PureDP("1e-6"),
            ApproxDP(1, "1/50"),
            ApproxDP(0, "1/50"),
            GaussianDP(1),
            GaussianDP("1/20"),
        ]
    ),
)
def test_it_is_private_exactly_and_at_least_as_good_as_the_response(
    graph: RainbowGraph, privacy: Privacy
) -> None:
    condition = max_min(graph, privacy)
    assert check_boundary(condition, graph, privacy) == ()
    allowed = 1e-7 if isinstance(privacy, GaussianDP) else 2.0**-64
    smallest, response = (
        min(to_float(p.mass(r.classes[0]), "nearest") for r, p in made.distributions.items())
        for made in (condition, randomized_response(graph, privacy))
    )
    assert smallest >= response - allowed - 1e-15


def gaussian_back(mass: float, mu: float) -> float:
    return float(norm.cdf(norm.ppf(mass) - mu))


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_gaussian_max_min_on_a_path_solves_the_equation_of_its_middle(mu: float) -> None:
    # The middle region gives each neighbor's color at least what that neighbor's best mass demands.
    best = float(brentq(lambda z: z + 2 * gaussian_back(z, mu) - 1, 0.2, 1 - 1e-12, xtol=1e-14))
    graph = path("a>b>c", "b>a>c", "c>b>a")
    condition = max_min(graph, GaussianDP(mu))
    found = [to_float(p.mass(r.classes[0]), "nearest") for r, p in condition.distributions.items()]
    assert found == pytest.approx([best] * 3, abs=5e-8)
    (note,) = condition.notes
    stated = re.search(r"at most (\S+) below", note)
    assert stated
    assert 0 <= best - min(found) <= float(stated[1]) < 1e-7


@given(
    st.lists(st.integers(0, 30), min_size=4, max_size=4).filter(any),
    st.lists(st.integers(0, 30), min_size=4, max_size=4).filter(any),
    st.sampled_from(["1/10", "1", "ln 3", "4"]),
    st.fractions(min_value=Fraction(1, 1000), max_value=1000),
)
def test_a_cut_never_cuts_off_what_is_private(
    first: list[int], second: list[int], mu: str, slope: Fraction
) -> None:
    p, q = ([Fraction(weight, sum(weights)) for weight in weights] for weights in (first, second))
    privacy = GaussianDP(mu)
    colors = "abcd"
    private = privacy.admits(
        Distribution(dict(zip(colors, p, strict=True))), Distribution(dict(zip(colors, q, strict=True)))
    )
    for size in range(1, 4):
        for event in itertools.combinations(range(4), size):
            cut = gaussian_cut(0, 1, event, slope, privacy.mu)
            broken = sum(p[c] for c in event) > slope * sum(q[c] for c in event) + cut.room
            assert not (private and broken)
            assert max(Fraction(0), 1 - slope) <= cut.room <= 1


def test_what_is_too_large_is_refused_with_a_way_on(monkeypatch: pytest.MonkeyPatch) -> None:
    rainbows, privacy = ("a>b>c", "b>a>c", "c>b>a"), PureDP("ln 2")
    monkeypatch.setattr(leximin, "LARGEST_PROGRAM", 8)
    with pytest.raises(SolverError, match="3 regions with 3 colors and 2 touching pairs") as e:
        max_min(path(*rainbows), privacy)
    assert "randomized-response" in e.value.help
    with pytest.raises(SolverError, match=r"17 regions with 17 colors .* beyond 250 probabilities"):
        max_min(levels(17), GaussianDP(1))
    # Where all of them touch there is nothing to solve.
    graph = complete(*rainbows)
    assert max_min(graph, privacy) == randomized_response(graph, privacy)


def test_a_boundary_that_is_not_private_never_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    certain = tuple(tuple(Fraction(int(color == region)) for color in range(3)) for region in range(3))
    monkeypatch.setattr(ready_made, "solve", lambda *_: Solution(certain, ""))
    with pytest.raises(NotVerifiedError, match="failed its own check"):
        max_min(path("a>b>c", "b>a>c", "c>b>a"), PureDP("ln 2"))


@pytest.mark.parametrize("epsilon", ["1e-30", "1000"])
@pytest.mark.parametrize(
    "rainbows", [("c>b>a", "a=b>c"), ("a=b>c", "a=b=c"), ("a=b>c", "c>a=b", "b>c>a")], ids=" ".join
)
def test_rounding_gives_nothing_to_colors_that_no_region_uses(
    rainbows: tuple[str, ...], epsilon: str
) -> None:
    count = len(rainbows)
    graph = RainbowGraph.from_arrays(range(count - 1), range(1, count), rainbows)
    privacy = PureDP(epsilon)
    condition = max_min(graph, privacy)
    check_boundary(condition, graph, privacy)
    used = {color for row in condition.distributions.values() for color in row if row[color] != 0}
    assert all(row[color] != 0 for row in condition.distributions.values() for color in used)


@pytest.mark.parametrize("privacy", [ApproxDP(1, "1/50"), GaussianDP(1)], ids=str)
def test_progress_goes_up_to_the_whole(privacy: Privacy) -> None:
    rainbows = ["a>b>c", "b>a>c", "c>b=a", "b>c>a", "a>b>c"]
    graph = RainbowGraph.from_arrays([0, 1, 3], [1, 2, 4], rainbows)
    told: list[tuple[int, int]] = []
    quiet = max_min(graph, privacy)
    assert max_min(graph, privacy, progress=lambda *steps: told.append(steps)) == quiet
    done, totals = zip(*told, strict=True)
    assert len(set(totals)) == 1
    assert list(done) == sorted(done)
    assert done[0] < done[-1] == totals[0]
    told.clear()
    optimal_mechanism(graph, privacy, "max-min", progress=lambda *steps: told.append(steps))
    assert told[-1] == (totals[0], totals[0])
