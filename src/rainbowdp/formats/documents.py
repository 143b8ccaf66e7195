# SPDX-License-Identifier: Apache-2.0
"""Read JSON and TOML documents strictly, and boundary conditions from them.

Numbers keep their source text and no key stands twice: a JSON reader that turns ``0.1`` into a float, or
takes the last of two equal keys, would change what was written.

A boundary condition is one table per rainbow text, color to probability. Numbers are read as their source
text, so ``0.1`` is one tenth. Rainbows are compared as rainbows: blanks and the order inside a tied class do
not matter, and one rainbow spelled twice is refused. In TOML::

    ["blue>red=green"]
    blue = "3/55"
    red = 0.5
"""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from rainbowdp.errors import FileFormatError, NumberError, RainbowError
from rainbowdp.exact import format_fraction, parse_fraction
from rainbowdp.formats.encodings import undecodable
from rainbowdp.formats.files import Form, content_of, form_to_read, malformed, path_of, unreadable
from rainbowdp.rainbow import Rainbow

_HALF_OF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_TABLE_HELP = 'write for example ["blue>red"] and below it blue = "1/3" and red = "2/3"'


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
        If it is not a document of that form, a key is repeated, or a text in it cannot be encoded.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise undecodable(path, f"byte {error.start + 1}", error.reason, error.object) from error
    except OSError as error:
        raise unreadable(path, error) from error
    return parsed_document(path, form, text)


def parsed_document(path: Path, form: Form, text: str) -> dict[str, Any]:
    """Return the table that a text holds; the path stands for it in messages.

    Raises
    ------
    FileFormatError
        As in `read_document`.
    """
    import tomllib

    try:
        document = _parsed_json(text) if form is Form.JSON else tomllib.loads(text, parse_float=SourceNumber)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise malformed(path, f"is not {form.value}: {reason}", "correct the file at that place") from error
    if not isinstance(document, dict):
        raise malformed(
            path,
            f"holds {shown(document)} at its top level, not an object",
            "put everything in one object { … }",
        )
    return document


def _parsed_json(text: str) -> object:
    document: object = json.loads(
        text,
        parse_float=SourceNumber,
        parse_int=SourceNumber,
        parse_constant=_refuse_constant,
        object_pairs_hook=_table,
    )
    if _HALF_OF_A_PAIR.search(text):
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = error.object[error.start]
            raise ValueError(f"{half!a} is only one half of a pair of \\u escapes") from error
    return document


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for at, key in enumerate(keys) if key in keys[:at])
        raise ValueError(f"the key {twice!a} stands twice in one object")
    return table


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


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


def parsed_rainbow(text: str, place: str) -> Rainbow:
    """Read a rainbow from a file; an error names the place.

    Raises
    ------
    FileFormatError
        If the text is not a rainbow.
    """
    try:
        return Rainbow.parse(text)
    except RainbowError as error:
        raise FileFormatError(f"{place}: {error.what}", help=error.help, rainbow=text) from error


def read_boundary(path: Path | str) -> dict[Rainbow, dict[str, str]]:
    r"""Read a boundary condition.

    Parameters
    ----------
    path : Path or str
        A ``.toml`` or ``.json`` file.

    Returns
    -------
    dict of Rainbow to dict of str to str
        For each rainbow the probability of each color, as it is written: an exact number. Whether they sum to
        1 and are private is asked later, see `given` and `check_boundary` in `rainbowdp.boundary`.

    Raises
    ------
    UsageError
        If the path is not the name of a file.
    FileUnreadableError
        If the file cannot be read.
    FileFormatError
        If it is not a table of tables, or names a rainbow twice.
    NumberError
        If a probability is not an exact number.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "boundary.toml"
    >>> _ = path.write_text('["yes>no"]\nyes = "2/3"\nno = "1/3"\n["no > yes"]\nyes = 0.5\nno = 0.5\n')
    >>> for rainbow, probabilities in read_boundary(path).items():
    ...     print(rainbow, probabilities)
    yes>no {'yes': '2/3', 'no': '1/3'}
    no>yes {'yes': '0.5', 'no': '0.5'}
    """
    path = path_of(path)
    with content_of(path):
        document = read_document(path, form_to_read(path, "a boundary condition", (Form.TOML, Form.JSON)))
        found: dict[Rainbow, dict[str, str]] = {}
        for text, table in document.items():
            rainbow = parsed_rainbow(text, repr(str(path)))
            if rainbow in found:
                raise malformed(
                    path,
                    f"gives the rainbow {rainbow} twice, the second time as {text!r}",
                    "give every rainbow one table",
                )
            if not isinstance(table, dict):
                raise malformed(path, f"gives {shown(table)} for {text!r}, not a table", _TABLE_HELP)
            found[rainbow] = {color: _number(path, text, color, value) for color, value in table.items()}
        if not found:
            raise malformed(path, "gives no rainbow a distribution", _TABLE_HELP)
    return found


def _number(path: Path, rainbow: str, color: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return format_fraction(Fraction(value))
    if isinstance(value, str):
        # TOML allows underscores between digits.
        text = value.replace("_", "") if type(value) is not str else value
        try:
            parse_fraction(text)
        except NumberError as error:
            raise error.at(f"{str(path)!r}, {color!r} at {rainbow}") from error
        return text
    raise malformed(
        path,
        f"gives {shown(value)} as the probability of {color!r} at {rainbow}",
        "write a number such as 0.1, or a text such as 1/3 in quotes",
    )
