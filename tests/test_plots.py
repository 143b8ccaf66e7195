# SPDX-License-Identifier: Apache-2.0
"""Figures: what they show is what the values say, and one value gives one file."""

import ast
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
from rainbowdp.formats import read_graph
from rainbowdp.graph import RainbowGraph, listed
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.planning import plan
from rainbowdp.plots import plot_line, plot_plan, plot_solution
from rainbowdp.plots.layout import ring_with_arms, spread
from rainbowdp.plots.panels import bands
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
    return Line(rainbow, boundary, privacy or PureDP("ln(6/5)"))


EXAMPLE = line_of(EXAMPLES[1][0])


def strict(names: Iterable[str]) -> Rainbow:
    """Return the rainbow without ties."""
    return Rainbow([[name] for name in names])


def even_line(names: Iterable[str]) -> Line:
    rainbow = strict(names)
    share = f"1/{len(rainbow.colors)}"
    return Line(rainbow, Distribution(dict.fromkeys(rainbow.colors, share)), PureDP("ln(6/5)"))


def solved(graph: RainbowGraph, *where: Path, **options: Any) -> Figure:  # noqa: ANN401 - of `plot_solution`
    return plot_solution(graph, optimal_mechanism(graph, PureDP(1), "uniform"), *where, **options)


