# SPDX-License-Identifier: Apache-2.0
"""Public notes about an answer: whom it protects, what it costs, and how the cells of the table will be read.

They follow from the question, the header and the ledger, not from a row. Types of columns are part of a
header where a file or database declares them. The command line writes the notes before the table is read, and
they are the notes of an answer.
"""

import contextlib
import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from rainbowdp.formats.encodings import NAMELESS
from rainbowdp.goals import QuestionMechanism
from rainbowdp.ledger import Amount, BudgetState, Cost, Ledger, Protection
from rainbowdp.ledger.cost import parameters_of, rounded
from rainbowdp.ledger.entries import one_spelling
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import Neighbors
from rainbowdp.questions.cells import Point, cell_text, typed_text
from rainbowdp.questions.readings import (
    ApprovalReading,
    BracketReading,
    MatchReading,
    OptionReading,
    Reading,
    SumReading,
)
from rainbowdp.tables import Table
from rainbowdp.tables.rows import Filter, Groups, Range, parts_of, range_in

IN_MEMORY = "a summary in memory"
_UNTOLD = NAMELESS | {IN_MEMORY}
"""Names that several different sources share, so that a name does not tell which source it is."""
_LARGE, _BEYOND_WORDS = Amount.of(10), Amount.of(100)


def protection_note(protection: Protection, counted: str) -> str:
    """Return who is protected, and how many rows or categories of one person count."""
    most = "" if protection.unit is None else f", and at most {protection.max_rows} {counted} count"
    return f"privacy hides that {protection}{most}"


def privacy_text(privacy: Privacy) -> str:
    """Return a notion of privacy in one line.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> privacy_text(ApproxDP("0.1", "1e-6"))
    'epsilon=0.1, delta=0.000001'
    """
    return ", ".join(f"{name}={value}" for name, value in parameters_of(privacy).items())


def cost_note(mechanism: QuestionMechanism, groups: int, neighbors: Neighbors) -> str:
    """Return what the answers for so many groups cost."""
    asked, charged = privacy_text(mechanism.asked.privacy), privacy_text(mechanism.charged)
    if groups > 1:
        total = mechanism.cost(groups, neighbors).shown()
        return f"the {groups} answers cost {total} together; each has {asked}"
    unused = "" if asked == charged else ": its mechanism makes no use of delta"
    return f"the answer costs {charged}{unused}"


def large_epsilon(privacy: Privacy) -> tuple[str, ...]:
    """Return a remark about an epsilon of 10 and more.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> large_epsilon(PureDP(10)), large_epsilon(PureDP("9.99"))
    (('epsilon 10 hides little: one person can make an answer about 22026.4 times as likely',), ())
    """
    if isinstance(privacy, GaussianDP) or not (epsilon := Amount.of(privacy.epsilon)) >= _LARGE:
        return ()
    near = epsilon <= _BEYOND_WORDS
    odds = f"about {rounded(lambda: epsilon.ball().exp(), upward=False)}" if near else "more than 10^43"
    return (f"epsilon {epsilon} hides little: one person can make an answer {odds} times as likely",)


def budget_notes(state: BudgetState, cost: Cost, protection: Protection) -> tuple[str, ...]:
    """Return what a budget charges in another way than was asked for."""
    promise, price = state.protection, state.price(cost, protection)
    if promise is None:
        return (f"budget {state.name!r} does not state what it protects: it adds up costs as they are",)
    if price == cost:
        return ()
    charged, steps = price.shown(state.kind), 2 ** promise.doublings(protection)
    why = f"budget {state.name!r} hides that {promise}"
    return (f"{why}: that takes {steps} steps of this answer, and the budget is charged {charged}",)


def answered_before(request: str, source: str) -> str:
    """Return the note about a stored answer; only the ledger may know what it is about."""
    note = f"request {request!r} was answered before: nothing was read, and nothing charged"
    if source not in _UNTOLD:
        return note
    return f"{note}; the answer is about the data given then, which have no name of their own"


