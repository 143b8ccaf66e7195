# SPDX-License-Identifier: Apache-2.0
"""Lists as they are typed at an option, and what is wrong with one in the words of that option.

`rainbowdp.rainbow` reads lists and speaks of colors, which whoever asks about a table has none of. So what it
refuses is looked at here once more, and told with the name of the option and an example to follow.
"""

import re
from collections.abc import Callable, Sequence

from rainbowdp.cli.options import require_text
from rainbowdp.errors import NumberError, RainbowSyntaxError, UsageError

_FILTER = "write COLUMN=VALUE, for example --where city=Bonn"
_SEGMENT = re.compile(r'(?:"[^"]*"|[^",])*')
_ASSIGNED = re.compile(r'((?:"[^"]*"|[^"=])*)=(.*)', re.DOTALL)
_INSIDE_QUOTES = re.compile('"[^"]*"')


def read_said(option: str, value: str, help: str) -> str:
    """Return the value of an option that must say something.

    Raises
    ------
    UsageError
        If it is empty, or no text.
    """
    text = require_text(option, value)
    if not text.strip():
        raise UsageError(f"{option} {text!r} is empty", help=help, option=option)
    return text


def read_list(option: str, value: str, example: str) -> tuple[str, ...]:
    """Return the names in a list, each once and without its quotes.

    Parameters
    ----------
    option : str
        The option, such as ``--groups``.
    value : str
        What was typed.
    example : str
        A value as it may be.

    Raises
    ------
    UsageError
        If it is no list of different names.

    Examples
    --------
    >>> read_list("--groups", 'Ulm, "Bonn, Germany"', "Ulm,Bonn")
    ('Ulm', 'Bonn, Germany')
    """
    from rainbowdp.rainbow import split_list

    follow = f"write for example {option} {example}"
    text = read_said(option, value, follow)
    try:
        names = [name.strip() for name in split_list(text)]
    except RainbowSyntaxError:
        raise _no_list(option, text, follow) from None
    if "" in names:
        raise UsageError(f"{option} {text!r} holds an empty name", help=follow, option=option)
    twice = repeated(names)
    if twice is not None:
        raise UsageError(f"{option} names {twice!r} twice", help="name each once", option=option)
    return tuple(names)


def repeated(names: Sequence[str]) -> str | None:
    """Return the first name that stands in a list for the second time; None if there is none.

    Examples
    --------
    >>> repeated(["a", "b", "b", "a"]), repeated(["a", "b"])
    ('b', None)
    """
    first: dict[str, int] = {}
    return next((name for at, name in enumerate(names) if first.setdefault(name, at) < at), None)


def written(answer: str | Sequence[str]) -> str:
    """Return an answer, or a name, as lists take it: a ranking with ``>`` between its options.

    Examples
    --------
    >>> print(written("Ulm"), written("B, C"), written(["Ulm", "B, C"]))
    Ulm "B, C" Ulm>"B, C"
    """
    from rainbowdp.rainbow import quote_color

    return quote_color(answer) if isinstance(answer, str) else ">".join(map(quote_color, answer))


def read_numbers(option: str, value: str, example: str, parse: Callable[[str], object]) -> tuple[str, ...]:
    """Return the texts of the numbers in a list.

    Parameters
    ----------
    option, value, example : str
        As for `read_list`.
    parse : callable
        Refuses a text that is no number of the kind that is meant.

    Raises
    ------
    UsageError
        If it is no list.
    NumberError
        If an item of it is no number.

    Examples
    --------
    >>> from rainbowdp.exact import parse_fraction
    >>> read_numbers("--edges", "18, 34.5", "18,65", parse_fraction)
    ('18', '34.5')
    """
    follow = f"commas stand between numbers, and decimals have a point: {option} {example}"
    text = read_said(option, value, follow)
    parts = [part.strip() for part in text.split(",")]
    if "" in parts:
        raise _loose_comma(option, text, parts, follow)
    for part in parts:
        try:
            parse(part)
        except NumberError as error:
            raise NumberError(
                f"{option}: {error.what}", help=f"{error.help}; {follow}", **error.values
            ) from None
    return tuple(parts)


