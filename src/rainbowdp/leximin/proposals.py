# SPDX-License-Identifier: Apache-2.0
"""Linear programs with exact coefficients, and vertices of them that HiGHS proposes in floating point.

Variables are at least 0, rows say ``a x <= b`` or ``a x = b``, all numbers are rational. Programs are kept
sparse and may grow. Every variable and every row's slack is an *entity* with a number: variable j is j, and
the slack of row i is ``~i`` (below 0), so that a vertex can be described by which entities are 0.

A proposal says which entities HiGHS believes to be 0 at an optimum. It is not trusted: the caller solves that
vertex exactly. Variables are passed on in units of their expected size, because what is far below the
solver's tolerance would otherwise be noise. The solver keeps its model and starts from the caller's vertex.
"""

from collections.abc import Mapping
from typing import Any

import flint
import numpy as np

from rainbowdp.leximin.factors import Sparse


class Program:
    """The variables and rows of a linear program.

    Examples
    --------
    >>> program = Program()
    >>> x, y = program.add_column(), program.add_column()
    >>> program.add_row({x: flint.fmpq(1), y: flint.fmpq(2)}, flint.fmpq(1), equality=True)
    0
    >>> program.column(y)
    {0: 2}
    """

    __slots__ = ("columns", "equalities", "exchanges", "right", "rows", "scales")

    def __init__(self) -> None:
        self.rows: list[Sparse] = []
        self.right: list[flint.fmpq] = []
        self.equalities: set[int] = set()
        self.columns: list[Sparse] = []
        self.scales: list[float] = []
        self.exchanges: list[tuple[int, int, int]] = []

    def add_column(self, scale: float = 1.0) -> int:
        """Add a variable that is at least 0 and of this order of magnitude, and return its number."""
        self.columns.append({})
        self.scales.append(scale)
        return len(self.columns) - 1

    def add_row(self, entries: Mapping[int, flint.fmpq], right: flint.fmpq, *, equality: bool = False) -> int:
        """Add the row ``entries x <= right`` (or ``=``), and return its number."""
        row = len(self.rows)
        self.rows.append({column: value for column, value in entries.items() if value != 0})
        self.right.append(right)
        if equality:
            self.equalities.add(row)
        for column, value in self.rows[row].items():
            self.columns[column][row] = value
        return row

    def exchange(self, row: int, old: int, new: int) -> None:
        """Replace a variable of a row by another one, with the same coefficient."""
        value = self.rows[row].pop(old)
        del self.columns[old][row]
        self.rows[row][new] = self.columns[new][row] = value
        self.exchanges.append((row, old, new))

    def column(self, entity: int) -> Sparse:
        """Return the column of a variable, or of a row's slack."""
        return self.columns[entity] if entity >= 0 else {~entity: flint.fmpq(1)}


_LARGEST = 1e100

Proposal = tuple[set[int], set[int]]
"""Variables that may be other than 0, and rows that hold with equality."""


class Proposals:
    """HiGHS on a program that may grow between two questions."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._highs: Any = None
        self._columns = 0
        self._rows = 0
        self._exchanges = 0
        self._held: set[int] = set()
        self._costs: set[int] = set()

    def ask(
        self, objective: Mapping[int, flint.fmpq], fixed: set[int], basic: set[int], active: set[int]
    ) -> Proposal | None:
        """Return the vertex where HiGHS stops; None if it finds none.

        Parameters
        ----------
        objective : mapping of int to fmpq
            To be maximized.
        fixed : set of int
            Entities held at 0.
        basic, active : set of int
            The vertex to start from.
        """
        import highspy

        if self._highs is None:
            self._highs = quiet_solver()
        highs = self._highs
        self._grow()
        for column in self._costs - objective.keys():
            highs.changeColCost(column, 0.0)
        for column, value in objective.items():
            highs.changeColCost(column, -_float(value) * self._program.scales[column])
        self._costs = set(objective)
        for entity in fixed - self._held:
            if entity >= 0:
                highs.changeColBounds(entity, 0.0, 0.0)
            else:
                right = self._right(~entity)
                highs.changeRowBounds(~entity, right, right)
        self._held = set(fixed)
        status = highspy.HighsBasisStatus
        basis = highspy.HighsBasis()
        basis.col_status = [status.kBasic if c in basic else status.kLower for c in range(self._columns)]
        basis.row_status = [status.kUpper if r in active else status.kBasic for r in range(self._rows)]
        basis.valid = True
        highs.setBasis(basis)
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        found = highs.getBasis()
        return (
            {c for c, state in enumerate(found.col_status) if state == status.kBasic},
            {r for r, state in enumerate(found.row_status) if state != status.kBasic},
        )

    def _grow(self) -> None:
        program, highs = self._program, self._highs
        count = len(program.columns) - self._columns
        for _ in range(count):
            highs.addVar(0.0, np.inf)
        self._columns += count
        for row, old, new in program.exchanges[self._exchanges :]:
            if row < self._rows:
                highs.changeCoeff(row, old, 0.0)
                highs.changeCoeff(row, new, self._scaled(row)[new])
        self._exchanges = len(program.exchanges)
        for row in range(self._rows, len(program.rows)):
            entries = self._scaled(row)
            right = self._right(row)
            highs.addRow(
                right if row in program.equalities else -np.inf,
                right,
                len(entries),
                np.fromiter(entries, dtype=np.int32, count=len(entries)),
                np.fromiter(entries.values(), dtype=np.float64, count=len(entries)),
            )
        self._rows = len(program.rows)

    def _unscaled(self, row: int) -> dict[int, float]:
        scales = self._program.scales
        return {column: _float(value) * scales[column] for column, value in self._program.rows[row].items()}

    def _scaled(self, row: int) -> dict[int, float]:
        """Return a row for variables of order 1, divided by its largest coefficient."""
        largest = self._largest(row)
        return {column: value / largest for column, value in self._unscaled(row).items()}

    def _right(self, row: int) -> float:
        return _float(self._program.right[row]) / self._largest(row)

    def _largest(self, row: int) -> float:
        return max(map(abs, self._unscaled(row).values()), default=1.0)


def _float(value: flint.fmpq) -> float:
    try:
        return int(value.p) / int(value.q)
    except OverflowError:
        # A proposal for a smaller coefficient is as good as any other: it is solved exactly anyway.
        return _LARGEST if value > 0 else -_LARGEST


def quiet_solver() -> Any:  # noqa: ANN401 - highspy has no types before it is imported, and that is late
    """Return a HiGHS instance that prints nothing and can start from a given vertex."""
    import highspy

    class Quiet(highspy.Highs):
        def __init__(self) -> None:
            # The constructor of the class between prints a banner before anything can be turned off.
            super(highspy.Highs, self).__init__()
            self.setOptionValue("output_flag", False)

        def run(self) -> Any:  # noqa: ANN401 - a status of highspy
            status = super().run()
            if status == highspy.HighsStatus.kError:
                # The first solve in a process fixes the number of threads for all later ones.
                self.setOptionValue("threads", 0)
                status = super().run()
            return status

    highs = Quiet()
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("presolve", "off")
    highs.setOptionValue("solver", "simplex")
    highs.setOptionValue("primal_feasibility_tolerance", 1e-10)
    highs.setOptionValue("dual_feasibility_tolerance", 1e-10)
    highs.setOptionValue("small_matrix_value", 1e-12)
    return highs
