# SPDX-License-Identifier: Apache-2.0
"""All pairs of neighboring tables of few rows, up to the names of the options.

A table is how many options have each count. What one person changes is by how much the counts of some options
rise and of others fall: up to M rows in all in either direction, and in one direction alone where people join
or leave. Options that have the same count before and the same after are alike, so a pair of tables is a list
of `Kin`: the gap to the greatest count before, the gap after, and how many options have both.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import NamedTuple

from rainbowdp.goals.mechanism import Asked, Gap
from rainbowdp.questions import Scores


class Kin(NamedTuple):
    """Options that lack the same to the greatest, before and after."""

    before: Gap
    after: Gap
    options: int


TablePair = tuple[Kin, ...]
"""Two neighboring tables."""


def table_pairs(asked: Asked, options: int, rows: int) -> Iterator[TablePair]:
    """Yield the pairs of neighboring tables of which the one with more rows has so many.

    Parameters
    ----------
    asked : Asked
        The neighbor relation, and how many rows one person has at most.
    options : int
        How many options there are.
    rows : int
        How many rows count in the table that has more.

    Yields
    ------
    tuple of Kin
        Each pair in one order; a pair can come more than once.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> asked = Asked(winner("party", ["red", "blue"]), PureDP(1))
    >>> for pair in table_pairs(asked, 2, 2):
    ...     print(*[tuple(kin) for kin in pair])
    (0, 0, 1) (2, 1, 1)
    (0, 0, 1) (0, 1, 1)
    """
    # The table with more rows comes first, so no more rise than fall.
    fallen = min(asked.max_rows, rows)
    risen = fallen if asked.changed else 0
    for parts in _partitions(rows, rows, options):
        sizes = [(part, parts.count(part)) for part in sorted(set(parts), reverse=True)]
        if len(parts) < options:
            sizes.append((0, options - len(parts)))
        for moved in _moves(sizes, fallen, risen):
            if _net(moved) > 0 or (_net(moved) == 0 and any(before != after for before, after, _ in moved)):
                yield _as_gaps(moved)


def score_pairs(question: Scores) -> Iterator[TablePair]:
    """Yield pairs of neighboring scores on a small grid: of three options, and of all others alike.

    Parameters
    ----------
    question : Scores
        Its sensitivity is the unit of the grid.

    Examples
    --------
    >>> from rainbowdp.questions import scores
    >>> len(list(score_pairs(scores(["A", "B", "C"], sensitivity=1))))
    165
    """
    unit, count = question.sensitivity, len(question.options)
    levels = (Fraction(0), unit, 2 * unit)
    moves = (Fraction(0), unit) if question.monotone else (-unit, Fraction(0), unit)
    kinds = [(level, level + move) for level in levels for move in moves]
    alone = min(count, 3)
    for chosen in combinations_with_replacement(kinds, alone):
        for rest in kinds if count > alone else kinds[:1]:
            listed = [*((before, after, 1) for before, after in chosen), (*rest, count - alone)]
            yield _as_gaps([kin for kin in listed if kin[2]])


def shown_pair(pair: TablePair) -> str:
    """Return a pair in words.

    Examples
    --------
    >>> shown_pair((Kin(0, 1, 1), Kin(1, 0, 2)))
    'options that lack 0, 1 (twice) to the greatest, against 1, 0 (twice)'
    """
    before, after = (", ".join(map(_shown, ((kin[at], kin.options) for kin in pair))) for at in (0, 1))
    return f"options that lack {before} to the greatest, against {after}"


def _shown(gap_and_options: tuple[Gap, int]) -> str:
    gap, options = gap_and_options
    times = {1: "", 2: " (twice)"}.get(options, f" ({options} times)")
    return f"{gap}{times}"


Moved = list[tuple[Gap, Gap, int]]


def _partitions(rows: int, most: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to share rows among at most so many options, greatest first."""
    if rows == 0:
        yield ()
        return
    if parts == 0:
        return
    for first in range(min(rows, most), 0, -1):
        for rest in _partitions(rows - first, first, parts - 1):
            yield (first, *rest)


def _moves(sizes: list[tuple[int, int]], fallen: int, risen: int) -> Iterator[Moved]:
    """Yield all ways in which counts fall and rise by so many rows in all at most."""
    if not sizes:
        yield []
        return
    (count, options), *others = sizes
    for changes, down, up in _changes(count, options, fallen, risen):
        here = [(count, count + change, changes.count(change)) for change in sorted(set(changes))]
        left = options - len(changes)
        kept: Moved = [(count, count, left)] if left else []
        for rest in _moves(others, fallen - down, risen - up):
            yield [*kept, *here, *rest]


def _changes(count: int, options: int, fallen: int, risen: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield how options with one count change: the changes, and by how much they fall and rise in all."""

    def further(last: int, number: int, down: int, up: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
        yield (), 0, 0
        if number == 0:
            return
        for change in range(max(last, -down), up + 1):
            if change == 0 or count + change < 0:
                continue
            lost, won = max(-change, 0), max(change, 0)
            for rest, also_lost, also_won in further(change, number - 1, down - lost, up - won):
                yield (change, *rest), lost + also_lost, won + also_won

    return further(-count, options, fallen, risen)


def _net(moved: Moved) -> Gap:
    """Return how many rows fewer there are after than before."""
    return sum((before - after) * options for before, after, options in moved)


def _as_gaps(moved: Moved) -> TablePair:
    best, best_after = max(before for before, _, _ in moved), max(after for _, after, _ in moved)
    return tuple(sorted(Kin(best - before, best_after - after, options) for before, after, options in moved))
