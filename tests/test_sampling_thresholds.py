# SPDX-License-Identifier: Apache-2.0
"""Integers around cumulative masses: they enclose the exact ones, from every kind of row."""

import gc
import weakref
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rainbowdp.distribution import Distribution
from rainbowdp.line import Line
from rainbowdp.mechanism import LineRows, Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.sampling import thresholds
from rainbowdp.sampling.thresholds import CumulativeMasses, Thresholds
from sampling_rows import ROWS, row


def assert_encloses(found: Thresholds, rows: list[Distribution]) -> None:
    """Require lower <= F 2^64 < lower + slack, by enclosures of 128 bits."""
    assert (found.rows, found.colors) == (len(rows), len(rows[0]))
    for place, distribution in enumerate(rows):
        lower, upper = CumulativeMasses(distribution).cuts(128)
        for bound, below, above in zip(found.lower[:, place].tolist(), lower, upper, strict=True):
            assert bound << 64 <= below
            # A mass of 1 has the largest word for its lower bound.
            assert above <= (bound + found.slack) << 64


def test_rows_one_by_one() -> None:
    rows = list(ROWS.values())
    assert_encloses(Thresholds.of(rows, np.arange(len(rows))), rows)
    assert_encloses(Thresholds.of(rows, np.array([2, 5])), [rows[2], rows[5]])


@given(st.lists(st.lists(st.integers(0, 10**18), min_size=5, max_size=5).filter(any), min_size=1, max_size=5))
def test_the_nearest_floats_of_any_rows(weights: list[list[int]]) -> None:
    rows = [row(*(Fraction(w, sum(weight)) for w in weight)) for weight in weights]
    table = np.array(
        [[float(p) for p in distribution.values() if isinstance(p, Fraction)] for distribution in rows]
    )
    found = Thresholds.around(table)
    assert_encloses(found, rows)
    assert found.slack <= 2**17


@pytest.mark.parametrize("colors", [2, 7, 100, 1000])
def test_floats_of_many_colors(colors: int) -> None:
    values = np.random.default_rng(colors).dirichlet(np.geomspace(1e-3, 1, colors), 5)
    names = [f"c{place:04}" for place in range(colors)]
    mechanism = Mechanism.from_table([">".join(names)] * 5, values)
    found = Thresholds.around(mechanism.table)
    assert_encloses(found, list(mechanism.rows))
    assert found.slack < 2**24


def mixed_rows(privacy: Privacy) -> LineRows:
    """Return rows on two lines, long and short, of unconstrained datasets, and of a region without a line."""
    boundary = Distribution({"a": "1/7", "b": "2/7", "c": "4/7"})
    lines = [Line("a>b>c", boundary, privacy), Line("c>b=a", boundary, privacy), None]
    certain = [Distribution({"a": 1, "b": 0, "c": 0}), Distribution({"a": 0, "b": 0, "c": 1}), boundary]
    regions = np.array([0] * 30 + [1] * 3 + [2] * 2 + [0])
    distances = np.ma.masked_array(np.arange(36, dtype=np.int32), mask=np.arange(36) >= 33)
    return LineRows(lines, certain, regions, distances)


@pytest.mark.parametrize("privacy", [PureDP("1/9"), ApproxDP("1/9", "1/1000"), GaussianDP("1/9")], ids=str)
def test_rows_on_lines_and_beside_them(privacy: Privacy) -> None:
    rows = mixed_rows(privacy)
    for used in (np.arange(36), np.arange(1, 36, 2), np.array([35]), np.array([3, 31])):
        assert_encloses(Thresholds.of(rows, used), [rows[place] for place in used.tolist()])


def test_rows_are_enclosed_once_and_forgotten_with_their_mechanism() -> None:
    rows = mixed_rows(PureDP("1/9"))
    first = Thresholds.of(rows, np.arange(36))
    assert Thresholds.of(rows, np.arange(36)) is first
    assert Thresholds.of(rows, np.arange(35)) is not first
    assert_encloses(Thresholds.of(rows, np.arange(36)), list(rows))
    gone = weakref.ref(rows)
    assert gone in thresholds._KEPT.keyrefs()
    del rows
    gc.collect()
    assert gone() is None
