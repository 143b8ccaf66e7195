# SPDX-License-Identifier: Apache-2.0
"""Names beside disks: a name covers neither another name nor a disk, and goes further away where it has to.

Sizes are in points (1/72 inch), measured from the outlines of the font and not from a screen, so that a
figure comes out the same everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray

from rainbowdp.graph import RainbowGraph, listed
from rainbowdp.plots.drawing import clearest_directions, disk_radius
from rainbowdp.plots.style import INK, PAPER, SHADE, caption

Points = NDArray[np.float64]
SIZE = 8.5
_REACHES = np.array([3.0, 8.0, 16.0, 26.0, 38.0, 52.0, 70.0, 95.0, 130.0])
_TURNS = np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8]) * (np.pi / 8)
_AIR = 1.0
_ALONG = np.linspace(0, 1, 25)[:, None]
_MOST_LABELS = 100
_LONGEST_LABEL = 14
_LONGEST_KEY = 40
_LONGEST_WHOLE = 160
_MOSTLY = 0.9
CHARACTER = 0.075
"""About the width of a character of a legend, in inches."""


@dataclass(frozen=True)
class Placed:
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


def text_sizes(texts: Sequence[str], size: float = SIZE) -> Points:
    """Return the width and height of texts of some lines, float64 [n, 2] in points."""
    font = FontProperties(family="DejaVu Sans", size=size)

    def width(line: str) -> float:
        return float(text_to_path.get_text_width_height_descent(line, font, ismath=False)[0])

    lines = [text.split("\n") for text in texts]
    return np.array([(max(map(width, each)), 1.15 * size * len(each)) for each in lines]).reshape(-1, 2)


def place_labels(
    disks: Points, radius: float, sizes: Points, preferred: Points, of: Sequence[int] | None = None
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
    of : sequence of int [n], optional
        The disk that each name belongs to; by default the one of its number.

    Returns
    -------
    Placed
        Of a name that finds no free place, the one that is tried first.
    """
    owners = np.arange(len(disks)) if of is None else np.asarray(of)
    centers, near = np.zeros((len(owners), 2)), np.zeros(len(owners), dtype=np.bool_)
    done: list[int] = []
    # Names with a place beside their disk come first, so that the lines of all others can go around them.
    for is_last in (False, True):
        for at in [at for at in range(len(owners)) if at not in done]:
            owner, half = int(owners[at]), sizes[at] / 2
            angle = float(np.arctan2(preferred[at, 1], preferred[at, 0]))
            ways = np.column_stack([np.cos(angle + _TURNS), np.sin(angle + _TURNS)])
            away = (radius + _REACHES)[:, None, None] * ways + half * np.clip(1.5 * ways, -1, 1)
            tried = disks[owner] + away.reshape(-1, 2)
            apart = _from_disks(tried, half, disks)
            free = apart.min(axis=1) > radius + _AIR / 2
            free &= _misses_names(tried, half, centers[done], sizes[done] / 2)
            # A name that stands closer to another disk than to its own gets a line.
            own = apart[:, owner] <= apart.min(axis=1) + _AIR / 2
            beside = free & own & (np.arange(len(tried)) < len(ways))
            near[at] = beside.any()
            best = beside
            if not near[at]:
                if not is_last:
                    continue
                far = [other for other in done if not near[other]]
                clear = free & _lines_miss(disks[owners[far]], centers[far], tried, half).all(axis=0)
                starts = np.broadcast_to(disks[owner], tried.shape)
                clear &= _lines_miss(starts, tried, centers[done], sizes[done] / 2).all(axis=1)
                best = clear if clear.any() else free
            centers[at] = tried[int(np.argmax(best))]
            done.append(at)
    return Placed(centers - disks[owners], near)


def _lines_miss(starts: Points, ends: Points, others: Points, halves: Points) -> NDArray[np.bool_]:
    """Tell for each line and each name whether they do not meet, [lines, names]."""
    points = starts[:, None] + (ends - starts)[:, None] * _ALONG
    inside = np.all(np.abs(points[:, :, None] - others) < halves, axis=3)
    return np.asarray(~inside.any(axis=1))


def _from_disks(tried: Points, half: Points, disks: Points) -> Points:
    """Return how far a name would be from the center of each disk, [places, disks]."""
    gaps = np.maximum(np.abs(tried[:, None] - disks[None]) - half, 0)
    return np.asarray(np.hypot(gaps[..., 0], gaps[..., 1]))


def _misses_names(tried: Points, half: Points, others: Points, halves: Points) -> NDArray[np.bool_]:
    """Tell for each place whether a name there touches no other name."""
    room = np.abs(tried[:, None] - others[None]) - (half + halves)[None]
    return np.asarray(np.all(np.any(room > _AIR, axis=2), axis=1))


@dataclass(frozen=True)
class Names:
    """What is written beside disks, where it stands, and a key to what was shortened."""

    shown: list[str]
    placed: Placed
    key: list[str]
    radius: float  # of the disks, in points

    @classmethod
    def of(cls, graph: RainbowGraph, places: Points, scale: float) -> "Names | None":
        """Shorten long names, and number the datasets where names do not fit beside their disks."""
        if graph.size > _MOST_LABELS:
            return None
        names = [graph.label(dataset) for dataset in range(graph.size)]
        points, radius = places * scale * 72, disk_radius(places, scale) * scale * 72
        directions = clearest_directions(listed(graph.structure), places)

        def made(texts: list[str]) -> Names:
            placed = place_labels(points, radius, text_sizes(texts), directions)
            full = [caption(name, _LONGEST_KEY) for name in names]
            if len(set(full)) < len(full):
                full = [caption(name, _LONGEST_WHOLE) for name in names]
            key = [f"{text}: {name}" for text, name in zip(texts, full, strict=True) if text != name]
            return cls(texts, placed, key, radius)

        short = [caption(name, _LONGEST_LABEL) for name in names]
        if len(set(short)) == len(names):
            found = made(short)
            as_short_as_numbers = max(map(len, short)) <= len(str(graph.size))
            if as_short_as_numbers or np.count_nonzero(found.placed.near) >= _MOSTLY * len(names):
                return found
        return made([str(number) for number in range(1, graph.size + 1)])

    def key_columns(self, width: float) -> list[list[str]]:
        """Return the key in columns that fit into a width in inches."""
        if not self.key:
            return []
        widest = max(map(len, self.key)) * CHARACTER + 0.2
        rows = -(-len(self.key) // max(1, int(width / widest)))
        return [self.key[at : at + rows] for at in range(0, len(self.key), rows)]


def draw_texts(  # noqa: PLR0917 - what is written, and where
    axes: Axes, places: Points, texts: Sequence[str], placed: Placed, radius: float, size: float
) -> None:
    """Write texts beside disks with this radius, in points; a thin line leads to those that are not near."""
    line = {"arrowstyle": "-", "color": SHADE, "linewidth": 0.5, "shrinkA": 0, "shrinkB": radius}
    for text, place, offset, near in zip(texts, places, placed.offsets, placed.near, strict=True):
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
