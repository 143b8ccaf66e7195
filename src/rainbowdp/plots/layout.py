# SPDX-License-Identifier: Apache-2.0
"""Where the nodes of a graph stand, and where their names stand beside them.

Layouts are functions of the structure alone: no randomness, so one graph is always drawn in one way. A graph
is spread by its distances, and a boundary graph is a ring with arms.

A name covers neither another name nor a disk, and goes further away where it has to. Its size is in points
(1/72 inch), measured from the outlines of the font and not from a screen, so that a figure comes out the same
everywhere.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray

from rainbowdp.graph.pairs import DatasetGraph

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
    from scipy.sparse.csgraph import shortest_path

    ones = np.ones(structure.indices.size)
    edges = csr_array((ones, structure.indices, structure.indptr), shape=(structure.size,) * 2)
    lengths = shortest_path(edges, unweighted=True)
    # The first dataset that one reaches names its component.
    component = np.isfinite(lengths).argmax(axis=1)
    found = [np.flatnonzero(component == first) for first in np.unique(component)]
    found.sort(key=len, reverse=True)
    return _packed([(each, _component(lengths[np.ix_(each, each)])) for each in found], structure.size)


def _component(lengths: Points) -> Points:
    """Place the datasets of one component, given all distances between them."""
    import networkx as nx

    if len(lengths) == 1:
        return np.zeros((1, 2))
    # A good start makes the search short, and its result independent of the numbering.
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
    # Two datasets at one position would stay there, so each is moved a little in a direction of its own.
    turns = _directions(np.arange(len(lengths)) * 2.4)
    return np.asarray(vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9)) + 0.05 * turns)


def _directions(angles: NDArray[np.floating]) -> Points:
    """Return unit vectors at some angles."""
    return np.column_stack([np.cos(angles), np.sin(angles)])


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
    extents = np.array([np.ptp(piece, axis=0) + _GAP for _, piece in pieces])
    limit = max(np.sqrt(extents.prod(axis=1).sum()) * 1.25, extents[:, 0].max())
    x = y = row = 0.0
    for (members, piece), (width, height) in zip(pieces, extents.tolist(), strict=True):
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
        one, other = np.nonzero(np.triu(lengths < apart, 1))
        if one.size == 0:
            break
        short = lengths[one, other][:, None]
        # Nodes on one place part along a direction of their own.
        away = np.where(
            short > 1e-9, ahead[one, other] / np.maximum(short, 1e-9), _directions(one * 2.4 + 0.1)
        )
        push = away * ((apart * 1.01 - short) / 2)
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
    held, deepest = distances >= 0, int(distances.max(initial=0))
    armed, arm = np.unique(regions[held], return_inverse=True)
    count = max(armed.size, 1)
    # Between neighbors in the ring there is room for a caption, however small the drawing becomes.
    apart = max(1.24, 0.2 * min(deepest, _LONGEST_ARM))
    radius = 0.0 if count == 1 else max(0.5, apart / 2 / np.sin(np.pi / count))
    step = min(1.0, _LONGEST_ARM / max(deepest, 1))
    places, outward = np.zeros((regions.size, 2)), np.tile([0.0, -1.0], (regions.size, 1))
    outward[held] = _directions(_steep_angles(count))[arm]
    places[held] = outward[held] * (radius + step * distances[held])[:, None]
    alone = int(np.count_nonzero(~held))
    floor = float(places[held, 1].min()) - 1.4 if armed.size else 0.0
    places[~held] = np.column_stack([np.arange(alone) - (alone - 1) / 2, np.full(alone, floor)])
    return places, outward


def _steep_angles(count: int) -> Points:
    """Return evenly spread angles, turned so that the flattest arm is as steep as can be."""
    angles = np.pi - 2 * np.pi * np.arange(count) / count
    turns = np.linspace(0, 2 * np.pi / count, 48, endpoint=False)
    steepness = np.abs(np.sin(angles - turns[:, None])).min(axis=1)
    return np.asarray(angles - turns[np.argmax(steepness.round(6))])


def clearest_directions(structure: DatasetGraph, places: Points) -> Points:
    """Return for each dataset the unit vector into its widest gap between edges, or up."""
    found = np.full(structure.size, np.pi / 2)
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
        found[dataset] = middles[best]
    return _directions(found)


def nearest(places: Points) -> Points:
    """Return how far each node stands from the next one."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1)) if len(places) > 1 else np.ones(1)


