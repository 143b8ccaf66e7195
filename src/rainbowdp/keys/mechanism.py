# SPDX-License-Identifier: Apache-2.0
"""How often a category is named: the line with the boundary (keep 0, drop 1) at 0 people.

One person more or less moves a category by one person on that line. A person who has up to K categories
moves up to K of them, so each is given epsilon/K and delta/K, and the K shares add up.
"""

from dataclasses import dataclass
from fractions import Fraction

import flint

from rainbowdp.errors import PrivacyParameterError, UsageError
from rainbowdp.exact import (
    Exact,
    Exponent,
    Log,
    NumberLike,
    enclose_with,
    exponent_ball,
    format_fraction,
    parse_exponent,
    parse_fraction,
)
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.line.reach import steps_to_reach
from rainbowdp.privacy import ApproxDP

MOST_ROWS = 10_000
"""How many rows `key_table` has at most, unless it is asked for more."""

_SHARE_BITS = 64
_FRACTION_STEPS = 2048


@dataclass(frozen=True)
class KeyMechanism:
    """The optimal mechanism that decides for every category whether it is named.

    Parameters
    ----------
    epsilon : Fraction or Log
        What the whole release costs.
    delta : Fraction
        What the whole release costs, above 0 and below 1.
    max_keys : int
        How many categories one person counts for at most.

    See Also
    --------
    key_mechanism : Makes one of numbers as people write them.

    References
    ----------
    Desfontaines, Voss and Gipson, Differentially private partition selection, PoPETs 2022(1), 2020 on arXiv,
    Theorem 1 (the recurrence) and Theorem 2 (its closed form).

    Examples
    --------
    >>> mechanism = key_mechanism("ln 2", "1/10")
    >>> [str(mechanism.keep_probability(people)) for people in range(6)]
    ['0', '1/10', '3/10', '7/10', '9/10', '1']
    >>> mechanism.certain_from
    5
    """

    epsilon: Exponent
    delta: Fraction
    max_keys: int = 1

    @property
    def privacy(self) -> ApproxDP:
        """What one category may cost: epsilon/K and delta/K for K categories per person.

        The share of a logarithm is again exact where the root of its argument is rational; otherwise it
        is the largest multiple of 2^-64 below the share.
        """
        return ApproxDP(_share(self.epsilon, self.max_keys), self.delta / self.max_keys)

    @property
    def certain_from(self) -> int:
        """The least number of people from which a category is always named."""
        found = steps_to_reach(Fraction(0), Fraction(1), self.privacy)
        # With delta above 0 every mass reaches 1 after finitely many steps.
        return found if found is not None else 0

    def keep_probability(self, people: int) -> Exact:
        """Return the probability that a category with this many people is named.

        Parameters
        ----------
        people : int
            How many people have the category, at least 0.

        Returns
        -------
        Exact
            0 for nobody, delta/K for one person, 1 from `certain_from` people.

        Raises
        ------
        UsageError
            If it is no number of people; the message does not show it.
        """
        count = whole_people(people)
        # Fractions of very many steps have very many digits; powers stay short.
        return self.privacy.propagate(Fraction(0), count, symbolic=count > _FRACTION_STEPS)


