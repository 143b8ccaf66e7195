# SPDX-License-Identifier: Apache-2.0
"""Compute cumulative masses along a line as integers, for many distances at once, with a proven error.

Bulk draws need every class of a line between two integers, and an exact distribution takes most of a
millisecond. Here masses are integers in units of 2^-62, made from enclosures and integer products alone: no
float takes part. With the threshold t of a prefix, n steps away from it, P = E^-n and
D = delta (1 - P)/(E - 1)::

    F = F_t P - D                 where the prefix grows, n steps before t
    F = 1 - ((1 - F_t) P - D)     where its complement decays, n steps after t; 1 once that is below 0

P and D are split as n = h + l: P = P_h P_l and D = D_h + P_h D_l, so that enclosures are needed for the
few different h and l only.

**The error.** A number read from an enclosure is too small by less than 2 units, and so is a product of
integers beyond the errors of its factors, all of which are at most 1. Hence P is too small by less than 6
units, D by less than 8 (it only matters up to 1), F_t P by less than 10, and F is wrong by less than 10 units
either way. Under Gaussian privacy F is an enclosure itself. The mass of a class is wrong by less than 20
units, that of a color in it by less than 24, and the sum of j colors by less than 24 j units.
"""

from collections.abc import Iterable, Iterator

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.exact import Exact, Exponent, ball, exponent_ball, normal_quantile, refine, sign
from rainbowdp.line.closed_form import Line
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP

Integers = NDArray[np.int64]