def halves(size: int, palette: Iterable[Rainbow | str] = ("y>n", "n>y")) -> RainbowGraph:
    """Return a path whose second half has another rainbow."""
    return path(size).rainbow_graph(list(palette), (np.arange(size) >= size // 2).astype(int))


def by_sum(family: Family, *, at_least: int, palette: Iterable[str] = ("y>n", "n>y")) -> RainbowGraph:
    return family.rainbow_graph(list(palette), (family.values.sum(axis=1) >= at_least).astype(int))


def texts(figure: Figure) -> list[str]:
    found = [text.get_text() for axes in figure.axes for text in axes.texts]
    titles = [axes.get_title(loc=loc) for axes in figure.axes for loc in ("left", "center")]
    others = [text.get_text() for text in figure.texts]
    return [text for text in (*found, *titles, *others) if text]


def legend_texts(figure: Figure) -> list[str]:
    (found,) = figure.findobj(Legend)
    return [text.get_text() for text in found.get_texts()]


def vertical_lines(figure: Figure) -> set[int]:
    places = [np.asarray(line.get_xdata()) for line in figure.axes[0].lines]
    return {int(each[0]) for each in places if len(each) == 2 and np.ptp(each) == 0}


def figure_1_graph() -> RainbowGraph:
    return read_graph(ROOT / "examples/figure1-nodes.csv", ROOT / "examples/figure1-edges.csv")


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
    assert legend_texts(figure) == ["blue", "red", "green"]
    figure.canvas.draw()
    one, other = (text.get_window_extent() for text in figure.axes[0].texts)
    assert not one.overlaps(other)


def test_thresholds_outside_the_picture_are_named() -> None:
    figure = plot_line(line_of({"blue": "0", "red": "3/55", "green": "52/55"}), range(5))
    assert vertical_lines(figure) == set()
    assert any("τ(blue) endless, τ(blue+red) = 12" in text for text in texts(figure))
    equal = plot_line(line_of({"blue": "9/10", "red": "1/20", "green": "1/20"}), range(5))
    assert vertical_lines(equal) == {0}
    assert "τ(blue) = τ(blue+red) = 0" in texts(equal)
    assert vertical_lines(plot_line(line_of(EXAMPLES[1][0], GaussianDP("1/5")), range(31))) == set()


NASTY = (
    *("$x$", "$", r"\frac{", "_hidden", "", " ", "\ud800", "\x00\x1b[31m", "a\nb", "日本語", "😀", "שלום"),
    *("x" * 5000, "^_{", "%s", "{0}", "none", "_nolegend_", "\u202e", "#ff0000", "red "),
)


@pytest.mark.parametrize("suffix", [".png", pytest.param(".pdf", marks=pytest.mark.release)])
@pytest.mark.filterwarnings("ignore:Glyph")
def test_no_color_and_no_name_makes_a_figure_fail_or_huge(tmp_path: Path, suffix: str) -> None:
    colors = [*NASTY, *(f"a rather long name of an answer, number {number}" for number in range(39))]
    palette = [strict(NASTY), strict(reversed(NASTY))]
    labels = ["$a$", "\x1b[0m", "b\nc", "_u", "\ud800", "x" * 50]
    graph = RainbowGraph.from_codes(path(6).structure, palette, [0, 0, 0, 1, 1, 1], labels)
    figures = [
        plot_line(even_line(colors), range(9), tmp_path / f"line{suffix}"),
        solved(graph, tmp_path / f"graph{suffix}"),
        solved(halves(400, palette), tmp_path / f"large{suffix}"),
    ]
    assert all(file.stat().st_size > 5000 for file in tmp_path.iterdir())
    for figure in figures:
        box = figure.get_tightbbox(figure.canvas.get_renderer())  # type: ignore[attr-defined]  # Agg has one
        assert max(box.width, box.height) < 13
    shown = legend_texts(figures[0])
    assert (len(shown), shown[-1]) == (40, "and 21 more")


def test_legends_show_every_color_as_it_is() -> None:
    colors = ("$x$", "_hidden", "a\tb", "blue ")
    graph = RainbowGraph.from_arrays([0], [1], [strict(colors), strict(reversed(colors))])
    for figure in (plot_line(even_line(colors), range(3)), solved(graph)):
        assert set(legend_texts(figure)) == {"$x$", "_hidden", r"a\tb", '"blue "'}
        formulas = [text for text in figure.findobj(Text) if "$" in text.get_text()]
        assert formulas
        assert not any(text.get_parse_math() for text in formulas)


@pytest.mark.parametrize("distances", [range(10**12, 6, -1), [*range(7, 90_000), 10**12]])
def test_many_distances_are_thinned_with_both_ends_kept(distances: Iterable[int]) -> None:
    shown = np.asarray(plot_line(EXAMPLE, distances).axes[0].lines[0].get_xdata())
    assert (shown[0], shown[-1]) == (7, 10**12)
    assert 1000 < shown.size <= 2000


def test_curves_are_told_apart_without_their_colors() -> None:
    line = line_of({"a": "1/4", "b": "1/4", "c": "1/2"}, rainbow="c>a=b")
    styles = {curve.get_label(): curve.get_linestyle() for curve in plot_line(line, range(9)).axes[0].lines}
    assert styles["a"] != styles["b"]
    curves = plot_line(even_line(f"party {at:02}" for at in range(24)), range(100)).axes[0].lines[:24]
    assert len({(curve.get_marker(), str(vars(curve)["_dash_pattern"])) for curve in curves}) == 24


def test_figure_1_has_its_datasets_pairs_and_boundary_graph(figure_1: tuple[RainbowGraph, Mechanism]) -> None:
    graph, mechanism = figure_1
    # The rows of the mechanism come in another order and are found by their labels.
    back = np.arange(graph.size)[::-1]
    names = np.array([graph.label(dataset) for dataset in back.tolist()])
    figure = plot_solution(graph, replace(mechanism, codes=mechanism.codes[back], labels=names))
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


def test_captions_say_who_is_in_a_node_how_deep_it_is_and_how_likely_it_is_right() -> None:
    free = RainbowGraph.from_arrays([0, 1], [1, 2], ["y>n", "y>n", "n>y", "y>n"])
    assert "3\nno boundary, P = 1" in texts(solved(free))
    # A probability below 1 is not shown as 1.
    assert "0\ni = 7, P > 0.999" in texts(solved(halves(16)))
    rainbows = ["y>n", "y>n", "n>y", "n>y"]
    star = RainbowGraph.from_arrays([0, 1, 0], [3, 3, 2], rainbows)
    uneven = Mechanism.from_table(rainbows, np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75], [0.25, 0.75]]))
    drawn = texts(plot_solution(star, uneven))
    assert {"0, 1\ni = 0, P = 0.25 to 0.5", "2, 3\ni = 0, P = 0.25"} <= set(drawn)


