# SPDX-License-Identifier: Apache-2.0
"""Float64 tables and integer masses of the line against enclosures of thousands of bits, entry by entry."""

import math
from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from line_cases import ORACLE_BITS, color_ball, normal_lines, odds_lines
from rainbowdp.distribution import Distribution
from rainbowdp.errors import NumberError
from rainbowdp.exact import OddsExpression, bounds, to_float
from rainbowdp.line import Line
from rainbowdp.line.integer_masses import MassTable, _product
from rainbowdp.mechanism import LineRows
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.rainbow import Rainbow

BRG = Rainbow.parse("blue>red>green")
EXAMPLE_1 = Distribution({"blue": "3/55", "red": "9/55", "green": "43/55"})
LARGEST = 2**53
SMALLEST = Fraction(1, 10**300)
PROMISED = 1e-12
REACHED = 3e-15  # about a dozen units in the last place

_bases = st.one_of(st.integers(0, 60), st.integers(0, LARGEST), st.integers(0, 53).map(lambda bits: 2**bits))


def interesting(line: Line, drawn: Sequence[int]) -> list[int]:
    """Return distances around the thresholds, between them and beyond, besides the drawn ones."""
    found = {0, 1, LARGEST, *drawn}
    for threshold in line.thresholds:
        if threshold is not None:
            found |= {threshold + step for step in (-1, 0, 1, 2)}
            found |= {threshold // 2, threshold + 20, 2 * threshold, 3 * threshold + 7}
    return sorted(distance for distance in found if 0 <= distance <= LARGEST)


def exact_entry(line: Line, color: str, distance: int) -> Fraction:
    """Return the probability from the oracle, relatively accurate, or 0 where it is below all floats."""
    for bits in ORACLE_BITS:
        with flint.ctx.workprec(bits):
            value = color_ball(line, color, distance)
            if value.abs_upper() < flint.arb(2) ** -1100:
                return Fraction(0)
            if value.is_finite() and value.rel_accuracy_bits() > 100:
                lower, upper = bounds(value)
                return (lower + upper) / 2
    raise AssertionError(f"the oracle needs more than {ORACLE_BITS[-1]} bits at distance {distance}")


def largest_error(line: Line, distances: Sequence[int]) -> float:
    """Return the largest relative error of the table; below 1e-300 an entry only has to be small too."""
    table = line.probabilities(distances)
    assert np.abs(table.sum(axis=1) - 1).max() < REACHED
    worst = 0.0
    for row, distance in zip(table, distances, strict=True):
        for found, color in zip(row, line.rainbow.colors, strict=True):
            true = exact_entry(line, color, distance)
            if true < SMALLEST:
                assert 0 <= found < 1.001e-300
            else:
                worst = max(worst, float(abs(Fraction(float(found)) - true) / true))
    return worst


@given(odds_lines(), st.lists(_bases, max_size=4))
def test_odds_tables_are_relatively_accurate(
    drawn: tuple[Rainbow, Distribution, PureDP | ApproxDP], distances: list[int]
) -> None:
    line = Line(*drawn)
    assert largest_error(line, interesting(line, distances)) < REACHED < PROMISED


@given(normal_lines(), st.lists(_bases, max_size=6), st.integers(0, 80))
@example((BRG, EXAMPLE_1, GaussianDP("1/10")), list(range(0, 400, 13)), 0)
def test_gaussian_tables_are_relatively_accurate(
    drawn: tuple[Rainbow, Distribution, GaussianDP], distances: list[int], deviations: int
) -> None:
    line = Line(*drawn)
    # Where the first prefix has moved by so many standard deviations.
    mu = (
        float(str(drawn[2].mu)) if isinstance(drawn[2].mu, Fraction) and drawn[2].mu.denominator == 1 else 0.1
    )
    moved = min(int(deviations / max(mu, 1e-3)), LARGEST)
    assert largest_error(line, interesting(line, [*distances, moved])) < REACHED < PROMISED


def test_rows_do_not_depend_on_the_other_rows() -> None:
    """Sorted, shuffled, repeated, dense and sparse requests take different ways to the same numbers."""
    rng = np.random.default_rng(5)
    for privacy in (PureDP("1e-3"), ApproxDP("1e-3", "1e-7"), GaussianDP("1e-3")):
        line = Line(BRG, EXAMPLE_1, privacy)
        every = np.arange(30_000)
        whole = line.probabilities(every)
        shuffled = rng.permutation(every)
        assert np.array_equal(line.probabilities(shuffled), whole[shuffled])
        repeated = rng.integers(0, 100, 50_000)
        assert np.array_equal(line.probabilities(repeated), whole[repeated])
        few = rng.integers(0, 30_000, 50)
        assert np.array_equal(line.probabilities(few), whole[few])
        assert np.array_equal(line.probabilities(few.astype(np.uint16)), whole[few])
        far = np.array([LARGEST, 3, 10**12])
        alone = np.vstack([line.probabilities([int(distance)]) for distance in far])
        assert np.array_equal(line.probabilities(far), alone)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([-1, 2], "the distance -1 is outside"),
        ([2**53 + 1], "the distance 9007199254740993 is outside"),
        ([1.5], "type float64"),
        ([True], "type bool"),
        (["3"], "type <U1"),
        ([[1, 2]], r"shape \(1, 2\)"),
        (3, r"shape \(\)"),
        (np.ma.masked_array([1, 2], [False, True]), "masked"),
    ],
)
def test_wrong_distances_are_refused(wrong: object, message: str) -> None:
    line = Line(BRG, EXAMPLE_1, PureDP(1))
    with pytest.raises(NumberError, match=message):
        line.probabilities(wrong)  # type: ignore[arg-type]  # wrong shapes and types on purpose


