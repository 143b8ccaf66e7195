# SPDX-License-Identifier: Apache-2.0
"""k-ary randomized response as a boundary condition.

It gives the best color the largest probability that allows *all* datasets to be neighbors, and every other
color equally much. It does not depend on which regions touch. Where all of them touch, each with a best color
of its own, it is optimal.
"""

from fractions import Fraction

from rainbowdp.boundary.condition import BoundaryCondition, bounded_rainbows
from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import Exact, NormalExpression, sign
from rainbowdp.exact.arguments import require
from rainbowdp.graph import RainbowGraph
from rainbowdp.privacy import GaussianDP, Privacy, require_privacy
from rainbowdp.rainbow import Rainbow

_GRID = 1 << 66
GAUSSIAN_NOTE = "randomized response under Gaussian privacy is rounded inward, losing at most 2^-64"


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
