# SPDX-License-Identifier: Apache-2.0
"""The protocol `Question`, what the package's own questions share, and the checks of their arguments.

A question about a table cannot list all tables. It gives the region (the true answer) and the distance by
formula, and says which regions touch. Such a formula is private as soon as (a) neighbors in one region
differ by at most 1 in distance, (b) neighbors in different regions both have distance 0, and (c) no pair of
regions touches that the question does not name. It is optimal where the distance is the true one.
`rainbowdp.questions.check_question` proves all this for small tables.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import zip_longest
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar, cast, get_args

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described, is_whole, items_of, one_of, whole
from rainbowdp.questions.cells import LARGEST_CELL, cell_text, point_text
from rainbowdp.questions.readings import BracketCounts, Location, OptionCounts, Reading, Summary
from rainbowdp.rainbow import Rainbow

Neighbors = Literal["add-remove", "change-one"]
"""What neighboring tables are: one row more or less, or one row changed."""

Kind = TypeVar("Kind")
Json = object
Types = dict[str, Any]
"""Types, and unions of them, by the names of fields."""
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


@dataclass(frozen=True)
class InTable:
    """A user's question whose distances also hold where a changed row starts or stops counting.

    A changed row is a row that goes and a row that comes, either of which may count for nothing. So half the
    distance for rows that come and go will do, and the regions that two such rows can join.

    Parameters
    ----------
    question : Question
        The question, which answers everything else.
    """

    question: Question

    tight: ClassVar[bool] = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a question has
        if name.startswith("_") or name == "question":
            raise AttributeError(name)
        return getattr(self.question, name)

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


def in_table(question: Question) -> Question:
    """Return a question as it is asked of a table in which some rows may count for nothing.

    Cells that cannot be read, nulls, and rows that a filter leaves out count nowhere. So where one row
    changes, the number of rows that count can change, too: it is as if a row came or went. Where a person
    has several rows, the old ones leave and the new ones join, in any number. A question whose distances or
    touching regions depend on that has a method ``counting_nothing``, which returns it in a form that
    allows for it. Where people join and leave, a row that counts for nothing is a row that is not there,
    and nothing changes.

    Parameters
    ----------
    question : Question
        The question.

    Returns
    -------
    Question
        With the same answers and the same reading: what its ``counting_nothing`` returns, and for a question
        without that method an `InTable`.

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
    return cast("Question", InTable(question) if allow is None else allow())


class FieldsDescribed:
    """What the questions of the package have in common: frozen dataclasses, described by their fields."""

    kind: ClassVar[str]
    added: ClassVar[frozenset[str]] = frozenset()
    """Fields that descriptions leave out where they are None, as those of earlier versions do."""
    json_types: ClassVar[Types]
    """Of which type each field of a description is."""

    @classmethod
    def from_description(cls, description: Mapping[str, Json]) -> Self:
        """Return the question of this kind that ``describe`` described.

        Raises
        ------
        QuestionError
            If something is missing or of a wrong type.
        """
        return cls(**fields_of(description, **cls.json_types))

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:  # noqa: ARG002 - always all
        """Return None, since any two answers have neighbors in each other."""
        return None

    def counting_nothing(self) -> Self:
        """Return the question itself: a row that comes or goes moves no distance further than a change."""
        return self

    def answer_json(self, answer: str) -> str | list[str]:
        """Return the answer itself."""
        return answer

    def describe(self) -> dict[str, Json]:
        """Return everything that defines the question, as JSON."""
        said: dict[str, Json] = {"kind": self.kind}
        for field in fields(cast("Any", self)):
            value = getattr(self, field.name)
            if hasattr(value, "describe"):
                said |= value.describe()
            elif value is None and field.name in self.added:
                continue
            elif value is None or isinstance(value, str | int | Fraction | tuple):
                said[field.name] = _json(value)
        return said


def _json(value: Any) -> Json:  # noqa: ANN401 - a field of any question
    if isinstance(value, tuple):
        return list(map(_json, value))
    return point_text(value) if isinstance(value, Fraction | dt.date) else value


