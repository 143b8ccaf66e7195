# SPDX-License-Identifier: Apache-2.0
"""Add costs of answers without rounding, and tell what a budget that hides more has to pay for one.

An amount of epsilon is a rational number plus the logarithm of a rational number, because people ask with
both: ln(a) + ln(b) is ln(ab). The form is unique, because e^r is irrational for every rational r other than 0
(Lindemann): two amounts are equal exactly where both parts are, and enclosures compare all others.

Pure costs add their epsilon, approximate ones their epsilon and delta, Gaussian ones the square of their mu
(Dong, Roth and Su 2022, corollary 2). A pure cost is an approximate one of delta 0, so it may be paid from an
approximate budget; no other kind may be paid from another.

A budget may promise which pairs of tables stay hard to tell apart (`Protection`). An answer of another
promise hides the same pairs if a chain of its own pairs leads from one table to the other, and each pair of
the chain is paid. docs/decisions/0010-promises.md has a proof of each conversion.
"""

import operator
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil, isqrt
from typing import TYPE_CHECKING, Any, Literal, Self

import flint

from rainbowdp.errors import PrivacyParameterError, UsageError
from rainbowdp.exact import (
    FIRST_PRECISION,
    Log,
    Number,
    enclose_with,
    format_fraction,
    parse_exponent,
    rational_ball,
    show,
    shown_sign,
)
from rainbowdp.exact.arguments import one_of, require
from rainbowdp.privacy import GaussianDP, Privacy

if TYPE_CHECKING:
    # Loading the questions takes long, and showing a budget needs none.
    from rainbowdp.questions import Neighbors

Kind = Literal["pure", "approximate", "gaussian"]

_DIGITS = 6
_DELTA_BITS = 64
_MOST_BITS = 1 << 15
_PLAIN_EXPONENTS = range(-12, 16)
_LONGEST_EXACT = 60
_HIDDEN: "dict[Neighbors, str]" = {
    "add-remove": "one person joins or leaves",
    "change-one": "one person changes",
}


@dataclass(frozen=True)
class Amount:
    """The number ``rational + ln(argument)``.

    Parameters
    ----------
    rational : Fraction
        The rational part.
    argument : Fraction
        The positive number whose logarithm is added; 1 adds nothing.

    Raises
    ------
    NumberError
        If the argument is not positive.

    References
    ----------
    Lindemann 1882: e^r is transcendental for every algebraic r other than 0.

    Examples
    --------
    >>> spent = Amount.of("ln(6/5)") + Amount.of("0.5") + Amount.of("ln 2")
    >>> print(spent)
    0.5 + ln(12/5)
    >>> spent <= Amount.of("1.38"), Amount.of(3) - spent <= Amount.of("1.63")
    (True, True)
    >>> Amount.of("ln 4") == Amount.of("ln 2").times(2)
    True
    """

    rational: Fraction = Fraction(0)
    argument: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        # It refuses what has no logarithm.
        Log(self.argument)

    @classmethod
    def of(cls, value: Number) -> Self:
        """Return the amount that a number or text stands for, such as ``0.5`` or ``ln(6/5)``.

        Raises
        ------
        NumberError
            If it is not an exact number of these forms.
        """
        exponent = parse_exponent(value)
        return cls(argument=exponent.argument) if isinstance(exponent, Log) else cls(exponent)

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.rational + other.rational, self.argument * other.argument)

    def __sub__(self, other: "Amount") -> "Amount":
        return Amount(self.rational - other.rational, self.argument / other.argument)

    def times(self, number: int) -> "Amount":
        """Return this amount taken a whole number of times."""
        return Amount(self.rational * number, self.argument**number)

    def sign(self) -> int:
        """Return -1, 0 or 1, decided exactly."""
        if self.rational == 0:
            return (self.argument > 1) - (self.argument < 1)
        # Not zero (see the module), so some precision decides.
        return shown_sign(self.ball, FIRST_PRECISION, None)

    def __le__(self, other: "Amount") -> bool:
        return (self - other).sign() <= 0

    def ball(self) -> flint.arb:
        """Return an Arb ball that holds the amount, at the precision in force."""
        whole = rational_ball(self.rational)
        return whole if self.argument == 1 else whole + rational_ball(self.argument).log()

    def __str__(self) -> str:
        if self.argument == 1:
            return number_text(self.rational)
        negative = self.argument < 1
        logarithm = f"ln({format_fraction(1 / self.argument if negative else self.argument)})"
        if self.rational == 0:
            return f"-{logarithm}" if negative else logarithm
        return f"{number_text(self.rational)} {'-' if negative else '+'} {logarithm}"


