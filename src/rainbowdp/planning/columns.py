# SPDX-License-Identifier: Apache-2.0
"""Compute the columns of a plan: ways to answer a question, each with its chances by lead and case.

Among them are rivals, the exponential mechanism and permute-and-flip, with the accounting that makes each as
private as the plan. Every rival has the scores and the sensitivity that suit it most, and the same leads.

- Options (winner, scores, the first of a ranking): the scores are the counts. Where people join and leave,
  counts move in one direction, so epsilon counts in full; where records change, it counts for half.
- Yes or no: the score of one answer is 0, that of the other one the number of people by which the line is
  passed. One score moves, so epsilon counts in full. A true no of j people has the gap j; a true yes has the
  gap j - 1, since on the line itself the two are equal.
- Three levels or brackets and more: minus the number of people it takes to make an answer right (the inverse
  sensitivity mechanism of Asi and Duchi, 2020). Scores rise while others fall, so epsilon counts for half.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from math import inf, log

import flint

from rainbowdp.baselines import (
    exponential_mechanism,
    exponential_wrong,
    noisy_counts_wrong,
    permute_and_flip_mechanism,
    permute_and_flip_wrong,
)
from rainbowdp.exact import Exponent, NormalExpression, ball, round_ball
from rainbowdp.exact.enclosure import EnclosedNumber, Value, odds_root, order
from rainbowdp.goals import Asked, QuestionMechanism
from rainbowdp.goals.noisy_level import NoisyLevel, ends_near
from rainbowdp.goals.noisy_order import NoisyOrder
from rainbowdp.goals.question_line import levels_of_count
from rainbowdp.planning.words import PlanCase, answer_count, cases_of, names_one
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import Level, Ranking
from rainbowdp.questions.kinds import is_known
from rainbowdp.questions.measures import CountOf

LARGEST_LEAD = 10**100
"""The largest lead of which a plan tells."""

QUOTED = Fraction(39, 40)
"""What rounds to 98 of 100: the lead of the first sentence is a round one with at least this chance."""

_ROUND = (100, 120, 150, 200, 250, 300, 400, 500, 600, 800)
_NO_ORDERS = (
    "the exponential mechanism and permute-and-flip are not compared: they choose by scores, and there are "
    "no accepted ones for whole orders"
)
_NOT_KNOWN = "no other mechanism is compared: it is not known which scores would suit this question"
_NOT_GAUSSIAN = "no other mechanism is compared under mu: they are made for epsilon"

# Rivals choose by scores: how often each is wrong with rivals at one gap, and its chances among any scores.
_RIVALS: dict[str, tuple[Callable[..., Value], Callable[..., Sequence[Value]]]] = {
    "exponential mechanism": (exponential_wrong, exponential_mechanism),
    "permute-and-flip": (permute_and_flip_wrong, permute_and_flip_mechanism),
}
_Formula = Callable[..., Value]
_Formless = EnclosedNumber | NormalExpression  # sums of these have no form

Wrong = Callable[[int, PlanCase], Value | None]
"""Lead and case to the probability of a wrong answer; None where it is not computed."""


def steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50 and so on.

    Examples
    --------
    >>> found = steps()
    >>> [next(found) for _ in range(5)]
    [1, 2, 5, 10, 20]
    """
    unit = 1
    while True:
        yield from (unit, 2 * unit, 5 * unit)
        unit *= 10


