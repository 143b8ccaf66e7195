# SPDX-License-Identifier: Apache-2.0
"""Everything that is done before a charge: once it is done, nothing is left that can fail but the draw.

The table gives a summary, and the mechanism at that summary is ready to draw. Both are private, neither shows
itself, and they go no further than into the draw.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rainbowdp.goals import Located
from rainbowdp.goals.own_questions import text_reading
from rainbowdp.questions import Summary
from rainbowdp.questions.cells import typed_text
from rainbowdp.questions.readings import BracketReading, MatchReading, OptionReading, SumReading
from rainbowdp.questions.summaries import Private
from rainbowdp.release.answers import EVERYBODY, Answers
from rainbowdp.release.terms import Terms
from rainbowdp.sampling import BitSource
from rainbowdp.tables import Table, summarize, summarize_groups

Progress = Callable[[float], None]

_POINTS = (
    "the cells are separated by semicolons, as they are where decimals have a comma: '2,5' counts for "
    "nothing, and '1.200' is 1.2, no thousand"
)
_TYPED = "where the table has truth values or numbers, these say true, false, 1 or 2.5"


@dataclass(frozen=True, repr=False)
class Ready(Private):
    """The mechanism at the table of each group: it says where the table lies, and does not show it."""

    located: Mapping[str, Located]


def make_ready(terms: Terms, source: Table | Summary, key: bytes | None, progress: Progress | None) -> Ready:
    """Do everything but draw: nothing that can fail is left, and nothing has been revealed."""
    if isinstance(source, Table):
        source.check(columns_of(terms))
    # All that an answer and its receipt need is asked of the question before a row is read, but `locate`.
    terms.description, terms.mechanism  # noqa: B018 - cached properties
    summaries = _read(terms, source, key, progress) if isinstance(source, Table) else {EVERYBODY: source}
    return Ready({group: terms.mechanism.at(summary) for group, summary in summaries.items()})


def columns_of(terms: Terms) -> list[str]:
    """Return all columns that a question asked so needs."""
    people = [column for column in (terms.unit, terms.by) if column is not None]
    return [terms.reading.column, *terms.where, *people]


def notes_of(terms: Terms, source: Table | Summary) -> tuple[str, ...]:
    """Return the public remarks about a table that is asked: its schema makes them, and no row does."""
    if not isinstance(source, Table):
        return ()
    found = list(source.notes)
    if source.separator == ";" and isinstance(terms.reading, SumReading | BracketReading):
        found.append(_POINTS)
    odd = [] if source.separator else [text for text in _declared(terms) if typed_text(text) != text]
    if odd:
        found.append(f"{odd[0]!r} stands for text alone: {_TYPED}")
    return tuple(found)


def _declared(terms: Terms) -> list[str]:
    """Return the texts with which cells are compared."""
    reading = terms.reading
    said = reading.options if type(reading) is OptionReading else ()
    equal = (reading.equals,) if type(reading) is MatchReading else ()
    return [*said, *equal, *terms.where.values(), *terms.groups]


def _read(terms: Terms, table: Table, key: bytes | None, progress: Progress | None) -> Mapping[str, Summary]:
    """Read the summaries off a table; they stay inside this module."""
    reading = text_reading(terms.reading)
    unit, rows, where = terms.unit, terms.max_rows, terms.where
    if terms.by is not None:
        return summarize_groups(
            table,
            reading,
            terms.by,
            terms.groups,
            where=where,
            unit=unit,
            max_rows=rows,
            key=key,
            progress=progress,
        )
    found = summarize(table, reading, where=where, unit=unit, max_rows=rows, key=key, progress=progress)
    return {EVERYBODY: found}


def drawn(ready: Ready, bits: BitSource | None) -> Answers:
    """Draw the answer of every group, exactly."""
    return {group: located.draw(bits) for group, located in ready.located.items()}
