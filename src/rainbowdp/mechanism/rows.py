# SPDX-License-Identifier: Apache-2.0
"""Make the rows of a mechanism when they are read: one distribution per class of datasets.

A deep line has a hundred thousand classes and a large file a million rows, so rows are sequences that compute
an exact distribution on demand, keep a bounded number of them, and know how to make the whole float64 table
at once. Two kinds exist: rows that lie on lines (`LineRows`, ideal numbers), and rows of stated decimals
(`StatedRows`), which stand for numbers nearby. Rows that people write, as mappings or arrays, are read by
`table_of` and `exact_rows`.
"""

import copy
import functools
import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError, MechanismShapeError, NumberError
from rainbowdp.exact import Exponent, Number, parse_fraction, simplest, to_float
from rainbowdp.exact.arguments import items_of, kind_of
from rainbowdp.graph.arrays import Distances, frozen, integer_array
from rainbowdp.graph.labels import Labels, name_of
from rainbowdp.line import LARGEST_FRACTION_DISTANCE, Line
from rainbowdp.privacy import GaussianDP
from rainbowdp.rainbow import quote_colors

STATED_RELATIVE = Fraction(1, 10**12)
"""A float64 value v stands for a number within v (1 ± this): what rainbowdp promises of its own tables."""

STATED_ABSOLUTE = Fraction(1, 10**300)
"""The absolute part of the stated precision, for numbers so small that float64 has few digits."""

_KEPT_ROWS = 4096
_SMALLEST_FLOAT = 5e-324


