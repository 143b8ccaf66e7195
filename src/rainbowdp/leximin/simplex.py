# SPDX-License-Identifier: Apache-2.0
"""Lexicographic maximization over a linear program, exactly.

After an objective was maximized, every entity (variable or slack) with a negative reduced
cost is 0 in *all* optimal solutions, and if those are held at 0, what remains is exactly the optimal face. So
objectives are maximized one after another on one vertex, each on the face of those before it, and nothing but
reduced costs in rational numbers decides. HiGHS proposes vertices in floating point; a proposal is taken only
after it has been solved and found feasible exactly, and exact pivots finish what it leaves open. Without any
proposal the pivots alone would end at the same optimum, later.
"""

from collections.abc import Mapping

import flint

from rainbowdp.errors import NotVerifiedError, SolverError
from rainbowdp.leximin.factors import Factors, Sparse
from rainbowdp.leximin.program import Program, propose

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
        return not any(entity not in self.fixed for entity in self._nonbasic())

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

    def _nonbasic(self) -> list[int]:
        slacks = [~row for row in sorted(self._active)]
        return slacks + [c for c in range(len(self.program.columns)) if c not in self._basic]

    def _move_to(self, basic: set[int], active: set[int]) -> None:
        """Make the vertex with these nonzero variables and equal rows the present one, feasible or not."""
        rows, columns = sorted(active), sorted(basic)
        place = {column: index for index, column in enumerate(columns)}
        matrix = [
            {place[column]: value for column, value in self.program.rows[row].items() if column in place}
            for row in rows
        ]
        factors = Factors(matrix)
        right = {index: self.program.right[row] for index, row in enumerate(rows)}
        solved = factors.solve({index: value for index, value in right.items() if value != 0})
        values = {columns[index]: value for index, value in solved.items()}
        for row, entries in enumerate(self.program.rows):
            if row not in active:
                slack = self.program.right[row] - _dot(entries, values)
                if slack != 0:
                    values[~row] = slack
        self._basic, self._active = basic, active
        self._rows, self._columns, self._factors, self._values = rows, columns, factors, values

    def _violated(self) -> dict[int, int]:
        """Return the entities outside their bounds, with the direction back."""
        return {
            entity: 1 if value < 0 else -1
            for entity, value in self._values.items()
            if value < 0 or entity in self.fixed
        }

    def _try(self, basic: set[int], active: set[int], objective: Mapping[int, flint.fmpq]) -> None:
        """Move to a proposed vertex if it is one, is feasible or quickly made so, and has no lower value."""
        before = (self._basic, self._active, _dot(objective, self._values))
        try:
            self._move_to(basic, active)
        except ZeroDivisionError:
            return
        budget = self.pivots + 2 * len(self._columns) + 100
        while violated := self._violated():
            if self.pivots > budget or not self._repair(violated):
                break
        if violated or _dot(objective, self._values) < before[2]:
            self._move_to(before[0], before[1])

    def _repair(self, violated: Mapping[int, int]) -> bool:
        """Make one pivot that lessens the sum of violations; False if there is none."""
        # The slack of row i is b - a x, so wanting it larger is an objective of -a.
        wanted: Sparse = {}
        for entity, direction in violated.items():
            entries = {entity: -_ONE} if entity >= 0 else self.program.rows[~entity]
            for column, value in entries.items():
                wanted[column] = wanted.get(column, _ZERO) - direction * value
        costs = {e: cost for e, cost in self._reduced_costs(wanted).items() if cost > 0}
        if not costs:
            return False
        self._pivot(max(costs, key=lambda e: (costs[e], e)), violated)
        return True

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
            stalled = 0 if self._pivot(entering, {}) else stalled + 1

    def _reduced_costs(self, objective: Mapping[int, flint.fmpq]) -> Sparse:
        """Return the change of the objective per unit of each free entity that is held at 0."""
        right = {
            index: objective[column] for index, column in enumerate(self._columns) if column in objective
        }
        duals = {self._rows[index]: value for index, value in self._factors.solve_transposed(right).items()}
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
        right = {index: -column[row] for index, row in enumerate(self._rows) if row in column}
        rates = {self._columns[i]: value for i, value in self._factors.solve(right).items()}
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

    def _pivot(self, entering: int, violated: Mapping[int, int]) -> bool:
        """Exchange one entity; violated ones may pass on to their bound. Return whether anything moved."""
        self.pivots += 1
        if self.pivots > _LARGEST_PIVOTS:
            raise SolverError(
                f"the exact solution of the max-min boundary took more than {_LARGEST_PIVOTS} steps",
                help="give the boundary yourself, or use --boundary uniform or randomized-response",
                pivots=self.pivots,
            )
        blocking: tuple[flint.fmpq, int] | None = None
        for entity, rate in self._direction(entering).items():
            step = self._step(entity, rate, violated)
            if step is not None and (blocking is None or (step, entity) < blocking):
                blocking = (step, entity)
        if blocking is None:
            raise NotVerifiedError(
                "the linear program of the max-min boundary has no largest value",
                help="report this as a defect; give the boundary yourself meanwhile",
            )
        basic, active = set(self._basic), set(self._active)
        step, leaving = blocking
        if entering >= 0:
            basic.add(entering)
        else:
            active.remove(~entering)
        if leaving >= 0:
            basic.remove(leaving)
        else:
            active.add(~leaving)
        self._move_to(basic, active)
        return bool(step != 0)

    def _step(self, entity: int, rate: flint.fmpq, violated: Mapping[int, int]) -> flint.fmpq | None:
        """Return how far the entity lets the entering one rise; None for any distance."""
        value = self._values.get(entity, _ZERO)
        if entity in violated:
            # It blocks where it comes back to its bound, and not while it moves further away.
            return -value / rate if (rate > 0) == (violated[entity] > 0) else None
        if entity in self.fixed:
            return _ZERO
        return -value / rate if rate < 0 else None


def _dot(entries: Mapping[int, flint.fmpq], values: Mapping[int, flint.fmpq]) -> flint.fmpq:
    return sum((value * values[column] for column, value in entries.items() if column in values), _ZERO)
