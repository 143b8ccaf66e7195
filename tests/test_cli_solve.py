# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp solve``: figure 1, the vectors and every option, from files to files."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from command_line import Outcome, Runner
from rainbowdp.formats import read_mechanism

ROOT = Path(__file__).resolve().parents[1]
EDGES = ROOT / "examples" / "figure1-edges.csv"
FIGURE_1 = (
    "solve",
    "--datasets",
    ROOT / "examples" / "figure1-nodes.csv",
    "--neighbors",
    EDGES,
    "--boundary",
)
VECTORS: list[dict[str, Any]] = json.loads((ROOT / "tests" / "vectors" / "graphs.json").read_text())
NODES = "dataset,rainbow\nw,b>r\nx,b>r\ny,r>b\nz,r>b\n"
PAIRS = "source,target\nw,x\nx,y\ny,z\n"
BOUNDARY = '["b>r"]\nb = "3/5"\nr = "2/5"\n["r>b"]\nb = "2/5"\nr = "3/5"\n'


def solve(run: Runner, *words: object, nodes: str = NODES, pairs: str = PAIRS) -> Outcome:
    """Solve a small graph, by default the path b-b-r-r."""
    Path("nodes.csv").write_text(nodes)
    Path("pairs.csv").write_text(pairs)
    return run("solve", "--datasets", "nodes.csv", "--neighbors", "pairs.csv", "--boundary", *words)


def test_figure_1_of_the_paper(run: Runner) -> None:
    words = ("uniform", "--epsilon", "ln 2", "--exact", "--out", "m.csv", "--boundary-graph", "bg.csv")
    assert run(*FIGURE_1, *words, "--format", "json").json == {
        "datasets": 18,
        "neighbor_pairs": 31,
        "rainbows": 6,
        "boundary_datasets": 12,
        "boundary_graph": {"nodes": 11, "edges": 16},
        "largest_distance": 2,
        "unconstrained_datasets": 0,
        "privacy": {"epsilon": "ln 2"},
        "verified": True,
    }
    lines = Path("m.csv").read_text().splitlines()
    assert lines[:2] == ["dataset,rainbow,distance,blue,green,red", "a,blue>red>green,2,5/6,1/12,1/12"]
    assert [len(lines), len(Path("bg.csv").read_text().splitlines())] == [19, 17]
    checks = ("verify", "m.csv", "--neighbors", EDGES, "--epsilon")
    assert [run(*checks, "ln 2").code, run(*checks, "ln(199/100)").code] == [0, 1]


@pytest.mark.parametrize(
    ("boundary", "privacy", "form"),
    [
        ("randomized-response", ("--epsilon", "ln(3/2)"), "csv"),
        ("max-min", ("--epsilon", "1/10", "--delta", "1e-3"), "json"),
        ("uniform", ("--mu", "1/2"), "parquet"),
    ],
)
def test_what_solve_writes_verify_confirms(
    run: Runner, boundary: str, privacy: tuple[str, ...], form: str
) -> None:
    out = f"m.{form}"
    outcome = run(*FIGURE_1, boundary, *privacy, "--out", out)
    assert outcome.code == 0, outcome.err
    assert read_mechanism(out).precision == "float64"
    assert run("verify", out, "--neighbors", EDGES, *privacy).code == 0


@pytest.mark.parametrize("vector", VECTORS)
def test_the_vectors_come_out_to_the_fraction(run: Runner, vector: dict[str, Any]) -> None:
    nodes = "dataset,rainbow\n" + "".join(f"{each},{rainbow}\n" for each, rainbow in vector["nodes"].items())
    pairs = "source,target\n" + "".join(f"{source},{target}\n" for source, target in vector["edges"])
    Path("boundary.json").write_text(json.dumps(vector["boundary"]))
    words = ["boundary.json", "--epsilon", f"ln({vector['odds']})", "--exact", "--out", "m.json"]
    words += [] if vector["delta"] == "0" else ["--delta", vector["delta"]]
    found = solve(run, *words, "--format", "json", nodes=nodes, pairs=pairs).json["boundary_graph"]
    assert found == {"nodes": vector["boundary_graph_nodes"], "edges": vector["boundary_graph_edges"]}
    written = json.loads(Path("m.json").read_text())
    assert written["precision"] == "exact"
    assert {row["dataset"]: row["distance"] for row in written["rows"]} == vector["distance"]
    for row in written["rows"]:
        expected = vector["probabilities"][row["dataset"]]
        assert {color: Fraction(value) for color, value in row["probabilities"].items()} == {
            color: Fraction(value) for color, value in expected.items()
        }
    assert len(written["rows"]) == len(vector["nodes"])


