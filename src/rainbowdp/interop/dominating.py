# SPDX-License-Identifier: Apache-2.0
"""The worst pair of neighbors, all pairs taken together, as probabilities of privacy losses on a grid.

For two distributions p and q let H(t) be the sum of max(0, p - t q) over the colors. Whatever the pairs of
neighbors are, the largest of their H, as a function of t, is convex and is the H of *one* pair, which
dominates all of them also under composition. H is evaluated with enclosures, rounded up, at points
e^(k interval), and joined by straight lines, which lie above a convex function. The lines are again the H of
one pair, whose losses are multiples of the interval, so nothing is lost but what lies between line and curve.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.exact import (
    Exact,
    ball,
    bounds,
    enclose_with,
    rational_ball,
    sign,
    to_float,
    working_precision,
)

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
    rows: list[Sequence[tuple[Exact, Exact]]] = []
    for p, q in pairs:
        rows.append([(p[color], q[color]) for color in p])
        rows.append([(q[color], p[color]) for color in p])
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
                lower, upper = _loss(x, y)
                found |= {lower // interval, upper // interval + 1}
    return sorted(found)


def _loss(x: Exact, y: Exact) -> tuple[Fraction, Fraction]:
    def loss() -> flint.arb:
        return (ball(x) / ball(y)).log()

    return enclose_with(loss, 64)


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
