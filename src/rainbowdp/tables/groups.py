# SPDX-License-Identifier: Apache-2.0
"""Groups of rows, which the cells of one column or of several divide.

Groups are declared, never read from the table. A row is in one group at most: that of the texts for which
its cells stand. So where every row is a person who joins or leaves, answers for all groups cost as much as
one.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from rainbowdp.errors import UsageError
from rainbowdp.exact.arguments import described, items_of, require_together
from rainbowdp.questions.cells import cell_text, stands_for
from rainbowdp.questions.question import listed, require_column
from rainbowdp.rainbow import quote_color
from rainbowdp.tables.source import one_form


@dataclass(frozen=True)
class Groups:
    """The groups of a table: every combination of what was declared for each column.

    Parameters
    ----------
    columns : tuple of str
        The columns, at least one.
    declared : tuple of tuple of str
        For each of them, the texts of its cells that make a group.
    other : str, optional
        What all other cells of each column count as, also those that are empty or cannot be read. Without
        it, rows with such cells count nowhere.

    Examples
    --------
    >>> Groups(("region", "sex"), (("North", "South"), ("f",)), "other").names
    ('North, f', 'North, other', 'South, f', 'South, other', 'other, f', 'other, other')
    """

    columns: tuple[str, ...]
    declared: tuple[tuple[str, ...], ...]
    other: str | None = None

    @property
    def _of_columns(self) -> list[tuple[str, ...]]:
        return [texts if self.other is None else (*texts, self.other) for texts in self.declared]

    @property
    def names(self) -> tuple[str, ...]:
        """What the groups are called: their texts, with commas between those of several columns."""
        if len(self.columns) == 1:
            return self._of_columns[0]
        return tuple(", ".join(map(quote_color, texts)) for texts in product(*self._of_columns))

    @property
    def by(self) -> str:
        """The columns, in words."""
        return " and ".join(map(repr, self.columns))

    def __len__(self) -> int:
        return math.prod(map(len, self._of_columns))

    def places_in(self, at: int, texts: Sequence[str | None]) -> list[int]:
        """Return for each cell of one of the columns the number of its text there, -1 for none.

        Examples
        --------
        >>> Groups(("ward",), (("red", "1"),)).places_in(0, ["red", "Red", "1.0", None])
        [0, -1, 1, -1]
        """
        numbers = {text: place for place, text in enumerate(self.declared[at])}
        rest = -1 if self.other is None else len(numbers)
        said = (None if text is None else stands_for(text, numbers) for text in texts)
        return [rest if text is None else numbers[text] for text in said]

    def together(self, places: Sequence[Sequence[int]]) -> list[int]:
        """Return the number of each row's group, -1 for none, of the numbers in each column."""
        if len(places) == 1:
            return list(places[0])
        sizes = list(map(len, self._of_columns))
        found = []
        for row in zip(*places, strict=True):
            number = 0
            for place, size in zip(row, sizes, strict=True):
                number = number * size + place
            found.append(-1 if min(row) < 0 else number)
        return found


def groups_of(by: object, groups: object, other_group: str | None = None) -> Groups | None:
    """Return the groups that are declared, None if there are none.

    Parameters
    ----------
    by : str or sequence of str, optional
        The column, or several.
    groups : sequence of str, or of sequences of str
        The groups of the column; of several columns, those of each.
    other_group : str, optional
        What all other cells count as.

    Raises
    ------
    UsageError
        If they do not fit together.
    QuestionError
        If a column is none.

    Examples
    --------
    >>> groups_of("town", ["Ulm", "Bonn"]).names
    ('Ulm', 'Bonn')
    """
    groups = list(groups) if isinstance(groups, Iterator) else groups
    given = None if items_of(groups) == [] else groups
    require_together("give both; groups are declared, never read from the table", by=by, groups=given)
    if by is None:
        if other_group is not None:
            raise UsageError("`other_group` is given without `by`", help="give the column, and its groups")
        return None
    columns = [by] if isinstance(by, str) else items_of(by) or [by]
    each = [groups] if isinstance(by, str) else items_of(groups) or []
    if len(columns) != len(each):
        raise UsageError(
            f"the number of lists of groups is {len(each)}, and that of columns {len(columns)}",
            help="give the groups of each column, in the order of the columns",
        )
    if len({one_form(str(column)) for column in columns}) < len(columns):
        raise UsageError("a column is named twice to divide by", help="name it once")
    other = None if other_group is None else _text(other_group)
    return Groups(tuple(map(require_column, columns)), tuple(_texts(texts, other) for texts in each), other)


def _texts(groups: object, other: str | None) -> tuple[str, ...]:
    texts = tuple(map(_text, listed("groups", groups)))
    if not texts:
        raise UsageError("a column has no groups", help="name at least one")
    twice = [text for at, text in enumerate(texts) if text in (*texts[:at], other)]
    if twice:
        raise UsageError(
            f"the groups are not distinct: {twice[0]!r} is named twice",
            help="name each group once, and the group of all others differently",
        )
    return texts


def _text(group: object) -> str:
    text = cell_text(group)
    if not isinstance(text, str):
        raise UsageError(
            f"{described(group)} is not a group",
            help="give the text of a cell, or other_group for empty ones",
        )
    return text
