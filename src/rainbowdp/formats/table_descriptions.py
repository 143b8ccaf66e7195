# SPDX-License-Identifier: Apache-2.0
"""Read and write descriptions of tables: Frictionless table descriptors, as Data Package version 2 has them.

A description says how a file is written: how its records are cut into cells (`Dialect`), what its columns are
called, and how the text of a cell becomes a value (`Field`). It is a property of the file, so it is written
once, beside the file. Nothing of it is inferred from rows.
"""

import codecs
import datetime as dt
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args

from rainbowdp.errors import FileFormatError, FileUnreadableError, UsageError, did_you_mean

FieldsMatch = Literal["exact", "equal", "subset", "superset", "partial"]
_IN_DIALECT = {
    "delimiter": str,
    "quoteChar": str,
    "doubleQuote": bool,
    "escapeChar": str,
    "header": bool,
    "headerRows": list,
    "headerJoin": str,
    "commentRows": list,
    "commentChar": str,
    "skipInitialSpace": bool,
    "nullSequence": str,
    "lineTerminator": str,
    "sheetNumber": int,
    "sheetName": str,
    "table": str,
}
_IN_FIELD = {
    "name": str,
    "type": str,
    "format": str,
    "missingValues": list,
    "decimalChar": str,
    "groupChar": str,
    "bareNumber": bool,
    "trueValues": list,
    "falseValues": list,
}
_IN_SCHEMA = {"fields": list, "fieldsMatch": str, "missingValues": list}
_UNREAD = {"property", "itemType", "itemKeys"}
_LAST_NAMED_ROW = 1000
_MOMENTS: Final[dict[str, Callable[[dt.datetime], str]]] = {
    "date": lambda moment: moment.date().isoformat(),
    "time": lambda moment: moment.time().isoformat(),
    "datetime": lambda moment: moment.isoformat(),
}


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
        Whether a number stands alone; otherwise what stands around it, such as a currency, is left out.
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

    @property
    def rule(self) -> Callable[[str], str] | None:
        """Return the text that a text stands for; None where each stands for itself.

        A text that is not of the type stays as it is. Whether a rule is needed is known without a cell.
        """
        if self.kind in ("number", "integer"):
            return None if (self.decimal, self.group, self.bare) == (".", "", True) else self._number
        if self.kind == "boolean":
            return self._truth
        return self._moment if self.kind in _MOMENTS and self.form not in ("default", "any") else None

    def _number(self, text: str) -> str:
        found = self._form.fullmatch(text)
        if found is None or (found["before"] and found["after"]):
            return text
        digits = found["whole"].replace(self.group, "") if self.group else found["whole"]
        # A minus stands before a currency or after it.
        minus = "-" if "-" in (found["before"], found["after"]) or "\u2212" in text else ""
        return minus + digits + (f".{found['part']}" if found["part"] else "") + (found["power"] or "")

    @property
    def _form(self) -> re.Pattern[str]:
        point, group = re.escape(self.decimal), re.escape(self.group)
        whole = rf"[0-9]+(?:{group}[0-9]+)*+" if group else "[0-9]+"
        # Parentheses may mean a minus, so such a number is not read.
        around = "" if self.bare else rf"[^0-9()+\-\u2212{point}]*+"
        sign = "[+\\-\u2212]?"
        return re.compile(
            rf"(?P<before>{sign}){around}(?P<after>{sign})(?P<whole>{whole})"
            rf"(?:{point}(?P<part>[0-9]*))?(?P<power>[eE][+-]?[0-9]{{1,4}})?{around}"
        )

    def _truth(self, text: str) -> str:
        return "true" if text in self.true else "false" if text in self.false else text

    def _moment(self, text: str) -> str:
        try:
            return _MOMENTS[self.kind](dt.datetime.strptime(text, self.form))  # noqa: DTZ007 - the pattern may have a zone
        except ValueError:
            return text


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
        """Whether a CSV file so described is no ordinary one, but for its delimiter."""
        return not self.dialect.is_usual or self.names is not None or self.takes_short or self.takes_long

    def about(self, column: str) -> Field:
        """Return what is said of a column."""
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

    def rule(self, column: str) -> Callable[[str], str | None] | None:
        """Return what the texts of a column stand for, None for those that say nothing; None for no rule."""
        about = self.about(column)
        missing = self.missing if about.missing is None else about.missing
        read = about.rule
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
        if len(point) != 1 or point.isalnum() or point in "+- ":
            raise UsageError(
                f"{point!r} cannot stand before decimals", help="give one character, such as a comma"
            )
        if any(named.name == column for named in self.fields):
            raise UsageError(
                f"the description says how numbers of {column!r} are written",
                help="leave the character out here, or the column out there",
            )
        return replace(self, decimals={**self.decimals, column: point})

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


