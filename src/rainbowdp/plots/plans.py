# SPDX-License-Identifier: Apache-2.0
"""A plan as a figure: how often the answer is right by lead; colors are privacies, styles mechanisms."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from rainbowdp.planning import Plan, PlanCase
from rainbowdp.planning.words import right_float
from rainbowdp.plots import style
from rainbowdp.questions import Question, Ranking

_STYLES: dict[str, tuple[float, tuple[float, ...]] | None] = {
    "typical": None,
    "guarantee": (0, (6, 2)),
    "noisy counts": (0, (1, 1.6)),
    "ignoring the data": (0, (1, 5)),
    "exponential mechanism": (0, (5, 1.5, 1, 1.5)),
    "permute-and-flip": (0, (5, 1.5, 1, 1.5, 1, 1.5)),
}
_MOST_TICKS = 8
_TITLES: dict[PlanCase, str] = {
    "one-close": "one other answer close",
    "all-close": "all other answers close",
    "yes": "the true answer is yes",
    "no": "the true answer is no",
    "mean": "mean of yes and no",
}


class _Curve(NamedTuple):
    """The probabilities of a right answer by lead; those that are not computed are left out."""

    privacy: str
    mechanism: str
    case: PlanCase
    points: list[tuple[int, float]]


def _curves(plan: Plan) -> Iterator[_Curve]:
    for part in plan.privacies:
        name = ", ".join(f"{name}={value}" for name, value in part.parameters.items())
        for rows in (part.rows, part.compared or ()):
            for at, chance in enumerate(rows[0].chances if rows else ()):
                wrong = [(row.lead, row.chances[at].wrong) for row in rows]
                points = [(lead, right_float(one)) for lead, one in wrong if one is not None]
                yield _Curve(name, chance.mechanism, chance.case, points)


def draw_plan(plan: Plan, ax: object, title: str | None) -> Figure:
    """Draw the plan, in axes that are given or a figure of its own; see `rainbowdp.plots.plot_plan`."""
    curves = list(_curves(plan))
    cases = list(dict.fromkeys(curve.case for curve in curves))
    given = style.axes_of(ax, len(cases), exactly=True)
    figure = style.root_figure(given[0]) if given else style.new_figure(4.2 * len(cases) + 2.4, 4.2)
    names = list(dict.fromkeys(curve.privacy for curve in curves))
    shown = [name for name in _STYLES if name in {curve.mechanism for curve in curves}]
    # Of one privacy the mechanisms have the colors.
    alone = len(names) == 1
    tones = style.paint(shown if alone else names)
    for place, case in enumerate(cases, 1):
        axes = given[place - 1] if given else figure.add_subplot(1, len(cases), place)
        for privacy, mechanism, of, points in curves:
            if of == case and points:
                tone = tones[mechanism if alone else privacy]
                axes.plot(*zip(*points, strict=True), color=tone, **_style(mechanism, plan))
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(_ticks(plan)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter("{x:g}")
        style.probability_axes(axes, "lead", "probability of a right answer" if place == 1 else "")
        if len(cases) > 1:
            axes.set_title(_TITLES[case])
    handles = [] if alone else [Line2D([], [], color=tones[name], linewidth=1.9) for name in names]
    handles += [Line2D([], [], color=tones.get(name, style.SHADE), **_style(name, plan)) for name in shown]
    entries = [*([] if alone else names), *shown]
    if given:
        style.legend(given[-1], handles, entries, loc="best", handlelength=3.0)
        if title is not None:
            given[0].set_title(style.heading(title))
        return figure
    privacy = f"{names[0]}, {plan.neighbors}" if alone else plan.neighbors
    above = f"{_asked(plan.question)}   {privacy}" if title is None else title
    figure.suptitle(style.heading(above), x=0.02, ha="left")
    figure.subplots_adjust(right=1 - 2.4 / figure.get_figwidth())
    style.legend(figure, handles, entries, loc="center right", handlelength=3.0)
    return figure


def _asked(question: Question) -> str:
    answers = question.options if isinstance(question, Ranking) else question.answers
    return f"{question.kind} of {', '.join(answers)}"


def _ticks(plan: Plan) -> list[int]:
    """Return the leads of a plan; of many, the rounded ones: 1, 2, 5, 10, and so on."""
    leads = sorted({row.lead for _, row in plan.rows})
    for digits in ("123456789", "125", "1"):
        shown = [lead for lead in leads if digits == "123456789" or str(lead).rstrip("0") in {*digits}]
        if 0 < len(shown) <= _MOST_TICKS:
            return shown
    return [leads[0], leads[-1]]


def _style(mechanism: str, plan: Plan) -> dict[str, Any]:
    """Return how the curve of a mechanism is drawn; that of the goal of the plan stands out."""
    chosen = mechanism == plan.goal
    return {
        "linestyle": _STYLES[mechanism] or "-",
        "linewidth": 2.1 if chosen else 1.2,
        "zorder": 3 if chosen else 2,
    }
