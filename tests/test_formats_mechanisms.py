# SPDX-License-Identifier: Apache-2.0
"""Mechanism files, in one table or two: they read back as written, and wrong ones are refused."""

import csv
import json
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rainbowdp.errors import (
    ColorError,
    DistributionError,
    DuplicateDatasetError,
    FileFormatError,
    FileUnreadableError,
    FileWriteError,
    IrrationalError,
    NumberError,
    RainbowError,
    UsageError,
)
from rainbowdp.exact import OddsExpression
from rainbowdp.formats import read_mechanism, write_mechanism
from rainbowdp.mechanism import Mechanism
from rainbowdp.rainbow import Rainbow

FORMS = ("csv", "parquet", "json")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)

WHOLE = "dataset,rainbow,distance,blue,red\nx,red>blue,3,1/3,2/3\ny,blue>red,,1,0\nz,red>blue,3,1/3,2/3\n"
CODES = "dataset,class\nx,0\ny,1\nz,0\n"
CLASSES = "class,rainbow,distance,datasets,blue,red\n0,red>blue,3,2,1/3,2/3\n1,blue>red,,1,1,0\n"
NAMES = ["x", "y", "z"]


def small(labels: list[str] | None = NAMES) -> Mechanism:
    return Mechanism.from_table(
        rainbows=["red>blue", "blue>red"],
        table=[{"red": "2/3", "blue": "1/3"}, {"red": "0", "blue": "1"}],
        codes=[0, 1, 0],
        distances=[3, None],
        labels=labels,
    )


def content(mechanism: Mechanism) -> list[tuple[str, str, int | None, dict[str, object]]]:
    return [
        (mechanism.label(at), str(mechanism.class_rainbow[code]), distance, dict(mechanism.rows[code]))
        for at, (code, distance) in enumerate(
            zip(mechanism.codes.tolist(), mechanism.distance.tolist(), strict=True)
        )
    ]


def test_text_files_are_as_documented(tmp_path: Path) -> None:
    m, c, j = tmp_path / "m.csv", tmp_path / "c.csv", tmp_path / "m.json"
    write_mechanism(m, small())
    assert m.read_text() == WHOLE
    write_mechanism(m, small(), exact=False)
    assert m.read_text().splitlines()[1:3] == [
        "x,red>blue,3,0.3333333333333333,0.6666666666666666",
        "y,blue>red,,1.0,0.0",
    ]
    write_mechanism(m, small(), classes=c)
    assert (m.read_text(), c.read_text()) == (CODES, CLASSES)
    for precision, first, second in (
        ("exact", {"blue": "1/3", "red": "2/3"}, {"blue": "1", "red": "0"}),
        ("float64", {"blue": 1 / 3, "red": 2 / 3}, {"blue": 1, "red": 0}),
    ):
        write_mechanism(j, small(), exact=precision == "exact")
        read = json.loads(j.read_text())
        assert list(read.items())[:2] == [("colors", ["blue", "red"]), ("precision", precision)]
        assert [tuple(row.values()) for row in read["rows"]] == [
            ("x", "red>blue", 3, first),
            ("y", "blue>red", None, second),
            ("z", "red>blue", 3, first),
        ]
        assert {tuple(row) for row in read["rows"]} == {("dataset", "rainbow", "distance", "probabilities")}


