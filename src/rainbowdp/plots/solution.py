# SPDX-License-Identifier: Apache-2.0
"""A solved graph as a figure: beside its boundary graph, or as histograms where it is large.

A small rainbow graph is drawn dataset by dataset (the paper's figure 1). Of a large one the number of
datasets at each distance to the boundary is drawn, region by region.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from rainbowdp.errors import printable
from rainbowdp.graph import listed
from rainbowdp.graph.morphism import BoundaryMorphism, boundary_morphism
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.plots.drawing import (
    Points,
    clearest_directions,
    draw_graph,
    draw_label,
    ring_with_arms,
    spread,
)
from rainbowdp.plots.style import INK, SHADE, caption, captions, is_light, legend, new_figure, paint

_LONGEST_LABEL = 14
_LONGEST_LIST = 16
_HEAD = 0.4  # inches, as all up to the next blank line
_FOOT = 0.65
_RIM = 0.55
_CAPTION_RIM = 1.4
_WIDEST = 7.5
_NARROWEST = 4.2
_HIGHEST = 6.5
_LARGEST_UNIT = 0.85
_LEGIBLE_UNIT = 0.4
_CAPTION_STEP = 0.3
_LEGEND_ROW = 0.18
_CHARACTER = 0.075  # of a legend's text
_HANDLE = 0.45  # with the gap before the next column

_MOST_LABELS = 100


def draw_solution(graph: RainbowGraph, mechanism: Mechanism) -> Figure:
    """Draw the graph and its boundary graph; see `rainbowdp.plots.plot_solution`."""
    tones = paint(graph.colors)
    morphism = boundary_morphism(graph)
    left = spread(listed(graph.structure))
    distances = np.asarray(morphism.class_distance.filled(-1), dtype=np.int64)
    right, outward = ring_with_arms(np.asarray(morphism.class_region, dtype=np.int64), distances)
    rims = np.array([[_RIM, _RIM], [_CAPTION_RIM, _RIM]])
    spans = np.array([np.ptp(places, axis=0) for places in (left, right)])
    room = np.array([_WIDEST, _HIGHEST]) - 2 * rims
    scales = np.minimum(_LARGEST_UNIT, (room / np.maximum(spans, 1e-9)).min(axis=1))
    extents = spans * scales[:, None] + 2 * rims
    widths = np.maximum(extents[:, 0], _NARROWEST).tolist()
    height = float(extents[:, 1].max())
    columns = _legend_columns(list(tones), sum(widths))
    foot = _FOOT + _LEGEND_ROW * (-(-len(captions(list(tones))) // columns) - 1)
    page = (sum(widths), height + _HEAD + foot)
    figure = new_figure(*page)
    axes, other = figure.subplots(1, 2, width_ratios=widths)
    figure.subplots_adjust(left=0, right=1, bottom=foot / page[1], top=1 - _HEAD / page[1], wspace=0)
    for panel, places, scale, width in zip((axes, other), (left, right), scales, widths, strict=True):
        middle = (places.min(axis=0) + places.max(axis=0)) / 2
        half = np.array([width, height]) / scale / 2
        panel.set_xlim(float(middle[0] - half[0]), float(middle[0] + half[0]))
        panel.set_ylim(float(middle[1] - half[1]), float(middle[1] + half[1]))
        panel.set_axis_off()
    _draw_datasets(axes, graph, left, tones, float(scales[0]))
    written = _captions(graph, morphism, mechanism)
    _draw_boundary_graph(other, morphism, right, outward, written, tones=tones, scale=float(scales[1]))
    _draw_legend(figure, tones, columns)
    return figure


def _draw_datasets(
    axes: Axes, graph: RainbowGraph, places: Points, tones: Mapping[str, str], scale: float
) -> None:
    radius = _radius(places)
    draw_graph(axes, graph, places, graph.boundary, radius, tones=tones)
    names = [printable(graph.label(dataset)) for dataset in range(graph.size)]
    legible = scale >= _LEGIBLE_UNIT and graph.size <= _MOST_LABELS
    if legible and max(map(len, names)) <= _LONGEST_LABEL:
        directions = clearest_directions(listed(graph.structure), places)
        for place, toward, name in zip(places, directions, names, strict=True):
            draw_label(axes, place, toward, radius, name, size=8.5)
    axes.set_title(
        f"rainbow graph: {_count(graph.size, 'dataset')}, {_count(graph.pair_count, 'pair')} of neighbors"
    )


def _draw_boundary_graph(
    axes: Axes,
    morphism: BoundaryMorphism,
    places: Points,
    outward: Points,
    captions: Sequence[str],
    *,
    tones: Mapping[str, str],
    scale: float,
) -> None:
    image = morphism.boundary_graph
    radius = min(_radius(places), 0.24)
    heavy = np.asarray(morphism.class_distance.filled(-1) == 0)
    draw_graph(axes, image, places, heavy, radius, tones=tones)
    for node in _captioned(morphism, places, scale):
        # A steep arm has free paper at its outer side, away from its next node; a flat one above.
        away = outward[node]
        steep, side = abs(away[1]) > 0.3, 1.0 if away[0] > -1e-9 else -1.0
        slope = 0.0 if abs(away[1]) > 0.9 else -0.6 * float(np.sign(away[1]))
        toward = np.array([side, slope]) if steep else np.array([0.0, 1.0])
        draw_label(axes, places[node], toward, radius, captions[node], size=7.5, turn=0 if steep else 35)
    axes.set_title(f"boundary graph: {_count(image.size, 'node')}, {_count(image.pair_count, 'edge')}")


def _captioned(morphism: BoundaryMorphism, places: Points, scale: float) -> list[int]:
    """Choose the nodes that get a caption: along every arm as many as have room, both ends among them."""
    chosen: list[int] = []
    regions, distances = np.asarray(morphism.class_region), morphism.class_distance.filled(-1)
    for region in np.unique(regions).tolist():
        arm = np.flatnonzero((regions == region) & (distances >= 0))
        if arm.size:
            across, along = np.abs(places[arm[-1]] - places[arm[0]]) * scale
            # Captions of two lines need room above each other, turned ones beside each other.
            length = float(along if along > 0.3 * across else across)
            room = min(arm.size, int(length / _CAPTION_STEP) + 1)
            chosen.extend(arm[np.unique(np.linspace(0, arm.size - 1, room).round().astype(int))].tolist())
    return [*chosen, *np.flatnonzero(distances < 0).tolist()]


def _captions(graph: RainbowGraph, morphism: BoundaryMorphism, mechanism: Mechanism) -> list[str]:
    """Say for each node of the boundary graph who is in it, how far it is, and what its best class gets."""
    order = np.argsort(morphism.codes, kind="stable")
    starts = np.searchsorted(morphism.codes[order], np.arange(morphism.size + 1))
    captions = []
    for code, (first, last) in enumerate(pairwise(starts.tolist())):
        distance = morphism.class_distance[code]
        free = distance is np.ma.masked
        where = "no boundary" if free else f"i = {int(distance)}"
        masses = best_masses(graph, mechanism, order[first:last])
        chance = _chance(float(masses.min()), float(masses.max()), surely=bool(free))
        captions.append(f"{_members(graph, order[first:last])}\n{where}, {chance}")
    return captions


def _chance(least: float, most: float, surely: bool) -> str:
    """Say a probability, or the least and the most; one that may lie below 1 is never shown as 1."""
    low, high = (
        f"{mass:.3g}" if mass < 0.9995 or (surely and mass == 1) else "> 0.999" for mass in (least, most)
    )
    if low != high:
        return f"P = {low} to {high}"
    return f"P {low}" if low.startswith(">") else f"P = {low}"


def _members(graph: RainbowGraph, datasets: NDArray[np.int64]) -> str:
    """Name as many datasets as fit, and count the rest."""
    text = printable(graph.label(int(datasets[0])))
    if len(text) > _LONGEST_LABEL:
        return _count(datasets.size, "dataset")
    named = 1
    while (
        named < datasets.size
        and len(longer := f"{text}, {printable(graph.label(int(datasets[named])))}") <= _LONGEST_LIST
    ):
        text, named = longer, named + 1
    return text if named == datasets.size else f"{text} + {datasets.size - named}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def best_masses(
    graph: RainbowGraph, mechanism: Mechanism, datasets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the probability of the best class at some datasets of one region."""
    best = graph.rainbows[int(graph.regions[datasets[0]])].classes[0]
    columns = [mechanism.colors.index(color) for color in best]
    return mechanism.table[mechanism.codes[datasets]][:, columns].sum(axis=1)


