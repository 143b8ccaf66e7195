# SPDX-License-Identifier: Apache-2.0
"""The structure of a dataset graph, with networkx as oracle, and what is refused."""

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from graph_cases import Case, cases
from rainbowdp.errors import GraphShapeError, UnknownDatasetError
from rainbowdp.graph import DatasetGraph, listed


def structure_of(case: Case) -> DatasetGraph:
    return listed(case.built().structure)


@given(cases())
def test_structure_has_the_neighbors_that_networkx_has(case: Case) -> None:
    structure, oracle = structure_of(case), case.simple()
    assert structure.size == oracle.number_of_nodes()
    assert structure.pair_count == oracle.number_of_edges()
    for dataset in oracle:
        assert structure.neighbors(dataset).tolist() == sorted(oracle[dataset])
    assert structure.degrees.tolist() == [degree for _, degree in sorted(oracle.degree())]
    source, target = structure.pairs()
    pairs = list(zip(source.tolist(), target.tolist(), strict=True))
    assert pairs == sorted(tuple(sorted(edge)) for edge in oracle.edges())


@given(cases())
def test_removed_self_loops_and_repeats_are_counted(case: Case) -> None:
    structure = structure_of(case)
    loops = sum(one == other for one, other in case.pairs)
    seen = Counter(frozenset(pair) for pair in case.pairs if pair[0] != pair[1])
    assert structure.self_loops == loops
    assert structure.repeated_pairs == sum(seen.values()) - len(seen)


@given(cases(), st.randoms())
def test_order_and_direction_of_pairs_do_not_matter(case: Case, random: Random) -> None:
    shuffled = [pair if random.random() < 0.5 else pair[::-1] for pair in case.pairs]
    random.shuffle(shuffled)
    one, other = structure_of(case), structure_of(Case(shuffled, case.rainbows))
    assert np.array_equal(one.indptr, other.indptr)
    assert np.array_equal(one.indices, other.indices)
    assert one.notes == other.notes


@given(cases(), st.data())
def test_joined_agrees_with_networkx(case: Case, data: st.DataObject) -> None:
    structure, oracle = structure_of(case), case.simple()
    number = st.integers(0, structure.size - 1)
    asked = data.draw(st.lists(st.tuples(number, number)))
    answer = structure.joined([one for one, _ in asked], [other for _, other in asked])
    assert answer.tolist() == [oracle.has_edge(one, other) for one, other in asked]


def test_notes_say_what_was_removed() -> None:
    assert DatasetGraph.from_pairs(2, [0], [1]).notes == ()
    structure = DatasetGraph.from_pairs(3, [0, 1, 0, 0, 2], [1, 0, 1, 0, 2])
    assert structure.notes == ("2 self-loops removed", "2 repeated pairs removed")


@pytest.mark.parametrize("size", [0, 1, 5])
def test_a_graph_may_have_no_pairs(size: int) -> None:
    structure = DatasetGraph.from_pairs(size, [], [])
    assert (structure.size, structure.pair_count) == (size, 0)
    assert [part.size for part in structure.pairs()] == [0, 0]
    assert structure.joined([0] * size, [0] * size).tolist() == [False] * size


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_every_integer_type_is_read_the_same(kind: type[np.integer[Any]]) -> None:
    source, target = np.array([0, 99, 3], dtype=kind), np.array([99, 100, 3], dtype=kind)
    structure = DatasetGraph.from_pairs(101, source, target)
    assert structure.neighbors(99).tolist() == [0, 100]
    assert structure.indices.dtype == np.int32
    assert structure.indptr.dtype == np.int64
    assert structure.self_loops == 1


def test_arrays_are_read_only_and_not_shared() -> None:
    source, target = np.array([0, 1]), np.array([1, 2])
    structure = DatasetGraph.from_pairs(3, source, target)
    source[:] = target[:] = 0
    assert structure.neighbors(1).tolist() == [0, 2]
    indptr, indices = structure.indptr.copy(), structure.indices.copy()
    built = DatasetGraph(indptr, indices)
    indptr[:] = 0
    indices[:] = 0
    assert built.neighbors(1).tolist() == [0, 2]
    for array in (*structure.pairs(), structure.neighbors(1), structure.degrees, built.indptr, built.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_fields_cannot_be_set() -> None:
    structure = DatasetGraph.from_pairs(2, [0], [1])
    with pytest.raises(AttributeError):
        structure.self_loops = 3  # type: ignore[misc]  # the assignment is what is tested


@pytest.mark.parametrize(
    ("source", "target", "place", "wrong"),
    [([0, 3], [1, 1], "source[1]", 3), ([0, 1], [-1, 2], "target[0]", -1)],
)
def test_an_unknown_dataset_is_named_with_its_place(
    source: list[int], target: list[int], place: str, wrong: int
) -> None:
    with pytest.raises(UnknownDatasetError) as caught:
        DatasetGraph.from_pairs(3, source, target)
    assert f"{place} names the dataset {wrong}," in caught.value.what
    assert caught.value.help == "datasets are 0 to 2"


@pytest.mark.parametrize(
    ("size", "source", "target", "said"),
    [
        (3, [0, 1], [1], "source holds 2 datasets and target 1"),
        (3, [0.0], [1.0], "must be integers, not float64"),
        (3, [[0]], [[1]], "must be one-dimensional"),
        (3, [True], [False], "must be integers, not bool"),
        (3, ["0"], ["1"], "must be integers"),
        (-1, [], [], "cannot have -1 datasets"),
        (3, np.ma.MaskedArray([0, 1], mask=[False, True]), [1, 2], "missing value at [1]"),
    ],
)
def test_impossible_arrays_are_refused(size: int, source: ArrayLike, target: ArrayLike, said: str) -> None:
    with pytest.raises(GraphShapeError) as caught:
        DatasetGraph.from_pairs(size, source, target)
    assert said in caught.value.what
    assert caught.value.help


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 1, 2], [1, 2]),  # a neighbor beyond the last dataset
        ([0, 1, 1], [1]),  # one direction only
        ([0, 1, 2], [0, 1]),  # self-loops
        ([0, 2, 4], [1, 1, 0, 0]),  # repeats
        ([0, 2, 3, 4], [2, 1, 0, 0]),  # not sorted
        ([0, 1, 3], [1, 0]),  # the last entry of indptr is not the number of entries
        ([0, 2, 1, 2], [1, 0]),  # indptr falls
        ([], []),  # not even an empty graph
        ([0, 1, 1, 2], [1, 2]),  # as many entries as a symmetric one
    ],
)
def test_the_constructor_accepts_nothing_but_the_documented_form(
    indptr: list[int], indices: list[int]
) -> None:
    with pytest.raises(GraphShapeError):
        DatasetGraph(np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int64))


@pytest.mark.parametrize("dataset", [-1, 3])
def test_neighbors_of_an_unknown_dataset(dataset: int) -> None:
    with pytest.raises(UnknownDatasetError, match=f"no dataset {dataset}"):
        DatasetGraph.from_pairs(3, [0], [1]).neighbors(dataset)


def test_joined_refuses_what_is_no_pair_of_datasets() -> None:
    structure = DatasetGraph.from_pairs(3, [0], [1])
    with pytest.raises(UnknownDatasetError):
        structure.joined([0], [3])
    with pytest.raises(GraphShapeError):
        structure.joined([0, 1], [2])
