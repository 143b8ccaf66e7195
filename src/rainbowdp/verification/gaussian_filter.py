# SPDX-License-Identifier: Apache-2.0
"""Float64 bounds for many pairs of classes at once, under Gaussian privacy.

An event and its complement say the same about mu in the two directions, so half of all events are enough.
Their normal quantiles are bounded once per class where memory allows it; a pair is then a few subtractions.

One thing is assumed here that is measured and not proven: between 2^-1074 and 1 - 2^-53 scipy's `ndtri` is
within 1e-10 + 1e-12 |z| of the normal quantile z, and on the whole line `ndtr` is within 1e-12 of the
distribution function. A test compares both with Arb balls on a grid of that range and requires a thousandth
of it. Sums are bounded by proof (`sum_slack`), and pairs that the filter does not clear are decided without
a float.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rainbowdp.exact import exponent_ball, round_ball
from rainbowdp.privacy import GaussianDP
from rainbowdp.verification.filters import BoundsOf, Filter, Floats, PairBounds, sum_slack

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
        entries = bounds_of(table)
        least_down, least_up = entries.least_down, entries.least_up
        most_down, most_up, figure_up = entries.most_down, entries.most_up, entries.figure_up
        slack = sum_slack(table.shape[1])
        self.mass, self.rest = table @ inside, table @ outside
        self.low = _low(least_down @ inside, most_up @ outside, slack)
        self.high = -_low(least_down @ outside, most_up @ inside, slack)
        if ideal:
            self.least_high, self.most_low = self.high, self.low
            self.loose_high, self.loose_low = self.high, self.low
        else:
            self.least_high = _high(least_up @ inside, most_down @ outside, slack)
            self.most_low = -_high(least_up @ outside, most_down @ inside, slack)
            self.loose_low = _low(least_down @ inside, figure_up @ outside, slack)
            self.loose_high = -_low(least_down @ outside, figure_up @ inside, slack)


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


def _low(mass_down: Floats, rest_up: Floats, slack: float) -> Floats:
    """Return lower bounds of the quantile of a mass, from bounds of the mass and of the rest."""
    from scipy.special import ndtri

    one = ndtri(np.minimum(mass_down * (1 - slack), 1))
    other = -ndtri(np.minimum(rest_up * (1 + slack), 1))
    quantile = np.maximum(one, other)
    return quantile - _margin(quantile)


def _high(mass_up: Floats, rest_down: Floats, slack: float) -> Floats:
    """Return upper bounds of the larger of the two ways to a quantile, which the exact path takes."""
    from scipy.special import ndtri

    one = ndtri(np.minimum(mass_up * (1 + slack), 1))
    other = -ndtri(np.minimum(rest_down * (1 - slack), 1))
    quantile = np.maximum(one, other)
    return quantile + _margin(quantile)


def _margin(quantile: Floats) -> Floats:
    """Return what the computed quantiles may err by; nothing where they are infinite, and so exact."""
    margin = QUANTILE_ABSOLUTE + QUANTILE_RELATIVE * np.abs(quantile)
    return np.where(np.isinf(quantile), 0, margin)


def _largest_gap(upper: Floats, lower: Floats) -> Floats:
    """Return the largest difference of quantiles; where both masses are 0, or both are 1, there is none."""
    with np.errstate(invalid="ignore"):
        gap: Floats = np.fmax.reduce(upper - lower, axis=1, initial=0.0)
    return gap
