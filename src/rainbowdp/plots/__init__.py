# SPDX-License-Identifier: Apache-2.0
"""Figures: the curves of a line or a plan, and a rainbow graph beside its boundary graph.

A figure shows a finished value. `plot_line` draws the probabilities of a `Line` over the distance (the
paper's figure 2), `plot_plan` how often the answers of a `Plan` are right, `plot_solution` a rainbow graph
with its boundary graph (the paper's figure 1). Each returns a matplotlib figure, and writes it where a path
is given.
Nothing here touches pyplot, opens a window or stamps a file with the time, so one value gives one file.
Matplotlib is loaded when the first figure is drawn, and its absence is a `MissingExtraError`.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rainbowdp.errors import MissingExtraError, UsageError
from rainbowdp.exact.arguments import require
from rainbowdp.formats.files import path_of
from rainbowdp.graph.rainbow_graph import RainbowGraph
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from rainbowdp.planning import Plan

__all__ = ["LARGEST_DRAWING", "SUFFIXES", "check_plot_path", "plot_line", "plot_plan", "plot_solution"]

SUFFIXES = (".png", ".svg", ".pdf")
"""What a figure can be written as."""

LARGEST_DRAWING = 300
"""The largest number of datasets that are drawn one by one; beyond it there is a histogram."""


def check_plot_path(path: Path | str) -> Path:
    """Refuse a file that a figure cannot be written to, before any work is done for it.

    Parameters
    ----------
    path : Path or str
        Where the figure is to be written.

    Returns
    -------
    Path

    Raises
    ------
    UsageError
        If it is not the name of a file, or its suffix is none of `SUFFIXES`.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> check_plot_path("figure.svg").name
    'figure.svg'
    """
    if find_spec("matplotlib") is None:
        raise MissingExtraError(
            "drawing needs matplotlib, which is not installed",
            help="pip install 'rainbowdp[plot]'",
            package="matplotlib",
        )
    path = path_of(path)
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"a figure cannot be written as {path.name!r}",
            help=f"choose a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}",
            path=str(path),
        )
    return path


def plot_line(
    line: Line,
    distances: Iterable[int] | None = None,
    path: Path | str | None = None,
    *,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the probability of every color over the distance to the boundary.

    Parameters
    ----------
    line : Line
        The line to draw.
    distances : iterable of int, optional
        The distances to show, at least one; of very many an even selection is drawn. By default from 0 to
        where the best color has nearly all that it will have.
    path : Path or str, optional
        Where to write the figure, as PNG, SVG or PDF by its suffix.
    ax : matplotlib.axes.Axes, optional
        Where to draw, instead of in a figure of its own.
    title : str, optional
        What stands above the curves, instead of the rainbow and the privacy.

    Returns
    -------
    matplotlib.figure.Figure
        One curve per color, with a vertical line at every threshold that lies in the range.

    Raises
    ------
    UsageError
        If there is no distance or one that is not a whole number of at least 0, the suffix of the path is not
        one of a figure, or an argument is of another kind.
    FileWriteError
        If the file cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    References
    ----------
    Zhou et al. 2022, figure 2.

    Examples
    --------
    >>> from rainbowdp.distribution import Distribution
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.rainbow import Rainbow
    >>> line = Line(
    ...     Rainbow.parse("blue>red>green"),
    ...     Distribution({"blue": "3/55", "red": "9/55", "green": "43/55"}),
    ...     PureDP("ln(6/5)"),
    ... )
    >>> figure = plot_line(line, range(31), "line.svg")
    >>> Path("line.svg").stat().st_size > 10_000
    True
    """
    place = _place(path)
    require(line, "line", Line)
    from rainbowdp.plots.curves import draw_line
    from rainbowdp.plots.style import axes_of, own_style, written

    shown = line.telling_distances() if distances is None else distances
    (axes,) = axes_of(ax, 1) or (None,)
    with own_style():
        return written(draw_line(line, shown, axes, title), place)


