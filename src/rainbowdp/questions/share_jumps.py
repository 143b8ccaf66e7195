# SPDX-License-Identifier: Apache-2.0
"""Between which levels of a share a few rows can jump: a question about small tables.

A table of x matching and y other rows is a point of a lattice, and a level is a cone of it. Levels next to
each other touch, in large tables too. For all others let g be the share between them: the share of a table
has to move by more than g. If r rows of a table of n leave it and a others join, it moves by at most max(r,
a)/max(n, n - r + a): most if all that leave do not match and all that join do. With at most m rows on
either side both tables have fewer than m/g rows, and all tables up to that size are looked at. The empty
table, which reaches every edge, is one of them.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rainbowdp.questions.question import Neighbors

_MOST_ROWS = 8
_LARGEST_TABLE = 400


@lru_cache(maxsize=64)
def share_jumps(
    edges: tuple[Fraction, ...], neighbors: Neighbors, rows: int, *, some_uncounted: bool = False
) -> frozenset[tuple[int, int]]:
    """Return the pairs of levels that some rows can join.

    Parameters
    ----------
    edges : tuple of Fraction
        Ascending, above 0 and at most 1.
    neighbors : {"add-remove", "change-one"}
        Whether rows are added and removed, or changed.
    rows : int
        How many.
    some_uncounted : bool
        Whether a changed row may count for nothing before or afterwards.

    Returns
    -------
    frozenset of (int, int)
        The lower level first. Beyond 8 rows, and for gaps so narrow that tables of more than 400 rows
        matter, pairs are named that may not touch, which is safe.

    Examples
    --------
    >>> quarters = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    >>> sorted(share_jumps(quarters, "add-remove", 1))
    [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]
    >>> sorted(share_jumps((Fraction(1, 3), Fraction(2, 5), Fraction(3, 4)), "change-one", 1))
    [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]
    """
    levels = range(len(edges) + 1)
    everything = frozenset((low, high) for low in levels for high in levels[low + 1 :])
    neighboring = {(low, low + 1) for low in levels[:-1]}
    if rows > _MOST_ROWS or everything == neighboring:
        return everything
    gaps = {pair: edges[pair[1] - 1] - edges[pair[0]] for pair in everything - neighboring}
    size = min(int(rows / min(gaps.values())), _LARGEST_TABLE)
    found = _joined(edges, _moves(neighbors, rows, some_uncounted=some_uncounted), size + rows)
    unseen = {pair for pair, gap in gaps.items() if rows / gap >= size + 1}
    return frozenset(neighboring | found | unseen)


def _moves(neighbors: Neighbors, rows: int, *, some_uncounted: bool) -> list[tuple[int, int]]:
    """Return every way in which the numbers of matching and of other rows can change, up to its sign."""
    span = range(-rows, rows + 1)
    steps = [(x, y) for x in span for y in span if x > 0 or (x == 0 and y > 0)]
    if neighbors == "add-remove":
        return [(x, y) for x, y in steps if abs(x) + abs(y) <= rows]
    if some_uncounted:
        return [(x, y) for x, y in steps if max(x, 0) + max(y, 0) <= rows >= max(-x, 0) + max(-y, 0)]
    return [(x, y) for x, y in steps if x + y == 0]


def _joined(edges: Sequence[Fraction], moves: Sequence[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    """Return the pairs of levels that a move joins, among tables of up to so many rows of each kind."""
    x, y = np.arange(size + 1)[:, None], np.arange(size + 1)[None, :]
    level: npt.NDArray[np.int64] = np.zeros((size + 1, size + 1), dtype=np.int64)
    for edge in edges:
        level += _reaches(x, y, edge)
    count = len(edges) + 1
    found: set[int] = set()
    for right, up in moves:
        first = level[: size + 1 - right, max(-up, 0) : size + 1 - max(up, 0)]
        second = level[right:, max(up, 0) : size + 1 - max(-up, 0)]
        pairs = np.minimum(first, second) * count + np.maximum(first, second)
        found.update(np.flatnonzero(np.bincount(pairs.ravel())).tolist())
    return {(pair // count, pair % count) for pair in found if pair // count < pair % count}


def _reaches(x: npt.NDArray[np.int64], y: npt.NDArray[np.int64], edge: Fraction) -> npt.NDArray[np.bool_]:
    """Tell which tables reach an edge; beyond 64 bits whole numbers of Python decide."""
    p, q = edge.numerator, edge.denominator
    if q >= 2**40:
        x, y = x.astype(object), y.astype(object)
    return np.asarray(q * x >= p * (x + y), dtype=np.bool_)
