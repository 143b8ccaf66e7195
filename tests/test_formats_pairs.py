# SPDX-License-Identifier: Apache-2.0
"""Pairs from every kind of column, in memory and streamed: the same graph, mechanism and errors."""

import csv
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from command_line import Runner
from rainbowdp.errors import FileFormatError, MissingExtraError, RainbowError
from rainbowdp.families import grid
from rainbowdp.formats import pairs as pair_files
from rainbowdp.formats import read_graph, read_neighbors, text_tables
from rainbowdp.formats.files import Form
from rainbowdp.formats.text_tables import connect
from rainbowdp.graph import PairList, PairStream, listed

TYPES = ("int32", "int64", "uint64", "string")
LABELS: dict[str, list[int] | list[str] | None] = {
    "dense": None,
    "close": [12, 10, 17, 11],
    "negative": [-3, 5, 0, 2],
    "far apart": [10**17, -(10**17), 7, 2**62],
    "text": ["b", "a", "07", "7"],
}
SIDE = 18
SIZE = SIDE * SIDE
RAINBOWS = np.array(["a>b>c", "b>c=a", "c>a>b"])

Columns = Mapping[str, list[Any] | NDArray[Any]]
Writer = Callable[[Path, Columns], Path]


def write_csv(path: Path, columns: Columns) -> Path:
    path = path.with_suffix(".csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def write_parquet(path: Path, columns: Columns) -> Path:
    path = path.with_suffix(".parquet")
    pq.write_table(pa.table(columns), path, row_group_size=500)
    return path


@pytest.fixture(params=[write_csv, write_parquet])
def write(request: pytest.FixtureRequest) -> Writer:
    chosen: Writer = request.param
    return chosen


def read(path: Path, labels: list[int] | list[str] | None, size: int = 4) -> PairList:
    found = read_neighbors(path, None if labels is None else np.array(labels), size)
    assert isinstance(found, PairList)
    return found


def written(path: Path, source: Sequence[object], target: Sequence[object], kind: str, rows: int = 2) -> Path:
    """Write a table of pairs: Parquet with columns of a type, in several row groups, or CSV."""
    if path.suffix == ".csv":
        return write_csv(path, {"source": list(source), "target": list(target)})
    texts = kind.endswith("string")
    columns = {}
    for name, values in (("weight", [0] * len(source)), ("target", target), ("source", source)):
        cells = [None if value is None else str(value) if texts else value for value in values]
        columns[name] = pa.array(cells, type=getattr(pa, kind)())
    pq.write_table(pa.table(columns), path, row_group_size=rows)
    return path


@pytest.mark.parametrize("kind", [*TYPES, "csv"])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_every_kind_of_column_gives_the_same_pairs(
    tmp_path: Path, kind: str, labels: list[int] | list[str] | None
) -> None:
    names: list[object] = [0, 1, 2, 3] if labels is None else list(labels)
    source, target = [0, 3, 2, 1, 1], [1, 2, 2, 0, 3]
    cells = [names[at] for at in source], [names[at] for at in target]
    path = tmp_path / ("pairs.csv" if kind == "csv" else "pairs.parquet")
    try:
        written(path, *cells, kind)
    except (OverflowError, pa.ArrowInvalid, pa.ArrowTypeError):
        return  # such a column cannot hold such names
    found = read(path, labels)
    # A join gives pairs in any order.
    ends = zip(found.source.tolist(), found.target.tolist(), strict=True)
    assert sorted(ends) == sorted(zip(source, target, strict=True))
    assert found.source.dtype == np.int32
    assert found.notes == ("1 self-loop removed", "1 repeated pair removed")


@pytest.mark.parametrize("labels", [LABELS["dense"], LABELS["far apart"]])
@pytest.mark.parametrize(("row", "end", "cell"), [(2, 1, 99), (3, 1, None), (2, 0, -1)])
def test_a_wrong_pair_is_named_alike_in_every_kind_of_file_and_in_a_stream(
    tmp_path: Path, labels: list[int] | list[str] | None, row: int, end: int, cell: int | None
) -> None:
    names: list[object] = [0, 1, 2, 3] if labels is None else list(labels)
    columns = [[names[at] for at in ends] for ends in ([0, 3, 1], [1, 2, 0])]
    columns[end][row - 1] = cell
    columns[1 - end][-1] = cell if row < 3 else columns[1 - end][-1]
    said = set()
    for name, kind in (("pairs.csv", "csv"), ("text.parquet", "string"), ("numbers.parquet", "int64")):
        path = written(tmp_path / name, columns[0], columns[1], kind)
        for engine in ("memory", "stream") if kind != "string" else ("memory",):
            with pytest.raises(RainbowError, match=f"row {row} of") as caught:
                read_neighbors(path, None if labels is None else np.array(labels), 4, engine=engine)
            what = caught.value.what.replace(name, "FILE")
            said.add((type(caught.value), what, caught.value.help, caught.value.exit_code))
    assert len(said) == 1


@pytest.mark.parametrize("rows", [1, 7, 50_000])
def test_rows_keep_their_order(tmp_path: Path, rows: int) -> None:
    source = np.random.default_rng(rows).integers(0, 10, 30_000 if rows > 7 else 40)
    columns = {"source": source, "target": (source + 1) % 10}
    # Short rows in CSV are more than the size of the file tells.
    paths = [write_csv(tmp_path / "pairs", columns), tmp_path / "pairs.parquet"]
    pq.write_table(pa.table(columns), paths[1], row_group_size=rows)
    for path in paths:
        found = read(path, None, size=10)
        assert np.array_equal(found.source, source)
        assert np.array_equal(found.target, columns["target"])


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_a_short_row_far_down_is_found_with_its_line(tmp_path: Path, engine: pair_files.Engine) -> None:
    rows = "0,1\n" * 20_000
    (tmp_path / "pairs.csv").write_text(f"source,target\n{rows}1\n{rows}")
    with pytest.raises(FileFormatError, match=r"line 20002 of .* has 1 cell, and the header has 2"):
        read_neighbors(tmp_path / "pairs.csv", None, 2, engine=engine)


def test_datasets_called_by_their_numbers_have_no_labels(tmp_path: Path, write: Writer) -> None:
    rainbows = ["b>r", "r>b", "b > r", "r>b", "r>b"]
    pairs = write(tmp_path / "pairs", {"source": [3, 1, 0], "target": [2, 2, 1]})

    def graph_of(names: list[int]) -> list[object]:
        graph = read_graph(write(tmp_path / "nodes", {"dataset": names, "rainbow": rainbows}), pairs)
        labels = None if graph.labels is None else graph.labels.tolist()
        return [labels, list(map(str, map(graph.rainbow_of, range(5)))), graph.distance.tolist()]

    regions = ["b>r", "r>b", "b>r", "r>b", "r>b"]
    assert graph_of([0, 1, 2, 3, 4]) == [None, regions, [0, 0, 0, 0, None]]
    assert graph_of([1, 0, 2, 3, 4]) == [["1", "0", "2", "3", "4"], regions, [0, 0, 0, 0, None]]
    with pytest.raises(RainbowError, match="rows 1 and 2"):
        graph_of([0, 0, 1, 2, 3])
    rainbows[3] = "r>"
    with pytest.raises(FileFormatError, match="row 4"):
        graph_of([0, 1, 2, 3, 4])
    rainbows[3] = " "
    with pytest.raises(RainbowError, match="'3' has no rainbow"):
        graph_of([0, 1, 2, 3, 4])


def lattice_files(
    folder: Path, write: Writer, *, shuffled: bool = False, names: str | None = None
) -> tuple[Path, Path]:
    """Write the datasets and pairs of a lattice, called by numbers or by names."""
    source, target = (np.asarray(end) for end in listed(grid(SIDE, SIDE).structure).pairs())
    codes = np.minimum(np.arange(SIZE) // SIDE // 6, 2)
    if shuffled:
        random = np.random.default_rng(11)
        place, order = random.permutation(SIZE), random.permutation(source.size)
        source, target = place[source][order], place[target][order]
        codes = codes[np.argsort(place)]

    def named(numbers: NDArray[Any]) -> list[Any]:
        return [number if names is None else f"{names}{number}" for number in numbers.tolist()]

    datasets = {"dataset": named(np.arange(SIZE)), "rainbow": RAINBOWS[codes].tolist()}
    pairs = {"source": named(source), "target": named(target)}
    return write(folder / "datasets", datasets), write(folder / "pairs", pairs)


@pytest.mark.parametrize(("names", "shuffled"), [(None, False), ("ü, ", True)])
def test_a_stream_is_the_same_graph(tmp_path: Path, write: Writer, shuffled: bool, names: str | None) -> None:
    datasets, pairs = lattice_files(tmp_path, write, shuffled=shuffled, names=names)
    said: list[str] = []
    kept = read_graph(datasets, pairs, engine="memory")
    read = read_graph(datasets, pairs, engine="stream", report=said.append)
    assert isinstance(kept.structure, PairList)
    assert isinstance(read.structure, PairStream)
    assert np.array_equal(read.distance.filled(), kept.distance.filled())
    assert read.touching == kept.touching
    assert (read.pair_count, read.notes) == (kept.pair_count, kept.notes)
    # The boundary, the distances and the classes: three passes over the pairs, whatever their order.
    assert read.structure.passes == 3
    assert len([text for text in said if text.startswith("pass ")]) == 3


def test_solve_and_verify_stream_to_the_same_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Runner(capsys)
    datasets, pairs = lattice_files(tmp_path, write_parquet, shuffled=True, names="d")
    written = []
    for engine in ("memory", "stream"):
        out = tmp_path / f"{engine}.csv"
        solve = ("solve", "--datasets", datasets, "--neighbors", pairs, "--boundary", "uniform", "--exact")
        assert run(*solve, "--epsilon", "ln 2", "--engine", engine, "--out", out).code == 0
        check = ("verify", out, "--neighbors", pairs, "--engine", engine, "--epsilon")
        found, failed = run(*check, "ln 2"), run(*check, "1/2")
        assert (found.code, failed.code) == (0, 1)
        written.append((out.read_bytes(), found.out, failed.out))
    assert written[0] == written[1]


def test_what_would_take_too_much_memory_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for write in (write_csv, write_parquet):
        datasets, pairs = lattice_files(tmp_path, write)
        monkeypatch.setattr(pair_files, "_LITTLE", 0)
        monkeypatch.setattr(pair_files, "free_memory", lambda _: 1 << 12)
        assert isinstance(read_graph(datasets, pairs).structure, PairStream)
        assert isinstance(read_neighbors(pairs, None, SIZE), PairStream)
        monkeypatch.setattr(pair_files, "free_memory", lambda _: 1 << 30)
        assert isinstance(read_graph(datasets, pairs).structure, PairList)


def test_no_more_memory_is_free_than_duckdb_may_take() -> None:
    with connect() as database:
        assert 1 << 20 < pair_files.free_memory(lambda: database) < 1 << 50
        database.execute("set memory_limit = '300MiB'")
        assert pair_files.free_memory(lambda: database) == 300 << 20


@pytest.mark.parametrize("engine", ["stream", "spark"])
def test_what_an_engine_lacks_is_not_said_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: pair_files.Engine
) -> None:
    datasets, pairs = lattice_files(tmp_path, write_csv)
    monkeypatch.setattr("rainbowdp.graph.pairs.compiled", lambda: False)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError) as caught:
        _ = read_graph(datasets, pairs, engine=engine).distance
    assert "datasets.csv" not in caught.value.what
    assert "pip install 'rainbowdp[" in caught.value.help
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("last", ['x,y"z', 'x,"y"', 'x,""'])
@pytest.mark.parametrize("wrong", ['x,"y', '"x,y', 'x,"y" ', 'x,"y"z', '"5"" pipe" ,y', 'x, "y"'])
def test_a_quote_that_does_not_fit_is_found_with_its_line(last: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    for after in ("", "\n", "\na,b\n"):
        path.write_text(f'a,b\n5\'10",x\n"a ""b"", c",y\n{last}{after}', encoding="utf-8")
        text_tables.open_table(path, Form.CSV, ())
        path.write_text(f"a,b\n5'10\",x\n{last}\n{wrong}{after}", encoding="utf-8")
        with pytest.raises(FileFormatError, match=r"line 4 of .* quote"):
            text_tables.open_table(path, Form.CSV, ())
