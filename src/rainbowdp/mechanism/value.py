# SPDX-License-Identifier: Apache-2.0
"""Keep a mechanism: for every dataset the distribution of its answer, as one frozen value.

Datasets that share rainbow, distance and distribution form a class, and everything is kept per class: a
family of half a million datasets often has a thousand classes. Many functions make a mechanism (the optimal
one, a file, a pullback), and nothing in the value depends on which one did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

import rainbowdp
from rainbowdp.distribution import Distribution
from rainbowdp.errors import MechanismShapeError, UnknownDatasetError
from rainbowdp.exact import Number, Real, to_float
from rainbowdp.exact.arguments import is_whole, one_of, require
from rainbowdp.graph.arrays import (
    Distances,
    Rebuilt,
    distances_of,
    first_occurrences,
    first_outside,
    frozen,
    integer_array,
)
from rainbowdp.graph.exchange import Framed
from rainbowdp.graph.labels import LabelArray, Labels, label_array, matched
from rainbowdp.mechanism.rows import (
    ComputedRows,
    LineRows,
    StatedRows,
    exact_rows,
    list_of,
    row_namer,
    table_of,
)
from rainbowdp.rainbow import Rainbow, RainbowLike, quote_colors

Precision = Literal["exact", "float64"]


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(Rebuilt, Framed):
    """Exact or stated answer distributions of a family of datasets.

    Most callers use `rainbowdp.optimal.optimal_mechanism` or :meth:`from_table`.

    Parameters
    ----------
    colors : tuple of str
        The possible answers, sorted by code point.
    codes : int32 array [n]
        The class of each dataset.
    class_rainbow : tuple of Rainbow [C]
        The rainbow of each class.
    class_distance : masked int32 array [C], or sequence of int or None
        The distance of each class to its region's boundary, masked (None) where unconstrained or unknown.
    rows : sequence of Distribution [C]
        The distribution of each class in exact numbers; may be computed on demand.
    precision : {"exact", "float64"}
        ``exact`` if all rows are fractions. ``float64`` if they are irrational, so that a table of numbers
        can only approximate them, or if they are decimals that stand for numbers nearby (see `stated`).
    labels : array [n] of str or int64, optional
        Names of the datasets; None if they are called 0 to n - 1.
    notes : tuple of str
        What a user should know about how it was made, in words.

    Raises
    ------
    MechanismShapeError
        If the parts do not fit each other.
    DuplicateDatasetError
        If two datasets have one label.
    GraphShapeError, RainbowSyntaxError, UsageError
        If the codes or labels are not such arrays, a rainbow cannot be read, or a row is not a distribution.

    References
    ----------
    Zhou et al. 2022, Definition 2.

    Examples
    --------
    >>> mechanism = Mechanism.from_table(
    ...     rainbows=["blue>red", "red>blue"],
    ...     table=[{"blue": "2/3", "red": "1/3"}, {"blue": "1/3", "red": "2/3"}],
    ...     labels=["ann", "bob"],
    ... )
    >>> mechanism
    Mechanism(2 datasets, 2 classes, 2 colors, exact)
    >>> mechanism.distribution("bob")
    Distribution(blue=1/3, red=2/3)
    >>> mechanism.probabilities().round(3).tolist()
    [[0.667, 0.333], [0.333, 0.667]]
    """

    _called = "mechanism"

    colors: tuple[str, ...]
    codes: NDArray[np.int32]
    class_rainbow: tuple[Rainbow, ...]
    class_distance: Distances
    rows: Sequence[Distribution]
    precision: Precision = "exact"
    labels: LabelArray | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rainbows = tuple(map(Rainbow.of, list_of(self.class_rainbow, "rainbows")))
        count = len(rainbows)
        distances = _distances(self.class_distance)
        rows = self.rows if isinstance(self.rows, ComputedRows) else tuple(list_of(self.rows, "rows"))
        codes = integer_array(self.codes, "codes")
        if codes.size == 0 or count == 0:
            raise MechanismShapeError("a mechanism needs at least one dataset", help="give it some")
        if len(rows) != count or len(distances) != count:
            raise MechanismShapeError(
                f"{count} rainbows, {len(rows)} rows and {len(distances)} distances do not "
                "describe the same classes",
                help="give every class one rainbow, one row and one distance",
            )
        at = first_outside(codes, count)
        if at is not None:
            raise MechanismShapeError(
                f"dataset number {at} has the class {int(codes[at])}", help=f"classes are 0 to {count - 1}"
            )
        _require_precision(self.precision)
        colors = tuple(map(str, list_of(self.colors, "colors")))
        for rainbow in set(rainbows):
            if rainbow.colors != colors:
                raise MechanismShapeError(
                    f"the rainbow {rainbow} does not rank the colors {quote_colors(colors)}",
                    help="name the colors in code-point order and rank all of them in every rainbow",
                )
        vars(self).update(
            colors=colors,
            codes=frozen(codes.astype(np.int32)),
            class_rainbow=rainbows,
            class_distance=distances,
            rows=rows,
            labels=None if self.labels is None else label_array(self.labels, codes.size),
            notes=tuple(list_of(self.notes, "notes")),
        )
        if not isinstance(rows, ComputedRows):
            self._check_rows()

    def _check_rows(self) -> None:
        for row in self.rows:
            require(row, "rows", Distribution)
            if row.colors != self.colors:
                raise MechanismShapeError(
                    f"a row has the colors {quote_colors(row.colors)}",
                    help=f"give probabilities of {quote_colors(self.colors)}",
                )
            if self.precision == "exact" and not row.is_rational:
                raise MechanismShapeError(
                    "a row of an exact mechanism is irrational",
                    help="call its precision float64, or choose an epsilon with rational odds",
                )

    @classmethod
    def from_table(
        cls,
        rainbows: Sequence[RainbowLike],
        table: Sequence[Mapping[str, Number]] | NDArray[Any],
        *,
        colors: Sequence[str] | None = None,
        codes: ArrayLike | None = None,
        distances: Sequence[int | None] | Distances | None = None,
        labels: Labels | None = None,
        precision: Precision | None = None,
        notes: tuple[str, ...] = (),
    ) -> "Mechanism":
        """Build a mechanism from written probabilities.

        Parameters
        ----------
        rainbows : sequence of Rainbow or str [C]
            The rainbow of each row.
        table : sequence of mappings [C], or array [C, k]
            The probabilities of each row: color to number or text, or an array of floats or text with one
            column per color.
        colors : sequence of str [k], optional
            The colors of the columns of an array; those of the rainbows in code-point order if left out.
        codes : integer array [n], optional
            The row of each dataset; if left out, every row is one dataset. Datasets that share a row are
            verified together, so sharing rows is what makes large families quick.
        distances : sequence of int or None [C], optional
            The distance of each row.
        labels : sequence or array [n], optional
            Names of the datasets.
        precision : {"exact", "float64"}, optional
            ``exact``: the numbers are meant as written, and every row sums to exactly 1. ``float64``: they
            stand for numbers within `STATED_RELATIVE` and `STATED_ABSOLUTE`. By default ``float64`` for an
            array of floats and ``exact`` for everything else. Exact expressions among the numbers make a
            mechanism ``float64`` whose rows are nevertheless exact.
        notes : tuple of str
            Carried along.

        Returns
        -------
        Mechanism

        Raises
        ------
        DistributionError, NumberError
            If a row is not a distribution; the message names a dataset.
        MechanismShapeError, RainbowSyntaxError, ColorError, GraphShapeError, DuplicateDatasetError
            If the parts do not fit each other, or a rainbow, the codes or the labels cannot be read.

        Examples
        --------
        >>> stated = Mechanism.from_table(["b>r", "r>b"], np.array([[0.7, 0.3], [0.3, 0.7]]))
        >>> stated.precision, stated.stated, stated.distribution(0)
        ('float64', True, Distribution(b=7/10, r=3/10))
        """
        if precision is not None:
            _require_precision(precision)
        parsed = tuple(map(Rainbow.of, list_of(rainbows, "rainbows")))
        if not parsed:
            raise MechanismShapeError("a mechanism needs at least one row", help="give it some")
        known = parsed[0].colors
        name = row_namer(labels, codes)
        values = table_of(table, known, colors)
        irrational = any(issubclass(kind, Real) for kind in set(map(type, values.ravel().tolist())))
        chosen: Precision = precision or ("float64" if values.dtype.kind == "f" or irrational else "exact")
        decimals = chosen == "float64" and not irrational
        count = len(parsed)
        return cls(
            colors=known,
            codes=np.arange(count, dtype=np.int32) if codes is None else integer_array(codes, "codes"),
            class_rainbow=parsed,
            class_distance=_distances([None] * count if distances is None else distances),
            rows=(StatedRows if decimals else exact_rows)(known, values, name),
            precision=chosen,
            # The constructor makes an array of any sequence of labels.
            labels=cast("LabelArray | None", labels),
            notes=notes,
        )

    def __repr__(self) -> str:
        return (
            f"Mechanism({self.size} datasets, {self.class_count} classes, {len(self.colors)} colors, "
            f"{self.precision})"
        )

    def __getitem__(self, dataset: object) -> Distribution:
        return self.distribution(dataset)

    def __eq__(self, other: object) -> bool:
        """Tell whether the same datasets, by name in any order, have the same exact probabilities."""
        if not isinstance(other, Mechanism):
            return NotImplemented
        if (self.size, self.colors) != (other.size, other.colors):
            return False
        try:
            places = matched(self.labels, other.labels, named=True)
        except UnknownDatasetError:
            return False
        codes = other.codes if places is None else other.codes[places]
        first = first_occurrences(self.codes, codes, max(self.class_count, other.class_count))
        pairs = list(zip(self.codes[first].tolist(), codes[first].tolist(), strict=True))
        rows, others = self.rows, other.rows
        if isinstance(rows, LineRows) and isinstance(others, LineRows):
            shared = rows.shared_with(others)
            pairs = [pair for pair in pairs if not shared(*pair)]
        return all(rows[one] == others[another] for one, another in pairs)

    def __hash__(self) -> int:
        return hash((self.size, self.colors))

    def _columns(self, most: int | None = None) -> list[tuple[str, list[Any]]]:
        rainbows, codes = list(map(str, self.class_rainbow)), self.codes[:most]
        return [
            ("rainbow", [rainbows[code] for code in codes.tolist()]),
            ("distance", self.class_distance[codes].tolist()),
            *zip(self.colors, self.table[codes].T.tolist(), strict=True),
        ]

    def to_json(self) -> str:
        """Return the mechanism as JSON, which `from_json` and `rainbowdp.read_mechanism` read.

        Returns
        -------
        str
            Fractions where the precision is ``exact``, else the closest floats.

        Raises
        ------
        ColorError
            If a color is called as one of the first columns of a mechanism file.

        Examples
        --------
        >>> mechanism = Mechanism.from_table(["b>r"], [{"b": "3/4", "r": "1/4"}], labels=["ann"])
        >>> print(mechanism.to_json(), end="")
        {"colors": ["b", "r"], "precision": "exact", "rows": [
        {"dataset": "ann", "rainbow": "b>r", "distance": null, "probabilities": {"b": "3/4", "r": "1/4"}}
        ]}
        >>> Mechanism.from_json(mechanism.to_json()) == mechanism
        True
        """
        return rainbowdp.formats.mechanism_json(self)

    @classmethod
    def from_json(cls, text: str) -> "Mechanism":
        """Build a mechanism from JSON.

        Parameters
        ----------
        text : str
            As of `to_json`; each row needs the names ``dataset`` and ``probabilities`` alone.

        Returns
        -------
        Mechanism

        Raises
        ------
        FileFormatError
            If the text is not of this form.
        DuplicateDatasetError, DistributionError, NumberError
            If it names a dataset twice, or a row holds no distribution; the message names the dataset.

        Examples
        --------
        >>> rows = '[{"dataset": "ann", "probabilities": {"b": "3/4", "r": "1/4"}}]'
        >>> Mechanism.from_json(f'{{"colors": ["b", "r"], "precision": "exact", "rows": {rows}}}')["ann"]
        Distribution(b=3/4, r=1/4)
        """
        return rainbowdp.formats.mechanism_of_json(text)

    @property
    def size(self) -> int:
        """Number of datasets."""
        return self.codes.size

    @property
    def class_count(self) -> int:
        """Number of classes."""
        return len(self.class_rainbow)

    @cached_property
    def stated(self) -> bool:
        """Whether the rows are decimals that stand for numbers within the stated precision."""
        if self.precision == "exact" or isinstance(self.rows, LineRows):
            return False
        return isinstance(self.rows, StatedRows) or all(row.is_rational for row in self.rows)

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The probabilities per class, float64 [C, k], read-only, columns in the order of `colors`."""
        if isinstance(self.rows, ComputedRows):
            return frozen(self.rows.float_table())
        values = [[to_float(value, "nearest") for value in row.values()] for row in self.rows]
        return frozen(np.array(values, dtype=np.float64))

    def probabilities(self) -> NDArray[np.float64]:
        """Return the probabilities per dataset.

        Returns
        -------
        float64 array [n, k]
            Columns in the order of `colors`.

        Examples
        --------
        >>> Mechanism.from_table(["b>r"], [{"b": "3/4", "r": "1/4"}]).probabilities()
        array([[0.75, 0.25]])
        """
        return self.table.take(self.codes, axis=0)

    def distribution(self, dataset: object) -> Distribution:
        """Return the exact distribution of a dataset, given by its name.

        Parameters
        ----------
        dataset : str or int
            The name, as text or in its own type.

        Returns
        -------
        Distribution

        Raises
        ------
        UnknownDatasetError
            If no dataset has that name; the help names similar ones.

        Examples
        --------
        >>> Mechanism.from_table(["b>r"], [{"b": "3/4", "r": "1/4"}], labels=["ann"]).distribution("ann")
        Distribution(b=3/4, r=1/4)
        """
        return self.rows[int(self.codes[self.index(dataset)])]

    def rainbow_of(self, dataset: object) -> Rainbow:
        """Return the rainbow of a dataset, given by its name.

        Parameters
        ----------
        dataset : str or int
            The name, as text or in its own type.

        Returns
        -------
        Rainbow

        Raises
        ------
        UnknownDatasetError
            If no dataset has that name.

        Examples
        --------
        >>> print(Mechanism.from_table(["b>r"], [{"b": "3/4", "r": "1/4"}]).rainbow_of(0))
        b>r
        """
        return self.class_rainbow[int(self.codes[self.index(dataset)])]

    @property
    def distance(self) -> Distances:
        """The distance of each dataset, masked int32 [n]."""
        return cast("Distances", self.class_distance[self.codes])


def _require_precision(precision: object) -> None:
    one_of("a precision", precision, get_args(Precision), MechanismShapeError)


def _distances(values: Sequence[int | None] | NDArray[Any]) -> Distances:
    """Return the distance of each class, masked where it is None or masked.

    Raises
    ------
    MechanismShapeError
        If a distance is not a whole number from 0 to 2^31 - 1.
    """
    items = list_of(values.tolist() if isinstance(values, np.ndarray) else values, "distances")
    if not all(item is None or (is_whole(item) and 0 <= item < 2**31) for item in items):
        raise MechanismShapeError(
            "a distance is not a whole number from 0 to 2^31 - 1",
            help="give the steps to the boundary, and None where there is none",
        )
    return distances_of(np.array([-1 if item is None else item for item in items], dtype=np.int32))
