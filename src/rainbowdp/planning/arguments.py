# SPDX-License-Identifier: Apache-2.0
"""Read the arguments of `plan`, and find the least epsilon (or mu) for a wanted chance.

The least parameter is a decimal of four digits that is proven to suffice by an exact comparison, and the
decimal before it is proven not to. That no smaller one suffices either holds where right answers become more
likely with epsilon.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction

from rainbowdp.errors import QuestionError, UsageError
from rainbowdp.exact import Number, parse_fraction, show
from rainbowdp.exact.arguments import described, is_whole, items_of, require
from rainbowdp.exact.enclosure import Value, is_open, order
from rainbowdp.planning.columns import LARGEST_LEAD
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import Question, Scores

WANTED = (Fraction(9, 10), Fraction(19, 20), Fraction(99, 100))
"""The probabilities of a right answer for which every plan tells the lead."""

_DIGITS = 4
_LARGEST = 512
_WIDE = Context(prec=60, rounding=ROUND_DOWN)
_LEAD = "a lead", 'give a whole number of people, from 1 to 10^100, or a share of a number of people: "3%"'
_PERCENT = re.compile(r"\s*(.+?)\s*%\s*", re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """What a plan shows, whatever the privacy is.

    Attributes
    ----------
    targets : tuple of Fraction
        The probabilities of a right answer for which leads are looked for.
    want : Fraction or None
        The one that was asked for.
    lead : int or None
        The lead that is expected.
    leads : tuple of int or None
        The leads that get a row; None for those that fit the privacy.
    people : int or None
        How many people there are.
    groups : int or None
        How many groups there are.
    """

    targets: tuple[Fraction, ...]
    want: Fraction | None
    lead: int | None
    leads: tuple[int, ...] | None
    people: int | None
    groups: int | None

    def share(self, lead: int) -> Fraction | None:
        """Return a lead as a share of all people, None if their number is not known."""
        return None if self.people is None else Fraction(lead, self.people)


def read_shown(
    question: Question,
    *,
    want: Number | None,
    lead: int | str | None,
    leads: Sequence[int] | None,
    people: int | None,
    groups: int | None,
) -> Shown:
    """Return what a plan shows.

    Parameters
    ----------
    question, want, lead, leads, people, groups
        As for `rainbowdp.planning.plan`.

    Raises
    ------
    UsageError, QuestionError
        As for `rainbowdp.planning.plan`.
    """
    count = None if people is None else _whole(people, "a number of people")
    if count is not None and isinstance(question, Scores):
        raise UsageError(
            "scores are not counts of people, so a lead is not a share of them",
            help="leave out the number of people",
        )
    expected = None if lead is None else read_lead(lead, count)
    rows = None if leads is None else {_whole(each, *_LEAD) for each in items_of(leads) or ()}
    if rows is not None and not rows:
        raise QuestionError(f"{described(leads)} is not a list of leads", help="give a list of whole numbers")
    others = set() if expected is None else {expected}
    greatest = max({0} | (rows or set()) | others)
    if count is not None and greatest > count:
        raise QuestionError(
            f"a lead of {greatest} is more than all {count} people",
            help="give a smaller lead, or more people",
        )
    wanted = None if want is None else _wanted(want)
    return Shown(
        targets=tuple(sorted({*WANTED, *([] if wanted is None else [wanted])})),
        want=wanted,
        lead=expected,
        leads=None if rows is None else tuple(sorted(rows | others)),
        people=count,
        groups=None if groups is None else _whole(groups, "a number of groups"),
    )


def read_notions(privacies: Privacy | Iterable[Privacy]) -> list[Privacy]:
    """Return notions of privacy as a list.

    Raises
    ------
    UsageError
        If one of them is something else.
    """
    if isinstance(privacies, PureDP | ApproxDP | GaussianDP):
        return [privacies]
    found = items_of(privacies)
    for privacy in [privacies] if found is None else found:
        require(privacy, "privacies", PureDP, ApproxDP, GaussianDP)
    return found or []


def read_lead(lead: int | str, people: int | None) -> int:
    """Return a lead in people; a share such as ``"3%"`` is rounded down.

    Raises
    ------
    UsageError
        If a share is given, and no number of people.
    QuestionError
        If it is not a lead.

    Examples
    --------
    >>> read_lead("3%", 1050), read_lead("0.1 %", 1000), read_lead(40, None)
    (31, 1, 40)
    """
    percent = _PERCENT.fullmatch(lead) if isinstance(lead, str) else None
    if percent is None:
        return _whole(lead, *_LEAD)
    share = parse_fraction(percent[1]) / 100
    if not 0 < share <= 1:
        raise QuestionError(
            f"a lead of {lead!r} is not a share of people", help="give a percentage such as 3%"
        )
    if people is None:
        raise UsageError(
            f"the lead {lead!r} is a share, and the number of people is not known",
            help="say how many people there are, or give the lead in people",
        )
    found = int(share * people)
    if found < 1:
        raise QuestionError(
            f"a lead of {lead!r} of {people} people is less than one person", help="give a greater lead"
        )
    return found


def _wanted(want: Number) -> Fraction:
    read = parse_fraction(want)
    if not 0 < read < 1:
        raise QuestionError(
            f"a right answer cannot be wanted with probability {show(read)}",
            help="give a probability above 0 and below 1, such as 0.99",
        )
    return read


def _whole(number: object, what: str, help: str = "give a whole number of at least 1") -> int:
    if not is_whole(number) or not 1 <= number <= LARGEST_LEAD:
        raise QuestionError(f"{described(number)} is not {what}", help=help)
    return int(number)


def privacy_family(notions: Sequence[Privacy], delta: Number | None) -> Callable[[Fraction], Privacy]:
    """Return what makes a notion of privacy of a parameter: of mu if all are Gaussian, else of epsilon."""
    gaussian = bool(notions) and all(isinstance(privacy, GaussianDP) for privacy in notions)
    beside = next((privacy.delta for privacy in notions if isinstance(privacy, ApproxDP)), None)
    beside = beside if delta is None else parse_fraction(delta)

    def made(parameter: Fraction) -> Privacy:
        if gaussian:
            return GaussianDP(parameter)
        return PureDP(parameter) if not beside else ApproxDP(parameter, beside)

    return made


def least_parameter(wrong: Callable[[Fraction], Value | None], want: Fraction, lead: int) -> Fraction:
    """Return the least parameter that suffices, rounded up to four digits.

    Parameters
    ----------
    wrong : callable
        Parameter to the probability of a wrong answer at the lead, None where it is not computed.
    want : Fraction
        The wanted probability of a right answer.
    lead : int
        The lead at which it is wanted.

    Returns
    -------
    Fraction
        A decimal; 0 where guessing is enough.

    Raises
    ------
    QuestionError
        If no parameter up to 512 is enough, or the probabilities are not computed.

    Examples
    --------
    >>> least_parameter(lambda epsilon: 1 / (2 + epsilon), Fraction(9, 10), 1)
    Fraction(8, 1)
    """

    def enough(parameter: Fraction) -> bool:
        found = wrong(parameter)
        if found is None:
            raise QuestionError(
                f"how often the answer is right at a lead of {lead} is not computed: there are too many "
                "options, or the privacy parameter that the lead needs is too small",
                help="ask about fewer options, or for a smaller lead",
                lead=lead,
            )
        return order(found, 1 - want) <= 0 and not is_open(found, 1 - want)

    if enough(Fraction(0)):
        return Fraction(0)
    above = Fraction(1)
    if enough(above):
        # This ends: at 0 it was not enough, and chances follow the parameter without jumps.
        while enough(above / 2):
            above /= 2
    else:
        while not enough(above):
            above *= 2
            if above > _LARGEST:
                raise QuestionError(
                    f"at a lead of {lead} no parameter up to {_LARGEST} gives a right answer with "
                    f"probability {show(want)}",
                    help="want less, or expect a greater lead",
                    lead=lead,
                )
    below, found = above / 2, above
    # The least multiple of a power of ten that suffices, and of a smaller one where that has fewer digits.
    for _ in range(2):
        unit = _unit(found)
        least, last = int(below / unit) + 1, -int(-found // unit)
        least += bisect_left(range(least, last), True, key=lambda number: enough(number * unit))
        below, found = (least - 1) * unit, least * unit
    return found


def _unit(value: Fraction) -> Fraction:
    """Return the power of ten in which a number has the wanted digits.

    Examples
    --------
    >>> _unit(Fraction(1, 4)), _unit(Fraction(12))
    (Fraction(1, 10000), Fraction(1, 100))
    """
    first = _WIDE.divide(Decimal(value.numerator), Decimal(value.denominator)).adjusted()
    return Fraction(10) ** (first - _DIGITS + 1)
