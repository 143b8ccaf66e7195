# SPDX-License-Identifier: Apache-2.0
"""Descriptions of tables: how a file is cut into cells, and what the text of a cell stands for.

A description says how a file is written: how its records are cut into cells (`Dialect`), what its columns are
called, and how the text of a cell becomes a value (`Field`). It is a property of the file, so it is written
once, beside the file. Nothing of it is inferred from rows. `table_descriptor` writes it as a Frictionless
table descriptor of Data Package version 2.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Final, Literal, Self

from rainbowdp.errors import FileFormatError, UsageError
from rainbowdp.formats.encodings import UNREADABLE

FieldsMatch = Literal["exact", "equal", "subset", "superset", "partial"]
MOMENTS: Final[dict[str, Callable[[dt.datetime], str]]] = {
    # As everywhere, the day of a moment with a time zone is the day in UTC.
    "date": lambda moment: (moment.astimezone(dt.UTC) if moment.tzinfo else moment).date().isoformat(),
    "time": lambda moment: moment.time().isoformat(),
    "datetime": lambda moment: moment.isoformat(),
}
"""The types of dates and times, and the text of a value of each."""
_MOMENT = dt.datetime(2026, 10, 31, 13, 14, 15, tzinfo=dt.UTC)
# Two parts of a pattern that are digits, without a separator.
_RUN_TOGETHER = re.compile("%[dmyYHIMSfjUWGVuw]%[dmyYHIMSfjUWGVuw]")
# The minus of Unicode, the en dash and the hyphen.
_MINUS = "\u2212\u2013-"
_LETTER = r"[^\W\d_]"
_CURRENCY = r"$\u00a2-\u00a5\u058f\u060b\u09f2\u09f3\u0e3f\u17db\u20a0-\u20c0\ufdfc\ufe69\uff04\uffe0\uffe1"
_CURRENCY += r"\uffe5\uffe6"
# Left out around a number: currencies, blanks, percent and degrees, marks of direction, and words in Latin,
# Greek, Cyrillic and Arabic letters. Other characters may make a number negative, another one or a bound.
_TEXT = (
    rf"\s/%\u2030\u2031\u066a\u00b0\u00b5\u2103\u2109\u061c\u200e\u200f{_CURRENCY}"
    r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u04ff\u1e00-\u1eff"
    r"\u0621-\u063f\u0641-\u064a\u066e-\u06d3\u5143\u5186\u5713\uc6d0"
)
# Words that make a number negative or multiply it: whole ones, their beginnings, and letters.
_WORDS = (
    "cr|dr|db|meno|eksi|âm|soll|haben|dare|avere|haber|doit|avoir"
    "|k|tsd|tys|tis|ths|bin|ezer|mn|mrd|mld|md|mia|mio|bn|bln|bio|tn|trn|lacs?|lakhs?|crores?"
)
_STEMS = (
    "minus|mínus|miinus|moins|menos|neg|nég|ujemn|zápor|минус|мінус|отриц|μείον|αρνητ|سالب|ناقص"
    "|deb|déb|cred|créd|kredit|дебет|кредит|loss|verlust|perte|pérdida|perdita"
    "|thous|tausend|mil|bill|tril|тыс|тис|млн|млрд|трлн|χιλ|εκατ|δισ|ألف|الف|مليون|مليار|هزار|میلیون|میلیارد"
)
_CHANGES = re.compile(
    rf"(?<!{_LETTER})(?<!{_LETTER}\.)(?:(?i:(?:{_WORDS})(?!{_LETTER}|\.{_LETTER})|{_STEMS})"
    rf"|(?<!\u00b0)(?<!\u00b0 )(?:[BCDHLS](?![$/])|[MT]|MM)(?!{_LETTER}|\.{_LETTER}))|[0-9][bmt](?!{_LETTER})"
)


@dataclass(frozen=True)
class Dialect:
    """How a file of text is cut into records and cells.

    Attributes
    ----------
    delimiter : str or None
        What stands between cells; None where the header tells.
    quote, escape : str or None
        The characters around a cell, and before a character that is meant as it is.
    double_quote : bool
        Whether two quotes within quotes are one.
    header_rows : tuple of int
        The records that name the columns, from 1; data follow the last of them. None of them: no header.
    header_join : str
        What joins the names where several records name the columns.
    comment_rows : tuple of int
        Records that are left out.
    comment : str or None
        Records that begin so are left out.
    skip_space : bool
        Whether blanks after a delimiter are left out.
    sheet : int or str or None
        Number, from 1, or name of the sheet of a spreadsheet.
    """

    delimiter: str | None = None
    quote: str | None = '"'
    escape: str | None = None
    double_quote: bool = True
    header_rows: tuple[int, ...] = (1,)
    header_join: str = " "
    comment_rows: tuple[int, ...] = ()
    comment: str | None = None
    skip_space: bool = False
    sheet: int | str | None = None

    @property
    def is_usual(self) -> bool:
        """Whether nothing but the delimiter may differ from an ordinary CSV file."""
        one_character = self.delimiter is None or len(self.delimiter) == 1
        return one_character and replace(self, delimiter=None, sheet=None) == Dialect()


@dataclass(frozen=True)
class Field:
    """What the text of a cell of one column means.

    Attributes
    ----------
    name : str
        The name of the column.
    kind : str
        The type of Table Schema, such as ``number`` or ``date``; ``any`` leaves texts as they are.
    missing : frozenset of str or None
        Texts that say nothing; None where those of the table hold.
    decimal, group : str
        The characters before decimals and between groups of digits.
    bare : bool
        Whether a number stands alone; otherwise currencies, units and other words around it are left out.
        Other characters, such as brackets, and words that negate or multiply, such as ``CR`` or ``Mio.``,
        make the cell say nothing.
    form : str
        How a date or time is written: ``default``, or a pattern of `datetime.datetime.strptime`.
    true, false : tuple of str
        What says true and false in a column of type ``boolean``.
    """

    name: str
    kind: str = "any"
    missing: frozenset[str] | None = None
    decimal: str = "."
    group: str = ""
    bare: bool = True
    form: str = "default"
    true: tuple[str, ...] = ("true", "True", "TRUE", "1")
    false: tuple[str, ...] = ("false", "False", "FALSE", "0")

    def __post_init__(self) -> None:
        """Refuse characters that numbers themselves are made of."""
        for mark in filter(_is_of_numbers, self.decimal + self.group):
            raise FileFormatError(
                f"{mark!r} cannot stand before decimals or between groups of digits in field {self.name!r}",
                help="give another 'decimalChar' or 'groupChar', such as a comma, or leave it out",
            )

    @property
    def rule(self) -> Callable[[str], str] | None:
        """Return the text that a text stands for; None where each stands for itself.

        A text that is not of the type stays as it is; where a column without a description would read it as
        a number all the same, it is unreadable. Whether a rule is needed is known without a cell.
        """
        if self.kind in ("number", "integer"):
            return None if (self.decimal, self.group, self.bare) == (".", "", True) else self._number
        if self.kind == "boolean":
            return self._truth
        return self._moment if self.kind in MOMENTS and self.form not in ("default", "any") else None

    def _number(self, text: str) -> str:
        found = self._form.fullmatch(text)
        if found is None or (_CHANGES.search(text) and not self.bare):
            # A text that would be a number without a description is none with it.
            return UNREADABLE if _PLAIN._form.fullmatch(text) else text
        digits = found["whole"].replace(self.group, "") if self.group else found["whole"]
        # A minus stands before a currency, after it or at the end.
        minus = "-" if (found["before"] or found["after"] or found["last"] or "+") in _MINUS else ""
        part = f".{found['part']}" if found["part"] else ""
        return f"{minus}{digits or '0'}{part}{found['power'] or ''}"

    @cached_property
    def _form(self) -> re.Pattern[str]:
        point, group = re.escape(self.decimal), re.escape(self.group)
        whole = "[0-9]+"
        if group:
            # Groups have three digits; in India two, but for the last one.
            indian = f"[0-9]{{1,2}}(?:{group}[0-9]{{2}}(?={group}))++{group}[0-9]{{3}}"
            whole = f"[0-9]{{1,3}}(?:{group}[0-9]{{3}})++|{indian}|{whole}"
        marks = "".join(mark for mark in f".,{self.decimal}{self.group}" if not mark.isspace())
        # In text around a number, a point ends a word; one before a digit belongs to the number.
        text = rf"(?![{re.escape(marks)}])[{_TEXT}]|(?<={_LETTER})[\u00b2\u00b3]"
        mark = rf"(?<={_LETTER}|/)[{re.escape(marks)}](?![0-9])"
        around = "" if self.bare else rf"(?:{text}|{mark})*+"
        sign = f"[+{_MINUS}]"
        # SAP writes a minus last. In "5.-" the hyphen means no decimals.
        last = "" if self.bare else r"(?<=[0-9])-(?=\Z)"
        return re.compile(
            rf"(?P<before>{sign})?{around}(?(before)|(?P<after>{sign})?)"
            rf"(?P<whole>{whole}|(?<![^\s+{_CURRENCY}{_MINUS}])(?={point}[0-9]))(?:{point}(?P<part>[0-9]*))?"
            rf"(?P<power>[eE][+-]?[0-9]{{1,4}})?(?(before)|(?(after)|(?P<last>{last})?)){around}"
        )

    def _truth(self, text: str) -> str:
        return "true" if text in self.true else "false" if text in self.false else text

    def _moment(self, text: str) -> str:
        try:
            read = dt.datetime.strptime(text, self.form)  # noqa: DTZ007 - the pattern may have a zone
            # Where digits run together, a lost zero would make another day: 1022026 for 01022026.
            return MOMENTS[self.kind](read) if self._is_whole(text, read) else UNREADABLE
        except (ValueError, OverflowError):
            return text

    def _is_whole(self, text: str, read: dt.datetime) -> bool:
        """Tell whether a text has all digits of a date or time, where none but digits tell its parts."""
        if not _RUN_TOGETHER.search(self.form):
            return True
        # A time zone is written in several ways, and a fraction of a second with three digits or six.
        form = self.form.partition("%z")[0]
        written = read.strftime(form)
        if form.endswith("%f"):
            written = written.removesuffix("000")
        return text.casefold().startswith(written.casefold())


def reads_what_it_writes(kind: str, form: str) -> bool:
    """Tell whether a pattern reads dates or times as it writes them; a cell would not say so.

    Parameters
    ----------
    kind : str
        The type, from `MOMENTS`.
    form : str
        The pattern. It may leave out a part of the time with all parts below it.

    Examples
    --------
    >>> [reads_what_it_writes("time", form) for form in ("%H:%M", "%I:%M %p", "%H:%m", "%H:%M %p")]
    [True, True, False, False]
    """
    try:
        read = dt.datetime.strptime(_MOMENT.strftime(form), form)  # noqa: DTZ007 - the pattern may have a zone
    except (ValueError, re.error):
        return False
    if ("%I" in form) != ("%p" in form) or re.search("%[HI][:.]?%m", form) or "%" not in form:
        return False
    day, time = read.date() == _MOMENT.date(), (read.hour, read.minute, read.second)
    cut = [(13, 14, 15), (13, 14, 0), (13, 0, 0)]
    return time in cut if kind == "time" else day and time in [*cut, (0, 0, 0)]


def _is_of_numbers(mark: str) -> bool:
    """Tell whether a character is a letter, a digit, a plus or a minus."""
    return mark.isalnum() or mark in f"+{_MINUS}"


_PLAIN = Field("", "number")


@dataclass(frozen=True)
class TableDescription:
    """How one table is written.

    Attributes
    ----------
    dialect : Dialect
        How a file is cut into cells.
    fields : tuple of Field
        Columns.
    match : str
        How `fields` and the columns of the table fit, as ``fieldsMatch`` of Table Schema says. ``exact``: in
        their order, and they name the columns. ``subset`` and ``partial``: the table has other columns too,
        and records may have more cells than names. ``superset`` and ``partial``: columns may lack, and
        records may have fewer cells.
    missing : frozenset of str
        Texts that say nothing, in every column without its own.
    encoding : str or None
        The character encoding.
    decimals : mapping of str to str
        For columns that `fields` do not name: the character before decimals.
    """

    dialect: Dialect = Dialect()
    fields: tuple[Field, ...] = ()
    match: FieldsMatch = "exact"
    missing: frozenset[str] = frozenset()
    encoding: str | None = None
    decimals: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of all columns where the description gives them; None where the header does."""
        return tuple(each.name for each in self.fields) if self.fields and self.match == "exact" else None

    @property
    def takes_short(self) -> bool:
        """Whether a record may have fewer cells than there are columns; the last ones are empty then."""
        return bool(self.fields) and self.match in ("superset", "partial")

    @property
    def takes_long(self) -> bool:
        """Whether a record may have more cells than there are columns; the last ones are left out then."""
        return bool(self.fields) and self.match in ("subset", "partial")

    @property
    def is_rewritten(self) -> bool:
        """Whether the description changes more than the delimiter of an ordinary CSV file."""
        return not self.dialect.is_usual or self.names is not None or self.takes_short or self.takes_long

    def about(self, column: str) -> Field:
        """Return what is said of a column, in any form of Unicode of its name."""
        column = unicodedata.normalize("NFC", column)
        for named in self.fields:
            if named.name == column:
                return named
        point = self.decimals.get(column)
        return Field(column) if point is None else Field(column, "number", decimal=point)

    @property
    def content(self) -> dict[str, object]:
        """All that it says, as JSON: of two tables that are read in different ways, it differs."""
        told = asdict(self)
        for part in (told, *told["fields"]):
            part["missing"] = None if part["missing"] is None else sorted(part["missing"])
        return told

    def missing_in(self, column: str) -> frozenset[str]:
        """Return the texts that say nothing in a column."""
        own = self.about(column).missing
        return self.missing if own is None else own

    def rule(self, column: str) -> Callable[[str], str | None] | None:
        """Return what the texts of a column stand for, None for those that say nothing; None for no rule."""
        read, missing = self.about(column).rule, self.missing_in(column)
        if not missing:
            return read
        return lambda text: None if text in missing else text if read is None else read(text)

    def with_decimal(self, column: str, point: str) -> Self:
        """Return the same where a column holds numbers with this character before decimals.

        Raises
        ------
        UsageError
            If it is not one character, or the description says something else about the column.
        """
        if len(point) != 1 or point == " " or _is_of_numbers(point):
            raise UsageError(
                f"{point!r} cannot stand before decimals", help="give one character, such as a comma"
            )
        if any(named.name == column for named in self.fields):
            raise UsageError(
                f"the description says how numbers of {column!r} are written",
                help="leave the character out here, or the column out there",
            )
        return replace(self, decimals={**self.decimals, unicodedata.normalize("NFC", column): point})

    def with_missing(self, texts: Sequence[str]) -> Self:
        """Return the same where more texts say nothing, in all columns."""
        more = frozenset(texts)
        fields = tuple(
            named if named.missing is None else replace(named, missing=named.missing | more)
            for named in self.fields
        )
        return replace(self, fields=fields, missing=self.missing | more)


