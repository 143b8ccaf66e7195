# SPDX-License-Identifier: Apache-2.0
"""Turn the cells that an engine returns into the texts that a person would type.

`texts_of` does it for a column, by `rainbowdp.questions.cells.cell_text`; all code that reads a table uses
these texts. The other functions turn stored numbers and texts of engines into values that `cell_text` reads.
Dates and times come as the whole numbers that Arrow stores, since an engine that writes them as text, or
makes a Python value of them, may fail on a number that no calendar has. They become ISO text here: the years
1 to 9999, moments with a time zone in UTC. A number outside has no readable text. Dates and decimals that a
database writes as text are read here, too. Each function reads one cell alone, and none of them fails.
"""

import contextlib
import datetime as dt
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from itertools import islice
from types import NoneType
from typing import Any, cast

from rainbowdp.formats.encodings import UNREADABLE
from rainbowdp.formats.table_descriptions import MOMENTS, TableDescription
from rainbowdp.questions.cells import (
    LARGEST_CELL,
    NULL,
    Mark,
    cell_text,
    number_of,
    stands_for,
    tidy,
    typed_text,
)
from rainbowdp.tables.source import UNREADABLE_CELL, Batch, OfCell, Progress, Source, cells_by

_ROWS = 1 << 12
_MOST_BYTES_PER_CHARACTER = 4
# The lowest limit that Python can be given for the digits of an integer that it reads.
_LONGEST_INT = 640
# Whether Python writes a longer integer as text depends on its setting (sys.set_int_max_str_digits).
_LARGE = 1 << 64
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_PER_DAY = 86_400
_START = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - what is stored is counted from here in any zone
# DuckDB stores it, or minus it, for infinity.
_INFINITE = 2**63 - 1
_TEXT = re.compile(
    r"(\d{4}-\d\d-\d\d)?([ T])?((?:[01]\d|2[0-3])(?::[0-5]\d){2})?(?:\.(\d+))?"
    r"([+-]\d\d(?::?\d\d(?::\d\d)?)?|Z|UTC)?\Z",
    re.ASCII,
)


def stored_text(cell: object) -> str | None:
    """Return a cell as text that a database can hold: None for null, NUL for one that cannot be read."""
    text = cell_text(cell)
    if isinstance(text, Mark):
        return None if text is NULL else UNREADABLE
    return text


class Stored(str):
    """The text of a cell that is not stored as a text, but as a number or a date for example."""

    __slots__ = ()


def is_written(cell: object) -> bool:
    """Tell whether a cell is stored as a text."""
    return isinstance(cell, str | bytes | bytearray | memoryview) and not isinstance(cell, Stored)


def marked_text(cell: object) -> str | None:
    r"""Return `stored_text`, with a NUL character before the text of what is not stored as one.

    For where all cells have to become texts. No cell can say the mark, since one with a NUL is unreadable.

    Examples
    --------
    >>> marked_text(2.5), marked_text("2.5"), marked_text("\x002.5"), marked_text(None)
    ('\x002.5', '2.5', '\x00', None)
    """
    text = stored_text(cell)
    return text if text is None or text == UNREADABLE or is_written(cell) else UNREADABLE + text


def unmarked(text: str | bytes) -> str | bytes:
    r"""Return the cell that stands behind a text from `marked_text`.

    Examples
    --------
    >>> [is_written(unmarked(text)) for text in ("\x002.5", "2.5", b"2.5")], unmarked("\x002.5")
    ([False, True, True], '2.5')
    """
    said = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return Stored(said[1:]) if len(said) > 1 and said.startswith(UNREADABLE) else text


def stored_cell(text: str | None) -> object:
    """Return the cell that stands behind a text from `stored_text`."""
    return UNREADABLE_CELL if text == UNREADABLE else text


def texts_of(cells: Sequence[object]) -> list[str | None]:
    r"""Return `stored_text` of each cell of a column, all cells together where their type allows it.

    Examples
    --------
    >>> texts_of([" a", None, 1.0, b"\xff", True]), texts_of([7, None])
    (['a', None, '1', '\x00', 'true'], ['7', None])
    """
    kinds = set(map(type, cells))
    with contextlib.suppress(ValueError):
        if kinds <= {str, Stored}:
            return _stripped(cast("Sequence[str]", cells))
        if kinds <= {str, Stored, NoneType}:
            return _stripped([cell or "" for cell in cast("Sequence[str | None]", cells)])
        if kinds <= {bytes, NoneType}:
            return _stripped([(cell or b"").decode() for cell in cast("Sequence[bytes | None]", cells)])
        numbers = cast("Sequence[int | None]", cells)
        if kinds <= {int, NoneType} and max(abs(number or 0) for number in numbers) < _LARGE:
            return [None if number is None else str(number) for number in numbers]
    return list(map(stored_text, cells))


