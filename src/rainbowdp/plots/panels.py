# SPDX-License-Identifier: Apache-2.0
"""A rainbow graph and its boundary graph as disks with captions (the two panels of the paper's figure 1).

A disk shows a rainbow in horizontal bands, best class on top, tied colors side by side. The boundary graph is
a ring with arms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from rainbowdp.graph import listed
from rainbowdp.graph.morphism import BoundaryMorphism, boundary_morphism
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.plots.layout import (
    NAME_SIZE,
    Placed,
    Points,
    clearest_directions,
    disk_radius,
    place_labels,
    ring_with_arms,
    text_sizes,
)
from rainbowdp.plots.style import INK, PAPER, SHADE, caption, counted, is_light, paint, patterns, told_apart
from rainbowdp.rainbow import Rainbow

_MOST_NAMES = 100
_LONGEST_NAME = 14
_LONGEST_KEY = 40
_LONGEST_WHOLE = 160
_MOSTLY = 0.9
_RIMS = np.array([[0.55, 0.55], [1.4, 0.55]])  # inches; the boundary graph has captions
_LARGEST_UNIT = 0.85  # inches
_LEGIBLE_BAND = 0.045  # inches
_LARGEST_NODE = 0.24
_LONGEST_LIST = 16
_CAPTION_STEP = 0.3  # inches
_CAPTION = 7.5  # size of a caption, in points
_ARC_POINTS = 32


@dataclass(frozen=True)
class Names:
    """What is written beside datasets, where it stands, and a key to what was shortened."""

    shown: list[str]
    placed: Placed
    key: list[str]

    @classmethod
    def of(cls, graph: RainbowGraph, points: Points, radius: float) -> "Names | None":
        """Shorten long names, and number the datasets where names do not fit beside their disks.

        Parameters
        ----------
        graph : RainbowGraph
            Its names are shown; those of very many datasets are not.
        points : float64 array [n, 2]
            Where the datasets stand, in points.
        radius : float
            Of their disks, in points.
        """
        if graph.size > _MOST_NAMES:
            return None
        names = [graph.label(dataset) for dataset in range(graph.size)]
        directions = clearest_directions(listed(graph.structure), points)

        def made(texts: list[str]) -> Names:
            placed = place_labels(points, radius, text_sizes(texts, NAME_SIZE), directions, range(graph.size))
            full = [caption(name, _LONGEST_KEY) for name in names]
            if len(set(full)) < len(full):
                full = [caption(name, _LONGEST_WHOLE) for name in names]
            key = [f"{text}: {name}" for text, name in zip(texts, full, strict=True) if text != name]
            return cls(texts, placed, key)

        short = [caption(name, _LONGEST_NAME) for name in names]
        if len(set(short)) == len(names):
            found = made(short)
            as_short_as_numbers = max(map(len, short)) <= len(str(graph.size))
            if as_short_as_numbers or np.count_nonzero(found.placed.near) >= _MOSTLY * len(names):
                return found
        return made([str(number) for number in range(1, graph.size + 1)])


@dataclass(frozen=True)
class Panels:
    """What the panels show, and where it stands.

    Parameters
    ----------
    graph, mechanism : RainbowGraph, Mechanism
        What is solved, in one order.
    places : float64 array [n, 2]
        Where the datasets stand.
    room : sequence of float64 array [2]
        The largest size in inches of the graph, and of its boundary graph where it is drawn.
    """

    graph: RainbowGraph
    mechanism: Mechanism
    places: Points
    room: Sequence[Points]

    @cached_property
    def tones(self) -> Mapping[str, str]:
        """What each color is drawn in."""
        return paint(self.graph.colors)

    @cached_property
    def morphism(self) -> BoundaryMorphism:
        """The boundary graph, and which dataset is in which node of it."""
        return boundary_morphism(self.graph)

    @cached_property
    def arms(self) -> tuple[Points, Points]:
        """Where the nodes of the boundary graph stand, and the directions that lead outward."""
        distances = np.asarray(self.morphism.class_distance.filled(-1), dtype=np.int64)
        return ring_with_arms(np.asarray(self.morphism.class_region, dtype=np.int64), distances)

    @cached_property
    def _arm_nodes(self) -> list[NDArray[np.intp]]:
        """The nodes of each region that has a boundary, by distance."""
        regions = np.ma.MaskedArray(self.morphism.class_region, self.morphism.class_distance.mask)
        return [np.flatnonzero((regions == region).filled(0)) for region in np.unique(regions.compressed())]

    @cached_property
    def spots(self) -> list[Points]:
        """Where the nodes of each panel stand."""
        return [self.places, self.arms[0]] if len(self.room) > 1 else [self.places]

    @cached_property
    def scales(self) -> list[float]:
        """The inches per unit at which the nodes of each panel and their rims fit into its room."""
        spans = [np.maximum(np.ptp(spots, axis=0), 1e-9) for spots in self.spots]
        return [
            float(min(_LARGEST_UNIT, (np.maximum(room - 2 * rim, room / 2) / span).min()))
            for room, span, rim in zip(self.room, spans, _RIMS, strict=False)
        ]

    @cached_property
    def extents(self) -> Points:
        """The widths and heights that the nodes of each panel and their rims take, in inches."""
        spans = np.array([np.ptp(spots, axis=0) for spots in self.spots])
        return np.asarray(spans * np.array(self.scales)[:, None] + 2 * _RIMS[: len(spans)])

    @cached_property
    def names(self) -> Names | None:
        """The names of the datasets."""
        scale = self.scales[0]
        return Names.of(self.graph, self.places * scale * 72, disk_radius(self.places, scale) * scale * 72)

    def draw(self, axes: Sequence[Axes], sizes: Sequence[Points]) -> bool:
        """Draw into axes of these sizes in inches.

        Returns
        -------
        bool
            Whether disks show the best class alone, being small or many.
        """
        for panel, spots, scale, size in zip(axes, self.spots, self.scales, sizes, strict=True):
            _frame(panel, spots, size / scale)
        for panel in axes[1:]:
            self._draw_boundary_graph(panel, self.scales[1])
        return self._draw_datasets(axes[0], self.scales[0])

    def _draw_datasets(self, axes: Axes, scale: float) -> bool:
        graph, names, radius = self.graph, self.names, disk_radius(self.places, scale)
        bands = max(len(rainbow.classes) for rainbow in graph.rainbows)
        # Of many datasets, the regions are what can be seen.
        best_only = names is None or 2 * radius * scale / bands < _LEGIBLE_BAND
        draw_graph(axes, graph, self.places, graph.boundary, radius, tones=self.tones, best_only=best_only)
        if names is not None:
            draw_texts(axes, self.places, names.shown, names.placed, radius * scale * 72, NAME_SIZE)
        pairs = f"{counted(graph.pair_count, 'pair')} of neighbors"
        axes.set_title(f"rainbow graph: {counted(graph.size, 'dataset')}, {pairs}")
        return best_only

    def _draw_boundary_graph(self, axes: Axes, scale: float) -> None:
        """Draw the boundary graph with a caption at as many nodes as have room."""
        image, (places, outward) = self.morphism.boundary_graph, self.arms
        radius = min(disk_radius(places), _LARGEST_NODE)
        distances = self.morphism.class_distance.filled(-1)
        draw_graph(axes, image, places, np.asarray(distances == 0), radius, tones=self.tones)
        chosen = self._captioned(scale)
        shown = self.names.shown if self.names else told_apart(list(self.graph), _LONGEST_LIST)
        texts = [self._caption(node, shown) for node in chosen]
        # A steep arm has free paper at its outer side, away from its next node, a flat one above and at its
        # end.
        away = outward[chosen]
        beside = (np.abs(away[:, 1]) > 0.3) | np.isin(chosen, [arm[-1] for arm in self._arm_nodes])
        sides = np.where(away[:, 0] > -1e-9, 1.0, -1.0)
        toward = np.column_stack([np.where(beside, sides, 0.0), np.where(beside, 0.0, 1.0)])
        points, size = places * scale * 72, radius * scale * 72
        placed = place_labels(points, size, text_sizes(texts, _CAPTION), toward, chosen)
        draw_texts(axes, places[chosen], texts, placed, size, _CAPTION)
        axes.set_title(f"boundary graph: {counted(image.size, 'node')}, {counted(image.pair_count, 'edge')}")

    def _captioned(self, scale: float) -> list[int]:
        """Choose the nodes that get a caption: along every arm as many as have room, both ends among them."""
        chosen: list[int] = []
        for arm in self._arm_nodes:
            across, along = np.abs(self.arms[0][arm[-1]] - self.arms[0][arm[0]]) * scale
            # Captions of two lines need room above each other, turned ones beside each other.
            length = float(along if along > 0.3 * across else across)
            room = min(arm.size, int(length / _CAPTION_STEP) + 1)
            chosen.extend(arm[np.unique(np.linspace(0, arm.size - 1, room).round().astype(int))].tolist())
        return [*chosen, *np.flatnonzero(np.ma.getmaskarray(self.morphism.class_distance)).tolist()]

    def _caption(self, node: int, shown: Sequence[str]) -> str:
        """Say who is in a node, how far it is from the boundary, and what its best class gets."""
        distance = self.morphism.class_distance[node]
        free = distance is np.ma.masked
        members = np.flatnonzero(self.morphism.codes == node)
        masses = best_masses(self.graph, self.mechanism, members)
        surely = free or len(self.morphism.boundary_graph.rainbow_of(node).classes) == 1
        chance = _chance(float(masses.min()), float(masses.max()), surely=bool(surely))
        where = "no boundary" if free else f"i = {int(distance)}"
        return f"{_members([shown[member] for member in members.tolist()])}\n{where}, {chance}"


def best_masses(
    graph: RainbowGraph, mechanism: Mechanism, datasets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the probability of the best class at some datasets of one region."""
    best = graph.rainbows[int(graph.regions[datasets[0]])].classes[0]
    columns = [mechanism.colors.index(color) for color in best]
    return np.asarray(mechanism.table[mechanism.codes[datasets]][:, columns].sum(axis=1))


