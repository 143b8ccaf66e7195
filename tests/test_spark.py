# SPDX-License-Identifier: Apache-2.0
"""Pairs of neighbors and tables of people in Spark: the same answers as in memory, on a real session.

What starts a session stands in this file, so that one process alone does.
"""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_tally import NOTHING, UNREADABLE, Types, cells, says_its_types, selected
from rainbowdp.errors import (
    FileFormatError,
    FileUnreadableError,
    UnknownColumnError,
    UnknownDatasetError,
    UsageError,
)
from rainbowdp.families import grid, path
from rainbowdp.formats import read_graph, write_mechanism
from rainbowdp.graph import DatasetGraph, PairList, listed
from rainbowdp.graph.arrays import Integers
from rainbowdp.graph.distances import UNREACHED, relaxed
from rainbowdp.optimal import optimal_mechanism
from rainbowdp.privacy import PureDP
from rainbowdp.spark import FEW_ROUNDS, SparkPairs, at_work, numbered, relaxed_partition
from rainbowdp.tables import count_keys, open_table
from relation_answers import assert_same_answers
from spark_session import spark
from table_backends import COLUMNS, PEOPLE, Row, arrow, pyspark


def table(source: Any, target: Any, partitions: int = 1) -> Any:  # noqa: ANN401 - PySpark is no dependency of the checker
    return spark().createDataFrame(pa.table({"source": source, "target": target})).repartition(partitions)


def shuffled(structure: DatasetGraph) -> tuple[Integers, Integers]:
    random = np.random.default_rng(3)
    names = random.permutation(structure.size).astype(np.int32)
    source, target = structure.pairs()
    order = random.permutation(source.size)
    return names[source][order], names[target][order]