def _stripped(texts: Sequence[str]) -> list[str | None]:
    """Return texts as `tidy` has them, None for empty ones; a ValueError if one of them is unreadable."""
    if max(map(len, texts), default=0) * _MOST_BYTES_PER_CHARACTER > LARGEST_CELL:
        raise ValueError("a text may be too long")
    together = "".join(texts)
    if UNREADABLE in together:
        raise ValueError("a text holds a NUL character")
    if together.isascii():
        # What `tidy` does to them.
        return [text.strip() or None for text in texts]
    # Texts that no file can hold raise one, too.
    together.encode()
    return [tidy(text) or None for text in texts]


def are_names(texts: Sequence[str | None]) -> list[bool]:
    """Tell which texts from `texts_of` can be names: readable and not empty.

    Examples
    --------
    >>> are_names(texts_of(["rent", None, bytes([255])]))
    [True, False, False]
    """
    return [text is not None and text != UNREADABLE for text in texts]


def day_text(days: int) -> str | bytes:
    r"""Return the date that is so many days after the start of 1970.

    Examples
    --------
    >>> day_text(0), day_text(2**30)
    ('1970-01-01', b'\xff')
    """
    try:
        return Stored((_START + dt.timedelta(days)).date().isoformat())
    except OverflowError:
        return UNREADABLE_CELL


def time_text(count: int, unit: str) -> str | bytes:
    r"""Return the time of day that is so many units after midnight.

    Examples
    --------
    >>> time_text(3_600_500, "ms"), time_text(-1, "s"), time_text(90_000, "s")
    ('01:00:00.500000', b'\xff', b'\xff')
    """
    if not 0 <= count < _SECONDS_PER_DAY * PER_SECOND[unit]:
        return UNREADABLE_CELL
    return Stored(str(moment_text(count, unit, zoned=False)).partition("T")[2])


