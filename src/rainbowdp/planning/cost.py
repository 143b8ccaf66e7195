# SPDX-License-Identifier: Apache-2.0
"""What one answer costs in privacy, in figures that are rounded up, and in words."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from math import inf

import flint

from rainbowdp.exact import ball, exponent_ball, normal_cdf, round_ball, to_float
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import Neighbors

_SHOWN = Context(prec=4, rounding=ROUND_CEILING)


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
        The zero-concentrated cost, rounded up: epsilon tanh(epsilon/2) for pure privacy and mu^2/2 for
        Gaussian privacy; None with delta above 0, which no rho bounds.
    guess : float
        How often somebody at most guesses right which of two neighboring tables it was, with even odds
        before.
    words : tuple of str
        The same in sentences.
    """

    odds_factor: float | None
    delta: str | None
    rho: float | None
    guess: float
    words: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the cost for JSON."""
        return {
            # JSON has no infinity.
            "odds_factor": "inf" if self.odds_factor == inf else self.odds_factor,
            "delta": self.delta,
            "rho": self.rho,
            "guess": self.guess,
            "words": list(self.words),
        }


def privacy_cost(privacy: Privacy, neighbors: Neighbors) -> PrivacyCost:
    """Return what one answer costs.

    Parameters
    ----------
    privacy : PureDP, ApproxDP or GaussianDP
        The notion of privacy.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables are, for the words.

    Returns
    -------
    PrivacyCost

    References
    ----------
    rho = epsilon tanh(epsilon/2): the loss of a pure mechanism is largest for randomized response, whose
    Renyi divergence of order 1 this is; see Bun and Steinke, Concentrated Differential Privacy, TCC 2016,
    Proposition 3.3 (epsilon^2/2), which it improves. rho = mu^2/2: Bun and Steinke 2016, Proposition 1.6.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> cost = privacy_cost(PureDP("ln 3"), "add-remove")
    >>> cost.words[0]
    'no answer becomes more than 3 times as likely when one person joins or leaves'
    >>> cost.words[2]
    'zCDP: rho = epsilon tanh(epsilon/2) = 0.5494 (rounded up)'
    """
    moves = "one person joins or leaves" if neighbors == "add-remove" else "one person's data are replaced"
    if isinstance(privacy, GaussianDP):
        return _gaussian(privacy, moves)
    epsilon, delta = privacy.epsilon, privacy.delta
    odds = to_float(privacy.odds, "up")
    guess = min(1.0, _up(lambda: 1 - (1 - ball(delta)) / (1 + exponent_ball(epsilon).exp())))
    rho = _up(lambda: exponent_ball(epsilon) * (exponent_ball(epsilon) / 2).tanh())
    times = "e^epsilon (above 10^308)" if odds == inf else short(odds)
    factor = f"no answer becomes more than {times} times as likely when {moves}"
    if delta:
        text = f"{float(delta):.4g}"
        words = (
            f"{factor}, up to an additional probability of {text}",
            _guessing(guess),
            "zCDP: no rho bounds this, because delta is above 0",
        )
        return PrivacyCost(odds, text, None, guess, words)
    figure = f"zCDP: rho = epsilon tanh(epsilon/2) = {short(rho)} (rounded up)"
    return PrivacyCost(odds, None, rho, guess, (factor, _guessing(guess), figure))


def _gaussian(privacy: GaussianDP, moves: str) -> PrivacyCost:
    mu = privacy.mu
    guess = min(1.0, _up(lambda: normal_cdf(exponent_ball(mu) / 2)))
    rho = _up(lambda: exponent_ball(mu) ** 2 / 2)
    measured = (
        f"when {moves}, the answer tells as little as one measurement with a normal error whose standard "
        "deviation is 1/mu times the difference"
    )
    figure = f"zCDP: rho = mu^2/2 = {short(rho)} (rounded up); no factor bounds the odds of every answer"
    words = (measured, _guessing(guess), figure)
    return PrivacyCost(None, None, rho, guess, words)


def _guessing(guess: float) -> str:
    return (
        "somebody who knows all other people and was undecided about that one then guesses right at most "
        f"{short(100 * guess)} % of the time"
    )


def short(value: float) -> str:
    """Return a figure with four digits, rounded up.

    Examples
    --------
    >>> short(1.64872127), short(3.0000000000000004), short(0.25)
    ('1.649', '3', '0.25')
    """
    # What a float is above a short decimal by less than 10^-12 of it came from rounding a figure up.
    near = Context(prec=13).create_decimal(Decimal(value))
    return f"{_SHOWN.plus(near).normalize():f}"


def _up(evaluate: Callable[[], flint.arb]) -> float:
    return round_ball(evaluate, "up")
