# SPDX-License-Identifier: Apache-2.0
"""What lines work out once for several colors, distances or regions is what each would have worked out."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest

from rainbowdp.exact import OddsExpression
from rainbowdp.line import Line
from rainbowdp.mechanism import LineRows
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP

NOTIONS: tuple[Privacy, ...] = (
    PureDP("1/2"),
    PureDP("ln(6/5)"),
    PureDP(0),
    ApproxDP("1/2", "1/100"),
    ApproxDP("ln 2", "1/50"),
    GaussianDP("1/3"),
)
BOUNDARY = {"a": "1/12", "b": "1/6", "c": "1/4", "d": "1/4", "e": "1/8", "f": "1/8"}
RENAMED = {"a": "b", "b": "c", "c": "d", "d": "e", "e": "f", "f": "a"}
RAINBOWS = ("a>b>c>d>e>f", "c=d>a=b>e>f", "a=b=c=d=e=f", "f>c=d=e>a=b", "e=f=a>b=c=d")
DISTANCES = (0, 1, 2, 3, 11)


def renamed(line: Line) -> Line:
    """Return the same line with other names of the colors."""
    classes = ("=".join(RENAMED[color] for color in tied) for tied in line.rainbow.classes)
    boundary = {RENAMED[color]: value for color, value in line.boundary.items()}
    return Line(">".join(classes), boundary, line.privacy)


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
@pytest.mark.parametrize("rainbow", RAINBOWS)
def test_every_color_has_its_share_of_its_class(rainbow: str, privacy: Privacy) -> None:
    line = Line(rainbow, BOUNDARY, privacy)
    for distance, symbolic in itertools.product(DISTANCES, (False, True)):
        masses = (Fraction(0), *line.prefix_masses(distance, symbolic=symbolic))
        found = line.distribution(distance, symbolic=symbolic)
        for at, tied in enumerate(line.rainbow.classes):
            for color in tied:
                expected = (masses[at + 1] - masses[at]) * line.boundary.share(color, tied)
                assert repr(found[color]) == repr(expected)


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
def test_tied_colors_of_one_share_hold_one_number(privacy: Privacy) -> None:
    found = Line("c=d>a>e=f>b", BOUNDARY, privacy).distribution(3)
    assert found["c"] is found["d"]
    assert found["e"] is found["f"]
    unlike = Line("a=b=c=d>e=f", BOUNDARY, privacy).distribution(3)
    assert unlike["c"] is not unlike["a"]
    assert unlike["b"] == 2 * unlike["a"]


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
@pytest.mark.parametrize("rainbow", RAINBOWS)
def test_a_shared_table_has_the_floats_of_an_own_one(rainbow: str, privacy: Privacy) -> None:
    first = Line(rainbow, BOUNDARY, privacy)
    other, alone = renamed(first), renamed(first)
    assert len(first.probabilities([1])) == 1
    assert other._table is first._table
    steps = np.array([0, 5, 1, 40, 2, 2, 700])
    assert np.array_equal(other.probabilities(steps), alone.probabilities(steps))


def test_lines_with_other_numbers_share_nothing() -> None:
    lines = [Line("a>b>c>d>e>f", BOUNDARY, privacy) for privacy in NOTIONS]
    lines.append(Line("a>b>c>d>e>f", BOUNDARY, ApproxDP("1/2", 0)))
    lines.append(Line("a>b>c=d>e>f", BOUNDARY, PureDP("1/2")))
    lines.append(Line("b>a>c>d>e>f", BOUNDARY, PureDP("1/2")))
    odds = OddsExpression.odds(Fraction(1, 2))
    for top in (odds, 2 * odds):
        response = {"a": top / (top + 5)} | dict.fromkeys("bcdef", 1 / (top + 5))
        lines.append(Line("a>b>c>d>e>f", response, PureDP("1/2")))
    alone = [pickle.loads(pickle.dumps(line)) for line in lines]  # noqa: S301 - of our own making
    assert len({id(line._table) for line in lines}) == len(lines)
    for line, other in zip(lines, alone, strict=True):
        assert np.array_equal(line.probabilities(range(9)), other.probabilities(range(9)))


@pytest.mark.parametrize("privacy", NOTIONS, ids=str)
def test_rows_of_many_regions_are_those_of_each_region(privacy: Privacy) -> None:
    made = [Line(rainbow, BOUNDARY, privacy) for rainbow in RAINBOWS]
    lines = [line for each in made for line in (each, renamed(each), renamed(renamed(each)))]
    regions = np.repeat(np.arange(len(lines)), len(DISTANCES))
    distances = np.ma.MaskedArray(np.tile(DISTANCES, len(lines)), mask=False)
    rows = LineRows(lines, [line.boundary for line in lines], regions, distances)
    table = rows.float_table()
    for region, line in enumerate(lines):
        alone, start = Line(line.rainbow, line.boundary, privacy), region * len(DISTANCES)
        assert [*rows[start : start + len(DISTANCES)]] == [alone.distribution(at) for at in DISTANCES]
        assert np.array_equal(table[start : start + len(DISTANCES)], alone.probabilities(DISTANCES))