@pytest.mark.parametrize(
    ("exact", "kind", "third"), [(True, pa.string(), "1/3"), (False, pa.float64(), 1 / 3)]
)
def test_parquet_files_are_as_documented(
    tmp_path: Path, exact: bool, kind: pa.DataType, third: object
) -> None:
    m, c = tmp_path / "m.parquet", tmp_path / "c.parquet"
    write_mechanism(m, small(), exact=exact)
    table = pq.read_table(m)
    assert table.column_names == ["dataset", "rainbow", "distance", "blue", "red"]
    assert table.schema.types == [pa.string(), pa.string(), pa.int32(), kind, kind]
    assert table["distance"].to_pylist() == [3, None, 3]
    assert table["blue"].to_pylist()[0] == third
    for labels, names in ((NAMES, pa.string()), (None, pa.int64())):
        write_mechanism(m, small(labels), exact=exact, classes=c)
        assert pq.read_schema(m).types == [names, pa.int32()]
    table = pq.read_table(c)
    assert table.column_names == ["class", "rainbow", "distance", "datasets", "blue", "red"]
    assert table.schema.types == [pa.int32(), pa.string(), pa.int32(), pa.int64(), kind, kind]
    assert table["distance"].to_pylist() == [3, None]
    assert table["datasets"].to_pylist() == [2, 1]


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    reserved = {"dataset", "rainbow", "distance"}
    colors = draw(
        st.lists(TEXT.filter(lambda name: name not in reserved), min_size=2, max_size=4, unique=True)
    )
    size = draw(st.integers(1, 4))
    rainbows, table = [], []
    for _ in range(size):
        order = draw(st.permutations(colors))
        cut = draw(st.integers(1, len(order)))
        rainbows.append(Rainbow([*([color] for color in order[:cut]), *filter(None, [order[cut:]])]))
        weights = [draw(st.integers(0, 10**20) | st.just(1) | st.just(10**280)) for _ in colors]
        weights[0] += not any(weights)
        table.append({c: Fraction(weight, sum(weights)) for c, weight in zip(colors, weights, strict=True)})
    labels = draw(st.lists(TEXT, min_size=1, max_size=7, unique=True))
    codes = draw(st.lists(st.integers(0, size - 1), min_size=len(labels), max_size=len(labels)))
    distances = draw(st.lists(st.none() | st.integers(0, 2**31 - 1), min_size=size, max_size=size))
    named = labels if draw(st.integers(0, 3)) else None
    return Mechanism.from_table(rainbows, table, codes=codes, distances=distances, labels=named)


@settings(max_examples=16)
@given(mechanisms(), st.sampled_from(FORMS), st.booleans(), st.sampled_from([None, "csv", "parquet"]))
def test_mechanisms_read_back_whatever_their_names(
    mechanism: Mechanism, form: str, exact: bool, second: str | None
) -> None:
    assume(second is None or (form != "json" and not {"class", "datasets"} & set(mechanism.colors)))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        # Seven datasets are more than a block has.
        patch.setattr("rainbowdp.formats.writing._MOST_ROWS", 3)
        path = Path(folder) / f"m.{form}"
        classes = None if second is None else Path(folder) / f"c.{second}"
        write_mechanism(path, mechanism, exact=exact, classes=classes)
        read = read_mechanism(path, classes=classes)
    if exact:
        assert read.precision == "exact"
        assert content(read) == content(mechanism)
    else:
        assert read.precision == "float64"
        assert np.array_equal(read.probabilities(), mechanism.probabilities())
        assert [row[:3] for row in content(read)] == [row[:3] for row in content(mechanism)]


