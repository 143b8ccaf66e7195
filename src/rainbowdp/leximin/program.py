# SPDX-License-Identifier: Apache-2.0
"""Linear programs with exact coefficients, and vertices of them that HiGHS proposes in floating point.

Variables are at least 0, rows say ``a x <= b`` or ``a x = b``, all numbers are rational. Programs are kept
sparse and may grow. Every variable and every row's slack is an *entity* with a number: variable j is j, and
the slack of row i is ``~i`` (below 0), so that a vertex can be described by which entities are 0.

A proposal says which entities HiGHS believes to be 0 at an optimum. It is not trusted: the caller solves that
vertex exactly. Variables are passed on in units of their expected size, because what is far below the
solver's tolerance would otherwise be noise. The solver starts from the caller's vertex.
"""

from collections.abc import Mapping
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

Sparse = dict[int, flint.fmpq]
"""A sparse vector: index to nonzero entry."""


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

    __slots__ = ("columns", "equalities", "floats", "right", "rows", "scales")

    def __init__(self) -> None:
        self.rows: list[Sparse] = []
        self.right: list[flint.fmpq] = []
        self.equalities: set[int] = set()
        self.columns: list[Sparse] = []
        self.scales: list[float] = []
        self.floats: list[tuple[NDArray[np.int32], NDArray[np.float64], float]] = []
        """Columns, coefficients and right side of each row for variables of order 1, the largest being 1."""

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
        self.floats.append(self._scaled(row))
        return row

    def exchange(self, row: int, old: int, new: int) -> None:
        """Replace a variable of a row by another one, with the same coefficient."""
        value = self.rows[row].pop(old)
        del self.columns[old][row]
        self.rows[row][new] = self.columns[new][row] = value
        self.floats[row] = self._scaled(row)

    def _scaled(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
        entries = {column: _float(value) * self.scales[column] for column, value in self.rows[row].items()}
        largest = max(map(abs, entries.values()), default=1.0)
        values = np.array(list(entries.values()), dtype=np.float64) / largest
        return np.array(list(entries), dtype=np.int32), values, _float(self.right[row]) / largest

    def column(self, entity: int) -> Sparse:
        """Return the column of a variable, or of a row's slack."""
        return self.columns[entity] if entity >= 0 else {~entity: flint.fmpq(1)}


_LARGEST = 1e100

Proposal = tuple[set[int], set[int]]
"""Variables that may be other than 0, and rows that hold with equality."""


def propose(
    program: Program, objective: Mapping[int, flint.fmpq], fixed: set[int], basic: set[int], active: set[int]
) -> Proposal | None:
    """Return the vertex where HiGHS stops; None if it finds none.

    Parameters
    ----------
    program : Program
        The variables and rows.
    objective : mapping of int to fmpq
        To be maximized.
    fixed : set of int
        Entities held at 0.
    basic, active : set of int
        The vertex to start from.
    """
    import highspy

    columns, rows = len(program.columns), len(program.rows)
    places, values, right = zip(*program.floats, strict=True)
    costs, most, least = np.zeros(columns), np.full(columns, np.inf), np.full(rows, -np.inf)
    for column, value in objective.items():
        costs[column] = -_float(value) * program.scales[column]
    for entity in fixed:
        if entity >= 0:
            most[entity] = 0.0
        else:
            least[~entity] = right[~entity]
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = columns, rows
    model.col_cost_, model.col_lower_, model.col_upper_ = costs, np.zeros(columns), most
    model.row_lower_, model.row_upper_ = least, np.array(right)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.cumsum([0, *map(len, places)], dtype=np.int32)
    model.a_matrix_.index_, model.a_matrix_.value_ = np.concatenate(places), np.concatenate(values)
    status, basis, highs = highspy.HighsBasisStatus, highspy.HighsBasis(), quiet_solver()
    basis.col_status = [status.kBasic if c in basic else status.kLower for c in range(columns)]
    basis.row_status = [status.kUpper if r in active else status.kBasic for r in range(rows)]
    basis.valid = True
    highs.passModel(model)
    highs.setBasis(basis)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found = highs.getBasis()
    return (
        {c for c, state in enumerate(found.col_status) if state == status.kBasic},
        {r for r, state in enumerate(found.row_status) if state != status.kBasic},
    )


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