PLAIN: Final = TableDescription()
"""The description of a table about which nothing is said."""


# Properties of a descriptor, and the attributes in which a description keeps them.
DIALECT = {
    "delimiter": "delimiter",
    "quoteChar": "quote",
    "doubleQuote": "double_quote",
    "escapeChar": "escape",
    "headerRows": "header_rows",
    "headerJoin": "header_join",
    "commentRows": "comment_rows",
    "commentChar": "comment",
    "skipInitialSpace": "skip_space",
}
FIELD = {
    "format": "form",
    "decimalChar": "decimal",
    "groupChar": "group",
    "bareNumber": "bare",
    "trueValues": "true",
    "falseValues": "false",
}


def table_descriptor(
    columns: Sequence[str], description: TableDescription, *, delimiter: str | None, encoding: str
) -> dict[str, object]:
    """Return the descriptor of a table as it is read; `rainbowdp.formats.frictionless` reads it back.

    Parameters
    ----------
    columns : sequence of str
        The names of all columns.
    description : TableDescription
        How it is written, as far as that was said.
    delimiter : str or None
        What separates its cells; None where it is no file of text.
    encoding : str
        The character encoding of a file of text.

    Examples
    --------
    >>> from rainbowdp.formats.table_descriptions import PLAIN
    >>> said = table_descriptor(["id", "vote"], PLAIN, delimiter=";", encoding="utf-8")
    >>> said["dialect"], said["schema"]["fields"][0]
    ({'delimiter': ';', 'quoteChar': '"', 'headerRows': [1]}, {'name': 'id', 'type': 'string'})
    """
    dialect = replace(description.dialect, delimiter=delimiter)
    always = () if delimiter is None else ("delimiter", "quoteChar", "headerRows")
    written = _properties(dialect, Dialect(), DIALECT, always)
    if not dialect.header_rows:
        written = {**written, "header": False}
    if dialect.sheet is not None:
        written["sheetNumber" if isinstance(dialect.sheet, int) else "sheetName"] = dialect.sheet
    schema = {
        "fields": [_field_of(description.about(column)) for column in columns],
        **({} if description.match == "exact" else {"fieldsMatch": description.match}),
        "missingValues": ["", *sorted(description.missing)],
    }
    told = {} if delimiter is None else {"encoding": encoding}
    return {**told, **({"dialect": written} if written else {}), "schema": schema}


def _field_of(field: Field) -> dict[str, object]:
    kind = "string" if field.kind == "any" else field.kind
    missing = {} if field.missing is None else {"missingValues": ["", *sorted(field.missing)]}
    return {"name": field.name, "type": kind, **_properties(field, Field(field.name), FIELD), **missing}


def _properties(
    value: object, usual: object, names: Mapping[str, str], always: Sequence[str] = ()
) -> dict[str, object]:
    """Return what a part of a description says, by property of JSON, as far as it is not the usual."""
    found = {name: (getattr(value, own), getattr(usual, own)) for name, own in names.items()}
    return {
        name: list(said) if isinstance(said, tuple) else said
        for name, (said, default) in found.items()
        if said != default or name in always
    }