@pytest.mark.parametrize(
    ("size", "partitions"), [(20, 2), *(pytest.param(200, n, marks=pytest.mark.release) for n in (1, 3))]
)
def test_every_answer_is_that_of_the_pairs_in_memory(size: int, partitions: int) -> None:
    random = np.random.default_rng(7)
    source, target = (random.integers(0, size, size * 3 // 2) for _ in range(2))
    codes = (np.arange(size) // (size // 3 + 3)).astype(np.int32)
    pairs, oracle = SparkPairs(size, table(source, target, partitions)), PairList(size, source, target)
    assert_same_answers(pairs, oracle, codes, oracle.mixed(codes))
    assert pairs.pair_count == int(np.count_nonzero(source != target))
    assert pairs.notes == oracle.notes[: oracle.self_loops > 0]


@pytest.mark.release
@pytest.mark.parametrize("natural", [True, False])
def test_lattices_in_any_order(natural: bool) -> None:
    structure = listed(grid(30, 40).structure)
    source, target = structure.pairs() if natural else shuffled(structure)
    codes = np.zeros(1200, dtype=np.int32)
    codes[source[0]] = 1
    oracle = PairList.from_arrays(1200, source, target)
    assert_same_answers(SparkPairs(1200, table(source, target, 2)), oracle, codes, oracle.mixed(codes))


@pytest.mark.release
def test_scattered_long_paths_are_finished_on_the_driver() -> None:
    source, target = shuffled(listed(path(400).structure))
    said: list[str] = []
    pairs = SparkPairs(400, table(source, target, 3), said.append)
    starts = np.arange(400) == 17
    oracle = PairList.from_arrays(400, source, target)
    assert np.array_equal(pairs.steps_from(starts), oracle.steps_from(starts))
    assert len(said) == FEW_ROUNDS + 1
    assert "finished on the driver" in said[-1]


def test_one_partition_takes_one_round_and_one_that_finds_nothing() -> None:
    source, target = listed(path(500).structure).pairs()
    said: list[str] = []
    found = SparkPairs(500, table(source, target), said.append).steps_from(np.arange(500) == 0)
    assert found.tolist() == list(range(500))
    assert said == ["round 1: 499 distances improved", "round 2: 0 distances improved"]


def test_no_pairs_at_all() -> None:
    none = np.empty(0, dtype=np.int64)
    pairs = SparkPairs(2, table(none, none))
    assert pairs.steps_from(np.array([True, False])).tolist() == [0, -1]
    assert not pairs.mixed(np.array([0, 1], dtype=np.int32)).any()
    assert pairs.code_pairs(np.array([0, 1], dtype=np.int32), 2).size == 0
    assert (pairs.pair_count, pairs.notes) == (0, ())


def test_names_become_numbers() -> None:
    labels = ["ann", "bob", "7", "Ünal"]
    found = numbered(table(["bob", "7", "Ünal"], ["ann", "bob", "ann"]), labels, 4).toArrow().to_pydict()
    assert sorted(zip(found["source"], found["target"], strict=True)) == [(1, 0), (2, 1), (3, 0)]


def test_whole_numbers_are_numbers_already() -> None:
    pairs = numbered(table(np.array([0, 2]), np.array([1, 1])), None, 3)
    assert pairs.toArrow().to_pydict() == {"source": [0, 2], "target": [1, 1]}
    # Numbers written as text are names like others.
    assert numbered(table(["0", "2"], ["1", "1"]), None, 3).count() == 2


@pytest.mark.parametrize(
    ("source", "wrong"),
    [(["0", "x"], "x"), *(pytest.param([0, at], str(at), marks=pytest.mark.release) for at in (3, -1))],
)
def test_a_pair_with_an_unknown_dataset_is_refused_by_name(source: list[Any], wrong: str) -> None:
    target = [type(source[0])(1)] * 2
    with pytest.raises(UnknownDatasetError, match=f"dataset '{wrong}'"):
        numbered(table(source, target), None, 3)


def test_a_table_without_an_end_or_a_column_is_refused() -> None:
    with pytest.raises(FileFormatError, match="the table of neighbors has no target in 1 row"):
        numbered(table(["0", "1"], ["1", None]), None, 3)
    frame = table([0], [1]).withColumnRenamed("target", "to")
    with pytest.raises(FileFormatError, match="no column 'target'"):
        numbered(frame, None, 3)


def test_a_partition_relaxes_among_its_own_datasets() -> None:
    known = np.array([0, UNREACHED, 9, UNREACHED, 4, UNREACHED], dtype=np.int32)
    sent = SimpleNamespace(value=known)
    batch = pa.RecordBatch.from_pydict({"source": [1, 2, 5], "target": [0, 1, 5]})
    (found,) = relaxed_partition(sent, iter([batch]))
    assert found.to_pydict() == {"dataset": [1, 2], "steps": [1, 2]}


@given(st.data())
def test_relaxing_ends_where_no_pair_improves_anything(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 12))
    ends = data.draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=20))
    known = data.draw(st.lists(st.sampled_from([0, 1, 2, 5, 90, UNREACHED]), min_size=size, max_size=size))
    source, target = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    expected = list(known)
    for _ in range(size):
        for one, other in ends:
            expected[one] = min(expected[one], expected[other] + 1, UNREACHED)
            expected[other] = min(expected[other], expected[one] + 1, UNREACHED)
    assert relaxed(source, target, np.array(known, dtype=np.int32)).tolist() == expected


def files(folder: Path, names: str) -> tuple[Path, Path]:
    """Write the datasets and the pairs of a path as CSV, called by numbers with a text before them."""
    datasets, pairs = folder / "datasets.csv", folder / "pairs.csv"
    rows = [f'"{names}{at}",{"a>b" if at < 5 else "b>a"}\n' for at in range(12)]
    datasets.write_text("dataset,rainbow\n" + "".join(rows), encoding="utf-8")
    ends = [f'"{names}{at}","{names}{at + 1}"\n' for at in range(11)]
    pairs.write_text("source,target\n" + "".join(ends), encoding="utf-8")
    return datasets, pairs


