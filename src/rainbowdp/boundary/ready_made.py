# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions that are made for a graph: uniform, randomized response, and max-min.

k-ary randomized response gives the best color the largest probability that allows *all* datasets to be
neighbors, and every other color equally much. It does not depend on which regions touch. Where all of them
touch, each with a best color of its own, it is optimal.

The max-min condition serves the worst-off region best. It depends only on which regions touch, and each
connected component of touching regions is solved by itself. Where all regions of a component touch, each with
a best color of its own, randomized response is the solution and no program is needed.
"""

from fractions import Fraction

from rainbowdp.boundary.condition import BoundaryCondition, check_boundary
from rainbowdp.distribution import Distribution
from rainbowdp.errors import BoundaryNotPrivateError, NotVerifiedError, UndecidedError
from rainbowdp.exact import Exact, NormalExpression, sign
from rainbowdp.exact.arguments import require
from rainbowdp.graph import RainbowGraph
from rainbowdp.leximin import Component, components, objective_count, solve
from rainbowdp.privacy import GaussianDP, Privacy, require_privacy
from rainbowdp.progress import Part, Progress, silent
from rainbowdp.rainbow import Rainbow

_GRID = 1 << 66
GAUSSIAN_NOTE = "randomized response under Gaussian privacy is rounded inward, losing at most 2^-64"


def uniform(graph: RainbowGraph) -> BoundaryCondition:
    """Return the boundary condition that gives every color the same probability everywhere.

    Parameters
    ----------
    graph : RainbowGraph
        The graph whose boundary is meant.

    Returns
    -------
    BoundaryCondition
        Private under every notion of privacy. Regions without a boundary get no distribution.

    Raises
    ------
    UsageError
        If `graph` is not a `RainbowGraph`.

    Examples
    --------
    >>> graph = RainbowGraph.from_edges([("a", "b")], {"a": "blue>red", "b": "red>blue"})
    >>> uniform(graph).distributions[Rainbow.parse("blue>red")]
    Distribution(blue=1/2, red=1/2)
    """
    require(graph, "graph", RainbowGraph)
    same = Distribution.trusted(dict.fromkeys(graph.colors, Fraction(1, max(len(graph.colors), 1))))
    return BoundaryCondition(dict.fromkeys(bounded_rainbows(graph), same))


def randomized_response(graph: RainbowGraph, privacy: Privacy) -> BoundaryCondition:
    """Return k-ary randomized response over all colors as a boundary condition.

    A color of the best class is chosen uniformly and then reported by randomized response: with probability
    (E + (k-1) delta) / (E + k - 1) as it is, otherwise as any other color equally often.

    Parameters
    ----------
    graph : RainbowGraph
        The graph whose boundary is meant; its k colors are those of the response.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy between neighbors.

    Returns
    -------
    BoundaryCondition
        Private for any set of touching regions. Exact for every epsilon; under Gaussian privacy the
        probabilities are the largest multiples of 2^-66 within the constraint, and a note says so. Regions
        without a boundary get no distribution.

    Raises
    ------
    UsageError
        If `graph` is not a `RainbowGraph`, or `privacy` not a notion of privacy.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> graph = RainbowGraph.from_edges([("a", "b")], {"a": "blue>red=green", "b": "red=green>blue"})
    >>> condition = randomized_response(graph, PureDP("ln 2"))
    >>> condition.distributions[Rainbow.parse("blue>red=green")]
    Distribution(blue=1/2, green=1/4, red=1/4)
    >>> condition.distributions[Rainbow.parse("red=green>blue")]
    Distribution(blue=1/4, green=3/8, red=3/8)
    """
    require(graph, "graph", RainbowGraph)
    require_privacy(privacy)
    rainbows = bounded_rainbows(graph)
    made: dict[tuple[str, ...], Distribution] = {}
    for rainbow in rainbows:
        if rainbow.classes[0] not in made:
            made[rainbow.classes[0]] = response(rainbow, privacy)
    return BoundaryCondition(
        {rainbow: made[rainbow.classes[0]] for rainbow in rainbows}, response_notes(privacy)
    )


def response_notes(privacy: Privacy) -> tuple[str, ...]:
    """Return what is to be said about the numbers of randomized response."""
    return () if privacy.is_rational or not isinstance(privacy, GaussianDP) else (GAUSSIAN_NOTE,)


def response(rainbow: Rainbow, privacy: Privacy) -> Distribution:
    """Return the distribution of randomized response for one rainbow.

    Parameters
    ----------
    rainbow : Rainbow
        Only its best class and its colors matter.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy between neighbors.

    Returns
    -------
    Distribution
    """
    best, count = rainbow.classes[0], len(rainbow.colors)
    truth, lie = _truth_and_lie(count, privacy)
    share = (truth + (len(best) - 1) * lie) / len(best)
    return Distribution.trusted({color: share if color in best else lie for color in rainbow.colors})


def _truth_and_lie(count: int, privacy: Privacy) -> tuple[Exact, Exact]:
    """Return the probabilities of the true color and of each other one."""
    if count == 1:
        return Fraction(1), Fraction(0)
    if isinstance(privacy, GaussianDP):
        truth = _gaussian_truth(count, privacy)
        return truth, (1 - truth) / (count - 1)
    odds, delta = privacy.odds, privacy.delta
    return (odds + (count - 1) * delta) / (odds + (count - 1)), (1 - delta) / (odds + (count - 1))


def _gaussian_truth(count: int, privacy: GaussianDP) -> Fraction:
    """Return the largest multiple of 2^-66, or else 1/count, that the constraint allows for the true color.

    The condition is a <= Phi(Phi^-1((1-a)/(count-1)) + mu). Its right side falls in a, so bisection finds the
    last a; what 4096 bits do not decide counts as not allowed.
    """

    def allowed(step: int) -> bool:
        truth = Fraction(step, _GRID)
        limit = NormalExpression.shifted((1 - truth) / (count - 1), Fraction(1), privacy.mu)
        try:
            return sign(limit - truth) >= 0
        except UndecidedError:
            return False

    even = Fraction(1, count)
    if privacy.mu == 0:
        return even
    low, high = int(even * _GRID), _GRID
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return max(Fraction(low, _GRID), even)


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
    ...     print(rainbow, repr(distribution))
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
            solution = solve(component, privacy, Part(report, done, total))
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


def bounded_rainbows(graph: RainbowGraph) -> list[Rainbow]:
    """Return the rainbows of the regions that have a boundary, sorted by text."""
    codes = {code for touch in graph.touching for code in (touch.first, touch.second)}
    return [graph.rainbows[code] for code in sorted(codes)]
