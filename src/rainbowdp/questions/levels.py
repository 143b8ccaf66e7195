# SPDX-License-Identifier: Apache-2.0
"""Questions whose answers lie between declared edges: levels, yes or no, and the bracket of a quantile."""

import datetime as dt
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self, TypeVar, cast

from rainbowdp.errors import QuestionError
from rainbowdp.exact import Number, format_fraction, parse_fraction, show
from rainbowdp.exact.arguments import items_of
from rainbowdp.questions.cells import Point, point_of, point_shown
from rainbowdp.questions.measures import CountOf, Measure, ShareOf, SumOf, cell_said
from rainbowdp.questions.question import (
    Json,
    Neighbors,
    OrderedAnswers,
    Pairs,
    Types,
    as_list,
    counts_of,
    declared,
    fields_of,
    require_column,
)
from rainbowdp.questions.readings import (
    BracketCounts,
    BracketReading,
    Location,
    OptionCounts,
    OptionReading,
    Reading,
    Summary,
)

NO_YES = ("no", "yes")
Edge = Number | dt.date
"""A number or a date, as it is given."""
P = TypeVar("P", Fraction, Point)


def edge_labels(edges: Sequence[Edge]) -> tuple[str, ...]:
    """Return names for what lies between edges, each of which is called as it is given.

    Examples
    --------
    >>> edge_labels([10, "34.50", Fraction(106, 3)])
    ('<10', '10..<34.50', '34.50..<106/3', '>=106/3')
    """
    texts = [_edge_text(edge) for edge in edges]
    between = (f"{low}..<{high}" for low, high in itertools.pairwise(texts))
    return (f"<{texts[0]}", *between, f">={texts[-1]}")


def _edge_text(edge: Edge) -> str:
    if isinstance(edge, str):
        return edge.strip()
    exact = point_of(edge)
    if not isinstance(exact, Fraction):
        return exact.isoformat()
    shown = format_fraction(exact) if isinstance(edge, int | Fraction) else show(exact)
    # A name has to tell an edge from every other one.
    return format_fraction(exact) if shown.startswith("about") else shown


def ascending(edges: Iterable[P]) -> tuple[P, ...]:
    """Return edges, if there is at least one and each is above the one before; all numbers, or all dates.

    Raises
    ------
    QuestionError
        If not.
    """
    read = tuple(edges)
    if not read:
        raise QuestionError("there are no edges", help="give at least one")
    if len(set(map(type, read))) > 1:
        raise QuestionError("the edges are numbers and dates", help="give numbers alone, or dates alone")
    for low, high in itertools.pairwise(read):
        if not low < high:  # type: ignore[operator]  # both are of one type
            raise QuestionError(
                f"the edge {point_shown(high)} does not lie above {point_shown(low)}",
                help="give the edges from the lowest up, each once",
            )
    return read


