# SPDX-License-Identifier: Apache-2.0
"""Mechanisms in two tables: they read back as they were, and tables that do not fit are refused."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rainbowdp.errors import (
    ColorError,
    DuplicateDatasetError,
    FileFormatError,
    FileUnreadableError,
    FileWriteError,
    UsageError,
)
from rainbowdp.formats import read_mechanism, write_mechanism
from rainbowdp.mechanism import Mechanism

FORMS = ("csv", "parquet")
CODES = "dataset,class\nx,0\ny,1\nz,0\n"
CLASSES = "class,rainbow,distance,datasets,blue,red\n0,red>blue,3,2,1/3,2/3\n1,blue>red,,1,1,0\n"


def small(labels: list[str] | None) -> Mechanism:
    return Mechanism.from_table(
        rainbows=["red>blue", "blue>red"],
        table=[{"red": "2/3", "blue": "1/3"}, {"red": "0", "blue": "1"}],
        codes=[0, 1, 0],
        distances=[3, None],
        labels=labels,
    )


def assert_same(read: Mechanism, written: Mechanism) -> None:
    assert (read.size, read.colors) == (written.size, written.colors)
    assert read.distance.tolist() == written.distance.tolist()
    assert np.array_equal(read.probabilities(), written.probabilities())
    for at in range(min(read.size, 200)):
        assert read.label(at) == written.label(at)
        assert read.rainbow_of(written.label(at)) == written.rainbow_of(written.label(at))
        assert read.rows[int(read.codes[at])] == written.rows[int(written.codes[at])]


def test_the_csv_tables_are_as_documented(tmp_path: Path) -> None:
    write_mechanism(tmp_path / "m.csv", small(["x", "y", "z"]), exact=True, classes=tmp_path / "c.csv")
    assert (tmp_path / "m.csv").read_text() == CODES
    assert (tmp_path / "c.csv").read_text() == CLASSES
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c.csv", "m.csv"]


def test_the_parquet_tables_are_as_documented(tmp_path: Path) -> None:
    codes, classes = tmp_path / "m.parquet", tmp_path / "c.parquet"
    for labels, kind in ((["x", "y", "z"], pa.string()), (None, pa.int64())):
        write_mechanism(codes, small(labels), exact=False, classes=classes)
        assert pq.read_schema(codes).types == [kind, pa.int32()]
        table = pq.read_table(classes)
        assert table.column_names == ["class", "rainbow", "distance", "datasets", "blue", "red"]
        integers = [pa.int32(), pa.string(), pa.int32(), pa.int64()]
        assert table.schema.types == [*integers, pa.float64(), pa.float64()]
        assert table["distance"].to_pylist() == [3, None]
        assert table["datasets"].to_pylist() == [2, 1]


@pytest.mark.parametrize(
    ("labels", "exact"), [(None, True), ([" ", 'a"b', "ä,\n"], False), (["7", "8", "9"], True)]
)
@pytest.mark.parametrize("forms", [(one, other) for one in FORMS for other in FORMS])
def test_two_tables_read_back(
    tmp_path: Path, forms: tuple[str, str], exact: bool, labels: list[str] | None
) -> None:
    codes, classes = tmp_path / f"m.{forms[0]}", tmp_path / f"c.{forms[1]}"
    written = small(labels)
    write_mechanism(codes, written, exact=exact, classes=classes)
    read = read_mechanism(codes, classes=classes)
    assert read.precision == ("exact" if exact else "float64")
    assert (read.labels is None) == (labels is None)
    if exact:
        assert_same(read, written)
    else:
        assert np.array_equal(read.probabilities(), written.probabilities())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("named", [True, False])
def test_more_datasets_than_a_block_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, named: bool
) -> None:
    monkeypatch.setattr("rainbowdp.formats.mechanism_writing._MOST_ROWS", 700)
    codes = np.arange(5000) % 2
    labels = [f"d{at}" for at in range(5000)] if named else None
    written = Mechanism.from_table(
        ["b>r", "b>r"],
        [{"b": "3/4", "r": "1/4"}, {"b": "7/8", "r": "1/8"}],
        codes=codes,
        distances=[0, 1],
        labels=labels,
    )
    write_mechanism(tmp_path / f"m.{form}", written, exact=True, classes=tmp_path / "c.parquet")
    read = read_mechanism(tmp_path / f"m.{form}", classes=tmp_path / "c.parquet")
    assert np.array_equal(read.codes, codes)
    assert_same(read, written)


def test_parquet_tables_of_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CLASSES.replace("\n0,", "\nfar,").replace("\n1,", "\nfree,"))
    for datasets, codes in ((["x", "y", "z"], ["far", "free", "far"]), ([0, 1, 2], ["far", "free", "far"])):
        pq.write_table(pa.table({"class": codes, "dataset": datasets}), tmp_path / "m.parquet")
        read = read_mechanism(tmp_path / "m.parquet", classes=tmp_path / "c.csv")
        assert read.codes.tolist() == [0, 1, 0]
        assert [read.label(at) for at in range(3)] == list(map(str, datasets))
    # Integers that are in no order have names; so have those that one of the fast readers cannot take.
    (tmp_path / "c.csv").write_text(CLASSES)
    for datasets in ([2, 1, 0], [5, 6, 7]):
        table = pa.table({"dataset": datasets, "class": pa.array([0, 1, 0], pa.uint8())})
        pq.write_table(table, tmp_path / "m.parquet")
        read = read_mechanism(tmp_path / "m.parquet", classes=tmp_path / "c.csv")
        assert [read.label(at) for at in range(3)] == list(map(str, datasets))
        assert read.codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("codes", "classes", "said"),
    [
        (CODES.replace("y,1", "y,2"), CLASSES, "row 2 .* has the class '2'"),
        (CODES.replace("y,1", "y,"), CLASSES, "row 2 .* has nothing in the column 'class'"),
        (CODES.replace("y,1", ",1"), CLASSES, "row 2 .* has nothing in the column 'dataset'"),
        (CODES.replace("y,1", "y,0"), CLASSES, "do not belong together: the class '0' has 3 datasets"),
        ("dataset,class\n", CLASSES, "a header and no datasets"),
        ("dataset,klass\nx,0\n", CLASSES, "has no column 'class'"),
        (CODES, CLASSES.replace("3,2,", "3,many,"), "row 1 .* does not say how many datasets"),
        (CODES, CLASSES.replace("3,2,", "3,-2,"), "row 1 .* does not say how many datasets"),
        (CODES, CLASSES.replace("datasets", "dataset"), "has no column 'datasets'"),
        (CODES, CLASSES.replace("class,", "dataset,"), "has no column 'class'"),
        (CODES, CLASSES.replace("0,red>blue", ",red>blue"), "row 1 .* nothing in the column"),
        (CODES, "class,rainbow,distance,datasets\n0,red>blue,3,2\n", "no column for a color"),
    ],
)
def test_tables_that_do_not_fit_are_refused_with_the_place(
    tmp_path: Path, codes: str, classes: str, said: str
) -> None:
    (tmp_path / "m.csv").write_text(codes)
    (tmp_path / "c.csv").write_text(classes)
    with pytest.raises(FileFormatError, match=said):
        read_mechanism(tmp_path / "m.csv", classes=tmp_path / "c.csv")


@pytest.mark.parametrize(
    ("datasets", "codes", "said"),
    [
        ([0, 1, 2], [0, 5, 0], "row 2 .* has the class '5'"),
        ([0, 1, 2], [0, -1, 0], "row 2 .* has the class '-1'"),
        ([0, 1, 2], [0, None, 0], "row 2 .* has nothing in the column 'class'"),
        ([0, None, 2], [0, 1, 0], "row 2 .* has nothing in the column 'dataset'"),
        ([0, 1, 2], [1, 1, 1], "do not belong together"),
    ],
)
def test_wrong_integers_are_refused_with_the_place(
    tmp_path: Path, datasets: list[int | None], codes: list[int | None], said: str
) -> None:
    columns = {"dataset": pa.array(datasets, pa.int64()), "class": pa.array(codes, pa.int32())}
    pq.write_table(pa.table(columns), tmp_path / "m.parquet")
    (tmp_path / "c.csv").write_text(CLASSES)
    with pytest.raises(FileFormatError, match=said):
        read_mechanism(tmp_path / "m.parquet", classes=tmp_path / "c.csv")


def test_names_that_occur_twice_are_refused(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(CLASSES)
    (tmp_path / "m.csv").write_text(CODES.replace("z,0", "x,0"))
    with pytest.raises(DuplicateDatasetError, match="'x' stands in rows 1 and 3"):
        read_mechanism(tmp_path / "m.csv", classes=tmp_path / "c.csv")
    (tmp_path / "m.csv").write_text(CODES)
    (tmp_path / "c.csv").write_text(CLASSES.replace("\n1,", "\n0,"))
    with pytest.raises(DuplicateDatasetError, match="'0' stands in rows 1 and 2"):
        read_mechanism(tmp_path / "m.csv", classes=tmp_path / "c.csv")


def test_a_table_of_classes_alone_points_to_the_other(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(CODES)
    with pytest.raises(FileFormatError, match="no column 'rainbow'") as caught:
        read_mechanism(tmp_path / "m.csv")
    assert "--classes" in caught.value.help
    with pytest.raises(FileUnreadableError, match=r"no file .*c\.csv"):
        read_mechanism(tmp_path / "m.csv", classes=tmp_path / "c.csv")


def test_what_cannot_be_written_is_refused_before_anything_is(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"c\.json"):
        write_mechanism(tmp_path / "m.csv", small(None), exact=True, classes=tmp_path / "c.json")
    with pytest.raises(UsageError, match=r"m\.json"):
        write_mechanism(tmp_path / "m.json", small(None), exact=True, classes=tmp_path / "c.csv")
    with pytest.raises(FileWriteError, match="no directory"):
        write_mechanism(tmp_path / "m.csv", small(None), exact=True, classes=tmp_path / "absent" / "c.csv")
    for color in ("class", "datasets"):
        mechanism = Mechanism.from_table([f"{color}>r"], [{color: "1/2", "r": "1/2"}])
        with pytest.raises(ColorError, match=color):
            write_mechanism(tmp_path / "m.csv", mechanism, exact=True, classes=tmp_path / "c.csv")
        write_mechanism(tmp_path / f"{color}.csv", mechanism, exact=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["class.csv", "datasets.csv"]