def read_table_description(source: object) -> TableDescription:
    """Read a description from a file, or from a mapping of the same form.

    Parameters
    ----------
    source : path or mapping
        A table descriptor: ``dialect``, ``schema``, ``encoding``; or a data package that holds one such.

    Returns
    -------
    TableDescription

    Raises
    ------
    FileUnreadableError
        If the file cannot be read.
    FileFormatError
        If it is not a descriptor, or says what cannot be done.

    Examples
    --------
    >>> found = read_table_description(
    ...     {"dialect": {"delimiter": ";"}, "schema": {"fields": [{"name": "sum", "type": "number",
    ...      "decimalChar": ","}], "fieldsMatch": "subset", "missingValues": ["", "NA"]}}
    ... )
    >>> found.dialect.delimiter, found.rule("sum")("2541,50"), found.rule("sum")("NA")
    (';', '2541.50', None)
    """
    if isinstance(source, TableDescription):
        return source
    if isinstance(source, Mapping):
        return _Reader("the description").read(source)
    path = Path(str(source))
    called = repr(str(path))
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise FileUnreadableError(
            f"{called} cannot be read: {error.strerror}", help="check the path of the description"
        ) from None
    except ValueError:
        raise FileFormatError(
            f"{called} is not JSON", help="describe the table as a Frictionless table descriptor, in JSON"
        ) from None
    return _Reader(called).read(content)


