# SPDX-License-Identifier: Apache-2.0
"""Datasets as small disks: the rainbow in horizontal bands, best class on top, tied colors side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from rainbowdp.plots.files import INK, PAPER, SHADE
from rainbowdp.rainbow import Rainbow

Points = NDArray[np.float64]
_ARC_POINTS = 24


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
        angles = np.linspace(np.arcsin(max(bottom, -1)), np.arcsin(min(top, 1)), _ARC_POINTS)
        right, rise = np.cos(angles), np.sin(angles)
        widest = float(right.max())
        cuts = np.linspace(-widest, widest, len(group) + 1)
        for color, low, high in zip(group, cuts[:-1], cuts[1:], strict=True):
            # Cutting a convex piece by two vertical lines is clamping both of its sides.
            x = np.concatenate([np.clip(right, low, high), np.clip(-right[::-1], low, high)])
            pieces.append((color, np.column_stack([x, np.concatenate([rise, rise[::-1]])])))
    return pieces


@dataclass(frozen=True)
class Disks:
    """Disks to draw: where, which rainbow, how heavy the rim, and the radius of all.

    Attributes
    ----------
    places : float64 array [n, 2]
        Centers in data units.
    rainbows : sequence of Rainbow [n]
    heavy : bool array [n]
        Whether the rim is thick.
    radius : float
        In data units.
    """

    places: Points
    rainbows: Sequence[Rainbow]
    heavy: NDArray[np.bool_]
    radius: float

    def draw(self, axes: Axes, tones: Mapping[str, str]) -> None:
        """Draw the disks over everything drawn so far."""
        cut = {rainbow: bands(rainbow) for rainbow in set(self.rainbows)}
        outlines, faces = [], []
        for place, rainbow in zip(self.places, self.rainbows, strict=True):
            for color, piece in cut[rainbow]:
                outlines.append(piece * self.radius + place)
                faces.append(tones[color])
        axes.add_collection(
            PolyCollection(outlines, facecolors=faces, edgecolors="face", linewidths=0.3, zorder=3)
        )
        turn = np.linspace(0, 2 * np.pi, 4 * _ARC_POINTS)
        circle = np.column_stack([np.cos(turn), np.sin(turn)]) * self.radius
        rims = PolyCollection(
            [circle + place for place in self.places],
            facecolors="none",
            edgecolors=[INK if heavy else SHADE for heavy in self.heavy],
            linewidths=np.where(self.heavy, 1.5, 0.8).tolist(),
            zorder=4,
        )
        axes.add_collection(rims)


def draw_edges(axes: Axes, places: Points, source: NDArray[np.int64], target: NDArray[np.int64]) -> None:
    """Draw straight edges between numbered places."""
    many = source.size > 400
    segments = [places[[a, b]] for a, b in zip(source.tolist(), target.tolist(), strict=True)]
    axes.add_collection(
        LineCollection(
            segments, colors="#b5b5b5" if many else "#777777", linewidths=0.5 if many else 0.9, zorder=1
        )
    )


def draw_label(
    axes: Axes, place: Points, toward: Points, radius: float, text: str, *, size: float, turn: float = 0
) -> None:
    """Write a text beside a disk, in the direction of the unit vector `toward`, turned by some degrees."""
    x, y = place + toward * radius * 1.25
    across, along = toward
    axes.text(
        x,
        y,
        text,
        rotation=turn,
        rotation_mode="anchor",
        ha="center" if abs(across) < 0.5 and not turn else "left" if across > 0 or turn else "right",
        va="center" if abs(along) < 0.5 else "bottom" if along > 0 else "top",
        fontsize=size,
        linespacing=1.1,
        path_effects=[withStroke(linewidth=2.2, foreground=PAPER)],
        zorder=5,
    )
