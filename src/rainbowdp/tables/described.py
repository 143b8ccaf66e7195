# SPDX-License-Identifier: Apache-2.0
"""Give the cells of a described table the values that its description says they stand for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rainbowdp.formats.encodings import UNREADABLE
from rainbowdp.formats.table_descriptions import TableDescription
from rainbowdp.questions.cells import stands_for, tidy, typed_text
from rainbowdp.tables.cells import is_written, stored_cell, stored_text
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

    How numbers are written says nothing about cells that are stored as numbers. Missing texts are compared
    with cells as options are, and with numbers after these are read.
    """
    about = description.about(column)
    texts = set(map(tidy, description.missing_in(column)))
    missing = texts | set(map(typed_text, texts))
    read = about.rule
    if read is None and not missing:
        return None
    of_numbers = about.kind in ("number", "integer")

    def said(cell: object) -> object:
        text = stored_text(cell)
        if text is None or text == UNREADABLE:
            return stored_cell(text)
        if read is not None and (is_written(cell) or not of_numbers):
            if text in texts:
                return None
            text = read(text)
        return None if stands_for(text, missing) is not None else text

    return said
