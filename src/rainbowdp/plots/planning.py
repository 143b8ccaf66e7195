# SPDX-License-Identifier: Apache-2.0
"""A plan as a figure: how often the answer is right over the lead, one color per privacy, rivals dashed."""

from collections.abc import Iterator
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rainbowdp.planning import Plan, PrivacyPlan, RivalChance
from rainbowdp.planning.chances import rounded
from rainbowdp.plots import check_plot_path
from rainbowdp.plots.captions import LONGEST_TITLE, caption, legend
from rainbowdp.plots.files import SHADE, new_figure, styled, write_figure
from rainbowdp.plots.palette import paint

_DASHES = {
    "exponential mechanism": (0, (1, 1.6)),
    "permute-and-flip": (0, (5, 2)),
    "thresholded geometric": (0, (5, 1.5, 1, 1.5)),
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
        One panel per case: all other answers equally close, and one of them close; one where there are
        two answers.

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
    ['all others equally close', 'one other close']
    """
    if path is not None:
        check_plot_path(path)
    with styled():
        figure = _drawn(plan)
        if path is not None:
            write_figure(figure, Path(path))
    return figure


def _drawn(plan: Plan) -> Figure:
    cases: list[str] = [case for case in ("all-close", "one-close") if case in _cases(plan)] or [""]
    figure = new_figure(4.6 * len(cases) + 2.2, 4.2)
    names = [_name(part) for part in plan.privacies]
    tones = paint(names)
    titles = {"all-close": "all others equally close", "one-close": "one other close", "": ""}
    for place, case in enumerate(cases):
        axes = figure.add_subplot(1, len(cases), place + 1)
        for part in plan.privacies:
            for name, right in _curves(part, case):
                ours = name == "rainbowdp"
                axes.plot(
                    [row.lead for row in part.rows],
                    right,
                    color=tones[_name(part)],
                    linestyle="-" if ours else _DASHES[name],
                    linewidth=1.9 if ours else 1.2,
                    zorder=3 if ours else 2,
                )
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlabel("lead")
        axes.set_ylim(-0.02, 1.02)
        axes.grid(axis="y", color="#e4e4e4", linewidth=0.7)
        axes.set_axisbelow(True)
        if len(cases) > 1:
            axes.set_title(titles[case])
    figure.axes[0].set_ylabel("probability of a right answer")
    figure.suptitle(caption(f"{plan.question.kind}, {plan.neighbors}", LONGEST_TITLE), x=0.02, ha="left")
    figure.subplots_adjust(right=1 - 2.2 / figure.get_figwidth())
    rivals = [name for name in _DASHES if any(name == rival.mechanism for rival in _rivals(plan))]
    handles = [Line2D([], [], color=tones[name], linewidth=1.9) for name in names]
    handles += [Line2D([], [], color=SHADE, linewidth=1.9)]
    handles += [Line2D([], [], color=SHADE, linestyle=_DASHES[name], linewidth=1.2) for name in rivals]
    legend(figure, handles, [*names, "rainbowdp", *rivals], loc="center right")
    return figure


def _name(part: PrivacyPlan) -> str:
    return ", ".join(f"{name}={value}" for name, value in part.parameters.items())


def _rivals(plan: Plan) -> Iterator[RivalChance]:
    for part in plan.privacies:
        for row in part.rows[:1]:
            yield from row.rivals


def _cases(plan: Plan) -> set[str]:
    return {rival.case for part in plan.privacies for row in part.rows for rival in row.rivals}


def _curves(part: PrivacyPlan, case: str) -> Iterator[tuple[str, list[float]]]:
    """Yield ours and the rivals of a case, each with its probabilities of a right answer."""
    yield "rainbowdp", [1 - rounded(row.wrong) for row in part.rows]
    for at, rival in enumerate(part.rows[0].rivals if part.rows else ()):
        if rival.case == case:
            yield rival.mechanism, [1 - rounded(row.rivals[at].wrong) for row in part.rows]
