# SPDX-License-Identifier: Apache-2.0
"""Histograms of the distances to the boundary, region by region: the drawing of a large graph."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.plots.captions import caption
from rainbowdp.plots.files import INK, SHADE, new_figure
from rainbowdp.plots.palette import is_light, paint
from rainbowdp.plots.solution import best_mass

_MOST_PANELS = 8
_LONGEST_RAINBOW = 64
_LEAST_SPAN = 1


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
    panels[-1].set_xlim(-0.6, max(int(distances.max(initial=0)), _LEAST_SPAN) + 0.6)
    figure.supylabel("datasets (filled)", fontsize=10)
    figure.text(0.995, 0.5, "probability of the best answer (black)", rotation=90, va="center", ha="right")
    hidden = len(graph.rainbows) - shown.size
    title = f"{graph.size:,} datasets, {graph.structure.pair_count:,} pairs of neighbors, "
    title += f"{len(graph.rainbows)} regions" + (f" ({shown.size} largest)" if hidden else "")
    figure.suptitle(title, fontsize=10.5)
    figure.subplots_adjust(
        left=0.14,
        right=0.9,
        bottom=0.62 / figure.get_figheight(),
        top=1 - 0.62 / figure.get_figheight(),
        hspace=0.5,
    )
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
    reached, first = np.unique(distances, return_index=True)
    held = distances >= 0
    title = f"{caption(str(rainbow), _LONGEST_RAINBOW)}: {inside.size:,} datasets"
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
    places, members = reached[reached >= 0], inside[first[reached >= 0]]
    masses = [best_mass(graph, mechanism, int(dataset)) for dataset in members]
    beside = axes.twinx()
    # One distance alone is a point, which no line shows.
    beside.plot(
        places, masses, color=INK, linewidth=1.4, marker="o" if len(masses) == 1 else "", markersize=4
    )
    beside.set_ylim(0, 1.03)
    beside.set_yticks([0, 0.5, 1])
    beside.spines["right"].set_visible(True)
    beside.spines["right"].set_color(SHADE)
