# SPDX-License-Identifier: Apache-2.0
"""Graphs on paper: where their nodes stand, and datasets as small disks with their rainbow in bands.

Layouts are functions of the structure alone: no randomness, so one graph is always drawn in one way. A graph
is spread by its distances, and a boundary graph is a ring with arms. A disk shows a rainbow in horizontal
bands, best class on top, tied colors side by side.
"""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from numpy.typing import NDArray

from rainbowdp.graph import RainbowGraph, listed
from rainbowdp.graph.pairs import DatasetGraph
from rainbowdp.plots.palette import is_light, patterns
from rainbowdp.plots.style import INK, PAPER, SHADE
from rainbowdp.rainbow import Rainbow

Points = NDArray[np.float64]
_GAP = 1.2
_LATTICE = 0.5
_LONGEST_ARM = 9.0
_ROUNDS = 200
_VISIBLE = 0.05  # radius in inches at which the color within a rim can be told


def spread(structure: DatasetGraph) -> Points:
    """Place datasets so that lengths in the plane follow lengths in the graph (Kamada and Kawai).

    Parameters
    ----------
    structure : DatasetGraph
        Some hundreds of datasets at most; its components are placed apart and packed in rows.

    Returns
    -------
    float64 array [n, 2]
        One edge is about 1 long.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, shortest_path

    ones = np.ones(structure.indices.size)
    edges = csr_array((ones, structure.indices, structure.indptr), shape=(structure.size,) * 2)
    lengths = shortest_path(edges, unweighted=True)
    count, component = connected_components(edges)
    found = [np.flatnonzero(component == number) for number in range(count)]
    found.sort(key=lambda members: (-members.size, int(members[0])))
    return _packed([(each, _component(lengths[np.ix_(each, each)])) for each in found], structure.size)


def _component(lengths: Points) -> Points:
    """Place the datasets of one component, given all distances between them."""
    import networkx as nx

    if len(lengths) == 1:
        return np.zeros((1, 2))
    # A good start makes the search short, and where it ends independent of the numbering.
    start = dict(enumerate(_classical_scaling(lengths)))
    distances = {at: dict(enumerate(row)) for at, row in enumerate(lengths.tolist())}
    found = nx.kamada_kawai_layout(nx.empty_graph(len(lengths)), dist=distances, pos=start)
    places = np.array(list(found.values()), dtype=np.float64)
    source, target = np.nonzero(np.triu(lengths == 1))
    ahead = places[target] - places[source]
    places = _turned(places - places.mean(axis=0), ahead)
    unit = max(float(np.median(np.linalg.norm(ahead, axis=1))), 1e-9)
    return np.asarray(places / unit)


def _classical_scaling(lengths: Points) -> Points:
    """Return the plane positions whose distances follow the lengths best in the sense of inner products."""
    squares = lengths**2
    inner = -(squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()) / 2
    values, vectors = np.linalg.eigh(inner)
    # Coinciding positions would never part: a small turn per dataset tells them apart.
    angle = np.arange(len(lengths)) * 2.4
    turns = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.asarray(vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9)) + 0.05 * turns)


def _turned(places: Points, ahead: Points) -> Points:
    """Turn a drawing so that a lattice lies straight, and anything else lies as flat as the page does."""
    directions = np.exp(1j * np.arctan2(ahead[:, 1], ahead[:, 0]))
    for fold in (4, 6):
        mean = complex(np.mean(directions**fold))
        if abs(mean) > _LATTICE:
            angle = float(np.angle(mean)) / fold
            break
    else:
        _, axes = np.linalg.eigh(places.T @ places)
        angle = float(np.arctan2(axes[1, 1], axes[0, 1]))
    cosine, sine = np.cos(angle), np.sin(angle)
    places = places @ np.array([[cosine, -sine], [sine, cosine]])
    if np.ptp(places[:, 1]) > 1.2 * np.ptp(places[:, 0]):
        places = places[:, ::-1]
    # The first dataset stands on the upper left.
    return places * np.where(places[0] * [1, -1] > 1e-9, -1, 1)


def _packed(pieces: list[tuple[NDArray[np.int64], Points]], size: int) -> Points:
    """Put components into rows, largest first, about as wide as the whole is high."""
    places = np.zeros((size, 2))
    area = sum(float(np.prod(np.ptp(piece, axis=0) + _GAP)) for _, piece in pieces)
    limit = max(np.sqrt(area) * 1.25, *(float(np.ptp(piece[:, 0])) + _GAP for _, piece in pieces))
    x = y = row = 0.0
    for members, piece in pieces:
        width, height = (float(extent) for extent in np.ptp(piece, axis=0) + _GAP)
        if x > 0 and x + width > limit * 1.001:
            x, y, row = 0.0, y - row, 0.0
        places[members] = piece - [piece[:, 0].min(), piece[:, 1].max()] + [x, y]
        x, row = x + width, max(row, height)
    return places


def separated(places: Points, apart: float) -> Points:
    """Move nodes that stand closer than `apart` away from each other, as little as it takes."""
    places = places.copy()
    for _ in range(_ROUNDS):
        ahead = places[None] - places[:, None]
        lengths = np.linalg.norm(ahead, axis=2)
        short = np.triu(lengths < apart, 1)
        if not short.any():
            break
        one, other = np.nonzero(short)
        # Nodes on one place part along a direction of their own.
        angle = one * 2.4 + 0.1
        away = np.where(
            lengths[short, None] > 1e-9,
            ahead[short] / np.maximum(lengths[short, None], 1e-9),
            np.column_stack([np.cos(angle), np.sin(angle)]),
        )
        push = away * ((apart * 1.01 - lengths[short]) / 2)[:, None]
        np.subtract.at(places, one, push)
        np.add.at(places, other, push)
    return places


def ring_with_arms(regions: NDArray[np.int64], distances: NDArray[np.int64]) -> tuple[Points, Points]:
    """Place the nodes of a boundary graph: distance 0 in a ring, each region an arm that leads outward.

    Parameters
    ----------
    regions : int array [C]
        The region of each node.
    distances : int array [C]
        Its distance, -1 where unconstrained; such nodes stand in a row below.

    Returns
    -------
    places, outward : float64 arrays [C, 2]
        Positions, and the unit vector that leads away from the ring.
    """
    places = np.zeros((regions.size, 2))
    outward = np.zeros((regions.size, 2))
    armed = np.unique(regions[distances >= 0])
    count = max(armed.size, 1)
    # Between neighbors in the ring there is room for a caption, however small the drawing becomes.
    apart = max(1.24, 0.2 * min(int(distances.max(initial=0)), _LONGEST_ARM))
    radius = 0.0 if count == 1 else max(0.5, apart / 2 / np.sin(np.pi / count))
    step = min(1.0, _LONGEST_ARM / max(int(distances.max(initial=0)), 1))
    for region, angle in zip(armed.tolist(), _steep_angles(count)[: armed.size], strict=True):
        direction = np.array([np.cos(angle), np.sin(angle)])
        arm = np.flatnonzero((regions == region) & (distances >= 0))
        places[arm] = direction * (radius + step * distances[arm])[:, None]
        outward[arm] = direction
    alone = np.flatnonzero(distances < 0)
    if alone.size:
        floor = float(places[distances >= 0, 1].min()) - 1.4 if armed.size else 0.0
        places[alone] = np.column_stack(
            [np.arange(alone.size) - (alone.size - 1) / 2, np.full(alone.size, floor)]
        )
        outward[alone] = (0, -1)
    return places, outward


def _steep_angles(count: int) -> Points:
    """Return evenly spread angles, turned so that the flattest arm is as steep as can be."""
    angles = np.pi - 2 * np.pi * np.arange(count) / count
    turns = np.linspace(0, 2 * np.pi / count, 48, endpoint=False)
    steepness = np.abs(np.sin(angles - turns[:, None])).min(axis=1)
    return np.asarray(angles - turns[np.argmax(steepness.round(6))])


def clearest_directions(structure: DatasetGraph, places: Points) -> Points:
    """Return for each dataset the unit vector into its widest gap between edges, or up."""
    directions = np.tile([0.0, 1.0], (structure.size, 1))
    for dataset in range(structure.size):
        around = structure.neighbors(dataset)
        if around.size == 0:
            continue
        ahead = places[around] - places[dataset]
        angles = np.sort(np.arctan2(ahead[:, 1], ahead[:, 0]))
        gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
        middles = angles + gaps / 2
        # Between gaps of about one width, the one that points up is read most easily.
        best = int(np.argmax(np.minimum(gaps, np.pi * 0.75) + 0.15 * np.sin(middles)))
        directions[dataset] = (np.cos(middles[best]), np.sin(middles[best]))
    return directions


def nearest(places: Points) -> Points:
    """Return how far each node stands from the next one."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1)) if len(places) > 1 else np.ones(1)


