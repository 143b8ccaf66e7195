# SPDX-License-Identifier: Apache-2.0
"""Write a description of a table as a Frictionless table descriptor of Data Package version 2."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rainbowdp.formats.table_descriptions import Dialect, Field, TableDescription

# Properties of a descriptor, and the attributes in which a description keeps them.
_DIALECT = {
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
_FIELD = {
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
    """Return the descriptor of a table as it is read; `rainbowdp.formats.table_descriptors` reads it back.

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
    written = _properties(dialect, Dialect(), _DIALECT, always)
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
    return {"name": field.name, "type": kind, **_properties(field, Field(field.name), _FIELD), **missing}


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
