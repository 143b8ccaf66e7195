# SPDX-License-Identifier: Apache-2.0
"""Read what a mechanism is made of: rainbows, distances, names of colors, and rows of probabilities."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError, MechanismShapeError, NumberError
from rainbowdp.exact import Number
from rainbowdp.exact.arguments import described, is_whole, items_of, kind_of
from rainbowdp.graph.arrays import Distances, distances_of, integer_array
from rainbowdp.graph.labels import Labels, namer
from rainbowdp.rainbow import Rainbow, RainbowLike, quote_color

Precision = Literal["exact", "float64"]


def require_precision(precision: object) -> None:
    """Refuse what is not the name of a precision."""
    if not isinstance(precision, str) or precision not in get_args(Precision):
        raise MechanismShapeError(
            f"there is no precision {described(precision)}",
            help=f"use {' or '.join(map(repr, get_args(Precision)))}",
        )


def class_distances(values: Sequence[int | None] | NDArray[Any]) -> Distances:
    """Return the distance of each class, masked where it is None or masked.

    Raises
    ------
    MechanismShapeError
        If a distance is not a whole number from 0 to 2^31 - 1.
    """
    items = listed(values.tolist() if isinstance(values, np.ndarray) else values, "distances")
    if not all(item is None or (is_whole(item) and 0 <= item < 2**31) for item in items):
        raise MechanismShapeError(
            "a distance is not a whole number from 0 to 2^31 - 1",
            help="give the steps to the boundary, and None where there is none",
        )
    return distances_of(np.array([-1 if item is None else item for item in items], dtype=np.int32))


def class_rainbows(rainbows: Sequence[RainbowLike]) -> tuple[Rainbow, ...]:
    """Return the rainbow of each class, each text read once."""
    return tuple(map(Rainbow.of, listed(rainbows, "rainbows")))


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


def color_names(colors: object) -> tuple[str, ...]:
    """Return names of colors, refusing anything but text."""
    names = tuple(listed(colors, "colors"))
    if not all(isinstance(name, str) for name in names):
        raise MechanismShapeError("a color of a mechanism is not text", help="write colors as text")
    return names


def table_of(
    table: Sequence[Mapping[str, Number]] | NDArray[Any],
    known: tuple[str, ...],
    colors: Sequence[str] | None,
) -> NDArray[Any]:
    """Return the probabilities of rows as an array [C, k] with its columns in code-point order."""
    if isinstance(table, np.ndarray):
        named = known if colors is None else color_names(colors)
        if tuple(sorted(named)) != known or table.ndim != 2 or table.shape[1] != len(known):
            raise MechanismShapeError(
                f"an array of shape {table.shape} with the columns {', '.join(map(quote_color, named))} does "
                f"not fit the colors {', '.join(map(quote_color, known))}",
                help="give one column per color of the rainbows",
            )
        return table if named == known else table[:, [named.index(color) for color in known]]
    rows = listed(table, "rows")
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping) or not all(isinstance(color, str) for color in row):
            raise MechanismShapeError(
                f"a row of a mechanism cannot be {kind_of(row)}",
                help='give every row as a mapping, as in {"blue": "2/3", "red": "1/3"}, or an array',
            )
        if tuple(sorted(row)) != known:
            raise MechanismShapeError(
                f"row {index} has probabilities of {', '.join(map(quote_color, sorted(row)))}",
                help=f"give probabilities of {', '.join(map(quote_color, known))}",
            )
    return np.array([[row[color] for color in known] for row in rows], dtype=object).reshape(-1, len(known))


def exact_row(
    colors: tuple[str, ...], values: list[Any], name: Callable[[int], str], index: int
) -> Distribution:
    """Return a row of exact numbers; an error names it."""
    try:
        return Distribution(dict(zip(colors, values, strict=True)))
    except (DistributionError, NumberError) as error:
        raise error.at(name(index)) from error
