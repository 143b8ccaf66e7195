# SPDX-License-Identifier: Apache-2.0
"""Read the value of an option, once: texts, words, numbers, lists, filters, places of files.

Each reader takes the name of the option and the text that was typed, and returns the value or refuses the
text. `rainbowdp.cli.framework.option` attaches a reader to an option. Some are made: ``whole("3")`` reads
whole numbers, with 3 as the example.

Items of a list stand between commas. Commas and equals signs inside double quotes belong to a text, and a
double quote in it is doubled: ``A,"B, C"``.
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from rainbowdp.cli.output import note
from rainbowdp.errors import DistributionError, NumberError, RainbowError, UsageError, did_you_mean

LARGEST_WHOLE = 2**53
_WHOLE = re.compile("0*([0-9]{1,17})")
_FILTER = "write COLUMN=VALUE, for example --where city=Bonn"
_QUOTED_NAMES = """'A,"B, C","3"" pipe"'"""
_QUOTED_FILTER = """'city="Bonn, Germany"'"""
_QUOTED = re.compile('"((?:[^"]|"")*)"')


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
    ...     raise NumberError("'half' is not an exact number")
    Traceback (most recent call last):
    rainbowdp.errors.NumberError: --share: 'half' is not an exact number
    """
    try:
        yield
    except RainbowError as error:
        if error.what.startswith("--"):
            raise
        raise error.at(option) from None


def require(option: str, value: object, other: str, other_value: object, help: str) -> None:
    """Refuse an option that is given without another one.

    Raises
    ------
    UsageError
        If the first has a value and the other has none.

    Examples
    --------
    >>> require("--classes", "c.csv", "--out", None, "give both: --out FILE")
    Traceback (most recent call last):
    rainbowdp.errors.UsageError: --classes is given without --out
    """
    if value not in (None, False) and other_value in (None, False):
        raise UsageError(f"{option} is given without {other}", help=help, option=option)


def require_both(option: str, value: object, other: str, other_value: object, help: str) -> None:
    """Refuse one of two options without the other; see `require`."""
    require(option, value, other, other_value, help)
    require(other, other_value, option, value, help)


def at_most_one(option: str, value: object, other: str, other_value: object, help: str) -> None:
    """Refuse two options that exclude each other.

    Raises
    ------
    UsageError
        If both are given.
    """
    if value not in (None, False) and other_value not in (None, False):
        raise UsageError(f"both {option} and {other} are given", help=help)


def exactly_one(option: str, value: object, other: str, other_value: object, help: str) -> None:
    """Refuse none and both of two options.

    Raises
    ------
    UsageError
        Unless one is given.
    """
    at_most_one(option, value, other, other_value, help)
    if value in (None, False) and other_value in (None, False):
        raise UsageError(f"neither {option} nor {other} is given", help=help)


