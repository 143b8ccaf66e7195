# SPDX-License-Identifier: Apache-2.0
"""What an answer, or the answers for several groups, cost one person, in figures and in sentences."""

from decimal import ROUND_CEILING, Context, Decimal
from math import inf

from rainbowdp.exact import ball, exponent_ball, normal_cdf, round_ball, to_float
from rainbowdp.goals import QuestionMechanism
from rainbowdp.goals.concentrated import Rho
from rainbowdp.ledger import Cost
from rainbowdp.ledger.cost import root_text
from rainbowdp.planning.values import PrivacyCost
from rainbowdp.planning.words import guessed_of_100, sentence
from rainbowdp.privacy import GaussianDP, Privacy
from rainbowdp.questions import Neighbors


def privacy_cost(
    mechanism: QuestionMechanism, neighbors: Neighbors, rho: Rho | None, groups: int = 1
) -> PrivacyCost:
    """Return what the answers for all groups cost together; there is one group if rows are not divided.

    Parameters
    ----------
    mechanism : QuestionMechanism
        What answers for each group.
    neighbors : {"add-remove", "change-one"}
        What neighboring tables of all groups are.
    rho : Rho or None
        The cost of one answer under zero-concentrated privacy, where there is one.
    groups : int
        How many answers there are.

    Returns
    -------
    PrivacyCost

    References
    ----------
    Kairouz, Oh and Viswanath 2017 (the guess); Dong, Roth and Su 2022, section 2 (under mu).

    Examples
    --------
    >>> from rainbowdp.goals import Asked, mechanism_of
    >>> from rainbowdp.privacy import PureDP
    >>> from rainbowdp.questions import winner
    >>> way = mechanism_of(Asked(winner("party", ["red", "blue"]), PureDP("ln 3"), max_rows=2))
    >>> for groups in (1, 3):
    ...     privacy_cost(way, "add-remove", None, groups).words[1].partition("guesses")[2]
    ' right in at most about 75 of 100 cases, instead of 50 of 100.'
    ' right in at most about 90 of 100 cases, instead of 50 of 100.'
    """
    if groups > 1:
        return _cost_of_all(mechanism.cost(groups, neighbors), neighbors, rho, groups)
    return answer_cost(mechanism.charged, neighbors, rho)


def answer_cost(privacy: Privacy, neighbors: Neighbors, rho: Rho | None) -> PrivacyCost:
    """Return what one answer costs; see `privacy_cost`."""
    odds, delta = None, None
    if not isinstance(privacy, GaussianDP):
        odds, delta = to_float(privacy.odds, "up"), f"{float(privacy.delta):.4g}" if privacy.delta else None
    guess = best_guess(privacy)
    words = (_measured(privacy, _moves(neighbors)), _guessing(guess, _WHO), _rho_words(rho))
    return _told(odds, delta, rho, guess, words)


def _cost_of_all(cost: Cost, neighbors: Neighbors, rho: Rho | None, groups: int) -> PrivacyCost:
    """Return what so many answers cost together."""
    guess, answers, moves = guess_after(cost), f"the {groups} answers together", _moves(neighbors)
    odds = delta = None
    if cost.mu_squared is None:
        odds = min(inf, round_ball(lambda: cost.epsilon.ball().exp(), "up"))
        delta = f"{float(cost.delta):.4g}" if cost.delta else None
        times = "e^epsilon (above 10^308)" if odds == inf else short(odds)
        more = f", up to an additional probability of {delta}" if delta else ""
        said = f"when {moves}, no outcome of {answers} becomes more than {times} times as likely{more}"
    else:
        said = (
            f"when {moves}, {answers} tell no more than one measurement of that with a normal error of "
            f"deviation 1/mu, where mu is {root_text(cost.mu_squared)}"
        )
    of_each = f"of each answer: {_rho_words(rho)}"
    return _told(
        odds, delta, rho, guess, (said, _guessing(guess, f"who sees {answers}, {_WHO_KNOWS}"), of_each)
    )


_WHO_KNOWS = "knows the data of all others, and took both for equally likely before,"
_WHO = f"who {_WHO_KNOWS}"


def _moves(neighbors: Neighbors) -> str:
    return "one person joins or leaves" if neighbors == "add-remove" else "one person's data are replaced"


def _told(
    odds: float | None, delta: str | None, rho: Rho | None, guess: float, words: tuple[str, ...]
) -> PrivacyCost:
    known = (None, False) if rho is None else (rho.value, rho.is_bound)
    return PrivacyCost(odds, delta, known[0], known[1], guess, tuple(map(sentence, words)))


def graph_words(privacy: Privacy) -> tuple[str, ...]:
    """Return what a notion of privacy promises between neighbors of a graph, in sentences.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> graph_words(PureDP("ln 3"))[0]
    'When a dataset is replaced by a neighbor, no answer becomes more than 3 times as likely.'
    """
    who = "who took two neighboring datasets for equally likely before"
    words = (
        _measured(privacy, "a dataset is replaced by a neighbor"),
        _guessing(best_guess(privacy), who),
    )
    return tuple(map(sentence, words))


def best_guess(privacy: Privacy) -> float:
    """Return how often a guess between two neighbors is right at most, rounded up; see `privacy_cost`.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> round(best_guess(PureDP(1)), 4)
    0.7311
    """
    if isinstance(privacy, GaussianDP):
        return min(1.0, round_ball(lambda: normal_cdf(exponent_ball(privacy.mu) / 2), "up"))
    epsilon, delta = privacy.epsilon, privacy.delta
    return min(1.0, round_ball(lambda: 1 - (1 - ball(delta)) / (1 + exponent_ball(epsilon).exp()), "up"))


def guess_after(cost: Cost) -> float:
    """Return how often a guess is right at most after answers of this cost, rounded up; see `privacy_cost`.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> round(guess_after(Cost.of(PureDP(1)).times(3)), 4)
    0.9526
    """
    if (squared := cost.mu_squared) is not None:
        return min(1.0, round_ball(lambda: normal_cdf(ball(squared).sqrt() / 2), "up"))
    return min(1.0, round_ball(lambda: 1 - (1 - ball(cost.delta)) / (1 + cost.epsilon.ball().exp()), "up"))


def _measured(privacy: Privacy, moves: str) -> str:
    if isinstance(privacy, GaussianDP):
        return (
            f"when {moves}, the answer tells no more than one measurement of that with a normal error of "
            "deviation 1/mu"
        )
    odds = to_float(privacy.odds, "up")
    times = "e^epsilon (above 10^308)" if odds == inf else short(odds)
    more = f", up to an additional probability of {float(privacy.delta):.4g}" if privacy.delta else ""
    return f"when {moves}, no answer becomes more than {times} times as likely{more}"


def _guessing(guess: float, who: str) -> str:
    return f"a person {who} guesses right in {guessed_of_100(guess)} cases, instead of 50 of 100"


def _rho_words(rho: Rho | None) -> str:
    if rho is None:
        return "no rho of zero-concentrated privacy (zCDP) covers this"
    return f"rho of zero-concentrated privacy (zCDP): {short(rho.value)}{', a bound' if rho.is_bound else ''}"


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