def other_budgets(ledger: Ledger, name: str, source: str) -> tuple[str, ...]:
    """Return a note if the same source is charged to budgets of other names, too."""
    own = one_spelling(name)
    others = [] if source in _UNTOLD else [other for other in ledger.names_for(source) if other != own]
    if not others:
        return ()
    shown = ", ".join(map(repr, others[:3])) + (", …" if len(others) > 3 else "")
    return (f"this source is charged to other budgets, too ({shown}): what it reveals in all is their sum",)


_POINTS = (
    "the cells are separated by semicolons, as they are where decimals have a comma: '2,5' counts for "
    "nothing, and '1.200' is read as 1.2, not as 1200"
)
_WITH_POINTS = (
    "is read with a decimal point, so that '2,5' counts for nothing unless --describe says how it is written"
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
    table: Table, where: Mapping[str, Filter], groups: Groups | None = None, reading: Reading | None = None
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
    if type(reading) is OptionReading or type(reading) is ApprovalReading:
        return [(reading.column, option) for option in reading.options if option != reading.other]
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
    points = [column for column, each in plain if isinstance(each, Fraction)]
    said = [*table.description.decimals]
    notes = [_POINTS] if points and table.separator == ";" else []
    if points and said:
        notes += [f"the decimal character was given for {said[0]!r} alone: {points[0]!r} {_WITH_POINTS}"]
    dates = any(
        isinstance(each, dt.date) and held_by(table.source.types.get(column, "")) is None
        for column, each in plain
    )
    return [*notes, *([_DATES] if dates else [])]


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


class Held(NamedTuple):
    """What the cells of a type hold.

    Attributes
    ----------
    words : str
        What it is.
    reads : tuple of callable
        Each makes of a text a value of the type; a cell can say the text if such a value is written so.
    point : type or None
        What cells are compared with: numbers or dates.
    """

    words: str
    reads: tuple[Callable[[str], object], ...]
    point: type[Point] | None

    def accepts(self, declared: str | Point) -> bool:
        """Tell whether a cell can say a declared text, or be compared with a number or date."""
        if isinstance(declared, str):
            return any(_written_alike(read, declared) for read in self.reads)
        return self.point is not None and isinstance(declared, self.point)


def _written_alike(read: Callable[[str], object], text: str) -> bool:
    with contextlib.suppress(ValueError, ArithmeticError):
        return cell_text(read(text)) == text
    return False


def _moment(text: str) -> str | None:
    """Return a text that says a moment as cells do; Python's own moments end at microseconds."""
    said = cell_text(dt.datetime.fromisoformat(text))
    return text if _NANOSECONDS.sub("", text) == said else None


_NANOSECONDS = re.compile(r"(?<=\.\d{6})\d{3}(?!\d)", re.ASCII)
_DAY, _NUMBERS = dt.date.fromisoformat, (float, Decimal)
# By the names of types, in small letters and without what stands in brackets.
_KNOWN: Final = {
    r"bool(ean)?": Held("true or false", ({"true": True, "false": False}.get,), None),
    r"u?(tiny|small|big|huge)?int(eger)?\d*": Held("whole numbers, such as 12", (int,), Fraction),
    r"(half)?float\d*|double|decimal\d*|numeric|real": Held("numbers, such as 2.5", _NUMBERS, Fraction),
    r"date\d*": Held("dates, such as 2026-01-31", (_DAY,), dt.date),
    r"timestamp\w*( with time zone)?": Held("moments, such as 2026-01-31T12:00:00", (_DAY, _moment), dt.date),
}


def held_by(type_name: str) -> Held | None:
    """Return what the cells of a type hold, None where that is not known.

    Examples
    --------
    >>> for name in ("Int64", "timestamp[us, tz=UTC]", "decimal128(10, 2)", "object"):
    ...     held = held_by(name)
    ...     print(held and held.words, held and held.accepts("2026-01-31"))
    whole numbers, such as 12 False
    moments, such as 2026-01-31T12:00:00 True
    numbers, such as 2.5 False
    None None
    """
    plain = re.split(r"[\[(]", type_name.lower())[0]
    return next((held for names, held in _KNOWN.items() if re.fullmatch(names, plain)), None)
