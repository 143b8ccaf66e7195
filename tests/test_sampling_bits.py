# SPDX-License-Identifier: Apache-2.0
"""Sources of bits: the operating system's, the tests' replayable ones, and those that break their promise."""

import inspect
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from bit_sources import ReplayBits
from rainbowdp import sampling
from rainbowdp.sampling import SystemBits, answers, thresholds
from rainbowdp.sampling import bits as bits_module
from rainbowdp.sampling.bits import BitSource, words_in_blocks
from sampler_checks import count_colors, passes

MODULES = [sampling, answers, bits_module, thresholds]


@pytest.mark.parametrize("source", [SystemBits(), ReplayBits(5)])
def test_bits_and_words_are_uniform(source: BitSource) -> None:
    words = source.words(125_000)
    assert words.dtype == np.uint64
    assert words.shape == (125_000,)
    high, low = words >> np.uint64(59), words & np.uint64(31)
    for part in (words.view(np.uint8) & 7, (words.view(np.uint8) >> 5)):
        assert passes(count_colors(part, 8), [1 / 8] * 8)
    assert set(high.tolist()) == set(low.tolist()) == set(range(32))
    assert {source.bits(2) for _ in range(200)} == {0, 1, 2, 3}
    assert source.bits(300).bit_length() > 200
    assert all(0 <= source.bits(7) < 128 for _ in range(200))


def test_replayed_bits_are_the_same_whether_read_as_words_or_one_by_one() -> None:
    words = ReplayBits(7).words(20).tolist()
    source = ReplayBits(7)
    assert [source.bits(64) for _ in range(20)] == words
    assert ReplayBits(7).bits(8) == words[0] >> 56
    assert ReplayBits(7).bits(100) == (words[0] << 64 | words[1]) >> 28
    assert ReplayBits(8).words(20).tolist() != words


@pytest.mark.parametrize("sizes", [[], [5], [70_000], [40_000, 40_000, 40_000, 7], [20_000] * 9, [3, 2, 1]])
def test_blocks_of_system_bits_are_fresh_whoever_fetches_them(sizes: list[int]) -> None:
    blocks = list(words_in_blocks(SystemBits(), sizes))
    assert [block.shape for block in blocks] == [(size,) for size in sizes]
    words = np.concatenate([SystemBits().words(1000), SystemBits().words(0), *blocks])
    assert len(np.unique(words)) == 1000 + sum(sizes)


def test_blocks_of_other_sources_are_read_in_the_order_of_their_use() -> None:
    class Ordered(SystemBits):
        def words(self, count: int) -> NDArray[np.uint64]:
            return replayed.words(count)

    replayed = ReplayBits(9)
    for source in (ReplayBits(9), Ordered()):
        blocks = words_in_blocks(source, [40_000, 40_000])
        found = np.concatenate([next(blocks), source.words(1), next(blocks)])
        assert np.array_equal(found, ReplayBits(9).words(80_001))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_no_module_keeps_a_source_and_no_function_has_one_by_default(module: ModuleType) -> None:
    kept = [
        name
        for name, value in vars(module).items()
        if hasattr(value, "words") and not isinstance(value, type)
    ]
    assert kept == []
    for name, function in vars(module).items():
        if inspect.isfunction(function):
            for parameter in inspect.signature(function).parameters.values():
                assert not hasattr(parameter.default, "words"), name
                assert parameter.name not in {"seed", "rng", "generator", "random_state"}, name
