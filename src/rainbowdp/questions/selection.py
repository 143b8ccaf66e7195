# SPDX-License-Identifier: Apache-2.0
"""The best of some options, by numbers of rows or by scores computed elsewhere, and the order of options."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, cast

import numpy as np
import numpy.typing as npt

from rainbowdp.errors import QuestionError
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.questions.question import (
    FieldsDescribed,
    Neighbors,
    OneOption,
    Pairs,
    Types,
    counts_of,
    declared,
    own_answer_first,
    require_column,
)
from rainbowdp.questions.readings import (
    ApprovalReading,
    Location,
    OptionCounts,
    OptionReading,
    Reading,
    Summary,
)
from rainbowdp.rainbow import Rainbow, quote_color

MOST_LISTED = 5
"""A ranking of more options has too many orders to list them."""

Form = str | tuple[str, ...]
"""An answer as it leaves: a text, or several in order."""

_NEVER = -(10**6)


@dataclass(frozen=True)
class _Counted(FieldsDescribed):
    """A question about how many rows say each option."""

    column: str
    options: tuple[str, ...]
    other: str | None = None
    nulls: str | None = None

    json_types: ClassVar[Types] = {"column": str, "options": list, "other": str | None, "nulls": str | None}

    def __post_init__(self) -> None:
        require_column(self.column)
        for name in ("other", "nulls"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, declared(f"name for {name}", [value], least=1)[0])
        options = declared("options", self.options, least=1)
        if self.other is not None and self.other not in options:
            options = (*options, self.other)
        if self.nulls is not None and self.nulls not in options:
            raise QuestionError(
                f"nulls are to count as {self.nulls!r}, which is not an option",
                help="name an option, or leave nulls out to ignore them",
            )
        object.__setattr__(self, "options", declared("options", options))

    @property
    def reading(self) -> Reading:
        """How cells are read: as one of the options."""
        return OptionReading(self.column, self.options, self.other, self.nulls)

    def scores_of(self, summary: Summary) -> tuple[int, ...]:
        """Return how many rows say each option.

        Raises
        ------
        QuestionError
            If the summary is of another question; the message says nothing of what it holds.
        """
        return counts_of(summary, OptionCounts, len(self.options))

    def _leads(self, summary: Summary, neighbors: Neighbors) -> tuple[list[int], list[int]]:
        """Return the order of the options, the one declared first before its equals, and the leads in it.

        A lead is how many rows have to come or go, or to change, until the next option can pass one.
        """
        counts = self.scores_of(summary)
        order = sorted(range(len(counts)), key=lambda at: (-counts[at], at))
        rows = 2 if neighbors == "change-one" else 1
        pairs = itertools.pairwise(order)
        return order, [(counts[first] - counts[second] - (second < first)) // rows for first, second in pairs]


@dataclass(frozen=True)
class Winner(_Counted, OneOption):
    """Which option do most rows say? See `winner`.

    Any of the most frequent options is a right answer, and `rainbowdp.goals` has the mechanisms that draw
    one. `locate` is for the line of the paper, which gives every table one true answer: there, and only
    there, the option declared first wins ties. Its row distance is the least lead over a rival, less one
    where the rival wins ties; halved and floored where one row changes, since a change moves a lead by two.

    Examples
    --------
    >>> question = Winner("party", ("red", "blue", "green"))
    >>> found = question.locate(OptionCounts((40, 60, 10)))
    >>> found.answer, found.distance
    ('blue', 19)
    >>> question.locate(OptionCounts((40, 60, 10)), "change-one").distance
    9
    """

    approval: str | None = None

    kind: ClassVar[str] = "winner"
    json_types: ClassVar[Types] = {**_Counted.json_types, "approval": str | None}
    added: ClassVar[frozenset[str]] = frozenset({"approval"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.approval is not None and not str(self.approval).strip():
            raise QuestionError(
                f"{self.approval!r} cannot stand between options", help="give a text, such as a semicolon"
            )
        divided = [option for option in self.options if self.approval is not None and self.approval in option]
        if divided:
            raise QuestionError(
                f"the option {divided[0]!r} holds the separator {self.approval!r}",
                help="name the options as they stand between separators",
            )

    @property
    def tight(self) -> bool:
        """Whether the distance by formula is the true one; with several options per person it may not be."""
        return self.approval is None

    @property
    def reading(self) -> Reading:
        """How cells are read: as one of the options, or as several with a separator between them."""
        if self.approval is None:
            return super().reading
        return ApprovalReading(self.column, self.options, self.other, self.nulls, self.approval)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the option with the most rows, and the row distance."""
        order, leads = self._leads(summary, neighbors)
        return Location(self.options[order[0]], leads[0])


