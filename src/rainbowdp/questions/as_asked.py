# SPDX-License-Identifier: Apache-2.0
"""A question as it is asked of a real table: rows that count for nothing, written answers, and given cells.

Cells that cannot be read, nulls, and rows that a filter leaves out count nowhere. So where one row changes,
the number of rows that count can change, too: it is as if a row came or went. Where a person has several
rows, the old ones leave and the new ones join, in any number. A question whose distances or touching regions
depend on that has a method ``counting_nothing``, which returns it in a form that allows for it. Where people
join and leave, a row that counts for nothing is a row that is not there, and nothing changes.

An answer must not fail after its charge, so how each answer is written is asked of the question beforehand. A
reading of a user's own is given each distinct text once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, cast

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described, kind_of
from rainbowdp.questions.kinds import is_known
from rainbowdp.questions.question import Json, Neighbors, Pairs, Question
from rainbowdp.questions.readings import (
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
    Tally,
    as_texts,
)
from rainbowdp.questions.selection import Form
from rainbowdp.questions.summaries import Location, Summary
from rainbowdp.rainbow import Rainbow

_READINGS = (OptionReading, MatchReading, SumReading, BracketReading)


@dataclass(frozen=True)
class InTable:
    """A question that says nothing about rows that count for nothing, made safe for them.

    A changed row is a row that goes and a row that comes, either of which may count for nothing. So half the
    distance for rows that come and go will do, and the regions that two such rows can join.

    Parameters
    ----------
    question : Question
        The question.
    """

    question: Question

    tight: ClassVar[bool] = False

    @property
    def kind(self) -> str:
        """The kind of the question."""
        return self.question.kind

    @property
    def column(self) -> str:
        """The column that is read."""
        return self.question.column

    @property
    def answers(self) -> tuple[str, ...]:
        """The possible answers."""
        return self.question.answers

    @property
    def reading(self) -> Reading:
        """What cells mean."""
        return self.question.reading

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order of the question."""
        return self.question.rainbow(answer)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the true answer, and a distance that no change of a row moves by more than 1."""
        found = self.question.locate(summary, "add-remove")
        return found if neighbors == "add-remove" else Location(found.answer, found.distance // 2)

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:
        """Return which regions can touch, counting rows that turn into nothing or out of it."""
        return self.question.touching("add-remove", max_rows * (2 if neighbors == "change-one" else 1))

    def counting_nothing(self) -> "InTable":
        """Return the question itself."""
        return self

    def describe(self) -> dict[str, Json]:
        """Return the description of the question."""
        return self.question.describe()

    def answer_json(self, answer: str) -> str | list[str]:
        """Return an answer as JSON writes it."""
        return self.question.answer_json(answer)


def in_table(question: Question) -> Question:
    """Return a question as it is asked of a table in which some rows may count for nothing.

    Parameters
    ----------
    question : Question
        The question.

    Returns
    -------
    Question
        With the same answers and the same reading: what its ``counting_nothing`` returns, and for a question
        without that method an `InTable`.

    Raises
    ------
    QuestionError
        If ``counting_nothing`` returns no question, or one with other answers.

    Examples
    --------
    >>> from rainbowdp.questions import yes_no
    >>> question = yes_no("age", clamp=(18, 100), at_least=1000)
    >>> summary = question.reading.summary([("100", 20)])
    >>> question.locate(summary, "change-one").distance
    12
    >>> in_table(question).locate(summary, "change-one").distance
    10
    """
    allow = getattr(question, "counting_nothing", None)
    if allow is None:
        return InTable(question)
    allowing = allow()
    if not callable(getattr(allowing, "locate", None)):
        raise QuestionError(
            f"what counting_nothing returns is {described(allowing)}, and no question",
            help="return the question in a form that allows for rows that count for nothing",
        )
    if tuple(allowing.answers) != tuple(question.answers):
        raise QuestionError(
            "what counting_nothing returns has other answers than the question", help="leave them as they are"
        )
    return cast("Question", allowing)


def answer_forms(question: Question) -> Mapping[str, Form]:
    """Return in which form each answer of a question leaves.

    Parameters
    ----------
    question : Question
        The question.

    Returns
    -------
    mapping of str to str or tuple of str
        By answer, in the order of the answers.

    Raises
    ------
    QuestionError
        If an answer is not a text, or ``answer_json`` returns for it anything but a text or a list of texts,
        or what it returns for another one, too.

    Examples
    --------
    >>> from rainbowdp.questions import ranking
    >>> dict(answer_forms(ranking("party", ["red", "blue"])))
    {'red>blue': ('red', 'blue'), 'blue>red': ('blue', 'red')}
    """
    answers: tuple[object, ...] = question.answers
    odd = next((answer for answer in answers if not isinstance(answer, str)), "")
    if odd != "":
        raise QuestionError(f"an answer of the question is {kind_of(odd)}", help="name answers by a str each")
    forms = {answer: _form(question, answer) for answer in question.answers}
    # A ranking that names the first options has one form for several orders.
    if not is_known(question) and len(set(forms.values())) < len(forms):
        raise QuestionError(
            "the question writes two of its answers in the same way", help="let answer_json tell them apart"
        )
    return MappingProxyType(forms)


def _form(question: Question, answer: str) -> Form:
    stated: object = question.answer_json(answer)
    if isinstance(stated, str):
        return stated
    if isinstance(stated, list | tuple) and stated and all(isinstance(text, str) for text in stated):
        return tuple(stated)
    raise QuestionError(
        f"the question writes its answer {answer!r} as {described(stated)}",
        help="let answer_json return a text or a list of texts for each of the answers",
    )


def reading_of(question: Question) -> Reading:
    """Return the reading of a question.

    Raises
    ------
    QuestionError
        If it is not a reading.
    """
    reading: object = question.reading
    column, summary = getattr(reading, "column", None), getattr(reading, "summary", None)
    if not isinstance(column, str) or not callable(summary):
        raise QuestionError(
            f"the reading of the question is {described(reading)}",
            help="give an object with a `column`, which is a str, `place` and `summary`",
        )
    return cast("Reading", reading)


def text_reading(reading: Reading) -> Reading:
    """Return a reading of a user's own so that it is given each distinct text once; others as they are."""
    return reading if type(reading) in _READINGS else _OfTexts(reading.column, reading)


@dataclass(frozen=True)
class _OfTexts:
    """A reading of a user's own, to which all cells are given together, as texts; see `Reading`."""

    column: str
    reading: Reading

    def place(self, cell: object) -> object:
        """Return what one cell counts as."""
        return self.reading.place(cell)

    def summary(self, tally: Tally) -> Summary:
        """Return the summary of cells, all of which are read before the user's own code sees one."""
        return self.reading.summary(as_texts(tally))
