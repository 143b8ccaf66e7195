# SPDX-License-Identifier: Apache-2.0
"""Families of datasets as rows of their structures (tested on their own), known counts, and names of rows."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.families import Family, cycle, grid, hamming, histograms, hypercube, path
from rainbowdp.graph import DatasetGraph, ProductGraph, SimplexGraph, listed


@pytest.mark.parametrize(
    ("family", "structure"),
    [
        (path(4), ProductGraph((4,), ("path",))),
        (cycle(5), ProductGraph((5,), ("cycle",))),
        (grid(1, 3, 4), ProductGraph((1, 3, 4), ("path",) * 3)),
        (hypercube(4), ProductGraph((2,) * 4, ("complete",) * 4)),
        (hamming(2, 3), ProductGraph((3, 3), ("complete",) * 2)),
        (histograms(2, 3), SimplexGraph(2, 3, "change-one")),
        (histograms(2, 3, "add-remove"), SimplexGraph(2, 3, "add-remove")),
    ],
    ids=str,
)
def test_families_are_rows_of_their_structures(
    family: Family, structure: ProductGraph | SimplexGraph
) -> None:
    assert family.structure == structure
    rows = structure.rows_of(np.arange(structure.size)).tolist()
    assert family.values.tolist() == rows
    assert [family.index_of(row) for row in rows] == list(range(structure.size))
    assert family.labels.tolist() == ["/".join(map(str, row)) for row in rows]


def test_histograms_of_the_survey() -> None:
    family = histograms(944, 3)
    assert family.structure.size == math.comb(946, 2) == 446_985
    # Taking the moved record away leaves one of the histograms of 943 records, for each pair of options.
    assert family.structure.pair_count == 3 * math.comb(945, 2) == 1_338_120
    assert family.values.sum(axis=1).tolist() == [944] * 446_985
    at = family.index_of([500, 200, 244])
    assert family.labels[at] == "500/200/244"
    assert sorted(family.labels[listed(family.structure).neighbors(at)].tolist()) == sorted(
        ["499/201/244", "499/200/245", "501/199/244", "500/199/245", "501/200/243", "500/201/243"]
    )


def test_families_are_read_only_and_not_shared() -> None:
    values = np.array([[0], [1]])
    family = Family(DatasetGraph.from_pairs(2, [0], [1]), values)
    values[:] = 5
    assert family.values.tolist() == [[0], [1]]
    for array in (family.values, grid(2, 3).values, family.labels[:], grid(2, 3).rows(0, 3)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


@pytest.mark.parametrize("values", [[[0]], [[1], [0]], [[0], [0]], [0, 1], [[0, 1], [0, 0]], [[], []]])
def test_rows_must_fit_and_ascend(values: list[Any]) -> None:
    with pytest.raises(GraphShapeError):
        Family(DatasetGraph.from_pairs(2, [0], [1]), np.array(values))
    with pytest.raises(GraphShapeError):
        Family(DatasetGraph.from_pairs(2, [0], [1]), np.array([[0], [2**63]], dtype=np.uint64))


@pytest.mark.parametrize("row", [[2, 0], [0, 3], [1]])
def test_an_unknown_row_is_named(row: list[int]) -> None:
    with pytest.raises(UnknownDatasetError) as caught:
        grid(2, 3).index_of(row)
    assert repr("/".join(map(str, row))) in caught.value.what
    assert caught.value.help == "its datasets go from '0/0' to '1/2'"
    with pytest.raises(GraphShapeError):
        grid(2, 3).index_of([0.0, 1.0])


@pytest.mark.parametrize("build", [grid, lambda: hamming(0, 2), lambda: hypercube(10**400)])
def test_impossible_families_are_refused(build: Callable[[], Family]) -> None:
    with pytest.raises(GraphShapeError) as caught:
        build()
    assert caught.value.help


@pytest.mark.parametrize(
    ("family", "size", "pair_count"),
    [
        (path(2 * 10**9), 2 * 10**9, 2 * 10**9 - 1),
        (grid(10_000, 10_000), 10**8, 2 * 10_000 * 9_999),
        (hamming(8, 10), 10**8, 36 * 10**8),
        (histograms(1000, 4), math.comb(1003, 3), 6 * math.comb(1002, 3)),
        (histograms(1000, 3, "add-remove"), math.comb(1003, 3), 3 * math.comb(1002, 3)),
    ],
    ids=repr,
)
def test_families_of_any_size_are_known_by_their_formula(family: Family, size: int, pair_count: int) -> None:
    assert (family.structure.size, family.structure.pair_count) == (size, pair_count)
    assert len(family.labels) == size
    for number in (0, size // 3, size - 1):
        (row,) = family.rows(number, number + 1).tolist()
        assert family.index_of(row) == number
        assert family.labels[number] == "/".join(map(str, row))
        assert family.labels.number_of(family.labels[number]) == number


def test_names_of_rows_behave_like_an_array_of_text() -> None:
    labels = grid(2, 3).labels
    texts = ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2"]
    assert list(labels) == labels.tolist() == np.asarray(labels).tolist() == texts
    assert labels[1:6:2].tolist() == texts[1:6:2]
    assert labels[np.array([-1, 0])].tolist() == ["1/2", "0/0"]
    assert labels[np.arange(6) > 3].tolist() == texts[4:]
    assert (labels == grid(2, 3).labels, labels == grid(3, 2).labels) == (True, False)
    assert repr(labels) == "RowLabels(6 names, 0/0 to 1/2)"
    for wrong in ("", "0", "0/3", "0/00", "0/-1", "a/b", "0/0/0", "0/٣", "0/" + "9" * 400):
        assert labels.number_of(wrong) is None
    with pytest.raises(IndexError):
        labels[np.array([6])]
    apart = Family(DatasetGraph.from_pairs(2, [0], [1]), [[-5, 7], [10**12, 8]]).labels
    assert apart[:].tolist() == ["-5/7", "1000000000000/8"]
    assert apart.number_of("-5/7") == 0
