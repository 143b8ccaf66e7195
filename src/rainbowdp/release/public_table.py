# SPDX-License-Identifier: Apache-2.0
"""The probabilities that a receipt shows: by true answer and distance, each number once.

A row holds one cell for each class of the true answer's order, best first: the probability of one answer of
that class, or a list of them where answers of one class differ. True answers whose tables are the same up to
names share one. So a question of many options has one short table, and not one number for every option at
every distance of every other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, ball, format_exact, round_ball
from rainbowdp.line import Line
from rainbowdp.questions import nearest_first, own_answer_first
from rainbowdp.rainbow import Rainbow
from rainbowdp.release.kept import MOST_TERMS, Kept
from rainbowdp.release.terms import Terms

LARGEST_TABLE = 10_000
"""How many rows all tables have together at most."""
NEARLY_CERTAIN = 1 - Fraction(1, 2**40)
_PAIR = 2
_MOST_KEPT_CELLS = 1 << 15
OWN_FIRST, NEAREST_FIRST = "own-first", "nearest-first"

Json = object
Cell = float | list[float]
Row = list[Cell]
Stated = list[str | list[str]] | None
_Listed = TypeVar("_Listed")


@dataclass(frozen=True)
class SharedTable:
    """What some true answers have in common.

    Attributes
    ----------
    answers : tuple of str
        The true answers.
    boundary : list or None
        The cells at distance 0 as exact text; None where they are irrational.
    rows : list of list
        The cells at distance 0, 1, 2, ...; each number is right to a few units in its last place.
    """

    answers: tuple[str, ...]
    boundary: Stated
    rows: list[Row]


_TABLES: Kept[tuple[SharedTable, ...]] = Kept(MOST_TERMS)


def shared_tables(terms: Terms) -> tuple[SharedTable, ...]:
    """Return the tables of all true answers, in the order of the answers that come first in each.

    A table ends where the true answer comes out with probability at least 1 - 2^-40, or where the tables
    would have more than `LARGEST_TABLE` rows together. Tables are as public as the terms that they follow
    from, and are kept by these where they are small.
    """
    name = terms.kept_as
    made = _made(terms) if name is None else _TABLES.of(name, lambda: _made(terms), small=_is_small)
    return tuple(SharedTable(one.answers, _copied(one.boundary), _copied(one.rows)) for one in made)


def _is_small(tables: tuple[SharedTable, ...]) -> bool:
    return sum(len(one.rows) * len(one.rows[0]) for one in tables) <= _MOST_KEPT_CELLS


def _copied(value: _Listed) -> _Listed:
    """Return lists that whoever gets them may change."""
    return cast("_Listed", list(map(_copied, value))) if isinstance(value, list) else value


def _made(terms: Terms) -> tuple[SharedTable, ...]:
    answers = terms.answers
    if terms.lines.all_alike:
        return (SharedTable(answers, *_table(terms.line(answers[0]), LARGEST_TABLE)),)
    most = max(1, LARGEST_TABLE // len(answers))
    tables = _Tables(terms, most)
    found: dict[object, tuple[list[str], Stated, list[Row]]] = {}
    for answer in answers:
        key, boundary, rows = tables.of(answer)
        found.setdefault(key, ([], boundary, rows))[0].append(answer)
    return tuple(SharedTable(tuple(names), boundary, rows) for names, boundary, rows in found.values())


def order_json(terms: Terms) -> Json:
    """Return in which order the cells of a row stand: one of two rules, or the classes by true answer."""
    answers = terms.answers
    if terms.lines.all_alike:
        return OWN_FIRST
    for rule, ordered in ((OWN_FIRST, own_answer_first), (NEAREST_FIRST, nearest_first)):
        if all(terms.rainbow(answer) == ordered(answer, answers) for answer in answers):
            return rule
    return {answer: [list(tied) for tied in terms.rainbow(answer).classes] for answer in answers}


@dataclass(frozen=True)
class _Class:
    """A class of tied answers where regions meet: their exact probabilities, one if they are all the same."""

    size: int
    values: tuple[Exact, ...]

    @property
    def mass(self) -> Exact:
        """The probability of the whole class."""
        return self.values[0] * self.size if len(self.values) == 1 else sum(self.values, Fraction(0))

    def cells(self, masses: npt.NDArray[np.float64]) -> list[Cell]:
        """Return the cells of a column from the probabilities of the class: its proportions are kept."""
        if len(self.values) == 1:
            return list((masses / self.size).tolist())
        shares = np.array([self._share(value) for value in self.values])
        return list((masses[:, None] * shares).tolist())

    def _share(self, value: Exact) -> float:
        """Return a probability divided by that of the class; both may be less than any float."""
        return round_ball(lambda: ball(value) / ball(self.mass), "nearest")


class _Tables:
    """The tables of one question's true answers, each made once.

    Where all answers but the true one are equally likely at distance 0, a class of two is two classes of one
    on the same line. So one line of single answers has the numbers for all true answers, whatever their
    classes: hundreds of answers take no longer than their table is large.
    """

    def __init__(self, terms: Terms, most: int) -> None:
        self._terms, self._most = terms, most
        self._singles: dict[str, npt.NDArray[np.float64]] = {}
        self._made: dict[object, tuple[object, Stated, list[Row]]] = {}

    def of(self, answer: str) -> tuple[object, Stated, list[Row]]:
        """Return the boundary and the rows of one true answer, and what its equals have in common."""
        # Under randomized response one line has the chances of all.
        alike = self._terms.lines.is_response
        shown = self._terms.answers[0] if alike else answer
        line = self._terms.line(shown)
        classes = self._terms.rainbow(answer).classes if alike else line.rainbow.classes
        sizes = tuple(map(len, classes))
        likely = _flat(line, shown) if max(sizes) <= _PAIR else None
        if likely is None:
            boundary, rows = _table(self._terms.line(answer), self._most)
            return repr((boundary, rows)), boundary, rows
        key = (repr(likely), sizes)
        if key not in self._made:
            starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
            # Sums of one or two numbers lose no accuracy.
            columns = np.add.reduceat(self._single(line, likely), starts, axis=1) / np.array(sizes)
            exact = all(isinstance(value, Fraction) for value in likely)
            own, other = map(format_exact, likely) if exact else ("", "")
            boundary = [own, *[other] * (len(sizes) - 1)] if exact else None
            self._made[key] = (key, boundary, columns.tolist())
        return self._made[key]

    def _single(self, line: Line, likely: tuple[Exact, Exact]) -> npt.NDArray[np.float64]:
        """Return the probabilities of a line on which every class is one answer."""
        key = repr(likely)
        if key not in self._singles:
            own, other = likely
            names = [f"{at:06}" for at in range(len(line.rainbow.colors))]
            masses = Distribution.trusted({name: other if at else own for at, name in enumerate(names)})
            single = Line(Rainbow([(name,) for name in names]), masses, line.privacy)
            self._singles[key] = single.probabilities(range(_length(line, self._most)))
        return self._singles[key]


def _flat(line: Line, answer: str) -> tuple[Exact, Exact] | None:
    """Return how likely the true answer is at distance 0, and each other one, if all those are alike."""
    own, *others = (line.boundary[color] for tied in line.rainbow.classes for color in tied)
    if line.rainbow.classes[0] != (answer,):
        return None
    alike = all(value is others[0] or value == others[0] for value in others)
    return (own, others[0]) if alike else None


def _length(line: Line, most: int) -> int:
    """Return how many distances are shown."""
    needed = line.distance_for(NEARLY_CERTAIN)
    return most if needed is None else min(needed + 1, most)


def _classes(line: Line) -> list[_Class]:
    classes = []
    for tied in line.rainbow.classes:
        values = tuple(line.boundary[color] for color in tied)
        same = all(value == values[0] for value in values)
        classes.append(_Class(len(tied), values[:1] if same else values))
    return classes


def _table(line: Line, most: int) -> tuple[Stated, list[Row]]:
    classes = _classes(line)
    length = _length(line, most)
    # One color for each class: the rest follows from the proportions.
    names = [f"{at:06}" for at in range(len(classes))]
    masses = Distribution.trusted({name: one.mass for name, one in zip(names, classes, strict=True)})
    table = Line(Rainbow([(name,) for name in names]), masses, line.privacy).probabilities(range(length))
    columns = [one.cells(table[:, at]) for at, one in enumerate(classes)]
    return _stated(classes), [list(row) for row in zip(*columns, strict=True)]


def _stated(classes: Sequence[_Class]) -> Stated:
    if not all(isinstance(value, Fraction) for one in classes for value in one.values):
        return None
    texts = [[format_exact(value) for value in one.values] for one in classes]
    return [several[0] if len(several) == 1 else several for several in texts]
