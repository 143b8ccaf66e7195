# SPDX-License-Identifier: Apache-2.0
"""One exact draw, checked without statistics: all streams of short words are enumerated and counted."""

from fractions import Fraction
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bit_sources import FixedBits
from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError
from rainbowdp.exact import Log, NormalExpression, OddsExpression, enclose
from rainbowdp.sampling.thresholds import CumulativeMasses, settle
from sampling_rows import ROWS, T, row

WORD = 6
T65 = OddsExpression.odds(Log(Fraction(6, 5)))


def normal_row(*prefixes: Fraction) -> Distribution:
    """Return the distribution whose prefix masses are three steps of mu = 1/10 away from these."""
    masses = [NormalExpression.shifted(mass, Fraction(3), Fraction(1, 10)) for mass in prefixes]
    return row(masses[0], *(b - a for a, b in pairwise(masses)), 1 - masses[-1])


CASES = ROWS | {
    "dyadic of sixteen bits": row("1/65536", "30000/65536", "35535/65536"),
    "the paper's": row("3/55", "9/55", "43/55"),
    "zeros between": row("1/7", 0, 0, "6/7"),
    "one color": row(1),
    "decimals below one": row("0.1", "0.2", "0.6999"),
    "odds deep": row(1 - 2 / (T**1000 * 3), 1 / (T**1000 * 3), 1 / (T**1000 * 3)),
    "odds and fractions": row("1/2", T / (2 * T + 2), 1 / (2 * T + 2)),
    "odds and zeros": row(0, T / (T + 1), T - T, 1 / (T + 1), 0),
    "dyadic in disguise": row(T65 / (T65 + 2), 1 / (T65 + 2), 1 / (T65 + 2)),
    "two normals": normal_row(Fraction(1, 4), Fraction(3, 4)),
    "normal with a zero": normal_row(Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)),
}


def fractions(distribution: Distribution) -> list[Fraction]:
    """Return the probabilities of a rational distribution."""
    return [value for value in distribution.values() if isinstance(value, Fraction)]


def outcomes(distribution: Distribution, words: int) -> tuple[list[int], int]:
    """Return how many streams of this many short words draw each color, and how many need another word."""
    counts, open_streams = [0] * len(distribution), 0
    masses = CumulativeMasses(distribution)
    for stream in range(1 << WORD * words):
        later = [stream >> WORD * i & (1 << WORD) - 1 for i in reversed(range(words))]
        source = FixedBits(later[1:], WORD)
        try:
            counts[settle(masses, later[0], WORD, source, WORD)] += 1
        except IndexError:
            open_streams += 1
    return counts, open_streams


def share_bounds(distribution: Distribution) -> list[tuple[Fraction, Fraction]]:
    """Enclose the probabilities divided by their sum, to 1100 bits, apart from the code under test."""
    total = sum(fractions(distribution)) if distribution.is_rational else Fraction(1)
    return [enclose(probability / total, 1100) for probability in distribution.values()]


def check_counts(distribution: Distribution, counts: list[int], still_open: int, streams: int) -> None:
    """Require each probability between its decided share and that plus the undecided share."""
    for (lower, upper), count in zip(share_bounds(distribution), counts, strict=True):
        assert Fraction(count, streams) <= upper
        assert lower <= Fraction(count + still_open, streams)
    assert sum(counts) + still_open == streams
    assert still_open <= 2 * (len(distribution) - 1)


@pytest.mark.parametrize("distribution", CASES.values(), ids=CASES)
def test_all_streams_of_two_short_words(distribution: Distribution) -> None:
    counts, still_open = outcomes(distribution, 2)
    check_counts(distribution, counts, still_open, 1 << 2 * WORD)