def moment_text(count: int, unit: str, *, zoned: bool) -> str | bytes:
    r"""Return the moment that is so many units after the start of 1970.

    Parameters
    ----------
    count : int
        The number.
    unit : str
        ``s``, ``ms``, ``us`` or ``ns``.
    zoned : bool
        Whether it is a moment in UTC, and not a local time without a zone.

    Examples
    --------
    >>> moment_text(1_577_840_523_250, "ms", zoned=False), moment_text(0, "ns", zoned=True)
    ('2020-01-01T01:02:03.250000', '1970-01-01T00:00:00+00:00')
    >>> moment_text(2**62, "us", zoned=False)
    b'\xff'
    """
    if abs(count) == _INFINITE:
        return UNREADABLE_CELL
    seconds, parts = divmod(count, PER_SECOND[unit])
    try:
        moment = _START + dt.timedelta(seconds=seconds)
    except OverflowError:
        return UNREADABLE_CELL
    fraction = _fraction(parts * PER_SECOND["ns"] // PER_SECOND[unit])
    return Stored(moment.isoformat() + fraction + ("+00:00" if zoned else ""))


def iso_text(text: str) -> str | None:
    """Return ISO text for the text in which an engine says a date or time, or None where it is none.

    Examples
    --------
    >>> iso_text("2020-01-31 05:06:07.800"), iso_text("2020-01-31"), iso_text("05:06:07.000000")
    ('2020-01-31T05:06:07.800000', '2020-01-31', '05:06:07')
    >>> iso_text("2020-01-31 05:06:07+02"), iso_text("05:06:07+02"), iso_text("infinity")
    ('2020-01-31T03:06:07+00:00', '05:06:07+02:00', None)
    >>> iso_text("0000-12-31")
    """
    found = _TEXT.match(text)
    if found is None or not (found[1] or found[3]):
        return None
    day, _, time, fraction, zone = found.groups()
    if day is not None and day.startswith("0000"):
        # Years before the first: other engines say them in other ways.
        return None
    digits = _fraction(int((fraction or "0")[:9].ljust(9, "0")))
    if zone is not None:
        zone = "+00:00" if zone in ("Z", "UTC") else zone
        zone = zone if ":" in zone else f"{zone[:3]}:{zone[3:] or '00'}"
    if zone is not None and day is not None and time is not None:
        try:
            moment = dt.datetime.fromisoformat(f"{day}T{time}{zone}").astimezone(dt.UTC)
        except (ValueError, OverflowError):
            return None
        day, time, zone = moment.date().isoformat(), moment.time().isoformat(), "+00:00"
    return Stored("T".join(part for part in (day, time) if part) + digits + (zone or ""))


def _fraction(nanoseconds: int) -> str:
    """Return the digits after the second: none, six, or nine where six do not say it."""
    if nanoseconds % 1000:
        return f".{nanoseconds:09}"
    return f".{nanoseconds // 1000:06}" if nanoseconds else ""


def shortest_float(cell: float, bits: int = 32) -> float:
    """Return the float64 that prints like a shorter float, which not every library keeps apart.

    Examples
    --------
    >>> shortest_float(0.10000000149011612), shortest_float(0.0999755859375, 16)
    (0.1, 0.1)
    """
    import numpy as np

    with np.errstate(all="ignore"):
        return float(str(np.float16(cell) if bits == 16 else np.float32(cell)))


def decimal_of(text: str) -> Decimal | bytes | None:
    r"""Return the number that a text of an engine says; no text of it fails.

    Examples
    --------
    >>> decimal_of("1.50"), decimal_of("NaN"), decimal_of("?")
    (Decimal('1.50'), None, b'\xff')
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        return UNREADABLE_CELL
    return None if number.is_nan() else number


def moment_of(text: str) -> str | bytes:
    r"""Return ISO text for what an engine writes for a cell of a type of dates and times.

    Examples
    --------
    >>> moment_of("2020-01-31 05:06:07.8"), moment_of("0044-03-15 BC")
    ('2020-01-31T05:06:07.800000', b'\xff')
    """
    return iso_text(text) or UNREADABLE_CELL


def perhaps_moment_of(cell: object) -> object:
    """Return ISO text for a date or time, and any other cell as it is: SQLite columns mix types.

    Examples
    --------
    >>> perhaps_moment_of(b"2020-01-31 05:06:07"), perhaps_moment_of(b"red")
    ('2020-01-31T05:06:07', b'red')
    """
    found = iso_text(cell.decode("utf-8", "replace")) if isinstance(cell, bytes) else None
    return cell if found is None else found


def whole_number(text: str) -> object:
    """Return a whole number; Python refuses one of too many digits, and the line would be lost with it."""
    if len(text) > LARGEST_CELL:
        # Like any other cell without a text. Reading it would take many times as much memory.
        return UNREADABLE_CELL
    return int(text) if len(text) <= _LONGEST_INT else Decimal(text)


def json_value(text: str | bytes) -> object:
    r"""Return the value that a text of JSON says, as JSON lines do; no text fails.

    Examples
    --------
    >>> json_value('"red"'), json_value(b"2.50"), json_value("oops")
    ('red', 2.5, b'\xff')
    """
    try:
        return json.loads(text if isinstance(text, str) else text.decode(), parse_int=whole_number)
    except (ValueError, RecursionError):
        return UNREADABLE_CELL


def rows_source(
    name: str,
    columns: Sequence[str] | None,
    rows: Callable[[Sequence[str], Progress | None], Iterator[Sequence[object]]],
    **more: Any,  # noqa: ANN401 - see below
) -> Source:
    """Return rows that a library hands over one by one as values of Python.

    Parameters
    ----------
    name : str
        How messages call it.
    columns : sequence of str or None
        The names of all columns, if rows are not needed to say them.
    rows : callable
        Yields the cells of each row for the asked columns, in their order, and tells how far it is. Cells
        have a hash.
    **more
        As for `Source`.
    """

    def query(chosen: Sequence[str], counted: bool, progress: Progress | None) -> Iterator[Batch]:
        found = rows(chosen, progress)
        while part := list(islice(found, _ROWS)):
            if not counted:
                yield list(zip(*part, strict=True))
                continue
            # 1, 1.0 and True are equal in Python, and "1" and 1 may be read in different ways.
            counts = Counter((tuple(row), tuple(map(type, row))) for row in part)
            yield [*zip(*(row for row, _ in counts), strict=True), list(counts.values())]

    return Source(name, None if columns is None else tuple(columns), query, **more)


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

    How numbers and dates are written says nothing about cells that are stored as such. Truth values and
    missing texts are compared with cells as options are, these also with numbers after they are read.
    """
    about = description.about(column)
    about = replace(about, true=_as_compared(about.true), false=_as_compared(about.false))
    truths = {*about.true, *about.false} if about.kind == "boolean" else set()
    texts = set(map(tidy, description.missing_in(column)))
    missing = set(_as_compared(texts))
    read = about.rule
    if read is None and not missing:
        return None

    def said(cell: object) -> object:
        text = stored_text(cell)
        if text is None or text == UNREADABLE:
            return stored_cell(text)
        if read is not None and (is_written(cell) or _reads_stored(about.kind, text)):
            if text in texts:
                return None
            text = read(stands_for(text, truths) or text if truths else text)
        return None if stands_for(text, missing) is not None else text

    return said


def _as_compared(texts: Iterable[str]) -> tuple[str, ...]:
    """Return declared texts in the forms with which cells are compared."""
    forms = tuple(map(tidy, texts))
    return (*forms, *map(typed_text, forms))


def _reads_stored(kind: str, text: str) -> bool:
    """Tell whether a rule is for a cell that is not stored as a text: 1 may say true, and 20260131 a day."""
    return kind == "boolean" or (kind in MOMENTS and number_of(text) is not None)
