# SPDX-License-Identifier: Apache-2.0
"""One verification at work: filter all pairs of classes, decide exactly what is left, enclose the figure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.mechanism import LineRows, Mechanism, StatedRows
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.privacy.verdict import Excess
from rainbowdp.verification import figures
from rainbowdp.verification.figures import Interval
from rainbowdp.verification.filters import (
    Filter,
    Floats,
    PairBounds,
    filter_pairs,
    nearest_bounds,
    nearest_table,
    odds_filter,
    stated_bounds,
)
from rainbowdp.verification.gaussian_filter import MOST_COLORS_FOR_EVENTS, gaussian_filter
from rainbowdp.verification.judge import judge
from rainbowdp.verification.pairs import ClassPairs
from rainbowdp.verification.result import Notion, why_infinite
from rainbowdp.verification.stated import RowKind, stated_mu, stated_mu_of_twins
from rainbowdp.verification.stretches import DEEP, Progress

FEW_PAIRS = 64
"""Up to so many pairs of exact rows take the exact path alone, which is as quick as setting up the filter."""

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
            return odds_filter(self._table, bounds_of, self.privacy)
        # Decimals taken at their word need not sum to 1, so an event and its complement disagree.
        if self.kind == "written" or len(self.mechanism.colors) > MOST_COLORS_FOR_EVENTS:
            return None
        return gaussian_filter(self._table, bounds_of, self.privacy, ideal=self.kind == "ideal")

    @cached_property
    def _exact_rows(self) -> Sequence[Distribution]:
        """The rows; those of deep lines in the short form that their constraint can be asked in."""
        rows, privacy = self.mechanism.rows, self.privacy
        deep = int(self.mechanism.class_distance.max(fill_value=0) or 0) > DEEP
        if not deep or not isinstance(rows, LineRows) or isinstance(privacy, GaussianDP):
            return rows
        return (rows.symbolic(privacy.epsilon) if privacy.is_rational else None) or rows

    @cached_property
    def _table(self) -> Floats:
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
            return figures.NOTHING
        if bounds is None:
            return self._largest_figure(np.arange(self.pairs.size))
        least, most = float(bounds.figure_low.max()), float(bounds.figure_high.max())
        wanted = np.flatnonzero(bounds.figure_high >= least)
        closely = 0.0
        # What stated decimals leave open is wider than what the odds filter loses.
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
        return figures.largest(self._figure_of(p, q) for _, p, q in self._rows(wanted))

    def figure_within_classes(self) -> flint.arb:
        """Return the largest figure that two stated rows with the same decimals can have."""
        same = self.pairs.same
        if same.size == 0:
            return flint.arb(0)
        if isinstance(self.privacy, GaussianDP) or self._filter is None:
            return stated_mu_of_twins(self._table[same])
        within = filter_pairs(self._filter, same, same, self._chunk, self.progress)
        return flint.arb(float(within.figure_high.max()))

    def why_infinite(self, notion: Notion) -> str:
        """Return a sentence that says why the figure has no finite upper end."""
        return why_infinite(self.mechanism, self.pairs, self._table, self.kind, notion)

    def _figure_of(self, p: Distribution, q: Distribution) -> Interval:
        match self.privacy:
            case PureDP():
                return figures.ratio(p, q)
            case ApproxDP():
                return figures.delta(p, q, self.privacy)
            case GaussianDP():
                return stated_mu(p, q) if self.kind == "stated" else figures.mu(p, q)

    def _rows(self, wanted: NDArray[Any]) -> Iterator[tuple[int, Distribution, Distribution]]:
        """Yield the wanted pairs with their rows, in the order of classes, which keeps few rows in use."""
        rows, first, second = self._exact_rows, self.pairs.first, self.pairs.second
        for done, at in enumerate(wanted.tolist()):
            if done % _REPORT_EVERY == 0:
                self.progress(done, wanted.size)
            yield at, rows[int(first[at])], rows[int(second[at])]
        self.progress(wanted.size, wanted.size)
