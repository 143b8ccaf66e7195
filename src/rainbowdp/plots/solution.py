# SPDX-License-Identifier: Apache-2.0
"""A solved graph dataset by dataset, beside its boundary graph (the paper's figure 1)."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from rainbowdp.errors import UsageError
from rainbowdp.graph import listed
from rainbowdp.graph.morphism import boundary_morphism
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.plots.boundary_graph import draw_boundary_graph, node_places
from rainbowdp.plots.drawing import Points, disk_radius, draw_graph, nearest, separated, spread
from rainbowdp.plots.labels import CHARACTER, SIZE, Names, draw_texts
from rainbowdp.plots.palette import is_light, paint, patterns
from rainbowdp.plots.style import (
    INK,
    LONGEST_TITLE,
    PAPER,
    caption,
    captions,
    counted,
    legend,
    new_figure,
    root_figure,
)

_HEAD = 0.4  # inches, as all up to the next blank line
_FOOT = 0.65
_RIM = 0.55
_CAPTION_RIM = 1.4
_WIDEST = 7.5
_NARROWEST = 4.2
_HIGHEST = 6.5
_LARGEST_UNIT = 0.85
_LEGEND_ROW = 0.18
_HANDLE = 0.45  # with the gap before the next column

_KEY_ROW = 0.15
_KEY_SIZE = 7.5  # points
_LEGIBLE_BAND = 0.045
_SMALLEST = 0.13  # radius of a disk, as a part of the usual edge


def draw_solution(
    graph: RainbowGraph, mechanism: Mechanism, pos: object = None, title: str | None = None
) -> Figure:
    """Draw the graph and its boundary graph; see `rainbowdp.plots.plot_solution`."""
    tones = paint(graph.colors)
    morphism = boundary_morphism(graph)
    left = _dataset_places(graph, pos)
    right, _ = node_places(morphism)
    rims = np.array([[_RIM, _RIM], [_CAPTION_RIM, _RIM]])
    spans = np.array([np.ptp(places, axis=0) for places in (left, right)])
    room = np.array([_WIDEST, _HIGHEST]) - 2 * rims
    scales = np.minimum(_LARGEST_UNIT, (room / np.maximum(spans, 1e-9)).min(axis=1))
    extents = spans * scales[:, None] + 2 * rims
    widths = np.maximum(extents[:, 0], _NARROWEST).tolist()
    height = float(extents[:, 1].max())
    names = Names.of(graph, left, float(scales[0]))
    key = names.key_columns(sum(widths)) if names else []
    columns = _legend_columns(list(tones), sum(widths))
    under = _FOOT + _LEGEND_ROW * (-(-len(captions(list(tones))) // columns) - 1)
    foot = under + _KEY_ROW * max(map(len, key), default=0)
    head = _HEAD if title is None else 2 * _HEAD
    page = (sum(widths), height + head + foot)
    figure = new_figure(*page)
    axes, other = figure.subplots(1, 2, width_ratios=widths)
    figure.subplots_adjust(left=0, right=1, bottom=foot / page[1], top=1 - head / page[1], wspace=0)
    for panel, places, scale, width in zip((axes, other), (left, right), scales, widths, strict=True):
        _frame(panel, places, np.array([width, height]) / scale)
    best_only = _draw_datasets(axes, graph, left, tones, names=names, scale=float(scales[0]))
    draw_boundary_graph(other, graph, mechanism, morphism, names=names, tones=tones, scale=float(scales[1]))
    for number, lines in enumerate(key):
        across = (0.3 + number * (sum(widths) - 0.6) / len(key)) / page[0]
        figure.text(across, foot / page[1], "\n".join(lines), fontsize=_KEY_SIZE, va="top")
    _draw_legend(figure, tones, columns, best_only=best_only)
    if title is not None:
        figure.suptitle(caption(title, LONGEST_TITLE), y=1 - 0.2 / page[1], va="center")
    return figure


def draw_into(
    axes: Sequence[Axes], graph: RainbowGraph, mechanism: Mechanism, pos: object, title: str | None
) -> Figure:
    """Draw the graph into the first axes and its boundary graph into the second, where there is one."""
    tones = paint(graph.colors)
    left = _dataset_places(graph, pos)
    scale = _scale(axes[0], left, _RIM)
    names = Names.of(graph, left, scale)
    _draw_datasets(axes[0], graph, left, tones, names=names, scale=scale)
    width = float(_inches(axes[0])[0])
    columns = _legend_columns(list(tones), width)
    legend(
        axes[0],
        _legend_handles(tones),
        list(tones),
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=columns,
    )
    key = names.key_columns(width) if names else []
    for number, lines in enumerate(key):
        axes[0].annotate(
            "\n".join(lines),
            (number / len(key), 0),
            xytext=(0, -18 - 14 * -(-len(tones) // columns)),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=_KEY_SIZE,
        )
    if len(axes) > 1:
        morphism = boundary_morphism(graph)
        scale = _scale(axes[1], node_places(morphism)[0], _CAPTION_RIM)
        draw_boundary_graph(axes[1], graph, mechanism, morphism, names=names, tones=tones, scale=scale)
    if title is not None:
        axes[0].set_title(caption(title, LONGEST_TITLE))
    return root_figure(axes[0])


def _scale(axes: Axes, places: Points, rim: float) -> float:
    """Frame axes of any size around the places, and return the inches per unit."""
    size = _inches(axes)
    spans = np.maximum(np.ptp(places, axis=0), 1e-9)
    scale = float(min(_LARGEST_UNIT, (np.maximum(size - [2 * rim, 2 * _RIM], size / 2) / spans).min()))
    _frame(axes, places, size / scale)
    return scale


def _inches(axes: Axes) -> Points:
    """Return the width and height of axes in inches."""
    box = axes.get_position()
    return np.asarray([box.width, box.height] * root_figure(axes).get_size_inches())


def _frame(axes: Axes, places: Points, size: Points) -> None:
    """Show a part of the plane with this size, the places in its middle."""
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    (left, bottom), (right, top) = middle - size / 2, middle + size / 2
    axes.set_xlim(float(left), float(right))
    axes.set_ylim(float(bottom), float(top))
    # Axes of the caller may change their size; disks stay round.
    axes.set_aspect("equal")
    axes.set_axis_off()


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


def _draw_datasets(
    axes: Axes,
    graph: RainbowGraph,
    places: Points,
    tones: Mapping[str, str],
    *,
    names: Names | None,
    scale: float,
) -> bool:
    """Draw the datasets; return whether disks show the best class alone, being small or many."""
    radius = disk_radius(places, scale)
    bands = max(len(rainbow.classes) for rainbow in graph.rainbows)
    # Of many datasets, the regions are what can be seen.
    best_only = names is None or 2 * radius * scale / bands < _LEGIBLE_BAND
    draw_graph(axes, graph, places, graph.boundary, radius, tones=tones, best_only=best_only)
    if names is not None:
        draw_texts(axes, places, names.shown, names.placed, names.radius, SIZE)
    axes.set_title(
        f"rainbow graph: {counted(graph.size, 'dataset')}, {counted(graph.pair_count, 'pair')} of neighbors"
    )
    return best_only


def _legend_columns(colors: Sequence[str], width: float) -> int:
    """Return how many columns of a legend fit into a width in inches."""
    widest = max(map(len, captions(colors)))
    return max(1, min(len(captions(colors)), 8, int(width / (widest * CHARACTER + _HANDLE))))


def _legend_handles(tones: Mapping[str, str]) -> list[Patch]:
    return [
        Patch(
            facecolor=tones[name],
            edgecolor=INK if is_light(tones[name]) else PAPER if hatch else "none",
            linewidth=0 if hatch else 1,
            hatch=hatch,
        )
        for name, hatch in patterns(tones).items()
    ]


def _draw_legend(figure: Figure, tones: Mapping[str, str], columns: int, *, best_only: bool) -> None:
    filled = "filled with the best answer" if best_only else "best answer on top"
    legend(
        figure,
        _legend_handles(tones),
        list(tones),
        loc="lower center",
        ncols=columns,
        title=f"{filled}, boundary with a thick rim; i: distance, P: probability of the best answer",
        title_fontsize=8.5,
        fontsize=8.5,
        handlelength=1.6,
        handleheight=1.2,
    )
