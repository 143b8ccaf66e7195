# SPDX-License-Identifier: Apache-2.0
"""Compute the optimal distribution at every distance from the boundary, exactly and as float64 tables.

The prefix masses at distance i are the boundary's prefix masses propagated i steps, for every number of
classes and every notion of privacy. Inside a class of tied colors the boundary's proportions are kept.
"""

import itertools
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

import rainbowdp
from rainbowdp.distribution import Distribution, Probabilities
from rainbowdp.errors import DistributionError, NumberError
from rainbowdp.exact import (
    Exact,
    NormalExpression,
    Number,
    OddsExpression,
    format_fraction,
    parse_fraction,
    show,
    sign,
)
from rainbowdp.line.normal_table import NormalTable
from rainbowdp.line.odds_table import LARGEST_DISTANCE, OddsTable
from rainbowdp.line.powers import Counts, Floats, relative_float
from rainbowdp.line.steps import steps_to_reach
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, require_privacy
from rainbowdp.privacy.verdict import read_steps
from rainbowdp.rainbow import Rainbow

LARGEST_FRACTION_DISTANCE = 2**20
"""Beyond this distance fractions are refused: they have a million times the digits of the odds."""

_BLOCK = 8192  # distances worked on at once, so that intermediate arrays stay in the processor's cache
_DENSE = 2  # consecutive distances cost less than half as much as others
_FARTHEST, _NEARLY_ALL = 1 << 20, 0.99
_BELOW_ONE = math.nextafter(1, 0)

# Regions often differ in the names of their colors alone. A table goes with the last line that uses it.
_TABLES: WeakValueDictionary[Hashable, OddsTable | NormalTable] = WeakValueDictionary()


