# SPDX-License-Identifier: Apache-2.0
"""Numbers built from the normal distribution: rational combinations of Phi(Phi^-1(x) + s mu).

Gaussian differential privacy computes with these. There is no test for equality among them, so a number is
zero only where it is zero by construction (formally, after Phi(-z) = 1 - Phi(z) has been used to write every
term with a positive shift); everything else is decided by enclosures, or reported as undecided.
"""

from fractions import Fraction

import flint

from rainbowdp.exact.real import Real, rational_ball
from rainbowdp.exact.text import Exponent, Log, format_fraction

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
        mu = str(self.mu) if isinstance(self.mu, Log) else format_fraction(self.mu)
        return " + ".join([format_fraction(self.constant), *terms]) + f" at mu = {mu}"
