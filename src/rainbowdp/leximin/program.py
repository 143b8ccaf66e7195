# SPDX-License-Identifier: Apache-2.0
"""Linear programs with exact coefficients, kept sparse and allowed to grow.

Variables are at least 0, rows say ``a x <= b`` or ``a x = b``, all numbers are rational.
Every variable and every row's slack is an *entity* with a number: variable j is j, and the slack of row i is
``~i`` (below 0), so that a vertex can be described by which entities are 0.
"""

from collections.abc import Mapping

import flint

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
