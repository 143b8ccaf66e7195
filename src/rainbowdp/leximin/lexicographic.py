# SPDX-License-Identifier: Apache-2.0
"""Lexicographic maximization over a linear program, exactly.

After an objective was maximized, every entity (variable or slack) with a negative reduced
cost is 0 in *all* optimal solutions, and if those are held at 0, what remains is exactly the optimal face. So
objectives are maximized one after another on one vertex, each on the face of those before it, and nothing but
reduced costs in rational numbers decides. HiGHS proposes vertices in floating point; a proposal is taken only
after it has been solved and found feasible exactly, and exact pivots finish what it leaves open. Without any
proposal the pivots alone would end at the same optimum, later.

A vertex is the solution of a sparse square system, by Gaussian elimination over the rationals with pivots
chosen so that little fills in. These systems are almost triangular, so this is quick where a dense method is
not: `flint.fmpq_mat.solve` takes ten times as long for 144 variables, and forty times for 324.
"""

import heapq
from collections.abc import Mapping, Sequence

import flint

from rainbowdp.errors import NotVerifiedError, SolverError
from rainbowdp.leximin.program import Program, Sparse, propose

_ZERO, _ONE = flint.fmpq(0), flint.fmpq(1)
_LARGEST_PIVOTS = 20_000
# Degenerate pivots in a row after which Bland's rule, which cannot cycle, takes over.
_PATIENCE = 50