class ComputedRows(Sequence[Distribution], ABC):
    """Distributions that are made on demand, the most recent ones being kept, or in bulk as floats."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[int, Distribution] = OrderedDict()

    @abstractmethod
    def _row(self, index: int) -> Distribution:
        """Make a row."""

    @abstractmethod
    def float_table(self) -> NDArray[np.float64]:
        """Return the probabilities, float64 [classes, colors]."""

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Distribution: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Distribution]: ...

    def __getitem__(self, index: int | slice) -> Distribution | Sequence[Distribution]:
        places = range(self._size)[index]
        if isinstance(places, range):
            return [self[place] for place in places]
        row = self._kept.pop(places, None) or self._row(places)
        self._kept[places] = row
        if len(self._kept) > _KEPT_ROWS:
            self._kept.popitem(last=False)
        return row


class LineRows(ComputedRows):
    """Rows at given distances on the lines of several regions; ideal numbers.

    Parameters
    ----------
    lines : sequence of Line or None
        The line of each region, None where the region has no boundary.
    fallbacks : sequence of Distribution
        The distribution of each region's unconstrained datasets.
    regions : int array [C]
        The region of each class, an index into `lines`.
    distances : masked int32 array [C]
        The distance of each class, masked where unconstrained.

    Attributes
    ----------
    lines, regions
        As given; the array is read-only.
    distances : int32 array [C]
        Read-only; -1 where unconstrained.
    """

    def __init__(
        self,
        lines: Sequence[Line | None],
        fallbacks: Sequence[Distribution],
        regions: NDArray[Any],
        distances: Distances,
    ) -> None:
        super().__init__(regions.size)
        self.lines = tuple(lines)
        self.regions = frozen(np.array(regions))
        self.distances: NDArray[np.int32] = frozen(np.array(distances.filled(-1)))
        self._fallbacks = tuple(fallbacks)
        self._symbolic = False

    def _row(self, index: int) -> Distribution:
        region, distance = int(self.regions[index]), int(self.distances[index])
        line = self.lines[region]
        if line is None or distance < 0:
            return self._fallbacks[region]
        if self._symbolic or distance > LARGEST_FRACTION_DISTANCE:
            return line.distribution(distance, symbolic=True)
        # Expressions that are constants, as at distance 0, become the fractions they are.
        row = line.distribution(distance)
        return Distribution.trusted({color: simplest(value) for color, value in row.items()})

    def shared_with(self, other: "LineRows") -> "Callable[[int, int], bool]":
        """Return the test whether a row and one of others lie on equal lines at one distance."""

        @functools.cache
        def is_same(region: int, another: int) -> bool:
            return self.lines[region] is not None and self.lines[region] == other.lines[another]

        def test(one: int, two: int) -> bool:
            distance = self.distances[one]
            if distance < 0 or distance != other.distances[two]:
                return False
            return is_same(int(self.regions[one]), int(other.regions[two]))

        return test

    def symbolic(self, epsilon: Exponent) -> "LineRows | None":
        """Return the same rows with rational odds kept as a formal power base, for deep lines.

        Fractions on a line have as many digits as the distance; powers of a formal base stay short.

        Parameters
        ----------
        epsilon : Fraction or Log
            The exponent of the wanted base.

        Returns
        -------
        LineRows or None
            None if a line has another base.
        """
        lines = [line for line in self.lines if line is not None]
        if any(isinstance(line.privacy, GaussianDP) or line.privacy.epsilon != epsilon for line in lines):
            return None
        made = copy.copy(self)
        made._symbolic, made._kept = True, OrderedDict()  # noqa: SLF001 - a copy of this one
        return made

    def float_table(self) -> NDArray[np.float64]:
        """Return the probabilities, float64 [classes, colors], through the bulk formula of the lines."""
        table = np.empty((len(self), len(self._fallbacks[0])))
        for region, line in enumerate(self.lines):
            here = self.regions == region
            free = here & (self.distances < 0)
            table[free] = [to_float(value, "nearest") for value in self._fallbacks[region].values()]
            placed = here & ~free
            if line is not None and placed.any():
                table[placed] = line.probabilities(self.distances[placed])
        return table


class StatedRows(ComputedRows):
    """Rows written down as decimals: each value stands for a number within the stated precision.

    The row at an index holds the decimals exactly as written, so its sum may miss 1 by rounding.

    Parameters
    ----------
    colors : tuple of str
        Names of the columns, sorted.
    values : float64 or text array [C, k]
        Probabilities. A float means its shortest decimal; text stays as written.
    name : callable
        Names the row of an index in messages.

    Raises
    ------
    DistributionError
        If a value is negative or not finite, or a row misses the sum 1 by more than the stated precision.
    """

    def __init__(
        self,
        colors: tuple[str, ...],
        values: NDArray[Any],
        name: Callable[[int], str] = lambda index: f"row {index}",
    ) -> None:
        super().__init__(values.shape[0])
        self._colors = colors
        self._floats = _as_floats(values, name)
        self._values = self._floats if values.dtype.kind == "f" else frozen(values.astype(object))
        sums = _sums(self._floats)
        wrong = (self._floats < 0).any(axis=1) | ~(np.abs(sums - 1) <= float(STATED_RELATIVE))
        if wrong.any():
            at = int(np.argmax(wrong))
            what = (
                "has a negative probability"
                if (self._floats[at] < 0).any()
                else f"sums to {float(sums[at])!r}, not to 1 within {float(STATED_RELATIVE)}"
            )
            raise DistributionError(
                f"{name(at)} {what}",
                help="write the probabilities with 15 or more significant digits, or as exact fractions",
                row=at,
            )

    def _row(self, index: int) -> Distribution:
        values = self._values[index].tolist()
        parsed = map(parse_fraction, values)
        return Distribution.trusted(dict(zip(self._colors, parsed, strict=True)))

    def float_table(self) -> NDArray[np.float64]:
        """Return the probabilities, float64 [classes, colors]; 0 only where 0 is written."""
        return self._floats


def _sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of each row, rounded once where a plain sum might err by too much."""
    sums: NDArray[np.float64] = values.sum(axis=1)
    # In any order, k nonnegative numbers that sum to about 1 sum with an error below k units of 2^-52.
    close = np.abs(np.abs(sums - 1) - float(STATED_RELATIVE)) <= values.shape[1] * 2.0**-52
    sums[close] = [math.fsum(row) for row in values[close].tolist()]
    return sums


