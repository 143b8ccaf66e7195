# SPDX-License-Identifier: Apache-2.0
"""Cells of which small tables are made to check a question: one of each kind that it tells apart."""

import datetime as dt
import itertools
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import cast

from rainbowdp.errors import QuestionError
from rainbowdp.questions.cells import Point
from rainbowdp.questions.kinds import is_known
from rainbowdp.questions.levels import Bracket, Level
from rainbowdp.questions.measures import SumOf
from rainbowdp.questions.question import Question
from rainbowdp.questions.selection import Ranking, Winner


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
            return known.some_cells
        case Level(measure=SumOf() as measure):
            if measure.tight:
                return tuple(map(str, range(int(measure.lower), int(measure.upper) + 1)))
            inside = [] if measure.lower == measure.upper else [_decimal(measure.lower, measure.upper)]
            return tuple(dict.fromkeys((str(floor(measure.lower)), *inside, str(ceil(measure.upper)))))
        case Level():
            equals = str(known.describe()["equals"])
            return (equals, f"not {equals}")
        case Bracket():
            return known.ordered or _cells_between(known.edges)
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
