# SPDX-License-Identifier: Apache-2.0
"""Which rivals a question has, and with what accounting they are private under the same neighbors.

A rival is compared at its best: with the scores and the sensitivity that suit it most.

- Options (winner, scores): the scores are the counts. Under add-remove they are monotone, under
  change-one one count falls while another rises, so epsilon counts for half.
- Two answers on both sides of a line: the score of one answer is the count (share, sum), that of the
  other one the line. One score moves alone, so nothing is halved under either relation.
- Three levels or brackets and more: the score is minus the number of people it takes to make an answer
  right (the inverse sensitivity mechanism of Asi and Duchi, 2020). Going up raises some scores and lowers
  others: halved.
- The geometric mechanism adds noise to the count, or to the margin q x matching - p x all. Under
  change-one the number of rows is taken as known and the noise goes to the matching ones; that is fair
  only where every row can be read, and to the rival's advantage otherwise.

With M rows per person all sensitivities are M times as large.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from rainbowdp.baselines import (
    Value,
    exponential_wrong,
    geometric_wrong,
    odds_root,
    permute_and_flip_wrong,
)
from rainbowdp.exact import Exponent
from rainbowdp.planning.chances import order
from rainbowdp.planning.leads import LeadRule, heaviest
from rainbowdp.questions import Bracket, Level, Neighbors, Question, Scores, Winner
from rainbowdp.questions.known import is_known

RivalName = Literal["exponential mechanism", "permute-and-flip", "thresholded geometric"]
Case = Literal["all-close", "one-close"]

_WRONG = {
    "exponential mechanism": exponential_wrong,
    "permute-and-flip": permute_and_flip_wrong,
    "thresholded geometric": geometric_wrong,
}


@dataclass(frozen=True)
class Rival:
    """Another mechanism for the same question, in one case.

    Attributes
    ----------
    mechanism : str
        Its name.
    case : {"all-close", "one-close"}
        Whether all other answers are as close as the lead says, or one is and the others are far away.
    close : int
        How many other answers are close.
    parts : int
        The root of the odds in which its weights are powers.
    steps : callable
        Lead to the power of that root.
    """

    mechanism: RivalName
    case: Case
    close: int
    parts: int
    steps: Callable[[int], int] = field(compare=False)

    def wrong(self, epsilon: Exponent, lead: int) -> Value:
        """Return how often it is wrong at a lead, exactly or by enclosures."""
        return _WRONG[self.mechanism](odds_root(epsilon, self.parts), self.steps(lead), self.close)

    def needed(self, epsilon: Exponent, right: Fraction) -> int | None:
        """Return the least lead of at least 1 at which it is right with this probability, or None."""
        allowed = 1 - right

        def enough(lead: int) -> bool:
            # Powers of roots may meet what is allowed exactly: the square root of 3 to the power of 4 is 9.
            return order(self.wrong(epsilon, lead), allowed) <= 0

        if enough(1):
            return 1
        if epsilon == 0 or allowed <= 0:
            return None
        below, above = 1, 2
        while not enough(above):
            below, above = above, 2 * above
        while above - below > 1:
            middle = (below + above) // 2
            below, above = (below, middle) if enough(middle) else (middle, above)
        return above


def rivals_of(
    question: Question, neighbors: Neighbors, rule: LeadRule
) -> tuple[tuple[Rival, ...], tuple[str, ...]]:
    """Return the rivals of a question, and what is to be said about rivals that do not apply.

    Parameters
    ----------
    question : Question
        Any question.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    rule : LeadRule
        What a lead means for it.

    Returns
    -------
    rivals : tuple of Rival
    notes : tuple of str

    Examples
    --------
    >>> from rainbowdp.planning.leads import lead_rule
    >>> from rainbowdp.questions import winner
    >>> question = winner("party", ["A", "B", "C"])
    >>> rivals, _ = rivals_of(question, "change-one", lead_rule(question, "change-one"))
    >>> [(rival.mechanism, rival.case, rival.close, rival.parts) for rival in rivals][:2]
    [('exponential mechanism', 'all-close', 2, 2), ('permute-and-flip', 'all-close', 2, 2)]
    """
    answers = len(question.answers)
    changed = neighbors == "change-one"
    if not is_known(question):
        return (), (_NOT_KNOWN,)
    if isinstance(question, Winner | Scores):
        halved = changed if isinstance(question, Winner) else not question.monotone
        return _selections(answers - 1, 2 if halved else 1, lambda lead: lead), ()
    if not isinstance(question, Level | Bracket):
        return (), (_NOT_RANKING,)
    if answers > 2:

        def changes(lead: int) -> int:
            return 1 + min(rule.least_distance(at, lead) for at in range(answers))

        found = _selections(2, 2, changes)
    else:
        parts, steps = _line(question, rule.max_rows, changed=changed)
        found = _selections(1, parts, steps)
    noisy, note = _geometric(question, rule.max_rows, changed=changed)
    return (*found, *noisy), note


_NOT_RANKING = (
    "No rival is compared: the exponential mechanism and permute-and-flip choose one option, and for whole "
    "orders they would need a score for each order that nobody has agreed on."
)
_NOT_KNOWN = "No rival is compared: rainbowdp does not know which scores would suit this question."
_NOT_SUM = (
    "The thresholded geometric mechanism does not apply: its noise is whole numbers, and a sum need not be."
)
_NOT_BRACKET = "The thresholded geometric mechanism does not apply: a quantile is no count."
_NOT_SHARES = (
    "The thresholded geometric mechanism is not compared: under add-remove no single count says which of "
    "several shares is reached."
)


def _selections(others: int, parts: int, steps: Callable[[int], int]) -> tuple[Rival, ...]:
    """Return the two mechanisms that choose by scores, in one case or in both."""
    cases: list[tuple[Case, int]] = (
        [("all-close", others), ("one-close", 1)] if others > 1 else [("one-close", 1)]
    )
    names: tuple[RivalName, ...] = ("exponential mechanism", "permute-and-flip")
    return tuple(Rival(name, case, close, parts, steps) for case, close in cases for name in names)


def _line(question: Level | Bracket, rows: int, *, changed: bool) -> tuple[int, Callable[[int], int]]:
    """Return the root and the power of it that say how far the score is from the line."""
    share = _only_share(question)
    if share is not None and changed:
        weight = heaviest(share)
        return share.denominator, lambda lead: weight * lead
    if isinstance(question, Level) and question.measure.name == "count":
        # The line stands in the middle between the last count below and the first one above it.
        return 2 * rows, lambda lead: 2 * rows * lead - 1
    return 1, lambda lead: lead


def _only_share(question: Level | Bracket) -> Fraction | None:
    if isinstance(question, Bracket):
        return question.quantile
    return question.edges[0] if question.measure.name == "share" else None


def _geometric(
    question: Level | Bracket, rows: int, *, changed: bool
) -> tuple[tuple[Rival, ...], tuple[str, ...]]:
    """Return the noisy count in one case or in both, or why there is none."""
    if isinstance(question, Bracket):
        return (), (_NOT_BRACKET,)
    measure, several = question.measure.name, len(question.edges) > 1
    if measure == "sum":
        return (), (_NOT_SUM,)
    if measure == "share" and several:
        return (), (_NOT_SHARES,)
    parts, steps = rows, lambda lead: rows * lead
    if measure == "share":
        share = question.edges[0]
        weight, whole = heaviest(share), share.denominator
        if changed:
            parts, steps = rows, lambda lead: -(-weight * rows * lead // whole)
        else:
            parts, steps = weight * rows, lambda lead: weight * rows * lead
    cases: list[tuple[Case, int]] = [("all-close", 2), ("one-close", 1)] if several else [("one-close", 1)]
    return tuple(Rival("thresholded geometric", case, close, parts, steps) for case, close in cases), ()