@pytest.mark.parametrize(
    "privacy", [PureDP(100), ApproxDP(1, "1/10"), ApproxDP(1, "1e-30"), GaussianDP(100)], ids=str
)
@pytest.mark.parametrize("boundary", [("1/2", "1/4", "1/4"), ("0", "1", "0"), ("1", "0", "0")], ids=str)
@pytest.mark.parametrize("rainbow", ["blue>red>green", "blue=red>green"])
def test_a_probability_is_1_exactly_where_its_float_is(
    privacy: PureDP | ApproxDP | GaussianDP, boundary: tuple[str, ...], rainbow: str
) -> None:
    line = Line(rainbow, dict(zip(("blue", "red", "green"), boundary, strict=True)), privacy)
    distances = [0, 1, 2, 3, 20, 200]
    table = line.probabilities(distances)
    for row, distance in zip(table == 1, distances, strict=True):
        assert row.tolist() == [value == 1 for value in line.distribution(distance).values()]


PARTS = {"a": "1/12", "b": "1/6", "c": "1/4", "d": "1/4", "e": "1/8", "f": "1/8"}
SHARED = ("a>b>c>d>e>f", "a>b>d>c>f>e", "c=d>a=b>e>f", "c=d>a=b>f>e", "e=f=a>b=c=d")


@pytest.mark.parametrize("privacy", [PureDP("1/2"), ApproxDP("1/2", "1/100"), GaussianDP("1/3")], ids=str)
def test_lines_of_many_regions_share_what_is_equal_and_nothing_else(privacy: Privacy) -> None:
    lines = [Line(text, PARTS, privacy) for text in SHARED]
    distances = (0, 1, 2, 3, 11)
    regions = np.repeat(np.arange(len(lines)), len(distances))
    masked = np.ma.MaskedArray(np.tile(distances, len(lines)), mask=False)
    rows = LineRows(lines, [line.boundary for line in lines], regions, masked)
    table = rows.float_table()
    assert len({id(line._table) for line in lines}) == 3
    for place, (region, distance) in enumerate(zip(regions.tolist(), masked.tolist(), strict=True)):
        row = lines[region].distribution(distance)
        assert rows[place] == row
        assert table[place] == pytest.approx(
            [to_float(value, "nearest") for value in row.values()], rel=REACHED
        )


