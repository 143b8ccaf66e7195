# SPDX-License-Identifier: Apache-2.0
"""Declare options and arguments of commands, and read what was typed: numbers, lists, filters, paths.

A reader takes the text that was typed, and returns the value or refuses the text. `option` attaches a reader
to an option: it refuses an empty text, and puts the name of the option before what the reader says is wrong.

Items of a list stand between commas. Commas and equals signs inside double quotes belong to a text, and a
double quote in it is doubled: ``A,"B, C"``.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer

from rainbowdp.errors import RainbowError, UsageError, did_you_mean

LARGEST_WHOLE = 2**53
_WHOLE = re.compile("0*([0-9]{1,17})")
_QUOTED = re.compile('"((?:[^"]|"")*)"')
_QUOTED_ITEMS = "put a text with a comma or quote in double quotes, and double those inside: 'A,\"B, C\"'"
_FILTER = (
    "write city=Bonn, a list city=Bonn,Ulm without blanks, or a range age=18..65, age=18.., "
    "day=..2026-12-31; a text with a comma, quote, equals sign or two points stands in double quotes: "
    "--where 'city=\"Bonn, Germany\"'"
)

Read = Callable[[str], object]


def option(
    declared: str,
    help: str,
    read: Read | None = None,
    *,
    default: object = None,
    panel: str | None = None,
    words: Sequence[str] = (),
) -> Any:  # noqa: ANN401 - what typer makes of an option has no public type
    """Return the declaration of an option, the default of a parameter of a command.

    Parameters
    ----------
    declared : str
        Its name and what stands for its value, such as ``--epsilon NUMBER``; a name alone is a flag.
    help : str
        What it does.
    read : callable, optional
        The reader; without one the text itself is the value.
    default : object
        What it is if left out; ``...`` if it must be given.
    panel : str, optional
        The heading under which the help shows it.
    words : sequence of str
        What the shell offers to complete; without words it offers files.
    """
    name, _, metavar = declared.partition(" ")
    if not metavar:
        return typer.Option(False, name, help=help, rich_help_panel=panel)
    return typer.Option(
        default,
        name,
        metavar=metavar,
        help=help,
        # Typer passes the text on; the command declares the type that `read` returns.
        parser=str,
        callback=lambda value: _value(name, help, read, value),
        rich_help_panel=panel,
        autocompletion=lambda incomplete: [word for word in words if word.startswith(incomplete)],
    )


def argument(metavar: str, help: str, *, default: object = ...) -> Any:  # noqa: ANN401 - as above
    """Return the declaration of an argument; see `option`."""
    return typer.Argument(
        default, metavar=metavar, help=help, callback=lambda value: _value(metavar, help, None, value)
    )


def choice(
    name: str, words: tuple[str, ...], help: str, *, default: str | None = "", panel: str | None = None
) -> Any:  # noqa: ANN401 - as above
    """Return the declaration of an option that takes one of some words, by default the first."""

    def read(text: str) -> str:
        if text not in words:
            way_on = did_you_mean(text, words) or f"choose one of {', '.join(words)}"
            raise UsageError(f"{text!r} is not one of the choices", help=way_on)
        return text

    default = words[0] if default == "" else default
    return option(f"{name} {'|'.join(words)}", help, read, default=default, panel=panel, words=words)


def described(*paragraphs: str, lines: tuple[str, ...], example: str = "") -> str:
    """Return the help of a command: paragraphs, then an example that can be copied into a shell."""
    title = f"Example, {example}:" if example else "Example:"
    return "\n\n".join((*paragraphs, title, " \\\n".join(lines)))


def _value(name: str, help: str, read: Read | None, typed: object) -> object:
    texts = [typed] if isinstance(typed, str) else typed if isinstance(typed, list) else []
    if not all(text.strip() for text in texts):
        raise UsageError(f"{name} is empty", help=help)
    if read is None or not isinstance(typed, str):
        return typed
    with naming(name):
        return read(typed)


@contextlib.contextmanager
def naming(option: str) -> Iterator[None]:
    """Put the name of an option before what is wrong with its value.

    Raises
    ------
    RainbowError
        The same as inside, with the name.

    Examples
    --------
    >>> with naming("--share"):
    ...     rational("half")
    Traceback (most recent call last):
    rainbowdp.errors.NumberError: --share: 'half' is not an exact number
    """
    try:
        yield
    except RainbowError as error:
        raise error.at(option) from None


def unicode_text(text: str) -> str:
    """Read a text that is shown or written later.

    Raises
    ------
    UsageError
        If it holds bytes that are not UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{text!r} is not text: character {error.start + 1} is a byte that is not UTF-8",
            help="set your terminal to UTF-8 and type it again",
        ) from None
    return text


