# SPDX-License-Identifier: Apache-2.0
"""A question as it is asked of a real table, where a row may also count for nothing.

Cells that cannot be read, nulls, and rows that a filter leaves out count nowhere. So where one row changes,
the number of rows that count can change, too: it is as if a row came or went. Where a person has several
rows, the old ones leave and the new ones join, in any number. A question whose distances or touching regions
depend on that has a method ``counting_nothing``, which returns it in a form that allows for it.

Where people join and leave, a row that counts for nothing is a row that is not there, and nothing changes.
"""

from dataclasses import dataclass
from typing import ClassVar, cast

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described
from rainbowdp.questions.question import Json, Neighbors, Pairs, Question
from rainbowdp.questions.readings import Reading
from rainbowdp.questions.summaries import Location, Summary
from rainbowdp.rainbow import Rainbow


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
