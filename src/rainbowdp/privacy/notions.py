# SPDX-License-Identifier: Apache-2.0
"""The notions of privacy: pure and approximate by the odds E = e^epsilon, and Gaussian by two normal numbers.

Adding c = delta/(E-1) to a mass x and to its complement 1-x turns `ApproxDP` into pure growth and pure decay
by the factor E, which is how the closed forms below are obtained.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, TypeVar, get_args

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import PrivacyParameterError, RainbowError, UndecidedError, UsageError
from rainbowdp.exact import (
    Exact,
    Exponent,
    Log,
    NormalExpression,
    Number,
    OddsExpression,
    are_compatible,
    ball,
    exponent_ball,
    format_fraction,
    normal_cdf,
    normal_quantile,
    parse_fraction,
    refine,
    sign,
    simplest,
)
from rainbowdp.exact.arguments import require
from rainbowdp.privacy.verdict import (
    Excess,
    Notion,
    Violation,
    ball_sign,
    decisive_events,
    enclosed_excess,
    parse_nonnegative,
    read_mass,
    read_steps,
    worst_event,
)

Odds = Fraction | OddsExpression

_KEPT_THRESHOLDS = 1024


class _OddsNotion(Notion):
    """What `PureDP` and `ApproxDP` share: growth and decay by the odds E = e^epsilon."""

    epsilon: Exponent
    delta: Fraction

    @cached_property
    def symbolic_odds(self) -> Odds:
        """The odds as a formal power base t, even where they are rational; 1 for epsilon 0."""
        return Fraction(1) if self.epsilon == 0 else OddsExpression.odds(self.epsilon)

    @cached_property
    def odds(self) -> Odds:
        """The odds e^epsilon: a fraction where rational, else an exact expression."""
        if isinstance(self.epsilon, Log):
            return self.epsilon.argument
        return self.symbolic_odds

    @property
    def is_rational(self) -> bool:
        """Whether the odds are rational, so that everything about this notion is."""
        return isinstance(self.odds, Fraction)

    @cached_property
    def turning_mass(self) -> Odds:
        """The mass (1 - delta)/(1 + E) up to which the growth bound is the smaller one."""
        return (1 - self.delta) / (1 + self.odds)

    def threshold(self, mass: Number) -> int | None:
        """Return the largest index that is still in the growth regime.

        Parameters
        ----------
        mass : Exact or number
            The prefix mass at distance 0.

        Returns
        -------
        int or None
            0 if growth never starts, None if it never ends.

        Raises
        ------
        NumberError, DistributionError
            If the mass is not a number from 0 to 1.

        References
        ----------
        Zhou et al. 2022, the definitions of tau_B and tau_R before Theorem 4.

        Examples
        --------
        >>> PureDP("ln(6/5)").threshold(Fraction(3, 55))
        12
        """
        mass = read_mass(mass)
        # A line asks for the same few masses at every distance.
        form = mass if isinstance(mass, Fraction) else repr(mass)
        if form in self._thresholds:
            return self._thresholds[form]
        found = self._threshold(mass)
        if len(self._thresholds) < _KEPT_THRESHOLDS:
            self._thresholds[form] = found
        return found

    @cached_property
    def _thresholds(self) -> dict[Fraction | str, int | None]:
        return {}

    def _threshold(self, mass: Exact) -> int | None:
        if sign(self.turning_mass - mass) < 0:
            return 0
        if self.epsilon == 0:
            return None if self.delta == 0 else 1 + int((self.turning_mass - mass) // self.delta)  # type: ignore[operator]  # both are fractions for epsilon 0
        if self.delta == 0 and sign(mass) == 0:
            return None
        return 1 + self._growth_floor(mass)

    def _growth_floor(self, mass: Exact) -> int:
        """Return the largest n >= 0 with E^n (mass + c) <= turning_mass + c."""

        def attempt(bits: int) -> int | None:
            epsilon = exponent_ball(self.epsilon)
            shift = ball(self.delta) / epsilon.expm1()
            ratio = (ball(self.turning_mass) + shift) / (ball(mass) + shift)
            steps = ratio.log() / epsilon
            floor = steps.floor().unique_fmpz()
            if floor is not None:
                return max(int(floor), 0)
            nearest = (steps + flint.arb(0.5)).floor().unique_fmpz()
            if nearest is None or bits < 512:
                return None
            # An integer that the enclosure cannot leave is met exactly, or missed by less than 2^-500.
            n = int(nearest)
            grown = self._grown(mass, n, self.symbolic_odds)
            return n if sign(self.turning_mass - grown) >= 0 else n - 1

        return refine(attempt, 128, None)

    def _grown(self, mass: Exact, steps: int, base: Odds) -> Exact:
        """Return a mass after steps of growth; of decay, and not cut at 0, where their number is negative."""
        if self.epsilon == 0:
            return mass + steps * self.delta
        power = base**steps
        grown = power * mass
        return grown if self.delta == 0 else grown + self.delta * (power - 1) / (base - 1)

    def propagate(self, mass: Number, steps: int = 1, *, symbolic: bool = False) -> Exact:
        """Return the largest mass that an event of this mass can have some steps away.

        Parameters
        ----------
        mass : Exact or number
            A probability; what is not exact yet is read by `rainbowdp.exact.parse_fraction`.
        steps : int
            Number of steps, at least 0.
        symbolic : bool
            Keep rational odds as a formal power base, which stays small for very many steps.

        Returns
        -------
        Exact
            A fraction if the odds and the mass are rational (and not ``symbolic``), else an exact expression.

        Raises
        ------
        NumberError
            If the mass or the number of steps cannot be read.
        DistributionError
            If the mass is outside [0, 1].

        References
        ----------
        Zhou et al. 2022, Theorem 4; Gu et al. 2024 for delta > 0.

        Examples
        --------
        >>> PureDP("ln 2").propagate(Fraction(1, 4), 2)
        Fraction(3, 4)
        """
        mass, steps = read_mass(mass), read_steps(steps)
        odds = self.symbolic_odds if symbolic else self.odds
        threshold = self.threshold(mass)
        growing = steps if threshold is None else min(steps, threshold)
        grown = self._grown(mass, growing, odds)
        if growing == steps:
            return grown
        rest = self._grown(1 - grown, growing - steps, odds)
        if self.delta > 0 and sign(rest) <= 0:
            return Fraction(1)
        return 1 - rest

    def limit_ball(self, mass: Exact) -> flint.arb:
        """Return a ball around the largest probability of an event that has this mass at a neighbor.

        Parameters
        ----------
        mass : Exact
            A probability.

        Returns
        -------
        flint.arb
            E times the mass plus delta at the precision in force, not cut at 1.

        Examples
        --------
        >>> PureDP("ln 2").limit_ball(Fraction(1, 4)) == flint.arb(0.5)
        True
        """
        return ball(self.odds) * ball(mass) + ball(self.delta)

    def odds_for(self, p: Distribution, q: Distribution) -> Odds:
        """Return the odds, rational ones as a formal power base where rows are written in powers of it.

        Parameters
        ----------
        p, q : Distribution
            Two rows.

        Returns
        -------
        Fraction or OddsExpression

        Examples
        --------
        >>> half = Distribution({"a": "1/2", "b": "1/2"})
        >>> PureDP("ln 2").odds_for(half, half)
        Fraction(2, 1)
        """
        if not isinstance(self.epsilon, Log):
            return self.odds
        bases = {value.exponent for value in (*p.values(), *q.values()) if isinstance(value, OddsExpression)}
        return self.symbolic_odds if bases == {self.epsilon} else self.odds

    def _excesses(
        self, ours: Distribution, theirs: Distribution, *, swapped: bool
    ) -> Iterator[Excess | None]:
        """Yield the greatest excess of one row over the limits that the other one sets."""
        odds = self.odds_for(ours, theirs)
        if not are_compatible([*ours.values(), *theirs.values(), odds]):
            yield enclosed_excess(
                ours, theirs, lambda: exponent_ball(self.epsilon).exp(), self.delta, swapped=swapped
            )
            return
        event, beyond = worst_event(ours, theirs, odds)
        excess = beyond - self.delta
        if sign(excess) > 0:
            mass, other = ours.mass(event), theirs.mass(event)
            limit = odds * other + self.delta
            found = Violation(event, simplest(mass), simplest(limit), simplest(excess), swapped)
            yield Excess(found, lambda: ball(mass) - self.limit_ball(other), excess)


@dataclass(frozen=True, repr=False)
class PureDP(_OddsNotion):
    """Pure differential privacy: no event becomes more than e^epsilon times as likely at a neighbor.

    Parameters
    ----------
    epsilon : number or text
        At least 0: a decimal, a fraction, or ``ln(6/5)``.

    Raises
    ------
    PrivacyParameterError
        If epsilon is negative.
    NumberError
        If epsilon is not an exact finite number.

    References
    ----------
    Zhou et al. 2022, Definition 2.

    Examples
    --------
    >>> PureDP("ln(6/5)").odds
    Fraction(6, 5)
    >>> print(PureDP(0.5))
    epsilon=1/2
    """

    epsilon: Exponent

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", parse_nonnegative(epsilon, "epsilon"))

    @property
    def delta(self) -> Fraction:  # type: ignore[override]  # a constant of this notion, not a parameter
        """Always 0."""
        return Fraction(0)


@dataclass(frozen=True, repr=False)
class ApproxDP(_OddsNotion):
    """Approximate differential privacy: as `PureDP`, up to an additive delta.

    Parameters
    ----------
    epsilon : number or text
        At least 0: a decimal, a fraction, or ``ln(6/5)``.
    delta : number or text
        From 0 to 1.

    Raises
    ------
    PrivacyParameterError
        If epsilon is negative or delta is outside [0, 1].
    NumberError
        If a parameter is not an exact finite number.

    References
    ----------
    Gu et al. 2024, Generalized Rainbow Differential Privacy.

    Examples
    --------
    >>> ApproxDP("ln 2", "1/10").propagate(Fraction(0), 3)
    Fraction(7, 10)
    """

    epsilon: Exponent
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", parse_nonnegative(epsilon, "epsilon"))
        parsed = parse_fraction(delta)
        if not 0 <= parsed <= 1:
            raise PrivacyParameterError(
                f"delta is {format_fraction(parsed)}, outside [0, 1]",
                help="give a delta from 0 to 1, usually far below 1 over the number of people",
                value=delta,
            )
        object.__setattr__(self, "delta", parsed)


@dataclass(frozen=True, repr=False)
class GaussianDP(Notion):
    """Gaussian differential privacy: neighbors are as hard to tell apart as N(0,1) from N(mu,1).

    Parameters
    ----------
    mu : number or text
        At least 0: a decimal, a fraction, or ``ln 3``.

    Raises
    ------
    PrivacyParameterError
        If mu is negative.
    NumberError
        If mu is not an exact finite number.

    References
    ----------
    Dong, Roth and Su, Gaussian Differential Privacy, J. Royal Statistical Society B 84(1), 2022.

    Examples
    --------
    >>> mass = GaussianDP(1).propagate(Fraction(1, 2), 2)
    >>> Fraction(977, 1000) < mass < Fraction(978, 1000)
    True
    """

    mu: Exponent

    def __init__(self, mu: Number) -> None:
        object.__setattr__(self, "mu", parse_nonnegative(mu, "mu"))

    @property
    def is_rational(self) -> bool:
        """Whether all probabilities stay rational: only for mu = 0."""
        return self.mu == 0

    def propagate(
        self,
        mass: Number,
        steps: int = 1,
        *,
        symbolic: bool = False,  # noqa: ARG002 - one signature for all notions
    ) -> Exact:
        """Return the largest mass that an event of this mass can have some steps away.

        Parameters
        ----------
        mass : Exact or number
            A rational probability, or one that this method made.
        steps : int
            Number of steps, at least 0.
        symbolic : bool
            Accepted for the sake of one signature; these numbers are always symbolic.

        Returns
        -------
        Exact
            Phi(Phi^-1(mass) + steps mu).

        Raises
        ------
        UndecidedError
            If the mass is a sum of several normal terms, which has no closed form.
        NumberError, DistributionError
            If the mass is not a number from 0 to 1, or the steps are not a whole number.

        Examples
        --------
        >>> GaussianDP(0).propagate("1/4", 3)
        Fraction(1, 4)
        """
        moved = self._moved(read_mass(mass), read_steps(steps))
        if moved is None:
            raise UndecidedError(
                "a sum of normal terms, or a number of another kind or another mu, has no closed form here",
                help="start from a rational boundary distribution",
            )
        return moved

    def _moved(self, mass: Exact, steps: int) -> Exact | None:
        """Return Phi(Phi^-1(mass) + steps mu) where it has an exact form."""
        if self.mu == 0:
            return mass
        if isinstance(mass, Fraction):
            return simplest(NormalExpression.shifted(mass, Fraction(steps), self.mu))
        if not isinstance(mass, NormalExpression) or mass.mu != self.mu:
            return None
        moved = mass.moved(Fraction(steps))
        return None if moved is None else simplest(moved)

    def limit_ball(self, mass: Exact) -> flint.arb:
        """Return a ball around the largest probability of an event that has this mass at a neighbor.

        Parameters
        ----------
        mass : Exact
            A probability.

        Returns
        -------
        flint.arb
            Phi(Phi^-1(mass) + mu) at the precision in force.

        Examples
        --------
        >>> 0.977 < GaussianDP(2).limit_ball(Fraction(1, 2)) < 0.978
        True
        """
        if sign(mass) == 0 or sign(mass - 1) == 0:
            return ball(mass)
        return normal_cdf(normal_quantile(ball(mass)) + exponent_ball(self.mu))

    def _excesses(
        self, ours: Distribution, theirs: Distribution, *, swapped: bool
    ) -> Iterator[Excess | None]:
        """Yield the excess of each event that the likelihood ratio test (Neyman and Pearson) names.

        Because the Gaussian limit is concave, it is enough to check the corners of the test's curve.
        """
        for event in decisive_events(ours, theirs):
            yield self._event_excess(event, ours, theirs, swapped=swapped)

    def _event_excess(
        self, event: tuple[str, ...], ours: Distribution, theirs: Distribution, *, swapped: bool
    ) -> Excess | None:
        mass, other = ours.mass(event), theirs.mass(event)
        limit = self._moved(other, 1)
        if limit is not None and not are_compatible([mass, limit]):
            limit = None
        excess, undecided = None if limit is None else mass - limit, False
        try:
            exceeds = self._exceeds(mass, other) if excess is None else sign(excess) > 0
        except UndecidedError:
            exceeds, excess, undecided = True, None, True
        if not exceeds:
            return None
        violation = Violation(event, mass, limit, excess, swapped, undecided)
        return Excess(violation, lambda: ball(mass) - self.limit_ball(other))

    def _exceeds(self, probability: Exact, other: Exact) -> bool:
        def gap() -> flint.arb:
            # Phi^-1(probability) - Phi^-1(other) - mu, above 0 exactly where the limit is exceeded.
            return normal_quantile(ball(probability)) - normal_quantile(ball(other)) - exponent_ball(self.mu)

        if sign(probability) == 0 or sign(other - 1) == 0:
            return False
        if sign(other) == 0 or sign(probability - 1) == 0:
            return True
        return ball_sign(gap) > 0


Privacy = PureDP | ApproxDP | GaussianDP
"""Any notion of privacy."""


Parsed = TypeVar("Parsed", PureDP, ApproxDP, GaussianDP)


def require_privacy(value: object) -> None:
    """Refuse an argument `privacy` that is not a notion of privacy.

    Parameters
    ----------
    value : object
        The argument.

    Raises
    ------
    UsageError
        If it is not; a bare number does not say which notion is meant.

    Examples
    --------
    >>> require_privacy(PureDP(1))
    """
    require(value, "privacy", *get_args(Privacy))


def privacy_of(
    epsilon: Number | None = None, delta: Number | None = None, mu: Number | None = None
) -> Privacy:
    """Return the notion of privacy that its parameters name.

    Parameters
    ----------
    epsilon, delta : number or text, optional
        Pure privacy, or approximate privacy with both.
    mu : number or text, optional
        Gaussian privacy.

    Returns
    -------
    PureDP, ApproxDP or GaussianDP

    Raises
    ------
    UsageError
        If none is given, or some that do not belong together.
    NumberError, PrivacyParameterError
        If one is not a number, or out of range; the message names it.

    Examples
    --------
    >>> privacy_of(epsilon=1), privacy_of("ln 2", "1e-6"), privacy_of(mu="0.5")
    (PureDP('1'), ApproxDP('ln(2)', '1/1000000'), GaussianDP('1/2'))
    """
    way_on = "`epsilon` such as 1 or 'ln 2', perhaps with a `delta` such as 1e-6, or `mu` such as 1"
    if mu is not None:
        if epsilon is not None or delta is not None:
            other = "delta" if epsilon is None else "epsilon"
            raise UsageError(f"`mu` and `{other}` do not belong together", help=f"give {way_on}")
        return _named("mu", GaussianDP, mu)
    if epsilon is None:
        what = "`delta` is given without `epsilon`" if delta is not None else "no privacy is given"
        raise UsageError(what, help=f"give {way_on}")
    pure = _named("epsilon", PureDP, epsilon)
    return pure if delta is None else _named("delta", partial(ApproxDP, epsilon), delta)


def _named(name: str, notion: Callable[[Any], Parsed], value: object) -> Parsed:
    try:
        return notion(value)
    except RainbowError as error:
        raise error.at(f"`{name}`") from None
