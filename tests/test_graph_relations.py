# SPDX-License-Identifier: Apache-2.0
"""Every way to give pairs of neighbors: the same answers as plain search, and what is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pair_cases import PairCase, pair_cases
from rainbowdp import PureDP, optimal_mechanism
from rainbowdp.errors import GraphShapeError, UnknownDatasetError, UsageError
from rainbowdp.graph import (
    CodePairs,
    DatasetGraph,
    ImplicitGraph,
    NeighborBlocks,
    PairList,
    PairStream,
    RainbowGraph,
    implicit,
    listed,
)
from rainbowdp.graph.arrays import Integers, first_places, held
from relation_answers import assert_answers, compiled_or_not


class Blocks:
    """Pairs, each from both ends, handed out block by block in random order, with loops and repeats."""

    def __init__(self, case: PairCase) -> None:
        self.size = case.size
        both = case.pairs + [(other, one) for one, other in case.pairs if one != other]
        self._ends = np.array(both, dtype=np.int64).reshape(-1, 2)

    def neighbors_of(self, start: int, stop: int) -> tuple[Integers, Integers]:
        assert 0 <= start < stop <= self.size
        held = self._ends[(self._ends[:, 0] >= start) & (self._ends[:, 0] < stop)]
        mixed = np.random.default_rng(start).permutation(held)
        return mixed[:, 0], mixed[:, 1]


def stream_of(case: PairCase) -> PairStream:
    source, target = case.ends()
    cuts = np.array_split(np.arange(source.size), 3)
    return PairStream(case.size, lambda: [(source[cut], target[cut]) for cut in cuts])


Counted = DatasetGraph | PairList | ImplicitGraph
COUNTED: dict[str, Callable[[PairCase], Counted]] = {
    "listed": lambda case: DatasetGraph.from_pairs(case.size, *case.ends()),
    "pairs": lambda case: PairList.from_arrays(case.size, *case.ends(np.int64)),
    "blocks": lambda case: ImplicitGraph(Blocks(case)),
}


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("make", COUNTED.values(), ids=COUNTED)
@given(case=pair_cases(), pairs_at_once=st.integers(1, 60))
def test_answers_counts_and_lists_are_those_of_plain_search(
    make: Callable[[PairCase], Counted], is_compiled: bool, case: PairCase, pairs_at_once: int
) -> None:
    with compiled_or_not(is_compiled), pytest.MonkeyPatch.context() as patch:
        patch.setattr(implicit, "PAIRS_AT_ONCE", pairs_at_once)
        relation = make(case)
        assert_answers(relation, case)
        edges = case.edges()
        assert relation.pair_count == len(edges)
        assert relation.isolated == case.size - len({end for pair in edges for end in pair})
        loops, repeats = case.self_loops(), case.repeats()
        said = [
            f"{count} {what}" for count, what in ((loops, "self-loop"), (repeats, "repeated pair")) if count
        ]
        assert len(relation.notes) == len(said)
        assert all(map(str.startswith, relation.notes, said))
        assert list(zip(*(end.tolist() for end in relation.pairs()), strict=True)) == edges
        neighbors = listed(relation)
        assert [neighbors.neighbors(at).tolist() for at in range(case.size)] == [
            sorted({sum(pair) - at for pair in edges if at in pair}) for at in range(case.size)
        ]


@given(case=pair_cases())
def test_a_stream_answers_as_pairs_in_memory_do(case: PairCase) -> None:
    stream = stream_of(case)
    assert_answers(stream, case)
    assert stream.pair_count == len(case.pairs) - case.self_loops()
    assert len(stream.notes) == (case.self_loops() > 0)


@given(pair_cases(), st.data())
def test_joined_tells_neighbors(case: PairCase, data: st.DataObject) -> None:
    structure, number = COUNTED["listed"](case).listed(), st.integers(0, case.size - 1)
    asked = data.draw(st.lists(st.tuples(number, number)))
    answer = structure.joined([one for one, _ in asked], [other for _, other in asked])
    assert answer.tolist() == [(min(pair), max(pair)) in case.edges() for pair in asked]


@pytest.mark.parametrize("kind", ["u1", "u8", ">i4", "i8"])
@pytest.mark.parametrize("build", [PairList.from_arrays, DatasetGraph.from_pairs])
def test_integers_of_any_type_are_read(build: Callable[..., PairList | DatasetGraph], kind: str) -> None:
    found = build(101, np.array([99, 100, 2], dtype=kind), np.array([1, 99, 2]))
    assert [end.tolist() for end in found.pairs()] == [[1, 99], [99, 100]]
    assert found.pairs()[0].dtype == np.int32
    assert found.self_loops == 1


@pytest.mark.parametrize("build", [PairList.from_arrays, DatasetGraph.from_pairs])
@pytest.mark.parametrize(
    ("size", "source", "target", "said"),
    [
        (3, [0, 3], [1, 1], r"source\[1\] names the dataset 3,"),
        (3, [0, 1], [1, -1], r"target\[1\] names the dataset -1,"),
        (3, [0, 1], [1], "source holds 2 datasets and target 1"),
        (3, [0.5], [1], "must be integers, not float64"),
        (10**30, [], [], "is not a number of datasets"),
        (3, np.ma.MaskedArray([0, 1], mask=[False, True]), [1, 2], r"missing value at \[1\]"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(
    build: Callable[..., object], size: object, source: object, target: object, said: str
) -> None:
    with pytest.raises((GraphShapeError, UnknownDatasetError), match=said):
        build(size, source, target)


@pytest.mark.parametrize("build", [PairList.from_arrays, DatasetGraph.from_pairs])
def test_questions_that_do_not_fit_are_refused_before_anything_is_looked_up(
    build: Callable[..., PairList | DatasetGraph],
) -> None:
    graph = build(3, [0, 1], [1, 2])
    for codes in ([0, 1], [0, 0, -1], [0.5, 1, 2], None):
        with pytest.raises(GraphShapeError):
            graph.mixed(codes)  # type: ignore[arg-type]  # wrong arguments are the point
    for count in (2, None):
        with pytest.raises(GraphShapeError):
            graph.code_pairs(np.array([0, 1, 2]), count)  # type: ignore[arg-type]  # wrong arguments
    for starts in ([True], [0, 1, 0]):
        with pytest.raises(GraphShapeError):
            graph.steps_from(starts)  # type: ignore[arg-type]  # wrong arguments are the point
    for question in (lambda: graph.listed().neighbors(3), lambda: graph.listed().joined([0], [-1])):
        with pytest.raises(UnknownDatasetError):
            question()


@pytest.mark.parametrize(
    ("indptr", "indices"),
    [
        ([0, 1, 2], [1, 2]),  # a neighbor beyond the last dataset
        ([0, 1, 2], [0, 1]),  # self-loops
        ([0, 2, 4], [1, 1, 0, 0]),  # repeats
        ([0, 2, 3, 4], [2, 1, 0, 0]),  # not sorted
        ([], []),  # not even an empty graph
    ],
)
def test_a_finished_structure_is_checked(indptr: list[int], indices: list[int]) -> None:
    with pytest.raises(GraphShapeError):
        DatasetGraph(np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int64))


@pytest.mark.parametrize("size", [0, 1, 5])
def test_a_family_may_have_no_pairs(size: int) -> None:
    case = PairCase(size, [], [0] * size, [True] * size)
    for relation in (*(make(case) for make in COUNTED.values()), PairStream(size, list)):
        assert (relation.size, relation.pair_count, relation.notes) == (size, 0, ())
        assert relation.steps_from(case.start_array()).tolist() == [0] * size
        assert relation.code_pairs(case.code_array(), 1).size == 0
    with pytest.raises(GraphShapeError):
        PairStream(-1, list)


def test_arrays_are_read_only_and_copied_where_a_caller_can_write() -> None:
    own = np.arange(3, dtype=np.int32)
    view = own.view()
    view.setflags(write=False)
    assert held(view, np.int32) is not view
    assert not np.shares_memory(held(own, np.int32), own)
    own.setflags(write=False)
    assert held(own, np.int32) is own
    assert not held(own, np.int64).flags.writeable
    assert held(own[::2], np.int32).flags.c_contiguous
    source, target = np.array([0, 1], dtype=np.int32), np.array([1, 2], dtype=np.int32)
    pairs, structure = PairList(3, source, target), DatasetGraph.from_pairs(3, source, target)
    built = DatasetGraph(structure.indptr, structure.indices.copy())
    source[:] = target[:] = 0
    assert pairs.source.tolist() == [0, 1]
    assert structure.neighbors(1).tolist() == built.neighbors(1).tolist() == [0, 2]
    for array in (pairs.source, *structure.pairs(), structure.degrees, built.indptr, built.indices):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_an_answer_is_kept_only_for_codes_that_do_not_change() -> None:
    said: list[str] = []
    ends = np.array([0, 1, 2], dtype=np.int32), np.array([1, 2, 3], dtype=np.int32)
    stream = PairStream(4, lambda: [ends], said.append)
    codes = np.array([0, 0, 1, 1], dtype=np.int32)
    for _ in range(2):
        assert stream.code_pairs(codes.copy(), 2).source.tolist() == [1]
        assert np.flatnonzero(stream.mixed(codes.copy())).tolist() == [1, 2]
        assert (stream.pair_count, stream.notes) == (3, ())
    assert said == [
        "pass 1 over the file: which codes meet",
        "pass 2 over the file: which datasets have neighbors of another code",
    ]
    codes[1] = 1
    assert stream.code_pairs(codes, 2).source.tolist() == [0]
    codes[1] = 0
    assert stream.code_pairs(codes, 2).source.tolist() == [1]


@pytest.mark.parametrize("count", [1, 5, 70_000])
def test_first_places_of_codes_that_come_early_late_or_never(count: int) -> None:
    codes = np.random.default_rng(count).integers(0, min(count, 200), 200_001).astype(np.uint8)
    codes[:90_000] = 0
    if count > 200:
        codes[-1] = 201
    expected: dict[int, int] = {}
    for at, code in enumerate(codes.tolist()):
        expected.setdefault(code, at)
    assert first_places(codes, count).tolist() == [expected.get(code, -1) for code in range(count)]


class Ring:
    """A family of a caller's own, which does not count its pairs."""

    size = 6
    notes: tuple[str, ...] = ()

    @property
    def pair_count(self) -> int:
        raise AssertionError("the number of pairs is not needed")

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
    for wrong in (None, "path", np.zeros(3)):
        with pytest.raises(UsageError, match="`structure` must be a NeighborRelation"):
            RainbowGraph.from_codes(wrong, ["a>b"], [0])  # type: ignore[arg-type]  # no relation