class OrderedAnswers(FieldsDescribed):
    """What questions have in common whose answers are labels in order, from the lowest up."""

    labels: tuple[str, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        """The labels, from the lowest up."""
        return self.labels

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order: the nearest label first, left and right tied."""
        return nearest_first(answer, self.labels)


class OneOption(FieldsDescribed):
    """What questions have in common whose answer is one of their options, the first in an order."""

    options: tuple[str, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        """The options."""
        return self.options

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order: the answer itself, the rest tied."""
        return own_answer_first(answer, self.options)

    def named(self, order: Sequence[int]) -> str:
        """Return the answer that an order of the options gives: its first option."""
        return self.options[order[0]]

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer to this question."""
        return isinstance(answer, str) and answer in self.options


def fields_of(description: Mapping[str, Json], **kinds: Any) -> dict[str, Any]:  # noqa: ANN401 - types, and unions of them
    """Return the named fields of the description of a question, each of its type.

    Raises
    ------
    QuestionError
        If one is missing or of a wrong type.

    Examples
    --------
    >>> fields_of({"column": "vote"}, column=str, nulls=str | None)
    {'column': 'vote', 'nulls': None}
    """
    for name, kind in kinds.items():
        if not isinstance(description.get(name), kind):
            raise QuestionError(
                f"the {name} of the question is missing or of a wrong type",
                help="describe it as rainbowdp does",
            )
    return {name: description.get(name) for name in kinds}


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


def as_list(what: str, values: object) -> list[Any]:
    """Return declared values as a list, if they are one; a text is not a list of its letters.

    Raises
    ------
    QuestionError
        If they are not, or are a mapping, or a set: its order, which decides between equals, is another one
        each time.
    """
    read = None if isinstance(values, set | frozenset | Mapping) else items_of(values)
    if read is None:
        raise QuestionError(
            f"the {what} are {described(values)}, which is not a list",
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
    for text in as_list(what, texts):
        said = cell_text(text)
        if not isinstance(said, str):
            raise QuestionError(
                f"{described(text)} among the {what} is empty or not a text that a cell can hold",
                help=f"give texts of at most {LARGEST_CELL:,} bytes",
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


def require_column(column: object) -> str:
    """Return the name of a column.

    Raises
    ------
    QuestionError
        If it is empty or no text.
    """
    if not isinstance(column, str) or not column:
        raise QuestionError(f"{column!r} is not a column", help="give a text from the header")
    return column


def require_question(question: object) -> None:
    """Refuse what cannot be a question.

    Raises
    ------
    QuestionError
        If it is a class, or has no method `locate`.
    """
    if isinstance(question, type) or not callable(getattr(question, "locate", None)):
        raise QuestionError(
            f"{described(question)} is not a question", help="make one, with `winner` for example"
        )


def require_relation(neighbors: object) -> None:
    """Refuse anything but the two neighbor relations.

    Raises
    ------
    QuestionError
        If it is another.
    """
    one_of("a neighbor relation", neighbors, get_args(Neighbors), QuestionError)


def require_rows(max_rows: object) -> int:
    """Return a number of rows that one person can have, as an int of Python itself; others are too small.

    Raises
    ------
    QuestionError
        If it is not a whole number of at least 1.
    """
    return whole("a number of rows", max_rows, 1, error=QuestionError)


def require_summary(summary: object, kind: type[Kind]) -> Kind:
    """Return a summary if it is one of this question; an error says nothing about what it holds.

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
    return summary


def counts_of(summary: object, kind: type[OptionCounts] | type[BracketCounts], size: int) -> tuple[int, ...]:
    """Return the counts of a summary if it is one of this question; an error says nothing about its content.

    Raises
    ------
    QuestionError
        If it is of another type or about another number of answers, or does not count rows.
    """
    counts = require_summary(summary, kind).counts
    if len(counts) != size:
        raise QuestionError("the summary is about other answers", help="use the question's own reading")
    if not all(is_whole(count) and count >= 0 for count in counts):
        raise QuestionError("the summary does not count rows", help="give whole numbers from 0 on")
    # Whole numbers of numpy begin anew beyond their largest.
    return tuple(map(int, counts))
