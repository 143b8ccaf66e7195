# SPDX-License-Identifier: Apache-2.0
"""The least epsilon (or mu) with which a question is right as often as wanted at a given lead.

The result is a decimal of four digits that is proven to suffice by an exact comparison, and the decimal
before it is proven not to. That no smaller one suffices either holds where right answers become more likely
with epsilon, as those of each mechanism do.
"""

from collections.abc import Callable
from fractions import Fraction

from rainbowdp.baselines import Value
from rainbowdp.errors import QuestionError
from rainbowdp.exact import show
from rainbowdp.goals.values import order

_DIGITS = 4
_LARGEST = 512


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
        return order(found, 1 - want) <= 0

    if enough(Fraction(0)):
        return Fraction(0)
    above = Fraction(1)
    if enough(above):
        # This ends: at 0 it was not enough, and chances near 0 follow the parameter without jumps.
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
        low, high = int(below / unit), -int(-found // unit)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle * unit) else (middle, high)
        below, found = low * unit, high * unit
    return found


def _unit(value: Fraction) -> Fraction:
    """Return the power of ten in which a number has the wanted digits.

    Examples
    --------
    >>> _unit(Fraction(1, 4)), _unit(Fraction(12))
    (Fraction(1, 10000), Fraction(1, 100))
    """
    power = 0
    while value >= 10:
        value, power = value / 10, power + 1
    while value < 1:
        value, power = value * 10, power - 1
    return Fraction(10) ** (power - _DIGITS + 1)
