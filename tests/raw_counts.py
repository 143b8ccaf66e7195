# SPDX-License-Identifier: Apache-2.0
"""What is asked of real tables, and the oracle: the same asked of lists of dictionaries of text.

A `Case` says what is asked in plain words and numbers. The package's question is made of them by its public
constructors; `summary` and `answer` are a few lines of Python that share nothing with the package but the
names of its results.

Where a person has several rows, the oracle needs to know which rows count only if they differ in what is
asked: `limited` takes the first rows, after making sure that all rows of a person say the same.
"""

import math
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rainbowdp.questions import (
    BracketCounts,
    ClampedSum,
    MatchCount,
    OptionCounts,
    Question,
    Summary,
    bracket,
    level,
    ranking,
    winner,
    yes_no,
)

Rows = Sequence[Mapping[str, str]]
_MAKERS = {"winner": winner, "ranking": ranking, "yes-no": yes_no, "level": level, "bracket": bracket}


@dataclass(frozen=True)
class Case:
    """Something to ask.

    Parameters
    ----------
    kind : str
        Of question.
    column : str
        The column.
    asked : mapping
        The other arguments of the question's constructor.
    where : mapping of str to str
        Which rows count.
    unit : str, optional
        Whose row it is.
    """

    kind: str
    column: str
    asked: Mapping[str, Any]
    where: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None

    @property
    def question(self) -> Question:
        """The package's question."""
        made: Question = _MAKERS[self.kind](self.column, **self.asked)  # type: ignore[operator]  # differ in form
        return made


def chosen(rows: Rows, where: Mapping[str, str]) -> Rows:
    """Return the rows that a filter keeps."""
    return [row for row in rows if all(row[column] == text for column, text in where.items())]


def limited(rows: Rows, unit: str | None, most: int, *columns: str) -> Rows:
    """Return at most so many rows of each person; all rows of one must say the same in the columns."""
    if unit is None:
        return rows
    own: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        own[row[unit]].append(row)
    assert all(len({tuple(row[column] for column in columns) for row in mine}) == 1 for mine in own.values())
    return [row for mine in own.values() for row in mine[:most]]


def summary(case: Case, rows: Rows) -> Summary:
    """Return what the package has to find in rows."""
    asked = case.asked
    # A null says what it counts as; where it counts as nothing it is left out.
    texts = [row[case.column] or asked.get("nulls") or "" for row in rows]
    said = [text for text in texts if text]
    numbers = Counter(text for text in said if _is_number(text))
    match case.kind:
        case "winner" | "ranking":
            counts = Counter(said)
            found = [counts[option] for option in asked["options"]]
            rest = [len(said) - sum(found)] if "other" in asked else []
            return OptionCounts((*found, *rest))
        case "bracket":
            found = [0] * (len(asked["edges"]) + 1)
            for text, count in numbers.items():
                found[bisect_right(asked["edges"], float(text))] += count
            return BracketCounts(tuple(found))
        case _ if "clamp" in asked:
            low, high = asked["clamp"]
            moved = (min(max(Fraction(text), low), high) * count for text, count in numbers.items())
            return ClampedSum(sum(moved, Fraction()))
        case _:
            return MatchCount(said.count(asked["equals"]), len(said))


def answer(case: Case, found: Summary) -> str:
    """Return the true answer that follows from what was found."""
    asked = case.asked
    match found:
        case OptionCounts(counts):
            options = [*asked["options"], *([asked["other"]] if "other" in asked else [])]
            order = sorted(range(len(options)), key=lambda at: (-counts[at], at))
            return options[order[0]] if case.kind == "winner" else ">".join(options[at] for at in order)
        case BracketCounts(counts):
            quantile = Fraction(asked.get("quantile", "1/2"))
            brackets = [at for at, count in enumerate(counts) for _ in range(count)]
            return str(asked["labels"][brackets[math.ceil(quantile * len(brackets)) - 1]])
        case ClampedSum(total):
            measure = total
        case MatchCount(matching, total):
            measure = Fraction(matching, total) if "share" in asked else Fraction(matching)
        case _:
            raise AssertionError(found)
    if case.kind == "yes-no":
        return "yes" if measure >= Fraction(asked.get("at_least", asked.get("share"))) else "no"
    return str(asked["labels"][sum(measure >= Fraction(edge) for edge in asked["edges"])])


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()
