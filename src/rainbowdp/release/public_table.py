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

import numpy as np
import numpy.typing as npt

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Exact, format_exact, to_float
from rainbowdp.line import Line
from rainbowdp.questions import nearest_first, own_answer_first
from rainbowdp.rainbow import Rainbow
from rainbowdp.release.terms import Terms

LARGEST_TABLE = 10_000
"""How many rows all tables have together at most."""
NEARLY_CERTAIN = 1 - Fraction(1, 2**40)
OWN_FIRST, NEAREST_FIRST = "own-first", "nearest-first"

Json = object
Cell = float | list[float]
Row = list[Cell]
Stated = list[str | list[str]] | None


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


def shared_tables(terms: Terms) -> tuple[SharedTable, ...]:
    """Return the tables of all true answers, in the order of the answers that come first in each.

    A table ends where the true answer comes out with probability at least 1 - 2^-40, or where the tables
    would have more than `LARGEST_TABLE` rows together.
    """
    answers = terms.question.answers
    if terms.lines.all_alike:
        return (SharedTable(answers, *_table(terms.line(answers[0]), LARGEST_TABLE)),)
    most = max(1, LARGEST_TABLE // len(answers))
    found: dict[str, tuple[list[str], Stated, list[Row]]] = {}
    for answer in answers:
        boundary, rows = _table(terms.line(answer), most)
        found.setdefault(repr((boundary, rows)), ([], boundary, rows))[0].append(answer)
    return tuple(SharedTable(tuple(names), boundary, rows) for names, boundary, rows in found.values())


def order_json(terms: Terms) -> Json:
    """Return in which order the cells of a row stand: one of two rules, or the classes by true answer."""
    question, answers = terms.question, terms.question.answers
    if terms.lines.all_alike:
        return OWN_FIRST
    for rule, ordered in ((OWN_FIRST, own_answer_first), (NEAREST_FIRST, nearest_first)):
        if all(question.rainbow(answer) == ordered(answer, answers) for answer in answers):
            return rule
    return {answer: [list(tied) for tied in question.rainbow(answer).classes] for answer in answers}


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
        whole = to_float(self.mass, "nearest")
        shares = np.array([to_float(value, "nearest") / whole for value in self.values])
        return list((masses[:, None] * shares).tolist())


def _classes(line: Line) -> list[_Class]:
    classes = []
    for tied in line.rainbow.classes:
        values = tuple(line.boundary[color] for color in tied)
        same = all(value == values[0] for value in values)
        classes.append(_Class(len(tied), values[:1] if same else values))
    return classes


def _table(line: Line, most: int) -> tuple[Stated, list[Row]]:
    classes = _classes(line)
    needed = line.distance_for(NEARLY_CERTAIN)
    length = most if needed is None else min(needed + 1, most)
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
