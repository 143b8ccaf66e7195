# SPDX-License-Identifier: Apache-2.0
"""What a lead is, for each question, and how far from the boundary a lead puts a table.

People think in leads ("ahead by 40"), the mechanism in distances. A lead of L people means that the
answer leads by what L people can move: L times the most that one person counts. The distance follows by
the question's own formula; where ties are decided by declaration, it is one step shorter for some
answers, so a rule gives for every answer its worst and its best case.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from rainbowdp.exact import format_fraction
from rainbowdp.questions import Bracket, Level, Neighbors, Question, Ranking, Scores, Winner
from rainbowdp.questions.in_table import InTable, in_table
from rainbowdp.questions.known import is_known


@dataclass(frozen=True)
class Edge:
    """How a lead over one neighboring region becomes a distance.

    Attributes
    ----------
    unit : int
        By how much a lead of one row counts.
    step : int
        By how much one changed row can move that.
    tie : int
        1 if an exact tie belongs to the other region, else 0.
    """

    unit: int
    step: int
    tie: int

    def distance(self, lead: int, max_rows: int) -> int:
        """Return the distance in people: the row distance divided by the rows per person, rounded down."""
        return max(self.unit * lead * max_rows - self.tie, 0) // self.step // max_rows

    def lead_for(self, distance: int, max_rows: int) -> int:
        """Return the least lead of at least 1 that has this distance."""
        needed = distance * max_rows * self.step + (self.tie if distance else 0)
        return max(1, -(-needed // (self.unit * max_rows)))


@dataclass(frozen=True)
class LeadRule:
    """What a lead means, and the distance that it gives each answer.

    Attributes
    ----------
    meaning : str
        What the lead counts, in words.
    worst, best : tuple of tuple of Edge
        For every answer the edges that may be the near one, with ties decided against it and for it.
    max_rows : int
        How many rows one person has at most.
    """

    meaning: str
    worst: tuple[tuple[Edge, ...], ...]
    best: tuple[tuple[Edge, ...], ...]
    max_rows: int

    def least_distance(self, answer: int, lead: int) -> int:
        """Return the least distance of tables with this answer and lead, ties decided against it."""
        return min(edge.distance(lead, self.max_rows) for edge in self.worst[answer])

    def greatest_distance(self, answer: int, lead: int) -> int:
        """Return the greatest distance of tables with this answer and lead, ties decided for it."""
        return max(edge.distance(lead, self.max_rows) for edge in self.best[answer])

    def lead_for(self, answer: int, distance: int) -> int:
        """Return the least lead that is sure to give tables with this answer a distance."""
        return max(edge.lead_for(distance, self.max_rows) for edge in self.worst[answer])


def lead_rule(question: Question, neighbors: Neighbors, max_rows: int = 1) -> LeadRule:
    """Return what a lead means for a question.

    Parameters
    ----------
    question : Question
        Any question; one that rainbowdp does not know, or derived from one that it knows, is planned by its
        distance.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    max_rows : int
        How many rows one person has at most.

    Returns
    -------
    LeadRule

    Examples
    --------
    >>> from rainbowdp.questions import winner
    >>> rule = lead_rule(winner("party", ["A", "B"]), "change-one")
    >>> [rule.least_distance(0, lead) for lead in range(1, 8)]
    [0, 1, 1, 2, 2, 3, 3]
    >>> [rule.least_distance(1, lead) for lead in range(1, 8)]
    [0, 0, 1, 1, 2, 2, 3]
    """
    changed = neighbors == "change-one"
    rows = "people" if max_rows == 1 else f"people of {max_rows} rows each"
    known = question if is_known(question) else None
    match known:
        case Winner():
            meaning = f"by how many {rows} the most frequent option is ahead of the one that follows it"
            worst, best = _ranked(len(known.answers), 2 if changed else 1)
        case Scores():
            meaning = "by how many times the sensitivity the best score is ahead of the next one"
            worst, best = _ranked(len(known.answers), 1 if known.monotone else 2)
        case Ranking():
            meaning = f"the least number of {rows} by which an option is ahead of the one that follows it"
            worst, best = _ordered(known, 2 if changed else 1)
        case Bracket():
            meaning = _share_meaning(known.quantile, rows, "in brackets up to an end of the answer's")
            sides = [_share_edge(known.quantile, tie, changed=changed) for tie in (0, 1)]
            worst = best = _between([(sides[1], sides[0])] * (len(known.answers) - 1))
        case Level():
            meaning, pairs = _level(known, rows, changed=changed)
            worst = best = _between(pairs)
        case _:
            # Nothing is known of rows that count for nothing: half the add-remove distance is taken.
            halved = changed and isinstance(in_table(question), InTable)
            moved = "come or go" if halved else "change"
            meaning = (
                f"how many {rows} must {moved} at least before another answer is the true one, by the "
                "distance that the question states"
            )
            worst = best = ((Edge(1, 2 if halved else 1, 1),),) * len(question.answers)
    return LeadRule(meaning, worst, best, max_rows)


Edges = tuple[tuple[Edge, ...], ...]


def _ranked(options: int, step: int) -> tuple[Edges, Edges]:
    """Tell who may have to win a tie against an option declared before: all but the first one."""
    worst = tuple((Edge(1, step, int(at > 0)),) for at in range(options))
    best = tuple((Edge(1, step, int(at == options - 1)),) for at in range(options))
    return worst, best


def _ordered(question: Ranking, step: int) -> tuple[Edges, Edges]:
    worst, best = [], []
    for answer in question.answers:
        listed = question.answer_json(answer)
        places = [question.options.index(option) for option in listed]
        against = [second < first for first, second in pairwise(places)]
        worst.append((Edge(1, step, int(any(against))),))
        best.append((Edge(1, step, int(all(against))),))
    return tuple(worst), tuple(best)


def _level(question: Level, rows: str, *, changed: bool) -> tuple[str, list[tuple[Edge, Edge]]]:
    """Return the meaning of a lead, and for every edge how the levels above and below it are measured."""
    measure, several = question.measure.name, len(question.edges) > 1
    line = "the nearest edge of its level" if several else "the line"
    if measure == "share":
        share = question.edges[0] if not several else None
        pairs = [
            (_share_edge(edge, 0, changed=changed), _share_edge(edge, 1, changed=changed))
            for edge in question.edges
        ]
        return _share_meaning(share, rows, "that match"), pairs
    if measure == "sum":
        meaning = f"how far the sum is from {line}, divided by the most that one of the {rows} can move it"
        return meaning, [(Edge(1, 1, 0), Edge(1, 1, 1))] * len(question.edges)
    meaning = f"how many {rows} at least must join or leave before the count crosses {line}"
    if changed:
        meaning = f"how many {rows} at least must change before the count crosses {line}"
    return meaning, [(Edge(1, 1, 1), Edge(1, 1, 1))] * len(question.edges)


def _between(pairs: list[tuple[Edge, Edge]]) -> Edges:
    """Return the edges of every answer; each pair says how those above and below an edge are measured."""

    def around(at: int) -> Iterator[Edge]:
        if at > 0:
            yield pairs[at - 1][0]
        if at < len(pairs):
            yield pairs[at][1]

    return tuple(tuple(around(at)) for at in range(len(pairs) + 1))


def heaviest(share: Fraction) -> int:
    """Return what the heaviest row counts where q times the matching rows are compared with p times all."""
    return max(share.numerator, share.denominator - share.numerator)


def _share_edge(share: Fraction, tie: int, *, changed: bool) -> Edge:
    weight = heaviest(share)
    return Edge(weight, share.denominator if changed else weight, tie)


def _share_meaning(share: Fraction | None, rows: str, which: str) -> str:
    if share == Fraction(1, 2):
        return f"by how many the {rows} {which} outnumber the others, or are outnumbered by them"
    p, q = ("p", "q") if share is None else (str(share.numerator), str(share.denominator))
    ratio = "p/q" if share is None else format_fraction(share)
    return (
        f"how many {rows} at least must join or leave before the share of those {which} crosses {ratio}: "
        f"{q} x (those {which}) - {p} x (all), without its sign, divided by the greater of {p} and "
        f"{q} - {p}"
    )
