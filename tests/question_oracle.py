# SPDX-License-Identifier: Apache-2.0
"""Questions answered without formulas: true answers by their definition, distances by walking among tables.

A table is a histogram. Answers are numbers: of the option, the order, the level, the bracket.
"""

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

Table = tuple[int, ...]
Define = Callable[[Table], Hashable]
Place = TypeVar("Place", bound=Hashable)


@lru_cache(maxsize=64)
def histograms(kinds: int, most: int) -> tuple[Table, ...]:
    """Return every table of at most so many rows."""
    return tuple(row for row in itertools.product(range(most + 1), repeat=kinds) if sum(row) <= most)


@lru_cache(maxsize=2**16)
def neighbors_of(table: Table, relation: str) -> tuple[Table, ...]:
    """Return every table that differs by one row."""
    return tuple(_moved(table, relation))


def _moved(table: Table, relation: str) -> Iterator[Table]:
    for at, count in enumerate(table):
        if relation == "add-remove":
            yield (*table[:at], count + 1, *table[at + 1 :])
            if count:
                yield (*table[:at], count - 1, *table[at + 1 :])
        elif count:
            for to in set(range(len(table))) - {at}:
                moved = list(table)
                moved[at] -= 1
                moved[to] += 1
                yield tuple(moved)


def walked(answer: Mapping[Place, Hashable], near: Callable[[Place], Iterable[Place]]) -> dict[Place, int]:
    """Return the distance of each place to the boundary of its region, where it can be reached."""
    around = {place: [to for to in near(place) if to in answer] for place in answer}
    frontier = {place for place in answer if any(answer[to] != answer[place] for to in around[place])}
    found: dict[Place, int] = {}
    steps = 0
    while frontier:
        found.update(dict.fromkeys(frontier, steps))
        frontier = {to for place in frontier for to in around[place]} - found.keys()
        steps += 1
    return found


def touching(
    tables: Iterable[Table], answer: Mapping[Table, Hashable], relation: str, rows: int
) -> set[frozenset[Hashable]]:
    """Return the pairs of answers that tables have which differ in at most so many rows."""
    inside = set(tables)
    found: set[frozenset[Hashable]] = set()
    for table in inside:
        reached = frontier = {table}
        for _ in range(rows):
            frontier = {
                to for one in frontier for to in neighbors_of(one, relation) if to in inside
            } - reached
            reached = reached | frontier
        found.update(frozenset((answer[table], answer[to])) for to in reached if answer[to] != answer[table])
    return found


def winner_of(table: Table) -> int:
    """Return the first option that nobody beats."""
    return next(at for at, count in enumerate(table) if all(count >= other for other in table))


def order_of(table: Table) -> tuple[int, ...]:
    """Return the options by taking the winner again and again."""
    left, order = dict(enumerate(table)), list[int]()
    while left:
        best = next(at for at in sorted(left) if all(left[at] >= other for other in left.values()))
        order.append(best)
        del left[best]
    return tuple(order)


def count_level(edges: Sequence[int]) -> Define:
    """Return what says how many edges the number of matching rows reaches; the first kind matches."""
    return lambda table: sum(table[0] >= edge for edge in edges)


def share_level(edges: Sequence[Fraction]) -> Define:
    """Return the same for the share of matching rows; no rows reach everything."""

    def level(table: Table) -> int:
        if sum(table) == 0:
            return len(edges)
        return sum(Fraction(table[0], sum(table)) >= edge for edge in edges)

    return level


def bracket_of(quantile: Fraction) -> Define:
    """Return what says in which bracket the quantile of all rows, written one by one, lies."""

    def bracket(table: Table) -> int:
        rows = [at for at, count in enumerate(table) for _ in range(count)]
        return next(at for at in range(len(table)) if sum(row <= at for row in rows) >= quantile * len(rows))

    return bracket