def number_text(value: Fraction) -> str:
    """Return a rational number exactly: as a decimal where that is short, else as a fraction.

    Examples
    --------
    >>> number_text(Fraction(5, 2)), number_text(Fraction(1, 3))
    ('2.5', '1/3')
    """
    shown = show(value)
    return format_fraction(value) if shown.startswith("about") else shown


def rounded(ball: Callable[[], flint.arb], *, upward: bool) -> str:
    """Return a number of at least 0 as a decimal of six digits, rounded in a named direction.

    A number too small to be told from 0 is a bound all the same: 0 below, something tiny above.

    Examples
    --------
    >>> rounded(Amount.of("ln 2").ball, upward=False), rounded(Amount.of("ln 2").ball, upward=True)
    ('0.693147', '0.693148')
    """
    bits = FIRST_PRECISION
    lower, upper = enclose_with(ball, bits)
    while upper - lower > abs(lower) / 2**FIRST_PRECISION and bits < _MOST_BITS:
        bits *= 2
        lower, upper = enclose_with(ball, bits)
    end = upper if upward else lower
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if upward else ROUND_FLOOR)
    decimal = context.divide(Decimal(end.numerator), Decimal(end.denominator)).normalize()
    return f"{decimal:f}" if decimal.adjusted() in _PLAIN_EXPONENTS else f"{decimal:e}"


def parameters_of(privacy: Privacy) -> dict[str, str]:
    """Return each parameter of a notion of privacy by name, as a decimal where it has a short one.

    Examples
    --------
    >>> from rainbowdp.privacy import ApproxDP
    >>> parameters_of(ApproxDP("ln 3", "1e-6"))
    {'epsilon': 'ln(3)', 'delta': '0.000001'}
    """
    return {
        name: str(value) if isinstance(value, Log) else number_text(value)
        for name, value in privacy.parameters().items()
    }


@dataclass(frozen=True)
class Part:
    """One number of a cost, such as its epsilon: its name, its exact text, and a ball around it.

    Examples
    --------
    >>> (part,) = Cost(Amount.of("ln 2")).parts()
    >>> part.name, part.exact, part.decimal(upward=True)
    ('epsilon', 'ln(2)', '0.693148')
    """

    name: str
    exact: str
    ball: Callable[[], flint.arb]

    def decimal(self, *, upward: bool) -> str:
        """Return the number as a decimal: itself where it is one, else rounded to six digits."""
        plain = self.exact.replace(".", "", 1).isdigit()
        return self.exact if plain else rounded(self.ball, upward=upward)

    def shown(self, *, upward: bool) -> str:
        """Return the number for a message: exactly, and as a decimal where it is not one."""
        decimal = self.decimal(upward=upward)
        if decimal == self.exact:
            return self.exact
        return f"{self.exact} ({decimal})" if len(self.exact) <= _LONGEST_EXACT else f"about {decimal}"


