# SPDX-License-Identifier: Apache-2.0
"""Figures as files: one style, nothing in a file but the figure, and no half-written file.

The style is applied around drawing and writing and taken back, so neither the caller's matplotlib settings
reach our figures nor ours the caller's. Files carry no time stamp, and ids in SVG come from a fixed seed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.style as mpl_style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from rainbowdp.formats.writing import replacing

INK = "#222222"
SHADE = "#8a8a8a"
PAPER = "white"

_STYLE: dict[str, Any] = {
    "axes.edgecolor": SHADE,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10,
    "figure.facecolor": PAPER,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "rainbowdp",
    "text.color": INK,
    # A color called "$x$" is a name, not a formula.
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}
_DOTS_PER_INCH = 160
# None removes an entry that matplotlib would write by itself.
_METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def styled(draw: Callable[[], Figure], path: Path | None) -> Figure:
    """Draw a figure in the style of our figures, and write it where a path is given.

    Raises
    ------
    FileWriteError
        If the place cannot be written to.
    """
    with mpl_style.context(["default", _STYLE]):
        figure = draw()
        if path is not None:
            _write(figure, path)
    return figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure with a canvas of its own, sizes in inches."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def _write(figure: Figure, path: Path) -> None:
    """Write a figure beside its place and rename it."""
    suffix = path.suffix.lower()
    with replacing(path) as beside:
        figure.savefig(
            beside,
            format=suffix.removeprefix("."),
            dpi=_DOTS_PER_INCH,
            bbox_inches="tight",
            pad_inches=0.15,
            metadata=_METADATA[suffix],
        )
