# SPDX-License-Identifier: Apache-2.0
"""The outcome of a privacy check, and the events that decide it.

A verdict holds, or it has the violation with its event and excess. Of several violations the one of greatest
excess is shown. Two excesses are compared in their exact form where they have one of the same kind, and by
refining enclosures otherwise; decided ones come before undecided ones.

The events that matter under any trade-off curve are those of the likelihood ratio test (`likelihood_events`).
Under pure and approximate privacy the worst event holds the colors beyond the odds (`worst_event`), compared
exactly where numbers are of one kind. Powers of e^1 and of e^2, say, have no
common exact form here, so their differences are decided by refining enclosures (`enclosed_excess`); what
4096 bits do not decide counts as a violation and says so.

The numbers that a check takes (epsilon, mu, masses, steps) are read here, too.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cmp_to_key
from itertools import chain, combinations, groupby
from typing import Any, cast

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import ColorError, DistributionError, NumberError, PrivacyParameterError, UndecidedError
from rainbowdp.exact import (
    Exact,
    Exponent,
    Log,
    NormalExpression,
    Number,
    OddsExpression,
    Real,
    are_compatible,
    ball,
    parse_exponent,
    parse_fraction,
    show,
    shown_sign,
    sign,
)
from rainbowdp.exact.arguments import require, whole
from rainbowdp.exact.real import undecided
from rainbowdp.exact.text import exponent_text

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
        numbers = [x if x is None else show(x) for x in (self.probability, self.limit, self.excess)]
        return (
            "Violation(event={!r}, probability={}, limit={}, excess={}, swapped={}, undecided={})"
        ).format(self.event, *numbers, self.swapped, self.undecided)


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


def parse_nonnegative(value: Number, name: str) -> Exponent:
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
            help=f"{name} of this size gives no privacy; give a smaller one",
            value=value,
        )
    return exponent


def read_mass(mass: Number) -> Exact:
    """Read a probability: an exact number as it is, anything else by `parse_fraction`."""
    value: Exact = cast("Exact", mass) if isinstance(mass, Real) else parse_fraction(mass)
    if isinstance(value, Fraction) and not 0 <= value <= 1:
        raise DistributionError(
            f"the mass of an event cannot be {show(value)}",
            help="give a probability from 0 to 1",
            value=value,
        )
    return value


def read_steps(steps: object) -> int:
    """Read a number of steps."""
    return whole("a number of steps", steps, 0, error=NumberError)


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


class Notion(ABC):
    """What all notions of privacy share: how they are written, and the check of two neighbors."""

    def parameters(self) -> dict[str, Exponent]:
        """Return the parameters by name.

        Returns
        -------
        dict of str to Fraction or Log

        Examples
        --------
        >>> from rainbowdp.privacy import ApproxDP
        >>> ApproxDP("ln 3", "1/8").parameters()
        {'epsilon': Log(argument=Fraction(3, 1)), 'delta': Fraction(1, 8)}
        """
        return {field.name: getattr(self, field.name) for field in fields(cast("Any", self))}

    def texts(self) -> dict[str, str]:
        """Return the parameters by name as exact text.

        Returns
        -------
        dict of str to str

        Examples
        --------
        >>> from rainbowdp.privacy import ApproxDP
        >>> ApproxDP("ln 2", "1e-6").texts()
        {'epsilon': 'ln(2)', 'delta': '1/1000000'}
        """
        return {name: exponent_text(value) for name, value in self.parameters().items()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.texts().values()))})"

    def __str__(self) -> str:
        return ", ".join(f"{name}={text}" for name, text in self.texts().items())

    @abstractmethod
    def limit_ball(self, mass: Exact) -> flint.arb:
        """Return a ball around the largest probability of an event that has this mass at a neighbor.

        At the precision in force; under pure and approximate privacy it is not cut at 1.
        """

    @abstractmethod
    def _excesses(
        self, ours: Distribution, theirs: Distribution, *, swapped: bool
    ) -> Iterable[Excess | None]:
        """Yield by how much events of one row exceed the limits that the other one sets.

        Only events are needed among which the one of greatest excess is.
        """

    def excess(self, p: Distribution, q: Distribution) -> Excess | None:
        """Return the greatest excess over the constraint, in either direction; None if it holds.

        Parameters
        ----------
        p, q : Distribution
            Two rows over the same colors, which need not sum to 1.

        Returns
        -------
        Excess or None
            Of equal ones that of `p` over `q`.

        Examples
        --------
        >>> from rainbowdp.privacy import GaussianDP, PureDP
        >>> p, q = Distribution({"a": "3/4", "b": "1/4"}), Distribution({"a": "1/4", "b": "3/4"})
        >>> PureDP("ln 2").excess(p, q).violation.excess
        Fraction(1, 4)
        >>> GaussianDP(1).excess(p, q).violation.event, GaussianDP(2).excess(p, q)
        (('a',), None)
        """
        both = (self._excesses(p, q, swapped=False), self._excesses(q, p, swapped=True))
        return greatest_excess(chain.from_iterable(both))

    def admits(self, p: Distribution, q: Distribution) -> Verdict:
        """Decide whether two neighbors may have these distributions.

        Parameters
        ----------
        p, q : Distribution
            Over the same colors.

        Returns
        -------
        Verdict
            True, or the event of greatest excess among both directions. Numbers without a common exact form
            are compared by enclosures; what 4096 bits do not decide counts as a violation.

        Raises
        ------
        ColorError
            If the two have different colors.
        UsageError
            If one is not a `Distribution`.

        References
        ----------
        Zhou et al. 2022, Definition 2; Dong, Roth and Su 2022.

        Examples
        --------
        >>> from rainbowdp.privacy import GaussianDP, PureDP
        >>> p = Distribution({"yes": "3/4", "no": "1/4"})
        >>> q = Distribution({"yes": "1/4", "no": "3/4"})
        >>> bool(PureDP("ln 3").admits(p, q)), bool(GaussianDP(2).admits(p, q))
        (True, True)
        >>> PureDP("ln 2").admits(p, q).violation.event, GaussianDP(1).admits(p, q).violation.event
        (('yes',), ('yes',))
        """
        require(p, "p", Distribution)
        require(q, "q", Distribution)
        if p.colors != q.colors:
            raise ColorError(
                f"two distributions have different colors: {', '.join(p.colors)} and {', '.join(q.colors)}",
                help="give both the same colors, with probability 0 where needed",
            )
        found = self.excess(p, q)
        return Verdict(None if found is None else found.violation)


def worst_event(p: Mapping[str, Exact], q: Mapping[str, Exact], odds: Exact) -> tuple[tuple[str, ...], Exact]:
    """Return the event of the colors with p > odds * q, and by how much its masses exceed that.

    Parameters
    ----------
    p, q : mapping
        Color to a number, which need not sum to 1.
    odds : Exact
        A factor of the same kind of numbers.

    Returns
    -------
    event : tuple of str
        In the order of `p`.
    beyond : Exact
        The sum of p - odds * q over the event: the largest of all events.

    Examples
    --------
    >>> p = {"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 6)}
    >>> q = {"a": Fraction(1, 6), "b": Fraction(1, 3), "c": Fraction(1, 2)}
    >>> worst_event(p, q, Fraction(2))
    (('a',), Fraction(1, 6))
    """
    event: list[str] = []
    beyond: Exact = Fraction(0)
    for color in p:
        over = p[color] - odds * q[color]
        if sign(over) > 0:
            event.append(color)
            beyond = beyond + over
    return tuple(event), beyond


def greatest_excess(found: Iterable[Excess | None]) -> Excess | None:
    """Return the greatest excess, of several equal ones the first; None if there is none."""
    worst: Excess | None = None
    for excess in found:
        if excess is not None and excess.is_above(worst):
            worst = excess
    return worst


def enclosed_excess(
    ours: Distribution, theirs: Distribution, odds: Callable[[], flint.arb], delta: Fraction, *, swapped: bool
) -> Excess | None:
    """Return the greatest excess of an event of one row over odds times the other one plus delta.

    By enclosures, so limit and excess have no exact form; `odds` computes a ball at the precision in force.
    """

    def gap(color: str) -> flint.arb:
        return ball(ours[color]) - odds() * ball(theirs[color])

    def order(color: str) -> int | None:
        return shown_sign(lambda: gap(color)) if sign(ours[color]) else -1

    orders = {color: order(color) for color in ours}
    # An undecided color is far below any excess that is decided, so it only counts where nothing else does.
    candidates = tuple(color for color, found in orders.items() if found not in (-1, 0))

    def excess() -> flint.arb:
        return sum((gap(color) for color in candidates), flint.arb(0)) - ball(delta)

    if not candidates:
        return None
    found = shown_sign(excess)
    if found is None:
        return Excess(
            Violation(candidates, ours.mass(candidates), None, None, swapped, undecided=True), excess
        )
    event = tuple(color for color in candidates if orders[color] is not None)
    return Excess(Violation(event, ours.mass(event), None, None, swapped), excess) if found > 0 else None


def decisive_events(p: Distribution, q: Distribution) -> list[tuple[str, ...]]:
    """Return the corner events of the likelihood ratio test, or all events where their order is undecided."""
    try:
        return list(likelihood_events(p, q))
    except UndecidedError:
        return [event for size in range(1, len(p)) for event in combinations(p.colors, size)]


def likelihood_events(p: Distribution, q: Distribution) -> Iterable[tuple[str, ...]]:
    """Yield the corner events of the likelihood ratio test of p against q, smallest first.

    Parameters
    ----------
    p, q : Distribution
        Over the same colors.

    Yields
    ------
    tuple of str
        Sorted colors: those with ratio p/q above some level. Colors that both give probability 0 are left
        out; the full event is not yielded.

    Raises
    ------
    UndecidedError
        If 4096 bits do not decide the order of two ratios.

    Examples
    --------
    >>> p = Distribution({"a": "1/2", "b": "1/3", "c": "1/6"})
    >>> q = Distribution({"a": "1/6", "b": "1/3", "c": "1/2"})
    >>> list(likelihood_events(p, q))
    [('a',), ('a', 'b')]
    """

    def compared(one: str, other: str) -> int:
        return _ratio_order((p[one], q[one]), (p[other], q[other]))

    key = cmp_to_key(compared)
    possible = [color for color in p if sign(p[color]) or sign(q[color])]
    tied = [tuple(group) for _, group in groupby(sorted(possible, key=key, reverse=True), key)]
    event: tuple[str, ...] = ()
    for group in tied[:-1]:
        event = tuple(sorted((*event, *group)))
        yield event


def _proportional(p1: Exact, p2: Exact, q1: Exact, q2: Exact) -> bool:
    """Tell whether p1 : p2 = q1 : q2, exactly in one field, and by their form for normal numbers."""
    if all(isinstance(value, Fraction | OddsExpression) for value in (p1, p2, q1, q2)):
        exponents = {value.exponent for value in (p1, p2, q1, q2) if isinstance(value, OddsExpression)}
        return len(exponents) <= 1 and sign(p1 * q2 - p2 * q1) == 0
    factors = {_form_ratio(p1, p2), _form_ratio(q1, q2)}
    return len(factors) == 1 and None not in factors


def _form_ratio(a: Exact, b: Exact) -> Fraction | None:
    """Return b/a where both have the same form up to a rational factor."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return b / a if a else None
    if (
        isinstance(a, NormalExpression)
        and isinstance(b, NormalExpression)
        and a.atoms.keys() == b.atoms.keys()
    ):
        if not a.atoms:
            return b.constant / a.constant if a.constant else None
        atom = next(iter(a.atoms))
        factor = b.atoms[atom] / a.atoms[atom]
        return factor if (b - factor * a).is_formally_zero() else None
    return None


def _ratio_order(first: tuple[Exact, Exact], second: tuple[Exact, Exact]) -> int:
    """Return the sign of p1/q1 - p2/q2, by cross products."""
    (p1, q1), (p2, q2) = first, second
    if all(isinstance(value, Fraction) for value in (p1, p2, q1, q2)):
        return sign(p1 * q2 - p2 * q1)
    zero1, zero2 = sign(q1) == 0, sign(q2) == 0
    if zero1 or zero2 or _proportional(p1, p2, q1, q2):
        return int(zero1) - int(zero2)
    return ball_sign(lambda: ball(p1) * ball(q2) - ball(p2) * ball(q1))


def ball_sign(evaluate: Callable[[], flint.arb]) -> int:
    """Return the sign of what `evaluate` encloses; `UndecidedError` where 4096 bits do not show it."""
    found = shown_sign(evaluate)
    if found is None:
        raise undecided()
    return found