def test_a_large_graph_shows_datasets_per_distance_and_the_least_and_most_probable_of_them() -> None:
    graph = by_sum(grid(20, 20), at_least=16, palette=("a>b", "b>a"))
    first = np.linspace(0.25, 0.75, graph.size)
    uneven = Mechanism.from_table(
        [graph.rainbows[region] for region in graph.regions.tolist()], np.stack([first, 1 - first], axis=1)
    )
    figure = plot_solution(graph, uneven)
    assert "400 datasets, 760 pairs of neighbors, 2 regions" in texts(figure)
    bars = [each for axes in figure.axes for each in axes.patches if isinstance(each, StepPatch)]
    curves = [axes.lines for axes in figure.axes if len(axes.lines) == 2]
    for region, (bar, (least, most)) in enumerate(zip(bars, curves, strict=True)):
        distances = graph.distance.filled(-1)[graph.regions == region]
        np.testing.assert_array_equal(bar.get_data()[0], np.bincount(distances))
        masses = (first, 1 - first)[region][graph.regions == region]
        lows, highs = np.asarray(least.get_ydata()), np.asarray(most.get_ydata())
        for at, low, high in zip(np.asarray(least.get_xdata()), lows, highs, strict=True):
            there = masses[distances == at]
            assert (low, high) == (pytest.approx(there.min()), pytest.approx(there.max()))
    assert len(bars) == 2


def karate_club() -> RainbowGraph:
    club = nx.karate_club_graph()
    first, second = "Hi>Officer", "Officer>Hi"
    rainbows = {node: first if at["club"] == "Mr. Hi" else second for node, at in club.nodes(data=True)}
    return RainbowGraph.from_edges(list(club.edges), rainbows)


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
    "cube": lambda: by_sum(hypercube(6), at_least=3),
    "karate": karate_club,
}


@pytest.mark.parametrize("name", CROWDED)
def test_names_and_disks_keep_clear_of_each_other(name: str) -> None:
    graph = CROWDED[name]()
    figure = solved(graph)
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
    inner = [box.padded(-1.5) for box in names[: graph.size]]
    for line in (arrow for arrow in arrows if arrow is not None):
        start, end = line.get_transform().transform(line.get_path().vertices)[[0, -1]]
        points = start + np.linspace(0, 1, 99)[:, None] * (end - start)
        # No line crosses another name than its own.
        assert sum(any(box.contains(*point) for point in points) for box in inner) <= 1
    for box in names[: graph.size]:
        nearest = np.clip(centers, [box.x0, box.y0], [box.x1, box.y1])
        assert np.linalg.norm(nearest - centers, axis=1).min() > 0.9 * radius


def test_long_names_are_shortened_and_a_key_says_them_whole() -> None:
    ends = ["Bavaria, the free state", "Saarland and Lorraine"]
    graph = RainbowGraph.from_edges([tuple(ends)], dict(zip(ends, ["y>n", "n>y"], strict=True)))
    drawn = texts(solved(graph))
    shown = [text for text in drawn if "…" in text and "\n" not in text and ":" not in text]
    assert max(map(len, shown)) <= 14
    for short, name in zip(sorted(shown), ends, strict=True):
        assert any(f"{short}: {name}" in text for text in drawn)


def test_names_that_differ_in_the_middle_are_told_apart() -> None:
    places = ("Aland", "Bland", "Cland")
    long = [f"hospital of the county of {place} in the northern state" for place in places]
    rainbows = {name: [*long[at:], *long[:at]] for at, name in enumerate(long)}
    figure = solved(RainbowGraph.from_edges(pairwise(long), rainbows))
    assert all(any(name in text for text in texts(figure)) for name in long)
    assert all(place in text for place, text in zip(places, legend_texts(figure), strict=True))
    # The boundary graph has the names that the key explains.
    assert {"1\ni = 0, P = 0.333", "2\ni = 0, P = 0.333"} <= set(texts(figure))
    line = line_of(dict(zip(long, ("3/55", "9/55", "43/55"), strict=True)), rainbow=">".join(long))
    assert any("Aland" in text and "Bland" in text for text in texts(plot_line(line, range(31))))


def test_small_disks_show_the_best_answer_alone() -> None:
    graph = by_sum(grid(10, 11), at_least=10)
    figure = solved(graph)
    pieces = next(each for each in figure.axes[0].collections if isinstance(each, PolyCollection))
    assert len(pieces.get_paths()) == graph.size
    want = [paint(graph.colors)[rainbow.ordered[0]] for rainbow in graph.rainbows]
    assert [to_hex(face) for face in np.asarray(pieces.get_facecolor())] == [
        want[region] for region in graph.regions
    ]
    assert "filled with the best answer" in figure.legends[0].get_title().get_text()