class Column:
    """One way to answer a question, in every case of a lead.

    Parameters
    ----------
    name : str
        ``typical``, ``guarantee`` or the name of another mechanism.
    cases : sequence of PlanCase
        What is distinguished.
    wrong : callable
        The probability of a wrong answer; asked for once by lead and case, and never for the case ``mean``.
    grows : bool
        Whether the chance of a right answer comes as close to 1 as is wanted when the lead grows.
    """

    def __init__(self, name: str, cases: Sequence[PlanCase], wrong: Wrong, *, grows: bool) -> None:
        self.name, self.cases = name, tuple(cases)
        self._compute, self._grows = wrong, grows
        self._known: dict[tuple[int, PlanCase], Value | None] = {}

    def wrong(self, lead: int, case: PlanCase) -> Value | None:
        """Return the probability of a wrong answer at a lead, None where it is not computed."""
        place = lead, case
        if place not in self._known:
            found = self._mean(lead) if case == "mean" else self._compute(lead, case)
            self._known[place] = _remembered(found) if isinstance(found, EnclosedNumber) else found
        return self._known[place]

    def _mean(self, lead: int) -> Value | None:
        yes, no = self.wrong(lead, "yes"), self.wrong(lead, "no")
        return None if yes is None or no is None else mean(yes, no)

    def is_computed(self, case: PlanCase) -> bool:
        """Tell whether the chances of a case are computed."""
        return self.wrong(1, case) is not None

    def needed(self, case: PlanCase, right: Fraction) -> int | None:
        """Return the least lead with this probability of a right answer, None where none is enough.

        Compared exactly: at this lead it is reached, at the one before it is not.
        """
        if not self.is_computed(case):
            return None
        if self._enough(1, case, right):
            return 1
        if not self._grows:
            return None
        for above in steps():
            if self._enough(above, case, right):
                break
            if above > LARGEST_LEAD:
                return None
        # What other probabilities needed is known, and most of it close by.
        tried = [lead for lead, other in self._known if other == case]
        above = min(lead for lead in tried if self._enough(lead, case, right))
        return self._between(max(lead for lead in tried if lead < above), above, case, right)

    def _between(self, below: int, above: int, case: PlanCase, right: Fraction) -> int:
        # In every second turn a lead at which the wanted chance would be if wrong answers fell evenly.
        guesses = False
        while above - below > 1:
            middle, guesses = (below + above) // 2, not guesses
            high, low = (_log(self.wrong(lead, case)) for lead in (below, above))
            if guesses and -inf < low < high:
                part = (high - _log(1 - right)) / (high - low)
                middle = min(max(below + round(part * (above - below)), below + 1), above - 1)
            below, above = (below, middle) if self._enough(middle, case, right) else (middle, above)
        return above

    def _enough(self, lead: int, case: PlanCase, right: Fraction) -> bool:
        wrong = self.wrong(lead, case)
        return wrong is not None and order(wrong, 1 - right) <= 0


def _remembered(value: EnclosedNumber) -> EnclosedNumber:
    """Return a number that is enclosed once at each precision."""
    ball_at = cache(lambda _bits: value.evaluate())
    return EnclosedNumber(lambda: ball_at(flint.ctx.prec))


def _log(value: Value | None) -> float:
    number = 0.0 if value is None else round_ball(lambda: ball(value), "nearest")
    return log(number) if number > 0 else -inf


def mean(yes: Value, no: Value) -> Value:
    """Return the mean of two probabilities.

    Examples
    --------
    >>> mean(Fraction(1, 4), Fraction(1, 8))
    Fraction(3, 16)
    """
    if order(yes, no) == 0:
        return yes
    if isinstance(yes, _Formless) or isinstance(no, _Formless):
        return EnclosedNumber(lambda: (ball(yes) + ball(no)) / 2)
    return (yes + no) / 2


def round_up(number: int) -> int:
    """Return the least round number that is not below another one.

    Examples
    --------
    >>> [round_up(number) for number in (1, 7, 11, 13, 26, 81, 1001)]
    [1, 8, 12, 15, 30, 100, 1200]
    """
    unit = 1
    while 800 * unit < 100 * number:
        unit *= 10
    return next(
        step * unit // 100 for step in _ROUND if step * unit >= 100 * number and step * unit % 100 == 0
    )


def hard_case(column: Column, lead: int) -> PlanCase:
    """Return the case in which an answer is wrong most often: all others close, the worse of yes and no."""
    if "yes" in column.cases:
        yes, no = column.wrong(lead, "yes"), column.wrong(lead, "no")
        return "no" if yes is not None and no is not None and order(no, yes) > 0 else "yes"
    return "all-close" if column.is_computed("all-close") else column.cases[0]


def quoted_lead(column: Column) -> int | None:
    """Return the least round lead with which an answer is right in 98 of 100 cases, None if there is none."""
    cases: Sequence[PlanCase] = ("yes", "no") if "yes" in column.cases else (hard_case(column, 1),)
    needed = [column.needed(case, QUOTED) for case in cases]
    return round_up(max(lead or 0 for lead in needed)) if all(needed) else None


def grows(privacy: Privacy) -> bool:
    """Tell whether a notion of privacy lets anything be learned, however large a lead is."""
    if isinstance(privacy, GaussianDP):
        return privacy.mu != 0
    return privacy.epsilon != 0 or privacy.delta > 0


def mechanism_column(name: str, mechanism: QuestionMechanism) -> Column:
    """Return the column of one of the package's own mechanisms."""
    cases, growing = cases_of(mechanism.asked), grows(mechanism.charged)

    def wrong(lead: int, case: PlanCase) -> Value | None:
        assert case != "mean"  # noqa: S101 - made of the other two
        # Where nothing is learned, no option is far away.
        return mechanism.wrong(lead, case if growing or case != "one-close" else "all-close")

    return Column(name, cases, wrong, grows=growing)


def ignoring_column(asked: Asked) -> Column:
    """Return the column of an answer that is drawn at random from all that there are."""
    return Column("ignoring the data", cases_of(asked), _guessed(asked), grows=False)


def _guessed(asked: Asked) -> Wrong:
    missed = 1 - Fraction(1, answer_count(asked))
    return lambda _lead, _case: missed