_BITS = 62
_ONE = 1 << _BITS
_COLOR_ERROR = 24
_HALF_BITS = np.int64(_BITS // 2)
_HALF_MASK = np.int64((1 << _BITS // 2) - 1)
_FIRST_PRECISION = 192
_NARROW = flint.arb(2) ** -(_BITS + 4)
_FEWEST_TAIL_BITS, _MOST_TAIL_BITS = 4, 12


class MassTable:
    """The cumulative masses of lines under one notion of privacy, as integers.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy of all lines that are asked for.

    Examples
    --------
    >>> line = Line("a>b>c", {"a": "1/8", "b": "1/8", "c": "3/4"}, PureDP("ln 2"))
    >>> lower, slack = MassTable(line.privacy).lower_bounds(line, np.array([0, 2]))
    >>> [round(bound / 2**64, 9) for bound in lower.ravel().tolist()], slack < 2**10
    ([0.125, 0.5, 0.25, 0.75], True)
    """

    def __init__(self, privacy: Privacy) -> None:
        self._privacy = privacy
        self._known: dict[int, tuple[int, int]] = {}  # P and D by number of steps

    def lower_bounds(self, line: Line, distances: Integers) -> tuple[NDArray[np.uint64], int]:
        """Return integers around the cumulative masses of the colors in code-point order.

        Parameters
        ----------
        line : Line
            A line with the privacy of this table.
        distances : int64[n]
            Steps to the boundary, at least 0.

        Returns
        -------
        lower : uint64[k - 1, n]
            At most the cumulative masses, in units of 2^-64.
        slack : int
            The cumulative masses are less than `lower` plus this.
        """
        colors = line.rainbow.colors
        masses: dict[str, Integers] = {}
        below: Integers = np.zeros(distances.size, dtype=np.int64)
        for tied, mass in zip(line.rainbow.classes, line.boundary.prefix_masses(line.rainbow), strict=True):
            prefix = self._prefix(mass, distances)
            within = np.maximum(prefix - below, 0)
            for color, share in line.boundary.shares(tied).items():
                masses[color] = within if len(tied) == 1 else _product(within, np.int64(_units(share)))
            below = prefix
        cumulative = np.array([masses[color] for color in colors], dtype=np.int64)[:-1].cumsum(axis=0)
        error = _COLOR_ERROR * len(colors)
        lower = np.clip(cumulative - error, 0, _ONE - 1)
        # The least and the largest sum that is possible lie twice the error apart.
        return lower.astype(np.uint64) << np.uint64(64 - _BITS), (2 * error + 1) << 64 - _BITS

    def _prefix(self, mass: Exact, distances: Integers) -> Integers:
        """Return a prefix mass at many distances."""
        if sign(mass - 1) == 0:
            return np.full(distances.size, _ONE, dtype=np.int64)
        if sign(mass) == 0 and (isinstance(self._privacy, GaussianDP) or self._privacy.delta == 0):
            return np.zeros(distances.size, dtype=np.int64)
        if isinstance(self._privacy, GaussianDP):
            return _normal_prefix(mass, self._privacy.mu, distances)
        # Growth without an end is the one of epsilon 0, where both regimes are the same straight line. The
        # formulas hold from any distance of growth on, so one beyond those asked for is not needed.
        threshold = min(self._privacy.threshold(mass) or 0, int(distances.max(initial=0)))
        turned = _units(self._privacy.propagate(mass, threshold, symbolic=True))
        power, lift = self._steps(self._privacy, np.abs(distances - threshold))
        grown = np.maximum(_product(power, np.int64(turned)) - lift, 0)
        decayed = _ONE - np.maximum(_product(power, np.int64(_ONE - turned)) - lift, 0)
        found: Integers = np.minimum(np.where(distances <= threshold, grown, decayed), _ONE)
        return found

    def _steps(self, privacy: PureDP | ApproxDP, counts: Integers) -> tuple[Integers, Integers]:
        """Return P and D for every number of steps."""
        half = int(counts.max(initial=0)).bit_length() // 2
        tails = counts & np.int64((1 << min(max(half, _FEWEST_TAIL_BITS), _MOST_TAIL_BITS)) - 1)
        heads, place = np.unique(counts - tails, return_inverse=True)
        tail_power, tail_lift = self._one_by_one(privacy, np.arange(int(tails.max(initial=0)) + 1))
        head_power, head_lift = self._one_by_one(privacy, heads)
        power = _product(head_power[place], tail_power[tails])
        if privacy.delta == 0:
            return power, np.zeros_like(power)
        lift = head_lift[place]
        # At most 1, so that the sum has room.
        return power, lift + np.minimum(_product(head_power[place], tail_lift[tails]), _ONE - lift)

    def _one_by_one(self, privacy: PureDP | ApproxDP, counts: Integers) -> Integers:
        """Return P and D from enclosures, one by one."""
        wanted = counts.tolist()
        missing = [count for count in wanted if count not in self._known]
        if missing:
            made = refine(lambda _: _all_units(_powers_and_lifts(privacy, missing)), _FIRST_PRECISION, None)
            self._known |= zip(missing, zip(made[::2], made[1::2], strict=True), strict=True)
        found: Integers = np.array([self._known[count] for count in wanted], dtype=np.int64)
        return found.reshape(-1, 2).T


def _powers_and_lifts(privacy: PureDP | ApproxDP, counts: Iterable[int]) -> Iterator[flint.arb]:
    """Yield balls around P and D for every number of steps."""
    epsilon, delta = exponent_ball(privacy.epsilon), ball(privacy.delta)
    for count in counts:
        fallen = -count * epsilon
        yield fallen.exp()
        if privacy.delta == 0 or privacy.epsilon == 0:
            yield delta * count
        else:
            yield -delta * fallen.expm1() / epsilon.expm1()


def _normal_prefix(mass: Exact, mu: Exponent, distances: Integers) -> Integers:
    """Return a prefix mass at many distances under Gaussian privacy."""
    steps = distances.tolist()

    def attempt(_: int) -> list[int] | None:
        root = -flint.arb(0.5).sqrt()
        start, step = normal_quantile(ball(mass)) * root, exponent_ball(mu) * root
        return _all_units((start + count * step).erfc() / 2 for count in steps)

    return np.array(refine(attempt, _FIRST_PRECISION, None), dtype=np.int64)


def _product(first: Integers, second: Integers | np.int64) -> Integers:
    """Return the product of integers from 0 to 2^62 in units of 2^-62, too small by less than 2 units."""
    first_high, first_low = first >> _HALF_BITS, first & _HALF_MASK
    second_high, second_low = second >> _HALF_BITS, second & _HALF_MASK
    # Both middle products are at most 2^62 and not both above 2^62 - 2^31, so their sum has room.
    middle = first_high * second_low + first_low * second_high
    product: Integers = first_high * second_high + (middle >> _HALF_BITS)
    return product


def _units(value: Exact) -> int:
    """Return a number from 0 to 1 in units of 2^-62, too small by less than 2 units."""
    return refine(lambda _: _all_units([ball(value)]), _FIRST_PRECISION, None)[0]


def _all_units(values: Iterable[flint.arb]) -> list[int] | None:
    """Return the lower ends of balls in units of 2^-62, at least 0 and at most 1; None if one is too wide."""
    found = []
    for value in values:
        if not value.is_finite() or (value.rad() > _NARROW and not value > 1):
            return None
        whole = (value.lower() * _ONE).floor().unique_fmpz()
        assert whole is not None  # noqa: S101 - an end is one number
        found.append(min(max(int(whole), 0), _ONE))
    return found
