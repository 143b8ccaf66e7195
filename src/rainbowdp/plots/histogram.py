# SPDX-License-Identifier: Apache-2.0
"""A large solved graph as histograms: how many datasets of each region lie at each distance."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.plots.style import INK, LONGEST_TITLE, SHADE, caption, is_light, new_figure, paint

_MOST_PANELS = 8
_SETTLED = 0.005


def draw_histogram(graph: RainbowGraph, mechanism: Mechanism, title: str | None = None) -> Figure:
    """Draw how many datasets of each region lie at each distance; see `rainbowdp.plots.plot_solution`."""
    tones = paint(graph.colors)
    distances = np.asarray(graph.distance.filled(-1), dtype=np.int64)
    sizes = np.bincount(graph.regions, minlength=len(graph.rainbows))
    shown = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_PANELS])
    figure = new_figure(7.6, 0.9 + 1.55 * shown.size)
    panels = figure.subplots(shown.size, 1, sharex=True, squeeze=False)[:, 0].tolist()
    risen = 0
    for axes, region in zip(panels, shown.tolist(), strict=True):
        inside = np.flatnonzero(graph.regions == region)
        found = _draw_region(axes, graph, mechanism, inside, distances=distances[inside], tones=tones)
        risen = max(risen, found)
    _scale_distances(panels[-1], max(int(distances.max(initial=0)), 1), risen)
    figure.supylabel("datasets (filled)", fontsize=10)
    figure.text(0.995, 0.5, "probability of the best answer (black)", rotation=90, va="center", ha="right")
    hidden = len(graph.rainbows) - shown.size
    what = f"{graph.size:,} datasets, {graph.structure.pair_count:,} pairs of neighbors, "
    what += f"{len(graph.rainbows)} regions" + (f" ({shown.size} largest)" if hidden else "")
    above = [what] if title is None else [caption(title, LONGEST_TITLE), what]
    figure.suptitle("\n".join(above), fontsize=10.5)
    edge, line = 0.62 / figure.get_figheight(), 0.18 / figure.get_figheight()
    top = 1 - edge - line * (len(above) - 1)
    figure.subplots_adjust(left=0.14, right=0.9, bottom=edge, top=top, hspace=0.5)
    return figure


def _scale_distances(axes: Axes, deepest: int, risen: int) -> None:
    """Give at least half of the width to the distances at which a probability rises.

    Where they are few, the axis is linear up to them and logarithmic behind.
    """
    axes.set_xlim(-0.6, deepest + 0.6)
    label = "distance to the boundary of the region"
    if deepest <= 4 * max(risen, 1):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    else:
        linear = max(risen, 4)
        axes.set_xscale("symlog", linthresh=linear, linscale=float(2 * np.log10(deepest / linear)))
        near = np.asarray(MaxNLocator(nbins=5, integer=True).tick_values(0, linear))
        # Behind it there is room for one more and the last.
        middle = [round(float(np.sqrt(linear * deepest)))] if deepest > 6 * linear else []
        ticks = [*near[near <= linear].tolist(), *middle]
        axes.xaxis.set_major_locator(FixedLocator([*map(int, ticks), deepest]))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.set_minor_locator(NullLocator())
        label += f" (logarithmic from {linear} on)"
    axes.set_xlabel(label)


def _draw_region(
    axes: Axes,
    graph: RainbowGraph,
    mechanism: Mechanism,
    inside: NDArray[np.int64],
    *,
    distances: NDArray[np.int64],
    tones: Mapping[str, str],
) -> int:
    """Draw one region, and return the distance from which on its probability has nearly risen to its end."""
    rainbow = graph.rainbows[int(graph.regions[inside[0]])]
    held = distances >= 0
    title = f"{caption(str(rainbow), 64)}: {inside.size:,} datasets"
    if not held.all():
        title += f", {int((~held).sum()):,} of them without a boundary"
    axes.set_title(title, loc="left", fontsize=9.5)
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.yaxis.set_major_formatter("{x:,.0f}")
    if not held.any():
        return 0
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
    unsettled = places[np.abs(least - least[-1]) > _SETTLED]
    return int(unsettled[-1]) + 1 if unsettled.size else 0


def best_masses(
    graph: RainbowGraph, mechanism: Mechanism, datasets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the probability of the best class at some datasets of one region."""
    best = graph.rainbows[int(graph.regions[datasets[0]])].classes[0]
    columns = [mechanism.colors.index(color) for color in best]
    return np.asarray(mechanism.table[mechanism.codes[datasets]][:, columns].sum(axis=1))
