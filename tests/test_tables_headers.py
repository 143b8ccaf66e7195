# SPDX-License-Identifier: Apache-2.0
"""What a header may be, and that no message shows a row that was taken for one.

Each file is written here with a canary in its rows, which no message may hold in any spelling.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import shutil
import sqlite3
import sys
import tempfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cell_tally import cells
from rainbowdp.errors import RainbowError, TableUnreadableError, UnknownColumnError, UsageError
from rainbowdp.tables import files, open_table
from rainbowdp.tables.batches import batches_of
from rainbowdp.tables.header import LONGEST_SHOWN, check_alike, check_distinct, check_known

CANARY = "Qx7secret"


def refused(path: Path, column: str, encoding: str | None = None) -> RainbowError:
    with pytest.raises(RainbowError) as caught, open_table(path, encoding=encoding) as table:
        cells(table, column)
    return caught.value


@pytest.mark.parametrize("row", ["3,180,green", '3,180"x,green', '3,"180",green', '3,"180,green'])
@pytest.mark.parametrize("name", ['size 5"3', 'size"', '5\'10" tall "so"'])
def test_a_quote_inside_a_name_is_text_whatever_the_rows_hold(tmp_path: Path, name: str, row: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,{name},vote\n1,170,red\n2,{CANARY},blue\n{row}\n", encoding="utf-8")
    with open_table(path) as table:
        assert table.columns == ("id", name, "vote")
        assert cells(table, "vote")["blue"] == 1
    assert CANARY not in refused(path, "vot").report()


@pytest.mark.parametrize(
    "rows", ["1,red\n2,blue\n", '1,red\n2,b"lue\n', '1,red\n2,blue"\n', '1,red\n2,b",Qx7secret\n']
)
@pytest.mark.parametrize("first", ['id,"vote', '"id,vote', 'id,"vote"x', '"id;"vote'])
def test_a_quote_left_open_says_the_same_whatever_the_rows_hold(
    tmp_path: Path, first: str, rows: str
) -> None:
    path = tmp_path / "a.csv"
    said = []
    for content in ("1,red\n", rows):
        path.write_text(f"{first}\n{content}", encoding="utf-8")
        said.append(refused(path, "town").report())
    assert not [text for text in said if "red" in text or CANARY in text or "lue" in text]
    assert said[0] == said[1]


def test_a_name_of_several_lines_is_read_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'id;"the\r\nvote, ""so"""\r\n1;red\r\n2;blue\r\n')
    with open_table(path) as table:
        assert table.columns == ("id", 'the\r\nvote, "so"')
        assert cells(table, table.columns[1]) == {"red": 1, "blue": 1}
    assert "its columns are not shown" in refused(path, "ward").report()


def test_a_name_of_several_lines_may_cross_the_ends_of_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rainbowdp.tables.streams.BLOCK", 3)
    (tmp_path / "a.csv").write_bytes(b'"two\nlines, and\n""more""",vote\r\n1,red\r\n')
    with open_table(tmp_path / "a.csv") as table:
        assert table.columns == ('two\nlines, and\n"more"', "vote")
        assert cells(table, "vote") == {"red": 1}


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (f"id,vote\n17,red\n21,{CANARY}\n34,blue\n".encode(), "utf-16-le"),
        (f"id,vote\n17,red\n21,{CANARY}\n34,blue\n".encode(), "utf-16-be"),
        (f"id,vote\x1e17,red\x1e21,{CANARY}\x1e".encode(), None),
        (f"id,vote\u202817,red\u202821,{CANARY}\u2028".encode(), None),
        (f"id,vote\u202817,red\u202821,{CANARY}\n".encode(), None),
        (f"id,vote\x8517,red\x8521,{CANARY}\n".encode(), None),
        (f"id,vote{CANARY},{CANARY}".encode(), None),
    ],
)
def test_rows_that_were_taken_for_a_header_are_not_shown(
    tmp_path: Path, content: bytes, encoding: str | None
) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    error = refused(tmp_path / "a.csv", "town", encoding)
    said = error.report() + repr(error.values)
    assert "its columns are not shown" in said
    assert CANARY not in said
    assert said.isascii()