def _radius(places: Points) -> float:
    """Return a disk radius at which hardly any two disks overlap."""
    if len(places) == 1:
        return 0.28
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.clip(0.36 * np.quantile(apart.min(axis=1), 0.05), 0.06, 0.28))


def _legend_columns(colors: Sequence[str], width: float) -> int:
    """Return how many columns of a legend fit into a width in inches."""
    widest = max(map(len, captions(colors)))
    return max(1, min(len(captions(colors)), 8, int(width / (widest * _CHARACTER + _HANDLE))))


def _draw_legend(figure: Figure, tones: Mapping[str, str], columns: int) -> None:
    handles = [Patch(facecolor=tone, edgecolor=INK if is_light(tone) else "none") for tone in tones.values()]
    legend(
        figure,
        handles,
        list(tones),
        loc="lower center",
        ncols=columns,
        title="best answer on top, boundary with a thick rim; i: distance, P: probability of the best answer",
        title_fontsize=8.5,
        fontsize=8.5,
        handlelength=1.0,
        handleheight=1.0,
    )


_MOST_PANELS = 8


def draw_histogram(graph: RainbowGraph, mechanism: Mechanism) -> Figure:
    """Draw how many datasets of each region lie at each distance; see `rainbowdp.plots.plot_solution`."""
    tones = paint(graph.colors)
    distances = np.asarray(graph.distance.filled(-1), dtype=np.int64)
    sizes = np.bincount(graph.regions, minlength=len(graph.rainbows))
    shown = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_PANELS])
    figure = new_figure(7.6, 0.9 + 1.55 * shown.size)
    panels = figure.subplots(shown.size, 1, sharex=True, squeeze=False)[:, 0].tolist()
    for axes, region in zip(panels, shown.tolist(), strict=True):
        inside = np.flatnonzero(graph.regions == region)
        _draw_region(axes, graph, mechanism, inside, distances=distances[inside], tones=tones)
    panels[-1].set_xlabel("distance to the boundary of the region")
    panels[-1].xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    panels[-1].set_xlim(-0.6, max(int(distances.max(initial=0)), 1) + 0.6)
    figure.supylabel("datasets (filled)", fontsize=10)
    figure.text(0.995, 0.5, "probability of the best answer (black)", rotation=90, va="center", ha="right")
    hidden = len(graph.rainbows) - shown.size
    title = f"{graph.size:,} datasets, {graph.structure.pair_count:,} pairs of neighbors, "
    title += f"{len(graph.rainbows)} regions" + (f" ({shown.size} largest)" if hidden else "")
    figure.suptitle(title, fontsize=10.5)
    edge = 0.62 / figure.get_figheight()
    figure.subplots_adjust(left=0.14, right=0.9, bottom=edge, top=1 - edge, hspace=0.5)
    return figure