def test_datasets_that_are_written_alike_share_a_class(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(
        "dataset,rainbow,distance,b,r\nw,b>r,0,1/2,1/2\nx,b>r,0,1/2,1/2\ny,b>r,1,1/2,1/2\nz,b>r,,1/2,1/2\n"
    )
    read = read_mechanism(tmp_path / "m.csv")
    assert read.codes.tolist() == [0, 0, 1, 2]
    assert read.class_distance.tolist() == [0, 1, None]


@pytest.mark.parametrize(
    ("cells", "precision"),
    [("1/2,1/2", "exact"), ("1,0", "exact"), ("1.0,0.0", "float64"), ("1,0e0", "float64")],
)
def test_a_table_shows_its_precision(tmp_path: Path, cells: str, precision: str) -> None:
    (tmp_path / "m.csv").write_text(f"dataset,rainbow,distance,b,r\nx,b>r,0,1,0\ny,b>r,1,{cells}\n")
    assert read_mechanism(tmp_path / "m.csv").precision == precision


def test_parquet_files_of_others_are_read(tmp_path: Path) -> None:
    columns = {
        "r": [0, 1],
        "dataset": [7, 8],
        "distance": pa.array([0, None], pa.int64()),
        "b": [1, 0],
        "rainbow": ["b>r", "r>b"],
    }
    pq.write_table(pa.table(columns), tmp_path / "m.parquet")
    read = read_mechanism(tmp_path / "m.parquet")
    assert read.precision == "exact"
    assert content(read) == [("7", "b>r", 0, {"b": 1, "r": 0}), ("8", "r>b", None, {"b": 0, "r": 1})]
    (tmp_path / "c.csv").write_text(CLASSES.replace("\n0,", "\nfar,").replace("\n1,", "\nfree,"))
    # Integers that are in no order have names, too.
    for datasets in (NAMES, [0, 1, 2], [2, 1, 0]):
        codes = pa.table({"class": ["far", "free", "far"], "dataset": datasets})
        pq.write_table(codes, tmp_path / "m.parquet")
        read = read_mechanism(tmp_path / "m.parquet", classes=tmp_path / "c.csv")
        assert read.codes.tolist() == [0, 1, 0]
        assert [read.label(at) for at in range(3)] == list(map(str, datasets))


def test_other_programs_read_the_csv_file(tmp_path: Path) -> None:
    colors = ('say "hi"', "a,b", "two\nlines")
    table = [dict(zip(colors, ("1/2", "1/4", "1/4"), strict=True))]
    mechanism = Mechanism.from_table([Rainbow([[color] for color in colors])], table, labels=["a\r\nb"])
    write_mechanism(tmp_path / "m.csv", mechanism, exact=True)
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["dataset", "rainbow", "distance", "a,b", 'say "hi"', "two\nlines"]
    assert rows[1] == ["a\r\nb", '"say ""hi"""' + '>"a,b">"two\nlines"', "", "1/4", "1/2", "1/4"]


def test_what_cannot_be_written_is_refused_before_anything_is(tmp_path: Path) -> None:
    m, c, absent = tmp_path / "m.csv", tmp_path / "c.csv", tmp_path / "absent" / "m.csv"
    reserved = [("dataset", None), ("rainbow", None), ("distance", c), ("class", c), ("datasets", c)]
    for color, classes in reserved:
        mechanism = Mechanism.from_table([f"{color}>b"], [{color: "1", "b": "0"}])
        with pytest.raises(ColorError, match=f"has a column '{color}' already"):
            write_mechanism(m, mechanism, exact=True, classes=classes)
    for path, classes in ((m, tmp_path / "c.json"), (tmp_path / "m.json", c)):
        with pytest.raises(UsageError, match="json"):
            write_mechanism(path, small(), exact=True, classes=classes)
    for path, classes in ((absent, None), (m, absent)):
        with pytest.raises(FileWriteError, match="there is no directory"):
            write_mechanism(path, small(), exact=True, classes=classes)
    t = OddsExpression.odds(Fraction(1))
    irrational = Mechanism.from_table(["b>r"], [{"b": t / (1 + t), "r": 1 / (1 + t)}])
    with pytest.raises(IrrationalError):
        write_mechanism(m, irrational, exact=True)
    assert list(tmp_path.iterdir()) == []
    write_mechanism(m, irrational, exact=False)
    assert read_mechanism(m).table[0, 0] == pytest.approx(0.7310585786300049, rel=1e-15)


HEAD = "dataset,rainbow,distance,b,r\n"
ROW = HEAD + "x,b>r,0,1,0\n"


@pytest.mark.parametrize(
    ("text", "kind", "what", "hint"),
    [
        (ROW.replace("distance", "distanze"), FileFormatError, "does not rank distanze", "distanze"),
        ("dataset,rainbow,distance\nx,b>r,0\n", FileFormatError, "no column for a color", "per color"),
        (CODES, FileFormatError, "no column for a color", "--classes"),
        (HEAD, FileFormatError, "a header and no rows", "row"),
        (f"{ROW},b>r,0,1,0\n", FileFormatError, "row 2 of .* nothing in the column 'dataset'", "name every"),
        (f"{ROW}y,b>r,0,1,\n", FileFormatError, "row 2 of .* nothing in the column 'r'", "fill"),
        (HEAD + "x,b>r,0.5,1,0\n", FileFormatError, "row 1 of .* has the distance '0.5'", "whole number"),
        (HEAD + "x,b>r,99999999999,1,0\n", FileFormatError, "'99999999999'", "whole number up to 2147483647"),
        (HEAD + "x,b>g,0,1,0\n", FileFormatError, "row 1 of .* does not rank r; unknown colors g", "b, r"),
        (HEAD + "x,b>>r,0,1,0\n", FileFormatError, "row 1 of .*empty color", "between > and ="),
        (f"{ROW}x,b>r,0,1,0\n", DuplicateDatasetError, "'x' stands in rows 1 and 2 of", "once"),
        (HEAD + "x,b>r,0,1/2,1/3\n", DistributionError, "m.csv': dataset 'x'.* sum to 5/6", "fractions"),
        (HEAD + "x,b>r,0,0.5,0.4\n", DistributionError, "m.csv': dataset 'x' sums to 0.9", "digits"),
        (HEAD + "x,b>r,0,many,0\n", NumberError, "m.csv': .*'many' is not an exact number", "1/3"),
        (HEAD + "x,b>r,0,nan,0\n", RainbowError, "m.csv'.*nan", ""),
    ],
)
def test_a_table_that_is_no_mechanism_is_refused_with_the_place(
    tmp_path: Path, text: str, kind: type[RainbowError], what: str, hint: str
) -> None:
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(kind, match=what) as caught:
        read_mechanism(tmp_path / "m.csv")
    assert hint in caught.value.help
    assert "--normalize" not in caught.value.help
    assert caught.value.exit_code == 4


def document(row: dict[str, object] | None = None, **changes: object) -> str:
    first: dict[str, object] = {"dataset": "x", "rainbow": "b>r", "distance": 0}
    first["probabilities"] = {"b": "1", "r": "0"}
    return json.dumps({"colors": ["b", "r"], "precision": "exact", "rows": [first | (row or {})]} | changes)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[]", "holds a list"),
        (document(precision="double"), 'its precision is "double"'),
        (document(colors=None), "its colors are null"),
        (document(colors=["b", "r", "b"]), "names a color twice"),
        (document(rows=[]), "its rows are a list"),
        (document(rows=[1]), r"rows\[0\] is the number 1"),
        (document(row={"dataset": None}), r"rows\[0\] has null as its 'dataset'"),
        (document(row={"distance": 0.5}), "row 1 of .* has the distance '0.5'"),
        (document(row={"probabilities": 1}), "has the number 1 as its probabilities"),
        (document(row={"probabilities": {"b": 1}}), "no probability for r"),
        (document(row={"probabilities": {"b": "1", "r": "1/2"}}), "sum to"),
        (document().replace('"b"', r'"\udfff"'), "one half of a pair"),
    ],
)
def test_wrong_json_is_refused_with_the_place(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises((FileFormatError, DistributionError), match=what) as caught:
        read_mechanism(tmp_path / "m.json")
    assert caught.value.exit_code == 4
    assert "m.json" in caught.value.what


@pytest.mark.parametrize(
    ("value", "what"), [(None, "row 2 of .* nothing in the column 'b'"), (np.nan, "nan")]
)
def test_missing_numbers_in_parquet_are_refused(tmp_path: Path, value: float | None, what: str) -> None:
    columns = {"dataset": NAMES[:2], "rainbow": ["b>r"] * 2, "b": [1.0, value], "r": [0.0, 1.0]}
    pq.write_table(pa.table(columns), tmp_path / "m.parquet")
    with pytest.raises(RainbowError, match=what):
        read_mechanism(tmp_path / "m.parquet")


@pytest.mark.parametrize(
    ("codes", "classes", "said"),
    [
        (CODES.replace("y,1", "y,2"), CLASSES, "row 2 .* has the class '2'"),
        (CODES.replace("y,1", "y,"), CLASSES, "row 2 .* has nothing in the column 'class'"),
        (CODES.replace("y,1", "y,0"), CLASSES, "do not belong together: the class '0' has 3 datasets"),
        ("dataset,klass\nx,0\n", CLASSES, "has no column 'class'"),
        (CODES, CLASSES.replace("3,2,", "3,many,"), "row 1 .* does not say how many datasets"),
        (CODES, CLASSES.replace("datasets", "dataset"), "has no column 'datasets'"),
        (CODES, CLASSES.replace("\n1,", "\n0,"), "'0' stands in rows 1 and 2"),
        (CODES, "", r"no file .*c\.csv"),
    ],
)
def test_two_tables_that_do_not_fit_are_refused_with_the_place(
    tmp_path: Path, codes: str, classes: str, said: str
) -> None:
    (tmp_path / "m.csv").write_text(codes)
    if classes:
        (tmp_path / "c.csv").write_text(classes)
    with pytest.raises((FileFormatError, FileUnreadableError, DuplicateDatasetError), match=said):
        read_mechanism(tmp_path / "m.csv", classes=tmp_path / "c.csv")