def whole(text: str) -> int:
    """Read a whole number from 1 to 2^53.

    Examples
    --------
    >>> whole(" 31")
    31
    >>> whole("1.5")
    Traceback (most recent call last):
    rainbowdp.errors.UsageError: '1.5' is not a whole number from 1 to 2^53
    """
    if not (number := _whole_number(text)):
        raise UsageError(f"{text!r} is not a whole number from 1 to 2^53", help="give for example 40")
    return number


def _whole_number(text: str) -> int | None:
    """Return a whole number from 0 to `LARGEST_WHOLE`, None for any other text."""
    found = _WHOLE.fullmatch(text.strip())
    return None if found is None or int(found[1]) > LARGEST_WHOLE else int(found[1])


def whole_numbers(text: str) -> Sequence[int]:
    """Read a range or a list of whole numbers.

    Examples
    --------
    >>> whole_numbers("0:31:5"), whole_numbers("4, 1")
    (range(0, 31, 5), [4, 1])
    """
    parts = text.split(":") if ":" in text else text.split(",")
    numbers = [number for number in map(_whole_number, parts) if number is not None]
    found: Sequence[int] = [] if len(numbers) < len(parts) else numbers
    if found and ":" in text:
        found = range(*numbers) if len(numbers) <= 3 and numbers[2:] != [0] else []
    if not found:
        raise UsageError(
            f"{text!r} is not a range or list of whole numbers from 0 to 2^53",
            help="write a range 0:31 or 0:31:5, whose end is left out, or a list 1,5,9",
        )
    return found


def rational(text: str) -> Fraction:
    """Read a decimal or a fraction."""
    from rainbowdp.exact import parse_fraction

    return parse_fraction(text)


def probability(text: str) -> Fraction:
    """Read a decimal, a fraction or a percentage; its range is checked where it is used.

    Examples
    --------
    >>> probability("1%"), probability("0.99")
    (Fraction(1, 100), Fraction(99, 100))
    """
    number = text.strip()
    return rational(number[:-1].strip()) / 100 if number.endswith("%") else rational(number)


def items(text: str) -> list[str]:
    """Read the items of a list, as they were typed.

    Raises
    ------
    UsageError
        If a double quote is left open, or a comma has nothing beside it.

    Examples
    --------
    >>> items('Ulm, "Bonn, Germany"')
    ['Ulm', '"Bonn, Germany"']
    """
    if text.count('"') % 2:
        raise UsageError(f"{text!r} opens a double quote that is never closed", help=_QUOTED_ITEMS)
    parts = _split(text, ",")
    if "" in parts:
        raise UsageError(f"{text!r} has a comma with nothing beside it", help="commas stand between items")
    return parts


def names(text: str) -> tuple[str, ...]:
    """Read a list of names.

    Examples
    --------
    >>> names('Ulm, "Bonn, Germany"')
    ('Ulm', 'Bonn, Germany')
    """
    return tuple(_unquoted(part, _QUOTED_ITEMS).strip() for part in items(unicode_text(text)))


def numbers(text: str) -> tuple[str, ...]:
    """Read a list of numbers, which stay as they were typed.

    Examples
    --------
    >>> numbers("18, 34.5")
    ('18', '34.5')
    """
    parts = items(text)
    for part in parts:
        rational(part)
    return tuple(parts)


def points(text: str) -> tuple[str, ...]:
    """Read a list of numbers or dates, which stay as they were typed.

    Examples
    --------
    >>> points("2020-01-01, 2021-01-01")
    ('2020-01-01', '2021-01-01')
    """
    from rainbowdp.questions.cells import point_of

    parts = items(text)
    for part in parts:
        point_of(part)
    return tuple(parts)


def clamp_ends(text: str) -> tuple[str, str]:
    """Read the two ends of the range into which values are moved.

    Raises
    ------
    UsageError, NumberError, QuestionError
        If they are not two numbers, the least first.
    """
    from rainbowdp.questions.measures import SumOf

    ends = numbers(text)
    if len(ends) != 2:
        raise UsageError(f"{text!r} is not a range", help="give the least and the greatest value: 0,100")
    SumOf(rational(ends[0]), rational(ends[1]))
    return ends[0], ends[1]


