# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as values, and their constructors."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rainbowdp.distribution import Distribution
from rainbowdp.errors import DistributionError, DuplicateDatasetError, MechanismShapeError, NumberError
from rainbowdp.exact import OddsExpression
from rainbowdp.families import path
from rainbowdp.mechanism import LineRows, Mechanism, StatedRows
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import PureDP
from rainbowdp.rainbow import Rainbow

HALF = {"a": "1/2", "b": "1/2"}


def test_from_table_of_mappings_is_exact_and_read_as_written() -> None:
    mechanism = Mechanism.from_table(
        ["b > a", "a>b"],
        [{"b": 0.1, "a": "0.9"}, HALF],
        codes=[1, 0, 1],
        distances=[0, None],
        labels=[7, 8, 9],
    )
    assert (mechanism.size, mechanism.class_count, mechanism.precision) == (3, 2, "exact")
    assert mechanism.colors == ("a", "b")
    assert mechanism.distribution(8) == Distribution({"a": "9/10", "b": "1/10"})
    assert mechanism.distribution("9") == Distribution(HALF)
    assert mechanism.distance.tolist() == [None, 0, None]
    assert str(mechanism.rainbow_of(8)) == "b>a"
    assert mechanism.table.tolist() == [[0.9, 0.1], [0.5, 0.5]]
    assert mechanism.probabilities().tolist() == [[0.5, 0.5], [0.9, 0.1], [0.5, 0.5]]
    assert not mechanism.stated


def test_from_table_of_floats_is_stated_and_keeps_shortest_decimals() -> None:
    mechanism = Mechanism.from_table(["a>b"], np.array([[0.7, 0.3]]), colors=["b", "a"])
    assert mechanism.stated
    assert mechanism.distribution(0) == Distribution({"a": "3/10", "b": "7/10"})
    assert isinstance(mechanism.rows, StatedRows)


def test_text_keeps_every_digit_beside_fractions_and_tiny_numbers() -> None:
    long = "0.33333333333333333333333333"
    table = np.array([[long, "0.66666666666666666666666667", "0"], ["1/3", "2/3", "1e-400"]], dtype=object)
    mechanism = Mechanism.from_table(["a>b>c"] * 2, table, precision="float64")
    assert mechanism.distribution(0)["a"] == Fraction(int(long[2:]), 10**26)
    assert mechanism.distribution(1)["a"] == Fraction(1, 3)
    assert mechanism.table[:, 0].tolist() == [1 / 3, 1 / 3]
    assert mechanism.table[:, 2].tolist() == [0, 5e-324]
    assert Mechanism.from_table(["a>b>c"], table[:1]).precision == "exact"


@pytest.mark.parametrize("text", ["1_0", "\u0660.\u0665", "nan"])
def test_a_wrong_number_is_refused_with_its_dataset(text: str) -> None:
    table = np.array([["1/2", "1/2"], [text, "0.5"]], dtype=object)
    for precision in ("exact", "float64"):
        with pytest.raises(NumberError, match="dataset 'y'"):
            Mechanism.from_table(["a>b"] * 2, table, labels=["x", "y"], precision=precision)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (np.array([[0.5, 0.5], [0.5, 0.5 + 1e-9]]), "sums to"),
        (np.array([[0.5, 0.5], [1.5, -0.5]]), "negative"),
        (np.array([[0.5, 0.5], [np.inf, 0.0]]), "inf"),
        ([HALF, {"a": "0.9", "b": "0.0999"}], r"0\.9999"),
    ],
)
def test_rows_that_are_not_a_distribution_are_refused_with_their_dataset(table: Any, what: str) -> None:  # noqa: ANN401 - mappings or an array
    with pytest.raises(DistributionError, match=f"dataset 'z'.*{what}") as caught:
        Mechanism.from_table(["a>b"] * 2, table, codes=[0, 0, 1], labels=["x", "y", "z"])
    assert caught.value.help


IRRATIONAL = 1 / OddsExpression.odds(Fraction(1))


