# SPDX-License-Identifier: Apache-2.0
"""Figures: what they show is what the values say, and one value gives one file."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import StepPatch
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text

from rainbowdp import plots
from rainbowdp.distribution import Distribution
from rainbowdp.errors import MissingExtraError, UsageError
from rainbowdp.families import Family, grid, hypercube, path
from rainbowdp.graph import RainbowGraph, listed
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.planning import plan
from rainbowdp.plots import plot_line, plot_solution
from rainbowdp.plots.layout import ring_with_arms, spread
from rainbowdp.plots.panels import bands
from rainbowdp.plots.planning import plot_plan
from rainbowdp.plots.style import is_light, paint, patterns
from rainbowdp.privacy import GaussianDP, Privacy, PureDP
from rainbowdp.questions import winner
from rainbowdp.rainbow import Rainbow

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {
    1: ({"blue": "3/55", "red": "9/55", "green": "43/55"}, {12, 5}),
    2: ({"blue": "9/55", "red": "3/55", "green": "43/55"}, {6, 5}),
}


def line_of(
    boundary: dict[str, str], privacy: Privacy | None = None, rainbow: str = "blue>red>green"
) -> Line:
    return Line(Rainbow.parse(rainbow), Distribution(boundary), privacy or PureDP("ln(6/5)"))


def texts(figure: Figure) -> list[str]:
    found = [text.get_text() for axes in figure.axes for text in axes.texts]
    titles = [axes.get_title(loc=loc) for axes in figure.axes for loc in ("left", "center")]
    others = [text.get_text() for text in figure.texts]
    return [text for text in (*found, *titles, *others) if text]


def vertical_lines(figure: Figure) -> set[int]:
    return {
        int(np.asarray(line.get_xdata())[0])
        for line in figure.axes[0].lines
        if len(np.asarray(line.get_xdata())) == 2 and np.ptp(np.asarray(line.get_xdata())) == 0
    }


def figure_1_graph() -> RainbowGraph:
    rows = [line.split(",") for line in (ROOT / "examples/figure1-nodes.csv").read_text().splitlines()[1:]]
    edges = [line.split(",") for line in (ROOT / "examples/figure1-edges.csv").read_text().splitlines()[1:]]
    return RainbowGraph.from_edges(edges, dict(rows))


@pytest.fixture(scope="module")
def figure_1() -> tuple[RainbowGraph, Mechanism]:
    graph = figure_1_graph()
    return graph, optimal_mechanism(graph, PureDP("ln 2"), "uniform")


@pytest.mark.parametrize("example", EXAMPLES)
def test_figure_2_shows_the_line_and_both_thresholds(example: int) -> None:
    boundary, thresholds = EXAMPLES[example]
    line = line_of(boundary)
    figure = plot_line(line, range(31))
    curves = {str(curve.get_label()): curve for curve in figure.axes[0].lines}
    table = line.probabilities(range(31))
    for column, color in enumerate(line.rainbow.colors):
        np.testing.assert_array_equal(np.asarray(curves[color].get_ydata()), table[:, column])
        assert curves[color].get_marker() != ""
    assert vertical_lines(figure) == thresholds
    written = " ".join(texts(figure))
    assert all(
        f"τ({name}) = {t}" in written for name, t in zip(("blue", "blue+red"), line.thresholds, strict=True)
    )
    assert "epsilon=ln(6/5)" in written
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["blue", "red", "green"]


def test_thresholds_outside_the_picture_are_named() -> None:
    line = line_of({"blue": "0", "red": "3/55", "green": "52/55"})
    figure = plot_line(line, range(5))
    assert vertical_lines(figure) == set()
    assert any("τ(blue) endless, τ(blue+red) = 12" in text for text in texts(figure))
    equal = plot_line(line_of({"blue": "9/10", "red": "1/20", "green": "1/20"}), range(5))
    assert vertical_lines(equal) == {0}
    assert "τ(blue) = τ(blue+red) = 0" in texts(equal)
    assert vertical_lines(plot_line(line_of(EXAMPLES[1][0], GaussianDP("1/5")), range(31))) == set()


def test_labels_of_close_thresholds_do_not_cover_each_other() -> None:
    figure = plot_line(line_of(EXAMPLES[2][0]), range(31))
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 2
    assert not boxes[0].overlaps(boxes[1])


NASTY = (
    *("$x$", "$", r"\frac{", "_hidden", "", " ", "\ud800", "\x00\x1b[31m", "a\nb", "日本語", "😀", "שלום"),
    *("x" * 5000, "^_{", "%s", "{0}", "none", "_nolegend_", "\u202e", "#ff0000", "red "),
)


@pytest.mark.parametrize("suffix", [".png", pytest.param(".pdf", marks=pytest.mark.release)])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_no_color_and_no_name_makes_a_figure_fail(tmp_path: Path, suffix: str) -> None:
    rainbow = Rainbow([[color] for color in NASTY])
    line = Line(rainbow, Distribution(dict.fromkeys(NASTY, f"1/{len(NASTY)}")), PureDP("ln(6/5)"))
    plot_line(line, range(9), tmp_path / f"line{suffix}")
    labels = ["$a$", "\x1b[0m", "b\nc", "_u", "\ud800", "x" * 50]
    structure = path(6).structure
    palette = [rainbow, Rainbow([[color] for color in reversed(NASTY)])]
    graph = RainbowGraph.from_codes(structure, palette, [0, 0, 0, 1, 1, 1], labels)
    plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"), tmp_path / f"graph{suffix}")
    large = path(400).rainbow_graph(palette, (np.arange(400) >= 200).astype(int))
    plot_solution(large, optimal_mechanism(large, PureDP(1), "uniform"), tmp_path / f"large{suffix}")
    assert all(file.stat().st_size > 5000 for file in tmp_path.iterdir())


def legend_texts(figure: Figure) -> list[str]:
    (found,) = figure.findobj(Legend)
    return [text.get_text() for text in found.get_texts()]


def test_legends_show_every_color_as_it_is() -> None:
    colors = ("$x$", "_hidden", "a\tb", "blue ")
    want = {"$x$", "_hidden", r"a\tb", '"blue "'}
    rainbow = Rainbow([[color] for color in colors])
    figure = plot_line(Line(rainbow, Distribution(dict.fromkeys(colors, "1/4")), PureDP(1)), range(3))
    assert set(legend_texts(figure)) == want
    graph = RainbowGraph.from_arrays([0], [1], [rainbow, Rainbow(reversed(rainbow.classes))])
    drawn = plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"))
    assert set(legend_texts(drawn)) == want
    for each in (figure, drawn):
        formulas = [text for text in each.findobj(Text) if "$" in text.get_text()]
        assert formulas
        assert not any(text.get_parse_math() for text in formulas)


@pytest.mark.parametrize("count", [pytest.param(2, marks=pytest.mark.release), 60])
def test_long_names_do_not_make_a_figure_huge(count: int) -> None:
    colors = [f"a rather long name of an answer, number {number}" for number in range(count)]
    rainbow = Rainbow([[color] for color in colors])
    line = Line(rainbow, Distribution(dict.fromkeys(colors, f"1/{count}")), PureDP("ln(6/5)"))
    palette = [rainbow, Rainbow(reversed(rainbow.classes))]
    graph = RainbowGraph.from_arrays([0], [1], palette)
    large = path(301).rainbow_graph(palette, (np.arange(301) >= 99).astype(int))
    figures = [plot_line(line, range(31))]
    figures += [plot_solution(each, optimal_mechanism(each, PureDP(1), "uniform")) for each in (graph, large)]
    for figure in figures:
        box = figure.get_tightbbox(figure.canvas.get_renderer())  # type: ignore[attr-defined]  # Agg has one
        assert box.width < 13
        assert box.height < 12
    shown = legend_texts(figures[0])
    assert len(shown) == min(count, 40)
    assert shown[-1] == (f"and {count - 39} more" if count > 40 else shown[-1])
    assert shown[0].startswith("a rather long")
    assert shown[0].endswith("number 0")


@pytest.mark.parametrize("distances", [range(10**12, 6, -1), [*range(7, 90_000), 10**12]])
def test_many_distances_are_thinned_with_both_ends_kept(distances: Iterable[int]) -> None:
    figure = plot_line(line_of(EXAMPLES[1][0]), distances)
    shown = np.asarray(figure.axes[0].lines[0].get_xdata())
    assert (shown[0], shown[-1]) == (7, 10**12)
    assert 1000 < shown.size <= 2000


def test_tied_colors_with_one_curve_stay_visible() -> None:
    line = line_of({"a": "1/4", "b": "1/4", "c": "1/2"}, rainbow="c>a=b")
    styles = {curve.get_label(): curve.get_linestyle() for curve in plot_line(line, range(9)).axes[0].lines}
    assert styles["a"] != styles["b"]


def test_figure_1_has_its_datasets_pairs_and_boundary_graph(figure_1: tuple[RainbowGraph, Mechanism]) -> None:
    graph, mechanism = figure_1
    figure = plot_solution(graph, mechanism)
    left, right = figure.axes
    assert left.get_title() == "rainbow graph: 18 datasets, 31 pairs of neighbors"
    assert right.get_title() == "boundary graph: 11 nodes, 16 edges"
    for axes, nodes, edges in ((left, 18, 31), (right, 11, 16)):
        pieces, red, rims = [each for each in axes.collections if isinstance(each, PolyCollection)]
        (lines,) = [each for each in axes.collections if isinstance(each, LineCollection)]
        found = [len(each.get_paths()) for each in (pieces, red, rims, lines)]
        assert found == [3 * nodes, nodes, nodes, edges]
        # Red and green look alike to some people.
        assert red.get_hatch() is not None
    assert sorted(text.get_text() for text in left.texts) == sorted("abcdefghijklmnopqr")
    np.testing.assert_array_equal(np.asarray(left.collections[-1].get_linewidth()) > 1, graph.boundary)
    captions = {text.get_text() for text in right.texts}
    assert {"a\ni = 2, P = 0.833", "b, f\ni = 1, P = 0.667", "c, g\ni = 0, P = 0.333"} <= captions
    assert len(captions) == 11


def test_a_mechanism_is_drawn_by_its_labels(figure_1: tuple[RainbowGraph, Mechanism]) -> None:
    graph, mechanism = figure_1
    back = np.arange(graph.size)[::-1]
    names = [graph.label(dataset) for dataset in back.tolist()]
    reversed_rows = replace(mechanism, codes=mechanism.codes[back], labels=np.array(names))
    drawn, expected = (set(texts(plot_solution(graph, each))) for each in (reversed_rows, mechanism))
    assert drawn == expected


def test_members_of_a_node_with_different_probabilities_are_shown_from_least_to_most() -> None:
    rainbows = ["y>n", "y>n", "n>y", "n>y"]
    star = RainbowGraph.from_arrays([0, 1, 0], [3, 3, 2], rainbows)
    uneven = Mechanism.from_table(rainbows, np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75], [0.25, 0.75]]))
    assert {"0, 1\ni = 0, P = 0.25 to 0.5", "2, 3\ni = 0, P = 0.25"} <= set(
        texts(plot_solution(star, uneven))
    )


def test_a_distance_of_a_large_graph_shows_the_least_and_the_most() -> None:
    family = grid(20, 20)
    graph = family.rainbow_graph(["a>b", "b>a"], (family.values.sum(axis=1) > 15).astype(int))
    first = np.linspace(0.25, 0.75, graph.size)
    uneven = Mechanism.from_table(
        [graph.rainbows[region] for region in graph.regions.tolist()], np.stack([first, 1 - first], axis=1)
    )
    curves = [axes.lines for axes in plot_solution(graph, uneven).axes if len(axes.lines) == 2]
    assert len(curves) == 2
    for region, (least, most) in enumerate(curves):
        masses = (first, 1 - first)[region]
        for at, low, high in zip(
            *(np.asarray(each) for each in (*least.get_data(), most.get_ydata())), strict=True
        ):
            there = masses[(graph.regions == region) & (graph.distance.filled(-1) == at)]
            assert (low, high) == (pytest.approx(there.min()), pytest.approx(there.max()))


def karate_club() -> RainbowGraph:
    club = nx.karate_club_graph()
    first, second = "Hi>Officer", "Officer>Hi"
    rainbows = {node: first if at["club"] == "Mr. Hi" else second for node, at in club.nodes(data=True)}
    return RainbowGraph.from_edges(list(club.edges), rainbows)


def by_sum(family: Family, *, at_least: int) -> RainbowGraph:
    return family.rainbow_graph(["y>n", "n>y"], (family.values.sum(axis=1) >= at_least).astype(int))


def apart() -> RainbowGraph:
    """Return components of which two have no boundary."""
    whole = nx.disjoint_union_all([nx.path_graph(4), nx.cycle_graph(5), nx.empty_graph(2)])
    return RainbowGraph.from_edges(
        list(whole.edges), {at: "a>b" if at in {0, 1, 9} else "b>a" for at in whole}
    )


def around() -> RainbowGraph:
    """Return a cycle of 24 regions."""
    colors = [f"c{at:02}" for at in range(24)]
    cycle = nx.cycle_graph(48)
    return RainbowGraph.from_edges(
        list(cycle.edges), {at: colors[at // 2 :] + colors[: at // 2] for at in cycle}
    )


CROWDED = {
    "components": apart,
    "24 regions": around,
    "figure 1": figure_1_graph,
    "grid": lambda: by_sum(grid(6, 6), at_least=5),
    "cube": lambda: by_sum(hypercube(6), at_least=3),
    "karate": karate_club,
}


@pytest.mark.parametrize("name", CROWDED)
def test_names_and_disks_keep_clear_of_each_other(name: str) -> None:
    graph = CROWDED[name]()
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP("ln 2"), "uniform"))
    figure.canvas.draw()
    names = [Text.get_window_extent(text) for axes in figure.axes for text in axes.texts]
    assert len(names) > graph.size
    key = [text.get_window_extent() for text in figure.texts]
    assert [pair for pair in combinations([*names, *key], 2) if pair[0].overlaps(pair[1])] == []
    axes = figure.axes[0]
    *_, rims = axes.collections
    disks = [axes.transData.transform(each.vertices) for each in rims.get_paths()]
    centers = np.array([disk.mean(axis=0) for disk in disks])
    radius = np.ptp(disks[0][:, 0]) / 2
    apart = [float(np.linalg.norm(one - other)) for one, other in combinations(centers, 2)]
    assert min(apart) > 1.9 * radius
    arrows = (getattr(text, "arrow_patch", None) for text in axes.texts)
    lines = [line for line in arrows if line is not None]
    for line in lines:
        start, end = line.get_transform().transform(line.get_path().vertices)[[0, -1]]
        points = start + np.linspace(0, 1, 99)[:, None] * (end - start)
        inner = [box.padded(-1.5) for box in names[: graph.size]]
        # No line crosses another name than its own.
        assert sum(any(box.contains(*point) for point in points) for box in inner) <= 1
    for box in names[: graph.size]:
        nearest = np.clip(centers, [box.x0, box.y0], [box.x1, box.y1])
        assert np.linalg.norm(nearest - centers, axis=1).min() > 0.9 * radius


def test_long_names_are_shortened_and_a_key_says_them_whole() -> None:
    ends = ["Saarland and Lorraine", "Bavaria, the free state"]
    graph = RainbowGraph.from_edges([tuple(ends)], dict(zip(ends, ["y>n", "n>y"], strict=True)))
    drawn = texts(plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform")))
    shown = [text for text in drawn if "…" in text and "\n" not in text and ":" not in text]
    assert len(shown) == 2
    assert max(map(len, shown)) <= 14
    assert all(
        any(f"{short}: {name}" in text for text in drawn)
        for short, name in zip(sorted(shown), sorted(ends), strict=True)
    )


def test_names_that_differ_in_the_middle_are_told_apart() -> None:
    long = [
        f"hospital of the county of {place} in the northern state" for place in ("Aland", "Bland", "Cland")
    ]
    graph = RainbowGraph.from_edges(
        pairwise(long), {name: [*long[at:], *long[:at]] for at, name in enumerate(long)}
    )
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"))
    assert all(any(name in text for text in texts(figure)) for name in long)
    assert all(
        place in text for place, text in zip(("Aland", "Bland", "Cland"), legend_texts(figure), strict=True)
    )
    given = Figure().subplots()
    solved(graph, ax=given)
    assert all(any(name in text.get_text() for text in given.texts) for name in long)
    # The boundary graph has the names that the key explains.
    assert {"1\ni = 0, P = 0.333", "2\ni = 0, P = 0.333"} <= set(texts(figure))
    line = line_of(dict(zip(long, ("3/55", "9/55", "43/55"), strict=True)), rainbow=">".join(long))
    assert any("Aland" in text and "Bland" in text for text in texts(plot_line(line, range(31))))


def test_small_disks_show_the_best_answer_alone() -> None:
    graph = by_sum(grid(15, 16), at_least=15)
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"))
    pieces = next(each for each in figure.axes[0].collections if isinstance(each, PolyCollection))
    assert len(pieces.get_paths()) == graph.size
    want = [paint(graph.colors)[rainbow.ordered[0]] for rainbow in graph.rainbows]
    assert [to_hex(face) for face in np.asarray(pieces.get_facecolor())] == [
        want[region] for region in graph.regions
    ]
    assert "filled with the best answer" in figure.legends[0].get_title().get_text()


def test_places_and_axes_of_ones_own() -> None:
    graph = karate_club()
    mechanism = optimal_mechanism(graph, PureDP(1), "uniform")
    places = nx.circular_layout(nx.karate_club_graph())
    mine = Figure(figsize=(12, 6))
    FigureCanvasAgg(mine)
    left, right = mine.subplots(1, 2)
    assert plot_solution(graph, mechanism, ax=[left, right], pos=places) is mine
    *_, rims = left.collections
    centers = np.array([each.vertices.mean(axis=0) for each in rims.get_paths()])
    want = np.array([places[node] for node in range(graph.size)])
    scale = np.ptp(centers) / np.ptp(want)
    np.testing.assert_allclose(centers - centers.mean(axis=0), (want - want.mean(axis=0)) * scale, atol=0.05)
    mine.set_size_inches(3, 9)
    mine.canvas.draw()
    disk = left.transData.transform(rims.get_paths()[0].vertices)
    assert np.ptp(disk[:, 0]) == pytest.approx(np.ptp(disk[:, 1]), rel=0.01)
    line = line_of(EXAMPLES[1][0])
    assert plot_line(line, ax=mine.add_axes((0, 0, 0.3, 0.3))) is mine
    # By default as far as the best color has 99 in 100.
    shown = np.asarray(plot_line(line).axes[0].lines[0].get_xdata())
    assert shown[0] == 0
    assert line.probabilities([int(shown[-1])])[0, line.rainbow.colors.index("blue")] > 0.99


DRAWN: dict[str, Callable[..., Figure]] = {
    "line": lambda **options: line_of(EXAMPLES[1][0]).plot(**options),
    "plan": lambda **options: plan(winner("vote", ["A", "B"]), [PureDP(1)]).plot(**options),
    "solution": lambda **options: solved(by_sum(grid(3, 3), at_least=2), **options),
    "histogram": lambda **options: solved(by_sum(grid(20, 20), at_least=20), **options),
}


def solved(graph: RainbowGraph, **options: Any) -> Figure:  # noqa: ANN401 - as of `plot_solution`
    return plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"), **options)


@pytest.mark.parametrize("name", DRAWN)
def test_every_figure_takes_a_title_of_ones_own(name: str) -> None:
    title = "epsilon = $1$, by the book"
    (found,) = [text for text in DRAWN[name](title=title).findobj(Text) if title in text.get_text()]
    assert not found.get_parse_math()
    if name != "histogram":
        axes = Figure().subplots()
        DRAWN[name](title=title, ax=axes)
        assert title in {axes.get_title(loc=loc) for loc in ("left", "center")}


@pytest.mark.parametrize(
    "options",
    [{"pos": {"a": (0, 0)}}, {"pos": [[0, 0]] * 3}, {"pos": "circle"}, {"ax": 3}, {"ax": []}],
    ids=str,
)
def test_wrong_places_and_axes_are_refused(
    options: dict[str, Any], figure_1: tuple[RainbowGraph, Mechanism]
) -> None:
    with pytest.raises(UsageError) as caught:
        plot_solution(*figure_1, **options)
    assert caught.value.values["argument"] in options


def test_a_large_graph_takes_no_places() -> None:
    graph = by_sum(grid(20, 20), at_least=20)
    with pytest.raises(UsageError, match="drawn as histograms"):
        plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"), pos=np.zeros((400, 2)))


def test_distances_at_which_a_probability_rises_have_half_of_the_width() -> None:
    family = path(1000)
    graph = family.rainbow_graph(["y>n", "n>y"], (np.arange(1000) >= 500).astype(int))
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP("0.1"), "uniform"))
    axes = next(axes for axes in figure.axes if axes.get_xlabel())
    left, risen, right = (float(axes.transData.transform((x, 0))[0]) for x in (0, 47, 499))
    assert risen - left > (right - left) / 2
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


@pytest.mark.parametrize(
    "names", [["blue", "red", "green"], ["darkred", "maroon"], ["brown", "firebrick", "maroon"]]
)
def test_colors_that_look_alike_have_different_patterns(names: list[str]) -> None:
    found = patterns(paint(names))
    assert len(set(found.values())) > 1
    assert set(patterns(paint("abcdefgh")).values()) == {""}


def test_24_curves_differ_without_their_colors() -> None:
    names = [f"party {number:02}" for number in range(24)]
    line = line_of(dict.fromkeys(names, "1/24"), rainbow=">".join(names))
    curves = plot_line(line, range(100)).axes[0].lines[:24]
    assert len({(curve.get_marker(), str(vars(curve)["_dash_pattern"])) for curve in curves}) == 24


def test_a_plan_with_one_privacy_has_a_color_per_mechanism() -> None:
    for privacies, want in ([PureDP("0.1")], 4), ([PureDP("0.1"), PureDP(1)], 2):
        drawn = plot_plan(plan(winner("vote", ["A", "B", "C"]), privacies))
        lines = [line for axes in drawn.axes for line in axes.lines]
        assert len({line.get_color() for line in lines}) == want
        assert "winner of A, B, C" in texts(drawn)[-1]
        leads = [row.lead for _, row in plan(winner("vote", ["A", "B", "C"]), privacies).rows]
        assert set(drawn.axes[0].get_xticks()) <= set(leads)
    with pytest.raises(UsageError, match="must be 2 axes"):
        plot_plan(plan(winner("vote", ["A", "B", "C"]), [PureDP(1)]), ax=Figure().subplots())
    own = Figure().subplots(1, 2)
    plot_plan(plan(winner("vote", ["A", "B", "C"]), [PureDP(1)]), ax=own)
    assert all(len(axes.lines) == 4 for axes in own)


def test_a_dataset_without_a_boundary_is_called_so() -> None:
    graph = RainbowGraph.from_arrays([0, 1], [1, 2], ["y>n", "y>n", "n>y", "y>n"])
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"))
    assert "3\nno boundary, P = 1" in texts(figure)


def test_a_probability_below_1_is_not_shown_as_1() -> None:
    graph = path(80).rainbow_graph(["y>n", "n>y"], (np.arange(80) >= 40).astype(int))
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"))
    assert "0\ni = 39, P > 0.999" in texts(figure)


def test_a_large_graph_is_shown_by_the_number_of_datasets_per_distance() -> None:
    family = grid(20, 20)
    graph = family.rainbow_graph(["a>b=c", "b>a=c"], (family.values.sum(axis=1) > 15).astype(int))
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"))
    drawn = [axes for axes in figure.axes if any(isinstance(each, StepPatch) for each in axes.patches)]
    assert len(drawn) == 2
    for axes, region in zip(drawn, range(2), strict=True):
        (bars,) = [each for each in axes.patches if isinstance(each, StepPatch)]
        want = np.bincount(graph.distance.compressed()[graph.regions == region])
        np.testing.assert_array_equal(bars.get_data()[0], want)
    assert "400 datasets, 760 pairs of neighbors, 2 regions" in texts(figure)


@pytest.mark.release
def test_the_largest_drawing_is_still_drawn() -> None:
    assert graph_of(plots.LARGEST_DRAWING).axes[0].get_title().startswith("rainbow graph: 300 datasets")
    assert texts(graph_of(plots.LARGEST_DRAWING + 1))[-1].startswith("301 datasets")


def graph_of(size: int) -> Figure:
    family = path(size)
    graph = family.rainbow_graph(["y>n", "n>y"], (np.arange(size) % 2).astype(int))
    return plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"))


def test_a_mechanism_of_another_graph_is_refused(figure_1: tuple[RainbowGraph, Mechanism]) -> None:
    graph = path(3).rainbow_graph(["red>blue>green"], [0, 0, 0])
    with pytest.raises(UsageError, match="3 datasets and the mechanism 18"):
        plot_solution(graph, figure_1[1])


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files_have_the_form_of_their_suffix_and_are_the_same_every_time(
    tmp_path: Path, figure_1: tuple[RainbowGraph, Mechanism], suffix: str, start: bytes
) -> None:
    contents = []
    for name in ("one", "two"):
        target = tmp_path / f"{name}{suffix}"
        plot_solution(*figure_1, target)
        contents.append(target.read_bytes())
    assert contents[0] == contents[1]
    assert contents[0].startswith(start)
    assert len(contents[0]) > 5000
    assert {file.name for file in tmp_path.iterdir()} == {f"one{suffix}", f"two{suffix}"}


def settings() -> dict[str, object]:
    # Looking at the backend would make matplotlib choose one.
    return {key: mpl.rcParams[key] for key in mpl.rcParams if key != "backend"}


def test_files_do_not_depend_on_the_users_style(tmp_path: Path) -> None:
    line = line_of(EXAMPLES[1][0])
    plot_line(line, range(31), tmp_path / "plain.svg")
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": None, "lines.linewidth": 9}):
        before = settings()
        plot_line(line, range(31), tmp_path / "styled.svg")
        assert settings() == before
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "styled.svg").read_bytes()


def figure_1_in_a_ring() -> Figure:
    graph = figure_1_graph()
    turns = np.linspace(0, 2 * np.pi, graph.size, endpoint=False)
    ring = dict(zip(graph, np.column_stack([np.cos(turns), np.sin(turns)]), strict=True))
    return solved(graph, pos=ring)


LOOKS: dict[str, Callable[[], Figure]] = {
    "line": lambda: line_of(EXAMPLES[1][0]).plot(range(31)),
    "plan": lambda: plot_plan(plan(winner("vote", ["A", "B", "C"]), [PureDP("0.1"), PureDP(1)])),
    "solution": figure_1_in_a_ring,
    "histogram": lambda: solved(by_sum(grid(20, 20), at_least=20)),
}
TOLERANCE = 8  # matplotlib 3.9 and 3.11 differ by 6


def without_texts(figure: Figure, path: Path) -> str:
    """Write a figure without its texts, which every version of matplotlib draws in its own way."""
    for text in figure.findobj(Text):
        text.set_visible(False)
    figure.savefig(path, dpi=45)
    return str(path)


@pytest.mark.parametrize("name", LOOKS)
def test_figures_look_as_they_did(name: str, tmp_path: Path) -> None:
    drawn = without_texts(LOOKS[name](), tmp_path / "drawn.png")
    assert compare_images(str(ROOT / f"tests/figures/{name}.png"), drawn, TOLERANCE) is None


def test_a_figure_of_something_else_looks_different(tmp_path: Path) -> None:
    drawn = without_texts(line_of(EXAMPLES[2][0]).plot(range(31)), tmp_path / "drawn.png")
    assert "Image files did not match" in str(
        compare_images(str(ROOT / "tests/figures/line.png"), drawn, TOLERANCE)
    )


@pytest.mark.parametrize("name", ["figure.gif", "figure", ".svg", "figure.svg.gz"])
def test_other_suffixes_are_refused_before_anything_is_drawn(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be written") as caught:
        plot_line(line_of(EXAMPLES[1][0]), [], tmp_path / name)
    assert ".svg" in caught.value.help
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="no distance"):
        plot_line(line_of(EXAMPLES[1][0]), [])


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as caught:
        plot_line(line_of(EXAMPLES[1][0]), range(3))
    assert caught.value.help == "pip install 'rainbowdp[plot]'"


def test_figures_leave_pyplot_alone_and_matplotlib_to_the_first_figure() -> None:
    program = (
        "import sys\n"
        "from rainbowdp.plots import plot_line\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from rainbowdp.distribution import Distribution\n"
        "from rainbowdp.line import Line\n"
        "from rainbowdp.privacy import PureDP\n"
        "from rainbowdp.rainbow import Rainbow\n"
        "plot_line(Line(Rainbow.parse('y>n'), Distribution({'y': 0, 'n': 1}), PureDP(1)), range(3))\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("text", ["a", "a>b", "b>a=c", "a=b=c", "a>b=c=d>e", "e>d>c>b>a", "a=b=c=d=e"])
def test_bands_fill_the_disk_with_the_best_class_on_top(text: str) -> None:
    rainbow = Rainbow.parse(text)
    pieces = bands(rainbow)
    assert [color for color, _ in pieces] == list(rainbow.ordered)
    area = sum(
        abs(np.sum(p[:, 0] * np.roll(p[:, 1], 1) - np.roll(p[:, 0], 1) * p[:, 1])) / 2 for _, p in pieces
    )
    assert area == pytest.approx(np.pi, rel=0.01)
    assert all(np.hypot(*piece.T).max() < 1 + 1e-9 for _, piece in pieces)
    heights = {color: float(piece[:, 1].mean()) for color, piece in pieces}
    tops = [[heights[color] for color in group] for group in rainbow.classes]
    assert all(len({round(height, 9) for height in group}) == 1 for group in tops)
    assert [group[0] for group in tops] == sorted((group[0] for group in tops), reverse=True)


def test_colors_named_after_colors_get_their_own() -> None:
    tones = paint(["red", "Navy", "gold", "green"])
    assert (tones["Navy"], tones["gold"]) == (to_hex("navy"), to_hex("gold"))
    red, green, blue = (int(tones["red"][i : i + 2], 16) for i in (1, 3, 5))
    assert red > 2 * max(green, blue)
    assert is_light(tones["gold"])
    assert not is_light(tones["Navy"])


def test_other_colors_get_different_tones_and_keep_them() -> None:
    names = [f"option {number}" for number in range(40)]
    tones = paint([*names, "red"])
    assert len(set(tones.values())) == 41
    assert paint(reversed([*names, "red"])) == tones


def test_a_lattice_is_drawn_straight() -> None:
    places = spread(listed(grid(5, 4).structure))
    source, target = listed(grid(5, 4).structure).pairs()
    ahead = np.abs(places[target] - places[source])
    assert float(ahead.min(axis=1).max()) < 0.2
    assert float(np.median(ahead.max(axis=1))) == pytest.approx(1, abs=0.1)


def test_arms_lead_outward_from_a_ring() -> None:
    regions, distances = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 0, 1, 0, -1])
    places, outward = ring_with_arms(regions, distances)
    away = np.linalg.norm(places, axis=1)
    assert away[0] < away[1] < away[2]
    assert away[[0, 3, 5]] == pytest.approx(away[0])
    assert np.all(np.abs(outward[[0, 3, 5], 1]) > 0.4)
    assert places[6, 1] < places[:6, 1].min() - 1
