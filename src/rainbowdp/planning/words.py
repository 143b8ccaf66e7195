# SPDX-License-Identifier: Apache-2.0
"""Write leads and chances in words: what a lead counts in each question, and chances such as 98 of 100.

A chance below 1 is never written as 100 of 100.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Literal

from rainbowdp.exact.enclosure import Value, rounded, told
from rainbowdp.goals import Asked
from rainbowdp.goals.question_line import levels_of_count
from rainbowdp.ledger.cost import parameters_of
from rainbowdp.privacy import Privacy
from rainbowdp.questions import Question, Ranking, Scores, Winner, YesNo
from rainbowdp.questions.kinds import is_known

PlanCase = Literal["one-close", "all-close", "yes", "no", "mean"]
"""``one-close``: one other answer is at the lead, the others are infinitely far. ``all-close``: all others
are at the lead. For three levels of a count and more: in the lowest and the highest level, and in the level
of the question that is wrong most often at the lead. ``yes``, ``no``: the true answer. ``mean``: the mean
of these two."""

_CASES: dict[PlanCase, tuple[str, str]] = {
    "one-close": ("one close", "with one other {answer} close"),
    "all-close": ("all close", "with all other {answer}s close"),
    "yes": ("yes", "where the true answer is yes"),
    "no": ("no", "where the true answer is no"),
    "mean": ("mean", "in the mean of yes and no"),
}
"""The head of a column, and the words of a sentence, by case."""

_OF_LEVELS: dict[PlanCase, tuple[str, str]] = {
    "one-close": ("end levels", "in the lowest and the highest level"),
    "all-close": ("narrowest", "in the narrowest level with such a lead"),
}
_MOST_NINES = 9
_WIDE = Context(prec=60)
_WANTED = (90, 95, 99)
_WHOLE, _TENTH = Decimal(1), Decimal("0.1")


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
    return _said(question)[case][0]


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
    of_options = isinstance(asked.question, Winner | Scores | Ranking)
    return _said(asked.question)[case][1].format(answer="option" if of_options else "answer")


def _said(question: Question) -> dict[PlanCase, tuple[str, str]]:
    return _CASES if levels_of_count(question) is None else _CASES | _OF_LEVELS


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
    """Return how many answers are possible; a guess that ignores the data takes one of them.

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
    """Return the cases of a lead; ``all-close`` alone if the question has only one case.

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
        A format text with the fields ``amount``, ``has`` (the verb: has or have) and ``chance``.
    alone : str
        The same where one other answer alone is at the lead; empty where no plan says that.
    rows : int
        How many rows one person has at most.
    unit : str
        What an amount counts, in the plural: people, or times the sensitivity.
    """

    means: str
    sentence: str
    alone: str = ""
    rows: int = 1
    unit: Literal["people", "times the sensitivity"] = "people"

    def amount(self, lead: int, share: Fraction | None = None) -> str:
        """Return a lead in words.

        Examples
        --------
        >>> LeadWords("", "").amount(30, Fraction(3, 100))
        '30 people (3 % of all)'
        >>> LeadWords("", "", rows=4).amount(1)
        '4 rows (1 person with 4 rows)'
        >>> LeadWords("", "", rows=4).amount(2)
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
    question, rows, people = asked.question, asked.max_rows, _people(asked.max_rows)
    if not is_known(question):
        return _changes(asked, ", by the distance that the question states")
    if isinstance(question, Scores):
        return LeadWords(
            "by how many times the sensitivity the best score is ahead of the next",
            "an option whose score is ahead of all others by {amount} is named in {chance}",
            unit="times the sensitivity",
        )
    if names_one(asked):
        others = "the other" if answer_count(asked) == 2 else "all others"
        means = f"by how many {people} the most frequent option is ahead of the next"
        said = f"an option that is {{amount}} ahead of {others} is named in {{chance}}"
        return LeadWords(means, said, rows=rows)
    if isinstance(question, Ranking):
        return _ranked(question, people, rows)
    return _changes(asked, "")


def _changes(asked: Asked, how: str) -> LeadWords:
    moved = "change" if asked.changed else "join or leave"
    return LeadWords(
        f"how many {_people(asked.max_rows)} at least have to {moved} before the true answer changes{how}",
        f"the answer is right in {{chance}} where {{amount}} {{has}} to {moved} before the truth changes",
    )


def _people(rows: int) -> str:
    return "people" if rows == 1 else f"people, of {rows} rows each,"


def _ranked(question: Ranking, people: str, rows: int) -> LeadWords:
    if question.top is None:
        return LeadWords(
            f"by how many {people} each option is ahead of the one that follows, where that is least",
            "an order in which each option is {amount} ahead of the one that follows is named in {chance}",
            "an order in which one option is {amount} ahead of the one that follows, and all others are far "
            "apart, is named in {chance}",
            rows,
        )
    first = f"the first {question.length} options"
    if question.as_set:
        return LeadWords(
            f"by how many {people} the last of {first} is ahead of the option that follows",
            f"{first}, each {{amount}} ahead of all others, are named in {{chance}}",
            f"{first}, the last of them {{amount}} ahead of the option that follows and all others far "
            "apart, are named in {chance}",
            rows,
        )
    return LeadWords(
        f"by how many {people} each of {first} is ahead of the one that follows, where that is least",
        f"{first}, each {{amount}} ahead of the one that follows, are named in their order in {{chance}}",
        f"{first}, the last of them {{amount}} ahead of the one that follows and all others far apart, are "
        "named in their order in {chance}",
        rows,
    )


def percent(share: Fraction) -> str:
    """Return a share as a percentage of at most three digits after the point.

    Examples
    --------
    >>> percent(Fraction(3, 100)), percent(Fraction(1, 3))
    ('3 %', '33.333 %')
    """
    return f"{float(100 * share):.3f}".rstrip("0").rstrip(".") + " %"


def wrong_float(wrong: Value) -> float:
    """Return the float closest to the probability of a wrong answer, from 0 to 1 for any enclosure."""
    return min(max(rounded(wrong), 0.0), 1.0)


def right_float(wrong: Value) -> float:
    """Return the float closest to the probability of a right answer, given that of a wrong one."""
    return min(max(rounded(1 - wrong), 0.0), 1.0)


def cell(wrong: Value) -> str:
    """Return the chance of a right answer for a table, of 100 cases, given that of a wrong one.

    Examples
    --------
    >>> [cell(Fraction(wrong)) for wrong in ("1/3", "0.0004", "1e-6", "0.99999", "0", "1e-30")]
    ['66.7', '>99.9', '>99.9999', '<0.001', '100', '>99.9999999']
    """
    plain = _certain(wrong) or _near_an_end(wrong_float(wrong), ">", "<")
    return f"{_hundred(wrong):.1f}" if plain is None else plain


def of_100(wrong: Value) -> str:
    """Return the chance of a right answer for a sentence, given that of a wrong one.

    Whole numbers from 1 to 99, tenths beyond. A chance just below 90, 95 or 99 has tenths, too, so that it is
    not rounded up to that number.

    Examples
    --------
    >>> [of_100(Fraction(wrong)) for wrong in ("1/3", "0.0101", "0.0004", "0.99991", "0")]
    ['67 of 100', '98.9 of 100', 'more than 99.9 of 100', 'fewer than 0.01 of 100', '100 of 100']
    """
    plain = _certain(wrong) or _near_an_end(wrong_float(wrong), "more than ", "fewer than ")
    if plain is not None:
        return f"{plain} of 100"
    hundred = _hundred(wrong)
    whole = hundred.quantize(_WHOLE, ROUND_HALF_UP)
    if hundred < whole and int(whole) in _WANTED:
        return f"{hundred.quantize(_TENTH, ROUND_FLOOR)} of 100"
    return f"{whole if hundred >= 1 and whole <= 99 else hundred.quantize(_TENTH, ROUND_HALF_UP)} of 100"


def guessed_of_100(guess: float) -> str:
    """Return a bound on how often a guess between two possibilities is right, told apart from 1/2 and 1.

    Examples
    --------
    >>> [guessed_of_100(guess) for guess in (0.7311, 0.5025, 0.5)]
    ['at most about 73 of 100', 'at most about 50.2 of 100', '50 of 100']
    >>> [guessed_of_100(guess) for guess in (0.5000001, 0.99991, 1.0)]
    ['fewer than 50.1 of 100', 'perhaps nearly 100 of 100', 'perhaps nearly 100 of 100']
    """
    if guess == 0.5:
        return "50 of 100"
    if guess < 0.5005:
        return "fewer than 50.1 of 100"
    if guess >= 0.9995:
        return "perhaps nearly 100 of 100"
    hundred = 100 * Decimal(guess)
    near_half = f"{hundred.quantize(_TENTH)} of 100"
    return f"at most about {near_half if hundred < Decimal('51.5') else of_100(1 - Fraction(guess))}"


def _certain(wrong: Value) -> str | None:
    """Return what is certain: 100 or 0."""
    whole = told(wrong)
    if isinstance(whole, Fraction) and whole in {0, 1}:
        return "0" if whole else "100"
    return None


def _near_an_end(wrong: float, more: str, fewer: str) -> str | None:
    """Return a chance near 1 or 0 as a bound such as >99.99 or <0.01; None where tenths show it."""
    right = 1 - wrong
    if wrong < 5.5e-4:
        return f"{more}99.{'9' * (_digits(wrong) - 2)}"
    return f"{fewer}0.{'0' * (_digits(right) - 3)}1" if right < 5.5e-4 else None


def _digits(small: float) -> int:
    """Return the greatest n, from 3 to some number, for which a number is at most 10^-n."""
    return next((n for n in range(_MOST_NINES, 3, -1) if Decimal(small) <= Decimal(10) ** -n), 3)


def _hundred(wrong: Value) -> Decimal:
    right = 1 - (wrong if isinstance(wrong, Fraction) else Fraction(wrong_float(wrong)))
    return _WIDE.divide(Decimal(100 * right.numerator), Decimal(right.denominator))


def sentence(text: str) -> str:
    """Return a text as a sentence.

    Examples
    --------
    >>> sentence("one answer costs epsilon 1")
    'One answer costs epsilon 1.'
    """
    return f"{text[:1].upper()}{text[1:]}."


def privacy_words(privacy: Privacy) -> str:
    """Return a notion of privacy for a sentence.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> privacy_words(ApproxDP("ln 3", "1e-6"))
    'epsilon ln(3) and delta 0.000001'
    """
    return " and ".join(f"{name} {value}" for name, value in parameters_of(privacy).items())
