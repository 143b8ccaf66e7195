# SPDX-License-Identifier: Apache-2.0
"""Draws from a mechanism one a call: the same colors from the same words, with and without kept tables."""

import numpy as np
import pytest

import rainbowdp as rdp
from bit_sources import FixedBits, ReplayBits
from rainbowdp.errors import DistributionError
from rainbowdp.sampling.answers import FIRST_DRAWS, MOST_CLASSES, MOST_DISTANCE, thresholds_of
from rainbowdp.sampling.thresholds import Thresholds
from sampling_rows import ROWS, critical_pairs, mechanism_of, on_line, on_path, row

MECHANISMS = {
    "rational": on_path(12, rdp.PureDP("ln 2")),
    "irrational": on_path(12, rdp.PureDP("1/2")),
    "approximate": on_path(12, rdp.ApproxDP("1/2", "1/1000")),
    "gaussian": on_path(8, rdp.GaussianDP("1/2")),
    "floats": rdp.Mechanism.from_table(["a>b>c"], np.array([[0.7, 0.2, 0.1]])),
    "all kinds": mechanism_of(tuple(ROWS.values())),
}


def used(mechanism: rdp.Mechanism) -> Thresholds:
    """Draw from a mechanism until its thresholds are kept, and return these."""
    for _ in range(FIRST_DRAWS):
        rdp.sample(mechanism, 0)
    found = thresholds_of(mechanism)
    assert found is not None
    return found


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
def test_kept_thresholds_draw_what_the_distribution_draws(mechanism: rdp.Mechanism) -> None:
    used(mechanism)
    for dataset in range(mechanism.size):
        near = [divmod(pair, 2**64) for pair in critical_pairs(mechanism.distribution(dataset))]
        for words in [*near, *np.random.PCG64(dataset).random_raw((6, 2)).tolist()]:
            kept, anew = (FixedBits([*words, 12345, 678, 90]) for _ in range(2))
            drawn = rdp.sample(mechanism, dataset, bits=kept)
            assert drawn == rdp.sampling.sample_distribution(mechanism.distribution(dataset), bits=anew)
            assert kept.left == anew.left


def test_the_first_draws_and_the_later_ones_are_one_stream() -> None:
    mechanism = on_path(30, rdp.PureDP("1/3"))
    bits, again = ReplayBits(5), ReplayBits(5)
    drawn = [rdp.sample(mechanism, at % 30, bits=bits)[0] for at in range(600)]
    assert set(drawn) == {"a", "b", "c"}
    assert drawn == [
        rdp.sampling.sample_distribution(mechanism.distribution(at % 30), bits=again)[0] for at in range(600)
    ]


def test_what_is_kept_does_not_depend_on_what_was_drawn_from() -> None:
    here, there = on_path(20, rdp.PureDP("1/2")), on_path(20, rdp.PureDP("1/2"))
    for at in range(FIRST_DRAWS):
        assert thresholds_of(here) is None
        rdp.sample(there, at)
    first, second = thresholds_of(here), used(there)
    assert first is not None
    assert (first.whole_numbers, first.slack) == (second.whole_numbers, second.slack)
    assert first.rows == here.class_count


def test_mechanisms_that_would_take_long_are_looked_at_draw_by_draw() -> None:
    wide = on_path(2 * MOST_CLASSES + 2, rdp.PureDP("ln 2"))
    deep = on_line(rdp.Distribution({"a": "1/2", "b": "1/2"}), rdp.PureDP("ln 2"), [0, MOST_DISTANCE + 1])
    for mechanism in (wide, deep):
        for _ in range(FIRST_DRAWS):
            rdp.sample(mechanism, 0)
        assert thresholds_of(mechanism) is None
        assert rdp.sample(mechanism, 0)[0] in {"a", "b", "c"}


def test_a_row_that_cannot_be_drawn_from_stops_no_draw_from_another() -> None:
    mechanism = mechanism_of((row("1/2", "1/2"), row(0, 0)))
    for _ in range(2 * FIRST_DRAWS):
        assert rdp.sample(mechanism, 0)[0] in {"a", "b"}
    with pytest.raises(DistributionError, match="cannot be drawn from"):
        rdp.sample(mechanism, 1)
