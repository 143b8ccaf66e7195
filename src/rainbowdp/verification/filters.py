# SPDX-License-Identifier: Apache-2.0
"""Float64 bounds for many pairs of classes at once.

For every pair a filter bounds two numbers from both sides: the greatest excess over the constraint that is
asked, and the tight figure (a ratio, a delta or a mu). Every operation is rounded outward by more than it can
err, so a pair that the filter accepts keeps the constraint; exact arithmetic decides all others.

A filter works on bounds of row entries. An entry is a number, or an interval of numbers where the row holds
stated decimals. Bounds are floats that are surely below or above the ends of that interval; nothing here is
an estimate. An upper bound is 0 only where the number is exactly 0.

Under Gaussian privacy an event and its complement say the same about mu in the two directions, so half of all
events are enough. Their normal quantiles are bounded once per class where memory allows it; a pair is then a
few subtractions. One thing is assumed there that is measured and not proven: between 2^-1074 and 1 - 2^-53
scipy's `ndtri` is within 1e-10 + 1e-12 |z| of the normal quantile z, and on the whole line `ndtr` is within
1e-12 of the distribution function. A test compares both with Arb balls on a grid of that range and requires a
thousandth of it. Sums are bounded by proof (`sum_slack`).
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import Exact, exponent_ball, round_ball, to_float
from rainbowdp.mechanism import STATED_ABSOLUTE, STATED_RELATIVE
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP

Floats = NDArray[np.float64]
Filter = Callable[[NDArray[Any], NDArray[Any]], "PairBounds"]

_SMALLEST_FLOAT = 5e-324
_UNIT = 2.0**-52
# More than four roundings of float64, which is what the arithmetic of stated bounds can lose.
_ROUNDING = 2.0**-50
_PRODUCT = 2.0**-50
_SUBNORMAL = 1e-321
_LARGEST_FLOAT = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds of entries, float64 arrays of one shape.

    Parameters
    ----------
    least_down, least_up : array
        Below and above the least number that an entry can stand for.
    most_down, most_up : array
        Below and above the largest one; a written 0 may stand for the absolute precision.
    figure_up : array
        As `most_up`, but 0 where 0 is written: two zeros say nothing about a ratio.
    """

    least_down: Floats
    least_up: Floats
    most_down: Floats
    most_up: Floats
    figure_up: Floats


BoundsOf = Callable[[Floats], Bounds]
"""Turns correctly rounded entries into bounds."""


def nearest_bounds(values: Floats) -> Bounds:
    """Return bounds of the numbers whose nearest floats these are; 0 stands for 0."""
    down = np.maximum(values * (1 - _UNIT) - _SMALLEST_FLOAT, 0)
    up = np.where(values == 0, 0, values * (1 + _UNIT) + _SMALLEST_FLOAT)
    return Bounds(down, up, down, up, up)


def stated_bounds(values: Floats) -> Bounds:
    """Return bounds of what stated decimals can stand for, from their nearest floats."""
    width = float(STATED_RELATIVE) * values + float(STATED_ABSOLUTE)
    slack = _ROUNDING * (values + float(STATED_ABSOLUTE))
    least, most = values - width, values + width
    most_up = most + slack
    return Bounds(
        least_down=np.maximum(least - slack, 0),
        least_up=np.maximum(least + slack, 0),
        most_down=most - slack,
        most_up=most_up,
        figure_up=np.where(values == 0, 0, most_up),
    )


def nearest_table(rows: Sequence[Distribution], used: NDArray[Any], colors: int) -> Floats:
    """Return the nearest floats of exact rows, rounded one by one and never 0 for a positive number.

    Parameters
    ----------
    rows : sequence of Distribution [C]
        Exact numbers.
    used : int array
        The rows wanted; others stay 0.
    colors : int
        How many colors a row has, k.

    Returns
    -------
    float64 array [C, k]
    """
    table = np.zeros((len(rows), colors))
    for index in used.tolist():
        table[index] = [_nearest(value) for value in rows[index].values()]
    return table


def _nearest(value: Exact) -> float:
    nearest = to_float(value, "nearest")
    try:
        return nearest if nearest > 0 or value == 0 else _SMALLEST_FLOAT
    except UndecidedError:
        # Closer to 0 than any float, and so within the bounds of the smallest one.
        return _SMALLEST_FLOAT