class LexicographicSimplex:
    """A vertex of a growing linear program, moved by one objective after another.

    Parameters
    ----------
    program : Program
        It may get more variables, and rows that the present vertex satisfies, between two objectives.
    basic : set of int
        The variables that are not held at 0 at the first vertex.
    active : set of int
        The rows that hold with equality by the first vertex; as many as there are basic variables.

    Examples
    --------
    >>> one = flint.fmpq(1)
    >>> program = Program()
    >>> x, y = program.add_column(), program.add_column()
    >>> total = program.add_row({x: one, y: one}, one, equality=True)
    >>> limit = program.add_row({y: one, x: -2 * one}, 0 * one)
    >>> simplex = LexicographicSimplex(program, basic={x}, active={total})
    >>> simplex.maximize({y: one})
    >>> simplex.value(y), simplex.is_unique
    (2/3, True)
    """

    def __init__(self, program: Program, basic: set[int], active: set[int]) -> None:
        self.program = program
        self.fixed: set[int] = {~row for row in program.equalities}
        self.pivots = 0
        self._move_to(basic, active)

    @property
    def is_unique(self) -> bool:
        """Whether the objectives so far leave a single point."""
        free = set(range(len(self.program.columns))) - self._basic
        return free <= self.fixed and {~row for row in self._active} <= self.fixed

    def value(self, column: int) -> flint.fmpq:
        """Return the present value of a variable."""
        return self._values.get(column, _ZERO)

    def is_blocked(self, row: int) -> bool:
        """Tell whether a row holds with equality in all solutions that the objectives so far allow."""
        return ~row in self.fixed

    def maximize(self, objective: Mapping[int, flint.fmpq]) -> None:
        """Maximize over what the objectives before have left, and keep to the optimal face from now on.

        Parameters
        ----------
        objective : mapping of int to fmpq
            Coefficients of the variables.

        Raises
        ------
        SolverError
            If the exact pivots exceed a limit that no sensible program comes near.
        NotVerifiedError
            If there is no maximum, though all probabilities are at most 1; a defect.
        """
        costs = self._reduced_costs(objective)
        if any(cost > 0 for cost in costs.values()):
            proposal = propose(self.program, objective, self.fixed, self._basic, self._active)
            if proposal is not None:
                self._try(*proposal, objective)
            costs = self._climb(objective)
        self.fixed.update(entity for entity, cost in costs.items() if cost < 0)

    def is_active(self, row: int) -> bool:
        """Tell whether a row is one of those that define the present vertex."""
        return row in self._active

    def refresh(self) -> None:
        """Take in variables and rows that were added to the program."""
        self._move_to(self._basic, self._active)

    def _move_to(self, basic: set[int], active: set[int]) -> None:
        """Make the vertex with these nonzero variables and equal rows the present one, feasible or not."""
        rows, right = self.program.rows, self.program.right
        factors = Factors(
            {row: {column: value for column, value in rows[row].items() if column in basic} for row in active}
        )
        values = factors.solve({row: right[row] for row in active if right[row] != 0})
        for row, entries in enumerate(rows):
            if row not in active:
                slack = right[row] - _dot(entries, values)
                if slack != 0:
                    values[~row] = slack
        self._basic, self._active, self._factors, self._values = basic, active, factors, values

    def _try(self, basic: set[int], active: set[int], objective: Mapping[int, flint.fmpq]) -> None:
        """Move to a proposed vertex if it is one, is feasible, and has no lower value."""
        before = self._basic, self._active, self._factors, self._values
        try:
            self._move_to(basic, active)
        except ZeroDivisionError:
            return
        is_feasible = not any(value < 0 or entity in self.fixed for entity, value in self._values.items())
        if not is_feasible or _dot(objective, self._values) < _dot(objective, before[3]):
            self._basic, self._active, self._factors, self._values = before

    def _climb(self, objective: Mapping[int, flint.fmpq]) -> Sparse:
        """Pivot until no reduced cost is positive, and return the reduced costs."""
        stalled = 0
        while True:
            costs = self._reduced_costs(objective)
            rising = [entity for entity, cost in costs.items() if cost > 0]
            if not rising:
                return costs
            steepest = max((cost, -entity) for entity, cost in costs.items())
            entering = min(rising) if stalled > _PATIENCE else -steepest[1]
            stalled = 0 if self._pivot(entering) else stalled + 1

    def _reduced_costs(self, objective: Mapping[int, flint.fmpq]) -> Sparse:
        """Return the change of the objective per unit of each free entity that is held at 0."""
        duals = self._factors.solve_transposed({c: v for c, v in objective.items() if c in self._basic})
        costs = {~row: -value for row, value in duals.items()}
        touched: Sparse = {c: value for c, value in objective.items() if c not in self._basic}
        for row, dual in duals.items():
            for column, value in self.program.rows[row].items():
                if column not in self._basic:
                    touched[column] = touched.get(column, _ZERO) - dual * value
        costs.update(touched)
        return {entity: cost for entity, cost in costs.items() if cost != 0 and entity not in self.fixed}

    def _direction(self, entering: int) -> Sparse:
        """Return the rates of all entities that are not held at 0, per unit of the entering one."""
        column = self.program.column(entering)
        rates = self._factors.solve({row: -value for row, value in column.items() if row in self._active})
        change: Sparse = {}
        moving = dict(rates)
        if entering >= 0:
            moving[entering] = _ONE
        for moved, rate in moving.items():
            for row, value in self.program.columns[moved].items():
                if row not in self._active:
                    change[row] = change.get(row, _ZERO) - value * rate
        rates.update({~row: value for row, value in change.items() if value != 0})
        return rates

    def _pivot(self, entering: int) -> bool:
        """Exchange one entity, and return whether anything moved."""
        self.pivots += 1
        if self.pivots > _LARGEST_PIVOTS:
            raise SolverError(
                f"the exact solution of the max-min boundary took more than {_LARGEST_PIVOTS} steps",
                help="give the boundary yourself, or use --boundary uniform or randomized-response",
                pivots=self.pivots,
            )
        # How far each entity lets the entering one rise.
        steps = [
            (_ZERO if entity in self.fixed else -self._values.get(entity, _ZERO) / rate, entity)
            for entity, rate in self._direction(entering).items()
            if rate < 0 or entity in self.fixed
        ]
        if not steps:
            raise NotVerifiedError(
                "the linear program of the max-min boundary has no largest value",
                help="report this as a defect; give the boundary yourself meanwhile",
            )
        step, leaving = min(steps)
        exchanged = (entering, leaving)
        basic = self._basic.symmetric_difference(entity for entity in exchanged if entity >= 0)
        active = self._active.symmetric_difference(~entity for entity in exchanged if entity < 0)
        self._move_to(basic, active)
        return bool(step != 0)


def _dot(entries: Mapping[int, flint.fmpq], values: Mapping[int, flint.fmpq]) -> flint.fmpq:
    return sum((value * values[column] for column, value in entries.items() if column in values), _ZERO)


Lines = Sequence[tuple[int, Mapping[int, flint.fmpq]]]
"""Rows of a triangular matrix with 1 on the diagonal: the place of each, and its other entries."""


def _scattered(lines: Lines, right: Mapping[int, flint.fmpq]) -> Sparse:
    """Return x with L^T x = right: each value is known when its line comes, and goes to the later places."""
    found = dict(right)
    for place, entries in lines:
        value = found.get(place)
        if value is not None and value != 0:
            for other, entry in entries.items():
                found[other] = found.get(other, _ZERO) - entry * value
    return {place: value for place, value in found.items() if value != 0}


