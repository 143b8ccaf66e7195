# SPDX-License-Identifier: Apache-2.0
"""How often a noisy order is right, as a number with a bound on its error.

Options are sorted by noisy counts, the greatest first, equal ones in random order. The noise is a vector of
two-sided geometric numbers, P(z) proportional to e^(-eta |z|), under the condition that its lower median is 0
(noise on the differences of counts) or without it (noise on each count); or it is normal.

The lower median of k numbers is 0 if at most h = floor((k-1)/2) are below 0 and more than h are below 1. So
the probability of an event E under the condition is P(E, at most h below 0) - P(E, at most h below 1),
divided by the same without E. Options farther apart than the noise reaches need no comparison. The others
form segments of few options. The levels of their noisy counts are scanned from the top down, while options
whose noise is below the cut (0 or 1) are counted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.errors import QuestionError
from rainbowdp.exact import bounds, to_float, working_precision

MOST_OPTIONS = 8
"""How many options may be so close to each other that geometric noise has to be compared."""

LEAST_ETA = 1e-4
"""Below it, but for eta 0, the noise has too many levels."""

_BITS = 128
_BLOCK = 1024
_UNIT, _UNDERFLOW = 2.0**-53, 2.0**-200
_LOG_TAIL = 42
_NORMAL_REACH, _NORMAL_ROUNDING, _NODES = 9, 1e-12, 16

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Chance:
    """A probability as a float, and how far from the truth it may be.

    Parameters
    ----------
    right : float
        The probability.
    error : float
        A bound on the absolute error of `right`.

    Examples
    --------
    >>> Chance(0.5, 0.0).right
    0.5
    """

    right: float
    error: float


@dataclass(frozen=True)
class _Segment:
    """Options that noise can swap, by their counts: all of `upper` have to come before all of `lower`."""

    upper: tuple[Fraction, ...]
    lower: tuple[Fraction, ...]
    as_set: bool

    @property
    def places(self) -> tuple[Fraction, ...]:
        return self.upper + self.lower


def order_chance(
    gaps: Sequence[int | None],
    eta: float,
    top: int | None = None,
    *,
    as_set: bool = False,
    centered: bool = True,
) -> Chance:
    """Return how often the first options come out first, with geometric noise.

    Parameters
    ----------
    gaps : sequence of int or None
        What the count of each option lacks to the one before: k - 1 numbers for k options. None stands for
        infinitely much. Negative numbers are allowed: the order need not be that of the counts.
    eta : float
        The noise on a count is z with a probability proportional to e^(-eta |z|). With 0 every order is
        equally likely.
    top : int, optional
        How many options have to be right, from 1 to all; the order of the others does not matter.
    as_set : bool
        Whether the first options may come out in any order among themselves.
    centered : bool
        Whether the noise has the lower median 0; False for independent noise on every count.

    Returns
    -------
    Chance
        The bound is proven: it counts roundings, and the noise beyond the levels that are scanned.

    Raises
    ------
    QuestionError
        If more than `MOST_OPTIONS` options are close, or eta is below `LEAST_ETA` and not 0.

    References
    ----------
    Higham, Accuracy and Stability of Numerical Algorithms (2002), section 4.2: the error of sums.

    Examples
    --------
    >>> round(order_chance([2, 1], 1.0).right, 3), round(order_chance([2, 1], 1.0, centered=False).right, 3)
    (0.651, 0.612)
    >>> round(order_chance([2, 1], 1.0, 1).right, 3)
    0.863
    >>> round(order_chance([0, 2], 1.0, 2, as_set=True).right, 3)
    0.82
    """
    options = len(gaps) + 1
    top = options if top is None else top
    _check_top(options, top)
    if eta == 0:
        return _uniform(options, top, as_set=as_set)
    if not LEAST_ETA <= eta < math.inf:
        raise QuestionError(f"noise of eta {eta} cannot be scanned", help=f"give 0, or {LEAST_ETA} or more")
    eta = min(eta, 1000.0)  # Any noise is then rarer than what is allowed for underflow.
    reach = math.ceil((_LOG_TAIL + math.log(options) - math.log(math.tanh(eta / 2))) / eta)
    segments = _split(gaps, top, reach, as_set=as_set)
    with working_precision(_BITS):
        possible, found = _found([], options, eta, reach, centered=centered), flint.arb(0)
        if segments is not None:
            found = _found(segments, options, eta, reach, centered=centered)
        # The segments tell the truth where no noise is beyond the reach.
        beyond = 2 * options * (-flint.arb(eta) * (reach + 1)).exp()
        return _within(*bounds((found + beyond * flint.arb(0, 1)) / possible))


def normal_order_chance(gaps: Sequence[float | None], deviation: float, top: int, *, as_set: bool) -> Chance:
    """Return how often the first options come out first with independent normal noise on every count.

    Parameters
    ----------
    gaps, top, as_set
        As for `order_chance`; the gaps need not be whole.
    deviation : float
        The standard deviation of the noise, above 0; with infinity every order is equally likely.

    Returns
    -------
    Chance
        The error is estimated, by halving the step of the quadrature: about 1e-12 in most cases.

    Raises
    ------
    QuestionError
        If the deviation is not positive, or there are fewer than `top` options.

    Examples
    --------
    >>> round(normal_order_chance([2.0], 1.0, 1, as_set=False).right, 6)
    0.92135
    """
    options = len(gaps) + 1
    _check_top(options, top)
    if not deviation > 0:
        raise QuestionError(f"a standard deviation of {deviation}", help="give a number above 0")
    if math.isinf(deviation):
        return _uniform(options, top, as_set=as_set)
    scaled = [None if gap is None else Fraction(gap) / Fraction(deviation) for gap in gaps]
    segments = _split(scaled, top, _NORMAL_REACH, as_set=as_set)
    beyond = options * math.erfc(_NORMAL_REACH / math.sqrt(2))
    if segments is None:
        return Chance(0.0, beyond)
    found = [_normal_segment(segment) for segment in segments]
    return Chance(math.prod(one.right for one in found), beyond + sum(one.error for one in found))


def _check_top(options: int, top: int) -> None:
    if not 1 <= top <= options:
        raise QuestionError(f"the first {top} of {options} options", help=f"ask for 1 to {options} of them")


def least_eta(close: int) -> float:
    """Return the least eta, but for 0, at which so many close options are compared in half a second.

    There are about 1/eta levels, and the work for each grows with the square of the number of options.

    Examples
    --------
    >>> least_eta(2), least_eta(8)
    (0.0003125, 0.005)
    """
    return close**2 / 12_800


def _uniform(options: int, top: int, *, as_set: bool) -> Chance:
    right = Fraction(1, math.comb(options, top) if as_set else math.perm(options, top))
    return _within(right, right)


def _within(lower: Fraction, upper: Fraction) -> Chance:
    lower, upper = max(lower, Fraction(0)), min(upper, Fraction(1))
    right = float((lower + upper) / 2)
    return Chance(right, to_float(max(upper - Fraction(right), Fraction(right) - lower), "up"))


def _split(
    gaps: Sequence[int | Fraction | None], top: int, reach: int, *, as_set: bool
) -> list[_Segment] | None:
    """Return what noise up to the reach can swap, None where it cannot bring the first options first."""
    far = 2 * reach + 1 + sum((abs(Fraction(gap)) for gap in gaps if gap is not None), Fraction(0))
    places = list(accumulate((-far if gap is None else Fraction(-gap) for gap in gaps), initial=Fraction(0)))
    first, rest = places[:top], places[top:]
    last = min(first) if as_set else first[-1]
    best = max(rest, default=last - far)
    steps = [] if as_set else [after - before for before, after in pairwise(first)]
    if max([best - last, *steps]) > 2 * reach:
        return None
    if as_set:
        pieces = [[place for place in first if place - best <= 2 * reach]]
    else:
        breaks = [0, *(item for item, step in enumerate(steps, start=1) if step < -2 * reach), top]
        pieces = [first[start:stop] for start, stop in pairwise(breaks)]
    lower = tuple(place for place in rest if last - place <= 2 * reach)
    found = [_Segment(tuple(piece), (), as_set) for piece in pieces[:-1]]
    found.append(_Segment(tuple(pieces[-1]), lower, as_set))
    return [segment for segment in found if len(segment.places) > 1]


def _found(segments: list[_Segment], options: int, eta: float, reach: int, *, centered: bool) -> flint.arb:
    """Return how often all segments are right and, where the noise is centered, its lower median is 0."""
    below_zero = _counted(segments, options, eta, reach, 0)
    if not centered:
        return sum(below_zero, flint.arb(0))
    below_one, many = _counted(segments, options, eta, reach, 1), (options - 1) // 2 + 1
    return sum(below_zero[:many], flint.arb(0)) - sum(below_one[:many], flint.arb(0))


def _counted(segments: list[_Segment], options: int, eta: float, reach: int, cut: int) -> list[flint.arb]:
    """Return how often all segments are right, by how many of all options have noise below the cut."""
    ratio = (-flint.arb(eta)).exp()
    odds, term = (1 / ratio, ratio / (1 + ratio)) if cut else (ratio, 1 / (1 + ratio))
    free = options - sum(len(segment.places) for segment in segments)
    terms = [term**free]
    for count in range(free):
        terms.append(terms[-1] * odds * (free - count) / (count + 1))
    found = flint.arb_poly(terms)
    for segment in segments:
        found *= _scan(segment, eta, reach, cut)
    return found.coeffs()


def _scan(segment: _Segment, eta: float, reach: int, cut: int) -> flint.arb_poly:
    """Return how often one segment is right, by how many of its options have noise below the cut."""
    places, many = segment.places, len(segment.upper)
    if len(places) > MOST_OPTIONS:
        raise QuestionError(f"{len(places)} options are close", help=f"ask about at most {MOST_OPTIONS}")
    lowest = min(places)
    offsets = [int(place - lowest) + reach for place in places]
    carried = [np.zeros((item + 2, 1)) for item in range(many)]
    total = np.zeros((many + 1, len(places) - many + 1))
    highest = max(offsets) + reach
    for start in range(highest, -1, -_BLOCK):
        levels = np.arange(start, max(start - _BLOCK, -1), -1)
        noise = [levels - offset for offset in offsets]
        at = [_at(one, eta, cut) for one in noise]
        # Above a level is below its mirror image, where "below the cut" becomes "not below 1 - cut".
        above = [_below(-one, eta, 1 - cut)[::-1] for one in noise[:many]]
        below = [_below(one, eta, cut) for one in noise[many:]]
        upper = _by_ties(at[:many], above)[1:] if segment.as_set else _descending(at[:many], carried)
        total += _sum_of_levels(upper, _by_ties(at[many:], below), as_set=segment.as_set)
    roundings = (len(places) + 1) * (eta * highest + 64 + min(highest + 1, _BLOCK) + highest / _BLOCK)
    counted = [float(np.trace(total[::-1], offset)) for offset in range(-many, total.shape[1])]
    return flint.arb_poly([flint.arb(one, 2 * roundings * _UNIT * one + _UNDERFLOW) for one in counted])


def _at(noise: NDArray[np.int64], eta: float, cut: int) -> _Floats:
    """Return P(z = noise) in two rows: z not below the cut, z below it."""
    weight = math.tanh(eta / 2) * np.exp(-eta * np.abs(noise))
    return np.stack([np.where(noise >= cut, weight, 0.0), np.where(noise < cut, weight, 0.0)])


def _below(noise: NDArray[np.int64], eta: float, cut: int) -> _Floats:
    """Return P(z < noise) in two rows: z not below the cut, z below it."""
    upper = -math.exp(-eta * cut) * np.expm1(-eta * np.maximum(noise - cut, 0))
    return np.stack([upper, np.exp(-eta * (1 - np.minimum(noise, cut)))]) / (1 + math.exp(-eta))


def _times(counted: _Floats, weights: _Floats) -> _Floats:
    """Return the rows, by how many options are below the cut, with one more option."""
    product = np.zeros((len(counted) + 1, weights.shape[1]))
    product[:-1] = counted * weights[0]
    product[1:] += counted * weights[1]
    return product


def _descending(at: list[_Floats], carried: list[_Floats]) -> list[_Floats]:
    """Return how often options descend to each level, by how many end there; move `carried` on.

    What is carried are the sums over all higher levels, item by item.
    """
    above, sharing = np.ones((1, at[0].shape[1])), list[_Floats]()
    for item, weights in enumerate(at):
        sharing = [_times(counted, weights) for counted in [above, *sharing]]
        orders = [counted / math.factorial(size) for size, counted in enumerate(sharing, start=1)]
        sums = np.hstack([carried[item], np.sum(orders, axis=0)]).cumsum(axis=1)
        above, carried[item] = sums[:, :-1], sums[:, -1:]
    return sharing


def _by_ties(at: list[_Floats], beyond: list[_Floats]) -> list[_Floats]:
    """Return how often options are at a level or beyond it, by how many are at it, from 0 on."""
    found = [np.ones((1, 1))]
    for here, away in zip(at, beyond, strict=True):
        stay, join = ([_times(counted, weights) for counted in found] for weights in (away, here))
        found = [stay[0], *(one + other for one, other in zip(stay[1:], join[:-1], strict=True)), join[-1]]
    return found


def _sum_of_levels(upper: list[_Floats], lower: list[_Floats], *, as_set: bool) -> _Floats:
    """Add up levels, with the chance that a random order of the options at one level is right."""
    total = np.zeros((len(upper[0]), len(lower[0])))
    for first, left in enumerate(upper, start=1):
        for second, right in enumerate(lower):
            orders = math.comb(first + second, first) if as_set else math.perm(first + second, first)
            total += left @ np.broadcast_to(right, (len(right), left.shape[1])).T / orders
    return total


def _normal_segment(segment: _Segment) -> Chance:
    if len(segment.places) == 2:
        before, after = segment.places
        return Chance(math.erfc(float(after - before) / 2) / 2, _NORMAL_ROUNDING)
    coarse, fine = (_quadrature(segment, width) for width in (1.0, 0.5))
    return Chance(min(max(fine, 0.0), 1.0), abs(fine - coarse) + _NORMAL_ROUNDING)


def _quadrature(segment: _Segment, width: float) -> float:
    """Integrate over the level of the last of the upper options, in panels of at most this width."""
    from scipy.special import log_ndtr

    lowest, many = min(segment.places), len(segment.upper)
    offsets = [float(place - lowest) for place in segment.places]
    whole = max(offsets) + 2 * _NORMAL_REACH
    panels = math.ceil(whole / width)
    step = whole / panels
    depths, weights, inner = _panel_rule()
    levels = whole - _NORMAL_REACH - step * (np.arange(panels)[:, None] + depths)
    noise = [levels - offset for offset in offsets]
    bells = [-one * one / 2 - math.log(2 * math.pi) / 2 for one in noise[:many]]
    if segment.as_set:
        greater = [log_ndtr(-one) for one in noise[:many]]
        density = np.exp(np.sum(greater, axis=0)) * np.sum(np.exp(np.subtract(bells, greater)), axis=0)
    else:
        density = np.exp(bells[0])
        for bell in bells[1:]:
            sums = step * (density @ weights)
            density = np.exp(bell) * ((np.cumsum(sums) - sums)[:, None] + step * (density @ inner.T))
    less = sum((log_ndtr(one) for one in noise[many:]), np.zeros_like(levels))
    return float(step * np.sum(density * np.exp(less) @ weights))


def _panel_rule() -> tuple[_Floats, _Floats, _Floats]:
    """Return Gaussian nodes in [0, 1], their weights, and those of integrals from 0 to each node."""
    from numpy.polynomial import legendre

    nodes, weights = legendre.leggauss(_NODES)
    values, degrees = legendre.legvander(nodes, _NODES), np.arange(_NODES)
    integrals = np.column_stack([nodes + 1, (values[:, 2:] - values[:, :-2]) / (2 * degrees[1:] + 1)])
    return (nodes + 1) / 2, weights / 2, integrals @ ((values[:, :-1] * (degrees + 0.5)).T * weights) / 2
