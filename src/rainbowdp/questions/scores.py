# SPDX-License-Identifier: Apache-2.0
"""Which option has the best score: scores of a known sensitivity, computed elsewhere."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar, cast

from rainbowdp.errors import QuestionError, RainbowError
from rainbowdp.exact import Number, format_fraction, parse_fraction
from rainbowdp.exact.arguments import items_of, kind_of
from rainbowdp.questions.question import (
    Neighbors,
    OneOption,
    Types,
    declared,
    require_summary,
)
from rainbowdp.questions.readings import (
    Location,
    Reading,
    ScoreValues,
    Summary,
)


@dataclass(frozen=True)
class Scores(OneOption):
    """Which option has the best score? See `scores`.

    Between neighbors each score moves by at most the sensitivity, and if they are monotone all in one
    direction. So a lead moves by at most twice the sensitivity, or by the sensitivity. Any of the best
    options is a right answer; only for the line of the paper, see `locate`, the one declared first wins
    ties.

    Examples
    --------
    >>> question = Scores(("A", "B"), Fraction(1))
    >>> found = question.locate(question.values([10, "12.5"]))
    >>> found.answer, found.distance
    ('B', 1)
    """

    options: tuple[str, ...]
    sensitivity: Fraction
    monotone: bool = False

    kind: ClassVar[str] = "scores"
    json_types: ClassVar[Types] = {"options": list, "sensitivity": str, "monotone": bool}

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", declared("options", self.options))
        sensitivity = parse_fraction(self.sensitivity)
        if not isinstance(self.monotone, bool):
            raise QuestionError(
                f"{self.monotone!r} is neither true nor false", help="say whether scores are monotone"
            )
        if sensitivity <= 0:
            raise QuestionError(
                f"scores of sensitivity {format_fraction(sensitivity)} cannot change",
                help="give the most by which one person changes a score",
            )
        object.__setattr__(self, "sensitivity", sensitivity)

    @property
    def column(self) -> str:
        """No column: scores are given, not read."""
        return ""

    @property
    def reading(self) -> Reading:
        """Refuse to read a table.

        Raises
        ------
        QuestionError
            Always.
        """
        raise QuestionError(
            "scores are not read from a table", help="compute them, and give them in place of the table"
        )

    def values(self, scores: Iterable[Number]) -> ScoreValues:
        """Return scores, one per option in their order, as the summary of this question.

        Raises
        ------
        QuestionError
            If they are not a list of numbers, or there are more or fewer scores than options.
        """
        listed = items_of(scores)
        if listed is None:
            raise QuestionError(
                f"the scores are {kind_of(scores)}, which is not a list", help="give a list of them"
            )
        if len(listed) != len(self.options):
            raise QuestionError(
                f"{len(listed)} scores do not fit {len(self.options)} options",
                help="give one score per option",
            )
        try:
            return ScoreValues(tuple(map(parse_fraction, listed)))
        except RainbowError:
            raise QuestionError(
                "a score is not an exact number; it is not shown, because scores are private",
                help="give finite numbers, or texts such as 12, 2.5 or 1/3",
            ) from None

    def scores_of(self, summary: Summary) -> tuple[Fraction, ...]:
        """Return the score of each option.

        Raises
        ------
        QuestionError
            If the summary is of another question; the message says nothing of what it holds.
        """
        values = require_summary(summary, ScoreValues).values
        if len(values) != len(self.options):
            raise QuestionError(
                "the summary is about other options", help="make it with the question's `values`"
            )
        return self.values(values).values

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:  # noqa: ARG002 - the sensitivity says it
        """Return the option with the best score, and how many people it takes to change that."""
        values = self.scores_of(summary)
        best, second, *_ = sorted(range(len(values)), key=lambda at: (-values[at], at))
        steps = (values[best] - values[second]) / (
            self.sensitivity if self.monotone else 2 * self.sensitivity
        )
        # A second one that was declared before wins as soon as it is level.
        return Location(self.options[best], ceil(steps) - 1 if second < best else floor(steps))


def scores(options: Iterable[object], *, sensitivity: Number, monotone: bool = False) -> Scores:
    """Ask which option has the best score, for scores that you computed.

    Parameters
    ----------
    options : iterable of text
        The options. Of several best ones, any may be named, with equal chances.
    sensitivity : number or text
        The most by which one person changes a score.
    monotone : bool
        Whether one person changes all scores in one direction, as counts do where people join or leave.

    Returns
    -------
    Scores

    Raises
    ------
    QuestionError
        If there are fewer than two options, two are the same, or the sensitivity is not positive.

    Examples
    --------
    >>> scores(["A", "B"], sensitivity="0.5").answers
    ('A', 'B')
    """
    return Scores(cast("tuple[str, ...]", options), cast("Fraction", sensitivity), monotone)
