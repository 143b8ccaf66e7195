# SPDX-License-Identifier: Apache-2.0
"""A reading for tests that keeps everything: how many rows hold which text, null, or an unreadable cell."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rainbowdp.questions.cells import INVALID, NULL, cell_text
from rainbowdp.tables import Table, open_table, summarize, summarize_groups

NOTHING, UNREADABLE = "(null)", "(unreadable)"
Types = dict[str, tuple[str, str]]
"""Of SQL: how a value is written, and what it says; "" where cells of its type have no text."""


@dataclass(frozen=True)
class CellTally:
    """Maps every cell to itself."""

    column: str

    def place(self, value: object) -> str:
        """Return what a cell says."""
        text = cell_text(value)
        if text is NULL:
            return NOTHING
        return UNREADABLE if text is INVALID else str(text)

    def summary(self, tally: Iterable[tuple[object, int]]) -> Any:  # noqa: ANN401 - no summary of the product
        """Return how often each text occurs."""
        found: Counter[str] = Counter()
        for value, count in tally:
            found[self.place(value)] += count
        return dict(found)


def cells(table: Table, column: str, **options: Any) -> dict[str, int]:  # noqa: ANN401 - as summarize
    """Return how often each text occurs in a column of a table."""
    found: Any = summarize(table, CellTally(column), **options)
    return dict(found)


def cells_by(
    table: Table,
    column: str,
    by: str,
    groups: list[str],
    **options: Any,  # noqa: ANN401 - as summarize_groups
) -> Mapping[str, dict[str, int]]:
    """Return the same for each group."""
    found: Any = summarize_groups(table, CellTally(column), by, groups, **options)
    return dict(found)


def selected(types: Types, quote: str = '"') -> str:
    """Return a query of one row with such values."""
    return "select " + ", ".join(f"{sql} as {quote}{name}{quote}" for name, (sql, _) in types.items())


def says_its_types(source: object, types: Types, **options: str) -> None:
    """Compare a table of one row with what its types say."""
    with open_table(source, **options) as table:
        for name, (_, said) in types.items():
            assert cells(table, name) == {said or UNREADABLE: 1}, name
