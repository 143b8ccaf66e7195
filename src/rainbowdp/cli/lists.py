# SPDX-License-Identifier: Apache-2.0
"""Read lists and filters that are typed at an option: ``A,"B, C"``, ``18,34.5``, ``city=Bonn``.

Commas and equals signs inside double quotes belong to a text; a double quote in it is doubled.
"""

import re
from collections.abc import Callable, Sequence

from rainbowdp.cli.values import naming, text_with
from rainbowdp.errors import NumberError, QuestionError, UsageError

_FILTER = "write COLUMN=VALUE, for example --where city=Bonn"
_QUOTED_FILTER = """'city="Bonn, Germany"'"""
_QUOTED = re.compile('"((?:[^"]|"")*)"')


def names(example: str) -> Callable[[str, str], tuple[str, ...]]:
    """Return the reader of lists of different names, with an example of one.

    Examples
    --------
    >>> names("Ulm,Bonn")("--groups", 'Ulm, "Bonn, Germany"')
    ('Ulm', 'Bonn, Germany')
    """

    def read(option: str, value: str) -> tuple[str, ...]:
        help = f"write for example {option} {example}"
        text = text_with(help)(option, value)
        parts = _parts(option, text, help, """'A,"B, C","3"" pipe"'""")
        found = [_unquoted(option, part, """'A,"B, C","3"" pipe"'""").strip() for part in parts]
        if "" in found:
            raise UsageError(f"{option} {text!r} holds an empty name", help=help, option=option)
        twice = repeated(found)
        if twice is not None:
            raise UsageError(f"{option} names {twice!r} twice", help="name each once", option=option)
        return tuple(found)

    return read


def numbers(option: str, value: str, example: str, parse: Callable[[str], object]) -> tuple[str, ...]:
    """Return the texts of the numbers in a list.

    Parameters
    ----------
    option, value, example : str
        The name of the option, what was typed, and an example.
    parse : callable
        Refuses a text that is not a number of the kind that is meant.

    Raises
    ------
    UsageError
        If a comma is loose.
    NumberError
        If an item is not a number.

    Examples
    --------
    >>> from rainbowdp.exact import parse_fraction
    >>> numbers("--edges", "18, 34.5", "18,65", parse_fraction)
    ('18', '34.5')
    """
    help = f"commas stand between numbers, and decimals have a point: {option} {example}"
    text = text_with(help)(option, value)
    parts = [part.strip() for part in text.split(",")]
    _require_no_loose_comma(option, text, parts, help)
    for part in parts:
        try:
            parse(part)
        except NumberError as error:
            raise NumberError(
                f"{option}: {error.what}", help=f"{error.help}; {help}", **error.values
            ) from None
    return tuple(parts)


def edges(option: str, value: str) -> tuple[str, ...]:
    """Read the numbers between which an answer lies, each above the one before.

    Raises
    ------
    UsageError, NumberError, QuestionError
        If they are not.
    """
    from rainbowdp.exact import parse_fraction
    from rainbowdp.questions.thresholds import ascending

    read = numbers(option, value, "18,34.5,65", parse_fraction)
    try:
        ascending(map(parse_fraction, read))
    except QuestionError as error:
        raise QuestionError(
            f"{option}: {error.what}", help=f"{error.help}; decimals have a point: 34.5, not 34,5"
        ) from None
    return read


def clamp(option: str, value: str) -> Sequence[str]:
    """Read the two ends of the range into which values are moved.

    Raises
    ------
    UsageError, NumberError, QuestionError
        If they are not two numbers, the least first.
    """
    from rainbowdp.exact import parse_fraction
    from rainbowdp.questions.measures import SumOf

    parts = numbers(option, value, "0,99.5", parse_fraction)
    if len(parts) != 2:
        raise UsageError(
            f"{option} {value!r} is no range",
            help=f"give the least and the greatest value, decimals with a point: {option} 0,100",
            option=option,
        )
    with naming(option):
        low, high = map(parse_fraction, parts)
        SumOf(low, high)
    return parts


def read_where(given: Sequence[str] | None) -> dict[str, str]:
    """Return the filters that were typed, by column.

    Raises
    ------
    UsageError
        If one is not COLUMN=VALUE, or a column is named twice.

    Examples
    --------
    >>> read_where(["city=Ulm", 'note="a, b",year=2020'])
    {'city': 'Ulm', 'note': 'a, b', 'year': '2020'}
    """
    filters: dict[str, str] = {}
    for value in given or []:
        text = text_with(_FILTER)("--where", value)
        parts = _parts("--where", text, _FILTER, _QUOTED_FILTER)
        for part in parts:
            column, cell = _filter(part, several=len(parts) > 1)
            if column in filters:
                raise UsageError(
                    f"--where names the column {column!r} twice",
                    help="a cell says one thing: give one filter",
                    option="--where",
                )
            filters[column] = cell
    return filters


def _filter(part: str, *, several: bool) -> tuple[str, str]:
    sides = _split(part, "=")
    if len(sides) == 1:
        more = f"; a value with a comma stands in double quotes: --where {_QUOTED_FILTER}" if several else ""
        raise UsageError(f"--where {part!r} is not COLUMN=VALUE", help=_FILTER + more, option="--where")
    if len(sides) > 2:
        raise UsageError(
            f"--where {part!r} has more than one equals sign",
            help="put a text with an equals sign in double quotes: --where 'note=\"a=b\"'",
            option="--where",
        )
    column, cell = (_unquoted("--where", side, _QUOTED_FILTER) for side in sides)
    if not column.strip() or not cell.strip():
        raise UsageError(
            f"--where {part!r} " + ("gives no value" if column.strip() else "names no column"),
            help=f"{_FILTER}; empty cells cannot be asked for",
            option="--where",
        )
    return column, cell


def repeated(listed: Sequence[str]) -> str | None:
    """Return the first name that stands in a list for the second time; None if there is none.

    Examples
    --------
    >>> repeated(["a", "b", "b", "a"]), repeated(["a", "b"])
    ('b', None)
    """
    first: dict[str, int] = {}
    return next((name for at, name in enumerate(listed) if first.setdefault(name, at) < at), None)


def _split(text: str, separator: str) -> list[str]:
    """Return what stands between separators outside of double quotes, without blanks around it."""
    parts, start, quoted = [], 0, False
    for at, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif character == separator and not quoted:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _parts(option: str, text: str, help: str, quoted_example: str) -> list[str]:
    if text.count('"') % 2:
        raise _wrong_quote(option, text, "opens a double quote that is never closed", quoted_example)
    parts = _split(text, ",")
    _require_no_loose_comma(option, text, parts, help)
    return parts


def _unquoted(option: str, part: str, quoted_example: str) -> str:
    found = _QUOTED.fullmatch(part)
    if found is not None:
        return found[1].replace('""', '"')
    if '"' in part:
        raise _wrong_quote(option, part, "has a double quote in the middle of a text", quoted_example)
    return part


def _wrong_quote(option: str, text: str, what: str, quoted_example: str) -> UsageError:
    return UsageError(
        f"{option} {text!r} {what}",
        help="put a text with a comma or quote in double quotes, and double those inside: "
        f"{option} {quoted_example}",
        option=option,
    )


def _require_no_loose_comma(option: str, text: str, parts: Sequence[str], help: str) -> None:
    if "" not in parts:
        return
    where = "has nothing between two commas"
    if not parts[0] or not parts[-1]:
        where = "begins with a comma" if not parts[0] else "ends with a comma"
    raise UsageError(f"{option} {text!r} {where}", help=help, option=option)
