# SPDX-License-Identifier: Apache-2.0
"""Tables in spreadsheets (Excel, OpenDocument) and in files of SPSS and Stata.

A spreadsheet is read by python-calamine, which gives the values of cells as they were stored last; formulas
are not computed. It makes values of Python row by row, and fails at a date or duration that Python does not
have: such a row is left out, and the others are read. Files of SPSS and Stata are read by pyreadstat. There a
cell says its value label, and its value where it has none; dates and times are computed here from the stored
numbers, so that one that no calendar has is an unreadable cell, and no error.
"""

import codecs
import contextlib
import datetime as dt
import io
import math
import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from rainbowdp.errors import MissingExtraError, RainbowError, TableUnreadableError
from rainbowdp.formats.described_csv import joined_names
from rainbowdp.formats.encodings import UNREADABLE
from rainbowdp.formats.table_descriptions import Dialect
from rainbowdp.tables.cells import rows_source, shortest_float, stored_text
from rainbowdp.tables.source import UNREADABLE_CELL, OfCell, Source, check_distinct

_BYTES: Final = "latin1"
_LARGEST_HEADER = 1 << 12
_WEEKS: Final = 52
_STATA_HEADER = re.compile(
    rb"<stata_dta><header><release>(\d+)</release><byteorder>(LSF|MSF)<.*?</header><map>", re.DOTALL
)
_IMPOSSIBLE = "holds a date or a duration that no calendar has"
# SPSS counts seconds from the first day of the Gregorian calendar, Stata days or milliseconds from 1960.
_SPSS, _STATA = dt.datetime(1582, 10, 14), dt.datetime(1960, 1, 1)  # noqa: DTZ001 - clocks on walls


