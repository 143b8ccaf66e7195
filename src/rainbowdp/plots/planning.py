# SPDX-License-Identifier: Apache-2.0
"""A plan as a figure: how often the answer is right by lead; colors are privacies, styles mechanisms."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rainbowdp.planning import Plan, PlanCase, PrivacyPlan
from rainbowdp.planning.words import right_float
from rainbowdp.plots import check_plot_path
from rainbowdp.plots.style import (
    LONGEST_TITLE,
    SHADE,
    caption,
    legend,
    new_figure,
    paint,
    probability_axes,
    styled,
)

_STYLES: dict[str, tuple[float, tuple[float, ...]] | None] = {
    "typical": None,
    "guarantee": (0, (6, 2)),
    "noisy counts": (0, (1, 1.6)),
    "ignoring the data": (0, (1, 5)),
    "exponential mechanism": (0, (5, 1.5, 1, 1.5)),
    "permute-and-flip": (0, (5, 1.5, 1, 1.5, 1, 1.5)),
}
_TITLES: dict[PlanCase, str] = {
    "one-close": "one other answer close",
    "all-close": "all other answers close",
    "yes": "the true answer is yes",
    "no": "the true answer is no",
    "mean": "mean of yes and no",
}


def plot_plan(plan: Plan, path: Path | str | None = None) -> Figure:
    """Draw the probability of a right answer over the lead.

    Parameters
    ----------
    plan : Plan
        The plan; its leads are the points of the curves.
    path : Path or str, optional
        Where to write the figure, as PNG, SVG or PDF by its suffix.

    Returns
    -------
    matplotlib.figure.Figure
        One panel per case of the plan. What is not computed is left out.

    Raises
    ------
    UsageError
        If the suffix of the path is not one of a figure.
    FileWriteError
        If the file cannot be written.

    Examples
    --------
    >>> from rainbowdp.planning import plan
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> found = plan(winner("party", ["A", "B", "C"]), [PureDP("0.1"), PureDP(1)])
    >>> [axes.get_title() for axes in plot_plan(found).axes]
    ['one other answer close', 'all other answers close']
    """
    return styled(lambda: _drawn(plan), None if path is None else check_plot_path(path))


def _drawn(plan: Plan) -> Figure:
    cases = list(dict.fromkeys(chance.case for part in plan.privacies for chance in part.rows[0].chances))
    figure = new_figure(4.2 * len(cases) + 2.4, 4.2)
    names = [
        ", ".join(f"{name}={value}" for name, value in part.parameters.items()) for part in plan.privacies
    ]
    tones = paint(names)
    drawn = set()
    for place, case in enumerate(cases, 1):
        axes = figure.add_subplot(1, len(cases), place)
        for name, part in zip(names, plan.privacies, strict=True):
            for mechanism, leads, right in _curves(part, case):
                axes.plot(leads, right, color=tones[name], **_style(mechanism, plan))
                drawn.add(mechanism)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        probability_axes(axes, "lead", "probability of a right answer" if place == 1 else "")
        if len(cases) > 1:
            axes.set_title(_TITLES[case])
    figure.suptitle(caption(f"{plan.question.kind}, {plan.neighbors}", LONGEST_TITLE), x=0.02, ha="left")
    figure.subplots_adjust(right=1 - 2.4 / figure.get_figwidth())
    shown = [name for name in _STYLES if name in drawn]
    handles = [Line2D([], [], color=tones[name], linewidth=1.9) for name in names]
    handles += [Line2D([], [], color=SHADE, **_style(name, plan)) for name in shown]
    legend(figure, handles, [*names, *shown], loc="center right")
    return figure


def _style(mechanism: str, plan: Plan) -> dict[str, Any]:
    """Return how the curve of a mechanism is drawn; that of the goal of the plan stands out."""
    chosen = mechanism == plan.goal
    return {
        "linestyle": _STYLES[mechanism] or "-",
        "linewidth": 2.1 if chosen else 1.2,
        "zorder": 3 if chosen else 2,
    }


def _curves(part: PrivacyPlan, case: PlanCase) -> Iterator[tuple[str, list[int], list[float]]]:
    """Yield each mechanism of a case with its leads and probabilities of a right answer."""
    for rows in (part.rows, part.compared or ()):
        for at, chance in enumerate(rows[0].chances if rows else ()):
            wrong = [row.chances[at].wrong for row in rows]
            points = [
                (row.lead, right_float(one)) for row, one in zip(rows, wrong, strict=True) if one is not None
            ]
            if chance.case == case and points:
                yield chance.mechanism, [lead for lead, _ in points], [right for _, right in points]
