# SPDX-License-Identifier: Apache-2.0
"""Replayable sources of random bits, for tests alone: the package draws from the operating system."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class ReplayBits:
    """The same pseudo-random words for the same seed, on every machine and with every version of numpy.

    The bit generator's raw words are used, whose stream numpy keeps stable, and no distribution of numpy's.
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(seed)

    def bits(self, count: int) -> int:
        value = 0
        for word in self.words(-(-count // 64)).tolist():
            value = value << 64 | word
        return value >> (-count % 64)

    def words(self, count: int) -> NDArray[np.uint64]:
        return self._generator.random_raw(count).astype(np.uint64)


class FixedBits:
    """Given words, one after the other, and an error once they are used up."""

    def __init__(self, words: Sequence[int] | NDArray[np.uint64], word_bits: int = 64) -> None:
        self._words, self._word_bits, self._at = words, word_bits, 0

    @property
    def left(self) -> list[int]:
        return [int(word) for word in self._words[self._at :]]

    def bits(self, count: int) -> int:
        assert count == self._word_bits, f"asked for {count} bits, words have {self._word_bits}"
        word = int(self._words[self._at])
        self._at += 1
        return word

    def words(self, count: int) -> NDArray[np.uint64]:
        taken = self._words[self._at : self._at + count]
        assert len(taken) == count, f"asked for {count} words, {len(taken)} are left"
        self._at += count
        return np.array(taken, dtype=np.uint64)


class NoBits:
    """A source of bits that has none."""

    def bits(self, count: int) -> int:
        raise OSError(f"{count} bits are not there")

    def words(self, count: int) -> NDArray[np.uint64]:
        raise OSError(f"{count} words are not there")
