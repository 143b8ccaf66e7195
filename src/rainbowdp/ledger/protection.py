# SPDX-License-Identifier: Apache-2.0
"""What a budget hides about a person, and what an answer that hides something else costs there.

A promise speaks of pairs of tables that stay hard to tell apart. An answer of another promise hides the same
pairs if a chain of its own pairs leads from one table to the other, and each pair of the chain is paid.
docs/decisions/0010-promises.md has a proof of each conversion.
"""

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rainbowdp.errors import UsageError
from rainbowdp.exact.arguments import require
from rainbowdp.ledger.cost import Cost

if TYPE_CHECKING:
    # Loading the questions takes long, and showing a budget needs none.
    from rainbowdp.questions import Neighbors

_HIDDEN = {"add-remove": "one person joins or leaves", "change-one": "one person changes"}


@dataclass(frozen=True)
class Protection:
    """What stays hidden about one person.

    Parameters
    ----------
    neighbors : {"add-remove", "change-one"}
        Whether a person is there at all, or what is said about a person.
    unit : str, optional
        The column that says whose row it is; without it every row is a person.
    max_rows : int
        Of an answer: how many rows of one person count at most. A budget does not limit that.

    Raises
    ------
    UsageError
        If there is no such relation, or the unit is no name of a column.

    Examples
    --------
    >>> print(Protection("change-one", "patient"))
    one person changes; 'patient' says whose row it is
    """

    neighbors: "Neighbors" = "add-remove"
    unit: str | None = None
    max_rows: int = 1

    def __post_init__(self) -> None:
        if self.neighbors not in _HIDDEN:
            raise UsageError(
                f"{self.neighbors!r} is not a neighbor relation", help="choose add-remove or change-one"
            )
        if self.unit is not None:
            require(self.unit, "unit", str)
            if not self.unit:
                raise UsageError("the unit is empty", help="give the name of a column")
            object.__setattr__(self, "unit", unicodedata.normalize("NFC", self.unit))

    def __str__(self) -> str:
        person = "every row is a person" if self.unit is None else f"{self.unit!r} says whose row it is"
        return f"{_HIDDEN[self.neighbors]}; {person}"

    def way_on(self, asked: "Protection") -> str | None:
        """Return how to ask instead where no chain of an answer's pairs hides what is promised, else None.

        There is no chain where an answer about rows is to hide persons, one about persons of a column those
        of another, or one about people who change those who join or leave.
        """
        if self.unit is not None and asked.unit != self.unit:
            return f"ask with --unit {self.unit} and --max-rows"
        if (self.neighbors, asked.neighbors) == ("add-remove", "change-one"):
            return "ask with --neighbors add-remove"
        return None

    def doublings(self, asked: "Protection") -> int:
        """Return how often the cost of an answer doubles where this is promised.

        Once where a person changes and the answer hides that one joins or leaves: a change is both. Once
        where rows are persons and the answer keeps one row of a person: where that row goes, another one can
        take its place. (Of an answer that keeps two rows or more, one of its steps covers both moves.)
        """
        if self.way_on(asked) is not None:
            return 0
        swapped = self.unit is None and asked.unit is not None and asked.max_rows == 1
        return (asked.neighbors != self.neighbors) + swapped

    def price(self, cost: Cost, asked: "Protection") -> Cost:
        """Return what an answer of this cost costs where this is promised.

        Examples
        --------
        >>> from rainbowdp.privacy import ApproxDP
        >>> print(Protection("change-one").price(Cost.of(ApproxDP("ln 2", "1e-6")), Protection()))
        epsilon ln(4), delta 0.000003
        """
        for _ in range(self.doublings(asked)):
            cost = cost.doubled()
        return cost
