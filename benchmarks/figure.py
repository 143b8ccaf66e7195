# SPDX-License-Identifier: Apache-2.0
"""Draws curves against the number of pairs: ``python -m benchmarks.figure CURVES.json FIGURE.svg``.

The same curves give the same file, with texts as texts. Floors are gray; a thin line shows the slope 1.
"""

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.child import say

_INCHES = (9.0, 4.2)
_GRAY = "0.6"


def draw(panels: list[dict[str, Any]], path: Path) -> None:
    """Draw panels side by side into an SVG file.

    Parameters
    ----------
    panels : list of dict
        Each with a ``title``, ``curves``: name to list of [pairs, value], and ``floors``: names of those that
        are no programs of ours.
    path : Path
        The file.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "rainbowdp", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        for place, panel in enumerate(panels):
            axes = figure.add_subplot(1, len(panels), place + 1)
            for name, points in panel["curves"].items():
                floor = name in panel["floors"]
                style: dict[str, Any] = {"color": _GRAY, "linestyle": ":"} if floor else {"marker": "o"}
                axes.plot(*zip(*points, strict=True), label=name, markersize=3, linewidth=1, **style)
            _add_slope(axes, [point for points in panel["curves"].values() for point in points])
            axes.set(xscale="log", yscale="log", xlabel="pairs", title=panel["title"])
            axes.grid(visible=True, linewidth=0.3)
            axes.legend(fontsize=6)
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(str(path), metadata={"Date": None})


def _add_slope(axes: Any, points: list[list[float]]) -> None:  # noqa: ANN401 - matplotlib's axes
    first = min(point[0] for point in points)
    last = max(point[0] for point in points)
    top = max(value for pairs, value in points if pairs == last)
    axes.plot([first, last], [top * first / last, top], color="black", linewidth=0.5, label="slope 1")


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
    say({"figure": sys.argv[2]})
