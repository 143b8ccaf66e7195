# SPDX-License-Identifier: Apache-2.0
"""Mechanism files: they read back as they were written, and wrong ones are refused with the place."""

import csv
import json
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
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
)
from rainbowdp.formats import read_mechanism, write_mechanism
from rainbowdp.mechanism import Mechanism
from rainbowdp.rainbow import Rainbow

FORMS = ("csv", "parquet", "json")
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)


def small() -> Mechanism:
    return Mechanism.from_table(
        rainbows=["red>blue", "blue>red"],
        table=[{"red": "2/3", "blue": "1/3"}, {"red": "0", "blue": "1"}],
        codes=[0, 1, 0],
        distances=[3, None],
        labels=["x", "y", "z"],
    )


def content(mechanism: Mechanism) -> list[tuple[str, str, int | None, dict[str, object]]]:
    distances = mechanism.distance.tolist()
    return [
        (
            mechanism.label(at),
            str(mechanism.class_rainbow[mechanism.codes[at]]),
            distances[at],
            dict(mechanism.rows[int(mechanism.codes[at])]),
        )
        for at in range(mechanism.size)
    ]


def test_a_csv_file_is_as_documented(tmp_path: Path) -> None:
    write_mechanism(tmp_path / "m.csv", small(), exact=True)
    assert (tmp_path / "m.csv").read_text() == (
        "dataset,rainbow,distance,blue,red\nx,red>blue,3,1/3,2/3\ny,blue>red,,1,0\nz,red>blue,3,1/3,2/3\n"
    )
    write_mechanism(tmp_path / "m.csv", small(), exact=False)
    assert (tmp_path / "m.csv").read_text().splitlines()[1:3] == [
        "x,red>blue,3,0.3333333333333333,0.6666666666666666",
        "y,blue>red,,1.0,0.0",
    ]


def test_a_json_file_is_as_documented(tmp_path: Path) -> None:
    write_mechanism(tmp_path / "m.json", small(), exact=True)
    document = json.loads((tmp_path / "m.json").read_text())
    first = {"rainbow": "red>blue", "distance": 3, "probabilities": {"blue": "1/3", "red": "2/3"}}
    second = {"rainbow": "blue>red", "distance": None, "probabilities": {"blue": "1", "red": "0"}}
    assert document == {
        "colors": ["blue", "red"],
        "precision": "exact",
        "rows": [{"dataset": "x"} | first, {"dataset": "y"} | second, {"dataset": "z"} | first],
    }
    write_mechanism(tmp_path / "m.json", small(), exact=False)
    document = json.loads((tmp_path / "m.json").read_text())
    assert document["precision"] == "float64"
    assert document["rows"][0]["probabilities"] == {"blue": 1 / 3, "red": 2 / 3}


def test_a_parquet_file_is_as_documented(tmp_path: Path) -> None:
    for exact, kind, third in ((True, pa.string(), "1/3"), (False, pa.float64(), 1 / 3)):
        write_mechanism(tmp_path / "m.parquet", small(), exact=exact)
        table = pq.read_table(tmp_path / "m.parquet")
        assert table.column_names == ["dataset", "rainbow", "distance", "blue", "red"]
        assert table.schema.types == [pa.string(), pa.string(), pa.int32(), kind, kind]
        assert table["distance"].to_pylist() == [3, None, 3]
        assert table["blue"].to_pylist()[0] == third


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("exact", [True, False])
def test_numbered_datasets_are_written_by_their_numbers_in_many_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, exact: bool
) -> None:
    monkeypatch.setattr("rainbowdp.formats.mechanism_writing._MOST_ROWS", 700)
    codes = np.arange(5000, dtype=np.int32) % 2
    mechanism = Mechanism.from_table(
        ["b>r", "b>r"], [{"b": "3/4", "r": "1/4"}, {"b": "7/8", "r": "1/8"}], codes=codes, distances=[0, 1]
    )
    write_mechanism(tmp_path / f"m.{form}", mechanism, exact=exact)
    read = read_mechanism(tmp_path / f"m.{form}")
    assert read.labels is not None
    assert read.labels.tolist() == list(map(str, range(5000)))
    assert np.array_equal(read.codes, codes)
    assert read.class_count == 2


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    reserved = {"dataset", "rainbow", "distance"}
    colors = draw(
        st.lists(TEXT.filter(lambda color: color not in reserved), min_size=2, max_size=4, unique=True)
    )
    size = draw(st.integers(1, 4))
    rainbows, table = [], []
    for _ in range(size):
        order = draw(st.permutations(colors))
        cut = draw(st.integers(1, len(order)))
        rainbows.append(
            Rainbow([[color] for color in order[:cut]] + ([order[cut:]] if cut < len(order) else []))
        )
        weights = draw(
            st.lists(st.integers(0, 10**20), min_size=len(colors), max_size=len(colors)).filter(any)
        )
        table.append(
            {color: Fraction(weight, sum(weights)) for color, weight in zip(colors, weights, strict=True)}
        )
    labels = draw(st.lists(TEXT, min_size=1, max_size=5, unique=True))
    codes = draw(st.lists(st.integers(0, size - 1), min_size=len(labels), max_size=len(labels)))
    distances = draw(st.lists(st.none() | st.integers(0, 2**31 - 1), min_size=size, max_size=size))
    return Mechanism.from_table(rainbows, table, codes=codes, distances=distances, labels=labels)