def plot_solution(
    graph: RainbowGraph,
    mechanism: Mechanism,
    path: Path | str | None = None,
    *,
    ax: "Axes | Sequence[Axes] | None" = None,
    pos: "Mapping[Any, ArrayLike] | ArrayLike | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw a rainbow graph and its boundary graph side by side, or how far large regions reach.

    Every dataset is a disk with its rainbow in bands, best class on top, tied colors side by side; a thick
    rim marks the boundary. Small disks are filled with the best class alone, so that regions show. Names that
    do not fit are shortened or numbered, with a key below. Colors that look alike, to some people at least,
    have patterns. The nodes of the boundary graph carry their members, their distance and what the
    mechanism gives to the best class there: the least and the most, where members differ. A graph of more
    than `LARGEST_DRAWING` datasets is shown by the number of datasets per distance, region by region.

    Parameters
    ----------
    graph : RainbowGraph
        The graph.
    mechanism : Mechanism
        A mechanism on the same datasets; with the same labels in another order it is put in order.
    path : Path or str, optional
        Where to write the figure, as PNG, SVG or PDF by its suffix.
    ax : matplotlib.axes.Axes, or two of them, optional
        Where to draw the rainbow graph, and the boundary graph, instead of in a figure of its own.
    pos : mapping or array [n, 2], optional
        Where the datasets stand: by name, as networkx's layouts return it, or one row per dataset.
    title : str, optional
        What stands above the figure; with `ax` above the rainbow graph, instead of what is said of it.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    UsageError
        If the suffix of the path is not one of a figure, places are missing, a graph of more than
        `LARGEST_DRAWING` datasets is given places or axes, graph and mechanism have different sizes, or an
        argument is of another kind.
    MechanismShapeError
        If a dataset of the graph is missing in the mechanism.
    FileWriteError
        If the file cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    References
    ----------
    Zhou et al. 2022, figure 1 and Definition 8.

    Examples
    --------
    >>> from rainbowdp.optimal import optimal_mechanism
    >>> from rainbowdp.privacy import PureDP
    >>> graph = RainbowGraph.from_edges(
    ...     edges=[("a", "b"), ("b", "c")],
    ...     rainbows={"a": "blue>red", "b": "blue>red", "c": "red>blue"},
    ... )
    >>> figure = plot_solution(graph, optimal_mechanism(graph, PureDP("ln 2"), "uniform"))
    >>> [axes.get_title() for axes in figure.axes]
    ['rainbow graph: 3 datasets, 2 pairs of neighbors', 'boundary graph: 3 nodes, 2 edges']
    """
    place = _place(path)
    require(graph, "graph", RainbowGraph)
    require(mechanism, "mechanism", Mechanism)
    if graph.size != mechanism.size:
        raise UsageError(
            f"the graph has {graph.size} datasets and the mechanism {mechanism.size}",
            help="draw a mechanism with the graph that it was made for",
        )
    from rainbowdp.mechanism import in_order_of
    from rainbowdp.plots.solution import draw_histogram, draw_into, draw_solution
    from rainbowdp.plots.style import axes_of, own_style, written

    axes, aligned = axes_of(ax, 2), in_order_of(graph.labels, mechanism)
    is_large = graph.size > LARGEST_DRAWING
    if is_large and (axes or pos is not None):
        raise UsageError(
            f"a graph of {graph.size} datasets is drawn as histograms, which take no places and no axes",
            help=f"leave out `ax` and `pos`, or draw a graph of at most {LARGEST_DRAWING} datasets",
        )
    with own_style():
        if is_large:
            figure = draw_histogram(graph, aligned, title)
        elif axes:
            figure = draw_into(axes, graph, aligned, pos, title)
        else:
            figure = draw_solution(graph, aligned, pos, title)
        return written(figure, place)


def plot_plan(
    plan: "Plan",
    path: Path | str | None = None,
    *,
    ax: "Axes | Sequence[Axes] | None" = None,
    title: str | None = None,
) -> "Figure":
    """Draw the probability of a right answer over the lead.

    Parameters
    ----------
    plan : Plan
        The plan; its leads are the points of the curves.
    path : Path or str, optional
        Where to write the figure, as PNG, SVG or PDF by its suffix.
    ax : matplotlib.axes.Axes, or several, optional
        Where to draw, one per case of the plan, instead of in a figure of its own.
    title : str, optional
        What stands above the figure, instead of the question and the privacy; with `ax` above the first of
        them.

    Returns
    -------
    matplotlib.figure.Figure
        One panel per case of the plan. What is not computed is left out.

    Raises
    ------
    UsageError
        If the suffix of the path is not one of a figure, or there is not one of the axes per case.
    FileWriteError
        If the file cannot be written.
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> from rainbowdp.planning import plan
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> found = plan(winner("party", ["A", "B", "C"]), [PureDP("0.1"), PureDP(1)])
    >>> [axes.get_title() for axes in plot_plan(found).axes]
    ['one other answer close', 'all other answers close']
    """
    place = _place(path)
    from rainbowdp.plots.plans import draw_plan
    from rainbowdp.plots.style import own_style, written

    with own_style():
        return written(draw_plan(plan, ax, title), place)


def _place(path: Path | str | None) -> Path | None:
    """Return where a figure is to be written, after a look for matplotlib in any case."""
    checked = check_plot_path("figure.png" if path is None else path)
    return None if path is None else checked
