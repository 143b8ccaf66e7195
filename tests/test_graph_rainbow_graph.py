# SPDX-License-Identifier: Apache-2.0
"""Regions, boundary, distance and touching regions, with networkx as oracle; labels; what is refused."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from pair_cases import RAINBOWS, PairCase, pair_cases
from rainbowdp.errors import (
    ColorError,
    ColorSetError,
    DuplicateDatasetError,
    GraphShapeError,
    MissingRainbowError,
    UnknownDatasetError,
)
from rainbowdp.formats import read_graph
from rainbowdp.graph import DatasetGraph, RainbowGraph, listed
from rainbowdp.rainbow import Rainbow

ROOT = Path(__file__).resolve().parents[1]


def figure_1() -> RainbowGraph:
    return read_graph(ROOT / "examples" / "figure1-nodes.csv", ROOT / "examples" / "figure1-edges.csv")


def regions_of(case: PairCase) -> dict[Rainbow, set[int]]:
    regions: dict[Rainbow, set[int]] = {}
    for dataset, text in enumerate(case.rainbows):
        regions.setdefault(Rainbow.parse(text), set()).add(dataset)
    return regions


@given(pair_cases(14))
def test_definition_5_and_distances_are_those_of_networkx(case: PairCase) -> None:
    graph, oracle = case.built(), case.simple()
    distance = graph.distance.tolist()
    for rainbow, region in regions_of(case).items():
        # networkx's node_boundary is the outer one; seen from outside, it is the region's own.
        boundary = nx.node_boundary(oracle, set(oracle) - region)
        inside = graph.region(rainbow)
        assert set(np.flatnonzero(inside).tolist()) == region
        assert set(np.flatnonzero(graph.boundary & inside).tolist()) == boundary
        assert set(np.flatnonzero(graph.interior & inside).tolist()) == region - boundary
        steps = nx.multi_source_dijkstra_path_length(oracle, boundary, weight=None) if boundary else {}
        assert [distance[dataset] for dataset in region] == [steps.get(dataset) for dataset in region]
    assert graph.unconstrained.tolist() == [step is None for step in distance]
    assert graph.largest_distance == max((step for step in distance if step is not None), default=None)


@given(pair_cases(14))
def test_touching_regions_with_witnesses(case: PairCase) -> None:
    graph, oracle = case.built(), case.simple()
    assert graph.rainbows == tuple(sorted(regions_of(case), key=str))
    code = {rainbow: index for index, rainbow in enumerate(graph.rainbows)}
    region = [code[Rainbow.parse(text)] for text in case.rainbows]
    assert graph.regions.tolist() == region
    first: dict[tuple[int, ...], tuple[int, ...]] = {}
    for pair in sorted(tuple(sorted(edge)) for edge in oracle.edges()):
        inside, outside = sorted(pair, key=lambda dataset: region[dataset])
        if region[inside] != region[outside]:
            first.setdefault((region[inside], region[outside]), (inside, outside))
    assert [(touch[:2], touch[2:]) for touch in graph.touching] == sorted(first.items())


@given(pair_cases(14), st.randoms())
def test_every_way_in_gives_the_same_graph(case: PairCase, random: Random) -> None:
    graph = case.built()
    pairs = [pair if random.random() < 0.5 else pair[::-1] for pair in case.pairs]
    random.shuffle(pairs)
    names = [f"d{dataset}" for dataset in range(len(case.rainbows))]
    network = random.choice([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])()
    network.add_nodes_from((name, {"order": text}) for name, text in zip(names, case.rainbows, strict=True))
    network.add_edges_from((names[one], names[other]) for one, other in pairs)
    codes = [code % 4 for code in case.codes]
    others = [
        RainbowGraph.from_edges(
            [(names[one], names[other]) for one, other in pairs], dict(zip(names, case.rainbows, strict=True))
        ),
        RainbowGraph.from_networkx(network, attribute="order"),
        RainbowGraph.from_codes(graph.structure, RAINBOWS, codes, names),
        RainbowGraph.from_codes(graph.structure, RAINBOWS[::-1] * 2, [3 - code for code in codes], names),
        RainbowGraph.from_arrays([u for u, _ in pairs], [v for _, v in pairs], case.rainbows, names),
        RainbowGraph.from_scipy(nx.to_scipy_sparse_array(network), case.rainbows, names),
        RainbowGraph.from_scipy(nx.to_scipy_sparse_array(network, format="coo"), iter(case.rainbows), names),
    ]
    for other in others:
        assert np.array_equal(listed(other.structure).indptr, listed(graph.structure).indptr)
        assert np.array_equal(listed(other.structure).indices, listed(graph.structure).indices)
        assert other.rainbows == graph.rainbows
        assert np.array_equal(other.regions, graph.regions)
        assert other.touching == graph.touching
        assert [other.label(dataset) for dataset in range(other.size)] == names
        assert [other.index(name) for name in names] == list(range(other.size))


def test_distance_is_masked_without_a_boundary() -> None:
    graph = RainbowGraph.from_arrays([0, 2], [1, 3], ["b>r", "r>b", "r>b", "r>b"])
    assert graph.distance.tolist() == [0, 0, None, None]
    assert graph.distance.dtype == np.int32
    assert graph.distance.filled().tolist() == [0, 0, -1, -1]
    alone = RainbowGraph.from_arrays([], [], ["b>r"])
    assert alone.largest_distance is None
    assert alone.unconstrained.tolist() == [True]
    assert alone.touching == ()


def test_two_spellings_of_one_rainbow_are_one_region() -> None:
    rainbows: list[Rainbow | str] = ["b > r=g", "b>g=r", Rainbow.parse("r>b>g")]
    graph = RainbowGraph.from_arrays([0, 1], [1, 2], rainbows)
    assert list(map(str, graph.rainbows)) == ["b>g=r", "r>b>g"]
    assert graph.regions.tolist() == [0, 0, 1]
    assert graph.rainbow_of(2) == Rainbow.parse("r>b>g")
    assert graph.region("b>r=g").tolist() == [True, True, False]
    assert graph.region("g>r>b").tolist() == [False] * 3


@pytest.mark.parametrize(
    ("labels", "names", "kind"),
    [
        (np.array(["7", "x/1", "b c"]), ["7", "x/1", "b c"], "U"),
        (np.array([30, 10, -20], np.int16), ["30", "10", "-20"], "i"),
        ([(0, 1), 10**30, 7], ["(0, 1)", str(10**30), "7"], "U"),
        (["a", "a\0", "b"], ["a", "a\0", "b"], "O"),
        (["x" * 1000, "y", "z"], ["x" * 1000, "y", "z"], "O"),
    ],
)
def test_labels_are_text_or_integers(
    labels: list[Any], names: list[str], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One long label does not pad all others.
    monkeypatch.setattr("rainbowdp.graph.labels._LARGEST_TEXT_BYTES", 1000)
    graph = RainbowGraph.from_arrays([0], [1], ["b>r"] * 3, labels)
    assert isinstance(graph.labels, np.ndarray)
    assert graph.labels.dtype.kind == kind
    assert [graph.label(dataset) for dataset in range(3)] == names
    assert [graph.index(label) for label in (*labels, *names)] == [0, 1, 2] * 2


def test_numbers_are_names_where_there_are_no_labels() -> None:
    graph = RainbowGraph.from_edges([(0, 1), (1, 2)], {0: "b>r", 1: "b>r", 2: "r>b"})
    assert graph.labels is None
    assert (graph.label(2), graph.index("2"), graph.index(1)) == ("2", 2, 1)
    for wrong in ("3", "02", "-1", "²", "", "1" * 5000):
        with pytest.raises(UnknownDatasetError) as caught:
            graph.index(wrong)
        assert caught.value.help == "the graph has 3 datasets, from '0' to '2'"
    for dataset in (-1, 3):
        for question in (graph.label, graph.rainbow_of):
            with pytest.raises(UnknownDatasetError, match=f"number {dataset}"):
                question(dataset)


@pytest.mark.parametrize("size", [5, 50_000])
def test_an_unknown_label_gets_a_hint(size: int) -> None:
    labels = [f"hospital-{number}" for number in range(size)]
    graph = RainbowGraph.from_arrays([0], [1], ["b>r"] * size, labels)
    with pytest.raises(UnknownDatasetError, match="there is no dataset 'hopsital-3'") as caught:
        graph.index("hopsital-3")
    assert "did you mean 'hospital-3'" in caught.value.help


def test_everything_is_read_only_and_not_shared() -> None:
    regions, labels = np.array([0, 0, 1], dtype=np.int32), np.array(["x", "y", "z"])
    structure = DatasetGraph.from_pairs(3, [0, 1], [1, 2])
    graph = RainbowGraph(structure, (Rainbow.parse("b>r"), Rainbow.parse("r>b")), regions, labels)
    regions[:] = 0
    labels[:] = "w"
    assert graph.regions.tolist() == [0, 0, 1]
    assert graph.label(0) == "x"
    parts = (graph.regions, graph.labels, graph.boundary, graph.interior, graph.region("b>r"), graph.distance)
    for array in parts:
        assert isinstance(array, np.ndarray)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


@pytest.mark.parametrize(
    ("rainbow", "kind", "said"),
    [
        (None, MissingRainbowError, " has no rainbow"),
        (float("nan"), MissingRainbowError, " has nan in place of a rainbow"),
        ({"b": 1}, MissingRainbowError, " has a dict in place of a rainbow"),
        ("b>b", ColorError, ": "),
        ("r>g", ColorSetError, " ranks the colors g, r, and the dataset 'x' ranks b, r"),
    ],
)
def test_a_wrong_rainbow_is_shown_with_its_dataset(rainbow: Any, kind: type[Exception], said: str) -> None:  # noqa: ANN401  # anything
    rainbows, network = ["b>r", rainbow], nx.Graph([("x", "y")])
    nx.set_node_attributes(network, dict(zip("xy", rainbows, strict=True)), "rainbow")
    builds: list[Callable[[], RainbowGraph]] = [
        lambda: RainbowGraph.from_arrays([0], [1], rainbows, ["x", "y"]),
        lambda: RainbowGraph.from_edges([("x", "y")], dict(zip("xy", rainbows, strict=True))),
        lambda: RainbowGraph.from_networkx(network),
    ]
    for build in builds:
        with pytest.raises(kind, match=f"^the dataset 'y'{said}"):
            build()


def test_rainbows_that_the_graph_does_not_know_are_refused() -> None:
    structure = DatasetGraph.from_pairs(2, [0], [1])
    for code in (-1, 2):
        with pytest.raises(MissingRainbowError, match=f"the dataset 'y' has the rainbow code {code}"):
            RainbowGraph.from_codes(structure, ["b>r", "r>b"], [0, code], ["x", "y"])
    with pytest.raises(ColorSetError, match="other colors than the graph"):
        RainbowGraph.from_arrays([0], [1], ["b>r", "r>b"]).region("r>g")


@pytest.mark.parametrize(
    ("labels", "kind", "said"),
    [
        *(
            (twice, DuplicateDatasetError, "the dataset '?(x|3)'? occurs twice")
            for twice in (["x", "x"], ["3", 3], np.array([3, 3]))
        ),
        *((wrong, GraphShapeError, "label") for wrong in (["x"], ["x", None])),
    ],
)
def test_every_dataset_needs_one_label_of_its_own(labels: Any, kind: type[Exception], said: str) -> None:  # noqa: ANN401  # anything
    with pytest.raises(kind, match=said):
        RainbowGraph.from_arrays([0], [1], ["b>r"] * 2, labels)


@pytest.mark.parametrize(
    ("edges", "kind", "said"),
    [
        ([("x", "y"), ("yx", "x")], UnknownDatasetError, r"\('yx', 'x'\) \(number 1.* the dataset 'yx'"),
        (np.zeros((2, 3), dtype=int), GraphShapeError, "two columns"),
        *(
            ([("x", "y"), wrong], GraphShapeError, r"number 1, counted from 0\) is not a pair")
            for wrong in (("x",), "xy", 5)
        ),
    ],
)
def test_edges_are_pairs_of_known_datasets(edges: Any, kind: type[Exception], said: str) -> None:  # noqa: ANN401  # anything
    with pytest.raises(kind, match=said):
        RainbowGraph.from_edges(edges, {"x": "b>r", "y": "r>b"})


def test_a_matrix_is_read_as_its_pattern() -> None:
    rows, columns, values = [0, 1, 2, 2, 0, 0], [1, 0, 1, 2, 2, 2], [5, 5, -1, 1, 1, -1]
    matrix = sparse.coo_array((values, (rows, columns)), shape=(3, 3))
    graph = RainbowGraph.from_scipy(matrix, ["b>r", "b>r", "r>b"])
    source, target = listed(graph.structure).pairs()
    assert list(zip(source.tolist(), target.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]
    assert graph.notes == ("1 self-loop removed",)
    assert matrix.nnz == 6
    # Stored duplicates that cancel are still an edge.
    cancelling = sparse.coo_array(([1, -1], ([0, 0], [1, 1])), shape=(2, 2))
    assert RainbowGraph.from_scipy(cancelling, ["a>b", "b>a"]).pair_count == 1


def test_only_square_sparse_matrices_are_read() -> None:
    with pytest.raises(GraphShapeError, match=r"a matrix of shape \(2, 3\)"):
        RainbowGraph.from_scipy(sparse.coo_array((2, 3)), ["b>r"] * 2)
    with pytest.raises(GraphShapeError, match="a ndarray is not the adjacency"):
        RainbowGraph.from_scipy(np.zeros((2, 2)), ["b>r"] * 2)
    with pytest.raises(GraphShapeError, match="3 rainbows for 2 datasets"):
        RainbowGraph.from_scipy(sparse.coo_array((2, 2)), ["b>r"] * 3)


def test_parts_that_do_not_fit_are_refused() -> None:
    structure = DatasetGraph.from_pairs(2, [0], [1])
    blue, red = Rainbow.parse("b>r"), Rainbow.parse("r>b")
    for rainbows, regions in (
        ((blue, red), [0]),
        ((blue, blue), [0, 1]),
        ((blue, red), [0, 0]),
        ((blue, red), [0, 2]),
    ):
        with pytest.raises(GraphShapeError):
            RainbowGraph(structure, rainbows, np.array(regions, dtype=np.int32))
    with pytest.raises(ColorSetError):
        RainbowGraph(structure, (blue, Rainbow.parse("g>r")), np.array([0, 1], dtype=np.int32))
    for size, codes in ((0, []), (2, [0])):
        with pytest.raises(GraphShapeError):
            RainbowGraph.from_codes(DatasetGraph.from_pairs(size, [], []), ["b>r"], codes)
