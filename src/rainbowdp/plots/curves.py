# SPDX-License-Identifier: Apache-2.0
"""The curves of a line: one per color over the distance, thresholds marked (the paper's figure 2)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal, Stroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from rainbowdp.errors import UsageError
from rainbowdp.exact import show
from rainbowdp.exact.arguments import is_whole, items_of
from rainbowdp.line import Line
from rainbowdp.line.steps import spread
from rainbowdp.plots import style

_FARTHEST = 2**53
_MOST_POINTS = 2000
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_MOST_MARKERS = 15  # of a curve
_STYLES: tuple[Any, ...] = ("-", (0, (6, 1.5)), (0, (5, 1.2, 1, 1.2)))
_MOST_NAMES = 3
_SHORT_NAME = 12
_LEGEND_ROWS = 20
_LABEL_ROWS = 5


def draw_line(
    line: Line, distances: Iterable[int], axes: Axes | None = None, title: str | None = None
) -> Figure:
    """Draw the line at the distances; see `rainbowdp.plots.plot_line`."""
    shown = _selected(distances)
    own = axes is None
    if axes is None:
        axes = style.new_figure(7.2, 4.2).add_subplot()
    tones = style.paint(line.rainbow.colors)
    probabilities = line.probabilities(shown)
    curves = []
    for rank, color in enumerate(line.rainbow.ordered):
        tone = tones[color]
        behind = line.rainbow.classes[line.rainbow.class_of(color)].index(color)
        (curve,) = axes.plot(
            shown,
            probabilities[:, line.rainbow.colors.index(color)],
            color=tone,
            label=color,
            # Tied colors may share one curve; dashes let the ones behind show through.
            linestyle=(0, (4, 2 + 2 * behind)) if behind else _STYLES[rank // len(_MARKERS) % len(_STYLES)],
            linewidth=1.6,
            marker=_MARKERS[rank % len(_MARKERS)],
            markevery=_marked(shown.size, rank),
            markersize=4.2,
            zorder=3,
        )
        if style.is_light(tone):
            curve.set_path_effects([Stroke(linewidth=2.6, foreground=style.INK), Normal()])
        curves.append(curve)
    style.probability_axes(axes, "distance to the boundary", "probability")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    style.legend(
        axes,
        curves,
        line.rainbow.ordered,
        handlelength=3.0,
        **({"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if own else {"loc": "best"}),
        ncols=-(-min(len(tones), style.MOST_NAMES) // _LEGEND_ROWS),
    )
    unseen, levels = _mark_thresholds(axes, line, int(shown[0]), int(shown[-1]))
    above = style.heading(f"{line.rainbow}   {line.privacy}" if title is None else title)
    axes.set_title("\n".join([above, *map(style.heading, unseen)]), loc="left", pad=10 + 13 * levels)
    return style.root_figure(axes)


def _marked(size: int, rank: int) -> tuple[int, int]:
    """Return from which point on, and at which step, a curve has markers; those of two ranks differ."""
    step = max(1, size // _MOST_MARKERS)
    return rank * 3 % step, step


def _selected(distances: Iterable[int]) -> NDArray[np.int64]:
    """Return the distances in ascending order, thinned evenly with both ends kept."""
    if isinstance(distances, range):
        # Ranges may be longer than memory.
        distances = spread(distances, _MOST_POINTS)
    chosen = items_of(distances)
    if chosen is None or not all(is_whole(one) and 0 <= one <= _FARTHEST for one in chosen):
        raise UsageError(
            "`distances` must be whole numbers from 0 to 2^53", help="give for example range(31)"
        )
    if not chosen:
        raise UsageError("there is no distance to draw", help="give at least one distance, such as 0:31")
    return np.array(spread(np.unique(np.array(chosen, dtype=np.int64)).tolist(), _MOST_POINTS))


def _mark_thresholds(axes: Axes, line: Line, first: int, last: int) -> tuple[list[str], int]:
    """Mark every threshold in the range; return what is said of those without a label, and rows of labels."""
    at: dict[int, list[str]] = {}
    unseen: list[str] = []
    unlabeled: list[str] = []
    for name, threshold in zip(_names(line), line.thresholds, strict=False):
        if threshold is None:
            unseen.append(f"{name} endless")
        elif first <= threshold <= last:
            at.setdefault(threshold, []).append(name)
        else:
            unseen.append(f"{name} = {show(threshold)}")
    # Labels of thresholds that stand close together go into separate rows.
    ends: list[float] = []
    for threshold, names in sorted(at.items()):
        text = f"{_joined(names)} = {threshold}"
        half = 0.0085 * len(text) * max(last - first, 1)
        row = next((row for row, end in enumerate(ends) if end < threshold - half), len(ends))
        axes.axvline(threshold, color=style.SHADE, linewidth=0.9, linestyle=(0, (4, 3)), zorder=2)
        if row >= _LABEL_ROWS:
            unlabeled.append(text)
            continue
        ends[row : row + 1] = [threshold + half]
        axes.annotate(
            text,
            (threshold, 1),
            xytext=(0, 3 + 13 * row),
            textcoords="offset points",
            xycoords=("data", "axes fraction"),
            ha="center",
            va="bottom",
            fontsize=8.5,
        )
    said = [("not in the picture", unseen), ("also marked", unlabeled)]
    return [f"{what}: {', '.join(texts)}" for what, texts in said if texts], len(ends)


def _names(line: Line) -> list[str]:
    """Name thresholds by the best colors whose growth they end."""
    short = dict(zip(line.rainbow.ordered, style.told_apart(line.rainbow.ordered, _SHORT_NAME), strict=True))
    names, best = [], list[str]()
    for group in line.rainbow.classes[:-1]:
        best.extend(short[color] for color in group)
        names.append(f"τ({'+'.join(best) if len(best) <= _MOST_NAMES else f'best {len(best)}'})")
    return names


def _joined(names: list[str]) -> str:
    """Return equal thresholds as one text, of many the first and the last."""
    return " = ".join([names[0], "…", names[-1]] if len(names) > _MOST_NAMES else names)
