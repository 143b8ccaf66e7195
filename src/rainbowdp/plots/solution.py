# SPDX-License-Identifier: Apache-2.0
"""Figures of a solved graph: beside its boundary graph (the paper's figure 1), or as histograms of distances.

A small graph is shown dataset by dataset. Of a large one each region has a panel: how many datasets lie at
each distance, and what the best answer gets there.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator
from numpy.typing import NDArray

from rainbowdp.errors import UsageError
from rainbowdp.graph import listed
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.plots import style
from rainbowdp.plots.layout import Points, disk_radius, nearest, separated, spread
from rainbowdp.plots.panels import Names, Panels, best_masses

_HEAD = 0.4  # inches, as all up to the next blank line
_FOOT = 0.65
_LARGEST = np.array([7.5, 6.5])
_NARROWEST = 4.2
_LEGEND_ROW = 0.18
_KEY_ROW = 0.15
_CHARACTER = 0.075
_HANDLE = 0.45  # with the gap before the next column

_KEY_SIZE = 7.5  # points
_MOST_PANELS = 8
_SETTLED = 0.005
_SMALLEST = 0.13  # radius of a disk, as a part of the usual edge


def draw_solution(graph: RainbowGraph, mechanism: Mechanism, pos: object, title: str | None) -> Figure:
    """Draw the graph and its boundary graph; see `rainbowdp.plots.plot_solution`."""
    panels = Panels(graph, mechanism, _dataset_places(graph, pos), [_LARGEST, _LARGEST])
    widths = np.maximum(panels.extents[:, 0], _NARROWEST).tolist()
    height = float(panels.extents[:, 1].max())
    width = sum(widths)
    key = _key_columns(panels.names, width)
    columns, rows = _legend_shape(panels.tones, width)
    foot = _FOOT + _LEGEND_ROW * (rows - 1) + _KEY_ROW * max(map(len, key), default=0)
    head = _HEAD if title is None else 2 * _HEAD
    page = height + head + foot
    figure = style.new_figure(width, page)
    axes = figure.subplots(1, 2, width_ratios=widths).tolist()
    figure.subplots_adjust(left=0, right=1, bottom=foot / page, top=1 - head / page, wspace=0)
    best_only = panels.draw(axes, [np.array([each, height]) for each in widths])
    for number, lines in enumerate(key):
        across = (0.3 + number * (width - 0.6) / len(key)) / width
        figure.text(across, foot / page, "\n".join(lines), fontsize=_KEY_SIZE, va="top")
    filled = "filled with the best answer" if best_only else "best answer on top"
    _legend(
        figure,
        panels.tones,
        loc="lower center",
        ncols=columns,
        title=f"{filled}, boundary with a thick rim; i: distance, P: probability of the best answer",
        title_fontsize=8.5,
        fontsize=8.5,
        handlelength=1.6,
        handleheight=1.2,
    )
    if title is not None:
        figure.suptitle(style.heading(title), y=1 - 0.2 / page, va="center")
    return figure


def draw_into(
    axes: Sequence[Axes], graph: RainbowGraph, mechanism: Mechanism, pos: object, title: str | None
) -> Figure:
    """Draw the graph into the first axes and its boundary graph into the second, where there is one."""
    sizes = [_inches(one) for one in axes]
    panels = Panels(graph, mechanism, _dataset_places(graph, pos), sizes)
    panels.draw(axes, sizes)
    width = float(sizes[0][0])
    columns, rows = _legend_shape(panels.tones, width)
    _legend(axes[0], panels.tones, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=columns)
    key = _key_columns(panels.names, width)
    for number, lines in enumerate(key):
        axes[0].annotate(
            "\n".join(lines),
            (number / len(key), 0),
            xytext=(0, -18 - 14 * rows),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=_KEY_SIZE,
        )
    if title is not None:
        axes[0].set_title(style.heading(title))
    return style.root_figure(axes[0])


def _inches(axes: Axes) -> Points:
    """Return the width and height of axes in inches."""
    box = axes.get_position()
    return np.asarray([box.width, box.height] * style.root_figure(axes).get_size_inches())


def _dataset_places(graph: RainbowGraph, pos: object) -> Points:
    """Return where datasets stand; neighbors, or those that stand next to each other, are about 1 apart."""
    structure = listed(graph.structure)
    if pos is None:
        places = spread(structure)
        return separated(places, 2.4 * max(disk_radius(places), _SMALLEST))
    places = _given_places(graph, pos)
    return places / max(float(np.median(nearest(places))), 1e-9)


def _given_places(graph: RainbowGraph, pos: object) -> Points:
    """Return the places that the caller gives: by name, as networkx has them, or one row per dataset."""
    if isinstance(pos, Mapping):
        found = {graph.index(name): place for name, place in pos.items()}
        pos = [found.get(dataset, (np.nan, np.nan)) for dataset in range(graph.size)]
    try:
        places = np.asarray(pos, dtype=np.float64)
    except (TypeError, ValueError):
        places = np.empty(0)
    if places.shape != (graph.size, 2) or not np.isfinite(places).all():
        raise UsageError(
            "`pos` does not give every dataset two coordinates",
            help="give a mapping from each dataset to (x, y), such as networkx.spring_layout returns",
            argument="pos",
        )
    return places


def _key_columns(names: Names | None, width: float) -> list[list[str]]:
    """Return the key to shortened names in columns that fit into a width in inches."""
    key = [] if names is None else names.key
    widest = max(map(len, key), default=0) * _CHARACTER + 0.2
    rows = -(-len(key) // max(1, int(width / widest)))
    return [key[at : at + rows] for at in range(0, len(key), rows or 1)]


def _legend_shape(tones: Mapping[str, str], width: float) -> tuple[int, int]:
    """Return how many columns of a legend fit into a width in inches, and how many rows they have."""
    shown = style.captions(list(tones))
    widest = max(map(len, shown)) * _CHARACTER + _HANDLE
    columns = max(1, min(len(shown), 8, int(width / widest)))
    return columns, -(-len(shown) // columns)


def _legend(owner: Axes | Figure, tones: Mapping[str, str], **options: Any) -> None:  # noqa: ANN401 - as for matplotlib
    """Draw a legend of colors and their patterns."""
    handles = [
        Patch(
            facecolor=tones[name],
            edgecolor=style.INK if style.is_light(tones[name]) else style.PAPER if hatch else "none",
            linewidth=0 if hatch else 1,
            hatch=hatch,
        )
        for name, hatch in style.patterns(tones).items()
    ]
    style.legend(owner, handles, list(tones), **options)


def draw_histogram(graph: RainbowGraph, mechanism: Mechanism, title: str | None = None) -> Figure:
    """Draw how many datasets of each region lie at each distance; see `rainbowdp.plots.plot_solution`."""
    tones = style.paint(graph.colors)
    sizes = np.bincount(graph.regions, minlength=len(graph.rainbows))
    shown = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_PANELS])
    figure = style.new_figure(7.6, 0.9 + 1.55 * shown.size)
    panels = figure.subplots(shown.size, 1, sharex=True, squeeze=False)[:, 0].tolist()
    risen = 0
    for axes, region in zip(panels, shown.tolist(), strict=True):
        inside = np.flatnonzero(graph.regions == region)
        risen = max(risen, _draw_region(axes, graph, mechanism, inside, tones))
    _scale_distances(panels[-1], max(int(graph.distance.filled(0).max()), 1), risen)
    figure.supylabel("datasets (filled)", fontsize=10)
    figure.text(0.995, 0.5, "probability of the best answer (black)", rotation=90, va="center", ha="right")
    hidden = len(graph.rainbows) - shown.size
    what = f"{graph.size:,} datasets, {graph.structure.pair_count:,} pairs of neighbors, "
    what += f"{len(graph.rainbows)} regions" + (f" ({shown.size} largest)" if hidden else "")
    above = [what] if title is None else [style.heading(title), what]
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
    axes: Axes, graph: RainbowGraph, mechanism: Mechanism, inside: NDArray[np.intp], tones: Mapping[str, str]
) -> int:
    """Draw one region, and return the distance from which on its probability has nearly risen to its end."""
    rainbow = graph.rainbows[int(graph.regions[inside[0]])]
    distances = np.asarray(graph.distance[inside].filled(-1), dtype=np.int64)
    held = distances >= 0
    title = f"{style.caption(str(rainbow), 64)}: {inside.size:,} datasets"
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
        edgecolor=style.INK if style.is_light(tone) else None,
    )
    axes.set_ylim(bottom=0)
    places, at = np.unique(distances[held], return_inverse=True)
    masses = best_masses(graph, mechanism, inside[held])
    least, most = np.full(places.size, np.inf), np.zeros(places.size)
    np.minimum.at(least, at, masses)
    np.maximum.at(most, at, masses)
    beside = axes.twinx()
    if (least < most).any():
        beside.fill_between(places, least, most, color=style.INK, alpha=0.25, linewidth=0)
    # One distance alone is a point, which no line shows.
    form = "o-" if places.size == 1 else "-"
    beside.plot(places, np.stack([least, most], 1), form, color=style.INK, linewidth=1.4, markersize=4)
    beside.set_ylim(0, 1.03)
    beside.set_yticks([0, 0.5, 1])
    beside.spines["right"].set_visible(True)
    beside.spines["right"].set_color(style.SHADE)
    unsettled = places[np.abs(least - least[-1]) > _SETTLED]
    return int(unsettled[-1]) + 1 if unsettled.size else 0