@dataclass(frozen=True)
class _Reader:
    """Reads the parts of one descriptor; messages say where they stand."""

    called: str

    def read(self, content: object) -> TableDescription:
        """Return the description."""
        table = self._mapping(content, "a table descriptor")
        if isinstance(table.get("resources"), list):
            if len(table["resources"]) != 1:
                raise self._wrong("'resources' must hold one table", "give the descriptor of one table")
            table = self._mapping(table["resources"][0], "a table descriptor")
        if not {"dialect", "schema", "encoding"} & set(table):
            # The schema or the dialect alone.
            table = {"schema": table} if "fields" in table else {"dialect": table}
        dialect = self._part(table, "dialect", _IN_DIALECT)
        schema = self._part(table, "schema", _IN_SCHEMA)
        fields = tuple(map(self._field, schema.get("fields", ())))
        names = [each.name for each in fields]
        if len({*names}) < len(names):
            raise self._wrong("two fields have the same name", "name every field once")
        missing = self._missing(schema) or frozenset()
        if "nullSequence" in dialect:
            missing |= {dialect["nullSequence"]}
        return TableDescription(
            self._dialect(dialect),
            fields,
            self._match(schema.get("fieldsMatch", "exact")),
            missing - {""},
            self._encoding(table.get("encoding")),
        )

    def _dialect(self, said: Mapping[str, Any]) -> Dialect:
        for name in ("quoteChar", "escapeChar"):
            if len(said.get(name, "?")) != 1:
                raise self._wrong(f"'{name}' is not one character", "give one character")
        for name in ("delimiter", "commentChar"):
            if not said.get(name, "?") or {*"\r\n"} & {*said.get(name, "?")}:
                raise self._wrong(
                    f"'{name}' is empty or breaks a line", "give the characters that stand there"
                )
        if said.get("lineTerminator", "\n") not in ("\n", "\r\n", "\r"):
            raise self._wrong("'lineTerminator' is no line break", "leave it out: all line breaks are read")
        rows = self._rows(said, "headerRows", (1,)) if said.get("header", True) else ()
        quote = said.get("quoteChar", '"')
        return Dialect(
            said.get("delimiter"),
            quote,
            said.get("escapeChar"),
            said.get("doubleQuote", True),
            rows,
            said.get("headerJoin", " "),
            self._rows(said, "commentRows", ()),
            said.get("commentChar"),
            said.get("skipInitialSpace", False),
            said.get("sheetName", said.get("sheetNumber")),
        )

    def _rows(self, said: Mapping[str, Any], name: str, default: tuple[int, ...]) -> tuple[int, ...]:
        rows = said.get(name, default)
        if not all(type(row) is int and 0 < row <= _LAST_NAMED_ROW for row in rows):
            raise self._wrong(
                f"'{name}' must hold numbers of rows from 1 to {_LAST_NAMED_ROW}",
                "leave out other rows with 'commentChar', or remove them from the file",
            )
        return tuple(sorted({*rows}))

    def _field(self, content: object) -> Field:
        said = self._checked(self._mapping(content, "a field"), _IN_FIELD, "field")
        if "name" not in said:
            raise self._wrong("a field has no name", "name every field")
        name = said["name"]
        for key in ("decimalChar", "groupChar"):
            if len(said.get(key, ".")) != 1 or said.get(key, ".").isdigit():
                raise self._wrong(f"'{key}' of field {name!r} is not one character", "give one character")
        kind = said.get("type", "any")
        # A whole number has no decimals, so the point may stand between its groups.
        point = said.get("decimalChar", "," if (kind, said.get("groupChar")) == ("integer", ".") else ".")
        if point == said.get("groupChar"):
            raise self._wrong(
                f"'decimalChar' and 'groupChar' of field {name!r} are the same",
                "give both as the file has them",
            )
        if {"decimalChar", "groupChar", "bareNumber"} & set(said) and kind not in ("number", "integer"):
            raise self._wrong(
                f"field {name!r} has properties of a number and is not one", 'give it "type": "number"'
            )
        return Field(
            name,
            kind,
            self._missing(said),
            point,
            said.get("groupChar", ""),
            said.get("bareNumber", True),
            said.get("format", "default").removeprefix("fmt:"),
            tuple(map(str, said.get("trueValues", Field.true))),
            tuple(map(str, said.get("falseValues", Field.false))),
        )

    def _missing(self, said: Mapping[str, Any]) -> frozenset[str] | None:
        if "missingValues" not in said:
            return None
        texts = [each.get("value") if isinstance(each, Mapping) else each for each in said["missingValues"]]
        found = frozenset(text.strip() for text in texts if isinstance(text, str))
        if not all(isinstance(text, str) for text in texts):
            raise self._wrong("'missingValues' must hold texts", 'write for example ["", "NA"]')
        return found

    def _match(self, value: str) -> FieldsMatch:
        for known in get_args(FieldsMatch):
            if value == known:
                return known  # type: ignore[no-any-return]  # one of the texts of the literal
        raise self._wrong(f"'fieldsMatch' is {value!r}", f"choose one of {', '.join(get_args(FieldsMatch))}")

    def _encoding(self, value: object) -> str | None:
        if value is None:
            return None
        try:
            return codecs.lookup(str(value)).name
        except LookupError:
            raise self._wrong(
                f"there is no encoding {value!r}", "write for example utf-8 or cp1252"
            ) from None

    def _part(self, table: Mapping[str, Any], name: str, known: Mapping[str, type]) -> Mapping[str, Any]:
        if isinstance(table.get(name), str):
            raise self._wrong(f"'{name}' names another file", f"write the {name} into the description itself")
        return self._checked(self._mapping(table.get(name, {}), f"'{name}'"), known, name)

    def _checked(self, said: Mapping[str, Any], known: Mapping[str, type], where: str) -> Mapping[str, Any]:
        for name, value in said.items():
            if name in _UNREAD and where == "dialect":
                raise self._wrong(f"'{name}' of the dialect is not supported", "give the table as CSV")
            if name in known:
                # True is a whole number in Python, and not in JSON.
                if not isinstance(value, known[name]) or (known[name] is int and isinstance(value, bool)):
                    raise self._wrong(
                        f"'{name}' of the {where} has the wrong type", f"give {_JSON_NAMES[known[name]]}"
                    )
            elif near := did_you_mean(name, known):
                # Other properties are metadata, and these are not read.
                raise self._wrong(f"the {where} has the unknown property {name!r}", near)
        return said

    def _mapping(self, value: object, what: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self._wrong(f"{what} must be an object of JSON", "see docs/tables.md for an example")
        return value

    def _wrong(self, what: str, help: str) -> FileFormatError:
        return FileFormatError(f"{self.called}: {what}", help=help)


_JSON_NAMES = {str: "a text", bool: "true or false", list: "a list", int: "a whole number"}
