# SPDX-License-Identifier: Apache-2.0
"""Public remarks about how the cells of a table will be read, made of its header and the question alone."""

from collections.abc import Sequence

from rainbowdp.questions.cells import typed_text
from rainbowdp.questions.readings import (
    ApprovalReading,
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
)
from rainbowdp.tables import Table

_POINTS = (
    "the cells are separated by semicolons, as they are where decimals have a comma: '2,5' counts for "
    "nothing, and '1.200' is read as 1.2, not as 1200"
)
_ENCODED = "if an older program wrote the file, give its encoding, such as --encoding cp1252"
_TYPED = "where the table has truth values or numbers, these say true, false, 1 or 2.5"


def compared_texts(reading: Reading) -> tuple[str, ...]:
    """Return the texts with which a reading of the package compares cells."""
    if isinstance(reading, ApprovalReading):
        return reading.single.options
    if type(reading) is OptionReading:
        return reading.options
    return (reading.equals,) if type(reading) is MatchReading else ()


def reading_notes(table: Table, reading: Reading, declared: Sequence[str]) -> tuple[str, ...]:
    """Return what may be read in another way than was meant.

    Parameters
    ----------
    table : Table
        The open table.
    reading : Reading
        What the cells of the column mean.
    declared : sequence of str
        All texts with which cells are compared.
    """
    found = []
    numeric = isinstance(reading, SumReading | BracketReading)
    if numeric and table.separator == ";" and table.description.about(reading.column).rule is None:
        found.append(_POINTS)
    beyond = [text for text in declared if not text.isascii()]
    if beyond and table.separator is not None and not table.encoding_said:
        found.append(f"{beyond[0]!r} is looked for in UTF-8: {_ENCODED}")
    odd = [] if table.separator else [text for text in declared if typed_text(text) != text]
    if odd:
        found.append(f"{odd[0]!r} stands for text alone: {_TYPED}")
    return tuple(found)
