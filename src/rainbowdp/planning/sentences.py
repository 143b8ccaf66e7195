# SPDX-License-Identifier: Apache-2.0
"""Write the sentences of a plan: what to expect, which way to answer is right more often, and its cost."""

from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import inf

import flint

from rainbowdp.exact import ball, exponent_ball, normal_cdf, round_ball, to_float
from rainbowdp.exact.enclosure import Value, is_open, order
from rainbowdp.goals import Asked, QuestionMechanism
from rainbowdp.goals.concentrated import Rho
from rainbowdp.goals.one_option import Flip
from rainbowdp.goals.question_line import levels_of_count
from rainbowdp.ledger import Cost
from rainbowdp.ledger.cost import root_text
from rainbowdp.planning.columns import Column, hard_case
from rainbowdp.planning.values import GroupsPlan, PrivacyCost
from rainbowdp.planning.words import (
    PlanCase,
    answer_count,
    case_words,
    guessed_of_100,
    lead_words,
    names_one,
    of_100,
    privacy_words,
    sentence,
)
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy
from rainbowdp.questions import Neighbors, Scores

NAMED = Fraction(99, 100)
_MOST_NAMED = 12
_SUBJECTS = {
    "noisy counts": ("noisy counts", "are"),
    "exponential mechanism": ("the exponential mechanism", "is"),
}
"""How columns are spoken of, and the verb; all others by their names."""

WHICH_GOAL = (
    "which goal to take: typical is right more often on most tables; guarantee promises a chance at every "
    "lead whatever the other answers do, and can be ahead where all of them are close"
)
WHICH_GOAL_OF_RANKINGS = (
    "which goal to take: typical is right more often on most tables; guarantee goes by the least lead of all "
    "options, also of those that are not named, and can be ahead where all are far apart"
)
UNKNOWN = "how often the answer is right is not computed"
WHICH_GOAL_OF_LEVELS = (
    "which goal to take: typical is right more often near the edges, and in the lowest and the highest "
    "level; guarantee can be ahead in the middle of a level"
)
LEANS_TO_NO = (
    "a chance is given for a false yes: the answer is right more often where it is no, and less often where "
    "it is yes, than that of a mechanism that treats both alike"
)
SAME_GOALS = "both goals give the same mechanism for this question"


def which_goal(asked: Asked) -> str:
    """Return what to choose a goal by, for a question that has a mechanism for each."""
    if levels_of_count(asked.question) is not None:
        return WHICH_GOAL_OF_LEVELS
    return WHICH_GOAL if names_one(asked) else WHICH_GOAL_OF_RANKINGS


def expectation(asked: Asked, column: Column, lead: int, share: Fraction | None) -> str:
    """Return the sentence to be quoted: how often an answer is right at a lead, and how often by guessing."""
    words, start = lead_words(asked), f"with {privacy_words(asked.privacy)}, "
    yes, no = (column.wrong(lead, side) if side in column.cases else None for side in ("yes", "no"))
    if yes is not None and no is not None and order(yes, no) != 0:
        chance = f"{of_100(yes)} cases if it is yes and in {of_100(no)} if it is no,"
        return start + words.say(lead, chance, share)
    case = hard_case(column, lead)
    wrong = column.wrong(lead, case)
    if wrong is None:
        return UNKNOWN
    alone = case == "one-close"
    guessing = f", instead of {of_100(1 - Fraction(1, answer_count(asked)))} by guessing"
    unknown = "; where all options are so close, that is not computed" if alone else ""
    return start + words.say(lead, f"{of_100(wrong)} cases", share, alone=alone) + guessing + unknown


def never(asked: Asked) -> str:
    """Return what is said where no lead is enough."""
    guessing = of_100(1 - Fraction(1, answer_count(asked)))
    start = f"with {privacy_words(asked.privacy)}"
    return f"{start}, no lead makes the answer more often right than guessing does: {guessing}"


def behind(mechanism: QuestionMechanism, column: Column) -> Iterator[str]:
    """Yield how far the option that flip names is behind the greatest, in 99 of 100 cases."""
    gap = column.needed("all-close", NAMED) if isinstance(mechanism, Flip) else None
    if gap is None:
        return
    greatest = "the best" if isinstance(mechanism.asked.question, Scores) else "the most frequent one"
    yield (
        f"in 99 of 100 cases the named option is less than {lead_words(mechanism.asked).amount(gap)} behind "
        f"{greatest}, whatever the table"
    )


def inside_narrowest(mechanism: QuestionMechanism, column: Column, lead: int | None) -> Iterator[str]:
    """Yield how often the narrowest inner level is named at its middle, where it has no lead as quoted."""
    asked = mechanism.asked
    levels = levels_of_count(asked.question)
    if levels is None:
        return
    width, at = min((high - low, at) for at, (low, high) in enumerate(pairwise(levels.edges), start=1))
    greatest = int(width - 1) // 2 // asked.max_rows + 1
    wrong = column.wrong(greatest, "all-close")
    if wrong is not None and (lead is None or greatest < lead):
        most = lead_words(asked).amount(greatest)
        yield (
            f"inside the level {levels.answers[at]} the lead is at most {most}, and the answer is then right "
            f"in {of_100(wrong)} cases"
        )


