# SPDX-License-Identifier: Apache-2.0
"""Set the precision of enclosures, and compute with exact irrational numbers, normal ones among them.

The precision of flint is one setting of the whole process. `working_precision` sets it for one thread at a
time and puts it back, so that threads that compute at once neither see nor keep the precision of another.
Nothing else in the package sets it. `refine` doubles it until an enclosure decides.

A `Real` is an exact number that is not rational. It can be enclosed to any precision, and its sign is
decided, never estimated: formally where it is zero by construction, by refining enclosures (Arb balls)
otherwise. Subclasses say what "formally zero" means.

Gaussian differential privacy computes with `NormalExpression`, rational combinations of
Phi(Phi^-1(x) + s mu). There is no test for equality among them, so a number is zero only where it is zero by
construction (formally, after Phi(-z) = 1 - Phi(z) has been used to write every term with a positive shift);
everything else is decided by enclosures, or reported as undecided.
"""

import contextlib
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Self, TypeVar, overload

import flint

from rainbowdp.errors import UndecidedError
from rainbowdp.exact.text import Exponent, Log, exponent_text, format_fraction

FIRST_PRECISION = 64
LAST_PRECISION = 4096
_READ_BITS = 60

_Found = TypeVar("_Found")
_LOCK = threading.RLock()


@contextlib.contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Compute balls with this many bits inside the block, while other threads wait.

    Examples
    --------
    >>> before = flint.ctx.prec
    >>> with working_precision(200):
    ...     third = flint.arb(1) / 3
    >>> third.rel_accuracy_bits() > 190, flint.ctx.prec == before
    (True, True)
    """
    with _LOCK, flint.ctx.workprec(bits):
        yield


@overload
def refine(attempt: Callable[[int], _Found | None], first: int = ..., last: int = ...) -> _Found | None: ...


@overload
def refine(attempt: Callable[[int], _Found | None], first: int, last: None) -> _Found: ...


def refine(
    attempt: Callable[[int], _Found | None], first: int = FIRST_PRECISION, last: int | None = LAST_PRECISION
) -> _Found | None:
    """Try again at twice the precision until something is found.

    Parameters
    ----------
    attempt : callable
        Computes at the precision in force, which it is told, and returns None where that is not enough.
    first, last : int
        The precisions to begin and to end with; None for no last one.

    Returns
    -------
    object or None
        What was found first; None if the last precision was not enough.

    Examples
    --------
    >>> refine(lambda bits: bits if bits > 100 else None), refine(lambda bits: None)
    (128, None)
    """
    bits = first
    while last is None or bits <= last:
        with working_precision(bits):
            found = attempt(bits)
        if found is not None:
            return found
        bits *= 2
    return None


@overload
def shown_sign(evaluate: Callable[[], flint.arb]) -> int | None: ...


@overload
def shown_sign(evaluate: Callable[[], flint.arb], first: int, last: None) -> int: ...


def shown_sign(
    evaluate: Callable[[], flint.arb], first: int = FIRST_PRECISION, last: int | None = LAST_PRECISION
) -> int | None:
    """Return the sign of the nonzero number that `evaluate` encloses; None where no precision shows it.

    Examples
    --------
    >>> shown_sign(lambda: flint.arb(2).sqrt() - 1), shown_sign(lambda: flint.arb(2).sqrt() ** 2 - 2)
    (1, None)
    """

    def attempt(_: int) -> int | None:
        value = evaluate()
        return 1 if value > 0 else -1 if value < 0 else None

    return refine(attempt, first, None) if last is None else refine(attempt, first, last)


def undecided() -> UndecidedError:
    """Return the error about two numbers that the last precision does not tell apart."""
    return UndecidedError(
        f"two numbers could not be told apart with {LAST_PRECISION} bits",
        help="it counts as a failure; move one of the numbers by more than 1e-1000",
    )


def rational_ball(value: Fraction | int) -> flint.arb:
    """Return the ball around a rational number at the precision in force."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


