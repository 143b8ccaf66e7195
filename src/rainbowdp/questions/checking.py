# SPDX-License-Identifier: Apache-2.0
"""Proving a question right on all small tables: its distances, and the regions that touch.

Every table of up to some records over a few cells is listed as a histogram, neighbors are joined by counting,
and the true distance is found by walking. Scores have no table behind them; a small grid of scores takes its
place. Of the question's formulas only the true answer is used for that, so a distance that is off by one
anywhere is found, and so is a pair of regions that touch and is not named. Unless cells are given, there is
one of each kind that the question tells apart.
"""

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, comb, floor
from typing import cast

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import is_whole
from rainbowdp.questions import readings
from rainbowdp.questions.cells import Point
from rainbowdp.questions.kinds import is_known
from rainbowdp.questions.question import (
    Neighbors,
    Question,
    in_table,
    require_question,
    require_relation,
    require_rows,
)
from rainbowdp.questions.readings import ScoreValues, Summary, as_texts
from rainbowdp.questions.scores import Scores

_UNREADABLE = b"\xff"
_TABLES, _MOST_TABLES = 2500, 7500
_FAR = 1 << 40
_GRID = 1300

Fault = tuple[str, tuple[int, ...], str]
Array = npt.NDArray[np.int64]


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
        Which tables are neighbors, at most one person's rows apart; each also counts as its own.
    sizes : int64 array [tables]
        How far a table is from the least one; with `limit` it tells how far it is from the cut-off.
    limit : int
        The most rows.
    parts : int64 array [tables] or None
        Which tables hang together, if not all do.
    """

    cells: tuple[object, ...]
    tables: Array
    near: npt.NDArray[np.bool_]
    sizes: Array
    limit: int
    parts: Array | None


@dataclass(frozen=True)
class QuestionCheck:
    """What a check of a question found; true if everything holds.

    The tables it speaks of were made up, so nothing in it is private.

    Attributes
    ----------
    holds : bool
        Whether everything holds on the tables looked at.
    broken : str or None
        ``answers``: what is located is none of the answers, or no distance. ``a``: neighbors in one region
        differ by more than 1 in distance. ``b``: neighbors in different regions are not both at distance 0.
        ``c``: regions touch that the question does not name. ``tightness``: a distance is not the true one.
    reason : str
        What is wrong, in words.
    cells : tuple
        The cells of which tables were made.
    tables : tuple of tuple of int
        The one or two tables that show it: how many rows have each of the cells.
    count : int
        How many tables were looked at.
    unseen : tuple of str
        Answers that none of the tables has. Whatever concerns them was not checked: give more records.
    superfluous : frozenset of (str, str)
        Pairs of regions that the question names, and that touch nowhere among these tables. That is safe.
    """

    holds: bool
    broken: str | None
    reason: str
    cells: tuple[object, ...]
    tables: tuple[tuple[int, ...], ...]
    count: int
    unseen: tuple[str, ...]
    superfluous: frozenset[tuple[str, str]]

    def __bool__(self) -> bool:
        return self.holds


def check_question(
    question: Question,
    neighbors: Neighbors = "add-remove",
    *,
    records: int | None = None,
    max_rows: int = 1,
    cells: Sequence[object] | None = None,
    unreadable: bool = False,
    tight: bool | None = None,
) -> QuestionCheck:
    """Check a question's distances and touching regions on every small table.

    Parameters
    ----------
    question : Question
        The question; one of rainbowdp's own, or one that you wrote.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are.
    records : int, optional
        The most rows of a table; otherwise as many as make some 2,000 tables, at most 60.
    max_rows : int
        How many rows one person can have; distances are divided by it.
    cells : sequence, optional
        What cells may say: one of each kind that the question tells apart. For rainbowdp's own questions
        this is known, for others, also for those derived from its own, it must be given.
    unreadable : bool
        Also look at tables with cells that count for nothing, and check the question as `in_table` makes it.
    tight : bool, optional
        Whether distances must be the true ones wherever the number of records does not cut a table off.
        Otherwise that is asked where a question does not deny it by an attribute ``tight``, as sums do; and
        under change-one only among tables of a size at which every answer can occur.

    Returns
    -------
    QuestionCheck

    Raises
    ------
    QuestionError
        If it is not a question, no cells are known, or there would be too many tables.

    Examples
    --------
    >>> from rainbowdp.questions import level, winner
    >>> bool(check_question(winner("party", ["A", "B", "C"]), "change-one", records=5))
    True
    >>> from dataclasses import dataclass
    >>> from rainbowdp.questions import Level
    >>> class Forgetful(Level):
    ...     def touching(self, neighbors, max_rows=1):
    ...         return frozenset([("low", "medium"), ("medium", "high")])
    >>> asked = level("smoker", equals="yes", edges=[4, 6], labels=["low", "medium", "high"])
    >>> forgetful = Forgetful(asked.column, asked.measure, asked.edges, asked.labels)
    >>> cells = ["yes", "no"]
    >>> bool(check_question(forgetful, cells=cells))
    True
    >>> check_question(forgetful, max_rows=3, cells=cells).reason
    "'low' and 'high' touch, and are not named"
    """
    require_question(question)
    require_relation(neighbors)
    max_rows = require_rows(max_rows)
    checked = in_table(question) if unreadable else question
    wanted = bool(getattr(checked, "tight", True)) if tight is None else tight
    family, summaries = _looked_at(checked, neighbors, records, max_rows, cells, unreadable=unreadable)
    answers = tuple(checked.answers)
    places = {answer: at for at, answer in enumerate(answers)}
    numbers = {summary: at for at, summary in enumerate(dict.fromkeys(summaries))}
    looks = np.array([numbers[summary] for summary in summaries])
    located = [checked.locate(summary, neighbors) for summary in numbers]
    regions = np.array([places.get(found.answer, -1) for found in located])[looks]
    # Very large distances count as one beyond all tables, and what is not a distance as -1.
    rows = [min(int(found.distance), _FAR) if is_whole(found.distance) else -1 for found in located]
    distances = (np.array(rows, dtype=np.int64) // max_rows)[looks]
    touching = checked.touching(neighbors, max_rows)
    named = None if touching is None else {frozenset(pair) for pair in touching}
    fault = _fault(family, answers, regions, distances, named)
    if fault is None and wanted:
        fault = _loose(family, looks, regions, distances, answers=len(answers), max_rows=max_rows)
    broken, at, reason = fault or (None, (), "")
    seen = {frozenset((answers[one], answers[two])) for one, two in _joined(family, regions)}
    pairs = touching or frozenset()
    return QuestionCheck(
        holds=broken is None,
        broken=broken,
        reason=reason,
        cells=family.cells,
        tables=tuple(tuple(family.tables[place].tolist()) for place in at),
        count=len(family.tables),
        unseen=tuple(answer for answer in answers if places[answer] not in regions),
        superfluous=frozenset(pair for pair in pairs if frozenset(pair) not in seen),
    )


def _looked_at(
    question: Question,
    neighbors: Neighbors,
    records: int | None,
    max_rows: int,
    cells: Sequence[object] | None,
    *,
    unreadable: bool,
) -> tuple[SmallTables, list[Summary]]:
    """Return all small tables, and the summary of each."""
    if isinstance(question, Scores):
        family = score_tables(question, max_rows)
        units = family.tables.tolist()
        return family, [ScoreValues(tuple(question.sensitivity * unit for unit in row)) for row in units]
    values = cells_of(question) if cells is None else tuple(cells)
    values = (*values, _UNREADABLE) if unreadable else values
    family = small_tables(values, neighbors, records, max_rows)
    summary, rows = question.reading.summary, family.tables.tolist()
    return family, [summary(as_texts(zip(values, row, strict=True))) for row in rows]


def _fault(
    family: SmallTables,
    answers: Sequence[str],
    regions: Array,
    distances: Array,
    named: set[frozenset[str]] | None,
) -> Fault | None:
    """Return the first table or pair of neighbors that breaks privacy."""
    unknown = np.flatnonzero((regions < 0) | (distances < 0))
    if unknown.size:
        return "answers", (int(unknown[0]),), "what is located is none of the answers, or its distance none"
    same = regions[:, None] == regions[None, :]
    apart = np.abs(distances[:, None] - distances[None, :]) > 1
    far = (distances[:, None] > 0) | (distances[None, :] > 0)
    for broken, wrong, where in (("a", same & apart, "one region"), ("b", ~same & far, "different regions")):
        if (pair := _first(family.near & wrong)) is not None:
            one, two = distances[list(pair)].tolist()
            return broken, pair, f"neighbors in {where} have the distances {one} and {two}"
    if named is not None:
        for first, second in _joined(family, regions):
            if frozenset((answers[first], answers[second])) not in named:
                pair = _first(family.near & (regions[:, None] == first) & (regions[None, :] == second))
                found = f"{answers[first]!r} and {answers[second]!r} touch, and are not named"
                return "c", pair or (), found
    return None


def _first(pairs: npt.NDArray[np.bool_]) -> tuple[int, int] | None:
    """Return the first pair, if there is one."""
    at = int(np.argmax(pairs))
    return divmod(at, pairs.shape[1]) if pairs.flat[at] else None


def _joined(family: SmallTables, regions: Array) -> list[tuple[int, int]]:
    """Return the pairs of different regions that neighbors have, the one declared first before the other."""
    first, second = np.nonzero(family.near)
    count = int(regions.max()) + 1
    ordered = (regions[first] < regions[second]) & (regions[first] >= 0)
    codes = np.unique(regions[first[ordered]] * count + regions[second[ordered]])
    return [divmod(code, count) for code in codes.tolist()]


def _loose(
    family: SmallTables, looks: Array, regions: Array, distances: Array, *, answers: int, max_rows: int
) -> Fault | None:
    """Return the first table whose distance is not the true one, where the family is large enough to tell.

    Tables with one summary are one place, since no distance can tell them apart. Where rows come and go,
    everything within the stated distance and one step more must lie in the family: then the true distance is
    at most the stated one in the family if it is so among all tables. Where rows change, the number of rows
    is fixed, and every answer must occur with it. Places of several tables are reached through larger ones,
    too: for them twice the steps must lie in the family.
    """
    count = int(looks.max()) + 1
    first, second = np.nonzero(family.near)
    near = np.zeros((count, count), dtype=np.bool_)
    near[looks[first], looks[second]] = True
    places = np.unique(looks, return_index=True)[1]
    walked = _walked(near, regions[places])[looks]
    smallest = np.full(count, family.limit)
    np.minimum.at(smallest, looks, family.sizes)
    steps = (distances + 1) * max_rows
    if count < len(looks):
        whole = smallest[looks] + 2 * steps <= family.limit
    elif family.parts is None:
        whole = family.sizes + steps <= family.limit
    else:
        found = [np.unique(regions[family.parts == part]).size for part in range(family.parts.max() + 1)]
        whole = np.array(found)[family.parts] == answers
    wrong = np.flatnonzero(whole & (distances != walked))
    if not wrong.size:
        return None
    at = int(wrong[0])
    true = int(walked[at]) if walked[at] >= 0 else "more than this family has"
    return "tightness", (at,), f"the distance is {int(distances[at])}, and the true one {true}"


def _walked(near: npt.NDArray[np.bool_], regions: Array) -> Array:
    """Return the distance of every place to the boundary of its region, -1 where there is none."""
    frontier = (near & (regions[:, None] != regions[None, :])).any(axis=1)
    walked = np.full(len(regions), -1)
    steps = 0
    while frontier.any():
        walked[frontier] = steps
        frontier = near[frontier].any(axis=0) & (walked < 0)
        steps += 1
    return walked


def small_tables(
    cells: tuple[object, ...], neighbors: Neighbors, records: int | None, max_rows: int
) -> SmallTables:
    """Return all tables of up to so many records.

    Parameters
    ----------
    cells : tuple
        What rows can say.
    neighbors : {"add-remove", "change-one"}
        How neighbors differ.
    records : int, optional
        The most rows; otherwise as many as make 2,500 tables, at most 60.
    max_rows : int
        In how many rows they may differ.

    Returns
    -------
    SmallTables

    Raises
    ------
    QuestionError
        If there would be too many.
    """
    kinds, most = len(cells), _TABLES if records is None else _MOST_TABLES
    if records is None:
        fitting = (rows for rows in range(60, 0, -1) if comb(rows + kinds, kinds) <= most)
        records = next(fitting, 1)
    records = require_rows(records)
    if kinds < 1 or comb(records + kinds, kinds) > most:
        raise QuestionError(
            f"{kinds} cells and {records} records do not make between 1 and {most} tables",
            help="check with fewer records or cells",
        )
    rows = [row for total in range(records + 1) for row in _histograms(total, kinds)]
    tables = np.array(rows, dtype=np.int64)
    gained = np.zeros((len(tables), len(tables)), dtype=np.int16)
    lost = np.zeros_like(gained)
    for column in tables.T.astype(np.int16):
        change = column[None, :] - column[:, None]
        gained += np.maximum(change, 0)
        lost += np.maximum(-change, 0)
    sizes = tables.sum(axis=1)
    if neighbors == "add-remove":
        return SmallTables(cells, tables, gained + lost <= max_rows, sizes, records, None)
    return SmallTables(cells, tables, (gained == lost) & (gained <= max_rows), sizes, records, sizes)


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
    return SmallTables(question.options, grid, near, sizes, middle, None)


def _histograms(total: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to spread some rows over the cells."""
    for bars in itertools.combinations(range(total + kinds - 1), kinds - 1):
        ends = (-1, *bars, total + kinds - 1)
        yield tuple(high - low - 1 for low, high in itertools.pairwise(ends))


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
    match question.reading if is_known(question) else None:
        case readings.ApprovalReading(options=options, separator=separator):
            return (*options, *(separator.join(options[:size]) for size in range(2, len(options) + 1)))
        case readings.OptionReading(options=options):
            return options
        case readings.MatchReading(equals=said):
            return (said, f"not {said}")
        case readings.SumReading(lower=lower, upper=upper):
            if getattr(question, "tight", False):
                return tuple(map(str, range(int(lower), int(upper) + 1)))
            inside = [] if lower == upper else [_decimal(lower, upper)]
            return tuple(dict.fromkeys((str(floor(lower)), *inside, str(ceil(upper)))))
        case readings.BracketReading(edges=edges):
            return _cells_between(edges)
        case _:
            raise QuestionError(
                "it is not known what cells may say", help="give the cells of which to make tables"
            )


def _cells_between(edges: Sequence[Point]) -> tuple[str, ...]:
    """Return cells that lie below the first edge, between edges, and above the last one."""
    if isinstance(edges[0], dt.date):
        return (str(edges[0] - dt.timedelta(1)), *map(str, edges))
    numbers = cast("Sequence[Fraction]", edges)
    inside = [_decimal(low, high) for low, high in itertools.pairwise(numbers)]
    return (str(floor(numbers[0]) - 1), *inside, str(ceil(numbers[-1])))


def _decimal(low: Fraction, high: Fraction) -> str:
    """Return a short decimal between two numbers, as near to their middle as its digits allow."""
    middle, digits = (low + high) / 2, 0
    while not low < Fraction(floor(middle * 10**digits), 10**digits) < high:
        digits += 1
    return f"{Decimal(floor(middle * 10**digits)).scaleb(-digits):f}"