def charge(mechanism: QuestionMechanism) -> str:
    """Return the sentence about what one answer costs."""
    unused = isinstance(mechanism.asked.privacy, ApproxDP) and not isinstance(mechanism.charged, ApproxDP)
    return f"one answer costs {privacy_words(mechanism.charged)}{': delta is not used' if unused else ''}"


def groups_sentence(groups: GroupsPlan, not_all: Value, asked: Asked, case: PlanCase) -> str:
    """Return the sentence about all groups together, and how often not all of them are right."""
    amount = lead_words(asked).amount(groups.lead)
    beside = f", {words}" if (words := case_words(asked, case)) else ""
    return (
        f"if the lead is {amount} in each of {groups.count} groups{beside}, all {groups.count} answers are "
        f"right in {of_100(not_all)} cases; together they cost {groups.charged.shown()}"
    )


def ahead_remarks(
    asked: Asked, chosen: Column, others: Sequence[Column], leads: Sequence[int]
) -> tuple[str, ...]:
    """Return where other ways to answer are right more often than the chosen one, from exact comparisons.

    Parameters
    ----------
    asked : Asked
        The question.
    chosen : Column
        The column of the chosen goal.
    others : sequence of Column
        What it is compared with.
    leads : sequence of int
        The leads that are shown.

    Returns
    -------
    tuple of str
        A sentence for each other column and case in which it is ahead, and one for all that never are.
    """
    said, never_ahead = list[str](), list[str]()
    for other in others:
        name, verb = _SUBJECTS.get(other.name, (other.name, "is"))
        places = {case: _ahead(chosen, other, case, leads) for case in chosen.cases}
        compared = {case: found for case, found in places.items() if found is not None}
        if compared and not any(compared.values()) and not _are_open(chosen, other, [*compared], leads):
            never_ahead.append(name)
        not_in_mean = not compared.get("mean", [0])
        for case, ahead in compared.items():
            if ahead:
                where = f"{_at(ahead, leads)}{_case(asked, case)}"
                but = ", but nowhere in the mean of yes and no" if not_in_mean else ""
                said.append(f"{name} {verb} ahead of {chosen.name} {where}{but}")
    if never_ahead:
        others_named = " and ".join(filter(None, [", ".join(never_ahead[:-1]), never_ahead[-1]]))
        said.append(f"at every lead shown, {chosen.name} is at least as often right as {others_named}")
    return tuple(said)


def delta_remark(asked: Asked, typical: Column, guarantee: Column, leads: Sequence[int]) -> str:
    """Return from which lead on a guarantee that uses delta is ahead of a typical answer that does not."""
    said = []
    for case in typical.cases:
        if typical.is_computed(case) and guarantee.is_computed(case):
            found = ahead_from(typical, guarantee, leads, case)
            where = "at no lead shown" if found is None else f"from a lead of {found} on"
            said.append(f"{where}{_case(asked, case)}")
    paid = f"guarantee uses delta, and is charged {privacy_words(asked.privacy)}"
    return f"{paid}; it is ahead of typical {', '.join(said)}"


def ahead_from(chosen: Column, other: Column, leads: Sequence[int], case: PlanCase) -> int | None:
    """Return the least lead from which on another column is ahead in a case, or None.

    Looked for between the leads that are shown.
    """

    def is_ahead(lead: int) -> bool:
        return _is_ahead(chosen.wrong(lead, case), other.wrong(lead, case))

    below = max((lead for lead in leads if not is_ahead(lead)), default=0)
    above = next((lead for lead in leads if lead > below), None)
    while above is not None and above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if is_ahead(middle) else (middle, above)
    return above


def _ahead(chosen: Column, other: Column, case: PlanCase, leads: Sequence[int]) -> list[int] | None:
    """Return the leads at which another column is right more often, None if they are not computed."""
    if not (chosen.is_computed(case) and other.is_computed(case)):
        return None
    return [lead for lead in leads if _is_ahead(chosen.wrong(lead, case), other.wrong(lead, case))]


def _are_open(chosen: Column, other: Column, cases: Sequence[PlanCase], leads: Sequence[int]) -> bool:
    """Tell whether two columns are known too roughly somewhere to say that one is never ahead."""
    pairs = ((chosen.wrong(lead, case), other.wrong(lead, case)) for case in cases for lead in leads)
    return any(one is not None and two is not None and is_open(one, two) for one, two in pairs)


def _is_ahead(chosen: Value | None, other: Value | None) -> bool:
    return chosen is not None and other is not None and order(chosen, other) > 0


