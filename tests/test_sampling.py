# SPDX-License-Identifier: Apache-2.0
"""Draws from distributions and mechanisms, as people call for them."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from bit_sources import ReplayBits
from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError, UnknownDatasetError, UsageError
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow
from rainbowdp.sampling import sample, sample_all, sample_distribution
from rainbowdp.sampling.answers import Method
from rainbowdp.sampling.thresholds import CumulativeMasses
from sampler_checks import DRAWS, count_colors, ideal_of, passes
from sampling_rows import ROWS, row


def line_mechanism(privacy: Privacy) -> Mechanism:
    """Return the optimal mechanism of a path with two orders, six datasets each: a, b, ... l."""
    boundary = Distribution({"blue": "1/3", "green": "1/3", "red": "1/3"})
    rainbows = [Rainbow.parse("blue>red>green"), Rainbow.parse("green>red>blue")]
    places = [(rainbows[0], distance) for distance in (5, 4, 3, 2, 1, 0)]
    places += [(rainbows[1], distance) for distance in range(6)]
    rows = tuple(Line(rainbow, boundary, privacy).distribution(distance) for rainbow, distance in places)
    return Mechanism(
        colors=("blue", "green", "red"),
        codes=np.arange(12, dtype=np.int32),
        class_rainbow=tuple(rainbow for rainbow, _ in places),
        class_distance=np.ma.masked_array(np.array([d for _, d in places], dtype=np.int32)),
        rows=rows,
        precision="exact" if privacy.is_rational else "float64",
        labels=np.array(list("abcdefghijkl")),
    )


PRIVACIES = [PureDP("ln 2"), PureDP(1), ApproxDP("1/2", "1/100"), GaussianDP("1/2")]


@pytest.mark.parametrize("method", ["constant", "lazy"])
@pytest.mark.parametrize("privacy", PRIVACIES, ids=str)
def test_every_dataset_of_a_mechanism_is_drawn_with_its_own_distribution(
    privacy: Privacy, method: Method
) -> None:
    mechanism = line_mechanism(privacy)
    chosen = np.array([0, 4, 5, 6, 9])
    datasets = np.tile(chosen, DRAWS)
    drawn = sample_all(mechanism, datasets, method=method, bits=ReplayBits(41)).reshape(DRAWS, len(chosen))
    for place, dataset in enumerate(chosen.tolist()):
        counts = count_colors(drawn[:, place], 3)
        assert passes(counts, ideal_of(mechanism.rows[dataset]))
        assert not passes(counts, ideal_of(mechanism.rows[(dataset + 2) % 12]))


def test_each_way_to_name_datasets_draws_the_same() -> None:
    mechanism = line_mechanism(PureDP(1))
    names, numbers = ["a", "l", "a", "c"], np.array([0, 11, 0, 2])
    by_name = sample_all(mechanism, names, bits=ReplayBits(42))
    assert by_name.tolist() == sample_all(mechanism, np.array(names), bits=ReplayBits(42)).tolist()
    assert by_name.tolist() == sample_all(mechanism, numbers, bits=ReplayBits(42)).tolist()
    assert by_name.tolist() == sample_all(mechanism, numbers.astype(np.uint8), bits=ReplayBits(42)).tolist()
    everything = sample_all(mechanism, bits=ReplayBits(43))
    assert everything.shape == (12,)
    assert (
        everything.tolist()
        == sample_all(mechanism, np.ones(12, dtype=np.bool_), bits=ReplayBits(43)).tolist()
    )
    assert everything.tolist() == sample_all(mechanism, list("abcdefghijkl"), bits=ReplayBits(43)).tolist()
    assert sample_all(mechanism, np.arange(12) > 9, bits=ReplayBits(44)).shape == (2,)
    assert sample_all(mechanism, []).tolist() == []
    assert sample_all(mechanism, np.array([], dtype=np.int64)).tolist() == []


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
        sample_all(line_mechanism(PureDP("ln 2")), datasets)


def test_other_misuse_is_refused_with_its_value() -> None:
    mechanism = line_mechanism(PureDP("ln 2"))
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
