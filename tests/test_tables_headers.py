# SPDX-License-Identifier: Apache-2.0
"""What a header may be, and that messages name no column of it but one that is spelled nearly as asked."""

from pathlib import Path

import pytest

from cell_tally import cells
from rainbowdp.errors import RainbowError, TableUnreadableError, UnknownColumnError, UsageError
from rainbowdp.tables import open_table

CANARY = "Qx7secret"


def refused(path: Path, column: str, encoding: str | None = None) -> RainbowError:
    with pytest.raises(RainbowError) as caught, open_table(path, encoding=encoding) as table:
        cells(table, column)
    return caught.value


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"", TableUnreadableError, "is empty, so it has no header"),
        (b"\nred\n", TableUnreadableError, "its first line is empty"),
        (b"id," + b"x" * (1 << 22) + b"\n", TableUnreadableError, "longer than 4 MiB"),
        (b"id,v\xf6te\n1,red\n", TableUnreadableError, "is not text in the chosen encoding"),
        (b"vote,id,vote\n1,2,3\n", UnknownColumnError, "a.csv' gives its columns 1 and 3 the same name"),
        (b"id,vote,,\n1,red,2\n", UnknownColumnError, "a.csv' gives its columns 3 and 4 no name"),
        (b"\xff\xfei\0d\0\n\0", TableUnreadableError, "is not text in the chosen encoding"),
    ],
)
def test_a_header_is_judged_before_any_row(
    tmp_path: Path, content: bytes, error: type[Exception], says: str
) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(error, match=says):
        open_table(tmp_path / "a.csv")


def test_a_misspelt_column_is_named_with_the_one_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfvote,ward\n1,red\n")
    with open_table(tmp_path / "a.csv") as table, pytest.raises(UnknownColumnError) as caught:
        cells(table, "vot")
    assert "has no column 'vot'" in caught.value.what
    assert caught.value.help == "did you mean 'vote'?"


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("a,b", ("a", "b")),
        ("a;b,c;d", ("a", "b,c", "d")),
        ("a\tb", ("a", "b")),
        ("a|b", ("a", "b")),
        ('"a, b",c', ("a, b", "c")),
        ("alone", ("alone",)),
        ("Red,red", ("Red", "red")),
        ('"two\nlines",b', ("two\nlines", "b")),
        ('v;"a,b,c"', ("v", "a,b,c")),
        ('"a;b;c",v', ("a;b;c", "v")),
        ('a, "b, c" ,d', ("a", "b, c", "d")),
    ],
)
def test_the_header_says_how_cells_are_separated(
    tmp_path: Path, header: str, columns: tuple[str, ...]
) -> None:
    separators = [sign for sign in ";\t|" if sign in header.replace('"a;b;c"', "")]
    separator = separators[0] if separators else ","
    (tmp_path / "a.csv").write_text(f"{header}\n{separator.join('x' for _ in columns)}\n", encoding="utf-8")
    with open_table(tmp_path / "a.csv") as table:
        assert table.columns == columns
        assert cells(table, columns[-1]) == {"x": 1}


NO_UTF8_HEADERS = [
    ("größe,vote\n1,größer\n", "latin-1"),
    ("größe,vote\n1,größer\n", "gb18030"),
    ("размер,vote\n1,größer\n", "koi8-u"),
    ("ÄÖÜ,vote\n1,größer\n", "cp850"),
    ("größe,vote\n1,größer\n", "utf-16"),
    ("믯뾾,vote\n1,größer\n", "utf-16-le"),
]


@pytest.mark.parametrize(("text", "encoding"), NO_UTF8_HEADERS)
def test_a_header_in_another_encoding_is_read(text: str, encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode(encoding, "replace"))
    with open_table(tmp_path / "a.csv", encoding=encoding) as table:
        assert table.columns == tuple(text.partition("\n")[0].split(","))