def test_places_and_axes_of_ones_own() -> None:
    graph, places = karate_club(), nx.circular_layout(nx.karate_club_graph())
    mine = Figure(figsize=(12, 6))
    FigureCanvasAgg(mine)
    left, right = mine.subplots(1, 2)
    assert solved(graph, ax=[left, right], pos=places) is mine
    *_, rims = left.collections
    centers = np.array([each.vertices.mean(axis=0) for each in rims.get_paths()])
    want = np.array([places[node] for node in range(graph.size)])
    scale = np.ptp(centers) / np.ptp(want)
    np.testing.assert_allclose(centers - centers.mean(axis=0), (want - want.mean(axis=0)) * scale, atol=0.05)
    mine.set_size_inches(3, 9)
    mine.canvas.draw()
    disk = left.transData.transform(rims.get_paths()[0].vertices)
    assert np.ptp(disk[:, 0]) == pytest.approx(np.ptp(disk[:, 1]), rel=0.01)
    assert plot_line(EXAMPLE, ax=mine.add_axes((0, 0, 0.3, 0.3))) is mine
    # By default as far as the best color has 99 in 100.
    shown = np.asarray(plot_line(EXAMPLE).axes[0].lines[0].get_xdata())
    assert shown[0] == 0
    assert EXAMPLE.probabilities([int(shown[-1])])[0, EXAMPLE.rainbow.colors.index("blue")] > 0.99


@pytest.mark.parametrize(
    ("size", "options", "message"),
    [
        (18, {"pos": {"a": (0, 0)}}, "two coordinates"),
        (18, {"pos": "circle"}, "two coordinates"),
        (18, {"ax": 3}, "one to 2 axes"),
        (400, {"pos": np.zeros((400, 2))}, "drawn as histograms"),
        (3, {}, "3 datasets and the mechanism 18"),
    ],
)
def test_wrong_places_axes_and_mechanisms_are_refused(
    size: int, options: dict[str, Any], message: str, figure_1: tuple[RainbowGraph, Mechanism]
) -> None:
    graph = figure_1[0] if size == 18 else halves(size)
    mechanism = optimal_mechanism(graph, PureDP(1), "uniform") if size == 400 else figure_1[1]
    with pytest.raises(UsageError, match=message):
        plot_solution(graph, mechanism, **options)


def test_distances_at_which_a_probability_rises_have_half_of_the_width() -> None:
    graph = halves(1000)
    figure = plot_solution(graph, optimal_mechanism(graph, PureDP("0.1"), "uniform"))
    axes = next(axes for axes in figure.axes if axes.get_xlabel())
    left, risen, right = (float(axes.transData.transform((x, 0))[0]) for x in (0, 47, 499))
    assert risen - left > (right - left) / 2
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_a_plan_with_one_privacy_has_a_color_per_mechanism() -> None:
    one = plan(ASKED.question, [PureDP("0.1")])
    for planned, want in (one, 4), (ASKED, 2):
        drawn = plot_plan(planned)
        assert len({line.get_color() for axes in drawn.axes for line in axes.lines}) == want
        assert "winner of A, B, C" in texts(drawn)[-1]
        assert set(drawn.axes[0].get_xticks()) <= {row.lead for _, row in planned.rows}
    with pytest.raises(UsageError, match="must be 2 axes"):
        plot_plan(one, ax=Figure().subplots())
    own = Figure().subplots(1, 2)
    plot_plan(one, ax=own)
    assert all(len(axes.lines) == 4 for axes in own)


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files_have_the_form_of_their_suffix_and_are_the_same_every_time(
    tmp_path: Path, suffix: str, start: bytes
) -> None:
    # Red and green have patterns, whose names in a file could be random.
    graph = RainbowGraph.from_arrays([0], [1], ["red>green", "green>red"])
    files = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
    for file in files:
        solved(graph, file)
    one, two = (file.read_bytes() for file in files)
    assert one == two
    assert one.startswith(start)
    assert len(one) > 5000
    assert set(tmp_path.iterdir()) == set(files)


def settings() -> dict[str, object]:
    # Looking at the backend would make matplotlib choose one.
    return {key: mpl.rcParams[key] for key in mpl.rcParams if key != "backend"}


def test_files_do_not_depend_on_the_users_style(tmp_path: Path) -> None:
    plot_line(EXAMPLE, range(31), tmp_path / "plain.svg")
    with mpl.rc_context({"font.size": 30, "svg.hashsalt": None, "lines.linewidth": 9}):
        before = settings()
        plot_line(EXAMPLE, range(31), tmp_path / "styled.svg")
        assert settings() == before
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "styled.svg").read_bytes()