def _at(ahead: Sequence[int], leads: Sequence[int]) -> str:
    if len(ahead) == len(leads):
        return "at every lead shown"
    named = ", ".join(map(str, ahead[:_MOST_NAMED])) + (", ..." if len(ahead) > _MOST_NAMED else "")
    return f"at the lead{'s' * (len(ahead) > 1)} {named}"


def _case(asked: Asked, case: PlanCase) -> str:
    return f" {words}" if (words := case_words(asked, case)) else ""


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
    if groups == 1:
        return answer_cost(mechanism.charged, neighbors, rho)
    cost, answers, odds = mechanism.cost(groups, neighbors), f"the {groups} answers together", None
    if cost.mu_squared is None:
        odds = min(inf, round_ball(lambda: cost.epsilon.ball().exp(), "up"))
        limit = f"no outcome of {answers} becomes {_odds_words(odds, cost.delta)}"
    else:
        limit = f"{answers} tell {_NORMAL_ERROR}, where mu is {root_text(cost.mu_squared)}"
    guess = guess_after(cost)
    seen = _guessing(guess, f"who sees {answers}, {_WHO_KNOWS}")
    words = (f"when {_moves(neighbors)}, {limit}", seen, f"of each answer: {_rho_words(rho)}")
    return _cost(odds, cost.delta, rho, guess, words)


def answer_cost(privacy: Privacy, neighbors: Neighbors, rho: Rho | None) -> PrivacyCost:
    """Return what one answer costs; see `privacy_cost`."""
    guess, limit = best_guess(privacy), _limit_of_answer(privacy, _moves(neighbors))
    words = (limit, _guessing(guess, f"who {_WHO_KNOWS}"), _rho_words(rho))
    if isinstance(privacy, GaussianDP):
        return _cost(None, Fraction(0), rho, guess, words)
    return _cost(to_float(privacy.odds, "up"), privacy.delta, rho, guess, words)


_WHO_KNOWS = "knows the data of all others, and took both for equally likely before,"
_NORMAL_ERROR = "no more than one measurement of that with a normal error of deviation 1/mu"


def _moves(neighbors: Neighbors) -> str:
    return "one person joins or leaves" if neighbors == "add-remove" else "one person's data are replaced"


def _cost(
    odds: float | None, delta: Fraction, rho: Rho | None, guess: float, words: tuple[str, ...]
) -> PrivacyCost:
    value, is_bound = (None, False) if rho is None else (rho.value, rho.is_bound)
    shown = f"{float(delta):.4g}" if delta else None
    return PrivacyCost(odds, shown, value, is_bound, guess, tuple(map(sentence, words)))


def graph_words(privacy: Privacy) -> tuple[str, ...]:
    """Return what a notion of privacy promises between neighbors of a graph, in sentences.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> graph_words(PureDP("ln 3"))[0]
    'When a dataset is replaced by a neighbor, no answer becomes more than 3 times as likely.'
    """
    who = "who took two neighboring datasets for equally likely before"
    limit = _limit_of_answer(privacy, "a dataset is replaced by a neighbor")
    return sentence(limit), sentence(_guessing(best_guess(privacy), who))


def best_guess(privacy: Privacy) -> float:
    """Return how often a guess between two neighbors is right at most, rounded up; see `privacy_cost`.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> round(best_guess(PureDP(1)), 4)
    0.7311
    """
    if isinstance(privacy, GaussianDP):
        return _guess_of_normal(lambda: exponent_ball(privacy.mu))
    return _guess_of_odds(lambda: exponent_ball(privacy.epsilon), privacy.delta)


def guess_after(cost: Cost) -> float:
    """Return how often a guess is right at most after answers of this cost, rounded up; see `privacy_cost`.

    Examples
    --------
    >>> from rainbowdp.privacy import PureDP
    >>> round(guess_after(Cost.of(PureDP(1)).times(3)), 4)
    0.9526
    """
    if (squared := cost.mu_squared) is not None:
        return _guess_of_normal(lambda: ball(squared).sqrt())
    return _guess_of_odds(cost.epsilon.ball, cost.delta)


def _guess_of_normal(mu: Callable[[], flint.arb]) -> float:
    return min(1.0, round_ball(lambda: normal_cdf(mu() / 2), "up"))


def _guess_of_odds(epsilon: Callable[[], flint.arb], delta: Fraction) -> float:
    return min(1.0, round_ball(lambda: 1 - (1 - ball(delta)) / (1 + epsilon().exp()), "up"))


def _limit_of_answer(privacy: Privacy, moves: str) -> str:
    if isinstance(privacy, GaussianDP):
        return f"when {moves}, the answer tells {_NORMAL_ERROR}"
    odds = _odds_words(to_float(privacy.odds, "up"), privacy.delta)
    return f"when {moves}, no answer becomes {odds}"


def _odds_words(odds: float, delta: Fraction) -> str:
    times = "e^epsilon (above 10^308)" if odds == inf else short(odds)
    more = f", up to an additional probability of {float(delta):.4g}" if delta else ""
    return f"more than {times} times as likely{more}"


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
