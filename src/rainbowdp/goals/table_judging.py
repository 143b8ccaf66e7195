# SPDX-License-Identifier: Apache-2.0
"""List all pairs of neighboring tables with few rows, and check that flip keeps its promise on each.

A table is how many options have each count. What one person changes is by how much the counts of some options
rise and of others fall: up to M rows in all in either direction, and in one direction alone where people join
or leave. Options that have the same count before and the same after are alike, so a pair of tables is a list
of `Kin`: the gap to the greatest count before, the gap after, and how many options have both.

**Flip** is decided exactly from its coins alone.
The probability of an option is that of its own coin, p, times the integral over s from 0 to 1 of the product
of 1 - c s over the coins c of all others. That is a polynomial of s, so Gauss's quadrature gives it without
error, and as a sum of positive numbers, whose enclosures stay close for any number of options. Where these do
not decide, coins may do so, and they have an exact test for equality:

Let p' and c' be the coins in the other table, and r >= 1 with c' <= r c for all others. Replacing s by s/r
shows that the integral there is at least 1/r of the one here. So p r <= E p' is enough, which is p <= E p',
and p c' <= E p' c for all others. That covers nearly all equalities, and the many options of which both sides
differ by less than 2^-4096. What is left is decided by the exact form of both probabilities.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import NamedTuple, cast

import flint

from rainbowdp.baselines import taken_first
from rainbowdp.exact import (
    Exponent,
    OddsExpression,
    ball,
    exponent_ball,
    refine,
    sign,
    working_precision,
)
from rainbowdp.exact.values import Base
from rainbowdp.goals.mechanism import Asked, Gap
from rainbowdp.goals.one_option import Flip
from rainbowdp.questions import Scores

MOST_EXACT = 12
"""Up to so many options undecided numbers are compared by their form; of more, 4096 bits have to decide."""

_LAST_BITS = 4096
_SPARE_BITS = 96
_NODES_AT_ONCE, _BITS_AT_ONCE = 100, 1000

Weight = Fraction | OddsExpression

Table = tuple[tuple[Gap, int], ...]
"""The gaps of a table, with how many options have each."""


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


class FlipJudge:
    """Judges pairs of tables with so many options and such gaps.

    Parameters
    ----------
    flip : Flip
        The mechanism.
    options : int
        How many options there are.
    gaps : iterable of int or Fraction
        All gaps of the tables that are judged.
    """

    def __init__(self, flip: Flip, options: int, gaps: Iterable[Gap]) -> None:
        self._options = options
        self._gaps = sorted(set(gaps))
        self._flip = flip
        # `Base` has enclosed numbers, too, but roots of the odds are exact.
        found = cast("tuple[dict[Gap, Weight], Weight]", flip.weights_and_odds(self._gaps))
        self._weights, self._odds = found
        self.bits = _SPARE_BITS + 2 * bits_below_one(flip.charged.epsilon)
        self._kept = _Enclosures(self._weights, self._odds, options, self.bits)
        self._covered: dict[tuple[Gap, Gap, Gap, Gap], bool] = {}

    def strange_coin(self) -> str | None:
        """Return, in words, the first coin that has no probability or is thrown with another one, or None."""
        with working_precision(self.bits):
            for gap, weight in self._weights.items():
                is_thrown = ball(weight).overlaps(self._flip.weight_ball(gap))
                if sign(weight) < 0 or sign(1 - weight) < 0 or not is_thrown:
                    return (
                        f"the coin of options that lack {gap} to the greatest is not the one that is thrown"
                    )
        return None

    def cost(self, pairs: Sequence[TablePair]) -> float:
        """Return about how much work pairs are: 1 for each of few options."""
        new = {_table(pair, at) for pair in pairs for at in (0, 1)}
        return (len(pairs) + self._kept.cost(new)) * (1 + self.bits / _BITS_AT_ONCE)

    def fault(self, pair: TablePair) -> str | None:
        """Return what breaks the promise, in words; None if nothing does."""
        found = self.exceeds(pair)
        if found is None:
            return None
        return f"{shown_pair(pair)}, for an option that lacks {found[0]} and then {found[1]}"

    def exceeds(self, pair: TablePair) -> tuple[Gap, Gap] | None:
        """Return the gaps before and after of options that gain or lose too much; None if none do."""
        turned = tuple(Kin(kin.after, kin.before, kin.options) for kin in pair)
        for at, kin in enumerate(pair):
            if not (self._allows(pair, at) and self._allows(turned, at)):
                return kin.before, kin.after
        return None

    def _allows(self, pair: TablePair, at: int) -> bool:
        """Tell whether an option has before at most E times the chance that it has after."""
        before, after = _table(pair, 0), _table(pair, 1)
        near, far, _ = pair[at]
        bits = self.bits
        found = self._kept.difference(before, near, after, far)
        if not (found > 0 or found < 0) and self._allows_by_coins(pair, at):
            return True
        while not (found > 0 or found < 0) and bits < max(_LAST_BITS, 4 * self.bits):
            bits *= 2
            closer = _Enclosures(self._weights, self._odds, self._options, bits)
            found = closer.difference(before, near, after, far)
        if found > 0 or found < 0 or self._options > MOST_EXACT:
            return bool(found > 0)
        excess = self._odds * self._exact(after, far) - self._exact(before, near)
        return sign(excess) >= 0

    def _allows_by_coins(self, pair: TablePair, at: int) -> bool:
        """Tell whether coins alone show it, see the module's docstring."""
        near, far, options = pair[at]
        others = {(kin.before, kin.after) for place, kin in enumerate(pair) if place != at or options > 1}
        return all(self._is_covered(near, far, *other) for other in {(near, near), *others})

    def _is_covered(self, near: Gap, far: Gap, other: Gap, other_far: Gap) -> bool:
        """Tell whether p c' <= E p' c for the coins p of an option and c of another one."""
        key = near, far, other, other_far
        if key not in self._covered:
            coins = self._weights
            excess = self._odds * coins[far] * coins[other] - coins[near] * coins[other_far]
            self._covered[key] = sign(excess) >= 0
        return self._covered[key]

    def _exact(self, table: Table, gap: Gap) -> Weight:
        others: list[Base] = []
        for each, count in table:
            others += [self._weights[each]] * (count - (each == gap))
        return cast("Weight", taken_first(self._weights[gap], others))


