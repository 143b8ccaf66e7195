# SPDX-License-Identifier: Apache-2.0
"""What a lead is for each kind of question, which cases of it a plan shows, and how a sentence names it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rainbowdp.goals import Asked
from rainbowdp.goals.question_line import levels_of_count
from rainbowdp.questions import Question, Ranking, Scores, Winner, YesNo
from rainbowdp.questions.kinds import is_known

PlanCase = Literal["one-close", "all-close", "yes", "no", "mean"]
"""``one-close``: one other answer is at the lead, the others are infinitely far. ``all-close``: all others
are at the lead. For three levels of a count and more: in the lowest and the highest level, and in the level
of the question that is wrong most often at the lead. ``yes``, ``no``: the true answer. ``mean``: the mean
of these two."""

_CASE_WORDS: dict[PlanCase, str] = {
    "one-close": "with one other {answer} close",
    "all-close": "with all other {answer}s close",
    "yes": "where the true answer is yes",
    "no": "where the true answer is no",
    "mean": "in the mean of yes and no",
}
_LEVEL_WORDS: dict[PlanCase, str] = {
    "one-close": "in the lowest and the highest level",
    "all-close": "in the narrowest level with such a lead",
}
_HEADS = {"one-close": "one close", "all-close": "all close", "yes": "yes", "no": "no", "mean": "mean"}
_LEVEL_HEADS = {"one-close": "end levels", "all-close": "narrowest"}


def case_head(question: Question, case: PlanCase) -> str:
    """Return a case as the head of a column.

    Examples
    --------
    >>> from rainbowdp.questions import level, winner
    >>> case_head(winner("party", ["A", "B", "C"]), "all-close")
    'all close'
    >>> case_head(level("smoker", equals="yes", edges=[10, 20]), "all-close")
    'narrowest'
    """
    return (_HEADS if levels_of_count(question) is None else _LEVEL_HEADS)[case]


def case_words(asked: Asked, case: PlanCase) -> str:
    """Return a case in words; the empty text where there is one case only.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> case_words(Asked(winner("party", ["A", "B", "C"]), PureDP(1)), "one-close")
    'with one other option close'
    """
    if len(cases_of(asked)) == 1:
        return ""
    if levels_of_count(asked.question) is not None:
        return _LEVEL_WORDS[case]
    of_options = isinstance(asked.question, Winner | Scores | Ranking)
    return _CASE_WORDS[case].format(answer="option" if of_options else "answer")


def names_one(asked: Asked) -> bool:
    """Tell whether an answer names one option: winner, scores, the first of a ranking, the order of two.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import ranking
    >>> names_one(Asked(ranking("party", ["A", "B", "C"], top=1), PureDP(1)))
    True
    """
    question = asked.question
    if not is_known(question):
        return False
    if isinstance(question, Ranking):
        return question.length == 1 or len(question.options) == 2
    return isinstance(question, Winner | Scores)


def answer_count(asked: Asked) -> int:
    """Return how many answers can come out, of which one that ignores the data takes any.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import ranking
    >>> answer_count(Asked(ranking("party", ["A", "B", "C", "D"], top=2), PureDP(1)))
    12
    """
    question = asked.question
    if isinstance(question, Ranking) and is_known(question):
        count = len(question.options)
        return (math.comb if question.as_set else math.perm)(count, question.length)
    return len(question.answers)


def cases_of(asked: Asked) -> tuple[PlanCase, ...]:
    """Return the cases of a lead. Where there is nothing to distinguish, that is ``all-close`` alone.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner, yes_no
    >>> cases_of(Asked(winner("party", ["A", "B", "C"]), PureDP(1)))
    ('one-close', 'all-close')
    >>> cases_of(Asked(yes_no("smoker", equals="yes", at_least=9), PureDP(1)))
    ('yes', 'no', 'mean')
    """
    question = asked.question
    if is_known(question) and isinstance(question, YesNo):
        return "yes", "no", "mean"
    if not is_known(question) or answer_count(asked) == 2:
        return ("all-close",)
    return "one-close", "all-close"


@dataclass(frozen=True)
class LeadWords:
    """How people speak of a lead in one question.

    Attributes
    ----------
    means : str
        What a lead counts.
    sentence : str
        A sentence about it, with places for an ``amount``, which ``has`` to do something, and a ``chance``.
    alone : str
        The same where one other answer alone is at the lead; empty where no plan says that.
    unit : str
        What an amount counts, in the plural: people, or times the sensitivity.
    rows : int
        How many rows one person has at most.
    """

    means: str
    sentence: str
    unit: Literal["people", "times the sensitivity"]
    rows: int
    alone: str = ""

    def amount(self, lead: int, share: Fraction | None = None) -> str:
        """Return a lead in words.

        Examples
        --------
        >>> LeadWords("", "", "people", 1).amount(30, Fraction(3, 100))
        '30 people (3 % of all)'
        >>> LeadWords("", "", "people", 4).amount(1)
        '4 rows (1 person with 4 rows)'
        >>> LeadWords("", "", "people", 4).amount(2)
        '8 rows (2 people with 4 rows each)'
        """
        unit = "person" if self.unit == "people" and lead == 1 else self.unit
        counted = f"{lead} {unit}"
        if self.rows > 1:
            each = " each" if lead > 1 else ""
            counted = f"{lead * self.rows} rows ({counted} with {self.rows} rows{each})"
        return counted if share is None else f"{counted} ({percent(share)} of all)"

    def say(self, lead: int, chance: str, share: Fraction | None = None, *, alone: bool = False) -> str:
        """Return the sentence about a lead and the chance of a right answer."""
        has = "has" if lead == 1 else "have"
        return (self.alone if alone else self.sentence).format(
            amount=self.amount(lead, share), chance=chance, has=has
        )


def lead_words(asked: Asked) -> LeadWords:
    """Return how people speak of a lead in a question.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> words = lead_words(Asked(winner("party", ["A", "B", "C"]), PureDP(1)))
    >>> words.say(20, "98 of 100 cases")
    'an option that is 20 people ahead of all others is named in 98 of 100 cases'
    """
    question, rows = asked.question, asked.max_rows
    people = "people" if rows == 1 else f"people, of {rows} rows each,"
    if not is_known(question):
        return _changes(asked, ", by the distance that the question states")
    if isinstance(question, Scores):
        return LeadWords(
            "by how many times the sensitivity the best score is ahead of the next",
            "an option whose score is ahead of all others by {amount} is named in {chance}",
            "times the sensitivity",
            1,
        )
    if names_one(asked):
        others = "the other" if answer_count(asked) == 2 else "all others"
        means = f"by how many {people} the most frequent option is ahead of the next"
        return LeadWords(
            means, f"an option that is {{amount}} ahead of {others} is named in {{chance}}", "people", rows
        )
    if isinstance(question, Ranking):
        return _ranked(question, people, rows)
    return _changes(asked, "")


def _changes(asked: Asked, how: str) -> LeadWords:
    moved = "change" if asked.changed else "join or leave"
    rows = asked.max_rows
    people = "people" if rows == 1 else f"people, of {rows} rows each,"
    return LeadWords(
        f"how many {people} at least have to {moved} before the true answer changes{how}",
        f"the answer is right in {{chance}} where {{amount}} {{has}} to {moved} before the truth changes",
        "people",
        1,
    )


def _ranked(question: Ranking, people: str, rows: int) -> LeadWords:
    if question.top is None:
        return LeadWords(
            f"by how many {people} each option is ahead of the one that follows, where that is least",
            "an order in which each option is {amount} ahead of the one that follows is named in {chance}",
            "people",
            rows,
            "an order in which one option is {amount} ahead of the one that follows, and all others are far "
            "apart, is named in {chance}",
        )
    first = f"the first {question.length} options"
    if question.as_set:
        return LeadWords(
            f"by how many {people} the last of {first} is ahead of the option that follows",
            f"{first}, each {{amount}} ahead of all others, are named in {{chance}}",
            "people",
            rows,
            f"{first}, the last of them {{amount}} ahead of the option that follows and all others far "
            "apart, are named in {chance}",
        )
    return LeadWords(
        f"by how many {people} each of {first} is ahead of the one that follows, where that is least",
        f"{first}, each {{amount}} ahead of the one that follows, are named in their order in {{chance}}",
        "people",
        rows,
        f"{first}, the last of them {{amount}} ahead of the one that follows and all others far apart, are "
        "named in their order in {chance}",
    )


def percent(share: Fraction) -> str:
    """Return a share as a percentage of at most three digits after the point.

    Examples
    --------
    >>> percent(Fraction(3, 100)), percent(Fraction(1, 3))
    ('3 %', '33.333 %')
    """
    return f"{float(100 * share):.3f}".rstrip("0").rstrip(".") + " %"
