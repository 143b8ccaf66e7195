# SPDX-License-Identifier: Apache-2.0
"""In which declared bracket does a quantile lie: the median, a quartile, any other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from rainbowdp.errors import QuestionError
from rainbowdp.exact import NumberLike, format_fraction, parse_fraction, show
from rainbowdp.questions.question import (
    Json,
    Neighbors,
    OrderedAnswers,
    Pairs,
    declared,
    fields_of,
    listed,
    require_column,
    require_relation,
    require_summary,
)
from rainbowdp.questions.readings import BracketCounts, BracketReading, Location, Summary
from rainbowdp.questions.thresholds import ascending, checked_labels


@dataclass(frozen=True)
class Bracket(OrderedAnswers):
    """In which bracket does the quantile lie? See `bracket`.

    With quantile p/q it is the lowest bracket up to which q times the rows are at least p times all rows;
    without rows the lowest one. The row distance is the least over the two ends of the bracket.

    Examples
    --------
    >>> question = Bracket("age", (Fraction(18), Fraction(65)), ("young", "middle", "old"))
    >>> found = question.locate(BracketCounts((30, 100, 40)))
    >>> found.answer, found.distance
    ('middle', 90)
    """

    column: str
    edges: tuple[Fraction, ...]
    labels: tuple[str, ...]
    quantile: Fraction = Fraction(1, 2)

    kind: ClassVar[str] = "bracket"

    def __post_init__(self) -> None:
        require_column(self.column)
        edges = ascending(map(parse_fraction, self.edges))
        quantile = parse_fraction(self.quantile)
        if not 0 < quantile <= 1:
            raise QuestionError(
                f"{show(quantile)} is no quantile whose bracket can change",
                help="give a fraction above 0 and at most 1; 1/2 is the median",
            )
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "quantile", quantile)
        object.__setattr__(self, "labels", checked_labels(self.labels, edges))

    @property
    def reading(self) -> BracketReading:
        """How cells are read: as numbers in a bracket."""
        return BracketReading(self.column, self.edges)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the bracket of the quantile, and the row distance to its nearer end."""
        require_relation(neighbors)
        counts = require_summary(summary, BracketCounts).counts
        if len(counts) != len(self.answers):
            raise QuestionError("the summary is about other brackets", help="use the question's own reading")
        p, q = self.quantile.numerator, self.quantile.denominator
        most = q if neighbors == "change-one" else max(p, q - p)
        wanted = p * sum(counts)
        at, upto = 0, counts[0]
        while q * upto < wanted:
            at += 1
            upto += counts[at]
        ends = []
        if at < len(counts) - 1:
            ends.append((q * upto - wanted) // most)
        if at > 0:
            ends.append((wanted - q * (upto - counts[at]) - 1) // most)
        return Location(self.answers[at], min(ends))

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:  # noqa: ARG002 - always all
        """Return None: any two brackets touch, in tables that have all their rows in these two.

        Let q k rows have exactly p k of them in the lower bracket i and the others in j. The quantile lies
        in i, on its upper end: with one row more in j, or one row of i moved to j, it lies in j. For p = q,
        all rows are in i.
        """
        return None

    def counting_nothing(self) -> "Bracket":
        """Return the question itself: a row that comes or goes moves no margin further than a change."""
        return self

    def describe(self) -> dict[str, Json]:
        """Return everything that defines the question, as JSON."""
        return {
            "kind": self.kind,
            "column": self.column,
            "edges": [format_fraction(edge) for edge in self.edges],
            "labels": list(self.labels),
            "quantile": format_fraction(self.quantile),
        }


def bracket(
    column: str,
    *,
    edges: Iterable[NumberLike],
    labels: Iterable[object] | None = None,
    quantile: NumberLike = "1/2",
) -> Bracket:
    """Ask in which bracket the median, or another quantile, lies.

    Parameters
    ----------
    column : str
        A column of numbers.
    edges : iterable of numbers
        Where brackets meet, from the lowest up; an edge belongs to the bracket above it.
    labels : iterable of text, optional
        Names of the brackets, one more than edges; otherwise ``<18``, ``18..<65``, ``>=65``.
    quantile : number or text
        Above 0 and at most 1; 1/2 is the median.

    Returns
    -------
    Bracket

    Raises
    ------
    QuestionError
        If the edges do not ascend or do not fit the labels, or the quantile is out of range.

    Examples
    --------
    >>> bracket("age", edges=[18, 65]).answers
    ('<18', '18..<65', '>=65')
    """
    given = listed("edges", edges)
    read = ascending(map(parse_fraction, given))
    return Bracket(column, read, checked_labels(labels, given), parse_fraction(quantile))


def read_bracket(description: Mapping[str, Json]) -> Bracket:
    """Return the question that `describe` described.

    Raises
    ------
    QuestionError
        If something is missing or of a wrong type.
    """
    column, edges, labels, quantile = fields_of(
        description, column=str, edges=list, labels=list, quantile=str
    )
    return Bracket(column, tuple(edges), declared("labels", labels), quantile)
