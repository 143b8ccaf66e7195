# SPDX-License-Identifier: Apache-2.0
"""Max-min boundaries for irrational odds, rounded inward.

A boundary that is private for smaller odds is private. So the program is solved exactly for a
rational lower bound of the odds, moved a little towards the uniform distribution, which leaves room in every
constraint, and rounded within that room to short fractions.

How much is lost. The smallest best-class mass grows with the odds, so it lies between its values for a lower
and for an upper bound of the odds. The program is solved for both; the bounds are taken closer until no
probability of the two solutions differs by more than 2^-67. Moving and rounding lose at most 2^-67 more each.
"""

from collections.abc import Sequence
from fractions import Fraction

from rainbowdp.errors import SolverError
from rainbowdp.exact import OddsExpression, enclose
from rainbowdp.leximin.component import Component, Progress, Table, objective_count, silent
from rainbowdp.leximin.filling import fill

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
