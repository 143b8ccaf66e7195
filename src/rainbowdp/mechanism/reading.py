# SPDX-License-Identifier: Apache-2.0
"""Reading of the parts of a mechanism: lists of rainbows, distances, colors and probabilities.

Each part is read once; a value that cannot be read is refused with the name of its part.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError, MechanismShapeError, NumberError
from rainbowdp.exact import Exact, NumberLike, Real
from rainbowdp.exact.arguments import is_whole, items_of, kind_of
from rainbowdp.graph.arrays import Distances, frozen_distances, integer_array
from rainbowdp.graph.labels import Labels, namer
from rainbowdp.rainbow import Rainbow, quote_color


def class_distances(values: Sequence[int | None] | NDArray[Any]) -> Distances:
    """Return the distance of each class, masked where it is None or masked.

    Raises
    ------
    MechanismShapeError
        If a distance is not a whole number from 0 to 2^31 - 1.
    """
    if isinstance(values, np.ndarray) and values.ndim == 1:
        missing = np.ma.getmaskarray(np.ma.asarray(values))
        present = np.asarray(values)[~missing]
    else:
        items = listed(values, "distances")
        missing = np.array([item is None for item in items], dtype=np.bool_)
        whole = [item for item in items if item is not None]
        present = np.array(whole if all(map(is_whole, whole)) else [None])
    if present.size and (present.dtype.kind not in "iu" or present.min() < 0 or present.max() >= 2**31):
        raise MechanismShapeError(
            "a distance is not a whole number from 0 to 2^31 - 1",
            help="give the steps to the boundary, and None where there is none",
        )
    distances = np.full(missing.size, -1, dtype=np.int64)
    distances[~missing] = present
    return frozen_distances(distances, missing)


def class_rainbows(rainbows: Sequence[Rainbow | str]) -> tuple[Rainbow, ...]:
    """Return the rainbow of each class, each text read once."""
    items = listed(rainbows, "rainbows")
    if set(map(type, items)) == {Rainbow}:
        return tuple(items)
    known = {item: Rainbow.of(item) for item in dict.fromkeys(filter(_is_rainbow, items))}
    return tuple(known[item] if _is_rainbow(item) else Rainbow.of(item) for item in items)


def _is_rainbow(item: object) -> bool:
    return isinstance(item, Rainbow | str)


def listed(values: object, what: str) -> list[Any]:
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
    name = namer(labels)

    def named(row: int) -> str:
        if codes is None:
            return f"dataset {name(row)!r}"
        users = np.flatnonzero(integer_array(codes, "codes") == row)
        return f"dataset {name(int(users[0]))!r}" if users.size else f"row {row}"

    return named


def sorted_columns(
    table: Sequence[Mapping[str, NumberLike | Exact]] | NDArray[Any],
    known: tuple[str, ...],
    colors: Sequence[str] | None,
) -> Sequence[Mapping[str, NumberLike | Exact]] | NDArray[Any]:
    """Return mappings as they are, and an array with its columns in code-point order."""
    if not isinstance(table, np.ndarray):
        rows = listed(table, "rows")
        for row in rows:
            if not isinstance(row, Mapping) or not all(isinstance(color, str) for color in row):
                raise MechanismShapeError(
                    f"a row of a mechanism cannot be {kind_of(row)}",
                    help='give every row as a mapping, as in {"blue": "2/3", "red": "1/3"}, or an array',
                )
        return rows
    named = known if colors is None else color_names(colors)
    if tuple(sorted(named)) != known or table.ndim != 2 or table.shape[1] != len(known):
        raise MechanismShapeError(
            f"an array of shape {table.shape} with the columns {', '.join(map(quote_color, named))} does not "
            f"fit the colors {', '.join(map(quote_color, known))}",
            help="give one column per color of the rainbows",
        )
    return table if named == known else table[:, [named.index(color) for color in known]]


def color_names(colors: object) -> tuple[str, ...]:
    """Return names of colors, refusing anything but text."""
    names = listed(colors, "colors")
    for name in names:
        if not isinstance(name, str):
            raise MechanismShapeError(f"a color cannot be {kind_of(name)}", help="write colors as text")
    return tuple(names)


def has_irrational(values: Sequence[Mapping[str, NumberLike | Exact]] | NDArray[Any]) -> bool:
    """Tell whether a number is exact and not a fraction."""
    if isinstance(values, np.ndarray):
        return False
    return any(isinstance(value, Real) for row in values for value in row.values())


def as_array(
    values: Sequence[Mapping[str, NumberLike | Exact]] | NDArray[Any], known: tuple[str, ...]
) -> NDArray[Any]:
    """Return rows as an array with one column per color, in code-point order."""
    if isinstance(values, np.ndarray):
        return values
    for index, row in enumerate(values):
        if tuple(sorted(row)) != known:
            raise MechanismShapeError(
                f"row {index} has probabilities of {', '.join(map(quote_color, sorted(row)))}",
                help=f"give probabilities of {', '.join(map(quote_color, known))}",
            )
    return np.array([[row[color] for color in known] for row in values], dtype=object).reshape(-1, len(known))


def exact_rows(
    values: Sequence[Mapping[str, NumberLike | Exact]] | NDArray[Any],
    known: tuple[str, ...],
    name: Callable[[int], str],
) -> tuple[Distribution, ...]:
    """Return rows as exact distributions; an error names a dataset that has the row."""
    mappings = (
        [dict(zip(known, row, strict=True)) for row in values.tolist()]
        if isinstance(values, np.ndarray)
        else values
    )
    rows = []
    for index, mapping in enumerate(mappings):
        try:
            rows.append(mapping if isinstance(mapping, Distribution) else Distribution(mapping))
        except (DistributionError, NumberError) as error:
            raise error.at(name(index)) from error
    return tuple(rows)