def key_mechanism(epsilon: NumberLike | Log, delta: NumberLike, max_keys: int = 1) -> KeyMechanism:
    """Return the optimal mechanism that decides which categories are named.

    Parameters
    ----------
    epsilon : number or text
        The privacy parameter of the whole release, at least 0.
    delta : number or text
        Above 0 and below 1: with delta 0 nothing could ever be named.
    max_keys : int
        How many categories one person counts for at most.

    Returns
    -------
    KeyMechanism

    Raises
    ------
    PrivacyParameterError
        If epsilon is negative or delta is outside (0, 1).
    NumberError
        If a number cannot be read.
    UsageError
        If `max_keys` is not a whole number of at least 1.

    Examples
    --------
    >>> key_mechanism("ln 4", "1/5", max_keys=2).privacy == ApproxDP("ln 2", "1/10")
    True
    """
    read = parse_fraction(delta)
    if not 0 < read < 1:
        why = "nothing could ever be named" if read == 0 else "it protects nobody"
        raise PrivacyParameterError(
            f"delta is {format_fraction(read)}, and categories need one above 0 and below 1: {why}",
            help="give a delta far below 1 over the number of people, such as 1e-6",
            value=delta,
        )
    if not is_whole(max_keys) or max_keys < 1:
        raise UsageError(
            f"a person cannot count for {described(max_keys)} categories at most",
            help="give a whole number of at least 1",
            argument="max_keys",
        )
    checked = ApproxDP(epsilon, read)
    return KeyMechanism(parse_exponent(checked.epsilon), read, int(max_keys))


def keep_probability(people: int, epsilon: NumberLike | Log, delta: NumberLike, max_keys: int = 1) -> Exact:
    """Return the probability that a category with this many people is named.

    Parameters
    ----------
    people : int
        How many people have the category, at least 0.
    epsilon : number or text
        The privacy parameter of the whole release, at least 0.
    delta : number or text
        Above 0 and below 1.
    max_keys : int
        How many categories one person counts for at most.

    Returns
    -------
    Exact

    Raises
    ------
    PrivacyParameterError, NumberError, UsageError
        As for `key_mechanism`; and if `people` is no number of people.

    References
    ----------
    Desfontaines, Voss and Gipson 2020, Theorem 2.

    Examples
    --------
    >>> keep_probability(5, "ln(3/2)", "1/10")
    Fraction(79, 90)
    """
    return key_mechanism(epsilon, delta, max_keys).keep_probability(people)


def key_table(
    epsilon: NumberLike | Log, delta: NumberLike, max_keys: int = 1, *, most: int = MOST_ROWS
) -> tuple[Exact, ...]:
    """Return the probabilities for 0, 1, 2, ... people, up to where they are 1.

    The table is public: it depends on the privacy parameters alone.

    Parameters
    ----------
    epsilon : number or text
        The privacy parameter of the whole release, at least 0.
    delta : number or text
        Above 0 and below 1.
    max_keys : int
        How many categories one person counts for at most.
    most : int
        The table ends after so many rows even where the probability is still below 1.

    Returns
    -------
    tuple of Exact
        One per number of people, from 0 up.

    Raises
    ------
    PrivacyParameterError, NumberError, UsageError
        As for `key_mechanism`.

    Examples
    --------
    >>> [str(value) for value in key_table("ln(3/2)", "1/10")]
    ['0', '1/10', '1/4', '19/40', '43/60', '79/90', '133/135', '1']
    """
    mechanism = key_mechanism(epsilon, delta, max_keys)
    rows = min(mechanism.certain_from + 1, most)
    return tuple(mechanism.keep_probability(people) for people in range(rows))


def whole_people(people: object) -> int:
    """Return a number of people, refusing anything else without showing it: it is private."""
    if not is_whole(people) or people < 0:
        raise UsageError(
            "a category comes with something that is no number of people",
            help="give whole numbers of at least 0",
            argument="people",
        )
    return int(people)


def _share(epsilon: Exponent, parts: int) -> Exponent:
    if not isinstance(epsilon, Log):
        return epsilon / parts
    if parts == 1:
        return epsilon
    argument = epsilon.argument
    if parts <= max(argument.numerator.bit_length(), argument.denominator.bit_length()):
        root = Fraction(*(int(flint.fmpz(part).root(parts)) for part in argument.as_integer_ratio()))
        if root**parts == argument:
            return Log(root)
    # An irrational share is rounded down: less privacy spent than allowed, by nearly nothing.
    lower, _ = enclose_with(lambda: exponent_ball(epsilon) / parts, _SHARE_BITS + 2)
    return Fraction((lower.numerator << _SHARE_BITS) // lower.denominator, 1 << _SHARE_BITS)