@dataclass(frozen=True)
class Cost:
    """A price in privacy, exact and not negative.

    Parameters
    ----------
    epsilon : Amount
        The epsilon of a pure or approximate cost.
    delta : Fraction
        The delta of an approximate cost; 0 makes the cost pure.
    mu_squared : Fraction, optional
        The square of mu; it makes the cost Gaussian, and then there is no epsilon and no delta.

    Raises
    ------
    PrivacyParameterError
        If a number is negative, or a Gaussian cost has an epsilon or delta.

    References
    ----------
    Dong, Roth and Su, Gaussian Differential Privacy, 2022, corollary 2; Dwork and Roth 2014, theorem 3.16.

    Examples
    --------
    >>> cost = Cost(Amount.of("ln 2"), Fraction(1, 10**6))
    >>> print(cost, "|", cost.times(2), "|", Cost.gaussian("1/2").times(2))
    epsilon ln(2), delta 0.000001 | epsilon ln(4), delta 0.000002 | mu sqrt(1/2)
    >>> cost.kind, cost.times(3).within(cost.times(4)), cost.pays_from("pure")
    ('approximate', True, False)
    """

    epsilon: Amount = Amount()
    delta: Fraction = Fraction(0)
    mu_squared: Fraction | None = None

    def __post_init__(self) -> None:
        if self.epsilon.sign() < 0 or self.delta < 0 or (self.mu_squared or 0) < 0:
            raise PrivacyParameterError(
                "a cost below zero", help="give an epsilon, delta or mu of at least 0"
            )
        if self.mu_squared is not None and (self.epsilon != Amount() or self.delta):
            raise PrivacyParameterError(
                "a Gaussian cost with an epsilon or delta", help="give mu alone, or epsilon and delta"
            )

    @classmethod
    def gaussian(cls, mu: Number) -> "Cost":
        """Return the cost of Gaussian privacy mu.

        Raises
        ------
        NumberError, PrivacyParameterError
            If mu is not an exact number of at least 0, or is a logarithm: its square has no exact form here.
        """
        return cls.of(GaussianDP(mu))

    @classmethod
    def of(cls, privacy: Privacy) -> "Cost":
        """Return what one answer under a notion of privacy costs.

        Raises
        ------
        PrivacyParameterError
            If mu is a logarithm.
        """
        if isinstance(privacy, GaussianDP):
            if isinstance(privacy.mu, Log):
                raise PrivacyParameterError(
                    f"mu={privacy.mu} cannot be charged: the square of a logarithm has no exact form",
                    help="give mu as a decimal or fraction",
                    value=str(privacy.mu),
                )
            return cls(mu_squared=privacy.mu**2)
        return cls(Amount.of(privacy.epsilon), privacy.delta)

    @property
    def kind(self) -> Kind:
        """Which kind of budget this is, or is paid from."""
        if self.mu_squared is not None:
            return "gaussian"
        return "approximate" if self.delta else "pure"

    def pays_from(self, kind: Kind) -> bool:
        """Tell whether a budget of this kind can pay: its own kind can, and approximate for pure."""
        return self.kind == kind or (self.kind, kind) == ("pure", "approximate")

    @property
    def is_zero(self) -> bool:
        """Whether it costs nothing."""
        return self in {Cost(), Cost(mu_squared=Fraction(0))}

    def times(self, number: int) -> "Cost":
        """Return the cost of this many answers.

        Raises
        ------
        UsageError
            If the number is negative.
        """
        if number < 0:
            raise UsageError(f"{number} answers cannot be paid for", help="give a number of at least 0")
        squared = None if self.mu_squared is None else self.mu_squared * number
        return Cost(self.epsilon.times(number), self.delta * number, squared)

    def doubled(self) -> "Cost":
        """Return what the same answers cost between tables that are two steps of neighbors apart.

        Epsilon and mu double, and delta becomes (1 + e^epsilon) delta. Where that is irrational, it is
        rounded up by at most 2^-64 of itself.

        References
        ----------
        Dwork and Roth 2014, theorem 2.2; Vadhan 2017, lemma 2.2; Dong, Roth and Su 2022, theorem 4.

        Examples
        --------
        >>> print(Cost(Amount.of("ln 2"), Fraction(1, 8)).doubled(), "|", Cost.gaussian("1/2").doubled())
        epsilon ln(4), delta 0.375 | mu 1
        """
        if self.mu_squared is not None:
            return self.times(4)
        if not self.delta:
            return self.times(2)
        if (self.epsilon + Amount(argument=self.delta)).sign() >= 0:
            # e^epsilon delta is 1 or more: nothing is hidden, and the power could be very long.
            return Cost(self.epsilon.times(2), Fraction(1))
        odds = self.epsilon.argument
        if self.epsilon.rational:
            # Always the same number, whatever the width of the enclosure: costs are compared by their text.
            above = enclose_with(lambda: self.epsilon.ball().exp(), 2 * _DELTA_BITS)[1]
            odds = Fraction(ceil(above * 2**_DELTA_BITS), 2**_DELTA_BITS)
        return Cost(self.epsilon.times(2), min(Fraction(1), (1 + odds) * self.delta))

    def __add__(self, other: "Cost") -> "Cost":
        return self._combined(operator.add, other)

    def __sub__(self, other: "Cost") -> "Cost":
        return self._combined(operator.sub, other)

    def _combined(self, combine: Callable[[Any, Any], Any], other: "Cost") -> "Cost":
        self._check_family(other)
        squared = None if self.mu_squared is None else combine(self.mu_squared, other.mu_squared)
        return Cost(combine(self.epsilon, other.epsilon), combine(self.delta, other.delta), squared)

    def within(self, limit: "Cost") -> bool:
        """Tell, exactly, whether a limit of the same family covers this cost in every part."""
        self._check_family(limit)
        if self.mu_squared is not None:
            return self.mu_squared <= (limit.mu_squared or 0)
        return self.epsilon <= limit.epsilon and self.delta <= limit.delta

    def parts(self, kind: Kind | None = None) -> tuple[Part, ...]:
        """Return the numbers of the cost, as a budget of this kind (by default its own) counts them."""
        squared = self.mu_squared
        if squared is not None:
            return (Part("mu", root_text(squared), lambda: rational_ball(squared).sqrt()),)
        epsilon = Part("epsilon", str(self.epsilon), self.epsilon.ball)
        if (kind or self.kind) == "pure":
            return (epsilon,)
        return epsilon, Part("delta", number_text(self.delta), lambda: rational_ball(self.delta))

    def shown(self, kind: Kind | None = None, *, upward: bool = True) -> str:
        """Return the cost for a message: each number exactly, and as a decimal rounded in one direction."""
        return ", ".join(f"{part.name} {part.shown(upward=upward)}" for part in self.parts(kind))

    def __str__(self) -> str:
        return ", ".join(f"{part.name} {part.exact}" for part in self.parts())

    def _check_family(self, other: "Cost") -> None:
        if (self.mu_squared is None) != (other.mu_squared is None):
            raise UsageError(
                f"{self.kind} and {other.kind} costs do not add up", help="keep each kind in its own budget"
            )


