# SPDX-License-Identifier: Apache-2.0
"""Make privacy-loss distributions of dp_accounting, to compose many answers more tightly than by adding.

A privacy-loss distribution stands for the worst pair of neighbors. `privacy_loss` makes the one of a notion
of privacy, which holds for every mechanism of that notion and for every neighbor relation, so that answers to
different questions compose. `mechanism_loss` makes the smaller one of a mechanism on a graph, from all its
pairs of neighbors. Everything made here is rounded so that it never promises more privacy than there is, and
`compose`, whose sums dp_accounting computes in floats, adds an allowance for their rounding.

All pairs of neighbors are taken together as one (`worst_losses`). For two distributions p and q let H(t) be
the sum of max(0, p - t q) over the colors. The largest of the H of all pairs, as a function of t, is convex
and is the H of *one* pair, which dominates all of them also under composition. H is evaluated with
enclosures, rounded up, at points e^(k interval), and joined by straight lines, which lie above a convex
function. The lines are again the H of one pair, whose losses are multiples of the interval, so nothing is
lost but what lies between line and curve.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from types import ModuleType
from typing import TYPE_CHECKING

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import MechanismShapeError, PrivacyParameterError, UsageError
from rainbowdp.exact import (
    Exact,
    Number,
    OddsExpression,
    ball,
    bounds,
    enclose_with,
    exponent_ball,
    format_fraction,
    parse_fraction,
    rational_ball,
    round_ball,
    sign,
    to_float,
    working_precision,
)
from rainbowdp.exact.arguments import require
from rainbowdp.families import Family
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.interop import library
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.verification.stretches import classes_that_meet

_BITS = 256
_LARGEST_GRID = 256

Row = Sequence[tuple[flint.arb, flint.arb]]


@dataclass(frozen=True)
class LossMasses:
    """Probabilities of privacy losses, each rounded up, so that they may sum to slightly more than 1.

    Attributes
    ----------
    masses : tuple of (int, float)
        Multiples of the interval, ascending, with their probabilities.
    infinity : float
        The probability of an infinite loss.
    """

    masses: tuple[tuple[int, float], ...]
    infinity: float


def worst_losses(pairs: Iterable[tuple[Distribution, Distribution]], interval: Fraction) -> LossMasses:
    """Return losses that dominate those of all pairs, each in both directions.

    Parameters
    ----------
    pairs : iterable of (Distribution, Distribution)
        What neighbors have, in exact numbers; the two of a pair have the same colors.
    interval : Fraction
        The grid of the losses.

    Returns
    -------
    LossMasses

    References
    ----------
    Zhu, Dong and Wang, Optimal Accounting of Differential Privacy via Characteristic Function, 2022,
    proposition 8 and theorem 10 (dominating pairs, and that they compose); Doroshenko et al., Connect the
    Dots, 2022, algorithm 1 (losses on a grid).

    Examples
    --------
    >>> p, q = Distribution({"a": "2/3", "b": "1/3"}), Distribution({"a": "1/3", "b": "2/3"})
    >>> losses = worst_losses([(p, q)], Fraction(1, 10))
    >>> [(at, round(mass, 3)) for at, mass in losses.masses if mass > 1e-9], losses.infinity
    ([(-7, 0.309), (-6, 0.024), (6, 0.044), (7, 0.623)], 0.0)
    """
    directions = [both for p, q in pairs for both in ((p, q), (q, p))]
    rows = [[(ours[color], theirs[color]) for color in ours] for ours, theirs in directions]
    with working_precision(_BITS):
        grid = _thinned(_grid(rows, interval))
        balls = [[(ball(x), ball(y)) for x, y in row if sign(x) > 0] for row in rows]
        points = [(rational_ball(interval * at)).exp() for at in grid]
        heights = [max((_height(row, point) for row in balls), default=Fraction(0)) for point in points]
        masses = _slopes(heights, [rational_ball(interval * (b - a)) for a, b in itertools.pairwise(grid)])
    return LossMasses(tuple(zip(grid, masses, strict=True)), to_float(heights[-1], "up"))


def _grid(rows: Sequence[Sequence[tuple[Exact, Exact]]], interval: Fraction) -> list[int]:
    """Return the points just below and above every corner of every H; no corner lies outside them."""
    found = {0}
    for row in rows:
        for x, y in row:
            if sign(x) > 0 and sign(y) > 0:
                lower, upper = enclose_with(partial(_log_ratio, x, y), 64)
                found |= {lower // interval, upper // interval + 1}
    return sorted(found)


def _log_ratio(x: Exact, y: Exact) -> flint.arb:
    return (ball(x) / ball(y)).log()


def _thinned(grid: list[int]) -> list[int]:
    """Keep the ends and at most so many points: fewer points only move the lines further up."""
    step = -(-len(grid) // _LARGEST_GRID)
    return sorted({*grid[::step], grid[-1]})


def _height(row: Row, point: flint.arb) -> Fraction:
    total = Fraction(0)
    for x, y in row:
        _, upper = bounds(x - point * y)
        total += max(Fraction(0), upper)
    return min(total, Fraction(1))


def _slopes(heights: Sequence[Fraction], gaps: Sequence[flint.arb]) -> list[float]:
    """Return the probability of every grid point, rounded up."""
    # A line from H(0) = 1 to the first point, lines between the points, a level line after the last one: the
    # probability of a point is the change of slope there, times the point itself.
    before: flint.arb = rational_ball(1 - heights[0])
    masses = []
    for index, height in enumerate(heights):
        mass = before
        if index < len(gaps):
            fall = rational_ball(height - heights[index + 1])
            mass -= fall / gaps[index].expm1()
            before = -fall / (-gaps[index]).expm1()
        masses.append(max(0.0, to_float(bounds(mass)[1], "up")))
    return masses


if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

INTERVAL = 1e-4
"""The default grid of losses, that of dp_accounting; distributions compose only on one grid."""

LARGEST_PAIRS = 1000
"""So many pairs of classes `mechanism_loss` looks at; beyond them it points to `privacy_loss`."""

ALLOWANCE = 1e-15
"""The delta that `compose` adds per answer, and ten times once, for the rounding of Fourier transforms.

