# SPDX-License-Identifier: Apache-2.0
"""The float filter of `verify` clears nothing that exact arithmetic refuses."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from rainbowdp.exact import enclose, normal_cdf, normal_quantile
from rainbowdp.graph import DatasetGraph
from rainbowdp.mechanism import Mechanism
from rainbowdp.privacy import ApproxDP, GaussianDP, PureDP
from rainbowdp.rainbow import Rainbow
from rainbowdp.verification import verify
from rainbowdp.verification.gaussian_filter import MASS_ABSOLUTE, QUANTILE_ABSOLUTE, QUANTILE_RELATIVE

TINY = Fraction(99, 100) / 2**54


@pytest.mark.parametrize("copies", [1, 70])
def test_many_tiny_excesses_beyond_delta_are_summed_exactly(copies: int) -> None:
    colors = [f"c{index:03}" for index in range(280)]
    left = dict.fromkeys(colors, TINY) | {"c000": Fraction(1, 2), "c279": Fraction(1, 2) - 278 * TINY}
    right = dict.fromkeys(colors, Fraction(0)) | {"c279": Fraction(1)}
    # Rows that differ in one place make every pair of datasets a pair of classes of its own.
    rows = []
    for index in range(copies):
        moved = Fraction(index, 2**80)
        rows += [left | {"c000": left["c000"] + moved, "c279": left["c279"] - moved}, right]
    rainbow = Rainbow([[color] for color in colors])
    mechanism = Mechanism.from_table([rainbow] * len(rows), rows)
    pairs = DatasetGraph.from_pairs(len(rows), np.arange(0, len(rows), 2), np.arange(1, len(rows), 2))
    slack = Fraction(1, 2) + 270 * Fraction(1, 2**54)
    excess = Fraction(1, 2) + 278 * TINY - slack
    assert excess > 0
    found = verify(mechanism, pairs, ApproxDP("ln 2", slack))
    assert not found.holds
    assert found.witness is not None
    assert found.witness.excess == excess + Fraction(copies - 1, 2**80)
    assert verify(mechanism, pairs, ApproxDP("ln 2", slack + excess + Fraction(copies - 1, 2**80))).holds


def test_a_large_epsilon_overflows_nowhere() -> None:
    mechanism = Mechanism.from_table(["a>b", "b>a"] * 50, np.array([[1.0, 0.0]] * 100))
    line = DatasetGraph.from_pairs(100, np.arange(99), np.arange(1, 100))
    assert verify(mechanism, line, PureDP(1000)).holds


def test_strict_gaussian_judgement_does_not_clear_what_it_cannot_decide() -> None:
    privacy = GaussianDP(1)
    limit = privacy.propagate(Fraction(1, 4))
    digits = 1300
    # The closest decimal above the limit, too close for 4096 bits to tell.
    above = Fraction(int(enclose(limit, 8192)[1] * 10**digits) + 1, 10**digits)
    texts = [[decimal(above, digits), decimal(1 - above, digits)], ["0.25", "0.75"]]
    mechanism = Mechanism.from_table(["a>b", "b>a"], np.array(texts, dtype=object), precision="float64")
    pair = DatasetGraph.from_pairs(2, [0], [1])
    assert verify(mechanism, pair, privacy).holds
    strict = verify(mechanism, pair, privacy, strict=True)
    assert not strict.holds
    assert strict.witness is not None
    assert strict.witness.undecided


def test_scipy_keeps_within_a_thousandth_of_what_the_gaussian_filter_allows_it() -> None:
    small = [math.ldexp(1.0, -power) for power in range(1, 1075)]
    middle = [index / 1009 for index in range(1, 1009)]
    masses = np.array([*small, *middle, *(1 - mass for mass in small[:53])])
    for mass, found in zip(masses.tolist(), ndtri(masses).tolist(), strict=True):
        with flint.ctx.workprec(256):
            exact = normal_quantile(flint.arb(mass))
            allowed = (QUANTILE_ABSOLUTE + QUANTILE_RELATIVE * abs(exact)) / 1000
            assert abs(exact - found) < allowed, mass
    points = np.linspace(-39, 9, 4801)
    for point, found in zip(points.tolist(), ndtr(points).tolist(), strict=True):
        with flint.ctx.workprec(256):
            assert abs(normal_cdf(flint.arb(point)) - found) < MASS_ABSOLUTE / 1000, point


def decimal(value: Fraction, digits: int) -> str:
    """Return a fraction between 0 and 1 with this many decimals."""
    return f"0.{int(value * 10**digits):0{digits}}"
