# SPDX-License-Identifier: Apache-2.0
"""What one answer costs in privacy, in figures that are rounded up, and in words."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from math import inf

import flint

from rainbowdp.exact import ball, exponent_ball, normal_cdf, round_ball, to_float
from rainbowdp.goals.concentrated import Rho
from rainbowdp.planning.words import guessed_of_100, sentence
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import Neighbors


@dataclass(frozen=True)
class PrivacyCost:
    """The cost of one answer.

    Attributes
    ----------
    odds_factor : float or None
        e^epsilon, rounded up, infinite beyond 10^308 and ``"inf"`` in JSON; None under Gaussian privacy.
    delta : str or None
        The probability with which the odds factor may be exceeded, where there is one.
    rho : float or None
        The zero-concentrated cost, rounded up; None with delta above 0, which no rho bounds.
    rho_is_bound : bool
        Whether the least rho may be smaller than that.
    guess : float
        How often a person who knows all other people guesses right which of two neighboring tables it was, at
        most, if both were equally likely before.
    words : tuple of str
        The same in sentences.
    """

    odds_factor: float | None
    delta: str | None
    rho: float | None
    rho_is_bound: bool
    guess: float
    words: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the cost for JSON."""
        return {
            # JSON has no infinity.
            "odds_factor": "inf" if self.odds_factor == inf else self.odds_factor,
            "delta": self.delta,
            "rho": self.rho,
            "rho_is_bound": self.rho_is_bound,
            "guess": self.guess,
            "words": list(self.words),
        }


def privacy_cost(
    privacy: Privacy, neighbors: Neighbors, rho: Rho | None, *, in_group: bool = False
) -> PrivacyCost:
    """Return what one answer costs.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        What is charged.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are, for the words.
    rho : Rho or None
        The cost under zero-concentrated privacy, where there is one.
    in_group : bool
        Whether the neighbors are those inside one of several groups, and others are protected.

    Returns
    -------
    PrivacyCost

    References
    ----------
    Kairouz, Oh and Viswanath 2017 (the guess); Dong, Roth and Su 2022, section 2 (under mu).

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> cost = privacy_cost(PureDP("ln 3"), "add-remove", None)
    >>> cost.words[0]
    'When one person joins or leaves, no answer becomes more than 3 times as likely.'
    >>> cost.words[1].partition("guesses")[2]
    ' right in at most about 75 of 100 cases, instead of 50 of 100.'
    """
    moves = "one person joins or leaves" if neighbors == "add-remove" else "one person's data are replaced"
    moves = f"{moves} in one group" if in_group else moves
    concentrated = _rho_words(rho)
    known = (None, False) if rho is None else (rho.value, rho.is_bound)
    if isinstance(privacy, GaussianDP):
        guess = min(1.0, _up(lambda: normal_cdf(exponent_ball(privacy.mu) / 2)))
        measured = (
            f"when {moves}, the answer tells no more than one measurement of that with a normal error of "
            "deviation 1/mu"
        )
        return PrivacyCost(None, None, known[0], known[1], guess, _sentences(measured, guess, concentrated))
    epsilon, delta = privacy.epsilon, privacy.delta
    odds = to_float(privacy.odds, "up")
    guess = min(1.0, _up(lambda: 1 - (1 - ball(delta)) / (1 + exponent_ball(epsilon).exp())))
    times = "e^epsilon (above 10^308)" if odds == inf else short(odds)
    factor = f"when {moves}, no answer becomes more than {times} times as likely"
    text = f"{float(delta):.4g}" if delta else None
    if text is not None:
        factor += f", up to an additional probability of {text}"
    return PrivacyCost(odds, text, known[0], known[1], guess, _sentences(factor, guess, concentrated))


def _sentences(measured: str, guess: float, concentrated: str) -> tuple[str, ...]:
    return sentence(measured), sentence(_guessing(guess)), sentence(concentrated)


def _rho_words(rho: Rho | None) -> str:
    if rho is None:
        return "no rho of zero-concentrated privacy (zCDP) covers this"
    return f"rho of zero-concentrated privacy (zCDP): {short(rho.value)}{', a bound' if rho.is_bound else ''}"


def _guessing(guess: float) -> str:
    return (
        "a person who knows the data of all others, and took both for equally likely before, guesses right "
        f"in {guessed_of_100(guess)} cases, instead of 50 of 100"
    )


def short(value: float) -> str:
    """Return a figure with four digits, rounded up; just above 1, with two digits of what it is above 1.

    Examples
    --------
    >>> short(1.64872127), short(3.0000000000000004), short(0.25), short(1.000100005)
    ('1.649', '3', '0.25', '1.00011')
    """
    # What a float is above a short decimal by less than 10^-12 of it came from rounding a figure up.
    near = Context(prec=13).create_decimal(Decimal(value))
    digits = 2 - (near - 1).adjusted() if 1 < near < Decimal("1.01") else 4
    return f"{Context(prec=digits, rounding=ROUND_CEILING).plus(near).normalize():f}"


def _up(evaluate: Callable[[], flint.arb]) -> float:
    return round_ball(evaluate, "up")
