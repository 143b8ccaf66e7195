# SPDX-License-Identifier: Apache-2.0
"""How often the optimal mechanism is right at a lead, and which lead is needed: exact, whatever the answer.

The probability depends on the answer, by what the boundary gives to its region and by how ties are
decided. What is promised is the least over the answers; the greatest is told beside it.
"""

from collections.abc import Iterable
from fractions import Fraction

import flint

from rainbowdp.baselines import EnclosedNumber, Value
from rainbowdp.boundary import BoundaryCondition
from rainbowdp.exact import Exact, ball, round_ball, shown_sign, to_float
from rainbowdp.line import Line
from rainbowdp.planning.leads import LeadRule
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Neighbors, Question, QuestionLines

_FRACTION_STEPS = 2048
_ALMOST = 1e-4


class Chances:
    """The probabilities of right and wrong answers of one question under one notion of privacy.

    Parameters
    ----------
    question : Question
        The question.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    rule : LeadRule
        What a lead means.
    boundary : str or BoundaryCondition
        As for `rainbowdp.questions.question_boundary`.
    """

    def __init__(
        self,
        question: Question,
        privacy: Privacy,
        neighbors: Neighbors,
        rule: LeadRule,
        boundary: str | BoundaryCondition,
    ) -> None:
        self._rule = rule
        lines = QuestionLines(question, privacy, neighbors, rule.max_rows, boundary)
        self._lines, self.notes = lines.different, lines.notes

    def wrong(self, lead: int) -> Exact:
        """Return the probability of a wrong answer at a lead, for the answer that is right least often."""
        rule = self._rule
        return greatest(
            self._wrong(line, min(rule.least_distance(at, lead) for at in answers))
            for line, answers in self._lines
        )

    def wrong_at_best(self, lead: int) -> Exact:
        """Return the probability of a wrong answer at a lead, for the answer that is right most often."""
        rule = self._rule
        return least(
            self._wrong(line, max(rule.greatest_distance(at, lead) for at in answers))
            for line, answers in self._lines
        )

    def needed(self, right: Fraction) -> int | None:
        """Return the least lead at which every answer is right with this probability, or None."""
        leads = []
        for line, answers in self._lines:
            distance = line.distance_for(right)
            if distance is None:
                return None
            leads.append(max(self._rule.lead_for(at, distance) for at in answers))
        return max(leads)

    def _wrong(self, line: Line, distance: int) -> Exact:
        return 1 - line.prefix_masses(distance, symbolic=distance > _FRACTION_STEPS)[0]


def greatest(values: Iterable[Exact]) -> Exact:
    """Return the greatest of some numbers; where 4096 bits do not tell, either."""
    found, *others = values
    for value in others:
        if order(value, found) > 0:
            found = value
    return found


def least(values: Iterable[Exact]) -> Exact:
    """Return the least of some numbers; where 4096 bits do not tell, either."""
    found, *others = values
    for value in others:
        if order(value, found) < 0:
            found = value
    return found


def order(x: Value, y: Value) -> int:
    """Compare two numbers: -1, 0 or 1; 0 also where they agree to 4096 bits and have no common form.

    Examples
    --------
    >>> order(Fraction(1, 3), Fraction(1, 2)), order(Fraction(1), Fraction(1))
    (-1, 0)
    """
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return (x > y) - (x < y)
    # A difference of unlike kinds has no form, and of normal numbers no test for zero: enclosures do for all.
    return shown_sign(lambda: _ball(x) - _ball(y)) or 0


def rounded(value: Value) -> float:
    """Return the float closest to a number.

    Examples
    --------
    >>> rounded(Fraction(1, 3))
    0.3333333333333333
    """
    return (
        round_ball(value.evaluate, "nearest")
        if isinstance(value, EnclosedNumber)
        else to_float(value, "nearest")
    )


def shown_right(wrong: Value) -> str:
    """Return the probability of a right answer in few digits, given that of a wrong one.

    Examples
    --------
    >>> shown_right(Fraction(1, 3)), shown_right(Fraction(1, 10**9)), shown_right(Fraction(0))
    ('0.6667', '1 - 1.0e-09', '1.0000')
    """
    value = rounded(wrong)
    return f"{1 - value:.4f}" if value >= _ALMOST or not value else f"1 - {value:.1e}"


def _ball(value: Value) -> flint.arb:
    return value.evaluate() if isinstance(value, EnclosedNumber) else ball(value)