@settings(max_examples=20)
@given(mechanisms(), st.sampled_from(FORMS), st.booleans())
def test_mechanisms_read_back_whatever_their_names(mechanism: Mechanism, form: str, exact: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"m.{form}"
        write_mechanism(path, mechanism, exact=exact)
        read = read_mechanism(path)
    if exact:
        assert read.precision == "exact"
        assert content(read) == content(mechanism)
    else:
        assert read.precision == "float64"
        assert np.array_equal(read.probabilities(), mechanism.probabilities())
        assert [row[:3] for row in content(read)] == [row[:3] for row in content(mechanism)]


def test_tiny_probabilities_keep_all_their_digits(tmp_path: Path) -> None:
    tiny = 1.2345678901234567e-200
    mechanism = Mechanism.from_table(["b>r"], np.array([[1.0, tiny]]), labels=["x"])
    for form in FORMS:
        write_mechanism(tmp_path / f"m.{form}", mechanism, exact=False)
        assert read_mechanism(tmp_path / f"m.{form}").table[0, 1] == tiny


def test_datasets_that_are_written_alike_share_a_class(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(
        "dataset,rainbow,distance,b,r\nw,b>r,0,1/2,1/2\nx,b>r,0,1/2,1/2\ny,b>r,1,1/2,1/2\nz,b>r,,1/2,1/2\n"
    )
    read = read_mechanism(tmp_path / "m.csv")
    assert read.codes.tolist() == [0, 0, 1, 2]
    assert read.class_distance.tolist() == [0, 1, None]


@pytest.mark.parametrize(
    ("cells", "precision"),
    [
        ("1/2,1/2", "exact"),
        ("1,0", "exact"),
        ("0.5,0.5", "float64"),
        ("1.0,0.0", "float64"),
        ("1/2,0.5", "float64"),
        ("1,0e0", "float64"),
    ],
)
def test_a_table_shows_its_precision(tmp_path: Path, cells: str, precision: str) -> None:
    (tmp_path / "m.csv").write_text(f"dataset,rainbow,distance,b,r\nx,b>r,0,1,0\ny,b>r,1,{cells}\n")
    assert read_mechanism(tmp_path / "m.csv").precision == precision


def test_parquet_files_of_others_are_read(tmp_path: Path) -> None:
    columns = {
        "r": [0, 1],
        "dataset": [7, 8],
        "distance": [0.0, None],
        "b": [1, 0],
        "rainbow": ["b>r", "r>b"],
    }
    pq.write_table(pa.table(columns | {"distance": pa.array([0, None], pa.int64())}), tmp_path / "m.parquet")
    read = read_mechanism(tmp_path / "m.parquet")
    assert read.precision == "exact"
    assert content(read) == [("7", "b>r", 0, {"b": 1, "r": 0}), ("8", "r>b", None, {"b": 0, "r": 1})]


@pytest.mark.parametrize("color", ["dataset", "rainbow", "distance"])
def test_a_color_called_like_a_column_is_refused(tmp_path: Path, color: str) -> None:
    mechanism = Mechanism.from_table([f"{color}>b"], [{color: "1", "b": "0"}])
    for form in FORMS:
        with pytest.raises(ColorError, match=f"has a column '{color}' already"):
            write_mechanism(tmp_path / f"m.{form}", mechanism, exact=True)
    assert list(tmp_path.iterdir()) == []


def test_irrational_numbers_have_no_exact_file(tmp_path: Path) -> None:
    from rainbowdp.distribution import Distribution
    from rainbowdp.exact import OddsExpression

    t = OddsExpression.odds(Fraction(1))
    row = Distribution({"b": t / (1 + t), "r": 1 / (1 + t)})
    mechanism = Mechanism(
        colors=("b", "r"),
        codes=np.zeros(1, dtype=np.int32),
        class_rainbow=(Rainbow.parse("b>r"),),
        class_distance=np.ma.MaskedArray(np.zeros(1, dtype=np.int32)),
        rows=(row,),
        precision="float64",
    )
    with pytest.raises(IrrationalError):
        write_mechanism(tmp_path / "m.csv", mechanism, exact=True)
    assert list(tmp_path.iterdir()) == []
    write_mechanism(tmp_path / "m.csv", mechanism, exact=False)
    assert read_mechanism(tmp_path / "m.csv").table[0, 0] == pytest.approx(0.7310585786300049, rel=1e-15)


HEAD = "dataset,rainbow,distance,b,r\n"
ROW = HEAD + "x,b>r,0,1,0\n"


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("dataset,rainbow,b,r\nx,b>r,1,0\n", "has no column 'distance'", "columns are"),
        ("dataset,rainbow,distanze,b,r\nx,b>r,0,1,0\n", "no column 'distance'", "'distanze'"),
        ("dataset,rainbow,distance\nx,b>r,0\n", "no column for a color", "per color"),
        (HEAD, "a header and no datasets", "row"),
        (f"{ROW},b>r,0,1,0\n", "row 2 of .* nothing in the column 'dataset'", "name every dataset"),
        (HEAD + "x,,0,1,0\n", "row 1 of .* nothing in the column 'rainbow'", "fill"),
        (f"{ROW}y,b>r,0,1,\n", "row 2 of .* nothing in the column 'r'", "fill"),
        (HEAD + "x,b>r,0.5,1,0\n", "row 1 of .* has the distance '0.5'", "whole number"),
        (HEAD + "x,b>r,-1,1,0\n", "row 1 of .* has the distance '-1'", "whole number"),
        (HEAD + "x,b>r,99999999999,1,0\n", "'99999999999', beyond 2147483647", "whole number"),
        (HEAD + "x,b>g,0,1,0\n", "row 1 of .* ranks g, which has no column", "b, r"),
        (f"{ROW}y,b,0,1,0\n", "row 2 of .* does not rank r", "b, r"),
        (HEAD + "x,b>>r,0,1,0\n", "row 1 of .*empty color", "between > and ="),
        (HEAD + "x,b>r,0,1\n", "line 2 of .* has 4 cells, and the header has 5", "one cell"),
    ],
)
def test_a_table_that_is_no_mechanism_is_refused_with_the_place(
    tmp_path: Path, text: str, what: str, hint: str
) -> None:
    refused(tmp_path, text, FileFormatError, what, hint)


