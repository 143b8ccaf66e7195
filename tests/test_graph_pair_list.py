# SPDX-License-Identifier: Apache-2.0
"""Lists of pairs answer what listed neighbors answer, and hold nothing that somebody else can change."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from pair_cases import PairCase, pair_cases
from rainbowdp import PureDP, optimal_mechanism, verify
from rainbowdp.errors import GraphShapeError, UnknownDatasetError, UsageError
from rainbowdp.graph import (
    CodePairs,
    DatasetGraph,
    NeighborRelation,
    PairList,
    RainbowGraph,
    boundary_morphism,
    check_rainbow_preserving,
    compiled,
    listed,
    passes,
)

PALETTE = ("a>b>c", "a>c>b", "b>a=c", "c>b>a", "c>a=b", "b>c>a")


@pytest.fixture(params=[False, True], ids=["plain", "compiled"])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with array operations, and with machine code for lists of any length."""
    for name in ("FEWEST", "FEWEST_LOADED"):
        monkeypatch.setattr(compiled, name, 0 if request.param else 1 << 60)


@pytest.mark.usefixtures("machine")
@given(case=pair_cases())
def test_a_graph_of_unsorted_pairs_is_the_graph_of_listed_neighbors(case: PairCase) -> None:
    pairs = PairList.from_arrays(case.size, *case.ends())
    neighbors = DatasetGraph.from_pairs(case.size, *case.ends())
    assert (pairs.pair_count, pairs.notes) == (neighbors.pair_count, neighbors.notes)
    assert (pairs.self_loops, pairs.repeated_pairs) == (case.self_loops(), case.repeats())
    assert pairs.isolated == neighbors.isolated
    ours, theirs = (RainbowGraph.from_codes(each, PALETTE, case.codes) for each in (pairs, neighbors))
    assert ours.boundary.tolist() == theirs.boundary.tolist() == case.mixed()
    assert ours.distance.tolist() == theirs.distance.tolist()
    assert ours.touching == theirs.touching
    one, other = boundary_morphism(ours), boundary_morphism(theirs)
    assert one.codes.tolist() == other.codes.tolist()
    assert one.class_distance.tolist() == other.class_distance.tolist()
    assert [end.tolist() for end in listed(one.boundary_graph.structure).pairs()] == [
        end.tolist() for end in listed(other.boundary_graph.structure).pairs()
    ]
    assert check_rainbow_preserving(one.codes, ours, one.boundary_graph)


@pytest.mark.usefixtures("machine")
@given(case=pair_cases())
def test_questions_about_codes_and_starts(case: PairCase) -> None:
    count = max(case.codes) + 1
    pairs = PairList.from_arrays(case.size, *case.ends(np.int64))
    relations: tuple[NeighborRelation, ...] = (pairs, pairs.listed())
    for relation in relations:
        assert relation.mixed(case.code_array()).tolist() == case.mixed()
        assert relation.steps_from(case.start_array()).tolist() == case.steps()
        found = relation.code_pairs(case.code_array(), count)
        assert (
            dict(
                zip(
                    zip(found.first.tolist(), found.second.tolist(), strict=True),
                    zip(found.source.tolist(), found.target.tolist(), strict=True),
                    strict=True,
                )
            )
            == case.least_pairs()
        )
        assert found.same.tolist() == case.same()


@pytest.mark.usefixtures("machine")
@given(case=pair_cases())
def test_a_mechanism_is_checked_alike(case: PairCase) -> None:
    pairs = PairList.from_arrays(case.size, *case.ends())
    graph = RainbowGraph.from_codes(pairs, PALETTE, case.codes)
    mechanism = optimal_mechanism(graph, PureDP("ln 2"), "uniform")
    neighbors = RainbowGraph.from_codes(pairs.listed(), PALETTE, case.codes)
    assert verify(mechanism, graph, PureDP("ln 2")) == verify(mechanism, neighbors, PureDP("ln 2"))
    tight, same = (verify(mechanism, each, PureDP("ln(3/2)")) for each in (graph, neighbors))
    assert tight == same


def test_what_nobody_can_write_to_is_kept_and_all_else_copied() -> None:
    source, target = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    copied = PairList.from_arrays(3, source, target)
    source[0] = 99
    assert copied.source.tolist() == [0, 1]
    for end in (source, target):
        end.setflags(write=False)
    source.setflags(write=True)
    source[0] = 2
    source.setflags(write=False)
    kept = PairList.from_arrays(3, source, target)
    assert kept.source is source
    assert kept.target is target
    wide = np.array([0, 1])
    wide.setflags(write=False)
    assert PairList.from_arrays(3, wide, wide).source.dtype == np.int32
    strided = np.zeros(6, dtype=np.int32)[::2]
    strided.setflags(write=False)
    assert PairList.from_arrays(3, strided, strided).source.flags.c_contiguous
    for array in (copied.source, copied.target):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "u4", "u8", ">i4", ">i8", "i4", "i8"])
