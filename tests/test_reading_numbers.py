# SPDX-License-Identifier: Apache-2.0
"""Exact numbers as people read them: floats, rounding, formats, and comparisons with floats."""

import math
from fractions import Fraction
from statistics import NormalDist

import pytest

from rainbowdp.distribution import Distribution
from rainbowdp.exact import Log, NormalExpression, OddsExpression, Real
from rainbowdp.exact.enclosure import EnclosedNumber
from rainbowdp.line import Line
from rainbowdp.privacy import GaussianDP

T = OddsExpression.odds(Fraction(1))
NUMBERS: list[tuple[Real, float]] = [
    (1 / T, math.exp(-1)),
    (T / (T + 2), math.e / (math.e + 2)),
    (OddsExpression.odds(Log(Fraction(6, 5))) ** -3, 125 / 216),
    (T**-400, math.exp(-400)),
    (
        NormalExpression.shifted(Fraction(1, 4), Fraction(2), Fraction(1)),
        NormalDist().cdf(2 + NormalDist().inv_cdf(0.25)),
    ),
    (EnclosedNumber((T + 1).evaluate), math.e + 1),
    (T - T, 0.0),
]


@pytest.mark.parametrize(("number", "want"), NUMBERS, ids=repr)
def test_floats_rounding_and_formats_are_those_of_the_value(number: Real, want: float) -> None:
    assert float(number) == pytest.approx(want, rel=4e-15)
    assert (round(number), round(number, 3)) == (round(want), round(want, 3))
    assert f"{number:.4f}|{number:9.2e}|{number:%}" == f"{want:.4f}|{want:9.2e}|{want:%}"
    assert f"{number}" == str(number)


def test_a_comparison_with_a_float_is_exact_and_means_its_shortest_decimal() -> None:
    tenth = OddsExpression.odds(Log(Fraction(10))) ** -1
    assert tenth == 0.1
    assert 0.1 == tenth  # noqa: SIM300 - the float on the left
    assert not tenth < 0.1
    assert not tenth > 0.1
    inverse, nan = 1 / T, float("nan")
    near = float(inverse)
    assert math.nextafter(near, 0) < inverse < math.nextafter(near, 1)
    assert -math.inf < inverse < math.inf
    assert inverse != nan
    assert not any([inverse == nan, inverse < nan, inverse <= nan, inverse > nan, nan <= inverse])
    with pytest.raises(TypeError):
        assert inverse < "1"


def test_distributions_compare_with_mappings_and_are_printed_as_decimals() -> None:
    made = Distribution({"a": T / (T + 1), "b": 1 / (T + 1)})
    assert made == Distribution({"b": 1 / (T + 1), "a": T / (T + 1)})
    assert made == {"a": T / (T + 1), "b": 1 - T / (T + 1)}
    assert made != {"a": 0.7310585786300049, "b": 0.2689414213699951}
    assert made != {"a": "1"}
    assert made != {"a": "x", "b": "y"}
    assert str(made) == "a 0.731059, b 0.268941"
    sure = Line("a>b", {"a": "1/2", "b": "1/2"}, GaussianDP(100)).distribution(3)
    assert str(sure) == "a >0.999999, b 0"
    assert str(Distribution({"a": 1, "b": 0})) == "a 1, b 0"
    assert made.to_floats() == {"a": 1 / (1 + math.exp(-1)), "b": pytest.approx(1 / (1 + math.e), abs=1e-16)}
    assert "73.11%" in made._repr_html_()
    assert "<script>" not in Distribution({"<script>": 1})._repr_html_()
