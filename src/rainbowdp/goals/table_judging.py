# SPDX-License-Identifier: Apache-2.0
"""List all pairs of neighboring tables with few rows, and check that flip keeps its promise on each.

A table is how many options have each count. What one person changes is by how much the counts of some options
rise and of others fall: up to M rows in all in either direction, and in one direction alone where people join
or leave. Options that have the same count before and the same after are alike, so a pair of tables is a list
of `Kin`: the gap to the greatest count before, the gap after, and how many options have both.

**Flip** is decided exactly from its coins alone.
The probability of an option is that of its own coin, p, times the integral over s from 0 to 1 of the product
of 1 - c s over the coins c of all others. `taken_first_ball` encloses it closely for any number of options.
Where enclosures do not decide, coins may do so, and they have an exact test for equality:

Let p' and c' be the coins in the other table, and r >= 1 with c' <= r c for all others. Replacing s by s/r
shows that the integral there is at least 1/r of the one here. So p r <= E p' is enough, which is p <= E p',
and p c' <= E p' c for all others. That covers nearly all equalities, and the many options of which both sides
differ by less than 2^-4096. What is left is decided by the exact form of both probabilities.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple, cast

import flint

from rainbowdp.baselines import refused_ball, taken_first, taken_first_ball
from rainbowdp.exact import (
    Exponent,
    OddsExpression,
    ball,
    exponent_ball,
    refine,
    sign,
    working_precision,
)
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

Moved = tuple[tuple[int, int, int], ...]
"""The same as counts before and after, with how many options have both."""


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
        for moved in _neighbors([*parts, *[0] * (options - len(parts))], fallen, risen):
            fewer = sum((before - after) * options for before, after, options in moved)
            if fewer > 0 or (fewer == 0 and any(before != after for before, after, _ in moved)):
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


def _neighbors(counts: Sequence[int], fallen: int, risen: int) -> Iterable[Moved]:
    """Return all ways in which up to so many rows leave and up to so many join, each of them once."""
    found = {_alike((count, count, 1) for count in counts): None}
    for by in [-1] * fallen + [1] * risen:
        found |= {further: None for moved in found for further in _one_row_more(moved, by)}
    return found


def _one_row_more(moved: Moved, by: int) -> Iterator[Moved]:
    """Yield what follows where one row more leaves (-1) or joins (1).

    No option loses rows and gains others.
    """
    for before, after, _ in moved:
        if after + by >= 0 and (after - before) * by >= 0:
            yield _alike([*moved, (before, after, -1), (before, after + by, 1)])


def _alike(moved: Iterable[tuple[int, int, int]]) -> Moved:
    """Return how many options have the same count before and after, for each such pair of counts."""
    found: Counter[tuple[int, int]] = Counter()
    for before, after, options in moved:
        found[before, after] += options
    return tuple(sorted((*counts, options) for counts, options in found.items() if options))


def _as_gaps(moved: Iterable[tuple[Gap, Gap, int]]) -> TablePair:
    best, best_after, _ = map(max, zip(*moved, strict=True))
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
        self._chance, self._refused = cache(self._chance_ball), cache(self._refused_ball)
        self._seen: set[Table] = set()
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
        new = {_table(pair, at) for pair in pairs for at in (0, 1)} - self._seen
        self._seen |= new
        enclosed = sum(map(len, new)) * -(-self._options // 2) / _NODES_AT_ONCE
        return (len(pairs) + enclosed) * (1 + self.bits / _BITS_AT_ONCE)

    def fault(self, pair: TablePair) -> str | None:
        """Return what breaks the promise, in words; None if nothing does."""
        found = self.exceeds(pair)
        if found is None:
            return None
        return f"{shown_pair(pair)}, for an option that lacks {found[0]} and then {found[1]}"

    def exceeds(self, pair: TablePair) -> tuple[Gap, Gap] | None:
        """Return the gaps before and after of options that gain or lose too much; None if none do."""
        tables = _table(pair, 0), _table(pair, 1)
        turned = tuple(Kin(kin.after, kin.before, kin.options) for kin in pair)
        for at, kin in enumerate(pair):
            if not (self._allows(pair, at, *tables) and self._allows(turned, at, *tables[::-1])):
                return kin.before, kin.after
        return None

    def _allows(self, pair: TablePair, at: int, before: Table, after: Table) -> bool:
        """Tell whether an option has before at most E times the chance that it has after."""
        near, far, _ = pair[at]
        bits = self.bits
        found = self._difference(before, near, after, far, bits)
        if not (found > 0 or found < 0) and self._allows_by_coins(pair, at):
            return True
        while not (found > 0 or found < 0) and bits < max(_LAST_BITS, 4 * self.bits):
            bits *= 2
            found = self._difference(before, near, after, far, bits)
        if found > 0 or found < 0 or self._options > MOST_EXACT:
            return bool(found > 0)
        exact, exact_after = (taken_first(self._weights, dict(table)) for table in (before, after))
        return sign(cast("Weight", self._odds * exact_after[far] - exact[near])) >= 0

    def _difference(self, before: Table, near: Gap, after: Table, far: Gap, bits: int) -> flint.arb:
        """Return a ball around E times the chance after, less that before."""
        with working_precision(bits):
            return self._chance(after, far, bits, raised=True) - self._chance(before, near, bits)

    def _chance_ball(self, table: Table, gap: Gap, bits: int, *, raised: bool = False) -> flint.arb:
        """Return a ball around the chance of an option, times E where it is raised."""
        if raised:
            return ball(self._odds) * self._chance(table, gap, bits)
        refused = (self._refused(each, count - (each == gap), bits) for each, count in table)
        return taken_first_ball(ball(self._weights[gap]), refused)

    def _refused_ball(self, gap: Gap, count: int, _: int) -> flint.arb_poly:
        """Return what `refused_ball` returns at the precision in force, by which it is remembered."""
        return refused_ball(ball(self._weights[gap]), count)

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