def figure_1_in_a_ring(**options: Any) -> Figure:  # noqa: ANN401 - of `plot_solution`
    graph = figure_1_graph()
    turns = np.linspace(0, 2 * np.pi, graph.size, endpoint=False)
    ring = dict(zip(graph, np.column_stack([np.cos(turns), np.sin(turns)]), strict=True))
    return solved(graph, pos=ring, **options)


ASKED = plan(winner("vote", ["A", "B", "C"]), [PureDP("0.1"), PureDP(1)])
DRAWN: dict[str, tuple[Callable[..., Figure], int]] = {
    "line": (lambda **options: EXAMPLE.plot(range(31), **options), 1),
    "plan": (ASKED.plot, 2),
    "solution": (figure_1_in_a_ring, 2),
    "histogram": (lambda **options: solved(by_sum(grid(20, 20), at_least=20), **options), 0),
}
"""Every figure, and how many axes it takes."""

TOLERANCE = 8  # matplotlib 3.9 and 3.11 differ by 6


def difference(figure: Figure, name: str, path: Path) -> object:
    """Compare a figure with a picture, without texts, which every version of matplotlib draws differently."""
    for text in figure.findobj(Text):
        text.set_visible(False)
    figure.savefig(path, dpi=45)
    return compare_images(str(ROOT / f"tests/figures/{name}.png"), str(path), TOLERANCE)


@pytest.mark.parametrize("name", DRAWN)
def test_figures_look_as_they_did(name: str, tmp_path: Path) -> None:
    assert difference(DRAWN[name][0](), name, tmp_path / "drawn.png") is None


@pytest.mark.parametrize("name", DRAWN)
def test_every_figure_takes_a_title_of_ones_own(name: str) -> None:
    title = "epsilon = $1$, by the book"
    draw, most = DRAWN[name]
    (found,) = [text for text in draw(title=title).findobj(Text) if title in text.get_text()]
    assert not found.get_parse_math()
    if most:
        axes = Figure().subplots(1, most, squeeze=False)[0].tolist()
        draw(title=title, ax=axes)
        assert title in {axes[0].get_title(loc=loc) for loc in ("left", "center")}


def test_a_figure_of_something_else_looks_different(tmp_path: Path) -> None:
    found = difference(line_of(EXAMPLES[2][0]).plot(range(31)), "line", tmp_path / "drawn.png")
    assert "Image files did not match" in str(found)


@pytest.mark.parametrize("name", ["figure.gif", "figure", ".svg"])
def test_other_suffixes_are_refused_before_anything_is_drawn(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be written") as caught:
        plot_line(EXAMPLE, [], tmp_path / name)
    assert ".svg" in caught.value.help
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="no distance"):
        plot_line(EXAMPLE, [])


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as caught:
        plot_line(EXAMPLE, range(3))
    assert caught.value.help == "pip install 'rainbowdp[plot]'"


def test_figures_leave_pyplot_alone_and_matplotlib_to_the_first_figure() -> None:
    program = "import sys, rainbowdp.plots\nassert 'matplotlib' not in sys.modules\n"
    subprocess.run([sys.executable, "-c", program], check=True)
    for file in (ROOT / "src/rainbowdp/plots").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.Import | ast.ImportFrom) or "pyplot" not in ast.unparse(node)


@pytest.mark.parametrize("text", ["a", "b>a=c", "a=b=c", "a>b=c=d>e"])
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


def test_colors_named_after_colors_get_their_own_and_others_different_ones() -> None:
    tones = paint(["red", "Navy", "gold", "green"])
    assert (tones["Navy"], tones["gold"]) == (to_hex("navy"), to_hex("gold"))
    red, green, blue = (int(tones["red"][i : i + 2], 16) for i in (1, 3, 5))
    assert red > 2 * max(green, blue)
    assert is_light(tones["gold"])
    assert not is_light(tones["Navy"])
    names = [*(f"option {number}" for number in range(40)), "red"]
    tones = paint(names)
    assert len(set(tones.values())) == 41
    assert paint(reversed(names)) == tones


@pytest.mark.parametrize(
    "names", [["blue", "red", "green"], ["darkred", "maroon"], ["brown", "firebrick", "maroon"]]
)
def test_colors_that_look_alike_have_different_patterns(names: list[str]) -> None:
    assert len(set(patterns(paint(names)).values())) > 1
    assert set(patterns(paint("abcdefgh")).values()) == {""}


def test_a_lattice_is_drawn_straight() -> None:
    structure = listed(grid(5, 4).structure)
    places = spread(structure)
    source, target = structure.pairs()
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