def noisy_column(asked: Asked, typical: QuestionMechanism) -> Column | None:
    """Return the column of independent geometric noise on counts, None where there is none.

    There is none under mu, where there are no counts, and where the typical mechanism is that noise. The
    greatest noisy counts are named, equal ones in random order; a level is that of the noisy count.
    """
    question = asked.question
    if isinstance(asked.privacy, GaussianDP) or not is_known(question) or isinstance(typical, NoisyLevel):
        return None
    wrong: Wrong
    if names_one(asked):
        wrong = _by_counts(asked, asked.privacy.epsilon, noisy_counts_wrong)
    elif isinstance(question, Ranking):
        wrong = _by_noise(partial(NoisyOrder(asked).wrong, centered=False))
    elif isinstance(question, Level) and isinstance(question.measure, CountOf):
        wrong = _by_noise(NoisyLevel(asked).wrong)
    else:
        return None
    return Column("noisy counts", cases_of(asked), wrong, grows=asked.privacy.epsilon != 0)


def option_steps(asked: Asked) -> tuple[int, int]:
    """Return which root of the odds is the weight of one unit of a lead, and how many units one person is.

    A person moves one count by up to M, and as many of another one where records change. Scores move by the
    sensitivity, in one direction where they are monotone.
    """
    scores = asked.scores
    if scores is not None:
        return (1 if scores.monotone else 2), 1
    return asked.max_rows * (2 if asked.changed else 1), asked.max_rows


def rivals_in(asked: Asked, case: PlanCase) -> int:
    """Return how many other answers are at the lead."""
    count = answer_count(asked)
    if case == "one-close" or count == 2:
        return 1
    return count - 1 if names_one(asked) else 2


def _by_noise(chances: Callable[..., Value | None]) -> Wrong:
    """Return the chances of noise on counts, in which one other answer is close or all are."""
    return lambda lead, case: chances(lead, "one-close" if case == "one-close" else "all-close")


def _by_counts(asked: Asked, epsilon: Exponent, formula: _Formula) -> Wrong:
    """Return the chances of a mechanism that chooses one option by counts or scores."""
    if epsilon == 0:
        return _guessed(asked)
    parts, rows = option_steps(asked)
    root = odds_root(epsilon, parts)
    return lambda lead, case: formula(root, rows * lead, rivals_in(asked, case))


def _by_sides(epsilon: Exponent, formula: _Formula) -> Wrong:
    """Return the chances of a mechanism that chooses yes or no by how far the line is."""
    root = odds_root(epsilon, 1)

    def wrong(lead: int, case: PlanCase) -> Value:
        if case == "all-close":
            return mean(formula(root, lead - 1, 1), formula(root, lead, 1))
        return formula(root, lead if case == "no" else lead - 1, 1)

    return wrong


def _by_distance(asked: Asked, epsilon: Exponent, name: str) -> Wrong:
    """Return the chances of a rival that chooses by how many people make an answer right."""
    root, (formula, choose) = odds_root(epsilon, 2), _RIVALS[name]

    def wrong(lead: int, case: PlanCase) -> Value:
        if levels_of_count(asked.question) is None or case != "all-close":
            return formula(root, lead, rivals_in(asked, case))
        # The narrowest level of a count with the lead, by how far both ends are.
        ends = ends_near(asked, (lead - 1) * asked.max_rows, "all-close")
        gaps = [end // asked.max_rows + 1 for end in ends]
        return 1 - choose([0, *(-gap for gap in gaps)], epsilon)[0]

    return wrong


def rival_columns(asked: Asked) -> tuple[tuple[Column, ...], str]:
    """Return the rivals of a question, and where there are none, why.

    Parameters
    ----------
    asked : Asked
        The question, and how privately it is answered.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import yes_no
    >>> columns, _ = rival_columns(Asked(yes_no("smoker", equals="yes", at_least=9), PureDP("ln 2")))
    >>> [(column.name, str(column.wrong(3, "mean"))) for column in columns]
    [('exponential mechanism', '7/45'), ('permute-and-flip', '3/32')]
    """
    if isinstance(asked.privacy, GaussianDP):
        return (), _NOT_GAUSSIAN
    if not is_known(asked.question):
        return (), _NOT_KNOWN
    if isinstance(asked.question, Ranking) and not names_one(asked):
        return (), _NO_ORDERS
    epsilon, found = asked.privacy.epsilon, []
    for name, (formula, _) in _RIVALS.items():
        if names_one(asked) or epsilon == 0:
            wrong = _by_counts(asked, epsilon, formula)
        elif answer_count(asked) == 2:
            wrong = _by_sides(epsilon, formula)
        else:
            wrong = _by_distance(asked, epsilon, name)
        found.append(Column(name, cases_of(asked), wrong, grows=epsilon != 0))
    return tuple(found), ""
