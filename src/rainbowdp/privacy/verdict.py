# SPDX-License-Identifier: Apache-2.0
"""The outcome of a privacy check: a verdict that holds, or the violation with its event and excess.

Of several violations the one of greatest excess is shown. Two excesses are compared in their exact form where
they have one of the same kind, and by refining enclosures otherwise; decided ones come before undecided ones.
The numbers that a check takes (epsilon, mu, masses, steps) are read here, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import ColorError, DistributionError, NumberError, PrivacyParameterError, UndecidedError
from rainbowdp.exact import (
    Exact,
    Exponent,
    Log,
    NumberLike,
    Real,
    are_compatible,
    format_fraction,
    parse_exponent,
    parse_fraction,
    show,
    shown_sign,
    sign,
)
from rainbowdp.exact.arguments import described, is_whole, require

LARGEST_PARAMETER = 1_000_000


@dataclass(frozen=True)
class Violation:
    """The event by which two neighbors break a privacy constraint.

    Attributes
    ----------
    event : tuple of str
        Colors of the event, sorted; of all events the one with the greatest excess.
    probability : Exact
        Its probability at the dataset that gives too much.
    limit : Exact or None
        The largest probability allowed there: E q + delta, or Phi(Phi^-1(q) + mu), with q the event's
        probability at the other dataset. None where the Gaussian limit has no closed form.
    excess : Exact or None
        probability - limit, above 0.
    swapped : bool
        False if the first of the two distributions gives too much, True if the second does.
    undecided : bool
        True if 4096 bits did not decide the constraint, which counts as a violation.
    """

    event: tuple[str, ...]
    probability: Exact
    limit: Exact | None
    excess: Exact | None
    swapped: bool
    undecided: bool = False

    def __repr__(self) -> str:
        # Python refuses to write fractions of more than 4300 digits.
        numbers = (
            f"{name}={value if value is None else show(value)}"
            for name, value in (
                ("probability", self.probability),
                ("limit", self.limit),
                ("excess", self.excess),
            )
        )
        parts = (f"event={self.event!r}", *numbers, f"swapped={self.swapped}", f"undecided={self.undecided}")
        return f"Violation({', '.join(parts)})"


@dataclass(frozen=True)
class Verdict:
    """Whether a constraint holds; true or false by itself, with the violation where it does not.

    Examples
    --------
    >>> bool(Verdict(None))
    True
    """

    violation: Violation | None

    def __bool__(self) -> bool:
        return self.violation is None


def exponent_text(exponent: Exponent) -> str:
    """Return an epsilon or mu as it is typed."""
    return str(exponent) if isinstance(exponent, Log) else format_fraction(exponent)


def parse_nonnegative(value: NumberLike | Log, name: str) -> Exponent:
    """Read an epsilon or mu, and refuse one that is negative or beyond any use."""
    exponent = parse_exponent(value)
    negative = exponent.argument < 1 if isinstance(exponent, Log) else exponent < 0
    if negative:
        raise PrivacyParameterError(
            f"{name} is negative ({exponent_text(exponent)})", help=f"give {name} of at least 0", value=value
        )
    if isinstance(exponent, Fraction) and exponent > LARGEST_PARAMETER:
        raise PrivacyParameterError(
            f"{name} is above {LARGEST_PARAMETER}",
            help=f"{name} of this size protects nobody; give a smaller one",
            value=value,
        )
    return exponent


def read_mass(mass: NumberLike | Exact) -> Exact:
    """Read a probability: an exact number as it is, anything else by `parse_fraction`."""
    value = mass if isinstance(mass, Real) else parse_fraction(mass)
    if isinstance(value, Fraction) and not 0 <= value <= 1:
        raise DistributionError(
            f"the mass of an event cannot be {show(value)}",
            help="give a probability from 0 to 1",
            value=value,
        )
    return value


def read_steps(steps: object) -> int:
    """Read a number of steps."""
    if not is_whole(steps) or steps < 0:
        raise NumberError(
            f"{described(steps)} is not a number of steps", help="give a whole number, at least 0"
        )
    return int(steps)


def require_same_colors(p: Distribution, q: Distribution) -> None:
    """Refuse what are not two distributions over the same colors."""
    require(p, "p", Distribution)
    require(q, "q", Distribution)
    if p.colors != q.colors:
        raise ColorError(
            f"two distributions have different colors: {', '.join(p.colors)} and {', '.join(q.colors)}",
            help="give both the same colors, with probability 0 where needed",
        )


@dataclass(frozen=True)
class Excess:
    """A violation, and the excess by which it is ranked among others.

    Attributes
    ----------
    violation : Violation
        The event that gets too much.
    evaluate : callable
        Computes a ball around the excess at the precision in force.
    proven : Exact or None
        The excess to rank by where it is another one than that of the violation, as for stated decimals.
    """

    violation: Violation
    evaluate: Callable[[], flint.arb]
    proven: Exact | None = None

    @property
    def rank(self) -> Exact | None:
        """The excess where it has an exact form."""
        return self.violation.excess if self.proven is None else self.proven

    def is_above(self, other: "Excess | None") -> bool:
        """Tell whether this is the greater excess; None is below all.

        Examples
        --------
        >>> from fractions import Fraction
        >>> half, third = Fraction(1, 2), Fraction(1, 3)
        >>> small = Excess(Violation(("a",), half, third, Fraction(1, 6), False), lambda: flint.arb(1) / 6)
        >>> large = Excess(Violation(("b",), half, None, None, False), lambda: flint.arb(1) / 4)
        >>> large.is_above(small), small.is_above(large), small.is_above(None)
        (True, False, True)
        """
        if other is None:
            return True
        if self.violation.undecided or other.violation.undecided:
            return other.violation.undecided and not self.violation.undecided
        ours, theirs = self.rank, other.rank
        try:
            if ours is not None and theirs is not None and are_compatible([ours, theirs]):
                return sign(ours - theirs) > 0
            return shown_sign(lambda: self.evaluate() - other.evaluate()) == 1
        except UndecidedError:
            return False