def _draw_region(
    axes: Axes,
    graph: RainbowGraph,
    mechanism: Mechanism,
    inside: NDArray[np.int64],
    *,
    distances: NDArray[np.int64],
    tones: Mapping[str, str],
) -> None:
    rainbow = graph.rainbows[int(graph.regions[inside[0]])]
    held = distances >= 0
    title = f"{caption(str(rainbow), 64)}: {inside.size:,} datasets"
    if not held.all():
        title += f", {int((~held).sum()):,} of them without a boundary"
    axes.set_title(title, loc="left", fontsize=9.5)
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if not held.any():
        return
    tone = tones[rainbow.ordered[0]]
    counts = np.bincount(distances[held])
    axes.stairs(
        counts,
        np.arange(counts.size + 1) - 0.5,
        fill=True,
        color=tone,
        alpha=0.55,
        edgecolor=INK if is_light(tone) else None,
    )
    axes.set_ylim(bottom=0)
    places, at = np.unique(distances[held], return_inverse=True)
    masses = best_masses(graph, mechanism, inside[held])
    least, most = np.full(places.size, np.inf), np.zeros(places.size)
    np.minimum.at(least, at, masses)
    np.maximum.at(most, at, masses)
    beside = axes.twinx()
    if (least < most).any():
        beside.fill_between(places, least, most, color=INK, alpha=0.25, linewidth=0)
    for edge in (least, most):
        # One distance alone is a point, which no line shows.
        beside.plot(
            places, edge, color=INK, linewidth=1.4, marker="o" if places.size == 1 else "", markersize=4
        )
    beside.set_ylim(0, 1.03)
    beside.set_yticks([0, 0.5, 1])
    beside.spines["right"].set_visible(True)
    beside.spines["right"].set_color(SHADE)
