# SPDX-License-Identifier: Apache-2.0
"""Exact real numbers that are not rational: the base of the two kinds that rainbowdp needs.

A `Real` can be enclosed to any precision, and its sign is decided, never estimated: formally where it is
zero by construction, by refining enclosures (Arb balls) otherwise. Subclasses say what "formally zero" means.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Self

import flint

from rainbowdp.exact.refining import shown_sign, undecided


def rational_ball(value: Fraction | int) -> flint.arb:
    """Return the ball around a rational number at the precision in force."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


class Real(ABC):
    """An exact real number with a decided sign; see the module docstring."""

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
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Self:
        if isinstance(other, int | Fraction):
            return self._scaled(1 / Fraction(other))
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._plus(lifted, -1).sign() == 0

    def __lt__(self, other: object) -> bool:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._plus(lifted, -1).sign() < 0

    def __le__(self, other: object) -> bool:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._plus(lifted, -1).sign() <= 0

    def __gt__(self, other: object) -> bool:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._plus(lifted, -1).sign() > 0

    def __ge__(self, other: object) -> bool:
        lifted = self._lift(other)
        return NotImplemented if lifted is None else self._plus(lifted, -1).sign() >= 0
