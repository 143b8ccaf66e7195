# SPDX-License-Identifier: Apache-2.0
"""Which categories are named: one exact draw each, over a stream of any length.

Keys are taken in blocks. A key that nobody has is dropped and a key with enough people is kept, both
without a bit; for every other key one word of 64 random bits is compared with two integers around its
probability, and where those do not decide, further words do, see `rainbowdp.sampling`. So every key is
kept with exactly its real probability, independently of all others. The probability of each number of
people is enclosed once.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Log, NumberLike
from rainbowdp.keys.mechanism import KeyMechanism, key_mechanism, whole_people
from rainbowdp.sampling import BitSource, SystemBits
from rainbowdp.sampling.bits import WORD_BITS, read_words
from rainbowdp.sampling.thresholds import CumulativeMasses, settle

BLOCK = 1 << 16
"""How many keys are taken from the stream at once; part of the meaning of a bit stream."""

_MOST_KEPT = 1 << 17
_KEEP = 1  # the position of "keep" behind "drop"
_LARGEST_WORD = (1 << WORD_BITS) - 1


def select_keys(
    stream: Iterable[tuple[str, int]],
    epsilon: NumberLike | Log,
    delta: NumberLike,
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
        Where random bits come from; the operating system unless given, which is for tests.

    Yields
    ------
    str
        The keys that are named, in the order of the stream.

    Raises
    ------
    PrivacyParameterError, NumberError, UsageError
        As for `key_mechanism`, at once; and during the stream if something in it is no number of people.

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
    mechanism = key_mechanism(epsilon, delta, max_keys)
    return _selected(iter(stream), mechanism, SystemBits() if bits is None else bits)


def _selected(stream: Iterator[tuple[str, int]], mechanism: KeyMechanism, bits: BitSource) -> Iterator[str]:
    draws = _Draws(mechanism, bits)
    while block := list(islice(stream, BLOCK)):
        kept = draws.kept([whole_people(people) for _, people in block])
        yield from (key for (key, _), keep in zip(block, kept, strict=True) if keep)


class _Draws:
    """The draws of one release, with the enclosures of the probabilities that were needed so far."""

    def __init__(self, mechanism: KeyMechanism, bits: BitSource) -> None:
        self._mechanism, self._bits = mechanism, bits
        self._certain_from = mechanism.certain_from
        self._masses: dict[int, CumulativeMasses] = {}

    def kept(self, people: list[int]) -> list[bool]:
        """Return for every key of a block whether it is kept."""
        # Beyond this number all are alike; below it, any number of people fits into an integer of numpy.
        certain = self._certain_from
        numbers = np.array([min(count, certain) for count in people], dtype=np.int64)
        kept = numbers >= certain
        undecided_keys = np.flatnonzero(~kept & (numbers > 0))
        words = read_words(self._bits, len(undecided_keys))
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

    def _enclosed(self, people: int) -> CumulativeMasses:
        """Return the cumulative mass of "drop" for a number of people, which "keep" follows."""
        if people not in self._masses:
            if len(self._masses) >= _MOST_KEPT:
                self._masses.clear()
            keep = self._mechanism.keep_probability(people)
            self._masses[people] = CumulativeMasses(Distribution.trusted({"drop": 1 - keep, "keep": keep}))
        return self._masses[people]
