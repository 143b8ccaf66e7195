# SPDX-License-Identifier: Apache-2.0
"""Give the cells of a described table the values that its description says they stand for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rainbowdp.formats.encodings import UNREADABLE
from rainbowdp.formats.table_descriptions import TableDescription
from rainbowdp.questions.cells import stands_for, tidy, typed_text
from rainbowdp.tables.cells import stored_cell, stored_text
from rainbowdp.tables.source import Batch, OfCell, Progress, Source, cells_by


def described_source(source: Source, description: TableDescription) -> Source:
    """Return a source whose cells are what a description makes of them.

    Parameters
    ----------
    source : Source
        Any source.
    description : TableDescription
        Which texts say nothing, and how numbers, dates and truth values are written in which columns.

    Returns
    -------
    Source
        With the same columns.
    """

    def query(columns: Sequence[str], counted: bool, progress: Progress | None) -> Iterator[Batch]:
        rules = [_rule(description, column) for column in columns]
        for batch in source.query(columns, counted, progress):
            told = list(batch)
            for at, (column, rule) in enumerate(zip(columns, rules, strict=True)):
                if column in source.reads:
                    told[at] = cells_by(source.reads[column], told[at])
                if rule is not None:
                    told[at] = cells_by(rule, told[at])
            yield told

    return replace(source, query=query, reads={})


def _rule(description: TableDescription, column: str) -> OfCell | None:
    """Return what a description makes of the cells of a column; a cell without a text stays as it is.

    How numbers and dates are written says nothing about cells that are stored as such.
    """
    read = description.about(column).rule
    # As options are compared with cells.
    missing = {
        form for text in map(tidy, description.missing_in(column)) for form in (text, typed_text(text))
    }
    if read is None and not missing:
        return None

    def said(cell: object) -> object:
        text = stored_text(cell)
        if text is None or text == UNREADABLE:
            return stored_cell(text)
        if stands_for(text, missing) is not None:
            return None
        return text if read is None or not isinstance(cell, str | bytes) else read(text)

    return said