@pytest.mark.parametrize(
    ("text", "kind", "what", "hint"),
    [
        (f"{ROW}x,b>r,0,1,0\n", DuplicateDatasetError, "'x' stands in rows 1 and 2 of", "once"),
        (HEAD + "x,b>r,0,1/2,1/3\n", DistributionError, "m.csv': dataset 'x'.* sum to 5/6", "fractions"),
        (HEAD + "x,b>r,0,1/0,0\n", NumberError, "m.csv': dataset 'x'.*divides by zero", "1/3"),
        (HEAD + "x,b>r,0,-1/2,3/2\n", DistributionError, "m.csv': .*negative", "at least 0"),
        (HEAD + "x,b>r,0,0.5,0.4\n", DistributionError, "m.csv': dataset 'x' sums to 0.9", "digits"),
        (HEAD + "x,b>r,0,1.5,-0.5\n", DistributionError, "m.csv': dataset 'x' has a negative", "digits"),
        (HEAD + "x,b>r,0,many,0\n", NumberError, "m.csv': .*'many' is not an exact number", "1/3"),
        (HEAD + "x,b>r,0,nan,0\n", RainbowError, "m.csv'.*nan", ""),
    ],
)
def test_rows_that_are_no_distributions_are_refused_with_the_place(
    tmp_path: Path, text: str, kind: type[RainbowError], what: str, hint: str
) -> None:
    refused(tmp_path, text, kind, what, hint)


def refused(folder: Path, text: str, kind: type[RainbowError], what: str, hint: str) -> None:
    (folder / "m.csv").write_text(text)
    with pytest.raises(kind, match=what) as caught:
        read_mechanism(folder / "m.csv")
    assert hint in caught.value.help
    assert "--normalize" not in caught.value.help
    assert caught.value.exit_code == 4