def test_a_boundary_comes_from_a_file(run: Runner) -> None:
    Path("b.toml").write_text('["b > r"]\nb = 0.6\nr = "2/5"\n[ "r>b" ]\nb = 0.4\nr = 0.6\n')
    assert solve(run, "b.toml", "--epsilon", "ln(3/2)", "--exact", "--out", "m.csv").code == 0
    assert Path("m.csv").read_text().splitlines()[1:] == [
        "w,b>r,1,11/15,4/15",
        "x,b>r,0,3/5,2/5",
        "y,r>b,0,2/5,3/5",
        "z,r>b,1,4/15,11/15",
    ]


@pytest.mark.parametrize(
    ("change", "exit_code", "error"),
    [
        # What a file says, and cannot be used as the documented form, is unreadable data: 4.
        (("nodes.csv", "w,b>r", "w,b>>r"), 4, "RDP502"),
        (("nodes.csv", "w,b>r", "w,"), 4, "RDP302"),
        (("pairs.csv", "w,x", "w,q"), 4, "RDP301"),
        (("boundary.toml", '"3/5"\nr', '"half"\nr'), 4, "RDP101"),
        (("boundary.toml", '"3/5"\nr', "[]\nr"), 4, "RDP502"),
        # A boundary condition that was read and is refused for what it asks is misuse, as when typed: 2.
        (("boundary.toml", '"3/5"\nr', '"1/2"\nr'), 2, "RDP203"),
        (("boundary.toml", 'b = "3/5"', 'g = "3/5"'), 2, "RDP202"),
        (("boundary.toml", '["b>r"]', '["b=r"]'), 2, "RDP401"),
        # And one that was checked and is not private is found wanting: 1.
        (("boundary.toml", 'b = "3/5"\nr = "2/5"', "b = 1\nr = 0"), 1, "RDP402"),
    ],
)
def test_the_exit_code_tells_unreadable_from_refused_from_found_wanting(
    run: Runner, change: tuple[str, str, str], exit_code: int, error: str
) -> None:
    name, old, new = change
    texts = {"nodes.csv": NODES, "pairs.csv": PAIRS, "boundary.toml": BOUNDARY}
    assert old in texts[name]
    texts[name] = texts[name].replace(old, new, 1)
    Path("boundary.toml").write_text(texts["boundary.toml"])
    words = ("boundary.toml", "--epsilon", "ln(3/2)")
    outcome = solve(run, *words, nodes=texts["nodes.csv"], pairs=texts["pairs.csv"])
    assert outcome.code == exit_code
    what, hint = outcome.error
    assert what.startswith(f"error[{error}]: ")
    assert (len(what) < 500, len(hint) < 300) == (True, True)
    if exit_code == 4:
        assert name in what