def _frame(axes: Axes, places: Points, size: Points) -> None:
    """Show a part of the plane with this size, the places in its middle."""
    middle = (places.min(axis=0) + places.max(axis=0)) / 2
    (left, bottom), (right, top) = middle - size / 2, middle + size / 2
    axes.set_xlim(float(left), float(right))
    axes.set_ylim(float(bottom), float(top))
    # Axes of the caller may change their size; disks stay round.
    axes.set_aspect("equal")
    axes.set_axis_off()


def _chance(least: float, most: float, *, surely: bool) -> str:
    """Say a probability, or the least and the most; one that may lie below 1 is never shown as 1."""
    low, high = (
        f"{mass:.3g}" if mass < 0.9995 or (surely and mass == 1) else "> 0.999" for mass in (least, most)
    )
    if low != high:
        return f"P = {low} to {high}"
    return f"P {low}" if low.startswith(">") else f"P = {low}"


def _members(names: Sequence[str]) -> str:
    """Name as many datasets as fit, and count the rest."""
    named = 1
    while named < len(names) and len(", ".join(names[: named + 1])) <= _LONGEST_LIST:
        named += 1
    text = ", ".join(names[:named])
    return text if named == len(names) else f"{text} + {len(names) - named}"


def bands(rainbow: Rainbow) -> list[tuple[str, Points]]:
    """Cut the unit disk into one piece per color.

    Parameters
    ----------
    rainbow : Rainbow
        Its classes become horizontal bands of equal height, best on top; the colors of a class share their
        band from left to right.

    Returns
    -------
    list of (color, float64 array [m, 2])
        Outlines inside the unit disk.
    """
    pieces: list[tuple[str, Points]] = []
    height = 2 / len(rainbow.classes)
    for index, group in enumerate(rainbow.classes):
        top, bottom = 1 - index * height, 1 - (index + 1) * height
        widest = np.sqrt(1 - max(bottom, -top, 0) ** 2)
        cuts = np.arcsin(np.linspace(-widest, widest, len(group) + 1))
        for color, low, high in zip(group, cuts[:-1], cuts[1:], strict=True):
            x = np.sin(np.linspace(low, high, _ARC_POINTS))
            rim = np.sqrt(1 - x**2)
            y = [np.minimum(top, rim), np.maximum(bottom, -rim)[::-1]]
            pieces.append((color, np.column_stack([np.concatenate([x, x[::-1]]), np.concatenate(y)])))
    return pieces