ABOVE = "the names of the columns must stand in the first line: if there are lines above them, remove these"


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("sep=;", "has no column 'vote'"),
        ('"sep=;"', "has no column 'vote'"),
        ("SEP=,", "has no column 'vote'"),
        ("# exported, by hand", "has no column 'vote'"),
        ("Survey of May", "has no column 'vote'"),
        ("Survey of May,,", "has two columns without a name"),
        (",,,", "has 4 columns without a name"),
        (";;", "has three columns without a name"),
        ("", "has no header: its first line is empty"),
    ],
)
def test_lines_above_the_names_are_to_be_removed(tmp_path: Path, first: str, said: str) -> None:
    path = tmp_path / "a.csv"
    told = set()
    for rows in ("id,vote\n1,red\n", f"{CANARY},vote,{CANARY}\n", "id;vote\n1;red\n", '"\n', ",,\n"):
        path.write_text(f"{first}\n{rows}", encoding="utf-8")
        told.add(refused(path, "vote").report())
    (report,) = told
    assert said in report
    assert report.endswith(ABOVE)


def test_columns_without_a_name_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for first, said in (("id,vote,,", "two"), ("id,,vote,,,", "4"), ("id,id,,", "two")):
        path.write_text(f"{first}\n1,red,,\n", encoding="utf-8")
        error = refused(path, "vote")
        assert error.what == f"{str(path)!r} has {said} columns without a name"
        assert (
            error.help == "name every column in the first line; a separator at its end makes one more column"
        )
    path.write_text("id,vote,\n1,red,\n", encoding="utf-8")
    with open_table(path) as table:
        assert cells(table, "vote") == {"red": 1}
    with pytest.raises(UnknownColumnError) as caught:
        check_distinct("the frame", ["", "vote", ""])
    assert caught.value.report().endswith(
        "the frame has two columns without a name\nhelp: give every column a name of its own"
    )


def test_a_first_line_that_may_be_a_row_is_not_judged_as_a_title(tmp_path: Path) -> None:
    # Without a line ending all may be rows, and how many cells are empty is told by none.
    for text in (f"{CANARY},,", f"id,vote,,,{CANARY}", f"#{CANARY}"):
        (tmp_path / "a.csv").write_text(text, encoding="utf-8")
        said = refused(tmp_path / "a.csv", "vote").report()
        assert "first line:" not in said
        assert "without a name" not in said
        assert CANARY not in said


def test_the_advice_about_lines_is_for_files_without_the_name_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Vote\nred\n", encoding="utf-8")
    assert refused(tmp_path / "a.csv", "vote").help == "did you mean 'Vote'? Its columns are 'Vote'"
    (tmp_path / "a.csv").write_text("id,party\n1,red\n", encoding="utf-8")
    assert refused(tmp_path / "a.csv", "vote").help == "its columns are 'id', 'party'"
    with pytest.raises(UnknownColumnError) as caught:
        check_known("frame", ["party"], ["vote"])
    assert caught.value.help == "its columns are 'party'"


def test_paths_are_quoted_and_what_stands_for_itself_is_not() -> None:
    for source, called in (
        ("/data/a.csv", "'/data/a.csv'"),
        ("'a.csv'", "'a.csv'"),
        ("frame", "frame"),
        ("standard input", "standard input"),
    ):
        with pytest.raises(UnknownColumnError, match=f"^{called} has no column 'vote'"):
            check_known(source, ["party"], ["vote"])
        with pytest.raises(UnknownColumnError, match=f"^{called} has two columns called 'id'"):
            check_distinct(source, ["id", "id"])


def test_names_are_shown_in_part_or_not_at_all() -> None:
    long, odd = "x" * 1000, f"vote\n{CANARY}"
    for names in ([long, long], [odd, odd], [odd, "id", "id"]):
        with pytest.raises(UnknownColumnError) as twice:
            check_distinct("'a.csv'", names)
        with pytest.raises(UnknownColumnError) as unknown:
            check_known("'a.csv'", names, ["town"])
        with pytest.raises(TableUnreadableError) as unlike:
            check_alike([Path("a"), Path("b")], [["id"], ["id", *names]])
        for error in (twice.value, unknown.value, unlike.value):
            said = error.report() + repr(error.values)
            assert CANARY not in said
            assert "x" * (LONGEST_SHOWN + 1) not in said


@pytest.mark.parametrize("encoding", ["cp037", "cp500", "cp273", "cp1140", "cp875"])
def test_encodings_without_the_usual_line_ends_are_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,vote\n1,red\n")
    with pytest.raises(UsageError, match="there is no character encoding"):
        open_table(tmp_path / "a.csv", encoding=encoding)


