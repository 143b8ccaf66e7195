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
from typing import Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.exact import exponent_ball, round_ball, to_float
from rainbowdp.exact.arguments import require
from rainbowdp.families import Family
from rainbowdp.graph import RainbowGraph
from rainbowdp.graph.relation import NeighborRelation
from rainbowdp.mechanism import LineRows, Mechanism, StatedRows
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.privacy.verdict import Excess
from rainbowdp.verification.class_pairs import (
    ClassPairs,
    Progress,
    classes_that_meet,
    representative_pairs,
    rows_at,
)
from rainbowdp.verification.filters import (
    MOST_COLORS_FOR_EVENTS,
    Filter,
    Floats,
    PairBounds,
    filter_pairs,
    gaussian_filter,
    nearest_bounds,
    nearest_table,
    odds_filter,
    stated_bounds,
)
from rainbowdp.verification.judge import (
    NOTHING,
    Interval,
    RowKind,
    judge,
    largest,
    stated_mu_of_twins,
    tight_figure,
)
from rainbowdp.verification.result import Notion, Verification, Witness, why_infinite

FEW_PAIRS = 64
"""Up to so many pairs of exact rows are decided without the filter: setting it up takes as long."""

_REPORT_EVERY = 256
_CHUNK_NUMBERS = 1 << 16
# Where more pairs may have the largest figure, those that the filter encloses closely are not enclosed again.
# Fractions are enclosed in a tenth of a millisecond, other numbers in up to a hundred times as long.
_MOST_REFINED, _MOST_REFINED_IRRATIONAL = 20_000, 256
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Task:
    """The rows, the constraint, and the pairs of classes to decide.

    Parameters
    ----------
    mechanism : Mechanism
        Whose rows are judged.
    privacy : PureDP, ApproxDP or GaussianDP
        The constraint.
    kind : {"ideal", "written", "stated"}
        What the rows are, see `rainbowdp.verification.judge`.
    pairs : ClassPairs
        The pairs of classes that meet.
    progress : callable
        Told about steps done and steps in all.
    """

    mechanism: Mechanism
    privacy: Privacy
    kind: RowKind
    pairs: ClassPairs
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

    def bounds(self) -> PairBounds | None:
        """Return what the filter says about every pair of classes, None where there is no filter."""
        if self.pairs.size == 0 or self._filter is None:
            return None
        return filter_pairs(self._filter, self.pairs.first, self.pairs.second, self._chunk, self.progress)

    def worst(self, bounds: PairBounds | None) -> tuple[Excess | None, int]:
        """Return the greatest excess and its pair, deciding exactly every pair that may have it."""
        if bounds is None:
            wanted = np.arange(self.pairs.size)
        else:
            least = bounds.excess_low[bounds.surely].max() if bounds.surely.any() else -math.inf
            wanted = np.flatnonzero(bounds.maybe & (bounds.excess_high >= least))
        worst: Excess | None = None
        place = -1
        for at, p, q in self._rows(wanted):
            found = judge(p, q, self.privacy, self.kind)
            if found is None:
                continue
            tied = worst is not None and not found.is_above(worst) and not worst.is_above(found)
            if found.is_above(worst) or (tied and self.pairs.place[at] < self.pairs.place[place]):
                worst, place = found, at
        return worst, place

    def figure(self, bounds: PairBounds | None) -> Interval:
        """Return an enclosure of the largest figure of all pairs: a ratio, a delta or a mu."""
        if self.pairs.size == 0:
            return NOTHING
        if bounds is None:
            return self._largest_figure(np.arange(self.pairs.size))
        least, most = float(bounds.figure_low.max()), float(bounds.figure_high.max())
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
        low, high = self._largest_figure(wanted)
        return max(low, flint.arb(least)), min(max(high, flint.arb(closely)), flint.arb(most))

    @property
    def _most_refined(self) -> int:
        """How many pairs may be enclosed one by one for a figure that the filter already encloses."""
        is_quick = self.mechanism.precision == "exact" and self._exact_rows is self.mechanism.rows
        return _MOST_REFINED if is_quick else _MOST_REFINED_IRRATIONAL

    def _largest_figure(self, wanted: NDArray[Any]) -> Interval:
        return largest(tight_figure(p, q, self.privacy, self.kind) for _, p, q in self._rows(wanted))

    def figure_within_classes(self) -> flint.arb:
        """Return the largest figure that two stated rows with the same decimals can have."""
        same = self.pairs.same
        if same.size == 0:
            return flint.arb(0)
        if isinstance(self.privacy, GaussianDP) or self._filter is None:
            return stated_mu_of_twins(self.table[same])
        within = filter_pairs(self._filter, same, same, self._chunk, self.progress)
        return flint.arb(float(within.figure_high.max()))

    def _rows(self, wanted: NDArray[Any]) -> Iterator[tuple[int, Distribution, Distribution]]:
        """Yield the wanted pairs with their rows, in the order of classes, which keeps few rows in use."""
        rows, first, second = self._exact_rows, self.pairs.first, self.pairs.second
        for done, at in enumerate(wanted.tolist()):
            if done % _REPORT_EVERY == 0:
                self.progress(done, wanted.size)
            yield at, rows[int(first[at])], rows[int(second[at])]
        self.progress(wanted.size, wanted.size)


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
    proof covers a stretch of distances (see `rainbowdp.verification.class_pairs`). Rows that are stated
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
    pairs = representative_pairs(aligned, met, privacy, progress or _silent)
    task = Task(aligned, privacy, kind, pairs, progress or _silent)
    bounds = task.bounds()
    worst, place = task.worst(bounds)
    low, high = task.figure(bounds)
    if kind == "stated":
        high = max(high, task.figure_within_classes())
    notion: Notion = (
        "epsilon" if isinstance(privacy, PureDP) else "delta" if isinstance(privacy, ApproxDP) else "mu"
    )
    lower, upper = _outward(low, "down", notion), _outward(high, "up", notion)
    if worst is None and kind != "stated":
        upper = min(upper, _asked_float(privacy, "up"))
    if worst is not None and not worst.violation.undecided:
        lower = max(lower, _asked_float(privacy, "down"))
    upper = max(lower, upper)
    return Verification(
        holds=worst is None,
        asked=str(privacy),
        notion=notion,
        lower=lower,
        upper=upper,
        witness=None if worst is None else _witness(worst, aligned, pairs.source[place], pairs.target[place]),
        pairs=structure.pair_count,
        class_pairs=met.size,
        stated=kind == "stated",
        why_infinite=why_infinite(aligned, pairs, task.table, kind, notion) if upper == math.inf else None,
    )


def _silent(done: int, steps: int) -> None:
    """Report nothing."""


def _outward(value: flint.arb, rounding: Literal["down", "up"], notion: Notion) -> float:
    """Return a figure as a float rounded outward; the figure of pure privacy is the logarithm of a ratio."""
    if value == flint.arb.pos_inf():
        return float("inf")
    if notion != "epsilon":
        return max(round_ball(lambda: value, rounding), 0.0)
    return round_ball(value.log, rounding) if value > 1 else 0.0


def _asked_float(privacy: Privacy, rounding: Literal["down", "up"]) -> float:
    match privacy:
        case PureDP(epsilon=exponent) | GaussianDP(mu=exponent):
            return round_ball(lambda: exponent_ball(exponent), rounding)
        case ApproxDP(delta=delta):
            return to_float(delta, rounding)


def _witness(worst: Excess, mechanism: Mechanism, source: int, target: int) -> Witness:
    found = worst.violation
    if found.swapped:
        source, target = target, source
    names = mechanism.label(int(source)), mechanism.label(int(target))
    return Witness(*names, found.event, found.probability, found.limit, found.excess, found.undecided)