def read_where(given: Sequence[str] | None) -> dict[str, str]:
    """Return the filters that were typed, by column.

    Raises
    ------
    UsageError
        If one is no COLUMN=VALUE, or a column is named twice.

    Examples
    --------
    >>> read_where(["city=Ulm", 'note="a, b",year=2020'])
    {'city': 'Ulm', 'note': 'a, b', 'year': '2020'}
    """
    from rainbowdp.rainbow import parse_assignments

    filters: dict[str, str] = {}
    for value in given or []:
        text = read_said("--where", value, _FILTER)
        try:
            pairs = parse_assignments(text)
        except RainbowSyntaxError:
            raise _no_filter(text) from None
        for column, cell in pairs.items():
            if not column.strip() or not cell.strip():
                raise _half_filter(text, column)
            if column in filters:
                raise _filtered_twice(column)
            filters[column] = cell
    return filters


def _segments(text: str) -> list[str]:
    """Return what stands between the commas that are outside of quotes, if all quotes are closed."""
    found, at = [], 0
    while True:
        segment = _SEGMENT.match(text, at)
        end = len(text) if segment is None else segment.end()
        found.append(text[at:end].strip())
        if end >= len(text):
            return found
        at = end + 1


def _loose_comma(option: str, text: str, parts: Sequence[str], help: str) -> UsageError:
    where = "begins with a comma" if not parts[0] else "ends with a comma"
    if parts[0] and parts[-1]:
        where = "has nothing between two commas"
    return UsageError(f"{option} {text!r} {where}", help=help, option=option)


def _wrong_quote(option: str, text: str, example: str) -> UsageError:
    what = "opens a double quote that is never closed"
    if text.count('"') % 2 == 0:
        what = "has a double quote in the middle of a text"
    return UsageError(
        f"{option} {text!r} {what}",
        help="put a text with a comma or quote in double quotes, and double those inside: "
        f"{option} {example}",
        option=option,
    )


def _no_list(option: str, text: str, help: str) -> UsageError:
    parts = _segments(text)
    if text.count('"') % 2 == 0 and "" in parts:
        return _loose_comma(option, text, parts, help)
    return _wrong_quote(option, text, """'A,"B, C","3"" pipe"'""")


def _no_filter(text: str) -> UsageError:
    quoted = """'city="Bonn, Germany"'"""
    if text.count('"') % 2:
        return _wrong_quote("--where", text, quoted)
    parts = _segments(text)
    if "" in parts:
        return _loose_comma("--where", text, parts, _FILTER)
    columns: list[str] = []
    for part in parts:
        signs = _INSIDE_QUOTES.sub("", part).count("=")
        if signs == 0:
            more = f"; a value with a comma stands in double quotes: --where {quoted}" if parts[1:] else ""
            return UsageError(f"--where {part!r} is no COLUMN=VALUE", help=_FILTER + more, option="--where")
        if signs > 1:
            return UsageError(
                f"--where {part!r} has more than one equals sign",
                help="put a text with an equals sign in double quotes: --where 'note=\"a=b\"'",
                option="--where",
            )
        assigned = _ASSIGNED.fullmatch(part)
        column, cell = assigned.groups() if assigned is not None else ("", "")
        if not column.strip() or not cell.strip():
            return _half_filter(part, column)
        columns.append(column.strip().removeprefix('"').removesuffix('"'))
    twice = [column for at, column in enumerate(columns) if column in columns[:at]]
    return _filtered_twice(twice[0]) if twice else _wrong_quote("--where", text, quoted)


def _half_filter(text: str, column: str) -> UsageError:
    return UsageError(
        f"--where {text!r} " + ("gives no value" if column.strip() else "names no column"),
        help=f"{_FILTER}; empty cells cannot be asked for",
        option="--where",
    )


def _filtered_twice(column: str) -> UsageError:
    return UsageError(
        f"--where names the column {column!r} twice",
        help="a cell says one thing: give one filter",
        option="--where",
    )