def disk_radius(places: Points, scale: float | None = None) -> float:
    """Return a disk radius at which hardly any two disks overlap, and which can be seen at a scale."""
    radius = float(np.clip(0.42 * np.quantile(nearest(places), 0.05), 0.02, 0.28))
    return radius if scale is None else max(radius, _VISIBLE / scale)


_ARC_POINTS = 32


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
    source, target = listed(graph.structure).pairs()
    many = source.size > 400
    segments = [places[[a, b]] for a, b in zip(source.tolist(), target.tolist(), strict=True)]
    axes.add_collection(
        LineCollection(
            segments, colors="#b5b5b5" if many else "#777777", linewidths=0.5 if many else 0.9, zorder=1
        )
    )
    shown = [Rainbow(rainbow.classes[:1]) for rainbow in graph.rainbows] if best_only else graph.rainbows
    cut = [bands(rainbow) for rainbow in shown]
    drawn = [
        (piece * radius + place, color)
        for place, code in zip(places, graph.regions.tolist(), strict=True)
        for color, piece in cut[code]
    ]
    faces = [tones[color] for _, color in drawn]
    outlines = [outline for outline, _ in drawn]
    axes.add_collection(
        PolyCollection(outlines, facecolors=faces, edgecolors="face", linewidths=0.3, zorder=3)
    )
    for color, hatch in patterns(tones).items():
        pieces = [outline for outline, name in drawn if name == color]
        if hatch and pieces:
            lines = INK if is_light(tones[color]) else PAPER
            axes.add_collection(
                PolyCollection(
                    pieces, facecolors="none", edgecolors=lines, linewidths=0, hatch=hatch, zorder=3
                )
            )
    turn = np.linspace(0, 2 * np.pi, 4 * _ARC_POINTS)
    circle = np.column_stack([np.cos(turn), np.sin(turn)]) * radius
    rims = PolyCollection(
        [circle + place for place in places],
        facecolors="none",
        edgecolors=[INK if thick else SHADE for thick in heavy],
        linewidths=np.where(heavy, 1.5, 0.8).tolist(),
        zorder=4,
    )
    axes.add_collection(rims)