def root_text(squared: Fraction) -> str:
    """Return the square root of a rational number exactly.

    Examples
    --------
    >>> root_text(Fraction(1, 4)), root_text(Fraction(2))
    ('0.5', 'sqrt(2)')
    """
    root = Fraction(isqrt(squared.numerator), isqrt(squared.denominator))
    return number_text(root) if root * root == squared else f"sqrt({format_fraction(squared)})"


@dataclass(frozen=True)
class Protection:
    """What stays hidden about one person.

    Parameters
    ----------
    neighbors : {"add-remove", "change-one"}
        Whether a person is there at all, or what is said about a person.
    unit : str, optional
        The column that says whose row it is; without it every row is a person.
    max_rows : int
        Of an answer: how many rows of one person count at most. A budget does not limit that.

    Raises
    ------
    UsageError
        If there is no such relation, or the unit is no name of a column.

    Examples
    --------
    >>> print(Protection("change-one", "patient"))
    one person changes; 'patient' says whose row it is
    """

    neighbors: "Neighbors" = "add-remove"
    unit: str | None = None
    max_rows: int = 1

    def __post_init__(self) -> None:
        one_of("a neighbor relation", self.neighbors, tuple(_HIDDEN))
        if self.unit is not None:
            require(self.unit, "unit", str)
            if not self.unit:
                raise UsageError("the unit is empty", help="give the name of a column")
            object.__setattr__(self, "unit", unicodedata.normalize("NFC", self.unit))

    def __str__(self) -> str:
        person = "every row is a person" if self.unit is None else f"{self.unit!r} says whose row it is"
        return f"{_HIDDEN[self.neighbors]}; {person}"

    def way_on(self, asked: "Protection") -> str | None:
        """Return how to ask instead where no chain of an answer's pairs hides what is promised, else None.

        There is no chain where an answer about rows is to hide persons, one about persons of a column those
        of another, or one about people who change those who join or leave.
        """
        if self.unit is not None and asked.unit != self.unit:
            return f"ask with --unit {self.unit} and --max-rows"
        if (self.neighbors, asked.neighbors) == ("add-remove", "change-one"):
            return "ask with --neighbors add-remove"
        return None

    def doublings(self, asked: "Protection") -> int:
        """Return how often the cost of an answer doubles where this is promised.

        Once where a person changes and the answer hides that one joins or leaves: a change is both. Once
        where rows are persons and the answer keeps one row of a person: where that row goes, another one can
        take its place. (Of an answer that keeps two rows or more, one of its steps covers both moves.)
        """
        if self.way_on(asked) is not None:
            return 0
        swapped = self.unit is None and asked.unit is not None and asked.max_rows == 1
        return (asked.neighbors != self.neighbors) + swapped

    def price(self, cost: Cost, asked: "Protection") -> Cost:
        """Return what an answer of this cost costs where this is promised.

        Examples
        --------
        >>> from rainbowdp.privacy import ApproxDP
        >>> print(Protection("change-one").price(Cost.of(ApproxDP("ln 2", "1e-6")), Protection()))
        epsilon ln(4), delta 0.000003
        """
        for _ in range(self.doublings(asked)):
            cost = cost.doubled()
        return cost
