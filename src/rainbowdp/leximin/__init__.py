# SPDX-License-Identifier: Apache-2.0
"""The boundary that serves the worst-off region best: max-min, by linear programs made exact.

Among all private boundary conditions it is the one whose best-class masses are leximin largest: the smallest
is as large as possible, then the second smallest, and so on. What this leaves open goes to the longer
prefixes, region after region in text order, then to equal shares inside tied classes where they are possible.

It is computed for one connected component of touching regions at a time, objective after objective.
`filling` says what is maximized, and rounds for irrational odds; `gaussian` does the same under Gaussian
privacy. `program` and `simplex` solve linear programs exactly: HiGHS proposes vertices, and a sparse rational
elimination solves them.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from rainbowdp.errors import SolverError
from rainbowdp.exact import OddsExpression
from rainbowdp.leximin.filling import INWARD_NOTE, Component, Progress, Table, fill, fill_inward, silent
from rainbowdp.privacy import GaussianDP, Privacy

LARGEST_PROGRAM = 2_500
"""Largest number of regions times colors in one component; beyond it, minutes become hours."""
LARGEST_GAUSSIAN = 250
"""The same under Gaussian privacy, where cutting planes take their time."""
LARGEST_CONSTRAINTS = 60_000
"""Largest number of touching pairs times colors in one component."""
# e^67 is more than 2^96.
_LARGEST_EPSILON, _LARGEST_ODDS = 67, Fraction(2**96)


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
