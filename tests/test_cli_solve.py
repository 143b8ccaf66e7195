# SPDX-License-Identifier: Apache-2.0
"""``rainbowdp solve``: figure 1, the vectors and every option, from files to files."""

import contextlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from command_line import Outcome, Runner
from rainbowdp.formats import read_mechanism

ROOT = Path(__file__).resolve().parents[1]
FIGURE_1 = (
    "--datasets",
    ROOT / "examples" / "figure1-nodes.csv",
    "--neighbors",
    ROOT / "examples" / "figure1-edges.csv",
)
VECTORS: list[dict[str, Any]] = json.loads((ROOT / "tests" / "vectors" / "graphs.json").read_text())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(capsys)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a folder with the path b-b-r-r of four datasets."""
    (tmp_path / "nodes.csv").write_text("dataset,rainbow\nw,b>r\nx,b>r\ny,r>b\nz,r>b\n")
    (tmp_path / "pairs.csv").write_text("source,target\nw,x\nx,y\ny,z\n")
    return tmp_path


def solve(run: Runner, folder: Path, *words: object) -> Outcome:
    return run("solve", "--datasets", folder / "nodes.csv", "--neighbors", folder / "pairs.csv", *words)


def json_of(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    found: dict[str, Any] = json.loads(outcome.out)
    return found


def test_figure_1_of_the_paper(run: Runner, tmp_path: Path) -> None:
    words = ("--boundary", "uniform", "--epsilon", "ln 2", "--exact", "--out", tmp_path / "m.csv")
    found = json_of(run("solve", *FIGURE_1, *words, "--format", "json"))
    assert found == {
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
    lines = (tmp_path / "m.csv").read_text().splitlines()
    assert lines[0] == "dataset,rainbow,distance,blue,green,red"
    assert len(lines) == 19
    assert lines[1] == "a,blue>red>green,2,5/6,1/12,1/12"
    assert run("verify", tmp_path / "m.csv", "--neighbors", FIGURE_1[3], "--epsilon", "ln 2").code == 0
    assert run("verify", tmp_path / "m.csv", "--neighbors", FIGURE_1[3], "--epsilon", "ln(199/100)").code == 1


@pytest.mark.parametrize(
    ("boundary", "privacy", "form"),
    [
        ("uniform", ("--epsilon", "0.3"), "csv"),
        ("randomized-response", ("--epsilon", "ln(3/2)"), "parquet"),
        ("max-min", ("--epsilon", "1/10", "--delta", "1e-3"), "json"),
        ("uniform", ("--mu", "1/2"), "parquet"),
    ],
)
def test_what_solve_writes_verify_confirms(
    run: Runner, tmp_path: Path, boundary: str, privacy: tuple[str, ...], form: str
) -> None:
    out = tmp_path / f"m.{form}"
    outcome = run("solve", *FIGURE_1, "--boundary", boundary, *privacy, "--out", out)
    assert outcome.code == 0, outcome.err
    assert read_mechanism(out).precision == "float64"
    assert run("verify", out, "--neighbors", FIGURE_1[3], *privacy).code == 0


@pytest.mark.parametrize("vector", VECTORS)
def test_the_vectors_come_out_to_the_fraction(run: Runner, tmp_path: Path, vector: dict[str, Any]) -> None:
    rows = "".join(f"{dataset},{rainbow}\n" for dataset, rainbow in vector["nodes"].items())
    (tmp_path / "nodes.csv").write_text(f"dataset,rainbow\n{rows}")
    pairs = "".join(f"{source},{target}\n" for source, target in vector["edges"])
    (tmp_path / "pairs.csv").write_text(f"source,target\n{pairs}")
    (tmp_path / "boundary.json").write_text(json.dumps(vector["boundary"]))
    words = ["--boundary", tmp_path / "boundary.json", "--epsilon", f"ln({vector['odds']})", "--exact"]
    words += [] if vector["delta"] == "0" else ["--delta", vector["delta"]]
    found = json_of(solve(run, tmp_path, *words, "--out", tmp_path / "m.json", "--format", "json"))
    assert found["boundary_graph"]["nodes"] == vector["boundary_graph_nodes"]
    assert found["boundary_graph"]["edges"] == vector["boundary_graph_edges"]
    written = json.loads((tmp_path / "m.json").read_text())
    assert written["precision"] == "exact"
    for row in written["rows"]:
        assert row["distance"] == vector["distance"][row["dataset"]]
        expected = vector["probabilities"][row["dataset"]]
        assert {color: Fraction(value) for color, value in row["probabilities"].items()} == {
            color: Fraction(value) for color, value in expected.items()
        }
    assert len(written["rows"]) == len(vector["nodes"])


def test_a_boundary_comes_from_a_file(run: Runner, path: Path) -> None:
    name = "boundary.toml"
    (path / name).write_text('["b > r"]\nb = 0.6\nr = "2/5"\n[ "r>b" ]\nb = 0.4\nr = 0.6\n')
    words = ("--boundary", path / name, "--epsilon", "ln(3/2)", "--exact", "--out", path / "m.csv")
    assert solve(run, path, *words).code == 0
    assert (path / "m.csv").read_text().splitlines()[1:] == [
        "w,b>r,1,11/15,4/15",
        "x,b>r,0,3/5,2/5",
        "y,r>b,0,2/5,3/5",
        "z,r>b,1,4/15,11/15",
    ]


NODES = "dataset,rainbow\nw,b>r\nx,b>r\ny,r>b\nz,r>b\n"
PAIRS = "source,target\nw,x\nx,y\ny,z\n"
BOUNDARY = '["b>r"]\nb = "3/5"\nr = "2/5"\n["r>b"]\nb = "2/5"\nr = "3/5"\n'


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
    run: Runner, tmp_path: Path, change: tuple[str, str, str], exit_code: int, error: str
) -> None:
    name, old, new = change
    contents = {"nodes.csv": NODES, "pairs.csv": PAIRS, "boundary.toml": BOUNDARY}
    assert old in contents[name]
    contents[name] = contents[name].replace(old, new, 1)
    for file, text in contents.items():
        (tmp_path / file).write_text(text)
    outcome = solve(run, tmp_path, "--boundary", tmp_path / "boundary.toml", "--epsilon", "ln(3/2)")
    assert outcome.code == exit_code
    what, hint = outcome.error
    assert what.startswith(f"error[{error}]: ")
    assert len(what) < 500
    assert len(hint) < 300
    if exit_code == 4:
        assert str(tmp_path / name) in what


def test_a_program_that_is_too_large_is_misuse_and_checks_nothing(
    run: Runner, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A randomized response between three mutually touching regions would need no program.
    (path / "nodes.csv").write_text("dataset,rainbow\nw,b>g>r\nx,g>b>r\ny,r>b>g\nz,r>b>g\n")
    words = ("--boundary", "max-min", "--epsilon", "1")
    assert solve(run, path, *words).code == 0
    monkeypatch.setattr("rainbowdp.leximin.LARGEST_PROGRAM", 2)
    outcome = solve(run, path, *words)
    assert outcome.code == 2
    assert outcome.error[0].startswith("error[RDP404]: ")
    assert "randomized-response or uniform" in outcome.error[1]


def test_notes_of_the_graph_and_the_boundary_go_to_stderr(run: Runner, path: Path) -> None:
    (path / "pairs.csv").write_text("source,target\nw,x\nx,y\ny,z\nz,y\nw,w\nw,w\nx,x\n")
    even = {"b": "1/2", "r": "1/2"}
    (path / "b.json").write_text(json.dumps({"b>r": even, "r>b": even, "b=r": even}))
    outcome = solve(run, path, "--boundary", path / "b.json", "--epsilon", "0.1", "--format", "json")
    assert json_of(outcome)["neighbor_pairs"] == 3
    lines = outcome.err.splitlines()
    assert lines[:2] == ["note: 3 self-loops removed", "note: 1 repeated pair removed"]
    assert len(lines) == 3
    assert lines[2].startswith("note: ")
    assert "b=r" in lines[2]


def test_unconstrained_datasets_are_certain_and_have_no_distance(run: Runner, path: Path) -> None:
    (path / "pairs.csv").write_text("source,target\nx,y\n")
    words = ["--boundary", "uniform", "--epsilon", "ln(2)", "--exact", "--format", "json", "--out"]
    found = json_of(solve(run, path, *words, path / "m.csv"))
    assert found["unconstrained_datasets"] == 2
    assert found["largest_distance"] == 0
    assert found["boundary_graph"] == {"nodes": 4, "edges": 1}
    assert (path / "m.csv").read_text().splitlines()[1] == "w,b>r,,1,0"


def test_datasets_without_neighbors_are_noted(run: Runner, path: Path) -> None:
    (path / "pairs.csv").write_text("source,target\nx,y\n")
    outcome = solve(run, path, "--boundary", "uniform", "--epsilon", "1")
    assert outcome.err == "note: 2 of 4 datasets have no neighbor, so nothing limits the answers there\n"
    assert ["boundary", "graph", "4", "nodes,", "1", "edge"] in [
        line.split() for line in outcome.out.splitlines()
    ]
    (path / "pairs.csv").write_text("source,target\n")
    assert solve(run, path, "--boundary", "uniform", "--epsilon", "1").err == (
        "note: there is no pair of neighbors, so any mechanism is private: check the file of neighbors\n"
    )


def test_a_whole_graph_in_one_file(run: Runner, tmp_path: Path) -> None:
    graph, name = nx.path_graph(4), "g.graphml"
    nx.set_node_attributes(graph, {0: "b>r", 1: "b>r", 2: "r>b", 3: "r>b"}, "rainbow")
    nx.write_graphml_xml(graph, tmp_path / name)
    words = ("--boundary", "uniform", "--epsilon", "ln 2", "--out", tmp_path / "m.csv", "--exact")
    assert run("solve", "--datasets", tmp_path / name, *words).code == 0
    assert (tmp_path / "m.csv").read_text().splitlines()[1] == "0,b>r,1,3/4,1/4"
    assert run("verify", tmp_path / "m.csv", "--neighbors", tmp_path / name, "--epsilon", "ln 2").code == 0


def test_the_boundary_graph_is_written(run: Runner, tmp_path: Path) -> None:
    words = ("--boundary", "uniform", "--epsilon", "1", "--boundary-graph", tmp_path / "bg.csv")
    assert run("solve", *FIGURE_1, *words).code == 0
    assert len((tmp_path / "bg.csv").read_text().splitlines()) == 17


@pytest.mark.parametrize(
    ("words", "exit_code", "error"),
    [
        ("--boundary unifrom", 2, ("error[RDP901]: --boundary 'unifrom'", "'uniform'")),
        ("--boundary absent.toml", 4, ("error[RDP501]: there is no file", "name")),
        ("--boundary uniform --exact", 2, ("error[RDP102]: ", "--exact")),
        ("--boundary uniform --out m.txt", 2, ("error[RDP901]: the name 'm.txt'", ".csv")),
        ("--boundary uniform --classes c.csv", 2, ("error[RDP901]: --classes", "--out")),
        ("--boundary uniform --out nodes.csv", 2, ("error[RDP901]: --out and --datasets name", "own")),
        ("--boundary uniform --out x.json --boundary-graph ./x.json", 2, ("error[RDP901]: --out and", "own")),
    ],
)
def test_what_is_wrong_is_said_in_two_lines(
    run: Runner, path: Path, words: str, exit_code: int, error: tuple[str, str]
) -> None:
    given = "solve --datasets nodes.csv --neighbors pairs.csv --epsilon 1"
    with contextlib.chdir(path):
        outcome = run(*given.split(), *words.split())
    assert outcome.code == exit_code
    first, second = outcome.error
    assert first.startswith(error[0])
    assert error[1] in second


def test_two_tables_verify_and_sample_like_one_file(run: Runner, path: Path) -> None:
    out, classes = path / "m.csv", path / "c.parquet"
    words = ("--boundary", "uniform", "--epsilon", "ln 2", "--exact", "--out")
    assert solve(run, path, *words, out, "--classes", classes).code == 0
    assert solve(run, path, *words, path / "one.csv").code == 0
    pairs = ("--neighbors", path / "pairs.csv", "--epsilon", "ln 2", "--format", "json")
    found = run("verify", out, "--classes", classes, *pairs)
    assert (found.code, found.out) == (0, run("verify", path / "one.csv", *pairs).out)
    assert run("verify", out, "--classes", classes, *pairs[:3], "ln(3/2)").code == 1
    drawn = run("sample", out, "--classes", classes, "--dataset", "x", "--count", "50")
    assert drawn.code == 0
    assert set(drawn.out.split()) <= {"b", "r"}
    refused = run("verify", out, *pairs)
    assert refused.code == 4
    assert "--classes" in refused.err


def test_a_mechanism_that_fails_its_own_check_is_a_defect_and_is_not_written(
    run: Runner, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rainbowdp.graph import RainbowGraph
    from rainbowdp.mechanism import Mechanism

    def wrong(graph: RainbowGraph, *_: object, **__: object) -> Mechanism:
        rows = [{"b": "1", "r": "0"}, {"b": "0", "r": "1"}]
        return Mechanism.from_table(["b>r", "r>b"], rows, codes=[0, 0, 1, 1], labels=graph.labels)

    monkeypatch.setattr("rainbowdp.optimal.optimal_mechanism", wrong)
    outcome = solve(run, path, "--boundary", "uniform", "--epsilon", "1", "--out", path / "m.csv")
    assert outcome.code == 70
    assert outcome.error[0].startswith("error[RDP406]: ")
    assert "'x' and 'y'" in outcome.error[0]
    assert not (path / "m.csv").exists()
