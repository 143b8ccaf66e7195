# SPDX-License-Identifier: Apache-2.0
"""No content of a row raises, loses a neighbor, or changes what becomes of another row.

The oracle for well-formed CSV is Python's csv module; for the rest, files are written in which every row is
known to be good or bad.
"""

import csv
import gzip
import io
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_tally import NOTHING, UNREADABLE, cells
from rainbowdp.errors import TableUnreadableError, UnknownColumnError
from rainbowdp.formats.csv_files import LARGEST_RECORD, Header, Records
from rainbowdp.formats.encodings import in_utf8
from rainbowdp.tables import open_table
from rainbowdp.tables.json_lines import LARGEST_LINE, records_of
from rainbowdp.tables.local_files import ALWAYS_ALLOWED


def filter_of(cells: int) -> Records:
    """Return the filter below a header of so many columns."""
    names = tuple(f"c{at}" for at in range(cells))
    return Records(Header(names, ",", b"\n", length=0, fits=True, plain=True))


BAD_ROWS = {
    "short": b"9",
    "long": b"9,red,3,4",
    "long by an empty cell": b"9,red,3,",
    "an open quote": b'9,"red,3',
    "text after a quote": b'9,"red"x,3',
    "text before a quoted comma": b'9,x"red,blue",3',
    "a byte that is no UTF-8": b"9,red\xff,3",
    "half a character": b"9,red\xc3,3",
    "a NUL byte": b"9,r\0ed,3",
    "a NUL byte in quotes": b'9,"r\0ed",3',
    "too large": b"9,red," + b"x" * (LARGEST_RECORD + 1),
    "too large in quotes": b'9,red,"' + b"x" * (LARGEST_RECORD + 1) + b'"',
    "long with a line break": b'9,"red\nred",3,4',
    "blanks": b"   ",
    "nothing": b"",
}
GOOD = [b"1,red,1", b'2,"blue, or ""so""",1', b"3,,1", b"4,  red ,1", b'5, "red" ,1']
COUNTS = {"red": 3, 'blue, or "so"': 1, NOTHING: 1}


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("bad", BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_counts_for_nothing_and_its_neighbors_count(
    tmp_path: Path, bad: bytes, ending: bytes
) -> None:
    for at in range(len(GOOD) + 1):
        rows = [*GOOD[:at], bad, *GOOD[at:]]
        (tmp_path / "a.csv").write_bytes(ending.join([b"id,vote,x", *rows, b""]))
        with open_table(tmp_path / "a.csv") as table:
            assert cells(table, "vote") == COUNTS


def test_a_quote_inside_a_cell_is_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'id,vote\n1,5\'10"\n2,the "best" one\n3,5\'10"\n')
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == {"5'10\"": 2, 'the "best" one': 1}


def test_thirty_megabytes_without_a_line_break_are_one_bad_row(tmp_path: Path) -> None:
    row = b"9,red," + b"x" * 30_000_000
    (tmp_path / "a.csv").write_bytes(b"\n".join([b"id,vote,x", *GOOD, row, *GOOD]))
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == {text: 2 * count for text, count in COUNTS.items()}


def test_a_bad_row_loses_nothing_of_a_file_that_is_read_in_parts(tmp_path: Path) -> None:
    rows = [f"{at},{'red' if at % 3 else 'blue'},{'x' * (at % 50)}".encode() for at in range(200_000)]
    for at in (0, 1_000, 77_777, 199_999):
        rows[at] = BAD_ROWS["an open quote"]
    (tmp_path / "a.csv").write_bytes(b"\n".join([b"id,vote,x", *rows]))
    expected = Counter(row.split(b",")[1].decode() for row in rows)
    del expected['"red']
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == expected