def test_lines_with_other_numbers_share_nothing() -> None:
    notions = (PureDP("1/2"), ApproxDP("1/2", 0), PureDP("ln 2"), GaussianDP("1/2"))
    lines = [Line("a>b>c>d>e>f", PARTS, privacy) for privacy in notions]
    lines += [Line(text, PARTS, PureDP("1/2")) for text in ("a>b>c=d>e>f", "b>a>c>d>e>f")]
    odds = OddsExpression.odds(Fraction(1, 2))
    for top in (odds, 2 * odds):
        response = {"a": top / (top + 5)} | dict.fromkeys("bcdef", 1 / (top + 5))
        lines.append(Line("a>b>c>d>e>f", response, PureDP("1/2")))
    assert len({id(line._table) for line in lines}) == len(lines)


def assert_enclosed(line: Line, table: MassTable, distances: Sequence[int]) -> None:
    """Require the oracle's cumulative masses between the bounds, which are close to each other."""
    lower, slack = table.lower_bounds(line, np.array(distances))
    colors = line.rainbow.colors
    assert lower.shape == (len(colors) - 1, len(distances))
    assert slack <= 200 * len(colors)
    with flint.ctx.workprec(1600):
        for place, distance in enumerate(distances):
            total = flint.arb(0)
            for at, color in enumerate(colors[:-1]):
                total += color_ball(line, color, distance)
                assert total.is_finite()
                assert total.rad() < 1e-30
                bound = int(lower[at, place]) * flint.arb(2) ** -64
                assert total - bound > -1e-30, (color, distance)
                assert total - bound < slack * flint.arb(2) ** -64, (color, distance)


@given(st.one_of(odds_lines(), normal_lines()), st.lists(_bases, max_size=5))
def test_integers_enclose_the_masses(
    drawn: tuple[Rainbow, Distribution, Privacy], distances: list[int]
) -> None:
    line = Line(*drawn)
    assert_enclosed(line, MassTable(line.privacy), interesting(line, distances))


@pytest.mark.parametrize(
    "privacy",
    [PureDP("1/50"), PureDP("1e-6"), ApproxDP("1/100", "1e-5"), ApproxDP(0, "1/300"), GaussianDP("1/100")],
    ids=str,
)
def test_one_table_serves_long_stretches_of_several_lines(privacy: Privacy) -> None:
    """Many distances and lines share enclosures; each one comes out as it does alone, but for the error."""
    boundary = Distribution({"a": "1/1000", "b": "1/7", "c": "1/20", "d": "5643/7000"})
    table, many = MassTable(privacy), np.arange(0, 3000, 7)
    for text in ("c>a=d>b", "b>a>c=d"):
        line = Line(text, boundary, privacy)
        lower, slack = table.lower_bounds(line, many)
        assert_enclosed(line, table, many[::80].tolist())
        for place in range(0, many.size, 80):
            alone, _ = MassTable(privacy).lower_bounds(line, many[place : place + 1])
            for one, other in zip(lower[:, place].tolist(), alone[:, 0].tolist(), strict=True):
                assert abs(one - other) < slack


@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=20), st.lists(st.integers(0, 2**62), min_size=1))
def test_products_are_too_small_by_less_than_two_units(first: list[int], second: list[int]) -> None:
    first, second = [*first, 2**62, 2**62 - 1, 2**31], [*second, 2**62, 2**62 - 1, 2**31 - 1]
    for factor in second:
        for one, product in zip(first, _product(np.array(first), np.int64(factor)).tolist(), strict=True):
            assert product <= Fraction(one * factor, 2**62) < product + 2


def test_no_probability_below_one_is_rounded_to_one_whatever_its_share() -> None:
    z, rest = Fraction(39, 20_000_000_000_000_000_000), Fraction(1, 2**53)
    boundary = {"red": (1 - z) * (1 - rest), "blue": (1 - z) * rest, "Z": z}
    line = Line(Rainbow.parse("red=blue>Z"), Distribution(boundary), ApproxDP("0.1", "1e-20"))
    column = line.probabilities(range(60))[:, line.rainbow.colors.index("red")]
    assert line.distribution(24)["red"] != 1
    assert column.max() == math.nextafter(1, 0)