def _as_floats(values: NDArray[Any], name: Callable[[int], str]) -> NDArray[np.float64]:
    if values.dtype.kind == "f":
        floats = values.astype(np.float64)
    else:
        floats = _read_floats(values, name)
        for row, column in np.argwhere(floats == 0).tolist():
            if parse_fraction(values[row, column]) > 0:
                floats[row, column] = _SMALLEST_FLOAT
    if not np.isfinite(floats).all():
        row, column = np.argwhere(~np.isfinite(floats))[0].tolist()
        raise DistributionError(
            f"{name(row)} has the probability {values[row, column]!r}",
            help="give every color a finite probability",
            row=row,
        )
    return frozen(floats)


def _read_floats(values: NDArray[Any], name: Callable[[int], str]) -> NDArray[np.float64]:
    """Return the nearest float of each value, reading the same forms as `parse_fraction` does."""
    texts = [str(value) for value in values.ravel().tolist()]
    # Python's float also reads 1_000 and digits of other scripts.
    if all(text.isascii() and "_" not in text for text in texts):
        try:
            return np.array(texts, dtype=object).astype(np.float64).reshape(values.shape)
        except ValueError:
            pass  # there are fractions among the decimals, or worse: read them one by one
    floats = np.empty(values.shape)
    for row, column in np.ndindex(values.shape):
        try:
            floats[row, column] = to_float(parse_fraction(values.item(row, column)), "nearest")
        except NumberError as error:
            raise error.at(name(row)) from error
    return floats


def list_of(values: object, what: str) -> list[Any]:
    """Return a list of values, refusing a text and what cannot be iterated.

    Raises
    ------
    MechanismShapeError
        If they are not a list.
    """
    items = items_of(values)
    if items is None:
        raise MechanismShapeError(
            f"the {what} of a mechanism cannot be {kind_of(values)}", help="give a list"
        )
    return items


def row_namer(labels: Labels | None, codes: ArrayLike | None) -> Callable[[int], str]:
    """Return the function that names a row by the first dataset that has it."""

    def named(row: int) -> str:
        if codes is None:
            return f"dataset {name_of(labels, row)!r}"
        users = np.flatnonzero(integer_array(codes, "codes") == row)
        return f"dataset {name_of(labels, int(users[0]))!r}" if users.size else f"row {row}"

    return named


def table_of(
    table: Sequence[Mapping[str, Number]] | NDArray[Any], known: tuple[str, ...], colors: Sequence[str] | None
) -> NDArray[Any]:
    """Return the probabilities of rows as an array [C, k] with its columns in code-point order."""
    if isinstance(table, np.ndarray):
        named = known if colors is None else tuple(map(str, list_of(colors, "colors")))
        if tuple(sorted(named)) != known or table.ndim != 2 or table.shape[1] != len(known):
            raise MechanismShapeError(
                f"an array of shape {table.shape} with the columns {quote_colors(named)} does not fit "
                f"the colors {quote_colors(known)}",
                help="give one column per color of the rainbows",
            )
        return table if named == known else table[:, [named.index(color) for color in known]]
    rows, wanted = list_of(table, "rows"), set(known)
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise MechanismShapeError(
                f"a row of a mechanism cannot be {kind_of(row)}",
                help='give every row as a mapping, as in {"blue": "2/3", "red": "1/3"}, or an array',
            )
        if row.keys() != wanted:
            raise MechanismShapeError(
                f"row {index} has probabilities of {quote_colors(sorted(map(str, row)))}",
                help=f"give probabilities of {quote_colors(known)}",
            )
    return np.array([[row[color] for color in known] for row in rows], dtype=object).reshape(-1, len(known))


def exact_rows(
    colors: tuple[str, ...], values: NDArray[Any], name: Callable[[int], str]
) -> list[Distribution]:
    """Return rows of exact numbers; an error names the row."""
    rows = []
    for index, row in enumerate(values.tolist()):
        try:
            rows.append(Distribution(dict(zip(colors, row, strict=True))))
        except (DistributionError, NumberError) as error:
            raise error.at(name(index)) from error
    return rows