class _Enclosures:
    """The chances of options, enclosed with some number of bits."""

    def __init__(self, weights: Mapping[Gap, Weight], odds: Weight, options: int, bits: int) -> None:
        self._bits = bits
        nodes = options // 2 + options % 2
        with working_precision(bits):
            self._odds = ball(odds)
            self._weights = {gap: ball(weight) for gap, weight in weights.items()}
            roots = [flint.arb.legendre_p_root(nodes, at, weight=True) for at in range(nodes)]
            self._times = [(1 + root) / 2 for root, _ in roots]
            self._shares = [share / 2 for _, share in roots]
        self._refused: dict[tuple[Gap, int], list[flint.arb]] = {}
        self._chances: dict[Table, dict[Gap, flint.arb]] = {}

    def cost(self, tables: Iterable[Table]) -> float:
        """Return about how much work it is to enclose the chances of tables."""
        return (
            sum(len(table) for table in tables if table not in self._chances)
            * len(self._times)
            / _NODES_AT_ONCE
        )

    def difference(self, one: Table, gap: Gap, other: Table, far: Gap) -> flint.arb:
        """Return E times the chance in the other table, less that in the one."""
        with working_precision(self._bits):
            return self._odds * self._of(other)[far] - self._of(one)[gap]

    def _of(self, table: Table) -> dict[Gap, flint.arb]:
        if table not in self._chances:
            self._chances[table] = self._integrated(table)
        return self._chances[table]

    def _integrated(self, table: Table) -> dict[Gap, flint.arb]:
        product = self._shares
        for gap, count in table:
            product = [x * y for x, y in zip(product, self._not_accepted(gap, count), strict=True)]
        return {
            gap: self._weights[gap]
            * sum((x / y for x, y in zip(product, self._not_accepted(gap, 1), strict=True)), flint.arb(0))
            for gap, _ in table
        }

    def _not_accepted(self, gap: Gap, count: int) -> list[flint.arb]:
        """Return how likely so many options with this gap are all refused up to a time, at every node."""
        if (gap, count) not in self._refused:
            weight = self._weights[gap]
            self._refused[gap, count] = [(1 - weight * time) ** count for time in self._times]
        return self._refused[gap, count]


def _table(pair: TablePair, at: int) -> Table:
    found: dict[Gap, int] = {}
    for kin in pair:
        found[kin[at]] = found.get(kin[at], 0) + kin.options
    return tuple(sorted(found.items()))


def bits_below_one(exponent: Exponent) -> int:
    """Return about how many bits an epsilon or mu lies below 1; 0 for greater ones, and for 0.

    Examples
    --------
    >>> from rainbowdp.exact import Log
    >>> bits_below_one(Fraction(1, 1000)), bits_below_one(Log(Fraction(2))), bits_below_one(Fraction(2))
    (9, 0, 0)
    """
    if exponent == 0:
        return 0

    def attempt(_: int) -> int | None:
        value = exponent_ball(exponent)
        if value.contains(0):
            return None
        mantissa, power = value.mid().man_exp()
        return max(0, -int(power) - int(mantissa).bit_length())

    return refine(attempt, 64, None)