@pytest.mark.parametrize("distribution", CASES.values(), ids=CASES)
def test_impossible_colors_are_never_drawn(distribution: Distribution) -> None:
    masses = CumulativeMasses(distribution)
    impossible = {
        at for at, (_, upper) in enumerate(share_bounds(distribution)) if upper <= Fraction(1, 2**199)
    }
    for bits in (8, 64, 256):
        lower, upper = masses.cuts(bits)
        near = {bound + step for bound in (0, *lower, *upper, 1 << bits) for step in range(-2, 3)}
        drawn = {masses.decide(revealed, bits) for revealed in near if 0 <= revealed < 1 << bits}
        assert not drawn & impossible


@pytest.mark.parametrize("distribution", CASES.values(), ids=CASES)
@pytest.mark.parametrize("bits", [1, 16, 64, 256, 1000])
def test_decided_intervals_have_the_lengths_of_floors_and_ceilings(
    distribution: Distribution, bits: int
) -> None:
    lower, upper = CumulativeMasses(distribution).cuts(bits)
    assert (list(lower), list(upper)) == (sorted(lower), sorted(upper))
    assert all(0 <= a <= b <= a + 2 and b <= 1 << bits for a, b in zip(lower, upper, strict=True))
    starts, ends = (0, *upper), (*lower, 1 << bits)
    counts = [max(end - start, 0) for start, end in zip(starts, ends, strict=True)]
    check_counts(distribution, counts, (1 << bits) - sum(counts), 1 << bits)


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=6).filter(any),
    st.lists(st.integers(0, (1 << WORD) - 1), min_size=12, max_size=12),
)
def test_the_drawn_color_is_the_first_whose_cumulative_mass_exceeds_u(
    weights: list[int], stream: list[int]
) -> None:
    distribution = row(*(Fraction(weight, sum(weights)) for weight in weights))
    # The stream goes on with zeros, so U is exactly `value`.
    value = sum(Fraction(word, 1 << WORD * (i + 1)) for i, word in enumerate(stream))
    expected = next(i for i, mass in enumerate(accumulate(fractions(distribution))) if mass > value)
    source = FixedBits([*stream[1:], *[0] * 40], WORD)
    assert settle(CumulativeMasses(distribution), stream[0], WORD, source, WORD) == expected


@pytest.mark.parametrize("name", ["odds", "two normals", "dyadic in disguise"])
def test_irrational_masses_are_refined_until_they_are_decided(name: str) -> None:
    distribution = CASES[name]
    masses = CumulativeMasses(distribution)
    lower, upper = enclose(next(iter(distribution.values())), 2000)
    for bound, expected in ((lower - Fraction(1, 2**1024), 0), (upper + Fraction(1, 2**1024), 1)):
        revealed = bound.numerator * 2**1280 // bound.denominator
        words = [revealed >> shift & 2**64 - 1 for shift in range(1280 - 64, -1, -64)]
        source = FixedBits(words[1:])
        assert settle(masses, words[0], 64, source) == expected
        # Some 1024 bits were needed: 16 of the 20 words, give or take one.
        assert 2 <= len(source.left) <= 5


def test_cuts_are_at_most_two_apart_where_every_enclosure_straddles_the_grid() -> None:
    # Six probabilities so near to multiples of 2^-67 that their enclosures have one inside.
    near = [Fraction(n, 2**67) + (T - 3) / 2**250 for n in (1, 2**60 + 1, 1, 2**61, 2**62, 0)]
    probabilities = [*near[:5], near[5] + Fraction(2**63, 2**67), 1 - Fraction(2**63, 2**67) - sum(near)]
    masses = CumulativeMasses(Distribution.trusted(dict(zip("abcdefg", probabilities, strict=True))))
    lower, upper = masses.cuts(64)
    assert max(above - below for below, above in zip(lower, upper, strict=True)) <= 2


@pytest.mark.parametrize(
    "row",
    [row(), row(Fraction(0), Fraction(0)), row(Fraction(-1, 2), Fraction(3, 2))],
    ids=["empty", "zeros", "negative"],
)
def test_a_wrong_distribution_is_refused(row: Distribution) -> None:
    with pytest.raises(DistributionError, match="cannot be drawn from"):
        CumulativeMasses(row)
