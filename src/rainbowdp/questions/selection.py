# SPDX-License-Identifier: Apache-2.0
"""Which option has the most rows, and in which order the options stand."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, cast

import numpy as np

from rainbowdp.errors import QuestionError
from rainbowdp.questions.order_gaps import order_gaps
from rainbowdp.questions.question import (
    Json,
    Neighbors,
    Pairs,
    declared,
    own_answer_first,
    require_column,
    require_relation,
    require_summary,
)
from rainbowdp.questions.readings import OptionReading
from rainbowdp.questions.summaries import Location, OptionCounts, Summary
from rainbowdp.rainbow import Rainbow, quote_color

MOST_RANKED = 5


@dataclass(frozen=True)
class _Counted:
    """A question about how many rows say each option."""

    column: str
    options: tuple[str, ...]
    other: str | None = None
    nulls: str | None = None

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        require_column(self.column)
        options = declared("options", self.options, least=1)
        for name in ("other", "nulls"):
            value = getattr(self, name)
            if value is None:
                continue
            (text,) = declared(f"name for {name}", [value], least=1)
            object.__setattr__(self, name, text)
        if self.other is not None and self.other not in options:
            options = (*options, self.other)
        if self.nulls is not None and self.nulls not in options:
            raise QuestionError(
                f"nulls are to count as {self.nulls!r}, which is no option",
                help="name an option, or leave nulls out to ignore them",
            )
        object.__setattr__(self, "options", declared("options", options))

    @property
    def reading(self) -> OptionReading:
        """How cells are read: as one of the options."""
        return OptionReading(self.column, self.options, self.other, self.nulls)

    def counting_nothing(self) -> Self:
        """Return the question itself: a row that comes or goes moves no lead further than a change."""
        return self

    def describe(self) -> dict[str, Json]:
        """Return everything that defines the question, as JSON."""
        return {
            "kind": self.kind,
            "column": self.column,
            "options": list(self.options),
            "other": self.other,
            "nulls": self.nulls,
        }

    def _counts(self, summary: Summary, neighbors: Neighbors) -> tuple[int, ...]:
        require_relation(neighbors)
        require_summary(summary, OptionCounts)
        counts = cast("OptionCounts", summary).counts
        if len(counts) != len(self.options):
            raise QuestionError("the summary is about other options", help="use the question's own reading")
        return counts


@dataclass(frozen=True)
class Winner(_Counted):
    """Which option do most rows say? Of equals the one declared first; see `winner`.

    The row distance is the least lead over a rival, less one where the rival wins ties; halved and floored
    where one row changes, since a change moves a lead by two.

    Examples
    --------
    >>> question = Winner("party", ("red", "blue", "green"))
    >>> found = question.locate(OptionCounts((40, 60, 10)))
    >>> found.answer, found.distance
    ('blue', 19)
    >>> question.locate(OptionCounts((40, 60, 10)), "change-one").distance
    9
    """

    kind: ClassVar[str] = "winner"

    @property
    def answers(self) -> tuple[str, ...]:
        """The options."""
        return self.options

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order: the answer itself, the rest tied."""
        return own_answer_first(answer, self.options)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the option with the most rows, and the row distance."""
        counts = self._counts(summary, neighbors)
        best = counts.index(max(counts))
        lead = min(counts[best] - count - (at < best) for at, count in enumerate(counts) if at != best)
        return Location(self.options[best], lead // 2 if neighbors == "change-one" else lead)

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:  # noqa: ARG002 - always all
        """Return None: any two options can be first and second, with equal counts."""
        return None

    def answer_json(self, answer: str) -> str:
        """Return the answer itself."""
        return answer


@dataclass(frozen=True)
class Ranking(_Counted):
    """In which order do rows say the options, most first? Of equals the one declared first; see `ranking`.

    The row distance is the least lead between two options that follow each other, as in `Winner`.

    Examples
    --------
    >>> question = Ranking("party", ("red", "blue", "green"))
    >>> found = question.locate(OptionCounts((40, 60, 10)))
    >>> found.answer, found.distance
    ('blue>red>green', 19)
    """

    kind: ClassVar[str] = "ranking"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.options) > MOST_RANKED:
            raise QuestionError(
                f"{len(self.options)} options have too many orders",
                help=f"rank at most {MOST_RANKED} options",
            )

    @cached_property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """Every order of the options by its text."""
        return {">".join(map(quote_color, order)): order for order in itertools.permutations(self.options)}

    @property
    def answers(self) -> tuple[str, ...]:
        """Every order of the options, as text, best first."""
        return tuple(self.orders)

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order: the answer itself, the rest tied."""
        return own_answer_first(answer, self.answers)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the order of the options, and the row distance."""
        counts = self._counts(summary, neighbors)
        order = sorted(range(len(counts)), key=lambda at: (-counts[at], at))
        lead = min(
            counts[first] - counts[second] - (second < first) for first, second in itertools.pairwise(order)
        )
        answer = ">".join(quote_color(self.options[at]) for at in order)
        return Location(answer, lead // 2 if neighbors == "change-one" else lead)

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:
        """Return the orders that neighbors can have.

        Exactly those where rows come and go, and where they change among up to three options; else perhaps
        a few more. `rainbowdp.questions.order_gaps` has the proof.
        """
        require_relation(neighbors)
        near = order_gaps(len(self.options), neighbors) <= max_rows
        answers = self.answers
        pairs = zip(*np.nonzero(np.triu(near, 1)), strict=True)
        return frozenset((answers[first], answers[second]) for first, second in pairs)

    def answer_json(self, answer: str) -> list[str]:
        """Return the order as a list, best first."""
        return list(self.orders[answer])


def winner(
    column: str, options: Iterable[object], *, other: str | None = None, nulls: str | None = None
) -> Winner:
    """Ask which option most rows say: the winner, the mode, the most common value.

    Parameters
    ----------
    column : str
        The column with the answers of people.
    options : iterable of text
        All that can win, in the order that decides between equals; cells that say anything else count
        nowhere.
    other : str, optional
        A further option as which all other cells count.
    nulls : str, optional
        The option as which empty cells count; otherwise they count nowhere.

    Returns
    -------
    Winner

    Raises
    ------
    QuestionError
        If there are fewer than two options, or two are the same.

    Examples
    --------
    >>> winner("party", ["red", "blue"], other="none of these").answers
    ('red', 'blue', 'none of these')
    """
    return Winner(column, _texts(options), other, nulls)


def ranking(
    column: str, options: Iterable[object], *, other: str | None = None, nulls: str | None = None
) -> Ranking:
    """Ask for the order of the options by their number of rows, most first.

    Parameters
    ----------
    column, options, other, nulls
        As for `winner`; at most five options.

    Returns
    -------
    Ranking

    Raises
    ------
    QuestionError
        If there are fewer than two options, more than five, or two are the same.

    Examples
    --------
    >>> ranking("party", ["red", "blue"]).answers
    ('red>blue', 'blue>red')
    """
    return Ranking(column, _texts(options), other, nulls)


def read_selection(description: Mapping[str, Json]) -> Winner | Ranking:
    """Return the question that `describe` described.

    Raises
    ------
    QuestionError
        If something is missing or of a wrong type.
    """
    kind = Ranking if description.get("kind") == "ranking" else Winner
    column, options = description.get("column"), description.get("options")
    other, nulls = description.get("other"), description.get("nulls")
    if not isinstance(column, str) or not isinstance(options, list):
        raise QuestionError("the question has no column or no options", help="describe it as rainbowdp does")
    for value in (other, nulls):
        if value is not None and not isinstance(value, str):
            raise QuestionError(f"{value!r} is no option", help="describe it as rainbowdp does")
    return kind(column, tuple(options), cast("str | None", other), cast("str | None", nulls))


def _texts(options: Iterable[object]) -> tuple[str, ...]:
    return declared("options", options, least=1)