@dataclass(frozen=True)
class Ranking(_Counted):
    """In which order do rows say the options, most first? See `ranking`.

    Any order that agrees with the counts is a right answer. `locate` is for the line, where the option
    declared first stands before its equals; its row distance is the least lead between two options that
    follow each other, as in `Winner`.

    Examples
    --------
    >>> question = Ranking("party", ("red", "blue", "green"))
    >>> found = question.locate(OptionCounts((40, 60, 10)))
    >>> found.answer, found.distance
    ('blue>red>green', 19)
    """

    top: int | None = None
    as_set: bool = False

    kind: ClassVar[str] = "ranking"
    json_types: ClassVar[Types] = {**_Counted.json_types, "top": int | None, "as_set": bool}

    def __post_init__(self) -> None:
        super().__post_init__()
        count = len(self.options)
        if self.top is not None and (not is_whole(self.top) or not 1 <= self.top <= count):
            raise QuestionError(
                f"the first {described(self.top)} of {count} options cannot be named",
                help=f"give a whole number from 1 to {count - 1}",
            )
        top = count if self.top is None else int(self.top)
        object.__setattr__(self, "top", None if top == count else top)
        if self.as_set and self.top is None:
            raise QuestionError(
                "a set of all options cannot change", help=f"say how many to name: at most {count - 1}"
            )

    @property
    def length(self) -> int:
        """How many options an answer names."""
        return len(self.options) if self.top is None else self.top

    def named(self, order: Sequence[int]) -> tuple[str, ...]:
        """Return the answer that an order of all options gives: its first options, as a list or a set.

        Examples
        --------
        >>> Ranking("party", ("red", "blue", "green"), top=2, as_set=True).named([2, 0, 1])
        ('red', 'green')
        """
        first = order[: self.length]
        return tuple(self.options[at] for at in (sorted(first) if self.as_set else first))

    def accepts(self, answer: object) -> bool:
        """Tell whether something is an answer to this question."""
        if not isinstance(answer, tuple) or len(answer) != self.length or len(set(answer)) < len(answer):
            return False
        if not all(isinstance(option, str) and option in self.options for option in answer):
            return False
        places = [self.options.index(option) for option in answer]
        return not self.as_set or places == sorted(places)

    @cached_property
    def orders(self) -> dict[str, tuple[str, ...]]:
        """Every order of the options by its text.

        Raises
        ------
        QuestionError
            If there are more than five options.
        """
        if len(self.options) > MOST_LISTED:
            raise QuestionError(
                f"the {len(self.options)} options have too many orders for a mechanism that lists them",
                help=f"rank with the goal typical, or at most {MOST_LISTED} options",
            )
        return {">".join(map(quote_color, order)): order for order in itertools.permutations(self.options)}

    @property
    def answers(self) -> tuple[str, ...]:
        """Every order of the options, as text, best first."""
        return tuple(self.orders)

    def rainbow(self, answer: str) -> Rainbow:
        """Return the preference order: the answer itself, the rest tied."""
        return own_answer_first(answer, self.answers)

    def locate(self, summary: Summary, neighbors: Neighbors = "add-remove") -> Location:
        """Return the order of the options, and the row distance."""
        order, leads = self._leads(summary, neighbors)
        return Location(">".join(quote_color(self.options[at]) for at in order), min(leads))

    def touching(self, neighbors: Neighbors, max_rows: int = 1) -> Pairs | None:
        """Return the orders that neighbors can have.

        Exactly those where rows come and go, and where they change among up to three options; else perhaps
        a few more. `rows_between_orders` has the proof.
        """
        near = rows_between_orders(len(self.options), neighbors) <= max_rows
        answers = self.answers
        pairs = zip(*np.nonzero(np.triu(near, 1)), strict=True)
        return frozenset((answers[first], answers[second]) for first, second in pairs)

    def answer_json(self, answer: str) -> list[str]:
        """Return what an order names, best first."""
        places = {option: at for at, option in enumerate(self.options)}
        return list(self.named([places[option] for option in self.orders[answer]]))


def winner(
    column: str,
    options: Iterable[object],
    *,
    other: str | None = None,
    nulls: str | None = None,
    approval: str | None = None,
) -> Winner:
    """Ask which option most rows say: the winner, the mode, the most common value.

    Parameters
    ----------
    column : str
        The column with the answers of people.
    options : iterable of text
        All that can win; cells that say anything else count nowhere. Of several most frequent options, any
        may be named, with equal chances.
    other : str, optional
        A further option as which all other cells count.
    nulls : str, optional
        The option as which empty cells count; otherwise they count nowhere.
    approval : str, optional
        What stands between options where one cell can hold several, as in approval voting or where several
        boxes can be ticked. A person counts once for each of them, and has one row.

    Returns
    -------
    Winner

    Raises
    ------
    QuestionError
        If there are fewer than two options, or two are the same.

    Examples
    --------
    >>> winner("party", ["red", "blue"], other="none of these").answers
    ('red', 'blue', 'none of these')
    >>> winner("seen", ["ad", "poster"], approval=";").reading.summary([("ad;poster", 2), ("ad", 1)]).counts
    (3, 2)
    """
    return Winner(column, cast("tuple[str, ...]", options), other, nulls, approval)


