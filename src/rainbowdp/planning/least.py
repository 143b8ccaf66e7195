# SPDX-License-Identifier: Apache-2.0
"""The least epsilon (or mu) with which a question is right as often as wanted at a given lead.

The answer is a decimal of four digits that is proven to suffice by an exact comparison, and the decimal
before it is proven not to. That no smaller one suffices either rests on right answers becoming more
likely with epsilon.
"""

from collections.abc import Callable
from fractions import Fraction

from rainbowdp.errors import QuestionError
from rainbowdp.exact import show, sign
from rainbowdp.planning.chances import Chances
from rainbowdp.privacy import Privacy

_DIGITS = 4
_LARGEST = 512


def least_parameter(
    chances: Callable[[Privacy], Chances], privacy: Callable[[Fraction], Privacy], want: Fraction, lead: int
) -> Fraction:
    """Return the least parameter that suffices, rounded up to four digits.

    Parameters
    ----------
    chances : callable
        Makes the chances of the question under a notion of privacy.
    privacy : callable
        Makes the notion of a parameter.
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
        If no parameter up to 512 is enough.
    """

    def enough(parameter: Fraction) -> bool:
        return sign(chances(privacy(parameter)).wrong(lead) - (1 - want)) <= 0

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
