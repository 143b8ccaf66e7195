# SPDX-License-Identifier: Apache-2.0
"""Verification of any mechanism on every pair of neighbors.

Pairs of datasets are reduced to pairs of classes, and whole stretches of a line to a few of them. A float64
filter decides the pairs that are far from the limit, and exact arithmetic decides all others. Only the rows
of the mechanism are used.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any, Literal, cast

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.exact import exponent_ball, round_ball
from rainbowdp.exact.arguments import require
from rainbowdp.families import Family
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.relation import CodePairs, NeighborRelation
from rainbowdp.mechanism import LineRows, Mechanism, StatedRows
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.privacy.verdict import Excess
from rainbowdp.progress import Progress, silent
from rainbowdp.verification.filters import (
    MOST_COLORS_FOR_EVENTS,
    Filter,
    Floats,
    PairBounds,
    filter_pairs,
    gaussian_filter,
    nearest_bounds,
    nearest_table,
    nothing_sure,
    odds_filter,
    stated_bounds,
)
from rainbowdp.verification.judge import (
    CLOSE_TO_ZERO,
    Interval,
    RowKind,
    judge,
    largest,
    stated_mu_within_class,
    tight_figure,
)
from rainbowdp.verification.result import Notion, Verification, Witness
from rainbowdp.verification.stretches import classes_that_meet, representative_pairs, rows_at

FEW_PAIRS = 64
"""Up to so many pairs of exact rows are decided without the filter: setting it up takes as long."""

_REPORT_EVERY = 256
_CHUNK_NUMBERS = 1 << 16
# Where more pairs may have the largest figure, those that the filter encloses closely are not enclosed again.
# Fractions are enclosed in a tenth of a millisecond, other numbers in up to a hundred times as long.
_MOST_REFINED, _MOST_REFINED_IRRATIONAL = 20_000, 256
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class PairsToJudge:
    """Pairs of classes with the rows and the constraint by which each of them is judged.

    Parameters
    ----------
    mechanism : Mechanism
        Whose rows are judged.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint.
    kind : {"ideal", "written", "stated"}
        What the rows are, see `rainbowdp.verification.judge`.
    pairs : CodePairs
        The pairs of classes, each with the first pair of neighbors that has it.
    progress : callable
        Told about steps done and steps in all.
    """

    mechanism: Mechanism
    privacy: Privacy
    kind: RowKind
    pairs: CodePairs
    progress: Progress

    @cached_property
    def _filter(self) -> Filter | None:
        """The float64 filter, where it can be had and is worth it."""
        if self.kind != "stated" and self.pairs.size <= FEW_PAIRS:
            return None
        bounds_of = stated_bounds if self.kind == "stated" else nearest_bounds
        if not isinstance(self.privacy, GaussianDP):
            return odds_filter(self.table, bounds_of, self.privacy)
        # Decimals that are judged as written need not sum to 1, so an event and its complement disagree.
        if self.kind == "written" or len(self.mechanism.colors) > MOST_COLORS_FOR_EVENTS:
            return None
        return gaussian_filter(self.table, bounds_of, self.privacy, ideal=self.kind == "ideal")

    @cached_property
    def _exact_rows(self) -> Sequence[Distribution]:
        """The rows; those of deep lines in the short form that their constraint can be asked in."""
        rows, deepest = self.mechanism.rows, int(self.mechanism.class_distance.max(fill_value=0) or 0)
        return (rows_at(self.privacy, rows, deepest)[0] or rows) if isinstance(rows, LineRows) else rows

    @cached_property
    def table(self) -> Floats:
        """The nearest floats of the rows in use; positive where the numbers are."""
        if isinstance(self.mechanism.rows, StatedRows):
            return self.mechanism.table
        used = np.unique(np.concatenate([self.pairs.first, self.pairs.second, self.pairs.same]))
        return nearest_table(self._exact_rows, used, len(self.mechanism.colors))

    @property
    def _chunk(self) -> int:
        """How many pairs the filter takes at once, so that its arrays stay in the processor's cache."""
        events = 2 ** (len(self.mechanism.colors) - 1) if isinstance(self.privacy, GaussianDP) else 1
        return max(_CHUNK_NUMBERS // events, 256)

    def bounds(self) -> PairBounds:
        """Return what the filter says about every pair of classes; without a filter nothing is sure."""
        if self.pairs.size == 0 or self._filter is None:
            return nothing_sure(self.pairs.size)
        return filter_pairs(self._filter, self.pairs.first, self.pairs.second, self._chunk, self.progress)

    def worst(self, bounds: PairBounds) -> tuple[Excess | None, int]:
        """Return the greatest excess and its pair, deciding exactly every pair that may have it."""
        least = bounds.excess_low[bounds.surely].max(initial=-math.inf)
        wanted = np.flatnonzero(bounds.maybe & (bounds.excess_high >= least))
        worst: Excess | None = None
        place = -1
        for at, p, q in self._rows(wanted):
            found = judge(p, q, self.privacy, self.kind)
            if found is None or (worst is not None and worst.is_above(found)):
                continue
            if found.is_above(worst) or self._neighbors(at) < self._neighbors(place):
                worst, place = found, at
        return worst, place

    def _neighbors(self, place: int) -> tuple[int, int]:
        """Return the datasets of a pair of classes."""
        return int(self.pairs.source[place]), int(self.pairs.target[place])

    def figure(self, bounds: PairBounds) -> Interval:
        """Return an enclosure of the largest figure of all pairs: a ratio, a delta or a mu."""
        least, most = float(bounds.figure_low.max(initial=0.0)), float(bounds.figure_high.max(initial=0.0))
        wanted = np.flatnonzero(bounds.figure_high >= least)
        closely = 0.0
        # The precision of stated decimals is coarser than the rounding of the odds filter.
        if self.kind == "stated" and not isinstance(self.privacy, GaussianDP):
            wanted, closely = wanted[:0], most
        elif wanted.size > self._most_refined:
            figures_high = bounds.figure_high[wanted]
            limit = least * (1 + _CLOSE) + (_CLOSE if isinstance(self.privacy, GaussianDP) else 0.0)
            closely = float(figures_high[figures_high <= limit].max(initial=0.0))
            wanted = wanted[figures_high > limit]
        low, high = largest(tight_figure(p, q, self.privacy, self.kind) for _, p, q in self._rows(wanted))
        return max(low, flint.arb(least)), min(max(high, flint.arb(closely)), flint.arb(most))

    @property
    def _most_refined(self) -> int:
        """How many pairs may be enclosed one by one for a figure that the filter already encloses."""
        is_quick = self.mechanism.precision == "exact" and self._exact_rows is self.mechanism.rows
        return _MOST_REFINED if is_quick else _MOST_REFINED_IRRATIONAL

    def figure_within_classes(self) -> flint.arb:
        """Return the largest figure that two stated rows with the same decimals can have."""
        same = self.pairs.same
        if same.size == 0:
            return flint.arb(0)
        if isinstance(self.privacy, GaussianDP) or self._filter is None:
            return stated_mu_within_class(self.table[same])
        within = filter_pairs(self._filter, same, same, self._chunk, self.progress)
        return flint.arb(float(within.figure_high.max()))

    def _rows(self, wanted: NDArray[Any]) -> Iterator[tuple[int, Distribution, Distribution]]:
        """Yield the wanted pairs with their rows, in the order of classes, which keeps few rows in use."""
        rows, codes = self._exact_rows, self.mechanism.codes
        for done, at in enumerate(wanted.tolist()):
            if done % _REPORT_EVERY == 0:
                self.progress(done, wanted.size)
            source, target = self._neighbors(at)
            yield at, rows[int(codes[source])], rows[int(codes[target])]
        self.progress(wanted.size, wanted.size)

    def witness(self, worst: Excess, place: int) -> Witness:
        """Return the names of the neighbors with the greatest excess, and the event."""
        found = worst.violation
        names = list(map(self.mechanism.label, self._neighbors(place)))
        source, target = reversed(names) if found.swapped else names
        return Witness(
            source, target, found.event, found.probability, found.limit, found.excess, found.undecided
        )

    def why_infinite(self, notion: Notion) -> str:
        """Return a sentence that says why the upper end of the tight figure is infinite."""
        # A class that two neighbors share forms a pair with itself.
        codes, same = self.mechanism.codes, self.pairs.same
        sides = (self.pairs.source, self.pairs.target)
        one, other = (self.table[np.concatenate([codes[side], same])] for side in sides)
        least = np.where(np.maximum(one, other) > 0, np.minimum(one, other), np.inf).T
        column, place = np.unravel_index(int(np.argmin(least)), least.shape)
        if least[column, place] > (2 * float(CLOSE_TO_ZERO) if self.kind == "stated" else 0):
            return (
                f"4096 bits do not tell a probability from 0 or 1, so no finite {notion} is sure to be enough"
            )
        if place < self.pairs.size:
            names = list(map(self.mechanism.label, self._neighbors(int(place))))
        else:
            dataset = int(np.flatnonzero(codes == same[place - self.pairs.size])[0])
            names = [self.mechanism.label(dataset), "another of the same row"]
        values = float(one[place, column]), float(other[place, column])
        (low, here), (high, there) = sorted(zip(values, names, strict=True), key=itemgetter(0))
        color = self.mechanism.colors[column]
        if self.kind == "ideal":
            impossible = f"{color!r} has probability 0 at {here!r} and more at its neighbor {there!r}"
            return f"{impossible}, which no finite {notion} allows"
        written = f"{color!r} is written {low:g} at {here!r} and {high:g} at its neighbor {there!r}"
        if low > 0:
            close = "the first is too close to 0 for the stated precision"
            return f"{written}: {close} to exclude an infinite {notion}"
        return f"{written}: if 0 is meant, no finite {notion} is enough"


def verify(
    mechanism: Mechanism,
    graph: NeighborRelation | RainbowGraph | Family,
    privacy: Privacy,
    strict: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Check a privacy constraint on every pair of neighbors, and say how tight it is.

    The check does not use how the mechanism was made. Exact rows (fractions, or the exact expressions of a
    mechanism that rainbowdp solved) are decided exactly; where they are given by the formula of a line, one
    proof covers a stretch of distances (see `rainbowdp.verification.stretches`). Rows that are stated
    decimals (`Mechanism.stated`) cannot meet a tight constraint exactly; each value v stands for the numbers
    within v (1 ± 1e-12) ± 1e-300, and the check fails only where an excess is proven for all of them.

    Parameters
    ----------
    mechanism : Mechanism
        Any mechanism.
    graph : RainbowGraph, Family, DatasetGraph or another NeighborRelation
        The neighbors. A mechanism with the labels of a `RainbowGraph` or `Family` in another order is put in
        order. Datasets without names are called 0 to n - 1, except where the other names are texts: then
        the order counts, as it does for other relations.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint that is asked.
    strict : bool
        Judge stated decimals exactly as they are written, without any precision around them; a row need not
        sum to exactly 1 then. Exact rows are always judged so.
    progress : callable, optional
        Called now and then with the number of steps done and the number of steps in all.

    Returns
    -------
    Verification
        Whether it holds; the tight epsilon (at delta 0), delta (at the asked epsilon) or mu, between two
        floats rounded outward; and where it fails the pair of neighbors and the event of greatest excess (of
        several equal ones the first). For stated decimals the enclosure holds for all numbers that they can
        stand for, so its upper end may be infinite where probabilities fall below 1e-287; a color that is
        written 0 in both rows of a pair counts as impossible in both.

    Raises
    ------
    MechanismShapeError
        If the mechanism and the graph do not have the same datasets.
    UsageError
        If an argument is of another kind.

    References
    ----------
    Zhou et al. 2022, Definition 2; Gu et al. 2024 for delta > 0; Dong, Roth and Su 2022 for mu.

    Examples
    --------
    >>> from rainbowdp.graph import DatasetGraph
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["blue>red", "red>blue"],
    ...     table=[{"blue": "2/3", "red": "1/3"}, {"blue": "1/3", "red": "2/3"}],
    ...     labels=["ann", "bob"],
    ... )
    >>> neighbors = DatasetGraph.from_pairs(2, [0], [1])
    >>> verify(mechanism, neighbors, PureDP("ln 2")).holds
    True
    >>> failed = verify(mechanism, neighbors, PureDP("ln(3/2)"))
    >>> failed.holds, round(failed.lower, 6), failed.witness.source, failed.witness.event
    (False, 0.693147, 'ann', ('blue',))
    >>> failed.witness.probability, failed.witness.limit, failed.witness.excess
    (Fraction(2, 3), Fraction(1, 2), Fraction(1, 6))
    """
    require(privacy, "privacy", PureDP, ApproxDP, GaussianDP)
    require(strict, "strict", bool)
    aligned, structure, met = classes_that_meet(mechanism, graph)
    kind: RowKind = "ideal" if not aligned.stated else "written" if strict else "stated"
    told = progress or silent
    pairs = PairsToJudge(aligned, privacy, kind, representative_pairs(aligned, met, privacy, told), told)
    bounds = pairs.bounds()
    worst, place = pairs.worst(bounds)
    low, high = pairs.figure(bounds)
    if kind == "stated":
        high = max(high, pairs.figure_within_classes())
    # The parameter that is named last is the one that the figure is compared with.
    name, asked = list(privacy.parameters().items())[-1]
    notion = cast("Notion", name)
    lower, upper = _outward(low, "down", notion), _outward(high, "up", notion)
    if worst is None and kind != "stated":
        upper = min(upper, round_ball(lambda: exponent_ball(asked), "up"))
    if worst is not None and not worst.violation.undecided:
        lower = max(lower, round_ball(lambda: exponent_ball(asked), "down"))
    upper = max(lower, upper)
    return Verification(
        holds=worst is None,
        asked=str(privacy),
        notion=notion,
        lower=lower,
        upper=upper,
        witness=None if worst is None else pairs.witness(worst, place),
        pairs=structure.pair_count,
        class_pairs=met.size,
        stated=kind == "stated",
        why_infinite=pairs.why_infinite(notion) if upper == math.inf else None,
    )


def _outward(value: flint.arb, rounding: Literal["down", "up"], notion: Notion) -> float:
    """Return a figure as a float rounded outward; the figure of pure privacy is the logarithm of a ratio."""
    if value == flint.arb.pos_inf():
        return float("inf")
    if notion != "epsilon":
        return max(round_ball(lambda: value, rounding), 0.0)
    return round_ball(value.log, rounding) if value > 1 else 0.0
