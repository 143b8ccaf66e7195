# SPDX-License-Identifier: Apache-2.0
"""Graphs and mechanisms as objects: equal by content, iterable, and exchanged with other libraries."""

import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rainbowdp.errors import (
    ColorError,
    DuplicateDatasetError,
    FileFormatError,
    GraphShapeError,
    MechanismShapeError,
    MissingRainbowError,
    UndecidedError,
)
from rainbowdp.families import grid, hamming, path
from rainbowdp.formats import read_graph, read_mechanism, write_mechanism
from rainbowdp.graph import RainbowGraph, boundary_morphism
from rainbowdp.line import Line
from rainbowdp.mechanism import Mechanism, mechanism_dominates
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.optimality import check_optimal
from rainbowdp.planning import plan
from rainbowdp.privacy import ApproxDP, GaussianDP, Privacy, PureDP
from rainbowdp.questions import winner
from rainbowdp.rainbow import Rainbow
from rainbowdp.release import ask
from rainbowdp.verification import verify

EDGES = [("ann", "bob"), ("bob", "cid"), ("cid", "dan")]
RAINBOWS = {"ann": "b>r", "bob": "b>r", "cid": "r>b", "dan": "r>b"}
GRAPH = RainbowGraph.from_edges(EDGES, RAINBOWS)


def test_graphs_are_equal_by_datasets_rainbows_and_neighbors_in_any_order() -> None:
    turned = RainbowGraph.from_edges([edge[::-1] for edge in EDGES[::-1]], dict(reversed(RAINBOWS.items())))
    assert turned == GRAPH
    assert hash(GRAPH) == hash(turned)
    others = [
        RainbowGraph.from_edges(EDGES, RAINBOWS | {"bob": "r>b"}),
        RainbowGraph.from_edges([*EDGES[:2], ("bob", "dan")], RAINBOWS),
        RainbowGraph.from_arrays([0, 1, 2], [1, 2, 3], RAINBOWS.values(), list("wxyz")),
        RainbowGraph.from_edges(EDGES[:2], RAINBOWS),
    ]
    assert all(other != GRAPH for other in others)
    assert GRAPH != RAINBOWS
    family = grid(3, 3).rainbow_graph(["a>b", "b>a"], np.arange(9) % 2)
    listed = RainbowGraph.from_json(family.to_json())
    assert family == listed == pickle.loads(pickle.dumps(family))  # noqa: S301 - our own


@pytest.mark.parametrize("privacy", [PureDP("ln 2"), PureDP(1), GaussianDP(1)], ids=str)
def test_mechanisms_are_equal_by_names_and_exact_values(privacy: Any, tmp_path: Path) -> None:  # noqa: ANN401 - any notion
    made = optimal_mechanism(GRAPH, privacy, "uniform")
    back = RainbowGraph.from_edges(EDGES, dict(reversed(RAINBOWS.items())))
    assert made == optimal_mechanism(back, privacy, "uniform")
    assert made != optimal_mechanism(GRAPH, PureDP(2), "uniform")
    assert made["ann"] == made.distribution("ann")
    assert (len(made), list(made), "bob" in made, "eve" in made) == (4, list(RAINBOWS), True, False)
    write_mechanism(tmp_path / "made.csv", made)
    again = read_mechanism(tmp_path / "made.csv")
    assert again == Mechanism.from_json(made.to_json())
    assert (again == made) == (privacy == PureDP("ln 2"))
    assert again.precision == ("exact" if privacy == PureDP("ln 2") else "float64")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_graphs_and_mechanisms_become_frames(backend: str) -> None:
    made = optimal_mechanism(GRAPH, PureDP("ln 2"), "uniform")
    graph, mechanism = pa.table(GRAPH.to_dataframe(backend)), pa.table(made.to_dataframe(backend))
    assert graph["dataset"].to_pylist() == list(RAINBOWS)
    assert graph["rainbow"].to_pylist() == list(RAINBOWS.values())
    assert graph["distance"].to_pylist() == [1, 0, 0, 1]
    assert mechanism.column_names == ["dataset", "rainbow", "distance", "b", "r"]
    np.testing.assert_allclose(mechanism["b"].to_pylist(), [3 / 4, 1 / 2, 1 / 2, 1 / 4])