class Real(ABC):
    """An exact real number with a decided sign, see the module.

    It compares exactly with fractions and with floats, which mean their shortest decimals; ``float``,
    ``round`` and format specifications give what a person reads.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # equal numbers may have different forms, so no hash is possible

    @abstractmethod
    def evaluate(self) -> flint.arb:
        """Return a ball that holds the number, at the precision in force."""

    @abstractmethod
    def is_formally_zero(self) -> bool:
        """Tell whether the number is zero by its form alone."""

    @abstractmethod
    def _plus(self, other: Self, factor: int) -> Self: ...

    @abstractmethod
    def _scaled(self, factor: Fraction) -> Self: ...

    def _times(self, other: Self) -> Self:
        raise TypeError(f"products of {type(other).__name__} have no exact form")

    def _over(self, other: Self) -> Self:
        raise TypeError(f"quotients of {type(other).__name__} have no exact form")

    @abstractmethod
    def _lift(self, other: object) -> Self | None:
        """Return the other number in this form, None where that is impossible."""

    def as_fraction(self) -> Fraction | None:
        """Return the number as a fraction where its form shows that it is one."""
        return None

    def sign(self) -> int:
        """Return -1, 0 or 1, exactly.

        Raises
        ------
        UndecidedError
            If enclosures of 4096 bits still hold zero, which only happens for kinds of numbers without a
            test for equality.
        """
        if self.is_formally_zero():
            return 0
        return shown_sign(self.evaluate) or self._undecided_sign()

    def _undecided_sign(self) -> int:
        raise undecided()

    def __add__(self, other: object) -> Self:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._plus(lifted, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Self:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._plus(lifted, -1)

    def __rsub__(self, other: object) -> Self:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else lifted._plus(self, -1)

    def __neg__(self) -> Self:
        return self._scaled(Fraction(-1))

    def __mul__(self, other: object) -> Self:
        if isinstance(other, int | Fraction):
            return self._scaled(Fraction(other))
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._times(lifted)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Self:
        if isinstance(other, int | Fraction):
            return self._scaled(1 / Fraction(other))
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._over(lifted)

    def __rtruediv__(self, other: object) -> Self:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else lifted._over(self)

    def _order(self, other: object) -> float | None:
        """Return the sign of the difference; None where the other is of a kind that does not compare.

        A float means its shortest decimal. No comparison with nan holds, as in Python.
        """
        if isinstance(other, float):
            if not math.isfinite(other):
                return -other
            other = Fraction(float.__repr__(other))
        return self.order_to(other) if isinstance(other, Real | Fraction | int) else None

    def order_to(self, other: "Real | Fraction | int") -> int:
        """Return the sign of the difference to an exact number of any kind.

        Raises
        ------
        UndecidedError
            If 4096 bits do not tell the two apart and no common form shows that they are equal.
        """
        lifted = self._lift(other)
        if lifted is not None:
            return self._plus(lifted, -1).sign()
        assert isinstance(other, Real)  # noqa: S101 - every kind takes in fractions
        found = shown_sign(lambda: self.evaluate() - other.evaluate())
        if found is not None:
            return found
        if (fraction := other.as_fraction()) is not None:
            return self.order_to(fraction)
        if (fraction := self.as_fraction()) is not None:
            return -other.order_to(fraction)
        one, another = self._in_one_form(other) or (None, None)
        if one is None or another is None:
            raise undecided()
        return one.order_to(another)

    def _in_one_form(self, _: "Real") -> "tuple[Real, Real] | None":
        """Return this number and one of another parameter in one form, None where there is none."""
        return None

    def __eq__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order == 0

    def __lt__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: object) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order >= 0

    def __float__(self) -> float:
        """Return the closest float, for display; no privacy decision uses it."""
        if self.is_formally_zero():
            return 0.0

        def attempt(_: int) -> float | None:
            value = self.evaluate()
            return float(value) if value.is_finite() and value.rel_accuracy_bits() > _READ_BITS else None

        found = refine(attempt)
        if found is None:
            raise undecided()
        return found

    @overload
    def __round__(self) -> int: ...
    @overload
    def __round__(self, digits: int) -> float: ...
    def __round__(self, digits: int | None = None) -> int | float:
        """Return the rounded number, for display: whole, or a float with some digits after the point."""
        return round(float(self)) if digits is None else round(float(self), digits)

    def __format__(self, spec: str) -> str:
        """Return the number as a float in this form, or its exact form where there is no specification."""
        return format(float(self), spec) if spec else str(self)


Atom = tuple[Fraction, Fraction]


def exponent_ball(exponent: Exponent) -> flint.arb:
    """Return the ball around an epsilon or mu at the precision in force."""
    return rational_ball(exponent.argument).log() if isinstance(exponent, Log) else rational_ball(exponent)


def normal_cdf(z: flint.arb) -> flint.arb:
    """Return the ball of the standard normal distribution function, relatively accurate in the lower tail."""
    return (-z / flint.arb(2).sqrt()).erfc() / 2


def normal_quantile(x: flint.arb) -> flint.arb:
    """Return the ball of the inverse of `normal_cdf`, for 0 < x < 1."""
    if x > flint.arb(0.5):
        return (2 - 2 * x).erfcinv() * flint.arb(2).sqrt()
    return -(2 * x).erfcinv() * flint.arb(2).sqrt()


class NormalExpression(Real):
    """An exact number c + sum of c_k Phi(Phi^-1(x_k) + s_k mu), with rational c, c_k, x_k and s_k.

    Examples
    --------
    >>> mass = NormalExpression.shifted(Fraction(1, 4), Fraction(2), Fraction(1))
    >>> mass - mass == 0
    True
    >>> Fraction(907, 1000) < mass < Fraction(908, 1000)
    True
    """

    __slots__ = ("atoms", "constant", "mu")

    def __init__(self, constant: Fraction, atoms: dict[Atom, Fraction], mu: Exponent) -> None:
        self.constant = constant
        self.atoms = {atom: weight for atom, weight in atoms.items() if weight}
        self.mu = mu

    @classmethod
    def shifted(cls, mass: Fraction, shift: Fraction, mu: Exponent) -> "NormalExpression":
        """Return Phi(Phi^-1(mass) + shift mu), with mass in [0, 1]."""
        if mass in (0, 1) or shift == 0:
            return cls(mass, {}, mu)
        if shift < 0:
            return cls(Fraction(1), {(1 - mass, -shift): Fraction(-1)}, mu)
        return cls(Fraction(0), {(mass, shift): Fraction(1)}, mu)

    def moved(self, steps: Fraction) -> "NormalExpression | None":
        """Return Phi(Phi^-1(self) + steps mu) where the form allows it, else None."""
        if not self.atoms:
            return NormalExpression.shifted(self.constant, steps, self.mu)
        if len(self.atoms) == 1:
            ((mass, shift), weight) = next(iter(self.atoms.items()))
            if weight == 1 and self.constant == 0:
                return NormalExpression.shifted(mass, shift + steps, self.mu)
            if weight == -1 and self.constant == 1:
                return NormalExpression.shifted(1 - mass, steps - shift, self.mu)
        return None

    def is_formally_zero(self) -> bool:
        """Tell whether the number is zero by its form alone."""
        return not self.atoms and self.constant == 0

    def as_fraction(self) -> Fraction | None:
        """Return the number as a fraction where no normal term is left."""
        return None if self.atoms else self.constant

    def evaluate(self) -> flint.arb:
        """Return a ball that holds the number, at the precision in force."""
        constant, tails, mu = self.constant, flint.arb(0), exponent_ball(self.mu)
        for (mass, shift), weight in self.atoms.items():
            z = normal_quantile(rational_ball(mass)) + rational_ball(shift) * mu
            if z > 0:
                # Phi(z) = 1 - Phi(-z): the ones cancel exactly, and the tails keep their digits.
                constant += weight
                tails -= rational_ball(weight) * normal_cdf(-z)
            else:
                tails += rational_ball(weight) * normal_cdf(z)
        return tails + rational_ball(constant) if constant else tails

    def _lift(self, other: object) -> "NormalExpression | None":
        if isinstance(other, NormalExpression):
            return other if other.mu == self.mu else None
        if isinstance(other, int | Fraction):
            return NormalExpression(Fraction(other), {}, self.mu)
        return None

    def _in_one_form(self, other: Real) -> "tuple[NormalExpression, NormalExpression] | None":
        if not isinstance(other, NormalExpression):
            return None
        mine, theirs = self.mu, other.mu
        if not (isinstance(mine, Fraction) and isinstance(theirs, Fraction)):
            return None
        return _per_unit(self, mine), _per_unit(other, theirs)

    def _plus(self, other: "NormalExpression", factor: int) -> "NormalExpression":
        atoms = dict(self.atoms)
        for atom, weight in other.atoms.items():
            atoms[atom] = atoms.get(atom, Fraction(0)) + factor * weight
        return NormalExpression(self.constant + factor * other.constant, atoms, self.mu)

    def _scaled(self, factor: Fraction) -> "NormalExpression":
        atoms = {atom: weight * factor for atom, weight in self.atoms.items()}
        return NormalExpression(self.constant * factor, atoms, self.mu)

    def __repr__(self) -> str:
        terms = [
            f"{format_fraction(weight)} Phi(Phi^-1({format_fraction(mass)}) + {format_fraction(shift)} mu)"
            for (mass, shift), weight in self.atoms.items()
        ]
        return " + ".join([format_fraction(self.constant), *terms]) + f" at mu = {exponent_text(self.mu)}"


def _per_unit(number: NormalExpression, mu: Fraction) -> NormalExpression:
    """Return a number with shifts that are counted in units of 1 instead of its mu."""
    atoms = {(mass, shift * mu): weight for (mass, shift), weight in number.atoms.items()}
    return NormalExpression(number.constant, atoms, Fraction(1))
