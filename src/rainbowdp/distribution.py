# SPDX-License-Identifier: Apache-2.0
"""Keep distributions over colors, immutable mappings from color to an exact number, and order them.

The probabilities are nonnegative and sum to exactly 1; numbers of any form are read once, here. `dominates`
is the paper's lexicographic order, `prefix_dominates` the stronger one that the optimum satisfies.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import cast

from rainbowdp.errors import ColorError, DistributionError, NumberError, UndecidedError, did_you_mean
from rainbowdp.exact import (
    Exact,
    NormalExpression,
    Number,
    Real,
    are_compatible,
    compare,
    format_fraction,
    is_same,
    parse_fraction,
    show,
    sign,
    simplest,
)
from rainbowdp.exact.arguments import items_of, kind_of
from rainbowdp.rainbow import Rainbow, color_mismatch, quote_color, quote_colors


class Distribution(Mapping[str, Exact]):
    """Exact probabilities of colors.

    Parameters
    ----------
    probabilities : mapping of str to number
        Color to probability; text and floats are read by `rainbowdp.exact.parse_fraction`, exact numbers
        are taken as they are.
    normalize : bool, keyword-only
        Divide by the sum where it is not 1 (rational probabilities only).

    Raises
    ------
    DistributionError
        If a probability is negative, the sum is not exactly 1, the probabilities belong to different privacy
        parameters, or it is not a mapping.
    ColorError
        If a color is not text.
    NumberError
        If a probability is not an exact number.

    Examples
    --------
    >>> p = Distribution({"red": "1/4", "blue": 0.5, "green": "1/4"})
    >>> p
    Distribution(blue=1/2, green=1/4, red=1/4)
    >>> p.prefix_masses(Rainbow.parse("blue>red=green"))
    (Fraction(1, 2), Fraction(1, 1))
    >>> print(p)
    blue 0.5, green 0.25, red 0.25
    >>> p == {"blue": 0.5, "green": 0.25, "red": "1/4"}
    True
    """

    __slots__ = ("_probabilities",)

    _probabilities: dict[str, Exact]

    def __init__(self, probabilities: Mapping[str, Number], *, normalize: bool = False) -> None:
        _require_mapping(probabilities)
        parsed: dict[str, Exact] = {
            color: _exact(color, probabilities[color]) for color in sorted(probabilities)
        }
        if not parsed:
            raise DistributionError(
                "a distribution needs at least one color", help="give every color a probability"
            )
        if not are_compatible(parsed.values()):
            raise DistributionError(
                "the probabilities are of different kinds, as powers of e^1 and of e^2 are: no exact sum",
                help="give probabilities that belong to one privacy parameter, or fractions",
            )
        total: Exact = sum(parsed.values(), Fraction(0))
        for color, value in parsed.items():
            if sign(value) < 0:
                raise DistributionError(
                    f"the probability of {color!r} is negative ({show(value)})",
                    help="give every color a probability of at least 0",
                    color=color,
                )
        if normalize and isinstance(total, Fraction) and total > 0:
            parsed = {color: value / total for color, value in parsed.items()}
        elif sign(total - 1) != 0:
            shown = ", ".join(f"{quote_color(color)}={show(value)}" for color, value in parsed.items())
            raise DistributionError(
                f"the probabilities of {shown} sum to {show(total)}, not to 1",
                help="give exact fractions that sum to 1, or rescale them with --normalize (normalize=True)",
                sum=total if isinstance(total, Fraction) else None,
            )
        self._probabilities = parsed

    @classmethod
    def of(cls, value: "Distribution | Mapping[str, Number]") -> "Distribution":
        """Return a distribution as it is, or the one that a mapping means.

        Parameters
        ----------
        value : Distribution or mapping of str to number
            What a caller gave for a distribution.

        Returns
        -------
        Distribution

        Raises
        ------
        DistributionError, ColorError, NumberError
            As for the constructor.

        Examples
        --------
        >>> Distribution.of({"blue": "1/3", "red": "2/3"})
        Distribution(blue=1/3, red=2/3)
        """
        return value if isinstance(value, Distribution) else cls(value)

    @classmethod
    def trusted(cls, probabilities: Mapping[str, Exact]) -> "Distribution":
        """Build a distribution whose sum is 1 by construction, without the check.

        Parameters
        ----------
        probabilities : mapping of str to Exact
            Color to an exact number.

        Returns
        -------
        Distribution

        Examples
        --------
        >>> Distribution.trusted({"red": Fraction(2, 3), "blue": Fraction(1, 3)})
        Distribution(blue=1/3, red=2/3)
        """
        made = cls.__new__(cls)
        made._probabilities = dict(sorted(probabilities.items()))  # noqa: SLF001 - this is a constructor
        return made

    def __getitem__(self, color: str) -> Exact:
        return self._probabilities[color]

    def __iter__(self) -> Iterator[str]:
        return iter(self._probabilities)

    def __len__(self) -> int:
        return len(self._probabilities)

    def __repr__(self) -> str:
        exact = {
            color: format_fraction(value) if isinstance(value, Fraction) else repr(value)
            for color, value in self.items()
        }
        return f"Distribution({', '.join(f'{quote_color(color)}={text}' for color, text in exact.items())})"

    def __str__(self) -> str:
        """Return rounded probabilities, as people read them; `repr` has the exact ones."""
        return ", ".join(f"{quote_color(color)} {_rounded(value)}" for color, value in self.items())

    def _repr_html_(self) -> str:
        """Return a bar per color, for notebooks."""
        rows = [
            f"<tr><td>{escape(color)}</td><td><div style='width:12em'><div style='width:"
            f"{100 * float(value):.2f}%;height:.8em;background:#0072b2'></div></div></td>"
            f"<td>{escape(_rounded(value))}</td></tr>"
            for color, value in self.items()
        ]
        return f"<table>{''.join(rows)}</table>"

    def __eq__(self, other: object) -> bool:
        """Tell whether all probabilities are exactly the same; a mapping is read as the constructor does."""
        if not isinstance(other, Mapping):
            return NotImplemented
        if self.keys() != other.keys():
            return False
        try:
            return all(compare(value, _exact(color, other[color])) == 0 for color, value in self.items())
        except NumberError:
            return False

    def to_floats(self) -> dict[str, float]:
        """Return the probabilities as the closest floats, to be read.

        Returns
        -------
        dict of str to float

        Examples
        --------
        >>> Distribution({"blue": "1/3", "red": "2/3"}).to_floats()
        {'blue': 0.3333333333333333, 'red': 0.6666666666666666}
        """
        return {color: float(value) for color, value in self.items()}

    __hash__ = None  # type: ignore[assignment]  # irrational probabilities have no hash

    @property
    def colors(self) -> tuple[str, ...]:
        """The colors, sorted by code point."""
        return tuple(self._probabilities)

    @property
    def is_rational(self) -> bool:
        """Whether every probability is a fraction."""
        return all(isinstance(value, Fraction) for value in self.values())

    def mass(self, colors: Iterable[str]) -> Exact:
        """Return the total probability of a set of colors.

        Parameters
        ----------
        colors : iterable of str, or str
            Each color once; a text is one color.

        Returns
        -------
        Exact

        Raises
        ------
        ColorError
            If the distribution does not have a color.

        Examples
        --------
        >>> Distribution({"blue": "1/2", "red": "1/3", "green": "1/6"}).mass(["red", "green"])
        Fraction(1, 2)
        """
        wanted = [colors] if isinstance(colors, str) else items_of(colors)
        if wanted is None:
            raise ColorError(f"{kind_of(colors)} is not a set of colors", help="give a list of colors")
        try:
            return sum((self._probabilities[color] for color in wanted), Fraction(0))
        except (KeyError, TypeError):
            wrong = next(color for color in wanted if not (isinstance(color, str) and color in self.colors))
            raise ColorError(
                f"the distribution has no color {repr(wrong) if isinstance(wrong, str) else kind_of(wrong)}",
                help=did_you_mean(str(wrong), self.colors) or f"its colors are {quote_colors(self.colors)}",
                color=wrong,
            ) from None

    def share(self, color: str, group: Sequence[str]) -> Exact:
        """Return the part of a group's probability that a color of the group has.

        Parameters
        ----------
        color : str
            One of the group.
        group : sequence of str
            Tied colors, the color among them.

        Returns
        -------
        Exact
            From 0 to 1; equal shares if the group has probability 0.

        Raises
        ------
        ColorError
            If the distribution does not have a color.
        DistributionError
            If irrational normal probabilities differ inside the group: their ratios have no exact form.

        Examples
        --------
        >>> Distribution({"a": "1/6", "b": "1/3", "c": "1/2"}).share("b", ["a", "b"])
        Fraction(2, 3)
        """
        members = items_of(group) or []
        if color not in members:
            raise ColorError(
                "a color has a share only of a group that it is in", help="name one of the group"
            )
        return self.shares(members)[color]

    def shares(self, group: Sequence[str]) -> dict[str, Exact]:
        """Return the part of a group's probability that each color of the group has; see `share`.

        Parameters
        ----------
        group : sequence of str
            Tied colors.

        Returns
        -------
        dict of str to Exact
            By color, in the order of the group.

        Raises
        ------
        ColorError, DistributionError
            As for `share`.

        Examples
        --------
        >>> Distribution({"a": "1/6", "b": "1/3", "c": "1/2"}).shares(["a", "b"])
        {'a': Fraction(1, 3), 'b': Fraction(2, 3)}
        """
        whole = self.mass(group)
        parts = {color: self[color] for color in group}
        one = next(iter(parts.values()), Fraction(0))
        if sign(whole) == 0 or all(part is one or is_same(part, one) for part in parts.values()):
            return dict.fromkeys(parts, Fraction(1, max(len(parts), 1)))
        rational = {color: part for color, part in parts.items() if not isinstance(part, NormalExpression)}
        if isinstance(whole, NormalExpression) or len(rational) < len(parts):
            raise DistributionError(
                f"the tied colors {quote_colors(group)} have unlike irrational probabilities",
                help="give tied colors rational probabilities, or the same one",
            )
        return {color: simplest(part / whole) for color, part in rational.items()}

    def prefix_masses(self, rainbow: Rainbow | str) -> tuple[Exact, ...]:
        """Return the total probabilities of the best 1, 2, ... classes of a rainbow; the last one is 1.

        Parameters
        ----------
        rainbow : Rainbow or str
            Over the same colors.

        Returns
        -------
        tuple of Exact
            One prefix mass per class.

        Raises
        ------
        ColorError
            If the rainbow ranks other colors.
        RainbowSyntaxError
            If it is not a rainbow.

        Examples
        --------
        >>> Distribution({"blue": "1/2", "red": "1/3", "green": "1/6"}).prefix_masses("green>blue>red")
        (Fraction(1, 6), Fraction(2, 3), Fraction(1, 1))
        """
        rainbow = Rainbow.of(rainbow)
        self.require_colors(rainbow)
        masses: list[Exact] = []
        total: Exact = Fraction(0)
        for group in rainbow.classes[:-1]:
            total = total + self.mass(group)
            masses.append(total)
        return (*masses, Fraction(1))

    def require_colors(self, rainbow: Rainbow) -> None:
        """Refuse a rainbow over other colors.

        Parameters
        ----------
        rainbow : Rainbow
            A preference order.

        Raises
        ------
        ColorError
            Unless the distribution and the rainbow have the same colors.
        RainbowSyntaxError
            If it is not a rainbow.

        Examples
        --------
        >>> Distribution({"blue": "1/2", "red": "1/2"}).require_colors(Rainbow.parse("red>blue"))
        """
        rainbow = Rainbow.of(rainbow)
        if self.colors != rainbow.colors:
            what = f"a distribution does not fit the rainbow {rainbow}"
            raise color_mismatch(what, self.colors, rainbow.colors, "no probability for")


Probabilities = Distribution | Mapping[str, Number]
"""A distribution, or what `Distribution` makes one of."""


def _require_mapping(probabilities: object) -> None:
    """Refuse what is not a mapping from text."""
    if not isinstance(probabilities, Mapping):
        raise DistributionError(
            f"a distribution cannot be made of {kind_of(probabilities)}",
            help='give a mapping from color to probability, as in {"blue": "2/3", "red": "1/3"}',
        )
    for color in probabilities:
        if not isinstance(color, str):
            raise ColorError(f"a color cannot be {kind_of(color)}", help="write colors as text", color=color)


def _rounded(value: Exact) -> str:
    """Return a probability with six digits; one below 1 is not shown as 1."""
    text = f"{float(value):.6g}"
    with contextlib.suppress(UndecidedError):
        if text != "1" or value == 1:
            return text
    return ">0.999999"


def _exact(color: str, value: Number) -> Exact:
    if isinstance(value, Real):
        return cast("Exact", value)
    try:
        return parse_fraction(value)
    except NumberError as error:
        raise error.at(f"the probability of {color!r}") from error


def dominates(p: Probabilities, q: Probabilities, rainbow: Rainbow | str) -> bool:
    """Tell whether p is lexicographically at least q along the rainbow.

    Parameters
    ----------
    p, q : Distribution or mapping of str to number
        Two distributions over the rainbow's colors.
    rainbow : Rainbow or str
        The preference order; the masses of tied classes are compared as wholes.

    Returns
    -------
    bool

    Raises
    ------
    ColorError
        If the colors are not the same.
    UndecidedError
        Only for Gaussian numbers, or numbers of different e^epsilon, that 4096 bits do not tell apart.
    DistributionError, NumberError, RainbowSyntaxError
        If an argument cannot be read.

    References
    ----------
    Zhou et al. 2022, Definition 3.

    Examples
    --------
    >>> rainbow = Rainbow.parse("blue>red>green")
    >>> p = Distribution({"blue": "1/2", "red": "0", "green": "1/2"})
    >>> q = Distribution({"blue": "1/4", "red": "3/4", "green": "0"})
    >>> dominates(p, q, rainbow), prefix_dominates(p, q, rainbow)
    (True, False)
    """
    for ours, theirs in _prefix_pairs(p, q, rainbow):
        order = compare(ours, theirs)
        if order:
            return order > 0
    return True


def prefix_dominates(p: Probabilities, q: Probabilities, rainbow: Rainbow | str) -> bool:
    """Tell whether p has at least the mass of q on every prefix of the rainbow.

    Stronger than `dominates`; the optimal mechanism satisfies both.

    Parameters
    ----------
    p, q : Distribution or mapping of str to number
        Two distributions over the rainbow's colors.
    rainbow : Rainbow or str
        The preference order.

    Returns
    -------
    bool

    Raises
    ------
    ColorError, UndecidedError, DistributionError, NumberError, RainbowSyntaxError
        As for `dominates`.

    Examples
    --------
    >>> p, q = {"blue": "1/2", "red": "1/2"}, {"blue": "1/3", "red": "2/3"}
    >>> prefix_dominates(p, q, "blue>red"), prefix_dominates(p, q, "red>blue")
    (True, False)
    """
    return all(compare(ours, theirs) >= 0 for ours, theirs in _prefix_pairs(p, q, rainbow))


def _prefix_pairs(
    p: Probabilities, q: Probabilities, rainbow: Rainbow | str
) -> Iterator[tuple[Exact, Exact]]:
    order = Rainbow.of(rainbow)
    ours, theirs = (Distribution.of(given).prefix_masses(order) for given in (p, q))
    return zip(ours, theirs, strict=True)
