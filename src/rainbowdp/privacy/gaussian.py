# SPDX-License-Identifier: Apache-2.0
"""Gaussian differential privacy, by the trade-off curve of two normal distributions."""

from dataclasses import dataclass
from fractions import Fraction

import flint

from rainbowdp.distribution import Distribution
from rainbowdp.errors import UndecidedError
from rainbowdp.exact import (
    Exact,
    Exponent,
    Log,
    NormalExpression,
    NumberLike,
    are_compatible,
    ball,
    exponent_ball,
    normal_cdf,
    normal_quantile,
    sign,
    simplest,
)
from rainbowdp.privacy.verdict import (
    Excess,
    Notion,
    Violation,
    ball_sign,
    decisive_events,
    exponent_text,
    greatest_excess,
    parse_nonnegative,
    read_mass,
    read_steps,
)


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

    def __init__(self, mu: NumberLike | Log) -> None:
        object.__setattr__(self, "mu", parse_nonnegative(mu, "mu"))

    def __repr__(self) -> str:
        return f"GaussianDP({exponent_text(self.mu)!r})"

    def __str__(self) -> str:
        return f"mu={exponent_text(self.mu)}"

    @property
    def is_rational(self) -> bool:
        """Whether all probabilities stay rational: only for mu = 0."""
        return self.mu == 0

    def propagate(
        self,
        mass: Exact | NumberLike,
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
        mass, steps = read_mass(mass), read_steps(steps)
        if self.mu == 0:
            return mass
        if isinstance(mass, NormalExpression):
            moved = mass.moved(Fraction(steps)) if mass.mu == self.mu else None
            if moved is None:
                raise UndecidedError(
                    "a sum of several normal terms, or one of another mu, has no closed form under propagate",
                    help="start from a rational boundary distribution",
                )
        elif isinstance(mass, Fraction):
            moved = NormalExpression.shifted(mass, Fraction(steps), self.mu)
        else:
            raise UndecidedError(
                "a boundary in powers of e^epsilon cannot be carried on under Gaussian privacy",
                help="give a rational boundary distribution",
            )
        fraction = moved.as_fraction()
        return moved if fraction is None else fraction

    def limit_ball(self, mass: Exact) -> flint.arb:
        """Return a ball around the largest probability of an event that has this mass at a neighbor.

        Examples
        --------
        >>> 0.977 < GaussianDP(2).limit_ball(Fraction(1, 2)) < 0.978
        True
        """
        if sign(mass) == 0 or sign(mass - 1) == 0:
            return ball(mass)
        return normal_cdf(normal_quantile(ball(mass)) + exponent_ball(self.mu))

    def excess(self, p: Distribution, q: Distribution) -> Excess | None:
        """Return the greatest excess of two rows over the constraint, in either direction; None if it holds.

        The worst events are those of the likelihood ratio test (Neyman and Pearson), and because the Gaussian
        limit is concave it is enough to check the corners of the test's curve.
        """
        return greatest_excess(
            self._event_excess(event, ours, theirs, swapped=swapped)
            for swapped, ours, theirs in ((False, p, q), (True, q, p))
            for event in decisive_events(ours, theirs)
        )

    def _event_excess(
        self, event: tuple[str, ...], ours: Distribution, theirs: Distribution, *, swapped: bool
    ) -> Excess | None:
        violation = self._event_violation(event, ours, theirs, swapped=swapped)
        if violation is None:
            return None
        mass, other = ours.mass(event), theirs.mass(event)
        return Excess(violation, lambda: ball(mass) - self.limit_ball(other))

    def _event_violation(
        self, event: tuple[str, ...], ours: Distribution, theirs: Distribution, *, swapped: bool
    ) -> Violation | None:
        probability, other = ours.mass(event), theirs.mass(event)
        limit = self._exact_limit(other)
        if limit is not None and not are_compatible([probability, limit]):
            limit = None
        try:
            if limit is not None:
                excess = probability - limit
                return Violation(event, probability, limit, excess, swapped) if sign(excess) > 0 else None
            if self._exceeds(probability, other):
                return Violation(event, probability, None, None, swapped)
        except UndecidedError:
            return Violation(event, probability, limit, None, swapped, undecided=True)
        return None

    def _exact_limit(self, other: Exact) -> Exact | None:
        """Return the limit where it has a form; not by `propagate`, which makes what is judged here."""
        if self.mu == 0:
            return other
        if isinstance(other, NormalExpression):
            shifted = other.moved(Fraction(1)) if other.mu == self.mu else None
            return None if shifted is None else simplest(shifted)
        if isinstance(other, Fraction):
            return simplest(NormalExpression.shifted(other, Fraction(1), self.mu))
        return None

    def _exceeds(self, probability: Exact, other: Exact) -> bool:
        def gap() -> flint.arb:
            # Phi^-1(probability) - Phi^-1(other) - mu, above 0 exactly where the limit is exceeded.
            return normal_quantile(ball(probability)) - normal_quantile(ball(other)) - exponent_ball(self.mu)

        if sign(probability) == 0 or sign(other - 1) == 0:
            return False
        if sign(other) == 0 or sign(probability - 1) == 0:
            return True
        return ball_sign(gap) > 0