def checked_labels(labels: Iterable[object] | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what answers are called: the given labels, or the names that they have without any.

    Raises
    ------
    QuestionError
        If there is not one label for each answer.
    """
    if labels is None:
        return names
    given = declared("labels", labels)
    if len(given) != len(names):
        raise QuestionError(
            f"{len(given)} labels do not fit {len(names)} answers", help=f"give {len(names)} labels"
        )
    return given


def _location(answers: Sequence[str], at: int, rows: Sequence[int]) -> Location:
    """Return one of the answers, and the distance to the nearer end, given the rows over every end.

    The first tables that reach an end are 0 rows over it, and the last ones below it 1 row under it.
    """
    return Location(answers[at], min(max(over, -over - 1) for over in rows[max(at - 1, 0) : at + 1]))


@dataclass(frozen=True)
class Level(OrderedAnswers):
    """Between which declared edges does a count, share or sum lie? See `level` and `yes_no`.

    The row distance is the least over the edges around the level; an edge itself belongs to the level above
    it.

    Examples
    --------
    >>> from rainbowdp.questions import MatchCount
    >>> question = Level("smoker", CountOf("yes"), (Fraction(10), Fraction(20)), ("low", "medium", "high"))
    >>> found = question.locate(MatchCount(matching=13, total=100))
    >>> found.answer, found.distance
    ('medium', 3)
    """

    column: str
    measure: Measure
    edges: tuple[Fraction, ...]
    labels: tuple[str, ...]
    nulls: str | None = None

    kind: ClassVar[str] = "level"
    json_types: ClassVar[Types] = {"column": str, "edges": list, "labels": list, "nulls": str | None}

    def __post_init__(self) -> None:
        require_column(self.column)
        edges = ascending(map(self.measure.edge, self.edges))
        # Labels that are not given are made of the edges as they are given.
        object.__setattr__(self, "labels", checked_labels(self.labels, edge_labels(self.edges)))
        object.__setattr__(self, "edges", edges)
        if self.nulls is not None:
            object.__setattr__(self, "nulls", self.measure.null(self.nulls))

    @classmethod
    def from_description(cls, description: Mapping[str, Json]) -> Self:
        """Return the level or yes-no question that ``describe`` described, with what it measures.

        Raises
        ------
        QuestionError
            If something is missing or of a wrong type.
        """
        given = fields_of(description, **cls.json_types)
        said = fields_of(description, of=str, equals=str | None, clamp=list | None)
        if said["of"] not in {"count", "share", "sum"}:
            raise QuestionError("the question is of no known measure", help="describe it as rainbowdp does")
        return cls(measure=measure_of(said["equals"], said["clamp"], share=said["of"] == "share"), **given)

    @property
    def reading(self) -> Reading:
        """How cells are read."""
        return self.measure.reading(self.column, self.nulls)

    @property
    def tight(self) -> bool:
        """Whether the distance by formula is the true one."""
        return self.measure.tight

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the level, and the row distance to the nearest of its edges."""
        rows = [self.measure.rows_over(summary, edge, neighbors) for edge in self.edges]
        return _location(self.answers, sum(over >= 0 for over in rows), rows)

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:
        """Return the levels between which one person's rows can move a table; None if between all."""
        jumps = self.measure.jumps(self.edges, neighbors, max_rows)
        count = len(self.answers)
        if len(jumps) == count * (count - 1) // 2:
            return None
        return frozenset((self.answers[low], self.answers[high]) for low, high in jumps)

    def counting_nothing(self) -> "Level":
        """Return the question as it is asked of rows that may also count for nothing."""
        return replace(self, measure=self.measure.counting_nothing())


@dataclass(frozen=True)
class YesNo(Level):
    """Is a count, share or sum at least a threshold? See `yes_no`.

    Examples
    --------
    >>> from rainbowdp.questions import MatchCount
    >>> question = YesNo("smoker", ShareOf("yes"), (Fraction(1, 4),))
    >>> found = question.locate(MatchCount(matching=13, total=100))
    >>> found.answer, found.distance
    ('no', 15)
    """

    labels: tuple[str, ...] = NO_YES
    false_yes: Fraction | None = None

    kind: ClassVar[str] = "yes-no"
    json_types: ClassVar[Types] = {**Level.json_types, "false_yes": str | None}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.labels != NO_YES:
            raise QuestionError("the answers are yes and no", help="ask for a level to name the answers")
        if self.false_yes is not None:
            chance = parse_fraction(self.false_yes)
            if not 0 <= chance < 1:
                raise QuestionError(
                    f"a false yes cannot be allowed with probability {show(chance)}",
                    help="give a number of at least 0 and below 1, such as 0.01",
                )
            object.__setattr__(self, "false_yes", chance)


def yes_no(
    column: str,
    *,
    equals: object = None,
    at_least: Number | None = None,
    share: Number | None = None,
    clamp: tuple[Number, Number] | None = None,
    nulls: str | None = None,
    false_yes: Number | None = None,
) -> YesNo:
    """Ask whether enough rows say something, or a sum is large enough: a majority, a quorum, a threshold.

    Parameters
    ----------
    column : str
        The column.
    equals : text, optional
        What a matching cell says; with `at_least` a number of rows, or with `share` a share of all rows
        that say anything.
    at_least : number or text, optional
        The least count or sum for a yes.
    share : number or text, optional
        The least share for a yes, such as ``"1/2"``.
    clamp : pair of numbers, optional
        For sums: each value is moved into this range first. It decides how much one row can count.
    nulls : str, optional
        What an empty cell says; otherwise it counts nowhere.
    false_yes : number or text, optional
        How often the answer is yes where one person more would make it true; less than that further away. A
        lower chance of a false yes means a higher one of a false no. Otherwise both are alike.

    Returns
    -------
    YesNo

    Raises
    ------
    QuestionError
        If the parameters are not those of one of the three, or the answer cannot change.

    Examples
    --------
    >>> yes_no("smoker", equals="yes", at_least=100).measure.name
    'count'
    >>> yes_no("smoker", equals="yes", share="1/2").measure.name
    'share'
    >>> yes_no("income", clamp=(0, 100000), at_least=5000000).measure.name
    'sum'
    """
    measure = measure_of(equals, clamp, share=share is not None)
    if share is not None and at_least is not None:
        raise QuestionError("both a count and a share are given", help="give one of them")
    edge = at_least if share is None else share
    if edge is None:
        raise QuestionError("no threshold is given", help="give the least count or sum, or a share")
    allowed = None if false_yes is None else parse_fraction(false_yes)
    return YesNo(column, measure, (measure.edge(edge),), nulls=nulls, false_yes=allowed)


def level(
    column: str,
    *,
    edges: Iterable[Number],
    labels: Iterable[object] | None = None,
    equals: object = None,
    share: bool = False,
    clamp: tuple[Number, Number] | None = None,
    nulls: str | None = None,
) -> Level:
    """Ask between which edges a count, share or sum lies.

    Parameters
    ----------
    column : str
        The column.
    edges : iterable of numbers
        Where levels meet, from the lowest up; an edge belongs to the level above it.
    labels : iterable of text, optional
        Names of the levels, one more than edges; otherwise ``<10``, ``10..<20``, ``>=20``.
    equals : text, optional
        What a matching cell says, for counts and shares.
    share : bool
        Whether the edges are shares of all rows that say anything.
    clamp : pair of numbers, optional
        For sums: each value is moved into this range first.
    nulls : str, optional
        What an empty cell says; otherwise it counts nowhere.

    Returns
    -------
    Level

    Raises
    ------
    QuestionError
        If the edges do not ascend, cannot be crossed, or do not fit the labels.

    Examples
    --------
    >>> level("smoker", equals="yes", edges=[10, 20]).answers
    ('<10', '10..<20', '>=20')
    """
    measure = measure_of(equals, clamp, share=share)
    return Level(column, measure, tuple(as_list("edges", edges)), cast("tuple[str, ...]", labels), nulls)


def measure_of(equals: object, clamp: tuple[Number, Number] | None, *, share: bool) -> Measure:
    """Return what is compared with edges: a number or share of rows that say something, or a sum.

    Raises
    ------
    QuestionError
        If not exactly one of these is meant.
    """
    if clamp is not None:
        if equals is not None or share:
            raise QuestionError(
                "a sum has no matching text and no share", help="give the range of values alone"
            )
        bounds = items_of(clamp)
        if bounds is None or len(bounds) != 2:
            raise QuestionError(f"{clamp!r} is not a range", help="give the least and the greatest value")
        return SumOf(parse_fraction(bounds[0]), parse_fraction(bounds[1]))
    if equals is None:
        raise QuestionError(
            "neither a matching text nor a range of values is given",
            help="give what a matching cell says, or the range to which values of a sum are moved",
        )
    said = cell_said(equals)
    return ShareOf(said) if share else CountOf(said)


@dataclass(frozen=True)
class Bracket(OrderedAnswers):
    """In which bracket does the quantile lie? See `bracket`.

    With quantile p/q it is the lowest bracket up to which q times the rows are at least p times all rows;
    without rows the lowest one. The row distance is the least over the two ends of the bracket.

    Any two brackets touch, in tables that have all their rows in these two. Let q k rows have exactly p k of
    them in the lower bracket i and the others in j. The quantile lies in i, on its upper end: with one row
    more in j, or one row of i moved to j, it lies in j. For p = q, all rows are in i.

    Examples
    --------
    >>> question = Bracket("age", (Fraction(18), Fraction(65)), ("young", "middle", "old"))
    >>> found = question.locate(BracketCounts((30, 100, 40)))
    >>> found.answer, found.distance
    ('middle', 90)
    """

    column: str
    edges: tuple[Point, ...]
    labels: tuple[str, ...]
    quantile: Fraction = Fraction(1, 2)
    ordered: tuple[str, ...] | None = None

    kind: ClassVar[str] = "bracket"
    json_types: ClassVar[Types] = {
        "column": str,
        "edges": list,
        "labels": list,
        "quantile": str,
        "ordered": list | None,
    }
    added: ClassVar[frozenset[str]] = frozenset({"ordered"})

    def __post_init__(self) -> None:
        require_column(self.column)
        quantile = parse_fraction(self.quantile)
        if not 0 < quantile <= 1:
            raise QuestionError(
                f"{show(quantile)} is not a quantile whose bracket can change",
                help="give a fraction above 0 and at most 1; 1/2 is the median",
            )
        object.__setattr__(self, "quantile", quantile)
        if (self.ordered is None) == (not self.edges):
            how_many = "both edges and" if self.edges else "neither edges nor"
            raise QuestionError(
                f"{how_many} ordered texts are given",
                help="give edges where cells are numbers or dates, ordered texts where they name a bracket",
            )
        if self.ordered is not None:
            object.__setattr__(self, "edges", ())
            object.__setattr__(self, "ordered", declared("ordered texts", self.ordered))
            object.__setattr__(self, "labels", checked_labels(self.labels, self.ordered))
            return
        edges = ascending(map(point_of, self.edges))
        if edges[0] == dt.date.min:
            raise QuestionError(f"no day lies before {dt.date.min}", help="give a later first edge")
        object.__setattr__(self, "labels", checked_labels(self.labels, edge_labels(self.edges)))
        object.__setattr__(self, "edges", edges)

    @property
    def reading(self) -> BracketReading | OptionReading:
        """How cells are read: as numbers or dates in a bracket, or as one of the ordered texts."""
        if self.ordered is not None:
            return OptionReading(self.column, self.ordered)
        return BracketReading(self.column, self.edges)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the bracket of the quantile, and the row distance to its nearer end."""
        kind = BracketCounts if self.ordered is None else OptionCounts
        counts = counts_of(summary, kind, len(self.answers))
        p, q = self.quantile.numerator, self.quantile.denominator
        most = q if neighbors == "change-one" else max(p, q - p)
        wanted = p * sum(counts)
        rows = [(q * upto - wanted) // most for upto in itertools.accumulate(counts[:-1])]
        return _location(self.answers, sum(over < 0 for over in rows), rows)


def bracket(
    column: str,
    *,
    edges: Iterable[Edge] = (),
    ordered: Iterable[object] | None = None,
    labels: Iterable[object] | None = None,
    quantile: Number = "1/2",
) -> Bracket:
    """Ask in which bracket the median, or another quantile, lies.

    Parameters
    ----------
    column : str
        A column of numbers, of dates or of texts that have an order.
    edges : iterable of numbers or of dates
        Where brackets meet, from the lowest up; an edge belongs to the bracket above it. Of a cell that says
        a moment, its day counts.
    ordered : iterable of text
        In place of edges, where cells say a bracket: all these texts, from the lowest up. Cells that say
        anything else count for nothing.
    labels : iterable of text, optional
        Names of the brackets, one more than edges; otherwise ``<18``, ``18..<65``, ``>=65``, or the ordered
        texts.
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
    >>> bracket("born", edges=["1960-01-01", "1980-01-01"]).answers
    ('<1960-01-01', '1960-01-01..<1980-01-01', '>=1980-01-01')
    >>> bracket("age", ordered=["under 30", "30-44", "45 and over"]).answers
    ('under 30', '30-44', '45 and over')
    """
    texts = None if ordered is None else tuple(as_list("ordered texts", ordered))
    given = tuple(as_list("edges", edges)), cast("tuple[str, ...]", labels)
    return Bracket(column, *given, parse_fraction(quantile), texts)
