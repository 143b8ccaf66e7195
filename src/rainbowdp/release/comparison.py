# SPDX-License-Identifier: Apache-2.0
"""Public remarks about how cells are compared, made of the header of a table and of the question alone."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rainbowdp.questions.cells import typed_text
from rainbowdp.questions.points import Point
from rainbowdp.questions.readings import (
    ApprovalReading,
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
    reads_numbers,
)
from rainbowdp.tables import Table
from rainbowdp.tables.column_types import held_by
from rainbowdp.tables.filters import Filter, parts_of
from rainbowdp.tables.groups import Groups

_POINTS = (
    "the cells are separated by semicolons, as they are where decimals have a comma: '2,5' counts for "
    "nothing, and '1.200' is read as 1.2, not as 1200"
)
_ENCODED = "if an older program wrote the file, give its encoding, such as --encoding cp1252"
_TYPED = "where the table has truth values or numbers, these say true, false, 1 or 2.5"


Compared = list[tuple[str, str | Point]]
"""Columns, each with a text, number or date with which its cells are compared."""


def compared_by(reading: Reading) -> Compared:
    """Return with what a reading of the package compares the cells of its column."""
    found: Sequence[str | Point] = ()
    options = reading.single if isinstance(reading, ApprovalReading) else reading
    if type(options) is OptionReading:
        found = [option for option in options.options if option != options.other]
    elif type(reading) is MatchReading:
        found = [reading.equals]
    elif type(reading) is BracketReading:
        found = reading.edges[:1]
    elif type(reading) is SumReading:
        found = [reading.lower]
    return [(reading.column, each) for each in found]


def compared_with(where: Mapping[str, Filter], divided: Groups | None = None) -> Compared:
    """Return with what filters and groups compare the cells of their columns."""
    found: Compared = [
        (column, part if isinstance(part, str) else part.an_end)
        for column, what in where.items()
        for part in parts_of(what)
    ]
    if divided is not None:
        each = zip(divided.columns, divided.declared, strict=True)
        found += [(column, text) for column, texts in each for text in texts]
    return found


def comparison_notes(table: Table, compared: Compared) -> tuple[str, ...]:
    """Return what is compared with cells that cannot say it, or may say it in another way.

    Parameters
    ----------
    table : Table
        The open table.
    compared : list of (column, text, number or date)
        All that cells are compared with.
    """
    found = _never_said(table, compared)
    texts = [each for column, each in compared if isinstance(each, str) and column not in found]
    notes = list(found.values())
    beyond = [text for text in texts if not text.isascii()]
    if beyond and table.separator is not None and not table.encoding_said:
        notes.append(f"{beyond[0]!r} is looked for in UTF-8: {_ENCODED}")
    odd = [] if table.separator else [text for text in texts if typed_text(text) != text]
    if odd:
        notes.append(f"{odd[0]!r} stands for text alone: {_TYPED}")
    return tuple(notes)


def _never_said(table: Table, compared: Compared) -> dict[str, str]:
    """Return a remark about each column of a type that never says with what it is compared."""
    found: dict[str, str] = {}
    for column, each in compared:
        held = held_by(table.source.types.get(column, ""))
        if held is None or held.accepts(each) or table.description.rule(column) is not None:
            continue
        said = "is a number" if isinstance(each, Fraction) else "is a date"
        said = f"says {each!r}" if isinstance(each, str) else said
        found.setdefault(column, f"no cell of column {column!r} {said}: its type holds {held.words}")
    return found


def decimal_notes(table: Table, reading: Reading) -> tuple[str, ...]:
    """Return what is to be known of decimals where cells are read as numbers."""
    plain = table.description.about(reading.column).rule is None
    return (_POINTS,) if reads_numbers(reading) and table.separator == ";" and plain else ()