def _gathered(lines: Lines, right: Mapping[int, flint.fmpq]) -> Sparse:
    """Return x with L x = right: each value takes in those of the later places."""
    found: Sparse = {}
    for place, entries in reversed(lines):
        value = right.get(place, _ZERO)
        for other, entry in entries.items():
            known = found.get(other)
            if known is not None:
                value -= entry * known
        if value != 0:
            found[place] = value
    return found


class Factors:
    """The factorization of a nonsingular sparse matrix, which solves for any number of right-hand sides.

    Parameters
    ----------
    rows : mapping of int to mapping of int to fmpq
        The entries of n rows, by the number of the row and that of the column; there are n columns.

    Raises
    ------
    ZeroDivisionError
        If the matrix is singular.

    Examples
    --------
    >>> q = flint.fmpq
    >>> factors = Factors({7: {0: q(2), 1: q(1)}, 9: {0: q(1), 1: q(1)}})
    >>> sorted(factors.solve({7: q(5), 9: q(3)}).items())
    [(0, 2), (1, 1)]
    >>> sorted(factors.solve_transposed({0: q(3), 1: q(2)}).items())
    [(7, 1), (9, 1)]
    """

    __slots__ = ("_lower", "_pivots", "_upper")

    def __init__(self, rows: Mapping[int, Mapping[int, flint.fmpq]]) -> None:
        work = {row: dict(entries) for row, entries in rows.items()}
        holders: dict[int, set[int]] = {}
        for row, entries in work.items():
            for column in entries:
                holders.setdefault(column, set()).add(row)
        # Rows by length; an entry is out of date where the row has another length by now.
        shortest = [(len(entries), row) for row, entries in work.items()]
        heapq.heapify(shortest)
        alone = [column for column in sorted(holders) if len(holders[column]) == 1]
        self._pivots: list[tuple[int, int, flint.fmpq]] = []
        self._lower: list[tuple[int, Sparse]] = []
        self._upper: list[tuple[int, Sparse]] = []
        while len(self._pivots) < len(work):
            row, column = _choose(work, holders, shortest, alone)
            pivot, rest, subtracted = _eliminate(work, holders, row, column)
            self._pivots.append((row, column, pivot))
            self._lower.append((row, subtracted))
            self._upper.append((column, rest))
            for target in subtracted:
                heapq.heappush(shortest, (len(work[target]), target))
            alone.extend(other for other in rest if len(holders[other]) == 1)

    def solve(self, right: Mapping[int, flint.fmpq]) -> Sparse:
        """Return x with A x = right; entries that are 0 are left out."""
        found = _scattered(self._lower, right)
        return _gathered(self._upper, {c: found[r] / pivot for r, c, pivot in self._pivots if r in found})

    def solve_transposed(self, right: Mapping[int, flint.fmpq]) -> Sparse:
        """Return y with A^T y = right; entries that are 0 are left out."""
        found = _scattered(self._upper, right)
        return _gathered(self._lower, {r: found[c] / pivot for r, c, pivot in self._pivots if c in found})


def _choose(
    work: dict[int, Sparse], holders: dict[int, set[int]], shortest: list[tuple[int, int]], alone: list[int]
) -> tuple[int, int]:
    """Return a pivot with little fill: alone in its column, else in a shortest row."""
    while alone:
        column = alone.pop()
        if len(holders[column]) == 1:
            return next(iter(holders[column])), column
    while shortest:
        length, row = heapq.heappop(shortest)
        if length and length == len(work[row]):
            return row, min(work[row], key=lambda column: (len(holders[column]), column))
    raise ZeroDivisionError("the matrix is singular")


def _eliminate(
    work: dict[int, Sparse], holders: dict[int, set[int]], row: int, column: int
) -> tuple[flint.fmpq, Sparse, Sparse]:
    """Return a pivot, the rest of its row divided by it, and how often it was subtracted from other rows."""
    line, work[row] = work[row], {}
    pivot = line.pop(column)
    rest = {other: value / pivot for other, value in line.items()}
    for other in rest:
        holders[other].discard(row)
    holders[column].discard(row)
    subtracted: Sparse = {}
    for target in sorted(holders[column]):
        changed = work[target]
        value = changed.pop(column)
        subtracted[target] = value / pivot
        for other, share in rest.items():
            left = changed.get(other, _ZERO) - value * share
            if left != 0:
                changed[other] = left
                holders[other].add(target)
            else:
                del changed[other]
                holders[other].discard(target)
    holders[column].clear()
    return pivot, rest, subtracted