@pytest.mark.parametrize("names", [pytest.param("", marks=pytest.mark.release), "ü, "])
def test_files_give_the_same_mechanism_with_spark_and_in_memory(tmp_path: Path, names: str) -> None:
    spark()
    datasets, pairs = files(tmp_path, names)
    graph = read_graph(datasets, str(pairs), engine="spark")
    assert isinstance(graph.structure, SparkPairs)
    made = [optimal_mechanism(one, PureDP("1/3"), "uniform") for one in (graph, read_graph(datasets, pairs))]
    for at, mechanism in enumerate(made):
        write_mechanism(tmp_path / f"{at}.csv", mechanism, exact=False)
    assert (tmp_path / "0.csv").read_bytes() == (tmp_path / "1.csv").read_bytes()


def test_addresses_that_spark_cannot_read(tmp_path: Path) -> None:
    spark()
    datasets, _ = files(tmp_path, "")
    with pytest.raises(FileUnreadableError, match="Spark cannot read"):
        read_graph(datasets, str(tmp_path / "nowhere.parquet"), engine="spark")
    with pytest.raises(FileFormatError, match="does not say in which form"):
        read_graph(datasets, "s3a://bucket/pairs", engine="spark")


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


def test_spark_columns_are_found_by_their_names() -> None:
    session = spark()
    dotted = session.sql("select 'x' as `a.b`, 'red' as vote, 'y' as Vote, named_struct('b', 1) as a")
    with open_table(dotted) as table:
        assert table.columns == ("a.b", "vote", "Vote", "a")
        assert cells(table, "a.b", where={"vote": "red", "Vote": "y"}) == {"x": 1}
        assert cells(table, "a") == {UNREADABLE: 1}
    with pytest.raises(UnknownColumnError, match="the frame gives its columns 1 and 2 the same name"):
        open_table(session.sql("select 1 as a, 2 as a"))


TYPES_OF_SPARK: Types = {
    "text": ("cast(X'726564' as string)", "red"),
    "broken": ("cast(X'7265FF' as string)", UNREADABLE),
    "first": ("date'0001-01-01'", "0001-01-01"),
    "before": ("date_add(date'0001-01-01', -1)", UNREADABLE),
    "far day": ("date'+99999-01-01'", UNREADABLE),
    "moment": ("timestamp'2020-07-01 10:00:00.25Z'", "2020-07-01T10:00:00.250000+00:00"),
    "wall": ("timestamp_ntz'2020-07-01 10:00:00.25'", "2020-07-01T10:00:00.250000"),
    "far": ("timestamp_micros(9000000000000000000)", UNREADABLE),
    "never": ("cast(null as timestamp)", NOTHING),
    "days": ("interval 1 day", ""),
    "any": ("parse_json('\"red\"')", ""),
    "struct": ("named_struct('b', 1)", ""),
}


def test_types_of_spark_say_what_they_are() -> None:
    from pyspark.ml.linalg import Vectors

    session = spark()
    before = session.conf.get("spark.sql.session.timeZone")
    frame = session.sql(selected(TYPES_OF_SPARK, "`"))
    try:
        # What is said depends on no zone, so another than UTC tells enough.
        session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
        says_its_types(frame, TYPES_OF_SPARK)
    finally:
        session.conf.set("spark.sql.session.timeZone", before)
    own = session.createDataFrame([(Vectors.dense([1, 2]), "red"), (None, "blue")], ["vector", "vote"])
    with open_table(own) as table:
        assert cells(table, "vector") == {UNREADABLE: 1, NOTHING: 1}
        assert cells(table, "vote") == {"red": 1, "blue": 1}


def test_a_frame_of_people_is_read_like_a_table_in_memory(tmp_path: Path) -> None:
    longest = "ü" * (1 << 12)
    people: list[Row] = [*PEOPLE, *((99, text, True, 1.0, "N") for text in (longest, longest + "a"))]
    with (
        pyspark(people, tmp_path) as (source, options),
        open_table(source, **options) as table,
        open_table(arrow(people)) as same,
    ):
        assert table.columns == COLUMNS
        for column in COLUMNS:
            assert cells(table, column) == cells(same, column)
        for more in ({"where": {"flag": " true ", "ward": "01"}}, {"unit": "person", "max_rows": 1000}):
            assert cells(table, "vote", **more) == cells(same, "vote", **more)
        found, expected = (dict(count_keys(one, "vote", unit="person", max_keys=99)) for one in (table, same))
        assert found == expected