@pytest.mark.parametrize(
    "change",
    [
        {"codes": []},
        {"codes": [0, 2]},
        {"class_rainbow": (Rainbow.parse("a>b"),)},
        {"class_rainbow": (Rainbow.parse("a>b"), Rainbow.parse("a>c"))},
        {"colors": ("b", "a")},
        {"rows": (Distribution(HALF), Distribution({"a": 1}))},
        {"rows": (Distribution(HALF), Distribution({"a": 1 - IRRATIONAL, "b": IRRATIONAL}))},
    ],
)
def test_parts_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    parts: dict[str, Any] = {
        "colors": ("a", "b"),
        "codes": np.array([0, 1]),
        "class_rainbow": (Rainbow.parse("a>b"), Rainbow.parse("b>a")),
        "class_distance": [0, None],
        "rows": (Distribution(HALF), Distribution(HALF)),
    }
    assert Mechanism(**parts).size == 2
    with pytest.raises(MechanismShapeError) as caught:
        Mechanism(**(parts | change))
    assert caught.value.help


def test_repeated_labels_and_no_rows_are_refused() -> None:
    with pytest.raises(DuplicateDatasetError):
        Mechanism.from_table(["a>b"], [HALF], codes=[0, 0], labels=["x", "x"])
    with pytest.raises(MechanismShapeError):
        Mechanism.from_table([], [])
    with pytest.raises(MechanismShapeError, match="row 0 has probabilities of"):
        Mechanism.from_table(["a>b"], [{"a": 1.0}], precision="float64")
    with pytest.raises(MechanismShapeError, match="columns"):
        Mechanism.from_table(["a>b"], np.array([[1.0, 0.0, 0.0]]))


def test_what_is_stored_cannot_be_changed() -> None:
    codes, floats = np.array([0, 0]), np.array([[0.5, 0.5]])
    mechanism = Mechanism.from_table(["a>b"], floats, codes=codes)
    codes[0], floats[0] = 5, [0.99, 0.01]
    assert mechanism.codes.tolist() == [0, 0]
    assert mechanism.table[0, 0] == mechanism.distribution(0)["b"] == Fraction(1, 2)
    texts = np.array([["0.5", "0.5"]], dtype=object)
    stated = Mechanism.from_table(["b>r"], texts, precision="float64")
    texts[0] = ["0.99", "0.01"]
    assert stated.distribution(0)["b"] == Fraction(1, 2)
    for array in (mechanism.codes, mechanism.table, mechanism.class_distance.data):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        mechanism.precision = "exact"  # type: ignore[misc]  # assignment is the point


def test_rows_on_lines_are_made_when_looked_at() -> None:
    graph = path(30_000).rainbow_graph(["a>b", "b>a"], (np.arange(30_000) >= 10).astype(int))
    mechanism = optimal_mechanism(graph, PureDP("ln(6/5)"), "uniform")
    rows = mechanism.rows
    assert isinstance(rows, LineRows)
    assert len(rows) == 30_000
    assert rows[-1] == rows[29_999]
    assert [dict(row) for row in rows[0:2]] == [dict(rows[0]), dict(rows[1])]
    with pytest.raises(IndexError):
        rows[30_000]
    assert mechanism.table.shape == (30_000, 2)
    assert (mechanism.table > 0).all(axis=1).sum() < 30_000


@pytest.mark.parametrize("colors", [2, 500])
@pytest.mark.parametrize(("miss", "accepted"), [(-0.9e-12, True), (1.1e-12, False), (-1.1e-12, False)])
def test_a_stated_sum_may_miss_1_by_the_stated_precision_only(
    colors: int, miss: float, accepted: bool
) -> None:
    rainbow = Rainbow([[f"c{index:03}"] for index in range(colors)])
    row = np.full((1, colors), 1 / colors)
    row[0, 0] += miss
    if accepted:
        assert Mechanism.from_table([rainbow], row).size == 1
    else:
        with pytest.raises(DistributionError, match="not to 1"):
            Mechanism.from_table([rainbow], row)


def test_irrational_rows_by_hand_are_exact_but_not_called_so() -> None:
    mechanism = Mechanism.from_table(["a>b"], [{"a": 1 - IRRATIONAL, "b": IRRATIONAL}])
    assert mechanism.precision == "float64"
    assert not mechanism.stated
    assert mechanism.table[0, 1] == pytest.approx(1 / np.e, rel=1e-15)
    exact = Mechanism.from_table(["a>b"], [HALF])
    assert not exact.stated
    assert replace(exact, precision="float64").stated
