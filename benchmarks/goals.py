# SPDX-License-Identifier: Apache-2.0
"""Goals: what was to be reached, what was measured, and whether that is met; nothing fails where it is not.

A goal has one limit and perhaps several measurements, one for each family or size that it speaks of; it is
met where all of them are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

HEAD = ("goal", "limit", "measured", "")
MET, MISSED, UNMEASURED = "met", "**missed**", "not measured"


@dataclass(frozen=True)
class Goal:
    """One goal.

    Parameters
    ----------
    text : str
        What is compared with what.
    limit : float
        What is to be reached.
    measured : mapping of str to float
        Where it was measured, and what came out.
    at_least : bool
        Whether values are to be at least the limit, and not at most.
    unit : str
        Of the limit and the values, such as `` s``; written behind them.

    Examples
    --------
    >>> goal = Goal("twice as fast", 2, {"lattice": 3.14, "random": 1.5}, at_least=True)
    >>> goal.met, goal.cells()
    (False, ['twice as fast', 'at least 2×', '1.5× (random) to 3.1× (lattice)', '**missed**'])
    """

    text: str
    limit: float
    measured: Mapping[str, float]
    at_least: bool = False
    unit: str = "×"

    @property
    def met(self) -> bool | None:
        """Whether every value reaches the limit; None without values."""
        if not self.measured:
            return None
        values = self.measured.values()
        return all(value >= self.limit if self.at_least else value <= self.limit for value in values)

    def cells(self) -> list[str]:
        """Return the row of the goal in a table, the worst value first."""
        met = self.met
        verdict = UNMEASURED if met is None else MET if met else MISSED
        ordered = sorted(self.measured.items(), key=lambda item: item[1], reverse=not self.at_least)
        ends = dict.fromkeys([*ordered[:1], *ordered[-1:]])
        shown = " to ".join(
            f"{number(value)}{self.unit}" + (f" ({where})" if where else "") for where, value in ends
        )
        bound = f"{'at least' if self.at_least else 'at most'} {number(self.limit)}{self.unit}"
        return [self.text, bound, shown or "nothing", verdict]


def number(value: float) -> str:
    """Return a number with two digits or as a whole one.

    Examples
    --------
    >>> [number(value) for value in (0.0012, 0.256, 1.0, 3.14, 42.4, 1234567.0)]
    ['0.0012', '0.26', '1', '3.1', '42', '1,234,567']
    """
    return f"{value:.2g}" if abs(value) < 10 else f"{value:,.0f}"


def goal_rows(goals: Iterable[Goal]) -> list[list[str]]:
    """Return the rows of a table of goals, with the head in front."""
    return [[*HEAD], *(goal.cells() for goal in goals)]


def goal_lines(page: str) -> list[str]:
    r"""Return the rows of all tables of goals in a page, as they stand there, without their heads.

    Examples
    --------
    >>> head = "| goal | limit | measured |  |"
    >>> goal_lines(f"x\n\n{head}\n| --- |\n| a |\n| b |\n\n{head}\n| --- |\n| c |\n\n| d |")
    ['| a |', '| b |', '| c |']
    """
    found: list[str] = []
    place = -1
    for line in page.splitlines():
        if line == f"| {' | '.join(HEAD)} |":
            place = 0
        elif not line.startswith("|"):
            place = -1
        elif place >= 0:
            place += 1
            if place > 1:
                found.append(line)
    return found