def test_graphs_become_networks_and_json_and_come_back(tmp_path: Path) -> None:
    assert RainbowGraph.from_networkx(GRAPH.to_networkx()) == GRAPH
    (tmp_path / "graph.json").write_text(GRAPH.to_json())
    assert read_graph(tmp_path / "graph.json") == GRAPH
    image = boundary_morphism(GRAPH).boundary_graph
    assert RainbowGraph.from_json(image.to_json()) == image
    numbered = RainbowGraph.from_arrays([0, 1], [1, 2], ["b>r", "b>r", "r>b"])
    assert list(numbered.to_networkx().nodes) == [0, 1, 2]
    old = json.dumps(nx.node_link_data(GRAPH.to_networkx(), edges="links"))
    assert RainbowGraph.from_json(old) == GRAPH


def test_a_mechanism_is_read_from_the_text_of_a_file(tmp_path: Path) -> None:
    made = optimal_mechanism(GRAPH, PureDP("ln 2"), "uniform")
    write_mechanism(tmp_path / "made.json", made)
    assert made.to_json() == (tmp_path / "made.json").read_text()
    rows = json.loads(made.to_json()) | {"colors": ["b"]}
    for text, said in (("", "not JSON"), (json.dumps(rows), "unknown colors r")):
        with pytest.raises(FileFormatError, match=said):
            Mechanism.from_json(text)


def test_a_dataset_that_occurs_twice_is_named() -> None:
    for whole, made, key, part in (
        (GRAPH.to_json(), RainbowGraph, "nodes", "id"),
        (optimal_mechanism(GRAPH, PureDP("ln 2"), "uniform").to_json(), Mechanism, "rows", "dataset"),
    ):
        document = json.loads(whole)
        document[key][3][part] = "bob"
        with pytest.raises(DuplicateDatasetError, match="'bob'"):
            made.from_json(json.dumps(document | {"edges": []}))


