# SPDX-License-Identifier: Apache-2.0
"""Draws from distributions and mechanisms, as people call for them."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from bit_sources import ReplayBits
from rainbowdp.errors import DistributionError, UnknownDatasetError, UsageError
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.sampling import sample, sample_all, sample_distribution
from rainbowdp.sampling.answers import Method
from rainbowdp.sampling.thresholds import CumulativeMasses
from sampler_checks import DRAWS, count_colors, ideal_of, passes
from sampling_rows import ROWS, on_path, row

LABELS = list("abcdefghijkl")
PRIVACIES = [PureDP("ln 2"), PureDP(1), ApproxDP("1/2", "1/100"), GaussianDP("1/2")]


@pytest.mark.parametrize("method", ["constant", "lazy"])
@pytest.mark.parametrize("privacy", PRIVACIES, ids=str)
def test_every_dataset_of_a_mechanism_is_drawn_with_its_own_distribution(
    privacy: Privacy, method: Method
) -> None:
    mechanism = on_path(12, privacy)
    chosen = np.array([0, 4, 5, 6, 9])
    datasets = np.tile(chosen, DRAWS)
    drawn = sample_all(mechanism, datasets, method=method, bits=ReplayBits(41)).reshape(DRAWS, len(chosen))
    for place, dataset in enumerate(chosen.tolist()):
        counts = count_colors(drawn[:, place], 3)
        assert passes(counts, ideal_of(mechanism.distribution(dataset)))
        assert not passes(counts, ideal_of(mechanism.distribution((dataset + 2) % 12)))


def test_each_way_to_name_datasets_draws_the_same() -> None:
    mechanism = on_path(12, PureDP(1), LABELS)
    everything, some = np.arange(12), np.array([0, 11, 0, 2])
    for numbers, ways in (
        (everything, (None, np.ones(12, dtype=np.bool_), LABELS)),
        (everything[10:], (everything > 9, ["k", "l"])),
        (some, (["a", "l", "a", "c"], np.array(["a", "l", "a", "c"]), some.astype(np.uint8))),
        (np.array([], dtype=np.int64), ([],)),
    ):
        expected = sample_all(mechanism, numbers, bits=ReplayBits(42))
        assert expected.shape == numbers.shape
        for way in ways:
            assert sample_all(mechanism, way, bits=ReplayBits(42)).tolist() == expected.tolist()


def test_stated_decimals_are_divided_by_their_sum() -> None:
    table = np.array([[0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]])
    mechanism = Mechanism.from_table(["a>b>c", "b>a>c"], table)
    total = sum(mechanism.rows[1].values(), Fraction(0))
    assert total == 1 - Fraction(1, 10**16)
    assert CumulativeMasses(mechanism.rows[1]).cuts(64) == CumulativeMasses(ROWS["thirds"]).cuts(64)
    drawn = sample_all(mechanism, np.ones(DRAWS, dtype=np.int64), bits=ReplayBits(46))
    assert passes(count_colors(drawn, 3), [1 / 3] * 3)


@pytest.mark.parametrize("datasets", [np.array([12]), np.array([0, -1]), ["a", "m"], np.array(["aa"])])
def test_unknown_datasets_are_refused(datasets: Sequence[str] | NDArray[np.int64]) -> None:
    with pytest.raises(UnknownDatasetError):
        sample_all(on_path(12, PureDP("ln 2"), LABELS), datasets)


def test_other_misuse_is_refused_with_its_value() -> None:
    mechanism = on_path(12, PureDP("ln 2"), LABELS)
    with pytest.raises(UsageError, match=r"shape \(3,\) does not fit 12"):
        sample_all(mechanism, np.array([True, False, True]))
    with pytest.raises(UsageError, match=r"shape \(1, 2\)"):
        sample_all(mechanism, np.array([[1, 2]]))
    with pytest.raises(UsageError, match="-1 is not a number of draws"):
        sample(mechanism, "a", -1)
    for draw in (
        lambda: sample(mechanism, "a", method="quick"),  # type: ignore[arg-type]  # wrong on purpose
        lambda: sample_all(mechanism, method=["lazy"]),  # type: ignore[arg-type]  # wrong on purpose
        lambda: sample_distribution(ROWS["thirds"], 0, method=None),  # type: ignore[arg-type]  # wrong on purpose
    ):
        with pytest.raises(UsageError, match="is not a method"):
            draw()
    with pytest.raises(UnknownDatasetError, match="'z'"):
        sample(mechanism, "z")
    with pytest.raises(DistributionError, match="cannot be drawn from"):
        sample_distribution(row(0, 0))
