# SPDX-License-Identifier: Apache-2.0
"""Read the value of an option: texts, words, whole numbers, probabilities, distances, places of files.

Each reader takes the name of the option and the text that was typed, and returns the value or refuses the
text. `rainbowdp.cli.framework.option` attaches a reader to an option. Some are made: ``whole("3")`` reads
whole numbers, with 3 as the example.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from rainbowdp.cli.output import note
from rainbowdp.errors import DistributionError, RainbowError, UsageError, did_you_mean

LARGEST_WHOLE = 2**53
_MOST_DIGITS = 20
_WHOLE = re.compile("[0-9]+")
_EXAMPLES = {
    "distance": ("0:31", "31", "0:31:5", "0,5,9", "7"),
    "lead": ("1:21", "21", "1:21:5", "1,5,20", "40"),
}


@contextlib.contextmanager
def naming(option: str) -> Iterator[None]:
    """Put the name of an option before what is wrong with its value.

    Raises
    ------
    RainbowError
        The same as inside, with the name.

    Examples
    --------
    >>> from rainbowdp.errors import NumberError
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
    >>> require("--name", "survey", "--ledger", None, "give the file: --ledger FILE")
    Traceback (most recent call last):
    rainbowdp.errors.UsageError: --name is given without --ledger
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
    """Return a text that is shown or written later; bytes that the locale did not decode are read as UTF-8.

    Raises
    ------
    UsageError
        If it holds bytes that are not UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        try:
            return os.fsencode(text).decode()
        except UnicodeError:
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
        return unicode_text(option, text)

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
        if number is None or not 1 <= number <= LARGEST_WHOLE:
            raise UsageError(
                f"{option} {text!r} is not a whole number from 1 to 2^53",
                help=f"give for example {option} {example}",
                option=option,
            )
        return number

    return read


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
    from rainbowdp.exact import parse_fraction

    stripped = text.strip()
    with naming(option):
        if stripped.endswith("%"):
            return parse_fraction(stripped.removesuffix("%").strip()) / 100
        return parse_fraction(text)


def distances(option: str, text: str) -> Sequence[int]:
    """Read distances, or leads: ``0:31``, ``0:31:5``, ``0,5,9`` or ``7``.

    Parameters
    ----------
    option : str
        ``--distances`` or ``--leads``.
    text : str
        ``a:b`` or ``a:b:step`` without b, a comma-separated list, or one number.

    Returns
    -------
    sequence of int
        At least one number from 0 to 2^53; a range takes no memory however long it is.

    Raises
    ------
    UsageError
        If the text has no such form, or contains no number.

    Examples
    --------
    >>> distances("--distances", "0:31:10"), distances("--leads", "1,5, 9")
    (range(0, 31, 10), [1, 5, 9])
    """
    called = option.removeprefix("--").removesuffix("s")
    range_, end, stepped, listed, one = _EXAMPLES[called]
    help = (
        f"write a range such as {range_} ({end} is left out) or {stepped}, a list such as {listed}, or one "
        f"{called} such as {one}"
    )

    def refused(what: str) -> UsageError:
        return UsageError(what, help=help, option=option)

    def number(part: str) -> int:
        found = _whole_number(part)
        if found is None:
            wrong = f"{part.strip()!r} in {option} {text!r}" if part.strip() != text else f"{option} {text!r}"
            raise refused(f"{wrong} is not a whole number of at least 0")
        if found > LARGEST_WHOLE:
            raise UsageError(f"the {called} {part.strip()} is beyond 2^53", help=f"use smaller {called}s")
        return found

    if not text.strip():
        raise refused(f"{option} {text!r} is empty")
    if ":" not in text:
        return list(map(number, text.split(",")))
    start, stop, *rest = map(number, text.split(":"))
    if len(rest) > 1:
        raise refused(f"{option} {text!r} has too many colons")
    if rest == [0]:
        raise refused(f"{option} {text!r} has the step 0")
    found = range(start, stop, *rest)
    if not found:
        raise refused(f"{option} {text!r} is empty: the end is left out, and it is not above the start")
    return found


def _whole_number(text: str) -> int | None:
    """Return a whole number of at least 0, at most one above `LARGEST_WHOLE`; None for any other text."""
    if not _WHOLE.fullmatch(text.strip()):
        return None
    digits = text.strip().lstrip("0")
    return min(int(digits or "0"), LARGEST_WHOLE + 1) if len(digits) <= _MOST_DIGITS else LARGEST_WHOLE + 1


def writable(_: str, text: str) -> Path:
    """Read the place of a file, and check that it can be written.

    Raises
    ------
    FileWriteError
        If it cannot.
    """
    from rainbowdp.formats.writing import check_writable

    path = Path(text)
    check_writable(path)
    return path


def figure_path(option: str, text: str) -> Path:
    """Read the place of a figure, and check that a figure can be written there.

    Raises
    ------
    UsageError, MissingExtraError, FileWriteError
        If it cannot.
    """
    from rainbowdp.formats.writing import check_writable
    from rainbowdp.plots import check_plot_path

    with naming(option):
        checked = check_plot_path(text)
        check_writable(checked)
    return checked


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
