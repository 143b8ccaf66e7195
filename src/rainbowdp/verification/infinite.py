# SPDX-License-Identifier: Apache-2.0
"""Why a tight figure has no finite upper end: the pair of neighbors and the color that make it so."""

import numpy as np

from rainbowdp.mechanism import Mechanism
from rainbowdp.verification.float_rows import Floats
from rainbowdp.verification.judge import RowKind
from rainbowdp.verification.pairs import ClassPairs
from rainbowdp.verification.result import Notion

_CLOSE_TO_ZERO = 2e-287
"""Below this the absolute part of the stated precision counts, as `stated_figures` has it."""


def why_infinite(
    mechanism: Mechanism, pairs: ClassPairs, table: Floats, kind: RowKind, notion: Notion
) -> str:
    """Return a sentence that says what leaves a tight figure without a finite upper end.

    Parameters
    ----------
    mechanism : Mechanism
        Names the datasets.
    pairs : ClassPairs
        The pairs of classes that were judged.
    table : float64 array [C, k]
        Nearest floats of the rows; positive where the numbers are.
    kind : {"ideal", "written", "stated"}
        How the rows were judged.
    notion : {"epsilon", "delta", "mu"}
        What the figure is.

    Returns
    -------
    str
    """
    allowed = _CLOSE_TO_ZERO if kind == "stated" else 0.0
    smallest = _smallest(table, pairs, allowed)
    if smallest is not None:
        place, column = smallest
        ends = [
            (float(table[index, column]), mechanism.label(int(dataset)))
            for index, dataset in (
                (pairs.first[place], pairs.source[place]),
                (pairs.second[place], pairs.target[place]),
            )
        ]
        return _sentence(mechanism.colors[column], min(ends), max(ends), kind, notion)
    twins = table[pairs.same]
    close = (twins > 0) & (twins < _CLOSE_TO_ZERO)
    if kind == "stated" and close.any():
        row, column = np.argwhere(close)[0].tolist()
        dataset = int(np.flatnonzero(mechanism.codes == pairs.same[row])[0])
        end = float(twins[row, column]), mechanism.label(dataset)
        return _sentence(mechanism.colors[column], end, (end[0], "another of the same row"), kind, notion)
    return f"4096 bits do not tell a probability from 0 or from 1, so no finite {notion} is sure to be enough"


def _smallest(table: Floats, pairs: ClassPairs, allowed: float) -> tuple[int, int] | None:
    """Return the pair and the color with the least probability beside a positive one, if small enough."""
    found: tuple[float, int, int] | None = None
    for column in range(table.shape[1]):
        one, other = table[pairs.first, column], table[pairs.second, column]
        least = np.where(np.maximum(one, other) > 0, np.minimum(one, other), np.inf)
        place = int(np.argmin(least)) if least.size else 0
        if least.size and least[place] <= allowed and (found is None or least[place] < found[0]):
            found = float(least[place]), place, column
    return None if found is None else found[1:]


def _sentence(
    color: str, low: tuple[float, str], high: tuple[float, str], kind: RowKind, notion: Notion
) -> str:
    (least, here), (most, there) = low, high
    if kind == "ideal":
        return (
            f"{color!r} has probability 0 at {here!r} and more at its neighbor {there!r}, which no finite "
            f"{notion} allows"
        )
    written = f"{color!r} is written {least:g} at {here!r} and {most:g} at its neighbor {there!r}"
    if least > 0:
        return (
            f"{written}: the first is too close to 0 for the stated precision to exclude an infinite {notion}"
        )
    return f"{written}: if 0 is meant, no finite {notion} is enough"