def disk_radius(places: Points, scale: float | None = None) -> float:
    """Return a disk radius at which hardly any two disks overlap, and which can be seen at a scale."""
    radius = float(np.clip(0.42 * np.quantile(nearest(places), 0.05), 0.02, 0.28))
    return radius if scale is None else max(radius, _VISIBLE / scale)


NAME_SIZE = 8.5
"""The font size of the names of datasets, in points."""

_REACHES = np.array([3.0, 8.0, 16.0, 26.0, 38.0, 52.0, 70.0, 95.0, 130.0])
_TURNS = np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8]) * (np.pi / 8)
_AIR = 1.0
_ALONG = np.linspace(0, 1, 25)[:, None]


class Placed(NamedTuple):
    """Where names stand.

    Attributes
    ----------
    offsets : float64 array [n, 2]
        From the center of each disk to the middle of its name, in points.
    near : bool array [n]
        Whether the name stands beside its disk, so that no line must lead to it.
    """

    offsets: Points
    near: NDArray[np.bool_]


def text_sizes(texts: Sequence[str], size: float) -> Points:
    """Return the width and height of texts of some lines, float64 [n, 2] in points."""
    font = FontProperties(family="DejaVu Sans", size=size)

    def width(line: str) -> float:
        return float(text_to_path.get_text_width_height_descent(line, font, ismath=False)[0])

    lines = [text.split("\n") for text in texts]
    return np.array([(max(map(width, each)), 1.15 * size * len(each)) for each in lines]).reshape(-1, 2)


def place_labels(
    disks: Points, radius: float, sizes: Points, preferred: Points, owners: Sequence[int]
) -> Placed:
    """Find a place for every name, one after the other, the nearest free one.

    Parameters
    ----------
    disks : float64 array [m, 2]
        The centers of the disks, in points.
    radius : float
        Of all disks, in points.
    sizes : float64 array [n, 2]
        Width and height of each name, in points.
    preferred : float64 array [n, 2]
        Unit vectors toward the side that is tried first.
    owners : sequence of int [n]
        The disk that each name belongs to.

    Returns
    -------
    Placed
        A name that finds no free place has the place that is tried first.
    """
    centers, near = np.zeros((len(owners), 2)), np.zeros(len(owners), dtype=np.bool_)
    starts, halves = disks[list(owners)], sizes / 2
    done: list[int] = []
    # Names with a place beside their disk come first, so that the lines of all others can go around them.
    for is_last in (False, True):
        for at in [at for at in range(len(owners)) if at not in done]:
            angle = float(np.arctan2(preferred[at, 1], preferred[at, 0]))
            ways = _directions(angle + _TURNS)
            away = (radius + _REACHES)[:, None, None] * ways + halves[at] * np.clip(1.5 * ways, -1, 1)
            tried = starts[at] + away.reshape(-1, 2)
            gaps = np.maximum(np.abs(tried[:, None] - disks) - halves[at], 0)
            apart = np.hypot(gaps[..., 0], gaps[..., 1])
            room = np.abs(tried[:, None] - centers[done]) - (halves[at] + halves[done])
            free = (apart.min(axis=1) > radius + _AIR / 2) & (room > _AIR).any(axis=2).all(axis=1)
            # A name that stands closer to another disk than to its own gets a line.
            own = apart[:, owners[at]] <= apart.min(axis=1) + _AIR / 2
            best = free & own & (np.arange(len(tried)) < len(ways))
            near[at] = best.any()
            if not near[at]:
                if not is_last:
                    continue
                far = [other for other in done if not near[other]]
                clear = free & _lines_miss(starts[far], centers[far], tried, halves[at]).all(axis=0)
                start = np.broadcast_to(starts[at], tried.shape)
                clear &= _lines_miss(start, tried, centers[done], halves[done]).all(axis=1)
                best = clear if clear.any() else free
            centers[at] = tried[int(np.argmax(best))]
            done.append(at)
    return Placed(centers - starts, near)


def _lines_miss(starts: Points, ends: Points, others: Points, halves: Points) -> NDArray[np.bool_]:
    """Tell for each line and each name whether they do not meet, [lines, names]."""
    points = starts[:, None] + (ends - starts)[:, None] * _ALONG
    inside = np.all(np.abs(points[:, :, None] - others) < halves, axis=3)
    return np.asarray(~inside.any(axis=1))