@pytest.mark.parametrize("row", ["3,180,green", '3,180"x,green', '3,"180",green', '3,"180,green'])
@pytest.mark.parametrize("name", ['size 5"3', 'size"', '5\'10" tall "so"'])
def test_a_quote_inside_a_name_is_text_whatever_the_rows_hold(tmp_path: Path, name: str, row: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,{name},vote\n1,170,red\n2,{CANARY},blue\n{row}\n", encoding="utf-8")
    with open_table(path) as table:
        assert table.columns == ("id", name, "vote")
        assert cells(table, "vote")["blue"] == 1
    assert CANARY not in refused(path, "vot").report()


def test_a_name_of_several_lines_is_read_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id;"the\r\nvote, ""so"""\r\n1;red\r\n2;blue\r\n')
    with open_table(path) as table:
        assert table.columns == ("id", 'the\r\nvote, "so"')
        assert cells(table, table.columns[1]) == {"red": 1, "blue": 1}
    assert "the" + chr(10) not in refused(path, "ward").report()


FIRST_LINES = (
    f"Ann,1967-03-02,{CANARY}",
    f"{CANARY}{CANARY}",
    f'{{"vote": "{CANARY}"}}',
    f'id,"{CANARY}',
    f"id,id,{CANARY},{CANARY}",
    f"{CANARY},,",
    f"sep={CANARY}",
)


@pytest.mark.parametrize("end", ["", "\nBob,1,no\n", '\nBob,1,"no"\n'])
@pytest.mark.parametrize("first", FIRST_LINES)
def test_no_message_names_a_column_of_a_file_that_may_lack_a_header(
    tmp_path: Path, first: str, end: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(first + end, encoding="utf-8")
    (tmp_path / "b.csv").write_text("other,columns\n", encoding="utf-8")
    for source in (path, f"{tmp_path}/[ab].csv"):
        with pytest.raises(RainbowError) as caught, open_table(source) as table:
            table.check(["sex"])
        assert CANARY not in caught.value.report() + repr(caught.value.values)
        assert caught.value.exit_code in {2, 4}


def test_a_column_may_have_no_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,vote,\n1,red,\n", encoding="utf-8")
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == {"red": 1}


@pytest.mark.parametrize("encoding", ["cp037", "cp1140", "hz", "iso2022_jp", "utf-7"])
def test_encodings_in_which_a_line_does_not_end_as_usual_are_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,vote\n1,red\n")
    with pytest.raises(UsageError, match="there is no character encoding"):
        open_table(tmp_path / "a.csv", encoding=encoding)


def test_a_missing_mark_may_mean_that_the_file_is_utf_8(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,vote\n1,red\n")
    assert "leave out the encoding if the file is UTF-8" in refused(tmp_path / "a.csv", "vote", "utf-16").help


BEGINNINGS = [
    (b"PK\x03\x04", "save the table as CSV"),
    (b"\x1f\x8b\x08", "ends in .csv.gz"),
    (b"\x28\xb5\x2f\xfd", "ends in .csv.zst"),
    (b"PAR1\x15", "ends in .parquet"),
    (b"BZh91AY&SY", "compress it with gzip"),
    (b"\xfd7zXZ\0", "compress it with gzip"),
    (bytes.fromhex("d0cf11e0a1b11ae1"), "save the table as CSV"),
    (b"SQLite format 3\0", "sqlite:///"),
    ("größe\n".encode("latin-1"), "say how the file is encoded"),
]


@pytest.mark.parametrize(("beginning", "way_on"), BEGINNINGS)
def test_what_is_no_text_at_all_is_told_by_how_it_begins(
    tmp_path: Path, beginning: bytes, way_on: str
) -> None:
    (tmp_path / "a.csv").write_bytes(beginning + b"\0\xff\0" * 200)
    with pytest.raises(TableUnreadableError, match="is not text") as caught:
        open_table(tmp_path / "a.csv")
    assert way_on in caught.value.help