def test_integers_of_any_type_are_read(kind: str) -> None:
    source, target = np.array([3, 1, 2], dtype=kind), np.array([1, 2, 3], dtype=np.int64)
    for first, second in ((source, target), (target, source), (source, source[::-1])):
        found = PairList.from_arrays(4, first, second)
        expected = DatasetGraph.from_pairs(4, first, second)
        assert [end.tolist() for end in found.pairs()] == [end.tolist() for end in expected.pairs()]
        assert found.source.dtype == found.target.dtype == np.int32
        assert found.source.dtype.isnative


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("size", "source", "target"),
    [
        (3, [0, 3], [1, 1]),
        (3, [0, 1], [1, -1]),
        (3, [0, 2**40], [1, 1]),
        (0, [0], [0]),
        (3, np.array([2**63 + 1], dtype=np.uint64), [0]),
        (3, [0, 1], [1]),
        (3, [0.5], [1]),
        (3, [[0]], [1]),
        (-1, [], []),
        (10**30, [], []),
        ("3", [], []),
        (True, [], []),
        (3, None, [1]),
        (3, np.ma.MaskedArray([0], mask=[True]), [1]),
    ],
)
def test_pairs_are_refused_as_listed_ones_are(size: object, source: object, target: object) -> None:
    errors = []
    for build in (PairList.from_arrays, DatasetGraph.from_pairs):
        with pytest.raises((GraphShapeError, UnknownDatasetError)) as caught:
            build(size, source, target)  # type: ignore[arg-type]  # wrong arguments are the point
        errors.append((type(caught.value), caught.value.what, caught.value.help))
    assert errors[0] == errors[1]


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("build", [PairList.from_arrays, DatasetGraph.from_pairs])
def test_questions_that_do_not_fit_are_refused_before_anything_is_looked_up(
    build: type[PairList] | type[DatasetGraph],
) -> None:
    graph = build(3, [0, 1], [1, 2])  # type: ignore[arg-type]  # both take size and ends
    for codes in ([0, 1], [0, 1, 2, 3], [0, 0, -1], [0, 0, 2**31], [0.5, 1, 2], None):
        with pytest.raises(GraphShapeError):
            graph.mixed(codes)  # type: ignore[arg-type]  # wrong arguments are the point
        with pytest.raises(GraphShapeError):
            graph.code_pairs(codes, 2**31)  # type: ignore[arg-type]  # wrong arguments are the point
    for count in (0, 2, -1, 1.5, None, True):
        with pytest.raises(GraphShapeError):
            graph.code_pairs(np.array([0, 1, 2]), count)  # type: ignore[arg-type]  # wrong arguments
    for starts in ([True], [0, 1, 0], None, [[True, False, True]], [True, [False], True]):
        with pytest.raises(GraphShapeError):
            graph.steps_from(starts)  # type: ignore[arg-type]  # wrong arguments are the point


def test_an_answer_is_kept_only_for_codes_that_nobody_changes() -> None:
    pairs = PairList.from_arrays(4, [0, 1, 2], [1, 2, 3])
    codes = np.array([0, 0, 1, 1], dtype=np.int32)
    assert pairs.code_pairs(codes, 2).source.tolist() == [1]
    codes[1] = 1
    assert pairs.code_pairs(codes, 2).source.tolist() == [0]
    codes.setflags(write=False)
    kept = pairs.code_pairs(codes, 2)
    assert pairs.code_pairs(codes.copy(), 2) is kept
    assert pairs.code_pairs(np.array([0, 1, 1, 0]), 2).first.tolist() == [0]
    assert pairs.code_pairs(np.array([0, 0, 0, 1]), 2).source.tolist() == [2]


def test_repeats_are_counted_when_asked_and_in_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FEWEST_LOADED", 0)
    counted = []
    count = passes.count_repeats

    def seen(size: int, source: NDArray[np.int32], target: NDArray[np.int32]) -> int:
        counted.append(size)
        return count(size, source, target)

    monkeypatch.setattr("rainbowdp.graph.pairs.count_repeats", seen)
    rising = PairList.from_arrays(4, [0, 2, 2], [1, 1, 3])
    assert (rising.pair_count, counted) == (3, [])
    rising.count_ahead()
    falling = PairList.from_arrays(4, [2, 0, 1, 3], [3, 1, 0, 3])
    graph = RainbowGraph.from_codes(falling, ["a>b", "b>a"], [0, 0, 1, 1])
    assert graph.distance.tolist() == [None, None, None, None]
    assert counted == []
    falling.count_ahead()
    falling.count_ahead()
    assert (falling.pair_count, falling.repeated_pairs, counted) == (2, 1, [4])


def test_copies_are_read_only_and_answer_alike() -> None:
    pairs = PairList.from_arrays(4, [2, 0, 1, 3], [3, 1, 0, 3])
    pickled = pickle.loads(pickle.dumps(pairs))  # noqa: S301 - our own bytes
    for made in (copy.copy(pairs), copy.deepcopy(pairs), pickled):
        assert isinstance(made, PairList)
        assert (repr(made), made.notes) == (repr(pairs), pairs.notes)
        assert not made.source.flags.writeable


class Ring:
    """A family of one's own, with more pairs than anybody counts."""

    size = 6
    notes: tuple[str, ...] = ()

    @property
    def pair_count(self) -> int:
        raise AssertionError("nobody asked for the number of pairs")

    def _listed(self) -> DatasetGraph:
        return DatasetGraph.from_pairs(6, range(6), [1, 2, 3, 4, 5, 0])

    def mixed(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        return self._listed().mixed(codes)

    def code_pairs(self, codes: NDArray[np.int32], count: int) -> CodePairs:
        return self._listed().code_pairs(codes, count)

    def steps_from(self, starts: NDArray[np.bool_]) -> NDArray[np.int32]:
        return self._listed().steps_from(starts)


def test_a_family_of_ones_own_needs_three_answers() -> None:
    graph = RainbowGraph.from_codes(Ring(), ["a>b", "b>a"], [0, 0, 0, 1, 1, 1])
    assert graph.distance.tolist() == [0, 1, 0, 0, 1, 0]
    assert optimal_mechanism(graph, PureDP("ln 2"), "uniform").class_count == 4
    with pytest.raises(UsageError, match="does not list its pairs"):
        listed(graph.structure)
    for wrong in (object(), None, 3, "path", np.zeros(3)):
        with pytest.raises(UsageError, match="`structure` must be a NeighborRelation"):
            RainbowGraph.from_codes(wrong, ["a>b"], [0])  # type: ignore[arg-type]  # no relation
