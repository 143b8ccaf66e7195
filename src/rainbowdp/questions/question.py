# SPDX-License-Identifier: Apache-2.0
"""What a question is: a value that knows its answers, and for any summary the true answer and its distance.

A question about a table cannot list all tables. It gives the region (the true answer) and the distance by
formula, and says which regions touch. Such a formula is private as soon as (a) neighbors in one region
differ by at most 1 in distance, (b) neighbors in different regions both have distance 0, and (c) no pair of
regions touches that the question does not name. It is optimal where the distance is the true one.
`rainbowdp.questions.check_question` proves all this for small tables.
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any, Literal, Protocol

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described, is_whole, items_of
from rainbowdp.questions.cells import LARGEST_CELL, cell_text
from rainbowdp.questions.readings import Reading
from rainbowdp.questions.summaries import Location, Summary
from rainbowdp.rainbow import Rainbow

Neighbors = Literal["add-remove", "change-one"]
"""What neighboring tables are: one row more or less, or one row changed."""

Json = object
Pairs = frozenset[tuple[str, str]]
"""Pairs of answers, each pair in the order of the answers."""


class Question(Protocol):
    """What `rainbowdp.ask` and `rainbowdp.plan` need of a question; people may write their own.

    A question is frozen and can be hashed. `check_question` proves whether it is private and optimal.
    """

    @property
    def kind(self) -> str:
        """What kind of question it is, for receipts."""

    @property
    def column(self) -> str:
        """The column that is read."""

    @property
    def answers(self) -> tuple[str, ...]:
        """The possible answers, distinct texts, at least two."""

    @property
    def reading(self) -> Reading:
        """What the cells of the column mean."""

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order of tables whose true answer this is; that answer is best."""

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the true answer and the row distance."""

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:
        """Return which regions have neighbors in each other if one person has up to so many rows.

        Under add-remove some of these rows may leave while others join, so many in all. None means that all
        regions have such neighbors. Naming too many pairs is safe, too few is not.
        """

    def describe(self) -> dict[str, Json]:
        """Return everything that defines the question, as JSON in one spelling; numbers are exact text."""

    def answer_json(self, answer: str) -> str | list[str]:
        """Return an answer as JSON writes it."""


def own_answer_first(answer: str, answers: Sequence[str]) -> Rainbow:
    """Return the rainbow that has one answer best and all others tied.

    Examples
    --------
    >>> str(own_answer_first("B", ["A", "B", "C"]))
    'B>A=C'
    """
    return Rainbow(((answer,), tuple(other for other in answers if other != answer)))


def nearest_first(answer: str, answers: Sequence[str]) -> Rainbow:
    """Return the rainbow of ordered answers that has the nearest first, left and right tied.

    Examples
    --------
    >>> str(nearest_first("low", ["low", "medium", "high"])), str(nearest_first("b", ["a", "b", "c"]))
    ('low>medium>high', 'b>a=c')
    """
    at = answers.index(answer)
    around = zip_longest(reversed(answers[:at]), answers[at + 1 :])
    return Rainbow([(answer,), *(tuple(other for other in pair if other is not None) for pair in around)])


def listed(what: str, values: Iterable[object]) -> list[Any]:
    """Return declared values as a list, if they are one; a text is not a list of its letters.

    Raises
    ------
    QuestionError
        If they are not, or are a set: its order, which decides between equals, is another one each time.
    """
    read = None if isinstance(values, set | frozenset) else items_of(values)
    if read is None:
        raise QuestionError(
            f"the {what} are {described(values)}, which is no list",
            help="give a list of them, in their order",
        )
    return read


def declared(what: str, texts: Iterable[object], *, least: int = 2) -> tuple[str, ...]:
    """Return declared options as cells say them: texts without outer blanks.

    Raises
    ------
    QuestionError
        If one is empty or no text, two are the same, or there are too few.

    Examples
    --------
    >>> declared("options", ["red ", True, 1])
    ('red', 'true', '1')
    """
    read: dict[str, None] = {}
    for text in listed(what, texts):
        said = cell_text(text)
        if isinstance(text, str) and len(text.encode(errors="replace")) > LARGEST_CELL:
            raise QuestionError(
                f"a text of {len(text):,} characters stands among the {what}, which no cell can say",
                help=f"give texts of at most {LARGEST_CELL:,} bytes",
            )
        if not isinstance(said, str):
            raise QuestionError(
                f"{text!r} among the {what} is empty or no text", help="give texts that cells say"
            )
        if said in read:
            raise QuestionError(f"{said!r} stands twice among the {what}", help="name each once")
        read[said] = None
    if len(read) < least:
        raise QuestionError(
            f"there are {len(read)} {what}, and a question needs at least {least}",
            help="declare all that may be answered; they are never read from the table",
        )
    return tuple(read)


def require_column(column: object) -> None:
    """Refuse anything but the name of a column.

    Raises
    ------
    QuestionError
        If it is empty or no text.
    """
    if not isinstance(column, str) or not column:
        raise QuestionError(f"{column!r} is no column", help="name the column with the answers of people")


def require_question(question: object) -> None:
    """Refuse what cannot be a question.

    Raises
    ------
    QuestionError
        If it locates nothing.
    """
    if isinstance(question, type) or not callable(getattr(question, "locate", None)):
        raise QuestionError(
            f"{described(question)} is no question", help="make one, with `winner` for example"
        )


def require_relation(neighbors: object) -> None:
    """Refuse anything but the two neighbor relations.

    Raises
    ------
    QuestionError
        If it is another.
    """
    if neighbors not in {"add-remove", "change-one"}:
        raise QuestionError(f"{neighbors!r} is no neighbor relation", help="choose add-remove or change-one")


def require_rows(max_rows: object) -> int:
    """Return a number of rows that one person can have, as an int of Python itself; others are too small.

    Raises
    ------
    QuestionError
        If it is no whole number of at least 1.
    """
    if not is_whole(max_rows) or int(max_rows) < 1:
        raise QuestionError(
            f"{described(max_rows)} is no number of rows", help="give a whole number of at least 1"
        )
    return int(max_rows)


def require_summary(summary: object, kind: type) -> None:
    """Refuse a summary of another question, without a word about what it holds.

    Raises
    ------
    QuestionError
        If it is of another type.
    """
    if not isinstance(summary, kind):
        raise QuestionError(
            f"this question needs {kind.__name__}, not {type(summary).__name__}",
            help="make the summary with the question's own reading",
        )
