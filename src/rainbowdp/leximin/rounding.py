# SPDX-License-Identifier: Apache-2.0
"""Max-min boundaries for irrational odds and for Gaussian privacy: nearly optimal, rounded inward.

**Irrational odds.** A boundary that is private for smaller odds is private. So the program is solved exactly
for a rational lower bound of the odds, moved a little towards the uniform distribution, which leaves room in
every constraint, and rounded within that room to short fractions. The smallest best-class mass grows with the
odds, so it lies between its values for a lower and for an upper bound of the odds. The program is solved for
both; the bounds are taken closer until no probability of the two solutions differs by more than 2^-67. Moving
and rounding lose at most 2^-67 more each.

**Gaussian privacy.** A program that allows a little more than privacy does (`cutting`) is maximized in
floating point. Its solution is then moved towards the uniform distribution until every pair of regions is
private *exactly*. Weak duality in rational numbers bounds what was lost, for any output of the solver.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import NotVerifiedError, SolverError
from rainbowdp.exact import OddsExpression, enclose
from rainbowdp.leximin.component import Component, Progress, Table, objective_count, silent
from rainbowdp.leximin.cutting import TOLERANCE, OuterProgram
from rainbowdp.leximin.filling import fill
from rainbowdp.privacy import GaussianDP

_LOSS = Fraction(1, 2**67)
_FIRST_BITS = 112
_LAST_BITS = 2048
INWARD_NOTE = "the max-min boundary is rounded inward for irrational odds, losing at most 2^-64"


def fill_inward(
    component: Component, odds: OddsExpression, delta: Fraction, progress: Progress = silent
) -> Table:
    """Return the max-min boundary of one component for irrational odds, rounded inward.

    Parameters
    ----------
    component : Component
        The regions and which of them touch.
    odds : OddsExpression
        Above 1.
    delta : Fraction
        From 0 to 1.
    progress : callable
        Called after each objective; one of the two programs is half of the work.

    Returns
    -------
    Table
        Private with room to spare. The smallest best-class mass is at most 2^-64 below the optimum; the other
        masses are within 2^-64 of the programs solved for the two bounds of the odds.

    Raises
    ------
    SolverError
        If the bounds do not come together.
    """
    bits, count = _FIRST_BITS, objective_count(component)
    while bits <= _LAST_BITS:
        lower, upper = enclose(odds, bits)
        if lower > 1:
            below = fill(component, lower, delta, lambda done, _: progress(done // 2, count))
            above = fill(component, upper, delta, lambda done, _: progress((count + done) // 2, count))
            if _distance(below, above) <= _LOSS:
                return _rounded(component, below, lower)
        bits *= 2
    raise SolverError(
        f"the max-min boundary for {odds!r} still depends on the digits of the odds after {_LAST_BITS} bits",
        help="choose an epsilon with rational odds, such as ln(6/5)",
    )


def _distance(first: Table, second: Table) -> Fraction:
    pairs = zip(first, second, strict=True)
    return max(abs(a - b) for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True))


def _rounded(component: Component, table: Table, odds: Fraction) -> Table:
    """Move towards uniform and round down to a grid, what is left over going to the best class.

    Moving by w gives every event over n colors in use at least w (odds - 1) / n of room. Rounding changes the
    probability of an event by at most n grid steps on either side, so n (1 + odds) steps must fit in.
    """
    moved = toward_uniform(table, _LOSS)
    used = sum(map(any, zip(*table, strict=True)))
    step = min(_LOSS * (odds - 1) / (used * used * (1 + odds)), _LOSS / used)
    grid = 1 << (-(-step.denominator // step.numerator)).bit_length()
    return tuple(settle(row, grid, component.classes(region)[0]) for region, row in enumerate(moved))


def toward_uniform(table: Table, weight: Fraction) -> Table:
    """Mix every row with the uniform distribution over the colors that any row uses."""
    used = [any(column) for column in zip(*table, strict=True)]
    share = weight / sum(used)
    return tuple(
        tuple((1 - weight) * value + share if use else value for value, use in zip(row, used, strict=True))
        for row in table
    )


def settle(row: Sequence[Fraction], grid: int, best: Sequence[int]) -> tuple[Fraction, ...]:
    """Round a distribution down to multiples of 1/grid, and give what is left over to the best class evenly.

    Colors of probability 0 get nothing: no row uses them, so any mass would be infinitely too much.

    Examples
    --------
    >>> settle([Fraction(1, 3), Fraction(2, 3)], 4, [0])
    (Fraction(1, 2), Fraction(1, 2))
    """
    floors = [Fraction(int(value * grid), grid) for value in row]
    takers = [color for color in best if row[color] > 0]
    left = (1 - sum(floors, Fraction(0))) / len(takers)
    return tuple(value + left if color in takers else value for color, value in enumerate(floors))


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
    total = objective_count(component)
    bound = _fill_best_classes(component, outer, lambda done: progress(done, total))
    for done, objective in enumerate(_later_objectives(component, outer), start=outer.regions):
        progress(done, total)
        value = outer.maximize(objective)
        if value is not None:
            outer.add_row(objective, value - _SLIP, np.inf)
    progress(total, total)
    start = _rational(component, outer.table())
    table = _private(component, start, privacy)
    smallest = min(
        sum((table[region][color] for color in component.classes(region)[0]), Fraction(0))
        for region in range(outer.regions)
    )
    return table, bound - smallest


def _fill_best_classes(component: Component, outer: OuterProgram, report: Callable[[int], None]) -> Fraction:
    """Fill progressively, and return an upper bound of the smallest best-class mass."""
    rising = list(range(outer.regions))
    bound = Fraction(1)
    while rising:
        level = outer.add_column()
        rows = {}
        for region in rising:
            best = dict.fromkeys((region * outer.colors + c for c in component.classes(region)[0]), 1.0)
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
            bound = _dual_bound(component, outer, weights)
        blocked = [region for region in rising if weights[region] > 1e-6]
        for region in blocked or rising:
            outer.hold_row(rows[region], level, value - _SLIP)
        rising = [region for region in rising if region not in blocked] if blocked else []
        for region in rising:
            outer.hold_row(rows[region], level, value - _SLIP)
        report(outer.regions - len(rising))
    return bound


def _dual_bound(component: Component, outer: OuterProgram, weights: Mapping[int, float]) -> Fraction:
    """Return a proven upper bound of the smallest best-class mass.

    For multipliers of any size at least 0, the smallest mass of a private table is at most the weighted mean
    of the masses plus the multiplied room that the cuts leave, and at most the largest value of that over
    all tables, which is taken color by color.
    """
    whole = sum(map(Fraction, weights.values())) or Fraction(1)
    gain = [[Fraction(0)] * outer.colors for _ in range(outer.regions)]
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


def _later_objectives(component: Component, outer: OuterProgram) -> Iterator[dict[int, float]]:
    for region in range(outer.regions):
        classes, start = component.classes(region), region * outer.colors
        prefix = [start + color for color in classes[0]]
        for group in classes[1:-1]:
            prefix.extend(start + color for color in group)
            yield dict.fromkeys(prefix, 1.0)
    for region in range(outer.regions):
        for group in component.classes(region):
            if len(group) > 1:
                share = outer.add_column()
                for color in group:
                    outer.add_row({region * outer.colors + color: 1.0, share: -1.0}, 0.0, np.inf)
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
        rows.append(settle([value / whole for value in exact], _GRID, component.classes(region)[0]))
    return tuple(rows)


def _private(component: Component, start: Table, privacy: GaussianDP) -> Table:
    """Move towards uniform, by a weight that doubles, until every touching pair is private exactly."""
    pairs = list(component.touching)
    for power in range(40, -1, -1):
        table = toward_uniform(start, Fraction(1, 2**power))
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
