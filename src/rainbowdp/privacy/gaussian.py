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
    ball,
    exponent_ball,
    normal_quantile,
    sign,
)
from rainbowdp.privacy.enclosed import are_compatible
from rainbowdp.privacy.likelihood import ball_sign, likelihood_events
from rainbowdp.privacy.verdict import (
    Verdict,
    Violation,
    exponent_text,
    parse_nonnegative,
    require_same_colors,
)


@dataclass(frozen=True)
class GaussianDP:
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

    def __str__(self) -> str:
        return f"mu={exponent_text(self.mu)}"

    @property
    def is_rational(self) -> bool:
        """Whether all probabilities stay rational: only for mu = 0."""
        return self.mu == 0

    def propagate(
        self,
        mass: Exact,
        steps: int = 1,
        *,
        symbolic: bool = False,  # noqa: ARG002 - one signature for all notions
    ) -> Exact:
        """Return the largest mass that an event of this mass can have some steps away.

        Parameters
        ----------
        mass : Exact
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
        """
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

    def admits(self, p: Distribution, q: Distribution) -> Verdict:
        """Decide whether two neighbors may have these distributions.

        The worst events are those of the likelihood ratio test (Neyman and Pearson), and because the Gaussian
        limit is concave it is enough to check the corners of the test's curve.

        Parameters
        ----------
        p, q : Distribution
            Over the same colors.

        Returns
        -------
        Verdict
            True, or the event of greatest excess among both directions. What 4096 bits do not decide counts
            as a violation and says so.
        """
        require_same_colors(p, q)
        worst: Violation | None = None
        for swapped, (ours, theirs) in enumerate([(p, q), (q, p)]):
            try:
                events = tuple(likelihood_events(ours, theirs))
            except UndecidedError:
                worst = worst or Violation((), Fraction(0), None, None, bool(swapped), undecided=True)
                continue
            for event in events:
                found = self._event_violation(event, ours, theirs, swapped=bool(swapped))
                if found is not None and (worst is None or _less_excess(worst, found)):
                    worst = found
        return Verdict(worst)

    def _event_violation(
        self, event: tuple[str, ...], ours: Distribution, theirs: Distribution, *, swapped: bool
    ) -> Violation | None:
        probability, other = ours.mass(event), theirs.mass(event)
        limit: Exact | None = None
        if self._is_movable(other):
            moved = self.propagate(other)
            limit = moved if are_compatible([probability, moved]) else None
        try:
            if limit is not None:
                excess = probability - limit
                return Violation(event, probability, limit, excess, swapped) if sign(excess) > 0 else None
            if self._exceeds(probability, other):
                return Violation(event, probability, None, None, swapped)
        except UndecidedError:
            return Violation(event, probability, limit, None, swapped, undecided=True)
        return None

    def _is_movable(self, value: Exact) -> bool:
        if self.mu == 0:
            return True
        if isinstance(value, NormalExpression):
            return value.mu == self.mu and value.moved(Fraction(1)) is not None
        return isinstance(value, Fraction)

    def _exceeds(self, probability: Exact, other: Exact) -> bool:
        def gap() -> flint.arb:
            # Phi^-1(probability) - Phi^-1(other) - mu, above 0 exactly where the limit is exceeded.
            return normal_quantile(ball(probability)) - normal_quantile(ball(other)) - exponent_ball(self.mu)

        if sign(probability) == 0 or sign(other - 1) == 0:
            return False
        if sign(other) == 0 or sign(probability - 1) == 0:
            return True
        return ball_sign(gap) > 0


def _less_excess(worst: Violation, found: Violation) -> bool:
    if worst.undecided or worst.excess is None:
        return not found.undecided and found.excess is not None
    return found.excess is not None and sign(found.excess - worst.excess) > 0