def unicode_text(option: str, text: str) -> str:
    """Return a text that is shown or written later.

    Raises
    ------
    UsageError
        If it holds bytes that are not UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{option} {text!r} is not text: character {error.start + 1} is a byte that is not UTF-8",
            help="set your terminal to UTF-8 and type it again",
            option=option,
        ) from None
    return text


def text_with(help: str) -> Callable[[str, str], str]:
    """Return the reader of texts that are not empty, which refuses an empty one with this help."""

    def read(option: str, text: str) -> str:
        if not unicode_text(option, text).strip():
            raise UsageError(f"{option} {text!r} is empty", help=help, option=option)
        return text

    return read


def one_of(*words: str) -> Callable[[str, str], str]:
    """Return the reader of one of some words."""

    def read(option: str, text: str) -> str:
        if text not in words:
            help = did_you_mean(text, words) or f"choose one of {', '.join(words)}"
            raise UsageError(f"{option} cannot be {text!r}", help=help, option=option)
        return text

    return read


def whole(example: str) -> Callable[[str, str], int]:
    """Return the reader of whole numbers from 1 to 2^53.

    Examples
    --------
    >>> whole("3")("--top", " 31")
    31
    >>> whole("3")("--top", "1.5")
    Traceback (most recent call last):
    rainbowdp.errors.UsageError: --top '1.5' is not a whole number from 1 to 2^53
    """

    def read(option: str, text: str) -> int:
        number = _whole_number(text)
        if not number:
            raise UsageError(
                f"{option} {text!r} is not a whole number from 1 to 2^53",
                help=f"give for example {option} {example}",
                option=option,
            )
        return number

    return read


def _whole_number(text: str) -> int | None:
    """Return a whole number from 0 to `LARGEST_WHOLE`, None for any other text."""
    found = _WHOLE.fullmatch(text.strip())
    return None if found is None or int(found[1]) > LARGEST_WHOLE else int(found[1])


def rational(option: str, text: str) -> Fraction:
    """Read a decimal or a fraction.

    Raises
    ------
    NumberError
        If it is neither.
    """
    from rainbowdp.exact import parse_fraction

    with naming(option):
        return parse_fraction(text)


def probability(option: str, text: str) -> Fraction:
    """Read a decimal, a fraction or a percentage; its range is checked where it is used.

    Raises
    ------
    NumberError
        If it is none of these.

    Examples
    --------
    >>> probability("--false-yes", "1%"), probability("--want", "0.99")
    (Fraction(1, 100), Fraction(99, 100))
    """
    number = text.strip()
    if number.endswith("%"):
        return rational(option, number.removesuffix("%").strip()) / 100
    return rational(option, number)


def whole_numbers(example: str) -> Callable[[str, str], Sequence[int]]:
    """Return the reader of whole numbers in a range ``0:31`` or ``0:31:5``, or a list ``0,5,9``.

    Parameters
    ----------
    example : str
        A range for the help.

    Returns
    -------
    callable
        Returns at least one number from 0 to 2^53; a range takes no memory however long it is.

    Examples
    --------
    >>> whole_numbers("0:31")("--distances", "0:31:10"), whole_numbers("1:21")("--leads", "1,5, 9")
    (range(0, 31, 10), [1, 5, 9])
    """

    def read(option: str, text: str) -> Sequence[int]:
        parts = text.split(":") if ":" in text else text.split(",")
        numbers = [number for number in map(_whole_number, parts) if number is not None]
        found: Sequence[int] = [] if len(numbers) < len(parts) else numbers
        if found and ":" in text:
            found = range(*numbers) if len(numbers) <= 3 and numbers[2:] != [0] else []
        if not found:
            raise UsageError(
                f"{option} {text!r} is not a range or list of whole numbers from 0 to 2^53",
                help=f"write a range {example} or {example}:5, whose end is left out, or a list 1,5,9",
                option=option,
            )
        return found

    return read


def names(example: str) -> Callable[[str, str], tuple[str, ...]]:
    """Return the reader of lists of names, with an example of one.

    Examples
    --------
    >>> names("Ulm,Bonn")("--groups", 'Ulm, "Bonn, Germany"')
    ('Ulm', 'Bonn, Germany')
    """

    def read(option: str, value: str) -> tuple[str, ...]:
        help = f"write for example {option} {example}"
        text = text_with(help)(option, value)
        parts = _parts(option, text, help, _QUOTED_NAMES)
        return tuple(_unquoted(option, part, _QUOTED_NAMES).strip() for part in parts)

    return read


def numbers(example: str, *, logarithms: bool = False) -> Callable[[str, str], tuple[str, ...]]:
    """Return the reader of lists of numbers, which stay as they were typed.

    Parameters
    ----------
    example : str
        A list for the help.
    logarithms : bool
        Whether a number may be a logarithm such as ``ln 2``.

    Examples
    --------
    >>> numbers("18,65")("--edges", "18, 34.5")
    ('18', '34.5')
    """

    def read(option: str, value: str) -> tuple[str, ...]:
        from rainbowdp.exact import parse_exponent, parse_fraction

        parse = parse_exponent if logarithms else parse_fraction
        help = f"commas stand between numbers, and decimals have a point: {option} {example}"
        text = text_with(help)(option, value)
        parts = tuple(part.strip() for part in text.split(","))
        _require_no_loose_comma(option, text, parts, help)
        for part in parts:
            try:
                parse(part)
            except NumberError as error:
                raise NumberError(f"{option}: {error.what}", help=f"{error.help}; {help}") from None
        return parts

    return read


def clamp_ends(option: str, value: str) -> tuple[str, str]:
    """Read the two ends of the range into which values are moved.

    Raises
    ------
    UsageError, NumberError, QuestionError
        If they are not two numbers, the least first.
    """
    from rainbowdp.exact import parse_fraction
    from rainbowdp.questions.measures import SumOf

    parts = numbers("0,99.5")(option, value)
    if len(parts) != 2:
        raise UsageError(
            f"{option} {value!r} is not a range",
            help=f"give the least and the greatest value, decimals with a point: {option} 0,100",
            option=option,
        )
    with naming(option):
        SumOf(parse_fraction(parts[0]), parse_fraction(parts[1]))
    return parts[0], parts[1]


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
        for part in _parts("--where", text, _FILTER, _QUOTED_FILTER):
            column, cell = _filter(part)
            if column in filters:
                raise UsageError(
                    f"--where names the column {column!r} twice", help="give one filter", option="--where"
                )
            filters[column] = cell
    return filters


def _filter(part: str) -> tuple[str, str]:
    sides = _split(part, "=")
    if len(sides) != 2:
        raise UsageError(
            f"--where {part!r} is not COLUMN=VALUE",
            help=f"{_FILTER}; a text with a comma or an equals sign stands in double quotes: "
            f"--where {_QUOTED_FILTER}",
            option="--where",
        )
    column, cell = (_unquoted("--where", side, _QUOTED_FILTER) for side in sides)
    return column, cell


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


def unquoted(text: str) -> str:
    """Return a text without the double quotes around it.

    Examples
    --------
    >>> unquoted('"3"" pipe"'), unquoted('a 3" pipe')
    ('3" pipe', 'a 3" pipe')
    """
    found = _QUOTED.fullmatch(text)
    return text if found is None else found[1].replace('""', '"')


def _unquoted(option: str, part: str, quoted_example: str) -> str:
    if '"' in part and not _QUOTED.fullmatch(part):
        raise _wrong_quote(option, part, "has a double quote in the middle of a text", quoted_example)
    return unquoted(part)


def _wrong_quote(option: str, text: str, what: str, quoted_example: str) -> UsageError:
    return UsageError(
        f"{option} {text!r} {what}",
        help="put a text with a comma or quote in double quotes, and double those inside: "
        f"{option} {quoted_example}",
        option=option,
    )


def _require_no_loose_comma(option: str, text: str, parts: Sequence[str], help: str) -> None:
    if "" in parts:
        raise UsageError(f"{option} {text!r} has a comma with nothing beside it", help=help, option=option)


def writable(_: str, text: str) -> Path:
    """Read the place of a file, and check that it can be written.

    Raises
    ------
    FileWriteError
        If it cannot.
    """
    from rainbowdp.formats.files import check_writable

    check_writable(Path(text))
    return Path(text)


def figure_path(option: str, text: str) -> Path:
    """Read the place of a figure, and check that a figure can be written there.

    Raises
    ------
    UsageError, MissingExtraError, FileWriteError
        If it cannot.
    """
    from rainbowdp.plots import check_plot_path

    with naming(option):
        return writable(option, str(check_plot_path(text)))


def rescaled(written: Mapping[str, str], whose: str, *, normalize: bool) -> dict[str, Fraction]:
    """Read the probabilities of the colors at a boundary, and rescale them where ``--normalize`` is given.

    Parameters
    ----------
    written : mapping of str to str
        Color to probability.
    whose : str
        What the note calls them.
    normalize : bool
        Divide them by their sum where that is not 1, with a note on stderr.

    Returns
    -------
    dict of str to Fraction
        Negative numbers are left for `rainbowdp.Distribution` to refuse.

    Raises
    ------
    NumberError
        If one is not an exact number.
    DistributionError
        If they are to be divided by their sum, and it is 0.
    """
    from rainbowdp.exact import parse_fraction, show

    values = {color: parse_fraction(text) for color, text in written.items()}
    total = sum(values.values(), Fraction(0))
    if not normalize or total == 1 or min(values.values()) < 0:
        return values
    if total == 0:
        raise DistributionError(
            f"{whose} sums to 0, which --normalize cannot rescale",
            help="give at least one color a probability above 0",
        )
    note(f"{whose} sums to {show(total)}; every probability was divided by that")
    return {color: value / total for color, value in values.items()}