def test_a_program_that_is_too_large_is_misuse_and_checks_nothing(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A randomized response between three mutually touching regions would need no program.
    nodes = "dataset,rainbow\nw,b>g>r\nx,g>b>r\ny,r>b>g\nz,r>b>g\n"
    words = ("max-min", "--epsilon", "1")
    assert solve(run, *words, nodes=nodes).code == 0
    monkeypatch.setattr("rainbowdp.leximin.LARGEST_PROGRAM", 2)
    outcome = solve(run, *words, nodes=nodes)
    assert outcome.code == 2
    assert outcome.error[0].startswith("error[RDP404]: ")
    assert "randomized-response or uniform" in outcome.error[1]


def test_notes_of_the_graph_and_the_boundary_go_to_stderr(run: Runner) -> None:
    even = {"b": "1/2", "r": "1/2"}
    Path("b.json").write_text(json.dumps({"b>r": even, "r>b": even, "b=r": even}))
    pairs = f"{PAIRS}z,y\nw,w\nw,w\nx,x\n"
    outcome = solve(run, "b.json", "--epsilon", "0.1", "--format", "json", pairs=pairs)
    assert outcome.json["neighbor_pairs"] == 3
    *removed, boundary = outcome.err.splitlines()
    assert removed == ["note: 3 self-loops removed", "note: 1 repeated pair removed"]
    assert (boundary.startswith("note: "), "b=r" in boundary) == (True, True)


def test_datasets_without_neighbors_are_noted_and_those_without_boundary_are_certain(run: Runner) -> None:
    words = ("uniform", "--epsilon", "ln(2)", "--exact", "--out", "m.csv")
    alone = "source,target\nx,y\n"
    outcome = solve(run, *words, "--format", "json", pairs=alone)
    assert outcome.err == "note: 2 of 4 datasets have no neighbor, so nothing limits the answers there\n"
    assert (outcome.json["unconstrained_datasets"], outcome.json["largest_distance"]) == (2, 0)
    assert outcome.json["boundary_graph"] == {"nodes": 4, "edges": 1}
    assert Path("m.csv").read_text().splitlines()[1] == "w,b>r,,1,0"
    rows = [line.split() for line in solve(run, *words, pairs=alone).out.splitlines()]
    assert ["boundary", "graph", "4", "nodes,", "1", "edge"] in rows
    none = "note: there is no pair of neighbors, so any mechanism is private: check the file of neighbors\n"
    assert solve(run, *words, pairs="source,target\n").err == none


def test_a_whole_graph_in_one_file(run: Runner) -> None:
    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, {0: "b>r", 1: "b>r", 2: "r>b", 3: "r>b"}, "rainbow")
    nx.write_graphml_xml(graph, "g.graphml")
    words = ("--boundary", "uniform", "--epsilon", "ln 2", "--out", "m.csv", "--exact")
    assert run("solve", "--datasets", "g.graphml", *words).code == 0
    assert Path("m.csv").read_text().splitlines()[1] == "0,b>r,1,3/4,1/4"
    assert run("verify", "m.csv", "--neighbors", "g.graphml", "--epsilon", "ln 2").code == 0


def test_two_tables_verify_and_sample_like_one_file(run: Runner) -> None:
    words = ("uniform", "--epsilon", "ln 2", "--exact", "--out")
    assert solve(run, *words, "m.csv", "--classes", "c.parquet").code == 0
    assert solve(run, *words, "one.csv").code == 0
    pairs = ("--neighbors", "pairs.csv", "--epsilon", "ln 2", "--format", "json")
    found = run("verify", "m.csv", "--classes", "c.parquet", *pairs)
    assert (found.code, found.out) == (0, run("verify", "one.csv", *pairs).out)
    assert run("verify", "m.csv", "--classes", "c.parquet", *pairs[:3], "ln(3/2)").code == 1
    drawn = run("sample", "m.csv", "--classes", "c.parquet", "--dataset", "x", "--count", "50")
    assert (drawn.code, set(drawn.out.split()) <= {"b", "r"}) == (0, True)
    refused = run("verify", "m.csv", *pairs)
    assert (refused.code, "--classes" in refused.err) == (4, True)


def test_a_mechanism_that_fails_its_own_check_is_a_defect_and_is_not_written(
    run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rainbowdp.graph import RainbowGraph
    from rainbowdp.mechanism import Mechanism

    def wrong(graph: RainbowGraph, *_: object, **__: object) -> Mechanism:
        rows = [{"b": "1", "r": "0"}, {"b": "0", "r": "1"}]
        return Mechanism.from_table(["b>r", "r>b"], rows, codes=[0, 0, 1, 1], labels=graph.labels)

    monkeypatch.setattr("rainbowdp.optimal.optimal_mechanism", wrong)
    outcome = solve(run, "uniform", "--epsilon", "1", "--out", "m.csv")
    assert outcome.code == 70
    assert outcome.error[0].startswith("error[RDP406]: ")
    assert "'x' and 'y'" in outcome.error[0]
    assert not Path("m.csv").exists()
