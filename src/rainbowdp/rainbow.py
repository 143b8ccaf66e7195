# SPDX-License-Identifier: Apache-2.0
"""Read and keep rainbows, the orders in which datasets prefer the possible answers.

A rainbow is a sequence of classes of colors, best class first. In the paper every class holds one color (a
total order, Zhou et al. 2022, Definition 1); classes of several tied colors are our extension. The text form
is ``blue>red>green``, with ties ``blue>red=green``. A color that contains one of ``> = , "``, a line break or
outer blanks stands in double quotes, doubled inside. Reading and writing that form, here and in lists of
colors and assignments, is done in this module only.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rainbowdp.errors import ColorError, RainbowSyntaxError, did_you_mean
from rainbowdp.exact.arguments import items_of, kind_of

_SPECIAL = re.compile(r'[>=,"\r\n]')


def quote_color(color: str) -> str:
    """Return the color as it is written in rainbows and lists, quoted where needed.

    Examples
    --------
    >>> print(quote_color("blue"), quote_color("a>b"), quote_color('3" pipe'))
    blue "a>b" "3"" pipe"
    """
    if color == "" or color != color.strip() or _SPECIAL.search(color):
        return '"' + color.replace('"', '""') + '"'
    return color


def quote_colors(colors: Iterable[str]) -> str:
    """Return colors as a list in a message.

    Examples
    --------
    >>> print(quote_colors(["blue", "a,b"]))
    blue, "a,b"
    """
    return ", ".join(map(quote_color, colors))


def color_mismatch(what: str, given: Sequence[str], wanted: Sequence[str], missing: str) -> ColorError:
    """Return the error for colors that are not those that are wanted.

    Parameters
    ----------
    what : str
        What does not fit what, for the message.
    given, wanted : sequence of str
        Colors, not the same.
    missing : str
        What is said of wanted colors that are not given, before their names.
    """
    extra = [color for color in given if color not in wanted]
    absent = [color for color in wanted if color not in given]
    hints = filter(None, (did_you_mean(color, absent or wanted) for color in extra))
    parts = [
        f"{words} {quote_colors(colors)}"
        for words, colors in ((missing, absent), ("unknown colors", extra))
        if colors
    ]
    return ColorError(
        f"{what}: {'; '.join(parts)}",
        help=next(hints, f"give each of {quote_colors(wanted)} once"),
        missing=absent,
        unknown=extra,
    )


def _tokens(text: str, separators: str) -> Iterator[tuple[str, str]]:
    """Yield (word, separator after it), the last separator being empty; quotes are resolved."""
    form = re.compile(rf'\s*(?:"(?P<quoted>(?:[^"]|"")*+)"\s*|(?P<plain>[^"{separators}]*))')
    separator, position = separators, 0
    while separator:
        found = form.match(text, position)
        assert found is not None  # noqa: S101 - a word may be empty
        quoted, plain, end = found["quoted"], found["plain"], found.end()
        separator = text[end : end + 1]
        if separator and separator not in separators:
            raise _misplaced_quote(text, end, plain)
        if plain == "":
            raise RainbowSyntaxError(
                f"{text!r} has an empty color at character {end + 1}",
                help='write colors between > and =, as in blue>red=green; an empty color is ""',
                text=text,
            )
        yield plain.strip() if quoted is None else quoted.replace('""', '"'), separator
        position = end + 1


def _misplaced_quote(text: str, place: int, plain: str | None) -> RainbowSyntaxError:
    """Return the error for the character that follows a quoted word, or a plain one."""
    what, help = "has an opening quote that is never closed", "close it, and double those of the color"
    if plain is None:
        what, help = "goes on after a closing quote", "double a quote that belongs to the color"
    elif plain:
        what, help = "has a quote inside a color", "put the whole color in double quotes, inner ones doubled"
    return RainbowSyntaxError(
        f"{text!r} {what}, at character {place + 1}", help=f'{help}: "3"" pipe"', text=text
    )


def split_list(text: str) -> tuple[str, ...]:
    """Split a comma-separated list of colors or options.

    Parameters
    ----------
    text : str
        For example ``blue,red,"a,b"``.

    Returns
    -------
    tuple of str
        The items in the order of the text, quotes removed.

    Raises
    ------
    RainbowSyntaxError
        For an empty item or a quote out of place.

    Examples
    --------
    >>> split_list('blue, red,"a,b"')
    ('blue', 'red', 'a,b')
    """
    return tuple(word for word, _ in _tokens(text, ","))


def parse_assignments(text: str) -> dict[str, str]:
    """Split ``blue=3/55,red=9/55`` into colors and the texts of their values.

    Parameters
    ----------
    text : str
        Comma-separated ``color=value`` items.

    Returns
    -------
    dict of str to str
        Color to value text, in the order of the text.

    Raises
    ------
    RainbowSyntaxError
        For an item that is not ``color=value``, or a color given twice.

    Examples
    --------
    >>> parse_assignments('blue=1/3, "a=b"=2/3')
    {'blue': '1/3', 'a=b': '2/3'}
    """
    pairs: dict[str, str] = {}
    tokens = _tokens(text, "=,")
    for color, equals in tokens:
        value, comma = next(tokens, ("", "="))
        if equals != "=" or comma == "=":
            raise RainbowSyntaxError(
                f"{text!r} is not a list of color=value items",
                help="write for example blue=3/55,red=9/55,green=43/55",
                text=text,
            )
        if color in pairs:
            raise RainbowSyntaxError(
                f"the color {color!r} is given twice in {text!r}", help="give every color once", text=text
            )
        pairs[color] = value
    return pairs


@dataclass(frozen=True)
class Rainbow:
    """A preference order of colors, with ties.

    Parameters
    ----------
    classes : iterable of iterables of str, or str
        Classes of colors, best class first. The colors of a class are tied; they are kept sorted by code
        point, so that two spellings of one order are equal. A class of one color may be that color, and a
        whole rainbow its text, as for `Rainbow.parse`.

    Raises
    ------
    ColorError
        If there is no color, an empty class, a repeated color, or a color that is not text.
    RainbowSyntaxError
        If a text is not a rainbow.

    References
    ----------
    Zhou et al. 2022, Definition 1 (total orders); ties are an extension.

    Examples
    --------
    >>> rainbow = Rainbow.parse("blue > red=green")
    >>> str(rainbow)
    'blue>green=red'
    >>> rainbow.classes
    (('blue',), ('green', 'red'))
    >>> rainbow.class_of("red")
    1
    """

    classes: tuple[tuple[str, ...], ...]

    def __init__(self, classes: Iterable[Iterable[str]]) -> None:
        groups = _groups(classes) if isinstance(classes, str) else classes
        if isinstance(groups, AbstractSet | Mapping):
            raise ColorError(
                f"a {type(groups).__name__} has no order to rank colors by", help="give a list of classes"
            )
        built = tuple(tuple(sorted(_colors_of(group))) for group in _members(groups, "a rainbow"))
        colors = [color for group in built for color in group]
        if not colors or not all(built):
            raise ColorError(
                "a rainbow needs at least one color in every class", help="write for example blue>red>green"
            )
        if len(set(colors)) != len(colors):
            twice = next(color for color in colors if colors.count(color) > 1)
            raise ColorError(
                f"the color {twice!r} stands twice in one rainbow", help="rank every color once", color=twice
            )
        object.__setattr__(self, "classes", built)

    @classmethod
    def parse(cls, text: str) -> "Rainbow":
        """Read a rainbow from its text form.

        Parameters
        ----------
        text : str
            For example ``blue>red=green``; blanks around the separators do not matter.

        Returns
        -------
        Rainbow

        Raises
        ------
        RainbowSyntaxError
            If the text does not have the form.
        ColorError
            If a color is repeated.

        Examples
        --------
        >>> Rainbow.parse('yes > "no, never" = no').classes
        (('yes',), ('no', 'no, never'))
        """
        return cls(_groups(text))

    @classmethod
    def of(cls, value: "RainbowLike") -> "Rainbow":
        """Return a rainbow as it is, or the one that a text or a list means.

        Parameters
        ----------
        value : Rainbow, str, list or tuple
            What a caller gave for a rainbow; in a list, best first, a class of tied colors is a list itself.

        Returns
        -------
        Rainbow

        Raises
        ------
        RainbowSyntaxError
            If it is neither a rainbow nor its text.

        Examples
        --------
        >>> Rainbow.of("a>b") == Rainbow.of(["a", "b"]) == Rainbow.of(Rainbow.parse("a > b"))
        True
        """
        if isinstance(value, Rainbow):
            return value
        return cls(value) if isinstance(value, list | tuple) else cls(_groups(value))

    def __str__(self) -> str:
        return ">".join("=".join(map(quote_color, group)) for group in self.classes)

    @cached_property
    def colors(self) -> tuple[str, ...]:
        """All colors, sorted by code point."""
        return tuple(sorted(self.ordered))

    @property
    def ordered(self) -> tuple[str, ...]:
        """All colors, best first, tied ones by code point."""
        return tuple(color for group in self.classes for color in group)

    def class_of(self, color: str) -> int:
        """Return the index of the class that holds the color, 0 for the best class.

        Parameters
        ----------
        color : str
            One of the colors.

        Returns
        -------
        int

        Raises
        ------
        ColorError
            If the rainbow does not rank the color.

        Examples
        --------
        >>> Rainbow.parse("blue>red=green").class_of("green")
        1
        """
        for index, group in enumerate(self.classes):
            if color in group:
                return index
        known = quote_colors(self.colors)
        raise ColorError(
            f"the rainbow {self} does not rank the color {color!r}",
            help=did_you_mean(str(color), self.colors) or f"its colors are {known}",
            color=color,
        )


RainbowLike = Rainbow | str | Sequence[str | Sequence[str]]
"""A rainbow, its text, or its classes in a list."""


def _groups(text: object) -> list[list[str]]:
    """Return the classes that a text writes."""
    if not isinstance(text, str):
        raise RainbowSyntaxError(
            f"{kind_of(text)} is not a rainbow", help="write the order as text, as in blue>red=green"
        )
    groups: list[list[str]] = [[]]
    for word, separator in _tokens(text, ">="):
        groups[-1].append(word)
        if separator == ">":
            groups.append([])
    return groups


def _members(values: object, what: str) -> list[Any]:
    members = items_of(values)
    if members is None:
        raise ColorError(
            f"{what} cannot be {kind_of(values)}",
            help='write the whole order as text, as in "blue>red=green", or give a list of classes of colors',
        )
    return members


def _colors_of(group: Iterable[str]) -> list[str]:
    colors = [group] if isinstance(group, str) else _members(group, "a class of a rainbow")
    for color in colors:
        if not isinstance(color, str):
            raise ColorError(f"a color cannot be {kind_of(color)}", help="write colors as text", color=color)
    return colors
