# SPDX-License-Identifier: Apache-2.0
"""The max-min boundary condition of a graph.

The solution depends only on which regions touch, and each connected component of touching regions is solved
by itself. Where all regions of a component touch, each with a best color of its own, randomized response is
the solution and no program is needed.
"""

from rainbowdp.boundary.check import check_boundary
from rainbowdp.boundary.condition import BoundaryCondition
from rainbowdp.boundary.response import response, response_notes
from rainbowdp.distribution import Distribution
from rainbowdp.errors import BoundaryNotPrivateError, NotVerifiedError
from rainbowdp.exact.arguments import require
from rainbowdp.graph import RainbowGraph
from rainbowdp.leximin import Component, Progress, components, objective_count, silent, solve, stretch
from rainbowdp.privacy import Privacy, require_privacy
from rainbowdp.rainbow import Rainbow


def max_min(graph: RainbowGraph, privacy: Privacy, *, progress: Progress | None = None) -> BoundaryCondition:
    """Return the boundary condition that serves the worst-off region best.

    The best-class masses of the regions are leximin largest; then the prefixes of 2, 3, ... classes are as
    large as possible, region after region in text order; then tied colors have equal shares where possible.

    Parameters
    ----------
    graph : RainbowGraph
        The graph whose boundary is meant.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy between neighbors.
    progress : callable, optional
        Called now and then with the number of steps done and the number of steps in all. Steps differ much
        in length.

    Returns
    -------
    BoundaryCondition
        Checked exactly over all touching pairs. Exact for rational odds; otherwise rounded inward, and a note
        says what that loses. Regions without a boundary get no distribution.

    Raises
    ------
    SolverError
        If regions that hang together are too many for a linear program, or the solver does not finish.
    UsageError
        If `graph` is not a `RainbowGraph`, or `privacy` not a notion of privacy.
    NotVerifiedError
        If the solution does not pass the check of every boundary condition; a defect of rainbowdp.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> graph = RainbowGraph.from_edges(
    ...     edges=[("x", "y"), ("y", "z")], rainbows={"x": "a>b>c", "y": "b>a>c", "z": "c>b>a"}
    ... )
    >>> for rainbow, distribution in max_min(graph, PureDP("ln 2")).distributions.items():
    ...     print(rainbow, distribution)
    a>b>c Distribution(a=1/2, b=3/8, c=1/8)
    b>a>c Distribution(a=1/4, b=1/2, c=1/4)
    c>b>a Distribution(a=1/8, b=3/8, c=1/2)
    """
    require(graph, "graph", RainbowGraph)
    require_privacy(privacy)
    report = silent if progress is None else progress
    together = components(graph.rainbows, [(touch.first, touch.second) for touch in graph.touching])
    total, done = sum(map(objective_count, together)), 0
    made: dict[Rainbow, Distribution] = {}
    notes: dict[str, None] = {}
    for component in together:
        if _is_response(component):
            made |= {rainbow: response(rainbow, privacy) for rainbow in component.rainbows}
            notes |= dict.fromkeys(response_notes(privacy))
        else:
            solution = solve(component, privacy, stretch(report, done, total))
            for rainbow, row in zip(component.rainbows, solution.table, strict=True):
                made[rainbow] = Distribution.trusted(dict(zip(component.colors, row, strict=True)))
            notes |= dict.fromkeys(filter(None, [solution.note]))
        done += objective_count(component)
        report(done, total)
    condition = BoundaryCondition(made, tuple(notes))
    try:
        check_boundary(condition, graph, privacy)
    except BoundaryNotPrivateError as error:
        raise NotVerifiedError(
            f"the max-min boundary failed its own check: {error.what}", help="report this as a defect"
        ) from error
    return condition


def _is_response(component: Component) -> bool:
    """Tell whether all regions touch and every color is the single best color of exactly one of them.

    Let z be the smallest best-class mass. Every other region gives that color at least (z - delta)/E, so the
    masses of one region sum to at least z + (k-1) (z - delta)/E; this is at most 1 only up to the z of
    randomized response, and there it leaves no choice. For Gaussian privacy the same holds with the inverse
    of the limit in the place of (z - delta)/E.
    """
    count = len(component.colors)
    best = {rainbow.classes[0] for rainbow in component.rainbows}
    return (
        len(component.rainbows) == len(best) == count
        and all(len(group) == 1 for group in best)
        and len(component.touching) == count * (count - 1) // 2
    )