@dataclass(frozen=True)
class Line:
    """The optimal mechanism on a line: one region of one rainbow, by distance to its boundary.

    Parameters
    ----------
    rainbow : Rainbow or str
        The preference order of every dataset on the line, with or without ties.
    boundary : Distribution or mapping of str to number
        The distribution at distance 0, over the rainbow's colors.
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy between neighbors.

    Raises
    ------
    ColorError
        If the boundary and the rainbow have different colors.
    DistributionError
        If the boundary's numbers belong to another privacy parameter.
    RainbowSyntaxError, NumberError
        If the rainbow or the boundary cannot be read.
    UsageError
        If `privacy` is not a notion of privacy.

    References
    ----------
    Zhou et al. 2022, Theorem 4, Theorem 5 and Corollary 1 (three colors, pure privacy), Corollary 2 (two
    colors); Gu et al. 2024 for any number of colors and for delta > 0. Ties are an extension.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> line = Line(
    ...     "blue>red>green", {"blue": "3/55", "red": "9/55", "green": "43/55"}, PureDP("ln(6/5)")
    ... )
    >>> line.thresholds
    (12, 5)
    >>> line.distribution(1)
    Distribution(blue=18/275, green=203/275, red=54/275)
    >>> line.probabilities([0, 1, 1000]).round(6)
    array([[0.054545, 0.781818, 0.163636],
           [0.065455, 0.738182, 0.196364],
           [1.      , 0.      , 0.      ]])
    >>> line.distance_for("0.99")
    34
    """

    rainbow: Rainbow
    boundary: Distribution
    privacy: Privacy

    def __init__(self, rainbow: Rainbow | str, boundary: Probabilities, privacy: Privacy) -> None:
        require_privacy(privacy)
        vars(self).update(rainbow=Rainbow.of(rainbow), boundary=Distribution.of(boundary), privacy=privacy)
        self.boundary.require_colors(self.rainbow)
        for color, value in self.boundary.items():
            if not self._belongs(value):
                raise DistributionError(
                    f"the boundary probability of {color!r} does not belong to {self.privacy}: {value!r}",
                    help="make the boundary condition for the same privacy parameter, or give fractions",
                    color=color,
                )

    def __reduce__(self) -> tuple[type["Line"], tuple[Rainbow, Distribution, Privacy]]:
        # What is cached is built again where it is needed, and holds functions that cannot be pickled.
        return Line, (self.rainbow, self.boundary, self.privacy)

    def telling_distances(self) -> range:
        """Return the distances from 0 to where the best class has 99 in 100, and some more.

        Returns
        -------
        range
            Of at most some million distances.

        Examples
        --------
        >>> from rainbowdp.privacy import PureDP
        >>> Line("a>b", {"a": "1/2", "b": "1/2"}, PureDP("ln 2")).telling_distances()
        range(0, 9)
        """
        best = [self.rainbow.colors.index(color) for color in self.rainbow.classes[0]]
        end = 8
        while end < _FARTHEST and self.probabilities([end])[0, best].sum() < _NEARLY_ALL:
            end *= 2
        missing = self.probabilities(np.arange(end + 1))[:, best].sum(axis=1) < _NEARLY_ALL
        return range(min(end, int(missing.sum() * 1.25) + 2) + 1)

    def plot(
        self,
        distances: Iterable[int] | None = None,
        path: Path | str | None = None,
        *,
        ax: Any = None,  # noqa: ANN401 - matplotlib is not imported
        title: str | None = None,
    ) -> Any:  # noqa: ANN401 - as above
        """Draw the line; see `rainbowdp.plots.plot_line`.

        Parameters
        ----------
        distances, path, ax, title
            As there.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        UsageError, FileWriteError, MissingExtraError
            As there.

        Examples
        --------
        >>> from rainbowdp.privacy import PureDP
        >>> figure = Line("a>b", {"a": "1/2", "b": "1/2"}, PureDP("ln 2")).plot()
        """
        return rainbowdp.plots.plot_line(self, distances, path, ax=ax, title=title)

    def _belongs(self, value: Exact) -> bool:
        if isinstance(value, OddsExpression):
            return not isinstance(self.privacy, GaussianDP) and value.exponent == self.privacy.epsilon
        if isinstance(value, NormalExpression):
            return isinstance(self.privacy, GaussianDP) and value.mu == self.privacy.mu
        return True

    @property
    def has_thresholds(self) -> bool:
        """Whether the notion of privacy has a growth and a decay regime; Gaussian privacy has not."""
        return not isinstance(self.privacy, GaussianDP)

    @cached_property
    def thresholds(self) -> tuple[int | None, ...]:
        """The largest index in the growth regime for each proper prefix of classes, best first.

        0 if growth never starts, None if it never ends. Empty under Gaussian privacy, which has no regimes.

        References
        ----------
        Zhou et al. 2022, tau_B and tau_R before Theorem 4.
        """
        if isinstance(self.privacy, GaussianDP):
            return ()
        return tuple(self.privacy.threshold(mass) for mass in self._boundary_masses[:-1])

    @cached_property
    def _boundary_masses(self) -> tuple[Exact, ...]:
        return self.boundary.prefix_masses(self.rainbow)

    @cached_property
    def _shares(self) -> dict[str, tuple[int, Exact]]:
        """Class and share of the class for every color, in the order of the colors."""
        shares: dict[str, tuple[int, Exact]] = {}
        for index, tied in enumerate(self.rainbow.classes):
            shares |= {color: (index, share) for color, share in self.boundary.shares(tied).items()}
        return {color: shares[color] for color in self.rainbow.colors}

    def prefix_masses(self, distance: int, *, symbolic: bool = False) -> tuple[Exact, ...]:
        """Return the exact total probabilities of the best 1, 2, ... classes at a distance.

        Parameters
        ----------
        distance : int
            Steps to the boundary, at least 0.
        symbolic : bool
            Keep rational odds as a formal power base, so that millions of steps stay a short expression.

        Returns
        -------
        tuple of Exact
            One per class; the last one is 1.

        Raises
        ------
        NumberError
            If the distance is negative or no whole number, or beyond 2^20 for fractions, whose digits would
            fill the memory.
        UndecidedError
            Under Gaussian privacy, for a boundary of sums of normal terms, which have no closed form.

        References
        ----------
        Zhou et al. 2022, Theorems 4 and 5; Gu et al. 2024.

        Examples
        --------
        >>> from rainbowdp.privacy import PureDP
        >>> Line("a>b>c", {"a": "1/8", "b": "1/8", "c": "3/4"}, PureDP("ln 2")).prefix_masses(1)
        (Fraction(1, 4), Fraction(1, 2), Fraction(1, 1))
        """
        steps = read_steps(distance)
        if steps > LARGEST_FRACTION_DISTANCE and self.privacy.is_rational and not symbolic:
            raise NumberError(
                f"at the distance {show(steps)} fractions have too many digits",
                help=f"ask for at most {LARGEST_FRACTION_DISTANCE} steps, for symbolic=True, or for floats",
                value=steps,
            )
        moved = (
            self.privacy.propagate(mass, steps, symbolic=symbolic) for mass in self._boundary_masses[:-1]
        )
        return (*moved, Fraction(1))

    def distribution(self, distance: int, *, symbolic: bool = False) -> Distribution:
        """Return the exact optimal distribution at a distance.

        Parameters
        ----------
        distance : int
            Steps to the boundary, at least 0.
        symbolic : bool
            As for `prefix_masses`.

        Returns
        -------
        Distribution
            Fractions for rational odds and a rational boundary; exact expressions otherwise.

        Raises
        ------
        NumberError, UndecidedError
            As for `prefix_masses`.

        Examples
        --------
        >>> from rainbowdp.privacy import PureDP
        >>> Line("a>b>c", {"a": "1/8", "b": "1/8", "c": "3/4"}, PureDP("ln 2")).distribution(2)
        Distribution(a=1/2, b=1/4, c=1/4)
        """
        masses = (Fraction(0), *self.prefix_masses(distance, symbolic=symbolic))
        classes = [after - before for before, after in itertools.pairwise(masses)]
        # Tied colors of one share hold one number, which is worked out once and later enclosed once.
        alike = {(index, id(share)): (index, share) for index, share in self._shares.values()}
        made = {one: classes[index] * share for one, (index, share) in alike.items()}
        return Distribution.trusted(
            {color: made[index, id(share)] for color, (index, share) in self._shares.items()}
        )

    def probabilities(self, distances: npt.ArrayLike) -> Floats:
        """Return the optimal probabilities at many distances as floats.

        Every probability is relatively accurate to a few units in the last place, however small it is, down
        to the smallest normal float; a smaller one may be 0. A probability below 1 is not rounded to 1. The
        same numbers come on every processor (`rainbowdp.line.powers`).

        Parameters
        ----------
        distances : array-like of int, shape (n,)
            Steps to the boundary, from 0 to 2^53.

        Returns
        -------
        float64 array of shape (n, k)
            One column per color, in code-point order.

        Raises
        ------
        NumberError
            If the distances are not whole numbers from 0 to 2^53 in one dimension.

        Examples
        --------
        >>> from rainbowdp.privacy import PureDP
        >>> Line("a>b", {"a": "1/4", "b": "3/4"}, PureDP("ln 2")).probabilities(range(3))
        array([[0.25, 0.75],
               [0.5 , 0.5 ],
               [0.75, 0.25]])
        """
        steps = whole_steps(distances)
        if steps.size == 0:
            return np.empty((0, len(self._shares)))
        rows = self._rounded(np.minimum(steps, int(self._table.settled)))
        for column, (first, last) in self._certain.items():
            rows[(steps >= first) & (steps <= last), column] = 1
        return rows

    @cached_property
    def _certain(self) -> dict[int, tuple[float, float]]:
        """The first and the last distance at which a color has probability 1, by its column."""
        found: dict[int, tuple[float, float]] = {}
        for column, (color, (index, share)) in enumerate(self._shares.items()):
            if share == 1 and index == 0 and self._table.certain < math.inf:
                found[column] = self._table.certain, math.inf
            elif share == 1 and self.boundary[color] == 1:
                # The better classes have nothing at the boundary, and only a delta gives them more.
                with_delta = isinstance(self.privacy, ApproxDP) and self.privacy.delta > 0
                found[column] = 0, 0 if with_delta else math.inf
        return found

    def _rounded(self, steps: npt.NDArray[np.int64]) -> Floats:
        """Return the floats at distances up to the settled one; a certain color may be just below 1."""
        lowest, highest = int(steps.min()), int(steps.max())
        if highest - lowest < _DENSE * steps.size:
            rows = self._rows(range(lowest, highest + 1))
            at = steps - lowest
            return rows if np.array_equal(at, np.arange(len(rows))) else rows.take(at, axis=0)
        if bool(np.all(steps[1:] >= steps[:-1])):
            return self._rows(steps.astype(np.float64))
        different, place = np.unique(steps, return_inverse=True)
        return self._rows(different.astype(np.float64)).take(place, axis=0)

    def _rows(self, steps: Counts) -> Floats:
        """Return the floats at some distances, each of them below 1."""
        rows = np.empty((len(steps), len(self._shares)))
        for start in range(0, len(steps), _BLOCK):
            block = steps[start : start + _BLOCK]
            for columns, masses in zip(self._columns, self._table.class_masses(block), strict=True):
                reaches_one = masses.max() >= 1
                for column, share in columns:
                    own = masses if share == 1 else masses * share
                    rows[start : start + _BLOCK, column] = np.minimum(own, _BELOW_ONE) if reaches_one else own
        return rows

    @cached_property
    def _columns(self) -> list[list[tuple[int, float]]]:
        """For every class the columns of its colors and their shares."""
        columns: list[list[tuple[int, float]]] = [[] for _ in self.rainbow.classes]
        for column, (index, share) in enumerate(self._shares.values()):
            columns[index].append((column, relative_float(share) if sign(share) else 0.0))
        return columns

    @cached_property
    def _table(self) -> OddsTable | NormalTable:
        """The floats by distance, one table for all lines that have the same prefix masses."""
        masses = self._boundary_masses
        texts = (mass if isinstance(mass, Fraction) else repr(mass) for mass in masses)
        shared_by = (type(self.privacy), self.privacy, *texts)
        table = _TABLES.get(shared_by)
        if table is None:
            if isinstance(self.privacy, GaussianDP):
                table = NormalTable(self.privacy, masses)
            else:
                table = OddsTable(self.privacy, masses)
            _TABLES[shared_by] = table
        return table

    def distance_for(self, probability: Number) -> int | None:
        """Return the least distance at which the best class has at least a wanted probability.

        Parameters
        ----------
        probability : number or text
            From 0 to 1.

        Returns
        -------
        int or None
            None if no distance is enough. Decided exactly, however far it is.

        Raises
        ------
        DistributionError
            If the probability is outside [0, 1].
        NumberError
            If it is not an exact number.
        UndecidedError
            Under Gaussian privacy, where 4096 bits do not tell a probability from the wanted one.

        References
        ----------
        Zhou et al. 2022, Theorem 4, solved for the index.

        Examples
        --------
        >>> from rainbowdp.privacy import PureDP
        >>> line = Line(
        ...     Rainbow.parse("yes>no"), Distribution({"yes": "1/2", "no": "1/2"}), PureDP("1e-9")
        ... )
        >>> line.distance_for("0.99"), line.distance_for(1)
        (3912023006, None)
        """
        wanted = parse_fraction(probability)
        if not 0 <= wanted <= 1:
            raise DistributionError(
                f"the wanted probability is {format_fraction(wanted)}, outside [0, 1]",
                help="ask for a probability from 0 to 1",
                value=probability,
            )
        return steps_to_reach(self._boundary_masses[0], wanted, self.privacy)


def whole_steps(distances: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return distances as an array.

    Raises
    ------
    NumberError
        If they are not whole numbers from 0 to 2^53 in one dimension.
    """
    steps = np.asarray(distances)
    if steps.size == 0 and steps.ndim == 1:
        return np.empty(0, np.int64)
    if steps.ndim != 1 or steps.dtype.kind not in "iu":
        raise NumberError(
            f"distances of shape {steps.shape} and type {steps.dtype} are not a list of whole numbers",
            help="give a one-dimensional array of integers",
        )
    if np.ma.is_masked(distances):
        raise NumberError(
            "some distances are masked: their datasets are unconstrained",
            help="leave them out; an unconstrained dataset gives its best class with certainty",
        )
    lowest, highest = steps.min(), steps.max()
    if lowest < 0 or highest > LARGEST_DISTANCE:
        wrong = int(lowest if lowest < 0 else highest)
        raise NumberError(
            f"the distance {wrong} is outside 0 to 2^53",
            help="give steps to the boundary; for larger ones use `distribution` with symbolic=True",
            value=wrong,
        )
    return steps.astype(np.int64, copy=False)