@pytest.mark.parametrize("limit", [10**8, 0])
def test_the_number_of_passes_is_bounded_and_told(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implicit, "LARGEST_COUNT", limit)
    told: list[str] = []
    order = np.random.default_rng(400).permutation(400).tolist()
    pairs = list(zip(order[1:], order[:-1], strict=True))
    graph = ImplicitGraph(Blocks(PairCase(400, pairs, [], [])), told.append)
    starts = np.arange(400) == pairs[0][1]
    steps = graph.steps_from(starts)
    assert np.array_equal(steps, DatasetGraph.from_pairs(400, *np.array(pairs).T).steps_from(starts))
    passes = [line for line in told if line.endswith("blocks: distances")]
    assert len(passes) < 9 if limit else 9 <= len(passes) <= steps.max() + 1
    assert told[-1].endswith("passes for distances were not enough: all pairs are listed") == bool(limit)
    told.clear()
    codes = np.arange(400, dtype=np.int32) // 100
    graph.mixed(codes)
    graph.code_pairs(codes, 4)
    assert [line.split(": ")[1] for line in told] == [
        "which datasets have neighbors of another code",
        "which codes meet",
    ]


class Fixed:
    """Answers every block with the same values."""

    def __init__(self, size: float, *answer: Any) -> None:  # noqa: ANN401 - wrong answers are the point
        self.size, self._answer = size, answer

    def neighbors_of(self, _start: int, _stop: int) -> Any:  # noqa: ANN401 - see __init__
        return self._answer


@pytest.mark.parametrize(
    ("blocks", "error", "said"),
    [
        (Fixed(3), GraphShapeError, r"neighbors_of\(0, 3\) gives a tuple, and not two arrays"),
        (Fixed(3, [0], [1]), GraphShapeError, "not symmetric"),
        (Fixed(4, [0, 1, 0, 3], [1, 0, 2, 1]), GraphShapeError, "not symmetric"),
        (Fixed(300, [299], [1]), GraphShapeError, "a source from 299 to 299"),
        (Fixed(3, [3], [1]), UnknownDatasetError, "names the dataset 3"),
        (Fixed(3, [0], [1, 0]), GraphShapeError, "source holds 1 datasets and target 2"),
        (Fixed(2.5, [0], [1]), GraphShapeError, "2.5 is not a number of datasets"),
        (Fixed(2**31, [0], [1]), GraphShapeError, "too large"),
        ("abc", UsageError, "`blocks` must be a NeighborBlocks"),
    ],
)
def test_a_wrong_relation_is_refused(blocks: NeighborBlocks, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ImplicitGraph(blocks)
