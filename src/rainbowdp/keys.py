# SPDX-License-Identifier: Apache-2.0
"""Choose the categories of a column that may be named, where they were not declared beforehand.

A category that a single person has could give that person away by its name alone, so naming is a yes-no
question per category, and a category without people must never be named. On the line of 0, 1, 2, ... people
with the boundary "drop with certainty" at 0 people, the optimal mechanism is the optimal partition
selection of Desfontaines, Voss and Gipson (2020). One person more or less moves a category by one person on
that line. A person who has up to K categories moves up to K of them, so each is given epsilon/K and
delta/K, and the K shares add up.

Keys are drawn in blocks. A key without people is dropped and a key with enough people is kept, both
without a bit; for every other key one word of 64 random bits is compared with two integers around its
probability, and where those do not decide, further words do, see `rainbowdp.sampling`. So every key is kept
with exactly its real probability, independently of all others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice

import numpy as np

from rainbowdp.distribution import Distribution
from rainbowdp.errors import PrivacyParameterError, UsageError
from rainbowdp.exact import (
    Exact,
    Exponent,
    LogPart,
    Number,
    divided_exponent,
    enclose_with,
    exponent_ball,
    format_fraction,
    parse_exponent,
    parse_fraction,
)
from rainbowdp.exact.arguments import described, is_whole
from rainbowdp.line.steps import steps_to_reach
from rainbowdp.privacy import ApproxDP
from rainbowdp.sampling import BitSource, SystemBits
from rainbowdp.sampling.bits import WORD_BITS
from rainbowdp.sampling.thresholds import CumulativeMasses, settle

MOST_ROWS = 10_000
"""How many rows `key_table` has at most, unless it is asked for more."""

BLOCK = 1 << 16
"""How many keys are taken from the stream at once; part of the meaning of a bit stream."""

_MOST_KEPT = 1 << 17
_KEEP = 1  # the position of "keep" behind "drop"
_LARGEST_WORD = (1 << WORD_BITS) - 1
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
        # With delta above 0 every mass reaches 1 after finitely many steps; `key_mechanism` refuses 0.
        assert found is not None  # noqa: S101 - see above
        return found

    def keep_probability(self, people: int) -> Exact:
        """Return the probability that a category with this many people is named.

        Parameters
        ----------
        people : int
            How many people have the category, at least 0.

        Returns
        -------
        Exact
            0 without people, delta/K for one person, 1 from `certain_from` people.

        Raises
        ------
        UsageError
            If it is not a number of people; the message does not show it.
        """
        count = whole_people(people)
        # Fractions of very many steps have very many digits; powers stay short.
        return self.privacy.propagate(Fraction(0), count, symbolic=count > _FRACTION_STEPS)

    def select(self, stream: Iterable[tuple[str, int]], bits: BitSource | None = None) -> Iterator[str]:
        """Draw which keys are named, exactly and independently; see `select_keys`.

        Parameters
        ----------
        stream : iterable of (str, int)
            Every key once, with the number of people who have it.
        bits : BitSource, optional
            Where random bits come from; the operating system by default; only tests give others.

        Yields
        ------
        str
            The keys that are named, in the order of the stream.

        Raises
        ------
        UsageError
            If something in the stream is not a number of people; the message does not show it.
        """
        keys, draws = iter(stream), _Draws(self, SystemBits() if bits is None else bits)
        while block := list(islice(keys, BLOCK)):
            kept = draws.kept([whole_people(people) for _, people in block])
            yield from (key for (key, _), keep in zip(block, kept, strict=True) if keep)


def key_mechanism(epsilon: Number, delta: Number, max_keys: int = 1) -> KeyMechanism:
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
        why = "nothing could ever be named" if read == 0 else "it hides nothing"
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


def keep_probability(people: int, epsilon: Number, delta: Number, max_keys: int = 1) -> Exact:
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
        As for `key_mechanism`; and if `people` is not a number of people.

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
    epsilon: Number, delta: Number, max_keys: int = 1, *, most: int = MOST_ROWS
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
            "a category comes with something that is not a number of people",
            help="give whole numbers of at least 0",
            argument="people",
        )
    return int(people)


def _share(epsilon: Exponent, parts: int) -> Exponent:
    share = divided_exponent(epsilon, parts)
    if not isinstance(share, LogPart):
        return share
    # An irrational share is rounded down: less privacy spent than allowed, by nearly nothing.
    lower, _ = enclose_with(lambda: exponent_ball(epsilon) / parts, _SHARE_BITS + 2)
    return Fraction((lower.numerator << _SHARE_BITS) // lower.denominator, 1 << _SHARE_BITS)


def select_keys(
    stream: Iterable[tuple[str, int]],
    epsilon: Number,
    delta: Number,
    max_keys: int = 1,
    *,
    bits: BitSource | None = None,
) -> Iterator[str]:
    """Draw which keys are named, exactly and independently.

    Parameters
    ----------
    stream : iterable of (str, int)
        Every key once, with the number of people who have it; each person counted for at most `max_keys`
        keys.
    epsilon : number or text
        The privacy parameter of the whole release, at least 0.
    delta : number or text
        Above 0 and below 1.
    max_keys : int
        How many categories one person counts for at most.
    bits : BitSource, optional
        Where random bits come from; the operating system by default; only tests give others.

    Yields
    ------
    str
        The keys that are named, in the order of the stream.

    Raises
    ------
    PrivacyParameterError, NumberError, UsageError
        As for `key_mechanism`, at once; and during the stream if something in it is not a number of people.

    Notes
    -----
    The order of the stream is not protected: sort the keys, or start from a sorted stream, before publishing.
    A key of a person who has several rows must come once, or it would be drawn more than once.

    References
    ----------
    Desfontaines, Voss and Gipson 2020, Theorem 1.

    Examples
    --------
    >>> list(select_keys([("rare", 0), ("common", 500)], 1, "1e-6"))
    ['common']
    """
    return key_mechanism(epsilon, delta, max_keys).select(stream, bits)


class _Draws:
    """The draws of one release, with the enclosures of the probabilities that were needed so far."""

    def __init__(self, mechanism: KeyMechanism, bits: BitSource) -> None:
        self._mechanism, self._bits = mechanism, bits
        self._certain_from = mechanism.certain_from
        self._enclosed = lru_cache(_MOST_KEPT)(self._masses)

    def kept(self, people: list[int]) -> list[bool]:
        """Return for every key of a block whether it is kept."""
        # Beyond this number all are alike; below it, any number of people fits into an integer of numpy.
        certain = self._certain_from
        numbers = np.array([min(count, certain) for count in people], dtype=np.int64)
        kept = numbers >= certain
        undecided_keys = np.flatnonzero(~kept & (numbers > 0))
        words = self._bits.words(len(undecided_keys))
        different, place = np.unique(numbers[undecided_keys], return_inverse=True)
        masses = [self._enclosed(count) for count in different.tolist()]
        cuts = [mass.cuts(WORD_BITS) for mass in masses]
        # "drop" comes first: a word above `last` keeps, and one below `lower` drops.
        lower = np.array([min(below, _LARGEST_WORD) for (below,), _ in cuts], dtype=np.uint64)
        last = np.array([max(above - 1, 0) for _, (above,) in cuts], dtype=np.uint64)
        kept[undecided_keys] = words > last[place]
        undecided = np.flatnonzero((words >= lower[place]) & (words <= last[place]))
        for at in undecided.tolist():
            drawn = settle(masses[int(place[at])], int(words[at]), WORD_BITS, self._bits)
            kept[undecided_keys[at]] = drawn == _KEEP
        return list(map(bool, kept.tolist()))

    def _masses(self, people: int) -> CumulativeMasses:
        """Enclose the cumulative mass of "drop" for a number of people, which "keep" follows."""
        keep = self._mechanism.keep_probability(people)
        return CumulativeMasses(Distribution.trusted({"drop": 1 - keep, "keep": keep}))
