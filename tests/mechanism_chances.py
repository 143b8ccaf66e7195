# SPDX-License-Identifier: Apache-2.0
"""Read the chances that mechanisms state, as fractions or floats, and name the answers of the oracle."""

from fractions import Fraction

from goal_oracles import Counts, noisy_orders
from rainbowdp.exact.enclosure import EnclosedNumber, Value, rounded
from rainbowdp.goals import Located
from rainbowdp.privacy import PureDP
from rainbowdp.questions import Ranking
from rainbowdp.questions.selection import Form


def logarithm(odds: Fraction) -> PureDP:
    """Return pure privacy with these odds."""
    return PureDP(f"ln({odds})")


def fraction(value: Value) -> Fraction:
    """Return a number that has to be a fraction, whatever its form."""
    assert not isinstance(value, EnclosedNumber)
    found = value if isinstance(value, Fraction) else value.as_fraction()
    assert found is not None
    return found


def fractions(located: Located) -> list[Fraction]:
    """Return the chances at a table, in the order of the answers, as fractions that sum to 1."""
    chances = located.chances()
    found = [fraction(chances[form]) for form in sorted(chances)]
    assert sum(found) == 1
    return found


def floats(located: Located) -> dict[Form, float]:
    """Return the chances at a table by answer, as the closest floats."""
    return {form: rounded(value) for form, value in located.chances().items()}


def orders_of(question: Ranking, counts: Counts, ratio: Fraction) -> dict[Form, Fraction]:
    """Return what `noisy_orders` says of each answer: all orders that give it, added up."""
    found: dict[Form, Fraction] = {}
    for order, chance in noisy_orders(counts, ratio).items():
        form = question.named(order)
        found[form] = found.get(form, Fraction(0)) + chance
    return found