def document(row: dict[str, object] | None = None, **changes: object) -> str:
    first: dict[str, object] = {
        "dataset": "x",
        "rainbow": "b>r",
        "distance": 0,
        "probabilities": {"b": "1", "r": "0"},
    }
    whole = {"colors": ["b", "r"], "precision": "exact", "rows": [first | (row or {})]}
    return json.dumps(whole | changes)


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("", FileFormatError, "is not JSON"),
        ("[]", FileFormatError, "holds a list"),
        (document(precision="double"), FileFormatError, 'its precision is "double"'),
        (document(precision=None), FileFormatError, "its precision is null"),
        (document(colors=None), FileFormatError, "its colors are null"),
        (document(colors=[1, 2]), FileFormatError, "its colors are a list"),
        (document(colors=["b", "r", "b"]), FileFormatError, "names a color twice"),
        (document(rows=[]), FileFormatError, "its rows are a list"),
        (document(rows=[1]), FileFormatError, r"rows\[0\] is the number 1"),
        (document(row={"dataset": None}), FileFormatError, r"rows\[0\] has null as its 'dataset'"),
        (document(row={"rainbow": ["b", "r"]}), FileFormatError, r"rows\[0\] has a list as its 'rainbow'"),
        (document(row={"distance": 0.5}), FileFormatError, "row 1 of .* has the distance '0.5'"),
        (document(row={"distance": True}), FileFormatError, "has true as its 'distance'"),
        (document(row={"probabilities": 1}), FileFormatError, "has the number 1 as its probabilities"),
        (document(row={"probabilities": {"b": 1}}), FileFormatError, "no probability for 'r'"),
        (document(row={"probabilities": {"b": 1, "r": 0, "g": 0}}), FileFormatError, "unknown color 'g'"),
        (document(row={"probabilities": {"b": 1, "r": None}}), FileFormatError, "has null as its 'r'"),
        (document(row={"probabilities": {"b": "1", "r": "1/2"}}), DistributionError, "sum to"),
        (
            '{"colors": ["b"], "precision": "exact", "rows": [{"dataset": "x", "rainbow": "b"}]}',
            FileFormatError,
            "has null as its probabilities",
        ),
    ],
)
def test_wrong_json_is_refused_with_the_place(
    tmp_path: Path, text: str, kind: type[RainbowError], what: str
) -> None:
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(kind, match=what) as caught:
        read_mechanism(tmp_path / "m.json")
    assert caught.value.exit_code == 4
    assert "m.json" in caught.value.what


def test_a_row_without_a_distance_differs_from_one_whose_distance_is_null(tmp_path: Path) -> None:
    whole = json.loads(document())
    del whole["rows"][0]["distance"]
    (tmp_path / "m.json").write_text(json.dumps(whole))
    with pytest.raises(FileFormatError, match="has null as its 'distance'"):
        read_mechanism(tmp_path / "m.json")


def test_a_null_in_parquet_is_refused_with_its_row(tmp_path: Path) -> None:
    columns = {
        "dataset": ["x", "y"],
        "rainbow": ["b>r"] * 2,
        "distance": [0, 1],
        "b": [1.0, None],
        "r": [0.0, 1.0],
    }
    pq.write_table(pa.table(columns), tmp_path / "m.parquet")
    with pytest.raises(FileFormatError, match=r"row 2 of .* nothing in the column 'b'"):
        read_mechanism(tmp_path / "m.parquet")


def test_nan_in_parquet_is_refused(tmp_path: Path) -> None:
    columns = {"dataset": ["x"], "rainbow": ["b>r"], "distance": [0], "b": [float("nan")], "r": [1.0]}
    pq.write_table(pa.table(columns), tmp_path / "m.parquet")
    with pytest.raises(RainbowError, match=r"m\.parquet.*nan"):
        read_mechanism(tmp_path / "m.parquet")


@pytest.mark.parametrize("place", ["dataset", "rainbow"])
def test_half_a_pair_of_escapes_makes_a_mechanism_unreadable(tmp_path: Path, place: str) -> None:
    written = json.loads(document())
    written["rows"][0][place] = "\ud800"
    (tmp_path / "m.json").write_text(json.dumps(written))
    with pytest.raises(FileFormatError, match="one half of a pair") as caught:
        read_mechanism(tmp_path / "m.json")
    assert caught.value.exit_code == 4
    (tmp_path / "m.json").write_text(document().replace('"b"', r'"\udfff"'))
    with pytest.raises(FileFormatError, match="one half of a pair"):
        read_mechanism(tmp_path / "m.json")


def test_other_programs_read_the_csv_file(tmp_path: Path) -> None:
    colors = ('say "hi"', "a,b", "two\nlines")
    table = [dict(zip(colors, ("1/2", "1/4", "1/4"), strict=True))]
    mechanism = Mechanism.from_table([Rainbow([[color] for color in colors])], table, labels=["a\r\nb"])
    write_mechanism(tmp_path / "m.csv", mechanism, exact=True)
    with (tmp_path / "m.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["dataset", "rainbow", "distance", "a,b", 'say "hi"', "two\nlines"]
    assert rows[1] == ["a\r\nb", '"say ""hi"""' + '>"a,b">"two\nlines"', "", "1/4", "1/2", "1/4"]


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileWriteError, match="there is no directory"):
        write_mechanism(tmp_path / "absent" / "m.csv", small(), exact=True)
    with pytest.raises(FileUnreadableError, match="there is no file"):
        read_mechanism(tmp_path / "m.csv")
