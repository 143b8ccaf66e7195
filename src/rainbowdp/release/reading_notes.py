# SPDX-License-Identifier: Apache-2.0
"""Public remarks about how the cells of a table will be read, made of its header and the question alone."""

import datetime as dt
from collections.abc import Iterator, Mapping
from fractions import Fraction

from rainbowdp.questions.cells import Point, typed_text
from rainbowdp.questions.readings import (
    ApprovalReading,
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
)
from rainbowdp.tables import Table
from rainbowdp.tables.column_types import held_by
from rainbowdp.tables.filters import Filter, Range, parts_of, range_in
from rainbowdp.tables.groups import Groups

_POINTS = (
    "the cells are separated by semicolons, as they are where decimals have a comma: '2,5' counts for "
    "nothing, and '1.200' is read as 1.2, not as 1200"
)
_ENCODED = "if an older program wrote the file, give its encoding, such as --encoding cp1252"
_TYPED = "where the table has truth values or numbers, these say true, false, 1 or 2.5"
_DATES = (
    "dates are read in the form 2026-01-31 alone, also before a time of day: a cell of another form, such as "
    "31.01.2026, counts for nothing unless a description (--describe) gives its pattern"
)
_RANGE = "without double quotes, or in Python as a Range, it is from one number or date to another"

Compared = list[tuple[str, str | Point]]
"""Columns, each with a text, number or date with which its cells are compared."""


def reading_notes(
    table: Table,
    where: Mapping[str, Filter],
    groups: Groups | None = None,
    reading: Reading | None = None,
) -> tuple[str, ...]:
    """Return what may be read in another way than was meant, or never be said by any cell.

    Parameters
    ----------
    table : Table
        The open table.
    where : mapping
        The filters, as `read_filters` returns them.
    groups : Groups, optional
        How the rows are divided.
    reading : Reading, optional
        What the cells of the column mean.
    """
    compared = [*_compared_by(reading), *_compared_with(where, groups)]
    never = _never_said(table, compared)
    texts = [each for column, each in compared if isinstance(each, str) and column not in never]
    notes = [*_forms_of_points(table, compared), *never.values()]
    ranges = [text for what in where.values() for text in parts_of(what) if isinstance(text, str)]
    notes += [f"{text!r} is compared as a text: {_RANGE}" for text in ranges if range_in(text)]
    beyond = [text for text in texts if not text.isascii()]
    if beyond and table.separator is not None and not table.encoding_said:
        notes.append(f"{beyond[0]!r} is looked for in UTF-8: {_ENCODED}")
    odd = [] if table.separator else [text for text in texts if typed_text(text) != text]
    if odd:
        notes.append(f"{odd[0]!r} stands for text alone: {_TYPED}")
    return tuple(notes)


def _compared_by(reading: Reading | None) -> Compared:
    """Return with what a reading of the package compares the cells of its column."""
    options = reading.single if isinstance(reading, ApprovalReading) else reading
    if type(options) is OptionReading:
        return [(options.column, option) for option in options.options if option != options.other]
    if type(reading) is MatchReading:
        return [(reading.column, reading.equals)]
    if isinstance(reading, BracketReading):
        return [(reading.column, reading.edges[0])]
    return [(reading.column, reading.lower)] if isinstance(reading, SumReading) else []


def _compared_with(where: Mapping[str, Filter], groups: Groups | None) -> Iterator[tuple[str, str | Point]]:
    """Yield with what filters and groups compare the cells of their columns."""
    for column, what in where.items():
        for part in parts_of(what):
            yield column, part.an_end if isinstance(part, Range) else part
    if groups is not None:
        for column, texts in zip(groups.columns, groups.declared, strict=True):
            yield from ((column, text) for text in texts)


def _forms_of_points(table: Table, compared: Compared) -> list[str]:
    """Return in which form numbers and dates are read where the table or a description does not say it."""
    plain = [(column, each) for column, each in compared if table.description.about(column).rule is None]
    points = table.separator == ";" and any(isinstance(each, Fraction) for _, each in plain)
    dates = any(
        isinstance(each, dt.date) and held_by(table.source.types.get(column, "")) is None
        for column, each in plain
    )
    return [*([_POINTS] if points else []), *([_DATES] if dates else [])]


def _never_said(table: Table, compared: Compared) -> dict[str, str]:
    """Return a remark about each column of a type that never says with what it is compared."""
    found: dict[str, str] = {}
    # The types of a query may be made of cells.
    types = {} if table.is_query else table.source.types
    for column, each in compared:
        held = held_by(types.get(column, ""))
        if held is None or held.accepts(each) or table.description.rule(column) is not None:
            continue
        said = "is a number" if isinstance(each, Fraction) else "is a date"
        said = f"says {each!r}" if isinstance(each, str) else said
        found.setdefault(column, f"no cell of column {column!r} {said}: its type holds {held.words}")
    return found
