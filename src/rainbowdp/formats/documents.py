# SPDX-License-Identifier: Apache-2.0
"""Reading JSON and TOML documents strictly: numbers keep their source text, no key stands twice.

A JSON reader that turns ``0.1`` into a float, or takes the last of two equal keys, would change what was
written; here both are impossible.
"""

import json
from pathlib import Path
from typing import Any, NoReturn

from rainbowdp.errors import FileFormatError, FileUnreadableError
from rainbowdp.formats.encodings import undecodable
from rainbowdp.formats.suffixes import Form


class SourceNumber(str):
    """A number as it is written in the file."""

    __slots__ = ()


def read_document(path: Path, form: Form) -> dict[str, Any]:
    """Read a JSON or TOML document whose top level is a table.

    Parameters
    ----------
    path : Path
        The file, UTF-8 text.
    form : Form
        JSON or TOML.

    Returns
    -------
    dict
        The document; JSON numbers and TOML decimals are `SourceNumber` texts.

    Raises
    ------
    FileUnreadableError
        If the file cannot be opened or decoded.
    FileFormatError
        If it is not a document of that form, a key is repeated, or a text in it is none.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise undecodable(path, f"byte {error.start + 1}", error.reason, error.object) from error
    except OSError as error:
        raise FileUnreadableError(
            f"cannot read {str(path)!r}: {error.strerror or error}",
            help="check the file and its permissions",
            path=str(path),
        ) from error
    import tomllib

    try:
        document: object = (
            _parsed_json(text) if form is Form.JSON else tomllib.loads(text, parse_float=SourceNumber)
        )
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise FileFormatError(
            f"{str(path)!r} is not {form.value}: {reason}",
            help="correct the file at that place",
            path=str(path),
        ) from error
    if (broken := _lone_surrogate(document)) is not None:
        raise FileFormatError(
            f"{str(path)!r} holds {broken!a}, which is not text: it has one half of a pair of \\u escapes",
            help="write the character itself, or both halves of its pair",
            path=str(path),
        )
    if not isinstance(document, dict):
        raise FileFormatError(
            f"{str(path)!r} holds {shown(document)} at its top level, not an object",
            help="put everything in one object { … }",
            path=str(path),
        )
    return document


def shown(value: object) -> str:
    """Return a short text for a value of a document, for messages."""
    if isinstance(value, SourceNumber):
        return f"the number {value}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, int) and value.bit_length() > 256:
        return "a number"
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _lone_surrogate(document: object) -> str | None:
    """Return a text of the document that cannot be encoded, if there is one."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                return value
    return None


def _parsed_json(text: str) -> object:
    document: object = json.loads(
        text,
        parse_float=SourceNumber,
        parse_int=SourceNumber,
        parse_constant=_refuse_constant,
        object_pairs_hook=_table,
    )
    return document


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for at, key in enumerate(keys) if key in keys[:at])
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return table


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")
