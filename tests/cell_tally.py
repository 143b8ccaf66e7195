# SPDX-License-Identifier: Apache-2.0
"""A reading for tests that keeps everything: how many rows hold which text, null, or an unreadable cell."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rainbowdp.questions.cells import INVALID, NULL, cell_text
from rainbowdp.tables import Table, summarize, summarize_groups

NOTHING, UNREADABLE = "(null)", "(unreadable)"


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