def draw_graph(
    axes: Axes,
    graph: RainbowGraph,
    places: Points,
    heavy: NDArray[np.bool_],
    radius: float,
    *,
    tones: Mapping[str, str],
    best_only: bool = False,
) -> None:
    """Draw edges, and over them a disk per dataset.

    Parameters
    ----------
    axes : Axes
        Where to draw.
    graph : RainbowGraph
        What to draw.
    places : float64 array [n, 2]
        Centers in data units.
    heavy : bool array [n]
        Whether the rim of a disk is thick.
    radius : float
        Of all disks, in data units.
    tones : mapping of str to str
        From colors to what they are drawn in.
    best_only : bool
        Fill disks with the colors of the best class alone.
    """
    ends = np.column_stack(listed(graph.structure).pairs())
    color, width = ("#b5b5b5", 0.5) if len(ends) > 400 else ("#777777", 0.9)
    axes.add_collection(LineCollection(list(places[ends]), colors=color, linewidths=width, zorder=1))
    shown = [Rainbow(rainbow.classes[:1]) for rainbow in graph.rainbows] if best_only else graph.rainbows
    cut = [bands(rainbow) for rainbow in shown]
    drawn = [
        (piece * radius + place, color)
        for place, code in zip(places, graph.regions.tolist(), strict=True)
        for color, piece in cut[code]
    ]

    def fill(outlines: list[Points], facecolors: Any = "none", **options: Any) -> None:  # noqa: ANN401 - as matplotlib takes them
        axes.add_collection(PolyCollection(outlines, facecolors=facecolors, **{"zorder": 3} | options))

    faces = [tones[color] for _, color in drawn]
    fill([outline for outline, _ in drawn], facecolors=faces, edgecolors="face", linewidths=0.3)
    for color, hatch in patterns(tones).items():
        pieces = [outline for outline, name in drawn if name == color]
        if hatch and pieces:
            fill(pieces, edgecolors=INK if is_light(tones[color]) else PAPER, linewidths=0, hatch=hatch)
    turn = np.linspace(0, 2 * np.pi, 4 * _ARC_POINTS)
    circle = np.column_stack([np.cos(turn), np.sin(turn)]) * radius
    rims, widths = [INK if thick else SHADE for thick in heavy], np.where(heavy, 1.5, 0.8).tolist()
    fill([circle + place for place in places], edgecolors=rims, linewidths=widths, zorder=4)


def draw_texts(  # noqa: PLR0917 - what is written, and where
    axes: Axes, places: Points, texts: Sequence[str], placed: Placed, radius: float, size: float
) -> None:
    """Write texts beside disks with this radius, in points; a thin line leads to those that are not near."""
    line = {"arrowstyle": "-", "color": SHADE, "linewidth": 0.5, "shrinkA": 0, "shrinkB": radius}
    for text, place, offset, near in zip(texts, places, *placed, strict=True):
        axes.annotate(
            text,
            (place[0], place[1]),
            xytext=(offset[0], offset[1]),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=size,
            linespacing=1.1,
            color=INK,
            arrowprops=None if near else line,
            path_effects=[withStroke(linewidth=2.2, foreground=PAPER)],
            zorder=5,
        )