@given(
    st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2))
)
def test_what_a_writer_of_csv_writes_is_kept_whole(rows: list[list[str]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    kept = b"".join(filter_of(2).kept([text.getvalue().encode()]))
    assert list(csv.reader(io.StringIO(kept.decode(), newline=""))) == rows


PIECES = [
    b"a",
    b" ",
    b'"',
    b'""',
    b",",
    b"\n",
    b"\r\n",
    b"\r",
    b"1",
    "ü".encode(),
    b"\0",
    b'"x"',
    b',"y, z",',
]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(1, 7), st.integers(1, 3))
def test_where_blocks_end_makes_no_difference(pieces: list[bytes], size: int, width: int) -> None:
    content = b"".join(pieces)
    blocks = [content[at : at + size] for at in range(0, len(content), size)]
    whole, parts = filter_of(width), filter_of(width)
    kept = [b"".join(whole.kept([content])), b"".join(parts.kept(blocks))]
    # What is left to DuckDB, lines of another width without quotes, may be dropped here already.
    judged = [
        [row for row in csv.reader(io.StringIO(text.decode(), newline="")) if len(row) == width]
        for text in kept
    ]
    assert judged[0] == judged[1]


@pytest.mark.parametrize("seed", range(2))
def test_duckdb_reads_from_a_broken_file_what_was_kept(tmp_path: Path, seed: int) -> None:
    generator = random.Random(seed)
    for _ in range(25):
        content = b"c0,c1\n" + b"".join(generator.choices(PIECES, k=60))
        (tmp_path / "a.csv").write_bytes(content)
        kept = b"".join(filter_of(2).kept([content[6:]]))
        rows = csv.reader(io.StringIO(kept.decode(), newline=""))
        expected = Counter(row[1].strip() or NOTHING for row in rows if len(row) == 2)
        with open_table(tmp_path / "a.csv") as table:
            assert cells(table, "c1") == expected


@given(
    st.binary(max_size=60),
    st.sampled_from(["utf-8", "cp1252", "gb18030", "shift_jis", "utf-16-le", "utf-32-be"]),
)
def test_no_bytes_fail_in_any_encoding(content: bytes, encoding: str) -> None:
    assert b"".join(in_utf8(iter([content[:20], content[20:]]), encoding)).decode() is not None


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_no_line_of_json_fails(lines: list[bytes]) -> None:
    content = b"\n".join(
        [b'{"vote": "red"}', *(line.replace(b"\n", b"") for line in lines), b'{"vote": 1.0}']
    )
    records = b"".join(records_of([content], ["vote"])).decode().splitlines()
    assert records[0] == '"red"'
    assert records[-1] == '"1"'


def test_json_lines_of_every_kind(tmp_path: Path) -> None:
    lines = [
        '{"id": 1, "vote": "red"}',
        '{"id": 2, "vote": " red "}',
        '{"id": 3, "vote": null}',
        '{"id": 4}',
        '{"id": 5, "vote": [["red", 1]]}',
        '{"id": 6, "vote": {"red": 1}}',
        '{"id": 7, "vote": true}',
        '{"id": 8, "vote": 1.0}',
        '{"id": 9, "vote": "\\ud800"}',
        '{"id": 9, "vote": "\\u0000"}',
        '{"id": 10, "vote": NaN}',
        '{"id": 11, "vote": ' + "9" * 5000 + "}",
        "[" * 100_000,
        '[["id", 1], ["vote", "red"]]',
        '"red"',
        "",
        '{"id": 12, "vote": "two\\nlines, \\"so\\""}',
        '{"id": 13, "vote": "' + "x" * LARGEST_LINE + '"}',
        '{"id": 14, "vote": "last"',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with open_table(tmp_path / "a.jsonl") as table:
        assert table.columns is None
        assert cells(table, "vote") == {
            "red": 2,
            NOTHING: 3,
            UNREADABLE: 5,
            "true": 1,
            "1": 1,
            'two\nlines, "so"': 1,
        }


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        (b"", TableUnreadableError, "is empty, so it has no header"),
        (b"\nred\n", TableUnreadableError, "its first line is empty"),
        (b"id," + b"x" * (1 << 22) + b"\n", TableUnreadableError, "longer than 4 MiB"),
        (b"id,v\xf6te\n1,red\n", TableUnreadableError, "is not text in the chosen encoding"),
        (b"vote,id,vote\n1,2,3\n", UnknownColumnError, "gives its columns 1 and 3 the same name"),
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
    ],
)
def test_the_header_says_how_cells_are_separated(
    tmp_path: Path, header: str, columns: tuple[str, ...]
) -> None:
    sign = next(
        sign for sign in ",;\t|" if len(columns) == 1 or header.rsplit(sign, 1)[-1].strip('"') == columns[-1]
    )
    (tmp_path / "a.csv").write_text(f"{header}\n{sign.join('x' for _ in columns)}\n", encoding="utf-8")
    with open_table(tmp_path / "a.csv") as table:
        assert table.columns == columns
        assert cells(table, columns[-1]) == {"x": 1}


def test_one_column_may_have_null_cells_and_empty_lines_are_no_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'vote\nred\n\n""\nred\n\n')
    with open_table(tmp_path / "a.csv") as table:
        assert cells(table, "vote") == {"red": 2, NOTHING: 1}


UTF8_HEADERS = [
    ("\ufeffid,vote\n1,größer\n", "latin-1"),
    ("\ufeffid,vote\n1,größer\n", "gbk"),
    ("\ufeffid,vote", "cp1252"),
    ("größe,vote\r\n1,größer\r\n", "latin-1"),
    ("größe,vote\r1,größer\r", "cp1251"),
    ("id,größe\n1,größer\n", "koi8-r"),
]


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


def test_a_file_that_expands_too_far_is_refused(tmp_path: Path) -> None:
    row = b"1,red\n"
    allowed = b"id,vote\n" + row * 200_000
    (tmp_path / "fine.csv.gz").write_bytes(gzip.compress(allowed))
    with open_table(tmp_path / "fine.csv.gz") as table:
        assert cells(table, "vote") == {"red": 200_000}
    bomb = b"id,vote\n" + row * (2 * ALWAYS_ALLOWED // len(row))
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(bomb))
    with (
        open_table(tmp_path / "bomb.csv.gz") as table,
        pytest.raises(TableUnreadableError, match="expands to more than 250 times its size"),
    ):
        cells(table, "vote")


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jsonl.gz", "a.csv.zst", "a.parquet"])
def test_a_damaged_file_is_one_error_without_its_content(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"id,canary\n1,canary\n")
    with pytest.raises(TableUnreadableError) as caught, open_table(tmp_path / name) as table:
        cells(table, "id")
    assert "canary" not in caught.value.report()