class PairBounds(NamedTuple):
    """What is sure about pairs of classes, one entry per pair.

    Attributes
    ----------
    maybe : bool array
        False where the constraint surely holds.
    surely : bool array
        True where it is surely exceeded.
    excess_low, excess_high : float64 array
        Bounds of the greatest excess; meaningful where `maybe`.
    figure_low, figure_high : float64 array
        Bounds of the pair's tight figure.
    """

    maybe: NDArray[np.bool_]
    surely: NDArray[np.bool_]
    excess_low: Floats
    excess_high: Floats
    figure_low: Floats
    figure_high: Floats


def nothing_sure(pairs: int) -> PairBounds:
    """Return bounds of so many pairs that leave everything open."""
    none, most = np.zeros(pairs), np.full(pairs, np.inf)
    return PairBounds(none == 0, none != 0, -most, most, none, most)


def filter_pairs(
    bound: Filter,
    first: NDArray[Any],
    second: NDArray[Any],
    chunk: int,
    progress: Callable[[int, int], None],
) -> PairBounds:
    """Apply a filter to many pairs (at least one), a chunk at a time."""
    parts = []
    for start in range(0, first.size, chunk):
        stop = min(start + chunk, first.size)
        parts.append(bound(first[start:stop], second[start:stop]))
        progress(stop, first.size)
    return PairBounds(*map(np.concatenate, zip(*parts, strict=True)))


def sum_slack(terms: int) -> float:
    """Return more than a float64 sum of some nonnegative numbers can err, relatively.

    Parameters
    ----------
    terms : int
        How many numbers are added, k. Each may be a difference that was rounded once.

    Returns
    -------
    float
        S = (k + 8) 2^-52. If s is the exact sum of the exact numbers and s' the computed one, then
        s' (1 - S), computed in float64, is at most s, and s' (1 + S), computed in float64, is at least s.

    Notes
    -----
    Let u = 2^-53. In any order of summation a number is rounded at most k times, once of its own and in k - 1
    additions, so s (1 - u)^k <= s' <= s (1 + u)^k; sums and differences in the subnormal range are exact.
    S is a multiple of 2^-52, so 1 - S and 1 + S are floats, for S up to 1/2. One more rounding by 1 + u at
    most gives s (1 + u)^(k + 1) (1 - S) <= s exp((k + 1) u - S) <= s, since S > (k + 1) u. In the other
    direction (1 - u)^(k + 1) (1 + S) >= (1 - (k + 1) u) (1 + S) >= 1, since (k + 1) u <= 1/2 and
    S >= 2 (k + 1) u. Where the product is subnormal, s' was exact, and rounding does not take it past the
    float s'.

    Examples
    --------
    >>> sum_slack(280) == 288 * 2.0**-52
    True
    """
    return (terms + 8) * _UNIT


def odds_filter(table: Floats, bounds_of: BoundsOf, privacy: PureDP | ApproxDP) -> Filter:
    """Return the filter for pure and approximate privacy; the figure is a ratio or a delta.

    The worst event of p against q holds the colors with p > E q, so the greatest excess is the sum of what
    each color has beyond E q, less delta.

    Parameters
    ----------
    table : float64 array [C, k]
        Nearest floats of the rows; positive where the numbers are.
    bounds_of : callable
        What the entries stand for.
    privacy : PureDP or ApproxDP
        The constraint.

    Returns
    -------
    Filter
    """
    slack = sum_slack(table.shape[1])
    columns = np.ascontiguousarray(table.T)
    odds_down, odds_up = to_float(privacy.odds, "down"), to_float(privacy.odds, "up")
    delta_down, delta_up = to_float(privacy.delta, "down"), to_float(privacy.delta, "up")
    pure = isinstance(privacy, PureDP)

    def bound(first: NDArray[Any], second: NDArray[Any]) -> PairBounds:
        low, high, loose = (np.zeros((2, first.size)) for _ in range(3))
        ratio_low, ratio_high = np.ones(first.size), np.ones(first.size)
        for column in columns:
            one, other = bounds_of(column[first]), bounds_of(column[second])
            for way, (p, q) in enumerate(((one, other), (other, one))):
                low[way] += np.maximum(p.least_down - _times_up(odds_up, q.most_up), 0)
                high[way] += np.maximum(p.least_up - _times_down(odds_down, q.most_down), 0)
                if pure:
                    ratio_low = np.fmax(ratio_low, _ratio_down(p, q))
                    ratio_high = np.fmax(ratio_high, _ratio_up(p, q))
                else:
                    loose[way] += np.maximum(p.figure_up - _times_down(odds_down, q.least_down), 0)
        total_low = low.max(axis=0) * (1 - slack)
        total_high = high.max(axis=0) * (1 + slack)
        return PairBounds(
            maybe=total_high > delta_down,
            surely=total_low > delta_up,
            excess_low=np.nextafter(total_low - delta_up, -np.inf),
            excess_high=np.nextafter(total_high - delta_down, np.inf),
            figure_low=ratio_low if pure else total_low,
            figure_high=ratio_high if pure else loose.max(axis=0) * (1 + slack),
        )

    return bound


