# SPDX-License-Identifier: Apache-2.0
"""One pass over the rows of a table: who passes the filters, whose row it is, and what it says.

Rows come as batches and are judged column by column, each distinct cell once; which rows pass
is an array of truth values over the batch. What a column says about a row depends on that row alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from typing import cast

from rainbowdp.questions.cells import typed_text, typed_texts
from rainbowdp.tables.cell_texts import UNREADABLE, Meanings, Remembered, are_names, filters, texts_of
from rainbowdp.tables.persons import Spool
from rainbowdp.tables.source import Cells, Progress, row_count
from rainbowdp.tables.table import Table


@dataclass(frozen=True)
class Wanted:
    """Which rows count, and what is read of them.

    Attributes
    ----------
    column : str
        Whose cells count.
    where : mapping
        Column to text: only rows whose cells say exactly these texts count.
    unit : str, optional
        The column that says whose row it is; a row without it counts for nothing.
    by : str, optional
        The column of groups.
    groups : sequence of str
        The groups, without outer blanks; rows of others count nowhere.
    named : bool
        Whether what says nothing (an empty or unreadable cell) counts for nothing, and what a person says
        twice counts once.
    """

    column: str
    where: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    by: str | None = None
    groups: Sequence[str] = ()
    named: bool = False

    @property
    def columns(self) -> list[str]:
        """All columns that are needed, each once."""
        others = [name for name in (self.unit, self.by) if name is not None]
        return list(dict.fromkeys([self.column, *self.where, *others]))


class Judge:
    """Says of each row of a batch whether it counts, by its cells alone.

    Parameters
    ----------
    wanted : Wanted
        Which rows count.
    """

    def __init__(self, wanted: Wanted) -> None:
        columns = wanted.columns
        self._tests = [(columns.index(name), holds) for name, holds in filters(wanted.where)]
        if wanted.named:
            self._tests.append((columns.index(wanted.column), Meanings(are_names)))
        if wanted.by is not None:
            declared = Meanings(lambda texts: [part >= 0 for part in _parts(wanted.groups, texts)])
            self._tests.append((columns.index(wanted.by), declared))

    def passing(self, batch: list[Cells]) -> list[Cells]:
        """Return the rows that count."""
        for at, holds in self._tests:
            passes = holds([row[at] for row in batch])
            if not all(passes):
                batch = list(compress(batch, passes))
        return batch


def collect(spool: Spool, table: Table, wanted: Wanted, progress: Progress | None) -> None:
    """Put aside all rows that count: with their persons, or with their numbers where every row is a person.

    Parameters
    ----------
    spool : Spool
        Where to.
    table : Table
        Whose columns have been checked.
    wanted : Wanted
        Which rows count, and what is read of them.
    progress : callable, optional
        As for `rainbowdp.tables.summarize`.
    """
    columns, judge, reader = wanted.columns, Judge(wanted), _Reader(wanted)
    source = table.source
    once = wanted.unit is None or wanted.named
    batches = source.counted(columns, progress) if once else source.rows(columns, progress)
    if wanted.unit is None:
        for batch in batches:
            rows = judge.passing(batch)
            spool.add_counts(reader.parts(rows), reader.texts(rows), list(map(row_count, rows)))
        return
    person_at = columns.index(wanted.unit)
    mark_of = Remembered(spool.said, _text_said)
    mark_of_cell = Meanings(lambda texts: spool.said([(0, text) for text in texts]))
    for batch in batches:
        rows = judge.passing(batch)
        persons = texts_of([row[person_at] for row in rows])
        if not all(persons) or UNREADABLE in persons:
            passes = are_names(persons)
            rows, persons = list(compress(rows, passes)), list(compress(persons, passes))
        if wanted.by is None:
            marks = mark_of_cell(reader.cells(rows))
        else:
            marks = mark_of(list(zip(reader.parts(rows), reader.texts(rows), strict=True)))
        spool.add(typed_texts(cast("list[str]", persons)), marks)


def _text_said(said: tuple[int, str | None]) -> str | None:
    return said[1]


class _Reader:
    """Reads off rows that count what they say, and in which group."""

    def __init__(self, wanted: Wanted) -> None:
        columns = wanted.columns
        self._said_at = columns.index(wanted.column)
        self._group_at = columns.index(wanted.by) if wanted.by is not None else None
        self._part_of = Meanings(partial(_parts, wanted.groups))

    def cells(self, rows: list[Cells]) -> list[object]:
        return [row[self._said_at] for row in rows]

    def texts(self, rows: list[Cells]) -> list[str | None]:
        return texts_of(self.cells(rows))

    def parts(self, rows: list[Cells]) -> list[int]:
        if self._group_at is None:
            return [0] * len(rows)
        return self._part_of([row[self._group_at] for row in rows])


def _parts(groups: Sequence[str], texts: list[str | None]) -> list[int]:
    """Return the number of the group for which each text stands, -1 where there is none."""
    numbers = {group: at for at, group in enumerate(groups)}
    return [
        numbers.get(text, numbers.get(typed_text(text), -1))
        if text is not None and text != UNREADABLE
        else -1
        for text in texts
    ]