def filters(given: Sequence[str] | None) -> dict[str, list[object]]:
    """Return the filters that were typed: by column, the texts and ranges of which a cell must meet one.

    Raises
    ------
    UsageError
        If one has none of these forms, or a column is named twice.

    Examples
    --------
    >>> filters(["city=Ulm,Bonn", 'note="a, b..c",year=2020..'])["note"]
    ['a, b..c']
    """
    found: dict[str, list[object]] = {}
    with naming("--where"):
        for text in given or ():
            column = None
            for part in items(unicode_text(text)):
                *name, value = _split(part, "=")
                if name:
                    column = _unquoted(name[0], _FILTER)
                    if column in found:
                        raise UsageError(f"the column {column!r} is named twice", help="give one filter")
                # After a comma and a blank, as in a sentence, the text probably goes on.
                goes_on = not name and f", {part}" in text
                if column is None or len(name) > 1 or not value or goes_on:
                    raise UsageError(f"{part!r} is not COLUMN=VALUE", help=_FILTER)
                found.setdefault(column, []).append(_filter_value(value))
    return found


def _filter_value(text: str) -> object:
    """Return a range where two points stand outside of quotes, else the text."""
    from rainbowdp.tables.rows import range_in

    if len(_split(text, "..")) == 1:
        return _unquoted(text, _FILTER)
    found = range_in(text)
    if found is None:
        raise UsageError(f"{text!r} is not a range of numbers or dates, the lower end first", help=_FILTER)
    return found


def _split(text: str, separator: str) -> list[str]:
    """Return what stands between separators outside of double quotes, without blanks around it."""
    parts, start, quoted = [], 0, False
    for at, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif not quoted and at >= start and text.startswith(separator, at):
            parts.append(text[start:at].strip())
            start = at + len(separator)
    return [*parts, text[start:].strip()]


def separator_of(text: str) -> str:
    """Return what stands between cells; TAB and SPACE are words, since a shell hides them."""
    return {"TAB": "\t", "\\t": "\t", "SPACE": " "}.get(text, text)


def unquoted(text: str) -> str:
    """Return a text without the double quotes around it.

    Examples
    --------
    >>> unquoted('"3"" pipe"'), unquoted('a 3" pipe')
    ('3" pipe', 'a 3" pipe')
    """
    found = _QUOTED.fullmatch(text)
    return text if found is None else found[1].replace('""', '"')


def _unquoted(part: str, help: str) -> str:
    if '"' in part and not _QUOTED.fullmatch(part):
        raise UsageError(f"{part!r} has a double quote in the middle of a text", help=help)
    return unquoted(part)


def writable(text: str) -> Path:
    """Read the place of a file, and check that it can be written."""
    from rainbowdp.formats.files import check_writable

    check_writable(Path(text))
    return Path(text)


def new_file(text: str) -> Path:
    """Read the place of a file that is not there yet, and check that it can be written."""
    path = writable(text)
    if path.exists():
        raise UsageError(f"{text!r} would be replaced", help="name a new file")
    return path


def page_path(text: str) -> Path:
    """Read the place of a page, and check that it can be written and replaces nothing but a page."""
    path = writable(text)
    with contextlib.suppress(OSError), path.open("rb") as file:
        if file.read(len(_PAGE)).lower() != _PAGE:
            raise UsageError(f"{text!r} would be replaced, and is not a page", help="name a new file")
    return path


_PAGE = b"<!doctype html>"


def figure_path(text: str) -> Path:
    """Read the place of a figure, and check that a figure can be written there."""
    from rainbowdp.plots import check_plot_path

    return writable(str(check_plot_path(text)))


def require_distinct(targets: Mapping[str, Path | None], sources: Mapping[str, str | None]) -> None:
    """Refuse to write one file twice, or where one is read.

    Raises
    ------
    UsageError
        If two options name one file.
    """
    taken: dict[str, str] = {}
    for name, path in {**targets, **sources}.items():
        other = None if path is None else taken.get(os.path.realpath(path))
        if other is not None:
            raise UsageError(
                f"{other} and {name} name the same file {str(path)!r}", help="give each a file of its own"
            )
        if name in targets and path is not None:
            taken[os.path.realpath(path)] = name