def _times_down(factor: float, values: Floats) -> Floats:
    """Return lower bounds of factor * values; the factor is finite, the product need not be."""
    with np.errstate(over="ignore"):
        product = np.minimum(factor * values, _LARGEST_FLOAT)
    return np.maximum(product * (1 - _PRODUCT) - _SUBNORMAL, 0)


def _times_up(factor: float, values: Floats) -> Floats:
    """Return upper bounds of factor * values, where the factor may be infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = factor * values * (1 + _PRODUCT) + _SUBNORMAL
    # Infinity times 0 is 0 here: no odds make an impossible color possible.
    return np.nan_to_num(product, nan=0.0, posinf=np.inf) if np.isinf(factor) else product


def _ratio_down(p: Bounds, q: Bounds) -> Floats:
    """Return lower bounds of p / q; not a number where both are 0, which counts for nothing."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return np.minimum(p.least_down / q.most_up * (1 - _PRODUCT), _LARGEST_FLOAT)


def _ratio_up(p: Bounds, q: Bounds) -> Floats:
    """Return upper bounds of p / q; not a number where both are 0, which counts for nothing."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return p.figure_up / q.least_down * (1 + _PRODUCT) + _SUBNORMAL


MOST_COLORS_FOR_EVENTS = 10
"""Up to so many colors the filter looks at every event; beyond, every pair takes the exact path."""

QUANTILE_ABSOLUTE, QUANTILE_RELATIVE = 1e-10, 1e-12
"""What `ndtri` may err by: the first, and the second times the quantile."""

MASS_ABSOLUTE = 1e-12
"""What `ndtr` may err by."""

# An excess is a mass, less `ndtr` of a quantile that was moved outward: by 2 (1e-10 + 1e-12 * 39) at most,
# times the largest density 0.4. What stated rows leave open adds less than 1e-11.
_EXCESS_ABSOLUTE = 2e-10
# Figures are rounded outward to multiples of 1/_GRID, about what `ndtri` may err by: its last places depend
# on the machine, and a figure shows none of them.
_GRID = 2.0**33
_MOST_KEPT = 1 << 24


class EventQuantiles:
    """Bounds of the normal quantiles of events, float64 [rows, events] each.

    Parameters
    ----------
    table : float64 array [rows, k]
        Nearest floats of the rows.
    bounds_of : callable
        What the entries stand for.
    ideal : bool
        Whether the rows are exact distributions, so that an event and its complement have exactly the sum 1.

    Attributes
    ----------
    mass, rest : array
        Probabilities of the events and of their complements, rounded.
    low, high : array
        Below and above the quantiles of all masses that a row can stand for.
    least_high, most_low : array
        Above what the exact path takes for the least quantile, below what it takes for the largest.
    loose_high, loose_low : array
        As `high` and `low`, with a written 0 standing for 0.
    """

    def __init__(self, table: Floats, bounds_of: BoundsOf, *, ideal: bool) -> None:
        inside = events(table.shape[1])
        outside = 1 - inside
        entries, slack = bounds_of(table), sum_slack(table.shape[1])
        self.mass, self.rest = table @ inside, table @ outside
        self.low = _bounds(entries.least_down @ inside, entries.most_up @ outside, slack, "down")
        self.high = -_bounds(entries.least_down @ outside, entries.most_up @ inside, slack, "down")
        if ideal:
            self.least_high, self.most_low = self.high, self.low
            self.loose_high, self.loose_low = self.high, self.low
        else:
            self.least_high = _bounds(entries.least_up @ inside, entries.most_down @ outside, slack, "up")
            self.most_low = -_bounds(entries.least_up @ outside, entries.most_down @ inside, slack, "up")
            self.loose_low = _bounds(entries.least_down @ inside, entries.figure_up @ outside, slack, "down")
            self.loose_high = -_bounds(
                entries.least_down @ outside, entries.figure_up @ inside, slack, "down"
            )


def gaussian_filter(table: Floats, bounds_of: BoundsOf, privacy: GaussianDP, *, ideal: bool) -> Filter:
    """Return the filter for Gaussian privacy; the figure is a mu."""
    mu_down = round_ball(lambda: exponent_ball(privacy.mu), "down")
    mu_up = round_ball(lambda: exponent_ball(privacy.mu), "up")
    few = table.shape[0] * 2 ** (table.shape[1] - 1) <= _MOST_KEPT
    kept = EventQuantiles(table, bounds_of, ideal=ideal) if few else None

    def bound(first: NDArray[Any], second: NDArray[Any]) -> PairBounds:
        z, one, other = kept, first, second
        if z is None:
            classes, places = np.unique(np.concatenate([first, second]), return_inverse=True)
            z = EventQuantiles(table[classes], bounds_of, ideal=ideal)
            one, other = places[: first.size], places[first.size :]
        proven_low, proven_high, loose = (np.zeros(first.size) for _ in range(3))
        for p, q in ((one, other), (other, one)):
            proven_low = np.maximum(proven_low, _largest_gap(z.low[p], z.high[q]))
            proven_high = np.maximum(proven_high, _largest_gap(z.least_high[p], z.most_low[q]))
            loose = np.maximum(loose, _largest_gap(z.loose_high[p], z.loose_low[q]))
        maybe = proven_high > mu_down
        excess = np.zeros(first.size)
        excess[maybe] = np.maximum(
            _excess(z, one[maybe], other[maybe], mu_up), _excess(z, other[maybe], one[maybe], mu_up)
        )
        return PairBounds(
            maybe=maybe,
            surely=proven_low > mu_up,
            excess_low=excess - _EXCESS_ABSOLUTE,
            excess_high=excess + _EXCESS_ABSOLUTE,
            figure_low=np.floor(proven_low * _GRID) / _GRID,
            figure_high=np.ceil(loose * _GRID) / _GRID,
        )

    return bound


def _excess(z: EventQuantiles, p: NDArray[Any], q: NDArray[Any], mu: float) -> Floats:
    """Return about how much p gives to an event, or q to its complement, beyond the limit."""
    from scipy.special import ndtr

    over = z.mass[p] - ndtr(z.high[q] + mu)
    excess: Floats = np.maximum(over, z.rest[q] - ndtr(mu - z.low[p])).max(axis=1, initial=-1.0)
    return excess


def events(colors: int) -> Floats:
    """Return half of all proper events as columns, float64 [k, 2^(k-1) - 1]: those with the first color."""
    rest = itertools.product((0.0, 1.0), repeat=colors - 1)
    columns = [(1.0, *others) for others in rest if not all(others)]
    return np.array(columns, dtype=np.float64).reshape(-1, colors).T


def _bounds(mass: Floats, rest: Floats, slack: float, side: Literal["down", "up"]) -> Floats:
    """Bound the larger of the two ways to a quantile, which the exact path takes: by the mass or by the rest.

    Lower bounds of the quantile come from masses below the true ones and from rests above them, upper bounds
    from the reverse; the sums themselves may err by `slack`. A quantile that is infinite is exact.
    """
    from scipy.special import ndtri

    sign = -1 if side == "down" else 1
    one = ndtri(np.minimum(mass * (1 + sign * slack), 1))
    other = -ndtri(np.minimum(rest * (1 - sign * slack), 1))
    quantile: Floats = np.maximum(one, other)
    margin = np.where(np.isinf(quantile), 0, QUANTILE_ABSOLUTE + QUANTILE_RELATIVE * np.abs(quantile))
    quantile += sign * margin
    return quantile


def _largest_gap(upper: Floats, lower: Floats) -> Floats:
    """Return the largest difference of quantiles; where both masses are 0, or both are 1, there is none."""
    with np.errstate(invalid="ignore"):
        gap: Floats = np.fmax.reduce(upper - lower, axis=1, initial=0.0)
    return gap
