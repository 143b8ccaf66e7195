# SPDX-License-Identifier: Apache-2.0
"""The optimal mechanism of a rainbow graph: reduce, solve on lines, pull back.

The boundary morphism sends every dataset to its class: its region, and its distance to the region's boundary.
On each of the lines that it leads to, the optimum has a closed form. The pullback, which gives every dataset
the row of its class, is the optimum on the graph (Theorem 3). The work on exact numbers grows with the number
of classes, not of datasets.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal

import numpy as np

from rainbowdp.boundary import (
    BoundaryCondition,
    check_boundary,
    given,
    max_min,
    randomized_response,
    uniform,
)
from rainbowdp.distribution import Distribution, Probabilities
from rainbowdp.exact import Exact
from rainbowdp.exact.arguments import one_of, require
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.rainbow_graph import Classes
from rainbowdp.line import Line
from rainbowdp.mechanism import LineRows, Mechanism
from rainbowdp.privacy import Privacy, require_privacy
from rainbowdp.progress import Progress
from rainbowdp.rainbow import Rainbow

BoundaryName = Literal["uniform", "randomized-response", "max-min"]
Given = Mapping[Rainbow, Probabilities] | Mapping[str, Probabilities]
_NAMES: tuple[BoundaryName, ...] = ("uniform", "randomized-response", "max-min")


def optimal_mechanism(
    graph: RainbowGraph,
    privacy: Privacy,
    boundary: BoundaryCondition | Given | BoundaryName,
    *,
    progress: Progress | None = None,
) -> Mechanism:
    """Return the optimal private mechanism with the given distributions on the boundary.

    Parameters
    ----------
    graph : RainbowGraph
        Datasets, neighbors and rainbows.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy between neighbors.
    boundary : BoundaryCondition, mapping, or "uniform", "randomized-response" or "max-min"
        The distribution of each region's boundary datasets; a mapping is read by `given`. It is checked
        exactly over all pairs of regions that touch.
    progress : callable, optional
        Called with the number of steps done and the number of steps in all while a max-min boundary is
        computed, which is what can take minutes.

    Returns
    -------
    Mechanism
        On the datasets of the graph, with one class of datasets per region and distance. A dataset whose
        component holds no boundary is unconstrained and gives its best colors with certainty: tied ones in
        the boundary's proportions, or in equal shares if there are none.
        Its `notes` say what the boundary condition
        wants a user to know.

    Raises
    ------
    BoundaryMissingError
        If a region with a boundary has no distribution.
    BoundaryNotPrivateError
        If two touching regions have distributions that break the constraint.
    RainbowSyntaxError, ColorError, NumberError
        If a mapping given for the boundary cannot be read, or ranks other colors than the graph.
    UsageError
        For an unknown name of a boundary condition, or an argument of the wrong kind.
    SolverError
        If max-min is asked for on a graph with too many regions.
    DistributionError, UndecidedError
        Under Gaussian privacy, if the boundary's numbers have no closed form along a line.

    References
    ----------
    Zhou et al. 2022, Theorems 2 and 3 (with Theorems 4 and 5 on each line); Gu et al. 2024 for more than
    three colors and for delta > 0.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> graph = RainbowGraph.from_edges(
    ...     edges=[("a", "b"), ("b", "c")],
    ...     rainbows={"a": "blue>red", "b": "blue>red", "c": "red>blue"},
    ... )
    >>> mechanism = optimal_mechanism(graph, PureDP("ln 2"), "uniform")
    >>> mechanism.distribution("a")
    Distribution(blue=3/4, red=1/4)
    >>> [str(rainbow) for rainbow in mechanism.class_rainbow], mechanism.class_distance.tolist()
    (['blue>red', 'blue>red', 'red>blue'], [0, 1, 0])
    """
    require(graph, "graph", RainbowGraph)
    require_privacy(privacy)
    condition = _condition(boundary, graph, privacy, progress)
    notes = check_boundary(condition, graph, privacy)
    classes = graph.classes
    rows = _rows_of(classes, graph, privacy, condition)
    return Mechanism(
        colors=graph.colors,
        codes=classes.codes,
        class_rainbow=tuple(graph.rainbows[region] for region in classes.region.tolist()),
        class_distance=classes.distance,
        rows=rows,
        precision="exact" if _all_rational(rows, privacy) else "float64",
        labels=graph.labels,
        notes=(*condition.notes, *notes),
    )


def _condition(
    boundary: BoundaryCondition | Given | BoundaryName,
    graph: RainbowGraph,
    privacy: Privacy,
    progress: Progress | None,
) -> BoundaryCondition:
    if isinstance(boundary, BoundaryCondition):
        return boundary
    if isinstance(boundary, Mapping):
        return given(boundary)
    require(boundary, "boundary", BoundaryCondition, Mapping, str)
    match one_of("the name of a boundary condition", boundary, _NAMES):
        case "uniform":
            return uniform(graph)
        case "randomized-response":
            return randomized_response(graph, privacy)
        case "max-min":
            return max_min(graph, privacy, progress=progress)


def _rows_of(
    classes: Classes, graph: RainbowGraph, privacy: Privacy, condition: BoundaryCondition
) -> LineRows:
    """Return the row of every class: on the line of its region, or certain where it is unconstrained."""
    bounded = set(classes.region[~np.ma.getmaskarray(classes.distance)].tolist())
    held = [condition.distributions.get(rainbow) for rainbow in graph.rainbows]
    lines = [
        Line(rainbow, distribution, privacy) if distribution is not None and region in bounded else None
        for region, (rainbow, distribution) in enumerate(zip(graph.rainbows, held, strict=True))
    ]
    return LineRows(lines, list(map(certain, graph.rainbows, held)), classes.region, classes.distance)


def certain(rainbow: Rainbow, boundary: Distribution | None) -> Distribution:
    """Return the distribution of an unconstrained dataset: its best color, or tied ones, with certainty.

    Parameters
    ----------
    rainbow : Rainbow
        Its preference order.
    boundary : Distribution or None
        The boundary distribution of its region, whose proportions are kept among tied best colors.

    Returns
    -------
    Distribution

    Examples
    --------
    >>> certain(Rainbow.parse("a=b>c"), Distribution({"a": "1/6", "b": "1/3", "c": "1/2"}))
    Distribution(a=1/3, b=2/3, c=0)
    >>> certain(Rainbow.parse("a=b>c"), None)
    Distribution(a=1/2, b=1/2, c=0)
    """
    best = rainbow.classes[0]
    shares: dict[str, Exact] = dict.fromkeys(rainbow.colors, Fraction(0))
    for color in best:
        shares[color] = Fraction(1, len(best)) if boundary is None else boundary.share(color, best)
    return Distribution.trusted(shares)


def _all_rational(rows: LineRows, privacy: Privacy) -> bool:
    """Tell whether every row is made of fractions, without making every row where odds are rational."""
    looked_at = rows.distances <= 0 if privacy.is_rational else np.ones(len(rows), dtype=np.bool_)
    return all(rows[index].is_rational for index in np.flatnonzero(looked_at).tolist())
