# SPDX-License-Identifier: Apache-2.0
"""Pairs from files of every kind of column: the same graph, and the same error at the same row."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rainbowdp.errors import FileFormatError, FileUnreadableError, RainbowError
from rainbowdp.formats import graphs, read_graph
from rainbowdp.formats import pairs as pair_files
from rainbowdp.formats.datasets import KnownDatasets
from rainbowdp.formats.pairs import read_pairs
from rainbowdp.formats.suffixes import Form
from rainbowdp.formats.tables import connect
from rainbowdp.graph import DatasetGraph, PairList

TYPES = ("int32", "int64", "uint8", "uint64", "int16", "string", "large_string")
LABELS: dict[str, list[int] | list[str] | None] = {
    "dense": None,
    "close": [12, 10, 17, 11],
    "negative": [-3, 5, 0, 2],
    "far apart": [10**17, -(10**17), 7, 2**62],
    "text": ["b", "a", "07", "7"],
}


@pytest.fixture(params=["arrow", "duckdb"])
def decoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read integers by pyarrow, and as what pyarrow does not read."""
    if request.param == "duckdb":
        monkeypatch.setattr(pair_files, "integer_rows", lambda *_: None)
        monkeypatch.setattr(graphs, "numbered_datasets", lambda *_: None)


def read(path: Path, labels: list[int] | list[str] | None, size: int = 4) -> PairList:
    known = KnownDatasets(size, None if labels is None else np.array(labels), "the list")
    form = Form.CSV if path.suffix == ".csv" else Form.PARQUET
    with connect() as database:
        return read_pairs(database, path, form, known)


def written(path: Path, source: Sequence[object], target: Sequence[object], kind: str, rows: int = 2) -> Path:
    """Write a table of pairs: Parquet with columns of a type, in several row groups, or CSV."""
    if path.suffix == ".csv":
        cells_of = [["" if cell is None else str(cell) for cell in end] for end in (source, target)]
        lines = list(map(",".join, zip(*cells_of, strict=True)))
        path.write_text("\n".join(["source,target", *lines, ""]))
        return path
    texts = kind.endswith("string")
    columns = {}
    for name, values in (("weight", [0] * len(source)), ("target", target), ("source", source)):
        cells = [None if value is None else str(value) if texts else value for value in values]
        columns[name] = pa.array(cells, type=getattr(pa, kind)())
    pq.write_table(pa.table(columns), path, row_group_size=rows)
    return path


@pytest.mark.usefixtures("decoder")
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


@pytest.mark.usefixtures("decoder")
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize(
    ("row", "end", "cell"),
    [(1, 0, 99), (2, 1, 99), (3, 1, None), (1, 0, None), (2, 0, -1), (3, 0, 4), (3, 1, 2**62 + 1)],
)
def test_a_wrong_pair_is_named_alike_in_every_kind_of_file(
    tmp_path: Path, labels: list[int] | list[str] | None, row: int, end: int, cell: int | None
) -> None:
    names: list[object] = [0, 1, 2, 3] if labels is None else list(labels)
    columns = [[names[at] for at in ends] for ends in ([0, 3, 1], [1, 2, 0])]
    columns[end][row - 1] = cell
    columns[1 - end][-1] = cell if row < 3 else columns[1 - end][-1]
    said = set()
    for name, kind in (("pairs.csv", "csv"), ("text.parquet", "string"), ("numbers.parquet", "int64")):
        try:
            path = written(tmp_path / name, columns[0], columns[1], kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            assert labels is LABELS["text"]
            continue
        with pytest.raises(RainbowError) as caught:
            read(path, labels)
        what = caught.value.what.replace(name, "FILE")
        assert f"row {row} of" in what
        said.add((type(caught.value), what, caught.value.help))
    assert len(said) == 1


@pytest.mark.usefixtures("decoder")
@settings(max_examples=30)
@given(pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40), rows=st.integers(1, 50))
def test_row_groups_of_any_length_keep_their_order(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[int, int]], rows: int
) -> None:
    path = tmp_path_factory.mktemp("groups") / "pairs.parquet"
    written(path, [pair[0] for pair in pairs], [pair[1] for pair in pairs], "int64", rows)
    found = read(path, None, size=10)
    assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == pairs


@pytest.mark.usefixtures("decoder")
def test_a_broken_file_is_unreadable_whoever_decodes_it(tmp_path: Path) -> None:
    path = written(tmp_path / "pairs.parquet", [0] * 5000, list(range(4)) * 1250, "int64", 5000)
    content = bytearray(path.read_bytes())
    begin = pq.ParquetFile(path).metadata.row_group(0).column(2).dictionary_page_offset
    content[begin : begin + 20] = bytes(20)
    path.write_bytes(content)
    with pytest.raises((FileUnreadableError, FileFormatError)):
        read(path, None)


@pytest.mark.usefixtures("decoder")
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_datasets_called_by_their_numbers_have_no_labels(tmp_path: Path, form: str) -> None:
    rainbows = ["b>r", "r>b", "b > r", "r>b", "r>b"]
    pairs = written(tmp_path / f"pairs.{form}", [3, 1, 0], [2, 2, 1], "int64")

    def graph_of(names: list[int]) -> list[object]:
        path = tmp_path / f"nodes.{form}"
        if form == "csv":
            rows = [f"{name},{rainbow}" for name, rainbow in zip(names, rainbows, strict=True)]
            path.write_text("\n".join(["dataset,rainbow", *rows, ""]))
        else:
            pq.write_table(pa.table({"dataset": names, "rainbow": rainbows}), path, row_group_size=2)
        graph = read_graph(path, pairs)
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


def test_what_is_read_is_held_without_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed: list[object] = []
    hold = PairList.from_arrays

    def seen(size: int, *ends: NDArray[np.int32]) -> PairList:
        handed.extend(ends)
        return hold(size, *ends)

    monkeypatch.setattr(PairList, "from_arrays", seen)
    found = read(written(tmp_path / "pairs.parquet", [0, 1], [1, 2], "int64"), None)
    assert found.source is handed[0]
    assert found.target is handed[1]
    assert isinstance(found.listed(), DatasetGraph)
