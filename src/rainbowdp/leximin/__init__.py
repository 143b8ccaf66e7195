# SPDX-License-Identifier: Apache-2.0
"""Max-min boundaries: the smallest best-class mass is as large as possible, by exact linear programs.

Among all private boundary conditions it is the one whose best-class masses are leximin largest: the smallest
is as large as possible, then the second smallest, and so on. What this leaves open goes to the longer
prefixes, region after region in text order, then to equal shares inside tied classes where they are possible.

It is computed for one connected component of touching regions at a time. `program` and `lexicographic` solve
linear programs exactly: HiGHS proposes vertices, and a sparse rational elimination solves them. `gaussian`
does the same as this module under Gaussian privacy.

"Leximin of the best-class masses, then the longer prefixes region after region, then equal shares inside tied
classes" is a list of linear objectives, maximized one after another. Leximin is filled up step by step: raise
the smallest best-class mass that is not blocked yet, see which regions block it, go on with the others. The
result is one point, for any order of the input.

**Irrational odds.** A boundary that is private for smaller odds is private. So the program is solved exactly
for a rational lower bound of the odds, moved a little towards the uniform distribution, which leaves room in
every constraint, and rounded within that room to short fractions. The smallest best-class mass grows with the
odds, so it lies between its values for a lower and for an upper bound of the odds. The program is solved for
both; the bounds are taken closer until no probability of the two solutions differs by more than 2^-67. Moving
and rounding lose at most 2^-67 more each.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import chain
from typing import Any

import flint
import numpy as np

from rainbowdp.errors import SolverError
from rainbowdp.exact import OddsExpression, enclose
from rainbowdp.leximin.lexicographic import LexicographicSimplex
from rainbowdp.leximin.program import Program
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.progress import Progress, silent
from rainbowdp.rainbow import Rainbow

LARGEST_PROGRAM = 2_500
"""Largest number of regions times colors in one component; beyond it, minutes become hours."""
LARGEST_GAUSSIAN = 250
"""The same under Gaussian privacy, where cutting planes take their time."""
LARGEST_CONSTRAINTS = 60_000
"""Largest number of touching pairs times colors in one component."""
# e^67 is more than 2^96.
_LARGEST_EPSILON, _LARGEST_ODDS = 67, Fraction(2**96)

_ONE = flint.fmpq(1)
_SMALLEST = 1e-60
_LARGEST_SHRINKING = Fraction(10**60)
_LOSS = Fraction(1, 2**67)
_FIRST_BITS = 112
_LAST_BITS = 2048
INWARD_NOTE = "the max-min boundary is rounded inward for irrational odds, losing at most 2^-64"

Table = tuple[tuple[Fraction, ...], ...]
"""Probabilities, one row per region, columns in the order of the sorted colors."""


@dataclass(frozen=True)
class Component:
    """Regions that hang together by touching.

    Attributes
    ----------
    rainbows : tuple of Rainbow
        One per region, sorted by text.
    touching : tuple of pairs of int
        The touching pairs, as indices into `rainbows`.
    """

    rainbows: tuple[Rainbow, ...]
    touching: tuple[tuple[int, int], ...]

    @property
    def regions(self) -> range:
        """The numbers of the regions."""
        return range(len(self.rainbows))

    @property
    def colors(self) -> tuple[str, ...]:
        """All colors, sorted by code point."""
        return self.rainbows[0].colors

    def classes(self, region: int) -> tuple[tuple[int, ...], ...]:
        """Return the classes of a region's rainbow as positions among the sorted colors, best first."""
        place = {color: index for index, color in enumerate(self.colors)}
        return tuple(tuple(place[color] for color in group) for group in self.rainbows[region].classes)

    def row(self, region: int) -> range:
        """Return the numbers of a region's variables in all programs, by color."""
        return range(region * len(self.colors), (region + 1) * len(self.colors))

    def variables(self, region: int) -> list[list[int]]:
        """Return the variables of the classes of a region's rainbow, best first."""
        row = self.row(region)
        return [[row[color] for color in group] for group in self.classes(region)]


def _meetings(regions: int, touching: Sequence[tuple[int, int]]) -> Any:  # noqa: ANN401 - an array of scipy
    """Return the graph of regions that touch, for scipy."""
    from scipy.sparse import coo_array

    ends = np.array(touching, dtype=np.int64).reshape(-1, 2).T
    return coo_array((np.ones(len(touching)), ends), shape=(regions, regions))


def components(rainbows: Sequence[Rainbow], touching: Sequence[tuple[int, int]]) -> list[Component]:
    """Split regions into those that hang together by touching; regions that touch none are left out."""
    from scipy.sparse.csgraph import connected_components

    _, component_of = connected_components(_meetings(len(rainbows), touching), directed=False)
    members: dict[int, list[int]] = {}
    for region in sorted({region for pair in touching for region in pair}):
        members.setdefault(int(component_of[region]), []).append(region)
    made = []
    for regions in members.values():
        place = {region: index for index, region in enumerate(regions)}
        pairs = tuple((place[first], place[second]) for first, second in touching if first in place)
        made.append(Component(tuple(rainbows[region] for region in regions), pairs))
    return made


