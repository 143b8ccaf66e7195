# SPDX-License-Identifier: Apache-2.0
"""The boundary graph of a solved graph: a ring with arms, its nodes with captions (the paper's figure 1b)."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from rainbowdp.graph.morphism import BoundaryMorphism
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.plots.drawing import Points, disk_radius, draw_graph, ring_with_arms
from rainbowdp.plots.histogram import best_masses
from rainbowdp.plots.labels import Names, draw_texts, place_labels, text_sizes
from rainbowdp.plots.style import counted, told_apart

_LONGEST_LIST = 16
_CAPTION_STEP = 0.3  # inches
_CAPTION = 7.5  # size of a caption, in points


def node_places(morphism: BoundaryMorphism) -> tuple[Points, Points]:
    """Return where the nodes stand, and the directions that lead outward."""
    distances = np.asarray(morphism.class_distance.filled(-1), dtype=np.int64)
    return ring_with_arms(np.asarray(morphism.class_region, dtype=np.int64), distances)


def draw_boundary_graph(
    axes: Axes,
    graph: RainbowGraph,
    mechanism: Mechanism,
    morphism: BoundaryMorphism,
    *,
    names: Names | None,
    tones: Mapping[str, str],
    scale: float,
) -> None:
    """Draw the boundary graph with a caption at as many nodes as have room.

    Parameters
    ----------
    axes : Axes
        Where to draw.
    graph, mechanism : RainbowGraph, Mechanism
        What is solved, in one order.
    morphism : BoundaryMorphism
        Of the graph.
    names : Names or None
        What the datasets are called in the figure; None for their own names.
    tones : mapping of str to str
        From colors to what they are drawn in.
    scale : float
        Inches per unit.
    """
    image, (places, outward) = morphism.boundary_graph, node_places(morphism)
    radius = min(disk_radius(places), 0.24)
    distances = morphism.class_distance.filled(-1)
    draw_graph(axes, image, places, np.asarray(distances == 0), radius, tones=tones)
    chosen = _captioned(morphism, places, scale)
    texts = _captions(graph, morphism, mechanism, names, chosen)
    # A steep arm has free paper at its outer side, away from its next node, a flat one above and at its end.
    deepest = np.full(len(image.rainbows), -1)
    np.maximum.at(deepest, morphism.class_region, distances)
    ends = (deepest[morphism.class_region] == distances) & (distances >= 0)
    away = outward[chosen]
    beside = (np.abs(away[:, 1]) > 0.3) | ends[chosen]
    sides = np.where(away[:, 0] > -1e-9, 1.0, -1.0)
    toward = np.column_stack([np.where(beside, sides, 0.0), np.where(beside, 0.0, 1.0)])
    points, size = places * scale * 72, radius * scale * 72
    placed = place_labels(points, size, text_sizes(texts, _CAPTION), toward, chosen)
    draw_texts(axes, places[chosen], texts, placed, size, _CAPTION)
    axes.set_title(f"boundary graph: {counted(image.size, 'node')}, {counted(image.pair_count, 'edge')}")


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


def _captions(
    graph: RainbowGraph,
    morphism: BoundaryMorphism,
    mechanism: Mechanism,
    names: Names | None,
    chosen: Sequence[int],
) -> list[str]:
    """Say who is in some nodes, how far they are from the boundary, and what their best class gets."""
    shown = told_apart(list(graph), _LONGEST_LIST) if names is None else names.shown
    captions = []
    for node in chosen:
        distance = morphism.class_distance[node]
        free = distance is np.ma.masked
        where = "no boundary" if free else f"i = {int(distance)}"
        members = np.flatnonzero(morphism.codes == node)
        masses = best_masses(graph, mechanism, members)
        surely = free or len(morphism.boundary_graph.rainbow_of(node).classes) == 1
        chance = _chance(float(masses.min()), float(masses.max()), surely=bool(surely))
        captions.append(f"{_members([shown[member] for member in members.tolist()])}\n{where}, {chance}")
    return captions


def _chance(least: float, most: float, surely: bool) -> str:
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