def test_a_missing_mark_may_mean_that_the_file_is_utf_8(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,vote\n1,red\n")
    assert "leave out the encoding if the file is UTF-8" in refused(tmp_path / "a.csv", "vote", "utf-16").help


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ('v;"a,b"', ("v", "a,b")),
        ('v;"a,b,c"', ("v", "a,b,c")),
        ('"a;b;c",v', ("a;b;c", "v")),
        ('a, "b, c" ,d', ("a", "b, c", "d")),
    ],
)
def test_signs_inside_quotes_do_not_separate(tmp_path: Path, header: str, columns: tuple[str, ...]) -> None:
    sign = ";" if header.startswith("v;") else ","
    (tmp_path / "a.csv").write_text(f"{header}\n{sign.join('x' for _ in columns)}\n", encoding="utf-8")
    with open_table(tmp_path / "a.csv") as table:
        assert table.columns == columns
        assert cells(table, columns[-1]) == {"x": 1}


@pytest.mark.parametrize("row", ["2,blue", '2,"blue', "2"])
@pytest.mark.parametrize("lacking", ["directory", "room"])
def test_whether_a_copy_can_be_made_is_asked_for_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, lacking: str
) -> None:
    (tmp_path / "a.csv").write_text(f"id,vote\n1,red\n{row}\n", encoding="utf-8")
    if lacking == "directory":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    else:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    error = refused(tmp_path / "a.csv", "vote")
    assert isinstance(error, TableUnreadableError)
    assert error.what == f"there is no room for a temporary copy of {str(tmp_path / 'a.csv')!r}"
    assert error.__context__ is None


def test_reports_end_with_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[object] = []
    asked = threading.Event()

    def closed() -> float:
        asked.set()
        raise RuntimeError(CANARY)

    monkeypatch.setattr(threading, "excepthook", failed.append)
    monkeypatch.setattr(files, "_SECONDS_BETWEEN_REPORTS", 0.001)
    database = SimpleNamespace(query_progress=closed)
    with files._reported(database, lambda _: None):  # type: ignore[arg-type]  # all that is asked of it
        assert asked.wait(60)
    assert not failed


def test_texts_of_duckdb_come_in_batches_as_they_are() -> None:
    import duckdb
    import narwhals.stable.v2 as nw

    size = 70_000
    with duckdb.connect() as database:
        texts = database.sql("select i::varchar a, case when i % 2 = 0 then 'ü' end b from range(70000) t(i)")
        batches = list(batches_of(nw.from_native(texts)))
        assert len(batches) > 1
        rows = [row for batch in batches for row in batch]
        assert rows == [(str(at), None if at % 2 else "ü") for at in range(size)]