def spreadsheet_source(path: Path, name: str, dialect: Dialect) -> Source:
    """Return the rows of one sheet of a spreadsheet.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        How messages call it.
    dialect : Dialect
        Which sheet it is, by default the first one, and which rows name the columns. A column without a name
        is left out.

    Raises
    ------
    MissingExtraError
        Without python-calamine.
    TableUnreadableError
        If the file is damaged, or has no such sheet or no header.
    UnknownColumnError
        If a column is named twice.
    """
    try:
        import python_calamine
    except ImportError:
        raise _missing("spreadsheets", "python-calamine", "excel") from None
    first = dialect.header_rows[-1] if dialect.header_rows else 0
    try:
        sheet = _sheet(python_calamine.CalamineWorkbook.from_path(str(path)), name, dialect.sheet)
        top = list(islice(_rows(sheet), first))
    except (RainbowError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001 - its message may quote a cell; a panic is not an Exception
        raise _damaged(name, "a spreadsheet") from None
    heads = [list(map(_header_text, top[at - 1] or [])) for at in dialect.header_rows if at <= len(top)]
    named = joined_names(heads, dialect.header_join)
    if not named:
        raise TableUnreadableError(f"{name} has no header", help="name the columns in the first row")
    places = {column: at for at, column in enumerate(named) if column}
    check_distinct(name, [column for column in named if column])

    def records() -> Iterator[list[object] | None]:
        return _records(sheet, first, dialect.comment_rows)

    def rows(columns: Sequence[str], _: object) -> Iterator[list[object]]:
        return ([row[places[column]] for column in columns] for row in records() if row is not None)

    return rows_source(
        name,
        tuple(places),
        rows,
        takes=frozenset({"header_rows", "header_join", "comment_rows", "sheet"}),
        left_out=lambda: Counter(_IMPOSSIBLE for row in records() if row is None),
    )


def _records(sheet: Any, first: int, left_out: Sequence[int]) -> Iterator[list[object] | None]:  # noqa: ANN401 - see below
    """Yield the rows below the header, None for one of which the library can make no values."""
    for number, row in enumerate(_rows(sheet), start=1):
        # A row without a single value is left out, like an empty line of a file.
        empty = row is not None and all(cell == "" for cell in row)
        if number > first and number not in left_out and not empty:
            yield row


def _rows(sheet: Any) -> Iterator[list[object] | None]:  # noqa: ANN401 - python-calamine is optional
    """Yield the rows of a sheet, None for one of which the library can make no values."""
    rows = sheet.iter_rows()
    # A number of rows that is known beforehand, so that an error that comes again ends.
    for _ in range(0 if sheet.end is None else sheet.end[0] + 1):
        try:
            row = next(rows)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException:  # noqa: BLE001 - of any kind; a panic is not an Exception
            row = None
        yield row


def _sheet(book: Any, name: str, wanted: int | str | None) -> Any:  # noqa: ANN401 - python-calamine is optional
    names = book.sheet_names
    at = wanted - 1 if isinstance(wanted, int) else 0 if wanted is None else None
    if (at is None and wanted not in names) or (at is not None and at >= len(names)):
        raise TableUnreadableError(
            f"{name} has no sheet {wanted!r}", help=f"its sheets are {', '.join(map(repr, names))}"
        )
    return book.get_sheet_by_name(wanted) if at is None else book.get_sheet_by_index(at)


def _header_text(cell: object) -> str:
    text = stored_text(cell)
    return "" if text is None or text == UNREADABLE else text


def statistics_source(path: Path, name: str, encoding: str | None) -> Source:
    """Return the rows of a file of SPSS or Stata.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        How messages call it.
    encoding : str or None
        The character encoding, where the file does not say it.

    Raises
    ------
    MissingExtraError
        Without pyreadstat.
    TableUnreadableError
        If the file is damaged.
    """
    try:
        import pyreadstat
    except ImportError:
        raise _missing("files of SPSS and Stata", "pyreadstat", "stats") from None
    read = pyreadstat.read_dta if path.suffix.lower() == ".dta" else pyreadstat.read_sav
    how: dict[str, Any] = {"disable_datetime_conversion": True, "output_format": "dict"}
    try:
        _, about = read(str(path), metadataonly=True, encoding=encoding, **how)
        # The library refuses a whole file for one text that is not in its encoding. In this one each byte is
        # a character, so that texts can be decoded one by one.
        how["encoding"] = _BYTES
        _, stored = read(str(path), metadataonly=True, **how)
        codec = codecs.lookup(encoding or about.file_encoding or _usual_encoding(path)).name
    except Exception:  # noqa: BLE001 - of any kind
        raise _damaged(name, "a file of SPSS or Stata") from None
    labels: Mapping[str, Mapping[object, object]] = about.variable_value_labels
    named = dict(zip(about.column_names, stored.column_names, strict=True))
    reads = {column: _read_of(str(form)) for column, form in about.original_variable_types.items()}
    short = {column for column in named if stored.readstat_variable_types[named[column]] == "float"}
    reads |= {column: reads[column] or shortest_float for column in short}
    # Some programs write long texts, which have no width, in UTF-8 also where the other texts are not.
    long = {column for column in named if not stored.variable_storage_width[named[column]]}

    def rows(columns: Sequence[str], _: object) -> Iterator[tuple[object, ...]]:
        found, _ = read(_with_bytes(path), usecols=[named[column] for column in columns], **how)
        codecs_of = {column: ("utf-8", codec) if column in long else (codec,) for column in columns}
        yield from zip(
            *(
                [
                    _value(_decoded(cell, codecs_of[column]), labels.get(column, {}), reads[column])
                    for cell in found[named[column]]
                ]
                for column in columns
            ),
            strict=True,
        )

    return rows_source(name, about.column_names, rows, takes=frozenset({"encoding"}))


def _stata_header(path: Path) -> re.Match[bytes] | None:
    """Return the header of a file of Stata, from form 117 on."""
    with path.open("rb") as file:
        return _STATA_HEADER.match(file.read(_LARGEST_HEADER))


def _usual_encoding(path: Path) -> str:
    """Return the encoding of a file that names none: before its form 118, Stata knew no Unicode."""
    header = _stata_header(path)
    old = path.suffix.lower() == ".dta" and (header is None or header[1] == b"117")
    return "cp1252" if old else "utf-8"


def _with_bytes(path: Path) -> str | io.BytesIO:
    """Return a file in which each byte of a long text of Stata (strL) is a character.

    pyreadstat takes these texts for UTF-8 in any encoding, and refuses the whole file for one that is not.

    References
    ----------
    Stata, Description of the .dta file format 118: the map, and the section of strLs.
    """
    header = _stata_header(path)
    if header is None:
        return str(path)
    content = path.read_bytes()
    order, at = "<" if header[2] == b"LSF" else ">", header.end()
    places = struct.Struct(f"{order}14Q")
    begins = places.unpack_from(content, at)
    first, end = begins[10] + len("<strls>"), begins[11] - len("</strls>")
    head = struct.Struct(f"{order}3sI{'I' if header[1] == b'117' else 'Q'}BI")
    parts, place = [], first
    while place < end:
        *key, length = head.unpack_from(content, place)
        place += head.size + length
        text = content[place - length : place].removesuffix(b"\0").decode(_BYTES)
        # A text with a NUL cannot be read; no byte stands for this character.
        told = text.replace("\0", "\u0100").encode() + b"\0"
        parts += [head.pack(*key, len(told)), told]
    longer = sum(map(len, parts)) - (end - first)
    moved = places.pack(*begins[:11], *(begin + longer for begin in begins[11:]))
    rest = content[at + places.size : first]
    return io.BytesIO(b"".join([content[:at], moved, rest, *parts, content[end:]]))


def _decoded(cell: object, codecs: Sequence[str]) -> object:
    """Return what the bytes behind the characters of a text say, in the first encoding in which they do."""
    if not isinstance(cell, str):
        return cell
    for codec in codecs:
        with contextlib.suppress(UnicodeError):
            return cell.encode(_BYTES).decode(codec)
    return UNREADABLE_CELL


def _value(cell: object, labels: Mapping[object, object], read: OfCell | None) -> object:
    """Return what a stored value stands for."""
    if isinstance(cell, float) and math.isnan(cell):
        return None
    if cell in labels:
        return labels[cell]
    return read(cell) if read is not None and isinstance(cell, int | float) else cell


def _read_of(form: str) -> OfCell | None:
    """Return what makes a date or time of a number, by the format of its column; None for other columns."""
    return next((read for pattern, read in _READS if re.fullmatch(pattern, form)), None)


def _after(start: dt.datetime, cell: float, *, seconds: float, date: bool = False) -> object:
    try:
        moment = start + dt.timedelta(seconds=round(cell * seconds, 6))
    except (OverflowError, ValueError):
        return UNREADABLE_CELL
    return moment.date() if date else moment


def _clock(cell: float) -> object:
    return (_SPSS + dt.timedelta(seconds=cell)).time() if 0 <= cell < 86_400 else UNREADABLE_CELL


def _first_day(cell: float, per_year: int) -> object:
    """Return the first day of a part of a year, counted from 1960: a month or more, or a week of Stata's."""
    try:
        year, part = divmod(math.floor(cell), per_year)
        first = dt.date(_STATA.year + year, 1, 1)
        if per_year == _WEEKS:
            return first + dt.timedelta(weeks=part)
        return first.replace(month=1 + part * 12 // per_year)
    except (OverflowError, ValueError):
        return UNREADABLE_CELL


# By patterns of the formats of columns. Of a month, a quarter or a week, SPSS stores a day.
_READS: Final[Sequence[tuple[str, OfCell]]] = (
    (r"([EAJS]?DATE|MOYR|QYR|WKYR)\d*", partial(_after, _SPSS, seconds=1, date=True)),
    (r"(DATETIME|YMDHMS)[\d.]*", partial(_after, _SPSS, seconds=1)),
    (r"TIME[\d.]*", _clock),
    (r"%-?t?d.*", partial(_after, _STATA, seconds=86_400, date=True)),
    (r"%-?t[cC].*", partial(_after, _STATA, seconds=0.001)),
    *(
        (rf"%-?t{unit}.*", partial(_first_day, per_year=count))
        for unit, count in (("w", _WEEKS), ("m", 12), ("q", 4), ("h", 2))
    ),
)


def _missing(what: str, package: str, extra: str) -> MissingExtraError:
    return MissingExtraError(
        f"{what} are read by {package}, which is not installed",
        help=f"install it with: pip install 'rainbowdp[{extra}]'",
        extra=extra,
    )


def _damaged(name: str, what: str) -> TableUnreadableError:
    return TableUnreadableError(
        f"{name} cannot be read as {what}", help="check that the file is whole, and what its name says"
    )