def objective_count(component: Component) -> int:
    """Return the number of objectives of a component: best classes, longer prefixes, tied classes."""
    longer, tied = list(prefixes(component)), tied_classes(component)
    return len(component.rainbows) + len(longer) + len(tied)


@dataclass(frozen=True)
class Solution:
    """The max-min boundary of one component.

    Attributes
    ----------
    table : tuple of tuples of Fraction, [regions][colors]
        Probabilities; colors sorted by code point.
    note : str
        What was lost by rounding; empty where the solution is exact.
    """

    table: Table
    note: str


def solve(component: Component, privacy: Privacy, progress: Progress = silent) -> Solution:
    """Solve one component.

    Parameters
    ----------
    component : Component
        Regions that hang together by touching.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy between neighbors.
    progress : callable
        Called after each objective with the number done, and the number in all.

    Returns
    -------
    Solution
        Exact for rational odds, rounded inward otherwise.

    Raises
    ------
    SolverError
        If the component is too large, or the solver does not finish.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.rainbow import Rainbow
    >>> path = tuple(map(Rainbow.parse, ("a>b>c", "b>a>c", "c>b>a")))
    >>> for row in solve(Component(path, ((0, 1), (1, 2))), PureDP("ln 2")).table:
    ...     print(*row)
    1/2 3/8 1/8
    1/4 1/2 1/4
    1/8 3/8 1/2
    """
    _require_solvable(component, privacy)
    if isinstance(privacy, GaussianDP):
        from rainbowdp.leximin.gaussian import fill_gaussian

        if privacy.mu == 0:
            return Solution(fill(component, Fraction(1), Fraction(0), progress), "")
        table, loss = fill_gaussian(component, privacy, progress)
        return Solution(table, _gaussian_note(loss))
    if privacy.delta == 1:
        return Solution(fill(component, Fraction(1), privacy.delta, progress), "")
    if isinstance(privacy.odds, OddsExpression):
        if isinstance(privacy.epsilon, Fraction) and privacy.epsilon > _LARGEST_EPSILON:
            # What is private at smaller odds is private at these. Randomized response, which is one of the
            # conditions to choose from, already leaves no more than colors / 2^96 of any mass to be gained.
            return Solution(fill(component, _LARGEST_ODDS, privacy.delta, progress), INWARD_NOTE)
        return Solution(fill_inward(component, privacy.odds, privacy.delta, progress), INWARD_NOTE)
    return Solution(fill(component, privacy.odds, privacy.delta, progress), "")


def _gaussian_note(loss: Fraction) -> str:
    # Rounded up, so that the note stays true.
    shown = Context(prec=2, rounding=ROUND_CEILING).divide(Decimal(loss.numerator), Decimal(loss.denominator))
    return (
        "the max-min boundary under Gaussian privacy is rounded inward: its smallest best-class mass is at "
        f"most {shown:e} below the largest possible"
    )


def _require_solvable(component: Component, privacy: Privacy) -> None:
    regions, colors, pairs = len(component.rainbows), len(component.colors), len(component.touching)
    is_curved = isinstance(privacy, GaussianDP) and privacy.mu != 0
    largest = LARGEST_GAUSSIAN if is_curved else LARGEST_PROGRAM
    if regions * colors > largest or pairs * colors > LARGEST_CONSTRAINTS:
        raise SolverError(
            f"the max-min boundary of {regions} regions with {colors} colors and {pairs} touching pairs for "
            f"{privacy} is a program beyond {largest} probabilities or {LARGEST_CONSTRAINTS} constraints",
            help="use --boundary randomized-response or uniform, which need no program, or give the "
            "boundary yourself",
            regions=regions,
            colors=colors,
            touching=pairs,
        )


