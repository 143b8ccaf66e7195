# SPDX-License-Identifier: Apache-2.0
"""Distributions over colors with exact probabilities, and the paper's order among them.

A `Distribution` is an immutable mapping from color to an exact number; its probabilities are nonnegative and
sum to exactly 1. `dominates` is the paper's lexicographic order along a rainbow, `prefix_dominates` the
stronger order that the optimal mechanism satisfies as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from rainbowdp.errors import ColorError, DistributionError, did_you_mean
from rainbowdp.exact import (
    Exact,
    NormalExpression,
    NumberLike,
    Real,
    format_fraction,
    parse_fraction,
    show,
    sign,
)
from rainbowdp.rainbow import Rainbow, quote_color


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
        If a probability is negative or the sum is not exactly 1.
    NumberError
        If a probability is not an exact number.

    Examples
    --------
    >>> p = Distribution({"red": "1/4", "blue": 0.5, "green": "1/4"})
    >>> p
    Distribution(blue=1/2, green=1/4, red=1/4)
    >>> p.prefix_masses(Rainbow.parse("blue>red=green"))
    (Fraction(1, 2), Fraction(1, 1))
    """

    __slots__ = ("_probabilities",)

    _probabilities: dict[str, Exact]

    def __init__(self, probabilities: Mapping[str, NumberLike | Exact], *, normalize: bool = False) -> None:
        parsed: dict[str, Exact] = {
            color: value if isinstance(value, Real) else parse_fraction(value)
            for color, value in sorted(probabilities.items())
        }
        if not parsed:
            raise DistributionError(
                "a distribution needs at least one color", help="give every color a probability"
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
        elif not _is_one(total):
            raise DistributionError(
                f"the probabilities of {_inner(parsed)} sum to {show(total)}, not to 1",
                help="give exact fractions that sum to 1, or rescale them with --normalize (normalize=True)",
                sum=total if isinstance(total, Fraction) else None,
            )
        self._probabilities = parsed

    @classmethod
    def trusted(cls, probabilities: Mapping[str, Exact]) -> "Distribution":
        """Build a distribution whose sum is 1 by construction, without the check."""
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.keys() == other.keys() and all(self[color] == other[color] for color in self)

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
        """Return the total probability of a set of colors."""
        return sum((self[color] for color in colors), Fraction(0))

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
        DistributionError
            If irrational normal probabilities differ inside the group: their ratios have no exact form.

        Examples
        --------
        >>> Distribution({"a": "1/6", "b": "1/3", "c": "1/2"}).share("b", ["a", "b"])
        Fraction(2, 3)
        """
        whole, part = self.mass(group), self[color]
        if sign(whole) == 0 or all(_is_same(part, self[other]) for other in group):
            return Fraction(1, len(group))
        if isinstance(whole, NormalExpression) or isinstance(part, NormalExpression):
            raise DistributionError(
                f"the tied colors {', '.join(map(quote_color, group))} have unlike irrational probabilities",
                help="give tied colors rational probabilities, or the same one",
            )
        share = part / whole
        fraction = share.as_fraction() if isinstance(share, Real) else share
        return share if fraction is None else fraction

    def prefix_masses(self, rainbow: Rainbow) -> tuple[Exact, ...]:
        """Return the total probabilities of the best 1, 2, ... classes of a rainbow; the last one is 1.

        Parameters
        ----------
        rainbow : Rainbow
            Over the same colors.

        Returns
        -------
        tuple of Exact
            One prefix mass per class.

        Raises
        ------
        ColorError
            If the rainbow ranks other colors.
        """
        self.require_colors(rainbow)
        masses: list[Exact] = []
        total: Exact = Fraction(0)
        for group in rainbow.classes[:-1]:
            total = total + self.mass(group)
            masses.append(total)
        return (*masses, Fraction(1))

    def require_colors(self, rainbow: Rainbow) -> None:
        """Raise `ColorError` unless the distribution and the rainbow have the same colors."""
        if self.colors == rainbow.colors:
            return
        extra = [color for color in self.colors if color not in rainbow.colors]
        missing = [color for color in rainbow.colors if color not in self.colors]
        hints = filter(None, (did_you_mean(color, missing or rainbow.colors) for color in extra))
        known = ", ".join(map(quote_color, rainbow.colors))
        what = [f"no probability for {', '.join(map(quote_color, missing))}"] if missing else []
        what += [f"unknown colors {', '.join(map(quote_color, extra))}"] if extra else []
        raise ColorError(
            f"a distribution does not fit the rainbow {rainbow}: {'; '.join(what)}",
            help=next(hints, f"give each of {known} once"),
            missing=missing,
            unknown=extra,
        )


def dominates(p: Distribution, q: Distribution, rainbow: Rainbow) -> bool:
    """Tell whether p is lexicographically at least q along the rainbow.

    Parameters
    ----------
    p, q : Distribution
        Two distributions over the rainbow's colors.
    rainbow : Rainbow
        The preference order; the masses of tied classes are compared as wholes.

    Returns
    -------
    bool

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
    for ours, theirs in zip(p.prefix_masses(rainbow), q.prefix_masses(rainbow), strict=True):
        order = sign(ours - theirs)
        if order:
            return order > 0
    return True


def prefix_dominates(p: Distribution, q: Distribution, rainbow: Rainbow) -> bool:
    """Tell whether p has at least the mass of q on every prefix of the rainbow.

    Stronger than `dominates`; the optimal mechanism satisfies both.

    Parameters
    ----------
    p, q : Distribution
        Two distributions over the rainbow's colors.
    rainbow : Rainbow
        The preference order.

    Returns
    -------
    bool
    """
    pairs = zip(p.prefix_masses(rainbow), q.prefix_masses(rainbow), strict=True)
    return all(sign(ours - theirs) >= 0 for ours, theirs in pairs)


def _is_same(a: Exact, b: Exact) -> bool:
    if isinstance(a, NormalExpression):
        return isinstance(b, NormalExpression) and (a - b).is_formally_zero()
    return not isinstance(b, NormalExpression) and a == b


def _is_one(total: Exact) -> bool:
    return sign(total - 1) == 0


def _inner(probabilities: Mapping[str, Exact]) -> str:
    return ", ".join(f"{quote_color(color)}={show(value)}" for color, value in probabilities.items())
