# SPDX-License-Identifier: Apache-2.0
"""Graphs from files: every form, and every way in which one can be wrong, with the place in the message."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rainbowdp.errors import (
    ColorSetError,
    DuplicateDatasetError,
    FileFormatError,
    FileUnreadableError,
    MissingRainbowError,
    RainbowError,
    UnknownDatasetError,
    UsageError,
)
from rainbowdp.formats import read_graph, read_neighbors, write_boundary_graph
from rainbowdp.formats.text_tables import connect
from rainbowdp.graph import DatasetGraph, RainbowGraph, boundary_morphism, listed
from rainbowdp.rainbow import Rainbow

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NODES = b"dataset,rainbow\nx,b>r\ny,r>b\nz,r>b\n"
PAIRS = b"source,target\nx,y\ny,z\n"


def graph_of(folder: Path, nodes: bytes = NODES, pairs: bytes = PAIRS) -> RainbowGraph:
    (folder / "nodes.csv").write_bytes(nodes)
    (folder / "pairs.csv").write_bytes(pairs)
    return read_graph(folder / "nodes.csv", folder / "pairs.csv")


def label_pairs(graph: RainbowGraph) -> set[frozenset[str]]:
    source, target = listed(graph.structure).pairs()
    ends = zip(source.tolist(), target.tolist(), strict=True)
    return {frozenset((graph.label(one), graph.label(other))) for one, other in ends}


@pytest.mark.parametrize(
    ("nodes", "pairs"),
    [
        (NODES, PAIRS),
        (b"\xef\xbb\xbf" + NODES, b"\xef\xbb\xbf" + PAIRS.replace(b"\n", b"\r\n")),
        (NODES.replace(b",", b"\t"), PAIRS.rstrip(b"\n").replace(b",", b";")),
        (b'"dataset","rainbow"\n"x","b > r"\n"y","r>b"\n"z",r > b\n', b'"source","target"\n"x","y"\ny,"z"\n'),
        (b"rainbow,note,dataset\nb>r,,x\nr>b,?,y\nr>b,,z\n", b"weight,target,source\n1,y,x\n2,z,y\n"),
        (NODES + b"\n\n", b"source,target\n\nx,y\n\ny,z\n"),
    ],
)
def test_tables_are_read_in_every_dress(tmp_path: Path, nodes: bytes, pairs: bytes) -> None:
    graph = graph_of(tmp_path, nodes, pairs)
    assert [graph.label(at) for at in range(graph.size)] == ["x", "y", "z"]
    assert [str(graph.rainbow_of(at)) for at in range(graph.size)] == ["b>r", "r>b", "r>b"]
    assert label_pairs(graph) == {frozenset("xy"), frozenset("yz")}


@pytest.mark.parametrize("name", ["data[1].csv", "it's.csv", "x=1.CSV", "é?.csv"])
def test_a_file_name_is_a_name_and_no_pattern(tmp_path: Path, name: str) -> None:
    (tmp_path / "data.csv").write_bytes(b"source,target\n")
    (tmp_path / "data1.csv").write_bytes(b"source,target\nother,file\n")
    (tmp_path / "nodes.csv").write_bytes(NODES)
    (tmp_path / name).write_bytes(PAIRS)
    assert read_graph(tmp_path / "nodes.csv", tmp_path / name).pair_count == 2


@pytest.mark.parametrize("column", [pa.array([10, 20, 30]), pa.array(["10", "20", "30"]).dictionary_encode()])
def test_parquet_labels_are_text_whatever_their_type(tmp_path: Path, column: pa.Array) -> None:
    pq.write_table(pa.table({"dataset": column, "rainbow": ["b>r", "r>b", "r>b"]}), tmp_path / "n.parquet")
    (tmp_path / "pairs.csv").write_bytes(b"source,target\n10,20\n20,30\n")
    graph = read_graph(tmp_path / "n.parquet", tmp_path / "pairs.csv")
    assert [graph.label(at) for at in range(3)] == ["10", "20", "30"]
    assert graph.pair_count == 2


def test_rainbows_of_a_dictionary_are_those_of_their_rows_whatever_its_order(tmp_path: Path) -> None:
    places, texts = [2, 0, 2, 1, 0, 1], ["r>b", "b=r", "b>r", "not used"]
    (tmp_path / "pairs.csv").write_bytes(b"source,target\n0,1\n")
    for cells in (places, [None, *places[1:]]):
        column = pa.DictionaryArray.from_arrays(pa.array(cells, pa.int32()), texts)
        table = pa.table({"rainbow": column, "dataset": range(6)})
        pq.write_table(table, tmp_path / "n.parquet", row_group_size=4)
        if None in cells:
            with pytest.raises(MissingRainbowError, match=r"'0' has no rainbow .row 1 of .*n\.parquet"):
                read_graph(tmp_path / "n.parquet", tmp_path / "pairs.csv")
            continue
        graph = read_graph(tmp_path / "n.parquet", tmp_path / "pairs.csv")
        assert [graph.rainbow_of(at) for at in range(6)] == [Rainbow.parse(texts[at]) for at in places]


def test_an_empty_text_in_quotes_is_a_label_and_an_empty_cell_is_none(tmp_path: Path) -> None:
    nodes, pairs = b'dataset,rainbow\n"",b>r\nx,r>b\n', b'source,target\n"",x\n'
    assert label_pairs(graph_of(tmp_path, nodes, pairs)) == {frozenset(("", "x"))}
    with pytest.raises(FileFormatError, match=r"row 1 of .*nodes\.csv' has nothing in the column 'dataset'"):
        graph_of(tmp_path, b"dataset,rainbow\n,b>r\nx,r>b\n", pairs)


def test_a_large_table_keeps_the_order_of_its_rows(tmp_path: Path) -> None:
    count = 20_000
    order = np.random.default_rng(7).permutation(count)
    nodes = "dataset,rainbow\n" + "\n".join(f"d{at},{'b>r' if at % 3 else 'r>b'}" for at in order.tolist())
    pairs = "source,target\n" + "\n".join(f"d{at},d{at + 1}" for at in range(count - 1))
    graph = graph_of(tmp_path, nodes.encode(), pairs.encode())
    assert graph.labels is not None
    assert graph.labels.tolist() == [f"d{at}" for at in order.tolist()]
    place = np.argsort(order)
    expected = DatasetGraph.from_pairs(count, place[:-1], place[1:])
    assert np.array_equal(listed(graph.structure).indices, expected.indices)
    assert np.array_equal(graph.regions == graph.regions[0], (order % 3 > 0) == (order[0] % 3 > 0))


@pytest.mark.parametrize(
    ("nodes", "pairs", "kind", "what", "hint"),
    [
        (b"", PAIRS, FileFormatError, "nodes.csv' is empty", "name the columns"),
        (b"dataset,rainbow\n", PAIRS, FileFormatError, "has a header and no rows", "row"),
        (b"dataset,rainbows\nx,b>r\n", PAIRS, FileFormatError, "has no column 'rainbow'", "'rainbows'"),
        (b"dataset,rainbow,rainbow\n", PAIRS, FileFormatError, "two columns called 'rainbow'", "rename"),
        (b'dataset,"rainbow\nx,b>r\n', PAIRS, FileFormatError, "quote that is never closed", "doubled"),
        (NODES + b"w\n", PAIRS, FileFormatError, "line 5 of .* has 1 cell, and the header has 2", "one cell"),
        (NODES + b'w,"b>r\n', PAIRS, FileFormatError, "line 5 of .* never closed", "doubled"),
        (NODES + b"w,b>r\r\n", PAIRS, FileFormatError, "line 5 of .* does not end as", "end all lines alike"),
        (NODES + b"w,b>>r\n", PAIRS, FileFormatError, "row 4 of .*nodes.csv': .*empty color", "between"),
        (NODES, b"source\nx\n", FileFormatError, "has no column 'target'", "its columns are 'source'"),
        (NODES, PAIRS + b"x,\n", FileFormatError, "row 3 of .*pairs.csv' has no target", "both datasets"),
        (NODES + b"caf\xe9,b>r\n", PAIRS, FileUnreadableError, "not UTF-8 text: line 5", "iconv"),
        (NODES + b"x,b>r\n", PAIRS, DuplicateDatasetError, "'x' stands in rows 1 and 4 of .*nodes", "once"),
        (NODES + b"w,\n", PAIRS, MissingRainbowError, "'w' has no rainbow .row 4 of .*nodes", "blue>red"),
        (NODES + b"w,b>g\n", PAIRS, ColorSetError, "w", "color"),
        (NODES, PAIRS + b"x,zz\n", UnknownDatasetError, "row 3 of .*'zz' as its target", "list it among"),
        (NODES, PAIRS + b" x,y\n", UnknownDatasetError, "row 3 of .*' x' as its source", "'x'"),
    ],
)
def test_tables_that_are_no_graph_are_refused_with_the_place(
    tmp_path: Path, nodes: bytes, pairs: bytes, *, kind: type[RainbowError], what: str, hint: str
) -> None:
    with pytest.raises(kind, match=what) as caught:
        graph_of(tmp_path, nodes, pairs)
    assert type(caught.value) is kind
    assert caught.value.exit_code == 4
    assert str(tmp_path) in caught.value.what
    assert hint in caught.value.help


def test_a_parquet_file_with_columns_that_differ_in_case_only_is_read_by_its_own_names(
    tmp_path: Path,
) -> None:
    nested = pa.array([{"source": "?", "deep": {"x": 1}}])
    table = pa.table([nested, ["y"], ["x"], ["?"]], names=["Source", "target", "source", "SOURCE"])
    pq.write_table(table, tmp_path / "pairs.parquet")
    (tmp_path / "nodes.csv").write_bytes(NODES)
    assert label_pairs(read_graph(tmp_path / "nodes.csv", tmp_path / "pairs.parquet")) == {frozenset("xy")}


def test_a_damaged_file_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_bytes(NODES)
    whole = gzip.compress(NODES)
    for name, contents in (
        ("pairs.parquet", (b"", b"PAR1", b"source,target\n" * 10)),
        ("pairs.csv.gz", (NODES, whole[:15], whole[:12] + b"\xff" * 20)),
    ):
        for content in contents:
            (tmp_path / name).write_bytes(content)
            with pytest.raises(FileUnreadableError, match=f"cannot read .*{name}"):
                read_graph(tmp_path / "nodes.csv", tmp_path / name)


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_bytes(NODES)
    (tmp_path / "nodes.xlsx").write_bytes(NODES)
    with pytest.raises(FileUnreadableError, match="there is no file"):
        read_graph(tmp_path / "absent.csv", tmp_path / "nodes.csv")
    with pytest.raises(FileUnreadableError, match="is a directory"):
        read_graph(tmp_path / "nodes.csv", tmp_path)
    with pytest.raises(FileFormatError, match=r"nodes\.xlsx") as caught:
        read_graph(tmp_path / "nodes.xlsx", tmp_path / "nodes.csv")
    assert ".parquet" in caught.value.help


WHOLE = nx.Graph([("x", "y"), ("y", "z")])
nx.set_node_attributes(WHOLE, {"x": "b>r", "y": "r>b", "z": "r > b"}, "rainbow")


def test_whole_graphs_are_read(tmp_path: Path) -> None:
    nx.write_graphml_xml(WHOLE, tmp_path / "g.graphml")
    (tmp_path / "new.json").write_text(json.dumps(nx.node_link_data(WHOLE, edges="edges")))
    (tmp_path / "old.json").write_text(json.dumps(nx.node_link_data(WHOLE, edges="links")))
    for name in ("g.graphml", "new.json", "old.json"):
        graph = read_graph(tmp_path / name)
        assert label_pairs(graph) == {frozenset("xy"), frozenset("yz")}
        assert [str(graph.rainbow_of(at)) for at in range(3)] == ["b>r", "r>b", "r>b"]


def test_directed_multigraphs_are_read_as_simple_ones(tmp_path: Path) -> None:
    several = nx.MultiDiGraph([("x", "y"), ("y", "x"), ("x", "y"), ("x", "x")])
    nx.set_node_attributes(several, {"x": "b>r", "y": "r>b"}, "rainbow")
    nx.write_graphml_xml(several, tmp_path / "g.graphml")
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(several, edges="edges")))
    for name in ("g.graphml", "g.json"):
        graph = read_graph(tmp_path / name)
        assert graph.pair_count == 1
        assert graph.notes == ("1 self-loop removed", "2 repeated pairs removed")


def node_link(**changes: object) -> str:
    whole = {"nodes": [{"id": "x", "rainbow": "b>r"}, {"id": "y", "rainbow": "r>b"}], "edges": []}
    return json.dumps(whole | changes)


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("{", FileFormatError, "is not JSON: Expecting"),
        ("[]", FileFormatError, "holds a list at its top level"),
        ('{"nodes": [], "nodes": []}', FileFormatError, "the key 'nodes' stands twice"),
        ("[" * 100_000, FileFormatError, "nested too deeply"),
        (node_link(nodes=[]), FileFormatError, "has no nodes"),
        (node_link(edges={}), FileFormatError, "no list 'edges'"),
        (node_link(nodes=["x"]), FileFormatError, r"has nothing as the 'id' of nodes\[0\]"),
        (node_link(edges=[{"source": "x"}]), FileFormatError, r"has nothing as the 'target' of edges\[0\]"),
        (node_link(nodes=[{"id": "x", "rainbow": "b>r"}] * 2), DuplicateDatasetError, "'x'"),
        (node_link(nodes=[{"id": "x"}]), MissingRainbowError, r"'x' has no rainbow .row 1 of .*g\.json'"),
        (node_link(nodes=[{"id": "x", "rainbow": 3}]), FileFormatError, "g.json"),
        (node_link(nodes=[{"id": "\ud800", "rainbow": "b"}]), FileFormatError, "one half of a pair"),
        (node_link(edges=[{"source": "y", "target": "\udfff"}]), FileFormatError, "one half of a pair"),
        (node_link(edges=[{"source": "y", "target": "xx"}]), UnknownDatasetError, "names the dataset 'xx'"),
    ],
)
def test_wrong_node_link_json_is_refused(
    tmp_path: Path, text: str, kind: type[RainbowError], what: str
) -> None:
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(kind, match=what) as caught:
        read_graph(tmp_path / "g.json")
    assert caught.value.exit_code == 4
    caught.value.what.encode()


def test_two_files_must_belong_together(tmp_path: Path) -> None:
    nx.write_graphml_xml(WHOLE, tmp_path / "g.graphml")
    (tmp_path / "nodes.csv").write_bytes(NODES)
    with pytest.raises(UsageError, match="whole graph") as caught:
        read_graph(tmp_path / "g.graphml", tmp_path / "nodes.csv")
    assert caught.value.exit_code == 2
    with pytest.raises(UsageError, match="no pairs of neighbors"):
        read_graph(tmp_path / "nodes.csv")
    with pytest.raises(FileFormatError, match="does not say in which form the pairs"):
        read_graph(tmp_path / "nodes.csv", tmp_path / "g.graphml")


def test_neighbors_of_known_datasets_come_from_every_form(tmp_path: Path) -> None:
    labels = np.array(["z", "x", "y"])
    (tmp_path / "pairs.csv").write_bytes(PAIRS)
    pq.write_table(pa.table({"source": ["x", "y"], "target": ["y", "z"]}), tmp_path / "pairs.parquet")
    nx.write_graphml_xml(WHOLE, tmp_path / "g.graphml")
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(WHOLE, edges="edges")))
    for name in ("pairs.csv", "pairs.parquet", "g.graphml", "g.json"):
        source, target = listed(read_neighbors(tmp_path / name, labels, 3)).pairs()
        assert list(zip(source.tolist(), target.tolist(), strict=True)) == [(0, 2), (1, 2)], name


def test_the_boundary_graph_is_written_in_every_form_and_reads_back(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, NODES + b"w,b>r\nlone,r>b\n", PAIRS + b"w,x\n")
    morphism = boundary_morphism(graph)
    expected = {"b>r @ 0": ("b>r", 0, 1), "b>r @ 1": ("b>r", 1, 1), "r>b @ 0": ("r>b", 0, 1),
                "r>b @ 1": ("r>b", 1, 1), "r>b @ -": ("r>b", None, 1)}  # fmt: skip
    edges = {
        frozenset(("b>r @ 1", "b>r @ 0")),
        frozenset(("b>r @ 0", "r>b @ 0")),
        frozenset(("r>b @ 0", "r>b @ 1")),
    }
    for name in ("b.graphml", "b.json"):
        write_boundary_graph(tmp_path / name, morphism)
        written = (
            nx.read_graphml(tmp_path / name)
            if name.endswith("graphml")
            else nx.node_link_graph(json.loads((tmp_path / name).read_text()), edges="edges")
        )
        found = {
            node: (data["rainbow"], data.get("distance"), data["datasets"])
            for node, data in written.nodes(data=True)
        }
        assert found == expected
        assert set(map(frozenset, written.edges())) == edges
        assert label_pairs(read_graph(tmp_path / name)) == edges
    write_boundary_graph(tmp_path / "b.csv", morphism)
    assert read_neighbors(tmp_path / "b.csv", morphism.boundary_graph.labels, 5).pair_count == 3
    first = (tmp_path / "b.csv").read_text().splitlines()[0]
    assert first.startswith("source,target,source_rainbow,source_distance,source_datasets,target_rainbow")
    with pytest.raises(UsageError, match="boundary graph is to be written"):
        write_boundary_graph(tmp_path / "b.parquet", morphism)


def test_no_bar_of_duckdb_is_written_where_python_runs_no_file() -> None:
    asked = "print(database.sql(\"select current_setting('enable_progress_bar')\").fetchall())"
    program = f"from rainbowdp.formats.text_tables import connect\nwith connect() as database: {asked}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert ran.stdout == "[(False,)]\n"


@pytest.mark.parametrize(("message", "seen"), [("Query interrupted", KeyboardInterrupt), ("x", RuntimeError)])
def test_a_signal_during_a_query_is_an_interrupt(message: str, seen: type[BaseException]) -> None:
    # DuckDB's Python module reports a signal so; when it looks for one is its own business.
    with pytest.raises(seen), connect():
        raise RuntimeError(message)


LABEL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@settings(max_examples=5)
@given(st.lists(LABEL, min_size=2, max_size=6, unique=True), st.data())
def test_any_labels_survive_csv_and_parquet(labels: list[str], data: st.DataObject) -> None:
    import csv
    import tempfile

    ends = st.tuples(st.sampled_from(labels), st.sampled_from(labels))
    pairs = data.draw(st.lists(ends, max_size=8))
    line_ending = data.draw(st.sampled_from(["\n", "\r\n"]))
    expected = {frozenset(pair) for pair in pairs if pair[0] != pair[1]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table, head, rows in (
            ("nodes", ("dataset", "rainbow"), [(label, "b>r") for label in labels]),
            ("pairs", ("source", "target"), pairs),
        ):
            with (folder / f"{table}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator=line_ending, quoting=csv.QUOTE_ALL)
                writer.writerows([head, *rows])
            columns = {
                column: pa.array([row[at] for row in rows], pa.string()) for at, column in enumerate(head)
            }
            pq.write_table(pa.table(columns), folder / f"{table}.parquet")
        for ending in ("csv", "parquet"):
            graph = read_graph(folder / f"nodes.{ending}", folder / f"pairs.{ending}")
            assert [graph.label(at) for at in range(graph.size)] == labels
            assert label_pairs(graph) == expected


PLAIN = '<node id="a"><data key="r">x&gt;y</data></node><node id="b"><data key="r">y&gt;x</data></node>'
KEY = '<key id="r" for="node" attr.name="rainbow" attr.type="string"/>'


GRAPH = '<graph edgedefault="undirected">'
NESTED = f'<node id="c">{GRAPH}<edge source="a" target="b"/></graph></node>'
AGAIN = '<node id="a"><data key="r">y&gt;x</data></node>'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"{GRAPH}{PLAIN}</graph>{GRAPH}</graph>", "holds 2 graphs"),
        (f"{GRAPH}{PLAIN}{NESTED}</graph>", "holds 2 graphs"),
        (f"{GRAPH}{PLAIN}{AGAIN}</graph>", "two nodes"),
        (f'{GRAPH}<edge source="b" target="ab"/>{PLAIN}</graph>', "names the dataset 'ab'"),
        ("</graphml>", r"g\.graphml"),
    ],
)
def test_graphml_that_would_lose_pairs_or_nodes_is_refused(tmp_path: Path, body: str, message: str) -> None:
    path = tmp_path / "g.graphml"
    path.write_text(f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{KEY}{body}</graphml>')
    with pytest.raises(RainbowError, match=message) as caught:
        read_graph(path)
    assert caught.value.exit_code == 4
    with pytest.raises(RainbowError, match=message):
        read_neighbors(path, np.array(["a", "b"]), 2)


@pytest.mark.parametrize(
    ("name", "encoding", "called"), [("g.csv", "utf-16", "UTF-16"), ("g.json", "latin-1", "LATIN1")]
)
def test_a_file_of_another_encoding_is_told_how_to_become_utf_8(
    tmp_path: Path, name: str, encoding: str, called: str
) -> None:
    (tmp_path / name).write_text("dataset,rainbow\nä,x>y\n", encoding=encoding)
    with pytest.raises(FileUnreadableError, match="is not UTF-8 text") as caught:
        read_graph(tmp_path / name, tmp_path / name if name.endswith("csv") else None)
    ending = Path(name).suffix
    assert f"iconv -f {called} -t UTF-8 old{ending} > new{ending}" in caught.value.help


def test_a_parquet_column_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("source,target\n0,1\n", encoding="utf-8")
    binary = pa.array([b"b>r", b"\xff"])
    broken = pa.Array.from_buffers(pa.string(), 2, binary.buffers())
    for column in (broken, pa.DictionaryArray.from_arrays(pa.array([0, 1]), broken, safe=False)):
        pq.write_table(pa.table({"dataset": [0, 1], "rainbow": column}), tmp_path / "n.parquet")
        with pytest.raises(FileUnreadableError, match=r"n\.parquet"):
            read_graph(tmp_path / "n.parquet", tmp_path / "pairs.csv")
