# SPDX-License-Identifier: Apache-2.0
"""Read and write exact numbers: decimals, fractions, logarithms, Python floats.

A probability is a decimal or a fraction; an epsilon or mu may also be the logarithm of a positive fraction,
``ln(6/5)``, so that its odds e^epsilon are rational. A Python float means its shortest decimal. Anything else
is refused with a message: no float ever becomes the number that its bits happen to hold.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import flint
import numpy as np

from rainbowdp.errors import NumberError

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,9}))?")
_RATIO = re.compile(r"([+-]?[0-9]+)\s*/\s*([0-9]+)")
_LOG = re.compile(r"(?:ln|log)\s*\((.*)\)|(?:ln|log)\s*(\S+)", re.DOTALL)
_LARGEST_EXPONENT = 5_000
_HELP = "write a decimal or a fraction, for example 0.1, 1/3 or 1e-6"
_HELP_EXPONENT = _HELP + ", or a logarithm such as ln(6/5) or ln 3"


@dataclass(frozen=True)
class Log:
    """The natural logarithm of a positive rational number other than 1.

    Parameters
    ----------
    argument : Fraction
        The number whose logarithm is meant, or what `parse_fraction` makes it of.

    Raises
    ------
    NumberError
        If it is not a positive number.

    Examples
    --------
    >>> str(Log(Fraction(6, 5)))
    'ln(6/5)'
    """

    argument: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "argument", parse_fraction(self.argument))
        if self.argument <= 0:
            raise NumberError(
                f"ln({format_fraction(self.argument)}) is not a real number",
                help="take the logarithm of a positive number",
                value=self.argument,
            )

    def __str__(self) -> str:
        return f"ln({format_fraction(self.argument)})"

    def __repr__(self) -> str:
        # Python refuses to write integers of more than 4300 digits, and flint does not.
        top, bottom = flint.fmpz(self.argument.numerator), flint.fmpz(self.argument.denominator)
        return f"Log(argument=Fraction({top}, {bottom}))"


Exponent = Fraction | Log
"""An epsilon or mu: a rational number or the logarithm of one."""


@dataclass(frozen=True)
class LogPart:
    """A part of a logarithm, ln(argument)/parts, whose power e^(ln(argument)/parts) is irrational.

    Made by `divided_exponent`, which takes rational roots out first: no divisor of `parts` but 1 has a
    rational root of the argument. So ``x^parts - argument`` is irreducible, and a polynomial of a lower
    degree is 0 at the root only where all its coefficients are.

    Parameters
    ----------
    argument : Fraction
        A positive number other than 1.
    parts : int
        At least 2.

    References
    ----------
    Lang, Algebra (2002), theorem VI.9.1: when x^n - a is irreducible.
    """

    argument: Fraction
    parts: int

    def __str__(self) -> str:
        return f"ln({format_fraction(self.argument)})/{self.parts}"


def divided_exponent(exponent: Exponent, parts: int) -> "Exponent | LogPart":
    """Return an epsilon or mu divided by a whole number.

    Parameters
    ----------
    exponent : Fraction or Log
        The number.
    parts : int
        At least 1.

    Returns
    -------
    Fraction, Log or LogPart
        The logarithm of a fraction wherever e^(exponent/parts) is one.

    Examples
    --------
    >>> divided_exponent(Fraction(1), 3), str(divided_exponent(Log(Fraction(9, 4)), 2))
    (Fraction(1, 3), 'ln(3/2)')
    >>> str(divided_exponent(Log(Fraction(4)), 6))
    'ln(2)/3'
    """
    if not isinstance(exponent, Log):
        return exponent / parts
    # A fraction other than 1 has no rational root of a degree beyond the length of its longer part.
    longest = max(exponent.argument.numerator.bit_length(), exponent.argument.denominator.bit_length())
    for degree in range(min(parts, longest), 1, -1):
        root = _rational_root(exponent.argument, degree) if parts % degree == 0 else None
        if root is not None:
            return Log(root) if degree == parts else LogPart(root, parts // degree)
    return exponent if parts == 1 else LogPart(exponent.argument, parts)


def _rational_root(value: Fraction, degree: int) -> Fraction | None:
    """Return the root of a positive fraction, None where it is irrational."""
    parts = [int(flint.fmpz(part).root(degree)) for part in (value.numerator, value.denominator)]
    root = Fraction(*parts)
    return root if root**degree == value else None


def parse_fraction(value: object) -> Fraction:
    """Read an exact rational number.

    Parameters
    ----------
    value : str, int, float, Fraction, Decimal or numpy scalar
        Text such as ``0.1``, ``1/3`` or ``1e-6``. A float means its shortest decimal.

    Returns
    -------
    Fraction

    Raises
    ------
    NumberError
        If the value is not a finite rational number in one of these forms.

    Examples
    --------
    >>> parse_fraction("0.1"), parse_fraction(0.1), parse_fraction("1e-6"), parse_fraction("2/6")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 1000000), Fraction(1, 3))
    """
    if isinstance(value, Fraction):
        # A subclass of Fraction may define comparisons of its own.
        return value if type(value) is Fraction else Fraction(value.numerator, value.denominator)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, float | Decimal) and not Decimal(value).is_finite():
        raise NumberError(f"{value} is not a finite number", help=_HELP, value=value)
    if isinstance(value, str | float | Decimal | np.floating):
        # The text of a numpy float of another width is its shortest decimal.
        return _from_text(repr(float(value)) if isinstance(value, float) else str(value), _HELP)
    raise NumberError(
        f"a value of the type {type(value).__name__} is not an exact number", help=_HELP, value=value
    )


def parse_exponent(value: object) -> Exponent:
    """Read an epsilon or mu: an exact rational number or the logarithm of one.

    Parameters
    ----------
    value : str, int, float, Fraction, Decimal or Log
        As for `parse_fraction`; text may also be ``ln(6/5)`` or ``ln 3``, also with ``log``.

    Returns
    -------
    Fraction or Log
        ``ln 1`` is the Fraction 0.

    Raises
    ------
    NumberError
        If the value has none of these forms.

    Examples
    --------
    >>> parse_exponent("ln 3"), parse_exponent("1/3")
    (Log(argument=Fraction(3, 1)), Fraction(1, 3))
    >>> parse_exponent("log(3)") == parse_exponent("ln3") == parse_exponent("ln 3")
    True
    """
    if isinstance(value, Log):
        return value if value.argument != 1 else Fraction(0)
    if not isinstance(value, str):
        return parse_fraction(value)
    match = _LOG.fullmatch(value.strip())
    if match is None:
        return _from_text(value, _HELP_EXPONENT)
    return parse_exponent(Log(_from_text(match[1] if match[1] is not None else match[2], _HELP_EXPONENT)))


def format_fraction(value: Fraction) -> str:
    """Return the fraction as text, in lowest terms, whatever its number of digits.

    Examples
    --------
    >>> format_fraction(Fraction(3, 55)), format_fraction(Fraction(2))
    ('3/55', '2')
    """
    numerator = str(flint.fmpz(value.numerator))
    return numerator if value.denominator == 1 else f"{numerator}/{flint.fmpz(value.denominator)}"


def exponent_text(exponent: "Exponent | LogPart") -> str:
    """Return an epsilon or mu, or a part of one, as it is typed.

    Examples
    --------
    >>> exponent_text(Fraction(1, 2)), exponent_text(Log(Fraction(6, 5)))
    ('1/2', 'ln(6/5)')
    """
    return format_fraction(exponent) if isinstance(exponent, Fraction) else str(exponent)


def _integer(digits: str) -> int:
    # flint reads any number of digits; int() stops at 4300 to protect servers from slow conversions.
    return int(flint.fmpz(digits.lstrip("+")))


def _from_text(text: str, hint: str) -> Fraction:
    shown = text if len(text) <= 60 else text[:60] + "…"
    stripped = text.strip()
    if match := _RATIO.fullmatch(stripped):
        denominator = _integer(match[2])
        if denominator == 0:
            raise NumberError(f"{shown!r} divides by zero", help=hint, value=text)
        return Fraction(_integer(match[1]), denominator)
    match = _DECIMAL.fullmatch(stripped)
    if match is None:
        raise NumberError(f"{shown!r} is not an exact number", help=hint, value=text)
    if abs(int(match[1] or 0)) > _LARGEST_EXPONENT:
        raise NumberError(
            f"{shown!r} has an exponent beyond {_LARGEST_EXPONENT}", help="use a smaller exponent", value=text
        )
    return Fraction(Decimal(stripped))