@pytest.mark.parametrize("text", ["", "[]", "3", '{"nodes": 3}', '{"nodes": [], "edges": [{}]}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(GraphShapeError):
        RainbowGraph.from_json(text)


SERIES = [pd.Series, pl.Series, pa.array, np.array, tuple]
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES, ids=["pandas", "polars", "pyarrow"])
def test_edges_and_rainbows_may_be_frames(frame: Any) -> None:  # noqa: ANN401 - a class or function of a library
    edges = frame({"source": [one for one, _ in EDGES], "target": [other for _, other in EDGES]})
    rainbows = frame({"dataset": list(RAINBOWS), "rainbow": list(RAINBOWS.values())})
    assert RainbowGraph.from_edges(edges, rainbows) == GRAPH
    named = pd.DataFrame({"rainbow": RAINBOWS.values()}, index=list(RAINBOWS))
    assert RainbowGraph.from_edges(edges, named.rename_axis("rainbow")) == GRAPH
    assert RainbowGraph.from_edges(frame({"a": [], "b": []}), named).pair_count == 0
    with pytest.raises(DuplicateDatasetError):
        RainbowGraph.from_edges([], frame({"dataset": ["ann", "ann"], "rainbow": ["b>r", "b>r"]}))


@pytest.mark.parametrize("series", SERIES, ids=["pandas", "polars", "pyarrow", "numpy", "tuple"])
def test_series_of_rainbows_are_read(series: Any) -> None:  # noqa: ANN401 - a class or function of a library
    graph = RainbowGraph.from_arrays([0, 1, 2], [1, 2, 3], series(list(RAINBOWS.values())), list(RAINBOWS))
    assert graph == GRAPH
    assert RainbowGraph.from_edges(EDGES, pd.Series(RAINBOWS)) == GRAPH


def test_rainbows_may_be_lists() -> None:
    lists = {name: text.split(">") for name, text in RAINBOWS.items()}
    assert RainbowGraph.from_edges(EDGES, lists) == GRAPH
    network = nx.Graph(EDGES)
    nx.set_node_attributes(network, {name: tuple(order) for name, order in lists.items()}, "rainbow")
    assert RainbowGraph.from_networkx(network) == GRAPH
    assert Rainbow.of(["a", ("c", "b")]) == Rainbow.parse("a>b=c")
    with pytest.raises(MissingRainbowError):
        RainbowGraph.from_edges(EDGES, RAINBOWS | {"ann": {"b", "r"}})


def test_families_take_a_rainbow_per_dataset_or_a_function() -> None:
    want = grid(2, 3).rainbow_graph(["a>b", "b>a"], [0, 0, 1, 0, 1, 1])
    assert grid(2, 3).rainbow_graph(["a>b", "a>b", "b>a", "a>b", "b>a", "b>a"]) == want
    assert grid(2, 3).rainbow_graph(lambda row: "b>a" if sum(row) >= 2 else ["a", "b"]) == want
    with pytest.raises(GraphShapeError):
        grid(2, 3).rainbow_graph(lambda _: "a>b", [0] * 6)


@pytest.mark.parametrize("name", ["own.csv", "own.json", "own.parquet"])
def test_a_mechanism_needs_names_and_probabilities_alone(name: str, tmp_path: Path) -> None:
    rows = {"ann": ("3/4", "1/4"), "bob": ("1/2", "1/2"), "cid": ("1/2", "1/2"), "dan": ("1/4", "3/4")}
    place = tmp_path / name
    if name.endswith("csv"):
        place.write_text("dataset,b,r\n" + "".join(f"{who},{b},{r}\n" for who, (b, r) in rows.items()))
    elif name.endswith("json"):
        listed = [{"dataset": who, "probabilities": {"b": b, "r": r}} for who, (b, r) in rows.items()]
        place.write_text(json.dumps({"colors": ["b", "r"], "precision": "exact", "rows": listed}))
    else:
        first, second = zip(*rows.values(), strict=True)
        pq.write_table(pa.table({"dataset": list(rows), "b": first, "r": second}), place)
    own = read_mechanism(place)
    best = optimal_mechanism(GRAPH, PureDP("ln 2"), "uniform")
    assert own == best
    assert verify(own, GRAPH, PureDP("ln 2"))
    assert check_optimal(own, GRAPH, PureDP("ln 2"))
    assert mechanism_dominates(own, best)
    assert mechanism_dominates(best, own)


def test_notebooks_show_graphs_and_mechanisms() -> None:
    odd = RainbowGraph.from_edges([("<b>", "y")], {"<b>": ["<i>", "r"], "y": ["r", "<i>"]})
    made = Mechanism.from_table(
        [["<i>", "r"], ["r", "<i>"]], [{"<i>": 1, "r": 0}, {"<i>": "1/4", "r": "3/4"}], labels=list(odd)
    )
    for shown in (odd._repr_html_(), made._repr_html_()):
        assert "<b>" not in shown
        assert "<i>" not in shown
        assert "&lt;i&gt;" in shown
    assert "0.25" in made._repr_html_()
    large = path(10**6).rainbow_graph(["a>b", "b>a"], np.arange(10**6) % 2)
    assert "1000000 datasets, 999999 pairs, 2 regions), the first 20 of them" in large._repr_html_()
    assert "distance" not in vars(large)
    assert next(iter(hamming(13, 3).rainbow_graph(["a>b"], np.zeros(3**13, int)))) == "/".join("0" * 13)
    broken = verify(made, odd, PureDP(1))._repr_html_()
    assert all(part in broken for part in ("BROKEN", "epsilon=1", "inf", "&lt;b&gt;"))
    assert "holds" in verify(made, odd, ApproxDP(1, 1))._repr_html_()
    assert made["y"] == {"<i>": Fraction(1, 4), "r": 0.75}


def test_plans_and_answers_are_told_to_people() -> None:
    planned = plan(winner("vote", ["<b>", "B"]), [PureDP("0.1")])
    assert "right answers in 100 cases" in str(planned)
    assert "&lt;b&gt;" in planned._repr_html_()
    people = pa.table({"vote": ["<b>"] * 90 + ["B"], "town": ["U, lm"] * 91})
    found = ask(people, winner("vote", ["<b>", "B"]), epsilon=9, by="town", groups=["U, lm", "Bonn"])
    assert str(found).splitlines()[0] == '"U, lm": "<b>"'
    assert all(part in found._repr_html_() for part in ("&lt;b&gt;", "privacy hides"))


NUMBERED = nx.path_graph(3)
nx.set_node_attributes(NUMBERED, {0: "y>n", 1: "y>n", 2: "n>y"}, "rainbow")


@pytest.mark.parametrize("names", [[0, 1, 2], ["0", "1", "2"], [2, 0, 1]], ids=str)
def test_datasets_that_are_called_by_numbers_are_matched_by_name(names: list[Any], tmp_path: Path) -> None:
    graph = RainbowGraph.from_networkx(NUMBERED.subgraph(range(3)))
    place = {int(name): at for at, name in enumerate(names)}
    rainbows = [NUMBERED.nodes[int(name)]["rainbow"] for name in names]
    turned = RainbowGraph.from_arrays([place[0], place[1]], [place[1], place[2]], rainbows, names)
    # Not private: only a check by position holds.
    (tmp_path / "own.csv").write_text("dataset,n,y\n1,3/4,1/4\n0,1/2,1/2\n2,1/4,3/4\n")
    own = read_mechanism(tmp_path / "own.csv")
    best = optimal_mechanism(graph, PureDP("ln 2"), "uniform")
    assert graph == turned
    for each in (graph, turned):
        assert not verify(own, each, PureDP("ln 2"))
        assert verify(best, each, PureDP("ln 2"))
        assert optimal_mechanism(each, PureDP("ln 2"), "uniform") == best
    other = RainbowGraph.from_networkx(nx.relabel_nodes(NUMBERED, {at: f"d{at}" for at in range(3)}))
    assert graph != other
    assert optimal_mechanism(other, PureDP("ln 2"), "uniform") != best


def test_names_are_compared_to_the_last_character() -> None:
    rainbows = {"a": "y>n", "a\0": "y>n", "b": "y>n"}
    graph = RainbowGraph.from_edges([("a", "a\0"), ("b", "a")], rainbows)
    rows = {"a": {"y": "9/10", "n": "1/10"}, "a\0": {"y": "1/2", "n": "1/2"}, "b": {"y": "9/10", "n": "1/10"}}
    for names in (["b", "a", "a\0"], ["a", "b", "a\0"]):
        made = Mechanism.from_table(["y>n"] * 3, [rows[name] for name in names], labels=names)
        assert not verify(made, graph, PureDP("ln 2"))


def test_other_numbers_are_no_names_of_numbered_datasets() -> None:
    graph = RainbowGraph.from_edges([(0, 1), (1, 2)], {0: "a>b", 1: "a>b", 2: "b>a"})
    rows = [{"a": "9/10", "b": "1/10"}, {"a": "3/4", "b": "1/4"}, {"a": "1/2", "b": "1/2"}]
    for names in ([1, 2, 3], ["02", "01", "00"]):
        with pytest.raises(MechanismShapeError):
            verify(Mechanism.from_table(["a>b", "a>b", "b>a"], rows, labels=names), graph, PureDP("ln 3"))
    keys = {0.0: "a>b", 1.0: "b>a"}
    one, other = (
        RainbowGraph.from_edges([(0.0, 1.0)], dict(pairs)) for pairs in (keys.items(), reversed(keys.items()))
    )
    assert one == other


def test_large_families_are_compared_without_their_pairs() -> None:
    codes = np.arange(3**9) % 2
    one, other = (hamming(9, 3).rainbow_graph(["a>b", "b>a"], codes) for _ in range(2))
    assert one == other
    assert "_listed" not in vars(one.structure)


def test_names_that_would_be_lost_are_refused() -> None:
    made = Mechanism.from_table(["dataset>x"], [{"dataset": 1, "x": 0}], labels=["ann"])
    with pytest.raises(ColorError):
        made.to_dataframe()
    assert "ann" in made._repr_html_()


def value(privacy: Privacy, distance: int) -> Any:  # noqa: ANN401 - compared with numbers of any kind
    return Line("y>n", {"y": "1/2", "n": "1/2"}, privacy).distribution(distance)["y"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (value(PureDP(1), 3), value(PureDP("3/2"), 2)),
        (value(PureDP("1/6"), 5), value(PureDP("5/12"), 2)),
        (value(PureDP("ln 4"), 1), value(PureDP("ln 2"), 2)),
        (value(GaussianDP(1), 2), value(GaussianDP(2), 1)),
        (value(PureDP(1), 0), value(GaussianDP(1), 0)),
    ],
)
def test_numbers_of_two_parameters_are_compared(one: Any, other: Any) -> None:  # noqa: ANN401 - of any kind
    assert (one == other, one <= other, one < other) == (True, True, False)
    assert value(PureDP(1), 1) < value(PureDP("3/2"), 1) != value(GaussianDP(1), 1)


def test_numbers_without_a_test_for_equality_are_undecided_where_they_are_equal() -> None:
    with pytest.raises(UndecidedError):
        assert value(GaussianDP("ln 2"), 2) == value(GaussianDP("ln 4"), 1)
