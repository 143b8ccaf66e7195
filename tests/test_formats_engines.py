# SPDX-License-Identifier: Apache-2.0
"""Every engine gives the same graph, the same mechanism to the bit, and the same errors, on real files."""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from pyarrow import parquet

from command_line import Runner
from rainbowdp.cli import main
from rainbowdp.errors import (
    FileFormatError,
    FileUnreadableError,
    MissingExtraError,
    RainbowError,
    UnknownDatasetError,
    UsageError,
)
from rainbowdp.families import grid
from rainbowdp.formats import engines, read_graph, read_neighbors
from rainbowdp.formats.tables import connect
from rainbowdp.graph import PairList, PairStream, listed
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import PureDP
from rainbowdp.spark import SparkPairs
from rainbowdp.spark.pairs import at_work
from rainbowdp.verification import verify
from spark_session import spark

SIDE = 24
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
    parquet.write_table(pa.table(columns), path, row_group_size=500)
    return path


@pytest.fixture(params=[write_csv, write_parquet])
def write(request: pytest.FixtureRequest) -> Writer:
    chosen: Writer = request.param
    return chosen


def lattice(*, shuffled: bool) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return both ends of all pairs of a lattice, and the code of a rainbow per dataset."""
    source, target = (np.asarray(end) for end in listed(grid(SIDE, SIDE).structure).pairs())
    codes = np.minimum(np.arange(SIZE) // SIDE // 8, 2)
    if not shuffled:
        return source, target, codes
    random = np.random.default_rng(11)
    names, order = random.permutation(SIZE), random.permutation(source.size)
    scattered = np.empty_like(codes)
    scattered[names] = codes
    return names[source][order], names[target][order], scattered


def files(
    folder: Path, write: Writer, *, shuffled: bool, name: Callable[[Any], list[Any]]
) -> tuple[Path, Path]:
    source, target, codes = lattice(shuffled=shuffled)
    datasets = write(
        folder / "datasets", {"dataset": name(np.arange(SIZE)), "rainbow": RAINBOWS[codes].tolist()}
    )
    return datasets, write(folder / "pairs", {"source": name(source), "target": name(target)})


def as_numbers(numbers: NDArray[Any]) -> list[Any]:
    return list(numbers.tolist())


def as_names(numbers: NDArray[Any]) -> list[Any]:
    return [f"ü, {number}" for number in numbers.tolist()]


@pytest.mark.parametrize("name", [as_numbers, as_names])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_stream_is_the_same_graph(
    tmp_path: Path, write: Writer, shuffled: bool, name: Callable[[Any], list[Any]]
) -> None:
    datasets, pairs = files(tmp_path, write, shuffled=shuffled, name=name)
    said: list[str] = []
    kept = read_graph(datasets, pairs, engine="memory")
    read = read_graph(datasets, pairs, engine="stream", report=said.append)
    assert isinstance(kept.structure, PairList)
    assert isinstance(read.structure, PairStream)
    assert np.array_equal(read.distance.filled(), kept.distance.filled())
    assert read.touching == kept.touching
    assert (read.pair_count, read.notes) == (kept.pair_count, kept.notes)
    # The boundary, the distances and the classes: three passes over the file, whatever its order.
    assert read.structure.passes == 3
    assert len([text for text in said if text.startswith("pass ")]) == 3


@pytest.mark.parametrize("engine", ["memory", "stream", "spark"])
def test_every_engine_writes_the_same_mechanism_to_the_bit(tmp_path: Path, engine: engines.Engine) -> None:
    if engine == "spark":
        spark()
    written = []
    for shuffled in (False, True):
        folder = tmp_path / str(shuffled)
        folder.mkdir()
        datasets, pairs = files(folder, write_parquet, shuffled=shuffled, name=as_numbers)
        for kept in ("memory", engine):
            out = folder / f"{kept}.csv"
            command = (
                "solve",
                "--datasets",
                datasets,
                "--neighbors",
                pairs,
                "--boundary",
                "randomized-response",
            )

            arguments = (*command, "--epsilon", "1/3", "--engine", kept, "--out", out)
            assert main(list(map(str, arguments))) == 0
            written.append(out.read_bytes())
    assert written[0] == written[1]
    assert written[2] == written[3]


def test_spark_reads_names_and_csv(tmp_path: Path) -> None:
    spark()
    for number, name in enumerate((as_numbers, as_names)):
        folder = tmp_path / str(number)
        folder.mkdir()
        datasets, pairs = files(folder, write_csv, shuffled=False, name=name)
        graph = read_graph(datasets, str(pairs), engine="spark")
        assert isinstance(graph.structure, SparkPairs)
        assert np.array_equal(graph.boundary, read_graph(datasets, pairs).boundary)


def test_verify_streams_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Runner(capsys)
    datasets, pairs = files(tmp_path, write_parquet, shuffled=True, name=as_names)
    out = tmp_path / "mechanism.csv"
    solved = run(
        *("solve", "--datasets", str(datasets), "--neighbors", str(pairs), "--boundary", "uniform"),
        *("--epsilon", "ln 2", "--exact", "--out", str(out)),
    )
    assert solved.code == 0
    check = ("verify", str(out), "--neighbors", str(pairs), "--engine")
    outcomes = [run(*check, engine, "--epsilon", "ln 2") for engine in ("memory", "stream")]
    assert [outcome.code for outcome in outcomes] == [0, 0]
    assert outcomes[0].out == outcomes[1].out
    failed = [run(*check, engine, "--epsilon", "1/2") for engine in ("memory", "stream")]
    assert [outcome.code for outcome in failed] == [1, 1]
    assert failed[0].out == failed[1].out


@pytest.mark.parametrize(
    ("source", "target", "error"),
    [
        ([0, 1], [1, 3], UnknownDatasetError("row 2 of .* names the dataset '3' as its target")),
        ([0, -1], [1, 2], UnknownDatasetError("row 2 of .* names the dataset '-1' as its source")),
        ([0, None], [1, 2], FileFormatError("row 2 of .* has no source")),
        (["0", "x"], ["1", "2"], UnknownDatasetError("row 2 of .* names the dataset 'x' as its source")),
    ],
)
def test_a_wrong_pair_has_the_same_error_in_a_stream(
    tmp_path: Path, write: Writer, source: list[Any], target: list[Any], error: RainbowError
) -> None:
    datasets = write(tmp_path / "datasets", {"dataset": [0, 1, 2], "rainbow": ["a>b", "a>b", "b>a"]})
    pairs = write(tmp_path / "pairs", {"source": source, "target": target})
    errors = []
    for engine in ("memory", "stream"):
        with pytest.raises(type(error), match=error.what) as caught:
            read_graph(datasets, pairs, engine=engine)
        errors.append((caught.value.what, caught.value.help, caught.value.exit_code))
    assert errors[0] == errors[1]


def test_what_would_take_too_much_memory_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for write in (write_csv, write_parquet):
        datasets, pairs = files(tmp_path, write, shuffled=False, name=as_numbers)
        monkeypatch.setattr(engines, "_LITTLE", 0)
        monkeypatch.setattr(engines, "free_memory", lambda _: 1 << 12)
        assert isinstance(read_graph(datasets, pairs).structure, PairStream)
        assert isinstance(read_neighbors(pairs, None, SIZE), PairStream)
        monkeypatch.setattr(engines, "free_memory", lambda _: 1 << 30)
        assert isinstance(read_graph(datasets, pairs).structure, PairList)


def test_no_more_memory_is_free_than_duckdb_may_take() -> None:
    with connect() as database:
        assert 1 << 20 < engines.free_memory(database) < 1 << 50
        database.execute("set memory_limit = '300MiB'")
        assert engines.free_memory(database) == 300 << 20


@pytest.mark.parametrize("turn", [1, 2, 3])
@pytest.mark.parametrize("how", ["fewer pairs", "other pairs", "the same pairs", "no file"])
def test_a_file_that_is_replaced_is_an_error_in_every_pass(tmp_path: Path, turn: int, how: str) -> None:
    size = 1000
    numbers = np.arange(size - 1)
    rainbows = ["a>b"] * (size // 2) + ["b>a"] * (size // 2)
    datasets = write_parquet(tmp_path / "datasets", {"dataset": list(range(size)), "rainbow": rainbows})
    targets = {
        "fewer pairs": numbers[:300] + 1,
        "other pairs": numbers * 7 % size,
        "the same pairs": numbers + 1,
    }
    pairs = write_parquet(tmp_path / "pairs", {"source": numbers, "target": numbers + 1})

    def replace(said: str) -> None:
        if not said.startswith(f"pass {turn}"):
            return
        if how == "no file":
            pairs.unlink()
            return
        target = targets[how]
        write_parquet(tmp_path / "new", {"source": numbers[: target.size], "target": target}).replace(pairs)

    def solved() -> None:
        graph = read_graph(datasets, pairs, engine="stream", report=replace)
        verify(optimal_mechanism(graph, PureDP("ln 2"), "uniform"), graph, PureDP("ln 2"))

    with pytest.raises(FileUnreadableError, match="has changed while it was read"):
        solved()


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_workers_of_spark_that_lack_a_package_are_told_of() -> None:
    def lacking(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import rainbowdp_absent  # type: ignore[import-not-found]  # no worker has it

        yield from rainbowdp_absent.of(batches)

    frame = spark().range(3).mapInArrow(lacking, "id long")
    lack = "the workers of Spark lack a package: ModuleNotFoundError: No module named 'rainbowdp_absent'"
    with pytest.raises(UsageError, match=lack) as caught, at_work():
        frame.count()
    assert "PYSPARK_PYTHON" in caught.value.help


def test_unknown_engines_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="no engine 'streem'") as caught:
        read_graph(tmp_path / "x.csv", tmp_path / "y.csv", engine="streem")  # type: ignore[arg-type]  # on purpose
    assert "stream" in caught.value.help
    outcome = Runner(capsys)(
        "solve", "--datasets", "x", "--boundary", "uniform", "--epsilon", "1", "--engine", "x"
    )
    assert outcome.code == 2
    assert "memory, stream, spark" in outcome.error[1]


def test_addresses_that_spark_cannot_read(tmp_path: Path) -> None:
    spark()
    datasets = write_csv(tmp_path / "datasets", {"dataset": [0, 1], "rainbow": ["a>b", "b>a"]})
    with pytest.raises(FileUnreadableError, match="Spark cannot read"):
        read_graph(datasets, str(tmp_path / "nowhere.parquet"), engine="spark")
    with pytest.raises(FileFormatError, match="does not say in which form"):
        read_graph(datasets, "s3a://bucket/pairs", engine="spark")


@pytest.mark.parametrize("engine", ["stream", "spark"])
def test_what_an_engine_lacks_is_not_said_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: engines.Engine
) -> None:
    datasets, pairs = files(tmp_path, write_csv, shuffled=False, name=as_numbers)
    monkeypatch.setattr("rainbowdp.graph.pairs.compiled", lambda: False)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError) as caught:
        _ = read_graph(datasets, pairs, engine=engine).distance
    assert "datasets.csv" not in caught.value.what
    assert "pip install 'rainbowdp[" in caught.value.help
    assert caught.value.exit_code == 2
