# SPDX-License-Identifier: Apache-2.0
"""The exponential mechanism and permute-and-flip, with the accounting that makes each as private as the plan.

Every rival has the scores and the sensitivity that suit it most, and is counted by the same leads.

- Options (winner, scores, the first of a ranking): the scores are the counts. Where people join and leave,
  counts move in one direction, so epsilon counts in full; where records change, it counts for half.
- Yes or no: the score of one answer is 0, that of the other one the number of people by which the line is
  passed. One score moves, so epsilon counts in full. A true no of j people has the gap j; a true yes has the
  gap j - 1, since on the line itself the two are equal.
- Three levels or brackets and more: minus the number of people it takes to make an answer right (the inverse
  sensitivity mechanism of Asi and Duchi, 2020). Scores rise while others fall, so epsilon counts for half.
"""

from collections.abc import Callable

from rainbowdp.baselines import (
    Value,
    exponential_mechanism,
    exponential_wrong,
    odds_root,
    permute_and_flip,
    permute_and_flip_wrong,
)
from rainbowdp.exact import Exponent
from rainbowdp.goals import Asked
from rainbowdp.goals.noisy_level import narrowest
from rainbowdp.goals.question_line import levels_of_count
from rainbowdp.planning.columns import Column, mean, option_steps, rivals_in
from rainbowdp.planning.leads import PlanCase, answer_count, cases_of, names_one
from rainbowdp.privacy import GaussianDP
from rainbowdp.questions import Ranking
from rainbowdp.questions.kinds import is_known

EXPONENTIAL, FLIP = "exponential mechanism", "permute-and-flip"

_NO_ORDERS = (
    "the exponential mechanism and permute-and-flip are not compared: they choose by scores, and there are "
    "no accepted ones for whole orders"
)
_NOT_KNOWN = "no other mechanism is compared: it is not known which scores would suit this question"
_NOT_GAUSSIAN = "no other mechanism is compared under mu: they are made for epsilon"

_Formula = Callable[..., Value]


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
    formulas = {EXPONENTIAL: exponential_wrong, FLIP: permute_and_flip_wrong}
    return tuple(
        _column(name, formula, asked, asked.privacy.epsilon) for name, formula in formulas.items()
    ), ""


def _column(name: str, formula: _Formula, asked: Asked, epsilon: Exponent) -> Column:
    if names_one(asked):
        parts, rows = option_steps(asked)
        root = odds_root(epsilon, parts)

        def wrong(lead: int, case: PlanCase) -> Value:
            return formula(root, rows * lead, rivals_in(asked, case if epsilon != 0 else "all-close"))

    elif answer_count(asked) == 2:
        root = odds_root(epsilon, 1)

        def wrong(lead: int, case: PlanCase) -> Value:
            if case == "all-close":
                return mean(formula(root, lead - 1, 1), formula(root, lead, 1))
            return formula(root, lead if case == "no" else lead - 1, 1)

    else:
        root = odds_root(epsilon, 2)

        def wrong(lead: int, case: PlanCase) -> Value:
            if levels_of_count(asked.question) is not None and case == "all-close":
                return _inside(name, asked, epsilon, lead)
            return formula(root, lead, rivals_in(asked, case))

    return Column(name, cases_of(asked), wrong, grows=epsilon != 0)


def _inside(name: str, asked: Asked, epsilon: Exponent, lead: int) -> Value:
    """Return the same for the narrowest level of a count with the lead, by how far both ends are."""
    place = (lead - 1) * asked.max_rows
    width = narrowest(asked, place, "all-close")
    gaps = [lead] if width is None else [lead, (width - 1 - place) // asked.max_rows + 1]
    choose = exponential_mechanism if name == EXPONENTIAL else permute_and_flip
    return 1 - choose([0, *(-gap for gap in gaps)], epsilon)[0]
