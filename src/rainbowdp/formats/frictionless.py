# SPDX-License-Identifier: Apache-2.0
"""Read Frictionless table descriptors, as Data Package version 2 has them, into descriptions of tables.

A property that is nearly spelled like one that is read is refused; any other unknown one is metadata.
"""

import codecs
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from rainbowdp.errors import FileFormatError, FileUnreadableError, did_you_mean
from rainbowdp.formats.table_descriptions import (
    DIALECT,
    FIELD,
    MOMENTS,
    Dialect,
    Field,
    FieldsMatch,
    TableDescription,
    reads_what_it_writes,
)

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
_TYPES = frozenset({"any", "string", "number", "integer", "boolean", *MOMENTS, "year", "yearmonth"})
_TYPES |= {"duration", "list", "object", "array", "geopoint", "geojson"}
_IN_SCHEMA = {"fields": list, "fieldsMatch": str, "missingValues": list}
_METADATA = {"headerCase", "rdfType"}
_NONE = {"quoteChar", "escapeChar"}
_UNREAD = {"property", "itemType", "itemKeys"}
_LAST_NAMED_ROW = 1000


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
        if "layout" in table:
            raise self._wrong("'layout' is not read", "write what it says into 'dialect'")
        if not {"dialect", "schema", "encoding"} & set(table):
            # The schema or the dialect alone.
            table = {"schema": table} if "fields" in table else {"dialect": table}
        self._require_places(table)
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

    def _require_places(self, table: Mapping[str, Any]) -> None:
        """Refuse a property of one part that stands in another one, or outside of both."""
        places: dict[str, Mapping[str, type]] = {"dialect": _IN_DIALECT, "schema": _IN_SCHEMA}
        for where, content in (("", table), *((part, table.get(part)) for part in places)):
            for name in content if isinstance(content, Mapping) else ():
                for right, known in places.items():
                    if name in known and name not in places.get(where, {}):
                        raise self._wrong(f"{name!r} stands outside of its place", f"write it into {right!r}")

    def _dialect(self, said: Mapping[str, Any]) -> Dialect:
        for name in ("quoteChar", "escapeChar"):
            if len(said.get(name) or "") > 1:
                raise self._wrong(
                    f"'{name}' is not one character", "give one character, or an empty text for none"
                )
        for name in ("delimiter", "commentChar"):
            if not said.get(name, "?") or {*"\r\n"} & {*said.get(name, "?")}:
                raise self._wrong(
                    f"'{name}' is empty or breaks a line", "give the characters that stand there"
                )
        if said.get("lineTerminator", "\n") not in ("\n", "\r\n", "\r"):
            raise self._wrong(
                "'lineTerminator' is not a line break", "leave it out: all line breaks are read"
            )
        rows = self._rows(said, "headerRows", (1,)) if said.get("header", True) else ()
        quote, escape = said.get("quoteChar", '"') or None, said.get("escapeChar") or None
        # A quote that escapes quotes is a doubled one.
        doubles = said.get("doubleQuote", True) or escape == quote
        escape = None if escape == quote else escape
        comments, sheet = self._rows(said, "commentRows", ()), said.get("sheetName", said.get("sheetNumber"))
        read = {"quote": quote, "escape": escape, "double_quote": doubles, "header_rows": rows}
        return Dialect(**_kept(said, DIALECT) | read | {"comment_rows": comments, "sheet": sheet})

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
        name = unicodedata.normalize("NFC", said["name"])
        for key in ("decimalChar", "groupChar"):
            if len(said.get(key, ".")) != 1 or said.get(key, ".").isdigit():
                raise self._wrong(f"'{key}' of field {name!r} is not one character", "give one character")
        kind = said.get("type", "any")
        if kind not in _TYPES:
            raise self._wrong(
                f"field {name!r} has the unknown type {kind!r}",
                did_you_mean(kind, _TYPES) or "see docs/how-to/exports.md",
            )
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
        form = said.get("format", "default").removeprefix("fmt:")
        if kind in MOMENTS and form not in ("default", "any") and not reads_what_it_writes(kind, form):
            raise self._wrong(
                f"the format {form!r} of field {name!r} is not a pattern of the type {kind!r}",
                "write for example %d.%m.%Y, %H:%M or %I:%M %p",
            )
        read = _kept(said, FIELD) | {"decimal": point, "form": form}
        truths: dict[str, Any] = {
            own: tuple(map(_one_form, read[own])) for own in ("true", "false") if own in read
        }
        return Field(name, kind, self._missing(said), **read | truths)

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
        except (LookupError, ValueError):
            raise self._wrong(
                f"there is no encoding {value!r}", "write for example utf-8 or cp1252"
            ) from None

    def _part(self, table: Mapping[str, Any], name: str, known: Mapping[str, type]) -> Mapping[str, Any]:
        """Return one part; some programs write what concerns CSV one level deeper in the dialect."""
        if isinstance(table.get(name), str):
            raise self._wrong(f"'{name}' names another file", f"write the {name} into the description itself")
        content = self._mapping(table.get(name, {}), f"'{name}'")
        if isinstance(content.get("csv"), Mapping):
            content = {**content, **content["csv"]}
        if isinstance(excel := content.get("excel"), Mapping) and "sheet" in excel:
            content = {
                **content,
                "sheetName" if isinstance(excel["sheet"], str) else "sheetNumber": excel["sheet"],
            }
        return self._checked(content, known, name)

    def _checked(self, said: Mapping[str, Any], known: Mapping[str, type], where: str) -> Mapping[str, Any]:
        said = {name: value for name, value in said.items() if value is not None or name in _NONE}
        for name, value in said.items():
            if name in _UNREAD and where == "dialect":
                raise self._wrong(f"'{name}' of the dialect is not supported", "give the table as CSV")
            if name in known:
                # True is a whole number in Python, and not in JSON.
                if value is None:
                    continue
                if not isinstance(value, known[name]) or (known[name] is int and isinstance(value, bool)):
                    raise self._wrong(
                        f"'{name}' of the {where} has the wrong type", f"give {_JSON_NAMES[known[name]]}"
                    )
            elif name not in _METADATA and (near := did_you_mean(str(name), known)):
                # Other properties are metadata, and these are not read.
                raise self._wrong(f"the {where} has the unknown property {name!r}", near)
        return said

    def _mapping(self, value: object, what: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self._wrong(
                f"{what} must be an object of JSON", "see docs/how-to/exports.md for an example"
            )
        return value

    def _wrong(self, what: str, help: str) -> FileFormatError:
        return FileFormatError(f"{self.called}: {what}", help=help)


_JSON_NAMES = {str: "a text", bool: "true or false", list: "a list", int: "a whole number"}


def _kept(said: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return what is said of some properties, by the attributes in which a description keeps them."""
    return {own: said[name] for name, own in names.items() if name in said}


def _one_form(value: object) -> str:
    return unicodedata.normalize("NFC", str(value))