def fill(component: Component, odds: Fraction, delta: Fraction, progress: Progress = silent) -> Table:
    """Return the max-min boundary of one component for rational odds, exactly.

    Parameters
    ----------
    component : Component
        The regions and which of them touch.
    odds : Fraction
        At least 1.
    delta : Fraction
        From 0 to 1.
    progress : callable
        Called after each objective.

    Returns
    -------
    Table

    Raises
    ------
    SolverError
        If the exact solution takes too many steps.

    Examples
    --------
    >>> from rainbowdp.rainbow import Rainbow
    >>> a, b = Rainbow.parse("a>b>c"), Rainbow.parse("b>a>c")
    >>> fill(Component((a, b), ((0, 1),)), Fraction(2), Fraction(0))
    ((Fraction(2, 3), Fraction(1, 3), Fraction(0, 1)), (Fraction(1, 3), Fraction(2, 3), Fraction(0, 1)))
    """
    program, rows = privacy_program(component, odds, delta), component.regions
    # The first vertex: every region gives the same color with certainty, which is always private.
    simplex = LexicographicSimplex(program, {component.row(region)[0] for region in rows}, set(rows))
    total = objective_count(component)
    _fill_best_classes(component, program, simplex, lambda done: progress(done, total))
    for done, columns in enumerate(prefixes(component), start=len(rows)):
        if simplex.is_unique:
            break
        progress(done, total)
        simplex.maximize(dict.fromkeys(columns, _ONE))
    _equalize_ties(component, program, simplex)
    progress(total, total)
    return tuple(tuple(_fraction(simplex.value(v)) for v in component.row(region)) for region in rows)


def privacy_program(component: Component, odds: Fraction, delta: Fraction) -> Program:
    """Return the program of all boundary conditions.

    The first rows say that every region's probabilities sum to 1. With delta, an event's excess over the odds
    is the sum of its colors' excesses, each a variable of its own.
    """
    program = Program()
    for size in _sizes(component, odds, delta):
        program.add_column(size)
    rows = [component.row(region) for region in component.regions]
    for row in rows:
        program.add_row(dict.fromkeys(row, _ONE), _ONE, equality=True)
    factor, room = -_rational(odds), _rational(delta)
    for first, second in component.touching if delta < 1 else ():
        for ours, theirs in ((rows[first], rows[second]), (rows[second], rows[first])):
            excesses = []
            for mine, yours in zip(ours, theirs, strict=True):
                entries = {mine: _ONE, yours: factor}
                if delta:
                    excesses.append(program.add_column(float(delta)))
                    entries[excesses[-1]] = -_ONE
                program.add_row(entries, flint.fmpq(0))
            if delta:
                program.add_row(dict.fromkeys(excesses, _ONE), room)
    return program


def _sizes(component: Component, odds: Fraction, delta: Fraction) -> list[float]:
    """Return the expected size of each variable, which shrinks from where its color is best."""
    from scipy.sparse.csgraph import dijkstra

    regions = component.regions
    meetings = _meetings(len(regions), component.touching)
    smallest, shrinking = max(float(delta), _SMALLEST), float(min(odds, _LARGEST_SHRINKING))
    sizes = np.ones((len(regions), len(component.colors)))
    for color in range(len(component.colors)):
        best = [region for region in regions if color in component.classes(region)[0]]
        if best:
            far = dijkstra(meetings, directed=False, indices=best, unweighted=True, min_only=True)
            sizes[:, color] = np.maximum(shrinking**-far, smallest)
    found: list[float] = sizes.ravel().tolist()
    return found


def _fill_best_classes(
    component: Component, program: Program, simplex: LexicographicSimplex, report: Callable[[int], None]
) -> None:
    rising = list(component.regions)
    rows: dict[int, int] = {}
    level = -1
    while rising and not simplex.is_unique:
        lower, level = level, program.add_column()
        for region in rising:
            # A row that defines the vertex stays as it is, and the region gets another one.
            if region in rows and not simplex.is_active(rows[region]):
                program.exchange(rows[region], lower, level)
            else:
                entries = dict.fromkeys(component.variables(region)[0], -_ONE)
                rows[region] = program.add_row({level: _ONE, **entries}, flint.fmpq(0))
        simplex.refresh()
        simplex.maximize({level: _ONE})
        rising = [region for region in rising if not simplex.is_blocked(rows[region])]
        report(len(component.regions) - len(rising))


def prefixes(component: Component) -> Iterator[list[int]]:
    """Yield the variables of every proper prefix of two classes and more, region after region."""
    for region in component.regions:
        groups = component.variables(region)
        for count in range(2, len(groups)):
            yield list(chain.from_iterable(groups[:count]))


def tied_classes(component: Component) -> list[list[int]]:
    """Return the variables of every class of several colors, region after region."""
    groups = chain.from_iterable(map(component.variables, component.regions))
    return [group for group in groups if len(group) > 1]


def _equalize_ties(component: Component, program: Program, simplex: LexicographicSimplex) -> None:
    """Raise the smallest share of every tied class; what that leaves open goes to the first color."""
    tied = tied_classes(component)
    for group in tied:
        if simplex.is_unique:
            return
        share = program.add_column()
        for column in group:
            program.add_row({share: _ONE, column: -_ONE}, flint.fmpq(0))
        simplex.refresh()
        simplex.maximize({share: _ONE})
    for column in chain.from_iterable(tied):
        if simplex.is_unique:
            return
        simplex.maximize({column: _ONE})


def _rational(value: Fraction) -> flint.fmpq:
    return flint.fmpq(value.numerator, value.denominator)


def _fraction(value: flint.fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


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