Measured against exact sums, compositions of up to 1,000 answers were too small by at most 2e-17 per answer;
the allowance is fifty times that, and no proof.
"""

_MOST_POINTS = 20_000_000
_SLACK = 1e-12
_TRIES = 60


def privacy_loss(privacy: Privacy, *, interval: float = INTERVAL) -> "PrivacyLossDistribution":
    """Return the privacy-loss distribution that no answer of a notion of privacy exceeds.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of one answer.
    interval : float
        The grid of losses.

    Returns
    -------
    dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        Symmetric. For pure and approximate privacy enclosures round every probability up; the Gaussian one is
        made by dp_accounting, for a mu that is larger by one part in 10^12.

    Raises
    ------
    MissingExtraError
        If dp_accounting is not installed.
    UsageError
        If the losses do not fit a grid of 20 million points, or an argument is of another kind.

    References
    ----------
    Kairouz, Oh and Viswanath 2017 (the worst pair of epsilon and delta); Dong, Roth and Su 2022 for mu.

    Examples
    --------
    >>> from rainbowdp import PureDP
    >>> round(privacy_loss(PureDP("0.5")).get_epsilon_for_delta(0.0), 4)
    0.5
    """
    require(privacy, "privacy", PureDP, ApproxDP, GaussianDP)
    distributions = _library()
    rate = privacy.mu if isinstance(privacy, GaussianDP) else privacy.epsilon
    reach = round_ball(lambda: exponent_ball(rate), "up")
    if isinstance(privacy, GaussianDP):
        reach = reach**2 / 2 + 10 * reach
    _check_grid(reach, interval)
    if not isinstance(privacy, GaussianDP):
        return _made(worst_losses([_worst_pair(privacy)], Fraction(interval)), interval)
    if privacy.mu == 0:
        return distributions.identity(interval)
    deviation = round_ball(lambda: 1 / exponent_ball(privacy.mu), "down") * (1 - _SLACK)
    return distributions.from_gaussian_mechanism(
        standard_deviation=deviation, sensitivity=1, value_discretization_interval=interval
    )


def mechanism_loss(
    mechanism: Mechanism, graph: NeighborRelation | RainbowGraph | Family, *, interval: float = INTERVAL
) -> "PrivacyLossDistribution":
    """Return a privacy-loss distribution that no pair of neighbors of a mechanism exceeds.

    Of all pairs of neighbors, in both directions, the largest excess is taken at every loss; no single pair
    need be the worst one.

    Parameters
    ----------
    mechanism : Mechanism
        In exact numbers.
    graph : RainbowGraph, DatasetGraph or another NeighborRelation
        All its neighbors. What is not in the graph is not covered.
    interval : float
        The grid of losses.

    Returns
    -------
    dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        Symmetric; every probability is rounded up.

    Raises
    ------
    MissingExtraError
        If dp_accounting is not installed.
    MechanismShapeError
        If the mechanism is stated in decimals, or does not have the datasets of the graph.
    UsageError
        If more than `LARGEST_PAIRS` pairs of classes meet, or the losses do not fit the grid.

    References
    ----------
    Zhu, Dong and Wang 2022, proposition 8 (the largest excess belongs to one dominating pair).

    Examples
    --------
    >>> from rainbowdp import Mechanism
    >>> from rainbowdp.graph import DatasetGraph
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["a>b", "b>a"], table=[{"a": "3/5", "b": "2/5"}, {"a": "2/5", "b": "3/5"}]
    ... )
    >>> loss = mechanism_loss(mechanism, DatasetGraph.from_pairs(2, [0], [1]))
    >>> round(delta_for_epsilon(loss, 0), 6)
    0.2
    """
    aligned, _, met = classes_that_meet(mechanism, graph)
    if mechanism.stated:
        raise MechanismShapeError(
            "a mechanism of stated decimals has no exact losses",
            help="solve it again, or write it with exact fractions; or use privacy_loss with its notion",
        )
    if met.size > LARGEST_PAIRS:
        raise UsageError(
            f"{met.size} pairs of classes meet, and mechanism_loss looks at {LARGEST_PAIRS}",
            help="use privacy_loss with the notion of the mechanism: it holds for every pair",
        )
    sources, targets = (aligned.codes[side].tolist() for side in (met.source, met.target))
    pairs = [(aligned.rows[one], aligned.rows[other]) for one, other in zip(sources, targets, strict=True)]
    _library()
    losses = worst_losses(pairs, Fraction(interval))
    _check_grid(max(abs(losses.masses[0][0]), abs(losses.masses[-1][0])) * interval, interval)
    return _made(losses, interval)


def compose(
    answers: Iterable["Privacy | PrivacyLossDistribution"], *, interval: float = INTERVAL
) -> "PrivacyLossDistribution":
    """Return the privacy-loss distribution of many answers together.

    Parameters
    ----------
    answers : iterable of PureDP, ApproxDP, GaussianDP or PrivacyLossDistribution
        One per answer, in any order. Each may depend on the answers before it, as long as its privacy was
        fixed beforehand.
    interval : float
        The grid of losses.

    Returns
    -------
    dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        With the `ALLOWANCE`, so an epsilon exists for deltas above it only.

    Raises
    ------
    MissingExtraError
        If dp_accounting is not installed.
    UsageError
        If a privacy-loss distribution has another grid, or an answer is neither.

    References
    ----------
    Zhu, Dong and Wang 2022, theorem 10.

    Examples
    --------
    >>> from rainbowdp import ApproxDP
    >>> total = compose([ApproxDP("0.5", "1e-6")] * 100)
    >>> epsilon_for_delta(total, "2e-4") < 29
    True
    """
    distributions = _library()
    # Notions compare by value; two distributions are the same answer's only where they are one object.
    counts: Counter[Privacy | int] = Counter()
    losses: dict[Privacy | int, PrivacyLossDistribution] = {}
    for answer in answers:
        if isinstance(answer, PureDP | ApproxDP | GaussianDP):
            counts[answer] += 1
        else:
            require(answer, "answers", distributions.PrivacyLossDistribution)
            counts[id(answer)] += 1
            losses[id(answer)] = answer
    losses |= {
        known: privacy_loss(known, interval=interval) for known in counts if not isinstance(known, int)
    }
    parts = [losses[known].self_compose(count) for known, count in counts.items()]
    number = counts.total()
    if number == 0:
        return distributions.identity(interval)
    if number == 1:
        return next(iter(losses.values()))
    rounding = distributions.PrivacyLossDistribution.create_from_rounded_probability(
        {0: 1.0}, ALLOWANCE * (number + 10), interval
    )
    try:
        return reduce(lambda one, other: one.compose(other), [*parts, rounding])
    except ValueError as error:
        raise UsageError(
            "privacy-loss distributions on different grids, or with optimistic rounding, do not compose",
            help=f"make all of them pessimistic, with the interval {interval:g}",
        ) from error


def epsilon_for_delta(loss: "PrivacyLossDistribution", delta: Number) -> float:
    """Return an epsilon at which a privacy-loss distribution has at most a delta, rounded up.

    Parameters
    ----------
    loss : PrivacyLossDistribution
        Pessimistic, as those made here are.
    delta : number or text
        From 0 to 1.

    Returns
    -------
    float
        Infinite if there is none.

    Raises
    ------
    PrivacyParameterError
        If delta is outside [0, 1].
    NumberError
        If delta is not an exact number.

    Examples
    --------
    >>> from rainbowdp import GaussianDP
    >>> round(epsilon_for_delta(privacy_loss(GaussianDP(1)), "1e-6"), 3)
    4.887
    """
    wanted = parse_fraction(delta)
    if not 0 <= wanted <= 1:
        raise PrivacyParameterError(
            f"delta is {format_fraction(wanted)}, outside [0, 1]",
            help="give a delta from 0 to 1",
            value=delta,
        )
    target = to_float(wanted, "down")
    epsilon = float(loss.get_epsilon_for_delta(target))
    step = _SLACK
    for _ in range(_TRIES):
        if not math.isfinite(epsilon) or _delta(loss, epsilon) <= target:
            return epsilon
        epsilon = math.nextafter(epsilon + step * max(1.0, epsilon), math.inf)
        step *= 2
    return math.inf


def delta_for_epsilon(loss: "PrivacyLossDistribution", epsilon: Number) -> float:
    """Return the delta of a privacy-loss distribution at an epsilon, rounded up.

    Parameters
    ----------
    loss : PrivacyLossDistribution
        Pessimistic, as those made here are.
    epsilon : number or text
        At least 0; ``ln 3`` is read as well.

    Returns
    -------
    float

    Raises
    ------
    PrivacyParameterError, NumberError
        If epsilon is negative or not an exact number.

    Examples
    --------
    >>> from rainbowdp import ApproxDP
    >>> delta_for_epsilon(privacy_loss(ApproxDP("0.25", "1e-6")), "0.3") < 1.000001e-6
    True
    """
    asked = PureDP(epsilon).epsilon
    return _delta(loss, max(0.0, round_ball(lambda: exponent_ball(asked), "down")))


def _delta(loss: "PrivacyLossDistribution", epsilon: float) -> float:
    delta = float(loss.get_delta_for_epsilon(epsilon))
    return min(1.0, max(0.0, delta) * (1 + _SLACK))


def _library() -> ModuleType:
    return library("dp_accounting.pld.privacy_loss_distribution", "accounting")


def _worst_pair(privacy: PureDP | ApproxDP) -> tuple[Distribution, Distribution]:
    """Return randomized response of one bit, disclosed with probability delta."""
    odds: Fraction | OddsExpression = privacy.odds
    rest = 1 - privacy.delta
    more, less = rest * odds / (1 + odds), rest / (1 + odds)
    first = {"shown-0": privacy.delta, "shown-1": Fraction(0), "0": more, "1": less}
    second = {"shown-0": Fraction(0), "shown-1": privacy.delta, "0": less, "1": more}
    return Distribution.trusted(first), Distribution.trusted(second)


def _check_grid(reach: float, interval: float) -> None:
    if not 0 < interval <= 1:
        raise UsageError(f"the interval {interval!r} is not a grid", help="give a number from 1e-9 to 1")
    if not 2 * reach / interval <= _MOST_POINTS:
        raise UsageError(
            f"losses up to {reach:.3g} need more than {_MOST_POINTS} points at an interval of {interval:g}",
            help="give a coarser interval",
        )


def _made(losses: LossMasses, interval: float) -> "PrivacyLossDistribution":
    return _library().PrivacyLossDistribution.create_from_rounded_probability(
        dict(losses.masses), losses.infinity, interval
    )