def ranking(
    column: str,
    options: Iterable[object],
    *,
    other: str | None = None,
    nulls: str | None = None,
    top: int | None = None,
    as_set: bool = False,
) -> Ranking:
    """Ask for the order of the options by their number of rows, most first.

    Parameters
    ----------
    column, options, other, nulls
        As for `winner`.
    top : int, optional
        How many of the first options to name; all of them unless given.
    as_set : bool
        With `top`: name them without their order, as they are declared.

    Returns
    -------
    Ranking

    Raises
    ------
    QuestionError
        If there are fewer than two options, two are the same, or `top` does not fit them.

    Examples
    --------
    >>> ranking("party", ["red", "blue"]).answers
    ('red>blue', 'blue>red')
    >>> ranking("party", ["red", "blue", "green"], top=2).length
    2
    """
    return Ranking(column, cast("tuple[str, ...]", options), other, nulls, top, as_set)


@lru_cache(maxsize=8)
def rows_between_orders(options: int, neighbors: Neighbors) -> npt.NDArray[np.int64]:
    """Return how many rows must change to turn a table of one order into one of another.

    Let x and y be counts with the orders A and B. Each order is a chain of differences, ``x[first] -
    x[second] >= s`` for options that follow each other in it, with s = 1 where the second was declared
    first and would win a tie, else 0. The least cost of y - x is a linear program. Its dual has one number
    u per option, with sum 0; the partial sums of u from the top of A on are never positive, those from the
    top of B on never negative. What it maximizes is the total of the partial sums at the places where s =
    1, with their signs turned for A.

    Where rows come and go, the cost is the sum of all changes, and each u lies between -1 and 1. Both
    programs are network programs, so whole numbers solve them: the least cost is that of two real tables
    (the same number of rows added to every option keeps all counts above 0), and the maximum is found among
    the vectors of -1, 0 and 1.

    Where rows change, the cost is what is gained or what is lost, whichever is more, and u lies between -(b -
    a)/b and a/b for some a/b. By weak duality every such u gives a lower bound, rounded up since rows are
    whole; it is the true number for up to three options, and may be too small by one for four and five. Too
    small is safe.

    Parameters
    ----------
    options : int
        How many options; of equal counts the option with the smaller number stands first.
    neighbors : {"add-remove", "change-one"}
        How rows change.

    Returns
    -------
    int64 array [orders, orders]
        Read-only; orders stand as `itertools.permutations` gives them.

    References
    ----------
    Schrijver, Combinatorial Optimization (2003), section 13.2: network matrices are totally unimodular.

    Examples
    --------
    >>> rows_between_orders(3, "add-remove")[0].tolist()
    [0, 1, 1, 1, 1, 2]
    >>> rows_between_orders(3, "change-one")[0].tolist()
    [0, 1, 1, 1, 1, 1]
    """
    orders = np.array(list(itertools.permutations(range(options))))
    ties = (orders[:, 1:] < orders[:, :-1]).astype(np.int64)
    gaps = np.zeros((len(orders), len(orders)), dtype=np.int64)
    for lowest, highest, divisor in _ranges(options, neighbors):
        weights = np.array(list(itertools.product(range(lowest, highest + 1), repeat=options)))
        sums = np.cumsum(weights[weights.sum(axis=1) == 0][:, orders], axis=2)[:, :, :-1]
        total = (sums * ties).sum(axis=2)
        rising = np.where((sums >= 0).all(axis=2), total, _NEVER)
        falling = np.where((sums <= 0).all(axis=2), -total, _NEVER)
        for down, up in zip(falling, rising, strict=True):
            np.maximum(gaps, -(-(down[:, None] + up[None, :]) // divisor), out=gaps)
    gaps.flags.writeable = False
    return gaps


def _ranges(options: int, neighbors: Neighbors) -> list[tuple[int, int, int]]:
    """Return where the numbers of the dual lie: the least, the greatest, and by what they are divided."""
    if neighbors == "add-remove":
        return [(-1, 1, 1)]
    return [(a - b, a, b) for b in range(2, options + 1) for a in range(1, b)]