def test_an_open_table_shows_no_row_that_was_taken_for_a_name(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text('id,"vote\n1,secret\n2,"\n3,blue\n')
    with open_table(tmp_path / "people.csv") as table:
        assert "secret" not in repr(table)
    (tmp_path / "people.csv").write_text("id,vote\n1,blue\n")
    with open_table(tmp_path / "people.csv") as table:
        assert "columns=['id', 'vote']" in repr(table)


@pytest.mark.parametrize(
    "first",
    [
        "Ann Smith,1967-03-02,HIV positive",
        "- name: secret",
        "nan,secret",
        "secret,½",
        "⅓,secret",
        "secret,₂",
        "who: secret,since: 1967",
        "\\N,secret",
        "secret,since:1967",
        "secret,-Inf",
        "secret=1,b",
        'vote="secret"',
        "<row>secret",
        "('secret','x')",
        "a,[secret",
        "'vote': 'secret'",
        "secret,34.5",
        "secret;-3",
        "31/12/1999\tsecret",
        "secret,12:30",
    ]
    + [
        f"secret,{number}"
        for number in ("1e-05", "-.5", "€ 5", "١٢", "1_000", "0x1F", "(12)", "2020-W01", "12h30")
    ],
)
def test_a_row_in_the_place_of_the_header_is_not_shown(tmp_path: Path, first: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(first + "\nBob,1,no\n", encoding="utf-8")
    with open_table(str(path)) as table, pytest.raises(UnknownColumnError) as caught:
        table.check(["sex"])
    assert "put a line with names above it" in caught.value.help
    path.write_text(f"{first},secret,secret\nBob,1,no\n".replace(",", first[6] if ";" in first else ","))
    with pytest.raises(UnknownColumnError) as twice, open_table(str(path)) as table:
        table.check(["sex"])
    for error in (caught.value, twice.value):
        assert not any(word in f"{error.what} {error.help}" for word in ("secret", "Ann", "1967", "HIV"))


@pytest.mark.parametrize(
    "row", ["secret,5", "who:secret,since:May", "secret;2020-01-02", "secret, x|+7", "a,b,€ 3"]
)
def test_a_row_with_other_separators_than_its_file_is_not_shown(tmp_path: Path, row: str) -> None:
    path = tmp_path / "table.tsv"
    path.write_text(f"{row}\n{row}\n", encoding="utf-8")
    with open_table(str(path)) as table, pytest.raises(UnknownColumnError) as caught:
        table.check(["sex"])
    assert "put a line with names above it" in caught.value.help


@pytest.mark.parametrize("piece", [",", "'", "' ", "- ", "_", ",_", '"'])
def test_a_long_first_line_takes_no_long_time(tmp_path: Path, piece: str) -> None:
    path = tmp_path / "table.tsv"
    path.write_text(f"x{piece * 500_000}\ty\n", encoding="utf-8")
    with open_table(str(path)) as table, pytest.raises(UnknownColumnError):
        table.check(["sex"])


def test_names_with_numbers_in_them_are_names(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("q1,no. 2,in 2020\n1,2,3\n", encoding="utf-8")
    with open_table(str(path)) as table, pytest.raises(UnknownColumnError) as caught:
        table.check(["sex"])
    assert caught.value.help == "its columns are 'q1', 'no. 2', 'in 2020'"


@pytest.mark.parametrize("body", [b"x,y\n", b'",secret"\nx,y\n', b'secret"\nx,y\n', b'",secret,"b"\n', b""])
def test_no_message_shows_a_row_that_closes_a_quote_of_the_first_line(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "table.csv"
    said = set()
    for lines in (b"x,y\n", body):
        path.write_bytes(b'"a,b\n' + lines)
        with open_table(str(path)) as table, pytest.raises(UnknownColumnError) as caught:
            table.check(["zz"])
        said.add((caught.value.what, caught.value.help))
    assert len(said) == 1
    assert "secret" not in str(said)


@pytest.mark.parametrize(
    "first",
    ['{"vote": "secret"}', ' { "vote":', '["secret", 1]', "[", "{", "{}", "[]", '[{"vote": "secret"}]', "[["],
)
def test_a_row_of_json_is_no_header_and_is_not_shown(tmp_path: Path, first: str) -> None:
    path = tmp_path / "a.csv"
    for mark in ("", "\ufeff"):
        path.write_text(f"{mark}{first}\n", encoding="utf-8")
        with pytest.raises(TableUnreadableError, match="it begins as JSON does") as caught:
            open_table(str(path))
        assert "ends in .jsonl" in caught.value.help
        assert "secret" not in f"{caught.value.what} {caught.value.help}"


def test_what_comes_on_standard_input_has_no_name_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"vote\nred\n"))))
    with pytest.raises(TableUnreadableError) as caught:
        open_table("-")
    assert caught.value.help == (
        "it begins like a file of gzip: send it as CSV, decompressed, or save it to a file and name the file"
    )


@pytest.mark.parametrize("other", ["secret,blue", "vote,secret", "secret"])
def test_of_two_first_lines_that_differ_one_may_be_a_row(tmp_path: Path, other: str) -> None:
    (tmp_path / "a.csv").write_text("name,vote\nx,y\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text(f"{other}\nx,y\n", encoding="utf-8")
    for pattern in ("*.csv", "[ba].csv"):
        with pytest.raises(TableUnreadableError, match="only one has some column") as caught:
            open_table(str(tmp_path / pattern))
        assert "secret" not in caught.value.report()


@pytest.mark.parametrize("name", ["[x]", "{x}", "[1]", "x{", '"{x}"'])
def test_brackets_may_stand_in_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{name},vote\n1,2\n", encoding="utf-8")
    with open_table(str(path)) as table:
        assert table.columns == (name.strip('"'), "vote")


def test_what_is_no_text_at_all_is_told_by_how_it_begins(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": range(50), "vote": ["red"] * 50})
    parquet = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pandas(frame), parquet)
    sheet = io.BytesIO()
    with zipfile.ZipFile(sheet, "w") as archive:
        archive.writestr("sheet.xml", frame.to_csv())
    with contextlib.closing(sqlite3.connect(tmp_path / "a.db")) as database:
        database.execute("create table votes (id)")
    text = frame.to_csv().encode()
    for content, way_on in (
        (sheet.getvalue(), "save the table as CSV"),
        (gzip.compress(text), "ends in .csv.gz"),
        (pa.compress(text, "zstd", asbytes=True), "ends in .csv.zst"),
        (parquet.getvalue().to_pybytes(), "ends in .parquet"),
        (bz2.compress(text), "compress it with gzip"),
        (lzma.compress(text), "compress it with gzip"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512), "save the table as CSV"),
        ((tmp_path / "a.db").read_bytes(), "sqlite:///"),
        ("größe\n".encode("latin-1"), "say how the file is encoded"),
    ):
        (tmp_path / "a.csv").write_bytes(content)
        with pytest.raises(TableUnreadableError, match="is not text") as caught:
            open_table(tmp_path / "a.csv")
        assert way_on in caught.value.help
