# SPDX-License-Identifier: Apache-2.0
"""Max-min boundaries under Gaussian privacy: cutting planes in floating point, then rounded inward.

Gaussian privacy is the intersection of all (ln a, delta(a)) privacies (Dong, Roth and Su 2022), so every
event and every slope a > 0 give a linear constraint, which holds exactly if delta(a) is rounded up. The
program starts without these constraints and adds those that its solution breaks, until none is broken by more
than a tolerance. It works in floating point and always allows a little more than privacy does.

Its solution is then moved towards the uniform distribution until every pair of regions is private *exactly*.
Weak duality in rational numbers bounds what was lost, for any output of the solver.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp import leximin
from rainbowdp.distribution import Distribution
from rainbowdp.errors import NotVerifiedError, SolverError
from rainbowdp.exact import Exponent, ball, enclose_with, exponent_ball, normal_cdf, working_precision
from rainbowdp.leximin import Component, Table
from rainbowdp.leximin.program import quiet_solver
from rainbowdp.privacy import GaussianDP
from rainbowdp.progress import Progress, silent

TOLERANCE = 1e-9
"""The largest excess of an event that is not cut away."""
_LARGEST_ROUNDS = 200
# Steeper cuts would spoil the numerics of the solver; moving towards uniform makes up for what they leave.
_STEEPEST = 14.0
_TINY = 1e-12
_REACH = 2.0
_FAR = 1e-4


@dataclass(frozen=True)
class Cut:
    """The constraint that an event has at most `slope` times its probability elsewhere, plus `room`.

    Attributes
    ----------
    ours, theirs : int
        The region that is limited, and the one that limits it.
    event : tuple of int
        Colors by number.
    slope, room : Fraction
        The odds a, and delta(a) rounded up.
    """

    ours: int
    theirs: int
    event: tuple[int, ...]
    slope: Fraction
    room: Fraction


class OuterProgram:
    """A program in floating point around all private boundary conditions, tighter with every cut.

    Attributes
    ----------
    component : Component
        The regions and which of them touch.
    cuts : list of (int, float, Cut)
        Number of the row, what the row was divided by, and the cut; those far from the last solution are
        forgotten before the next one.
    """

    def __init__(self, component: Component, mu: Exponent) -> None:
        self.component = component
        self.pairs = np.array([*component.touching, *((b, a) for a, b in component.touching)], dtype=np.int64)
        self.mu = mu
        with working_precision(64):
            self._mu = float(exponent_ball(mu))
        self.cuts: list[tuple[int, float, Cut]] = []
        self._highs: Any = quiet_solver()
        self._solution = self._duals = self._activity = np.zeros(0)
        self._made = 0
        # Numbers of the rows that the solver has, ascending; a number is never used twice.
        self._rows: list[int] = []
        self._costs: dict[int, float] = {}
        for row in map(component.row, component.regions):
            self.add_row(dict.fromkeys([self.add_column() for _ in row], 1.0), 1.0, 1.0)

    def add_column(self) -> int:
        """Add a variable from 0 to 1, and return its number."""
        self._highs.addVar(0.0, 1.0)
        return int(self._highs.getNumCol()) - 1

    def add_row(self, entries: Mapping[int, float], lower: float, upper: float) -> int:
        """Add a row with two limits, and return its number."""
        places = np.fromiter(entries, dtype=np.int32, count=len(entries))
        values = np.fromiter(entries.values(), dtype=np.float64, count=len(entries))
        self._highs.addRow(lower, upper, len(entries), places, values)
        self._rows.append(self._made)
        self._made += 1
        return self._rows[-1]

    def hold_row(self, row: int, column: int, lower: float) -> None:
        """Remove a column from a row, and bound the row from below by `lower`."""
        place = bisect_left(self._rows, row)
        self._highs.changeCoeff(place, column, 0.0)
        self._highs.changeRowBounds(place, lower, np.inf)

    def dual(self, row: int) -> float:
        """Return the multiplier of a row in the last solution, 0 if it came later."""
        place = bisect_left(self._rows, row)
        return float(self._duals[place]) if place < self._duals.size else 0.0

    def maximize(self, objective: Mapping[int, float]) -> float | None:
        """Maximize, cutting until the solution is private up to the tolerance; None where that fails."""
        self._forget()
        for column in self._costs.keys() - objective.keys():
            self._highs.changeColCost(column, 0.0)
        for column, value in objective.items():
            self._highs.changeColCost(column, -value)
        self._costs = dict(objective)
        for _ in range(_LARGEST_ROUNDS):
            if not self._is_solved():
                return None
            found = self._highs.getSolution()
            self._solution, self._duals = np.array(found.col_value), np.array(found.row_dual)
            self._activity = np.array(found.row_value)
            cuts = list(self._broken())
            if not cuts:
                break
            for cut in cuts:
                self._add(cut)
        return float(sum(value * self._solution[column] for column, value in objective.items()))

    def _is_solved(self) -> bool:
        """Run the solver, from scratch where it fails from its last vertex."""
        import highspy

        self._highs.run()
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self._highs.clearSolver()
            self._highs.run()
        return bool(self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal)

    def _add(self, cut: Cut) -> None:
        slope = float(cut.slope)
        scale = max(1.0, slope)
        ours, theirs = self.component.row(cut.ours), self.component.row(cut.theirs)
        entries = {ours[color]: 1 / scale for color in cut.event}
        entries |= {theirs[color]: -slope / scale for color in cut.event}
        self.cuts.append((self.add_row(entries, -np.inf, float(cut.room) / scale), scale, cut))

    def _forget(self) -> None:
        """Take out the cuts that the last solution is far from."""
        places = [bisect_left(self._rows, row) for row, _, _ in self.cuts]
        far = [
            place < self._activity.size and float(cut.room) / scale - self._activity[place] > _FAR
            for place, (_, scale, cut) in zip(places, self.cuts, strict=True)
        ]
        gone = {place for place, is_far in zip(places, far, strict=True) if is_far}
        if gone:
            self._highs.deleteRows(len(gone), np.array(sorted(gone), dtype=np.int32))
            self._rows = [row for place, row in enumerate(self._rows) if place not in gone]
            self.cuts = [cut for cut, is_far in zip(self.cuts, far, strict=True) if not is_far]

    def _broken(self) -> Iterator[Cut]:
        """Yield what the present solution breaks: a cut per pair of regions and broken likelihood event."""
        from scipy.special import ndtr, ndtri

        table = self.table()
        ours, theirs = table[self.pairs[:, 0]], table[self.pairs[:, 1]]
        order = np.argsort(-(ours + 1e-15) / (theirs + 1e-15), axis=1, kind="stable")
        given = np.cumsum(np.take_along_axis(ours, order, axis=1), axis=1)[:, :-1]
        other = np.clip(np.cumsum(np.take_along_axis(theirs, order, axis=1), axis=1)[:, :-1], 0.0, 1.0)
        given = np.clip(given, 0.0, 1.0)
        # Where the curve is steep a tiny lack of `other` shows as a large excess of `given`. The smaller one
        # counts, for moving towards uniform makes up for either.
        excess = np.minimum(given - ndtr(ndtri(other) + self._mu), ndtr(ndtri(given) - self._mu) - other)
        for pair, length in np.argwhere(excess > TOLERANCE).tolist():
            # Any tangent between the two feet of the point on the curve cuts it off. Far out in the tails one
            # of the feet is useless, and the middle of both never is.
            foot = float(ndtri(min(max(given[pair, length], _TINY), 1 - _TINY))) - self._mu
            z = (foot + max(float(ndtri(other[pair, length])), foot - _REACH)) / 2
            slope = math.exp(min(-self._mu * z - self._mu**2 / 2, _STEEPEST))
            event = tuple(sorted(order[pair, : length + 1].tolist()))
            first, second = self.pairs[pair].tolist()
            cut = gaussian_cut(first, second, event, Fraction(slope), self.mu)
            broken = given[pair, length] - slope * other[pair, length] - float(cut.room)
            if broken > TOLERANCE / 2 * max(1.0, slope):
                yield cut

    def table(self) -> NDArray[np.float64]:
        """Return the present solution as a float64 array [regions, colors]."""
        shape = len(self.component.regions), len(self.component.colors)
        return np.clip(self._solution[: math.prod(shape)].reshape(shape), 0.0, 1.0)


def gaussian_cut(ours: int, theirs: int, event: tuple[int, ...], slope: Fraction, mu: Exponent) -> Cut:
    """Return the constraint of one event and slope, with the room rounded up.

    Examples
    --------
    >>> cut = gaussian_cut(0, 1, (0,), Fraction(1), Fraction(1))
    >>> round(float(cut.room), 12)
    0.382924922548
    """

    def room() -> flint.arb:
        # The largest Phi(z + mu) - slope Phi(z) over all z is where the slope of the limit is `slope`.
        shift = exponent_ball(mu)
        z = -ball(slope).log() / shift - shift / 2
        return normal_cdf(z + shift) - ball(slope) * normal_cdf(z)

    return Cut(ours, theirs, event, slope, enclose_with(room, 80)[1])


_GRID = 1 << 60
# How far an objective may slip once others are maximized: more than the cuts still to come can take from it.
_SLIP = 10 * TOLERANCE


def fill_gaussian(
    component: Component, privacy: GaussianDP, progress: Progress = silent
) -> tuple[Table, Fraction]:
    """Return a nearly max-min boundary of one component under Gaussian privacy.

    Parameters
    ----------
    component : Component
        The regions and which of them touch.
    privacy : GaussianDP
        With mu above 0.
    progress : callable
        Called after each objective.

    Returns
    -------
    table : Table
        Private exactly.
    loss : Fraction
        The smallest best-class mass is at most this far below the best possible; proven.

    Raises
    ------
    SolverError
        If the solver fails on the first objective.
    NotVerifiedError
        If not even the uniform distribution is found private; a defect.
    """
    outer = OuterProgram(component, privacy.mu)
    total = leximin.objective_count(component)
    bound = _fill_best_classes(outer, lambda done: progress(done, total))
    for done, objective in enumerate(_later_objectives(outer), start=len(component.regions)):
        progress(done, total)
        value = outer.maximize(objective)
        if value is not None:
            outer.add_row(objective, value - _SLIP, np.inf)
    progress(total, total)
    start = _rational(component, outer.table())
    table = _private(component, start, privacy)
    smallest = min(
        sum((table[region][color] for color in component.classes(region)[0]), Fraction(0))
        for region in component.regions
    )
    return table, bound - smallest


def _fill_best_classes(outer: OuterProgram, report: Callable[[int], None]) -> Fraction:
    """Fill progressively, and return an upper bound of the smallest best-class mass."""
    component = outer.component
    rising = list(component.regions)
    bound = Fraction(1)
    while rising:
        level = outer.add_column()
        rows = {}
        for region in rising:
            best = dict.fromkeys(component.variables(region)[0], 1.0)
            rows[region] = outer.add_row({**best, level: -1.0}, 0.0, np.inf)
        value = outer.maximize({level: 1.0})
        if value is None:
            if bound == 1:
                raise SolverError(
                    "the solver found no max-min boundary under Gaussian privacy",
                    help="give the boundary yourself, or use --boundary uniform or randomized-response",
                )
            break
        weights = {region: abs(outer.dual(row)) for region, row in rows.items()}
        if bound == 1:
            bound = _dual_bound(outer, weights)
        blocked = [region for region in rising if weights[region] > 1e-6]
        for region in rising:
            outer.hold_row(rows[region], level, value - _SLIP)
        rising = [region for region in rising if region not in blocked] if blocked else []
        report(len(component.regions) - len(rising))
    return bound


def _dual_bound(outer: OuterProgram, weights: Mapping[int, float]) -> Fraction:
    """Return a proven upper bound of the smallest best-class mass.

    For multipliers of any size at least 0, the smallest mass of a private table is at most the weighted mean
    of the masses plus the multiplied room that the cuts leave, and at most the largest value of that over
    all tables, which is taken color by color.
    """
    whole = sum(map(Fraction, weights.values())) or Fraction(1)
    component = outer.component
    gain = [[Fraction(0)] * len(component.colors) for _ in component.regions]
    for region, weight in weights.items():
        for color in component.classes(region)[0]:
            gain[region][color] += Fraction(weight) / whole
    total = Fraction(0)
    for row, scale, cut in outer.cuts:
        multiplier = Fraction(max(0.0, -outer.dual(row))) / Fraction(scale) / whole
        if multiplier:
            total += multiplier * cut.room
            for color in cut.event:
                gain[cut.ours][color] -= multiplier
                gain[cut.theirs][color] += multiplier * cut.slope
    return total + sum(map(max, gain), Fraction(0)) if any(weights.values()) else Fraction(1)


def _later_objectives(outer: OuterProgram) -> Iterator[dict[int, float]]:
    for columns in leximin.prefixes(outer.component):
        yield dict.fromkeys(columns, 1.0)
    for columns in leximin.tied_classes(outer.component):
        share = outer.add_column()
        for column in columns:
            outer.add_row({column: 1.0, share: -1.0}, 0.0, np.inf)
        yield {share: 1.0}


def _rational(component: Component, table: NDArray[np.float64]) -> Table:
    """Turn floats into distributions; nearly equal tied shares become equal, unused colors stay out."""
    table = np.where(table.max(axis=0) > 100 * TOLERANCE, table, 0.0)
    rows = []
    for region, floats in enumerate(table.tolist()):
        for group in component.classes(region):
            shares = [floats[color] for color in group]
            if max(shares) - min(shares) < 1000 * TOLERANCE:
                for color in group:
                    floats[color] = sum(shares) / len(shares)
        exact = [Fraction(value) for value in floats]
        whole = sum(exact)
        rows.append(leximin.settle([value / whole for value in exact], _GRID, component.classes(region)[0]))
    return tuple(rows)


def _private(component: Component, start: Table, privacy: GaussianDP) -> Table:
    """Move towards uniform, by a weight that doubles, until every touching pair is private exactly."""
    pairs = list(component.touching)
    for power in range(40, -1, -1):
        table = leximin.toward_uniform(start, Fraction(1, 2**power))
        rows = [Distribution.trusted(dict(zip(component.colors, row, strict=True))) for row in table]
        broken = next((p for p in pairs if not privacy.admits(rows[p[0]], rows[p[1]])), None)
        if broken is None:
            return table
        # The pair that fails at one weight is the likeliest to fail at the next.
        pairs.remove(broken)
        pairs.insert(0, broken)
    raise NotVerifiedError(
        f"no weight makes the max-min boundary private for {privacy}", help="report this as a defect"
    )
