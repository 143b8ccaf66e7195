# SPDX-License-Identifier: Apache-2.0
"""All small tables over a few cells, and which of them are neighbors: found by counting, not by any formula.

A table is a histogram: how many rows have each cell. Scores have no table behind them; for them a small
grid of scores takes its place.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, comb, floor

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.questions.kinds import is_known
from rainbowdp.questions.levels import Bracket, Level
from rainbowdp.questions.measures import SumOf
from rainbowdp.questions.question import Neighbors, Question
from rainbowdp.questions.scores import Scores
from rainbowdp.questions.selection import Ranking, Winner

_GRID = 1300


@dataclass(frozen=True)
class SmallTables:
    """All tables of up to some rows.

    Attributes
    ----------
    cells : tuple
        What rows can say.
    tables : int64 array [tables, cells]
        How many rows say it.
    near : bool array [tables, tables]
        Which tables are neighbors: one person's rows apart, and not the same.
    sizes : int64 array [tables]
        How far a table is from the least one; with `limit` it tells how far it is from the cut-off.
    limit : int
        The most rows.
    parts : int64 array [tables] or None
        Which tables hang together, if not all do.
    """

    cells: tuple[object, ...]
    tables: npt.NDArray[np.int64]
    near: npt.NDArray[np.bool_]
    sizes: npt.NDArray[np.int64]
    limit: int
    parts: npt.NDArray[np.int64] | None


def small_tables(
    cells: tuple[object, ...], neighbors: Neighbors, records: int | None, max_rows: int, most: int
) -> SmallTables:
    """Return all tables of up to so many records.

    Parameters
    ----------
    cells : tuple
        What rows can say.
    neighbors : {"add-remove", "change-one"}
        How neighbors differ.
    records : int, optional
        The most rows; otherwise as many as `most` allows, at most 60.
    max_rows : int
        In how many rows they may differ.
    most : int
        The most tables.

    Returns
    -------
    SmallTables

    Raises
    ------
    QuestionError
        If there would be too many.
    """
    kinds = len(cells)
    if records is None:
        fitting = (rows for rows in range(60, 0, -1) if comb(rows + kinds, kinds) <= most)
        records = next(fitting, 1)
    if not is_whole(records) or records < 1:
        raise QuestionError(
            f"{described(records)} is not a number of records", help="give a whole number of at least 1"
        )
    records = int(records)
    if kinds < 1 or comb(records + kinds, kinds) > most:
        raise QuestionError(
            f"{kinds} cells and {records} records do not make between 1 and {most} tables",
            help="check with fewer records or cells",
        )
    tables = np.array(
        [row for total in range(records + 1) for row in _histograms(total, kinds)], dtype=np.int64
    )
    gained = np.zeros((len(tables), len(tables)), dtype=np.int16)
    lost = np.zeros_like(gained)
    for column in tables.T.astype(np.int16):
        change = column[None, :] - column[:, None]
        gained += np.maximum(change, 0)
        lost += np.maximum(-change, 0)
    sizes = tables.sum(axis=1)
    if neighbors == "add-remove":
        return SmallTables(cells, tables, _proper(gained + lost <= max_rows), sizes, records, None)
    near = _proper((gained == lost) & (gained <= max_rows))
    return SmallTables(cells, tables, near, sizes, records, sizes)


def score_tables(question: Scores, people: int) -> SmallTables:
    """Return a grid of scores in units of the sensitivity; neighbors are so many people's moves apart."""
    options = len(question.options)
    side = next((side for side in range(31, 1, -1) if side**options <= _GRID), 2)
    grid = np.array(list(itertools.product(range(side), repeat=options)), dtype=np.int64)
    change = grid[None, :, :] - grid[:, None, :]
    if question.monotone:
        # Some people raise all scores, or none does: mixed moves need one person for either direction.
        near = (np.maximum(change, 0).max(axis=2) + np.maximum(-change, 0).max(axis=2)) <= people
    else:
        near = np.abs(change).max(axis=2) <= people
    middle = (side - 1) // 2
    sizes = np.abs(grid - middle).max(axis=1)
    return SmallTables(question.options, grid, _proper(near), sizes, middle, None)


def cells_of(question: Question) -> tuple[object, ...]:
    """Return cells that a question of rainbowdp's own tells apart.

    Raises
    ------
    QuestionError
        If it is another question.

    Examples
    --------
    >>> from rainbowdp.questions import bracket, yes_no
    >>> cells_of(yes_no("smoker", equals="yes", share="1/2")), cells_of(bracket("age", edges=[18, 65]))
    (('yes', 'not yes'), ('17', '41', '65'))
    """
    known = question if is_known(question) else None
    match known:
        case Winner() | Ranking():
            return known.options
        case Level(measure=SumOf() as measure):
            if measure.tight:
                return tuple(map(str, range(int(measure.lower), int(measure.upper) + 1)))
            inside = [] if measure.lower == measure.upper else [_decimal(measure.lower, measure.upper)]
            return tuple(dict.fromkeys((str(floor(measure.lower)), *inside, str(ceil(measure.upper)))))
        case Level():
            equals = str(known.describe()["equals"])
            return (equals, f"not {equals}")
        case Bracket(edges=edges):
            inside = [_decimal(low, high) for low, high in itertools.pairwise(edges)]
            return (str(floor(edges[0]) - 1), *inside, str(ceil(edges[-1])))
        case _:
            raise QuestionError(
                "it is not known what cells may say", help="give the cells of which to make tables"
            )


def _decimal(low: Fraction, high: Fraction) -> str:
    """Return a short decimal between two numbers, as near to their middle as its digits allow."""
    middle, digits = (low + high) / 2, 0
    while not low < Fraction(floor(middle * 10**digits), 10**digits) < high:
        digits += 1
    return f"{Decimal(floor(middle * 10**digits)).scaleb(-digits):f}"


def _histograms(total: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to spread some rows over the cells."""
    for bars in itertools.combinations(range(total + kinds - 1), kinds - 1):
        ends = (-1, *bars, total + kinds - 1)
        yield tuple(high - low - 1 for low, high in itertools.pairwise(ends))


def _proper(near: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Leave out that every table is near itself."""
    np.fill_diagonal(near, val=False)
    return near
